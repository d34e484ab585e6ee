// SPDX-License-Identifier: BSD-3-Clause
// Open-loop sources that start once others have ended, and the ends that are told to them.
#include <errno.h>
#include <stdlib.h>

#include "int.h"

// The end of a source of ours, which others follow.
struct told_end {
	struct nic_gen *g;
	_Atomic tstamp *end;
};

// A source that waits. `at`: its next look at the others, or its start once their ends are known.
struct follower {
	struct nic_follow f;
	struct nic_gen *g;
	tstamp at; // TSTAMP_NEVER: it has started
	bool knows;
};

struct nic_follows {
	unsigned n_told, n;
	struct told_end *told;
	struct follower *of;
};

void nic_follows_free(struct nic *nic)
{
	if (!nic->follows)
		return;
	free(nic->follows->told);
	free(nic->follows->of);
	free(nic->follows);
}

// Makes room for one more item of a list. -ENOMEM.
static int more(void **list, unsigned n, size_t bytes)
{
	void *to = realloc(*list, (n + 1) * bytes);

	if (!to)
		return -ENOMEM;
	*list = to;
	return 0;
}

static int find(struct nic *nic, uint32_t source, struct nic_gen **g)
{
	int i = nic_find_gen(nic, source);

	if (i < 0)
		return -EINVAL;
	*g = nic->gen[i];
	if (!nic->follows)
		nic->follows = calloc(1, sizeof(*nic->follows));
	return nic->follows ? 0 : -ENOMEM;
}

int nic_tell_end(struct nic *nic, uint32_t source, _Atomic tstamp *end)
{
	struct nic_gen *g;
	int rc = find(nic, source, &g);

	if (!rc)
		rc = more((void **)&nic->follows->told, nic->follows->n_told,
			sizeof(*nic->follows->told));
	if (!rc)
		nic->follows->told[nic->follows->n_told++] = (struct told_end){g, end};
	return rc;
}

int nic_follow(struct nic *nic, const struct nic_follow *follow)
{
	struct nic_gen *g;
	int rc = follow->look ? find(nic, follow->source, &g) : -EINVAL;

	if (!rc)
		rc = more((void **)&nic->follows->of, nic->follows->n, sizeof(*nic->follows->of));
	if (rc)
		return rc;
	gen_wait(&g->g);
	wheel_set(&nic->gap, g->id, TSTAMP_NEVER);
	nic->follows->of[nic->follows->n++] = (struct follower){*follow, g, follow->first, false};
	nic->slow_at = tstamp_min(nic->slow_at, follow->first);
	nic_reckon(nic);
	return 0;
}

void nic_follow_left(struct nic *nic, const struct pkt *p, tstamp now)
{
	tstamp end = tstamp_max(now, nic->e.tat) + eport_wire_time(&nic->ecfg, p->len);

	for (unsigned i = 0; i < nic->follows->n_told; i++) {
		const struct told_end *t = &nic->follows->told[i];

		if (t->g->g.p.hdr == p->hdr && gen_has_ended(&t->g->g) && gen_is_last(&t->g->g, p))
			atomic_store_explicit(t->end, end, memory_order_release);
	}
}

// The last of the ends; TSTAMP_NEVER: not all are known.
static tstamp last_end(const struct nic_follow *f)
{
	tstamp last = 0;

	for (unsigned i = 0; i < f->n; i++)
		last = tstamp_max(last, atomic_load_explicit(&f->end[i], memory_order_acquire));
	return last;
}

static void look(struct nic *nic, struct follower *w, tstamp now)
{
	tstamp end = w->knows ? 0 : last_end(&w->f);

	if (end == TSTAMP_NEVER) {
		w->at = now + w->f.look;
		return;
	}
	if (!w->knows)
		w->at = tstamp_max(end + w->f.offset, now);
	w->knows = true;
	if (w->at > now)
		return;
	w->at = TSTAMP_NEVER;
	if (!w->g->g.stopped)
		nic_run_source(nic, w->f.source, true, now);
}

void nic_follow_timer(struct nic *nic, tstamp now)
{
	if (!nic->follows)
		return;
	for (unsigned i = 0; i < nic->follows->n; i++) {
		struct follower *w = &nic->follows->of[i];

		if (w->at <= now)
			look(nic, w, now);
		nic->slow_at = tstamp_min(nic->slow_at, w->at);
	}
}
