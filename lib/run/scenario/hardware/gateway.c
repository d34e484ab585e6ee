// SPDX-License-Identifier: BSD-3-Clause
// The gateway of a host: the router that gets its frames to other networks.
#include <arpa/inet.h>
#include <string.h>

#include "int.h"
#include "transport/neigh.h"

static bool is_link_local(const struct opt_ip *ip)
{
	return ip->v6 && ip->bytes[0] == 0xfe && (ip->bytes[1] & 0xc0) == 0x80;
}

// Checks a gateway of host `n`, whose own address is `ip`, in a network of this prefix.
static int check(
	struct draft *b, const struct draft_node *n, const struct opt_ip *ip, unsigned prefix)
{
	const struct spec_gateway *g = &n->host->gateway;
	const struct opt_table *t = opt_row(&scene_opts_host, "gateway")->sub;
	const struct yamldoc_node *at = opt_source(t, g, "ip");
	char ours[INET6_ADDRSTRLEN];

	inet_ntop(ip->v6 ? AF_INET6 : AF_INET, ip->bytes, ours, sizeof(ours));
	if (ip->v6 != g->ip.v6)
		return yamldoc_err(b->err, at,
			"host '%s' has the address %s, and its gateway is %s; give both one "
			"version of IP",
			n->name, ours, at->text);
	if (!ip->v6 && prefix > 31)
		return yamldoc_err(b->err, opt_source(t, g, "prefix"),
			"prefix %u is longer than a network of IPv4 has; it can be 1..31", prefix);
	if (!memcmp(ip->bytes, g->ip.bytes, sizeof(ip->bytes)))
		return yamldoc_err(b->err, at,
			"gateway %s is the address of host '%s' itself; give the router's",
			at->text, n->name);
	if (is_link_local(&g->ip) || neigh_same_network(ip->bytes, g->ip.bytes, prefix))
		return 0;
	return yamldoc_err(b->err, at,
		"gateway %s is not in the network of host '%s', %s/%u; give a router of that "
		"network, or another prefix",
		at->text, n->name, ours, prefix);
}

int hardware_gateway(struct draft *b, struct nic_gateway *to, const struct draft_node *n)
{
	const struct spec_gateway *g = &n->host->gateway;
	const struct opt_table *t = opt_row(&scene_opts_host, "gateway")->sub;
	const struct yamldoc_node *at = opt_source(&scene_opts_host, n->host, "gateway");
	struct opt_ip ip;
	unsigned prefix;
	uint8_t mac[6];
	int rc;

	if (!at)
		return 0;
	hardware_address(n, mac, &ip);
	prefix = g->prefix != OPT_AUTO ? (unsigned)g->prefix : ip.v6 ? 64 : 24;
	rc = opt_require(t, g, at, b->err);
	if (!rc)
		rc = check(b, n, &ip, prefix);
	if (rc || !b->opts || !b->opts->real || !b->is_cut)
		return rc;
	memcpy(to->ip, g->ip.bytes, sizeof(to->ip));
	to->prefix = (uint8_t)prefix;
	return 0;
}

bool hardware_by_gateway(
	const struct draft *b, const struct draft_node *from, const struct draft_node *to)
{
	const struct scene_node *node = &b->s->node[from->index];
	struct opt_ip ours, there;
	uint8_t mac[6];

	if (node->kind != SCENE_NIC || !node->u.nic.gateway.prefix)
		return false;
	hardware_address(from, mac, &ours);
	hardware_address(to, mac, &there);
	return !neigh_same_network(ours.bytes, there.bytes, node->u.nic.gateway.prefix);
}
