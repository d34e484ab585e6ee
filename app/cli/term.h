// SPDX-License-Identifier: BSD-3-Clause
// Standard output on a terminal: it is folded to the terminal's width, and verdicts have colours. A
// pipe gets neither.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// From this call on stdout is folded (out/fold.h), a paragraph at a time, to COLUMNS, else to the
// terminal's width, or to 80 columns if that is not known.
void term_begin(void);

// Whether stdout is folded.
bool term_folds(void);

// From here on output is written unchanged, because a program may read it.
void term_plain(void);

// Every line is written as it comes, and broken by itself: for output without an end.
void term_lines(void);

// Writes what is held back, as before a message on stderr. False: that failed, and errno says why.
bool term_flush(void);

// Columns of the terminal that a descriptor is; 80 where that is not known.
unsigned term_columns(int fd);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// Whether what is written to a descriptor may have colours: it is a terminal that has them (TERM is
// not dumb), and the user has not set NO_COLOR.
bool term_colours(int fd);

// Whether stdout is a terminal whose cursor can be moved: its TERM is known, and not dumb.
bool term_paints(void);

// Writes a text as stdout shows it, folded and with its colours.
void term_put(const char *text, size_t n, FILE *f);

#pragma GCC visibility pop
