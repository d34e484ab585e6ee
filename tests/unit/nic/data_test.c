// SPDX-License-Identifier: BSD-3-Clause
// Tests of data frames: what is in them, their gaps to the ps, who is first where several are
// ready.
#include "nic_lab.h"
#include "wire/bth.h"

#define SEEN 64

struct seen {
	struct pkt p[SEEN];
	tstamp t[SEEN];
	unsigned n;
};

static bool note(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	struct seen *s = l->arg;

	if (!from && p->kind == PKT_DATA && s->n < SEEN) {
		s->p[s->n] = *p;
		s->t[s->n++] = now;
	}
	return true;
}

static void start(struct lab *l, struct seen *s)
{
	memset(s, 0, sizeof(*s));
	lab_init(l);
	l->hook = note;
	l->arg = s;
	lab_start(l);
}

static void bounded(struct lab *l, uint32_t qpn, rate_t rate, tstamp at, tstamp catch_up)
{
	struct nic_qp_params p = lab_req(l, qpn);

	p.message_bytes = 3000;
	p.outstanding = 16;
	p.rate_limit = rate;
	p.start = at;
	p.catch_up_ps = catch_up;
	lab_add(l, &p);
}

static void paced(struct lab *l, uint32_t qpn, rate_t rate, tstamp at)
{
	bounded(l, qpn, rate, at, 0);
}

// A CNP halfway through a gap of a middle frame at 10 Gb/s halves the rate: gaps that are fixed
// double from the next one on, others at once.
static void a_fixed_gap_outlives_a_cnp(void **state)
{
	const tstamp first = (1098 + 24) * 800, gap = (1082 + 24) * 800;
	struct pkt cnp = {.kind = PKT_CNP, .len = 74, .u.rc = {.opcode = BTH_CNP, .qpn = 1}};
	struct rp_cfg rp = rp_of_profile("paper", 10 * RATE_GBPS);
	struct lab l;
	struct seen s;

	(void)state;
	for (int fixed = 0; fixed <= 1; fixed++) {
		memset(&s, 0, sizeof(s));
		lab_init(&l);
		l.p[0].fixed_gap = fixed;
		l.hook = note;
		l.arg = &s;
		lab_start(&l);

		struct nic_qp_params p = lab_req(&l, 1);

		p.rp = &rp;
		lab_add(&l, &p);
		lab_run(&l, first + gap / 2);
		lab_rx(&l, 0, &cnp);
		lab_run(&l, first + 10 * gap);
		assert_int_equal(s.t[1] - s.t[0], first);
		assert_int_equal(s.t[2] - s.t[1], fixed ? gap : gap / 2 + gap);
		assert_int_equal(s.t[3] - s.t[2], 2 * gap);
		assert_int_equal(lab_ev(&l, 0, EV_CUT, 0)->cut.next, s.t[2]);
		lab_end(&l);
	}
}

// A message of 3000 bytes: RETH in the first frame only, the rest of 952 bytes in the last.
static void a_message_is_three_frames(void **state)
{
	static const uint8_t opcode[3] = {
		BTH_RC_WRITE_FIRST, BTH_RC_WRITE_MIDDLE, BTH_RC_WRITE_LAST};
	static const uint16_t len[3] = {58 + 16 + 1024, 58 + 1024, 58 + 952};
	static const uint8_t flags[3] = {PKT_F_FIRST, 0, PKT_F_LAST};
	struct lab l;
	struct seen s;

	(void)state;
	start(&l, &s);
	paced(&l, 1, 100 * RATE_GBPS, 0);
	lab_run(&l, PS_PER_US);
	assert_true(s.n >= 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(s.p[i].u.rc.opcode, opcode[i]);
		assert_int_equal(s.p[i].len, len[i]);
		assert_int_equal(s.p[i].flags, flags[i]);
		assert_int_equal(s.p[i].u.rc.psn, i);
		assert_int_equal(s.p[i].u.rc.bth & BTH_ACKREQ, i == 2 ? BTH_ACKREQ : 0);
		assert_int_equal(s.p[i].born, s.t[i]);
		assert_int_equal(s.p[i].in_port, PKT_NO_PORT);
	}
	lab_end(&l);
}

