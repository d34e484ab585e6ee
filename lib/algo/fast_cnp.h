// SPDX-License-Identifier: BSD-3-Clause
// Fast CNP: learns the sender of data from its ACKs, and decides which marked frame gets a CNP at
// once.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/table.h"
#include "base/tstamp.h"
#include "wire/pkt.h"

struct fast_cnp_params {
	uint32_t entries;   // of the flow table, 1..2^20
	tstamp interval_ps; // a flow gets no CNP of ours sooner after its last one, 0..1 s
	tstamp age_ps;      // a flow without ACK is forgotten after it, 1 us..1000 s
};

// Compiled; const and shared. The implementation owns its content.
struct fast_cnp_cfg {
	struct fast_cnp_params p;
};

// One flow: both IP addresses, the receiver's MAC address, and the UDP source port, which data and
// ACKs of a queue pair share (standards.md 3.1).
struct fast_cnp_entry {
	struct hdr hdr;   // of its last ACK: from the receiver to the sender, as CNPs go
	tstamp seen;      // last ACK; with `elsewhere`: the last ACK sent to that table
	tstamp next;      // no CNP of ours sooner
	tstamp sure;      // from then on its QPN is not in doubt
	uint64_t tx_cnps; // ours
	uint32_t qpn;     // of the sender of data
	uint8_t used;
	uint8_t elsewhere; // table `to` has the flow; this notes what was sent there
	uint8_t to;
};

struct fast_cnp_stats {
	uint64_t learned;
	uint64_t aged;       // entries met when they had aged
	uint64_t table_full; // entries that gave way to a new flow
	uint64_t ambiguous;  // ACKs that name another QPN than the one before
};

struct fast_cnp {
	const struct fast_cnp_cfg *cfg;
	struct table table; // hash of the flow -> nothing; its slots are those of `entry`
	struct fast_cnp_entry *entry;
	uint32_t n_elsewhere; // entries of flows that another table has
	struct fast_cnp_stats stats;
	void *mem; // memory of entry
};

enum fast_cnp_verdict {
	FAST_CNP_UNKNOWN,    // no ACK has named the sender, or two ACKs named different ones
	FAST_CNP_SUPPRESSED, // it had one less than the interval ago
	FAST_CNP_SEND,
};

// Compiles; -EINVAL where a value is out of the range given above.
int fast_cnp_cfg_init(struct fast_cnp_cfg *cfg, const struct fast_cnp_params *params);

// Makes an empty table. `salt` varies the hash. -ENOMEM.
int fast_cnp_init(struct fast_cnp *q, const struct fast_cnp_cfg *cfg, uint64_t salt);
void fast_cnp_fini(struct fast_cnp *q);
// Has all memory of flows before it is used; `large`: as table_have has it.
void fast_cnp_have(struct fast_cnp *q, void (*large)(void *memory, size_t bytes));

// Learns from a forwarded ACK: its DestQPN is the QPN of the data's sender. If ACKs of one flow
// name two QPNs (two queue pairs share a UDP source port), the flow is in doubt. The doubt ends
// when no change was seen for `age`.
void fast_cnp_ack(struct fast_cnp *q, const struct pkt *ack, tstamp now);

// Like fast_cnp_ack() if table number `to` has the flow. Returns the entry if the other table has
// to learn of this ACK; the caller sends a message and calls fast_cnp_told(). NULL: the other table
// needs no message.
struct fast_cnp_entry *fast_cnp_ack_elsewhere(
	struct fast_cnp *q, const struct pkt *ack, unsigned to, tstamp now);
void fast_cnp_told(
	const struct fast_cnp *q, struct fast_cnp_entry *e, const struct pkt *ack, tstamp now);

// Flows that the table has. Some of them may have aged without being met since.
uint32_t fast_cnp_flows(const struct fast_cnp *q);

// A data frame was chosen by the marker. Its header says whose flow it is of, or its bytes do where
// the header has been forgotten. *entry: its flow; NULL with FAST_CNP_UNKNOWN. Valid until the next
// fast_cnp_ack.
enum fast_cnp_verdict fast_cnp_marked(const struct fast_cnp *q, const struct pkt *data,
	struct fast_cnp_entry **entry, tstamp now);

// The CNP of a flow is on its way.
static inline void fast_cnp_sent(const struct fast_cnp *q, struct fast_cnp_entry *entry, tstamp now)
{
	entry->next = tstamp_add(now, q->cfg->p.interval_ps);
	entry->tx_cnps++;
}
