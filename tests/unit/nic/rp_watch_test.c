// SPDX-License-Identifier: BSD-3-Clause
// Whoever looks at reaction points changes nothing: the same frames leave at the same instants
// whether events are wanted, and however often the NIC is asked to account.
#include <inttypes.h>
#include <stdio.h>

#include "rp/plugin_rp.h"
#include "defaults.h"
#include "nic_rdma_ip_lab.h"
#include "rounds.h"

#define LINE   (10 * RATE_GBPS)
#define QPS    5
#define STEPS  60
#define SCENES 40
// The events that a book is made of.
#define BOOKED (1ull << EV_RP | 1ull << EV_CUT | 1ull << EV_CNP_RX | 1ull << EV_CNM_RX)

// How a scene is looked at.
struct watch {
	uint64_t want;     // events
	unsigned accounts; // percent of the steps after which the NIC accounts
	bool lends;        // books
};

struct outcome {
	uint64_t frames, hash;
	struct nic_stats nic;
	struct nic_qp_stats qp[QPS];
	rate_t rate[QPS];
	struct rp_book book[QPS]; // lent, or of the events
	struct hist cut;
	bool whole;      // no event was left out
	unsigned shared; // of them share a reaction point, whose events are told
};

static struct {
	struct prng wire; // what is marked and lost
	unsigned ce_permille, loss_permille;
	uint64_t frames, hash;
} run;

// A plug-in with everything that moves: a CNP halves its rate, a timer raises it, ACKs and the
// timer move its window.
static void own_init(struct plugin_rp *rp)
{
	rp->window = 20000;
	rp->deadline = 30 * US;
}

static enum rp_event own_cnp(struct plugin_rp *rp, tstamp now)
{
	rp->rate = rp->rate / 2 < RATE_MIN ? RATE_MIN : rp->rate / 2;
	rp->deadline = now + 55 * US;
	return RP_NONE;
}

static enum rp_event own_ack(struct plugin_rp *rp, const struct rp_ack *ack, tstamp now)
{
	(void)now;
	rp->window = ack->ce ? rp->window / 2 + 1 : rp->window + ack->bytes / 8;
	return RP_NONE;
}

static enum rp_event own_nak(struct plugin_rp *rp, tstamp now)
{
	(void)now;
	rp->window = rp->window / 2 + 1;
	return RP_DECREASE;
}

static enum rp_event own_sent(struct plugin_rp *rp, uint32_t bytes, tstamp now)
{
	(void)bytes;
	(void)now;
	if (rp->window > 100000)
		rp->window = 100000;
	return RP_NONE;
}

static enum rp_event own_expire(struct plugin_rp *rp, tstamp now)
{
	rp->rate = (rp->rate + LINE) / 2;
	rp->window += 1000;
	rp->deadline = now + 55 * US;
	return RP_T_FAST_RECOVERY;
}

static const struct plugin_rp_ops own_ops = {
	own_init, own_cnp, own_ack, own_nak, own_sent, own_expire};

static struct rp_cfg cfg_at_random(struct prng *g)
{
	static const char *const profile[] = {"paper", "hpcc_sim_dcqcn", "connectx"};
	struct rp_cfg cfg = {.kind = RP_DCQCN};
	struct rdma_ip_reg_params regs = ip;
	struct timely_rp_params t;
	struct qcn_rp_params q;
	struct dctcp_rp_params d;

	switch (prng_below(g, 8)) {
	case 0:
		qcn_rp_defaults(&q, LINE);
		return rp_of_qcn(&q);
	case 1:
		regs.init.qp.rp.max_rate = regs.initial_rate = 5120;
		return rp_of_rdma_ip(&regs);
	case 2:
		timely_rp_defaults(&t, LINE, false);
		cfg.kind = RP_TIMELY;
		assert_int_equal(timely_rp_cfg_init(&cfg.u.timely, &t), 0);
		return cfg;
	case 3:
		dctcp_rp_defaults(&d, LINE, false);
		cfg.kind = RP_DCTCP;
		assert_int_equal(dctcp_rp_cfg_init(&cfg.u.dctcp, &d), 0);
		return cfg;
	case 4:
		cfg.kind = RP_PLUGIN;
		cfg.u.plugin = (struct plugin_rp_cfg){.ops = &own_ops,
			.asks = RP_ASKS_CNP | RP_ASKS_ACK,
			.counts = true,
			.line_rate = LINE};
		return cfg;
	default:
		return rp_of_profile(profile[prng_below(g, 3)], LINE);
	}
}

