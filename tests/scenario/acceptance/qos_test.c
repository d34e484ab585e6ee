// SPDX-License-Identifier: BSD-3-Clause
// SAI QoS tests of queues (sai_qos_tests.py): weights, weights that change, limits of lossy queues,
// WRED by codepoint.
#include "sniff.h"

#include <math.h>

#define QUEUES 7
#define LIMIT  80 // frames, of the source's parameters
#define DATA   "queue.s1:r.0"
#define WRED   "switches.s1.classes.0.wred."

static const unsigned first[QUEUES] = {140, 140, 140, 150, 150, 140, 140};
static const unsigned then[QUEUES] = {80, 80, 80, 300, 300, 80, 80};

// Frames of others that still came when a queue had sent its last, at most over all queues.
static unsigned worst_difference(
	const struct sniff *f, const unsigned *count, unsigned from, unsigned *total)
{
	unsigned sum = 0, seen[8] = {0}, worst = 0;

	for (unsigned i = 0; i < QUEUES; i++)
		sum += count[i];
	for (unsigned i = 0; i < sum && from + i < f->n; i++) {
		unsigned cls = f->tos[from + i] >> 5;

		if (cls < QUEUES && ++seen[cls] == count[cls] && sum - i - 1 > worst)
			worst = sum - i - 1;
	}
	*total = sum;
	return worst;
}

// Difference for each queue < limit; all packets that were sent are received.
static unsigned wrr(const char *row, const char *weight3, const char *weight4, unsigned *before)
{
	struct sniff f;
	struct scn s;
	unsigned n, m, after;

	sniff_open(&f);
	s = scn_run("acceptance/testQosSaiDwrr.yaml", weight3, weight4, f.out, NULL);
	sniff_read(&f);
	sniff_close(&f);
	acc_row("3.3", row);
	*before = worst_difference(&f, first, 0, &n);
	after = worst_difference(&f, then, n, &m);
	scn_in(&s, "frames received", f.n, n + m, n + m);
	acc_is(&s, 0, "drops");
	scn_free(&s);
	return after;
}

static void testQosSaiDwrr_and_DwrrWeightChange(void **state)
{
	unsigned before, after, unchanged;

	(void)state;
	after = wrr("testQosSaiDwrr, testQosSaiDwrrWeightChange", "events.5.dwrr_weight.weight=30",
		"events.6.dwrr_weight.weight=30", &before);
	printf("  difference %u, after the change %u (limit %u)\n", before, after, LIMIT);
	assert_true(before < LIMIT);
	assert_true(after < LIMIT);
	// With the old weights the second time differs by more than the limit.
	unchanged = wrr("the same with lossless weights that do not change",
		"events.5.dwrr_weight.weight=8", "events.6.dwrr_weight.weight=8", &before);
	printf("  difference %u\n", unchanged);
	assert_true(unchanged > LIMIT);
}

// No drop at the limit, one with one frame more; it is an egress drop, and PFC is 0.
static void testQosSaiLossyQueue(void **state)
{
	static const char *const count[] = {"flows.lossy.open_loop.count=1000",
		"flows.lossy.open_loop.count=1001", "flows.lossy.open_loop.count=1010"};
	static const unsigned drops[] = {0, 1, 10};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct scn s = scn_run("acceptance/testQosSaiLossyQueue.yaml", count[i], NULL);

		acc_row("3.3 testQosSaiLossyQueue", count[i]);
		acc_is(&s, drops[i], "drop.tail");
		acc_is(&s, drops[i], "port.s1:r.tx_dropped_frames");
		acc_is(&s, drops[i], "drops");
		acc_is(&s, 256000, "queue.s1:r.0.buffer_max_bytes_total");
		acc_is(&s, 0, "port.s1:h1.originated_frames");
		scn_free(&s);
	}
}

static struct scn dscp_ecn(struct sniff *f, const char *row, const char *one, const char *two)
{
	struct scn s;

	sniff_open(f);
	s = scn_run("acceptance/testQosSaiDscpEcn.yaml", f->out, one, two, NULL);
	sniff_read(f);
	sniff_close(f);
	acc_row("3.3 testQosSaiDscpEcn", row);
	return s;
}

// ECT: what left unmarked is the limit +-5 %, no unmarked frame before a marked one, no drop; the
// DUT's counter is what was counted.
static void testQosSaiDscpEcn_ect(void **state)
{
	struct sniff f;
	struct scn s = dscp_ecn(&f, "ECT", NULL, NULL);
	unsigned ce = sniff_ce(&f);

	(void)state;
	scn_in(&s, "frames captured", f.n, 300, 300);
	scn_in(&s, "bytes not marked", (f.n - ce) * 1024.0, 95000, 105000);
	for (unsigned i = 0; i < f.n; i++)
		assert_true(sniff_is_ce(&f, i) == (i < ce));
	acc_is(&s, ce, DATA ".ecn_marked_frames");
	acc_is(&s, 0, "drops");
	scn_free(&s);
}

// Not-ECT: never CE, what is sent is within min_limit and 1.05 limit.
static void testQosSaiDscpEcn_not_ect(void **state)
{
	struct sniff f;
	struct scn s = dscp_ecn(&f, "Not-ECT", "flows.data.ecn=not_ect", NULL);

	(void)state;
	scn_in(&s, "CE frames", sniff_ce(&f), 0, 0);
	scn_in(&s, "bytes sent", f.n * 1024.0, 95000, 105000);
	acc_is(&s, 300 - f.n, "drop.wred");
	acc_is(&s, 300 - f.n, "drops");
	scn_free(&s);
}

// Thresholds beyond what the queue reaches.
static void testQosSaiDscpEcn_off(void **state)
{
	struct sniff f;
	struct scn s = dscp_ecn(&f, "ECN off", WRED "min=1GB", WRED "max=1GB");

	(void)state;
	scn_in(&s, "frames captured", f.n, 300, 300);
	scn_in(&s, "CE frames", sniff_ce(&f), 0, 0);
	scn_free(&s);
}

// CE count 3 to 7 % of the limit where the mean probability is 5 %: a queue of Kmax that runs empty
// sees Pmax / 2.
static void testQosSaiDscpEcn_probability(void **state)
{
	struct sniff f;
	struct scn s;

	(void)state;
	acc_row("3.3 testQosSaiDscpEcn", "mean probability 5 %");
	sniff_open(&f);
	s = scn_run("acceptance/testQosSaiDscpEcn.yaml", f.out, WRED "min=0", WRED "max=2MB",
		WRED "probability=10%", "flows.data.open_loop.count=1953", NULL);
	sniff_read(&f);
	sniff_close(&f);
	scn_in(&s, "CE frames of the limit, %", 100 * sniff_ce(&f) / 1953.0, 3, 7);
	scn_in(&s, "not marked of the limit, %", 100 * (1953.0 - sniff_ce(&f)) / 1953, 93, 97);
	acc_is(&s, sniff_ce(&f), DATA ".ecn_marked_frames");
	scn_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(testQosSaiDwrr_and_DwrrWeightChange),
		cmocka_unit_test(testQosSaiLossyQueue),
		cmocka_unit_test(testQosSaiDscpEcn_ect),
		cmocka_unit_test(testQosSaiDscpEcn_not_ect),
		cmocka_unit_test(testQosSaiDscpEcn_off),
		cmocka_unit_test(testQosSaiDscpEcn_probability),
	};

	return cmocka_run_group_tests_name("queues", tests, NULL, NULL);
}
