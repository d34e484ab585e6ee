// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a trace: packets, tracks, texts that are said once, numbers of every length.
#include "timeline/pftrace.h"

#include <math.h>
#include <unistd.h>

#include "pftrace_lab.h"

static char path[] = "/tmp/quench-pftrace-XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static struct pftrace *begin(void)
{
	struct pftrace *p;
	struct err err;

	if (pftrace_open(&p, path, &err))
		fail_msg("%s", err.text);
	return p;
}

static char *end(struct pftrace *p)
{
	uint64_t bytes = pftrace_bytes(p);
	struct err err;
	FILE *f;

	if (pftrace_close(p, &err))
		fail_msg("%s", err.text);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	assert_int_equal(ftell(f), bytes);
	fclose(f);
	return pflab_lines(path);
}

// The first packets byte by byte, as the wire form of Protocol Buffers has them.
static void the_bytes_are_known(void **state)
{
	static const uint8_t want[] = {
		// packet of 12 bytes: sequence 1, flags 3, first, defaults: of events, nothing
		0x0a, 12, 0x50, 1, 0x68, 3, 0xb8, 0x05, 1, 0xda, 0x03, 2, 0x5a, 0,
		// track 1, "s1", rank 0, children by rank
		0x0a, 17, 0x50, 1, 0x68, 2, 0xe2, 0x03, 10, 0x08, 1, 0x12, 2, 's', '1', 0x60, 0,
		0x58, 3,
		// the name 1 is "CE"
		0x0a, 14, 0x50, 1, 0x68, 2, 0x62, 8, 0x12, 6, 0x08, 1, 0x12, 2, 'C', 'E',
		// 300 ns: an instant on track 1 of that name, with arrow 5
		0x0a, 25, 0x40, 0xac, 0x02, 0x50, 1, 0x68, 2, 0x5a, 16, 0x48, 3, 0x58, 1, 0x50, 1,
		0xf9, 0x02, 5, 0, 0, 0, 0, 0, 0, 0};
	struct pftrace *p = begin();
	const uint32_t arrow = 5;
	struct pftrace_event e = {
		.t = 300999, .type = PFTRACE_INSTANT, .real = NAN, .flow = &arrow, .flows = 1};
	uint8_t got[sizeof(want) + 8];
	struct err err;
	FILE *f;

	(void)state;
	e.track = pftrace_track(p, &(struct pftrace_track){.name = "s1"});
	e.name = pftrace_text(p, PFTRACE_NAME, "CE");
	pftrace_put(p, &e);
	assert_int_equal(pftrace_events(p), 1);
	assert_int_equal(pftrace_close(p, &err), 0);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fread(got, 1, sizeof(got), f), sizeof(want));
	fclose(f);
	assert_memory_equal(got, want, sizeof(want));
}

static void tracks_have_parents_and_units(void **state)
{
	struct pftrace *p = begin();
	uint32_t node = pftrace_track(p, &(struct pftrace_track){.name = "s1", .about = "x"});
	char *lines;

	(void)state;
	pftrace_track(p, &(struct pftrace_track){.name = "queue",
				 .parent = node,
				 .rank = 3,
				 .counter = true,
				 .bytes = true});
	pftrace_track(p, &(struct pftrace_track){.name = "Rc",
				 .parent = node,
				 .rank = 4,
				 .counter = true,
				 .unit = "b/s",
				 .scale = 1000,
				 .axis = "rate"});
	lines = end(p);
	assert_string_equal(lines, "track s1 rank 0\n"
				   "track s1/queue rank 3 counter bytes  x0\n"
				   "track s1/Rc rank 4 counter b/s x1000\n");
	free(lines);
}

static void sequences_share_what_they_have_in_common(void **state)
{
	struct pftrace *p = begin();
	struct pftrace_shared shared = {
		.track = pftrace_track(p, &(struct pftrace_track){.name = "f"}),
		.values = {pftrace_track(p, &(struct pftrace_track){.name = "Rc", .counter = true}),
			pftrace_track(p, &(struct pftrace_track){.name = "Rt", .counter = true})},
		.real = pftrace_track(p, &(struct pftrace_track){.name = "alpha", .counter = true}),
	};
	struct pftrace_event e = {.t = 1000,
		.type = PFTRACE_INSTANT,
		.n_values = 2,
		.value = {1, INT64_MAX},
		.real = 0.5};
	uint64_t before;
	char *lines;

	(void)state;
	e.sequence = pftrace_sequence(p, &shared);
	e.name = pftrace_text(p, PFTRACE_NAME, "decrease");
	e.category = pftrace_text(p, PFTRACE_CATEGORY, "rp");
	pftrace_put(p, &e);
	before = pftrace_bytes(p);
	e.t = 2000;
	e.real = NAN;
	e.n_values = 1;
	pftrace_put(p, &e);
	// packet, instant, sequence, flags, event: type, category, name, value
	assert_int_equal(pftrace_bytes(p) - before, 2 + 2 + 2 + 2 + 2 + 2 + 2 + 2 + 2);
	e = (struct pftrace_event){
		.t = 3000, .type = PFTRACE_COUNTER, .track = shared.real, .real = 0.25};
	pftrace_put(p, &e);
	e = (struct pftrace_event){.t = 4000,
		.type = PFTRACE_COUNTER,
		.track = shared.values[0],
		.real = NAN,
		.whole = 77};
	pftrace_put(p, &e);
	lines = end(p);
	pflab_wants(lines, "1 instant f 'decrease' [rp] Rc:1 Rt:9223372036854775807 alpha:0.5");
	pflab_wants(lines, "2 instant f 'decrease' [rp] Rc:1");
	pflab_wants(lines, "3 counter alpha = 0.25");
	pflab_wants(lines, "4 counter Rc = 77");
	free(lines);
}

