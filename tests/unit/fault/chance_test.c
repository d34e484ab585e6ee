// SPDX-License-Identifier: BSD-3-Clause
// Records by chance: the shares that they hit, the bursts of Gilbert and Elliott, bit errors by
// the frame's length, and generators of their own. Ten seeds each.
#include "fault_lab.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/binom.h"
#include "fault/chance.h"

#define SEEDS  10
#define FRAMES 200000
#define PPT    (CHANCE_ALWAYS / 1000)

static struct fault_record chance_of(struct fault_chance chance)
{
	return (struct fault_record){.number = 1,
		.kinds = FAULT_ALL,
		.by_chance = true,
		.chance = chance,
		.action = FAULT_DROP};
}

static void draws_of(struct chance *c, const struct fault_record *r, uint64_t seed)
{
	printf("seed %llu\n", (unsigned long long)seed);
	assert_int_equal(chance_init(c, r, seed, "s1:h1"), 0);
}

static void a_share_of_frames_is_hit(void **state)
{
	const uint64_t share[] = {PPT / 10, PPT, 100 * PPT};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct fault_record r = chance_of((struct fault_chance){.share = share[i]});
		unsigned beyond_3 = 0;

		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			struct chance c;
			uint64_t hits = 0;
			double sigmas;

			draws_of(&c, &r, seed);
			for (unsigned k = 0; k < FRAMES; k++)
				hits += chance_hits(&c, &r.chance, 1082);
			sigmas = binom_sigmas(FRAMES, hits, (double)share[i] / CHANCE_ALWAYS);
			assert_true(fabs(sigmas) < 5);
			beyond_3 += fabs(sigmas) > 3;
		}
		assert_true(beyond_3 <= 1);
	}
}

static void all_and_none_are_exact(void **state)
{
	struct fault_record all = chance_of((struct fault_chance){.share = CHANCE_ALWAYS});
	struct fault_record none = chance_of((struct fault_chance){0});
	struct chance c;

	(void)state;
	draws_of(&c, &all, 1);
	for (unsigned k = 0; k < 1000; k++)
		assert_true(chance_hits(&c, &all.chance, 60));
	draws_of(&c, &none, 1);
	for (unsigned k = 0; k < 1000; k++)
		assert_false(chance_hits(&c, &none.chance, 60));
}

// A bad state lasts 1 / to_good frames on average, and the share of bad frames is
// to_bad / (to_bad + to_good). With bad_share 1 and share 0 all bad frames are hit, so the mean
// length of a burst and the share of hits are these.
static void bursts_are_those_of_gilbert(void **state)
{
	struct fault_record r = chance_of((struct fault_chance){
		.to_bad = 5 * PPT, .to_good = 200 * PPT, .bad_share = CHANCE_ALWAYS});

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		uint64_t hits = 0, bursts = 0;
		bool was = false;
		struct chance c;

		draws_of(&c, &r, seed);
		for (unsigned k = 0; k < FRAMES; k++) {
			bool hit = chance_hits(&c, &r.chance, 1082);

			hits += hit;
			bursts += hit && !was;
			was = hit;
		}
		// About 976 bursts: their number and mean length vary by 3 % each.
		assert_in_range(hits * 1000 / FRAMES, 24 - 5, 24 + 5);
		assert_in_range(hits * 100 / bursts, 500 - 75, 500 + 75);
		// A burst begins after a good frame with to_bad, whatever was before.
		assert_true(fabs(binom_sigmas(FRAMES - hits, bursts, 0.005)) < 5);
	}
}

// A frame of n bits is hit with 1 - (1 - rate)^n.
static void bit_errors_follow_the_length(void **state)
{
	const double rate[] = {1e-12, 1e-6, 1e-5, 1e-3, 0.1};
	const unsigned len[] = {60, 1082, 9000};

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			struct fault_record r =
				chance_of((struct fault_chance){.bit_error_rate = rate[i]});
			uint64_t hits[3] = {0};
			struct chance c;

			draws_of(&c, &r, seed);
			for (unsigned k = 0; k < 3 * 50000; k++)
				hits[k % 3] += chance_hits(&c, &r.chance, len[k % 3]);
			for (unsigned k = 0; k < 3; k++) {
				double p = -expm1(8.0 * (len[k] + 4) * log1p(-rate[i]));

				if (p * 50000 < 1)
					assert_true(hits[k] < 5);
				else if ((1 - p) * 50000 < 1)
					assert_true(hits[k] > 50000 - 10);
				else
					assert_true(fabs(binom_sigmas(50000, hits[k], p)) < 5);
			}
		}
}

