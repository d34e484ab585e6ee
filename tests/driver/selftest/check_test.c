// SPDX-License-Identifier: BSD-3-Clause
// The self-test against a device that refuses, lies and eats PFC. Debian ships no headers for
// drivers of ethdev, so there is no vdev of our own: it is a net_ring whose answers are taken over
// at the calls (ld --wrap) and whose frames pass a callback of DPDK.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "../eal_lab.h"
#include "selftest/selftest.h"

// The behaviour of the device.
static struct {
	int promiscuous_is;  // -1: as the driver says
	int promiscuous_set; // answer
	int fc_get, fc_set;
	enum rte_eth_fc_mode fc_mode; // that it has whatever it is told
	int pfc_set;
	int mtu_get, mtu_set;
	uint16_t mtu;
	uint32_t speed; // 0: as the driver says
	bool down, half;
	int node;
	uint64_t rx_offloads;
	bool eats_pfc, filters, obeys;
	bool xoff; // obeys: it was told to stop
	bool pci;  // its name is a PCI address
	const struct dev *dev;
	bool not_owed; // XOFF or XON left where a crash then would not have let the peer go
} mock;

int __wrap_rte_eth_promiscuous_get(uint16_t id);
int __wrap_rte_eth_promiscuous_enable(uint16_t id);
int __wrap_rte_eth_dev_flow_ctrl_get(uint16_t id, struct rte_eth_fc_conf *fc);
int __wrap_rte_eth_dev_flow_ctrl_set(uint16_t id, struct rte_eth_fc_conf *fc);
int __wrap_rte_eth_dev_priority_flow_ctrl_set(uint16_t id, struct rte_eth_pfc_conf *pfc);
int __wrap_rte_eth_dev_get_mtu(uint16_t id, uint16_t *mtu);
int __wrap_rte_eth_dev_set_mtu(uint16_t id, uint16_t mtu);
int __wrap_rte_eth_link_get_nowait(uint16_t id, struct rte_eth_link *link);
int __wrap_rte_eth_dev_socket_id(uint16_t id);
int __wrap_rte_eth_dev_conf_get(uint16_t id, struct rte_eth_conf *conf);
const char *__wrap_rte_bus_name(const struct rte_bus *bus);
bool __wrap_eal_pci(const char *device, char *name, size_t size);

int __wrap_rte_eth_promiscuous_get(uint16_t id)
{
	(void)id;
	return mock.promiscuous_is;
}

int __wrap_rte_eth_promiscuous_enable(uint16_t id)
{
	(void)id;
	return mock.promiscuous_set;
}

int __wrap_rte_eth_dev_flow_ctrl_get(uint16_t id, struct rte_eth_fc_conf *fc)
{
	(void)id;
	*fc = (struct rte_eth_fc_conf){.mode = mock.fc_mode, .mac_ctrl_frame_fwd = 1};
	return mock.fc_get;
}

int __wrap_rte_eth_dev_flow_ctrl_set(uint16_t id, struct rte_eth_fc_conf *fc)
{
	(void)id;
	(void)fc;
	return mock.fc_set;
}

int __wrap_rte_eth_dev_priority_flow_ctrl_set(uint16_t id, struct rte_eth_pfc_conf *pfc)
{
	(void)id;
	assert_int_equal(pfc->fc.mode, RTE_ETH_FC_NONE);
	return mock.pfc_set;
}

int __wrap_rte_eth_dev_get_mtu(uint16_t id, uint16_t *mtu)
{
	(void)id;
	*mtu = mock.mtu;
	return mock.mtu_get;
}

int __wrap_rte_eth_dev_set_mtu(uint16_t id, uint16_t mtu)
{
	(void)id;
	(void)mtu;
	return mock.mtu_set;
}

int __wrap_rte_eth_link_get_nowait(uint16_t id, struct rte_eth_link *link)
{
	(void)id;
	*link = (struct rte_eth_link){
		.link_speed = mock.speed, .link_status = !mock.down, .link_duplex = !mock.half};
	return 0;
}

int __wrap_rte_eth_dev_socket_id(uint16_t id)
{
	(void)id;
	return mock.node;
}

int __wrap_rte_eth_dev_conf_get(uint16_t id, struct rte_eth_conf *conf)
{
	(void)id;
	*conf = (struct rte_eth_conf){.rxmode.offloads = mock.rx_offloads};
	return 0;
}

// It plays hardware.
const char *__wrap_rte_bus_name(const struct rte_bus *bus)
{
	(void)bus;
	return "pci";
}

bool __wrap_eal_pci(const char *device, char *name, size_t size)
{
	(void)device;
	(void)name;
	(void)size;
	return mock.pci;
}

static bool is_pfc(const uint8_t *b)
{
	return b[12] == 0x88 && b[13] == 0x08;
}

