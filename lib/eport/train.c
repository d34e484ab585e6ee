// SPDX-License-Identifier: BSD-3-Clause
// Trains: how they are made, and how they stand in the queues of an egress port.
#include "train.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "eport.h"
#include "leave.h"

int eport_yard_init(struct eport_yard *y, unsigned trains)
{
	*y = (struct eport_yard){
		.mem = aligned_alloc(_Alignof(struct eport_train), trains * sizeof(*y->mem)),
		.n = trains,
	};
	return y->mem ? 0 : -ENOMEM;
}

void eport_yard_fini(struct eport_yard *y)
{
	free(y->mem);
}

bool eport_cars(eport_car *car, struct pkt *const *p, unsigned n, bool alike)
{
	uint64_t word = pkt_word(*p);
	eport_car what = eport_car_what(*p);
	uintptr_t all = 0;

	for (unsigned i = 0; alike && i < n; i++) {
		all |= (uintptr_t)p[i];
		car[i] = (uintptr_t)p[i] >> 3 | what;
	}
	if (alike)
		return eport_car_fits(all);
	for (; n; n--, p++) {
		if (pkt_word(*p) != word) { // most are like the one before
			word = pkt_word(*p);
			what = eport_car_what(*p);
		}
		all |= (uintptr_t)*p;
		*car++ = (uintptr_t)*p >> 3 | what;
	}
	return eport_car_fits(all);
}

static bool is_train(const struct pkt *p)
{
	return p->kind == EPORT_TRAIN;
}

static struct eport_train *train_new(struct eport *e, struct eport_q *q, const struct pkt *like)
{
	struct eport_yard *y = e->yard;
	struct eport_train *t = y->spare;

	if (t)
		y->spare = (struct eport_train *)t->like.next;
	else if (y->fresh < y->n)
		t = &y->mem[y->fresh++];
	else
		return NULL;
	pkt_word_set(&t->like, pkt_word(like));
	t->like.pg = like->pg;
	t->like.kind = EPORT_TRAIN;
	t->like.next = NULL;
	t->at = t->n = 0;
	if (q->head)
		q->tail->next = &t->like;
	else
		q->head = &t->like;
	q->tail = &t->like;
	return t;
}

bool eport_put_cars(struct eport *e, unsigned cls, const struct pkt *like, const eport_car *car,
	unsigned n, uint32_t bytes, tstamp now)
{
	struct eport_q *q = &e->q[cls];
	struct eport_train *t = (struct eport_train *)q->tail;

	if (!q->head || !is_train(q->tail) || t->n + n > EPORT_CARS ||
		t->like.in_port != like->in_port || t->like.pg != like->pg)
		t = train_new(e, q, like);
	if (!t)
		return false;
	eport_q_account(e, cls, now);
	memcpy(t->car + t->n, car, n * sizeof(*car));
	if (!t->n)
		t->like.len = eport_car_len(car[0]);
	t->n += n;
	q->frames += n;
	eport_q_grew(e, cls, bytes, now);
	return true;
}

struct pkt *eport_get_car(struct eport *e, int cls, tstamp now)
{
	struct eport_q *q = &e->q[cls];
	struct eport_train *t = (struct eport_train *)q->head;
	struct pkt *next = t->like.next, *p = eport_car_pkt(t->car[t->at]);
	uint32_t bytes = t->like.len + e->cfg->framing.queue_extra;

	eport_q_account(e, (unsigned)cls, now);
	if (!eport_train_took(e->yard, t, 1))
		q->head = next;
	eport_q_shrank(e, cls, bytes);
	return p;
}

// The first frames, n at most, whose cars agree except for the address. Nearly always all do.
static inline unsigned alike(const eport_car *car, unsigned n, struct pkt **burst)
{
	uint64_t what = *car >> EPORT_CAR_LEN, differ = 0;
	unsigned i = 0;

	for (unsigned k = 0; k < n; k++) {
		differ |= car[k] ^ *car;
		burst[k] = eport_car_pkt(car[k]);
	}
	if (LIKELY(!(differ >> EPORT_CAR_LEN)))
		return n;
	do {
		burst[i] = eport_car_pkt(car[i]);
		i++;
	} while (i < n && car[i] >> EPORT_CAR_LEN == what);
	return i;
}

static inline void sum_up(struct eport_sum *sum, eport_car c, unsigned n)
{
	sum->len += n * eport_car_len(c);
	sum->by_ecn += n << 8 * eport_car_ecn(c);
	sum->as_came &= eport_car_as_came(c);
}

unsigned eport_get_cars(struct eport *e, int cls, struct pkt **burst, unsigned max, uint32_t keep,
	struct rate_gate gate[EPORT_GATES], struct eport_sum *sum, tstamp now)
{
	struct eport_train *t = (struct eport_train *)e->q[cls].head;
	struct pkt *behind = t->like.next;
	struct eport_leave l;
	struct eport_run r;
	const eport_car *car = t->car + t->at;
	unsigned most = t->n - t->at < max ? t->n - t->at : max, n = 0;

	eport_leave_from(&l, e, cls, keep, gate, now);
	*sum = (struct eport_sum){.as_came = true, .car = car};
	do {
		uint32_t len = eport_car_len(car[n]);
		unsigned run = alike(car + n, eport_leave_most(&l, len, most - n), burst + n);

		eport_leave_run(&l, len, run);
		sum_up(sum, car[n], run);
		n += run;
	} while (n < most && eport_leave_may_follow(&l, eport_car_len(car[n])));
	r.n = n;
	r.differ = 0;
	r.deficit = l.deficit;
	r.left = (uint32_t)(l.room + keep);
	r.tat = l.tat;
	if (gate)
		memcpy(r.gate, l.gate, sizeof(r.gate));
	r.head = eport_train_took(e->yard, t, n) ? &t->like : behind;
	eport_take_burst(e, cls, &r, gate, now);
	return n;
}

void eport_q_each(const struct eport_q *q, void (*fn)(void *arg, const struct pkt *p), void *arg)
{
	for (const struct pkt *p = q->head; p; p = p->next) {
		const struct eport_train *t = (const struct eport_train *)p;

		if (!is_train(p)) {
			fn(arg, p);
			continue;
		}
		for (uint32_t i = t->at; i < t->n; i++)
			fn(arg, eport_car_pkt(t->car[i]));
	}
}
