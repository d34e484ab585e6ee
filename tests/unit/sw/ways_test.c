// SPDX-License-Identifier: BSD-3-Clause
// Tests of equal ways of a switch that is cut into shards: data leaves by a port of one shard, and
// the CNPs and ACKs of its flow come back by a port of another.
#include "cut_box.h"
#include "defaults.h"

#define T    PS_PER_MS
#define US   PS_PER_US
#define MANY 5000

// Host 1 is reached by ports 1, which is shard 1's, and 2, which is shard 0's as host 0's is.
static const struct sw_ecmp_group ways = {.port = {1 << 1 | 1 << 2}};
static struct sw_fdb_params fdb[] = {{.port = 0}, {.ecmp = 1}, {.port = 3}};

static struct box *ways_box(void)
{
	static const unsigned host[] = {0, 1, 3};
	struct box *b = box_new();

	for (unsigned i = 0; i < 3; i++)
		box_mac(fdb[i].mac, host[i]);
	b->params.fdb = fdb;
	b->params.n_fdb = 3;
	b->params.ecmp = &ways;
	b->params.n_ecmp = 1;
	b->params.pause_no_expiry = true;
	b->params.buffer_bytes = 10000000;
	b->port[0].pg[3].static_bytes = 5000000;
	return b;
}

// Class 3 is marked whatever its queue.
static struct box *fast_box(void)
{
	struct box *b = ways_box();

	b->params.fast_cnp_on = true;
	fast_cnp_defaults(&b->params.fast_cnp.table);
	b->params.fast_cnp.table.entries = 64;
	b->params.fast_cnp.cnp_class = 6;
	b->set->cls[3].force_ce = true;
	b->set->cls[3].mark = SW_MARK_ENQUEUE;
	b->set->cls[3].fast_cnp = SW_FAST_CNP_INSTEAD;
	return b;
}

// Heavy from 10000 bytes of class 3 on.
static struct box *iqcn_box(void)
{
	struct box *b = ways_box();

	b->params.iqcn_on = true;
	iqcn_defaults(&b->params.iqcn);
	b->params.iqcn.entries = 64;
	b->set->cls[3].heavy_bytes = 10000;
	b->set->cls[3].heavy_off_bytes = 6000;
	return b;
}

// The data of host 0 to host 1 leaves by port 1.
static void started(struct box *b)
{
	struct hdr *data = &b->hdr[2];
	uint64_t salt;

	assert_int_equal(cut_try(b, 2), 0);
	for (unsigned i = 1; i <= BOX_PORTS * BOX_PORTS; i++) {
		struct hdr *h = &b->hdr[i];

		h->saddr[3] = h->src[5];
		h->daddr[3] = h->dst[5];
		h->dport = 4791;
		h->proto = 17;
	}
	salt = sw_ecmp_salt(b->params.seed, b->params.name);
	for (data->sport = 1; sw_ecmp_port(&ways, NULL, sw_ecmp_hash(salt, data)) != 1;)
		data->sport++;
	b->hdr[1 + BOX_PORTS].sport = data->sport;
}

// Host 1 sends an ACK or a CNP to host 0.
static void sends_back_by(
	struct box *b, unsigned port, enum pkt_kind kind, uint32_t qpn, tstamp now)
{
	struct pkt *p = box_pkt(b, 1, 0, 6, 74);

	p->kind = (uint8_t)kind;
	p->u.rc = (struct pkt_rc){.opcode = kind == PKT_CNP ? 0x81 : 0x11, .qpn = qpn};
	sw_cut_rx(b->sw, port, &p, 1, now);
}

// It comes in by port 2.
static void sends_back(struct box *b, enum pkt_kind kind, uint32_t qpn, tstamp now)
{
	sends_back_by(b, 2, kind, qpn, now);
}

// Whether something is under way to shard k.
static bool told(const struct box *b, unsigned k)
{
	return sw_cut_deadline(b->sw, b->params.n_ports + k) != TSTAMP_NEVER;
}

