// SPDX-License-Identifier: BSD-3-Clause
// Imports a SONiC switch's config_db.json as a scenario: converts each value, and lists the values
// that it cannot convert.
#pragma once

#include "conf/conf.h"

struct sonic_import {
	struct arena a; // holds all that follows
	char *yaml;     // a scenario, each value with a comment that says where it came from
	char **said;    // ports, groups, classes, thresholds, decisions: a line each
	unsigned n_said;
	char **left; // settings left out, with the reason: a line each
	unsigned n_left;
};

struct sonic_opts {
	const char *const *paths; // a table of a later file replaces that of an earlier one
	unsigned n_paths;
	const char *pg_lookup; // pg_profile_lookup.ini; NULL: none
	// The ports to take and the host of each, "Ethernet0=h1,Ethernet4=h2"; NULL: the ports in
	// service, with hosts h1, h2 ....
	const char *port_map;
	unsigned group; // the ports of this group of equal ones alone, from 1; 0: of all groups
};

// Reads the files. 0, or -errno with one line in *err: "file:line:column: what is wrong".
// sonic_free in either case.
int sonic_import(struct sonic_import *to, const struct sonic_opts *opts, struct err *err);
void sonic_free(struct sonic_import *to);
