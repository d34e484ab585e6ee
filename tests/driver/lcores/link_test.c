// SPDX-License-Identifier: BSD-3-Clause
// Links in memory: order and instants of the list, and a ring between two threads.
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lcores/link.h"

#define CROSSINGS 20000u

static void a_packet_arrives_at_its_instant(void **state)
{
	struct pkt p[3] = {{.when = 10}, {.when = 10}, {.when = 20}};
	struct pkt *out[EAL_BURST];
	struct rt_link l = {0};

	(void)state;
	assert_true(rt_link_next(&l) == TSTAMP_NEVER);
	for (unsigned i = 0; i < 3; i++)
		rt_link_put(&l, &p[i]);
	assert_int_equal(rt_link_next(&l), 10);
	assert_int_equal(rt_link_get(&l, out, EAL_BURST, 9), 0);
	assert_int_equal(rt_link_get(&l, out, 1, 19), 1);
	assert_ptr_equal(out[0], &p[0]);
	assert_int_equal(rt_link_get(&l, out, EAL_BURST, 19), 1);
	assert_ptr_equal(out[0], &p[1]);
	assert_int_equal(l.n, 1);
	assert_int_equal(rt_link_get(&l, out, EAL_BURST, 20), 1);
	assert_ptr_equal(out[0], &p[2]);
	assert_int_equal(l.n, 0);
	rt_link_put(&l, &p[0]); // an emptied list takes again
	assert_int_equal(rt_link_next(&l), 10);
}

static void a_full_ring_refuses_the_rest(void **state)
{
	struct rt_ring *r = rt_ring_new(8);
	struct pkt p[10], *in[10], *out[10];

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		in[i] = &p[i];
	assert_int_equal(rt_ring_get(r, out, 10), 0);
	assert_int_equal(rt_ring_put(r, in, 5), 5);
	assert_int_equal(rt_ring_put(r, in + 5, 5), 3);
	assert_int_equal(rt_ring_put(r, in + 8, 2), 0);
	assert_int_equal(rt_ring_count(r), 8);
	assert_int_equal(rt_ring_get(r, out, 3), 3);
	assert_int_equal(rt_ring_put(r, in + 8, 2), 2);
	assert_int_equal(rt_ring_get(r, out + 3, 10), 5); // what it had seen
	assert_int_equal(rt_ring_get(r, out + 8, 10), 2);
	for (unsigned i = 0; i < 10; i++)
		assert_ptr_equal(out[i], &p[i]);
	free(r);
}

struct crossing {
	struct rt_ring *ring;
	struct pkt *p;
};

static void *sender(void *arg)
{
	struct crossing *c = arg;

	for (unsigned i = 0; i < CROSSINGS;) {
		struct pkt *burst[7];
		unsigned n = 0;

		for (; n < 7 && i + n < CROSSINGS; n++) {
			c->p[i + n].born = i + n; // written before the ring hands it over
			burst[n] = &c->p[i + n];
		}
		n = rt_ring_put(c->ring, burst, n);
		i += n;
		if (!n)
			sched_yield();
	}
	return NULL;
}

static void two_threads_keep_the_order(void **state)
{
	struct crossing c = {rt_ring_new(64), calloc(CROSSINGS, sizeof(struct pkt))};
	struct rt_link l = {.ring = c.ring};
	pthread_t t;
	unsigned seen = 0;

	(void)state;
	assert_int_equal(pthread_create(&t, NULL, sender, &c), 0);
	while (seen < CROSSINGS) {
		struct pkt *out[EAL_BURST];
		unsigned n;

		rt_link_pull(&l);
		n = rt_link_get(&l, out, EAL_BURST, 0);
		for (unsigned i = 0; i < n; i++)
			assert_int_equal(out[i]->born, seen++);
		if (!n)
			sched_yield();
	}
	pthread_join(t, NULL);
	assert_int_equal(rt_ring_count(c.ring), 0);
	free(c.ring);
	free(c.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_packet_arrives_at_its_instant),
		cmocka_unit_test(a_full_ring_refuses_the_rest),
		cmocka_unit_test(two_threads_keep_the_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
