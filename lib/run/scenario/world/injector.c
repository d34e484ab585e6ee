// SPDX-License-Identifier: BSD-3-Clause
// The injectors of a world's ports: each with the faults of its port, and the queue pairs that
// these name, by the addresses and QPNs that queue pairs have now.
#include "injector.h"
#include "observer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define SEEN_PAIRS 4096  // room for queue pairs that only a fault of all frames names
#define WINDOW     16384 // packets, of a queue pair that is no flow's

// The injector of one port.
struct injector {
	unsigned node, port;
	struct fault *fault;
	struct fault_record *record; // of the faults of this port, in their order
	const struct scene_fault **of;
	unsigned n;
};

// Any thread may read the lists. The list of injectors has room for one for each fault.
struct net_injectors {
	struct fault_heard *heard;
	const struct scene_fault **fault; // the scene's, and behind them those that came later
	unsigned n_scene;
	atomic_uint n_faults;
	struct injector *retired[NET_FAULTS_LIVE]; // of which others have taken over
	unsigned n_retired;
	atomic_uint n;
	struct injector *_Atomic list[];
};

// Frames to one queue pair, and one record that names it.
struct named {
	struct fault_target to;
	uint32_t record;
};

static int by_pair(const void *one, const void *two)
{
	const struct named *a = one, *b = two;
	int c = memcmp(a->to.daddr, b->to.daddr, sizeof(a->to.daddr));

	if (!c)
		c = (a->to.ipv6 > b->to.ipv6) - (a->to.ipv6 < b->to.ipv6);
	if (!c)
		c = (a->to.qpn > b->to.qpn) - (a->to.qpn < b->to.qpn);
	return c ? c : (a->record > b->record) - (a->record < b->record);
}

static bool is_same_pair(const struct fault_target *a, const struct fault_target *b)
{
	return a->ipv6 == b->ipv6 && a->qpn == b->qpn &&
	       !memcmp(a->daddr, b->daddr, sizeof(a->daddr));
}

static struct fault_target target_of(const struct scene *s, const struct scene_fault_pair *p)
{
	struct fault_target to = {.ipv6 = p->ipv6, .qpn = p->qpn, .psn = p->psn};
	const struct scene_flow *f;
	const struct hdr *h;

	if (p->flow == SCENE_FAULT_GIVEN) {
		memcpy(to.daddr, p->daddr, sizeof(to.daddr));
		to.window = WINDOW;
		return to;
	}
	f = s->flow[p->flow];
	h = p->back ? &f->hdr_ack : &f->hdr_data;
	memcpy(to.daddr, h->daddr, sizeof(to.daddr));
	to.ipv6 = h->flags & HDR_IPV6;
	to.qpn = p->back ? f->rsp.peer_qpn : f->req.peer_qpn;
	to.psn = f->peer ? FAULT_PSN_SEEN : f->req.psn;
	to.window = f->rc->p.window;
	return to;
}

static void injector_free(struct injector *in)
{
	if (!in)
		return;
	fault_free(in->fault);
	free(in->record);
	free(in->of);
	free(in);
}

// The queue pairs that the records of an injector name, each once, with the records of each.
struct targets {
	struct named *named;
	struct fault_target *to;
	uint32_t *record, *all;
	unsigned n_named, n_to, n_all;
};

static void targets_free(struct targets *t)
{
	free(t->named);
	free(t->to);
	free(t->record);
	free(t->all);
}

static int targets_room(struct targets *t, const struct injector *in)
{
	size_t most = 1;

	for (unsigned i = 0; i < in->n; i++)
		most += in->of[i]->n_pairs;
	t->named = calloc(most, sizeof(*t->named));
	t->to = calloc(most, sizeof(*t->to));
	t->record = calloc(most, sizeof(*t->record));
	t->all = calloc(in->n + 1, sizeof(*t->all));
	return t->named && t->to && t->record && t->all ? 0 : -ENOMEM;
}

