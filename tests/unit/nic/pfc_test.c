// SPDX-License-Identifier: BSD-3-Clause
// Tests of the NIC's slow reaction to PFC, and of the MAC control frames that it sends to order.
#include "nic_lab.h"

#include "wire/eth.h"
#include "wire/pfc.h"

#define Q100G 5120 // ps

static void pfc(struct lab *l, unsigned to, unsigned cls, uint16_t quanta)
{
	struct pkt p = {.kind = PKT_PFC, .len = 60, .u.pfc.enable = (uint8_t)(1 << cls)};

	p.u.pfc.quanta[cls] = quanta;
	lab_rx(l, to, &p);
}

// 394 quanta behind: XOFF and XON take effect 2.017 us after they came, and frames go on until
// then.
static void a_slow_peer_stops_late(void **state)
{
	const tstamp late = 394 * Q100G;

	(void)state;

	struct lab l;

	lab_init(&l);
	l.p[0].pfc_response = 394;
	lab_start(&l);

	struct nic_qp_params p = lab_req(&l, 1);

	lab_add(&l, &p);
	lab_run(&l, 10 * PS_PER_US);

	uint64_t sent = nic_stats(l.nic[0])->tx_frames;

	pfc(&l, 0, 3, 2000);
	assert_int_equal(lab_evs(&l, 0, EV_PAUSE_RX), 0);
	assert_int_equal(nic_pause_rx(l.nic[0])->paused, 0);
	lab_run(&l, 10 * PS_PER_US + late - 1);
	assert_int_equal(nic_pause_rx(l.nic[0])->paused, 0);
	lab_run(&l, 12500 * PS_PER_NS);
	assert_int_equal(lab_ev(&l, 0, EV_PAUSE_RX, 0)->t, 10 * PS_PER_US + late);
	assert_int_equal(lab_ev(&l, 0, EV_PAUSE_RX, 0)->pause.quanta, 2000);
	// 2.017 us at 88.48 ns a frame.
	assert_in_range(nic_stats(l.nic[0])->tx_frames - sent, 22, 23);
	sent = nic_stats(l.nic[0])->tx_frames;
	pfc(&l, 0, 3, 0);
	lab_run(&l, 12500 * PS_PER_NS + late - 1);
	assert_int_equal(nic_stats(l.nic[0])->tx_frames, sent);
	lab_run(&l, 12500 * PS_PER_NS + late);
	assert_int_equal(nic_stats(l.nic[0])->tx_frames, sent + 1);
	assert_int_equal(lab_ev(&l, 0, EV_RESUME_RX, 0)->pause.by, EV_RESUME_XON);
	lab_end(&l);
}

// A loop sees a frame 5 us after its arrival. The response counts from the arrival, and the time
// that the loop adds to it is counted.
static void a_late_loop_is_counted(void **state)
{
	static const unsigned quanta[] = {0, 394, 1500};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct pkt p = {.kind = PKT_PFC, .len = 60, .u.pfc.enable = 1 << 3};
		const tstamp due = 5 * PS_PER_US + quanta[i] * Q100G, seen = 10 * PS_PER_US;
		const struct pause_rx *rx;
		struct lab l;

		lab_init(&l);
		l.p[0].pfc_response = (uint16_t)quanta[i];
		lab_start(&l);
		lab_run(&l, seen);
		p.when = 5 * PS_PER_US;
		p.u.pfc.quanta[3] = 2000;
		lab_rx(&l, 0, &p);
		lab_run(&l, 14 * PS_PER_US);
		rx = nic_pause_rx(l.nic[0]);
		assert_int_equal(rx->paused, 1 << 3);
		assert_int_equal(rx->effects, 1);
		assert_int_equal(rx->late_ps, tstamp_since(seen, due));
		assert_int_equal(rx->late_max_ps, rx->late_ps);
		if (quanta[i])
			assert_int_equal(lab_ev(&l, 0, EV_PAUSE_RX, 0)->t, due);
		lab_end(&l);
	}
}

// A generator that does not listen: PFC is counted, and frames go on at line rate.
static void pfc_may_be_ignored(void **state)
{
	struct lab l;
	uint64_t sent;

	(void)state;
	lab_init(&l);
	l.p[0].pfc_ignore = true;
	lab_start(&l);

	struct nic_qp_params p = lab_req(&l, 1);

	lab_add(&l, &p);
	lab_run(&l, 10 * PS_PER_US);
	sent = nic_stats(l.nic[0])->tx_frames;
	pfc(&l, 0, 3, 65535);
	assert_int_equal(nic_pause_rx(l.nic[0])->paused, 0);
	assert_int_equal(nic_pause_rx(l.nic[0])->stats[3].xoff_frames, 1);
	lab_run(&l, 20 * PS_PER_US);
	assert_in_range(nic_stats(l.nic[0])->tx_frames - sent, 112, 114);
	lab_end(&l);
}

