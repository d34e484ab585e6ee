// SPDX-License-Identifier: BSD-3-Clause
// Connections of one host: whose a message is, duplicates, stale ones, bounds, communication IDs,
// and answers to what nobody knows.
#include "transport/cm_table.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define GUID      0x0200000000000001
#define PEER_GUID 0x0200000000000002
#define SERVICE   (CM_SERVICE_TCP | 4791)
#define N         5

static struct cm_cfg cfg;
static struct cm_table table;
static struct cm places[N];
static struct cm_msg reply;
static struct cm *cm;

static const struct cm_qp qp = {.qpn = 0x111111, .psn = 1};

static int setup(void **state)
{
	const struct cm_params params = {
		.ca_guid = GUID,
		.life_ps = 10 * PS_PER_US,
		.response_ps = PS_PER_MS,
		.longest_ps = PS_PER_S,
		.retries = 3,
		.mtu = 4096,
	};
	struct prng rng;

	(void)state;
	memset(places, 0, sizeof(places));
	prng_init(&rng, 1, "cm_table_test");
	return cm_cfg_init(&cfg, &params) || cm_table_init(&table, &cfg, places, N, N - 1, &rng) ||
	       cm_table_listen(&table, SERVICE);
}

static struct cm_msg req_from(uint32_t id, uint32_t qpn)
{
	return (struct cm_msg){.kind = CM_REQ,
		.tid = 7,
		.local_id = id,
		.u.req = {.service_id = SERVICE, .ca_guid = PEER_GUID, .qpn = qpn, .mtu = 3}};
}

static struct cm_msg from(unsigned kind, uint32_t id, uint32_t to)
{
	struct cm_msg m = {.kind = (uint8_t)kind, .tid = 8, .local_id = id, .remote_id = to};

	if (kind == CM_REP)
		m.u.rep = (struct cm_rep){.ca_guid = PEER_GUID, .qpn = 0x222222};
	return m;
}

static enum cm_event hears(const struct cm_msg *m, tstamp now)
{
	memset(&reply, 0xee, sizeof(reply));
	return cm_table_rx(&table, m, &cm, &reply, now);
}

// A connection that a peer has asked for and that is established.
static struct cm *established(uint32_t id, uint32_t qpn)
{
	struct cm_msg m = req_from(id, qpn), sent;
	struct cm *up;

	assert_int_equal(hears(&m, 0), CM_EV_REQUEST);
	up = cm;
	assert_int_equal(cm_accept(up, &qp, NULL, 0, 0), CM_EV_NONE);
	assert_true(cm_tx(up, &sent));
	m = from(CM_RTU, id, up->local_id);
	assert_int_equal(hears(&m, 0), CM_EV_UP);
	assert_ptr_equal(cm, up);
	return up;
}

static struct cm *asked(void)
{
	const struct cm_call call = {.service_id = SERVICE, .qp = qp};
	struct cm_msg sent;
	struct cm *c = cm_table_open(&table);

	assert_non_null(c);
	assert_int_equal(cm_connect(c, &call, 0), CM_EV_NONE);
	assert_true(cm_tx(c, &sent));
	assert_int_equal(sent.local_id, c->local_id);
	return c;
}

static void check_rej(unsigned reason, unsigned answered, uint32_t to)
{
	assert_int_equal(reply.kind, CM_REJ);
	assert_int_equal(reply.u.rej.reason, reason);
	assert_int_equal(reply.u.rej.answered, answered);
	assert_int_equal(reply.remote_id, to);
}

static void a_duplicate_finds_its_connection(void **state)
{
	struct cm_msg m = req_from(100, 1), other = req_from(100, 2);
	struct cm *first;

	(void)state;
	assert_int_equal(hears(&m, 0), CM_EV_REQUEST);
	assert_int_equal(reply.kind, CM_NO_MSG);
	first = cm;
	assert_int_equal(hears(&m, 0), CM_EV_NONE);
	assert_ptr_equal(cm, first);
	other.u.req.ca_guid++; // the same number at another host
	assert_int_equal(hears(&other, 0), CM_EV_REQUEST);
	assert_ptr_not_equal(cm, first);
	assert_int_equal(table.stats.requests, 2);
	assert_int_equal(table.stats.duplicates, 1);
}

