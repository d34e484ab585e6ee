// SPDX-License-Identifier: BSD-3-Clause
// Loads: flows whose messages come by themselves. Each sender (of an incast: each receiver) has a
// stream of messages; the pairs of hosts for which one comes get queue pairs.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/wheel.h"
#include "int.h"

// A load while it is read. Its streams call hosts by numbers: first the receivers in their order,
// then the senders that are none.
struct load {
	struct draft *b;
	struct draft_flow *f;
	struct draft_node **from, **to;
	unsigned n_from, n_to;
	struct draft_node **host;
	unsigned n_hosts;
	uint32_t *number;   // of each sender
	uint32_t *around;   // the receivers, twice in a row
	uint32_t *all_from; // an incast's senders, twice
};

static const struct yamldoc_node *at_key(const struct draft_flow *f, const char *key)
{
	return draft_given(&scene_opts_flow, f->spec, key, f->key);
}

static bool has(const struct draft_flow *f, const char *key)
{
	return opt_source(&scene_opts_flow, f->spec, key) != NULL;
}

// `load: none` is as good as no load.
static bool has_load(const struct draft_flow *f)
{
	return has(f, "load") && (f->spec->load.is_share || f->spec->load.value != OPT_NONE);
}

// Refuses the keys of a load in a row without sizes. It drops those of defaults.flows.
static int check_without(
	struct draft *b, const struct draft_flow *f, const struct yamldoc_node *row)
{
	static const char *const keys[] = {"load", "arrivals", "on_off", "rack"};

	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (yamldoc_find(row, keys[i]))
			return yamldoc_err(b->err, at_key(f, keys[i]),
				"'%s' belongs to a load; give flow '%s' sizes, too, as in sizes: "
				"websearch",
				keys[i], f->name);
		opt_leave(&scene_opts_flow, f->spec, keys[i]);
	}
	if (f->spec->pairs.which >= SPEC_TO_RANDOM)
		return yamldoc_err(b->err, at_key(f, "pairs"),
			"these pairs are of a load; give flow '%s' sizes, too, or take all, "
			"same_index, ring or permutation",
			f->name);
	if (f->spec->qps == OPT_WORD(0))
		return yamldoc_err(b->err, at_key(f, "qps"),
			"per_message is of a load; give flow '%s' sizes, too, or a number of queue "
			"pairs",
			f->name);
	return 0;
}

// Settles which receivers and arrivals are meant.
static int settle(struct draft *b, struct draft_flow *f)
{
	struct spec_flow *s = f->spec;

	if (!s->group)
		s->group = f->name;
	if (!has(f, "pairs"))
		s->pairs.which = has(f, "rack") ? SPEC_TO_RACK : SPEC_TO_RANDOM;
	if (s->pairs.which == SPEC_TO_ALL)
		s->pairs.which = SPEC_TO_ALL_IN_TURN;
	if (!has(f, "arrivals") && has(f, "on_off"))
		s->arrivals.which = SPEC_ON_OFF;
	if ((s->pairs.which == SPEC_TO_RACK) != has(f, "rack"))
		return yamldoc_err(b->err, at_key(f, has(f, "rack") ? "rack" : "pairs"),
			"'pairs: rack' and a share as in 'rack: 30%%' go together; write both, or "
			"rack alone");
	if ((s->arrivals.which == SPEC_ON_OFF) != has(f, "on_off"))
		return yamldoc_err(b->err, at_key(f, has(f, "on_off") ? "on_off" : "arrivals"),
			"'arrivals: on_off' and its times, as in on_off: {on: 100us, off: 300us}, "
			"go together; write both, or the times alone");
	return 0;
}

