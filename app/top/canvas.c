// SPDX-License-Identifier: BSD-3-Clause
// A screen in memory: cells with a character and a look each.
#include "canvas.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int top_canvas_clear(struct top_canvas *c, unsigned rows, unsigned columns)
{
	struct top_cell *cell = calloc((size_t)rows * columns + 1, sizeof(*cell));

	if (!cell)
		return -ENOMEM;
	free(c->cell);
	c->cell = cell;
	c->rows = rows;
	c->columns = columns;
	c->cursor_y = c->cursor_x = -1;
	return 0;
}

void top_canvas_free(struct top_canvas *c)
{
	free(c->cell);
	*c = (struct top_canvas){0};
}

// Bytes of the character at `text`. Bytes that are no UTF-8 are characters by themselves.
static unsigned length_of(const char *text)
{
	unsigned char first = (unsigned char)*text;
	unsigned n = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;

	for (unsigned i = 1; i < n; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return 1;
	return n;
}

static unsigned characters(const char *text)
{
	unsigned n = 0;

	for (; *text; text += length_of(text))
		n++;
	return n;
}

static void set_cell(
	struct top_canvas *c, unsigned y, unsigned x, const char *text, unsigned n, unsigned look)
{
	struct top_cell *cell;

	if (y >= c->rows || x >= c->columns)
		return;
	cell = &c->cell[(size_t)y * c->columns + x];
	if (n > 1 && !c->utf8)
		text = "?", n = 1;
	memcpy(cell->text, text, n);
	cell->text[n] = '\0';
	cell->look = (unsigned char)look;
}

static unsigned put_text(struct top_canvas *c, unsigned y, unsigned x, unsigned width,
	unsigned look, const char *text)
{
	for (; *text && width; width--, x++) {
		unsigned n = length_of(text);

		set_cell(c, y, x, text, n, look);
		text += n;
	}
	return x;
}

unsigned top_canvas_put(struct top_canvas *c, unsigned y, unsigned x, unsigned width, unsigned look,
	const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return put_text(c, y, x, width, look, text);
}

void top_canvas_right(struct top_canvas *c, unsigned y, unsigned x, unsigned width, unsigned look,
	const char *fmt, ...)
{
	char text[256];
	unsigned n;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	n = characters(text);
	n = n < width ? n : width;
	put_text(c, y, x + width - n, n, look, text);
}

void top_canvas_reverse(struct top_canvas *c, unsigned y, unsigned x, unsigned width)
{
	for (; width && y < c->rows && x < c->columns; width--, x++) {
		struct top_cell *cell = &c->cell[(size_t)y * c->columns + x];

		if ((cell->look & ~LOOK_REVERSED) != LOOK_BAR &&
			(cell->look & ~LOOK_REVERSED) != LOOK_MARK)
			cell->look |= LOOK_REVERSED;
	}
}

// The character of a cell of which so many eighths are full.
static const char *block(const struct top_canvas *c, unsigned eighths)
{
	static const char blocks[][4] = {" ", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b",
		"\u258a", "\u2589", "\u2588"};

	if (c->utf8)
		return blocks[eighths];
	return eighths >= 4 ? "|" : " ";
}

void top_canvas_bar(struct top_canvas *c, unsigned y, unsigned x, unsigned width, double value,
	double most, const double *marks, const char *signs)
{
	double share = most > 0 && value > 0 ? fmin(value / most, 1) : 0;
	unsigned eighths = (unsigned)(share * width * 8 + 0.5);

	if (!eighths && value > 0)
		eighths = c->utf8 ? 1 : 4; // something is there
	for (unsigned i = 0; i < width; i++) {
		unsigned full = eighths > 8 * i ? eighths - 8 * i : 0;
		const char *text = block(c, full < 8 ? full : 8);

		set_cell(c, y, x + i, text, (unsigned)strlen(text), LOOK_BAR);
	}
	for (unsigned i = 0; signs && signs[i]; i++) {
		double at = most > 0 ? marks[i] / most * width : NAN;
		unsigned cell = (unsigned)fmin(fmax(at, 0), width - 1.0);

		if (isnan(marks[i]) || isnan(at))
			continue;
		set_cell(c, y, x + cell, &signs[i], 1,
			LOOK_MARK | (eighths > 8 * cell + 4 ? LOOK_REVERSED : 0));
	}
}
