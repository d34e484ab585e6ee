// SPDX-License-Identifier: BSD-3-Clause
// Numbers of nodes: a number of this process's own nodes is an index, another ends the process.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "scene/scene.h"

static void a_number_of_ours_is_an_index(void **state)
{
	const struct scene s = {.n_nodes = 3, .n_elsewhere = 2};

	(void)state;
	for (unsigned i = 0; i < s.n_nodes; i++)
		assert_int_equal(scene_here(&s, i), i);
}

static void a_number_of_others_ends_the_process(void **state)
{
	const struct scene s = {.n_nodes = 3, .n_elsewhere = 2};

	(void)state;
	for (unsigned i = s.n_nodes; i < s.n_nodes + s.n_elsewhere; i++) {
		pid_t pid = fork();
		int status;

		if (pid == 0) {
			signal(SIGABRT, SIG_DFL); // cmocka's handler would go on with the tests
			_exit((int)scene_here(&s, i));
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_of_ours_is_an_index),
		cmocka_unit_test(a_number_of_others_ends_the_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
