// SPDX-License-Identifier: BSD-3-Clause
// Groups and queues of a SONiC port: their buffer profiles as options, and which have PFC.
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define SIZE_MAX_BYTES (1ll << 30) // most that an option takes

const struct sonic_key_name sonic_keys[SONIC_KEYS] = {
	{NULL, "lossless", false},
	{NULL, "weight", false},
	{NULL, "strict", false},
	{"pfc", "enable", false},
	{"pfc", "xoff", true},
	{"pfc", "dynamic_th", true},
	{"pfc", "xon", true},
	{"pfc", "xon_offset", true},
	{"pfc", "reserved", true},
	{"pfc", "headroom", true},
	{"drop", "limit", true},
	{"drop", "dynamic_th", true},
	{"drop", "reserved", true},
	{"queue", "limit", true},
	{"queue", "dynamic_th", true},
	{"queue", "reserved", true},
	{"queue", "min_rate", true},
	{"queue", "max_rate", true},
	{"wred", "min", false},
	{"wred", "max", false},
	{"wred", "probability", false},
	{"wred", "ecn", false},
	{"wred", "not_ect", false},
	{"wred", "weight", false},
};

void sonic_put(struct sonic *s, struct sonic_value *v, const char *text, const char *who,
	const char *field)
{
	*v = (struct sonic_value){text, sonic_text(s, "%s %s", who, field)};
}

bool sonic_put_size(
	struct sonic *s, struct sonic_value *v, const struct sonic_profile *p, const char *field)
{
	int64_t n;

	if (!sonic_db_number(s, p->row, p->who, field, 0, SIZE_MAX_BYTES, &n))
		return false;
	sonic_put(s, v, sonic_text(s, "%lld", (long long)n), p->who, field);
	return true;
}

// Puts one of the two thresholds; if both are given, the dynamic one.
static void put_threshold(struct sonic *s, struct sonic_value *limit, struct sonic_value *dynamic,
	const struct sonic_profile *p)
{
	int64_t n;

	if (!sonic_db_number(s, p->row, p->who, "dynamic_th", -8, 7, &n)) {
		sonic_put_size(s, limit, p, "static_th");
		return;
	}
	sonic_put(s, dynamic, sonic_text(s, "%lld", (long long)n), p->who, "dynamic_th");
	if (sonic_db_text(s, p->row, "static_th"))
		sonic_left(s, sonic_text(s, "%s static_th", p->who),
			"a threshold is either dynamic or static; dynamic_th is taken");
}

// Finds the profile that a row of BUFFER_PG or BUFFER_QUEUE names. False: there is none, and the
// import says so.
static bool find_profile(
	struct sonic *s, struct sonic_profile *p, const json_t *row, const char *who)
{
	const char *name = sonic_db_text(s, row, "profile");

	p->row = name ? sonic_db_row(s, "BUFFER_PROFILE", name) : NULL;
	if (!p->row) {
		sonic_left(s, sonic_text(s, "%s profile", who), "names no BUFFER_PROFILE");
		return false;
	}
	p->who = sonic_text(s, "BUFFER_PROFILE|%s", sonic_db_name(s, name));
	return true;
}

static bool has_headroom_pool(struct sonic *s, const struct sonic_profile *p)
{
	const char *pool = sonic_db_text(s, p->row, "pool");
	const json_t *row = pool ? sonic_db_row(s, "BUFFER_POOL", pool) : NULL;
	const char *xoff = row ? sonic_db_text(s, row, "xoff") : NULL;

	return xoff && strtoll(xoff, NULL, 10) > 0;
}

