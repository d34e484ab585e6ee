// SPDX-License-Identifier: BSD-3-Clause
// The packet pool: how many mbufs of which size a scene needs, and a mempool of them.
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "pool.h"

#define CACHE          256 // mbufs that a lcore keeps in the mempool's own cache
#define NODE_PORTS_FEW 128
#define QUEUES_MBUFS   2048 // in the rings of a device's pair of queues
#define HUGE_PAGE      (2u << 20)
#define DEVICE_ROOM    2048 // bytes: what vdevs want at least
#define OVERHEAD \
	(64 + 64) // mempool's header, and the padding that spreads objects over memory channels
#define MIN_PACKETS 8192
#define STACK       1024 // packets in a lcore's stack, besides a burst of each port twice
#define ROOMY       (4 * DEVICE_ROOM) // from here on short frames are worth a pool of their own

_Static_assert(
	sizeof(struct rte_mbuf) == EAL_MBUF, "a descriptor stands 128 bytes behind its mbuf");
_Static_assert(EAL_PRIV % RTE_MBUF_PRIV_ALIGN == 0, "private area of an mbuf");

// Pairs of queues of all devices: each lane of a host has one, and each receive queue of a switch's
// port.
static uint32_t device_queues(const struct scene *s)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned p = 0; p < s->node[i].n_ports; p++) {
			const struct scene_port *port = &s->node[i].port[p];
			unsigned most = RTE_MAX(port->lanes, port->rx_queues);

			if (port->device)
				n += most ? most : 1;
		}
	return n;
}

// Returns the number of ports of the largest node, at least NODE_PORTS_FEW, because several hosts
// on one lcore have as many.
static uint32_t node_ports(const struct scene *s)
{
	uint32_t most = NODE_PORTS_FEW;

	for (unsigned i = 0; i < s->n_nodes; i++)
		most = most > s->node[i].n_ports ? most : s->node[i].n_ports;
	return most;
}

// How many of these lcores ever have packets: the main one, and one for each node or shard.
static unsigned users(const struct scene *s, unsigned lcores)
{
	unsigned n = 1;

	for (unsigned i = 0; i < s->n_nodes; i++)
		n += s->node[i].kind == SCENE_SW ? RTE_MAX(1u, s->node[i].u.sw.shards) : 1;
	return RTE_MIN(n, lcores);
}

// net_af_packet copies up to framesz bytes of a frame.
static uint32_t room_of_device(const char *device)
{
	const char *f = device ? strstr(device, "framesz=") : NULL;
	unsigned long size = f ? strtoul(f + strlen("framesz="), NULL, 10) : 0;

	return size > DEVICE_ROOM && size < UINT16_MAX - RTE_PKTMBUF_HEADROOM ? (uint32_t)size
									      : DEVICE_ROOM;
}

static uint32_t room_of(const struct scene *s)
{
	uint32_t room = 0;

	if (s->needs_bytes)
		room = s->max_frame;
	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned p = 0; p < s->node[i].n_ports; p++)
			if (s->node[i].port[p].device) {
				uint32_t need = room_of_device(s->node[i].port[p].device);

				room = room > need ? room : need;
				room = room > s->max_frame ? room : s->max_frame;
			}
	return (room + EAL_LINE - 1) / EAL_LINE * EAL_LINE;
}

// Bytes of memory for a packet.
static uint64_t packet_bytes(uint32_t room)
{
	return OVERHEAD + sizeof(struct rte_mbuf) + EAL_PRIV + sizeof(void *) * 3 + room +
	       (room ? RTE_PKTMBUF_HEADROOM : 0);
}

// Whether a device is net_af_xdp.
static bool is_xdp(const char *device)
{
	static const char xdp[] = "net_af_xdp";

	return strncmp(device, xdp, strlen(xdp)) == 0;
}

static bool hosts_with_devices(const struct scene *s)
{
	for (unsigned i = 0; i < s->n_nodes; i++) {
		const char *device = s->node[i].n_ports ? s->node[i].port[0].device : NULL;

		if (s->node[i].lane) // it sends by its host's device
			continue;
		if (s->node[i].kind != SCENE_NIC || !device || is_xdp(device))
			return false;
	}
	return true;
}

static bool switches_with_devices(const struct scene *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned p = 0; p < s->node[i].n_ports; p++) {
			const char *device = s->node[i].port[p].device;

			if (s->node[i].kind != SCENE_SW || (device && is_xdp(device)))
				return false;
			n += device != NULL;
		}
	return n;
}

enum eal_pools eal_pools(const struct scene *s)
{
	if (hosts_with_devices(s))
		return EAL_OWN_APART;
	return room_of(s) >= ROOMY && switches_with_devices(s) ? EAL_SHORT_APART : EAL_ONE_POOL;
}

void eal_pool_size(
	struct eal_pool_size *size, const struct scene *scene, unsigned lcores, uint64_t limit)
{
	bool is_short = eal_pools(scene) == EAL_SHORT_APART;
	uint32_t room = is_short ? SCENE_SHORT : room_of(scene);
	uint64_t each = packet_bytes(room);
	uint64_t n = scene->max_packets;

