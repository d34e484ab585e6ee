// SPDX-License-Identifier: BSD-3-Clause
// What sonic-mgmt's open gaps ask of a switch that is paused: how soon, for how long, and whom it
// leaves alone.
#include "sniff.h"

#include <math.h>

#include "../../cap_all.h"

#define WIRE    (ACC_FRAME + 20)
#define FRAME   (WIRE * 0.08) // ns at 100 Gb/s
#define QUANTUM 5.12
#define ROUND   1.5 // ns: two timestamps of a capture are rounded

// Instants in a capture at the switch's egress, ns from the first frame on. A sent frame has the
// instant of its first bit, a received frame that of its last.
struct pause_seen {
	double pfc_ns[4];
	unsigned pfcs;
	double before_ns, after_ns; // of the longest gap between two beginnings
	double last_ns;             // last beginning
};

static void look(struct pause_seen *seen, const struct cap *c)
{
	*seen = (struct pause_seen){.last_ns = NAN};
	for (unsigned i = 0; i < c->n; i++) {
		const uint8_t *o = c->frame[i].bytes;
		double at = (double)c->frame[i].at / PS_PER_NS;

		if (o[12] == 0x88 && o[13] == 0x08) {
			assert_true(seen->pfcs < 4);
			seen->pfc_ns[seen->pfcs++] = at;
			continue;
		}
		if (at - seen->last_ns > seen->after_ns - seen->before_ns) {
			seen->before_ns = seen->last_ns;
			seen->after_ns = at;
		}
		seen->last_ns = at;
	}
}

static struct scn run(const char *name, struct pause_seen *seen, const char *set, const char *more)
{
	char path[64], file[96];
	struct sniff f;
	struct err err;
	struct cap c;
	struct scn s;

	sniff_open(&f);
	snprintf(file, sizeof(file), "acceptance/%s.yaml", name);
	s = scn_run(file, f.out, set, more, NULL);
	snprintf(path, sizeof(path), "%s/capture.pcapng", f.dir);
	if (cap_read(&c, path, &err))
		fail_msg("%s", err.text);
	look(seen, &c);
	cap_free(&c);
	sniff_close(&f);
	return s;
}

// 802.3 31B.3.7: quanta by speed.
static const struct {
	double gbps;
	unsigned quanta;
} allowed[] = {{10, 67}, {25, 80}, {40, 118}, {50, 147}, {100, 394}, {200, 453}, {400, 905}};

// When the last frame begins after the PFC frame came, in quanta.
static void responds(double gbps, unsigned limit, unsigned quanta, double lo, double hi)
{
	double quantum = 512 / gbps, slack = ROUND / quantum;
	char rate[64], late[64];
	struct pause_seen seen;
	struct scn s;

	snprintf(rate, sizeof(rate), "defaults.links.rate=%.0fGbps", gbps);
	snprintf(late, sizeof(late), "switches.s1.pfc_response=%u", quanta);
	s = run("test_response_time", &seen, rate, late);
	assert_int_equal(seen.pfcs, 1);
	printf("  %.0f Gb/s, 31B.3.7 allows %u quanta, pfc_response %u\n", gbps, limit, quanta);
	scn_in(&s, "last frame begins after, quanta", (seen.last_ns - seen.pfc_ns[0]) / quantum,
		lo - slack, hi + slack);
	scn_free(&s);
}

static void test_response_time(void **state)
{
	(void)state;
	acc_row("3.4 #6223", "test_response_time");
	for (unsigned i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
		double frame = WIRE * 8 / 512.0;
		unsigned n = allowed[i].quanta;

		// None begins any more; the last one began a frame ago at most.
		responds(allowed[i].gbps, n, 0, -frame, 0);
		// As slow as is allowed: not slower, and no more than a frame faster.
		responds(allowed[i].gbps, n, n, n - frame, n);
	}
}

// The first frame after the pause begins when it ends, or when the one that had begun is over.
static void test_pfc_pause_exact_time(void **state)
{
	static const unsigned quanta[] = {1, 16, 17, 18, 255, 1000, 0x1fff, 0x3fff, 65535};

	(void)state;
	acc_row("3.4 #9843", "test_pfc_pause_exact_time");
	for (unsigned i = 0; i < sizeof(quanta) / sizeof(quanta[0]); i++) {
		double pause = quanta[i] * QUANTUM, begun;
		struct pause_seen seen;
		char set[64];
		struct scn s;

		snprintf(set, sizeof(set), "events.0.mac_frames.quanta=%u", quanta[i]);
		s = run("test_pfc_pause_exact_time", &seen, set, NULL);
		printf("  %u quanta, %.2f ns\n", quanta[i], pause);
		begun = seen.before_ns + FRAME - seen.pfc_ns[0];
		if (pause > FRAME)
			scn_in(&s, "first frame begins after, ns", seen.after_ns - seen.pfc_ns[0],
				fmax(pause, begun) - ROUND, fmax(pause, begun) + ROUND);
		acc_in(&s, pause / 1e3 - 1e-6, pause / 1e3 + 1e-6, "pfc.s1:r.3.pause_effective_us");
		acc_is(&s, 1, "pfc.s1:r.3.transitions_off");
		scn_free(&s);
	}
}

