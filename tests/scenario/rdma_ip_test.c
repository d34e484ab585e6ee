// SPDX-License-Identifier: BSD-3-Clause
// The RDMA IP: its three schemes beside each other, ConnectX's engine, and preloads against writes
// at time 0.
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "cap/cap.h"
#include "scn.h"

static double queue(const struct scn *s, const char *port, const char *figure)
{
	char path[64];

	snprintf(path, sizeof(path), "queue.%s.3.%s", port, figure);
	return scn_value(s, path);
}

// Hardware cuts by alpha and rises by three phases; the example's firmware halves and rises by one
// step, which costs utilization; what masks let pass comes at line rate, so that the same mean
// stands as bursts in the queue.
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
	// 8 requests of two senders, and the frames on their way
	scn_in(&braked, "queue with it", queue(&braked, "s1:r", "mean_bytes"), 40e3, 65e3);
	scn_in(&braked, "share of the line", scn_gbps(&braked, "f") / (100 * 1024.0 / 1106), 0.9,
		1);
	scn_in(&braked, "cuts", scn_value(&braked, "flow.f[h1>r.0].rp_decrease"), 0, 0);
	scn_free(&free_run);
	scn_free(&braked);
}

// The core's own notification point answers every CE frame; the merge period makes few cuts of many
// CNPs.
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

#define BURSTS 1300

struct bursts {
	unsigned n;
	uint64_t at_ns[BURSTS];
	unsigned frames[BURSTS];
};

// Data frames that follow each other as the wire allows, 1106 bytes or, with a RETH, 1122 apart.
static void read_bursts(struct bursts *b, const char *path)
{
	struct cap_frame f;
	struct cap_in *in;
	struct err err;
	uint64_t last = 0;

	*b = (struct bursts){0};
	if (cap_in_open(&in, path, &err))
		fail_msg("%s", err.text);
	while (cap_in_next(in, &f, &err) == 1) {
		if (f.len < 500) // an ACK; the last frame of a message has 576 bytes of payload
			continue;
		if (!b->n || f.ns - last > 91) {
			assert_in_range(b->n, 0, BURSTS - 1);
			b->at_ns[b->n++] = f.ns;
		}
		b->frames[b->n - 1]++;
		last = f.ns;
	}
	cap_in_close(in);
}

static void captured(struct scn *s, struct bursts *b)
{
	char dir[] = "/tmp/quench-rdma-ip-XXXXXX", out[64], name[64], command[80];

	assert_non_null(mkdtemp(dir));
	snprintf(out, sizeof(out), "out=%s", dir);
	*s = scn_run("rdma-ip-window.yaml", out, NULL);
	snprintf(name, sizeof(name), "%s/capture.pcapng", dir);
	read_bursts(b, name);
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	assert_int_equal(system(command), 0);
}

// 7944 bytes in 1024 cycles of 322.265625 MHz: 7.18 frames at the line's rate, each 3.1775 us.
static void windows_pass_their_bytes_in_bursts(void **state)
{
	const double goodput = 7944 * 8 / 1024.0 * 322265625 / 1e9 * 1024 / 1106;
	static struct bursts b;
	double least = 100, most = 0, off = 0;
	struct scn s;

	(void)state;
	captured(&s, &b);
	for (unsigned i = 1; i <= 4; i++) {
		char spaced[32], windowed[32];

		snprintf(spaced, sizeof(spaced), "space[a%u", i);
		snprintf(windowed, sizeof(windowed), "window[b%u", i);
		scn_in(&s, "goodput of windows against the rate", scn_gbps(&s, windowed) / goodput,
			0.999, 1.001);
		scn_in(&s, "goodput of spacing against it", scn_gbps(&s, spaced) / goodput, 0.999,
			1.001);
	}
	scn_in(&s, "bursts in 4 ms", b.n, 4e6 / 3177.503, 1 + 4e6 / 3177.503);
	for (unsigned i = 0; i + 1 < b.n; i++) { // the last may be cut by the end
		double at = b.at_ns[i] - i * 3177.50303;

		least = b.frames[i] < least ? b.frames[i] : least;
		most = b.frames[i] > most ? b.frames[i] : most;
		off = fabs(at) > off ? fabs(at) : off;
	}
	scn_in(&s, "frames of the shortest burst", least, 7, 7);
	scn_in(&s, "frames of the longest", most, 8, 8);
	scn_in(&s, "begins of bursts beside those of windows, ns", off, 0, 1);
	// Three of four bursts of eight frames wait for the fourth; of four frames that meet,
	// three.
	scn_in(&s, "queue of windows", queue(&s, "s2:rb", "max_bytes"), 0.99 * 3 * 8 * 1086,
		1.01 * 3 * 8 * 1086);
	scn_in(&s, "queue of spacing", queue(&s, "s1:ra", "max_bytes"), 1086, 4 * 1102);
	scn_in(&s, "queue of windows in step against others, mean",
		queue(&s, "s2:rb", "mean_bytes") / queue(&s, "s3:rc", "mean_bytes"), 2, 5);
	scn_in(&s, "queue of those others against spacing, mean",
		queue(&s, "s3:rc", "mean_bytes") / queue(&s, "s1:ra", "mean_bytes"), 1.5, 4);
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
		cmocka_unit_test(windows_pass_their_bytes_in_bursts),
		cmocka_unit_test(connectx_holds_a_short_queue),
	};

	return cmocka_run_group_tests_name("rdma_ip", tests, NULL, NULL);
}
