// SPDX-License-Identifier: BSD-3-Clause
// The sets of classes and maps of switches, with the ports that have them.
#include "sets.h"

#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"

#define ROW_BYTES  200
#define SETS_BYTES 4096 // names of all sets of a switch
#define FEW_PORTS  8    // names of ports, and of sets, that are listed without --full
#define FEW_SETS   4

static char *size_text(uint64_t n, char *buf, size_t size)
{
	return units_format(UNITS_SIZE, n, buf, size);
}

// Whether the port behind this one has the next number at the end of its name, and the same set.
static bool is_next(const struct scene_node *n, unsigned port)
{
	const char *one = n->port[port].name;
	size_t at = near_number_at(one);
	char next[64];

	if (port + 1 == n->n_ports || n->u.sw.port[port].set != n->u.sw.port[port + 1].set ||
		!one[at] || !at || one[at - 1] == '.')
		return false;
	snprintf(next, sizeof(next), "%.*s%lu", (int)at, one, strtoul(one + at, NULL, 10) + 1);
	return strcmp(next, n->port[port + 1].name) == 0;
}

// Lists the ports of a set: "s1:h1..8, s1:r (9 ports)". Unless `all`, few names stand for many.
static void print_ports(const struct scene_node *n, unsigned set, bool all, FILE *f)
{
	unsigned ports = 0, names = 0, more = 0;

	for (unsigned i = 0, last; i < n->n_ports; i = last + 1) {
		last = i;
		if (n->u.sw.port[i].set != set)
			continue;
		while (is_next(n, last))
			last++;
		ports += last - i + 1;
		if (names++ >= FEW_PORTS && !all) {
			more += last - i + 1;
			continue;
		}
		fprintf(f, "%s%s", names > 1 ? ", " : "", n->port[i].name);
		if (last > i)
			fprintf(f, "..%s", n->port[last].name + near_number_at(n->port[last].name));
	}
	if (more)
		fprintf(f, " and %u more", more);
	fprintf(f, " (%u port%s)\n", ports, plural(ports));
}

static void curve_text(char *buf, size_t size, const struct red_params *red)
{
	char min[32], max[32];

	snprintf(buf, size, "%10s  %10s  %7.4g%%", size_text(red->kmin_bytes, min, sizeof(min)),
		size_text(red->kmax_bytes, max, sizeof(max)), 100 * red->pmax);
}

// The line of a class in a set, behind its number.
static void class_row(const struct sw_class_params *c, char row[ROW_BYTES])
{
	static const char *const drops[] = {[SW_WRED_OFF] = "-",
		[SW_WRED_NOT_ECT] = "not_ect",
		[SW_WRED_H3C] = "h3c",
		[SW_WRED_ALL] = "all"};
	static const char *const marks[] = {
		[SW_MARK_NONE] = "-", [SW_MARK_ENQUEUE] = "enqueue", [SW_MARK_DEQUEUE] = "dequeue"};
	char none[48], mark[48], drop[48], tail[32] = "-", weight[16] = "strict";
	char avg[16] = "-";

	snprintf(none, sizeof(none), "%10s  %10s  %8s", "-", "-", "-");
	snprintf(mark, sizeof(mark), "%s", none);
	snprintf(drop, sizeof(drop), "%s", none);
	if (c->mark != SW_MARK_NONE)
		curve_text(mark, sizeof(mark), &c->red);
	if (c->wred != SW_WRED_OFF)
		curve_text(drop, sizeof(drop), &c->wred_drop);
	if (c->tail_limit_bytes)
		size_text(c->tail_limit_bytes, tail, sizeof(tail));
	if (!c->strict)
		snprintf(weight, sizeof(weight), "%u", c->weight);
	if (c->wred_exponent)
		snprintf(avg, sizeof(avg), "2^-%u", c->wred_exponent);
	snprintf(row, ROW_BYTES, "%-3s  %6s  %10s  %-8s  %s  %-5s  %-7s  %s", c->pfc ? "yes" : "no",
		weight, tail, c->force_ce ? "all ECT" : marks[c->mark], mark, avg, drops[c->wred],
		drop);
}

// The lines of one class, by set, and whether the table has its head.
struct lines {
	const struct sw_params *p;
	char (*row)[ROW_BYTES];
	bool all, has_head;
	FILE *f;
};

// Returns the last set of a run of sets that have the same line as `first`.
static unsigned run_end(const struct lines *t, unsigned first)
{
	unsigned last = first;

	while (last + 1 < t->p->n_sets && !strcmp(t->row[last + 1], t->row[first]))
		last++;
	return last;
}

static bool is_first(const struct lines *t, unsigned set)
{
	unsigned i = 0;

	while (strcmp(t->row[i], t->row[set]) != 0)
		i++;
	return i == set;
}

// Names the sets that have the same line as this one, which is the first: "2, 3, 5..8".
static void name_sets(const struct lines *t, unsigned set, char buf[SETS_BYTES])
{
	unsigned names = 0, more = 0;

	*buf = 0;
	for (unsigned i = set, last; i < t->p->n_sets; i = last + 1) {
		last = i;
		if (strcmp(t->row[i], t->row[set]) != 0)
			continue;
		last = run_end(t, i);
		if (names++ >= FEW_SETS && !t->all) {
			more += last - i + 1;
			continue;
		}
		append_text(buf, SETS_BYTES, "%s%u", *buf ? ", " : "", i + 1);
		if (last > i)
			append_text(buf, SETS_BYTES, "%s%u", last > i + 1 ? ".." : ", ", last + 1);
	}
	if (more)
		append_text(buf, SETS_BYTES, " and %u more", more);
}

