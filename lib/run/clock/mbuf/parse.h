// SPDX-License-Identifier: BSD-3-Clause
// Frames in mbufs: parsed where they enter the process.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "eal/eal.h"
#include "frame/frame.h"
#include "stamp.h"
#include "sums.h"

struct mbuf_pools {
	struct rte_mempool *rx; // that ports receive into
	// Another pool, for packets of ours, from which a peer in this process may send (net_ring).
	// NULL: there is none.
	struct rte_mempool *own;
	bool moves_short; // frames of up to SCENE_SHORT bytes that come in are copied to `own`
};

// Hellos of other parts for another thread, as many as come while that sleeps. One thread puts, one
// takes.
#define MBUF_HELLOS 16
struct mbuf_hellos {
	struct rte_mbuf *m[MBUF_HELLOS]; // a packet's `when` is the TSC behind its coming
	_Atomic uint32_t put, taken;
	_Atomic uint32_t lost; // that found no room
};

// The stamps of a device's frames. One thread writes it.
struct mbuf_stamps {
	int offset;    // of the stamp in an mbuf (rte_mbuf_dyn_rx_timestamp_register)
	uint64_t flag; // of ol_flags: the mbuf has one
	struct stamp_map map;
	uint64_t stamped;   // frames whose instant of arrival is that of their stamp
	uint64_t unstamped; // frames whose instant is the reading of the loop
};

// The state with which one thread parses a port's frames. Others may read `hellos` and `sums`, and
// take hellos.
struct mbuf_parse {
	struct mbuf_pools pools;
	frame_burst_fn *to_pkt;  // mbuf_parse_best(); NULL: frame_burst_to_pkt
	uint64_t unfit;          // frames that fit no mbuf of ours
	_Atomic uint32_t hellos; // of other parts of the scenario, which are no packets
	bool keeps_hellos;       // for another thread
	struct mbuf_sums sums;   // what a sample of TCP and UDP checksums has shown
	struct mbuf_hellos kept;
	struct mbuf_stamps *stamps; // NULL: the device gives none
};

// The fastest parser of bursts for this processor, within the width of vectors that EAL allows
// (--force-max-simd-bitwidth), which is known after EAL's start.
frame_burst_fn *mbuf_parse_best(void);
// Has the second cache fetch what n mbufs are parsed from and into: bytes, descriptors, and the
// places of headers behind these, where headers will be their `own`. mbuf_parse has the first cache
// fetch it, which is too small for two bursts.
void mbuf_fetch_ahead(struct rte_mbuf *const *m, unsigned n, bool own);
// Makes packets of n mbufs (EAL_BURST at most) that came at `now`, with frame_to_pkt() and
// PKT_F_INTACT. Their headers are some of hdr[0..n-1]; if `hdr` is NULL, they stand behind their
// descriptors. An mbuf that is chained, shared or of neither pool is copied into the port's pool;
// if it does not fit there, it is freed and counted. Short frames stay in their mbufs if `own` has
// too few mbufs left for those of the burst. Returns the number n of packets; m[i] is then the mbuf
// of burst[i]. A packet's `when` is `now`, or the scene time of its stamp if there are `stamps`.
unsigned mbuf_parse(struct mbuf_parse *d, struct rte_mbuf **m, struct pkt **burst, struct hdr *hdr,
	unsigned n, uint16_t max_len, tstamp now);
// Takes the oldest hello that was kept; NULL: there is none.
struct rte_mbuf *mbuf_hello_take(struct mbuf_parse *d);
