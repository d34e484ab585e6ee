// SPDX-License-Identifier: BSD-3-Clause
// The first PSN of a queue pair between strangers, by the REQ and REP of its connection, which pass
// injectors of either direction.
#include "fault_lab.h"

#include "frame/cm_msg.h"
#include "frame/mad.h"

#define REQ_QPN 40 // of 10.0.0.1, which asks
#define REP_QPN 50 // of 10.0.0.2

// Two ports: frames from 10.0.0.1 pass the first one, frames from 10.0.0.2 the second one.
struct two {
	struct lab l;
	struct fault *f[2];
	struct fault_heard *heard;
	struct fault_record record[1];
};

static void two_init(struct two *t, const struct fault_record *r)
{
	static const uint32_t all[] = {0};

	lab_init(&t->l);
	t->heard = fault_heard_new();
	assert_non_null(t->heard);
	t->record[0] = *r;
	t->record[0].number = 1;
	for (unsigned i = 0; i < 2; i++) {
		struct fault_params p = lab_params(&t->l, t->record, 1);

		p.all = all;
		p.n_all = 1;
		p.heard = t->heard;
		assert_int_equal(fault_new(&t->f[i], &p), 0);
	}
}

static void two_fini(struct two *t)
{
	fault_free(t->f[0]);
	fault_free(t->f[1]);
	fault_heard_free(t->heard);
	lab_fini(&t->l);
}

static struct hdr hdr_from(const struct two *t, unsigned end)
{
	struct hdr h = t->l.other[0];

	h.saddr[3] = (uint8_t)(1 + end);
	h.daddr[3] = (uint8_t)(2 - end);
	return h;
}

static void say(struct two *t, unsigned end, const struct cm_msg *m)
{
	struct hdr h = hdr_from(t, end);
	struct pkt *p = pkt_get(&t->l.stack);
	uint8_t mad[MAD_LEN];

	assert_non_null(p);
	cm_msg_render(m, mad);
	mad_to_pkt(p, t->l.stack.data_off, &h, 0, 0, mad);
	fault_put(t->f[end], p, 0);
	assert_ptr_equal(fault_get(t->f[end], 0), p);
	pkt_put(&t->l.stack, p);
}

// A connection: 10.0.0.1 begins with PSN `asks`, and 10.0.0.2 with PSN `answers`.
static void connects(struct two *t, uint32_t id, uint32_t asks, uint32_t answers)
{
	const struct cm_msg req = {
		.kind = CM_REQ, .local_id = id, .u.req = {.qpn = REQ_QPN, .psn = answers}};
	const struct cm_msg rep = {.kind = CM_REP,
		.local_id = id + 1000,
		.remote_id = id,
		.u.rep = {.qpn = REP_QPN, .psn = asks}};

	say(t, 0, &req);
	say(t, 1, &rep);
}

// Returns whether the frame goes on.
static bool passes(
	struct two *t, unsigned end, enum pkt_kind kind, uint8_t opcode, uint32_t qpn, uint32_t psn)
{
	struct hdr h = hdr_from(t, end);
	struct pkt *p = lab_frame(&t->l, 0, kind, opcode, psn);
	bool goes;

	h.id = t->l.other[0].id;
	p->hdr = &h;
	p->u.rc.qpn = qpn;
	fault_put(t->f[end], p, 0);
	goes = fault_get(t->f[end], 0) == p;
	if (goes)
		pkt_put(&t->l.stack, p);
	return goes;
}

static const struct fault_record drop_3 = {.kinds = FAULT_DATA | FAULT_ACK,
	.psn = FAULT_PSN_RANGE,
	.from = 3,
	.to = 3,
	.action = FAULT_DROP};

static void both_directions_count_from_the_connection(void **state)
{
	struct two t;

	(void)state;
	two_init(&t, &drop_3);
	connects(&t, 7, 0xfffffe, 100);
	// The first frames were lost before: 2 and 102 come first.
	assert_true(passes(&t, 0, PKT_DATA, BTH_RC_SEND_ONLY, REP_QPN, 0));
	assert_false(passes(&t, 0, PKT_DATA, BTH_RC_SEND_ONLY, REP_QPN, 1));
	assert_true(passes(&t, 1, PKT_DATA, BTH_RC_SEND_ONLY, REQ_QPN, 102));
	assert_false(passes(&t, 1, PKT_DATA, BTH_RC_SEND_ONLY, REQ_QPN, 103));
	two_fini(&t);
}

// An ACK to a queue pair has the PSN of one of its requests.
static void answers_count_from_the_other_first_psn(void **state)
{
	struct two t;

	(void)state;
	two_init(&t, &drop_3);
	connects(&t, 7, 5000, 100);
	assert_true(passes(&t, 1, PKT_ACK, BTH_RC_ACK, REQ_QPN, 5002));
	assert_false(passes(&t, 1, PKT_ACK, BTH_RC_ACK, REQ_QPN, 5003));
	assert_true(passes(&t, 0, PKT_ACK, BTH_RC_ACK, REP_QPN, 101));
	assert_false(passes(&t, 0, PKT_ACK, BTH_RC_ACK, REP_QPN, 103));
	two_fini(&t);
}

static void without_a_message_the_first_seen_counts(void **state)
{
	struct two t;

	(void)state;
	two_init(&t, &drop_3);
	assert_true(passes(&t, 0, PKT_DATA, BTH_RC_SEND_ONLY, REP_QPN, 70));
	assert_false(passes(&t, 0, PKT_DATA, BTH_RC_SEND_ONLY, REP_QPN, 73));
	two_fini(&t);
}

// A queue pair's newest connection counts, and of many connections the newest ones are known.
static void the_newest_connection_counts(void **state)
{
	struct two t;

	(void)state;
	two_init(&t, &drop_3);
	connects(&t, 7, 1, 2);
	for (uint32_t i = 0; i < 3000; i++)
		connects(&t, 8 + i, 10 * i, 20 * i);
	assert_false(passes(&t, 0, PKT_DATA, BTH_RC_SEND_ONLY, REP_QPN, 29993));
	assert_false(passes(&t, 1, PKT_ACK, BTH_RC_ACK, REQ_QPN, 29993));
	two_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_directions_count_from_the_connection),
		cmocka_unit_test(answers_count_from_the_other_first_psn),
		cmocka_unit_test(without_a_message_the_first_seen_counts),
		cmocka_unit_test(the_newest_connection_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
