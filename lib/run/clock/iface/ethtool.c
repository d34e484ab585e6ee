// SPDX-License-Identifier: BSD-3-Clause
// The answers of an interface's driver to ethtool's questions, by its ioctl.
#include "ethtool.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "conf/conf.h"

#define MBPS  1000000u
#define SPARE 4096 // counters that a driver may gain between two questions

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

	snprintf(driver, IFACE_DRIVER, "%.*s", IFACE_DRIVER - 1, info.driver);
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

// The number of the driver's counters; 0: it has none.
static uint32_t count_stats(const char *interface)
{
	union { // the number follows the structure
		struct ethtool_sset_info info;
		uint32_t word[sizeof(struct ethtool_sset_info) / sizeof(uint32_t) + 1];
	} q = {.word = {0}};

	q.info.cmd = ETHTOOL_GSSET_INFO;
	q.info.sset_mask = 1ull << ETH_SS_STATS;
	return ask(interface, &q) && q.info.sset_mask ? q.info.data[0] : 0;
}

// The kernel writes as many names and values as the driver has when it is asked. Where queues are
// added meanwhile these are more than were counted, so there is room to spare.
int iface_stats_read(const char *interface, struct iface_stats *s)
{
	uint32_t n = count_stats(interface), room = n + SPARE;
	struct ethtool_gstrings *names;
	struct ethtool_stats *values;
	int rc = 0;

	*s = (struct iface_stats){0};
	if (!n)
		return -EOPNOTSUPP;
	names = calloc(1, sizeof(*names) + (size_t)room * ETH_GSTRING_LEN);
	values = calloc(1, sizeof(*values) + (size_t)room * sizeof(uint64_t));
	s->name = calloc(n, sizeof(*s->name));
	s->value = calloc(n, sizeof(*s->value));
	if (!names || !values || !s->name || !s->value) {
		rc = -ENOMEM;
		goto out;
	}
	*names = (struct ethtool_gstrings){
		.cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_STATS, .len = n};
	*values = (struct ethtool_stats){.cmd = ETHTOOL_GSTATS, .n_stats = n};
	if (!ask(interface, names) || !ask(interface, values))
		rc = -EOPNOTSUPP;
	else if (names->len != n || values->n_stats != n)
		rc = -EAGAIN;
	for (uint32_t i = 0; !rc && i < n; i++) {
		memcpy(s->name[i], names->data + (size_t)i * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
		s->value[i] = values->data[i];
	}
	s->n = n;
out:
	free(names);
	free(values);
	if (rc)
		iface_stats_free(s);
	return rc;
}

void iface_stats_free(struct iface_stats *s)
{
	free(s->name);
	free(s->value);
	*s = (struct iface_stats){0};
}
