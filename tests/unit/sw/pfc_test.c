// SPDX-License-Identifier: BSD-3-Clause
// Tests of PFC at the switch: frames sent and refreshed, pauses obeyed, MAC control consumed,
// storms.
#include "sw_box.h"

#define T       PS_PER_MS
#define FULL_PS (65535ull * 5120) // the longest pause at 100 Gb/s: 335.539 us (standards.md 2.2)

static struct pkt *expect_pfc(
	struct box *b, unsigned port, unsigned enable, unsigned quanta, tstamp t)
{
	struct pkt *p = box_tx(b, port, t);

	assert_non_null(p);
	assert_int_equal(p->kind, PKT_PFC);
	assert_int_equal(p->u.pfc.enable, enable);
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		assert_int_equal(p->u.pfc.quanta[c], enable >> c & 1 ? quanta : 0);
	return p;
}

static void fill(struct box *b, unsigned n, tstamp now)
{
	for (unsigned i = 0; i < n; i++)
		box_send(b, 0, 1, 3, 1496, now); // 1500 counted
}

// XOFF when the 14th frame of 1500 reaches 20 KB, XON at 16 KB and below: after the fourth has
// left.
static void xoff_and_xon_frames(void **state)
{
	struct box *b = box_new();
	const struct ev *e;
	struct pkt *p;
	tstamp t;

	(void)state;
	box_start(b);
	box_learn(b);
	fill(b, 13, T);
	assert_null(box_tx(b, 0, T));
	fill(b, 1, T);
	assert_true(sw_deadline(b->sw, 0) <= T);
	p = expect_pfc(b, 0, 1 << 3, 65535, T);
	assert_int_equal(p->len, 60);
	assert_int_equal(p->hdr->id, HDR_ID_NODE);
	assert_int_equal(p->hdr->ethertype, 0x8808);
	assert_int_equal(p->hdr->flags, 0);
	assert_memory_equal(p->hdr->dst, ((uint8_t[]){0x01, 0x80, 0xc2, 0, 0, 1}), 6);
	assert_memory_equal(p->hdr->src, b->port[0].mac, 6);
	assert_int_equal(p->born, T);
	assert_int_equal(p->in_port, PKT_NO_PORT);
	assert_int_equal(p->flags | p->tos | p->data_off | p->l3_off, 0);
	assert_null(p->next);
	box_put(b, p);
	for (unsigned i = 0; i < 4; i++) {
		assert_true(sw_deadline(b->sw, 0) > T + PS_PER_US); // the refresh
		t = T + i * 1520 * 80;
		box_put(b, box_tx(b, 1, t));
	}
	box_put(b, expect_pfc(b, 0, 1 << 3, 0, t));
	assert_true(sw_deadline(b->sw, 0) == TSTAMP_NEVER);
	e = box_event(b, EV_XOFF_TX);
	assert_non_null(e);
	assert_int_equal(e->t, T);
	assert_int_equal(e->port, 0);
	assert_int_equal(e->pfc_tx.enable, 1 << 3);
	assert_int_equal(e->pfc_tx.quanta, 65535);
	e = box_event(b, EV_XON_TX);
	assert_non_null(e);
	assert_int_equal(e->t, t);
	assert_int_equal(e->pfc_tx.enable, 1 << 3);
	assert_int_equal(sw_port_stats(b->sw, 0).originated_frames, 2);
	assert_int_equal(sw_class_stats(b->sw, 0, 3).tx_frames, 0);
	box_drain(b, 1, 2 * T);
	box_free(b);
}

// Two classes in one frame, each with its own pause time: each is told with its own.
static void each_pause_time_is_told(void **state)
{
	struct box *b = box_new();
	const struct ev *e;

	(void)state;
	b->set->cls[4] = b->set->cls[3];
	b->set->cls[4].quanta = 100;
	b->port[0].pg[4] = b->port[0].pg[3];
	box_start(b);
	box_learn(b);
	fill(b, 14, T);
	for (unsigned i = 0; i < 14; i++)
		box_send(b, 0, 1, 4, 1496, T);
	box_put(b, box_tx(b, 0, T));
	e = box_event(b, EV_XOFF_TX);
	assert_non_null(e);
	assert_int_equal(e->pfc_tx.enable, 1 << 3);
	assert_int_equal(e->pfc_tx.quanta, 65535);
	e = box_event(b, EV_XOFF_TX);
	assert_non_null(e);
	assert_int_equal(e->pfc_tx.enable, 1 << 4);
	assert_int_equal(e->pfc_tx.quanta, 100);
	assert_int_equal(sw_port_stats(b->sw, 0).originated_frames, 1);
	box_drain(b, 1, 2 * T);
	box_free(b);
}

