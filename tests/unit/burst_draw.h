// SPDX-License-Identifier: BSD-3-Clause
// A pair of like switches of any parameters that a switch can have, as a seed draws them.
#pragma once

#include <stdlib.h>

#include "rounds.h"
#include "class_draw.h"
#include "defaults.h"
#include "sw_box.h"

#include "base/prng.h"
#include "sw/int.h"

#define HOST_EQ (BOX_PORTS - 1) // behind equal ways

// The value of a variable of the environment, or else `otherwise`.
static inline uint64_t draw_number(const char *name, uint64_t otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 10) : otherwise;
}

// The threshold that burst_edge.h has moved.
enum edge_what {
	EDGE_NONE,
	EDGE_TAIL,
	EDGE_KMIN,
	EDGE_KMAX,
	EDGE_DROP_KMIN,
	EDGE_DROP_KMAX,
	EDGE_HEAVY,
	EDGE_HEAVY_OFF,
	EDGE_SAMPLE,
	EDGE_LIMIT,
	EDGE_RESERVE,
	EDGE_HEADROOM,
	EDGE_XON,
	EDGE_POOL,
	EDGE_QUEUE_LIMIT,
	EDGE_HEADROOM_POOL,
};

struct edge {
	enum edge_what what;
	uint8_t in, out, cls, pg, pool; // of which port, class, group or pool
	uint64_t was;                   // its drawn value, if it is not a class's
	uint32_t was_too;               // of a second value that moves with it
};

struct pair {
	struct box *a, *b; // bursts, single frames
	struct prng rng;
	unsigned n_ports, shards; // 1: not cut
	bool aside;               // A's bursts come by a shard that has not the port
	uint32_t seq;
	tstamp now;
	unsigned unit; // bytes of a queue, of which frames and iQCN's lengths are multiples; 0: any
	enum sw_mark told;  // where marks are set, and Fast CNP tells the senders; NONE: as drawn
	bool shaped;        // all ports are; otherwise as drawn
	bool mixed;         // groups: maps of few queues and more groups; otherwise as drawn
	bool shut;          // queues, by the watchdogs of all ports; otherwise as drawn
	bool refused;       // frames, by their queues: tail limits and drop curves that they reach
	bool forgets, both; // A forgets headers; so does B
	uint64_t up[NODE_PORT_WORDS]; // ports whose link is up
	uint64_t together;            // frames that A gave in one call with others
	uint64_t as_came;             // of which it said so
	uint64_t xoffs;               // for the class of Fast CNP's CNPs
	uint64_t headless;            // frames that A gave without a header
	uint64_t storms;              // that were begun
	// Frames of a burst that joined the queue which had refused the one before them, by reason.
	uint64_t behind[SW_DROPS];
	// Frames of a class that the watchdog had shut at their ports, or only elsewhere.
	uint64_t shut_here, shut_elsewhere;
	uint64_t pg_changes; // in a burst, from one frame of a queue to the next
	struct sw_fdb_params fdb[BOX_PORTS];
	struct sw_ecmp_group ecmp;
	bool edges; // thresholds are put beside what frames reach (burst_edge.h)
	struct prng edge_rng;
	struct edge edge;
};

static unsigned below(struct pair *t, unsigned n)
{
	return (unsigned)prng_below(&t->rng, n);
}

static inline const struct sw_set_params *set_of(const struct pair *t, unsigned port)
{
	return sw_port_set(&t->a->params, port);
}

static void random_class(struct pair *t, struct sw_class_params *k, bool pfc)
{
	k->strict = below(t, 3) == 0;
	draw_curves(&t->rng, k);
	k->red_excludes_frame = below(t, 4) == 0;
	k->mark_any = below(t, 8) == 0;
	k->tail_limit_bytes = below(t, 3) ? 0 : 5000 + below(t, 50000);
	k->pfc = pfc;
	k->quanta = pfc ? (uint16_t)(20 + below(t, 400)) : 0;
	k->refresh_permille = pfc * below(t, 2) * 500;
	k->heavy_off_bytes = below(t, 10000);
	k->heavy_bytes = below(t, 2) ? 0 : k->heavy_off_bytes + below(t, 10000);
	if (t->unit) {
		k->heavy_off_bytes -= k->heavy_off_bytes % t->unit;
		k->heavy_bytes -= k->heavy_bytes % t->unit;
	}
	if (k->heavy_bytes < k->heavy_off_bytes)
		k->heavy_off_bytes = k->heavy_bytes;
	k->fast_cnp = k->mark == SW_MARK_NONE ? SW_FAST_CNP_OFF : (enum sw_fast_cnp)below(t, 3);
	k->qcn.on = below(t, 4) == 0;
	k->qcn.cnm_class = (uint8_t)below(t, PKT_CLASSES);
	k->qcn.min_header_octets = (uint8_t)(below(t, 2) * below(t, 65));
	qcn_cp_defaults(&k->qcn.cp);
	k->qcn.cp.set_point = 1000 + below(t, 10000);
	k->qcn.cp.sample_base = 10000 + below(t, 10000);
}

