// SPDX-License-Identifier: BSD-3-Clause
// iQCN: the flows that CNPs passed for, and for which of them the switch owes a CNP itself.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/rate.h"
#include "base/table.h"
#include "base/tstamp.h"
#include "wire/ip.h"
#include "wire/pkt.h"

struct iqcn_params {
	unsigned n_ports;
	uint32_t entries;         // of the flow table, 1..2^20
	tstamp rpg_time_reset_ps; // T_inc: the reaction points raise their rate after it, 1 us..1 s
	double margin;            // share of T_inc after which a CNP is due, 0.01..1
	tstamp path_delay_ps;     // from here to the reaction point: CNPs are due earlier by it
	tstamp entry_gap_ps;      // a flow gets no CNP of ours sooner after its last one
	tstamp age_ps;    // an entry without data and CNP of the NP is forgotten; 0: 10 T_inc
	tstamp np_age_ps; // an entry without CNP of the NP is forgotten, data or not; 0: 1 s
	// [n_ports] the most CNPs that the switch sends for the flows of a port, per second, up to
	// 10^12; 0: no limit. NULL: no port has one.
	const uint64_t *port_cnps_per_s;
	unsigned port_burst; // of them back to back, 1..65536
};

// Compiled; const and shared. The implementation owns its content.
struct iqcn_cfg {
	struct iqcn_params p; // for reports
	tstamp due_ps;        // max(margin T_inc - path delay, entry gap)
	tstamp age_ps;
	tstamp np_age_ps;
};

// One flow: the CNP to send for it, and when it had its last ones.
struct iqcn_entry {
	struct hdr hdr;        // of its last CNP
	tstamp last;           // last CNP, forwarded or ours
	tstamp np_last;        // last CNP forwarded
	tstamp waited_ps;      // before the last of ours
	uint64_t tx_cnps;      // ours
	uint32_t qpn;          // of the sender of data
	uint32_t pair;         // index of its data's mark
	uint32_t newer, older; // in the list of its port, index + 1; 0: none
	uint16_t port;         // where its data goes out
	uint16_t len;          // of the CNP, without FCS
	uint8_t tos;
	uint8_t used;
	uint8_t put_off; // it was due and its port had no token
};

struct iqcn_port {
	uint32_t oldest, newest; // index + 1, by iqcn_entry.last; 0: none
	uint32_t flows;
	bool heavy;
	tstamp token_ps;   // time that one CNP of ours takes; 0: no limit
	tstamp burst_ps;   // GCRA tolerance: (burst - 1) token_ps
	tstamp tat;        // GCRA: theoretical arrival time of the next CNP of ours
	tstamp ways_since; // a flow whose last CNP is older may use another port now
	uint64_t rx_cnps, tx_cnps;
};

struct iqcn_stats {
	uint64_t rx_cnps; // forwarded CNPs seen
	uint64_t tx_cnps; // CNPs that were due
	uint64_t learned;
	uint64_t aged;       // entries forgotten for their age
	uint64_t table_full; // entries that gave way to a new flow
	uint64_t capped;     // CNPs that the limit of their port put off
};

struct iqcn {
	const struct iqcn_cfg *cfg;
	struct table table; // hash of the flow -> nothing; its slots are those of `entry`
	struct iqcn_entry *entry;
	struct iqcn_port *port;
	// Instant at which data last passed, by hash of sender and receiver; 0: never. Other
	// threads may read it.
	_Atomic tstamp *data;
	uint64_t data_salt;
	unsigned data_shift; // 64 - log2 of their number
	unsigned mates;      // tables of other shards whose marks it reads (iqcn_join)
	const struct iqcn *const *mate;
	struct iqcn_stats stats;
	uint32_t flows;
	void *mem[2]; // memory of data and entry
};

// The usual limit of a port, CNPs a second: as many as fill 1 % of its rate, where a CNP takes 98
// bytes of the wire (74 of an IPv4 CNP, 24 of FCS, preamble and gap). At least 1.
uint64_t iqcn_port_share(rate_t rate);

// Compiles; -EINVAL where a value is out of the range given above, or what is due would be aged.
int iqcn_cfg_init(struct iqcn_cfg *cfg, const struct iqcn_params *params);

