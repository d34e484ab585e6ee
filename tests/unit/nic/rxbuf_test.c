// SPDX-License-Identifier: BSD-3-Clause
// Tests of the receive buffer: fill, XOFF and XON instants in closed form, overflow.
#include "nic_lab.h"

#define FRAME 1500ull // bytes counted: 1496 and FCS

struct pfc_log {
	unsigned n;
	tstamp t[256];
	uint16_t quanta[256];
};

static bool note(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	struct pfc_log *g = l->arg;

	if (from && p->kind == PKT_PFC && g->n < 256) {
		g->t[g->n] = now;
		g->quanta[g->n++] = p->u.pfc.quanta[3];
		assert_int_equal(p->u.pfc.enable, 1 << 3);
	}
	return true;
}

static void start(struct lab *l, struct pfc_log *g, struct nic_rxbuf_params b)
{
	memset(g, 0, sizeof(*g));
	lab_init(l);
	l->hook = note;
	l->arg = g;
	l->p[1].rxbuf = b;
	lab_start(l);
}

static void frame_at(struct lab *l, tstamp t, uint8_t cls)
{
	lab_run(l, t);
	lab_rx(l, 1, &(struct pkt){.kind = PKT_GEN, .len = FRAME - 4, .cls = cls});
}

// Frames of the sender's class 5, one at a time; the class that gets XOFF tells theirs.
static unsigned class_of(struct nic_class_maps maps, uint8_t dscp, int pcp, bool ip)
{
	struct hdr h;
	struct pfc_log g;
	unsigned xoff;
	struct lab l;

	memset(&g, 0, sizeof(g));
	lab_init(&l);
	l.p[1].rxbuf = (struct nic_rxbuf_params){10 * RATE_GBPS, 20000, 1000, 500};
	l.p[1].pfc_classes = 0xff;
	l.p[1].maps = maps;
	lab_start(&l);
	h = l.data_hdr;
	h.flags = (ip ? HDR_IPV4 : 0) | (pcp < 0 ? 0 : HDR_VLAN);
	h.vlan_tci = (uint16_t)(pcp << 13 & 0xe000);
	lab_rx(&l, 1,
		&(struct pkt){.kind = PKT_GEN,
			.len = FRAME - 4,
			.cls = 5,
			.tos = (uint8_t)(dscp << 2),
			.hdr = &h});
	xoff = nic_pause_tx(l.nic[1])->xoff;
	lab_run(&l, 10 * PS_PER_US);
	lab_end(&l);
	return (unsigned)__builtin_ctz(xoff);
}

static void the_trusted_field_gives_the_class(void **state)
{
	struct nic_class_maps m = {.dscp_to_class = {[26] = 4}, .pcp_to_class = {[2] = 7}};

	(void)state;
	assert_int_equal(class_of(m, 26, 2, true), 5);
	m.trust = NIC_TRUST_DSCP;
	assert_int_equal(class_of(m, 26, 2, true), 4);
	assert_int_equal(class_of(m, 26, -1, true), 4);
	assert_int_equal(class_of(m, 26, 2, false), 7);
	assert_int_equal(class_of(m, 26, -1, false), 0);
	m.trust = NIC_TRUST_PCP;
	assert_int_equal(class_of(m, 26, 2, true), 7);
	assert_int_equal(class_of(m, 26, -1, true), 4);
	assert_int_equal(class_of(m, 25, -1, true), 0);
}