// A host's other thread has counted the frame; this one obeys.
static void a_copy_is_obeyed_and_not_counted(void **state)
{
	struct pkt pfc = {.kind = PKT_PFC,
		.flags = PKT_F_COPY,
		.len = 60,
		.u.pfc = {.enable = 1 << 3, .quanta = {[3] = 1000}}};
	struct pkt pause = {
		.kind = PKT_PAUSE, .flags = PKT_F_COPY, .len = 60, .u.pfc.quanta = {1000}};
	struct lab l;

	(void)state;
	lab_init(&l);
	l.p[0].pause_honour = true;
	l.p[0].pfc_classes = 1 << 3;
	lab_start(&l);
	lab_rx(&l, 0, &pfc);
	assert_int_equal(nic_pause_rx(l.nic[0])->paused, 1 << 3);
	assert_int_equal(nic_pause_rx(l.nic[0])->stats[3].xoff_frames, 0);
	lab_rx(&l, 0, &pause);
	assert_int_equal(nic_pause_rx(l.nic[0])->paused, 0xff);
	assert_int_equal(nic_stats(l.nic[0])->pause_rx_frames, 0);
	assert_int_equal(nic_stats(l.nic[0])->rx_frames, 0);
	assert_int_equal(nic_stats(l.nic[0])->rx_bytes, 0);
	assert_int_equal(nic_stats(l.nic[0])->consumed_frames, 0);
	lab_end(&l);
}

// A frame that stops a NIC is obeyed whoever sends it, and counted where the link's other end does
// not have its address.
static void strangers_are_counted(void **state)
{
	static const uint8_t far[6] = {2, 1, 0, 0, 1, 1};
	struct hdr h = {.src = {2, 1, 0, 0, 1, 1}};
	struct pkt p = {.hdr = &h,
		.kind = PKT_PFC,
		.len = 60,
		.u.pfc = {.enable = 1 << 3, .quanta = {[3] = 1000}}};

	(void)state;
	for (unsigned known = 0; known < 2; known++) {
		struct lab l;

		lab_init(&l);
		if (known)
			memcpy(l.p[0].far_mac, far, sizeof(far));
		l.p[0].pfc_classes = 1 << 3;
		lab_start(&l);
		assert_int_equal(nic_stats(l.nic[0])->knows_far, known);
		h.src[5] = 1;
		lab_rx(&l, 0, &p);
		assert_int_equal(nic_stats(l.nic[0])->pause_stranger_frames, 0);
		h.src[5] = 2;
		lab_rx(&l, 0, &p);
		p.kind = PKT_PAUSE;
		lab_rx(&l, 0, &p);
		assert_int_equal(nic_stats(l.nic[0])->pause_stranger_frames, known ? 2 : 0);
		assert_int_equal(nic_pause_rx(l.nic[0])->stats[3].xoff_frames, 2);
		p.kind = PKT_PFC;
		p.flags = PKT_F_COPY; // of a frame that another thread has counted
		lab_rx(&l, 0, &p);
		assert_int_equal(nic_stats(l.nic[0])->pause_stranger_frames, known ? 2 : 0);
		p.flags = 0;
		lab_end(&l);
	}
}

