// SPDX-License-Identifier: BSD-3-Clause
// Tests of the notification point in a NIC: keys that share an interval, the cap, CNPs with NAKs.
#include "nic_lab.h"

struct seen {
	unsigned n;
	tstamp t[64];
	uint32_t qpn[64];
	uint8_t tos[64];
};

static bool note(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	struct seen *s = l->arg;

	if (from == 1 && p->kind == PKT_CNP && s->n < 64) {
		s->t[s->n] = now;
		s->tos[s->n] = p->tos;
		s->qpn[s->n++] = p->u.rc.qpn;
	}
	return from == 1;
}

// Four responders: QPN 1 and 2 answer to one address, 3 to another, 4 to a third with another own
// address.
static void start(struct lab *l, struct seen *s, struct hdr hdr[4], struct dcqcn_np_params np)
{
	lab_init(l);
	l->p[1].np = np;
	memset(s, 0, sizeof(*s));
	l->hook = note;
	l->arg = s;
	lab_start(l);
	for (unsigned i = 0; i < 4; i++) {
		hdr[i] = l->back_hdr;
		hdr[i].daddr[3] = i < 2 ? 1 : 2;
		hdr[i].saddr[3] = i < 3 ? 9 : 8;

		struct nic_qp_params rsp = {.flow = i,
			.qpn = i + 1,
			.peer_qpn = 100 + i,
			.ack_hdr = &hdr[i],
			.cnp_hdr = &hdr[i],
			.cls = 3,
			.ack_cls = 6,
			.rc = &l->rc};

		assert_int_equal(nic_add_qp(l->nic[1], &rsp), 0);
	}
}

static void data(struct lab *l, uint32_t qpn, uint32_t psn, uint8_t ecn)
{
	lab_rx(l, 1,
		&(struct pkt){.kind = PKT_DATA,
			.len = 1082,
			.tos = ecn,
			.u.rc = {.opcode = 0x01, .qpn = qpn, .psn = psn, .payload = 1024}});
}

// Each queue pair sees CE once in every 10 us, 2 us apart, for 100 us.
static void run(struct lab *l)
{
	for (unsigned i = 0; i < 10; i++) {
		for (unsigned q = 0; q < 4; q++) {
			lab_run(l, (10 * i + 2 * q) * PS_PER_US);
			data(l, q + 1, i, ECN_CE);
		}
	}
	lab_run(l, PS_PER_MS);
}

// With an interval of 50 us a key answers at its first CE, 50 us after it and, as CE came until
// then, 100 us after it.
static void keys_share_an_interval(void **state)
{
	static const unsigned keys[] = {4, 3, 2, 1}; // by enum np_key
	struct hdr hdr[4];
	struct seen s;
	struct lab l;

	(void)state;
	for (unsigned key = NP_KEY_QP; key <= NP_KEY_PORT; key++) {
		start(&l, &s, hdr,
			(struct dcqcn_np_params){.mode = NP_WINDOW,
				.interval_ps = 50 * PS_PER_US,
				.key = (enum np_key)key});
		run(&l);
		assert_int_equal(nic_stats(l.nic[1])->np_ecn_marked_roce_packets, 40);
		assert_int_equal(nic_stats(l.nic[1])->np_cnp_sent, keys[key] * 3);
		assert_int_equal(s.n, keys[key] * 3);
		lab_end(&l);
	}
}

// The CNP that is due at a window's end goes to the queue pair that saw CE last.
static void the_last_one_is_told(void **state)
{
	static const tstamp us[] = {0, 50, 100};
	static const uint32_t qpn[] = {100, 103, 103};
	struct hdr hdr[4];
	struct seen s;
	struct lab l;

	(void)state;
	start(&l, &s, hdr,
		(struct dcqcn_np_params){
			.mode = NP_WINDOW, .interval_ps = 50 * PS_PER_US, .key = NP_KEY_PORT});
	run(&l);
	assert_int_equal(s.n, 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_true(s.t[i] == us[i] * PS_PER_US);
		assert_int_equal(s.qpn[i], qpn[i]);
	}
	lab_end(&l);
}

