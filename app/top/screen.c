// SPDX-License-Identifier: BSD-3-Clause
// The terminal, by ncursesw.
#define NCURSES_WIDECHAR 1
#include "screen.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "cli/cli.h"
#include "view.h"

static struct {
	FILE *to;
	SCREEN *screen;
	bool colours, utf8;
	struct termios was;
	char give[256]; // gives the terminal back, for a handler of signals
} term;

static volatile sig_atomic_t stopped, goes_on;

static void on_stop(int sig)
{
	(void)sig;
	stopped = 1;
}

static void on_continue(int sig)
{
	(void)sig;
	goes_on = 1;
}

// A second signal ends the process at once. Only calls that a handler may make.
static void give_terminal(void *arg)
{
	const char *at = term.give;
	size_t n = strlen(at);

	(void)arg;
	while (n) {
		ssize_t done = write(STDOUT_FILENO, at, n);

		if (done <= 0)
			break;
		at += done;
		n -= (size_t)done;
	}
	tcsetattr(STDIN_FILENO, TCSANOW, &term.was);
}

// What curses sends at its end, without the delays that some terminals want.
static void learn_end(void)
{
	static const char *const names[] = {"sgr0", "op", "cnorm", "rmkx", "rmcup"};
	size_t n = 0;

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *text = tigetstr(names[i]);

		if (!text || text == (char *)-1 || strstr(text, "$<") ||
			n + strlen(text) >= sizeof(term.give))
			continue;
		strcpy(term.give + n, text);
		n += strlen(text);
	}
}

static void take_colours(void)
{
	static const short colour[LOOKS] = {[LOOK_GOOD] = COLOR_GREEN,
		[LOOK_WARN] = COLOR_YELLOW,
		[LOOK_BAD] = COLOR_RED,
		[LOOK_BAR] = COLOR_GREEN,
		[LOOK_MARK] = COLOR_YELLOW};
	const char *no = getenv("NO_COLOR");

	term.colours = has_colors() && !(no && *no);
	if (!term.colours)
		return;
	start_color();
	use_default_colors();
	for (short i = 0; i < LOOKS; i++)
		if (colour[i])
			init_pair((short)(i + 1), colour[i], -1);
	init_pair(LOOK_HEAD + 1, COLOR_BLACK, COLOR_CYAN);
}

static attr_t attribute(unsigned look)
{
	static const attr_t plain[LOOKS] = {[LOOK_STRONG] = A_BOLD,
		[LOOK_CALM] = A_DIM,
		[LOOK_GOOD] = A_BOLD,
		[LOOK_WARN] = A_BOLD,
		[LOOK_BAD] = A_BOLD,
		[LOOK_MARK] = A_BOLD,
		[LOOK_HEAD] = A_REVERSE};
	unsigned kind = look & ~LOOK_REVERSED;
	attr_t a = plain[kind];

	if (term.colours && kind == LOOK_HEAD)
		a = 0;
	return look & LOOK_REVERSED ? a ^ A_REVERSE : a;
}

static short pair_of(unsigned look)
{
	unsigned kind = look & ~LOOK_REVERSED;

	return term.colours && kind >= LOOK_GOOD ? (short)(kind + 1) : 0;
}

static int open_screen(struct err *err)
{
	const char *kind = getenv("TERM");

	if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
		return err_set(err, -ENOTTY,
			"it wants a terminal; `quench stats --watch 1s` writes into a pipe");
	setlocale(LC_CTYPE, "");
	term.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	tcgetattr(STDIN_FILENO, &term.was);
	term.to = fdopen(dup(STDOUT_FILENO), "w");
	if (kind && strcmp(kind, "dumb") != 0 && term.to)
		term.screen = newterm(kind, term.to, stdin);
	if (!term.screen)
		return err_set(err, -ENOTTY,
			"the terminal '%.40s' cannot do this; `quench stats --watch 1s` can do "
			"with any",
			kind ? kind : "");
	return 0;
}

int top_screen_begin(struct err *err)
{
	int rc = open_screen(err);

	if (rc) {
		if (term.to)
			fclose(term.to);
		return rc;
	}
	learn_end();
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	take_colours();
	sigaction(SIGTSTP, &(struct sigaction){.sa_handler = on_stop}, NULL);
	sigaction(SIGCONT, &(struct sigaction){.sa_handler = on_continue}, NULL);
	stop_last(give_terminal, NULL);
	return 0;
}

void top_screen_end(void)
{
	endwin();
	stop_last(NULL, NULL);
	signal(SIGTSTP, SIG_DFL);
	signal(SIGCONT, SIG_DFL);
	delscreen(term.screen);
	fclose(term.to);
}

void top_screen_size(unsigned *rows, unsigned *columns, bool *utf8)
{
	*rows = (unsigned)getmaxy(stdscr);
	*columns = (unsigned)getmaxx(stdscr);
	*utf8 = term.utf8;
}

void top_screen_show(const struct top_canvas *c)
{
	for (unsigned y = 0; y < c->rows; y++) {
		move((int)y, 0);
		for (unsigned x = 0; x < c->columns; x++) {
			const struct top_cell *cell = &c->cell[(size_t)y * c->columns + x];

			attr_set(attribute(cell->look), pair_of(cell->look), NULL);
			addstr(*cell->text ? cell->text : " ");
		}
	}
	attr_set(A_NORMAL, 0, NULL);
	curs_set(c->cursor_y >= 0);
	if (c->cursor_y >= 0)
		move(c->cursor_y, c->cursor_x);
	refresh();
}

static int special(int key)
{
	switch (key) {
	case KEY_UP:
		return TOP_KEY_UP;
	case KEY_DOWN:
		return TOP_KEY_DOWN;
	case KEY_LEFT:
		return TOP_KEY_LEFT;
	case KEY_RIGHT:
		return TOP_KEY_RIGHT;
	case KEY_PPAGE:
		return TOP_KEY_PAGE_UP;
	case KEY_NPAGE:
		return TOP_KEY_PAGE_DOWN;
	case KEY_HOME:
		return TOP_KEY_HOME;
	case KEY_END:
		return TOP_KEY_END;
	case KEY_DC:
		return TOP_KEY_DELETE;
	case KEY_BTAB:
		return TOP_KEY_BACK_TAB;
	case KEY_F(1):
		return TOP_KEY_HELP;
	case KEY_F(4):
		return TOP_KEY_FILTER;
	case KEY_F(6):
		return TOP_KEY_SORT;
	case KEY_F(10):
		return TOP_KEY_QUIT;
	case KEY_RESIZE:
		return SCREEN_RESIZED;
	default:
		return SCREEN_NO_KEY;
	}
}

int top_screen_key(void)
{
	int key = getch();

	switch (key) {
	case ERR:
		return SCREEN_NO_KEY;
	case '\r':
	case '\n':
	case KEY_ENTER:
		return TOP_KEY_ENTER;
	case '\t':
		return TOP_KEY_TAB;
	case 27:
		return TOP_KEY_ESCAPE;
	case 127:
	case '\b':
	case KEY_BACKSPACE:
		return TOP_KEY_BACKSPACE;
	default:
		return key < 256 ? key : special(key);
	}
}

bool top_screen_pause(void)
{
	bool anew = goes_on || stopped;

	if (stopped) {
		stopped = 0;
		endwin();
		raise(SIGSTOP);
	}
	goes_on = 0;
	if (anew) {
		reset_prog_mode();
		clearok(stdscr, TRUE);
		refresh();
	}
	return anew;
}
