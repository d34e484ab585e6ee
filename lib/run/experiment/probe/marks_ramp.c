// SPDX-License-Identifier: BSD-3-Clause
// Ramps: a queue is filled while the egress is in XOFF, and released. Each frame of the ramp meets
// another length. Lengths are counts of frames, so they do not depend on a clock.
#include "marks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hint.h"
#include "wire/pkt.h"

#define IDLE    6 // times 2^exponent frames pass between ramps, so that 1/400 of an average is left
#define LEAK    2 // frames that may come out before the release
#define SLOWEST 4 // times the time of a frame
#define TRIES   3 // where loops are long

static int has_room(struct marks *k, size_t frames, unsigned ramps)
{
	if (frames > k->ce_room) {
		bool *more = realloc(k->ce, frames * sizeof(*more));

		if (!more)
			return -ENOMEM;
		k->ce = more;
		k->ce_room = frames;
	}
	if (ramps > k->n_ramps) {
		struct marks_ramp *more = realloc(k->ramp, ramps * sizeof(*more));

		if (!more)
			return -ENOMEM;
		k->ramp = more;
	}
	k->n_ramps = ramps;
	return 0;
}

// The input that sends with this source; `inputs`: none.
static unsigned input_of(const struct marks *k, const struct tester_seen *e)
{
	unsigned i = 0;

	while (i < k->inputs && e->source != PROBE_SOURCE(k->p->cfg->in[i], 0))
		i++;
	return i;
}

static bool is_release(const struct marks *k, const struct lab_seen *s, const struct tester_seen *e)
{
	return e->sent && e->frame == TESTER_CONTROL && !lab_control(s, e)->pfc.quanta[k->cls];
}

// Sorts the frames that came by ramps. `share`: frames of an input in a ramp.
static void read_ramps(struct marks *k, const struct lab_seen *s, uint32_t share)
{
	const size_t each = (size_t)share * k->inputs;
	unsigned released = 0;

	for (unsigned r = 0; r < k->n_ramps; r++)
		k->ramp[r] = (struct marks_ramp){.ce = k->ce + r * each};
	for (uint32_t i = 0; i < s->n; i++) {
		const struct tester_seen *e = &s->entry[i];
		struct marks_ramp *r;

		released += is_release(k, s, e);
		if (e->sent || e->frame != TESTER_OURS || input_of(k, e) == k->inputs ||
			e->number / share >= k->n_ramps)
			continue;
		r = &k->ramp[e->number / share];
		r->leak += released <= e->number / share;
		if (r->n < each)
			r->ce[r->n++] = (e->tos & 3) == ECN_CE;
		k->used++;
	}
}

// What releases say of the last ramps.
enum ramps_were { RAMPS_RIGHT, RAMPS_LATE, RAMPS_LEAKED };

// Whether the device held the first ramp until its release. Where loops are long, any ramp may have
// leaked: those that did do not count, and at least one has to.
static bool have_leaked(struct marks *k)
{
	unsigned right = 0;

	if (!probe_is_rough(k->p))
		return k->ramp[0].leak > LEAK;
	for (unsigned r = 0; r < k->n_ramps; r++)
		if (k->ramp[r].leak > LEAK)
			k->ramp[r].n = 0;
		else
			right++;
	return !right;
}

// Whether each port had sent its part of each ramp when its release left, and whether the device
// held them until then.
static enum ramps_were judge_ramps(struct marks *k, const struct lab_sight *sight, uint32_t share)
{
	const struct lab_seen *out = &sight->port[k->p->cfg->out[0]];
	unsigned r = 0;

	if (have_leaked(k))
		return RAMPS_LEAKED;
	for (uint32_t i = 0; i < out->n && r < k->n_ramps; i++) {
		const struct tester_seen *e = &out->entry[i];

		if (!is_release(k, out, e))
			continue;
		r++;
		for (unsigned p = 0; p < k->inputs; p++)
			if (lab_sent(&sight->port[k->p->cfg->in[p]],
				    PROBE_SOURCE(k->p->cfg->in[p], 0), e->at) < r * share)
				return RAMPS_LATE;
	}
	return RAMPS_RIGHT;
}

static tstamp idle_time(const struct marks *k)
{
	return k->idle ? (IDLE << k->idle) * probe_wire(k->p, k->p->unit) : 0;
}

