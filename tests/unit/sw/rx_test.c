// SPDX-License-Identifier: BSD-3-Clause
// Tests of sw_rx: classes, flooding, what is not forwarded, admission, who is woken.
#include "defaults.h"
#include "frame/frame.h"
#include "sw_box.h"

#define T PS_PER_MS

static void class_of(struct box *b, struct pkt *p, unsigned port, unsigned want)
{
	uint64_t before = sw_class_stats(b->sw, port, want).rx_frames;

	box_rx(b, port, p, T);
	assert_int_equal(sw_class_stats(b->sw, port, want).rx_frames, before + 1);
}

// Port 0 trusts DSCP, port 1 PCP; 2 is the class of frames with neither.
static void class_by_what_the_port_trusts(void **state)
{
	struct box *b = box_new();
	uint8_t src[6], dst[6];

	(void)state;
	b->port[1].trust = SW_TRUST_PCP;
	b->port[0].default_class = b->port[1].default_class = 2;
	b->set->dscp_to_class[26] = 5;
	b->set->pcp_to_class[4] = 6;
	box_start(b);
	box_mac(src, 4);
	box_mac(dst, 3);
	for (unsigned port = 0; port < 2; port++) {
		for (unsigned has = 0; has < 4; has++) { // bit 0: IP, bit 1: VLAN
			struct pkt *p = box_foreign(b, src, dst, 100);
			struct hdr *h = pkt_own_hdr(p);
			unsigned by_dscp = has & 1 && (port == 0 || !(has & 2));

			h->flags = (uint8_t)((has & 1 ? HDR_IPV6 : 0) | (has & 2 ? HDR_VLAN : 0));
			h->vlan_tci = 4 << 13 | 1 << 12 | 100;
			p->tos = has & 1 ? 26 << 2 | ECN_CE : 0;
			class_of(b, p, port, by_dscp ? 5 : has & 2 ? 6 : 2);
		}
	}
	assert_int_equal(sw_class_stats(b->sw, 0, 5).ecn_ce_rx_frames, 2);
	for (unsigned port = 0; port < 4; port++)
		box_drain(b, port, 2 * T);
	box_free(b);
}

// One shared header, several DSCPs: the class follows the packet, and the trust of the port it came
// by.
static void class_of_a_shared_header_is_the_packets(void **state)
{
	struct box *b = box_new();

	(void)state;
	b->port[1].trust = SW_TRUST_PCP;
	box_start(b);
	b->hdr[1 + 3].flags = HDR_IPV4 | HDR_VLAN;
	b->hdr[1 + 3].vlan_tci = 1 << 13;
	for (unsigned c = 0; c < 8; c++)
		class_of(b, box_pkt(b, 0, 3, c, 100), 0, c);
	class_of(b, box_pkt(b, 0, 3, 6, 100), 1, 1); // the host moved to port 1
	class_of(b, box_pkt(b, 0, 3, 6, 100), 0, 6);
	for (unsigned port = 0; port < 4; port++)
		box_drain(b, port, 2 * T);
	box_free(b);
}

// RoCEv2 data with DSCP 26 as bytes, behind an S-TAG and an 802.1Q tag.
static struct pkt *behind_two_tags(struct box *b, unsigned from, unsigned to, uint16_t outer)
{
	struct hdr h = {.vlan_tci = outer,
		.inner_tci = 1 << 13 | 10,
		.ethertype = ETH_P_IPV4,
		.saddr = {10, 0, 0, (uint8_t)from},
		.daddr = {10, 0, 0, (uint8_t)to},
		.dport = BTH_UDP_PORT,
		.flags = HDR_IPV4 | HDR_VLAN | HDR_STAG | HDR_INNER,
		.proto = IP_PROTO_UDP,
		.ttl = 64};
	struct pkt of = {.hdr = &h, .kind = PKT_DATA, .len = 150, .tos = 26 << 2 | ECN_ECT0};
	struct pkt *p = pkt_get(&b->stack);

	assert_non_null(p);
	box_mac(h.src, from);
	box_mac(h.dst, to);
	of.u.rc = (struct pkt_rc){.opcode = BTH_RC_WRITE_MIDDLE, .psn = 7, .payload = 84};
	*p = (struct pkt){.data_off = b->stack.data_off, .len = of.len};
	frame_from_pkt(&of, pkt_bytes(p));
	assert_int_equal(frame_to_pkt(p, 1600), PKT_DATA);
	return p;
}

