// SPDX-License-Identifier: BSD-3-Clause
// Real ports, the slow half: a DPDK device found, fitted to the port, started, and left as it was.
#include "dev.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_mempool.h>

#include "count.h"
#include "hello.h"
#include "leftover.h"
#include "lend.h"
#include "mac.h"
#include "notice.h"
#include "pause.h"
#include "permit.h"
#include "promisc.h"
#include "stamps.h"

#define DRAIN_BURSTS  64
#define AGREE_TRIES   8 // looks at counters that frames come between
#define ETH_BYTES     14
#define PACKET_RX_OFF 66 // net_af_packet: bytes of its ring's frame before the Ethernet header
#define PACKET_FRAME  2048

int dev_node(const struct scene_port *port)
{
	char name[RTE_ETH_NAME_MAX_LEN];
	uint16_t id;

	if (!eal_pci(port->device, name, sizeof(name)) ||
		rte_eth_dev_get_port_by_name(name, &id) != 0)
		return -1;
	return rte_eth_dev_socket_id(id);
}

// Returns whether EAL's words only say that something failed, not why. Then our own line says what
// would be right.
static bool is_no_reason(const char *words)
{
	return !strncmp(words, "Driver cannot attach", 20) ||
	       !strncmp(words, "failed to parse", 15);
}

// Returns whether a device is to open an interface of the kernel that does not exist; `iface`: its
// name.
static bool lacks_interface(const char *device, char *iface, size_t size)
{
	static const char *const opens[] = {"net_af_packet", "net_af_xdp", "net_pcap"};

	for (unsigned i = 0; i < sizeof(opens) / sizeof(opens[0]); i++)
		if (!strncmp(device, opens[i], strlen(opens[i])))
			return dev_arg(device, "iface", iface, size) && !if_nametoindex(iface);
	return false;
}

static int find_device(struct dev *d, struct err *err)
{
	const char *device = d->port->device, *words;
	char name[RTE_ETH_NAME_MAX_LEN], caps[64], iface[64];
	bool pci = eal_pci(device, name, sizeof(name));
	struct dev_lend lent;
	int rc;

	if (!pci)
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(device, ","), device);
	if (rte_eth_dev_get_port_by_name(name, &d->id) == 0)
		return 0;
	if (pci)
		return err_set(err, -ENODEV,
			"port %s: no PCI device %s that DPDK drives: "
			"is it there, and bound to vfio-pci?",
			d->port->name, name);
	dev_leftover_remove(device);
	eal_log_begin();
	dev_lend_signals(&lent);
	rc = rte_dev_probe(device);
	dev_lend_end(&lent);
	words = eal_log_end(rc != 0);
	if (!rc && rte_eth_dev_get_port_by_name(name, &d->id) == 0) {
		d->created = true;
		return 0;
	}
	if (lacks_interface(device, iface, sizeof(iface)))
		return err_set(err, -ENODEV,
			"port %s: no device \"%s\": "
			"there is no interface %s here (`quench ports` lists them)",
			d->port->name, device, iface);
	if (!*words)
		words = strerror(rc ? -rc : ENODEV);
	if (*dev_not_permitted(device, caps, sizeof(caps)))
		return err_set(err, -EPERM,
			"port %s: no device \"%s\": %s: this process lacks %s; run it as root",
			d->port->name, device, words, caps);
	if (!is_no_reason(words))
		return err_set(err, -ENODEV, "port %s: no device \"%s\": %s", d->port->name, device,
			words);
	return err_set(err, -ENODEV,
		"port %s: no device \"%s\": %s; write a PCI address, or a vdev with what its "
		"driver wants, as in net_af_packet0,iface=%s",
		d->port->name, device, words, if_nametoindex(device) ? device : "eth0");
}

// Returns the least MTU that the device needs for this port. A kernel's interface carries one tag
// beyond its MTU, and the room for tags in `mtu: auto` is no reason to change the MTU.
static uint32_t least_mtu(const struct scene_port *p)
{
	return p->mtu - (p->tags ? ETH_BYTES + p->tags : DEV_L2_BYTES);
}

