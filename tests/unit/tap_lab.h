// SPDX-License-Identifier: BSD-3-Clause
// Shared by the tests of room tap: a scene, a tap of it, its stream read back.
#pragma once

#include "scene_lab.h"

#include "cap/cap.h"
#include "frame/frame.h"
#include "tap/tap.h"

#define TAP_LAB_BEGIN 1700000000000000000ull // ns since 1970

static struct tap_lab {
	struct scene *scene;
	struct tap *tap;
	unsigned s1;     // the switch, and its port to the receiver
	unsigned port_r; // "s1:r"
	struct hdr hdr;
} tl;

// Sums over the blocks that were read of a stream.
struct tap_stream {
	unsigned ports, frames, stats;
	char comment[PCAPNG_COMMENT + 1]; // of the last frame
	struct pcapng_block last;         // frame; its bytes are gone
	struct pcapng_counts counts;      // sums
};

static inline int tap_lab_try(const char *text, tstamp now)
{
	return tap_new(&tl.tap, tl.scene, TAP_LAB_BEGIN, now, text, &lab_err);
}

static inline void tap_lab_open(const char *text)
{
	memset(&tl, 0, sizeof(tl));
	tl.scene = lab(LAB);
	assert_true(scene_port(tl.scene, "s1:r", &tl.s1, &tl.port_r));
	if (text && tap_lab_try(text, 0))
		fail_msg("%s", lab_err.text);
	tl.hdr = (struct hdr){.dst = {2, 0, 0, 0, 0, 1},
		.src = {2, 0, 0, 0, 0, 2},
		.ethertype = 0x0800,
		.saddr = {10, 0, 0, 1},
		.daddr = {10, 0, 0, 3},
		.sport = 49152,
		.dport = 4791,
		.flags = HDR_IPV4,
		.proto = 17,
		.ttl = 64,
		.id = 7};
}

static inline void tap_lab_close(void)
{
	tap_free(tl.tap);
	scene_free(tl.scene);
}

static inline struct pkt tap_lab_data(uint32_t psn)
{
	return (struct pkt){.hdr = &tl.hdr,
		.kind = PKT_DATA,
		.cls = 3,
		.tos = 26 << 2 | ECN_ECT0,
		.len = 1082,
		.u.rc = {.opcode = 7, .psn = psn, .qpn = 0x11, .payload = 1024}};
}

// A frame that s1:r sends (dir 1) or receives.
static inline void tap_lab_frame(int dir, tstamp t, const struct pkt *p)
{
	const struct tap_frame f = {.node = (uint16_t)tl.s1,
		.port = (uint16_t)tl.port_r,
		.dir = dir,
		.t = t,
		.pkt = p,
		.has_queue = dir && p->kind != PKT_PFC,
		.queue_bytes = 12345};

	tap_frame(tl.tap, &f);
}

static inline void tap_lab_event(struct ev e)
{
	e.port = (uint16_t)tl.port_r;
	tap_event(tl.tap, tl.s1, &e);
}

// Reads the bytes that wait, whole blocks of them, up to `most` bytes.
static inline void tap_lab_read(struct tap_stream *s, size_t most)
{
	static uint8_t hold[2 * TAP_BUFFER];
	size_t n, have = 0;

	while (have < most) {
		const void *bytes = tap_bytes(tl.tap, &n);

		n = n < most - have ? n : most - have;
		if (!n)
			break;
		memcpy(hold + have, bytes, n);
		have += n;
		tap_took(tl.tap, n);
	}
	for (size_t at = 0; at < have;) {
		struct pcapng_block b;
		int size = pcapng_read(&b, hold + at, have - at);

		assert_true(size > 0);
		at += (size_t)size;
		s->ports += b.kind == PCAPNG_PORT;
		s->frames += b.kind == PCAPNG_FRAME;
		s->stats += b.kind == PCAPNG_STATS;
		s->counts.seen += b.counts.seen;
		s->counts.lost += b.counts.lost;
		s->counts.accepted += b.counts.accepted;
		s->counts.unsent += b.counts.unsent;
		if (b.kind != PCAPNG_FRAME)
			continue;
		strcpy(s->comment, b.text);
		s->last = b;
	}
}
