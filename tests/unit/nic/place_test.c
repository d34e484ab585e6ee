// SPDX-License-Identifier: BSD-3-Clause
// Places of queue pairs: one that is at rest gives its place to another, and nobody sees that it
// did. Runs of the same load, with places taken back and with a place for each, are the same in all
// frames, events and counters.
#include <inttypes.h>

#include "base/prng.h"
#include "nic_lab.h"
#include "qp/int.h"
#include "rounds.h"

#define PAIRS  24u
#define STEPS  120u
#define SCENES 40u

// The parameters of a load, all drawn before it begins.
struct scene {
	uint64_t seed;
	struct rp_cfg rp;
	struct nic_qp_params req[PAIRS];
	struct hdr data[PAIRS], back[PAIRS];
	struct rc_cfg rc[3];
	struct dcqcn_np_params np;
	bool np_off;
	unsigned ce, loss, again; // permille of frames that are marked, lost, come again
};

struct outcome {
	uint64_t hash, frames;
	uint32_t places[2]; // that nic 0 lent to requesters, and nic 1 to responders
	bool every_end_is_back;
};

static struct load {
	const struct scene *s;
	struct prng wire;
	struct outcome *o;
	struct pkt late[8]; // copies of frames that come once more, when the load says so
	unsigned n_late;
} load;

static void mix(const void *bytes, size_t n)
{
	load.o->hash = load.o->hash * 31 + index_hash((uint32_t)load.o->hash, bytes, n);
}

static bool carry(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	uint64_t word[] = {from, now, p->kind, p->len, p->flags, p->tos, p->cls, p->u.rc.opcode,
		p->u.rc.bth, p->u.rc.syndrome, p->u.rc.qpn, p->u.rc.psn, p->u.rc.arg};

	(void)l;
	mix(word, sizeof(word));
	load.o->frames++;
	if (p->kind == PKT_DATA && prng_below(&load.wire, 1000) < load.s->ce)
		p->tos |= ECN_CE;
	if (pkt_is_roce(p->kind) && prng_below(&load.wire, 1000) < load.s->again)
		load.late[load.n_late++ % 8] = *p;
	return prng_below(&load.wire, 1000) >= load.s->loss;
}

static struct rc_cfg rc_at_random(struct prng *g)
{
	struct rc_params p = lab_rc_params();
	struct rc_cfg rc;

	p.verb = (enum rc_verb)prng_below(g, RC_READ);
	p.window = 1 + (uint32_t)prng_below(g, 64);
	p.ack_every = 1 + (uint32_t)prng_below(g, 20);
	p.rto_ps = (20 + prng_below(g, 200)) * PS_PER_US;
	p.retries = prng_below(g, 4) ? 7 : 1;
	assert_int_equal(rc_cfg_init(&rc, &p), 0);
	return rc;
}

static void scene_at_random(struct scene *s, uint64_t seed)
{
	static const char *const profile[] = {"paper", "hpcc_sim_dcqcn", "connectx"};
	struct prng g;
	struct lab l;

	*s = (struct scene){.seed = seed};
	prng_init(&g, seed, "scene");
	lab_init(&l);
	s->rp = rp_of_profile(profile[prng_below(&g, 3)], 100 * RATE_GBPS);
	for (unsigned i = 0; i < 3; i++)
		s->rc[i] = rc_at_random(&g);
	s->np = (struct dcqcn_np_params){.mode = (enum np_mode)prng_below(&g, NP_PER_PACKET + 1),
		.interval_ps = (1 + prng_below(&g, 60)) * PS_PER_US,
		.key = (enum np_key)prng_below(&g, NP_KEY_PORT + 1),
		.with_nak = prng_below(&g, 2)};
	s->ce = prng_below(&g, 3) ? (unsigned)prng_below(&g, 60) : 0;
	s->loss = prng_below(&g, 3) ? (unsigned)prng_below(&g, 20) : 0;
	s->again = (unsigned)prng_below(&g, 100);
	for (unsigned i = 0; i < PAIRS; i++) {
		struct nic_qp_params *p = &s->req[i];

		s->data[i] = l.data_hdr;
		s->back[i] = l.back_hdr;
		s->back[i].daddr[3] = (uint8_t)prng_below(&g, 3);
		*p = lab_req(&l, i + 1);
		p->data_hdr = &s->data[i];
		p->rc = &s->rc[prng_below(&g, 3)];
		p->cls = prng_below(&g, 2) ? 3 : 4;
		p->message_bytes = (uint32_t)prng_below(&g, 20000);
		p->outstanding = 1 + (unsigned)prng_below(&g, 4);
		p->count = prng_below(&g, 3) ? 1 + prng_below(&g, 4) : 0;
		p->rp = prng_below(&g, 2) ? &s->rp : NULL;
		p->rate_limit = prng_below(&g, 3) ? 0 : (1 + prng_below(&g, 99)) * RATE_GBPS / 10;
		p->phase = prng_u32(&g);
		p->psn = prng_below(&g, 2) ? 0xfffff0 + (uint32_t)prng_below(&g, 16) : 0;
		p->start = prng_below(&g, 2) ? TSTAMP_NEVER : prng_below(&g, 300) * PS_PER_US;
		p->catch_up_ps = prng_below(&g, 2) ? PACER_AUTO : 0;
	}
}

