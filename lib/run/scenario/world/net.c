// SPDX-License-Identifier: BSD-3-Clause
// The built world: nodes made from the scene, their queue pairs and sources added, asked all
// together.
#include "net.h"
#include "quiet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "change.h"
#include "conserve.h"
#include "firmware.h"
#include "follow.h"
#include "guest/guest.h"
#include "injector.h"
#include "job.h"
#include "observer.h"

// If ports have devices, the instants are kept at which frames of an open loop left: of the last 10
// ms, and of at least this many frames, since a slow source's frames wait longer in a device.
#define DEPARTURES_FOR   (10 * PS_PER_MS)
#define DEPARTURES_LEAST 4096

#define RINGS 64 // nodes whose event rings are one block of memory

// A small capture needs little room, however often it is sent.
static size_t ring_bytes(const struct cap_scan *c)
{
	const uint64_t each = 2 * sizeof(struct replay_rec);
	uint64_t all = c->seen.wire_bytes + c->seen.frames * each;

	return all < CAP_FEED_RING ? (size_t)all : CAP_FEED_RING;
}

static int feed_make(struct net *net, struct net_node *n, struct player_params *p, struct err *err)
{
	const struct scene_replay *s = n->scene->replay;
	int rc;

	if (!s)
		return 0;
	*p = s->player;
	rc = cap_feed_open(&n->feed, &s->play, p->longest, ring_bytes(s->scan), &net->crashed, err);
	if (!rc)
		p->ring = cap_feed_ring(n->feed);
	return rc;
}

static int feeds_start(struct net *net, const cpu_set_t *cpus, struct err *err)
{
	for (unsigned i = 0; i < net->n_nodes; i++) {
		struct net_node *n = net_node(net, i);
		int rc = n->feed ? cap_feed_start(n->feed, cpus) : 0;

		if (rc)
			return err_set(err, rc, "%s: no thread to read its capture ahead: %s",
				n->scene->name, strerror(-rc));
	}
	return 0;
}

static int no_events(const struct net_node *n, struct err *err)
{
	return err_set(err, -ENOMEM, "no memory for the events of %s", n->scene->name);
}

static void ring_init(struct ev_ring *r, struct ev *slot, const struct net_opts *o)
{
	*r = (struct ev_ring){.slot = slot, .mask = o->event_slots - 1, .want = o->event_want};
}

// Makes the event ring of node i. The first of RINGS nodes has the memory for all of them.
static int events_make(struct net *net, unsigned i, const struct net_opts *o, struct err *err)
{
	struct net_node *n = net_node(net, i), *first = net_node(net, i - i % RINGS);
	size_t left = net->scene->n_nodes - i, slots = o->event_slots;

	if (n == first)
		n->rings = calloc((left < RINGS ? left : RINGS) * slots, sizeof(*n->rings));
	if (!first->rings)
		return no_events(n, err);
	ring_init(&n->events, first->rings + i % RINGS * slots, o);
	return 0;
}

static int shard_events_make(struct net_node *shard, const struct net_opts *o, struct err *err)
{
	shard->rings = calloc(o->event_slots, sizeof(*shard->rings));
	if (!shard->rings)
		return no_events(shard, err);
	ring_init(&shard->events, shard->rings, o);
	return 0;
}

// A cut switch: shards in one thread, or each a node.
static int cut_make(struct net_node *n, const struct sw_params *p, const struct net_opts *o,
	unsigned index, struct err *err)
{
	struct pkt_stack *stack[SW_SHARDS];
	struct ev_ring *events[SW_SHARDS];
	int rc = 0;

	n->is_whole = !o->shard_stack;
	if (!n->is_whole)
		n->shard = calloc(p->shards - 1, sizeof(*n->shard));
	if (!n->is_whole && !n->shard)
		return -ENOMEM;
	for (unsigned k = 0; !rc && k < p->shards; k++) {
		struct net_node *shard = n->is_whole ? n : net_shard(n, k);

		shard->kind = SCENE_SW;
		shard->scene = n->scene;
		if (k && !n->is_whole)
			rc = shard_events_make(shard, o, err);
		stack[k] = n->is_whole ? o->stack[index] : o->shard_stack[index * SW_SHARDS + k];
		shard->stack = stack[k];
		events[k] = &shard->events;
	}
	if (!rc)
		rc = sw_cut_init(&n->u.sw, p, stack, events);
	for (unsigned k = 1; !rc && !n->is_whole && k < p->shards; k++) {
		net_shard(n, k)->u.sw = sw_shard(n->u.sw, k);
		net_shard(n, k)->touched = sw_touched(sw_shard(n->u.sw, k));
	}
	return rc;
}

