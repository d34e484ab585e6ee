// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing the RDMA IP's registers by address or name, and what a write does to the queue pairs.
#include "algo/hw_reg.h"

#include <errno.h>
#include <stdlib.h>

#define QP_BASE 0x400000u // blocks per queue pair: controls here, memories one span on
#define QP_SPAN 0x200000u
#define QP_END  0x800000u

int hw_reg_init(struct hw_reg **out, const struct hw_qp_core *core, uint32_t max_qps)
{
	struct hw_reg *reg;
	struct hw_reg_global g = {0};
	int rc;

	if (max_qps > HW_REG_QPS)
		return -EINVAL;
	reg = calloc(1, sizeof(*reg));
	if (!reg)
		return -ENOMEM;
	for (unsigned i = 0; i < hw_n_fields; i++) {
		if (hw_fields[i].what == HW_PLAIN)
			*hw_field_plain(&g, &hw_fields[i]) = hw_fields[i].reset;
	}
	reg->core = *core;
	reg->g = g;
	reg->max_qps = max_qps;
	reg->qp = calloc(max_qps + 1ul, sizeof(struct hw_qp *));
	rc = reg->qp ? hw_qp_cfg_init(&reg->cfg, core, &g.qp) : -ENOMEM;
	if (rc) {
		hw_reg_fini(reg);
		return rc;
	}
	*out = reg;
	return 0;
}

void hw_reg_fini(struct hw_reg *reg)
{
	if (!reg)
		return;
	for (uint32_t n = 1; reg->qp && n <= reg->max_qps; n++)
		free(reg->qp[n]);
	free(reg->qp);
	free(reg);
}

int hw_reg_add_qp(struct hw_reg *reg, uint32_t qpn)
{
	if (!qpn || qpn > reg->max_qps)
		return -EINVAL;
	if (reg->qp[qpn])
		return -EEXIST;
	reg->qp[qpn] = malloc(sizeof(struct hw_qp));
	if (!reg->qp[qpn])
		return -ENOMEM;
	hw_qp_init(reg->qp[qpn], &reg->cfg);
	return 0;
}

struct hw_qp *hw_reg_qp(const struct hw_reg *reg, uint32_t qpn)
{
	return qpn && qpn <= reg->max_qps ? reg->qp[qpn] : NULL;
}

static void write_word(
	struct hw_reg *reg, const char *word, uint32_t qpn, uint64_t value, tstamp now)
{
	struct hw_place place;

	if (!hw_reg_find(&place, word, qpn))
		hw_reg_write(reg, &place, value, now);
}

void hw_reg_start_qp(struct hw_reg *reg, uint32_t qpn, uint32_t rate, uint32_t alpha, tstamp now)
{
	write_word(reg, "RATE_MEM", qpn, rate, now);
	write_word(reg, "CC_RATE_MEM", qpn, rate, now);
	write_word(reg, "ALPHA_MEM", qpn, alpha, now);
	write_word(reg, "CNP_MERGE_MEM", qpn, 0, now);
	write_word(reg, "BYTE_COUNTER_MEM", qpn, 0, now);
	write_word(reg, "T_BC_MEM", qpn, 0, now);
	write_word(reg, "CC_BYTE_CNT_MEM", qpn, 0, now);
	if (rate == reg->g.qp.rp.max_rate)
		return;
	reg->timer_busy_until = now; // of one queue pair after the other; each was waited for
	write_word(reg, "dcqcn_nocnp_timer_start", qpn, 1, now);
}

// A preload of DCQCN_DFX_CTRL that starts the window of queue pair `qpn`: that one must be there.
static bool starts_window(const struct hw_reg_preload *p, uint32_t qpn)
{
	struct hw_place start;

	hw_reg_find(&start, "DCQCN_DFX_CTRL", 0);
	return p->place.address == start.address && p->place.width == start.width &&
	       (p->value & 0xffffff) == qpn && p->value >> 32 & 1;
}

