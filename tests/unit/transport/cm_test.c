// SPDX-License-Identifier: BSD-3-Clause
// Communication manager of one connection: each arrow of the state machine, each message and each
// call in each state, time limits and retries.
#include "transport/cm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "cm_lab.h"

// The effect of a message in a state: it leads to another state if `to` is not 0.
struct arrow {
	unsigned in, kind;
	enum cm_event event;
	unsigned to, sends;
};

#define EACH(in)                                                                 \
	{in, CM_MRA, CM_EV_NONE, 0, 0}, {in, CM_REJ, CM_EV_NONE, 0, 0},          \
		{in, CM_RTU, CM_EV_NONE, 0, 0}, {in, CM_DREQ, CM_EV_NONE, 0, 0}, \
	{                                                                        \
		in, CM_DREP, CM_EV_NONE, 0, 0                                    \
	}

// The last row of a state and message counts.
static const struct arrow arrows[] = {
	{CM_LISTEN, CM_REQ, CM_EV_REQUEST, CM_REQ_RCVD, 0},
	{CM_REQ_SENT, CM_MRA, CM_EV_LONGER, CM_MRA_REQ_RCVD, 0},
	{CM_REQ_SENT, CM_REJ, CM_EV_REJECTED, CM_IDLE, 0},
	{CM_REQ_SENT, CM_REP, CM_EV_REPLY, CM_REP_RCVD, 0},
	{CM_MRA_REQ_RCVD, CM_MRA, CM_EV_NONE, 0, 0},
	{CM_MRA_REQ_RCVD, CM_REJ, CM_EV_REJECTED, CM_IDLE, 0},
	{CM_MRA_REQ_RCVD, CM_REP, CM_EV_REPLY, CM_REP_RCVD, 0},
	EACH(CM_REP_RCVD),
	{CM_REP_RCVD, CM_REP, CM_EV_NONE, 0, 0},
	{CM_REP_RCVD, CM_REJ, CM_EV_REJECTED, CM_TIMEWAIT, 0},
	EACH(CM_MRA_REP_SENT),
	{CM_MRA_REP_SENT, CM_REP, CM_EV_AGAIN, 0, CM_MRA},
	{CM_MRA_REP_SENT, CM_REJ, CM_EV_REJECTED, CM_TIMEWAIT, 0},
	EACH(CM_REQ_RCVD),
	{CM_REQ_RCVD, CM_REQ, CM_EV_NONE, 0, 0},
	{CM_REQ_RCVD, CM_REJ, CM_EV_REJECTED, CM_IDLE, 0},
	EACH(CM_MRA_REQ_SENT),
	{CM_MRA_REQ_SENT, CM_REQ, CM_EV_AGAIN, 0, CM_MRA},
	{CM_MRA_REQ_SENT, CM_REJ, CM_EV_REJECTED, CM_IDLE, 0},
	EACH(CM_REP_SENT),
	{CM_REP_SENT, CM_REQ, CM_EV_AGAIN, 0, CM_REP},
	{CM_REP_SENT, CM_MRA, CM_EV_LONGER, CM_MRA_REP_RCVD, 0},
	{CM_REP_SENT, CM_REJ, CM_EV_REJECTED, CM_IDLE, 0},
	{CM_REP_SENT, CM_RTU, CM_EV_UP, CM_ESTABLISHED, 0},
	{CM_REP_SENT, CM_DREQ, CM_EV_PARTING, CM_DREQ_RCVD, 0},
	EACH(CM_MRA_REP_RCVD),
	{CM_MRA_REP_RCVD, CM_REQ, CM_EV_AGAIN, 0, CM_REP},
	{CM_MRA_REP_RCVD, CM_REJ, CM_EV_REJECTED, CM_IDLE, 0},
	{CM_MRA_REP_RCVD, CM_RTU, CM_EV_UP, CM_ESTABLISHED, 0},
	{CM_MRA_REP_RCVD, CM_DREQ, CM_EV_PARTING, CM_DREQ_RCVD, 0},
	EACH(CM_ESTABLISHED),
	{CM_ESTABLISHED, CM_REP, CM_EV_AGAIN, 0, CM_RTU},
	{CM_ESTABLISHED, CM_REJ, CM_EV_REJECTED, CM_TIMEWAIT, 0},
	{CM_ESTABLISHED, CM_DREQ, CM_EV_PARTING, CM_DREQ_RCVD, 0},
	EACH(PASSIVE | CM_ESTABLISHED),
	{PASSIVE | CM_ESTABLISHED, CM_REQ, CM_EV_NONE, 0, 0},
	{PASSIVE | CM_ESTABLISHED, CM_REJ, CM_EV_REJECTED, CM_TIMEWAIT, 0},
	{PASSIVE | CM_ESTABLISHED, CM_DREQ, CM_EV_PARTING, CM_DREQ_RCVD, 0},
	EACH(CM_DREQ_SENT),
	{CM_DREQ_SENT, CM_REP, CM_EV_NONE, 0, 0},
	{CM_DREQ_SENT, CM_REJ, CM_EV_REJECTED, CM_TIMEWAIT, 0},
	{CM_DREQ_SENT, CM_DREQ, CM_EV_DOWN, CM_TIMEWAIT, CM_DREP},
	{CM_DREQ_SENT, CM_DREP, CM_EV_DOWN, CM_TIMEWAIT, 0},
	EACH(PASSIVE | CM_DREQ_SENT),
	{PASSIVE | CM_DREQ_SENT, CM_REQ, CM_EV_NONE, 0, 0},
	{PASSIVE | CM_DREQ_SENT, CM_REJ, CM_EV_REJECTED, CM_TIMEWAIT, 0},
	{PASSIVE | CM_DREQ_SENT, CM_DREQ, CM_EV_DOWN, CM_TIMEWAIT, CM_DREP},
	{PASSIVE | CM_DREQ_SENT, CM_DREP, CM_EV_DOWN, CM_TIMEWAIT, 0},
	EACH(CM_DREQ_RCVD),
	{CM_DREQ_RCVD, CM_REP, CM_EV_NONE, 0, 0},
	{CM_DREQ_RCVD, CM_REJ, CM_EV_REJECTED, CM_TIMEWAIT, 0},
	EACH(PASSIVE | CM_DREQ_RCVD),
	{PASSIVE | CM_DREQ_RCVD, CM_REQ, CM_EV_NONE, 0, 0},
	{PASSIVE | CM_DREQ_RCVD, CM_REJ, CM_EV_REJECTED, CM_TIMEWAIT, 0},
	EACH(CM_TIMEWAIT),
	{CM_TIMEWAIT, CM_REP, CM_EV_NONE, 0, 0},
	{CM_TIMEWAIT, CM_DREQ, CM_EV_AGAIN, 0, CM_DREP},
	EACH(PASSIVE | CM_TIMEWAIT),
	{PASSIVE | CM_TIMEWAIT, CM_REQ, CM_EV_AGAIN, 0, CM_REJ},
	{PASSIVE | CM_TIMEWAIT, CM_DREQ, CM_EV_AGAIN, 0, CM_DREP},
};

