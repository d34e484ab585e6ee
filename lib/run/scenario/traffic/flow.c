// SPDX-License-Identifier: BSD-3-Clause
// Flows of a scene: sender, receiver, and the fields that all their frames have in common.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "frame/frame.h"
#include "int.h"

// Bytes in front of a RoCE payload, with ICRC.
#define ROCE_IPV4     58
#define ROCE_IPV6     78
#define ROCE_RETH     16
#define ROCE_IMM      4 // or AETH
#define ROCE_HPCC_SIM 48
#define SIM_STAMP     8 // the instant at which it left, where ACKs are timed

static bool wants_tag(const struct draft_flow *f)
{
	return f->spec->vlan != OPT_NONE;
}

static bool has_imm(const struct draft_flow *f)
{
	return f->spec->verb == RC_WRITE_IMM || f->spec->verb == RC_SEND_IMM;
}

// Returns whether frames of the flow have immediate data or an AETH. Messages of a job have
// immediate data between two parts, and all parts have the same longest frame.
static bool has_own(const struct draft *b, const struct draft_flow *f)
{
	return has_imm(f) || f->spec->verb == RC_READ || (f->job && b->s->part);
}

static bool has_reth(const struct draft_flow *f)
{
	return f->spec->verb == RC_WRITE || f->spec->verb == RC_WRITE_IMM;
}

// Keys of queue pairs beside open_loop.
static int check_kind(struct draft *b, const struct draft_flow *f, const struct yamldoc_node *layer)
{
	for (unsigned i = 0; f->is_open_loop && i < layer->n; i++) {
		const struct yamldoc_node *key = layer->item[i].key;

		if (opt_row(&scene_opts_flow, key->text)->flags & OPT_F_ROCE)
			return yamldoc_err(b->err, key,
				"'%s' belongs to queue pairs, this flow is open_loop; drop one",
				key->text);
	}
	return 0;
}

// A key that says something of frames that come back.
static int check_echo(struct draft *b, const struct draft_flow *f)
{
	const struct yamldoc_node *at = opt_source(
		opt_row(&scene_opts_flow, "open_loop")->sub, &f->spec->open_loop, "rtt_max");

	for (unsigned i = 0; i < f->n_pairs; i++)
		if (f->pair[i].to->host->responder == SPEC_RESPONDER_ECHO)
			return 0;
	if (!f->is_open_loop || f->spec->open_loop.rtt_max == OPT_AUTO)
		return 0;
	return yamldoc_err(b->err, at ? at : f->key,
		"flow '%s' has rtt_max, and '%s' sends nothing back; give that host responder: "
		"echo, or drop rtt_max",
		f->name, f->pair[0].to->name);
}

static int check_imm(struct draft *b, const struct draft_flow *f)
{
	const struct yamldoc_node *at = opt_source(&scene_opts_flow, f->spec, "imm");

	if (f->spec->imm == OPT_AUTO || has_imm(f))
		return 0;
	return yamldoc_err(b->err, at ? at : f->key,
		"flow '%s' has no immediate data for `imm`; give it verb: write_imm or send_imm",
		f->name);
}

static int check_read(struct draft *b, const struct draft_flow *f)
{
	if (f->is_open_loop || f->spec->verb != RC_READ || !b->s->hpcc_sim)
		return 0;
	return yamldoc_err(b->err, draft_given(&scene_opts_flow, f->spec, "verb", f->key),
		"framing hpcc_sim has no READ; take verb: write");
}

static int check_mtu(struct draft *b, const struct draft_flow *f)
{
	uint32_t mtu = f->spec->mtu;

	if (f->is_open_loop || b->s->hpcc_sim || (mtu >= 256 && mtu % 4 == 0))
		return 0;
	return yamldoc_err(b->err, draft_given(&scene_opts_flow, f->spec, "mtu", f->key),
		"a path MTU of %u is too small or no multiple of 4; write 256, 512, 1024, 2048 or "
		"4096, or another multiple of 4 up to 9000",
		mtu);
}

// Lines of a list and messages of a load share their options, and the first of them is enough.
static void warn_mtu(struct draft *b, unsigned i)
{
	const struct draft_flow *f = b->flow[i];

	if (f->is_open_loop || b->s->hpcc_sim || traffic_mtu_is_standard(f->spec->mtu) ||
		!f->n_pairs || (i && b->flow[i - 1]->spec == f->spec))
		return;
	draft_warn(b, draft_given(&scene_opts_flow, f->spec, "mtu", f->key),
		"flow '%s': mtu %u is none of InfiniBand's path MTUs (256, 512, 1024, 2048, 4096); "
		"real NICs have only these",
		f->name, f->spec->mtu);
}

