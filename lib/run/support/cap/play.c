// SPDX-License-Identifier: BSD-3-Clause
// A capture as it is to be sent: frames in rounds, padded and rewritten, with their instants.
#include "play.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "join.h"
#include "wire/eth.h"
#include "wire/pkt.h"

struct cap_play {
	struct cap_play_params p;
	struct cap_join *in;
	struct rewrite_rule *rule; // with their hits
	struct cap_seen seen;
	uint64_t round;                       // that is being read, from 0
	uint64_t in_round, first_ns, last_ns; // of both sides
	tstamp base, last; // of the round's first frame; of the last frame of both sides
	tstamp took;       // of the first round, once it is read
	uint8_t bytes[PKT_MAX_LEN];
};

int cap_play_open(struct cap_play **out, const struct cap_play_params *params, struct err *err)
{
	struct cap_play *p = calloc(1, sizeof(*p));
	int rc = 0;

	if (!p)
		return err_set(err, -ENOMEM, "%s: no memory", params->path[0]);
	p->p = *params;
	if (params->n_rules) {
		p->rule = malloc(params->n_rules * sizeof(*p->rule));
		if (!p->rule)
			rc = err_set(err, -ENOMEM, "%s: no memory", params->path[0]);
		else
			memcpy(p->rule, params->rule, params->n_rules * sizeof(*p->rule));
	}
	for (unsigned i = 0; !rc && i < params->n_rules; i++)
		p->rule[i].hits = 0;
	if (!rc)
		rc = cap_join_open(&p->in, params->path, params->n_paths, err);
	if (rc) {
		cap_play_close(p);
		return rc;
	}
	*out = p;
	return 0;
}

// Whether a frame of the file is sent, with how many bytes.
static bool to_send(struct cap_play *p, const struct cap_frame *f, unsigned *len)
{
	bool cut = f->len < f->wire_len;

	p->seen.cut += cut || !f->len;
	if (!f->len || (cut && !p->p.pad))
		return false;
	*len = cut ? f->wire_len : f->len;
	if (*len <= PKT_MAX_LEN)
		return true;
	p->seen.oversized++;
	return false;
}

// Returns the bytes to send of a frame, in the file's window, or in a copy if the frame is filled
// up or rewritten. *len: their number.
static const uint8_t *sent_bytes(struct cap_play *p, const struct cap_frame *f, unsigned *len)
{
	if (!p->p.n_rules && *len == f->len)
		return f->bytes;
	memcpy(p->bytes, f->bytes, f->len);
	memset(p->bytes + f->len, 0, *len - f->len);
	if (*len > f->len)
		rewrite_seal(p->bytes, *len, f->len);
	*len = rewrite_frame(p->rule, p->p.n_rules, p->bytes, *len, sizeof(p->bytes));
	return p->bytes;
}

// An instant or a span in ps, which tstamp may not hold.
typedef unsigned __int128 wide_ps;

// ps of `n` at `per_s`, cut down.
static wide_ps span_of(uint64_t n, uint64_t per_s)
{
	return (wide_ps)n * PS_PER_S / per_s;
}

// Instant of the next frame, as recorded `ns` since 1970, before it is counted.
static wide_ps instant_of(struct cap_play *p, uint64_t ns)
{
	switch (p->p.pace) {
	case CAP_FRAMES:
		return span_of(p->seen.all_frames, p->p.frames_per_s);
	case CAP_BITS:
		return span_of(p->seen.all_wire_bytes * 8, p->p.rate);
	case CAP_TOP:
		return 0;
	default:
		break;
	}
	if (!p->in_round) {
		p->first_ns = p->last_ns = ns;
		p->base = p->round ? tstamp_add(p->last, p->p.gap) : 0;
	}
	if (ns < p->last_ns) {
		if (!p->seen.backwards++)
			p->seen.first_backwards = p->seen.read;
		ns = p->last_ns;
	}
	p->last_ns = ns;
	return p->base + (wide_ps)(ns - p->first_ns) * PS_PER_NS * CAP_SPEED_ONE / p->p.speed;
}

static int none_to_send(const struct cap_play *p, struct err *err)
{
	return err_set(err, -EINVAL,
		"%s: none of its frames can be sent, %llu in all: they were cut by the capture's "
		"snap length%s, or have over %d bytes",
		p->p.path[0], (unsigned long long)p->seen.read,
		p->p.pad ? "" : " (`cut: pad` fills them up)", PKT_MAX_LEN);
}

// Ends a round and goes back to the start of the file.
static int again(struct cap_play *p, struct err *err)
{
	if (!p->in_round)
		return none_to_send(p, err);
	if (!p->round++)
		p->took = p->last;
	p->in_round = 0;
	return p->round == p->p.loops ? 0 : cap_join_rewind(p->in, err);
}

// The next frame of either side that can be sent, with its length. 0: the last round has ended.
static int next_frame(struct cap_play *p, struct cap_frame *f, unsigned *len, struct err *err)
{
	while (p->round < p->p.loops) {
		int got = cap_join_next(p->in, f, err);

		if (got < 0)
			return got;
		if (!got) {
			got = again(p, err);
			if (got)
				return got;
			continue;
		}
		p->seen.read++;
		if (to_send(p, f, len))
			return 1;
	}
	return 0;
}

static int too_late(const struct cap_play *p, wide_ps at, struct err *err)
{
	if (p->round)
		return 0;
	return err_set(err, -ERANGE,
		"%s: frame %llu comes %llu s after the first; 18446744 s (2^64 ps) are the most",
		p->p.path[0], (unsigned long long)p->seen.read,
		(unsigned long long)(at / PS_PER_S));
}

int cap_play_next(struct cap_play *p, struct replay_frame *f, struct err *err)
{
	struct cap_frame from;
	unsigned len = 0, wire;
	bool ours;
	wide_ps at;

	do {
		int got = next_frame(p, &from, &len, err);

		if (got != 1)
			return got;
		at = instant_of(p, from.ns);
		if (at >= TSTAMP_NEVER)
			return too_late(p, at, err);
		ours = !p->p.split || cap_split_side(p->p.split, from.bytes, from.len) == p->p.side;
		// The bytes of the other side count too, as they are after rewriting.
		*f = (struct replay_frame){.at = (tstamp)at, .bytes = sent_bytes(p, &from, &len)};
		wire = (len < PKT_MIN_LEN ? PKT_MIN_LEN : len) + PKT_WIRE;
		p->last = (tstamp)at;
		p->in_round++;
		p->seen.all_frames++;
		p->seen.all_wire_bytes += wire;
	} while (!ours);
	f->len = (uint16_t)len;
	p->seen.frames++;
	p->seen.wire_bytes += wire;
	return 1;
}

const struct cap_seen *cap_play_seen(const struct cap_play *p)
{
	return &p->seen;
}

uint64_t cap_play_hits(const struct cap_play *p, unsigned rule)
{
	return p->rule[rule].hits;
}

tstamp cap_play_took(const struct cap_play *p)
{
	return p->took;
}

void cap_play_close(struct cap_play *p)
{
	if (!p)
		return;
	cap_join_close(p->in);
	free(p->rule);
	free(p);
}
