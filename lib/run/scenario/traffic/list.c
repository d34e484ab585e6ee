// SPDX-License-Identifier: BSD-3-Clause
// Flows of a list, of which each line is a flow: a file of the HPCC simulator's form, or CSV whose
// first line names the columns.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "int.h"

#define BLANKS " \t\r\n"
#define WORDS  64    // of a line
#define MANY   10000 // flows, from which on their groups take much memory

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
	struct yamldoc_node at; // the place in the file
	FILE *in;
	char *text;
	size_t room;
	char *word[WORDS]; // of the line
	unsigned n_words;
	char *says[COLUMNS]; // the words of the line by their meaning; NULL: no column has it
	bool csv;
	unsigned means[WORDS];    // of each word
	unsigned columns;         // that its lines have; 0: not known yet
	const char *unit;         // of starts
	tstamp latest;            // of the starts so far
	struct draft_node **node; // that a number means
	unsigned n_nodes;
};

static void at_word(struct list *l, const char *word)
{
	l->at.column = (uint32_t)(word - l->text) + 1;
}

static int wrong(struct list *l, const char *word, const char *what)
{
	char plain[41];

	snprintf(plain, sizeof(plain), "%s", word);
	for (char *c = plain; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
			*c = '?';
	at_word(l, word);
	return yamldoc_err(l->b->err, &l->at, "'%s' %s", plain, what);
}

// The next line that is neither blank nor a comment. Returns where its first word begins; NULL: the
// file has ended.
static char *next_line(struct list *l)
{
	char *first;

	do {
		ssize_t n;

		l->at.line++;
		n = getline(&l->text, &l->room, l->in);
		if (n < 0)
			return NULL;
		for (ssize_t i = 0; i < n; i++) // no byte 0 hides what is behind it
			l->text[i] = l->text[i] ? l->text[i] : '?';
		first = l->text;
		if (l->at.line == 1 && !strncmp(first, "\xef\xbb\xbf", 3)) // byte order mark
			first += 3;
		first += strspn(first, BLANKS);
	} while (!*first || *first == '#');
	return first;
}

static void keep_word(struct list *l, char *word)
{
	if (l->n_words < WORDS)
		l->word[l->n_words] = word;
	l->n_words++;
}

static void split_blanks(struct list *l, char *rest)
{
	while (*rest) {
		char *end = rest + strcspn(rest, BLANKS);

		keep_word(l, rest);
		rest = end + strspn(end, BLANKS);
		*end = 0;
	}
}

// A word may stand in quotes, which are no part of it.
static void split_commas(struct list *l, char *rest)
{
	for (bool more = true; more;) {
		char *word = rest + strspn(rest, " \t"), *end;
		char *close = *word == '"' ? strchr(word + 1, '"') : NULL;

		rest = close ? close + 1 + strspn(close + 1, BLANKS) : word + strcspn(word, ",");
		close = *rest == ',' || !*rest ? close : NULL;
		rest += strcspn(rest, ",");
		more = *rest == ',';
		for (end = rest; !close && end > word && strchr(BLANKS, end[-1]);)
			end--;
		*(close ? close : end) = 0;
		keep_word(l, close ? word + 1 : word);
		rest += more;
	}
}

// Takes the next line apart. 1, or 0 at the end.
static int next_words(struct list *l)
{
	char *first = next_line(l);

	l->n_words = 0;
	if (!first)
		return 0;
	if (l->csv)
		split_commas(l, first);
	else
		split_blanks(l, first);
	return 1;
}

static int read_number(
	struct list *l, const char *word, uint64_t most, uint64_t *to, const char *what)
{
	if (units_parse(UNITS_COUNT, word, to) || *to > most)
		return wrong(l, word, what);
	return 0;
}

// A node by its number or its name.
static int read_node(struct list *l, const char *word, struct draft_node **to)
{
	uint64_t n;

	at_word(l, word);
	if (*word && !strchr("-.0123456789", *word))
		return draft_find_node(l->b, to, word, &l->at);
	if (units_parse(UNITS_COUNT, word, &n))
		return wrong(l, word, "is no number of a node");
	if (n < l->n_nodes) {
		*to = l->node[n];
		return 0;
	}
	return yamldoc_err(l->b->err, &l->at,
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
		return wrong(l, word, text);
	}
	if (*to < l->latest)
		return wrong(l, word,
			"is before the start of the flow above; a list goes forward in time");
	l->latest = *to;
	return 0;
}

// Gives the words their meanings by their order: 6 words, or 5 without the port.
static void sim_columns(struct list *l)
{
	unsigned n = l->n_words;

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
	l->at.column = 1;
	if (l->n_words != l->columns && l->csv)
		return yamldoc_err(l->b->err, &l->at, "%u column%s; the first line names %u",
			l->n_words, plural(l->n_words), l->columns);
	if (l->n_words != l->columns)
		return yamldoc_err(l->b->err, &l->at,
			"%u column%s; a flow has source, destination, priority, port, bytes and "
			"start in seconds, or all but the port",
			l->n_words, plural(l->n_words));
	for (unsigned i = 0; i < l->columns; i++)
		if (l->means[i] < COLUMNS)
			l->says[l->means[i]] = l->word[i];
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
		rc = wrong(l, l->says[TO], "is its own source; a flow joins two nodes");
	if (!rc && l->says[CLASS])
		rc = read_number(
			l, l->says[CLASS], PKT_CLASSES - 1, &cls, "is no priority from 0 to 7");
	if (!rc && l->says[PORT])
		rc = read_number(l, l->says[PORT], UINT16_MAX, &port, "is no port up to 65535");
	if (!rc)
		rc = read_number(l, l->says[BYTES], 1u << 31, &bytes,
			"is no size from 1 to 2147483648 bytes");
	if (!rc && !bytes)
		rc = wrong(l, l->says[BYTES], "is no size from 1 to 2147483648 bytes");
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
	l->at.column = 1;
	*key = l->at;
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

	l->at.column = 1;
	return yamldoc_err(l->b->err, &l->at,
		"no column is called '%s'; a list has source, destination, bytes and start",
		what[means]);
}

// Reads the names of the columns, which are the words of the line.
static int header_read(struct list *l)
{
	bool has[COLUMNS + 1] = {false};

	if (l->n_words > WORDS) {
		l->at.column = 1;
		return yamldoc_err(
			l->b->err, &l->at, "%u columns; a list has at most %u", l->n_words, WORDS);
	}
	for (unsigned i = 0; i < l->n_words; i++) {
		unsigned means = l->means[i] = meaning(l, l->word[i]);

		if (means < COLUMNS && has[means])
			return wrong(l, l->word[i], "says what a column before it says; drop one");
		has[means] = true;
		if (means == OTHER)
			draft_warn(l->b, &l->at, "%s:%u: nothing reads the column '%.40s'",
				l->at.where, l->at.line, l->word[i]);
	}
	l->columns = l->n_words;
	for (unsigned i = 0; i < COLUMNS; i++)
		if (!has[i] && i != CLASS && i != PORT)
			return missing_column(l, i);
	return 0;
}

// The file has no further line: it ended, or could not be read on.
static int ended(struct list *l, const char *what)
{
	l->at.column = 1;
	if (ferror(l->in))
		what = strerror(errno);
	return yamldoc_err(
		l->b->err, &l->at, "%s%s", ferror(l->in) ? "cannot be read: " : "", what);
}

static int csv_read(struct list *l)
{
	int rc = header_read(l);
	unsigned n = 0;

	while (!rc && next_words(l))
		rc = flow_add(l, n++);
	if (!rc && (!n || ferror(l->in)))
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

	if (l->n_words != 1 || units_parse(UNITS_COUNT, l->word[0], &n) || !n || n > UINT32_MAX)
		return wrong(l, l->word[0],
			"is not all of a first line, which is the number of flows, from 1 on; a "
			"CSV file names its columns there");
	while (!rc && i < n && next_words(l))
		rc = flow_add(l, (unsigned)i++);
	snprintf(what, sizeof(what),
		"the list ends after %llu of the %llu flows that its first line tells",
		(unsigned long long)i, (unsigned long long)n);
	if (!rc && (i < n || ferror(l->in)))
		rc = ended(l, what);
	if (rc || !next_words(l))
		return rc;
	l->at.column = 1;
	return yamldoc_err(l->b->err, &l->at,
		"a line more than the %llu flow%s that the first line tells", (unsigned long long)n,
		plural(n));
}

static int read_lines(struct list *l)
{
	char *first = next_line(l);

	if (!first)
		return ended(l, "empty; a flow list begins with its number of flows, or with the "
				"names of its columns");
	l->csv = strchr(first, ',') != NULL;
	if (l->csv)
		split_commas(l, first);
	else
		split_blanks(l, first);
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
	struct list l = {.b = b, .spec = &kept[1], .unit = "s", .at.where = path_of(b)};
	unsigned rows = b->n_flows;
	struct err why;
	int rc = kept && l.at.where ? refuse_open_loop(b, usual) : -ENOMEM;

	if (!rc)
		rc = nodes(&l);
	if (rc)
		return rc;
	kept[0] = kept[1] = *usual;
	b->listed = kept;
	l.spec->count = 1;
	if (infile_check(l.at.where, &why))
		return yamldoc_err(b->err, at, "flows_from: %s", why.text);
	l.in = fopen(l.at.where, "r");
	if (!l.in)
		return yamldoc_err(b->err, at, "flows_from: %s: %s", l.at.where, strerror(errno));
	rc = read_lines(&l);
	if (!rc && !kept->group && b->n_flows - rows > MANY)
		draft_warn(b, at,
			"%s: each of the %u flows is a group of its own, whose distributions take "
			"40 KB of memory once its message is done; defaults: {flows: {group: all}} "
			"makes them one",
			l.at.where, b->n_flows - rows);
	free(l.text);
	fclose(l.in);
	return rc ? rc : check_names(b, rows);
}
