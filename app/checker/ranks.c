// SPDX-License-Identifier: BSD-3-Clause
// The jobs of a scene in words: ranks, operations, messages and bytes.
#include "ranks.h"

#include <inttypes.h>

#include "conf/conf.h"

static void count(const struct graph *g, uint64_t *messages, uint64_t *bytes)
{
	*messages = *bytes = 0;
	for (uint32_t r = 0; r < g->n_ranks; r++) {
		const struct graph_op *op = graph_ops(g, r);

		for (uint32_t i = 0; i < g->rank[r].n_ops; i++) {
			*messages += op[i].kind == GRAPH_SEND;
			*bytes += op[i].kind == GRAPH_SEND ? op[i].amount : 0;
		}
	}
}

void ranks_print(const struct scene *s, FILE *f)
{
	for (unsigned i = 0; i < s->n_jobs; i++) {
		const struct scene_job *j = s->job[i];
		uint64_t messages, bytes;
		char text[32];

		if (!i)
			fprintf(f,
				"\nJobs (operations, messages and bytes of all ranks in one "
				"iteration; queue pairs)\n%-16s %7s  %10s  %11s  %9s  %12s  %7s  "
				"%s\n",
				"job", "ranks", "iterations", "operations", "messages", "bytes",
				"pairs", "schedule");
		count(j->graph, &messages, &bytes);
		fprintf(f, "%-16s %7u  %10u  %11" PRIu64 "  %9" PRIu64 "  %12s  %7u  %s\n", j->name,
			j->graph->n_ranks, j->iterations, j->graph->n_ops, messages,
			units_format(UNITS_SIZE, bytes, text, sizeof(text)), j->n_flows, j->what);
	}
}
