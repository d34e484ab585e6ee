// SPDX-License-Identifier: BSD-3-Clause
// Words of older versions in a scenario: from here on they are those of now.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "draft.h"

// Replaces the old value `was` of a key by `now`, and notes this for the user.
static int rename_value(struct draft *b, const struct yamldoc_node *map, const char *key,
	const char *was, const char *now, const char *note)
{
	const struct yamldoc_item *item = yamldoc_find(map, key);
	struct yamldoc_node *value = item ? item->value : NULL;
	char what[32];

	if (!value || value->type != YAMLDOC_SCALAR || strcmp(value->text, was) != 0)
		return 0;
	snprintf(what, sizeof(what), "%s:", key);
	value->text = scene_renamed(b->s, value->line, value->column, what, was, now, note);
	return value->text ? 0 : err_set(b->err, -ENOMEM, "out of memory");
}

int draft_old_words(struct draft *b)
{
	const struct yamldoc_node *controls = yamldoc_get(b->doc, "controls");
	int rc = rename_value(b, b->doc, "framing", "hpcc", "hpcc_sim", "");

	for (unsigned i = 0; controls && controls->type == YAMLDOC_MAP && i < controls->n && !rc;
		i++)
		rc = rename_value(b, controls->item[i].value, "profile", "hpcc", "hpcc_sim_dcqcn",
			", which is DCQCN as the HPCC simulator has it; "
			"the algorithm HPCC is not built");
	return rc;
}
