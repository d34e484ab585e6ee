// SPDX-License-Identifier: BSD-3-Clause
// The folders of a run's parts: checks that they belong to one run, and merges them.
#include "merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "report/report.h"

const char *const merge_files[] = {"summary.json", "timeseries.csv", "events.csv", "events.bin",
	"fct.txt", "pfc.txt", "qlen.txt", "marking.csv", "manifest.json", "capture.pcapng",
	"dfx.csv", "dfx.svg", "iqcn.csv", "junit.xml", "report.html", "lineage.csv",
	"lineage_bills.csv", NULL};

// The folder has what the part of a run has.
static int read_part(struct part *p, struct err *err)
{
	int rc = saved_open(&p->run, p->dir, err);
	long long schema;

	if (rc)
		return rc;
	p->manifest = saved_manifest(p->run);
	p->summary = saved_summary(p->run);
	if (!p->manifest || !p->summary)
		return err_set(err, -EINVAL, "%s: %s", p->dir, saved_missing(p->run, 0));
	schema = json_integer_value(json_object_get(p->summary, "schema"));
	if (schema != REPORT_SCHEMA)
		return err_set(err, -EINVAL,
			"%s: summary.json has schema %lld, and this program knows %d", p->dir,
			schema, REPORT_SCHEMA);
	if (json_object_get(p->manifest, "parts"))
		return err_set(err, -EINVAL,
			"%s: this folder is merged already; give the folders of the parts", p->dir);
	p->name = saved_text(p->manifest, "part");
	if (!*p->name)
		return err_set(err, -EINVAL,
			"%s: the folder of a whole run; "
			"those of parts, by `quench run --nodes`, are merged",
			p->dir);
	if (!json_is_array(json_object_get(p->manifest, "part_nodes")) ||
		!json_is_array(json_object_get(p->manifest, "nodes")) ||
		!json_is_object(json_object_get(p->manifest, "digests")))
		return err_set(err, -EINVAL,
			"%s: manifest.json does not name the part's nodes (`part_nodes`, `nodes`, "
			"`digests`); run it with this version",
			p->dir);
	return 0;
}

// "flows; hosts": the sections in which a part's scenario is another than the first one's.
static void name_sections(const struct part *a, const struct part *b, char *text, size_t size)
{
	const json_t *one = json_object_get(a->manifest, "digests"), *value;
	const json_t *two = json_object_get(b->manifest, "digests");
	const char *section;
	size_t at = 0;

	*text = 0;
	json_object_foreach((json_t *)one, section, value)
	{
		const json_t *other = json_object_get(two, section);

		if (at < size && !(other && json_equal(value, other)))
			at += (size_t)snprintf(
				text + at, size - at, "%s%s", at ? "; " : "", section);
	}
	if (!*text && json_object_size(one) != json_object_size(two))
		snprintf(text, size, "sections");
}

static int same_run(const struct part *a, const struct part *b, struct err *err)
{
	static const char *const numbers[] = {"seed", "dilate"};
	char what[300];

	for (unsigned i = 0; i < 2; i++) {
		const json_t *x = json_object_get(a->manifest, numbers[i]);
		const json_t *y = json_object_get(b->manifest, numbers[i]);

		if (!x || !y || !json_equal(x, y))
			return err_set(err, -EINVAL,
				"%s: %s is %lld, and %lld in %s; parts of one run have the same",
				b->dir, numbers[i], (long long)json_integer_value(y),
				(long long)json_integer_value(x), a->dir);
	}
	name_sections(a, b, what, sizeof(what));
	if (*what)
		return err_set(err, -EINVAL,
			"%s: the scenario is not the one of %s, and these differ: %s; "
			"parts of one run have the same digests",
			b->dir, a->dir, what);
	return 0;
}