// IP behind two VLAN tags gives the class by DSCP where the port trusts that, and is marked; else
// the outer tag's PCP gives it. The VLAN is the outer tag's.
static void two_tags_are_read_up_to_ip(void **state)
{
	struct box *b = box_new();
	uint8_t was[150];
	struct frame f;
	struct pkt *p;

	(void)state;
	b->port[1].trust = SW_TRUST_PCP;
	b->set->dscp_to_class[26] = 5;
	b->set->pcp_to_class[4] = 6;
	b->set->pcp_to_class[1] = 2;
	b->set->cls[5].mark = SW_MARK_ENQUEUE;
	b->set->cls[5].force_ce = true;
	box_start(b);
	class_of(b, behind_two_tags(b, 2, 3, 4 << 13 | 1 << 12 | 100), 1, 6); // 2 is at port 1
	for (unsigned port = 0; port < 4; port++)
		box_drain(b, port, 2 * T);
	p = behind_two_tags(b, 3, 2, 4 << 13 | 100);
	memcpy(was, pkt_bytes(p), sizeof(was));
	class_of(b, p, 0, 5);
	p = box_tx(b, 1, 2 * T);
	assert_non_null(p);
	assert_int_equal(pkt_ecn(p), ECN_CE);
	assert_int_equal(sw_class_stats(b->sw, 1, 5).ecn_marked_frames, 1);
	frame_patch(p);
	assert_int_equal(p->len, sizeof(was));
	assert_memory_equal(pkt_bytes(p), was, 23);
	assert_int_equal(pkt_bytes(p)[23], was[23] | ECN_CE);
	assert_int_equal(frame_parse(pkt_bytes(p), p->len, &f), FRAME_OK);
	assert_true(frame_icrc_ok(&f, pkt_bytes(p)));
	assert_int_equal(f.eth.vlan_tci, 4 << 13 | 100);
	assert_int_equal(f.eth.inner_tci, 1 << 13 | 10);
	box_put(b, p);
	assert_int_equal(sw_port_stats(b->sw, 0).flooded_frames, 0);
	box_rx(b, 0, behind_two_tags(b, 3, 2, 4 << 13 | 10), 3 * T); // not known in this VLAN
	assert_int_equal(sw_port_stats(b->sw, 0).flooded_frames, 1);
	for (unsigned port = 0; port < 4; port++)
		box_drain(b, port, 4 * T);
	box_free(b);
}

static void rx_writes_what_the_node_owns(void **state)
{
	struct box *b = box_new();
	struct pkt *p;

	(void)state;
	box_start(b);
	box_learn(b);
	p = box_pkt(b, 2, 1, 5, 1000);
	p->born = 77;
	p->in_port = 9;
	box_rx(b, 2, p, T);
	assert_ptr_equal(box_tx(b, 1, T), p);
	assert_int_equal(p->in_port, 2);
	assert_int_equal(p->cls, 5);
	assert_int_equal(p->when, T);
	assert_int_equal(p->born, 77);
	box_put(b, p);
	box_free(b);
}

// A foreign broadcast goes to every other port with its bytes; the original to the last.
static void flood_copies_header_and_bytes(void **state)
{
	static const uint8_t src[6] = {2, 1, 1, 1, 1, 1}, all[6] = {255, 255, 255, 255, 255, 255};
	struct box *b = box_new();
	struct pkt *p;

	(void)state;
	box_start(b);
	p = box_foreign(b, src, all, 200);
	box_rx(b, 1, p, T);
	for (unsigned port = 0; port < 4; port++) {
		struct pkt *q = box_tx(b, port, T);

		if (port == 1) {
			assert_null(q);
			continue;
		}
		assert_non_null(q);
		assert_true((q == p) == (port == 3));
		assert_ptr_equal(q->hdr, pkt_own_hdr(q));
		assert_memory_equal(q->hdr->src, src, 6);
		assert_int_equal(q->len, 200);
		for (unsigned i = 0; i < 200; i++)
			assert_int_equal(pkt_bytes(q)[i], 0xa5);
		box_put(b, q);
	}
	assert_int_equal(sw_port_stats(b->sw, 1).rx_frames, 1);
	assert_int_equal(sw_port_stats(b->sw, 1).flooded_frames, 1);
	assert_int_equal(sw_port_stats(b->sw, 1).copied_frames, 2);
	assert_int_equal(sw_class_stats(b->sw, 1, 0).forwarded_frames, 3);
	assert_int_equal(b->stack.n, BOX_PKTS);
	box_free(b);
}

