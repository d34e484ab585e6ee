// SPDX-License-Identifier: BSD-3-Clause
// Shared by the acceptance tests: figures by a formatted path, the two hosts of snappi's tests.
#pragma once

#include <stdbool.h>
#include <string.h>

#include "scn.h"

#define ACC_FRAME 1024 // bytes of a frame of the tests, with FCS: as buffers count it

// Says which row of docs/acceptance.md the figures below it belong to.
void acc_row(const char *row, const char *original);

// The figure at a path.
__attribute__((format(printf, 2, 3))) double acc(const struct scn *s, const char *path, ...);

// The same for a counter of PFC, whose row is missing where no frame was seen: 0.
__attribute__((format(printf, 2, 3))) double acc_pfc(const struct scn *s, const char *path, ...);

// Fails unless the figure at a path is within lo..hi; prints it.
__attribute__((format(printf, 4, 5))) void acc_in(
	const struct scn *s, double lo, double hi, const char *path, ...);

// As acc_in for a figure that is exact.
__attribute__((format(printf, 3, 4))) void acc_is(
	const struct scn *s, double value, const char *path, ...);

// SONiC's RX_OK, RX_DRP, TX_OK and TX_DRP of a switch port.
double acc_rx_ok(const struct scn *s, const char *port);
double acc_rx_drp(const struct scn *s, const char *port);
double acc_tx_ok(const struct scn *s, const char *port);
double acc_tx_drp(const struct scn *s, const char *port);
