// SPDX-License-Identifier: BSD-3-Clause
// Captures in: both formats, resolutions and byte orders made here byte by byte, and every way to
// be bad.
#include "../../cap_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { MAGIC_US = 0xa1b2c3d4, MAGIC_NS = 0xa1b23c4d, ETHERNET = 1 };

static char name[] = "/tmp/quench-cap-XXXXXX";
static uint8_t file[1 << 17];
static size_t size;
static int big; // byte order of the file being made

static int make_file(void **state)
{
	int fd = mkstemp(name);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(name);
}

static void word(uint32_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		file[size++] = (uint8_t)(v >> 8 * (big ? bytes - 1 - i : i));
}

static void header(uint32_t magic, uint32_t link)
{
	size = 0;
	word(magic, 4);
	word(2, 2);
	word(4, 2);
	word(0, 4);
	word(0, 4);
	word(0x40000, 4);
	word(link, 4);
}

static void frame(uint32_t s, uint32_t sub, uint32_t caplen, uint32_t len, uint8_t fill)
{
	word(s, 4);
	word(sub, 4);
	word(caplen, 4);
	word(len, 4);
	memset(file + size, fill, caplen);
	size += caplen;
}

static int load(struct cap *c, struct err *err)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(file, 1, size, f), size);
	fclose(f);
	return cap_read(c, name, err);
}

static void bad(int code, const char *text)
{
	struct err err = {0};
	struct cap c;

	assert_int_equal(load(&c, &err), code);
	assert_non_null(strstr(err.text, name));
	if (!strstr(err.text, text))
		fail_msg("\"%s\" lacks \"%s\"", err.text, text);
	assert_null(c.frame);
}

static void classic(void **state)
{
	struct err err;
	struct cap c;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		unsigned ns = i >> 1;

		big = i & 1;
		header(ns ? MAGIC_NS : MAGIC_US, ETHERNET);
		frame(1700000000, 999999, 60, 60, 0x11);
		frame(1700000001, ns ? 1 : 0, 1082, 1082, 0x22);
		assert_int_equal(load(&c, &err), 0);
		assert_int_equal(c.n, 2);
		assert_int_equal(c.first_ns, 1700000000 * 1000000000ull + 999999 * (ns ? 1 : 1000));
		assert_int_equal(c.frame[0].at, 0);
		assert_int_equal(c.frame[1].at, ns ? PS_PER_S - 999998 * PS_PER_NS : 1 * PS_PER_US);
		assert_int_equal(c.frame[1].len, 1082);
		assert_int_equal(c.max_len, 1082);
		assert_int_equal(c.frame[0].bytes[59], 0x11);
		assert_int_equal(c.frame[1].bytes[0], 0x22);
		assert_int_equal(c.frame[1].bytes[1081], 0x22);
		cap_free(&c);
	}
	big = 0;
}

static void seconds_are_unsigned(void **state)
{
	struct err err;
	struct cap c;

	(void)state;
	header(MAGIC_NS, ETHERNET);
	frame(0xffffffff, 5, 60, 60, 0);
	assert_int_equal(load(&c, &err), 0);
	assert_int_equal(c.first_ns, 0xffffffffull * 1000000000 + 5);
	cap_free(&c);
}

static void clock_that_goes_back(void **state)
{
	struct err err;
	struct cap c;

	(void)state;
	header(MAGIC_NS, ETHERNET);
	frame(10, 500, 60, 60, 0);
	frame(10, 400, 60, 60, 0);
	frame(10, 450, 60, 60, 0);
	frame(10, 600, 60, 60, 0);
	assert_int_equal(load(&c, &err), 0);
	assert_int_equal(c.seen.backwards, 2);
	assert_int_equal(c.seen.first_backwards, 2);
	assert_int_equal(c.frame[2].at, 0);
	assert_int_equal(c.frame[3].at, 100 * PS_PER_NS);
	cap_free(&c);
}

// ps since the first frame are 64 bits: 18446744.073709551615 s.
static void longest_capture(void **state)
{
	struct err err;
	struct cap c;

	(void)state;
	header(MAGIC_NS, ETHERNET);
	frame(5, 0, 60, 60, 0);
	frame(18446749, 73709551, 60, 60, 0);
	assert_int_equal(load(&c, &err), 0);
	assert_int_equal(c.frame[1].at, 18446744073709551000ull);
	cap_free(&c);
	header(MAGIC_NS, ETHERNET);
	frame(5, 0, 64, 1500, 0); // cut: not the first
	frame(5, 0, 60, 60, 0);
	frame(18446749, 73709552, 60, 60, 0);
	bad(-ERANGE, "frame 3 comes 18446744 s after the first; 18446744 s (2^64 ps) are the most");
	header(MAGIC_NS, ETHERNET);
	frame(0, 0, 60, 60, 0);
	frame(0xffffffff, 0, 60, 60, 0);
	bad(-ERANGE, "frame 2 comes 4294967295 s after the first");
}

static void what_cannot_be_sent_is_counted(void **state)
{
	struct err err;
	struct cap c;

	(void)state;
	header(MAGIC_NS, ETHERNET);
	frame(1, 0, 64, 1500, 0);
	frame(2, 0, 60, 60, 0);
	frame(3, 0, PKT_MAX_LEN + 1, PKT_MAX_LEN + 1, 0);
	frame(4, 0, PKT_MAX_LEN, PKT_MAX_LEN, 0);
	assert_int_equal(load(&c, &err), 0);
	assert_int_equal(c.n, 2);
	assert_int_equal(c.seen.cut, 1);
	assert_int_equal(c.seen.oversized, 1);
	assert_int_equal(c.first_ns, 2000000000);
	assert_int_equal(c.max_len, PKT_MAX_LEN);
	cap_free(&c);

	header(MAGIC_NS, ETHERNET);
	frame(1, 0, 64, 1500, 0);
	bad(-EINVAL, "none of its frames can be sent, 1 in all");
}

static void bad_files(void **state)
{
	struct err err;
	struct cap c;

	(void)state;
	assert_int_equal(cap_read(&c, "/nowhere/x.pcap", &err), -ENOENT);
	assert_string_equal(err.text, "/nowhere/x.pcap: No such file or directory");

	size = 0;
	bad(-EINVAL, ": empty; a capture, pcap or pcapng, is wanted");
	memcpy(file, "name: first-light\nduration: 20ms\n", size = 32);
	bad(-EINVAL, "not a capture");
	header(MAGIC_US, ETHERNET);
	bad(-EINVAL, "holds no frame");
	header(MAGIC_US, 113); // Linux cooked
	frame(1, 0, 60, 60, 0);
	bad(-EINVAL, "link type LINUX_SLL, Ethernet is wanted");
}

static void truncation_says_where(void **state)
{
	(void)state;
	header(MAGIC_US, ETHERNET);
	frame(1, 0, 60, 60, 0);
	frame(2, 0, 60, 60, 0);
	frame(3, 0, 60, 60, 0);
	size -= 7;
	bad(-EINVAL, "frame 3 cannot be read: the file is cut short");
	size -= 60; // in the record header
	bad(-EINVAL, "frame 3 cannot be read: the file is cut short");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classic),
		cmocka_unit_test(seconds_are_unsigned),
		cmocka_unit_test(clock_that_goes_back),
		cmocka_unit_test(longest_capture),
		cmocka_unit_test(what_cannot_be_sent_is_counted),
		cmocka_unit_test(bad_files),
		cmocka_unit_test(truncation_says_where),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
