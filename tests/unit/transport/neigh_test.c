// SPDX-License-Identifier: BSD-3-Clause
// The neighbour cache: each arrow between its states, who is not believed, a full table, and a
// naive model.
#include "transport/neigh.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/prng.h"

#define S PS_PER_S

static const uint8_t own[6] = {2, 0, 0, 0, 0, 1};
static const uint8_t mac_a[6] = {2, 0, 0, 0, 0, 10}, mac_b[6] = {2, 0, 0, 0, 0, 11};
static const struct neigh_ip a = {.bytes = {10, 0, 0, 10}};
static const struct neigh_ip a6 = {.bytes = {0xfd, [15] = 10}, .v6 = true};

struct lab {
	struct neigh_cfg cfg;
	struct neigh n;
	uint8_t mac[6];
	struct neigh_ip ip;
};

static struct neigh_params params(void)
{
	struct neigh_params p;

	neigh_defaults(&p);
	memcpy(p.mac, own, sizeof(own));
	p.entries = 64;
	return p;
}

static void begin(struct lab *l)
{
	struct neigh_params p = params();

	memset(l, 0, sizeof(*l));
	assert_int_equal(neigh_cfg_init(&l->cfg, &p), 0);
	assert_int_equal(neigh_init(&l->n, &l->cfg, 7), 0);
}

static enum neigh_next resolve(struct lab *l, tstamp now)
{
	return neigh_resolve(&l->n, &a, l->mac, now);
}

static enum neigh_state look(struct lab *l, tstamp now)
{
	return neigh_look(&l->n, &a, l->mac, now);
}

static enum neigh_next expire(struct lab *l, tstamp now)
{
	return neigh_expire(&l->n, &l->ip, l->mac, now);
}

static enum neigh_event learn(struct lab *l, const uint8_t mac[6], unsigned what, tstamp now)
{
	return neigh_learn(&l->n, &a, mac, what, now);
}

// Brings `a` into a state at `now`, by the shortest way.
static void reach(struct lab *l, enum neigh_state state, tstamp now)
{
	begin(l);
	if (state == NEIGH_STALE)
		assert_int_equal(learn(l, mac_a, NEIGH_FOR_US, now), NEIGH_LEARNED);
	if (state == NEIGH_PROBE) {
		learn(l, mac_a, NEIGH_FOR_US, now);
		assert_int_equal(resolve(l, now), NEIGH_CONFIRM);
	}
	if (state == NEIGH_INCOMPLETE || state == NEIGH_REACHABLE)
		assert_int_equal(resolve(l, now), NEIGH_ASK);
	if (state == NEIGH_REACHABLE)
		assert_int_equal(learn(l, mac_a, NEIGH_PROVES, now), NEIGH_LEARNED);
	if (state == NEIGH_FAILED) {
		assert_int_equal(resolve(l, now - 3 * S), NEIGH_ASK);
		assert_int_equal(expire(l, now - 2 * S), NEIGH_ASK);
		assert_int_equal(expire(l, now - S), NEIGH_ASK);
		assert_int_equal(expire(l, now), NEIGH_SILENT);
	}
	assert_int_equal(look(l, now), state);
}

static void end(struct lab *l)
{
	neigh_fini(&l->n);
}

static void what_is_out_of_range_is_refused(void **state)
{
	struct neigh_params p;
	struct neigh_cfg cfg;

	(void)state;
#define REFUSED(change) \
	p = params();   \
	change;         \
	assert_int_equal(neigh_cfg_init(&cfg, &p), -EINVAL)
	REFUSED(p.entries = 0);
	REFUSED(p.entries = (1u << 20) + 1);
	REFUSED(p.tries = 0);
	REFUSED(p.tries = 101);
	REFUSED(p.retry_ps = PS_PER_US - 1);
	REFUSED(p.reachable_ps = PS_PER_US - 1);
	REFUSED(p.age_ps = PS_PER_US - 1);
	p = params();
	p.again_ps = 0;
	assert_int_equal(neigh_cfg_init(&cfg, &p), 0);
}