// Static entries that switches share.
struct net_fixed {
	struct sw_fixed entries;
	const struct sw_params *of; // one of these switches
	struct net_fixed *next;
};

// The static entries of a switch, if the switches before it or the next one have the same
// addresses; else NULL. Without memory, too: then the switch has them to itself.
static const struct sw_fixed *shared_entries(struct net *net, unsigned i)
{
	const struct scene_node *s = &net->scene->node[i];
	const struct sw_params *p = &s->u.sw;
	struct net_fixed *f = net->fixed;

	if (!p->n_fdb)
		return NULL;
	if (f && sw_fixed_alike(f->of, p))
		return &f->entries;
	if (i + 1 == net->scene->n_nodes || s[1].kind != SCENE_SW || !sw_fixed_alike(p, &s[1].u.sw))
		return NULL;
	f = malloc(sizeof(*f));
	if (!f || sw_fixed_init(&f->entries, p)) {
		free(f);
		return NULL;
	}
	f->of = p;
	f->next = net->fixed;
	net->fixed = f;
	return &f->entries;
}

static void fixed_free(struct net_fixed *f)
{
	while (f) {
		struct net_fixed *next = f->next;

		sw_fixed_fini(&f->entries);
		free(f);
		f = next;
	}
}

static int node_make(struct net *net, unsigned i, const struct net_opts *o, struct err *err)
{
	struct net_node *n = net_node(net, i);
	const struct scene_node *s = &net->scene->node[i];
	struct player_params play = {0};
	int rc;

	n->kind = s->kind;
	n->scene = s;
	n->stack = o->stack[i];
	rc = events_make(net, i, o, err);
	if (rc)
		return rc;
	rc = feed_make(net, n, &play, err);
	if (rc)
		return rc;
	if (s->kind == SCENE_SW) {
		struct sw_params p = s->u.sw;

		p.tolerance_ps = o->tolerance_ps;
		p.large = o->large;
		p.fixed = o->large ? NULL : shared_entries(net, i);
		rc = p.shards > 1 ? cut_make(n, &p, o, i, err)
				  : sw_init(&n->u.sw, &p, o->stack[i], &n->events);
		n->touched = rc ? NULL : sw_touched(n->u.sw);
	} else if (s->kind == SCENE_NIC) {
		struct nic_params p = s->u.nic;

		p.tolerance_ps = o->tolerance_ps;
		p.answers = o->devices && !s->lane; // lane 0 receives for all
		p.ipv6 = s->ipv6;
		p.salt = o->salt;
		p.large = o->large;
		memcpy(p.ip, s->ip, sizeof(p.ip));
		rc = nic_init(&n->u.nic, &p, o->stack[i], &n->events);
		n->touched = rc ? NULL : nic_touched(n->u.nic);
		if (!rc && s->replay)
			rc = nic_add_replay(n->u.nic, &play, s->replay->cls);
	} else if (s->kind == SCENE_TESTER) {
		struct tester_params p = s->u.tester;

		p.tolerance_ps = o->tolerance_ps;
		rc = tester_init(&n->u.tester, &p, o->stack[i], &n->events);
		n->touched = rc ? NULL : tester_touched(n->u.tester);
	} else {
		struct replay_params p = s->u.replay;

		p.tolerance_ps = o->tolerance_ps;
		p.play = play;
		rc = replay_init(&n->u.replay, &p, o->stack[i], &n->events);
		n->touched = rc ? NULL : replay_touched(n->u.replay);
	}
	if (rc)
		return err_set(err, rc, "%s cannot be built: %s", s->name, strerror(-rc));
	return 0;
}

// The lanes of a host share a wire.
static int wire_share(struct net *net, unsigned i, struct err *err)
{
	const struct scene_node *s = &net->scene->node[i];
	struct net_node *first = net_node(net, s->lane ? s->lane_of : i);

	if (!first->wire)
		first->wire = aligned_alloc(_Alignof(struct eport_wire), sizeof(*first->wire));
	if (!first->wire)
		return err_set(err, -ENOMEM, "no memory for the wire of %s", s->name);
	if (!s->lane)
		*first->wire = (struct eport_wire){0};
	nic_share_wire(net_node(net, i)->u.nic, first->wire, s->lane);
	return 0;
}