// Makes an empty table. `salt` varies the hash. -ENOMEM, -EINVAL.
int iqcn_init(struct iqcn *q, const struct iqcn_cfg *cfg, uint64_t salt);
void iqcn_fini(struct iqcn *q);
// Has all memory of flows and marks before they are used; `large`: as table_have has it.
void iqcn_have(struct iqcn *q, void (*large)(void *memory, size_t bytes));

// Joins the tables of the n shards of one switch, which have the same configuration and salt. Each
// shard runs in its own thread and marks the data that it sees. To find when a flow's data last
// passed, a table looks at the marks of all. `all` must outlive the table.
void iqcn_join(struct iqcn *q, const struct iqcn *const *all, unsigned n);

// A CNP of a flow whose data leaves by `port` is forwarded.
void iqcn_cnp(struct iqcn *q, unsigned port, const struct pkt *cnp, tstamp now);

// The first 6 of 8 bytes in memory, as a number: as if the others were 0.
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define IQCN_FIRST_48(word) ((word) << 16 >> 16)
#else
#define IQCN_FIRST_48(word) ((word) >> 16 << 16)
#endif

// Index of the mark for data from `from` to `to`, whose MAC address is `mac`, one of a struct hdr.
// Two pairs may share one, and then each keeps the other's flows known, up to np_age.
static inline uint32_t iqcn_pair(const struct iqcn *q, const uint8_t from[16], const uint8_t to[16],
	const uint8_t *mac, bool ipv4)
{
	uint64_t key;

	// The address is read with the two bytes behind it, which are shifted out.
	memcpy(&key, mac, sizeof(key));
	key = IQCN_FIRST_48(key);
	key = (key ^ q->data_salt) * 0x9e3779b97f4a7c15;
	key = ip_pair_hash(key, from, to, ipv4);
	return (uint32_t)(key * 0x9e3779b97f4a7c15 >> q->data_shift);
}

// Data passes: the flows of its sender and receiver are not to be forgotten.
static inline void iqcn_data(struct iqcn *q, const struct hdr *h, tstamp now)
{
	uint32_t i = iqcn_pair(q, h->saddr, h->daddr, h->dst, h->flags & HDR_IPV4);

	atomic_store_explicit(&q->data[i], now, memory_order_relaxed);
}

// Like iqcn_data() for n packets.
void iqcn_data_burst(struct iqcn *q, struct pkt *const *burst, unsigned n, tstamp now);

// Returns whether data passed within `age` from the CNP's destination to its source, so that the
// CNP may be an answer to it. Compares the MAC and the IP addresses.
bool iqcn_saw_data(const struct iqcn *q, const struct hdr *cnp, tstamp now);

// Slots of the table. table_mark(&table, i) says, as entry[i].used does, whether slot i holds a
// flow, and takes less memory to look through.
static inline uint32_t iqcn_slots(const struct iqcn *q)
{
	return table_slots(&q->table);
}

// Returns when a flow's data, or a CNP of its notification point, last passed. `age` counts from
// this instant.
tstamp iqcn_seen(const struct iqcn *q, const struct iqcn_entry *e);

// Flows of the port may leave by another port now. Forgets each of them until its next CNP.
void iqcn_ways_change(struct iqcn *q, unsigned port, tstamp now);

// Returns whether an entry has aged and is to be forgotten by whoever finds it.
bool iqcn_is_aged(const struct iqcn *q, const struct iqcn_entry *e, tstamp now);

// Forgets the flows that have aged unnoticed, at all ports. Its cost grows with the number of known
// flows.
void iqcn_tidy(struct iqcn *q, tstamp now);

// Heavy congestion of the port begins or ends; the hysteresis is the caller's.
void iqcn_heavy(struct iqcn *q, unsigned port, bool heavy);

// The flow of the port that has waited longest for a CNP of ours and is to get it now, or NULL; it
// counts as sent. Call until NULL. Valid until the next iqcn_cnp.
const struct iqcn_entry *iqcn_expire(struct iqcn *q, unsigned port, tstamp now);

// Next instant at which iqcn_expire has something to do; TSTAMP_NEVER while the port is not heavy.
tstamp iqcn_deadline(const struct iqcn *q, unsigned port);
