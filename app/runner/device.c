// SPDX-License-Identifier: BSD-3-Clause
// Finds a port of this machine that a command line names, and asks the kernel about its interface.
#include "device.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ifaces.h"
#include "wire/pkt.h"

#define SYS "/sys"

// Reads a number from /sys/class/net/NAME/FILE; 0: there is none.
static unsigned long number_of(const char *name, const char *file)
{
	char path[400], line[32] = "";
	FILE *f;
	long n = 0;

	snprintf(path, sizeof(path), SYS "/class/net/%s/%s", name, file);
	f = fopen(path, "r");
	if (f && fgets(line, sizeof(line), f))
		n = atol(line);
	if (f)
		fclose(f);
	return n > 0 ? (unsigned long)n : 0;
}

static void take_ip6(struct device *d, const struct sockaddr_in6 *a)
{
	if (!*d->ip6 && !IN6_IS_ADDR_LINKLOCAL(&a->sin6_addr))
		inet_ntop(AF_INET6, &a->sin6_addr, d->ip6, sizeof(d->ip6));
}

static void take_address(struct device *d, const struct sockaddr *a)
{
	const struct sockaddr_ll *ll = (const void *)a;

	if (a->sa_family == AF_INET && !*d->ip)
		inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)a)->sin_addr, d->ip,
			sizeof(d->ip));
	else if (a->sa_family == AF_INET6)
		take_ip6(d, (const void *)a);
	else if (a->sa_family == AF_PACKET && ll->sll_halen == 6)
		units_format_mac(ll->sll_addr, d->mac, sizeof(d->mac));
}

static void ask_kernel(struct device *d, const char *name)
{
	struct ifaddrs *all = NULL;

	d->speed = number_of(name, "speed") * 1000000;
	d->mtu = (unsigned)number_of(name, "mtu");
	if (d->mtu)
		d->mtu = d->mtu < PKT_MAX_LEN - 14 - PKT_FCS ? d->mtu + 14 + PKT_FCS : PKT_MAX_LEN;
	if (getifaddrs(&all))
		return;
	for (const struct ifaddrs *i = all; i; i = i->ifa_next) {
		if (!i->ifa_addr || strcmp(i->ifa_name, name) != 0)
			continue;
		d->is_down = !(i->ifa_flags & IFF_UP);
		take_address(d, i->ifa_addr);
	}
	freeifaddrs(all);
}

// Devices of DPDK are virtual ones (net_tap0), with arguments, or PCI addresses.
static bool is_dpdk(const char *word)
{
	return !strncmp(word, "net_", 4) || strpbrk(word, ",:");
}

bool device_find(struct device *d, const char *word, unsigned number)
{
	const char *iface = strstr(word, "iface=");
	char name[IF_NAMESIZE] = "";

	*d = (struct device){0};
	snprintf(d->name, sizeof(d->name), "%s", word);
	if (is_dpdk(word)) {
		snprintf(d->text, sizeof(d->text), "%s", word);
		if (iface)
			snprintf(name, sizeof(name), "%.*s", (int)strcspn(iface + 6, ","),
				iface + 6);
	} else if (ifaces_device(SYS, word, number, d->text, sizeof(d->text))) {
		snprintf(name, sizeof(name), "%s", word);
	} else {
		return false;
	}
	if (*name)
		ask_kernel(d, name);
	return true;
}

bool device_rate(const char *word, uint64_t *rate)
{
	static const char letters[] = "kmgt", units[] = "KMGT";
	size_t n = strlen(word);
	char text[64];
	const char *at;

	if (!n || n > sizeof(text) - 5)
		return false;
	at = strchr(letters, word[n - 1] | 0x20);
	if (!at || !*at)
		return !units_parse(UNITS_RATE, word, rate);
	snprintf(text, sizeof(text), "%.*s%cbps", (int)n - 1, word, units[at - letters]);
	return !units_parse(UNITS_RATE, text, rate);
}

int device_speed(const struct device *d, const char *speed, uint64_t *rate, struct err *err)
{
	if (speed && !device_rate(speed, rate))
		return err_set(err, -EINVAL, "--speed %s: write a rate, as in 25G", speed);
	if (speed)
		return 0;
	*rate = d->speed;
	if (*rate)
		return 0;
	if (d->is_down)
		return err_set(err, -EINVAL, "%s is down; `ip link set %s up` starts it", d->name,
			d->name);
	return err_set(err, -EINVAL,
		"the kernel does not know the speed of %s; give it, as in --speed 25G", d->name);
}
