// SPDX-License-Identifier: BSD-3-Clause
// A whole capture in memory, as it is sent: for tests that look at all of its frames.
#pragma once

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cap/cap.h"

struct cap {
	struct replay_frame *frame; // at: ps since the first frame
	unsigned n;
	uint64_t first_ns; // of the first frame to be sent, since 1970
	uint32_t max_len;
	struct cap_seen seen;
};

static inline void cap_free(struct cap *c)
{
	for (unsigned i = 0; i < c->n; i++)
		free((void *)c->frame[i].bytes);
	free(c->frame);
	*c = (struct cap){0};
}

static inline int cap_keep(struct cap *c, struct replay_frame f)
{
	struct replay_frame *more = realloc(c->frame, (c->n + 1ul) * sizeof(*more));
	uint8_t *bytes = malloc(f.len);

	c->frame = more ? more : c->frame;
	if (!more || !bytes) {
		free(bytes);
		return -ENOMEM;
	}
	memcpy(bytes, f.bytes, f.len);
	f.bytes = bytes;
	c->frame[c->n++] = f;
	c->max_len = f.len > c->max_len ? f.len : c->max_len;
	return 1;
}

// The instant of the first frame that is whole, from the file once more.
static inline uint64_t cap_first_ns(const char *path)
{
	struct cap_frame f = {0};
	struct cap_in *in;
	struct err err;

	if (cap_in_open(&in, path, &err))
		return 0;
	while (cap_in_next(in, &f, &err) == 1 && (f.len < f.wire_len || f.len > PKT_MAX_LEN))
		;
	cap_in_close(in);
	return f.ns;
}

// As cap_play_open and cap_play_next, one round at the recorded pace.
static inline int cap_read(struct cap *c, const char *path, struct err *err)
{
	const struct cap_play_params p = {.path = &path,
		.n_paths = 1,
		.pace = CAP_RECORDED,
		.speed = CAP_SPEED_ONE,
		.loops = 1};
	struct cap_play *play;
	struct replay_frame f;
	int rc = cap_play_open(&play, &p, err);

	*c = (struct cap){0};
	if (rc)
		return rc;
	while ((rc = cap_play_next(play, &f, err)) == 1 && (rc = cap_keep(c, f)) == 1)
		;
	c->seen = *cap_play_seen(play);
	cap_play_close(play);
	if (rc)
		cap_free(c);
	else
		c->first_ns = cap_first_ns(path);
	return rc;
}