static int check_with(struct draft *b, const struct draft_flow *f)
{
	const struct spec_flow *s = f->spec;
	const struct yamldoc_node *on_off = opt_source(&scene_opts_flow, s, "on_off");
	bool rated = s->arrivals.which == SPEC_POISSON || s->arrivals.which == SPEC_EVERY;
	bool closed = s->arrivals.which == SPEC_CLOSED;

	if (on_off &&
		opt_require(opt_row(&scene_opts_flow, "on_off")->sub, &s->on_off, on_off, b->err))
		return -EINVAL;
	if (s->verb == RC_READ)
		return yamldoc_err(
			b->err, at_key(f, "verb"), "a load has no READ; take verb: write or send");
	if (rated != has_load(f))
		return yamldoc_err(b->err, at_key(f, rated ? "sizes" : "load"),
			rated ? "a load needs `load`, as in load: 50%%"
			      : "these arrivals have a load of their own; drop `load`");
	if (s->pairs.which == SPEC_TO_INCAST && !rated)
		return yamldoc_err(
			b->err, at_key(f, "arrivals"), "an incast has arrivals: poisson or every");
	if (closed && s->qps == OPT_WORD(0))
		return yamldoc_err(b->err, at_key(f, "qps"),
			"arrivals: closed has no queue pair for each message, for when they come "
			"is not known before; give a number");
	return 0;
}

// Two streams of one name would bring the same messages.
static int check_once(const struct load *l, const struct yamldoc_node *list,
	struct draft_node *const *node, unsigned n)
{
	int rc = 0;

	for (unsigned i = 0; i < n && !rc; i++) {
		if (node[i]->load_number)
			rc = yamldoc_err(l->b->err, list,
				"host '%s' stands twice in this list of flow '%s'; a load takes "
				"each host once",
				node[i]->name, l->f->name);
		node[i]->load_number = 1;
	}
	for (unsigned i = 0; i < n; i++)
		node[i]->load_number = 0;
	return rc;
}

// The number of a host; of one that has none yet, the next.
static uint32_t number_of(struct load *l, struct draft_node *n)
{
	if (!n->load_number) {
		l->host[l->n_hosts] = n;
		n->load_number = ++l->n_hosts;
	}
	return n->load_number - 1;
}

static int hosts(struct load *l)
{
	struct draft *b = l->b;
	int rc = traffic_nodes(b, l->f, l->f->spec->from, &l->from, &l->n_from);

	if (!rc)
		rc = traffic_nodes(b, l->f, l->f->spec->to, &l->to, &l->n_to);
	if (!rc)
		rc = check_once(l, l->f->spec->from, l->from, l->n_from);
	if (!rc)
		rc = check_once(l, l->f->spec->to, l->to, l->n_to);
	if (rc)
		return rc;
	l->host = draft_scrap(b, (l->n_from + l->n_to) * sizeof(*l->host));
	l->number = draft_scrap(b, l->n_from * sizeof(*l->number));
	l->around = draft_get(b, 2ul * l->n_to * sizeof(*l->around));
	l->all_from = draft_get(b, 2ul * l->n_from * sizeof(*l->all_from));
	if (!l->host || !l->number || !l->around || !l->all_from)
		return -ENOMEM;
	for (unsigned i = 0; i < l->n_to; i++)
		l->around[i] = l->around[l->n_to + i] = number_of(l, l->to[i]);
	for (unsigned i = 0; i < l->n_from; i++) {
		if (l->from[i]->host->external)
			return yamldoc_err(b->err, l->f->spec->from,
				"host '%s' is external, so its messages are not those of flow "
				"'%s'; take it out of `from`",
				l->from[i]->name, l->f->name);
		l->number[i] = number_of(l, l->from[i]);
		l->all_from[i] = l->all_from[l->n_from + i] = l->number[i];
	}
	for (unsigned i = 0; i < l->n_hosts; i++)
		l->host[i]->load_number = 0;
	return 0;
}

// A list that stands twice in a row, from behind the host on and without it; all of it where the
// host is not in it.
static const uint32_t *others(const uint32_t *twice, unsigned n, uint32_t host, uint32_t *left)
{
	for (unsigned i = 0; i < n; i++) {
		if (twice[i] != host)
			continue;
		*left = n - 1;
		return &twice[i + 1];
	}
	*left = n;
	return twice;
}

