// SPDX-License-Identifier: BSD-3-Clause
// DCTCP and TIMELY in closed loops. In the reference simulator's framing: its results to the ns,
// unless a tie decides; then within the band of its runs with jittered starts. In Ethernet's
// framing: the claims of the papers.
#include "scn.h"

#include <string.h>

#define SETS 12
#define RUNS 5

// Starts of five runs that nothing ties, in ns up to 10 us, flow by flow.
static const unsigned starts[RUNS][8] = {
	{6393, 249, 2750, 2232, 7364, 6766, 8921, 869},
	{4219, 297, 2186, 5053, 265, 1988, 6498, 5449},
	{2204, 5892, 8094, 64, 8058, 6981, 3402, 1554},
	{9572, 3365, 927, 967, 8474, 6037, 8071, 7297},
	{5362, 9731, 3785, 5520, 8294, 6185, 8617, 5773},
};

// A run of `file` with up to three settings; with `run` below RUNS the starts are those, with
// `late` us more for the second.
static struct scn closed(const char *file, unsigned run, unsigned flows, unsigned late,
	const char *one, const char *two, const char *three)
{
	char at[8][48];
	const char *a[SETS] = {one, two, three};
	unsigned n = one ? two ? three ? 3 : 2 : 1 : 0;

	for (unsigned i = 0; run < RUNS && i < flows; i++) {
		snprintf(at[i], sizeof(at[i]), "flows.f%u.start=%uns", i + 1,
			starts[run][i] + (i == 1 ? 1000 * late : 0));
		a[n++] = at[i];
	}
	return scn_run(
		file, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], NULL);
}

// When the last ACK of a flow came, ns after its start.
static double fct_ns(const struct scn *s, unsigned flow)
{
	char path[128];

	snprintf(path, sizeof(path), "flow.%s.flow_completion_time", s->scene->flow[flow]->name);
	return scn_value(s, path) * 1e3;
}

static void fct_is(const struct scn *s, unsigned flow, double ns)
{
	scn_in(s, s->scene->flow[flow]->name, fct_ns(s, flow), ns - 0.5, ns + 0.5);
}

static void peaceful(const struct scn *s)
{
	scn_in(s, "drops, whole run", scn_value(s, "drops_total"), 0, 0);
	scn_in(s, "pauses", scn_value(s, "pauses"), 0, 0);
}

// The window alone holds the queue; the K of the simulator is never reached.
static void a_window_below_k_is_never_marked(void **state)
{
	struct scn s = closed("cc-2to1.yaml", RUNS, 0, 0, NULL, NULL, NULL);

	(void)state;
	scn_in(&s, "mean queue", scn_value(&s, "queue.n0:n3.3.mean_bytes"), 16706, 16730);
	scn_in(&s, "longest queue", scn_value(&s, "queue.n0:n3.3.max_bytes"), 16768, 16768);
	scn_in(&s, "goodput of one", scn_flow_gbps(&s, 0), 11.940, 11.942);
	scn_in(&s, "CE", scn_value(&s, "ecn_ce_rx"), 0, 0);
	peaceful(&s);
	scn_free(&s);
	s = closed("cc-2to1.yaml", RUNS, 0, 0, "duration=21ms", NULL, NULL);
	fct_is(&s, 0, 20104038);
	fct_is(&s, 1, 20104373);
	scn_free(&s);
}

#define LOW_K \
	"switches.n0.classes.3.wred={min: 10000, max: 10000, probability: 100%, mark: dequeue}"

