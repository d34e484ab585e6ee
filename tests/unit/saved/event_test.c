// SPDX-License-Identifier: BSD-3-Clause
// Events read back: every column, both forms alike, lines that are none, ports and their peers.
#include "saved_lab.h"

#define NONE SAVED_NONE

static void every_column(void **state)
{
	static struct lab l;
	const struct saved_ev *e;
	struct saved *s;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	put(&l, "summary.json", SUMMARY);
	put(&l, "events.csv",
		EVENT_HEAD "1.000001,mark,s1:r,3,f[a>b.0],,,5000,,77,,,\n"
			   "2,rp,a:s1,,f[a>b.0],decrease,,,,,12.5,25,0.5\n"
			   "2,xoff_tx,s1:a,,,0x08,,,65535,,,,\n"
			   "3,drop,s1:a,3,,tail,1000,2000,,,,,\n");
	s = read_back(&l);
	assert_true(saved_events(s));
	e = saved_next(s);
	assert_int_equal(e->t, 1000001);
	assert_int_equal(e->type, EV_MARK);
	assert_int_equal(e->cls, 3);
	assert_string_equal(saved_object(s, e->object), "s1:r");
	assert_string_equal(saved_flow(s, (unsigned)e->flow), "f[a>b.0]");
	assert_string_equal(e->detail, "");
	assert_true(e->bytes == NONE && e->queue_bytes == 5000 && e->psn == 77);
	assert_true(e->quanta == NONE && isnan(e->rc_gbps));
	e = saved_next(s);
	assert_int_equal(e->type, EV_RP);
	assert_int_equal(e->cls, -1);
	assert_int_equal(e->flow, 0);
	assert_string_equal(e->detail, "decrease");
	assert_true(e->rc_gbps == 12.5 && e->rt_gbps == 25 && e->alpha == 0.5);
	e = saved_next(s);
	assert_true(e->type == EV_XOFF_TX && e->quanta == 65535 && e->flow == -1);
	assert_string_equal(e->detail, "0x08");
	e = saved_next(s);
	assert_true(e->type == EV_DROP && e->bytes == 1000 && e->queue_bytes == 2000);
	assert_int_equal(saved_object(s, 2) == saved_object(s, e->object), 1);
	assert_null(saved_next(s));
	assert_null(saved_next(s));
	misses_nothing(s);
	// Once more from the first.
	assert_true(saved_events(s));
	assert_int_equal(saved_next(s)->t, 1000001);
	assert_int_equal(saved_objects(s), 3);
	assert_int_equal(saved_flows(s), 1);
	saved_close(s);
	lab_close(&l);
}

static void lines_that_are_none(void **state)
{
	static struct lab l;
	struct saved *s;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	put(&l, "summary.json", SUMMARY);
	put(&l, "events.csv",
		EVENT_HEAD "x,mark,s1:r,3,,,,,,,,,\n"
			   "1,mark,s1:r,8,,,,,,,,,\n"
			   "1,mark,,3,,,,,,,,,\n"
			   "1,mark,s1:r,3,,,,,,,,\n"
			   "1,mark,s1:r,3,,,-1,,,,,,\n"
			   "1,sneeze,s1:r,3,,,,,,,,,\n"
			   "4,mark,s1:r,3,,,,,,,,,\n"
			   "5,mark,s1:r,3,,,");
	s = read_back(&l);
	assert_true(saved_events(s));
	assert_int_equal(saved_next(s)->t, 4 * PS_PER_US);
	assert_null(saved_next(s));
	assert_true(misses(s, "events.csv has 5 lines that cannot be read, the first of which is "
			      "line 2."));
	assert_true(misses(s, "1 event of types that this program does not know"));
	assert_true(misses(s, "events.csv ends within line 9."));
	saved_close(s);
	put(&l, "events.csv", "time_us,what\n");
	s = read_back(&l);
	assert_false(saved_events(s));
	assert_null(saved_next(s));
	assert_true(misses(s, "events.csv does not begin with the names of its columns."));
	saved_close(s);
	put(&l, "events.csv", "");
	s = read_back(&l);
	assert_false(saved_events(s));
	saved_close(s);
	lab_close(&l);
}

