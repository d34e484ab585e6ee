// SPDX-License-Identifier: BSD-3-Clause
// GOAL text becomes a graph, line by line.
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "int.h"

#define NS_MOST   (GRAPH_CALC_PS / PS_PER_NS)
#define FORGET    (1u << 20) // lines after which the memory of pages is given back
#define ITEM_HINT "send, recv, calc, 'LABEL requires LABEL' or '}' may stand here"

struct reader {
	struct goal *g;
	const char *path;
	FILE *f;
	char *text;
	size_t room;
	uint64_t line;
	uint64_t rank_line; // of the block; 0: outside of a block
	struct goal_line words;
	struct index labels; // of the rank
};

__attribute__((format(printf, 2, 3))) static int wrong(struct reader *r, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(r->g->err, -EINVAL, "%s:%" PRIu64 ": %s", r->path, r->line, text);
}

// What *err says gets its place: the line where it went wrong.
static int place(struct reader *r, int rc)
{
	struct err said = *r->g->err;

	return rc ? err_set(r->g->err, rc, "%s:%" PRIu64 ": %s", r->path, r->line, said.text) : 0;
}

// Reads the next line with words. 1, 0 at the end of the file, or -errno.
static int next_line(struct reader *r)
{
	do {
		ssize_t n = getline(&r->text, &r->room, r->f);

		if (n < 0 && ferror(r->f))
			return wrong(r, "cannot be read: %s", strerror(errno));
		if (n < 0 && r->words.inside)
			return wrong(r, "the file ends within a comment");
		if (n < 0)
			return 0;
		r->line++;
		if (strlen(r->text) != (size_t)n)
			return wrong(r, "a byte 0 stands in the line; GOAL is text");
		goal_line_split(&r->words, r->text, r->words.inside);
		if (r->words.n && r->words.comment)
			return wrong(r, "a comment needs a line of its own");
		if (r->line % FORGET == 0)
			goal_forget(r->g);
	} while (!r->words.n);
	return 1;
}

static struct graph_op *ops_of(const struct reader *r)
{
	return (struct graph_op *)r->g->ops.at + r->g->rank[r->g->now].op;
}

static const char *names_of(const struct reader *r)
{
	return (const char *)r->g->names.at + r->g->rank[r->g->now].name;
}

static uint32_t hash_of(const char *label)
{
	return index_hash(0, label, strlen(label));
}

// The number of the operation with this label; GRAPH_NONE: none has it.
static uint32_t find_label(const struct reader *r, const char *label)
{
	uint32_t hash = hash_of(label), at = hash, number;

	while ((number = index_next(&r->labels, hash, &at)) != INDEX_NONE)
		if (!strcmp(names_of(r) + ops_of(r)[number].name, label))
			return number;
	return GRAPH_NONE;
}

// An unknown label: a line below may define it, or another label is meant.
static int no_label(struct reader *r, const char *name)
{
	char *label = strdup(name), buf[ERR_HINT];
	const char *hint;
	struct near near = near_to(label ? label : "");
	uint64_t line = r->line, below = 0;
	size_t n = strlen(near.wanted);

	for (uint32_t i = 0; i < r->g->rank[r->g->now].n_ops; i++)
		if (ops_of(r)[i].name)
			near_see(&near, names_of(r) + ops_of(r)[i].name);
	hint = near_hint(&near, "", buf, sizeof(buf));
	while (!below && next_line(r) > 0 && *r->words.word[0] != '}')
		if (!strncmp(r->words.word[0], near.wanted, n) &&
			!strcmp(r->words.word[0] + n, ":"))
			below = r->line;
	r->line = line;
	if (below)
		wrong(r,
			"label '%.60s' is used here and defined below, in line %" PRIu64
			"; a dependency names labels that stand above it",
			near.wanted, below);
	else
		wrong(r, "rank %" PRIu32 " has no label '%.60s'%s", r->g->now, near.wanted, hint);
	free(label);
	return -EINVAL;
}