static void lossless_profile(struct sonic *s, struct sonic_value *v, const struct sonic_profile *p)
{
	int64_t size = 0, xoff = 0, xon, limit;
	bool has_xon, has_offset;

	sonic_put(s, &v[SONIC_LOSSLESS], "true", p->who, "has xoff");
	put_threshold(s, &v[SONIC_PFC_XOFF], &v[SONIC_PFC_DYNAMIC_TH], p);
	if (sonic_put_size(s, &v[SONIC_PFC_HEADROOM], p, "xoff"))
		xoff = strtoll(v[SONIC_PFC_HEADROOM].text, NULL, 10);
	else
		sonic_put(s, &v[SONIC_PFC_HEADROOM], "sonic", p->who,
			"has no xoff: SONiC computes it");
	has_xon = sonic_db_number(s, p->row, p->who, "xon", 0, SIZE_MAX_BYTES, &xon);
	if (has_xon)
		sonic_put_size(s, &v[SONIC_PFC_XON], p, "xon");
	has_offset = sonic_put_size(s, &v[SONIC_PFC_XON_OFFSET], p, "xon_offset");
	// XON is the level itself if there is no offset. A static threshold is treated like
	// this anyway.
	if (has_xon && !has_offset && v[SONIC_PFC_DYNAMIC_TH].text)
		sonic_put(s, &v[SONIC_PFC_XON_OFFSET], "1GiB", p->who,
			"has no xon_offset: at xon alone");
	limit = v[SONIC_PFC_XOFF].text ? strtoll(v[SONIC_PFC_XOFF].text, NULL, 10) : INT64_MAX;
	if (has_xon && xon > limit) {
		sonic_left(s, sonic_text(s, "%s xon", p->who), "is above static_th");
		v[SONIC_PFC_XON] = (struct sonic_value){0};
	}
	if (!sonic_db_number(s, p->row, p->who, "size", 0, SIZE_MAX_BYTES, &size))
		return;
	// Without a headroom pool a profile's headroom is part of its size (SAI).
	if (xoff && size >= xoff && !has_headroom_pool(s, p))
		sonic_put(s, &v[SONIC_PFC_RESERVED],
			sonic_text(s, "%lld", (long long)(size - xoff)), p->who, "size - xoff");
	else
		sonic_put_size(s, &v[SONIC_PFC_RESERVED], p, "size");
}

// "NULL" is what SONiC's dynamic buffer model computes from speed, cable and MTU.
static void computed_profile(struct sonic *s, struct sonic_value *v, const char *who)
{
	const json_t *row = sonic_db_row(s, "DEFAULT_LOSSLESS_BUFFER_PARAMETER", "AZURE");
	int64_t n;

	sonic_put(s, &v[SONIC_LOSSLESS], "true", who, "profile NULL: computed, lossless");
	sonic_put(s, &v[SONIC_PFC_HEADROOM], "sonic", who, "profile NULL: SONiC computes it");
	if (row && sonic_db_number(s, row, "DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE",
			   "default_dynamic_th", -8, 7, &n))
		sonic_put(s, &v[SONIC_PFC_DYNAMIC_TH], sonic_text(s, "%lld", (long long)n),
			"DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE", "default_dynamic_th");
	if (row && json_object_get(row, "over_subscribe_ratio"))
		sonic_left(s, "DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE over_subscribe_ratio",
			"a headroom pool has a size; give the switch's pools.headroom");
}

static void read_group(struct sonic *s, struct sonic_port *p, unsigned pg)
{
	struct sonic_value *v = p->cls[pg];
	const char *key, *name;
	const json_t *row = sonic_db_indexed(s, p, SONIC_BUFFER_PG, pg, &key);
	struct sonic_profile profile;

	if (!row) {
		sonic_left(s, sonic_text(s, "BUFFER_PG|%s|%u", p->name, pg),
			"config_db lacks it: the group has a scenario's own thresholds");
		return;
	}
	key = sonic_text(s, "BUFFER_PG|%s", key);
	name = sonic_db_text(s, row, "profile");
	if (name && !strcmp(name, "NULL")) {
		computed_profile(s, v, key);
		return;
	}
	if (!find_profile(s, &profile, row, key))
		return;

	const char *type = sonic_db_text(s, profile.row, "headroom_type");

	if (sonic_db_text(s, profile.row, "xoff") || (type && !strcmp(type, "dynamic"))) {
		lossless_profile(s, v, &profile);
		return;
	}
	sonic_put(s, &v[SONIC_LOSSLESS], "false", profile.who, "has no xoff");
	put_threshold(s, &v[SONIC_DROP_LIMIT], &v[SONIC_DROP_DYNAMIC_TH], &profile);
	sonic_put_size(s, &v[SONIC_DROP_RESERVED], &profile, "size");
}

// Returns whether a static_th limits nothing, because it is at least the pool's size.
static bool is_whole_pool(struct sonic *s, const struct sonic_profile *p)
{
	const char *pool = sonic_db_text(s, p->row, "pool");
	const json_t *row = pool ? sonic_db_row(s, "BUFFER_POOL", pool) : NULL;
	int64_t size, limit;

	return row && sonic_db_number(s, row, pool, "size", 0, SIZE_MAX_BYTES, &size) &&
	       sonic_db_number(s, p->row, p->who, "static_th", 0, SIZE_MAX_BYTES, &limit) &&
	       limit >= size;
}

