// SPDX-License-Identifier: BSD-3-Clause
// Tests of QCN in the switch: what a CNM says and where it goes, what is sampled, the domain's
// edge.
#include <errno.h>

#include "defaults.h"
#include "sw_box.h"

#define T PS_PER_MS

// Class 2 has congestion points at every port, sampling each 10000 bytes and more.
static struct box *qcn_box(void)
{
	struct box *b = box_new();
	struct sw_qcn_params *q = &b->set->cls[2].qcn;

	q->on = true;
	q->cnm_class = 6;
	qcn_cp_defaults(&q->cp);
	q->cp.sample_base = 10000;
	q->cp.randomise_percent = 0;
	return b;
}

static void started(struct box *b)
{
	box_start(b);
	box_learn(b);
}

// n frames of host 0 to host 1, 1500 bytes each as counted.
static void fill(struct box *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		box_send(b, 0, 1, 2, 1496, T);
}

static struct pkt *expect_cnm(struct box *b, unsigned qntzfb, int qoffset, int qdelta, tstamp now)
{
	struct pkt *p = box_tx(b, 0, now);

	assert_non_null(p);
	assert_int_equal(p->kind, PKT_CNM);
	assert_int_equal(p->u.cnm.qntzfb, qntzfb);
	assert_int_equal(p->u.cnm.qoffset, qoffset);
	assert_int_equal(p->u.cnm.qdelta, qdelta);
	return p;
}

// Samples at the 7th, 14th and 21st frame: Q = 10500, 21000, 31500, Qdelta 10500 each time:
// Fb = -5500, -16000, -26500, QntzFb 2, 7, 12. After the last the base is 5000 bytes, so the 25th
// is next: Q = 37500, Fb = -11500 - 12000, QntzFb 11.
static void a_sampled_frame_is_told_to_its_source(void **state)
{
	struct box *b = qcn_box();
	const struct ev *e;
	struct pkt *p;

	(void)state;
	started(b);
	fill(b, 6);
	assert_true(sw_deadline(b->sw, 0) == TSTAMP_NEVER);
	sw_touched(b->sw)->word[0] = 0;
	fill(b, 1);
	assert_true(sw_deadline(b->sw, 0) <= T);
	assert_true(sw_touched(b->sw)->word[0] & 1);
	p = expect_cnm(b, 2, 242, 164, T);
	assert_int_equal(p->cls, 6);
	assert_int_equal(p->len, 60);
	assert_int_equal(p->born, T);
	assert_memory_equal(p->hdr->dst, b->hdr[2].src, 6);
	assert_memory_equal(p->hdr->src, b->port[1].mac, 6);
	assert_memory_equal(p->hdr->daddr, b->hdr[2].dst, 6);
	assert_int_equal(p->hdr->vlan_tci, 6 << 13);
	assert_int_equal(p->hdr->ethertype, 0x22e7);
	assert_memory_equal(p->u.cnm.cpid, ((uint8_t[]){0x0a, 0, 0, 0, 0, 1, 0, 1 << 3 | 2}), 8);
	assert_int_equal(p->u.cnm.flow_id, 0);
	assert_int_equal(p->u.cnm.priority, 2);
	box_put(b, p);
	e = box_event(b, EV_CNM_TX);
	assert_int_equal(e->cnm_tx.queue_bytes, 10500);
	assert_int_equal(e->cnm_tx.qntzfb, 2);
	assert_int_equal(e->cnm_tx.hdr, 2);
	assert_int_equal(e->port, 1);
	assert_int_equal(e->cls, 2);
	fill(b, 14);
	box_put(b, expect_cnm(b, 7, 78, 164, 2 * T));
	box_put(b, expect_cnm(b, 12, -85, 164, 3 * T));
	fill(b, 3);
	assert_null(box_tx(b, 0, 4 * T));
	fill(b, 1);
	box_put(b, expect_cnm(b, 11, -179, 93, 4 * T));
	assert_int_equal(sw_class_stats(b->sw, 1, 2).cnm_tx_frames, 4);
	assert_int_equal(sw_class_stats(b->sw, 1, 6).originated_frames, 4);
	assert_int_equal(sw_cp(b->sw, 1, 2)->samples[0], 0);
	assert_int_equal(sw_cp(b->sw, 1, 2)->samples[12], 1);
	assert_null(sw_cp(b->sw, 1, 3));
	assert_int_equal(box_drain(b, 1, 5 * T), 25);
	box_free(b);
}

