// SPDX-License-Identifier: BSD-3-Clause
// Tests of GOAL text: its meaning, its errors, and its printed form.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "goal/goal.h"

static const char *path = "goal_read_test.goal";

static int read_text(struct goal *g, const char *text, struct err *err)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	return goal_read(g, path, ".", err);
}

static const char example[] = "// a comment\n"
			      "\n"
			      "num_ranks 3\n"
			      "/* a comment\n"
			      "   of two lines */\n"
			      "rank 2 {\n"
			      "a: send 0b to 0\r\n"
			      "\tb: recv 10b from -1 tag -1 cpu 1 nic 2\n"
			      "calc 7 cpu 3\n"
			      "c_1: calc 20000\n"
			      "c_1 requires a\n"
			      "c_1 irequires b\n"
			      "b requires a\n"
			      "}\n"
			      "rank 0 {\n"
			      "a: recv 5b from 2 tag 4294967294\n"
			      "}\n";

static void the_text_becomes_a_graph(void **state)
{
	struct goal g;
	struct err err;
	const struct graph_op *op;
	const struct graph_edge *edge;

	(void)state;
	assert_int_equal(read_text(&g, example, &err), 0);
	assert_int_equal(g.graph.n_ranks, 3);
	assert_int_equal(g.graph.n_ops, 5);
	assert_int_equal(g.graph.rank[1].n_ops, 0);
	assert_int_equal(g.graph.rank[2].n_ops, 4);
	assert_int_equal(g.graph.rank[2].n_cpus, 4);
	assert_int_equal(g.graph.rank[2].n_any, 1);
	assert_int_equal(g.graph.rank[0].incoming, 1);
	op = graph_ops(&g.graph, 2);
	edge = graph_edges(&g.graph, 2);
	assert_int_equal(op[0].kind, GRAPH_SEND);
	assert_int_equal(op[0].amount, 0);
	assert_int_equal(op[1].peer, GRAPH_ANY);
	assert_int_equal(op[1].tag, GRAPH_ANY);
	assert_int_equal(op[1].cpu, 1);
	assert_int_equal(op[1].nic, 2);
	assert_int_equal(op[2].name, 0);
	assert_int_equal(op[3].amount, 20000 * PS_PER_NS);
	assert_int_equal(op[3].needs, 2);
	assert_string_equal(graph_name(&g.graph, 2, &op[3]), "c_1");
	assert_int_equal(graph_next(edge, &op[0], GRAPH_NONE), 0);
	assert_int_equal(edge[0].to, 3);
	assert_int_equal(graph_next(edge, &op[0], 0), 2);
	assert_int_equal(edge[2].to, 1);
	assert_int_equal(graph_next(edge, &op[0], 2), GRAPH_NONE);
	assert_true(edge[1].at_start);
	assert_int_equal(graph_ops(&g.graph, 0)[0].tag, 4294967294u);
	goal_fini(&g);
}

static char *print_graph(const struct graph *g)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	assert_true(goal_print(g, f));
	fclose(f);
	return text;
}

static void a_printed_graph_reads_the_same(void **state)
{
	struct goal g, again;
	struct err err;
	char *text, *second;

	(void)state;
	assert_int_equal(read_text(&g, example, &err), 0);
	text = print_graph(&g.graph);
	assert_string_equal(text, "num_ranks 3\n"
				  "rank 0 {\n"
				  "a: recv 5b from 2 tag 4294967294\n"
				  "}\n"
				  "rank 1 {\n"
				  "}\n"
				  "rank 2 {\n"
				  "a: send 0b to 0\n"
				  "b: recv 10b from -1 tag -1 cpu 1 nic 2\n"
				  "calc 7 cpu 3\n"
				  "c_1: calc 20000\n"
				  "c_1 requires a\n"
				  "b requires a\n"
				  "c_1 irequires b\n"
				  "}\n");
	assert_int_equal(read_text(&again, text, &err), 0);
	second = print_graph(&again.graph);
	assert_string_equal(text, second);
	free(text);
	free(second);
	goal_fini(&g);
	goal_fini(&again);
}

#define IN_RANK(lines) "num_ranks 2\nrank 0 {\n" lines "}\n"

