// SPDX-License-Identifier: BSD-3-Clause
// Tests of Fast CNP in the switch: the CNP for a marked frame, its bytes, CE beside it or not,
// what is counted.
#include <errno.h>

#include "defaults.h"
#include "sw_box.h"

#define T  PS_PER_MS
#define US PS_PER_US

// Class 3 is marked whatever its queue; hosts have addresses 10.0.0.1 ...
static struct box *fast_box(enum sw_fast_cnp how, enum sw_mark where)
{
	struct box *b = box_new();

	b->params.fast_cnp_on = true;
	fast_cnp_defaults(&b->params.fast_cnp.table);
	b->params.fast_cnp.table.entries = 64;
	b->params.fast_cnp.cnp_class = 6;
	b->params.fast_cnp.cnp_tos = 0xc2;
	b->set->cls[3].force_ce = true;
	b->set->cls[3].mark = where;
	b->set->cls[3].fast_cnp = how;
	return b;
}

static void started(struct box *b)
{
	box_start(b);
	for (unsigned i = 1; i <= BOX_PORTS * BOX_PORTS; i++) {
		struct hdr *h = &b->hdr[i];

		h->saddr[0] = h->daddr[0] = 10;
		h->saddr[3] = h->src[5];
		h->daddr[3] = h->dst[5];
		h->sport = 0xc132;
		h->dport = BTH_UDP_PORT;
		h->proto = IP_PROTO_UDP;
		h->ttl = 64;
	}
	box_learn(b);
}

static struct pkt *data_of(struct box *b, unsigned from, unsigned to)
{
	struct pkt *p = box_pkt(b, from, to, 3, 1082);

	p->u.rc = (struct pkt_rc){.opcode = 7, .qpn = 0x12, .psn = 4711, .payload = 1024};
	return p;
}

static void ack(struct box *b, unsigned from, unsigned to, uint32_t qpn, tstamp now)
{
	struct pkt *p = box_pkt(b, from, to, 6, 62);

	p->kind = PKT_ACK;
	p->tos = 6 * 8 << 2;
	p->u.rc = (struct pkt_rc){.opcode = 0x11, .qpn = qpn};
	box_rx(b, from, p, now);
	box_drain(b, to, now + US);
}

// The frame that host 0 gets: a CNP to its queue pair 0x11, as host 1 would send it, with a right
// ICRC.
static void assert_cnp(struct box *b, struct pkt *p, tstamp at)
{
	uint8_t bytes[128];
	struct frame f;

	assert_non_null(p);
	assert_int_equal(p->kind, PKT_CNP);
	assert_int_equal(p->cls, 6);
	assert_true(p->born == at);
	assert_ptr_equal(p->hdr, pkt_own_hdr(p));
	assert_int_equal(frame_from_pkt(p, bytes), 74);
	assert_int_equal(frame_parse(bytes, 74, &f), FRAME_OK);
	assert_true(frame_icrc_ok(&f, bytes));
	assert_int_equal(f.notes, 0);
	assert_int_equal(f.trailer_off, 74);
	assert_memory_equal(bytes, b->hdr[1].dst, 6);                   // to host 0
	assert_memory_equal(bytes + 6, b->hdr[1 + BOX_PORTS].src, 6);   // from host 1
	assert_int_equal(bytes[15], 0xc2);                              // DSCP 48, ECT(0)
	assert_memory_equal(bytes + 26, "\x0a\0\0\x02\x0a\0\0\x01", 8); // 10.0.0.2 to 10.0.0.1
	assert_memory_equal(bytes + 34, "\xc1\x32\x12\xb7\0\x28\0\0", 8);
	assert_memory_equal(bytes + 42, "\x81\0\xff\xff\x40\0\0\x11\0\0\0\0", 12);
	for (unsigned i = 54; i < 70; i++)
		assert_int_equal(bytes[i], 0);
	box_put(b, p);
}

