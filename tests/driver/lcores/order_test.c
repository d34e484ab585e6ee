// SPDX-License-Identifier: BSD-3-Clause
// Orders to lcores that the test turns: all take an order before its instant is announced, each
// carries it out at its first turn at or after that instant, and an order that is taken back is
// carried out by nobody.
#include "lcores/order.h"
#include "stash_lab.h"

static const char text[] = "duration: 1s\n"
			   "switches: {s: {}}\n"
			   "hosts: {a: {}, b: {}}\n"
			   "links: [{between: [[a, b], s], rate: 100Gbps}]\n"
			   "ports: {s:a: {device: net_ring0}}\n";

unsigned __wrap_dev_tx(struct dev *d, unsigned queue, struct rte_mbuf **m, unsigned n);

unsigned __wrap_dev_tx(struct dev *d, unsigned queue, struct rte_mbuf **m, unsigned n)
{
	(void)d;
	(void)queue;
	for (unsigned i = 0; i < n; i++)
		rte_pktmbuf_free(m[i]);
	return n;
}

// A weight of queue 3 of all ports of the switch.
static struct rt_order *weight(uint16_t value)
{
	const struct rt_order_cmd cmd = {.node = (uint16_t)scene_node(lab.scene, "s"),
		.ctl = {.type = CTL_WEIGHT, .port = PKT_NO_PORT, .cls = 3, .a = value}};
	struct rt_order *o = rt_order_new(&lab.world, &cmd, 1);

	assert_non_null(o);
	return o;
}

// The scene's clock stands at 0, so that the test says what time it is.
static void open_two(void)
{
	open_world(text, "b");
	lab.clock.dilate = 1;
}

static tstamp done_at(const struct rt_order *o, unsigned k)
{
	struct rt_order_result r;

	return rt_order_result(o, 0, k, &r) ? r.at : TSTAMP_NEVER;
}

static void take_all(void)
{
	for (unsigned i = 0; i < lab.world.n_lcores; i++)
		rt_order_take(lab.world.lcore[i]);
}

static void an_order_is_carried_out_at_its_instant(void **state)
{
	const tstamp due = 10 * PS_PER_MS;
	struct rt_order *o;

	(void)state;
	open_two();
	o = weight(7);
	assert_int_equal(rt_order_post(o, due), 0);
	rt_order_take(lab.world.lcore[0]);
	assert_int_equal(rt_order_look(o), -EAGAIN);
	rt_lcore_step(lab.world.lcore[0], due + 5);
	assert_int_equal(rt_order_due(o), TSTAMP_NEVER); // one has not heard of it
	rt_order_take(lab.world.lcore[1]);
	assert_int_equal(rt_order_look(o), -EAGAIN);
	assert_int_equal(rt_order_due(o), due);
	for (unsigned i = 0; i < 2; i++)
		rt_lcore_step(lab.world.lcore[i], due - 1);
	assert_int_equal(rt_order_look(o), -EAGAIN);
	assert_int_equal(done_at(o, 0), TSTAMP_NEVER);
	rt_lcore_step(lab.world.lcore[0], due + 3);
	assert_int_equal(rt_order_look(o), -EAGAIN);
	rt_lcore_step(lab.world.lcore[1], due + 9);
	assert_int_equal(rt_order_look(o), 0);
	assert_int_equal(done_at(o, 0), due + 3);
	assert_int_equal(lab.world.lcore[0]->next_ctl, TSTAMP_NEVER);
	rt_order_free(o);
	close_world();
}

static void one_lcore_carries_it_out_at_once(void **state)
{
	struct rt_order *o;

	(void)state;
	open_world(text, NULL);
	o = weight(9);
	assert_int_equal(rt_order_post(o, 0), 0);
	take_all();
	assert_int_equal(rt_order_look(o), -EAGAIN);
	rt_lcore_step(lab.lc, 42);
	assert_int_equal(rt_order_look(o), 0);
	assert_int_equal(done_at(o, 0), 42);
	assert_int_equal(done_at(o, 1), TSTAMP_NEVER);
	rt_order_free(o);
	close_world();
}

static void one_order_at_a_time(void **state)
{
	struct rt_order *o, *p;

	(void)state;
	open_two();
	o = weight(1);
	p = weight(2);
	assert_int_equal(rt_order_post(o, 0), 0);
	assert_int_equal(rt_order_post(p, 0), -EBUSY);
	take_all();
	rt_order_free(p);
	rt_order_look(o);
	for (unsigned i = 0; i < 2; i++)
		rt_lcore_step(lab.world.lcore[i], PS_PER_S);
	assert_int_equal(rt_order_look(o), 0);
	rt_order_free(o);
	close_world();
}

static void an_order_is_taken_back(void **state)
{
	struct rt_order *o;

	(void)state;
	open_two();
	o = weight(5);
	assert_int_equal(rt_order_post(o, 0), 0);
	assert_true(rt_order_cancel(o)); // nobody has heard of it
	for (unsigned i = 0; i < 2; i++) {
		rt_order_take(lab.world.lcore[i]);
		rt_lcore_step(lab.world.lcore[i], PS_PER_S);
	}
	assert_int_equal(done_at(o, 0), TSTAMP_NEVER);
	rt_order_free(o);
	close_world();
}

static void an_announced_order_stays(void **state)
{
	struct rt_order *o;

	(void)state;
	open_two();
	o = weight(5);
	assert_int_equal(rt_order_post(o, 0), 0);
	take_all();
	rt_order_look(o);
	assert_false(rt_order_cancel(o));
	for (unsigned i = 0; i < 2; i++)
		rt_lcore_step(lab.world.lcore[i], PS_PER_S);
	assert_int_equal(rt_order_look(o), 0);
	rt_order_free(o);
	close_world();
}

static void an_lcore_that_ends_does_not_hold_up(void **state)
{
	struct rt_order *o;

	(void)state;
	open_two();
	o = weight(5);
	assert_int_equal(rt_order_post(o, 0), 0);
	rt_order_take(lab.world.lcore[0]);
	atomic_store(&lab.world.lcore[0]->done, true);
	assert_int_equal(rt_order_look(o), -EAGAIN); // the other one may have it in its hands
	atomic_store(&lab.world.lcore[1]->done, true);
	assert_int_equal(rt_order_look(o), -ESHUTDOWN);
	rt_order_free(o);
	close_world();
}

static void a_node_that_refuses_is_told(void **state)
{
	const struct rt_order_cmd cmd = {.ctl = {.type = CTL_WEIGHT, .port = 77}};
	struct rt_order_result r;
	struct rt_order *o;

	(void)state;
	open_world(text, NULL);
	o = rt_order_new(&lab.world, &cmd, 1);
	assert_int_equal(rt_order_post(o, 0), 0);
	take_all();
	rt_order_look(o);
	rt_lcore_step(lab.lc, 1);
	assert_int_equal(rt_order_look(o), 0);
	assert_true(rt_order_result(o, 0, 0, &r));
	assert_int_equal(r.rc, -EINVAL);
	rt_order_free(o);
	close_world();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_order_is_carried_out_at_its_instant),
		cmocka_unit_test(one_lcore_carries_it_out_at_once),
		cmocka_unit_test(one_order_at_a_time),
		cmocka_unit_test(an_order_is_taken_back),
		cmocka_unit_test(an_announced_order_stays),
		cmocka_unit_test(an_lcore_that_ends_does_not_hold_up),
		cmocka_unit_test(a_node_that_refuses_is_told),
	};

	return cmocka_run_group_tests(tests, start, eallab_finish);
}