static int check_end(struct draft *b, const struct draft_flow *f, const struct draft_node *n,
	const struct yamldoc_node *at)
{
	if (n->is_switch)
		return yamldoc_err(
			b->err, at, "'%s' is a switch; flows run between hosts", n->name);
	if (n->external) {
		const struct draft_link *l = n->port[0]->link;
		unsigned far = !n->port[0]->end;

		return yamldoc_err(b->err, at,
			"port %s has no device and %s has one, so '%s' is outside on the real "
			"clock, and flow '%s' cannot use it; give %s a device, too, or %s the key "
			"external",
			n->port[0]->name, l->node[far]->port[l->port[far]]->name, n->name, f->name,
			n->port[0]->name, n->name);
	}
	return 0;
}

static int check_pair(struct draft *b, const struct draft_flow *f, const struct draft_pair *p)
{
	struct opt_ip from, to;
	uint8_t mac[6];

	if (!draft_reaches(p->from, p->to))
		return yamldoc_err(b->err, f->key,
			"flow '%s' has no route from %s to %s; join their switches by `links`",
			f->name, p->from->name, p->to->name);
	hardware_address(p->from, mac, &from);
	hardware_address(p->to, mac, &to);
	if (from.v6 != to.v6)
		return yamldoc_err(b->err, f->key,
			"flow '%s': one of %s and %s has an IPv6 address, the other IPv4; "
			"give both the same kind",
			f->name, p->from->name, p->to->name);
	return 0;
}

static int add_pair(struct draft *b, struct draft_flow *f, const struct draft_pair *p)
{
	int rc = check_pair(b, f, p);

	if (rc)
		return rc;
	if ((f->n_pairs & (f->n_pairs - 1)) == 0) {
		struct draft_pair *more =
			draft_get(b, (f->n_pairs ? f->n_pairs * 2 : 1) * sizeof(*more));

		if (!more)
			return -ENOMEM;
		if (f->n_pairs)
			memcpy(more, f->pair, f->n_pairs * sizeof(*more));
		f->pair = more;
	}
	f->pair[f->n_pairs++] = *p;
	p->from->has_flows = p->to->has_flows = true;
	b->n_qps += f->is_open_loop ? f->spec->open_loop.sources : (unsigned)f->spec->qps;
	if (b->n_qps > SCENE_QPS)
		return yamldoc_err(b->err, f->key,
			"more than %u queue pairs and sources; a scenario has at most so many",
			SCENE_QPS);
	return 0;
}

int traffic_nodes(struct draft *b, const struct draft_flow *f, const struct yamldoc_node *list,
	struct draft_node ***nodes, unsigned *n)
{
	struct draft_names names = {0};
	int rc = draft_names(b, &names, list);

	*nodes = rc ? NULL : draft_get(b, names.n * sizeof(**nodes));
	if (!*nodes)
		return rc ? rc : -ENOMEM;
	*n = names.n;
	for (unsigned i = 0; !rc && i < names.n; i++) {
		rc = draft_find_node(b, &(*nodes)[i], names.name[i], names.at[i]);
		if (!rc)
			rc = check_end(b, f, (*nodes)[i], names.at[i]);
	}
	return rc;
}

int traffic_pair_add(
	struct draft *b, struct draft_flow *f, struct draft_node *from, struct draft_node *to)
{
	// The data of a READ flow to the side that requests them.
	bool back = !f->is_open_loop && f->spec->verb == RC_READ;
	const struct draft_pair p = {back ? to : from, back ? from : to};

	return from == to ? 0 : add_pair(b, f, &p);
}

static int pairs(struct draft *b, struct draft_flow *f)
{
	struct draft_node **from, **to;
	unsigned n, m, *chosen = NULL;
	int rc = traffic_nodes(b, f, f->spec->from, &from, &n);

	if (!rc)
		rc = traffic_nodes(b, f, f->spec->to, &to, &m);
	if (!rc && f->spec->pairs.which != SPEC_TO_ALL)
		rc = traffic_receivers(b, f, from, n, to, m, &chosen);
	for (unsigned i = 0; !rc && i < n; i++) {
		for (unsigned j = 0; !rc && !chosen && j < m; j++)
			rc = traffic_pair_add(b, f, from[i], to[j]);
		if (!rc && chosen)
			rc = traffic_pair_add(b, f, from[i], to[chosen[i]]);
	}
	if (rc)
		return rc;
	if (!f->n_pairs)
		return yamldoc_err(b->err, f->spec->to,
			"flow '%s' joins nothing; from and to differ", f->name);
	return 0;
}

