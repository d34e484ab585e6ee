// SPDX-License-Identifier: BSD-3-Clause
// Links of real ports that go down and come up: the main lcore watches, and tells the lcores that
// have the ports.
#include "carrier.h"

#include <errno.h>
#include <stdlib.h>

#include <rte_cycles.h>

#include "run.h"

#define SAID_MOST 10 // lines about one port
#define LOOK_US   10000
#define WHY       128

static double seconds(tstamp t)
{
	return (double)t / (double)PS_PER_S;
}

static const char *port_name(const struct rt_carrier_port *p)
{
	return p->end->dev->port->name;
}

static struct rt_lcore *lcore_of(const struct rt *rt, const struct rt_end *e)
{
	return rt->world.lcore[e->node->lcore];
}

// The part of a time in which the scenario's own link_down of a port does not hold.
static tstamp unasked(const struct scene *s, const struct rt_end *end, tstamp from, tstamp to)
{
	tstamp sum = 0, at = from;
	bool asked = false;

	for (unsigned i = 0; i < s->n_events; i++) {
		const struct scene_event *e = &s->event[i];

		if (e->node != end->node->index || e->ctl.port != end->port ||
			(e->ctl.type != CTL_LINK_DOWN && e->ctl.type != CTL_LINK_UP))
			continue;
		if (!asked)
			sum += tstamp_since(tstamp_min(e->at, to), at);
		at = tstamp_max(at, tstamp_min(e->at, to));
		asked = e->ctl.type == CTL_LINK_DOWN;
	}
	return sum + (asked ? 0 : tstamp_since(to, at));
}

// Adds the time without a link: the link is up again, or the run has ended.
static void add_without(const struct rt *rt, struct rt_carrier_port *p, tstamp now)
{
	tstamp from = tstamp_max(p->down_at, rt->scene->warmup), lacked;

	lacked = unasked(rt->scene, p->end, tstamp_min(from, now), now);
	if (lacked && !p->without)
		p->first_at = from;
	p->without += lacked;
}

static void tell_end(struct rt_lcore *lc, struct rt_end *e, enum watch_link link)
{
	atomic_store_explicit(&e->told, (uint8_t)link, memory_order_relaxed);
	atomic_fetch_add_explicit(&lc->links, 1, memory_order_release);
}

// Tells the other shards of a switch about the link of a port, too.
static void tell_shards(const struct rt *rt, const struct rt_end *e, enum watch_link link)
{
	for (unsigned k = 0; e->node->shards > 1 && k < e->node->shards; k++) {
		const struct rt_node *other = rt_world_node(&rt->world, e->node->index, k);
		struct rt_lcore *lc = rt->world.lcore[other->lcore];

		if (other != e->node)
			tell_end(lc, &lc->end[other->first + e->port], link);
	}
}

static void tell_lcores(const struct rt *rt, struct rt_carrier_port *p, enum watch_link link)
{
	struct rt_end *e = p->end;

	p->link = link;
	e->dev->gone = link == WATCH_GONE;
	tell_end(p->lcore, e, link);
	for (unsigned k = 1; k < e->n_lanes; k++)
		tell_end(lcore_of(rt, e->lane[k]), e->lane[k], link);
	tell_shards(rt, e, link);
}

// Says a line about a port; after SAID_MOST lines, the last one says that it is the last.
__attribute__((format(printf, 3, 4))) static void say(
	const struct rt *rt, struct rt_carrier_port *p, const char *fmt, ...)
{
	char line[320];
	va_list ap;

	if (p->said >= SAID_MOST)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	p->said++;
	rt_say(rt, "port %s: %s%s", port_name(p), line,
		p->said == SAID_MOST ? " (more of this port is not said, but counted)" : "");
}

// The table of the run tells of the first one, too.
static void say_gone(struct rt *rt, struct rt_carrier_port *p, const char *why, tstamp now)
{
	say(rt, p, "its device is gone for good at %.6f s: %s; what is bound for it is dropped",
		seconds(now), why);
	if (!*rt->run.device_gone)
		snprintf(rt->run.device_gone, sizeof(rt->run.device_gone),
			"port %s has had none since %.6f s: %s", port_name(p), seconds(now), why);
}

static void say_change(struct rt *rt, unsigned i, enum watch_link link, tstamp now)
{
	struct rt_carrier_port *p = &rt->carrier.port[i];
	char why[WHY];

	if (link == WATCH_UP)
		say(rt, p, "its link is up again at %.6f s", seconds(now));
	else if (link == WATCH_GONE)
		say_gone(rt, p, watch_why(rt->carrier.watch, i, why, sizeof(why)), now);
	else
		say(rt, p, "its link is down at %.6f s: %s", seconds(now),
			watch_why(rt->carrier.watch, i, why, sizeof(why)));
}