static void read_queue_buffer(struct sonic *s, struct sonic_port *p, unsigned queue)
{
	struct sonic_value *v = p->cls[queue];
	const char *key;
	const json_t *row = sonic_db_indexed(s, p, SONIC_BUFFER_QUEUE, queue, &key);
	struct sonic_profile profile;

	if (!row) {
		sonic_left(s, sonic_text(s, "BUFFER_QUEUE|%s|%u", p->name, queue),
			"config_db lacks it: the queue has no limit but its pool's");
		return;
	}
	if (!find_profile(s, &profile, row, sonic_text(s, "BUFFER_QUEUE|%s", key)))
		return;
	put_threshold(s, &v[SONIC_QUEUE_LIMIT], &v[SONIC_QUEUE_DYNAMIC_TH], &profile);
	if (is_whole_pool(s, &profile))
		v[SONIC_QUEUE_LIMIT] = (struct sonic_value){0};
	sonic_put_size(s, &v[SONIC_QUEUE_RESERVED], &profile, "size");
}

bool sonic_has_number(const char *list, unsigned n)
{
	for (const char *at = list; at && *at;) {
		char *end;
		unsigned long one = strtoul(at, &end, 10);

		if (end != at && one == n)
			return true;
		at = strchr(at, ',');
		at += at != NULL;
	}
	return false;
}

// PFC is a group's here: it is sent for all TCs that lead to it.
static void read_enable(struct sonic *s, struct sonic_port *p, unsigned pg)
{
	struct sonic_value *v = p->cls[pg];
	const char *key, *who = sonic_text(s, "PORT_QOS_MAP|%s", p->name);
	const json_t *row = sonic_db_port(s, p, SONIC_PORT_QOS_MAP, &key);
	const char *list = row ? sonic_db_text(s, row, "pfc_enable") : NULL;
	bool is_lossless = v[SONIC_LOSSLESS].text && !strcmp(v[SONIC_LOSSLESS].text, "true");
	bool any = false;

	for (unsigned tc = 0; tc < PKT_CLASSES; tc++)
		any |= p->pg[tc] == pg && sonic_has_number(list, tc);
	if (is_lossless)
		sonic_put(s, &v[SONIC_PFC_ENABLE], any ? "true" : "false", who,
			list ? sonic_text(s, "pfc_enable %s", list) : "has no pfc_enable");
	for (unsigned tc = 0; tc < PKT_CLASSES && any; tc++) {
		const char *one = sonic_text(s, "%s pfc_enable %u", who, tc);

		if (p->pg[tc] != pg || sonic_has_number(list, tc) == is_lossless)
			continue;
		if (is_lossless)
			sonic_left(s, one, "is not there, but its group has PFC for another TC");
		else
			sonic_left(s, one,
				"the group of this class has no lossless profile: it is lossy, "
				"without PFC; SONiC's static model makes the profile from "
				"pg_profile_lookup.ini: give it by --pg-lookup");
	}
}

static bool is_used(const uint8_t map[PKT_CLASSES], unsigned number)
{
	return memchr(map, (int)number, PKT_CLASSES) != NULL;
}

// Whether a queue gets frames of a lossless group.
static bool is_lossless(const struct sonic_port *p, unsigned queue)
{
	for (unsigned tc = 0; tc < PKT_CLASSES; tc++) {
		const char *text = p->cls[p->pg[tc]][SONIC_LOSSLESS].text;

		if (p->queue[tc] == queue && text && !strcmp(text, "true"))
			return true;
	}
	return false;
}

// A queue's pool is the pool of its classes, whatever its profile says.
static void check_pool(struct sonic *s, const struct sonic_port *p, unsigned queue)
{
	const char *key, *profile, *pool;
	const json_t *row = sonic_db_indexed(s, p, SONIC_BUFFER_QUEUE, queue, &key);
	bool lossless = is_lossless(p, queue);

	profile = row ? sonic_db_text(s, row, "profile") : NULL;
	row = profile ? sonic_db_row(s, "BUFFER_PROFILE", profile) : NULL;
	pool = row ? sonic_db_text(s, row, "pool") : NULL;
	if (!pool || sonic_one_egress(s) ||
		!strcmp(sonic_db_name(s, pool),
			lossless ? "egress_lossless_pool" : "egress_lossy_pool"))
		return;
	sonic_left(s, sonic_text(s, "BUFFER_QUEUE|%s profile's pool", key), "this queue is %s",
		lossless ? "lossless and takes from egress_lossless_pool"
			 : "lossy and takes from egress_lossy_pool");
}

void sonic_classes(struct sonic *s, struct sonic_port *p)
{
	for (unsigned i = 0; i < PKT_CLASSES; i++) {
		if (is_used(p->pg, i)) {
			read_group(s, p, i);
			read_enable(s, p, i);
		}
		if (is_used(p->queue, i)) {
			read_queue_buffer(s, p, i);
			sonic_queue(s, p, i);
		}
	}
	for (unsigned i = 0; i < PKT_CLASSES; i++) {
		if (is_used(p->queue, i))
			check_pool(s, p, i);
	}
}
