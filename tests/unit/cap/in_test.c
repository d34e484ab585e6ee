// SPDX-License-Identifier: BSD-3-Clause
// A capture frame by frame: lengths as captured and as on the wire, instants, and the ways it ends.
#include "cap/cap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void every_frame_of_a_capture(void **state)
{
	struct cap_in *in;
	struct cap_frame f;
	struct err err;
	unsigned n = 0;
	uint64_t bytes = 0;

	(void)state;
	assert_int_equal(cap_in_open(&in, TEST_DATA "/linux_softroce_rocev2.pcap", &err), 0);
	while (cap_in_next(in, &f, &err) == 1) {
		assert_int_equal(f.len, f.wire_len);
		n++;
		bytes += f.len;
	}
	assert_int_equal(n, 267);
	assert_int_equal(bytes, 150778 - 24 - 267 * 16); // the file less its headers
	assert_int_equal(cap_in_next(in, &f, &err), 0);
	cap_in_close(in);
}

// A classic capture of one frame that was cut after 4 of its 60 bytes, then `more` bytes.
static struct cap_in *open_made(const char *more, size_t n, struct err *err)
{
	static const uint8_t head[] = {0x4d, 0x3c, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		4, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 9, 0, 0, 0, 4, 0, 0, 0, 60, 0, 0, 0, 'a', 'b',
		'c', 'd'};
	char name[] = "/tmp/quench-cap-in-XXXXXX";
	struct cap_in *in = NULL;
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, head, sizeof(head)), sizeof(head));
	assert_int_equal(write(fd, more, n), n);
	close(fd);
	assert_int_equal(cap_in_open(&in, name, err), 0);
	unlink(name);
	return in;
}

static void cut_frames_are_given(void **state)
{
	struct err err;
	struct cap_in *in = open_made("", 0, &err);
	struct cap_frame f;

	(void)state;
	assert_int_equal(cap_in_next(in, &f, &err), 1);
	assert_int_equal(f.len, 4);
	assert_int_equal(f.wire_len, 60);
	assert_int_equal(f.ns, 7000000009);
	assert_memory_equal(f.bytes, "abcd", 4);
	assert_int_equal(cap_in_next(in, &f, &err), 0);
	cap_in_close(in);
}

static void broken_behind_a_frame(void **state)
{
	struct err err;
	struct cap_in *in = open_made("\1\0\0\0\0\0\0\0\4\0\0\0", 12, &err);
	struct cap_frame f;

	(void)state;
	assert_int_equal(cap_in_next(in, &f, &err), 1);
	assert_int_equal(cap_in_next(in, &f, &err), -EINVAL);
	assert_non_null(strstr(err.text, "frame 2 cannot be read: "));
	cap_in_close(in);
}

// pcapng with timestamps of 1 s: 63 bits of ns end after 9223372036 s, and libpcap's seconds have a
// sign.
static void times_that_63_bits_do_not_hold(void **state)
{
	static const struct {
		uint64_t s;
		int code;
	} at[] = {{9223372035, 1}, {9223372036, 1}, {9223372037, -ERANGE}, {1ull << 40, -ERANGE},
		{(1ull << 63) + 5, -ERANGE}};

	(void)state;
	for (unsigned i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		uint32_t block[] = {0x0a0d0d0a, 28, 0x1a2b3c4d, 1, UINT32_MAX, UINT32_MAX, 28, 1,
			32, 1, 0, 1 << 16 | 9, 0, 0, 32, 6, 36, 0, (uint32_t)(at[i].s >> 32),
			(uint32_t)at[i].s, 4, 60, 0x64636261, 36};
		char name[] = "/tmp/quench-cap-in-XXXXXX";
		struct cap_frame f;
		struct cap_in *in;
		struct err err;
		int fd = mkstemp(name);

		assert_true(fd >= 0);
		assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
		close(fd);
		assert_int_equal(cap_in_open(&in, name, &err), 0);
		unlink(name);
		if (cap_in_next(in, &f, &err) != at[i].code)
			fail_msg("%llu s", (unsigned long long)at[i].s);
		if (at[i].code == 1)
			assert_int_equal(f.ns, at[i].s * 1000000000);
		else
			assert_non_null(
				strstr(err.text, "frame 1: its time is before 1970 or after "));
		cap_in_close(in);
	}
}

static void not_there(void **state)
{
	struct cap_in *in;
	struct err err;

	(void)state;
	assert_int_equal(cap_in_open(&in, "/nonexistent.pcap", &err), -ENOENT);
	assert_string_equal(err.text, "/nonexistent.pcap: No such file or directory");
	assert_null(in);
	assert_int_equal(cap_in_open(&in, TEST_DATA "/README.md", &err), -EINVAL);
	assert_non_null(strstr(err.text, "not a capture"));
	cap_in_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_frame_of_a_capture),
		cmocka_unit_test(cut_frames_are_given),
		cmocka_unit_test(broken_behind_a_frame),
		cmocka_unit_test(times_that_63_bits_do_not_hold),
		cmocka_unit_test(not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
