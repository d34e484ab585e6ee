// SPDX-License-Identifier: BSD-3-Clause
// The ports of a SONiC switch: which are taken with which host, their links, maps and watchdog.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "conf/conf.h"

#define NAME_MAX_BYTES 20  // of a host
#define HEADERS_BYTES  18  // Ethernet and a VLAN tag: SONiC's MTU is that of IP
#define MTU_MIN        400 // a RoCE frame with 256 bytes fits
#define POLL_MS        100 // SONiC's own
#define CABLE_M_PER_US 198 // the speed of light in SONiC's headroom formula, standards.md 2.4
#define MAX_CABLE_M    200000

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

// Names as scenarios have them, without the dots of a range.
static bool is_name(const char *text, size_t n)
{
	bool ok = n && n <= NAME_MAX_BYTES && isalpha((unsigned char)text[0]);

	for (size_t i = 0; ok && i < n; i++)
		ok = isalnum((unsigned char)text[i]) || text[i] == '_' || text[i] == '-';
	return ok;
}

static int map_pair(struct sonic *s, const char *pair, size_t n)
{
	const char *eq = memchr(pair, '=', n);
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
	if (!json_is_object(json_object_get(sonic_db_table(s, "PORT"), port)))
		return bad_map(s, pair, n, "table PORT has no such port");
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

static int map_all(struct sonic *s, json_t *ports)
{
	const char **name = arena_get(s->a, (json_object_size(ports) + 1) * sizeof(*name)), *key;
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
		const char *admin =
			sonic_db_text(s, json_object_get(ports, name[i]), "admin_status");

		if (!is_printable(name[i]))
			sonic_left(s, sonic_text(s, "PORT|%s", name[i]), "is no name of a port");
		else if (!admin || strcmp(admin, "down"))
			rc = port_add(s, name[i], sonic_text(s, "h%u", s->n_ports + 1));
		else
			sonic_left(s, sonic_text(s, "PORT|%s", name[i]), "the port is down");
	}
	return rc;
}

int sonic_ports(struct sonic *s, const char *port_map)
{
	json_t *ports = json_object_get(s->root, "PORT"), *row;
	const char *key;
	int rc;

	if (!json_object_size(ports))
		return err_set(s->err, -EINVAL,
			"%s: has no table PORT; a SONiC switch's config_db.json is wanted",
			s->path);
	rc = port_map ? map_given(s, port_map) : map_all(s, ports);
	if (rc)
		return rc;
	if (s->n_ports < 2)
		return err_set(s->err, -EINVAL,
			"%s: %u port is taken; a scenario wants two at least%s", s->path,
			s->n_ports,
			port_map ? ", as in --port-map Ethernet0=h1,Ethernet4=h2"
				 : " that are not down; --port-map takes those, too");
	json_object_foreach(ports, key, row)
	{
		bool is_taken = !port_map;

		for (unsigned i = 0; i < s->n_ports && !is_taken; i++)
			is_taken = !strcmp(key, s->port[i].name);
		if (!is_taken)
			sonic_left(s, sonic_text(s, "PORT|%s", key), "not in --port-map");
	}
	return 0;
}

const char *sonic_units(struct sonic *s, enum units_kind kind, uint64_t value)
{
	char text[32];

	return sonic_text(s, "%s", units_format(kind, value, text, sizeof(text)));
}