// A rack's receivers of a sender: first those under its switch, then the others.
static int rack_peers(struct load *l, struct arrivals_cfg *c, struct draft_node *from)
{
	uint32_t n, *peer = draft_get(l->b, (l->n_to + 1) * sizeof(*peer));
	const uint32_t *other = others(l->around, l->n_to, c->host, &n);

	if (!peer)
		return -ENOMEM;
	c->peers = peer;
	c->n_peers = n;
	for (unsigned far = 0; far < 2; far++)
		for (uint32_t i = 0; i < n; i++) {
			bool near = draft_peer(l->host[other[i]], 0) == draft_peer(from, 0);

			if (near != !!far)
				*peer++ = other[i];
			c->near += near && !far;
		}
	if ((l->f->spec->rack && !c->near) || (l->f->spec->rack < 1000 && c->near == n))
		return yamldoc_err(l->b->err, at_key(l->f, "rack"),
			"'%s' has no receiver %s its switch; take other hosts, or rack: %s",
			from->name, c->near ? "beyond" : "under", c->near ? "100%" : "0%");
	return 0;
}

static int peers(struct load *l, struct arrivals_cfg *c, struct draft_node *own)
{
	const struct spec_flow *s = l->f->spec;

	switch (s->pairs.which) {
	case SPEC_TO_INCAST:
		c->to = ARRIVALS_INCAST;
		c->fan = (uint32_t)s->pairs.n;
		c->peers = others(l->all_from, l->n_from, c->host, &c->n_peers);
		if (c->fan > c->n_peers)
			return yamldoc_err(l->b->err, at_key(l->f, "pairs"),
				"an incast of %u wants as many senders, and '%s' has %u", c->fan,
				own->name, c->n_peers);
		return 0;
	case SPEC_TO_RACK:
		c->to = ARRIVALS_RACK;
		c->rack_q32 = ((uint64_t)s->rack << 32) / 1000;
		return rack_peers(l, c, own);
	default:
		c->to = s->pairs.which == SPEC_TO_RANDOM ? ARRIVALS_RANDOM : ARRIVALS_IN_TURN;
		c->peers = others(l->around, l->n_to, c->host, &c->n_peers);
	}
	return 0;
}

// Mean time between messages, or requests of an incast, ps Q48.16: L * C / (8 * mean size) come in
// a second.
static int gap(struct load *l, struct arrivals_cfg *c, rate_t line)
{
	const struct opt_amount *load = &l->f->spec->load;
	unsigned __int128 q16 = (unsigned __int128)dist_mean_q20(c->sizes) * 8 * PS_PER_S;
	rate_t rate;

	if (draft_rate(l->b, &rate, load, line, at_key(l->f, "load")))
		return -EINVAL;
	if (rate > line)
		return yamldoc_err(l->b->err, at_key(l->f, "load"),
			"load is above 100%% of the link, which nobody can send; lower it");
	q16 *= c->to == ARRIVALS_INCAST ? c->fan : 1;
	c->gap_q16 = (uint64_t)(q16 / rate >> 4);
	return 0;
}

// The stream of a sender, or of an incast's receiver.
static int stream_add(struct load *l, struct draft_node *own, uint32_t number, uint32_t *one)
{
	static const enum arrivals_kind kinds[] = {[SPEC_POISSON] = ARRIVALS_POISSON,
		[SPEC_EVERY] = ARRIVALS_EVERY,
		[SPEC_ON_OFF] = ARRIVALS_ON_OFF,
		[SPEC_CLOSED] = ARRIVALS_CLOSED};
	struct draft_flow *f = l->f;
	struct scene_load *s = draft_get(l->b, sizeof(*s));
	void **place = s ? draft_push(l->b, &f->stream, &f->n_streams) : NULL;
	rate_t line = draft_host_link(own)->spec.rate;
	struct arrivals_cfg *c;
	int rc = 0;

	if (!place)
		return -ENOMEM;
	*place = s;
	if (snprintf(s->name, sizeof(s->name), "%s[%s]", f->name, own->name) >=
		(int)sizeof(s->name))
		snprintf(s->name, sizeof(s->name), "%s[%u]", f->name, own->number);
	c = &s->arrivals;
	*c = (struct arrivals_cfg){.kind = kinds[f->spec->arrivals.which],
		.sizes = f->sizes,
		.ps_per_byte = rate_byte_ps(line),
		.on = f->spec->on_off.on,
		.off = f->spec->on_off.off,
		.depth = (uint32_t)f->spec->arrivals.n,
		.start = traffic_start(l->b, f, s->name),
		.stop = tstamp_min(traffic_stop(l->b, f), l->b->s->duration),
		.seed = l->b->s->seed,
		.name = s->name,
		.host = number};
	s->stopped = c->start == TSTAMP_NEVER;
	c->start = s->stopped ? 0 : c->start;
	if (one) {
		c->to = ARRIVALS_ONE;
		c->peers = one;
		c->n_peers = 1;
	} else {
		rc = peers(l, c, own);
	}
	if (!rc && has_load(f))
		rc = gap(l, c, line);
	f->n_streams -= !c->n_peers; // the host would send to itself alone
	return rc;
}

