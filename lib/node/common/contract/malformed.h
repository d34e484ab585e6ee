// SPDX-License-Identifier: BSD-3-Clause
// The counters of malformed frames by reason, which switch ports and NICs have in an array
// `malformed`.
#pragma once

#include "base/stat.h"
#include "frame/frame.h"

#define MALFORMED_ROW(object, name, error, help) \
	STAT_NAMED(object, "malformed_" name, malformed[error], "frames", help)

// The rows of `object`; FRAME_OK is no reason, and FRAME_TOO_LONG a drop of its own.
#define MALFORMED_ROWS(object)                                                                     \
	MALFORMED_ROW(object, "short_eth", FRAME_SHORT_ETH, "under 14 bytes"),                     \
		MALFORMED_ROW(object, "short_vlan", FRAME_SHORT_VLAN, "cut off in a VLAN tag"),    \
		MALFORMED_ROW(object, "short_cntag", FRAME_SHORT_CNTAG, "cut off in the CN-TAG"),  \
		MALFORMED_ROW(object, "short_ip", FRAME_SHORT_IP, "cut off in the IP header"),     \
		MALFORMED_ROW(object, "bad_ip_version", FRAME_BAD_IP_VERSION,                      \
			"neither 4 nor 6, or not as the EtherType"),                               \
		MALFORMED_ROW(object, "bad_ihl", FRAME_BAD_IHL,                                    \
			"IPv4 header length under 20 or over the packet"),                         \
		MALFORMED_ROW(object, "bad_ip_length", FRAME_BAD_IP_LENGTH,                        \
			"under the header or over the frame"),                                     \
		MALFORMED_ROW(                                                                     \
			object, "bad_ip_checksum", FRAME_BAD_IP_CHECKSUM, "IPv4 header checksum"), \
		MALFORMED_ROW(object, "short_udp", FRAME_SHORT_UDP, "cut off in the UDP header"),  \
		MALFORMED_ROW(object, "bad_udp_length", FRAME_BAD_UDP_LENGTH,                      \
			"under 8 or over the packet"),                                             \
		MALFORMED_ROW(object, "short_bth", FRAME_SHORT_BTH, "cut off in the BTH"),         \
		MALFORMED_ROW(object, "bad_bth_version", FRAME_BAD_BTH_VERSION,                    \
			"transport version not 0"),                                                \
		MALFORMED_ROW(object, "bad_opcode", FRAME_BAD_OPCODE, "unknown BTH opcode"),       \
		MALFORMED_ROW(                                                                     \
			object, "short_ext", FRAME_SHORT_EXT, "cut off in RETH, AETH, ImmDt ..."), \
		MALFORMED_ROW(object, "bad_pad", FRAME_BAD_PAD, "pad count over the payload"),     \
		MALFORMED_ROW(object, "short_icrc", FRAME_SHORT_ICRC, "no room for the ICRC"),     \
		MALFORMED_ROW(object, "short_pfc", FRAME_SHORT_PFC, "cut off in PFC or PAUSE"),    \
		MALFORMED_ROW(object, "short_cnm", FRAME_SHORT_CNM, "cut off in the CNM"),         \
		MALFORMED_ROW(object, "bad_cnm", FRAME_BAD_CNM,                                    \
			"encapsulated length over 64 or over the frame")
