// SPDX-License-Identifier: BSD-3-Clause
// Two hosts that connect and part over a channel that loses, doubles and reorders: both ends come
// to the same, or each has a reason, and nothing goes on for ever.
#include "transport/cm_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define RUNS      1000
#define PLACES    8
#define IN_LINK   1024
#define STEPS     100000
#define FIRST_QPN 17
#define SERVICE   (CM_SERVICE_TCP | 4791)
#define DATA      0xff // what stands for a packet of a queue pair, in a link

// The next step of an owner for a connection of its own.
enum plan { NOTHING, ANSWER, PART };

struct owner {
	tstamp at; // of the planned call
	uint8_t plan;
	bool told; // the peer has been told of a delay
};

struct host {
	struct cm_cfg cfg;
	struct cm_table table;
	struct cm place[PLACES];
	struct owner owner[PLACES];
	unsigned events[CM_EVENTS];
};

struct flight {
	tstamp at;
	unsigned to; // host
	struct cm_msg m;
};

struct lab {
	struct host host[2];
	struct flight flight[IN_LINK];
	unsigned in_flight, sent, lost, doubled;
	tstamp now, delay_ps, spread_ps; // a message takes delay .. delay + spread
	unsigned loss_permille, double_permille;
	unsigned reject_percent, slow_percent;
	bool traffic;
	uint32_t next_qpn;
	struct prng rng;
};

static struct lab lab;
static unsigned seen[CM_EVENTS];

static bool chance(unsigned percent)
{
	return prng_below(&lab.rng, 100) < percent;
}

static void launch(unsigned to, const struct cm_msg *m)
{
	struct flight *f = &lab.flight[lab.in_flight++];

	assert_true(lab.in_flight < IN_LINK);
	*f = (struct flight){.at = lab.now + lab.delay_ps, .to = to, .m = *m};
	if (lab.spread_ps)
		f->at += prng_below(&lab.rng, lab.spread_ps);
}

static void put(unsigned to, const struct cm_msg *m)
{
	lab.sent++;
	if (prng_below(&lab.rng, 1000) < lab.loss_permille) {
		lab.lost++;
		return;
	}
	launch(to, m);
	if (prng_below(&lab.rng, 1000) < lab.double_permille) {
		lab.doubled++;
		launch(to, m);
	}
}

static void plan(struct host *h, struct cm *cm, enum plan what)
{
	struct owner *o = &h->owner[cm_table_slot(&h->table, cm)];
	// At once, soon, or when the peer has long sent again.
	tstamp most = chance(lab.slow_percent) ? 20 * PS_PER_MS : 10 * PS_PER_US;

	*o = (struct owner){.at = lab.now + prng_below(&lab.rng, most), .plan = (uint8_t)what};
}

static void send_data(unsigned from, const struct cm *cm)
{
	const struct cm_msg m = {
		.kind = DATA, .local_id = cm->local_id, .remote_id = cm->remote_id};

	for (unsigned i = 0; lab.traffic && i < 3; i++)
		put(!from, &m);
}

// The owner's reaction to an event.
static void note(unsigned who, struct cm *cm, enum cm_event e)
{
	struct host *h = &lab.host[who];

	h->events[e]++;
	seen[e]++;
	if (e == CM_EV_REQUEST || e == CM_EV_REPLY)
		plan(h, cm, ANSWER);
	else if (e == CM_EV_PARTING)
		plan(h, cm, PART);
	else if (e == CM_EV_UP && cm->active)
		send_data(who, cm);
	if (e == CM_EV_REJECTED || e == CM_EV_FAILED || e == CM_EV_REFUSED)
		assert_true(!cm || strcmp(cm_rej_name(cm->reason), "reserved") != 0);
}

static void answer(unsigned who, struct cm *cm)
{
	struct host *h = &lab.host[who];
	struct owner *o = &h->owner[cm_table_slot(&h->table, cm)];
	const struct cm_qp qp = {.qpn = lab.next_qpn, .psn = lab.next_qpn};

	if (cm->state == CM_REQ_RCVD || cm->state == CM_REP_RCVD) {
		if (!o->told && chance(30)) {
			cm_mra(cm, 2 + (unsigned)prng_below(&lab.rng, 10)); // 16 us and more
			plan(h, cm, ANSWER);
			o->told = true;
			return;
		}
	}
	if (chance(lab.reject_percent)) {
		cm_reject(cm, CM_REJ_CONSUMER, NULL, 0, lab.now);
	} else if (cm_accept(cm, &qp, NULL, 0, lab.now) != CM_EV_UNFIT) {
		lab.next_qpn++;
	} else if (cm_ready(cm) == CM_EV_UP) {
		note(who, cm, CM_EV_UP);
	}
}

static void act(unsigned who, unsigned slot)
{
	struct host *h = &lab.host[who];
	struct owner *o = &h->owner[slot];
	struct cm *cm = &h->place[slot];
	unsigned what = o->plan;

	o->plan = NOTHING;
	o->at = TSTAMP_NEVER;
	if (what == ANSWER)
		answer(who, cm);
	else if (cm_disconnect(cm, lab.now) == CM_EV_DOWN)
		note(who, cm, CM_EV_DOWN);
}

