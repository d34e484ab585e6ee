// SPDX-License-Identifier: BSD-3-Clause
// Testers: instants of their frames against a plain model, holds and releases, what they see, what
// makes them wait.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "rounds.h"
#include "tester/tester.h"
#include "wire/pfc.h"

#define PKTS    64
#define ENTRIES 4096
#define ITEMS   12
#define TESTERS 3
#define RATE    (100 * RATE_GBPS)
#define BYTE    80 // ps
#define SALT    0xabcdu

struct rig {
	struct tester *t;
	struct pkt_stack stack;
	struct pkt *slot[PKTS];
	struct ev ev[64];
	struct ev_ring events;
	struct hdr hdr[TESTERS * (TESTER_UNTAGGED + 1)];
	struct tester_step step;
	struct tester_seen seen[ENTRIES];
	struct tester_control control[ENTRIES];
	tstamp now;
	// Frames that have left.
	struct pkt out[ENTRIES];
	unsigned n;
};

static void rig_open(struct rig *g)
{
	struct tester_params p = {.name = "p1",
		.rate = RATE,
		.mac = {2, 0, 0, 0, 0, 1},
		.hdr = g->hdr,
		.ports = TESTERS,
		.salt = SALT};

	memset(g, 0, sizeof(*g));
	g->stack = (struct pkt_stack){.slot = g->slot, .cap = PKTS};
	for (unsigned i = 0; i < PKTS; i++)
		pkt_put(&g->stack, calloc(1, sizeof(struct pkt)));
	for (unsigned i = 0; i < TESTERS * (TESTER_UNTAGGED + 1); i++) {
		unsigned pcp = i % (TESTER_UNTAGGED + 1);

		g->hdr[i] = (struct hdr){.id = i + 1,
			.flags = HDR_IPV4 | (pcp < TESTER_UNTAGGED ? HDR_VLAN : 0),
			.vlan_tci = (uint16_t)(pcp << 13)};
	}
	g->events = (struct ev_ring){.slot = g->ev, .mask = 63, .want = ~0ull};
	assert_int_equal(tester_init(&g->t, &p, &g->stack, &g->events), 0);
}

static void rig_close(struct rig *g)
{
	assert_int_equal(g->stack.n, PKTS);
	while (g->stack.n)
		free(g->stack.slot[--g->stack.n]);
	tester_fini(g->t);
}

static int ctl(struct rig *g, enum ctl_type type, const void *with)
{
	return tester_ctl(g->t, &(struct ctl){.type = type, .with = with}, g->now);
}

static void begin(struct rig *g, const struct tester_item *item, unsigned n)
{
	assert_int_equal(tester_check(item, n, TESTERS), 0);
	g->step = (struct tester_step){.item = item,
		.n = n,
		.number = 5,
		.seen = g->seen,
		.room = ENTRIES,
		.control = g->control,
		.control_room = ENTRIES};
	assert_int_equal(ctl(g, CTL_TESTER, &g->step), 0);
}

// All that is due up to `until`.
static void run(struct rig *g, tstamp until)
{
	struct pkt *burst[2];

	while (tester_deadline(g->t, 0) <= until && g->n + 2 < ENTRIES) {
		unsigned n;

		g->now = tstamp_max(g->now, tester_deadline(g->t, 0));
		n = tester_tx(g->t, 0, burst, 2, g->now);
		for (unsigned i = 0; i < n; i++) {
			g->out[g->n++] = *burst[i];
			pkt_put(&g->stack, burst[i]);
		}
	}
	g->now = until;
}

static tstamp wire(const struct tester_item *i)
{
	return (tstamp)BYTE * (i->len + PKT_WIRE);
}

// The model: from all items, as they are given, the frame that leaves next.
struct model {
	const struct tester_item *item;
	unsigned n;
	uint32_t sent[ITEMS];
	tstamp ended[ITEMS]; // 0: it has frames left
	tstamp hold[ITEMS];  // next frame of a hold; 0: it is none, or it has not begun
	tstamp began, free;
};

static uint32_t total(const struct tester_item *i)
{
	return i->kind == TESTER_HOLD || i->kind == TESTER_RELEASE ? 1 : i->count;
}

