// SPDX-License-Identifier: BSD-3-Clause
// Bursts that cross from one shard to another, and their common effects there, for twins (twins.h).
#include "twins.h"

// Host 5 has equal ways, one of them by port 1.
static const struct sw_ecmp_group ports_0_and_1 = {.port = {1 << 0 | 1 << 1}};

// UDP source ports whose flows between hosts 1 and 5 take the one way or the other.
#define BY_PORT_0 4
#define BY_PORT_1 1

static struct pkt *of_flow(struct box *b, unsigned from, unsigned to, uint16_t sport)
{
	struct pkt *p = box_pkt(b, from, to, 1, 900);
	struct hdr *h = pkt_own_hdr(p);

	*h = *p->hdr;
	h->id = 0;
	h->sport = sport;
	p->hdr = h;
	return p;
}

// Data, an ACK that tells who sends it, and a frame that is too long for the port cross together.
// The ACK may come in at port 0, and data of its flow leaves by port 1, so that the shard of port 1
// is told.
static const struct sw_fdb_params fixed[] = {
	{.mac = {0x02, 0, 0, 0, 0, 2}, .port = 1}, {.mac = {0x02, 0, 0, 0, 0, 6}, .ecmp = 1}};

static void ways_apart(struct box *b)
{
	tell_senders(b, SW_MARK_ENQUEUE);
	b->params.fdb = fixed;
	b->params.n_fdb = sizeof(fixed) / sizeof(fixed[0]);
	b->params.ecmp = &ports_0_and_1;
	b->params.n_ecmp = 1;
	b->port[1].mtu = 1000;
}

static struct pkt *data_ack_and_long(struct box *b, unsigned i)
{
	struct pkt *p;

	if (i == 2)
		return box_pkt(b, 0, 1, 1, 1400);
	p = i == 1 ? of_flow(b, 5, 1, BY_PORT_1) : of_flow(b, 1, 5, BY_PORT_1);
	if (i == 1) {
		p->kind = PKT_ACK;
		p->len = 62;
		p->u.rc = (struct pkt_rc){.opcode = 0x11, .qpn = 0x11};
	}
	return p;
}

static void an_ack_crosses_behind_data_and_before_a_long_frame(void **state)
{
	struct twins t = twins_new(ways_apart, 2);

	(void)state;
	both_get(&t, 0, data_ack_and_long, 4, 10 * T);
	both_cross(&t, 10 * T + CUT_HOP);
	assert_int_equal(sw_port_stats(t.a->sw, 1).fast_cnp_unknown, 1);
	assert_int_equal(sw_port_stats(t.a->sw, 1).fast_cnp_tx, 1);
	assert_int_equal(box_dropped(t.a, 0, SW_DROP_TOO_LONG), 0); // its credit is under way
	both_cross(&t, 10 * T + 2 * CUT_HOP);
	assert_int_equal(box_dropped(t.a, 0, SW_DROP_TOO_LONG), 1);
	twins_free(&t, 20 * T);
}

// A CNP that iQCN records, behind data whose mark makes another one. The shard that has received
// both tells the other shard of the first one, and that makes the second one when it gets the data.
// Both flows send by port 1, whose list has them in the order of their last CNPs.

static void a_host_with_equal_ways(struct box *b)
{
	tell_senders(b, SW_MARK_ENQUEUE);
	b->params.fdb = &fixed[1];
	b->params.n_fdb = 1;
	b->params.ecmp = &ports_0_and_1;
	b->params.n_ecmp = 1;
	b->params.iqcn_on = true;
	iqcn_defaults(&b->params.iqcn);
}

static struct pkt *ack_of_host_0(struct box *b, unsigned i)
{
	(void)i;
	return ack(b, 1, 0, 0, 5);
}

static struct pkt *data_to_host_5(struct box *b, unsigned i)
{
	(void)i;
	return of_flow(b, 1, 5, BY_PORT_0);
}

// The CNP is believed, since data from host 1 to host 5 has been seen. A CNP of its own flow would
// leave by port 1.
static struct pkt *data_and_cnp(struct box *b, unsigned i)
{
	struct pkt *p = i ? of_flow(b, 5, 1, BY_PORT_1) : box_pkt(b, 0, 1, 1, 900);

	if (i) {
		p->kind = PKT_CNP;
		p->u.rc = (struct pkt_rc){.opcode = BTH_CNP, .bth = BTH_BECN, .qpn = 0x22};
	}
	return p;
}