static void add_pairs(struct lab *l, const struct scene *s)
{
	for (unsigned i = 0; i < PAIRS; i++) {
		const struct nic_qp_params *req = &s->req[i];
		struct nic_qp_params rsp = {.flow = req->flow,
			.qpn = req->qpn,
			.peer_qpn = req->qpn,
			.data_hdr = req->data_hdr,
			.ack_hdr = &s->back[i],
			.cnp_hdr = &s->back[i],
			.cls = req->cls,
			.ack_cls = 6,
			.rc = req->rc,
			.psn = req->psn};

		assert_int_equal(nic_add_qp(l->nic[0], req), 0);
		assert_int_equal(nic_add_qp(l->nic[1], &rsp), 0);
	}
}

// Frames that came once come again: a late ACK or CNP, or a duplicate of data. Their queue pairs
// may have no place by now.
static void repeat(struct lab *l)
{
	for (unsigned i = 0; i < load.n_late && i < 8; i++) {
		const struct pkt *p = &load.late[i];

		lab_rx(l, p->kind == PKT_DATA, p);
	}
	load.n_late = 0;
	for (unsigned i = 0; i < 2; i++)
		if (nic_deadline(l->nic[i], 0) <= l->now)
			lab_tx(l, i);
}

static struct rc_cfg other_rc(const struct rc_cfg *was, struct prng *g)
{
	struct rc_params p = was->p;
	struct rc_cfg rc;

	p.window = 1 + (uint32_t)prng_below(g, 64);
	p.ack_every = 1 + (uint32_t)prng_below(g, 20);
	p.rto_ps = (20 + prng_below(g, 200)) * PS_PER_US;
	p.retries = prng_below(g, 4) ? 7 : 1;
	assert_int_equal(rc_cfg_init(&rc, &p), 0);
	return rc;
}

static struct rp_cfg other_rp(const struct rp_cfg *was, struct prng *g)
{
	struct dcqcn_rp_params p = was->u.dcqcn.p;

	p.alpha_timer_ps = (1 + prng_below(g, 60)) * PS_PER_US;
	p.rate_timer_ps = prng_below(g, 4) ? (1 + prng_below(g, 300)) * PS_PER_US : TSTAMP_NEVER;
	p.byte_counter = prng_below(g, 4) ? (1 + prng_below(g, 1000)) * 1000 : 0;
	p.cut_interval_ps = (1 + prng_below(g, 10)) * PS_PER_US;
	p.ai_rate = prng_below(g, 1000) * RATE_MBPS;
	p.min_rate = (1 + prng_below(g, 2000)) * RATE_MBPS;
	p.g = 1.0 / (double)(2 + prng_below(g, 300));
	p.initial_alpha = (double)prng_below(g, 1000) / 1000;
	return rp_of_dcqcn(&p);
}

// Some queue pairs take over other values, at both ends.
static void adopt(struct lab *l, struct prng *g)
{
	struct nic_adopt *a[2];
	unsigned n = 1 + (unsigned)prng_below(g, 5);

	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(nic_adopt_new(&a[i], l->nic[i]), 0);
	while (n--) {
		struct nic_qp_params p = load.s->req[prng_below(g, PAIRS)];
		struct rc_cfg rc = other_rc(p.rc, g);
		struct rp_cfg rp = other_rp(&load.s->rp, g);

		p.rc = &rc;
		p.rp = p.rp ? &rp : NULL;
		p.message_bytes = (uint32_t)prng_below(g, 20000);
		p.outstanding = 1 + (unsigned)prng_below(g, nic_ring_room(p.outstanding));
		p.rate_limit = prng_below(g, 3) ? 0 : (1 + prng_below(g, 99)) * RATE_GBPS / 10;
		assert_int_equal(nic_adopt_qp(a[0], &p), 0);
		p.requester = false;
		assert_int_equal(nic_adopt_qp(a[1], &p), 0);
	}
	if (!prng_below(g, 4)) {
		struct dcqcn_np_params np = load.s->np;

		np.interval_ps = prng_below(g, 60) * PS_PER_US;
		np.mode = (enum np_mode)prng_below(g, NP_PER_PACKET + 1);
		assert_int_equal(nic_adopt_np(a[1], &np, !prng_below(g, 4)), 0);
	}
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(lab_ctl(l, i, (struct ctl){.type = CTL_ADOPT, .with = a[i]}), 0);
		nic_adopt_free(a[i]);
	}
}

