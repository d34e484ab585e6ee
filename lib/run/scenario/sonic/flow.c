// SPDX-License-Identifier: BSD-3-Clause
// The example flow of an imported switch: many to one, so that the first run has marks or PFC; or
// the setting that makes both impossible.
#include <string.h>

#include "int.h"

#define ROCE_BYTES 74 // Ethernet to RETH and ICRC
#define SLOW       10 // a port whose speed is this part of the receiver's sends nothing

// Whether a port has the switch's values.
static bool is_usual(const struct sonic *s, const struct sonic_port *p)
{
	return p->group == s->of_switch;
}

// Ports of the speed of a port that have the switch's values.
static unsigned alike(const struct sonic *s, const struct sonic_port *p)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_ports; i++)
		n += s->port[i].speed == p->speed && is_usual(s, &s->port[i]);
	return n;
}

// Returns whether a port of this speed is the better receiver. Of two equally common speeds the
// slower one is better, because its queue fills. A port with at most a tenth of the other speed is
// a service port and no receiver.
static bool is_better(uint64_t speed, uint64_t than)
{
	return speed <= than ? speed * SLOW > than : than * SLOW <= speed;
}

// The last port of the most common speed, of ports with the switch's values.
static unsigned receiver(const struct sonic *s)
{
	unsigned best = (unsigned)(s->base - s->port), best_n = alike(s, s->base);

	for (unsigned i = best + 1; i < s->n_ports; i++) {
		const struct sonic_port *p = &s->port[i];
		uint64_t than = s->port[best].speed;
		unsigned n;

		if (!is_usual(s, p))
			continue;
		n = p->speed == than ? best_n : alike(s, p);
		if (n > best_n ||
			(n == best_n && (p->speed == than || is_better(p->speed, than)))) {
			best = i;
			best_n = n;
		}
	}
	return best;
}

static bool is_chosen(const struct sonic_flow *f, unsigned port)
{
	for (unsigned i = 0; i < f->n; i++) {
		if (f->from[i] == port)
			return true;
	}
	return false;
}

// The first DSCP of a class, -1: none.
static int dscp_of(const struct sonic *s, unsigned cls)
{
	for (int i = 0; i < 64; i++) {
		if (s->base->dscp[i] == cls)
			return i;
	}
	return -1;
}

static bool has_pfc(const struct sonic *s, unsigned cls)
{
	const struct sonic_value *v = s->cls[s->base->pg[cls]];

	return sonic_is_true(&v[SONIC_LOSSLESS]) && sonic_is_true(&v[SONIC_PFC_ENABLE]);
}

static bool is_marked(const struct sonic *s, unsigned cls)
{
	const struct sonic_value *v = s->cls[s->base->queue[cls]];

	return v[SONIC_WRED_MAX].text && !v[SONIC_WRED_ECN].text;
}

// The first class that a DSCP leads to and that `suits`; PKT_CLASSES: there is none.
static unsigned find_class(
	const struct sonic *s, bool (*suits)(const struct sonic *s, unsigned cls), bool by_dscp)
{
	unsigned cls = 0;

	while (cls < PKT_CLASSES && !(suits(s, cls) && (!by_dscp || dscp_of(s, cls) >= 0)))
		cls++;
	return cls;
}

// Whether a port gives the flow's frames the flow's class, as lossless as the switch's values have
// it.
static bool takes_class(const struct sonic *s, const struct sonic_port *p)
{
	const unsigned cls = s->flow.cls;
	const struct sonic_value *lossless = &p->cls[p->pg[cls]][SONIC_LOSSLESS];

	return p->dscp[s->flow.dscp] == cls &&
	       sonic_is_true(lossless) == sonic_is_true(&s->cls[s->base->pg[cls]][SONIC_LOSSLESS]);
}

// Adds ports of a kind as senders until there are `most`: ports of the receiver's speed with the
// switch's values, other ports that are not slow and take the class, or any port.
enum senders { SENDERS_ALIKE, SENDERS_NOT_SLOW, SENDERS_ANY };

static void add_senders(struct sonic *s, enum senders kind, unsigned most)
{
	struct sonic_flow *f = &s->flow;
	uint64_t speed = s->port[f->to].speed;

	for (unsigned i = 0; i < s->n_ports && f->n < most; i++) {
		const struct sonic_port *p = &s->port[i];
		bool is_fit = kind == SENDERS_ANY;

		if (kind == SENDERS_ALIKE)
			is_fit = p->speed == speed && is_usual(s, p);
		else if (kind == SENDERS_NOT_SLOW)
			is_fit = p->speed * SLOW > speed && takes_class(s, p);
		if (is_fit && i != f->to && !is_chosen(f, i))
			f->from[f->n++] = i;
	}
}

// The longest RoCE MTU up to 1024 whose frames every port takes.
static unsigned flow_mtu(const struct sonic *s)
{
	unsigned mtu = 1024;

	for (unsigned i = 0; i < s->n_ports; i++) {
		while (s->port[i].mtu_bytes && mtu + ROCE_BYTES > s->port[i].mtu_bytes && mtu > 256)
			mtu /= 2;
	}
	return mtu;
}

// Why no frame of the flow is marked and no port is paused.
static const char *why_silent(struct sonic *s, const struct sonic_flow *f)
{
	unsigned pfc = find_class(s, has_pfc, false), marked = find_class(s, is_marked, false);

	if (!has_pfc(s, f->cls) && !is_marked(s, f->cls)) {
		if (pfc < PKT_CLASSES || marked < PKT_CLASSES)
			return sonic_text(s, "%s leads no DSCP to class %u",
				s->base->dscp_from ? s->base->dscp_from
						   : "PORT_QOS_MAP, without dscp_to_tc_map,",
				pfc < PKT_CLASSES ? pfc : marked);
		return "no class has PFC (pfc_enable of PORT_QOS_MAP and a BUFFER_PG with xoff), "
		       "and no QUEUE has a wred_profile that marks";
	}
	if (f->n > 1 || s->port[f->from[0]].speed > s->port[f->to].speed)
		return NULL;
	if (s->n_ports > 2)
		return "one port alone can send in the class at this speed, which cannot fill a "
		       "queue";
	return "PORT has one other port in service, which cannot fill a queue alone";
}

void sonic_flow(struct sonic *s)
{
	struct sonic_flow *f = &s->flow;

	f->to = receiver(s);
	f->cls = find_class(s, has_pfc, true);
	if (f->cls == PKT_CLASSES)
		f->cls = find_class(s, is_marked, true);
	if (f->cls == PKT_CLASSES)
		f->cls = s->base->dscp[0];
	f->dscp = (unsigned)dscp_of(s, f->cls);
	add_senders(s, SENDERS_ALIKE, SONIC_SENDERS);
	add_senders(s, SENDERS_NOT_SLOW, 2);
	add_senders(s, SENDERS_ANY, 1);
	f->mtu = flow_mtu(s);
	f->silent = why_silent(s, f);
}