static void what_nobody_listens_for_is_rejected(void **state)
{
	struct cm_msg m = req_from(100, 1);

	(void)state;
	m.u.req.service_id++;
	assert_int_equal(hears(&m, 0), CM_EV_REFUSED);
	assert_null(cm);
	check_rej(CM_REJ_BAD_SERVICE_ID, CM_ANSWERS_REQ, 100);
	assert_int_equal(reply.tid, 7);
	m = req_from(100, 1);
	m.u.req.mtu = 6;
	assert_int_equal(hears(&m, 0), CM_EV_REFUSED);
	check_rej(CM_REJ_BAD_MTU, CM_ANSWERS_REQ, 100);
	cm_table_unlisten(&table, SERVICE);
	m = req_from(100, 1);
	assert_int_equal(hears(&m, 0), CM_EV_REFUSED);
	check_rej(CM_REJ_BAD_SERVICE_ID, CM_ANSWERS_REQ, 100);
	assert_int_equal(table.stats.refused, 3);
}

static void bounds(void **state)
{
	struct cm_msg m;

	(void)state;
	for (uint32_t i = 0; i < N - 1; i++) {
		m = req_from(100 + i, 1 + i);
		assert_int_equal(hears(&m, 0), CM_EV_REQUEST);
	}
	m = req_from(200, 50);
	assert_int_equal(hears(&m, 0), CM_EV_REFUSED); // too many are half open
	check_rej(CM_REJ_NO_RESOURCES, CM_ANSWERS_REQ, 200);
	assert_non_null(asked()); // of our own there may be one more
	assert_null(cm_table_open(&table));
	assert_int_equal(cm_reject(&places[0], CM_REJ_CONSUMER, NULL, 0, 0), CM_EV_NONE);
	assert_int_equal(hears(&m, 0), CM_EV_REFUSED); // its REJ has not been taken
	assert_true(cm_tx(&places[0], &reply));
	assert_int_equal(hears(&m, 0), CM_EV_REQUEST);
	assert_ptr_equal(cm, &places[0]);
	assert_int_equal(table.stats.full, 2);
	assert_int_equal(cm_table_slot(&table, cm), 0);
}

static void a_stale_connection_is_parted_when_the_peer_asks_anew(void **state)
{
	struct cm *old = established(100, 0x222222);
	struct cm_msg m = req_from(101, 0x222222), sent;

	(void)state;
	assert_int_equal(hears(&m, 5), CM_EV_STALE);
	assert_ptr_equal(cm, old);
	check_rej(CM_REJ_STALE, CM_ANSWERS_REQ, 101);
	assert_int_equal(old->state, CM_DREQ_SENT);
	assert_int_equal(old->reason, CM_REJ_STALE);
	assert_true(cm_tx(old, &sent));
	assert_int_equal(sent.kind, CM_DREQ);
	m = from(CM_DREP, 100, old->local_id);
	assert_int_equal(hears(&m, 6), CM_EV_DOWN);
	assert_int_equal(old->state, CM_TIMEWAIT);
	// The peer has waited long enough, whatever we think.
	m = req_from(102, 0x222222);
	assert_int_equal(hears(&m, 7), CM_EV_REQUEST);
	assert_ptr_not_equal(cm, old);
	// A late copy of the first REQ opens nothing.
	m = req_from(100, 0x222222);
	assert_int_equal(hears(&m, 8), CM_EV_AGAIN);
	assert_true(cm_tx(old, &sent));
	assert_int_equal(sent.u.rej.reason, CM_REJ_STALE);
	assert_int_equal(table.stats.stale, 1);
}