// NONE to INCOMPLETE: three requests, a second apart, and a second later it is given up, once.
static void who_does_not_answer_is_told_once(void **state)
{
	struct lab l;

	(void)state;
	begin(&l);
	assert_int_equal(neigh_deadline(&l.n), TSTAMP_NEVER);
	assert_int_equal(expire(&l, 100 * S), NEIGH_NOTHING);
	assert_int_equal(resolve(&l, 5 * S), NEIGH_ASK);
	assert_int_equal(look(&l, 5 * S), NEIGH_INCOMPLETE);
	assert_int_equal(resolve(&l, 5 * S), NEIGH_WAIT);
	for (unsigned i = 1; i < 3; i++) {
		assert_int_equal(neigh_deadline(&l.n), (5 + i) * S);
		assert_int_equal(expire(&l, (5 + i) * S - 1), NEIGH_NOTHING);
		assert_int_equal(expire(&l, (5 + i) * S), NEIGH_ASK);
		assert_memory_equal(&l.ip, &a, sizeof(a));
		assert_int_equal(expire(&l, (5 + i) * S), NEIGH_NOTHING);
		assert_int_equal(resolve(&l, (5 + i) * S), NEIGH_WAIT);
	}
	assert_int_equal(expire(&l, 8 * S - 1), NEIGH_NOTHING);
	assert_int_equal(expire(&l, 8 * S), NEIGH_SILENT);
	assert_memory_equal(&l.ip, &a, sizeof(a));
	assert_int_equal(expire(&l, 8 * S), NEIGH_NOTHING);
	assert_int_equal(neigh_deadline(&l.n), TSTAMP_NEVER);
	assert_int_equal(look(&l, 8 * S), NEIGH_FAILED);
	assert_int_equal(resolve(&l, 8 * S), NEIGH_SILENT);
	// and it may be asked anew
	assert_int_equal(resolve(&l, 28 * S - 1), NEIGH_SILENT);
	assert_int_equal(resolve(&l, 28 * S), NEIGH_ASK);
	assert_int_equal(look(&l, 28 * S), NEIGH_INCOMPLETE);
	assert_int_equal(neigh_deadline(&l.n), 29 * S);
	end(&l);
}

// A driver that comes late does not send what it has missed at once.
static void requests_stay_apart(void **state)
{
	struct lab l;

	(void)state;
	begin(&l);
	resolve(&l, 0);
	assert_int_equal(expire(&l, 10 * S), NEIGH_ASK);
	assert_int_equal(expire(&l, 10 * S), NEIGH_NOTHING);
	assert_int_equal(expire(&l, 11 * S - 1), NEIGH_NOTHING);
	assert_int_equal(expire(&l, 11 * S), NEIGH_ASK);
	assert_int_equal(expire(&l, 12 * S), NEIGH_SILENT);
	end(&l);
}

// INCOMPLETE to REACHABLE by an answer, to STALE by a message that is no answer.
static void an_answer_is_believed(void **state)
{
	struct lab l;

	(void)state;
	reach(&l, NEIGH_INCOMPLETE, S);
	assert_int_equal(learn(&l, mac_a, NEIGH_PROVES, 2 * S - 1), NEIGH_LEARNED);
	assert_int_equal(expire(&l, 100 * S), NEIGH_NOTHING);
	assert_int_equal(resolve(&l, 2 * S), NEIGH_KNOWN);
	assert_memory_equal(l.mac, mac_a, 6);
	end(&l);
	for (unsigned what = 0; what <= NEIGH_FOR_US; what++) {
		reach(&l, NEIGH_INCOMPLETE, S);
		assert_int_equal(learn(&l, mac_a, what, S), NEIGH_LEARNED);
		assert_int_equal(look(&l, S), NEIGH_STALE);
		end(&l);
	}
	reach(&l, NEIGH_INCOMPLETE, S);
	assert_int_equal(learn(&l, mac_a, NEIGH_PROVES | NEIGH_WEAK, S), NEIGH_LEARNED);
	assert_int_equal(look(&l, S), NEIGH_REACHABLE);
	end(&l);
}

