// SPDX-License-Identifier: BSD-3-Clause
// Which paths of figures a scene can have, told before it runs.
#pragma once

#include "scene/scene.h"

// The kinds of things that are reported, in the order of summary.json. Those with _TABLE share the
// word of the kind before in paths.
enum kind_id {
	KIND_TOTAL,
	KIND_DROP,
	KIND_NIC_DROP,
	KIND_GROUP,
	KIND_SIZE,
	KIND_FLOW,
	KIND_LINK,
	KIND_QUEUE,
	KIND_MARKING,
	KIND_BIN,
	KIND_PFC,
	KIND_PFC_TX,
	KIND_PG,
	KIND_POOL,
	KIND_BUFFER,
	KIND_WD,
	KIND_DEADLOCK,
	KIND_NP,
	KIND_CNP,
	KIND_CP,
	KIND_IQCN,
	KIND_IQCN_TABLE,
	KIND_FAST_CNP,
	KIND_FAST_CNP_TABLE,
	KIND_SOURCE,
	KIND_STREAM,
	KIND_REPLAY,
	KIND_RXBUF,
	KIND_NIC,
	KIND_PORT,
	KIND_PLUGIN,
	KIND_DEVICE,
	KIND_RECON,
	KIND_INSTRUMENT,
	KINDS
};

// The first words of paths: those of kinds, by their number, then words for one object of a kind
// ("main").
#define FIGURE_WORDS (KINDS + 2)

// A first word; NULL: this kind has no paths. Kinds that share a word stand one behind the other.
const char *figure_path_word(unsigned word);

// The i-th path that is one word and no figure of the kind `total`; NULL: there are no more.
const char *figure_path_alone(unsigned i);

// The i-th figure that an object can have; NULL: there are no more. Those of KIND_TOTAL are paths
// by themselves.
const char *figure_path_name(unsigned word, unsigned i);

// A path, or a pattern of paths, that ends in an older name of a figure: written with the name that
// the figure has now, in `buf`. NULL: the name is no older one. Whether there is such an object is
// not looked at.
#define FIGURE_PATH 320 // room for the longest, with its end
const char *figure_path_now(const char *path, char *buf, size_t size);

// Whether paths of this word name an object.
bool figure_path_has_objects(unsigned word);
// Calls `see` with the name of each object, "s1:r.3", until it returns true. Whether one did.
typedef bool figure_see(void *arg, const char *object);
bool figure_path_objects(unsigned word, const struct scene *s, figure_see *see, void *arg);
