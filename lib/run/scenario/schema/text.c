// SPDX-License-Identifier: BSD-3-Clause
// Option tables written as YAML: every option with its value, unit and source.
#include "text.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"

#define NOTE_COLUMN 44

void scene_text_line(const struct text *t, const char *note, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);

	int n = fprintf(t->f, "%*s", (int)(2 * t->indent), "");

	n += vfprintf(t->f, fmt, ap);
	va_end(ap);
	if (note && *note && !t->bare)
		fprintf(t->f, "%*s# %s", n < NOTE_COLUMN ? NOTE_COLUMN - n : 1, "", note);
	fputc('\n', t->f);
}

static void scalar(FILE *f, const struct yamldoc_node *n)
{
	bool plain = *n->text && !strpbrk(n->text, "#{}[],&*!|>'\"%@`\\ \t\n") &&
		     !strstr(n->text, ": ") && n->text[strlen(n->text) - 1] != ':' &&
		     n->text[0] != '-' && n->text[0] != '?' && n->text[0] != ':' &&
		     !(n->quoted && (!strcmp(n->text, "~") || !strcmp(n->text, "null")));

	if (plain || (!n->quoted && !*n->text)) {
		fputs(n->text, f);
		return;
	}
	fputc('"', f);
	for (const char *c = n->text; *c; c++) {
		if (*c == '"' || *c == '\\')
			fputc('\\', f);
		fputc(*c == '\n' || *c == '\t' ? ' ' : *c, f);
	}
	fputc('"', f);
}

// A node of the file as it stands there, on one line.
static void put_node(FILE *f, const struct yamldoc_node *n)
{
	if (n->type == YAMLDOC_SCALAR) {
		scalar(f, n);
		return;
	}
	fputc(n->type == YAMLDOC_MAP ? '{' : '[', f);
	for (unsigned i = 0; i < n->n; i++) {
		fputs(i ? ", " : "", f);
		if (n->type == YAMLDOC_MAP) {
			scalar(f, n->item[i].key);
			fputs(": ", f);
		}
		put_node(f, n->item[i].value);
	}
	fputc(n->type == YAMLDOC_MAP ? '}' : ']', f);
}

char *scene_text_value(struct arena *a, const struct yamldoc_node *n)
{
	char *text = NULL, *kept = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	put_node(f, n);
	if (!fclose(f))
		kept = arena_text(a, text, size);
	free(text);
	return kept;
}

const struct yamldoc_node *scene_text_source(const void *base, unsigned row)
{
	return ((const struct opt_src *)base)->node[row];
}

const char *scene_text_origin(
	const struct text *t, const struct yamldoc_node *n, char *buf, size_t size)
{
	if (!n)
		snprintf(buf, size, "%s", t->value);
	else if (!n->line)
		snprintf(buf, size, "%s", strncmp(n->where, "--set", 5) == 0 ? "--set" : n->where);
	else
		snprintf(buf, size, "%s:%u", t->file, n->line);
	return buf;
}

// Returns whether an option is shown. Of options that exclude each other, only one is. An option
// may also be marked to be shown only if it was given.
static bool option_shown(
	const struct text *t, const struct opt_table *table, const void *base, unsigned i)
{
	const struct opt *row = &table->row[i];
	bool given = scene_text_source(base, i) != NULL;

	if (row->flags & t->hide || (t->ranged && (row->type == OPT_MAC || row->type == OPT_IP)))
		return false;
	if (given || t->given_only)
		return given;
	if (row->flags & (OPT_F_OPTIONAL | OPT_F_ASIDE))
		return row->type == OPT_MAC || row->type == OPT_IP;
	return !row->excludes || !opt_source(table, base, row->excludes);
}

static bool any_given(const struct opt_table *table, const void *base)
{
	for (unsigned i = 0; i < table->n; i++) {
		if (scene_text_source(base, i))
			return true;
	}
	return false;
}

static void keyed(struct text *t, const struct opt *row, const char *at)
{
	uint32_t each = row->size / row->count;
	bool any = false;

	for (unsigned k = 0; k < row->count; k++)
		any |= any_given(row->sub, at + k * each);
	if (!any)
		return;
	scene_text_line(t, NULL, "%s:", row->key);
	t->indent++;
	for (unsigned k = 0; k < row->count; k++) {
		if (!any_given(row->sub, at + k * each))
			continue;
		scene_text_line(t, NULL, "%u:", k);
		t->indent++;
		scene_text_table(t, row->sub, at + k * each);
		t->indent--;
	}
	t->indent--;
}

static void put_origin(const struct text *t, const struct yamldoc_node *n)
{
	char note[80];

	if (t->bare)
		fputc('\n', t->f);
	else
		fprintf(t->f, "  # %s\n", scene_text_origin(t, n, note, sizeof(note)));
}

void scene_text_list(const struct text *t, const struct opt *row, const struct yamldoc_node *n)
{
	if (!n || !n->n)
		return;
	scene_text_line(t, NULL, "%s:", row->key);
	for (unsigned i = 0; i < n->n; i++) {
		fprintf(t->f, "%*s- ", (int)(2 * t->indent + 2), "");
		put_node(t->f, n->item[i].value);
		put_origin(t, n->item[i].value);
	}
}

// A map by name, as the file has it: registers, rows of by_rate.
static void map_line(const struct text *t, const struct opt *row, const struct yamldoc_node *n)
{
	if (!n || !n->n)
		return;
	fprintf(t->f, "%*s%s: ", (int)(2 * t->indent), "", row->key);
	put_node(t->f, n);
	put_origin(t, n);
}

bool scene_text_any(const struct text *t, const struct opt_table *table, const void *base)
{
	for (unsigned i = 0; i < table->n; i++)
		if (option_shown(t, table, base, i))
			return true;
	return false;
}

void scene_text_table(struct text *t, const struct opt_table *table, const void *base)
{
	for (unsigned i = 0; i < table->n; i++) {
		const struct opt *row = &table->row[i];
		const char *at = (const char *)base + row->offset;
		char value[1024], note[80];

		if (!option_shown(t, table, base, i))
			continue;
		if (row->type == OPT_MAP) {
			scene_text_line(t, NULL, "%s:", row->key);
			t->indent++;
			scene_text_table(t, row->sub, at);
			t->indent--;
		} else if (row->type == OPT_KEYED) {
			keyed(t, row, at);
		} else if (row->type == OPT_LIST) {
			scene_text_list(t, row, *(const struct yamldoc_node *const *)at);
		} else if (row->type == OPT_SECTION) {
			map_line(t, row, *(const struct yamldoc_node *const *)at);
		} else if (opt_format(row, base, value, sizeof(value))) {
			scene_text_line(t,
				scene_text_origin(
					t, scene_text_source(base, i), note, sizeof(note)),
				"%s: %s", row->key, value);
		}
	}
}
