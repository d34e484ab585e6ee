// SPDX-License-Identifier: BSD-3-Clause
// A port of a SONiC switch: its link, its maps and its watchdog.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "conf/conf.h"

#define HEADERS_BYTES  18  // Ethernet and a VLAN tag: SONiC's MTU is that of IP
#define MTU_MIN        400 // a RoCE frame with 256 bytes fits
#define POLL_MS        100 // SONiC's own
#define CABLE_M_PER_US 198 // the speed of light in SONiC's headroom formula, standards.md 2.4
#define MAX_CABLE_M    200000

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

	if (sonic_db_number(s, row, who, "speed", 10, 800000, &n)) {
		p->speed = (uint64_t)n;
		p->rate = (struct sonic_value){sonic_units(s, UNITS_RATE, (uint64_t)n * 1000000),
			sonic_text(s, "%s speed %lld", who, (long long)n)};
	}
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

// Reads a map from TC to group or queue. A TC that the map lacks gets its own number.
static const char *read_map(
	struct sonic *s, struct sonic_port *p, const char *field, const char *table, uint8_t *to)
{
	const char *key, *name = NULL, *who = sonic_text(s, "PORT_QOS_MAP|%s", p->name);
	const char *at = sonic_text(s, "%s %s", who, field);
	const json_t *row = sonic_db_port(s, p, SONIC_PORT_QOS_MAP, &key), *map = NULL;

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
	const json_t *row = sonic_db_port(s, p, SONIC_PFC_WD, &key);
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
	const json_t *row = sonic_db_port(s, p, SONIC_PORT_QOS_MAP, &key);
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
				"leads PFC to another queue than the frames of this class; "
				"here both are one");
	}
	name = sonic_db_text(s, row, "pfc_to_pg_map");
	map = name ? sonic_db_row(s, "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", name) : NULL;
	for (unsigned prio = 0; map && prio < PKT_CLASSES; prio++) {
		char from[4];
		int64_t n;

		snprintf(from, sizeof(from), "%u", prio);
		if (sonic_db_number(s, map, name, from, 0, 63, &n) && n != p->pg[prio])
			sonic_left(s, sonic_text(s, "%s pfc_to_pg_map %u", who, prio),
				"leads PFC to another group than the frames of this class; "
				"here both are one");
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
	sonic_switch_maps(s, p);
	sonic_port_rate(s, p);
	check_pfc_maps(s, p);
	read_watchdog(s, p);
}
