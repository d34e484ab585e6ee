// SPDX-License-Identifier: BSD-3-Clause
// The effects of reading and writing the RDMA IP's registers on parameters, queue pairs and the
// debugging window.
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "rdma_ip_reg.h"
#include "base/fixed.h"

#define BUSY_CYCLES 16

// Whether queue pairs behave alike under both. Whether a CNP interrupts is the core's business.
static bool are_alike(const struct rdma_ip_reg_global *one, const struct rdma_ip_reg_global *two)
{
	struct rdma_ip_qp_regs qp = one->qp;

	qp.cnp_int_en = two->qp.cnp_int_en;
	return !memcmp(&qp, &two->qp, sizeof(qp));
}

// Global parameters may differ from `before`: every queue pair takes over the ones that concern it.
static void adopt(struct rdma_ip_reg *reg, const struct rdma_ip_reg_global *before, tstamp now)
{
	struct rdma_ip_qp_cfg old = reg->cfg;
	bool alike = are_alike(before, &reg->g);

	// Fields are as wide as their registers, so that it cannot fail.
	rdma_ip_qp_cfg_init(&reg->cfg, &reg->core, &reg->g.qp);
	for (uint32_t n = 1; !alike && n <= reg->max_qps; n++) {
		if (reg->qp[n])
			rdma_ip_qp_reload(reg->qp[n], &old, now);
	}
}

void rdma_ip_reg_load(struct rdma_ip_reg *reg, const struct rdma_ip_reg_global *g, tstamp now)
{
	const struct rdma_ip_reg_global before = reg->g;

	reg->g = *g;
	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		if (rdma_ip_fields[i].what == RDMA_IP_PLAIN)
			*rdma_ip_field_plain(&reg->g, &rdma_ip_fields[i]) &=
				(uint32_t)rdma_ip_field_mask(rdma_ip_fields[i].width);
	}
	adopt(reg, &before, now);
}

static bool same_preloads(const struct rdma_ip_reg_params *a, const struct rdma_ip_reg_params *b)
{
	for (unsigned i = 0; i < a->n_preload && i < b->n_preload; i++) {
		const struct rdma_ip_place *p = &a->preload[i].place, *q = &b->preload[i].place;

		if (p->address != q->address || p->lsb != q->lsb || p->width != q->width ||
			a->preload[i].value != b->preload[i].value)
			return false;
	}
	return a->n_preload == b->n_preload;
}

static bool same_core(const struct rdma_ip_qp_core *one, const struct rdma_ip_qp_core *two)
{
	const struct rdma_ip_rp_core *a = &one->rp, *b = &two->rp;

	return one->cnp_timer_us == two->cnp_timer_us && one->limiter == two->limiter &&
	       a->clock_hz == b->clock_hz && a->byte_unit == b->byte_unit &&
	       a->alpha_bits == b->alpha_bits && a->merge == b->merge &&
	       a->merged_restart == b->merged_restart && a->fr_convention == b->fr_convention &&
	       a->clamp_target == b->clamp_target && a->hai_progressive == b->hai_progressive;
}

bool rdma_ip_reg_may_adopt(
	const struct rdma_ip_reg_params *was, const struct rdma_ip_reg_params *to)
{
	return same_core(&was->core, &to->core) && was->initial_rate == to->initial_rate &&
	       was->initial_alpha == to->initial_alpha && same_preloads(was, to);
}

bool rdma_ip_reg_same(const struct rdma_ip_reg_params *a, const struct rdma_ip_reg_params *b)
{
	struct rdma_ip_reg_global one = a->init, two = b->init;

	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		const struct rdma_ip_field *f = &rdma_ip_fields[i];

		if (f->what == RDMA_IP_PLAIN &&
			*rdma_ip_field_plain(&one, f) != *rdma_ip_field_plain(&two, f))
			return false;
	}
	return rdma_ip_reg_may_adopt(a, b);
}

void rdma_ip_reg_adopt(struct rdma_ip_reg *reg, const struct rdma_ip_reg_params *was,
	const struct rdma_ip_reg_params *to, tstamp now)
{
	const struct rdma_ip_reg_global before = reg->g;
	struct rdma_ip_reg_global old = was->init, new = to->init;

	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		const struct rdma_ip_field *f = &rdma_ip_fields[i];
		uint32_t mask = (uint32_t)rdma_ip_field_mask(f->width);

		if (f->what == RDMA_IP_PLAIN &&
			*rdma_ip_field_plain(&old, f) != *rdma_ip_field_plain(&new, f))
			*rdma_ip_field_plain(&reg->g, f) = *rdma_ip_field_plain(&new, f) & mask;
	}
	adopt(reg, &before, now);
}

