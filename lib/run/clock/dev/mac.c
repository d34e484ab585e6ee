// SPDX-License-Identifier: BSD-3-Clause
// Pause frames that the MAC of a device counts: by the kernel's interface beside a driver that
// shares the card with the kernel (mlx5), or below net_af_packet, net_af_xdp and net_pcap.
#include "mac.h"

#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include <rte_ethdev.h>

#include "iface/iface.h"

// The device's own interface, or the interface of its PCI function, or the one that it was given.
static bool find_interface(const struct dev *d, char *name)
{
	char pci[RTE_ETH_NAME_MAX_LEN];

	if (*d->lost.interface) {
		snprintf(name, IFNAMSIZ, "%s", d->lost.interface);
		return true;
	}
	if (eal_pci(d->port->device, pci, sizeof(pci)))
		return iface_of_pci("/sys", pci, name);
	return dev_arg(d->port->device, "iface", name, IFNAMSIZ);
}

void dev_mac_find(struct dev *d)
{
	char name[IFNAMSIZ];
	struct record_mac mac;

	*d->lost.mac_interface = '\0';
	if (!find_interface(d, name))
		return;
	iface_mac(name, &mac);
	if (mac.known)
		snprintf(d->lost.mac_interface, sizeof(d->lost.mac_interface), "%s", name);
}

void dev_mac_begin(struct dev *d)
{
	if (*d->lost.mac_interface)
		iface_mac(d->lost.mac_interface, &d->mac_from);
}

void dev_mac_take(struct dev *d)
{
	struct record_mac now;

	if (!*d->lost.mac_interface)
		return;
	iface_mac(d->lost.mac_interface, &now);
	if (now.known && d->mac_from.known) // else its interface is gone
		iface_mac_since(&now, &d->mac_from, &d->lost.mac);
}