// Where the stack's packets have room for short frames only, copies of long ones are taken from
// those that have more; and none is made once these are used up.
static void flood_copies_long_frames_into_packets_with_room(void **state)
{
	static const uint8_t src[6] = {2, 1, 1, 1, 1, 1}, all[6] = {255, 255, 255, 255, 255, 255};
	struct box *b = box_new();
	struct pkt *roomy[3];
	struct pkt_stack longer = {.slot = roomy,
		.cap = 3,
		.data_off = offsetof(struct box_pkt, room),
		.room = BOX_ROOM};

	(void)state;
	box_start(b);
	for (unsigned i = 0; i < 3; i++)
		pkt_put(&longer, pkt_get(&b->stack));
	b->stack.room = 200;
	b->stack.longer = &longer;
	box_rx(b, 1, box_foreign(b, src, all, 200), T);
	assert_int_equal(longer.n, 3);
	box_rx(b, 1, box_foreign(b, src, all, 201), T);
	assert_int_equal(longer.n, 1);
	box_rx(b, 1, box_foreign(b, src, all, 201), T);
	assert_int_equal(longer.n, 0);
	assert_int_equal(sw_port_stats(b->sw, 1).copied_frames, 6);
	for (unsigned i = 0; i < 12; i++) {
		struct pkt *q = box_tx(b, i % 4, (i / 4 + 2) * T);

		if (q)
			box_put(b, q);
	}
	assert_int_equal(sw_class_stats(b->sw, 1, 0).forwarded_frames, 8);
	assert_int_equal(b->stack.n, BOX_PKTS);
	box_free(b);
}

// A switch that forgets headers leaves none to a frame, be it alone, in a burst or flooded, and
// none to copies.
static void a_switch_may_forget_headers(void **state)
{
	struct box *b = box_new();
	struct pkt *burst[4], *p;

	(void)state;
	box_start(b);
	box_learn(b);
	sw_forget_headers(b->sw);
	for (unsigned n = 1; n <= 4; n += 3) {
		for (unsigned i = 0; i < n; i++)
			burst[i] = box_pkt(b, 0, 1, i < 3 ? 0 : 1, 100);
		sw_rx(b->sw, 0, burst, n, T);
		for (unsigned i = 0; i < n; i++)
			assert_null(burst[i]->hdr);
		assert_int_equal(box_drain(b, 1, 2 * T), n);
	}
	for (unsigned n = 1; n <= 2; n++) {
		for (unsigned i = 0; i < n; i++)
			burst[i] = box_foreign(b, b->hdr[1].src, (uint8_t[6]){255}, 100);
		sw_rx(b->sw, 0, burst, n, (1 + n) * T);
		for (unsigned port = 1; port < 4; port++)
			for (unsigned i = 0; i < n; i++) {
				p = box_tx(b, port, (1 + n) * T + i * PS_PER_US);
				assert_non_null(p);
				assert_null(p->hdr);
				box_put(b, p);
			}
	}
	box_free(b);
}

static void with_qcn(struct box *b)
{
	b->set->cls[2].qcn.on = true;
	b->set->cls[2].qcn.cnm_class = 6;
	qcn_cp_defaults(&b->set->cls[2].qcn.cp);
}

static void with_untag(struct box *b)
{
	with_qcn(b);
	b->port[1].cn = SW_CN_INTERIOR;
}

static void with_iqcn(struct box *b)
{
	b->params.iqcn_on = true;
	iqcn_defaults(&b->params.iqcn);
	b->set->cls[3].heavy_bytes = 10000;
	b->set->cls[3].heavy_off_bytes = 6000;
}

static void with_fast_cnp(struct box *b)
{
	b->params.fast_cnp_on = true;
	fast_cnp_defaults(&b->params.fast_cnp.table);
	b->params.fast_cnp.cnp_class = 6;
	b->set->cls[3].mark = SW_MARK_DEQUEUE;
	b->set->cls[3].fast_cnp = SW_FAST_CNP_BESIDE;
}

static void (*const with_notification[])(struct box *) = {
	with_qcn, with_untag, with_iqcn, with_fast_cnp};