// 10 Gb/s drain, 800 ps a byte: 10 frames at once are 15000 bytes and drain in 12 us. XOFF with
// the frame that reaches 12000, XON when 6000 are left, 9000 * 800 ps later.
static void xoff_and_xon(void **state)
{
	(void)state;

	struct pfc_log g;
	struct lab l;

	start(&l, &g, (struct nic_rxbuf_params){10 * RATE_GBPS, 20000, 12000, 6000});
	for (unsigned i = 0; i < 10; i++) {
		frame_at(&l, PS_PER_US, 3);
		assert_int_equal(nic_rxbuf_bytes(l.nic[1], l.now), FRAME * (i + 1));
		assert_int_equal(nic_pause_tx(l.nic[1])->xoff, i < 7 ? 0 : 1 << 3);
	}
	assert_int_equal(nic_rxbuf_bytes(l.nic[1], 2 * PS_PER_US), 15000 - 1250);
	lab_run(&l, 8200000 - 1);
	assert_int_equal(g.n, 1);
	assert_int_equal(g.t[0], PS_PER_US);
	assert_int_equal(g.quanta[0], 65535);
	lab_run(&l, 100 * PS_PER_US);
	assert_int_equal(g.n, 2);
	assert_int_equal(g.t[1], PS_PER_US + 9000 * 800);
	assert_int_equal(g.quanta[1], 0);
	assert_int_equal(nic_rxbuf_bytes(l.nic[1], l.now), 0);
	assert_int_equal(nic_rxbuf_max(l.nic[1]), 15000);
	lab_end(&l);
}

// Frames that come while XOFF stands move the XON: 9000 bytes above its threshold, then 3000 more.
static void xon_moves(void **state)
{
	(void)state;

	struct pfc_log g;
	struct lab l;

	start(&l, &g, (struct nic_rxbuf_params){10 * RATE_GBPS, 20000, 12000, 6000});
	for (unsigned i = 0; i < 10; i++)
		frame_at(&l, PS_PER_US, 3);
	frame_at(&l, 3 * PS_PER_US, 3);
	frame_at(&l, 4 * PS_PER_US, 3);
	lab_run(&l, 100 * PS_PER_US);
	assert_int_equal(g.n, 2);
	assert_int_equal(g.t[1], PS_PER_US + 12000 * 800);
	lab_end(&l);
}

static void overflow(void **state)
{
	(void)state;

	struct pfc_log g;
	struct lab l;

	start(&l, &g, (struct nic_rxbuf_params){10 * RATE_GBPS, 4000, 0, 0});
	for (unsigned i = 0; i < 4; i++)
		frame_at(&l, PS_PER_US, 3);
	assert_int_equal(nic_stats(l.nic[1])->drop[NIC_DROP_RXBUF], 2);
	assert_int_equal(nic_stats(l.nic[1])->gen_rx_frames, 2);
	assert_int_equal(lab_ev(&l, 1, EV_DROP, 0)->drop.reason, NIC_DROP_RXBUF);
	assert_int_equal(lab_ev(&l, 1, EV_DROP, 0)->drop.held_bytes, 3000);
	// 500 bytes later there is room again
	frame_at(&l, PS_PER_US + 500 * 800, 3);
	assert_int_equal(nic_stats(l.nic[1])->drop[NIC_DROP_RXBUF], 2);
	assert_int_equal(nic_rxbuf_max(l.nic[1]), 4000);
	lab_run(&l, PS_PER_MS);
	assert_int_equal(g.n, 0); // no threshold, no PFC
	lab_end(&l);
}

static bool is_pause(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	unsigned *n = l->arg;

	(void)now;
	if (from && p->kind == PKT_PAUSE)
		assert_int_equal(p->u.pfc.quanta[0], (*n)++ ? 0 : 65535);
	return true;
}