// Several sets of classes, in half of the runs. What notifies senders is the same in all.
static void random_sets(struct pair *t, struct box *b)
{
	struct sw_params *sp = &b->params;

	sp->n_sets = below(t, 2) ? 1 : 2 + below(t, BOX_SETS - 1);
	for (unsigned i = 0; i < sp->n_sets; i++)
		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			struct sw_class_params *k = &b->set[i].cls[c];
			const struct sw_class_params *first = &b->set->cls[c];

			random_class(t, k, i ? below(t, 3) == 0 : c == 3 || c == 4);
			k->qcn = first->qcn;
			k->heavy_bytes = first->heavy_bytes;
			k->heavy_off_bytes = first->heavy_off_bytes;
			k->fast_cnp = first->fast_cnp;
		}
	for (unsigned i = 0; i < t->n_ports; i++)
		b->port[i].set = (uint16_t)below(t, sp->n_sets);
}

// A buffer with two sides that shards can divide: what is too small becomes what would do.
static void make_it_divide(struct box *b, unsigned shards)
{
	struct sw_params *sp = &b->params;
	struct sw_parts parts;

	while (!sw_parts(&parts, sp, shards)) {
		if (parts.fault == SW_PARTS_HEADROOM) {
			sp->buffer_bytes += parts.right - sp->headroom_pool_bytes;
			sp->headroom_pool_bytes = parts.right;
		} else if (parts.fault == SW_PARTS_LIMIT) {
			b->port[parts.port].queue[parts.cls].static_bytes = parts.right;
		} else {
			sp->egress_bytes[0] = parts.right;
		}
	}
}

static void random_buffer(struct pair *t, struct box *b)
{
	static const uint32_t cells[] = {0, 1, 80, 256};
	struct sw_params *sp = &b->params;
	bool two = below(t, 2);

	sp->buffer_bytes = 40000 + below(t, 100000);
	sp->cell_bytes = two ? cells[below(t, 4)] : 0;
	sp->headroom_pool_bytes = two * below(t, 2) * (1000 + below(t, 4000));
	sp->egress_bytes[0] = two * below(t, 2) * (30000 + below(t, 50000));
	sp->egress_bytes[1] = two * below(t, 2) * (30000 + below(t, 50000));
	for (unsigned i = 0; i < t->n_ports * PKT_CLASSES; i++) {
		struct sw_port_params *o = &b->port[i / PKT_CLASSES];
		unsigned c = i % PKT_CLASSES;
		bool pfc = sw_port_set(sp, i / PKT_CLASSES)->cls[c].pfc;

		o->pg[c] = (struct mmu_pg_params){
			.lossless = pfc,
			.threshold = below(t, 2) ? MMU_DYNAMIC : MMU_STATIC,
			.reserved_bytes = below(t, 2) ? 0 : 1000,
			.static_bytes = 3000 + below(t, 30000),
			.dynamic_th = (int)below(t, 5) - 4,
			.headroom_bytes = pfc ? below(t, 4000) : 0,
			.xon_offset_bytes = below(t, 3000),
		};
		o->queue[c] = (struct mmu_queue_params){
			.lossless = pfc,
			.limited = two && below(t, 2),
			.threshold = below(t, 2) ? MMU_DYNAMIC : MMU_STATIC,
			.reserved_bytes = two * below(t, 2) * 200,
			.static_bytes = 3000 + below(t, 20000),
			.dynamic_th = (int)below(t, 5) - 3,
		};
	}
	if (two && t->shards > 1)
		make_it_divide(b, t->shards);
}

static void random_ports(struct pair *t, struct box *b)
{
	bool shaped = below(t, 3) == 0 || t->shaped, watched = below(t, 3) == 0;

	for (unsigned i = 0; i < t->n_ports; i++) {
		struct sw_port_params *o = &b->port[i];

		o->mtu = 1000 + below(t, 3) * 300;
		o->rate = below(t, 2) ? 100 * RATE_GBPS : 25 * RATE_GBPS;
		o->trust = (enum sw_trust)below(t, 2);
		o->default_class = (uint8_t)below(t, PKT_CLASSES);
		o->pause_honour = below(t, 2);
		o->pfc_asym = below(t, 4) == 0;
		o->pfc_response = (uint16_t)(below(t, 3) ? 0 : below(t, 200));
		o->cn = below(t, 2) ? SW_CN_INTERIOR_READY : SW_CN_INTERIOR;
		// Rates of about what comes, so that buckets run out, and classes get what they are
		// guaranteed, in the middle of a burst.
		o->shaper_burst = 64 + below(t, 20000);
		o->shaper_rate = shaped * below(t, 2) * RATE_GBPS * (1 + below(t, 60));
		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			bool guaranteed = shaped && i % 2;

			o->max_rate[c] = shaped * below(t, 2) * RATE_GBPS * (1 + below(t, 60));
			o->min_rate[c] =
				guaranteed * (below(t, 2) == 0) * RATE_GBPS * (1 + below(t, 30));
		}
		o->wd_classes = watched || t->shut ? (uint8_t)below(t, 256) : 0;
		o->wd = (struct pfcwd_params){.poll = PS_PER_US,
			.detection = 2 * PS_PER_US,
			.restoration = 3 * PS_PER_US,
			.action = t->shut ? PFCWD_DROP : (enum pfcwd_action)below(t, 3)};
	}
}

