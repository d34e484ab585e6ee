// SPDX-License-Identifier: BSD-3-Clause
// The interval that holds the offset of two clocks: cut by exchanges, wider with time.
#include "transport/meet.h"

#define NS_PER_S  1000000000
#define ANCHOR_NS NS_PER_S        // so long an exchange that tells more becomes the anchor
#define MOST_NS   (INT64_MAX / 8) // of an instant and of an interval's ends: sums do not overflow

static int64_t within(__int128 ns)
{
	return ns > MOST_NS ? MOST_NS : ns < -MOST_NS ? -MOST_NS : (int64_t)ns;
}

struct meet_range meet_range_aged(struct meet_range r, uint64_t ns)
{
	__int128 by = ((__int128)ns * MEET_DRIFT_PPM + 999999) / 1000000;

	return (struct meet_range){within(r.low_ns - by), within(r.high_ns + by)};
}

struct meet_range meet_range_joined(struct meet_range ab, struct meet_range bc)
{
	return (struct meet_range){
		within((__int128)ab.low_ns + bc.low_ns), within((__int128)ab.high_ns + bc.high_ns)};
}

bool meet_range_cut(struct meet_range *r, struct meet_range by)
{
	struct meet_range both = {
		.low_ns = r->low_ns > by.low_ns ? r->low_ns : by.low_ns,
		.high_ns = r->high_ns < by.high_ns ? r->high_ns : by.high_ns,
	};

	if (both.low_ns > both.high_ns)
		return false;
	*r = both;
	return true;
}

bool meet_clock_at(const struct meet_clock *c, uint64_t now_ns, struct meet_range *range)
{
	if (!c->exchanges || c->broken)
		return false;
	*range = meet_range_aged(c->range, now_ns > c->at_ns ? now_ns - c->at_ns : 0);
	return true;
}

static bool can_be(const struct meet_exchange *x)
{
	return x->back_ns <= MOST_NS && x->arrived_ns <= MOST_NS && x->left_ns <= MOST_NS &&
	       x->sent_ns <= x->back_ns && x->arrived_ns <= x->left_ns;
}

// The range that one exchange gives for the instant at which it ends: the peer's clock may have
// lost time since the first frame came.
static struct meet_range told(const struct meet_exchange *x)
{
	struct meet_range out = {0, (int64_t)x->arrived_ns - (int64_t)x->sent_ns};

	return (struct meet_range){
		.low_ns = (int64_t)x->left_ns - (int64_t)x->back_ns,
		.high_ns = meet_range_aged(out, x->back_ns - x->sent_ns).high_ns,
	};
}

static int64_t width(struct meet_range r)
{
	return r.high_ns - r.low_ns;
}

static int64_t ppb(int64_t ns, uint64_t in_ns)
{
	return within((__int128)ns * NS_PER_S / (int64_t)in_ns);
}

// Learns the rate of the peer's clock since the anchor. Keeps the exchange that gives the smallest
// range.
static void learn_rate(struct meet_clock *c, struct meet_range r, uint64_t now_ns)
{
	uint64_t ns = now_ns - c->anchor_ns;
	struct meet_range rate;

	if (!c->anchor_ns || (ns < ANCHOR_NS && width(r) < width(c->anchor) / 2)) {
		c->anchor = r;
		c->anchor_ns = now_ns;
		c->rate_known = false;
		return;
	}
	if (!ns)
		return;
	rate.low_ns = ppb(r.low_ns - c->anchor.high_ns, ns) - 1; // rounded outwards
	rate.high_ns = ppb(r.high_ns - c->anchor.low_ns, ns) + 1;
	if (c->rate_known && width(rate) >= width(c->rate_ppb))
		return;
	c->rate_known = true;
	c->rate_ppb = rate;
}

bool meet_clock_take(struct meet_clock *c, const struct meet_exchange *x)
{
	struct meet_range now, r;
	uint64_t round_trip;

	if (!can_be(x))
		return false;
	r = told(x);
	if (r.low_ns > r.high_ns)
		return false;
	round_trip = x->back_ns - x->sent_ns;
	round_trip -=
		x->left_ns - x->arrived_ns < round_trip ? x->left_ns - x->arrived_ns : round_trip;
	if (meet_clock_at(c, x->back_ns, &now)) {
		c->broken += !meet_range_cut(&now, r);
	} else {
		now = r;
		c->round_trip_ns = round_trip;
	}
	c->range = now;
	c->at_ns = x->back_ns > c->at_ns ? x->back_ns : c->at_ns;
	c->exchanges++;
	c->round_trip_ns = round_trip < c->round_trip_ns ? round_trip : c->round_trip_ns;
	learn_rate(c, r, x->back_ns);
	return true;
}

bool meet_clock_rate(const struct meet_clock *c, int64_t *ppb, uint64_t *bound_ppb)
{
	if (!c->rate_known || c->broken)
		return false;
	*ppb = meet_range_middle(c->rate_ppb);
	*bound_ppb = meet_range_bound(c->rate_ppb);
	return true;
}
