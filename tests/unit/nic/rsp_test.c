// SPDX-License-Identifier: BSD-3-Clause
// Tests of responders in a NIC: ACK coalescing, NAK once, and the notification point's CNPs.
#include "nic_lab.h"

#include "base/prng.h"

struct seen {
	unsigned n;
	tstamp t[64];
	struct pkt p[64];
};

// The answer of NIC 1.
static bool note(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	struct seen *s = l->arg;

	if (!from || s->n == 64)
		return true;
	s->t[s->n] = now;
	s->p[s->n++] = *p;
	return true;
}

static void start_as(struct lab *l, struct seen *s, bool echo_ce)
{
	struct nic_qp_params rsp = {.flow = 9,
		.qpn = 4,
		.peer_qpn = 5,
		.ack_hdr = &l->back_hdr,
		.cnp_hdr = echo_ce ? NULL : &l->back_hdr,
		.cls = 3,
		.ack_cls = 6,
		.ack_tos = 0x88,
		.rc = &l->rc,
		.echo_ce = echo_ce};

	memset(s, 0, sizeof(*s));
	l->hook = note;
	l->arg = s;
	lab_start(l);
	assert_int_equal(nic_add_qp(l->nic[1], &rsp), 0);
}

static void start(struct lab *l, struct seen *s)
{
	start_as(l, s, false);
}

// A middle frame of a SEND arrives at `t`.
static void data_at(struct lab *l, tstamp t, uint32_t psn, uint8_t bth, uint8_t ecn)
{
	lab_run(l, t);
	lab_rx(l, 1,
		&(struct pkt){.kind = PKT_DATA,
			.len = 1082,
			.tos = ecn,
			.born = t - 500,
			.u.rc = {.opcode = 0x01,
				.bth = bth,
				.qpn = 4,
				.psn = psn,
				.payload = 1024}});
}

// Data that came as bytes do not say when they left: the queue pair has no latency from then on.
static void data_parsed_from_bytes_has_no_latency(void **state)
{
	struct hist *h = calloc(1, sizeof(*h));
	const struct nic_qp_stats *s;
	struct seen seen;
	struct lab l;

	(void)state;
	lab_init(&l);
	start(&l, &seen);
	nic_qp_lend_latency(l.nic[1], 0, h);
	data_at(&l, PS_PER_US, 0, 0, 0);
	s = nic_qp_stats(l.nic[1], 0);
	assert_int_equal(s->latency_max, 500);
	lab_rx(&l, 1,
		&(struct pkt){.kind = PKT_DATA,
			.len = 1082,
			.born = TSTAMP_NEVER,
			.u.rc = {.opcode = 0x01, .qpn = 4, .psn = 1, .payload = 1024}});
	assert_int_equal(s->data_frames_rx, 2);
	assert_int_equal(s->rx_bytes, 2048);
	assert_int_equal(s->latency_max, TSTAMP_NEVER);
	assert_int_equal(s->latency_min, 500);
	assert_int_equal(s->latency_sum, 500);
	assert_int_equal(h->bucket[hist_index(500)], 1);
	assert_int_equal(h->bucket[hist_index(0)], 0);
	free(h);
	lab_end(&l);
}

// standards.md 4.2: CE at 0, 10, 30, 49, 60, 170 us.
static unsigned cnps_of(struct lab *l, struct seen *s, struct dcqcn_np_params np)
{
	static const tstamp ce_us[] = {0, 10, 30, 49, 60, 170};

	lab_init(l);
	l->p[1].np = np;
	start(l, s);
	for (unsigned i = 0; i < 6; i++)
		data_at(l, ce_us[i] * PS_PER_US, i, 0, ECN_CE);
	lab_run(l, PS_PER_MS);
	assert_int_equal(nic_stats(l->nic[1])->np_ecn_marked_roce_packets, 6);
	assert_int_equal(nic_qp_stats(l->nic[1], 0)->ecn_ce_rx, 6);
	assert_int_equal(nic_stats(l->nic[1])->np_cnp_sent, s->n);
	assert_int_equal(nic_qp_stats(l->nic[1], 0)->cnp_tx, s->n);
	assert_int_equal(lab_evs(l, 1, EV_CNP_TX), s->n);
	return s->n;
}

