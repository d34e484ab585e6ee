// SPDX-License-Identifier: BSD-3-Clause
// The extension headers behind the BTH (IBA vol. 1 cl. 9.3, CNP: annex A17 cl. 9.3), in wire order.
#include <string.h>

#include "wire/bth.h"
#include "wire/eth.h"

void bth_ext_parse(const uint8_t *bytes, uint8_t opcode, struct bth_ext *e)
{
	const uint8_t *o = bytes;
	unsigned ext = bth_ops[opcode].ext;

	*e = (struct bth_ext){0};
	if (ext & BTH_EXT_RDETH) {
		e->rdeth = get_be32(o);
		o += 4;
	}
	if (ext & BTH_EXT_DETH) {
		e->deth.qkey = get_be32(o);
		e->deth.sqpn = get_be32(o + 4);
		o += 8;
	}
	if (ext & BTH_EXT_XRCETH) {
		e->xrceth = get_be32(o);
		o += 4;
	}
	if (ext & BTH_EXT_FETH) {
		e->feth = get_be32(o);
		o += 4;
	}
	if (ext & BTH_EXT_RETH) {
		e->reth.va = get_be64(o);
		e->reth.rkey = get_be32(o + 8);
		e->reth.dma_len = get_be32(o + 12);
		o += 16;
	}
	if (ext & BTH_EXT_ATOMIC) {
		e->atomic.va = get_be64(o);
		e->atomic.rkey = get_be32(o + 8);
		e->atomic.swap_add = get_be64(o + 12);
		e->atomic.compare = get_be64(o + 20);
		o += 28;
	}
	if (ext & BTH_EXT_AETH) {
		e->aeth.syndrome = o[0];
		e->aeth.msn = get_be24(o + 1);
		o += 4;
	}
	if (ext & BTH_EXT_ATOMIC_ACK) {
		e->atomic_ack = get_be64(o);
		o += 8;
	}
	if (ext & BTH_EXT_IMM) {
		e->imm = get_be32(o);
		o += 4;
	}
	if (ext & BTH_EXT_IETH)
		e->ieth = get_be32(o);
	if (ext & BTH_EXT_CNP)
		memcpy(e->cnp, o, BTH_CNP_LEN);
	if (ext & BTH_EXT_CAME)
		e->came = get_be32(o);
}

// Writes the headers that stand last. Returns the byte behind them.
static uint8_t *put_last(const struct bth_ext *e, unsigned ext, uint8_t *o)
{
	if (ext & BTH_EXT_IMM) {
		put_be32(o, e->imm);
		o += 4;
	}
	if (ext & BTH_EXT_IETH) {
		put_be32(o, e->ieth);
		o += 4;
	}
	if (ext & BTH_EXT_CNP) {
		memcpy(o, e->cnp, BTH_CNP_LEN);
		o += BTH_CNP_LEN;
	}
	if (ext & BTH_EXT_CAME) {
		put_be32(o, e->came);
		o += 4;
	}
	return o;
}

unsigned bth_ext_render(const struct bth_ext *e, uint8_t opcode, uint8_t *bytes)
{
	uint8_t *o = bytes;
	unsigned ext = bth_ops[opcode].ext;

	if (ext & BTH_EXT_RDETH) {
		put_be32(o, e->rdeth);
		o += 4;
	}
	if (ext & BTH_EXT_DETH) {
		put_be32(o, e->deth.qkey);
		put_be32(o + 4, e->deth.sqpn);
		o += 8;
	}
	if (ext & BTH_EXT_XRCETH) {
		put_be32(o, e->xrceth);
		o += 4;
	}
	if (ext & BTH_EXT_FETH) {
		put_be32(o, e->feth);
		o += 4;
	}
	if (ext & BTH_EXT_RETH) {
		put_be64(o, e->reth.va);
		put_be32(o + 8, e->reth.rkey);
		put_be32(o + 12, e->reth.dma_len);
		o += 16;
	}
	if (ext & BTH_EXT_ATOMIC) {
		put_be64(o, e->atomic.va);
		put_be32(o + 8, e->atomic.rkey);
		put_be64(o + 12, e->atomic.swap_add);
		put_be64(o + 20, e->atomic.compare);
		o += 28;
	}
	if (ext & BTH_EXT_AETH) {
		o[0] = e->aeth.syndrome;
		put_be24(o + 1, e->aeth.msn);
		o += 4;
	}
	if (ext & BTH_EXT_ATOMIC_ACK) {
		put_be64(o, e->atomic_ack);
		o += 8;
	}
	return (unsigned)(put_last(e, ext, o) - bytes);
}
