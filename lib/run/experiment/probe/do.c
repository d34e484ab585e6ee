// SPDX-License-Identifier: BSD-3-Clause
// Steps of the lab as a probe does them: they are repeated where our own ports were at fault, and
// the device is emptied in between.
#include "int.h"

#include <errno.h>

#define TRIES   3
#define KEPT    .98  // of the frames that were due
#define STRANGE .001 // frames of others that a step bears
// Waits for frames of ours that stay in the device, which may not answer for some seconds. Each
// wait is longer than the wait before by LONGER.
#define EMPTYING 8
#define LONGER   (200 * PS_PER_MS)

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
const char probe_sender_late[] = "our sender was late";
static const char link_lost[] = "a link was lost";
static const char frames_lost[] = "our own ports lost frames";
static const char no_room[] = "our own ports had no room for frames";

static const char *what_is_wrong(const struct probe *p, const struct lab_sight *sight)
{
	if (sight->down)
		return link_lost;
	if (sight->cut)
		return "the step took too long";
	if (sight->lost)
		return frames_lost;
	if (sight->unseen)
		return no_room;
	if (p->list.whole_rate && sight->kept < KEPT)
		return "our senders did not reach the rate";
	if (sight->late > probe_w(p))
		return probe_sender_late;
	return sight->gap_longest > probe_w(p) ? probe_late : NULL;
}

// The ports that the data frames of this step's list of a port go to, as a bitmap.
static uint64_t receivers(const struct lab_list *l)
{
	uint64_t to = 0;

	for (unsigned i = 0; i < l->n; i++)
		if (l->item[i].kind == TESTER_DATA)
			to |= 1ull << l->item[i].to;
	return to;
}

// Whether frames of this step came to a port that they were not for.
static bool is_flooded(const struct lab_step *step, const struct lab_sight *sight, unsigned ports)
{
	uint64_t to[TESTER_PORTS];

	for (unsigned k = 0; k < ports; k++)
		to[k] = receivers(&step->port[k]);
	for (unsigned k = 0; k < ports; k++)
		for (uint32_t i = 0; i < sight->port[k].n; i++) {
			const struct tester_seen *e = &sight->port[k].entry[i];

			if (!e->sent && e->frame == TESTER_OURS &&
				!(to[e->source % TESTER_PORTS] >> k & 1))
				return true;
		}
	return false;
}

static const char *what_befell(const struct probe *p, const struct lab_sight *sight)
{
	if (sight->down)
		return link_lost;
	if (sight->lost || sight->unseen)
		return sight->lost ? frames_lost : no_room;
	if (found_value(p->found, PROBE_DEVICE, PROBE_FORWARDS) == 1 &&
		is_flooded(&p->list.step, sight, p->lab->ports))
		return "the device had forgotten our addresses";
	return NULL;
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
	if (!p->fault)
		p->fault = what_befell(p, sight);
	return 0;
}

int probe_do(struct probe *p, struct lab_sight *sight, const char **why)
{
	const char *before = p->fault;
	struct probe_list kept;
	int rc = 0;

	for (unsigned try = 0; try < TRIES; try++) {
		p->fault = before; // that of the last try counts
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
	if (*why == frames_lost || *why == no_room) {
		p->spoilt = *why;
		p->fault = before;
	}
	return -EAGAIN;
}

#define PING  63 // number of the source of the single frames
#define TEACH 62 // of the frames by which the device learns addresses

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
			i.at = at;
			i.len = PROBE_SHORT;
			i.source = PROBE_SOURCE(from, PING);
			probe_add(p, from, i);
			n++;
		}
	return n;
}

// Each other port sends a frame to the first, whereby a device that has forgotten all learns again.
static void add_teaching(struct probe *p, tstamp at)
{
	const unsigned to = p->cfg->in[0];

	for (unsigned k = 0; k < p->lab->ports; k++) {
		struct tester_item i = probe_data(p, k, to, 0, 1);

		if (probe_dscp(p, 0) == PROBE_NO_DSCP)
			i.tos = ECN_ECT0;
		i.at = at;
		i.len = PROBE_SHORT;
		i.source = PROBE_SOURCE(k, TEACH);
		if (k != to)
			probe_add(p, k, i);
	}
}

// Single frames of the last lists that came until `until`, also late ones of the lists before.
static unsigned pings_came(const struct probe *p, const struct lab_sight *sight, tstamp until)
{
	unsigned came = 0;

	for (unsigned k = 0; k < p->cfg->n_out; k++) {
		const struct lab_seen *s = &sight->port[p->cfg->out[k]];

		for (uint32_t i = 0; i < s->n && s->entry[i].at <= until; i++)
			came += !s->entry[i].sent &&
				(s->entry[i].frame == TESTER_OURS ||
					(s->entry[i].frame == TESTER_EARLIER &&
						until == TSTAMP_NEVER)) &&
				s->entry[i].source == PROBE_SOURCE(p->cfg->in[0], PING);
	}
	return came;
}

// Until when single frames must have come, so that none of them is later than a frame that is
// alone.
static tstamp alone_until(
	const struct probe *p, const struct lab_sight *sight, unsigned n, tstamp at)
{
	return at + sight->late + p->transit + n * probe_wire(p, PROBE_SHORT) +
	       2 * p->lab->port[p->cfg->in[0]].cable + probe_w(p);
}

static const char lost_alone[] = "the device lost frames that nothing stopped";

int probe_clear(struct probe *p)
{
	const char *before = p->fault, *why;
	unsigned sent = 0, came = 0;
	struct lab_sight sight;
	int rc;

	for (unsigned try = 0; try < EMPTYING; try++) {
		tstamp at = p->inside + probe_release_time(p);
		unsigned n;

		probe_list_new(p, "empty");
		for (unsigned k = 0; k < p->cfg->n_out; k++)
			if (p->held)
				probe_add(p, p->cfg->out[k], probe_release(p->held, 0));
		n = add_pings(p, at);
		add_teaching(p, at + probe_w(p));
		p->list.step.tail = 2 * probe_w(p) + try * LONGER;
		rc = probe_once(p, &sight, &why);
		if (rc)
			return rc;
		if (sight.down || sight.lost || sight.unseen)
			p->fault = before; // it has measured nothing
		else
			sent += n;
		came += pings_came(p, &sight, TSTAMP_NEVER);
		if (pings_came(p, &sight, alone_until(p, &sight, n, at)) >= n) {
			if (came < sent && !p->fault)
				p->fault = lost_alone;
			p->held = 0;
			p->inside = 0;
			return 0;
		}
	}
	return -EAGAIN;
}
