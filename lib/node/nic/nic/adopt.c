// SPDX-License-Identifier: BSD-3-Clause
// Lists of values that a NIC takes over while it runs: made by the thread that asks, taken over by
// the thread that runs the NIC.
#include "adopt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

struct gen_order {
	uint32_t i; // in nic.gen
	struct gen_params to;
};

struct nic_adopt {
	const struct nic *nic;
	bool taken;
	struct nic_kind_room room; // for the first list that the NIC takes over
	struct nic_brought *brought;
	struct nic_brought *back; // that the NIC needs no more
	struct nic_pair_order *pair;
	struct gen_order *gen;
	unsigned n_pairs, n_gens;
	bool has_np, np_off, has_weights, has_shaper;
	struct dcqcn_np_cfg np;
	uint16_t weight[PKT_CLASSES];
	struct shaper_cfg shaper;
};

int nic_adopt_new(struct nic_adopt **out, const struct nic *nic)
{
	struct nic_adopt *a = calloc(1, sizeof(*a));

	if (!a)
		return -ENOMEM;
	a->nic = nic;
	a->brought = calloc(1, sizeof(*a->brought));
	if (!a->brought) {
		free(a);
		return -ENOMEM;
	}
	*out = a;
	return 0;
}

void nic_adopt_free(struct nic_adopt *a)
{
	if (!a)
		return;
	nic_brought_free(a->brought);
	nic_brought_free(a->back);
	free(a->room.kind);
	free(a->room.free);
	free(a->pair);
	free(a->gen);
	free(a);
}

// Makes room for one more element of an array.
static bool more(void *array, unsigned n, size_t size)
{
	void *all = *(void **)array;

	if (n & (n - 1))
		return true;
	all = realloc(all, (n ? 2ul * n : 1) * size);
	if (all)
		*(void **)array = all;
	return all;
}

static void *copy(const void *from, size_t size)
{
	void *to = malloc(size);

	if (to)
		memcpy(to, from, size);
	return to;
}

// Room for the numbers of its kinds, unless the NIC has some.
static int make_room(struct nic_adopt *a)
{
	const struct nic *nic = a->nic;
	size_t most = nic->p.max_qps + 1ul;

	if (a->room.free || nic->kinds.free)
		return 0;
	a->room.kind = calloc(nic->n_kinds + most, sizeof(*a->room.kind));
	a->room.free = calloc(most, sizeof(*a->room.free));
	return a->room.kind && a->room.free ? 0 : -ENOMEM;
}

// The copy of a transport; consecutive queue pairs mostly have the same.
static const struct rc_cfg *copy_rc(struct nic_brought *b, const struct rc_cfg *rc)
{
	if (b->n_rcs && !memcmp(b->rc[b->n_rcs - 1], rc, sizeof(*rc)))
		return b->rc[b->n_rcs - 1];
	if (!more(&b->rc, b->n_rcs, sizeof(*b->rc)))
		return NULL;
	b->rc[b->n_rcs] = copy(rc, sizeof(*rc));
	return b->rc[b->n_rcs] ? b->rc[b->n_rcs++] : NULL;
}

// The copy of a reaction point's configuration. `was`: the present one, whose preloads are the same
// and live as long as the NIC.
static const struct rp_cfg *copy_rp(
	struct nic_brought *b, const struct rp_cfg *rp, const struct rp_cfg *was)
{
	struct rp_cfg to;

	memcpy(&to, rp, sizeof(to));
	if (to.kind == RP_RDMA_IP)
		to.u.rdma_ip.preload = was->u.rdma_ip.preload;
	for (unsigned i = 0; i < b->n_rps; i++)
		if (!memcmp(b->rp[i], &to, sizeof(to)))
			return b->rp[i];
	if (!more(&b->rp, b->n_rps, sizeof(*b->rp)))
		return NULL;
	b->rp[b->n_rps] = copy(&to, sizeof(to));
	return b->rp[b->n_rps] ? b->rp[b->n_rps++] : NULL;
}

// A plug-in keeps its configuration, which is its own.
static bool keeps(const struct rp_cfg *was, const struct rp_cfg *to)
{
	return was == to || (was && to && was->kind == RP_PLUGIN && to->kind == RP_PLUGIN);
}

