// SPDX-License-Identifier: BSD-3-Clause
// Paths of figures. Before a run: what is said of each part that is wrong; the names and the
// objects are those that a run has. After it: each kind of object, the short names, and NAN for
// what is not there.
#include "scene_lab.h"
#include "record_lab.h"

#include <math.h>

#include "report/int.h"
#include "summary/summary.h"

#define SCENE                                                                                \
	"duration: 1ms\n"                                                                    \
	"switches: {s1: {buffer: 4MB, classes: {3: {lossless: true, wred: {min: 10KB, max: " \
	"20KB}}}}}\n"                                                                        \
	"hosts: {h1..2: {}, receiver-of-all: {}, x: {}}\n"                                   \
	"links: [{between: [[h1..2, receiver-of-all, x], s1], rate: 25Gbps, delay: 1us}]\n"  \
	"flows:\n"                                                                           \
	"  incast: {from: h1..2, to: receiver-of-all}\n"                                     \
	"  two: {from: h1, to: [receiver-of-all, x]}\n"                                      \
	"  noise: {from: h2, to: x, class: 0, open_loop: {size: 500, rate: 2%}}\n"

static void what_is_known(void **state)
{
	static const char *const path[] = {"drops", "total.drops", "jain", "deadlocks",
		"utilization", "drop.wred", "nic_drop.rxbuf", "main.fct_p99_us",
		"bottleneck.p99_bytes", "group.incast.jain", "group.two>x.goodput_gbps",
		"flow.incast[h1>receiver-of-all.0].rc_gbps", "size.0.fct_p50_us",
		"queue.s1:x.3.p99_bytes", "queue.h1:s1.3.max_bytes", "marking.s1:x.3.pmax",
		"bin.s1:x.3.65.ect_frames", "pfc.s1:x.7.xoff_frames", "pfc_tx.s1:h1.3.answers",
		"pg.s1:h1.3.shared_max_bytes_total", "deadlock.0.since_us",
		"cnp.qp.incast[h1>receiver-of-all.0].cnp_tx", "cnp.ip_pair.x>h1.cnp_rx",
		"cnp.port.x.pass", "np.x.pass", "link.s1:x.tx_gbps", "link.x:s1.tx_gbps",
		"source.noise[h2>x].lost", "port.s1:x.tx_frames", "nic.h1.rx_icrc_errors",
		"buffer.s1.used_bytes", "instrument.packet_hops", "pfc.s1:x.7.running_us",
		"pg.s1:h1.3.held_bytes", "group.incast.off_pace", "queue.s1:x.3.p999_bytes",
		"main.worst_pace_percent", "total.not_ect_marks", "replay_unsent_frames"};
	struct scene *s = lab(SCENE);

	(void)state;
	for (unsigned i = 0; i < sizeof(path) / sizeof(path[0]); i++)
		if (summary_path_check(s, path[i], &lab_err))
			fail_msg("%s", lab_err.text);
	scene_free(s);
}

// A group that has flows of all destinations is called without one: so are its bins.
static void a_pooled_group(void **state)
{
	static const char *const path[] = {"group.web.fct_p99_us", "slowdown.web.0.slowdown_p99",
		"group.all.jain", "slowdown.all.1.posted"};
	struct scene *s = lab(
		SCENE "  web: {from: h1..2, to: [receiver-of-all, x], sizes: 1KB, load: 9%}\n"
		      "  more: {from: h1..2, to: [receiver-of-all, x], group: all, bins: [1KB]}\n");

	(void)state;
	for (unsigned i = 0; i < sizeof(path) / sizeof(path[0]); i++)
		if (summary_path_check(s, path[i], &lab_err))
			fail_msg("%s", lab_err.text);
	assert_int_equal(summary_path_check(s, "group.web>x.fct_p99_us", &lab_err), -EINVAL);
	assert_non_null(strstr(lab_err.text, "no group is 'web>x'"));
	scene_free(s);
}

