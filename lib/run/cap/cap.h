// SPDX-License-Identifier: BSD-3-Clause
// Captures: pcap and pcapng in by libpcap, pcapng with timestamps in ns or ps out by our own
// writer.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/rate.h"
#include "base/tstamp.h"
#include "load/load.h"
#include "conf/conf.h"

struct cap {
	struct replay_frame *frame; // at: ps since the first frame
	unsigned n;
	uint64_t first_ns; // wall-clock time of the first frame, ns since 1970
	uint32_t max_len;
	unsigned snapped;         // frames cut by the capture: not replayable, left out
	unsigned backwards;       // timestamps that went back: taken as the one before
	uint64_t first_backwards; // number of the first such frame, from 1 as the file has them
	uint8_t *bytes;
	unsigned oversized; // frames over PKT_MAX_LEN bytes: not replayable, left out
};

// pcapng writer: one section, an interface per port (if_name, if_tsresol 9 or 12), enhanced packet
// blocks.
struct capw;
int capw_open(struct capw **w, const char *path, struct err *err);
// Its timestamps are in ps, or else in ns, rounded down. Returns the interface's number, or
// -ENOMEM.
int capw_interface(struct capw *w, const char *name, rate_t rate, bool ps);
// dir: 1 inbound, 2 outbound (epb_flags). -EINVAL: no such interface, over 65535 bytes; else
// -errno of the first write that failed.
int capw_frame(
	struct capw *w, unsigned interface, tstamp t, int dir, const uint8_t *bytes, uint32_t len);
// Bytes of the file that a frame of `len` takes.
size_t capw_bytes(uint32_t len);
const char *capw_path(const struct capw *w);
// The errno of the first write that failed; 0: none.
int capw_error(const struct capw *w);
// -errno with a line where the file is incomplete; NULL is closed already.
int capw_close(struct capw *w, struct err *err);

#include "decode.h"
#include "decode_sum.h"
#include "feed.h"
#include "in.h"
#include "play.h"

// What follows is for the files of this room only.
#pragma GCC visibility push(hidden)

// Reads a whole capture of Ethernet frames. -ENOENT, -EINVAL (not a capture, truncated, empty,
// another link type), -ERANGE (a frame 2^64 ps or more after the first): one line in err.
int cap_read(struct cap *c, const char *path, struct err *err);
void cap_free(struct cap *c);

#pragma GCC visibility pop
