// SPDX-License-Identifier: BSD-3-Clause
// Objects of a kind, and members of one by name.
#include "kind.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

int set_room(struct set *set, const struct kind *k, size_t n)
{
	set->size = k->size;
	set->object = calloc(n + 1, k->size);
	return set->object ? 0 : -ENOMEM;
}

const struct set *kind_set(struct summary *s, enum kind_id kind)
{
	struct set *set = &s->set[kind];

	if (set->made)
		return set;
	set->made = true;
	if (s->kind[kind]->make(s, set))
		s->no_memory = true;
	return set;
}

bool kind_member(const struct kind *k, unsigned i, struct figure *out)
{
	if (i < k->n_figures) {
		*out = k->figure[i];
		return true;
	}
	i -= k->n_figures;
	for (unsigned c = 0; c < 2; c++) {
		const struct stat_table *t = k->counters[c].table;

		if (t && i < t->n) {
			*out = (struct figure){.name = t->row[i].name,
				.unit = t->row[i].unit,
				.form = FIGURE_COUNT,
				.offset = k->counters[c].offset + t->row[i].offset,
				.only = t->row[i].only ? k->counters[c].offset + t->row[i].only : 0,
				.merge = t->row[i].whole ? FIGURE_MOST : FIGURE_SUM,
				.divisor = 1,
				.meaning = t->row[i].help};
			return true;
		}
		i -= t ? t->n : 0;
	}
	if (i >= k->reasons.n)
		return false;
	*out = (struct figure){.name = k->reasons.name(i),
		.unit = k->reasons.unit,
		.form = FIGURE_COUNT,
		.merge = FIGURE_SUM,
		.offset = i * (uint32_t)sizeof(uint64_t),
		.divisor = 1,
		.meaning = k->reasons.meaning};
	return true;
}

void kind_members(struct kind_members *m, const struct kind *k)
{
	for (m->n = 0; kind_member(k, m->n, &m->member[m->n]); m->n++) {
		struct kind_key *key = &m->key[m->n];

		key->len = (uint8_t)snprintf(
			key->quoted, sizeof(key->quoted), "\"%s\": ", m->member[m->n].name);
		assert(m->n + 1 < KIND_MEMBERS && key->len < sizeof(key->quoted));
	}
}

// The name of a member; NULL: there are no more.
static const char *member_name(const struct kind *k, unsigned i)
{
	if (i < k->n_figures)
		return k->figure[i].name;
	i -= k->n_figures;
	for (unsigned c = 0; c < 2; c++) {
		const struct stat_table *t = k->counters[c].table;

		if (t && i < t->n)
			return t->row[i].name;
		i -= t ? t->n : 0;
	}
	return i < k->reasons.n ? k->reasons.name(i) : NULL;
}

bool kind_named(const struct kind *k, const char *name, struct figure *out)
{
	const char *is;

	for (unsigned i = 0; (is = member_name(k, i)) != NULL; i++)
		if (!strcmp(is, name))
			return kind_member(k, i, out);
	return false;
}

bool kind_figure(const struct kind *k, const char *name, struct figure *out)
{
	return kind_named(k, name, out) && figure_is_number(out);
}

bool kind_figure_was(const struct kind *k, const char *name, struct figure *out)
{
	for (unsigned i = 0; i < k->n_figures; i++)
		if (k->figure[i].was && !strcmp(k->figure[i].was, name)) {
			*out = k->figure[i];
			return true;
		}
	return false;
}

double figure_value(const struct figure *f, const void *object)
{
	const char *at = (const char *)object + f->offset;
	double v;

	if (!figure_has(f, object))
		return NAN;
	switch ((enum figure_form)f->form) {
	case FIGURE_COUNT:
		v = (double)*(const uint64_t *)at;
		if (v == 0 && f->never)
			return NAN;
		return f->divisor == 1 ? v : v / f->divisor;
	case FIGURE_VALUE:
		return *(const double *)at;
	case FIGURE_DIST:
		return ((const struct kind_dist *)at)->n ? *(const double *)(at + f->which) : NAN;
	case FIGURE_ID:
		return *(const unsigned *)at;
	default:
		return NAN;
	}
}

const char *kind_name(const struct kind *k, const void *object, char buf[static KIND_NAME])
{
	const char *text;

	if (k->name)
		return k->name(object, buf);
	text = *(const char *const *)((const char *)object + k->name_at);
	if (!k->number_at)
		return text;
	snprintf(buf, KIND_NAME, "%s.%u", text,
		*(const unsigned *)((const char *)object + k->number_at));
	return buf;
}

static void put_member(struct jw *w, const struct summary *s, const struct figure *f,
	const struct kind_key *key, const void *object)
{
	const void *at = (const char *)object + f->offset;
	const char *text;

	if (f->form == FIGURE_LIST) {
		f->list->put(w, s, object, f->name);
		return;
	}
	jw_key(w, key->quoted, key->len);
	switch ((enum figure_form)f->form) {
	case FIGURE_BOOL:
		jw_bool(w, NULL, *(const bool *)at);
		break;
	case FIGURE_TEXT:
		text = *(const char *const *)at;
		if (text)
			jw_str(w, NULL, text);
		else
			jw_null(w, NULL);
		break;
	default:
		jw_num(w, NULL, figure_value(f, object), f->decimals);
		break;
	}
}

void figure_put(
	struct jw *w, const struct summary *s, const struct kind_members *m, const void *object)
{
	for (unsigned i = 0; i < m->n; i++)
		if (figure_has(&m->member[i], object))
			put_member(w, s, &m->member[i], &m->key[i], object);
}