// A driver that may ask for nothing else asks at this instant: for XOFF, its refresh and XON, and
// once the wire is free.
static void urgent_is_when_a_pfc_frame_comes_first(void **state)
{
	struct box *b = box_new();
	struct pkt *p;

	(void)state;
	box_start(b);
	box_learn(b);
	box_send(b, 2, 0, 7, 1000, T);
	box_send(b, 2, 0, 7, 1000, T);
	assert_true(sw_urgent(b->sw, 0) == TSTAMP_NEVER);
	box_put(b, box_tx(b, 0, T)); // busy for 81.92 ns
	box_rx(b, 1, box_pfc(b, 1 << 3, 65535), T);
	fill(b, 14, T);
	assert_true(sw_urgent(b->sw, 0) == T + 81920);
	assert_int_equal(sw_tx(b->sw, 0, &p, 1, T + 81920), 1);
	assert_int_equal(p->kind, PKT_PFC);
	box_put(b, p);
	assert_true(sw_urgent(b->sw, 0) == T + 81920 + FULL_PS / 2);
	sw_ctl(b->sw, &(struct ctl){.type = CTL_LINK_DOWN, .port = 0}, T + PS_PER_US);
	assert_true(sw_urgent(b->sw, 0) == TSTAMP_NEVER);
	box_drain(b, 1, 4 * T);
	box_free(b);
}

static void xoff_is_refreshed_at_half_its_time(void **state)
{
	struct box *b = box_new();

	(void)state;
	box_start(b);
	box_learn(b);
	box_rx(b, 1, box_pfc(b, 1 << 3, 65535), T); // what is for port 1 stays
	fill(b, 14, T);
	box_put(b, expect_pfc(b, 0, 1 << 3, 65535, T));
	for (unsigned i = 1; i < 5; i++) {
		tstamp t = T + i * (FULL_PS / 2);

		assert_true(sw_deadline(b->sw, 0) == t);
		box_rx(b, 1, box_pfc(b, 1 << 3, 65535), t);
		assert_null(box_tx(b, 0, t - 1));
		box_put(b, expect_pfc(b, 0, 1 << 3, 65535, t));
	}
	assert_int_equal(sw_pause_tx(b->sw, 0)->stats[3].refresh_frames, 4);
	box_drain(b, 1, 4 * T);
	box_drain(b, 0, 4 * T);
	box_free(b);
}

// The frame that the wire is busy with is finished; the control frame is next, before any data.
static void pfc_waits_for_the_wire_only(void **state)
{
	struct box *b = box_new();

	(void)state;
	box_start(b);
	box_learn(b);
	box_send(b, 2, 0, 7, 1000, T);
	box_send(b, 2, 0, 7, 1000, T);
	box_rx(b, 0, box_pfc(b, 0xff, 65535), T);
	box_put(b, box_tx(b, 0, T));
	fill(b, 14, T);
	assert_true(sw_deadline(b->sw, 0) == T + 81920);
	box_put(b, expect_pfc(b, 0, 1 << 3, 65535, T + 81920));
	assert_true(sw_deadline(b->sw, 0) == T + 81920 + 84 * 80);
	box_drain(b, 0, T + 2 * PS_PER_US);
	box_drain(b, 1, 2 * T);
	box_drain(b, 0, 2 * T);
	box_free(b);
}

// XOFF and XON before the wire was free: the peer hears nothing.
static void overtaken_xoff_is_not_sent(void **state)
{
	struct box *b = box_new();

	(void)state;
	box_start(b);
	box_learn(b);
	box_send(b, 2, 0, 1, 1500, T);
	box_put(b, box_tx(b, 0, T)); // busy for 122 ns
	fill(b, 14, T);
	assert_true(sw_deadline(b->sw, 0) == T + 1524 * 80);
	sw_ctl(b->sw, &(struct ctl){.type = CTL_LINK_DOWN, .port = 1}, T + 1);
	assert_true(sw_deadline(b->sw, 0) == TSTAMP_NEVER);
	assert_int_equal(sw_port_stats(b->sw, 0).originated_frames, 0);
	box_free(b);
}

