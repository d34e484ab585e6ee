// SPDX-License-Identifier: BSD-3-Clause
// The names of lines: the properties in which the sets differ. With many lines each combination of
// the other properties has a plot of its own, where one property tells the lines apart.
#include <errno.h>
#include <string.h>

#include "int.h"
#include "page/page.h"

#define PLAIN 6 // lines that stand in one plot in any case
#define PATHS 3 // options in a name

static const struct overlay_run *first_of(const struct overlay *o, unsigned set)
{
	return &o->run[o->set[set].run[0]];
}

// The text of a property of a set.
typedef const char *property(struct overlay *o, unsigned set, const char *path);

static const char *label_of(struct overlay *o, unsigned set, const char *path)
{
	const char *label = first_of(o, set)->label;

	(void)path;
	return label ? label : "";
}

// Of a run of a sweep the name of its file, as the table of the sweep has it.
static const char *scenario_of(struct overlay *o, unsigned set, const char *path)
{
	const struct overlay_run *r = first_of(o, set);
	const char *file = saved_text(r->row, "scenario"), *slash = strrchr(file, '/');
	size_t n;

	(void)path;
	if (!*file)
		return saved_name(r->s);
	file = slash ? slash + 1 : file;
	n = strlen(file);
	if (n > 5 && strcmp(file + n - 5, ".yaml") == 0)
		n -= 5;
	return arena_format(&o->arena, "%.*s", (int)n, file);
}

static const char *clock_of(struct overlay *o, unsigned set, const char *path)
{
	const char *clock = saved_text(saved_manifest(first_of(o, set)->s), "clock");

	(void)path;
	return *clock ? arena_format(&o->arena, "%s clock", clock) : "";
}

static const char *part_of(struct overlay *o, unsigned set, const char *path)
{
	const json_t *manifest = saved_manifest(first_of(o, set)->s);

	(void)path;
	return json_object_get(manifest, "part_nodes")
		       ? arena_format(&o->arena, "part %s", saved_text(manifest, "part"))
		       : "all parts";
}

static bool is_last(const char *path, const char *word)
{
	const char *dot = strrchr(path, '.');

	return strcmp(dot ? dot + 1 : path, word) == 0;
}

static const json_t *options_of(const struct overlay *o, unsigned set)
{
	const json_t *row = first_of(o, set)->row;

	return row ? json_object_get(row, "set") : o->set[set].options;
}

// "load 50%"; of a control the name alone.
static const char *option_of(struct overlay *o, unsigned set, const char *path)
{
	const char *dot = strrchr(path, '.');
	const char *value = saved_text(options_of(o, set), path);

	if (is_last(path, "control"))
		return strcmp(value, "none") == 0 ? "no control" : value;
	return arena_format(&o->arena, "%s %s", dot ? dot + 1 : path, value);
}

// Whether another property has the same texts, as the same control of many flows does.
static bool is_told(const struct overlay *o, const char *const *value)
{
	for (unsigned i = 0; i < o->n_factors; i++) {
		unsigned k = 0;

		while (k < o->n_sets && strcmp(o->set[k].value[i], value[k]) == 0)
			k++;
		if (k == o->n_sets)
			return true;
	}
	return false;
}

// Adds a property in which sets differ.
static int add_factor(struct overlay *o, const char *name, property *text, struct err *err)
{
	const char *value[OVERLAY_RUNS];
	bool differs = false;

	for (unsigned k = 0; k < o->n_sets; k++) {
		value[k] = text(o, k, name);
		if (!value[k])
			return err_set(err, -ENOMEM, "no memory for the figure");
		differs |= strcmp(value[k], value[0]) != 0;
	}
	if (!differs || o->n_factors == OVERLAY_FACTORS || is_told(o, value))
		return 0;
	for (unsigned k = 0; k < o->n_sets; k++)
		o->set[k].value[o->n_factors] = value[k];
	o->factor[o->n_factors++] = name;
	return 0;
}

// Whether the sets differ in an option. Most do not, so they are asked before any text is made.
static bool differ_in(const struct overlay *o, const char *path)
{
	const char *first = saved_text(options_of(o, 0), path);

	for (unsigned k = 1; k < o->n_sets; k++)
		if (strcmp(saved_text(options_of(o, k), path), first) != 0)
			return true;
	return false;
}

// Adds options: of runs of sweeps the varied ones, else those of the configuration.
static int add_options(struct overlay *o, struct err *err)
{
	unsigned before = o->n_factors;
	const char *path;
	json_t *value;

	for (unsigned k = 0; k < o->n_sets; k++)
		if (!first_of(o, k)->row)
			o->set[k].options = page_config(first_of(o, k)->s);
	json_object_foreach((json_t *)options_of(o, 0), path, value)
	{
		if (o->n_factors == before + PATHS)
			break;
		if (strcmp(path, "seed") != 0 && strcmp(path, "name") != 0 && differ_in(o, path) &&
			add_factor(o, path, option_of, err))
			return -ENOMEM;
	}
	return 0;
}

