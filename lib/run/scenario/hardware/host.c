// SPDX-License-Identifier: BSD-3-Clause
// Hosts of a scene: addresses, notification point, receive buffer, firmware.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "int.h"
#include "wire/bth.h"

#define WAITING_MOST (1u << 24) // messages of a host's loads that may wait at a time
#define HOST_QUANTA  65535      // of the XOFF that a receive buffer sends
#define HOST_REFRESH 500

static bool has(const struct draft_node *host, const char *key)
{
	return opt_source(&scene_opts_host, host->host, key) != NULL;
}

static bool port_has(const struct draft_node *host, const char *key)
{
	return opt_source(&scene_opts_port, host->port[0]->spec, key) != NULL;
}

bool hardware_replays(const struct draft_node *host)
{
	return has(host, "replay");
}

bool hardware_only_replays(const struct draft_node *host)
{
	return hardware_replays(host) && !host->has_flows;
}

// Returns whether the scenario gives the host's MAC address; `auto` does not count.
bool hardware_gives_mac(const struct draft_node *host)
{
	return has(host, "mac") && memcmp(host->host->mac, (uint8_t[6]){0}, 6) != 0;
}

// An address comes from `ports`, else from `hosts`, else it is made from the host's number. The MAC
// address of an external host may be zero: the run asks for it.
void hardware_address(const struct draft_node *host, uint8_t mac[6], struct opt_ip *ip)
{
	const struct spec_port *port = host->port[0]->spec;
	static const uint8_t nobody[6];
	const uint8_t made[6] = {2, 0, 0, 0, (uint8_t)(host->number >> 8), (uint8_t)host->number};

	memcpy(mac,
		port_has(host, "mac")      ? port->mac
		: hardware_gives_mac(host) ? host->host->mac
		: host->outside            ? nobody
					   : made,
		6);
	if (port_has(host, "ip"))
		*ip = port->ip;
	else if (has(host, "ip"))
		*ip = host->host->ip;
	else
		*ip = (struct opt_ip){.bytes = {10, 0, made[4], made[5]}};
}

bool hardware_has_nic(const struct draft_node *host)
{
	return !hardware_only_replays(host) && !host->tests;
}

struct address {
	uint8_t mac[6];
	struct opt_ip ip;
};

static int same_address(struct draft *b, const struct draft_node *one, const struct draft_node *two,
	const char *which)
{
	return yamldoc_err(b->err, two->key,
		"hosts '%s' and '%s' have the same %s; give each its own", one->name, two->name,
		which);
}

// The hosts that have been seen, by their MAC and by their IP address.
struct addresses {
	struct address *all; // by node
	struct index mac, ip;
};

// Returns the first host with the MAC address of host i; INDEX_NONE: there is none. Two hosts that
// quench does not run may have the same one.
static unsigned mac_twin(const struct draft *b, const struct addresses *a, unsigned i)
{
	uint32_t hash = index_hash(0, a->all[i].mac, 6), at = hash, k;

	while ((k = index_next(&a->mac, hash, &at)) != INDEX_NONE)
		if (!memcmp(a->all[k].mac, a->all[i].mac, 6) &&
			!(b->node[k]->outside && b->node[i]->outside))
			break;
	return k;
}

static unsigned ip_twin(const struct addresses *a, unsigned i)
{
	uint32_t hash = index_hash(0, &a->all[i].ip, sizeof(a->all[i].ip)), at = hash, k;

	while ((k = index_next(&a->ip, hash, &at)) != INDEX_NONE)
		if (!memcmp(&a->all[k].ip, &a->all[i].ip, sizeof(a->all[k].ip)))
			break;
	return k;
}

static int add_address(struct draft *b, struct addresses *a, unsigned i)
{
	unsigned mac, ip;

	hardware_address(b->node[i], a->all[i].mac, &a->all[i].ip);
	mac = mac_twin(b, a, i);
	ip = ip_twin(a, i);
	if (mac != INDEX_NONE && mac <= ip)
		return same_address(b, b->node[mac], b->node[i], "mac");
	if (ip != INDEX_NONE)
		return same_address(b, b->node[ip], b->node[i], "ip");
	if (index_add(&a->mac, index_hash(0, a->all[i].mac, 6), i) ||
		index_add(&a->ip, index_hash(0, &a->all[i].ip, sizeof(a->all[i].ip)), i))
		return err_set(b->err, -ENOMEM, "out of memory");
	return 0;
}

