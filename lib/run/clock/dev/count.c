// SPDX-License-Identifier: BSD-3-Clause
// The frames that a device and the kernel's interface behind it lost, to the frame.
//
// Which counter is right depends on the driver:
// - net_af_packet: at the driver's socket the kernel counts all frames, and the frames that found
//   the ring full (PACKET_STATISTICS, which each reading sets to 0; the driver does not read it).
//   Frames that the interface dropped never came to the socket.
// - net_af_xdp: at the socket the kernel counts the frames that it refused (XDP_STATISTICS). A veth
//   counts these again among the interface's dropped frames; other interfaces are assumed not to.
// - net_memif: ethdev's own counters, which become 0 when the peer leaves. The highest that were
//   seen count.
// - net_tap: the frames that the kernel could not put into the queue that we read are the frames
//   that the interface could not send.
// - others: ethdev's own counters.
#include "count.h"

#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <linux/if_xdp.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_ethdev.h>

#include "iface/iface.h"

#ifndef SOL_XDP
#define SOL_XDP 283
#endif

static bool holds(const struct count_sockets *s, int fd)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->fd[i] == fd)
			return true;
	return false;
}

static int family(int fd)
{
	int is = 0;
	socklen_t size = sizeof(is);

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &is, &size) ? -1 : is;
}

void count_sockets(struct count_sockets *to)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;

	to->n = 0;
	while (dir && (e = readdir(dir)) && to->n < COUNT_SOCKETS) {
		int fd = atoi(e->d_name), is = *e->d_name == '.' ? -1 : family(fd);

		if (is == AF_PACKET || is == AF_XDP)
			to->fd[to->n++] = fd;
	}
	if (dir)
		closedir(dir);
}

// The interface that an AF_PACKET socket is bound to; 0: none, or no such socket.
static unsigned bound_to(int fd)
{
	struct sockaddr_ll at = {0};
	socklen_t size = sizeof(at);

	if (getsockname(fd, (struct sockaddr *)&at, &size) || at.sll_family != AF_PACKET)
		return 0;
	return (unsigned)at.sll_ifindex;
}

// Finds the driver's sockets: an AF_PACKET socket names its interface, an AF_XDP socket is one that
// was not there before.
static void find_sockets(struct count *c, const struct count_sockets *before)
{
	struct count_sockets all;

	count_sockets(&all);
	for (unsigned i = 0; i < all.n; i++) {
		int fd = all.fd[i];
		bool ours = c->driver == COUNT_PACKET ? bound_to(fd) == c->ifindex
						      : family(fd) == AF_XDP && !holds(before, fd);

		if (ours)
			c->sockets.fd[c->sockets.n++] = fd;
	}
}

static enum count_driver driver_of(const char *name)
{
	static const struct {
		const char *name;
		enum count_driver is;
	} known[] = {{"net_af_packet", COUNT_PACKET}, {"net_af_xdp", COUNT_XDP},
		{"net_tap", COUNT_TAP}, {"net_null", COUNT_ENDLESS}, {"net_pcap", COUNT_ENDLESS},
		{"net_memif", COUNT_MEMIF}};

	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].name, name))
			return known[i].is;
	return COUNT_OTHER;
}

void count_init(
	struct count *c, uint16_t id, const struct count_sockets *before, struct record_device *now)
{
	struct rte_eth_dev_info info = {0};
	char driver[IFACE_DRIVER];

	*c = (struct count){.id = id, .now = now};
	if (rte_eth_dev_info_get(id, &info))
		return;
	c->driver = driver_of(info.driver_name);
	snprintf(now->driver, sizeof(now->driver), "%s", info.driver_name);
	c->ifindex = info.if_index;
	if (!c->ifindex || !if_indextoname(c->ifindex, now->interface))
		c->ifindex = 0;
	if (!c->ifindex || (c->driver != COUNT_PACKET && c->driver != COUNT_XDP))
		return;
	c->repeats = c->driver == COUNT_XDP && iface_driver(now->interface, driver) &&
		     !strcmp(driver, "veth");
	find_sockets(c, before);
}

