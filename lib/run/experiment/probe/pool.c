// SPDX-License-Identifier: BSD-3-Clause
// Step `pool`: whether groups share their headroom. Groups of several ports and lossless classes
// are filled until each drops; the pool is empty when they get less together than each gets alone.
#include "int.h"

#include <errno.h>
#include <math.h>

#define GROUPS 32
#define LEAST  2    // groups
#define LEAK   2    // frames that come out of a queue that is held
#define SHARE  0.98 // of the headroom of single groups; with less they share a pool
#define SPARE  64   // frames beyond those that a single group takes

// A group: frames that it took, those up to XOFF, those behind it.
struct pool_group {
	unsigned port, cls;
	uint32_t sent;
	uint32_t kept, xoff;
	bool full, paused;
};

struct pool {
	struct pool_group group[GROUPS];
	unsigned n;
	uint8_t classes;
	const char *why;
};

static bool is_told(const struct probe *p, unsigned cls)
{
	return (p->obeys >> cls & 1) && probe_reaches(p, cls);
}

// The groups, by class: the measured class first, and the measured port of each class first.
static void choose_groups(const struct probe *p, unsigned first, struct pool *s)
{
	uint32_t frames = p->group[first].out + SPARE;
	uint64_t most = p->cfg->most_buffer / (PROBE_SHORT + PKT_FCS);

	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		unsigned cls = (first + c) % PKT_CLASSES;

		if (!is_told(p, cls))
			continue;
		for (unsigned k = 0; k < p->cfg->n_in && s->n < GROUPS; k++) {
			if (p->cfg->in[k] == p->cfg->out[0] || frames > most)
				continue;
			most -= frames;
			s->classes |= (uint8_t)(1u << cls);
			s->group[s->n++] = (struct pool_group){
				.port = p->cfg->in[k], .cls = cls, .sent = frames};
		}
	}
}

// out[0] holds all classes. The ports fill their groups at the same time, class after class, so
// that the hold is short.
static void build_groups(struct probe *p, const struct pool *s)
{
	tstamp at[TESTER_PORTS] = {0}, d = 0;

	probe_list_new(p, "pool");
	probe_add(p, p->cfg->out[0], probe_hold(p, s->classes));
	for (unsigned i = 0; i < s->n; i++) {
		const struct pool_group *g = &s->group[i];
		struct tester_item data = probe_data(p, g->port, p->cfg->out[0], g->cls, g->sent);

		d = tstamp_max(d, p->group[g->cls].d);
		data.at = tstamp_max(at[g->port], probe_tb(p));
		data.len = PROBE_SHORT;
		data.source = PROBE_SOURCE(g->port, g->cls);
		probe_add(p, g->port, data);
		at[g->port] = data.at + g->sent * probe_wire(p, PROBE_SHORT);
	}
	p->list.step.tail = d + probe_w(p);
}

// Frames up to and with the one that brought XOFF.
static void read_xoff(
	const struct probe *p, const struct lab_sight *sight, struct pool_group *g, tstamp d)
{
	const struct lab_seen *in = &sight->port[g->port];
	uint32_t at = UINT32_MAX;
	const struct tester_seen *e = lab_pfc(in, g->cls, true, &at);
	tstamp by = e ? e->at - d : 0;

	g->paused = e != NULL;
	// The frame's last bit left at `by`, so the next one may have begun then.
	if (e)
		g->xoff = lab_sent(
			in, PROBE_SOURCE(g->port, g->cls), by - probe_wire(p, PROBE_SHORT) / 2);
}

static void build_release(struct probe *p, const struct pool *s)
{
	uint64_t frames = 0;

	for (unsigned i = 0; i < s->n; i++)
		frames += s->group[i].sent;
	probe_list_new(p, "pool");
	probe_add(p, p->cfg->out[0], probe_release(s->classes, 0));
	p->list.step.tail = probe_tb(p) + frames * probe_wire(p, PROBE_SHORT) + probe_w(p);
}

