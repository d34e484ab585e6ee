// SPDX-License-Identifier: BSD-3-Clause
// pcapng writer: the blocks byte by byte, and its files read back by libpcap.
#include "../../cap_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static char name[] = "/tmp/quench-capw-XXXXXX";

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

static void blocks_are_the_drafts(void **state)
{
	static const uint8_t want[] = {
		// section header: type, length, magic, version 1.0, length unknown, shb_userappl,
		// end
		0x0a, 0x0d, 0x0d, 0x0a, 44, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 4, 0, 6, 0, 'q', 'u', 'e', 'n', 'c', 'h', 0, 0,
		0, 0, 0, 0, 44, 0, 0, 0,
		// interface: Ethernet, no snap length, if_name, if_speed 25e9, if_tsresol 12, end
		1, 0, 0, 0, 52, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 4, 0, 's', '1', ':', 'r', 8,
		0, 8, 0, 0x00, 0xba, 0x1d, 0xd2, 5, 0, 0, 0, 9, 0, 1, 0, 12, 0, 0, 0, 0, 0, 0, 0,
		52, 0, 0, 0,
		// the same in ns: if_tsresol 9
		1, 0, 0, 0, 52, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 4, 0, 's', '1', ':', 'h', 8,
		0, 8, 0, 0x00, 0xba, 0x1d, 0xd2, 5, 0, 0, 0, 9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0, 52,
		0, 0, 0,
		// packet: interface 0, time 2^32 + 5 ps, 3 bytes of 3, padded, epb_flags outbound
		6, 0, 0, 0, 48, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0,
		0xaa, 0xbb, 0xcc, 0, 2, 0, 4, 0, 2, 0, 0, 0, 0, 0, 0, 0, 48, 0, 0, 0,
		// packet: interface 1, time 2^32 + 5 ns, rounded down
		6, 0, 0, 0, 48, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0,
		0xaa, 0xbb, 0xcc, 0, 2, 0, 4, 0, 1, 0, 0, 0, 0, 0, 0, 0, 48, 0, 0, 0};
	static const uint8_t frame[] = {0xaa, 0xbb, 0xcc};
	uint8_t got[sizeof(want) + 1];
	struct err err;
	struct capw *w;
	FILE *f;

	(void)state;
	assert_int_equal(capw_open(&w, name, &err), 0);
	assert_int_equal(capw_interface(w, "s1:r", 25 * RATE_GBPS, true), 0);
	assert_int_equal(capw_interface(w, "s1:h", 25 * RATE_GBPS, false), 1);
	assert_int_equal(capw_frame(w, 0, (1ull << 32) + 5, 2, frame, 3), 0);
	assert_int_equal(capw_frame(w, 1, ((1ull << 32) + 5) * PS_PER_NS + 999, 1, frame, 3), 0);
	assert_int_equal(capw_frame(w, 2, 0, 2, frame, 3), -EINVAL);
	assert_int_equal(capw_close(w, &err), 0);
	f = fopen(name, "r");
	assert_non_null(f);
	assert_int_equal(fread(got, 1, sizeof(got), f), sizeof(want));
	fclose(f);
	assert_memory_equal(got, want, sizeof(want));
}

static void libpcap_reads_it(void **state)
{
	uint8_t frame[1200];
	struct err err;
	struct capw *w;
	struct cap c;

	(void)state;
	for (unsigned i = 0; i < sizeof(frame); i++)
		frame[i] = (uint8_t)i;
	assert_int_equal(capw_open(&w, name, &err), 0);
	assert_int_equal(capw_interface(w, "a", RATE_GBPS, true), 0);
	assert_int_equal(capw_interface(w, "b", 400 * RATE_GBPS, false), 1);
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(capw_frame(w, i & 1, 5 * PS_PER_US + i * 81920ull, 1 + (i & 1),
					 frame, 60 + i),
			0);
	assert_int_equal(capw_close(w, &err), 0);

	assert_int_equal(cap_read(&c, name, &err), 0);
	assert_int_equal(c.n, 1000);
	assert_int_equal(c.first_ns, 5000);
	assert_int_equal(c.max_len, 1059);
	assert_int_equal(c.seen.cut + c.seen.backwards + c.seen.oversized, 0);
	for (unsigned i = 0; i < c.n; i++) {
		assert_int_equal(c.frame[i].at, i * 81920ull / PS_PER_NS * PS_PER_NS);
		assert_int_equal(c.frame[i].len, 60 + i);
		assert_memory_equal(c.frame[i].bytes, frame, 60 + i);
	}
	cap_free(&c);
}

// A run on the real clock tells when it began; the frames are so much later, whatever the unit.
static void instants_are_those_of_the_wall(void **state)
{
	const uint64_t begin_ns = 1795780911123456789;
	static const uint8_t frame[60];
	struct err err;
	struct capw *w;

	(void)state;
	for (int ps = 0; ps < 2; ps++) {
		struct cap_in *in;
		struct cap_frame f;

		assert_int_equal(capw_open(&w, name, &err), 0);
		capw_begin(w, begin_ns);
		assert_int_equal(capw_interface(w, "a", 25 * RATE_GBPS, ps), 0);
		assert_int_equal(capw_frame(w, 0, 999, 1, frame, sizeof(frame)), 0);
		assert_int_equal(capw_frame(w, 0, 3 * PS_PER_S + 7000, 2, frame, sizeof(frame)), 0);
		assert_int_equal(capw_close(w, &err), 0);

		assert_int_equal(cap_in_open(&in, name, &err), 0);
		assert_int_equal(cap_in_next(in, &f, &err), 1);
		assert_true(f.ns == begin_ns);
		assert_int_equal(cap_in_next(in, &f, &err), 1);
		assert_true(f.ns == begin_ns + 3000000007);
		cap_in_close(in);
	}
}

// Frames of one ns stand as they were written, whatever the ps within it.
static void order_is_kept_within_a_ns(void **state)
{
	uint8_t frame[60] = {0};
	struct err err;
	struct capw *w;
	struct cap c;

	(void)state;
	assert_int_equal(capw_open(&w, name, &err), 0);
	assert_int_equal(capw_interface(w, "a", 800 * RATE_GBPS, false), 0);
	for (unsigned i = 0; i < 10; i++) {
		frame[20] = (uint8_t)i;
		assert_int_equal(capw_frame(w, 0, PS_PER_S + i * 99, 1, frame, sizeof(frame)), 0);
	}
	assert_int_equal(capw_close(w, &err), 0);
	assert_int_equal(cap_read(&c, name, &err), 0);
	assert_int_equal(c.n, 10);
	assert_int_equal(c.seen.backwards, 0);
	for (unsigned i = 0; i < c.n; i++) {
		assert_int_equal(c.frame[i].at, 0);
		assert_int_equal(c.frame[i].bytes[20], i);
	}
	cap_free(&c);
}

static void full_disk_is_said(void **state)
{
	struct err err;
	struct capw *w;

	(void)state;
	if (access("/dev/full", W_OK) < 0)
		skip();
	assert_int_equal(capw_open(&w, "/dev/full", &err), 0);
	assert_int_equal(capw_close(w, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "/dev/full"));
	assert_int_equal(capw_close(NULL, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_the_drafts),
		cmocka_unit_test(libpcap_reads_it),
		cmocka_unit_test(instants_are_those_of_the_wall),
		cmocka_unit_test(order_is_kept_within_a_ns),
		cmocka_unit_test(full_disk_is_said),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
