// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing the CNM PDU (802.1Q cl. 33.4).
#include "wire/cnm.h"

#include <string.h>

#include "wire/eth.h"

void cnm_parse(const uint8_t *bytes, struct cnm *c)
{
	uint16_t word = get_be16(bytes);

	c->version = (uint8_t)(word >> 12);
	c->resv = word >> 6 & 63;
	c->qntzfb = word & 63;
	memcpy(c->cpid, bytes + 2, 8);
	c->qoffset = (int16_t)get_be16(bytes + 10);
	c->qdelta = (int16_t)get_be16(bytes + 12);
	c->priority = get_be16(bytes + 14);
	memcpy(c->dst, bytes + 16, 6);
	c->msdu_len = get_be16(bytes + 22);
}

unsigned cnm_render(const struct cnm *c, uint8_t *bytes)
{
	put_be16(bytes, (uint16_t)(c->version << 12 | (c->resv & 63) << 6 | (c->qntzfb & 63)));
	memcpy(bytes + 2, c->cpid, 8);
	put_be16(bytes + 10, (uint16_t)c->qoffset);
	put_be16(bytes + 12, (uint16_t)c->qdelta);
	put_be16(bytes + 14, c->priority);
	memcpy(bytes + 16, c->dst, 6);
	put_be16(bytes + 22, c->msdu_len);
	return CNM_LEN;
}
