// SPDX-License-Identifier: BSD-3-Clause
// Signals that end a command, beside a driver that takes one of them for itself later: net_tap has
// a real-time signal for each queue, and frames still come when the run has been told to end.
#include "cli/stop.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static volatile sig_atomic_t frames;

static void on_frame(int sig)
{
	(void)sig;
	frames++;
}

// A process that is told to end by `first`, while the signal `frame` is a driver's. Returns its
// exit code: the frames that the driver was told of behind it.
static int told_of_frames(int first, int frame)
{
	const atomic_bool *stop = stop_catch(false);
	const struct sigaction drivers = {.sa_handler = on_frame};

	sigaction(frame, &drivers, NULL);
	raise(first);
	if (!atomic_load(stop))
		return 100;
	raise(frame);
	raise(frame);
	return frames;
}

// The wait status of such a process.
static int status_of(int first, int frame)
{
	pid_t pid = fork();
	int status;

	assert_int_not_equal(pid, -1);
	if (!pid)
		_exit(told_of_frames(first, frame));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void a_drivers_signal_does_not_end_a_run_that_ends(void **state)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGUSR1};

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		int status = status_of(ends[i], SIGRTMIN + 1);

		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 2);
	}
}

static void a_second_signal_ends_it(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	assert_int_not_equal(pid, -1);
	if (!pid) {
		(void)stop_catch(false);
		raise(SIGINT);
		raise(SIGRTMIN + 2);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGRTMIN + 2);
}

// The first SIGINT sets a flag of its own, the second the usual one; the third ends the process.
// Other signals do not wait.
static void a_soft_signal_comes_before(void **state)
{
	const atomic_bool *stop, *soft;
	pid_t pid = fork();
	int status;

	(void)state;
	assert_int_not_equal(pid, -1);
	if (!pid) {
		stop = stop_catch(false);
		soft = stop_soften(true);
		raise(SIGINT);
		if (!*soft || *stop || stop_status(0) != 130)
			_exit(1);
		raise(SIGINT);
		if (!*stop)
			_exit(2);
		raise(SIGINT);
		_exit(3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGINT);
	pid = fork();
	if (!pid) {
		stop = stop_catch(false);
		soft = stop_soften(true);
		raise(SIGTERM);
		_exit(*stop && !*soft ? stop_status(0) : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 143);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_drivers_signal_does_not_end_a_run_that_ends),
		cmocka_unit_test(a_second_signal_ends_it),
		cmocka_unit_test(a_soft_signal_comes_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
