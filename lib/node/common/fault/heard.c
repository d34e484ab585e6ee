// SPDX-License-Identifier: BSD-3-Clause
// First PSNs of queue pairs by the REQs and REPs that passed injectors (IBA vol. 1 cl. 12.6).
#include "heard.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "frame/cm_msg.h"
#include "frame/mad.h"

#define HEARD 1024 // messages that are remembered, the newest ones; a power of two

// One message. `stamp` is its number from 1 on, and 0 while it is being written.
struct heard {
	struct pair_key from; // the sender's queue pair
	uint32_t to[4];       // address that the message went to
	uint32_t psn;         // the first that the receiver of the message sends
	uint32_t kind;        // CM_REQ, CM_REP
	uint32_t id, answers; // communication IDs: of the sender, of the REQ that a REP answers
};

#define WORDS (sizeof(struct heard) / sizeof(uint32_t))

struct fault_heard {
	_Atomic uint32_t n; // messages so far
	struct {
		_Atomic uint32_t stamp;
		_Atomic uint32_t word[WORDS];
	} slot[HEARD];
};

_Static_assert(sizeof(struct heard) == WORDS * sizeof(uint32_t), "it is copied by words");

struct fault_heard *fault_heard_new(void)
{
	return calloc(1, sizeof(struct fault_heard));
}

void fault_heard_free(struct fault_heard *h)
{
	free(h);
}

static void put(struct fault_heard *h, const struct heard *e)
{
	uint32_t n = atomic_fetch_add(&h->n, 1), word[WORDS];
	const uint32_t at = n % HEARD;

	memcpy(word, e, sizeof(word));
	atomic_store(&h->slot[at].stamp, 0);
	for (unsigned i = 0; i < WORDS; i++)
		atomic_store(&h->slot[at].word[i], word[i]);
	atomic_store(&h->slot[at].stamp, n + 1);
}

// Reads message number n, from 0 on. False: it was overwritten, or is being written.
static bool get(const struct fault_heard *h, uint32_t n, struct heard *e)
{
	uint32_t at = n % HEARD, word[WORDS];

	if (atomic_load(&h->slot[at].stamp) != n + 1)
		return false;
	for (unsigned i = 0; i < WORDS; i++)
		word[i] = atomic_load(&h->slot[at].word[i]);
	memcpy(e, word, sizeof(word));
	return atomic_load(&h->slot[at].stamp) == n + 1;
}

void heard_take(struct fault_heard *h, const struct pkt *p)
{
	const unsigned len = p->hdr->flags & HDR_IPV4 ? 4 : 16;
	struct heard e = {0};
	const uint8_t *mad;
	struct cm_msg m;

	if (mad_of_pkt(p, &mad) || cm_msg_parse(mad, &m))
		return;
	if (m.kind != CM_REQ && m.kind != CM_REP)
		return;
	memcpy(e.from.daddr, p->hdr->saddr, len);
	memcpy(e.to, p->hdr->daddr, len);
	e.from.ipv6 = len == 16;
	e.from.qpn = m.kind == CM_REQ ? m.u.req.qpn : m.u.rep.qpn;
	e.psn = m.kind == CM_REQ ? m.u.req.psn : m.u.rep.psn;
	e.kind = m.kind;
	e.id = m.local_id;
	e.answers = m.kind == CM_REP ? m.remote_id : 0;
	put(h, &e);
}

// The newest message of a queue pair.
static bool find(const struct fault_heard *h, const struct pair_key *key, struct heard *e)
{
	uint32_t n = atomic_load(&h->n);

	for (uint32_t i = 0; i < HEARD && i < n; i++)
		if (get(h, n - 1 - i, e) && !memcmp(&e->from, key, sizeof(*key)))
			return true;
	return false;
}

// Whether one is the REQ and the other the REP of a connection.
static bool belong(const struct heard *a, const struct heard *b)
{
	const struct heard *req = a->kind == CM_REQ ? a : b, *rep = req == a ? b : a;

	return req->kind == CM_REQ && rep->kind == CM_REP && rep->answers == req->id &&
	       !memcmp(rep->to, req->from.daddr, sizeof(rep->to)) &&
	       !memcmp(req->to, rep->from.daddr, sizeof(req->to));
}

uint32_t heard_first(const struct fault_heard *h, const struct pair_key *key, bool answers)
{
	struct heard own, other;
	uint32_t n;

	if (!find(h, key, &own))
		return FAULT_PSN_SEEN;
	if (!answers)
		return own.psn;
	n = atomic_load(&h->n);
	for (uint32_t i = 0; i < HEARD && i < n; i++)
		if (get(h, n - 1 - i, &other) && belong(&own, &other))
			return other.psn;
	return FAULT_PSN_SEEN;
}
