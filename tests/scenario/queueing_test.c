// SPDX-License-Identifier: BSD-3-Clause
// Messages of one frame that come at random instants have the mean wait of Pollaczek and Khinchine
// (M/D/1 where they are alike), in NICs and switches.
// usage: scenario_queueing [all]    without `all`: shorter runs
#include "scn.h"

#include "batches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIRE(payload) (((payload) + 3) / 4 * 4 + 98) // bytes of a frame with RETH, preamble and gap

static unsigned times = 1; // as long

struct frames {
	const char *sizes;
	unsigned n;
	struct {
		unsigned bytes;
		double share;
	} size[3];
};

static const struct frames alike = {"1024", 1, {{1024, 1}}};
static const struct frames different = {"frames.cdf", 3, {{1, 0.40}, {301, 0.35}, {1024, 0.25}}};

static const struct where {
	const char *name, *senders, *receiver;
	unsigned n;
	const char *duration, *rate;
	const struct frames *frames;
} places[] = {
	// The receiver's link is so fast that no frame waits behind a longer one in the switch, and
	// no ACK behind another one.
	{"a NIC, frames alike", "h1", "100Gbps", 1, "400ms", "1Gbps", &alike},
	{"a NIC, three sizes", "h1", "100Gbps", 1, "200ms", "1Gbps", &different},
	// The senders' links are so fast that all frames wait in the switch.
	{"a switch, three sizes", "h1..8", "1Gbps", 8, "200ms", "100Gbps", &different},
	// Frames alike wait in NICs and switch together as in the switch alone: where a NIC delays
	// a frame, the queue in the switch is empty by the time that the frame would have waited.
	{"NICs and a switch, frames alike", "h1..8", "1Gbps", 8, "400ms", "1Gbps", &alike},
};

#define PLACES (sizeof(places) / sizeof(places[0]))

// A run at a place, with settings of its own.
static struct scn run(const struct where *p, const char *from, const char *sizes, const char *load,
	const char *duration, unsigned seed)
{
	char set[7][64];

	snprintf(set[0], sizeof(set[0]), "flows.load.from=%s", from);
	snprintf(set[1], sizeof(set[1]), "flows.load.sizes=%s", sizes);
	snprintf(set[2], sizeof(set[2]), "flows.load.load=%s", load);
	snprintf(set[3], sizeof(set[3]), "links.0.rate=%s", p->rate);
	snprintf(set[4], sizeof(set[4]), "links.1.rate=%s", p->receiver);
	snprintf(set[5], sizeof(set[5]), "duration=%s", duration);
	snprintf(set[6], sizeof(set[6]), "seed=%u", seed);
	return scn_run(
		"queueing.yaml", set[0], set[1], set[2], set[3], set[4], set[5], set[6], NULL);
}

// Completion time of messages that do not wait, us, in the mean over their sizes.
static double alone_us(const struct where *p)
{
	double sum = 0;

	for (unsigned i = 0; i < p->frames->n; i++) {
		char bytes[16];
		struct scn s;

		snprintf(bytes, sizeof(bytes), "%u", p->frames->size[i].bytes);
		s = run(p, "h1", bytes, "1Mbps", "100ms", 1);
		sum += p->frames->size[i].share * scn_value(&s, "group.all.fct_p50_us");
		scn_free(&s);
	}
	return sum;
}

// Mean wait, in us, where frames come at random to a link of 1 Gb/s and take the share `rho` of it.
static double wait_us(const struct frames *f, double rho)
{
	double first = 0, second = 0;

	for (unsigned i = 0; i < f->n; i++) {
		double us = WIRE(f->size[i].bytes) * 8e-3;

		first += f->size[i].share * us;
		second += f->size[i].share * us * us;
	}
	return rho * second / first / 2 / (1 - rho);
}

// Payload that each sender is given, Mb/s.
static double payload_mbps(const struct where *p, double rho)
{
	double payload = 0, wire = 0;

	for (unsigned i = 0; i < p->frames->n; i++) {
		payload += p->frames->size[i].share * p->frames->size[i].bytes;
		wire += p->frames->size[i].share * WIRE(p->frames->size[i].bytes);
	}
	return 1000 * rho * payload / wire / p->n;
}

// Returns how many sigma the mean wait is above that of theory.
static double measure(const struct where *p, double rho, double alone)
{
	char load[32], duration[32];
	struct batches b = {0};
	double sigma, want = wait_us(p->frames, rho);

	snprintf(load, sizeof(load), "%.3fMbps", payload_mbps(p, rho));
	snprintf(duration, sizeof(duration), "%ums", times * (unsigned)atoi(p->duration));
	for (unsigned seed = 1; seed <= BATCHES; seed++) {
		struct scn s = run(p, p->senders, p->frames->sizes, load, duration, seed);

		b.value[b.n++] = scn_value(&s, "group.all.fct_posted_mean_us") - alone;
		if (seed == BATCHES) {
			sigma = sigma_of_mean(&b);
			printf("  %s, %.0f %%: sigma %.3f us, %.2f %%\n", p->name, 100 * rho, sigma,
				100 * sigma / want);
			scn_in(&s, "mean wait, us", mean(&b), want - T * sigma, want + T * sigma);
			scn_in(&s, "sigma, of the wait", sigma / want, 0, 0.06);
		}
		scn_free(&s);
	}
	return (mean(&b) - want) / sigma;
}

static void frames_wait_as_pollaczek_and_khinchine_say(void **state)
{
	static const double rho[] = {0.3, 0.6, 0.8, 0.9};
	const unsigned loads = sizeof(rho) / sizeof(rho[0]);
	double sum = 0;

	(void)state;
	for (unsigned p = 0; p < PLACES; p++) {
		double alone = alone_us(&places[p]);

		for (unsigned i = 0; i < loads; i++)
			sum += measure(&places[p], rho[i], alone) / loads;
	}
	// The messages of a place are the same at all loads but for the rate, so its loads count as
	// one. A value of Student's t has the variance 9 / 7.
	sum /= sqrt(PLACES * 9 / 7.0);
	printf("  all of them: %+.2f sigma from theory\n", sum);
	assert_true(fabs(sum) <= 3);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_wait_as_pollaczek_and_khinchine_say),
	};

	times = argc > 1 && !strcmp(argv[1], "all") ? 8 : 1;
	return cmocka_run_group_tests_name("queueing", tests, NULL, NULL);
}
