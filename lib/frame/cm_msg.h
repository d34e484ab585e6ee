// SPDX-License-Identifier: BSD-3-Clause
// Messages of the communication manager (IBA vol. 1 chapter 12): fields of REQ, MRA, REJ, REP, RTU,
// DREQ and DREP, and the addresses that RDMA-CM puts into a REQ.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/tstamp.h"
#include "frame/mad.h"

#define CM_CLASS_VERSION 2
#define CM_DATA_MAX      224 // private data of an RTU or a DREP, which have most
#define CM_ARI_MAX       72  // additional rejection information

// Attribute IDs.
enum cm_kind {
	CM_NO_MSG,
	CM_REQ = 0x10,
	CM_MRA = 0x11,
	CM_REJ = 0x12,
	CM_REP = 0x13,
	CM_RTU = 0x14,
	CM_DREQ = 0x15,
	CM_DREP = 0x16,
};

// The message that an MRA or a REJ answers.
enum cm_answered { CM_ANSWERS_REQ, CM_ANSWERS_REP, CM_ANSWERS_OTHER };

// Why a REJ was sent (IBA vol. 1 table 109); only the reasons that a RoCEv2 host uses.
// cm_rej_name() knows all.
enum cm_reason {
	CM_REJ_NO_QP = 1,
	CM_REJ_NO_RESOURCES = 3,
	CM_REJ_TIMEOUT = 4,
	CM_REJ_UNSUPPORTED = 5,
	CM_REJ_BAD_COMM_ID = 6,
	CM_REJ_BAD_SERVICE_ID = 8,
	CM_REJ_BAD_TRANSPORT = 9,
	CM_REJ_STALE = 10,
	CM_REJ_BAD_GID = 12,
	CM_REJ_BAD_MTU = 26,
	CM_REJ_FEW_RESOURCES = 27,
	CM_REJ_CONSUMER = 28,
};

// A path of a REQ, of 44 bytes. GIDs are in wire order; with RoCEv2 they are IP addresses (cm_gid).
// LIDs mean nothing in RoCEv2; Linux writes ffff.
struct cm_path {
	uint16_t local_lid, remote_lid;
	uint8_t local_gid[16];
	uint8_t remote_gid[16];
	uint32_t flow_label; // 20 bits
	uint8_t packet_rate; // 6 bits
	uint8_t traffic_class;
	uint8_t hop_limit;
	uint8_t sl;                // 4 bits
	uint8_t subnet_local;      // 1 bit
	uint8_t local_ack_timeout; // 5 bits, as cm_time
};

struct cm_req {
	uint64_t service_id;
	uint64_t ca_guid;
	uint32_t qkey;
	uint32_t qpn;         // 24 bits
	uint32_t eecn;        // 24 bits
	uint32_t remote_eecn; // 24 bits
	uint32_t psn;         // 24 bits, the first that the receiver of the message sends
	uint8_t responder_resources;
	uint8_t initiator_depth;
	uint8_t remote_response_timeout; // 5 bits, as cm_time: the receiver answers within
	uint8_t local_response_timeout;  // 5 bits, as cm_time: the sender answers within
	uint8_t transport;               // 2 bits; 0: RC
	uint8_t flow_control;            // 1 bit
	uint8_t retry_count;             // 3 bits
	uint8_t rnr_retry_count;         // 3 bits; 7: without limit
	uint16_t pkey;
	uint8_t mtu;                // 4 bits, as cm_mtu
	uint8_t rdc_exists;         // 1 bit
	uint8_t max_cm_retries;     // 4 bits
	uint8_t srq;                // 1 bit
	uint8_t extended_transport; // 3 bits
	uint8_t sap_supported;      // 1 bit
	struct cm_path primary;
	struct cm_path alternate;
};

