// SPDX-License-Identifier: BSD-3-Clause
// The frames that a device and the kernel's interface behind it lost.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "record/record.h"

#pragma GCC visibility push(hidden)

#define COUNT_SOCKETS 1024 // no fewer than a process can usually open

struct rte_eth_stats;

// Sockets of this process of one address family, by number.
struct count_sockets {
	unsigned n;
	int fd[COUNT_SOCKETS];
};

enum count_driver {
	COUNT_OTHER,
	COUNT_PACKET,
	COUNT_XDP,
	COUNT_TAP,
	COUNT_ENDLESS,
	COUNT_MEMIF,
};

// Counters as they stand.
struct count_read {
	uint64_t ipackets, imissed, ierrors, rx_nombuf, opackets, oerrors;
	uint64_t if_rx, if_rx_dropped, if_rx_errors, if_rx_missed;
	uint64_t if_tx, if_tx_dropped, if_tx_errors;
	uint64_t seen,
		refused; // by the driver's socket: all frames, those that its ring had no room for
};

struct count {
	uint16_t id; // DPDK's number of the port
	enum count_driver driver;
	bool repeats; // the interface counts among its dropped frames those that the socket refused
	unsigned ifindex; // 0: none
	struct count_sockets sockets;
	uint64_t seen, refused; // net_af_packet: whose counters begin anew with each reading
	uint64_t unread;
	uint64_t aside_tx, aside_rx; // frames sent and received that are no node's
	struct count_read from;      // when the run began
	struct count_read last;      // when it was read last
	uint64_t kept_rx, kept_tx;   // net_memif: the most that it has counted
	struct record_device *now;
};

// The sockets that the process has: before the device is made, and after it.
void count_sockets(struct count_sockets *to);
// Finds what there is to count, and how. `before` are the sockets that there were before the device
// was made; `now` gets what count_take reads.
void count_init(struct count *c, uint16_t id, const struct count_sockets *before,
	struct record_device *now);
// Keeps further frames away from the device, if that is possible (net_af_packet).
void count_hold(struct count *c, bool hold);
// The run begins: earlier counts do not count.
void count_begin(struct count *c);
// Looks at counters that the driver forgets when its peer leaves (net_memif). True: it is such a
// driver, so call this often.
bool count_look(struct count *c);
// Writes the losses since count_begin() into *c->now.
void count_take(struct count *c);

#pragma GCC visibility pop
