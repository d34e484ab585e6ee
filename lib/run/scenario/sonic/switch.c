// SPDX-License-Identifier: BSD-3-Clause
// The settings of a SONiC switch as a whole: pools, maps, and the values that most of its ports
// have.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define POOL_MIN_BYTES 1000
#define POOL_MAX_BYTES (1ll << 30)

static void take_pool(struct sonic *s, enum sonic_pool pool, const char *name, const char *field)
{
	const json_t *row = sonic_db_row(s, "BUFFER_POOL", name);
	const char *who = sonic_text(s, "BUFFER_POOL|%s", name);
	int64_t n;

	if (!row || !sonic_db_number(s, row, who, field, POOL_MIN_BYTES, POOL_MAX_BYTES, &n))
		return;
	s->pool_bytes[pool] = (uint64_t)n;
	s->pool[pool] = (struct sonic_value){
		sonic_text(s, "%lld", (long long)n), sonic_text(s, "%s %s", who, field)};
}

static uint64_t bytes_of(const struct sonic_value *v)
{
	return v->text ? strtoull(v->text, NULL, 10) : 0;
}

// The bytes of the ingress pool that belong to groups of all ports.
static uint64_t owned_bytes(const struct sonic *s)
{
	uint64_t own = 0;

	for (unsigned i = 0; i < s->n_ports * PKT_CLASSES; i++) {
		const struct sonic_value *v = s->port[i / PKT_CLASSES].cls[i % PKT_CLASSES];

		own += bytes_of(&v[SONIC_PFC_RESERVED]) + bytes_of(&v[SONIC_DROP_RESERVED]);
		own += s->pool_bytes[SONIC_HEADROOM] ? 0 : bytes_of(&v[SONIC_PFC_HEADROOM]);
	}
	return own;
}

// Some ASICs' pools leave out the bytes that groups own. Such a pool is smaller than these bytes.
static void add_owned(struct sonic *s)
{
	uint64_t own = owned_bytes(s), *size = &s->pool_bytes[SONIC_INGRESS];
	struct sonic_value *v = &s->pool[SONIC_INGRESS];

	if (!*size || own < *size)
		return;
	*size += own;
	s->counts.owned = own;
	*v = (struct sonic_value){sonic_text(s, "%llu", (unsigned long long)*size),
		sonic_text(s, "%s and %llu bytes that groups own: the pool leaves them out",
			v->from, (unsigned long long)own)};
}

// Returns the size of the largest pool. The ingress pool counts with the headroom added.
static uint64_t largest(const struct sonic *s, uint64_t headroom)
{
	uint64_t whole = s->pool_bytes[SONIC_INGRESS] + headroom;

	for (unsigned i = SONIC_EGRESS; i < SONIC_POOLS; i++)
		whole = s->pool_bytes[i] > whole ? s->pool_bytes[i] : whole;
	return whole;
}

// The egress pool of a switch that has one for lossy and lossless queues; NULL: it has two or none.
const char *sonic_one_egress(const struct sonic *s)
{
	const char *name, *found = NULL;
	json_t *row;

	json_object_foreach(json_object_get(s->root, "BUFFER_POOL"), name, row)
	{
		const char *type = json_string_value(json_object_get(row, "type"));

		if (type ? strcmp(type, "egress") : strncmp(name, "egress", strlen("egress")))
			continue;
		if (found)
			return NULL;
		found = name;
	}
	return found;
}

// SONiC's names of pools are fixed: its own code looks for them.
void sonic_switch_pools(struct sonic *s)
{
	json_t *pools = json_object_get(s->root, "BUFFER_POOL");
	uint64_t whole;

	take_pool(s, SONIC_INGRESS, "ingress_lossless_pool", "size");
	take_pool(s, SONIC_HEADROOM, "ingress_lossless_pool", "xoff");
	if (sonic_one_egress(s)) {
		take_pool(s, SONIC_EGRESS, sonic_one_egress(s), "size");
	} else {
		take_pool(s, SONIC_EGRESS_LOSSLESS, "egress_lossless_pool", "size");
		take_pool(s, SONIC_EGRESS_LOSSY, "egress_lossy_pool", "size");
	}
	if (json_object_get(pools, "ingress_lossy_pool")) {
		sonic_db_row(s, "BUFFER_POOL", "ingress_lossy_pool");
		sonic_left(s, "BUFFER_POOL|ingress_lossy_pool",
			"there is one ingress pool: lossy groups share the lossless ones'");
	}
	// The dynamic model computes sizes: config_db may have the headroom pool alone.
	if (!s->pool_bytes[SONIC_INGRESS] && s->pool_bytes[SONIC_HEADROOM] >= largest(s, 0)) {
		if (s->pool_bytes[SONIC_HEADROOM])
			sonic_left(s, "BUFFER_POOL|ingress_lossless_pool xoff",
				"no pool has a size that it could be part of; "
				"give buffer and pools.headroom");
		s->pool_bytes[SONIC_HEADROOM] = 0;
		s->pool[SONIC_HEADROOM] = (struct sonic_value){0};
	}
	add_owned(s);
	whole = largest(s, s->pool_bytes[SONIC_HEADROOM]);
	if (whole)
		s->buffer = (struct sonic_value){sonic_text(s, "%llu", (unsigned long long)whole),
			"not in config_db: the largest pool, or ingress_lossless_pool + xoff"};
	if (whole > (uint64_t)POOL_MAX_BYTES) {
		sonic_left(s, "BUFFER_POOL|ingress_lossless_pool", "is over 1 GiB with its xoff");
		s->buffer = (struct sonic_value){0};
		memset(s->pool, 0, sizeof(s->pool));
	}
	if (!s->buffer.text)
		sonic_left(s, "BUFFER_POOL", "no pool has a size: the scenario's default buffer");
	sonic_left(s, "the ASIC",
		"config_db does not say its cell size, where it marks and how it knows a storm; "
		"give cell, wred.mark and pfc_watchdog.rule, else 1, dequeue and mellanox are "
		"taken");
}

