// SPDX-License-Identifier: BSD-3-Clause
// Pause frames of a MAC by the names of drivers: each name is one counter of one class, names that
// only resemble them are none.
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "iface/iface.h"

// Gives a MAC the same counter for classes 0 to 7, with values from `first` on.
static void add_classes(struct record_mac *m, const char *form, uint64_t first)
{
	char name[64];

	for (unsigned c = 0; c < 8; c++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(name, sizeof(name), form, c);
#pragma GCC diagnostic pop
		assert_true(iface_mac_add(m, name, first + c));
	}
}

static void mlx5_counts_frames_and_time_of_each_class(void **state)
{
	struct record_mac m = {0};

	(void)state;
	add_classes(&m, "rx_prio%u_pause", 10);
	add_classes(&m, "tx_prio%u_pause", 20);
	add_classes(&m, "rx_prio%u_pause_duration", 30);
	assert_false(iface_mac_add(&m, "tx_prio3_pause_duration", 1));
	assert_false(iface_mac_add(&m, "rx_prio3_pause_transition", 1));
	assert_false(iface_mac_add(&m, "rx_prio3_bytes", 1));
	assert_true(iface_mac_add(&m, "rx_pause_ctrl_phy", 99));
	iface_mac_end(&m);
	assert_true(m.known && m.own && m.time_known);
	assert_int_equal(m.rx_pfc[3], 13);
	assert_int_equal(m.tx_pfc[7], 27);
	assert_int_equal(m.rx_paused_us[0], 30);
	assert_int_equal(m.rx_pause, 0); // the port's count has the same frames once more
}

static void mlx5_without_flow_control_counts_the_port(void **state)
{
	struct record_mac m = {0};

	(void)state;
	assert_true(iface_mac_add(&m, "rx_pause_ctrl_phy", 9));
	assert_true(iface_mac_add(&m, "tx_pause_ctrl_phy", 4));
	iface_mac_end(&m);
	assert_true(m.known && !m.own && !m.time_known);
	assert_int_equal(m.rx_pause, 9);
	assert_int_equal(m.tx_pause, 4);
}