void count_hold(struct count *c, bool hold)
{
	static struct sock_filter nothing = {.code = BPF_RET | BPF_K, .k = 0};
	static const struct sock_fprog program = {.len = 1, .filter = &nothing};

	for (unsigned i = 0; c->driver == COUNT_PACKET && i < c->sockets.n; i++)
		setsockopt(c->sockets.fd[i], SOL_SOCKET, hold ? SO_ATTACH_FILTER : SO_DETACH_FILTER,
			&program, sizeof(program));
}

static void read_interface(const struct count *c, struct count_read *r)
{
	struct rtnl_link_stats64 is = {0};
	bool known = c->ifindex && iface_counters(c->ifindex, &is);

	// An interface that is gone has lost nothing more.
	r->if_rx = known ? is.rx_packets : c->last.if_rx;
	r->if_rx_dropped = known ? is.rx_dropped : c->last.if_rx_dropped;
	r->if_rx_errors = known ? is.rx_errors : c->last.if_rx_errors;
	r->if_rx_missed = known ? is.rx_missed_errors : c->last.if_rx_missed;
	r->if_tx = known ? is.tx_packets : c->last.if_tx;
	r->if_tx_dropped = known ? is.tx_dropped : c->last.if_tx_dropped;
	r->if_tx_errors = known ? is.tx_errors : c->last.if_tx_errors;
}

static void read_packet(struct count *c, int fd)
{
	struct tpacket_stats is = {0};
	socklen_t size = sizeof(is);

	if (getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &is, &size))
		return;
	c->seen += is.tp_packets;
	c->refused += is.tp_drops;
}

// Reads the socket's counters. `refused` gets rx_dropped, which includes frames that found no
// descriptor in the fill ring, and rx_ring_full.
static void read_xdp(struct count_read *r, int fd)
{
	struct xdp_statistics is = {0};
	socklen_t size = sizeof(is);

	if (getsockopt(fd, SOL_XDP, XDP_STATISTICS, &is, &size) == 0)
		r->refused += is.rx_dropped + is.rx_ring_full;
}

// The device's counters of frames are the counters of the peer's rings: without a peer it has none.
static void keep(struct count *c, const struct rte_eth_stats *is)
{
	c->now->forgot = is->ipackets < c->kept_rx || is->opackets < c->kept_tx;
	c->kept_rx = RTE_MAX(c->kept_rx, is->ipackets);
	c->kept_tx = RTE_MAX(c->kept_tx, is->opackets);
}

bool count_look(struct count *c)
{
	struct rte_eth_stats is = {0};

	if (c->driver != COUNT_MEMIF)
		return false;
	if (!rte_eth_stats_get(c->id, &is))
		keep(c, &is);
	return true;
}

static void read_all(struct count *c, struct count_read *r)
{
	struct rte_eth_stats is = {0};

	*r = (struct count_read){0};
	for (unsigned i = 0; i < c->sockets.n; i++) {
		if (c->driver == COUNT_PACKET)
			read_packet(c, c->sockets.fd[i]);
		else
			read_xdp(r, c->sockets.fd[i]);
	}
	if (c->driver == COUNT_PACKET) {
		r->seen = c->seen;
		r->refused = c->refused;
	}
	read_interface(c, r);
	c->last = *r;
	if (rte_eth_stats_get(c->id, &is))
		return;
	if (c->driver == COUNT_MEMIF) {
		keep(c, &is);
		is.ipackets = c->kept_rx;
		is.opackets = c->kept_tx;
	}
	r->ipackets = is.ipackets;
	r->imissed = is.imissed;
	r->ierrors = is.ierrors;
	r->rx_nombuf = is.rx_nombuf;
	r->opackets = is.opackets;
	r->oerrors = is.oerrors;
}

static uint64_t since(uint64_t now, uint64_t from)
{
	return now > from ? now - from : 0;
}

void count_begin(struct count *c)
{
	read_all(c, &c->from);
	c->unread = c->aside_tx = c->aside_rx = 0;
	if (rte_eth_xstats_reset(c->id) == 0) {
		c->kept_rx = c->kept_tx = 0;
		read_all(c, &c->from);
	}
}

