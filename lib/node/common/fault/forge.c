// SPDX-License-Identifier: BSD-3-Clause
// Frames that nobody has sent: when they are due, and how they come into the port.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frame/frame.h"
#include "int.h"

static void forge_plan(struct fault *f)
{
	f->forges = TSTAMP_NEVER;
	for (uint32_t i = 0; i < f->n_forges; i++)
		f->forges = tstamp_min(f->forges, f->forge[i].at);
}

int forge_init(struct fault *f)
{
	f->forge = calloc(f->p.n_all + 1ul, sizeof(*f->forge));
	if (!f->forge)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->p.n_all; i++) {
		const struct fault_record *r = &f->p.record[f->p.all[i]];

		if (r->action == FAULT_FORGE)
			f->forge[f->n_forges++] =
				(struct forge){.record = f->p.all[i], .at = r->forge.start};
	}
	forge_plan(f);
	return 0;
}

void forge_adopt(struct fault *f, const struct fault *from)
{
	for (uint32_t i = 0; i < from->n_forges; i++)
		for (uint32_t k = 0; k < f->n_forges; k++)
			if (f->forge[k].record == from->forge[i].record)
				f->forge[k] = from->forge[i];
	forge_plan(f);
}

// A foreign packet with these bytes; NULL: there is no descriptor, or no room.
static struct pkt *forge_pkt(struct pkt_stack *s, const struct fault_record *r, tstamp now)
{
	struct pkt *p = NULL;

	if (s->data_off && r->forge.len <= s->room)
		p = pkt_get(s);
	if (!p)
		return NULL;
	*p = (struct pkt){.when = now,
		.born = TSTAMP_NEVER,
		.len = r->forge.len,
		.in_port = PKT_NO_PORT,
		.data_off = s->data_off};
	memcpy(pkt_bytes(p), r->forge.bytes, r->forge.len);
	frame_to_pkt(p, PKT_MAX_LEN);
	return p;
}

static void forge_make(struct fault *f, const struct forge *g)
{
	const struct fault_record *r = &f->p.record[g->record];
	struct passage a = {.pkt = forge_pkt(f->p.stack, r, g->at), .now = g->at};

	if (!a.pkt) {
		f->record[g->record].missed++;
		return;
	}
	f->stats.forged_frames++;
	a.facts.cls = fault_class(f, a.pkt);
	if (pkt_is_roce(a.pkt->kind)) {
		a.qpn = a.pkt->u.rc.qpn;
		a.psn = a.pkt->u.rc.psn;
	}
	a.bytes = a.pkt->len;
	f->record[g->record].matched++;
	fault_tell(f, &a, g->record);
	exit_go_on(f, a.pkt, NULL, ++f->seq, g->at);
}

void forge_next(struct fault *f)
{
	for (uint32_t i = 0; i < f->n_forges; i++) {
		struct forge *g = &f->forge[i];
		const struct fault_record *r = &f->p.record[g->record];

		if (g->at != f->forges)
			continue;
		forge_make(f, g);
		g->made++;
		g->at = r->forge.count && g->made >= r->forge.count
				? TSTAMP_NEVER
				: tstamp_add(g->at, r->forge.every);
		break;
	}
	forge_plan(f);
}
