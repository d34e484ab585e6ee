// SPDX-License-Identifier: BSD-3-Clause
// Jobs: the hosts of ranks, the queue pairs of messages, and wrong jobs.
#include "scene_lab.h"

#define STAR         "duration: 1ms\ntopology: {star: {hosts: 4}}\n"
#define JOB(options) STAR "jobs:\n  j: {" options "}\n"

static void ranks_stand_on_their_hosts_and_have_queue_pairs(void **state)
{
	struct scene *s = lab(JOB("ranks: h1..4, collective: all_reduce, bytes: 4MiB, mtu: 2048"));
	const struct scene_job *j = s->job[0];

	(void)state;
	assert_int_equal(s->n_jobs, 1);
	assert_string_equal(j->name, "j");
	assert_string_equal(j->what, "all_reduce, ring");
	assert_int_equal(j->graph->n_ranks, 4);
	assert_int_equal(j->n_pairs, 4);
	assert_int_equal(j->n_flows, 4);
	assert_int_equal(j->iterations, 1);
	assert_int_equal(j->bytes, 4 << 20);
	assert_true(j->bus == 1.5);
	for (unsigned i = 0; i < 4; i++) {
		const struct scene_job_pair *p = &j->pair[i];
		const struct scene_flow *f = s->flow[p->flow];
		char name[16];

		snprintf(name, sizeof(name), "j[%u>%u]", i, (i + 1) % 4);
		assert_int_equal(p->from, i);
		assert_int_equal(p->to, (i + 1) % 4);
		assert_int_equal(p->nic, 0);
		assert_string_equal(f->name, name);
		assert_string_equal(f->group, "j");
		assert_int_equal(f->from, j->node[p->from]);
		assert_int_equal(f->to, j->node[p->to]);
		assert_true(f->req.loaded);
		assert_int_equal(f->rc->p.verb, RC_SEND);
		assert_int_equal(f->rc->p.mtu, 2048);
		assert_int_equal(f->req.message_bytes, 1 << 20);
	}
	scene_free(s);
}

static void nics_of_the_graph_have_queue_pairs_of_their_own(void **state)
{
	struct scene *s =
		lab(JOB("ranks: h1..2, collective: all_reduce, bytes: 64KB, channels: 2"));
	const struct scene_job *j = s->job[0];

	(void)state;
	assert_int_equal(j->n_pairs, 4);
	assert_int_equal(j->pair[1].nic, 1);
	assert_string_equal(s->flow[j->pair[0].flow]->name, "j[0>1]");
	assert_string_equal(s->flow[j->pair[1].flow]->name, "j[0>1.1]");
	scene_free(s);
}

// The hosts of all ranks, as digits.
static void mapped(const char *map, const char *want)
{
	char text[512], got[64] = "";
	struct scene *s;

	snprintf(text, sizeof(text), JOB("ranks: h1..4, collective: all_to_all, bytes: 1KB, %s"),
		map);
	s = lab(text);
	for (uint32_t i = 0; i < s->job[0]->graph->n_ranks; i++)
		snprintf(got + i, 2, "%c", s->node[s->job[0]->node[i]].name[1]);
	assert_string_equal(got, want);
	for (uint32_t i = 0; i < s->job[0]->n_pairs; i++) {
		const struct scene_job_pair *p = &s->job[0]->pair[i];

		assert_true((p->flow == SCENE_NO_FLOW) ==
			    (s->job[0]->node[p->from] == s->job[0]->node[p->to]));
	}
	scene_free(s);
}

static void a_map_puts_several_ranks_on_a_host(void **state)
{
	(void)state;
	mapped("num_ranks: 8, map: packed", "11223344");
	mapped("num_ranks: 6, map: packed", "112334");
	mapped("num_ranks: 3, map: packed", "123");
	mapped("num_ranks: 8, map: spread", "12341234");
	mapped("map: [h4, h4, h1, h1, h2]", "44112");
}

static void ranks_of_all_jobs_have_numbers_of_their_own(void **state)
{
	struct scene *s = lab(STAR
		"jobs:\n"
		"  a: {ranks: h1..3, collective: all_gather, bytes: 1MB}\n"
		"  b: {ranks: h1..4, collective: broadcast, bytes: 1MB, iterations: 3, gap: 2us,\n"
		"      start: 5us, send_done: sent}\n");

	(void)state;
	assert_int_equal(s->n_jobs, 2);
	assert_int_equal(s->job[0]->rank_at, 0);
	assert_int_equal(s->job[1]->rank_at, 3);
	assert_int_equal(s->job[1]->first, s->job[0]->first + s->job[0]->n_flows);
	assert_int_equal(s->job[1]->iterations, 3);
	assert_int_equal(s->job[1]->gap, 2 * PS_PER_US);
	assert_int_equal(s->job[1]->start, 5 * PS_PER_US);
	assert_true(s->job[1]->sent && !s->job[0]->sent);
	scene_free(s);
}

// GOAL text beside the scenario.
static void a_schedule_comes_from_a_file(void **state)
{
	char path[] = "/tmp/quench-goal-XXXXXX", text[512];
	static const char *const goal = "num_ranks 3\n"
					"rank 0 {\nc: calc 100\ns: send 300b to 2 tag 7\n"
					"s requires c\n}\n"
					"rank 2 {\nr: recv 300b from 0 tag 7\n}\n";
	int fd = mkstemp(path);
	struct scene *s;

	(void)state;
	assert_int_equal(write(fd, goal, strlen(goal)), strlen(goal));
	close(fd);
	snprintf(text, sizeof(text), JOB("ranks: h2..4, goal: %s"), path);
	s = lab(text);
	assert_int_equal(s->job[0]->graph->n_ops, 3);
	assert_int_equal(s->job[0]->n_pairs, 1);
	assert_string_equal(s->flow[0]->name, "j[0>2]");
	assert_string_equal(s->node[s->flow[0]->from].name, "h2");
	assert_int_equal(s->job[0]->bytes, 0);
	scene_free(s);
	unlink(path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_stand_on_their_hosts_and_have_queue_pairs),
		cmocka_unit_test(nics_of_the_graph_have_queue_pairs_of_their_own),
		cmocka_unit_test(a_map_puts_several_ranks_on_a_host),
		cmocka_unit_test(ranks_of_all_jobs_have_numbers_of_their_own),
		cmocka_unit_test(a_schedule_comes_from_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
