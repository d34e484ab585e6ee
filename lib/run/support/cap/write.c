// SPDX-License-Identifier: BSD-3-Clause
// A capture that is written: a section, its interfaces, and their frames.
#include "cap.h"

#include <errno.h>
#include <stdlib.h>

#include "out/out.h"

struct capw {
	struct out out;
	uint64_t begin_ns; // since 1970, of instant 0
	unsigned n;
	bool *ps;            // the timestamps of each interface
	const char *comment; // of the next frame, or NULL
};

int capw_open(struct capw **out, const char *path, struct err *err)
{
	struct capw *w = calloc(1, sizeof(*w));
	int code;

	if (!w)
		return err_set(err, -ENOMEM, "%s: no memory", path);
	code = out_open(&w->out, path, err);
	if (code) {
		free(w);
		return code;
	}
	out_upto(&w->out, pcapng_section(out_room(&w->out, PCAPNG_SECTION)));
	*out = w;
	return 0;
}

void capw_begin(struct capw *w, uint64_t ns)
{
	w->begin_ns = ns;
}

int capw_interface(struct capw *w, const char *name, rate_t rate, bool ps)
{
	const struct pcapng_clock clock = {w->begin_ns, ps};
	bool *more = realloc(w->ps, (w->n + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	w->ps = more;
	w->ps[w->n] = ps;
	out_upto(
		&w->out, pcapng_interface(out_room(&w->out, PCAPNG_INTERFACE), name, rate, &clock));
	return (int)w->n++;
}

void capw_comment(struct capw *w, const char *text)
{
	w->comment = text;
}

size_t capw_bytes(const struct capw *w, uint32_t len)
{
	return pcapng_frame_bytes(len, w->comment);
}

int capw_frame(
	struct capw *w, unsigned interface, tstamp t, int dir, const uint8_t *bytes, uint32_t len)
{
	const struct pcapng_frame f = {.interface = interface,
		.t = t,
		.dir = dir,
		.bytes = bytes,
		.len = len,
		.comment = w->comment};

	if (interface >= w->n || len > 0xffff)
		return -EINVAL;
	const struct pcapng_clock clock = {w->begin_ns, w->ps[interface]};

	out_upto(&w->out, pcapng_frame(out_room(&w->out, capw_bytes(w, len)), &clock, &f));
	w->comment = NULL;
	return -w->out.error;
}

const char *capw_path(const struct capw *w)
{
	return w->out.path;
}

int capw_error(const struct capw *w)
{
	return w->out.error;
}

int capw_close(struct capw *w, struct err *err)
{
	int code = w ? out_close(&w->out, err) : 0;

	if (w)
		free(w->ps);
	free(w);
	return code;
}
