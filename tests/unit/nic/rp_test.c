// SPDX-License-Identifier: BSD-3-Clause
// The reaction point of a queue pair in a NIC, whatever its kind: how it stands, whom a CNP slows,
// what it does not ask for, timers that are caught up with.
#include "defaults.h"
#include "nic_rdma_ip_lab.h"
#include "qp/qp.h"

// The kinds that CNPs or CNMs notify; those of ACKs have tests of their own.
#define NOTIFIED (RP_RDMA_IP + 1)

#define COURSE_QPS    12u
#define COURSE_FRAMES 20000u

static struct rp_cfg cfg_of(enum rp_kind kind)
{
	struct qcn_rp_params q;

	if (kind == RP_DCQCN)
		return rp_of_profile("paper", 100 * RATE_GBPS);
	if (kind == RP_RDMA_IP)
		return rp_of_rdma_ip(&ip);
	qcn_rp_defaults(&q, 100 * RATE_GBPS);
	q.randomise_percent = 0;
	q.time_reset_ps = 55 * US;
	return rp_of_qcn(&q);
}

// A CNM about a frame without a tag to nic 1 in class 3, or with one.
static void cnm(struct lab *l, uint16_t flow_id)
{
	struct hdr h = {.ethertype = 0x22e7};

	memcpy(h.dst, l->p[0].mac, 6);
	memcpy(h.daddr, l->p[1].mac, 6);
	lab_rx(l, 0,
		&(struct pkt){.kind = PKT_CNM,
			.len = 60,
			.hdr = &h,
			.u.cnm = {.flow_id = flow_id, .qntzfb = 63, .priority = 3}});
}

static void cnp_of(struct lab *l, uint32_t qpn)
{
	lab_rx(l, 0,
		&(struct pkt){.kind = PKT_CNP, .len = 74, .u.rc = {.opcode = 0x81, .qpn = qpn}});
}

// standards.md 6.3: a CNP is for its queue pair; with rp_scope: priority for all of its class.
static void whom_a_cnp_slows(void **state)
{
	(void)state;
	for (unsigned by_class = 0; by_class < 2; by_class++) {
		struct rp_cfg rp = rp_of_profile("paper", 100 * RATE_GBPS);
		struct lab l;

		lab_init(&l);
		l.p[0].rp_by_class = by_class;
		lab_start(&l);
		for (uint32_t qpn = 1; qpn <= 4; qpn++) {
			struct nic_qp_params p = lab_req(&l, qpn);

			p.cls = qpn == 3 ? 4 : 3;
			p.rp = qpn == 4 ? NULL : &rp;
			lab_add(&l, &p);
		}
		lab_run(&l, 5 * PS_PER_US);
		cnp_of(&l, 1);
		assert_int_equal(nic_qp_stats(l.nic[0], 0)->rate_cuts, 1);
		nic_account(l.nic[0], l.now); // others hear of it when they are touched
		assert_int_equal(nic_qp_stats(l.nic[0], 1)->rate_cuts, by_class);
		assert_int_equal(nic_qp_stats(l.nic[0], 2)->rate_cuts, 0); // of another class
		assert_int_equal(nic_qp_stats(l.nic[0], 3)->rate_cuts, 0); // without a control
		assert_int_equal(nic_qp_stats(l.nic[0], 1)->cnp_rx, 0);
		assert_int_equal(nic_stats(l.nic[0])->rp_cnp_handled, 1);
		assert_int_equal(
			rp_rate(nic_qp_rp(l.nic[0], 1)), (by_class ? 50 : 100) * RATE_GBPS);
		cnp_of(&l, 4); // ignored, whatever the scope
		assert_int_equal(nic_stats(l.nic[0])->rp_cnp_ignored, 1);
		assert_int_equal(nic_qp_stats(l.nic[0], 1)->rate_cuts, by_class);
		lab_end(&l);
	}
}