// The CNP makes XOFF due at the port that the marked frame leaves by, whose queue is empty then:
// the wire had been idle before that frame, and this is still counted.
static void the_wire_is_booked_before_the_cnp(void **state)
{
	struct box *b = fast_box(SW_FAST_CNP_INSTEAD, SW_MARK_DEQUEUE);
	tstamp wire = (1082 + PKT_WIRE) * 80;
	struct pkt *p;

	(void)state;
	b->params.fast_cnp.cnp_class = 5;
	b->set->cls[5].pfc = true;
	b->set->cls[5].quanta = 65535;
	b->port[1].pg[5] = (struct mmu_pg_params){
		.lossless = true, .static_bytes = 78, .headroom_bytes = 1000};
	started(b);
	for (unsigned i = 0; i < 2; i++)
		box_rx(b, 0, data_of(b, 0, 1), T);
	box_put(b, box_tx(b, 1, T));
	ack(b, 1, 0, 0x11, T);
	p = box_tx(b, 1, T + US);
	assert_int_equal(p->kind, PKT_DATA);
	assert_int_equal(sw_port_stats(b->sw, 1).fast_cnp_tx, 1);
	assert_true(sw_eport(b->sw, 1)->lost_ps == US - wire);
	box_put(b, p);
	p = box_tx(b, 1, T + 2 * US);
	assert_int_equal(p->kind, PKT_PFC);
	box_put(b, p);
	box_free(b);
}

// Headroom is the peer's. CNPs that find their group at its limit are dropped, and all of the
// headroom is there for the frames that the peer has sent before XOFF took effect.
static void cnps_take_no_headroom(void **state)
{
	struct box *b = fast_box(SW_FAST_CNP_INSTEAD, SW_MARK_DEQUEUE);
	const struct mmu_pg *pg;

	(void)state;
	b->params.fast_cnp.table.interval_ps = 0;
	b->set->cls[6].pfc = true;
	b->set->cls[6].quanta = 65535;
	b->port[1].pg[6] = (struct mmu_pg_params){
		.lossless = true, .static_bytes = 78, .headroom_bytes = 1000};
	started(b);
	pg = &sw_mmu_of(b->sw, 0)->pg[MMU_PGS + 6];
	ack(b, 1, 0, 0x11, T);
	for (unsigned i = 0; i < 3; i++) {
		box_rx(b, 0, data_of(b, 0, 1), T + (2 + i) * US);
		box_drain(b, 1, T + (3 + i) * US);
	}
	assert_int_equal(sw_port_stats(b->sw, 1).fast_cnp_tx, 3);
	assert_int_equal(pg->bytes, 78);
	assert_true(pg->xoff);
	assert_int_equal(pg->headroom, 0);
	assert_int_equal(box_dropped(b, 1, SW_DROP_SHARED), 2);
	assert_int_equal(sw_class_stats(b->sw, 1, 6).pg_dropped_frames, 0);
	box_send(b, 1, 0, 6, 996, T + 5 * US);
	assert_int_equal(pg->headroom, 1000);
	assert_int_equal(box_dropped(b, 1, SW_DROP_HEADROOM), 0);
	box_drain(b, 0, T + 9 * US);
	box_drain(b, 1, T + 9 * US);
	box_free(b);
}

