// SPDX-License-Identifier: BSD-3-Clause
// What the kinds share: room for their objects, and what several of them compute.
#pragma once

#include "look.h"
#include "row.h"
#include "summary.h"

#pragma GCC visibility push(hidden)

// The kinds, each in the file of its noun.
extern const struct kind kind_total, kind_drop, kind_nic_drop, kind_group, kind_size, kind_flow,
	kind_link, kind_queue, kind_marking, kind_bin, kind_pfc, kind_pfc_tx, kind_pg, kind_pool,
	kind_buffer, kind_wd, kind_deadlock, kind_np, kind_cnp, kind_cp, kind_iqcn, kind_iqcn_table,
	kind_fast_cnp, kind_fast_cnp_table, kind_source, kind_stream, kind_replay, kind_rxbuf,
	kind_nic, kind_port, kind_plugin, kind_device, kind_recon, kind_instrument;

// All objects of a kind, made at the first use. They stay where they are.
const struct set *summary_set(struct summary *s, enum kind_id kind);

// Room for n zeroed objects of a kind in an empty set. -ENOMEM.
int set_room(struct set *set, const struct kind *k, size_t n);

// The next object of those that set_room() made room for.
static inline void *set_add(struct set *set)
{
	return set_at(set, set->n++);
}

// The figure of this name; false: there is none.
bool kind_figure(const struct kind *k, const char *name, struct figure *out);
// The figure that had this name once; false: none had.
bool kind_figure_was(const struct kind *k, const char *name, struct figure *out);

// Figures of h divided by `unit`. NULL: none.
struct summary_dist summary_dist(const struct hist *h, double unit);
// Of completion times and their ratios as the record keeps them.
struct summary_messages summary_messages(
	const struct hist *fct, const struct hist *posted, const struct hist *slowdown);
// Bytes sent on the wire in `frames` frames against those allowed, 0: no limiter.
struct summary_pace summary_pace(uint64_t sent, uint64_t owed, uint64_t frames);
// Counters over the window: of a priority of a port, of pauses sent or received; of a switch's port
// and class; of a NIC.
struct pause_stats summary_pause_window(const struct rec_port *p, unsigned prio, bool sent);
struct sw_class_stats summary_class_window(const struct rec_queue *q);
struct nic_stats summary_nic_window(const struct record *r, unsigned node);

// Share of the window in percent; 0 where it has no length. Events of the window for each second.
double summary_percent(const struct summary *s, tstamp ps);
double summary_per_s(const struct summary *s, uint64_t n);
double summary_ratio(uint64_t part, uint64_t whole); // NAN: of nothing

// Sorts x, of which those that are NAN do not count.
struct summary_among summary_among(double *x, unsigned n);

// Jain's index (sum x)^2 / (n sum x^2); NAN for n 0 or all zero.
double summary_jain(const double *x, unsigned n);

// Frames that a port has sent or received, by its node's own counter, whole run; NAN: a replay's,
// which counts other things.
double summary_port_frames(const struct record *r, const struct rec_port *p, bool sent);

// Response times to PFC that 802.3 allows, in quanta; NAN: none is known for the rate.
double summary_pfc_limit(rate_t rate);

// Names of keys: "qp", "ip_pair" ...
const char *summary_cnp_key(enum np_key key);

#pragma GCC visibility pop
