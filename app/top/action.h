// SPDX-License-Identifier: BSD-3-Clause
// Actions that are offered for a row, and the commands that do them.
#pragma once

#include "model.h"

#define TOP_ACTIONS 4

struct top_action {
	const char *label; // "take the link down"
	const char *verb;  // "do" or "set", as in `quench do`
	char text[256];    // what stands behind it
};

#pragma GCC visibility push(hidden)

// The actions for a row; returns how many.
unsigned top_actions(
	struct top_action list[static TOP_ACTIONS], enum top_section s, const struct top_row *row);

// The command as it would be typed: "quench do 'link_down: s1:h1'". Returns buf.
const char *top_action_typed(char *buf, size_t size, const char *verb, const char *text);

#pragma GCC visibility pop