// Unknown before the first ACK, then told at once and not marked, then nothing for 50 us.
static void marked_frames_are_told_at_once(void **state)
{
	static const enum sw_mark where[] = {SW_MARK_ENQUEUE, SW_MARK_DEQUEUE};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct box *b = fast_box(SW_FAST_CNP_INSTEAD, where[i]);
		const struct sw_port_stats *s;
		const struct ev *e;
		struct pkt *p;

		started(b);
		s = sw_port_rare_stats(b->sw, 1);
		for (unsigned k = 0; k < 4; k++) {
			tstamp at = T + k * 20 * US;

			if (k == 1)
				ack(b, 1, 0, 0x11, at - 10 * US);
			box_rx(b, 0, data_of(b, 0, 1), at);
			p = box_tx(b, 1, at);
			assert_int_equal(pkt_ecn(p), k ? ECN_ECT0 : ECN_CE);
			assert_int_equal(p->flags, k ? 0 : PKT_F_CE);
			box_put(b, p);
			if (k == 1)
				assert_cnp(b, box_tx(b, 0, at), at);
			else
				assert_null(box_tx(b, 0, at));
		}
		assert_int_equal(s->fast_cnp_unknown, 1);
		assert_int_equal(s->fast_cnp_tx, 1);
		assert_int_equal(s->fast_cnp_suppressed, 2);
		assert_int_equal(sw_class_stats(b->sw, 1, 3).ecn_marked_frames, 1);
		assert_int_equal(sw_class_stats(b->sw, 1, 6).originated_frames, 1);
		e = box_event(b, EV_FAST_CNP_TX);
		assert_true(e->t == T + 20 * US);
		assert_int_equal(e->mark.hdr, 2);
		assert_int_equal(e->port, 1);
		assert_int_equal(e->cls, 3);
		assert_int_equal(e->mark.queue_bytes, 1086);
		assert_int_equal(e->mark.psn, 4711);
		assert_null(box_event(b, EV_MARK));
		box_rx(b, 0, data_of(b, 0, 1), T + 70 * US);
		box_put(b, box_tx(b, 1, T + 70 * US));
		assert_cnp(b, box_tx(b, 0, T + 70 * US), T + 70 * US);
		assert_int_equal(sw_fast_cnp(b->sw)->stats.learned, 1);
		box_free(b);
	}
}

// The ACK that host 1 would send to queue pair `qpn` of host 0, from another port.
static void forged_ack(struct box *b, unsigned port, uint32_t qpn, const uint8_t *mac, tstamp now)
{
	struct pkt *p = box_pkt(b, 1, 0, 6, 62);

	*pkt_own_hdr(p) = *p->hdr;
	pkt_own_hdr(p)->id = 0;
	if (mac)
		memcpy(pkt_own_hdr(p)->src, mac, 6);
	p->hdr = pkt_own_hdr(p);
	p->kind = PKT_ACK;
	p->tos = 6 * 8 << 2;
	p->u.rc = (struct pkt_rc){.opcode = 0x11, .qpn = qpn};
	box_rx(b, port, p, now);
	assert_int_equal(box_drain(b, 0, now + US), 1); // it is forwarded all the same
}

// Data of host 0 to host 1 is marked: a CNP goes to queue pair 0x11, or none goes.
static void assert_told(struct box *b, bool told, tstamp now)
{
	box_rx(b, 0, data_of(b, 0, 1), now);
	box_put(b, box_tx(b, 1, now));
	if (told)
		assert_cnp(b, box_tx(b, 0, now), now);
	assert_null(box_tx(b, 0, now));
}

// All in a forged ACK is right but the port where it comes in: MAC and IP addresses, UDP ports and
// class are the receiver's, and its QPN is that of an innocent queue pair of the sender.
static void a_forged_ack_teaches_nothing(void **state)
{
	struct sw_fdb_params fdb = {.port = 1};

	(void)state;
	for (unsigned where = SW_MARK_ENQUEUE; where <= SW_MARK_DEQUEUE; where++) {
		struct box *b = fast_box(SW_FAST_CNP_INSTEAD, where);

		box_mac(fdb.mac, 1);
		b->params.fdb = &fdb;
		b->params.n_fdb = 1;
		b->params.fast_cnp.table.interval_ps = 0;
		started(b);
		forged_ack(b, 2, 0x12, NULL, T);
		assert_told(b, false, T + 10 * US);
		assert_int_equal(sw_fast_cnp(b->sw)->stats.learned, 0);
		ack(b, 1, 0, 0x11, T + 20 * US);
		assert_told(b, true, T + 30 * US);
		for (unsigned i = 1; i <= 3; i++) { // nor does it bring a known flow into doubt
			forged_ack(b, 2, 0x12, NULL, T + i * 100 * US);
			assert_told(b, true, T + i * 100 * US + 10 * US);
		}
		assert_int_equal(sw_fast_cnp(b->sw)->stats.ambiguous, 0);
		assert_int_equal(sw_fast_cnp(b->sw)->stats.learned, 1);
		assert_int_equal(sw_port_stats(b->sw, 2).fast_cnp_foreign_ack, 4);
		assert_int_equal(sw_port_stats(b->sw, 1).fast_cnp_foreign_ack, 0);
		box_free(b);
	}
}

