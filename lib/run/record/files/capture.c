// SPDX-License-Identifier: BSD-3-Clause
// capture.pcapng: frames seen at captured ports.
#include "int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frame/frame.h"

#define MARK_TEXT 128
#define COMMENT   256

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

static void take_fault(struct record *r, const struct ev *e)
{
	struct rec_port *p = record_obj_port(r, e->node, e->port);

	if (p->hits)
		tap_hits_take(p->hits, e);
}

// Faults are told before the frames that they hit.
static int expect_faults(struct record *r, struct rec_port *p, struct err *err)
{
	p->hits = r->scene->n_faults ? tap_hits_new() : NULL;
	if (r->scene->n_faults && !p->hits)
		return err_set(err, -ENOMEM, "no memory for the capture");
	r->take[EV_FAULT] = take_fault;
	return 0;
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
		if (expect_faults(r, p, err))
			return -ENOMEM;
	}
	return 0;
}

// The comment of a frame, or NULL: the mark before a port's first frame behind it, and the faults
// that hit the frame as it came in.
static const char *comment_of(struct record *r, struct rec_port *port, int dir, const struct pkt *p,
	tstamp t, char text[COMMENT])
{
	char fault[COMMENT - MARK_TEXT];
	size_t at;

	*text = '\0';
	if (port->marks != r->marks)
		snprintf(text, MARK_TEXT, "mark: %s", evf_text(&r->names->mark, r->mark)->s);
	port->marks = r->marks;
	at = strlen(text);
	if (!dir && port->hits) {
		const char *between = at ? "; " : "";

		if (tap_hits_say(port->hits, p, t, fault, sizeof(fault)))
			snprintf(text + at, COMMENT - at, "%s%s", between, fault);
	}
	return *text ? text : NULL;
}

void record_frame(
	struct record *r, unsigned node, unsigned port, int dir, const struct pkt *p, tstamp t)
{
	struct rec_port *seen = record_obj_port(r, node, port);
	int interface = seen->capture;
	char text[COMMENT];
	const uint8_t *bytes;
	unsigned len;

	if (interface < 0 || r->full)
		return;
	len = frame_shown(p, r->scene->payload, r->frame, &bytes);
	capw_comment(r->capw, comment_of(r, seen, dir, p, t, text));
	if (capw_bytes(r->capw, len) > r->room) {
		record_want_stop(r, NULL, t);
		return;
	}
	r->room -= capw_bytes(r->capw, len);
	capw_frame(r->capw, (unsigned)interface, t, dir + 1, bytes, len);
}