static void a_window_above_k_is_marked(void **state)
{
	double queue = 0, ce = 0;
	struct scn s = closed("cc-2to1.yaml", RUNS, 0, 0, LOW_K, "duration=21ms", "warmup=0us");

	(void)state;
	fct_is(&s, 0, 20104038);
	fct_is(&s, 1, 20104373);
	scn_in(&s, "CE, whole run", scn_value(&s, "ecn_ce_rx"), 10468, 10468);
	scn_in(&s, "cuts, whole run", scn_value(&s, "rate_cuts"), 2 * 654, 2 * 654);
	scn_free(&s);
	for (unsigned i = 0; i < RUNS; i++) {
		s = closed("cc-2to1.yaml", i, 2, 0, LOW_K, NULL, NULL);
		queue += scn_value(&s, "queue.n0:n3.3.mean_bytes") / RUNS;
		ce += 100 * scn_value(&s, "ecn_ce_rx") / scn_value(&s, "queue.n0:n3.3.tx_frames") /
		      RUNS;
		peaceful(&s);
		if (i == RUNS - 1) {
			scn_in(&s, "mean queue", queue, 10368, 10764);
			scn_in(&s, "marked %", ce, 17.42, 17.59);
		}
		scn_free(&s);
	}
}

static void eight_windows_stand_at_k(void **state)
{
	double queue = 0, ce = 0, jain = 0, mean = 0, last = 0;

	(void)state;
	for (unsigned i = 0; i < RUNS; i++) {
		struct scn s = closed("cc-8to1.yaml", i, 8, 0, NULL, NULL, NULL);

		queue += scn_value(&s, "queue.n0:n9.3.mean_bytes") / RUNS;
		ce += 100 * scn_value(&s, "ecn_ce_rx") / scn_value(&s, "queue.n0:n9.3.tx_frames") /
		      RUNS;
		jain += scn_value(&s, "jain") / RUNS;
		peaceful(&s);
		scn_free(&s);
		s = closed("cc-8to1.yaml", i, 8, 0, "duration=21ms", NULL, NULL);
		mean += scn_value(&s, "fct_mean_us") / RUNS;
		last = scn_value(&s, "fct_max_us");
		scn_in(&s, "last FCT, us", last, 19910, 19930);
		if (i == RUNS - 1) {
			scn_in(&s, "mean queue", queue, 298228, 298518);
			scn_in(&s, "marked %", ce, 5.023, 5.955);
			scn_in(&s, "Jain", jain, 0.9865, 0.9979);
			scn_in(&s, "mean FCT, us", mean, 19193, 19465);
		}
		scn_free(&s);
	}
}

// The simulator counts each decision to decrease, those at the least rate too.
static double decreases(const struct scn *s)
{
	double n = 0;
	char path[128];

	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "flow.%s.rp_decrease", s->scene->flow[i]->name);
		n += scn_value(s, path);
	}
	scn_in(s, "cuts", scn_value(s, "rate_cuts"), 0.9 * n, n);
	return n / 2;
}

static void timely_two_to_one(void **state)
{
	double queue = 0, p99 = 0, goodput = 0, mean = 0, cuts = 0;

	(void)state;
	for (unsigned i = 0; i < RUNS; i++) {
		struct scn s = closed("cc-timely.yaml", i, 2, 0, NULL, NULL, NULL);

		queue += scn_value(&s, "queue.n0:n3.3.mean_bytes") / RUNS;
		p99 += scn_value(&s, "queue.n0:n3.3.p99_bytes") / RUNS;
		goodput += scn_value(&s, "goodput_gbps") / RUNS;
		peaceful(&s);
		scn_free(&s);
		s = closed("cc-timely.yaml", i, 2, 0, "duration=26ms", "warmup=0us", NULL);
		mean += scn_value(&s, "fct_mean_us") / RUNS;
		cuts += decreases(&s) / RUNS;
		if (i == RUNS - 1) {
			scn_in(&s, "mean queue", queue, 55132, 58239);
			scn_in(&s, "p99 of the queue", p99, 192192, 202752);
			scn_in(&s, "goodput", goodput, 25 * 1000.0 / 1056 * 0.8895,
				25 * 1000.0 / 1056 * 0.8979);
			scn_in(&s, "mean FCT, us", mean, 22752, 22944);
			scn_in(&s, "decreases of a flow", cuts, 54, 56.5);
		}
		scn_free(&s);
	}
}