static void what_is_wrong(void **state)
{
	static const char *const wrong[][2] = {
		{"jian", "'jian'; did you mean 'jain'?"},
		{"goodput", "'goodput'; did you mean 'goodput_gbps'?"},
		{"nothing_of_this_kind", "a path is as in drops, total.drops or queue."},
		{"total.dorps", "total has no 'dorps'; did you mean 'drops'?"},
		{"total.s1.drops", "total has no objects; write total.drops"},
		{"quue.s1:x.3.p99_bytes", "no kind is 'quue'; did you mean 'queue'?"},
		{"elephants.s1:x.p99", "no kind is 'elephants'; kinds are total, drop, "},
		{"queue.s1:x.3.p99", "queue has no 'p99'; did you mean 'p99_bytes'?"},
		{"queue.s1:x.3.", "queue has no ''; it has tx_frames, tx_bytes, "},
		{"queue.s1:x3.p99_bytes", "no queue is 's1:x3'; did you mean 's1:x.3'?"},
		{"queue.s1:x.8.p99_bytes", "no queue is 's1:x.8'; did you mean 's1:x.7'?"},
		{"queue.elephants.p99_bytes", "no queue is 'elephants'; the first is 's1:h1.0'"},
		{"queue.p99_bytes",
			"queue wants a name and a figure, as in queue.s1:h1.0.tx_frames"},
		{"group.incast", "group wants a name and a figure, as in group.incast.flows"},
		{"group.two.jain", "no group is 'two'; did you mean 'two>x'?"},
		{"flow.incast[h1>reciever-of-all.0].rc_gbps",
			"did you mean 'incast[h1>receiver-of-all.0]'?"},
		{"marking.s1:x.4.pmax", "no marking is 's1:x.4'; did you mean 's1:x.3'?"},
		{"cp.s1:x.3.cnm_tx", "nothing in this scenario is of kind 'cp'"},
		{"pool.s1.ingress.max_bytes_total", "nothing in this scenario is of kind 'pool'"},
		{"replay.h1.tx_frames", "nothing in this scenario is of kind 'replay'"},
		{"nic.s1.rx_frames", "no nic is 's1'; the first is 'h1'"},
		{"nic.h1.rx_icrc_error",
			"nic has no 'rx_icrc_error'; did you mean 'rx_icrc_errors'?"},
		{"port.h1:s1.rx_frames", "no port is 'h1:s1'; "},
		{"cnp.qp.x.cnp_tx", "no cnp is 'qp.x'"},
		{"plugin.x.rates_clamped", "nothing in this scenario is of kind 'plugin'"},
		{"instrument.s1.dilate", "instrument has no objects; write instrument.dilate"},
		{"main.incast.jain", "main has no objects; write main.jain"},
		{"recon.x.truth", "no kind is 'recon'"},
		// Texts, flags and numbers that only tell which object it is are no figures.
		{"main.worst_pace", "main has no 'worst_pace'"},
		{"queue.s1:x.3.class", "queue has no 'class'"},
		{"queue.s1:x.3.lossless", "queue has no 'lossless'"},
		{"marking.s1:x.3.bins", "marking has no 'bins'"},
		{"", "there is no figure ''"},
		{".", "there is no figure '.'"},
		{"..", "there is no figure '..'"},
	};
	struct scene *s = lab(SCENE);

	(void)state;
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		lab_err.text[0] = 0;
		assert_int_equal(summary_path_check(s, wrong[i][0], &lab_err), -EINVAL);
		if (!strstr(lab_err.text, wrong[i][1]))
			fail_msg("%s: told '%s'", wrong[i][0], lab_err.text);
	}
	scene_free(s);
}

static void what_begins_a_path(void **state)
{
	struct scene *s = lab(SCENE);
	const char *one;

	(void)state;
	assert_string_equal(summary_path_word(KIND_TOTAL), "total");
	assert_string_equal(summary_path_word(KIND_NIC), "nic");
	assert_string_equal(summary_path_word(KINDS), "main");
	assert_string_equal(summary_path_word(KINDS + 1), "bottleneck");
	assert_null(summary_path_word(KIND_RECON));
	for (unsigned i = 0; (one = summary_path_alone(i)); i++)
		assert_int_equal(summary_path_check(s, one, &lab_err), 0);
	assert_string_equal(summary_path_alone(0), "jain");
	scene_free(s);
}

