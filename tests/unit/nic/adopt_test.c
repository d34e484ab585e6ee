// SPDX-License-Identifier: BSD-3-Clause
// A NIC takes over values while it runs: rates, messages, transport, the notification point,
// sources.
#include "nic_lab.h"
#include "qp/qp.h"

#define US     PS_PER_US
#define MIDDLE ((1082 + 24) * 8ull) // bits of a middle frame of 1024 bytes on the wire

struct log {
	unsigned n, cnps;
	tstamp t[8192], cnp[256];
	uint32_t payload[8192], seq[8192];
	uint16_t len[8192];
	bool ack_req[8192], mark, lose_acks;
};

static struct lab l;
static struct log g;

static bool note(struct lab *lab, unsigned from, struct pkt *p, tstamp now)
{
	(void)lab;
	if (from && p->kind == PKT_CNP && g.cnps < 256)
		g.cnp[g.cnps++] = now;
	if (!from && g.mark)
		p->tos |= ECN_CE;
	if (from || (p->kind != PKT_DATA && p->kind != PKT_GEN) || g.n == 8192)
		return !from || p->kind != PKT_ACK || !g.lose_acks;
	g.t[g.n] = now;
	g.len[g.n] = p->len;
	if (p->kind == PKT_DATA) {
		g.payload[g.n] = p->u.rc.arg; // of first: the message's length
		g.ack_req[g.n] = p->u.rc.bth & BTH_ACKREQ;
	}
	g.n++;
	return true;
}

static void begin(void)
{
	memset(&g, 0, sizeof(g));
	lab_init(&l);
	l.hook = note;
}

static void take(unsigned i, struct nic_adopt *a)
{
	assert_int_equal(lab_ctl(&l, i, (struct ctl){.type = CTL_ADOPT, .with = a}), 0);
	nic_adopt_free(a);
}

static struct nic_adopt *list(unsigned i)
{
	struct nic_adopt *a;

	assert_int_equal(nic_adopt_new(&a, l.nic[i]), 0);
	return a;
}

static void adopt(const struct nic_qp_params *to)
{
	struct nic_adopt *a = list(0);

	assert_int_equal(nic_adopt_qp(a, to), 0);
	take(0, a);
}

// A third of a gap at 10 Gb/s is left: at another rate that many bytes take another time.
static void a_rate_moves_the_gap_that_runs(void **state)
{
	static const rate_t rates[] = {5 * RATE_GBPS, 20 * RATE_GBPS, RATE_GBPS, 10 * RATE_GBPS};
	const tstamp gap = MIDDLE * PS_PER_S / (10 * RATE_GBPS);

	(void)state;
	for (unsigned i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		tstamp next = MIDDLE * PS_PER_S / rates[i];
		struct nic_qp_params p;
		unsigned n;

		begin();
		lab_start(&l);
		p = lab_req(&l, 1);
		p.rate_limit = 10 * RATE_GBPS;
		lab_add(&l, &p);
		lab_run(&l, 20 * US);
		lab_run(&l, g.t[g.n - 1] + gap / 3 * 2);
		n = g.n;
		p.rate_limit = rates[i];
		adopt(&p);
		lab_run(&l, l.now + 100 * US);
		assert_int_equal(g.t[n] - g.t[n - 1],
			gap / 3 * 2 + (gap - gap / 3 * 2) * (10 * RATE_GBPS) / rates[i]);
		for (unsigned k = n + 1; k < n + 5; k++)
			assert_int_equal(g.t[k] - g.t[k - 1], next);
		lab_end(&l);
	}
}

// The message that is being sent keeps its size; those posted later have the new one.
static void a_size_holds_for_the_next_posts(void **state)
{
	uint32_t size[4] = {0};
	struct nic_qp_params p;
	unsigned n = 0;

	(void)state;
	begin();
	lab_start(&l);
	p = lab_req(&l, 1);
	p.message_bytes = 40000;
	lab_add(&l, &p);
	lab_run(&l, 2 * US);
	p.message_bytes = 3000;
	adopt(&p);
	lab_run(&l, 40 * US);
	for (unsigned i = 0; i < g.n && n < 4; i++)
		if (g.payload[i])
			size[n++] = g.payload[i];
	assert_int_equal(size[0], 40000);
	assert_int_equal(size[1], 40000); // two were posted
	assert_int_equal(size[2], 3000);
	assert_int_equal(size[3], 3000);
	assert_int_equal(lab_ev(&l, 0, EV_MSG_DONE, 1)->message.bytes, 40000);
	assert_int_equal(lab_ev(&l, 0, EV_MSG_DONE, 2)->message.bytes, 3000);
	lab_end(&l);
}