static void others_count_xon_and_xoff_apart(void **state)
{
	static const struct {
		const char *rx[2], *tx[2], *rx_link[2], *tx_link[2];
	} drivers[] = {
		{{"rx_priority_%u_xon.nic", "rx_priority_%u_xoff.nic"},
			{"tx_priority_%u_xon.nic", "tx_priority_%u_xoff.nic"},
			{"link_xon_rx.nic", "link_xoff_rx.nic"},
			{"link_xon_tx.nic", "link_xoff_tx.nic"}},
		{{"port.rx_priority_%u_xon_rx", "port.rx_priority_%u_xoff_rx"},
			{"port.tx_priority_%u_xon_tx", "port.tx_priority_%u_xoff_tx"},
			{"port.link_xon_rx", "port.link_xoff_rx"},
			{"port.link_xon_tx", "port.link_xoff_tx"}},
		{{"port.rx_priority_%u_xon", "port.rx_priority_%u_xoff"},
			{"port.tx_priority_%u_xon", "port.tx_priority_%u_xoff"},
			{"port.link_xon_rx", "port.link_xoff_rx"},
			{"port.link_xon_tx", "port.link_xoff_tx"}},
		{{"rx_pb_%u_pxon", "rx_pb_%u_pxoff"}, {"tx_pb_%u_pxon", "tx_pb_%u_pxoff"},
			{"rx_flow_control_xon", "rx_flow_control_xoff"},
			{"tx_flow_control_xon", "tx_flow_control_xoff"}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		struct record_mac m = {0};

		for (unsigned k = 0; k < 2; k++) {
			add_classes(&m, drivers[i].rx[k], 100 * k);
			add_classes(&m, drivers[i].tx[k], 1000 * k);
			assert_true(iface_mac_add(&m, drivers[i].rx_link[k], 3 + k));
			assert_true(iface_mac_add(&m, drivers[i].tx_link[k], 5 + k));
		}
		iface_mac_end(&m);
		assert_int_equal(m.rx_pfc[3], 3 + 103);
		assert_int_equal(m.tx_pfc[6], 6 + 1006);
		assert_int_equal(m.rx_pause, 7);
		assert_int_equal(m.tx_pause, 11);
		assert_false(m.time_known);
		assert_false(iface_mac_add(&m, "port.rx_priority_3_xon_2_xoff", 1));
	}
}

static void bnxt_counts_frames_that_enable_the_class(void **state)
{
	struct record_mac m = {0};

	(void)state;
	add_classes(&m, "rx_pfc_ena_frames_pri%u", 1);
	add_classes(&m, "tx_pfc_ena_frames_pri%u", 2);
	add_classes(&m, "pfc_pri%u_rx_duration_us", 40);
	assert_true(iface_mac_add(&m, "rx_pause_frames", 8));
	assert_true(iface_mac_add(&m, "tx_pause_frames", 9));
	assert_false(iface_mac_add(&m, "rx_pfc_frames", 100)); // the same frames, of all classes
	assert_false(iface_mac_add(&m, "pfc_pri3_tx_duration_us", 100));
	iface_mac_end(&m);
	assert_int_equal(m.rx_pfc[4], 5);
	assert_int_equal(m.tx_pfc[4], 6);
	assert_int_equal(m.rx_paused_us[4], 44);
	assert_int_equal(m.rx_pause, 8);
	assert_int_equal(m.tx_pause, 9);
}

static void no_other_name_counts(void **state)
{
	static const char *const others[] = {"", "rx_prio8_pause", "rx_prio_pause",
		"rx_prio33_pause", "rx_prio3_pauses", "xrx_prio3_pause", "rx_prio%_pause",
		"rx_packets"};
	struct record_mac m = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(iface_mac_add(&m, others[i], 1));
	iface_mac_end(&m);
	assert_false(m.known);
}

static void a_run_gets_the_difference(void **state)
{
	const struct record_mac from = {.known = true, .rx_pfc[3] = 5, .tx_pause = 10},
				now = {.known = true, .rx_pfc[3] = 9, .tx_pause = 4};
	struct record_mac d;

	(void)state;
	iface_mac_since(&now, &from, &d);
	assert_true(d.known);
	assert_int_equal(d.rx_pfc[3], 4);
	assert_int_equal(d.tx_pause, 4); // the driver was reset
}

static void a_pci_function_leads_to_its_interface(void **state)
{
	char root[] = "/tmp/quench-mac-XXXXXX", path[128], name[IFNAMSIZ];
	static const char *const folders[] = {"bus", "bus/pci", "bus/pci/devices",
		"bus/pci/devices/0000:3b:00.0", "bus/pci/devices/0000:3b:00.0/net",
		"bus/pci/devices/0000:3b:00.0/net/ens1f0np0"};
	const unsigned n = sizeof(folders) / sizeof(folders[0]);

	(void)state;
	assert_non_null(mkdtemp(root));
	for (unsigned i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", root, folders[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	assert_true(iface_of_pci(root, "0000:3b:00.0", name));
	assert_string_equal(name, "ens1f0np0");
	assert_false(iface_of_pci(root, "0000:3b:00.1", name));
	for (unsigned i = n; i > 0; i--) {
		snprintf(path, sizeof(path), "%s/%s", root, folders[i - 1]);
		assert_int_equal(rmdir(path), 0);
	}
	assert_int_equal(rmdir(root), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mlx5_counts_frames_and_time_of_each_class),
		cmocka_unit_test(mlx5_without_flow_control_counts_the_port),
		cmocka_unit_test(others_count_xon_and_xoff_apart),
		cmocka_unit_test(bnxt_counts_frames_that_enable_the_class),
		cmocka_unit_test(no_other_name_counts),
		cmocka_unit_test(a_run_gets_the_difference),
		cmocka_unit_test(a_pci_function_leads_to_its_interface),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
