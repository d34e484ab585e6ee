// SPDX-License-Identifier: BSD-3-Clause
// Rings of messages: one for each requester as a rule; fewer of them go from hand to hand, and no
// requester is left out.
#include "nic_lab.h"

#include "qp/qp.h"

#define QPS 12u

static struct lab l;

static void begin(unsigned outstanding, uint64_t count, uint64_t ring_bytes)
{
	lab_init(&l);
	l.p[0].ring_bytes = ring_bytes;
	lab_start(&l);
	for (uint32_t i = 1; i <= QPS; i++) {
		struct nic_qp_params p = lab_req(&l, i);

		p.message_bytes = 3000;
		p.outstanding = outstanding;
		p.count = count;
		lab_add(&l, &p);
	}
}

// Free for `size`, or never lent.
static unsigned idle_rings(unsigned size)
{
	const struct nic_ring_pool *p = &l.nic[0]->ring[size];
	const struct rc_message *ring = p->free;
	unsigned n = p->rings.n - p->lent;

	while (ring) {
		n++;
		memcpy(&ring, (const void *)ring, sizeof(ring));
	}
	return n;
}

static void an_idle_requester_has_none(void **state)
{
	(void)state;
	begin(4, 5, 0);
	assert_int_equal(idle_rings(2), QPS);
	lab_run(&l, PS_PER_US);
	assert_int_equal(idle_rings(2), 0);
	lab_run(&l, 100 * PS_PER_US);
	for (unsigned i = 0; i < QPS; i++)
		assert_int_equal(nic_qp_stats(l.nic[1], i)->message_complete_rx, 5);
	assert_int_equal(idle_rings(2), QPS);
	lab_end(&l);
}

// Three rings for twelve requesters: counted messages are all done, and of endless ones each has
// its share.
static void few_rings_go_from_hand_to_hand(void **state)
{
	(void)state;
	for (unsigned outstanding = 1; outstanding <= 4; outstanding++) {
		unsigned size = outstanding == 1 ? 0 : outstanding == 2 ? 1 : 2;
		uint64_t few = 3 * (sizeof(struct rc_message) << size);
		uint64_t least = UINT64_MAX, most = 0;

		begin(outstanding, 7, few);
		assert_int_equal(idle_rings(size), 3);
		lab_run(&l, PS_PER_MS);
		for (unsigned i = 0; i < QPS; i++)
			assert_int_equal(nic_qp_stats(l.nic[1], i)->message_complete_rx, 7);
		assert_int_equal(idle_rings(size), 3);
		lab_end(&l);

		begin(outstanding, 0, few);
		lab_run(&l, PS_PER_MS);
		for (unsigned i = 0; i < QPS; i++) {
			uint64_t n = nic_qp_stats(l.nic[1], i)->message_complete_rx;

			least = n < least ? n : least;
			most = n > most ? n : most;
		}
		assert_true(least > 20 && most <= least + outstanding);
		lab_end(&l);
	}
}

// One ring at least, whatever the bound. Requesters that are stopped while they wait want no ring;
// a requester that has a ring and is stopped gives it up.
static void stopped_ones_want_none(void **state)
{
	(void)state;
	begin(2, 0, 1);
	assert_int_equal(idle_rings(1), 1);
	lab_run(&l, 50 * PS_PER_US);
	for (uint32_t i = 1; i < QPS; i++) {
		struct ctl stop = {.type = CTL_FLOW_STOP, .id = i};

		assert_int_equal(nic_ctl(l.nic[0], &stop, l.now), 0);
	}
	lab_run(&l, 100 * PS_PER_US);

	uint64_t others = nic_qp_stats(l.nic[1], 0)->message_complete_rx;
	uint64_t last = nic_qp_stats(l.nic[1], QPS - 1)->message_complete_rx;

	lab_run(&l, 200 * PS_PER_US);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->message_complete_rx, others);
	assert_true(nic_qp_stats(l.nic[1], QPS - 1)->message_complete_rx > last + 10);
	for (uint32_t i = 1; i <= QPS; i++) {
		struct ctl stop = {.type = i < QPS ? CTL_FLOW_START : CTL_FLOW_STOP, .id = i};

		assert_int_equal(nic_ctl(l.nic[0], &stop, l.now), 0);
	}
	lab_run(&l, 300 * PS_PER_US);
	assert_true(nic_qp_stats(l.nic[1], 0)->message_complete_rx > others);
	lab_end(&l);
}

static bool dead(struct lab *lab, unsigned from, struct pkt *p, tstamp now)
{
	(void)lab;
	(void)now;
	return from || p->u.rc.qpn != 1;
}

// One ring for three queue pairs, of which the peer of the first, which starts at `start`, is dead.
static void fail_the_first(tstamp start)
{
	struct rc_params p = lab_rc_params();

	lab_init(&l);
	p.rto_ps = 20 * PS_PER_US;
	p.retries = 2;
	assert_int_equal(rc_cfg_init(&l.rc, &p), 0);
	l.p[0].ring_bytes = 1;
	l.hook = dead;
	lab_start(&l);
	for (uint32_t i = 1; i <= 3; i++) {
		struct nic_qp_params q = lab_req(&l, i);

		q.message_bytes = 3000;
		q.start = i == 1 ? start : 0;
		lab_add(&l, &q);
	}
	lab_run(&l, PS_PER_MS);
}

// A queue pair whose peer is dead fails, and its ring serves the others.
static void a_failed_one_gives_it_back(void **state)
{
	(void)state;
	fail_the_first(0);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->message_fail, 2); // all that it had
	assert_true(nic_qp_stats(l.nic[1], 1)->message_complete_rx > 20);
	assert_true(nic_qp_stats(l.nic[1], 2)->message_complete_rx > 20);
	lab_end(&l);
}

// One that had to wait has one message and might post another, were it not for its failure.
static void a_failed_one_that_is_started_keeps_none(void **state)
{
	struct ctl start = {.type = CTL_FLOW_START, .id = 1};
	uint64_t others;

	(void)state;
	fail_the_first(20 * PS_PER_US);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->message_fail, 1);
	assert_int_equal(nic_ctl(l.nic[0], &start, l.now), 0);
	lab_run(&l, l.now + 100 * PS_PER_US);
	others = nic_qp_stats(l.nic[1], 1)->message_complete_rx;
	lab_run(&l, l.now + 100 * PS_PER_US);
	assert_true(nic_qp_stats(l.nic[1], 1)->message_complete_rx > others);
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_idle_requester_has_none),
		cmocka_unit_test(few_rings_go_from_hand_to_hand),
		cmocka_unit_test(stopped_ones_want_none),
		cmocka_unit_test(a_failed_one_gives_it_back),
		cmocka_unit_test(a_failed_one_that_is_started_keeps_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
