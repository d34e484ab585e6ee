// SPDX-License-Identifier: BSD-3-Clause
// Open-loop source: its schedule in whole bursts or by a list, the sizes drawn, the sequence
// numbers.
#include "gen.h"

#include <errno.h>

#include "base/fixed.h"
#include "frame/frame.h"
#include "wire/bth.h"

// The next frame is due at `at`, or is held.
static void due_at(struct gen *g, tstamp at)
{
	bool held = at >= g->until;

	g->next = held ? TSTAMP_NEVER : at;
	g->held = held ? at : TSTAMP_NEVER;
}

// Lengths of IMIX without FCS, spread so that no part of the order is much longer than another.
static const uint16_t imix_len[GEN_IMIX] = {
	60, 590, 60, 60, 590, 60, GEN_IMIX_MAX, 60, 590, 60, 60, 590};

uint32_t gen_dozen(const struct gen_params *params)
{
	uint32_t sum = 12 * PKT_WIRE;

	for (unsigned i = 0; params->imix && i < GEN_IMIX; i++)
		sum += imix_len[i];
	return params->imix ? sum : sum + 6 * ((uint32_t)params->min_len + params->max_len);
}

rate_t gen_rate_of(const struct gen_params *params, uint64_t frames_per_s)
{
	return (rate_t)((unsigned __int128)frames_per_s * gen_dozen(params) * 8 / 12);
}

// Returns the time of the unit that the rate counts (a frame, or a byte on the wire), ps in Q44.20.
static byte_ps unit_of(const struct gen_params *p)
{
	uint64_t f = p->frames_per_s;

	return f ? ((PS_PER_S << 20) + f / 2) / f : rate_byte_ps(p->rate);
}

// Returns the shortest frame, without FCS.
static uint16_t shortest(const struct gen_params *p)
{
	uint16_t len = p->item ? UINT16_MAX : p->min_len;

	for (unsigned i = 0; i < p->n_items; i++) {
		uint16_t is = p->item[i].min_len ? p->item[i].min_len : p->min_len;

		len = is < len ? is : len;
	}
	return len;
}

uint16_t gen_longest(const struct gen_params *params)
{
	uint16_t len = params->item ? 0 : params->max_len;

	for (unsigned i = 0; i < params->n_items; i++) {
		const struct gen_item *it = &params->item[i];
		uint16_t is = it->max_len ? it->max_len : params->max_len;

		len = is > len ? is : len;
	}
	return len;
}

tstamp gen_period(const struct gen_params *params)
{
	byte_ps unit = unit_of(params);

	return params->frames_per_s ? unit >> 20 : rate_time(unit, shortest(params) + PKT_WIRE);
}

static bool rate_is_right(const struct gen_params *p)
{
	return p->frames_per_s ? p->frames_per_s <= GEN_PPS_MAX : p->rate >= RATE_MIN;
}

// The byte's time at the mean rate, which may be below the least rate that is paced by bytes.
static byte_ps byte_of(const struct gen_params *p)
{
	return p->frames_per_s ? unit_of(p) * 12 / gen_dozen(p) : rate_byte_ps(p->rate);
}

static unsigned least_len(const struct gen_params *p)
{
	return p->roce.opcode ? p->roce.head : frame_gen_min_len(p->hdr);
}

static bool lengths_are_right(const struct gen_params *p, unsigned min, unsigned max)
{
	return min >= PKT_MIN_LEN && min <= max && min >= least_len(p) && max <= PKT_MAX_LEN;
}

static bool list_is_right(const struct gen_params *p)
{
	if (p->item && (!p->n_items || p->frames_per_s || p->burst != 1))
		return false;
	for (unsigned i = 0; i < p->n_items; i++) {
		const struct gen_item *it = &p->item[i];
		uint16_t most = it->max_len ? it->max_len : p->max_len;

		if (!it->count || (it->max_len && !lengths_are_right(p, it->min_len, it->max_len)))
			return false;
		if (it->gap && it->gap < rate_time(rate_byte_ps(p->rate), most + PKT_WIRE))
			return false;
	}
	return !p->tos_turn == !p->n_tos;
}

