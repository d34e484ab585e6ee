// SPDX-License-Identifier: BSD-3-Clause
// XOFF, headroom and cell of devices by seed: to the frame, with loops of our own, too.
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "draw.h"
#include "rounds.h"

// The counts that a fill with 64-byte frames must find, by a reckoning frame by frame.
struct truth {
	uint32_t n_xoff, out;
	unsigned unit;
};

static struct truth reckon(const struct device_params *p)
{
	const unsigned u = (64 + p->cell - 1) / p->cell * p->cell;
	struct truth t = {.unit = u};
	uint64_t base = 0, room = 0, limit;

	for (;;) {
		uint64_t shared = base > p->reserve ? base - p->reserve : 0;

		limit = p->alpha > 0
				? p->reserve + (uint64_t)(p->alpha * (double)(p->buffer - shared))
				: p->xoff;
		t.out++;
		if (base + u <= limit && shared + u <= p->buffer)
			base += u;
		else if (room + u <= p->headroom)
			room += u;
		else
			break;
		if (!t.n_xoff && (room || base >= limit))
			t.n_xoff = t.out;
	}
	t.out--;
	return t;
}

static void check(uint64_t seed, const struct device_params *drawn)
{
	struct device_params par = *drawn;
	struct device *d;
	struct probe *p;
	const struct found *f;
	struct truth t;

	draw_print(seed, &par);
	d = device_new(&par);
	p = device_probe(d, 8);
	p->transit = par.forward;
	p->obeys = par.obeys;
	t = reckon(&par);
	assert_int_equal(probe_overfill(p, 3), 0);
	assert_int_equal(p->group[3].out, t.out);
	assert_int_equal(p->group[3].quanta, par.quanta);
	assert_true(p->group[3].n_xoff_near >= t.n_xoff);
	assert_int_equal(probe_xoff(p, 3), 0);
	f = p->found->f[3];
	print_message("n_xoff %u of %u, %g us\n", p->group[3].n_xoff, t.n_xoff,
		(double)p->lab->scene_time / PS_PER_US);
	assert_int_equal(p->group[3].n_xoff, t.n_xoff);
	assert_int_equal(f[PROBE_XOFF].state, FOUND_IS);
	assert_int_equal(probe_cell(p, 3), 0);
	print_message("cell %g of %u, %g us\n", p->found->f[PROBE_DEVICE][PROBE_CELL].value,
		par.cell, (double)p->lab->scene_time / PS_PER_US);
	assert_int_equal(p->found->f[PROBE_DEVICE][PROBE_CELL].value, par.cell);
	assert_int_equal(probe_unit(p), t.unit);
	assert_true(f[PROBE_XOFF].value == (double)t.n_xoff * t.unit);
	assert_true(f[PROBE_HEADROOM].value == (double)(t.out - t.n_xoff) * t.unit);
	device_probe_free(p);
	device_free(d);
}

static void counts_are_exact(void **state)
{
	unsigned n = rounds_of(16);

	(void)state;
	for (unsigned k = 0; k < n; k++) {
		struct device_params par = draw_device(k + 1);

		check(k + 1, &par);
	}
}

static void counts_are_exact_with_loops_of_our_own(void **state)
{
	unsigned n = rounds_of(16);

	(void)state;
	for (unsigned k = 0; k < n; k++) {
		struct device_params par = draw_device(k + 101);

		par.gap = PS_PER_US;
		check(k + 101, &par);
	}
}

// A late device makes XOFF come late, however our own loops are.
static void counts_are_exact_where_the_device_is_away_now_and_then(void **state)
{
	unsigned n = rounds_of(32);

	(void)state;
	for (unsigned k = 0; k < n; k++) {
		struct device_params par = draw_device(k + 201);

		draw_busy(&par);
		check(k + 201, &par);
	}
}

// A device that stops long after the latest that 802.3 allows. Where our own loops are longer than
// a frame it may have been away, as they are, so nothing is said of it.
static void a_leak_says_nothing_where_loops_are_long(void **state)
{
	const tstamp gaps[] = {0, PS_PER_US};

	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		struct device_params par = device_usual();
		struct device *d;
		struct probe *p;
		const struct found *f;

		par.gap = gaps[k];
		par.response = 200 * PS_PER_US;
		d = device_new(&par);
		p = device_probe(d, 8);
		p->transit = par.forward;
		p->obeys = par.obeys;
		f = p->found->f[3];
		assert_int_equal(probe_overfill(p, 3), 0);
		assert_int_equal(p->obeys >> 3 & 1, 0);
		assert_int_equal(f[PROBE_OBEYS].state, k ? FOUND_INVALID : FOUND_IS);
		assert_int_equal(f[PROBE_XOFF].state, FOUND_NOT);
		device_probe_free(p);
		device_free(d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_exact),
		cmocka_unit_test(counts_are_exact_with_loops_of_our_own),
		cmocka_unit_test(counts_are_exact_where_the_device_is_away_now_and_then),
		cmocka_unit_test(a_leak_says_nothing_where_loops_are_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