static unsigned posted(void)
{
	return nic_qp_rc_tx(l.nic[0], 0)->messages;
}

static void fewer_outstanding_wait_and_more_post_at_once(void **state)
{
	struct nic_qp_params p;
	struct nic_adopt *a;

	(void)state;
	begin();
	lab_start(&l);
	p = lab_req(&l, 1);
	p.message_bytes = 100000;
	p.outstanding = 3;
	p.rate_limit = 10 * RATE_GBPS;
	lab_add(&l, &p);
	lab_run(&l, US);
	assert_int_equal(posted(), 3);
	p.outstanding = 1;
	adopt(&p);
	assert_int_equal(posted(), 3);
	lab_run(&l, 1000 * US); // a message takes 86 us
	assert_int_equal(posted(), 1);
	p.outstanding = 4;
	adopt(&p);
	assert_int_equal(posted(), 4);
	p.outstanding = 5;
	a = list(0);
	assert_int_equal(nic_ring_room(3), 4);
	assert_int_equal(nic_adopt_qp(a, &p), -ENOBUFS);
	nic_adopt_free(a);
	lab_end(&l);
}

static void other_values_are_refused(void **state)
{
	struct rp_cfg rp = rp_of_profile("paper", 100 * RATE_GBPS);
	struct dcqcn_np_params np = lab_nic_params(0).np;
	struct rc_params send = lab_rc_params();
	struct gen_params gen = {0};
	struct nic_qp_params p, to;
	struct nic_adopt *a;
	struct rc_cfg rc;

	(void)state;
	begin();
	lab_start(&l);
	p = lab_req(&l, 1);
	lab_add(&l, &p);
	a = list(0);
	to = p;
	to.flow = 2;
	assert_int_equal(nic_adopt_qp(a, &to), -ENOENT);
	to = p;
	to.rp = &rp; // of another kind than none
	assert_int_equal(nic_adopt_qp(a, &to), -EINVAL);
	to = p;
	to.rate_limit = RATE_MIN - 1;
	assert_int_equal(nic_adopt_qp(a, &to), -EINVAL);
	to = p;
	to.outstanding = 0;
	assert_int_equal(nic_adopt_qp(a, &to), -EINVAL);
	send.verb = RC_SEND;
	assert_int_equal(rc_cfg_init(&rc, &send), 0);
	to = p;
	to.rc = &rc;
	assert_int_equal(nic_adopt_qp(a, &to), -EINVAL);
	assert_int_equal(nic_adopt_gen(a, &gen), -ENOENT);
	np.key = NP_KEY_PORT;
	assert_int_equal(nic_adopt_np(a, &np, false), -EINVAL);
	np.key = NP_KEY_QP;
	np.interval_ps = PS_PER_S;
	assert_int_equal(nic_adopt_np(a, &np, false), -EINVAL);
	take(0, a);
	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_ADOPT}), -EINVAL);
	lab_end(&l);
}

static void a_window_holds_from_now_on(void **state)
{
	struct rc_params few = lab_rc_params();
	struct nic_qp_params p;
	struct rc_cfg rc;
	unsigned n;

	(void)state;
	begin();
	g.lose_acks = true;
	lab_start(&l);
	p = lab_req(&l, 1);
	lab_add(&l, &p);
	few.window = 40;
	few.rto_ps = 900 * US;
	assert_int_equal(rc_cfg_init(&rc, &few), 0);
	p.rc = &rc;
	lab_run(&l, 5 * US); // 56 frames
	n = g.n;
	assert_true(n > 40);
	adopt(&p);
	lab_run(&l, 800 * US);
	assert_int_equal(g.n, n);
	g.lose_acks = false;
	lab_run(&l, 2000 * US); // the timeout goes back
	assert_true(g.n > n + 500);
	assert_int_equal(nic_stats(l.nic[0])->local_ack_timeout_err, 1);
	lab_end(&l);
}

// Runs a load of some messages and returns the instants of its frames.
static void run_load(const struct nic_qp_params *first, const struct nic_qp_params *then,
	bool after_use, struct log *out)
{
	begin();
	lab_start(&l);
	lab_add(&l, first);
	lab_ctl(&l, 0, (struct ctl){.type = CTL_FLOW_STOP, .id = 1});
	if (after_use) {
		lab_ctl(&l, 0, (struct ctl){.type = CTL_FLOW_START, .id = 1});
		lab_ctl(&l, 0, (struct ctl){.type = CTL_FLOW_STOP, .id = 1});
		lab_run(&l, 200 * US);
	}
	if (then)
		adopt(then);
	lab_run(&l, 300 * US);
	g.n = 0;
	lab_ctl(&l, 0, (struct ctl){.type = CTL_FLOW_START, .id = 1});
	lab_run(&l, 350 * US);
	g.mark = true;
	lab_run(&l, 400 * US);
	g.mark = false;
	lab_run(&l, 2000 * US);
	*out = g;
	lab_end(&l);
}

