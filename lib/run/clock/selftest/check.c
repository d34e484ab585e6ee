// SPDX-License-Identifier: BSD-3-Clause
// The self-test of real ports, the part without frames: reads a device's capabilities, and checks
// whether it does as it was asked.
#define ALLOW_EXPERIMENTAL_API // rte_eth_dev_priority_flow_ctrl_queue_*
#include "selftest.h"

#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_ethdev.h>

#define TX_MANY 256 // enough to show the device's own queue

struct looking {
	const struct dev *d;
	const struct selftest_place *at;
	struct record_findings *f;
	struct rte_eth_dev_info info;
	bool virtual; // its speed is a word
	const char *what;
	char advice[320];
};

__attribute__((format(printf, 2, 3))) static void advise(struct looking *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(l->advice, sizeof(l->advice), fmt, ap);
	va_end(ap);
}

__attribute__((format(printf, 3, 4))) static void found(
	struct looking *l, enum record_verdict verdict, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	record_finding_add(l->f, l->d->port->name, l->what, verdict, text, l->advice);
}

static void driver(struct looking *l)
{
	found(l, RECORD_OK, "%s, device %s", l->info.driver_name, l->d->port->device);
}

static void firmware(struct looking *l)
{
	char version[128] = "";

	if (rte_eth_dev_fw_version_get(l->d->id, version, sizeof(version)) == 0 && *version)
		found(l, RECORD_OK, "%s", version);
	else
		found(l, RECORD_OK, "the driver does not say");
}

// Checks the link as a run sees it: DPDK calls the link of a port over a kernel's interface up
// whatever happens.
static void link_speed(struct looking *l)
{
	const struct watch *w = l->at->watch;
	uint64_t rate = l->d->port->rate, speed;
	unsigned mbps, wanted = (unsigned)(rate / RATE_MBPS);
	char why[128];
	bool half;

	advise(l, "plug in the cable, or switch the other end on");
	if (watch_link(w, l->at->number) != WATCH_UP) {
		watch_why(w, l->at->number, why, sizeof(why));
		found(l, RECORD_WARNING, "no link: %s", why);
		return;
	}
	speed = watch_speed(w, l->at->number, &half);
	mbps = (unsigned)(speed / RATE_MBPS);
	advise(l, "write rate: %uMbps at the link of %s, or take a faster port", mbps,
		l->d->port->name);
	if (half) {
		advise(l, "set the other end to full duplex: half duplex has no PFC or PAUSE");
		found(l, RECORD_BAD, "%u Mb/s, half duplex", mbps);
	} else if (!speed) {
		found(l, RECORD_OK, "up; no real speed is known");
	} else if (speed < rate) {
		found(l, RECORD_WARNING, "%u Mb/s, less than the %u Mb/s of rate", mbps, wanted);
	} else {
		found(l, RECORD_OK, "%u Mb/s", mbps);
	}
}

static void mtu(struct looking *l)
{
	uint16_t now = 0;
	uint32_t need = l->d->need_mtu;

	if (strcmp(l->info.driver_name, "net_af_packet") == 0) { // says the same of every interface
		found(l, RECORD_OK, "frames of %u bytes fit the interface", l->d->port->mtu);
		return;
	}
	if (rte_eth_dev_get_mtu(l->d->id, &now) != 0) {
		found(l, RECORD_OK, "the driver does not say");
	} else if (now < need) {
		advise(l, "give the port mtu: %u, or the interface MTU %u", now + DEV_L2_BYTES,
			need);
		found(l, RECORD_BAD, "%u, frames of %u bytes need %u", now, l->d->port->mtu, need);
	} else {
		found(l, RECORD_OK, "%u", now);
	}
}

// Memory of the port, its pool and its lcore.
static void numa(struct looking *l)
{
	int port = rte_eth_dev_socket_id(l->d->id);
	int lcore = l->at->lcore_node, pool = l->at->pool_node;
	char where[24] = "none";

	if (port >= 0)
		snprintf(where, sizeof(where), "%d", port);
	if (port >= 0 && lcore >= 0 && port != lcore) {
		advise(l,
			"give the port an lcore of node %d (lscpu shows them): "
			"lcore: at %s, and that lcore to DPDK",
			port, l->d->port->name);
		found(l, RECORD_WARNING, "port on node %s, lcore %u on node %d", where,
			l->at->lcore, lcore);
	} else if (port >= 0 && pool >= 0 && port != pool) {
		advise(l, "reserve hugepages on node %d, or take ports of one node", port);
		found(l, RECORD_WARNING, "port on node %s, pool on node %d", where, pool);
	} else {
		found(l, RECORD_OK, "port on node %s, lcore %u on node %d", where, l->at->lcore,
			lcore);
	}
}

