// SPDX-License-Identifier: BSD-3-Clause
// The settings that an import leaves out, and why: each reason is reported once, with all its
// places.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "int.h"

#define LIST_MAX 4 // more places are a first and a last

// Hashes (FNV-1a) a place together with the number of its reason.
static uint64_t place_number(const char *who, unsigned reason)
{
	uint64_t h = 0xcbf29ce484222325ull + reason;

	for (; *who; who++)
		h = (h ^ (unsigned char)*who) * 0x100000001b3ull;
	return h | 1;
}

static void add_who(struct sonic *s, struct sonic_left *l, const char *who)
{
	uint64_t number = place_number(who, (unsigned)(l - s->left));

	if (sonic_set_has(&s->told, number))
		return;
	sonic_set_add(s, &s->told, number);
	if (l->n == l->max) {
		unsigned max = l->max ? 4 * l->max : 4;
		const char **more = arena_get(s->a, max * sizeof(*more));

		if (!more) {
			s->no_memory = true;
			return;
		}
		if (l->n)
			memcpy(more, l->who, l->n * sizeof(*more));
		l->who = more;
		l->max = max;
	}
	l->who[l->n++] = who;
}

void sonic_left(struct sonic *s, const char *who, const char *fmt, ...)
{
	char why[400];
	va_list ap;
	unsigned i = 0;

	if (s->quiet)
		return;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	while (i < s->n_left && strcmp(s->left[i].why, why))
		i++;
	if (i == SONIC_LEFT)
		return;
	if (i == s->n_left)
		s->left[s->n_left++].why = sonic_text(s, "%s", why);
	add_who(s, &s->left[i], who);
}

// Fields that are imported, by table; the others have a reason why they are not.
static const struct {
	const char *table, *field, *why;
} fields[] = {
	{"BUFFER_POOL", "size", NULL},
	{"BUFFER_POOL", "xoff", NULL},
	{"BUFFER_POOL", "type", NULL},
	{"BUFFER_POOL", "mode", "each threshold says itself whether it is dynamic"},
	{"BUFFER_POOL", "percentage", "pools have sizes; SONiC computes this one from the ASIC's"},
	{"BUFFER_PROFILE", "pool", NULL},
	{"BUFFER_PROFILE", "size", NULL},
	{"BUFFER_PROFILE", "xoff", NULL},
	{"BUFFER_PROFILE", "xon", NULL},
	{"BUFFER_PROFILE", "xon_offset", NULL},
	{"BUFFER_PROFILE", "dynamic_th", NULL},
	{"BUFFER_PROFILE", "static_th", NULL},
	{"BUFFER_PROFILE", "headroom_type", NULL},
	{"BUFFER_PROFILE", "packet_discard_action", "frames are never trimmed"},
	{"BUFFER_PG", "profile", NULL},
	{"BUFFER_QUEUE", "profile", NULL},
	{"QUEUE", "scheduler", NULL},
	{"QUEUE", "wred_profile", NULL},
	{"WRED_PROFILE", "ecn", NULL},
	{"WRED_PROFILE", "green_min_threshold", NULL},
	{"WRED_PROFILE", "green_max_threshold", NULL},
	{"WRED_PROFILE", "green_drop_probability", NULL},
	{"WRED_PROFILE", "wred_green_enable", NULL},
	{"WRED_PROFILE", "yellow_", "no frame is yellow: nothing meters them"},
	{"WRED_PROFILE", "wred_yellow_", "no frame is yellow: nothing meters them"},
	{"WRED_PROFILE", "red_", "no frame is red: nothing meters them"},
	{"WRED_PROFILE", "wred_red_", "no frame is red: nothing meters them"},
	{"WRED_PROFILE", "weight", NULL},
	{"SCHEDULER", "type", NULL},
	{"SCHEDULER", "weight", NULL},
	{"SCHEDULER", "priority", "strict queues are served from the highest class down"},
	{"SCHEDULER", "pir", NULL},
	{"SCHEDULER", "pbs", NULL},
	{"SCHEDULER", "cir", NULL},
	{"SCHEDULER", "cbs", NULL},
	{"SCHEDULER", "meter_type", NULL},
	{"PORT_QOS_MAP", "dscp_to_tc_map", NULL},
	{"PORT_QOS_MAP", "dot1p_to_tc_map", NULL},
	{"PORT_QOS_MAP", "tc_to_queue_map", NULL},
	{"PORT_QOS_MAP", "tc_to_pg_map", NULL},
	{"PORT_QOS_MAP", "pfc_to_queue_map", NULL},
	{"PORT_QOS_MAP", "pfc_to_pg_map", NULL},
	{"PORT_QOS_MAP", "pfc_enable", NULL},
	{"PORT_QOS_MAP", "pfcwd_sw_enable", NULL},
	{"PORT_QOS_MAP", "scheduler", NULL},
	{"PFC_WD", "action", NULL},
	{"PFC_WD", "detection_time", NULL},
	{"PFC_WD", "restoration_time", NULL},
	{"PFC_WD", "POLL_INTERVAL", NULL},
	{"PFC_WD", "BIG_RED_SWITCH", "an emergency switch, not a setting"},
	{"PFC_WD", "pfc_stat_history", "a run records every pause anyway"},
};

