// SPDX-License-Identifier: BSD-3-Clause
// Ways of equal cost (ECMP): which of several ports a flow takes, by a seeded hash of its header.
#include "ecmp.h"

#include <stdio.h>

#include "base/prng.h"
#include "wire/eth.h"

uint64_t sw_ecmp_salt(uint64_t seed, const char *name)
{
	char owner[96];
	struct prng rng;

	snprintf(owner, sizeof(owner), "%s ways", name);
	prng_init(&rng, seed, owner);
	return prng_u64(&rng);
}

uint64_t sw_ecmp_hash(uint64_t salt, const struct hdr *h)
{
	uint16_t vid = h->flags & HDR_VLAN ? h->vlan_tci & 0xfff : 0;
	uint64_t of_place = sw_ecmp_of_place(salt, eth_key(h->dst, vid), eth_key(h->src, vid));

	return sw_ecmp_of_flow(
		sw_ecmp_of_addresses(of_place, h), h->flags & HDR_IP, sw_ecmp_ports(h));
}

// Returns the port that a hash selects from a bitmap of ports; PKT_NO_PORT: there is none.
static unsigned choose_port(const uint64_t *ports, uint64_t hash)
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
	unsigned port = choose_port(ecmp->port, hash);
	uint64_t left[NODE_PORT_WORDS];
	unsigned other;

	if (!up || port == PKT_NO_PORT || up[port / 64] >> port % 64 & 1)
		return port;
	for (unsigned w = 0; w < NODE_PORT_WORDS; w++)
		left[w] = ecmp->port[w] & up[w];
	other = choose_port(left, sw_ecmp_mix(hash, 1));
	return other == PKT_NO_PORT ? port : other;
}
