// SPDX-License-Identifier: BSD-3-Clause
// QCN holds a queue at its set point through steps of the service; iQCN keeps the pauses away that
// late CNPs bring.
#include <math.h>

#include "rounds.h"
#include "scn.h"

#define SEEDS 3

static const char *const setting[SEEDS] = {"seed=1", "seed=2", "seed=3"};

// One part of the experiment, three seeds: mean queue within 10 % of the set point, no drop.
static void steady(const char *warmup, const char *duration, double gbps)
{
	for (unsigned i = 0; i < rounds_of(SEEDS); i++) {
		struct scn s = scn_run("qcn-step.yaml", setting[i], warmup, duration, NULL);

		scn_in(&s, "mean queue over set point",
			scn_value(&s, "cp.s1:r.3.mean_over_set_point"), 0.9, 1.1);
		scn_in(&s, "goodput", scn_gbps(&s, "step"), 0.98 * gbps, gbps);
		scn_in(&s, "drops", scn_value(&s, "drops_total"), 0, 0);
		scn_in(&s, "bytes between samples over the table's",
			scn_value(&s, "cp.s1:r.3.spacing_ratio_total"), 0.97, 1.03);
		scn_in(&s, "standard errors, the worst level",
			scn_value(&s, "cp.s1:r.3.spacing_sigmas_total"), 0, 5);
		scn_in(&s, "CNMs", scn_value(&s, "cp.s1:r.3.cnm_tx"), 100, 1e6);
		scn_in(&s, "CNMs ignored", scn_value(&s, "cnm_rx") - scn_value(&s, "total.cnm_tx"),
			-20, 20);
		scn_free(&s);
	}
}

// 10 Gb/s times 1024 bytes of payload in 1114 on the wire (1082, the CN-TAG and 24, RETH apart).
static void the_queue_is_held_at_the_set_point(void **state)
{
	(void)state;
	steady("warmup=50ms", "duration=150ms", 9.23);
	steady("warmup=600ms", "duration=800ms", 9.23);
}

static void and_at_a_fifth_of_the_service(void **state)
{
	(void)state;
	steady("warmup=200ms", "duration=400ms", 1.87);
}

// Behind the step down the queue peaks, within the buffer; behind the step up the link is full
// again within 100 ms.
static void steps_are_recovered_from(void **state)
{
	struct scn s = scn_run("qcn-step.yaml", "warmup=150ms", "duration=200ms", NULL);

	(void)state;
	scn_in(&s, "peak queue", scn_value(&s, "queue.s1:r.3.max_bytes"), 100e3, 1e6);
	scn_in(&s, "drops", scn_value(&s, "drops_total"), 0, 0);
	scn_free(&s);
	s = scn_run("qcn-step.yaml", "warmup=400ms", "duration=420ms", NULL);
	scn_in(&s, "goodput before recovery", scn_gbps(&s, "step"), 1.5, 3);
	scn_free(&s);
	s = scn_run("qcn-step.yaml", "warmup=500ms", "duration=520ms", NULL);
	scn_in(&s, "goodput after recovery", scn_gbps(&s, "step"), 9, 9.23);
	scn_free(&s);
}

// Sources without CN-TAG get CNMs with flow ID 0, one reaction point each here: the same figures.
static void sources_need_no_tag(void **state)
{
	struct scn s = scn_run("qcn-step.yaml", "controls.qcn.qcn.cn_tag=false", "warmup=50ms",
		"duration=150ms", NULL);

	(void)state;
	scn_in(&s, "mean queue over set point", scn_value(&s, "cp.s1:r.3.mean_over_set_point"), 0.9,
		1.1);
	scn_in(&s, "goodput", scn_gbps(&s, "step"), 9.1, 9.3);
	scn_free(&s);
}

// Two queue pairs a host on one reaction point (rpppMaxRps 1, the MIB's default): the queue is held
// as well, and as one limiter sends for both, their shares are alike.
static void reaction_points_may_be_shared(void **state)
{
	struct scn s = scn_run("qcn-step.yaml", "controls.qcn.qcn.max_rps=1", "flows.step.qps=2",
		"warmup=50ms", "duration=150ms", NULL);

	(void)state;
	scn_in(&s, "mean queue over set point", scn_value(&s, "cp.s1:r.3.mean_over_set_point"), 0.9,
		1.1);
	scn_in(&s, "goodput", scn_gbps(&s, "step"), 9.1, 9.3);
	scn_in(&s, "drops", scn_value(&s, "drops_total"), 0, 0);
	for (unsigned h = 1; h <= 10; h++) {
		char path[2][64];

		for (unsigned q = 0; q < 2; q++)
			snprintf(
				path[q], sizeof(path[q]), "flow.step[h%u>r.%u].goodput_gbps", h, q);
		scn_in(&s, "one over the other", scn_value(&s, path[0]) / scn_value(&s, path[1]),
			0.99, 1.01);
	}
	scn_free(&s);
}

