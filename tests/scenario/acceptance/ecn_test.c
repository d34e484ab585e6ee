// SPDX-License-Identifier: BSD-3-Clause
// sonic-mgmt's snappi tests of ECN behind a blocked egress (tests/snappi_tests/ecn): where marks
// are set, and how often.
#include "sniff.h"

#include <math.h>

#define QUEUE "s1:r.3"
#define BINS  64
#define FRAME 1024.0 // bytes, with FCS, as the queue counts them
#define WRED  "switches.s1.classes.3.wred."

// Row 20: all captured, the first packet CE, the last not; and which was the last to be marked: it
// left 51,000 bytes or 50 frames behind itself.
static void test_dequeue_ecn(void **state)
{
	struct sniff f;
	struct scn s;

	(void)state;
	sniff_open(&f);
	s = scn_run("acceptance/test_dequeue_ecn.yaml", f.out, NULL);
	sniff_read(&f);
	sniff_close(&f);
	acc_row("3.1 row 20", "test_dequeue_ecn");
	scn_in(&s, "frames captured", f.n, 101, 101);
	scn_in(&s, "first is CE", sniff_is_ce(&f, 0), 1, 1);
	scn_in(&s, "last is CE", sniff_is_ce(&f, 100), 0, 0);
	scn_in(&s, "CE frames", sniff_ce(&f), 101 - floor(51000 / FRAME),
		101 - floor(50000 / FRAME));
	acc_is(&s, 1, "marking." QUEUE ".first_marked_total");
	acc_is(&s, sniff_ce(&f), "marking." QUEUE ".last_marked_total");
	acc_is(&s, sniff_ce(&f), "queue." QUEUE ".ecn_marked_frames");
	scn_free(&s);
}

// A marker at enqueue does not pass: the first found the queue empty.
static void marks_at_enqueue_are_told_apart(void **state)
{
	struct sniff f;
	struct scn s;

	(void)state;
	sniff_open(&f);
	s = scn_run("acceptance/test_dequeue_ecn.yaml", f.out, WRED "mark=enqueue", NULL);
	sniff_read(&f);
	sniff_close(&f);
	acc_row("3.1 row 20", "the same with mark: enqueue");
	scn_in(&s, "first is CE", sniff_is_ce(&f, 0), 0, 0);
	scn_in(&s, "last is CE", sniff_is_ce(&f, 100), 1, 1);
	scn_free(&s);
}

static double bin(const struct scn *s, unsigned i, const char *figure)
{
	return acc(s, "bin." QUEUE ".%u.%s", i, figure);
}

// Row 21, 200 rounds: the queue's length against the probability of a mark, measured and by the
// formula; no length more than 5 standard deviations off, nor the fitted Pmax.
static void test_red_accuracy(void **state)
{
	struct scn s = scn_run("acceptance/test_red_accuracy.yaml", NULL);
	double worst = 0;

	(void)state;
	acc_row("3.1 row 21", "test_red_accuracy, 200 rounds");
	printf("  queue, bytes        frames  measured %%  theory %%\n");
	for (unsigned i = 1; i <= BINS; i++) {
		double n = bin(&s, i, "ect_frames"), m = bin(&s, i, "ecn_marked_frames");
		double expected = bin(&s, i, "expected_frames");

		if (i % 8 == 0)
			printf("  %6.0f to %6.0f %10.0f %11.3f %9.3f\n", bin(&s, i, "from_bytes"),
				bin(&s, i, "to_bytes"), n, 100 * m / n, 100 * expected / n);
		worst = fmax(worst, fabs(m - expected) / sqrt(expected * (1 - expected / n)));
	}
	scn_in(&s, "frames of all rounds", acc(&s, "marking." QUEUE ".ect_frames"), 182000, 182000);
	scn_in(&s, "worst length, sigmas", worst, 0, 5);
	scn_in(&s, "Pmax fitted, %", 100 * acc(&s, "marking." QUEUE ".pmax_fitted"), 4.75, 5.25);
	scn_in(&s, "off by sigmas",
		acc(&s, "marking." QUEUE ".pmax_error_percent") /
			acc(&s, "marking." QUEUE ".pmax_sigma_percent"),
		-5, 5);
	scn_in(&s, "chi-square, p", acc(&s, "marking." QUEUE ".chi_square_p"), 1e-4, 1);
	acc_is(&s, 0, "marking." QUEUE ".marked_to_kmin_frames");
	acc_is(&s, 0, "marking." QUEUE ".unmarked_above_kmax_frames");
	acc_is(&s, acc(&s, "queue." QUEUE ".ecn_marked_frames"), "source.data[h1>r].ecn_ce_rx");
	scn_free(&s);
}

