// SPDX-License-Identifier: BSD-3-Clause
// What the parser remembers of the frames of a port.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "eal/eal.h"

#pragma GCC visibility push(hidden)

// What the parser remembers of the frames of one port, for those that are like them. `pool` is
// the port's, `own` another one of ours, from which a peer in this process may send (net_ring), or
// NULL; `wide`: with the widest registers that the processor has. NULL: no memory.
struct dev_known;
struct dev_known *dev_known_new(struct rte_mempool *pool, const struct rte_mempool *own, bool wide);
void dev_known_free(struct dev_known *k);
// Makes packets of n mbufs that came at `now`: what frame_to_pkt makes, but that frames alike share
// a header (its ip_id is the first one's), which lives as long as `known`. Those that are chained,
// shared or of neither pool are copied into it; those that do not fit are freed and counted.
// Returns how many are left.
unsigned dev_frame_parse(struct dev_known *known, struct rte_mbuf **m, struct pkt **burst,
	unsigned n, uint16_t max_len, tstamp now);
uint64_t dev_known_unfit(const struct dev_known *known);
// Hellos of other parts of the scenario that have come, which are no packets; from any thread.
uint32_t dev_known_hellos(const struct dev_known *known);
// What a sample of their TCP and UDP checksums has shown so far; from any thread.
const struct dev_sums *dev_known_sums(const struct dev_known *known);

#pragma GCC visibility pop