#define NOTIFICATIONS (sizeof(with_notification) / sizeof(with_notification[0]))

// Data over IPv4 from host 0 to host 1, with bytes.
static struct pkt *box_roce(struct box *b, unsigned cls)
{
	struct pkt *p = box_pkt(b, 0, 1, cls, 100);

	p->data_off = b->stack.data_off;
	p->l3_off = 14;
	frame_from_pkt(p, pkt_bytes(p));
	p->flags = PKT_F_FOREIGN;
	return p;
}

// A switch, or one that is cut, which knows its hosts and forgets headers.
static void start_forgetting(struct box *b, unsigned shards)
{
	static struct sw_fdb_params fdb[4];
	struct pkt_stack *stack[SW_SHARDS] = {&b->stack, &b->stack};
	struct ev_ring *events[SW_SHARDS] = {&b->events, &b->events};

	for (unsigned i = 0; i < 4; i++) {
		box_mac(fdb[i].mac, i);
		fdb[i].port = (uint16_t)i;
	}
	b->params.fdb = fdb;
	b->params.n_fdb = 4;
	b->params.shards = shards;
	box_start(b);
	if (shards > 1) {
		sw_fini(b->sw);
		assert_int_equal(sw_cut_init(&b->sw, &b->params, stack, events), 0);
	}
	for (unsigned k = 0; k < shards; k++)
		sw_forget_headers(sw_shard(b->sw, k));
}

// All that port 1 has by `now`, which may have to cross first.
static unsigned left_by_1(struct box *b, tstamp now)
{
	struct sw *sw = sw_shard(b->sw, sw_shards(b->sw) - 1);
	struct pkt *p;
	unsigned n = 0;

	if (sw_shards(b->sw) > 1)
		sw_cut_tx(b->sw, b->params.n_ports + 1, NULL, 0, now);
	while (sw_deadline(sw, 1) <= now)
		if (sw_tx(sw, 1, &p, 1, sw_deadline(sw, 1))) {
			box_put(b, p);
			n++;
		}
	return n;
}

// QCN, iQCN and Fast CNP read headers. They are forgotten in every class once a frame is queued, or
// crosses to the shard that will queue it.
static void headers_are_forgotten_once_a_frame_is_queued(void **state)
{
	static const uint8_t cls[NOTIFICATIONS] = {2, 2, 3, 3};

	(void)state;
	for (unsigned i = 0; i < 2 * NOTIFICATIONS; i++) {
		unsigned shards = 1 + i / NOTIFICATIONS, k = i % NOTIFICATIONS;
		struct box *b = box_new();
		struct pkt *burst[4];

		with_notification[k](b);
		start_forgetting(b, shards);
		for (unsigned n = 1; n <= 4; n += 3) {
			for (unsigned at = 0; at < n; at++)
				burst[at] = box_roce(b, at < 2 ? cls[k] : 5);
			(shards > 1 ? sw_cut_rx : sw_rx)(b->sw, 0, burst, n, T);
			for (unsigned at = 0; at < n; at++)
				assert_null(burst[at]->hdr);
			assert_int_equal(left_by_1(b, 2 * T), n);
		}
		box_free(b);
	}
}

static void flood_reaches_ports_beyond_64(void **state)
{
	enum { N = 70 };
	static struct sw_port_params port[N];
	struct box *b = box_new();
	struct pkt *p;

	(void)state;
	for (unsigned i = 0; i < N; i++)
		port[i] = b->port[0];
	b->params.port = port;
	b->params.n_ports = N;
	for (unsigned i = 0; i < N; i++)
		port[i].pg[3].headroom_bytes = 0;
	box_start(b);
	p = box_pkt(b, 0, 1, 0, 100);
	box_rx(b, 66, p, T);
	assert_int_equal(sw_port_stats(b->sw, 66).copied_frames, N - 2);
	assert_int_equal(sw_touched(b->sw)->word[1], 0x3f & ~4ull);
	assert_true(sw_touched(b->sw)->word[0] == UINT64_MAX);
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(box_drain(b, i, 2 * T), i != 66);
	box_free(b);
}

