// SPDX-License-Identifier: BSD-3-Clause
// The offsets of all fields in messages of the communication manager, and the names of kinds and
// reasons.
#include "frame/cm_msg.h"

#include <stddef.h>
#include <string.h>

#include "wire/eth.h"

// A field: its first bit, counted from the first bit behind the MAD header, the most significant
// bit of a byte first, and its place in struct cm_msg. A width of 0 means `size` bytes, unchanged.
struct cm_field {
	uint16_t bit;
	uint8_t width;
	uint8_t size;
	uint16_t at;
};

#define FIELD(byte, first, bits, member)                                          \
	{                                                                         \
		(byte) * 8 + (first), bits, sizeof(((struct cm_msg *)0)->member), \
			offsetof(struct cm_msg, member)                           \
	}

#define BYTES(byte, member) FIELD(byte, 0, 0, member)

#define PATH(byte, path)                                                                     \
	FIELD((byte) + 0, 0, 16, path.local_lid), FIELD((byte) + 2, 0, 16, path.remote_lid), \
		BYTES((byte) + 4, path.local_gid), BYTES((byte) + 20, path.remote_gid),      \
		FIELD((byte) + 36, 0, 20, path.flow_label),                                  \
		FIELD((byte) + 39, 2, 6, path.packet_rate),                                  \
		FIELD((byte) + 40, 0, 8, path.traffic_class),                                \
		FIELD((byte) + 41, 0, 8, path.hop_limit), FIELD((byte) + 42, 0, 4, path.sl), \
		FIELD((byte) + 42, 4, 1, path.subnet_local),                                 \
		FIELD((byte) + 43, 0, 5, path.local_ack_timeout)

// IBA vol. 1 table 106.
static const struct cm_field req_fields[] = {
	FIELD(0, 0, 32, local_id),
	FIELD(8, 0, 64, u.req.service_id),
	FIELD(16, 0, 64, u.req.ca_guid),
	FIELD(28, 0, 32, u.req.qkey),
	FIELD(32, 0, 24, u.req.qpn),
	FIELD(35, 0, 8, u.req.responder_resources),
	FIELD(36, 0, 24, u.req.eecn),
	FIELD(39, 0, 8, u.req.initiator_depth),
	FIELD(40, 0, 24, u.req.remote_eecn),
	FIELD(43, 0, 5, u.req.remote_response_timeout),
	FIELD(43, 5, 2, u.req.transport),
	FIELD(43, 7, 1, u.req.flow_control),
	FIELD(44, 0, 24, u.req.psn),
	FIELD(47, 0, 5, u.req.local_response_timeout),
	FIELD(47, 5, 3, u.req.retry_count),
	FIELD(48, 0, 16, u.req.pkey),
	FIELD(50, 0, 4, u.req.mtu),
	FIELD(50, 4, 1, u.req.rdc_exists),
	FIELD(50, 5, 3, u.req.rnr_retry_count),
	FIELD(51, 0, 4, u.req.max_cm_retries),
	FIELD(51, 4, 1, u.req.srq),
	FIELD(51, 5, 3, u.req.extended_transport),
	PATH(52, u.req.primary),
	PATH(96, u.req.alternate),
	FIELD(139, 5, 1, u.req.sap_supported),
};

// Table 107.
static const struct cm_field mra_fields[] = {
	FIELD(0, 0, 32, local_id),
	FIELD(4, 0, 32, remote_id),
	FIELD(8, 0, 2, u.mra.answered),
	FIELD(9, 0, 5, u.mra.service_timeout),
};

// Table 108.
static const struct cm_field rej_fields[] = {
	FIELD(0, 0, 32, local_id),
	FIELD(4, 0, 32, remote_id),
	FIELD(8, 0, 2, u.rej.answered),
	FIELD(9, 0, 7, u.rej.ari_len),
	FIELD(10, 0, 16, u.rej.reason),
	BYTES(12, u.rej.ari),
};

// Table 110.
static const struct cm_field rep_fields[] = {
	FIELD(0, 0, 32, local_id),
	FIELD(4, 0, 32, remote_id),
	FIELD(8, 0, 32, u.rep.qkey),
	FIELD(12, 0, 24, u.rep.qpn),
	FIELD(16, 0, 24, u.rep.eecn),
	FIELD(20, 0, 24, u.rep.psn),
	FIELD(24, 0, 8, u.rep.responder_resources),
	FIELD(25, 0, 8, u.rep.initiator_depth),
	FIELD(26, 0, 5, u.rep.target_ack_delay),
	FIELD(26, 5, 2, u.rep.failover_accepted),
	FIELD(26, 7, 1, u.rep.flow_control),
	FIELD(27, 0, 3, u.rep.rnr_retry_count),
	FIELD(27, 3, 1, u.rep.srq),
	FIELD(28, 0, 64, u.rep.ca_guid),
};