static struct rdma_ip_dfx *window(const struct rdma_ip_reg *reg)
{
	struct rdma_ip_qp *qp = rdma_ip_reg_qp(reg, reg->g.dfx_qp);

	return qp ? &qp->dfx : NULL;
}

static uint64_t get_window(const struct rdma_ip_dfx *d, enum rdma_ip_what what)
{
	struct rdma_ip_dfx_entry e = {.code = RDMA_IP_DFX_RESERVED};

	if (d)
		rdma_ip_dfx_peek(d, &e);
	switch (what) {
	case RDMA_IP_DFX_EVENT:
		return e.code;
	case RDMA_IP_DFX_RATE:
		return e.rate;
	case RDMA_IP_DFX_TIME:
		return e.us;
	case RDMA_IP_DFX_BUSY:
		return d && d->busy;
	case RDMA_IP_DFX_COUNT:
		return d ? d->n : 0;
	case RDMA_IP_DFX_DECREASE:
		return d ? d->decrease : 0;
	case RDMA_IP_DFX_BYTE_INCREASE:
		return d ? d->byte_increase : 0;
	case RDMA_IP_DFX_TIMER_INCREASE:
		return d ? d->timer_increase : 0;
	default:
		return 0;
	}
}

static uint64_t get_global(struct rdma_ip_reg *reg, const struct rdma_ip_field *f, tstamp now)
{
	switch (f->what) {
	case RDMA_IP_PLAIN:
		return *rdma_ip_field_plain(&reg->g, f);
	case RDMA_IP_CNP_INT_STATUS:
		return reg->cnp_int_status;
	case RDMA_IP_CNP_INT_QP:
		return reg->cnp_int_qp;
	case RDMA_IP_TIMER_BUSY:
		return now < reg->timer_busy_until;
	default:
		return get_window(window(reg), f->what);
	}
}

// Returns the time from now to `at` in microseconds, rounded up, at most 65535.
static uint64_t us_until(tstamp at, tstamp now)
{
	uint64_t us = (tstamp_since(at, now) + PS_PER_US - 1) / PS_PER_US;

	return us < UINT16_MAX ? us : UINT16_MAX;
}

// Bits of alpha behind the register's ten.
static unsigned more_bits(const struct rdma_ip_qp *qp)
{
	return qp->cfg->rp.core.alpha_bits - RDMA_IP_RP_ALPHA_BITS;
}

static uint64_t get_qp(const struct rdma_ip_qp *qp, enum rdma_ip_what what, tstamp now)
{
	const struct rdma_ip_rp *rp = &qp->rp;

	switch (what) {
	case RDMA_IP_SQ_ARB_MASK:
		return qp->sq_arb_mask;
	case RDMA_IP_MERGE_FLAG:
		return rp->cnp_cut;
	case RDMA_IP_MERGE_LEFT:
		return us_until(rp->merge_at, now);
	case RDMA_IP_RATE_CURRENT:
		return rp->rc >> RDMA_IP_RP_RATE_FRAC;
	case RDMA_IP_RATE_TARGET:
		return rp->rt >> RDMA_IP_RP_RATE_FRAC;
	case RDMA_IP_RATE_CURRENT_FRAC:
		return rp->rc;
	case RDMA_IP_RATE_TARGET_FRAC:
		return rp->rt;
	case RDMA_IP_ALPHA:
		return rp->alpha >> more_bits(qp);
	case RDMA_IP_ALPHA_FRAC:
		return (uint64_t)rp->alpha << (22 - more_bits(qp));
	case RDMA_IP_BYTE_COUNTER:
		return (uint64_t)rdma_ip_rp_bytes(rp) / qp->cfg->rp.core.byte_unit;
	case RDMA_IP_T_STAGE:
		return rp->t_stage;
	case RDMA_IP_BC_STAGE:
		return rp->bc_stage;
	case RDMA_IP_CC_RATE:
		return qp->cc_rate;
	case RDMA_IP_CC_BYTES:
		return rdma_ip_qp_bytes(qp, now);
	default:
		return 0;
	}
}

uint64_t rdma_ip_reg_field(
	struct rdma_ip_reg *reg, const struct rdma_ip_field *f, uint32_t qpn, tstamp now)
{
	const struct rdma_ip_qp *qp = rdma_ip_reg_qp(reg, qpn);
	uint64_t mask = rdma_ip_field_mask(f->width);

	if (!rdma_ip_field_per_qp(f))
		return get_global(reg, f, now) & mask;
	return qp ? get_qp(qp, f->what, now) & mask : 0;
}

// Returns whether a read or write at a place covers the field: the place is a whole register, or
// exactly this field.
static bool covers(const struct rdma_ip_place *p, const struct rdma_ip_field *f)
{
	return p->width == 64 || (p->lsb == f->lsb && p->width == f->width);
}