// A peer that knows 802.3x only is sent PAUSE, and a storm of PFC is refused.
static void pause_instead_of_pfc(void **state)
{
	unsigned frames = 0;
	struct lab l;

	(void)state;
	lab_init(&l);
	l.hook = is_pause;
	l.arg = &frames;
	l.p[1].pause = true;
	l.p[0].pause_honour = true;
	l.p[1].rxbuf = (struct nic_rxbuf_params){10 * RATE_GBPS, 20000, 12000, 6000};
	lab_start(&l);
	for (unsigned i = 0; i < 10; i++)
		frame_at(&l, PS_PER_US, 3);
	lab_run(&l, 3 * PS_PER_US);
	assert_int_equal(frames, 1);
	assert_true(lab_ev(&l, 1, EV_XOFF_TX, 0)->pfc_tx.whole_link);
	assert_int_equal(nic_pause_rx(l.nic[0])->paused, 0xff);
	lab_run(&l, 100 * PS_PER_US);
	assert_int_equal(frames, 2);
	assert_true(lab_ev(&l, 1, EV_XON_TX, 0)->pfc_tx.whole_link);
	assert_int_equal(nic_stats(l.nic[1])->pause_tx_frames, 2);
	assert_int_equal(nic_stats(l.nic[0])->pause_rx_frames, 2);
	assert_int_equal(nic_pause_tx(l.nic[1])->stats[3].xoff_frames, 0);
	assert_true(
		nic_ctl(l.nic[1],
			&(struct ctl){.type = CTL_PFC_STORM, .cls = 3, .quanta = 9, .a = PS_PER_MS},
			l.now) < 0);
	lab_end(&l);
}

// Only lossless classes are paused; each that arrives above the threshold is.
static void classes(void **state)
{
	(void)state;

	struct pfc_log g;
	struct lab l;

	start(&l, &g, (struct nic_rxbuf_params){10 * RATE_GBPS, 20000, 3000, 1000});
	for (unsigned i = 0; i < 4; i++)
		frame_at(&l, PS_PER_US, 1);
	assert_int_equal(nic_pause_tx(l.nic[1])->xoff, 0);
	frame_at(&l, PS_PER_US, 3);
	assert_int_equal(nic_pause_tx(l.nic[1])->xoff, 1 << 3);
	lab_run(&l, 100 * PS_PER_US);
	assert_int_equal(g.n, 2);
	lab_end(&l);
}

// A frame that came as bytes: PCP of its tag, else the upper bits of its DSCP.
static void classes_of_bytes(void **state)
{
	(void)state;

	struct pfc_log g;
	struct lab l;
	struct pkt p = {.kind = PKT_GEN, .len = FRAME - 4, .flags = PKT_F_FOREIGN, .cls = 3};

	start(&l, &g, (struct nic_rxbuf_params){10 * RATE_GBPS, 20000, 3000, 1000});
	p.tos = 18 << 2; // DSCP 18: class selector 2
	for (unsigned i = 0; i < 3; i++)
		lab_rx(&l, 1, &p);
	assert_int_equal(nic_pause_tx(l.nic[1])->xoff, 0);
	p.tos = 26 << 2;
	lab_rx(&l, 1, &p);
	assert_int_equal(nic_pause_tx(l.nic[1])->xoff, 1 << 3);
	lab_run(&l, 100 * PS_PER_US);
	l.data_hdr.flags |= HDR_VLAN;
	l.data_hdr.vlan_tci = 5 << 13 | 9;
	for (unsigned i = 0; i < 3; i++)
		lab_rx(&l, 1, &p);
	assert_int_equal(nic_pause_tx(l.nic[1])->xoff, 0);
	l.data_hdr.vlan_tci = 3 << 13 | 9;
	lab_rx(&l, 1, &p);
	assert_int_equal(nic_pause_tx(l.nic[1])->xoff, 1 << 3);
	lab_end(&l);
}

