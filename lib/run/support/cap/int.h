// SPDX-License-Identifier: BSD-3-Clause
// Names of the kinds and fields of frames, the same in all output forms of `quench decode`.
#pragma once

#include "decode.h"

#pragma GCC visibility push(hidden)

// "data", "cnp", "pfc", "malformed" ...
const char *decode_kind_name(enum pkt_kind kind);
#define DECODE_OPCODE 20

// "RC_WRITE_FIRST"; of a vendor's own or an unassigned opcode with its number, in `buf`.
const char *decode_opcode_name(uint8_t opcode, char buf[DECODE_OPCODE]);
// "Not-ECT", "ECT(1)", "ECT(0)", "CE"
const char *decode_ecn_name(unsigned ecn);
// "ok", "BAD", "cut"; "-" without one
const char *decode_icrc_name(enum decode_icrc icrc);
// "ARP", "TCP" ... of a frame that is not read further; NULL where only its number is known.
const char *decode_ethertype_name(uint16_t ethertype);
const char *decode_proto_name(uint8_t proto);

#define DECODE_ADDR 46

// The frame's source (`end` 0) or destination (1): IP address, or MAC address without IP. Returns
// `buf`.
char *decode_addr(const struct decoded *x, int end, char buf[DECODE_ADDR]);

#pragma GCC visibility pop
