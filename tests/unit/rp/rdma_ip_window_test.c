// SPDX-License-Identifier: BSD-3-Clause
// The RDMA IP's windows against a model that ticks through every one of them.
#include "rp/rdma_ip_window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/prng.h"

#define US PS_PER_US

// The naive one: the ends of windows by adding the cycles in whole and fractional picoseconds, one
// after the other.
struct model {
	uint64_t clock_hz, whole, part; // of a window: ps, and clock_hz-ths of one
	uint64_t rest;                  // clock_hz-ths, below one ps
	tstamp end;
	int64_t bytes;
};

static void model_step(struct model *m)
{
	m->end += m->whole;
	m->rest += m->part;
	if (m->rest >= m->clock_hz) {
		m->rest -= m->clock_hz;
		m->end++;
	}
}

static void model_init(struct model *m, uint64_t clock_hz)
{
	*m = (struct model){.clock_hz = clock_hz,
		.whole = 1024 * PS_PER_S / clock_hz,
		.part = 1024 * PS_PER_S % clock_hz};
	model_step(m);
}

static void model_window(struct model *m, int64_t credit)
{
	m->bytes = m->bytes > credit ? m->bytes - credit : 0;
	model_step(m);
}

static void model_roll(struct model *m, int64_t credit, tstamp now)
{
	while (now >= m->end)
		model_window(m, credit);
}

static tstamp model_next(struct model m, int64_t credit)
{
	tstamp at = 0;

	while (m.bytes >= credit) {
		at = m.end;
		model_window(&m, credit);
	}
	return at;
}

static void same(const struct rdma_ip_window *w, const struct model *m, uint32_t credit)
{
	assert_int_equal(w->bytes, m->bytes);
	assert_int_equal(w->end, m->end);
	assert_int_equal(rdma_ip_window_next(w, credit), model_next(*m, credit));
}

// 4096 ns at 250 MHz: no fraction.
static void a_frame_may_start_while_the_count_is_below_the_credit(void **state)
{
	struct rdma_ip_window w;

	(void)state;
	rdma_ip_window_init(&w, 250000000);
	assert_int_equal(w.end, 4096 * PS_PER_NS);
	assert_int_equal(rdma_ip_window_next(&w, 1000), 0);
	w.bytes = 999;
	assert_int_equal(rdma_ip_window_next(&w, 1000), 0);
	w.bytes = 1000; // exactly: the next window
	assert_int_equal(rdma_ip_window_next(&w, 1000), 4096 * PS_PER_NS);
	w.bytes = 1999; // the overdraft leaves the next window one byte
	assert_int_equal(rdma_ip_window_next(&w, 1000), 4096 * PS_PER_NS);
	w.bytes = 2000; // and here none
	assert_int_equal(rdma_ip_window_next(&w, 1000), 2 * 4096 * PS_PER_NS);
	assert_int_equal(rdma_ip_window_next(&w, RDMA_IP_WINDOW_NO_LIMIT), 0);
}

static void an_overdraft_is_carried_and_unused_credit_is_not(void **state)
{
	struct rdma_ip_window w;

	(void)state;
	rdma_ip_window_init(&w, 250000000);
	w.bytes = 2500;
	rdma_ip_window_roll(&w, 1000, 4096 * PS_PER_NS - 1); // still the first window
	assert_int_equal(w.bytes, 2500);
	rdma_ip_window_roll(
		&w, 1000, 4096 * PS_PER_NS); // an instant at an end is in the next window
	assert_int_equal(w.bytes, 1500);
	rdma_ip_window_roll(&w, 1000, 2 * 4096 * PS_PER_NS);
	assert_int_equal(w.bytes, 500);
	rdma_ip_window_roll(
		&w, 1000, 50 * 4096 * PS_PER_NS); // 47 windows of nothing leave no credit
	assert_int_equal(w.bytes, 0);
	w.bytes = 1000;
	assert_int_equal(rdma_ip_window_next(&w, 1000), 51 * 4096 * PS_PER_NS);
	rdma_ip_window_roll(&w, 1000, 3 * 4096 * PS_PER_NS); // time that goes back changes nothing
	assert_int_equal(w.bytes, 1000);
	assert_int_equal(w.end, 51 * 4096 * PS_PER_NS);
}

// 1024 cycles of 322.265625 MHz are 3177503.03 ps: a window's start is off by less than 1 ps after
// 213 days too.
static void fractions_of_a_picosecond_do_not_add_up(void **state)
{
	const uint64_t hz = 322265625;
	struct rdma_ip_window w;

	(void)state;
	rdma_ip_window_init(&w, hz);
	assert_int_equal(w.end, 3177503);
	rdma_ip_window_roll(&w, 1, 33 * 3177503 + 1); // 33 x 0.0303 ps are one
	assert_int_equal(w.index, 33);
	rdma_ip_window_roll(&w, 1, 33 * 3177503);
	assert_int_equal(w.index, 33);
	rdma_ip_window_init(&w, hz);
	rdma_ip_window_roll(&w, 1, 33 * 3177503); // 1 ps before the 33rd window ends
	assert_int_equal(w.index, 32);
	rdma_ip_window_init(&w, hz);
	rdma_ip_window_roll(&w, 1, PS_PER_S); // 1 s: 314712.52 windows
	assert_int_equal(w.index, 314712);
	rdma_ip_window_roll(&w, 1, 200ull * 86400 * PS_PER_S);
	assert_int_equal(w.index, 5438232421875); // exactly: 200 days are whole windows
	assert_int_equal(w.end, 200ull * 86400 * PS_PER_S + 3177503);
}

