// SPDX-License-Identifier: BSD-3-Clause
// The progress of a run: its numbers against the summary of the same instant, its line at widths of
// terminals.
#include "record_lab.h"

#include <math.h>

static struct live_progress seen, twice;

int __real_report_close(
	struct report **out, struct record *r, const struct record_run *run, struct err *err);
int __wrap_report_close(
	struct report **out, struct record *r, const struct record_run *run, struct err *err);

// At the end of a run, while its nodes are there.
int __wrap_report_close(
	struct report **out, struct record *r, const struct record_run *run, struct err *err)
{
	seen = (struct live_progress){0};
	live_progress(r, run->end, &seen);
	twice = seen;
	twice.now -= PS_PER_MS; // as if the line before had been there, 125,000 bytes ago
	twice.rx_bytes -= 125000;
	live_progress(r, run->end, &twice);
	return __real_report_close(out, r, run, err);
}

static double v(const struct lab *l, const char *path)
{
	return report_value(l->rec, path);
}

static void totals_are_the_summarys(const struct lab *l)
{
	assert_int_equal(seen.now, l->scene->duration);
	assert_int_equal(seen.end, l->scene->duration);
	assert_true((double)seen.drops == v(l, "total.drops_total"));
	assert_true((double)seen.pauses == v(l, "total.pauses"));
	assert_float_equal(seen.goodput_gbps, v(l, "total.goodput_gbps"), 1e-6);
	assert_float_equal(twice.goodput_gbps, 1, 1e-9);
	assert_int_equal(twice.drops, seen.drops);
	assert_int_equal(twice.pauses, seen.pauses);
	assert_string_equal(twice.fullest, seen.fullest);
}

static void the_fullest_group_against_its_xoff(void **state)
{
	const struct scene_set set[] = {{"warmup", "0us"}, {"flows.incast.control", "none"}};
	struct lab l;
	double most = 0;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, set, 2, false), 0);
	totals_are_the_summarys(&l);
	assert_true(seen.pauses > 10);
	for (unsigned i = 1; i <= 2; i++) {
		char path[64], name[16];
		double held, xoff;

		snprintf(path, sizeof(path), "pg.s1:h%u.3.held_bytes", i);
		held = v(&l, path);
		snprintf(path, sizeof(path), "pg.s1:h%u.3.xoff_bytes", i);
		xoff = v(&l, path);
		snprintf(name, sizeof(name), "s1:h%u.3", i);
		most = fmax(most, 100 * held / xoff);
		if (!strcmp(name, seen.fullest))
			assert_true((double)seen.held_bytes == held);
	}
	assert_true(most > 10);
	assert_float_equal(seen.xoff_percent, most, 1e-9);
	lab_close(&l);
}

#define LOSSY                                                                  \
	"name: lossy\n"                                                        \
	"duration: 500us\n"                                                    \
	"switches: {s1: {buffer: 4MB, classes: {0: {drop: {limit: 20KB}}}}}\n" \
	"hosts: {h1..2: {}, r: {}}\n"                                          \
	"links: [{between: [[h1..2, r], s1], rate: 25Gbps, delay: 1us}]\n"     \
	"flows: {f: {from: h1..2, to: r, class: 0, open_loop: {size: 1000, rate: 100%}}}\n"

static void without_groups_the_longest_queue(void **state)
{
	struct lab l;

	(void)state;
	lab_open(&l, LOSSY);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	assert_int_equal(seen.now, l.scene->duration);
	assert_true((double)seen.drops == v(&l, "total.drops_total") && seen.drops > 100);
	assert_int_equal(seen.pauses, 0);
	assert_true(seen.xoff_percent < 0);
	assert_string_equal(seen.fullest, "s1:r.0");
	assert_true((double)seen.held_bytes == v(&l, "queue.s1:r.0.length_bytes"));
	assert_true(seen.held_bytes > 15000);
	lab_close(&l);
}

static void shows(const struct live_progress *p, double left_s, unsigned columns, const char *want)
{
	char buf[256];

	assert_string_equal(live_progress_text(p, left_s, columns, buf, sizeof(buf)), want);
	assert_true(strlen(buf) < columns);
}

static void the_line_fits_the_terminal(void **state)
{
	struct live_progress p = {.now = 12340 * PS_PER_US,
		.end = 20 * PS_PER_MS,
		.goodput_gbps = 91.23,
		.drops = 0,
		.pauses = 1234,
		.fullest = "s1:h3.3",
		.xoff_percent = 81.6,
		.held_bytes = 80000};
	char small[16];

	(void)state;
	shows(&p, 15.2, 120,
		"12.3 of 20 ms  15 s to go  91.2 Gb/s  s1:h3.3 at 82 % of XOFF  0 drops  "
		"1234 pauses");
	shows(&p, 15.2, 80,
		"12.3 of 20 ms  15 s to go  91.2 Gb/s  s1:h3.3 at 82 % of XOFF  0 drops");
	shows(&p, 15.2, 40, "12.3 of 20 ms  15 s to go  91.2 Gb/s");
	shows(&p, 15.2, 10, "");
	shows(&p, -1, 80,
		"12.3 of 20 ms  91.2 Gb/s  s1:h3.3 at 82 % of XOFF  0 drops  1234 pauses");
	// A part that does not fit is the last one, also where a shorter one stands behind it.
	shows(&p, 15.2, 50, "12.3 of 20 ms  15 s to go  91.2 Gb/s");
	p.xoff_percent = -1;
	p.drops = p.pauses = 1;
	shows(&p, 0, 120,
		"12.3 of 20 ms  0 s to go  91.2 Gb/s  s1:h3.3 holds 80.0 KB  1 drop  1 pause");
	*p.fullest = '\0';
	p.end = 20 * PS_PER_S;
	p.goodput_gbps = 391.2;
	shows(&p, 0, 120, "12 of 20000 ms  0 s to go  391 Gb/s  1 drop  1 pause");
	assert_string_equal(live_progress_text(&p, 0, 120, small, sizeof(small)), "12 of 20000 ms");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fullest_group_against_its_xoff),
		cmocka_unit_test(without_groups_the_longest_queue),
		cmocka_unit_test(the_line_fits_the_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