// A message in no row belongs to another connection.
static struct arrow arrow_of(unsigned in, unsigned kind)
{
	struct arrow a = {in, kind, CM_EV_UNFIT, 0, 0};

	for (unsigned i = 0; i < sizeof(arrows) / sizeof(arrows[0]); i++)
		if (arrows[i].in == in && arrows[i].kind == kind)
			a = arrows[i];
	return a;
}

static bool moves(const struct arrow *a)
{
	return a->event != CM_EV_NONE && a->event != CM_EV_UNFIT && a->event != CM_EV_AGAIN;
}

static void one_arrow(unsigned in, unsigned kind)
{
	const struct arrow a = arrow_of(in, kind);
	struct cm cm = in_state(in), before = cm;
	enum cm_event e;

	if (kind == CM_MRA)
		e = hears_mra(
			&cm, (in & 0xff) == CM_REP_SENT ? CM_ANSWERS_REP : CM_ANSWERS_REQ, 10, 5);
	else
		e = hears(&cm, kind, 5);
	if (e != a.event)
		fail_msg("%s, %s: %s, not %s", cm_state_name(in & 0xff), cm_kind_name(kind),
			cm_event_name(e), cm_event_name(a.event));
	assert_int_equal(cm.state, moves(&a) ? a.to : (in & 0xff));
	if (e == CM_EV_NONE || e == CM_EV_UNFIT)
		assert_memory_equal(&cm, &before, sizeof(cm));
	if (e == CM_EV_AGAIN)
		assert_int_equal(cm.at, before.at);
	assert_int_equal(sends(&cm), a.sends);
}