static void without_a_descriptor_xoff_is_tried_again(void **state)
{
	struct box *b = box_new();
	uint32_t n;
	tstamp t;

	(void)state;
	box_start(b);
	box_learn(b);
	fill(b, 14, T);
	n = b->stack.n;
	b->stack.n = 0;
	assert_null(box_tx(b, 0, T));
	t = sw_deadline(b->sw, 0);
	assert_true(t == T + 84 * 80);
	assert_int_equal(sw_port_stats(b->sw, 0).pfc_no_desc, 1);
	b->stack.n = n;
	box_put(b, expect_pfc(b, 0, 1 << 3, 65535, t));
	box_drain(b, 1, 2 * T);
	box_drain(b, 0, 2 * T);
	box_free(b);
}

// Only classes with pfc obey; a new frame overwrites the timer; time 0 resumes.
static void pause_is_obeyed_to_the_picosecond(void **state)
{
	struct box *b = box_new();
	const struct ev *e;

	(void)state;
	box_start(b);
	box_learn(b);
	box_rx(b, 1, box_pfc(b, 0xff, 65535), T);
	box_rx(b, 1, box_pfc(b, 1 << 3, 100), T + 1000); // shorter: overwritten, not the maximum
	box_send(b, 0, 1, 3, 1000, T + 1000);
	box_send(b, 0, 1, 2, 1000, T + 1000); // its class has no pfc
	assert_int_equal(box_drain(b, 1, T + 1000 + 100 * 5120 - 1), 1);
	assert_true(sw_deadline(b->sw, 1) == T + 1000 + 100 * 5120);
	box_put(b, box_tx(b, 1, T + 1000 + 100 * 5120));
	e = box_event(b, EV_PAUSE_RX);
	assert_int_equal(e->cls, 3);
	assert_int_equal(e->port, 1);
	assert_int_equal(e->pause.quanta, 65535);
	e = box_event(b, EV_RESUME_RX);
	assert_int_equal(e->cls, 3);
	assert_int_equal(e->pause.by, EV_RESUME_EXPIRED);
	assert_int_equal(e->t, T + 1000 + 100 * 5120);

	box_rx(b, 1, box_pfc(b, 1 << 3, 65535), 2 * T);
	box_send(b, 0, 1, 3, 1000, 2 * T);
	assert_true(sw_deadline(b->sw, 1) == 2 * T + FULL_PS);
	*sw_touched(b->sw) = (struct node_touched){0};
	box_rx(b, 1, box_pfc(b, 1 << 3, 0), 2 * T + 7);
	assert_int_equal(sw_touched(b->sw)->word[0], 1 << 1);
	box_put(b, box_tx(b, 1, 2 * T + 7));
	e = box_event(b, EV_RESUME_RX);
	assert_int_equal(e->pause.by, EV_RESUME_XON);
	assert_int_equal(sw_eport(b->sw, 1)->lost_ps, 0);
	assert_int_equal(sw_port_stats(b->sw, 1).consumed_frames, 4);
	assert_int_equal(sw_pause_rx(b->sw, 1)->stats[2].xoff_frames, 1); // counted, not obeyed
	assert_int_equal(sw_class_stats(b->sw, 1, 3).rx_frames, 0);
	box_free(b);
}

