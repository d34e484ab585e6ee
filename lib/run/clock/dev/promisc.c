// SPDX-License-Identifier: BSD-3-Clause
// Promiscuous mode of a real port: by a socket's membership at an interface of the kernel, else by
// the driver.
//
// net_af_packet and net_af_xdp would set and clear the flag that is the user's. A membership goes
// with the process, however that ends, and the user's flag stays as it is.
#include "promisc.h"

#include <linux/if_packet.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_ethdev.h>

#include "dev.h"

static int open_socket(void)
{
	return socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
}

static bool flags_of(int s, unsigned kernel, struct ifreq *ifr)
{
	memset(ifr, 0, sizeof(*ifr));
	return s >= 0 && kernel && if_indextoname(kernel, ifr->ifr_name) &&
	       ioctl(s, SIOCGIFFLAGS, ifr) == 0;
}

bool dev_promisc_user(unsigned kernel)
{
	int s = open_socket();
	struct ifreq ifr;
	bool is = flags_of(s, kernel, &ifr) && ifr.ifr_flags & IFF_PROMISC;

	if (s >= 0)
		close(s);
	return is;
}

// A membership. False: the driver has to do it.
static bool join(struct dev *d, unsigned kernel, bool user)
{
	const struct packet_mreq all = {.mr_ifindex = (int)kernel, .mr_type = PACKET_MR_PROMISC};
	char pci[RTE_ETH_NAME_MAX_LEN];
	struct ifreq ifr;
	int s;

	if (!kernel || eal_pci(d->port->device, pci, sizeof(pci)))
		return false;
	s = open_socket();
	if (s < 0 || setsockopt(s, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof(all)) != 0) {
		if (s >= 0)
			close(s);
		return false;
	}
	if (user && flags_of(s, kernel, &ifr) && !(ifr.ifr_flags & IFF_PROMISC)) {
		ifr.ifr_flags |= IFF_PROMISC;
		ioctl(s, SIOCSIFFLAGS, &ifr);
	}
	d->member = s;
	return true;
}

void dev_promisc_on(struct dev *d, unsigned kernel, bool user)
{
	d->asked.promiscuous = DEV_NOT_ASKED;
	if (join(d, kernel, user) || rte_eth_promiscuous_get(d->id) != 0)
		return;
	d->asked.promiscuous = rte_eth_promiscuous_enable(d->id);
	d->promiscuous = d->asked.promiscuous == 0;
}

void dev_promisc_off(struct dev *d)
{
	if (d->member >= 0)
		close(d->member);
	d->member = -1;
	if (d->promiscuous && !d->gone)
		rte_eth_promiscuous_disable(d->id);
}
