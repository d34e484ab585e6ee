// SPDX-License-Identifier: BSD-3-Clause
// The description at the head of a file of events: JSON that says what a record holds and what all
// numbers in it mean, written and read.
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "format.h"
#include "job/job.h"
#include "write.h"

static const char *const compress_name[] = {[EVF_ZSTD] = "zstd", [EVF_NONE] = "none"};
static const char *const kind_name[] = {
	[EVF_SWITCH] = "switch", [EVF_NIC] = "nic", [EVF_REPLAY] = "replay"};

// The fields at the beginning of every record.
static const struct ev_field common[] = {
	{"t", "ps", offsetof(struct ev, t), 8, EV_FORM_US, EV_COL_TIME, ""},
	{"node", "", offsetof(struct ev, node), 4, EV_FORM_NUMBER, EV_COL_NONE, ""},
	{"port", "", offsetof(struct ev, port), 2, EV_FORM_NUMBER, EV_COL_OBJECT, ""},
	{"type", "", offsetof(struct ev, type), 1, EV_FORM_NUMBER, EV_COL_EVENT, ""},
};

#define COMMON (sizeof(common) / sizeof(common[0]))

static void put_field(struct jw *w, const struct evf_names *n, const struct ev_field *f)
{
	jw_object(w, NULL, true);
	jw_str(w, "name", f->name);
	jw_str(w, "unit", f->unit);
	jw_u64(w, "offset", f->size ? f->offset : 0);
	jw_u64(w, "size", f->size);
	jw_str(w, "form", evf_form_name((enum ev_form)f->form));
	if (f->column)
		jw_str(w, "column", n->column[f->column].name);
	jw_end(w);
}

static void put_types(struct jw *w, const struct evf_names *n)
{
	jw_array(w, "common", false);
	for (unsigned i = 0; i < COMMON; i++)
		put_field(w, n, &common[i]);
	jw_end(w);
	jw_array(w, "types", false);
	for (unsigned i = 0; i < n->n_types; i++) {
		const struct ev_row *row = n->type[i].row;

		jw_object(w, NULL, false);
		jw_str(w, "name", row->name);
		jw_str(w, "when", row->when);
		jw_str(w, "object", row->object);
		jw_array(w, "fields", false);
		for (unsigned k = 0; k < row->n_fields; k++)
			put_field(w, n, &row->field[k]);
		jw_end(w);
		jw_end(w);
	}
	jw_end(w);
}

static void put_columns(struct jw *w, const struct evf_names *n)
{
	jw_array(w, "columns", false);
	for (unsigned i = EV_COL_TIME; i < n->n_columns; i++) {
		jw_object(w, NULL, true);
		jw_str(w, "name", n->column[i].name);
		jw_str(w, "unit", n->column[i].unit);
		jw_end(w);
	}
	jw_end(w);
}

static void put_texts(struct jw *w, const char *key, const struct evf_texts *t)
{
	jw_array(w, key, true);
	for (uint32_t i = 0; i < t->n; i++)
		jw_str(w, NULL, evf_text(t, i)->s);
	jw_end(w);
}

struct evf_texts evf_known_marks(const struct evf_names *n)
{
	struct evf_texts known = n->mark;

	for (known.n = 0; known.n < n->mark.n && evf_text(&n->mark, known.n)->len;)
		known.n++;
	return known;
}

static void put_word_lists(struct jw *w, const struct evf_names *n)
{
	jw_object(w, "drops", false);
	for (unsigned i = 0; i < EVF_KINDS; i++)
		put_texts(w, kind_name[i], &n->drop[i]);
	jw_end(w);
	put_texts(w, "reactions", &n->reaction);
	put_texts(w, "resumes", &n->resume);
	put_texts(w, "actions", &n->action);
	put_texts(w, "refusals", &n->refusal);
}

static void put_node_list(struct jw *w, const struct evf_names *n)
{
	jw_array(w, "nodes", false);
	for (unsigned i = 0; i < n->n_nodes; i++) {
		const struct evf_node *node = &n->node[i];

		jw_object(w, NULL, true);
		jw_str(w, "name", node->name);
		jw_str(w, "kind", kind_name[node->kind]);
		jw_array(w, "ports", true);
		for (unsigned p = 0; p < node->n_ports; p++)
			jw_str(w, NULL, evf_port_name(n, i, p)->s);
		jw_end(w);
		jw_end(w);
	}
	jw_end(w);
}

