// SPDX-License-Identifier: BSD-3-Clause
// The verbs that change a run: "set" has values alone, and "do" has actions, of which `set` is one.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "schema/schema.h"

// The scenario may set values itself, later; each of its events sets all that there are.
int control_set_later(const struct control *c, struct err *err)
{
	const struct scene *s = c->run.scene;
	const struct scene_change *last = s->n_changes ? &s->change[s->n_changes - 1] : NULL;

	if (!last || last->at <= control_now_of(c))
		return 0;
	return err_set(err, -EINVAL,
		"the scenario itself sets values, the last time at %.6f ms; set yours behind that",
		(double)last->at / PS_PER_MS);
}

// The values of {"PATH": "VALUE", ...}, for free(). NULL: not such a text, or no memory.
static struct scene_set *sets_of(json_t *j, unsigned *n)
{
	struct scene_set *set = calloc(json_object_size(j) + 1, sizeof(*set));
	const char *path;
	json_t *value;

	*n = 0;
	json_object_foreach(j, path, value)
	{
		if (!set || !json_is_string(value)) {
			free(set);
			return NULL;
		}
		set[(*n)++] = (struct scene_set){path, json_string_value(value)};
	}
	return set;
}

// The values as one types them, for free(). NULL: no memory.
static char *typed(const struct scene_set *set, unsigned n)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (unsigned i = 0; f && i < n; i++)
		fprintf(f, "%s%s=%s", i ? " " : "", set[i].path, set[i].value);
	if (f && !fclose(f))
		return text;
	free(text);
	return NULL;
}

int control_set(struct control *c, const struct control_peer *by, const char *text, json_t *answer,
	struct err *err)
{
	struct control_wish wish = {.verb = "set"};
	json_t *values = json_loads(text, 0, NULL);
	struct scene_set *set = sets_of(values, &wish.n_set);
	char *said = set ? typed(set, wish.n_set) : NULL, *event = NULL;
	int rc;

	wish.set = set;
	wish.text = said;
	if (asprintf(&event, "{set: %s}", text) < 0)
		event = NULL;
	wish.event = event;
	if (!set || !wish.n_set)
		rc = err_set(err, -EINVAL, "values are {\"PATH\": \"VALUE\", ...}");
	else if (!said || !event)
		rc = err_set(err, -ENOMEM, "no memory");
	else
		rc = control_steer(c, by, &wish, answer, err);
	free(event);
	free(said);
	free(set);
	json_decref(values);
	return rc;
}

// The values of an action `set`, and of no other. NULL: it is another action.
static const struct yamldoc_node *values_of(const struct yamldoc_node *action)
{
	const struct yamldoc_node *values =
		action->type == YAMLDOC_MAP && action->n == 1 ? yamldoc_get(action, "set") : NULL;

	return values && values->type == YAMLDOC_MAP && values->n ? values : NULL;
}

// Parts the values of a list of actions from the others, which `wish.actions` has then.
static int part(struct arena *a, const struct yamldoc_node *list, struct control_wish *wish)
{
	struct scene_set *set;
	unsigned most = 0;
	char *rest = NULL;

	for (unsigned i = 0; i < list->n; i++) {
		const struct yamldoc_node *values = values_of(list->item[i].value);

		most += values ? values->n : 0;
	}
	if (!most)
		return 0;
	wish->set = set = arena_get(a, most * sizeof(*set));
	if (!set)
		return -ENOMEM;
	for (unsigned i = 0; i < list->n; i++) {
		const struct yamldoc_node *action = list->item[i].value,
					  *values = values_of(action);

		for (unsigned k = 0; values && k < values->n; k++)
			set[wish->n_set++] = (struct scene_set){values->item[k].key->text,
				scene_text_value(a, values->item[k].value)};
		if (!values)
			rest = arena_format(
				a, "%s- %s\n", rest ? rest : "", scene_text_value(a, action));
	}
	wish->actions = rest;
	return 0;
}

int control_do(struct control *c, const struct control_peer *by, const char *text, json_t *answer,
	struct err *err)
{
	struct control_wish wish = {.verb = "do", .text = text, .event = text, .actions = text};
	struct yamldoc_node *root = NULL, one;
	struct yamldoc_item item;
	struct arena a = {0};
	struct err broken;
	int rc = 0;

	// compile_actions() says what a text lacks that cannot be parsed.
	if (!yamldoc_parse(&a, &root, "do", text, strlen(text), &broken)) {
		item = (struct yamldoc_item){NULL, root};
		one = (struct yamldoc_node){.type = YAMLDOC_LIST, .n = 1, .item = &item};
		rc = part(&a, root->type == YAMLDOC_LIST ? root : &one, &wish);
	}
	rc = rc ? err_set(err, -ENOMEM, "no memory") : control_steer(c, by, &wish, answer, err);
	arena_free(&a);
	return rc;
}
