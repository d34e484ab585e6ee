// SPDX-License-Identifier: BSD-3-Clause
// Tests of a capture as it is sent: instants at every pace, rounds, padding, packing, and files
// that end too soon.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "cap/cap.h"

static char name[] = "/tmp/quench-play-XXXXXX";
static const char *const names[] = {name};
static uint8_t file[1 << 20];
static size_t size;

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

static void word(uint32_t v)
{
	memcpy(file + size, &v, 4);
	size += 4;
}

static void head(void)
{
	size = 0;
	word(0xa1b23c4d);
	word(4 << 16 | 2);
	word(0);
	word(0);
	word(65535);
	word(1);
}

static void record(uint64_t ns, uint32_t caplen, uint32_t len)
{
	word((uint32_t)(ns / 1000000000));
	word((uint32_t)(ns % 1000000000));
	word(caplen);
	word(len);
	memset(file + size, (int)len, caplen);
	size += caplen;
}

static void save(const void *bytes, size_t n)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

static void save_gzip(size_t n)
{
	gzFile f = gzopen(name, "w");

	assert_int_equal(gzwrite(f, file, (unsigned)n), n);
	assert_int_equal(gzclose(f), Z_OK);
}

static uint8_t packed[1 << 20];

static size_t save_zstd(size_t n)
{
	size_t k = ZSTD_compress(packed, sizeof(packed), file, n, 1);

	assert_false(ZSTD_isError(k));
	save(packed, k);
	return k;
}

// The frames sent, and their instants.
struct sent {
	tstamp at[64];
	uint16_t len[64];
	uint8_t last[64]; // byte of each
	unsigned n;
	int code;
	struct err err;
	struct cap_seen seen;
};

static struct cap_play_params pace(const char *text)
{
	struct cap_play_params p = {.path = names, .n_paths = 1, .loops = 1};

	assert_int_equal(cap_pace_parse(text, &p), 0);
	return p;
}

static void play(struct sent *s, struct cap_play_params p)
{
	struct cap_play *it = NULL;
	struct replay_frame f;

	*s = (struct sent){0};
	s->code = cap_play_open(&it, &p, &s->err);
	if (s->code)
		return;
	while (s->n < 64 && (s->code = cap_play_next(it, &f, &s->err)) == 1) {
		s->at[s->n] = f.at;
		s->len[s->n] = f.len;
		s->last[s->n++] = f.bytes[f.len - 1];
	}
	s->seen = *cap_play_seen(it);
	cap_play_close(it);
}

static void three_frames(void)
{
	head();
	record(5000000000, 100, 100);
	record(5000001000, 200, 200);
	record(5000004000, 60, 60);
	save(file, size);
}

// Absolute: what is cut down is cut down once, and never summed.
static void instants(void **state)
{
	struct cap_play_params p;
	struct sent s;

	(void)state;
	three_frames();
	play(&s, pace("1x"));
	assert_int_equal(s.code, 0);
	assert_int_equal(s.n, 3);
	assert_int_equal(s.at[1], PS_PER_US);
	assert_int_equal(s.at[2], 4 * PS_PER_US);
	play(&s, pace("3x"));
	assert_int_equal(s.at[1], 333333);
	assert_int_equal(s.at[2], 1333333);
	play(&s, pace("0.5x"));
	assert_int_equal(s.at[2], 8 * PS_PER_US);
	p = pace("3Mpps");
	p.loops = 3;
	play(&s, p);
	assert_int_equal(s.n, 9);
	for (unsigned i = 0; i < 9; i++)
		assert_int_equal(s.at[i], i * PS_PER_S / 3000000);
	p = pace("10Gbps");
	p.loops = 2;
	play(&s, p);
	assert_int_equal(s.at[1], 124 * 800);
	assert_int_equal(s.at[2], (124 + 224) * 800);
	assert_int_equal(s.at[3], (124 + 224 + 84) * 800);
	p = pace("2x");
	p.loops = 2;
	p.gap = 5 * PS_PER_US;
	play(&s, p);
	assert_int_equal(s.at[3], 7 * PS_PER_US);
	assert_int_equal(s.at[5], 9 * PS_PER_US);
	play(&s, pace("top"));
	assert_int_equal(s.at[2], 0);
}

static void words_that_are_no_pace(void **state)
{
	static const char *const bad[] = {"", "x", "0x", "-1x", "2000000x", "pps", "0pps", "1Mppss",
		"10", "1Kbps", "fast", "1.0000001x"};
	struct cap_play_params p = {.speed = 7};

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (cap_pace_parse(bad[i], &p) != -EINVAL)
			fail_msg("\"%s\" was taken for a pace", bad[i]);
	assert_int_equal(p.speed, 7);
}

static void times_that_go_back(void **state)
{
	struct sent s;

	(void)state;
	head();
	record(100, 60, 60);
	record(200, 60, 60);
	record(150, 60, 60);
	record(199, 60, 60);
	record(300, 60, 60);
	save(file, size);
	play(&s, pace("1x"));
	assert_int_equal(s.n, 5);
	assert_int_equal(s.at[2], 100 * PS_PER_NS);
	assert_int_equal(s.at[3], 100 * PS_PER_NS);
	assert_int_equal(s.at[4], 200 * PS_PER_NS);
	assert_int_equal(s.seen.backwards, 2);
	assert_int_equal(s.seen.first_backwards, 3);
}

