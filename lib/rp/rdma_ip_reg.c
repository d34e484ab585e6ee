// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing the RDMA IP's registers by address or name, and the effect of a write on the
// queue pairs.
#include "rdma_ip_reg.h"

#include <errno.h>
#include <stdlib.h>

#define QP_BASE 0x400000u // blocks per queue pair: controls here, memories one span on
#define QP_SPAN 0x200000u
#define QP_END  0x800000u

// The registers that software writes to bring a queue pair up, in this order: the rate, the
// limiter's rate, alpha, then zeros. The last one starts the timer.
static const char *const starts[RDMA_IP_REG_STARTS] = {
	"RATE_MEM",
	"CC_RATE_MEM",
	"ALPHA_MEM",
	"CNP_MERGE_MEM",
	"BYTE_COUNTER_MEM",
	"T_BC_MEM",
	"CC_BYTE_CNT_MEM",
	"dcqcn_nocnp_timer_start",
};

int rdma_ip_reg_init(struct rdma_ip_reg **out, const struct rdma_ip_qp_core *core, uint32_t max_qps)
{
	struct rdma_ip_reg *reg;
	struct rdma_ip_reg_global g = {0};
	int rc;

	if (max_qps > RDMA_IP_REG_QPS)
		return -EINVAL;
	reg = calloc(1, sizeof(*reg));
	if (!reg)
		return -ENOMEM;
	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		if (rdma_ip_fields[i].what == RDMA_IP_PLAIN)
			*rdma_ip_field_plain(&g, &rdma_ip_fields[i]) = rdma_ip_fields[i].reset;
	}
	for (unsigned i = 0; i < RDMA_IP_REG_STARTS; i++)
		rdma_ip_reg_find(&reg->start[i], starts[i], 1);
	rdma_ip_reg_find(&reg->window, "DCQCN_DFX_CTRL", 0);
	reg->core = *core;
	reg->g = g;
	reg->max_qps = max_qps;
	reg->qp = calloc(max_qps + 1ul, sizeof(struct rdma_ip_qp *));
	rc = reg->qp ? rdma_ip_qp_cfg_init(&reg->cfg, core, &g.qp) : -ENOMEM;
	if (rc) {
		rdma_ip_reg_fini(reg);
		return rc;
	}
	*out = reg;
	return 0;
}

void rdma_ip_reg_fini(struct rdma_ip_reg *reg)
{
	if (!reg)
		return;
	for (uint32_t n = 1; reg->qp && n <= reg->max_qps; n++)
		free(reg->qp[n]);
	free(reg->qp);
	free(reg);
}

int rdma_ip_reg_add_qp(struct rdma_ip_reg *reg, uint32_t qpn)
{
	if (!qpn || qpn > reg->max_qps)
		return -EINVAL;
	if (reg->qp[qpn])
		return -EEXIST;
	reg->qp[qpn] = malloc(sizeof(struct rdma_ip_qp));
	if (!reg->qp[qpn])
		return -ENOMEM;
	rdma_ip_qp_init(reg->qp[qpn], &reg->cfg);
	return 0;
}

struct rdma_ip_qp *rdma_ip_reg_qp(const struct rdma_ip_reg *reg, uint32_t qpn)
{
	return qpn && qpn <= reg->max_qps ? reg->qp[qpn] : NULL;
}

static void write_start(
	struct rdma_ip_reg *reg, unsigned i, uint32_t qpn, uint64_t value, tstamp now)
{
	struct rdma_ip_place place = reg->start[i];

	place.address += (qpn - 1) * RDMA_IP_REG_QP_STRIDE;
	rdma_ip_reg_write(reg, &place, value, now);
}

void rdma_ip_reg_start_qp(
	struct rdma_ip_reg *reg, uint32_t qpn, uint32_t rate, uint32_t alpha, tstamp now)
{
	const uint64_t value[RDMA_IP_REG_STARTS - 1] = {rate, rate, alpha};

