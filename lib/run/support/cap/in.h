// SPDX-License-Identifier: BSD-3-Clause
// Reads a capture frame by frame, without holding all of it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "conf/conf.h"

struct cap_in;

struct cap_frame {
	uint64_t ns; // since 1970, below 2^63
	const uint8_t *bytes;
	uint32_t len;      // bytes that the capture has
	uint32_t wire_len; // bytes that the frame had; more where the capture cut it
};

// Opens a pcap or pcapng file of Ethernet frames, which gzip or Zstandard may have packed; "-" is
// standard input. -ENOENT, -EACCES, -EINVAL (not a capture, another link type): one line in err.
int cap_in_open(struct cap_in **in, const char *path, struct err *err);

// 1: the next frame, whose bytes stay until the next call; 0: the end; -EINVAL: the file is broken
// here, ends without a frame, or a signal came that does not let a read(2) go on; -ERANGE: the
// frame's time is before 1970 or after 2262; one line in err.
int cap_in_next(struct cap_in *in, struct cap_frame *f, struct err *err);

void cap_in_close(struct cap_in *in);

// What follows is for the files of this room only.
#pragma GCC visibility push(hidden)

// Goes back to the first frame of a file that is so small that it is still in memory. False: open
// it again.
bool cap_in_rewind(struct cap_in *in);

#pragma GCC visibility pop