// Two descriptors beyond the reserve: of three copies owed one is not made.
static void flood_counts_copies_it_cannot_make(void **state)
{
	struct box *b = box_new();
	struct pkt *p;
	uint32_t n;

	(void)state;
	b->params.n_ports = 5;
	box_start(b);
	p = box_pkt(b, 0, 1, 0, 100);
	n = b->stack.n;
	b->stack.n = b->stack.reserve + 2;
	box_rx(b, 0, p, T);
	assert_int_equal(sw_port_stats(b->sw, 0).copied_frames, 3);
	assert_int_equal(box_dropped(b, 0, SW_DROP_NO_DESC), 1);
	assert_int_equal(b->stack.n, b->stack.reserve);
	assert_null(box_tx(b, 3, T)); // the third copy
	b->stack.n = n - 2;
	assert_int_equal(box_drain(b, 1, 2 * T) + box_drain(b, 2, 2 * T), 2);
	assert_int_equal(box_drain(b, 4, 2 * T), 1);
	box_free(b);
}

static void flood_needs_room_for_the_bytes(void **state)
{
	static const uint8_t src[6] = {2, 1, 1, 1, 1, 1}, all[6] = {255, 255, 255, 255, 255, 255};
	struct box *b = box_new();

	(void)state;
	box_start(b);
	box_rx(b, 0, box_foreign(b, src, all, BOX_ROOM + 1), T);
	assert_int_equal(box_dropped(b, 0, SW_DROP_NO_DESC), 2);
	assert_int_equal(box_drain(b, 3, 2 * T), 1);
	box_free(b);
}

static void what_is_not_forwarded(void **state)
{
	static const uint8_t src[6] = {2, 1, 1, 1, 1, 1};
	struct box *b = box_new();
	struct pkt *p;

	(void)state;
	b->port[1].mtu = 1000;
	box_start(b);
	box_learn(b);
	for (unsigned last = 0; last <= 16; last++) {
		uint8_t dst[6] = {0x01, 0x80, 0xc2, 0, 0, (uint8_t)last};

		box_rx(b, 0, box_foreign(b, src, dst, 60), T);
	}
	assert_int_equal(box_dropped(b, 0, SW_DROP_RESERVED), 16);
	assert_int_equal(sw_port_stats(b->sw, 0).flooded_frames, 2); // ...-10, and box_learn
	box_rx(b, 0, box_pkt(b, 1, 0, 4, 100), T);                   // host 1 seems to move to 0
	assert_int_equal(box_dropped(b, 0, SW_DROP_SAME_PORT), 1);
	box_send(b, 1, 1, 4, 100, T);
	assert_int_equal(box_dropped(b, 1, SW_DROP_SAME_PORT), 1);
	box_send(b, 1, 0, 4, 1001, T);
	assert_int_equal(box_dropped(b, 1, SW_DROP_TOO_LONG), 1);
	box_send(b, 0, 1, 4, 1001, T); // fits the ingress, not the egress
	assert_int_equal(box_dropped(b, 0, SW_DROP_TOO_LONG), 1);
	box_send(b, 0, 1, 4, 1000, T); // just fits
	assert_int_equal(box_dropped(b, 0, SW_DROP_TOO_LONG), 1);
	box_put(b, box_tx(b, 1, T));

	p = box_pkt(b, 2, 0, 4, 60);
	p->kind = PKT_BAD;
	p->u.bad = FRAME_SHORT_CNTAG;
	box_rx(b, 2, p, T);
	p = box_pkt(b, 2, 0, 4, 60);
	p->kind = PKT_BAD;
	p->u.bad = FRAME_TOO_LONG;
	box_rx(b, 2, p, T);
	assert_int_equal(box_dropped(b, 2, SW_DROP_MALFORMED), 1);
	assert_int_equal(box_dropped(b, 2, SW_DROP_TOO_LONG), 1);
	assert_int_equal(sw_port_stats(b->sw, 2).malformed[FRAME_SHORT_CNTAG], 1);
	for (unsigned i = 0; i < 4; i++)
		box_drain(b, i, 2 * T);
	assert_int_equal(b->stack.n, BOX_PKTS);
	box_free(b);
}