// A storm and the buffer ask for XOFF of one class: XON follows when neither does, whichever ends
// last; after the storm the quanta are the port's own again.
static void storm_and_buffer(void **state)
{
	(void)state;

	for (unsigned longer = 0; longer < 2; longer++) {
		struct pfc_log g;
		struct lab l;
		struct ctl storm = {.type = CTL_PFC_STORM,
			.cls = 3,
			.quanta = 9000, // refreshed after 23 us
			.a = (longer ? 20 : 5) * PS_PER_US};

		start(&l, &g, (struct nic_rxbuf_params){10 * RATE_GBPS, 20000, 12000, 6000});
		assert_int_equal(lab_ctl(&l, 1, storm), 0);
		for (unsigned i = 0; i < 10; i++)
			frame_at(&l, PS_PER_US, 3); // XON of the buffer would be at 8.2 us
		lab_run(&l, 100 * PS_PER_US);
		assert_int_equal(g.n, 2);
		assert_int_equal(g.t[0], 0);
		assert_int_equal(g.quanta[0], 9000);
		assert_int_equal(g.t[1], longer ? 20 * PS_PER_US : 8200 * PS_PER_NS);
		assert_int_equal(g.quanta[1], 0);
		for (unsigned i = 0; i < 10; i++)
			frame_at(&l, 100 * PS_PER_US, 3);
		lab_run(&l, 200 * PS_PER_US);
		assert_int_equal(g.n, 4);
		assert_int_equal(g.quanta[2], 65535);
		lab_end(&l);
	}
}

static void bad_params(void **state)
{
	(void)state;

	static const struct nic_rxbuf_params bad[] = {
		{RATE_GBPS, 0, 0, 0},
		{RATE_GBPS, 1000, 1001, 0},
		{RATE_GBPS, 1000, 500, 500},
		{1, 1000, 500, 0},
		{RATE_GBPS, 1ull << 32, 0, 0},
	};
	struct nic *nic;

	for (unsigned i = 0; i < 5; i++) {
		struct nic_params p = lab_nic_params(0);

		p.rxbuf = bad[i];
		assert_int_equal(nic_init(&nic, &p, NULL, NULL), -EINVAL);
	}
}

// A receiver that drains 40 of 100 Gb/s: no drop, it takes what it drains, pauses as long as they
// must be.
static void slow_receiver(void **state)
{
	(void)state;

	struct pfc_log g;
	struct lab l;

	start(&l, &g, (struct nic_rxbuf_params){40 * RATE_GBPS, 200000, 100000, 95000});

	struct nic_qp_params p = lab_req(&l, 1);

	lab_add(&l, &p);
	lab_run(&l, 2 * PS_PER_MS);

	uint64_t wire = nic_qp_stats(l.nic[1], 0)->wire_bytes_rx;

	assert_int_equal(nic_stats(l.nic[1])->drop[NIC_DROP_RXBUF], 0);
	assert_in_range(wire, 10000000 * 99 / 100, 10000000 * 102 / 100);
	assert_true(g.n > 20);
	for (unsigned i = 0; i < g.n; i++)
		assert_int_equal(!g.quanta[i], i % 2);

	// From XOFF until the peer's last frame is in, tau: two delays and the PFC frame; at most
	// an ACK and a data frame in the way of it and the frame after it. The buffer gains 60 of
	// 100 Gb/s for tau and then drains: tau + (XOFF - XON + 0.6 tau / 80 ps) * 200 ps = 2.5 tau
	// + 1 us.
	tstamp least = 2 * l.delay + 84 * 80, most = least + (86 + 2 * 1122) * 80;

	assert_in_range(nic_rxbuf_max(l.nic[1]), 100000 + least / 80 * 6 / 10,
		100000 + most / 80 * 6 / 10 + 1122);
	for (unsigned i = 2; i + 1 < g.n; i += 2)
		assert_in_range(g.t[i + 1] - g.t[i], PS_PER_US + least * 5 / 2,
			PS_PER_US + most * 5 / 2 + 1122 * 200);
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_trusted_field_gives_the_class),
		cmocka_unit_test(xoff_and_xon),
		cmocka_unit_test(xon_moves),
		cmocka_unit_test(overflow),
		cmocka_unit_test(pause_instead_of_pfc),
		cmocka_unit_test(classes),
		cmocka_unit_test(classes_of_bytes),
		cmocka_unit_test(storm_and_buffer),
		cmocka_unit_test(bad_params),
		cmocka_unit_test(slow_receiver),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
