// SPDX-License-Identifier: BSD-3-Clause
// Reaction points that queue pairs of a NIC have together (QCN): by flow ID, shared by destination
// and class, and their trace.
#include "defaults.h"
#include "nic_lab.h"

#define US     PS_PER_US
#define MIDDLE ((1082 + 24) * 8ull) // bits of an untagged middle frame of 1024 bytes on the wire

struct log {
	unsigned n;
	tstamp t[4096];
	uint32_t qpn[4096];
	uint16_t len[4096];
};

static bool note(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	struct log *g = l->arg;

	if (!from && p->kind == PKT_DATA && g->n < 4096) {
		g->t[g->n] = now;
		g->qpn[g->n] = p->u.rc.qpn;
		g->len[g->n++] = p->len;
	}
	return true;
}

static struct rp_cfg rp_cfg(void)
{
	struct qcn_rp_params p;

	qcn_rp_defaults(&p, 100 * RATE_GBPS);
	p.randomise_percent = 0;
	return rp_of_qcn(&p);
}

static void start(struct lab *l, struct log *g)
{
	memset(g, 0, sizeof(*g));
	l->hook = note;
	l->arg = g;
	lab_start(l);
}

// A CNM about a frame to nic 1 in class 3.
static void cnm(struct lab *l, uint16_t flow_id, uint8_t qntzfb)
{
	struct hdr h = {.ethertype = 0x22e7};

	memcpy(h.dst, l->p[0].mac, 6);
	memcpy(h.daddr, l->p[1].mac, 6);
	lab_rx(l, 0,
		&(struct pkt){.kind = PKT_CNM,
			.len = 60,
			.hdr = &h,
			.u.cnm = {.flow_id = flow_id, .qntzfb = qntzfb, .priority = 3}});
}

static uint64_t cnms(const struct lab *l, unsigned i)
{
	struct nic_qp_stats s;

	nic_qp_counts(l->nic[0], i, &s);
	return s.cnm_rx;
}

static tstamp gap_at(const struct log *g, tstamp t)
{
	for (unsigned i = 1; i < g->n; i++)
		if (g->t[i] > t)
			return g->t[i] - g->t[i - 1];
	return 0;
}

// q = 63 cuts 100 Gb/s to 50.78125; the tag makes frames four bytes longer.
static void a_cnm_cuts_the_flow_that_it_names(void **state)
{
	struct rp_cfg cfg = rp_cfg();
	struct nic_qp_params req;
	struct hdr tagged[2];
	const struct ev *e;
	struct log *g = calloc(1, sizeof(*g));
	struct lab l;

	(void)state;
	lab_init(&l);
	start(&l, g);
	for (uint16_t i = 0; i < 2; i++) {
		tagged[i] = l.data_hdr;
		tagged[i].flags |= HDR_CNTAG;
		tagged[i].cntag = (uint16_t)(7 + i);
		req = lab_req(&l, i + 1u);
		req.data_hdr = &tagged[i];
		req.rp = &cfg;
		req.rate_limit = 60 * RATE_GBPS;
		lab_add(&l, &req);
	}
	lab_run(&l, 20 * US);
	assert_int_equal(g->len[0], 1082 + 16 + 4);
	assert_int_equal(g->len[2], 1082 + 4);
	assert_int_equal(nic_qp_rp(l.nic[0], 0)->u.qcn->rc, 100 * RATE_GBPS);
	assert_int_equal(nic_qp_rp(l.nic[0], 0)->kind, RP_QCN);
	assert_true(gap_at(g, 15 * US) == (MIDDLE + 32) * 10);
	cnm(&l, 8, 63);
	assert_int_equal(nic_qp_rp(l.nic[0], 0)->u.qcn->rc, 100 * RATE_GBPS);
	assert_int_equal(nic_qp_rp(l.nic[0], 1)->u.qcn->rc, 50781250000);
	cnm(&l, 8, 63);
	e = lab_ev(&l, 0, EV_RP, 1);
	assert_int_equal(e->reaction, RP_DECREASE);
	assert_int_equal(e->rp.flow, 2);
	assert_int_equal(e->rp.rc, 25787353515);
	assert_int_equal(e->rp.rt, 100 * RATE_GBPS);
	assert_int_equal(lab_ev(&l, 0, EV_CNM_RX, 1)->cnm_rx.flow, 2);
	assert_int_equal(lab_ev(&l, 0, EV_CNM_RX, 1)->cnm_rx.qntzfb, 63);
	cnm(&l, 9, 63); // nobody's
	cnm(&l, 0, 63); // none is shared
	cnm(&l, 8, 0);  // says nothing
	assert_int_equal(nic_stats(l.nic[0])->rp_cnm_handled, 2);
	assert_int_equal(nic_stats(l.nic[0])->rp_cnm_ignored, 3);
	assert_int_equal(nic_qp_stats(l.nic[0], 1)->cnm_rx, 2);
	assert_int_equal(nic_qp_stats(l.nic[0], 1)->rate_cuts, 2);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->cnm_rx, 0);
	g->n = 0;
	lab_run(&l, 60 * US);
	unsigned second = 0;

	for (unsigned i = 0; i < g->n; i++)
		second += g->qpn[i] == 2;
	assert_in_range(second, 115, 118); // 25.79 Gb/s over 40 us are 115.9 frames
	lab_end(&l);
	free(g);
}

