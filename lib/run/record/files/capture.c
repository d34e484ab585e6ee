// SPDX-License-Identifier: BSD-3-Clause
// capture.pcapng: frames seen at captured ports.
#include "int.h"

#include <errno.h>
#include <stdlib.h>

#include "frame/frame.h"

#define MARK_TEXT 128

int record_capture_open(struct record *r, struct err *err)
{
	char path[4096];
	bool wanted = false;

	for (unsigned i = 0; i < r->n_ports; i++)
		wanted = wanted || r->port[i].scene->capture;
	if (!wanted)
		return 0;
	r->frame = malloc(FRAME_SHOWN);
	if (!r->frame)
		return err_set(err, -ENOMEM, "no memory for the capture");
	snprintf(path, sizeof(path), "%s/capture.pcapng", r->dir);
	return capw_open(&r->capw, path, err);
}

int record_capture_begin(struct record *r, struct err *err)
{
	if (!r->capw)
		return 0;
	capw_begin(r->capw, r->begin_ns);
	for (unsigned i = 0; i < r->n_ports; i++) {
		struct rec_port *p = &r->port[i];

		if (!p->scene->capture)
			continue;
		p->capture = capw_interface(
			r->capw, p->scene->name, p->scene->rate, p->scene->capture_ps);
		if (p->capture < 0)
			return err_set(err, -ENOMEM, "no memory for the capture");
	}
	return 0;
}

// The comment of a port's first frame behind a mark, or NULL.
static const char *new_mark(struct record *r, unsigned node, unsigned port, char text[MARK_TEXT])
{
	struct rec_port *p = record_obj_port(r, node, port);

	if (p->marks == r->marks)
		return NULL;
	p->marks = r->marks;
	snprintf(text, MARK_TEXT, "mark: %s", evf_text(&r->names->mark, r->mark)->s);
	return text;
}

void record_frame(
	struct record *r, unsigned node, unsigned port, int dir, const struct pkt *p, tstamp t)
{
	int interface = record_obj_port(r, node, port)->capture;
	char text[MARK_TEXT];
	const uint8_t *bytes;
	unsigned len;

	if (interface < 0 || r->full)
		return;
	len = frame_shown(p, r->scene->payload, r->frame, &bytes);
	capw_comment(r->capw, new_mark(r, node, port, text));
	if (capw_bytes(r->capw, len) > r->room) {
		record_want_stop(r, NULL, t);
		return;
	}
	r->room -= capw_bytes(r->capw, len);
	capw_frame(r->capw, (unsigned)interface, t, dir + 1, bytes, len);
}
