// SPDX-License-Identifier: BSD-3-Clause
// Jobs: each NIC gets the ranks of its host, with the queue pairs of their messages.
#include "job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "goal/goal.h"
#include "ideal.h"

// A queue pair of a job: its letters, and the ideal times of its messages.
struct pair {
	struct nic_mail *mail;
	const struct ideal *ideal; // NULL: not known
	tstamp there, back;        // delays of the ways of data and of ACKs
	rate_t slowest;
};

struct net_jobs {
	struct pair *pair; // of the scene's flows from `first` on
	unsigned first, n;
	struct ideals ideals;
};

static tstamp alone(const void *arg, uint32_t flow, uint64_t bytes, enum nic_alone until)
{
	const struct net_jobs *jobs = arg;
	const struct pair *p = &jobs->pair[flow - jobs->first];

	if (!p->ideal)
		return 0;
	if (until == NIC_ALONE_LEFT)
		return ideal_leaving(p->ideal, bytes);
	if (until == NIC_ALONE_ARRIVED)
		return ideal_arrival(p->ideal, p->there, bytes);
	return ideal_completion(p->ideal, p->there + p->back, bytes);
}

// Whether the ends of a queue pair are in two processes.
static bool is_apart(const struct scene *s, const struct scene_flow *f)
{
	return scene_is_here(s, f->from) != scene_is_here(s, f->to);
}

static int pair_make(struct net *net, struct routes *routes, unsigned flow)
{
	const struct scene *s = net->scene;
	const struct scene_flow *f = s->flow[flow];
	struct net_jobs *jobs = net->jobs;
	struct pair *p = &jobs->pair[flow - jobs->first];
	struct route there, back;
	struct ideal ideal;

	if (!scene_is_here(s, f->from) && !scene_is_here(s, f->to))
		return 0;
	p->mail = nic_mail_new(f->req.outstanding, f->rc->repairs);
	if (!p->mail)
		return -ENOMEM;
	p->slowest = s->node[f->from].port[0].rate;
	if (is_apart(s, f) || route_find(&there, routes, f->from, f->to, &f->hdr_data) ||
		route_find(&back, routes, f->to, f->from, &f->hdr_ack) || !there.n || !back.n)
		return 0;
	p->slowest = route_rate(s, &there);
	ideal_init(&ideal, s, f, &there, &back);
	p->there = ideal_travel(s, &there);
	p->back = ideal_travel(s, &back);
	p->ideal = ideal_share(&jobs->ideals, &ideal);
	return p->ideal ? 0 : -ENOMEM;
}

static int pairs_make(struct net *net)
{
	const struct scene *s = net->scene;
	struct net_jobs *jobs = net->jobs = calloc(1, sizeof(*jobs));
	unsigned first = s->n_flows, end = 0;
	struct routes *routes;
	int rc = 0;

	if (!jobs)
		return -ENOMEM;
	for (unsigned j = 0; j < s->n_jobs; j++) {
		const struct scene_job *job = s->job[j];

		if (!job->n_flows)
			continue;
		first = job->first < first ? job->first : first;
		end = job->first + job->n_flows > end ? job->first + job->n_flows : end;
	}
	jobs->first = first;
	jobs->n = end > first ? end - first : 0;
	jobs->pair = calloc(jobs->n + 1ul, sizeof(*jobs->pair));
	routes = routes_new(s);
	if (!jobs->pair || !routes)
		rc = -ENOMEM;
	for (unsigned j = 0; j < s->n_jobs; j++)
		for (unsigned i = 0; !rc && i < s->job[j]->n_flows; i++)
			rc = pair_make(net, routes, s->job[j]->first + i);
	routes_free(routes);
	return rc;
}

void jobs_free(struct net_jobs *jobs)
{
	if (!jobs)
		return;
	for (unsigned i = 0; jobs->pair && i < jobs->n; i++)
		free(jobs->pair[i].mail);
	ideals_fini(&jobs->ideals);
	free(jobs->pair);
	free(jobs);
}

// Numbers of ranks, or of pairs, by the node that they belong to: those of node k are at
// at[end[k - 1]] .. at[end[k] - 1], rising.
struct by_node {
	uint32_t *end, *at;
};

static void by_node_free(struct by_node *b)
{
	free(b->end);
	free(b->at);
}

// Sorts `n` numbers, whose nodes `of` says; -1: none.
static int by_node_make(struct by_node *b, unsigned n_nodes, uint32_t n,
	long (*of)(const struct scene_job *j, uint32_t i), const struct scene_job *j)
{
	*b = (struct by_node){.end = calloc(n_nodes + 2ul, sizeof(*b->end)),
		.at = malloc((n + 1ul) * sizeof(*b->at))};
	if (!b->end || !b->at)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		if (of(j, i) >= 0)
			b->end[of(j, i) + 1]++;
	for (unsigned k = 0; k < n_nodes; k++)
		b->end[k + 1] += b->end[k];
	for (uint32_t i = 0; i < n; i++)
		if (of(j, i) >= 0)
			b->at[b->end[of(j, i)]++] = i;
	return 0;
}

static uint32_t by_node_begin(const struct by_node *b, unsigned node)
{
	return node ? b->end[node - 1] : 0;
}

static long node_of_rank(const struct scene_job *j, uint32_t i)
{
	return j->node[i];
}

static long node_from(const struct scene_job *j, uint32_t i)
{
	return j->node[j->pair[i].from];
}

