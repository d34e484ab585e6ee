// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: any bytes are a file of events or one line of error. Events that can be read give
// lines with as many columns as the file has, and no more events than the file says.
#include <string.h>

#include "evf/evf.h"
#include "fuzz.h"
#include "in_memory.h"

static void read_events(struct evf_in *in)
{
	const struct evf_names *n = evf_names(in);
	const struct evf_pick all = evf_pick_all();
	struct evf_lines lines;
	const struct ev *e;
	uint64_t number, events = 0;
	struct err err;
	int got;

	evf_lines_init(&lines, n);
	while ((got = evf_next(in, &all, &e, &number, &err))) {
		char line[EVF_LINE], *end;
		unsigned commas = 0;

		if (got < 0) {
			fuzz_check(!strchr(err.text, '\n'));
			continue;
		}
		end = evf_line(line, &lines, e, number);
		fuzz_check(end > line && end <= line + sizeof(line) && end[-1] == '\n');
		for (const char *p = line; p < end; p++)
			commas += *p == ',';
		fuzz_check(commas == n->n_columns - 2);
		events++;
	}
	fuzz_check(events <= evf_events(in));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct in_memory f;
	struct evf_in *in;
	struct err err;

	in_memory_open(&f, data, size);
	if (evf_open(&in, f.path, &err)) {
		fuzz_check(!strncmp(err.text, f.path, strlen(f.path)));
	} else {
		read_events(in);
		evf_close_in(in);
	}
	in_memory_close(&f);
	return 0;
}