struct cm_rep {
	uint64_t ca_guid;
	uint32_t qkey;
	uint32_t qpn;  // 24 bits
	uint32_t eecn; // 24 bits
	uint32_t psn;  // 24 bits, the first that the receiver of the message sends
	uint8_t responder_resources;
	uint8_t initiator_depth;
	uint8_t target_ack_delay;  // 5 bits, as cm_time
	uint8_t failover_accepted; // 2 bits
	uint8_t flow_control;      // 1 bit
	uint8_t rnr_retry_count;   // 3 bits
	uint8_t srq;               // 1 bit
};

struct cm_mra {
	uint8_t answered;        // 2 bits, enum cm_answered
	uint8_t service_timeout; // 5 bits, as cm_time
};

struct cm_rej {
	uint16_t reason; // enum cm_reason
	uint8_t answered;
	uint8_t ari_len; // 7 bits, bytes of ari that mean something; up to CM_ARI_MAX
	uint8_t ari[CM_ARI_MAX];
};

// One message, host order.
struct cm_msg {
	uint64_t tid;
	uint32_t local_id;  // communication ID of the sender
	uint32_t remote_id; // of the receiver; not in a REQ
	uint8_t kind;       // enum cm_kind
	union {
		struct cm_req req;
		struct cm_rep rep;
		struct cm_mra mra;
		struct cm_rej rej;
		uint32_t dreq_qpn; // DREQ: queue pair of the receiver, 24 bits
	} u;
	uint8_t data[CM_DATA_MAX]; // private data, cm_data_len of it; zeros behind what is said
};

// Service ID of RDMA-CM for a TCP port (IBA annex A11): protocol 6 and the port in the low bytes.
#define CM_SERVICE_TCP 0x0000000001060000ull

// The bytes that RDMA-CM puts before the consumer's private data of a REQ (IBA annex A11).
#define CM_IP_LEN 36

struct cm_ip {
	uint8_t major, minor; // 4 bits each; 0
	uint8_t version;      // of IP: 4 or 6
	uint16_t port;        // of the sender of the REQ
	uint8_t saddr[16];    // IPv4 in the first four bytes, as in struct hdr
	uint8_t daddr[16];
};

// 4.096 us * 2^code; `code` has 5 bits.
static inline tstamp cm_time(unsigned code)
{
	return 4096 * PS_PER_NS << (code & 31);
}

// Returns the smallest code whose time is at least `ps`; 31: no time is long enough.
static inline uint8_t cm_time_code(tstamp ps)
{
	unsigned code = 0;

	while (code < 31 && cm_time(code) < ps)
		code++;
	return (uint8_t)code;
}

// Payload bytes of a path MTU: codes 1 to 5 are 256 to 4096; 0 for the rest.
static inline unsigned cm_mtu(unsigned code)
{
	return code >= 1 && code <= 5 ? 128u << code : 0;
}

// Returns the number of bytes of private data in a message of this kind; 0: there is no such kind.
unsigned cm_data_len(unsigned kind);

// Reads MAD_LEN bytes. Reserved bits are not looked at, and of the MAD's header neither status nor
// attribute modifier. On an error *m is all zeros.
enum mad_error cm_msg_parse(const uint8_t *mad, struct cm_msg *m);

// Writes MAD_LEN bytes; reserved bits are 0, and of a field its low bits are written.
void cm_msg_render(const struct cm_msg *m, uint8_t *mad);

// Writes CM_IP_LEN bytes.
void cm_ip_render(const struct cm_ip *ip, uint8_t *bytes);

// The GID of an IP address: IPv4 is ::ffff:a.b.c.d (IBA annex A17).
void cm_gid(unsigned ip_version, const uint8_t *addr, uint8_t gid[16]);

// "invalid service ID" ...; "reserved" for a number that the specification does not assign.
const char *cm_rej_name(unsigned reason);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// "REQ", "MRA" ...; "?" for the rest.
const char *cm_kind_name(unsigned kind);

// Reads CM_IP_LEN bytes; false where major version is not 0 or the IP version neither 4 nor 6.
bool cm_ip_parse(const uint8_t *bytes, struct cm_ip *ip);

#pragma GCC visibility pop