static void read_link(struct sonic *s, struct sonic_port *p)
{
	const json_t *row = sonic_db_row(s, "PORT", p->name);
	const char *who = sonic_text(s, "PORT|%s", p->name), *map;
	const char *asym = sonic_db_text(s, row, "pfc_asym");
	json_t *lengths;
	int64_t n;

	if (sonic_db_number(s, row, who, "speed", 10, 800000, &n))
		p->rate = (struct sonic_value){sonic_units(s, UNITS_RATE, (uint64_t)n * 1000000),
			sonic_text(s, "%s speed %lld", who, (long long)n)};
	if (!p->rate.text)
		sonic_left(s, who, "has no speed: the scenario's default rate");
	if (sonic_db_number(s, row, who, "mtu", MTU_MIN, 16000, &n))
		p->mtu_bytes = (uint32_t)n + HEADERS_BYTES;
	if (p->mtu_bytes)
		p->mtu = (struct sonic_value){sonic_text(s, "%u", p->mtu_bytes),
			sonic_text(s, "%s mtu %lld, with Ethernet header and VLAN tag", who,
				(long long)n)};
	if (asym && !strcmp(asym, "on"))
		p->pfc_asym = (struct sonic_value){"true", sonic_text(s, "%s pfc_asym on", who)};
	json_object_foreach(json_object_get(s->root, "CABLE_LENGTH"), map, lengths)
	{
		const char *text = sonic_db_text(s, lengths, p->name);
		const char *at = sonic_text(s, "CABLE_LENGTH|%s %s", map, p->name);
		char *end;

		if (!text)
			continue;
		sonic_db_use(s, lengths);
		n = strtoll(text, &end, 10);
		if (end == text || strcmp(end, "m") || n < 0 || n > MAX_CABLE_M) {
			sonic_left(s, at, "'%.20s' is no length, as in 5m", text);
			return;
		}
		p->delay = (struct sonic_value){
			sonic_units(s, UNITS_TIME,
				((uint64_t)n * 1000000 + CABLE_M_PER_US / 2) / CABLE_M_PER_US),
			sonic_text(s, "%s %s at 198 m/us", at, text)};
		return;
	}
	sonic_left(s, who, "CABLE_LENGTH does not have it: the scenario's default delay");
}

// TC to group or queue; what the map lacks has its own number.
static const char *read_map(
	struct sonic *s, struct sonic_port *p, const char *field, const char *table, uint8_t *to)
{
	const char *key, *name = NULL, *who = sonic_text(s, "PORT_QOS_MAP|%s", p->name);
	const char *at = sonic_text(s, "%s %s", who, field);
	const json_t *row = sonic_db_port(s, "PORT_QOS_MAP", p->name, &key), *map = NULL;

	if (row)
		name = sonic_db_text(s, row, field);
	if (name)
		map = sonic_db_row(s, table, name);
	if (!name)
		sonic_left(s, who, "has no %s: each TC has its own number", field);
	else if (!map)
		sonic_left(s, at, "names no %s", table);
	if (map)
		at = sonic_text(s, "%s|%s", table, sonic_db_name(s, name));
	for (unsigned tc = 0; tc < PKT_CLASSES; tc++) {
		int64_t n;
		char from[4];

		snprintf(from, sizeof(from), "%u", tc);
		to[tc] = (uint8_t)tc;
		if (map && sonic_db_number(s, map, at, from, 0, PKT_CLASSES - 1, &n))
			to[tc] = (uint8_t)n;
	}
	return map ? at : NULL;
}

// A switch has one map of each kind.
static void check_map(struct sonic *s, const struct sonic_port *p, const char *field,
	const uint8_t *map, const uint8_t *of_first)
{
	if (memcmp(map, of_first, PKT_CLASSES))
		sonic_left(s, sonic_text(s, "PORT_QOS_MAP|%s %s", p->name, field),
			"a switch has one map for all ports, that of %s", s->port[0].name);
}

static const char *action(struct sonic *s, const json_t *row, const char *who)
{
	const char *text = sonic_db_text(s, row, "action");

	if (!text)
		return "drop";
	if (!strcmp(text, "drop") || !strcmp(text, "forward") || !strcmp(text, "alert"))
		return text;
	sonic_left(s, who, "action '%.20s' is not drop, forward or alert", text);
	return NULL;
}