// Byte counter and timer raise the rate again: 150000 bytes are some 150 frames.
static void the_rate_recovers_by_itself(void **state)
{
	struct rp_cfg cfg = rp_cfg();
	struct nic_qp_params req;
	struct log *g = calloc(1, sizeof(*g));
	struct lab l;

	(void)state;
	lab_init(&l);
	l.data_hdr.flags |= HDR_CNTAG;
	l.data_hdr.cntag = 1;
	start(&l, g);
	req = lab_req(&l, 1);
	req.rp = &cfg;
	lab_add(&l, &req);
	lab_run(&l, 10 * US);
	cnm(&l, 1, 63);
	lab_run(&l, 40 * US); // 177 frames at 50.8 Gb/s would be 31 us
	assert_int_equal(lab_ev(&l, 0, EV_RP, 1)->reaction, RP_BC_FAST_RECOVERY);
	assert_int_equal(nic_qp_rp(l.nic[0], 0)->u.qcn->rc, 75390625000);
	lab_run(&l, 2000 * US);
	assert_false(nic_qp_rp(l.nic[0], 0)->u.qcn->active); // released
	assert_int_equal(nic_qp_rp(l.nic[0], 0)->u.qcn->rc, 100 * RATE_GBPS);
	lab_run(&l, 2100 * US);
	cnm(&l, 1, 63);
	assert_int_equal(nic_qp_rp(l.nic[0], 0)->u.qcn->created, 2);
	nic_account(l.nic[0], 2100 * US);
	lab_end(&l);
	free(g);
}

// A paused flow sends nothing: only the timer raises it, at its nominal instants, however late that
// is seen.
static void the_timer_is_caught_up_with(void **state)
{
	struct rp_cfg cfg = rp_cfg();
	struct nic_qp_params req;
	struct log *g = calloc(1, sizeof(*g));
	struct lab l;

	(void)state;
	lab_init(&l);
	l.p[0].pause_no_expiry = true;
	l.data_hdr.flags |= HDR_CNTAG;
	l.data_hdr.cntag = 1;
	start(&l, g);
	req = lab_req(&l, 1);
	req.rp = &cfg;
	lab_add(&l, &req);
	lab_run(&l, 10 * US);
	cnm(&l, 1, 63);
	lab_rx(&l, 0,
		&(struct pkt){.kind = PKT_PFC,
			.len = 60,
			.u.pfc = {.enable = 1 << 3, .quanta = {[3] = 65535}}});
	lab_run(&l, 50 * PS_PER_MS);
	nic_account(l.nic[0], 50 * PS_PER_MS);
	lab_drain_events(&l, 0);
	for (unsigned i = 1; i <= 3; i++) {
		assert_int_equal(lab_ev(&l, 0, EV_RP, i)->reaction, RP_T_FAST_RECOVERY);
		assert_true(lab_ev(&l, 0, EV_RP, i)->t == 10 * US + i * 15 * PS_PER_MS);
	}
	lab_end(&l);
	free(g);
}