static const struct fast_cnp *fast_of(const struct box *b, unsigned k)
{
	return sw_fast_cnp(sw_shard_at(b->sw, k));
}

static const struct sw_port_stats *stats_of(const struct box *b, unsigned port)
{
	return sw_port_rare_stats(b->sw, port);
}

static void link_is(struct box *b, unsigned port, bool up, tstamp now)
{
	struct ctl ctl = {.type = up ? CTL_LINK_UP : CTL_LINK_DOWN, .port = (uint16_t)port};

	assert_int_equal(sw_cut_ctl(b->sw, &ctl, now), 0);
}

// Unknown, then known by an ACK that the other shard has received, and there is one flow.
static void an_ack_is_told_where_the_data_leaves(void **state)
{
	struct box *b = fast_box();

	(void)state;
	started(b);
	cut_send(b, 0, 1, 3, 1082, T);
	assert_int_equal(cut_drain_all(b, T + 10 * US), 1);
	assert_int_equal(stats_of(b, 1)->fast_cnp_unknown, 1);
	sends_back(b, PKT_ACK, 0x11, T + 10 * US);
	assert_true(told(b, 1));
	assert_int_equal(cut_drain_all(b, T + 20 * US), 1);
	cut_send(b, 0, 1, 3, 1082, T + 20 * US);
	assert_int_equal(cut_drain_all(b, T + 30 * US), 2); // and its CNP
	assert_int_equal(cut_drain_all(b, T + 40 * US), 0);
	assert_int_equal(stats_of(b, 1)->fast_cnp_tx, 1);
	assert_int_equal(sw_class_stats(b->sw, 0, 6).tx_frames, 2);
	assert_int_equal(fast_cnp_flows(fast_of(b, 0)), 0);
	assert_int_equal(fast_cnp_flows(fast_of(b, 1)), 1);
	assert_int_equal(fast_of(b, 0)->stats.learned, 0);
	assert_int_equal(fast_of(b, 1)->stats.learned, 1);
	box_free(b);
}

// Of the ACKs of a flow one in a sixteenth of its age is told, and at once what differs, until the
// flow is in doubt there.
static void few_acks_are_told(void **state)
{
	struct box *b = fast_box();
	unsigned tells = 0;
	tstamp now = T;

	(void)state;
	started(b);
	for (unsigned i = 0; i < 1000; i++, now += T) {
		sends_back(b, PKT_ACK, 0x11, now);
		tells += told(b, 1);
		cut_drain_all(b, now + US);
	}
	assert_int_equal(tells, 16);
	assert_int_equal(fast_of(b, 1)->stats.ambiguous, 0);
	for (unsigned i = 0; i < 62; i++, now += 100 * US) {
		sends_back(b, PKT_ACK, 0x11 + i % 2, now);
		tells += told(b, 1);
		cut_drain_all(b, now + US);
	}
	assert_int_equal(tells, 17);
	assert_int_equal(fast_of(b, 1)->stats.ambiguous, 1);
	cut_send(b, 0, 1, 3, 1082, now);
	cut_drain_all(b, now + US);
	assert_int_equal(stats_of(b, 1)->fast_cnp_unknown, 1);
	box_free(b);
}

// While the link of port 1 is down the flow is at port 2, where its next ACK makes it known.
static void a_flow_moves_with_its_way(void **state)
{
	struct box *b = fast_box();

	(void)state;
	started(b);
	sends_back(b, PKT_ACK, 0x11, T);
	cut_drain_all(b, T + US);
	link_is(b, 1, false, T + 2 * US);
	for (unsigned i = 0; i < 2; i++) {
		tstamp now = T + (i + 1) * 100 * US;

		cut_send(b, 0, 1, 3, 1082, now);
		cut_drain_all(b, now + US);
		assert_int_equal(stats_of(b, 2)->fast_cnp_unknown, 1);
		assert_int_equal(stats_of(b, 2)->fast_cnp_tx, i);
		sends_back(b, PKT_ACK, 0x11, now + 10 * US);
		assert_false(told(b, 1));
		cut_drain_all(b, now + 20 * US);
		assert_int_equal(fast_cnp_flows(fast_of(b, 0)), 1);
	}
	link_is(b, 1, true, 2 * T);
	cut_send(b, 0, 1, 3, 1082, 2 * T);
	cut_drain_all(b, 2 * T + US);
	assert_int_equal(stats_of(b, 1)->fast_cnp_tx, 1);
	sends_back(b, PKT_ACK, 0x11, 2 * T + 10 * US);
	assert_true(told(b, 1));
	cut_drain_all(b, 3 * T);
	assert_int_equal(fast_cnp_flows(fast_of(b, 0)), 0);
	assert_int_equal(fast_of(b, 0)->stats.table_full, 0);
	assert_int_equal(fast_of(b, 0)->stats.aged, 0);
	box_free(b);
}

