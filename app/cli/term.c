// SPDX-License-Identifier: BSD-3-Clause
// Standard output where it is a terminal: held back to the end of a paragraph, then folded and
// coloured.
#include "term.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "look.h"
#include "out/out.h"

#define USUAL 80 // columns

// The state of this process's stdout.
static struct {
	FILE *to; // the terminal; NULL: stdout is none
	enum { PARAGRAPHS, LINES, PLAIN } mode;
	char *text; // held back
	size_t n, cap;
} term;

unsigned term_columns(int fd)
{
	const char *named = getenv("COLUMNS");
	unsigned long n = named ? strtoul(named, NULL, 10) : 0;
	struct winsize size;

	if (n >= FOLD_LEAST && n <= 10000)
		return (unsigned)n;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	return USUAL;
}

// Whether a descriptor is a terminal that does more than write lines.
static bool is_screen(int fd)
{
	const char *kind = getenv("TERM");

	return isatty(fd) && kind && strcmp(kind, "dumb") != 0;
}

bool term_colours(int fd)
{
	const char *no = getenv("NO_COLOR");

	return is_screen(fd) && !(no && *no);
}

bool term_paints(void)
{
	return is_screen(STDOUT_FILENO);
}

void term_put(const char *text, size_t n, FILE *f)
{
	char *folded = NULL;
	size_t size;
	FILE *to = term_colours(STDOUT_FILENO) ? open_memstream(&folded, &size) : NULL;

	fold_text(text, n, term_columns(STDOUT_FILENO), to ? to : f);
	if (to && fclose(to) == 0)
		look_put(folded, size, f);
	free(folded);
}

static void put_folded(const char *text, size_t n)
{
	if (term.mode == PLAIN)
		fwrite(text, 1, n, term.to);
	else
		term_put(text, n, term.to);
}

// Up to where nothing can change any more how it is folded.
static size_t whole(void)
{
	for (size_t i = term.n; i > 0; i--)
		if (term.text[i - 1] == '\n' &&
			(term.mode != PARAGRAPHS || i == 1 || term.text[i - 2] == '\n'))
			return i;
	return 0;
}

static bool keep(const char *data, size_t n)
{
	size_t cap = term.n + n > term.cap ? 2 * (term.n + n) : term.cap;
	char *more = cap > term.cap ? realloc(term.text, cap) : term.text;

	if (!more)
		return false;
	term.text = more;
	term.cap = cap;
	memcpy(term.text + term.n, data, n);
	term.n += n;
	return true;
}

// Writes for fopencookie(): returns n, or 0 on an error.
static ssize_t take_text(void *cookie, const char *data, size_t n)
{
	size_t done;

	(void)cookie;
	if (!keep(data, n)) {
		errno = ENOMEM;
		return 0;
	}
	done = whole();
	if (!done)
		return (ssize_t)n;
	put_folded(term.text, done);
	memmove(term.text, term.text + done, term.n - done);
	term.n -= done;
	return fflush(term.to) == 0 ? (ssize_t)n : 0;
}

void term_begin(void)
{
	const cookie_io_functions_t folded = {.write = take_text};
	FILE *f = isatty(STDOUT_FILENO) ? fopencookie(NULL, "w", folded) : NULL;

	if (!f)
		return;
	setvbuf(f, NULL, _IOLBF, 0);
	term.to = stdout;
	stdout = f;
}

bool term_folds(void)
{
	return term.to != NULL;
}

bool term_flush(void)
{
	if (fflush(stdout) != 0)
		return false;
	if (!term.to || !term.n)
		return true;
	put_folded(term.text, term.n);
	term.n = 0;
	return fflush(term.to) == 0;
}

void term_plain(void)
{
	term_flush();
	term.mode = PLAIN;
}

void term_lines(void)
{
	term_flush();
	term.mode = LINES;
}