static void cnp_window(void **state)
{
	(void)state;

	static const tstamp us[] = {0, 50, 100, 170};
	struct seen s;
	struct lab l;
	struct dcqcn_np_params np = {.mode = NP_WINDOW, .interval_ps = 50 * PS_PER_US};

	assert_int_equal(cnps_of(&l, &s, np), 4);
	for (unsigned i = 0; i < 4; i++) {
		const struct pkt *p = &s.p[i];

		assert_int_equal(s.t[i], us[i] * PS_PER_US);
		assert_int_equal(lab_ev(&l, 1, EV_CNP_TX, i)->t, us[i] * PS_PER_US);
		assert_int_equal(p->kind, PKT_CNP);
		assert_int_equal(p->len, 74);
		assert_int_equal(p->tos, 0xc2);
		assert_int_equal(p->cls, 6);
		assert_int_equal(p->u.rc.opcode, 0x81);
		assert_int_equal(p->u.rc.bth, 1 << 3); // BECN only
		assert_int_equal(p->u.rc.psn, 0);
		assert_int_equal(p->u.rc.qpn, 5); // of the data's sender
		assert_ptr_equal(p->hdr, &l.back_hdr);
	}
	lab_end(&l);
}

// A CE frame that arrives with the window's end belongs to the next window.
static void cnp_window_edge(void **state)
{
	(void)state;

	static const tstamp ce_us[] = {0, 49, 50}, us[] = {0, 50, 100};
	struct seen s;
	struct lab l;

	lab_init(&l);
	start(&l, &s);
	for (unsigned i = 0; i < 2; i++)
		data_at(&l, ce_us[i] * PS_PER_US, i, 0, ECN_CE);
	lab_run(&l, ce_us[2] * PS_PER_US - 1);
	l.now++; // arrivals come before timers of the same instant
	lab_rx(&l, 1,
		&(struct pkt){.kind = PKT_DATA,
			.len = 1082,
			.tos = ECN_CE,
			.u.rc = {.opcode = 1, .qpn = 4, .psn = 2, .payload = 1024}});
	lab_run(&l, PS_PER_MS);
	assert_int_equal(s.n, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(s.t[i], us[i] * PS_PER_US);
	lab_end(&l);
}

static void cnp_next_marked(void **state)
{
	(void)state;

	static const tstamp us[] = {0, 60, 170};
	struct seen s;
	struct lab l;
	struct dcqcn_np_params np = {.mode = NP_NEXT_MARKED, .interval_ps = 50 * PS_PER_US};

	assert_int_equal(cnps_of(&l, &s, np), 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(s.t[i], us[i] * PS_PER_US);
	lab_end(&l);
}

static void cnp_per_packet(void **state)
{
	(void)state;

	struct seen s;
	struct lab l;

	assert_int_equal(cnps_of(&l, &s, (struct dcqcn_np_params){.mode = NP_PER_PACKET}), 6);
	lab_end(&l);
}

static void np_off_answers_nothing(void **state)
{
	(void)state;

	struct seen s;
	struct lab l;

	lab_init(&l);
	l.p[1].np_off = true;
	start(&l, &s);
	data_at(&l, PS_PER_US, 0, 0, ECN_CE);
	lab_run(&l, PS_PER_MS);
	assert_int_equal(s.n, 0);
	assert_int_equal(nic_stats(l.nic[1])->np_ecn_marked_roce_packets, 1);
	lab_end(&l);
}

// Framing hpcc_sim: the ACK says that CE came since the ACK before; no CNP. The other side takes
// it as one.
static void cnflag(void **state)
{
	(void)state;

	struct seen s;
	struct lab l;
	struct rp_cfg rp = rp_of_profile("hpcc_sim_dcqcn", 100 * RATE_GBPS);

	lab_init(&l);
	l.p[0].cnflag = l.p[1].cnflag = true;
	l.p[1].np_off = true; // no notification point: the echo is not one
	start(&l, &s);

	struct nic_qp_params req = lab_req(&l, 5);

	req.rp = &rp;
	req.peer_qpn = 4;
	req.message_bytes = 1024;
	req.count = 1;
	assert_int_equal(nic_add_qp(l.nic[0], &req), 0);
	data_at(&l, 1000, 0, 0, ECN_CE);
	data_at(&l, 2000, 1, 2, ECN_ECT0); // AckReq
	data_at(&l, 3000, 2, 2, ECN_ECT0);
	lab_run(&l, 10 * PS_PER_US);
	assert_in_range(s.n, 2, 4);
	assert_int_equal(s.p[0].u.rc.bth & BTH_BECN, BTH_BECN);
	assert_int_equal(s.p[1].u.rc.bth & BTH_BECN, 0);
	assert_int_equal(nic_stats(l.nic[1])->np_cnp_sent, 0);
	assert_int_equal(nic_stats(l.nic[0])->rp_cnp_handled, 1);
	assert_int_equal(lab_ev(&l, 0, EV_RP, 0)->reaction, RP_START);
	lab_end(&l);
}

static void assert_ack(const struct seen *s, unsigned i, tstamp at, uint32_t psn, bool ce)
{
	assert_true(i < s->n);
	assert_int_equal(s->p[i].kind, PKT_ACK);
	assert_int_equal(s->p[i].u.rc.syndrome, 0x1f);
	assert_int_equal(s->t[i], at);
	assert_int_equal(s->p[i].u.rc.psn, psn);
	assert_int_equal(s->p[i].u.rc.bth, ce ? BTH_BECN : 0);
}

static void assert_no_cnps(const struct lab *l, unsigned ce)
{
	assert_int_equal(nic_stats(l->nic[1])->np_ecn_marked_roce_packets, ce);
	assert_int_equal(nic_qp_stats(l->nic[1], 0)->ecn_ce_rx, ce);
	assert_int_equal(nic_stats(l->nic[1])->np_cnp_sent, 0);
	assert_int_equal(nic_qp_stats(l->nic[1], 0)->cnp_tx, 0);
	assert_int_equal(lab_evs(l, 1, EV_CNP_TX), 0);
}

// RFC 8257, 3.2: where CE changes, what came before is acknowledged at once, as it came; else ACKs
// are coalesced as ever.
static void an_echo_tells_ce_at_each_change(void **state)
{
	static const uint8_t ecn[] = {ECN_ECT0, ECN_ECT0, ECN_CE, ECN_CE, ECN_CE, ECN_ECT0, ECN_CE};
	struct seen s;
	struct lab l;

	(void)state;
	lab_init(&l);
	l.p[1].np.with_nak = true;
	start_as(&l, &s, true);
	for (uint32_t i = 0; i < 7; i++)
		data_at(&l, i * PS_PER_US, i, i == 5 ? BTH_ACKREQ : 0, ecn[i]);
	for (uint32_t i = 7; i < 30; i++)
		data_at(&l, i * PS_PER_US, i, 0, ECN_CE);
	data_at(&l, 30 * PS_PER_US, 30, BTH_ACKREQ, ECN_CE);
	lab_run(&l, PS_PER_MS);
	assert_int_equal(s.n, 5);
	assert_ack(&s, 0, 2 * PS_PER_US, 1, false);
	assert_ack(&s, 1, 5 * PS_PER_US, 4, true);
	assert_in_range(s.t[2], 5 * PS_PER_US, 5 * PS_PER_US + 10000); // behind the one before
	assert_ack(&s, 2, s.t[2], 5, false);
	assert_ack(&s, 3, 21 * PS_PER_US, 21, true); // the 16th
	assert_ack(&s, 4, 30 * PS_PER_US, 30, true);
	assert_no_cnps(&l, 28);
	// A gap is refused as ever, and no CNP goes with it.
	data_at(&l, 2 * PS_PER_MS, 33, 0, ECN_ECT0);
	lab_run(&l, 3 * PS_PER_MS);
	assert_int_equal(s.n, 6);
	assert_int_equal(s.p[5].u.rc.syndrome, AETH_NAK_PSN);
	assert_int_equal(s.p[5].u.rc.psn, 31);
	assert_no_cnps(&l, 28);
	lab_end(&l);
}

// A flow that starts with CE has nothing before it to acknowledge.
static void an_echo_may_begin_with_ce(void **state)
{
	struct seen s;
	struct lab l;

	(void)state;
	lab_init(&l);
	start_as(&l, &s, true);
	data_at(&l, PS_PER_US, 0, 0, ECN_CE);
	data_at(&l, 2 * PS_PER_US, 1, BTH_ACKREQ, ECN_CE);
	lab_run(&l, PS_PER_MS);
	assert_int_equal(s.n, 1);
	assert_ack(&s, 0, 2 * PS_PER_US, 1, true);
	assert_no_cnps(&l, 2);
	lab_end(&l);
}

// The simulator's framing acknowledges each packet, so each tells of its own CE.
static void an_echo_of_each_packet(void **state)
{
	struct rc_params rc = lab_rc_params();
	struct seen s;
	struct lab l;

	(void)state;
	for (unsigned asked = 0; asked < 2; asked++) {
		lab_init(&l);
		rc.recovery = RC_ANY_ORDER;
		assert_int_equal(rc_cfg_init(&l.rc, &rc), 0);
		l.p[1].cnflag = true;
		start_as(&l, &s, asked);
		for (uint32_t i = 0; i < 20; i++)
			data_at(&l, i * PS_PER_US, i, 0, i % 3 ? ECN_ECT0 : ECN_CE);
		lab_run(&l, PS_PER_MS);
		assert_int_equal(s.n, 20);
		for (uint32_t i = 0; i < 20; i++)
			assert_ack(&s, i, i * PS_PER_US, i, i % 3 == 0);
		assert_no_cnps(&l, 7);
		lab_end(&l);
	}
}

// 40 packets without AckReq, n = 16: ACKs of PSN 15 and 31, then of the one that asks.
static void coalescing(void **state)
{
	(void)state;

	struct seen s;
	struct lab l;

	lab_init(&l);
	start(&l, &s);
	for (uint32_t i = 0; i < 40; i++)
		data_at(&l, i * 90000ull, i, i == 35 ? 2 : 0, ECN_ECT0);
	lab_run(&l, PS_PER_MS);
	assert_int_equal(s.n, 3);

	const uint32_t psn[] = {15, 31, 35};

	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(s.p[i].kind, PKT_ACK);
		assert_int_equal(s.p[i].len, 62);
		assert_int_equal(s.p[i].tos, 0x88);
		assert_int_equal(s.p[i].u.rc.opcode, 0x11);
		assert_int_equal(s.p[i].u.rc.psn, psn[i]);
		assert_int_equal(s.p[i].u.rc.syndrome, 0x1f);
		assert_int_equal(s.p[i].u.rc.qpn, 5);
		assert_int_equal(s.t[i], psn[i] * 90000ull);
	}
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->ack_tx, 3);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->rx_bytes, 40 * 1024);
	lab_end(&l);
}

