// SPDX-License-Identifier: BSD-3-Clause
// What ends a command from outside: SIGINT, SIGTERM, SIGHUP and all other signals that would end a
// process, except those of a crash.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

// From now on the first of these signals sets the flag that is returned, and a second one ends the
// process at once. SIGQUIT does so as the first one. A signal that is ignored or handled by now
// stays so (nohup); SIGINT and SIGTERM do not. With `reads` a read(2) that waits fails with EINTR,
// else it goes on. Processes that are forked later share the flag; at least one call comes before.
const atomic_bool *stop_catch(bool reads);

// Sets a function that is called before a second signal ends the process; NULL: none. It may do
// only what a signal handler may do.
void stop_last(void (*fn)(void *arg), void *arg);

// In a forked process, first: the flag alone ends it, not a signal meant for the whole group, and
// it goes with its parent.
void stop_follow(void);

// The exit status for the shell: 128 + signal if a signal has set the flag, else `status`.
int stop_status(int status);
