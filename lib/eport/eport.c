// SPDX-License-Identifier: BSD-3-Clause
// Egress port: queueing, the choice of the next class, and the booking of the wire.
#include "eport.h"

#include "leave.h"
#include "base/hint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
		.monitor = params->monitor,
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

// One block for all classes from the C library: pages that nothing uses are never touched. The
// control queue has no histogram.
int eport_init(struct eport *e, const struct eport_cfg *cfg)
{
	memset(e, 0, sizeof(*e));
	e->cfg = cfg;
	e->starved = true;
	e->q[EPORT_CTL].changed = TSTAMP_NEVER;
	if (!cfg->monitor)
		return 0;
	e->hist = calloc(PKT_CLASSES, sizeof(*e->hist));
	return e->hist ? 0 : -ENOMEM;
}

void eport_fini(struct eport *e)
{
	free(e->hist);
	e->hist = NULL;
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

#define SUMS_LEAST 8 // frames: of fewer it is less work to look at each

// Takes linked frames of different lengths from *next on, as long as they may leave: up to `end` of
// the burst, or up to the first train. *differ gets the bits in which they differ from `first`.
// Returns the end of the burst.
INLINE struct pkt **see_others(struct eport_leave *l, struct pkt **next, struct pkt **to,
	struct pkt **end, uint64_t first, uint64_t *differ)
{
	struct eport_sums s = eport_leave_sums(l);
	struct pkt *p = *next;
	uint64_t bits = 0;

	for (; to < end && p->kind != EPORT_TRAIN && eport_sums_add(&s, p->len); p = p->next) {
		bits |= pkt_word(p) ^ first;
		*to++ = p;
	}
	eport_leave_all(l, &s);
	*differ |= bits;
	*next = p;
	return to;
}

#define ROW_STEP 4

// Takes linked frames from *p on as long as they agree with `word`, which no train does. There are
// at least as many frames as there is room up to `stop`. Returns where they end.
INLINE struct pkt **take_row(struct pkt **to, struct pkt **stop, struct pkt **p, uint64_t word)
{
	struct pkt *next = *p;

	for (; stop - to >= ROW_STEP; to += ROW_STEP)
		for (unsigned i = 0; i < ROW_STEP; i++) {
			if (pkt_word(next) != word) {
				*p = next;
				return to + i;
			}
			to[i] = next;
			next = next->next;
		}
	for (; to < stop && pkt_word(next) == word; next = next->next)
		*to++ = next;
	*p = next;
	return to;
}

// Looks at linked frames, up to the first train. Consecutive frames that agree in pkt_word() leave
// as one run.
INLINE void see_burst(const struct eport *e, int cls, struct pkt **burst, unsigned max,
	uint32_t keep, const struct rate_gate *gate, struct eport_run *r, tstamp now)
{
	struct eport_leave l;
	unsigned frames = e->q[cls].frames; // with frames in trains
	struct pkt *p = e->q[cls].head, **to = burst;
	struct pkt **end = burst + (max < frames ? max : frames);
	uint64_t first = pkt_word(p), differ = 0;
	bool many = end - burst >= SUMS_LEAST;

	eport_leave_from(&l, e, cls, keep, gate, now);
	do {
		struct pkt **run = to, **stop = end;
		uint64_t word = pkt_word(p);
		uint32_t len = p->len;

		differ |= word ^ first;
		*to++ = p;
		p = p->next;
		if (p && pkt_word(p) == word) {
			stop = run + eport_leave_most(&l, len, (unsigned)(end - run));
			to = take_row(to, stop, &p, word);
			eport_leave_run(&l, len, (unsigned)(to - run));
		} else {
			eport_leave_one(&l, len);
		}
		// Where a run ended because no more of its length may leave, the next frame may not
		// leave either if it has this length.
		if (many && p && to < end && (to != stop || p->len != len) &&
			eport_leave_sums_up(&l)) {
			to = see_others(&l, &p, to, end, first, &differ);
			break;
		}
	} while (p && p->kind != EPORT_TRAIN && to < end && eport_leave_may_follow(&l, p->len));
	r->n = (unsigned)(to - burst);
	r->differ = differ;
	r->deficit = l.deficit;
	r->left = (uint32_t)(l.room + keep);
	r->head = p;
	r->tat = l.tat;
	if (gate)
		memcpy(r->gate, l.gate, sizeof(r->gate));
}

INLINE void take_burst(struct eport *e, int cls, const struct eport_run *r, tstamp now)
{
	struct eport_q *q = &e->q[cls];

	eport_q_account(e, (unsigned)cls, now);
	if (now > e->tat)
		eport_idled(e, now);
	e->tat = r->tat;
	q->tx_frames += r->n;
	q->tx_bytes +=
		q->bytes - r->left - r->n * e->cfg->framing.queue_extra + r->n * (uint64_t)PKT_FCS;
	q->head = r->head;
	q->bytes = r->left;
	q->frames -= r->n;
	q->deficit = e->cfg->strict >> cls & 1 ? q->deficit : r->deficit;
	if (!q->head) {
		e->nonempty &= (uint16_t) ~(1u << cls);
		q->deficit = 0;
	}
	e->starved = !(e->nonempty & ~(unsigned)e->blocked);
}

// A function of its own, so that only gated bursts pay for the stack that it needs.
ASIDE void see_burst_gated(const struct eport *e, int cls, struct pkt **burst, unsigned max,
	uint32_t keep, const struct rate_gate *gate, struct eport_run *r, tstamp now)
{
	see_burst(e, cls, burst, max, keep, gate, r, now);
}

void eport_see_burst(const struct eport *e, int cls, struct pkt **burst, unsigned max,
	uint32_t keep, const struct rate_gate gate[EPORT_GATES], struct eport_run *r, tstamp now)
{
	if (gate)
		see_burst_gated(e, cls, burst, max, keep, gate, r, now);
	else
		see_burst(e, cls, burst, max, keep, NULL, r, now);
}

void eport_take_burst(struct eport *e, int cls, const struct eport_run *r,
	struct rate_gate gate[EPORT_GATES], tstamp now)
{
	if (gate)
		memcpy(gate, r->gate, sizeof(r->gate));
	take_burst(e, cls, r, now);
}

ASIDE unsigned get_burst_gated(struct eport *e, int cls, struct pkt **burst, unsigned max,
	uint32_t keep, struct rate_gate gate[EPORT_GATES], uint64_t *differ, tstamp now)
{
	struct eport_run r;

	see_burst_gated(e, cls, burst, max, keep, gate, &r, now);
	eport_take_burst(e, cls, &r, gate, now);
	*differ = r.differ;
	return r.n;
}

unsigned eport_get_burst(struct eport *e, int cls, struct pkt **burst, unsigned max, uint32_t keep,
	struct rate_gate gate[EPORT_GATES], uint64_t *differ, tstamp now)
{
	struct eport_run r;

	if (gate)
		return get_burst_gated(e, cls, burst, max, keep, gate, differ, now);
	see_burst(e, cls, burst, max, keep, NULL, &r, now);
	take_burst(e, cls, &r, now);
	*differ = r.differ;
	return r.n;
}

int32_t eport_credit_behind(const struct eport *e, int cls, int32_t credit,
	struct pkt *const *burst, unsigned n, uint32_t bytes)
{
	struct eport_leave l;

	if (e->cfg->strict >> cls & 1)
		return credit;
	l.cfg = e->cfg;
	l.deficit = credit;
	l.quantum = e->cfg->quantum[cls];
	if (credit >= 0 && l.quantum >= (int32_t)e->cfg->longest)
		return eport_leave_credits(&l, (int32_t)bytes);
	for (; n; n--, burst++)
		l.deficit = eport_leave_credit(&l, eport_leave_bytes(&l, (*burst)->len));
	return l.deficit;
}

void eport_account(struct eport *e, tstamp now)
{
	for (unsigned i = 0; i < PKT_CLASSES; i++)
		if (e->q[i].max_bytes)
			eport_q_account(e, i, now);
}