static void read_kept(const struct probe *p, const struct lab_sight *sight, struct pool_group *g)
{
	g->kept = probe_left(&sight->port[p->cfg->out[0]], PROBE_SOURCE(g->port, g->cls));
	g->full = g->kept < g->sent;
}

// Fills and empties the groups. 0; -EAGAIN: it went wrong, s->why.
static int fill_groups(struct probe *p, unsigned cls, struct pool *s)
{
	struct lab_sight sight;
	const char *wrong;
	int rc;

	build_groups(p, s);
	rc = probe_count(p, &sight, &wrong);
	if (rc) {
		s->why = wrong;
		return rc;
	}
	for (unsigned i = 0; i < s->n; i++) {
		struct pool_group *g = &s->group[i];

		read_xoff(p, &sight, g, p->group[g->cls].d ? p->group[g->cls].d : p->group[cls].d);
	}
	build_release(p, s);
	rc = probe_once(p, &sight, &wrong);
	if (rc)
		return rc;
	if (wrong && wrong != probe_late) {
		s->why = wrong;
		return -EAGAIN;
	}
	for (unsigned i = 0; i < s->n; i++)
		read_kept(p, &sight, &s->group[i]);
	return probe_emptied(p, &s->why);
}

// The headroom that the groups took together. Their number, or 0 and s->why.
static unsigned add_up(struct pool *s, double *sum, bool *full)
{
	unsigned n = 0;

	*sum = 0;
	*full = true;
	for (unsigned i = 0; i < s->n; i++) {
		const struct pool_group *g = &s->group[i];

		if (!g->paused)
			continue;
		if (g->kept + LEAK < g->xoff) {
			s->why = "frames were dropped while they were held, as by a watchdog";
			return 0;
		}
		n++;
		*sum += g->kept > g->xoff ? g->kept - g->xoff : 0;
		*full = *full && g->full;
	}
	if (n < LEAST)
		s->why = "fewer than two groups sent XOFF";
	return n < LEAST ? 0 : n;
}

static void found_pool(struct probe *p, unsigned cls, struct pool *s)
{
	double u = probe_unit(p), sum, own = p->group[cls].out - p->group[cls].n_xoff;
	double error = 1 + ceil((double)p->lab->gap_longest / (double)probe_wire(p, PROBE_SHORT));
	bool full;
	unsigned n = add_up(s, &sum, &full);

	if (!n)
		found_state(p->found, cls, PROBE_POOL, FOUND_NOT, 0, s->why);
	else if (!full)
		found_state(
			p->found, cls, PROBE_POOL, FOUND_AT_LEAST, sum * u, "a group was not full");
	else if (sum > SHARE * n * own - n * error)
		found_state(p->found, cls, PROBE_POOL, FOUND_AT_LEAST, sum * u,
			"each group had as much headroom as one alone");
	else
		found_is(p->found, cls, PROBE_POOL, sum * u, n * error * u);
}

int probe_pool(struct probe *p, unsigned cls)
{
	struct pool s = {0};
	int rc = 0;

	for (unsigned c = 0; c < cls; c++)
		if (p->found->f[c][PROBE_POOL].state != FOUND_NOT) {
			p->found->f[cls][PROBE_POOL] = p->found->f[c][PROBE_POOL];
			return 0; // all classes share it
		}
	if (p->group[cls].n_xoff)
		choose_groups(p, cls, &s);
	else
		s.why = "XOFF is not known";
	if (!s.why && s.n < LEAST)
		s.why = "wants two ports in `in`, or two lossless classes";
	if (!s.why)
		rc = fill_groups(p, cls, &s);
	if (!rc && !s.why)
		found_pool(p, cls, &s);
	else if (!rc || rc == -EAGAIN)
		found_state(p->found, cls, PROBE_POOL, FOUND_NOT, 0, s.why);
	return rc == -EAGAIN ? 0 : rc;
}