// Writes the line about the loss that ends the run. The interface that was down at first may be
// gone a moment later.
static void say_loss(struct rt *rt)
{
	const struct rt_carrier *c = &rt->carrier;
	char why[WHY];

	snprintf(rt->run.link_loss, sizeof(rt->run.link_loss),
		"port %s lost its link at %.6f s: %s (on_link_loss: fail)",
		port_name(&c->port[c->ended_by]), seconds(c->ended_at),
		watch_why(c->watch, c->ended_by, why, sizeof(why)));
}

static void lose(struct rt *rt, unsigned i, enum watch_link link, tstamp now)
{
	struct rt_carrier *c = &rt->carrier;
	bool was_up = c->port[i].link == WATCH_UP;

	if (was_up) {
		c->port[i].losses++;
		c->port[i].down_at = now;
	}
	if (!rt->scene->fail_on_link_loss) {
		say_change(rt, i, link, now);
	} else if (was_up && !*rt->run.link_loss) {
		c->ended_by = i;
		c->ended_at = now;
		say_loss(rt);
		atomic_store(&rt->quit, true);
	}
}

// Reads the MTU of a port's interface, and tells it if it is below `was` and too small for the
// port's frames. `since`: words of the instant.
static void look_at_mtu(const struct rt *rt, unsigned i, uint32_t was, const char *since)
{
	struct rt_carrier_port *p = &rt->carrier.port[i];
	uint32_t need = p->end->dev->need_mtu;
	const char *iface;

	p->mtu = watch_mtu(rt->carrier.watch, i, &iface);
	if (p->mtu && p->mtu < was && p->mtu < need)
		say(rt, p,
			"interface %s has MTU %u%s, frames of %u bytes need %u: "
			"ip link set dev %s mtu %u",
			iface, p->mtu, since, p->end->dev->port->mtu, need, iface, need);
}

void rt_carrier_watch(struct rt *rt, tstamp now)
{
	struct rt_carrier *c = &rt->carrier;
	char since[32];

	if (!c->watch)
		return;
	snprintf(since, sizeof(since), " since %.6f s", seconds(now));
	watch_look(c->watch);
	for (unsigned i = 0; i < rt->n_dev; i++) {
		struct rt_carrier_port *p = &c->port[i];
		enum watch_link link = watch_link(c->watch, i);

		look_at_mtu(rt, i, p->mtu, since);
		if (link == p->link || p->link == WATCH_GONE)
			continue;
		if (link == WATCH_UP) {
			say_change(rt, i, link, now);
			add_without(rt, p, now);
		} else {
			lose(rt, i, link, now);
		}
		tell_lcores(rt, p, link);
	}
}

static void say_speed(const struct rt *rt, unsigned i)
{
	struct rt_carrier_port *p = &rt->carrier.port[i];
	bool half;
	uint64_t speed = watch_speed(rt->carrier.watch, i, &half);
	double gbps = (double)speed / RATE_GBPS, rate = (double)p->end->dev->port->rate / RATE_GBPS;

	if (speed && speed < p->end->dev->port->rate)
		say(rt, p,
			"its link has %g Gb/s, the scenario's has %g Gb/s: give it rate: %gGbps, "
			"or frames queue up in the device, where nothing marks them",
			gbps, rate, gbps);
	if (half)
		say(rt, p,
			"its link is half duplex, where neither PFC nor PAUSE exists: "
			"set the other end to full duplex");
}

// How many links are not up.
static unsigned look_at_links(struct rt *rt)
{
	unsigned down = 0;

	watch_look(rt->carrier.watch);
	for (unsigned i = 0; i < rt->n_dev; i++) {
		rt->carrier.port[i].link = watch_link(rt->carrier.watch, i);
		down += rt->carrier.port[i].link != WATCH_UP;
	}
	return down;
}

static void say_down(struct rt *rt)
{
	tstamp wait = rt->scene->wait_link;
	char then[64] = "the run goes on without it", why[WHY];

	if (wait)
		snprintf(then, sizeof(then), "waiting %g s for it (wait_link)", seconds(wait));
	for (unsigned i = 0; i < rt->n_dev; i++)
		if (rt->carrier.port[i].link != WATCH_UP)
			say(rt, &rt->carrier.port[i], "no link: %s; %s",
				watch_why(rt->carrier.watch, i, why, sizeof(why)), then);
}

// Goes on without the ports that still have no link, or ends the run. 0, or -ENOLINK and a line.
static int go_on_without(struct rt *rt, struct err *err)
{
	char why[WHY];

	for (unsigned i = 0; i < rt->n_dev; i++) {
		struct rt_carrier_port *p = &rt->carrier.port[i];

		if (p->link == WATCH_UP)
			continue;
		if (rt->scene->fail_on_link_loss)
			return err_set(err, -ENOLINK,
				"port %s: no link after %g s: %s; "
				"bring it up, give a longer wait_link, or on_link_loss: go_on",
				port_name(p), seconds(rt->scene->wait_link),
				watch_why(rt->carrier.watch, i, why, sizeof(why)));
		if (rt->scene->wait_link)
			say(rt, p, "still no link after %g s: the run goes on without it",
				seconds(rt->scene->wait_link));
		tell_lcores(rt, p, p->link);
	}
	return 0;
}

