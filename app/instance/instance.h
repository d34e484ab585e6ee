// SPDX-License-Identifier: BSD-3-Clause
// Room instance has running instances of quench as another process sees them: found by their
// telemetry sockets and asked in words, with the commands that ask. It needs room cli.
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "cli/cli.h"
#include "conf/conf.h"

struct json_t; // jansson's

#define INSTANCE_DIRS 4
#define INSTANCE_MAX  64 // instances looked at

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
	char folder[400]; // of its sockets
	int control;      // connection to its control; -1: none yet
};

// The folders of this machine, and the user that this process acts for.
void instance_dirs(struct instance_dirs *dirs);

// Opens the instance of that name or process id; name NULL: the only one there is. -ENOENT, -EEXIST
// (more than one fits) and a line that names the existing ones.
int instance_open(
	struct instance *i, const char *name, const struct instance_dirs *dirs, struct err *err);
void instance_close(struct instance *i);

// Asks the instance to do something: a verb and its text, as room control has them. Gives the
// answer, for json_decref. -EINVAL and the instance's line if nothing was done; -EPIPE where it has
// gone.
int instance_control(struct instance *i, struct json_t **answer, struct err *err, const char *verb,
	const char *text);

// The words PATH=VALUE as the text of the verb "set", for free(). NULL and a line: a word is
// another one, or a path stands there twice.
char *instance_values(char *const *word, unsigned n, struct err *err);

// The commands that ask.
extern const struct args_command instance_stats, instance_iqcn, instance_reg, instance_do,
	instance_set, instance_capture;

// --instance, of a command whose struct has a member of that name.
#define INSTANCE_OPTION(type)                                                                     \
	ARGS_ROW(.name = "instance", .value = "NAME", .kind = ARGS_TEXT, ARGS_AT(type, instance), \
		.help = "Asks this instance: the name that `quench run --instance` gave it, its " \
			"scenario's name, or a pid.")

#include "metrics.h"
