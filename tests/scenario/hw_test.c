// SPDX-License-Identifier: BSD-3-Clause
// The RDMA IP: its three schemes beside each other, ConnectX's engine, and preloads against writes at time 0.
#include <stdlib.h>

#include "scn.h"

static double queue(const struct scn *s, const char *port, const char *figure)
{
	char path[64];

	snprintf(path, sizeof(path), "queue.%s.3.%s", port, figure);
	return scn_value(s, path);
}

// Hardware cuts by alpha and rises by three phases; the example's firmware halves and rises by one step, which costs
// utilization; what masks let pass comes at line rate, so that the same mean stands as bursts in the queue.
static void three_schemes_differ_as_they_must(void **state)
{
	struct scn s = scn_run("rdma-ip.yaml", "hosts.b1..4.firmware.file=" AIMD,
		"hosts.c1..4.firmware.file=" AIMD, NULL);
	double line = 100 * 1024.0 / 1106, hard = scn_gbps(&s, "hard"), rate = scn_gbps(&s, "rate"),
	       mask = scn_gbps(&s, "mask");

	(void)state;
	scn_in(&s, "drops", scn_value(&s, "drops"), 0, 0);
	scn_in(&s, "hardware's share of the line", hard / line, 0.93, 1);
	scn_in(&s, "hardware's Jain", scn_value(&s, "group.hard.jain"), 0.95, 1);
	scn_in(&s, "firmware's share of the line", rate / line, 0.8, 1);
	scn_in(&s, "firmware's Jain", scn_value(&s, "group.rate.jain"), 0.9, 1);
	scn_in(&s, "masked against limited", mask / rate, 0.4, 0.95);
	scn_in(&s, "p99 of the queue, masked against limited",
		queue(&s, "s3:rc", "p99_bytes") / queue(&s, "s2:rb", "p99_bytes"), 1.15, 10);
	scn_in(&s, "hardware's own cuts", scn_value(&s, "flow.hard[a1>ra.0].rp_decrease"), 10,
		1000);
	scn_in(&s, "cuts where hardware is off", scn_value(&s, "flow.rate[b1>rb.0].rp_decrease"), 0,
		0);
	scn_in(&s, "rates that firmware wrote", scn_value(&s, "flow.rate[b1>rb.0].rp_written"), 100,
		1000);
	scn_in(&s, "rates written by what only masks",
		scn_value(&s, "flow.mask[c1>rc.0].rp_written"), 0, 0);
	scn_free(&s);
}

// 8 of 16 requests outstanding: small ones, so that the brake is seen; the rate is left alone.
static void the_brake_holds_after_a_cnp(void **state)
{
	struct scn free_run = scn_run("rdma-ip-brake.yaml", "controls.ip.scheme=3", NULL);
	struct scn braked = scn_run("rdma-ip-brake.yaml", NULL);

	(void)state;
	scn_in(&free_run, "queue without the brake", queue(&free_run, "s1:r", "mean_bytes"), 90e3,
		140e3);
	// 8 requests of two senders and what is on its way
	scn_in(&braked, "queue with it", queue(&braked, "s1:r", "mean_bytes"), 40e3, 65e3);
	scn_in(&braked, "share of the line", scn_gbps(&braked, "f") / (100 * 1024.0 / 1106), 0.9,
		1);
	scn_in(&braked, "cuts", scn_value(&braked, "flow.f[h1>r.0].rp_decrease"), 0, 0);
	scn_free(&free_run);
	scn_free(&braked);
}

// The core's own notification point answers every CE frame; the merge period makes few cuts of many CNPs.
static void every_marked_frame_is_answered_and_merged(void **state)
{
	struct scn s = scn_run("rdma-ip.yaml", "hosts.b1..4.firmware.file=" AIMD,
		"hosts.c1..4.firmware.file=" AIMD, "hosts.ra.np.interval=0us", "duration=16ms",
		"warmup=0ms", NULL);
	double cnps = 0, cuts = 0, marks = 0;

	(void)state;
	for (unsigned i = 1; i <= 4; i++) {
		char path[64];

		snprintf(path, sizeof(path), "flow.hard[a%u>ra.0].cnp_rx", i);
		cnps += scn_value(&s, path);
		snprintf(path, sizeof(path), "flow.hard[a%u>ra.0].ecn_ce_rx", i);
		marks += scn_value(&s, path);
		snprintf(path, sizeof(path), "flow.hard[a%u>ra.0].rp_decrease", i);
		cuts += scn_value(&s, path);
	}
	scn_in(&s, "CNPs of marked frames", cnps / marks, 0.99, 1);
	scn_in(&s, "marked frames", marks, 100, 1e5);
	scn_in(&s, "cuts of CNPs", cuts / cnps, 0.02, 0.9);
	scn_free(&s);
}

// NVIDIA's defaults on both ends: CNPs every 4 us, a decrease timer of 4 us.
static void connectx_holds_a_short_queue(void **state)
{
	struct scn s = scn_run("connectx.yaml", NULL);

	(void)state;
	scn_in(&s, "share of the line", scn_gbps(&s, "incast") / (100 * 1024.0 / 1106), 0.95, 1);
	scn_in(&s, "Jain", scn_value(&s, "jain"), 0.97, 1);
	scn_in(&s, "queue", queue(&s, "s1:r", "mean_bytes"), 10e3, 200e3);
	scn_in(&s, "drops", scn_value(&s, "drops"), 0, 0);
	scn_in(&s, "pauses", scn_value(&s, "pauses"), 0, 0);
	scn_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_schemes_differ_as_they_must),
		cmocka_unit_test(the_brake_holds_after_a_cnp),
		cmocka_unit_test(every_marked_frame_is_answered_and_merged),
		cmocka_unit_test(connectx_holds_a_short_queue),
	};

	return cmocka_run_group_tests_name("hw", tests, NULL, NULL);
}