// REACHABLE to STALE by time alone, to PROBE when it is wanted, back by its answer.
static void what_is_old_is_confirmed(void **state)
{
	struct lab l;

	(void)state;
	reach(&l, NEIGH_REACHABLE, S);
	assert_int_equal(resolve(&l, 31 * S - 1), NEIGH_KNOWN);
	assert_int_equal(look(&l, 31 * S), NEIGH_STALE);
	assert_int_equal(neigh_deadline(&l.n) > 31 * S || expire(&l, 31 * S) == NEIGH_NOTHING, 1);
	assert_int_equal(resolve(&l, 31 * S), NEIGH_CONFIRM);
	assert_memory_equal(l.mac, mac_a, 6);
	assert_int_equal(resolve(&l, 31 * S), NEIGH_KNOWN); // the old address serves meanwhile
	assert_int_equal(look(&l, 31 * S), NEIGH_PROBE);
	assert_int_equal(expire(&l, 32 * S), NEIGH_CONFIRM);
	assert_memory_equal(l.mac, mac_a, 6);
	assert_int_equal(learn(&l, mac_a, NEIGH_PROVES, 32 * S), NEIGH_SAME);
	assert_int_equal(look(&l, 62 * S - 1), NEIGH_REACHABLE);
	assert_int_equal(expire(&l, 61 * S), NEIGH_NOTHING);
	end(&l);
	// PROBE to FAILED; the requests begin anew with PROBE
	reach(&l, NEIGH_PROBE, S);
	assert_int_equal(expire(&l, 2 * S), NEIGH_CONFIRM);
	assert_int_equal(expire(&l, 3 * S), NEIGH_CONFIRM);
	assert_int_equal(expire(&l, 4 * S), NEIGH_SILENT);
	assert_int_equal(resolve(&l, 4 * S), NEIGH_SILENT);
	end(&l);
}

// A message that is no answer proves nothing: STALE and PROBE stay, REACHABLE is no longer
// believed.
static void talk_is_no_proof(void **state)
{
	const enum neigh_state all[] = {NEIGH_STALE, NEIGH_PROBE, NEIGH_REACHABLE};
	struct lab l;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		reach(&l, all[i], S);
		assert_int_equal(learn(&l, mac_a, 0, 2 * S), NEIGH_SAME);
		assert_int_equal(learn(&l, mac_a, NEIGH_FOR_US, 2 * S), NEIGH_SAME);
		assert_int_equal(look(&l, 2 * S), all[i]);
		if (all[i] == NEIGH_REACHABLE)
			assert_int_equal(look(&l, 31 * S), NEIGH_STALE);
		end(&l);
	}
}

static void one_that_moves_is_told(void **state)
{
	const enum neigh_state all[] = {NEIGH_STALE, NEIGH_PROBE, NEIGH_REACHABLE};
	struct lab l;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned what = 0; what < 4; what++) {
			reach(&l, all[i], S);
			assert_int_equal(learn(&l, mac_b, what, 2 * S), NEIGH_MOVED);
			assert_int_equal(look(&l, 2 * S),
				what & NEIGH_PROVES ? NEIGH_REACHABLE : NEIGH_STALE);
			assert_memory_equal(l.mac, mac_b, 6);
			assert_int_equal(expire(&l, 100 * S), NEIGH_NOTHING);
			assert_int_equal(learn(&l, mac_b, what, 2 * S), NEIGH_SAME);
			end(&l);
		}
		// a weak one moves nobody, but REACHABLE is in doubt
		reach(&l, all[i], S);
		assert_int_equal(learn(&l, mac_b, NEIGH_PROVES | NEIGH_WEAK, S), NEIGH_KEPT);
		assert_int_equal(look(&l, S), all[i] == NEIGH_REACHABLE ? NEIGH_STALE : all[i]);
		assert_memory_equal(l.mac, mac_a, 6);
		end(&l);
	}
}