	for (unsigned i = 0; i < RDMA_IP_REG_STARTS - 1; i++)
		write_start(reg, i, qpn, value[i], now);
	if (rate == reg->g.qp.rp.max_rate)
		return;
	reg->timer_busy_until = now; // of one queue pair after the other; each was waited for
	write_start(reg, RDMA_IP_REG_STARTS - 1, qpn, 1, now);
}

// Returns whether a preload writes DCQCN_DFX_CTRL and starts the debugging window for queue pair
// `qpn`. Such a preload has to wait until the queue pair is there.
static bool starts_window(
	const struct rdma_ip_reg *reg, const struct rdma_ip_reg_preload *p, uint32_t qpn)
{
	return p->place.address == reg->window.address && p->place.width == reg->window.width &&
	       (p->value & 0xffffff) == qpn && p->value >> 32 & 1;
}

void rdma_ip_reg_boot(
	struct rdma_ip_reg *reg, uint32_t qpn, const struct rdma_ip_reg_params *p, tstamp now)
{
	if (!reg->booted)
		rdma_ip_reg_load(reg, &p->init, now);
	rdma_ip_reg_start_qp(reg, qpn, p->initial_rate, p->initial_alpha, now);
	for (unsigned i = 0; i < p->n_preload; i++) {
		struct rdma_ip_place place = p->preload[i].place;

		if (rdma_ip_reg_qpn(place.address))
			place.address += (qpn - 1) * RDMA_IP_REG_QP_STRIDE;
		else if (reg->booted && !starts_window(reg, &p->preload[i], qpn))
			continue;
		reg->timer_busy_until = now; // as in rdma_ip_reg_start_qp
		rdma_ip_reg_write(reg, &place, p->preload[i].value, now);
	}
	reg->booted = true;
}

static int lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c;
}

// Returns the text after the prefix `name`, in upper or lower case; NULL: `text` begins with
// something else.
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

// Returns whether the text names the field: "dcqcn_max_rate" or "max_rate", either with
// "DCQCN_INCREASE." before it.
static bool names(const char *text, const struct rdma_ip_field *f)
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

uint32_t rdma_ip_reg_qpn(uint32_t address)
{
	if (address < QP_BASE || address >= QP_END)
		return 0;
	return address % QP_SPAN / RDMA_IP_REG_QP_STRIDE + 1;
}

static int found(
	struct rdma_ip_place *place, const struct rdma_ip_field *f, bool whole, uint32_t qpn)
{
	uint32_t block = 0;

	if (rdma_ip_field_per_qp(f)) {
		if (!qpn || qpn > RDMA_IP_REG_QPS)
			return -ENXIO;
		block = (qpn - 1) * RDMA_IP_REG_QP_STRIDE;
	}
	*place = (struct rdma_ip_place){
		.address = f->address + block,
		.lsb = whole ? 0 : f->lsb,
		.width = whole ? 64 : f->width,
	};
	return 0;
}

// An address implies its queue pair, unless it is the address of number 1 and another is named.
static int find_address(struct rdma_ip_place *place, uint32_t address, uint32_t qpn)
{
	uint32_t own = rdma_ip_reg_qpn(address);
	uint32_t base = own ? address - (own - 1) * RDMA_IP_REG_QP_STRIDE : address;

	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		if (rdma_ip_fields[i].address == base)
			return found(place, &rdma_ip_fields[i], true, own == 1 && qpn ? qpn : own);
	}
	return -ENOENT;
}

int rdma_ip_reg_find(struct rdma_ip_place *place, const char *text, uint32_t qpn)
{
	uint32_t address;

	if (parse_hex(text, &address))
		return find_address(place, address, qpn);
	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		if (names(text, &rdma_ip_fields[i]))
			return found(place, &rdma_ip_fields[i], false, qpn);
	}
	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		if (same(text, rdma_ip_fields[i].word))
			return found(place, &rdma_ip_fields[i], true, qpn);
	}
	return -ENOENT;
}

bool rdma_ip_reg_interrupt(struct rdma_ip_reg *reg, uint32_t qpn)
{
	if (!reg->g.qp.cnp_int_en)
		return false;
	reg->cnp_int_status = true;
	reg->cnp_int_qp = qpn;
	return true;
}
