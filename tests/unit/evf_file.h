// SPDX-License-Identifier: BSD-3-Clause
// Files of events in a folder of their own, with random events: for tests of what writes and reads
// them.
#pragma once

#include "evf_lab.h"

#include <errno.h>

#include "evf/format.h"
#include "evf/line.h"
#include "evf/read.h"

#define SEED 20

static struct evf_lab lab;
static char dir[64], path[96];

static inline int file_open(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/quench-evf-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/events.bin", dir);
	evf_lab_open(&lab);
	return 0;
}

static inline int file_close(void **state)
{
	(void)state;
	evf_lab_close(&lab);
	unlink(path);
	return rmdir(dir);
}

// The bytes of the file; freed by the caller.
static inline uint8_t *file_bytes(size_t *n)
{
	FILE *f = fopen(path, "rb");
	uint8_t *bytes;

	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	*n = (size_t)ftell(f);
	rewind(f);
	bytes = malloc(*n + 1);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *n, f), *n);
	fclose(f);
	return bytes;
}

static inline void file_put(const uint8_t *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

static inline struct evf_writer *file_create(enum evf_compress compress, bool thread)
{
	const struct evf_opts opts = {.compress = compress, .thread = thread};
	struct evf_writer *w;
	struct err err;

	if (evf_create(&w, path, lab.names, &opts, &err))
		fail_msg("%s", err.text);
	return w;
}

// Writes n random events, a us apart, each with its place as its number.
static inline void file_write(enum evf_compress compress, bool thread, unsigned n)
{
	struct evf_writer *w = file_create(compress, thread);
	struct prng g;
	struct err err;

	prng_init(&g, SEED, "evf_file");
	for (unsigned i = 0; i < n; i++) {
		struct ev e = evf_lab_event(&g, i * PS_PER_US);

		evf_put(w, &e, i);
	}
	if (evf_close(w, &err))
		fail_msg("%s", err.text);
}

static inline struct evf_in *file_read(void)
{
	struct evf_in *in;
	struct err err;

	if (evf_open(&in, path, &err))
		fail_msg("%s", err.text);
	return in;
}

// Reads all that can be read: how many events there were, and the first line of error.
static inline unsigned file_drain(struct evf_in *in, struct err *first)
{
	const struct evf_pick all = evf_pick_all();
	const struct ev *e;
	uint64_t number;
	unsigned n = 0;
	struct evf_lines lines;
	struct err err;
	int got;

	evf_lines_init(&lines, evf_names(in));
	*first->text = '\0';
	while ((got = evf_next(in, &all, &e, &number, &err))) {
		char line[EVF_LINE];

		if (got < 0 && !*first->text)
			*first = err;
		if (got > 0) {
			evf_line(line, &lines, e, number);
			n++;
		}
	}
	return n;
}
