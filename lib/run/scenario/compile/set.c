// SPDX-License-Identifier: BSD-3-Clause
// Changes while a scene runs: its source compiled once more with other values, or other events.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define MANY 1000 // changes whose memory is worth a warning

int compile_is_live(struct draft *b, const struct draft_set *set)
{
	const struct opt *row = schema_row(b->doc, set->path);
	char near[ERR_HINT];

	if (!row || row->flags & OPT_F_LIVE)
		return 0;
	return err_set(b->err, -EINVAL, "%s %s=%s: it cannot change while the scene runs; %s can",
		set->by, set->path, set->value,
		schema_live_near(b->doc, set->path, near, sizeof(near)));
}

static int add_item(
	struct draft *b, struct yamldoc_node *map, const char *key, struct yamldoc_node *value)
{
	struct yamldoc_item *all = draft_get(b, (map->n + 1) * sizeof(*all));
	struct yamldoc_node *name = draft_get(b, sizeof(*name));

	if (!all || !name)
		return -ENOMEM;
	*name = (struct yamldoc_node){.where = value->where, .text = key};
	if (map->n)
		memcpy(all, map->item, map->n * sizeof(*all));
	all[map->n++] = (struct yamldoc_item){name, value};
	map->item = all;
	map->room = map->n;
	return 0;
}

// An action without a value may be a word: `quiesce` is `{quiesce: }`.
static int take_word(struct draft *b, struct yamldoc_node *action)
{
	struct yamldoc_node *null = draft_get(b, sizeof(*null));
	const char *word = action->text;

	if (!null)
		return -ENOMEM;
	*null = *action;
	null->text = "";
	*action = (struct yamldoc_node){
		.type = YAMLDOC_MAP, .where = null->where, .line = null->line};
	return add_item(b, action, word, null);
}

// Gives an action its instant, so that it is an event.
static int set_instant(struct draft *b, struct yamldoc_node *action)
{
	struct yamldoc_node *at = draft_get(b, sizeof(*at));

	if (!at || (action->type == YAMLDOC_SCALAR && *action->text && take_word(b, action)))
		return -ENOMEM;
	if (action->type != YAMLDOC_MAP || action->n != 1)
		return yamldoc_err(b->err, action,
			"an action is a map with one key, as in {flow_stop: incast}");
	if (!strcmp(action->item[0].key->text, "at"))
		return yamldoc_err(b->err, action, "an action has no `at`: it is done at once");
	*at = (struct yamldoc_node){.where = action->where, .line = action->line};
	at->text = arena_format(b->a, "%llups", (unsigned long long)b->again->at);
	return at->text ? add_item(b, action, "at", at) : err_set(b->err, -ENOMEM, "out of memory");
}

// Removes the events `set`: a scene that is compiled once more for one of them has no use of all.
static void drop_sets(struct draft *b)
{
	struct yamldoc_node *list = (struct yamldoc_node *)yamldoc_get(b->doc, "events");
	unsigned kept = 0;

	if (!list || list->type != YAMLDOC_LIST)
		return;
	for (unsigned i = 0; i < list->n; i++)
		if (!yamldoc_get(list->item[i].value, "set"))
			list->item[kept++] = list->item[i];
	list->n = kept;
}

int compile_replace_events(struct draft *b)
{
	static const char no_action[] = "there is no action; write one, as in flow_stop: incast";
	const char *yaml = b->again ? b->again->actions : NULL;
	struct yamldoc_node *list = draft_get(b, sizeof(*list)), *tree;
	struct yamldoc_item *one = draft_get(b, sizeof(*one)), *have;
	int rc = list && one ? 0 : -ENOMEM;

	if (b->again && !yaml)
		drop_sets(b);
	if (rc || !yaml)
		return rc;
	if (!yaml[strspn(yaml, " \t\r\n")])
		return err_set(b->err, -EINVAL, "%s", no_action);
	rc = yamldoc_parse(b->a, &tree, "do", yaml, strlen(yaml), b->err);
	if (!rc && tree->type == YAMLDOC_LIST && !tree->n)
		rc = yamldoc_err(b->err, tree, "%s", no_action);
	if (rc)
		return rc;
	*one = (struct yamldoc_item){NULL, tree};
	*list = tree->type == YAMLDOC_LIST ? *tree
					   : (struct yamldoc_node){.type = YAMLDOC_LIST,
						     .where = tree->where,
						     .n = 1,
						     .room = 1,
						     .item = one};
	for (unsigned i = 0; !rc && i < list->n; i++)
		rc = set_instant(b, list->item[i].value);
	have = (struct yamldoc_item *)yamldoc_find(b->doc, "events");
	if (rc || !have)
		return rc ? rc : add_item(b, b->doc, "events", list);
	b->replaced = have->value;
	have->value = list;
	return 0;
}

