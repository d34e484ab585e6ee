// SPDX-License-Identifier: BSD-3-Clause
// A built scene with an open record and no driver: tests put events into the rings by hand.
#pragma once

#include "record_lab.h"

#include "record/int.h"
#include "report/int.h"
#include "summary/summary.h"

enum { NET_SLOTS = 256 };

struct net_lab {
	struct lab lab;
	struct net *net;
	struct record *rec;
	struct report *report; // it, once it has ended
	unsigned h1, s1, r;    // nodes
	struct pkt_stack stack;
	struct pkt_stack **stacks;
};

// `nodes`: those of a part of the scenario, or NULL.
static inline void net_open_part(struct net_lab *n, const char *yaml, const char *nodes)
{
	struct record_opts ro = {.dir = n->lab.out};
	struct scene_opts so = {.nodes = nodes, .real = nodes};
	struct net_opts no = {.event_slots = NET_SLOTS};
	struct err *err = &n->lab.err;

	memset(n, 0, sizeof(*n));
	lab_open(&n->lab, yaml);
	if (compile_scene(&n->lab.scene, n->lab.file, &so, err))
		fail_msg("%s", err->text);
	n->h1 = (unsigned)scene_node(n->lab.scene, "h1");
	n->s1 = (unsigned)scene_node(n->lab.scene, "s1");
	n->r = (unsigned)scene_node(n->lab.scene, "r");
	n->stacks = calloc(n->lab.scene->n_nodes, sizeof(struct pkt_stack *));
	assert_non_null(n->stacks);
	for (unsigned i = 0; i < n->lab.scene->n_nodes; i++)
		n->stacks[i] = &n->stack;
	no.stack = n->stacks;
	no.event_want = record_events_wanted(n->lab.scene, &ro);
	if (net_build(&n->net, n->lab.scene, &no, err))
		fail_msg("%s", err->text);
	if (record_open(&n->rec, n->lab.scene, n->net, &ro, err) || record_begin(n->rec, 0, err))
		fail_msg("%s", err->text);
}

static inline void net_open_of(struct net_lab *n, const char *yaml)
{
	net_open_part(n, yaml, NULL);
}

static inline void net_open(struct net_lab *n)
{
	net_open_of(n, LAB_TWO_TO_ONE);
}

// A new event of a node's port 0.
static inline struct ev *net_event(struct net_lab *n, unsigned node, uint64_t us, enum ev_type type)
{
	struct ev *e = ev_put(&net_node(n->net, node)->events, type, us * PS_PER_US);

	assert_non_null(e);
	return e;
}

static inline void net_finish(struct net_lab *n, uint64_t end_us)
{
	struct record_run run = {.clock = "virtual", .end = end_us * PS_PER_US};

	assert_int_equal(report_close(&n->report, n->rec, &run, &n->lab.err), 0);
}

static inline void net_close(struct net_lab *n)
{
	if (n->report)
		report_free(n->report);
	else
		record_free(n->rec);
	net_free(n->net);
	free(n->stacks);
	lab_close(&n->lab);
}
