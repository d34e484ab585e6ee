// SPDX-License-Identifier: BSD-3-Clause
// Messages to the user, on stderr.
#include "tell.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
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

__attribute__((format(printf, 1, 0))) static void say(const char *fmt, va_list ap, bool coloured)
{
	char *line, *text;
	int n;

	term_flush();
	n = vasprintf(&line, fmt, ap);
	if (n < 0) {
		fputs("out of memory\n", stderr);
		return;
	}
	text = isatty(STDERR_FILENO) ? folded(line, (size_t)n) : NULL;
	if (coloured && term_colours(STDERR_FILENO)) {
		look_put_message(text ? text : line, strlen(text ? text : line), stderr);
		putc('\n', stderr);
	} else {
		fprintf(stderr, "%s\n", text ? text : line);
	}
	free(text);
	free(line);
}

void tell(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap, true);
	va_end(ap);
}

int tell_input(const char *title, const char *why)
{
	tell("%s: %s", title, why);
	return EXIT_INPUT;
}

void tell_calmly(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap, false);
	va_end(ap);
}

void tell_renamed(const char *option, const char *path)
{
	char buf[SUMMARY_PATH];

	if (summary_path_now(path, buf, sizeof(buf)))
		tell("warning: %sthe figure '%s' is called '%s' now", option, path, buf);
}