// The CNP comes in by port 2. The flow stands at port 1, which is heavily congested, and gets one
// of ours 270 us later.
static void a_cnp_is_told_where_the_data_leaves(void **state)
{
	struct box *b = iqcn_box();
	struct pkt *pause;
	tstamp due = T + US + CUT_HOP + 270 * US;

	(void)state;
	started(b);
	pause = box_pfc(b, 1 << 3, 65535);
	sw_cut_rx(b->sw, 1, &pause, 1, T);
	sends_back(b, PKT_CNP, 77, T); // no data has passed
	assert_int_equal(stats_of(b, 2)->iqcn_foreign_cnp, 1);
	for (unsigned i = 0; i < 7; i++)
		cut_send(b, 0, 1, 3, 1496, T);
	cut_cross(b, T + US);
	sends_back(b, PKT_CNP, 77, T + US);
	assert_int_equal(stats_of(b, 2)->iqcn_rx_cnp, 1);
	assert_int_equal(cut_drain_all(b, T + 10 * US), 2);
	assert_int_equal(sw_iqcn(sw_shard_at(b->sw, 0))->flows, 0);
	assert_int_equal(sw_iqcn(sw_shard_at(b->sw, 1))->port[1].flows, 1);
	assert_true(sw_cut_deadline(b->sw, 1) == due);
	assert_null(cut_tx(b, 1, due));
	assert_int_equal(stats_of(b, 1)->iqcn_tx_cnp, 1);
	assert_int_equal(cut_drain_all(b, due + US), 1);
	assert_int_equal(stats_of(b, 2)->iqcn_foreign_cnp, 1);
	// another way: whose CNPs do not come any more is forgotten
	link_is(b, 2, false, 2 * T);
	sw_iqcn_tidy(sw_shard(b->sw, 1), 2 * T);
	assert_int_equal(sw_iqcn(sw_shard_at(b->sw, 1))->flows, 0);
	link_is(b, 1, false, 2 * T);
	cut_drain_all(b, 3 * T);
	box_free(b);
}

// Shard 0 receives the data and marks it. Shard 1, by whose port it leaves, looks at that mark when
// a CNP comes in there, and to know whether a flow has aged.
static void data_is_known_to_all_shards(void **state)
{
	struct box *b = iqcn_box();
	struct sw *of_data;

	(void)state;
	started(b);
	of_data = sw_shard(b->sw, 1);
	sends_back_by(b, 1, PKT_CNP, 77, T);
	assert_int_equal(stats_of(b, 1)->iqcn_foreign_cnp, 1);
	cut_send(b, 0, 1, 4, 100, T);
	cut_drain_all(b, T + US);
	sends_back_by(b, 1, PKT_CNP, 77, T + US);
	assert_int_equal(stats_of(b, 1)->iqcn_rx_cnp, 1);
	cut_send(b, 0, 1, 4, 100, 3 * T);
	cut_drain_all(b, 4 * T);
	sw_iqcn_tidy(of_data, 5 * T);
	assert_int_equal(sw_iqcn(of_data)->port[1].flows, 1);
	sw_iqcn_tidy(of_data, 6 * T + CUT_HOP - 1);
	assert_int_equal(sw_iqcn(of_data)->port[1].flows, 1);
	sw_iqcn_tidy(of_data, 6 * T + CUT_HOP);
	assert_int_equal(sw_iqcn(of_data)->port[1].flows, 0);
	box_free(b);
}