// A queue pair that nobody has used, and one at rest, do what those do that are made with the
// values.
static void from_rest_it_is_as_if_made_so(void **state)
{
	struct rp_cfg rp = rp_of_profile("paper", 100 * RATE_GBPS), rp2;
	struct rc_params few = lab_rc_params();
	struct dcqcn_rp_params q = rp.u.dcqcn.p;
	static struct log made, taken;
	struct nic_qp_params one, two;
	struct rc_cfg rc;

	(void)state;
	q.ai_rate = 500 * RATE_MBPS;
	q.rate_timer_ps = 30 * US;
	q.alpha_timer_ps = 20 * US;
	q.g = 1.0 / 16;
	q.byte_counter = 100000;
	q.initial_alpha = 0.5;
	rp2 = rp_of_dcqcn(&q);
	few.window = 100;
	few.ack_every = 5;
	assert_int_equal(rc_cfg_init(&rc, &few), 0);
	begin();
	one = lab_req(&l, 1);
	one.rp = &rp;
	one.outstanding = 4;
	one.message_bytes = 20000;
	one.start = TSTAMP_NEVER;
	two = one;
	two.rp = &rp2;
	two.rc = &rc;
	two.message_bytes = 11000;
	two.outstanding = 3;
	two.rate_limit = 33 * RATE_GBPS;
	for (unsigned used = 0; used < 2; used++) {
		run_load(&two, NULL, used, &made);
		run_load(&one, &two, used, &taken);
		assert_true(made.n > 500 && made.cnps > 0);
		assert_int_equal(made.n, taken.n);
		assert_memory_equal(made.t, taken.t, sizeof(made.t));
		assert_memory_equal(made.len, taken.len, sizeof(made.len));
		assert_memory_equal(made.ack_req, taken.ack_req, made.n);
		assert_memory_equal(made.cnp, taken.cnp, sizeof(made.cnp));
	}
}

// CE in every frame: CNPs are N apart, and the window that runs has the new length, too.
static void a_np_window_keeps_its_begin(void **state)
{
	struct dcqcn_np_params np = {.mode = NP_WINDOW, .interval_ps = 20 * US};
	struct nic_qp_params p;
	struct nic_adopt *a;
	tstamp last;
	unsigned n;

	(void)state;
	begin();
	g.mark = true;
	lab_start(&l);
	p = lab_req(&l, 1);
	lab_add(&l, &p);
	lab_run(&l, 110 * US);
	n = g.cnps; // 50 us apart
	last = g.cnp[n - 1];
	assert_int_equal(last - g.cnp[n - 2], 50 * US);
	assert_true(l.now < last + 20 * US);
	a = list(1);
	assert_int_equal(nic_adopt_np(a, &np, false), 0);
	take(1, a);
	lab_run(&l, 400 * US);
	for (unsigned i = n; i < n + 5; i++)
		assert_int_equal(g.cnp[i] - g.cnp[i - 1], 20 * US);
	a = list(1);
	assert_int_equal(nic_adopt_np(a, &np, true), 0);
	take(1, a);
	n = g.cnps;
	lab_run(&l, 800 * US);
	assert_int_equal(g.cnps, n);
	a = list(1);
	np.interval_ps = 0;
	assert_int_equal(nic_adopt_np(a, &np, false), 0);
	take(1, a);
	lab_run(&l, 801 * US);
	assert_true(g.cnps > n + 8); // one for each frame
	lab_end(&l);
}