// One for each sender, and to one receiver, which a pattern chooses.
static int streams_to_one(struct load *l)
{
	uint32_t *one = draft_get(l->b, l->n_from * sizeof(*one));
	unsigned *chosen;
	int rc = one ? traffic_receivers(l->b, l->f, l->from, l->n_from, l->to, l->n_to, &chosen)
		     : -ENOMEM;

	for (unsigned i = 0; !rc && i < l->n_from; i++) {
		if (l->from[i] == l->to[chosen[i]])
			continue; // a host sends nothing to itself
		one[i] = l->around[chosen[i]];
		rc = stream_add(l, l->from[i], l->number[i], &one[i]);
	}
	return rc;
}

static int streams(struct load *l)
{
	const bool incast = l->f->spec->pairs.which == SPEC_TO_INCAST;
	const unsigned n = incast ? l->n_to : l->n_from;
	int rc = 0;

	if (l->f->spec->pairs.which < SPEC_TO_RANDOM)
		return streams_to_one(l);
	for (unsigned i = 0; !rc && i < n; i++)
		rc = stream_add(l, incast ? l->to[i] : l->from[i],
			incast ? l->around[i] : l->number[i], NULL);
	return rc;
}

// Hosts that a stream can name besides its own.
static uint32_t possible(const struct arrivals_cfg *c)
{
	if (c->to != ARRIVALS_RACK)
		return c->n_peers;
	return (c->rack_q32 ? c->near : 0) + (c->rack_q32 >> 32 ? 0 : c->n_peers - c->near);
}

// Begins to draw the messages of a stream. The options leave one fault to find: short times `on`.
static int draw(struct load *l, struct arrivals *a, const struct arrivals_cfg *c)
{
	if (!arrivals_init(a, c))
		return 0;
	return yamldoc_err(l->b->err, at_key(l->f, "on_off"),
		"a message of flow '%s' lasts longer than %u times `on`; make `on` longer",
		l->f->name, ARRIVALS_ONS);
}

// Joins the hosts of a stream for which a message comes: it is walked until all have had one.
static int join(struct load *l, struct scene_load *s, bool *met)
{
	const struct arrivals_cfg *c = &s->arrivals;
	const bool incast = c->to == ARRIVALS_INCAST;
	uint32_t left = possible(c);
	struct arrivals a;
	struct arrival m;
	int rc = draw(l, &a, c);

	if (rc)
		return rc;
	memset(met, 0, l->n_hosts * sizeof(*met));
	for (uint32_t i = 0; c->kind == ARRIVALS_CLOSED && i < c->n_peers; i++, left--)
		met[c->peers[i]] = true;
	while (c->kind != ARRIVALS_CLOSED && left && arrivals_next(&a, &m)) {
		uint32_t other = incast ? m.from : m.to;

		left -= !met[other];
		met[other] = true;
	}
	s->pair = draft_get(l->b, (possible(c) - left + 1ul) * sizeof(*s->pair));
	if (!s->pair)
		return -ENOMEM;
	for (uint32_t other = 0; !rc && other < l->n_hosts; other++) {
		uint32_t from = incast ? other : c->host, to = incast ? c->host : other;

		if (!met[other])
			continue;
		s->pair[s->n_pairs++] = (struct scene_load_pair){from, to};
		rc = traffic_pair_add(l->b, l->f, l->host[from], l->host[to]);
	}
	return rc;
}

