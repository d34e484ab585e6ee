// SPDX-License-Identifier: BSD-3-Clause
// Shared by the files of this room.
#pragma once

#include "out/out.h"
#include "paper.h"

#pragma GCC visibility push(hidden)

// The ends of an axis, and whether it is logarithmic.
struct paper_range {
	double from, to;
	bool log;
};

// range.c: of the values of all series and lines along x or y.
struct paper_range paper_range_of(const struct paper *p, bool vertical);

// word.c: a text that is shown unchanged. Freed by the caller; NULL: no memory. If it has more
// characters than `most`, "..." replaces its middle.
char *paper_plain(const char *text, unsigned most);
// How many characters of UTF-8 a text has.
unsigned paper_width(const char *text);
// The text as a string of gnuplot's, in quotes. If `lines` is set, each '\n' ends a line.
void paper_quote(struct out *o, const char *text, unsigned most, bool lines);

// script.c: STEM.gp.
void paper_script(const struct paper *p, struct out *o);

// draw.c: runs gnuplot in `dir`.
int paper_draw(const char *dir, const char *stem, unsigned formats, struct err *err);

// The columns that a style of figure has in STEM.dat, in this order.
struct paper_form {
	const char *what; // for the comment
	bool x, y, limits;
	bool spans; // its limits are of x
	bool sides; // it has limits of x, too
};
extern const struct paper_form paper_forms[];

#pragma GCC visibility pop