// The first of several that answer counts for a second, unless one announces itself.
static void the_first_answer_counts(void **state)
{
	struct lab l;

	(void)state;
	reach(&l, NEIGH_REACHABLE, S);
	assert_int_equal(learn(&l, mac_b, NEIGH_PROVES, 2 * S - 1), NEIGH_KEPT);
	assert_int_equal(look(&l, 2 * S - 1), NEIGH_REACHABLE);
	assert_memory_equal(l.mac, mac_a, 6);
	assert_int_equal(learn(&l, mac_a, NEIGH_PROVES, 2 * S - 1), NEIGH_SAME);
	assert_int_equal(learn(&l, mac_b, NEIGH_PROVES, 3 * S - 2), NEIGH_KEPT);
	assert_int_equal(learn(&l, mac_b, NEIGH_PROVES, 3 * S - 1), NEIGH_MOVED);
	assert_int_equal(learn(&l, mac_a, NEIGH_PROVES, 3 * S), NEIGH_KEPT);
	assert_int_equal(learn(&l, mac_a, NEIGH_TELLS, 3 * S), NEIGH_MOVED);
	assert_int_equal(look(&l, 3 * S), NEIGH_STALE);
	end(&l);
	// IPv6 has its own flag for that
	begin(&l);
	assert_int_equal(neigh_learn(&l.n, &a6, mac_a, NEIGH_FOR_US, S), NEIGH_LEARNED);
	assert_int_equal(neigh_learn(&l.n, &a6, mac_b, NEIGH_FOR_US, S), NEIGH_MOVED);
	end(&l);
}

// FAILED ends when it is heard of, with the address that it had or another.
static void who_was_given_up_may_come_back(void **state)
{
	struct lab l;

	(void)state;
	for (unsigned what = 0; what < 4; what++) {
		enum neigh_state then = what & NEIGH_PROVES ? NEIGH_REACHABLE : NEIGH_STALE;

		reach(&l, NEIGH_FAILED, 10 * S);
		assert_int_equal(learn(&l, mac_a, what, 11 * S), NEIGH_LEARNED);
		assert_int_equal(look(&l, 11 * S), then);
		end(&l);
		for (unsigned moved = 0; moved < 2; moved++) {
			reach(&l, NEIGH_PROBE, S);
			for (unsigned i = 2; i <= 4; i++)
				expire(&l, i * S);
			assert_int_equal(look(&l, 4 * S), NEIGH_FAILED);
			assert_int_equal(learn(&l, moved ? mac_b : mac_a, what, 5 * S),
				moved ? NEIGH_MOVED : NEIGH_SAME);
			assert_int_equal(look(&l, 5 * S), then);
			end(&l);
		}
	}
}

// RFC 826: one who is known is brought up to date; one who is not is added where it asks for us.
static void strangers_are_added_only_if_they_ask_for_us(void **state)
{
	struct lab l;

	(void)state;
	begin(&l);
	assert_int_equal(learn(&l, mac_a, 0, S), NEIGH_IGNORED);
	assert_int_equal(learn(&l, mac_a, NEIGH_PROVES, S), NEIGH_IGNORED); // nobody asked
	assert_int_equal(look(&l, S), NEIGH_NONE);
	assert_int_equal(learn(&l, mac_a, NEIGH_FOR_US, S), NEIGH_LEARNED);
	assert_int_equal(look(&l, S), NEIGH_STALE);
	assert_int_equal(learn(&l, mac_b, 0, 2 * S), NEIGH_MOVED);
	// it is forgotten when it has been silent, and is a stranger then
	assert_int_equal(look(&l, 62 * S - 1), NEIGH_STALE);
	assert_int_equal(look(&l, 62 * S), NEIGH_NONE);
	assert_int_equal(learn(&l, mac_a, 0, 62 * S), NEIGH_IGNORED);
	assert_int_equal(learn(&l, mac_a, NEIGH_FOR_US, 62 * S), NEIGH_LEARNED);
	// but not where somebody wanted it
	assert_int_equal(resolve(&l, 63 * S), NEIGH_CONFIRM);
	learn(&l, mac_a, NEIGH_PROVES, 63 * S);
	assert_int_equal(look(&l, 1000 * S), NEIGH_STALE);
	end(&l);
}

