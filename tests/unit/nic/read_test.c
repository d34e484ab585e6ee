// SPDX-License-Identifier: BSD-3-Clause
// RDMA READ between two NICs: b asks, a has the data. Requests, responses, losses, the limiter and
// the notification point of the right sides.
#include "nic_lab.h"
#include "base/prng.h"
#include "wire/bth.h"

#define SEEN 64

struct seen {
	struct pkt p[SEEN];
	unsigned from[SEEN];
	tstamp t[SEEN];
	unsigned n;
	unsigned lose; // per mille, of all RoCE frames
	bool mark;     // responses get CE
	struct prng g;
};

static bool note(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	struct seen *s = l->arg;

	if (s->n < SEEN) {
		s->p[s->n] = *p;
		s->from[s->n] = from;
		s->t[s->n++] = now;
	}
	if (s->mark && !from && p->kind == PKT_ROCE)
		pkt_mark_ce(p);
	return !s->lose || prng_below(&s->g, 1000) >= s->lose;
}

static void start(struct lab *l, struct seen *s, unsigned rd_atomic)
{
	struct rc_params rc = lab_rc_params();

	memset(s, 0, sizeof(*s));
	lab_init(l);
	l->hook = note;
	l->arg = s;
	rc.verb = RC_READ;
	rc.window = 16384;
	rc.rd_atomic = rd_atomic;
	assert_int_equal(rc_cfg_init(&l->rc, &rc), 0);
	lab_start(l);
}

static void add(struct lab *l, uint32_t qpn, uint32_t bytes, uint64_t count, unsigned outstanding,
	const struct rp_cfg *rp)
{
	struct nic_qp_params data = lab_req(l, qpn), asks;

	data.message_bytes = bytes;
	data.count = count;
	data.outstanding = outstanding;
	data.rp = rp;
	asks = data;
	asks.requester = false;
	asks.data_hdr = NULL;
	asks.ack_hdr = asks.cnp_hdr = &l->back_hdr;
	asks.ack_cls = 3;
	asks.ack_tos = data.tos;
	asks.rp = NULL;
	assert_int_equal(nic_add_qp(l->nic[0], &data), 0);
	assert_int_equal(nic_add_qp(l->nic[1], &asks), 0);
}

// As on the wire of soft-RoCE: a request of 74 bytes, responses of 1086, 1082 and 1018.
static void a_read_is_a_request_and_its_responses(void **state)
{
	static const uint8_t opcode[4] = {
		BTH_RC_READ_REQUEST, BTH_RC_READ_FIRST, BTH_RC_READ_MIDDLE, BTH_RC_READ_LAST};
	static const uint16_t len[4] = {74, 1086, 1082, 1018};
	static const uint32_t arg[4] = {3001, 1, 0, 1};
	const struct ev *done;
	struct seen s;
	struct lab l;

	(void)state;
	start(&l, &s, 16);
	add(&l, 1, 3001, 1, 1, NULL);
	lab_run(&l, PS_PER_MS);
	assert_int_equal(s.n, 4);
	for (unsigned i = 0; i < 4; i++) {
		const struct pkt_rc *rc = &s.p[i].u.rc;

		assert_int_equal(s.from[i], i == 0);
		assert_int_equal(s.p[i].kind, PKT_ROCE);
		assert_int_equal(s.p[i].cls, 3);
		assert_int_equal(s.p[i].len, len[i]);
		assert_int_equal(rc->opcode, opcode[i]);
		assert_int_equal(rc->psn, i ? i - 1 : 0);
		assert_int_equal(rc->arg, arg[i]);
		assert_int_equal(rc->syndrome, i == 1 || i == 3 ? AETH_ACK : 0);
		assert_int_equal(rc->bth & BTH_ACKREQ, i ? 0 : BTH_ACKREQ);
		assert_int_equal(rc->pad, i == 3 ? 3 : 0);
	}
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->tx_bytes, 3001);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->message_tx, 1);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->rx_bytes, 3001);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->message_complete_rx, 1);
	assert_int_equal(lab_evs(&l, 1, EV_MSG_DONE), 1); // who asked is told
	assert_int_equal(lab_evs(&l, 0, EV_MSG_DONE), 0);
	// 98 bytes there, three frames back, 1 us each way
	done = lab_ev(&l, 1, EV_MSG_DONE, 0);
	assert_int_equal(done->message.begun, 0);
	assert_int_equal(done->t, (98 + 1110 + 1106 + 1042) * 80 + 2 * PS_PER_US);
	lab_end(&l);
}

