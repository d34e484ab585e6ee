// SPDX-License-Identifier: BSD-3-Clause
// A call into code that is not ours: where it crashes, the caller goes on.
//
//	if (sigsetjmp(g->back, 0)) {
//		... it has crashed: guard_signal(g) names the signal
//	} else {
//		guard_on(g);
//		theirs();
//		guard_off();
//	}
//
// The caught signals are SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP and SIGSYS. A stack that
// is used up is a SIGSEGV. Memory and locks that the crashed code held stay taken for ever. In any
// other place, and in our code that theirs calls between guard_off and guard_on, these signals do
// as they did before.
#pragma once

#include <setjmp.h>

struct guard {
	sigjmp_buf back;
	int signal; // that ended the call
};

// Catches the signals from here to the guard_close that belongs to it; pairs may be nested. On one
// thread at a time.
void guard_open(void);
void guard_close(void);

// Sets a function that is called before a crash outside of a guarded call takes its course. It is
// called on the thread that crashes, once at most; NULL: nothing is called. It may do only what a
// signal handler may do.
void guard_last(void (*fn)(void *arg), void *arg);

// A stack for handlers, for the calling thread: a crash may be for want of stack.
void guard_stack(void);

// Sets the guard of the calling thread; NULL: none. Call it between guard_open() and guard_close().
void guard_on(struct guard *g);

// Switches the guard off. Returns the guard that there was, for guard_on().
struct guard *guard_off(void);

// The signal's name: "SIGSEGV".
const char *guard_signal(const struct guard *g);