static void nothing_is_learned_from(void **state)
{
	const uint8_t group[6] = {3, 0, 0, 0, 0, 1}, zero[6] = {0}, all[6] = {255, 255, 255};
	const struct neigh_ip nobody[] = {{.bytes = {0}}, {.bytes = {0, 1}}, {.bytes = {224, 1}},
		{.bytes = {255, 255, 255, 255}}, {.v6 = true},
		{.bytes = {0xff, 2, [15] = 1}, .v6 = true}};
	struct lab l;

	(void)state;
	reach(&l, NEIGH_REACHABLE, S);
	assert_int_equal(learn(&l, group, NEIGH_FOR_US, S), NEIGH_IGNORED);
	assert_int_equal(learn(&l, all, NEIGH_FOR_US, S), NEIGH_IGNORED);
	assert_int_equal(learn(&l, zero, NEIGH_FOR_US, S), NEIGH_IGNORED);
	assert_int_equal(learn(&l, own, NEIGH_FOR_US, S), NEIGH_IGNORED);
	look(&l, S);
	assert_memory_equal(l.mac, mac_a, 6);
	for (unsigned i = 0; i < sizeof(nobody) / sizeof(nobody[0]); i++) {
		assert_int_equal(
			neigh_learn(&l.n, &nobody[i], mac_a, NEIGH_FOR_US, S), NEIGH_IGNORED);
		assert_int_equal(neigh_look(&l.n, &nobody[i], l.mac, S), NEIGH_NONE);
	}
	end(&l);
}

static void versions_are_apart(void **state)
{
	// as IPv4 it has the same bytes
	const struct neigh_ip like = {.bytes = {10, 0, 0, 10}, .v6 = true};
	struct lab l;

	(void)state;
	reach(&l, NEIGH_REACHABLE, S);
	assert_int_equal(neigh_look(&l.n, &like, l.mac, S), NEIGH_NONE);
	assert_int_equal(neigh_resolve(&l.n, &a6, l.mac, S), NEIGH_ASK);
	assert_int_equal(neigh_resolve(&l.n, &like, l.mac, S), NEIGH_ASK);
	assert_int_equal(neigh_learn(&l.n, &a6, mac_b, NEIGH_PROVES, S), NEIGH_LEARNED);
	assert_int_equal(look(&l, S), NEIGH_REACHABLE);
	assert_memory_equal(l.mac, mac_a, 6);
	end(&l);
}

// Who was resolved yields to nobody; who only asked us yields to all.
static void a_full_table_says_so(void **state)
{
	struct neigh_params p = params();
	struct neigh_cfg cfg;
	struct neigh n;
	uint8_t mac[6];
	unsigned room = 0;

	(void)state;
	p.entries = 4; // one set
	assert_int_equal(neigh_cfg_init(&cfg, &p), 0);
	assert_int_equal(neigh_init(&n, &cfg, 1), 0);
	for (unsigned i = 1; i <= 100; i++) {
		struct neigh_ip ip = {.bytes = {10, 1, 0, (uint8_t)i}};

		assert_int_equal(neigh_learn(&n, &ip, mac_a, NEIGH_FOR_US, i), NEIGH_LEARNED);
	}
	assert_int_equal(n.table.n, 4);
	for (unsigned i = 1; i <= 6; i++) {
		struct neigh_ip ip = {.bytes = {10, 2, 0, (uint8_t)i}};
		enum neigh_next next = neigh_resolve(&n, &ip, mac, S);

		assert_int_equal(next, i <= 4 ? NEIGH_ASK : NEIGH_NO_ROOM);
		room += next == NEIGH_ASK;
	}
	assert_int_equal(room, 4);
	assert_int_equal(neigh_learn(&n, &a, mac_a, NEIGH_FOR_US, S), NEIGH_IGNORED);
	neigh_fini(&n);
}

