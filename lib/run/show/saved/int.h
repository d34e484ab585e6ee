// SPDX-License-Identifier: BSD-3-Clause
// Shared by the files of this room: the open folder, lines of comma-separated values.
#pragma once

#include <stdio.h>

#include "evf/evf.h"
#include "saved.h"

#pragma GCC visibility push(hidden)

#define CSV_COLUMNS 32 // that a line can have

// Lines of a file, each cut into cells in place.
struct csv {
	FILE *f;
	const char *file; // its name without the folder
	char *line;
	size_t room;
	uint64_t number; // of the line at hand, from 1
	unsigned n;      // cells
	char *cell[CSV_COLUMNS];
	char apart; // separator of cells
};

// Opens a CSV file of the folder. -errno if it cannot be opened.
int csv_open(struct csv *c, const char *dir, const char *file, char apart);
enum csv_got { CSV_END, CSV_ROW, CSV_CUT };
// The next line; CSV_CUT: it is the last one and has no line feed.
enum csv_got csv_next(struct csv *c);
void csv_close(struct csv *c);
// Splits a line, which ends with NUL, into cells. Returns their number; cells beyond CSV_COLUMNS
// stay in the last one.
unsigned csv_split(char *line, char apart, char **cell);
// The place of a name among n cells; -1: it is not there.
int csv_find(char *const *cell, unsigned n, const char *name);

// Reads a decimal number with at most `decimals` digits after its point, times 10^decimals. False:
// it is none.
bool csv_fixed(const char *text, unsigned decimals, uint64_t *value);
// NAN for an empty text. False: it is no number.
bool csv_real(const char *text, double *value);

// Lines of one file that could not be read, told once the file has ended.
struct bad {
	uint64_t n, first;
};

// The state of a reader of events.
struct saved_events {
	bool open;
	struct csv csv;
	struct evf_in *evf;
	char *line; // of evf_line
	struct evf_lines *lines;
	int column[EV_COLS];
	unsigned width; // cells of a line
	struct lexicon types;
	enum ev_type type_of[EV_TYPES]; // by number in `types`
	uint64_t unknown;               // events of types that are not known
	struct bad bad;
	uint64_t number; // of the event or line
	struct saved_ev ev;
};

struct saved_series {
	bool open;
	struct csv csv;
	int column[3 + SAVED_COLS];
	unsigned width;
	struct bad bad;
	struct saved_sample sample;
};

struct tables {
	struct tables *next;
	const char *file;
	bool whole;
	struct saved_table t;
};

struct saved {
	struct arena arena;
	const char *dir, *name;
	json_t *manifest, *summary;
	tstamp end, from, to;
	const char **missing;
	unsigned n_missing, room_missing;
	struct lexicon objects, flows, lines;
	int *peer; // by object; -1: none, -2: not looked for
	unsigned n_peer;
	struct saved_events events;
	struct saved_series series;
	struct tables *tables;
	uint64_t recorded; // bitmap of enum ev_type
};

// Adds a sentence to the list of missing things, unless it is there already.
__attribute__((format(printf, 2, 3))) void saved_miss(struct saved *s, const char *fmt, ...);
// Tells of lines that could not be read.
void saved_miss_lines(struct saved *s, const char *file, const struct bad *bad);

// Whether manifest.json says that the run left the file out by intention.
bool saved_left_out(const struct saved *s, const char *file);

// How many objects of samples are known by now.
unsigned saved_lines(const struct saved *s);

void saved_events_close(struct saved *s);
void saved_series_close(struct saved *s);

#pragma GCC visibility pop
