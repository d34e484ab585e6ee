// SPDX-License-Identifier: BSD-3-Clause
// Names of a small run made by hand, and random events of every type: for tests of room evf.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <cmocka.h>

#include "base/prng.h"
#include "evf/evf.h"

enum { EVF_LAB_PORTS = 4, EVF_LAB_FLOWS = 3, EVF_LAB_HDRS = 5 };

// A switch s1 with two ports, a NIC h1, a replay x; three flows and a source.
struct evf_lab {
	struct evf_names *names;
	struct evf_node node[3];
	struct fmt_text port[EVF_LAB_PORTS], flow[EVF_LAB_FLOWS], source[1];
	struct evf_owner hdr[EVF_LAB_HDRS + 1];
	struct evf_job job[2]; // three ranks and one
};

static inline void evf_lab_open(struct evf_lab *l)
{
	static const char *const port[] = {"s1:h1", "s1:x", "h1:s1", "x:s1"};
	static const char *const flow[] = {"incast[h1>x.0]", "incast[h1>x.1]", "late"};

	*l = (struct evf_lab){
		.node = {{"s1", 0, 2, EVF_SWITCH}, {"h1", 2, 1, EVF_NIC}, {"x", 3, 1, EVF_REPLAY}},
		.hdr = {[1] = {EVF_FLOW, 0},
			[2] = {EVF_FLOW, 1},
			[3] = {EVF_FLOW, 2},
			[4] = {EVF_SOURCE, 0}},
	};
	for (unsigned i = 0; i < EVF_LAB_PORTS; i++)
		fmt_text_set(&l->port[i], port[i]);
	for (unsigned i = 0; i < EVF_LAB_FLOWS; i++)
		fmt_text_set(&l->flow[i], flow[i]);
	fmt_text_set(&l->source[0], "noise");
	l->names = evf_names_new();
	assert_non_null(l->names);
	l->names->node = l->node;
	l->names->n_nodes = 3;
	l->names->port = (struct evf_texts){l->port, sizeof(l->port[0]), EVF_LAB_PORTS};
	l->names->flow = (struct evf_texts){l->flow, sizeof(l->flow[0]), EVF_LAB_FLOWS};
	l->names->source = (struct evf_texts){l->source, sizeof(l->source[0]), 1};
	l->job[0] = (struct evf_job){.first = 0, .n = 3};
	l->job[1] = (struct evf_job){.first = 3, .n = 1};
	fmt_text_set(&l->job[0].name, "ring");
	fmt_text_set(&l->job[1].name, "tree");
	l->names->job = l->job;
	l->names->n_jobs = 2;
	l->names->hdr = l->hdr;
	l->names->n_hdrs = EVF_LAB_HDRS;
}

static inline void evf_lab_close(struct evf_lab *l)
{
	free(l->names);
}

// An event with every byte at random, except that type, node and bools are valid.
static inline struct ev evf_lab_event(struct prng *g, tstamp t)
{
	struct ev e;

	for (size_t i = 0; i < sizeof(e); i++)
		((uint8_t *)&e)[i] = (uint8_t)prng_below(g, prng_below(g, 2) ? 6 : 256);
	e.t = t;
	e.type = (uint8_t)(1 + prng_below(g, EV_TYPES - 1));
	e.node = prng_below(g, 3);
	e.port = (uint16_t)prng_below(g, 3);
	if (prng_below(g, 2)) // what most types begin with
		e.qp.flow = (uint32_t)prng_below(g, 6);
	return e;
}

// The line of an event, with a NUL for its line feed.
static inline char *evf_lab_line(
	const struct evf_names *n, const struct ev *e, uint64_t number, char buf[EVF_LINE])
{
	struct evf_lines lines;
	char *end;

	evf_lines_init(&lines, n);
	end = evf_line(buf, &lines, e, number);
	assert_in_range(end - buf, 1, EVF_LINE);
	assert_int_equal(end[-1], '\n');
	end[-1] = '\0';
	return buf;
}