// Messages of all streams by time, each with a queue pair of its own.
static int add_messages(struct load *l, struct arrivals *a, struct wheel *by_time)
{
	struct spec_flow *spec = draft_scrap(l->b, sizeof(*spec));
	int rc = spec ? 0 : -ENOMEM;

	if (rc)
		return rc;
	*spec = *l->f->spec;
	spec->qps = spec->count = 1;
	if (!spec->group)
		spec->group = l->f->name;
	for (unsigned n = 0; !rc && wheel_first(by_time) != TSTAMP_NEVER; n++) {
		uint32_t i = wheel_first_id(by_time);
		struct arrival m;

		if (!arrivals_next(&a[i], &m))
			break;
		wheel_set(by_time, i, arrivals_at(&a[i]));
		rc = traffic_message_add(l->b, l->f, spec, n, l->host[m.from], l->host[m.to], &m);
	}
	return rc;
}

static int by_message(struct load *l)
{
	const struct draft_flow *f = l->f;
	struct arrivals *a = draft_scrap(l->b, f->n_streams * sizeof(*a));
	struct wheel by_time;
	int rc = 0;

	if (!a || wheel_init(&by_time, f->n_streams))
		return -ENOMEM;
	for (unsigned i = 0; !rc && i < f->n_streams; i++) {
		if (f->stream[i]->stopped)
			rc = yamldoc_err(l->b->err, at_key(f, "start"),
				"flow_start starts no messages that have queue pairs of their own; "
				"give flow '%s' another start, or qps a number",
				f->name);
		else
			rc = draw(l, &a[i], &f->stream[i]->arrivals);
		wheel_set(&by_time, i, arrivals_at(&a[i]));
	}
	if (!rc)
		rc = add_messages(l, a, &by_time);
	wheel_fini(&by_time);
	return rc;
}

int traffic_load_check(struct draft *b, struct draft_flow *f, const struct yamldoc_node *row)
{
	int rc;

	if (f->is_open_loop)
		opt_leave(&scene_opts_flow, f->spec, "sizes"); // of defaults.flows
	if (!f->spec->sizes)
		return check_without(b, f, row);
	opt_leave(&scene_opts_flow, f->spec, "message");
	opt_leave(&scene_opts_flow, f->spec, "count");
	rc = settle(b, f);
	if (!rc)
		rc = check_with(b, f);
	return rc ? rc : traffic_sizes(b, f->spec->sizes, &f->sizes);
}

int traffic_load_read(struct draft *b, struct draft_flow *f)
{
	struct load l = {.b = b, .f = f};
	bool *met;
	int rc = hosts(&l);

	if (!rc)
		rc = streams(&l);
	if (rc)
		return rc;
	met = draft_scrap(b, l.n_hosts * sizeof(*met));
	if (!met)
		return -ENOMEM;
	if (!f->n_streams)
		return yamldoc_err(b->err, f->spec->to,
			"flow '%s' joins nothing; from and to differ", f->name);
	if (f->spec->qps == OPT_WORD(0))
		return by_message(&l);
	for (unsigned i = 0; !rc && i < f->n_streams; i++)
		rc = join(&l, f->stream[i], met);
	return rc;
}

// Counts the messages that hosts send of a stream, so that there is room for all of them to wait:
// few runs have more than five standard deviations above the mean.
static void count(
	struct draft *b, const struct draft_flow *f, const struct scene_load *s, unsigned pair)
{
	double all = scene_load_messages(s, b->s->duration);
	unsigned senders = s->arrivals.to == ARRIVALS_INCAST ? s->arrivals.n_peers : 1;
	double each = all / senders;

	for (unsigned i = 0; i < s->n_pairs; i++)
		if (!i || s->pair[i].from != s->pair[i - 1].from)
			f->pair[pair + i].from->messages += (uint64_t)(each + 5 * sqrt(each)) + 64;
}

int traffic_load(struct draft *b, struct draft_flow *f)
{
	unsigned first = f->first_qp, pair = 0;

	for (unsigned i = 0; i < f->n_streams; i++) {
		void **place = draft_push(b, &b->s->load, &b->s->n_loads);

		if (!place)
			return -ENOMEM;
		*place = f->stream[i];
		f->stream[i]->first = first;
		f->stream[i]->flow = f->name;
		f->stream[i]->each = (uint32_t)f->spec->qps;
		first += f->stream[i]->n_pairs * f->stream[i]->each;
		count(b, f, f->stream[i], pair);
		pair += f->stream[i]->n_pairs;
	}
	return 0;
}
