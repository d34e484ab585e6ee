// SPDX-License-Identifier: BSD-3-Clause
// Limiters beside a model: bytes owed are the integral of the rate, whatever stops queue pairs or
// changes rates.
#include <math.h>
#include <stdio.h>

#include "defaults.h"
#include "base/prng.h"
#include "nic_rdma_ip_lab.h"
#include "rounds.h"

#define BYTES   1106 // of a SEND frame with 1024 bytes of payload on the wire
#define LINE    (100 * RATE_GBPS)
#define QPS     12
#define CLASSES 2 // 3 and 4
#define LOG     4096
#define EPS     2 // bytes, for all that is rounded

enum kind { FIXED, DCQCN, QCN, RDMA_IP, KINDS };

// From `t` on some queue pair of a limiter can send, or has something to send.
struct change {
	tstamp t;
	bool can, data;
};

// A limiter. `owed`: bytes that it may send; below 0: what it has sent ahead. It grows at the rate
// while it is below 0 or one of its queue pairs can send.
struct limiter {
	double rate, owed, sent, lost;
	tstamp at, since; // as of; from when on a frame was due
	tstamp catch_up;
	bool can, any; // a queue pair can send; a frame was sent
	bool seen;     // the last change's `can`
	struct change log[LOG];
	unsigned n, done; // changes seen, and taken into account
};

struct qp {
	struct limiter *l;
	unsigned cls; // 0 or 1
	bool endless, running, in_flight, has_data;
	bool rdma_ip, masked;
};

struct model {
	struct limiter limiter[QPS];
	struct qp qp[QPS + 1];
	unsigned n;
	bool shut[CLASSES], down;
	tstamp until[CLASSES]; // of a pause
	tstamp free_at, busy_since;
	uint64_t frames;
	unsigned taken; // events of the lab
	char what[80];
};

static struct model m;

static double bytes_in(tstamp ps, double rate)
{
	return (double)ps * rate / 8e12;
}

static void grow(struct limiter *l, tstamp to)
{
	if (to <= l->at)
		return;
	if (l->owed < 0) {
		tstamp need = (tstamp)ceil(-l->owed * 8e12 / l->rate);

		if (l->at + need > to) {
			l->owed += bytes_in(to - l->at, l->rate);
			l->at = to;
			return;
		}
		l->at += need;
		l->owed = l->can ? l->owed + bytes_in(need, l->rate) : 0;
		l->since = l->at;
	}
	if (l->can)
		l->owed += bytes_in(to - l->at, l->rate);
	l->at = to;
}

static void advance(struct limiter *l, tstamp to)
{
	for (; l->done < l->n && l->log[l->done].t <= to; l->done++) {
		const struct change *c = &l->log[l->done];

		grow(l, c->t);
		if (c->can && !l->can)
			l->since = tstamp_max(c->t, l->since);
		l->can = c->can;
		// The time that it waited for the wire was allowed; behind the last frame of a
		// message nothing is allowed.
		if (!c->can && l->owed > 0) {
			l->lost += c->data ? l->owed : 0;
			l->owed = 0;
		}
	}
	grow(l, to);
}

static void set_rate(struct limiter *l, double rate, tstamp at)
{
	double most = l->any ? BYTES : 0;

	advance(l, at);
	if (rate < l->rate && l->owed > most) {
		l->lost += l->owed - most;
		l->owed = most;
	}
	l->rate = rate;
}

static void look_again(tstamp now)
{
	for (unsigned i = 0; i < QPS; i++) {
		struct limiter *l = &m.limiter[i];
		struct change c = {.t = now};

		for (unsigned k = 1; k <= m.n; k++) {
			const struct qp *q = &m.qp[k];

			if (q->l != l || !q->has_data)
				continue;
			c.data = true;
			c.can |= !m.shut[q->cls] && !m.down && !q->masked;
		}
		if (c.can == l->seen)
			continue;
		l->seen = c.can;
		if (l->done == l->n)
			l->done = l->n = 0;
		assert_true(l->n < LOG);
		l->log[l->n++] = c;
	}
}