// Also where its queue pair may have less: the RDMA IP's limiter enforces that, DCQCN and QCN do
// not know of it.
static void each_kind_tells_how_it_stands(void **state)
{
	(void)state;
	for (unsigned kind = RP_NO_KIND; kind < NOTIFIED; kind++) {
		struct rp_cfg cfg = cfg_of((enum rp_kind)kind);
		struct nic_qp_params req;
		struct rp_look look;
		struct lab l;

		for (unsigned slow = 0; slow < 2; slow++) {
			rate_t want = (kind == RP_RDMA_IP && slow ? 20 : 100) * RATE_GBPS;

			lab_init(&l);
			lab_start(&l);
			req = lab_req(&l, 2);
			req.rp = kind ? &cfg : NULL;
			req.rate_limit = slow ? 20 * RATE_GBPS : 0;
			lab_add(&l, &req);
			assert_null(nic_qp_rp(l.nic[1], 0)); // a responder
			assert_false(nic_qp_look(l.nic[1], 0, &look));
			assert_int_equal(nic_qp_look(l.nic[0], 0, &look), kind != RP_NO_KIND);
			if (kind) {
				assert_int_equal(nic_qp_rp(l.nic[0], 0)->kind, kind);
				assert_true(look.rc == want && look.line == want);
				assert_true(look.rt == 100 * RATE_GBPS);
				assert_true(look.window == 0);
				assert_int_equal(look.has_alpha, kind != RP_QCN);
				assert_int_equal(look.alpha > 0, kind != RP_QCN);
			} else {
				assert_null(nic_qp_rp(l.nic[0], 0));
			}
			lab_end(&l);
		}
	}
}

// At the least rate a CNP is still a decrease of the algorithm, and an event. It is no cut.
static void a_decrease_that_lowers_nothing_is_no_cut(void **state)
{
	struct dcqcn_rp_params d;
	struct nic_qp_params req;
	struct rp_cfg cfg;
	struct lab l;

	(void)state;
	assert_int_equal(dcqcn_rp_profile(&d, "paper", 100 * RATE_GBPS), 0);
	d.cut_interval_ps = 0;
	d.min_rate = 20 * RATE_GBPS;
	cfg = rp_of_dcqcn(&d);
	lab_init(&l);
	lab_start(&l);
	req = lab_req(&l, 2);
	req.rp = &cfg;
	lab_add(&l, &req);
	lab_run(&l, 5 * US);
	for (unsigned i = 0; i < 7; i++)
		cnp_of(&l, 2); // 50, 25, 20 Gb/s, and no less
	assert_int_equal(lab_evs(&l, 0, EV_RP), 7);
	assert_int_equal(lab_evs(&l, 0, EV_CUT), 7);
	for (unsigned i = 0; i < 7; i++) {
		assert_int_equal(lab_ev(&l, 0, EV_RP, i)->reaction, RP_DECREASE);
		assert_int_equal(lab_ev(&l, 0, EV_CUT, i)->cut.next > l.now, i < 3);
	}
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->rate_cuts, 3);
	lab_end(&l);
}

// A CNP is nothing to QCN nor to who has no reaction point, a CNM nothing to the others: it is
// counted, and no rate moves.
static void what_is_not_asked_for_is_ignored(void **state)
{
	(void)state;
	for (unsigned kind = RP_NO_KIND; kind < NOTIFIED; kind++) {
		struct rp_cfg cfg = cfg_of((enum rp_kind)kind);
		bool cnps = kind == RP_DCQCN || kind == RP_RDMA_IP, cnms = kind == RP_QCN;
		struct nic_qp_params req;
		struct lab l;

		lab_init(&l);
		l.data_hdr.flags |= HDR_CNTAG;
		l.data_hdr.cntag = 2;
		lab_start(&l);
		req = lab_req(&l, 2);
		req.rp = kind ? &cfg : NULL;
		lab_add(&l, &req);
		lab_run(&l, 5 * US);
		cnp_of(&l, 2);
		assert_int_equal(nic_stats(l.nic[0])->rp_cnp_handled, cnps);
		assert_int_equal(nic_stats(l.nic[0])->rp_cnp_ignored, !cnps);
		assert_int_equal(nic_qp_stats(l.nic[0], 0)->cnp_rx, 1);
		assert_int_equal(nic_qp_stats(l.nic[0], 0)->rate_cuts, cnps);
		assert_int_equal(lab_evs(&l, 0, EV_CNP_RX), 1);
		assert_int_equal(lab_evs(&l, 0, EV_RP), cnps);
		cnm(&l, 2);
		assert_int_equal(nic_stats(l.nic[0])->rp_cnm_handled, cnms);
		assert_int_equal(nic_stats(l.nic[0])->rp_cnm_ignored, !cnms);
		assert_int_equal(nic_qp_stats(l.nic[0], 0)->cnm_rx, cnms);
		assert_int_equal(nic_qp_stats(l.nic[0], 0)->rate_cuts, cnps + cnms);
		assert_int_equal(lab_evs(&l, 0, EV_CNM_RX), cnms);
		assert_int_equal(lab_evs(&l, 0, EV_CUT), cnps + cnms);
		assert_int_equal(lab_evs(&l, 0, EV_RP), cnps + cnms);
		lab_end(&l);
	}
}

