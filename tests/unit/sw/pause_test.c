// SPDX-License-Identifier: BSD-3-Clause
// Tests of a switch whose ports send 802.3x PAUSE: one buffer a port, frames for the whole link, no
// PFC.
#include <errno.h>
#include <stdio.h>

#include "base/prng.h"
#include "sw_box.h"

#define T       PS_PER_MS
#define FULL_PS (65535ull * 5120) // at 100 Gb/s

// All classes in group 3, which is the port's: XOFF at 20 KB, XON 4 KB below, 10 KB of headroom.
static const uint8_t one_group[8] = {3, 3, 3, 3, 3, 3, 3, 3};

static struct box *box_of_pause(void)
{
	struct box *b = box_new();

	b->params.pause = true;
	memcpy(b->set->pg_map, one_group, sizeof(one_group));
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		b->set->cls[c].pfc = true;
		b->set->cls[c].quanta = 65535;
		b->set->cls[c].refresh_permille = 500;
	}
	for (unsigned i = 0; i < BOX_PORTS; i++)
		b->port[i].pause_honour = true;
	return b;
}

static struct pkt *box_pause(struct box *b, uint16_t quanta)
{
	struct pkt *p = box_pfc(b, 1, quanta);

	p->kind = PKT_PAUSE;
	p->u.pfc.enable = 0;
	return p;
}

static void expect_pause(struct box *b, unsigned port, unsigned quanta, tstamp t)
{
	struct pkt *p = box_tx(b, port, t);

	assert_non_null(p);
	assert_int_equal(p->kind, PKT_PAUSE);
	assert_int_equal(p->len, 60);
	assert_int_equal(p->u.pfc.quanta[0], quanta);
	assert_memory_equal(p->hdr->dst, ((uint8_t[]){0x01, 0x80, 0xc2, 0, 0, 1}), 6);
	assert_memory_equal(p->hdr->src, b->port[port].mac, 6);
	box_put(b, p);
}

// Frames of 1500 counted bytes from host 0 to host 1, class after class.
static void fill(struct box *b, unsigned n, tstamp now)
{
	for (unsigned i = 0; i < n; i++)
		box_send(b, 0, 1, i % PKT_CLASSES, 1496, now);
}

// The 14th frame reaches 20 KB, whatever the classes; four must leave until 16 KB.
static void what_counts_is_the_ports_buffer(void **state)
{
	struct box *b = box_of_pause();
	const struct ev *e;
	tstamp t;

	(void)state;
	box_start(b);
	box_learn(b);
	fill(b, 13, T);
	assert_null(box_tx(b, 0, T));
	fill(b, 1, T);
	expect_pause(b, 0, 65535, T);
	for (unsigned i = 0; i < 4; i++) {
		assert_true(sw_deadline(b->sw, 0) > T + PS_PER_US);
		t = T + i * 1520 * 80;
		box_put(b, box_tx(b, 1, t));
	}
	expect_pause(b, 0, 0, t);
	assert_true(sw_deadline(b->sw, 0) == TSTAMP_NEVER);
	e = box_event(b, EV_XOFF_TX);
	assert_non_null(e);
	assert_int_equal(e->port, 0);
	assert_true(e->pfc_tx.whole_link);
	assert_int_equal(e->pfc_tx.enable, 0xff);
	assert_int_equal(e->pfc_tx.quanta, 65535);
	assert_int_equal(
		e->pfc_tx.rx_frames, 14 + 1); // of all classes, with the frame of box_learn
	assert_int_equal(e->pfc_tx.rx_bytes, 14 * 1500 + 64);
	e = box_event(b, EV_XON_TX);
	assert_non_null(e);
	assert_int_equal(e->t, t);
	assert_true(e->pfc_tx.whole_link);
	assert_int_equal(e->pfc_tx.enable, 0xff);
	assert_int_equal(sw_port_stats(b->sw, 0).pause_tx_frames, 2);
	assert_int_equal(sw_port_stats(b->sw, 0).originated_frames, 2);
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		const struct pause_stats *s = &sw_pause_tx(b->sw, 0)->stats[c];

		assert_int_equal(s->xoff_frames + s->xon_frames, 0); // no PFC
		assert_int_equal(s->transitions_on, 1);
		assert_int_equal(s->transitions_off, 1);
		assert_true(s->pause_effective_ps == t - T);
	}
	box_drain(b, 1, 2 * T);
	box_free(b);
}

// XOFF, again at half its time while the port's buffer stays above XON; each class is told as
// often.
static void pause_is_refreshed(void **state)
{
	struct box *b = box_of_pause();

	(void)state;
	box_start(b);
	box_learn(b);
	box_rx(b, 1, box_pause(b, 65535), T); // what is for port 1 stays
	fill(b, 14, T);
	expect_pause(b, 0, 65535, T);
	for (unsigned i = 1; i < 5; i++) {
		tstamp t = T + i * (FULL_PS / 2);

		assert_true(sw_deadline(b->sw, 0) == t);
		box_rx(b, 1, box_pause(b, 65535), t);
		assert_null(box_tx(b, 0, t - 1));
		expect_pause(b, 0, 65535, t);
	}
	assert_int_equal(sw_port_stats(b->sw, 0).pause_tx_frames, 5);
	assert_int_equal(sw_pause_tx(b->sw, 0)->stats[7].transitions_on, 1);
	box_drain(b, 1, 4 * T);
	box_drain(b, 0, 4 * T);
	box_free(b);
}