static void pauses_end(tstamp now)
{
	for (unsigned c = 0; c < CLASSES; c++) {
		if (!m.shut[c] || m.until[c] > now)
			continue;
		m.shut[c] = false;
		look_again(m.until[c]);
	}
}

static bool is_counter(const struct ev *e)
{
	return e->type == EV_RP &&
	       (e->reaction == RP_BC_FAST_RECOVERY || e->reaction == RP_BC_ADDITIVE_INCREASE ||
		       e->reaction == RP_BC_HYPER_INCREASE);
}

static void take_events(struct lab *l, bool counters)
{
	lab_drain_events(l, 0);
	for (; m.taken < l->n_ev; m.taken++) {
		const struct ev *e = &l->ev[m.taken];
		struct limiter *k = e->type == EV_RP ? m.qp[e->rp.flow].l : NULL;

		if (l->ev_nic[m.taken])
			continue;
		pauses_end(e->t);
		// It comes with the frame that is judged next, and holds from that one's ideal
		// instant.
		if (is_counter(e) && !counters)
			return;
		if (is_counter(e)) {
			k->owed *= (double)e->rp.rc / k->rate;
			k->rate = (double)e->rp.rc;
		} else if (e->type == EV_RP) {
			set_rate(k, (double)e->rp.rc, e->t);
		} else if (e->type == EV_MSG_DONE) {
			struct qp *q = &m.qp[e->message.flow];

			q->in_flight = q->has_data = q->running;
			look_again(e->t);
		}
	}
	m.taken = l->n_ev = 0;
}

static void bound(struct limiter *l)
{
	double most = l->catch_up == PACER_AUTO
			      ? fmax(PACER_AUTO_GAPS * BYTES, bytes_in(PACER_AUTO_LEAST, l->rate))
			      : bytes_in(l->catch_up, l->rate);

	if (l->owed <= most)
		return;
	l->lost += l->owed - most;
	l->owed = most;
}

static bool judge(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	if (from)
		return true;
	take_events(l, false);
	pauses_end(now);
	if (now > m.free_at)
		m.busy_since = now;
	m.free_at = now + eport_wire_time(nic_eport(l->nic[0])->cfg, p->len);
	if (p->kind != PKT_DATA)
		return true;

	struct qp *q = &m.qp[p->u.rc.qpn];
	struct limiter *k = q->l;

	advance(k, now);
	if (k->owed < -EPS)
		fail_msg("%s: at %llu ps a frame of %u leaves %.2f bytes early", m.what,
			(unsigned long long)now, p->u.rc.qpn, -k->owed);
	if (!q->has_data || q->masked || m.shut[q->cls] || m.down)
		fail_msg("%s: at %llu ps a frame of %u leaves that cannot ", m.what,
			(unsigned long long)now, p->u.rc.qpn);
	if (k->owed > EPS && k->since + 10000 < m.busy_since)
		fail_msg("%s: at %llu ps a frame of %u leaves %llu ps late, the wire was idle",
			m.what, (unsigned long long)now, p->u.rc.qpn,
			(unsigned long long)(now - k->since));
	bound(k);
	take_events(l, true);
	k->owed -= BYTES;
	k->sent += BYTES;
	k->any = true;
	k->since = now;
	m.frames++;
	if (!q->endless && p->flags & PKT_F_LAST) {
		q->has_data = false;
		look_again(now);
	}
	return true;
}

static void pause(struct lab *l, unsigned c, uint16_t quanta)
{
	struct pkt p = {.kind = PKT_PFC, .len = 60, .u.pfc = {.enable = (uint8_t)(8 << c)}};

	p.u.pfc.quanta[3 + c] = quanta;
	lab_rx(l, 0, &p);
	if (m.down)
		return;
	m.shut[c] = quanta > 0;
	m.until[c] = l->now + quanta * 5120ull;
	look_again(l->now);
}