// The scene expects figures that it cannot have: told with the place where the scenario names them.
static void expected(const char *text, const char *want)
{
	struct scene *s = lab(text);

	if (!want)
		assert_int_equal(summary_expects_check(s, &lab_err), 0);
	else {
		assert_int_equal(summary_expects_check(s, &lab_err), -EINVAL);
		if (!strstr(lab_err.text, want))
			fail_msg("told '%s'\nnot  '%s'", lab_err.text, want);
	}
	scene_free(s);
}

static void what_is_expected(void **state)
{
	(void)state;
	expected(SCENE "expect: [{figure: jain, min: 1}]\n", NULL);
	expected(SCENE "expect:\n- figure: jain\n  min: 1\n- min: 1\n  figure: queue.s1:x.3.p99\n",
		":13:11: there is no figure 'queue.s1:x.3.p99': queue has no 'p99'; did you mean "
		"'p99_bytes'?");
	expected(SCENE "expect: [{figure: cnp_rxx, min: 1}]\n",
		":9:19: there is no figure 'cnp_rxx'; did you mean 'cnp_rx'?");
}

// Paths with older names of figures are taken, and told in a line where the scenario has them.
static void older_names_are_expected(void **state)
{
	const char *hint = "; `quench check --migrate FILE` rewrites it";
	char want[256];
	struct scene *s = lab(SCENE "expect:\n- {name: n, figure: cnps, min: 0}\n"
				    "- {min: 0, figure: total.cnms}\n- {min: 0, figure: cnp_rx}\n");
	unsigned before = s->n_warnings;

	(void)state;
	assert_int_equal(summary_expects_check(s, &lab_err), 0);
	assert_int_equal(s->n_warnings, before + 2);
	snprintf(want, sizeof(want), "expect: the figure 'cnps' is called 'cnp_rx' now%s", hint);
	assert_string_equal(s->warning[before].text, want);
	assert_int_equal(s->warning[before].line, 10);
	assert_string_equal(s->expect[0].figure, "cnp_rx");
	assert_string_equal(s->expect[0].name, "n");
	assert_string_equal(s->expect[1].figure, "total.cnm_rx");
	assert_string_equal(s->expect[1].name, "total.cnm_rx");
	assert_int_equal(s->n_old, 2);
	assert_int_equal(s->old[1].line, 11);
	assert_int_equal(s->old[1].column, 20);
	assert_int_equal(summary_expects_check(s, &lab_err), 0); // once is enough
	assert_int_equal(s->n_warnings, before + 2);
	scene_free(s);
}

static void an_older_name_that_is_set_has_no_place(void **state)
{
	struct scene *s = lab_with(SCENE, "expect", "[{figure: cnps, max: 1}]");

	(void)state;
	assert_int_equal(summary_expects_check(s, &lab_err), 0);
	assert_string_equal(s->warning[s->n_warnings - 1].text,
		"expect: the figure 'cnps' is called 'cnp_rx' now");
	assert_int_equal(s->warning[s->n_warnings - 1].line, 0);
	assert_int_equal(s->n_old, 0);
	scene_free(s);
}