static void a_cnp_crosses_behind_data_whose_mark_makes_one(void **state)
{
	struct twins t = twins_new(a_host_with_equal_ways, 2);
	const struct iqcn *q = sw_shard(t.a->sw, 1)->iqcn;

	(void)state;
	both_get(&t, 1, ack_of_host_0, 1, T);
	both_cross(&t, T + CUT_HOP);
	both_empty(&t, 2 * T);
	both_get(&t, 1, data_to_host_5, 1, 10 * T);
	both_cross(&t, 10 * T + CUT_HOP);
	both_get(&t, 0, data_and_cnp, 2, 10 * T + US);
	both_cross(&t, 10 * T + US + CUT_HOP);
	assert_int_equal(sw_port_stats(t.a->sw, 1).fast_cnp_tx, 1);
	assert_int_equal(q->port[1].flows, 2);
	assert_int_equal(q->entry[q->port[1].newest - 1].qpn, 0x22);
	twins_free(&t, 20 * T);
}

// Frames of one port and two groups that stand in one queue of another shard.

static const uint8_t queues_1_and_2[PKT_CLASSES] = {0, 1, 1, 3, 4, 5, 6, 7};
static const uint8_t own_groups[PKT_CLASSES] = {0, 1, 2, 3, 4, 5, 6, 7};

static void one_queue_of_two_groups(struct box *b)
{
	memcpy(b->set->queue_map, queues_1_and_2, sizeof(queues_1_and_2));
	memcpy(b->set->pg_map, own_groups, sizeof(own_groups));
}

static struct pkt *of_group_1(struct box *b, unsigned i)
{
	(void)i;
	return box_pkt(b, 0, 1, 1, 1000);
}

static struct pkt *of_group_2(struct box *b, unsigned i)
{
	(void)i;
	return box_pkt(b, 0, 1, 2, 1000);
}

static void a_group_gets_back_what_its_frames_hold(void **state)
{
	struct twins t = twins_new(one_queue_of_two_groups, 2);

	(void)state;
	both_get(&t, 0, of_group_1, 16, 10 * T);
	both_get(&t, 0, of_group_2, 16, 10 * T);
	both_cross(&t, 10 * T + CUT_HOP);
	while (both_give(&t, 1, SW_BURST, 11 * T))
		both_cross(&t, 12 * T);
	both_empty(&t, 20 * T);
	twins_free(&t, 30 * T);
}

// H3C's third zone, where the marks of what leaves begin long before what joins is dropped.
static void marks_above_all(struct box *b)
{
	struct sw_class_params *k = &b->set->cls[1];

	k->mark = SW_MARK_DEQUEUE;
	k->red = (struct red_params){.kmin_bytes = 5000, .kmax_bytes = 5000, .pmax = 1};
	k->wred = SW_WRED_H3C;
	k->wred_drop = (struct red_params){.kmin_bytes = 90000, .kmax_bytes = 90000, .pmax = 1};
}

static struct pkt *every_fourth_is_ect(struct box *b, unsigned i)
{
	struct pkt *p = box_pkt(b, 0, 1, 1, 1000);

	p->tos &= (uint8_t)(i % 4 ? ~3u : ~0u);
	return p;
}

// The sixth frame makes the queue longer than Kmax, so all that stand in it leave as CE.
static void frames_of_a_third_zone_leave_as_ce(void **state)
{
	struct twins t = twins_new(marks_above_all, 2);

	(void)state;
	both_get(&t, 0, every_fourth_is_ect, 16, 10 * T);
	both_cross(&t, 10 * T + CUT_HOP);
	assert_int_equal(both_give(&t, 1, SW_BURST, 10 * T + US), 16);
	assert_int_equal(sw_class_stats(t.a->sw, 1, 1).ecn_marked_frames, 16);
	assert_int_equal(sw_class_stats(t.a->sw, 1, 1).ecn_marked_not_ect_frames, 12);
	twins_free(&t, 20 * T);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_ack_crosses_behind_data_and_before_a_long_frame),
		cmocka_unit_test(a_cnp_crosses_behind_data_whose_mark_makes_one),
		cmocka_unit_test(a_group_gets_back_what_its_frames_hold),
		cmocka_unit_test(frames_of_a_third_zone_leave_as_ce),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