static void queues(struct looking *l)
{
	struct rte_eth_rxq_info rx = {0};
	struct rte_eth_txq_info tx = {0};
	uint16_t id = l->d->id;
	char text[128];
	int n;

	n = snprintf(text, sizeof(text), "%u rx, %u tx queues", l->info.nb_rx_queues,
		l->info.nb_tx_queues);
	if (rte_eth_rx_queue_info_get(id, 0, &rx) == 0 &&
		rte_eth_tx_queue_info_get(id, 0, &tx) == 0)
		snprintf(text + n, sizeof(text) - (size_t)n, "; rings of %u and %u frames",
			rx.nb_desc, tx.nb_desc);
	else
		snprintf(text + n, sizeof(text) - (size_t)n,
			"; the driver does not say what its rings hold");
	advise(l,
		"frames wait in the device, where nothing marks them: "
		"expect %u frames more in delay, or take another driver",
		tx.nb_desc);
	if (tx.nb_desc > TX_MANY)
		found(l, RECORD_NOTE, "%s", text);
	else
		found(l, RECORD_OK, "%s", text);
}

// Names of the bits, "none" without any.
static void offload_names(uint64_t bits, const char *(*name)(uint64_t bit), char *text, size_t size)
{
	size_t at = 0;

	snprintf(text, size, "none");
	for (unsigned i = 0; i < 64 && at < size; i++)
		if (bits >> i & 1)
			at += (size_t)snprintf(
				text + at, size - at, "%s%s", at ? " " : "", name(1ull << i));
}

// Offloads that would change frames or glue them together.
#define RX_CHANGES                                                         \
	(RTE_ETH_RX_OFFLOAD_VLAN_STRIP | RTE_ETH_RX_OFFLOAD_QINQ_STRIP |   \
		RTE_ETH_RX_OFFLOAD_TCP_LRO | RTE_ETH_RX_OFFLOAD_KEEP_CRC | \
		RTE_ETH_RX_OFFLOAD_VLAN_FILTER | RTE_ETH_RX_OFFLOAD_BUFFER_SPLIT)

static void offloads(struct looking *l)
{
	struct rte_eth_conf conf = {0};
	char rx[96], tx[96];
	int vlan;

	if (rte_eth_dev_conf_get(l->d->id, &conf) != 0) {
		found(l, RECORD_OK, "the driver does not say");
		return;
	}
	vlan = rte_eth_dev_get_vlan_offload(l->d->id);
	if (vlan > 0 && vlan & RTE_ETH_VLAN_STRIP_OFFLOAD)
		conf.rxmode.offloads |= RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
	offload_names(conf.rxmode.offloads, rte_eth_dev_rx_offload_name, rx, sizeof(rx));
	offload_names(conf.txmode.offloads, rte_eth_dev_tx_offload_name, tx, sizeof(tx));
	advise(l, "frames change on their way in: switch it off (ethtool -K INTERFACE rxvlan off "
		  "lro off), or take another driver");
	found(l, conf.rxmode.offloads & RX_CHANGES ? RECORD_BAD : RECORD_OK, "on: rx %s, tx %s", rx,
		tx);
}

static void promiscuous(struct looking *l)
{
	int is = rte_eth_promiscuous_get(l->d->id), asked = l->d->asked.promiscuous;

	advise(l, "frames to other addresses are lost: ip link set INTERFACE promisc on, allow it "
		  "to the virtual function (ip link set PF vf N trust on), or give the port the "
		  "device's own address (mac:)");
	if (l->d->member >= 0)
		found(l, RECORD_OK, "on, by the kernel's interface");
	else if (is == 1)
		found(l, RECORD_OK, asked == DEV_NOT_ASKED ? "on, as it was" : "on");
	else if (asked != 0 && asked != DEV_NOT_ASKED)
		found(l, RECORD_BAD, "off: the driver refuses it: %s", strerror(-asked));
	else
		found(l, RECORD_BAD, "off, although the driver agreed to switch it on");
}

