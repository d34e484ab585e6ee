// SPDX-License-Identifier: BSD-3-Clause
// Rows of events over time: pauses as spans; marks, CNPs, cuts and drops as ticks. Events too dense
// for a page are merged, and the width of a bin is shown.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "int.h"

enum {
	SPANS = PAGE_POINTS, // of a lane at most
	LANES = 24,          // of a kind at most; the last one takes what comes then
};

enum kind { MARK, CNP_TX, CNP_RX, CUT, DROP, RETRANSMISSION, CNM, DEADLOCK, STORM, KINDS_OF_TICK };

static const char *const kind_name[KINDS_OF_TICK] = {
	"mark", "cnp_tx", "cnp_rx", "cut", "drop", "retransmission", "cnm", "deadlock", "storm"};

struct span {
	double from, to;
};

struct pauses {
	unsigned object;
	int cls;
	uint64_t count;
	tstamp since; // of one that goes on; TSTAMP_NEVER: none does
	double total, near;
	struct span *span;
	unsigned n;
};

struct ticks {
	enum kind kind;
	char name[96];
	uint64_t count;
	double *t;   // each by itself, as long as there are few
	uint32_t *n; // by bin, afterwards
};

struct lanes {
	struct saved *s;
	double end; // us
	struct pauses *pauses;
	unsigned n_pauses, room_pauses;
	struct index by_port;
	struct ticks *ticks;
	unsigned n_ticks, of_kind[KINDS_OF_TICK];
	struct moments *moments;
	struct recovery *recovery;
	struct ranks *ranks;
	bool no_memory;
};

// Spans that are nearer than `near` become one.
static void merge_spans(struct pauses *p)
{
	unsigned n = 0;

	for (unsigned i = 1; i < p->n; i++)
		if (p->span[i].from - p->span[n].to < p->near)
			p->span[n].to = p->span[i].to;
		else
			p->span[++n] = p->span[i];
	p->n = n + 1;
}

static void pause_ends(struct lanes *l, struct pauses *p, tstamp t)
{
	struct span span = {(double)p->since / PS_PER_US, (double)t / PS_PER_US};

	if (p->since == TSTAMP_NEVER)
		return;
	p->since = TSTAMP_NEVER;
	p->total += span.to - span.from;
	while (p->n == SPANS) {
		p->near = p->near > 0 ? 2 * p->near : l->end / (2 * SPANS);
		merge_spans(p);
	}
	if (p->n && span.from - p->span[p->n - 1].to < p->near)
		p->span[p->n - 1].to = span.to;
	else
		p->span[p->n++] = span;
}

static struct pauses *pauses_of(struct lanes *l, unsigned object, int cls)
{
	const uint32_t key[] = {object, (uint32_t)cls};
	uint32_t hash = index_hash(0, key, sizeof(key)), at = hash, i;
	struct pauses *p;

	while (l->n_pauses && (i = index_next(&l->by_port, hash, &at)) != INDEX_NONE)
		if (l->pauses[i].object == object && l->pauses[i].cls == cls)
			return &l->pauses[i];
	if (l->n_pauses == l->room_pauses) {
		unsigned room = l->room_pauses ? 2 * l->room_pauses : 32;
		struct pauses *more = realloc(l->pauses, room * sizeof(*more));

		if (!more)
			return NULL;
		l->pauses = more;
		l->room_pauses = room;
	}
	p = &l->pauses[l->n_pauses];
	*p = (struct pauses){.object = object, .cls = cls, .since = TSTAMP_NEVER};
	p->span = malloc(SPANS * sizeof(*p->span));
	if (!p->span || index_add(&l->by_port, hash, l->n_pauses)) {
		free(p->span);
		return NULL;
	}
	l->n_pauses++;
	return p;
}

static void pause_event(struct lanes *l, const struct saved_ev *e)
{
	struct pauses *p = pauses_of(l, e->object, e->cls);

	if (!p) {
		l->no_memory = true;
	} else if (e->type == EV_RESUME_RX) {
		pause_ends(l, p, e->t);
	} else if (p->since == TSTAMP_NEVER) {
		p->since = e->t;
		p->count++;
	}
}