static int targets_make(struct targets *t, const struct scene *s, const struct injector *in)
{
	if (targets_room(t, in))
		return -ENOMEM;
	for (unsigned i = 0; i < in->n; i++) {
		const struct scene_fault *f = in->of[i];

		if (!f->n_pairs)
			t->all[t->n_all++] = i;
		for (unsigned k = 0; k < f->n_pairs; k++)
			t->named[t->n_named++] = (struct named){target_of(s, &f->pair[k]), i};
	}
	qsort(t->named, t->n_named, sizeof(*t->named), by_pair);
	for (unsigned i = 0; i < t->n_named; i++) {
		struct fault_target *last = t->n_to ? &t->to[t->n_to - 1] : NULL;

		t->record[i] = t->named[i].record;
		if (!last || !is_same_pair(last, &t->named[i].to)) {
			last = &t->to[t->n_to++];
			*last = t->named[i].to;
			last->record = &t->record[i];
		}
		if (!last->n_records || last->record[last->n_records - 1] != t->record[i])
			last->n_records++;
	}
	return 0;
}

// The shard that has a port has its stack and its events, too.
static struct net_node *owner_of(const struct net *net, unsigned node, unsigned port)
{
	struct net_node *n = net_node(net, node);

	return n->shard ? net_shard(n, port % n->scene->u.sw.shards) : n;
}

static int injector_make(struct injector *in, const struct net *net)
{
	const struct scene *s = net->scene;
	const struct scene_node *n = &s->node[in->node];
	struct net_node *owner = owner_of(net, in->node, in->port);
	struct targets t = {0};
	struct fault_params p = {.record = in->record,
		.n_records = in->n,
		.port = (uint16_t)in->port,
		.seed = s->seed,
		.name = n->port[in->port].name,
		.stack = owner->stack,
		.events = &owner->events};
	int rc = targets_make(&t, s, in);

	for (unsigned i = 0; i < in->n; i++)
		p.held += in->of[i]->held;
	p.target = t.to;
	p.n_targets = t.n_to;
	p.all = t.all;
	p.n_all = t.n_all;
	p.seen_pairs = SEEN_PAIRS;
	p.seen_window = WINDOW;
	p.payload = s->payload;
	p.heard = net->injectors->heard;
	p.by_pcp = net_class_maps(n, in->port, p.dscp_to_class, p.pcp_to_class);
	if (!rc)
		rc = fault_new(&in->fault, &p);
	targets_free(&t);
	return rc;
}

// The place of a port's injector in the list; where there is none, the first free place.
static unsigned place_of(const struct net_injectors *all, unsigned node, unsigned port)
{
	const unsigned n = atomic_load(&all->n);

	for (unsigned i = 0; i < n; i++) {
		const struct injector *in = all->list[i];

		if (in->node == node && in->port == port)
			return i;
	}
	return n;
}

static struct injector *find_injector(const struct net_injectors *all, unsigned node, unsigned port)
{
	unsigned i = place_of(all, node, port);

	return i < atomic_load(&all->n) ? all->list[i] : NULL;
}

// An injector with room for n faults of one port. NULL: no memory.
static struct injector *injector_new(unsigned node, unsigned port, unsigned n)
{
	struct injector *in = calloc(1, sizeof(*in));

	if (!in)
		return NULL;
	in->node = node;
	in->port = port;
	in->record = calloc(n, sizeof(*in->record));
	in->of = calloc(n, sizeof(*in->of));
	if (in->record && in->of)
		return in;
	injector_free(in);
	return NULL;
}

static void take_fault(struct injector *in, const struct scene_fault *f)
{
	in->record[in->n] = f->record;
	in->of[in->n++] = f;
}

// Gives a fault of the scene to the injector of its port.
static int place_fault(struct net_injectors *all, const struct scene_fault *f)
{
	struct injector *in = find_injector(all, f->node, f->port);

	if (!in) {
		in = injector_new(f->node, f->port, all->n_scene);
		if (!in)
			return -ENOMEM;
		all->list[all->n] = in;
		all->n++;
	}
	take_fault(in, f);
	return 0;
}

// Lets a node, and its shards, know the injectors of its ports.
static int show_node(struct net_node *n, const struct injector *in)
{
	if (!n->fault)
		n->fault = calloc(n->scene->n_ports, sizeof(*n->fault));
	if (!n->fault)
		return -ENOMEM;
	n->fault[in->port] = in->fault;
	for (unsigned k = 1; n->shard && k < n->scene->u.sw.shards; k++)
		net_shard(n, k)->fault = n->fault;
	return 0;
}

int injectors_number(struct net *net)
{
	int rc = 0;

	for (unsigned i = 0; net->injectors && i < net->injectors->n && !rc; i++) {
		struct injector *in = net->injectors->list[i];

		fault_free(in->fault);
		in->fault = NULL;
		rc = injector_make(in, net);
		if (!rc)
			rc = show_node(net_node(net, in->node), in);
	}
	return rc;
}

