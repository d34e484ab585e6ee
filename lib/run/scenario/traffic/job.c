// SPDX-License-Identifier: BSD-3-Clause
// Jobs: the hosts of their ranks, and a queue pair for each two ranks that have messages.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collective/collective.h"
#include "job_graph.h"

static bool is_of_pairs(const struct opt *row)
{
	return row->offset < sizeof(struct spec_flow);
}

// Gives the job what defaults.flows says of keys that it has, too.
static void take_usual(struct spec_job *to, const struct spec_flow *usual)
{
	for (unsigned i = 0; i < scene_opts_job.n; i++) {
		const struct opt *row = &scene_opts_job.row[i];
		const struct yamldoc_node *at =
			is_of_pairs(row) ? opt_source(&scene_opts_flow, usual, row->key) : NULL;

		if (!at)
			continue;
		memcpy((char *)to + row->offset, (const char *)usual + row->offset, row->size);
		to->flow.src.node[i] = at;
	}
}

// Fills the options of a flow whose queue pairs the job has.
static void give_pairs(struct spec_flow *to, const struct draft_job *j)
{
	opt_init(&scene_opts_flow, to);
	for (unsigned i = 0; i < scene_opts_job.n; i++) {
		const struct opt *row = &scene_opts_job.row[i];

		if (!is_of_pairs(row))
			continue;
		memcpy((char *)to + row->offset, (const char *)j->spec + row->offset, row->size);
		to->src.node[opt_row(&scene_opts_flow, row->key) - scene_opts_flow.row] =
			j->spec->flow.src.node[i];
	}
	to->verb = RC_SEND;
	to->group = j->name;
}

static int check_host(struct draft *b, const struct draft_job *j, const struct draft_node *n,
	const struct yamldoc_node *at)
{
	if (n->is_switch)
		return yamldoc_err(b->err, at, "'%s' is a switch; ranks are on hosts", n->name);
	if (n->external || n->host->external)
		return yamldoc_err(b->err, at,
			"host '%s' is external, and quench runs the ranks of job '%s'; take "
			"another host",
			n->name, j->name);
	if (n->host->lcores > 1)
		return yamldoc_err(b->err, at,
			"host '%s' has %u lcores, and the ranks of a host are on one; drop lcores, "
			"or take another host",
			n->name, n->host->lcores);
	return 0;
}

// The hosts of a list of names.
static int hosts(struct draft *b, const struct draft_job *j, const struct yamldoc_node *list,
	struct draft_node ***host, struct draft_names *names)
{
	int rc = draft_names(b, names, list);

	*host = rc ? NULL : draft_scrap(b, names->n * sizeof(**host));
	if (!*host)
		return rc ? rc : -ENOMEM;
	for (unsigned i = 0; !rc && i < names->n; i++) {
		rc = draft_find_node(b, &(*host)[i], names->name[i], names->at[i]);
		if (!rc)
			rc = check_host(b, j, (*host)[i], names->at[i]);
	}
	return rc;
}

static int check_once(struct draft *b, const struct draft_job *j, struct draft_node *const *host,
	const struct draft_names *names)
{
	int rc = 0;

	for (unsigned i = 0; i < names->n && !rc; i++) {
		if (host[i]->load_number)
			rc = yamldoc_err(b->err, names->at[i],
				"host '%s' stands twice in the ranks of job '%s'; where a host has "
				"several ranks, `map` says which, as in map: packed",
				host[i]->name, j->name);
		host[i]->load_number = 1;
	}
	for (unsigned i = 0; i < names->n; i++)
		host[i]->load_number = 0;
	return rc;
}

// A word that stands for no host.
static int check_map(struct draft *b, const struct draft_job *j)
{
	const struct yamldoc_node *map = j->spec->map;

	if (!map || map->type != YAMLDOC_SCALAR || job_map_word(j->spec) || strstr(map->text, ".."))
		return 0;
	return yamldoc_err(b->err, map,
		"map: '%.60s' is not right; write packed, spread or the hosts of the ranks, as in "
		"[h1, h1, h2, h2]",
		map->text);
}

// The hosts of all ranks, by a list that has each.
static int map_by_list(struct draft *b, struct draft_job *j, uint32_t n_ranks)
{
	struct draft_names names = {0};
	int rc = hosts(b, j, j->spec->map, &j->host, &names);

	if (!rc && names.n != n_ranks)
		rc = yamldoc_err(b->err, j->spec->map,
			"job '%s' has %u ranks, and `map` has the hosts of %u", j->name, n_ranks,
			names.n);
	return rc;
}

static int map_hosts(struct draft *b, struct draft_job *j, uint32_t n_ranks)
{
	const char *word = job_map_word(j->spec);
	struct draft_names names = {0};
	struct draft_node **host;
	int rc = hosts(b, j, j->spec->ranks, &host, &names);

	if (!rc)
		rc = check_once(b, j, host, &names);
	if (rc)
		return rc;
	if (j->spec->map && !word)
		return map_by_list(b, j, n_ranks);
	if (!word && n_ranks > names.n)
		return yamldoc_err(b->err, j->spec->ranks,
			"job '%s' has %u ranks and %u host%s; name more, or say where the ranks "
			"are, as in map: packed",
			j->name, n_ranks, names.n, plural(names.n));
	j->host = draft_scrap(b, n_ranks * sizeof(struct draft_node *));
	if (!j->host)
		return -ENOMEM;
	for (uint32_t i = 0; i < n_ranks; i++) {
		uint64_t at = i % names.n;

		if (word && !strcmp(word, "packed") && n_ranks > names.n)
			at = (uint64_t)i * names.n / n_ranks;
		j->host[i] = host[at];
	}
	return 0;
}

