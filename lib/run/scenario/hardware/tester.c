// SPDX-License-Identifier: BSD-3-Clause
// Hosts that are ports of an instrument: testers of an experiment, and the headers of the frames
// between them.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "int.h"
#include "wire/eth.h"

#define SPORT        0xc000
#define DISCARD_PORT 9
#define HEADERS      (TESTER_UNTAGGED + 1) // of a pair of testers

// Why a node cannot be a tester; NULL: it can.
static const char *unfit(const struct draft_node *n)
{
	if (n->is_switch)
		return "is a switch";
	if (n->external || n->outside || n->elsewhere)
		return "is not run here";
	if (n->tests)
		return "is named twice";
	if (n->has_flows)
		return "takes part in a flow";
	if (hardware_replays(n))
		return "replays a capture";
	return n->host->firmware.file ? "has firmware" : NULL;
}

static int take(struct draft *b, const char *name, struct draft_node **node)
{
	struct draft_node *n;
	const char *why;
	int rc = draft_find_node(b, &n, name, b->doc);

	if (rc)
		return rc;
	why = unfit(n);
	if (why)
		return yamldoc_err(b->err, n->key,
			"'%s' %s, so it is no port of an experiment; name a host without flows",
			name, why);
	n->tests = true;
	*node = n;
	return 0;
}

// Frames of every size that experiments use must fit, and 60 bytes have room for IPv4 only. A host
// with an IPv6 address has the IPv4 address of its number.
static void header(struct hdr *h, const struct draft_node *from, const struct draft_node *to,
	unsigned pcp, uint32_t id)
{
	struct opt_ip source, target;

	*h = (struct hdr){.proto = 17,
		.ttl = 64,
		.flags = HDR_IPV4,
		.ethertype = ETH_P_IPV4,
		.sport = SPORT,
		.dport = DISCARD_PORT,
		.id = id};
	hardware_address(from, h->src, &source);
	hardware_address(to, h->dst, &target);
	memcpy(h->saddr, source.v6 ? (uint8_t[4]){10, 0, h->src[4], h->src[5]} : source.bytes, 4);
	memcpy(h->daddr, target.v6 ? (uint8_t[4]){10, 0, h->dst[4], h->dst[5]} : target.bytes, 4);
	if (pcp == TESTER_UNTAGGED)
		return;
	h->flags |= HDR_VLAN;
	h->vlan_tci = hdr_tci(0, pcp);
}

static int fill(struct draft *b, struct draft_node **node, unsigned n, unsigned k)
{
	struct scene_node *to = &b->s->node[node[k]->index];
	struct hdr *h = draft_get(b, n * HEADERS * sizeof(*h));

	if (!h)
		return -ENOMEM;
	for (unsigned i = 0; i < n * HEADERS; i++)
		header(&h[i], node[k], node[i / HEADERS], i % HEADERS, ++b->s->n_hdrs);
	to->kind = SCENE_TESTER;
	to->u.tester = (struct tester_params){.name = node[k]->name,
		.rate = to->port[0].rate,
		.hdr = h,
		.ports = n,
		// Sources of a scene have 0 there.
		.salt = (uint16_t)(1 + (b->s->seed ^ b->s->seed >> 16) % UINT16_MAX)};
	memcpy(to->u.tester.mac, to->mac, sizeof(to->mac));
	if (to->port[0].mtu > b->s->max_frame)
		b->s->max_frame = to->port[0].mtu;
	return 0;
}

int hardware_testers(struct draft *b)
{
	unsigned n = b->opts ? b->opts->n_testers : 0;
	struct draft_node **node = n ? draft_get(b, n * sizeof(struct draft_node *)) : NULL;
	int rc = 0;

	b->s->tester = n ? draft_get(b, n * sizeof(*b->s->tester)) : NULL;
	if (n && (!node || !b->s->tester))
		return -ENOMEM;
	if (n > TESTER_PORTS)
		return yamldoc_err(b->err, b->doc,
			"%u hosts are ports of an experiment, and it has at most %u", n,
			TESTER_PORTS);
	for (unsigned k = 0; !rc && k < n; k++)
		rc = take(b, b->opts->testers[k], &node[k]);
	for (unsigned k = 0; !rc && k < n; k++) {
		rc = fill(b, node, n, k);
		b->s->tester[b->s->n_testers++] = (uint16_t)node[k]->index;
	}
	return rc;
}
