// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: any bytes are a capture or one line of error. Its frames are decoded in all forms
// and played, and the same capture has the same frames after gzip or Zstandard packed it.
//
// The first octet says who packs the others: enum packed, by its remainder.
#include <jansson.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "cap/cap.h"
#include "fuzz.h"
#include "in_memory.h"

// A few packed octets can be gigabytes: the rest of them is not read.
#define FRAMES 200
#define BYTES  (1u << 20)

enum packed { AS_IT_IS, GZIP, ZSTANDARD, PACKINGS };

struct seen {
	unsigned frames, bytes;
	uint32_t sum;
	int end; // what cap_in_next said last, or cap_in_open; 1: the frames are too many
};

struct told {
	struct decode decode;
	struct decode_sum sum;
	struct out out;
	FILE *file;
	char *text;
	size_t size;
};

static void told_open(struct told *t)
{
	struct err err;

	decode_init(&t->decode, 100 * RATE_GBPS);
	decode_sum_init(&t->sum);
	t->file = open_memstream(&t->text, &t->size);
	fuzz_check(t->file && !out_stream(&t->out, t->file, "fuzz", &err));
}

static void told_close(struct told *t)
{
	struct err err;

	decode_sum_print(&t->sum, "fuzz", &t->out);
	fuzz_check(!out_close(&t->out, &err));
	fclose(t->file);
	free(t->text);
	decode_sum_fini(&t->sum);
}

static void tell(struct told *t, const struct cap_frame *f)
{
	struct decoded d;
	json_t *json;

	decode_next(&t->decode, f, &d);
	if (d.number == 1)
		decode_text_head(&t->decode, &d, &t->out);
	decode_text(&t->decode, &d, &t->out);
	fuzz_check(!decode_sum_add(&t->sum, &d));
	out_flush(&t->out);
	rewind(t->file);
	decode_json(&d, &t->out);
	out_flush(&t->out);
	fflush(t->file);
	fuzz_check(t->size > 1 && t->text[t->size - 1] == '\n');
	json = json_loadb(t->text, t->size, JSON_REJECT_DUPLICATES, NULL);
	fuzz_check(json);
	json_decref(json);
	rewind(t->file);
}

static void is_one_line(const struct err *err, const char *path)
{
	fuzz_check(!strncmp(err->text, path, strlen(path)));
	fuzz_check(!strchr(err->text, '\n'));
}

// `t`: is told of each frame, or NULL.
static struct seen look(const char *path, struct told *t)
{
	struct seen s = {0};
	struct cap_in *in;
	struct cap_frame f;
	struct err err;

	s.end = cap_in_open(&in, path, &err);
	if (s.end) {
		is_one_line(&err, path);
		return s;
	}
	while ((s.end = cap_in_next(in, &f, &err)) == 1 && s.frames < FRAMES && s.bytes < BYTES) {
		fuzz_check(f.ns <= INT64_MAX);
		s.sum = (uint32_t)crc32(s.sum, f.bytes, f.len);
		s.frames++;
		s.bytes += f.len;
		if (t)
			tell(t, &f);
	}
	if (s.end < 0)
		is_one_line(&err, path);
	cap_in_close(in);
	return s;
}

// Sends a round and compares it with the scan. Returns the number of its frames.
static uint64_t play_scanned(const struct cap_play_params *p, struct cap_scan *scan)
{
	struct cap_play *play;
	struct replay_frame f;
	struct err err;
	uint64_t n = 0;
	tstamp last = 0;

	fuzz_check(!cap_play_open(&play, p, &err));
	while (cap_play_next(play, &f, &err) == 1) {
		fuzz_check(f.at >= last && f.len && f.len <= scan->longest);
		last = f.at;
		n++;
	}
	fuzz_check(n == scan->seen.frames && cap_play_seen(play)->frames == n);
	fuzz_check(last <= scan->took && scan->n_stations <= 2 * n);
	cap_play_close(play);
	cap_scan_free(scan);
	return n;
}

