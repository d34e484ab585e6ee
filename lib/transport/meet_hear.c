// SPDX-License-Identifier: BSD-3-Clause
// What a hello that came changes: the peer's state, the level of this part, and its start.
#include <string.h>

#include "transport/meet.h"

static bool same_name(const char *a, const char *b)
{
	return strncmp(a, b, HELLO_NAME) == 0;
}

static uint32_t compare(const struct meet *m, const struct meet_link *l, const struct hello *h)
{
	const struct meet_params *p = &m->p;
	unsigned n = h->sections < p->sections ? h->sections : p->sections;
	uint32_t differs = 0;

	for (unsigned i = 0; i < n; i++)
		differs |= (uint32_t)(memcmp(h->digest[i], p->digest[i], HELLO_DIGEST) != 0) << i;
	if (h->sections != p->sections)
		differs |= MEET_DIFFERS_SECTIONS;
	if (h->dilate != p->dilate)
		differs |= MEET_DIFFERS_DILATE;
	if (h->start != p->start || h->at_ns != p->at_ns)
		differs |= MEET_DIFFERS_START;
	if (h->level == MEET_GIVEN_UP)
		differs |= MEET_DIFFERS_BEYOND;
	if (same_name(h->port, l->port))
		differs |= MEET_DIFFERS_TWICE;
	else if (!same_name(h->port, l->peer_port))
		differs |= MEET_DIFFERS_PORT;
	return differs;
}

static bool agrees(const struct meet_link *l)
{
	return l->nonce && l->heard_us && !l->differs;
}

// One more than the least level of all peers; 0 where one does not agree. What has started stays
// so: a peer that begins anew finds us at work.
static uint16_t level_of(const struct meet *m)
{
	uint16_t least = m->p.top;

	if (m->level == m->p.top)
		return m->level;
	for (unsigned i = 0; i < m->n; i++) {
		const struct meet_link *l = &m->link[i];

		if (!agrees(l))
			return 0;
		least = l->level < least ? l->level : least;
	}
	return least < m->p.top ? (uint16_t)(least + 1) : least;
}

// The earliest of the starts that we know of: our own, and those that peers tell.
static void start(struct meet *m, const struct hello *h, tstamp now)
{
	if (m->runs)
		return;
	if (m->p.start == HELLO_START_AT) {
		m->start_at = m->p.at;
		return;
	}
	if (m->start_at == TSTAMP_NEVER)
		m->start_at = now + m->p.lead;
	if (h->start_us)
		m->start_at = tstamp_min(m->start_at, now + h->start_us * PS_PER_US);
}

// An exchange has ended where the hello answers one of ours.
static void exchange(struct meet *m, unsigned i, const struct hello *h, tstamp now)
{
	const struct meet_exchange x = {.sent_ns = h->echo_ns,
		.arrived_ns = h->heard_ns,
		.left_ns = h->sent_ns,
		.back_ns = (now + PS_PER_NS - 1) / PS_PER_NS};
	struct meet_link *l = &m->link[i];

	if (h->seen == m->p.nonce && h->echo_ns && meet_clock_take(&l->clock, &x))
		meet_part_heard(m, i, h, x.back_ns, x.back_ns - x.sent_ns);
}

// We know better than a neighbour what is wrong at a port of ours.
static bool is_ours(const struct meet *m, const char *port)
{
	for (unsigned i = 0; i < m->n; i++)
		if (same_name(port, m->link[i].port))
			return true;
	return false;
}

void meet_heard(struct meet *m, unsigned i, const struct hello *h, tstamp now)
{
	struct meet_link *l = &m->link[i];
	uint16_t level = m->level;

	if (h->nonce == m->p.nonce)
		return;
	if (h->nonce != l->nonce) // another process has another clock
		l->clock = (struct meet_clock){0};
	exchange(m, i, h, now);
	l->peer_sent_ns = h->sent_ns;
	l->peer_starts_ns = h->starts_ns;
	l->heard_ns = (now + PS_PER_NS - 1) / PS_PER_NS;
	l->nonce = h->nonce;
	l->level = h->level;
	l->heard_us = h->seen == m->p.nonce;
	l->differs = compare(m, l, h);
	l->dilate = h->dilate;
	memcpy(l->said, h->port, sizeof(l->said));
	l->why = is_ours(m, h->why.port) ? (struct hello_why){0} : h->why;
	m->level = level_of(m);
	if (h->start_us && agrees(l)) // it knows of all others that they agree
		m->level = m->p.top;
	if (m->level == m->p.top)
		start(m, h, now);
	if (!l->heard_us)
		l->say_at = now;
	if (m->runs && h->turn != HELLO_ENDS) {
		l->turn = h->turn + 1;
		l->say_at = now;
	}
	for (unsigned k = 0; k < m->n && m->level != level; k++)
		m->link[k].say_at = now;
}

void meet_heard_version(struct meet *m, unsigned i, unsigned version)
{
	struct meet_link *l = &m->link[i];

	if (m->runs || l->nonce)
		return;
	l->version = version;
	l->differs = MEET_DIFFERS_VERSION;
}