// Prepares both ends of a source whose frames come back, if they are here.
static int echo_add(struct net *net, const struct scene_source *src, uint32_t number)
{
	const struct scene *s = net->scene;
	int rc = 0;

	if (scene_is_here(s, src->from))
		rc = nic_add_trips(net_node(net, src->from)->u.nic, number, src->trips);
	if (!rc && scene_is_here(s, src->to))
		rc = nic_add_echo(net_node(net, src->to)->u.nic, number, &src->back, src->gen.cls);
	return rc;
}

// The receiver learns from the sender when frames left that come to it as bytes.
static int keep_departures(struct net *net, const struct scene_source *src, uint32_t number)
{
	uint64_t frames = gen_frames_within(&src->gen, DEPARTURES_FOR);
	const struct departures *d;

	frames = frames < DEPARTURES_LEAST ? DEPARTURES_LEAST : frames;
	frames = frames > DEPARTURES_MOST ? DEPARTURES_MOST : frames;
	d = nic_keep_departures(net_node(net, src->from)->u.nic, number, (uint32_t)frames);
	if (!d)
		return -ENOMEM;
	nic_gen_lend_departures(net_node(net, src->to)->u.nic, number, d);
	return 0;
}

static int source_add(
	struct net *net, const struct net_opts *o, const struct scene_source *src, uint32_t number)
{
	static const int64_t unknown = NIC_AHEAD_UNKNOWN; // until a driver knows better
	const struct scene *s = net->scene;
	bool sends = scene_is_here(s, src->from), takes = scene_is_here(s, src->to);
	int rc = 0;

	if (sends)
		rc = nic_add_gen(net_node(net, src->from)->u.nic, &src->gen);
	if (!rc && src->ask && sends)
		rc = nic_add_target(net_node(net, src->from)->u.nic, number, src->ask);
	if (takes && !sends)
		nic_gen_lend_ahead(net_node(net, src->to)->u.nic, number, &unknown);
	if (!rc && takes && src->gen.roce.opcode)
		rc = nic_take_roce(net_node(net, src->to)->u.nic, number, src->gen.roce.qpn,
			src->gen.roce.psn);
	if (!rc && src->echoes)
		rc = echo_add(net, src, number);
	if (!rc && o->devices && sends && takes)
		rc = keep_departures(net, src, number);
	return rc;
}

// Gives a node its part of a stream: the messages of one sender. Pairs first..end of the load have
// that sender.
static int load_part(struct net *net, unsigned load, unsigned node, unsigned first, unsigned end)
{
	const struct scene *s = net->scene;
	const struct scene_load *l = s->load[load];
	struct nic_load_params p = {.number = load,
		.arrivals = &l->arrivals,
		.host = l->pair[first].from,
		.n_pairs = (end - first) * l->each,
		.each = l->each,
		.stopped = l->stopped};
	struct nic_load_pair *pair = calloc(p.n_pairs, sizeof(*pair));
	int rc;

	if (!pair)
		return -ENOMEM;
	for (unsigned i = 0; i < p.n_pairs; i++) {
		const struct scene_flow *f = s->flow[l->first + first * l->each + i];

		pair[i].to = l->pair[first + i / l->each].to;
		pair[i].qp = f->from == node ? f->src_qp : 0;
	}
	p.pair = pair;
	rc = nic_add_load(net_node(net, node)->u.nic, &p);
	free(pair);
	return rc;
}

static int load_add(struct net *net, unsigned load)
{
	const struct scene *s = net->scene;
	const struct scene_load *l = s->load[load];
	int rc = 0;

	for (unsigned i = 0, end; !rc && i < l->n_pairs; i = end) {
		unsigned host = scene_host_of(s, s->flow[l->first + i * l->each]->from);

		for (end = i + 1; end < l->n_pairs && l->pair[end].from == l->pair[i].from;)
			end++;
		if (!scene_is_here(s, host))
			continue;
		rc = load_part(net, load, host, i, end);
		for (unsigned k = 1; !rc && k < s->node[host].n_lanes; k++)
			rc = load_part(net, load, s->node[host].lane_at + k - 1, i, end);
	}
	return rc;
}

