// SPDX-License-Identifier: BSD-3-Clause
// The entry of a port in `ports` of the scenario: the values in which the port differs from the
// switch. If only the switch has a value, the entry has the scenario's default.
#include <string.h>

#include "int.h"

// The default of a key in a scenario; NULL: the key beside it in a pair has the default of both, or
// it is always there with others.
static const char *const usual[SONIC_KEYS] = {
	[SONIC_LOSSLESS] = "false",
	[SONIC_WEIGHT] = "1",
	[SONIC_STRICT] = "false",
	[SONIC_PFC_ENABLE] = "true",
	[SONIC_PFC_DYNAMIC_TH] = "-3",
	[SONIC_PFC_XON] = "none",
	[SONIC_PFC_XON_OFFSET] = "auto",
	[SONIC_PFC_RESERVED] = "0",
	[SONIC_PFC_HEADROOM] = "auto",
	[SONIC_DROP_DYNAMIC_TH] = "0",
	[SONIC_DROP_RESERVED] = "0",
	[SONIC_QUEUE_LIMIT] = "none",
	[SONIC_QUEUE_RESERVED] = "0",
	[SONIC_QUEUE_MIN_RATE] = "none",
	[SONIC_QUEUE_MAX_RATE] = "none",
	[SONIC_WRED_MIN] = "none",
	[SONIC_WRED_MAX] = "none",
	[SONIC_WRED_ECN] = "true",
	[SONIC_WRED_NOT_ECT] = "auto",
	[SONIC_WRED_WEIGHT] = "0",
};

// The key that excludes a key; the key itself if there is none.
static enum sonic_key other_of(enum sonic_key key)
{
	static const enum sonic_key pair[][2] = {{SONIC_PFC_XOFF, SONIC_PFC_DYNAMIC_TH},
		{SONIC_DROP_LIMIT, SONIC_DROP_DYNAMIC_TH},
		{SONIC_QUEUE_LIMIT, SONIC_QUEUE_DYNAMIC_TH}};

	for (unsigned i = 0; i < sizeof(pair) / sizeof(pair[0]); i++) {
		if (pair[i][0] == key || pair[i][1] == key)
			return pair[i][pair[i][0] == key];
	}
	return key;
}

bool sonic_is_true(const struct sonic_value *v)
{
	return v->text && !strcmp(v->text, "true");
}

// Returns whether a key means something in a class with these values: pfc is for lossless classes,
// drop for lossy ones, and a class without a marker says so by min and max alone.
static bool is_meant(const struct sonic_value *v, enum sonic_key key)
{
	const char *map = sonic_keys[key].map;
	bool is_lossless = sonic_is_true(&v[SONIC_LOSSLESS]);

	if (!map)
		return true;
	if (!strcmp(map, "pfc"))
		return is_lossless;
	if (!strcmp(map, "drop"))
		return !is_lossless;
	return strcmp(map, "wred") != 0 || v[SONIC_WRED_MAX].text || key == SONIC_WRED_MIN ||
	       key == SONIC_WRED_MAX;
}

// The value that an entry has where the port has `v` and the switch `all`; no text: none.
static struct sonic_value differing(
	const struct sonic_value *v, const struct sonic_value *all, enum sonic_key key)
{
	const enum sonic_key other = other_of(key);
	const char *is = v[key].text, *is_all = all[key].text;

	if (!is_meant(v, key))
		return (struct sonic_value){0};
	if (is && is_all && !strcmp(is, is_all))
		return (struct sonic_value){0};
	// Class 6 is strict unless the file says otherwise.
	if (is && !is_all && usual[key] && key != SONIC_STRICT && !all[other].text &&
		!strcmp(is, usual[key]))
		return (struct sonic_value){0};
	if (is)
		return v[key];
	if (!usual[key] || v[other].text || !(is_all || all[other].text) ||
		(is_all && !strcmp(is_all, usual[key])))
		return (struct sonic_value){0};
	return (struct sonic_value){usual[key], "config_db gives this port none: the default"};
}

void sonic_entry(const struct sonic *s, const struct sonic_port *p,
	struct sonic_value to[PKT_CLASSES][SONIC_KEYS])
{
	for (unsigned cls = 0; cls < PKT_CLASSES; cls++) {
		for (unsigned key = 0; key < SONIC_KEYS; key++)
			to[cls][key] = differing(p->cls[cls], s->cls[cls], (enum sonic_key)key);
	}
}

bool sonic_trusts_pcp(const struct sonic_port *p)
{
	return p->pcp_from && !p->dscp_from;
}

bool sonic_has_pcp_map(const struct sonic_port *p)
{
	return p->pcp_from || !p->dscp_from;
}

void sonic_pcp_map(const struct sonic_port *p, uint8_t to[8])
{
	for (uint8_t i = 0; i < 8; i++)
		to[i] = sonic_has_pcp_map(p) ? p->pcp[i] : i;
}
