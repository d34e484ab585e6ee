// SPDX-License-Identifier: BSD-3-Clause
// One output file: a large buffer before write(2), and the first error kept until somebody asks.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "conf/conf.h"
#include "base/fmt.h"

#define OUT_INCOMPLETE "%s: incomplete: %s" // path, strerror

struct out {
	char *buf;
	size_t n, cap;
	char *path;
	int fd; // -1: nothing is written, or to `file`
	FILE *file;
	int error; // errno of the first write that failed; what follows it is lost
};

// Creates or truncates the file. -errno and a line with the path.
int out_open(struct out *o, const char *path, struct err *err);

// Takes over a descriptor that open or dup has just given, -1 and errno where that failed: it is
// closed with the rest, or at once on error. `name` is for messages.
int out_adopt(struct out *o, int fd, const char *name, struct err *err);

// Writes to a stream that stays open; its own buffer is flushed too. The other calls are the same.
int out_stream(struct out *o, FILE *file, const char *name, struct err *err);

// Writes what is buffered and closes. -errno of the first failure, with a line that names the file
// and says that it is incomplete; the file is closed in any case. Closing twice does nothing.
int out_close(struct out *o, struct err *err);

void out_flush(struct out *o);
// The same as out_put where the buffer has no room.
void out_spill(struct out *o, const void *bytes, size_t n);

static inline void out_put(struct out *o, const void *bytes, size_t n)
{
	if (n > o->cap - o->n) {
		out_spill(o, bytes, n);
		return;
	}
	memcpy(o->buf + o->n, bytes, n);
	o->n += n;
}

__attribute__((format(printf, 2, 3))) void out_printf(struct out *o, const char *fmt, ...);

// A text within an element of HTML or SVG.
void out_markup(struct out *o, const char *text);

// A field of CSV (RFC 4180), in quotes where it needs them.
void out_field(struct out *o, const char *text);

static inline void out_str(struct out *o, const char *s)
{
	out_put(o, s, strlen(s));
}

// Returns a pointer to room for at least `need` bytes (up to 64 KiB). Give it back with out_upto():
// one check for a whole line.
static inline char *out_room(struct out *o, size_t need)
{
	if (o->cap - o->n < need)
		out_flush(o);
	return o->buf + o->n;
}

static inline void out_upto(struct out *o, const char *end)
{
	o->n = (size_t)(end - o->buf);
}

#include "chart.h"
#include "fold.h"
#include "folder.h"
#include "hdr.h"
#include "junit.h"
#include "jw.h"
#include "jwdoc.h"
#include "printable.h"
