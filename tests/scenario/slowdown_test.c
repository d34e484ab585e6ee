// SPDX-License-Identifier: BSD-3-Clause
// Slowdown by size of a list of messages: alone it is 1, and where messages share a link it has a
// closed form.
#include "scn.h"

// ns of a frame with `payload` bytes, or of an ACK of 60 bytes, at 25 Gb/s.
static unsigned wire(unsigned bytes)
{
	return bytes * 8 / 25;
}

#define ACK    wire(60)
#define TRAVEL 4000 // ns, there and back

// The ideal time of a message of n frames of 1000 bytes, or of one frame of fewer bytes.
static double ideal(unsigned frames, unsigned payload)
{
	return (frames + 1) * wire(payload + 48) + 2 * ACK + TRAVEL;
}

static void bin(const struct scn *s, unsigned number, double n, double mean, double max)
{
	char path[64];

	snprintf(path, sizeof(path), "slowdown.list.%u.posted", number);
	scn_in(s, path, scn_value(s, path), n, n);
	snprintf(path, sizeof(path), "slowdown.list.%u.unfinished", number);
	scn_in(s, path, scn_value(s, path), 0, 0);
	// Slowdowns are kept in thousandths, rounded down.
	snprintf(path, sizeof(path), "slowdown.list.%u.slowdown_mean", number);
	scn_in(s, path, scn_value(s, path), mean - 0.001, mean + 1e-9);
	snprintf(path, sizeof(path), "slowdown.list.%u.slowdown_max", number);
	scn_in(s, path, scn_value(s, path), max - 0.001, max + 1e-9);
}

static void closed_forms(void **state)
{
	struct scn s = scn_run("slowdown.yaml", NULL);
	double one = wire(948) / ideal(1, 900);

	(void)state;
	// Ten messages alone.
	bin(&s, 0, 10, 1, 1);
	// Eight frames from eight hosts meet in one queue: frame i waits for i others.
	bin(&s, 1, 8, 1 + 3.5 * one, 1 + 7 * one);
	// Two messages of n frames from two hosts take turns in one queue. The last frame of the
	// first waits for n - 1 frames of the other, that of the second for n.
	bin(&s, 2, 2, 1 + 49.5 * wire(1048) / ideal(50, 1000),
		1 + 50 * wire(1048) / ideal(50, 1000));
	// Two queue pairs of one host take turns in the same way.
	bin(&s, 3, 2, 1 + 99.5 * wire(1048) / ideal(100, 1000),
		1 + 100 * wire(1048) / ideal(100, 1000));
	scn_free(&s);
}

// Ten bins of a list that says none: each message is in one.
static void ten_bins_by_themselves(void **state)
{
	struct scn s = scn_run("slowdown.yaml", "defaults.flows.bins=10", NULL);
	double posted = 0;

	(void)state;
	assert_true(s.scene->flow[0]->bins->n <= 10);
	for (unsigned i = 0; i < s.scene->flow[0]->bins->n; i++) {
		char path[64];

		snprintf(path, sizeof(path), "slowdown.list.%u.posted", i);
		posted += scn_value(&s, path);
	}
	assert_true(posted == 22);
	scn_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed_forms),
		cmocka_unit_test(ten_bins_by_themselves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