bool traffic_is_open_roce(const struct draft_flow *f)
{
	return f->is_open_loop &&
	       opt_source(opt_row(&scene_opts_flow, "open_loop")->sub, &f->spec->open_loop, "roce");
}

uint32_t traffic_source_head(const struct draft_flow *f, bool ipv6)
{
	if (!traffic_is_open_roce(f))
		return 0;
	return (ipv6 ? ROCE_IPV6 : ROCE_IPV4) + (wants_tag(f) ? 4 : 0) +
	       (f->spec->open_loop.roce.verb ? ROCE_RETH : 0);
}

// Shortest and longest frame of the flow, without FCS.
static int frame_lengths(struct draft *b, struct draft_flow *f)
{
	const struct spec_flow *s = f->spec;
	uint32_t shortest = f->sizes ? 1 : f->job ? f->job->least : (uint32_t)f->message;
	struct opt_ip ip;
	uint8_t mac[6];
	uint32_t tag = wants_tag(f) ? 4 : 0, low, high;
	unsigned asks = 0;
	bool cn_tag = false;

	if (!f->is_open_loop &&
		(traffic_cn_tagged(b, f, &cn_tag) || traffic_control_asks(b, f, &asks)))
		return -EINVAL;
	tag += cn_tag ? 4 : 0;
	hardware_address(f->pair[0].from, mac, &ip);
	if (f->is_open_loop) {
		uint32_t l3 = s->open_loop.raw ? 0 : ip.v6 ? 48 : 28;
		uint32_t least = 14 + tag + l3 + FRAME_GEN_LEN + PKT_FCS;
		uint32_t head = traffic_source_head(f, ip.v6);

		least = head ? head + PKT_FCS : least;

		const struct opt_range size = traffic_source_size(f);

		low = (uint32_t)size.low - PKT_FCS;
		high = (uint32_t)size.high - PKT_FCS;
		if (size.low < least)
			return yamldoc_err(b->err,
				draft_given(&scene_opts_flow, f->spec, "open_loop", f->key),
				"flow '%s': %u bytes are too few for its headers; at least %u",
				f->name, (unsigned)size.low, least);
	} else if (b->s->hpcc_sim) {
		f->sim_overhead = ROCE_HPCC_SIM + (asks & RP_ASKS_RTT ? SIM_STAMP : 0);
		low = f->sim_overhead + (shortest < s->mtu ? shortest : s->mtu);
		high = f->sim_overhead + s->mtu;
	} else {
		uint32_t head = (ip.v6 ? ROCE_IPV6 : ROCE_IPV4) + tag;

		low = head + (shortest < s->mtu ? shortest : s->mtu);
		high = head + (has_reth(f) ? ROCE_RETH : 0) + (has_own(b, f) ? ROCE_IMM : 0) +
		       s->mtu;
	}
	f->longest = high;
	b->longest = high > b->longest ? high : b->longest;
	b->shortest = low < b->shortest ? low : b->shortest;
	return 0;
}

