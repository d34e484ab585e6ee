// SPDX-License-Identifier: BSD-3-Clause
// A terminal's screen that shows one text in the place of another, and is given back at the end.
#include "paint.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "stop.h"
#include "term.h"

#define ROWS_USUAL 24

// xterm's alternate screen, without a cursor.
#define TAKE     "\033[?1049h\033[?25l"
#define GIVE     "\033[?25h\033[?1049l"
#define HOME     "\033[H"
#define LINE_END "\033[K\r\n"
#define BLANK    "\033[K\033[J" // the rest of the line, and all lines below it

static volatile sig_atomic_t taken;

static void put_terminal(const char *text, size_t n)
{
	while (n) {
		ssize_t done = write(STDOUT_FILENO, text, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return;
		text += done;
		n -= (size_t)done;
	}
}

static void give_terminal(void *arg)
{
	(void)arg;
	if (taken)
		put_terminal(GIVE, strlen(GIVE));
}

// SIGTSTP: gives the terminal to the shell as it was before the first paint().
static void on_pause(int sig)
{
	(void)sig;
	give_terminal(NULL);
	raise(SIGSTOP);
	if (taken)
		put_terminal(TAKE, strlen(TAKE));
}

static void take_terminal(void)
{
	if (taken)
		return;
	term_flush();
	stop_last(give_terminal, NULL);
	sigaction(SIGTSTP, &(struct sigaction){.sa_handler = on_pause}, NULL);
	taken = 1;
	put_terminal(TAKE, strlen(TAKE));
}

static unsigned rows(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row)
		return size.ws_row;
	return ROWS_USUAL;
}

static unsigned count_lines(const char *text, size_t n)
{
	unsigned lines = 0;

	for (size_t i = 0; i < n; i++)
		lines += text[i] == '\n';
	return lines;
}

// Each line clears what is left of the line before, so that nothing flickers.
static void frame(const char *text, size_t n, FILE *f)
{
	unsigned room = rows(), lines, shown;

	while (n && text[n - 1] == '\n')
		n--;
	lines = count_lines(text, n) + 1;
	shown = lines > room ? room - 1 : lines;
	fputs(HOME, f);
	for (unsigned i = 0; i < shown; i++) {
		const char *end = memchr(text, '\n', n);
		size_t length = end ? (size_t)(end - text) : n;

		fprintf(f, "%s%.*s", i ? LINE_END : "", (int)length, text);
		length += end != NULL;
		text += length;
		n -= length;
	}
	if (shown < lines)
		fprintf(f, "%s... and %u more lines", shown ? LINE_END : "", lines - shown);
	fputs(BLANK, f);
}

bool paint(const char *text, size_t n)
{
	char *folded = NULL, *framed = NULL;
	size_t folded_size, framed_size;
	FILE *f = term_paints() ? open_memstream(&folded, &folded_size) : NULL, *g;

	if (!f)
		return false;
	term_put(text, n, f);
	fclose(f);
	g = folded ? open_memstream(&framed, &framed_size) : NULL;
	if (g) {
		frame(folded, folded_size, g);
		fclose(g);
		take_terminal();
		put_terminal(framed, framed_size);
	}
	free(folded);
	free(framed);
	return g != NULL;
}

void paint_end(void)
{
	give_terminal(NULL);
	taken = 0;
	stop_last(NULL, NULL);
	signal(SIGTSTP, SIG_DFL);
}
