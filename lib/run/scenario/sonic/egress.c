// SPDX-License-Identifier: BSD-3-Clause
// Egress of a SONiC port: WRED profile, scheduler and rates of its queues, and its own rate, as
// options.
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define THRESHOLD_MAX (1ll << 31) // most that an option takes
#define RATE_MIN_BPS  100000      // least and most rate of a shaper
#define RATE_MAX_BPS  (800ll * 1000000000)
#define BURST_MIN     64
#define WEIGHT_MAX    15 // SAI_WRED_ATTR_WEIGHT

// No frame is metered here, so all have one colour: green, unless the profile speaks of another
// only.
static const char *colour(struct sonic *s, const json_t *row)
{
	static const char *const names[] = {"green", "yellow", "red"};

	for (unsigned i = 0; i < 3; i++) {
		if (sonic_db_text(s, row, sonic_text(s, "%s_min_threshold", names[i])) &&
			sonic_db_text(s, row, sonic_text(s, "%s_max_threshold", names[i])))
			return names[i];
	}
	return "green";
}

bool sonic_wred_is_taken(struct sonic *s, const json_t *row, const char *field)
{
	const char *name = colour(s, row), *enable = sonic_text(s, "wred_%s_enable", name);

	return !strncmp(field, name, strlen(name)) || !strcmp(field, enable);
}

static bool marks(const char *ecn, const char *name)
{
	return ecn && (!strcmp(ecn, "ecn_all") || strstr(ecn, name));
}

static const char *field_of(struct sonic *s, const char *name, const char *field)
{
	return sonic_text(s, "%s_%s", name, field);
}

static void wred_thresholds(struct sonic *s, struct sonic_value *v, const json_t *row,
	const char *who, const char *name)
{
	const char *low = field_of(s, name, "min_threshold");
	const char *high = field_of(s, name, "max_threshold");
	const char *share = field_of(s, name, "drop_probability");
	const struct sonic_profile p = {row, who};
	int64_t n = 100;
	bool is_given = sonic_db_number(s, row, who, share, 0, 100, &n);

	sonic_put_size(s, &v[SONIC_WRED_MIN], &p, low);
	sonic_put_size(s, &v[SONIC_WRED_MAX], &p, high);
	sonic_put(s, &v[SONIC_WRED_PROBABILITY], sonic_text(s, "%lld%%", (long long)n), who,
		is_given ? share : sonic_text(s, "has no %s: SAI's default", share));
}

static void read_wred(struct sonic *s, struct sonic_value *v, const char *reference)
{
	const json_t *row = sonic_db_row(s, "WRED_PROFILE", reference);
	const char *who = sonic_text(s, "WRED_PROFILE|%s", sonic_db_name(s, reference));
	int64_t min, max, n;

	if (!row) {
		sonic_left(s, who, "is named but not there");
		return;
	}

	const char *name = colour(s, row), *enable = sonic_text(s, "wred_%s_enable", name);
	const char *ecn = sonic_db_text(s, row, "ecn"), *drop = sonic_db_text(s, row, enable);
	bool is_drop = drop && !strcmp(drop, "true"), is_ecn = marks(ecn, name);

	if (!is_drop && !is_ecn) {
		sonic_left(s, who, "neither marks (ecn) nor drops (%s)", enable);
		return;
	}
	if (!sonic_db_number(
		    s, row, who, field_of(s, name, "min_threshold"), 0, THRESHOLD_MAX, &min) ||
		!sonic_db_number(
			s, row, who, field_of(s, name, "max_threshold"), 0, THRESHOLD_MAX, &max) ||
		min > max) {
		sonic_left(s, who, "wants %s_min_threshold <= %s_max_threshold: no marker", name,
			name);
		return;
	}
	wred_thresholds(s, v, row, who, name);
	if (!is_ecn)
		sonic_put(s, &v[SONIC_WRED_ECN], "false", who,
			ecn ? sonic_text(s, "ecn %s", ecn) : "has no ecn");
	else
		sonic_put(s, &v[SONIC_WRED_NOT_ECT], is_drop ? "drop" : "forward", who,
			is_drop ? enable : sonic_text(s, "has no %s", enable));
	if (sonic_db_number(s, row, who, "weight", 0, WEIGHT_MAX, &n))
		sonic_put(s, &v[SONIC_WRED_WEIGHT], sonic_text(s, "%lld", (long long)n), who,
			"weight");
}

// Converts a rate from bytes per second. False: there is none, or it counts frames.
static bool put_rate(
	struct sonic *s, struct sonic_value *v, const struct sonic_profile *p, const char *field)
{
	const char *meter = sonic_db_text(s, p->row, "meter_type");
	const char *text = sonic_db_text(s, p->row, field);
	int64_t n;

