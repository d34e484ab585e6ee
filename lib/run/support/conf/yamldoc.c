// SPDX-License-Identifier: BSD-3-Clause
// A YAML document as a tree that knows the place of each node in the file. Features that no
// scenario needs are refused.
#include "yamldoc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/index.h"
#include "infile.h"

#define BYTE_ORDER_MARK "\xef\xbb\xbf" // may stand at the front (YAML 1.2 cl. 5.2)

#define LONG_MAP 32 // items from which on a map has an index

struct reader {
	struct arena *arena;
	yaml_parser_t parser;
	yaml_event_t event;
	const char *where, *text;
	size_t size;
	unsigned depth, nodes;
	bool own; // the text is ours: of any size, and no key is there twice
	struct err *err;
};

static int out_of_memory(struct err *err)
{
	return err_set(err, -ENOMEM, "out of memory");
}

int yamldoc_err(struct err *err, const struct yamldoc_node *n, const char *fmt, ...)
{
	char text[sizeof(err->text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!n->line)
		return err_set(err, -EINVAL, "%s: %s", n->where, text);
	return err_set(err, -EINVAL, "%s:%u:%u: %s", n->where, n->line, n->column, text);
}

static int read_err(struct reader *r, yaml_mark_t at, const char *what)
{
	return err_set(
		r->err, -EINVAL, "%s:%zu:%zu: %s", r->where, at.line + 1, at.column + 1, what);
}

// Looks for a tab in the indentation of a mark's line, which may have dashes of lists, and moves
// the mark there.
static bool find_tab(const struct reader *r, yaml_mark_t *at)
{
	size_t line = at->line, i = 0, n;

	for (; line && i < r->size; i++)
		line -= r->text[i] == '\n';
	for (n = 0; i + n < r->size && (r->text[i + n] == ' ' || r->text[i + n] == '-');)
		n++;
	if (i + n >= r->size || r->text[i + n] != '\t')
		return false;
	at->column = n;
	return true;
}

// Brackets and braces that are open at the end of the text, where it cannot be scanned, or where
// the other kind closes.
struct open_marks {
	struct {
		yaml_mark_t at;
		yaml_token_type_t end; // that closes it
	} mark[YAMLDOC_MAX_DEPTH];
	unsigned n;
};

// False: the text ends, or what opened last is not what closes. Deeper ones are refused before.
static bool count_bracket(struct open_marks *o, const yaml_token_t *t)
{
	bool is_list = t->type == YAML_FLOW_SEQUENCE_START_TOKEN;
	bool opens = is_list || t->type == YAML_FLOW_MAPPING_START_TOKEN;
	bool closes =
		t->type == YAML_FLOW_SEQUENCE_END_TOKEN || t->type == YAML_FLOW_MAPPING_END_TOKEN;

	if (opens && o->n < YAMLDOC_MAX_DEPTH) {
		o->mark[o->n].at = t->start_mark;
		o->mark[o->n++].end =
			is_list ? YAML_FLOW_SEQUENCE_END_TOKEN : YAML_FLOW_MAPPING_END_TOKEN;
	}
	if (closes && o->n && o->mark[o->n - 1].end != t->type)
		return false;
	o->n -= closes && o->n;
	return t->type != YAML_STREAM_END_TOKEN && t->type != YAML_NO_TOKEN;
}

static void find_open(const struct reader *r, struct open_marks *o)
{
	yaml_parser_t p;
	yaml_token_t t;
	bool more = true;

	*o = (struct open_marks){.n = 0};
	if (!yaml_parser_initialize(&p))
		return;
	yaml_parser_set_encoding(&p, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&p, (const unsigned char *)r->text, r->size);
	while (more && yaml_parser_scan(&p, &t)) {
		more = count_bracket(o, &t);
		yaml_token_delete(&t);
	}
	yaml_parser_delete(&p);
}

// Finds a bracket, brace or quote before a parser's problem that is not closed: its word, and its
// mark in `at`. NULL: there is none.
static const char *find_unclosed(const struct reader *r, yaml_mark_t *at)
{
	const yaml_parser_t *p = &r->parser;
	struct open_marks o;

	if (p->context && !strcmp(p->context, "while scanning a quoted scalar")) {
		*at = p->context_mark;
		return "quote";
	}
	find_open(r, &o);
	while (o.n && o.mark[o.n - 1].at.index >= p->problem_mark.index)
		o.n--;
	if (!o.n)
		return NULL;
	*at = o.mark[o.n - 1].at;
	return o.mark[o.n - 1].end == YAML_FLOW_SEQUENCE_END_TOKEN ? "bracket" : "brace";
}

// libyaml gives a mark for text that it cannot scan or parse, and an offset for bytes that are no
// text.
static int parser_err(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	yaml_mark_t at = p->problem_mark;
	const char *open;
	char what[200];

	if (p->error == YAML_MEMORY_ERROR)
		return out_of_memory(r->err);
	if (p->error == YAML_READER_ERROR) {
		at = (yaml_mark_t){0};
		for (size_t i = 0; i < p->problem_offset && i < r->size; i++) {
			at.column++;
			if (r->text[i] == '\n')
				at = (yaml_mark_t){.line = at.line + 1};
		}
		snprintf(what, sizeof(what), "not text: %s (a scenario is YAML in UTF-8)",
			p->problem);
	} else if (find_tab(r, &at)) {
		return read_err(r, at,
			"a tab cannot indent a line of YAML; write two spaces for each level");
	} else if ((open = find_unclosed(r, &at))) {
		snprintf(
			what, sizeof(what), "not YAML: the %s that opens here is not closed", open);
	} else {
		snprintf(what, sizeof(what), "not YAML: %s%s%s", p->context ? p->context : "",
			p->context ? ": " : "", p->problem ? p->problem : "?");
	}
	return read_err(r, at, what);
}

static int next(struct reader *r)
{
	yaml_event_delete(&r->event);
	return yaml_parser_parse(&r->parser, &r->event) ? 0 : parser_err(r);
}

static struct yamldoc_node *node_new(struct arena *a, const char *where, enum yamldoc_type type)
{
	struct yamldoc_node *n = arena_get(a, sizeof(*n));

	if (n) {
		n->type = type;
		n->where = where;
		n->text = "";
	}
	return n;
}

// Room grows by doubling; what it leaves behind stays in the arena.
static struct yamldoc_item *item_add(struct arena *a, struct yamldoc_node *n)
{
	if (n->n == n->room) {
		unsigned room = n->n ? n->n * 2 : 1;
		struct yamldoc_item *more = arena_get(a, room * sizeof(*more));

		if (!more)
			return NULL;
		if (n->n)
			memcpy(more, n->item, n->n * sizeof(*more));
		n->item = more;
		n->room = room;
	}
	return &n->item[n->n++];
}

static int read_node(struct reader *r, struct yamldoc_node **out);

// The item of a key in the map that is read; a long one has an index of its keys.
static const struct yamldoc_item *key_twin(
	const struct yamldoc_node *map, const struct index *keys, const char *key)
{
	uint32_t hash = index_hash(0, key, strlen(key)), at = hash, i;

	if (!keys->n)
		return yamldoc_find(map, key);
	while ((i = index_next(keys, hash, &at)) != INDEX_NONE)
		if (strcmp(map->item[i].key->text, key) == 0)
			return &map->item[i];
	return NULL;
}

// Indexes the keys that are not yet, once a map is long.
static int index_keys(struct index *keys, const struct yamldoc_node *map)
{
	for (unsigned i = keys->n; map->n >= LONG_MAP && i < map->n; i++) {
		const char *key = map->item[i].key->text;

		if (index_add(keys, index_hash(0, key, strlen(key)), i))
			return -ENOMEM;
	}
	return 0;
}

static int read_map_item(struct reader *r, struct yamldoc_node *map, struct index *keys)
{
	struct yamldoc_node *key, *value;

	if (r->event.type != YAML_SCALAR_EVENT)
		return read_err(r, r->event.start_mark, "a key must be plain text");

	int rc = read_node(r, &key);

	if (rc)
		return rc;

	const struct yamldoc_item *twin = r->own ? NULL : key_twin(map, keys, key->text);

	if (twin)
		return yamldoc_err(r->err, key,
			"'%s' stands here twice (first in line %u); write it once", key->text,
			twin->key->line);
	rc = next(r);
	if (!rc)
		rc = read_node(r, &value);
	if (rc)
		return rc;

	struct yamldoc_item *item = item_add(r->arena, map);

	if (!item)
		return out_of_memory(r->err);
	*item = (struct yamldoc_item){key, value};
	return r->own || !index_keys(keys, map) ? 0 : out_of_memory(r->err);
}

static int read_list_item(struct reader *r, struct yamldoc_node *list)
{
	struct yamldoc_node *value;
	int rc = read_node(r, &value);

	if (rc)
		return rc;

	struct yamldoc_item *item = item_add(r->arena, list);

	if (!item)
		return out_of_memory(r->err);
	*item = (struct yamldoc_item){.value = value};
	return 0;
}

static int read_items(struct reader *r, struct yamldoc_node *n, struct index *keys)
{
	for (;;) {
		int rc = next(r);

		if (rc)
			return rc;
		if (r->event.type == YAML_SEQUENCE_END_EVENT ||
			r->event.type == YAML_MAPPING_END_EVENT)
			return 0;
		if (n->n == YAMLDOC_MAX_ITEMS && !r->own)
			return read_err(r, r->event.start_mark, "too many items for a scenario");
		rc = n->type == YAMLDOC_MAP ? read_map_item(r, n, keys) : read_list_item(r, n);
		if (rc)
			return rc;
	}
}

static int read_children(struct reader *r, struct yamldoc_node *n)
{
	struct index keys = {0};
	int rc;

	if (++r->depth > YAMLDOC_MAX_DEPTH)
		return read_err(r, r->event.start_mark, "nested too deeply for a scenario");
	rc = read_items(r, n, &keys);
	index_fini(&keys);
	r->depth--;
	return rc;
}

static int read_scalar(struct reader *r, struct yamldoc_node *n)
{
	const yaml_event_t *e = &r->event;
	const char *text = (const char *)e->data.scalar.value;

	if (memchr(text, 0, e->data.scalar.length))
		return read_err(r, e->start_mark, "a NUL character is not text");
	n->quoted = e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	n->text = arena_text(r->arena, text, e->data.scalar.length);
	return n->text ? 0 : out_of_memory(r->err);
}

// The forbidden property of a node; NULL: it has none.
static const char *refused(const yaml_event_t *e)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;

	if (e->type == YAML_ALIAS_EVENT)
		return "aliases are not read here; name the thing, or use `defaults`";
	if (e->type == YAML_SCALAR_EVENT) {
		anchor = e->data.scalar.anchor;
		tag = e->data.scalar.tag;
	} else if (e->type == YAML_SEQUENCE_START_EVENT) {
		anchor = e->data.sequence_start.anchor;
		tag = e->data.sequence_start.tag;
	} else if (e->type == YAML_MAPPING_START_EVENT) {
		anchor = e->data.mapping_start.anchor;
		tag = e->data.mapping_start.tag;
	}
	if (anchor)
		return "anchors are not read here; name the thing, or use `defaults`";
	return tag ? "tags are not read here; write the plain value" : NULL;
}

