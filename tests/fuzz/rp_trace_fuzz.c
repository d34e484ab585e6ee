// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: any text is a trace or one line of error, and any reaction point takes what was
// read. The first byte chooses the reaction point.
#include <errno.h>
#include <string.h>

#include "fuzz.h"
#include "model/model.h"
#include "../rdma_ip_set.h"

#define MOST 20000 // rows of one input

struct seen {
	tstamp at;
	unsigned n;
	struct model *m;
};

static bool see(void *arg, const struct model_row *row)
{
	struct seen *s = arg;
	struct rp_state state[RP_STATES_MOST];

	fuzz_check(row->at >= s->at);
	fuzz_check(*rp_event_name(row->result) != '?');
	fuzz_check(model_states(s->m, state, row->at) <= RP_STATES_MOST);
	s->at = row->at;
	return ++s->n < MOST;
}

static void dcqcn(struct rp_cfg *cfg, const char *profile)
{
	struct dcqcn_rp_params p;

	fuzz_check(!dcqcn_rp_profile(&p, profile, 25 * RATE_GBPS));
	cfg->kind = RP_DCQCN;
	fuzz_check(!dcqcn_rp_cfg_init(&cfg->u.dcqcn, &p));
}

static void qcn(struct rp_cfg *cfg)
{
	const struct qcn_rp_params p = {.max_rate = 10 * RATE_GBPS,
		.min_rate = 10 * RATE_MBPS,
		.initial_rate = RATE_GBPS,
		.ai_rate = 5 * RATE_MBPS,
		.hai_rate = 50 * RATE_MBPS,
		.time_reset_ps = 15000 * PS_PER_US,
		.byte_reset = 150000,
		.threshold = 5,
		.gd = 7,
		.min_dec_fac = 50,
		.randomise_percent = 30};

	cfg->kind = RP_QCN;
	fuzz_check(!qcn_rp_cfg_init(&cfg->u.qcn, &p));
}

static void rdma_ip(struct rp_cfg *cfg, bool other)
{
	struct rdma_ip_qp_core *core = &cfg->u.rdma_ip.core;

	cfg->kind = RP_RDMA_IP;
	cfg->u.rdma_ip = rdma_ip_set(39719, 100);
	cfg->u.rdma_ip.init.qp.cnp_int_en = 1;
	core->rp.fr_convention = RP_FR_P;
	if (!other)
		return;
	core->rp.byte_unit = 64;
	core->rp.alpha_bits = 18;
	core->rp.merge = RDMA_IP_RP_PERIOD_END;
	core->rp.merged_restart = true;
	core->limiter = RDMA_IP_WINDOW;
}

static struct rp_cfg cfg_of(uint8_t choice)
{
	struct rp_cfg cfg = {0};

	switch (choice % 6) {
	case 0:
		dcqcn(&cfg, "paper");
		break;
	case 1:
		dcqcn(&cfg, "hpcc_sim_dcqcn");
		break;
	case 2:
		dcqcn(&cfg, "connectx");
		break;
	case 3:
		qcn(&cfg);
		break;
	default:
		rdma_ip(&cfg, choice % 6 == 5);
	}
	return cfg;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rp_cfg cfg = cfg_of(size ? data[0] : 0);
	FILE *f = size > 1 ? fmemopen((void *)(data + 1), size - 1, "r") : NULL;
	struct err err = {0};
	struct seen s = {0};
	struct trace_event e;
	struct trace t;
	int rc;

	if (!f)
		return 0;
	fuzz_check(!model_new(&s.m, &cfg, 1, see, &s, &err));
	trace_init(&t, f, "trace", rp_registers(&cfg));
	while ((rc = trace_next(&t, &e, &err)) > 0 && !(rc = model_take(s.m, &e, &err)))
		;
	if (rc && rc != -ECANCELED) {
		fuzz_check(*err.text);
		fuzz_check(!strchr(err.text, '\n'));
	}
	model_free(s.m);
	fclose(f);
	return 0;
}
