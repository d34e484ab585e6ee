// SPDX-License-Identifier: BSD-3-Clause
// Words of older versions: taken for what they are called now, with a warning.
#include <string.h>

#include "int.h"

// The value of `key` where it is `old`: from here on it is `now`.
static void renamed(struct build *b, const struct yamldoc_node *map, const char *key,
	const char *old, const char *now)
{
	const struct yamldoc_item *item = yamldoc_find(map, key);
	struct yamldoc_node *value = item ? item->value : NULL;

	if (!value || value->type != YAMLDOC_SCALAR || strcmp(value->text, old) != 0)
		return;
	value->text = now;
	scene_warn(b, value, "%s: '%s' is the old word for %s; write %s", key, old, now, now);
}

int scene_old_words(struct build *b)
{
	const struct yamldoc_node *controls = yamldoc_get(b->doc, "controls");

	renamed(b, b->doc, "framing", "hpcc", "hpcc_sim");
	for (unsigned i = 0; controls && controls->type == YAMLDOC_MAP && i < controls->n; i++)
		renamed(b, controls->item[i].value, "profile", "hpcc", "hpcc_sim_dcqcn");
	return 0;
}
