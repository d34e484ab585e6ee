// SPDX-License-Identifier: BSD-3-Clause
// The last steps of a scene, and what they share.
#pragma once

#include "compile.h"
#include "draft/draft.h"
#include "hardware/hardware.h"
#include "traffic/traffic.h"

struct text;

#pragma GCC visibility push(hidden)

// Steps, in this order.
int compile_events(struct draft *b);
int compile_expects(struct draft *b);
int compile_record(struct draft *b); // once all flows are there
int compile_bounds(struct draft *b);
int compile_warnings(struct draft *b); // once all of it is compiled
int compile_resolve_text(struct draft *b);
int compile_digests(struct draft *b); // behind compile_resolve_text

// Parts of the warnings: circles of switches (-ENOMEM); options that the clock ignores.
int compile_warn_loops(struct draft *b);
void compile_warn_clock(struct draft *b);

// What the options of a section say; those from SCENE_SECTION_ADDRESSES on have none.
void compile_section_put(struct text *t, struct draft *b, enum scene_section section);

#pragma GCC visibility pop
