// SPDX-License-Identifier: BSD-3-Clause
// A capture as it is to be sent: frames in rounds, padded and rewritten, with their instants.
#include "play.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "in.h"
#include "wire/eth.h"
#include "wire/pkt.h"

struct cap_play {
	struct cap_play_params p;
	struct cap_in *in;
	struct rewrite_rule *rule; // with their hits
	struct cap_seen seen;
	uint64_t round; // that is being read, from 0
	uint64_t in_round, first_ns, last_ns;
	tstamp base, last; // of the round's first frame; of the last frame given
	uint8_t bytes[PKT_MAX_LEN];
};

int cap_play_open(struct cap_play **out, const struct cap_play_params *params, struct err *err)
{
	struct cap_play *p = calloc(1, sizeof(*p));
	int rc = 0;

	if (!p)
		return err_set(err, -ENOMEM, "%s: no memory", params->path);
	p->p = *params;
	if (params->n_rules) {
		p->rule = malloc(params->n_rules * sizeof(*p->rule));
		if (!p->rule)
			rc = err_set(err, -ENOMEM, "%s: no memory", params->path);
		else
			memcpy(p->rule, params->rule, params->n_rules * sizeof(*p->rule));
	}
	for (unsigned i = 0; !rc && i < params->n_rules; i++)
		p->rule[i].hits = 0;
	if (!rc)
		rc = cap_in_open(&p->in, params->path, err);
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

// Its bytes, where they stand in the file or here.
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

static tstamp tstamp_of(wide_ps ps)
{
	return ps < TSTAMP_NEVER ? (tstamp)ps : TSTAMP_NEVER;
}

// Instant of the next frame, as recorded `ns` since 1970, before it is counted.
static wide_ps instant_of(struct cap_play *p, uint64_t ns)
{
	switch (p->p.pace) {
	case CAP_FRAMES:
		return span_of(p->seen.frames, p->p.frames_per_s);
	case CAP_BITS:
		return span_of(p->seen.wire_bytes * 8, p->p.rate);
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
		p->p.path, (unsigned long long)p->seen.read,
		p->p.pad ? "" : " (`cut: pad` fills them up)", PKT_MAX_LEN);
}

// At the end of a round: the file from its start.
static int again(struct cap_play *p, struct err *err)
{
	if (!p->in_round)
		return none_to_send(p, err);
	p->round++;
	p->in_round = 0;
	if (p->round == p->p.loops || cap_in_rewind(p->in))
		return 0;
	cap_in_close(p->in);
	p->in = NULL;
	return cap_in_open(&p->in, p->p.path, err);
}

int cap_play_next(struct cap_play *p, struct replay_frame *f, struct err *err)
{
	struct cap_frame from;
	unsigned len;
	wide_ps at;

	do {
		int got = p->round < p->p.loops ? cap_in_next(p->in, &from, err) : 0;

		if (got < 0)
			return got;
		if (!got) {
			if (p->round < p->p.loops)
				got = again(p, err);
			if (got || p->round == p->p.loops)
				return got;
			continue;
		}
		p->seen.read++;
		if (to_send(p, &from, &len))
			break;
	} while (true);
	at = instant_of(p, from.ns);
	if (at >= TSTAMP_NEVER && p->round)
		return 0;
	if (at >= TSTAMP_NEVER)
		return err_set(err, -ERANGE,
			"%s: frame %llu comes %llu s after the first; 18446744 s (2^64 ps) are the "
			"most",
			p->p.path, (unsigned long long)p->seen.read,
			(unsigned long long)(at / PS_PER_S));
	*f = (struct replay_frame){.at = (tstamp)at, .bytes = sent_bytes(p, &from, &len)};
	f->len = (uint16_t)len;
	p->last = (tstamp)at;
	p->in_round++;
	p->seen.frames++;
	p->seen.wire_bytes += (len < PKT_MIN_LEN ? PKT_MIN_LEN : len) + PKT_WIRE;
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

void cap_play_close(struct cap_play *p)
{
	if (!p)
		return;
	cap_in_close(p->in);
	free(p->rule);
	free(p);
}

#define MARKS (1u << 20) // the most: 8 MB

// Every other one is enough from here on.
static void thin_out(struct cap_scan *s)
{
	for (uint32_t i = 0; i < s->n_marks / 2; i++)
		s->mark[i] = s->mark[2 * i];
	s->n_marks /= 2;
	s->mark_step *= 2;
}

// The instants ascend, so that the last one is `took`.
static int add_mark(struct cap_scan *s, uint64_t frame, tstamp at)
{
	if (frame % s->mark_step)
		return 0;
	if (s->n_marks == MARKS)
		thin_out(s);
	if (frame % s->mark_step)
		return 0;
	if (s->n_marks >= 64 ? !(s->n_marks & (s->n_marks - 1)) : !s->n_marks) {
		size_t n = s->n_marks ? 2ul * s->n_marks : 64;
		tstamp *more = realloc(s->mark, (n + 1) * sizeof(*more));

		if (!more)
			return -ENOMEM;
		s->mark = more;
	}
	s->mark[s->n_marks++] = at;
	return 0;
}

// The last mark is the last frame's.
static void end_marks(struct cap_scan *s)
{
	if (s->n_marks && (s->seen.frames - 1) % s->mark_step)
		s->mark[s->n_marks++] = s->took;
}

// From the last frame to the first of the next round.
static tstamp gap_of(const struct cap_scan *s, const struct cap_play_params *p)
{
	switch (p->pace) {
	case CAP_FRAMES:
		return tstamp_of(span_of(s->seen.frames, p->frames_per_s)) - s->took;
	case CAP_BITS:
		return tstamp_of(span_of(s->seen.wire_bytes * 8, p->rate)) - s->took;
	case CAP_TOP:
		return 0;
	default:
		return p->gap;
	}
}

static bool is_macctl(const struct replay_frame *f)
{
	return f->len >= 16 && get_be16(f->bytes + 12) == ETH_P_MAC_CONTROL;
}

static int scan_round(struct cap_scan *s, struct cap_play *p, struct err *err)
{
	struct replay_frame f;
	uint64_t n = 0;
	int got;

	while ((got = cap_play_next(p, &f, err)) == 1) {
		s->longest = f.len > s->longest ? f.len : s->longest;
		s->took = f.at;
		if (!s->first_macctl && is_macctl(&f))
			s->first_macctl = cap_play_seen(p)->read;
		if (p->p.pace != CAP_TOP && add_mark(s, n, f.at))
			return err_set(err, -ENOMEM, "%s: no memory", p->p.path);
		n++;
	}
	return got;
}

int cap_scan(struct cap_scan *s, const struct cap_play_params *params, struct err *err)
{
	struct cap_play_params once = *params;
	struct cap_play *p = NULL;
	int rc;

	*s = (struct cap_scan){.mark_step = 1};
	once.loops = 1;
	rc = cap_play_open(&p, &once, err);
	if (rc)
		return rc;
	rc = scan_round(s, p, err);
	s->seen = *cap_play_seen(p);
	s->hits = calloc(params->n_rules + 1ul, sizeof(*s->hits));
	if (!rc && !s->hits)
		rc = err_set(err, -ENOMEM, "%s: no memory", params->path);
	for (unsigned i = 0; !rc && i < params->n_rules; i++)
		s->hits[i] = cap_play_hits(p, i);
	end_marks(s);
	s->gap = gap_of(s, params);
	cap_play_close(p);
	if (rc)
		cap_scan_free(s);
	return rc;
}

void cap_scan_free(struct cap_scan *s)
{
	free(s->hits);
	free(s->mark);
	*s = (struct cap_scan){0};
}
