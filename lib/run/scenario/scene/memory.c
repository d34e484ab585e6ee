// SPDX-License-Identifier: BSD-3-Clause
// How much memory a run of a scene is likely to take, for a word before it begins.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

// The memory of the drivers and the recorder, in bytes, measured where it does not follow from our
// own sizes.
#define BASE      8000000 // of a run of the smallest scene
#define SLOT      8       // of a packet, beside its descriptor: the stack that it waits in
#define PORT      10000   // of a switch that nothing passes
#define ENTRY     12      // of an FDB: its description; alike switches share the table
#define QUEUE     12000   // of a queue in use: its histogram and its course
#define HOPS      16      // queues that the frames of a queue pair pass, and their ACKs
#define HOST      24000   // that nothing is sent to
#define RECEIVER  32000   // of a host that messages come to: their distributions
#define IDLE_PAIR 3400    // both ends of a queue pair that never sends, and their records
#define DESCRIBED 696     // of that its description, which is there once the scene is loaded
#define SENT      1600    // more, of one that has sent
#define PLACE     7000    // more, of one in use
#define HELD      (200 * PS_PER_US) // time that a place serves a queue pair at least: two of rest
#define CNPS      16000             // more, of one that gets CNPs: their distributions
#define MARKED    8000 // bytes of payload beside other queue pairs, of which some are marked
#define HEADERS   60   // of a data frame, about

// Some of the scene's load, as far as its run comes.
struct load {
	uint32_t *to;       // by node: queue pairs that send to it
	bool *from;         // by node: one sends from it
	uint64_t pairs;     // that send
	tstamp first, last; // their first start, their last
	double busy;        // ps, for how long they have places, added up
	uint64_t window;    // packets that they can have outstanding
	uint32_t len;       // of the shortest full frame
	unsigned hosts, receivers;
};

// Messages of a load come from the beginning on.
static tstamp start_of(const struct scene_flow *f)
{
	return f->req.loaded ? 0 : f->req.start;
}

static bool sends(const struct scene *s, const struct scene_flow *f)
{
	return start_of(f) < s->duration - s->drain;
}

static uint64_t packets_of(const struct scene_flow *f)
{
	uint64_t packets = rc_packets(f->rc, f->req.message_bytes), window = f->rc->p.window;

	if (!f->req.count || packets > window / f->req.count)
		return window;
	return packets * f->req.count;
}

static uint32_t frame_of(const struct scene_flow *f)
{
	uint32_t payload = f->rc->p.mtu;

	return HEADERS + (f->req.message_bytes < payload ? f->req.message_bytes : payload);
}

static uint64_t bytes_in(rate_t rate, tstamp t)
{
	return (uint64_t)((unsigned __int128)rate * t / PS_PER_S / 8);
}

// How long the queue pair has its place if it has its host's line to itself.
static tstamp held(const struct scene *s, const struct scene_flow *f)
{
	double bits = 8.0 * (double)f->req.message_bytes * (double)f->req.count;
	double line = f->from < s->n_nodes ? (double)s->node[f->from].port[0].rate : 1e9;
	double ps = (double)HELD + bits / line * (double)PS_PER_S;

	return f->req.count && ps < (double)s->duration ? (tstamp)ps : s->duration;
}

// The queue pairs that have a place at once, if their starts are spread evenly.
static uint64_t at_once(const struct load *l)
{
	double spread = (double)(l->last - l->first);

	return l->busy < spread * (double)l->pairs ? (uint64_t)(l->busy / spread) : l->pairs;
}

