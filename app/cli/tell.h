// SPDX-License-Identifier: BSD-3-Clause
// Messages to the user, on stderr.
#pragma once

// A line (or several, with line feeds between) without its last line feed; it is folded and
// coloured on a terminal. What stdout has held back is written before it.
__attribute__((format(printf, 1, 2))) void tell(const char *fmt, ...);

// Tells "TITLE: why" of input that is wrong. Returns EXIT_INPUT.
int tell_input(const char *title, const char *why);

// Like tell(), for a message that is no complaint: it has no colours.
__attribute__((format(printf, 1, 2))) void tell_calmly(const char *fmt, ...);

// Warns of a path on the command line that has an older name of a figure; `option` goes
// before it, "--column: ".
void tell_renamed(const char *option, const char *path);
