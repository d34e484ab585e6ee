// SPDX-License-Identifier: BSD-3-Clause
// Egress port: queueing, the choice of the next class, and the booking of the wire.
#include "eport.h"

#include "base/hint.h"

#include <errno.h>

// A quantum is weight times a whole number of bytes, the largest a longest frame or a little more:
// shares are exact, and turns as short as can be while some class can send in each round.
static void find_quanta(struct eport_cfg *cfg)
{
	uint32_t most = 1;

	for (unsigned i = 0; i < PKT_CLASSES; i++)
		if (!(cfg->strict >> i & 1) && cfg->weight[i] > most)
			most = cfg->weight[i];
	for (unsigned i = 0; i < PKT_CLASSES; i++)
		cfg->quantum[i] = (int32_t)((cfg->longest + most - 1) / most * cfg->weight[i]);
}

int eport_cfg_init(struct eport_cfg *cfg, const struct eport_params *params)
{
	if (!params->rate || !params->mtu || params->mtu > PKT_MAX_LEN)
		return -EINVAL;
	for (unsigned i = 0; i < PKT_CLASSES; i++)
		if (params->weight[i] > EPORT_WEIGHT_MAX)
			return -EINVAL;
	*cfg = (struct eport_cfg){
		.rate = params->rate,
		.ps = rate_byte_ps(params->rate),
		.tolerance_ps = params->tolerance_ps,
		.framing = params->framing,
		.strict = params->strict | 1u << EPORT_CTL,
		.longest = params->mtu + params->framing.queue_extra,
	};
	for (unsigned i = 0; i < PKT_CLASSES; i++)
		cfg->weight[i] = params->weight[i] ? params->weight[i] : 1;
	find_quanta(cfg);
	return 0;
}

int eport_cfg_weight(struct eport_cfg *cfg, unsigned cls, uint16_t weight)
{
	if (cls >= PKT_CLASSES || !weight || weight > EPORT_WEIGHT_MAX || cfg->strict >> cls & 1)
		return -EINVAL;
	cfg->weight[cls] = weight;
	find_quanta(cfg);
	return 0;
}

// The control queue has no histogram.
void eport_init(struct eport *e, const struct eport_cfg *cfg, struct hist *hist)
{
	*e = (struct eport){.cfg = cfg, .starved = true, .hist = hist};
	e->q[EPORT_CTL].changed = TSTAMP_NEVER;
}

// No class could send in a round: only classes with small weights are ready. Gives each class the
// credit of all further rounds in which none could send.
static void skip_rounds(struct eport *e, unsigned ready)
{
	int32_t rounds = INT32_MAX;

	for (unsigned left = ready; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);
		int32_t missing = eport_next_bytes(e, c) - e->q[c].deficit;
		int32_t n = (missing - 1) / e->cfg->quantum[c];

		rounds = n < rounds ? n : rounds;
	}
	for (unsigned left = ready; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);

		e->q[c].deficit += rounds * e->cfg->quantum[c];
	}
}

// Deficit round robin (Shreedhar and Varghese 1995). A class whose turn was cut short by a pause
// keeps its credit and gets no new one for that turn; so credit is neither lost nor hoarded.
int eport_pick_dwrr(struct eport *e, unsigned ready)
{
	unsigned t = e->turn;

	if (ready >> t & 1 && e->q[t].deficit >= eport_next_bytes(e, t))
		return (int)t;
	for (unsigned left = ready; left; left &= ~(1u << t)) {
		t = eport_next_turn(ready, t);
		if (eport_take_turn(e, t))
			return (int)t;
	}
	skip_rounds(e, ready);
	do
		t = eport_next_turn(ready, t);
	while (!eport_take_turn(e, t));
	return (int)t;
}

void eport_put_burst(struct eport *e, unsigned cls, struct pkt *first, struct pkt *last,
	uint32_t frames, uint32_t bytes, tstamp now)
{
	struct eport_q *q = &e->q[cls];

	eport_q_account(e, cls, now);
	last->next = NULL;
	if (q->head)
		q->tail->next = first;
	else
		q->head = first;
	q->tail = last;
	q->frames += frames;
	eport_q_grew(e, cls, bytes, now);
}

void eport_account(struct eport *e, tstamp now)
{
	for (unsigned i = 0; i < PKT_CLASSES; i++)
		if (e->q[i].max_bytes)
			eport_q_account(e, i, now);
}

void eport_q_each(const struct eport_q *q, void (*fn)(void *arg, const struct pkt *p), void *arg)
{
	for (const struct pkt *p = q->head; p; p = p->next)
		fn(arg, p);
}