// A forger that writes the receiver's IP address beside a MAC address of its own lives where it
// says. But the data goes to another MAC address.
static void a_receiver_is_who_gets_the_data(void **state)
{
	struct box *b = fast_box(SW_FAST_CNP_INSTEAD, SW_MARK_ENQUEUE);
	uint8_t own[6];

	(void)state;
	box_mac(own, 2);
	b->params.fast_cnp.table.interval_ps = 0;
	started(b);
	forged_ack(b, 2, 0x12, own, T);
	assert_told(b, false, T + 10 * US);
	ack(b, 1, 0, 0x11, T + 20 * US);
	forged_ack(b, 2, 0x12, own, T + 30 * US);
	assert_told(b, true, T + 40 * US);
	assert_int_equal(sw_fast_cnp(b->sw)->stats.ambiguous, 0);
	box_free(b);
}

// A learned address that moves is believed where it stays for `age`.
static void a_receiver_that_moves_is_believed_when_it_has_stayed(void **state)
{
	struct box *b = fast_box(SW_FAST_CNP_INSTEAD, SW_MARK_ENQUEUE);

	(void)state;
	b->params.fast_cnp.table.age_ps = T;
	started(b);
	forged_ack(b, 2, 0x11, NULL, T);
	forged_ack(b, 2, 0x11, NULL, 2 * T - US);
	assert_int_equal(sw_fast_cnp(b->sw)->stats.learned, 0);
	assert_int_equal(sw_port_stats(b->sw, 2).fast_cnp_foreign_ack, 2);
	forged_ack(b, 2, 0x11, NULL, 2 * T);
	assert_int_equal(sw_fast_cnp(b->sw)->stats.learned, 1);
	box_free(b);
}

static void ce_may_stand_beside(void **state)
{
	struct box *b = fast_box(SW_FAST_CNP_BESIDE, SW_MARK_DEQUEUE);
	struct pkt *p;

	(void)state;
	started(b);
	ack(b, 1, 0, 0x11, T);
	for (unsigned k = 0; k < 2; k++) {
		box_rx(b, 0, data_of(b, 0, 1), T + k * US);
		p = box_tx(b, 1, T + k * US);
		assert_int_equal(pkt_ecn(p), ECN_CE);
		box_put(b, p);
	}
	assert_cnp(b, box_tx(b, 0, T + US), T);
	assert_null(box_tx(b, 0, T + 2 * US));
	assert_int_equal(sw_class_stats(b->sw, 1, 3).ecn_marked_frames, 2);
	box_free(b);
}

// ECT frames that are no RC data, and CNPs themselves, are marked as ever.
static void only_data_is_told_of(void **state)
{
	struct box *b = fast_box(SW_FAST_CNP_INSTEAD, SW_MARK_ENQUEUE);
	struct pkt *p;

	(void)state;
	started(b);
	ack(b, 1, 0, 0x11, T);
	for (unsigned kind = PKT_UDP; kind <= PKT_ROCE; kind++) {
		if (kind == PKT_DATA)
			continue;
		p = data_of(b, 0, 1);
		p->kind = (uint8_t)kind;
		box_rx(b, 0, p, T + kind * US);
		p = box_tx(b, 1, T + kind * US);
		assert_int_equal(pkt_ecn(p), ECN_CE);
		box_put(b, p);
	}
	assert_null(box_tx(b, 0, T + 10 * US));
	assert_int_equal(sw_port_stats(b->sw, 1).fast_cnp_tx, 0);
	assert_int_equal(sw_port_stats(b->sw, 1).fast_cnp_unknown, 0);
	box_free(b);
}

