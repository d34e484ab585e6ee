// SPDX-License-Identifier: BSD-3-Clause
// Text that is wider than a terminal, made to fit: tables get narrow columns, then several parts;
// lines are broken.
#pragma once

#include <stddef.h>
#include <stdio.h>

#define FOLD_LEAST 40 // columns: what is narrower is not folded to fit

// Writes `n` bytes of text, which end with a line feed, in lines of at most `columns`. A text that
// fits stays as it is.
//
// A table is a row of lines whose columns are separated by two blanks at least in all of them. If
// it does not fit, its columns become as narrow as their contents. If that is not enough, words of
// its last column are broken into lines; a table with a heading is instead shown as several tables,
// each with the first column.
//
// Any other line is broken at blanks; what follows stands below the text behind its label, or a
// little to the right.
void fold_text(const char *text, size_t n, unsigned columns, FILE *f);