// The headroom is the port's, too: 7 more frames than the 13 below XOFF find room, of any class.
static void headroom_is_for_all_classes(void **state)
{
	struct box *b = box_of_pause();

	(void)state;
	box_start(b);
	box_learn(b);
	fill(b, 13 + 6, T);
	assert_int_equal(box_dropped(b, 0, SW_DROP_HEADROOM), 0);
	fill(b, 1, T);
	assert_int_equal(box_dropped(b, 0, SW_DROP_HEADROOM), 1);
	box_drain(b, 0, 2 * T);
	box_drain(b, 1, 2 * T);
	box_free(b);
}

// A port stops for PAUSE as a whole until it runs out; PFC it counts only.
static void pause_is_obeyed_and_pfc_is_not(void **state)
{
	struct box *b = box_of_pause();
	const struct ev *e;

	(void)state;
	box_start(b);
	box_learn(b);
	box_rx(b, 1, box_pfc(b, 1 << 3, 65535), T);
	assert_int_equal(sw_pause_rx(b->sw, 1)->paused, 0);
	assert_int_equal(sw_pause_rx(b->sw, 1)->stats[3].xoff_frames, 1);
	box_rx(b, 1, box_pause(b, 100), T);
	assert_int_equal(sw_pause_rx(b->sw, 1)->paused, 0xff);
	fill(b, 8, T);
	assert_true(sw_deadline(b->sw, 1) == T + 100 * 5120);
	assert_int_equal(box_drain(b, 1, T + 100 * 5120 + PS_PER_US), 8);
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		e = box_event(b, EV_PAUSE_RX);
		assert_int_equal(e->cls, c);
		assert_int_equal(e->pause.with_class_0, c != 0); // one stop of the link
	}
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		e = box_event(b, EV_RESUME_RX);
		assert_int_equal(e->pause.by, EV_RESUME_EXPIRED);
		assert_int_equal(e->pause.with_class_0, c != 0);
	}
	box_free(b);
}

// Frames come in all classes for a slow port, as long as the sender may send: none is lost, XOFF
// and XON take turns.
static void nothing_is_lost_and_frames_take_turns(void **state)
{
	const char *env = getenv("QUENCH_SEED");
	uint64_t seed = env ? strtoull(env, NULL, 0) : 1, got = 0, sent = 0;
	struct box *b = box_of_pause();
	bool off = false;
	struct prng g;

	(void)state;
	printf("seed %llu\n", (unsigned long long)seed);
	prng_init(&g, seed, "turns");
	b->port[1].rate = 10 * RATE_GBPS;
	box_start(b);
	box_learn(b);
	for (tstamp t = T; t < 3 * T; t += 2 * PS_PER_US) {
		struct pkt *p;

		for (unsigned i = 0; !off && i < 6; i++, sent++)
			box_send(b, 0, 1, prng_below(&g, PKT_CLASSES),
				60 + (unsigned)prng_below(&g, 1437), t);
		got += box_drain(b, 1, t);
		while ((p = box_tx(b, 0, t))) {
			bool xoff = p->u.pfc.quanta[0] != 0;

			assert_int_equal(p->kind, PKT_PAUSE);
			assert_true(xoff != off || xoff); // XOFF again is a refresh
			off = xoff;
			box_put(b, p);
		}
		while (ev_get(&b->events))
			;
	}
	got += box_drain(b, 1, 4 * T);
	assert_int_equal(got, sent);
	assert_true(sw_pause_tx(b->sw, 0)->stats[0].transitions_on > 20);
	box_drain(b, 0, 4 * T);
	box_free(b);
}

static void storms_and_half_a_port_are_refused(void **state)
{
	static const uint8_t two_groups[8] = {3, 3, 3, 3, 4, 3, 3, 3};
	struct box *b = box_of_pause();

	(void)state;
	box_start(b);
	assert_int_equal(sw_ctl(b->sw,
				 &(struct ctl){.type = CTL_PFC_STORM,
					 .port = 1,
					 .cls = 3,
					 .quanta = 100,
					 .a = 2 * T},
				 T),
		-EINVAL);
	box_free(b);
	b = box_of_pause();
	memcpy(b->set->pg_map, two_groups, sizeof(two_groups));
	assert_int_equal(box_try(b), -EINVAL);
	memcpy(b->set->pg_map, one_group, sizeof(one_group));
	b->set->cls[5].quanta = 100;
	assert_int_equal(box_try(b), -EINVAL);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_counts_is_the_ports_buffer),
		cmocka_unit_test(pause_is_refreshed),
		cmocka_unit_test(headroom_is_for_all_classes),
		cmocka_unit_test(pause_is_obeyed_and_pfc_is_not),
		cmocka_unit_test(nothing_is_lost_and_frames_take_turns),
		cmocka_unit_test(storms_and_half_a_port_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