// False: there is no memory, so the load is not known.
static bool load_make(struct load *l, const struct scene *s)
{
	*l = (struct load){.len = PKT_MAX_LEN, .first = TSTAMP_NEVER};
	l->to = calloc(s->n_nodes + s->n_elsewhere + 1ul, sizeof(*l->to) + sizeof(*l->from));
	if (!l->to)
		return false;
	l->from = (bool *)(l->to + s->n_nodes + s->n_elsewhere + 1);
	for (unsigned i = 0; i < s->n_flows; i++) {
		const struct scene_flow *f = s->flow[i];

		if (!sends(s, f))
			continue;
		l->pairs++;
		l->first = tstamp_min(l->first, start_of(f));
		l->last = tstamp_max(l->last, start_of(f));
		l->busy += (double)held(s, f);
		l->window += packets_of(f);
		l->len = frame_of(f) < l->len ? frame_of(f) : l->len;
		l->receivers += !l->to[f->to]++;
		l->from[f->from] = true;
	}
	if (s->n_sources || s->needs_bytes) {
		l->window = UINT64_MAX;
		l->len = PKT_MIN_LEN;
	}
	for (unsigned i = 0; i < s->n_nodes; i++)
		l->hosts += s->node[i].kind != SCENE_SW;
	return true;
}

// Descriptors take memory as they are first used. Hosts cannot send more than their lines carry in
// the run, queue pairs not more than their windows, and more than fills buffers and wires is not on
// its way.
static uint64_t packets(const struct scene *s, const struct load *l)
{
	uint64_t one = sizeof(struct pkt) + SLOT, lines = 0, room = 0, most;

	for (unsigned i = 0; i < s->n_nodes; i++) {
		const struct scene_node *n = &s->node[i];

		if (n->kind == SCENE_SW)
			room += n->u.sw.buffer_bytes;
		else if (l->from[i] || s->needs_bytes)
			lines += bytes_in(n->port[0].rate, s->duration);
		for (unsigned p = 0; p < n->n_ports; p++)
			room += bytes_in(n->port[p].rate, n->port[p].delay);
	}
	for (unsigned i = 0; i < s->n_sources; i++)
		lines += bytes_in(s->source[i]->gen.rate, s->duration);
	most = (lines < room ? lines : room) / l->len;
	most = most < l->window ? most : l->window;
	if (s->needs_hdrs || s->needs_bytes)
		one += sizeof(struct hdr);
	if (s->needs_bytes)
		one += s->max_frame;
	return (most < s->max_packets ? most : s->max_packets) * one;
}

// Classes that some frame of the scene's own has.
static unsigned classes(const struct scene *s)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < s->n_flows; i++)
		bits |= 1u << s->flow[i]->cls | 1u << s->flow[i]->rsp.ack_cls;
	for (unsigned i = 0; i < s->n_sources; i++)
		bits |= 1u << s->source[i]->gen.cls;
	return (unsigned)__builtin_popcount(bits);
}

static uint64_t nodes(const struct scene *s, const struct load *l)
{
	uint64_t ports = 0, entries = 0, queues, used = HOPS * (l->pairs + s->n_sources);

	for (unsigned i = 0; i < s->n_nodes; i++) {
		const struct scene_node *n = &s->node[i];

		if (n->kind != SCENE_SW)
			continue;
		ports += n->n_ports;
		entries += (uint64_t)n->u.sw.n_fdb;
	}
	queues = ports * classes(s);
	return ports * PORT + entries * ENTRY + (used < queues ? used : queues) * QUEUE +
	       (uint64_t)l->hosts * HOST + (uint64_t)l->receivers * RECEIVER;
}

// A queue pair with a reaction point gets CNPs if others send to the same host and its part of that
// host's line is enough payload.
static bool gets_cnps(const struct scene *s, const struct load *l, const struct scene_flow *f)
{
	uint64_t line = f->to < s->n_nodes ? bytes_in(s->node[f->to].port[0].rate, s->duration) : 0;

	return f->rp && l->to[f->to] > 1 && line / l->to[f->to] > MARKED &&
	       packets_of(f) * f->rc->p.mtu > MARKED;
}

static uint64_t pairs(const struct scene *s, const struct load *l)
{
	uint64_t sum = (uint64_t)s->n_flows * IDLE_PAIR + l->pairs * SENT + at_once(l) * PLACE;

	for (unsigned i = 0; i < s->n_flows; i++)
		if (sends(s, s->flow[i]) && gets_cnps(s, l, s->flow[i]))
			sum += CNPS;
	return sum;
}

