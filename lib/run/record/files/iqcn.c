// SPDX-License-Identifier: BSD-3-Clause
// iqcn.csv: the flow tables of switches with iQCN at the end of the run.
#include <arpa/inet.h>

#include "int.h"

#define LINE 512

static char *address(char *p, const uint8_t bytes[16], bool ipv4)
{
	inet_ntop(ipv4 ? AF_INET : AF_INET6, bytes, p, INET6_ADDRSTRLEN);
	return p + strlen(p);
}

static void put_flow(struct out *o, const struct record *r, const struct net_node *n,
	const struct iqcn *q, const struct iqcn_entry *e, tstamp end)
{
	bool ipv4 = e->hdr.flags & HDR_IPV4;
	char *p;

	out_printf(o, "%s,%s,", n->scene->name, n->scene->port[e->port].name);
	p = out_room(o, LINE);
	p = fmt_text(p, evf_owner_name(r->names, e->hdr.id));
	*p++ = ',';
	p = address(p, e->hdr.daddr, ipv4);
	*p++ = ',';
	p = address(p, e->hdr.saddr, ipv4);
	*p++ = ',';
	p = fmt_u64(p, e->qpn);
	*p++ = ',';
	p = fmt_us(p, e->last);
	*p++ = ',';
	p = fmt_us(p, e->np_last);
	*p++ = ',';
	p = fmt_u64(p, e->tx_cnps);
	*p++ = ',';
	p = fmt_us(p, tstamp_since(end, iqcn_seen(q, e)));
	*p++ = '\n';
	out_upto(o, p);
}

// Writes the flows by port, with the flow first that has waited longest for a CNP.
static void put_port_flows(
	struct out *o, const struct record *r, const struct net_node *n, tstamp end)
{
	for (unsigned port = 0; port < n->scene->n_ports; port++) {
		const struct iqcn *q = sw_iqcn(sw_owner(n->u.sw, port));

		for (uint32_t i = q->port[port].oldest; i; i = q->entry[i - 1].newer)
			put_flow(o, r, n, q, &q->entry[i - 1], end);
	}
}

static bool has_table(const struct net_node *n)
{
	return n->kind == SCENE_SW && sw_iqcn(n->u.sw);
}

int record_iqcn_write(struct record *r, tstamp end, struct err *err)
{
	struct out o = {.fd = -1};
	unsigned tables = 0;
	int rc;

	for (unsigned i = 0; i < r->net->n_nodes; i++)
		tables += has_table(net_node(r->net, i));
	if (!tables)
		return 0;
	rc = record_file(r, &o, "iqcn.csv", err);
	if (rc)
		return rc;
	out_str(&o,
		"switch,port,flow,sender,receiver,qpn,last_cnp_us,last_np_cnp_us,tx_cnp,age_us\n");
	for (unsigned i = 0; i < r->net->n_nodes; i++)
		if (has_table(net_node(r->net, i)))
			put_port_flows(&o, r, net_node(r->net, i), end);
	return out_close(&o, err);
}
