// SPDX-License-Identifier: BSD-3-Clause
// Figures of a run that goes on: at its end they are those of its summary, nothing of the record
// changes, pages go on where the last one ended, patterns pick.
#include "record_lab.h"

#include <cmocka.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include "report/kind.h"

static struct lab l;
static struct report_live *live;

static int run(void **state)
{
	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE
		"  noise: {from: h2, to: r, class: 0, open_loop: {size: 500, rate: 2%}}\n");
	return lab_run(&l, NULL, 0, false);
}

static int end(void **state)
{
	(void)state;
	report_live_free(live);
	lab_close(&l);
	return 0;
}

struct seen {
	unsigned n, most; // most: of one page
	bool compare;
};

static bool see(void *arg, const char *path, double value, unsigned decimals)
{
	struct seen *s = arg;
	double want = report_value(l.rec, path);

	if (s->most && s->n == s->most)
		return false;
	s->n++;
	assert_true(decimals <= 9);
	if (s->compare && value != want)
		fail_msg("%s is %g, not %g", path, value, want);
	return true;
}

// The world of the lab stands still when it has run, and its nodes are gone: what is made once more
// is of kinds that read the record alone.
static void a_walk_is_complete(void **state)
{
	struct report_live *all = (struct report_live *)l.rec->sum;
	struct seen once = {.compare = true}, pages = {.most = 37};
	unsigned from = 0, rounds = 0, n = 0;

	(void)state;
	assert_int_equal(report_live_each(all, "", 0, see, &once), 0);
	assert_true(once.n > 300);
	do {
		pages.n = 0;
		from = report_live_each(all, "", from, see, &pages);
		n += pages.n;
		rounds++;
	} while (from);
	assert_int_equal(n, once.n);
	assert_int_equal(rounds, (once.n + 36) / 37);
}

static unsigned fitting(const char *pattern)
{
	struct seen s = {.compare = true};

	report_live_each((struct report_live *)l.rec->sum, pattern, 0, see, &s);
	return s.n;
}

static void patterns_pick(void **state)
{
	(void)state;
	assert_int_equal(fitting("queue.s1:r.3.p99_bytes"), 1);
	assert_int_equal(fitting("flow.*.goodput_gbps"), 2);
	assert_int_equal(fitting("total.drops"), 1);
	assert_int_equal(fitting("nothing.*"), 0);
	assert_true(fitting("queue.*") > fitting("queue.s1:r.3.*"));
}

static void a_path_tells_its_row(void **state)
{
	struct report_row r;

	(void)state;
	assert_true(report_row("queue.s1:r.3.p99_bytes", &r));
	assert_string_equal(r.word, "queue");
	assert_memory_equal(r.object, "s1:r.3", r.object_len);
	assert_string_equal(r.figure, "p99_bytes");
	assert_string_equal(r.unit, "bytes");
	assert_false(r.counts);
	assert_true(report_row("total.drops", &r));
	assert_null(r.object);
	assert_true(r.counts);
	assert_true(report_row("flow.incast[h1>r.0].rp_decrease", &r));
	assert_string_equal(r.figure, "rp_decrease");
	assert_false(report_row("drops", &r));
	assert_false(report_row("queue.s1:r.3.nothing", &r));
	assert_false(report_row("nothing.s1.tx_frames", &r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_walk_is_complete),
		cmocka_unit_test(patterns_pick),
		cmocka_unit_test(a_path_tells_its_row),
	};

	return cmocka_run_group_tests(tests, run, end);
}