void hw_reg_boot(struct hw_reg *reg, uint32_t qpn, const struct hw_reg_params *p, tstamp now)
{
	if (!reg->booted)
		hw_reg_load(reg, &p->init, now);
	hw_reg_start_qp(reg, qpn, p->initial_rate, p->initial_alpha, now);
	for (unsigned i = 0; i < p->n_preload; i++) {
		struct hw_place place = p->preload[i].place;

		if (hw_reg_qpn(place.address))
			place.address += (qpn - 1) * HW_REG_QP_STRIDE;
		else if (reg->booted && !starts_window(&p->preload[i], qpn))
			continue;
		reg->timer_busy_until = now; // as in hw_reg_start_qp
		hw_reg_write(reg, &place, p->preload[i].value, now);
	}
	reg->booted = true;
}

static int lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c;
}

// The rest of `text` behind `name`, in any case; NULL where it begins with something else.
static const char *behind(const char *text, const char *name)
{
	while (*name && lower(*text) == lower(*name)) {
		text++;
		name++;
	}
	return *name ? NULL : text;
}

static bool same(const char *a, const char *b)
{
	const char *rest = behind(a, b);

	return rest && !*rest;
}

// "dcqcn_max_rate", "max_rate", and each behind "DCQCN_INCREASE.".
static bool names(const char *text, const struct hw_field *f)
{
	const char *rest = behind(text, f->word), *brief = behind(f->name, "dcqcn_");

	if (rest && *rest == '.')
		text = rest + 1;
	return same(text, f->name) || (brief && same(text, brief));
}

static bool parse_hex(const char *text, uint32_t *value)
{
	uint64_t v = 0;

	if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X') || !text[2])
		return false;
	for (text += 2; *text; text++) {
		char c = *text | 0x20;

		if (c >= '0' && c <= '9')
			v = v << 4 | (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (unsigned)(c - 'a' + 10);
		else
			return false;
		if (v > UINT32_MAX)
			return false;
	}
	*value = (uint32_t)v;
	return true;
}

uint32_t hw_reg_qpn(uint32_t address)
{
	if (address < QP_BASE || address >= QP_END)
		return 0;
	return address % QP_SPAN / HW_REG_QP_STRIDE + 1;
}

static int found(struct hw_place *place, const struct hw_field *f, bool whole, uint32_t qpn)
{
	uint32_t block = 0;

	if (hw_field_per_qp(f)) {
		if (!qpn || qpn > HW_REG_QPS)
			return -ENXIO;
		block = (qpn - 1) * HW_REG_QP_STRIDE;
	}
	*place = (struct hw_place){
		.address = f->address + block,
		.lsb = whole ? 0 : f->lsb,
		.width = whole ? 64 : f->width,
	};
	return 0;
}

// An address tells its queue pair, unless it is that of number 1 and another is named.
static int find_address(struct hw_place *place, uint32_t address, uint32_t qpn)
{
	uint32_t own = hw_reg_qpn(address);
	uint32_t base = own ? address - (own - 1) * HW_REG_QP_STRIDE : address;

	for (unsigned i = 0; i < hw_n_fields; i++) {
		if (hw_fields[i].address == base)
			return found(place, &hw_fields[i], true, own == 1 && qpn ? qpn : own);
	}
	return -ENOENT;
}

int hw_reg_find(struct hw_place *place, const char *text, uint32_t qpn)
{
	uint32_t address;

	if (parse_hex(text, &address))
		return find_address(place, address, qpn);
	for (unsigned i = 0; i < hw_n_fields; i++) {
		if (names(text, &hw_fields[i]))
			return found(place, &hw_fields[i], false, qpn);
	}
	for (unsigned i = 0; i < hw_n_fields; i++) {
		if (same(text, hw_fields[i].word))
			return found(place, &hw_fields[i], true, qpn);
	}
	return -ENOENT;
}

bool hw_reg_interrupt(struct hw_reg *reg, uint32_t qpn)
{
	if (!reg->g.qp.cnp_int_en)
		return false;
	reg->cnp_int_status = true;
	reg->cnp_int_qp = qpn;
	return true;
}