int hardware_addresses(struct draft *b)
{
	struct addresses a = {.all = draft_get(b, b->n_nodes * sizeof(*a.all))};
	int rc = a.all ? 0 : -ENOMEM;

	for (unsigned i = 0; !rc && i < b->n_nodes; i++)
		if (!b->node[i]->is_switch)
			rc = add_address(b, &a, i);
	index_fini(&a.mac);
	index_fini(&a.ip);
	return rc;
}

// Returns whether a class is lossless, with PFC, at the switch in front of this host.
static bool is_lossless(const struct draft_node *host, unsigned cls)
{
	const struct draft_port *far = draft_far_port(host->port[0]);
	const struct draft_node *peer = draft_port_node(far);

	if (!peer->is_switch)
		return has(host, "rx_buffer") ||
		       opt_source(&scene_opts_host, peer->host, "rx_buffer") != NULL;
	return hardware_pg_has_pfc(far, far->spec->pg_map[cls]);
}

uint8_t hardware_pfc_classes(const struct draft_node *host)
{
	uint8_t bits = 0;

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		bits |= (uint8_t)(is_lossless(host, c) << c);
	return bits;
}

static int rx_buffer(struct draft *b, struct nic_rxbuf_params *to, const struct draft_node *n)
{
	const struct spec_rx_buffer *r = &n->host->rx_buffer;
	const struct opt_table *t = opt_row(&scene_opts_host, "rx_buffer")->sub;
	const struct yamldoc_node *xoff = opt_source(t, r, "xoff"), *xon = opt_source(t, r, "xon");
	const uint64_t offset = 3000;
	char low[DRAFT_SAID], high[DRAFT_SAID];

	if (!has(n, "rx_buffer"))
		return 0;

	const struct yamldoc_node *drain = opt_source(t, r, "drain_rate");

	if (draft_rate(b, &to->drain_rate, &r->drain_rate, draft_host_link(n)->spec.rate,
		    drain ? drain : n->key))
		return -EINVAL;
	to->size_bytes = r->size;
	if (r->xoff == OPT_NONE)
		return xon && r->xon != OPT_NONE
			       ? yamldoc_err(b->err, xon, "xon without xoff; give both")
			       : 0;
	to->xoff_bytes = r->xoff;
	to->xon_bytes = r->xon != OPT_NONE ? r->xon : r->xoff > offset ? r->xoff - offset : 0;
	if (to->xon_bytes >= to->xoff_bytes)
		return yamldoc_err(b->err, xon ? xon : xoff,
			"xon %s is not below xoff %s; lower it",
			draft_said(t, r, "xon", to->xon_bytes, low, sizeof(low)),
			draft_said(t, r, "xoff", to->xoff_bytes, high, sizeof(high)));
	if (to->xoff_bytes > to->size_bytes)
		return yamldoc_err(b->err, xoff, "xoff %s is above the buffer's size %s",
			draft_said(t, r, "xoff", to->xoff_bytes, low, sizeof(low)),
			draft_said(t, r, "size", to->size_bytes, high, sizeof(high)));
	return 0;
}

// Sets the maps of the classes of received frames.
static void class_maps(struct nic_class_maps *to, const struct draft_node *n)
{
	const struct spec_host *h = n->host;

	to->trust = h->trust == SPEC_HOST_TRUST_DSCP  ? NIC_TRUST_DSCP
		    : h->trust == SPEC_HOST_TRUST_PCP ? NIC_TRUST_PCP
		    : has(n, "dscp_map")              ? NIC_TRUST_DSCP
		    : has(n, "pcp_map")               ? NIC_TRUST_PCP
						      : NIC_TRUST_SENDER;
	memcpy(to->dscp_to_class, h->dscp_map, sizeof(to->dscp_to_class));
	memcpy(to->pcp_to_class, h->pcp_map, sizeof(to->pcp_to_class));
}

// Sets the shaper of the host's port, which `ports` says, else `hosts`.
static int max_rate(struct draft *b, struct nic_params *to, const struct draft_node *n)
{
	const struct spec_port *port = n->port[0]->spec;
	const struct yamldoc_node *at = opt_source(&scene_opts_port, port, "max_rate");
	const struct opt_amount *rate = at ? &port->max_rate : &n->host->max_rate;

	if (!rate->is_share && rate->value == OPT_NONE)
		return 0;
	return draft_rate(b, &to->max_rate, rate, to->rate,
		at ? at : opt_source(&scene_opts_host, n->host, "max_rate"));
}

