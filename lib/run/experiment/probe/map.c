// SPDX-License-Identifier: BSD-3-Clause
// Step `map`: which classes of the device's egress obey PFC, and which DSCPs are theirs. In each of
// eight windows one class is stopped, and a frame of each DSCP sent: those of that class are late.
// PCPs are told in the same way, by eight frames with a tag.
#include "int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wire/pfc.h"

#define DSCPS  64
#define PCPS   8
#define LONG_Q 60000 // quanta of one XOFF of a window, at most
#define TRIES  3
// The same where loops are long, and the maps by which one word outweighs the other.
#define ROUGH_TRIES 9
#define ROUGH_LEAD  3

struct map {
	bool pcp;   // of PCPs; else of DSCPs
	unsigned n; // of them
	tstamp w;   // the wait of the last windows: our loops may become longer behind them
	tstamp hold, window;
	int8_t votes[PKT_CLASSES][DSCPS];    // maps in which it was late, less the others
	tstamp late[PKT_CLASSES + 1][DSCPS]; // latency by window; TSTAMP_NEVER: it never came
	uint64_t of[PKT_CLASSES];            // bitmap: which are of a class
	uint8_t obeys, doubted;              // bitmaps of classes
};

// XOFF for `hold` from `at` on; cls PKT_CLASSES: PAUSE.
static void add_pause(struct probe *p, unsigned cls, tstamp at, tstamp hold)
{
	const tstamp longest = LONG_Q * p->quantum;
	unsigned n = (unsigned)((hold + longest - 1) / longest);
	struct tester_item i;

	// If several XOFF make up a hold, each is a little longer than its share. So none runs out
	// before the next one comes.
	i = probe_pfc(cls < PKT_CLASSES ? (uint8_t)(1u << cls) : 1,
		(unsigned)(hold / n / p->quantum) + (n > 1 ? 30 : 1));
	if (cls == PKT_CLASSES) {
		i.opcode = MACCTL_PAUSE;
		i.pfc.quanta[0] = (uint16_t)(hold / n / p->quantum + (n > 1 ? 30 : 1));
	}
	i.at = at;
	i.count = n;
	i.gap = hold / n;
	probe_add(p, p->cfg->out[0], i);
}

static void set_waits(const struct probe *p, struct map *m)
{
	const tstamp burst = m->n * probe_wire(p, PROBE_SHORT);

	m->w = probe_w(p);
	m->hold = probe_tb(p) + burst + 3 * m->w;
	m->window = m->hold + burst + 2 * probe_tb(p);
}

static void add_window(struct probe *p, const struct map *m, unsigned cls, tstamp at)
{
	struct tester_item i = probe_data(p, p->cfg->in[0], p->cfg->out[0], 0, m->n);

	add_pause(p, cls, at, m->hold);
	i.at = at + probe_tb(p);
	i.len = PROBE_SHORT;
	i.tos = ECN_ECT0;
	if (!m->pcp) {
		i.tos_step = 4;
		probe_add(p, p->cfg->in[0], i);
		return;
	}
	i.count = 1;
	for (i.pcp = 0; i.pcp < PCPS; i.pcp++) {
		probe_add(p, p->cfg->in[0], i);
		i.at += probe_wire(p, PROBE_SHORT);
	}
}

// The latency of each frame; number k is the DSCP or PCP k modulo m->n of window k / m->n from
// `first` on.
static void read_latency(
	const struct probe *p, const struct lab_sight *sight, struct map *m, unsigned first)
{
	const uint16_t source = PROBE_SOURCE(p->cfg->in[0], 0);
	const struct lab_seen *s = &sight->port[p->cfg->in[0]];
	const struct lab_seen *r = &sight->port[p->cfg->out[0]];
	tstamp sent[PKT_CLASSES * DSCPS] = {0};
	const unsigned n = first == PKT_CLASSES ? m->n : PKT_CLASSES * m->n;

	for (unsigned k = 0; k < n; k++)
		m->late[first + k / m->n][k % m->n] = TSTAMP_NEVER;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct tester_seen *e = &s->entry[i];

		if (e->sent && e->frame == TESTER_OURS && e->source == source && e->number < n)
			sent[e->number] = e->at;
	}
	for (uint32_t i = 0; i < r->n; i++) {
		const struct tester_seen *e = &r->entry[i];

		if (!e->sent && e->frame == TESTER_OURS && e->source == source && e->number < n)
			m->late[first + e->number / m->n][e->number % m->n] =
				tstamp_since(e->at, sent[e->number]);
	}
}

// The latency of a frame that nobody holds up: the least of its DSCP's or PCP's.
static tstamp usual(const struct map *m, unsigned k)
{
	tstamp least = TSTAMP_NEVER;

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		least = tstamp_min(least, m->late[c][k]);
	return least;
}

static bool is_late(const struct map *m, unsigned window, unsigned k)
{
	return m->late[window][k] != TSTAMP_NEVER && m->late[window][k] > usual(m, k) + m->w;
}

// A map that says that the frame of a DSCP or PCP was late in a window outweighs one that says that
// it was not. Where loops are long, a device that is away for a moment makes any frame late, or in
// time.
static int lead(const struct probe *p)
{
	return probe_is_rough(p) ? ROUGH_LEAD : 1;
}