// Nobody looks at a queue pair whose class is paused: its timers tell what they did at their own
// instants, once somebody does.
static void timers_are_caught_up_with_at_their_instants(void **state)
{
	(void)state;
	for (unsigned kind = RP_NO_KIND + 1; kind < NOTIFIED; kind++) {
		struct rp_cfg cfg = cfg_of((enum rp_kind)kind);
		tstamp before = 10 * US;
		struct nic_qp_params req;
		struct rp_look look;
		const struct ev *e;
		struct lab l;
		unsigned n;

		lab_init(&l);
		l.p[0].pause_no_expiry = true;
		lab_start(&l);
		req = lab_req(&l, 2);
		req.rp = &cfg;
		lab_add(&l, &req);
		lab_run(&l, 10 * US);
		if (kind == RP_QCN)
			cnm(&l, 0);
		else
			cnp_of(&l, 2);
		lab_rx(&l, 0,
			&(struct pkt){.kind = PKT_PFC,
				.len = 60,
				.u.pfc = {.enable = 1 << 3, .quanta = {[3] = 65535}}});
		n = lab_evs(&l, 0, EV_RP);
		assert_int_equal(n, 1);
		lab_run(&l, 500 * US);
		nic_account(l.nic[0], 500 * US);
		lab_drain_events(&l, 0);
		assert_true(lab_evs(&l, 0, EV_RP) >= 1 + 8); // 490 us
		for (; n < lab_evs(&l, 0, EV_RP); n++) {
			e = lab_ev(&l, 0, EV_RP, n);
			assert_true(e->t >= before && e->t <= 500 * US);
			assert_true((e->t - 10 * US) % (55 * US / 2) == 0); // QCN: half of it, too
			before = e->t;
		}
		assert_true(nic_qp_look(l.nic[0], 0, &look));
		assert_int_equal(lab_ev(&l, 0, EV_RP, n - 1)->rp.rc, look.rc);
		assert_int_equal(lab_ev(&l, 0, EV_RP, n - 1)->rp.rt, look.rt);
		lab_end(&l);
	}
}

// Of a queue pair that waits for its class what accounting tells is told then, and no more when the
// frame leaves: events, cuts, and how it stands.
static void accounting_tells_each_event_once(void **state)
{
	const struct rp_cfg cfg = rp_of_profile("hpcc_sim_dcqcn", 100 * RATE_GBPS);
	struct pkt pfc = {.kind = PKT_PFC, .len = 60, .u.pfc = {.enable = 1 << 3}};
	const struct nic_qp_stats *s;
	uint64_t alphas[4];
	unsigned n[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		const bool accounts = i & 1, quiet = i & 2;
		struct nic_qp_params req;
		struct rp_look look;
		struct lab l;

		lab_init(&l);
		l.p[0].pause_no_expiry = true;
		lab_start(&l);
		l.events[0].want &= ~((uint64_t)quiet << EV_RP_ALPHA);
		req = lab_req(&l, 2);
		req.rp = &cfg;
		req.message_bytes = 3000;
		req.outstanding = 1;
		lab_add(&l, &req);
		lab_run(&l, 10 * US);
		pfc.u.pfc.quanta[3] = 65535;
		lab_rx(&l, 0, &pfc);
		cnp_of(&l, 2);
		cnp_of(&l, 2);
		for (tstamp t = 100 * US; accounts && t <= 900 * US; t += 100 * US) {
			struct nic_qp before;

			lab_run(&l, t);
			before = *l.nic[0]->qp[0];
			assert_int_equal(before.state, NIC_QP_READY);
			nic_account(l.nic[0], t);
			assert_memory_equal(&before, l.nic[0]->qp[0], NIC_REQ_BYTES);
			lab_drain_events(&l, 0);
			assert_true(nic_qp_look(l.nic[0], 0, &look));
			assert_true(
				lab_ev(&l, 0, EV_RP, lab_evs(&l, 0, EV_RP) - 1)->rp.rc == look.rc);
		}
		lab_run(&l, 1000 * US);
		pfc.u.pfc.quanta[3] = 0;
		lab_rx(&l, 0, &pfc);
		lab_run(&l, 1001 * US);
		nic_account(l.nic[0], 1001 * US);
		lab_drain_events(&l, 0);
		s = nic_qp_stats(l.nic[0], 0);
		n[i] = lab_evs(&l, 0, EV_RP);
		alphas[i] = s->alpha_updates;
		assert_int_equal(s->rate_cuts, 1);
		assert_int_equal(lab_evs(&l, 0, EV_CUT), 1);
		assert_int_equal(lab_evs(&l, 0, EV_RP_ALPHA), quiet ? 0 : alphas[i]);
		assert_int_equal(n[i], n[0]);
		assert_int_equal(alphas[i], alphas[0]);
		lab_end(&l);
	}
	assert_true(n[0] > 1 && alphas[0] > 20);
}

