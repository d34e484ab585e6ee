// SPDX-License-Identifier: BSD-3-Clause
// Received hellos: which process sent them, and how they change the peer's state and our level and
// start.
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
	return l->nonce && l->heard_us;
}

// One more than the least level of all peers; 0 if one does not agree. A part that starts does not
// go back: a peer that begins anew finds it running.
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

// Sets the start to the earliest that we know of: our own, or one that a peer reports.
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

static uint64_t whole_ns(tstamp now)
{
	return (now + PS_PER_NS - 1) / PS_PER_NS;
}

// An exchange has ended where the hello answers one of ours.
static void exchange(struct meet *m, unsigned i, const struct hello *h, tstamp now)
{
	const struct meet_exchange x = {.sent_ns = h->echo_ns,
		.arrived_ns = h->heard_ns,
		.left_ns = h->sent_ns,
		.back_ns = whole_ns(now)};
	struct meet_link *l = &m->link[i];

	if (h->seen == m->p.nonce && h->echo_ns && meet_clock_take(&l->clock, &x))
		meet_part_heard(m, i, h, x.back_ns, x.back_ns - x.sent_ns);
}

// Returns whether a port is ours. Of such a port a neighbour cannot report a fault that we do not
// know.
static bool is_ours(const struct meet *m, const char *port)
{
	for (unsigned i = 0; i < m->n; i++)
		if (same_name(port, m->link[i].port))
			return true;
	return false;
}

// The instant of our hello that this one answers; 0: it answers none that we have sent.
static uint64_t echo_of(const struct meet *m, const struct hello *h, tstamp now)
{
	return h->seen == m->p.nonce && h->echo_ns <= now / PS_PER_NS ? h->echo_ns : 0;
}

// Returns whether a hello is newer than those before: its number is higher, or it answers a newer
// hello of ours. If a stranger made up a number far too high, the peer's next answer still counts
// by the second rule.
static bool is_new(
	const struct meet *m, const struct meet_link *l, const struct hello *h, tstamp now)
{
	return (int32_t)(h->number - l->newest) > 0 || echo_of(m, h, now) > l->echo_ns;
}

static void take_new(const struct meet *m, struct meet_link *l, const struct hello *h, tstamp now)
{
	uint64_t echo_ns = echo_of(m, h, now);

	l->newest = h->number;
	l->echo_ns = echo_ns > l->echo_ns ? echo_ns : l->echo_ns;
	l->alive_at = now;
	l->peer_sent_ns = h->sent_ns;
	l->peer_starts_ns = h->starts_ns;
	l->heard_ns = whole_ns(now);
}

// Another process is the peer now, and has another clock.
static void take_peer(struct meet_link *l, const struct hello *h)
{
	l->nonce = h->nonce;
	l->level = 0;
	l->heard_us = false;
	l->echo_ns = 0;
	l->clock = (struct meet_clock){0};
	l->other = (struct meet_voice){0};
}

// Among senders that wait for an answer, a sender that agrees comes before one that does not, and
// then one that has heard us.
static void hear_other(
	const struct meet *m, struct meet_link *l, const struct hello *h, bool agrees, tstamp now)
{
	unsigned rank = 2 * agrees + (h->seen == m->p.nonce);

	if (l->other.waits && l->other.rank > rank)
		return;
	l->other = (struct meet_voice){.nonce = h->nonce,
		.sent_ns = h->sent_ns,
		.heard_ns = whole_ns(now),
		.waits = true,
		.rank = rank};
}

// Returns whether the peer of a link keeps its place when a hello of another process comes, before
// parts run. It loses the place after three hellos that did not come. If it has answered us and the
// other process has not, it loses it only after MEET_LASTS. If only the other process has answered
// us, it loses it at once.
static bool keeps_peer(const struct meet *m, const struct meet_link *l, bool answers, tstamp now)
{
	tstamp silent = tstamp_since(now, l->alive_at);

	if (!l->nonce || (answers && !l->heard_us))
		return false;
	return silent < (l->heard_us && !answers ? MEET_LASTS : 3 * m->p.retry);
}

// Notes a hello that contradicts ours. Nobody can tell whether it is the peer's, so it counts only
// if it goes on. Returns false if another process contradicted us shortly before: this one has to
// wait until that one is silent.
static bool doubt(
	const struct meet *m, struct meet_link *l, uint32_t nonce, uint32_t differs, tstamp now)
{
	struct meet_doubt *d = &l->doubt;

	if (d->said && d->nonce != nonce && tstamp_since(now, d->at) < 3 * m->p.retry)
		return false;
	if (!d->said || d->nonce != nonce)
		*d = (struct meet_doubt){.nonce = nonce, .since = now};
	d->said++;
	d->at = now;
	l->differs = differs;
	return true;
}