static void mix(uint64_t v)
{
	run.hash = (run.hash ^ v) * 0x100000001b3;
}

static bool carry(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	(void)l;
	run.frames++;
	mix(now);
	mix(from << 8 | p->kind);
	mix((uint64_t)p->u.rc.qpn << 32 | p->u.rc.psn);
	mix(p->len);
	if (p->kind == PKT_DATA && prng_below(&run.wire, 1000) < run.ce_permille)
		p->tos = (uint8_t)((p->tos & ~3) | ECN_CE);
	return p->kind == PKT_PFC || prng_below(&run.wire, 1000) >= run.loss_permille;
}

// Queue pairs of QCN take turns with the others of their class, which all have one configuration.
static const struct rp_cfg *qcn_of(const struct nic_qp_params *added, unsigned n, unsigned cls)
{
	for (unsigned i = 0; i < n; i++)
		if (added[i].cls == cls && added[i].rp && added[i].rp->kind == RP_QCN)
			return added[i].rp;
	return NULL;
}

static void add(struct lab *l, struct nic_qp_params *added, struct rp_cfg *cfg, uint32_t qpn,
	struct prng *g)
{
	static const tstamp catch_up[] = {0, 20 * US, PACER_AUTO, 700 * US, 30 * PS_PER_MS};
	static const rate_t limit[] = {0, 5 * RATE_GBPS, RATE_GBPS, 100 * RATE_MBPS};
	static const uint32_t most[] = {1000, 30000, 1000000};
	struct nic_qp_params p = lab_req(l, qpn);

	*cfg = cfg_at_random(g);
	p.rp = prng_below(g, 10) ? cfg : NULL;
	p.cls = (uint8_t)(3 + prng_below(g, 2));
	p.message_bytes = 1 + (uint32_t)prng_below(g, most[prng_below(g, 3)]);
	p.outstanding = 1 + (unsigned)prng_below(g, 4);
	p.catch_up_ps = catch_up[prng_below(g, 5)];
	p.rate_limit = limit[prng_below(g, 4)];
	p.start = prng_below(g, PS_PER_MS);
	// One register file is of one configuration.
	for (uint32_t i = 1; i < qpn && cfg->kind == RP_RDMA_IP; i++)
		if ((cfg - i)->kind == RP_RDMA_IP)
			p.rp = NULL;
	if (p.rp && p.rp->kind == RP_QCN && qcn_of(added, qpn - 1, p.cls))
		p.rp = qcn_of(added, qpn - 1, p.cls);
	added[qpn - 1] = p;
	lab_add(l, &p);
}

static void act(struct lab *l, struct prng *g)
{
	uint32_t qpn = 1 + (uint32_t)prng_below(g, QPS);
	unsigned cls = 3 + (unsigned)prng_below(g, 2);
	struct hdr h = {.ethertype = 0x22e7};
	struct pkt pfc = {.kind = PKT_PFC, .len = 60, .u.pfc.enable = (uint8_t)(1u << cls)};
	struct pkt cnp = {.kind = PKT_CNP, .len = 74, .u.rc = {.opcode = 0x81, .qpn = qpn}};
	struct pkt cnm = {.kind = PKT_CNM,
		.len = 60,
		.hdr = &h,
		.u.cnm = {.qntzfb = 1 + (uint8_t)prng_below(g, 63), .priority = (uint8_t)cls}};
	bool on = prng_below(g, 2);

	memcpy(h.dst, l->p[0].mac, 6);
	memcpy(h.daddr, l->p[1].mac, 6);
	switch (prng_below(g, 7)) {
	case 0:
	case 1:
		lab_rx(l, 0, &cnp);
		break;
	case 2:
		lab_rx(l, 0, &cnm);
		break;
	case 3:
	case 4:
		pfc.u.pfc.quanta[cls] = on ? (uint16_t)prng_below(g, 65536) : 0;
		lab_rx(l, 0, &pfc);
		break;
	case 5:
		lab_ctl(l, 0, (struct ctl){.type = on ? CTL_FLOW_START : CTL_FLOW_STOP, .id = qpn});
		break;
	default:
		lab_ctl(l, 0, (struct ctl){.type = on ? CTL_LINK_UP : CTL_LINK_DOWN});
		lab_ctl(l, 0, (struct ctl){.type = CTL_LINK_UP});
		break;
	}
}