// A slow switch: each frame takes effect 50 quanta after it came.
static void a_slow_switch_stops_late(void **state)
{
	struct box *b = box_new();
	const tstamp late = 50 * 5120;
	const struct ev *e;

	(void)state;
	b->port[1].pfc_response = 50;
	box_start(b);
	box_learn(b);
	box_rx(b, 1, box_pfc(b, 1 << 3, 100), T);
	assert_true(sw_deadline(b->sw, 1) == T + late);
	box_send(b, 0, 1, 3, 1000, T);
	assert_int_equal(box_drain(b, 1, T + late - 1), 1); // it goes on
	box_send(b, 0, 1, 3, 1000, T + late);
	assert_null(box_tx(b, 1, T + late));
	assert_int_equal(box_drain(b, 1, T + late + 100 * 5120 - 1), 0);
	box_put(b, box_tx(b, 1, T + late + 100 * 5120));
	e = box_event(b, EV_PAUSE_RX);
	assert_true(e->t == T + late);
	e = box_event(b, EV_RESUME_RX);
	assert_int_equal(e->pause.by, EV_RESUME_EXPIRED);
	assert_true(e->t == T + late + 100 * 5120);
	// The link down forgets what was on its way.
	box_rx(b, 1, box_pfc(b, 1 << 3, 65535), 2 * T);
	sw_ctl(b->sw, &(struct ctl){.type = CTL_LINK_DOWN, .port = 1}, 2 * T + 1);
	sw_ctl(b->sw, &(struct ctl){.type = CTL_LINK_UP, .port = 1}, 2 * T + 2);
	box_drain(b, 1, 3 * T);
	assert_int_equal(sw_pause_rx(b->sw, 1)->paused, 0);
	// More on their way than are kept: each is counted as it comes.
	for (unsigned i = 0; i < 100; i++)
		box_rx(b, 1, box_pfc(b, 1 << 3, 100), 3 * T);
	assert_int_equal(sw_pause_rx(b->sw, 1)->stats[3].xoff_frames, 2 + 100);
	box_free(b);
}

// A loop sees a frame 3 us after its arrival. The response counts from the arrival, and the time
// that the loop adds to it is counted.
static void a_late_loop_is_counted(void **state)
{
	static const unsigned quanta[] = {0, 50, 1000};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct box *b = box_new();
		const tstamp came = T - 3 * PS_PER_US, due = came + quanta[i] * 5120;
		const struct pause_rx *rx;
		struct pkt *p;

		b->port[1].pfc_response = (uint16_t)quanta[i];
		box_start(b);
		box_learn(b);
		p = box_pfc(b, 1 << 3, 65535);
		p->when = came;
		sw_rx(b->sw, 1, &p, 1, T);
		assert_null(box_tx(b, 1, tstamp_max(T, due)));
		rx = sw_pause_rx(b->sw, 1);
		assert_int_equal(rx->paused, 1 << 3);
		assert_int_equal(rx->effects, 1);
		assert_int_equal(rx->late_ps, tstamp_since(T, due));
		assert_int_equal(rx->late_max_ps, rx->late_ps);
		box_free(b);
	}
}

// A driver asks which queues are paused at this instant, whenever the port itself was asked last. A
// queue that a shaper holds is not paused.
static void a_look_at_pauses_changes_nothing(void **state)
{
	const tstamp end = T + 100 * 5120;
	struct box *b = box_new();

	(void)state;
	b->port[1].max_rate[5] = RATE_GBPS;
	b->port[1].shaper_burst = 2500;
	box_start(b);
	box_learn(b);
	assert_int_equal(sw_pauses(b->sw, 1, T), 0);
	for (unsigned i = 0; i < 10; i++)
		box_send(b, 0, 1, 5, 1000, T);
	box_put(b, box_tx(b, 1, T));
	assert_in_range(box_drain(b, 1, T + PS_PER_US), 1, 8); // then the shaper holds it
	box_rx(b, 1, box_pfc(b, 1 << 3, 100), T);
	assert_int_equal(sw_pauses(b->sw, 1, T), 1 << 3);
	assert_int_equal(sw_pauses(b->sw, 0, T), 0);
	assert_int_equal(sw_pauses(b->sw, 1, end - 1), 1 << 3);
	assert_int_equal(sw_pauses(b->sw, 1, end), 0);
	assert_int_equal(sw_pause_rx(b->sw, 1)->paused, 1 << 3); // as of the last call
	box_drain(b, 1, 2 * T);
	box_free(b);
}

