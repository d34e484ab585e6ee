// SPDX-License-Identifier: BSD-3-Clause
// Captures in: every frame of a pcap or pcapng file, its bytes and its instant, in memory.
#include "cap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "in.h"

// A capture while it grows: bytes move, so frames keep offsets until the end.
struct grow {
	struct cap *c;
	size_t bytes, bytes_cap, frames_cap;
	uint64_t last_ns;
	uint64_t seen; // frames, all
};

static int reserve(void **p, size_t *cap, size_t want, size_t size)
{
	size_t n = *cap ? *cap : 256;
	void *more;

	if (want <= *cap)
		return 0;
	while (n < want)
		n *= 2;
	more = realloc(*p, n * size);
	if (!more)
		return -ENOMEM;
	*p = more;
	*cap = n;
	return 0;
}

static int add_frame(struct grow *g, const struct cap_frame *from)
{
	struct cap *c = g->c;
	uint64_t ns = from->ns;
	struct replay_frame *f;

	if (from->len < from->wire_len || !from->len) {
		c->snapped++;
		return 0;
	}
	if (from->len > PKT_MAX_LEN) {
		c->oversized++;
		return 0;
	}
	if (reserve((void **)&c->frame, &g->frames_cap, c->n + 1, sizeof(*c->frame)) ||
		reserve((void **)&c->bytes, &g->bytes_cap, g->bytes + from->len, 1))
		return -ENOMEM;
	if (!c->n)
		c->first_ns = g->last_ns = ns;
	if (ns < g->last_ns) {
		if (!c->backwards++)
			c->first_backwards = g->seen;
		ns = g->last_ns;
	}
	if (ns - c->first_ns > UINT64_MAX / PS_PER_NS)
		return -ERANGE;
	g->last_ns = ns;
	f = &c->frame[c->n++];
	f->at = (ns - c->first_ns) * PS_PER_NS;
	f->len = (uint16_t)from->len;
	memcpy(c->bytes + g->bytes, from->bytes, from->len);
	g->bytes += from->len;
	c->max_len = from->len > c->max_len ? from->len : c->max_len;
	return 0;
}

static int read_frames(struct grow *g, struct cap_in *in, const char *path, struct err *err)
{
	struct cap_frame f;
	int got;

	while ((got = cap_in_next(in, &f, err)) == 1) {
		int rc;

		g->seen++;
		rc = add_frame(g, &f);
		if (rc == -ERANGE)
			return err_set(err, rc,
				"%s: frame %llu comes %llu s after the first; 18446744 s (2^64 "
				"ps) are the most",
				path, (unsigned long long)g->seen,
				(unsigned long long)((f.ns - g->c->first_ns) /
						     (PS_PER_S / PS_PER_NS)));
		if (rc)
			return err_set(err, rc, "%s: no memory for frame %llu", path,
				(unsigned long long)g->seen);
	}
	if (got || g->c->n)
		return got;
	return err_set(err, -EINVAL,
		"%s: none of its %llu frames is whole (captured with a snap length, or over "
		"%d bytes)",
		path, (unsigned long long)g->seen, PKT_MAX_LEN);
}

int cap_read(struct cap *c, const char *path, struct err *err)
{
	struct grow g = {.c = c};
	struct cap_in *in;
	size_t at = 0;
	int code;

	*c = (struct cap){0};
	code = cap_in_open(&in, path, err);
	if (code)
		return code;
	code = read_frames(&g, in, path, err);
	cap_in_close(in);
	if (code) {
		cap_free(c);
		return code;
	}
	for (unsigned i = 0; i < c->n; at += c->frame[i++].len)
		c->frame[i].bytes = c->bytes + at;
	return 0;
}

void cap_free(struct cap *c)
{
	free(c->frame);
	free(c->bytes);
	*c = (struct cap){0};
}