static const tstamp window = 500 * US;

static void open_books(const struct lab *l, const struct watch *w, struct outcome *o)
{
	for (unsigned i = 0; i < QPS; i++) {
		struct rp_look look = {0};

		nic_qp_look(l->nic[0], i, &look);
		rp_book_init(&o->book[i], &window, look.rc, look.line);
		o->book[i].cut = &o->cut;
		o->shared += nic_qp_shares(l->nic[0], i) >= 0;
		if (w->lends && nic_qp_shares(l->nic[0], i) < 0)
			nic_qp_lend_book(l->nic[0], i, &o->book[i]);
	}
}

// One of the types that have the flow first, as it is to the queue pair i.
static void add_event(const struct lab *l, struct outcome *o, const struct ev *e, unsigned i)
{
	struct rp_book *b = &o->book[i];
	const struct rp *rp = nic_qp_rp(l->nic[0], i);
	bool by_cnm = rp && rp->asks & RP_ASKS_CNM;
	tstamp after;

	if (e->type == EV_RP) {
		rp_book_add(b, (enum rp_event)e->reaction, e->rp.rc, e->rp.rt, e->t);
	} else if (e->type == EV_CUT) {
		// The event names a sharing queue pair whose frame is held back.
		after = rp_book_cut(b, e->qp.flow - 1 == i ? e->cut.next : e->t, e->t);
		if (after != TSTAMP_NEVER)
			hist_add(b->cut, after, 1);
	} else if (by_cnm == (e->type == EV_CNM_RX)) {
		rp_book_notified(b, e->t);
	}
}

// An event of a shared reaction point counts for all that share it, but for a CNP.
static void add_events(const struct lab *l, struct outcome *o, const struct ev *e, bool lends)
{
	unsigned named = e->qp.flow - 1;
	int shares = nic_qp_shares(l->nic[0], named);

	if (shares < 0 || e->type == EV_CNP_RX) {
		assert_true(!lends || (e->type != EV_RP && e->type != EV_CUT));
		if (!lends)
			add_event(l, o, e, named);
		return;
	}
	for (unsigned i = 0; i < QPS; i++)
		if (nic_qp_shares(l->nic[0], i) == shares)
			add_event(l, o, e, i);
}

static void close_books(const struct lab *l, const struct watch *w, struct outcome *o)
{
	for (unsigned i = 0; i < l->n_ev; i++)
		if (!l->ev_nic[i] && BOOKED >> l->ev[i].type & 1)
			add_events(l, o, &l->ev[i], w->lends);
	o->whole = l->n_ev < LAB_EVS && !l->events[0].lost;
	for (unsigned i = 0; i < QPS; i++)
		rp_book_upto(&o->book[i], l->now);
}

static void ending(struct lab *l, const struct watch *w, struct outcome *o)
{
	struct rp_look look;

	nic_account(l->nic[0], l->now);
	lab_drain_events(l, 0);
	close_books(l, w, o);
	o->frames = run.frames;
	o->hash = run.hash;
	o->nic = *nic_stats(l->nic[0]);
	for (unsigned i = 0; i < QPS; i++) {
		nic_qp_counts(l->nic[0], i, &o->qp[i]);
		o->rate[i] = nic_qp_look(l->nic[0], i, &look) ? look.rc : 0;
	}
	lab_end(l);
}

