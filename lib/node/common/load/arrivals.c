// SPDX-License-Identifier: BSD-3-Clause
// A stream of messages: its gaps, which do not drift, and the ends of each message.
#include "arrivals.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef unsigned __int128 wide;

#define LONGEST (1ull << 62) // of a mean on or off time

static bool kind_is_whole(const struct arrivals_cfg *c)
{
	wide longest;

	switch (c->kind) {
	case ARRIVALS_POISSON:
	case ARRIVALS_EVERY:
		return c->gap_q16;
	case ARRIVALS_ON_OFF:
		if (!c->ps_per_byte || !c->on || c->on >= LONGEST || c->off >= LONGEST)
			return false;
		longest = (wide)c->sizes->point[c->sizes->n - 1].value * c->ps_per_byte >> 20;
		return longest <= (wide)c->on * ARRIVALS_ONS;
	case ARRIVALS_CLOSED:
		return c->depth && c->to != ARRIVALS_INCAST;
	}
	return false;
}

static bool ends_are_whole(const struct arrivals_cfg *c)
{
	if (!c->n_peers)
		return false;
	switch (c->to) {
	case ARRIVALS_RANDOM:
	case ARRIVALS_IN_TURN:
		return true;
	case ARRIVALS_ONE:
		return c->n_peers == 1;
	case ARRIVALS_INCAST:
		return c->fan && c->fan <= c->n_peers;
	case ARRIVALS_RACK:
		return c->near <= c->n_peers && c->rack_q32 <= 1ull << 32 &&
		       (c->near || !c->rack_q32) &&
		       (c->near < c->n_peers || c->rack_q32 == 1ull << 32);
	}
	return false;
}

static void seed(struct prng *g, const struct arrivals_cfg *c, const char *what)
{
	char name[ARRIVALS_NAME + 16];

	snprintf(name, sizeof(name), "%s.%s", c->name, what);
	prng_init(g, c->seed, name);
}

// Adds the fraction of `at` to a time and keeps what is left of it; gives the whole picoseconds.
static tstamp whole_ps(struct arrivals *a, wide time_q16)
{
	wide ps = (time_q16 += a->frac) >> 16;

	a->frac = (uint32_t)time_q16 & 0xffff;
	return ps > TSTAMP_NEVER ? TSTAMP_NEVER : (tstamp)ps;
}

// The next message comes so much later.
static void pass(struct arrivals *a, wide time_q16)
{
	a->at = tstamp_add(a->at, whole_ps(a, time_q16));
}

// An exponential time, in the unit of its mean.
static wide exponential(struct arrivals *a, uint64_t mean)
{
	return ((wide)dist_exponential(&a->gaps) * mean + (1u << 31)) >> 32;
}

static tstamp exponential_ps(struct arrivals *a, tstamp mean)
{
	wide ps = exponential(a, mean);

	return ps > TSTAMP_NEVER ? TSTAMP_NEVER : (tstamp)ps;
}

// Lets so much of the on time pass, and the off times that fall into it.
static void pass_on_time(struct arrivals *a, tstamp ps)
{
	const struct arrivals_cfg *c = a->cfg;

	while (ps >= a->on_left && a->at < c->stop) {
		a->at = tstamp_add(a->at, a->on_left);
		a->at = tstamp_add(a->at, exponential_ps(a, c->off));
		ps -= a->on_left;
		a->on_left = exponential_ps(a, c->on);
	}
	a->at = tstamp_add(a->at, ps);
	a->on_left -= tstamp_min(ps, a->on_left);
}

static wide time_on_wire_q16(const struct arrivals_cfg *c, uint64_t bytes)
{
	return ((wide)bytes * c->ps_per_byte + (1 << 3)) >> 4;
}

static void begin_request(struct arrivals *a)
{
	a->request = 0;
	if (a->cfg->to == ARRIVALS_INCAST) {
		a->waiting = a->cfg->fan;
		a->place = 0;
	}
	if (a->at >= a->cfg->stop)
		a->at = TSTAMP_NEVER;
}

// Bytes of the request within which a byte is that is picked at random.
static uint64_t request_of_byte(struct arrivals *a)
{
	const struct arrivals_cfg *c = a->cfg;
	uint64_t bytes = dist_draw_of_byte(c->sizes, &a->gaps);

	for (uint32_t i = 1; c->to == ARRIVALS_INCAST && i < c->fan; i++)
		bytes += dist_draw(c->sizes, &a->gaps);
	return bytes;
}

