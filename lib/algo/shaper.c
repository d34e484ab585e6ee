// SPDX-License-Identifier: BSD-3-Clause
// Shapers: token buckets of a port and its classes, and what they hold back or push.
#include "algo/shaper.h"

#include <errno.h>

static int bucket_init(struct shaper_cfg *cfg, struct shaper_bucket *b, rate_t rate, uint32_t burst)
{
	if (!rate)
		return 0;
	if (rate < RATE_MIN || burst < 64)
		return -EINVAL;
	b->ps = rate_byte_ps(rate);
	b->burst_ps = (tstamp)((unsigned __int128)b->ps * burst >> 20);
	cfg->on = true;
	return 0;
}

int shaper_cfg_init(struct shaper_cfg *cfg, const struct shaper_params *params)
{
	struct shaper_cfg c = {.wire_extra = params->wire_extra};
	int rc = bucket_init(&c, &c.port, params->port, params->burst_bytes);

	for (unsigned i = 0; !rc && i < PKT_CLASSES; i++) {
		rc = bucket_init(&c, &c.max[i], params->max[i], params->burst_bytes);
		if (!rc)
			rc = bucket_init(&c, &c.min[i], params->min[i], params->burst_bytes);
		c.has_max |= (uint8_t)((params->max[i] != 0) << i);
		c.has_min |= (uint8_t)((params->min[i] != 0) << i);
	}
	if (!rc)
		*cfg = c;
	return rc;
}

void shaper_init(struct shaper *s, const struct shaper_cfg *cfg)
{
	*s = (struct shaper){.cfg = cfg, .next = TSTAMP_NEVER};
	shaper_look(s, 0);
}

// The instant from which a bucket has tokens: full - burst.
static tstamp tokens_at(const struct shaper_bucket *b, tstamp full)
{
	return tstamp_since(full, b->burst_ps);
}

static void take_bucket(const struct shaper_bucket *b, tstamp *full, uint32_t bytes, tstamp now)
{
	*full = tstamp_max(*full, now) + rate_time(b->ps, bytes);
}

// The port holds all classes; one with a maximum of its own may be held longer.
void shaper_look(struct shaper *s, tstamp now)
{
	const struct shaper_cfg *c = s->cfg;
	tstamp port = c->port.ps ? tokens_at(&c->port, s->port_full) : 0;

	s->held = port > now ? 0xff : 0;
	s->first = 0;
	s->next = port > now && c->has_max != 0xff ? port : TSTAMP_NEVER;
	for (unsigned left = c->has_max; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);
		tstamp at = tstamp_max(tokens_at(&c->max[i], s->max_full[i]), port);

		if (at > now) {
			s->held |= (uint8_t)(1u << i);
			s->next = tstamp_min(s->next, at);
		}
	}
	for (unsigned left = c->has_min; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);

		if (tokens_at(&c->min[i], s->min_full[i]) <= now)
			s->first |= (uint8_t)(1u << i);
	}
}

void shaper_sent(struct shaper *s, unsigned cls, uint32_t len, tstamp now)
{
	const struct shaper_cfg *c = s->cfg;
	uint32_t bytes = len + c->wire_extra;

	if (c->port.ps)
		take_bucket(&c->port, &s->port_full, bytes, now);
	if (c->max[cls].ps)
		take_bucket(&c->max[cls], &s->max_full[cls], bytes, now);
	if (s->first >> cls & 1)
		take_bucket(&c->min[cls], &s->min_full[cls], bytes, now);
	shaper_look(s, now);
}

struct shaper_run shaper_fits(
	const struct shaper *s, unsigned cls, const struct pkt *p, unsigned max, tstamp now)
{
	const struct shaper_cfg *c = s->cfg;
	const struct shaper_bucket *own = &c->max[cls];
	struct shaper_run run = {
		0, tstamp_max(s->port_full, now), tstamp_max(s->max_full[cls], now)};
	uint32_t len = UINT32_MAX;
	tstamp port = 0, max_time = 0;

	do {
		if (p->len != len) { // most have the length of the one before
			len = p->len;
			port = rate_time(c->port.ps, len + c->wire_extra);
			max_time = rate_time(own->ps, len + c->wire_extra);
		}
		run.port_full += port;
		run.max_full += max_time;
		p = p->next;
		run.n++;
	} while (p && run.n < max && (!c->port.ps || tokens_at(&c->port, run.port_full) <= now) &&
		 (!own->ps || tokens_at(own, run.max_full) <= now));
	return run;
}

void shaper_sent_run(struct shaper *s, unsigned cls, const struct shaper_run *run, tstamp now)
{
	if (s->cfg->port.ps)
		s->port_full = run->port_full;
	if (s->cfg->max[cls].ps)
		s->max_full[cls] = run->max_full;
	shaper_look(s, now);
}