static void put_headers(struct jw *w, const struct evf_names *n)
{
	jw_array(w, "headers", true);
	jw_null(w, NULL); // of id 0
	for (uint32_t id = 1; id <= n->n_hdrs; id++) {
		struct evf_owner o = evf_owner(n, id);

		if (o.kind == EVF_NOBODY)
			jw_null(w, NULL);
		else
			jw_u64(w, NULL, o.i + (o.kind == EVF_SOURCE ? n->flow.n : 0));
	}
	jw_end(w);
}

static void put_jobs(struct jw *w, const struct evf_names *n)
{
	jw_array(w, "jobs", false);
	for (unsigned i = 0; i < n->n_jobs; i++) {
		jw_object(w, NULL, true);
		jw_str(w, "name", n->job[i].name.s);
		jw_u64(w, "ranks", n->job[i].n);
		jw_end(w);
	}
	jw_end(w);
}

void evf_about_put(struct out *o, const struct evf_names *n, enum evf_compress compress)
{
	const struct evf_texts marks = evf_known_marks(n);
	struct jw w;

	jw_init(&w, o);
	jw_object(&w, NULL, false);
	jw_str(&w, "program", "quench");
	jw_str(&w, "version", QUENCH_VERSION);
	jw_u64(&w, "record_bytes", EVF_RECORD);
	jw_str(&w, "compress", compress_name[compress]);
	put_columns(&w, n);
	put_types(&w, n);
	put_word_lists(&w, n);
	put_node_list(&w, n);
	put_texts(&w, "flows", &n->flow);
	put_texts(&w, "sources", &n->source);
	put_texts(&w, "marks", &marks);
	put_jobs(&w, n);
	put_headers(&w, n);
	jw_end(&w);
}

// The text that is read, and the place in it: the first fault has set the line.
struct about {
	struct evf_names *names;
	struct arena *arena;
	unsigned record_bytes;
	const char *path;
	struct err *err;
};

static int broken(const struct about *a, const char *what)
{
	return err_set(
		a->err, -EINVAL, "%s: its description of the events is broken: %s", a->path, what);
}

static int no_memory(const struct about *a)
{
	return err_set(a->err, -ENOMEM, "%s: no memory for its description of the events", a->path);
}

static const char *text_of(const struct about *a, const json_t *object, const char *key)
{
	const json_t *v = json_object_get(object, key);

	return json_is_string(v) ? arena_text(a->arena, json_string_value(v), json_string_length(v))
				 : NULL;
}

// Returns a whole number from 0 to `most`; -1: there is none.
static long whole_number(const json_t *object, const char *key, long most)
{
	const json_t *v = json_object_get(object, key);
	json_int_t i = json_is_integer(v) ? json_integer_value(v) : -1;

	return i > most ? -1 : (long)i;
}

static int get_columns(const struct about *a, const json_t *list)
{
	size_t n = json_array_size(list);
	struct ev_column *column;

	if (n < EV_COL_OBJECT || n >= EVF_COLUMNS_MOST)
		return broken(a, "3 to 15 'columns' are wanted");
	column = arena_get(a->arena, (n + 1) * sizeof(*column));
	if (!column)
		return no_memory(a);
	for (size_t i = 1; i <= n; i++) {
		const json_t *c = json_array_get(list, i - 1);

		column[i].name = text_of(a, c, "name");
		column[i].unit = text_of(a, c, "unit");
		if (!column[i].name || !column[i].unit)
			return broken(a, "a column has no name or no unit");
	}
	a->names->column = column;
	a->names->n_columns = (unsigned)n + 1;
	return 0;
}

// Returns the column of this name; EV_COL_NONE: no name was given; -1: there is no such column.
static int find_column(const struct evf_names *n, const json_t *name)
{
	if (!name)
		return EV_COL_NONE;
	for (unsigned i = EV_COL_TIME; i < n->n_columns; i++)
		if (json_is_string(name) && !strcmp(json_string_value(name), n->column[i].name))
			return (int)i;
	return -1;
}

static int get_field(const struct about *a, const json_t *field, struct ev_field *f)
{
	long offset = whole_number(field, "offset", a->record_bytes);
	long size = whole_number(field, "size", sizeof(uint64_t));
	const json_t *form = json_object_get(field, "form");
	int column = find_column(a->names, json_object_get(field, "column"));
	enum ev_form known =
		json_is_string(form) ? evf_form_of(json_string_value(form)) : EV_FORM_NUMBER;
	unsigned wanted = evf_form_size(known);

	if (offset < 0 || size < 0 || (size & (size - 1)) || offset + size > a->record_bytes)
		return broken(a, "a field lies outside of its record");
	if (!size != (known == EV_FORM_COUNT))
		return broken(a, "a field has no size");
	if (column < 0 || (column && column <= EV_COL_OBJECT))
		return broken(a, "a field stands in a column that is not there");
	*f = (struct ev_field){.name = text_of(a, field, "name"),
		.unit = text_of(a, field, "unit"),
		.offset = (uint8_t)offset,
		.size = (uint8_t)size,
		.form = (uint8_t)(wanted && wanted != size ? EV_FORM_NUMBER : known),
		.column = (uint8_t)column};
	return f->name && f->unit ? 0 : broken(a, "a field has no name or no unit");
}