int gen_init(struct gen *g, const struct gen_params *params)
{
	if (!params->hdr || !lengths_are_right(params, params->min_len, params->max_len))
		return -EINVAL;
	if (params->imix && (params->min_len != GEN_IMIX_MIN || params->max_len != GEN_IMIX_MAX))
		return -EINVAL;
	if (!rate_is_right(params) || !params->burst || params->burst > UINT16_MAX ||
		params->cls >= PKT_CLASSES || !list_is_right(params))
		return -EINVAL;

	*g = (struct gen){.p = *params,
		.ps = byte_of(params),
		.unit_ps = unit_of(params),
		.special = params->imix || params->item || params->tos_turn,
		.until = params->stop};
	due_at(g, tstamp_add(params->start, params->item ? params->item->after : 0));
	prng_init(&g->rng, params->seed, params->name);
	return 0;
}

uint64_t gen_frames_within(const struct gen_params *params, tstamp span)
{
	tstamp frame = gen_period(params);

	return span / (frame ? frame : 1) + 1 + params->burst;
}

static bool gen_is_done(const struct gen *g)
{
	return g->p.count && g->tx_frames >= g->p.count;
}

// next += the time of the bytes or frames owed, the fraction of a ps kept.
static void end_burst(struct gen *g)
{
	unsigned __int128 ps = (unsigned __int128)g->owed * g->unit_ps + g->frac;

	g->next = tstamp_add(g->next, (tstamp)(ps >> 20));
	g->frac = (uint32_t)ps & ((1u << 20) - 1);
	g->owed = 0;
	g->in_burst = 0;
}

static uint16_t len_between(struct gen *g, uint16_t min, uint16_t max)
{
	return min + (max > min ? (uint16_t)prng_below(&g->rng, max - min + 1u) : 0);
}

// Goes on in the list behind the frame that leaves now. Frames without a gap follow each other as
// others do at the link's rate, and so does the first frame of each item.
static void step_list(struct gen *g)
{
	const struct gen_item *it = &g->p.item[g->item];
	tstamp more = it->gap;

	g->unit_ps = it->gap ? 0 : g->ps;
	if (++g->of_item >= it->count) {
		g->of_item = 0;
		g->item = (g->item + 1) % g->p.n_items;
		g->unit_ps = g->ps;
		more = g->p.item[g->item].after;
	}
	g->next = tstamp_add(g->next, more);
}

// The length of a frame of IMIX, of a list, or of one that has a DSCP of its own.
static uint16_t special_len(struct gen *g)
{
	const struct gen_item *it = g->p.item ? &g->p.item[g->item] : NULL;

	if (g->p.tos_turn)
		g->p.tos = g->p.tos_turn[g->tx_frames % g->p.n_tos];
	if (it)
		step_list(g);
	if (it && it->max_len)
		return len_between(g, it->min_len, it->max_len);
	return g->p.imix ? imix_len[g->tx_frames % GEN_IMIX]
			 : len_between(g, g->p.min_len, g->p.max_len);
}

static uint16_t next_len(struct gen *g)
{
	uint16_t len = g->p.min_len;

	if (g->special)
		len = special_len(g);
	else if (g->p.max_len > len)
		len += (uint16_t)prng_below(&g->rng, g->p.max_len - len + 1u);
	if (g->p.roce.opcode)
		len -= (len - g->p.roce.head) & 3;
	return len < PKT_MIN_LEN ? PKT_MIN_LEN : len;
}

// The frame's own fields: number and source, or the BTH's. PKT_MIN_LEN may have bytes behind the
// ICRC.
static void number_frame(const struct gen *g, struct pkt *p)
{
	const struct gen_roce *r = &g->p.roce;
	uint32_t seq = (uint32_t)g->tx_frames;

	if (!r->opcode) {
		p->kind = PKT_GEN;
		p->u.gen = (struct pkt_gen){
			.seq = seq, .source = g->p.source, .stamped = g->p.stamped};
		return;
	}
	p->kind = PKT_DATA;
	p->flags = PKT_F_FIRST | PKT_F_LAST;
	p->u.rc = (struct pkt_rc){.opcode = r->opcode,
		.psn = (r->psn + seq) & BTH_PSN_MASK,
		.qpn = r->qpn,
		.arg = g->p.source,
		.payload = (uint16_t)((p->len - r->head) & ~3u)};
}