// net_af_packet says 1518 whatever it is given: what counts is its ring's frame and the interface.
static int fit_packet(const struct dev *d, struct err *err)
{
	const struct scene_port *p = d->port;
	char value[32] = "", iface[IFNAMSIZ] = "";
	unsigned long frame = PACKET_FRAME;
	struct ifreq ifr = {0};
	int s;

	if (dev_arg(p->device, "framesz", value, sizeof(value)))
		frame = strtoul(value, NULL, 10);
	if (p->mtu - p->tags + PACKET_RX_OFF > frame)
		return err_set(err, -EMSGSIZE,
			"port %s: net_af_packet with framesz=%lu carries frames of %lu bytes, "
			"its mtu "
			"is %u: add framesz=16384,blocksz=16384 to the device",
			p->name, frame, frame - PACKET_RX_OFF, p->mtu);
	dev_arg(p->device, "iface", iface, sizeof(iface));
	s = socket(AF_INET, SOCK_DGRAM, 0);
	memcpy(ifr.ifr_name, iface, sizeof(iface));
	if (s >= 0 && ioctl(s, SIOCGIFMTU, &ifr) == 0 && least_mtu(p) > (uint32_t)ifr.ifr_mtu) {
		close(s);
		return err_set(err, -EMSGSIZE,
			"port %s: interface %s has MTU %d, frames of %u bytes need %u: "
			"ip link set dev %s mtu %u",
			p->name, iface, ifr.ifr_mtu, p->mtu - p->tags, least_mtu(p), iface,
			least_mtu(p));
	}
	if (s >= 0)
		close(s);
	return 0;
}

// The device's MTU is raised where the port's frames need it, never lowered: what is too long for
// the port is counted as that.
static int fit(struct dev *d, const struct rte_eth_dev_info *info, struct err *err)
{
	const struct scene_port *p = d->port;
	uint16_t now = 0;
	uint32_t need = least_mtu(p);
	int rc;

	if (strcmp(info->driver_name, "net_af_packet") == 0)
		return fit_packet(d, err);
	if (info->max_rx_pktlen < p->mtu - p->tags)
		return err_set(err, -EMSGSIZE,
			"port %s: device \"%s\" (%s) carries frames of %u bytes, the port's mtu "
			"is %u: "
			"give the port mtu %u, or another device",
			p->name, p->device, info->driver_name, info->max_rx_pktlen, p->mtu,
			info->max_rx_pktlen);
	if (rte_eth_dev_get_mtu(d->id, &now) == 0 && now >= need)
		return 0;
	rc = rte_eth_dev_set_mtu(d->id, (uint16_t)need);
	if (rc && rc != -ENOTSUP)
		return err_set(err, -EMSGSIZE,
			"port %s: device \"%s\" (%s) refuses MTU %u, which frames of %u bytes "
			"need: "
			"give the port mtu %u, or another device",
			p->name, p->device, info->driver_name, need, p->mtu - p->tags,
			now + DEV_L2_BYTES);
	if (!rc)
		d->mtu = now;
	return 0;
}

static unsigned transmit_queues(const struct scene_port *p)
{
	return p->lanes ? p->lanes : 1;
}

// Receive queues that several threads read: the device spreads frames over them by a hash of IP
// addresses and UDP ports (RSS). One that has none has another side that chooses their queue.
static void spread(const struct rte_eth_dev_info *info, struct rte_eth_conf *conf)
{
	uint64_t hash = info->flow_type_rss_offloads & (RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP);

	if (!hash)
		return;
	conf->rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
	conf->rx_adv_conf.rss_conf.rss_hf = hash;
}

