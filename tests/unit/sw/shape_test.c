// SPDX-License-Identifier: BSD-3-Clause
// Tests of the switch's shapers: shares of a busy port by maximum, guarantee and port rate; PFC
// passes.
#include "sw_box.h"

#define LEN  1226 // 1250 bytes on the wire: 0.1 us at 100 Gb/s
#define T    (50 * PS_PER_US)
#define FULL 500 // frames of the link in T

// Keeps both classes busy at port 1 for T; gives how many frames of each left.
static void race(struct box *b, unsigned one, unsigned two, unsigned sent[PKT_CLASSES])
{
	tstamp now = PS_PER_US;
	const tstamp end = now + T;

	memset(sent, 0, PKT_CLASSES * sizeof(*sent));
	while (now < end) {
		struct pkt *p;

		while (sw_eport(b->sw, 1)->q[one].frames < 4)
			box_send(b, 0, 1, one, LEN, now);
		while (sw_eport(b->sw, 1)->q[two].frames < 4)
			box_send(b, 0, 1, two, LEN, now);
		p = box_tx(b, 1, now);
		if (p) {
			sent[p->cls]++;
			box_put(b, p);
		}
		now = tstamp_max(now, sw_deadline(b->sw, 1));
	}
}

static struct box *shaped(void)
{
	struct box *b = box_new();

	for (unsigned i = 0; i < BOX_PORTS; i++)
		b->port[i].shaper_burst = 2500;
	return b;
}

static void a_maximum_leaves_the_rest_to_others(void **state)
{
	struct box *b = shaped();
	unsigned sent[PKT_CLASSES];

	(void)state;
	b->port[1].max_rate[2] = 10 * RATE_GBPS;
	box_start(b);
	box_learn(b);
	race(b, 1, 2, sent);
	assert_in_range(sent[2], FULL / 10, FULL / 10 + 4);
	assert_in_range(sent[1] + sent[2], FULL - 1, FULL + 1);
	box_drain(b, 1, PS_PER_S);
	box_free(b);
}

// Class 7 is strict and always ready; class 2 gets what it is guaranteed, and no more.
static void a_guarantee_holds_against_strict(void **state)
{
	struct box *b = shaped();
	unsigned sent[PKT_CLASSES];

	(void)state;
	b->port[1].min_rate[2] = 20 * RATE_GBPS;
	box_start(b);
	box_learn(b);
	race(b, 7, 2, sent);
	assert_in_range(sent[2], FULL / 5, FULL / 5 + 4);
	assert_in_range(sent[7] + sent[2], FULL - 1, FULL + 1);
	box_drain(b, 1, PS_PER_S);
	box_free(b);
}

// Class 0 is served out of turn for its guarantee: classes 1 and 2 share the rest by their weights,
// and class 0 shares it, too, in its own turns.
static void a_guarantee_leaves_weights_as_they_are(void **state)
{
	struct box *b = shaped();
	unsigned sent[PKT_CLASSES] = {0};

	(void)state;
	b->port[1].min_rate[0] = 20 * RATE_GBPS;
	b->set->cls[0].weight = 1;
	b->set->cls[1].weight = 3;
	b->set->cls[2].weight = 1;
	box_start(b);
	box_learn(b);
	for (tstamp now = PS_PER_US; now < PS_PER_US + T;
		now = tstamp_max(now, sw_deadline(b->sw, 1))) {
		struct pkt *p;

		for (unsigned c = 0; c < 3; c++)
			while (sw_eport(b->sw, 1)->q[c].frames < 4)
				box_send(b, 0, 1, c, LEN, now);
		p = box_tx(b, 1, now);
		if (p) {
			sent[p->cls]++;
			box_put(b, p);
		}
	}
	assert_in_range(sent[1], 3 * sent[2] - 3, 3 * sent[2] + 3);
	assert_in_range(sent[0], FULL / 5 + sent[2] - 4, FULL / 5 + sent[2] + 4);
	box_drain(b, 1, PS_PER_S);
	box_free(b);
}

// The only frame that a class has leaves for its guarantee, and another class still has frames: a
// call that comes late finds wire time lost.
static void the_wire_does_not_starve_behind_a_guarantee(void **state)
{
	struct box *b = shaped();
	struct pkt *p;

	(void)state;
	b->port[1].min_rate[2] = 20 * RATE_GBPS;
	box_start(b);
	box_learn(b);
	box_send(b, 0, 1, 2, LEN, PS_PER_MS);
	box_send(b, 0, 1, 1, LEN, PS_PER_MS);
	p = box_tx(b, 1, PS_PER_MS);
	assert_int_equal(p->cls, 2);
	box_put(b, p);
	box_put(b, box_tx(b, 1, PS_PER_MS + PS_PER_US));
	assert_int_equal(sw_eport(b->sw, 1)->lost_ps, PS_PER_US * 9 / 10);
	box_drain(b, 1, PS_PER_S);
	box_free(b);
}

static void the_port_has_a_rate(void **state)
{
	struct box *b = shaped();
	unsigned sent[PKT_CLASSES];

	(void)state;
	b->port[1].shaper_rate = 40 * RATE_GBPS;
	b->set->cls[1].weight = 3;
	b->set->cls[2].weight = 1;
	box_start(b);
	box_learn(b);
	race(b, 1, 2, sent);
	assert_in_range(sent[1] + sent[2], FULL * 4 / 10, FULL * 4 / 10 + 4);
	assert_in_range(sent[1], FULL * 3 / 10 - 4, FULL * 3 / 10 + 4); // the weights hold
	box_drain(b, 1, PS_PER_S);
	box_free(b);
}

