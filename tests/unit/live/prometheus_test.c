// SPDX-License-Identifier: BSD-3-Clause
// Names and values of figures in Prometheus' format: of every figure of every kind, and worked
// ones.
#include "live/live.h"
#include "summary/summary.h"

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FIGURES 2000

static void row_of(const char *path, struct summary_row *row)
{
	if (!summary_row(path, row))
		fail_msg("%s is not known", path);
}

// Each figure of each kind, once.
static unsigned all(struct summary_row *row)
{
	unsigned n = 0;

	for (unsigned k = 0; k < KINDS; k++) {
		const char *name;

		for (unsigned i = 0; summary_path_word(k) && (name = summary_path_name(k, i));
			i++) {
			static char path[FIGURES][128];

			assert_true(n < FIGURES);
			snprintf(path[n], sizeof(path[n]), "%s.%s%s", summary_path_word(k),
				summary_path_has_objects(k) ? "a." : "", name);
			row_of(path[n], &row[n]);
			n++;
		}
	}
	return n;
}

static bool has_word(const char *name, const char *word)
{
	for (const char *at = name; *at;) {
		size_t n = strcspn(at, "_");

		if (n == strlen(word) && !strncmp(at, word, n))
			return true;
		at += n + (at[n] == '_');
	}
	return false;
}

static bool ends(const char *name, const char *end)
{
	return strlen(name) > strlen(end) && !strcmp(name + strlen(name) - strlen(end), end);
}

// Names that promtool's linter complains about.
static void every_name_is_legal(void **state)
{
	static const char *const never[] = {"s", "ms", "us", "ns", "sec", "b", "kb", "mb", "gb",
		"tb", "pb", "m", "h", "d", "ps", "bits", "gbps", "bps", "percent", "minutes",
		"hours", "counter", "gauge", "histogram", "summary"};
	static struct summary_row row[FIGURES];
	unsigned n = all(row);

	(void)state;
	assert_true(n > 500);
	for (unsigned i = 0; i < n; i++) {
		struct prometheus p;

		live_prometheus_of(&row[i], &p);
		assert_true(strlen(p.name) + 1 < PROMETHEUS_NAME);
		assert_int_equal(strncmp(p.name, "quench_", 7), 0);
		for (const char *c = p.name; *c; c++)
			assert_true(islower(*c) || isdigit(*c) || *c == '_');
		for (unsigned k = 0; k < sizeof(never) / sizeof(never[0]); k++)
			if (has_word(p.name, never[k]))
				fail_msg("%s has '%s'", p.name, never[k]);
		if (ends(p.name, "_total") != p.counter || ends(p.name, "_count") ||
			ends(p.name, "_sum") || ends(p.name, "_bucket"))
			fail_msg("%s", p.name);
		assert_true(*row[i].meaning);
	}
}

static void no_two_figures_have_one_name(void **state)
{
	static struct summary_row row[FIGURES];
	static struct prometheus p[FIGURES];
	unsigned n = all(row);

	(void)state;
	for (unsigned i = 0; i < n; i++) {
		live_prometheus_of(&row[i], &p[i]);
		for (unsigned k = 0; k < i; k++) {
			// Kinds that share a word share figures too.
			bool same = !strcmp(row[i].word, row[k].word) &&
				    !strcmp(row[i].figure, row[k].figure);

			if (!same && !strcmp(p[i].name, p[k].name))
				fail_msg("%s.%s and %s.%s are both %s", row[k].word, row[k].figure,
					row[i].word, row[i].figure, p[i].name);
		}
	}
}