	if (!text || !strcmp(text, "0"))
		return false;
	if (meter && !strcmp(meter, "packets")) {
		sonic_left(s, sonic_text(s, "%s %s", p->who, field),
			"counts packets; shapers count bytes");
		return false;
	}
	if (!sonic_db_number(
		    s, p->row, p->who, field, (RATE_MIN_BPS + 7) / 8, RATE_MAX_BPS / 8, &n))
		return false;
	sonic_put(s, v, sonic_units(s, UNITS_RATE, (uint64_t)n * 8), p->who,
		sonic_text(s, "%s %lld bytes/s", field, (long long)n));
	return true;
}

// A switch of a scenario has one burst for all its shapers; 0 says nothing.
static void put_burst(struct sonic *s, const struct sonic_profile *p, const char *field)
{
	const char *text = sonic_db_text(s, p->row, field);
	int64_t n;

	if (!text || !strcmp(text, "0") ||
		!sonic_db_number(s, p->row, p->who, field, BURST_MIN, THRESHOLD_MAX / 2, &n))
		return;
	text = sonic_text(s, "%lld", (long long)n);
	if (!s->burst.text)
		sonic_put(s, &s->burst, text, p->who, field);
	else if (strcmp(s->burst.text, text))
		sonic_left(s, sonic_text(s, "%s %s", p->who, field),
			"all shapers have one burst, that of %s", s->burst.from);
}

static void queue_rates(struct sonic *s, struct sonic_value *v, const struct sonic_profile *p)
{
	int64_t cir, pir;
	bool has_max = put_rate(s, &v[SONIC_QUEUE_MAX_RATE], p, "pir");
	bool has_min = put_rate(s, &v[SONIC_QUEUE_MIN_RATE], p, "cir");

	if (has_max)
		put_burst(s, p, "pbs");
	if (!has_min)
		return;
	if (has_max && sonic_db_number(s, p->row, p->who, "cir", 0, RATE_MAX_BPS, &cir) &&
		sonic_db_number(s, p->row, p->who, "pir", 0, RATE_MAX_BPS, &pir) && cir > pir) {
		sonic_left(s, sonic_text(s, "%s cir", p->who), "is above pir");
		v[SONIC_QUEUE_MIN_RATE] = (struct sonic_value){0};
		return;
	}
	put_burst(s, p, "cbs");
}

static void read_scheduler(struct sonic *s, struct sonic_value *v, const char *name)
{
	const struct sonic_profile p = {sonic_db_row(s, "SCHEDULER", name),
		sonic_text(s, "SCHEDULER|%s", sonic_db_name(s, name))};
	const char *type = p.row ? sonic_db_text(s, p.row, "type") : NULL;
	int64_t weight;

	if (!p.row) {
		sonic_left(s, p.who, "is named but not there");
		return;
	}
	queue_rates(s, v, &p);
	if (type && !strcmp(type, "STRICT")) {
		sonic_put(s, &v[SONIC_STRICT], "true", p.who, "type STRICT");
		return;
	}
	sonic_put(s, &v[SONIC_STRICT], "false", p.who,
		type ? sonic_text(s, "type %s", type) : "has no type");
	if (type && !strcmp(type, "WRR"))
		sonic_left(s, sonic_text(s, "%s type WRR", p.who), "shares are by bytes (DWRR)");
	if (sonic_db_number(s, p.row, p.who, "weight", 1, 1000, &weight))
		sonic_put_size(s, &v[SONIC_WEIGHT], &p, "weight");
}

void sonic_queue(struct sonic *s, struct sonic_port *p, unsigned queue)
{
	struct sonic_value *v = p->cls[queue];
	const char *key;
	const json_t *row = sonic_db_indexed(s, p, SONIC_QUEUE, queue, &key);
	const char *scheduler = row ? sonic_db_text(s, row, "scheduler") : NULL;
	const char *wred = row ? sonic_db_text(s, row, "wred_profile") : NULL;

	if (scheduler)
		read_scheduler(s, v, scheduler);
	else
		v[SONIC_STRICT] = (struct sonic_value){
			"false", sonic_text(s, "QUEUE|%s|%u has no scheduler: DWRR, weight 1",
					 p->name, queue)};
	if (wred)
		read_wred(s, v, wred);
}

void sonic_port_rate(struct sonic *s, struct sonic_port *p)
{
	const char *key, *who;
	const json_t *row = sonic_db_port(s, p, SONIC_PORT_QOS_MAP, &key);
	const char *name = row ? sonic_db_text(s, row, "scheduler") : NULL;
	struct sonic_profile profile = {name ? sonic_db_row(s, "SCHEDULER", name) : NULL, NULL};

	if (!name)
		return;
	who = sonic_text(s, "SCHEDULER|%s", sonic_db_name(s, name));
	profile.who = who;
	if (!profile.row)
		sonic_left(s, who, "is named but not there");
	else if (put_rate(s, &p->max_rate, &profile, "pir"))
		put_burst(s, &profile, "pbs");
}