// Returns the bytes for instants of frames that come back. Each source has a power of two of them.
static uint64_t trips(const struct scene *s)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < s->n_sources; i++)
		sum += 2ull * s->source[i]->trips * sizeof(tstamp);
	return sum;
}

struct scene_memory scene_memory(const struct scene *s)
{
	struct scene_memory m = {0};
	struct load l;

	if (!load_make(&l, s))
		return m;
	m.packets = packets(s, &l);
	m.nodes = nodes(s, &l);
	m.pairs = pairs(s, &l);
	m.all = BASE + m.packets + m.nodes + trips(s) + m.pairs;
	free(l.to);
	return m;
}

// The number behind `key` in a file, at the front of a line; UINT64_MAX: there is none, or "max".
static uint64_t number_in(const char *path, const char *key)
{
	FILE *f = fopen(path, "re");
	uint64_t v = UINT64_MAX;
	unsigned long long n;
	char line[128];

	while (f && v == UINT64_MAX && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)) && sscanf(line + strlen(key), "%llu", &n) == 1)
			v = n;
	if (f)
		fclose(f);
	return v;
}

// A hierarchy of control groups that bounds memory: its line in /proc/self/cgroup, where it is
// mounted, and its files.
struct hierarchy {
	const char *line, *mount, *limit, *usage, *idle;
};

static const struct hierarchy hierarchies[] = {
	{"0::", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "},
	{":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
		"total_inactive_file "},
};

static uint64_t number_of_group(const char *group, const char *file, const char *key)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", group, file) >= (int)sizeof(path))
		return UINT64_MAX;
	return number_in(path, key);
}

// Returns the bytes that a control group may still take. Files in its cache that nobody has read
// lately count as free.
static uint64_t left_in(const char *group, const struct hierarchy *h)
{
	uint64_t limit = number_of_group(group, h->limit, "");
	uint64_t usage = number_of_group(group, h->usage, "");
	uint64_t idle = number_of_group(group, "memory.stat", h->idle);

	if (limit == UINT64_MAX || usage == UINT64_MAX)
		return UINT64_MAX;
	usage -= idle < usage ? idle : 0;
	return usage < limit ? limit - usage : 0;
}

// The least memory that this process's control group and the groups around it leave.
static uint64_t left_in_groups(const char *root, const struct hierarchy *h)
{
	char path[PATH_MAX], group[PATH_MAX / 4], *own = NULL, *slash;
	uint64_t least = UINT64_MAX, left;
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	f = fopen(path, "re");
	while (f && !own && fgets(group, sizeof(group), f)) {
		own = strstr(group, h->line);
		own = own ? own + strlen(h->line) : NULL;
	}
	if (f)
		fclose(f);
	if (!own)
		return UINT64_MAX;
	own[strcspn(own, "\n")] = '\0';
	do {
		slash = strrchr(own, '/');
		snprintf(path, sizeof(path), "%s%s%s", root, h->mount, own);
		left = left_in(path, h);
		least = left < least ? left : least;
		if (slash)
			*slash = '\0';
	} while (slash);
	return least;
}

uint64_t scene_available(const char *root)
{
	uint64_t least, left;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/proc/meminfo", root);
	least = number_in(path, "MemAvailable:");
	least = least == UINT64_MAX ? least : least << 10; // it is in KiB
	for (unsigned i = 0; i < sizeof(hierarchies) / sizeof(hierarchies[0]); i++) {
		left = left_in_groups(root, &hierarchies[i]);
		least = left < least ? left : least;
	}
	return least;
}

int scene_fits(const struct scene *s, uint64_t available, struct err *err)
{
	uint64_t pairs = (uint64_t)s->n_flows * IDLE_PAIR;
	uint64_t room = available < pairs ? available + (uint64_t)s->n_flows * DESCRIBED : pairs;

	if (pairs <= room)
		return 0;
	return err_set(err, -ENOMEM,
		"%u queue pairs take at least %.1f GB of memory, and %.1f GB are available; %llu "
		"fit",
		s->n_flows, (double)pairs / 1e9, (double)room / 1e9,
		(unsigned long long)(room / IDLE_PAIR));
}