// The gap up to a bit error has the mean 1 / rate also where no test could wait for it.
static void a_small_rate_keeps_its_digits(void **state)
{
	struct fault_record r = chance_of((struct fault_chance){.bit_error_rate = 1e-12});
	const double n = 100000;
	double sum = 0;

	(void)state;
	for (unsigned i = 0; i < n; i++) {
		struct chance c;

		assert_int_equal(chance_init(&c, &r, i, "s1:h1"), 0);
		sum += (double)c.gap;
	}
	assert_true(fabs(sum / n / 1e12 - 1) < 5 / sqrt(n));
}

static void each_record_has_a_generator_of_its_own(void **state)
{
	struct fault_record r = chance_of((struct fault_chance){.share = 500 * PPT});
	unsigned same[3] = {0};
	struct chance a, b[3];

	(void)state;
	assert_int_equal(chance_init(&a, &r, 1, "s1:h1"), 0);
	assert_int_equal(chance_init(&b[0], &r, 1, "s1:h2"), 0);
	assert_int_equal(chance_init(&b[1], &r, 2, "s1:h1"), 0);
	r.number = 2;
	assert_int_equal(chance_init(&b[2], &r, 1, "s1:h1"), 0);
	for (unsigned k = 0; k < 1000; k++) {
		bool hit = chance_hits(&a, &r.chance, 60);

		for (unsigned i = 0; i < 3; i++)
			same[i] += hit == chance_hits(&b[i], &r.chance, 60);
	}
	for (unsigned i = 0; i < 3; i++)
		assert_in_range(same[i], 500 - 80, 500 + 80);
}

// Frames that the record does not name are not asked for, and change nothing.
static void other_frames_draw_nothing(void **state)
{
	struct fault_record r = chance_of((struct fault_chance){.share = 500 * PPT});
	bool hit[2][100];
	const uint32_t all[] = {0};

	(void)state;
	r.kinds = FAULT_DATA;
	for (unsigned with = 0; with < 2; with++) {
		struct fault_params p;
		struct lab l;

		lab_init(&l);
		p = lab_params(&l, &r, 1);
		p.all = all;
		p.n_all = 1;
		assert_int_equal(fault_new(&l.f, &p), 0);
		for (unsigned k = 0; k < 100; k++) {
			if (with)
				fault_put(l.f, lab_frame(&l, 0, PKT_ACK, BTH_RC_ACK, k), k);
			lab_put(&l, k, k);
			hit[with][k] = lab_get(&l, k, NULL, 0) == with;
		}
		lab_conserve(&l);
		lab_fini(&l);
	}
	assert_memory_equal(hit[0], hit[1], sizeof(hit[0]));
}

static void impossible_chances_are_refused(void **state)
{
	const struct fault_chance bad[] = {
		{.share = CHANCE_ALWAYS + 1},
		{.to_bad = CHANCE_ALWAYS + 1},
		{.to_good = CHANCE_ALWAYS + 1},
		{.bad_share = CHANCE_ALWAYS + 1},
		{.bit_error_rate = -1e-9},
		{.bit_error_rate = 0.51},
		{.bit_error_rate = NAN},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct fault_record r = chance_of(bad[i]);
		struct chance c;

		assert_int_equal(chance_init(&c, &r, 1, "s1:h1"), -EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_share_of_frames_is_hit),
		cmocka_unit_test(all_and_none_are_exact),
		cmocka_unit_test(bursts_are_those_of_gilbert),
		cmocka_unit_test(bit_errors_follow_the_length),
		cmocka_unit_test(a_small_rate_keeps_its_digits),
		cmocka_unit_test(each_record_has_a_generator_of_its_own),
		cmocka_unit_test(other_frames_draw_nothing),
		cmocka_unit_test(impossible_chances_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