// In each sequence, however often.
static void a_text_is_said_once(void **state)
{
	struct pftrace *p = begin();
	struct pftrace_shared shared = {
		.track = pftrace_track(p, &(struct pftrace_track){.name = "f"})};
	uint32_t one = pftrace_sequence(p, &shared), two = pftrace_sequence(p, &shared);
	struct pftrace_event e = {.type = PFTRACE_BEGIN, .real = NAN, .sequence = one};
	uint64_t first, second, third;
	char *lines;

	(void)state;
	e.name = pftrace_text(p, PFTRACE_NAME, "a name of some length");
	assert_int_equal(pftrace_text(p, PFTRACE_NAME, "a name of some length"), e.name);
	assert_int_equal(pftrace_text(p, PFTRACE_KEY, "another one"), 1);
	e.note[e.n_notes++] = (struct pftrace_note){
		.key = 1, .kind = PFTRACE_WORD, .word = pftrace_text(p, PFTRACE_VALUE, "red")};
	e.note[e.n_notes++] = (struct pftrace_note){
		.key = pftrace_text(p, PFTRACE_KEY, "n"), .kind = PFTRACE_UINT, .number = 0};
	e.note[e.n_notes++] = (struct pftrace_note){.key = 2, .kind = PFTRACE_REAL, .real = 1.5};
	e.note[e.n_notes++] =
		(struct pftrace_note){.key = 2, .kind = PFTRACE_LITERAL, .literal = "once"};
	e.whose = pftrace_text(p, PFTRACE_WHOSE, "incast");
	first = pftrace_bytes(p);
	pftrace_put(p, &e);
	second = pftrace_bytes(p);
	pftrace_put(p, &e);
	third = pftrace_bytes(p);
	assert_true(second - first > third - second + 40);
	e.sequence = two;
	e.t = 5000;
	pftrace_put(p, &e);
	lines = end(p);
	pflab_wants(lines, "0 begin f 'a name of some length' [] of incast another one=red n=0 "
			   "n=1.5 n='once'");
	pflab_wants(lines, "5 begin f 'a name of some length' [] of incast another one=red n=0 "
			   "n=1.5 n='once'");
	free(lines);
}

// To whole characters, and to UTF-8 alone.
static void texts_are_made_fit(void **state)
{
	char text[2 * PFTRACE_TEXT] = {0}, want[2 * PFTRACE_TEXT];
	struct pftrace *p = begin();
	struct pftrace_event e = {.type = PFTRACE_INSTANT, .real = NAN};
	char *lines;

	(void)state;
	e.track = pftrace_track(p, &(struct pftrace_track){.name = "s\xff:r\xc3\xa4"});
	e.name = pftrace_text(p, PFTRACE_NAME, "\xe4\n");
	e.note[e.n_notes++] = (struct pftrace_note){.key = pftrace_text(p, PFTRACE_KEY, "k"),
		.kind = PFTRACE_LITERAL,
		.literal = "\x80"};
	pftrace_put(p, &e);
	memset(text, 'x', PFTRACE_TEXT - 1);
	strcat(text, "\xc3\xa4 and more");
	pftrace_track(p, &(struct pftrace_track){.name = text, .about = text});
	lines = end(p);
	pflab_wants(lines, "0 instant s\\xff:r\xc3\xa4 '\\xe4\\x0a' [] k='\\x80'");
	snprintf(want, sizeof(want), "track %.60s rank 0", text);
	pflab_wants(lines, want);
	free(lines);
}

static void what_does_not_fit_is_left_out(void **state)
{
	uint32_t arrow[PFTRACE_FLOWS + 10];
	struct pftrace *p = begin();
	struct pftrace_event e = {.t = TSTAMP_NEVER,
		.type = PFTRACE_END,
		.real = NAN,
		.flow = arrow,
		.flows = PFTRACE_FLOWS + 10};
	unsigned arrows = 0;
	char *lines;

	(void)state;
	for (uint32_t i = 0; i < PFTRACE_FLOWS + 10; i++)
		arrow[i] = i;
	e.track = pftrace_track(p, &(struct pftrace_track){.name = "t"});
	pftrace_put(p, &e);
	lines = end(p);
	for (const char *at = lines; (at = strstr(at, " arrow ")) != NULL; at++)
		arrows++;
	assert_int_equal(arrows, PFTRACE_FLOWS);
	free(lines);
}

static void a_file_that_cannot_be_written_is_named(void **state)
{
	struct pftrace_event e = {.type = PFTRACE_INSTANT, .real = NAN};
	struct pftrace *p = NULL;
	struct err err;

	(void)state;
	assert_true(pftrace_open(&p, "/nowhere/t.pftrace", &err) < 0);
	assert_non_null(strstr(err.text, "/nowhere/t.pftrace: cannot be written"));
	assert_null(p);
	assert_int_equal(pftrace_open(&p, "/dev/full", &err), 0);
	pftrace_put(p, &e);
	assert_true(pftrace_close(p, &err) < 0);
	assert_non_null(strstr(err.text, "/dev/full: incomplete"));
	assert_int_equal(pftrace_close(NULL, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_bytes_are_known),
		cmocka_unit_test(tracks_have_parents_and_units),
		cmocka_unit_test(sequences_share_what_they_have_in_common),
		cmocka_unit_test(a_text_is_said_once),
		cmocka_unit_test(texts_are_made_fit),
		cmocka_unit_test(what_does_not_fit_is_left_out),
		cmocka_unit_test(a_file_that_cannot_be_written_is_named),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