// A flow that has the queue pairs of the job.
static int add_flow(struct draft *b, struct draft_job *j)
{
	struct draft_flow *f = draft_scrap(b, sizeof(*f));
	struct spec_flow *spec = draft_scrap(b, sizeof(*spec));
	void **place = f && spec ? draft_push(b, &b->flow, &b->n_flows) : NULL;
	struct scene_job *to = j->to;
	int rc = 0;

	if (!place)
		return -ENOMEM;
	*place = j->flow = f;
	give_pairs(spec, j);
	f->name = j->name;
	f->key = j->key;
	f->spec = spec;
	f->cls = spec->cls;
	f->job = j;
	f->message = j->most;
	j->pair = draft_scrap(b, to->n_pairs * sizeof(*j->pair));
	if (!j->pair)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < to->n_pairs; i++) {
		struct draft_node *from = j->host[to->pair[i].from], *end = j->host[to->pair[i].to];

		if (from == end)
			continue;
		j->pair[f->n_pairs] = i;
		rc = traffic_pair_add(b, f, from, end);
	}
	return rc ? rc : traffic_flow_end(b, f);
}

static int check_name(struct draft *b, const struct draft_job *j)
{
	for (unsigned i = 0; i < b->n_flows; i++)
		if (!strcmp(b->flow[i]->name, j->name))
			return yamldoc_err(b->err, j->key,
				"'%s' is also the name of a flow; rename the job", j->name);
	return 0;
}

static int read_options(struct draft *b, struct draft_job *j, const struct yamldoc_item *item,
	const struct spec_flow *usual)
{
	struct draft_names name = {0};
	int rc = draft_names(b, &name, item->key);

	if (rc)
		return rc;
	j->name = name.name[0];
	j->key = item->key;
	if (name.n > 1)
		return yamldoc_err(
			b->err, item->key, "a job has one name; ranges stand in its ranks");
	opt_init(&scene_opts_job, j->spec);
	take_usual(j->spec, usual);
	rc = opt_apply(&scene_opts_job, j->spec, item->value, b->err);
	if (!rc)
		rc = opt_require(&scene_opts_job, j->spec, item->key, b->err);
	return rc ? rc : check_name(b, j);
}

static int job_read(struct draft *b, const struct yamldoc_item *item, const struct spec_flow *usual)
{
	struct draft_job *j = draft_scrap(b, sizeof(*j));
	bool crosses = false;
	void **place;
	int rc;

	if (!j)
		return -ENOMEM;
	j->spec = draft_scrap(b, sizeof(*j->spec));
	j->to = draft_get(b, sizeof(*j->to));
	place = j->spec && j->to ? draft_push(b, &b->job, &b->n_jobs) : NULL;
	if (!place)
		return -ENOMEM;
	*place = j;
	rc = read_options(b, j, item, usual);
	if (!rc)
		rc = check_map(b, j);
	if (!rc)
		rc = job_graph_make(b, j);
	if (!rc)
		rc = map_hosts(b, j, j->to->graph->n_ranks);
	if (!rc)
		rc = job_graph_pairs(b, j);
	for (uint32_t i = 0; !rc && i < j->to->graph->n_ranks; i++)
		j->host[i]->has_flows = true;
	for (uint32_t i = 0; !rc && i < j->to->n_pairs; i++)
		crosses |= j->host[j->to->pair[i].from] != j->host[j->to->pair[i].to];
	return rc || !crosses ? rc : add_flow(b, j);
}

int traffic_jobs_read(struct draft *b, const struct spec_flow *usual)
{
	const struct yamldoc_node *map = b->top.jobs;
	int rc = 0;

	for (unsigned i = 0; !rc && i < map->n; i++)
		rc = job_read(b, &map->item[i], usual);
	return rc;
}

static int give_job(struct draft *b, const struct draft_job *j)
{
	void **place = draft_push(b, &b->s->job, &b->s->n_jobs);
	struct scene_job *to = j->to;
	const struct draft_flow *f = j->flow;

	to->name = arena_text(b->a, j->name, strlen(j->name));
	to->node = draft_get(b, to->graph->n_ranks * sizeof(*to->node));
	if (!place || !to->name || !to->node)
		return -ENOMEM;
	*place = to;
	to->line = j->key->line;
	for (uint32_t i = 0; i < to->graph->n_ranks; i++)
		to->node[i] = (uint16_t)j->host[i]->index;
	to->iterations = j->spec->iterations;
	to->start = j->spec->start;
	to->gap = j->spec->gap;
	to->sent = j->spec->send_done == SPEC_SENT;
	if (!f)
		return 0;
	to->first = f->first_qp;
	to->n_flows = f->n_qps;
	for (unsigned i = 0; i < f->n_pairs; i++)
		to->pair[j->pair[i]].flow = f->first_qp + i;
	return 0;
}

int traffic_jobs(struct draft *b)
{
	uint32_t ranks = 0;
	int rc = 0;

	for (unsigned i = 0; !rc && i < b->n_jobs; i++) {
		b->job[i]->to->rank_at = ranks;
		ranks += b->job[i]->to->graph->n_ranks;
		rc = give_job(b, b->job[i]);
	}
	return rc;
}