// The number of its queues, and their offloads.
static int configure(struct dev *d, const struct rte_eth_dev_info *info, bool several)
{
	unsigned tx_queues = transmit_queues(d->port);
	struct rte_eth_conf conf = {0};

	// The number of receive queues is that of transmit queues: many drivers pair them
	// (net_ring, net_memif, net_af_packet), or their other side spreads its frames over all
	// (net_tap, net_vhost).
	d->n_rx = d->n_turn = (uint16_t)RTE_MIN(tx_queues, info->max_rx_queues);
	if (d->port->rx_queues > 1) {
		d->n_rx = d->port->rx_queues;
		d->n_turn = 1;
		tx_queues = RTE_MIN(d->n_rx, info->max_tx_queues); // of which one sends
		spread(info, &conf);
	}
	if (dev_stamps_ask(d, info))
		conf.rxmode.offloads |= info->rx_offload_capa & RTE_ETH_RX_OFFLOAD_TIMESTAMP;
	// The offload requires that all mbufs of a queue come from one pool.
	if (!several)
		conf.txmode.offloads = info->tx_offload_capa & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
	d->n_tx = (uint16_t)tx_queues;
	return rte_eth_dev_configure(d->id, d->n_rx, d->n_tx, &conf);
}

static int queues(struct dev *d, const struct rte_eth_dev_info *info)
{
	struct rte_eth_txconf tx = info->default_txconf;
	uint16_t n_rx = SCENE_RING, n_tx = SCENE_TX_RING;
	int socket = rte_eth_dev_socket_id(d->id);
	int rc = rte_eth_dev_adjust_nb_rx_tx_desc(d->id, &n_rx, &n_tx);

	tx.offloads =
		d->parse.pools.own ? 0 : info->tx_offload_capa & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
	for (uint16_t q = 0; !rc && q < d->n_rx; q++)
		rc = rte_eth_rx_queue_setup(
			d->id, q, n_rx, (unsigned)socket, NULL, d->parse.pools.rx);
	for (uint16_t q = 0; !rc && q < d->n_tx; q++)
		rc = rte_eth_tx_queue_setup(d->id, q, n_tx, (unsigned)socket, &tx);
	return rc;
}

// Whether the device has queues for all threads that send by it or read it.
static int check_queues(const struct dev *d, const struct rte_eth_dev_info *info, struct err *err)
{
	const struct scene_port *p = d->port;
	unsigned tx = transmit_queues(p);

	if (info->max_tx_queues < tx)
		return err_set(err, -EINVAL,
			"port %s: device \"%s\" (%s) has %u transmit queue%s, lcores: %u needs one "
			"for each; give the device more (qpairs= of net_af_packet), or the host "
			"fewer",
			p->name, p->device, info->driver_name, info->max_tx_queues,
			plural(info->max_tx_queues), tx);
	if (p->rx_queues < 2)
		return 0;
	if (d->paced)
		return err_set(err, -EINVAL,
			"port %s: rx_queues: %u, but device \"%s\" reads a file, which is one "
			"queue; drop rx_queues",
			p->name, p->rx_queues, p->device);
	if (info->max_rx_queues >= p->rx_queues)
		return 0;
	return err_set(err, -EINVAL,
		"port %s: device \"%s\" (%s) has %u receive queue%s, rx_queues: %u needs as many; "
		"give the device more (qpairs= of net_af_packet), or write rx_queues: %u",
		p->name, p->device, info->driver_name, info->max_rx_queues,
		plural(info->max_rx_queues), p->rx_queues, info->max_rx_queues);
}

static struct mbuf_parse *aside_new(const struct dev *d)
{
	struct mbuf_parse *p = calloc(d->port->rx_queues - 1u, sizeof(*p));

	for (unsigned i = 0; p && i < d->port->rx_queues - 1u; i++)
		p[i] = (struct mbuf_parse){.pools = d->parse.pools, .to_pkt = d->parse.to_pkt};
	return p;
}

static int ask_device(const struct dev *d, struct rte_eth_dev_info *info, struct err *err)
{
	int rc = rte_eth_dev_info_get(d->id, info);

	return rc ? err_set(err, rc, "port %s: device \"%s\" says nothing of itself: %s",
			    d->port->name, d->port->device, strerror(-rc))
		  : 0;
}

