// SPDX-License-Identifier: BSD-3-Clause
// A view of the model: the order of its rows, the selected row, an open menu, and the keys that
// change them. It knows no terminal.
#pragma once

#include "action.h"
#include "model.h"
#include "text.h"

// Keys that are no characters.
enum top_key {
	TOP_KEY_UP = 0x1000,
	TOP_KEY_DOWN,
	TOP_KEY_LEFT,
	TOP_KEY_RIGHT,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_ENTER,
	TOP_KEY_ESCAPE,
	TOP_KEY_BACKSPACE,
	TOP_KEY_DELETE,
	TOP_KEY_TAB,
	TOP_KEY_BACK_TAB,
	TOP_KEY_HELP,   // F1
	TOP_KEY_FILTER, // F4
	TOP_KEY_SORT,   // F6
	TOP_KEY_QUIT,   // F10
};

enum top_mode {
	MODE_ROWS,
	MODE_HELP,
	MODE_FILTER,  // its text is typed
	MODE_SORT,    // a column is chosen
	MODE_PAST,    // one row over time
	MODE_ACTIONS, // an action is chosen
	MODE_COMMAND, // its command is typed
	MODE_CONFIRM, // it is asked whether to run it
};

struct top_column {
	const char *head;
	uint8_t value;
	uint8_t form;  // enum top_form
	uint8_t width; // of the number; 0: there is none
	uint8_t from;  // screens narrower than this leave it out
	bool bar;      // with a bar before the number
};

#define TOP_BY_ORDER 0 // as the instance names the rows
#define TOP_BY_NAME  1
#define TOP_BY_VALUE 2 // and the column's number

// A section as it is shown.
struct top_list {
	uint32_t *order; // row numbers
	unsigned n, cap;
	unsigned first, room; // on the screen: the place of the first row in `order`, and how many
	uint32_t selected;    // row number; TOP_FIRST: whichever is first
	unsigned sort;
	bool down; // the largest first
};

#define TOP_FIRST UINT32_MAX

struct top_input {
	char text[256];
	unsigned n, at; // bytes; the cursor's place
};

struct top_view {
	enum top_mode mode;
	enum top_section focus;
	struct top_list list[TOP_SECTIONS];
	struct top_input filter, command;
	char old_filter[256]; // before it was typed
	unsigned choice;      // in a menu
	struct top_action action[TOP_ACTIONS];
	unsigned n_actions;
	enum top_section past_of; // MODE_PAST
	uint32_t past_row;
	bool frozen;
	bool quit;
	bool run;       // the command was confirmed: it is to be run
	char told[256]; // what came of the last command; "": nothing to tell
	bool told_bad;
};

#pragma GCC visibility push(hidden)

void top_view_init(struct top_view *v);
void top_view_free(struct top_view *v);

// The columns of a section behind the name; a head of NULL ends them.
const struct top_column *top_columns(enum top_section s);
const char *top_section_name(enum top_section s);

// Puts the rows of all sections in order. Call it after each look and key. False: no memory.
bool top_view_sort(struct top_view *v, const struct top_model *m);

// Takes a key: a character, or one of enum top_key.
void top_view_key(struct top_view *v, const struct top_model *m, int key);

// The place of the selected row in the list; 0 where nothing is selected.
unsigned top_view_place(const struct top_list *l);

// The row in focus; NULL: its section is empty.
const struct top_row *top_view_row(const struct top_view *v, const struct top_model *m);

#pragma GCC visibility pop
