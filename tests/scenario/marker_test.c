// SPDX-License-Identifier: BSD-3-Clause
// The ECN marker of a switch under load: its curve against the formula (design.md 7, rule 14).
#include "rounds.h"
#include "scn.h"

#include <math.h>

#define QUEUE  "s1:r.0"
#define BINS   64 // on the slope
#define FRAMES 10000
#define SEEDS  10

static double of(const struct scn *s, const char *kind, int bin, const char *figure)
{
	char path[80];

	if (bin < 0)
		snprintf(path, sizeof(path), "%s." QUEUE ".%s", kind, figure);
	else
		snprintf(path, sizeof(path), "%s." QUEUE ".%d.%s", kind, bin, figure);
	return scn_value(s, path);
}

static struct scn run(const char *pmax, unsigned seed)
{
	char probability[64], number[16];

	snprintf(probability, sizeof(probability), "switches.s1.classes.0.wred.probability=%s",
		pmax);
	snprintf(number, sizeof(number), "seed=%u", seed);
	return scn_run("ecn-marker.yaml", probability, number, NULL);
}

static void never_to_kmin_always_above_kmax(const struct scn *s)
{
	scn_in(s, "frames up to Kmin", of(s, "bin", 0, "ect_frames"), FRAMES, INFINITY);
	scn_in(s, "marked", of(s, "bin", 0, "ecn_marked_frames"), 0, 0);
	scn_in(s, "frames above Kmax", of(s, "bin", BINS + 1, "ect_frames"), FRAMES, INFINITY);
	scn_in(s, "unmarked", of(s, "marking", -1, "unmarked_above_kmax_frames"), 0, 0);
}

// The marks that the switch counts are the CE that arrive, except for frames on the link; Not-ECT
// frames stay unmarked.
static void receivers_see_the_marks(const struct scn *s)
{
	double ce = scn_value(s, "source.ect0[h1>r].ecn_ce_rx") +
		    scn_value(s, "source.ect1[h2>r].ecn_ce_rx");

	scn_in(s, "marks that have not arrived", of(s, "marking", -1, "ecn_marked_frames") - ce, 0,
		20);
	scn_in(s, "Not-ECT with CE", scn_value(s, "source.plain[h2>r].ecn_ce_rx"), 0, 0);
}

// Two neighbouring bins of the slope as one.
static double both(const struct scn *s, int bin, const char *figure)
{
	return of(s, "bin", bin, figure) + of(s, "bin", bin + 1, figure);
}

// Deviation of each pair of bins from the sum of its frames' own probabilities; returns how many
// are beyond 3 sigma.
static unsigned slope(const struct scn *s)
{
	unsigned beyond = 0;

	for (int i = 1; i < BINS; i += 2) {
		double n = both(s, i, "ect_frames"), m = both(s, i, "ecn_marked_frames");
		double expected = both(s, i, "expected_frames");
		double sigmas = fabs(m - expected) / sqrt(expected * (1 - expected / n));

		if (n < FRAMES || sigmas > 5)
			fail_msg("bins %d and %d: %g of %g frames marked, %g expected: %.2f "
				 "sigma\n%s",
				i, i + 1, m, n, expected, sigmas, s->command);
		beyond += sigmas > 3;
	}
	return beyond;
}

static void follows_the_formula(const char *pmax)
{
	unsigned beyond = 0, seeds = rounds_of(SEEDS);

	for (unsigned seed = 1; seed <= seeds; seed++) {
		struct scn s = run(pmax, seed);

		never_to_kmin_always_above_kmax(&s);
		receivers_see_the_marks(&s);
		beyond += slope(&s);
		scn_in(&s, "Pmax fitted, sigmas",
			of(&s, "marking", -1, "pmax_error_percent") /
				of(&s, "marking", -1, "pmax_sigma_percent"),
			-5, 5);
		scn_in(&s, "chi-square, p", of(&s, "marking", -1, "chi_square_p"), 1e-4, 1);
		scn_free(&s);
	}
	printf("%u of %u pairs of bins beyond 3 sigma\n", beyond, seeds * BINS / 2);
	assert_true(seeds < SEEDS || beyond * 100 <= SEEDS * BINS / 2);
}

static void one_percent(void **state)
{
	(void)state;
	follows_the_formula("1%");
}

static void twenty_percent(void **state)
{
	(void)state;
	follows_the_formula("20%");
}

static void hundred_percent(void **state)
{
	(void)state;
	follows_the_formula("100%");
}

static void kmin_equal_kmax_is_a_step(void **state)
{
	struct scn s = scn_run("ecn-marker.yaml", "switches.s1.classes.0.wred.min=100KB",
		"switches.s1.classes.0.wred.max=100KB", NULL);

	(void)state;
	never_to_kmin_always_above_kmax(&s);
	receivers_see_the_marks(&s);
	scn_in(&s, "frames between",
		of(&s, "marking", -1, "ect_frames") - of(&s, "bin", 0, "ect_frames") -
			of(&s, "bin", BINS + 1, "ect_frames"),
		0, 0);
	scn_free(&s);
}

// The same draws decide: with all frames of one codepoint the same frames are marked.
static void ect0_and_ect1_are_marked_alike(void **state)
{
	struct scn s[3] = {scn_run("ecn-marker.yaml", NULL),
		scn_run("ecn-marker.yaml", "flows.ect1.ecn=ect0", NULL),
		scn_run("ecn-marker.yaml", "flows.ect0.ecn=ect1", NULL)};

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_true(scn_value(&s[i], "marks") > FRAMES);
		for (int k = 0; k < BINS + 2; k++)
			assert_true(of(&s[i], "bin", k, "ecn_marked_frames") ==
				    of(&s[0], "bin", k, "ecn_marked_frames"));
	}
	for (int i = 0; i < 3; i++)
		scn_free(&s[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_percent),
		cmocka_unit_test(twenty_percent),
		cmocka_unit_test(hundred_percent),
		cmocka_unit_test(kmin_equal_kmax_is_a_step),
		cmocka_unit_test(ect0_and_ect1_are_marked_alike),
	};

	return cmocka_run_group_tests_name("marker", tests, NULL, NULL);
}
