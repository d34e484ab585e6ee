// SPDX-License-Identifier: BSD-3-Clause
// Tests of the switch as an object: bad parameters, static entries, commands.
#include <errno.h>

#include "sw_box.h"

static void refused(void (*spoil)(struct box *))
{
	struct box *b = box_new();
	struct sw *before = (struct sw *)b;

	spoil(b);
	b->sw = before;
	assert_int_equal(box_try(b), -EINVAL);
	assert_ptr_equal(b->sw, before);
	free(b);
}

static void no_ports(struct box *b)
{
	b->params.n_ports = 0;
}

static void too_many_ports(struct box *b)
{
	b->params.n_ports = NODE_PORTS + 1;
}

static void no_name(struct box *b)
{
	b->params.name = NULL;
}

static void no_port_name(struct box *b)
{
	b->port[2].name = NULL;
}

static void no_rate(struct box *b)
{
	b->port[3].rate = 0;
}

static void no_mtu(struct box *b)
{
	b->port[1].mtu = 0;
}

static void huge_mtu(struct box *b)
{
	b->port[1].mtu = PKT_MAX_LEN + 1;
}

static void bad_default_class(struct box *b)
{
	b->port[0].default_class = PKT_CLASSES;
}

static void bad_dscp_map(struct box *b)
{
	b->set->dscp_to_class[63] = PKT_CLASSES;
}

static void bad_pcp_map(struct box *b)
{
	b->set->pcp_to_class[7] = PKT_CLASSES;
}

static void pfc_without_quanta(struct box *b)
{
	b->set->cls[3].quanta = 0;
}

static void kmin_above_kmax(struct box *b)
{
	b->set->cls[1].mark = SW_MARK_ENQUEUE;
	b->set->cls[1].red = (struct red_params){.kmin_bytes = 2, .kmax_bytes = 1, .pmax = 1};
}

static void xon_above_xoff(struct box *b)
{
	b->port[0].pg[3].xon_bytes = b->port[0].pg[3].static_bytes + 1;
}

static void headroom_over_buffer(struct box *b)
{
	b->port[0].pg[3].headroom_bytes = b->params.buffer_bytes + 1;
}

static void huge_tail_limit(struct box *b)
{
	b->set->cls[0].tail_limit_bytes = 1ull << 32;
}

static void static_entry_beyond(struct box *b)
{
	static const struct sw_fdb_params fdb = {.mac = {2}, .port = 4};

	b->params.fdb = &fdb;
	b->params.n_fdb = 1;
}

static void init_refuses_what_cannot_be(void **state)
{
	(void)state;
	refused(no_ports);
	refused(too_many_ports);
	refused(no_name);
	refused(no_port_name);
	refused(no_rate);
	refused(no_mtu);
	refused(huge_mtu);
	refused(bad_default_class);
	refused(bad_dscp_map);
	refused(bad_pcp_map);
	refused(pfc_without_quanta);
	refused(kmin_above_kmax);
	refused(xon_above_xoff);
	refused(headroom_over_buffer);
	refused(huge_tail_limit);
	refused(static_entry_beyond);
}

static void idle_switch_has_nothing_to_do(void **state)
{
	struct box *b = box_new();

	(void)state;
	box_start(b);
	for (unsigned i = 0; i < 4; i++) {
		assert_true(sw_deadline(b->sw, i) == TSTAMP_NEVER);
		assert_null(box_tx(b, i, 5));
	}
	assert_int_equal(sw_touched(b->sw)->word[0], 0);
	box_free(b);
}

// More static entries than a table of the asked size could take set by set.
static void static_entries_all_fit(void **state)
{
	enum { N = 500 };
	struct sw_fdb_params *fdb = calloc(N, sizeof(*fdb));
	struct box *b = box_new();

	(void)state;
	assert_non_null(fdb);
	for (unsigned i = 0; i < N; i++) {
		memcpy(fdb[i].mac, (uint8_t[]){2, 1, 0, 0, (uint8_t)(i >> 8), (uint8_t)i}, 6);
		fdb[i].port = 2;
	}
	b->params.fdb = fdb;
	b->params.n_fdb = N;
	b->params.fdb_entries = 64;
	box_start(b);
	for (unsigned i = 0; i < N; i++) {
		box_rx(b, 0, box_foreign(b, (uint8_t[]){2, 9, 9, 9, 9, 9}, fdb[i].mac, 60), 0);
		box_put(b, box_tx(b, 2, i * PS_PER_US));
	}
	assert_int_equal(sw_port_stats(b->sw, 0).flooded_frames, 0);
	free(fdb);
	box_free(b);
}

