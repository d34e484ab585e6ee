// SPDX-License-Identifier: BSD-3-Clause
// DCQCN settles where its fluid model says: the fixed point, solved here, against the mean queue of
// long runs. QUENCH_LONG=1 in the environment runs ten times as long, with the tolerance halved.
#include "scn.h"

#include <math.h>
#include <stdlib.h>

// The model (Zhu et al., CoNEXT 2016) in packets and seconds. At rest all N flows have C / N, and a
// packet is marked with probability p:
//   alpha     = 1 - (1 - p)^(tau' R)
// Rt - Rc   = tau Rai R (S_B + S_T) / (1 - (1 - p)^(tau R))   increases against cuts of the target
// alpha / tau (1 - (1 - p)^(tau R)) = (Rt - Rc) (E_B + E_T)   cuts against the way back to the
// target where an event each n packets happens E = p / ((1 - p)^-n - 1) times a packet, and raises
// the target when it is at least the F-th in a row without a mark: S = (1 - p)^(F n) E.
struct fluid {
	double c, rai; // packets a second
	double tau, tau_alpha, t,
		b; // CNP interval, alpha's timer, rate timer in s; byte counter in packets
	double f;
	double kmin, kmax, pmax; // of RED, bytes
};

static double events(double p, double n)
{
	return p / expm1(-n * log1p(-p));
}

// Cuts less increases; rises with p.
static double excess(const struct fluid *m, double r, double p)
{
	double marked = -expm1(m->tau * r * log1p(-p));
	double alpha = -expm1(m->tau_alpha * r * log1p(-p));
	double eb = events(p, m->b), et = events(p, m->t * r);
	double raises = pow(1 - p, m->f * m->b) * eb + pow(1 - p, m->f * m->t * r) * et;
	double ahead = m->tau * m->rai * r * raises / marked;

	return alpha / m->tau * marked - ahead * (eb + et);
}

static double fixed_point(const struct fluid *m, unsigned n)
{
	double lo = 1e-9, hi = 0.5;

	for (unsigned i = 0; i < 200; i++) {
		double p = sqrt(lo * hi);

		if (excess(m, m->c / n, p) > 0)
			hi = p;
		else
			lo = p;
	}
	return lo;
}

// Its first-order solution: p = cbrt(Rai N^2 / (tau C^2) (1 / B + N / (T C))^2).
static double closed_form(const struct fluid *m, unsigned n)
{
	double step = 1 / m->b + n / (m->t * m->c);

	return cbrt(m->rai * n * n / (m->tau * m->c * m->c) * step * step);
}

static double queue_at(const struct fluid *m, double p)
{
	return m->kmin + p / m->pmax * (m->kmax - m->kmin);
}

// The paper's values; frames of `wire` bytes on the link, of which the byte counter counts
// `counted`.
static struct fluid paper(double wire, double counted)
{
	return (struct fluid){.c = 40e9 / 8 / wire,
		.rai = 40e6 / 8 / wire,
		.tau = 50e-6,
		.tau_alpha = 55e-6,
		.t = 55e-6,
		.b = 10e6 / counted,
		.f = 5,
		.kmin = 5e3,
		.kmax = 200e3,
		.pmax = 0.01};
}

static struct fluid ours(void)
{
	return paper(1106, 1086); // 1024 of payload: with FCS, and with preamble and gap
}

static void near(const char *what, double value, double want, double tolerance)
{
	printf("  %-40s %12.5g   (%.5g +- %g %%)\n", what, value, want, 100 * tolerance);
	assert_true(fabs(value - want) <= tolerance * want);
}

// Worked examples, 1 KB packets: N, p in percent, queue in KB.
static void worked_examples(void **state)
{
	struct fluid m = paper(1000, 1000);

	(void)state;
	near("N=2: p, percent", 100 * closed_form(&m, 2), 0.0955, 0.001);
	near("N=2: queue, KB", queue_at(&m, closed_form(&m, 2)) / 1e3, 23.6, 0.002);
	near("N=8: p, percent", 100 * closed_form(&m, 8), 0.602, 0.001);
	near("N=8: queue, KB", queue_at(&m, closed_form(&m, 8)) / 1e3, 122.4, 0.001);
	near("N=16: p, percent", 100 * closed_form(&m, 16), 1.515, 0.001);
	// The closed form is of first order, and lies above the solution.
	for (unsigned n = 2; n <= 16; n++)
		assert_true(fixed_point(&m, n) < closed_form(&m, n) &&
			    fixed_point(&m, n) > 0.7 * closed_form(&m, n));
}

