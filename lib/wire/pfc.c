// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing PFC (802.1Qbb, 802.3 annex 31D) and PAUSE (802.3 annex 31B) payloads.
#include "wire/pfc.h"

#include <stdbool.h>
#include <string.h>

#include "wire/eth.h"

const uint8_t pfc_dst[6] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};

enum pfc_sense pfc_sense(const struct pkt_pfc *p)
{
	unsigned on = 0, off = 0;

	for (unsigned i = 0; i < PKT_CLASSES; i++) {
		if (!(p->enable >> i & 1))
			continue;
		if (p->quanta[i])
			off++;
		else
			on++;
	}
	if (!off)
		return on ? PFC_XON : PFC_NOTHING;
	return on ? PFC_MIXED : PFC_XOFF;
}

enum pkt_kind pfc_kind(const uint8_t dst[6], unsigned opcode)
{
	if (memcmp(dst, pfc_dst, sizeof(pfc_dst)) != 0)
		return PKT_MACCTL;
	return opcode == MACCTL_PFC ? PKT_PFC : opcode == MACCTL_PAUSE ? PKT_PAUSE : PKT_MACCTL;
}

void pfc_parse_time(const uint8_t *bytes, struct pkt_pfc *t)
{
	bool is_pfc = get_be16(bytes) == MACCTL_PFC;

	t->enable_high = is_pfc ? bytes[2] : 0;
	t->enable = is_pfc ? bytes[3] : 0;
	t->quanta[0] = get_be16(bytes + (is_pfc ? 4 : 2));
	for (unsigned i = 1; i < PKT_CLASSES; i++)
		t->quanta[i] = is_pfc ? get_be16(bytes + 4 + 2 * i) : 0;
}

void pfc_parse(const uint8_t *bytes, struct pfc *p)
{
	*p = (struct pfc){.opcode = get_be16(bytes)};
	if (p->opcode == MACCTL_PFC || p->opcode == MACCTL_PAUSE)
		pfc_parse_time(bytes, &p->time);
}

unsigned pfc_render(const struct pfc *p, uint8_t *bytes)
{
	put_be16(bytes, p->opcode);
	if (p->opcode == MACCTL_PAUSE) {
		put_be16(bytes + 2, p->time.quanta[0]);
		return PAUSE_LEN;
	}
	bytes[2] = p->time.enable_high;
	bytes[3] = p->time.enable;
	for (unsigned i = 0; i < PKT_CLASSES; i++)
		put_be16(bytes + 4 + 2 * i, p->time.quanta[i]);
	return PFC_LEN;
}