static void print_head(struct lines *t)
{
	if (!t->has_head)
		fprintf(t->f,
			"%5s  %-7s  %-3s  %6s  %10s  %-8s  %10s  %10s  %8s  %-5s  %-7s  "
			"%10s  %10s  %8s\n",
			"class", "set", "pfc", "weight", "tail_limit", "marks", "kmin", "kmax",
			"pmax", "avg", "drops", "from", "to", "at most");
	t->has_head = true;
}

// A line for each of the values that sets have of a class; `all`: also where all have the same.
static void print_class(struct lines *t, unsigned cls)
{
	const unsigned n = t->p->n_sets;
	char sets[SETS_BYTES];
	bool is_one;

	for (unsigned i = 0; i < n; i++)
		class_row(&t->p->set[i].cls[cls], t->row[i]);
	is_one = run_end(t, 0) == n - 1;
	for (unsigned i = 0; (t->all || !is_one) && i < n; i++) {
		if (!is_first(t, i))
			continue;
		print_head(t);
		name_sets(t, i, sets);
		fprintf(t->f, "%5u  %-7s  %s\n", cls, is_one ? "all" : sets, t->row[i]);
	}
}

static void print_classes(const struct sw_params *p, bool all, FILE *f)
{
	struct lines t = {.p = p, .all = all, .f = f};

	t.row = calloc(p->n_sets, sizeof(*t.row));
	for (unsigned c = 0; t.row && c < PKT_CLASSES; c++)
		print_class(&t, c);
	free(t.row);
}

// A map of a set. Slot i usually has the value i / step.
struct map {
	const char *key;
	const uint8_t *to;
	unsigned n, step;
};

// Prints the slots that do not have the usual value: "dscp_map {26: 3, 40..47: 2}". Returns whether
// there are any.
static bool print_map(const struct map *m, bool behind, FILE *f)
{
	bool any = false;

	for (unsigned i = 0, end; i < m->n; i = end) {
		end = i + 1;
		if (m->to[i] == i / m->step)
			continue;
		while (end < m->n && m->to[end] == m->to[i] && m->to[end] != end / m->step)
			end++;
		if (any)
			fputs(", ", f);
		else
			fprintf(f, "%s %s {", behind ? "," : "", m->key);
		fprintf(f, "%u", i);
		if (end > i + 1)
			fprintf(f, "..%u", end - 1);
		fprintf(f, ": %u", m->to[i]);
		any = true;
	}
	if (any)
		fputc('}', f);
	return any;
}

static void print_maps(const struct sw_set_params *set, unsigned number, FILE *f)
{
	const struct map maps[] = {
		{"dscp_map", set->dscp_to_class, 64, 8},
		{"pcp_map", set->pcp_to_class, 8, 1},
		{"queue_map", set->queue_map, PKT_CLASSES, 1},
		{"pg_map", set->pg_map, PKT_CLASSES, 1},
	};
	bool any = false;

	fprintf(f, "set %u:", number);
	for (unsigned i = 0; i < sizeof(maps) / sizeof(maps[0]); i++)
		any |= print_map(&maps[i], any, f);
	fputs(any ? "\n" : " none\n", f);
}

static bool has_own_maps(const struct sw_params *p)
{
	bool own = false;

	for (unsigned i = 1; i < p->n_sets; i++)
		own |= memcmp(p->set[0].dscp_to_class, p->set[i].dscp_to_class,
			       sizeof(p->set[0].dscp_to_class)) ||
		       memcmp(p->set[0].pcp_to_class, p->set[i].pcp_to_class,
			       sizeof(p->set[0].pcp_to_class)) ||
		       memcmp(p->set[0].queue_map, p->set[i].queue_map,
			       sizeof(p->set[0].queue_map)) ||
		       memcmp(p->set[0].pg_map, p->set[i].pg_map, sizeof(p->set[0].pg_map));
	return own;
}

static void print_switch(const struct scene_node *n, bool all, FILE *f)
{
	const struct sw_params *p = &n->u.sw;

	fprintf(f, "\nSets of %s (ports with the same classes and maps%s)\n", n->name,
		all ? "" : "; the classes that differ");
	for (unsigned i = 0; i < p->n_sets; i++) {
		fprintf(f, "set %u: ", i + 1);
		print_ports(n, i, all, f);
	}
	print_classes(p, all, f);
	if (!all && !has_own_maps(p))
		return;
	fprintf(f, "slots of maps whose class is not DSCP / 8, or whose number is not the same:\n");
	for (unsigned i = 0; i < p->n_sets; i++)
		print_maps(&p->set[i], i + 1, f);
}

void sets_print(const struct scene *s, bool all, FILE *f)
{
	for (unsigned i = 0; i < s->n_nodes; i++) {
		const struct scene_node *n = &s->node[i];

		if (n->kind == SCENE_SW && n->u.sw.n_sets > 1)
			print_switch(n, all, f);
	}
}
