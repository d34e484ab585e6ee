// SPDX-License-Identifier: BSD-3-Clause
// Messages to the user, on stderr.
#include "tell.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "look.h"
#include "out/out.h"
#include "summary/summary.h"
#include "term.h"

// The line as the terminal shows it. Freed by the caller; NULL: no memory.
static char *folded(const char *line, size_t n)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	fold_text(line, n, term_columns(STDERR_FILENO), f);
	fclose(f);
	return text;
}

void tell(const char *fmt, ...)
{
	char *line, *text;
	va_list ap;
	int n;

	term_flush();
	va_start(ap, fmt);
	n = vasprintf(&line, fmt, ap);
	va_end(ap);
	if (n < 0) {
		fputs("out of memory\n", stderr);
		return;
	}
	text = isatty(STDERR_FILENO) ? folded(line, (size_t)n) : NULL;
	if (term_colours(STDERR_FILENO)) {
		look_put_message(text ? text : line, strlen(text ? text : line), stderr);
		putc('\n', stderr);
	} else {
		fprintf(stderr, "%s\n", text ? text : line);
	}
	free(text);
	free(line);
}

void tell_renamed(const char *option, const char *path)
{
	char buf[SUMMARY_PATH];

	if (summary_path_now(path, buf, sizeof(buf)))
		tell("warning: %sthe figure '%s' is called '%s' now", option, path, buf);
}
