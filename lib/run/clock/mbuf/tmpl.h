// SPDX-License-Identifier: BSD-3-Clause
// Templates that the renderer keeps for the queue pairs whose frames leave by a port.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "eal/eal.h"
#include "frame/payload.h"

// Templates of up to `hdrs` headers and shapes of some hundred forms (wire/frame_tmpl.h), each made
// from the first frame that has it and kept. `has_v6`: headers may be IPv6's. NULL: no memory.
// `own`: a pool whose buffers nobody writes into but who makes packets of ours; a payload stays
// there from one frame to the next, by whichever port that leaves: all ports of this pool have the
// same `payload`. NULL: there is no such pool. `payload`: the scene's, by number.
struct mbuf_tmpl;
struct mbuf_tmpl *mbuf_tmpl_new(
	uint32_t hdrs, bool has_v6, const struct rte_mempool *own, const struct payload *payload);
void mbuf_tmpl_free(struct mbuf_tmpl *t);
// Lets the templates be made again whenever this number has changed: headers then have other
// addresses. NULL: never.
void mbuf_tmpl_heed(struct mbuf_tmpl *t, const uint32_t *changes);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// Call it before each burst.
void mbuf_tmpl_renew(struct mbuf_tmpl *t);
// Has the processor fetch what mbuf_tmpl_render will need of a packet that comes soon.
void mbuf_tmpl_ahead(const struct mbuf_tmpl *t, const struct pkt *p);
// Makes the bytes of a packet of ours, the same as frame_with_payload() does. `bytes` are the
// packet's mbuf's, which always has them at the same place.
void mbuf_tmpl_render(struct mbuf_tmpl *t, struct pkt *p, uint8_t *bytes);
// How many templates and shapes there are. Frames for which no template was left are made as a
// whole.
uint32_t mbuf_tmpl_count(const struct mbuf_tmpl *t, unsigned *shapes);

#pragma GCC visibility pop