static int check(const struct nic_kind *was, const struct nic_qp_params *to)
{
	if (to->rate_limit && to->rate_limit < RATE_MIN)
		return -EINVAL;
	if (to->message_bytes > RC_BYTES_MAX || !rc_may_adopt(was->p.rc, to->rc))
		return -EINVAL;
	if (to->requester && !keeps(was->p.rp, to->rp) && !rp_may_adopt(was->p.rp, to->rp))
		return -EINVAL;
	// Only queue pairs that post messages have some.
	if (was->p.outstanding && (!to->outstanding || to->outstanding > 1u << was->ring_size))
		return to->outstanding ? -ENOBUFS : -EINVAL;
	return 0;
}

// The last kind of the list, if it is the same, else another one.
static struct nic_brought_kind *kind_of(struct nic_brought *b, const struct nic_kind *k)
{
	struct nic_brought_kind *last = b->n_kinds ? b->kind[b->n_kinds - 1] : NULL;

	if (last && !memcmp(&last->k, k, sizeof(*k)))
		return last;
	if (!more(&b->kind, b->n_kinds, sizeof(*b->kind)))
		return NULL;
	last = calloc(1, sizeof(*last));
	if (!last)
		return NULL;
	memcpy(&last->k, k, sizeof(*k));
	last->of = b;
	b->kind[b->n_kinds++] = last;
	return last;
}

// The properties of a queue pair, with the values of `to` in place of the values that may change.
static struct nic_brought_kind *change_kind(
	struct nic_adopt *a, const struct nic_kind *was, const struct nic_qp_params *to)
{
	struct nic_kind k;

	memcpy(&k, was, sizeof(k));
	k.p.rc = copy_rc(a->brought, to->rc);
	if (to->requester) {
		k.p.rate_limit = to->rate_limit;
		k.p.catch_up_ps = to->catch_up_ps;
		k.makes_up = tstamp_min(to->catch_up_ps, PACER_AUTO_LEAST);
		if (!keeps(was->p.rp, to->rp))
			k.p.rp = copy_rp(a->brought, to->rp, was->p.rp);
	}
	if (was->p.outstanding) {
		k.p.message_bytes = to->message_bytes;
		k.p.outstanding = to->outstanding;
	}
	if (!k.p.rc || !k.p.rp != !was->p.rp)
		return NULL;
	return kind_of(a->brought, &k);
}

int nic_adopt_qp(struct nic_adopt *a, const struct nic_qp_params *to)
{
	int i = nic_find_qp(a->nic, to->flow, to->requester), rc;
	struct nic_brought_kind *k;
	const struct nic_kind *was;

	if (i < 0)
		return -ENOENT;
	was = nic_kind(a->nic, nic_kind_at(a->nic, (unsigned)i));
	rc = check(was, to);
	if (!rc)
		rc = make_room(a);
	if (rc)
		return rc;
	k = change_kind(a, was, to);
	if (!k || !more(&a->pair, a->n_pairs, sizeof(*a->pair)))
		return -ENOMEM;
	a->pair[a->n_pairs++] = (struct nic_pair_order){(uint32_t)i, k};
	return 0;
}

int nic_adopt_gen(struct nic_adopt *a, const struct gen_params *to)
{
	int i = nic_find_gen(a->nic, to->source);
	struct gen g;

	if (i < 0)
		return -ENOENT;
	if (gen_longest(to) > a->nic->p.mtu || gen_init(&g, to))
		return -EINVAL;
	if (!more(&a->gen, a->n_gens, sizeof(*a->gen)))
		return -ENOMEM;
	a->gen[a->n_gens++] = (struct gen_order){(uint32_t)i, *to};
	return 0;
}

// Whether each responder has a header for its CNPs.
static bool can_notify(const struct nic *nic)
{
	for (unsigned i = 0; i < nic->n_qps; i++) {
		const struct nic_qp *qp = nic->qp[i];

		if (!nic_requests(nic, i) && !(qp ? qp->rsp.cnp_hdr : nic->idle[i].cnp_hdr))
			return false;
	}
	return true;
}

