// SPDX-License-Identifier: BSD-3-Clause
// Frames in mbufs: parsed where they enter the process, rendered where they leave it.
#pragma once

#include "parse.h"
#include "tmpl.h"
#include "told.h"

// Turns n packets, EAL_BURST at most, into frames, in place; m gets their mbufs. `told` notes what
// they tell the peer; without `tmpl` (NULL) frames of ours are made as a whole. `as_came` (bitmap):
// packets that are known to leave as the bytes that they came in. They are not touched, for they
// may be in the cache of another lcore.
void mbuf_render(struct mbuf_told *told, struct mbuf_tmpl *tmpl, struct pkt **burst,
	struct rte_mbuf **m, unsigned n, uint64_t as_came);