int compile_change_note(
	struct draft *b, tstamp at, uint32_t line, const struct yamldoc_node *values)
{
	struct scene *s = b->s;
	struct scene_change *all;
	struct scene_set *set;
	const char *by;

	if (values->type != YAMLDOC_MAP || !values->n)
		return yamldoc_err(b->err, values,
			"set: write a map of paths and values, as in "
			"{switches.s1.classes.3.wred.max: 200KB}");
	all = s->change;
	if (!(s->n_changes & (s->n_changes - 1)))
		all = draft_get(b, (s->n_changes ? 2 * s->n_changes : 1) * sizeof(*all));
	set = draft_get(b, values->n * sizeof(*set));
	by = values->line ? arena_format(b->a, "%s:%u:%u: set", values->where, values->line,
				    values->column)
			  : arena_format(b->a, "%s: set", values->where);
	if (!all || !set)
		return -ENOMEM;
	if (!by)
		return err_set(b->err, -ENOMEM, "out of memory");
	for (unsigned i = 0; i < values->n; i++) {
		set[i].path = values->item[i].key->text;
		set[i].value = scene_text_value(b->a, values->item[i].value);
		if (!set[i].value)
			return err_set(b->err, -ENOMEM, "out of memory");
	}
	if (s->n_changes && all != s->change)
		memcpy(all, s->change, s->n_changes * sizeof(*all));

	// Changes at one instant keep their order.
	unsigned place = s->n_changes;

	for (; place && all[place - 1].at > at; place--)
		all[place] = all[place - 1];
	all[place] = (struct scene_change){
		.at = at, .line = line, .by = by, .set = set, .n_set = values->n};
	s->change = all;
	s->n_changes++;
	return 0;
}

static const char *own_text(struct scene *s, const char *text, bool *full)
{
	const char *copy = text ? arena_text(scene_arena(s), text, strlen(text)) : NULL;

	*full |= text && !copy;
	return copy;
}

// Gives the scene its own copy of the sets. The last of them, if they are a change, are called by
// its number from then on.
static void own_sets(struct draft *b, struct scene_opts *o, bool *full)
{
	const struct scene_opts *from = b->opts;
	const unsigned n = from ? from->n_set : 0, now = b->again ? b->again->n_now : 0;
	struct scene_set *set = draft_get(b, (n + 1) * sizeof(*set));
	const char **by = draft_get(b, (n + 1) * sizeof(*by));

	if (!set || !by) {
		*full = true;
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		set[i].path = own_text(b->s, from->set[i].path, full);
		set[i].value = own_text(b->s, from->set[i].value, full);
		by[i] = i >= n - now
				? arena_format(b->a, "change %u", b->again->number)
				: own_text(b->s, from->set_by ? from->set_by[i] : "--set", full);
		*full |= !by[i];
	}
	o->set = set;
	o->set_by = by;
}

static bool is_at(const struct yamldoc_node *n, unsigned line, unsigned column)
{
	return n->line == line && n->column == column;
}

// Whether an option reaches into the list of events, by the numbers of its items.
static bool sets_events(const struct scene_opts *o)
{
	for (unsigned i = 0; o && i < o->n_set; i++)
		if (!strncmp(o->set[i].path, "events", strlen("events")))
			return true;
	return false;
}

// Copies the text without its events `set`, except for the last event. Lines keep their numbers.
// Each change reads this text again, so the time for all of them would grow with their square.
static char *text_without_sets(struct draft *b, size_t *size)
{
	const struct yamldoc_node *list = yamldoc_get(b->doc, "events");
	unsigned n = list && list->type == YAMLDOC_LIST && !sets_events(b->opts) ? list->n : 0;
	unsigned line = 1, column = 1, next = 0;
	char *text = arena_text(b->a, b->text, b->size);
	bool leave_out = false;

	*size = 0;
	for (size_t i = 0; text && i < b->size; i++) {
		char c = b->text[i];

		if (next < n && is_at(list->item[next].value, line, column)) {
			leave_out = next + 1 < n && yamldoc_get(list->item[next].value, "set");
			next++;
		}
		if (c == '\n')
			while (leave_out && *size && text[*size - 1] == ' ')
				--*size;
		text[(*size)++] = leave_out && c != '\n' ? ' ' : c;
		line += c == '\n';
		column = c == '\n' ? 1 : column + ((c & 0xc0) != 0x80);
	}
	if (text && next < n) { // libyaml counts lines or columns in another way here
		memcpy(text, b->text, b->size);
		*size = b->size;
	}
	return text;
}