static void arrive(unsigned i)
{
	const struct flight f = lab.flight[i];
	struct host *h = &lab.host[f.to];
	struct cm_msg reply;
	enum cm_event e;
	struct cm *cm;

	lab.flight[i] = lab.flight[--lab.in_flight];
	if (f.m.kind == DATA) {
		cm = cm_table_find(&h->table, f.m.remote_id);
		if (cm && cm->remote_id == f.m.local_id)
			note(f.to, cm, cm_traffic(cm));
		return;
	}
	e = cm_table_rx(&h->table, &f.m, &cm, &reply, lab.now);
	note(f.to, cm, e);
	if (reply.kind != CM_NO_MSG)
		put(!f.to, &reply);
}

static void expire(unsigned who)
{
	struct host *h = &lab.host[who];
	uint32_t at = 0;
	struct cm *cm;

	while ((cm = cm_table_due(&h->table, &at, lab.now))) {
		enum cm_event e = cm_expire(cm, lab.now);

		assert_int_not_equal(e, CM_EV_NONE);
		assert_true(cm_deadline(cm) > lab.now);
		note(who, cm, e);
	}
	assert_true(cm_table_deadline(&h->table) > lab.now);
}

static void transmit(unsigned who)
{
	struct host *h = &lab.host[who];
	uint32_t at = 0;
	struct cm_msg m;
	struct cm *cm;

	while ((cm = cm_table_owing(&h->table, &at))) {
		assert_true(cm_tx(cm, &m));
		assert_false(cm_wants_tx(cm));
		put(!who, &m);
	}
}

// The next instant at which anything happens; TSTAMP_NEVER: nothing will.
static tstamp next_instant(void)
{
	tstamp at = TSTAMP_NEVER;

	for (unsigned i = 0; i < lab.in_flight; i++)
		at = tstamp_min(at, lab.flight[i].at);
	for (unsigned who = 0; who < 2; who++) {
		at = tstamp_min(at, cm_table_deadline(&lab.host[who].table));
		for (unsigned i = 0; i < PLACES; i++)
			if (lab.host[who].owner[i].plan)
				at = tstamp_min(at, lab.host[who].owner[i].at);
	}
	return at;
}

static void one_instant(tstamp at)
{
	assert_true(at >= lab.now);
	lab.now = at;
	for (unsigned i = 0; i < lab.in_flight;)
		if (lab.flight[i].at <= at)
			arrive(i);
		else
			i++;
	for (unsigned who = 0; who < 2; who++) {
		expire(who);
		for (unsigned i = 0; i < PLACES; i++)
			if (lab.host[who].owner[i].plan && lab.host[who].owner[i].at <= at)
				act(who, i);
		transmit(who);
	}
}

static void until_quiet(void)
{
	tstamp at;

	for (unsigned i = 0; (at = next_instant()) != TSTAMP_NEVER; i++) {
		assert_true(i < STEPS);
		one_instant(at);
	}
}

static void host_init(unsigned who, uint64_t guid)
{
	struct host *h = &lab.host[who];
	const struct cm_params p = {
		.ca_guid = guid,
		.life_ps = (1 + prng_below(&lab.rng, 50)) * PS_PER_US,
		.response_ps = (20 + prng_below(&lab.rng, 2000)) * PS_PER_US,
		.delay_ps = prng_below(&lab.rng, 20) * PS_PER_US,
		.longest_ps = 10 * PS_PER_MS,
		.retries = (unsigned)prng_below(&lab.rng, 6),
		.mtu = 1024,
	};

	assert_int_equal(cm_cfg_init(&h->cfg, &p), 0);
	assert_int_equal(cm_table_init(&h->table, &h->cfg, h->place, PLACES,
				 1 + (unsigned)prng_below(&lab.rng, PLACES), &lab.rng),
		0);
	assert_int_equal(cm_table_listen(&h->table, SERVICE), 0);
}

static void ask(unsigned who)
{
	struct host *h = &lab.host[who];
	const struct cm_call call = {
		.service_id = SERVICE, .qp = {.qpn = lab.next_qpn, .psn = lab.next_qpn}};
	struct cm *cm = cm_table_open(&h->table);

	if (!cm)
		return;
	lab.next_qpn++;
	assert_int_equal(cm_connect(cm, &call, lab.now), CM_EV_NONE);
	transmit(who);
}

// The other end of a connection, or NULL.
static struct cm *peer_of(unsigned who, const struct cm *cm)
{
	struct cm *peer = cm_table_find(&lab.host[!who].table, cm->remote_id);

	return peer && peer->remote_id == cm->local_id ? peer : NULL;
}