static void read_watchdog(struct sonic *s, struct sonic_port *p)
{
	const char *key, *act, *who;
	const json_t *row = sonic_db_port(s, "PFC_WD", p->name, &key);
	const json_t *global = sonic_db_row(s, "PFC_WD", "GLOBAL");
	int64_t detection, restoration, poll = POLL_MS;

	if (!row)
		return;
	who = sonic_text(s, "PFC_WD|%s", key);
	act = action(s, row, who);
	if (!act)
		return;
	if (!sonic_db_number(s, row, who, "detection_time", 1, 1000000, &detection) ||
		!sonic_db_number(s, row, who, "restoration_time", 1, 1000000, &restoration)) {
		sonic_left(s, who,
			"detection_time and restoration_time are not both there: no watchdog");
		return;
	}
	if (global)
		sonic_db_number(s, global, "PFC_WD|GLOBAL", "POLL_INTERVAL", 1, 1000000, &poll);
	if (detection < poll || restoration < poll) {
		sonic_left(s, who,
			"detection_time or restoration_time is below the poll of %lld ms: no "
			"watchdog",
			(long long)poll);
		return;
	}
	p->watchdog = (struct sonic_value){
		sonic_text(s, "{poll: %lldms, detection: %lldms, restoration: %lldms, action: %s}",
			(long long)poll, (long long)detection, (long long)restoration, act),
		sonic_text(s, "%s; poll: %s", who, global ? "PFC_WD|GLOBAL" : "SONiC's own")};
}

// PFC priorities that lead elsewhere than their class.
static void check_pfc_maps(struct sonic *s, const struct sonic_port *p)
{
	const char *key, *who = sonic_text(s, "PORT_QOS_MAP|%s", p->name);
	const json_t *row = sonic_db_port(s, "PORT_QOS_MAP", p->name, &key);
	const char *name = sonic_db_text(s, row, "pfc_to_queue_map");
	const char *enable = sonic_db_text(s, row, "pfc_enable");
	const char *watched = sonic_db_text(s, row, "pfcwd_sw_enable");
	const json_t *map = name ? sonic_db_row(s, "MAP_PFC_PRIORITY_TO_QUEUE", name) : NULL;

	if (name && !map)
		map = sonic_db_row(s, "PFC_PRIORITY_TO_QUEUE_MAP", name);
	for (unsigned prio = 0; map && prio < PKT_CLASSES; prio++) {
		char from[4];
		int64_t n;

		snprintf(from, sizeof(from), "%u", prio);
		if (sonic_db_number(s, map, name, from, 0, 63, &n) && n != p->queue[prio])
			sonic_left(s, sonic_text(s, "%s pfc_to_queue_map %u", who, prio),
				"leads PFC to another queue than the frames of this class; here "
				"both are one");
	}
	name = sonic_db_text(s, row, "pfc_to_pg_map");
	map = name ? sonic_db_row(s, "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", name) : NULL;
	for (unsigned prio = 0; map && prio < PKT_CLASSES; prio++) {
		char from[4];
		int64_t n;

		snprintf(from, sizeof(from), "%u", prio);
		if (sonic_db_number(s, map, name, from, 0, 63, &n) && n != p->pg[prio])
			sonic_left(s, sonic_text(s, "%s pfc_to_pg_map %u", who, prio),
				"leads PFC to another group than the frames of this class; here "
				"both are one");
	}
	if (watched && (!enable || strcmp(watched, enable)))
		sonic_left(s, sonic_text(s, "%s pfcwd_sw_enable %.20s", who, watched),
			"the watchdog watches every lossless class with pfc");
}

void sonic_port_read(struct sonic *s, struct sonic_port *p)
{
	read_link(s, p);
	p->pg_from = read_map(s, p, "tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", p->pg);
	p->queue_from = read_map(s, p, "tc_to_queue_map", "TC_TO_QUEUE_MAP", p->queue);
	check_map(s, p, "tc_to_pg_map", p->pg, s->port[0].pg);
	check_map(s, p, "tc_to_queue_map", p->queue, s->port[0].queue);
	sonic_port_rate(s, p);
	check_pfc_maps(s, p);
	read_watchdog(s, p);
}
