// SPDX-License-Identifier: BSD-3-Clause
// Classes that share an egress queue of a host: their order, and the PFC that stops them.
#include "base/prng.h"
#include "nic_lab.h"
#include "rounds.h"

#define US      PS_PER_US
#define QUANTUM 5120 // ps at 100 Gb/s
#define FEW     16384

struct sent {
	unsigned n;
	tstamp t[FEW];
	uint32_t qp[FEW];
	uint8_t cls[FEW];
};

static struct lab l;
static struct sent g;

static bool note(struct lab *lab, unsigned from, struct pkt *p, tstamp now)
{
	(void)lab;
	if (from || (p->kind != PKT_DATA && p->kind != PKT_GEN) || g.n == FEW)
		return true;
	g.t[g.n] = now;
	g.cls[g.n] = p->cls;
	g.qp[g.n++] = p->kind == PKT_DATA ? p->u.rc.qpn : 0;
	return true;
}

static void begin(const uint8_t *map)
{
	memset(&g, 0, sizeof(g));
	lab_init(&l);
	l.hook = note;
	l.p[0].mapped = map != NULL;
	if (map)
		memcpy(l.p[0].queue_map, map, sizeof(l.p[0].queue_map));
	l.p[0].pfc_classes = 0xff;
	lab_start(&l);
}

static void add(uint32_t qpn, uint8_t cls)
{
	struct nic_qp_params p = lab_req(&l, qpn);

	p.cls = cls;
	lab_add(&l, &p);
}

static void pfc(unsigned cls, uint16_t quanta)
{
	struct pkt p = {.kind = PKT_PFC, .len = 60, .u.pfc.enable = (uint8_t)(1 << cls)};

	p.u.pfc.quanta[cls] = quanta;
	lab_rx(&l, 0, &p);
}

// The instant of the first frame from `at` on.
static tstamp next_frame(tstamp at)
{
	for (unsigned i = 0; i < g.n; i++)
		if (g.t[i] >= at)
			return g.t[i];
	return TSTAMP_NEVER;
}

static void a_pause_of_a_class_stops_its_queue(void **state)
{
	static const uint8_t map[PKT_CLASSES] = {0, 1, 2, 3, 3, 5, 6, 7};
	tstamp until;

	(void)state;
	begin(map);
	add(1, 3);
	add(2, 4);
	lab_run(&l, 10 * US);
	pfc(4, 2000);
	assert_int_equal(nic_pauses(l.nic[0], 0, l.now), 1 << 3 | 1 << 4);
	lab_run(&l, 12 * US);
	assert_int_equal(next_frame(10 * US + 100000), TSTAMP_NEVER);
	pfc(3, 1000); // ends later
	until = l.now + 1000 * QUANTUM;
	assert_true(until > 10 * US + 2000 * QUANTUM / 2);
	pfc(4, 0);
	lab_run(&l, until + US);
	assert_int_equal(next_frame(10 * US + 100000), until);
	assert_int_equal(lab_evs(&l, 0, EV_PAUSE_RX), 2);
	assert_int_equal(lab_evs(&l, 0, EV_RESUME_RX), 2);
	lab_end(&l);
}

// Both pauses run out by themselves: the queue goes on with the later one.
static void a_queue_goes_on_with_its_last_class(void **state)
{
	static const uint8_t map[PKT_CLASSES] = {0, 1, 2, 3, 3, 5, 6, 7};

	(void)state;
	for (unsigned first = 3; first <= 4; first++) {
		begin(map);
		add(1, 3);
		add(2, 4);
		lab_run(&l, 10 * US);
		pfc(first, 1000);
		pfc(7 - first, 1500);
		lab_run(&l, 30 * US);
		assert_int_equal(next_frame(10 * US + 100000), 10 * US + 1500 * QUANTUM);
		assert_int_equal(nic_pauses(l.nic[0], 0, l.now), 0);
		lab_end(&l);
	}
}

