// SPDX-License-Identifier: BSD-3-Clause
// What follows for the buffers of switches: thresholds of groups, limits of egress queues.
#include <stdio.h>

#include "check.h"
#include "conf/conf.h"

static char *size_text(uint64_t n, char *buf, size_t size)
{
	return units_format(UNITS_SIZE, n, buf, size);
}

static void print_group(const struct scene_node *n, unsigned port, unsigned cls, FILE *f)
{
	const struct mmu_pg_params *pg = &n->u.sw.port[port].pg[cls];
	char xoff[32], xon[32], offset[32], headroom[32], reserved[32];
	char rule[32] = "static";

	if (pg->threshold == MMU_DYNAMIC)
		snprintf(rule, sizeof(rule), "2^%d free", pg->dynamic_th);
	else if (n->port[port].share[cls])
		snprintf(rule, sizeof(rule), "%s", n->port[port].share[cls]);
	fprintf(f, "%-20s %5u  %-9s  %-13s  %10s  %10s  %10s  %10s  %10s\n", n->port[port].name,
		cls, pg->lossless ? "lossless" : "lossy", rule,
		size_text(scene_xoff(&n->u.sw, port, cls), xoff, sizeof(xoff)),
		pg->lossless ? size_text(pg->xon_bytes, xon, sizeof(xon)) : "-",
		pg->lossless ? size_text(pg->xon_offset_bytes, offset, sizeof(offset)) : "-",
		size_text(pg->headroom_bytes, headroom, sizeof(headroom)),
		size_text(pg->reserved_bytes, reserved, sizeof(reserved)));
}

// Classes that some flow uses: their groups are shown, and all that are lossless.
static unsigned used_classes(const struct scene *s)
{
	unsigned used = 0;

	for (unsigned i = 0; i < s->n_flows; i++)
		used |= 1u << s->flow[i]->cls;
	for (unsigned i = 0; i < s->n_sources; i++)
		used |= 1u << s->source[i]->gen.cls;
	return used;
}

void check_thresholds(const struct scene *s, FILE *f)
{
	unsigned used = used_classes(s);

	fprintf(f, "\nThresholds (bytes with FCS; XOFF of a class that is alone in the switch)\n");
	fprintf(f, "%-20s %5s  %-9s  %-13s  %10s  %10s  %10s  %10s  %10s\n", "port", "class",
		"kind", "rule", "xoff", "xon", "xon_offset", "headroom", "reserved");
	for (unsigned i = 0; i < s->n_nodes; i++) {
		const struct scene_node *n = &s->node[i];

		for (unsigned p = 0; n->kind == SCENE_SW && p < n->n_ports; p++) {
			for (unsigned c = 0; c < PKT_CLASSES; c++) {
				if (used >> c & 1 || n->u.sw.port[p].pg[c].lossless)
					print_group(n, p, c, f);
			}
		}
	}
}

// Egress queues that have a limit or bytes of their own.
void check_queues(const struct scene *s, FILE *f)
{
	bool head = false;

	for (unsigned i = 0; i < s->n_nodes; i++) {
		const struct scene_node *n = &s->node[i];

		for (unsigned k = 0; n->kind == SCENE_SW && k < n->n_ports * PKT_CLASSES; k++) {
			unsigned port = k / PKT_CLASSES, cls = k % PKT_CLASSES;
			const struct mmu_queue_params *q = &n->u.sw.port[port].queue[cls];
			char limit[32] = "-", reserved[32];

			if (!q->limited && !q->reserved_bytes)
				continue;
			if (!head)
				fprintf(f,
					"\nEgress queues (bytes of whole cells)\n%-20s %5s  "
					"%-15s  %10s"
					"  %10s\n",
					"port", "class", "pool", "limit", "reserved");
			head = true;
			if (q->limited && q->threshold == MMU_DYNAMIC)
				snprintf(limit, sizeof(limit), "2^%d free", q->dynamic_th);
			else if (q->limited)
				size_text(q->static_bytes, limit, sizeof(limit));
			fprintf(f, "%-20s %5u  %-15s  %10s  %10s\n", n->port[port].name, cls,
				q->lossless ? "egress_lossless" : "egress_lossy", limit,
				size_text(q->reserved_bytes, reserved, sizeof(reserved)));
		}
	}
}
