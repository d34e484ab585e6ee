// SPDX-License-Identifier: BSD-3-Clause
// A NIC in the reference simulator's framing, given the ACKs of three recorded senders as they
// came: every frame leaves when the recorded one did, to the ns, at its rate and with its window.
#include "nic_lab.h"
#include "rp_trace.h"

#define LINE (25 * RATE_GBPS)

struct follower {
	struct lab l;
	struct rp_cfg rp;
	struct rp_trace t;
	uint64_t v[16];
	double real[16];
	int kind; // of the line that is next; 0: none
	uint64_t sent;
	unsigned acks, frames, expected;
};

static void next_line(struct follower *f)
{
	f->kind = rp_trace_next(&f->t, f->v, f->real, 16);
}

static void follow(struct follower *f, const char *path, uint16_t overhead)
{
	struct lab *l = &f->l;
	struct rc_params rc = lab_rc_params();
	struct nic_qp_params req;

	lab_init(l);
	l->p[0].rate = l->p[1].rate = LINE;
	l->p[0].framing = l->p[1].framing = (struct eport_framing){.whole_ns = 1};
	l->p[0].fixed_gap = l->p[0].cnflag = l->p[0].np_off = l->p[0].pause_no_expiry = true;
	lab_start(l);
	rc.mtu = MTU;
	rc.window = 1 << 22;
	rc.ack_every = 1;
	rc.rto_ps = TSTAMP_NEVER;
	rc.recovery = RC_ANY_ORDER;
	assert_int_equal(rc_cfg_init(&l->rc, &rc), 0);
	req = lab_req(l, 1);
	req.rp = &f->rp;
	req.overhead = overhead;
	req.bare = true;
	req.message_bytes = 80000000;
	req.count = 1;
	assert_int_equal(nic_add_qp(l->nic[0], &req), 0);
	rp_trace_open(&f->t, path, 0, LINE);
	next_line(f);
}

// A frame that leaves: it must be the one of the next line. T ns sent rate next window.
static void left(struct follower *f, const struct pkt *p, tstamp now)
{
	const struct rp *rp = nic_qp_rp(f->l.nic[0], 0);

	f->frames++;
	f->sent += p->u.rc.payload;
	if (f->kind != 'T' || f->v[0] * PS_PER_NS != now || f->v[1] != f->sent ||
		f->v[2] != rp_rate(rp) || (rp_window(rp) && f->v[4] != rp_window(rp)))
		fail_msg("line %u: sent %llu at %llu ps, rate %llu, window %llu", f->t.line,
			(unsigned long long)f->sent, (unsigned long long)now,
			(unsigned long long)rp_rate(rp), (unsigned long long)rp_window(rp));
	next_line(f);
}

// All that is due by `until`. Of the last recorded sender more ACKs than frames stand there: what
// it sends behind its last frame is not looked at.
static void transmit(struct follower *f, tstamp until)
{
	tstamp now = tstamp_max(f->l.now, tstamp_min(until, nic_deadline(f->l.nic[0], 0)));
	struct pkt *p;

	f->l.now = now;
	while (nic_tx(f->l.nic[0], 0, &p, 1, now)) {
		if (f->frames < f->expected)
			left(f, p, now);
		pkt_put(&f->l.stack, p);
	}
	lab_drain_events(&f->l, 0);
}

// An ACK of the next line. A, U: ns acked.
static void acknowledge(struct follower *f)
{
	const struct pkt ack = {.kind = PKT_ACK,
		.len = 60,
		.u.rc = {.opcode = BTH_RC_ACK,
			.qpn = 1,
			.psn = (uint32_t)(f->v[1] / MTU - 1),
			.bth = f->kind == 'A' && f->v[2] ? BTH_BECN : 0}};

	f->acks++;
	f->l.now = f->v[0] * PS_PER_NS;
	lab_rx(&f->l, 0, &ack);
}

// Lines in their order: one instant has its lines as the simulator had its events.
static void run(struct follower *f)
{
	while (f->kind) {
		tstamp due = f->v[0] * PS_PER_NS;
		unsigned line = f->t.line;

		while (nic_deadline(f->l.nic[0], 0) < due)
			transmit(f, due - 1);
		if (f->kind == 'T') {
			transmit(f, due);
			if (f->t.line == line)
				fail_msg("line %u: no frame", line);
		} else {
			acknowledge(f);
			next_line(f);
		}
	}
	assert_int_equal(f->frames, f->expected);
	fclose(f->t.f);
	lab_end(&f->l);
}

static struct rp_cfg windowed(void)
{
	struct rp_cfg cfg = {.kind = RP_DCTCP};
	struct dctcp_rp_params p;

	dctcp_rp_defaults(&p, LINE, true);
	p.bdp = 14500;
	assert_int_equal(dctcp_rp_cfg_init(&cfg.u.dctcp, &p), 0);
	return cfg;
}

static void dctcp_that_is_never_marked(void **state)
{
	static struct follower f;

	(void)state;
	f.rp = windowed();
	f.expected = 3014;
	follow(&f, TEST_DATA "/dctcp_25g.rp.txt", 48);
	run(&f);
	assert_int_equal(f.acks, 3000);
}

static void dctcp_that_is_marked(void **state)
{
	static struct follower f;

	(void)state;
	f.rp = windowed();
	f.expected = 6011;
	follow(&f, TEST_DATA "/dctcp_lowk_25g.rp.txt", 48);
	run(&f);
	assert_int_equal(f.acks, 6000);
}

static void timely(void **state)
{
	static struct follower f;
	struct timely_rp_params p;

	(void)state;
	timely_rp_defaults(&p, LINE, true);
	f.rp.kind = RP_TIMELY;
	assert_int_equal(timely_rp_cfg_init(&f.rp.u.timely, &p), 0);
	f.expected = 3000;
	follow(&f, TEST_DATA "/timely_25g.rp.txt", 56);
	run(&f);
	assert_int_equal(f.acks, 3000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dctcp_that_is_never_marked),
		cmocka_unit_test(dctcp_that_is_marked),
		cmocka_unit_test(timely),
	};

	return cmocka_run_group_tests_name("nic_golden", tests, NULL, NULL);
}
