// SPDX-License-Identifier: BSD-3-Clause
// Connections of one host: finds the connection of a message, knows who listens, limits the number
// of half-open connections, and forgets stale ones.
#pragma once

#include <stdint.h>

#include "base/prng.h"
#include "transport/cm.h"

#define CM_TABLE_MAX 65536
#define CM_SERVICES  8

struct cm_table_stats {
	uint64_t requests;   // REQs that became a connection
	uint64_t duplicates; // REQs of a connection that is known
	uint64_t refused;    // REQs and REPs that got a REJ of the table
	uint64_t stale;      // of these, those of a queue pair that a connection of ours still has
	uint64_t full;       // and those for want of a place, or with too many half open
	uint64_t unknown;    // messages of no connection
};

struct cm_table {
	const struct cm_cfg *cfg;
	struct cm *cm;          // lent
	uint32_t n;             // of them
	uint32_t half_open_max; // connections asked for by peers and not yet established, at most
	uint32_t serial;        // of the next communication ID
	unsigned services;
	uint64_t service[CM_SERVICES];
	struct cm_table_stats stats;
};

// Returns the number of a connection, 0 .. n - 1, by which the owner keeps its own data.
static inline uint32_t cm_table_slot(const struct cm_table *t, const struct cm *cm)
{
	return (uint32_t)(cm - t->cm);
}

// Makes an empty table. `cm` has n zeroed entries, 1..CM_TABLE_MAX, and must outlive the table. The
// first communication ID is random, so that a host that starts again does not use its last ones.
// -EINVAL.
int cm_table_init(struct cm_table *t, const struct cm_cfg *cfg, struct cm *cm, uint32_t n,
	uint32_t half_open_max, struct prng *rng);

// REQs with this service ID become connections. -ENOSPC where CM_SERVICES are listened for.
int cm_table_listen(struct cm_table *t, uint64_t service_id);

// Returns a free connection, for cm_connect(), which must follow at once; NULL: there is none. A
// connection is free again when cm_is_free() says so.
struct cm *cm_table_open(struct cm_table *t);

// A message came. *cm is the connection that it changed, or NULL; what is returned is then what
// cm_rx says of it. reply->kind is not CM_NO_MSG where the table itself answers the sender.
// CM_EV_STALE: the peer asked anew from the queue pair of *cm, which is parted from now, and gets
// a REJ in *reply. CM_EV_REFUSED: a REQ got a REJ in *reply, or *cm has rejected a REP.
// CM_EV_UNFIT: it is of no connection. The owner looks whether the sender's address is the
// connection's.
enum cm_event cm_table_rx(struct cm_table *t, const struct cm_msg *m, struct cm **cm,
	struct cm_msg *reply, tstamp now);

// The earliest deadline of all.
tstamp cm_table_deadline(const struct cm_table *t);

// Walks the connections that are due (cm_expire). *at starts at 0; NULL at the end.
struct cm *cm_table_due(const struct cm_table *t, uint32_t *at, tstamp now);

// The connection with this communication ID of ours, or NULL.
struct cm *cm_table_find(const struct cm_table *t, uint32_t local_id);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// Requests for the service are rejected from now on; existing connections go on.
void cm_table_unlisten(struct cm_table *t, uint64_t service_id);

// Walks the connections that have a message (cm_tx), as cm_table_due does.
struct cm *cm_table_owing(const struct cm_table *t, uint32_t *at);

#pragma GCC visibility pop