static void commands_check_their_arguments(void **state)
{
	struct box *b = box_new();

	(void)state;
	box_start(b);
	assert_int_equal(
		sw_ctl(b->sw, &(struct ctl){.type = CTL_LINK_DOWN, .port = 4}, 0), -EINVAL);
	assert_int_equal(
		sw_ctl(b->sw, &(struct ctl){.type = CTL_LINK_UP, .port = PKT_NO_PORT}, 0), -EINVAL);
	assert_int_equal(
		sw_ctl(b->sw, &(struct ctl){.type = CTL_FDB_FLUSH, .port = 4}, 0), -EINVAL);
	assert_int_equal(
		sw_ctl(b->sw, &(struct ctl){.type = CTL_FDB_FLUSH, .port = PKT_NO_PORT}, 0), 0);
	assert_int_equal(sw_ctl(b->sw, &(struct ctl){.type = CTL_FLOW_START}, 0), -EINVAL);
	assert_int_equal(
		sw_ctl(b->sw, &(struct ctl){.type = CTL_PFC_STORM, .cls = 8, .quanta = 1, .a = 9},
			0),
		-EINVAL);
	assert_int_equal(
		sw_ctl(b->sw, &(struct ctl){.type = CTL_PFC_STORM, .cls = 1, .a = 9}, 0), -EINVAL);
	assert_int_equal(
		sw_ctl(b->sw, &(struct ctl){.type = CTL_PFC_STORM, .cls = 1, .quanta = 1, .a = 9},
			9),
		-EINVAL);
	box_free(b);
}

// Frames that wait at a port whose link goes down are dropped, charged to where they came from, and
// the buffer is free again, which may mean XON elsewhere.
static void link_down_empties_queues_and_buffer(void **state)
{
	struct box *b = box_new();

	(void)state;
	box_start(b);
	box_learn(b);
	for (unsigned i = 0; i < 16; i++)
		box_send(b, 0, 1, 3, 1500, PS_PER_MS); // 24 KB: XOFF
	assert_int_equal(sw_mmu_of(b->sw, 0)->used, 16 * 1504);

	struct pkt *xoff = box_tx(b, 0, PS_PER_MS);

	assert_int_equal(xoff->kind, PKT_PFC);
	box_put(b, xoff);
	*sw_touched(b->sw) = (struct node_touched){0};
	assert_int_equal(
		sw_ctl(b->sw, &(struct ctl){.type = CTL_LINK_DOWN, .port = 1}, 2 * PS_PER_MS), 0);
	assert_int_equal(sw_mmu_of(b->sw, 0)->used, 0);
	assert_int_equal(box_event(b, EV_LINK_DOWN)->link.queue_bytes, 16 * 1504);
	assert_int_equal(box_dropped(b, 0, SW_DROP_LINK_DOWN), 16);
	assert_int_equal(sw_class_stats(b->sw, 0, 3).dropped_frames, 16);
	assert_true(sw_deadline(b->sw, 1) == TSTAMP_NEVER);
	assert_int_equal(sw_touched(b->sw)->word[0], 1 | 2);

	struct pkt *xon = box_tx(b, 0, 2 * PS_PER_MS);

	assert_int_equal(xon->kind, PKT_PFC);
	assert_int_equal(xon->u.pfc.enable, 1 << 3);
	assert_int_equal(xon->u.pfc.quanta[3], 0);
	box_put(b, xon);
	assert_int_equal(b->stack.n, BOX_PKTS);
	box_free(b);
}

// Addresses learned there are forgotten, so frames to them are flooded to the other ports; a static
// entry leads nowhere.
static void link_down_stops_both_directions(void **state)
{
	static const struct sw_fdb_params fdb = {.mac = {2, 0, 0, 0, 0, 3}, .port = 2};
	struct box *b = box_new();

	(void)state;
	b->params.fdb = &fdb;
	b->params.n_fdb = 1;
	box_start(b);
	box_learn(b);
	sw_ctl(b->sw, &(struct ctl){.type = CTL_LINK_DOWN, .port = 1}, PS_PER_MS);
	sw_ctl(b->sw, &(struct ctl){.type = CTL_LINK_DOWN, .port = 2}, PS_PER_MS);
	box_send(b, 0, 1, 0, 100, PS_PER_MS);
	assert_int_equal(sw_port_stats(b->sw, 0).flooded_frames, 2); // the other: box_learn
	box_put(b, box_tx(b, 3, PS_PER_MS));
	box_send(b, 0, 2, 0, 100, PS_PER_MS);
	assert_int_equal(box_dropped(b, 0, SW_DROP_LINK_DOWN), 1);
	box_send(b, 1, 0, 0, 100, PS_PER_MS);
	assert_int_equal(box_dropped(b, 1, SW_DROP_LINK_DOWN), 1);
	sw_ctl(b->sw, &(struct ctl){.type = CTL_LINK_UP, .port = 2}, 2 * PS_PER_MS);
	assert_int_equal(box_event(b, EV_LINK_UP)->port, 2);
	box_send(b, 0, 2, 0, 100, 2 * PS_PER_MS);
	box_put(b, box_tx(b, 2, 2 * PS_PER_MS));
	box_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(init_refuses_what_cannot_be),
		cmocka_unit_test(idle_switch_has_nothing_to_do),
		cmocka_unit_test(static_entries_all_fit),
		cmocka_unit_test(commands_check_their_arguments),
		cmocka_unit_test(link_down_empties_queues_and_buffer),
		cmocka_unit_test(link_down_stops_both_directions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
