// SPDX-License-Identifier: BSD-3-Clause
// Events for people, with what each number is and its unit, and for programs that read JSON.
#include "show.h"

#include "line.h"

static int wider(int width, const struct evf_texts *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (evf_text(t, i)->len > width)
			width = evf_text(t, i)->len;
	return width;
}

static unsigned find_column(const struct evf_names *n, const char *name)
{
	for (unsigned i = EV_COL_TIME; i < n->n_columns; i++)
		if (!strcmp(n->column[i].name, name))
			return i;
	return EV_COL_NONE;
}

void evf_table_init(struct evf_table *t, const struct evf_names *n)
{
	*t = (struct evf_table){
		.object = wider((int)strlen("object"), &n->port),
		.flow = wider(wider((int)strlen("flow"), &n->flow), &n->source),
		.class_at = find_column(n, "class"),
		.flow_at = find_column(n, "flow"),
	};
	t->event = (int)strlen("event");
	for (unsigned i = 0; i < n->n_types; i++)
		if (n->type[i].name.len > t->event)
			t->event = n->type[i].name.len;
}

void evf_table_head(const struct evf_table *t, struct out *o)
{
	out_printf(o, "%16s  %-*s  %-*s  %5s  %-*s  %s\n", "time us", t->event, "event", t->object,
		"object", "class", t->flow, "flow", "what");
}

// The value of a field as text.
static const char *field_text(const struct evf_names *n, const struct ev *e,
	const struct ev_field *f, uint64_t number, char buf[EVF_VALUE])
{
	*evf_line_value(buf, n, e, f, number) = '\0';
	return buf;
}

// Whether the value is a number, which means nothing without its name.
static bool is_number(const struct ev_field *f)
{
	return f->form == EV_FORM_NUMBER || f->form == EV_FORM_US || f->form == EV_FORM_GBPS ||
	       f->form == EV_FORM_MILLIONTHS || f->form == EV_FORM_COUNT;
}

static const char *unit_of(const struct ev_field *f)
{
	switch ((enum ev_form)f->form) {
	case EV_FORM_US:
		return "us";
	case EV_FORM_GBPS:
		return "Gb/s";
	case EV_FORM_NUMBER:
		return f->unit;
	default:
		return "";
	}
}

// Returns the length of a field's name without its unit, which is written after the value.
static int bare_name(const struct ev_field *f)
{
	size_t name = strlen(f->name), unit = strlen(f->unit);

	if (!unit || unit > name || strcmp(f->name + name - unit, f->unit) != 0)
		return (int)name;
	if (unit == name)
		return 0;
	return (int)(f->name[name - unit - 1] == '_' ? name - unit - 1 : name);
}

// "tail", "queue 41000 bytes", "65535 quanta", "rc 12.500000 Gb/s"
static void put_what(const struct evf_names *n, const struct ev *e, const struct ev_field *f,
	uint64_t number, struct out *o)
{
	const char *unit = is_number(f) ? unit_of(f) : "";
	int name = is_number(f) ? bare_name(f) : 0;
	char value[EVF_VALUE];

	out_printf(o, "  %.*s%s%s%s%s", name, f->name, name ? " " : "",
		field_text(n, e, f, number, value), *unit ? " " : "", unit);
}

void evf_table_row(const struct evf_table *t, const struct evf_names *n, const struct ev *e,
	uint64_t number, struct out *o)
{
	const struct evf_type *type = &n->type[e->type];
	const struct ev_row *row = type->row;
	char cls[EVF_VALUE] = "-", flow[EVF_VALUE] = "-";

	for (unsigned i = 0; i < row->n_fields && row->field[i].column; i++) {
		if (row->field[i].column == t->class_at)
			field_text(n, e, &row->field[i], number, cls);
		else if (row->field[i].column == t->flow_at)
			field_text(n, e, &row->field[i], number, flow);
	}
	out_printf(o, "%9llu.%06llu  %-*s  %-*s  %5s  %-*s", (unsigned long long)(e->t / PS_PER_US),
		(unsigned long long)(e->t % PS_PER_US), t->event, type->name.s, t->object,
		evf_port_name(n, e->node, e->port)->s, cls, t->flow, flow);
	for (unsigned i = 0; i < row->n_fields && row->field[i].column; i++)
		if (row->field[i].column != t->class_at && row->field[i].column != t->flow_at)
			put_what(n, e, &row->field[i], number, o);
	out_str(o, "\n");
}

void evf_json(const struct evf_names *n, const struct ev *e, uint64_t number, struct out *o)
{
	const struct evf_type *type = &n->type[e->type];
	char value[EVF_VALUE];
	struct jw w;

	jw_init(&w, o);
	jw_object(&w, NULL, true);
	*fmt_us(value, e->t) = '\0';
	jw_number(&w, n->column[EV_COL_TIME].name, value);
	jw_str(&w, n->column[EV_COL_EVENT].name, type->name.s);
	jw_str(&w, n->column[EV_COL_OBJECT].name, evf_port_name(n, e->node, e->port)->s);
	for (unsigned i = 0; i < type->row->n_fields; i++) {
		const struct ev_field *f = &type->row->field[i];
		const char *key = f->column ? n->column[f->column].name : f->name;

		field_text(n, e, f, number, value);
		if (is_number(f) && *value)
			jw_number(&w, key, value);
		else
			jw_str(&w, key, value);
	}
	jw_end(&w);
}