// Frames on their way into the process. A MAC that obeys keeps what follows an XOFF until an XON.
static uint16_t coming(
	uint16_t id, uint16_t queue, struct rte_mbuf **m, uint16_t n, uint16_t max, void *arg)
{
	static struct rte_mbuf *kept[EAL_BURST];
	static unsigned n_kept;
	uint16_t out = 0;

	(void)id;
	(void)queue;
	(void)arg;
	for (uint16_t i = 0; i < n; i++) {
		const uint8_t *b = rte_pktmbuf_mtod(m[i], const uint8_t *);
		bool pfc = is_pfc(b);

		if (pfc)
			mock.xoff = b[18] | b[19];
		if (pfc ? mock.eats_pfc : mock.filters && b[0] == 2)
			rte_pktmbuf_free(m[i]);
		else if (!pfc && mock.obeys && mock.xoff && n_kept < EAL_BURST)
			kept[n_kept++] = m[i];
		else
			m[out++] = m[i];
	}
	while (!mock.xoff && n_kept && out < max)
		m[out++] = kept[--n_kept];
	return out;
}

// Frames on their way out.
static uint16_t leaving(uint16_t id, uint16_t queue, struct rte_mbuf **m, uint16_t n, void *arg)
{
	(void)id;
	(void)queue;
	(void)arg;
	for (uint16_t i = 0; i < n; i++)
		mock.not_owed |= is_pfc(rte_pktmbuf_mtod(m[i], const uint8_t *)) &&
				 !mbuf_told_owed(&mock.dev->told);
	return n;
}

static int start(void **state)
{
	(void)state;
	return eallab_start("net_ring0", 10 * RATE_GBPS);
}

// A device that does as it is told.
static int good(void **state)
{
	(void)state;
	memset(&mock, 0, sizeof(mock));
	mock.promiscuous_is = 1;
	mock.fc_get = mock.pfc_set = -ENOTSUP;
	mock.mtu = 1500;
	mock.speed = 10000;
	port.selftest = SCENE_SELFTEST_NONE;
	return 0;
}

static struct record_findings look(int pool_node, int lcore_node)
{
	struct selftest_place at = {.lcore = 1, .lcore_node = lcore_node, .pool_node = pool_node};
	struct watch *w;
	struct record_findings f = {0};
	struct err err = {0};
	struct dev d;

	if (dev_open(&d, &port, pool, &err) || dev_start(&d, &err))
		fail_msg("%s", err.text);
	rte_eth_add_rx_callback(d.id, 0, coming, NULL);
	rte_eth_add_tx_callback(d.id, 0, leaving, NULL);
	mock.dev = &d;
	mock.pci = true;
	assert_int_equal(watch_new(&w, &d, 1), 0);
	mock.pci = false;
	at.watch = w;
	selftest_check(&d, &at, &f);
	watch_free(w);
	selftest_probe(&d, 1, NULL, &f);
	assert_false(mbuf_told_owed(&d.told)); // it ends with an XON
	assert_false(mock.not_owed);
	dev_stop(&d);
	dev_close(&d);
	return f;
}

static const struct record_finding *line_of(const struct record_findings *f, const char *what)
{
	for (unsigned i = 0; i < f->n; i++)
		if (strcmp(f->line[i].what, what) == 0)
			return &f->line[i];
	fail_msg("no line \"%s\"", what);
	return NULL;
}

// One line is as said, and no other is worse than a note.
static void only(struct record_findings f, const char *what, enum record_verdict verdict,
	const char *words, const char *advice)
{
	const struct record_finding *l = line_of(&f, what);

	assert_string_equal(l->subject, "s:r");
	if (l->verdict != verdict || !strstr(l->found, words) || !strstr(l->advice, advice))
		fail_msg("%s: %s; %s", record_verdict_names[l->verdict], l->found, l->advice);
	for (unsigned i = 0; i < f.n; i++)
		if (&f.line[i] != l && f.line[i].verdict > RECORD_NOTE)
			fail_msg("%s: %s", f.line[i].what, f.line[i].found);
	record_finding_free(&f);
}

static void a_good_device_has_no_fault(void **state)
{
	(void)state;
	port.selftest = SCENE_SELFTEST_LOOP;
	only(look(0, 0), "driver", RECORD_OK, "net_ring", "");
	only(look(0, 0), "kernel's frames", RECORD_OK, "none: no interface", "");
	only(look(0, 0), "PFC frames", RECORD_OK, "s:r arrives", "");
	only(look(0, 0), "foreign frames", RECORD_OK, "arrives", "");
	only(look(0, 0), "MAC under XOFF", RECORD_OK, "16 left it, 0 more", "");
}

static void promiscuous_is_refused_or_a_lie(void **state)
{
	(void)state;
	mock.promiscuous_is = 0;
	mock.promiscuous_set = -EPERM;
	only(look(0, 0), "promiscuous", RECORD_BAD, "refuses it: Operation not permitted", "trust");
	mock.promiscuous_set = 0;
	only(look(0, 0), "promiscuous", RECORD_BAD, "although the driver agreed", "promisc on");
}

