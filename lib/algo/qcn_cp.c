// SPDX-License-Identifier: BSD-3-Clause
// QCN congestion point: Fb from offset and change of the queue, its quantization, the next sample.
#include "algo/qcn_cp.h"

#include <errno.h>

#include "wire/cnm.h"

#define FB_BITS 6

static bool params_ok(const struct qcn_cp_params *p)
{
	for (unsigned i = 0; i < QCN_CP_LEVELS; i++)
		if (p->sample_table[i] > UINT32_MAX)
			return false;
	return p->set_point >= 100 && p->set_point <= UINT32_MAX && p->weight >= -10 &&
	       p->weight <= 10 && p->sample_base >= 10000 && p->sample_base <= UINT32_MAX &&
	       p->randomise_percent <= 99 && p->quant <= QCN_CP_MSB6;
}

// base (1 - r) .. base (1 + r)
static void init_level(struct qcn_cp_cfg *cfg, unsigned level)
{
	const struct qcn_cp_params *p = &cfg->p;
	uint64_t base =
		p->sample_table[level] ? p->sample_table[level] : p->sample_base / (level + 1);
	uint64_t swing = base * p->randomise_percent / 100;

	cfg->least[level] = (int64_t)(base - swing);
	cfg->span[level] = 2 * swing + 1;
}

int qcn_cp_cfg_init(struct qcn_cp_cfg *cfg, const struct qcn_cp_params *params)
{
	int up = params->weight > 0 ? params->weight : 0;
	int down = params->weight < 0 ? -params->weight : 0;
	unsigned bits;

	if (!params_ok(params))
		return -EINVAL;
	*cfg = (struct qcn_cp_cfg){.p = *params, .one = 1ll << down, .w = 1ll << up};
	cfg->limit = (int64_t)params->set_point * (2 * cfg->w + cfg->one);
	bits = 64 - (unsigned)__builtin_clzll((uint64_t)cfg->limit);
	cfg->msb_shift = (uint8_t)(bits > FB_BITS ? bits - FB_BITS : 0);
	for (unsigned i = 0; i < QCN_CP_LEVELS; i++)
		init_level(cfg, i);
	return 0;
}

void qcn_cp_init(struct qcn_cp *cp, const struct qcn_cp_cfg *cfg, struct prng *rng)
{
	// standards.md 1.5: qlen_old = 0, the first sample after the nominal base
	*cp = (struct qcn_cp){
		.cfg = cfg,
		.rng = rng,
		.sample = cfg->least[0] + (int64_t)(cfg->span[0] / 2),
	};
}

// Fb = (Q_sp - Q) - W (Q - Q_old), within -Q_sp (2 W + 1) .. 0; returns QntzFb.
static unsigned quantized(const struct qcn_cp_cfg *cfg, int64_t offset, int64_t delta)
{
	int64_t fb = offset * cfg->one - delta * cfg->w;

	if (fb >= 0)
		return 0;
	if (fb < -cfg->limit)
		fb = -cfg->limit;
	if (cfg->p.quant == QCN_CP_MSB6)
		return (unsigned)(-fb >> cfg->msb_shift);
	return (unsigned)(-fb * (QCN_CP_FB - 1) / cfg->limit);
}

static void note_spacing(struct qcn_cp *cp)
{
	struct qcn_cp_spacing *s = &cp->spacing[cp->level];

	if (!cp->drawn)
		return;
	s->n++;
	s->bytes += (uint64_t)(cp->drawn - cp->sample);
	s->beyond += (uint64_t)-cp->sample;
}

bool qcn_cp_sample(struct qcn_cp *cp, uint32_t qlen_bytes, struct qcn_cp_feedback *fb)
{
	const struct qcn_cp_cfg *cfg = cp->cfg;
	int64_t offset = (int64_t)cfg->p.set_point - qlen_bytes;
	int64_t delta = (int64_t)qlen_bytes - cp->qlen_old;
	unsigned qntzfb = quantized(cfg, offset, delta);
	unsigned level = qntzfb / (QCN_CP_FB / QCN_CP_LEVELS);

	*fb = (struct qcn_cp_feedback){
		.qntzfb = (uint8_t)qntzfb,
		.qoffset = cnm_units(offset),
		.qdelta = cnm_units(delta),
	};
	note_spacing(cp);
	cp->samples[qntzfb]++;
	cp->qlen_old = qlen_bytes; // at every sample, with or without a CNM
	cp->sample = cfg->least[level];
	if (cfg->span[level] > 1)
		cp->sample += (int64_t)prng_below(cp->rng, cfg->span[level]);
	cp->drawn = cp->sample;
	cp->level = (uint8_t)level;
	return qntzfb > 0;
}