#define OFF "switches.s1.classes.3.iqcn.heavy=1GB"

// How often a class was paused; 0 where nothing was ever sent.
static double pauses(const struct scn *s, const char *path)
{
	double n = report_value(s->rec, path);

	return isnan(n) ? 0 : n;
}

// Without iQCN the queue reaches XOFF and s1 pauses s0, which pauses its hosts: the victim pays.
// With it none of that.
static void pauses_are_kept_away(
	const char *file, const char *queue, const char *port, double victim)
{
	char path[64];

	for (unsigned i = 0; i < rounds_of(SEEDS); i++) {
		struct scn s = scn_run(file, setting[i], OFF, NULL);

		snprintf(path, sizeof(path), "queue.%s.3.max_bytes", queue);
		scn_in(&s, "queue without iQCN", scn_value(&s, path), 1600e3, 1700e3);
		scn_in(&s, "pauses of s0 without", pauses(&s, "pfc.s0:s1.3.pauses"), 15, 1e5);
		scn_in(&s, "pauses of v without", pauses(&s, "pfc.v:s0.3.pauses"), 3, 1e5);
		scn_in(&s, "victim without", scn_gbps(&s, "victim"), 0, victim);
		scn_in(&s, "CNPs of the switch", scn_value(&s, "iqcn_cnp_tx"), 0, 0);
		scn_free(&s);
		s = scn_run(file, setting[i], NULL);
		scn_in(&s, "queue with iQCN", scn_value(&s, path), 400e3, 1590e3);
		scn_in(&s, "pauses of s0 with", pauses(&s, "pfc.s0:s1.3.pauses"), 0, 0);
		scn_in(&s, "victim with", scn_gbps(&s, "victim"), 18.4, 18.6);
		snprintf(path, sizeof(path), "iqcn.%s.cnp_tx", port);
		scn_in(&s, "CNPs of the switch", scn_value(&s, path), 50, 1000);
		scn_in(&s, "flows known", scn_value(&s, "iqcn.s1.flows_total"), 4, 4);
		scn_free(&s);
	}
}

static void a_capped_np_is_made_up_for(void **state)
{
	(void)state;
	pauses_are_kept_away("iqcn-capped-np.yaml", "s1:r", "s1:r", 8);
}

// How long CNPs were on their way without iQCN, from where they were owed: the cause of each
// scenario.
static void late_cnps_are_late(void **state)
{
	static const struct {
		const char *file;
		double p50_low, p50_high, max_low, max_high;
	} way[] = {{"iqcn-capped-np.yaml", 3, 5, 3, 5},
		{"iqcn-long-path.yaml", 400, 2500, 2500, 4000},
		{"iqcn-cnp-class.yaml", 3, 500, 1000, 1600}};

	(void)state;
	for (unsigned i = 0; i < sizeof(way) / sizeof(way[0]); i++) {
		struct scn s = scn_run(way[i].file, OFF, NULL);

		scn_in(&s, "CNP's way, p50", scn_value(&s, "cnp.port.r.cnp_delay_p50_us"),
			way[i].p50_low, way[i].p50_high);
		scn_in(&s, "CNP's way, max", scn_value(&s, "cnp.port.r.cnp_delay_max_us"),
			way[i].max_low, way[i].max_high);
		scn_in(&s, "CNPs refused by the cap", scn_value(&s, "np.r.cnp_capped"), i ? 0 : 100,
			i ? 0 : 1e5);
		scn_free(&s);
	}
}

static void a_long_path_is_made_up_for(void **state)
{
	(void)state;
	pauses_are_kept_away("iqcn-long-path.yaml", "s1:s2", "s1:s2", 14);
}

static void a_congested_cnp_class_is_made_up_for(void **state)
{
	(void)state;
	pauses_are_kept_away("iqcn-cnp-class.yaml", "s1:r", "s1:r", 17.5);
}

#define FAST "switches.s1.classes.3.fast_cnp."

