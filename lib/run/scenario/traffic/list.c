// SPDX-License-Identifier: BSD-3-Clause
// Flows of a list: a file of the HPCC simulator's form, of which each line is a flow.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define BLANKS " \t\r\n"

// Columns of a line. Lists of ConWeave lack the port.
enum { FROM, TO, CLASS, PORT, BYTES, START, COLUMNS };

struct list {
	struct draft *b;
	const struct spec_flow *usual;
	struct yamldoc_node at; // the place in the file
	FILE *in;
	char *text;
	size_t room;
	char *word[COLUMNS]; // of the line
	unsigned n_words;
	unsigned columns;         // that its lines have; 0: none has come
	struct draft_node **node; // that a number means
	struct yamldoc_node *name;
	unsigned n_nodes;
	unsigned given[6]; // rows of the table of flows that a line gives
};

static int wrong(struct list *l, const char *word, const char *what)
{
	char plain[41];

	snprintf(plain, sizeof(plain), "%s", word);
	for (char *c = plain; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
			*c = '?';
	l->at.column = (uint32_t)(word - l->text) + 1;
	return yamldoc_err(l->b->err, &l->at, "'%s' %s", plain, what);
}

// The next line that is not blank, in words. 1, or 0 at the end.
static int next_line(struct list *l)
{
	char *rest;

	do {
		ssize_t n;

		l->at.line++;
		n = getline(&l->text, &l->room, l->in);
		if (n < 0)
			return 0;
		for (ssize_t i = 0; i < n; i++) // no byte 0 hides what is behind it
			l->text[i] = l->text[i] ? l->text[i] : '?';
		l->n_words = 0;
		rest = l->text + strspn(l->text, BLANKS);
	} while (!*rest);
	while (*rest) {
		size_t n = strcspn(rest, BLANKS);
		char *end = rest + n;

		if (l->n_words < COLUMNS)
			l->word[l->n_words] = rest;
		l->n_words++;
		rest = end + strspn(end, BLANKS);
		*end = 0;
	}
	return 1;
}

static int read_number(
	struct list *l, const char *word, uint64_t most, uint64_t *to, const char *what)
{
	if (units_parse(UNITS_COUNT, word, to) || *to > most)
		return wrong(l, word, what);
	return 0;
}

static int read_node(struct list *l, const char *word, unsigned *to)
{
	uint64_t n;

	if (units_parse(UNITS_COUNT, word, &n))
		return wrong(l, word, "is no number of a node");
	if (n < l->n_nodes) {
		*to = (unsigned)n;
		return 0;
	}
	l->at.column = (uint32_t)(word - l->text) + 1;
	return yamldoc_err(l->b->err, &l->at,
		"there is no node %.20s: the nodes of this list are numbered 0 to %u", word,
		l->n_nodes - 1);
}

static int start_of(struct list *l, const char *word, tstamp *to)
{
	char with_unit[64];
	uint64_t start;

	if (snprintf(with_unit, sizeof(with_unit), "%ss", word) >= (int)sizeof(with_unit) ||
		units_parse(UNITS_TIME, with_unit, &start) || start > 1000000 * PS_PER_S)
		return wrong(l, word, "is no start; write seconds up to 1000000, as in 2.000001");
	*to = start;
	return 0;
}

static int columns(struct list *l)
{
	if (!l->columns && (l->n_words == COLUMNS || l->n_words == COLUMNS - 1))
		l->columns = l->n_words;
	if (l->n_words == l->columns)
		return 0;
	l->at.column = 1;
	return yamldoc_err(l->b->err, &l->at,
		"%u column%s; a flow has source, destination, priority, port, bytes and start in "
		"seconds, or all but the port",
		l->n_words, plural(l->n_words));
}

// Reads the words of the line into the flow.
static int line_read(struct list *l, struct draft_flow *f, unsigned end[2])
{
	uint64_t cls = 0, port = 0, bytes = 0;
	unsigned without = COLUMNS - l->columns;
	char **word = l->word;
	int rc = read_node(l, word[FROM], &end[0]);

	if (!rc)
		rc = read_node(l, word[TO], &end[1]);
	if (!rc && end[0] == end[1])
		rc = wrong(l, word[TO], "is its own source; a flow joins two nodes");
	if (!rc)
		rc = read_number(
			l, word[CLASS], PKT_CLASSES - 1, &cls, "is no priority from 0 to 7");
	if (!rc && !without)
		rc = read_number(l, word[PORT], UINT16_MAX, &port, "is no port up to 65535");
	if (!rc)
		rc = read_number(l, word[BYTES - without], 1u << 31, &bytes,
			"is no size from 1 to 2147483648 bytes");
	if (!rc && !bytes)
		rc = wrong(l, word[BYTES - without], "is no size from 1 to 2147483648 bytes");
	if (!rc)
		rc = start_of(l, word[START - without], &f->spec.start.low);
	f->spec.start.high = f->spec.start.low;
	f->spec.cls = (uint8_t)cls;
	f->spec.message = bytes;
	f->spec.count = 1;
	f->dport = (uint16_t)port;
	return rc;
}

static int flow_add(struct list *l, unsigned number)
{
	struct draft *b = l->b;
	struct draft_flow *f = draft_scrap(b, sizeof(*f));
	struct yamldoc_node *key = draft_scrap(b, sizeof(*key));
	void **place = f && key ? draft_push(b, &b->flow, &b->n_flows) : NULL;
	char *name = place ? arena_format(b->scrap, "f%u", number) : NULL;
	unsigned end[2] = {0};
	int rc;

	if (!name)
		return err_set(b->err, -ENOMEM, "out of memory");
	*place = f;
	f->name = name;
	f->key = key;
	f->listed = true;
	f->spec = *l->usual;
	rc = columns(l);
	if (!rc)
		rc = line_read(l, f, end);
	if (rc)
		return rc;
	l->at.column = 1;
	*key = l->at;
	for (unsigned i = 0; i < sizeof(l->given) / sizeof(l->given[0]); i++)
		f->spec.src.node[l->given[i]] = key;
	f->spec.from = &l->name[end[0]];
	f->spec.to = &l->name[end[1]];
	return traffic_flow_join(b, f, l->node[end[0]], l->node[end[1]]);
}

// The file has no further line: it ended, or could not be read on.
static int ended(struct list *l, uint64_t done, uint64_t n)
{
	l->at.column = 1;
	if (ferror(l->in))
		return yamldoc_err(l->b->err, &l->at, "cannot be read: %s", strerror(errno));
	if (!n)
		return yamldoc_err(
			l->b->err, &l->at, "empty; a flow list begins with its number of flows");
	return yamldoc_err(l->b->err, &l->at,
		"the list ends after %llu of the %llu flows that its first line tells",
		(unsigned long long)done, (unsigned long long)n);
}

static int read_lines(struct list *l)
{
	uint64_t n = 0;
	int rc;

	if (!next_line(l))
		return ended(l, 0, 0);
	if (l->n_words != 1 || units_parse(UNITS_COUNT, l->word[0], &n) || !n || n > UINT32_MAX)
		return wrong(l, l->word[0],
			"is not all of a first line, which is the number of flows, from 1 on");
	for (uint64_t i = 0; i < n; i++) {
		rc = next_line(l) ? flow_add(l, (unsigned)i) : ended(l, i, n);
		if (rc)
			return rc;
	}
	if (!next_line(l))
		return 0;
	l->at.column = 1;
	return yamldoc_err(l->b->err, &l->at,
		"a line more than the %llu flow%s that the first line tells", (unsigned long long)n,
		plural(n));
}

static void keep_node(struct list *l, struct draft_node *n)
{
	l->name[l->n_nodes] = (struct yamldoc_node){.where = l->at.where, .text = n->name};
	l->node[l->n_nodes++] = n;
}

// Finds the nodes of the numbers.
static int nodes(struct list *l)
{
	struct draft *b = l->b;
	struct draft_names names = {0};
	int rc = b->top.flow_nodes ? draft_names(b, &names, b->top.flow_nodes) : 0;
	unsigned n = names.n > b->n_nodes ? names.n : b->n_nodes;

	if (rc)
		return rc;
	l->node = draft_scrap(b, n * sizeof(struct draft_node *));
	l->name = draft_scrap(b, n * sizeof(*l->name));
	if (!l->node || !l->name)
		return -ENOMEM;
	for (unsigned i = 0; !rc && i < names.n; i++) {
		struct draft_node *one;

		rc = draft_find_node(b, &one, names.name[i], names.at[i]);
		if (!rc)
			keep_node(l, one);
	}
	for (unsigned i = 0; !names.n && i < b->n_nodes; i++)
		if (!b->node[i]->is_switch)
			keep_node(l, b->node[i]);
	return rc;
}

// Rows and lines have names of their own.
static int check_names(struct draft *b, unsigned rows)
{
	for (unsigned i = 0; i < rows; i++) {
		const char *name = b->flow[i]->name;
		uint64_t n;

		if (*name == 'f' && !units_parse(UNITS_COUNT, name + 1, &n) &&
			n < b->n_flows - rows && !strcmp(name, b->flow[rows + n]->name))
			return yamldoc_err(b->err, b->flow[i]->key,
				"flow '%s' is also the name of a line of flows_from; rename it",
				name);
	}
	return 0;
}

static int refuse_open_loop(struct draft *b, const struct spec_flow *usual)
{
	const struct yamldoc_node *at = opt_source(&scene_opts_flow, usual, "open_loop");

	if (!at)
		return 0;
	return yamldoc_err(b->err, at,
		"defaults.flows has open_loop, and flows_from lists queue pairs; "
		"give open_loop to the flows that have it");
}

// The list's path as messages tell it.
static char *path_of(struct draft *b)
{
	char *path = hardware_object_file(b, b->top.flows_from);

	return path && !strncmp(path, "./", 2) ? path + 2 : path;
}

int traffic_list_read(struct draft *b, const struct spec_flow *usual)
{
	static const char *const given[] = {"from", "to", "class", "message", "count", "start"};
	const struct yamldoc_node *at = opt_source(&scene_opts_scene, &b->top, "flows_from");
	struct spec_flow *kept = draft_scrap(b, sizeof(*kept));
	struct list l = {.b = b, .usual = kept, .at.where = path_of(b)};
	unsigned rows = b->n_flows;
	struct err why;
	int rc = kept && l.at.where ? refuse_open_loop(b, usual) : -ENOMEM;

	if (!rc)
		rc = nodes(&l);
	if (rc)
		return rc;
	*kept = *usual;
	b->listed = kept;
	for (unsigned i = 0; i < sizeof(given) / sizeof(given[0]); i++)
		l.given[i] = (unsigned)(opt_row(&scene_opts_flow, given[i]) - scene_opts_flow.row);
	if (infile_check(l.at.where, &why))
		return yamldoc_err(b->err, at, "flows_from: %s", why.text);
	l.in = fopen(l.at.where, "r");
	if (!l.in)
		return yamldoc_err(b->err, at, "flows_from: %s: %s", l.at.where, strerror(errno));
	rc = read_lines(&l);
	free(l.text);
	fclose(l.in);
	return rc ? rc : check_names(b, rows);
}