// A gap: one NAK with the PSN expected, silence until it comes, then duplicates are acknowledged.
static void nak_once(void **state)
{
	(void)state;

	struct seen s;
	struct lab l;

	lab_init(&l);
	start(&l, &s);
	data_at(&l, 1000000, 0, 0, ECN_ECT0);
	data_at(&l, 2000000, 2, 2, ECN_ECT0);
	data_at(&l, 3000000, 3, 2, ECN_ECT0);
	data_at(&l, 4000000, 1, 0, ECN_ECT0);
	data_at(&l, 5000000, 0, 0, ECN_ECT0);
	lab_run(&l, PS_PER_MS);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.p[0].u.rc.syndrome, 0x60);
	assert_int_equal(s.p[0].u.rc.psn, 1);
	assert_int_equal(s.p[1].u.rc.syndrome, 0x1f);
	assert_int_equal(s.p[1].u.rc.psn, 1);
	assert_int_equal(nic_stats(l.nic[1])->out_of_sequence, 2);
	assert_int_equal(nic_stats(l.nic[1])->duplicate_request, 1);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->frame_sequence_error, 2);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->nak_tx, 1);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->ack_tx, 1);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->rx_bytes, 2 * 1024);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->data_frames_rx, 5);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->first_timestamp, 1000000);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->last_timestamp, 5000000);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->latency_min, 500);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->latency_sum, 2500);
	lab_end(&l);
}

