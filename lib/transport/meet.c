// SPDX-License-Identifier: BSD-3-Clause
// The state of a part that meets the others: its level, the fault that it knows of, its hellos.
#include "transport/meet.h"

#include <assert.h>
#include <string.h>

// A reason that was told by more links is too old.
#define LINKS_MOST UINT8_MAX

void meet_init(
	struct meet *m, const struct meet_params *p, struct meet_link *link, unsigned n, tstamp now)
{
	assert(p->nonce && p->dilate && p->top && n);
	*m = (struct meet){
		.p = *p, .link = link, .n = n, .start_at = TSTAMP_NEVER, .numbers = p->numbers};
	for (unsigned i = 0; i < n; i++)
		link[i].say_at = now;
}

// Returns the fault of one of our own links; 0: it has none.
static uint32_t wrong_at(const struct meet_link *l)
{
	if (l->differs)
		return l->differs & ~MEET_DIFFERS_BEYOND;
	if (!meet_link_heard(l))
		return MEET_UNHEARD;
	return l->heard_us ? 0 : MEET_DEAF;
}

// Writes the worst fault of our own links into *why. A difference counts more than a peer that is
// not heard; its bits are lower.
static void own_why(const struct meet *m, struct hello_why *why)
{
	for (unsigned i = 0; i < m->n; i++) {
		uint32_t what = wrong_at(&m->link[i]);

		if (!what || (why->what && what >= why->what))
			continue;
		why->what = what;
		memcpy(why->port, m->link[i].port, sizeof(why->port));
	}
}

// Takes the report of the neighbour that is nearest to the fault, because it is the newest. In a
// circle, parts may repeat a fault that is gone. Each repetition adds a link, until the report is
// too old.
static void told_why(const struct meet *m, struct hello_why *why)
{
	for (unsigned i = 0; i < m->n; i++) {
		const struct hello_why *told = &m->link[i].why;

		if (told->what && told->links < LINKS_MOST &&
			(!why->what || told->links + 1 < why->links)) {
			*why = *told;
			why->links++;
		}
	}
}

bool meet_why(const struct meet *m, struct hello_why *why)
{
	*why = (struct hello_why){0};
	if (m->level < m->p.top)
		own_why(m, why);
	if (m->level < m->p.top && !why->what)
		told_why(m, why);
	return why->what;
}

void meet_runs(struct meet *m, tstamp start_at, tstamp now)
{
	m->runs = true;
	m->start_at = start_at;
	for (unsigned i = 0; i < m->n; i++)
		m->link[i].alive_at = now;
}

enum meet_state meet_state(const struct meet *m, tstamp now)
{
	if (m->level == m->p.top)
		return MEET_STARTS;
	for (unsigned i = 0; i < m->n; i++)
		if (meet_link_refuses(&m->link[i], now))
			return MEET_REFUSES;
	return now < m->p.deadline ? MEET_ASKS : MEET_LATE;
}

// Returns the process that the next hello answers. If the peer and another process both wait, they
// take turns.
static struct meet_voice whom(struct meet_link *l)
{
	bool peer = l->nonce && (l->named_other || l->turn != HELLO_ASKS);

	l->named_other = l->other.waits && !peer;
	if (!l->named_other)
		return (struct meet_voice){
			.nonce = l->nonce, .sent_ns = l->peer_sent_ns, .heard_ns = l->heard_ns};
	l->other.waits = false;
	return l->other;
}

static uint32_t start_in(const struct meet *m, tstamp now)
{
	tstamp us = m->start_at == TSTAMP_NEVER ? 0 : tstamp_since(m->start_at, now) / PS_PER_US;

	return m->level < m->p.top ? 0 : us > UINT32_MAX ? UINT32_MAX : us ? (uint32_t)us : 1;
}

bool meet_say(struct meet *m, unsigned i, struct hello *h, tstamp now)
{
	enum meet_state state = meet_state(m, now);
	struct meet_link *l = &m->link[i];
	struct meet_voice to;

	if (now < l->say_at)
		return false;
	l->say_at = now + m->p.retry;
	to = whom(l);
	*h = (struct hello){.start = (uint8_t)m->p.start,
		.sections = m->p.sections,
		.level = state == MEET_REFUSES || state == MEET_LATE ? MEET_GIVEN_UP : m->level,
		.nonce = m->p.nonce,
		.seen = to.nonce,
		.number = l->number++,
		.dilate = m->p.dilate,
		.at_ns = m->p.at_ns,
		.start_us = start_in(m, now),
		.sent_ns = now / PS_PER_NS,
		.echo_ns = to.sent_ns,
		.starts_ns = m->start_at == TSTAMP_NEVER ? 0 : m->start_at / PS_PER_NS,
		.heard_ns = to.heard_ns,
		.turn = l->turn,
		.numbers = m->numbers};
	l->turn = HELLO_ASKS;
	meet_why(m, &h->why);
	meet_part_say(m, i, h, h->sent_ns);
	memcpy(h->dst, l->peer_mac, sizeof(h->dst));
	memcpy(h->src, l->mac, sizeof(h->src));
	memcpy(h->port, l->port, sizeof(h->port));
	memcpy(h->digest, m->p.digest, (size_t)m->p.sections * HELLO_DIGEST);
	return true;
}
