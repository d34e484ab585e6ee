// SPDX-License-Identifier: BSD-3-Clause
// Shared by the files of room tap: the wishes of a tap, and the notes about its ports.
#pragma once

#include <pcap/pcap.h>

#include "cap/cap.h"
#include "tap.h"

#pragma GCC visibility push(hidden)

// The ports, the filter and the end that the text of a tap names.
struct tap_want {
	struct tap_port *port;
	unsigned n_ports;
	uint64_t count; // 0: no end
	tstamp time;    // 0: no end
	struct bpf_program filter;
	bool filters;
};

int tap_want_read(struct tap_want *w, const struct scene *s, const char *text, struct err *err);
void tap_want_free(struct tap_want *w);

// Events of a port about frames that are still to come.
struct tap_note;

// NULL: no memory.
struct tap_note *tap_note_new(void);
void tap_note_free(struct tap_note *n);
void tap_note_event(struct tap_note *n, const struct ev *e);
// Keeps the sentence `what` and `text` for the next frame from `t` on.
void tap_note_moment(struct tap_note *n, tstamp t, const char *what, const char *text);
// Writes the comment of a frame of the port; "" if there is nothing to say.
void tap_note_frame(struct tap_note *n, const struct scene *s, const struct tap_frame *f, char *buf,
	size_t size);

#pragma GCC visibility pop