// A lent histogram has the latency of every data frame that comes from then on, repetitions too.
// Whoever speaks as its peer, with any PSNs and all CE: a queue pair answers with one NAK for each
// PSN that it waits for, and one CNP in each interval.
static void one_nak_and_one_cnp_in_an_interval(void **state)
{
	unsigned naks = 0, cnps = 0;
	struct prng g;
	struct seen s;
	struct lab l;

	(void)state;
	prng_init(&g, 1, "flood");
	lab_init(&l);
	start(&l, &s);
	for (unsigned i = 0; i < 4000; i++) // beyond the next 2^23 - 1, so that none is a duplicate
		data_at(&l, PS_PER_US + i * 100 * PS_PER_NS, 1 + (uint32_t)prng_below(&g, 0x7ffffe),
			BTH_ACKREQ, ECN_CE);
	lab_run(&l, PS_PER_MS);
	assert_true(s.n < 64);
	for (unsigned i = 0; i < s.n; i++) {
		cnps += s.p[i].kind == PKT_CNP;
		naks += s.p[i].kind == PKT_ACK;
	}
	assert_int_equal(naks, 1);
	assert_int_equal(cnps, 1 + 4000 * 100 / 50000); // the last one behind the flood
	lab_end(&l);
}

static void lent_histogram(void **state)
{
	(void)state;

	static struct hist latency;
	struct seen s;
	struct lab l;

	lab_init(&l);
	start(&l, &s);
	data_at(&l, PS_PER_US, 0, 0, ECN_ECT0);
	hist_init(&latency);
	nic_qp_lend_latency(l.nic[1], 0, &latency);
	data_at(&l, 2 * PS_PER_US, 1, 0, ECN_ECT0);
	data_at(&l, 3 * PS_PER_US, 1, 0, ECN_ECT0);
	data_at(&l, 4 * PS_PER_US, 7, 0, ECN_ECT0);
	nic_qp_lend_latency(l.nic[1], 0, NULL);
	data_at(&l, 5 * PS_PER_US, 2, 0, ECN_ECT0);
	hist_settle(&latency);
	assert_int_equal(latency.n, 3);
	assert_int_equal(latency.bucket[hist_index(500)], 3);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->data_frames_rx, 5);
	lab_end(&l);
}