static void a_stale_connection_is_parted_when_the_peer_accepts_anew(void **state)
{
	struct cm *old = established(100, 0x222222), *fresh = asked();
	struct cm_msg m = from(CM_REP, 101, fresh->local_id), sent;

	(void)state;
	assert_int_equal(hears(&m, 5), CM_EV_REFUSED);
	assert_ptr_equal(cm, fresh);
	assert_int_equal(reply.kind, CM_NO_MSG);
	assert_int_equal(fresh->reason, CM_REJ_STALE);
	assert_true(cm_tx(fresh, &sent));
	assert_int_equal(sent.kind, CM_REJ);
	assert_int_equal(sent.u.rej.answered, CM_ANSWERS_REP);
	assert_int_equal(sent.remote_id, 101);
	assert_int_equal(old->state, CM_DREQ_SENT);
	assert_int_equal(hears(&m, 6), CM_EV_UNFIT); // the REJ was lost
	check_rej(CM_REJ_BAD_COMM_ID, CM_ANSWERS_REP, 101);
}

static void one_that_is_not_established_ends_by_itself(void **state)
{
	struct cm_msg m = req_from(100, 0x222222), sent;
	struct cm *old;

	(void)state;
	hears(&m, 0);
	old = cm;
	cm_accept(old, &qp, NULL, 0, 0);
	cm_tx(old, &sent);
	m = req_from(101, 0x222222);
	assert_int_equal(hears(&m, 5), CM_EV_STALE);
	assert_int_equal(old->state, CM_REP_SENT);
	assert_int_equal(cm_expire(old, cm_deadline(old)), CM_EV_FAILED); // the REQ allows no retry
}

static void what_no_connection_knows_is_answered(void **state)
{
	struct cm_msg m = from(CM_DREQ, 100, 0x12345);

	(void)state;
	assert_int_equal(hears(&m, 0), CM_EV_UNFIT);
	assert_null(cm);
	assert_int_equal(reply.kind, CM_DREP);
	assert_int_equal(reply.local_id, 0x12345);
	assert_int_equal(reply.remote_id, 100);
	assert_int_equal(reply.tid, 8);
	m = from(CM_REP, 100, 0x12345);
	assert_int_equal(hears(&m, 0), CM_EV_UNFIT);
	check_rej(CM_REJ_BAD_COMM_ID, CM_ANSWERS_REP, 100);
	for (unsigned kind = CM_MRA; kind <= CM_DREP; kind++) {
		if (kind == CM_REP || kind == CM_DREQ)
			continue;
		m = from(kind, 100, 0x12345);
		assert_int_equal(hears(&m, 0), CM_EV_UNFIT);
		assert_int_equal(reply.kind, CM_NO_MSG);
	}
	assert_int_equal(table.stats.unknown, 6);
}

static void the_peer_gave_up_before_it_knew_us(void **state)
{
	struct cm_msg m = req_from(100, 1);
	struct cm *half;

	(void)state;
	hears(&m, 0);
	half = cm;
	m = from(CM_REJ, 100, 0);
	m.u.rej = (struct cm_rej){
		.reason = CM_REJ_TIMEOUT, .ari_len = 8, .ari = {2, 0, 0, 0, 0, 0, 0, 3}};
	assert_int_equal(hears(&m, 0), CM_EV_UNFIT);
	m.u.rej.ari[7] = 2;
	assert_int_equal(hears(&m, 0), CM_EV_REJECTED);
	assert_ptr_equal(cm, half);
	assert_true(cm_is_free(half));
}