static void flow_control_is_refused_or_a_lie(void **state)
{
	(void)state;
	mock.fc_get = 0;
	mock.fc_mode = RTE_ETH_FC_FULL;
	mock.fc_set = -EIO;
	only(look(0, 0), "flow control", RECORD_BAD, "refuses", "ethtool -A");
	mock.fc_set = 0;
	only(look(0, 0), "flow control", RECORD_BAD, "on, although", "ethtool -A");
	mock.fc_mode = RTE_ETH_FC_NONE;
	only(look(0, 0), "flow control", RECORD_OK, "off", "");
}

static void priority_flow_control_is_refused(void **state)
{
	(void)state;
	mock.pfc_set = -EIO;
	only(look(0, 0), "priority flow control", RECORD_WARNING, "refuses", "selftest");
	mock.pfc_set = 0;
	only(look(0, 0), "priority flow control", RECORD_OK, "off, as the driver says", "");
}

static void the_mtu_is_refused(void **state)
{
	struct err err = {0};
	struct dev d;

	(void)state;
	mock.mtu = 1000;
	mock.mtu_set = -ENOTSUP; // the device cannot be asked, and stays as it is
	only(look(0, 0), "MTU", RECORD_BAD, "1000, frames of 1518 bytes need 1500", "mtu: 1018");
	mock.mtu_set = -EINVAL;
	assert_int_equal(dev_find(&d, &port, false, &err), -EMSGSIZE);
	dev_close(&d);
}

static void a_link_that_is_less_than_the_rate(void **state)
{
	(void)state;
	mock.speed = 1000;
	only(look(0, 0), "link", RECORD_WARNING, "1000 Mb/s, less than the 10000 Mb/s",
		"rate: 1000Mbps");
	mock.speed = 10000;
	mock.half = true;
	only(look(0, 0), "link", RECORD_BAD, "10000 Mb/s, half duplex",
		"set the other end to full duplex");
	mock.speed = 10;
	only(look(0, 0), "link", RECORD_BAD, "10 Mb/s, half duplex", "full duplex");
	mock.speed = RTE_ETH_SPEED_NUM_UNKNOWN;
	only(look(0, 0), "link", RECORD_OK, "no real speed", "");
	mock.speed = 0; // nor is the duplex of such a driver to be believed
	only(look(0, 0), "link", RECORD_OK, "no real speed", "");
	mock.down = true;
	only(look(0, 0), "link", RECORD_WARNING, "no link: device \"net_ring0\" says so", "cable");
}

static void memory_on_another_node(void **state)
{
	(void)state;
	mock.node = 1;
	only(look(1, 0), "NUMA", RECORD_WARNING, "port on node 1, lcore 1 on node 0", "lcore:");
	only(look(0, 1), "NUMA", RECORD_WARNING, "pool on node 0", "hugepages on node 1");
	only(look(1, 1), "NUMA", RECORD_OK, "node 1", "");
}

static void an_offload_that_changes_frames(void **state)
{
	(void)state;
	mock.rx_offloads = RTE_ETH_RX_OFFLOAD_VLAN_STRIP;
	only(look(0, 0), "offloads", RECORD_BAD, "VLAN_STRIP", "rxvlan off");
}

static void pfc_is_eaten(void **state)
{
	(void)state;
	port.selftest = SCENE_SELFTEST_LOOP;
	mock.eats_pfc = true;
	only(look(0, 0), "PFC frames", RECORD_BAD,
		"does not arrive, a frame of another type arrives", "eats MAC control frames");
}

// It says that it is promiscuous, and only a frame shows that it is not.
static void addresses_are_filtered_all_the_same(void **state)
{
	(void)state;
	port.selftest = SCENE_SELFTEST_LOOP;
	mock.filters = true;
	only(look(0, 0), "foreign frames", RECORD_BAD, "does not arrive", "promisc on");
}

static void the_mac_stops_on_xoff(void **state)
{
	(void)state;
	port.selftest = SCENE_SELFTEST_LOOP;
	mock.obeys = true;
	only(look(0, 0), "MAC under XOFF", RECORD_BAD, "0 left it, 16 more after XON", "mlnx_qos");
}

static void no_frame_comes_back(void **state)
{
	(void)state;
	port.selftest = SCENE_SELFTEST_PEER; // there is none
	only(look(0, 0), "PFC frames", RECORD_WARNING, "no frame comes", "selftest: none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_good_device_has_no_fault, good),
		cmocka_unit_test_setup(promiscuous_is_refused_or_a_lie, good),
		cmocka_unit_test_setup(flow_control_is_refused_or_a_lie, good),
		cmocka_unit_test_setup(priority_flow_control_is_refused, good),
		cmocka_unit_test_setup(the_mtu_is_refused, good),
		cmocka_unit_test_setup(a_link_that_is_less_than_the_rate, good),
		cmocka_unit_test_setup(memory_on_another_node, good),
		cmocka_unit_test_setup(an_offload_that_changes_frames, good),
		cmocka_unit_test_setup(pfc_is_eaten, good),
		cmocka_unit_test_setup(addresses_are_filtered_all_the_same, good),
		cmocka_unit_test_setup(the_mac_stops_on_xoff, good),
		cmocka_unit_test_setup(no_frame_comes_back, good),
	};

	return cmocka_run_group_tests(tests, start, eallab_finish);
}
