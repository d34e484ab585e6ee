// SPDX-License-Identifier: BSD-3-Clause
// The end of a command from outside: SIGINT, SIGTERM, SIGHUP and all other signals that would end a
// process, except those of a crash.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

// From this call on the first of these signals sets the returned flag, and a second one ends the
// process at once. SIGQUIT ends it as the first one already. A signal that is ignored or handled at
// this time stays so (nohup), except for SIGINT and SIGTERM. With `reads` a waiting read(2) fails
// with EINTR, else it goes on. Processes that are forked later share the flag; call it at least
// once before.
const atomic_bool *stop_catch(bool reads);

// Lets the next SIGINT (`on`) set the returned flag alone, so that the one after it is the first
// for stop_catch(). Without `on` this ends.
const atomic_bool *stop_soften(bool on);

// Sets a function that is called before a second signal ends the process; NULL: none. It may do
// only what a signal handler may do.
void stop_last(void (*fn)(void *arg), void *arg);

// Call it first in a forked process. Then only the flag ends the process, not a signal for the
// whole group, and it ends with its parent.
void stop_follow(void);

// The exit status for the shell: 128 + signal if a signal has set the flag, else `status`.
int stop_status(int status);