// A reaction point whose window is one byte, and 64 KiB from the timer on that it has, or from a
// CNP on.
static void narrow_init(struct plugin_rp *rp)
{
	rp->window = 1;
	rp->deadline = *(const tstamp *)rp->cfg->control;
}

static enum rp_event wide(struct plugin_rp *rp, tstamp now)
{
	(void)now;
	rp->window = 65536;
	rp->deadline = TSTAMP_NEVER;
	return RP_WRITTEN;
}

// Nobody has to wait for an ACK that is on its way.
static void a_window_that_opens_is_used_at_once(void **state)
{
	static const struct plugin_rp_ops ops = {.init = narrow_init, .cnp = wide, .expire = wide};

	(void)state;
	for (unsigned way = 0; way < 3; way++) {
		const bool by_cnp = way == 1, accounted = way == 2;
		const tstamp timer = by_cnp ? TSTAMP_NEVER : 5 * US;
		const struct rp_cfg cfg = {.kind = RP_PLUGIN,
			.u.plugin = {.ops = &ops,
				.control = &timer,
				.asks = RP_ASKS_CNP,
				.line_rate = 100 * RATE_GBPS}};
		struct nic_qp_params req;
		struct lab l;

		lab_init(&l);
		l.delay = 100 * US;
		lab_start(&l);
		req = lab_req(&l, 2);
		req.rp = &cfg;
		lab_add(&l, &req);
		lab_run(&l, 5 * US - 1);
		assert_int_equal(nic_qp_stats(l.nic[0], 0)->data_frames_tx, 1);
		if (accounted) {
			nic_account(l.nic[0], 5 * US);
			lab_drain_events(&l, 0);
		}
		lab_run(&l, 5 * US);
		if (by_cnp)
			cnp_of(&l, 2);
		lab_run(&l, 20 * US);
		assert_int_equal(nic_qp_stats(l.nic[0], 0)->data_frames_tx, 64);
		assert_int_equal(lab_evs(&l, 0, EV_RP), 1);
		assert_int_equal(lab_ev(&l, 0, EV_RP, 0)->t, 5 * US);
		lab_run(&l, 300 * US);
		assert_in_range(nic_qp_stats(l.nic[0], 0)->data_frames_tx, 65, 128);
		lab_end(&l);
	}
}

static void slow_init(struct plugin_rp *rp)
{
	rp->rate = RATE_GBPS;
}

static enum rp_event faster(struct plugin_rp *rp, tstamp now)
{
	(void)now;
	rp->rate = 2 * RATE_GBPS;
	return RP_WRITTEN;
}

// Halfway through a gap of 1106 bytes at 1 Gb/s the rate doubles: half of the rest is enough.
static void a_rate_that_rises_shortens_the_gap(void **state)
{
	static const struct plugin_rp_ops ops = {.init = slow_init, .cnp = faster};
	const struct rp_cfg cfg = {.kind = RP_PLUGIN,
		.u.plugin = {.ops = &ops, .asks = RP_ASKS_CNP, .line_rate = 100 * RATE_GBPS}};
	const tstamp second = (1106 + 16) * 8 * PS_PER_NS, gap = 1106 * 8 * PS_PER_NS;
	struct nic_qp_params req;
	struct lab l;

	(void)state;
	lab_init(&l);
	lab_start(&l);
	req = lab_req(&l, 2);
	req.rp = &cfg;
	lab_add(&l, &req);
	lab_run(&l, second + gap / 2);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->data_frames_tx, 2);
	cnp_of(&l, 2);
	lab_run(&l, second + gap / 2 + gap / 4 - 1);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->data_frames_tx, 2);
	lab_run(&l, second + gap / 2 + gap / 4);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->data_frames_tx, 3);
	lab_end(&l);
}

// Frames of queue pairs of one class, and what their reaction points have come to.
struct course {
	struct {
		tstamp at;
		uint32_t qpn, psn;
	} frame[COURSE_FRAMES];
	unsigned n;
	uint64_t cuts[COURSE_QPS];
	struct rp_look seen[COURSE_QPS], end[COURSE_QPS];
};

static bool note_frame(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	struct course *c = l->arg;

	if (from == 0 && p->kind == PKT_DATA && c->n < COURSE_FRAMES) {
		c->frame[c->n].at = now;
		c->frame[c->n].qpn = p->u.rc.qpn;
		c->frame[c->n++].psn = p->u.rc.psn;
	}
	return true;
}