// The credit of 1 and the largest debt that CC_BYTE_CNT_MEM holds; and the end of time.
static void the_largest_debt_is_paid_a_byte_a_window(void **state)
{
	struct rdma_ip_window w;

	(void)state;
	rdma_ip_window_init(&w, 250000000);
	w.bytes = UINT32_MAX;
	assert_int_equal(rdma_ip_window_next(&w, 1), UINT32_MAX * 4096ull * PS_PER_NS);
	rdma_ip_window_roll(&w, 1, (UINT32_MAX - 1ull) * 4096 * PS_PER_NS);
	assert_int_equal(w.bytes, 1);
	assert_int_equal(rdma_ip_window_next(&w, 1), UINT32_MAX * 4096ull * PS_PER_NS);
	rdma_ip_window_roll(&w, 1, UINT32_MAX * 4096ull * PS_PER_NS);
	assert_int_equal(w.bytes, 0);
	assert_int_equal(rdma_ip_window_next(&w, 1), 0);
	rdma_ip_window_roll(&w, 1, TSTAMP_NEVER - 1);
	w.bytes = UINT32_MAX;
	assert_int_equal(rdma_ip_window_next(&w, 1), TSTAMP_NEVER);
	w.bytes = 5;
	rdma_ip_window_roll(&w, RDMA_IP_WINDOW_NO_LIMIT, TSTAMP_NEVER - 1);
	assert_int_equal(w.bytes, 5);
}

// A window of bytes that nothing limits counts what passed in it and no more.
static void without_a_limit_each_window_counts_from_0(void **state)
{
	struct rdma_ip_window w;

	(void)state;
	rdma_ip_window_init(&w, 250000000);
	w.bytes = UINT32_MAX;
	assert_int_equal(rdma_ip_window_next(&w, RDMA_IP_WINDOW_NO_LIMIT), 0);
	rdma_ip_window_roll(&w, RDMA_IP_WINDOW_NO_LIMIT, 4096 * PS_PER_NS);
	assert_int_equal(w.bytes, 0);
}

struct draw {
	struct prng rng;
	struct rdma_ip_window w;
	struct model m;
	uint32_t credit;
	tstamp now;
};

static uint32_t draw_credit(struct prng *rng)
{
	static const uint32_t worst[] = {1, 2, 1106, 9216, 65535, RDMA_IP_WINDOW_NO_LIMIT};

	if (prng_below(rng, 2))
		return 64 + (uint32_t)prng_below(rng, 65472);
	return worst[prng_below(rng, 6)];
}

// A step of time: often to the ps of an end, beside it, or of the instant of the next frame.
static tstamp draw_time(struct draw *d)
{
	tstamp next = rdma_ip_window_next(&d->w, d->credit);

	switch (prng_below(&d->rng, 6)) {
	case 0:
		return d->w.end;
	case 1:
		return d->w.end - 1;
	case 2:
		return tstamp_max(next, d->now);
	case 3:
		return next ? tstamp_max(next - 1, d->now) : d->now;
	case 4:
		return d->now + prng_below(&d->rng, 200 * US);
	default:
		return d->now + prng_below(&d->rng, US);
	}
}

static void step(struct draw *d)
{
	tstamp at = draw_time(d);

	// The model ticks through its debt, so the debt is kept small here; a large one has a test
	// of its own.
	if (at > d->now + 1000 * US)
		at = d->now + 1000 * US;
	d->now = at;
	rdma_ip_window_roll(&d->w, d->credit, at);
	model_roll(&d->m, d->credit, at);
	same(&d->w, &d->m, d->credit);
	if (prng_below(&d->rng, 8) == 0) { // a rate is written: the count is up to date
		d->credit = draw_credit(&d->rng);
		same(&d->w, &d->m, d->credit);
	}
	if (d->m.bytes < d->credit && d->m.bytes < 1 << 14) {
		uint32_t bytes = 84 + (uint32_t)prng_below(&d->rng, 9200);

		d->w.bytes += bytes;
		d->m.bytes += bytes;
		same(&d->w, &d->m, d->credit);
	}
}

static void windows_are_those_of_a_model_that_ticks(void **state)
{
	static const uint64_t clock[] = {
		1000000, 156250000, 250000000, 322265625, 333333333, 1999999999, 2000000000};
	const char *env = getenv("QUENCH_SEED");
	uint64_t seed = env ? strtoull(env, NULL, 0) : 1;

	(void)state;
	for (unsigned i = 0; i < 35; i++, seed++) {
		struct draw d = {.credit = 1106};
		uint64_t hz = clock[i % 7];

		print_message("seed %llu, clock %llu Hz\n", (unsigned long long)seed,
			(unsigned long long)hz);
		prng_init(&d.rng, seed, "rdma_ip_window");
		rdma_ip_window_init(&d.w, hz);
		model_init(&d.m, hz);
		for (unsigned n = 0; n < 500; n++)
			step(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_may_start_while_the_count_is_below_the_credit),
		cmocka_unit_test(an_overdraft_is_carried_and_unused_credit_is_not),
		cmocka_unit_test(fractions_of_a_picosecond_do_not_add_up),
		cmocka_unit_test(the_largest_debt_is_paid_a_byte_a_window),
		cmocka_unit_test(without_a_limit_each_window_counts_from_0),
		cmocka_unit_test(windows_are_those_of_a_model_that_ticks),
	};

	return cmocka_run_group_tests_name("rdma_ip_window", tests, NULL, NULL);
}