static int flows_add(struct net *net, const struct net_opts *o, struct err *err)
{
	const struct scene *s = net->scene;

	for (unsigned i = 0; i < s->n_flows; i++) {
		const struct scene_flow *f = s->flow[i];
		int rc = 0;

		if (scene_is_here(s, f->from))
			rc = nic_add_qp(net_node(net, f->from)->u.nic, &f->req);
		if (!rc && scene_is_here(s, f->to))
			rc = nic_add_qp(net_node(net, f->to)->u.nic, &f->rsp);
		if (rc)
			return err_set(
				err, rc, "flow %s cannot be added: %s", f->name, strerror(-rc));
	}
	for (unsigned i = 0; i < s->n_sources; i++) {
		const struct scene_source *src = s->source[i];
		int rc = source_add(net, o, src, i);

		if (rc)
			return err_set(
				err, rc, "source %s cannot be added: %s", src->name, strerror(-rc));
	}
	if (follows_add(net))
		return err_set(err, -ENOMEM, "no memory for the ends of %u sources", s->n_sources);
	for (unsigned i = 0; i < s->n_loads; i++) {
		int rc = load_add(net, i);

		if (rc)
			return err_set(err, rc, "load %s cannot be added: %s", s->load[i]->name,
				strerror(-rc));
	}
	return 0;
}

int net_number(struct net *net)
{
	const struct scene *s = net->scene;
	int rc = 0;

	for (unsigned i = 0; i < net->n_nodes; i++)
		if (net_nic(net, i))
			nic_rebase(net_nic(net, i), s->node[i].u.nic.qpn_base);
	for (unsigned i = 0; i < s->n_flows; i++) {
		const struct scene_flow *f = s->flow[i];

		if (net_nic(net, f->from))
			rc |= nic_renumber(net_nic(net, f->from), &f->req);
		if (net_nic(net, f->to))
			rc |= nic_renumber(net_nic(net, f->to), &f->rsp);
	}
	assert(!rc); // flows_add has added them
	return injectors_number(net);
}

// Loads the firmware of hosts. Call it when all queue pairs have been added, because firmware looks
// for its own.
static int firmware_add(struct net *net, struct err *err)
{
	int rc = 0;

	for (unsigned i = 0; !rc && i < net->n_nodes; i++) {
		struct net_node *n = net_node(net, i);
		const struct firmware_params p = {.file = n->scene->fw_file,
			.args = n->scene->fw_args,
			.name = n->scene->name,
			.trusts = net->scene->trusts,
			.crashed = &net->crashed};

		if (n->kind != SCENE_NIC || !p.file)
			continue;
		rc = firmware_load(&n->fw, &p, n->u.nic, err);
	}
	return rc;
}

// Returns the reaction point of a queue pair if a plug-in runs it; else NULL.
static const struct rp *plugin_of(const struct net_node *n, unsigned qp)
{
	const struct rp *rp = nic_qp_rp(n->u.nic, qp);

	return rp && rp->kind == RP_PLUGIN ? rp : NULL;
}

// The driver hears of a plug-in that fails, and of one that has by now.
static void watch(struct net *net, const struct net_node *n)
{
	for (unsigned i = 0; n->kind == SCENE_NIC && i < nic_qps(n->u.nic); i++)
		if (plugin_of(n, i))
			guest_watch(plugin_of(n, i), &net->crashed);
}

int net_build(
	struct net **out, const struct scene *scene, const struct net_opts *opts, struct err *err)
{
	struct net *net = calloc(1, sizeof(*net));
	int rc = 0;

	if (!net)
		return err_set(err, -ENOMEM, "no memory for the scene");
	net->scene = scene;
	net->here = calloc(scene->n_nodes, sizeof(struct net_node));
	if (!net->here)
		rc = err_set(err, -ENOMEM, "no memory for %u nodes", scene->n_nodes);
	for (unsigned i = 0; !rc && i < scene->n_nodes; i++) {
		net->n_nodes = i + 1;
		rc = node_make(net, i, opts, err);
	}
	for (unsigned i = 0; !rc && i < scene->n_nodes; i++)
		if (scene->node[i].lane || scene->node[i].n_lanes)
			rc = wire_share(net, i, err);
	if (!rc)
		rc = flows_add(net, opts, err);
	if (!rc)
		rc = jobs_add(net, err);
	if (!rc)
		rc = injectors_make(net, err);
	if (!rc)
		rc = observers_make(net, opts, err);
	for (unsigned i = 0; !rc && scene->n_plugins && i < scene->n_nodes; i++)
		watch(net, net_node(net, i));
	if (!rc)
		rc = firmware_add(net, err);
	if (!rc)
		rc = net_changes_make(net, err);
	if (!rc && opts->read_ahead)
		rc = feeds_start(net, opts->cpus, err);
	if (rc) {
		net_free(net);
		return rc;
	}
	*out = net;
	return 0;
}