static unsigned bin_of(const struct lanes *l, double t)
{
	double at = l->end > 0 ? t / l->end * PAGE_POINTS : 0;

	return at >= PAGE_POINTS ? PAGE_POINTS - 1 : (unsigned)at;
}

// Returns the lane (a row of the picture) of this kind and name; if there are too many, the common
// lane of all others.
static struct ticks *ticks_of(struct lanes *l, enum kind kind, const char *name)
{
	struct ticks *more, *k;

	if (l->of_kind[kind] >= LANES)
		name = "all others";
	for (unsigned i = 0; i < l->n_ticks; i++)
		if (l->ticks[i].kind == kind && strcmp(l->ticks[i].name, name) == 0)
			return &l->ticks[i];
	more = realloc(l->ticks, (l->n_ticks + 1) * sizeof(*more));
	if (!more)
		return NULL;
	l->ticks = more;
	k = &more[l->n_ticks];
	*k = (struct ticks){.kind = kind, .t = malloc(PAGE_POINTS * sizeof(*k->t))};
	snprintf(k->name, sizeof(k->name), "%s", name);
	if (!k->t)
		return NULL;
	l->of_kind[kind]++;
	l->n_ticks++;
	return k;
}

static void tick(struct lanes *l, enum kind kind, const char *name, tstamp at)
{
	struct ticks *k = NULL;
	double t = (double)at / PS_PER_US;

	// Lanes that are there are found even where there is no room for another one.
	for (unsigned i = 0; i < l->n_ticks && !k; i++)
		if (l->ticks[i].kind == kind && strcmp(l->ticks[i].name, name) == 0)
			k = &l->ticks[i];
	if (!k)
		k = ticks_of(l, kind, name);
	if (!k) {
		l->no_memory = true;
		return;
	}
	if (k->count == PAGE_POINTS && !k->n) {
		k->n = calloc(PAGE_POINTS, sizeof(*k->n));
		for (unsigned i = 0; k->n && i < PAGE_POINTS; i++)
			k->n[bin_of(l, k->t[i])]++;
	}
	if (k->n)
		k->n[bin_of(l, t)]++;
	else if (k->count < PAGE_POINTS)
		k->t[k->count] = t;
	k->count++;
}

// The queue of an event: port and class.
static const char *queue_name(
	const struct lanes *l, const struct saved_ev *e, char *buf, size_t size)
{
	if (e->cls < 0)
		return saved_object(l->s, e->object);
	snprintf(buf, size, "%s.%d", saved_object(l->s, e->object), e->cls);
	return buf;
}

static void tick_event(struct lanes *l, const struct saved_ev *e)
{
	const char *object = saved_object(l->s, e->object);
	char buf[160];

	switch (e->type) {
	case EV_MARK:
		tick(l, MARK, queue_name(l, e, buf, sizeof(buf)), e->t);
		break;
	case EV_DROP:
		tick(l, DROP, queue_name(l, e, buf, sizeof(buf)), e->t);
		break;
	case EV_CNP_TX:
	case EV_IQCN_TX:
	case EV_FAST_CNP_TX:
		tick(l, CNP_TX, object, e->t);
		break;
	case EV_CNP_RX:
		tick(l, CNP_RX, object, e->t);
		break;
	case EV_CNM_TX:
		tick(l, CNM, queue_name(l, e, buf, sizeof(buf)), e->t);
		break;
	case EV_NAK:
	case EV_TIMEOUT:
		tick(l, RETRANSMISSION, object, e->t);
		break;
	case EV_DEADLOCK:
		tick(l, DEADLOCK, queue_name(l, e, buf, sizeof(buf)), e->t);
		break;
	case EV_PFCWD_STORM:
		tick(l, STORM, queue_name(l, e, buf, sizeof(buf)), e->t);
		break;
	case EV_RP:
		if (strcmp(e->detail, "decrease") == 0)
			tick(l, CUT, e->flow < 0 ? object : saved_flow(l->s, (unsigned)e->flow),
				e->t);
		break;
	default:
		break;
	}
}

