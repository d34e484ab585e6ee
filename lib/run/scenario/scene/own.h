// SPDX-License-Identifier: BSD-3-Clause
// The memory that a scene owns; only rooms that make a scene include this.
#pragma once

#include <stdarg.h>

#include "cap/cap.h"
#include "conf/conf.h"
#include "goal/goal.h"

struct scene;

// Captures that it replays, given back with it.
struct scene_capture {
	struct scene_capture *next;
	struct cap_scan scan;
	struct cap_split *split; // NULL: none, or another one has it
};

// Graphs of its jobs, given back with it.
struct scene_graph {
	struct scene_graph *next;
	struct goal goal;
};

// An empty one, for scene_free; NULL: no memory.
struct scene *scene_new(void);
// The arena that has all memory of the scene.
struct arena *scene_arena(struct scene *s);
void scene_keep(struct scene *s, struct scene_capture *captures);
void scene_keep_graph(struct scene *s, struct scene_graph *graph);
// Adds a warning about a line of the file; 0: about no line. `kind` NULL: the kind is the pattern
// of `fmt`, or the text itself if that is "%s".
void scene_vwarn(struct scene *s, uint32_t line, const char *kind, const char *fmt, va_list ap);
