// SPDX-License-Identifier: BSD-3-Clause
// What a word that is being typed can become.
#pragma once

#include <stdio.h>

#include "args.h"

#define COMPLETE_HEAD 512

// What the candidates are gathered for.
struct complete {
	FILE *f;
	const char *word;         // what they begin with
	char head[COMPLETE_HEAD]; // what stands before each: "--clock=", "queue."
	const char *scenario;     // of the command line; NULL: none
};

// Lists on `f` what the last of the words of a command line behind `quench` can become. The first
// line says what else: "files", "folders" or "none"; a candidate follows a line. One that ends with
// ".", "=" or "," goes on.
void complete(const struct args_command *quench, int argc, char **argv, FILE *f);

// One candidate, `end` behind it, where it begins with the word.
void complete_see(const struct complete *c, const char *candidate, const char *end);

// complete_setting.c: the path of an option of the scenario, and behind "=" the values that can be
// named.
void complete_setting(struct complete *c);

// complete_figure.c: the path of a figure of the scenario; columns of a sweep's table.
void complete_figure(struct complete *c);
void complete_columns(struct complete *c);

// Takes the part of the word up to `end` into the head.
void complete_pass(struct complete *c, const char *end);

// The text of completion for bash, which asks `quench help --complete`.
extern const char complete_bash[];
