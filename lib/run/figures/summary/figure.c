// SPDX-License-Identifier: BSD-3-Clause
// Members of an object, by the number of the object and the name of the member.
#include <math.h>

#include "int.h"

static const void *kind_object(const struct summary *s, enum kind_id kind, unsigned i)
{
	const struct set *set = kind_objects(s, kind);

	return i < set->n ? set_at(set, i) : NULL;
}

// Finds a member of object i that has this form; *at points to its field. False: there is none.
static bool member_of(const struct summary *s, enum kind_id kind, unsigned i, const char *name,
	enum figure_form form, const void **at)
{
	const void *object = kind_object(s, kind, i);
	struct figure f;

	if (!object || !kind_named(summary_kind[kind], name, &f) || f.form != form ||
		!figure_has(&f, object))
		return false;
	*at = (const char *)object + f.offset;
	return true;
}

double summary_at(const struct summary *s, enum kind_id kind, unsigned i, const char *name)
{
	const void *object = kind_object(s, kind, i);
	struct figure f;

	return object && kind_figure(summary_kind[kind], name, &f) ? figure_value(&f, object) : NAN;
}

unsigned long long summary_count(
	const struct summary *s, enum kind_id kind, unsigned i, const char *name)
{
	double v = summary_at(s, kind, i, name);

	return v > 0 ? (unsigned long long)v : 0;
}

const char *summary_label(const struct summary *s, enum kind_id kind, unsigned i, const char *name,
	char buf[static KIND_NAME])
{
	const void *object = kind_object(s, kind, i), *at;
	const char *text = NULL;

	if (object && !name && summary_kind[kind]->could)
		text = kind_name(summary_kind[kind], object, buf);
	else if (name && member_of(s, kind, i, name, FIGURE_TEXT, &at))
		text = *(const char *const *)at;
	return text ? text : "";
}

double summary_id(const struct summary *s, enum kind_id kind, unsigned i, const char *name)
{
	const void *at;

	return member_of(s, kind, i, name, FIGURE_ID, &at) ? *(const unsigned *)at : NAN;
}

bool summary_is(const struct summary *s, enum kind_id kind, unsigned i, const char *name)
{
	const void *at;

	return member_of(s, kind, i, name, FIGURE_BOOL, &at) && *(const bool *)at;
}

double summary_sum(const struct summary *s, enum kind_id kind, const char *name)
{
	const struct set *set = kind_objects(s, kind);
	double sum = 0;
	struct figure f;

	if (!kind_figure(summary_kind[kind], name, &f))
		return NAN;
	for (unsigned i = 0; i < set->n; i++) {
		double v = figure_value(&f, set_at(set, i));

		sum += isnan(v) ? 0 : v;
	}
	return sum;
}
