// SPDX-License-Identifier: BSD-3-Clause
// The descriptor: ECN and DSCP bits, what a clone shares, and the stack's reserve.
#include "wire/pkt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

struct slot {
	struct pkt p;
	struct hdr h;
	uint8_t bytes[64];
};

static void marking(void **state)
{
	struct pkt p = {.tos = 26 << 2 | ECN_ECT0};

	(void)state;
	assert_int_equal(pkt_ecn(&p), ECN_ECT0);
	assert_int_equal(pkt_dscp(&p), 26);
	pkt_mark_ce(&p);
	assert_int_equal(pkt_ecn(&p), ECN_CE);
	assert_int_equal(pkt_dscp(&p), 26);
	assert_int_equal(p.flags, PKT_F_CE);
}

// A foreign packet's copy has its own header and bytes; one of ours shares the header.
static void clones(void **state)
{
	struct slot a = {.p = {.len = 3, .data_off = offsetof(struct slot, bytes)}, .bytes = "abc"};
	struct slot b;
	const struct hdr shared = {.id = 1};

	(void)state;
	a.p.hdr = &a.h;
	a.h.sport = 7;
	pkt_clone(&b.p, &a.p, offsetof(struct slot, bytes));
	assert_ptr_equal(b.p.hdr, &b.h);
	assert_int_equal(b.h.sport, 7);
	assert_memory_equal(pkt_bytes(&b.p), "abc", 3);
	a.bytes[0] = 'x';
	assert_memory_equal(pkt_bytes(&b.p), "abc", 3);
	a.p.hdr = &shared;
	a.p.data_off = 0;
	pkt_clone(&b.p, &a.p, offsetof(struct slot, bytes));
	assert_ptr_equal(b.p.hdr, &shared);
	assert_null(pkt_bytes(&b.p));
	a.p.hdr = NULL; // it has been forgotten
	pkt_clone(&b.p, &a.p, offsetof(struct slot, bytes));
	assert_null(b.p.hdr);
	assert_int_equal(pkt_hdr_id(&b.p), 0);
}

static void stack_keeps_a_reserve(void **state)
{
	struct pkt p[3], *slot[3] = {&p[0], &p[1], &p[2]};
	struct pkt_stack s = {.slot = slot, .n = 3, .cap = 3, .reserve = 2};

	(void)state;
	assert_ptr_equal(pkt_get(&s), &p[2]);
	assert_null(pkt_get(&s));
	assert_ptr_equal(pkt_get_ctl(&s), &p[1]);
	assert_ptr_equal(pkt_get_ctl(&s), &p[0]);
	assert_null(pkt_get_ctl(&s));
	pkt_put(&s, &p[2]);
	assert_null(pkt_get(&s));
	assert_ptr_equal(pkt_get_ctl(&s), &p[2]);
}

// After any takes and returns, a range gives the same descriptors in the same order as a stack that
// had them all at the start, and nothing if that has nothing.
static void a_range_is_a_full_stack(void **state)
{
	enum { N = 40, KEPT = 7 };
	struct pkt p[N], *full[N], *slot[N], *have[N];
	struct pkt_stack a = {.slot = full, .n = N, .cap = N, .reserve = KEPT};
	struct pkt_stack b = {.slot = slot};
	uint32_t seed = 1, held = 0, refused = 0;

	(void)state;
	for (unsigned i = 0; i < N; i++)
		full[i] = &p[N - 1 - i];
	pkt_stack_range(&b, p, N, sizeof(p[0]), KEPT);
	for (unsigned step = 0; step < 100000; step++) {
		struct pkt *one, *two;

		seed = seed * 1664525 + 1013904223;
		// Half of the time more is taken than given back.
		if (seed >> 16 & 3 && (seed >> 20) % 4 >= (step / 500 % 2 ? 1u : 2u) && held) {
			one = have[--held];
			pkt_put(&a, one);
			pkt_put(&b, one);
		} else {
			one = seed >> 24 & 3 ? pkt_get(&a) : pkt_get_ctl(&a);
			two = seed >> 24 & 3 ? pkt_get(&b) : pkt_get_ctl(&b);
			assert_ptr_equal(one, two);
			if (one)
				have[held++] = one;
			refused += !one;
		}
		assert_int_equal(a.n, b.n + b.n_fresh);
	}
	assert_true(refused > 100);
	assert_int_equal(b.n_fresh, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marking),
		cmocka_unit_test(clones),
		cmocka_unit_test(stack_keeps_a_reserve),
		cmocka_unit_test(a_range_is_a_full_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
