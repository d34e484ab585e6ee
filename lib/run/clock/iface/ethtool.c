// SPDX-License-Identifier: BSD-3-Clause
// The answers of an interface's driver to ethtool's questions, by its ioctl.
#include "ethtool.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "conf/conf.h"

#define MBPS 1000000u

// Asks one question; `data` begins with its number and gets the answer.
static bool ask(const char *interface, void *data)
{
	struct ifreq r = {.ifr_data = data};
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool ok;

	snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", interface);
	ok = s >= 0 && ioctl(s, SIOCETHTOOL, &r) == 0;
	if (s >= 0)
		close(s);
	return ok;
}

bool iface_driver(const char *interface, char driver[IFACE_DRIVER])
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
	bool known = ask(interface, &info);

	snprintf(driver, IFACE_DRIVER, "%.*s", (int)sizeof(info.driver), info.driver);
	return known && *driver;
}

// Returns whether a driver has no wire: its speed is a constant.
static bool has_no_wire(const char *driver)
{
	static const char *const none[] = {"veth", "tun", "dummy", "virtio_net", "bridge"};

	for (size_t k = 0; k < sizeof(none) / sizeof(none[0]); k++)
		if (strcmp(driver, none[k]) == 0)
			return true;
	return false;
}

uint64_t iface_speed(const char *interface, bool *half_duplex)
{
	struct ethtool_cmd settings = {.cmd = ETHTOOL_GSET};
	char driver[IFACE_DRIVER];
	uint32_t mbps;

	*half_duplex = false;
	if (!iface_driver(interface, driver) || has_no_wire(driver) || !ask(interface, &settings))
		return 0;
	mbps = ethtool_cmd_speed(&settings);
	if (!mbps || mbps == (uint32_t)SPEED_UNKNOWN)
		return 0;
	*half_duplex = settings.duplex == DUPLEX_HALF;
	return (uint64_t)mbps * MBPS;
}
