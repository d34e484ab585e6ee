// SPDX-License-Identifier: BSD-3-Clause
// Which paths of figures a scene can have, told before it runs.
#pragma once

#include "scene/scene.h"

// The kinds of docs/measuring.md, "By path". Those with _TABLE share the word of the kind before.
enum figure_kind {
	FIGURE_TOTAL,
	FIGURE_DROP,
	FIGURE_NIC_DROP,
	FIGURE_MAIN,
	FIGURE_BOTTLENECK,
	FIGURE_GROUP,
	FIGURE_FLOW,
	FIGURE_SIZE,
	FIGURE_QUEUE,
	FIGURE_MARKING,
	FIGURE_BIN,
	FIGURE_PFC,
	FIGURE_PFC_TX,
	FIGURE_PG,
	FIGURE_POOL,
	FIGURE_DEADLOCK,
	FIGURE_CP,
	FIGURE_IQCN,
	FIGURE_IQCN_TABLE,
	FIGURE_CNP,
	FIGURE_NP,
	FIGURE_FAST_CNP,
	FIGURE_FAST_CNP_TABLE,
	FIGURE_WD,
	FIGURE_LINK,
	FIGURE_SOURCE,
	FIGURE_REPLAY,
	FIGURE_RXBUF,
	FIGURE_PORT,
	FIGURE_NIC,
	FIGURE_KINDS
};

// The first word of the paths of a kind.
const char *figure_path_kind(enum figure_kind kind);

// The i-th path that is one word and no figure of the kind `total`; NULL: there are no more.
const char *figure_path_alone(unsigned i);

// figure_path_name.c: the i-th figure of an object of a kind, of all that there can be; NULL: there
// are no more.
const char *figure_path_name(enum figure_kind kind, unsigned i);

// figure_path_object.c: calls `see` with the name of each object of a kind, "s1:r.3", until it
// returns true. Whether one did. Kinds that need no object have none.
typedef bool figure_see(void *arg, const char *object);
bool figure_path_objects(enum figure_kind kind, const struct scene *s, figure_see *see, void *arg);
