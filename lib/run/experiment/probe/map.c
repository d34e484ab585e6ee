// SPDX-License-Identifier: BSD-3-Clause
// Step `map`: which classes of the device's egress obey PFC, and which DSCPs are theirs. In each of
// eight windows one class is stopped, and a frame of each DSCP sent: those of that class are late.
#include "int.h"

#include <errno.h>
#include <string.h>

#include "wire/pfc.h"

#define DSCPS  64
#define LONG_Q 60000 // quanta of one XOFF of a window, at most
#define TRIES  3

struct map {
	tstamp hold, window;
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

static bool is_late(const struct probe *p, const struct map *m, unsigned window, unsigned dscp)
{
	return m->late[window][dscp] != TSTAMP_NEVER &&
	       m->late[window][dscp] > usual(m, dscp) + probe_w(p);
}

// Notes which DSCPs are of which class; whether one was late in two windows.
static bool judge(struct probe *p, const struct map *m)
{
	bool doubtful = false;

	p->obeys = 0;
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		p->found->dscps[c] = 0;
	for (unsigned d = 0; d < DSCPS; d++) {
		unsigned n = 0, cls = 0;

		for (unsigned c = 0; c < PKT_CLASSES; c++)
			if (is_late(p, m, c, d)) {
				cls = c;
				n++;
			}
		doubtful |= n > 1;
		if (n != 1)
			continue;
		p->obeys |= (uint8_t)(1u << cls);
		p->found->dscps[cls] |= 1ull << d;
	}
	return doubtful;
}

static int windows(struct probe *p, struct map *m, const char **why)
{
	struct lab_sight sight;
	int rc;

	probe_list_new(p, "map");
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
	struct lab_sight sight;
	const char *why;
	unsigned late = 0;
	int rc;

	probe_list_new(p, "map");
	add_window(p, m, PKT_CLASSES, 0);
	p->list.step.tail = m->window;
	rc = probe_do(p, &sight, &why);
	if (rc && rc != -EAGAIN)
		return rc;
	read_latency(p, &sight, m, PKT_CLASSES);
	for (unsigned d = 0; d < DSCPS; d++)
		late += is_late(p, m, PKT_CLASSES, d);
	p->obeys_pause = late > DSCPS / 2;
	return 0;
}

// Classes of which the last map says something else than the one before, and keeps it in `before`.
static uint8_t differs(const struct probe *p, uint64_t before[PKT_CLASSES])
{
	uint8_t classes = 0;

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		classes |= (uint8_t)((before[c] != p->found->dscps[c]) << c);
	memcpy(before, p->found->dscps, sizeof(p->found->dscps));
	return classes;
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
	const tstamp burst = DSCPS * probe_wire(p, PROBE_SHORT);
	struct map m = {.hold = probe_tb(p) + burst + 3 * probe_w(p)};
	uint64_t before[PKT_CLASSES] = {~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull, ~0ull};
	uint8_t doubted = 0;
	const char *why = NULL;
	int rc = 0;

	m.window = m.hold + burst + 2 * probe_tb(p);
	for (unsigned try = 0; !rc && try < TRIES; try++) {
		rc = windows(p, &m, &why);
		if (rc || judge(p, &m))
			continue;
		// A class that is away in its window looks like one that does not obey.
		doubted = probe_is_rough(p) ? differs(p, before) : 0;
		if (!doubted)
			break;
	}
	if (!rc && !p->obeys)
		rc = try_pause(p, &m);
	if (rc)
		return rc;
	p->inside = 0;
	write_figures(p, doubted, why);
	return 0;
}
