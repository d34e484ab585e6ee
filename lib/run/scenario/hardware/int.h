// SPDX-License-Identifier: BSD-3-Clause
// Declarations that the files of this room share: questions to a switch, a host and a link of the
// draft.
#pragma once

#include "hardware.h"

#pragma GCC visibility push(hidden)

// Makes the sets of a switch, and gives each of its ports the number of one.
int hardware_sets(struct draft *b, struct sw_set_params **set, unsigned *n_sets,
	struct sw_port_params *port, const struct draft_node *n);
// QCN, iQCN and Fast CNP of a switch, once its ports are compiled. `set`: its sets, which all get
// the same of these.
int hardware_switch_cn(struct draft *b, struct sw_params *p, struct sw_set_params *set,
	const struct draft_node *n);
// Where the file speaks of a port, else of its switch.
const struct yamldoc_node *hardware_port_place(const struct draft_port *p);
bool hardware_queue_has_size(const struct spec_queue *q);
// The bytes of which XOFF, XON and the thresholds of wred are shares: the queue of the port if it
// has a size, else the buffer of the switch.
uint64_t hardware_queue_whole(const struct draft_port *p, const struct spec_queue *q);
int hardware_replay(struct draft *b, struct draft_node *n);
// Whether it has no NIC because it replays or is a sink, and takes no part in flows.
bool hardware_only_replays(const struct draft_node *host);
// Which host each address of a split capture is behind.
int hardware_sides(struct draft *b);
// Like hardware_xoff(), without the reserve: bytes of the shared pool.
uint64_t hardware_shared(const struct scene_node *sw, unsigned port, unsigned pg);
// Sets the gateway of a host, in a run on the real clock that has a device. Bad input is an error
// on either clock.
int hardware_gateway(struct draft *b, struct nic_gateway *to, const struct draft_node *n);
// Bitmap of the classes that are lossless on the host's link.
uint8_t hardware_pfc_classes(const struct draft_node *host);
// A path of the scenario, which starts from the scenario's folder; NULL: memory is out.
char *hardware_beside(struct draft *b, const char *file);
// Returns the quanta for which a node goes on sending after PFC has arrived at a port of this rate:
// as given, or as 802.3 allows.
uint16_t hardware_pfc_response(const struct draft *b, const struct draft_node *n, rate_t rate);
// Returns how many bytes of a port's longest frame are for VLAN tags that frames from a device of
// the scene may have.
uint32_t hardware_port_tags(const struct draft *b, const struct draft_port *p);
// Whether the scenario says a host's address, by `hosts`.
bool hardware_gives_mac(const struct draft_node *host);
// The address of the other end of a port's link; zero: it is not known, since that end is not ours
// to run and the scenario does not say it.
void hardware_far_mac(const struct draft_node *n, unsigned port, uint8_t mac[6]);
// Whether one of the link's ends is a device, so that its frames leave the process.
bool hardware_is_cut(const struct draft *b, const struct draft_link *l);

#pragma GCC visibility pop