static int read_edge(struct reader *r)
{
	char *const *w = r->words.word;
	bool at_start = !strcmp(w[1], "irequires");
	uint32_t to, from;

	if (r->words.n != 3)
		return wrong(r, "'LABEL %s LABEL' has three words", w[1]);
	to = find_label(r, w[0]);
	if (to == GRAPH_NONE)
		return no_label(r, w[0]);
	from = find_label(r, w[2]);
	if (from == GRAPH_NONE)
		return no_label(r, w[2]);
	if (from == to)
		return wrong(r, "a cycle: '%.60s' waits for itself", w[0]);
	if (from > to)
		return wrong(r,
			"'%.60s' waits for '%.60s', which is defined below it; an operation waits "
			"for operations that stand above it, so that no cycle can be written",
			w[0], w[2]);
	return place(r, goal_edge(r->g, from, to, at_start));
}

static bool is_label(const char *word)
{
	if (!isalpha((unsigned char)*word))
		return false;
	while (isalnum((unsigned char)*word) || *word == '_')
		word++;
	return !*word;
}

// Reads "NAME VALUE" where the next word is the name. `any`: -1 may stand there.
static int read_option(
	struct reader *r, unsigned *at, const char *name, uint64_t most, bool any, uint32_t *to)
{
	char *const *w = r->words.word;
	uint64_t n;

	if (*at >= r->words.n || strcmp(w[*at], name))
		return 0;
	if (*at + 1 == r->words.n)
		return wrong(r, "'%s' has no value", name);
	if (any && !strcmp(w[*at + 1], "-1"))
		*to = GRAPH_ANY;
	else if (!goal_number(w[*at + 1], "", most, &n))
		return wrong(r, "%s '%.40s' is not a whole number up to %" PRIu64, name, w[*at + 1],
			most);
	else
		*to = (uint32_t)n;
	*at += 2;
	return 0;
}

static int read_tail(struct reader *r, struct goal_op *op, unsigned at)
{
	bool work = op->kind == GRAPH_CALC;
	uint32_t cpu = 0, nic = 0;
	int rc = 0;

	if (!work)
		rc = read_option(r, &at, "tag", GRAPH_ANY - 1, op->kind == GRAPH_RECV, &op->tag);
	if (!rc)
		rc = read_option(r, &at, "cpu", GRAPH_CPUS - 1, false, &cpu);
	if (!rc && !work)
		rc = read_option(r, &at, "nic", UINT8_MAX, false, &nic);
	if (rc)
		return rc;
	if (at < r->words.n)
		return wrong(r, "'%.40s' cannot stand there; %s", r->words.word[at],
			work ? "cpu is the only option of calc"
			     : "the options are tag, cpu and nic, in this order");
	op->cpu = (uint16_t)cpu;
	op->nic = (uint8_t)nic;
	return 0;
}

// SEND and RECV: "send BYTESb to RANK ...", "recv BYTESb from RANK ...".
static int read_message(struct reader *r, struct goal_op *op, unsigned at)
{
	char *const *w = r->words.word + at;
	const char *way = op->kind == GRAPH_SEND ? "to" : "from";
	bool any = op->kind == GRAPH_RECV;

	if (r->words.n < at + 4)
		return wrong(r, "'%s BYTESb %s RANK' is wanted", w[0], way);
	if (!goal_number(w[1], "b", GRAPH_BYTES, &op->amount))
		return wrong(r, "'%.40s' is not a number of bytes up to %llub, as 1024b", w[1],
			GRAPH_BYTES);
	at += 2;
	if (strcmp(w[2], way))
		return wrong(r, "'%.40s' stands where '%s RANK' is wanted", w[2], way);
	return read_option(r, &at, way, UINT32_MAX - 1, any, &op->peer) ?: read_tail(r, op, at);
}

static int read_calc(struct reader *r, struct goal_op *op, unsigned at)
{
	char *const *w = r->words.word + at;

	if (r->words.n < at + 2 || !goal_number(w[1], "", NS_MOST, &op->amount))
		return wrong(r, "calc '%.40s' is not a whole number of ns up to %llu",
			r->words.n < at + 2 ? "" : w[1], (unsigned long long)NS_MOST);
	op->amount *= PS_PER_NS;
	return read_tail(r, op, at + 2);
}

// The label before an operation, without its colon.
static int read_label(struct reader *r, struct goal_op *op)
{
	char *label = r->words.word[0];

	label[strlen(label) - 1] = '\0';
	if (!is_label(label))
		return wrong(r, "'%.60s' is no label: a letter, then letters, digits and _", label);
	if (find_label(r, label) != GRAPH_NONE)
		return wrong(r, "label '%.60s' is defined a second time in rank %" PRIu32, label,
			r->g->now);
	op->label = label;
	return 0;
}

