// SPDX-License-Identifier: BSD-3-Clause
// The two sides of a capture: which frames the clients sent and which ones the servers sent, in the
// words of tcpprep. The sides are learned before the run, by reading the whole capture once.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conf/conf.h"

enum cap_side { CAP_CLIENT, CAP_SERVER, CAP_SIDES };

enum cap_split_by {
	CAP_SPLIT_NONE,   // all frames are the client's
	CAP_SPLIT_AUTO,   // by MAC address, else by role; without two sides all are the client's
	CAP_SPLIT_MAC,    // by source MAC address
	CAP_SPLIT_SUBNET, // servers have source addresses in one of the networks
	CAP_SPLIT_PORT,   // by TCP and UDP ports: the lower one is the server's
	CAP_SPLIT_ROLE,   // by IP address: who asks is a client, who answers is a server
};

struct cap_net {
	uint8_t addr[16]; // IPv4 in the first four bytes
	uint8_t bits;
	bool v6;
};

#define CAP_SPLIT_LIST 16

struct cap_split_params {
	enum cap_split_by by;
	unsigned n; // of net or mac; CAP_SPLIT_MAC: 0 where the sides are learned
	union {
		struct cap_net net[CAP_SPLIT_LIST];
		uint8_t mac[CAP_SPLIT_LIST][6]; // of the servers
	};
};

#define CAP_SPLIT_WANTED "auto, mac, mac ADDRESS,..., subnet NET,..., port, client-server or none"

// Reads a split as users write it: "auto", "subnet 10.0.0.0/8,fd00::/8". -EINVAL and what would be
// right in `err`, without the text itself; then *p stays as it is.
int cap_split_parse(const char *text, struct cap_split_params *p, struct err *err);

struct cap_split;

// Reads all frames of the captures at `path`, and learns who is on which side. -EINVAL and one line
// in err: a capture that cannot be read, three sides that speak with each other, or a side that
// sends nothing, except with CAP_SPLIT_AUTO.
int cap_split_learn(struct cap_split **s, const struct cap_split_params *p, const char *const *path,
	unsigned n_paths, struct err *err);
void cap_split_free(struct cap_split *s);

// Returns the rule by which the sides were decided. CAP_SPLIT_AUTO has chosen one of the others;
// CAP_SPLIT_NONE: there are not two sides.
enum cap_split_by cap_split_found(const struct cap_split *s);

// What follows is for the files of this room only.
#pragma GCC visibility push(hidden)

// The side that sent a frame. Any thread may ask.
enum cap_side cap_split_side(const struct cap_split *s, const uint8_t *bytes, unsigned len);

#pragma GCC visibility pop
