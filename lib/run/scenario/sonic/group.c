// SPDX-License-Identifier: BSD-3-Clause
// Groups of ports that are equal in maps, markers, weights, and in which classes are lossless with
// PFC. The largest group gives the switch its values, and the ports of others differ from it.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define NAMED 3 // differences of a group that are told

// All that decides the group of a port, as text: equal text, equal group.
static const char *group_key(struct sonic *s, const struct sonic_port *p)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	const char *kept;

	if (!f) {
		s->no_memory = true;
		return "";
	}
	for (unsigned i = 0; i < sizeof(p->dscp); i++)
		fputc('0' + p->dscp[i], f);
	for (unsigned i = 0; i < sizeof(p->pcp); i++)
		fputc('0' + p->pcp[i], f);
	for (unsigned i = 0; i < PKT_CLASSES; i++)
		fprintf(f, "%u%u", p->pg[i], p->queue[i]);
	fprintf(f, "%d%d", p->dscp_from != NULL, p->pcp_from != NULL);
	for (unsigned i = 0; i < PKT_CLASSES * SONIC_KEYS; i++) {
		const struct sonic_value *v = &p->cls[i / SONIC_KEYS][i % SONIC_KEYS];

		// A class without a profile is lossy.
		if (i % SONIC_KEYS == SONIC_LOSSLESS)
			fprintf(f, ",%s", sonic_is_true(v) ? v->text : "false");
		else if (!sonic_keys[i % SONIC_KEYS].at_port)
			fprintf(f, ",%s", v->text ? v->text : "-");
	}
	if (fclose(f))
		s->no_memory = true;
	kept = sonic_text(s, "%s", text ? text : "");
	free(text);
	return kept;
}

static void group_add(struct sonic *s, struct sonic_port *p)
{
	const char *key = group_key(s, p);
	unsigned i = 0;

	while (i < s->n_groups && strcmp(s->group[i].key, key))
		i++;
	if (i == s->n_groups) {
		struct sonic_group *g = &s->group[s->n_groups++];

		*g = (struct sonic_group){.key = key, .first = (unsigned)(p - s->port)};
		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			g->lossless += sonic_is_true(&p->cls[c][SONIC_PFC_ENABLE]);
			g->marked += p->cls[c][SONIC_WRED_MAX].text != NULL;
		}
	}
	s->group[i].n++;
	p->group = i;
}

// Largest first. Of equally large ones the group with more lossless and marked classes; the place
// of a port in the file never decides.
static int by_size(const void *a, const void *b)
{
	const struct sonic_group *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	if (x->lossless != y->lossless)
		return x->lossless < y->lossless ? 1 : -1;
	if (x->marked != y->marked)
		return x->marked < y->marked ? 1 : -1;
	return strcmp(x->key, y->key);
}

static void groups_sort(struct sonic *s)
{
	unsigned to[NODE_PORTS];

	qsort(s->group, s->n_groups, sizeof(s->group[0]), by_size);
	for (unsigned i = 0; i < s->n_groups; i++)
		to[s->port[s->group[i].first].group] = i;
	for (unsigned i = 0; i < s->n_ports; i++)
		s->port[i].group = to[s->port[i].group];
}

// "class 3 weight 6 (5 in group 1)", a few of all differences.
static const char *difference(
	struct sonic *s, const struct sonic_port *p, const struct sonic_port *of, unsigned number)
{
	const char *text = "";
	unsigned n = 0;

	if (memcmp(p->dscp, of->dscp, sizeof(p->dscp)) || !p->dscp_from != !of->dscp_from)
		text = sonic_text(s, "%sdscp_to_tc_map", n++ ? ", " : "");
	if (memcmp(p->pcp, of->pcp, sizeof(p->pcp)) || !p->pcp_from != !of->pcp_from)
		text = sonic_text(s, "%s%sdot1p_to_tc_map", text, n++ ? ", " : "");
	if (memcmp(p->pg, of->pg, sizeof(p->pg)))
		text = sonic_text(s, "%s%stc_to_pg_map", text, n++ ? ", " : "");
	if (memcmp(p->queue, of->queue, sizeof(p->queue)))
		text = sonic_text(s, "%s%stc_to_queue_map", text, n++ ? ", " : "");
	for (unsigned i = 0; i < PKT_CLASSES * SONIC_KEYS; i++) {
		const struct sonic_key_name *key = &sonic_keys[i % SONIC_KEYS];
		const char *a = p->cls[i / SONIC_KEYS][i % SONIC_KEYS].text;
		const char *b = of->cls[i / SONIC_KEYS][i % SONIC_KEYS].text;

		if (key->at_port || (a == NULL && b == NULL) || (a && b && !strcmp(a, b)))
			continue;
		if (n++ < NAMED)
			text = sonic_text(s, "%s%sclass %u %s%s%s %s (%s in group %u)", text,
				n > 1 ? ", " : "", i / SONIC_KEYS, key->map ? key->map : "",
				key->map ? "." : "", key->key, a ? a : "not given",
				b ? b : "not given", number);
	}
	return n > NAMED ? sonic_text(s, "%s and %u more", text, n - NAMED) : text;
}

// Takes the ports of one group alone; the others are named.
static void keep_group(struct sonic *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_ports; i++) {
		unsigned g = s->port[i].group;

		if (g == s->of_switch) {
			s->port[n++] = s->port[i];
			continue;
		}
		s->counts.other++;
		sonic_left(s, sonic_text(s, "PORT|%s", s->port[i].name),
			"of group %u: %s; --group %u takes it", g + 1, s->group[g].differs, g + 1);
	}
	s->n_ports = n;
}

// Forgets the values of the ports, so that they are read once more and their sources are noted.
static void ports_restart(struct sonic *s)
{
	for (unsigned i = 0; i < s->n_ports; i++) {
		struct sonic_port *p = &s->port[i];

		*p = (struct sonic_port){.name = p->name,
			.host = s->opts->port_map ? p->host : sonic_text(s, "h%u", i + 1),
			.rows = p->rows,
			.group = p->group};
		if (!s->base && p->group == s->of_switch)
			s->base = p;
	}
}

static int choose_group(struct sonic *s)
{
	if (s->opts->group > s->n_groups)
		return err_set(s->err, -EINVAL,
			"%s: --group %u: the ports in service form %u group%s", s->path,
			s->opts->group, s->n_groups, plural(s->n_groups));
	s->of_switch = s->opts->group ? s->opts->group - 1 : 0;
	if (!s->opts->group || s->group[s->of_switch].n > 1)
		return 0;
	return err_set(s->err, -EINVAL,
		"%s: --group %u has one port, %s; a scenario wants two at least; --port-map names "
		"those to take",
		s->path, s->opts->group, s->port[s->group[s->of_switch].first].name);
}

int sonic_groups(struct sonic *s)
{
	int rc;

	s->quiet = true;
	for (unsigned i = 0; i < s->n_ports; i++) {
		sonic_port_read(s, &s->port[i]);
		sonic_classes(s, &s->port[i]);
		group_add(s, &s->port[i]);
	}
	s->quiet = false;
	s->burst = (struct sonic_value){0};
	groups_sort(s);
	rc = choose_group(s);
	if (rc)
		return rc;
	for (unsigned i = 0; i < s->n_groups; i++) {
		if (i != s->of_switch)
			s->group[i].differs = difference(s, &s->port[s->group[i].first],
				&s->port[s->group[s->of_switch].first], s->of_switch + 1);
	}
	if (s->opts->group) {
		keep_group(s);
		rc = sonic_db_index(s);
	}
	ports_restart(s);
	return rc;
}