// Messages of 0 bytes: a WRITE has its RETH, a SEND is as short as Ethernet allows. The responder
// counts them as messages.
static void no_bytes_are_a_frame(void **state)
{
	struct rc_params rc = lab_rc_params();

	(void)state;
	for (int send_verb = 0; send_verb <= 1; send_verb++) {
		struct nic_qp_params p;
		struct lab l;
		struct seen s;

		start(&l, &s);
		rc.verb = send_verb ? RC_SEND : RC_WRITE;
		assert_int_equal(rc_cfg_init(&l.rc, &rc), 0);
		p = lab_req(&l, 1);
		p.message_bytes = 0;
		p.count = 5;
		lab_add(&l, &p);
		lab_run(&l, PS_PER_MS);
		assert_int_equal(s.n, 5);
		for (unsigned i = 0; i < s.n; i++) {
			assert_int_equal(s.p[i].len, send_verb ? 60 : 58 + 16);
			assert_int_equal(s.p[i].u.rc.opcode,
				send_verb ? BTH_RC_SEND_ONLY : BTH_RC_WRITE_ONLY);
			assert_int_equal(s.p[i].u.rc.psn, i);
			assert_int_equal(s.p[i].u.rc.payload + s.p[i].u.rc.pad, 0);
			assert_int_equal(s.p[i].u.rc.arg, 0);
		}
		assert_int_equal(nic_qp_stats(l.nic[1], 0)->message_complete_rx, 5);
		assert_int_equal(nic_qp_stats(l.nic[1], 0)->rx_bytes, 0);
		assert_int_equal(lab_evs(&l, 0, EV_MSG_DONE), 5);
		lab_end(&l);
	}
}

// Immediate data lengthen the last frame by 4 bytes, and the receiver counts them, tells their
// values, and counts the receives that they take.
static void immediate_data_are_counted(void **state)
{
	struct rc_params rc = lab_rc_params();
	struct nic_qp_params p;
	struct lab l;
	struct seen s;

	(void)state;
	start(&l, &s);
	rc.verb = RC_WRITE_IMM;
	assert_int_equal(rc_cfg_init(&l.rc, &rc), 0);
	p = lab_req(&l, 1);
	p.message_bytes = 1025;
	p.count = 3;
	lab_add(&l, &p);
	lab_run(&l, PS_PER_MS);
	assert_int_equal(s.n, 6);
	for (unsigned i = 0; i < s.n; i += 2) {
		assert_int_equal(s.p[i].len, 58 + 16 + 1024);
		assert_int_equal(s.p[i].u.rc.arg, 1025);
		assert_int_equal(s.p[i + 1].len, 58 + 4 + 4);
		assert_int_equal(s.p[i + 1].u.rc.opcode, BTH_RC_WRITE_LAST_IMM);
		assert_int_equal(pkt_imm(&s.p[i + 1].u.rc), i / 2);
	}
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->message_complete_rx, 3);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->immediate_rx, 3);
	assert_int_equal(nic_qp_immediate(l.nic[1], 0), 2);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(lab_ev(&l, 1, EV_IMMEDIATE, i)->immediate.value, i);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->receives, 3);
	lab_end(&l);
}

// At a quarter of the link each gap is four times the wire time of the frame before it.
static void a_gap_is_the_wire_time_at_the_rate(void **state)
{
	struct lab l;
	struct seen s;

	(void)state;
	start(&l, &s);
	paced(&l, 1, 25 * RATE_GBPS, 0);
	lab_run(&l, 20 * PS_PER_US);
	assert_true(s.n > 10);
	for (unsigned i = 1; i < s.n; i++)
		assert_int_equal(s.t[i] - s.t[i - 1], (s.p[i - 1].len + 24) * 320);
	lab_end(&l);
}

// Three at a quarter each, started a nanosecond apart: they keep the order of their gaps, and where
// two are ready while the wire is busy, the one that became ready first goes first.
static void who_is_ready_first_goes_first(void **state)
{
	struct lab l;
	struct seen s;

	(void)state;
	start(&l, &s);
	paced(&l, 3, 25 * RATE_GBPS, 0);
	paced(&l, 1, 25 * RATE_GBPS, PS_PER_NS);
	paced(&l, 2, 25 * RATE_GBPS, 2 * PS_PER_NS);
	lab_run(&l, 10 * PS_PER_US);
	assert_true(s.n > 15);
	for (unsigned i = 0; i < 15; i += 3) {
		assert_int_equal(s.p[i].u.rc.qpn, 3);
		assert_int_equal(s.p[i + 1].u.rc.qpn, 1);
		assert_int_equal(s.p[i + 2].u.rc.qpn, 2);
	}
	lab_end(&l);
}