static int read_op(struct reader *r)
{
	char *const *w = r->words.word;
	bool labelled = w[0][strlen(w[0]) - 1] == ':';
	unsigned at = labelled ? 1 : 0;
	struct goal_op op = {0};
	uint32_t number;
	int rc = labelled ? read_label(r, &op) : 0;

	if (rc)
		return rc;
	if (r->words.n == at)
		return wrong(r, "label '%.60s' has no operation; " ITEM_HINT, op.label);
	if (!strcmp(w[at], "calc")) {
		op.kind = GRAPH_CALC;
		rc = read_calc(r, &op, at);
	} else if (!strcmp(w[at], "send") || !strcmp(w[at], "recv")) {
		op.kind = *w[at] == 's' ? GRAPH_SEND : GRAPH_RECV;
		rc = read_message(r, &op, at);
	} else {
		rc = wrong(r, "'%.40s' is no operation; " ITEM_HINT, w[at]);
	}
	if (!rc)
		rc = place(r, goal_op(r->g, &op, &number));
	if (!rc && op.label && index_add(&r->labels, hash_of(op.label), number))
		rc = wrong(r, "no memory for the labels of rank %" PRIu32, r->g->now);
	return rc;
}

// "rank R {" begins a block.
static int begin_rank(struct reader *r)
{
	char *const *w = r->words.word;
	uint64_t rank;

	if (r->words.n != 3 || strcmp(w[0], "rank") || strcmp(w[2], "{"))
		return wrong(r, "'%.40s' stands where 'rank R {' is wanted", w[0]);
	if (!goal_number(w[1], "", UINT32_MAX - 1, &rank))
		return wrong(r, "'%.40s' is not the number of a rank", w[1]);
	r->rank_line = r->line;
	index_fini(&r->labels);
	return place(r, goal_rank(r->g, (uint32_t)rank));
}

static int read_item(struct reader *r)
{
	char *const *w = r->words.word;

	if (!r->rank_line)
		return begin_rank(r);
	if (*w[0] == '}') {
		if (w[0][1] || r->words.n > 1)
			return wrong(r, "'}' needs a line of its own");
		r->rank_line = 0;
		return 0;
	}
	if (r->words.n > 1 && (!strcmp(w[1], "requires") || !strcmp(w[1], "irequires")))
		return read_edge(r);
	return read_op(r);
}

// "num_ranks N", the first line with words.
static int read_head(struct reader *r, const char *folder)
{
	struct err *err = r->g->err;
	uint64_t n;
	int rc = next_line(r);

	if (rc < 0)
		return rc;
	if (!rc || r->words.n != 2 || strcmp(r->words.word[0], "num_ranks"))
		return wrong(r, "GOAL text begins with 'num_ranks N'");
	if (!goal_number(r->words.word[1], "", GRAPH_RANKS, &n) || !n)
		return wrong(r, "num_ranks '%.40s' is not a whole number from 1 to %u",
			r->words.word[1], GRAPH_RANKS);
	return goal_init(r->g, (uint32_t)n, folder, err);
}

static int read_all(struct reader *r, const char *folder)
{
	int rc = read_head(r, folder);

	while (!rc) {
		rc = next_line(r);
		if (!rc)
			break;
		rc = rc < 0 ? rc : read_item(r);
	}
	if (!rc && r->rank_line)
		rc = wrong(r, "rank %" PRIu32 ", which begins in line %" PRIu64 ", has no '}'",
			r->g->now, r->rank_line);
	if (!rc)
		goal_end(r->g);
	return rc;
}

int goal_read(struct goal *g, const char *path, const char *folder, struct err *err)
{
	struct reader r = {.g = g, .path = path};
	int rc = infile_check(path, err);

	*g = (struct goal){.err = err, .ops.fd = -1, .edges.fd = -1, .names.fd = -1};
	if (rc)
		return rc;
	r.f = fopen(path, "re");
	if (!r.f)
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	rc = read_all(&r, folder);
	index_fini(&r.labels);
	free(r.text);
	fclose(r.f);
	return rc;
}
