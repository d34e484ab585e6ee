// SPDX-License-Identifier: BSD-3-Clause
// Room lumina makes a scenario of a test configuration of Lumina, which injects events into the
// traffic of two NICs. It needs room conf.
#pragma once

#include "conf/conf.h"

struct lumina_import {
	struct arena a; // holds all that follows
	char *yaml;     // a scenario
	char *left[16]; // settings that were not taken, with the reason: a line each
	unsigned n_left;
};

// Reads the file. 0, or -errno with one line in *err: "file:line:column: what is wrong".
// lumina_free in either case.
int lumina_import(struct lumina_import *to, const char *path, struct err *err);
void lumina_free(struct lumina_import *to);