static void what_an_older_name_is_now(void **state)
{
	static const char *const path[][2] = {{"cnps", "cnp_rx"}, {"total.cnms", "total.cnm_rx"},
		{"iqcn_tx_cnp", "iqcn_cnp_tx"}, {"iqcn.s1:r.tx_cnp", "iqcn.s1:r.cnp_tx"},
		{"iqcn.s1.tx_cnp_total", "iqcn.s1.cnp_tx_total"},
		{"fast_cnp.*.tx_cnp_per_s", "fast_cnp.*.cnp_tx_per_s"}};
	static const char *const none[] = {"cnp_rx", "drops", "", ".", "rx_cnp", "total.tx_cnp",
		"flow.x.cnps", "nothing.x.cnps", "port.s1:r.iqcn_tx_cnp", "iqcn.s1:r.tx_*",
		"cnps.qp.x"};
	struct scene *s = lab(SCENE);
	char buf[SUMMARY_PATH];

	(void)state;
	for (unsigned i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
		assert_non_null(summary_path_now(path[i][0], buf, sizeof(buf)));
		assert_string_equal(buf, path[i][1]);
	}
	for (unsigned i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_null(summary_path_now(none[i], buf, sizeof(buf)));
	assert_int_equal(summary_path_check(s, "total.cnps", &lab_err), 0);
	assert_int_equal(summary_path_check(s, "iqcn.s1:r.tx_cnp", &lab_err), -EINVAL);
	assert_non_null(strstr(lab_err.text, "there is no figure 'iqcn.s1:r.tx_cnp': nothing"));
	scene_free(s);
}

static bool is_named(unsigned word, const char *name)
{
	const char *one;
	unsigned n = 0;

	for (unsigned i = 0; (one = summary_path_name(word, i)); i++)
		n += !strcmp(one, name);
	return n == 1;
}

static void every_kind_has_names(void **state)
{
	(void)state;
	for (unsigned k = 0; k < SUMMARY_WORDS; k++) {
		const char *one;
		unsigned i = 0;

		for (; (one = summary_path_name(k, i)); i++)
			if (!is_named(k, one))
				fail_msg("kind %u: %s is not there once", k, one);
		assert_true(i > 0);
	}
}

static void what_may_be_left_out_is_named(void **state)
{
	(void)state;
	assert_true(is_named(KIND_FLOW, "rp_decrease"));
	assert_true(is_named(KIND_FLOW, "hyper_increase_percent"));
	assert_true(is_named(KIND_QUEUE, "kmin_bytes"));
	assert_true(is_named(KIND_QUEUE, "shared_limit_bytes"));
	assert_true(is_named(KIND_PG, "shared_max_bytes_total"));
	assert_true(is_named(KIND_PFC_TX, "headroom_needed_bytes"));
	assert_true(is_named(KIND_NIC, "rx_icrc_errors"));
	assert_true(is_named(KIND_PORT, "malformed_forwarded_frames"));
	assert_null(summary_path_name(KIND_PORT, 1000));
}

static void what_a_run_lists_is_named(void **state)
{
	static struct lab l;
	unsigned n = 0;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	for (unsigned k = 0; k < KINDS; k++) {
		const struct set *set = &l.rec->sum->set[k];
		struct figure f;

		for (unsigned i = 0; kind_member(summary_kind[k], i, &f); i++)
			for (unsigned o = 0; o < set->n; o++) {
				if (isnan(summary_at(l.rec->sum, (enum kind_id)k, o, f.name)))
					continue;
				if (!is_named(k, f.name))
					fail_msg("%s", f.name);
				n++;
			}
	}
	assert_true(n > 500);
	lab_close(&l);
}

static struct lab l;

struct seen {
	const char *kind;
	unsigned objects, with_value;
};

// A kind whose objects the run has under the same names.
static bool ask(void *arg, const char *object)
{
	struct seen *s = arg;
	const char *figure;
	char path[256];

	s->objects++;
	for (unsigned k = KIND_GROUP; k < KINDS; k++)
		for (unsigned i = 0; (figure = summary_path_name(k, i)); i++) {
			snprintf(path, sizeof(path), "%s.%s.%s", s->kind, object, figure);
			if (!isnan(report_value(l.rec, path))) {
				s->with_value++;
				return false;
			}
		}
	return false;
}

static void names_are_those_of_the_run(void **state)
{
	static const struct {
		enum kind_id kind;
		const char *word;
		unsigned objects, with_value; // two hosts and a receiver at a switch
	} want[] = {
		{KIND_GROUP, "group", 1, 1},
		{KIND_FLOW, "flow", 2, 2},
		{KIND_SOURCE, "source", 1, 1},
		{KIND_STREAM, "stream", 0, 0},
		{KIND_LINK, "link", 6, 6},
		{KIND_PORT, "port", 3, 3},
		{KIND_NIC, "nic", 3, 3},
		{KIND_NP, "np", 3, 1},
		{KIND_MARKING, "marking", 3, 1},
		{KIND_BIN, "bin", 3 * 66, 66},
		{KIND_RXBUF, "rxbuf", 0, 0},
		{KIND_REPLAY, "replay", 0, 0},
		{KIND_POOL, "pool", 0, 0},
		{KIND_CP, "cp", 0, 0},
		{KIND_WD, "wd", 0, 0},
		{KIND_IQCN, "iqcn", 0, 0},
		{KIND_FAST_CNP_TABLE, "fast_cnp", 0, 0},
		{KIND_TOTAL, "total", 0, 0},
		{KIND_BUFFER, "buffer", 1, 1},
		{KIND_PLUGIN, "plugin", 0, 0},
		{KIND_DEADLOCK, "deadlock", 24, 0},
		{KIND_INSTRUMENT, "instrument", 0, 0},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct seen s = {.kind = want[i].word};

		assert_false(summary_path_objects(want[i].kind, l.scene, ask, &s));
		if (s.objects != want[i].objects || s.with_value != want[i].with_value)
			fail_msg(
				"%s: %u objects, %u with a value", s.kind, s.objects, s.with_value);
	}
}

static bool at_once(void *arg, const char *object)
{
	(void)object;
	++*(unsigned *)arg;
	return true;
}

static void it_ends_when_enough_is_seen(void **state)
{
	unsigned n = 0, ended = 0;

	(void)state;
	for (unsigned k = KIND_GROUP; k < SUMMARY_WORDS; k++)
		ended += summary_path_objects(k, l.scene, at_once, &n);
	assert_int_equal(n, ended);
	assert_true(n > 10);
}

static void every_kind(void **state)
{
	static const char *const paths[] = {"total.goodput_gbps", "goodput_gbps", "jain", "drops",
		"marks", "cnp_rx", "pauses", "pause_ps", "utilization", "drop.tail",
		"nic_drop.rxbuf", "queue.s1:r.3.mean_bytes", "queue.s1:r.3.p99_bytes",
		"queue.s1:r.3.max_bytes", "pfc.h1:s1.3.pauses", "pfc.h1:s1.3.mean_ps",
		"pfc_tx.s1:h1.3.xoff_frames", "pg.s1:h1.3.max_bytes_total",
		"group.incast.mean_gbps", "link.s1:r.goodput_percent",
		"flow.incast[h1>r.0].goodput_gbps", "flow.incast[h1>r.0].data_rx_rate",
		"source.noise[h2>r].rx_frames", "total.fct_p50_us", "main.fct_p50_us",
		"bottleneck.mean_bytes", "buffer.s1.max_bytes_total", "port.s1:r.tx_frames",
		"nic.r.rx_frames", "np.r.cnp_tx", "cnp.port.r.ce_rx", "marking.s1:r.3.pmax",
		"bin.s1:r.3.1.from_bytes", "size.0.messages", "instrument.packet_hops", "warnings",
		"deadlocks"};

	(void)state;
	for (unsigned i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (isnan(report_value(l.rec, paths[i])))
			fail_msg("%s: no value", paths[i]);
}

static void nothing_there(void **state)
{
	static const char *const paths[] = {"", ".", "..", "totals", "total.", "total.nothing",
		"drop.x", "queue.s1:r.4.mean_bytes", "queue.s1:r.3.nothing",
		"queue.s1:r.mean_bytes", "queue..", "pfc.s1:x.3.pauses", "pfc.s1:r.8.pauses",
		"pfc.s1:r.3.nothing", "pfc.s1:r.3.mean_ps", "group.nobody.jain", "link.x:y.tx_gbps",
		"flow.incast.goodput_gbps", "kind.s1:r.tx_gbps", "replay.h1.tx_frames",
		"rxbuf.r.max_bytes_total", "main.", "main.nothing", "bottleneck.nothing",
		"main.worst_pace", "main.incast.jain", "queue.s1:r.3.class",
		"queue.s1:r.3.lossless", "marking.s1:r.3.bins", "instrument.clock",
		"instrument.s1.dilate", "recon.0.truth", "flow.incast[h1>r.0].src_qp",
		"plugin.mine.rates_clamped", "queue.s1:r.3", "queue"};

	(void)state;
	for (unsigned i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (!isnan(report_value(l.rec, paths[i])))
			fail_msg("%s: %g", paths[i], report_value(l.rec, paths[i]));
}

static void no_pause_counts_zero(void **state)
{
	static const char *const paths[] = {"pfc.s1:r.3.pauses", "pfc.s1:r.7.xoff_frames",
		"pfc_tx.h1:s1.0.xon_frames", "pfc.h1:s1.4.pause_effective_us"};

	(void)state;
	for (unsigned i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (report_value(l.rec, paths[i]) != 0)
			fail_msg("%s: %g", paths[i], report_value(l.rec, paths[i]));
}

static void the_same_by_other_names(void **state)
{
	(void)state;
	assert_true(report_value(l.rec, "marks") == report_value(l.rec, "total.marks"));
	assert_true(report_value(l.rec, "main.jain") == report_value(l.rec, "jain"));
	assert_true(report_value(l.rec, "bottleneck.p99_bytes") ==
		    report_value(l.rec, "queue.s1:r.3.p99_bytes"));
	assert_true(report_value(l.rec, "jain") == report_value(l.rec, "group.incast.jain"));
	assert_true(report_value(l.rec, "utilization") ==
		    report_value(l.rec, "link.s1:r.utilization_percent"));
	assert_true(report_value(l.rec, "flow.incast[h1>r.0].goodput_gbps") ==
		    summary_at(l.rec->sum, KIND_FLOW, 0, "goodput_gbps"));
	assert_true(report_value(l.rec, "cnps") > 0);
	assert_true(report_value(l.rec, "cnps") == report_value(l.rec, "cnp_rx"));
	assert_true(report_value(l.rec, "total.cnms") == report_value(l.rec, "cnm_rx"));
	assert_float_equal(report_value(l.rec, "goodput_gbps"),
		report_value(l.rec, "flow.incast[h1>r.0].goodput_gbps") +
			report_value(l.rec, "flow.incast[h2>r.0].goodput_gbps"),
		1e-9);
}

static int run(void **state)
{
	struct scene_set set = {"warmup", "0us"}; // the transient has every kind of event

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE
		"  noise: {from: h2, to: r, class: 0, open_loop: {size: 500, rate: 2%}}\n");
	return lab_run(&l, &set, 1, false);
}

static int end(void **state)
{
	(void)state;
	lab_close(&l);
	return 0;
}

static void a_short_path_tells_its_row_too(void **state)
{
	static const struct {
		const char *path, *word, *figure, *unit;
	} is[] = {{"drops", "total", "drops", "frames"},
		{"total.pause_ps", "total", "pause_ps", "ps"}, {"jain", "group", "jain", ""},
		{"utilization", "link", "utilization_percent", "%"},
		{"bottleneck.p99_bytes", "queue", "p99_bytes", "bytes"},
		{"main.fct_p50_us", "group", "fct_p50_us", "us"},
		{"queue.s1:r.3.std_bytes", "queue", "std_bytes", "bytes"},
		{"cnps", "total", "cnp_rx", "frames"}};
	static const char *const none[] = {"", "nothing", "warnings", "queue.nothing", "no.jain"};
	struct summary_row r;

	(void)state;
	for (unsigned i = 0; i < sizeof(is) / sizeof(is[0]); i++) {
		assert_true(summary_figure_row(is[i].path, &r));
		assert_string_equal(r.word, is[i].word);
		assert_string_equal(r.figure, is[i].figure);
		assert_string_equal(r.unit, is[i].unit);
		assert_non_null(r.title);
		assert_null(r.object);
	}
	for (unsigned i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_false(summary_figure_row(none[i], &r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_known),
		cmocka_unit_test(a_pooled_group),
		cmocka_unit_test(what_is_wrong),
		cmocka_unit_test(what_is_expected),
		cmocka_unit_test(older_names_are_expected),
		cmocka_unit_test(an_older_name_that_is_set_has_no_place),
		cmocka_unit_test(what_an_older_name_is_now),
		cmocka_unit_test(what_begins_a_path),
		cmocka_unit_test(every_kind_has_names),
		cmocka_unit_test(what_may_be_left_out_is_named),
		cmocka_unit_test(what_a_run_lists_is_named),
	};
	const struct CMUnitTest tests_run[] = {
		cmocka_unit_test(names_are_those_of_the_run),
		cmocka_unit_test(it_ends_when_enough_is_seen),
		cmocka_unit_test(every_kind),
		cmocka_unit_test(nothing_there),
		cmocka_unit_test(no_pause_counts_zero),
		cmocka_unit_test(the_same_by_other_names),
		cmocka_unit_test(a_short_path_tells_its_row_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) +
	       cmocka_run_group_tests(tests_run, run, end);
}
