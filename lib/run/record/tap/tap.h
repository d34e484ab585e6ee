// SPDX-License-Identifier: BSD-3-Clause
// A tap: a capture that begins and ends while a run goes on. It takes frames and events of some
// ports, and makes a stream of pcapng of them, with comments that say what the node decided.
//
// One thread at a time calls it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "algo/red.h"
#include "contract/contract.h"
#include "scene/scene.h"
#include "wire/pkt.h"
#include "hit.h"

#define TAP_BUFFER (4u << 20) // bytes of the stream that wait for their reader

struct tap;

struct tap_port {
	uint16_t node, port; // of the scene; of a host with lanes: of lane 0
};

// A frame that a port has received or sent.
struct tap_frame {
	uint16_t node, port;
	int dir;  // 0: received, 1: sent
	tstamp t; // last bit in, or first bit out
	const struct pkt *pkt;
	bool has_queue;            // sent by a switch from a queue,
	uint32_t queue_bytes;      // in which it left so many bytes
	const struct red_cfg *red; // the marker of that queue; NULL: none
};

// Makes a tap of what `text` says, in lines of a word and its value:   ports s1:h3,h1   ports of
// nodes, and nodes, of which all ports are meant   count 10         ends after so many frames   for
// 1000000      ends after so much scene time, ps   filter udp       frames that libpcap's filter
// lets pass; the rest of the line `begin_ns`: scene time 0, ns since 1970; `now`: frames from then
// on are taken. -EINVAL, -ENOENT or -ENOMEM, and a line.
int tap_new(struct tap **tap, const struct scene *s, uint64_t begin_ns, tstamp now,
	const char *text, struct err *err);
void tap_free(struct tap *t);

unsigned tap_ports(const struct tap *t);
struct tap_port tap_port(const struct tap *t, unsigned i);

// Somebody marks the run: the next frame of each port from `t` on has the text in its comment.
void tap_mark(struct tap *t, tstamp at, const char *text);
// An event of a node. Events of a frame come before the frame.
void tap_event(struct tap *t, unsigned node, const struct ev *e);
// A frame of any port; frames of a port come in the order of their time.
void tap_frame(struct tap *t, const struct tap_frame *f);
// How many frames of its port i were lost, from the beginning on, before they came to the tap.
void tap_lost(struct tap *t, unsigned i, uint64_t frames);
// The scene's time goes on; a tap may end by it.
void tap_turn(struct tap *t, tstamp now);
// Ends the tap: the stream has the counts of its ports at its end. Ending twice does nothing.
void tap_end(struct tap *t, tstamp now);
bool tap_has_ended(const struct tap *t);

// Frames that the stream lacks: lost before they came to the tap, or without room in the stream.
uint64_t tap_missing(const struct tap *t);

// The stream: the bytes that can be read now, *n of them; tap_took() removes some from its
// beginning. Room for the counts of the end is always kept.
const void *tap_bytes(const struct tap *t, size_t *n);
void tap_took(struct tap *t, size_t n);