static void a_pause_leaves_other_queues_alone(void **state)
{
	static const uint8_t map[PKT_CLASSES] = {0, 1, 2, 4, 3, 5, 6, 7};

	(void)state;
	begin(map); // 3 and 4 have each other's queue
	add(1, 3);
	add(2, 4);
	lab_run(&l, 10 * US);
	pfc(3, 65535);
	lab_run(&l, 20 * US);
	for (unsigned i = 0; i < g.n; i++) {
		assert_int_equal(g.cls[i], g.qp[i] == 1 ? 3 : 4);
		assert_true(g.t[i] < 10 * US + 100000 || g.qp[i] == 2);
	}
	assert_true(next_frame(19 * US) < 20 * US);
	assert_true(nic_eport(l.nic[0])->q[4].tx_frames > 40);
	lab_end(&l);
}

struct draw {
	unsigned n;
	uint8_t cls[8], pause[20];
	uint16_t quanta[20];
	tstamp at[20], start[8];
	rate_t rate[8];
};

// Runs a draw with all classes in queue 3, or with all flows and pauses in class 3.
static void run_draw(const struct draw *d, bool mapped)
{
	static const uint8_t map[PKT_CLASSES] = {3, 3, 3, 3, 3, 3, 3, 3};
	struct gen_params gen = {.hdr = &l.data_hdr,
		.min_len = 60,
		.max_len = 1500,
		.burst = 2,
		.rate = 30 * RATE_GBPS,
		.cls = mapped ? d->cls[0] : 3,
		.stop = TSTAMP_NEVER,
		.name = "s"};

	begin(mapped ? map : NULL);
	for (unsigned i = 0; i < d->n; i++) {
		struct nic_qp_params p = lab_req(&l, i + 1);

		p.cls = mapped ? d->cls[i] : 3;
		p.rate_limit = d->rate[i];
		p.start = d->start[i];
		p.catch_up_ps = PACER_AUTO;
		lab_add(&l, &p);
	}
	assert_int_equal(nic_add_gen(l.nic[0], &gen), 0);
	for (unsigned i = 0; i < 20; i++) {
		lab_run(&l, d->at[i]);
		pfc(mapped ? d->pause[i] : 3, d->quanta[i]);
	}
	lab_run(&l, 150 * US);
	lab_end(&l);
}

static void classes_of_a_queue_are_as_one(void **state)
{
	static struct sent one;

	(void)state;
	for (unsigned seed = 1; seed <= rounds_of(60); seed++) {
		struct draw d = {0};
		struct prng r;

		print_message("seed %u\n", seed);
		prng_init(&r, seed, "queue");
		d.n = 1 + (unsigned)prng_below(&r, 8);
		for (unsigned i = 0; i < d.n; i++) {
			d.cls[i] = (uint8_t)prng_below(&r, 8);
			d.rate[i] = (1 + prng_below(&r, 100)) * RATE_GBPS;
			d.start[i] = prng_below(&r, 50 * US);
		}
		for (unsigned i = 0; i < 20; i++) { // each pause ends before the next begins
			d.at[i] = (i + 1) * 5 * US + prng_below(&r, US);
			d.pause[i] = (uint8_t)prng_below(&r, 8);
			d.quanta[i] = (uint16_t)(1 + prng_below(&r, 700));
		}
		run_draw(&d, true);
		one = g;
		run_draw(&d, false);
		assert_int_equal(one.n, g.n);
		for (unsigned i = 0; i < g.n; i++)
			if (one.t[i] != g.t[i] || one.qp[i] != g.qp[i])
				fail_msg("frame %u: %llu of %u, %llu of %u", i,
					(unsigned long long)one.t[i], one.qp[i],
					(unsigned long long)g.t[i], g.qp[i]);
	}
}

static void a_queue_that_is_not_there_is_refused(void **state)
{
	struct nic_params p = lab_nic_params(0);
	struct ev_ring events = {0};
	struct pkt_stack stack = {0};
	struct nic *nic;

	(void)state;
	p.mapped = true;
	p.queue_map[5] = PKT_CLASSES;
	assert_int_equal(nic_init(&nic, &p, &stack, &events), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pause_of_a_class_stops_its_queue),
		cmocka_unit_test(a_queue_goes_on_with_its_last_class),
		cmocka_unit_test(a_pause_leaves_other_queues_alone),
		cmocka_unit_test(classes_of_a_queue_are_as_one),
		cmocka_unit_test(a_queue_that_is_not_there_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
