// SPDX-License-Identifier: BSD-3-Clause
// Figures from events, with events made by hand: lengths, gaps, completion times, rates over time.
#include "net_each.h"

static void pauses(void **state)
{
	(void)state;
	record_warm(n.rec, 100 * PS_PER_US);
	// One that began before the window and ends in it, one refreshed, one within, one that does
	// not end.
	net_event(&n, n.h1, 90, EV_PAUSE_RX)->cls = 3;
	net_event(&n, n.h1, 110, EV_RESUME_RX)->cls = 3;
	net_event(&n, n.h1, 200, EV_PAUSE_RX)->cls = 3;
	net_event(&n, n.h1, 220, EV_PAUSE_RX)->cls = 3;
	net_event(&n, n.h1, 260, EV_RESUME_RX)->cls = 3;
	net_event(&n, n.h1, 300, EV_PAUSE_RX)->cls = 5;
	net_finish(&n, 1000);

	// The nodes counted none of it: only the distribution speaks.
	const struct rec_port *p = record_obj_port(n.rec, n.h1, 0);

	assert_non_null(p->episodes);
	assert_int_equal(p->episodes[3].length->n, 2);
	assert_int_equal(hist_min(p->episodes[3].length), 20 * PS_PER_US);
	assert_int_equal(p->episodes[3].length->max, 60 * PS_PER_US);
	assert_null(p->episodes[5].length);
}

static void pauses_sent_by_vector(void **state)
{
	const struct rec_port *p;
	struct ev *e;

	(void)state;
	record_warm(n.rec, 0);
	e = net_event(&n, n.s1, 10, EV_XOFF_TX);
	e->pfc_tx.enable = 0x0c;
	e->pfc_tx.quanta = 65535;
	net_event(&n, n.s1, 15, EV_XON_TX)->pfc_tx.enable = 0x04;
	net_event(&n, n.s1, 30, EV_XON_TX)->pfc_tx.enable = 0x08;
	net_finish(&n, 100);
	p = record_obj_port(n.rec, n.s1, 0);
	assert_int_equal(p->episodes[PAUSE_PRIOS + 2].length->max, 5 * PS_PER_US);
	assert_int_equal(p->episodes[PAUSE_PRIOS + 3].length->max, 20 * PS_PER_US);
}

static void cnp_gaps_by_queue_pair(void **state)
{
	(void)state;
	record_warm(n.rec, 0);
	net_event(&n, n.r, 10, EV_CNP_TX)->cnp_tx.flow = 0;
	net_event(&n, n.r, 20, EV_CNP_TX)->cnp_tx.flow = 1;
	net_event(&n, n.r, 60, EV_CNP_TX)->cnp_tx.flow = 0;
	net_event(&n, n.r, 95, EV_CNP_TX)->cnp_tx.flow = 1;
	net_finish(&n, 100);
	assert_float_equal(report_value(n.report, "group.incast.cnp_gap_min_us"), 50, 1e-9);
	assert_float_equal(report_value(n.report, "group.incast.cnp_gap_p99_us"), 75, 1e-9);
}

static void reaction(struct net_lab *lab, uint64_t us, rate_t rc, enum rp_event what)
{
	struct ev *e = net_event(lab, lab->h1, us, EV_RP);

	e->rp.rc = rc;
	e->rp.rt = 25 * RATE_GBPS;
	e->reaction = (uint8_t)what;
}

// 25 Gb/s until 200 us, 10 until 600, 20 until 1000; the window begins at 100 us.
static void rate_over_time(void **state)
{
	(void)state;
	record_warm(n.rec, 100 * PS_PER_US);
	reaction(&n, 200, 10 * RATE_GBPS, RP_DECREASE);
	reaction(&n, 600, 20 * RATE_GBPS, RP_T_ADDITIVE_INCREASE);
	net_finish(&n, 1000);
	assert_float_equal(report_value(n.report, "flow.incast[h1>r.0].rc_mean_gbps"),
		(25.0 * 100 + 10 * 400 + 20 * 400) / 900, 1e-6);
	assert_true(report_value(n.report, "flow.incast[h1>r.0].rp_decrease") == 1);
}

// A figure of the first flow.
static double own(const char *figure)
{
	char path[80];

	snprintf(path, sizeof(path), "flow.incast[h1>r.0].%s", figure);
	return report_value(n.report, path);
}