// Row 22: fewer frames than Kmin: none marked; between: 0 < measured <= Pmax; above Kmax all are
// (the source checks Pmax twice instead).
static void multidut(unsigned count, unsigned pmax)
{
	char frames[64], probability[64];
	struct sniff f;
	struct scn s;

	snprintf(frames, sizeof(frames), "flows.data.open_loop.count=%u", count);
	snprintf(probability, sizeof(probability), WRED "probability=%u%%", pmax);
	sniff_open(&f);
	s = scn_run("acceptance/test_multidut_dequeue_ecn.yaml", frames, probability, f.out, NULL);
	sniff_read(&f);
	sniff_close(&f);
	acc_row("3.1 row 22", probability);

	// Of those that left at a length between Kmin and Kmax, or above it.
	double above = fmax(0, count - floor(2e6 / FRAME));
	double between = fmax(0, count - floor(8e5 / FRAME)) - above;
	unsigned ce = 0;

	for (unsigned i = 0; i < (unsigned)above; i++)
		ce += sniff_is_ce(&f, i);
	scn_in(&s, "frames captured", f.n, count, count);
	scn_in(&s, "CE of those above Kmax", ce, above, above);
	if (between)
		scn_in(&s, "marked between Kmin and Kmax, %",
			100 * (sniff_ce(&f) - above) / between, 1e-9, pmax);
	else
		scn_in(&s, "marked below Kmin", sniff_ce(&f), 0, 0);
	scn_free(&s);
}

static void test_multidut_dequeue_ecn(void **state)
{
	static const unsigned count[] = {700, 1800, 2400};

	(void)state;
	for (unsigned pmax = 25; pmax <= 100; pmax += 25)
		for (unsigned i = 0; i < 3; i++)
			multidut(count[i], pmax);
}

// Row 23: over 15 pause times the count of CE rises strictly, from the first mark on. Returns how
// many pause times had marks.
static unsigned quanta_variance(
	const char *kmin, const char *kmax, const char *pmax, const char *rate)
{
	unsigned marked = 0;
	double before = 0;

	printf("  quanta  AVERAGE_ECN_MARKING   (%s, %s, %s)\n", strchr(kmin, '=') + 1,
		strchr(kmax, '=') + 1, strchr(pmax, '=') + 1);
	for (unsigned i = 0; i < 15; i++) {
		unsigned q = i < 14 ? 500 + i * ((65000 - 500) / 14) : 65000;
		char quanta[64];
		struct scn s;
		double marks;

		snprintf(quanta, sizeof(quanta), "events.0.mac_frames.quanta=%u", q);
		s = scn_run("acceptance/test_ecn_marking_with_pfc_quanta_variance.yaml", quanta,
			kmin, kmax, pmax, rate, NULL);
		marks = scn_value(&s, "marks");
		printf("  %6u %20.1f\n", q, marks / 10);
		if (before && marks <= before)
			fail_msg("%g marks at %u quanta, %g before\n%s", marks, q, before,
				s.command);
		assert_true(scn_value(&s, "drops") == 0);
		assert_true(acc(&s, "pfc." QUEUE ".xoff_frames") == 10);
		before = marks;
		marked += marks > 0;
		scn_free(&s);
	}
	return marked;
}

#define RATE "flows.data.open_loop.rate="

// The source's four profiles. With its 2 MiB no pause time reaches Kmin: at half the rate 65,000
// quanta are 2.08 MB. So this test also has a higher rate, and a step at 8 KB, at which each of the
// 15 has marks.
static void test_ecn_marking_with_pfc_quanta_variance(void **state)
{
	(void)state;
	acc_row("3.1 row 23", "test_ecn_marking_with_pfc_quanta_variance");
	assert_true(quanta_variance(WRED "min=1MiB", WRED "max=4MiB", WRED "probability=5%",
			    RATE "50%") >= 5);
	assert_true(quanta_variance(WRED "min=1MiB", WRED "max=4MiB", WRED "probability=10%",
			    RATE "50%") >= 5);
	assert_true(quanta_variance(WRED "min=2MiB", WRED "max=4MiB", WRED "probability=10%",
			    RATE "50%") == 0);
	assert_true(quanta_variance(WRED "min=2MiB", WRED "max=4MiB", WRED "probability=10%",
			    RATE "60%") >= 2);
	assert_true(quanta_variance(WRED "min=8KB", WRED "max=8KB", WRED "probability=100%",
			    RATE "50%") == 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dequeue_ecn),
		cmocka_unit_test(marks_at_enqueue_are_told_apart),
		cmocka_unit_test(test_red_accuracy),
		cmocka_unit_test(test_multidut_dequeue_ecn),
		cmocka_unit_test(test_ecn_marking_with_pfc_quanta_variance),
	};

	return cmocka_run_group_tests_name("ecn", tests, NULL, NULL);
}