static void scene(struct outcome *o, const struct watch *w, uint64_t seed)
{
	static const tstamp most[] = {10 * US, 300 * US, 3 * PS_PER_MS};
	static struct lab l;
	struct nic_qp_params added[QPS];
	struct rp_cfg cfg[QPS];
	struct prng g, looks;

	memset(&run, 0, sizeof(run));
	memset(o, 0, sizeof(*o));
	prng_init(&g, seed, "scene");
	prng_init(&looks, seed, "looks");
	prng_init(&run.wire, seed, "wire");
	run.ce_permille = (unsigned)(prng_below(&g, 2) * prng_below(&g, 100));
	run.loss_permille = (unsigned)(prng_below(&g, 2) * prng_below(&g, 10));
	lab_init(&l);
	for (unsigned i = 0; i < 2; i++)
		l.p[i].rate = LINE;
	l.p[0].rp_by_class = !prng_below(&g, 4);
	l.p[0].fixed_gap = !prng_below(&g, 6);
	l.p[0].pfc_classes = 3 << 3;
	l.hook = carry;
	lab_start(&l);
	for (unsigned i = 0; i < 2; i++)
		l.events[i].want = w->want;
	for (uint32_t i = 0; i < QPS; i++)
		add(&l, added, &cfg[i], i + 1, &g);
	open_books(&l, w, o);
	for (unsigned i = 0; i < STEPS; i++) {
		lab_run(&l, l.now + prng_below(&g, most[prng_below(&g, 3)]));
		if (prng_below(&looks, 100) < w->accounts) {
			nic_account(l.nic[0], l.now);
			lab_drain_events(&l, 0);
		}
		act(&l, &g);
	}
	ending(&l, w, o);
}

static void same(const struct outcome *a, const struct outcome *b)
{
	assert_int_equal(a->frames, b->frames);
	assert_int_equal(a->hash, b->hash);
	assert_memory_equal(&a->nic, &b->nic, sizeof(a->nic));
	for (unsigned i = 0; i < QPS; i++) {
		assert_memory_equal(&a->qp[i], &b->qp[i], sizeof(a->qp[i]));
		assert_int_equal(a->rate[i], b->rate[i]);
	}
}

static void scenes(const struct watch *w)
{
	static const struct watch nobody = {0};
	const char *given = getenv("QUENCH_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 1;

	for (unsigned i = 0; i < rounds_of(SCENES); i++, seed++) {
		static struct outcome unseen, seen;

		print_message("QUENCH_SEED=%" PRIu64 "\n", seed);
		scene(&unseen, &nobody, seed);
		scene(&seen, w, seed);
		assert_true(unseen.frames > 0);
		same(&unseen, &seen);
	}
}

static void events_that_are_wanted_change_nothing(void **state)
{
	(void)state;
	scenes(&(struct watch){.want = ~0ull});
}

static void accounting_changes_nothing(void **state)
{
	(void)state;
	scenes(&(struct watch){.accounts = 50});
	scenes(&(struct watch){.want = ~0ull, .accounts = 20});
}

static void same_books(const struct outcome *a, const struct outcome *b)
{
	for (unsigned i = 0; i < QPS; i++) {
		assert_memory_equal(&a->book[i], &b->book[i], offsetof(struct rp_book, cut));
		assert_int_equal(a->book[i].stage, b->book[i].stage);
	}
	assert_memory_equal(&a->cut, &b->cut, sizeof(a->cut));
}

// The book adds up exactly the events, and the frames are the same.
static void a_book_that_is_lent_has_what_events_tell(void **state)
{
	static const struct watch events = {.want = BOOKED, .accounts = 20},
				  books = {.want = BOOKED, .accounts = 20, .lends = true},
				  alone = {.lends = true};
	unsigned compared = 0, cuts = 0, scenes = rounds_of(SCENES);

	(void)state;
	for (uint64_t seed = 1; seed <= scenes; seed++) {
		static struct outcome told, lent, quiet;

		print_message("QUENCH_SEED=%" PRIu64 "\n", seed);
		scene(&told, &events, seed);
		scene(&lent, &books, seed);
		scene(&quiet, &alone, seed);
		same(&told, &lent);
		if (!lent.shared)
			same_books(&lent, &quiet);
		if (!told.whole)
			continue;
		same_books(&told, &lent);
		compared++;
		cuts += lent.cut.n > 0;
	}
	assert_true(compared > scenes / 2 && cuts > scenes / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_that_are_wanted_change_nothing),
		cmocka_unit_test(accounting_changes_nothing),
		cmocka_unit_test(a_book_that_is_lent_has_what_events_tell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