// Shard 1 does not look, and has more frames in its ring than that has room for.
struct flood {
	struct box_pkt pkt[MANY];
	struct pkt *slot[MANY];
};

static struct flood *flooded(struct box *b, tstamp now)
{
	struct flood *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	b->stack = (struct pkt_stack){.slot = f->slot, .cap = MANY};
	for (unsigned i = 0; i < MANY - 10; i++) {
		f->pkt[i].p = (struct pkt){.hdr = &b->hdr[1 + 3], .len = 60, .kind = PKT_DATA};
		sw_cut_rx(b->sw, 0, &(struct pkt *){&f->pkt[i].p}, 1, now);
	}
	for (unsigned i = MANY - 10; i < MANY; i++)
		pkt_put(&b->stack, &f->pkt[i].p);
	return f;
}

// An ACK for which the ring has no room costs nothing, and the next one tells.
static void what_has_no_room_is_told_by_the_next_ack(void **state)
{
	struct box *b = fast_box();
	struct flood *f;

	(void)state;
	started(b);
	f = flooded(b, T);
	for (unsigned i = 0; i < 3; i++)
		sends_back(b, PKT_ACK, 0x11, T + i);
	cut_drain_all(b, 2 * T);
	assert_int_equal(fast_cnp_flows(fast_of(b, 1)), 0);
	assert_int_equal(b->stack.n, MANY);
	sends_back(b, PKT_ACK, 0x11, 2 * T);
	cut_drain_all(b, 3 * T);
	assert_int_equal(fast_cnp_flows(fast_of(b, 1)), 1);
	assert_int_equal(fast_cnp_flows(fast_of(b, 0)), 0);
	cut_send(b, 0, 1, 3, 1082, 3 * T);
	cut_drain_all(b, 4 * T);
	assert_int_equal(stats_of(b, 1)->fast_cnp_tx, 1);
	assert_int_equal(b->stack.n, MANY);
	box_free(b);
	free(f);
}

// A CNP for which it has none is forwarded and counted, and the flow is as it was.
static void a_cnp_without_room_is_counted(void **state)
{
	struct box *b = iqcn_box();
	struct flood *f;

	(void)state;
	started(b);
	cut_send(b, 0, 1, 4, 100, T); // data
	cut_drain_all(b, T + US);
	f = flooded(b, T + US);
	sends_back(b, PKT_CNP, 77, T + US);
	assert_int_equal(stats_of(b, 2)->iqcn_untold_cnp, 1);
	assert_int_equal(stats_of(b, 2)->iqcn_rx_cnp, 0);
	assert_int_equal(stats_of(b, 2)->iqcn_foreign_cnp, 0);
	cut_drain_all(b, 2 * T);
	assert_int_equal(sw_class_stats(b->sw, 0, 6).tx_frames, 1);
	assert_int_equal(sw_iqcn(sw_shard_at(b->sw, 1))->flows, 0);
	sends_back(b, PKT_CNP, 77, 2 * T);
	cut_drain_all(b, 3 * T);
	assert_int_equal(sw_iqcn(sw_shard_at(b->sw, 1))->flows, 1);
	assert_int_equal(b->stack.n, MANY);
	box_free(b);
	free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_ack_is_told_where_the_data_leaves),
		cmocka_unit_test(few_acks_are_told),
		cmocka_unit_test(a_flow_moves_with_its_way),
		cmocka_unit_test(a_cnp_is_told_where_the_data_leaves),
		cmocka_unit_test(data_is_known_to_all_shards),
		cmocka_unit_test(what_has_no_room_is_told_by_the_next_ack),
		cmocka_unit_test(a_cnp_without_room_is_counted),
	};

	return cmocka_run_group_tests_name("sw_ways", tests, NULL, NULL);
}
