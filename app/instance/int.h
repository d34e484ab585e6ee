// SPDX-License-Identifier: BSD-3-Clause
// Shared by the commands of this room: one command to an instance and its answer.
#pragma once

#include <stdbool.h>

#include "instance.h"

struct json_t; // jansson's

#pragma GCC visibility push(hidden)

// Sends one command, "/quench/reg/read,h1,1,RATE_MEM", and gives the answer, for json_decref. What
// the instance says is wrong becomes -EINVAL and its line; -EPIPE where it has gone. All text of an
// answer is printable().
__attribute__((format(printf, 4, 5))) int instance_ask(
	const struct instance *i, struct json_t **answer, struct err *err, const char *fmt, ...);

// Whether the process at the other end of a socket is this user's.
bool instance_is_of(int fd, uid_t user);

// Returns a copy of an answer in which all text is printable(), as it was written by another
// process. NULL: no memory.
struct json_t *instance_printable(struct json_t *j);

// Asks an instance to change, and prints the answer. Exit status.
int instance_change(
	const char *title, const char *instance, const char *verb, const char *text, bool json);

// Returns a number of an answer, which may be written as a string; 0: there is none.
uint64_t instance_number(const struct json_t *answer, const char *key);

// Returns where the next page of a list begins, if this page began at `from`; 0: at the end.
uint64_t instance_next(const struct json_t *answer, uint64_t from);

// Instances of dirs->user that answer, open, at most `max`; returns how many.
unsigned instance_list(struct instance *list, unsigned max, const struct instance_dirs *dirs);

#pragma GCC visibility pop
