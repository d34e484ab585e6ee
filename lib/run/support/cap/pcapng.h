// SPDX-License-Identifier: BSD-3-Clause
// Blocks of pcapng (draft-ietf-opsawg-pcapng), made and read: section header, interface, enhanced
// packet, interface statistics.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rate.h"
#include "base/tstamp.h"

#define PCAPNG_SECTION    64  // bytes: room that the block takes at most
#define PCAPNG_INTERFACE  512 // the same
#define PCAPNG_STATISTICS 96  // the same
#define PCAPNG_COMMENT    512 // of a frame, without its end; a longer one is cut

// The timestamps of an interface.
struct pcapng_clock {
	uint64_t begin_ns; // since 1970: instant 0 of the frames
	bool ps;           // in ps, or else in ns, rounded down
};

// A frame. dir: 1 inbound, 2 outbound (epb_flags).
struct pcapng_frame {
	unsigned interface;
	tstamp t;
	int dir;
	const uint8_t *bytes;
	uint32_t len;
	const char *comment; // NULL or "": none
};

// What became of the frames that an interface has seen. Their sum: `seen` is the filter's
// `accepted` ones, those that it refused, and `lost` ones; of the accepted ones `unsent` were lost,
// too.
// They are isb_ifrecv, isb_ifdrop, isb_filteraccept and isb_osdrop; isb_usrdeliv is the rest.
struct pcapng_counts {
	uint64_t seen, lost, accepted, unsent;
};

// Each writes one block at `p`, which has the room, and returns its end.
char *pcapng_section(char *p);
// 64 bits of ps last for 213 days, so that those of an interface with ps count from the second in
// which the frames began (if_tsoffset).
char *pcapng_interface(char *p, const char *name, rate_t rate, const struct pcapng_clock *clock);
char *pcapng_frame(char *p, const struct pcapng_clock *clock, const struct pcapng_frame *f);
char *pcapng_statistics(char *p, unsigned interface, const struct pcapng_clock *clock, tstamp t,
	const struct pcapng_counts *counts);
#pragma GCC visibility push(hidden)
// Bytes of a frame's block.
size_t pcapng_frame_bytes(uint32_t len, const char *comment);
#pragma GCC visibility pop

enum pcapng_kind { PCAPNG_OTHER, PCAPNG_PORT, PCAPNG_FRAME, PCAPNG_STATS };

// A block that was read. Pointers lead into its bytes.
struct pcapng_block {
	enum pcapng_kind kind;
	uint32_t size; // of the whole block
	unsigned interface;
	uint64_t time; // of a frame, in the unit of its interface, which is ns here
	int dir;
	const uint8_t *bytes;
	uint32_t len;
	char text[PCAPNG_COMMENT + 1]; // comment of a frame; name of PCAPNG_PORT, an interface
	struct pcapng_counts counts;   // of PCAPNG_STATS
};

#define PCAPNG_BLOCK_MOST (1u << 20)

// Reads the block at the beginning of `n` bytes that pcapng_*() has written. Returns its size; 0:
// it is not whole yet; -EINVAL: these bytes are no such block.
int pcapng_read(struct pcapng_block *b, const uint8_t *p, size_t n);
