// SPDX-License-Identifier: BSD-3-Clause
// The classes of a flow list and the last start in it. The loader of the scenario tells which lines
// are wrong.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define BLANKS " \t\r\n"

static void see_line(struct hpcc *h, char *line)
{
	char *rest = NULL, *word = strtok_r(line, BLANKS, &rest), *last = NULL, start[64];
	uint64_t n;

	for (unsigned i = 0; word; i++, word = strtok_r(NULL, BLANKS, &rest)) {
		if (i == 2 && !units_parse(UNITS_COUNT, word, &n) && n < PKT_CLASSES)
			h->classes |= 1u << n;
		last = word;
	}
	if (last && snprintf(start, sizeof(start), "%ss", last) < (int)sizeof(start) &&
		!units_parse(UNITS_TIME, start, &n) && n > h->last_start)
		h->last_start = n;
}

int hpcc_flows(struct hpcc *h)
{
	const char *path = h->files.flow;
	char *line = NULL;
	size_t room = 0;
	int rc = 0;
	FILE *f;

	if (infile_check(path, h->err))
		return -EINVAL;
	f = fopen(path, "r");
	if (!f)
		return err_set(h->err, -errno, "%s: %s", path, strerror(errno));
	for (unsigned i = 0; !rc && getline(&line, &room, f) >= 0;) {
		if (line[strspn(line, BLANKS)] == '#')
			continue;
		if (i++) // the first is their number
			see_line(h, line);
		else if (strchr(line, ','))
			rc = err_set(h->err, -EINVAL,
				"%s: CSV, and --flow takes a list of the simulator; a scenario "
				"takes CSV by flows_from",
				path);
	}
	free(line);
	fclose(f);
	if (rc)
		return rc;
	if (!h->classes)
		h->classes = 1u << 3;
	return 0;
}
