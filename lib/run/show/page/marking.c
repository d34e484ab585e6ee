// SPDX-License-Identifier: BSD-3-Clause
// Marking curves: share of marked frames at each queue length, beside the formula.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

static const char *cell(const struct saved_table *t, unsigned row, int column)
{
	return column < 0 ? "" : t->cell[(size_t)row * t->columns + (unsigned)column];
}

static void put_column(struct jw *w, const char *key, const struct saved_table *t, const char *name,
	unsigned from, unsigned to)
{
	int at = saved_column(t, name);

	jw_array(w, key, true);
	for (unsigned i = from; i < to; i++) {
		const char *text = cell(t, i, at);
		char *end;
		double value = strtod(text, &end);

		put_real(w, NULL, *text && !*end ? value : NAN);
	}
	jw_end(w);
}

// The markers by their queues, "s1:r.3".
static json_t *markers(const json_t *summary)
{
	json_t *by = json_object(), *one;
	char name[256];
	size_t i;

	json_array_foreach(json_object_get(summary, "markings"), i, one)
	{
		snprintf(name, sizeof(name), "%s.%.0f", saved_text(one, "port"),
			saved_number(one, "class"));
		json_object_set(by, name, one);
	}
	return by;
}

static void put_curve(struct jw *w, const json_t *m, const struct saved_table *t,
	const char *object, unsigned from, unsigned to)
{
	static const char *const keys[][2] = {
		{"from", "from_bytes"},
		{"to", "to_bytes"},
		{"frames", "ect_frames"},
		{"marked", "ecn_marked_frames"},
		{"ratio", "ratio"},
		{"low", "low_95"},
		{"high", "high_95"},
		{"theory", "theory"},
	};

	jw_object(w, NULL, false);
	jw_str(w, "name", object);
	put_real(w, "kmin", saved_number(m, "kmin_bytes"));
	put_real(w, "kmax", saved_number(m, "kmax_bytes"));
	put_real(w, "pmax", saved_number(m, "pmax"));
	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		put_column(w, keys[i][0], t, keys[i][1], from, to);
	jw_end(w);
}

void data_marking(struct jw *w, struct saved *s)
{
	const struct saved_table *t = saved_table(s, "marking.csv");
	int object = t ? saved_column(t, "object") : -1;
	json_t *by = markers(saved_summary(s));

	jw_array(w, "marking", false);
	for (unsigned from = 0, to; object >= 0 && from < t->rows; from = to) {
		const char *name = cell(t, from, object);

		for (to = from + 1; to < t->rows && strcmp(cell(t, to, object), name) == 0; to++)
			;
		put_curve(w, json_object_get(by, name), t, name, from, to);
	}
	jw_end(w);
	json_decref(by);
}