// 802.3x where it is honoured: every class stops, and goes on when its time is over or is 0. PFC
// stops what it stopped before.
static void pause_stops_every_class(void **state)
{
	struct pkt pause = {.kind = PKT_PAUSE, .len = 60, .u.pfc.quanta = {1000}};
	struct lab l;
	uint64_t sent;

	(void)state;
	lab_init(&l);
	l.p[0].pause_honour = true;
	lab_start(&l);

	struct nic_qp_params p = lab_req(&l, 1);

	lab_add(&l, &p);
	lab_run(&l, 10 * PS_PER_US);
	sent = nic_stats(l.nic[0])->tx_frames;
	lab_rx(&l, 0, &pause);
	assert_int_equal(nic_pause_rx(l.nic[0])->paused, 0xff);
	assert_int_equal(nic_stats(l.nic[0])->pause_rx_frames, 1);
	assert_int_equal(nic_pauses(l.nic[0], 0, 10 * PS_PER_US + 1000 * Q100G - 1), 0xff);
	assert_int_equal(nic_pauses(l.nic[0], 0, 10 * PS_PER_US + 1000 * Q100G), 0);
	lab_run(&l, 10 * PS_PER_US + 1000 * Q100G - 1);
	assert_int_equal(nic_stats(l.nic[0])->tx_frames, sent);
	lab_run(&l, 10 * PS_PER_US + 1000 * Q100G);
	assert_int_equal(nic_stats(l.nic[0])->tx_frames, sent + 1);
	lab_rx(&l, 0, &pause);
	pause.u.pfc.quanta[0] = 0;
	lab_rx(&l, 0, &pause);
	assert_int_equal(nic_pause_rx(l.nic[0])->paused, 0);
	pfc(&l, 0, 0, 1000); // not lossless
	assert_int_equal(nic_pause_rx(l.nic[0])->paused, 0);
	pfc(&l, 0, 3, 1000);
	assert_int_equal(nic_pause_rx(l.nic[0])->paused, 1 << 3);
	lab_end(&l);
}

struct seen {
	unsigned n;
	struct pkt p[8];
	struct hdr h[8];
	tstamp at[8];
};

static bool see(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	struct seen *s = l->arg;

	if (from == 1 && s->n < 8) {
		s->p[s->n] = *p;
		s->h[s->n] = *p->hdr;
		s->at[s->n++] = now;
	}
	return true;
}

// A frame made to order: an own header, of 64 bytes.
static struct ctl_mac mac_frame(uint8_t kind, uint8_t classes, uint16_t quanta)
{
	struct ctl_mac m = {
		.hdr = {.ethertype = ETH_P_MAC_CONTROL, .id = HDR_ID_NODE},
		.f.enable = classes,
		.len = PKT_MIN_LEN,
		.kind = kind,
	};

	memcpy(m.hdr.dst, pfc_dst, sizeof(m.hdr.dst));
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		m.f.quanta[c] = quanta;
	return m;
}

static void mac_frames_leave_to_order(void **state)
{
	const struct ctl_mac frame = mac_frame(PKT_PFC, 1 << 3, 100);
	struct seen s = {0};

	(void)state;

	struct lab l;

	lab_init(&l);
	l.hook = see;
	l.arg = &s;
	lab_start(&l);
	assert_int_equal(
		lab_ctl(&l, 1,
			(struct ctl){
				.type = CTL_MAC_FRAMES, .with = &frame, .a = PS_PER_US, .b = 3}),
		0);
	lab_run(&l, 5 * PS_PER_US);
	assert_int_equal(s.n, 3);
	for (unsigned i = 0; i < 3; i++) {
		static const uint8_t zero[6];

		assert_int_equal(s.at[i], i * PS_PER_US);
		assert_int_equal(s.p[i].kind, PKT_PFC);
		assert_int_equal(s.p[i].u.pfc.enable, 1 << 3);
		assert_int_equal(s.p[i].u.pfc.quanta[3], 100);
		assert_memory_equal(s.h[i].src, zero, 6);
		assert_memory_equal(s.h[i].dst, pfc_dst, 6);
	}
	// A zero source is obeyed like any other.
	assert_int_equal(nic_pause_rx(l.nic[0])->stats[3].xoff_frames, 3);
	assert_int_equal(nic_stats(l.nic[1])->originated_frames, 3);
	// They count as sent, like those that a receive buffer asks for.
	assert_int_equal(nic_pause_tx(l.nic[1])->stats[3].xoff_frames, 3);
	assert_int_equal(nic_pause_tx(l.nic[1])->stats[3].pause_requested_ps,
		nic_pause_rx(l.nic[0])->stats[3].pause_requested_ps);
	lab_end(&l);
}