static void cnm(struct lab *l, unsigned c)
{
	struct hdr h = {.ethertype = 0x22e7};

	memcpy(h.dst, l->p[0].mac, 6);
	memcpy(h.daddr, l->p[1].mac, 6);
	lab_rx(l, 0,
		&(struct pkt){.kind = PKT_CNM,
			.len = 60,
			.hdr = &h,
			.u.cnm = {.qntzfb = 40, .priority = (uint8_t)(3 + c)}});
}

static void flow(struct lab *l, uint32_t id, bool on)
{
	struct qp *q = &m.qp[id];

	lab_ctl(l, 0, (struct ctl){.type = on ? CTL_FLOW_START : CTL_FLOW_STOP, .id = id});
	q->running = on;
	if (on && !q->in_flight) {
		q->in_flight = q->has_data = true;
		look_again(l->now);
	}
}

static void something(struct lab *l, struct prng *g, bool flaps)
{
	uint32_t id = 1 + prng_below(g, m.n), what = prng_below(g, 14);
	unsigned c = prng_below(g, CLASSES);

	if (what < 4)
		lab_rx(l, 0, &(struct pkt){.kind = PKT_CNP, .len = 74, .u.rc.qpn = id});
	else if (what < 6)
		cnm(l, c);
	else if (what < 9)
		pause(l, c, (uint16_t)prng_below(g, prng_below(g, 2) ? 60 : 20000));
	else if (what == 9)
		pause(l, c, 0);
	else if (what == 10 && !m.qp[id].endless)
		flow(l, id, !m.qp[id].running);
	else if (what == 11 && flaps) {
		m.down = !m.down;
		lab_ctl(l, 0, (struct ctl){.type = m.down ? CTL_LINK_DOWN : CTL_LINK_UP});
		look_again(l->now);
	}
	if (what >= 12 && m.qp[id].rdma_ip) {
		m.qp[id].masked = !m.qp[id].masked;
		reg(l, "sq_arb_mask", id, m.qp[id].masked);
		look_again(l->now);
	}
	take_events(l, true);
}

static void add(
	struct lab *l, struct prng *g, uint32_t id, const struct rp_cfg rp[KINDS], bool flaps)
{
	struct nic_qp_params p = lab_req(l, id);
	struct qp *q = &m.qp[id];
	enum kind kind = (enum kind)prng_below(g, KINDS);
	static const tstamp most[] = {PACER_AUTO, PACER_AUTO, 0, 3 * PS_PER_US, 100 * PS_PER_US};

	q->cls = prng_below(g, CLASSES);
	q->endless = flaps || prng_below(g, 2);
	q->running = q->has_data = q->in_flight = true;
	p.cls = (uint8_t)(3 + q->cls);
	p.outstanding = 1;
	p.message_bytes = q->endless ? 1u << 30 : 1024 * (1 + prng_below(g, 40));
	p.catch_up_ps = kind == QCN ? PACER_AUTO : most[prng_below(g, 5)];
	p.rate_limit = kind == FIXED ? RATE_GBPS / 10 * (1 + prng_below(g, 300)) : 0;
	p.rp = kind == FIXED ? NULL : &rp[kind];
	q->rdma_ip = kind == RDMA_IP;
	q->l = kind == QCN ? &m.limiter[q->cls] : &m.limiter[CLASSES - 1 + id];
	if (kind != QCN && CLASSES - 1 + id >= QPS)
		q->l = &m.limiter[QPS - 1];
	q->l->rate = (double)(p.rate_limit ? p.rate_limit : LINE);
	q->l->catch_up = p.catch_up_ps;
	lab_add(l, &p);
}