// PFC is no traffic of a class: it leaves a port whose shaper holds everything.
static void pfc_is_not_shaped(void **state)
{
	struct box *b = shaped();
	struct pkt *p;

	(void)state;
	b->port[1].shaper_rate = RATE_GBPS / 10;
	box_start(b);
	box_learn(b);
	for (unsigned i = 0; i < 8; i++)
		box_send(b, 0, 1, 2, LEN, PS_PER_MS);
	for (unsigned i = 0; i < 3; i++)
		box_put(b, box_tx(b, 1, PS_PER_MS + i * PS_PER_US / 10));
	assert_null(box_tx(b, 1, PS_PER_MS + PS_PER_US));
	assert_true(sw_eport(b->sw, 1)->q[2].frames > 3);
	assert_int_equal(sw_ctl(b->sw,
				 &(struct ctl){.type = CTL_PFC_STORM,
					 .port = 1,
					 .cls = 3,
					 .quanta = 100,
					 .a = PS_PER_S},
				 PS_PER_MS + 2 * PS_PER_US),
		0);
	p = box_tx(b, 1, PS_PER_MS + 2 * PS_PER_US);
	assert_non_null(p);
	assert_int_equal(p->kind, PKT_PFC);
	box_put(b, p);
	sw_ctl(b->sw, &(struct ctl){.type = CTL_LINK_DOWN, .port = 1}, PS_PER_MS + 3 * PS_PER_US);
	box_free(b);
}

// A held queue's frames are not pause time and not idle wire; the deadline is the instant of its
// tokens.
static void the_deadline_is_that_of_the_tokens(void **state)
{
	struct box *b = shaped();

	(void)state;
	b->port[1].max_rate[2] = 10 * RATE_GBPS; // 1 us a frame, 2 us deep
	box_start(b);
	box_learn(b);
	for (unsigned i = 0; i < 6; i++)
		box_send(b, 0, 1, 2, LEN, PS_PER_MS);
	for (unsigned i = 0; i < 3; i++)
		box_put(b, box_tx(b, 1, PS_PER_MS + i * PS_PER_US / 10));
	assert_null(box_tx(b, 1, PS_PER_MS + 3 * PS_PER_US / 10));
	assert_true(sw_deadline(b->sw, 1) == PS_PER_MS + PS_PER_US);
	box_put(b, box_tx(b, 1, PS_PER_MS + PS_PER_US));
	assert_true(sw_deadline(b->sw, 1) == PS_PER_MS + 2 * PS_PER_US);
	assert_int_equal(sw_eport(b->sw, 1)->lost_ps, 0);
	box_drain(b, 1, PS_PER_S);
	box_free(b);
}

// Three frames leave at once, and the next one may 1 us later: who asks 7 us later finds a bucket
// that has been full for 4 us, unless a pause has held the class meanwhile.
static void a_late_call_takes_from_the_rate(void **state)
{
	for (unsigned paused = 0; paused < 2; paused++) {
		struct box *b = shaped();
		const tstamp at = PS_PER_MS + 7 * PS_PER_US;

		(void)state;
		b->port[1].max_rate[3] = 10 * RATE_GBPS;
		box_start(b);
		box_learn(b);
		for (unsigned i = 0; i < 6; i++)
			box_send(b, 0, 1, 3, LEN, PS_PER_MS);
		for (unsigned i = 0; i < 3; i++)
			box_put(b, box_tx(b, 1, PS_PER_MS + i * PS_PER_US / 10));
		assert_null(box_tx(b, 1, PS_PER_MS + 3 * PS_PER_US / 10));
		if (paused) {
			box_rx(b, 1, box_pfc(b, 1 << 3, 65535), PS_PER_MS + PS_PER_US);
			assert_null(box_tx(b, 1, at));
		} else {
			box_put(b, box_tx(b, 1, at));
		}
		assert_true(sw_shaper_lost(b->sw, 1) == (paused ? 0 : 4 * PS_PER_US));
		assert_int_equal(sw_shaper_lost(b->sw, 0), 0);
		box_drain(b, 1, PS_PER_S);
		box_free(b);
	}
}

// On the real clock calls may be late by the tolerance. A burst that nobody chose holds as much.
static void a_burst_that_nobody_chose_holds_the_tolerance(void **state)
{
	struct box *b = shaped();
	unsigned n = 0;

	(void)state;
	b->port[1].max_rate[2] = 10 * RATE_GBPS;
	b->port[1].shaper_auto = true;
	b->params.tolerance_ps = 8 * PS_PER_US;
	box_start(b);
	box_learn(b);
	for (unsigned i = 0; i < 20; i++)
		box_send(b, 0, 1, 2, LEN, PS_PER_MS);
	for (struct pkt *p; (p = box_tx(b, 1, PS_PER_MS)); n++)
		box_put(b, p);
	assert_int_equal(n, 9); // 8 us of 1 us each, and the one that finds the last token
	box_drain(b, 1, PS_PER_S);
	box_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_maximum_leaves_the_rest_to_others),
		cmocka_unit_test(a_guarantee_holds_against_strict),
		cmocka_unit_test(a_guarantee_leaves_weights_as_they_are),
		cmocka_unit_test(the_wire_does_not_starve_behind_a_guarantee),
		cmocka_unit_test(the_port_has_a_rate),
		cmocka_unit_test(pfc_is_not_shaped),
		cmocka_unit_test(the_deadline_is_that_of_the_tokens),
		cmocka_unit_test(a_late_call_takes_from_the_rate),
		cmocka_unit_test(a_burst_that_nobody_chose_holds_the_tolerance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