// A pause that begins while the wire is busy and ends after it is free: that time is not lost but
// paused.
static void paused_time_is_not_lost(void **state)
{
	(void)state;
	for (unsigned xon = 0; xon < 2; xon++) {
		struct box *b = box_new();

		box_start(b);
		box_learn(b);
		box_send(b, 0, 1, 3, 1000, T);
		box_send(b, 0, 1, 3, 1000, T);
		box_put(b, box_tx(b, 1, T));
		box_rx(b, 1, box_pfc(b, 1 << 3, 100), T + 10);
		if (xon)
			box_rx(b, 1, box_pfc(b, 1 << 3, 0), T + 200000);
		assert_int_equal(box_drain(b, 1, 2 * T), 1);
		assert_int_equal(sw_eport(b->sw, 1)->lost_ps, 0);
		box_free(b);
	}
}

// Its source is the zero address, and port 1's other end has another one. Other MAC control stops
// nobody.
static void strangers_are_counted(void **state)
{
	struct box *b = box_new();
	struct pkt *p;

	(void)state;
	b->port[1].far_mac[0] = 2;
	box_start(b);
	for (unsigned port = 1; port < 3; port++) {
		for (unsigned kind = PKT_PFC; kind <= PKT_MACCTL; kind++) {
			p = box_pfc(b, 0xff, 9);
			p->kind = (uint8_t)kind;
			box_rx(b, port, p, T);
		}
		assert_int_equal(sw_port_stats(b->sw, port).knows_far, port == 1);
		assert_int_equal(sw_port_stats(b->sw, port).consumed_frames, 3);
		assert_int_equal(
			sw_port_stats(b->sw, port).pause_stranger_frames, port == 1 ? 2 : 0);
	}
	box_free(b);
}

// Port 1 has PFC for class 3, port 2 for class 4; each obeys its own and counts the other's frames.
static void pfc_is_enabled_for_each_port_and_class(void **state)
{
	struct box *b = box_new();

	(void)state;
	b->set[1] = b->set[0];
	b->set[1].cls[3].pfc = false;
	b->set[1].cls[4].pfc = true;
	b->set[1].cls[4].quanta = 100;
	b->params.n_sets = 2;
	b->port[2].set = 1;
	box_start(b);
	box_learn(b);
	box_rx(b, 1, box_pfc(b, 1 << 3, 9), T);
	box_rx(b, 2, box_pfc(b, 1 << 3, 9), T);
	assert_int_equal(sw_pauses(b->sw, 1, T), 1 << 3);
	assert_int_equal(sw_pauses(b->sw, 2, T), 0);
	assert_int_equal(sw_port_stats(b->sw, 1).pfc_disabled_frames, 0);
	assert_int_equal(sw_port_stats(b->sw, 2).pfc_disabled_frames, 1);
	box_rx(b, 1, box_pfc(b, 3 << 3, 9), T);
	box_rx(b, 2, box_pfc(b, 3 << 3, 9), T);
	assert_int_equal(sw_pauses(b->sw, 1, T), 1 << 3);
	assert_int_equal(sw_pauses(b->sw, 2, T), 1 << 4);
	assert_int_equal(sw_port_stats(b->sw, 1).pfc_disabled_frames, 1);
	assert_int_equal(sw_port_stats(b->sw, 2).pfc_disabled_frames, 2);
	box_free(b);
}

static void other_mac_control_is_consumed(void **state)
{
	struct box *b = box_new();
	struct pkt *p;

	(void)state;
	b->port[2].pause_honour = true;
	box_start(b);
	box_learn(b);
	box_rx(b, 1, box_pfc(b, 0, 0), T);
	p = box_pfc(b, 0xff, 9);
	p->kind = PKT_MACCTL;
	box_rx(b, 1, p, T);
	p = box_pfc(b, 0xff, 9);
	p->kind = PKT_PAUSE;
	box_rx(b, 1, p, T);
	assert_int_equal(sw_port_stats(b->sw, 1).pfc_invalid_frames, 2);
	assert_int_equal(sw_port_stats(b->sw, 1).pause_rx_frames, 1);
	assert_int_equal(sw_port_stats(b->sw, 1).consumed_frames, 3);
	assert_int_equal(sw_pause_rx(b->sw, 1)->paused, 0);
	assert_int_equal(b->stack.n, BOX_PKTS);

	p = box_pfc(b, 1, 100);
	p->kind = PKT_PAUSE;
	p->u.pfc.enable = 0; // 802.3x has no vector
	box_rx(b, 2, p, T);
	assert_int_equal(sw_pause_rx(b->sw, 2)->paused, 0xff);
	assert_int_equal(sw_pause_rx(b->sw, 2)->stats[3].xoff_frames, 0); // no PFC
	box_rx(b, 2, box_pfc(b, 1 << 1, 65535), T); // PFC stays for classes with pfc
	assert_int_equal(sw_pause_rx(b->sw, 2)->stats[1].xoff_frames, 1);
	for (unsigned c = 0; c < 8; c++)
		box_send(b, 0, 2, c, 100, T);
	assert_true(sw_deadline(b->sw, 2) == T + 100 * 5120);
	assert_int_equal(box_drain(b, 2, T + 100 * 5120 + PS_PER_US), 8);
	box_free(b);
}