// Three queue pairs take turns at a busy wire when a fourth one begins. It sends behind a frame of
// each of them, or it sends the next frame.
static void one_that_begins_comes_last_or_next(void **state)
{
	const tstamp at = 2 * PS_PER_US + 10 * PS_PER_NS;

	(void)state;
	for (unsigned next = 0; next <= 1; next++) {
		struct lab l;
		struct seen s = {0};
		unsigned i = 0;

		lab_init(&l);
		l.p[0].new_next = next;
		l.hook = note;
		l.arg = &s;
		lab_start(&l);
		for (uint32_t qpn = 1; qpn <= 3; qpn++)
			bounded(&l, qpn, 100 * RATE_GBPS, 0, PACER_AUTO);
		bounded(&l, 4, 100 * RATE_GBPS, at, PACER_AUTO);
		lab_run(&l, at);
		assert_true(s.n > 10);
		i = s.n;
		lab_run(&l, at + PS_PER_US);
		for (unsigned k = 0; k < 3; k++)
			assert_int_equal(s.p[i + k + next].u.rc.qpn, s.p[i + k - 3].u.rc.qpn);
		assert_int_equal(s.p[next ? i : i + 3].u.rc.qpn, 4);
		// It is new once.
		assert_int_equal(s.p[next ? i + 4 : i + 7].u.rc.qpn, 4);
		lab_end(&l);
	}
}

// A queue pair that only waited for an ACK in a message does not begin: it goes behind the others.
static void one_that_goes_on_comes_last(void **state)
{
	struct rc_params params = lab_rc_params();
	unsigned first = 0, between = 0;
	struct seen s = {0};
	struct rc_cfg rc;
	struct lab l;

	(void)state;
	lab_init(&l);
	l.p[0].new_next = true;
	l.hook = note;
	l.arg = &s;
	lab_start(&l);
	for (uint32_t qpn = 1; qpn <= 3; qpn++)
		bounded(&l, qpn, 100 * RATE_GBPS, 0, PACER_AUTO);
	params.window = 1;
	assert_int_equal(rc_cfg_init(&rc, &params), 0);

	struct nic_qp_params p = lab_req(&l, 4);

	p.rc = &rc;
	p.message_bytes = 3000;
	p.start = PS_PER_US;
	p.catch_up_ps = PACER_AUTO;
	lab_add(&l, &p);
	lab_run(&l, 4 * PS_PER_US);
	while (s.p[first].u.rc.qpn != 4)
		first++;
	// From its ACK on: a frame of 1122 bytes and one of 86, and the link twice.
	for (unsigned i = first + 1; i < s.n && s.p[i].u.rc.qpn != 4; i++)
		between += s.t[i] > s.t[first] + (1122 + 86) * 80 + 2 * l.delay;
	assert_int_equal(between, 3);
	lab_end(&l);
}

// A start below the line's rate rises by the byte counter, too, before any CNP: 150 KB are 138
// frames.
static void a_limited_start_counts_bytes(void **state)
{
	struct dcqcn_rp_params rp;
	struct rp_cfg cfg;
	struct lab l;
	struct seen s;

	(void)state;
	assert_int_equal(dcqcn_rp_profile(&rp, "paper", 100 * RATE_GBPS), 0);
	rp.initial_rate = RATE_GBPS;
	rp.byte_counter = 150000;
	rp.rate_timer_ps = PS_PER_S;
	cfg = rp_of_dcqcn(&rp);
	start(&l, &s);

	struct nic_qp_params p = lab_req(&l, 1);

	p.rp = &cfg;
	lab_add(&l, &p);
	lab_run(&l, 20 * PS_PER_MS);
	assert_true(lab_evs(&l, 0, EV_RP) > 4);
	assert_true(lab_ev(&l, 0, EV_RP, 5)->rp.rc > RATE_GBPS);
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_limited_start_counts_bytes),
		cmocka_unit_test(a_fixed_gap_outlives_a_cnp),
		cmocka_unit_test(a_message_is_three_frames),
		cmocka_unit_test(no_bytes_are_a_frame),
		cmocka_unit_test(immediate_data_are_counted),
		cmocka_unit_test(a_gap_is_the_wire_time_at_the_rate),
		cmocka_unit_test(who_is_ready_first_goes_first),
		cmocka_unit_test(one_that_begins_comes_last_or_next),
		cmocka_unit_test(one_that_goes_on_comes_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