// The instant of the next frame of an item.
static tstamp due(const struct model *m, unsigned k)
{
	const struct tester_item *i = &m->item[k];
	tstamp base = i->after < 0 ? m->began : m->ended[i->after];

	if (m->ended[k] || (i->after >= 0 && !base))
		return TSTAMP_NEVER;
	return base + i->at + m->sent[k] * i->gap;
}

// The frame that leaves next: its item, at *at; -1: there is none.
static int next(const struct model *m, tstamp *at)
{
	tstamp first = TSTAMP_NEVER;

	for (unsigned k = 0; k < m->n; k++)
		first = tstamp_min(first, due(m, k));
	if (first == TSTAMP_NEVER)
		return -1;
	*at = tstamp_max(first, m->free);
	for (unsigned data = 0; data < 2; data++)
		for (unsigned k = 0; k < m->n; k++)
			if ((m->item[k].kind == TESTER_DATA) == data && due(m, k) <= *at)
				return (int)k;
	return -1;
}

static struct tester_item draw(struct prng *r, unsigned k, const struct tester_item *all)
{
	static const uint16_t len[] = {60, 60, 61, 124, 1514};
	bool mac = !prng_below(r, 3);
	struct tester_item i = {.kind = mac ? TESTER_MAC : TESTER_DATA,
		.after = TESTER_AT_START,
		.at = prng_below(r, 2) * prng_below(r, 200000),
		.count = 1 + (uint32_t)prng_below(r, 20),
		.gap = prng_below(r, 2) * prng_below(r, 40000),
		.len = len[prng_below(r, 5)],
		.to = (uint8_t)prng_below(r, TESTERS),
		.tos = (uint8_t)prng_below(r, 256),
		.tos_step = (uint8_t)prng_below(r, 9),
		.pcp = (uint8_t)prng_below(r, 9),
		.source = (uint16_t)prng_below(r, 3),
		.opcode = prng_below(r, 2) ? MACCTL_PFC : 0x1234};

	if (k && prng_below(r, 2))
		i.after = (int32_t)prng_below(r, k);
	if (i.after >= 0 && !all[i.after].count)
		i.after = TESTER_AT_START;
	if (!prng_below(r, 8))
		i.count = 0;
	return i;
}

static void check_frame(const struct rig *g, const struct tester_item *i, const struct pkt *p,
	const struct tester_seen *e, uint32_t nth, uint32_t *number)
{
	assert_int_equal(p->len, i->len);
	assert_int_equal(e->len, i->len);
	assert_true(e->sent);
	if (i->kind == TESTER_MAC) {
		assert_int_equal(p->kind, i->opcode == MACCTL_PFC ? PKT_PFC : PKT_MACCTL);
		assert_int_equal(e->frame, TESTER_CONTROL);
		assert_int_equal(g->control[e->number].opcode, i->opcode);
		return;
	}
	assert_int_equal(p->kind, PKT_GEN);
	assert_ptr_equal(p->hdr, &g->hdr[i->to * (TESTER_UNTAGGED + 1) + i->pcp]);
	assert_int_equal(p->tos, (uint8_t)(i->tos + nth * i->tos_step));
	assert_int_equal(p->u.gen.source, SALT << 16 | i->source);
	assert_int_equal(e->frame, TESTER_OURS);
	assert_int_equal(e->number, number[i->source]);
	assert_int_equal(p->u.gen.seq, 5u * TESTER_NUMBERS + number[i->source]++);
	assert_int_equal(e->pcp, i->pcp);
}

