// SPDX-License-Identifier: BSD-3-Clause
// Losses of queue pairs and how each was repaired: lost frames, NAKs, frames sent again, timeouts,
// and the times between them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

enum {
	LOSSES = PAGE_POINTS, // that a page lists at most
	OPEN = 64,            // of a queue pair that wait for their repair, at most
	NONE = -1,
};

// Marks of a queue pair's lane.
enum mark { LOST, NAK, RESENT, TIMEOUT, MARKS };

static const char *const mark_name[MARKS] = {"lost", "nak", "resent", "timeout"};

// One lost packet. Instants are TSTAMP_NEVER where nothing told them.
struct loss {
	int flow;
	uint64_t psn;
	unsigned object; // the port where it was lost
	char fault[24];  // the record that lost it; "": none
	tstamp at;       // it was lost
	tstamp next_at;  // the next data frame passed the same port
	tstamp nak_tx, nak_passed, nak_rx;
	tstamp timeout;
	tstamp resent, passed; // it was sent again, and passed the same port
	uint64_t frames;       // sent again for it, itself among them
};

struct marks {
	uint64_t count;
	double *t;   // each by itself, as long as there are few
	uint32_t *n; // by bin, afterwards
};

// A queue pair that has lost something.
struct pair {
	int flow;
	struct marks mark[MARKS];
	int open[OPEN]; // of losses
	unsigned n_open;
	int last; // the loss for which it sends again
};

struct recovery {
	double end; // us
	struct pair *pair;
	unsigned n_pairs;
	struct loss loss[LOSSES];
	unsigned n;
	uint64_t more;
	bool no_memory;
};

struct recovery *recovery_new(double end_us)
{
	struct recovery *v = calloc(1, sizeof(*v));

	if (v)
		v->end = end_us;
	return v;
}

void recovery_free(struct recovery *v)
{
	for (unsigned i = 0; v && i < v->n_pairs; i++)
		for (unsigned k = 0; k < MARKS; k++) {
			free(v->pair[i].mark[k].t);
			free(v->pair[i].mark[k].n);
		}
	if (v)
		free(v->pair);
	free(v);
}

static struct pair *pair_of(struct recovery *v, int flow)
{
	struct pair *more;

	for (unsigned i = 0; i < v->n_pairs; i++)
		if (v->pair[i].flow == flow)
			return &v->pair[i];
	more = realloc(v->pair, (v->n_pairs + 1) * sizeof(*more));
	v->no_memory |= !more;
	if (!more)
		return NULL;
	v->pair = more;
	more[v->n_pairs] = (struct pair){.flow = flow, .last = NONE};
	return &more[v->n_pairs++];
}

static unsigned bin_of(const struct recovery *v, double t)
{
	double at = v->end > 0 ? t / v->end * PAGE_POINTS : 0;

	return at >= PAGE_POINTS ? PAGE_POINTS - 1 : (unsigned)at;
}

static void mark(struct recovery *v, struct marks *m, tstamp at)
{
	double t = (double)at / PS_PER_US;

	if (!m->t)
		m->t = malloc(PAGE_POINTS * sizeof(*m->t));
	if (m->count == PAGE_POINTS && !m->n) {
		m->n = calloc(PAGE_POINTS, sizeof(*m->n));
		for (unsigned i = 0; m->n && i < PAGE_POINTS; i++)
			m->n[bin_of(v, m->t[i])]++;
	}
	v->no_memory |= !m->t || (m->count >= PAGE_POINTS && !m->n);
	if (m->n)
		m->n[bin_of(v, t)]++;
	else if (m->t && m->count < PAGE_POINTS)
		m->t[m->count] = t;
	m->count++;
}

static struct loss *find(struct recovery *v, const struct pair *q, uint64_t psn)
{
	for (unsigned i = q->n_open; i--;)
		if (v->loss[q->open[i]].psn == psn)
			return &v->loss[q->open[i]];
	return NULL;
}