// Without a tag, queue pairs of one destination and class share the limiter and take turns.
static void untagged_flows_share_a_limiter(void **state)
{
	struct rp_cfg cfg = rp_cfg();
	struct nic_qp_params req;
	unsigned count[4] = {0};
	struct log *g = calloc(1, sizeof(*g));
	struct lab l;

	(void)state;
	lab_init(&l);
	start(&l, g);
	for (uint32_t i = 1; i <= 3; i++) {
		req = lab_req(&l, i);
		req.rp = &cfg;
		if (i == 3) {
			req.count = 2; // it ends, the others go on
			req.message_bytes = 10240;
		}
		lab_add(&l, &req);
	}
	lab_run(&l, 10 * US);
	for (unsigned i = 0; i < 5; i++)
		cnm(&l, 0, 63); // 100 * 0.5078125^5 = 3.377 Gb/s
	assert_int_equal(cnms(&l, 0), 5);
	assert_int_equal(nic_stats(l.nic[0])->rp_cnm_handled, 5);
	lab_run(&l, 12 * US);
	g->n = 0;
	lab_run(&l, 200 * US);
	assert_ptr_equal(nic_qp_rp(l.nic[0], 0), nic_qp_rp(l.nic[0], 1));
	for (unsigned i = 0; i < g->n; i++) {
		count[g->qpn[i]]++;
		assert_true(!i || g->t[i] - g->t[i - 1] >= MIDDLE * 296 - 1); // 3.377 Gb/s
	}
	assert_in_range(g->n, 70, 73); // 188 us at 3.377 Gb/s are 71.8
	assert_in_range(count[1], count[2] - 1, count[2] + 1);
	assert_true(count[3] < 20);
	assert_int_equal(nic_qp_stats(l.nic[1], 2)->message_complete_rx, 2);
	lab_end(&l);
	free(g);
}

// With a tag of their own they may share one too (rpppMaxRps): CNMs find it by the flow ID,
// whatever their destination.
static void tagged_flows_may_share_a_limiter(void **state)
{
	struct rp_cfg cfg = rp_cfg();
	struct nic_qp_params req;
	unsigned count[4] = {0};
	struct log *g = calloc(1, sizeof(*g));
	struct lab l;

	(void)state;
	lab_init(&l);
	l.data_hdr.flags |= HDR_CNTAG;
	l.data_hdr.cntag = 0x8180;
	start(&l, g);
	for (uint32_t i = 1; i <= 3; i++) {
		req = lab_req(&l, i);
		req.rp = &cfg;
		req.rp_shared = true;
		lab_add(&l, &req);
	}
	lab_run(&l, 10 * US);
	cnm(&l, 0, 63); // of no flow here
	cnm(&l, 2, 63); // a QPN, but nobody's flow ID
	assert_int_equal(nic_stats(l.nic[0])->rp_cnm_ignored, 2);
	for (unsigned i = 0; i < 5; i++)
		cnm(&l, 0x8180, 63); // 3.377 Gb/s
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(cnms(&l, i), 5);
	lab_run(&l, 12 * US);
	g->n = 0;
	lab_run(&l, 200 * US);
	for (unsigned i = 0; i < g->n; i++)
		count[g->qpn[i]]++;
	assert_in_range(g->n, 70, 73);
	for (unsigned i = 1; i <= 3; i++)
		assert_in_range(count[i], g->n / 3 - 1, g->n / 3 + 1);
	lab_end(&l);
	free(g);
}

// Two queue pairs that send one message each, the second begins `later`.
static void two_messages(
	struct lab *l, const struct rp_cfg *cfg, rate_t limit, uint32_t bytes, tstamp later)
{
	struct nic_qp_params req;

	for (uint32_t i = 1; i <= 2; i++) {
		req = lab_req(l, i);
		req.rp = cfg;
		req.rate_limit = limit;
		req.count = 1;
		req.message_bytes = bytes;
		req.start = (i - 1) * later;
		lab_add(l, &req);
	}
}

// Their own `rate` holds the queue pairs, not the limiter: a cut above it leaves the gap as it is,
// also while nobody has anything to send.
static void a_cut_above_the_ceiling_changes_no_gap(void **state)
{
	struct rp_cfg cfg = rp_cfg();
	struct log *g = calloc(1, sizeof(*g));
	struct lab l;

	(void)state;
	lab_init(&l);
	start(&l, g);
	two_messages(&l, &cfg, RATE_GBPS, 1024, 5 * US);
	lab_run(&l, 3 * US);
	cnm(&l, 0, 63);
	lab_run(&l, 20 * US);
	assert_int_equal(g->n, 2);
	assert_true(g->t[1] - g->t[0] == (1082 + 16 + 24) * 8 * PS_PER_NS);
	lab_end(&l);
	free(g);
}