static bool is_flow(const yaml_event_t *e)
{
	return (e->type == YAML_SEQUENCE_START_EVENT &&
		       e->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE) ||
	       (e->type == YAML_MAPPING_START_EVENT &&
		       e->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE);
}

// The node of the current event, with all below it.
static int read_node(struct reader *r, struct yamldoc_node **out)
{
	const yaml_event_t *e = &r->event;
	const char *why = refused(e);

	if (why)
		return read_err(r, e->start_mark, why);
	if (++r->nodes > YAMLDOC_MAX_NODES && !r->own)
		return read_err(r, e->start_mark, "more values than a scenario can have");

	enum yamldoc_type type = e->type == YAML_SCALAR_EVENT          ? YAMLDOC_SCALAR
				 : e->type == YAML_MAPPING_START_EVENT ? YAMLDOC_MAP
								       : YAMLDOC_LIST;
	struct yamldoc_node *n = node_new(r->arena, r->where, type);

	if (!n)
		return out_of_memory(r->err);
	n->line = (uint32_t)e->start_mark.line + 1;
	n->column = (uint32_t)e->start_mark.column + 1;
	n->flow = is_flow(e);
	*out = n;
	return type == YAMLDOC_SCALAR ? read_scalar(r, n) : read_children(r, n);
}

