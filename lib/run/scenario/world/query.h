// SPDX-License-Identifier: BSD-3-Clause
// Questions to a running scene: the words of a question are resolved against the scene, then the
// node answers.
#pragma once

#include <stdatomic.h>

#include "net.h"

#define QUERY_COUNTS 64 // rows that a table of counters has at most

#define QUERY_FLOWS 48   // flows of a table in one answer
#define QUERY_SLOTS 1024 // of the table that one answer looks at, so that the node is not held up

enum query_what { QUERY_READ, QUERY_COUNTERS, QUERY_IQCN };

// A flow that a switch with iQCN knows.
struct query_flow {
	uint16_t port;
	bool ipv4;
	uint8_t sender[16], receiver[16]; // IPv4 in the first four bytes
	uint32_t qpn;                     // the sender's
	tstamp last;                      // CNP, of its notification point or ours
	tstamp age;                       // since data or a CNP of its notification point
	uint64_t tx_cnps;                 // ours
};

struct query {
	enum query_what what;
	uint16_t node;  // of the scene
	uint16_t shard; // of a cut switch, which answers; else 0
	// registers
	uint32_t qpn; // queue pair in whose block the place is; 0: none
	struct rdma_ip_place place;
	uint64_t value; // the answer
	// counters
	const struct stat_table *table;
	unsigned port; // of a switch; QUERY_ALL_PORTS: their sum
	uint32_t sub;  // class of a port, or queue pair of a host
	uint64_t count[QUERY_COUNTS];
	bool has[QUERY_COUNTS]; // it is counted
	// flows of a table, or of the tables of a cut switch's shards, one behind the other
	uint32_t slot; // to begin with
	uint32_t next; // the answer: slot to go on with, 0 at the end
	unsigned n_flows;
	uint32_t known, entries; // flows and entries of all of the switch
	struct query_flow flow[QUERY_FLOWS];
	// the answer
	int rc;
	tstamp at; // scene time
	atomic_bool answered;
};

#define QUERY_ALL_PORTS UINT32_MAX

// A register: "HOST,QP,NAME". HOST may be empty where one host only has registers, QP where it has
// one queue pair with them. 0, or -errno and a line that says what would be right.
int query_register(struct query *q, const struct scene *s, const char *params, struct err *err);

// The counters of "NODE" (a switch: summed over its ports), "NODE:PEER" (a port), "NODE:PEER.CLASS"
// or "NODE.QPN" (a queue pair of a host).
int query_counters(struct query *q, const struct scene *s, const char *object, struct err *err);

// The flows that a switch with iQCN knows, from a slot on: "SWITCH,FROM". FROM may be missing.
int query_iqcn(struct query *q, const struct scene *s, const char *params, struct err *err);

// Queue pairs of a node that the RDMA IP has: the highest number, and how many; 0: it has no
// registers.
uint32_t query_qps(const struct scene *s, unsigned node, unsigned *n);
// The parameters of that RDMA IP; NULL: the node has none.
const struct rdma_ip_reg_params *query_rdma_ip(const struct scene *s, unsigned node);

// Answers a question. The thread that runs the node calls it, or the thread of shard q->shard of a
// cut switch. Shards answer one after the other, from shard 0 on, and each adds its part.
void query_answer(struct query *q, struct net_node *n, tstamp now);

// Puts a line into `err` that says what a negative q->rc means.
void query_why(const struct query *q, const struct scene *s, struct err *err);