static void vote(struct map *m)
{
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		for (unsigned k = 0; k < m->n; k++)
			m->votes[c][k] += is_late(m, c, k) ? 1 : -1;
}

// Notes which are of which class by the maps so far. Returns the classes of which they do not tell
// it yet.
static uint8_t judge(const struct probe *p, struct map *m)
{
	uint8_t doubted = 0;

	m->obeys = 0;
	memset(m->of, 0, sizeof(m->of));
	for (unsigned k = 0; k < m->n; k++) {
		uint8_t late = 0;

		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			late |= (uint8_t)((m->votes[c][k] >= lead(p)) << c);
			doubted |= (uint8_t)((abs(m->votes[c][k]) < lead(p)) << c);
		}
		if (!late)
			continue;
		if (late & (late - 1)) {
			doubted |= late;
			continue;
		}
		m->obeys |= late;
		m->of[__builtin_ctz(late)] |= 1ull << k;
	}
	return doubted;
}

static int windows(struct probe *p, struct map *m, const char **why)
{
	struct lab_sight sight;
	int rc;

	probe_list_new(p, "map");
	set_waits(p, m);
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		add_window(p, m, c, c * m->window);
	p->list.step.tail = m->window;
	rc = probe_do(p, &sight, why);
	if (rc && rc != -EAGAIN)
		return rc;
	read_latency(p, &sight, m, 0);
	return 0;
}

// A ninth window, of PAUSE.
static int try_pause(struct probe *p, struct map *m)
{
	int votes = 0;

	for (unsigned try = 0; abs(votes) < lead(p) && try < ROUGH_TRIES; try++) {
		struct lab_sight sight;
		const char *why;
		unsigned late = 0;
		int rc;

		probe_list_new(p, "map");
		set_waits(p, m);
		add_window(p, m, PKT_CLASSES, 0);
		p->list.step.tail = m->window;
		rc = probe_do(p, &sight, &why);
		if (rc && rc != -EAGAIN)
			return rc;
		read_latency(p, &sight, m, PKT_CLASSES);
		for (unsigned k = 0; k < m->n; k++)
			late += is_late(m, PKT_CLASSES, k);
		votes += late > m->n / 2 ? 1 : -1;
	}
	p->obeys_pause = votes >= lead(p);
	return 0;
}

// Maps until the votes tell all classes. `why`: not to trust them.
static int find_map(struct probe *p, struct map *m, const char **why)
{
	const unsigned tries = probe_is_rough(p) ? ROUGH_TRIES : TRIES;

	m->doubted = 0xff;
	for (unsigned try = 0; m->doubted && try < tries; try++) {
		int rc = windows(p, m, why);

		if (rc)
			return rc;
		vote(m);
		m->doubted = judge(p, m);
	}
	return 0;
}

// How many DSCPs or PCPs a class has, and whether the one that was told is among them.
static void write_set(struct probe *p, unsigned cls, enum probe_figure fig, uint64_t set,
	unsigned told, const char *why)
{
	if (!set)
		return;
	found_is(p->found, cls, fig, (double)__builtin_popcountll(set), 0);
	if (told < DSCPS && !(set >> told & 1))
		p->found->f[cls][fig].why = why;
}

static void write_figures(struct probe *p, uint8_t doubted, const char *why)
{
	const struct probe_cfg *cfg = p->cfg;

	p->obeys &= (uint8_t)~doubted;
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		bool obeys = p->obeys >> c & 1;

		if (doubted >> c & 1) {
			found_state(p->found, c, PROBE_OBEYS, FOUND_INVALID, 0,
				"maps differ: the device, or our loops, were irregular");
			continue;
		}
		found_is(p->found, c, PROBE_OBEYS, obeys ? 1 : p->obeys_pause ? 2 : 0, 0);
		p->found->f[c][PROBE_OBEYS].why = why;
		if (!obeys)
			continue;
		write_set(p, c, PROBE_DSCPS, p->found->dscps[c], cfg->dscp[c],
			"the DSCP that was told is not of it");
		write_set(p, c, PROBE_PCPS, p->found->pcps[c],
			cfg->pcp[c] == TESTER_UNTAGGED ? DSCPS : cfg->pcp[c],
			"the PCP that was told is not of it");
	}
}

// By DSCPs, by PCPs, or by both.
int probe_map(struct probe *p)
{
	struct map m = {0};
	uint8_t doubted = 0;
	const char *why = NULL;
	int rc = 0;

	p->obeys = 0;
	for (unsigned pcp = p->cfg->by_pcp; !rc && pcp <= p->cfg->map_pcp; pcp++) {
		m = (struct map){.pcp = pcp, .n = pcp ? PCPS : DSCPS};
		rc = find_map(p, &m, &why);
		p->obeys |= m.obeys;
		doubted |= m.doubted;
		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			if (pcp)
				p->found->pcps[c] = (uint8_t)m.of[c];
			else
				p->found->dscps[c] = m.of[c];
		}
	}
	if (!rc && !p->obeys)
		rc = try_pause(p, &m);
	if (rc)
		return rc;
	p->inside = 0;
	write_figures(p, probe_is_rough(p) ? doubted : 0, why);
	return 0;
}