// Hosts are known from the start, one of them behind equal ways.
static void random_ways(struct pair *t, struct box *b)
{
	struct sw_params *sp = &b->params;

	for (unsigned i = 0; i < BOX_PORTS; i++) {
		box_mac(t->fdb[i].mac, i);
		t->fdb[i].port = (uint16_t)(i % t->n_ports);
		t->fdb[i].ecmp = 0;
	}
	sp->fdb = t->fdb;
	sp->n_fdb = BOX_PORTS;
	sp->n_ecmp = below(t, 2);
	sp->ecmp = &t->ecmp;
	t->ecmp.port[0] = 1 + below(t, (1u << t->n_ports) - 1);
	t->fdb[HOST_EQ].ecmp = (uint16_t)sp->n_ecmp;
}

// A port with PAUSE has all its classes in one group, which has PFC's parameters once.
static void random_maps(struct pair *t, struct box *b)
{
	struct sw_params *sp = &b->params;
	bool maps = t->mixed || below(t, 3) == 0;
	bool same_queues = !t->mixed && !t->told && below(t, 4) == 0; // the map changes nothing
	bool same_groups = !t->told && below(t, 4) == 0;
	bool other_classes = below(t, 2);
	unsigned queues = t->mixed ? 2 : PKT_CLASSES;

	sp->pause = !t->told && !t->mixed && below(t, 4) == 0;
	for (unsigned i = 0; i < sp->n_sets * PKT_CLASSES; i++) {
		struct sw_set_params *set = &b->set[i / PKT_CLASSES];
		unsigned c = i % PKT_CLASSES, queue = same_queues ? c : below(t, queues);
		unsigned pg = sp->pause ? 3 : same_groups ? c : below(t, PKT_CLASSES);

		set->queue_map[c] = (uint8_t)(maps ? queue : c);
		set->pg_map[c] = (uint8_t)(maps || sp->pause ? pg : c);
		if (!sp->pause)
			continue;
		set->cls[c].pfc = true;
		set->cls[c].quanta = b->set->cls[3].quanta;
		set->cls[c].refresh_permille = b->set->cls[3].refresh_permille;
	}
	for (unsigned i = 1; i < sp->n_sets; i++) {
		for (unsigned d = 0; d < 64; d++)
			b->set[i].dscp_to_class[d] =
				(uint8_t)(other_classes ? below(t, PKT_CLASSES) : d / 8);
		for (unsigned c = 0; c < 8; c++)
			b->set[i].pcp_to_class[c] =
				(uint8_t)(other_classes ? below(t, PKT_CLASSES) : c);
	}
}

// The effects of a CNP at the port whose burst makes it: XOFF of its group there, or a drop if its
// headroom is full, and a CNM about it that leaves by that port.
static void hurt_by_cnps(struct pair *t, struct box *b)
{
	struct sw_params *sp = &b->params;
	struct sw_class_params *k = &b->set->cls[sp->fast_cnp.cnp_class];
	bool lossless = below(t, 2);

	k->pfc = lossless;
	k->quanta = lossless ? (uint16_t)(20 + below(t, 400)) : 0;
	k->qcn.on = below(t, 2);
	k->qcn.cp.set_point = 100;
	for (unsigned i = 0; i < QCN_CP_LEVELS; i++)
		k->qcn.cp.sample_table[i] = 100 + below(t, 1000);
	for (unsigned i = 1; i < sp->n_sets; i++)
		b->set[i].cls[sp->fast_cnp.cnp_class] = *k;
	for (unsigned i = 0; i < t->n_ports; i++) {
		struct mmu_pg_params *pg = &b->port[i].pg[sp->fast_cnp.cnp_class];

		*pg = (struct mmu_pg_params){
			.lossless = lossless,
			.threshold = MMU_DYNAMIC,
			.dynamic_th = -8 + (int)below(t, 3),
			.headroom_bytes = lossless ? below(t, 500) : 0,
			.xon_offset_bytes = below(t, 200),
		};
		b->port[i].queue[sp->fast_cnp.cnp_class].lossless = lossless;
	}
}

