// SPDX-License-Identifier: BSD-3-Clause
// The links of real ports: by the kernel where it has an interface of them, else by DPDK.
#include "watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rte_ethdev.h>

#include "iface/iface.h"

#define POLL_MS 10 // between two looks at what DPDK says
#define MBPS    1000000u

enum {
	OWN,
	REMOTE,
	IFACES
}; // of a device: its interface, and the interface at a net_tap's other end

struct watched {
	const struct dev *dev;
	bool tap;      // its interface is a kernel's own end: it works in any namespace
	bool polled;   // DPDK is asked
	bool up, gone; // as DPDK says
	bool has_wire; // speed and duplex are those of a wire
};

struct watch {
	int socket; // of netlink; -1: none
	unsigned n;
	uint64_t next_ms; // when DPDK is asked again
	struct watched *port;
	struct iface *iface; // IFACES of each port
};

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void poll_dpdk(struct watch *w)
{
	uint64_t now = now_ms();

	if (now < w->next_ms)
		return;
	w->next_ms = now + POLL_MS;
	for (unsigned i = 0; i < w->n; i++) {
		struct watched *p = &w->port[i];
		struct rte_eth_link link = {0};

		if (!p->polled || p->gone)
			continue;
		// A driver that says nothing of its link has none that could go down.
		p->up = rte_eth_link_get_nowait(p->dev->id, &link) != 0 || link.link_status;
		p->gone = rte_eth_dev_is_removed(p->dev->id) == 1;
	}
}

static void watch_iface(struct iface *i, unsigned index)
{
	i->index = index;
	i->present = index && if_indextoname(index, i->name);
}

static void watch_port(struct watch *w, unsigned i, const struct dev *d)
{
	struct watched *p = &w->port[i];
	struct rte_eth_dev_info info = {0};
	char remote[IFNAMSIZ], pci[RTE_ETH_NAME_MAX_LEN];

	p->dev = d;
	p->has_wire = eal_pci(d->port->device, pci, sizeof(pci));
	p->polled = p->up = true;
	if (p->has_wire || w->socket < 0 || rte_eth_dev_info_get(d->id, &info) != 0 ||
		!info.if_index)
		return;
	p->polled = false;
	p->tap = strcmp(info.driver_name, "net_tap") == 0;
	watch_iface(&w->iface[i * IFACES + OWN], info.if_index);
	if (p->tap && dev_arg(d->port->device, "remote", remote, sizeof(remote)))
		watch_iface(&w->iface[i * IFACES + REMOTE], if_nametoindex(remote));
}

int watch_new(struct watch **out, const struct dev *dev, unsigned n)
{
	struct watch *w = calloc(1, sizeof(*w));
	int rc = 0;

	*out = w;
	if (!w)
		return -ENOMEM;
	w->n = n;
	w->port = calloc(n + 1, sizeof(*w->port));
	w->iface = calloc((n + 1) * IFACES, sizeof(*w->iface));
	w->socket = iface_open();
	if (!w->port || !w->iface) {
		watch_free(w);
		*out = NULL;
		return -ENOMEM;
	}
	if (w->socket < 0)
		rc = w->socket;
	for (unsigned i = 0; i < n; i++)
		watch_port(w, i, &dev[i]);
	if (!rc)
		rc = iface_ask(w->socket);
	if (!rc)
		rc = iface_await(w->socket, w->iface, n * IFACES);
	for (unsigned i = 0; rc && i < n; i++)
		w->port[i].polled = true;
	poll_dpdk(w);
	return rc;
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	if (w->socket >= 0)
		close(w->socket);
	free(w->port);
	free(w->iface);
	free(w);
}

void watch_look(struct watch *w)
{
	if (w->socket >= 0)
		iface_poll(w->socket, w->iface, w->n * IFACES);
	poll_dpdk(w);
}

int watch_news(const struct watch *w)
{
	return w->socket;
}

// Returns whether the interface of a net_tap was moved to another namespace. The device still
// works, but its link can no longer be seen.
static bool is_out_of_sight(const struct watched *p, const struct iface *f)
{
	return !f->index || (p->tap && f->moved);
}

static enum watch_link link_of(const struct watched *p, const struct iface *f)
{
	if (is_out_of_sight(p, f))
		return WATCH_UP;
	if (!f->present)
		return WATCH_GONE;
	return f->up && f->carrier ? WATCH_UP : WATCH_DOWN;
}

enum watch_link watch_link(const struct watch *w, unsigned i)
{
	const struct watched *p = &w->port[i];
	const struct iface *f = &w->iface[i * IFACES];

	if (p->gone)
		return WATCH_GONE;
	if (p->polled)
		return p->up ? WATCH_UP : WATCH_DOWN;
	if (link_of(p, &f[OWN]) == WATCH_UP)
		return link_of(p, &f[REMOTE]);
	return link_of(p, &f[OWN]);
}

char *watch_why(const struct watch *w, unsigned i, char *buf, size_t size)
{
	const struct watched *p = &w->port[i];
	const struct iface *f = &w->iface[i * IFACES];

	if (!p->polled && link_of(p, f) == WATCH_UP)
		f++;
	if (p->gone)
		snprintf(buf, size, "device \"%s\" was removed", p->dev->port->device);
	else if (p->polled)
		snprintf(buf, size, "device \"%s\" says so", p->dev->port->device);
	else if (!f->present)
		snprintf(buf, size, "interface %s was removed", f->name);
	else if (!f->up)
		snprintf(
			buf, size, "interface %s is down: ip link set dev %s up", f->name, f->name);
	else
		snprintf(buf, size, "interface %s has no carrier: is its other end up?", f->name);
	return buf;
}

uint32_t watch_mtu(const struct watch *w, unsigned i, const char **name)
{
	const struct iface *f = &w->iface[i * IFACES];
	uint32_t mtu = 0;

	*name = "";
	for (unsigned k = 0; k < IFACES; k++)
		if (f[k].present && f[k].mtu && (!mtu || f[k].mtu < mtu)) {
			mtu = f[k].mtu;
			*name = f[k].name;
		}
	return mtu;
}

uint64_t watch_speed(const struct watch *w, unsigned i, bool *half_duplex)
{
	const struct watched *p = &w->port[i];
	const struct iface *f = &w->iface[i * IFACES];
	struct rte_eth_link link = {0};

	*half_duplex = false;
	if (!p->polled)
		return iface_speed((f[REMOTE].present ? &f[REMOTE] : &f[OWN])->name, half_duplex);
	if (!p->has_wire || rte_eth_link_get_nowait(p->dev->id, &link) != 0 || !link.link_status ||
		!link.link_speed || link.link_speed == RTE_ETH_SPEED_NUM_UNKNOWN)
		return 0;
	*half_duplex = link.link_duplex == RTE_ETH_LINK_HALF_DUPLEX;
	return (uint64_t)link.link_speed * MBPS;
}