static int get_type(const struct about *a, const json_t *type, struct evf_type *t)
{
	const json_t *list = json_object_get(type, "fields");
	size_t n = json_array_size(list);
	struct ev_row *row = arena_get(a->arena, sizeof(*row));
	struct ev_field *f = n <= UINT8_MAX ? arena_get(a->arena, (n + 1) * sizeof(*f)) : NULL;
	int code = 0;

	if (n > UINT8_MAX)
		return broken(a, "a type has more than 255 fields");
	if (!row || !f)
		return no_memory(a);
	*row = (struct ev_row){
		.name = text_of(a, type, "name"), .field = f, .n_fields = (uint8_t)n};
	if (!row->name)
		return broken(a, "a type has no name");
	for (size_t i = 0; i < n && !code; i++) {
		code = get_field(a, json_array_get(list, i), &f[i]);
		if (!code && i && f[i].column && f[i].column <= f[i - 1].column)
			code = broken(a, "a type's fields are not in the order of their columns");
		if (!code && i && f[i].column && !f[i - 1].column)
			code = broken(
				a, "a field without a column stands before one with a column");
	}
	if (code || evf_type_init(t, row))
		return code;
	for (size_t i = 0; i < n; i++) // fields that cannot be told together become numbers
		if (evf_form_with((enum ev_form)f[i].form))
			f[i].form = EV_FORM_NUMBER;
	return 0;
}

static int get_types(const struct about *a, const json_t *list)
{
	size_t n = json_array_size(list);
	int code = 0;

	if (!n || n > EVF_TYPES_MOST)
		return broken(a, "1 to 64 'types' are wanted");
	for (size_t i = 0; i < n && !code; i++)
		code = get_type(a, json_array_get(list, i), &a->names->type[i]);
	a->names->n_types = (unsigned)n;
	return code;
}

// Reads the texts of a list into `at`, which has room for them.
static bool get_texts(const json_t *list, struct fmt_text *at)
{
	size_t i;
	json_t *v;

	json_array_foreach(list, i, v)
	{
		if (!json_is_string(v))
			return false;
		fmt_text_set(&at[i], json_string_value(v));
	}
	return true;
}

static int get_table(
	const struct about *a, const json_t *object, const char *key, struct evf_texts *t)
{
	const json_t *list = json_object_get(object, key);
	size_t n = json_array_size(list);
	struct fmt_text *text = arena_get(a->arena, (n + 1) * sizeof(*text));

	if (!text)
		return no_memory(a);
	if (!json_is_array(list) || !get_texts(list, text))
		return broken(a, "a list of names is missing, or has what is no name");
	*t = (struct evf_texts){text, sizeof(*text), (uint32_t)n};
	return 0;
}

static int get_words(const struct about *a, const json_t *top)
{
	struct evf_names *n = a->names;
	int code = 0;

	for (unsigned i = 0; i < EVF_KINDS && !code; i++)
		code = get_table(a, json_object_get(top, "drops"), kind_name[i], &n->drop[i]);
	if (!code)
		code = get_table(a, top, "reactions", &n->reaction);
	if (!code)
		code = get_table(a, top, "resumes", &n->resume);
	if (!code)
		code = get_table(a, top, "actions", &n->action);
	// Older files have neither refusals nor marks.
	if (!code && json_object_get(top, "refusals"))
		code = get_table(a, top, "refusals", &n->refusal);
	if (!code && json_object_get(top, "marks"))
		code = get_table(a, top, "marks", &n->mark);
	if (!code)
		code = get_table(a, top, "flows", &n->flow);
	return code ? code : get_table(a, top, "sources", &n->source);
}

static int kind_of(const json_t *node)
{
	const json_t *kind = json_object_get(node, "kind");

	for (int i = 0; i < EVF_KINDS && json_is_string(kind); i++)
		if (!strcmp(json_string_value(kind), kind_name[i]))
			return i;
	return -1;
}

