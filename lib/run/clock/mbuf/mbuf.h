// SPDX-License-Identifier: BSD-3-Clause
// Frames in mbufs: parsed where they enter the process, rendered where they leave it.
#pragma once

#include "parse.h"
#include "tmpl.h"
#include "told.h"

// Turns n packets (at most EAL_BURST) into frames, in place; m gets their mbufs. `told` notes which
// classes the frames pause at the peer. `tmpl` NULL: our own frames are made without templates.
// `as_came` (bitmap): packets that leave with the bytes that they arrived with. They are not
// touched, because they may be in the cache of another lcore.
void mbuf_render(struct mbuf_told *told, struct mbuf_tmpl *tmpl, struct pkt **burst,
	struct rte_mbuf **m, unsigned n, uint64_t as_came);
