// SPDX-License-Identifier: BSD-3-Clause
// Lines that differ in names and numbers only are of one kind, and only the first of them is said.
#pragma once

#include <stddef.h>

struct alike_kind {
	const char *kind; // the caller's
	unsigned first;   // number of its first line
	unsigned n;       // lines
};

// Zeroed, it has no lines.
struct alike {
	struct alike_kind *kind; // in the order of their first lines
	unsigned n, room;
};

// Adds a line, by the caller's number for it. -ENOMEM.
int alike_add(struct alike *a, const char *kind, unsigned line);
void alike_free(struct alike *a);

// The first line of a kind with the number of the others: "s1 is odd (and 3 more like it)". Returns
// buf.
char *alike_text(const struct alike_kind *k, const char *first, char *buf, size_t size);

// The kind of all texts that printf makes by `fmt`: "*" stands for each value. Returns buf.
char *alike_pattern(const char *fmt, char *buf, size_t size);