static int cannot(const struct dev *d, int rc, const char *words, struct err *err)
{
	return err_set(err, rc, "port %s: device \"%s\" cannot be set up: %s", d->port->name,
		d->port->device, *words ? words : strerror(-rc));
}

static int set_up_device(struct dev *d, bool several, struct err *err)
{
	const struct scene_port *port = d->port;
	struct rte_eth_dev_info info;
	const char *words;
	char value[8];
	int rc = find_device(d, err);

	if (rc)
		return rc;
	d->open = true;
	rc = ask_device(d, &info, err);
	if (rc)
		return rc;
	d->visits = strcmp(info.driver_name, "net_memif") == 0;
	if (d->visits && eal_visit_open())
		return err_set(err, -ETIMEDOUT,
			"port %s: device \"%s\": DPDK's interrupt thread does not answer",
			port->name, port->device);
	d->paced = strcmp(info.driver_name, "net_pcap") == 0 &&
		   dev_arg(port->device, "rx_pcap", value, sizeof(value));
	rc = check_queues(d, &info, err);
	if (rc)
		return rc;
	eal_log_begin();
	rc = configure(d, &info, several);
	words = eal_log_end(rc != 0);
	if (rc)
		return cannot(d, rc, words, err);
	eal_log_begin();
	rc = fit(d, &info, err);
	eal_log_end(rc != 0);
	return rc;
}

// Returns whether a port's device should be created as late as possible. A peer may connect to a
// net_memif as soon as it exists. If it is not started yet, the peer is refused and does not try
// again. So the time between the two must be short.
static bool is_found_late(const struct scene_port *port)
{
	static const char memif[] = "net_memif";

	return strncmp(port->device, memif, strlen(memif)) == 0;
}

int dev_find(struct dev *d, const struct scene_port *port, bool several, struct err *err)
{
	*d = (struct dev){.port = port,
		.max_len = (uint16_t)port->mtu,
		.xon.fd = -1,
		.member = -1,
		.need_mtu = least_mtu(port),
		.ps = rate_byte_ps(port->rate)};
	d->count = calloc(1, sizeof(*d->count));
	if (!d->count)
		return err_set(err, -ENOMEM, "port %s: no memory", port->name);
	return is_found_late(port) ? 0 : set_up_device(d, several, err);
}

int dev_feed(struct dev *d, const struct mbuf_pools *pools, struct err *err)
{
	struct count_sockets sockets;
	struct rte_eth_dev_info info;
	const char *words;
	unsigned before;
	int rc = d->open ? 0 : set_up_device(d, pools->own != NULL, err);

	if (!rc)
		rc = ask_device(d, &info, err);
	if (rc)
		return rc;
	d->parse = (struct mbuf_parse){.pools = *pools, .to_pkt = mbuf_parse_best()};
	if (d->has_stamps)
		d->parse.stamps = &d->stamps;
	if (d->port->rx_queues > 1)
		d->aside = aside_new(d);
	if (d->port->rx_queues > 1 && !d->aside)
		return err_set(err, -ENOMEM, "port %s: no memory", d->port->name);
	count_sockets(&sockets); // queues of net_af_xdp make theirs
	eal_log_begin();
	before = rte_mempool_avail_count(pools->rx);
	rc = queues(d, &info);
	d->kept = before - rte_mempool_avail_count(pools->rx);
	words = eal_log_end(rc != 0);
	if (rc)
		return cannot(d, rc, words, err);
	count_init(d->count, d->id, &sockets, &d->lost);
	dev_mac_find(d);
	return 0;
}

// How many shared headers the frames have that a node makes: a host has headers of its requests,
// ACKs and CNPs. A switch may send any host's frames.
static uint32_t headers(const struct scene *s, unsigned node)
{
	bool is_host = s->node[node].kind == SCENE_NIC;
	uint32_t n = 0;

	for (unsigned i = 0; i < s->n_flows; i++) {
		n += !is_host || s->flow[i]->from == node ? 1 : 0;
		n += !is_host || s->flow[i]->to == node ? 2 : 0;
	}
	return n;
}