// Without a descriptor an ACK and a CNP are lost, counted, and nothing else happens.
static void no_descriptor(void **state)
{
	(void)state;

	struct seen s;
	struct lab l;

	lab_init(&l);
	start(&l, &s);

	struct pkt frame = {.kind = PKT_DATA,
		.len = 1082,
		.tos = ECN_CE,
		.hdr = &l.data_hdr,
		.u.rc = {.bth = 2, .qpn = 4, .payload = 1024}};
	uint32_t n = l.stack.n;
	struct pkt *p = l.stack.slot[n - 1];

	// The frame's own descriptor serves the CNP; the ACK finds none.
	*p = frame;
	l.stack.n = 0;
	nic_rx(l.nic[1], 0, &p, 1, 0);
	assert_int_equal(l.stack.n, 0);
	assert_int_equal(nic_stats(l.nic[1])->drop[NIC_DROP_NO_DESC], 1);
	l.stack.n = n - 1;
	lab_run(&l, PS_PER_MS);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.p[0].kind, PKT_CNP);
	lab_end(&l);
}

// A last frame of a SEND, opcode 2, ends a message; what comes again or out of order does not.
static void the_last_whole_message_has_an_instant(void **state)
{
	static const uint8_t first = 0x00, last = 0x02;
	const struct {
		uint8_t opcode;
		uint32_t psn;
		tstamp whole_at; // us, after it
	} frame[] = {{first, 0, 0}, {last, 1, 2}, {first, 2, 2}, {last, 4, 2}, {last, 3, 5},
		{last, 3, 5}, {last, 1, 5}};
	struct seen s;
	struct lab l;

	(void)state;
	lab_init(&l);
	start(&l, &s);
	for (unsigned i = 0; i < 7; i++) {
		tstamp t = (i + 1) * PS_PER_US;

		lab_run(&l, t);
		lab_rx(&l, 1,
			&(struct pkt){.kind = PKT_DATA,
				.len = 1082,
				.u.rc = {.opcode = frame[i].opcode,
					.qpn = 4,
					.psn = frame[i].psn,
					.payload = 1024}});
		assert_int_equal(nic_qp_whole_at(l.nic[1], 0), frame[i].whole_at * PS_PER_US);
		assert_int_equal(nic_qp_stats(l.nic[1], 0)->last_timestamp, t);
	}
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cnp_window),
		cmocka_unit_test(cnp_window_edge),
		cmocka_unit_test(cnp_next_marked),
		cmocka_unit_test(cnp_per_packet),
		cmocka_unit_test(np_off_answers_nothing),
		cmocka_unit_test(data_parsed_from_bytes_has_no_latency),
		cmocka_unit_test(cnflag),
		cmocka_unit_test(an_echo_tells_ce_at_each_change),
		cmocka_unit_test(an_echo_may_begin_with_ce),
		cmocka_unit_test(an_echo_of_each_packet),
		cmocka_unit_test(coalescing),
		cmocka_unit_test(nak_once),
		cmocka_unit_test(the_last_whole_message_has_an_instant),
		cmocka_unit_test(one_nak_and_one_cnp_in_an_interval),
		cmocka_unit_test(lent_histogram),
		cmocka_unit_test(no_descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
