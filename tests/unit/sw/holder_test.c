// SPDX-License-Identifier: BSD-3-Clause
// Tests of the holders that a switch tells with an XOFF: the queues that hold the bytes of the
// ingress group.
#include "sw_box.h"

#define T PS_PER_MS

static const uint8_t queues[8] = {0, 1, 2, 5, 4, 5, 6, 7};
static const uint8_t groups[8] = {0, 1, 2, 3, 3, 5, 6, 7};

// Frames of 1500 counted bytes.
static void send(struct box *b, unsigned from, unsigned to, unsigned cls, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		box_send(b, from, to, cls, 1496, T);
}

static void holder_is(struct box *b, unsigned out, unsigned out_cls, unsigned frames)
{
	const struct ev *e = ev_get(&b->events);

	assert_non_null(e);
	assert_int_equal(e->type, EV_XOFF_HOLDER);
	assert_true(e->t == T);
	assert_int_equal(e->port, 0);
	assert_int_equal(e->cls, 3);
	assert_int_equal(e->holder.out, out);
	assert_int_equal(e->holder.out_cls, out_cls);
	assert_int_equal(e->holder.bytes, frames * 1500);
	assert_int_equal(e->holder.group_bytes, sw_mmu_of(b->sw, 0)->pg[3].bytes);
}

static void xoff_is_sent(struct box *b)
{
	box_put(b, box_tx(b, 0, T));
	assert_int_equal(box_event(b, EV_XOFF_TX)->pfc_tx.enable, 1 << 3);
}

// Frames of another port or group in the same queues are not its own.
static void queues_are_told_largest_first(void **state)
{
	struct box *b = box_new();

	(void)state;
	box_start(b);
	box_learn(b);
	send(b, 2, 1, 3, 5);
	send(b, 0, 1, 1, 5);
	send(b, 0, 1, 3, 4);
	send(b, 0, 2, 3, 7);
	send(b, 0, 3, 3, 4);
	xoff_is_sent(b);
	holder_is(b, 2, 3, 7);
	holder_is(b, 1, 3, 4);
	holder_is(b, 3, 3, 4);
	assert_null(ev_get(&b->events));
	box_free(b);
}

static void four_at_most(void **state)
{
	struct box *b = box_new();

	(void)state;
	b->params.n_ports = BOX_PORTS;
	box_start(b);
	box_learn(b);
	for (unsigned to = 1; to < BOX_PORTS; to++)
		send(b, 0, to, 3, to);
	xoff_is_sent(b);
	for (unsigned to = BOX_PORTS - 1; to > 1; to--)
		holder_is(b, to, 3, to);
	assert_null(ev_get(&b->events));
	box_free(b);
}

// Classes 3 and 4 are one group in two queues; class 5 is in the first of them, too.
static void a_group_of_two_queues(void **state)
{
	struct box *b = box_new();

	(void)state;
	memcpy(b->set->queue_map, queues, sizeof(queues));
	memcpy(b->set->pg_map, groups, sizeof(groups));
	box_start(b);
	box_learn(b);
	send(b, 0, 1, 5, 2);
	send(b, 0, 1, 3, 5);
	send(b, 0, 1, 4, 9);
	xoff_is_sent(b);
	holder_is(b, 1, 4, 9);
	holder_is(b, 1, 5, 5);
	assert_null(ev_get(&b->events));
	box_free(b);
}

// A command asks for XOFF where nothing is held; and who does not want holders hears of none.
static void nobody_holds_or_nobody_asks(void **state)
{
	struct ctl storm = {.type = CTL_PFC_STORM, .cls = 3, .quanta = 77, .a = 2 * T};
	struct box *b = box_new();

	(void)state;
	box_start(b);
	box_learn(b);
	assert_int_equal(sw_ctl(b->sw, &storm, T), 0);
	xoff_is_sent(b);
	assert_null(ev_get(&b->events));
	box_free(b);
	b = box_new();
	box_start(b);
	box_learn(b);
	b->events.want &= ~(1ull << EV_XOFF_HOLDER);
	send(b, 0, 1, 3, 14);
	xoff_is_sent(b);
	assert_null(ev_get(&b->events));
	box_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queues_are_told_largest_first),
		cmocka_unit_test(four_at_most),
		cmocka_unit_test(a_group_of_two_queues),
		cmocka_unit_test(nobody_holds_or_nobody_asks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
