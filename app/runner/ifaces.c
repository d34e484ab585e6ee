// SPDX-License-Identifier: BSD-3-Clause
// Network interfaces and PCI functions of this machine that a port could be, as /sys tells them.
#include "ifaces.h"

#include <dirent.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iface/iface.h"

struct found {
	char name[256]; // interface, or PCI address where the kernel has none
	char driver[64], state[16], speed[24], node[8];
	char device[300]; // the text for `device`
};

typedef void iface_see(void *arg, const struct found *i);

// Reads the first line of DIR/NAME/FILE; "-": there is no such file.
static void line_of(const char *dir, const char *name, const char *file, char *to, size_t size)
{
	char path[600], line[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/%s", dir, name, file);
	f = fopen(path, "r");
	if (f && fgets(line, sizeof(line), f))
		line[strcspn(line, "\n")] = '\0';
	if (f)
		fclose(f);
	snprintf(to, size, "%s", *line ? line : "-");
}

// The last part of the path that the link DIR/NAME/FILE points to; "-" if there is no such link.
static void link_of(const char *dir, const char *name, const char *file, char *to, size_t size)
{
	char path[600], target[600];
	const char *last;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/%s/%s", dir, name, file);
	n = readlink(path, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = '\0';
	last = strrchr(target, '/');
	snprintf(to, size, "%.*s", (int)size - 1, n <= 0 ? "-" : last ? last + 1 : target);
}

static int named(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

// Describes an interface in *i. `device` is its PCI address if DPDK drives it beside the kernel
// (Mellanox), else AF_PACKET with this number. `speed` is "-" without the speed of a wire: the
// kernel has a constant for interfaces without a device (veth, TAP, bridge) and for virtio_net.
static void look_at(const char *sys, const char *name, unsigned number, struct found *i)
{
	char dir[256], pci[64], mbps[24], driver[IFACE_DRIVER];

	snprintf(dir, sizeof(dir), "%s/class/net", sys);
	snprintf(i->name, sizeof(i->name), "%s", name);
	link_of(dir, name, "device/driver", i->driver, sizeof(i->driver));
	link_of(dir, name, "device", pci, sizeof(pci));
	line_of(dir, name, "operstate", i->state, sizeof(i->state));
	line_of(dir, name, "speed", mbps, sizeof(mbps));
	line_of(dir, name, "device/numa_node", i->node, sizeof(i->node));
	if (atoi(mbps) > 0 && strcmp(pci, "-") && strcmp(i->driver, "virtio_net"))
		snprintf(i->speed, sizeof(i->speed), "%d Mb/s", atoi(mbps));
	else
		snprintf(i->speed, sizeof(i->speed), "-");
	if (!strcmp(i->driver, "-") && iface_driver(name, driver)) // no device, such as a veth
		snprintf(i->driver, sizeof(i->driver), "%s", driver);
	if (strncmp(i->driver, "mlx5", 4) == 0)
		snprintf(i->device, sizeof(i->device), "%s", pci);
	else
		snprintf(i->device, sizeof(i->device), "net_af_packet%u,iface=%s", number, name);
}

static void each_interface(const char *sys, iface_see *see, void *arg)
{
	struct dirent **e;
	char dir[256];
	int n;

	snprintf(dir, sizeof(dir), "%s/class/net", sys);
	n = scandir(dir, &e, named, versionsort);
	for (int k = 0; k < n; k++) {
		struct found i = {0};

		look_at(sys, e[k]->d_name, (unsigned)k, &i);
		if (strcmp(i.name, "lo") != 0)
			see(arg, &i);
		free(e[k]);
	}
	if (n >= 0)
		free(e);
}

bool ifaces_device(const char *sys, const char *name, unsigned number, char *device, size_t size)
{
	struct found i = {0};

	if (strchr(name, '/') || !if_nametoindex(name))
		return false;
	look_at(sys, name, number, &i);
	snprintf(device, size, "%s", i.device);
	return true;
}

// Whether the kernel has an interface on a PCI function, be it on a bus of its own behind it
// (virtio).
static bool has_interface(const char *sys, const char *pci)
{
	char at[600], path[600];
	char *function, *device;
	struct dirent **e;
	bool has = false;
	int n;

	snprintf(at, sizeof(at), "%s/bus/pci/devices/%s", sys, pci);
	function = realpath(at, NULL);
	snprintf(at, sizeof(at), "%s/class/net", sys);
	n = scandir(at, &e, named, NULL);
	for (int k = 0; k < n; k++) {
		snprintf(path, sizeof(path), "%s/class/net/%s/device", sys, e[k]->d_name);
		device = realpath(path, NULL);
		has |= function && device && !strncmp(device, function, strlen(function));
		free(device);
		free(e[k]);
	}
	if (n >= 0)
		free(e);
	free(function);
	return has;
}

// Ethernet functions that no driver of the kernel has as an interface.
static void each_pci(const char *sys, iface_see *see, void *arg)
{
	struct dirent **e;
	char dir[256], class[24];
	int n;

	snprintf(dir, sizeof(dir), "%s/bus/pci/devices", sys);
	n = scandir(dir, &e, named, versionsort);
	for (int k = 0; k < n; k++) {
		struct found i = {.state = "-", .speed = "-"};

		snprintf(i.name, sizeof(i.name), "%s", e[k]->d_name);
		line_of(dir, i.name, "class", class, sizeof(class));
		if (!strncmp(class, "0x02", 4) && !has_interface(sys, i.name)) {
			link_of(dir, i.name, "driver", i.driver, sizeof(i.driver));
			line_of(dir, i.name, "numa_node", i.node, sizeof(i.node));
			snprintf(i.device, sizeof(i.device), "%s", i.name);
			see(arg, &i);
		}
		free(e[k]);
	}
	if (n >= 0)
		free(e);
}

static void print_one(void *f, const struct found *i)
{
	fprintf(f, "%-16s  %-14s  %-8s  %12s  %4s  %s\n", i->name, i->driver, i->state, i->speed,
		i->node, i->device);
}

void ifaces_print(const char *sys, FILE *f)
{
	fprintf(f, "%-16s  %-14s  %-8s  %12s  %4s  %s\n", "name", "driver", "state", "speed",
		"node", "device");
	each_interface(sys, print_one, f);
	each_pci(sys, print_one, f);
}

static void put_one(void *w, const struct found *i)
{
	jw_object(w, NULL, true);
	jw_str(w, "name", i->name);
	jw_str(w, "driver", i->driver);
	jw_str(w, "state", i->state);
	jw_str(w, "speed", i->speed);
	jw_str(w, "node", i->node);
	jw_str(w, "device", i->device);
	jw_end(w);
}

void ifaces_put(const char *sys, struct jw *w, const char *key)
{
	jw_array(w, key, false);
	each_interface(sys, put_one, w);
	each_pci(sys, put_one, w);
	jw_end(w);
}