static void build(struct lab *l, struct prng *g, bool flaps)
{
	static struct rp_cfg rp[KINDS];
	struct dcqcn_rp_params dp;
	struct qcn_rp_params qp;
	struct rc_params rc = lab_rc_params();

	assert_int_equal(dcqcn_rp_profile(&dp, "paper", LINE), 0);
	if (prng_below(g, 2))
		dp.byte_counter = 150000;
	rp[DCQCN] = rp_of_dcqcn(&dp);
	qcn_rp_defaults(&qp, LINE);
	qp.time_reset_ps = 300 * PS_PER_US;
	rp[QCN] = rp_of_qcn(&qp);
	rp[RDMA_IP] = rp_of_rdma_ip(&ip);
	lab_init(l);
	for (unsigned i = 0; i < 2; i++)
		l->p[i].pfc_classes = 3 << 3;
	rc.verb = RC_SEND;
	rc.window = 4096;
	rc.ack_every = 256;
	rc.rto_ps = PS_PER_S;
	assert_int_equal(rc_cfg_init(&l->rc, &rc), 0);
	l->hook = judge;
	lab_start(l);
	m.n = 1 + prng_below(g, QPS - CLASSES);
	for (uint32_t id = 1; id <= m.n; id++)
		add(l, g, id, rp, flaps);
	look_again(0);
}

// Compares the bytes that the NIC counts as allowed, of each limiter, in whole bytes for each frame
// that gives up something. Rate timers that are caught up with only after several pauses, because
// nobody looked, make it a little off.
static void compare(struct lab *l, bool accounts)
{
	for (unsigned i = 0; i < QPS; i++) {
		struct limiter *k = &m.limiter[i];
		unsigned members = 0;
		double counted = 0, want;

		for (uint32_t id = 1; id <= m.n; id++) {
			if (m.qp[id].l != k)
				continue;
			members++;
			counted += (double)nic_qp_stats(l->nic[0], id - 1)->pace_owed_bytes;
		}
		advance(k, l->now);
		want = k->sent + k->lost + k->owed;
		if (fabs(counted - want) >
			members * BYTES + k->sent / BYTES + want / (accounts ? 2000 : 100))
			fail_msg("%s: limiter %u of %u queue pairs: %.0f bytes allowed, %.0f "
				 "counted",
				m.what, i, members, want, counted);
	}
}

static void round_of(uint64_t seed, unsigned number)
{
	static struct lab l;
	struct prng g;
	bool flaps, accounts;

	memset(&m, 0, sizeof(m));
	snprintf(m.what, sizeof(m.what), "QUENCH_SEED=%llu, round %u", (unsigned long long)seed,
		number);
	prng_init(&g, seed, m.what);
	flaps = prng_below(&g, 3) == 0;
	accounts = prng_below(&g, 2);
	build(&l, &g, flaps);
	for (unsigned i = 0; i < 200; i++) {
		tstamp most = (prng_below(&g, 2) ? 2 : 200) * PS_PER_US;

		lab_run(&l, l.now + prng_below(&g, most));
		take_events(&l, true);
		pauses_end(l.now);
		if (accounts)
			nic_account(l.nic[0], l.now);
		take_events(&l, true);
		something(&l, &g, flaps);
	}
	nic_account(l.nic[0], l.now);
	take_events(&l, true);
	compare(&l, accounts);
	lab_end(&l);
}

// A limiter never sends more than a frame above the integral of its rate since it could send, and
// never leaves the wire idle below that. Random CNPs, CNMs, pauses, link failures, ends of messages
// and masks.
static void limiters_keep_to_the_integral_of_their_rates(void **state)
{
	const char *env = getenv("QUENCH_SEED"), *rounds = getenv("QUENCH_ROUNDS");

	(void)state;
	for (unsigned i = 0; i < (rounds ? (unsigned)atoi(rounds) : rounds_of(60)); i++)
		round_of(env ? strtoull(env, NULL, 0) : 1, i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limiters_keep_to_the_integral_of_their_rates),
	};

	return cmocka_run_group_tests_name("nic_pace_model", tests, NULL, NULL);
}