static int add_vid(struct draft *b, const struct draft_flow *f)
{
	for (unsigned i = 0; i < b->n_vids; i++) {
		if (!wants_tag(f) || b->vid[i] == f->spec->vlan)
			return 0;
	}

	uint16_t *more = draft_get(b, (b->n_vids + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	if (b->n_vids)
		memcpy(more, b->vid, b->n_vids * sizeof(*more));
	more[b->n_vids++] = (uint16_t)f->spec->vlan;
	b->vid = more;
	return 0;
}

static int check_spec(struct draft *b, const struct draft_flow *f)
{
	int rc = check_mtu(b, f);

	if (!rc)
		rc = check_imm(b, f);
	if (!rc)
		rc = traffic_recovery_check(b, f);
	return rc ? rc : check_read(b, f);
}

// Once it has its pairs.
static int finish_flow(struct draft *b, struct draft_flow *f)
{
	int rc = check_echo(b, f);

	if (!rc)
		rc = traffic_header_check(b, f);
	if (!rc)
		rc = traffic_peer_check(b, f);
	if (!rc)
		rc = traffic_source_check(b, f);
	if (!rc)
		rc = traffic_frames_read(b, f);
	if (!rc)
		rc = frame_lengths(b, f);
	return rc ? rc : add_vid(b, f);
}

static int flow_read(
	struct draft *b, const struct yamldoc_item *item, const struct spec_flow *usual)
{
	struct draft_flow *f = draft_get(b, sizeof(*f));
	struct spec_flow *spec = draft_get(b, sizeof(*spec));
	void **place = f && spec ? draft_push(b, &b->flow, &b->n_flows) : NULL;
	struct draft_names name = {0};
	int rc = place ? draft_names(b, &name, item->key) : -ENOMEM;

	if (rc)
		return rc;
	*place = f;
	f->name = name.name[0];
	f->key = item->key;
	if (name.n > 1)
		return yamldoc_err(
			b->err, item->key, "a flow has one name; ranges stand in its from and to");
	f->spec = spec;
	*spec = *usual;
	rc = opt_apply(&scene_opts_flow, f->spec, item->value, b->err);
	if (!rc)
		rc = opt_require(&scene_opts_flow, f->spec, item->key, b->err);
	if (rc)
		return rc;
	f->start = spec->start;
	f->message = spec->message;
	f->cls = spec->cls;
	f->is_open_loop = opt_source(&scene_opts_flow, f->spec, "open_loop") != NULL;
	rc = check_kind(b, f, item->value);
	if (!rc)
		traffic_recovery_warn(b, f, item->value);
	if (!rc)
		rc = check_spec(b, f);
	if (!rc)
		rc = traffic_load_check(b, f, item->value);
	if (!rc)
		rc = f->sizes ? traffic_load_read(b, f) : pairs(b, f);
	return rc || !f->n_pairs ? rc : finish_flow(b, f);
}

int traffic_flow_end(struct draft *b, struct draft_flow *f)
{
	int rc = check_spec(b, f);

	return rc ? rc : finish_flow(b, f);
}

int traffic_flow_join(
	struct draft *b, struct draft_flow *f, struct draft_node *from, struct draft_node *to)
{
	const bool back = f->spec->verb == RC_READ;
	const struct draft_pair p = {back ? to : from, back ? from : to};
	int rc = check_end(b, f, from, f->key);

	if (!rc)
		rc = check_end(b, f, to, f->key);
	if (!rc)
		rc = check_spec(b, f);
	if (!rc)
		rc = add_pair(b, f, &p);
	return rc ? rc : finish_flow(b, f);
}

static int same_index(struct draft *b, const struct draft_flow *f, unsigned n, unsigned m)
{
	if (n == m)
		return 0;
	return yamldoc_err(b->err, f->spec->to,
		"pairs: same_index wants as many on both sides; here are %u and %u", n, m);
}

// The next of `to` behind each sender; a sender that is not in it has the receiver of its place.
static void ring(
	struct draft_node **from, unsigned n, struct draft_node **to, unsigned m, unsigned *chosen)
{
	for (unsigned k = 0; k < m; k++)
		to[k]->load_number = k + 1;
	for (unsigned i = 0; i < n; i++) {
		unsigned k = from[i]->load_number;

		chosen[i] = k ? k % m : i % m;
	}
	for (unsigned k = 0; k < m; k++)
		to[k]->load_number = 0;
}

// The first n of a random order of the receivers, in which nobody has itself: such an order comes
// up at least once in three.
static int permutation(struct draft *b, const struct draft_flow *f, struct draft_node **from,
	unsigned n, struct draft_node **to, unsigned m, unsigned *chosen)
{
	unsigned *order = draft_scrap(b, m * sizeof(*order));
	bool itself = true;
	struct prng g;

	if (!order)
		return -ENOMEM;
	prng_init(&g, b->s->seed, f->name);
	for (unsigned k = 0; k < m; k++)
		order[k] = k;
	for (unsigned tries = 0; itself && n <= m && tries < 1000; tries++) {
		itself = false;
		for (unsigned k = 0; k < m; k++) {
			unsigned other = k + (unsigned)prng_below(&g, m - k), was = order[k];

			order[k] = order[other];
			order[other] = was;
			itself |= k < n && to[order[k]] == from[k];
		}
	}
	if (itself)
		return yamldoc_err(b->err, f->spec->to,
			"flow '%s' has no permutation: %u senders need as many other hosts in `to`",
			f->name, n);
	memcpy(chosen, order, n * sizeof(*chosen));
	return 0;
}

int traffic_receivers(struct draft *b, const struct draft_flow *f, struct draft_node **from,
	unsigned n_from, struct draft_node **to, unsigned n_to, unsigned **chosen)
{
	unsigned *c = *chosen = draft_scrap(b, (n_from + 1ul) * sizeof(*c));

	if (!c)
		return -ENOMEM;
	for (unsigned i = 0; i < n_from; i++)
		c[i] = i;
	if (f->spec->pairs.which == SPEC_TO_SAME_INDEX)
		return same_index(b, f, n_from, n_to);
	if (f->spec->pairs.which == SPEC_TO_PERMUTATION)
		return permutation(b, f, from, n_from, to, n_to, c);
	ring(from, n_from, to, n_to, c);
	return 0;
}

uint32_t traffic_longest(const struct draft_flow *f)
{
	return f->sizes ? f->sizes->point[f->sizes->n - 1].value : (uint32_t)f->message;
}

int traffic_message_add(struct draft *b, struct draft_flow *load, struct spec_flow *spec,
	unsigned n, struct draft_node *from, struct draft_node *to, const struct arrival *m)
{
	struct draft_flow *f = draft_scrap(b, sizeof(*f));
	void **place = f ? draft_push(b, &b->flow, &b->n_flows) : NULL;
	char *name = place ? arena_format(b->scrap, "%s.%u", load->name, n) : NULL;

	if (!name)
		return err_set(b->err, -ENOMEM, "out of memory");
	*place = f;
	f->name = name;
	f->key = load->key;
	f->of = load;
	f->spec = spec;
	f->cls = load->cls;
	f->message = m->bytes;
	f->start = (struct opt_range){m->at, m->at};
	return traffic_flow_join(b, f, from, to);
}

int traffic_flows_read(struct draft *b)
{
	const struct yamldoc_node *map = b->top.flows;
	struct spec_flow usual = {0}; // options of flows that do not give them
	int rc = 0;

	b->shortest = UINT32_MAX;
	b->n_vids = 1; // untagged
	b->vid = draft_get(b, sizeof(*b->vid));
	if (!b->vid)
		return -ENOMEM;
	if ((map && map->n) || b->top.flows_from || b->top.jobs) {
		opt_init(&scene_opts_flow, &usual);
		rc = opt_apply(&scene_opts_flow, &usual, b->top.defaults.flows, b->err);
	}
	for (unsigned i = 0; !rc && map && i < map->n; i++)
		rc = flow_read(b, &map->item[i], &usual);
	if (!rc && b->top.flows_from)
		rc = traffic_list_read(b, &usual);
	if (!rc && b->top.jobs)
		rc = traffic_jobs_read(b, &usual);
	if (b->longest > b->s->max_frame)
		b->s->max_frame = b->longest;
	return rc;
}

// Every frame must fit the sender's own port; a later one that is smaller drops and counts.
static int check_ports(struct draft *b, const struct draft_flow *f)
{
	for (unsigned i = 0; i < f->n_pairs; i++) {
		const struct scene_port *p = &b->s->node[f->pair[i].from->index].port[0];

		if (p->mtu < f->longest)
			return yamldoc_err(b->err, f->key,
				"flow '%s' has frames of %u bytes, port %s takes %u; raise its mtu",
				f->name, f->longest, p->name, p->mtu);
	}
	return 0;
}

int traffic_flows(struct draft *b)
{
	int rc = traffic_payloads(b);

	if (rc)
		return rc;
	for (unsigned i = 0; i < b->n_flows; i++) {
		struct draft_flow *f = b->flow[i];

		warn_mtu(b, i);
		f->first_qp = f->is_open_loop ? b->s->n_sources : b->s->n_flows;
		rc = check_ports(b, f);
		for (unsigned p = 0; !rc && p < f->n_pairs; p++)
			rc = f->is_open_loop ? traffic_source(b, f, &f->pair[p])
					     : traffic_roce(b, f, &f->pair[p]);
		f->n_qps = (f->is_open_loop ? b->s->n_sources : b->s->n_flows) - f->first_qp;
		if (!rc)
			rc = traffic_load(b, f);
		if (rc)
			return rc;
	}
	return traffic_give_payloads(b);
}
