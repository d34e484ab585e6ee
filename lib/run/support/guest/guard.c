// SPDX-License-Identifier: BSD-3-Clause
// The handler of the signals of a crash, on a stack of its own in each thread.
#include "guard.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#define STACK   32768 // bytes: several times a frame with the widest registers
#define LAST_MS 100   // that another thread has for last()

static const struct {
	int signal;
	const char *name;
} caught[] = {
	{SIGSEGV, "SIGSEGV"},
	{SIGBUS, "SIGBUS"},
	{SIGFPE, "SIGFPE"},
	{SIGILL, "SIGILL"},
	{SIGABRT, "SIGABRT"},
	{SIGTRAP, "SIGTRAP"},
	{SIGSYS, "SIGSYS"},
};

#define CAUGHT (sizeof(caught) / sizeof(caught[0]))

static struct sigaction before[CAUGHT]; // the handlers before, while `opened`
static unsigned opened;
static void (*_Atomic last)(void *arg);
static void *last_arg;
static atomic_bool ending; // a thread is in last()
static _Thread_local struct guard *volatile current;
static _Thread_local bool has_stack;
static _Thread_local _Alignas(16) char stack[STACK];

// Another thread that crashes meanwhile does not end the process first; a crash within last() does.
static void call_last(void)
{
	static _Thread_local bool here;
	void (*fn)(void *arg) = atomic_exchange(&last, NULL);

	if (fn) {
		here = true;
		atomic_store(&ending, true);
		fn(last_arg);
		atomic_store(&ending, false);
	}
	for (unsigned ms = 0; ms < LAST_MS && !here && atomic_load(&ending); ms++)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

// A crash elsewhere is what it would be without us: the handler before gets the signal again.
static void on_signal(int sig)
{
	struct guard *g = current;

	if (g) {
		current = NULL;
		g->signal = sig;
		siglongjmp(g->back, 1);
	}
	call_last();
	for (unsigned i = 0; i < CAUGHT; i++)
		if (caught[i].signal == sig)
			sigaction(sig, &before[i], NULL);
	raise(sig);
}

void guard_open(void)
{
	// SA_NODEFER: the handler may be left by siglongjmp with no signal blocked.
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | (int)SA_NODEFER};

	if (opened++)
		return;
	for (unsigned i = 0; i < CAUGHT; i++)
		sigaction(caught[i].signal, &sa, &before[i]);
}

void guard_close(void)
{
	if (--opened)
		return;
	for (unsigned i = 0; i < CAUGHT; i++)
		sigaction(caught[i].signal, &before[i], NULL);
}

void guard_last(void (*fn)(void *arg), void *arg)
{
	atomic_store(&last, NULL);
	last_arg = arg;
	atomic_store(&last, fn);
}

// A thread that has a stack for handlers keeps it.
void guard_stack(void)
{
	const stack_t ours = {.ss_sp = stack, .ss_size = STACK};
	stack_t now;

	has_stack = true;
	if (sigaltstack(NULL, &now) == 0 && now.ss_flags & SS_DISABLE)
		sigaltstack(&ours, NULL);
}

void guard_on(struct guard *g)
{
	if (!has_stack)
		guard_stack();
	current = g;
}

struct guard *guard_off(void)
{
	struct guard *g = current;

	current = NULL;
	return g;
}

const char *guard_signal(const struct guard *g)
{
	for (unsigned i = 0; i < CAUGHT; i++)
		if (caught[i].signal == g->signal)
			return caught[i].name;
	return "no signal";
}