// A loss that is told first by `e`. NULL: the page has as many as it lists.
static struct loss *begin(struct recovery *v, struct pair *q, const struct saved_ev *e)
{
	struct loss *l;

	if (v->n == LOSSES || q->n_open == OPEN) {
		v->more++;
		return NULL;
	}
	l = &v->loss[v->n];
	*l = (struct loss){.flow = q->flow,
		.psn = e->psn,
		.at = TSTAMP_NEVER,
		.next_at = TSTAMP_NEVER,
		.nak_tx = TSTAMP_NEVER,
		.nak_passed = TSTAMP_NEVER,
		.nak_rx = TSTAMP_NEVER,
		.timeout = TSTAMP_NEVER,
		.resent = TSTAMP_NEVER,
		.passed = TSTAMP_NEVER};
	q->open[q->n_open++] = (int)v->n++;
	return l;
}

static struct loss *find_or_begin(struct recovery *v, struct pair *q, const struct saved_ev *e)
{
	struct loss *l = find(v, q, e->psn);

	return l ? l : begin(v, q, e);
}

// Whether a fault ("3 drop data") has lost data: the receiver drops a corrupt frame.
static bool loses(const char *detail)
{
	const char *action = strchr(detail, ' '), *kind = action ? strchr(action + 1, ' ') : NULL;
	bool is_data = kind && (!strcmp(kind, " data") || !strcmp(kind, " read_response"));

	return is_data && (!strncmp(action, " drop ", 6) || !strncmp(action, " corrupt ", 9));
}

static void lost(struct recovery *v, struct pair *q, const struct saved_ev *e)
{
	struct loss *l = begin(v, q, e);

	mark(v, &q->mark[LOST], e->t);
	if (!l)
		return;
	l->at = e->t;
	l->object = e->object;
	snprintf(l->fault, sizeof(l->fault), "%.*s", (int)strcspn(e->detail, " "), e->detail);
}

static void told(struct recovery *v, struct pair *q, const struct saved_ev *e)
{
	struct loss *l = find_or_begin(v, q, e);

	if (e->type != EV_NAK_TX)
		mark(v, &q->mark[e->type == EV_NAK ? NAK : TIMEOUT], e->t);
	if (!l)
		return;
	if (e->type == EV_NAK_TX)
		l->nak_tx = tstamp_min(l->nak_tx, e->t);
	else if (e->type == EV_NAK)
		l->nak_rx = tstamp_min(l->nak_rx, e->t);
	else
		l->timeout = tstamp_min(l->timeout, e->t);
}

static void forget(struct pair *q, int loss)
{
	for (unsigned i = 0; i < q->n_open; i++)
		if (q->open[i] == loss) {
			memmove(&q->open[i], &q->open[i + 1],
				(q->n_open - i - 1) * sizeof(q->open[0]));
			q->n_open--;
			return;
		}
}

// A frame that was not lost counts for the loss that was repaired last.
static void resent(struct recovery *v, struct pair *q, const struct saved_ev *e)
{
	struct loss *l = find(v, q, e->psn);

	mark(v, &q->mark[RESENT], e->t);
	if (l) {
		l->resent = e->t;
		q->last = (int)(l - v->loss);
		forget(q, q->last);
	}
	if (q->last != NONE)
		v->loss[q->last].frames++;
}

// A frame passed a port where a record watches: the next frame behind a lost one, its NAK on the
// way back through another port, or the lost one when it is sent again.
static void passed(struct recovery *v, const struct saved_ev *e)
{
	unsigned looked = 0;

	for (unsigned i = v->n; i-- && looked < OPEN;) {
		struct loss *l = &v->loss[i];

		if (l->flow != e->flow || l->at == TSTAMP_NEVER)
			continue;
		looked++;
		if (l->object != e->object) {
			if (e->psn == l->psn)
				l->nak_passed = tstamp_min(l->nak_passed, e->t);
		} else if (e->psn == l->psn) {
			l->passed = tstamp_min(l->passed, e->t);
		} else {
			l->next_at = tstamp_min(l->next_at, e->t);
		}
	}
}