// A limiter that nobody uses for a while is found again with its gap and its rate.
static void a_shared_limiter_outlives_its_users(void **state)
{
	struct rp_cfg cfg = rp_cfg();
	struct log *g = calloc(1, sizeof(*g));
	struct lab l;

	(void)state;
	lab_init(&l);
	start(&l, g);
	two_messages(&l, &cfg, 0, 4096, 100 * US);
	lab_run(&l, 50 * US);
	assert_int_equal(g->n, 4);
	for (unsigned i = 0; i < 5; i++)
		cnm(&l, 0, 63);
	lab_run(&l, 150 * US);
	assert_int_equal(g->n, 8);
	assert_true(g->t[4] == 100 * US);
	assert_true(g->t[6] - g->t[5] >= MIDDLE * 296 - 1);
	lab_end(&l);
	free(g);
}

// Queue pairs that share a limiter are not looked at one by one: the effect of a CNM is told once,
// and stands with their limiter.
static void a_cnm_is_told_once_to_those_that_share(void **state)
{
	struct rp_cfg cfg = rp_cfg();
	struct nic_qp_params req;
	struct nic_qp_stats s;
	struct log *g = calloc(1, sizeof(*g));
	const struct ev *e;
	struct lab l;

	(void)state;
	lab_init(&l);
	start(&l, g);
	for (uint32_t i = 0; i < 64; i++) {
		req = lab_req(&l, i + 1);
		req.rp = &cfg;
		lab_add(&l, &req);
	}
	lab_run(&l, 10 * US);
	cnm(&l, 0, 63);
	cnm(&l, 0, 63);
	assert_int_equal(lab_evs(&l, 0, EV_CNM_RX), 2);
	assert_int_equal(lab_evs(&l, 0, EV_RP), 2);
	assert_int_equal(lab_evs(&l, 0, EV_CUT), 2);
	e = lab_ev(&l, 0, EV_CUT, 1); // of the one whose turn it is
	assert_true(e->cut.next > e->t);
	assert_int_equal(lab_ev(&l, 0, EV_RP, 1)->rp.flow, e->cut.flow);
	assert_int_equal(lab_ev(&l, 0, EV_RP, 1)->rp.rc, 25787353515);
	for (unsigned i = 0; i < 64; i++) {
		nic_qp_counts(l.nic[0], i, &s);
		assert_int_equal(s.cnm_rx, 2);
		assert_int_equal(s.rate_cuts, 2);
		assert_int_equal(nic_qp_shares(l.nic[0], i), 0);
	}
	// They send at the new rate all the same.
	lab_run(&l, 30 * US);
	assert_in_range(gap_at(g, 15 * US), MIDDLE * 38, MIDDLE * 39); // 25.79 Gb/s: 38.8 ps a bit
	lab_end(&l);
	free(g);
}

static void reaction_points_are_checked(void **state)
{
	struct rp_cfg cfg = rp_cfg(), other = rp_cfg();
	struct nic_qp_params req;
	struct log *g = calloc(1, sizeof(*g));
	struct hdr tagged;
	struct lab l;

	(void)state;
	lab_init(&l);
	start(&l, g);
	tagged = l.data_hdr;
	tagged.flags |= HDR_CNTAG;
	req = lab_req(&l, 1);
	req.rp = &cfg;
	req.data_hdr = &tagged;
	assert_int_equal(nic_add_qp(l.nic[0], &req), -EINVAL); // flow ID 0 is nobody's
	tagged.cntag = 5;
	assert_int_equal(nic_add_qp(l.nic[0], &req), 0);
	req.qpn = 2;
	assert_int_equal(nic_add_qp(l.nic[0], &req), -EEXIST); // its flow ID is taken
	req.data_hdr = &l.data_hdr;
	assert_int_equal(nic_add_qp(l.nic[0], &req), 0);
	req.qpn = 3;
	req.rp = &other;
	assert_int_equal(nic_add_qp(l.nic[0], &req), -EEXIST); // shared, but not the same
	lab_end(&l);
	free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cnm_cuts_the_flow_that_it_names),
		cmocka_unit_test(the_rate_recovers_by_itself),
		cmocka_unit_test(the_timer_is_caught_up_with),
		cmocka_unit_test(untagged_flows_share_a_limiter),
		cmocka_unit_test(tagged_flows_may_share_a_limiter),
		cmocka_unit_test(a_cut_above_the_ceiling_changes_no_gap),
		cmocka_unit_test(a_shared_limiter_outlives_its_users),
		cmocka_unit_test(a_cnm_is_told_once_to_those_that_share),
		cmocka_unit_test(reaction_points_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