static void drop_doubt(struct meet_link *l)
{
	l->stranger += l->doubt.said;
	l->doubt = (struct meet_doubt){0};
	l->differs = 0;
}

bool meet_link_refuses(const struct meet_link *l, tstamp now)
{
	return l->doubt.said >= MEET_SAID && tstamp_since(now, l->doubt.since) >= MEET_LASTS;
}

// The peer must have heard us: this process, and not an earlier one.
static void hear_contradiction(
	struct meet *m, struct meet_link *l, const struct hello *h, uint32_t differs, tstamp now)
{
	if (h->nonce != l->nonce)
		hear_other(m, l, h, false, now);
	if (h->seen != m->p.nonce || !doubt(m, l, h->nonce, differs, now)) {
		l->stranger++;
		return;
	}
	l->dilate = h->dilate;
	memcpy(l->said, h->port, sizeof(l->said));
	l->why = is_ours(m, h->why.port) ? (struct hello_why){0} : h->why;
}

// A level that is lower than before counts if it lasts: it may be an old hello's.
static void take_level(struct meet_link *l, uint16_t level, tstamp now)
{
	if (level < l->level && tstamp_since(now, l->level_at) < MEET_LASTS)
		return;
	l->level = level;
	l->level_at = now;
}

// A hello of the peer, or of the process that takes its place. False: it came before.
static bool hear_peer(struct meet *m, unsigned i, const struct hello *h, bool answers, tstamp now)
{
	struct meet_link *l = &m->link[i];

	if (h->nonce != l->nonce) {
		take_peer(l, h);
	} else if (!is_new(m, l, h, now)) {
		l->stranger++;
		return false;
	}
	take_new(m, l, h, now);
	exchange(m, i, h, now);
	l->heard_us |= answers;
	l->why = is_ours(m, h->why.port) ? (struct hello_why){0} : h->why;
	if (!l->heard_us)
		l->say_at = now;
	return true;
}

// A part that knows its start knows the least number of all, even if a part that has begun anew has
// drawn a lower one since.
static void take_numbers(struct meet *m, const struct hello *h)
{
	if (m->level < m->p.top && (h->start_us || h->numbers < m->numbers))
		m->numbers = h->numbers;
}

static void hear_asking(struct meet *m, unsigned i, const struct hello *h, tstamp now)
{
	struct meet_link *l = &m->link[i];
	bool answers = h->seen == m->p.nonce;
	uint16_t level = m->level;

	if (h->nonce == l->nonce || !keeps_peer(m, l, answers, now)) {
		hear_peer(m, i, h, answers, now);
	} else {
		hear_other(m, l, h, true, now);
		l->stranger += !answers;
	}
	// Old hellos of a peer that is silent count as no agreement.
	if (answers && tstamp_since(now, l->alive_at) < MEET_LASTS) {
		drop_doubt(l);
		take_level(l, h->level, now);
		take_numbers(m, h);
	}
	m->level = level_of(m);
	if (answers && h->start_us) // it knows of all others that they agree
		m->level = m->p.top;
	if (answers && m->level == m->p.top)
		start(m, h, now);
	for (unsigned k = 0; k < m->n && m->level != level; k++)
		m->link[k].say_at = now;
}

// Handles a hello while parts run. The peer stays alive by new hellos that name us. Once it is
// silent, another process may take its place, for example one that was started again. That process
// must answer a newer hello of ours than the peer has answered. An old hello of an earlier process
// does not.
static void hear_running(struct meet *m, unsigned i, const struct hello *h, tstamp now)
{
	struct meet_link *l = &m->link[i];
	bool answers = h->seen == m->p.nonce, other = h->nonce != l->nonce;

	if (other)
		hear_other(m, l, h, true, now);
	if (other && (echo_of(m, h, now) <= l->echo_ns ||
			     tstamp_since(now, l->alive_at) < MEET_SILENCE)) {
		l->stranger++;
	} else if (answers && hear_peer(m, i, h, answers, now) && h->turn != HELLO_ENDS) {
		l->turn = h->turn + 1;
		l->say_at = now;
	}
}

void meet_heard(struct meet *m, unsigned i, const struct hello *h, tstamp now)
{
	struct meet_link *l = &m->link[i];
	uint32_t differs = compare(m, l, h);

	if (h->nonce == m->p.nonce || (differs && m->runs))
		l->stranger++;
	else if (differs)
		hear_contradiction(m, l, h, differs, now);
	else if (m->runs)
		hear_running(m, i, h, now);
	else
		hear_asking(m, i, h, now);
}

void meet_heard_version(struct meet *m, unsigned i, unsigned version, uint32_t nonce, tstamp now)
{
	struct meet_link *l = &m->link[i];

	if (nonce == m->p.nonce || m->runs || !doubt(m, l, nonce, MEET_DIFFERS_VERSION, now))
		l->stranger++;
	else
		l->version = version;
}
