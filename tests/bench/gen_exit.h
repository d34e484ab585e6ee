// SPDX-License-Identifier: BSD-3-Clause
// Where frames of a benchmark leave the process: EAL, a pool of packets as a run has it, devices,
// and the ICRC that can be left out.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "dev/dev.h"
#include "wire/pkt.h"

// How far a frame goes before it is free again; each step has all those before it.
enum exit_step {
	EXIT_NONE,  // a descriptor alone
	EXIT_BYTES, // its frame is written, with an ICRC of an empty packet
	EXIT_ICRC,  // with the ICRC
	EXIT_NULL,  // it leaves by net_null
	EXIT_RING,  // it leaves by net_ring, and is taken out of the ring and freed
	EXIT_STEPS,
};

struct rte_ring;

struct exit_ports {
	struct rte_mempool *pool;
	struct pkt_stack stack; // filled from the pool
	struct mbuf_told told;
	struct mbuf_tmpl *tmpl;
	struct dev null, ring, file; // file: net_pcap, where it was asked for
	struct rte_ring *far;        // what net_ring sends
	struct rte_ring *near;       // what it will receive
	bool has_file;
};

// Starts EAL on one processor, makes the pool for frames of `octets`, and the devices. `file`:
// where net_pcap writes, or NULL. Ends the process with a line where that fails.
// `qps`: queue pairs whose frames will be made.
void exit_open(struct exit_ports *e, unsigned octets, unsigned qps, const char *file);
void exit_close(struct exit_ports *e);
// A burst goes as far as `step` says, and is free then.
void exit_take(struct exit_ports *e, enum exit_step step, struct pkt **burst, unsigned n);
// A burst is written into the file of net_pcap, and is free then.
void exit_write(struct exit_ports *e, struct pkt **burst, unsigned n);
// Before the next burst is asked for: packets for it.
void exit_refill(struct exit_ports *e);
