// SPDX-License-Identifier: BSD-3-Clause
// Flows of a list, of which each line is a flow: a file of the HPCC simulator's form, or CSV whose
// first line names the columns.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "int.h"

#define MANY 10000 // flows, from which on their groups take much memory

// The meanings of words. Lists of ConWeave lack the port.
enum { FROM, TO, CLASS, PORT, BYTES, START, COLUMNS, OTHER = COLUMNS };

// Names of columns in CSV. A start may have its unit behind its name, as in start_us.
static const char *const called[COLUMNS] = {
	[FROM] = "source src from sender",
	[TO] = "destination dst dest to receiver",
	[CLASS] = "class priority prio pg",
	[PORT] = "port dport dst_port destination_port",
	[BYTES] = "bytes size size_bytes",
	[START] = "start time start_time",
};
static const char *const units[] = {"s", "ms", "us", "ns", "ps"};

struct list {
	struct draft *b;
	struct spec_flow *spec; // of all lines
	struct lines in;
	char *says[COLUMNS]; // the words of the line by their meaning; NULL: no column has it
	bool csv;
	unsigned means[LINES_WORDS]; // of each word
	unsigned columns;            // that its lines have; 0: not known yet
	const char *unit;            // of starts
	tstamp latest;               // of the starts so far
	struct draft_node **node;    // that a number means
	unsigned n_nodes;
};

// A word may stand in quotes, which are no part of it.
static void split_commas(struct list *l, char *rest)
{
	for (bool more = true; more;) {
		char *word = rest + strspn(rest, " \t"), *end;
		char *close = *word == '"' ? strchr(word + 1, '"') : NULL;

		rest = close ? close + 1 + strspn(close + 1, LINES_BLANKS)
			     : word + strcspn(word, ",");
		close = *rest == ',' || !*rest ? close : NULL;
		rest += strcspn(rest, ",");
		more = *rest == ',';
		for (end = rest; !close && end > word && strchr(LINES_BLANKS, end[-1]);)
			end--;
		*(close ? close : end) = 0;
		traffic_lines_word(&l->in, close ? word + 1 : word);
		rest += more;
	}
}

static void split(struct list *l, char *first)
{
	if (l->csv)
		split_commas(l, first);
	else
		traffic_lines_split(&l->in, first);
}

// Takes the next line apart. False: the file has ended.
static bool next_words(struct list *l)
{
	char *first = traffic_lines_next(&l->in);

	if (first)
		split(l, first);
	return first;
}

static int read_number(
	struct list *l, const char *word, uint64_t most, uint64_t *to, const char *what)
{
	if (units_parse(UNITS_COUNT, word, to) || *to > most)
		return traffic_lines_wrong(&l->in, word, what);
	return 0;
}

// A node by its number or its name.
static int read_node(struct list *l, const char *word, struct draft_node **to)
{
	uint64_t n;

	traffic_lines_at(&l->in, word);
	if (*word && !strchr("-.0123456789", *word))
		return draft_find_node(l->b, to, word, &l->in.at);
	if (units_parse(UNITS_COUNT, word, &n))
		return traffic_lines_wrong(&l->in, word, "is no number of a node");
	if (n < l->n_nodes) {
		*to = l->node[n];
		return 0;
	}
	return yamldoc_err(l->b->err, &l->in.at,
		"there is no node %.20s: the nodes of this list are numbered 0 to %u", word,
		l->n_nodes - 1);
}

static int read_start(struct list *l, const char *word, tstamp *to)
{
	char text[80];

	if (snprintf(text, sizeof(text), "%s%s", word, l->unit) >= (int)sizeof(text) ||
		units_parse(UNITS_TIME, text, to) || *to > 1000000 * PS_PER_S) {
		snprintf(text, sizeof(text),
			"is no start; write a number of %s, as in 2.000001, up to 1000000 s",
			l->unit);
		return traffic_lines_wrong(&l->in, word, text);
	}
	if (*to < l->latest)
		return traffic_lines_wrong(&l->in, word,
			"is before the start of the flow above; a list goes forward in time");
	l->latest = *to;
	return 0;
}

// Gives the words their meanings by their order: 6 words, or 5 without the port.
static void sim_columns(struct list *l)
{
	unsigned n = l->in.n;

	if (n != COLUMNS && n != COLUMNS - 1)
		return;
	l->columns = n;
	for (unsigned i = 0; i < n; i++)
		l->means[i] = i < PORT ? i : i + COLUMNS - n;
}

