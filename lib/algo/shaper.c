// SPDX-License-Identifier: BSD-3-Clause
// Shapers: the token buckets of a port and its classes, and the frames that they hold back or push.
#include "algo/shaper.h"

#include "base/hint.h"

#include <errno.h>

static int bucket_init(struct shaper_cfg *cfg, struct shaper_bucket *b, rate_t rate,
	const struct shaper_params *params)
{
	uint32_t burst = params->burst_bytes;

	if (!rate)
		return 0;
	if (rate < RATE_MIN || burst < 64)
		return -EINVAL;
	b->ps = rate_byte_ps(rate);
	b->burst_ps = (tstamp)((unsigned __int128)b->ps * burst >> 20);
	b->burst_ps = tstamp_max(b->burst_ps, params->least_ps);
	cfg->on = true;
	return 0;
}

int shaper_cfg_init(struct shaper_cfg *cfg, const struct shaper_params *params)
{
	struct shaper_cfg c = {.wire_extra = params->wire_extra};
	int rc = bucket_init(&c, &c.port, params->port, params);

	for (unsigned i = 0; !rc && i < PKT_CLASSES; i++) {
		rc = bucket_init(&c, &c.max[i], params->max[i], params);
		if (!rc)
			rc = bucket_init(&c, &c.min[i], params->min[i], params);
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

// Works out which classes the buckets hold at `now`, and when that changes. The port's bucket holds
// all classes; a class with a maximum of its own may be held longer.
void shaper_look(struct shaper *s, tstamp now)
{
	const struct shaper_cfg *c = s->cfg;
	tstamp port = c->port.ps ? tokens_at(&c->port, s->port_full) : 0;

	s->all = port > now;
	s->own = s->first = 0;
	s->next = port > now && c->has_max != 0xff ? port : TSTAMP_NEVER;
	for (unsigned left = c->has_max; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);
		tstamp own = tokens_at(&c->max[i], s->max_full[i]), at = tstamp_max(own, port);

		s->own |= (uint8_t)((own > now) << i);
		if (at > now)
			s->next = tstamp_min(s->next, at);
	}
	s->held = s->all ? 0xff : s->own;
	for (unsigned left = c->has_min; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);

		if (tokens_at(&c->min[i], s->min_full[i]) <= now)
			s->first |= (uint8_t)(1u << i);
	}
}

// The instant at which a bucket is full at its new rate.
static tstamp full_at(
	const struct shaper_bucket *was, const struct shaper_bucket *is, tstamp full, tstamp now)
{
	if (!was->ps || !is->ps || full <= now)
		return 0;
	return now + (tstamp)((unsigned __int128)(full - now) * is->ps / was->ps);
}

void shaper_adopt(struct shaper *s, struct shaper_cfg *cfg, const struct shaper_cfg *to, tstamp now)
{
	s->port_full = full_at(&cfg->port, &to->port, s->port_full, now);
	for (unsigned i = 0; i < PKT_CLASSES; i++) {
		s->max_full[i] = full_at(&cfg->max[i], &to->max[i], s->max_full[i], now);
		s->min_full[i] = full_at(&cfg->min[i], &to->min[i], s->min_full[i], now);
	}
	*cfg = *to;
	s->wait_for_port = s->wait_for_own = 0;
	shaper_look(s, now);
}

// Returns for how long (ps) a bucket has been full although frames of this class could leave:
// shaped time that nobody used.
static tstamp lost_to(const struct shaper *s, unsigned cls, tstamp now)
{
	const struct shaper_cfg *c = s->cfg;
	tstamp full = TSTAMP_NEVER, ready = tstamp_max(tokens_at(&c->port, s->port_full),
					    tokens_at(&c->max[cls], s->max_full[cls]));

	if (s->wait_for_port >> cls & 1)
		full = s->port_full;
	if (s->wait_for_own >> cls & 1)
		full = tstamp_min(full, s->max_full[cls]);
	return tstamp_since(now, tstamp_max(full, ready));
}

void shaper_asked(struct shaper *s, uint8_t may, tstamp now)
{
	tstamp lost = 0;

	for (unsigned left = (s->wait_for_port | s->wait_for_own) & may; left; left &= left - 1)
		lost = tstamp_max(lost, lost_to(s, (unsigned)__builtin_ctz(left), now));
	s->lost_ps += lost;
}

void shaper_left(struct shaper *s, uint8_t have)
{
	s->wait_for_port = s->all ? have : 0;
	s->wait_for_own = have & s->own;
}

// Frames of some classes (bitmap) have left at the instant of the last look. While the port and
// these have tokens yet, nothing else can have changed than that they have had their guarantees.
INLINE void look_again(struct shaper *s, unsigned classes, tstamp now)
{
	const struct shaper_cfg *c = s->cfg;
	bool out = tokens_at(&c->port, s->port_full) > now;

	for (unsigned left = classes & c->has_max; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);

		out |= tokens_at(&c->max[i], s->max_full[i]) > now;
	}
	for (unsigned left = classes & s->first; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);
		unsigned has_had = tokens_at(&c->min[i], s->min_full[i]) > now;

		s->first &= (uint8_t) ~(has_had << i);
	}
	if (UNLIKELY(out))
		shaper_look(s, now);
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
	look_again(s, 1u << cls, now);
}

// Sets a gate for frames to pass. `on`: there is such a bucket, and it applies.
INLINE void set_gate(
	struct rate_gate *g, const struct shaper_bucket *b, bool on, tstamp full, tstamp now)
{
	if (on)
		*g = (struct rate_gate){b->ps, tstamp_max(full, now), tstamp_add(now, b->burst_ps)};
	else
		*g = (struct rate_gate){0, now, TSTAMP_NEVER};
}

INLINE void set_own_gates(
	const struct shaper *s, unsigned cls, struct rate_gate *maximum, tstamp now)
{
	const struct shaper_cfg *c = s->cfg;

	set_gate(maximum, &c->max[cls], c->has_max >> cls & 1, s->max_full[cls], now);
	set_gate(maximum + 1, &c->min[cls], s->first >> cls & 1, s->min_full[cls], now);
}

void shaper_gates(const struct shaper *s, unsigned classes, struct rate_gate *port,
	shaper_own_gates own[PKT_CLASSES], tstamp now)
{
	set_gate(port, &s->cfg->port, s->cfg->port.ps != 0, s->port_full, now);
	for (unsigned left = classes; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);

		set_own_gates(s, c, own[c], now);
	}
}

void shaper_passed(struct shaper *s, unsigned classes, const struct rate_gate *port,
	shaper_own_gates own[PKT_CLASSES], tstamp now)
{
	if (s->cfg->port.ps)
		s->port_full = port->at;
	for (unsigned left = classes & s->cfg->has_max; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);

		s->max_full[c] = own[c][0].at;
	}
	for (unsigned left = classes & s->first; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);

		s->min_full[c] = own[c][1].at;
	}
	look_again(s, classes, now);
}