static void frames_leave_as_the_model_says(struct rig *g, uint64_t seed)
{
	struct tester_item item[ITEMS];
	struct model m = {.item = item, .began = 1000};
	uint32_t number[3] = {0};
	struct prng r;
	tstamp last = m.began;
	unsigned finite = 0;

	prng_init(&r, seed, "tester");
	m.n = 1 + (unsigned)prng_below(&r, ITEMS);
	for (unsigned k = 0; k < m.n; k++) {
		item[k] = draw(&r, k, item);
		finite += item[k].count != 0;
	}
	g->now = m.began;
	begin(g, item, m.n);
	run(g, m.began + 2 * PS_PER_US);
	for (unsigned f = 0; f < g->n; f++) {
		tstamp at = 0;
		int k = next(&m, &at);

		assert_true(k >= 0);
		assert_int_equal(g->seen[f].at, at);
		assert_int_equal(g->out[f].when, at);
		check_frame(g, &item[k], &g->out[f], &g->seen[f], m.sent[k], number);
		m.free = at + wire(&item[k]);
		if (++m.sent[k] == total(&item[k])) {
			m.ended[k] = m.free;
			finite--;
		}
		if (item[k].count)
			last = m.free;
	}
	assert_int_equal(g->step.ended, finite ? TSTAMP_NEVER : last);
	assert_int_equal(g->step.idle, 0);
	assert_int_equal(g->step.late, 0);
}

static void every_frame_leaves_at_its_instant(void **state)
{
	const char *seed = getenv("QUENCH_SEED");
	uint64_t first = seed ? strtoull(seed, NULL, 10) : 1;

	(void)state;
	for (unsigned i = 0; i < rounds_of(300); i++) {
		static struct rig g;

		rig_open(&g);
		printf("seed %lu\n", (unsigned long)(first + i));
		frames_leave_as_the_model_says(&g, first + i);
		rig_close(&g);
	}
}

static const struct tester_item xoff = {.kind = TESTER_HOLD,
	.after = TESTER_AT_START,
	.gap = 10 * PS_PER_US,
	.len = 60,
	.opcode = MACCTL_PFC,
	.pfc = {.enable = 0x18, .quanta = {[3] = 65535, [4] = 65535}}};

static void a_hold_goes_on_in_later_steps_until_all_classes_are_released(void **state)
{
	static struct rig g;
	const struct tester_item on[] = {
		{.kind = TESTER_RELEASE, .after = TESTER_AT_START, .pfc = {.enable = 0x08}},
		{.kind = TESTER_RELEASE,
			.after = 0,
			.at = 10 * PS_PER_US,
			.pfc = {.enable = 0x10}}};

	(void)state;
	rig_open(&g);
	begin(&g, &xoff, 1);
	assert_int_equal(g.step.ended, 0);
	run(&g, 15 * PS_PER_US);
	assert_int_equal(g.n, 2);
	assert_int_equal(tester_holds(g.t, g.now), 0x18);
	assert_int_equal(ctl(&g, CTL_TESTER, NULL), 0);
	run(&g, 25 * PS_PER_US);
	assert_int_equal(g.n, 3); // nobody sees it
	assert_int_equal(g.step.n_seen, 2);
	begin(&g, on, 2);
	run(&g, 60 * PS_PER_US);
	assert_int_equal(g.n, 6); // XON for 3, once more XOFF for 4, XON for 4
	assert_int_equal(g.out[3].u.pfc.enable, 0x08);
	assert_int_equal(g.out[3].u.pfc.quanta[3], 0);
	assert_int_equal(g.out[4].u.pfc.enable, 0x10);
	assert_int_equal(g.out[4].u.pfc.quanta[4], 65535);
	assert_int_equal(g.out[5].u.pfc.enable, 0x10);
	assert_int_equal(tester_holds(g.t, g.now), 0);
	rig_close(&g);
}

static void pause_is_held_and_released_as_a_whole(void **state)
{
	static struct rig g;
	struct tester_item hold = xoff;
	const struct tester_item on = {
		.kind = TESTER_RELEASE, .after = TESTER_AT_START, .opcode = MACCTL_PAUSE};

	(void)state;
	hold.opcode = MACCTL_PAUSE;
	hold.pfc = (struct pkt_pfc){.quanta[0] = 1000};
	rig_open(&g);
	begin(&g, &hold, 1);
	run(&g, PS_PER_US);
	assert_int_equal(g.out[0].kind, PKT_PAUSE);
	assert_int_equal(tester_holds(g.t, g.now), 0xff);
	begin(&g, &on, 1);
	run(&g, 100 * PS_PER_US);
	assert_int_equal(g.n, 2);
	assert_int_equal(g.out[1].u.pfc.quanta[0], 0);
	assert_int_equal(tester_holds(g.t, g.now), 0);
	assert_int_equal(tester_stats(g.t)->pause_tx_frames, 2);
	rig_close(&g);
}