// A map that lacks codepoints.
static void name_hole(struct sonic *s, const json_t *map, const char *who, unsigned n)
{
	unsigned first = n, missing = 0;

	for (unsigned i = 0; i < n; i++) {
		char text[sizeof("4294967295")];

		snprintf(text, sizeof(text), "%u", i);
		if (json_object_get(map, text))
			continue;
		first = missing++ ? first : i;
	}
	if (missing)
		sonic_left(s, who,
			"lacks %u of %u codepoints, the first is %u: they have TC 0, as in SONiC",
			missing, n, first);
}

// Reads a map from codepoint to TC. *from stays NULL if the port has no such map.
static void read_map(struct sonic *s, const struct sonic_port *p, const char *field,
	const char *table, unsigned n, uint8_t *to, const char **from)
{
	const char *key, *name = NULL;
	const json_t *row = sonic_db_port(s, p, SONIC_PORT_QOS_MAP, &key), *map;

	name = row ? sonic_db_text(s, row, field) : NULL;
	if (!name) {
		row = sonic_db_row(s, "PORT_QOS_MAP", "global");
		name = row ? sonic_db_text(s, row, field) : NULL;
	}
	map = name ? sonic_db_row(s, table, name) : NULL;
	if (name && !map)
		sonic_left(s, sonic_text(s, "PORT_QOS_MAP|%s %s", p->name, field), "names no %s",
			table);
	if (!map)
		return;
	*from = sonic_text(s, "%s|%s", table, sonic_db_name(s, name));
	name_hole(s, map, *from, n);
	for (unsigned i = 0; i < n; i++) {
		char text[sizeof("4294967295")];
		int64_t tc = 0;

		snprintf(text, sizeof(text), "%u", i);
		to[i] = 0; // SONiC: what has no entry has TC 0
		if (sonic_db_number(s, map, *from, text, 0, PKT_CLASSES - 1, &tc))
			to[i] = (uint8_t)tc;
	}
}

// Codepoint to TC of a port.
void sonic_switch_maps(struct sonic *s, struct sonic_port *p)
{
	read_map(s, p, "dscp_to_tc_map", "DSCP_TO_TC_MAP", 64, p->dscp, &p->dscp_from);
	read_map(s, p, "dot1p_to_tc_map", "DOT1P_TO_TC_MAP", 8, p->pcp, &p->pcp_from);
}

void sonic_switch_check_maps(struct sonic *s)
{
	for (unsigned i = 0; i < s->n_ports; i++) {
		const struct sonic_port *p = &s->port[i];

		if (!p->dscp_from && !p->pcp_from)
			sonic_left(s, sonic_text(s, "PORT_QOS_MAP|%s", p->name),
				"no map from DSCP or PCP: as in SONiC every frame has TC 0");
	}
}

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

// Returns the value that most ports of the switch's group have.
static struct sonic_value most_common(const struct sonic *s, unsigned cls, enum sonic_key key)
{
	const struct sonic_value *value[NODE_PORTS];
	unsigned count[NODE_PORTS] = {0}, n = 0, best = 0;

	if (!sonic_keys[key].at_port)
		return s->base->cls[cls][key];
	for (unsigned i = 0; i < s->n_ports; i++) {
		const struct sonic_value *v = &s->port[i].cls[cls][key];
		unsigned k = 0;

		if (s->port[i].group != s->of_switch)
			continue;
		while (k < n && !is_same(value[k]->text, v->text))
			k++;
		if (k == n)
			value[n++] = v;
		count[k]++;
	}
	for (unsigned k = 1; k < n; k++)
		best = count[k] > count[best] ? k : best;
	return *value[best];
}

static void common_watchdog(struct sonic *s)
{
	for (unsigned i = 1; i < s->n_ports; i++) {
		if (!is_same(s->port[i].watchdog.text, s->port[0].watchdog.text))
			return;
	}
	s->watchdog = s->port[0].watchdog;
	for (unsigned i = 0; i < s->n_ports; i++)
		s->port[i].watchdog = (struct sonic_value){0};
}

void sonic_switch_common(struct sonic *s)
{
	for (unsigned cls = 0; cls < PKT_CLASSES; cls++) {
		for (unsigned key = 0; key < SONIC_KEYS; key++)
			s->cls[cls][key] = most_common(s, cls, key);
	}
	common_watchdog(s);
}
