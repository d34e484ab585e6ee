// SPDX-License-Identifier: BSD-3-Clause
// Open-loop source: its schedule in whole bursts, the sizes drawn, the sequence numbers.
#include "gen.h"

#include <errno.h>

#include "base/fixed.h"
#include "frame/frame.h"

// The next frame is due at `at`, or is held.
static void due_at(struct gen *g, tstamp at)
{
	bool held = at >= g->until;

	g->next = held ? TSTAMP_NEVER : at;
	g->held = held ? at : TSTAMP_NEVER;
}

int gen_init(struct gen *g, const struct gen_params *params)
{
	if (!params->hdr || params->min_len < PKT_MIN_LEN || params->min_len > params->max_len ||
		params->min_len < frame_gen_min_len(params->hdr) || params->max_len > PKT_MAX_LEN)
		return -EINVAL;
	if (params->rate < RATE_MIN || !params->burst || params->burst > UINT16_MAX ||
		params->cls >= PKT_CLASSES)
		return -EINVAL;

	*g = (struct gen){.p = *params, .ps = rate_byte_ps(params->rate), .until = params->stop};
	due_at(g, params->start);
	prng_init(&g->rng, params->seed, params->name);
	return 0;
}

uint64_t gen_frames_within(const struct gen_params *params, tstamp span)
{
	tstamp frame = rate_time(rate_byte_ps(params->rate), params->min_len + PKT_WIRE);

	return span / (frame ? frame : 1) + 1 + params->burst;
}

static bool gen_is_done(const struct gen *g)
{
	return g->p.count && g->tx_frames >= g->p.count;
}

// next += owed * 8 / rate, the fraction of a ps kept.
static void end_burst(struct gen *g)
{
	unsigned __int128 ps = (unsigned __int128)g->owed_bytes * g->ps + g->frac;

	g->next = tstamp_add(g->next, (tstamp)(ps >> 20));
	g->frac = (uint32_t)ps & ((1u << 20) - 1);
	g->owed_bytes = 0;
	g->in_burst = 0;
}

void gen_next(struct gen *g, struct pkt *p, tstamp now)
{
	uint16_t len = g->p.min_len;

	if (g->p.max_len > len)
		len += (uint16_t)prng_below(&g->rng, g->p.max_len - len + 1u);
	*p = (struct pkt){
		.hdr = g->p.hdr,
		.when = now,
		.born = now,
		.len = len,
		.kind = PKT_GEN,
		.tos = g->p.tos,
		.cls = g->p.cls,
		.in_port = PKT_NO_PORT,
		.u.gen = {.seq = (uint32_t)g->tx_frames,
			.source = g->p.source,
			.stamped = g->p.stamped},
	};
	g->tx_frames++;
	g->tx_bytes += len + PKT_FCS;
	g->owed_bytes += len + PKT_WIRE;
	if (++g->in_burst >= g->p.burst)
		end_burst(g);
	if (g->next >= g->until || gen_is_done(g))
		due_at(g, gen_is_done(g) ? TSTAMP_NEVER : g->next);
}

void gen_slip(struct gen *g, tstamp now)
{
	if (g->in_burst || g->next >= now)
		return;
	g->slipped_ps += now - g->next;
	due_at(g, now);
}

void gen_adopt(struct gen *g, const struct gen_params *to, tstamp now)
{
	byte_ps ps = rate_byte_ps(to->rate);

	if (g->tx_frames && !g->in_burst && g->next != TSTAMP_NEVER && g->next > now) {
		g->next = tstamp_add(now, fixed_muldiv(g->next - now, ps, g->ps));
		if (g->next >= g->p.stop)
			g->next = TSTAMP_NEVER;
	}
	g->ps = ps;
	g->p.rate = to->rate;
	g->p.min_len = to->min_len;
	g->p.max_len = to->max_len;
	g->p.burst = to->burst;
}

void gen_start(struct gen *g, tstamp now)
{
	if (gen_is_done(g) || now >= g->p.stop)
		return;
	if (!g->stopped && (g->tx_frames || g->next <= now))
		return;
	g->stopped = false;
	due_at(g, now);
}

void gen_stop(struct gen *g)
{
	g->stopped = true;
	due_at(g, TSTAMP_NEVER);
	g->owed_bytes = 0;
	g->in_burst = 0;
}

void gen_until(struct gen *g, tstamp until, tstamp now)
{
	tstamp at = g->next != TSTAMP_NEVER ? g->next : tstamp_max(g->held, now);

	g->until = tstamp_min(g->p.stop, until);
	due_at(g, at);
}
