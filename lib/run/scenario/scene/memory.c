// SPDX-License-Identifier: BSD-3-Clause
// How much memory a run of a scene may take: an estimate from above, for a word before it begins.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "scene.h"

// The memory of the drivers and the recorder, measured where it does not follow from our own sizes.
#define SLOT       8     // of a packet, beside its descriptor: the stack that it waits in
#define RING       16384 // events of a node
#define QUEUE      44000 // of a queue in use: its histogram
#define QUEUE_PAIR 7000  // both ends, and their records
#define IDLE_PAIR  3400  // one that never sends
#define DESCRIBED  696   // of that its description, which is there once the scene is loaded
#define ENTRY      64    // of an FDB

// Frames that hosts can send within the run, as short as can be: descriptors take memory as they
// are first used.
static uint64_t frames(const struct scene *s)
{
	const uint64_t bits = 8ull * (PKT_MIN_LEN + PKT_WIRE);
	uint64_t sum = 0;

	for (unsigned i = 0; i < s->n_nodes; i++)
		if (s->node[i].kind != SCENE_SW)
			sum += (uint64_t)((unsigned __int128)s->node[i].port[0].rate * s->duration /
					  PS_PER_S / bits);
	return sum;
}

static uint64_t packets(const struct scene *s)
{
	uint64_t most = frames(s) < s->max_packets ? frames(s) : s->max_packets;
	uint64_t one = sizeof(struct pkt) + SLOT;

	if (s->needs_hdrs || s->needs_bytes)
		one += sizeof(struct hdr);
	if (s->needs_bytes)
		one += s->max_frame;
	return most * one;
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

static uint64_t nodes(const struct scene *s)
{
	uint64_t sum = (uint64_t)s->n_nodes * RING * sizeof(struct ev);
	const uint64_t port = (uint64_t)classes(s) * QUEUE;

	for (unsigned i = 0; i < s->n_nodes; i++) {
		const struct scene_node *n = &s->node[i];

		if (n->kind != SCENE_SW)
			continue;
		sum += n->n_ports * port;
		sum += (uint64_t)n->u.sw.n_fdb * ENTRY;
	}
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
	struct scene_memory m = {.packets = packets(s),
		.nodes = nodes(s),
		.pairs = (uint64_t)s->n_flows * QUEUE_PAIR};

	m.all = m.packets + m.nodes + trips(s) + m.pairs;
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
