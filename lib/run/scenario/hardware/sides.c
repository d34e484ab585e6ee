// SPDX-License-Identifier: BSD-3-Clause
// The two sides of a capture in a network: behind which of two hosts each of its addresses is.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "wire/eth.h"

// An address with what each of the two hosts sends from and to it.
struct claim {
	uint64_t key;
	const struct cap_station *x;
	bool second; // of the second host's frames
};

static int by_key(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static int by_mac(const void *a, const void *b)
{
	return memcmp(a, b, 6);
}

// The addresses of all NICs in order. Each is where its host is, whatever the capture says. A host
// that only replays has no NIC, and the frames for it have addresses of the capture.
static uint8_t (*host_macs(struct draft *b, unsigned *n))[6]
{
	uint8_t(*mac)[6] = draft_scrap(b, (b->n_hosts + 1ul) * sizeof(*mac));

	*n = 0;
	for (unsigned i = 0; mac && i < b->n_nodes; i++) {
		struct opt_ip ip;

		if (!b->node[i]->is_switch && !hardware_only_replays(b->node[i]))
			hardware_address(b->node[i], mac[(*n)++], &ip);
	}
	if (mac)
		qsort(mac, *n, sizeof(*mac), by_mac);
	return mac;
}

// Returns whether an address belongs to the second host: it sends more of the address's frames than
// the first one, or, if neither sends any, no fewer of the frames to it go there than to the first.
// If the second host sends nothing at all, every address belongs to it.
static bool is_seconds(const struct claim *c, unsigned n, bool second_sends)
{
	uint64_t from[2] = {0}, to[2] = {0};

	if (!second_sends)
		return true;
	for (unsigned i = 0; i < n; i++) {
		from[c[i].second] += c[i].x->from;
		to[c[i].second] += c[i].x->to;
	}
	if (from[0] || from[1])
		return from[1] > from[0];
	return to[0] >= to[1];
}

static unsigned claims_of(struct claim *c, const struct draft_node *n, bool second)
{
	for (uint32_t i = 0; i < n->scan->n_stations; i++) {
		const struct cap_station *x = &n->scan->station[i];

		c[i] = (struct claim){eth_key(x->mac, x->vid), x, second};
	}
	return n->scan->n_stations;
}

static int share(struct draft *b, struct draft_node *first, struct draft_node *second)
{
	unsigned most = first->scan->n_stations + second->scan->n_stations, n, n_macs, end;
	struct claim *c = draft_scrap(b, (most + 1ul) * sizeof(*c));
	struct cap_station *owned[2] = {draft_get(b, (most + 1ul) * sizeof(*owned[0])),
		draft_get(b, (most + 1ul) * sizeof(*owned[0]))};
	uint8_t(*mac)[6] = host_macs(b, &n_macs);
	unsigned n_owned[2] = {0};

	if (!c || !owned[0] || !owned[1] || !mac)
		return -ENOMEM;
	n = claims_of(c, first, false);
	n += claims_of(c + n, second, true);
	qsort(c, n, sizeof(*c), by_key);
	for (unsigned i = 0; i < n; i = end) {
		bool who;

		for (end = i + 1; end < n && c[end].key == c[i].key;)
			end++;
		if (bsearch(c[i].x->mac, mac, n_macs, sizeof(*mac), by_mac))
			continue;
		who = is_seconds(c + i, end - i, second->scan->seen.frames > 0);
		owned[who][n_owned[who]++] = *c[i].x;
	}
	first->owned = owned[0];
	first->n_owned = n_owned[0];
	second->owned = owned[1];
	second->n_owned = n_owned[1];
	return 0;
}

int hardware_sides(struct draft *b)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < b->n_nodes; i++) {
		struct draft_node *n = b->node[i];

		if (!n->is_switch && n->scan && n->other_side && n->other_side->scan &&
			n->host->replay.other_side_of)
			rc = share(b, n->other_side, n);
	}
	return rc;
}