static void own_testers(struct draft *b, struct scene_opts *o, bool *full)
{
	const char **name = o->n_testers ? draft_get(b, o->n_testers * sizeof(char *)) : NULL;

	*full |= o->n_testers && !name;
	for (unsigned i = 0; name && i < o->n_testers; i++)
		name[i] = own_text(b->s, o->testers[i], full);
	o->testers = name;
}

// Keeps what the scene was compiled from.
static int keep_origin(struct draft *b)
{
	struct scene *s = b->s;
	struct scene_origin *o = draft_get(b, sizeof(*o));
	uint64_t *seed = draft_get(b, sizeof(*seed));
	tstamp *duration = draft_get(b, sizeof(*duration));
	bool full = !o || !seed || !duration;

	if (full)
		return -ENOMEM;
	if (b->opts)
		o->opts = *b->opts;
	o->opts.again = true;
	o->opts.size = b->size;
	o->opts.text =
		b->again ? arena_text(b->a, b->text, b->size) : text_without_sets(b, &o->opts.size);
	full |= !o->opts.text;
	if (o->opts.seed) {
		*seed = *o->opts.seed;
		o->opts.seed = seed;
	}
	if (o->opts.duration) {
		*duration = *o->opts.duration;
		o->opts.duration = duration;
	}
	o->opts.control = own_text(s, o->opts.control, &full);
	o->opts.nodes = own_text(s, o->opts.nodes, &full);
	o->opts.dut = own_text(s, o->opts.dut, &full);
	own_testers(b, &o->opts, &full);
	o->distrust = own_text(s, b->distrust, &full);
	o->n_changes = b->again ? b->again->number : 0;
	own_sets(b, &o->opts, &full);
	s->origin = o;
	return full ? err_set(b->err, -ENOMEM, "out of memory") : 0;
}

// Whether the values of a node differ between two scenes: 1, 0, or -EINVAL where something differs
// that cannot change.
static int node_differs(
	const struct scene_node *from, const struct scene_node *to, char *why, unsigned size)
{
	return from->kind == SCENE_SW ? sw_change_check(&from->u.sw, &to->u.sw, why, size) : 0;
}

// A change may have consequences beyond its own values.
static int check_nodes(
	const struct scene *from, const struct scene *to, const char *by, struct err *err)
{
	bool *hosts = calloc(from->n_nodes, sizeof(*hosts));
	char why[160];
	int rc;

	if (!hosts)
		return err_set(err, -ENOMEM, "out of memory");
	rc = scene_hosts_differ(from, to, hosts, why, sizeof(why));
	free(hosts);
	if (rc)
		return err_set(err, rc, "%s: %s", by, why);
	for (unsigned i = 0; i < from->n_nodes; i++)
		if (node_differs(&from->node[i], &to->node[i], why, sizeof(why)) < 0)
			return err_set(err, -EINVAL,
				"%s: this would also change %s of %s, which cannot change while "
				"the scene runs",
				by, why, from->node[i].name);
	if (to->max_packets > from->max_packets)
		return err_set(err, -EINVAL,
			"%s: up to %llu packets would be alive at once, and the run has memory "
			"for %llu",
			by, (unsigned long long)to->max_packets,
			(unsigned long long)from->max_packets);
	return 0;
}

// The sets of a scene without those whose paths are set now, and then these.
static int merge_sets(struct arena *scrap, struct scene_opts *o, const char *by,
	const struct scene_set *set, unsigned n)
{
	struct scene_set *all = arena_get(scrap, (o->n_set + n + 1) * sizeof(*all));
	const char **all_by = arena_get(scrap, (o->n_set + n + 1) * sizeof(*all_by));
	unsigned count = 0;

	if (!all || !all_by)
		return -ENOMEM;
	for (unsigned i = 0; i < o->n_set; i++) {
		bool again = false;

		for (unsigned k = 0; k < n; k++)
			again |= !strcmp(o->set[i].path, set[k].path);
		if (again)
			continue;
		all[count] = o->set[i];
		all_by[count++] = o->set_by[i];
	}
	for (unsigned i = 0; i < n; i++) {
		all[count] = set[i];
		all_by[count++] = by;
	}
	o->set = all;
	o->set_by = all_by;
	o->n_set = count;
	return 0;
}