// `start` is an instant like each other: on or off, with a request under way.
static void start_on_off(struct arrivals *a)
{
	const struct arrivals_cfg *c = a->cfg;
	bool is_on = prng_below(&a->gaps, c->on + c->off) < c->on;
	wide rest;

	if (!is_on)
		a->at = tstamp_add(a->at, exponential_ps(a, c->off));
	a->on_left = exponential_ps(a, c->on);
	rest = time_on_wire_q16(c, request_of_byte(a)) * prng_u32(&a->gaps) >> 32;
	pass_on_time(a, whole_ps(a, rest));
}

static void start_first(struct arrivals *a)
{
	const struct arrivals_cfg *c = a->cfg;

	switch (c->kind) {
	case ARRIVALS_POISSON:
		pass(a, exponential(a, c->gap_q16));
		break;
	case ARRIVALS_EVERY:
		pass(a, prng_below(&a->gaps, c->gap_q16));
		break;
	case ARRIVALS_ON_OFF:
		start_on_off(a);
		break;
	case ARRIVALS_CLOSED:
		a->waiting = c->depth;
		break;
	}
	begin_request(a);
}

int arrivals_init(struct arrivals *a, const struct arrivals_cfg *cfg)
{
	if (!kind_is_whole(cfg) || !ends_are_whole(cfg) || strlen(cfg->name) > ARRIVALS_NAME)
		return -EINVAL;
	*a = (struct arrivals){.cfg = cfg, .at = cfg->start};
	seed(&a->gaps, cfg, "gaps");
	seed(&a->sizes, cfg, "sizes");
	seed(&a->ends, cfg, "ends");
	start_first(a);
	return 0;
}

// Each of the peers that are left sends with the probability (senders wanted) / (peers left): every
// set of `fan` peers is as likely as each other (selection sampling, Fan, Muller, Rezucha 1962).
static uint32_t pick_sender(struct arrivals *a)
{
	const struct arrivals_cfg *c = a->cfg;

	while (prng_below(&a->ends, c->n_peers - a->place) >= a->waiting)
		a->place++;
	a->waiting--;
	return c->peers[a->place++];
}

static uint32_t pick_receiver(struct arrivals *a)
{
	const struct arrivals_cfg *c = a->cfg;
	uint32_t i = 0;

	switch (c->to) {
	case ARRIVALS_RANDOM:
		i = (uint32_t)prng_below(&a->ends, c->n_peers);
		break;
	case ARRIVALS_IN_TURN:
		i = a->place;
		a->place = i + 1 < c->n_peers ? i + 1 : 0;
		break;
	case ARRIVALS_RACK:
		if (prng_u32(&a->ends) < c->rack_q32)
			i = (uint32_t)prng_below(&a->ends, c->near);
		else
			i = c->near + (uint32_t)prng_below(&a->ends, c->n_peers - c->near);
		break;
	case ARRIVALS_ONE:
	case ARRIVALS_INCAST:
		break;
	}
	return c->peers[i];
}

// The message or request before has come whole.
static void move_on(struct arrivals *a)
{
	const struct arrivals_cfg *c = a->cfg;

	switch (c->kind) {
	case ARRIVALS_POISSON:
		pass(a, exponential(a, c->gap_q16));
		break;
	case ARRIVALS_EVERY:
		pass(a, c->gap_q16);
		break;
	case ARRIVALS_ON_OFF:
		pass_on_time(a, whole_ps(a, time_on_wire_q16(c, a->request)));
		break;
	case ARRIVALS_CLOSED:
		if (!--a->waiting)
			a->at = TSTAMP_NEVER;
		break;
	}
	begin_request(a);
}

bool arrivals_next(struct arrivals *a, struct arrival *next)
{
	const struct arrivals_cfg *c = a->cfg;
	bool is_incast = c->to == ARRIVALS_INCAST;

	if (a->at == TSTAMP_NEVER)
		return false;
	next->at = a->at;
	next->from = is_incast ? pick_sender(a) : c->host;
	next->to = is_incast ? c->host : pick_receiver(a);
	next->bytes = dist_draw(c->sizes, &a->sizes);
	a->request += next->bytes;
	if (!is_incast || !a->waiting)
		move_on(a);
	return true;
}

void arrivals_done(struct arrivals *a, tstamp now)
{
	if (a->cfg->kind != ARRIVALS_CLOSED || now >= a->cfg->stop)
		return;
	a->waiting++;
	a->at = now;
}
