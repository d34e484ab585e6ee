// SPDX-License-Identifier: BSD-3-Clause
// The meanings of all figures, from the rows of the kinds.
#pragma once

#include <stdbool.h>
#include <stdio.h>

// Prints the kinds for a word of paths, `width` columns wide; false: no kind has this word.
bool summary_page_of(FILE *f, const char *word, unsigned width);
// The words of paths, with a title each.
void summary_kinds(FILE *f);
// All kinds as Markdown.
void summary_page(FILE *f);