// Line rate until 200 us, fast recovery until 400, additive until 700, hyper until 800, then line
// rate again; a CNP that is only taken and alpha's timer change nothing. The window begins at 100
// us.
static void stages_over_time(void **state)
{
	(void)state;
	record_warm(n.rec, 100 * PS_PER_US);
	reaction(&n, 200, 10 * RATE_GBPS, RP_DECREASE);
	reaction(&n, 300, 15 * RATE_GBPS, RP_T_FAST_RECOVERY);
	reaction(&n, 400, 16 * RATE_GBPS, RP_BC_ADDITIVE_INCREASE);
	reaction(&n, 500, 16 * RATE_GBPS, RP_ALPHA);
	reaction(&n, 600, 16 * RATE_GBPS, RP_CNP);
	reaction(&n, 700, 20 * RATE_GBPS, RP_T_HYPER_INCREASE);
	reaction(&n, 800, 25 * RATE_GBPS, RP_T_HYPER_INCREASE);
	net_finish(&n, 1100);
	assert_float_equal(own("line_rate_percent"), 40, 1e-9);
	assert_float_equal(own("fast_recovery_percent"), 20, 1e-9);
	assert_float_equal(own("additive_increase_percent"), 30, 1e-9);
	assert_float_equal(own("hyper_increase_percent"), 10, 1e-9);
	// The other flow of the group never left line rate.
	assert_float_equal(
		report_value(n.report, "group.incast.additive_increase_percent"), 15, 1e-9);
	assert_float_equal(report_value(n.report, "group.incast.line_rate_percent"), 70, 1e-9);
}

static void done(struct net_lab *lab, uint64_t us, uint64_t posted_us, uint64_t begun_us)
{
	struct ev *e = net_event(lab, lab->h1, us, EV_MSG_DONE);

	e->message.begun = begun_us * PS_PER_US;
	e->message.posted = posted_us * PS_PER_US;
	e->message.bytes = 100000;
}

static void completion_times(void **state)
{
	double ideal;

	(void)state;
	record_warm(n.rec, 100 * PS_PER_US);
	done(&n, 50, 10, 10); // before the window
	done(&n, 140, 20, 40);
	done(&n, 400, 30, 100);
	ideal = (double)record_standalone(&n.rec->flow[0], 100000) / 1e6;
	net_finish(&n, 1000);
	assert_true(report_value(n.report, "total.messages") == 2);
	assert_float_equal(report_value(n.report, "total.fct_p50_us"), 100, 0.8);
	assert_float_equal(report_value(n.report, "total.fct_max_us"), 300, 1e-9);
	assert_float_equal(report_value(n.report, "total.fct_posted_mean_us"), 245, 1e-9);
	assert_float_equal(report_value(n.report, "group.incast.fct_posted_max_us"), 370, 1e-9);
	assert_float_equal(report_value(n.report, "size.0.fct_posted_p50_us"), 120, 1);
	assert_float_equal(report_value(n.report, "total.slowdown_p99"), 300 / ideal, 0.002);
	assert_true(record_standalone(&n.rec->flow[0], 200000) > ideal);
}

// 300 flows, most of which are not sampled.
#define MANY                                                                                \
	"name: many\n"                                                                      \
	"duration: 1ms\n"                                                                   \
	"warmup: 300us\n"                                                                   \
	"controls: {dcqcn: {profile: paper}}\n"                                             \
	"switches:\n"                                                                       \
	"  s1:\n"                                                                           \
	"    buffer: 4MB\n"                                                                 \
	"    classes: {3: {wred: {min: 20KB, max: 200KB, probability: 5%}}}\n"              \
	"hosts: {h1..3: {}, r: {}}\n"                                                       \
	"links: [{between: [[h1..3, r], s1], rate: 100Gbps, delay: 1us}]\n"                 \
	"flows:\n"                                                                          \
	"  f: {from: h1..3, to: r, class: 3, verb: write, message: 100KB, control: dcqcn, " \
	"qps: 100}\n"

// Reactions that the NICs add up come to the figures that events of all of them do.
static void reactions_are_counted_lent_or_told(void **state)
{
	static const struct scene_set all[] = {{"record.flows", "all"}};
	static struct rp_book told[300];
	unsigned lent = 0;
	struct lab l;

	(void)state;
	for (unsigned again = 0; again < 2; again++) {
		lab_open(&l, MANY);
		assert_int_equal(lab_run(&l, all, !again, false), 0);
		assert_int_equal(l.scene->n_flows, 300);
		for (unsigned i = 0; i < 300; i++) {
			const struct rec_flow *f = &l.rec->rec->flow[i];

			lent += f->lent;
			if (!again)
				told[i] = f->book;
			told[i].window = f->book.window;
			assert_memory_equal(&f->book, &told[i], offsetof(struct rp_book, cut));
			assert_int_equal(f->book.stage, told[i].stage);
			assert_true(f->book.events[RP_DECREASE] > 0);
		}
		assert_int_equal(lent, again ? 150 : 0);
		lab_close(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pauses, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(pauses_sent_by_vector, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(cnp_gaps_by_queue_pair, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(rate_over_time, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(stages_over_time, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(completion_times, open_lab, close_lab),
		cmocka_unit_test(reactions_are_counted_lent_or_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
