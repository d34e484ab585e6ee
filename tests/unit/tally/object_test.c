// SPDX-License-Identifier: BSD-3-Clause
// The objects watched: every port and queue found, flows joined to groups, headers known by their
// owner.
#include "net_each.h"

static void ports_and_queues(void **state)
{
	const struct record *r = n.rec;

	(void)state;
	assert_int_equal(r->n_ports, 6); // three hosts, three of the switch
	assert_int_equal(r->n_queues, 6 * PKT_CLASSES);
	assert_int_equal(r->n_watched, 3 * PKT_CLASSES);
	for (unsigned i = 0; i < r->n_ports; i++) {
		const struct rec_port *p = &r->port[i];

		assert_ptr_equal(record_obj_port(r, p->node, p->port), p);
		assert_ptr_equal(p->queue[5].port, p);
		assert_int_equal(p->queue[5].cls, 5);
		assert_int_equal(p->capture, -1);
	}
	assert_string_equal(record_obj_port(r, n.s1, 2)->label.s, "s1:r");
}

static void flows_and_headers(void **state)
{
	const struct record *r = n.rec;

	(void)state;
	assert_int_equal(r->n_flows, 2);
	assert_int_equal(r->n_groups, 1);
	assert_string_equal(r->group[0].name, "incast");
	for (unsigned i = 0; i < 2; i++) {
		const struct scene_flow *f = r->flow[i].scene;

		assert_non_null(r->flow[i].rp);
		assert_ptr_equal(r->flow[i].asks, r->flow[i].nic);
		assert_int_equal(r->flow[i].route.n, 2);
		assert_int_equal(r->hdr[f->hdr_data.id].i, i);
		assert_int_equal(r->hdr[f->hdr_cnp.id].i, i);
		assert_int_equal(r->hdr[f->hdr_ack.id].kind, EVF_FLOW);
	}
}

// Figures of the window are differences from here.
static void mark(void **state)
{
	struct record *r = n.rec;
	struct eport *e = (struct eport *)record_obj_port(r, n.s1, 2)->e;

	(void)state;
	e->q[3].tx_frames = 100;
	e->q[3].tx_bytes = 108200;
	e->tat = 50 * PS_PER_NS;
	e->idle_ps = 7 * PS_PER_NS;
	assert_int_equal(rec_port_idle_ps(record_obj_port(r, n.s1, 2), 20 * PS_PER_NS),
		7 * PS_PER_NS); // a frame is on the wire
	record_warm(r, 80 * PS_PER_NS);
	assert_true(r->warmed);
	assert_int_equal(rec_port_tx_frames(record_obj_port(r, n.s1, 2)), 100);
	assert_int_equal(record_obj_port(r, n.s1, 2)->warm->idle_ps, 37 * PS_PER_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ports_and_queues, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(flows_and_headers, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(mark, open_lab, close_lab),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
