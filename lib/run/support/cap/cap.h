// SPDX-License-Identifier: BSD-3-Clause
// Captures: pcap and pcapng read, gz and zst too; pcapng with timestamps in ns or ps written.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/rate.h"
#include "base/tstamp.h"
#include "load/load.h"
#include "conf/conf.h"

// pcapng writer: one section, an interface per port (if_name, if_tsresol 9 or 12), enhanced packet
// blocks.
struct capw;
int capw_open(struct capw **w, const char *path, struct err *err);
// Sets how many ns since 1970 instant 0 of the frames is; without this call it is 1970. Call it
// before the first interface.
void capw_begin(struct capw *w, uint64_t ns);
// Its timestamps are in ps, or else in ns, rounded down. 64 bits of ps last for 213 days, so that
// those of an interface with ps count from the second in which the frames began (if_tsoffset).
// Returns the interface's number, or -ENOMEM.
int capw_interface(struct capw *w, const char *name, rate_t rate, bool ps);
// dir: 1 inbound, 2 outbound (epb_flags). -EINVAL: no such interface, over 65535 bytes; else
// -errno of the first write that failed.
int capw_frame(
	struct capw *w, unsigned interface, tstamp t, int dir, const uint8_t *bytes, uint32_t len);
// The comment of the next frame, whose text stays until it is written; NULL: none.
void capw_comment(struct capw *w, const char *text);
// Bytes of the file that the next frame takes if it has `len`.
size_t capw_bytes(const struct capw *w, uint32_t len);
const char *capw_path(const struct capw *w);
// The errno of the first write that failed; 0: none.
int capw_error(const struct capw *w);
// -errno with a line where the file is incomplete; NULL is closed already.
int capw_close(struct capw *w, struct err *err);

#include "decode.h"
#include "decode_sum.h"
#include "feed.h"
#include "in.h"
#include "pcapng.h"
#include "play.h"
#include "split.h"