static void timely_late_join(void **state)
{
	double queue = 0, mean = 0, cuts = 0;

	(void)state;
	for (unsigned i = 0; i < RUNS; i++) {
		struct scn s = closed("cc-timely.yaml", i, 2, 5000, "flows.f1.message=40000000",
			"flows.f2.message=20000000", "warmup=8ms");

		queue += scn_value(&s, "queue.n0:n3.3.mean_bytes") / RUNS;
		peaceful(&s);
		scn_free(&s);
		s = closed("cc-timely.yaml", i, 2, 5000, "flows.f1.message=40000000",
			"flows.f2.message=20000000", "duration=26ms");
		mean += (fct_ns(&s, 0) + fct_ns(&s, 1)) / 2e3 / RUNS;
		cuts += decreases(&s) / RUNS;
		if (i == RUNS - 1) {
			scn_in(&s, "mean queue", queue, 53777, 57923);
			scn_in(&s, "mean FCT, us", mean, 18618, 19101);
			scn_in(&s, "decreases of a flow", cuts, 36, 38);
		}
		scn_free(&s);
	}
}

// The frames of the simulator have the bytes of headers and payload. No frame is padded, neither to
// four bytes nor to the shortest frame of Ethernet.
static void a_message_alone_takes_what_its_bytes_take(void **state)
{
	static const struct {
		const char *set;
		double near, far; // ns
	} of[] = {
		{"defaults.flows.message=1", 4068, 8082},
		{"defaults.flows.message=814", 4588, 8732},
		{"defaults.flows.message=1000", 4708, 8882},
		// The last frame is shorter than an ACK: its ACK waits for the one before.
		{"defaults.flows.message=1001", 4727, 8901},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		struct scn s = scn_run("sim-alone.yaml", of[i].set, NULL);

		fct_is(&s, 0, of[i].near);
		fct_is(&s, 1, of[i].far);
		scn_in(&s, "slowdown", scn_value(&s, "slowdown_max"), 1, 1);
		scn_free(&s);
	}
}

// Near K from both sides, with a full link: of the senders' windows nothing is lost to a cut.
static void dctcps_queue_stays_near_k(void **state)
{
	struct scn s = scn_run("dctcp.yaml", NULL);

	(void)state;
	scn_in(&s, "mean queue", scn_value(&s, "queue.s1:r.3.mean_bytes"), 0.8 * 72e3, 72e3);
	scn_in(&s, "p99 of the queue", scn_value(&s, "queue.s1:r.3.p99_bytes"), 72e3, 1.1 * 72e3);
	scn_in(&s, "empty", scn_value(&s, "queue.s1:r.3.empty_percent"), 0, 0);
	scn_in(&s, "utilization", scn_value(&s, "utilization"), 99.9, 100);
	scn_in(&s, "Jain", scn_value(&s, "jain"), 0.99, 1);
	scn_in(&s, "CNPs", scn_value(&s, "cnp_tx"), 0, 0);
	peaceful(&s);
	scn_free(&s);
}

static void timelys_rtt_stays_below_t_high(void **state)
{
	struct scn s = scn_run("timely.yaml", NULL);

	(void)state;
	scn_in(&s, "p99 of the RTT, us", scn_value(&s, "group.incast.rtt_p99_us"), 50, 100);
	scn_in(&s, "longest RTT, us", scn_value(&s, "group.incast.rtt_max_us"), 50, 500);
	scn_in(&s, "p50 of the RTT, us", scn_value(&s, "group.incast.rtt_p50_us"), 5, 50);
	peaceful(&s);
	scn_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_below_k_is_never_marked),
		cmocka_unit_test(a_window_above_k_is_marked),
		cmocka_unit_test(eight_windows_stand_at_k),
		cmocka_unit_test(timely_two_to_one),
		cmocka_unit_test(timely_late_join),
		cmocka_unit_test(a_message_alone_takes_what_its_bytes_take),
		cmocka_unit_test(dctcps_queue_stays_near_k),
		cmocka_unit_test(timelys_rtt_stays_below_t_high),
	};

	return cmocka_run_group_tests_name("cc", tests, NULL, NULL);
}