static void take(struct rig *g, struct pkt frame)
{
	struct pkt *p = pkt_get(&g->stack);

	*p = frame;
	p->when = g->now;
	tester_rx(g->t, 0, &p, 1, g->now);
}

static void it_tells_frames_apart(void **state)
{
	static struct rig g;
	const struct hdr tagged = {.flags = HDR_VLAN | HDR_IPV4, .vlan_tci = 5 << 13},
			 mac = {.src = {2, 1}, .dst = {1, 0x80}};
	struct pkt ours = {.kind = PKT_GEN,
			   .hdr = &tagged,
			   .len = 100,
			   .tos = 7,
			   .u.gen = {.source = (uint32_t)SALT << 16 | 9,
				   .seq = 5 * TESTER_NUMBERS + 77}},
		   pfc = {.kind = PKT_PFC,
			   .hdr = &mac,
			   .len = 60,
			   .u.pfc = {.enable = 2, .quanta[1] = 9}};

	(void)state;
	rig_open(&g);
	begin(&g, NULL, 0);
	g.now = 500;
	take(&g, ours);
	ours.u.gen.seq = 4 * TESTER_NUMBERS + 78;
	take(&g, ours);
	ours.u.gen.source = 9;
	take(&g, ours);
	take(&g, pfc);
	take(&g, pfc);
	pfc.u.pfc.quanta[1] = 0;
	take(&g, pfc);
	assert_int_equal(g.step.n_seen, 6);
	assert_int_equal(g.seen[0].frame, TESTER_OURS);
	assert_int_equal(g.seen[0].source, 9);
	assert_int_equal(g.seen[0].number, 77);
	assert_int_equal(g.seen[0].pcp, 5);
	assert_int_equal(g.seen[0].tos, 7);
	assert_int_equal(g.seen[0].at, 500);
	assert_false(g.seen[0].sent);
	assert_int_equal(g.seen[1].frame, TESTER_EARLIER);
	assert_int_equal(g.seen[2].frame, TESTER_OTHER);
	assert_int_equal(g.seen[3].frame, TESTER_CONTROL);
	assert_int_equal(g.seen[4].number, g.seen[3].number);
	assert_int_equal(g.step.n_control, 2);
	assert_int_equal(g.control[1].pfc.enable, 2);
	assert_int_equal(tester_pause_rx(g.t)->stats[1].xoff_frames, 2);
	assert_int_equal(tester_pause_rx(g.t)->paused, 0);
	rig_close(&g);
}

static void what_it_has_no_room_for_is_counted(void **state)
{
	static struct rig g;
	const struct pkt p = {.kind = PKT_OTHER, .hdr = &g.hdr[0], .len = 60};

	(void)state;
	rig_open(&g);
	begin(&g, NULL, 0);
	g.step.room = 1;
	take(&g, p);
	take(&g, p);
	assert_int_equal(g.step.n_seen, 1);
	assert_int_equal(g.step.unseen, 1);
	assert_int_equal(tester_stats(g.t)->unseen_frames, 1);
	assert_int_equal(tester_stats(g.t)->rx_frames, 2);
	rig_close(&g);
}

static const struct tester_item burst = {.kind = TESTER_DATA,
	.after = TESTER_AT_START,
	.count = 10,
	.len = 60,
	.pcp = TESTER_UNTAGGED};

// A call that comes late: wire time is lost, and the item says so.
static void a_late_call_is_noted(void **state)
{
	static struct rig g;
	struct pkt *p;

	(void)state;
	rig_open(&g);
	begin(&g, &burst, 1);
	assert_int_equal(tester_tx(g.t, 0, &p, 1, 300), 1);
	pkt_put(&g.stack, p);
	assert_int_equal(g.step.late, 300);
	assert_int_equal(g.step.idle, 300);
	assert_int_equal(tester_tx(g.t, 0, &p, 1, 300 + 84 * BYTE + 50), 1);
	pkt_put(&g.stack, p);
	assert_int_equal(g.step.late, 300); // the second frame has no instant of its own
	assert_int_equal(g.step.idle, 350);
	assert_int_equal(g.step.busy, 2 * 84 * BYTE);
	rig_close(&g);
}