// The vendor's range of rpg_time_reset, 200 to 600 us, with senders that keep to it: in the slower
// half the switch may act so late that the queue touches XOFF, but the victim pays for nothing.
static void the_vendors_range_holds(void **state)
{
	static const char *const t[][2] = {
		{"controls.dcqcn.rate_timer=200us",
			"switches.s1.classes.3.iqcn.rpg_time_reset=200us"},
		{"controls.dcqcn.rate_timer=600us",
			"switches.s1.classes.3.iqcn.rpg_time_reset=600us"}};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct scn s = scn_run("iqcn-capped-np.yaml", t[i][0], t[i][1], OFF, NULL);

		scn_in(&s, "pauses of v without", pauses(&s, "pfc.v:s0.3.pauses"), 100, 1e5);
		scn_in(&s, "victim without", scn_gbps(&s, "victim"), 0, 8);
		scn_free(&s);
		s = scn_run("iqcn-capped-np.yaml", t[i][0], t[i][1], NULL);
		scn_in(&s, "pauses of v with", pauses(&s, "pfc.v:s0.3.pauses"), 0, 0);
		scn_in(&s, "pauses of s0 with", pauses(&s, "pfc.s0:s1.3.pauses"), 0, i ? 200 : 0);
		scn_in(&s, "victim with", scn_gbps(&s, "victim"), 18.4, 18.6);
		scn_free(&s);
	}
}

// Half a ms to the receiver and back: the switch tells the senders itself, and the step passes
// without a pause. With CE beside it they are told again when they have cut already.
static void fast_cnps_shorten_a_long_way(void **state)
{
	(void)state;
	for (unsigned i = 0; i < rounds_of(SEEDS); i++) {
		struct scn s = scn_run("fast-cnp.yaml", setting[i], NULL);
		double queue = scn_value(&s, "queue.s1:s2.3.max_bytes"),
		       data = scn_gbps(&s, "data");

		scn_in(&s, "pauses without", pauses(&s, "pauses"), 4, 100);
		scn_in(&s, "CNP's way without", scn_value(&s, "cnp.port.r.cnp_delay_p50_us"), 252,
			253);
		scn_in(&s, "CNPs of the switch", scn_value(&s, "fast_cnp_tx"), 0, 0);
		scn_free(&s);
		s = scn_run("fast-cnp.yaml", setting[i], FAST "interval=50us", NULL);
		scn_in(&s, "pauses with", pauses(&s, "pauses"), 0, 0);
		scn_in(&s, "CNP's way with", scn_value(&s, "cnp.port.r.cnp_delay_p50_us"), 1, 1.1);
		scn_in(&s, "the switch's of all CNPs",
			scn_value(&s, "cnp.port.r.cnp_switch_tx") - scn_value(&s, "fast_cnp_tx"), 0,
			0);
		scn_in(&s, "queue with over without",
			scn_value(&s, "queue.s1:s2.3.max_bytes") / queue, 0.3, 0.5);
		scn_in(&s, "goodput with over without", scn_gbps(&s, "data") / data, 1.3, 1.55);
		scn_in(&s, "CNPs of the switch", scn_value(&s, "fast_cnp.s1:s2.cnp_tx"), 200, 400);
		scn_in(&s, "marked within the interval", scn_value(&s, "fast_cnp.s1:s2.suppressed"),
			300, 3000);
		scn_in(&s, "of unknown flows", scn_value(&s, "fast_cnp.s1:s2.unknown"), 0, 0);
		scn_in(&s, "flows known", scn_value(&s, "fast_cnp.s1.flows_total"), 4, 4);
		scn_in(&s, "marks", scn_value(&s, "marks"), 0, 0);
		scn_in(&s, "CNPs of the receiver", scn_value(&s, "cnp_tx"), 0, 0);
		scn_in(&s, "cuts", scn_value(&s, "rate_cuts"), scn_value(&s, "fast_cnp_tx") - 4,
			scn_value(&s, "fast_cnp_tx") + 4);
		scn_free(&s);
		s = scn_run("fast-cnp.yaml", setting[i], FAST "ce=true", NULL);
		scn_in(&s, "goodput with CE over without", scn_gbps(&s, "data") / data, 1, 1.2);
		scn_in(&s, "marks with CE", scn_value(&s, "marks"), 300, 3000);
		scn_in(&s, "CNPs of the receiver", scn_value(&s, "cnp_tx"), 100, 400);
		scn_free(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_queue_is_held_at_the_set_point),
		cmocka_unit_test(and_at_a_fifth_of_the_service),
		cmocka_unit_test(steps_are_recovered_from),
		cmocka_unit_test(sources_need_no_tag),
		cmocka_unit_test(reaction_points_may_be_shared),
		cmocka_unit_test(a_capped_np_is_made_up_for),
		cmocka_unit_test(late_cnps_are_late),
		cmocka_unit_test(a_long_path_is_made_up_for),
		cmocka_unit_test(a_congested_cnp_class_is_made_up_for),
		cmocka_unit_test(the_vendors_range_holds),
		cmocka_unit_test(fast_cnps_shorten_a_long_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