// A bridge looks no further than its header: what is wrong above is forwarded in its class, marked
// like any other, and counted. A run of them is as good as one.
static void what_is_wrong_above_layer_2_is_forwarded(void **state)
{
	const enum frame_error error[] = {FRAME_BAD_IP_CHECKSUM, FRAME_BAD_IP_CHECKSUM,
		FRAME_BAD_IP_LENGTH, FRAME_BAD_OPCODE, FRAME_SHORT_CNM};
	struct box *b = box_new();
	const struct sw_port_stats *s;
	struct pkt *burst[5];

	(void)state;
	b->set->cls[4].force_ce = true;
	box_start(b);
	box_learn(b);
	for (unsigned i = 0; i < 5; i++) {
		uint8_t src[6], dst[6];

		box_mac(src, 0);
		box_mac(dst, 1);
		burst[i] = box_foreign(b, src, dst, 60);
		burst[i]->kind = PKT_BAD;
		burst[i]->u.bad = error[i];
		burst[i]->tos = i < 3 ? 32 << 2 | ECN_ECT0 : 0;
		pkt_own_hdr(burst[i])->flags = i < 3 ? HDR_IPV4 : 0;
	}
	sw_rx(b->sw, 0, burst, 5, T);
	s = sw_port_rare_stats(b->sw, 0);
	assert_int_equal(s->malformed_forwarded_frames, 5);
	assert_int_equal(s->malformed[FRAME_BAD_IP_CHECKSUM], 2);
	assert_int_equal(s->malformed[FRAME_BAD_IP_LENGTH], 1);
	assert_int_equal(s->malformed[FRAME_BAD_OPCODE], 1);
	assert_int_equal(s->malformed[FRAME_SHORT_CNM], 1);
	assert_int_equal(s->drop[SW_DROP_MALFORMED], 0);
	assert_int_equal(sw_class_stats(b->sw, 0, 4).rx_frames, 3);
	assert_int_equal(box_drain(b, 1, 2 * T), 5);
	assert_int_equal(sw_class_stats(b->sw, 1, 4).tx_frames, 3);
	assert_int_equal(sw_class_stats(b->sw, 1, 4).ecn_marked_frames, 3);
	assert_int_equal(b->stack.n, BOX_PKTS);
	box_free(b);
}

static void lonely_port_has_no_route(void **state)
{
	struct box *b = box_new();

	(void)state;
	b->params.n_ports = 1;
	box_start(b);
	box_send(b, 0, 1, 2, 60, T);
	assert_int_equal(box_dropped(b, 0, SW_DROP_NO_ROUTE), 1);
	assert_int_equal(sw_class_stats(b->sw, 0, 2).dropped_bytes, 64);
	assert_int_equal(b->stack.n, BOX_PKTS);
	box_free(b);
}

// 10 frames of 1000 + 4 bytes fit under 10,040; what is dropped never held buffer.
static void tail_limit_is_inclusive(void **state)
{
	struct box *b = box_new();
	const struct ev *e;

	(void)state;
	b->set->cls[2].tail_limit_bytes = 10040;
	box_start(b);
	box_learn(b);
	for (unsigned i = 0; i < 12; i++)
		box_send(b, 0, 1, 2, 1000, T);
	assert_int_equal(sw_eport(b->sw, 1)->q[2].frames, 10);
	assert_int_equal(box_dropped(b, 0, SW_DROP_TAIL), 2);
	assert_int_equal(sw_mmu_of(b->sw, 0)->used, 10040);
	e = box_event(b, EV_DROP);
	assert_non_null(e);
	assert_int_equal(e->drop.reason, SW_DROP_TAIL);
	assert_int_equal(e->drop.bytes, 1000);
	assert_int_equal(e->drop.held_bytes, 10040);
	assert_int_equal(e->port, 0);
	assert_int_equal(e->drop.out, 1);
	assert_int_equal(e->cls, 2);
	box_drain(b, 1, 2 * T);
	box_free(b);
}

// Static limit of 5 KB for a lossy group, 20 + 10 KB for the lossless one, and both out of 31 KB.
static void buffer_refuses_by_its_reasons(void **state)
{
	struct box *b = box_new();

	(void)state;
	b->port[0].pg[1].static_bytes = 5000;
	for (unsigned i = 0; i < 4; i++)
		b->port[i].pg[3].headroom_bytes = i ? 0 : 10000;
	box_start(b);
	box_learn(b);
	for (unsigned i = 0; i < 6; i++)
		box_send(b, 0, 1, 1, 996, T);
	assert_int_equal(box_dropped(b, 0, SW_DROP_SHARED), 1);
	for (unsigned i = 0; i < 31; i++)
		box_send(b, 0, 1, 3, 996, T);
	assert_int_equal(box_dropped(b, 0, SW_DROP_HEADROOM), 1);
	assert_int_equal(sw_mmu_of(b->sw, 0)->used, 5000 + 30000);
	box_drain(b, 1, 2 * T);
	assert_int_equal(sw_mmu_of(b->sw, 0)->used, 0);
	box_drain(b, 0, 2 * T);
	box_free(b);
}