// Tables 111 and 113.
static const struct cm_field id_fields[] = {
	FIELD(0, 0, 32, local_id),
	FIELD(4, 0, 32, remote_id),
};

// Table 112.
static const struct cm_field dreq_fields[] = {
	FIELD(0, 0, 32, local_id),
	FIELD(4, 0, 32, remote_id),
	FIELD(8, 0, 24, u.dreq_qpn),
};

#define LAYOUT(rows, data)                                   \
	{                                                    \
		rows, sizeof(rows) / sizeof((rows)[0]), data \
	}

// Private data ends with the MAD.
static const struct cm_layout {
	const struct cm_field *field;
	uint8_t n;
	uint8_t data; // byte of the message where private data begins
} layouts[] = {
	[CM_REQ - CM_REQ] = LAYOUT(req_fields, 140),
	[CM_MRA - CM_REQ] = LAYOUT(mra_fields, 10),
	[CM_REJ - CM_REQ] = LAYOUT(rej_fields, 84),
	[CM_REP - CM_REQ] = LAYOUT(rep_fields, 36),
	[CM_RTU - CM_REQ] = LAYOUT(id_fields, 8),
	[CM_DREQ - CM_REQ] = LAYOUT(dreq_fields, 12),
	[CM_DREP - CM_REQ] = LAYOUT(id_fields, 8),
};

static const struct cm_layout *layout_of(unsigned kind)
{
	return kind >= CM_REQ && kind <= CM_DREP ? &layouts[kind - CM_REQ] : NULL;
}

const char *cm_kind_name(unsigned kind)
{
	static const char *const name[] = {"REQ", "MRA", "REJ", "REP", "RTU", "DREQ", "DREP"};

	return layout_of(kind) ? name[kind - CM_REQ] : "?";
}

const char *cm_rej_name(unsigned reason)
{
	static const char *const name[] = {
		[1] = "no queue pair available",
		[2] = "no end-to-end context available",
		[3] = "no resources available",
		[4] = "timeout",
		[5] = "unsupported request",
		[6] = "invalid communication ID",
		[7] = "invalid communication instance",
		[8] = "invalid service ID",
		[9] = "invalid transport service type",
		[10] = "stale connection",
		[11] = "RDC does not exist",
		[12] = "primary remote port GID rejected",
		[13] = "primary remote port LID rejected",
		[14] = "invalid primary service level",
		[15] = "invalid primary traffic class",
		[16] = "invalid primary hop limit",
		[17] = "invalid primary packet rate",
		[18] = "alternate remote port GID rejected",
		[19] = "alternate remote port LID rejected",
		[20] = "invalid alternate service level",
		[21] = "invalid alternate traffic class",
		[22] = "invalid alternate hop limit",
		[23] = "invalid alternate packet rate",
		[24] = "port and communication manager redirection",
		[25] = "port redirection",
		[26] = "invalid path MTU",
		[27] = "insufficient responder resources",
		[28] = "rejected by the consumer",
		[29] = "invalid RNR retry count",
		[30] = "duplicate local communication ID",
		[31] = "invalid class version",
		[32] = "invalid primary flow label",
		[33] = "invalid alternate flow label",
		[35] = "vendor option not supported",
	};

	return reason < sizeof(name) / sizeof(name[0]) && name[reason] ? name[reason] : "reserved";
}

unsigned cm_data_len(unsigned kind)
{
	const struct cm_layout *l = layout_of(kind);

	return l ? MAD_LEN - MAD_HDR_LEN - l->data : 0;
}

static uint64_t get_bits(const uint8_t *bytes, unsigned bit, unsigned width)
{
	uint64_t v = 0;

	for (unsigned end = bit + width; bit < end; bit++)
		v = v << 1 | (bytes[bit / 8] >> (7 - bit % 8) & 1);
	return v;
}

// Into bytes that are 0.
static void put_bits(uint8_t *bytes, unsigned bit, unsigned width, uint64_t v)
{
	for (unsigned i = 0; i < width; i++)
		bytes[(bit + i) / 8] |=
			(uint8_t)((v >> (width - 1 - i) & 1) << (7 - (bit + i) % 8));
}

static uint64_t load_member(const uint8_t *member, unsigned size)
{
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (size) {
	case 1:
		return *member;
	case 2:
		memcpy(&v16, member, 2);
		return v16;
	case 4:
		memcpy(&v32, member, 4);
		return v32;
	default:
		memcpy(&v64, member, 8);
		return v64;
	}
}