// Finds the words of the line by their meaning.
static int sort_words(struct list *l)
{
	if (!l->columns)
		sim_columns(l);
	l->in.at.column = 1;
	if (l->in.n != l->columns && l->csv)
		return yamldoc_err(l->b->err, &l->in.at, "%u column%s; the first line names %u",
			l->in.n, plural(l->in.n), l->columns);
	if (l->in.n != l->columns)
		return yamldoc_err(l->b->err, &l->in.at,
			"%u column%s; a flow has source, destination, priority, port, bytes and "
			"start in seconds, or all but the port",
			l->in.n, plural(l->in.n));
	for (unsigned i = 0; i < l->columns; i++)
		if (l->means[i] < COLUMNS)
			l->says[l->means[i]] = l->in.word[i];
	return 0;
}

// Reads the words of the line into the flow.
static int line_read(struct list *l, struct draft_flow *f, struct draft_node *end[2])
{
	uint64_t cls = f->spec->cls, port = 0, bytes = 0;
	int rc = read_node(l, l->says[FROM], &end[0]);

	if (!rc)
		rc = read_node(l, l->says[TO], &end[1]);
	if (!rc && end[0] == end[1])
		rc = traffic_lines_wrong(
			&l->in, l->says[TO], "is its own source; a flow joins two nodes");
	if (!rc && l->says[CLASS])
		rc = read_number(
			l, l->says[CLASS], PKT_CLASSES - 1, &cls, "is no priority from 0 to 7");
	if (!rc && l->says[PORT])
		rc = read_number(l, l->says[PORT], UINT16_MAX, &port, "is no port up to 65535");
	if (!rc)
		rc = read_number(l, l->says[BYTES], 1u << 31, &bytes,
			"is no size from 1 to 2147483648 bytes");
	if (!rc && !bytes)
		rc = traffic_lines_wrong(
			&l->in, l->says[BYTES], "is no size from 1 to 2147483648 bytes");
	if (!rc)
		rc = read_start(l, l->says[START], &f->start.low);
	f->start.high = f->start.low;
	f->cls = (uint8_t)cls;
	f->message = bytes;
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
	struct draft_node *end[2];
	int rc;

	if (!name)
		return err_set(b->err, -ENOMEM, "out of memory");
	*place = f;
	f->name = name;
	f->key = key;
	f->listed = true;
	f->spec = l->spec;
	rc = sort_words(l);
	if (!rc)
		rc = line_read(l, f, end);
	if (rc)
		return rc;
	l->in.at.column = 1;
	*key = l->in.at;
	return traffic_flow_join(b, f, end[0], end[1]);
}

// Whether the name is a word of these.
static bool is_called(const char *words, const char *name, size_t n)
{
	for (size_t len; *words; words += len + (words[len] == ' ')) {
		len = strcspn(words, " ");
		if (len == n && !strncasecmp(words, name, n))
			return true;
	}
	return false;
}

// Returns what a column of this name says, and takes the unit from the name of the starts.
static unsigned meaning(struct list *l, const char *name)
{
	const char *low = strrchr(name, '_');

	for (unsigned i = 0; i < COLUMNS; i++)
		if (is_called(called[i], name, strlen(name)))
			return i;
	for (unsigned i = 0; low && i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcasecmp(low + 1, units[i]) &&
			is_called(called[START], name, (size_t)(low - name))) {
			l->unit = units[i];
			return START;
		}
	return OTHER;
}

static int missing_column(struct list *l, unsigned means)
{
	static const char *const what[COLUMNS] = {
		[FROM] = "source", [TO] = "destination", [BYTES] = "bytes", [START] = "start"};

	l->in.at.column = 1;
	return yamldoc_err(l->b->err, &l->in.at,
		"no column is called '%s'; a list has source, destination, bytes and start",
		what[means]);
}

// Reads the names of the columns, which are the words of the line.
static int header_read(struct list *l)
{
	bool has[COLUMNS + 1] = {false};

	if (l->in.n > LINES_WORDS) {
		l->in.at.column = 1;
		return yamldoc_err(l->b->err, &l->in.at, "%u columns; a list has at most %u",
			l->in.n, LINES_WORDS);
	}
	for (unsigned i = 0; i < l->in.n; i++) {
		unsigned means = l->means[i] = meaning(l, l->in.word[i]);

		if (means < COLUMNS && has[means])
			return traffic_lines_wrong(&l->in, l->in.word[i],
				"says what a column before it says; drop one");
		has[means] = true;
		if (means == OTHER)
			draft_warn(l->b, &l->in.at, "%s:%u: nothing reads the column '%.40s'",
				l->in.at.where, l->in.at.line, l->in.word[i]);
	}
	l->columns = l->in.n;
	for (unsigned i = 0; i < COLUMNS; i++)
		if (!has[i] && i != CLASS && i != PORT)
			return missing_column(l, i);
	return 0;
}

