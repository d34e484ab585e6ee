// SPDX-License-Identifier: BSD-3-Clause
// How much memory a run of a scene may take: an estimate from above, for a word before it begins.
#include <errno.h>
#include <stdio.h>

#include "int.h"

#define MUCH 1000000000ull // bytes from which on it is said

// What the drivers and the recorder take, measured where it is not a size of ours.
#define SLOT       8     // of a packet, beside its descriptor: the stack that it waits in
#define RING       16384 // events of a node
#define QUEUE      44000 // of a queue in use: its histogram
#define QUEUE_PAIR 7000  // both ends, and their records
#define IDLE_PAIR  3400  // one that never sends
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

	for (unsigned i = 0; i < s->n_nodes; i++) {
		const struct scene_node *n = &s->node[i];

		if (n->kind != SCENE_SW)
			continue;
		sum += (uint64_t)n->n_ports * classes(s) * QUEUE;
		sum += (uint64_t)n->u.sw.n_fdb * ENTRY;
	}
	return sum;
}

uint64_t scene_memory(const struct scene *s)
{
	return packets(s) + nodes(s) + (uint64_t)s->n_flows * QUEUE_PAIR;
}

uint64_t scene_available(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	unsigned long long kib = 0;
	char line[128];

	while (f && !kib && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %llu kB", &kib) != 1)
			kib = 0;
	if (f)
		fclose(f);
	return kib ? kib << 10 : UINT64_MAX;
}

int scene_fits(const struct scene *s, uint64_t available, struct err *err)
{
	uint64_t pairs = (uint64_t)s->n_flows * IDLE_PAIR;

	if (pairs <= available)
		return 0;
	return err_set(err, -ENOMEM,
		"%u queue pairs take at least %.1f GB of memory, and %.1f GB are available; %llu "
		"fit",
		s->n_flows, (double)pairs / 1e9, (double)available / 1e9,
		(unsigned long long)(available / IDLE_PAIR));
}

void scene_warn_memory(struct build *b)
{
	const struct scene *s = b->s;
	uint64_t all = scene_memory(s), pairs = (uint64_t)s->n_flows * QUEUE_PAIR;
	const char *most =
		"packets at once: smaller buffers and windows or shorter links take less";

	if (all <= MUCH)
		return;
	if (nodes(s) > packets(s) && nodes(s) > pairs)
		most = "nodes and queues: fewer hosts take less";
	else if (pairs > packets(s))
		most = "queue pairs: fewer take less";
	scene_warn(b, b->doc, "the run may take %.1f GB of memory, most of it for %s",
		(double)all / 1e9, most);
}