static void each_message_in_each_state(void **state)
{
	(void)state;
	for (unsigned in = CM_IDLE; in < CM_STATES; in++) {
		for (unsigned kind = CM_REQ; kind <= CM_DREP; kind++) {
			one_arrow(in, kind);
			if (in >= CM_ESTABLISHED)
				one_arrow(PASSIVE | in, kind);
		}
	}
}

static void messages_of_other_connections_change_nothing(void **state)
{
	(void)state;
	for (unsigned in = CM_IDLE; in < CM_STATES; in++) {
		for (unsigned kind = CM_REQ; kind <= CM_DREP + 1; kind++) {
			struct cm cm = in_state(in), before = cm;
			struct cm_msg m = peer_says(kind);

			m.remote_id++;
			if (kind == CM_REQ) {
				m.u.req.service_id++;
				m.u.req.ca_guid++;
			}
			assert_int_equal(cm_rx(&cm, &m, 5), CM_EV_UNFIT);
			m = peer_says(kind);
			m.local_id++;
			if (in != CM_LISTEN && in != CM_REQ_SENT && in != CM_MRA_REQ_RCVD &&
				kind != CM_MRA)
				assert_int_equal(cm_rx(&cm, &m, 5), CM_EV_UNFIT);
			assert_memory_equal(&cm, &before, sizeof(cm));
		}
	}
}

// Which of the owner's calls a state allows.
enum { LISTEN = 1, CONNECT = 2, MRA = 4, ACCEPT = 8, READY = 16, REJECT = 32, PART = 64 };

static unsigned one_call(struct cm *cm, unsigned which)
{
	switch (which) {
	case LISTEN:
		return cm_listen(cm, SERVICE);
	case CONNECT:
		return cm_connect(cm, &call, 5);
	case MRA:
		return cm_mra(cm, 10);
	case ACCEPT:
		return cm_accept(cm, &our_qp, NULL, 0, 5);
	case READY:
		return cm_ready(cm);
	case REJECT:
		return cm_reject(cm, CM_REJ_CONSUMER, "no", 2, 5);
	default:
		return cm_disconnect(cm, 5);
	}
}

static void each_call_in_each_state(void **state)
{
	static const uint8_t allowed[CM_STATES] = {
		[CM_IDLE] = LISTEN | CONNECT,
		[CM_REQ_SENT] = REJECT,
		[CM_MRA_REQ_RCVD] = REJECT,
		[CM_REP_RCVD] = MRA | READY | REJECT,
		[CM_MRA_REP_SENT] = READY | REJECT,
		[CM_REQ_RCVD] = MRA | ACCEPT | REJECT,
		[CM_MRA_REQ_SENT] = ACCEPT | REJECT,
		[CM_REP_SENT] = REJECT,
		[CM_MRA_REP_RCVD] = REJECT,
		[CM_ESTABLISHED] = PART,
		[CM_DREQ_RCVD] = PART,
	};

	(void)state;
	for (unsigned in = CM_IDLE; in < CM_STATES; in++) {
		for (unsigned which = LISTEN; which <= PART; which <<= 1) {
			struct cm cm = in_state(in), before = cm;
			unsigned e = one_call(&cm, which);

			assert_int_equal(e != CM_EV_UNFIT, !!(allowed[in] & which));
			if (e == CM_EV_UNFIT)
				assert_memory_equal(&cm, &before, sizeof(cm));
			else
				assert_int_not_equal(cm.state, in);
		}
	}
}

