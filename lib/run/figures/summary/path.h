// SPDX-License-Identifier: BSD-3-Clause
// Which paths of figures a scene can have, told before it runs.
#pragma once

#include "kind/kind.h"

// The first words of paths: first the words of kinds, by their number, then words for one object of
// a kind ("main").
#define SUMMARY_WORDS (KINDS + 2)

// Returns the first word of a kind's paths; NULL: the kind has no paths. Kinds that share a word
// are neighbours.
const char *summary_path_word(unsigned word);

// The i-th path that is one word and no figure of the kind `total`; NULL: there are no more.
const char *summary_path_alone(unsigned i);

// The i-th figure that an object can have; NULL: there are no more. The figures of KIND_TOTAL are
// paths by themselves.
const char *summary_path_name(unsigned word, unsigned i);

// A path, or a pattern of paths, that ends in an older name of a figure: written with the name that
// the figure has now, in `buf`. NULL: the name is no older one. Whether there is such an object is
// not looked at.
#define SUMMARY_PATH 320 // room for the longest, with its end
const char *summary_path_now(const char *path, char *buf, size_t size);

// Returns whether paths that begin with this word name an object.
bool summary_path_has_objects(unsigned word);
// Calls `see` with the name of each object, "s1:r.3", until it returns true. Whether one did.
bool summary_path_objects(unsigned word, const struct scene *s, figure_see *see, void *arg);

// Checks whether a run of the scene can have a figure of this path; whether it will, its traffic
// decides. 0, or -EINVAL and a line that says which part of the path is wrong and which name comes
// nearest.
int summary_path_check(const struct scene *s, const char *path, struct err *err);
// Checks every figure that the scene expects: 0, or -EINVAL and "file:line:column: the error". A
// figure with an older name gets its present name, and the scene a warning (scene_renamed).
// -ENOMEM.
int summary_expects_check(struct scene *s, struct err *err);

// The properties of a figure that its path alone decides; false: no kind has it.
struct summary_row {
	const char *word;   // of the kind
	const char *key;    // of the kind in summary.json; NULL: it is not there
	bool single;        // that is one object; else a list of them
	const char *object; // within the path; NULL: there is one
	size_t object_len;
	const char *figure, *unit, *meaning;
	const char *title; // of the kind
	unsigned decimals;
	bool counts;    // a number of things
	bool of_events; // nothing but events tells it
	// A number of frames, messages or events, or what follows from such numbers alone: no time,
	// rate or length of a queue.
	bool timeless;
};
bool summary_row(const char *path, struct summary_row *out);
// The properties of a figure by its path in criteria and sweeps: "drops", "jain",
// "bottleneck.p99_bytes". The word is the kind's, and no object is named. False if the path is no
// figure of a kind.
bool summary_figure_row(const char *path, struct summary_row *out);
