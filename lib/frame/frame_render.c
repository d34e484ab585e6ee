// SPDX-License-Identifier: BSD-3-Clause
// Writing whole frames from struct frame: lengths, checksum, ICRC and padding are computed.
#include <errno.h>
#include <string.h>

#include "frame/frame.h"

static bool has_ip(const struct frame *f)
{
	return f->eth.ethertype == ETH_P_IPV4 || f->eth.ethertype == ETH_P_IPV6;
}

static bool has_udp(const struct frame *f)
{
	return pkt_is_roce(f->kind) || f->kind == PKT_UDP || (f->kind == PKT_GEN && has_ip(f));
}

static bool ip_is_consistent(const struct frame *f)
{
	if (f->ip.version != (f->eth.ethertype == ETH_P_IPV4 ? 4 : 6))
		return false;
	if (f->ip.options_len > sizeof(f->ip.options) || f->ip.options_len % 4)
		return false;
	return f->ip.version == 4 || !f->ip.options_len;
}

static bool is_consistent(const struct frame *f)
{
	if (f->kind >= PKT_BAD || (has_ip(f) && !ip_is_consistent(f)))
		return false;
	if (has_udp(f) && (!has_ip(f) || f->ip.proto != IP_PROTO_UDP))
		return false;
	if (pkt_is_roce(f->kind))
		return f->udp.dport == BTH_UDP_PORT && bth_ops[f->bth.opcode].kind == f->kind &&
		       bth_ops[f->bth.opcode].ext && f->bth.pad <= 3 && !f->bth.version;
	switch (f->kind) {
	case PKT_PFC:
		return f->eth.ethertype == ETH_P_MAC_CONTROL && f->pfc.opcode == MACCTL_PFC;
	case PKT_PAUSE:
		return f->eth.ethertype == ETH_P_MAC_CONTROL && f->pfc.opcode == MACCTL_PAUSE;
	case PKT_CNM:
		return f->eth.ethertype == ETH_P_CNM && f->payload_len <= CNM_MSDU_MAX;
	default:
		return true;
	}
}

static unsigned eth_len(const struct frame *f)
{
	unsigned tags =
		!!f->eth.has_vlan + (f->eth.has_vlan && f->eth.has_inner) + !!f->eth.has_cntag;

	return 14 + 4 * tags;
}

// Bytes of the frame without padding.
static unsigned total_len(const struct frame *f)
{
	unsigned len = eth_len(f) + f->payload_len;

	if (has_ip(f))
		len += ip_len(&f->ip);
	if (has_udp(f))
		len += UDP_LEN;
	if (pkt_is_roce(f->kind))
		len += BTH_LEN + bth_ops[f->bth.opcode].ext_len + f->bth.pad + ICRC_LEN;
	if (f->kind == PKT_PFC)
		len += PFC_LEN;
	if (f->kind == PKT_PAUSE)
		len += PAUSE_LEN;
	if (f->kind == PKT_CNM)
		len += CNM_LEN;
	return len;
}

// Everything up to the payload; `len` is total_len. Returns its bytes.
static unsigned render_headers(const struct frame *f, unsigned len, uint8_t *o)
{
	unsigned off = eth_render(&f->eth, o);

	if (has_ip(f))
		off += ip_render(&f->ip, len - off - ip_len(&f->ip), o + off);
	if (has_udp(f)) {
		struct udp udp = f->udp;

		if (f->kind != PKT_UDP && f->kind != PKT_GEN)
			udp.len = 0;
		off += udp_render(&udp, len - off - UDP_LEN, o + off);
	}
	if (pkt_is_roce(f->kind)) {
		off += bth_render(&f->bth, o + off);
		off += bth_ext_render(&f->ext, f->bth.opcode, o + off);
	}
	if (f->kind == PKT_PFC || f->kind == PKT_PAUSE)
		off += pfc_render(&f->pfc, o + off);
	if (f->kind == PKT_CNM) {
		struct cnm cnm = f->cnm;

		cnm.msdu_len = f->payload_len;
		off += cnm_render(&cnm, o + off);
	}
	return off;
}

int frame_render(const struct frame *f, const uint8_t *payload, uint8_t *bytes, size_t size,
	unsigned min_len)
{
	unsigned len, off, padded;

	if (!is_consistent(f))
		return -EINVAL;
	len = total_len(f);
	padded = len < min_len ? min_len : len;
	if (padded > size || padded > PKT_MAX_LEN)
		return -EMSGSIZE;
	off = render_headers(f, len, bytes);
	if (f->payload_len)
		memcpy(bytes + off, payload, f->payload_len);
	off += f->payload_len;
	memset(bytes + off, 0, padded - off);
	if (pkt_is_roce(f->kind)) {
		unsigned l3 = eth_len(f);
		unsigned end = len - ICRC_LEN;

		icrc_put(bytes + end, icrc_compute(bytes + l3, ip_len(&f->ip), end - l3));
	}
	return (int)padded;
}