// Both sides: each frame is of one of them.
static void play_sides(const struct cap_play_params *whole, unsigned choice, uint64_t frames)
{
	static const char *const how[] = {
		"none", "auto", "mac", "port", "client-server", "subnet 10.0.0.0/8,fd00::/8"};
	struct cap_split_params split;
	struct cap_play_params p = *whole;
	struct cap_split *s;
	struct err err;
	uint64_t n = 0;

	fuzz_check(!cap_split_parse(how[choice % 6], &split, &err));
	if (cap_split_learn(&s, &split, p.path, 1, &err)) {
		is_one_line(&err, *p.path);
		return;
	}
	p.split = s;
	for (unsigned i = 0; i < CAP_SIDES; i++) {
		struct cap_scan scan;

		p.side = (enum cap_side)i;
		fuzz_check(!cap_scan(&scan, &p, &err));
		fuzz_check(scan.seen.all_frames == frames);
		n += play_scanned(&p, &scan);
	}
	fuzz_check(n == frames);
	cap_split_free(s);
}

// A round of it: what was said of it before is what comes.
static void play(const char *path, unsigned choice)
{
	static const char *const pace[] = {"1x", "2.5x", "10Gbps", "1Mpps", "top"};
	const struct rewrite_rule rule[] = {
		{.field = REWRITE_VLAN, .any = true, .to = {.number = 5}},
		{.field = REWRITE_DSCP, .any = true, .to = {.number = 26}},
		{.field = REWRITE_IP, .any = true, .to = {.bytes = {10, 0, 0, 1}}},
	};
	struct cap_play_params p = {
		.path = &path, .n_paths = 1, .pad = choice & 1, .loops = 1, .rule = rule};
	struct cap_scan scan;
	struct err err;
	uint64_t frames;

	p.n_rules = choice & 2 ? sizeof(rule) / sizeof(rule[0]) : 0;
	fuzz_check(!cap_pace_parse(pace[(choice >> 2) % 5], &p));
	if (cap_scan(&scan, &p, &err)) {
		is_one_line(&err, path);
		return;
	}
	frames = play_scanned(&p, &scan);
	play_sides(&p, choice, frames);
}

// The octets, packed; the caller frees it.
static uint8_t *pack(enum packed how, const uint8_t *data, size_t size, size_t *packed)
{
	size_t room = how == GZIP ? compressBound(size) + 64 : ZSTD_compressBound(size);
	uint8_t *to = malloc(room);
	z_stream z = {.next_in = (uint8_t *)(uintptr_t)data, .avail_in = (unsigned)size};

	fuzz_check(to);
	if (how == ZSTANDARD) {
		*packed = ZSTD_compress(to, room, data, size, 1);
		fuzz_check(!ZSTD_isError(*packed));
		return to;
	}
	z.next_out = to;
	z.avail_out = (unsigned)room;
	fuzz_check(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	fuzz_check(deflate(&z, Z_FINISH) == Z_STREAM_END);
	*packed = z.total_out;
	deflateEnd(&z);
	return to;
}

static void same_packed(enum packed how, const uint8_t *data, size_t size, const struct seen *want)
{
	struct in_memory f;
	struct seen got;
	size_t n;
	uint8_t *packed = pack(how, data, size, &n);

	in_memory_open(&f, packed, n);
	got = look(f.path, NULL);
	fuzz_check(got.frames == want->frames && got.sum == want->sum && got.end == want->end);
	in_memory_close(&f);
	free(packed);
}

static bool is_packed(const uint8_t *data, size_t size)
{
	return (size >= 2 && !memcmp(data, "\x1f\x8b", 2)) ||
	       (size >= 4 && !memcmp(data, "\x28\xb5\x2f\xfd", 4));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct in_memory f;
	struct told told = {0};
	enum packed how;
	unsigned choice;
	struct seen s;

	if (!size)
		return 0;
	how = data[0] % PACKINGS;
	choice = data[0] / PACKINGS;
	in_memory_open(&f, ++data, --size);
	told_open(&told);
	s = look(f.path, &told);
	told_close(&told);
	if (s.end != 1 && s.frames)
		play(f.path, choice);
	in_memory_close(&f);
	if (how != AS_IT_IS && !is_packed(data, size))
		same_packed(how, data, size, &s);
	return 0;
}
