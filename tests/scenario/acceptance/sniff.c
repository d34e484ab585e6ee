// SPDX-License-Identifier: BSD-3-Clause
// Captures of acceptance tests: a folder for the run, frames picked out, the folder gone.
#include "sniff.h"

#include <stdlib.h>
#include <unistd.h>

#include "cap/cap.h"

#define TOS_AT 15 // in an untagged IPv4 frame

void sniff_open(struct sniff *f)
{
	snprintf(f->dir, sizeof(f->dir), "/tmp/quench-sniff-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->out, sizeof(f->out), "out=%s", f->dir);
	f->n = 0;
}

void sniff_read(struct sniff *f)
{
	struct cap_frame frame;
	struct cap_in *in;
	struct err err;
	char path[64];

	snprintf(path, sizeof(path), "%s/capture.pcapng", f->dir);
	if (cap_in_open(&in, path, &err))
		fail_msg("%s", err.text);
	while (cap_in_next(in, &frame, &err) == 1) {
		if (frame.len <= TOS_AT || frame.bytes[12] != 0x08 || frame.bytes[13] != 0x00)
			continue;
		assert_true(f->n < SNIFF_FRAMES);
		f->tos[f->n++] = frame.bytes[TOS_AT];
	}
	cap_in_close(in);
}

void sniff_close(struct sniff *f)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r '%s'", f->dir);
	assert_int_equal(system(command), 0);
}