// Text, and the end of the line that says what is wrong with it.
static const char *const wrong[][2] = {
	{"", ":0: GOAL text begins with 'num_ranks N'"},
	{"rank 0 {\n", ":1: GOAL text begins with 'num_ranks N'"},
	{"num_ranks 0\n", ":1: num_ranks '0' is not a whole number from 1 to 1048576"},
	{"num_ranks 2\nsend 1b to 0\n", ":2: 'send' stands where 'rank R {' is wanted"},
	{"num_ranks 2\nrank 2 {\n}\n", ":2: there is no rank 2; the job has the ranks 0 to 1"},
	{"num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n", ":4: rank 0 comes a second time"},
	{"num_ranks 2\nrank 0 {\ncalc 1\n", ":3: rank 0, which begins in line 2, has no '}'"},
	{"num_ranks 2\n/* never ended\n", ":2: the file ends within a comment"},
	{IN_RANK("a: calc 1 // late\n"), ":3: a comment needs a line of its own"},
	{IN_RANK("/* early */ a: calc 1\n"), ":3: a comment needs a line of its own"},
	{IN_RANK("send 1b to 5\n"), ":3: there is no rank 5; the job has the ranks 0 to 1"},
	{IN_RANK("recv 1b from 9\n"), ":3: there is no rank 9; the job has the ranks 0 to 1"},
	{IN_RANK("send 1b to 0\n"), ":3: rank 0 exchanges a message with itself"},
	{IN_RANK("send 1b to -1\n"), ":3: to '-1' is not a whole number up to 4294967294"},
	{IN_RANK("send 1 to 1\n"),
		":3: '1' is not a number of bytes up to 1099511627776b, as 1024b"},
	{IN_RANK("send 1b from 1\n"), ":3: 'from' stands where 'to RANK' is wanted"},
	{IN_RANK("send 1b\n"), ":3: 'send BYTESb to RANK' is wanted"},
	{IN_RANK("send 1b to 1 nic 0 tag 3\n"),
		":3: 'tag' cannot stand there; the options are tag, cpu and nic, in this order"},
	{IN_RANK("calc 1 tag 3\n"), ":3: 'tag' cannot stand there; cpu is the only option of calc"},
	{IN_RANK("calc 1 cpu\n"), ":3: 'cpu' has no value"},
	{IN_RANK("calc 1 cpu 4096\n"), ":3: cpu '4096' is not a whole number up to 4095"},
	{IN_RANK("calc 1.5\n"), ":3: calc '1.5' is not a whole number of ns up to "
				"4611686018427387"},
	{IN_RANK("put 1b to 1\n"), ":3: 'put' is no operation; send, recv, calc, 'LABEL requires "
				   "LABEL' or '}' may stand here"},
	{IN_RANK("a:\n"), ":3: label 'a' has no operation; send, recv, calc, 'LABEL requires "
			  "LABEL' or '}' may stand here"},
	{IN_RANK("1a: calc 1\n"), ":3: '1a' is no label: a letter, then letters, digits and _"},
	{IN_RANK("a: calc 1\na: calc 2\n"), ":4: label 'a' is defined a second time in rank 0"},
	{IN_RANK("work: calc 1\nb: calc 2\nb requires work_\n"),
		":5: rank 0 has no label 'work_'; did you mean 'work'?"},
	{IN_RANK("b requires a\n"), ":3: rank 0 has no label 'b'"},
	{IN_RANK("a: calc 1\na requires b\nb: calc 2\n"),
		":4: label 'b' is used here and defined below, in line 5; a dependency names "
		"labels that stand above it"},
	{IN_RANK("a: calc 1\na requires a\n"), ":4: a cycle: 'a' waits for itself"},
	{IN_RANK("a: calc 1\nb: calc 2\na requires b\n"),
		":5: 'a' waits for 'b', which is defined below it; an operation waits for "
		"operations that stand above it, so that no cycle can be written"},
	{IN_RANK("a: calc 1\nb: calc 2\nb requires a a\n"),
		":5: 'LABEL requires LABEL' has three words"},
	{IN_RANK("} }\n"), ":3: '}' needs a line of its own"},
};

static void what_is_wrong_is_told_with_its_line(void **state)
{
	struct goal g;
	struct err err;
	char want[512];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		snprintf(want, sizeof(want), "%s%s", path, wrong[i][1]);
		assert_true(read_text(&g, wrong[i][0], &err) < 0);
		assert_string_equal(err.text, want);
		goal_fini(&g);
	}
	assert_true(goal_read(&g, "nowhere.goal", ".", &err) < 0);
	assert_string_equal(err.text, "nowhere.goal: No such file or directory");
	goal_fini(&g);
}

static void a_folder_that_cannot_keep_it_is_told(void **state)
{
	struct goal g;
	struct err err;

	(void)state;
	assert_int_equal(goal_init(&g, 1, "/nowhere", &err), 0);
	assert_true(goal_rank(&g, 0) < 0);
	assert_string_equal(err.text, "/nowhere: a job's operations cannot be kept there: "
				      "No such file or directory");
	goal_fini(&g);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_becomes_a_graph),
		cmocka_unit_test(a_printed_graph_reads_the_same),
		cmocka_unit_test(what_is_wrong_is_told_with_its_line),
		cmocka_unit_test(a_folder_that_cannot_keep_it_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, remove_file);
}
