// SPDX-License-Identifier: BSD-3-Clause
// Checks of the devices of ports. Two ports on one device, or on two devices that are one
// interface, would take frames of each other. A net_af_packet that has more receive queues than are
// read would lose the frames in the others, since the kernel spreads frames over all.
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "int.h"

#define DOMAIN "0000:" // of a PCI address, which may be left out
#define SHARED                                                                             \
	"ports %s and %s have %s, \"%.80s\" and \"%.80s\", and would take frames of each " \
	"other; give each port one of its own, as net_af_packet0,iface=eth1 and "          \
	"net_af_packet1,iface=eth2"
#define UNREAD                                                                                \
	"port %s: the kernel spreads frames over all qpairs=%u of \"%.80s\", and only %u of " \
	"them would be read; write qpairs=%u, or let more lcores read (%s)"

// DPDK's name of the device: "net_af_packet0", "3b:00.0".
static size_t driver_name(const char **device)
{
	if (strncmp(*device, DOMAIN, strlen(DOMAIN)) == 0)
		*device += strlen(DOMAIN);
	return strcspn(*device, ",");
}

// The value that the device gives to a key, which stands as in ",iface=". Its length; 0: none.
static size_t device_value(const char **device, const char *key)
{
	const char *at = strstr(*device, key);

	if (!at)
		return 0;
	*device = at + strlen(key);
	return strcspn(*device, ",");
}

// The kernel's interface that the device is, or makes. Its length; 0: none is named.
static size_t interface_of(const char **device)
{
	return device_value(device, ",iface=");
}

static bool same_by(size_t (*word)(const char **device), const char *a, const char *b)
{
	size_t n = word(&a);

	return n && word(&b) == n && strncasecmp(a, b, n) == 0;
}

const char *compile_shared_device(const char *a, const char *b)
{
	if (same_by(driver_name, a, b))
		return "one device";
	return same_by(interface_of, a, b) ? "one interface" : NULL;
}

static bool is_real(const struct draft *b)
{
	return b->opts && b->opts->real;
}

static int tell_shared(
	struct draft *b, const struct draft_port *p, const struct draft_port *q, const char *what)
{
	const struct yamldoc_node *at = opt_source(&scene_opts_port, q->spec, "device");
	const char *first = p->spec->device, *second = q->spec->device;

	if (is_real(b))
		return yamldoc_err(b->err, at, SHARED, p->name, q->name, what, first, second);
	draft_warn(b, at, SHARED, p->name, q->name, what, first, second);
	return 0;
}

unsigned compile_queue_pairs(const char *device)
{
	if (strncmp(device, "net_af_packet", strlen("net_af_packet")) != 0 ||
		!device_value(&device, ",qpairs="))
		return 0;
	return (unsigned)strtoul(device, NULL, 10);
}

// Whether all receive queues that net_af_packet opens are read. Too few are the device's to tell.
static int check_queues(struct draft *b, const struct draft_node *n, const struct draft_port *p)
{
	const struct yamldoc_node *at = opt_source(&scene_opts_port, p->spec, "device");
	unsigned read = n->is_switch ? p->spec->rx_queues : n->host->lcores;
	unsigned pairs = compile_queue_pairs(p->spec->device);
	const char *key = n->is_switch ? "rx_queues of the port" : "lcores of the host";
	const char *device = p->spec->device;

	if (pairs <= read)
		return 0;
	if (is_real(b))
		return yamldoc_err(b->err, at, UNREAD, p->name, pairs, device, read, read, key);
	draft_warn(b, at, UNREAD, p->name, pairs, device, read, read, key);
	return 0;
}

// Returns whether the file describes parts for several machines: they meet at a link with a device
// at both ends, and their devices may have the same names. Not on the real clock, where this
// process opens every device that is checked.
static bool has_parts(const struct draft *b)
{
	bool has = false;

	for (unsigned i = 0; i < b->n_links; i++) {
		const struct draft_link *l = b->link[i];

		has |= l->node[0]->port[l->port[0]]->spec->device &&
		       l->node[1]->port[l->port[1]]->spec->device;
	}
	return has && !is_real(b);
}

static const struct draft_port *port_at(const struct draft_node *n, unsigned port)
{
	const struct draft_port *p = n->port[port];

	return p->spec->device && !n->elsewhere && !n->external ? p : NULL;
}

// Checks port p of node i by itself, and against all ports behind it, in the file's order, up to
// node `end`.
static int check_port(struct draft *b, unsigned i, unsigned p, unsigned end)
{
	const struct draft_port *one = port_at(b->node[i], p);
	int rc = one ? check_queues(b, b->node[i], one) : 0;

	for (unsigned k = i; one && !rc && k < end; k++)
		for (unsigned q = k == i ? p + 1 : 0; q < b->node[k]->n_ports; q++) {
			const struct draft_port *other = port_at(b->node[k], q);
			const char *what = other ? compile_shared_device(
							   one->spec->device, other->spec->device)
						 : NULL;

			if (what)
				return tell_shared(b, one, other, what);
		}
	return rc;
}

int compile_devices(struct draft *b)
{
	bool parts = has_parts(b);
	int rc = 0;

	for (unsigned i = 0; !rc && i < b->n_nodes; i++)
		for (unsigned p = 0; !rc && p < b->node[i]->n_ports; p++)
			rc = check_port(b, i, p, parts ? i + 1 : b->n_nodes);
	return rc;
}
