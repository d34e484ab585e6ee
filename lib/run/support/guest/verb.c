// SPDX-License-Identifier: BSD-3-Clause
// Makes guarded calls of the plug-in from the verbs of a reaction point, and a rate and a window
// from its decisions.
#include <math.h>
#include <stdio.h>

#include "int.h"

static const char *const verb_name[GUEST_VERBS] = {
	"init", "cnp", "ack", "nak", "sent", "expire", "deadline"};

// The event for events.csv, by verb and by quench_rp.event, which the verb has set.
static const enum rp_event said_event[GUEST_VERBS][QUENCH_HYPER_INCREASE + 1] = {
	[GUEST_CNP] = {RP_NONE, RP_DECREASE, RP_WRITTEN, RP_WRITTEN, RP_WRITTEN},
	[GUEST_ACK] = {RP_NONE, RP_DECREASE, RP_WRITTEN, RP_ACK_ADDITIVE_INCREASE,
		RP_ACK_HYPER_INCREASE},
	[GUEST_NAK] = {RP_NONE, RP_DECREASE, RP_WRITTEN, RP_WRITTEN, RP_WRITTEN},
	[GUEST_SENT] = {RP_NONE, RP_DECREASE, RP_BC_FAST_RECOVERY, RP_BC_ADDITIVE_INCREASE,
		RP_BC_HYPER_INCREASE},
	[GUEST_EXPIRE] = {RP_NONE, RP_DECREASE, RP_T_FAST_RECOVERY, RP_T_ADDITIVE_INCREASE,
		RP_T_HYPER_INCREASE},
};

_Static_assert(
	sizeof(struct quench_hop) == sizeof(struct rp_hop) &&
		offsetof(struct quench_hop, queue_bytes) == offsetof(struct rp_hop, queue_bytes) &&
		offsetof(struct quench_hop, sent_bytes) == offsetof(struct rp_hop, sent_bytes) &&
		offsetof(struct quench_hop, at_ps) == offsetof(struct rp_hop, at) &&
		offsetof(struct quench_hop, rate) == offsetof(struct rp_hop, rate),
	"a plug-in sees the records of hops as they are");

#define WINDOW_MOST 0x1p62 // bytes; what is above is no window

struct verb {
	enum guest_verb verb;
	uint32_t bytes;
	const struct rp_ack *ack;
	tstamp now;
};

static struct guest_rp *ours(const struct plugin_rp *rp)
{
	return (struct guest_rp *)rp->state;
}

static const struct guest_cfg *control(const struct plugin_rp *rp)
{
	return rp->cfg->control;
}

static void fail(struct plugin_rp *rp, enum guest_fault fault, double value)
{
	struct guest_rp *g = ours(rp);

	g->fault = fault;
	g->value = value;
	rp->deadline = TSTAMP_NEVER;
	if (g->failed)
		atomic_store(g->failed, true);
}

static void call_ack(struct guest_rp *g, const struct quench_plugin *p, const struct verb *v)
{
	const struct quench_ack ack = {.size = sizeof(ack),
		.ce = v->ack->ce,
		.bytes = v->ack->bytes,
		.acked = v->ack->acked,
		.sent = v->ack->sent,
		.rtt_ps = v->ack->rtt,
		.hop = (const struct quench_hop *)v->ack->hop,
		.n_hops = v->ack->n_hops};

	if (p->ack)
		p->ack(&g->rp, &ack, v->now);
}

// The verb's own call. Not 0: init refuses.
static int call_verb(struct guest_rp *g, const struct quench_plugin *p, const struct verb *v)
{
	switch (v->verb) {
	case GUEST_INIT:
		return p->init ? p->init(&g->rp) : 0;
	case GUEST_CNP:
		p->cnp(&g->rp, v->now);
		break;
	case GUEST_ACK:
		call_ack(g, p, v);
		break;
	case GUEST_NAK:
		if (p->nak)
			p->nak(&g->rp, v->now);
		break;
	case GUEST_SENT:
		p->sent(&g->rp, v->bytes, v->now);
		break;
	case GUEST_EXPIRE:
		p->expire(&g->rp, v->now);
		break;
	default:
		break;
	}
	return 0;
}

// The verb, and the question for the deadline that comes after it. False: it has failed.
static bool call_guarded(struct plugin_rp *rp, const struct verb *v)
{
	const struct quench_plugin *p = control(rp)->plugin;
	struct guest_rp *g = ours(rp);
	struct guard guard;

	if (g->fault)
		return false;
	g->rp.event = QUENCH_SAYS_NOTHING;
	g->verb = v->verb;
	g->at = v->now;
	if (sigsetjmp(guard.back, 0)) {
		g->signal = guard_signal(&guard);
		fail(rp, GUEST_CRASH, 0);
		return false;
	}
	guard_on(&guard);

	int refuses = call_verb(g, p, v);
	tstamp due = TSTAMP_NEVER;

	if (p->deadline) {
		g->verb = GUEST_DEADLINE;
		due = p->deadline(&g->rp);
	}
	guard_off();
	if (refuses) {
		g->verb = v->verb;
		fail(rp, GUEST_REFUSES, 0);
	} else if (v->verb == GUEST_EXPIRE && due < v->now + PS_PER_NS) {
		fail(rp, GUEST_NOT_LATER, (double)due / PS_PER_US);
	} else {
		g->verb = v->verb;
		rp->deadline = tstamp_max(due, v->now);
	}
	return !g->fault;
}