// Class 1 is lossy: PFC stops it at the asymmetric port only, with PAUSE honoured there or not.
static void asymmetric_pfc_stops_lossy_classes(void **state)
{
	(void)state;
	for (unsigned honour = 0; honour < 2; honour++) {
		struct box *b = box_new();

		b->port[1].pfc_asym = true;
		b->port[1].pause_honour = honour;
		box_start(b);
		box_learn(b);
		for (unsigned port = 1; port <= 2; port++) {
			box_rx(b, port, box_pfc(b, 1 << 1 | 1 << 3, 100), T);
			assert_int_equal(sw_pause_rx(b->sw, port)->stats[1].xoff_frames, 1);
			box_send(b, 0, port, 1, 100, T);
		}
		assert_int_equal(sw_pause_rx(b->sw, 1)->paused, 1 << 1 | 1 << 3);
		assert_int_equal(sw_pause_rx(b->sw, 2)->paused, 1 << 3);
		assert_true(sw_deadline(b->sw, 1) == T + 100 * 5120);
		assert_int_equal(box_drain(b, 2, T), 1);
		assert_int_equal(box_drain(b, 1, T + 100 * 5120), 1);
		box_free(b);
	}
}

static void hpcc_sim_pause_lasts_until_xon(void **state)
{
	struct box *b = box_new();

	(void)state;
	b->params.pause_no_expiry = true;
	box_start(b);
	box_learn(b);
	box_rx(b, 1, box_pfc(b, 1 << 3, 1), T);
	box_send(b, 0, 1, 3, 1000, T);
	assert_true(sw_deadline(b->sw, 1) == TSTAMP_NEVER);
	box_rx(b, 1, box_pfc(b, 1 << 3, 0), 1000 * T);
	box_put(b, box_tx(b, 1, 1000 * T));
	box_free(b);
}

// A storm in a class without PFC: XOFF at once and refreshed at half, XON at its end.
static void storm_sends_xoff_until_its_end(void **state)
{
	struct ctl ctl = {
		.type = CTL_PFC_STORM, .port = 2, .cls = 5, .quanta = 1000, .a = T + 6000000};
	struct box *b = box_new();
	tstamp half = 500 * 5120;

	(void)state;
	box_start(b);
	box_learn(b);
	*sw_touched(b->sw) = (struct node_touched){0};
	assert_int_equal(sw_ctl(b->sw, &ctl, T), 0);
	assert_int_equal(sw_touched(b->sw)->word[0], 1 << 2);
	box_put(b, expect_pfc(b, 2, 1 << 5, 1000, T));
	for (unsigned i = 1; i < 3; i++) {
		assert_true(sw_deadline(b->sw, 2) == T + i * half);
		box_put(b, expect_pfc(b, 2, 1 << 5, 1000, T + i * half));
	}
	assert_true(sw_deadline(b->sw, 2) == ctl.a);
	box_put(b, expect_pfc(b, 2, 1 << 5, 0, ctl.a));
	assert_true(sw_deadline(b->sw, 2) == TSTAMP_NEVER);
	box_free(b);
}

