// SPDX-License-Identifier: BSD-3-Clause
// Figures that only events tell: runs whose events nobody takes have all other figures all the
// same.
#include "scene_lab.h"

#include <math.h>

#include "record/record.h"
#include "report/int.h"
#include "summary/summary.h"
#include "tally/tally.h"
#include "vt/vt.h"

static bool withheld;

void __real_record_stat_init(struct record *r);
void __wrap_record_stat_init(struct record *r);

static void pass_by(struct record *r, const struct ev *e)
{
	(void)r;
	(void)e;
}

void __wrap_record_stat_init(struct record *r)
{
	__real_record_stat_init(r);
	for (unsigned i = 0; i < EV_TYPES && withheld; i++)
		r->take[i] = pass_by;
}

static struct report *run(struct scene **s, const char *file, bool without)
{
	static const struct scene_set set[] = {{"duration", "2ms"}, {"warmup", "500us"}};
	const struct scene_opts so = {.set = set, .n_set = 2};
	const struct vt_opts vo = {.record = {.no_files = true}};
	struct report *r = NULL;

	withheld = without;
	if (compile_scene(s, file, &so, &lab_err) || vt_run(*s, &vo, &r, &lab_err))
		fail_msg("%s", lab_err.text);
	return r;
}

static bool same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

// Figures of one object that both runs have, or one of them; how many of them differ.
static unsigned hold(const struct report *a, const struct report *b, unsigned word,
	const char *object, unsigned *told)
{
	unsigned differ = 0;
	const char *name;

	for (unsigned i = 0; (name = summary_path_name(word, i)); i++) {
		char path[SUMMARY_PATH];
		struct summary_row row;

		snprintf(path, sizeof(path), "%s%s%s.%s", summary_path_word(word),
			*object ? "." : "", object, name);
		assert_true(summary_figure_row(path, &row));
		*told += row.of_events;
		if (same(report_value(a, path), report_value(b, path)))
			continue;
		differ++;
		if (!row.of_events)
			fail_msg("%s is %g with events and %g without", path, report_value(a, path),
				report_value(b, path));
	}
	return differ;
}

// Reconciliation has a verdict of its own.
static void every_other_figure_is_whole(void **state)
{
	static const char *const files[] = {CONFIG "/first-light.yaml", CONFIG "/qcn-step.yaml",
		CONFIG "/iqcn-long-path.yaml", CONFIG "/fast-cnp.yaml",
		CONFIG "/storm-watchdog.yaml", CONFIG "/rdma-ip.yaml", CONFIG "/open-loop.yaml",
		CONFIG "/deadlock-ring.yaml", CONFIG "/timely.yaml", CONFIG "/round-trip.yaml",
		CONFIG "/wred.yaml", CONFIG "/incast-8to1-100g.yaml"};
	unsigned differ = 0, told = 0;

	(void)state;
	for (unsigned f = 0; f < sizeof(files) / sizeof(files[0]); f++) {
		struct scene *s = NULL, *t = NULL;
		struct report *a = run(&s, files[f], false), *b = run(&t, files[f], true);

		for (unsigned k = 0; k < KINDS; k++) {
			const struct set *set = &a->sum->set[k];
			char buf[KIND_NAME];

			if (!summary_path_word(k) || k == KIND_RECON)
				continue;
			for (unsigned i = 0; i < set->n; i++)
				differ += hold(a, b, k,
					summary_kind[k]->single
						? ""
						: kind_name(summary_kind[k], set_at(set, i), buf),
					&told);
		}
		report_free(a);
		report_free(b);
		scene_free(s);
		scene_free(t);
	}
	assert_true(differ > 200);
	printf("%u figures differ of %u that events tell\n", differ, told);
}

static void short_paths_are_known(void **state)
{
	static const struct {
		const char *path;
		bool of_events;
	} row[] = {{"fct_p99_us", true}, {"total.slowdown_p50", true}, {"main.rc_mean_gbps", true},
		{"pfc.h1:s1.3.episode_max_us", true}, {"cnp.qp.x.cnp_missing", true},
		{"drops", false}, {"jain", false}, {"marks", false}, {"goodput_gbps", false},
		{"bottleneck.p99_bytes", false}, {"pfc.h1:s1.3.xoff_frames", false},
		{"utilization", false}};

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct summary_row r;

		assert_true(summary_figure_row(row[i].path, &r));
		assert_int_equal(r.of_events, row[i].of_events);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_other_figure_is_whole),
		cmocka_unit_test(short_paths_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
