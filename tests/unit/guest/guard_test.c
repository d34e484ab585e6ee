// SPDX-License-Identifier: BSD-3-Clause
// Tests of guest/guard: crashes from which the call returns, in which places, and the state that is
// restored.
#include "guest/guest.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static int *volatile nowhere;
static volatile unsigned zero, seven = 7;

// A signal is to end it, and not UBSan.
__attribute__((no_sanitize("undefined"))) static void null(void)
{
	*nowhere = 1;
}

__attribute__((no_sanitize("undefined"))) static void divide(void)
{
	zero = seven / zero;
}

static void trap(void)
{
	__builtin_trap();
}

static unsigned deeper(unsigned n)
{
	volatile char room[4096];

	room[0] = (char)n;
	return zero ? n : deeper(n + 1) + (unsigned char)room[0];
}

static void no_stack(void)
{
	zero = deeper(0) & 0;
}

static void breakpoint(void)
{
	raise(SIGTRAP);
}

// As a filter of system calls does it.
static void bad_call(void)
{
	raise(SIGSYS);
}

static void bus(void)
{
	raise(SIGBUS);
}

static void nothing(void)
{
}

// The signal that the call ends with; NULL: it comes back.
static const char *guarded(void (*theirs)(void))
{
	static struct guard g;

	if (sigsetjmp(g.back, 0))
		return guard_signal(&g);
	guard_on(&g);
	theirs();
	assert_ptr_equal(guard_off(), &g);
	return NULL;
}

static const struct {
	void (*theirs)(void);
	const char *signal;
} crashes[] = {
	{null, "SIGSEGV"},
	{no_stack, "SIGSEGV"},
	{divide, "SIGFPE"},
	{trap, "SIGILL"},
	{abort, "SIGABRT"},
	{bus, "SIGBUS"},
	{breakpoint, "SIGTRAP"},
	{bad_call, "SIGSYS"},
};

static void all_are_come_back_from(void)
{
	for (unsigned k = 0; k < 3; k++) // the handler stays, and no signal is left blocked
		for (unsigned i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++) {
			assert_null(guarded(nothing));
			assert_string_equal(guarded(crashes[i].theirs), crashes[i].signal);
		}
}

static void a_crash_is_come_back_from(void **state)
{
	(void)state;
	guard_open();
	all_are_come_back_from();
	guard_close();
}

static void *on_a_thread(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < 2; i++)
		if (!guarded(no_stack))
			return "it came back";
	return NULL;
}

static void each_thread_has_a_stack_for_it(void **state)
{
	void *wrong = "it did not run";
	pthread_t t;

	(void)state;
	guard_open();
	assert_int_equal(pthread_create(&t, NULL, on_a_thread, NULL), 0);
	pthread_join(t, &wrong);
	assert_null(wrong);
	guard_close();
}

// How a process ends that does this: the signal, 0 where it ends well.
static int ended(void (*does)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		signal(SIGSEGV, SIG_DFL); // instead of cmocka's
		does();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static void crash_of_ours(void)
{
	guard_open();
	guarded(null);
	null();
}

static void crash_in_what_it_calls(void)
{
	struct guard g;

	guard_open();
	if (sigsetjmp(g.back, 0))
		return;
	guard_on(&g);
	guard_off();
	null();
}

static void crash_after_close(void)
{
	guard_open();
	guard_open();
	guard_close();
	if (!guarded(null))
		return;
	guard_close();
	null();
}

static void ends_it(void *status)
{
	_exit(*(int *)status);
}

static int status_seven = 7;

static void crash_with_a_last_word(void)
{
	guard_open();
	guard_last(ends_it, &status_seven);
	guarded(null); // is come back from
	null();
}

static void crashes_too(void *arg)
{
	(void)arg;
	null();
}

static void crash_within_the_last_word(void)
{
	guard_open();
	guard_last(crashes_too, NULL);
	null();
}

static void no_last_word(void)
{
	guard_open();
	guard_last(ends_it, &status_seven);
	guard_last(NULL, NULL);
	null();
}

static void a_crash_of_ours_has_a_last_word(void **state)
{
	(void)state;
	assert_int_equal(ended(crash_with_a_last_word), 7);
	assert_int_equal(ended(crash_within_the_last_word), SIGSEGV);
	assert_int_equal(ended(no_last_word), SIGSEGV);
}

static void a_crash_of_ours_is_one(void **state)
{
	(void)state;
	assert_int_equal(ended(nothing), 0);
	assert_int_equal(ended(crash_of_ours), SIGSEGV);
	assert_int_equal(ended(crash_in_what_it_calls), SIGSEGV);
	assert_int_equal(ended(crash_after_close), SIGSEGV);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_crash_is_come_back_from),
		cmocka_unit_test(each_thread_has_a_stack_for_it),
		cmocka_unit_test(a_crash_of_ours_is_one),
		cmocka_unit_test(a_crash_of_ours_has_a_last_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
