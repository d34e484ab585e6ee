// SPDX-License-Identifier: BSD-3-Clause
// Ways of equal cost (ECMP): which of several ports a flow takes, by a seeded hash of its header.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/prng.h"
#include "int.h"

static inline uint64_t mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15;
	return h ^ h >> 32;
}

uint64_t sw_ecmp_salt(uint64_t seed, const char *name)
{
	char owner[96];
	struct prng rng;

	snprintf(owner, sizeof(owner), "%s ways", name);
	prng_init(&rng, seed, owner);
	return prng_u64(&rng);
}

// What routers hash: addresses, VLAN, protocol, UDP ports; nothing that differs between the frames
// of a flow.
uint64_t sw_ecmp_hash(uint64_t salt, const struct hdr *h)
{
	uint16_t vid = h->flags & HDR_VLAN ? h->vlan_tci & 0xfff : 0;
	uint64_t ip[4];

	salt = mix(salt, eth_key(h->dst, vid));
	salt = mix(salt, eth_key(h->src, vid));
	if (h->flags & HDR_IP) {
		memcpy(ip, h->saddr, 16);
		memcpy(ip + 2, h->daddr, 16);
		for (unsigned i = 0; i < 4; i++)
			salt = mix(salt, ip[i]);
		salt = mix(salt, (uint64_t)h->proto << 32 | (uint32_t)h->sport << 16 | h->dport);
	}
	return mix(salt, 0);
}

// The one of the ports that a hash falls on, or PKT_NO_PORT where there is none.
static unsigned choose(const uint64_t *ports, uint64_t hash)
{
	unsigned n = 0, at;

	for (unsigned w = 0; w < NODE_PORT_WORDS; w++)
		for (uint64_t set = ports[w]; set; set &= set - 1)
			n++;
	at = (unsigned)((unsigned __int128)hash * n >> 64);
	for (unsigned w = 0; w < NODE_PORT_WORDS; w++)
		for (uint64_t set = ports[w]; set; set &= set - 1)
			if (!at--)
				return w * 64 + (unsigned)__builtin_ctzll(set);
	return PKT_NO_PORT;
}

unsigned sw_ecmp_port(const struct sw_ecmp_group *ecmp, const uint64_t *up, uint64_t hash)
{
	unsigned port = choose(ecmp->port, hash);
	uint64_t left[NODE_PORT_WORDS];
	unsigned other;

	if (!up || port == PKT_NO_PORT || up[port / 64] >> port % 64 & 1)
		return port;
	for (unsigned w = 0; w < NODE_PORT_WORDS; w++)
		left[w] = ecmp->port[w] & up[w];
	other = choose(left, mix(hash, 1));
	return other == PKT_NO_PORT ? port : other;
}

// As sw_ecmp_port by a list of the set's ports; another port is looked for where the link is down.
unsigned sw_ecmp_way(const struct sw *sw, unsigned set, const struct hdr *h)
{
	const struct sw_ecmp_set *s = &sw->ecmp_set[set];
	uint64_t hash = sw_ecmp_hash(sw->ecmp_salt, h);
	unsigned port = s->port[(unsigned __int128)hash * s->n >> 64];

	if (SW_LIKELY(sw->up[port / 64] >> port % 64 & 1))
		return port;
	return sw_ecmp_port(&sw->ecmp[set], sw->up, hash);
}

int sw_ecmp_lists(struct sw *sw)
{
	uint16_t *port;

	sw->ecmp_set = calloc(sw->n_ecmp, sizeof(*sw->ecmp_set));
	sw->ecmp_list = port = calloc((size_t)sw->n_ecmp * NODE_PORTS, sizeof(*port));
	if (!sw->ecmp_set || !port)
		return -ENOMEM;
	for (unsigned i = 0; i < sw->n_ecmp; i++) {
		struct sw_ecmp_set *s = &sw->ecmp_set[i];

		s->port = port;
		for (unsigned p = 0; p < NODE_PORTS; p++)
			if (sw->ecmp[i].port[p / 64] >> p % 64 & 1)
				*port++ = (uint16_t)p;
		s->n = (unsigned)(port - s->port);
	}
	return 0;
}