// The state after each call, and the messages that it sends.
static void the_owners_arrows(void **state)
{
	static const struct {
		unsigned in, which, to, sends;
		enum cm_event event;
	} rows[] = {
		{CM_IDLE, LISTEN, CM_LISTEN, 0, CM_EV_NONE},
		{CM_IDLE, CONNECT, CM_REQ_SENT, CM_REQ, CM_EV_NONE},
		{CM_REQ_RCVD, MRA, CM_MRA_REQ_SENT, CM_MRA, CM_EV_NONE},
		{CM_REP_RCVD, MRA, CM_MRA_REP_SENT, CM_MRA, CM_EV_NONE},
		{CM_REQ_RCVD, ACCEPT, CM_REP_SENT, CM_REP, CM_EV_NONE},
		{CM_MRA_REQ_SENT, ACCEPT, CM_REP_SENT, CM_REP, CM_EV_NONE},
		{CM_REP_RCVD, READY, CM_ESTABLISHED, CM_RTU, CM_EV_UP},
		{CM_MRA_REP_SENT, READY, CM_ESTABLISHED, CM_RTU, CM_EV_UP},
		{CM_REQ_SENT, REJECT, CM_IDLE, CM_REJ, CM_EV_NONE},
		{CM_MRA_REQ_RCVD, REJECT, CM_IDLE, CM_REJ, CM_EV_NONE},
		{CM_REP_RCVD, REJECT, CM_IDLE, CM_REJ, CM_EV_NONE},
		{CM_MRA_REP_SENT, REJECT, CM_IDLE, CM_REJ, CM_EV_NONE},
		{CM_REQ_RCVD, REJECT, CM_IDLE, CM_REJ, CM_EV_NONE},
		{CM_MRA_REQ_SENT, REJECT, CM_IDLE, CM_REJ, CM_EV_NONE},
		{CM_REP_SENT, REJECT, CM_TIMEWAIT, CM_REJ, CM_EV_NONE},
		{CM_MRA_REP_RCVD, REJECT, CM_TIMEWAIT, CM_REJ, CM_EV_NONE},
		{CM_ESTABLISHED, PART, CM_DREQ_SENT, CM_DREQ, CM_EV_NONE},
		{PASSIVE | CM_ESTABLISHED, PART, CM_DREQ_SENT, CM_DREQ, CM_EV_NONE},
		{CM_DREQ_RCVD, PART, CM_TIMEWAIT, CM_DREP, CM_EV_DOWN},
		{PASSIVE | CM_DREQ_RCVD, PART, CM_TIMEWAIT, CM_DREP, CM_EV_DOWN},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cm cm = in_state(rows[i].in);

		assert_int_equal(one_call(&cm, rows[i].which), rows[i].event);
		assert_int_equal(cm.state, rows[i].to);
		assert_int_equal(cm.reason, rows[i].which == REJECT ? CM_REJ_CONSUMER : 0);
		assert_false(cm_is_free(&cm));
		assert_int_equal(sends(&cm), rows[i].sends);
		assert_int_equal(cm_is_free(&cm), rows[i].to == CM_IDLE);
		assert_int_equal(one_call(&cm, LISTEN), CM_EV_UNFIT);
	}
}

// Retries by the deadline: how many, how far apart, and the step after the last.
static void check_retries(unsigned in, unsigned kind, unsigned retries, tstamp wait, tstamp end)
{
	struct cm cm = in_state(in);
	tstamp at;

	assert_int_equal(cm_expire(&cm, cm_deadline(&cm) - 1), CM_EV_NONE);
	for (unsigned i = 0; i < retries; i++) {
		at = cm_deadline(&cm);
		assert_int_equal(at, i * wait + wait);
		assert_int_equal(cm_expire(&cm, at), CM_EV_AGAIN);
		assert_int_equal(cm.state, in & 0xff);
		assert_int_equal(sends(&cm), kind);
		assert_int_equal(cm_expire(&cm, at), CM_EV_NONE);
	}
	at = cm_deadline(&cm);
	assert_int_equal(cm_expire(&cm, at), kind == CM_DREQ ? CM_EV_DOWN : CM_EV_FAILED);
	assert_int_equal(cm.reason, CM_REJ_TIMEOUT);
	assert_int_equal(cm.state, kind == CM_REQ ? CM_IDLE : CM_TIMEWAIT);
	assert_int_equal(cm_deadline(&cm), kind == CM_REQ ? TSTAMP_NEVER : at + end);
	if (kind == CM_DREQ) {
		assert_int_equal(sends(&cm), CM_NO_MSG);
	} else {
		struct cm_msg m;

		assert_true(cm_tx(&cm, &m));
		assert_int_equal(m.kind, CM_REJ);
		assert_int_equal(m.u.rej.reason, CM_REJ_TIMEOUT);
		assert_int_equal(m.u.rej.answered, CM_ANSWERS_OTHER);
		assert_int_equal(m.u.rej.ari_len, 8);
		assert_memory_equal(m.u.rej.ari, "\x02\0\0\0\0\0\0\x01", 8);
		assert_int_equal(m.local_id, LOCAL_ID);
		assert_int_equal(m.remote_id, kind == CM_REQ ? 0 : REMOTE_ID);
	}
}