// CN-TAG and VLAN of the sampled frame come back; its PCP is the encapsulated priority.
static void tags_of_the_sampled_frame_are_copied(void **state)
{
	struct box *b = qcn_box();
	struct pkt *p;

	(void)state;
	box_start(b);
	b->hdr[2].flags |= HDR_VLAN | HDR_CNTAG; // only PCP tells its class
	b->hdr[2].flags &= (uint8_t)~HDR_IPV4;
	b->hdr[2].vlan_tci = 2 << 13 | 100;
	b->hdr[2].cntag = 0x1234;
	b->hdr[1 + BOX_PORTS].flags |= HDR_VLAN; // from 1 to 0
	b->hdr[1 + BOX_PORTS].vlan_tci = 100;
	box_learn(b);
	fill(b, 7);
	p = box_tx(b, 0, T);
	assert_int_equal(p->kind, PKT_CNM);
	assert_int_equal(p->hdr->vlan_tci, 6 << 13 | 100);
	assert_int_equal(p->u.cnm.flow_id, 0x1234);
	assert_int_equal(p->hdr->cntag, 0x1234);
	assert_int_equal(p->u.cnm.priority, 2);
	box_put(b, p);
	box_drain(b, 1, 2 * T);
	box_free(b);
}

// A frame behind two VLAN tags is told of behind two. Its MSDU begins behind them.
static void a_cnm_has_both_vlan_tags(void **state)
{
	const unsigned tags = HDR_VLAN | HDR_STAG | HDR_INNER;
	struct box *b = qcn_box();
	struct frame f;
	struct pkt *p;

	(void)state;
	b->set->cls[2].qcn.min_header_octets = 64;
	b->set->cls[2].qcn.cp.set_point = 1000;
	box_start(b);
	b->hdr[2].flags = HDR_CNTAG | tags;
	b->hdr[2].vlan_tci = 2 << 13 | 100;
	b->hdr[2].inner_tci = 3 << 13 | 10;
	b->hdr[2].cntag = 0x1234;
	b->hdr[1 + BOX_PORTS].flags |= HDR_VLAN; // from 1 to 0
	b->hdr[1 + BOX_PORTS].vlan_tci = 100;
	box_learn(b);
	for (unsigned i = 0; i < 51; i++) // 200 bytes each, as counted
		box_send(b, 0, 1, 2, 196, T);
	p = box_tx(b, 0, T);
	assert_int_equal(p->kind, PKT_CNM);
	assert_int_equal(p->hdr->flags, HDR_CNTAG | tags);
	assert_int_equal(p->hdr->vlan_tci, 6 << 13 | 100);
	assert_int_equal(p->hdr->inner_tci, 6 << 13 | 10);
	assert_int_equal(p->u.cnm.priority, 2);
	assert_int_equal(p->len, 114);
	assert_int_equal(frame_parse(pkt_bytes(p), p->len, &f), FRAME_OK);
	assert_int_equal(f.kind, PKT_CNM);
	assert_int_equal(f.eth.is_stag, 1);
	assert_int_equal(f.eth.vlan_tci, 6 << 13 | 100);
	assert_int_equal(f.eth.inner_tci, 6 << 13 | 10);
	assert_int_equal(f.eth.cntag, 0x1234);
	assert_int_equal(f.cnm.msdu_len, 64);
	assert_int_equal(get_be16(pkt_bytes(p) + f.payload_off), ETH_P_IPV4);
	box_put(b, p);
	box_drain(b, 1, 2 * T);
	box_free(b);
}

// The layout of standards.md 1.3, for a frame of ours and a foreign one with its first 64 bytes.
static void a_cnm_carries_bytes_of_the_frame(void **state)
{
	struct box *b = qcn_box();
	uint8_t bytes[256];
	struct frame f;
	struct pkt *p;

	(void)state;
	b->set->cls[2].qcn.min_header_octets = 64;
	b->set->cls[2].qcn.cp.set_point = 1000;
	started(b);
	for (unsigned i = 0; i < 51; i++) // 200 bytes each, as counted
		box_send(b, 0, 1, 2, 196, T);
	p = box_tx(b, 0, T);
	assert_int_equal(p->len, 110);
	assert_int_equal(p->flags, PKT_F_FOREIGN);
	assert_int_equal(frame_parse(pkt_bytes(p), p->len, &f), FRAME_OK);
	assert_int_equal(f.kind, PKT_CNM);
	assert_int_equal(f.cnm.msdu_len, 64);
	assert_int_equal(f.cnm.qntzfb, 63);
	assert_memory_equal(f.cnm.dst, b->hdr[2].dst, 6);
	assert_int_equal(f.payload_len, 64);
	frame_from_pkt(&(struct pkt){.hdr = &b->hdr[2],
			       .len = 196,
			       .kind = PKT_DATA,
			       .tos = 2 * 8 << 2 | ECN_ECT0},
		bytes);
	assert_memory_equal(pkt_bytes(p) + 46, bytes + 12, 64);
	box_put(b, p);
	box_drain(b, 1, 2 * T);
	box_free(b);
}