static void put_pauses(struct jw *w, struct lanes *l, const struct pauses *p)
{
	jw_object(w, NULL, true);
	jw_str(w, "name", saved_object(l->s, p->object));
	jw_i64(w, "class", p->cls);
	jw_u64(w, "count", p->count);
	put_real(w, "total_us", p->total);
	put_real(w, "bin_us", p->near);
	jw_array(w, "spans", true);
	for (unsigned i = 0; i < p->n; i++) {
		jw_array(w, NULL, true);
		put_real(w, NULL, p->span[i].from);
		put_real(w, NULL, p->span[i].to);
		jw_end(w);
	}
	jw_end(w);
	jw_end(w);
}

static void put_ticks(struct jw *w, const struct lanes *l, const struct ticks *k)
{
	jw_object(w, NULL, true);
	jw_str(w, "kind", kind_name[k->kind]);
	jw_str(w, "name", k->name);
	jw_u64(w, "count", k->count);
	put_real(w, "bin_us", k->n ? l->end / PAGE_POINTS : 0);
	jw_array(w, "t", true);
	for (unsigned i = 0; i < (k->n ? PAGE_POINTS : (unsigned)k->count); i++)
		if (!k->n || k->n[i])
			put_real(w, NULL, k->n ? (i + 0.5) * l->end / PAGE_POINTS : k->t[i]);
	jw_end(w);
	if (k->n) {
		jw_array(w, "n", true);
		for (unsigned i = 0; i < PAGE_POINTS; i++)
			if (k->n[i])
				jw_u64(w, NULL, k->n[i]);
		jw_end(w);
	} else {
		jw_null(w, "n");
	}
	jw_end(w);
}

static int by_kind_and_name(const void *a, const void *b)
{
	const struct ticks *x = a, *y = b;

	return x->kind != y->kind ? (int)x->kind - (int)y->kind : strcmp(x->name, y->name);
}

// The most paused first.
static int by_total(const void *a, const void *b)
{
	const struct pauses *x = a, *y = b;

	return (x->total < y->total) - (x->total > y->total);
}

void data_lanes(struct jw *w, struct saved *s)
{
	struct lanes l = {
		.s = s, .end = (double)saved_end(s) / PS_PER_US, .moments = moments_new()};
	const struct saved_ev *e;

	l.recovery = recovery_new(l.end);
	l.ranks = ranks_new(saved_end(s));
	if (l.moments && l.recovery && l.ranks && saved_events(s)) {
		while ((e = saved_next(s)) != NULL && !l.no_memory) {
			moments_take(l.moments, e);
			recovery_take(l.recovery, e);
			ranks_take(l.ranks, e);
			if (e->type == EV_PAUSE_RX || e->type == EV_RESUME_RX)
				pause_event(&l, e);
			else
				tick_event(&l, e);
		}
	}
	for (unsigned i = 0; i < l.n_pauses; i++)
		pause_ends(&l, &l.pauses[i], saved_end(s));
	if (l.n_pauses)
		qsort(l.pauses, l.n_pauses, sizeof(*l.pauses), by_total);
	if (l.n_ticks)
		qsort(l.ticks, l.n_ticks, sizeof(*l.ticks), by_kind_and_name);
	jw_array(w, "pauses", false);
	for (unsigned i = 0; i < l.n_pauses; i++)
		put_pauses(w, &l, &l.pauses[i]);
	jw_end(w);
	jw_array(w, "ticks", false);
	for (unsigned i = 0; i < l.n_ticks; i++)
		put_ticks(w, &l, &l.ticks[i]);
	jw_end(w);
	if (l.moments)
		moments_put(w, s, l.moments);
	if (l.recovery)
		recovery_put(w, s, l.recovery);
	if (l.ranks)
		ranks_put(w, s, l.ranks);
	recovery_free(l.recovery);
	ranks_free(l.ranks);
	free(l.moments);
	for (unsigned i = 0; i < l.n_pauses; i++)
		free(l.pauses[i].span);
	for (unsigned i = 0; i < l.n_ticks; i++) {
		free(l.ticks[i].t);
		free(l.ticks[i].n);
	}
	free(l.pauses);
	free(l.ticks);
	index_fini(&l.by_port);
}