// Sorts the frames that did not come to the node by reason, each frame under one.
static void sort_rx(const struct count *c, const struct count_read *r, struct record_device *d)
{
	const struct count_read *f = &c->from;
	uint64_t dropped = since(r->if_rx_dropped, f->if_rx_dropped);

	d->rx_errors = since(r->ierrors, f->ierrors);
	d->if_rx_errors = since(r->if_rx_errors, f->if_rx_errors);
	d->if_rx_missed = since(r->if_rx_missed, f->if_rx_missed);
	d->ring_full = since(r->refused, f->refused);
	d->no_mbuf = since(r->rx_nombuf, f->rx_nombuf);
	switch (c->driver) {
	case COUNT_PACKET:
	case COUNT_XDP: // whose imissed is the socket's; for want of an mbuf a frame waits
		d->if_rx_dropped = c->repeats ? since(dropped, d->ring_full) : dropped;
		break;
	case COUNT_TAP:
		d->if_rx_errors = d->if_rx_missed = 0;
		d->ring_full = since(r->if_tx_dropped, f->if_tx_dropped);
		d->no_buffer = d->no_mbuf;
		break;
	default:
		d->no_descriptor = since(r->imissed, f->imissed);
		d->if_rx_errors = d->if_rx_missed =
			0; // of a device that DPDK shares with the kernel
		break;
	}
}

static void sort_tx(const struct count *c, const struct count_read *r, struct record_device *d)
{
	const struct count_read *f = &c->from;
	bool kernel = c->driver == COUNT_PACKET || c->driver == COUNT_XDP;

	d->taken = since(r->opackets, f->opackets) + since(r->oerrors, f->oerrors);
	d->taken = since(d->taken, c->aside_tx);
	d->tx_errors = since(r->oerrors, f->oerrors);
	d->if_tx_dropped = kernel ? since(r->if_tx_dropped, f->if_tx_dropped) : 0;
	d->if_tx_errors = kernel ? since(r->if_tx_errors, f->if_tx_errors) : 0;
}

// All that came, by whoever counts it first.
static void sort_came(const struct count *c, const struct count_read *r, struct record_device *d)
{
	const struct count_read *f = &c->from;

	d->came_known = true;
	switch (c->driver) {
	case COUNT_PACKET:
		d->came_known = c->sockets.n > 0;
		d->came = since(r->seen, f->seen) + d->if_rx_dropped + d->if_rx_errors +
			  d->if_rx_missed;
		break;
	case COUNT_XDP: // other interfaces may not count what goes past the kernel
		d->came_known = c->repeats && c->sockets.n > 0;
		d->came = since(r->if_rx, f->if_rx) + d->if_rx_errors + d->if_rx_missed;
		break;
	case COUNT_TAP:
		d->came = since(r->if_tx, f->if_tx) + d->ring_full;
		break;
	case COUNT_ENDLESS:
		d->came_known = false;
		break;
	default:
		d->came = since(r->ipackets, f->ipackets) + d->no_descriptor + d->rx_errors;
		break;
	}
	d->came = d->came_known ? since(d->came, c->aside_rx) : 0;
}

static bool tells_of_loss(const char *name)
{
	static const char *const words[] = {
		"drop", "err", "miss", "discard", "nombuf", "out_of_buf"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

// Since count_begin(), which has set them to 0.
static void name_stats(const struct count *c, struct record_device *d)
{
	int n = rte_eth_xstats_get_names(c->id, NULL, 0);
	struct rte_eth_xstat_name *name = n > 0 ? calloc((size_t)n, sizeof(*name)) : NULL;
	struct rte_eth_xstat *is = n > 0 ? calloc((size_t)n, sizeof(*is)) : NULL;

	d->n_stats = 0;
	if (name && is && rte_eth_xstats_get_names(c->id, name, (unsigned)n) == n &&
		rte_eth_xstats_get(c->id, is, (unsigned)n) == n)
		for (int i = 0; i < n && d->n_stats < RECORD_DEVICE_STATS; i++) {
			const char *text = name[is[i].id].name;

			if (!is[i].value || !tells_of_loss(text))
				continue;
			snprintf(d->stat[d->n_stats].name, sizeof(d->stat[0].name), "%s", text);
			d->stat[d->n_stats++].n = is[i].value;
		}
	free(name);
	free(is);
}

void count_take(struct count *c)
{
	struct count_read r;

	read_all(c, &r);
	sort_rx(c, &r, c->now);
	sort_tx(c, &r, c->now);
	sort_came(c, &r, c->now);
	name_stats(c, c->now);
	c->now->unread = c->driver == COUNT_ENDLESS ? 0 : c->unread;
}
