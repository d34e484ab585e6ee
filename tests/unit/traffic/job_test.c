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

static const char *const wrong[][2] = {
	{"ranks: h1..5, collective: broadcast, bytes: 1MB",
		"lab.yaml:4:14: there is no node 'h5'; did you mean 'h4'?"},
	{"ranks: [h1, s1], collective: broadcast, bytes: 1MB",
		"lab.yaml:4:19: 's1' is a switch; ranks are on hosts"},
	{"ranks: [h1, h2, h1], collective: broadcast, bytes: 1MB",
		"lab.yaml:4:23: host 'h1' stands twice in the ranks of job 'j'; where a host has "
		"several ranks, `map` says which, as in map: packed"},
	{"ranks: h1, collective: broadcast, bytes: 1MB",
		"lab.yaml:4:14: job 'j' has one rank; it needs two at least"},
	{"ranks: h1..4, num_ranks: 8, collective: broadcast, bytes: 1MB",
		"lab.yaml:4:14: job 'j' has 8 ranks and 4 hosts; name more, or say where the ranks "
		"are, as in map: packed"},
	{"ranks: h1..4, map: packt, collective: broadcast, bytes: 1MB",
		"lab.yaml:4:26: map: 'packt' is not right; write packed, spread or the hosts of "
		"the ranks, as in [h1, h1, h2, h2]"},
	{"ranks: h1..4, num_ranks: 8, map: [h1, h2], collective: broadcast, bytes: 1MB",
		"lab.yaml:4:40: job 'j' has 8 ranks, and `map` has the hosts of 2"},
	{"ranks: h1..4",
		"lab.yaml:4:3: job 'j' has nothing to do; give it collective, pattern or goal, as "
		"in collective: all_reduce"},
	{"ranks: h1..4, collective: broadcast",
		"lab.yaml:4:3: job 'j' needs `bytes`, as in bytes: 64MB"},
	{"ranks: h1..4, collective: broadcast, bytes: 0B",
		"lab.yaml:4:51: bytes: 0B is out of range; it can be 1B..1024GiB"},
	{"ranks: h1..4, collective: broadcast, bytes: 8GB",
		"lab.yaml:4:3: job 'j': rank 0 sends 8000000000 bytes to rank 1, and a message has "
		"at most 2147483648; take more chunks or ranks"},
	{"ranks: h1..4, collective: broadcast, bytes: 1MB, algorithm: ring",
		"lab.yaml:4:67: job 'j': broadcast has no algorithm 'ring'; it has binomial"},
	{"ranks: h1..4, collective: broadcast, bytes: 1MB, micro: 4",
		"lab.yaml:4:63: job 'j': broadcast has no use for micro; leave the key out"},
	{"ranks: h1..4, pattern: gpipe, bytes: 1MB, chunks: 4",
		"lab.yaml:4:57: job 'j': gpipe has no use for chunks; leave the key out"},
	{"ranks: h1..4, pattern: checkpoint, bytes: 1MB, targets: 4",
		"lab.yaml:4:63: job 'j' has 4 ranks and 4 targets; targets are 1 to 3"},
	{"ranks: h1..2, pattern: experts, matrix: [[0B, 1MB]]",
		"lab.yaml:4:47: the matrix of job 'j' has a row for each of its 2 ranks, as in "
		"[[0B, 1MB], [2MB, 0B]]"},
	{"ranks: h1..2, pattern: experts, matrix: [[0B, 1MB], [1MB]]",
		"lab.yaml:4:59: a row of the matrix of job 'j' has the bytes to its 2 experts, as "
		"in [0B, 1MB]"},
	{"ranks: h1..2, pattern: experts, matrix: [[0B, 1MB], [1MB, x]]",
		"lab.yaml:4:65: the matrix of job 'j' has sizes, as in 1MB or 0B, up to 1024GiB"},
	{"ranks: h1..4, collective: broadcast, pattern: gpipe, bytes: 1MB",
		"lab.yaml:4:21: 'collective' and 'pattern' exclude each other; keep one"},
	{"ranks: h1..4, goal: nowhere.goal",
		"lab.yaml:4:27: goal: /tmp/nowhere.goal: No such file or directory"},
	{"ranks: h1..4, goal: nowhere.goal, bytes: 1MB",
		"lab.yaml:4:48: job 'j': a schedule in GOAL text has no use for bytes; leave the "
		"key out"},
	{"ranks: h1..4, collective: broadcast, bytes: 1MB, control: dcqcn",
		"lab.yaml:4:65: there is no control 'dcqcn'; name it under `controls`, or write "
		"none"},
};

static void what_is_wrong_is_told(void **state)
{
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		snprintf(text, sizeof(text), JOB("%s"), wrong[i][0]);
		lab_refuse(text, wrong[i][1]);
	}
	lab_refuse(STAR "flows: {j: {from: h1, to: h2}}\njobs:\n  j: {ranks: h1..2, collective: "
			"broadcast, bytes: 1MB}\n",
		"lab.yaml:5:3: 'j' is also the name of a flow; rename the job");
	lab_refuse(STAR "jobs:\n  j1..2: {ranks: h1..2, collective: broadcast, bytes: 1MB}\n",
		"lab.yaml:4:3: a job has one name; ranges stand in its ranks");
	lab_refuse(STAR "hosts: {h1: {external: true}}\n"
			"jobs:\n  j: {ranks: h1..2, collective: broadcast, bytes: 1MB}\n",
		"lab.yaml:5:14: host 'h1' is external, and quench runs the ranks of job 'j'; take "
		"another host");
}

// What defaults.flows says of queue pairs holds for those of jobs, too, and the job's own word goes
// before it.
static void flows_give_their_defaults_to_queue_pairs_of_jobs(void **state)
{
	struct scene *s = lab(STAR "defaults: {flows: {mtu: 2048, window: 100, message: 2MB}}\n"
				   "jobs:\n  j: {ranks: h1..2, collective: broadcast, bytes: 1MB, "
				   "window: 50}\n");

	(void)state;
	assert_int_equal(s->flow[0]->rc->p.mtu, 2048);
	assert_int_equal(s->flow[0]->rc->p.window, 50);
	assert_int_equal(s->flow[0]->req.message_bytes, 1000000);
	scene_free(s);
	s = lab_with(JOB("ranks: h1..2, collective: broadcast, bytes: 1MB"), "jobs.j.bytes", "2MB");
	assert_int_equal(s->flow[0]->req.message_bytes, 2000000);
	scene_free(s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_stand_on_their_hosts_and_have_queue_pairs),
		cmocka_unit_test(nics_of_the_graph_have_queue_pairs_of_their_own),
		cmocka_unit_test(a_map_puts_several_ranks_on_a_host),
		cmocka_unit_test(ranks_of_all_jobs_have_numbers_of_their_own),
		cmocka_unit_test(a_schedule_comes_from_a_file),
		cmocka_unit_test(what_is_wrong_is_told),
		cmocka_unit_test(flows_give_their_defaults_to_queue_pairs_of_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