tstamp marks_ramp_time(const struct marks *k, uint32_t frames)
{
	return probe_tb(k->p) + 3 * probe_w(k->p) + probe_more(k->p) + idle_time(k) +
	       (1 + k->slow) * frames * probe_wire(k->p, k->p->unit);
}

// Lists the ramps, each of which begins when an average is nearly 0 again.
static void list_ramps(struct marks *k, uint32_t share, unsigned ramps, unsigned ecn)
{
	struct probe *p = k->p;
	const tstamp wire = probe_wire(p, p->unit);
	const tstamp idle = idle_time(k);
	tstamp at = 0;

	probe_list_new(p, "marks");
	for (unsigned r = 0; r < ramps; r++)
		at = idle + probe_ramp(p, k->cls, share * k->inputs, k->inputs, ecn, k->slow, at);
	p->list.step.tail =
		2 * probe_w(p) + p->transit + share * k->inputs * wire + probe_tb(p) + idle;
	p->list.step.room = share * k->inputs * ramps + 4096;
}

// Ramps that no line explains, on a clock whose loops are longer than a frame.
const char marks_irregular[] = "ramps differ: the device, or our loops, were irregular";

int marks_ramps(struct marks *k, uint32_t frames, unsigned ramps, unsigned ecn)
{
	const uint32_t share = (frames + k->inputs - 1) / k->inputs;
	const bool rough = probe_is_rough(k->p);
	unsigned tries = rough ? TRIES : 1;
	enum ramps_were were = RAMPS_LATE;
	struct lab_sight sight;
	int rc = has_room(k, (size_t)share * k->inputs * ramps, ramps);

	while (!rc && (were == RAMPS_LATE || (were == RAMPS_LEAKED && tries))) {
		list_ramps(k, share, ramps, ecn);
		rc = probe_do(k->p, &sight, &k->why);
		if (rc == -EAGAIN && k->why == probe_late)
			rc = 0; // the counts hold all the same
		if (rc)
			return rc;
		read_ramps(k, &sight.port[k->p->cfg->out[0]], share);
		were = judge_ramps(k, &sight, share);
		if (were == RAMPS_LATE && (k->slow *= 2) > SLOWEST) {
			k->why = "our sender was late";
			return -EAGAIN;
		}
		tries -= were == RAMPS_LEAKED;
	}
	if (!rc && were == RAMPS_LEAKED) {
		k->why = rough ? marks_irregular : "its egress does not obey XOFF of this class";
		return rough ? -EAGAIN : -ENOMSG;
	}
	return rc;
}

static int has_lengths(struct marks *k, uint32_t lengths)
{
	uint32_t *frames, *marked;

	if (lengths <= k->lengths)
		return 0;
	frames = realloc(k->frames, lengths * sizeof(*frames));
	k->frames = frames ? frames : k->frames;
	marked = realloc(k->marked, lengths * sizeof(*marked));
	k->marked = marked ? marked : k->marked;
	if (!frames || !marked)
		return -ENOMEM;
	memset(frames + k->lengths, 0, (lengths - k->lengths) * sizeof(*frames));
	memset(marked + k->lengths, 0, (lengths - k->lengths) * sizeof(*marked));
	k->lengths = lengths;
	return 0;
}

uint32_t marks_length(const struct marks *k, uint32_t j, uint32_t n)
{
	if (k->exponent)
		return (uint32_t)(marks_average(k->exponent, k->dequeue ? n : j + 1) + .5);
	return k->dequeue ? n - j : j + 1;
}

int marks_count(struct marks *k)
{
	for (unsigned r = 0; r < k->n_ramps; r++) {
		const struct marks_ramp *of = &k->ramp[r];

		if (has_lengths(k, of->n + 1))
			return -ENOMEM;
		for (uint32_t j = 0; j < of->n; j++) {
			uint32_t q = marks_length(k, j, of->n);

			k->frames[q]++;
			k->marked[q] += of->ce[j];
		}
	}
	return 0;
}

uint32_t marks_unmarked(const struct marks *k)
{
	uint32_t q = k->lengths;

	while (q-- > 1)
		if (k->marked[q] < k->frames[q])
			return q;
	return 0;
}

void marks_free(struct marks *k)
{
	free(k->ramp);
	free(k->ce);
	free(k->frames);
	free(k->marked);
}