// All connections are established or gone, and both ends agree on the established ones. A
// connection that is established at one end only lost its peer's last message.
static void check_established(bool harmless)
{
	for (unsigned who = 0; who < 2; who++) {
		for (unsigned i = 0; i < PLACES; i++) {
			const struct cm *cm = &lab.host[who].place[i];
			const struct cm *peer = peer_of(who, cm);

			if (cm_is_free(cm))
				continue;
			assert_int_equal(cm->state, CM_ESTABLISHED);
			if (!peer) {
				assert_false(harmless);
				continue;
			}
			assert_int_equal(peer->state, CM_ESTABLISHED);
			assert_int_equal(peer->active, !cm->active);
			assert_int_equal(peer->remote.qpn, cm->local.qpn);
			assert_int_equal(peer->remote.psn, cm->local.psn);
			assert_int_equal(peer->mtu_code, cm->mtu_code);
		}
	}
}

// Each end that was asked finds out whether the other still has the connection.
static void probe_all(void)
{
	for (unsigned who = 0; who < 2; who++)
		for (unsigned i = 0; i < PLACES; i++)
			cm_probe(&lab.host[who].place[i], lab.now);
	transmit(0);
	transmit(1);
}

// Each established end, or one of two, parts, sometimes both at one instant.
static void part_all(void)
{
	for (unsigned who = 0; who < 2; who++) {
		for (unsigned i = 0; i < PLACES; i++) {
			struct cm *cm = &lab.host[who].place[i];

			if (cm->state == CM_ESTABLISHED &&
				(!who || !peer_of(who, cm) || chance(50)))
				cm_disconnect(cm, lab.now);
		}
	}
	transmit(0);
	transmit(1);
}

// A host forgets all, and uses its queue pairs again: its peers find out when it asks.
static void restart(unsigned who)
{
	struct host *h = &lab.host[who];

	memset(h->place, 0, sizeof(h->place));
	memset(h->owner, 0, sizeof(h->owner));
	lab.next_qpn = FIRST_QPN;
	for (unsigned n = 3; n; n--)
		ask(who);
	until_quiet();
}

static bool all_free(void)
{
	for (unsigned who = 0; who < 2; who++)
		for (unsigned i = 0; i < PLACES; i++)
			if (!cm_is_free(&lab.host[who].place[i]))
				return false;
	return true;
}

static void start(uint64_t seed)
{
	memset(&lab, 0, sizeof(lab));
	prng_init(&lab.rng, seed, "cm_channel");
	lab.next_qpn = FIRST_QPN;
	lab.delay_ps = prng_below(&lab.rng, 20) * PS_PER_US / 20;
	lab.traffic = chance(50);
	lab.reject_percent = chance(50) ? 0 : 15;
	lab.slow_percent = chance(50) ? 0 : 30;
	host_init(0, 0x0200000000000001);
	host_init(1, 0x0200000000000002);
}

static void one_run(uint64_t seed)
{
	bool harmless;

	start(seed);
	switch (seed % 4) {
	case 0: // no fault
		break;
	case 1:
		lab.double_permille = 300;
		lab.spread_ps = PS_PER_US;
		break;
	case 2:
		lab.loss_permille = 50 + (unsigned)prng_below(&lab.rng, 500);
		break;
	default: // late ones meet those of other times
		lab.loss_permille = (unsigned)prng_below(&lab.rng, 300);
		lab.double_permille = 300;
		lab.spread_ps = 8 * PS_PER_MS;
	}
	harmless = seed % 4 < 2 && !lab.slow_percent;
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned n = 1 + (unsigned)prng_below(&lab.rng, 5); n; n--)
			ask(chance(50));
		until_quiet();
		check_established(harmless);
		if (!harmless && chance(30)) {
			restart(chance(50));
			check_established(false);
		}
		probe_all();
		until_quiet();
		check_established(harmless);
		for (unsigned who = 0; harmless && who < 2; who++)
			assert_int_equal(lab.host[who].events[CM_EV_LOST], 0);
		if (harmless && !lab.reject_percent)
			for (unsigned who = 0; who < 2; who++)
				assert_int_equal(lab.host[who].events[CM_EV_FAILED], 0);
		part_all();
		until_quiet();
		if (!harmless && !all_free()) { // every DREQ was lost: the other end parts, too
			check_established(false);
			part_all();
			until_quiet();
		}
		assert_true(all_free());
	}
	for (unsigned who = 0; harmless && who < 2; who++) { // what came up went down at both ends
		assert_int_equal(lab.host[who].events[CM_EV_UP], lab.host[0].events[CM_EV_UP]);
		assert_int_equal(lab.host[who].events[CM_EV_DOWN], lab.host[0].events[CM_EV_UP]);
	}
	assert_true(lab.sent < 4000);
}

static void both_ends_come_to_the_same(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		print_message("seed %llu\n", (unsigned long long)seed);
		one_run(seed);
	}
	for (unsigned e = CM_EV_NONE; e < CM_EVENTS; e++)
		if (!seen[e])
			fail_msg("no run had the event %s", cm_event_name(e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ends_come_to_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