static bool is_long(void)
{
	const char *v = getenv("QUENCH_LONG");

	return v && *v == '1';
}

// One run over a window that begins at `warmup_ms`.
static struct scn run_window(unsigned warmup_ms, unsigned end_ms)
{
	char warmup[40], end[40];

	snprintf(warmup, sizeof(warmup), "warmup=%ums", warmup_ms);
	snprintf(end, sizeof(end), "duration=%ums", end_ms);
	return scn_run("dcqcn-fixed-point.yaml", warmup, end, NULL);
}

// 2:1 at 40 Gb/s: equal shares, a full link, and a queue that is the same in each part of a long
// run.
static void two_senders_stay_where_they_are(void **state)
{
	struct fluid m = ours();
	double want = queue_at(&m, fixed_point(&m, 2)), half = 40.0 / 2 * 1024 / 1106;
	unsigned part = is_long() ? 500 : 75;

	(void)state;
	for (unsigned from = 50; from < 50 + 2 * part; from += part) {
		struct scn s = run_window(from, from + part);

		scn_in(&s, "mean queue, bytes", scn_value(&s, "bottleneck.mean_bytes"), 0.7 * want,
			1.1 * want);
		scn_in(&s, "p99 of the queue, bytes", scn_value(&s, "bottleneck.p99_bytes"), want,
			100e3);
		scn_in(&s, "utilization, %", scn_value(&s, "utilization"), 98, 100.01);
		scn_in(&s, "Jain", scn_value(&s, "jain"), 0.99, 1.0001);
		for (unsigned i = 0; i < 2; i++)
			scn_in(&s, "share, Gb/s", scn_flow_gbps(&s, i), 0.9 * half, 1.1 * half);
		scn_in(&s, "pauses", scn_value(&s, "pauses"), 0, 0);
		scn_free(&s);
	}
}

// On a slope as steep as the paper's, but ten times as long, so that no queue comes to its end.
// With two flows the queue is as often empty as full and cannot swing below zero, which the model
// does not know: its mean is less by some 15 %.
static void the_queue_grows_with_the_flows_as_the_model_says(void **state)
{
	static const struct {
		unsigned n;
		double low, high; // of the fixed point
	} step[] = {{2, 0.75, 1.05}, {4, 0.82, 1.05}, {8, 0.9, 1.1}, {16, 0.9, 1.1}};
	const char *duration = is_long() ? "duration=1500ms" : "duration=150ms";
	struct fluid m = ours();
	double last = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof(step) / sizeof(step[0]); i++) {
		double tighter = is_long() ? 0.5 : 1;
		double want = queue_at(&m, fixed_point(&m, step[i].n)), mean;
		double p = fixed_point(&m, step[i].n);
		char from[40], what[60];
		struct scn s;

		snprintf(from, sizeof(from), "flows.incast.from=h1..%u", step[i].n);
		s = scn_run("dcqcn-fixed-point.yaml", from, duration,
			"switches.s1.classes.3.wred.max=1955KB",
			"switches.s1.classes.3.wred.probability=10%", NULL);
		mean = scn_value(&s, "bottleneck.mean_bytes");
		snprintf(what, sizeof(what), "%u:1, mean queue over the fixed point", step[i].n);
		scn_in(&s, what, mean / want, 1 - (1 - step[i].low) * (i < 2 ? 1 : tighter),
			1 + (step[i].high - 1) * tighter);
		scn_in(&s, "marked share over p", scn_value(&s, "ecn_marking_ratio") / p, 0.75,
			1.15);
		scn_in(&s, "Jain", scn_value(&s, "jain"), 0.99, 1.0001);
		assert_true(mean > last);
		last = mean;
		scn_free(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worked_examples),
		cmocka_unit_test(two_senders_stay_where_they_are),
		cmocka_unit_test(the_queue_grows_with_the_flows_as_the_model_says),
	};

	return cmocka_run_group_tests_name("fixed-point", tests, NULL, NULL);
}