static void node_free(struct net_node *n)
{
	firmware_free(n->fw);
	for (unsigned k = 1; n->shard && k < n->scene->u.sw.shards; k++)
		free(net_shard(n, k)->rings);
	free(n->shard);
	free(n->fault);
	if (n->u.obj && n->kind == SCENE_SW)
		sw_fini(n->u.sw);
	if (n->u.obj && n->kind == SCENE_NIC)
		nic_fini(n->u.nic);
	if (n->u.obj && n->kind == SCENE_REPLAY)
		replay_fini(n->u.replay);
	if (n->u.obj && n->kind == SCENE_TESTER)
		tester_fini(n->u.tester);
	cap_feed_close(n->feed);
	free(n->rings);
	free(n->wire);
}

void net_free(struct net *net)
{
	if (!net)
		return;
	for (unsigned i = 0; net->change && i < net->scene->n_changes; i++)
		net_change_free(net->change[i]);
	free(net->change);
	injectors_free(net);
	observers_free(net);
	for (unsigned i = 0; i < net->n_nodes; i++)
		node_free(net_node(net, i));
	jobs_free(net->jobs);
	free(net->here);
	fixed_free(net->fixed);
	free(net->end);
	free(net);
}

// Of the shards of a switch the first one tells it.
static int user_mark(struct net_node *n, uint32_t text, tstamp now)
{
	bool tells = n->kind != SCENE_SW || n->u.sw == sw_shard(n->u.sw, 0);
	struct ev *ev = tells ? ev_put(&n->events, EV_USER_MARK, now) : NULL;

	if (ev)
		ev->user_mark.text = text;
	return 0;
}

int net_ctl(struct net_node *n, const struct ctl *ctl, tstamp now)
{
	if (ctl->type == CTL_USER_MARK)
		return user_mark(n, ctl->id, now);
	if (ctl->type == CTL_IS_QUIET)
		return net_ask_quiet(n);
	if (ctl->type == CTL_STOP)
		return 0;
	if (ctl->type == CTL_FAULT)
		return injector_adopt(n, ctl->with);
	if (n->kind == SCENE_SW)
		return n->is_whole ? sw_cut_ctl(n->u.sw, ctl, now) : sw_ctl(n->u.sw, ctl, now);
	if (n->kind == SCENE_NIC)
		return nic_ctl(n->u.nic, ctl, now);
	if (n->kind == SCENE_TESTER)
		return tester_ctl(n->u.tester, ctl, now);
	return replay_ctl(n->u.replay, ctl, now);
}

void net_account(struct net *net, tstamp now)
{
	for (unsigned i = 0; i < net->n_nodes; i++) {
		if (net_node(net, i)->kind == SCENE_SW)
			sw_account(net_node(net, i)->u.sw, now);
		else if (net_node(net, i)->kind == SCENE_NIC)
			nic_account(net_node(net, i)->u.nic, now);
		else if (net_node(net, i)->kind == SCENE_TESTER)
			tester_account(net_node(net, i)->u.tester, now);
		else
			replay_account(net_node(net, i)->u.replay, now);
	}
}

// The reason why the run ended early: the first of several.
struct end {
	char text[256];
	tstamp at;
	unsigned n;
};

static void ended_by(struct end *end, const char *text, tstamp at)
{
	if (end->n++ && at >= end->at)
		return;
	snprintf(end->text, sizeof(end->text), "%s", text);
	end->at = at;
}

static void firmware_ended(struct end *end, const struct net *net)
{
	struct firmware_crash c;
	char text[256];

	for (unsigned i = 0; i < net->n_nodes; i++) {
		if (!firmware_crash(net_node(net, i)->fw, &c))
			continue;
		snprintf(text, sizeof(text), "firmware of host %s crashed in %s() at %.3f us (%s)",
			c.host, c.call, (double)c.at / PS_PER_US, c.signal);
		ended_by(end, text, c.at);
	}
}

static void plugins_ended(struct end *end, const struct net_node *n)
{
	char text[256];
	tstamp at;

	for (unsigned i = 0; n->kind == SCENE_NIC && i < nic_qps(n->u.nic); i++) {
		const struct rp *rp = plugin_of(n, i);

		if (rp && guest_failed(rp, text, sizeof(text), &at))
			ended_by(end, text, at);
	}
}

