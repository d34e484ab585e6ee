// SPDX-License-Identifier: BSD-3-Clause
// A NIC that serves queue pairs in turn shares its link as processor sharing does: messages of all
// sizes have the mean slowdown 1 / (1 - load), but for what whole frames add.
// usage: scenario_sharing [all]    without `all`: shorter runs
#include "scn.h"

#include "batches.h"

#include <stdlib.h>
#include <string.h>

static unsigned times = 1; // as long

#define RATE  10.0 // bits in a ns
#define MTU   4096
#define FRAME (MTU + 82) // bytes on the wire
#define BINS  10
#define FIRST 200000000 // ns; messages that come sooner do not count

// A tenth of WebSearch's messages each.
static const uint64_t bin[BINS] = {
	6667, 20000, 30000, 50000, 73077, 200000, 1000000, 2000000, 5000000, 30000000};

// Bytes of a message on the wire, and of its last frame.
static double on_wire(uint64_t bytes, double *last)
{
	uint64_t before = (bytes - 1) / MTU;

	*last = (double)((bytes - before * MTU + 3) / 4 * 4 + 82 + (before ? 0 : 16));
	return (double)(before * FRAME + (before ? 16 : 0)) + *last;
}

// Completion time beyond the time that a message takes alone on the wire, ns.
static double alone_ns(const struct scn_message *m, unsigned n)
{
	double least = INFINITY, last;

	for (unsigned i = 0; i < n; i++)
		least = fmin(least, (double)m[i].fct_ns - on_wire(m[i].bytes, &last) * 8 / RATE);
	return least;
}

// The mean slowdown of a run in each bin, and how far frames move it, at least and at most.
struct shares {
	struct batches slowdown[BINS], least[BINS], most[BINS];
};

// A link turns to other queue pairs after a frame, and not after a bit. So the last frame waits
// for a whole frame of each other queue pair, of which rho / (1 - rho) are active in the mean. The
// first one waits until a frame in progress has left: if the queue pair of this frame takes its
// next turn first, half a frame more than by equal shares, else half a frame less.
static void add_run(struct shares *s, double rho, const struct scn_message *m, unsigned n)
{
	double alone = alone_ns(m, n), sum[BINS][3] = {{0}};
	unsigned count[BINS] = {0};

	for (unsigned i = 0; i < n; i++) {
		double last, bytes = on_wire(m[i].bytes, &last);
		double more = rho / (1 - rho) * (FRAME - last);
		unsigned b = 0;

		while (m[i].bytes > bin[b])
			b++;
		if (m[i].start_ns < FIRST)
			continue;
		count[b]++;
		sum[b][0] += ((double)m[i].fct_ns - alone) * RATE / 8 / bytes;
		sum[b][1] += (more - rho * FRAME / 2) / bytes;
		sum[b][2] += (more + rho * FRAME / 2) / bytes;
	}
	for (unsigned b = 0; b < BINS; b++) {
		s->slowdown[b].value[s->slowdown[b].n++] = sum[b][0] / count[b];
		s->least[b].value[s->least[b].n++] = sum[b][1] / count[b];
		s->most[b].value[s->most[b].n++] = sum[b][2] / count[b];
	}
}

// Messages of all sizes are slowed down alike.
static void share(double rho)
{
	struct scn s = {.command = "build/quench run tests/scenario/processor-sharing.yaml"};
	struct shares all = {0};
	char load[48], duration[32], number[32];
	double payload = 1711250; // mean bytes, of which each frame has at most MTU
	// The last frame has half of the MTU in the mean, and 2 bytes of padding.
	double wire = payload + (payload / MTU + 0.5) * 82 + 16 + 1.5;

	snprintf(load, sizeof(load), "flows.web.load=%.3fMbps", rho * payload / wire * RATE * 1e3);
	snprintf(duration, sizeof(duration), "duration=%us", 1 + 5 * times);
	for (unsigned seed = 1; seed <= BATCHES; seed++) {
		struct scn_message *m;
		unsigned n;

		snprintf(number, sizeof(number), "seed=%u", seed);
		m = scn_messages(&n, "processor-sharing.yaml", load, duration, number, NULL);
		add_run(&all, rho, m, n);
		free(m);
	}
	for (unsigned b = 0; b < BINS; b++) {
		double sigma = sigma_of_mean(&all.slowdown[b]), want = 1 / (1 - rho);
		char what[64];

		snprintf(what, sizeof(what), "%.0f %%, up to %u bytes, sigma %.3f", 100 * rho,
			(unsigned)bin[b], sigma);
		scn_in(&s, what, mean(&all.slowdown[b]), want + mean(&all.least[b]) - T * sigma,
			want + mean(&all.most[b]) + T * sigma);
		scn_in(&s, "sigma, of the slowdown", sigma / want, 0, b ? 0.1 : 0.25);
	}
}

static void queue_pairs_share_a_link_as_processor_sharing_does(void **state)
{
	(void)state;
	share(0.5);
	share(0.7);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queue_pairs_share_a_link_as_processor_sharing_does),
	};

	times = argc > 1 && !strcmp(argv[1], "all") ? 8 : 1;
	return cmocka_run_group_tests_name("sharing", tests, NULL, NULL);
}
