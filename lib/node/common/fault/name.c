// SPDX-License-Identifier: BSD-3-Clause
// The names of actions and fields.
#include "fault.h"

const char *fault_kind_name(unsigned kind)
{
	switch (kind) {
	case FAULT_DATA:
		return "data";
	case FAULT_ACK:
		return "ack";
	case FAULT_NAK:
		return "nak";
	case FAULT_CNP:
		return "cnp";
	case FAULT_READ_REQUEST:
		return "read_request";
	case FAULT_READ_RESPONSE:
		return "read_response";
	default:
		return "other";
	}
}

const char *fault_action_name(enum fault_action a)
{
	static const char *const names[FAULT_ACTIONS] = {
		[FAULT_ECN] = "ecn",
		[FAULT_DROP] = "drop",
		[FAULT_CORRUPT] = "corrupt",
		[FAULT_DELAY] = "delay",
		[FAULT_REORDER] = "reorder",
		[FAULT_DUPLICATE] = "duplicate",
		[FAULT_REWRITE] = "rewrite",
		[FAULT_WATCH] = "watch",
		[FAULT_FORGE] = "forge",
	};

	return names[a];
}

const char *fault_field_name(enum fault_field f)
{
	static const char *const names[FAULT_FIELDS] = {
		[FAULT_DST_MAC] = "dst_mac",
		[FAULT_SRC_MAC] = "src_mac",
		[FAULT_ETHERTYPE] = "ethertype",
		[FAULT_VLAN] = "vlan",
		[FAULT_PCP] = "pcp",
		[FAULT_SRC_IP] = "src_ip",
		[FAULT_DST_IP] = "dst_ip",
		[FAULT_DSCP] = "dscp",
		[FAULT_IP_ECN] = "ecn",
		[FAULT_TTL] = "ttl",
		[FAULT_IP_ID] = "ip_id",
		[FAULT_UDP_SPORT] = "udp_sport",
		[FAULT_UDP_DPORT] = "udp_dport",
		[FAULT_OPCODE] = "opcode",
		[FAULT_SE] = "se",
		[FAULT_MIGREQ] = "migreq",
		[FAULT_PKEY] = "pkey",
		[FAULT_QPN] = "qpn",
		[FAULT_ACKREQ] = "ackreq",
		[FAULT_PSN] = "psn",
		[FAULT_SYNDROME] = "syndrome",
		[FAULT_MSN] = "msn",
	};

	return names[f];
}