// The address of a word in the block of queue pair 1.
static uint32_t base_of(uint32_t address)
{
	uint32_t qpn = rdma_ip_reg_qpn(address);

	return qpn ? address - (qpn - 1) * RDMA_IP_REG_QP_STRIDE : address;
}

int rdma_ip_reg_read(
	struct rdma_ip_reg *reg, const struct rdma_ip_place *place, uint64_t *value, tstamp now)
{
	uint32_t qpn = rdma_ip_reg_qpn(place->address), base = base_of(place->address);
	bool any = false, pops = false;
	uint64_t v = 0;

	if (qpn && !rdma_ip_reg_qp(reg, qpn))
		return -ENXIO;
	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		const struct rdma_ip_field *f = &rdma_ip_fields[i];

		if (f->address != base || !covers(place, f))
			continue;
		v |= rdma_ip_reg_field(reg, f, qpn, now) << (f->lsb - place->lsb);
		any = true;
		pops |= f->access == RDMA_IP_POP;
	}
	if (!any)
		return -ENXIO;
	if (pops && window(reg))
		rdma_ip_dfx_pop(window(reg));
	*value = v;
	return 0;
}

static void set_rate(struct rdma_ip_qp *qp, enum rdma_ip_what what, uint32_t v)
{
	const uint32_t frac = (1u << RDMA_IP_RP_RATE_FRAC) - 1;
	uint32_t rc = qp->rp.rc, rt = qp->rp.rt;

	if (what == RDMA_IP_RATE_CURRENT)
		rc = v << RDMA_IP_RP_RATE_FRAC | (rc & frac);
	else if (what == RDMA_IP_RATE_TARGET)
		rt = v << RDMA_IP_RP_RATE_FRAC | (rt & frac);
	else if (what == RDMA_IP_RATE_CURRENT_FRAC)
		rc = (rc & ~frac) | v;
	else
		rt = (rt & ~frac) | v;
	qp->rp.rc = rc;
	qp->rp.rt = rt;
}

static void set_alpha(struct rdma_ip_qp *qp, enum rdma_ip_what what, uint32_t v)
{
	unsigned more = more_bits(qp);
	uint32_t low = (uint32_t)rdma_ip_field_mask(more);

	if (what == RDMA_IP_ALPHA)
		qp->rp.alpha = v << more | (qp->rp.alpha & low);
	else
		qp->rp.alpha = (qp->rp.alpha & ~low) | v >> (22 - more);
}

static void start_timer(struct rdma_ip_reg *reg, struct rdma_ip_qp *qp, tstamp now)
{
	if (now < reg->timer_busy_until)
		return;
	reg->timer_busy_until = now + fixed_muldiv(BUSY_CYCLES, PS_PER_S, reg->core.rp.clock_hz);
	rdma_ip_rp_start_timer(&qp->rp, now);
}

static void set_qp(struct rdma_ip_reg *reg, struct rdma_ip_qp *qp, enum rdma_ip_what what,
	uint32_t v, tstamp now)
{
	struct rdma_ip_rp *rp = &qp->rp;

	switch (what) {
	case RDMA_IP_SQ_ARB_MASK:
		qp->sq_arb_mask = v;
		break;
	case RDMA_IP_TIMER_START:
		if (v)
			start_timer(reg, qp, now);
		break;
	case RDMA_IP_MERGE_FLAG:
		rp->cnp_cut = v;
		break;
	case RDMA_IP_MERGE_LEFT:
		rp->merge_at = v ? now + v * PS_PER_US : 0;
		break;
	case RDMA_IP_RATE_CURRENT:
	case RDMA_IP_RATE_TARGET:
	case RDMA_IP_RATE_CURRENT_FRAC:
	case RDMA_IP_RATE_TARGET_FRAC:
		set_rate(qp, what, v);
		break;
	case RDMA_IP_ALPHA:
	case RDMA_IP_ALPHA_FRAC:
		set_alpha(qp, what, v);
		break;
	case RDMA_IP_BYTE_COUNTER:
		rdma_ip_rp_set_bytes(rp, (int64_t)v * qp->cfg->rp.core.byte_unit);
		break;
	case RDMA_IP_T_STAGE:
		rp->t_stage = (uint16_t)v;
		break;
	case RDMA_IP_BC_STAGE:
		rp->bc_stage = (uint16_t)v;
		break;
	case RDMA_IP_CC_RATE:
		rdma_ip_qp_set_cc_rate(qp, v, now);
		break;
	case RDMA_IP_CC_BYTES:
		rdma_ip_qp_set_bytes(qp, v, now);
		break;
	default:
		break;
	}
}

