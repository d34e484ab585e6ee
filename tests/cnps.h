// SPDX-License-Identifier: BSD-3-Clause
// Captures full of CNPs for the sender of a scene's flow: as its receiver makes them, with a wrong
// ICRC, or from a stranger.
#pragma once

#include <stdbool.h>

#include "cap/cap.h"
#include "frame/frame.h"
#include "scene/scene.h"

enum cnps_fault {
	CNPS_RIGHT,
	CNPS_ICRC,   // wrong in one bit
	CNPS_SOURCE, // another IP address than the receiver's; the ICRC is right
};

// `n` CNPs, one each microsecond.
static inline int cnps_write(
	const char *path, const struct scene_flow *f, unsigned n, enum cnps_fault fault)
{
	struct hdr hdr = f->hdr_cnp;
	const struct pkt p = {
		.hdr = &hdr,
		.len = 74,
		.kind = PKT_CNP,
		.tos = 0xc2,
		.u.rc = {.opcode = BTH_CNP, .bth = BTH_BECN, .qpn = f->req.qpn},
	};
	uint8_t bytes[74];
	struct capw *w;
	struct err err;
	int rc = capw_open(&w, path, &err);

	if (rc)
		return rc;
	hdr.saddr[3] ^= fault == CNPS_SOURCE;
	frame_from_pkt(&p, bytes);
	bytes[73] ^= fault == CNPS_ICRC;
	rc = capw_interface(w, "cnps", 10 * RATE_GBPS, false);
	for (unsigned i = 0; rc >= 0 && i < n; i++)
		rc = capw_frame(w, 0, i * PS_PER_US, 1, bytes, sizeof(bytes));

	int closed = capw_close(w, &err);

	return rc < 0 ? rc : closed;
}