// The buffer's XON is held back while a storm runs, its XOFF outlives it, each with its own quanta.
static void storm_and_buffer_agree(void **state)
{
	struct ctl ctl = {
		.type = CTL_PFC_STORM, .port = 0, .cls = 3, .quanta = 77, .a = T + 3000000};
	struct box *b = box_new();

	(void)state;
	b->set->cls[3].refresh_permille = 0;
	box_start(b);
	box_learn(b);
	fill(b, 14, T);
	box_put(b, expect_pfc(b, 0, 1 << 3, 65535, T));
	sw_ctl(b->sw, &ctl, T + 1000000);
	box_put(b, expect_pfc(b, 0, 1 << 3, 77, T + 1000000));
	assert_int_equal(box_drain(b, 1, T + 2000000), 14); // the buffer is empty
	while (sw_deadline(b->sw, 0) < ctl.a)
		box_put(b, expect_pfc(b, 0, 1 << 3, 77, sw_deadline(b->sw, 0)));
	box_put(b, expect_pfc(b, 0, 1 << 3, 0, ctl.a));

	ctl.a = 3 * T;
	sw_ctl(b->sw, &ctl, 2 * T);
	box_put(b, expect_pfc(b, 0, 1 << 3, 77, 2 * T));
	fill(b, 14, 2 * T);
	while (sw_deadline(b->sw, 0) < ctl.a)
		box_put(b, expect_pfc(b, 0, 1 << 3, 77, sw_deadline(b->sw, 0)));
	assert_null(box_tx(b, 0, ctl.a)); // still in XOFF
	assert_int_equal(box_drain(b, 1, 4 * T), 14);
	box_put(b, expect_pfc(b, 0, 1 << 3, 0, 4 * T));
	box_free(b);
}

// A link that comes back: the peer's pauses are void, and ours is told anew.
static void link_flap_renews_both_sides(void **state)
{
	struct box *b = box_new();
	const struct ev *e;

	(void)state;
	b->params.pause_no_expiry = true;
	box_start(b);
	box_learn(b);
	fill(b, 14, T);
	box_put(b, expect_pfc(b, 0, 1 << 3, 65535, T));
	box_rx(b, 0, box_pfc(b, 1 << 3, 65535), T);
	sw_ctl(b->sw, &(struct ctl){.type = CTL_LINK_DOWN, .port = 0}, T + PS_PER_US);
	e = box_event(b, EV_RESUME_RX);
	assert_non_null(e);
	assert_int_equal(e->t, T + PS_PER_US);
	assert_int_equal(sw_pause_rx(b->sw, 0)->paused, 0);
	assert_true(sw_deadline(b->sw, 0) == TSTAMP_NEVER);
	sw_ctl(b->sw, &(struct ctl){.type = CTL_LINK_DOWN, .port = 0}, T + PS_PER_US);
	sw_ctl(b->sw, &(struct ctl){.type = CTL_LINK_UP, .port = 0}, T + 2 * PS_PER_US);
	box_put(b, expect_pfc(b, 0, 1 << 3, 65535, T + 2 * PS_PER_US));
	box_drain(b, 1, 2 * T);
	box_put(b, expect_pfc(b, 0, 1 << 3, 0, 2 * T));
	box_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xoff_and_xon_frames),
		cmocka_unit_test(each_pause_time_is_told),
		cmocka_unit_test(urgent_is_when_a_pfc_frame_comes_first),
		cmocka_unit_test(xoff_is_refreshed_at_half_its_time),
		cmocka_unit_test(pfc_waits_for_the_wire_only),
		cmocka_unit_test(overtaken_xoff_is_not_sent),
		cmocka_unit_test(without_a_descriptor_xoff_is_tried_again),
		cmocka_unit_test(pause_is_obeyed_to_the_picosecond),
		cmocka_unit_test(a_slow_switch_stops_late),
		cmocka_unit_test(a_late_loop_is_counted),
		cmocka_unit_test(a_look_at_pauses_changes_nothing),
		cmocka_unit_test(paused_time_is_not_lost),
		cmocka_unit_test(strangers_are_counted),
		cmocka_unit_test(pfc_is_enabled_for_each_port_and_class),
		cmocka_unit_test(other_mac_control_is_consumed),
		cmocka_unit_test(asymmetric_pfc_stops_lossy_classes),
		cmocka_unit_test(hpcc_sim_pause_lasts_until_xon),
		cmocka_unit_test(storm_sends_xoff_until_its_end),
		cmocka_unit_test(storm_and_buffer_agree),
		cmocka_unit_test(link_flap_renews_both_sides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
