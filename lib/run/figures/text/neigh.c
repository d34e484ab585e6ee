// SPDX-License-Identifier: BSD-3-Clause
// Odd news about addresses, in the table for the terminal: hosts that have moved, addresses that
// two hosts claim, hosts that have an address of ours; and sources that found nobody.
#include <math.h>

#include "frame/icmp.h"
#include "int.h"

static const char *ip_text(const struct scene_node *n, const uint8_t ip[16], char buf[64])
{
	char *p = buf;

	if (!n->u.nic.ipv6) {
		snprintf(buf, 64, "%u.%u.%u.%u", ip[0], ip[1], ip[2], ip[3]);
		return buf;
	}
	for (unsigned i = 0; i < 16; i += 2)
		p += snprintf(p, 8, "%s%x", i ? ":" : "", (unsigned)(ip[i] << 8 | ip[i + 1]));
	return buf;
}

// One kind of news about addresses: how often it came, and the last time.
static void put_note(FILE *f, const struct scene_node *n, const struct nic_neigh_note *note,
	uint64_t times, const char *const words[3], const char *advice)
{
	char ip[64], was[24], other[24];

	if (!times)
		return;
	fprintf(f, "  address     %s: %s %s %s %s %s%s at %.6f s", n->name,
		ip_text(n, note->ip, ip), words[0], units_format_mac(note->was, was, sizeof(was)),
		words[1], units_format_mac(note->other, other, sizeof(other)), words[2],
		(double)note->at / (double)PS_PER_S);
	if (times > 1)
		fprintf(f, ", and %llu times before", (unsigned long long)times - 1);
	fprintf(f, "\n                %s\n", advice);
}

// The host that asked most of a NIC which could not answer in time.
static void put_asker(
	FILE *f, const struct scene_node *n, const struct nic_asker *a, uint64_t times)
{
	const struct nic_asker *most = a;
	char ip[64];

	if (!times)
		return;
	for (unsigned i = 1; i < NIC_ASKERS; i++)
		if (a[i].times > most->times)
			most = &a[i];
	fprintf(f, "  unanswered  %s: %llu requests (ARP, ND, ping, RDMA-CM) were dropped", n->name,
		(unsigned long long)times);
	if (n->u.nic.mtu >= ICMP_HEAD_MAX)
		fprintf(f, ", because answers may take 1/%u of the port's time, and %u may wait",
			NIC_ANSWERS_SHARE, NIC_ANSWERS);
	else
		fprintf(f, ", because its MTU is too small for an answer");
	fprintf(f, "; most came from %s\n", ip_text(n, most->ip, ip));
}

static void put_host(FILE *f, const struct net_node *n)
{
	const struct nic_neigh_notes *notes =
		n->kind == SCENE_NIC ? nic_neigh_notes(n->u.nic) : NULL;
	const struct nic_stats *s = notes ? nic_stats(n->u.nic) : NULL;

	if (!notes)
		return;
	put_asker(f, n->scene, notes->asker, s->drop[NIC_DROP_NO_ANSWER]);
	put_note(f, n->scene, &notes->moved, s->neigh_moved,
		(const char *const[]){"has moved from", "to", ""},
		"frames go there; where no machine was replaced, two have this IP address: "
		"give each its own");
	put_note(f, n->scene, &notes->disputed, s->neigh_disputed,
		(const char *const[]){"is at", "and is said to be at", ", too,"},
		"frames go to the former; "
		"two machines have this IP address, or one answers for another (proxy ARP): "
		"let one answer");
	put_note(f, n->scene, &notes->conflict, s->address_conflicts,
		(const char *const[]){"is ours, at", "and was told by", ", too,"},
		"frames for us may go there: give one of the two another `ip`");
}

static void put_source(FILE *f, const struct rec_source *r, const struct record *rec)
{
	const struct nic *nic = net_nic(rec->net, r->scene->from);
	enum nic_peer_state state = nic ? nic_gen_target(nic, r->scene->gen.source) : NIC_PEER_NONE;

	if (state == NIC_PEER_FAILED)
		fprintf(f,
			"  not sent    %s: nobody answers for the address of %s\n"
			"                see whether the host is up, and in the same network or "
			"behind a `gateway` that is up, or give it its `mac`\n",
			r->scene->name, rec->scene->node[r->scene->to].name);
	else if (state == NIC_PEER_RESOLVES)
		fprintf(f, "  not sent    %s: the run ended before %s was found\n", r->scene->name,
			rec->scene->node[r->scene->to].name);
}

void text_neighbours(FILE *f, const struct summary *s)
{
	const struct record *r = s->rec;

	for (unsigned i = 0; i < r->net->n_nodes; i++)
		put_host(f, net_node(r->net, i));
	for (unsigned i = 0; i < r->n_sources; i++)
		if (r->source[i].scene->ask)
			put_source(f, &r->source[i], r);
}
