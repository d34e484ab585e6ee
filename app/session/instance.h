// SPDX-License-Identifier: BSD-3-Clause
// Running instances of quench as another process sees them: found by their telemetry sockets, asked
// in words.
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "conf/conf.h"

#define INSTANCE_DIRS 4
#define INSTANCE_MAX  64 // instances looked at

struct json_t; // jansson's

// Folders where DPDK processes have theirs, and the user whose sockets are asked: anyone can put
// one there that answers what it likes.
struct instance_dirs {
	char dir[INSTANCE_DIRS][108];
	unsigned n;
	uid_t user;
};

struct instance {
	char name[64];     // --instance, or the scenario's
	char scenario[64]; // its name
	uint64_t pid;
	uint64_t now_ps, duration_ps; // as it was found
	unsigned dilate;
	int fd;
};

// The folders of this machine, and the user that this process acts for.
void instance_dirs(struct instance_dirs *dirs);

// The instance of that name or process id; name NULL: the only one there is. -ENOENT, -EEXIST (more
// than one fits) and a line that names those there are.
int instance_open(
	struct instance *i, const char *name, const struct instance_dirs *dirs, struct err *err);
void instance_close(struct instance *i);

// Sends one command, "/quench/reg/read,h1,1,RATE_MEM", and gives the answer, for json_decref. What
// the instance says is wrong becomes -EINVAL and its line; -EPIPE where it has gone. All text of an
// answer is printable().
__attribute__((format(printf, 4, 5))) int instance_ask(
	const struct instance *i, struct json_t **answer, struct err *err, const char *fmt, ...);

// A number of an answer, which may be written as a string; 0 where there is none.
uint64_t instance_number(const struct json_t *answer, const char *key);

// Where the next page of a list begins whose page began at `from`; 0 at the end.
uint64_t instance_next(const struct json_t *answer, uint64_t from);

// What follows is for the files of this room only.
#pragma GCC visibility push(hidden)

// Instances of dirs->user that answer, open, at most `max`; returns how many.
unsigned instance_list(struct instance *list, unsigned max, const struct instance_dirs *dirs);

#pragma GCC visibility pop
