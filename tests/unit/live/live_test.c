// SPDX-License-Identifier: BSD-3-Clause
// Figures of a run that goes on: which patterns a path fits, pages of one moment, and the same
// values as at the end.
#include "record_lab.h"

#include <math.h>

#include "live/live.h"
#include "report/int.h"
#include "summary/summary.h"

static void a_path_fits_itself_and_patterns(void **state)
{
	(void)state;
	assert_true(live_path_fits("", "total.drops"));
	assert_true(live_path_fits("total.drops", "total.drops"));
	assert_false(live_path_fits("total.drops", "total.drops_total"));
	assert_true(live_path_fits("queue.*.length_bytes", "queue.s1:r.3.length_bytes"));
	assert_false(live_path_fits("queue.*.length_bytes", "queue.s1:r.3.max_bytes"));
	assert_true(live_path_fits("pg.x.y,queue.*", "queue.s1:r.3.max_bytes"));
	assert_true(live_path_fits("queue.*,pg.x.y", "queue.s1:r.3.max_bytes"));
	assert_false(live_path_fits("pg.x.y,pg.*", "queue.s1:r.3.max_bytes"));
	// Brackets of a name are text where the path is the same, as they are to be for fnmatch.
	assert_true(live_path_fits("flow.f[h1>r].alpha", "flow.f[h1>r].alpha"));
	assert_true(live_path_fits("flow.f\\[h1>r].*", "flow.f[h1>r].alpha"));
	assert_true(live_path_fits("flow.f[12].alpha", "flow.f1.alpha"));
	assert_false(live_path_fits("flow.f[12].alpha", "flow.f3.alpha"));
}

static struct lab l;

static int run(void **state)
{
	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	return lab_run(&l, NULL, 0, false);
}

static int end(void **state)
{
	(void)state;
	lab_close(&l);
	return 0;
}

// As a summary that live_make has made.
static const struct live *live(void)
{
	return (const struct live *)l.rec->sum;
}

struct seen {
	unsigned n, most;
	char last[256];
};

static bool see(void *arg, const char *path, double value, unsigned decimals)
{
	struct seen *s = arg;
	double want = report_value(l.rec, path);

	if (s->n == s->most)
		return false;
	s->n++;
	snprintf(s->last, sizeof(s->last), "%s", path);
	assert_true(decimals < 10);
	if (!(value == want) && !isinf(value))
		fail_msg("%s is %g, %g at the end", path, value, want);
	return true;
}

static void every_figure_has_the_value_of_its_path(void **state)
{
	struct seen s = {.most = 100000};

	(void)state;
	assert_int_equal(live_at(live()), 2 * PS_PER_MS);
	assert_int_equal(live_each(live(), "", 0, see, &s), 0);
	assert_true(s.n > 300);
}

static void pages_have_each_figure_once(void **state)
{
	struct seen all = {.most = 100000}, page;
	unsigned n = 0, from = 0, pages = 0;

	(void)state;
	live_each(live(), "queue.*,pg.*", 0, see, &all);
	do {
		page = (struct seen){.most = 7};
		from = live_each(live(), "queue.*,pg.*", from, see, &page);
		n += page.n;
		pages++;
	} while (from);
	assert_int_equal(n, all.n);
	assert_string_equal(page.last, all.last);
	assert_int_equal(pages, (all.n + 6) / 7);
}

// Counts the figures whose paths fit, each by itself.
static bool count_fitting(void *arg, const char *path, double value, unsigned decimals)
{
	const char *patterns = ((const char **)arg)[0];
	unsigned *n = ((unsigned **)arg)[1];

	(void)value;
	(void)decimals;
	*n += live_path_fits(patterns, path);
	return true;
}

// Kinds that no pattern can fit are left out, and no other one.
static void a_pattern_fits_whatever_its_first_word_is(void **state)
{
	static const char *const patterns[] = {"queue.*", "q*.length_bytes", "[lp]*", "?otal.drops",
		"*", "pfc*.xoff_frames", "total.drops,link.*.rate_bps,nothing.*", "nothing.*",
		"que", "queue", "queue.s1:r.3.p99_bytes,bin.*", "\\queue.*", ",", "pg.*,,total.*"};

	(void)state;
	for (unsigned i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		struct seen s = {.most = 100000};
		unsigned n = 0;

		live_each(live(), "", 0, count_fitting, (void *[]){(void *)patterns[i], &n});
		live_each(live(), patterns[i], 0, see, &s);
		if (s.n != n)
			fail_msg("%s: %u figures, %u fit", patterns[i], s.n, n);
	}
}

static void a_path_tells_its_row(void **state)
{
	struct summary_row r;

	(void)state;
	assert_true(summary_row("queue.s1:r.3.p99_bytes", &r));
	assert_string_equal(r.word, "queue");
	assert_memory_equal(r.object, "s1:r.3", r.object_len);
	assert_string_equal(r.figure, "p99_bytes");
	assert_string_equal(r.unit, "bytes");
	assert_false(r.counts);
	assert_true(summary_row("total.drops", &r));
	assert_null(r.object);
	assert_true(r.counts);
	assert_true(summary_row("flow.incast[h1>r.0].rp_decrease", &r));
	assert_string_equal(r.figure, "rp_decrease");
	assert_false(summary_row("drops", &r));
	assert_false(summary_row("queue.s1:r.3.nothing", &r));
	assert_false(summary_row("nothing.s1.tx_frames", &r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_fits_itself_and_patterns),
		cmocka_unit_test(every_figure_has_the_value_of_its_path),
		cmocka_unit_test(pages_have_each_figure_once),
		cmocka_unit_test(a_pattern_fits_whatever_its_first_word_is),
		cmocka_unit_test(a_path_tells_its_row),
	};

	return cmocka_run_group_tests(tests, run, end);
}