// The model: an array by number, with room for all, whose time moves in steps that meet deadlines
// to the ps as often as not.
#define HOSTS 24

struct model {
	enum neigh_state state;
	bool wanted, v6;
	unsigned asked;
	tstamp at, seen, set;
	uint8_t mac;
};

static struct neigh_ip host(unsigned i)
{
	struct neigh_ip ip = {.bytes = {10, 0, 0, (uint8_t)(i + 1)}, .v6 = i % 2};

	return ip;
}

static void age(struct model *m, const struct neigh_params *p, tstamp now)
{
	if (m->state == NEIGH_REACHABLE && now >= m->at)
		m->state = NEIGH_STALE;
	if (!m->wanted && m->state && now >= m->seen + p->age_ps)
		*m = (struct model){.v6 = m->v6};
}

static enum neigh_next model_resolve(struct model *m, const struct neigh_params *p, tstamp now)
{
	m->wanted = true;
	m->seen = now;
	if (m->state == NEIGH_FAILED && now >= m->at) {
		m->state = NEIGH_NONE;
		m->mac = 0;
	}
	if (m->state == NEIGH_NONE || m->state == NEIGH_STALE) {
		enum neigh_next next = m->state ? NEIGH_CONFIRM : NEIGH_ASK;

		m->state = m->state ? NEIGH_PROBE : NEIGH_INCOMPLETE;
		m->asked = 1;
		m->at = now + p->retry_ps;
		return next;
	}
	return m->state == NEIGH_INCOMPLETE ? NEIGH_WAIT
	       : m->state == NEIGH_FAILED   ? NEIGH_SILENT
					    : NEIGH_KNOWN;
}

static enum neigh_event model_learn(
	struct model *m, const struct neigh_params *p, uint8_t mac, unsigned what, tstamp now)
{
	bool locked = !m->v6 && !(what & NEIGH_TELLS) && m->state != NEIGH_FAILED &&
		      now < m->set + p->lock_ps;
	bool had = m->mac, same = m->mac == mac, doubt = m->state == NEIGH_REACHABLE;

	if (!m->state && !m->wanted && !(what & NEIGH_FOR_US))
		return NEIGH_IGNORED;
	m->seen = now;
	if (had && !same && what & NEIGH_WEAK && m->state != NEIGH_FAILED) {
		if (doubt)
			m->state = NEIGH_STALE;
		return NEIGH_KEPT;
	}
	if (had && !same && locked)
		return NEIGH_KEPT;
	if (!same || what & NEIGH_PROVES)
		m->set = now;
	m->mac = mac;
	if (what & NEIGH_PROVES) {
		m->state = NEIGH_REACHABLE;
		m->at = now + p->reachable_ps;
	} else if (!same || m->state == NEIGH_FAILED) {
		m->state = NEIGH_STALE;
	}
	return !had ? NEIGH_LEARNED : same ? NEIGH_SAME : NEIGH_MOVED;
}

// Due entries come in any order; each step is the model's.
static void expire_all(struct neigh *n, struct model *m, const struct neigh_params *p, tstamp now)
{
	enum neigh_next next;
	struct neigh_ip ip;
	uint8_t mac[6];
	unsigned left = 0;

	for (unsigned i = 0; i < HOSTS; i++)
		left += (m[i].state == NEIGH_INCOMPLETE || m[i].state == NEIGH_PROBE) &&
			now >= m[i].at;
	if (left)
		assert_true(neigh_deadline(n) <= now);
	for (; (next = neigh_expire(n, &ip, mac, now)) != NEIGH_NOTHING; left--) {
		struct model *h = &m[ip.bytes[3] - 1];

		assert_true(left > 0 && now >= h->at);
		if (h->asked == p->tries) {
			assert_int_equal(next, NEIGH_SILENT);
			h->state = NEIGH_FAILED;
			h->at = now + p->again_ps;
			continue;
		}
		assert_int_equal(next, h->state == NEIGH_PROBE ? NEIGH_CONFIRM : NEIGH_ASK);
		if (next == NEIGH_CONFIRM)
			assert_int_equal(mac[5], h->mac);
		h->asked++;
		h->at = now + p->retry_ps;
	}
	assert_int_equal(left, 0);
	assert_true(neigh_deadline(n) > now);
}