static int read_document(struct reader *r, struct yamldoc_node **root)
{
	int rc = next(r); // stream start

	if (!rc)
		rc = next(r);
	if (rc)
		return rc;
	if (r->event.type == YAML_STREAM_END_EVENT)
		return err_set(r->err, -EINVAL,
			"%s:1:1: empty; a scenario has at least duration, hosts and links",
			r->where);
	rc = next(r);
	if (!rc)
		rc = read_node(r, root);
	if (!rc)
		rc = next(r); // document end
	if (!rc)
		rc = next(r);
	if (!rc && r->event.type != YAML_STREAM_END_EVENT)
		return read_err(
			r, r->event.start_mark, "a second document; a file is one scenario");
	return rc;
}

static int parse(struct reader *r, struct yamldoc_node **root)
{
	if (!yaml_parser_initialize(&r->parser))
		return out_of_memory(r->err);
	yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r->parser, (const unsigned char *)r->text, r->size);

	int rc = read_document(r, root);

	yaml_event_delete(&r->event);
	yaml_parser_delete(&r->parser);
	return rc;
}

static bool begins_with(const char *text, size_t n, const char *with)
{
	return n >= strlen(with) && !memcmp(text, with, strlen(with));
}

// Bytes of the line break that the text begins with, as libyaml counts lines (YAML 1.1 cl. 5.4); 0:
// none.
static size_t line_break(const char *text, size_t n)
{
	static const char *const breaks[] = {
		"\r\n", "\n", "\r", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"};

	for (unsigned i = 0; i < sizeof(breaks) / sizeof(breaks[0]); i++)
		if (begins_with(text, n, breaks[i]))
			return strlen(breaks[i]);
	return 0;
}

// Bytes of the character of UTF-8 that the text, which is not empty, begins with.
static size_t char_length(const char *text, size_t n)
{
	size_t i = 1;

	while (i < n && ((unsigned char)text[i] & 0xc0) == 0x80)
		i++;
	return i;
}

// Returns the offset of the first line's text of a block scalar, after the header and the
// indentation.
static size_t block_text(const char *text, size_t size, size_t i)
{
	while (i < size && !line_break(text + i, size - i))
		i++;
	for (i += line_break(text + i, size - i); i < size && text[i] == ' ';)
		i++;
	return i;
}

bool yamldoc_spelled(const char *text, size_t size, uint32_t line, uint32_t column,
	const char *value, size_t *at)
{
	size_t i = begins_with(text, size, BYTE_ORDER_MARK) ? strlen(BYTE_ORDER_MARK) : 0, n;

	for (; line > 1 && i < size; i += n ? n : 1) {
		n = line_break(text + i, size - i);
		line -= n != 0;
	}
	for (; column > 1 && i < size; column--)
		i += char_length(text + i, size - i);
	if (i < size && strchr("'\"", text[i]))
		i++;
	else if (i < size && strchr("|>", text[i]))
		i = block_text(text, size, i);
	*at = i;
	return begins_with(text + i, size - i, value);
}

int yamldoc_parse(struct arena *a, struct yamldoc_node **root, const char *where, const char *text,
	size_t size, struct err *err)
{
	// libyaml, told the encoding, trips over it.
	size_t mark = begins_with(text, size, BYTE_ORDER_MARK) ? strlen(BYTE_ORDER_MARK) : 0;
	struct reader r = {
		.arena = a, .where = where, .text = text + mark, .size = size - mark, .err = err};

	if (size > YAMLDOC_MAX_BYTES)
		return err_set(err, -EINVAL, "%s:1:1: longer than %u bytes; that is no scenario",
			where, YAMLDOC_MAX_BYTES);
	return parse(&r, root);
}

int yamldoc_parse_own(struct arena *a, struct yamldoc_node **root, const char *where,
	const char *text, size_t size, struct err *err)
{
	struct reader r = {
		.arena = a, .where = where, .text = text, .size = size, .own = true, .err = err};

	return parse(&r, root);
}

int yamldoc_read(struct arena *a, struct yamldoc_node **root, const char *path, struct err *err)
{
	return yamldoc_read_seen(a, root, path, NULL, NULL, err);
}

int yamldoc_read_seen(struct arena *a, struct yamldoc_node **root, const char *path,
	void (*see)(void *arg, int fd, const char *text, size_t size), void *arg, struct err *err)
{
	int wrong = infile_check_or(path, INFILE_OR_STDIN, err);
	FILE *f = wrong ? NULL : fopen(path, "rb");

	if (wrong)
		return wrong;
	if (!f)
		return err_set(err, -errno, "%s: %s", path, strerror(errno));

	char *text = malloc(YAMLDOC_MAX_BYTES + 1);
	size_t size = text ? fread(text, 1, YAMLDOC_MAX_BYTES + 1, f) : 0;
	int broken = ferror(f) ? errno : 0, rc;

	if (see && text)
		see(arg, fileno(f), text, size);
	fclose(f);
	if (!text)
		rc = out_of_memory(err);
	else if (broken)
		rc = err_set(err, -broken, "%s: %s", path, strerror(broken));
	else
		rc = yamldoc_parse(a, root, path, text, size, err);
	free(text);
	return rc;
}

const struct yamldoc_item *yamldoc_find(const struct yamldoc_node *map, const char *key)
{
	if (map->type != YAMLDOC_MAP)
		return NULL;
	for (unsigned i = 0; i < map->n; i++) {
		if (strcmp(map->item[i].key->text, key) == 0)
			return &map->item[i];
	}
	return NULL;
}

const struct yamldoc_node *yamldoc_get(const struct yamldoc_node *map, const char *key)
{
	const struct yamldoc_item *item = yamldoc_find(map, key);

	return item ? item->value : NULL;
}

bool yamldoc_is_null(const struct yamldoc_node *n)
{
	return n->type == YAMLDOC_SCALAR && !n->quoted &&
	       (!*n->text || strcmp(n->text, "~") == 0 || strcmp(n->text, "null") == 0);
}

size_t yamldoc_part(const struct yamldoc_node *map, const char *path)
{
	size_t best = 0, n = 0;

	for (unsigned i = 0; map && map->type == YAMLDOC_MAP && i < map->n; i++) {
		const char *key = map->item[i].key->text;

		n = strlen(key);
		if (n > best && strncmp(path, key, n) == 0 && (!path[n] || path[n] == '.'))
			best = n;
	}
	if (best)
		return best;
	for (n = 0; path[n] && (path[n] != '.' || path[n + 1] == '.'); n++)
		n += path[n] == '.';
	return n;
}

static struct yamldoc_item *set_in_list(const struct yamldoc_node *list, const char *part)
{
	char *end;
	unsigned long i = strtoul(part, &end, 10);

	return *part >= '0' && *part <= '9' && !*end && i < list->n ? &list->item[i] : NULL;
}

static struct yamldoc_item *set_in_map(
	struct arena *a, struct yamldoc_node *map, const char *part, const char *where)
{
	struct yamldoc_item *item = (struct yamldoc_item *)yamldoc_find(map, part);

	if (item)
		return item;

	struct yamldoc_node *key = node_new(a, where, YAMLDOC_SCALAR);
	struct yamldoc_node *value = node_new(a, where, YAMLDOC_SCALAR);

	item = key && value ? item_add(a, map) : NULL;
	if (!item)
		return NULL;
	key->text = part;
	*item = (struct yamldoc_item){key, value};
	return item;
}

// A place that holds nothing becomes a map when a key is set in it.
static void become_map(struct yamldoc_node *n)
{
	if (yamldoc_is_null(n)) {
		n->type = YAMLDOC_MAP;
		n->text = "";
	}
}

// A file:line:column is worth nothing for a value from a command line.
static void forget_lines(struct yamldoc_node *n)
{
	n->line = n->column = 0;
	for (unsigned i = 0; i < n->n; i++) {
		if (n->item[i].key)
			forget_lines(n->item[i].key);
		forget_lines(n->item[i].value);
	}
}

int yamldoc_set(struct arena *a, struct yamldoc_node *root, const char *by, const char *path,
	const char *value, struct err *err)
{
	const char *where = arena_format(a, "%s %s=%s", by, path, value);
	struct yamldoc_node *tree = NULL, *at = root;
	struct yamldoc_item *item = NULL;

	if (!where)
		return out_of_memory(err);
	for (const char *rest = path; *rest;) {
		become_map(at);

		size_t n = yamldoc_part(at, rest);
		const char *part = arena_text(a, rest, n);

		if (!part)
			return out_of_memory(err);
		item = at->type == YAMLDOC_MAP    ? set_in_map(a, at, part, where)
		       : at->type == YAMLDOC_LIST ? set_in_list(at, part)
						  : NULL;
		if (!item || !n)
			return err_set(err, -EINVAL,
				"%s: '%s' leads nowhere; a path is keys of the scenario and "
				"numbers in "
				"its lists (from 0), as in switches.s1.buffer",
				where, part);
		rest += n + (rest[n] == '.');
		at = item->value;
	}
	if (!item)
		return err_set(err, -EINVAL, "%s: a path is missing before '='", where);
	if (!*value)
		return err_set(err, -EINVAL, "%s: a value is missing behind '='", where);

	int rc = yamldoc_parse(a, &tree, where, value, strlen(value), err);

	if (rc)
		return rc;
	forget_lines(tree);
	item->value = tree;
	return 0;
}