// For iQCN the switch's CNP is the flow's: 270 us later the next is due.
static void iqcn_takes_it_for_the_receivers(void **state)
{
	struct box *b = fast_box(SW_FAST_CNP_INSTEAD, SW_MARK_ENQUEUE);
	struct pkt *p;

	(void)state;
	b->params.iqcn_on = true;
	iqcn_defaults(&b->params.iqcn);
	b->params.iqcn.entries = 64;
	b->set->cls[3].heavy_bytes = 1000;
	started(b);
	ack(b, 1, 0, 0x11, T);
	box_rx(b, 1, box_pfc(b, 1 << 3, 65535), T);
	box_rx(b, 0, data_of(b, 0, 1), T + US);
	assert_cnp(b, box_tx(b, 0, T + US), T + US);
	assert_int_equal(sw_iqcn(b->sw)->flows, 1);
	assert_true(sw_deadline(b->sw, 1) == T + 271 * US);
	assert_null(box_tx(b, 1, T + 271 * US));
	p = box_tx(b, 0, T + 271 * US);
	assert_cnp(b, p, T + 271 * US);
	assert_int_equal(sw_port_stats(b->sw, 1).iqcn_tx_cnp, 1);
	assert_int_equal(sw_port_stats(b->sw, 1).fast_cnp_tx, 1);
	box_rx(b, 1, box_pfc(b, 1 << 3, 0), T + 300 * US);
	box_drain(b, 1, T + 301 * US);
	box_free(b);
}

// Without a descriptor the frame gets CE, and the next one its CNP.
static void without_a_descriptor_ce_is_set(void **state)
{
	struct box *b = fast_box(SW_FAST_CNP_INSTEAD, SW_MARK_ENQUEUE);
	struct pkt *kept[BOX_PKTS], *p, *q;
	unsigned n = 0;

	(void)state;
	started(b);
	ack(b, 1, 0, 0x11, T);
	p = data_of(b, 0, 1);
	q = data_of(b, 0, 1);
	while ((kept[n] = pkt_get_ctl(&b->stack)))
		n++;
	box_rx(b, 0, p, T + US);
	assert_int_equal(pkt_ecn(p), ECN_CE);
	assert_int_equal(sw_port_stats(b->sw, 1).cn_no_desc, 1);
	while (n)
		pkt_put(&b->stack, kept[--n]);
	box_rx(b, 0, q, T + 2 * US);
	assert_int_equal(pkt_ecn(q), ECN_ECT0);
	assert_cnp(b, box_tx(b, 0, T + 2 * US), T + 2 * US);
	box_drain(b, 1, T + 10 * US);
	box_free(b);
}

// The CNP about data over IPv6 behind these VLAN tags and a CN-TAG, which CNPs do not have, begins
// with `want` behind its addresses: PCP is the CNPs' own.
static void tags_of_cnp(unsigned tags, const char *want, unsigned n)
{
	struct box *b = fast_box(SW_FAST_CNP_INSTEAD, SW_MARK_ENQUEUE);
	uint8_t bytes[128];
	struct frame f;
	struct pkt *p;

	started(b);
	for (unsigned i = 1; i <= BOX_PORTS * BOX_PORTS; i++) {
		b->hdr[i].flags = (uint8_t)(HDR_IPV6 | HDR_CNTAG | tags);
		b->hdr[i].ethertype = ETH_P_IPV6;
		b->hdr[i].vlan_tci = 3 << 13 | 100;
		b->hdr[i].inner_tci = tags & HDR_INNER ? 3 << 13 | 10 : 0;
		b->hdr[i].cntag = 5;
	}
	box_send(b, 0, 1, 0, 100, T - 10 * US); // both are known in this VLAN
	box_send(b, 1, 0, 0, 100, T - 10 * US);
	for (unsigned i = 0; i < 4; i++)
		box_drain(b, i, T - US);
	ack(b, 1, 0, 0x11, T);
	box_rx(b, 0, data_of(b, 0, 1), T + 5 * US);
	p = box_tx(b, 0, T + 5 * US);
	assert_non_null(p);
	assert_int_equal(p->len, 92 + n);
	assert_int_equal(frame_from_pkt(p, bytes), 92 + n);
	assert_int_equal(frame_parse(bytes, 92 + n, &f), FRAME_OK);
	assert_int_equal(f.kind, PKT_CNP);
	assert_true(frame_icrc_ok(&f, bytes));
	assert_memory_equal(bytes + 12, want, n);
	assert_int_equal(f.trailer_off, 92 + n);
	box_put(b, p);
	box_drain(b, 1, T + 10 * US);
	box_free(b);
}