static void store(uint8_t *member, unsigned size, uint64_t v)
{
	uint16_t v16 = (uint16_t)v;
	uint32_t v32 = (uint32_t)v;

	if (size == 1)
		*member = (uint8_t)v;
	else if (size == 2)
		memcpy(member, &v16, 2);
	else if (size == 4)
		memcpy(member, &v32, 4);
	else
		memcpy(member, &v, 8);
}

static enum mad_error check_header(const struct mad *h)
{
	if (h->base_version != MAD_BASE_VERSION)
		return MAD_BAD_BASE_VERSION;
	if (h->mgmt_class != MAD_CLASS_CM)
		return MAD_BAD_CLASS;
	if (h->class_version != CM_CLASS_VERSION)
		return MAD_BAD_CLASS_VERSION;
	if (h->method != MAD_METHOD_SEND)
		return MAD_BAD_METHOD;
	return layout_of(h->attr_id) ? MAD_OK : MAD_BAD_ATTRIBUTE;
}

enum mad_error cm_msg_parse(const uint8_t *mad, struct cm_msg *m)
{
	const uint8_t *body = mad + MAD_HDR_LEN;
	const struct cm_layout *l;
	struct mad h;
	enum mad_error e;

	memset(m, 0, sizeof(*m));
	mad_parse(mad, &h);
	e = check_header(&h);
	if (e != MAD_OK)
		return e;
	l = layout_of(h.attr_id);
	m->tid = h.tid;
	m->kind = (uint8_t)h.attr_id;
	for (const struct cm_field *f = l->field; f < l->field + l->n; f++) {
		uint8_t *member = (uint8_t *)m + f->at;

		if (f->width)
			store(member, f->size, get_bits(body, f->bit, f->width));
		else
			memcpy(member, body + f->bit / 8, f->size);
	}
	memcpy(m->data, body + l->data, cm_data_len(m->kind));
	return MAD_OK;
}

void cm_msg_render(const struct cm_msg *m, uint8_t *mad)
{
	const struct cm_layout *l = layout_of(m->kind);
	const struct mad h = {
		.base_version = MAD_BASE_VERSION,
		.mgmt_class = MAD_CLASS_CM,
		.class_version = CM_CLASS_VERSION,
		.method = MAD_METHOD_SEND,
		.tid = m->tid,
		.attr_id = m->kind,
	};
	uint8_t *body = mad + MAD_HDR_LEN;

	memset(mad, 0, MAD_LEN);
	mad_render(&h, mad);
	if (!l)
		return;
	for (const struct cm_field *f = l->field; f < l->field + l->n; f++) {
		const uint8_t *member = (const uint8_t *)m + f->at;

		if (f->width)
			put_bits(body, f->bit, f->width, load_member(member, f->size));
		else
			memcpy(body + f->bit / 8, member, f->size);
	}
	memcpy(body + l->data, m->data, cm_data_len(m->kind));
}

// An IPv4 address is in the last four of sixteen bytes.
static void get_addr(unsigned version, const uint8_t *bytes, uint8_t addr[16])
{
	memset(addr, 0, 16);
	if (version == 4)
		memcpy(addr, bytes + 12, 4);
	else
		memcpy(addr, bytes, 16);
}

static void put_addr(unsigned version, const uint8_t addr[16], uint8_t *bytes)
{
	if (version == 4)
		memcpy(bytes + 12, addr, 4);
	else
		memcpy(bytes, addr, 16);
}

bool cm_ip_parse(const uint8_t *bytes, struct cm_ip *ip)
{
	ip->major = bytes[0] >> 4;
	ip->minor = bytes[0] & 15;
	ip->version = bytes[1] >> 4;
	ip->port = get_be16(bytes + 2);
	get_addr(ip->version, bytes + 4, ip->saddr);
	get_addr(ip->version, bytes + 20, ip->daddr);
	return !ip->major && (ip->version == 4 || ip->version == 6);
}

void cm_ip_render(const struct cm_ip *ip, uint8_t *bytes)
{
	memset(bytes, 0, CM_IP_LEN);
	bytes[0] = (uint8_t)(ip->major << 4 | (ip->minor & 15));
	bytes[1] = (uint8_t)(ip->version << 4);
	put_be16(bytes + 2, ip->port);
	put_addr(ip->version, ip->saddr, bytes + 4);
	put_addr(ip->version, ip->daddr, bytes + 20);
}

void cm_gid(unsigned ip_version, const uint8_t *addr, uint8_t gid[16])
{
	if (ip_version == 6) {
		memcpy(gid, addr, 16);
		return;
	}
	memset(gid, 0, 10);
	memset(gid + 10, 0xff, 2);
	memcpy(gid + 12, addr, 4);
}
