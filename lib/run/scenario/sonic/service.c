// SPDX-License-Identifier: BSD-3-Clause
// The ports of a SONiC switch that may be taken: those of --port-map, or those in service.
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "conf/conf.h"

#define NAME_MAX_BYTES 20 // of a host
#define SPEED_MIN      10 // Mb/s
#define SPEED_MAX      800000

static int port_add(struct sonic *s, const char *port, const char *host)
{
	if (s->n_ports == NODE_PORTS)
		return err_set(s->err, -EINVAL,
			"%s: more than %d ports; name those that matter with --port-map", s->path,
			NODE_PORTS);
	s->port[s->n_ports++] = (struct sonic_port){.name = port, .host = host};
	return 0;
}

static int bad_map(struct sonic *s, const char *pair, size_t n, const char *why)
{
	return err_set(s->err, -EINVAL, "--port-map '%.*s': %s", (int)(n < 60 ? n : 60), pair, why);
}

// Returns whether a text can be a name in a scenario. Dots are excluded, because a range has them.
static bool is_name(const char *text, size_t n)
{
	bool ok = n && n <= NAME_MAX_BYTES && isalpha((unsigned char)text[0]);

	for (size_t i = 0; ok && i < n; i++)
		ok = isalnum((unsigned char)text[i]) || text[i] == '_' || text[i] == '-';
	return ok;
}

// Returns whether a port is internal: ports of the backplane, inband and recirculation ports have a
// role other than Ext.
static bool is_inner(struct sonic *s, const json_t *row)
{
	const char *role = sonic_db_text(s, row, "role");

	return role && *role && strcmp(role, "Ext");
}

static int map_pair(struct sonic *s, const char *pair, size_t n)
{
	const char *eq = memchr(pair, '=', n);
	const json_t *row;
	size_t port_n = eq ? (size_t)(eq - pair) : 0, host_n = eq ? n - port_n - 1 : 0;

	if (!eq || !port_n)
		return bad_map(s, pair, n, "wanted is PORT=HOST, as in Ethernet0=h1,Ethernet4=h2");
	if (!is_name(eq + 1, host_n))
		return bad_map(s, pair, n,
			"a host's name has letters, digits, '_' and '-', begins with a letter and "
			"has "
			"20 characters at most");

	const char *port = arena_text(s->a, pair, port_n), *host = arena_text(s->a, eq + 1, host_n);

	if (!port || !host)
		return -ENOMEM;
	row = json_object_get(sonic_db_table(s, "PORT"), port);
	if (!json_is_object(row))
		return bad_map(s, pair, n, "table PORT has no such port");
	if (is_inner(s, row))
		return bad_map(s, pair, n, "the port leads to no host: its role is not Ext");
	if (!strcmp(host, "s1"))
		return bad_map(s, pair, n, "s1 is the switch's name; give the host another");
	for (unsigned i = 0; i < s->n_ports; i++) {
		if (!strcmp(s->port[i].name, port) || !strcmp(s->port[i].host, host))
			return bad_map(s, pair, n, "this port or host is named twice");
	}
	return port_add(s, port, host);
}

static int map_given(struct sonic *s, const char *map)
{
	if (s->opts->group)
		return err_set(s->err, -EINVAL,
			"--group goes without --port-map, which names the ports itself");
	for (const char *at = map;;) {
		size_t n = strcspn(at, ",");
		int rc = map_pair(s, at, n);

		if (rc || !at[n])
			return rc;
		at += n + 1;
	}
}

static bool is_printable(const char *name)
{
	while (*name > 0x20 && *name < 0x7f)
		name++;
	return !*name;
}

