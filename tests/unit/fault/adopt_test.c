// SPDX-License-Identifier: BSD-3-Clause
// An injector that takes another one's place goes on as that one would have. model_test.c does so
// with random records; this is the state that has no model: chance and forged frames.
#include "fault_lab.h"

#define FRAMES 400

static uint8_t raw[PKT_MIN_LEN] = {2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8, 0x88, 0xb5};

static const struct fault_record records[] = {
	{.number = 1,
		.kinds = FAULT_DATA,
		.by_chance = true,
		.chance = {.share = 10000000000,
			.to_bad = 50000000000,
			.to_good = 200000000000,
			.bad_share = 700000000000,
			.bit_error_rate = 1e-5},
		.action = FAULT_DROP},
	{.number = 2,
		.action = FAULT_FORGE,
		.forge = {.bytes = raw, .len = sizeof(raw), .start = 5, .every = 7, .count = 40}},
	{.number = 3,
		.kinds = FAULT_DATA,
		.psn = FAULT_PSN_EVERY,
		.from = 9,
		.action = FAULT_REORDER,
		.reorder = {.behind = 3, .within = 1000}},
	{.number = 4, .kinds = FAULT_DATA, .psn = FAULT_PSN_LAST, .action = FAULT_ECN},
};

static void make(struct lab *l, uint32_t n)
{
	const uint32_t all[] = {0, 1, 3}, own[] = {2};
	struct fault_params p = lab_params(l, records, n);
	struct fault_target t = lab_target(0, 0, own, n > 2);

	p.all = all;
	p.n_all = n > 3 ? 3 : 2;
	p.target = &t;
	p.n_targets = 1;
	assert_int_equal(fault_new(&l->f, &p), 0);
}

// The frames that go on, by instant: PSNs, and 1000 for a forged one.
static unsigned frames_on(uint32_t *on, unsigned replace_at)
{
	struct lab l;
	unsigned n = 0;

	lab_init(&l);
	make(&l, 3);
	for (uint32_t i = 0; i < FRAMES; i++) {
		struct fault *was = l.f;

		if (i == replace_at) {
			make(&l, 4);
			fault_adopt(l.f, was);
			fault_free(was);
		}
		lab_put(&l, i, i);
		for (struct pkt *p; (p = fault_get(l.f, i)); n++) {
			on[n] = i << 16 | (p->kind == PKT_DATA ? p->u.rc.psn : 1000);
			pkt_put(&l.stack, p);
		}
		lab_conserve(&l);
	}
	lab_fini(&l);
	return n;
}

static void nothing_shows_that_it_was_replaced(void **state)
{
	uint32_t want[2 * FRAMES], on[2 * FRAMES];
	unsigned n = frames_on(want, UINT32_MAX);

	(void)state;
	assert_in_range(n, FRAMES / 2, FRAMES + 39);
	for (unsigned at = 0; at < FRAMES; at += 7) {
		assert_int_equal(frames_on(on, at), n);
		assert_memory_equal(on, want, n * sizeof(*on));
	}
}

static void frames_on_their_way_out_are_handed_over(void **state)
{
	struct fault *was;
	struct lab l;

	(void)state;
	lab_init(&l);
	make(&l, 1);
	was = l.f;
	fault_put(l.f, lab_frame(&l, 0, PKT_ACK, BTH_RC_ACK, 0), 0);
	fault_put(l.f, lab_frame(&l, 0, PKT_ACK, BTH_RC_ACK, 1), 0);
	make(&l, 2);
	fault_adopt(l.f, was);
	assert_null(fault_get(was, 0));
	fault_free(was);
	LAB_EXPECT(&l, 0, 0, 1);
	lab_conserve(&l);
	lab_fini(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_shows_that_it_was_replaced),
		cmocka_unit_test(frames_on_their_way_out_are_handed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