static int watch_ports(struct rt *rt, struct err *err)
{
	struct rt_carrier *c = &rt->carrier;
	int rc;

	c->port = calloc(rt->n_dev, sizeof(*c->port));
	rc = c->port ? watch_new(&c->watch, rt->dev, rt->n_dev) : -ENOMEM;
	if (!c->watch)
		return err_set(err, -ENOMEM, "no memory for the links of %u ports", rt->n_dev);
	if (rc)
		rt_say(rt,
			"the kernel tells nothing of its interfaces (%s): the link of a port is "
			"what DPDK says, which of a kernel's interface is always up",
			strerror(-rc));
	for (unsigned i = 0; i < rt->world.n_lcores; i++)
		for (unsigned k = 0; k < rt->world.lcore[i]->n_dev; k++) {
			struct rt_lcore *lc = rt->world.lcore[i];
			struct rt_end *e = &lc->end[lc->dev[k]];

			c->port[e->dev - rt->dev].lcore = lcore_of(rt, e);
			c->port[e->dev - rt->dev].end = e;
		}
	return 0;
}

int rt_carrier_begin(struct rt *rt, struct err *err)
{
	const atomic_bool *stop = rt->opts->stop;
	tstamp waited = 0;
	unsigned down;
	int rc;

	if (!rt->n_dev)
		return 0;
	rc = watch_ports(rt, err);
	if (rc)
		return rc;
	down = look_at_links(rt);
	if (down)
		say_down(rt);
	while (down && waited < rt->scene->wait_link && !(stop && *stop)) {
		rte_delay_us_sleep(LOOK_US);
		waited += LOOK_US * PS_PER_US;
		down = look_at_links(rt);
	}
	if (down && !(stop && *stop))
		rc = go_on_without(rt, err);
	for (unsigned i = 0; !rc && i < rt->n_dev; i++) {
		say_speed(rt, i);
		look_at_mtu(rt, i, UINT32_MAX, "");
	}
	return rc;
}

// A port whose link is down at the end, or was in the window.
static void say_without(struct rt *rt, unsigned i)
{
	const struct rt_carrier_port *p = &rt->carrier.port[i];
	char *text = rt->run.no_link, since[48] = "in the whole run", why[WHY];
	size_t size = sizeof(rt->run.no_link);

	if (p->link == WATCH_UP) {
		snprintf(text, size, "port %s had none for %.6f s of the window, from %.6f s on",
			port_name(p), seconds(p->without), seconds(p->first_at));
		return;
	}
	if (p->losses)
		snprintf(since, sizeof(since), "since %.6f s", seconds(p->down_at));
	snprintf(text, size, "port %s has had none %s: %s", port_name(p), since,
		watch_why(rt->carrier.watch, i, why, sizeof(why)));
}

// Returns whether the report names this port rather than the other one. A port whose link is down
// at the end comes first. If both are equal in this, the port comes first that had no link for
// longer.
static bool is_worse(const struct rt_carrier_port *p, const struct rt_carrier_port *other)
{
	bool down = p->link != WATCH_UP, other_down = other->link != WATCH_UP;

	return down != other_down ? down : p->without > other->without;
}

// Writes the table's line about the worst port that had no link in a part of the window. A port
// that ended the run, or whose device is gone, is not meant.
static void say_end(struct rt *rt)
{
	struct rt_carrier_port *port = rt->carrier.port;
	unsigned worst = rt->n_dev;

	for (unsigned i = 0; i < rt->n_dev && !*rt->run.link_loss; i++) {
		if (port[i].link == WATCH_GONE)
			continue;
		if (port[i].link != WATCH_UP)
			add_without(rt, &port[i], rt->run.end);
		if (port[i].without && (worst == rt->n_dev || is_worse(&port[i], &port[worst])))
			worst = i;
	}
	if (worst < rt->n_dev)
		say_without(rt, worst);
}

void rt_carrier_end(struct rt *rt)
{
	struct rt_carrier *c = &rt->carrier;

	if (c->watch && *rt->run.link_loss && !rt->parts.lost) {
		watch_look(c->watch);
		if (watch_link(c->watch, c->ended_by) != WATCH_UP)
			say_loss(rt);
	}
	if (c->watch)
		say_end(rt);
	for (unsigned i = 0; c->watch && i < rt->n_dev; i++)
		if (c->port[i].said >= SAID_MOST)
			rt_say(rt, "port %s: its link went down %u times in all",
				port_name(&c->port[i]), c->port[i].losses);
	watch_free(c->watch);
	free(c->port);
	*c = (struct rt_carrier){0};
}
