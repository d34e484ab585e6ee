// SPDX-License-Identifier: BSD-3-Clause
// How a buffer with two sides divides among the shards of a switch that is cut: each one's part of
// the headroom pool, and whether the egress side takes whatever the ingress side may hold.
#include "base/fixed.h"
#include "sw_terms.h"

bool sw_has_two_sides(const struct sw_params *p)
{
	bool two = p->cell_bytes > 1 || p->headroom_pool_bytes || p->ingress_bytes ||
		   p->egress_bytes[0] || p->egress_bytes[1];

	for (unsigned i = 0; i < p->n_ports; i++)
		for (unsigned q = 0; q < MMU_PGS; q++)
			two |= p->port[i].queue[q].limited || p->port[i].queue[q].reserved_bytes;
	return two;
}

// The bytes that a group may take of the headroom pool.
static uint64_t may_take(const struct sw_params *p, unsigned port, unsigned pg)
{
	const struct mmu_pg_params *g = &p->port[port].pg[pg];

	return g->lossless ? g->headroom_bytes : 0;
}

static const struct mmu_queue_params *lossless_queue(
	const struct sw_params *p, unsigned port, unsigned queue)
{
	const struct mmu_queue_params *q = &p->port[port].queue[queue];

	return q->lossless ? q : NULL;
}

static uint64_t times_up(uint64_t a, uint64_t b, uint64_t by)
{
	return (uint64_t)(((unsigned __int128)a * b + by - 1) / by);
}

// Divides the headroom pool among shards in proportion to the bytes that their groups may take. The
// last shard with such groups gets the remainder, so the parts sum up to the byte.
static void divide_headroom(struct sw_parts *parts, const struct sw_params *p, unsigned shards)
{
	uint64_t left = p->headroom_pool_bytes;
	unsigned last = 0;

	for (unsigned i = 0; i < p->n_ports; i++)
		for (unsigned g = 0; g < MMU_PGS; g++)
			parts->may_take[i % shards] += may_take(p, i, g);
	for (unsigned k = 0; k < shards; k++)
		parts->all_may_take += parts->may_take[k];
	for (unsigned k = 0; k < shards && parts->all_may_take; k++) {
		parts->headroom[k] = fixed_muldiv(
			p->headroom_pool_bytes, parts->may_take[k], parts->all_may_take);
		left -= parts->headroom[k];
		last = parts->may_take[k] ? k : last;
	}
	parts->headroom[last] += left;
}

// Checks that the headroom of each shard is enough for any one of its groups. Returns whether it is
// too little, and notes the worst case in `parts`.
static bool is_too_little_headroom(
	struct sw_parts *parts, const struct sw_params *p, unsigned shards)
{
	for (unsigned i = 0; i < p->n_ports; i++)
		for (unsigned g = 0; g < MMU_PGS; g++) {
			uint64_t one = may_take(p, i, g), need;

			if (one <= parts->headroom[i % shards])
				continue;
			need = times_up(one, parts->all_may_take, parts->may_take[i % shards]);
			if (parts->fault == SW_PARTS_HEADROOM && need <= parts->right)
				continue;
			parts->fault = SW_PARTS_HEADROOM;
			parts->port = i;
			parts->cls = g;
			parts->has = parts->headroom[i % shards];
			parts->wants = one;
			parts->right = need;
		}
	return parts->fault != SW_PARTS_FINE;
}

// The bytes that all groups together can hold: reserves, shared pool and headroom.
static uint64_t ingress_holds(const struct sw_params *p)
{
	return p->ingress_bytes ? p->ingress_bytes + p->headroom_pool_bytes : p->buffer_bytes;
}

// The bytes that a queue takes of its pool, beyond its reserve, when it holds `all` bytes.
static uint64_t beyond_reserve(uint64_t all, uint64_t reserved)
{
	return all > reserved ? all - reserved : 0;
}

// Returns how many shared bytes there must be so that a queue may hold x of them. A queue may hold
// 2^dynamic_th times the shared bytes that are free.
static uint64_t shared_for(uint64_t x, int dynamic_th)
{
	return dynamic_th < 0 ? x + (x << -dynamic_th)
			      : x + ((x + (1ull << dynamic_th) - 1) >> dynamic_th);
}

// Returns whether a queue has a static limit below x bytes.
static bool is_too_little_limit(const struct mmu_queue_params *q, uint64_t x)
{
	return q->limited && q->threshold == MMU_STATIC && q->static_bytes < x;
}

// Returns the size that the pool needs so that each queue with a dynamic threshold can take what it
// may have to take; 0: there is no such queue. *port and *cls: the first queue that needs most.
static uint64_t dynamic_wants(
	const struct sw_params *p, uint64_t all, uint64_t reserved, unsigned *port, unsigned *cls)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < p->n_ports; i++)
		for (unsigned c = 0; c < MMU_PGS; c++) {
			const struct mmu_queue_params *q = lossless_queue(p, i, c);
			uint64_t wants;

			if (!q || !q->limited || q->threshold != MMU_DYNAMIC)
				continue;
			wants = shared_for(beyond_reserve(all, q->reserved_bytes), q->dynamic_th) +
				reserved;
			if (wants <= most)
				continue;
			most = wants;
			*port = i;
			*cls = c;
		}
	return most;
}

static bool find_little_limit(struct sw_parts *parts, const struct sw_params *p, uint64_t all)
{
	for (unsigned i = 0; i < p->n_ports; i++)
		for (unsigned c = 0; c < MMU_PGS; c++) {
			const struct mmu_queue_params *q = lossless_queue(p, i, c);
			uint64_t x = q ? beyond_reserve(all, q->reserved_bytes) : 0;

			if (!q || !is_too_little_limit(q, x))
				continue;
			parts->fault = SW_PARTS_LIMIT;
			parts->port = i;
			parts->cls = c;
			parts->has = q->static_bytes;
			parts->right = x;
			return true;
		}
	return false;
}

// A queue of the lossless pool is not asked whether it takes a frame that was admitted, so it must
// have room for all that can be.
static void check_egress(struct sw_parts *parts, const struct sw_params *p)
{
	uint64_t pool = p->egress_bytes[0] ? p->egress_bytes[0] : p->buffer_bytes;
	uint64_t all = ingress_holds(p), reserved = 0, least = UINT64_MAX, plain, dynamic;

	for (unsigned i = 0; i < p->n_ports; i++)
		for (unsigned c = 0; c < MMU_PGS; c++) {
			const struct mmu_queue_params *q = lossless_queue(p, i, c);

			reserved += q ? q->reserved_bytes : 0;
			least = q && q->reserved_bytes < least ? q->reserved_bytes : least;
		}
	if (least == UINT64_MAX)
		return;
	plain = beyond_reserve(all, least) + reserved;
	dynamic = dynamic_wants(p, all, reserved, &parts->port, &parts->cls);
	parts->wants = all;
	if (pool >= plain && find_little_limit(parts, p, all))
		return;
	parts->has = pool;
	parts->right = plain > dynamic ? plain : dynamic;
	if (pool < plain)
		parts->fault = SW_PARTS_EGRESS;
	else if (pool < dynamic)
		parts->fault = SW_PARTS_DYNAMIC;
}

bool sw_parts(struct sw_parts *parts, const struct sw_params *p, unsigned shards)
{
	*parts = (struct sw_parts){.fault = SW_PARTS_FINE};
	if (p->headroom_pool_bytes) {
		divide_headroom(parts, p, shards);
		if (is_too_little_headroom(parts, p, shards))
			return false;
	}
	check_egress(parts, p);
	return parts->fault == SW_PARTS_FINE;
}