static void retries_and_their_end(void **state)
{
	(void)state;
	// Ours by the parameters; a REP's by the REQ: 2 retries of cm_time(9); TimeWait by the ACK
	// timeout of the REQ, or by two life times and the ACK delay of the REP.
	check_retries(CM_REQ_SENT, CM_REQ, 3, WAIT, 0);
	check_retries(CM_REP_SENT, CM_REP, 2, cm_time(9), cm_time(4));
	check_retries(CM_DREQ_SENT, CM_DREQ, 3, WAIT, 2 * LIFE + cm_time(3));
	check_retries(PASSIVE | CM_DREQ_SENT, CM_DREQ, 2, cm_time(9), cm_time(4));
}

static void timewait_ends(void **state)
{
	struct cm cm = in_state(CM_TIMEWAIT);

	(void)state;
	assert_int_equal(cm_deadline(&cm), 2 * LIFE + cm_time(3));
	assert_int_equal(cm_expire(&cm, cm_deadline(&cm) - 1), CM_EV_NONE);
	assert_int_equal(hears(&cm, CM_DREQ, 1), CM_EV_AGAIN);
	assert_int_equal(cm_expire(&cm, cm_deadline(&cm)), CM_EV_ENDED);
	assert_int_equal(cm.state, CM_IDLE);
	assert_int_equal(cm_deadline(&cm), TSTAMP_NEVER);
	assert_false(cm_is_free(&cm)); // the DREP is still owed
	assert_int_equal(sends(&cm), CM_DREP);
	assert_true(cm_is_free(&cm));
}

static void who_waits_for_its_owner_has_no_deadline(void **state)
{
	static const unsigned in[] = {CM_IDLE, CM_LISTEN, CM_REP_RCVD, CM_MRA_REP_SENT, CM_REQ_RCVD,
		CM_MRA_REQ_SENT, CM_ESTABLISHED, CM_DREQ_RCVD};

	(void)state;
	for (unsigned i = 0; i < sizeof(in) / sizeof(in[0]); i++) {
		struct cm cm = in_state(in[i]);

		assert_int_equal(cm_deadline(&cm), TSTAMP_NEVER);
		assert_int_equal(cm_expire(&cm, TSTAMP_NEVER - 1), CM_EV_NONE);
	}
}

static void an_mra_extends_the_time(void **state)
{
	struct cm cm = in_state(CM_REQ_SENT);

	(void)state;
	assert_int_equal(hears_mra(&cm, CM_ANSWERS_REP, 12, 7), CM_EV_NONE); // not what we sent
	assert_int_equal(hears_mra(&cm, CM_ANSWERS_REQ, 12, 7), CM_EV_LONGER);
	assert_int_equal(cm_deadline(&cm), 7 + cm_time(12) + LIFE);
	// Another one does not, until our message has gone again.
	assert_int_equal(hears_mra(&cm, CM_ANSWERS_REQ, 20, 8), CM_EV_NONE);
	assert_int_equal(cm_deadline(&cm), 7 + cm_time(12) + LIFE);
	assert_int_equal(cm_expire(&cm, cm_deadline(&cm)), CM_EV_AGAIN);
	assert_int_equal(cm.state, CM_REQ_SENT);
	assert_int_equal(cm.tries, 2);
	assert_int_equal(sends(&cm), CM_REQ);
	assert_int_equal(hears_mra(&cm, CM_ANSWERS_REQ, 31, 9), CM_EV_LONGER);
	assert_int_equal(cm_deadline(&cm), 9 + PS_PER_S + LIFE); // 8796 s: as long as we allow

	cm = in_state(CM_REP_SENT);
	assert_int_equal(hears_mra(&cm, CM_ANSWERS_REP, 12, 7), CM_EV_LONGER);
	assert_int_equal(cm_deadline(&cm), 7 + cm_time(12) + LIFE);
	assert_int_equal(cm_expire(&cm, cm_deadline(&cm)), CM_EV_AGAIN);
	assert_int_equal(cm.state, CM_REP_SENT);
	assert_int_equal(sends(&cm), CM_REP);
}