// The first capture that could not be read to its end.
static void feeds_ended(struct net *net, char *text, size_t size)
{
	for (unsigned i = 0; i < net->n_nodes; i++) {
		struct net_node *n = net_node(net, i);
		const char *why;

		if (!n->feed)
			continue;
		cap_feed_stop(n->feed);
		why = cap_feed_error(n->feed);
		if (why && !*text)
			snprintf(text, size, "what %s replays broke off: %s", n->scene->name, why);
	}
}

void net_end(struct net *net, char *crash, size_t size)
{
	struct end firmware = {0}, plugin = {0};

	for (unsigned i = 0; i < net->n_nodes; i++)
		firmware_end(net_node(net, i)->fw);
	firmware_ended(&firmware, net);
	for (unsigned i = 0; net->scene->n_plugins && i < net->n_nodes; i++)
		plugins_ended(&plugin, net_node(net, i));
	if (plugin.n && (!firmware.n || plugin.at < firmware.at))
		snprintf(crash, size, "%s", plugin.text);
	else
		snprintf(crash, size, "%s%s", firmware.text,
			firmware.n > 1 ? ", that of other hosts, too" : "");
	feeds_ended(net, crash, size);
}

static const struct player *player_of(const struct net_node *n)
{
	if (n->kind == SCENE_NIC)
		return nic_replay(n->u.nic);
	return n->kind == SCENE_REPLAY ? replay_player(n->u.replay) : NULL;
}

const struct replay_stats *net_replay_stats(const struct net_node *n)
{
	const struct player *p = player_of(n);

	return p ? &p->s : NULL;
}

bool net_replayed(const struct net *net)
{
	for (unsigned i = 0; i < net->n_nodes; i++) {
		const struct player *p = player_of(net_node(net, i));

		if (p && p->p.ring && !player_ended(p))
			return false;
	}
	return true;
}

// How long a run goes on after all captures have been sent, if it may end then.
#define AFTER_REPLAY (10 * PS_PER_MS)

bool net_ends_after_replay(const struct net *net, tstamp now, tstamp *since)
{
	if (!net->scene->until_replayed || !net_replayed(net))
		return false;
	*since = tstamp_min(*since, now);
	return tstamp_since(now, *since) >= AFTER_REPLAY;
}

bool net_reaches_nobody(const struct net *net, bool for_good)
{
	struct nic_reach all = {0};

	for (unsigned i = 0; i < net->n_nodes; i++) {
		const struct nic *nic = net_nic(net, i);
		struct nic_reach r = nic ? nic_reach(nic) : (struct nic_reach){0};

		all.sought += r.sought;
		all.found += r.found;
		all.failed += r.failed;
	}
	return all.sought && !all.found && (!for_good || all.failed == all.sought);
}

static void each_queued(
	const struct eport *e, void (*fn)(void *arg, const struct pkt *p), void *arg)
{
	for (unsigned c = 0; c <= EPORT_CTL; c++)
		eport_q_each(&e->q[c], fn, arg);
}

void net_each_held(const struct net *net, void (*fn)(void *arg, const struct pkt *p), void *arg)
{
	for (unsigned i = 0; i < net->n_nodes; i++) {
		const struct net_node *n = net_node(net, i);

		for (unsigned p = 0; n->kind == SCENE_SW && p < n->scene->n_ports; p++)
			each_queued(sw_eport(n->u.sw, p), fn, arg);
		if (n->kind == SCENE_SW)
			sw_each_crossing(n->u.sw, fn, arg);
		if (n->kind == SCENE_NIC)
			each_queued(nic_eport(n->u.nic), fn, arg);
		for (unsigned p = 0; p < n->scene->n_ports; p++)
			if (net_fault(n, p))
				fault_each_held(net_fault(n, p), fn, arg);
	}
}

static void count_one(void *arg, const struct pkt *p)
{
	(void)p;
	++*(uint64_t *)arg;
}

uint64_t net_held(const struct net *net)
{
	uint64_t held = 0;

	net_each_held(net, count_one, &held);
	return held;
}

int net_conserve(const struct net *net, struct err *err)
{
	for (unsigned i = 0; i < net->n_nodes; i++) {
		const struct net_node *n = net_node(net, i);
		char why[256];
		int rc = 0;

		if (n->kind == SCENE_SW)
			rc = sw_conserve(n->u.sw, why, sizeof(why));
		else if (n->kind == SCENE_NIC)
			rc = nic_conserve(n->u.nic, why, sizeof(why));
		if (rc)
			return err_set(err, rc, "%s: %s", n->scene->name, why);
	}
	if (injectors_conserve(net, err))
		return -EPROTO;
	return conserve_flows(net, err);
}
