// SPDX-License-Identifier: BSD-3-Clause
// Paths of figures judged before a run: what is known, and what is said of each part that is wrong.
#include "scene_lab.h"

#include "report/figure_path.h"
#include "report/report.h"

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
		"source.noise[h2>x].lost", "port.s1:x.tx_frames", "nic.h1.rx_icrc_errors"};
	struct scene *s = lab(SCENE);

	(void)state;
	for (unsigned i = 0; i < sizeof(path) / sizeof(path[0]); i++)
		if (report_figure_check(s, path[i], &lab_err))
			fail_msg("%s", lab_err.text);
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
		{"queue.s1:x.8.p99_bytes", "no queue is 's1:x.8'; did you mean 's1:x.0'?"},
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
		{"", "there is no figure ''"},
		{".", "there is no figure '.'"},
		{"..", "there is no figure '..'"},
	};
	struct scene *s = lab(SCENE);

	(void)state;
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		lab_err.text[0] = 0;
		assert_int_equal(report_figure_check(s, wrong[i][0], &lab_err), -EINVAL);
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
	assert_string_equal(figure_path_kind(FIGURE_TOTAL), "total");
	assert_string_equal(figure_path_kind(FIGURE_NIC), "nic");
	for (unsigned i = 0; (one = figure_path_alone(i)); i++)
		assert_int_equal(report_figure_check(s, one, &lab_err), 0);
	assert_string_equal(figure_path_alone(0), "jain");
	scene_free(s);
}

// The scene expects figures that it cannot have: told with the place where the scenario names them.
static void expected(const char *text, const char *want)
{
	struct scene *s = lab(text);

	if (!want)
		assert_int_equal(report_expects_check(s, &lab_err), 0);
	else {
		assert_int_equal(report_expects_check(s, &lab_err), -EINVAL);
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
	expected(SCENE "expect: [{figure: cnp, min: 1}]\n",
		":9:19: there is no figure 'cnp'; did you mean 'cnps'?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_known),
		cmocka_unit_test(what_is_wrong),
		cmocka_unit_test(what_is_expected),
		cmocka_unit_test(what_begins_a_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