	lcores = users(scene, lcores);
	n += (uint64_t)device_queues(scene) * QUEUES_MBUFS;
	n += (uint64_t)lcores * (CACHE * 2 + EAL_BURST * node_ports(scene) * 2);
	if (n < MIN_PACKETS)
		n = MIN_PACKETS;
	if (n * each > limit)
		n = limit / each;
	*size = (struct eal_pool_size){
		.packets = n > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)n,
		.room = (uint16_t)room,
		.bytes = n * each,
	};
}

// Long frames that the lcores hold: in their stacks, which keep consumed frames for a while, and
// among packets for copies.
static uint32_t long_of_lcores(const struct scene *s, unsigned lcores)
{
	unsigned ports = 0;

	for (unsigned i = 0; i < s->n_nodes; i++)
		ports = RTE_MAX(ports, s->node[i].n_ports);
	return lcores * (STACK + EAL_BURST * ports * 3);
}

void eal_pool_size_devices(struct eal_pool_size *size, const struct scene *scene, unsigned lcores)
{
	uint32_t n = device_queues(scene) * QUEUES_MBUFS;
	uint32_t room = room_of(scene);

	lcores = users(scene, lcores);
	n += lcores * (CACHE * 2 + EAL_BURST * 3);
	if (eal_pools(scene) == EAL_SHORT_APART)
		n += (uint32_t)scene->max_long + long_of_lcores(scene, lcores);

	if (n < MIN_PACKETS)
		n = MIN_PACKETS;
	*size = (struct eal_pool_size){
		.packets = n,
		.room = (uint16_t)room,
		.bytes = n * packet_bytes(room),
	};
}

void eal_huge_pages(void *memory, size_t bytes)
{
	uintptr_t from = ((uintptr_t)memory + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	uintptr_t to = ((uintptr_t)memory + bytes) / HUGE_PAGE * HUGE_PAGE;

	if (to > from)
		madvise((void *)from, to - from, MADV_HUGEPAGE);
}

static void unmap(struct rte_mempool_memhdr *chunk, void *opaque)
{
	munmap(chunk->addr, (size_t)opaque);
}

// Ordinary memory, in transparent huge pages where the kernel has them, touched before the run.
static int populate_ordinary(struct rte_mempool *mp)
{
	size_t each = mp->header_size + mp->elt_size + mp->trailer_size;
	size_t len = (each * mp->size + HUGE_PAGE) / HUGE_PAGE * HUGE_PAGE;
	char *mem = mmap(NULL, len, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (mem == MAP_FAILED)
		return -ENOMEM;
	madvise(mem, len, MADV_HUGEPAGE);
	if (madvise(mem, len, MADV_POPULATE_WRITE) != 0)
		memset(mem, 0, len);
	return rte_mempool_populate_virt(mp, mem, len, HUGE_PAGE, unmap, (void *)len);
}

// NULL: the node has not enough.
static struct rte_mempool *pool_on(const char *name, const struct eal_pool_size *size,
	enum eal_memory memory, unsigned elt, int node)
{
	struct rte_pktmbuf_pool_private priv = {
		.mbuf_data_room_size = size->room ? RTE_PKTMBUF_HEADROOM + size->room : 0,
		.mbuf_priv_size = EAL_PRIV,
	};
	bool ordinary = memory == EAL_ORDINARY;
	struct rte_mempool *mp = rte_mempool_create_empty(name, size->packets, elt, CACHE,
		sizeof(priv), node, ordinary ? RTE_MEMPOOL_F_NO_IOVA_CONTIG : 0);

	if (mp && rte_mempool_set_ops_byname(mp, RTE_MBUF_DEFAULT_MEMPOOL_OPS, NULL) == 0) {
		rte_pktmbuf_pool_init(mp, &priv);
		if ((ordinary ? populate_ordinary(mp) : rte_mempool_populate_default(mp)) ==
			(int)size->packets) {
			rte_mempool_obj_iter(mp, rte_pktmbuf_init, NULL);
			return mp;
		}
	}
	rte_mempool_free(mp);
	return NULL;
}

struct rte_mempool *eal_pool_new(const char *name, const struct eal_pool_size *size,
	enum eal_memory memory, int node, struct err *err)
{
	unsigned elt = sizeof(struct rte_mbuf) + EAL_PRIV +
		       (size->room ? RTE_PKTMBUF_HEADROOM + size->room : 0);
	struct rte_mempool *mp = pool_on(name, size, memory, elt, node);

	if (!mp && node != SOCKET_ID_ANY)
		mp = pool_on(name, size, memory, elt, SOCKET_ID_ANY);
	if (!mp)
		err_set(err, -ENOMEM,
			"no memory for %u packets of %u bytes (%.0f MB): "
			"%s, or let the scene hold less (buffer of switches, window of flows)",
			size->packets, elt, (double)size->bytes * 1e-6,
			memory == EAL_HEAP ? "reserve more hugepages, do without (--no-huge)"
					   : "leave -m to quench, free some of the machine's");
	return mp;
}
