// SPDX-License-Identifier: BSD-3-Clause
// The addresses of a capture, MAC and IP, with the facts by which a side is decided for each.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"
#include "conf/conf.h"
#include "split.h"

#pragma GCC visibility push(hidden)

#define STATION_NONE UINT32_MAX

enum station_kind { STATION_MAC, STATION_IP4, STATION_IP6 };

struct station {
	uint8_t addr[16];
	uint8_t kind;
	bool sent;              // at least one frame
	uint8_t side;           // CAP_SIDES: not decided
	uint8_t odd;            // it is on the other side than `up`
	uint32_t up, size;      // the stations that speak with each other: a tree
	uint32_t ip;            // of a MAC address: the first IP address that it sent from
	uint32_t peer;          // the first one that it spoke with
	uint64_t as[CAP_SIDES]; // frames that it sent as client and as server
};

struct stations {
	struct station *at;
	uint32_t n, room;
	struct index by_addr;
	// MAC addresses, then IP addresses: the first two of one side that speak with each other.
	// STATION_NONE: there are none.
	uint32_t odd_pair[2][2];
};

void stations_init(struct stations *s);
void stations_fini(struct stations *s);

// The number of an address; STATION_NONE: it is not known.
uint32_t stations_find(const struct stations *s, enum station_kind kind, const uint8_t *addr);

// The same, and adds it. -ENOMEM; -E2BIG: there are too many.
int stations_get(struct stations *s, enum station_kind kind, const uint8_t *addr, uint32_t *number);

// Notes a frame from one address to another: they are on different sides.
void stations_speak(struct stations *s, uint32_t from, uint32_t to);

// Decides the side of each MAC address, or of each IP address, by who sends to whom. Of addresses
// that send to each other, the one that comes first is a client.
void stations_colour(struct stations *s, bool ip);

// "02:00:00:00:00:01", "10.0.0.1"
#define STATION_TEXT 46
char *stations_text(const struct station *x, char buf[STATION_TEXT]);

#pragma GCC visibility pop