static void foreign_bytes_are_copied(void **state)
{
	struct box *b = qcn_box();
	struct pkt *p = NULL;
	struct frame f;

	(void)state;
	b->set->cls[2].qcn.min_header_octets = 64;
	b->set->cls[2].qcn.cp.set_point = 1000;
	for (unsigned i = 0; i < 4; i++)
		b->port[i].default_class = 2;
	started(b);
	for (unsigned i = 0; i < 60; i++) {
		struct pkt *in = box_foreign(b, b->hdr[2].src, b->hdr[2].dst, 196 - 8 * (i == 50));

		memcpy(pkt_bytes(in), b->hdr[2].dst, 6);
		memcpy(pkt_bytes(in) + 6, b->hdr[2].src, 6);
		pkt_bytes(in)[12 + i % 8] = (uint8_t)i;
		box_rx(b, 0, in, T);
		if (!p && sw_deadline(b->sw, 0) <= T) {
			p = box_tx(b, 0, T);
			assert_memory_equal(pkt_bytes(p) + 46, pkt_bytes(in) + 12, 64);
		}
	}
	assert_non_null(p);
	assert_int_equal(frame_parse(pkt_bytes(p), p->len, &f), FRAME_OK);
	assert_int_equal(f.cnm.msdu_len, 64);
	box_put(b, p);
	box_drain(b, 0, 2 * T);
	box_drain(b, 1, 2 * T);
	box_free(b);
}

// CNMs in a class that has congestion points: 18 KB of them are queued, and none was sampled.
static void cnms_are_never_sampled(void **state)
{
	struct box *b = qcn_box();

	(void)state;
	b->set->cls[2].qcn.cnm_class = 2;
	b->set->cls[2].qcn.cp.set_point = 1000;
	started(b);
	fill(b, 300);
	assert_true(sw_class_stats(b->sw, 1, 2).cnm_tx_frames > 280);
	assert_true(sw_eport(b->sw, 0)->q[2].bytes > 10000);
	for (unsigned i = 0; i < QCN_CP_FB; i++)
		assert_int_equal(sw_cp(b->sw, 0, 2)->samples[i], 0);
	box_drain(b, 0, 2 * T);
	box_drain(b, 1, 2 * T);
	box_free(b);
}

// Interior: the tag goes, with its four bytes. Interior ready: it stays. Edge: it goes too, and
// what comes in class 2 is class 1 here. Disabled: no congestion point.
static void ports_of_the_domain_differ(void **state)
{
	static const struct {
		enum sw_cn_mode mode;
		bool stripped, cp;
		unsigned back_class;
	} want[] = {
		{SW_CN_INTERIOR_READY, false, true, 2},
		{SW_CN_INTERIOR, true, true, 2},
		{SW_CN_EDGE, true, true, 1},
		{SW_CN_DISABLED, false, false, 2},
	};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct box *b = qcn_box();
		struct pkt *p;

		b->port[1].cn = want[i].mode;
		b->set->cls[2].qcn.alternate_class = 1;
		box_start(b);
		b->hdr[2].flags |= HDR_CNTAG;
		b->hdr[2].cntag = 7;
		box_learn(b);
		box_send(b, 0, 1, 2, 200, T);
		p = box_tx(b, 1, T);
		assert_int_equal(pkt_has_cntag(p), !want[i].stripped);
		assert_int_equal(p->len, want[i].stripped ? 196 : 200);
		box_put(b, p);
		assert_int_equal(sw_port_stats(b->sw, 1).cn_untagged_frames, want[i].stripped);
		assert_int_equal(sw_cp(b->sw, 1, 2) != NULL, want[i].cp);
		assert_non_null(sw_cp(b->sw, 0, 2));
		box_send(b, 1, 0, 2, 200, 2 * T);
		p = box_tx(b, 0, 2 * T);
		assert_int_equal(p->cls, want[i].back_class);
		box_put(b, p);
		box_free(b);
	}
}