static void names_and_units_by_hand(void **state)
{
	static const struct {
		const char *path, *name;
		double factor;
		bool counter;
	} want[] = {
		{"queue.s1:r.3.length_bytes", "quench_queue_length_bytes", 1, false},
		{"queue.s1:r.3.max_bytes", "quench_queue_max_bytes", 1, false},
		{"queue.s1:r.3.tx_bytes", "quench_queue_tx_bytes_total", 1, true},
		{"queue.s1:r.3.dropped_bytes", "quench_queue_dropped_bytes_total", 1, true},
		{"queue.s1:r.3.ecn_marked_frames", "quench_queue_ecn_marked_frames_total", 1, true},
		{"queue.s1:r.3.max_at_us_total", "quench_queue_max_at_seconds_whole_run", 1e-6,
			false},
		{"queue.s1:r.3.empty_percent", "quench_queue_empty_ratio", 0.01, false},
		{"total.drops", "quench_total_drops_total", 1, true},
		{"total.drops_total", "quench_total_drops_whole_run_total", 1, true},
		{"total.marks", "quench_total_marks_total", 1, true},
		{"total.pause_ps", "quench_total_pause_seconds_total", 1e-12, true},
		{"total.goodput_gbps", "quench_total_goodput_bytes_per_second", 125e6, false},
		{"flow.a.avg_latency", "quench_flow_avg_latency_seconds", 1e-9, false},
		{"flow.a.data_tx_rate", "quench_flow_data_tx_rate_bytes_per_second", 125e6, false},
		{"flow.a.alpha", "quench_flow_alpha", 1, false},
		{"flow.a.frame_delta", "quench_flow_frame_delta", 1, false},
		{"flow.a.pace_err_frames", "quench_flow_pace_err_frames", 1, false},
		{"link.s1:r.rate_bps", "quench_link_rate_bytes_per_second", 0.125, false},
		{"pfc.h1:s1.3.pause_effective_us", "quench_pfc_pause_effective_seconds_total", 1e-6,
			true},
		{"pfc_tx.s1:h1.3.b_after_p50_bytes", "quench_pfc_tx_after_p50_bytes", 1, false},
		{"iqcn.s1:r.cnp_tx_per_s", "quench_iqcn_cnp_tx_per_second", 1, false},
		{"drop.tail", "quench_drops_tail_total", 1, true},
		{"nic_drop.not_for_us", "quench_nic_drops_not_for_self_total", 1, true},
		{"nic.h1.drop_no_qp", "quench_nic_drop_no_qp_total", 1, true},
		{"source.n.in_flight", "quench_source_in_flight", 1, false},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct summary_row row;
		struct prometheus p;

		row_of(want[i].path, &row);
		live_prometheus_of(&row, &p);
		assert_string_equal(p.name, want[i].name);
		assert_float_equal(p.factor / want[i].factor, 1, 1e-12);
		assert_int_equal(p.counter, want[i].counter);
		assert_int_equal(live_counts(&row), want[i].counter);
	}
}

static void families_stand_together(void **state)
{
	static const struct live_sample list[] = {
		{"queue.s1:a.3.length_bytes", 1500},
		{"queue.s1:a.3.tx_frames", 7},
		{"queue.s\"1\\:b.3.length_bytes", 0},
		{"nothing.like.it", 3},
		{"total.goodput_gbps", 8},
		{"group.g.t_conv_us_total", INFINITY},
		{"queue.s1:b.3.tx_frames", 12345678901234.0},
	};
	static const char want[] =
		"# HELP quench_group_t_conv_seconds_whole_run convergence time: from the onset to "
		"the end of the last millisecond in which a flow of the group was further off; "
		"`null` where none was judged or it never converged\n"
		"# TYPE quench_group_t_conv_seconds_whole_run gauge\n"
		"quench_group_t_conv_seconds_whole_run{object=\"g\",instance=\"i\\\\\","
		"scenario=\"s\"} +Inf\n"
		"# HELP quench_queue_length_bytes its length at the end, or now while the run goes "
		"on\n"
		"# TYPE quench_queue_length_bytes gauge\n"
		"quench_queue_length_bytes{object=\"s1:a.3\",instance=\"i\\\\\",scenario=\"s\"} "
		"1500\n"
		"quench_queue_length_bytes{object=\"s\\\"1\\\\:b.3\",instance=\"i\\\\\","
		"scenario=\"s\"} 0\n"
		"# HELP quench_queue_tx_frames_total frames sent\n"
		"# TYPE quench_queue_tx_frames_total counter\n"
		"quench_queue_tx_frames_total{object=\"s1:a.3\",instance=\"i\\\\\",scenario=\"s\"} "
		"7\n"
		"quench_queue_tx_frames_total{object=\"s1:b.3\",instance=\"i\\\\\",scenario=\"s\"} "
		"12345678901234\n"
		"# HELP quench_total_goodput_bytes_per_second payload that arrived in order, all "
		"flows\n"
		"# TYPE quench_total_goodput_bytes_per_second gauge\n"
		"quench_total_goodput_bytes_per_second{instance=\"i\\\\\",scenario=\"s\"} "
		"1000000000\n";
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	assert_non_null(f);
	assert_int_equal(live_prometheus(f, list, sizeof(list) / sizeof(list[0]), "i\\", "s"), 0);
	fclose(f);
	assert_string_equal(text, want);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name_is_legal),
		cmocka_unit_test(no_two_figures_have_one_name),
		cmocka_unit_test(names_and_units_by_hand),
		cmocka_unit_test(families_stand_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
