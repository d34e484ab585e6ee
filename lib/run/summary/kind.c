// SPDX-License-Identifier: BSD-3-Clause
// The list of kinds, their objects, and members of an object by name.
#include "int.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

const struct kind *const kind_list[KINDS] = {
	[KIND_TOTAL] = &kind_total,
	[KIND_DROP] = &kind_drop,
	[KIND_NIC_DROP] = &kind_nic_drop,
	[KIND_GROUP] = &kind_group,
	[KIND_SIZE] = &kind_size,
	[KIND_FLOW] = &kind_flow,
	[KIND_LINK] = &kind_link,
	[KIND_QUEUE] = &kind_queue,
	[KIND_MARKING] = &kind_marking,
	[KIND_BIN] = &kind_bin,
	[KIND_PFC] = &kind_pfc,
	[KIND_PFC_TX] = &kind_pfc_tx,
	[KIND_PG] = &kind_pg,
	[KIND_POOL] = &kind_pool,
	[KIND_BUFFER] = &kind_buffer,
	[KIND_WD] = &kind_wd,
	[KIND_DEADLOCK] = &kind_deadlock,
	[KIND_NP] = &kind_np,
	[KIND_CNP] = &kind_cnp,
	[KIND_CP] = &kind_cp,
	[KIND_IQCN] = &kind_iqcn,
	[KIND_IQCN_TABLE] = &kind_iqcn_table,
	[KIND_FAST_CNP] = &kind_fast_cnp,
	[KIND_FAST_CNP_TABLE] = &kind_fast_cnp_table,
	[KIND_SOURCE] = &kind_source,
	[KIND_STREAM] = &kind_stream,
	[KIND_REPLAY] = &kind_replay,
	[KIND_RXBUF] = &kind_rxbuf,
	[KIND_NIC] = &kind_nic,
	[KIND_PORT] = &kind_port,
	[KIND_PLUGIN] = &kind_plugin,
	[KIND_DEVICE] = &kind_device,
	[KIND_RECON] = &kind_recon,
	[KIND_INSTRUMENT] = &kind_instrument,
};

int set_room(struct set *set, const struct kind *k, size_t n)
{
	set->size = k->size;
	set->object = calloc(n + 1, k->size);
	return set->object ? 0 : -ENOMEM;
}

const struct set *summary_set(struct summary *s, enum kind_id kind)
{
	struct set *set = &s->set[kind];

	if (set->made)
		return set;
	set->made = true;
	if (kind_list[kind]->make(s, set))
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
		.offset = i * (uint32_t)sizeof(uint64_t),
		.divisor = 1,
		.meaning = k->reasons.meaning};
	return true;
}

static bool named(const struct kind *k, const char *name, struct figure *out)
{
	for (unsigned i = 0; kind_member(k, i, out); i++)
		if (!strcmp(out->name, name))
			return true;
	return false;
}

bool kind_figure(const struct kind *k, const char *name, struct figure *out)
{
	return named(k, name, out) && figure_is_number(out);
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
		return f->divisor == 1 ? v : v / f->divisor;
	case FIGURE_VALUE:
		return *(const double *)at;
	case FIGURE_DIST:
		return ((const struct summary_dist *)at)->n ? *(const double *)(at + f->which)
							    : NAN;
	case FIGURE_ID:
		return *(const unsigned *)at;
	default:
		return NAN;
	}
}

const char *kind_name(const struct kind *k, const void *object, char buf[static SUMMARY_NAME])
{
	const char *text;

	if (k->name)
		return k->name(object, buf);
	text = *(const char *const *)((const char *)object + k->name_at);
	if (!k->number_at)
		return text;
	snprintf(buf, SUMMARY_NAME, "%s.%u", text,
		*(const unsigned *)((const char *)object + k->number_at));
	return buf;
}

static const void *object_of(const struct summary *s, enum kind_id kind, unsigned i)
{
	return i < s->set[kind].n ? set_at(&s->set[kind], i) : NULL;
}

// A member of object i of this form; NULL: there is none. *at is its field.
static bool member_of(const struct summary *s, enum kind_id kind, unsigned i, const char *name,
	enum figure_form form, const void **at)
{
	const void *object = object_of(s, kind, i);
	struct figure f;

	if (!object || !named(kind_list[kind], name, &f) || f.form != form ||
		!figure_has(&f, object))
		return false;
	*at = (const char *)object + f.offset;
	return true;
}

double summary_at(const struct summary *s, enum kind_id kind, unsigned i, const char *name)
{
	const void *object = object_of(s, kind, i);
	struct figure f;

	return object && kind_figure(kind_list[kind], name, &f) ? figure_value(&f, object) : NAN;
}

unsigned long long summary_count(
	const struct summary *s, enum kind_id kind, unsigned i, const char *name)
{
	double v = summary_at(s, kind, i, name);

	return v > 0 ? (unsigned long long)v : 0;
}

const char *summary_label(const struct summary *s, enum kind_id kind, unsigned i, const char *name,
	char buf[static SUMMARY_NAME])
{
	const void *object = object_of(s, kind, i), *at;
	const char *text = NULL;

	if (object && !name && kind_list[kind]->could)
		text = kind_name(kind_list[kind], object, buf);
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
	const struct set *set = &s->set[kind];
	double sum = 0;
	struct figure f;

	if (!kind_figure(kind_list[kind], name, &f))
		return NAN;
	for (unsigned i = 0; i < set->n; i++) {
		double v = figure_value(&f, set_at(set, i));

		sum += isnan(v) ? 0 : v;
	}
	return sum;
}

static void put_member(
	struct jw *w, const struct summary *s, const struct figure *f, const void *object)
{
	const void *at = (const char *)object + f->offset;
	const char *text;

	switch ((enum figure_form)f->form) {
	case FIGURE_BOOL:
		jw_bool(w, f->name, *(const bool *)at);
		break;
	case FIGURE_TEXT:
		text = *(const char *const *)at;
		if (text)
			jw_str(w, f->name, text);
		else
			jw_null(w, f->name);
		break;
	case FIGURE_LIST:
		f->list->put(w, s, object, f->name);
		break;
	default:
		jw_num(w, f->name, figure_value(f, object), f->decimals);
		break;
	}
}

void figure_put(struct jw *w, const struct summary *s, const struct kind *k, const void *object)
{
	struct figure f;

	for (unsigned i = 0; kind_member(k, i, &f); i++)
		if (figure_has(&f, object))
			put_member(w, s, &f, object);
}