static int make_templates(struct dev *d, const struct scene *s, unsigned node,
	struct mbuf_tmpl **tmpl, struct err *err)
{
	const struct mbuf_pools *pools = &d->parse.pools;
	uint32_t n = headers(s, node);
	bool has_v6 = false;

	for (unsigned i = 0; i < s->n_flows; i++)
		has_v6 |= (s->flow[i]->hdr_data.flags & HDR_IPV6) != 0;
	if (!n)
		return 0;
	*tmpl = mbuf_tmpl_new(n, has_v6, pools->moves_short ? NULL : pools->own, s->payload);
	if (!*tmpl)
		return err_set(err, -ENOMEM, "port %s: no memory for %u headers", d->port->name, n);
	mbuf_tmpl_heed(*tmpl, s->readdressed);
	return 0;
}

int dev_make_templates(struct dev *d, const struct scene *s, unsigned node, struct err *err)
{
	return make_templates(d, s, node, &d->tmpl, err);
}

int dev_make_lane_templates(struct dev *d, const struct scene *s, unsigned node,
	struct mbuf_tmpl **tmpl, struct err *err)
{
	int rc = make_templates(d, s, node, &d->lane_tmpl[s->node[node].lane], err);

	*tmpl = d->lane_tmpl[s->node[node].lane];
	return rc;
}

// The number of the kernel's interface by which the device sends; 0: there is none. Frames that a
// tap's interface sends come in at the device.
static unsigned interface(const struct dev *d)
{
	struct rte_eth_dev_info info;

	if (rte_eth_dev_info_get(d->id, &info) != 0 || strcmp(info.driver_name, "net_tap") == 0)
		return 0;
	return info.if_index;
}

// Keeps signal handlers out of the steps in which such a driver starts and stops.
static void visit(const struct dev *d)
{
	if (d->visits)
		eal_visit_wait();
}

static void end_visit(const struct dev *d)
{
	if (d->visits)
		eal_visit_end();
}

int dev_start(struct dev *d, struct err *err)
{
	unsigned before = rte_mempool_avail_count(d->parse.pools.rx), kernel = interface(d);
	bool user = dev_promisc_user(kernel);
	const char *words;
	int rc;

	eal_log_begin();
	visit(d);
	rc = rte_eth_dev_start(d->id);
	end_visit(d);
	d->kept += before - rte_mempool_avail_count(d->parse.pools.rx);
	words = eal_log_end(rc != 0);
	if (rc)
		return err_set(err, rc, "port %s: device \"%s\" does not start: %s", d->port->name,
			d->port->device, *words ? words : strerror(-rc));
	d->started = true;
	d->settled = false;
	dev_xon_make(d, kernel);
	d->notice = dev_notice_new(d);
	eal_log_begin();
	dev_pause_off(d);
	dev_promisc_on(d, kernel, user);
	eal_log_end(false);
	return 0;
}

// Returns how many of the n frames are hellos.
static unsigned free_frames(struct rte_mbuf **m, unsigned n)
{
	unsigned hellos = 0;

	for (unsigned i = 0; i < n; i++)
		hellos += dev_hello_is(m[i]);
	rte_pktmbuf_free_bulk(m, n);
	return hellos;
}

// Drains the device. Returns how many frames had been read ahead or stood in its ring; *hellos of
// them were hellos.
static unsigned drain(struct dev *d, unsigned *hellos)
{
	struct rte_mbuf *m[EAL_BURST];
	unsigned all = d->far.n;

	*hellos = free_frames(d->far.m, d->far.n);
	d->far.n = 0;
	for (unsigned i = 0; i < DRAIN_BURSTS; i++) {
		unsigned n = 0;

		for (uint16_t q = 0; q < d->n_rx && !n; q++)
			n = dev_burst_rx(d, q, m, EAL_BURST);
		if (!n)
			break;
		*hellos += free_frames(m, n);
		all += n;
	}
	return all;
}