static void tags_and_ipv6_are_right(void **state)
{
	(void)state;
	tags_of_cnp(HDR_VLAN, "\x81\0\xc0\x64\x86\xdd", 6); // PCP 6, VLAN 100, IPv6
	tags_of_cnp(HDR_VLAN | HDR_INNER, "\x81\0\xc0\x64\x81\0\xc0\x0a\x86\xdd", 10);
	tags_of_cnp(HDR_VLAN | HDR_STAG | HDR_INNER, "\x88\xa8\xc0\x64\x81\0\xc0\x0a\x86\xdd", 10);
}

static void what_does_not_go_together_is_refused(void **state)
{
	(void)state;
#define REFUSED(change)                                                         \
	do {                                                                    \
		struct box *b = fast_box(SW_FAST_CNP_INSTEAD, SW_MARK_ENQUEUE); \
                                                                                \
		change;                                                         \
		assert_int_equal(box_try(b), -EINVAL);                          \
		free(b);                                                        \
	} while (0)
	REFUSED(b->params.fast_cnp.cnp_class = 8);
	REFUSED(b->params.fast_cnp.table.entries = 0);
	REFUSED(b->set->cls[4].fast_cnp = SW_FAST_CNP_BESIDE); // it has no marker
#undef REFUSED
}

static unsigned told;

static void tell(void *memory, size_t bytes)
{
	(void)memory;
	(void)bytes;
	told++;
}

// The FDB has one area, a flow table of Fast CNP two and one of iQCN three.
static void memory_of_flows_is_told(void **state)
{
	static const unsigned areas[2][2] = {{1, 3}, {4, 6}}; // by iQCN, by Fast CNP

	(void)state;
	for (unsigned iqcn = 0; iqcn < 2; iqcn++)
		for (unsigned fast = 0; fast < 2; fast++) {
			struct box *b = fast_box(
				fast ? SW_FAST_CNP_BESIDE : SW_FAST_CNP_OFF, SW_MARK_ENQUEUE);

			told = 0;
			b->params.large = tell;
			b->params.fast_cnp_on = fast;
			b->params.iqcn_on = iqcn;
			iqcn_defaults(&b->params.iqcn);
			box_start(b);
			assert_int_equal(told, areas[iqcn][fast]);
			box_free(b);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marked_frames_are_told_at_once),
		cmocka_unit_test(memory_of_flows_is_told),
		cmocka_unit_test(the_wire_is_booked_before_the_cnp),
		cmocka_unit_test(cnps_take_no_headroom),
		cmocka_unit_test(a_forged_ack_teaches_nothing),
		cmocka_unit_test(a_receiver_is_who_gets_the_data),
		cmocka_unit_test(a_receiver_that_moves_is_believed_when_it_has_stayed),
		cmocka_unit_test(ce_may_stand_beside),
		cmocka_unit_test(only_data_is_told_of),
		cmocka_unit_test(iqcn_takes_it_for_the_receivers),
		cmocka_unit_test(without_a_descriptor_ce_is_set),
		cmocka_unit_test(tags_and_ipv6_are_right),
		cmocka_unit_test(what_does_not_go_together_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