void recovery_take(struct recovery *v, const struct saved_ev *e)
{
	struct pair *q;

	if (e->flow < 0 || v->no_memory)
		return;
	switch (e->type) {
	case EV_FAULT:
		q = loses(e->detail) ? pair_of(v, e->flow) : NULL;
		if (q)
			lost(v, q, e);
		else if (strstr(e->detail, " watch "))
			passed(v, e);
		break;
	case EV_NAK_TX:
	case EV_NAK:
	case EV_TIMEOUT:
		q = pair_of(v, e->flow);
		if (q)
			told(v, q, e);
		break;
	case EV_RESENT:
		q = pair_of(v, e->flow);
		if (q)
			resent(v, q, e);
		break;
	default:
		break;
	}
}

static void put_marks(struct jw *w, const struct recovery *v, const char *name, struct marks *m)
{
	jw_object(w, name, true);
	jw_u64(w, "count", m->count);
	put_real(w, "bin_us", m->n ? v->end / PAGE_POINTS : 0);
	jw_array(w, "t", true);
	for (unsigned i = 0; i < (m->n ? PAGE_POINTS : (unsigned)m->count); i++)
		if (!m->n || m->n[i])
			put_real(w, NULL, m->n ? (i + 0.5) * v->end / PAGE_POINTS : m->t[i]);
	jw_end(w);
	jw_end(w);
}

static void put_span(struct jw *w, const char *key, tstamp from, tstamp to)
{
	bool known = from != TSTAMP_NEVER && to != TSTAMP_NEVER && to >= from;

	put_real(w, key, known ? (double)(to - from) / PS_PER_US : NAN);
}

static void put_at(struct jw *w, const char *key, tstamp t)
{
	put_real(w, key, t == TSTAMP_NEVER ? NAN : (double)t / PS_PER_US);
}

static void put_loss(struct jw *w, const struct saved *s, const struct loss *l)
{
	bool injected = l->at != TSTAMP_NEVER;

	jw_object(w, NULL, true);
	jw_str(w, "flow", saved_flow(s, (unsigned)l->flow));
	jw_u64(w, "psn", l->psn);
	put_at(w, "at_us", l->at);
	jw_str(w, "port", injected ? saved_object(s, l->object) : "");
	jw_str(w, "fault", l->fault);
	put_at(w, "nak_tx_us", l->nak_tx);
	put_at(w, "nak_us", l->nak_rx);
	put_at(w, "timeout_us", l->timeout);
	put_at(w, "resent_us", l->resent);
	put_span(w, "generation_us", l->next_at, l->nak_passed);
	put_span(w, "reaction_us", l->nak_passed, l->passed);
	put_span(w, "retransmission_us", l->at, l->passed);
	jw_u64(w, "frames", l->frames);
	jw_end(w);
}

// Frames that the flow has sent, by summary.json; NAN: not known.
static double sent_frames(const struct saved *s, const char *flow)
{
	const json_t *flows = json_object_get(saved_summary(s), "flows"), *one;
	size_t i;

	json_array_foreach(flows, i,
		one) if (!strcmp(saved_text(one, "flow_name"), flow)) return saved_number(one,
		"data_frames_tx");
	return NAN;
}

void recovery_put(struct jw *w, const struct saved *s, struct recovery *v)
{
	jw_array(w, "recovery", false);
	for (unsigned i = 0; i < v->n_pairs; i++) {
		struct pair *q = &v->pair[i];
		const char *name = saved_flow(s, (unsigned)q->flow);

		jw_object(w, NULL, false);
		jw_str(w, "name", name);
		put_real(w, "sent", sent_frames(s, name));
		for (unsigned k = 0; k < MARKS; k++)
			put_marks(w, v, mark_name[k], &q->mark[k]);
		jw_end(w);
	}
	jw_end(w);
	jw_array(w, "losses", false);
	for (unsigned i = 0; i < v->n; i++)
		put_loss(w, s, &v->loss[i]);
	jw_end(w);
	jw_u64(w, "more_losses", v->more);
}