int nic_adopt_np(struct nic_adopt *a, const struct dcqcn_np_params *np, bool off)
{
	const struct nic *nic = a->nic;

	if (nic->p.cnflag || np->key != nic->np.key || (!off && !can_notify(nic)))
		return -EINVAL;
	a->np = (struct dcqcn_np_cfg){.key = np->key};
	if (!off && dcqcn_np_cfg_init(&a->np, np))
		return -EINVAL;
	a->np_off = off;
	a->has_np = true;
	return 0;
}

int nic_adopt_weights(struct nic_adopt *a, const uint16_t weight[PKT_CLASSES])
{
	struct eport_cfg cfg = a->nic->ecfg;

	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		a->weight[c] = weight[c] ? weight[c] : 1;
		if (!(cfg.strict >> c & 1) && eport_cfg_weight(&cfg, c, a->weight[c]))
			return -EINVAL;
	}
	a->has_weights = true;
	return 0;
}

int nic_adopt_max_rate(struct nic_adopt *a, rate_t max_rate)
{
	int rc = nic_shaper_cfg(a->nic, max_rate, &a->shaper);

	a->has_shaper |= !rc;
	return rc;
}

static void adopt_weights(struct nic *nic, const struct nic_adopt *a)
{
	for (unsigned c = 0; a->has_weights && c < PKT_CLASSES; c++)
		if (!(nic->ecfg.strict >> c & 1))
			(void)eport_cfg_weight(&nic->ecfg, c, a->weight[c]);
}

static void adopt_gen(struct nic *nic, const struct gen_order *o, tstamp now)
{
	struct nic_gen *g = nic->gen[o->i];

	gen_adopt(&g->g, &o->to, now);
	if (!g->parked)
		wheel_set(&nic->gap, g->id, gen_deadline(&g->g));
}

// The registers of the RDMA IP are the same for all queue pairs: the first that has it is enough.
static void adopt_registers(struct nic *nic, const struct nic_adopt *a, tstamp now)
{
	for (unsigned i = 0; nic->reg && i < a->n_pairs; i++) {
		uint32_t kind = nic_kind_at(nic, a->pair[i].i);
		const struct rp_cfg *was = nic_kind(nic, kind)->p.rp;
		const struct rp_cfg *to = a->pair[i].kind->k.p.rp;

		if (!to || to->kind != RP_RDMA_IP || was == to)
			continue;
		nic_reg_adopt(nic, &was->u.rdma_ip, &to->u.rdma_ip, now);
		return;
	}
}

static void tell(struct nic *nic, const struct nic_adopt *a, uint32_t number, tstamp now)
{
	struct ev *ev = ev_put(nic->events, EV_SET, now);

	if (!ev)
		return;
	ev->set.number = number;
	ev->set.what = (a->n_pairs || a->n_gens ? EV_SET_FLOWS : 0) | (a->has_np ? EV_SET_NP : 0) |
		       (a->has_weights ? EV_SET_WEIGHTS : 0) | (a->has_shaper ? EV_SET_SHAPERS : 0);
}

int nic_adopt_take(struct nic *nic, struct nic_adopt *a, uint32_t number, tstamp now)
{
	if (!a || a->taken || a->nic != nic)
		return -EINVAL;
	a->taken = true;
	tell(nic, a, number, now);
	if (a->n_pairs)
		nic_kind_make_room(nic, &a->room);
	adopt_weights(nic, a);
	if (a->has_shaper)
		nic_shaper_adopt(nic, &a->shaper, now);
	if (a->has_np)
		nic_np_adopt(nic, &a->np, a->np_off, now);
	adopt_registers(nic, a, now);
	for (unsigned i = 0; i < a->n_pairs; i++)
		nic_pair_adopt(nic, &a->pair[i], &a->back, now);
	for (unsigned i = 0; i < a->n_gens; i++)
		adopt_gen(nic, &a->gen[i], now);
	if (!a->brought->pairs)
		return 0;
	nic_brought_keep(nic, a->brought);
	a->brought = NULL;
	return 0;
}