static void cut_frames(void **state)
{
	struct cap_play_params p = pace("1x");
	struct sent s;

	(void)state;
	head();
	record(0, 60, 60);
	record(1000, 60, 100);
	record(2000, 60, 20000);
	save(file, size);
	play(&s, p);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.seen.cut, 2);
	p.pad = true;
	play(&s, p);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.len[1], 100);
	assert_int_equal(s.last[1], 0);
	assert_int_equal(s.seen.cut, 2);
	assert_int_equal(s.seen.oversized, 1);
	head();
	record(0, 10, 100);
	save(file, size);
	play(&s, pace("1x"));
	assert_int_equal(s.code, -EINVAL);
	assert_non_null(strstr(s.err.text, "none of its frames can be sent, 1 in all"));
}

// Packed bytes are recognised by their contents; one member or frame may follow another.
static void packings(void **state)
{
	struct sent plain, s;

	(void)state;
	three_frames();
	play(&plain, pace("1x"));
	save_gzip(size);
	play(&s, pace("1x"));
	assert_int_equal(s.code, 0);
	assert_memory_equal(&s, &plain, sizeof(s));
	save_zstd(size);
	play(&s, pace("1x"));
	assert_memory_equal(&s, &plain, sizeof(s));
}

static void two_members(void **state)
{
	static uint8_t gz[4096];
	struct sent s;
	size_t n;
	FILE *f;

	(void)state;
	three_frames();
	save_gzip(size);
	f = fopen(name, "r");
	n = fread(gz, 1, sizeof(gz), f);
	fclose(f);
	size = 0;
	record(5000009000, 70, 70);
	save_gzip(size);
	f = fopen(name, "r");
	n += fread(gz + n, 1, sizeof(gz) - n, f);
	fclose(f);
	save(gz, n);
	play(&s, pace("1x"));
	assert_int_equal(s.code, 0);
	assert_int_equal(s.n, 4);
	assert_int_equal(s.len[3], 70);
}

static void fails_with(const char *text)
{
	struct cap_play_params p = pace("1x");
	struct cap_scan scan;
	struct err err = {0};

	assert_int_equal(cap_scan(&scan, &p, &err), -EINVAL);
	if (!strstr(err.text, text) || strncmp(err.text, name, strlen(name)) != 0)
		fail_msg("\"%s\" lacks \"%s\"", err.text, text);
}

// Every length that a file may be cut to, packed and not: never a crash, always one line or the
// frames that are whole.
static void files_cut_short(void **state)
{
	struct cap_play_params p = pace("1x");
	struct cap_scan scan;
	struct err err;
	size_t n, whole;

	(void)state;
	three_frames();
	for (n = 0; n < size; n++) {
		save(file, n);
		assert_int_equal(cap_scan(&scan, &p, &err) == 0, n == 140 || n == 356);
		cap_scan_free(&scan);
	}
	save(file, size - 1);
	fails_with("frame 3 cannot be read: the file is cut short: it has 60 bytes, 59 of them");
	save(file, size - 60 - 9);
	fails_with("frame 3 cannot be read: the file is cut short: its head has 16 bytes, 7 of");
	whole = save_zstd(size);
	for (n = 4; n < whole; n++) {
		save(packed, n);
		fails_with("the Zstandard file is cut short");
	}
	save_gzip(size);
	assert_int_equal(truncate(name, 60), 0);
	fails_with("the gzip file is cut short: it ends after 60 bytes");
}

static void spoilt_files(void **state)
{
	size_t n;

	(void)state;
	three_frames();
	n = save_zstd(size);
	packed[4] |= 8; // a bit of the frame's head that is to be 0
	save(packed, n);
	fails_with("what Zstandard packed is spoilt near byte");
	save("\x1f\x8b\x08nothing that zlib knows", 25);
	fails_with("gzip");
}

// More frames than there are marks: each stands for several, and the last one has its own.
static void marks(void **state)
{
	struct cap_play_params p = pace("1Mpps");
	struct cap_scan scan;
	struct err err;
	FILE *f;

	(void)state;
	head();
	f = fopen(name, "w");
	fwrite(file, 1, size, f);
	size = 0;
	record(1000, 1, 1);
	for (unsigned i = 0; i < (1 << 20) + 3; i++)
		fwrite(file, 1, size, f);
	fclose(f);
	assert_int_equal(cap_scan(&scan, &p, &err), 0);
	assert_int_equal(scan.seen.frames, (1 << 20) + 3);
	assert_int_equal(scan.mark_step, 2);
	assert_int_equal(scan.n_marks, (1 << 19) + 2);
	for (unsigned i = 0; i < scan.n_marks; i++)
		assert_int_equal(scan.mark[i], 2 * i * PS_PER_US);
	assert_int_equal(scan.took, ((1 << 20) + 2) * PS_PER_US);
	assert_int_equal(scan.gap, PS_PER_US);
	cap_scan_free(&scan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instants),
		cmocka_unit_test(words_that_are_no_pace),
		cmocka_unit_test(times_that_go_back),
		cmocka_unit_test(cut_frames),
		cmocka_unit_test(packings),
		cmocka_unit_test(two_members),
		cmocka_unit_test(files_cut_short),
		cmocka_unit_test(spoilt_files),
		cmocka_unit_test(marks),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