// Without end, four at a time: the wire of the data is full, which is what the limiter allows.
static void reads_fill_the_wire(void **state)
{
	struct seen s;
	struct lab l;
	double gbps;

	(void)state;
	start(&l, &s, 16);
	add(&l, 1, 1 << 20, 0, 4, NULL);
	lab_run(&l, PS_PER_MS);
	gbps = (double)nic_qp_stats(l.nic[1], 0)->rx_bytes * 8 / 1e6;
	assert_true(gbps > 91 && gbps < 93);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->frame_sequence_error, 0);
	lab_end(&l);
}

// CE on the data: the side that asks sends CNPs, and the reaction point of the side that has the
// data slows down.
static void cnps_go_to_who_sends_the_data(void **state)
{
	struct rp_cfg rp = rp_of_profile("paper", 100 * RATE_GBPS);
	struct seen s;
	struct lab l;

	(void)state;
	start(&l, &s, 16);
	s.mark = true;
	add(&l, 1, 1 << 20, 0, 4, &rp);
	lab_run(&l, PS_PER_MS);
	assert_true(nic_qp_stats(l.nic[1], 0)->cnp_tx >= 5);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->cnp_rx, nic_qp_stats(l.nic[1], 0)->cnp_tx);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->rate_cuts, nic_qp_stats(l.nic[0], 0)->cnp_rx);
	assert_true(nic_qp_stats(l.nic[1], 0)->rx_bytes * 8 < 30 * 1000000ul);
	lab_end(&l);
}

// Random losses of requests, responses or NAKs: each message comes once.
static void losses_are_made_good(void **state)
{
	(void)state;
	print_message("seeds 1..40\n");
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct seen s;
		struct lab l;

		start(&l, &s, 1 + seed % 4);
		prng_init(&s.g, seed, "read_test");
		s.lose = seed % 2 ? 2 : 30;
		add(&l, 1, 20000 + (uint32_t)seed, 50, 3, NULL);
		add(&l, 2, (uint32_t)seed % 5, 50, 6, NULL);
		lab_run(&l, 2 * PS_PER_S);
		for (unsigned i = 0; i < 2; i++)
			assert_int_equal(nic_qp_stats(l.nic[1], i)->message_complete_rx, 50);
		assert_int_equal(nic_qp_stats(l.nic[1], 0)->rx_bytes, 50 * (20000 + seed));
		assert_true(s.lose == 2 || nic_stats(l.nic[1])->implied_nak_seq_err);
		assert_int_equal(lab_evs(&l, 1, EV_MSG_DONE), 100);
		assert_int_equal(lab_evs(&l, 1, EV_QP_FAILED), 0);
		lab_end(&l);
	}
}

// Nobody answers: the side that asks fails after its retries, and says why.
static void a_read_gives_up(void **state)
{
	struct seen s;
	struct lab l;

	(void)state;
	start(&l, &s, 1);
	s.lose = 1000;
	add(&l, 1, 5000, 1, 1, NULL);
	lab_run(&l, PS_PER_S);
	assert_int_equal(s.n, 8); // retries 7
	assert_int_equal(lab_evs(&l, 1, EV_QP_FAILED), 1);
	assert_int_equal(lab_evs(&l, 1, EV_MSG_FAILED), 1);
	assert_int_equal(nic_qp_rc_tx(l.nic[1], 0)->failed, RC_RETRIES_EXCEEDED);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->message_fail, 1);
	lab_end(&l);
}

