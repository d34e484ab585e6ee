// SPDX-License-Identifier: BSD-3-Clause
// The PFC watchdog of the switch: its samples of a queue, and its actions when a storm begins or
// ends.
#include <errno.h>
#include <stdlib.h>

#include "egress.h"

int sw_wd_init(struct sw_port *o, const struct sw_port_params *p)
{
	int rc;

	if (!p->wd_classes)
		return 0;
	o->wd = calloc(1, sizeof(*o->wd));
	if (!o->wd)
		return -ENOMEM;
	rc = pfcwd_cfg_init(&o->wd->cfg, &p->wd);
	o->wd->classes = p->wd_classes;
	o->wd->next = p->wd_off ? TSTAMP_NEVER : p->wd.poll;
	return rc;
}

static void shut(struct sw *sw, struct sw_port *o, unsigned cls, bool on)
{
	uint8_t bit = (uint8_t)(1u << cls);

	o->wd->shut = on ? o->wd->shut | bit : o->wd->shut & (uint8_t)~bit;
	sw->shut = 0;
	for (unsigned i = 0; i < sw->n_ports; i++)
		sw->shut |= sw->port[i].wd ? sw->port[i].wd->shut : 0;
	sw->admit_slow = sw->mmu_alone ? sw->shut : 0xff;
}

// Makes an event of a queue; NULL: nobody wants it.
static struct ev *queue_event(
	struct sw *sw, const struct sw_port *o, unsigned cls, enum ev_type type, tstamp now)
{
	struct ev *ev = ev_put(sw->events, type, now);

	if (ev) {
		ev->port = o->index;
		ev->cls = (uint8_t)cls;
	}
	return ev;
}

// The priorities whose PFC stops a queue, as a bitmap.
static uint8_t prios_of(const struct sw *sw, const struct sw_port *o, unsigned queue)
{
	uint8_t prios = 0;

	if (!sw->mapped)
		return (uint8_t)(1u << queue);
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		prios |= (uint8_t)((o->set->queue_of[c] == queue) << c);
	return prios;
}

// The watchdog ends the pauses of a queue: the port no longer obeys PFC of the peer for its
// priorities. Reports the end (EV_RESUME_RX) of each priority that was paused.
static void lift(struct sw *sw, struct sw_port *o, unsigned queue, tstamp now)
{
	for (unsigned left = prios_of(sw, o, queue); left; left &= left - 1) {
		unsigned prio = (unsigned)__builtin_ctz(left);
		struct ev *ev;

		if (!pause_rx_obey(&o->rare->prx, prio, false, now))
			continue;
		sw_blocked(sw, o);
		ev = queue_event(sw, o, prio, EV_RESUME_RX, now);
		if (ev)
			ev->pause.by = EV_RESUME_WATCHDOG;
	}
}

static void begin_storm(struct sw *sw, struct sw_port *o, unsigned cls, tstamp now)
{
	struct sw_wd *wd = o->wd;
	struct ev *ev = queue_event(sw, o, cls, EV_PFCWD_STORM, now);

	wd->stats[cls].storms++;
	wd->since[cls] = now;
	wd->action[cls] = wd->cfg.action;
	if (ev) {
		ev->storm.action = wd->cfg.action;
		ev->storm.queue_bytes = o->e.q[cls].bytes;
	}
	if (wd->cfg.action == PFCWD_ALERT)
		return;
	lift(sw, o, cls, now);
	if (wd->cfg.action != PFCWD_DROP)
		return;
	wd->stats[cls].tx_dropped_frames += o->e.q[cls].frames;
	sw_flush(sw, o, cls, SW_DROP_PFCWD, now);
	shut(sw, o, cls, true);
}

static void restore(struct sw *sw, struct sw_port *o, unsigned cls, tstamp now)
{
	struct sw_wd *wd = o->wd;
	tstamp length = tstamp_since(now, wd->since[cls]);
	struct ev *ev = queue_event(sw, o, cls, EV_PFCWD_RESTORE, now);

	wd->stats[cls].restored++;
	wd->stats[cls].storm_ps += length;
	if (ev) {
		ev->restore.action = wd->action[cls];
		ev->restore.storm_ps = length;
	}
	if (wd->action[cls] == PFCWD_ALERT)
		return;
	for (unsigned left = prios_of(sw, o, cls); left; left &= left - 1)
		pause_rx_obey(&o->rare->prx, (unsigned)__builtin_ctz(left), true, now);
	if (wd->action[cls] == PFCWD_DROP)
		shut(sw, o, cls, false);
}

// The counters of several priorities that stop one queue are added up.
static struct pfcwd_sample sample(const struct sw *sw, const struct sw_port *o, unsigned queue)
{
	struct pfcwd_sample to = {
		.queue_bytes = o->e.q[queue].bytes,
		.tx_frames = o->e.q[queue].tx_frames,
	};

	for (unsigned left = prios_of(sw, o, queue); left; left &= left - 1) {
		unsigned prio = (unsigned)__builtin_ctz(left);
		const struct pause_stats *s = &o->rare->prx.stats[prio];

		to.pfc_rx += s->xoff_frames + s->xon_frames;
		to.on2off += s->transitions_off - s->expired;
		to.pause_duration += s->pause_effective_ps;
		to.paused |= o->rare->prx.paused >> prio & 1;
	}
	return to;
}

// Polls all queues that are watched. Polls stay on their nominal instants, and missed ones are left
// out: the clock may jump by days where a machine was suspended.
void sw_wd_poll(struct sw *sw, struct sw_port *o, tstamp now)
{
	struct sw_wd *wd = o->wd;

	pause_rx_account(&o->rare->prx, now);
	for (unsigned left = wd->classes; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);
		struct pfcwd_sample s = sample(sw, o, c);
		struct pfcwd_cfg cfg = wd->cfg;
		enum pfcwd_event e;

		if (wd->q[c].storm)
			cfg.action = wd->action[c];
		e = pfcwd_poll(&wd->q[c], &cfg, &s);

		if (e == PFCWD_STORM)
			begin_storm(sw, o, c, now);
		else if (e == PFCWD_RESTORE)
			restore(sw, o, c, now);
	}
	if (wd->next <= now) {
		tstamp late = (now - wd->next) / wd->cfg.poll * wd->cfg.poll;

		wd->next = tstamp_add(wd->next + late, wd->cfg.poll);
	}
}

void sw_wd_adopt(struct sw *sw, struct sw_port *o, const struct sw_wd *to, tstamp now)
{
	struct sw_wd *wd = o->wd;

	if (wd->next != TSTAMP_NEVER && wd->cfg.poll != to->cfg.poll)
		wd->next = tstamp_add(now, to->cfg.poll);
	wd->cfg = to->cfg;
	sw_timer_changed(sw, o);
	sw_port_changed(sw, o);
}

// The first poll only reads counters, because the watchdog does not know the values before it.
void sw_wd_start(struct sw *sw, struct sw_port *o, tstamp now)
{
	if (o->wd->next != TSTAMP_NEVER)
		return;
	o->wd->next = tstamp_add(now, o->wd->cfg.poll);
	sw_timer_changed(sw, o);
	sw_port_changed(sw, o);
}

void sw_wd_stop(struct sw *sw, struct sw_port *o, tstamp now)
{
	struct sw_wd *wd = o->wd;

	for (unsigned left = wd->classes; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);

		if (wd->q[c].storm)
			restore(sw, o, c, now);
		wd->q[c] = (struct pfcwd){0};
	}
	wd->next = TSTAMP_NEVER;
	sw_timer_changed(sw, o);
	sw_port_changed(sw, o);
}
