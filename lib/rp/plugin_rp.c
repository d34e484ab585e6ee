// SPDX-License-Identifier: BSD-3-Clause
// The changes that a plug-in's verbs made, as an event.
#include "plugin_rp.h"

// The rate and window that the reaction point allowed before a call.
struct before {
	rate_t rate;
	uint64_t window;
};

static struct before before(const struct plugin_rp *rp)
{
	return (struct before){rp->rate, rp->window};
}

// Returns whether a window became smaller. 0 means no window, which counts as the largest.
static bool is_lower(uint64_t was, uint64_t is)
{
	return is - 1 < was - 1;
}

static enum rp_event moved(uint64_t was, uint64_t is)
{
	if (was == is)
		return RP_NONE;
	return is_lower(was, is) ? RP_DECREASE : RP_WRITTEN;
}

static void note_fall(struct plugin_rp *rp, struct before b)
{
	rp->fell = is_lower(b.rate, rp->rate) || is_lower(b.window, rp->window);
}

// A change of the rate counts more than a report about alpha alone.
static enum rp_event rate_moved(rate_t was, rate_t is, enum rp_event said)
{
	enum rp_event e = said == RP_NONE || said == RP_ALPHA ? moved(was, is) : said;

	return e == RP_NONE ? said : e;
}

static enum rp_event happened(struct plugin_rp *rp, struct before b, enum rp_event said)
{
	note_fall(rp, b);
	said = rate_moved(b.rate, rp->rate, said);
	return said == RP_NONE ? moved(b.window, rp->window) : said;
}

size_t plugin_rp_size(const struct plugin_rp_cfg *cfg)
{
	return sizeof(struct plugin_rp) + cfg->state_size;
}

void plugin_rp_init(struct plugin_rp *rp, const struct plugin_rp_cfg *cfg)
{
	rp->cfg = cfg;
	rp->rate = cfg->line_rate;
	rp->deadline = TSTAMP_NEVER;
	cfg->ops->init(rp);
}

enum rp_event plugin_rp_expire(struct plugin_rp *rp, tstamp now)
{
	while (now >= rp->deadline) {
		struct before b = before(rp);
		enum rp_event e;

		rp->at = rp->deadline;
		e = happened(rp, b, rp->cfg->ops->expire(rp, rp->at));
		if (e != RP_NONE)
			return e;
	}
	return RP_NONE;
}

enum rp_event plugin_rp_cnp(struct plugin_rp *rp, tstamp now)
{
	struct before b = before(rp);

	return happened(rp, b, rp->cfg->ops->cnp(rp, now));
}

enum rp_event plugin_rp_ack(struct plugin_rp *rp, const struct rp_ack *ack, tstamp now)
{
	struct before b = before(rp);
	enum rp_event said = rp->cfg->ops->ack(rp, ack, now);

	note_fall(rp, b);
	return rate_moved(b.rate, rp->rate, said);
}

enum rp_event plugin_rp_nak(struct plugin_rp *rp, tstamp now)
{
	struct before b = before(rp);

	return happened(rp, b, rp->cfg->ops->nak(rp, now));
}

// Tells the plug-in of a frame. Returns an event (RP_WRITTEN) also if only the deadline moved
// forward, because the timer's owner would not notice it otherwise.
enum rp_event plugin_rp_sent(struct plugin_rp *rp, uint32_t bytes, tstamp now)
{
	struct before b = before(rp);
	tstamp deadline = rp->deadline;
	enum rp_event e = happened(rp, b, rp->cfg->ops->sent(rp, bytes, now));

	return e == RP_NONE && rp->deadline < deadline ? RP_WRITTEN : e;
}
