// SPDX-License-Identifier: BSD-3-Clause
// The state of a part that meets the others: what it has heard on each link, and how far it is.
#include "algo/meet.h"

#include <assert.h>
#include <string.h>

void meet_init(
	struct meet *m, const struct meet_params *p, struct meet_link *link, unsigned n, tstamp now)
{
	assert(p->nonce && p->dilate && p->top && n);
	*m = (struct meet){.p = *p, .link = link, .n = n, .start_at = TSTAMP_NEVER};
	for (unsigned i = 0; i < n; i++)
		link[i].say_at = now;
}

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
	if (m->p.start == HELLO_START_AT) {
		m->start_at = m->p.at;
		return;
	}
	if (m->start_at == TSTAMP_NEVER)
		m->start_at = now + m->p.lead;
	if (h->start_us)
		m->start_at = tstamp_min(m->start_at, now + h->start_us * PS_PER_US);
}

// RFC 5905 section 8: of the instants t0 (we sent), t1 (it came to the peer), t2 (the peer sent)
// and t3 (it came to us) the offset is ((t1 - t0) + (t2 - t3)) / 2. It is off by at most half the
// time that both ways took together, however they share it.
static void sample(struct meet_link *l, const struct meet *m, const struct hello *h, tstamp now)
{
	uint64_t back = now / PS_PER_NS, round_trip = back - h->echo_ns - h->hold_ns;
	__int128 out, in;

	if (h->seen != m->p.nonce || !h->echo_ns || h->hold_ns == HELLO_HOLD_MAX)
		return;
	if (back < h->echo_ns || back - h->echo_ns < h->hold_ns || h->sent_ns < h->hold_ns)
		return; // no peer of ours says so
	if (l->samples && round_trip >= l->round_trip_ns)
		return;
	out = (__int128)(h->sent_ns - h->hold_ns) - h->echo_ns;
	in = (__int128)h->sent_ns - back;
	l->ahead_ns = (int64_t)((out + in) / 2);
	l->round_trip_ns = round_trip;
	l->sampled_at = now;
	l->samples++;
}

bool meet_clock(const struct meet *m, unsigned i, struct meet_clock *c)
{
	const struct meet_link *l = &m->link[i];

	if (!l->samples || !l->peer_starts_ns || m->start_at == TSTAMP_NEVER)
		return false;
	*c = (struct meet_clock){// Unsigned, so that no value of a peer's overflows.
		.ahead_ns = (int64_t)((uint64_t)l->ahead_ns -
				      (l->peer_starts_ns - m->start_at / PS_PER_NS)),
		.bound_ns = l->round_trip_ns / 2 + 2, // instants are whole ns
		.round_trip_ns = l->round_trip_ns,
		.sampled_at = l->sampled_at};
	return true;
}

void meet_heard(struct meet *m, unsigned i, const struct hello *h, tstamp now)
{
	struct meet_link *l = &m->link[i];
	uint16_t level = m->level;

	if (h->nonce == m->p.nonce)
		return;
	if (h->nonce != l->nonce) // another process has another clock
		l->samples = 0;
	sample(l, m, h, now);
	l->peer_sent_ns = h->sent_ns;
	l->peer_starts_ns = h->starts_ns;
	l->heard_at = now;
	l->nonce = h->nonce;
	l->level = h->level;
	l->heard_us = h->seen == m->p.nonce;
	l->differs = compare(m, l, h);
	l->dilate = h->dilate;
	memcpy(l->said, h->port, sizeof(l->said));
	m->level = level_of(m);
	if (h->start_us && agrees(l)) // it knows of all others that they agree
		m->level = m->p.top;
	if (m->level == m->p.top)
		start(m, h, now);
	if (!l->heard_us)
		l->say_at = now;
	for (unsigned k = 0; k < m->n && m->level != level; k++)
		m->link[k].say_at = now;
}

enum meet_state meet_state(const struct meet *m, tstamp now)
{
	if (m->level == m->p.top)
		return MEET_STARTS;
	for (unsigned i = 0; i < m->n; i++)
		if (m->link[i].differs)
			return MEET_REFUSES;
	return now < m->p.deadline ? MEET_ASKS : MEET_LATE;
}

static uint32_t start_in(const struct meet *m, tstamp now)
{
	tstamp us = m->start_at == TSTAMP_NEVER ? 0 : tstamp_since(m->start_at, now) / PS_PER_US;

	return m->level < m->p.top ? 0 : us > UINT32_MAX ? UINT32_MAX : us ? (uint32_t)us : 1;
}

// How long ago the hello came that this one answers.
static uint32_t hold(const struct meet_link *l, tstamp now)
{
	tstamp ns = tstamp_since(now, l->heard_at) / PS_PER_NS;

	return ns < HELLO_HOLD_MAX ? (uint32_t)ns : HELLO_HOLD_MAX;
}

bool meet_say(struct meet *m, unsigned i, struct hello *h, tstamp now)
{
	enum meet_state state = meet_state(m, now);
	struct meet_link *l = &m->link[i];

	if (now < l->say_at)
		return false;
	l->say_at = now + m->p.retry;
	*h = (struct hello){.start = (uint8_t)m->p.start,
		.sections = m->p.sections,
		.level = state == MEET_REFUSES || state == MEET_LATE ? MEET_GIVEN_UP : m->level,
		.nonce = m->p.nonce,
		.seen = l->nonce,
		.number = l->number++,
		.dilate = m->p.dilate,
		.at_ns = m->p.at_ns,
		.start_us = start_in(m, now),
		.sent_ns = now / PS_PER_NS,
		.echo_ns = l->peer_sent_ns,
		.starts_ns = m->start_at == TSTAMP_NEVER ? 0 : m->start_at / PS_PER_NS,
		.hold_ns = hold(l, now)};
	memcpy(h->dst, l->peer_mac, sizeof(h->dst));
	memcpy(h->src, l->mac, sizeof(h->src));
	memcpy(h->port, l->port, sizeof(h->port));
	memcpy(h->digest, m->p.digest, (size_t)m->p.sections * HELLO_DIGEST);
	return true;
}
