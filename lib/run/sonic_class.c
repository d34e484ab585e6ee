// SPDX-License-Identifier: BSD-3-Clause
// Classes of a SONiC port: profile of group and queue, WRED profile and scheduler as options.
#include <stdlib.h>
#include <string.h>

#include "run/sonic_int.h"

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
	{"wred", "min", false},
	{"wred", "max", false},
	{"wred", "probability", false},
	{"wred", "not_ect", false},
};

// A profile, and what says so.
struct profile {
	const json_t *row;
	const char *who;
};

static void put(struct sonic *s, struct sonic_value *v, const char *text, const char *who,
	const char *field)
{
	*v = (struct sonic_value){text, sonic_text(s, "%s %s", who, field)};
}

static bool put_size(
	struct sonic *s, struct sonic_value *v, const struct profile *p, const char *field)
{
	int64_t n;

	if (!sonic_db_number(s, p->row, p->who, field, 0, SIZE_MAX_BYTES, &n))
		return false;
	put(s, v, sonic_text(s, "%lld", (long long)n), p->who, field);
	return true;
}

// One of the two; with both the one that moves is taken.
static void put_threshold(struct sonic *s, struct sonic_value *limit, struct sonic_value *dynamic,
	const struct profile *p)
{
	int64_t n;

	if (!sonic_db_number(s, p->row, p->who, "dynamic_th", -8, 7, &n)) {
		put_size(s, limit, p, "static_th");
		return;
	}
	put(s, dynamic, sonic_text(s, "%lld", (long long)n), p->who, "dynamic_th");
	if (sonic_db_text(s, p->row, "static_th"))
		sonic_left(s, sonic_text(s, "%s static_th", p->who),
			"a threshold is either dynamic or static; dynamic_th is taken");
}

// The profile that a row of a group or a queue names.
static bool find_profile(struct sonic *s, struct profile *p, const json_t *row, const char *who)
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

static bool has_headroom_pool(struct sonic *s, const struct profile *p)
{
	const char *pool = sonic_db_text(s, p->row, "pool");
	const json_t *row = pool ? sonic_db_row(s, "BUFFER_POOL", pool) : NULL;
	const char *xoff = row ? sonic_db_text(s, row, "xoff") : NULL;

	return xoff && strtoll(xoff, NULL, 10) > 0;
}

static void lossless_profile(struct sonic *s, struct sonic_value *v, const struct profile *p)
{
	int64_t size = 0, xoff = 0, xon, limit;
	bool has_xon, has_offset;

	put(s, &v[SONIC_LOSSLESS], "true", p->who, "has xoff");
	put_threshold(s, &v[SONIC_PFC_XOFF], &v[SONIC_PFC_DYNAMIC_TH], p);
	if (put_size(s, &v[SONIC_PFC_HEADROOM], p, "xoff"))
		xoff = strtoll(v[SONIC_PFC_HEADROOM].text, NULL, 10);
	else
		put(s, &v[SONIC_PFC_HEADROOM], "sonic", p->who, "has no xoff: SONiC computes it");
	has_xon = sonic_db_number(s, p->row, p->who, "xon", 0, SIZE_MAX_BYTES, &xon);
	if (has_xon)
		put_size(s, &v[SONIC_PFC_XON], p, "xon");
	has_offset = put_size(s, &v[SONIC_PFC_XON_OFFSET], p, "xon_offset");
	// Without an offset XON is the level itself, which a static threshold takes it for anyway.
	if (has_xon && !has_offset && v[SONIC_PFC_DYNAMIC_TH].text)
		put(s, &v[SONIC_PFC_XON_OFFSET], "1GiB", p->who, "has no xon_offset: at xon alone");
	limit = v[SONIC_PFC_XOFF].text ? strtoll(v[SONIC_PFC_XOFF].text, NULL, 10) : INT64_MAX;
	if (has_xon && xon > limit) {
		sonic_left(s, sonic_text(s, "%s xon", p->who), "is above static_th");
		v[SONIC_PFC_XON] = (struct sonic_value){0};
	}
	if (!sonic_db_number(s, p->row, p->who, "size", 0, SIZE_MAX_BYTES, &size))
		return;
	// What has no headroom pool to take it from has its headroom within its size (SAI).
	if (xoff && size >= xoff && !has_headroom_pool(s, p))
		put(s, &v[SONIC_PFC_RESERVED], sonic_text(s, "%lld", (long long)(size - xoff)),
			p->who, "size - xoff");
	else
		put_size(s, &v[SONIC_PFC_RESERVED], p, "size");
}

