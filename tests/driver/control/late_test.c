// SPDX-License-Identifier: BSD-3-Clause
// A change whose instant an lcore lets pass is answered as one that is perhaps carried out later.
// Once it was, the next change takes it over. The test turns the lcore.
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include <jansson.h>

#include "control/int.h"
#include "lcores/order.h"
#include "../lcores/stash_lab.h"

static const char text[] = "duration: 1s\n"
			   "switches: {s: {}}\n"
			   "hosts: {a: {}, b: {}}\n"
			   "links: [{between: [[a, b], s], rate: 100Gbps}]\n"
			   "flows: {f: {from: a, to: b}}\n"
			   "faults: [{at: \"s:a\", share: 1%, do: ecn, optional: true}]\n";

// An action that another thread asks for.
struct ask {
	struct control *c;
	const char *action;
	int rc;
	atomic_bool answered;
	pthread_t thread;
};

static void *asks(void *arg)
{
	struct ask *a = arg;
	const struct control_peer peer = {1, 0};
	json_t *answer = json_object();
	struct err err = {0};

	a->rc = control_do(a->c, &peer, a->action, answer, &err);
	json_decref(answer);
	atomic_store(&a->answered, true);
	return NULL;
}

static void begin(struct ask *a, struct control *c, const char *action)
{
	*a = (struct ask){.c = c, .action = action};
	assert_int_equal(pthread_create(&a->thread, NULL, asks, a), 0);
}

// The lcore takes orders until the action is answered, and carries them out if it `turns`.
static int answered(struct ask *a, bool turns)
{
	while (!atomic_load(&a->answered)) {
		rt_order_take(lab.lc);
		if (turns)
			rt_lcore_step(lab.lc, ++lab.now);
		sched_yield();
	}
	assert_int_equal(pthread_join(a->thread, NULL), 0);
	return a->rc;
}

static void the_next_change_takes_a_late_one_over(void **state)
{
	const struct record_opts opts = {.no_files = true};
	struct control *c = calloc(1, sizeof(*c));
	struct err err = {0};
	struct ask a;

	(void)state;
	open_world(text, NULL);
	lab.clock.dilate = 1;
	assert_non_null(c);
	c->run = (struct control_run){.world = &lab.world, .scene = lab.scene};
	assert_int_equal(record_open(&c->run.record, lab.scene, lab.world.net, &opts, &err), 0);
	begin(&a, c, "fault: {at: \"s:a\", psn: 7, do: drop}");
	assert_int_equal(answered(&a, false), -EINPROGRESS);
	assert_int_equal(net_n_faults(lab.world.net), 1);
	begin(&a, c, "fault: {at: \"s:b\", psn: 8, do: drop}");
	assert_int_equal(answered(&a, false), -EBUSY); // the lcore has the order still
	rt_lcore_step(lab.lc, ++lab.now);
	begin(&a, c, "fault: {at: \"s:b\", psn: 9, do: drop}");
	assert_int_equal(answered(&a, true), 0);
	assert_int_equal(net_n_faults(lab.world.net), 3);
	assert_int_equal(net_fault_at(lab.world.net, 1)->record.from, 7);
	assert_int_equal(net_fault_at(lab.world.net, 2)->record.from, 9);
	control_steer_end(c);
	record_free(c->run.record);
	close_world();
	control_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_next_change_takes_a_late_one_over),
	};

	return cmocka_run_group_tests(tests, start, eallab_finish);
}