static void command(struct lab *l, struct prng *g)
{
	struct ctl flow = {.type = prng_below(g, 4) ? CTL_FLOW_START : CTL_FLOW_STOP,
		.id = 1 + (uint32_t)prng_below(g, PAIRS)};
	struct ctl down = {.type = CTL_LINK_DOWN}, up = {.type = CTL_LINK_UP};
	struct pkt pfc = {.kind = PKT_PFC, .len = PKT_MIN_LEN, .u.pfc = {.enable = 1 << 3}};

	switch (prng_below(g, 14)) {
	case 0:
		pfc.u.pfc.quanta[3] = (uint16_t)prng_below(g, 5000);
		lab_rx(l, 0, &pfc);
		break;
	case 1:
		lab_ctl(l, 0, prng_below(g, 3) ? up : down);
		break;
	case 2:
	case 3:
		repeat(l);
		break;
	case 4: // the same pair once more in the same instant
		lab_ctl(l, 0, flow);
		lab_run(l, l->now);
		flow.type = CTL_FLOW_STOP;
		lab_ctl(l, 0, flow);
		flow.type = CTL_FLOW_START;
		lab_ctl(l, 0, flow);
		break;
	case 5:
	case 6:
		adopt(l, g);
		break;
	default:
		lab_ctl(l, 0, flow);
		break;
	}
	lab_run(l, l->now);
}

// What anybody can see of the queue pairs.
static void look(struct lab *l)
{
	for (unsigned k = 0; k < 2; k++) {
		nic_account(l->nic[k], l->now);
		lab_drain_events(l, k);
		mix(nic_stats(l->nic[k]), offsetof(struct nic_stats, knows_far));
		for (unsigned i = 0; i < PAIRS; i++) {
			const struct rc_tx *tx = nic_qp_rc_tx(l->nic[k], i);
			struct rp_look rp = {0};
			uint64_t word[] = {tx && rc_tx_waits(tx), tx ? tx->failed : 0,
				k ? nic_qp_whole_at(l->nic[k], i) : 0,
				k ? nic_qp_immediate(l->nic[k], i) : 0,
				nic_qp_look(l->nic[k], i, &rp), rp.rc, rp.rt, rp.alpha};

			mix(nic_qp_stats(l->nic[k], i), sizeof(struct nic_qp_stats));
			mix(word, sizeof(word));
		}
	}
}

// `live_pairs`: as in struct nic_params. `keeps`: each queue pair has a place from the start.
static void run(const struct scene *s, struct outcome *o, unsigned live_pairs, bool keeps)
{
	static struct lab l;
	struct hist latency;
	struct prng g;

	*o = (struct outcome){0};
	load = (struct load){.s = s, .o = o};
	prng_init(&g, s->seed, "load");
	prng_init(&load.wire, s->seed, "wire");
	lab_init(&l);
	l.p[0].np = l.p[1].np = s->np;
	l.p[0].live_pairs = live_pairs;
	l.hook = carry;
	lab_start(&l);
	if (s->seed % 4) // so that places change hands as often as they can
		l.nic[0]->quiet = l.nic[1]->quiet = 0;
	add_pairs(&l, s);
	for (unsigned i = 0; keeps && i < PAIRS; i++)
		nic_qp_at(l.nic[0], i)->lends = nic_qp_at(l.nic[1], i)->lends = false;
	hist_init(&latency);
	for (unsigned i = 0; i < STEPS; i++) {
		lab_run(&l, l.now + prng_below(&g, 1 + prng_below(&g, 100)) * PS_PER_US);
		command(&l, &g);
		if (!prng_below(&g, 10))
			look(&l);
		if (i == STEPS / 2) // the window of figures begins
			for (unsigned k = 0; k < PAIRS; k++)
				nic_qp_lend_latency(l.nic[1], k, &latency);
	}
	lab_ctl(&l, 0, (struct ctl){.type = CTL_LINK_UP});
	for (uint32_t i = 1; i <= PAIRS; i++)
		lab_ctl(&l, 0, (struct ctl){.type = CTL_FLOW_STOP, .id = i});
	lab_run(&l, l.now + 20 * PS_PER_MS);
	look(&l);
	hist_settle(&latency);
	mix(&latency.n, sizeof(latency.n));
	mix(&latency.sum, sizeof(latency.sum));
	for (unsigned i = 0; i < l.n_ev; i++) {
		mix(&l.ev[i], sizeof(l.ev[i]));
		mix(&l.ev_nic[i], sizeof(l.ev_nic[i]));
	}
	o->places[1] = l.nic[0]->placed[1];
	o->places[0] = l.nic[1]->placed[0];
	lab_end(&l);
}