static void interval_0_answers_every_frame(void **state)
{
	struct hdr hdr[4];
	struct seen s;
	struct lab l;

	(void)state;
	start(&l, &s, hdr, (struct dcqcn_np_params){.mode = NP_WINDOW});
	run(&l);
	assert_int_equal(s.n, 40);
	lab_end(&l);
}

// One CNP in 25 us for the whole NIC: at 0, 26, 52, 80 of the frames every 2 or 4 us.
static void the_cap_is_the_nics(void **state)
{
	static const tstamp us[] = {0, 26, 52, 80};
	struct hdr hdr[4];
	struct seen s;
	struct lab l;

	(void)state;
	start(&l, &s, hdr, (struct dcqcn_np_params){.cnps_per_s = 40000});
	run(&l);
	assert_int_equal(s.n, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_true(s.t[i] == us[i] * PS_PER_US);
	assert_int_equal(nic_stats(l.nic[1])->np_cnp_sent, 4);
	assert_int_equal(nic_stats(l.nic[1])->np_cnp_capped, 36);
	lab_end(&l);
}

static void nak_may_bring_a_cnp(void **state)
{
	struct hdr hdr[4];
	struct seen s;
	struct lab l;

	(void)state;
	for (unsigned with = 0; with < 2; with++) {
		start(&l, &s, hdr, (struct dcqcn_np_params){.with_nak = with});
		data(&l, 1, 0, ECN_ECT0);
		data(&l, 1, 2, ECN_ECT0); // 1 is missing: NAK
		data(&l, 1, 3, ECN_ECT0); // told already
		lab_run(&l, PS_PER_MS);
		assert_int_equal(nic_qp_stats(l.nic[1], 0)->nak_tx, 1);
		assert_int_equal(s.n, with);
		assert_int_equal(nic_stats(l.nic[1])->np_ecn_marked_roce_packets, 0);
		lab_end(&l);
	}
}

// A queue pair may have a codepoint of its own for its CNPs; the DSCP is the NIC's.
static void a_queue_pair_says_the_codepoint_of_its_cnps(void **state)
{
	struct seen s;
	struct hdr hdr[4];
	struct lab l;

	(void)state;
	start(&l, &s, hdr, (struct dcqcn_np_params){.mode = NP_PER_PACKET});
	for (unsigned ecn = ECN_NOT_ECT; ecn <= ECN_CE; ecn++) {
		struct nic_qp_params rsp = {.flow = 10 + ecn,
			.qpn = 5 + ecn,
			.peer_qpn = 200 + ecn,
			.ack_hdr = &hdr[0],
			.cnp_hdr = &hdr[0],
			.cls = 3,
			.ack_cls = 6,
			.has_cnp_ecn = true,
			.cnp_ecn = (uint8_t)ecn,
			.rc = &l.rc};

		assert_int_equal(nic_add_qp(l.nic[1], &rsp), 0);
	}
	for (uint32_t qpn = 4; qpn <= 8; qpn++)
		data(&l, qpn, 0, ECN_CE);
	lab_run(&l, l.now + 100 * PS_PER_US);
	assert_int_equal(s.n, 5);
	for (unsigned i = 0; i < s.n; i++) {
		unsigned ecn = s.qpn[i] < 200 ? ECN_ECT0 : s.qpn[i] - 200;

		assert_int_equal(s.tos[i], 48 << 2 | ecn);
	}
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_queue_pair_says_the_codepoint_of_its_cnps),
		cmocka_unit_test(keys_share_an_interval),
		cmocka_unit_test(the_last_one_is_told),
		cmocka_unit_test(interval_0_answers_every_frame),
		cmocka_unit_test(the_cap_is_the_nics),
		cmocka_unit_test(nak_may_bring_a_cnp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