int injectors_make(struct net *net, struct err *err)
{
	const struct scene *s = net->scene;
	const unsigned most = s->n_faults + NET_FAULTS_LIVE;
	struct net_injectors *all = calloc(1, sizeof(*all) + most * sizeof(all->list[0]));
	int rc = 0;

	net->injectors = all;
	if (all) {
		all->fault = calloc(most, sizeof(*all->fault));
		all->heard = fault_heard_new();
	}
	if (!all || !all->fault || !all->heard)
		return err_set(err, -ENOMEM, "no memory for faults");
	all->n_scene = s->n_faults;
	atomic_init(&all->n_faults, s->n_faults);
	for (unsigned i = 0; i < s->n_faults && !rc; i++) {
		all->fault[i] = s->fault[i];
		if (scene_is_here(s, s->fault[i]->node))
			rc = place_fault(all, s->fault[i]);
	}
	if (!rc)
		rc = injectors_number(net);
	return rc ? err_set(err, rc, "the faults cannot be prepared: %s", strerror(-rc)) : 0;
}

void injectors_free(struct net *net)
{
	struct net_injectors *all = net->injectors;

	for (unsigned i = 0; all && i < all->n; i++)
		injector_free(all->list[i]);
	for (unsigned i = 0; all && i < all->n_retired; i++)
		injector_free(all->retired[i]);
	if (all) {
		free(all->fault);
		fault_heard_free(all->heard);
	}
	free(all);
}

int injectors_conserve(const struct net *net, struct err *err)
{
	for (unsigned i = 0; net->injectors && i < net->injectors->n; i++) {
		const struct injector *in = net->injectors->list[i];
		const struct fault_stats *f = fault_stats(in->fault);
		uint64_t come = f->in_frames + f->copied_frames + f->forged_frames;
		uint64_t gone = f->on_frames + f->dropped_frames + fault_held(in->fault);

		if (come != gone)
			return err_set(err, -EPROTO,
				"faults at %s: %" PRIu64 " frames came, %" PRIu64
				" were copied, %" PRIu64 " forged, but %" PRIu64
				" went on, %" PRIu64 " were dropped, %u are held",
				net->scene->node[in->node].port[in->port].name, f->in_frames,
				f->copied_frames, f->forged_frames, f->on_frames, f->dropped_frames,
				fault_held(in->fault));
	}
	return 0;
}

unsigned net_n_faults(const struct net *net)
{
	return net->injectors ? atomic_load(&net->injectors->n_faults) : 0;
}

const struct scene_fault *net_fault_at(const struct net *net, unsigned i)
{
	return net->injectors->fault[i];
}

struct fault_record_stats net_fault_record(const struct net *net, const struct scene_fault *f)
{
	const struct injector *in = find_injector(net->injectors, f->node, f->port);

	for (unsigned k = 0; in && k < in->n; k++)
		if (in->of[k] == f)
			return fault_record_stats(in->fault, k);
	return (struct fault_record_stats){0};
}

struct fault_stats net_fault_stats(const struct net *net)
{
	struct fault_stats sum = {0};

	for (unsigned i = 0; net->injectors && i < net->injectors->n; i++) {
		const uint64_t *from =
			(const uint64_t *)fault_stats(net->injectors->list[i]->fault);
		uint64_t *to = (uint64_t *)&sum;

		for (unsigned k = 0; k < sizeof(sum) / sizeof(*to); k++)
			to[k] += from[k];
	}
	return sum;
}

// The injector of a port with further faults, which takes over from the one of before. A node
// without injectors gets room for them, too.
struct injector_change {
	struct net *net;
	struct injector *next;
	struct injector *was; // NULL: the port had none
	struct fault **ports;
};

static struct injector_change *change_of(const struct net_order *o)
{
	return (struct injector_change *)(uintptr_t)o->ctl.with;
}

static struct injector_change *find_change(const struct net_change *c, unsigned node, unsigned port)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->order[i].node == node && c->order[i].ctl.port == port)
			return change_of(&c->order[i]);
	return NULL;
}

void injector_change_free(void *with)
{
	struct injector_change *x = with;

	injector_free(x->next);
	free(x->ports);
	free(x);
}