#define PAUSE_ADVICE                                                                               \
	"the MAC may stop by itself, or eat what is for the switch: ethtool -A INTERFACE autoneg " \
	"off rx off tx off"

static void flow_control(struct looking *l)
{
	struct rte_eth_fc_conf fc = {0};
	int asked = l->d->asked.flow_control;

	advise(l, PAUSE_ADVICE);
	if (asked == DEV_NOT_ASKED)
		found(l, RECORD_OK, "the driver has none to switch off");
	else if (asked != 0)
		found(l, RECORD_BAD, "the driver refuses to switch it off: %s", strerror(-asked));
	else if (rte_eth_dev_flow_ctrl_get(l->d->id, &fc) == 0 && fc.mode != RTE_ETH_FC_NONE)
		found(l, RECORD_BAD, "on, although the driver agreed to switch it off");
	else if (!fc.mac_ctrl_frame_fwd && !l->virtual)
		found(l, RECORD_NOTE,
			"off; the driver does not say that it hands on MAC control frames");
	else
		found(l, RECORD_OK, "off");
}

// No call reads this setting back: only frames show it (selftest).
static void priority_flow_control(struct looking *l)
{
	struct rte_eth_pfc_queue_info q = {0};
	int asked = l->d->asked.pfc;

	advise(l, "mlnx_qos -i INTERFACE --pfc 0,0,0,0,0,0,0,0, or dcb pfc set dev INTERFACE "
		  "prio-pfc all:off; then selftest: loop or peer shows whether the MAC still acts");
	if (asked == DEV_NOT_ASKED)
		found(l, RECORD_OK, "the driver has none to switch off");
	else if (asked != 0)
		found(l, RECORD_WARNING, "the driver refuses to switch it off: %s",
			strerror(-asked));
	else
		found(l, RECORD_OK, "off, as the driver says; %s",
			rte_eth_dev_priority_flow_ctrl_queue_info_get(l->d->id, &q) == 0
				? "by queue"
				: "by priority");
}

// Reports whether the kernel itself sends frames by the port: at an interface with IPv6 it
// announces itself and looks for neighbours. The interface of a net_tap is the peer's end, so it
// does not count.
static void kernels_frames(struct looking *l)
{
	char name[IFNAMSIZ], path[128];
	FILE *f = NULL;
	bool on;

	if (strcmp(l->info.driver_name, "net_tap") == 0 || !l->info.if_index ||
		!if_indextoname(l->info.if_index, name)) {
		found(l, RECORD_OK, "none: no interface of the kernel sends by this port");
		return;
	}
	snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/disable_ipv6", name);
	f = fopen(path, "r");
	on = f && fgetc(f) == '0';
	if (f)
		fclose(f);
	advise(l, "they count as foreign ones at the other end: echo 1 >%s", path);
	if (on)
		found(l, RECORD_NOTE, "the kernel sends some by %s itself, which has IPv6", name);
	else
		found(l, RECORD_OK, "none by IPv6");
}

static const struct {
	const char *what;
	void (*look)(struct looking *l);
} checks[] = {
	{"driver", driver},
	{"firmware", firmware},
	{"link", link_speed},
	{"MTU", mtu},
	{"NUMA", numa},
	{"queues", queues},
	{"offloads", offloads},
	{"promiscuous", promiscuous},
	{"flow control", flow_control},
	{"priority flow control", priority_flow_control},
	{"kernel's frames", kernels_frames},
};

void selftest_check(const struct dev *d, const struct selftest_place *at, struct record_findings *f)
{
	struct looking l = {.d = d, .at = at, .f = f};

	if (rte_eth_dev_info_get(d->id, &l.info) != 0)
		return; // dev_open has had it
	l.virtual = strcmp(rte_bus_name(rte_dev_bus(l.info.device)), "vdev") == 0;
	for (unsigned i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		l.what = checks[i].what;
		*l.advice = '\0';
		checks[i].look(&l);
	}
}
