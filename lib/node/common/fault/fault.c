// SPDX-License-Identifier: BSD-3-Clause
// The injector: what arrives, what is hit, what goes on.
#include "fault.h"

#include <errno.h>
#include <stdlib.h>

struct fault {
	struct fault_params p;
	struct fault_stats stats;
	struct pkt *first, *last; // that go on now
};

int fault_new(struct fault **out, const struct fault_params *p)
{
	struct fault *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->p = *p;
	*out = f;
	return 0;
}

void fault_free(struct fault *f)
{
	free(f);
}

void fault_put(struct fault *f, struct pkt *p, tstamp now)
{
	(void)now;
	f->stats.in_frames++;
	p->next = NULL;
	if (f->first)
		f->last->next = p;
	else
		f->first = p;
	f->last = p;
}

struct pkt *fault_get(struct fault *f, tstamp now)
{
	struct pkt *p = f->first;

	(void)now;
	if (!p)
		return NULL;
	f->first = p->next;
	f->stats.on_frames++;
	return p;
}

tstamp fault_deadline(const struct fault *f)
{
	(void)f;
	return TSTAMP_NEVER;
}

uint32_t fault_held(const struct fault *f)
{
	(void)f;
	return 0;
}

void fault_each_held(const struct fault *f, void (*fn)(void *arg, const struct pkt *p), void *arg)
{
	(void)f;
	(void)fn;
	(void)arg;
}

const char *fault_action_name(enum fault_action a)
{
	static const char *const names[FAULT_ACTIONS] = {
		[FAULT_ECN] = "ecn",
		[FAULT_DROP] = "drop",
		[FAULT_CORRUPT] = "corrupt",
		[FAULT_DELAY] = "delay",
		[FAULT_REORDER] = "reorder",
		[FAULT_DUPLICATE] = "duplicate",
		[FAULT_REWRITE] = "rewrite",
		[FAULT_FORGE] = "forge",
	};

	return names[a];
}

const char *fault_field_name(enum fault_field f)
{
	static const char *const names[FAULT_FIELDS] = {
		[FAULT_DST_MAC] = "dst_mac",
		[FAULT_SRC_MAC] = "src_mac",
		[FAULT_ETHERTYPE] = "ethertype",
		[FAULT_VLAN] = "vlan",
		[FAULT_PCP] = "pcp",
		[FAULT_SRC_IP] = "src_ip",
		[FAULT_DST_IP] = "dst_ip",
		[FAULT_DSCP] = "dscp",
		[FAULT_IP_ECN] = "ecn",
		[FAULT_TTL] = "ttl",
		[FAULT_IP_ID] = "ip_id",
		[FAULT_UDP_SPORT] = "udp_sport",
		[FAULT_UDP_DPORT] = "udp_dport",
		[FAULT_OPCODE] = "opcode",
		[FAULT_SE] = "se",
		[FAULT_MIGREQ] = "migreq",
		[FAULT_PKEY] = "pkey",
		[FAULT_QPN] = "qpn",
		[FAULT_ACKREQ] = "ackreq",
		[FAULT_PSN] = "psn",
		[FAULT_SYNDROME] = "syndrome",
		[FAULT_MSN] = "msn",
	};

	return names[f];
}
