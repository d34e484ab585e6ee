// SPDX-License-Identifier: BSD-3-Clause
// PFC alone: the closed form of pauses, shares per ingress port, the victim behind a paused trunk.
#include "scn.h"

#include "hardware/headroom.h"
#include "scene/scene.h"

// How long a peer goes on, as long as 802.3 allows it.
static double response_us(double gbps)
{
	return headroom_response_quanta((rate_t)(gbps * 1e9)) * 512 / gbps / 1e3;
}

// Two hosts into one egress at C: each is paused for (XOFF - XON) / (C / 2) + 2 tau at a time, tau
// being twice the propagation delay, the PFC frame, the peer's response, the rest of the frame
// being sent and one frame.
static double pause_us(double gbps, double delay_us, double xoff, double xon)
{
	double frame_us = (1082 + 24) * 8 / gbps / 1e3, pfc_us = (60 + 24) * 8 / gbps / 1e3;
	double tau_us = 2 * delay_us + pfc_us + response_us(gbps) + frame_us / 2 + frame_us;

	// Thresholds count len + 4, the wire len + 24.
	return (xoff - xon) * 8 / (gbps / 2 * 1086 / 1106) / 1e3 + 2 * tau_us;
}

// (It holds where the two are paused at the same time, as they are when both start at once with
// these values.)
static void check_pause(double gbps, double delay_us, double xoff, double xon)
{
	char rate[64], delay[64], xoff_set[64], xon_set[64];
	double want = pause_us(gbps, delay_us, xoff, xon);
	struct scn s;

	snprintf(rate, sizeof(rate), "defaults.links.rate=%.0fGbps", gbps);
	snprintf(delay, sizeof(delay), "defaults.links.delay=%.0fns", delay_us * 1e3);
	snprintf(xoff_set, sizeof(xoff_set), "switches.s1.classes.3.pfc.xoff=%.0f", xoff);
	snprintf(xon_set, sizeof(xon_set), "switches.s1.classes.3.pfc.xon=%.0f", xon);
	s = scn_run("pfc-2to1.yaml", rate, delay, xoff_set, xon_set, NULL);
	for (int h = 1; h <= 2; h++) {
		char path[64];

		snprintf(path, sizeof(path), "pfc.h%d:s1.3.mean_ps", h);
		scn_in(&s, path, scn_value(&s, path) / 1e6, want * 0.97, want * 1.03);
	}
	scn_in(&s, "drops, whole run", scn_value(&s, "drops_total"), 0, 0);
	scn_in(&s, "share of the first", scn_gbps(&s, "incast[h1") / scn_gbps(&s, "incast"), 0.495,
		0.505);
	scn_free(&s);
}

static void pause_length_follows_the_closed_form(void **state)
{
	(void)state;
	check_pause(25, 1, 256000, 192000);
	check_pause(25, 1, 256000, 128000);
	check_pause(25, 5, 256000, 192000);
	check_pause(40, 2, 256000, 192000);
	check_pause(100, 2, 256000, 192000);
}

// One sends while the other is stopped, from its own run alone at C until its group is at XOFF;
// then what is under way comes, 5 us more of it from the second.
static void check_turns(double gbps, double tolerance)
{
	double frame_us = (1082 + 24) * 8 / gbps / 1e3, pfc_us = (60 + 24) * 8 / gbps / 1e3;
	double want = 256000 * 8 / (gbps * 1086 / 1106) / 1e3 + 2 * 2 + pfc_us + response_us(gbps) +
		      1.5 * frame_us;
	char rate[64];
	struct scn s;

	snprintf(rate, sizeof(rate), "defaults.links.rate=%.0fGbps", gbps);
	s = scn_run(
		"pfc-2to1.yaml", rate, "defaults.links.delay=2us", "hosts.h2.latency=5us", NULL);
	scn_in(&s, "pause of h1", scn_value(&s, "pfc.h1:s1.3.mean_ps") / 1e6,
		(want + 5) * (1 - tolerance), (want + 5) * (1 + tolerance));
	scn_in(&s, "pause of h2", scn_value(&s, "pfc.h2:s1.3.mean_ps") / 1e6,
		want * (1 - tolerance), want * (1 + tolerance));
	scn_in(&s, "drops, whole run", scn_value(&s, "drops_total"), 0, 0);
	scn_free(&s);
}

static void senders_out_of_step_take_turns(void **state)
{
	(void)state;
	check_turns(25, 0.01);
	check_turns(40, 0.01);
	check_turns(100, 0.03);
}

