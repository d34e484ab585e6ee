// SPDX-License-Identifier: BSD-3-Clause
// The small files of a run's folder: a header of column names and rows of text.
#pragma once

struct saved;

struct saved_table {
	unsigned rows, columns;
	const char *const *name; // of columns
	const char *const *cell; // row by row
};

// "marking.csv", or "fct.txt", whose columns are named by docs/formats.md. NULL: it is not there or
// not whole; saved_missing() says so if it should be. It stays until the folder is closed.
const struct saved_table *saved_table(struct saved *s, const char *file);
// The column with a name; -1: none has it.
int saved_column(const struct saved_table *t, const char *name);