// Pauses at a part of the rate at which they would be one: the priority has the other part.
static void test_pfc_pause_sweep(void **state)
{
	static const unsigned quanta[] = {0x1fff, 0x3fff, 0x7fff}, part[] = {8, 4, 2};

	(void)state;
	acc_row("3.4 #25668", "test_pfc_pause_sweep");
	for (unsigned i = 0; i < 9; i++) {
		double pause = quanta[i / 3] * QUANTUM, period = pause * part[i % 3];
		double share = 100 - 100.0 / part[i % 3], frame = 100 * 2 * FRAME / period;
		char q[64], every[64], warmup[64], duration[64];
		struct scn s;

		snprintf(q, sizeof(q), "events.0.mac_frames.quanta=%u", quanta[i / 3]);
		snprintf(every, sizeof(every), "events.0.mac_frames.every=%.2fns", period);
		// Two periods, from before a PFC frame to before the one after next.
		snprintf(warmup, sizeof(warmup), "warmup=%.2fns", 20000 + period);
		snprintf(duration, sizeof(duration), "duration=%.2fns", 20000 + 3 * period);
		s = scn_run(
			"acceptance/test_pfc_pause_sweep.yaml", q, every, warmup, duration, NULL);
		printf("  quanta 0x%x, %.0f frames a second (A/%u)\n", quanta[i / 3], 1e9 / period,
			part[i % 3]);
		acc_in(&s, 1.0 / part[i % 3] - 1e-6, 1.0 / part[i % 3] + 1e-6,
			"pfc.s1:r.3.pause_ratio");
		acc_in(&s, share - frame, share + frame, "link.s1:r.utilization_percent");
		acc_is(&s, 0, "drops");
		scn_free(&s);
	}
}

static void test_pfc_xon_xoff_xon(void **state)
{
	struct pause_seen seen;
	struct scn s = run("test_pfc_xon_xoff_xon", &seen, NULL, NULL);

	(void)state;
	acc_row("3.4 #25668", "test_pfc_xon_xoff_xon");
	assert_int_equal(seen.pfcs, 3);
	scn_in(&s, "stands still from, ns after XOFF", seen.before_ns + FRAME - seen.pfc_ns[1], 0,
		FRAME);
	scn_in(&s, "until, ns after XON", seen.after_ns - seen.pfc_ns[2], -ROUND, ROUND);
	acc_in(&s, 40 - 1e-6, 40 + 1e-6, "pfc.s1:r.3.pause_effective_us");
	acc_is(&s, 2, "pfc.s1:r.3.xon_frames");
	acc_is(&s, 1, "pfc.s1:r.3.transitions_off");
	acc_is(&s, 0, "pfc.s1:r.3.expired");
	scn_free(&s);
}

static void test_pfc_pause_tc3_victims(void **state)
{
	static const char file[] = "acceptance/test_pfc_pause_tc3_victims.yaml";
	struct scn storm = scn_run(file, NULL),
		   calm = scn_run(file, "events.0.mac_frames.quanta=0", NULL);

	(void)state;
	acc_row("3.4 #16190", "test_pfc_pause_tc3_victims");
	acc_is(&storm, 0, "source.prio3[h1>r].rx_frames");
	for (unsigned p = 0; p <= 4; p += 4) {
		double tx = acc(&storm, "source.prio%u[h1>r].tx_frames", p);

		acc_is(&calm, tx, "source.prio%u[h1>r].rx_frames", p);
		acc_is(&storm, tx, "source.prio%u[h1>r].rx_frames", p);
		acc_in(&storm, 0, acc(&calm, "source.prio%u[h1>r].avg_latency", p),
			"source.prio%u[h1>r].avg_latency", p);
		acc_in(&storm, 0, acc(&calm, "source.prio%u[h1>r].max_latency", p),
			"source.prio%u[h1>r].max_latency", p);
		scn_in(&storm, "PFC for it", acc_pfc(&storm, "pfc_tx.s1:h1.%u.xoff_frames", p), 0,
			0);
	}
	acc_is(&storm, 0, "drops");
	scn_free(&storm);
	scn_free(&calm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_response_time),
		cmocka_unit_test(test_pfc_pause_exact_time),
		cmocka_unit_test(test_pfc_pause_sweep),
		cmocka_unit_test(test_pfc_xon_xoff_xon),
		cmocka_unit_test(test_pfc_pause_tc3_victims),
	};

	return cmocka_run_group_tests_name("acceptance response", tests, NULL, NULL);
}