// The peer's own response is what is left of B_after without XOFF itself and the cable: at least
// what it is given, and at most the frame being sent then, 1106 bytes.
static void a_peers_response_is_seen(void **state)
{
	(void)state;
	for (unsigned quanta = 0; quanta <= 200; quanta += 100) {
		double frame = 1106 * 8 / 512.0;
		char set[48];
		struct scn s;

		snprintf(set, sizeof(set), "hosts.h1..2.pfc_response=%u", quanta);
		s = scn_run("pfc-2to1.yaml", set, NULL);
		scn_in(&s, "quanta until the peer is still",
			scn_value(&s, "pfc_tx.s1:h1.3.quanta_resp_max"), quanta, quanta + frame);
		scn_in(&s, "headroom used, of what is needed",
			scn_value(&s, "pg.s1:h1.3.max_headroom_bytes_total") /
				scn_value(&s, "pfc_tx.s1:h1.3.headroom_needed_bytes"),
			0.1, 1);
		scn_free(&s);
	}
}

static void shares_are_per_ingress_port(void **state)
{
	struct scn s = scn_run("unfairness.yaml", NULL);
	double all = scn_gbps(&s, "");

	(void)state;
	scn_in(&s, "beside the trunk", scn_gbps(&s, "incast[h1") / all, 0.495, 0.505);
	scn_in(&s, "first on the trunk", scn_gbps(&s, "incast[h2") / all, 0.2475, 0.2525);
	scn_in(&s, "second on the trunk", scn_gbps(&s, "incast[h3") / all, 0.2475, 0.2525);
	scn_in(&s, "Jain", scn_value(&s, "jain"), 0.886, 0.892);
	scn_in(&s, "drops, whole run", scn_value(&s, "drops_total"), 0, 0);
	scn_free(&s);
}

static void dcqcn_makes_them_fair(void **state)
{
	struct scn s = scn_run("unfairness-dcqcn.yaml", NULL);

	(void)state;
	scn_in(&s, "Jain", scn_value(&s, "jain"), 0.97, 1);
	scn_in(&s, "drops, whole run", scn_value(&s, "drops_total"), 0, 0);
	scn_free(&s);
}

// Half of the time is asked for; the frame that has started when PAUSE comes is finished: half a
// frame on average.
static void pause_802_3x_stops_a_host_that_honours_it(void **state)
{
	struct scn s = scn_run("pause.yaml", NULL);
	double half_frame = 0.5 * (1000 + 24) * 8 / 100 / 10240 * 100;

	(void)state;
	scn_in(&s, "utilization", scn_value(&s, "link.h1:r.utilization_percent"),
		50 + half_frame - 0.3, 50 + half_frame + 0.3);
	scn_in(&s, "pauses", scn_value(&s, "pfc.h1:r.0.pauses"), 390, 391);
	scn_in(&s, "lost", scn_value(&s, "source.data[h1>r].lost"), 0, 0);
	scn_free(&s);
	s = scn_run("pause.yaml", "hosts.h1.pause_honour=false", NULL);
	scn_in(&s, "utilization without", scn_value(&s, "link.h1:r.utilization_percent"), 99.9,
		100.1);
	scn_free(&s);
}

// Behind the head of the line: flow a has 20 Gb/s, with headers, or its part of the time in which
// its queue is not paused.
static void pfc_stops_all_classes_of_a_hosts_queue(void **state)
{
	struct scn s = scn_run("queue-map.yaml", NULL);

	(void)state;
	scn_in(&s, "shared queue", scn_value(&s, "flow.a[h>r.0].goodput_gbps"), 1, 5);
	scn_in(&s, "drops", scn_value(&s, "drops"), 0, 0);
	scn_free(&s);
	s = scn_run("queue-map.yaml", "hosts.h.queue_map.4=4", NULL);
	scn_in(&s, "own queue", scn_value(&s, "flow.a[h>r.0].goodput_gbps"),
		0.995 * 20 * 1024 / 1106, 20.0 * 1024 / 1106);
	scn_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pause_length_follows_the_closed_form),
		cmocka_unit_test(senders_out_of_step_take_turns),
		cmocka_unit_test(a_peers_response_is_seen),
		cmocka_unit_test(shares_are_per_ingress_port),
		cmocka_unit_test(dcqcn_makes_them_fair),
		cmocka_unit_test(pfc_stops_all_classes_of_a_hosts_queue),
		cmocka_unit_test(pause_802_3x_stops_a_host_that_honours_it),
	};

	return cmocka_run_group_tests_name("pfc", tests, NULL, NULL);
}
