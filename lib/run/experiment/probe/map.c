// SPDX-License-Identifier: BSD-3-Clause
// Step `map`: which classes of the device's egress obey PFC, and which DSCPs are theirs. In each of
// eight windows one class is stopped, and a frame of each DSCP sent: those of that class are late.
#include "int.h"

#include <errno.h>
#include <stdlib.h>

#include "wire/pfc.h"

#define DSCPS  64
#define LONG_Q 60000 // quanta of one XOFF of a window, at most
#define TRIES  3
// The same where loops are long, and the maps by which one word outweighs the other.
#define ROUGH_TRIES 9
#define ROUGH_LEAD  3

struct map {
	tstamp w; // the wait of the last windows: our loops may become longer behind them
	tstamp hold, window;
	int8_t votes[PKT_CLASSES][DSCPS];    // maps in which it was late, less the others
	tstamp late[PKT_CLASSES + 1][DSCPS]; // latency by window; TSTAMP_NEVER: it never came
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
	const tstamp burst = DSCPS * probe_wire(p, PROBE_SHORT);

	m->w = probe_w(p);
	m->hold = probe_tb(p) + burst + 3 * m->w;
	m->window = m->hold + burst + 2 * probe_tb(p);
}

static void add_window(struct probe *p, const struct map *m, unsigned cls, tstamp at)
{
	struct tester_item i = probe_data(p, p->cfg->in[0], p->cfg->out[0], 0, DSCPS);

	add_pause(p, cls, at, m->hold);
	i.at = at + probe_tb(p);
	i.len = PROBE_SHORT;
	i.tos = ECN_ECT0;
	i.tos_step = 4;
	probe_add(p, p->cfg->in[0], i);
}

// The latency of each frame; number k is the DSCP k modulo 64 of window k / 64 from `first` on.
static void read_latency(
	const struct probe *p, const struct lab_sight *sight, struct map *m, unsigned first)
{
	const uint16_t source = PROBE_SOURCE(p->cfg->in[0], 0);
	const struct lab_seen *s = &sight->port[p->cfg->in[0]];
	const struct lab_seen *r = &sight->port[p->cfg->out[0]];
	tstamp sent[PKT_CLASSES * DSCPS] = {0};
	const unsigned n = first == PKT_CLASSES ? DSCPS : PKT_CLASSES * DSCPS;

	for (unsigned k = 0; k < n; k++)
		m->late[first + k / DSCPS][k % DSCPS] = TSTAMP_NEVER;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct tester_seen *e = &s->entry[i];

		if (e->sent && e->frame == TESTER_OURS && e->source == source && e->number < n)
			sent[e->number] = e->at;
	}
	for (uint32_t i = 0; i < r->n; i++) {
		const struct tester_seen *e = &r->entry[i];

		if (!e->sent && e->frame == TESTER_OURS && e->source == source && e->number < n)
			m->late[first + e->number / DSCPS][e->number % DSCPS] =
				tstamp_since(e->at, sent[e->number]);
	}
}

// The latency of a frame that nobody holds up: the least of its DSCP's.
static tstamp usual(const struct map *m, unsigned dscp)
{
	tstamp least = TSTAMP_NEVER;

	for (unsigned k = 0; k < PKT_CLASSES; k++)
		least = tstamp_min(least, m->late[k][dscp]);
	return least;
}

static bool is_late(const struct map *m, unsigned window, unsigned dscp)
{
	return m->late[window][dscp] != TSTAMP_NEVER &&
	       m->late[window][dscp] > usual(m, dscp) + m->w;
}

// A map that says that the frame of a DSCP was late in a window outweighs one that says that it was
// not. Where loops are long, a device that is away for a moment makes any frame late, or in time.
static int lead(const struct probe *p)
{
	return probe_is_rough(p) ? ROUGH_LEAD : 1;
}

// A frame that was lost says nothing, unless all frames of its DSCP are dropped.
static void vote(struct map *m)
{
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		for (unsigned d = 0; d < DSCPS; d++)
			if (m->late[c][d] != TSTAMP_NEVER || usual(m, d) == TSTAMP_NEVER)
				m->votes[c][d] += is_late(m, c, d) ? 1 : -1;
}

// Notes which DSCPs are of which class by the maps so far. Returns the classes of which they do not
// tell it yet.
static uint8_t judge(struct probe *p, const struct map *m)
{
	uint8_t doubted = 0;

	p->obeys = 0;
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		p->found->dscps[c] = 0;
	for (unsigned d = 0; d < DSCPS; d++) {
		uint8_t late = 0;

		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			late |= (uint8_t)((m->votes[c][d] >= lead(p)) << c);
			doubted |= (uint8_t)((abs(m->votes[c][d]) < lead(p)) << c);
		}
		if (!late)
			continue;
		if (late & (late - 1)) {
			doubted |= late;
			continue;
		}
		p->obeys |= late;
		p->found->dscps[__builtin_ctz(late)] |= 1ull << d;
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
		for (unsigned d = 0; d < DSCPS; d++)
			late += is_late(m, PKT_CLASSES, d);
		votes += late > DSCPS / 2 ? 1 : -1;
	}
	p->obeys_pause = votes >= lead(p);
	return 0;
}

static void write_figures(struct probe *p, uint8_t doubted, const char *why)
{
	p->obeys &= (uint8_t)~doubted;
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		bool obeys = p->obeys >> c & 1;
		struct found *f = &p->found->f[c][PROBE_OBEYS];

		if (doubted >> c & 1) {
			found_state(p->found, c, PROBE_OBEYS, FOUND_INVALID, 0,
				"maps differ: the device, or our loops, were irregular");
			continue;
		}
		found_is(p->found, c, PROBE_OBEYS, obeys ? 1 : p->obeys_pause ? 2 : 0, 0);
		f->why = why;
		if (!obeys)
			continue;
		found_is(p->found, c, PROBE_DSCPS, (double)__builtin_popcountll(p->found->dscps[c]),
			0);
		if (p->cfg->dscp[c] != PROBE_NO_DSCP &&
			!(p->found->dscps[c] >> p->cfg->dscp[c] & 1))
			p->found->f[c][PROBE_DSCPS].why = "the DSCP that was told is not of it";
	}
}

int probe_map(struct probe *p)
{
	struct map m = {0};
	uint8_t doubted = 0xff;
	const char *why = NULL;
	int rc = 0;

	for (unsigned try = 0; doubted && try < (probe_is_rough(p) ? ROUGH_TRIES : TRIES); try++) {
		rc = windows(p, &m, &why);
		if (rc)
			return rc;
		vote(&m);
		doubted = judge(p, &m);
	}
	if (!p->obeys)
		rc = try_pause(p, &m);
	if (rc)
		return rc;
	write_figures(p, probe_is_rough(p) ? doubted : 0, why);
	return 0;
}