static void communication_ids_do_not_come_again_soon(void **state)
{
	static uint32_t seen[10000];
	struct cm_msg m;

	(void)state;
	for (uint32_t i = 0; i < 10000; i++) {
		struct cm *c = asked();

		assert_int_not_equal(c->local_id, 0);
		assert_int_equal(c->local_id % N, cm_table_slot(&table, c));
		assert_ptr_equal(cm_table_find(&table, c->local_id), c);
		seen[i] = c->local_id;
		if (i)
			assert_null(cm_table_find(&table, seen[i - 1]));
		cm_reject(c, CM_REJ_CONSUMER, NULL, 0, 0);
		assert_null(cm_table_find(&table, c->local_id));
		assert_true(cm_tx(c, &m));
	}
	for (uint32_t i = 0; i < 10000; i += 97)
		for (uint32_t k = 0; k < i; k++)
			assert_int_not_equal(seen[i], seen[k]);
	for (unsigned n = 1; n <= CM_TABLE_MAX; n *= 16) { // wherever the numbers begin
		struct cm_table t = {.cfg = &cfg, .cm = places, .n = n, .serial = UINT32_MAX - 3};

		for (unsigned i = 0; i < 8; i++) {
			const struct cm *c = cm_table_open(&t);

			assert_int_not_equal(c->local_id, 0);
			assert_int_equal(c->local_id % n, cm_table_slot(&t, c));
		}
	}
}

static void deadlines_and_messages_are_walked(void **state)
{
	struct cm *a = asked(), *b = asked();
	uint32_t at = 0;
	tstamp due = cm_table_deadline(&table);

	(void)state;
	assert_int_equal(due, cm_deadline(a));
	assert_null(cm_table_due(&table, &at, due - 1));
	at = 0;
	assert_null(cm_table_owing(&table, &at));
	at = 0;
	assert_ptr_equal(cm_table_due(&table, &at, due), a);
	assert_int_equal(cm_expire(a, due), CM_EV_AGAIN);
	assert_ptr_equal(cm_table_due(&table, &at, due), b);
	assert_int_equal(cm_expire(b, due), CM_EV_AGAIN);
	assert_null(cm_table_due(&table, &at, due));
	assert_true(cm_table_deadline(&table) > due);
	at = 0;
	assert_ptr_equal(cm_table_owing(&table, &at), a);
	assert_ptr_equal(cm_table_owing(&table, &at), b);
	assert_null(cm_table_owing(&table, &at));
	setup(NULL);
	assert_int_equal(cm_table_deadline(&table), TSTAMP_NEVER);
	at = 0;
	assert_null(cm_table_due(&table, &at, due));
}

static void bad_tables(void **state)
{
	struct cm_table t;
	struct prng rng;

	(void)state;
	prng_init(&rng, 1, "bad_tables");
	assert_int_equal(cm_table_init(&t, &cfg, places, 0, 1, &rng), -EINVAL);
	assert_int_equal(cm_table_init(&t, &cfg, places, CM_TABLE_MAX + 1, 1, &rng), -EINVAL);
	for (unsigned i = 1; i < CM_SERVICES; i++)
		assert_int_equal(cm_table_listen(&table, i), 0);
	assert_int_equal(cm_table_listen(&table, 9), -ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_duplicate_finds_its_connection, setup),
		cmocka_unit_test_setup(what_nobody_listens_for_is_rejected, setup),
		cmocka_unit_test_setup(bounds, setup),
		cmocka_unit_test_setup(a_stale_connection_is_parted_when_the_peer_asks_anew, setup),
		cmocka_unit_test_setup(
			a_stale_connection_is_parted_when_the_peer_accepts_anew, setup),
		cmocka_unit_test_setup(one_that_is_not_established_ends_by_itself, setup),
		cmocka_unit_test_setup(what_no_connection_knows_is_answered, setup),
		cmocka_unit_test_setup(the_peer_gave_up_before_it_knew_us, setup),
		cmocka_unit_test_setup(communication_ids_do_not_come_again_soon, setup),
		cmocka_unit_test_setup(deadlines_and_messages_are_walked, setup),
		cmocka_unit_test_setup(bad_tables, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