void gen_next(struct gen *g, struct pkt *p, tstamp now)
{
	uint16_t len = next_len(g);

	*p = (struct pkt){
		.hdr = g->p.hdr,
		.when = now,
		.born = now,
		.len = len,
		.tos = g->p.tos,
		.cls = g->p.cls,
		.in_port = PKT_NO_PORT,
	};
	number_frame(g, p);
	g->tx_frames++;
	g->tx_bytes += len + PKT_FCS;
	g->owed += g->p.frames_per_s ? 1 : len + PKT_WIRE;
	if (++g->in_burst >= g->p.burst)
		end_burst(g);
	if (g->next >= g->until || gen_is_done(g))
		due_at(g, gen_is_done(g) ? TSTAMP_NEVER : g->next);
}

tstamp gen_end(const struct gen_params *params, rate_t line)
{
	byte_ps ps = rate_byte_ps(line);
	tstamp end = 0;
	struct pkt p;
	struct gen g;

	if (params->start == TSTAMP_NEVER || gen_init(&g, params))
		return TSTAMP_NEVER;
	for (unsigned i = 0; i <= GEN_FORESEEN; i++) {
		if (g.next == TSTAMP_NEVER)
			return end;
		end = tstamp_max(end, g.next);
		gen_next(&g, &p, g.next);
		end += rate_time(ps, p.len + PKT_WIRE);
	}
	return TSTAMP_NEVER;
}

void gen_slip(struct gen *g, tstamp now)
{
	if (g->in_burst || g->next >= now)
		return;
	g->slipped_ps += g->p.item ? 0 : now - g->next;
	due_at(g, now);
}

void gen_adopt(struct gen *g, const struct gen_params *to, tstamp now)
{
	byte_ps ps = byte_of(to);

	if (g->tx_frames && !g->in_burst && g->next != TSTAMP_NEVER && g->next > now) {
		g->next = tstamp_add(now, fixed_muldiv(g->next - now, ps, g->ps));
		if (g->next >= g->p.stop)
			g->next = TSTAMP_NEVER;
	}
	if (!to->frames_per_s != !g->p.frames_per_s)
		g->owed = to->frames_per_s ? g->in_burst : g->in_burst * gen_dozen(to) / 12;
	g->ps = ps;
	g->unit_ps = unit_of(to);
	g->p.rate = to->rate;
	g->p.frames_per_s = to->frames_per_s;
	g->p.imix = to->imix;
	g->p.min_len = to->min_len;
	g->p.max_len = to->max_len;
	g->p.burst = to->burst;
	g->special = to->imix || g->p.item || g->p.tos_turn;
}

void gen_wait(struct gen *g)
{
	due_at(g, TSTAMP_NEVER);
}

bool gen_has_ended(const struct gen *g)
{
	return gen_is_done(g) ||
	       (g->next == TSTAMP_NEVER && g->held != TSTAMP_NEVER && g->held >= g->p.stop);
}

bool gen_is_last(const struct gen *g, const struct pkt *p)
{
	uint32_t last = (uint32_t)(g->tx_frames - 1);

	return p->kind == PKT_GEN ? p->u.gen.seq == last
				  : p->u.rc.psn == ((g->p.roce.psn + last) & BTH_PSN_MASK);
}

void gen_start(struct gen *g, tstamp now)
{
	if (gen_is_done(g) || now >= g->p.stop)
		return;
	if (!g->stopped && (g->tx_frames || g->next <= now))
		return;
	// A list begins with the time before its first frame.
	if (g->p.item && !g->stopped)
		now = tstamp_add(now, g->p.item->after);
	g->stopped = false;
	due_at(g, now);
}

void gen_stop(struct gen *g)
{
	g->stopped = true;
	due_at(g, TSTAMP_NEVER);
	g->owed = 0;
	g->in_burst = 0;
}

void gen_until(struct gen *g, tstamp until, tstamp now)
{
	tstamp at = g->next != TSTAMP_NEVER ? g->next : tstamp_max(g->held, now);

	g->until = tstamp_min(g->p.stop, until);
	due_at(g, at);
}
