// SPDX-License-Identifier: BSD-3-Clause
// The lists of a step of the lab, put together item by item.
#include "int.h"

#include <errno.h>
#include <stdlib.h>

#include "wire/pfc.h"

#define FULL_PAUSE 65535 // quanta

void probe_list_new(struct probe *p, const char *name)
{
	for (unsigned i = 0; i < TESTER_PORTS; i++)
		p->list.step.port[i].n = 0;
	p->list.step.name = name;
	p->list.step.tail = probe_w(p);
	p->list.step.longest = p->cfg->most_step;
	p->list.step.room = 0;
	p->list.no_memory = p->list.whole_rate = false;
}

void probe_list_free(struct probe *p)
{
	for (unsigned i = 0; i < TESTER_PORTS; i++)
		free(p->list.item[i]);
	p->list = (struct probe_list){0};
}

int32_t probe_add(struct probe *p, unsigned port, struct tester_item item)
{
	struct lab_list *to = &p->list.step.port[port];

	if (to->n == p->list.space[port]) {
		unsigned space = to->n ? 2 * to->n : 16;
		struct tester_item *more = realloc(p->list.item[port], space * sizeof(*more));

		if (!more) {
			p->list.no_memory = true;
			return TESTER_AT_START;
		}
		p->list.item[port] = more;
		p->list.space[port] = space;
		to->item = more;
	}
	p->list.item[port][to->n] = item;
	return (int32_t)to->n++;
}

uint8_t probe_dscp(const struct probe *p, unsigned cls)
{
	uint8_t told = p->cfg->dscp[cls];
	uint64_t found = p->found->dscps[cls];

	if (found && (told == PROBE_NO_DSCP || !(found >> told & 1)))
		return (uint8_t)__builtin_ctzll(found);
	return told;
}

// The same for a PCP; TESTER_UNTAGGED: none is known.
static uint8_t pcp_of(const struct probe *p, unsigned cls)
{
	uint8_t told = p->cfg->pcp[cls], found = p->found->pcps[cls];

	if (found && (told == TESTER_UNTAGGED || !(found >> told & 1)))
		return (uint8_t)__builtin_ctz(found);
	return told;
}

bool probe_reaches(const struct probe *p, unsigned cls)
{
	return p->cfg->by_pcp ? pcp_of(p, cls) != TESTER_UNTAGGED
			      : probe_dscp(p, cls) != PROBE_NO_DSCP;
}

struct tester_item probe_data(
	const struct probe *p, unsigned from, unsigned to, unsigned cls, uint32_t count)
{
	const bool tagged = p->cfg->by_pcp;
	const uint8_t dscp = tagged ? PROBE_NO_DSCP : probe_dscp(p, cls);

	return (struct tester_item){.kind = TESTER_DATA,
		.after = TESTER_AT_START,
		.count = count,
		.len = p->unit,
		.to = (uint8_t)to,
		.tos = (uint8_t)((dscp == PROBE_NO_DSCP ? 0 : dscp << 2) | ECN_ECT0),
		.pcp = tagged ? pcp_of(p, cls) : TESTER_UNTAGGED,
		.source = PROBE_SOURCE(from, 0)};
}

struct tester_item probe_pfc(uint8_t classes, unsigned quanta)
{
	struct tester_item i = {.kind = TESTER_MAC,
		.after = TESTER_AT_START,
		.count = 1,
		.len = PROBE_SHORT,
		.opcode = MACCTL_PFC,
		.pfc.enable = classes};

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		i.pfc.quanta[c] = classes >> c & 1 ? (uint16_t)quanta : 0;
	return i;
}

struct tester_item probe_hold(const struct probe *p, uint8_t classes)
{
	return probe_storm(classes, FULL_PAUSE / 2 * p->quantum);
}

struct tester_item probe_storm(uint8_t classes, tstamp gap)
{
	struct tester_item i = probe_pfc(classes, FULL_PAUSE);

	i.kind = TESTER_HOLD;
	i.count = 0;
	i.gap = gap;
	return i;
}

struct tester_item probe_release(uint8_t classes, tstamp at)
{
	return (struct tester_item){.kind = TESTER_RELEASE,
		.after = TESTER_AT_START,
		.at = at,
		.len = PROBE_SHORT,
		.opcode = MACCTL_PFC,
		.pfc.enable = classes};
}

tstamp probe_fill(struct probe *p, unsigned cls, const uint32_t *frames, unsigned len)
{
	tstamp at = probe_tb(p);

	probe_add(p, p->cfg->out[0], probe_hold(p, (uint8_t)(1u << cls)));
	for (unsigned k = p->cfg->n_in; k-- > 0;) {
		struct tester_item i = probe_data(p, p->cfg->in[k], p->cfg->out[0], cls, frames[k]);

		if (!i.count)
			continue;
		i.at = at;
		if (len)
			i.len = (uint16_t)len;
		probe_add(p, p->cfg->in[k], i);
		at += i.count * probe_wire(p, i.len);
		if (k)
			at += probe_w(p);
	}
	return at;
}

tstamp probe_ramp(struct probe *p, unsigned cls, uint32_t frames, unsigned inputs, unsigned ecn,
	unsigned slow, tstamp at)
{
	struct tester_item hold = probe_hold(p, (uint8_t)(1u << cls));
	uint32_t share = (frames + inputs - 1) / inputs;
	tstamp wire = probe_wire(p, p->unit);
	tstamp release = at + probe_tb(p) + slow * share * wire + probe_w(p) + probe_more(p);

	hold.at = at;
	probe_add(p, p->cfg->out[0], hold);
	for (unsigned k = 0; k < inputs; k++) {
		uint32_t n = share < frames ? share : frames;
		struct tester_item i = probe_data(p, p->cfg->in[k], p->cfg->out[0], cls, n);

		frames -= n;
		if (!n)
			break;
		i.at = at + probe_tb(p);
		i.gap = slow > 1 ? slow * wire : 0;
		i.tos = (uint8_t)((i.tos & ~3u) | ecn);
		probe_add(p, p->cfg->in[k], i);
	}
	probe_add(p, p->cfg->out[0], probe_release((uint8_t)(1u << cls), release));
	return release + share * inputs * wire + probe_release_time(p);
}