// Tables from which the import takes single fields (0) or everything (1). Other tables have a
// reason why they are left out, or are not listed.
static const struct {
	const char *table;
	bool whole;
	const char *why;
} tables[] = {
	{"BUFFER_POOL", 0, NULL},
	{"BUFFER_PROFILE", 0, NULL},
	{"BUFFER_PG", 0, NULL},
	{"BUFFER_QUEUE", 0, NULL},
	{"QUEUE", 0, NULL},
	{"WRED_PROFILE", 0, NULL},
	{"SCHEDULER", 0, NULL},
	{"PORT_QOS_MAP", 0, NULL},
	{"PFC_WD", 0, NULL},
	{"DSCP_TO_TC_MAP", 1, NULL},
	{"DOT1P_TO_TC_MAP", 1, NULL},
	{"TC_TO_QUEUE_MAP", 1, NULL},
	{"TC_TO_PRIORITY_GROUP_MAP", 1, NULL},
	{"MAP_PFC_PRIORITY_TO_QUEUE", 1, NULL},
	{"PFC_PRIORITY_TO_QUEUE_MAP", 1, NULL},
	{"PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", 1, NULL},
	{"CABLE_LENGTH", 1, NULL},
	{"PORT", 1, NULL},
	{"DEVICE_METADATA", 1, NULL},
	{"DEFAULT_LOSSLESS_BUFFER_PARAMETER", 1, NULL},
	{"LOSSLESS_TRAFFIC_PATTERN", 1,
		"`headroom: sonic` takes the scenario's own MTU and small frames only"},
	{"BUFFER_PORT_INGRESS_PROFILE_LIST", 1, "ports have no limits of their own, groups have"},
	{"BUFFER_PORT_EGRESS_PROFILE_LIST", 1, "ports have no limits of their own, queues have"},
	{"TC_TO_DSCP_MAP", 1, "frames leave with the DSCP that they came with"},
	{"TC_TO_DOT1P_MAP", 1, "frames leave with the PCP that they came with"},
	{"DSCP_TO_FC_MAP", 1, "there are no forwarding classes"},
	{"EXP_TO_FC_MAP", 1, "there is no MPLS"},
	{"MPLS_TC_TO_TC_MAP", 1, "there is no MPLS"},
	{"POLICER", 1, "there are no policers"},
	{"PORT_STORM_CONTROL", 1, "there are no policers"},
};

// Whether an import reads the rows of a table.
bool sonic_left_is_read(const char *table)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (!strcmp(tables[i].table, table))
			return !tables[i].why;
	}
	return false;
}

static void left_field(struct sonic *s, const char *table, const char *row, const json_t *fields_of,
	const char *field)
{
	const char *who = sonic_text(s, "%s|%s %s", table, row, field);

	if (!strcmp(table, "WRED_PROFILE") && sonic_wred_is_taken(s, fields_of, field))
		return;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const char *known = fields[i].field;
		size_t n = strlen(known);
		bool is_prefix = known[n - 1] == '_';

		if (strcmp(fields[i].table, table) ||
			(is_prefix ? strncmp(known, field, n) : strcmp(known, field)))
			continue;
		if (fields[i].why)
			sonic_left(s, who, "%s", fields[i].why);
		return;
	}
	sonic_left(s, who, "no option of a scenario means it");
}

static bool is_port_key(const char *table)
{
	return !strcmp(table, "BUFFER_PG") || !strcmp(table, "BUFFER_QUEUE") ||
	       !strcmp(table, "QUEUE");
}

// A row that was not asked for: why.
static void left_row(struct sonic *s, const char *table, const char *key)
{
	const char *who = sonic_text(s, "%s|%s", table, key);

	if (!strcmp(table, "PORT") || !strcmp(table, "DEVICE_METADATA"))
		return;
	if (!is_port_key(table) && strcmp(table, "PORT_QOS_MAP") && strcmp(table, "PFC_WD")) {
		sonic_left(s, who, "no port that is taken uses it");
		return;
	}
	if (sonic_db_is_taken(s, key))
		sonic_left(s, who, "no class is mapped to it");
}

static void left_table(struct sonic *s, const char *table, json_t *rows, bool whole)
{
	const char *key, *field;
	json_t *row, *value;

	json_object_foreach(rows, key, row)
	{
		if (!sonic_db_is_used(s, row)) {
			left_row(s, table, key);
			continue;
		}
		json_object_foreach(row, field, value)
		{
			if (!whole)
				left_field(s, table, key, row, field);
		}
	}
}

// SONiC's other tables (VLANs, addresses, users ...) in one line.
void sonic_left_rows(struct sonic *s)
{
	const char *table, *others = "";
	json_t *rows;

	json_object_foreach(s->root, table, rows)
	{
		size_t i = 0, n = sizeof(tables) / sizeof(tables[0]);

		while (i < n && strcmp(tables[i].table, table))
			i++;
		if (i == n)
			others = sonic_text(s, "%s%s%s", others, *others ? ", " : "", table);
		else if (tables[i].why)
			sonic_left(s, table, "%s", tables[i].why);
		else
			left_table(s, table, rows, tables[i].whole);
	}
	if (*others)
		sonic_left(s, others, "say nothing of buffers, classes, marking or PFC");
}

// "A, B, C: why", "A .. Z (32 in all): why".
static char *left_line(struct sonic *s, const struct sonic_left *l)
{
	const char *who = l->who[0];

	if (l->n > LIST_MAX)
		return arena_format(
			s->a, "%s .. %s (%u in all): %s", who, l->who[l->n - 1], l->n, l->why);
	for (unsigned i = 1; i < l->n; i++)
		who = sonic_text(s, "%s, %s", who, l->who[i]);
	return arena_format(s->a, "%s: %s", who, l->why);
}

int sonic_left_lines(struct sonic *s, struct sonic_import *to)
{
	to->left = arena_get(s->a, (s->n_left + 1) * sizeof(*to->left));
	if (!to->left || s->no_memory)
		return -ENOMEM;
	for (unsigned i = 0; i < s->n_left; i++) {
		to->left[i] = left_line(s, &s->left[i]);
		if (!to->left[i])
			return -ENOMEM;
	}
	to->n_left = s->n_left;
	return 0;
}