static long node_to(const struct scene_job *j, uint32_t i)
{
	return j->pair[i].flow == SCENE_NO_FLOW ? -1 : j->node[j->pair[i].to];
}

struct job_nodes {
	struct by_node rank, out, in;
};

static struct nic_job_way way_of(const struct net *net, const struct scene_job_pair *p, bool leaves)
{
	struct nic_job_way way = {.from = p->from, .to = p->to, .nic = p->nic, .flow = p->flow};
	const struct scene_flow *f;
	const struct pair *pair;

	if (p->flow == SCENE_NO_FLOW)
		return way;
	f = net->scene->flow[p->flow];
	pair = &net->jobs->pair[p->flow - net->jobs->first];
	way.qp = leaves ? f->src_qp : f->dst_qp;
	way.slowest = pair->slowest;
	way.mail = pair->mail;
	way.apart = is_apart(net->scene, f);
	return way;
}

static void ways_of(const struct net *net, const struct scene_job *j, const struct by_node *b,
	unsigned node, bool leaves, struct nic_job_way *way)
{
	for (uint32_t i = by_node_begin(b, node); i < b->end[node]; i++)
		*way++ = way_of(net, &j->pair[b->at[i]], leaves);
}

// Gives a node its part of a job.
static int node_part(struct net *net, unsigned job, unsigned node, const struct job_nodes *b)
{
	const struct scene_job *j = net->scene->job[job];
	uint32_t rank = by_node_begin(&b->rank, node);
	struct nic_job_params p = {.number = job,
		.graph = j->graph,
		.iterations = j->iterations,
		.start = j->start,
		.gap = j->gap,
		.rank = b->rank.at + rank,
		.n_ranks = b->rank.end[node] - rank,
		.rank_at = j->rank_at,
		.sent = j->sent,
		.n_out = b->out.end[node] - by_node_begin(&b->out, node),
		.n_in = b->in.end[node] - by_node_begin(&b->in, node),
		.alone = alone,
		.alone_arg = net->jobs};
	struct nic_job_way *way;
	int rc;

	if (!p.n_ranks)
		return 0;
	way = calloc(p.n_out + p.n_in + 1ul, sizeof(*way));
	if (!way)
		return -ENOMEM;
	p.out = way;
	p.in = way + p.n_out;
	ways_of(net, j, &b->out, node, true, way);
	ways_of(net, j, &b->in, node, false, way + p.n_out);
	rc = nic_add_job(net_node(net, node)->u.nic, &p);
	free(way);
	return rc;
}

static int job_make(struct net *net, unsigned job)
{
	const struct scene_job *j = net->scene->job[job];
	unsigned nodes = net->scene->n_nodes + net->scene->n_elsewhere;
	struct job_nodes b = {0};
	int rc = by_node_make(&b.rank, nodes, j->graph->n_ranks, node_of_rank, j);

	if (!rc)
		rc = by_node_make(&b.out, nodes, j->n_pairs, node_from, j);
	if (!rc)
		rc = by_node_make(&b.in, nodes, j->n_pairs, node_to, j);
	for (unsigned i = 0; !rc && i < net->n_nodes; i++)
		rc = node_part(net, job, i, &b);
	by_node_free(&b.rank);
	by_node_free(&b.out);
	by_node_free(&b.in);
	return rc;
}

int jobs_add(struct net *net, struct err *err)
{
	int rc = net->scene->n_jobs ? pairs_make(net) : 0;

	if (rc)
		return err_set(err, rc, "no memory for the messages of jobs");
	for (unsigned i = 0; i < net->scene->n_jobs; i++) {
		rc = job_make(net, i);
		if (rc)
			return err_set(err, rc, "job %s cannot be added: %s",
				net->scene->job[i]->name, strerror(-rc));
	}
	return 0;
}

static struct nic_job_state state_at(const struct net *net, unsigned node, unsigned job)
{
	const struct nic *nic = net_nic(net, node);

	return nic ? nic_job_state(nic, job) : (struct nic_job_state){0};
}

struct net_job net_job(const struct net *net, unsigned job)
{
	struct net_job all = {0};

	for (unsigned i = 0; i < net->n_nodes; i++) {
		struct nic_job_state s = state_at(net, i, job);

		all.ranks += s.ranks;
		all.over += s.over;
		all.goes_on |= s.goes_on;
	}
	return all;
}

// Mostly the first host that is asked says that it goes on.
static bool waits_for_ever(const struct net *net, unsigned job)
{
	uint32_t here = 0, over = 0;

	for (unsigned i = 0; i < net->n_nodes; i++) {
		struct nic_job_state s = state_at(net, i, job);

		if (s.goes_on)
			return false;
		here += s.ranks;
		over += s.over;
	}
	return over < here && here == net->scene->job[job]->graph->n_ranks;
}

int net_job_stuck(const struct net *net)
{
	for (unsigned i = 0; i < net->scene->n_jobs; i++)
		if (waits_for_ever(net, i))
			return (int)i;
	return -1;
}

int net_job_why(const struct net *net, unsigned job, FILE *to)
{
	const struct scene_job *j = net->scene->job[job];
	struct job_rank **rank = calloc(j->graph->n_ranks, sizeof(*rank));
	int rc;

	if (!rank)
		return -ENOMEM;
	for (uint32_t i = 0; i < j->graph->n_ranks; i++)
		if (scene_is_here(net->scene, j->node[i]))
			rank[i] = nic_job_rank(net_nic(net, j->node[i]), job, i);
	rc = goal_stuck(j->graph, rank, to);
	free(rank);
	return rc;
}