// Marks for most frames, and CNPs that are near the limit of their group: whether it takes one
// depends on how many frames have left, or joined, before it. Without tolerance no frames leave
// together, as in virtual time.
static void tell_senders(struct pair *t, struct box *b)
{
	struct sw_params *sp = &b->params;

	sp->fast_cnp_on = true;
	sp->fast_cnp.table.interval_ps = below(t, 2) * below(t, 20) * PS_PER_US;
	sp->tolerance_ps = below(t, 8) ? sp->tolerance_ps : 0;
	for (unsigned i = 0; i < sp->n_sets * PKT_CLASSES; i++) {
		unsigned c = i % PKT_CLASSES;
		struct sw_class_params *k = &b->set[i / PKT_CLASSES].cls[c];

		k->mark = t->told;
		k->red.kmin_bytes = below(t, 2000);
		k->red.kmax_bytes = k->red.kmin_bytes + below(t, 4000);
		k->fast_cnp = i < PKT_CLASSES ? (enum sw_fast_cnp)(1 + below(t, 2))
					      : b->set->cls[c].fast_cnp;
	}
	hurt_by_cnps(t, b);
}

// Queues that drop some frames of most bursts, and a buffer that has room for the rest.
static void refuse_frames(struct pair *t, struct box *b)
{
	b->params.buffer_bytes += 10000000;
	for (unsigned s = 0; s < b->params.n_sets * PKT_CLASSES; s++) {
		unsigned c = s % PKT_CLASSES, what = 1 + below(t, 3);
		struct sw_class_params *k = &b->set[s / PKT_CLASSES].cls[c];

		k->tail_limit_bytes = what & 1 ? 3000 + below(t, 10000) : 0;
		if (what & 2) {
			k->wred = below(t, 3) ? SW_WRED_ALL : (enum sw_wred)below(t, 4);
			k->wred_drop.kmin_bytes = below(t, 3000);
			k->wred_drop.kmax_bytes = k->wred_drop.kmin_bytes + below(t, 20000);
			k->wred_drop.pmax = (1 + below(t, 10)) / 10.0;
		}
		for (unsigned i = 0; !k->pfc && i < t->n_ports; i++)
			b->port[i].pg[c].static_bytes += 1000000;
	}
}

// Nothing that reads headers once ways are known.
static void needs_no_headers(struct box *b)
{
	b->params.iqcn_on = b->params.fast_cnp_on = false;
	for (unsigned i = 0; i < b->params.n_sets * PKT_CLASSES; i++)
		b->set[i / PKT_CLASSES].cls[i % PKT_CLASSES].qcn.on = false;
}

// The ports that share a set get several equal sets, which must change nothing.
static inline void copy_sets(struct box *b)
{
	unsigned n = b->params.n_sets;

	for (unsigned i = n; i < BOX_SETS; i++)
		b->set[i] = b->set[i % n];
	for (unsigned i = 0; i < b->params.n_ports; i++)
		if (b->port[i].set + n * (i % 2) < BOX_SETS)
			b->port[i].set += (uint16_t)(n * (i % 2));
	b->params.n_sets = BOX_SETS;
}

static void random_params(struct pair *t, struct box *b)
{
	struct sw_params *sp = &b->params;

	t->n_ports = 2 + below(t, BOX_PORTS - 1);
	sp->n_ports = t->n_ports = t->n_ports < t->shards ? t->shards : t->n_ports;
	sp->tolerance_ps = 300 * PS_PER_NS + below(t, 3) * PS_PER_US;
	sp->monitor = below(t, 2);
	t->unit = below(t, 2) ? 0 : 100 + below(t, 300);
	random_sets(t, b);
	random_maps(t, b);
	random_buffer(t, b);
	random_ports(t, b);
	random_ways(t, b);
	sp->shards = t->shards;
	sp->hop_ps = t->aside ? 0 : 200 * PS_PER_NS;
	sp->iqcn_on = below(t, 3) == 0;
	iqcn_defaults(&sp->iqcn);
	sp->iqcn.entries = 32;
	sp->iqcn.rpg_time_reset_ps = 10 * PS_PER_US;
	sp->fast_cnp_on = below(t, 3) == 0;
	fast_cnp_defaults(&sp->fast_cnp.table);
	sp->fast_cnp.table.entries = 32;
	sp->fast_cnp.table.interval_ps = PS_PER_US;
	sp->fast_cnp.cnp_class = (uint8_t)below(t, PKT_CLASSES);
	sp->fast_cnp.cnp_tos = 0xc2;
	if (t->refused)
		refuse_frames(t, b);
	if (t->told)
		tell_senders(t, b);
	else if (below(t, 3) == 0)
		needs_no_headers(b);
}