// A net_ring would keep frames that arrive later. net_af_xdp frees sent frames only when it is
// given frames to send, even none.
void dev_drain(struct dev *d)
{
	struct rte_mbuf *m[EAL_BURST];
	unsigned hellos;

	dev_burst_tx(d, 0, m, 0);
	d->count->unread += drain(d, &hellos);
	d->count->unread -= hellos;
	dev_hello_add(d, hellos);
}

// Frames may arrive between reading the kernel's counters and the driver's ring: the two agree if
// none did.
void dev_begin(struct dev *d)
{
	bool kernel = d->count->ifindex;
	unsigned hellos;

	count_hold(d->count, true);
	dev_mac_begin(d);
	if (kernel)
		drain(d, &hellos);
	for (unsigned i = 0; i < AGREE_TRIES; i++) {
		count_begin(d->count);
		if (!kernel || !drain(d, &hellos))
			break;
	}
	count_hold(d->count, false);
}

void dev_end(struct dev *d)
{
	count_hold(d->count, true);
}

bool dev_look(struct dev *d)
{
	return count_look(d->count);
}

void dev_take(struct dev *d)
{
	count_take(d->count);
	dev_mac_take(d);
	dev_stamps_take(d);
	if (d->lost.came_known) // but for hellos, which are no node's
		d->lost.came -= RTE_MIN(d->lost.came, dev_hello_came(d));
	d->lost.unfit = d->parse.unfit;
	for (unsigned i = 0; d->aside && i + d->n_turn < d->n_rx; i++)
		d->lost.unfit += d->aside[i].unfit;
}

// Stops or closes the device. A driver that gives mbufs back then gives all back.
static void give_back(struct dev *d, int (*step)(uint16_t id))
{
	unsigned before = d->parse.pools.rx ? rte_mempool_avail_count(d->parse.pools.rx) : 0;

	visit(d);
	step(d->id);
	end_visit(d);
	if (d->parse.pools.rx && rte_mempool_avail_count(d->parse.pools.rx) > before)
		d->kept = 0;
}

// Reads the last counters of a device. If the device is gone, its ring cannot be read: nobody knows
// how many frames arrived, nor how many of them had been read ahead.
static void take_last(struct dev *d)
{
	if (d->gone) {
		free_frames(d->far.m, d->far.n);
		d->far.n = 0;
		dev_take(d);
		d->lost.came_known = false;
		d->lost.came = 0;
		return;
	}
	dev_drain(d);
	for (unsigned i = 0; i < AGREE_TRIES; i++) {
		uint64_t unread = d->count->unread;

		dev_take(d);
		dev_drain(d);
		if (d->count->unread == unread)
			break;
	}
}

void dev_settle(struct dev *d)
{
	if (!d->started || d->settled)
		return;
	d->settled = true;
	dev_xon_send(d);
	dev_xon_drop(d);
	dev_end(d);
	take_last(d);
}

void dev_stop(struct dev *d)
{
	if (!d->started)
		return;
	dev_settle(d);
	d->started = false;
	eal_log_begin();
	dev_promisc_off(d);
	dev_pause_back(d);
	give_back(d, rte_eth_dev_stop);
	eal_log_end(false);
}

void dev_close(struct dev *d)
{
	struct rte_eth_dev_info info;
	struct rte_device *dev = NULL;

	dev_notice_free(d->notice);
	d->notice = NULL;
	mbuf_tmpl_free(d->tmpl);
	d->tmpl = NULL;
	for (unsigned i = 0; i < SCENE_LANES; i++) {
		mbuf_tmpl_free(d->lane_tmpl[i]);
		d->lane_tmpl[i] = NULL;
	}
	free(d->count);
	d->count = NULL;
	free(d->aside);
	d->aside = NULL;
	if (!d->open)
		return;
	d->open = false;
	if (d->created && rte_eth_dev_info_get(d->id, &info) == 0)
		dev = info.device;
	eal_log_begin();
	if (d->mtu && !d->gone)
		rte_eth_dev_set_mtu(d->id, d->mtu);
	give_back(d, rte_eth_dev_close);
	if (dev)
		rte_dev_remove(dev);
	eal_log_end(false);
}
