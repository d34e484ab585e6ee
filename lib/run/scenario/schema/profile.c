// SPDX-License-Identifier: BSD-3-Clause
// The list of profiles: each has a file of its own here, and a line in the list below.
#include "profile.h"

#include <stdio.h>
#include <string.h>

// The profile's name, and the name of a control of it in the reference.
#define PROFILES(X)         \
	X(connectx, "mlx5") \
	X(rdma_ip, "ip")    \
	X(dctcp, "dctcp")   \
	X(timely, "timely")

#define DECLARE(profile, example)                            \
	extern const struct schema_profile schema_##profile; \
	extern const struct opt_table scene_opts_##profile;
#define WORD(profile, example)     #profile,
#define OBJECT(profile, example)   &schema_##profile,
#define VARIANT(profile, example_) {example_, &scene_opts_##profile},

PROFILES(DECLARE)

const char *const scene_opts_profiles[] = {"paper", "hpcc_sim_dcqcn", PROFILES(WORD) NULL};
const struct opt_variant schema_variants[] = {PROFILES(VARIANT){NULL, NULL}};
static const struct schema_profile *const own[] = {PROFILES(OBJECT) NULL};

const struct schema_profile *schema_profile(const char *name)
{
	for (unsigned i = 0; own[i]; i++)
		if (!strcmp(own[i]->name, name))
			return own[i];
	return NULL;
}

const struct schema_profile *schema_sim_profile(unsigned mode)
{
	for (unsigned i = 0; own[i]; i++)
		if (mode && own[i]->sim_mode == mode)
			return own[i];
	return NULL;
}

bool schema_has_sim_key(const char *from)
{
	for (unsigned i = 0; own[i]; i++) {
		const struct schema_sim_key *k = own[i]->sim_keys;

		for (; k && k->from; k++)
			if (!strcmp(k->from, from))
				return true;
	}
	return false;
}

bool schema_is_dcqcn(const char *name)
{
	const struct schema_profile *p = schema_profile(name);

	return !p || p->kind == RP_DCQCN || p->kind == RP_RDMA_IP;
}

const struct yamldoc_node *schema_given(const struct schema_control *c, const struct opt_table *t,
	const void *spec, const char *key)
{
	const struct yamldoc_node *n = opt_row(t, key) ? opt_source(t, spec, key) : NULL;

	return n ? n : c->key;
}

int schema_percent(struct err *err, unsigned *to, unsigned permille, const char *key,
	const struct yamldoc_node *at)
{
	if (permille % 10)
		return yamldoc_err(err, at, "%s takes whole percent, as in 15%%", key);
	*to = permille / 10;
	return 0;
}

int schema_initial_rate_wrong(
	const struct schema_control *c, const struct yamldoc_node *at, rate_t initial_rate)
{
	char line[32], low[32];

	return yamldoc_err(c->err, at ? at : c->key,
		"control '%s': initial_rate %s is not between min_rate and the line rate %s of a "
		"sender that uses it",
		c->name, units_format(UNITS_RATE, initial_rate, low, sizeof(low)),
		units_format(UNITS_RATE, c->line_rate, line, sizeof(line)));
}

int schema_min_rate_wrong(
	const struct schema_control *c, const struct yamldoc_node *at, rate_t min_rate)
{
	char line[32], low[32];

	return yamldoc_err(c->err, at,
		"control '%s': min_rate %s is above the line rate %s of a sender that uses it",
		c->name, units_format(UNITS_RATE, min_rate, low, sizeof(low)),
		units_format(UNITS_RATE, c->line_rate, line, sizeof(line)));
}

void schema_idle(const struct schema_control *c, const struct opt_table *t, const void *spec,
	const char *key, const char *where)
{
	const struct yamldoc_node *at = opt_source(t, spec, key);
	char text[192];

	if (!at)
		return;
	snprintf(text, sizeof(text), "control '%s': %s counts for nothing %s", c->name, key, where);
	c->warn(c->scene, at, text);
}
