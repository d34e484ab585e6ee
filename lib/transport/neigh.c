// SPDX-License-Identifier: BSD-3-Clause
// Neighbour cache: its states and their changes.
#include "transport/neigh.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t no_mac[6];

bool neigh_same_network(const uint8_t *a, const uint8_t *b, unsigned prefix)
{
	unsigned whole = prefix / 8, rest = prefix % 8;

	return !memcmp(a, b, whole) && (!rest || !((a[whole] ^ b[whole]) >> (8 - rest)));
}

void neigh_defaults(struct neigh_params *params)
{
	*params = (struct neigh_params){
		.entries = 1024,
		.tries = 3,
		.retry_ps = PS_PER_S,
		.reachable_ps = 30 * PS_PER_S,
		.again_ps = 20 * PS_PER_S,
		.age_ps = 60 * PS_PER_S,
		.lock_ps = PS_PER_S,
	};
}

int neigh_cfg_init(struct neigh_cfg *cfg, const struct neigh_params *params)
{
	if (!params->entries || params->entries > 1u << 20 || !params->tries ||
		params->tries > 100 || params->retry_ps < PS_PER_US ||
		params->reachable_ps < PS_PER_US || params->age_ps < PS_PER_US)
		return -EINVAL;
	*cfg = (struct neigh_cfg){.p = *params};
	return 0;
}

int neigh_init(struct neigh *n, const struct neigh_cfg *cfg, uint64_t salt)
{
	int rc;

	*n = (struct neigh){.cfg = cfg, .next = TSTAMP_NEVER};
	rc = table_init(&n->table, cfg->p.entries, cfg->p.age_ps, salt);
	if (rc)
		return rc;
	n->entry = calloc(table_slots(&n->table), sizeof(*n->entry));
	if (n->entry)
		return 0;
	neigh_fini(n);
	return -ENOMEM;
}

void neigh_fini(struct neigh *n)
{
	table_fini(&n->table);
	free(n->entry);
	*n = (struct neigh){0};
}

