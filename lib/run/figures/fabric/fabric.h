// SPDX-License-Identifier: BSD-3-Clause
// Room fabric has the kinds between hosts: links, ports, queues and their markers, PFC at both ends
// of a link, buffers, the watchdog, congestion points, CNPs of switches, and real ports. Each is in
// the file of its noun, and nobody else knows its struct. It needs the language of kinds (room
// kind) and the flows and sources that links carry (room host).
#pragma once

#include "host/host.h"

extern const struct kind kind_link, kind_queue, kind_marking, kind_bin, kind_pfc, kind_pfc_tx,
	kind_pg, kind_pool, kind_buffer, kind_wd, kind_deadlock, kind_cp, kind_iqcn,
	kind_iqcn_table, kind_fast_cnp, kind_fast_cnp_table, kind_port, kind_device, kind_fault,
	kind_outside, kind_outside_pause, kind_outside_cnp, kind_outside_stream;

// The part of an egress queue that other kinds read.
struct fabric_queue {
	const struct rec_queue *rec;
	struct sw_class_stats w; // switches only
	bool lossless;           // the class is, at every port
	bool held; // it has held a frame; else frames of its port and class only came in
	const struct red_cfg *red; // NULL: no marker
	struct red_cfg own_red;
	double mean_bytes, std_bytes; // NAN: not monitored
	double p50, p90, p95, p99, p999;
	uint64_t max;
	double above_kmin_percent, above_kmax_percent, empty_percent; // NAN: not monitored
	bool two_sided; // the switch's buffer has two sides
	uint64_t limit; // with two sides: at the end
};

// Pause frames, PFC and 802.3x, that the MAC of a real port counted in the whole run, once for each
// class of a PFC frame; NAN: its driver does not tell.
struct fabric_mac {
	double rx, tx;
	double kept;      // received ones that never reached the node: at least so many
	double made;      // sent ones that are not the node's: at least so many
	double paused_us; // time for which received ones stopped classes, added up
};

// The part of a real port that other kinds read.
struct fabric_device {
	struct record_device is;
	uint64_t lost_rx, lost_tx; // frames before and behind the node
	uint64_t own;              // of lost_rx, those that the instrument lost
	struct fabric_mac mac;
	uint64_t lossless; // of lost_rx, those that may have been of a lossless class
	double received;   // by the node's counter, with frames that faults took; NAN: it has none
};

// The number of the queue of a port that was longest; -1: none was in use.
int fabric_deepest(const struct summary *s, const struct rec_port *p);
// The port of the busiest link that leaves a switch; NULL: nothing was sent.
const struct rec_port *fabric_bottleneck(const struct summary *s);
// Whether an ingress group of a switch's port is lossless.
bool fabric_is_lossless(const struct scene_node *n, unsigned port, unsigned pg);

// Faults that no frame has met, optional ones left out.
unsigned fabric_faults_never_hit(const struct summary *s);

// Real port i.
const struct fabric_device *fabric_device(const struct summary *s, unsigned i);

// The port and the number of ingress group i.
const struct rec_port *fabric_pg_port(const struct summary *s, unsigned i);
unsigned fabric_pg_number(const struct summary *s, unsigned i);

// How much a port of a switch received after an XOFF that it had sent; bytes with preamble and gap.
struct fabric_answer {
	const struct rec_port *port;
	unsigned prio;
	uint64_t after_bytes; // most after one XOFF
	uint64_t limit_bytes; // of a peer that stops in time
};

// Whether the peer has sent on for longer than it may after an XOFF of kind_pfc_tx's object i.
bool fabric_went_on(const struct summary *s, unsigned i, struct fabric_answer *a);

// Counters of a priority of a port over the window, of pauses sent or received.
struct pause_stats fabric_pause_window(const struct rec_port *p, unsigned prio, bool sent);
// Frames that a port has sent or received, by its node's own counter, in the whole run.
double fabric_port_frames(const struct record *r, const struct rec_port *p, bool sent);
// Frames that have come to a port, whatever faults have made of them before its node.
double fabric_port_came(const struct record *r, const struct rec_port *p);
// Frames that faults of a port took, copied, changed or forged, or still hold. Some may be PFC or
// PAUSE.
double fabric_changed_by_faults(const struct record *r, const struct rec_port *p);

// Writes marking.csv.
int fabric_marking_write(const struct summary *s, struct err *err);
