// SPDX-License-Identifier: BSD-3-Clause
// The handler of the signals of a crash, on a stack of its own in each thread.
#include "guard.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#define STACK 32768 // bytes: several times a frame with the widest registers

static const struct {
	int signal;
	const char *name;
} caught[] = {
	{SIGSEGV, "SIGSEGV"},
	{SIGBUS, "SIGBUS"},
	{SIGFPE, "SIGFPE"},
	{SIGILL, "SIGILL"},
	{SIGABRT, "SIGABRT"},
};

#define CAUGHT (sizeof(caught) / sizeof(caught[0]))

static struct sigaction before[CAUGHT]; // what the signals did, while `opened`
static unsigned opened;
static _Thread_local struct guard *volatile current;
static _Thread_local bool has_stack;
static _Thread_local _Alignas(16) char stack[STACK];

// A crash elsewhere is what it would be without us: the handler before gets the signal again.
static void on_signal(int sig)
{
	struct guard *g = current;

	if (g) {
		current = NULL;
		g->signal = sig;
		siglongjmp(g->back, 1);
	}
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

// A crash may be for want of stack. A thread that has a stack for handlers keeps it.
static void give_stack(void)
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
		give_stack();
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