static void take_rate(struct plugin_rp *rp)
{
	struct quench_rp *q = &ours(rp)->rp;
	double rate = q->rate;

	if (isnan(rate)) {
		fail(rp, GUEST_RATE, rate);
		return;
	}
	if (rate < (double)RATE_MIN)
		q->rate = (double)RATE_MIN;
	else if (rate > (double)rp->cfg->line_rate)
		q->rate = (double)rp->cfg->line_rate;
	rp->clamped += rate != q->rate;
	rp->rate = (rate_t)q->rate;
}

static void take_window(struct plugin_rp *rp)
{
	double window = ours(rp)->rp.window;

	if (isnan(window) || window < 0)
		fail(rp, GUEST_WINDOW, window);
	else if (window > WINDOW_MOST)
		rp->window = 0;
	else
		rp->window = window < 1 ? 1 : (uint64_t)window;
}

static enum rp_event call(struct plugin_rp *rp, const struct verb v)
{
	uint32_t said;

	if (!call_guarded(rp, &v))
		return RP_NONE;
	take_rate(rp);
	if (!ours(rp)->fault)
		take_window(rp);
	said = ours(rp)->rp.event;
	return !ours(rp)->fault && said <= QUENCH_HYPER_INCREASE ? said_event[v.verb][said]
								 : RP_NONE;
}

static void on_init(struct plugin_rp *rp)
{
	const struct guest_cfg *c = control(rp);
	struct guest_rp *g = ours(rp);

	g->rp = (struct quench_rp){.size = sizeof(g->rp),
		.state = g->own,
		.param = c->param,
		.line_rate = (double)rp->cfg->line_rate,
		.base_rtt_ps = c->base_rtt,
		.rate = (double)rp->cfg->line_rate,
		.window = QUENCH_NO_WINDOW,
		.control = c->name};
	call(rp, (struct verb){.verb = GUEST_INIT});
}

static enum rp_event on_cnp(struct plugin_rp *rp, tstamp now)
{
	return call(rp, (struct verb){.verb = GUEST_CNP, .now = now});
}

static enum rp_event on_ack(struct plugin_rp *rp, const struct rp_ack *ack, tstamp now)
{
	return call(rp, (struct verb){.verb = GUEST_ACK, .ack = ack, .now = now});
}

static enum rp_event on_nak(struct plugin_rp *rp, tstamp now)
{
	return call(rp, (struct verb){.verb = GUEST_NAK, .now = now});
}

static enum rp_event on_sent(struct plugin_rp *rp, uint32_t bytes, tstamp now)
{
	return call(rp, (struct verb){.verb = GUEST_SENT, .bytes = bytes, .now = now});
}

static enum rp_event on_expire(struct plugin_rp *rp, tstamp now)
{
	return call(rp, (struct verb){.verb = GUEST_EXPIRE, .now = now});
}

const struct plugin_rp_ops guest_ops = {on_init, on_cnp, on_ack, on_nak, on_sent, on_expire};

void guest_watch(const struct rp *rp, atomic_bool *failed)
{
	struct guest_rp *g = ours(rp->u.plugin);

	g->failed = failed;
	if (g->fault)
		atomic_store(failed, true);
}

bool guest_failed(const struct rp *rp, char *text, size_t size, tstamp *at)
{
	const struct guest_rp *g = ours(rp->u.plugin);
	const char *name = control(rp->u.plugin)->name, *verb = verb_name[g->verb];
	double us = (double)g->at / PS_PER_US;

	*at = g->at;
	switch (g->fault) {
	case GUEST_SOUND:
		return false;
	case GUEST_CRASH:
		snprintf(text, size, "control '%s' crashed in %s() at %.3f us (%s)", name, verb, us,
			g->signal);
		break;
	case GUEST_REFUSES:
		snprintf(text, size, "control '%s' refused to run in %s() at %.3f us", name, verb,
			us);
		break;
	case GUEST_RATE:
		snprintf(text, size,
			"control '%s' gave a rate that is no number in %s() at %.3f us", name, verb,
			us);
		break;
	case GUEST_WINDOW:
		snprintf(text, size, "control '%s' gave a window of %g bytes in %s() at %.3f us",
			name, g->value, verb, us);
		break;
	case GUEST_NOT_LATER:
		snprintf(text, size,
			"control '%s' gave %.*f us, which is %s later, in %s() after expire() at "
			"%.3f us",
			name, g->value > us ? 6 : 3, g->value,
			g->value > us ? "less than 1 ns" : "no", verb, us);
		break;
	}
	return true;
}
