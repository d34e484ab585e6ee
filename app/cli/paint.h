// SPDX-License-Identifier: BSD-3-Clause
// A terminal's screen that shows one text in the place of another, and is given back at the end.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Shows a text from the screen's first line on, folded and coloured as stdout is. Lines for which
// the screen has no room are left out, and its last line says how many. False: stdout is no
// terminal that can do this, and nothing is shown.
bool paint(const char *text, size_t n);

// Restores the screen as it was before the first paint(). A second signal, which ends the process
// at once, and SIGTSTP do so, too. Does nothing if nothing was painted.
void paint_end(void);
