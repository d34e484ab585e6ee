// SPDX-License-Identifier: BSD-3-Clause
// Reading whole frames into struct frame, and the names of their faults and oddities.
#include "frame/frame.h"

#include <string.h>

#include "frame/frame_walk.h"

const char *frame_error_name(enum frame_error e)
{
	static const char *const name[FRAME_ERRORS] = {
		[FRAME_OK] = "ok",
		[FRAME_SHORT_ETH] = "short_eth",
		[FRAME_SHORT_VLAN] = "short_vlan",
		[FRAME_SHORT_CNTAG] = "short_cntag",
		[FRAME_SHORT_IP] = "short_ip",
		[FRAME_BAD_IP_VERSION] = "bad_ip_version",
		[FRAME_BAD_IHL] = "bad_ihl",
		[FRAME_BAD_IP_LENGTH] = "bad_ip_length",
		[FRAME_BAD_IP_CHECKSUM] = "bad_ip_checksum",
		[FRAME_SHORT_UDP] = "short_udp",
		[FRAME_BAD_UDP_LENGTH] = "bad_udp_length",
		[FRAME_SHORT_BTH] = "short_bth",
		[FRAME_BAD_BTH_VERSION] = "bad_bth_version",
		[FRAME_BAD_OPCODE] = "bad_opcode",
		[FRAME_SHORT_EXT] = "short_ext",
		[FRAME_BAD_PAD] = "bad_pad",
		[FRAME_SHORT_ICRC] = "short_icrc",
		[FRAME_SHORT_PFC] = "short_pfc",
		[FRAME_SHORT_CNM] = "short_cnm",
		[FRAME_BAD_CNM] = "bad_cnm",
		[FRAME_TOO_LONG] = "too_long",
	};

	return (unsigned)e < FRAME_ERRORS ? name[e] : "unknown";
}

bool frame_error_is_above_l2(enum frame_error e)
{
	switch (e) {
	case FRAME_OK:
	case FRAME_SHORT_ETH:
	case FRAME_SHORT_VLAN:
	case FRAME_SHORT_CNTAG:
	case FRAME_SHORT_PFC:
	case FRAME_TOO_LONG:
		return false;
	default:
		return true;
	}
}

const char *frame_note_name(unsigned bit)
{
	switch (bit) {
	case FRAME_NOTE_MACCTL_DST:
		return "macctl_dst";
	case FRAME_NOTE_MACCTL_TAGGED:
		return "macctl_tagged";
	case FRAME_NOTE_PFC_HIGH:
		return "pfc_enable_high";
	case FRAME_NOTE_MACCTL_PAD:
		return "macctl_padding";
	case FRAME_NOTE_CNP_FIELDS:
		return "cnp_fields";
	case FRAME_NOTE_CNM_VERSION:
		return "cnm_version";
	case FRAME_NOTE_IP_CHECKSUM_0:
		return "ip_checksum_0";
	case FRAME_NOTE_IRN:
		return "not_standard";
	default:
		return "unknown";
	}
}

static bool all_zero(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (bytes[i])
			return false;
	return true;
}

static uint16_t macctl_notes(const struct frame *f, const uint8_t *bytes, size_t len)
{
	unsigned pad_end = len < PKT_MIN_LEN ? (unsigned)len : PKT_MIN_LEN; // an FCS may follow
	unsigned notes = 0;

	if (f->pfc.opcode != MACCTL_PFC && f->pfc.opcode != MACCTL_PAUSE)
		return 0;
	if (memcmp(f->eth.dst, pfc_dst, sizeof(pfc_dst)) != 0)
		notes |= FRAME_NOTE_MACCTL_DST;
	if (f->eth.has_vlan || f->eth.has_cntag)
		notes |= FRAME_NOTE_MACCTL_TAGGED;
	if (f->kind == PKT_PFC && f->pfc.time.enable_high)
		notes |= FRAME_NOTE_PFC_HIGH;
	if (f->kind != PKT_MACCTL && f->trailer_off < pad_end &&
		!all_zero(bytes + f->trailer_off, pad_end - f->trailer_off))
		notes |= FRAME_NOTE_MACCTL_PAD;
	return (uint16_t)notes;
}