// A tagged frame of 60 bytes or little more stays 60; a foreign one keeps its length until the
// exit.
static void stripping_keeps_the_least_length(void **state)
{
	static const unsigned len[] = {60, 62, 64, 65}, want[] = {60, 60, 60, 61};
	struct box *b = qcn_box();
	struct pkt *p;

	(void)state;
	b->port[1].cn = SW_CN_INTERIOR;
	box_start(b);
	box_learn(b);
	b->hdr[2].flags |= HDR_CNTAG;
	for (unsigned i = 0; i < 4; i++) {
		box_send(b, 0, 1, 2, len[i], T + i * PS_PER_US);
		p = box_tx(b, 1, T + i * PS_PER_US);
		assert_int_equal(p->len, want[i]);
		box_put(b, p);
	}
	p = box_foreign(b, b->hdr[2].src, b->hdr[2].dst, 100);
	pkt_own_hdr(p)->flags = HDR_CNTAG | HDR_VLAN;
	pkt_own_hdr(p)->vlan_tci = 2 << 13;
	box_rx(b, 0, p, 2 * T);
	p = box_tx(b, 1, 2 * T);
	assert_int_equal(p->len, 100);
	assert_int_equal(p->flags, PKT_F_FOREIGN | PKT_F_UNTAG_CN);
	box_put(b, p);
	box_free(b);
}

static void refused_frames_are_counted(void **state)
{
	struct box *b = qcn_box();

	(void)state;
	b->set->cls[2].tail_limit_bytes = 30000;
	started(b);
	fill(b, 21);
	assert_int_equal(sw_class_stats(b->sw, 1, 2).cn_discarded_frames, 1);
	assert_int_equal(sw_class_stats(b->sw, 0, 2).cn_discarded_frames, 0);
	box_drain(b, 0, 2 * T);
	box_drain(b, 1, 2 * T);
	box_free(b);
}

static void cnms_without_a_descriptor_are_counted(void **state)
{
	struct box *b = qcn_box();
	struct pkt *frame[7], *kept[BOX_PKTS];
	unsigned n = 0;

	(void)state;
	started(b);
	for (unsigned i = 0; i < 7; i++)
		frame[i] = box_pkt(b, 0, 1, 2, 1496);
	while ((kept[n] = pkt_get_ctl(&b->stack)))
		n++;
	for (unsigned i = 0; i < 7; i++)
		box_rx(b, 0, frame[i], T);
	assert_int_equal(sw_port_stats(b->sw, 1).cn_no_desc, 1);
	assert_int_equal(sw_class_stats(b->sw, 1, 2).cnm_tx_frames, 0);
	while (n)
		pkt_put(&b->stack, kept[--n]);
	box_drain(b, 1, 2 * T);
	box_free(b);
}

static void what_does_not_go_together_is_refused(void **state)
{
	(void)state;
#define REFUSED(change)                                \
	do {                                           \
		struct box *b = qcn_box();             \
                                                       \
		change;                                \
		assert_int_equal(box_try(b), -EINVAL); \
		free(b);                               \
	} while (0)
	REFUSED(b->set->cls[2].qcn.cnm_class = 8);
	REFUSED(b->set->cls[2].qcn.alternate_class = 8);
	REFUSED(b->set->cls[2].qcn.min_header_octets = 65);
	REFUSED(b->set->cls[2].qcn.cp.set_point = 1);
	REFUSED((b->port[0].cn = SW_CN_EDGE, b->set->cls[2].qcn.alternate_class = 2));
#undef REFUSED
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sampled_frame_is_told_to_its_source),
		cmocka_unit_test(tags_of_the_sampled_frame_are_copied),
		cmocka_unit_test(a_cnm_has_both_vlan_tags),
		cmocka_unit_test(a_cnm_carries_bytes_of_the_frame),
		cmocka_unit_test(foreign_bytes_are_copied),
		cmocka_unit_test(cnms_are_never_sampled),
		cmocka_unit_test(ports_of_the_domain_differ),
		cmocka_unit_test(stripping_keeps_the_least_length),
		cmocka_unit_test(refused_frames_are_counted),
		cmocka_unit_test(cnms_without_a_descriptor_are_counted),
		cmocka_unit_test(what_does_not_go_together_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