static int hardware_nic(struct draft *b, const struct draft_node *n)
{
	const struct spec_host *h = n->host;
	const struct scene_port *sp = &b->s->node[n->index].port[0];
	struct nic_params *p = &b->s->node[n->index].u.nic;
	uint8_t dscp =
		h->cnp_dscp == OPT_AUTO ? hardware_dscp(n, h->cnp_class) : (uint8_t)h->cnp_dscp;

	*p = (struct nic_params){.name = n->name,
		.seed = b->s->seed,
		.rate = sp->rate,
		.mtu = sp->mtu,
		.strict = h->strict,
		.mapped = has(n, "queue_map"),
		.pfc_classes = hardware_pfc_classes(n),
		.pfc_response = hardware_pfc_response(b, n, sp->rate),
		.pfc_ignore = !h->pfc_honour,
		.pause_honour = hardware_obeys_pause(n, 0),
		.check_icrc = h->check_icrc,
		.peer_check = h->peer_check,
		.check_payload = h->check_payload,
		.streams = h->streams,
		.live_pairs = h->live_pairs == OPT_NONE ? 0 : (unsigned)h->live_pairs,
		.echoes = h->responder == SPEC_RESPONDER_ECHO,
		.pause = hardware_peer_pauses(n, 0),
		.rp_by_class = h->rp_scope == SPEC_RP_PRIORITY,
		.quanta = HOST_QUANTA,
		.refresh_permille = HOST_REFRESH,
		.np.interval_ps = h->np.interval,
		.np.key = h->np.key,
		.np.cnps_per_s = h->np.cnps_per_s == OPT_NONE ? 0 : (uint32_t)h->np.cnps_per_s,
		.np.with_nak = h->np.with_nak,
		.np_off = h->np.mode == SPEC_NP_OFF || b->s->hpcc_sim,
		.cnflag = b->s->hpcc_sim,
		.cnp_class = h->cnp_class,
		.cnp_tos = (uint8_t)(dscp << 2 | ECN_ECT0),
		.framing = b->s->framing,
		.pause_no_expiry = b->s->hpcc_sim,
		.fixed_gap = b->s->hpcc_sim,
		.new_next = h->new_pairs == SPEC_TURN_NEXT,
		.monitor = true};
	if (h->np.mode != SPEC_NP_OFF)
		p->np.mode = (enum np_mode)h->np.mode;
	memcpy(p->mac, sp->mac, sizeof(p->mac));
	hardware_far_mac(n, 0, p->far_mac);
	memcpy(p->weight, h->weights, sizeof(p->weight));
	memcpy(p->queue_map, h->queue_map, sizeof(p->queue_map));

	class_maps(&p->maps, n);

	int rc = max_rate(b, p, n);

	if (!rc)
		rc = hardware_gateway(b, &p->gateway, n);
	return rc ? rc : rx_buffer(b, &p->rxbuf, n);
}

// A path in a scenario starts from the scenario's folder.
char *hardware_beside(struct draft *b, const char *file)
{
	const char *slash = strrchr(b->s->path, '/');

	if (*file == '/' || !slash)
		return arena_text(b->a, file, strlen(file));
	return arena_format(b->a, "%.*s/%s", (int)(slash - b->s->path), b->s->path, file);
}

// Returns the path of a shared object, with a slash in it: without one the loader would search the
// system's folders.
char *hardware_object_file(struct draft *b, const char *file)
{
	char *path = hardware_beside(b, file);

	return !path || strchr(path, '/') ? path : arena_format(b->a, "./%s", path);
}

static int hardware_firmware(struct draft *b, const struct draft_node *n)
{
	const struct spec_firmware *f = &n->host->firmware;
	struct scene_node *to = &b->s->node[n->index];
	const char *args = f->args ? f->args : "";
	const struct opt_table *t = opt_row(&scene_opts_host, "firmware")->sub;
	const struct yamldoc_node *at = opt_source(&scene_opts_host, n->host, "firmware");
	int rc;

	if (!at)
		return 0;
	rc = opt_require(t, f, at, b->err);
	if (rc)
		return rc;
	rc = draft_trust(b, opt_source(t, f, "file"));
	if (rc)
		return rc;
	to->fw_file = hardware_object_file(b, f->file);
	to->fw_args = arena_text(b->a, args, strlen(args));
	return to->fw_file && to->fw_args ? 0 : -ENOMEM;
}

// It has no NIC that could send anything back, or limit its rate.
static int only_replays(struct draft *b, const struct draft_node *n)
{
	const struct opt_amount *rate = &n->host->max_rate;

	if (rate->is_share || rate->value != OPT_NONE)
		return yamldoc_err(b->err,
			draft_given(&scene_opts_host, n->host, "max_rate", n->key),
			"host '%s' replays a capture and is in no flow, so its replay's speed is "
			"its rate; drop max_rate",
			n->name);
	if (n->host->responder != SPEC_RESPONDER_ECHO)
		return 0;
	return yamldoc_err(b->err, draft_given(&scene_opts_host, n->host, "responder", n->key),
		"host '%s' replays a capture and is in no flow, so nothing of it echoes; drop "
		"responder, or let another host echo",
		n->name);
}