static void run_random(uint64_t seed)
{
	struct neigh_params p = params();
	struct model m[HOSTS] = {0};
	struct neigh_cfg cfg;
	struct neigh n;
	struct prng g;
	tstamp now = S;

	prng_init(&g, seed, "neigh");
	for (unsigned i = 0; i < HOSTS; i++)
		m[i].v6 = host(i).v6;
	p.entries = 4096; // so that no set is full
	p.tries = 1 + (unsigned)prng_below(&g, 3);
	p.again_ps = prng_below(&g, 3) * S;
	p.reachable_ps = 3 * S;
	p.age_ps = 5 * S;
	assert_int_equal(neigh_cfg_init(&cfg, &p), 0);
	assert_int_equal(neigh_init(&n, &cfg, seed), 0);
	for (unsigned i = 0; i < 20000; i++) {
		unsigned who = (unsigned)prng_below(&g, HOSTS);
		struct neigh_ip ip = host(who);
		uint8_t mac[6] = {2, 0, 0, 0, 1, (uint8_t)(1 + prng_below(&g, 2))};
		unsigned what = (unsigned)prng_below(&g, 16);

		// half of the time to a full step, where every deadline lies
		now += prng_below(&g, 2) ? prng_below(&g, S / 4) : S / 2 - now % (S / 2);
		for (unsigned k = 0; k < HOSTS; k++)
			age(&m[k], &p, now);
		switch (prng_below(&g, 3)) {
		case 0:
			assert_int_equal(
				neigh_resolve(&n, &ip, mac, now), model_resolve(&m[who], &p, now));
			break;
		case 1:
			assert_int_equal(neigh_learn(&n, &ip, mac, what, now),
				model_learn(&m[who], &p, mac[5], what, now));
			break;
		default:
			expire_all(&n, m, &p, now);
		}
		age(&m[who], &p, now);
		if (m[who].state == NEIGH_FAILED && now >= m[who].at)
			continue; // it may be asked again: seen when it is
		assert_int_equal(neigh_look(&n, &ip, mac, now), m[who].state);
		if (m[who].state && m[who].mac)
			assert_int_equal(mac[5], m[who].mac);
	}
	neigh_fini(&n);
}

static void as_the_model(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		printf("seed %llu\n", (unsigned long long)seed);
		run_random(seed);
	}
}

static void a_network_is_its_prefix(void **state)
{
	uint8_t one[16] = {0xfd, 0, 0x80}, two[16] = {0xfd, 0, 0x81};

	(void)state;
	assert_true(neigh_same_network(one, one, 128));
	for (unsigned n = 1; n <= 128; n++)
		assert_int_equal(neigh_same_network(one, two, n), n < 24);
	two[0] = 0x7d;
	assert_false(neigh_same_network(one, two, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_out_of_range_is_refused),
		cmocka_unit_test(who_does_not_answer_is_told_once),
		cmocka_unit_test(requests_stay_apart),
		cmocka_unit_test(an_answer_is_believed),
		cmocka_unit_test(what_is_old_is_confirmed),
		cmocka_unit_test(talk_is_no_proof),
		cmocka_unit_test(one_that_moves_is_told),
		cmocka_unit_test(the_first_answer_counts),
		cmocka_unit_test(who_was_given_up_may_come_back),
		cmocka_unit_test(strangers_are_added_only_if_they_ask_for_us),
		cmocka_unit_test(nothing_is_learned_from),
		cmocka_unit_test(versions_are_apart),
		cmocka_unit_test(a_full_table_says_so),
		cmocka_unit_test(as_the_model),
		cmocka_unit_test(a_network_is_its_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