// "NULL" is what SONiC's dynamic buffer model computes from speed, cable and MTU.
static void computed_profile(struct sonic *s, struct sonic_value *v, const char *who)
{
	const json_t *row = sonic_db_row(s, "DEFAULT_LOSSLESS_BUFFER_PARAMETER", "AZURE");
	int64_t n;

	put(s, &v[SONIC_LOSSLESS], "true", who, "profile NULL: computed, lossless");
	put(s, &v[SONIC_PFC_HEADROOM], "sonic", who, "profile NULL: SONiC computes it");
	if (row && sonic_db_number(s, row, "DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE",
			   "default_dynamic_th", -8, 7, &n))
		put(s, &v[SONIC_PFC_DYNAMIC_TH], sonic_text(s, "%lld", (long long)n),
			"DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE", "default_dynamic_th");
	if (row && json_object_get(row, "over_subscribe_ratio"))
		sonic_left(s, "DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE over_subscribe_ratio",
			"a headroom pool has a size; give the switch's pools.headroom");
}

static void read_group(struct sonic *s, struct sonic_port *p, unsigned tc)
{
	struct sonic_value *v = p->cls[tc];
	const char *key, *name;
	const json_t *row = sonic_db_indexed(s, "BUFFER_PG", p->name, p->pg[tc], &key);
	struct profile profile;

	if (!row) {
		sonic_left(s, sonic_text(s, "BUFFER_PG|%s|%u", p->name, p->pg[tc]),
			"is not there: the class has a scenario's own thresholds");
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
	put(s, &v[SONIC_LOSSLESS], "false", profile.who, "has no xoff");
	put_threshold(s, &v[SONIC_DROP_LIMIT], &v[SONIC_DROP_DYNAMIC_TH], &profile);
	put_size(s, &v[SONIC_DROP_RESERVED], &profile, "size");
}

static void read_queue_buffer(struct sonic *s, struct sonic_port *p, unsigned tc)
{
	struct sonic_value *v = p->cls[tc];
	const char *key;
	const json_t *row = sonic_db_indexed(s, "BUFFER_QUEUE", p->name, p->queue[tc], &key);
	struct profile profile;

	if (!row) {
		sonic_left(s, sonic_text(s, "BUFFER_QUEUE|%s|%u", p->name, p->queue[tc]),
			"is not there: the queue has no limit but its pool's");
		return;
	}
	if (!find_profile(s, &profile, row, sonic_text(s, "BUFFER_QUEUE|%s", key)))
		return;
	put_threshold(s, &v[SONIC_QUEUE_LIMIT], &v[SONIC_QUEUE_DYNAMIC_TH], &profile);
	put_size(s, &v[SONIC_QUEUE_RESERVED], &profile, "size");
}

static bool marks_green(const char *ecn)
{
	return ecn && (!strcmp(ecn, "ecn_all") || strstr(ecn, "green"));
}

static void read_wred(struct sonic *s, struct sonic_value *v, const char *name)
{
	const json_t *row = sonic_db_row(s, "WRED_PROFILE", name);
	const char *who = sonic_text(s, "WRED_PROFILE|%s", sonic_db_name(s, name));
	int64_t min, max, n = 100;

	if (!row) {
		sonic_left(s, who, "is named but not there");
		return;
	}

	const char *drops = sonic_db_text(s, row, "wred_green_enable");

	if (!marks_green(sonic_db_text(s, row, "ecn"))) {
		sonic_left(s, who,
			"marks no green frames (ecn is not ecn_all or ecn_green); a marker that drops ECT frames is no option");
		return;
	}
	if (!sonic_db_number(s, row, who, "green_min_threshold", 0, 2 * SIZE_MAX_BYTES, &min) ||
		!sonic_db_number(s, row, who, "green_max_threshold", 0, 2 * SIZE_MAX_BYTES, &max) ||
		min > max) {
		sonic_left(s, who, "wants green_min_threshold <= green_max_threshold: no marker");
		return;
	}
	put(s, &v[SONIC_WRED_MIN], sonic_text(s, "%lld", (long long)min), who,
		"green_min_threshold");
	put(s, &v[SONIC_WRED_MAX], sonic_text(s, "%lld", (long long)max), who,
		"green_max_threshold");
	bool is_given = sonic_db_number(s, row, who, "green_drop_probability", 0, 100, &n);
	put(s, &v[SONIC_WRED_PROBABILITY], sonic_text(s, "%lld%%", (long long)n), who,
		is_given ? "green_drop_probability"
			 : "has no green_drop_probability: SAI's default");
	bool is_drop = drops && !strcmp(drops, "true");
	put(s, &v[SONIC_WRED_NOT_ECT], is_drop ? "drop" : "forward", who,
		is_drop ? "wred_green_enable" : "has no wred_green_enable");
}

static void read_scheduler(struct sonic *s, struct sonic_value *v, const char *name)
{
	const json_t *row = sonic_db_row(s, "SCHEDULER", name);
	const char *who = sonic_text(s, "SCHEDULER|%s", sonic_db_name(s, name));
	const char *type = row ? sonic_db_text(s, row, "type") : NULL;
	int64_t weight;

	if (!row) {
		sonic_left(s, who, "is named but not there");
		return;
	}
	if (type && !strcmp(type, "STRICT")) {
		put(s, &v[SONIC_STRICT], "true", who, "type STRICT");
		return;
	}
	put(s, &v[SONIC_STRICT], "false", who,
		type ? sonic_text(s, "type %s", type) : "has no type");
	if (type && !strcmp(type, "WRR"))
		sonic_left(s, sonic_text(s, "%s type WRR", who), "shares are by octets (DWRR)");
	if (sonic_db_number(s, row, who, "weight", 1, 1000, &weight))
		put_size(s, &v[SONIC_WEIGHT], &(struct profile){row, who}, "weight");
}

static void read_queue(struct sonic *s, struct sonic_port *p, unsigned tc)
{
	struct sonic_value *v = p->cls[tc];
	const char *key;
	const json_t *row = sonic_db_indexed(s, "QUEUE", p->name, p->queue[tc], &key);
	const char *scheduler = row ? sonic_db_text(s, row, "scheduler") : NULL;
	const char *wred = row ? sonic_db_text(s, row, "wred_profile") : NULL;

	if (scheduler)
		read_scheduler(s, v, scheduler);
	else
		v[SONIC_STRICT] = (struct sonic_value){
			"false", sonic_text(s, "QUEUE|%s|%u has no scheduler: DWRR, weight 1",
					 p->name, p->queue[tc])};
	if (wred)
		read_wred(s, v, wred);
}

static bool has_number(const char *list, unsigned n)
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

static void read_enable(struct sonic *s, struct sonic_port *p, unsigned tc)
{
	struct sonic_value *v = p->cls[tc];
	const char *key, *who = sonic_text(s, "PORT_QOS_MAP|%s", p->name);
	const json_t *row = sonic_db_port(s, "PORT_QOS_MAP", p->name, &key);
	const char *list = row ? sonic_db_text(s, row, "pfc_enable") : NULL;
	bool is_lossless = v[SONIC_LOSSLESS].text && !strcmp(v[SONIC_LOSSLESS].text, "true");
	bool is_enabled = has_number(list, tc);

	if (is_lossless)
		put(s, &v[SONIC_PFC_ENABLE], is_enabled ? "true" : "false", who,
			list ? sonic_text(s, "pfc_enable %s", list) : "has no pfc_enable");
	else if (is_enabled)
		sonic_left(s, sonic_text(s, "%s pfc_enable %u", who, tc),
			"the group of this class has no lossless profile: it is lossy, without PFC");
}

// TCs that share a group or queue share its reserved octets: the first of them has these.
static void reserve_once(
	struct sonic *s, struct sonic_port *p, const uint8_t *map, unsigned tc, enum sonic_key key)
{
	struct sonic_value *v = &p->cls[tc][key];

	for (unsigned first = 0; first < tc && v->text; first++) {
		if (map[first] != map[tc])
			continue;
		*v = (struct sonic_value){
			"0", sonic_text(s, "%s, counted in class %u, as both share %u", v->from,
				     first, map[tc])};
		return;
	}
}

void sonic_classes(struct sonic *s, struct sonic_port *p)
{
	for (unsigned tc = 0; tc < PKT_CLASSES; tc++) {
		read_group(s, p, tc);
		read_queue_buffer(s, p, tc);
		read_queue(s, p, tc);
		read_enable(s, p, tc);
		reserve_once(s, p, p->pg, tc, SONIC_PFC_RESERVED);
		reserve_once(s, p, p->pg, tc, SONIC_DROP_RESERVED);
		reserve_once(s, p, p->queue, tc, SONIC_QUEUE_RESERVED);
	}
}
