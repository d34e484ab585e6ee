// SPDX-License-Identifier: BSD-3-Clause
// Room hardware makes switches and hosts from a draft: buffers and thresholds, headroom, congestion
// points, routes, replays, and how lcores share them. It needs room draft.
#pragma once

#include "draft/draft.h"

uint8_t hardware_dscp(const struct draft_node *host, unsigned cls);
uint8_t hardware_pcp(const struct draft_node *host, unsigned cls);
void hardware_address(const struct draft_node *host, uint8_t mac[6], struct opt_ip *ip);
// Whether frames of a host to another one go by its gateway. Hosts are compiled.
bool hardware_by_gateway(
	const struct draft *b, const struct draft_node *from, const struct draft_node *to);
bool hardware_replays(const struct draft_node *host);
// Whether it has a NIC, as a host has that neither only replays nor is a tester.
bool hardware_has_nic(const struct draft_node *host);
// The path of a shared object that a scenario names, from the scenario's folder on; NULL: memory
// is out.
char *hardware_object_file(struct draft *b, const char *file);
const struct opt_table *hardware_class_table(const char *key);
// Returns the bytes that a single group or queue may take of a shared pool with a dynamic
// threshold: limit = 2^n (shared - limit).
uint64_t hardware_alone(int dynamic_th, uint64_t shared);
// Returns the highest XOFF of a group (lossy: where it drops), its reserve included: if nothing
// else is in the switch. A dynamic threshold is lower while others hold frames, a static one never
// is.
uint64_t hardware_xoff(const struct scene_node *sw, unsigned port, unsigned pg);
// XOFF of a group that is one of n which are all at it.
uint64_t hardware_xoff_among(const struct scene_node *sw, unsigned port, unsigned pg, unsigned n);
// XON at most, likewise.
uint64_t hardware_xon(const struct scene_node *sw, unsigned port, unsigned pg);
// Whether a group is lossless at a port of a switch, and whether PFC is sent and obeyed for it
// there.
bool hardware_pg_is_lossless(const struct draft_port *p, unsigned pg);
bool hardware_pg_has_pfc(const struct draft_port *p, unsigned pg);
// hardware_peer_pauses(): whether the node at the other end of a port sends PAUSE.
// hardware_obeys_pause(): whether the node obeys PAUSE at this port.
bool hardware_peer_pauses(const struct draft_node *n, unsigned port);
bool hardware_obeys_pause(const struct draft_node *n, unsigned port);
uint64_t hardware_port_headroom(const struct draft *b, const struct draft_port *p);
// Longest frame without FCS.
uint32_t hardware_port_mtu(const struct draft *b, const struct draft_port *p);
// Returns whether a control is QCN. The check refuses settings of QCN that do not go together.
bool hardware_control_is_qcn(const struct draft_control *c);
int hardware_control_qcn_check(struct draft *b, const struct draft_control *c);

// Steps, in this order.
int hardware_addresses(struct draft *b);
int hardware_nodes_fill(struct draft *b); // once flows are read
// Makes testers of the hosts that scene_opts names.
int hardware_testers(struct draft *b);
int hardware_observers(struct draft *b); // once nodes are filled
int hardware_switches(struct draft *b);
int hardware_hosts(struct draft *b);
int hardware_finish_hosts(struct draft *b); // once all flows are there
int hardware_routes(struct draft *b);
// The first static entry of a switch for a host of this address; NULL: it has none.
const struct sw_fdb_params *hardware_entry(const struct draft *b, const struct draft_node *sw,
	const struct draft_node *host, const uint8_t mac[6]);
int hardware_filtered(struct draft *b); // warns of frames of a replay that nobody gets
int hardware_shards(struct draft *b);
int hardware_lanes(struct draft *b);

#include "headroom.h"
