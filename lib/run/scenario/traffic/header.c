// SPDX-License-Identifier: BSD-3-Clause
// Header fields of a flow's frames: addresses, tag, TTL and UDP source port, and the keys that have
// no frame of ours to be in.
#include <string.h>

#include "int.h"

void traffic_header(struct draft *b, struct hdr *h, const struct draft_flow *f,
	const struct draft_node *from, const struct draft_node *to, unsigned cls)
{
	struct opt_ip source, target;
	unsigned pcp = f->spec->pcp == OPT_AUTO || cls != f->cls ? hardware_pcp(from, cls)
								 : (unsigned)f->spec->pcp;

	*h = (struct hdr){.proto = 17, .ttl = f->spec->ttl, .id = ++b->s->n_hdrs};
	hardware_address(from, h->src, &source);
	hardware_address(to, h->dst, &target);
	memcpy(h->saddr, source.bytes, sizeof(h->saddr));
	memcpy(h->daddr, target.bytes, sizeof(h->daddr));
	h->flags = source.v6 ? HDR_IPV6 : HDR_IPV4;
	h->ethertype = source.v6 ? ETH_P_IPV6 : ETH_P_IPV4;
	if (f->spec->vlan != OPT_NONE) {
		h->flags |= HDR_VLAN;
		h->vlan_tci = (uint16_t)(pcp << 13 | f->spec->vlan);
	}
}

uint16_t traffic_sport(struct draft *b, const struct draft_flow *f, uint16_t usual)
{
	const struct opt_range *r = &f->spec->udp_sport;
	unsigned nth;

	if (b->made_of != f->spec)
		b->n_made = 0;
	b->made_of = f->spec;
	nth = b->n_made++;
	return r->low == OPT_AUTO ? usual : (uint16_t)(r->low + nth % (r->high - r->low + 1));
}

// Whether a key has another value than its default.
static bool is_set(const struct draft_flow *f, const char *key)
{
	const struct opt *row = opt_row(&scene_opts_flow, key);
	char value[40];

	return opt_format(row, f->spec, value, sizeof(value)) && strcmp(value, row->def) != 0;
}

// The first of the keys, which NULL ends, that is set; NULL: none is.
static const char *first_set(const struct draft_flow *f, const char *const *keys)
{
	while (*keys && !is_set(f, *keys))
		keys++;
	return *keys;
}

static const struct yamldoc_node *where(const struct draft_flow *f, const char *key)
{
	return draft_given(&scene_opts_flow, f->spec, key, f->key);
}

static int check_raw(struct draft *b, const struct draft_flow *f)
{
	const char *key = first_set(f, (const char *const[]){"ttl", "udp_sport", NULL});

	if (!key)
		return 0;
	return yamldoc_err(b->err, where(f, key),
		"flow '%s' is raw, so its frames have no IP header for `%s`; drop one", f->name,
		key);
}

static int check_read(struct draft *b, const struct draft_flow *f)
{
	const char *key = first_set(f, (const char *const[]){"ack_dscp", "ack_ecn", NULL});

	if (!key)
		return 0;
	return yamldoc_err(b->err, where(f, key),
		"flow '%s' is a READ, whose data are not acknowledged; drop %s", f->name, key);
}

// Refuses the fields of frames that an external receiver makes.
static int check_receiver(struct draft *b, const struct draft_flow *f, const struct draft_node *n)
{
	const char *key =
		first_set(f, (const char *const[]){"ack_dscp", "ack_ecn", "cnp_ecn", NULL});

	if (!key)
		return 0;
	return yamldoc_err(b->err, where(f, key),
		"flow '%s': %s is external and makes the ACKs and CNPs itself; set it there, and "
		"drop %s",
		f->name, n->name, key);
}

// Refuses the fields of frames that an external sender makes.
static int check_sender(struct draft *b, const struct draft_flow *f, const struct draft_node *n)
{
	const char *key = first_set(f, (const char *const[]){"udp_sport", "src_qpn", NULL});

	if (!key)
		return 0;
	return yamldoc_err(b->err, where(f, key),
		"flow '%s': %s is external and sends the data; it chooses its source port and QPN "
		"itself (peer: {qpn: N} tells the QPN), so drop %s",
		f->name, n->name, key);
}

// A frame goes to the lcore of its queue pair by its QPN.
static int check_lanes(struct draft *b, const struct draft_flow *f, const struct draft_node *n)
{
	if (n->host->lcores == 1)
		return 0;
	return yamldoc_err(b->err, where(f, "src_qpn"),
		"flow '%s': %s has %u lcores, which share its queue pairs by their QPNs; drop "
		"src_qpn, or lcores",
		f->name, n->name, n->host->lcores);
}

// The side that asks by RDMA-CM tells its first PSN; without RDMA-CM somebody has told it the
// external host.
static int check_psn(struct draft *b, const struct draft_flow *f, bool external_asks)
{
	const bool connects = f->spec->peer.port != OPT_NONE;

	if (f->spec->psn == OPT_AUTO || (connects && !external_asks))
		return 0;
	return yamldoc_err(b->err, where(f, "psn"),
		connects ? "flow '%s': the external host connects and says its first PSN; drop psn"
			 : "flow '%s' has an external end, which was told the first PSN; write it "
			   "as peer: {psn: N}",
		f->name);
}

int traffic_header_check(struct draft *b, const struct draft_flow *f)
{
	const bool reads = !f->is_open_loop && f->spec->verb == RC_READ;
	int rc = 0;

	if (f->is_open_loop && f->spec->open_loop.raw)
		rc = check_raw(b, f);
	if (!rc && reads)
		rc = check_read(b, f);
	for (unsigned i = 0; !rc && !f->is_open_loop && i < f->n_pairs; i++) {
		const struct draft_pair *p = &f->pair[i];

		if (f->spec->src_qpn != OPT_AUTO)
			rc = check_lanes(b, f, p->from);
		if (rc)
			break;
		if (p->to->host->external)
			rc = check_receiver(b, f, p->to);
		if (!rc && p->from->host->external)
			rc = check_sender(b, f, p->from);
		if (!rc && (p->to->host->external || p->from->host->external))
			rc = check_psn(b, f, p->from->host->external != reads);
	}
	return rc;
}