static void set_global(struct rdma_ip_reg *reg, enum rdma_ip_what what, uint32_t v)
{
	struct rdma_ip_dfx *d = window(reg);

	if (!v)
		return;
	if (what == RDMA_IP_CNP_INT_STATUS)
		reg->cnp_int_status = false;
	else if (d && what == RDMA_IP_DFX_START)
		rdma_ip_dfx_start(d);
	else if (d && what == RDMA_IP_DFX_STOP)
		rdma_ip_dfx_stop(d);
}

static bool writable(const struct rdma_ip_field *f)
{
	return f->access == RDMA_IP_RW || f->access == RDMA_IP_START || f->access == RDMA_IP_W1C;
}

// Writes plain fields of the place; returns whether there are any. They come before fields that
// start something: a window's queue pair must be known when the window starts.
static bool write_plain(
	struct rdma_ip_reg_global *g, const struct rdma_ip_place *place, uint64_t value)
{
	bool any = false;

	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		const struct rdma_ip_field *f = &rdma_ip_fields[i];

		if (f->what != RDMA_IP_PLAIN || f->address != place->address || !covers(place, f))
			continue;
		*rdma_ip_field_plain(g, f) =
			(uint32_t)(value >> (f->lsb - place->lsb) & rdma_ip_field_mask(f->width));
		any = true;
	}
	return any;
}

static bool write_rest(struct rdma_ip_reg *reg, struct rdma_ip_qp *qp,
	const struct rdma_ip_place *place, uint64_t value, tstamp now)
{
	uint32_t base = base_of(place->address);
	bool any = false;

	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		const struct rdma_ip_field *f = &rdma_ip_fields[i];
		uint32_t v;

		if (f->what == RDMA_IP_PLAIN || f->address != base || !covers(place, f) ||
			!writable(f))
			continue;
		v = (uint32_t)(value >> (f->lsb - place->lsb) & rdma_ip_field_mask(f->width));
		if (qp)
			set_qp(reg, qp, f->what, v, now);
		else
			set_global(reg, f->what, v);
		any = true;
	}
	return any;
}

// Makes a written state consistent. Rates are kept within their bounds. A flag takes effect at the
// end of the merge period, or now if none runs. Disabled hardware has no flags.
static void settle_qp(struct rdma_ip_qp *qp, tstamp now)
{
	struct rdma_ip_rp *rp = &qp->rp;

	rdma_ip_rp_set_rate(rp, rp->rc, rp->rt);
	rp->cnp_cut = rp->cnp_cut && rp->cfg->r.hw_en;
	if (rp->cnp_cut)
		rp->merge_at = tstamp_max(rp->merge_at, now);
}

static bool exists(uint32_t base)
{
	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		if (rdma_ip_fields[i].address == base)
			return true;
	}
	return false;
}

// Returns whether a place covers a field of the debugging window. There is one such window, for one
// queue pair at a time.
static bool has_window(const struct rdma_ip_place *place)
{
	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		const struct rdma_ip_field *f = &rdma_ip_fields[i];

		if (f->address == place->address && covers(place, f) &&
			f->what >= RDMA_IP_DFX_START && !rdma_ip_field_per_qp(f))
			return true;
	}
	return false;
}

uint32_t rdma_ip_reg_read_of(const struct rdma_ip_reg *reg, const struct rdma_ip_place *place)
{
	uint32_t qpn = rdma_ip_reg_qpn(place->address);

	return !qpn && has_window(place) ? reg->g.dfx_qp : qpn;
}

uint32_t rdma_ip_reg_write_of(
	const struct rdma_ip_reg *reg, const struct rdma_ip_place *place, uint64_t value)
{
	uint32_t qpn = rdma_ip_reg_qpn(place->address);
	struct rdma_ip_reg_global then = reg->g;

	if (qpn)
		return qpn;
	write_plain(&then, place, value);
	if (!are_alike(&reg->g, &then))
		return RDMA_IP_REG_ALL;
	return has_window(place) ? then.dfx_qp : 0;
}

int rdma_ip_reg_write(
	struct rdma_ip_reg *reg, const struct rdma_ip_place *place, uint64_t value, tstamp now)
{
	uint32_t qpn = rdma_ip_reg_qpn(place->address);
	struct rdma_ip_qp *qp = rdma_ip_reg_qp(reg, qpn);
	const struct rdma_ip_reg_global before = reg->g;
	bool plain, rest;

	if ((qpn && !qp) || !exists(base_of(place->address)))
		return -ENXIO;
	plain = write_plain(&reg->g, place, value);
	if (plain)
		adopt(reg, &before, now);
	rest = write_rest(reg, qp, place, value, now);
	if (qp)
		settle_qp(qp, now);
	return plain || rest ? 0 : -EACCES;
}