static bool same_ip(const struct neigh_ip *a, const struct neigh_ip *b)
{
	return a->v6 == b->v6 && !memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

static bool same_mac(const uint8_t a[6], const uint8_t b[6])
{
	return !memcmp(a, b, 6);
}

static uint64_t address_key(const struct neigh_ip *ip)
{
	uint64_t word[2], key = ip->v6;

	memcpy(word, ip->bytes, sizeof(word));
	for (unsigned i = 0; i < 2; i++) {
		key = (key ^ word[i]) * 0x9e3779b97f4a7c15;
		key ^= key >> 32;
	}
	return key;
}

// Whether a host can have it: neither nobody nor a group (RFC 1122 cl. 3.2.1.3, RFC 4291 cl. 2.5.2,
// 2.7).
static bool is_host(const struct neigh_ip *ip)
{
	static const uint8_t zero[16];

	if (ip->v6)
		return ip->bytes[0] != 0xff && memcmp(ip->bytes, zero, sizeof(zero)) != 0;
	return ip->bytes[0] && ip->bytes[0] < 224;
}

static struct neigh_entry *entry_of(const struct neigh *n, uint32_t slot)
{
	return slot != TABLE_NONE ? &n->entry[slot] : NULL;
}

// Another address with the same key is as good as none.
static struct neigh_entry *find_entry(const struct neigh *n, const struct neigh_ip *ip, tstamp now)
{
	struct neigh_entry *e = entry_of(n, table_get(&n->table, address_key(ip), now));

	return e && same_ip(&e->ip, ip) ? e : NULL;
}

// Finds the entry of an address, or makes one. `keep`: from now on the entry neither ages nor is
// evicted. NULL: there is no room.
static struct neigh_entry *find_or_add(
	struct neigh *n, const struct neigh_ip *ip, bool keep, tstamp now)
{
	struct neigh_entry *e = entry_of(n, table_get(&n->table, address_key(ip), now));

	if (e && !same_ip(&e->ip, ip))
		return NULL;
	if (!e) {
		e = entry_of(n, table_put(&n->table, address_key(ip), 0, keep, now));
		if (e)
			*e = (struct neigh_entry){.ip = *ip};
		return e;
	}
	table_put(&n->table, address_key(ip), 0, keep, now);
	return e;
}

// States whose time has run out without anybody's doing.
static enum neigh_state state_at(const struct neigh_entry *e, tstamp now)
{
	if (e->state == NEIGH_REACHABLE && now >= e->at)
		return NEIGH_STALE;
	if (e->state == NEIGH_FAILED && now >= e->at)
		return NEIGH_NONE;
	return e->state;
}

static void note_asked(struct neigh *n, struct neigh_entry *e, enum neigh_state state, tstamp now)
{
	e->asked = e->state == state ? e->asked + 1 : 1;
	e->state = (uint8_t)state;
	e->at = tstamp_add(now, n->cfg->p.retry_ps);
	n->next = tstamp_min(n->next, e->at);
}

static void known(struct neigh *n, struct neigh_entry *e, bool proven, tstamp now)
{
	if (proven)
		e->set = now;
	e->state = proven ? NEIGH_REACHABLE : NEIGH_STALE;
	e->at = proven ? tstamp_add(now, n->cfg->p.reachable_ps) : 0;
}

// A message names the hardware address that is known.
static enum neigh_event heard_again(
	struct neigh *n, struct neigh_entry *e, unsigned what, tstamp now)
{
	if (what & NEIGH_PROVES)
		known(n, e, true, now);
	else if (e->state == NEIGH_FAILED) // it lives after all
		known(n, e, false, now);
	return NEIGH_SAME;
}

// Returns whether an answer comes too soon after one that was taken. If several hosts answer for
// one IPv4 address, as proxies do, the first answer counts.
static bool is_too_soon(
	const struct neigh *n, const struct neigh_entry *e, unsigned what, tstamp now)
{
	return !e->ip.v6 && !(what & NEIGH_TELLS) && e->state != NEIGH_FAILED &&
	       now < tstamp_add(e->set, n->cfg->p.lock_ps);
}

// A message names another one (RFC 4861 cl. 7.2.5, RFC 826).
static enum neigh_event heard_elsewhere(
	struct neigh *n, struct neigh_entry *e, const uint8_t mac[6], unsigned what, tstamp now)
{
	if (what & NEIGH_WEAK && e->state != NEIGH_FAILED) {
		if (e->state == NEIGH_REACHABLE)
			known(n, e, false, now);
		return NEIGH_KEPT;
	}
	if (is_too_soon(n, e, what, now))
		return NEIGH_KEPT;
	memcpy(e->mac, mac, sizeof(e->mac));
	e->set = now;
	known(n, e, what & NEIGH_PROVES, now);
	return NEIGH_MOVED;
}

enum neigh_event neigh_learn(
	struct neigh *n, const struct neigh_ip *ip, const uint8_t mac[6], unsigned what, tstamp now)
{
	struct neigh_entry *e;

	if (mac[0] & 1 || same_mac(mac, no_mac) || same_mac(mac, n->cfg->p.mac) || !is_host(ip))
		return NEIGH_IGNORED;
	if (!(what & NEIGH_FOR_US) && !find_entry(n, ip, now))
		return NEIGH_IGNORED;
	e = find_or_add(n, ip, false, now);
	if (!e)
		return NEIGH_IGNORED;
	if (same_mac(e->mac, mac))
		return heard_again(n, e, what, now);
	if (!same_mac(e->mac, no_mac))
		return heard_elsewhere(n, e, mac, what, now);
	memcpy(e->mac, mac, sizeof(e->mac));
	e->set = now;
	known(n, e, what & NEIGH_PROVES, now);
	return NEIGH_LEARNED;
}

enum neigh_next neigh_resolve(
	struct neigh *n, const struct neigh_ip *ip, uint8_t mac[6], tstamp now)
{
	struct neigh_entry *e = find_or_add(n, ip, true, now);

	if (!e)
		return NEIGH_NO_ROOM;
	memcpy(mac, e->mac, sizeof(e->mac));
	switch (state_at(e, now)) {
	case NEIGH_REACHABLE:
	case NEIGH_PROBE:
		return NEIGH_KNOWN;
	case NEIGH_STALE:
		note_asked(n, e, NEIGH_PROBE, now);
		return NEIGH_CONFIRM;
	case NEIGH_INCOMPLETE:
		return NEIGH_WAIT;
	case NEIGH_FAILED:
		return NEIGH_SILENT;
	case NEIGH_NONE:
		break;
	}
	memcpy(e->mac, no_mac, sizeof(e->mac));
	note_asked(n, e, NEIGH_INCOMPLETE, now);
	return NEIGH_ASK;
}

static bool is_asked(const struct neigh_entry *e)
{
	return e->state == NEIGH_INCOMPLETE || e->state == NEIGH_PROBE;
}

// The next step for an entry whose owner was asked and has not answered.
static enum neigh_next step(struct neigh *n, struct neigh_entry *e, tstamp now)
{
	if (e->asked >= n->cfg->p.tries) {
		e->state = NEIGH_FAILED;
		e->at = tstamp_add(now, n->cfg->p.again_ps);
		return NEIGH_SILENT;
	}
	note_asked(n, e, (enum neigh_state)e->state, now);
	return e->state == NEIGH_PROBE ? NEIGH_CONFIRM : NEIGH_ASK;
}

enum neigh_next neigh_expire(struct neigh *n, struct neigh_ip *ip, uint8_t mac[6], tstamp now)
{
	uint32_t slots = table_slots(&n->table);
	tstamp next = TSTAMP_NEVER;

	if (now < n->next)
		return NEIGH_NOTHING;
	for (uint32_t i = 0; i < slots; i++) {
		struct neigh_entry *e = &n->entry[i];

		if (!table_mark(&n->table, i) || !is_asked(e))
			continue;
		if (now >= e->at) {
			*ip = e->ip;
			memcpy(mac, e->mac, sizeof(e->mac));
			return step(n, e, now);
		}
		next = tstamp_min(next, e->at);
	}
	n->next = next;
	return NEIGH_NOTHING;
}

enum neigh_state neigh_look(
	const struct neigh *n, const struct neigh_ip *ip, uint8_t mac[6], tstamp now)
{
	const struct neigh_entry *e = find_entry(n, ip, now);

	if (!e)
		return NEIGH_NONE;
	if (!same_mac(e->mac, no_mac))
		memcpy(mac, e->mac, sizeof(e->mac));
	return state_at(e, now);
}
