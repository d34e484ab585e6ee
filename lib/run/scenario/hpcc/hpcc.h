// SPDX-License-Identifier: BSD-3-Clause
// Files of the HPCC simulator, and of ConWeave, as a scenario, and names of the parts that no
// scenario takes.
#pragma once

#include "conf/conf.h"

struct hpcc_files {
	const char *topology, *flow;
	const char *config; // NULL: none
	const char *out;    // where the scenario will lie; NULL: in this folder
};

struct hpcc_import {
	struct arena a; // holds all that follows
	char *yaml;     // a scenario, which names the flow list
	char **left;    // what was not taken, with why: a line each
	unsigned n_left;
};

// Reads the files. 0, or -errno with one line in *err: "file:line:column: what is wrong". Lines of
// the flow list are read by who loads the scenario. hpcc_free in either case.
int hpcc_import(struct hpcc_import *to, const struct hpcc_files *files, struct err *err);
void hpcc_free(struct hpcc_import *to);
