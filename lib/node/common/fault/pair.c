// SPDX-License-Identifier: BSD-3-Clause
// Queue pairs: a hash of address and QPN finds them. PSNs beyond 24 bits, transmissions, passes.
#include "pair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wire/bth.h"
#include "wire/ip.h"

#define PSN_HALF (1 << 23)

int pairs_init(struct pairs *s, uint32_t n)
{
	uint32_t size = pairs_window(2 * n);

	*s = (struct pairs){.room = n, .mask = size - 1};
	s->pair = calloc(n ? n : 1, sizeof(*s->pair));
	s->slot = calloc(size, sizeof(*s->slot));
	if (s->pair && s->slot)
		return 0;
	pairs_fini(s);
	return -ENOMEM;
}

void pairs_fini(struct pairs *s)
{
	free(s->pair);
	free(s->slot);
	free(s->times);
	*s = (struct pairs){0};
}

uint32_t pairs_window(uint32_t n)
{
	uint32_t window = 2;

	while (window < n && window < 1u << 31)
		window *= 2;
	return window;
}

// The slot of a key, or the free one where it would stand.
static uint32_t *pair_slot(const struct pairs *s, const struct pair_key *key)
{
	uint64_t hash = ip6_hash((uint64_t)key->ipv6 << 32 | key->qpn, key->daddr);
	uint32_t at = (uint32_t)((hash >> 32) * (s->mask + 1ull) >> 32); // by its highest bits

	while (s->slot[at] && memcmp(&s->pair[s->slot[at] - 1].key, key, sizeof(*key)) != 0)
		at = (at + 1) & s->mask;
	return &s->slot[at];
}

struct pair *pairs_find(const struct pairs *s, const struct pair_key *key)
{
	uint32_t i = *pair_slot(s, key);

	return i ? &s->pair[i - 1] : NULL;
}

struct pair *pairs_add(struct pairs *s, const struct pair_key *key, uint32_t first)
{
	struct pair *q = &s->pair[s->n];

	if (s->n == s->room)
		return NULL;
	*pair_slot(s, key) = ++s->n;
	*q = (struct pair){.key = *key};
	for (unsigned i = 0; i < 2; i++) {
		q->stream[i].first = first;
		q->passes[i].psn = UINT32_MAX;
	}
	return q;
}

unsigned pair_counts(uint8_t kinds)
{
	unsigned n = 0;

	for (unsigned i = 0; i < PAIR_KINDS; i++)
		n += (kinds & ~FAULT_CNP) >> i & 1;
	return n;
}

uint16_t *pair_count(struct pair *q, uint8_t kinds, uint32_t window, uint16_t *times)
{
	q->window = window;
	for (unsigned i = 0; i < PAIR_KINDS; i++)
		if (pair_counts(kinds & (uint8_t)(1 << i))) {
			q->sent[i].times = times;
			times += window;
		}
	return times;
}

// Returns the PSN in 64 bits, by its distance from the newest one; negative: it lies before the
// first.
static int64_t stream_saw(struct stream *s, uint32_t psn)
{
	uint32_t ahead;
	int64_t at;

	if (s->first == FAULT_PSN_SEEN)
		s->first = psn;
	ahead = (psn - s->first - (uint32_t)s->newest) & BTH_PSN_MASK;
	at = s->newest + (int64_t)ahead - (ahead & PSN_HALF ? (int64_t)BTH_PSN_MASK + 1 : 0);
	if (at > s->newest)
		s->newest = at;
	return at;
}

// Returns which transmission of this PSN it is; 0: it is too old. Stays at the highest count.
static uint32_t sent_saw(struct sent *s, uint64_t psn, uint32_t window)
{
	uint16_t *times = &s->times[psn & (window - 1)];

	if (psn > s->newest) {
		uint64_t clear = psn - s->newest;

		for (uint64_t i = clear > window ? psn - window : s->newest; i < psn; i++)
			s->times[(i + 1) & (window - 1)] = 0;
		s->newest = psn;
	}
	if (s->newest - psn >= window)
		return 0;
	*times += *times != UINT16_MAX;
	return *times;
}

static uint32_t passes_saw(struct passes *s, uint32_t psn, bool begins)
{
	bool follows = s->psn == UINT32_MAX || psn == ((s->psn + 1) & BTH_PSN_MASK);

	if (s->psn == UINT32_MAX || (follows && begins))
		s->pass = 1;
	else
		s->pass += !follows;
	s->psn = psn;
	return s->pass;
}

struct sighting pair_saw(struct pair *q, uint8_t kind, uint32_t psn, bool begins)
{
	struct sighting seen = {.has_psn = true};
	struct sent *sent = &q->sent[__builtin_ctz(kind)];
	int64_t at;

	if (kind == FAULT_CNP) {
		seen.psn = q->cnps++;
		seen.nth = 1;
		return seen;
	}
	if (kind == FAULT_DATA || kind == FAULT_READ_RESPONSE)
		seen.pass = passes_saw(&q->passes[kind != FAULT_DATA], psn, begins);
	at = stream_saw(pair_stream(q, kind), psn);
	seen.has_psn = at >= 0;
	if (!seen.has_psn)
		return seen;
	seen.psn = (uint64_t)at;
	if (sent->times)
		seen.nth = sent_saw(sent, seen.psn, q->window);
	return seen;
}

// Copies as many of the newest counts as both have room for.
static void sent_adopt(
	struct sent *to, uint32_t window, const struct sent *from, uint32_t from_window)
{
	uint32_t n = window < from_window ? window : from_window;

	to->newest = from->newest;
	for (uint64_t i = 0; i < n && i <= from->newest; i++)
		to->times[(from->newest - i) & (window - 1)] =
			from->times[(from->newest - i) & (from_window - 1)];
}

void pair_adopt(struct pair *to, const struct pair *from)
{
	memcpy(to->stream, from->stream, sizeof(to->stream));
	memcpy(to->passes, from->passes, sizeof(to->passes));
	to->cnps = from->cnps;
	for (unsigned i = 0; i < PAIR_KINDS; i++)
		if (to->sent[i].times && from->sent[i].times)
			sent_adopt(&to->sent[i], to->window, &from->sent[i], from->window);
}
