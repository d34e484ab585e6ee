// SPDX-License-Identifier: BSD-3-Clause
// A SONiC switch's config_db.json as a scenario: what each value becomes, and what cannot be taken.
#pragma once

#include "conf/conf.h"

struct sonic_import {
	struct arena a; // holds all that follows
	char *yaml;     // a scenario, each value with a comment that says where it came from
	char **left;    // what was not taken, with why: a line each
	unsigned n_left;
};

// Reads the file. `port_map` says which ports are taken and what host each has,
// "Ethernet0=h1,Ethernet4=h2"; NULL: all that are not down, with hosts h1, h2 .... 0, or -errno
// with one line in *err: "file:line:column: what is wrong". sonic_free in either case.
int sonic_import(struct sonic_import *to, const char *path, const char *port_map, struct err *err);
void sonic_free(struct sonic_import *to);