struct seen {
	struct saved_ev e;
	char object[32], flow[32], detail[32];
};

static unsigned all(struct lab *l, const char *format, struct seen *seen, unsigned most)
{
	struct scene_set set[] = {{"record.format", format}};
	const struct saved_ev *e;
	struct saved *s;
	unsigned n = 0;

	lab_open(l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(l, set, 1, false), 0);
	s = read_back(l);
	assert_true(saved_events(s));
	while ((e = saved_next(s)) != NULL) {
		assert_true(n < most);
		seen[n].e = *e;
		seen[n].e.detail = NULL;
		snprintf(seen[n].object, sizeof(seen[n].object), "%s", saved_object(s, e->object));
		snprintf(seen[n].flow, sizeof(seen[n].flow), "%s",
			e->flow < 0 ? "" : saved_flow(s, (unsigned)e->flow));
		snprintf(seen[n].detail, sizeof(seen[n].detail), "%s", e->detail);
		n++;
	}
	misses_nothing(s);
	saved_close(s);
	lab_close(l);
	return n;
}

static void both_forms_alike(void **state)
{
	enum { MOST = 20000 };
	static struct lab l;
	struct seen *csv = calloc(MOST, sizeof(*csv)), *bin = calloc(MOST, sizeof(*bin));
	unsigned n;

	(void)state;
	n = all(&l, "csv", csv, MOST);
	assert_true(n > 100);
	assert_int_equal(all(&l, "binary", bin, MOST), n);
	assert_memory_equal(csv, bin, n * sizeof(*csv));
	free(csv);
	free(bin);
}

static void a_binary_file_that_ends_too_early(void **state)
{
	static struct lab l;
	char path[160];
	struct saved *s;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	put(&l, "summary.json", SUMMARY);
	put(&l, "events.bin", "quenchev");
	s = read_back(&l);
	assert_false(saved_events(s));
	assert_true(misses(s, "events.bin"));
	saved_close(s);
	lab_close(&l);

	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, &(struct scene_set){"record.format", "binary"}, 1, false), 0);
	snprintf(path, sizeof(path), "%s/events.bin", l.out);
	assert_int_equal(truncate(path, 30000), 0);
	s = read_back(&l);
	if (saved_events(s))
		while (saved_next(s))
			;
	assert_true(misses(s, "events.bin"));
	saved_close(s);
	lab_close(&l);
}

static void peers(void **state)
{
	static const char *const pairs[][2] = {
		{"s1:r", "r:s1"},
		{"s1:s2.2", "s2:s1.2"},
		{"leaf:spine.12", "spine:leaf.12"},
	};
	static struct lab l;
	struct saved *s;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	put(&l, "events.csv",
		EVENT_HEAD "1,pause_rx,s1:r,3,,,,,1,,,,\n"
			   "1,pause_rx,s1:s2.2,3,,,,,1,,,,\n"
			   "1,pause_rx,leaf:spine.12,3,,,,,1,,,,\n"
			   "1,pause_rx,nowhere,3,,,,,1,,,,\n");
	s = read_back(&l);
	assert_true(saved_events(s));
	while (saved_next(s))
		;
	for (unsigned i = 0; i < 3; i++) {
		int peer = saved_peer(s, i);

		assert_string_equal(saved_object(s, i), pairs[i][0]);
		assert_string_equal(saved_object(s, (unsigned)peer), pairs[i][1]);
		assert_int_equal(saved_peer(s, (unsigned)peer), (int)i);
	}
	assert_int_equal(saved_peer(s, 3), -1);
	assert_int_equal(saved_peer(s, 1000), -1);
	saved_close(s);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_column),
		cmocka_unit_test(lines_that_are_none),
		cmocka_unit_test(both_forms_alike),
		cmocka_unit_test(a_binary_file_that_ends_too_early),
		cmocka_unit_test(peers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