// Ethernet4 before Ethernet12.
static int by_number(const void *a, const void *b)
{
	return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

// Whether any port says if it is in service. Templates of devices say it of none.
static bool has_admin_status(json_t *ports)
{
	const char *key;
	json_t *row;

	json_object_foreach(ports, key, row)
	{
		if (json_object_get(row, "admin_status"))
			return true;
	}
	return false;
}

// Says why a port that the user has not named is left out; NULL: it is taken. `says`: some port of
// the file has admin_status. Then a port without it is down (SONiC's YANG).
static const char *not_in_service(struct sonic *s, const json_t *row, bool says)
{
	const char *admin = sonic_db_text(s, row, "admin_status");

	if (is_inner(s, row))
		return "its role is not Ext: no host is behind it";
	if (!says)
		return sonic_db_text(s, row, "speed") ? NULL
						      : "it has neither admin_status nor speed";
	if (!admin)
		return "not in service: it has no admin_status, so it is down";
	return strcmp(admin, "up") ? "not in service: admin_status is not up" : NULL;
}

// A port in service whose speed is none is no port to guess about.
static int check_speed(struct sonic *s, const char *name, const json_t *row)
{
	const char *speed = sonic_db_text(s, row, "speed");
	char *end;
	long n;

	if (!speed)
		return 0;
	n = strtol(speed, &end, 10);
	if (end != speed && !*end && n >= SPEED_MIN && n <= SPEED_MAX)
		return 0;
	return err_set(s->err, -EINVAL,
		"%s: PORT|%s speed '%.20s' is no speed in Mb/s, a whole number from %d to %d",
		s->path, name, sonic_text(s, "%s", speed), SPEED_MIN, SPEED_MAX);
}

static int map_all(struct sonic *s, json_t *ports)
{
	const char **name = arena_get(s->a, (json_object_size(ports) + 1) * sizeof(*name)), *key;
	bool says = has_admin_status(ports);
	unsigned n = 0;
	json_t *row;
	int rc = name ? 0 : -ENOMEM;

	json_object_foreach(ports, key, row)
	{
		if (name && json_is_object(row))
			name[n++] = key;
	}
	if (n)
		qsort(name, n, sizeof(*name), by_number);
	for (unsigned i = 0; !rc && i < n; i++) {
		const char *why = not_in_service(s, json_object_get(ports, name[i]), says);

		if (!is_printable(name[i]))
			why = "is no name of a port";
		s->counts.inner += is_inner(s, json_object_get(ports, name[i]));
		s->counts.down += why && !is_inner(s, json_object_get(ports, name[i]));
		if (!why && is_printable(name[i]))
			rc = check_speed(s, name[i], json_object_get(ports, name[i]));
		if (why)
			sonic_left(s, sonic_text(s, "PORT|%s", name[i]), "%s", why);
		else if (!rc)
			rc = port_add(s, name[i], NULL);
	}
	s->counts.template = !says;
	if (!says)
		sonic_left(s, "PORT",
			"no port has admin_status, as in a device's template: "
			"ports with a speed are taken as in service");
	return rc;
}

int sonic_ports(struct sonic *s)
{
	json_t *ports = json_object_get(s->root, "PORT"), *row;
	const char *key, *port_map = s->opts->port_map;
	int rc;

	if (!json_object_size(ports))
		return err_set(s->err, -EINVAL,
			"%s: has no table PORT; a SONiC switch's config_db.json is wanted",
			s->path);
	s->counts.all = (unsigned)json_object_size(ports);
	rc = port_map ? map_given(s, port_map) : map_all(s, ports);
	if (rc)
		return rc;
	if (s->n_ports < 2)
		return err_set(s->err, -EINVAL,
			port_map ? "%s: %u port is taken; a scenario wants two at least, as in "
				   "--port-map Ethernet0=h1,Ethernet4=h2"
				 : "%s: of table PORT, %u in service (admin_status up); a scenario "
				   "wants two at least; --port-map takes others, too",
			s->path, s->n_ports);
	json_object_foreach(ports, key, row)
	{
		bool is_taken = !port_map;

		for (unsigned i = 0; i < s->n_ports && !is_taken; i++)
			is_taken = !strcmp(key, s->port[i].name);
		s->counts.unnamed += !is_taken;
		if (!is_taken)
			sonic_left(s, sonic_text(s, "PORT|%s", key), "not in --port-map");
	}
	return 0;
}