static void buffer_has_an_end(void **state)
{
	struct box *b = box_new();

	(void)state;
	b->params.buffer_bytes = 10000;
	for (unsigned i = 0; i < 4; i++)
		b->port[i].pg[3].headroom_bytes = 0;
	box_start(b);
	box_learn(b);
	for (unsigned i = 0; i < 11; i++)
		box_send(b, 0, 1, 1, 996, T);
	assert_int_equal(box_dropped(b, 0, SW_DROP_BUFFER), 1);
	box_drain(b, 1, 2 * T);
	box_free(b);
}

// Only what changed is touched: a frame for a port that is already due wakes nobody.
static void rx_touches_what_it_wakes(void **state)
{
	struct box *b = box_new();

	(void)state;
	box_start(b);
	box_learn(b);
	*sw_touched(b->sw) = (struct node_touched){0};
	box_send(b, 0, 2, 0, 1000, T);
	assert_int_equal(sw_touched(b->sw)->word[0], 1 << 2);
	assert_true(sw_deadline(b->sw, 2) <= T);
	*sw_touched(b->sw) = (struct node_touched){0};
	box_send(b, 1, 2, 0, 1000, T);
	assert_int_equal(sw_touched(b->sw)->word[0], 0);
	for (unsigned i = 0; i < 20; i++)
		box_send(b, 0, 2, 3, 1000, T); // reaches XOFF
	assert_int_equal(sw_touched(b->sw)->word[0], 1 << 0);
	assert_true(sw_deadline(b->sw, 0) <= T);
	box_drain(b, 2, 2 * T);
	box_drain(b, 0, 2 * T);
	box_free(b);
}

static void burst_is_as_good_as_frames_one_by_one(void **state)
{
	struct box *b = box_new();
	struct pkt *burst[32], *out[32];

	(void)state;
	b->params.tolerance_ps = 10 * PS_PER_US;
	box_start(b);
	box_learn(b);
	for (unsigned i = 0; i < 32; i++) {
		burst[i] = box_pkt(b, 0, 1 + i % 3, 1, 100 + i);
		burst[i]->u.gen.seq = i;
	}
	sw_rx(b->sw, 0, burst, 32, T);
	for (unsigned port = 1; port < 4; port++) {
		unsigned n = sw_tx(b->sw, port, out, 32, T);

		assert_int_equal(n, port == 3 ? 10 : 11);
		for (unsigned i = 0; i < n; i++) {
			assert_int_equal(out[i]->u.gen.seq, port - 1 + 3 * i);
			box_put(b, out[i]);
		}
	}
	assert_int_equal(sw_port_stats(b->sw, 0).rx_frames, 33); // one: box_learn
	box_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(class_by_what_the_port_trusts),
		cmocka_unit_test(class_of_a_shared_header_is_the_packets),
		cmocka_unit_test(two_tags_are_read_up_to_ip),
		cmocka_unit_test(rx_writes_what_the_node_owns),
		cmocka_unit_test(flood_copies_header_and_bytes),
		cmocka_unit_test(flood_copies_long_frames_into_packets_with_room),
		cmocka_unit_test(a_switch_may_forget_headers),
		cmocka_unit_test(headers_are_forgotten_once_a_frame_is_queued),
		cmocka_unit_test(flood_reaches_ports_beyond_64),
		cmocka_unit_test(flood_counts_copies_it_cannot_make),
		cmocka_unit_test(flood_needs_room_for_the_bytes),
		cmocka_unit_test(what_is_not_forwarded),
		cmocka_unit_test(what_is_wrong_above_layer_2_is_forwarded),
		cmocka_unit_test(lonely_port_has_no_route),
		cmocka_unit_test(tail_limit_is_inclusive),
		cmocka_unit_test(buffer_refuses_by_its_reasons),
		cmocka_unit_test(buffer_has_an_end),
		cmocka_unit_test(rx_touches_what_it_wakes),
		cmocka_unit_test(burst_is_as_good_as_frames_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