// The file has no further line: it ended, or could not be read on.
static int ended(struct list *l, const char *what)
{
	l->in.at.line++;
	l->in.at.column = 1;
	if (ferror(l->in.file))
		what = strerror(errno);
	return yamldoc_err(
		l->b->err, &l->in.at, "%s%s", ferror(l->in.file) ? "cannot be read: " : "", what);
}

static int csv_read(struct list *l)
{
	int rc = header_read(l);
	unsigned n = 0;

	while (!rc && next_words(l))
		rc = flow_add(l, n++);
	if (!rc && (!n || ferror(l->in.file)))
		rc = ended(l, "the list has no flow");
	return rc;
}

// Lines behind a first one with their number.
static int sim_read(struct list *l)
{
	uint64_t n = 0;
	uint64_t i = 0;
	char what[96];
	int rc = 0;

	if (l->in.n != 1 || units_parse(UNITS_COUNT, l->in.word[0], &n) || !n || n > UINT32_MAX)
		return traffic_lines_wrong(&l->in, l->in.word[0],
			"is not all of a first line, which is the number of flows, from 1 on; a "
			"CSV file names its columns there");
	while (!rc && i < n && next_words(l))
		rc = flow_add(l, (unsigned)i++);
	snprintf(what, sizeof(what),
		"the list ends after %llu of the %llu flows that its first line tells",
		(unsigned long long)i, (unsigned long long)n);
	if (!rc && (i < n || ferror(l->in.file)))
		rc = ended(l, what);
	if (rc || !next_words(l))
		return rc;
	l->in.at.column = 1;
	return yamldoc_err(l->b->err, &l->in.at,
		"a line more than the %llu flow%s that the first line tells", (unsigned long long)n,
		plural(n));
}

static int read_lines(struct list *l)
{
	char *first = traffic_lines_next(&l->in);

	if (!first)
		return ended(l, "empty; a flow list begins with its number of flows, or with the "
				"names of its columns");
	l->csv = strchr(first, ',') != NULL;
	split(l, first);
	return l->csv ? csv_read(l) : sim_read(l);
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
	if (!l->node)
		return -ENOMEM;
	for (unsigned i = 0; !rc && i < names.n; i++) {
		struct draft_node *one;

		rc = draft_find_node(b, &one, names.name[i], names.at[i]);
		if (!rc)
			l->node[l->n_nodes++] = one;
	}
	for (unsigned i = 0; !names.n && i < b->n_nodes; i++)
		if (!b->node[i]->is_switch)
			l->node[l->n_nodes++] = b->node[i];
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
	const struct yamldoc_node *at = opt_source(&scene_opts_scene, &b->top, "flows_from");
	struct spec_flow *kept = draft_scrap(b, 2 * sizeof(*kept));
	struct list l = {.b = b,
		.spec = &kept[1],
		.unit = "s",
		.in = {.err = b->err, .at.where = path_of(b)}};
	unsigned rows = b->n_flows;
	struct err why;
	int rc = kept && l.in.at.where ? refuse_open_loop(b, usual) : -ENOMEM;

	if (!rc)
		rc = nodes(&l);
	if (rc)
		return rc;
	kept[0] = kept[1] = *usual;
	b->listed = kept;
	l.spec->count = 1;
	if (infile_check(l.in.at.where, &why))
		return yamldoc_err(b->err, at, "flows_from: %s", why.text);
	l.in.file = fopen(l.in.at.where, "r");
	if (!l.in.file)
		return yamldoc_err(
			b->err, at, "flows_from: %s: %s", l.in.at.where, strerror(errno));
	rc = read_lines(&l);
	if (!rc && !kept->group && b->n_flows - rows > MANY)
		draft_warn(b, at,
			"%s: each of the %u flows is a group of its own, whose distributions take "
			"40 KB of memory once its message is done; defaults: {flows: {group: all}} "
			"makes them one",
			l.in.at.where, b->n_flows - rows);
	free(l.in.text);
	fclose(l.in.file);
	return rc ? rc : check_names(b, rows);
}
