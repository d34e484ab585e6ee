// SPDX-License-Identifier: BSD-3-Clause
// Functions that several kinds of the fabric share.
#pragma once

#include "fabric.h"

#pragma GCC visibility push(hidden)

// Counters of a switch's port and class over the window.
struct sw_class_stats fabric_class_window(const struct rec_queue *q);

// fabric_percent(): share of the window in percent; 0: the window has no length. fabric_per_s():
// events of the window per second.
double fabric_percent(const struct summary *s, tstamp ps);
double fabric_per_s(const struct summary *s, uint64_t n);

// Converts the bytes after an XOFF (M2) into the response time of the peer: their time at the rate
// of the link, less XOFF itself and the delay in both directions.
double fabric_response_us(const struct scene_port *p, double bytes);

// Calls `fn` for each observed port, in the order of the scene, until it returns false.
typedef bool fabric_see(void *arg, const struct scene_port *p, const struct outside *o);
void fabric_each_outside(const struct summary *s, fabric_see *fn, void *arg);
// How many observed ports there are.
size_t fabric_n_outside(const struct summary *s);
// Whether a port of a scene is observed, for the names of objects.
bool fabric_is_observed(const struct scene_node *n, unsigned port, unsigned cls);

// Response times to PFC that 802.3 allows, in quanta; NAN: none is known for the rate.
double fabric_pfc_limit(rate_t rate);

// Compares pause frames of a real port's MAC with its node's. `may_be`: of the frames that never
// reached the node, so many are known to be lost, and may have been pause frames.
void fabric_mac(struct fabric_mac *m, const struct summary *s, const struct record_device *is,
	double may_be);

#pragma GCC visibility pop
