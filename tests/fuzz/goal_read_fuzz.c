// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: any bytes are GOAL text or one line of error. A graph that was read is printed, and
// read again it is printed the same. Its ranks run in a network whose messages arrive in turn; the
// job ends, or one line or more say what it waits for.
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "goal/goal.h"
#include "in_memory.h"

#define FOLDER   "/dev/shm"
#define RANKS    64  // of a graph that is printed and run
#define MESSAGES 512 // on their way at a time

struct net {
	const struct graph *g;
	struct job_rank *rank[RANKS];
	struct job_message m[MESSAGES];
	unsigned first, n;
	tstamp now;
};

static char *text_of(const struct graph *g, size_t *size)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, size);

	fuzz_check(f && goal_print(g, f));
	fclose(f);
	return text;
}

static void prints_the_same(const struct graph *g)
{
	size_t size, second_size;
	char *text = text_of(g, &size), *second;
	struct in_memory f;
	struct goal again;
	struct err err;

	in_memory_open(&f, text, size);
	fuzz_check(!goal_read(&again, f.path, FOLDER, &err));
	second = text_of(&again.graph, &second_size);
	fuzz_check(size == second_size && !memcmp(text, second, size));
	goal_fini(&again);
	in_memory_close(&f);
	free(text);
	free(second);
}

static void after_call(struct net *n, uint32_t rank)
{
	struct job_message m;
	struct job_step step;

	while (job_take_send(n->rank[rank], &m)) {
		if (n->n < MESSAGES)
			n->m[(n->first + n->n++) % MESSAGES] = m;
	}
	if (job_take_step(n->rank[rank], &step))
		fuzz_check(job_split_sum(&step.split) <= step.done);
}

// The next deadline comes, or else the oldest message. False: there is neither.
static bool go_on(struct net *n)
{
	static const struct job_split nothing;
	struct job_message m;

	for (uint32_t r = 0; r < n->g->n_ranks; r++) {
		if (job_deadline(n->rank[r]) == TSTAMP_NEVER)
			continue;
		n->now = tstamp_max(n->now, job_deadline(n->rank[r]));
		job_expire(n->rank[r], n->now);
		after_call(n, r);
		return true;
	}
	if (!n->n)
		return false;
	m = n->m[n->first];
	n->first = (n->first + 1) % MESSAGES;
	n->n--;
	job_arrived(n->rank[m.to], &m, &nothing, n->now);
	after_call(n, m.to);
	job_send_done(n->rank[m.from], &m, &nothing, n->now);
	after_call(n, m.from);
	return true;
}

static void run(const struct graph *g)
{
	struct net n = {.g = g};
	char *why = NULL;
	size_t size;
	FILE *f = open_memstream(&why, &size);
	bool over = true;

	for (uint32_t r = 0; r < g->n_ranks; r++) {
		struct job_params p = {g, r, 2, 1};

		n.rank[r] = job_rank_new(&p);
		fuzz_check(n.rank[r]);
	}
	for (uint32_t r = 0; r < g->n_ranks; r++) {
		job_start(n.rank[r], 0);
		after_call(&n, r);
	}
	while (go_on(&n))
		;
	fuzz_check(f && !goal_stuck(g, n.rank, f));
	fclose(f);
	for (uint32_t r = 0; r < g->n_ranks; r++) {
		over &= job_is_over(n.rank[r]);
		job_rank_free(n.rank[r]);
	}
	fuzz_check(over || size);
	free(why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct in_memory f;
	struct goal g;
	struct err err;

	in_memory_open(&f, data, size);
	if (goal_read(&g, f.path, FOLDER, &err)) {
		fuzz_check(*err.text && !strchr(err.text, '\n'));
	} else if (g.graph.n_ranks <= RANKS) {
		prints_the_same(&g.graph);
		run(&g.graph);
	}
	goal_fini(&g);
	in_memory_close(&f);
	return 0;
}