// Requests of a peer that keeps to nothing. One that is ahead of the next gets its NAK, and the
// queue pair goes on. One that is longer than a message, one for which there is no room, or
// anything else but a READ gets its NAK behind the responses that are owed, and ends it.
static void requests_that_are_refused(void **state)
{
	static const struct {
		uint8_t kind, opcode;
		uint32_t psn, bytes;
	} ends[] = {{PKT_ROCE, BTH_RC_READ_REQUEST, 32, (1u << 31) + 1},
		{PKT_ROCE, BTH_RC_READ_REQUEST, 32, 1}, {PKT_ROCE, BTH_RC_FETCH_ADD, 32, 8},
		{PKT_DATA, BTH_RC_WRITE_ONLY, 32, 8}, {PKT_DATA, BTH_RC_SEND_FIRST, 32, 8}};

	(void)state;
	for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct seen s;
		struct lab l;

		start(&l, &s, 1);
		add(&l, 1, 32768, 1, 1, NULL);
		nic_ctl(l.nic[1], &(struct ctl){.type = CTL_FLOW_STOP, .id = 1}, 0);

		struct pkt p = {.kind = PKT_ROCE,
			.len = 74,
			.hdr = &l.back_hdr,
			.u.rc = {.opcode = BTH_RC_READ_REQUEST, .psn = 3, .qpn = 1, .arg = 1}};

		lab_rx(&l, 0, &p);
		lab_run(&l, l.now + 100 * PS_PER_NS);
		assert_int_equal(s.p[s.n - 1].u.rc.syndrome, AETH_NAK_PSN);
		p.u.rc.psn = 0;
		p.u.rc.arg = 32768;
		lab_rx(&l, 0, &p);
		p.kind = ends[i].kind;
		p.u.rc.opcode = ends[i].opcode;
		p.u.rc.psn = ends[i].psn;
		p.u.rc.arg = ends[i].bytes;
		for (unsigned k = 0; k < 2; k++)
			lab_rx(&l, 0, &p);
		assert_int_equal(nic_qp_stats(l.nic[0], 0)->nak_tx, 1);
		lab_run(&l, PS_PER_MS);
		assert_int_equal(nic_qp_stats(l.nic[0], 0)->message_tx, 1);
		assert_int_equal(nic_qp_stats(l.nic[0], 0)->nak_tx, 2);
		assert_int_equal(s.n, 1 + 32 + 1);
		assert_int_equal(s.p[s.n - 1].u.rc.syndrome, AETH_NAK_INVALID);
		assert_int_equal(s.p[s.n - 1].u.rc.psn, 32);
		assert_int_equal(nic_stats(l.nic[0])->resp_invalid_requests, 1);
		p = (struct pkt){.kind = PKT_ROCE,
			.len = 74,
			.hdr = &l.back_hdr,
			.u.rc = {.opcode = BTH_RC_READ_REQUEST, .psn = 32, .qpn = 1, .arg = 1}};
		lab_rx(&l, 0, &p);
		lab_run(&l, 2 * PS_PER_MS);
		assert_int_equal(s.n, 1 + 32 + 1);
		lab_end(&l);
	}
}

// A READ may wait for an event, at the side that asks.
static void a_read_starts_when_told(void **state)
{
	struct seen s;
	struct lab l;

	(void)state;
	start(&l, &s, 1);

	struct nic_qp_params data = lab_req(&l, 1), asks;

	data.message_bytes = 1000;
	data.start = TSTAMP_NEVER;
	asks = data;
	asks.requester = false;
	asks.data_hdr = NULL;
	asks.ack_hdr = asks.cnp_hdr = &l.back_hdr;
	assert_int_equal(nic_add_qp(l.nic[0], &data), 0);
	assert_int_equal(nic_add_qp(l.nic[1], &asks), 0);
	lab_run(&l, PS_PER_MS);
	assert_int_equal(s.n, 0);
	assert_int_equal(
		nic_ctl(l.nic[0], &(struct ctl){.type = CTL_FLOW_START, .id = 1}, l.now), -ENOENT);
	assert_int_equal(
		nic_ctl(l.nic[1], &(struct ctl){.type = CTL_FLOW_START, .id = 1}, l.now), 0);
	lab_run(&l, 2 * PS_PER_MS);
	assert_true(s.n > 4);
	assert_int_equal(
		nic_ctl(l.nic[1], &(struct ctl){.type = CTL_FLOW_STOP, .id = 1}, l.now), 0);
	lab_run(&l, 3 * PS_PER_MS);
	assert_false(lab_next(&l) < TSTAMP_NEVER);
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_read_is_a_request_and_its_responses),
		cmocka_unit_test(reads_fill_the_wire),
		cmocka_unit_test(cnps_go_to_who_sends_the_data),
		cmocka_unit_test(losses_are_made_good),
		cmocka_unit_test(a_read_gives_up),
		cmocka_unit_test(requests_that_are_refused),
		cmocka_unit_test(a_read_starts_when_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