static void add_course_qps(struct lab *l, const struct rp_cfg *rp, struct prng *g)
{
	for (uint32_t qpn = 1; qpn <= COURSE_QPS; qpn++) {
		struct nic_qp_params p = lab_req(l, qpn);

		p.rp = rp;
		p.message_bytes = (uint32_t)(64 << prng_below(g, 14));
		p.outstanding = 1 + (unsigned)prng_below(g, 3);
		p.catch_up_ps = prng_below(g, 2) ? PACER_AUTO : 0;
		p.rate_limit = prng_below(g, 3) ? 0 : (1 + prng_below(g, 90)) * 100 * RATE_MBPS;
		p.count = prng_below(g, 3) ? 0 : 1 + prng_below(g, 40);
		p.start = prng_below(g, 3) ? 0 : prng_below(g, 500 * US);
		lab_add(l, &p);
	}
}

// `by_class`: a CNP is for all of the class; else each queue pair gets one of its own at once.
static void run_course(struct course *c, uint64_t seed, bool by_class)
{
	static const char *const profile[] = {
		"paper",
		"hpcc_sim_dcqcn",
		"connectx",
	};
	struct rp_cfg rp = rp_of_profile(
		profile[seed % (sizeof(profile) / sizeof(*profile))], 100 * RATE_GBPS);
	struct prng g;
	struct lab l;

	memset(c, 0, sizeof(*c));
	prng_init(&g, seed, "course");
	lab_init(&l);
	l.p[0].rp_by_class = by_class;
	l.hook = note_frame;
	l.arg = c;
	lab_start(&l);
	add_course_qps(&l, &rp, &g);
	for (unsigned step = 0; step < 150; step++) {
		struct pkt pfc = {.kind = PKT_PFC, .len = 60, .u.pfc = {.enable = 1 << 3}};
		uint32_t first = 1 + (uint32_t)prng_below(&g, COURSE_QPS);

		// Several at an instant, and pauses that are short against the time between CNPs.
		lab_run(&l, l.now + prng_below(&g, 4) * prng_below(&g, 30 * US));
		pfc.u.pfc.quanta[3] = (uint16_t)prng_below(&g, 2000);
		if (!prng_below(&g, 8))
			lab_rx(&l, 0, &pfc);
		for (uint32_t i = 0; i < (by_class ? 1 : COURSE_QPS); i++)
			cnp_of(&l, 1 + (first - 1 + i) % COURSE_QPS);
	}
	for (unsigned i = 0; i < COURSE_QPS; i++)
		assert_true(nic_qp_look(l.nic[0], i, &c->seen[i]));
	nic_account(l.nic[0], l.now);
	for (unsigned i = 0; i < COURSE_QPS; i++) {
		assert_true(nic_qp_look(l.nic[0], i, &c->end[i]));
		c->cuts[i] = nic_qp_stats(l.nic[0], i)->rate_cuts;
	}
	lab_end(&l);
}

// A queue pair takes CNPs to its class when it is touched, and all is as if each had come to it.
static void cnps_to_a_class_are_as_one_for_each(void **state)
{
	static struct course a, b;

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		print_message("seed %lu\n", (unsigned long)seed);
		run_course(&a, seed, true);
		run_course(&b, seed, false);
		for (unsigned i = 0; i < COURSE_QPS; i++) {
			assert_int_equal(a.cuts[i], b.cuts[i]);
			assert_int_equal(a.end[i].rc, b.end[i].rc);
			assert_int_equal(a.end[i].rt, b.end[i].rt);
			assert_int_equal(a.end[i].alpha, b.end[i].alpha);
			assert_int_equal(a.seen[i].alpha, b.seen[i].alpha);
		}
		assert_true(a.n > 100);
		assert_int_equal(a.n, b.n);
		for (unsigned i = 0; i < a.n; i++) {
			assert_int_equal(a.frame[i].at, b.frame[i].at);
			assert_int_equal(a.frame[i].qpn, b.frame[i].qpn);
			assert_int_equal(a.frame[i].psn, b.frame[i].psn);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_tells_how_it_stands),
		cmocka_unit_test(whom_a_cnp_slows),
		cmocka_unit_test(cnps_to_a_class_are_as_one_for_each),
		cmocka_unit_test(a_decrease_that_lowers_nothing_is_no_cut),
		cmocka_unit_test(what_is_not_asked_for_is_ignored),
		cmocka_unit_test(timers_are_caught_up_with_at_their_instants),
		cmocka_unit_test(accounting_tells_each_event_once),
		cmocka_unit_test(a_window_that_opens_is_used_at_once),
		cmocka_unit_test(a_rate_that_rises_shortens_the_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
