// SPDX-License-Identifier: BSD-3-Clause
// Egress port: queueing, the choice of the next class, and the booking of the wire.
#include "algo/eport.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t weight_of(const struct eport_params *p, unsigned cls)
{
	return p->weight[cls] ? p->weight[cls] : 1;
}

int eport_cfg_init(struct eport_cfg *cfg, const struct eport_params *params)
{
	uint32_t least = UINT32_MAX;

	if (!params->rate || !params->mtu || params->mtu > PKT_MAX_LEN)
		return -EINVAL;
	for (unsigned i = 0; i < PKT_CLASSES; i++) {
		if (params->weight[i] > 1000)
			return -EINVAL;
		if (!(params->strict >> i & 1) && weight_of(params, i) < least)
			least = weight_of(params, i);
	}
	*cfg = (struct eport_cfg){
		.rate = params->rate,
		.ps = rate_octet_ps(params->rate),
		.tolerance_ps = params->tolerance_ps,
		.framing = params->framing,
		.strict = params->strict,
		.monitor = params->monitor,
	};
	// The smallest weight gets one longest frame a round: each visit can send, so a choice is O(1).
	for (unsigned i = 0; i < PKT_CLASSES; i++)
		cfg->quantum[i] = (int32_t)((uint64_t)(params->mtu + params->framing.queue_extra) *
					    weight_of(params, i) / least);
	return 0;
}

int eport_init(struct eport *e, const struct eport_cfg *cfg)
{
	memset(e, 0, sizeof(*e));
	e->cfg = cfg;
	e->starved = true;
	for (unsigned i = 0; cfg->monitor && i < PKT_CLASSES; i++) {
		e->q[i].hist = calloc(1, sizeof(struct hist));
		if (!e->q[i].hist) {
			eport_fini(e);
			return -ENOMEM;
		}
		e->q[i].hist->min = UINT64_MAX;
	}
	return 0;
}

void eport_fini(struct eport *e)
{
	for (unsigned i = 0; i < PKT_CLASSES; i++) {
		free(e->q[i].hist);
		e->q[i].hist = NULL;
	}
}

// Books the length that the queue has had since its last change (MEASURES M6).
static inline void account(struct eport_q *q, tstamp now)
{
	if (q->hist && now > q->changed) {
		hist_add(q->hist, q->bytes, now - q->changed);
		q->changed = now;
	}
}

static inline void append(struct eport_q *q, struct pkt *p, uint32_t bytes)
{
	p->next = NULL;
	if (q->head)
		q->tail->next = p;
	else
		q->head = p;
	q->tail = p;
	q->bytes += bytes;
	q->frames++;
}

static inline struct pkt *take(struct eport_q *q, uint8_t queue_extra)
{
	struct pkt *p = q->head;

	assert(p);
	q->head = p->next;
	q->bytes -= p->len + queue_extra;
	q->frames--;
	return p;
}

void eport_put(struct eport *e, unsigned cls, struct pkt *p, tstamp now)
{
	struct eport_q *q = &e->q[cls];

	account(q, now);
	append(q, p, p->len + e->cfg->framing.queue_extra);
	e->nonempty |= (uint8_t)(1u << cls);
	if (q->bytes > q->max_bytes) {
		q->max_bytes = q->bytes;
		q->max_at = now;
	}
}

void eport_put_ctl(struct eport *e, struct pkt *p)
{
	struct eport_q *q = &e->ctl;

	append(q, p, p->len + e->cfg->framing.queue_extra);
	q->max_bytes = q->bytes > q->max_bytes ? q->bytes : q->max_bytes;
}

// Octets of the next frame of a class, as counted.
static inline int32_t next_bytes(const struct eport *e, unsigned cls)
{
	const struct eport_q *q = &e->q[cls];

	if (e->pull >> cls & 1)
		return (int32_t)q->pull_bytes;
	return q->head->len + e->cfg->framing.queue_extra;
}

// Deficit round robin (Shreedhar and Varghese 1995). A class whose turn was cut short by a pause finds
// its credit as it was and gets no new one for that turn; so credit is neither lost nor hoarded.
static int pick_dwrr(struct eport *e, unsigned ready)
{
	unsigned t = e->turn;

	if (ready >> t & 1 && e->q[t].deficit >= next_bytes(e, t))
		return (int)t;
	t++;
	t = (t + (unsigned)__builtin_ctz((ready | ready << 8) >> t)) % PKT_CLASSES;
	e->turn = (uint8_t)t;
	if (e->q[t].deficit < next_bytes(e, t))
		e->q[t].deficit += e->cfg->quantum[t];
	return (int)t;
}

int eport_pick(struct eport *e, uint8_t blocked)
{
	unsigned ready = (e->nonempty | e->pull) & ~(unsigned)blocked;
	unsigned strict = ready & e->cfg->strict;

	e->blocked = blocked;
	if (e->ctl.head)
		return PKT_CLASSES;
	if (strict)
		return 31 - __builtin_clz(strict);
	if (ready)
		return pick_dwrr(e, ready);
	e->starved = true;
	return -1;
}

struct pkt *eport_get(struct eport *e, int cls, tstamp now)
{
	uint8_t extra = e->cfg->framing.queue_extra;

	if (cls == PKT_CLASSES)
		return take(&e->ctl, extra);

	struct eport_q *q = &e->q[cls];

	account(q, now);

	struct pkt *p = take(q, extra);

	if (!(e->cfg->strict >> cls & 1))
		q->deficit -= p->len + extra;
	if (!q->head) {
		e->nonempty &= (uint8_t) ~(1u << cls);
		q->deficit = e->pull >> cls & 1 ? q->deficit : 0;
	}
	return p;
}

void eport_sent(struct eport *e, uint32_t len, tstamp now)
{
	if (now > e->tat) {
		e->lost_ps += e->starved ? 0 : now - e->tat;
		e->tat = now;
	}
	e->tat += eport_wire_time(e->cfg, len);
	e->starved = !((e->nonempty | e->pull) & ~e->blocked) && !e->ctl.head;
	e->tx_frames++;
	e->tx_bytes += len + PKT_FCS;
}

void eport_account(struct eport *e, tstamp now)
{
	for (unsigned i = 0; i < PKT_CLASSES; i++)
		account(&e->q[i], now);
}