// Each node of a part is run by no other.
static int take_nodes(struct merge *m, unsigned part, struct err *err)
{
	const struct part *p = &m->part[part];
	const json_t *node;
	size_t i;

	json_array_foreach(json_object_get(p->manifest, "part_nodes"), i, node)
	{
		const char *name = json_is_string(node) ? json_string_value(node) : "";
		const json_t *at = json_object_get(m->place, name);
		char when[MET_WHEN];
		unsigned *owner;

		if (!at)
			return err_set(err, -EINVAL,
				"%s: manifest.json names the node '%.40s', which the scenario does "
				"not have",
				p->dir, name);
		owner = &m->owner[json_integer_value(at)];
		if (*owner < m->n) {
			met_when(p, &m->part[*owner], when, sizeof(when));
			return err_set(err, -EINVAL,
				"%s: node '%s' was run by the part in %s, too%s; "
				"each node is in the --nodes of one",
				p->dir, name, m->part[*owner].dir, when);
		}
		*owner = part;
	}
	return 0;
}

static int all_taken(const struct merge *m, struct err *err)
{
	char names[200] = "";
	size_t at = 0, i;
	const json_t *node;

	json_array_foreach(m->nodes, i, node) if (m->owner[i] >= m->n && at < sizeof(names)) at +=
		(size_t)snprintf(names + at, sizeof(names) - at, "%s'%s'", at ? ", " : "",
			json_string_value(node));
	if (!at)
		return 0;
	return err_set(err, -EINVAL, "nobody has run %s; give the folder of the part that did, too",
		names);
}

static int check_parts(struct merge *m, struct err *err)
{
	const json_t *node;
	size_t n;
	int rc;

	m->nodes = json_object_get(m->part[0].manifest, "nodes");
	m->owner = calloc(json_array_size(m->nodes) + 1, sizeof(*m->owner));
	m->place = json_object();
	if (!m->owner || !m->place)
		return err_set(err, -ENOMEM, "no memory");
	json_array_foreach(m->nodes, n, node)
	{
		m->owner[n] = MERGE_PARTS;
		if (json_is_string(node))
			json_object_set_new(
				m->place, json_string_value(node), json_integer((json_int_t)n));
	}
	for (unsigned i = 0; i < m->n; i++) {
		rc = i ? same_run(&m->part[0], &m->part[i], err) : 0;
		rc = rc ? rc : take_nodes(m, i, err);
		if (rc)
			return rc;
	}
	rc = all_taken(m, err);
	return rc ? rc : met_check(m, err);
}

int merge_open(struct merge **out, const char *const *dir, unsigned n, struct err *err)
{
	struct merge *m = calloc(1, sizeof(*m));
	int rc = m ? 0 : err_set(err, -ENOMEM, "no memory");

	if (!rc && n > MERGE_PARTS)
		rc = err_set(err, -EINVAL, "%u folders; a run is merged of at most %d parts", n,
			MERGE_PARTS);
	for (unsigned i = 0; !rc && i < n; i++) {
		m->part[i].dir = dir[i];
		m->n = i + 1;
		rc = read_part(&m->part[i], err);
	}
	rc = rc ? rc : check_parts(m, err);
	if (!rc) {
		m->lost = json_array();
		if (!m->lost || merge_summary(m))
			rc = err_set(err, -ENOMEM, "no memory for the summary");
	}
	if (rc)
		merge_close(m);
	else
		*out = m;
	return rc;
}

void merge_close(struct merge *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->n; i++)
		saved_close(m->part[i].run);
	json_decref(m->summary);
	json_decref(m->lost);
	json_decref(m->place);
	free(m->owner);
	free(m);
}

const char *merge_name(const struct merge *m)
{
	return saved_name(m->part[0].run);
}

unsigned long long merge_seed(const struct merge *m)
{
	return (unsigned long long)json_integer_value(json_object_get(m->part[0].manifest, "seed"));
}

int merge_write(struct merge *m, const char *dir, const char *command, struct err *err)
{
	int rc = rows_write(m, dir, err);

	rc = rc ? rc : json_file(m->summary, dir, "summary.json", err);
	rc = rc ? rc : verdict_junit(m, dir, err);
	return rc ? rc : manifest_write(m, dir, command, err);
}
