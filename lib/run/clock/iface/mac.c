// SPDX-License-Identifier: BSD-3-Clause
// The pause frames that a MAC counts, by the names of drivers of Linux: mlx5, ice, i40e, ixgbe,
// bnxt_en.
//
// The names are those of the drivers' tables of strings in Linux 6.1 (mlx5: en_stats.c, ice:
// ice_ethtool.c, i40e: i40e_ethtool.c, ixgbe: ixgbe_ethtool.c, bnxt_en: bnxt_ethtool.c). Drivers
// that count XON and XOFF apart have two names for each class, whose counters are added. A PFC
// frame that names several classes counts once for each.
#include "mac.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "ethtool.h"

enum what {
	RX_PFC,
	TX_PFC,
	RX_PAUSE,
	TX_PAUSE,
	RX_TIME, // us for which received frames stopped the class
	RX_LINK, // mlx5: pause frames of the physical port, where it tells of no other
	TX_LINK,
};

struct name {
	const char *text; // '%': the number of the class
	enum what what;
};

static const struct name names[] = {
	// mlx5
	{"rx_prio%_pause", RX_PFC},
	{"tx_prio%_pause", TX_PFC},
	{"rx_prio%_pause_duration", RX_TIME},
	{"rx_global_pause", RX_PAUSE},
	{"tx_global_pause", TX_PAUSE},
	{"rx_pause_ctrl_phy", RX_LINK},
	{"tx_pause_ctrl_phy", TX_LINK},
	// ice
	{"rx_priority_%_xon.nic", RX_PFC},
	{"rx_priority_%_xoff.nic", RX_PFC},
	{"tx_priority_%_xon.nic", TX_PFC},
	{"tx_priority_%_xoff.nic", TX_PFC},
	{"link_xon_rx.nic", RX_PAUSE},
	{"link_xoff_rx.nic", RX_PAUSE},
	{"link_xon_tx.nic", TX_PAUSE},
	{"link_xoff_tx.nic", TX_PAUSE},
	// i40e
	{"port.rx_priority_%_xon_rx", RX_PFC},
	{"port.rx_priority_%_xoff_rx", RX_PFC},
	{"port.tx_priority_%_xon_tx", TX_PFC},
	{"port.tx_priority_%_xoff_tx", TX_PFC},
	{"port.link_xon_rx", RX_PAUSE},
	{"port.link_xoff_rx", RX_PAUSE},
	{"port.link_xon_tx", TX_PAUSE},
	{"port.link_xoff_tx", TX_PAUSE},
	// older i40e
	{"port.rx_priority_%_xon", RX_PFC},
	{"port.rx_priority_%_xoff", RX_PFC},
	{"port.tx_priority_%_xon", TX_PFC},
	{"port.tx_priority_%_xoff", TX_PFC},
	// bnxt_en
	{"rx_pfc_ena_frames_pri%", RX_PFC},
	{"tx_pfc_ena_frames_pri%", TX_PFC},
	{"pfc_pri%_rx_duration_us", RX_TIME},
	{"rx_pause_frames", RX_PAUSE},
	{"tx_pause_frames", TX_PAUSE},
	// ixgbe
	{"rx_pb_%_pxon", RX_PFC},
	{"rx_pb_%_pxoff", RX_PFC},
	{"tx_pb_%_pxon", TX_PFC},
	{"tx_pb_%_pxoff", TX_PFC},
	{"rx_flow_control_xon", RX_PAUSE},
	{"rx_flow_control_xoff", RX_PAUSE},
	{"tx_flow_control_xon", TX_PAUSE},
	{"tx_flow_control_xoff", TX_PAUSE},
};

#define NAMES (sizeof(names) / sizeof(names[0]))

// Returns whether `name` is `text` with the digit of a class, 0 to 7, for '%'; *cls: that class.
static bool fits(const char *text, const char *name, unsigned *cls)
{
	for (; *text; text++, name++) {
		bool digit = *name >= '0' && *name <= '7';

		if (*text == '%' ? !digit : *text != *name)
			return false;
		if (*text == '%')
			*cls = (unsigned)(*name - '0');
	}
	return !*name;
}

static void add_value(struct record_mac *m, enum what what, unsigned cls, uint64_t value)
{
	m->known = true;
	m->own |= what != RX_LINK && what != TX_LINK;
	switch (what) {
	case RX_PFC:
		m->rx_pfc[cls] += value;
		break;
	case TX_PFC:
		m->tx_pfc[cls] += value;
		break;
	case RX_PAUSE:
		m->rx_pause += value;
		break;
	case TX_PAUSE:
		m->tx_pause += value;
		break;
	case RX_TIME:
		m->time_known = true;
		m->rx_paused_us[cls] += value;
		break;
	case RX_LINK:
		m->rx_link = value;
		break;
	case TX_LINK:
		m->tx_link = value;
		break;
	}
}

bool iface_mac_add(struct record_mac *mac, const char *name, uint64_t value)
{
	unsigned cls = 0;

	for (size_t i = 0; i < NAMES; i++)
		if (fits(names[i].text, name, &cls)) {
			add_value(mac, names[i].what, cls, value);
			return true;
		}
	return false;
}

// mlx5 tells of rx_global_pause only where PAUSE is on, and of rx_prioN_pause only where PFC is on
// for the class. Its count of the whole physical port stands in for both.
void iface_mac_end(struct record_mac *mac)
{
	if (mac->own)
		return;
	mac->rx_pause = mac->rx_link;
	mac->tx_pause = mac->tx_link;
}

// The first entry of a folder that is no hidden one.
static bool first_of(const char *path, char *name, size_t size)
{
	DIR *dir = opendir(path);
	const struct dirent *e;

	*name = '\0';
	while (dir && !*name && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			snprintf(name, size, "%s", e->d_name);
	if (dir)
		closedir(dir);
	return *name;
}

bool iface_of_pci(const char *sys, const char *pci, char name[IFNAMSIZ])
{
	char path[256], found[256];

	snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/net", sys, pci);
	if (!first_of(path, found, sizeof(found)) || strlen(found) >= IFNAMSIZ)
		return false;
	memcpy(name, found, strlen(found) + 1);
	return true;
}

void iface_mac(const char *interface, struct record_mac *mac)
{
	struct iface_stats s;

	*mac = (struct record_mac){0};
	if (iface_stats_read(interface, &s))
		return;
	for (unsigned i = 0; i < s.n; i++)
		iface_mac_add(mac, s.name[i], s.value[i]);
	iface_stats_free(&s);
	iface_mac_end(mac);
}

static uint64_t since(uint64_t now, uint64_t from)
{
	return now >= from ? now - from : now;
}

void iface_mac_since(
	const struct record_mac *now, const struct record_mac *from, struct record_mac *to)
{
	*to = *now;
	to->rx_pause = since(now->rx_pause, from->rx_pause);
	to->tx_pause = since(now->tx_pause, from->tx_pause);
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		to->rx_pfc[c] = since(now->rx_pfc[c], from->rx_pfc[c]);
		to->tx_pfc[c] = since(now->tx_pfc[c], from->tx_pfc[c]);
		to->rx_paused_us[c] = since(now->rx_paused_us[c], from->rx_paused_us[c]);
	}
}