static void traffic_stands_for_a_lost_rtu(void **state)
{
	(void)state;
	for (unsigned in = CM_IDLE; in < CM_STATES; in++) {
		struct cm cm = in_state(in), before = cm;

		if (in == CM_REP_SENT || in == CM_MRA_REP_RCVD) {
			assert_int_equal(cm_traffic(&cm), CM_EV_UP);
			assert_int_equal(cm.state, CM_ESTABLISHED);
			assert_int_equal(cm_deadline(&cm), TSTAMP_NEVER);
			assert_int_equal(hears(&cm, CM_RTU, 9), CM_EV_NONE); // it comes after all
		} else {
			assert_int_equal(cm_traffic(&cm), CM_EV_NONE);
			assert_memory_equal(&cm, &before, sizeof(cm));
		}
	}
}

// The REP goes three times, and a missing answer is an answer. A message of the peer meanwhile ends
// the doubt, and later a new one begins.
static void a_probe_finds_out_whether_the_peer_is_there(void **state)
{
	struct cm cm = in_state(PASSIVE | CM_ESTABLISHED);
	tstamp at = 0;

	(void)state;
	assert_int_equal(cm_probe(&cm, at), CM_EV_NONE);
	assert_int_equal(cm_probe(&cm, at), CM_EV_NONE); // it is under way
	assert_int_equal(sends(&cm), CM_REP);
	assert_int_equal(hears(&cm, CM_RTU, 5), CM_EV_ALIVE);
	assert_true(cm_deadline(&cm) == TSTAMP_NEVER);
	assert_int_equal(hears(&cm, CM_RTU, 6), CM_EV_NONE);
	assert_int_equal(cm_probe(&cm, at), CM_EV_NONE);
	assert_int_equal(cm_traffic(&cm), CM_EV_ALIVE);
	assert_int_equal(sends(&cm), CM_REP);
	assert_int_equal(cm_probe(&cm, at), CM_EV_NONE);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(sends(&cm), CM_REP);
		assert_int_equal(sends(&cm), CM_NO_MSG);
		at = cm_deadline(&cm);
		assert_true(at == (i + 1) * WAIT);
		assert_int_equal(cm_expire(&cm, at), i < 2 ? CM_EV_AGAIN : CM_EV_LOST);
	}
	assert_int_equal(cm.state, CM_TIMEWAIT);
	assert_int_equal(cm.reason, CM_REJ_TIMEOUT);
	assert_int_equal(sends(&cm), CM_NO_MSG);
	cm = in_state(CM_ESTABLISHED); // who asked has no REP to send
	assert_int_equal(cm_probe(&cm, 0), CM_EV_UNFIT);
	cm = in_state(CM_REP_SENT);
	assert_int_equal(cm_probe(&cm, 0), CM_EV_UNFIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_message_in_each_state),
		cmocka_unit_test(messages_of_other_connections_change_nothing),
		cmocka_unit_test(each_call_in_each_state),
		cmocka_unit_test(the_owners_arrows),
		cmocka_unit_test(retries_and_their_end),
		cmocka_unit_test(timewait_ends),
		cmocka_unit_test(who_waits_for_its_owner_has_no_deadline),
		cmocka_unit_test(an_mra_extends_the_time),
		cmocka_unit_test(a_probe_finds_out_whether_the_peer_is_there),
		cmocka_unit_test(traffic_stands_for_a_lost_rtu),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
