// SPDX-License-Identifier: BSD-3-Clause
// Bytes of the MAD header, and a MAD in and out of its RoCEv2 frame.
#include "frame/mad.h"

#include <assert.h>
#include <string.h>

#include "frame/frame.h"

#define MAD_OPCODE (BTH_TRANSPORT_UD + 0x04) // UD SEND only

const char *mad_error_name(enum mad_error e)
{
	static const char *const name[MAD_ERRORS] = {
		[MAD_OK] = "ok",
		[MAD_NOT_GSI] = "not_gsi",
		[MAD_BAD_SOURCE] = "bad_source",
		[MAD_BAD_QKEY] = "bad_qkey",
		[MAD_BAD_LENGTH] = "bad_length",
		[MAD_BAD_BASE_VERSION] = "bad_base_version",
		[MAD_BAD_CLASS] = "bad_class",
		[MAD_BAD_CLASS_VERSION] = "bad_class_version",
		[MAD_BAD_METHOD] = "bad_method",
		[MAD_BAD_ATTRIBUTE] = "bad_attribute",
	};

	return (unsigned)e < MAD_ERRORS ? name[e] : "unknown";
}

// IBA vol. 1 cl. 13.4.3: bytes 18 and 19 are reserved.
void mad_parse(const uint8_t *bytes, struct mad *m)
{
	m->base_version = bytes[0];
	m->mgmt_class = bytes[1];
	m->class_version = bytes[2];
	m->method = bytes[3];
	m->status = get_be16(bytes + 4);
	m->class_specific = get_be16(bytes + 6);
	m->tid = get_be64(bytes + 8);
	m->attr_id = get_be16(bytes + 16);
	m->attr_mod = get_be32(bytes + 20);
}

unsigned mad_render(const struct mad *m, uint8_t *bytes)
{
	bytes[0] = m->base_version;
	bytes[1] = m->mgmt_class;
	bytes[2] = m->class_version;
	bytes[3] = m->method;
	put_be16(bytes + 4, m->status);
	put_be16(bytes + 6, m->class_specific);
	put_be64(bytes + 8, m->tid);
	put_be16(bytes + 16, m->attr_id);
	put_be16(bytes + 18, 0);
	put_be32(bytes + 20, m->attr_mod);
	return MAD_HDR_LEN;
}

enum mad_error mad_of_pkt(const struct pkt *p, const uint8_t **mad)
{
	const uint8_t *ip, *bth;
	struct bth_ext ext;

	*mad = NULL;
	if (p->kind != PKT_ROCE || !(p->flags & PKT_F_FOREIGN) || p->u.rc.opcode != MAD_OPCODE ||
		p->u.rc.qpn != MAD_QPN)
		return MAD_NOT_GSI;
	ip = (const uint8_t *)p + p->data_off + p->l3_off;
	bth = ip + ip_len_at(ip) + UDP_LEN;
	bth_ext_parse(bth + BTH_LEN, MAD_OPCODE, &ext);
	if ((ext.deth.sqpn & 0xffffff) != MAD_QPN)
		return MAD_BAD_SOURCE;
	if (ext.deth.qkey != MAD_QKEY)
		return MAD_BAD_QKEY;
	if (p->u.rc.payload != MAD_LEN)
		return MAD_BAD_LENGTH;
	*mad = bth + BTH_LEN + bth_ops[MAD_OPCODE].ext_len;
	return MAD_OK;
}

unsigned mad_frame(
	const struct hdr *h, uint8_t tos, uint32_t psn, const uint8_t *mad, uint8_t *bytes)
{
	bool is_v6 = h->flags & HDR_IPV6;
	struct frame f = {
		.kind = PKT_ROCE,
		.eth = {.has_vlan = !!(h->flags & HDR_VLAN),
			.is_stag = !!(h->flags & HDR_STAG),
			.has_inner = !!(h->flags & HDR_INNER),
			.vlan_tci = h->vlan_tci,
			.inner_tci = h->inner_tci,
			.ethertype = is_v6 ? ETH_P_IPV6 : ETH_P_IPV4},
		.ip = {.version = is_v6 ? 6 : 4,
			.tos = tos,
			.ttl = h->ttl,
			.proto = IP_PROTO_UDP,
			.id = hdr_ip_id(h),
			.frag = is_v6 ? 0 : IP4_DF},
		.udp = {.sport = h->sport, .dport = BTH_UDP_PORT},
		.bth = {.opcode = MAD_OPCODE, .pkey = BTH_PKEY, .qpn = MAD_QPN, .psn = psn},
		.ext = {.deth = {.qkey = MAD_QKEY, .sqpn = MAD_QPN}},
		.payload_len = MAD_LEN,
	};
	int len;

	assert(h->flags & HDR_IP);
	memcpy(f.eth.dst, h->dst, 6);
	memcpy(f.eth.src, h->src, 6);
	memcpy(f.ip.saddr, h->saddr, is_v6 ? 16 : 4);
	memcpy(f.ip.daddr, h->daddr, is_v6 ? 16 : 4);
	len = frame_render(&f, mad, bytes, MAD_FRAME_MAX, PKT_MIN_LEN);
	assert(len > 0);
	return (unsigned)len;
}

void mad_to_pkt(struct pkt *p, uint16_t data_off, const struct hdr *h, uint8_t tos, uint32_t psn,
	const uint8_t *mad)
{
	p->data_off = data_off;
	p->len = (uint16_t)mad_frame(h, tos, psn, mad, (uint8_t *)p + data_off);
	frame_to_pkt(p, p->len);
}
