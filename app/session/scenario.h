// SPDX-License-Identifier: BSD-3-Clause
// Scenarios that a command line names: by their path, by the name of one that comes with quench, or
// on standard input.
#pragma once

#include "conf/conf.h"
#include "scene/scene.h"

// The path of a scenario that comes with quench, or of their folder where `file` is "".
// docs/scenario.md says where they are looked for. Nothing may be there.
void scenario_config(char *path, size_t size, const char *file);

// Calls `see` with each scenario that comes with quench, in the order of their names: the name that
// it is run by, and the path of its file. Returns how many.
typedef void scenario_see(void *arg, const char *name, const char *path);
unsigned scenario_each(scenario_see *see, void *arg);

// Finds a scenario by path, or, if there is no such file, by a name that `quench run --list`
// prints. Then it writes the path to `room`.
const char *scenario_find(const char *path, char *room, size_t size);

// The file name for a word that names a scenario. `-` becomes a text for standard input, which is
// known by its address; any other word stays.
const char *scenario_name(const char *word);

// Keeps a text as the scenario of this process, which messages call `where`; both last to its end.
// Returns the word by which scenario_load() finds it.
const char *scenario_text(const char *where, char *text, size_t size);

// Loads a scenario that scenario_name() gave, by path, by name, or from standard input, which is
// read once, however often it is loaded. Checks that the figures in its criteria exist. Errors as
// in compile_scene(); if a file is missing, the line has the nearest name.
int scenario_load(
	struct scene **scene, const char *name, const struct scene_opts *opts, struct err *err);
