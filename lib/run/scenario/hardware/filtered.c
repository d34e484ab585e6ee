// SPDX-License-Identifier: BSD-3-Clause
// Frames of a capture that nobody gets: a switch finds their receiver behind the port by which they
// come, or the NIC at the end has another address.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "wire/eth.h"

struct entry {
	uint64_t key;
	unsigned port;
};

// The entries of a switch, in order of their keys.
struct known {
	struct entry *entry;
	unsigned n;
};

// Frames of one host that are lost for one reason, and the address of the first of them.
struct lost {
	uint64_t frames;
	const uint8_t *mac;
	const struct draft_node *at; // the NIC that drops them, or NULL
};

struct look {
	struct draft *b;
	struct known *known; // by node
	bool any_takes;      // some host besides the one that sends takes every frame
	struct lost back, wrong;
};

static int by_key(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static struct known *known_of(struct look *l, const struct draft_node *sw)
{
	const struct sw_params *p = &l->b->s->node[sw->index].u.sw;
	struct known *k = &l->known[sw->place];

	if (k->entry)
		return k;
	k->entry = draft_scrap(l->b, (p->n_fdb + 1ul) * sizeof(*k->entry));
	if (!k->entry)
		return NULL;
	for (unsigned i = 0; i < p->n_fdb; i++)
		k->entry[i] = (struct entry){eth_key(p->fdb[i].mac, p->fdb[i].vid), p->fdb[i].port};
	k->n = p->n_fdb;
	qsort(k->entry, k->n, sizeof(*k->entry), by_key);
	return k;
}

static void note_lost(struct lost *lost, const struct cap_station *x, uint64_t frames,
	const struct draft_node *at)
{
	if (!lost->frames) {
		lost->mac = x->mac;
		lost->at = at;
	}
	lost->frames += frames;
}

// Returns whether a host drops the frames to this address. A NIC takes only frames to its own
// address; a host that only replays takes all.
static bool nic_refuses(const struct draft_node *n, const struct cap_station *x)
{
	struct opt_ip ip;
	uint8_t mac[6];

	if (n->external || n->outside || !hardware_has_nic(n))
		return false;
	hardware_address(n, mac, &ip);
	return memcmp(mac, x->mac, 6) != 0;
}

// Whether a device is at an end of a link: on the real clock the frames leave the process there.
static bool has_device(const struct draft_link *l)
{
	return l->node[0]->port[l->port[0]]->spec->device ||
	       l->node[1]->port[l->port[1]]->spec->device;
}

// Frames of a host to an address that the switch does not know: it floods them, but to a port by
// which it has learned the address.
static void flooded(struct look *l, const struct cap_station *x)
{
	bool taken = l->any_takes;

	for (unsigned i = 0; !taken && i < l->b->n_nodes; i++) {
		const struct draft_node *n = l->b->node[i];

		taken = !n->is_switch && hardware_has_nic(n) && !nic_refuses(n, x);
	}
	if (x->to_after)
		note_lost(&l->back, x, x->to_after, NULL);
	if (!taken && x->to > x->to_after)
		note_lost(&l->wrong, x, x->to - x->to_after, NULL);
}

// Follows the frames to one address, as the switches would forward them, from the node behind `n`'s
// port. -ENOMEM.
static int follow_frames(
	struct look *l, const struct draft_node *n, unsigned port, const struct cap_station *x)
{
	for (unsigned hops = 0; hops < l->b->n_nodes; hops++) {
		const struct draft_node *next = draft_peer(n, port);
		unsigned in = n->port[port]->link->port[!n->port[port]->end];
		struct entry want = {.key = eth_key(x->mac, x->vid)}, *found;
		struct known *k;

		if (next->external || has_device(n->port[port]->link))
			return 0;
		if (!next->is_switch) {
			if (nic_refuses(next, x))
				note_lost(&l->wrong, x, x->to, next);
			return 0;
		}
		k = known_of(l, next);
		if (!k)
			return -ENOMEM;
		found = bsearch(&want, k->entry, k->n, sizeof(want), by_key);
		if (!found) {
			flooded(l, x);
			return 0;
		}
		if (found->port == in) {
			note_lost(&l->back, x, x->to, NULL);
			return 0;
		}
		n = next;
		port = found->port;
	}
	return 0;
}

// Whether a host besides `n` takes frames to any address.
static bool any_takes(const struct draft *b, const struct draft_node *n)
{
	bool takes = false;

	for (unsigned i = 0; i < b->n_nodes; i++) {
		const struct draft_node *o = b->node[i];

		takes |= o != n && !o->is_switch &&
			 (o->external || o->outside || !hardware_has_nic(o) ||
				 has_device(o->port[0]->link));
	}
	return takes;
}

static void warn(const struct look *l, const struct draft_node *n)
{
	const struct yamldoc_node *at = opt_source(&scene_opts_host, n->host, "replay");
	const struct draft_node *peer = draft_peer(n, 0);
	unsigned long long all = n->scan->seen.frames, local = n->scan->link_local;
	char mac[18];

	if (local && peer->is_switch && !peer->external && !has_device(n->port[0]->link))
		draft_warn(l->b, at,
			"host '%s': %llu of %llu frames of a round are for the other end of the "
			"link alone (MAC control, or to 01:80:c2:00:00:00..0f), so the switch "
			"passes none of them on",
			n->name, local, all);
	if (l->back.frames)
		draft_warn(l->b, at,
			"host '%s': %llu of %llu frames of a round go to addresses behind the port "
			"by which they come, so the switch filters them (%s is the first); %s",
			n->name, (unsigned long long)l->back.frames, all,
			units_format_mac(l->back.mac, mac, sizeof(mac)),
			n->other_side ? "split: none sends all frames from one host to the other"
				      : "split: auto and a host with other_side_of give each side "
					"its own port");
	if (l->wrong.frames)
		draft_warn(l->b, at,
			"host '%s': %llu of %llu frames of a round go to addresses that no host "
			"takes, so %s drops them (%s is the first); rewrite dst_mac, or receive by "
			"a host with replay: {file: none}",
			n->name, (unsigned long long)l->wrong.frames, all,
			l->wrong.at ? l->wrong.at->name : "every NIC",
			units_format_mac(l->wrong.mac, mac, sizeof(mac)));
}

int hardware_filtered(struct draft *b)
{
	struct look l = {.b = b, .known = draft_scrap(b, b->n_nodes * sizeof(*l.known))};
	int rc = l.known ? 0 : -ENOMEM;

	for (unsigned i = 0; !rc && i < b->n_nodes; i++) {
		const struct draft_node *n = b->node[i];

		if (n->is_switch || !n->scan)
			continue;
		l.any_takes = any_takes(b, n);
		l.back = l.wrong = (struct lost){0};
		for (uint32_t k = 0; !rc && k < n->scan->n_stations; k++)
			if (n->scan->station[k].to)
				rc = follow_frames(&l, n, 0, &n->scan->station[k]);
		if (!rc)
			warn(&l, n);
	}
	return rc;
}