static void nobody_sees_that_places_change_hands(void **state)
{
	const char *given = getenv("QUENCH_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;
	unsigned fewer = 0, rounds = given ? 1 : rounds_of(SCENES);

	(void)state;
	for (unsigned i = 0; i < rounds; i++, seed++) {
		struct outcome lent, kept;
		struct scene s;

		scene_at_random(&s, seed);
		run(&s, &kept, 0, true);
		run(&s, &lent, i % 2 ? PAIRS : 0, false);
		if (lent.hash != kept.hash || lent.frames != kept.frames)
			fail_msg("QUENCH_SEED=%" PRIu64 ": %" PRIu64 " and %" PRIu64 " frames",
				seed, lent.frames, kept.frames);
		assert_int_equal(kept.places[0], PAIRS);
		fewer += lent.places[0] < PAIRS && lent.places[1] < PAIRS;
	}
	assert_true(given || fewer > rounds / 2);
}

// One message on each pair, one after the other: few places serve all of them.
static void memory_follows_the_pairs_in_use(void **state)
{
	static struct lab l;

	(void)state;
	lab_init(&l);
	lab_start(&l);
	l.nic[0]->quiet = l.nic[1]->quiet = 0;
	for (unsigned i = 1; i <= 2000; i++) {
		struct nic_qp_params p = lab_req(&l, i);

		p.message_bytes = 3000;
		p.count = 1;
		p.start = i * 10 * PS_PER_US;
		lab_add(&l, &p);
	}
	lab_run(&l, 30 * PS_PER_MS);
	for (unsigned i = 0; i < 2000; i++) {
		assert_int_equal(nic_qp_stats(l.nic[0], i)->message_tx, 1);
		assert_int_equal(nic_qp_stats(l.nic[1], i)->message_complete_rx, 1);
	}
	assert_true(l.nic[0]->placed[1] <= 3);
	assert_true(l.nic[1]->placed[0] <= 3);
	lab_end(&l);
}

// A scene in which no queue pair is slowed down or fails. Returns how many places there are.
static unsigned few_places(struct scene *s, uint64_t seed)
{
	struct prng g;
	unsigned most;

	scene_at_random(s, seed);
	prng_init(&g, seed, "places");
	most = 1 + (unsigned)prng_below(&g, 5);
	s->ce = s->again = s->np.with_nak = 0;
	for (unsigned k = 0; k < PAIRS; k++) {
		s->req[k].start = prng_below(&g, 2) ? TSTAMP_NEVER : s->req[k].start % PS_PER_US;
		s->req[k].message_bytes /= 8;
		s->req[k].stop = s->req[k].count ? TSTAMP_NEVER : 4 * PS_PER_MS;
		s->rc[k % 3].p.retries = RC_NO_LIMIT;
	}
	return most;
}

// However few places there are, all counted messages are done, and endless queue pairs share them.
static void wait_for_a_place(uint64_t seed)
{
	static struct lab l;
	struct outcome o = {0};
	struct scene s;
	unsigned most = few_places(&s, seed);

	load = (struct load){.s = &s, .o = &o};
	prng_init(&load.wire, seed, "wire");
	lab_init(&l);
	l.p[0].np = l.p[1].np = s.np;
	l.p[0].live_pairs = most;
	l.hook = carry;
	lab_start(&l);
	add_pairs(&l, &s);
	for (uint32_t k = 1; k <= PAIRS; k++)
		if (s.req[k - 1].start == TSTAMP_NEVER)
			lab_ctl(&l, 0, (struct ctl){.type = CTL_FLOW_START, .id = k});
	lab_run(&l, 40 * PS_PER_MS);
	nic_account(l.nic[0], l.now);
	for (unsigned k = 0; k < PAIRS; k++) {
		uint64_t n = nic_qp_stats(l.nic[0], k)->message_tx;

		if (s.req[k].count ? n != s.req[k].count : n < 3)
			fail_msg("QUENCH_SEED=%" PRIu64 ": pair %u of %u sent %" PRIu64
				 " messages of %" PRIu64,
				seed, k, most, n, s.req[k].count);
	}
	assert_true(nic_stats(l.nic[0])->place_waits >= PAIRS - most);
	assert_true(nic_stats(l.nic[0])->place_wait_ps > 0);
	if (!s.loss) // an ACK that comes late gets one more
		assert_in_range(l.nic[0]->placed[1], 1, most);
	lab_end(&l);
}

static void messages_wait_for_a_place(void **state)
{
	const char *given = getenv("QUENCH_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;

	(void)state;
	// Frames that are sent again wait for their gap when an ACK of all comes.
	wait_for_a_place(1038);
	for (unsigned i = 0; i < (given ? 1 : rounds_of(SCENES / 4)); i++, seed++)
		wait_for_a_place(seed);
}

// Two requesters with a message each take turns at one place; the first has it.
static void two_at_one_place(struct lab *l)
{
	lab_init(l);
	l->p[0].live_pairs = 1;
	lab_start(l);
	for (unsigned i = 1; i <= 2; i++) {
		struct nic_qp_params p = lab_req(l, i);

		p.start = TSTAMP_NEVER;
		p.message_bytes = 3000;
		p.count = 1;
		p.rate_limit = RATE_GBPS;
		p.phase = UINT32_MAX;
		lab_add(l, &p);
		lab_ctl(l, 0, (struct ctl){.type = CTL_FLOW_START, .id = i});
	}
	lab_run(l, PS_PER_US);
	assert_int_equal(nic_stats(l->nic[0])->place_waits, 1);
}

// A requester that has a place and is stopped before it starts leaves the place to the other one.
static void a_stopped_start_leaves_its_place(void **state)
{
	static struct lab l;

	(void)state;
	two_at_one_place(&l);
	lab_ctl(&l, 0, (struct ctl){.type = CTL_FLOW_STOP, .id = 1});
	lab_run(&l, 10 * PS_PER_MS);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->message_tx, 0);
	assert_int_equal(nic_qp_stats(l.nic[0], 1)->message_tx, 1);
	lab_end(&l);
}

static bool lose_first_acks(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	(void)l;
	(void)p;
	return !from || now > PS_PER_MS / 2;
}

// Frames are to be sent again, and the gap before the next of them runs, when an ACK of all comes.
static void a_gap_without_a_frame_leaves_its_place(void **state)
{
	static struct lab l;

	(void)state;
	for (unsigned paused = 0; paused < 2; paused++) {
		const struct nic_qp *qp;

		two_at_one_place(&l);
		l.hook = lose_first_acks;
		qp = l.nic[0]->qp[0];
		lab_run(&l, PS_PER_MS);
		while (qp->req.tx.messages)
			lab_run(&l, l.now + PS_PER_US / 10);
		assert_int_equal(qp->state, NIC_QP_GAP);
		if (paused) {
			lab_ctl(&l, 0, (struct ctl){.type = CTL_PAUSE, .id = 1});
			lab_ctl(&l, 0, (struct ctl){.type = CTL_RESUME, .id = 1});
		}
		lab_run(&l, 10 * PS_PER_MS);
		assert_int_equal(nic_qp_stats(l.nic[0], 1)->message_tx, 1);
		lab_end(&l);
	}
}

// A queue pair whose counters do not fit its record stays where it is.
static void more_counters_than_are_kept(void **state)
{
	struct nic_rest full, back;
	struct nic_kept kept = {.has = 7};

	(void)state;
	memset(&full, 1, sizeof(full));
	assert_false(nic_kept_put(&kept, &full));
	assert_int_equal(kept.has, 7);
	memset(&full, 0, sizeof(full));
	full.s.tx_bytes = 5;
	full.whole_at = 9;
	assert_true(nic_kept_put(&kept, &full));
	nic_kept_get(&kept, &back);
	assert_memory_equal(&back, &full, sizeof(full));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_sees_that_places_change_hands),
		cmocka_unit_test(memory_follows_the_pairs_in_use),
		cmocka_unit_test(messages_wait_for_a_place),
		cmocka_unit_test(a_stopped_start_leaves_its_place),
		cmocka_unit_test(a_gap_without_a_frame_leaves_its_place),
		cmocka_unit_test(more_counters_than_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