int compile_change(struct scene **to, const struct scene *s, const char *by,
	const struct scene_set *set, unsigned n, struct err *err)
{
	const struct scene_origin *from = s->origin;
	struct scene_opts o = from->opts;
	struct draft_again again = {.distrust = from->distrust,
		.number = from->n_changes + 1,
		.n_now = n,
		.eventless = true,
		.from = s};
	struct arena scrap = {0};
	struct err told = {0};
	int rc = merge_sets(&scrap, &o, by, set, n);

	if (rc)
		err_set(err, rc, "out of memory");
	else
		rc = compile_as(to, s->path, &o, &again, &told);
	// The place that the compiler names is another one, where the change breaks a bound.
	if (*told.text)
		err_set(err, rc, strncmp(told.text, by, strlen(by)) ? "%s: %s" : "%.0s%s", by,
			told.text);
	arena_free(&scrap);
	if (rc)
		return rc;
	rc = check_nodes(s, *to, by, err);
	if (!rc) {
		scene_keep_room(s, *to);
	} else {
		scene_free(*to);
		*to = NULL;
	}
	return rc;
}

int compile_actions(
	struct scene **to, const struct scene *s, const char *yaml, tstamp at, struct err *err)
{
	const struct scene_origin *from = s->origin;
	const struct draft_again again = {.distrust = from->distrust,
		.number = from->n_changes,
		.actions = yaml,
		.at = at,
		.from = s};

	return compile_as(to, s->path, &from->opts, &again, err);
}

// Whether a scene has been warned of the same.
static bool is_warned(const struct scene *s, const struct scene_warning *w)
{
	for (unsigned i = 0; i < s->n_warnings; i++)
		if (!strcmp(s->warning[i].text, w->text))
			return true;
	return false;
}

static int compile_next(struct draft *b, struct scene_change *c, const struct scene *before)
{
	const struct yamldoc_node at = {.where = b->s->path, .line = c->line};
	int rc = compile_change(&c->to, before, c->by, c->set, c->n_set, b->err);

	for (unsigned i = 0; !rc && i < c->to->n_warnings; i++)
		if (!is_warned(before, &c->to->warning[i]))
			draft_warn_of(b, &at, c->to->warning[i].kind, "from then on: %s",
				c->to->warning[i].text);
	return rc;
}

// Adds the orders of a change to the scene's events.
static int add_orders(struct draft *b, unsigned number, const struct scene *before)
{
	const struct scene_change *c = &b->s->change[number - 1];
	const struct ctl ctl = {.type = CTL_ADOPT, .port = PKT_NO_PORT, .id = number};
	bool *hosts = draft_scrap(b, (b->s->n_nodes + 1ul) * sizeof(*hosts));
	char why[160];
	int rc = hosts ? 0 : -ENOMEM;

	if (hosts) // compile_change() has checked it
		(void)scene_hosts_differ(before, c->to, hosts, why, sizeof(why));
	for (unsigned i = 0; !rc && i < b->s->n_nodes; i++)
		if (hosts[i] || node_differs(&before->node[i], &c->to->node[i], why, sizeof(why)))
			rc = compile_add_event(b, c->at, i, c->line, &ctl);
	return rc;
}

// Refuses paths of this change that lead to no row of a table, which only a plug-in has.
static int check_rows(struct draft *b)
{
	const struct scene_opts *o = b->opts;

	for (unsigned i = o->n_set - b->again->n_now; i < o->n_set; i++)
		if (!schema_row(b->doc, o->set[i].path))
			return err_set(b->err, -EINVAL,
				"%s %s=%s: it cannot change while the scene runs", o->set_by[i],
				o->set[i].path, o->set[i].value);
	return 0;
}

int compile_changes(struct draft *b)
{
	struct scene *s = b->s;
	const struct scene *before = s;
	int rc = b->again && b->again->n_now ? check_rows(b) : 0;

	if (b->again && b->again->eventless)
		s->n_events = 0;
	if (!rc && (s->n_changes || (b->opts && (b->opts->real || b->opts->again))))
		rc = keep_origin(b);
	if (s->n_changes >= MANY)
		draft_warn(b, yamldoc_get(b->doc, "events"),
			"each of the %u events `set` keeps a compiled scene, which takes memory",
			s->n_changes);
	for (unsigned i = 0; !rc && i < s->n_changes; i++) {
		rc = compile_next(b, &s->change[i], before);
		if (!rc)
			rc = add_orders(b, i + 1, before);
		before = s->change[i].to;
	}
	return rc || !s->n_changes ? rc : compile_sort_events(b);
}