// Lists that are made before the first is taken over; what a later one replaces is given back.
static void memory_of_what_is_replaced_comes_back(void **state)
{
	struct nic_adopt *a[600];
	struct nic_qp_params p;
	unsigned kept = 0;

	(void)state;
	begin();
	lab_start(&l);
	for (uint32_t i = 1; i <= 3; i++) {
		p = lab_req(&l, i);
		lab_add(&l, &p);
	}
	for (unsigned i = 0; i < 600; i++) {
		a[i] = list(0);
		p = lab_req(&l, 1 + i % 3);
		p.rate_limit = (1 + i % 90) * RATE_GBPS;
		assert_int_equal(nic_adopt_qp(a[i], &p), 0);
	}
	for (unsigned i = 0; i < 600; i++) {
		lab_run(&l, l.now + US);
		assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_ADOPT, .with = a[i]}), 0);
		assert_int_equal(
			lab_ctl(&l, 0, (struct ctl){.type = CTL_ADOPT, .with = a[i]}), -EINVAL);
		nic_adopt_free(a[i]);
	}
	for (const struct nic_brought *b = l.nic[0]->brought; b; b = b->next)
		kept += b->n_kinds;
	assert_int_equal(kept, 3);
	assert_true(l.nic[0]->n_kinds_brought <= 4);
	assert_int_equal(nic_qp_params(l.nic[0], 0).rate_limit, (1 + 597 % 90) * RATE_GBPS);
	assert_int_equal(nic_qp_params(l.nic[0], 2).rate_limit, (1 + 599 % 90) * RATE_GBPS);
	lab_end(&l);
}

static void a_source_takes_rate_and_size(void **state)
{
	struct gen_params p = {.hdr = &l.data_hdr,
		.cls = 3,
		.min_len = 996,
		.max_len = 996,
		.rate = 10 * RATE_GBPS,
		.burst = 1,
		.stop = TSTAMP_NEVER,
		.name = "s"};
	const tstamp gap = 1020ull * 8 * PS_PER_S / (10 * RATE_GBPS);
	struct nic_adopt *a;
	unsigned n;

	(void)state;
	begin();
	lab_start(&l);
	assert_int_equal(nic_add_gen(l.nic[0], &p), 0);
	lab_run(&l, 10 * gap + gap / 2);
	n = g.n;
	assert_int_equal(n, 11);
	p.rate = 5 * RATE_GBPS;
	p.min_len = p.max_len = 476;
	a = list(0);
	assert_int_equal(nic_adopt_gen(a, &p), 0);
	take(0, a);
	lab_run(&l, 100 * US);
	assert_int_equal(g.t[n] - g.t[n - 1], gap / 2 + gap);
	assert_int_equal(g.len[n - 1], 996);
	for (unsigned i = n; i < n + 10; i++) {
		assert_int_equal(g.len[i], 476);
		assert_int_equal(g.t[i + 1] - g.t[i], 500ull * 8 * PS_PER_S / (5 * RATE_GBPS));
	}
	p.max_len = 5000; // beyond the NIC's mtu
	a = list(0);
	assert_int_equal(nic_adopt_gen(a, &p), -EINVAL);
	nic_adopt_free(a);
	lab_end(&l);
}

// Two classes that want the whole wire share it by their weights.
static void weights_share_the_wire_from_now_on(void **state)
{
	uint16_t weight[PKT_CLASSES] = {1, 1, 1, 1, 3, 1, 1, 1};
	uint64_t before[2], after[2];
	struct nic_qp_params p;
	struct nic_adopt *a;

	(void)state;
	begin();
	lab_start(&l);
	for (uint32_t i = 1; i <= 2; i++) {
		p = lab_req(&l, i);
		p.cls = (uint8_t)(2 + i);
		p.outstanding = 4;
		lab_add(&l, &p);
	}
	lab_run(&l, 100 * US);
	a = list(0);
	assert_int_equal(nic_adopt_weights(a, weight), 0);
	take(0, a);
	for (unsigned i = 0; i < 2; i++)
		before[i] = nic_qp_stats(l.nic[0], i)->wire_bytes_tx;
	lab_run(&l, 500 * US);
	for (unsigned i = 0; i < 2; i++)
		after[i] = nic_qp_stats(l.nic[0], i)->wire_bytes_tx - before[i];
	assert_in_range(before[0] * 100 / before[1], 98, 102);
	assert_in_range(after[1] * 100 / after[0], 295, 305);
	weight[4] = 1001;
	a = list(0);
	assert_int_equal(nic_adopt_weights(a, weight), -EINVAL);
	nic_adopt_free(a);
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rate_moves_the_gap_that_runs),
		cmocka_unit_test(a_size_holds_for_the_next_posts),
		cmocka_unit_test(fewer_outstanding_wait_and_more_post_at_once),
		cmocka_unit_test(other_values_are_refused),
		cmocka_unit_test(a_window_holds_from_now_on),
		cmocka_unit_test(from_rest_it_is_as_if_made_so),
		cmocka_unit_test(a_np_window_keeps_its_begin),
		cmocka_unit_test(memory_of_what_is_replaced_comes_back),
		cmocka_unit_test(a_source_takes_rate_and_size),
		cmocka_unit_test(weights_share_the_wire_from_now_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
