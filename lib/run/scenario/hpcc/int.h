// SPDX-License-Identifier: BSD-3-Clause
// The simulator's files on their way into a scenario; internal to the import.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "contract/contract.h"
#include "hpcc.h"

#define HPCC_NODES 4096  // most nodes of a scenario
#define HPCC_LINKS 65536 // most links

// A word of a file. Those behind it in the array follow it in the file.
struct hpcc_word {
	const char *text;
	uint32_t line, column;
};

struct hpcc_words {
	const char *path;
	struct hpcc_word *word; // at the end one without text, where the file ends
	size_t n;
};

struct hpcc_link {
	unsigned end[2];
	uint64_t rate, delay;
	const char *errors; // share of frames that each end loses; NULL: none
};

// Keys of config.txt that a scenario takes.
enum hpcc_key {
	HPCC_CC_MODE,
	HPCC_ENABLE_QCN,
	HPCC_STOP_TIME,
	HPCC_PAYLOAD,
	HPCC_BUFFER,
	HPCC_KMIN,
	HPCC_KMAX,
	HPCC_PMAX,
	HPCC_ALPHA_TIMER, // this and all that follow are keys of controls
	HPCC_CUT_INTERVAL,
	HPCC_RP_TIMER,
	HPCC_GAIN,
	HPCC_FAST_RECOVERY,
	HPCC_CLAMP,
	HPCC_RATE_AI,
	HPCC_RATE_HAI,
	HPCC_MIN_RATE,
	HPCC_OWN, // a key that a profile names and DCQCN lacks
	HPCC_KEYS
};

// The CC_MODE of DCQCN; profiles with keys of their own say theirs.
#define HPCC_DCQCN 1

// A key that the file has: its name and its values.
struct hpcc_value {
	const struct hpcc_word *key; // NULL: it is not there
	unsigned n;                  // words behind it on its line
};

// The marker of one speed, as the file writes it: thresholds in KB, a probability.
struct hpcc_marker {
	uint64_t rate;
	const char *kmin, *kmax, *pmax;
};

// Many keys, one reason.
struct hpcc_left {
	const char *who, *why;
};

struct hpcc {
	struct arena *a;
	struct err *err;
	struct hpcc_files files;
	unsigned n_nodes, n_links;
	bool *is_switch;
	struct hpcc_link *link;
	unsigned *first, *port; // of node n the links port[first[n]] up to port[first[n + 1]]
	uint32_t classes;       // bits: priorities that flows have
	uint64_t last_start;    // ps
	struct hpcc_words config;
	unsigned n_known; // keys of it that the simulator has
	struct hpcc_value value[HPCC_KEYS];
	struct hpcc_marker *marker;
	unsigned n_markers;
	struct hpcc_left *left;
	unsigned n_left, max_left;
	bool no_memory;
};

#pragma GCC visibility push(hidden)

// word.c: a whole file in words; 0, or -errno and a line.
int hpcc_words(struct hpcc *h, struct hpcc_words *to, const char *path);
// -EINVAL with "path:line:column: what".
__attribute__((format(printf, 4, 5))) int hpcc_wrong(struct hpcc *h, const struct hpcc_words *in,
	const struct hpcc_word *at, const char *fmt, ...);
// Reads a whole number up to `most`. On an error a line says what is wanted.
int hpcc_number(struct hpcc *h, const struct hpcc_words *in, const struct hpcc_word *at,
	uint64_t most, uint64_t *to, const char *what);
// Text in the import's arena. Characters that a comment must not have become '?'.
__attribute__((format(printf, 2, 3))) const char *hpcc_text(struct hpcc *h, const char *fmt, ...);
const char *hpcc_base(struct hpcc *h, const char *path);

int hpcc_topology(struct hpcc *h);
int hpcc_flows(struct hpcc *h);
int hpcc_config(struct hpcc *h);

// The marker of a speed; NULL: the file has none.
const struct hpcc_marker *hpcc_marker_of(const struct hpcc *h, uint64_t rate);
bool hpcc_marks(const struct hpcc *h);
// The mode of CC_MODE, 0: none that quench has.
unsigned hpcc_mode(const struct hpcc *h);
const char *hpcc_value_text(const struct hpcc *h, enum hpcc_key key); // NULL: not there

// left.c: settings that were left out. `who` and the reason; all of one reason are one line.
void hpcc_left(struct hpcc *h, const char *who, const char *why);
int hpcc_left_lines(struct hpcc *h, struct hpcc_import *to);

// yaml.c: names what a scenario has otherwise than the simulator, before hpcc_left_lines.
void hpcc_yaml_left(struct hpcc *h);
// The scenario as text, NULL where memory is out.
char *hpcc_yaml(struct hpcc *h, const struct hpcc_import *to);

#pragma GCC visibility pop