static int get_nodes(const struct about *a, const json_t *list)
{
	size_t n = json_array_size(list), ports = 0, i;
	struct evf_node *node = arena_get(a->arena, (n + 1) * sizeof(*node));
	struct fmt_text *port;
	json_t *v;

	json_array_foreach(list, i, v) ports += json_array_size(json_object_get(v, "ports"));
	port = arena_get(a->arena, (ports + 1) * sizeof(*port));
	if (!node || !port)
		return no_memory(a);
	ports = 0;
	json_array_foreach(list, i, v)
	{
		const json_t *names = json_object_get(v, "ports");
		size_t k = json_array_size(names);
		int kind = kind_of(v);

		node[i].name = text_of(a, v, "name");
		if (!node[i].name || kind < 0 || k > UINT16_MAX || !get_texts(names, port + ports))
			return broken(a, "a node lacks its name, its kind or its ports");
		node[i].first_port = (uint32_t)ports;
		node[i].n_ports = (uint16_t)k;
		node[i].kind = (uint8_t)kind;
		ports += k;
	}
	a->names->node = node;
	a->names->n_nodes = (unsigned)n;
	a->names->port = (struct evf_texts){port, sizeof(*port), (uint32_t)ports};
	return 0;
}

// Older files have none.
static int get_jobs(const struct about *a, const json_t *list)
{
	struct evf_job *job = arena_get(a->arena, (json_array_size(list) + 1) * sizeof(*job));
	uint32_t first = 0;
	size_t i;
	json_t *v;

	if (!job)
		return no_memory(a);
	json_array_foreach(list, i, v)
	{
		const char *name = json_string_value(json_object_get(v, "name"));
		long ranks = whole_number(v, "ranks", GRAPH_RANKS);

		if (!name || ranks < 0 || first > UINT32_MAX - (uint32_t)ranks)
			return broken(a, "a job lacks its name or its ranks");
		fmt_text_set(&job[i].name, name);
		job[i].first = first;
		job[i].n = (uint32_t)ranks;
		first += (uint32_t)ranks;
	}
	a->names->job = job;
	a->names->n_jobs = (unsigned)json_array_size(list);
	return 0;
}

static int get_headers(const struct about *a, const json_t *list)
{
	size_t n = json_array_size(list), i;
	struct evf_owner *hdr = arena_get(a->arena, (n + 1) * sizeof(*hdr));
	const uint32_t flows = a->names->flow.n;
	json_t *v;

	if (!hdr)
		return no_memory(a);
	json_array_foreach(list, i, v)
	{
		json_int_t owner = json_integer_value(v);

		if (!json_is_integer(v))
			continue;
		if (owner < 0 || owner >= (json_int_t)flows + a->names->source.n)
			return broken(a, "a header is of a flow or source that is not there");
		hdr[i] = owner < flows ? (struct evf_owner){EVF_FLOW, (uint32_t)owner}
				       : (struct evf_owner){EVF_SOURCE, (uint32_t)(owner - flows)};
	}
	a->names->hdr = hdr;
	a->names->n_hdrs = n ? (uint32_t)n - 1 : 0;
	return 0;
}

static int get_about(struct evf_about *about, const struct about *a, const json_t *top)
{
	const json_t *compress = json_object_get(top, "compress");
	int code;

	if (a->record_bytes < offsetof(struct ev, mark) || a->record_bytes % sizeof(uint64_t))
		return broken(a, "'record_bytes' is a multiple of 8 from 16 to 248");
	about->record_bytes = a->record_bytes;
	about->compress = EVF_NONE + 1;
	for (int i = 0; i <= EVF_NONE && json_is_string(compress); i++)
		if (!strcmp(json_string_value(compress), compress_name[i]))
			about->compress = (enum evf_compress)i;
	if (about->compress > EVF_NONE)
		return broken(a, "'compress' is zstd or none");
	code = get_columns(a, json_object_get(top, "columns"));
	if (!code)
		code = get_types(a, json_object_get(top, "types"));
	if (!code)
		code = get_words(a, top);
	if (!code)
		code = get_nodes(a, json_object_get(top, "nodes"));
	if (!code)
		code = get_jobs(a, json_object_get(top, "jobs"));
	return code ? code : get_headers(a, json_object_get(top, "headers"));
}

int evf_about_get(struct evf_about *about, struct evf_names *n, struct arena *arena,
	const char *text, size_t len, const char *path, struct err *err)
{
	struct about a = {.names = n, .arena = arena, .path = path, .err = err};
	json_error_t why;
	json_t *top = json_loadb(text, len, 0, &why);
	long bytes;
	int code;

	if (!top)
		return broken(&a, why.text);
	bytes = whole_number(top, "record_bytes", EVF_RECORD_MOST);
	a.record_bytes = bytes < 0 ? 0 : (unsigned)bytes;
	code = get_about(about, &a, top);
	json_decref(top);
	return code;
}