static void without_a_link_or_descriptors_it_waits(void **state)
{
	static struct rig g;
	struct pkt *p[PKTS];
	unsigned n;

	(void)state;
	rig_open(&g);
	begin(&g, &burst, 1);
	assert_int_equal(ctl(&g, CTL_LINK_DOWN, NULL), 0);
	assert_int_equal(tester_deadline(g.t, 0), TSTAMP_NEVER);
	assert_false(tester_is_up(g.t));
	assert_int_equal(ctl(&g, CTL_LINK_UP, NULL), 0);
	for (n = 0; n < PKTS; n++)
		p[n] = pkt_get(&g.stack);
	assert_int_equal(tester_tx(g.t, 0, p, 1, 0), 0);
	assert_int_equal(tester_stats(g.t)->no_desc, 1);
	assert_true(tester_deadline(g.t, 0) > 0);
	while (n)
		pkt_put(&g.stack, p[--n]);
	run(&g, PS_PER_US);
	assert_int_equal(g.n, 10);
	rig_close(&g);
}

static void data_wait_for_go_on_and_holds_do_not(void **state)
{
	static struct rig g;
	const struct tester_item item[] = {burst, xoff};

	(void)state;
	rig_open(&g);
	begin(&g, item, 2);
	assert_false(tester_is_quiet(g.t));
	assert_int_equal(ctl(&g, CTL_QUIESCE, NULL), 0);
	assert_true(tester_is_quiet(g.t));
	assert_int_equal(tester_urgent(g.t, 0), 0);
	run(&g, 15 * PS_PER_US);
	assert_int_equal(g.n, 2);
	assert_int_equal(ctl(&g, CTL_GO_ON, NULL), 0);
	run(&g, 16 * PS_PER_US);
	assert_int_equal(g.n, 12);
	assert_int_equal(ctl(&g, CTL_FDB_FLUSH, NULL), -EINVAL);
	rig_close(&g);
}

static void bad_lists_are_refused(void **state)
{
	struct tester_item two[2] = {burst, burst};
	struct tester_item i = burst;

	(void)state;
	assert_int_equal(tester_check(&i, 1, 1), 0);
	i.to = 1;
	assert_int_equal(tester_check(&i, 1, 1), -EINVAL);
	i = burst;
	i.len = 59;
	assert_int_equal(tester_check(&i, 1, 1), -EINVAL);
	i = xoff;
	i.opcode = 0x1234;
	assert_int_equal(tester_check(&i, 1, 1), -EINVAL);
	i = (struct tester_item){.kind = TESTER_RELEASE, .after = TESTER_AT_START};
	assert_int_equal(tester_check(&i, 1, 1), -EINVAL);
	i.opcode = MACCTL_PAUSE;
	assert_int_equal(tester_check(&i, 1, 1), 0);
	two[1].after = 1;
	assert_int_equal(tester_check(two, 2, 1), -EINVAL);
	two[1].after = 0;
	assert_int_equal(tester_check(two, 2, 1), 0);
	two[0].count = 0;
	assert_int_equal(tester_check(two, 2, 1), -EINVAL);
	assert_int_equal(tester_check(two, TESTER_ITEMS + 1, 1), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_frame_leaves_at_its_instant),
		cmocka_unit_test(a_hold_goes_on_in_later_steps_until_all_classes_are_released),
		cmocka_unit_test(pause_is_held_and_released_as_a_whole),
		cmocka_unit_test(it_tells_frames_apart),
		cmocka_unit_test(what_it_has_no_room_for_is_counted),
		cmocka_unit_test(a_late_call_is_noted),
		cmocka_unit_test(without_a_link_or_descriptors_it_waits),
		cmocka_unit_test(data_wait_for_go_on_and_holds_do_not),
		cmocka_unit_test(bad_lists_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