static void parse_macctl(struct frame *f, const uint8_t *bytes, size_t len)
{
	if (f->kind == PKT_MACCTL)
		f->pfc.opcode = get_be16(bytes + f->payload_off);
	else
		pfc_parse(bytes + f->l3_off, &f->pfc);
	f->notes = macctl_notes(f, bytes, len);
}

// Returns whether a CNP is as in IBA annex A17 cl. 9.3: BECN 1, every other field that is not an
// address 0.
static bool cnp_is_plain(const struct frame *f)
{
	return f->bth.bits == BTH_BECN && !f->bth.psn && !f->bth.pad && !f->bth.resv6 &&
	       !f->bth.resv7 && all_zero(f->ext.cnp, BTH_CNP_LEN) && !f->payload_len;
}

static void parse_roce(struct frame *f, const uint8_t *bytes)
{
	bth_parse(bytes + f->bth_off, &f->bth);
	if (f->kind == PKT_BAD)
		return;
	bth_ext_parse(bytes + f->bth_off + BTH_LEN, f->bth.opcode, &f->ext);
	f->icrc = icrc_get(bytes + f->trailer_off - ICRC_LEN);
	if (f->kind == PKT_CNP && !cnp_is_plain(f))
		f->notes |= FRAME_NOTE_CNP_FIELDS;
	if (bth_is_irn(f->bth.opcode))
		f->notes |= FRAME_NOTE_IRN;
}

static enum frame_error parse(
	const struct frame_walk *w, const uint8_t *bytes, size_t len, struct frame *f)
{
	*f = (struct frame){
		.kind = w->kind,
		.error = w->error,
		.l3_off = w->l3_off,
		.bth_off = w->bth_off,
		.payload_off = w->payload_off,
		.payload_len = (uint16_t)(w->payload_end - w->payload_off),
		.trailer_off = w->trailer_off,
	};
	eth_parse(bytes, len, &f->eth);
	if (w->tags & HDR_IP)
		ip_parse(bytes + w->l3_off, &f->ip);
	if (w->udp_off)
		udp_parse(bytes + w->udp_off, &f->udp);
	if (w->bth_off)
		parse_roce(f, bytes);
	if (f->kind == PKT_PFC || f->kind == PKT_PAUSE || f->kind == PKT_MACCTL)
		parse_macctl(f, bytes, len);
	if (f->kind == PKT_CNM)
		cnm_parse(bytes + w->l3_off, &f->cnm);
	if (f->kind == PKT_OTHER && f->eth.ethertype == ETH_P_CNM)
		f->notes = FRAME_NOTE_CNM_VERSION;
	if (f->kind == PKT_GEN) {
		gen_parse(bytes + f->payload_off, &f->gen);
	}
	return f->error;
}

enum frame_error frame_parse(const uint8_t *bytes, size_t len, struct frame *f)
{
	struct frame_walk w;

	frame_walk(&w, bytes, len);
	return parse(&w, bytes, len, f);
}

enum frame_error frame_parse_captured(uint8_t *bytes, size_t len, struct frame *f)
{
	struct frame_walk w;
	bool offloaded;

	frame_walk(&w, bytes, len);
	offloaded = w.error == FRAME_BAD_IP_CHECKSUM && !get_be16(bytes + w.l3_off + 10);
	if (offloaded) {
		ip_put_checksum(bytes + w.l3_off, (bytes[w.l3_off] & 15u) * 4);
		frame_walk(&w, bytes, len);
	}
	frame_walk_rocev1(&w, bytes);
	parse(&w, bytes, len, f);
	if (offloaded)
		f->notes |= FRAME_NOTE_IP_CHECKSUM_0;
	return f->error;
}

bool frame_icrc_ok(const struct frame *f, const uint8_t *bytes)
{
	if (frame_is_rocev1(f))
		return f->icrc == icrc_compute_rocev1(
					  bytes + f->l3_off, f->trailer_off - ICRC_LEN - f->l3_off);
	return f->icrc == icrc_compute(bytes + f->l3_off, ip_len(&f->ip),
				  f->trailer_off - ICRC_LEN - f->l3_off);
}
