// SPDX-License-Identifier: BSD-3-Clause
// Step `self`: silence, in which our loops are timed and others are heard, and a frame from every
// port to every other one.
#include "int.h"

#include <errno.h>

#define SILENCE (200 * PS_PER_MS)
// Where our ports act at any instant, nobody waits for a slow talker either.
#define SILENCE_EXACT (10 * PS_PER_MS)
#define TRIES         3
#define ALONE         8 // frames by which the transit is measured
#define SECOND        1 // number of the sources of the second round
#define THIRD         2

static uint64_t others_in(const struct probe *p, const struct lab_sight *sight)
{
	uint64_t n = 0;

	for (unsigned k = 0; k < p->lab->ports; k++)
		for (uint32_t i = 0; i < sight->port[k].n; i++)
			n += sight->port[k].entry[i].frame == TESTER_OTHER;
	return n;
}

// On the real clock a device, too, may be later than the gaps of our own loops show.
static tstamp patience(const struct probe *p)
{
	return p->lab->gap ? SILENCE : SILENCE_EXACT;
}

static int silence(struct probe *p)
{
	struct lab_sight sight;
	const char *why;
	int rc;

	probe_list_new(p, "silence");
	p->list.step.tail = PS_PER_MS;
	rc = probe_once(p, &sight, &why);
	if (rc)
		return rc;
	probe_list_new(p, "silence");
	p->list.step.tail = patience(p);
	rc = probe_once(p, &sight, &why);
	if (!rc)
		found_is(p->found, PROBE_DEVICE, PROBE_OTHERS,
			(double)others_in(p, &sight) * (double)PS_PER_S /
				(double)(sight.took ? sight.took : 1),
			0);
	return rc;
}

// Each port sends a frame to each other one, one port after the other: at first for the device's
// table of addresses, then for us.
static void add_round(struct probe *p, unsigned source, tstamp at)
{
	for (unsigned a = 0; a < p->lab->ports; a++)
		for (unsigned b = 0; b < p->lab->ports; b++) {
			struct tester_item i = probe_data(p, a, b, 0, 1);

			if (a == b)
				continue;
			i.at = at + a * probe_w(p);
			i.source = PROBE_SOURCE(a, source + b);
			probe_add(p, a, i);
		}
}

// Whether a frame of the second round came to a port that it was not for.
static bool is_flooded(const struct probe *p, const struct lab_sight *sight)
{
	for (unsigned c = 0; c < p->lab->ports; c++)
		for (uint32_t i = 0; i < sight->port[c].n; i++) {
			const struct tester_seen *e = &sight->port[c].entry[i];
			unsigned from = e->source % TESTER_PORTS;
			unsigned of = e->source / TESTER_PORTS;

			if (!e->sent && e->frame == TESTER_OURS && c != from &&
				of / TESTER_PORTS == SECOND && of % TESTER_PORTS != c)
				return true;
		}
	return false;
}

static bool is_used(const unsigned *port, unsigned n, unsigned which)
{
	for (unsigned k = 0; k < n; k++)
		if (port[k] == which)
			return true;
	return false;
}

// 0, or -EIO with the pair that is not forwarded.
static int judge_pairs(struct probe *p, const struct lab_sight *sight)
{
	for (unsigned a = 0; a < p->lab->ports; a++)
		for (unsigned b = 0; b < p->lab->ports; b++) {
			unsigned source = PROBE_SOURCE(a, TESTER_PORTS * SECOND + b);

			if (a != b && is_used(p->cfg->in, p->cfg->n_in, a) &&
				is_used(p->cfg->out, p->cfg->n_out, b) &&
				!lab_came(&sight->port[b], source, TSTAMP_NEVER)) {
				found_is(p->found, PROBE_DEVICE, PROBE_FORWARDS, 0, 0);
				return err_set(p->err, -EIO,
					"the device does not forward frames from %s to %s: is the "
					"VLAN the same, and has it learnt their addresses?",
					p->lab->port[a].name, p->lab->port[b].name);
			}
		}
	found_is(p->found, PROBE_DEVICE, PROBE_FORWARDS, is_flooded(p, sight) ? 2 : 1, 0);
	return 0;
}

// From the first bit to the last, less the frame's time and both cables: the least of some frames.
static void find_transit(struct probe *p, const struct lab_sight *sight)
{
	const unsigned from = p->cfg->in[0], to = p->cfg->out[0];
	const tstamp rest =
		probe_wire(p, PROBE_SHORT) + p->lab->port[from].cable + p->lab->port[to].cable;
	const struct lab_seen *s = &sight->port[from], *r = &sight->port[to];
	const uint16_t source = PROBE_SOURCE(from, TESTER_PORTS * THIRD);
	tstamp least = TSTAMP_NEVER;
	uint32_t k = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		const struct tester_seen *e = &r->entry[i];

		if (e->sent || e->frame != TESTER_OURS || e->source != source)
			continue;
		while (k < s->n && !(s->entry[k].sent && s->entry[k].source == source &&
					   s->entry[k].frame == TESTER_OURS &&
					   s->entry[k].number == e->number))
			k++;
		if (k < s->n)
			least = tstamp_min(least, tstamp_since(e->at, s->entry[k].at + rest));
	}
	if (least == TSTAMP_NEVER)
		return;
	p->transit = least;
	found_is(p->found, PROBE_DEVICE, PROBE_TRANSIT, (double)least / PS_PER_US,
		(double)p->lab->gap / PS_PER_US);
}

// Two frames of each pair of ports, and some by themselves.
static int rounds(struct probe *p, struct lab_sight *sight)
{
	const tstamp round = p->lab->ports * probe_w(p);
	struct tester_item alone;
	const char *why;

	probe_list_new(p, "self");
	add_round(p, 0, 0);
	add_round(p, TESTER_PORTS * SECOND, round);
	alone = probe_data(p, p->cfg->in[0], p->cfg->out[0], 0, ALONE);
	alone.at = 2 * round;
	alone.gap = probe_w(p);
	alone.source = PROBE_SOURCE(p->cfg->in[0], TESTER_PORTS * THIRD);
	probe_add(p, p->cfg->in[0], alone);
	p->list.step.tail = tstamp_max(p->list.step.tail, patience(p));
	return probe_do(p, sight, &why);
}

int probe_self(struct probe *p)
{
	struct lab_sight sight;
	int rc = silence(p), rc_pairs = -EIO;

	// A device that starts just now forwards a little later.
	for (unsigned try = 0; !rc && rc_pairs && try < TRIES; try++) {
		rc = rounds(p, &sight);
		rc = rc == -EAGAIN ? 0 : rc;
		if (!rc)
			rc_pairs = judge_pairs(p, &sight);
	}
	if (rc || rc_pairs)
		return rc ? rc : rc_pairs;
	find_transit(p, &sight);
	p->inside = 0;
	return 0;
}
