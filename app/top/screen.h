// SPDX-License-Identifier: BSD-3-Clause
// The terminal: a canvas is shown on it, keys come from it, and it is always given back as it was.
#pragma once

#include "canvas.h"
#include "conf/conf.h"

#define SCREEN_NO_KEY  (-1)
#define SCREEN_RESIZED (-2)

#pragma GCC visibility push(hidden)

// Takes the terminal. -errno and a line where stdout is none that can do this.
int top_screen_begin(struct err *err);
// Gives it back as it was.
void top_screen_end(void);

// The size now; and whether it shows UTF-8.
void top_screen_size(unsigned *rows, unsigned *columns, bool *utf8);

void top_screen_show(const struct top_canvas *c);

// The next key: a character, one of enum top_key, SCREEN_RESIZED, or SCREEN_NO_KEY.
int top_screen_key(void);

// Call it after each signal: stops the process where SIGTSTP came, and takes the terminal again
// when it goes on. Returns whether the screen has to be drawn anew.
bool top_screen_pause(void);

#pragma GCC visibility pop