static int hardware_host(struct draft *b, struct draft_node *n)
{
	int rc;

	if (n->tests)
		return 0;
	rc = hardware_only_replays(n) ? only_replays(b, n) : hardware_nic(b, n);

	if (!rc && hardware_replays(n))
		rc = hardware_replay(b, n);
	if (!rc && !hardware_only_replays(n))
		rc = hardware_firmware(b, n);
	return rc;
}

int hardware_hosts(struct draft *b)
{
	for (unsigned i = 0; i < b->n_nodes; i++) {
		struct draft_node *n = b->node[i];
		int rc = 0;

		if (!n->is_switch && !n->external && !n->outside)
			rc = hardware_host(b, n);
		if (rc)
			return rc;
	}
	return 0;
}

// Returns the number of sources whose frames a host tells apart. If the host takes foreign streams
// and no source of the scene ends at it or comes back to it, the number is 0: each open-loop frame
// then comes from another quench.
static unsigned sources_for(const struct scene *s, const struct draft_node *n)
{
	unsigned here = 0;

	for (unsigned i = 0; i < s->n_sources; i++)
		here += s->source[i]->to == n->index ||
			(s->source[i]->echoes && s->source[i]->from == n->index);
	return here || !n->host->streams ? s->n_sources : 0;
}

// Whether a host of ours asks for hardware addresses.
static bool asks_addresses(const struct draft *b)
{
	bool asks = b->n_outside;

	for (unsigned i = 0; !asks && i < b->n_nodes; i++)
		asks = !b->node[i]->is_switch && has(b->node[i], "gateway");
	return asks;
}

// Sets the parameters of NICs that depend on their queue pairs and sources. All flows are known by
// now.
int hardware_finish_hosts(struct draft *b)
{
	struct scene *s = b->s;

	if (asks_addresses(b)) {
		s->readdressed = draft_get(b, sizeof(*s->readdressed));
		if (!s->readdressed)
			return -ENOMEM;
	}
	for (unsigned i = 0; i < b->n_nodes; i++) {
		const struct draft_node *n = b->node[i];
		bool registers = false;

		if (n->is_switch || n->external || n->outside || !hardware_has_nic(n))
			continue;

		struct nic_params *p = &s->node[n->index].u.nic;

		p->max_qps = n->n_qps;
		p->waiting = (unsigned)(n->messages < WAITING_MOST ? n->messages : WAITING_MOST);
		p->max_sources = sources_for(s, n);
		p->peer_hosts = b->n_outside;
		p->readdressed = s->readdressed;
		for (unsigned f = 0; s->node[n->index].fw_file && f < s->n_flows; f++)
			registers |= s->flow[f]->from == n->index && rp_registers(s->flow[f]->rp);
		if (s->node[n->index].fw_file && !registers)
			return yamldoc_err(b->err,
				opt_source(&scene_opts_host, n->host, "firmware"),
				"host '%s' has firmware, and sends nothing with a control of "
				"profile rdma_ip",
				n->name);
	}
	return 0;
}

// A value that a map leads to the class: the one that is usual, else the lowest.
static uint8_t slot_of(const uint8_t *map, unsigned n, unsigned cls, unsigned usual, unsigned other)
{
	if (map[usual] == cls)
		return (uint8_t)usual;
	if (map[other] == cls)
		return (uint8_t)other;
	for (unsigned i = 0; i < n; i++) {
		if (map[i] == cls)
			return (uint8_t)i;
	}
	return (uint8_t)usual;
}

uint8_t hardware_dscp(const struct draft_node *host, unsigned cls)
{
	const struct draft_port *far = draft_far_port(host->port[0]);
	unsigned usual = cls == 3 ? 26 : 8 * cls; // RoCE's own is AF31

	return draft_port_node(far)->is_switch
		       ? slot_of(far->spec->dscp_map, 64, cls, usual, 8 * cls)
		       : (uint8_t)usual;
}

uint8_t hardware_pcp(const struct draft_node *host, unsigned cls)
{
	const struct draft_port *far = draft_far_port(host->port[0]);

	return draft_port_node(far)->is_switch ? slot_of(far->spec->pcp_map, 8, cls, cls, cls)
					       : (uint8_t)cls;
}
