// SPDX-License-Identifier: BSD-3-Clause
// Steps of the lab as a probe does them: they are repeated where our own ports were at fault, and
// the device is emptied in between.
#include "int.h"

#include <errno.h>

#define TRIES    3
#define KEPT     .98  // of the frames that were due
#define STRANGE  .001 // frames of others that a step bears
#define EMPTYING 3    // waits for frames of ours that stay in the device
// The same on the real clock, where a device may not answer for some seconds. Each wait is longer
// than the wait before by LONGER.
#define EMPTYING_REAL 8
#define LONGER        (200 * PS_PER_MS)

// Wire time of the data frames that our ports sent (or got) in a step.
static uint64_t wire_of(const struct probe *p, const struct lab_sight *sight, bool sent)
{
	uint64_t bytes = 0;

	for (unsigned k = 0; k < p->lab->ports; k++)
		for (uint32_t i = 0; i < sight->port[k].n; i++) {
			const struct tester_seen *e = &sight->port[k].entry[i];

			if (e->sent == sent &&
				(e->frame == TESTER_OURS || e->frame == TESTER_EARLIER))
				bytes += e->len + PKT_WIRE;
		}
	return (uint64_t)(((unsigned __int128)bytes * p->ps) >> 20);
}

// The share of frames that were others'.
static double strange_share(const struct probe *p, const struct lab_sight *sight)
{
	uint64_t all = 0, strange = 0;

	for (unsigned k = 0; k < p->lab->ports; k++) {
		all += sight->port[k].n;
		for (uint32_t i = 0; i < sight->port[k].n; i++)
			strange += sight->port[k].entry[i].frame == TESTER_OTHER;
	}
	return all ? (double)strange / (double)all : 0;
}

// The classes that a hold of this step's lists still stops when the step is over.
static void note_holds(struct probe *p, const struct lab_step *step)
{
	for (unsigned k = 0; k < p->lab->ports; k++)
		for (unsigned i = 0; i < step->port[k].n; i++) {
			const struct tester_item *item = &step->port[k].item[i];

			if (item->kind == TESTER_HOLD)
				p->held |= item->pfc.enable;
		}
}

const char probe_late[] = "our own loops were late";

static const char *what_is_wrong(const struct probe *p, const struct lab_sight *sight)
{
	if (sight->down)
		return "a link was lost";
	if (sight->cut)
		return "the step took too long";
	if (sight->lost)
		return "our own ports lost frames";
	if (sight->unseen)
		return "our own ports had no room for frames";
	if (p->list.whole_rate && sight->kept < KEPT)
		return "our senders did not reach the rate";
	if (sight->late > probe_w(p))
		return "our sender was late";
	return sight->gap_longest > probe_w(p) ? probe_late : NULL;
}

int probe_once(struct probe *p, struct lab_sight *sight, const char **why)
{
	uint64_t in, out;
	int rc;

	*why = NULL;
	if (p->list.no_memory)
		return err_set(p->err, -ENOMEM, "%s: no memory for its lists", p->list.step.name);
	note_holds(p, &p->list.step);
	rc = lab_do(p->lab, &p->list.step, sight, p->err);
	if (rc)
		return rc;
	in = wire_of(p, sight, true);
	out = wire_of(p, sight, false);
	p->inside = p->inside + in > out ? p->inside + in - out : 0;
	p->others |= strange_share(p, sight) > STRANGE;
	*why = what_is_wrong(p, sight);
	return 0;
}

int probe_do(struct probe *p, struct lab_sight *sight, const char **why)
{
	struct probe_list kept;
	int rc = 0;

	for (unsigned try = 0; try < TRIES; try++) {
		if (try) {
			kept = p->list; // its lists stay as they are
			p->list = (struct probe_list){0};
			rc = probe_clear(p);
			probe_list_free(p);
			p->list = kept;
		}
		if (rc && rc != -EAGAIN)
			return rc;
		rc = probe_once(p, sight, why);
		if (rc || !*why)
			return rc;
	}
	return -EAGAIN;
}

#define PING 63 // number of the source of the single frames

// Puts a single frame of each held class to each port of `out` into the lists, all of one source.
// Returns how many.
static unsigned add_pings(struct probe *p, tstamp at)
{
	uint8_t classes = p->held ? p->held : 1;
	unsigned from = p->cfg->in[0], n = 0;

	for (unsigned k = 0; k < p->cfg->n_out; k++)
		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			struct tester_item i = probe_data(p, from, p->cfg->out[k], c, 1);

			if (!(classes >> c & 1) || p->cfg->out[k] == from)
				continue;
			if (probe_dscp(p, c) == PROBE_NO_DSCP)
				i.tos = ECN_ECT0;
			i.at = at;
			i.len = PROBE_SHORT;
			i.source = PROBE_SOURCE(from, PING);
			probe_add(p, from, i);
			n++;
		}
	return n;
}

// Whether all single frames came, and none later than a frame that is alone.
static bool pings_came(const struct probe *p, const struct lab_sight *sight, unsigned n, tstamp at)
{
	const tstamp alone = p->transit + n * probe_wire(p, PROBE_SHORT) +
			     2 * p->lab->port[p->cfg->in[0]].cable + probe_w(p);
	unsigned came = 0;

	for (unsigned k = 0; k < p->cfg->n_out; k++) {
		const struct lab_seen *s = &sight->port[p->cfg->out[k]];

		for (uint32_t i = 0; i < s->n; i++)
			came += !s->entry[i].sent && s->entry[i].frame == TESTER_OURS &&
				s->entry[i].source == PROBE_SOURCE(p->cfg->in[0], PING) &&
				s->entry[i].at <= at + sight->late + alone;
	}
	return came >= n;
}

int probe_clear(struct probe *p)
{
	const unsigned tries = p->lab->gap ? EMPTYING_REAL : EMPTYING;
	struct lab_sight sight;
	const char *why;
	int rc;

	for (unsigned try = 0; try < tries; try++) {
		tstamp at = p->inside + p->transit + 2 * probe_w(p);
		unsigned n;

		probe_list_new(p, "empty");
		for (unsigned k = 0; k < p->cfg->n_out; k++)
			if (p->held)
				probe_add(p, p->cfg->out[k], probe_release(p->held, 0));
		n = add_pings(p, at);
		p->list.step.tail = 2 * probe_w(p) + (p->lab->gap ? try * LONGER : 0);
		rc = probe_once(p, &sight, &why);
		if (rc)
			return rc;
		if (pings_came(p, &sight, n, at)) {
			p->held = 0;
			p->inside = 0;
			return 0;
		}
	}
	return -EAGAIN;
}