// Frames of an event refer to its header, so the next event leaves those on the cable as they are.
static void each_event_has_its_header(void **state)
{
	const struct ctl_mac first = mac_frame(PKT_PFC, 1 << 3, 100);
	struct ctl_mac second = mac_frame(PKT_MACCTL, 1 << 3, 100);
	struct seen s = {0};
	struct lab l;

	(void)state;
	second.hdr.dst[5] = 0x0e;
	second.len = 508;
	lab_init(&l);
	l.hook = see;
	l.arg = &s;
	lab_start(&l);
	lab_ctl(&l, 1,
		(struct ctl){.type = CTL_MAC_FRAMES, .with = &first, .a = PS_PER_US, .b = 1});
	lab_run(&l, 10 * PS_PER_NS);
	lab_ctl(&l, 1,
		(struct ctl){.type = CTL_MAC_FRAMES, .with = &second, .a = PS_PER_US, .b = 1});
	lab_run(&l, 5 * PS_PER_US);
	assert_int_equal(s.n, 2);
	assert_ptr_equal(s.p[0].hdr, &first.hdr);
	assert_ptr_equal(s.p[1].hdr, &second.hdr);
	assert_int_equal(s.p[1].len, 508);
	assert_int_equal(s.p[1].kind, PKT_MACCTL);
	lab_end(&l);
}

static void urgent_is_when_a_mac_frame_leaves(void **state)
{
	const struct ctl_mac frame = mac_frame(PKT_PFC, 1 << 3, 100);
	struct ctl link = {.type = CTL_LINK_DOWN};
	struct lab l;

	(void)state;
	lab_init(&l);
	lab_start(&l);

	struct nic_qp_params p = lab_req(&l, 1);

	lab_add(&l, &p);
	lab_run(&l, 10 * PS_PER_US);
	assert_true(nic_urgent(l.nic[0], 0) == TSTAMP_NEVER); // for all the data that want to leave
	assert_int_equal(lab_ctl(&l, 0,
				 (struct ctl){.type = CTL_MAC_FRAMES,
					 .with = &frame,
					 .a = 5 * PS_PER_US,
					 .b = 2}),
		0);
	lab_run(&l, 11 * PS_PER_US);
	assert_true(nic_urgent(l.nic[0], 0) == 15 * PS_PER_US);
	lab_ctl(&l, 0, link);
	assert_true(nic_urgent(l.nic[0], 0) == TSTAMP_NEVER);
	lab_end(&l);
}

static void what_is_wrong_has_no_effect(void **state)
{
	const struct ctl_mac frame[] = {mac_frame(PKT_PFC, 0, 65535),
		mac_frame(PKT_MACCTL, 0xff, 65535), mac_frame(PKT_PAUSE, 0, 65535)};
	struct seen s = {0};

	(void)state;

	struct lab l;

	lab_init(&l);
	l.hook = see;
	l.arg = &s;
	lab_start(&l);
	// No class enabled, though times stand there; a unicast address; 802.3x.
	for (unsigned i = 0; i < 3; i++) {
		lab_ctl(&l, 1,
			(struct ctl){
				.type = CTL_MAC_FRAMES, .with = &frame[i], .a = PS_PER_US, .b = 1});
		lab_run(&l, (i + 1) * PS_PER_US);
	}
	lab_run(&l, 5 * PS_PER_US);
	assert_int_equal(s.n, 3);
	assert_int_equal(s.p[0].u.pfc.quanta[3], 65535);
	assert_int_equal(s.p[1].kind, PKT_MACCTL);
	assert_int_equal(s.p[2].kind, PKT_PAUSE);
	assert_int_equal(nic_stats(l.nic[0])->pfc_invalid_frames, 2);
	assert_int_equal(nic_stats(l.nic[0])->pause_rx_frames, 1);
	assert_int_equal(nic_pause_rx(l.nic[0])->paused, 0);
	assert_int_equal(nic_pause_rx(l.nic[0])->stats[3].xoff_frames, 0);
	assert_int_equal(nic_pause_tx(l.nic[1])->stats[3].xoff_frames, 0);
	assert_int_equal(
		lab_ctl(&l, 1, (struct ctl){.type = CTL_MAC_FRAMES, .with = frame, .b = 1}),
		-EINVAL);
	assert_int_equal(
		lab_ctl(&l, 1, (struct ctl){.type = CTL_MAC_FRAMES, .a = 1, .b = 1}), -EINVAL);
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_peer_stops_late),
		cmocka_unit_test(a_late_loop_is_counted),
		cmocka_unit_test(pfc_may_be_ignored),
		cmocka_unit_test(strangers_are_counted),
		cmocka_unit_test(pause_stops_every_class),
		cmocka_unit_test(a_copy_is_obeyed_and_not_counted),
		cmocka_unit_test(mac_frames_leave_to_order),
		cmocka_unit_test(each_event_has_its_header),
		cmocka_unit_test(urgent_is_when_a_mac_frame_leaves),
		cmocka_unit_test(what_is_wrong_has_no_effect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