// A change for the port of a fault that comes; `n`: of all that come.
static struct injector_change *change_new(struct net *net, const struct scene_fault *f, unsigned n)
{
	struct injector_change *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->net = net;
	x->was = find_injector(net->injectors, f->node, f->port);
	x->ports = calloc(net->scene->node[f->node].n_ports, sizeof(*x->ports));
	x->next = injector_new(f->node, f->port, n + (x->was ? x->was->n : 0));
	if (!x->ports || !x->next) {
		injector_change_free(x);
		return NULL;
	}
	for (unsigned i = 0; x->was && i < x->was->n; i++)
		take_fault(x->next, x->was->of[i]);
	return x;
}

static bool changes_bytes(const struct scene_fault *f)
{
	return f->record.action == FAULT_CORRUPT || f->record.action == FAULT_REWRITE ||
	       f->record.action == FAULT_FORGE;
}

// Whether the net takes one more fault behind n others.
static int check_new(
	const struct net *net, const struct scene_fault *f, unsigned n, struct err *err)
{
	const struct net_injectors *all = net->injectors;

	if (!scene_is_here(net->scene, f->node))
		return err_set(err, -EINVAL, "%s: another part runs the node", f->text);
	if (net_n_faults(net) + n - all->n_scene >= NET_FAULTS_LIVE)
		return err_set(err, -ENOSPC, "at most %u faults come while a run goes on",
			NET_FAULTS_LIVE);
	if (changes_bytes(f) && !owner_of(net, f->node, f->port)->stack->data_off)
		return err_set(err, -EINVAL,
			"%s: frames have no bytes in this run; they have some if the scenario has "
			"a fault of corrupt, rewrite or forge, which may be optional",
			f->text);
	return 0;
}

// Adds a fault to the change of its port.
static int change_add(
	struct net_change *c, struct net *net, const struct scene_fault *f, unsigned most)
{
	struct injector_change *x = find_change(c, f->node, f->port);

	if (!x) {
		x = change_new(net, f, most);
		if (!x)
			return -ENOMEM;
		c->order[c->n++] = (struct net_order){
			f->node, {.type = CTL_FAULT, .port = f->port, .with = x}};
	}
	take_fault(x->next, f);
	return 0;
}

int net_faults_add(struct net_change **out, struct net *net, struct scene *to, struct err *err)
{
	struct net_change *c = calloc(1, sizeof(*c) + to->n_faults * sizeof(c->order[0]));
	unsigned n = 0;
	int rc = 0;

	if (!c)
		return err_set(err, -ENOMEM, "no memory for faults");
	c->net = net;
	for (unsigned i = 0; !rc && i < to->n_faults; i++) {
		struct scene_fault *f = to->fault[i];

		if (f->line)
			continue;
		rc = check_new(net, f, n, err);
		f->record.number = net_n_faults(net) + ++n;
		if (!rc && change_add(c, net, f, to->n_faults))
			rc = err_set(err, -ENOMEM, "no memory for faults");
	}
	for (unsigned i = 0; !rc && i < c->n; i++)
		if (injector_make(change_of(&c->order[i])->next, net))
			rc = err_set(err, -ENOMEM, "no memory for faults");
	if (rc)
		net_change_free(c);
	else
		*out = c;
	return rc;
}

// Only the shard that has the port touches its injector.
int injector_adopt(struct net_node *n, const void *with)
{
	const struct injector_change *x = with;
	unsigned port = x->next->port;

	if (!n->fault)
		n->fault = x->ports;
	if (n != owner_of(x->net, x->next->node, port))
		return 0;
	if (x->was)
		fault_adopt(x->next->fault, x->was->fault);
	n->fault[port] = x->next->fault;
	return 0;
}

void net_faults_done(struct net_change *c)
{
	struct net_injectors *all = c->net->injectors;
	unsigned brought = 0;

	for (unsigned i = 0; i < c->n; i++) {
		struct injector_change *x = change_of(&c->order[i]);
		unsigned at = place_of(all, x->next->node, x->next->port);
		unsigned first = x->was ? x->was->n : 0;

		if (x->was)
			all->retired[all->n_retired++] = x->was;
		all->list[at] = x->next;
		if (at == all->n)
			all->n++;
		for (unsigned k = first; k < x->next->n; k++)
			all->fault[x->next->record[k].number - 1] = x->next->of[k];
		brought += x->next->n - first;
		x->next = NULL;
		if (net_node(c->net, c->order[i].node)->fault == x->ports)
			x->ports = NULL; // the node's
	}
	// Another thread reads this number, and then so many faults: all of them are complete now.
	atomic_fetch_add(&all->n_faults, brought);
}