// Whether two sets differ in nothing but one property.
static bool are_mates(const struct overlay *o, unsigned a, unsigned b, unsigned but)
{
	for (unsigned i = 0; i < o->n_factors; i++)
		if (i != but && strcmp(o->set[a].value[i], o->set[b].value[i]) != 0)
			return false;
	return true;
}

// Whether the properties so far tell all sets apart.
static bool are_told_apart(const struct overlay *o)
{
	for (unsigned k = 1; k < o->n_sets; k++)
		for (unsigned i = 0; i < k; i++)
			if (are_mates(o, i, k, OVERLAY_FACTORS))
				return false;
	return true;
}

// A user who gives each line a label wants no more.
static int find_factors(struct overlay *o, struct err *err)
{
	bool sweeps = true;
	int rc = add_factor(o, "label", label_of, err);

	if (rc || are_told_apart(o))
		return rc;
	for (unsigned k = 0; k < o->n_sets; k++)
		sweeps &= first_of(o, k)->row != NULL;
	if (!rc)
		rc = add_factor(o, "scenario", scenario_of, err);
	if (!rc && (sweeps || !o->n_factors || strcmp(o->factor[o->n_factors - 1], "scenario")))
		rc = add_options(o, err);
	if (!rc)
		rc = add_factor(o, "clock", clock_of, err);
	return rc ? rc : add_factor(o, "part", part_of, err);
}

// The property that tells lines of one plot apart: a label, a scenario or a control, else the
// first one.
static unsigned line_factor(const struct overlay *o)
{
	for (unsigned i = 0; i < o->n_factors; i++)
		if (!strcmp(o->factor[i], "label") || !strcmp(o->factor[i], "scenario") ||
			is_last(o->factor[i], "control"))
			return i;
	return 0;
}

// The values of a set, but that of one property; OVERLAY_FACTORS: all.
static const char *join_values(struct overlay *o, unsigned set, unsigned without)
{
	const char *text = NULL;

	for (unsigned i = 0; i < o->n_factors; i++) {
		const char *one = o->set[set].value[i];

		if (i != without && *one)
			text = text ? arena_format(&o->arena, "%s, %s", text, one) : one;
	}
	return text ? text : "";
}

static void find_bases(struct overlay *o)
{
	for (unsigned k = 0; k < o->n_sets; k++) {
		unsigned first = 0;

		while (!are_mates(o, first, k, o->line))
			first++;
		o->set[k].base = first < k ? (int)first : -1;
	}
}

// Names the lines by all properties; if two names are equal, by the folders too.
static void name_lines(struct overlay *o)
{
	for (unsigned k = 0; k < o->n_sets; k++) {
		const char *name = join_values(o, k, OVERLAY_FACTORS);

		o->set[k].name = *name ? name : saved_name(first_of(o, k)->s);
		o->set[k].colour = k;
	}
	for (unsigned k = 1; k < o->n_sets; k++)
		for (unsigned i = 0; i < k; i++)
			if (strcmp(o->set[i].name, o->set[k].name) == 0) {
				o->set[k].name = saved_dir(first_of(o, k)->s);
				break;
			}
}

// The place of a text in a list, to which it is added; `room`: the list is full.
static unsigned place_of(const char **list, unsigned *n, unsigned room, const char *text)
{
	unsigned i = 0;

	while (i < *n && strcmp(list[i], text) != 0)
		i++;
	if (i == *n && i < room)
		list[(*n)++] = text;
	return i;
}

// Gives each combination of the other properties a plot. Nothing changes if a plot would have two
// lines of one name.
static void spread_panels(struct overlay *o)
{
	const char *value[OVERLAY_RUNS];
	unsigned n = 0, panel[OVERLAY_RUNS], colour[OVERLAY_RUNS];

	if (o->n_sets <= PLAIN || o->n_factors < 2 || o->want.figure == OVERLAY_PAUSES)
		return;
	for (unsigned k = 0; k < o->n_sets; k++) {
		panel[k] =
			place_of(o->panel, &o->n_panels, PAPER_PANELS, join_values(o, k, o->line));
		colour[k] = place_of(value, &n, OVERLAY_RUNS, o->set[k].value[o->line]);
		for (unsigned i = 0; i < k; i++)
			if (panel[k] == PAPER_PANELS ||
				(panel[i] == panel[k] && colour[i] == colour[k])) {
				o->n_panels = 0;
				return;
			}
	}
	for (unsigned k = 0; k < o->n_sets; k++) {
		o->set[k].panel = panel[k];
		o->set[k].colour = colour[k];
	}
}

int overlay_names(struct overlay *o, struct err *err)
{
	int rc = find_factors(o, err);

	if (rc)
		return rc;
	o->line = line_factor(o);
	name_lines(o);
	find_bases(o);
	spread_panels(o);
	return 0;
}
