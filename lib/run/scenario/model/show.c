// SPDX-License-Identifier: BSD-3-Clause
// Writes rows of a model with its state and its registers.
#include "show.h"

#include <math.h>

#include "model.h"

#define DECIMALS 9

// A value with bits behind the binary point.
static double decimal(const struct rp_state *v)
{
	return ldexp((double)v->value, -v->frac);
}

void show_head(const struct show *s)
{
	struct rp_state v[RP_STATES_MOST];
	unsigned n = model_states(s->model, v, 0);

	if (s->json)
		return;
	out_str(s->o, "t_ps,line,event,result");
	for (unsigned i = 0; i < n; i++) {
		out_printf(s->o, ",%s", v[i].name);
		if (v[i].frac)
			out_printf(s->o, ",%s_decimal", v[i].name);
	}
	if (model_registers(s->model)) {
		out_str(s->o, ",value");
		for (unsigned i = 0; i < rdma_ip_n_fields; i++)
			out_printf(s->o, ",%s.%s", rdma_ip_fields[i].word, rdma_ip_fields[i].name);
	}
	out_str(s->o, "\n");
}

static void csv_state(struct out *o, const struct rp_state *v)
{
	char text[FMT_MAX], *end;

	out_str(o, ",");
	if (v->value != RP_STATE_NONE)
		out_printf(o, "%lld", (long long)v->value);
	if (!v->frac)
		return;
	end = fmt_fixed_signed(text, llround(decimal(v) * 1e9), DECIMALS); // as jw_num rounds
	out_str(o, ",");
	out_put(o, text, (size_t)(end - text));
}

static void csv_row(
	const struct show *s, const struct model_row *row, const struct rp_state *v, unsigned n)
{
	struct rdma_ip_reg *reg = model_registers(s->model);
	struct out *o = s->o;

	out_printf(o, "%llu,", (unsigned long long)row->at);
	if (row->line)
		out_printf(o, "%llu", (unsigned long long)row->line);
	out_printf(o, ",%s,%s", row->event, rp_event_name(row->result));
	for (unsigned i = 0; i < n; i++)
		csv_state(o, &v[i]);
	if (reg) {
		out_str(o, ",");
		if (row->has_value)
			out_printf(o, "%llu", (unsigned long long)row->value);
		for (unsigned i = 0; i < rdma_ip_n_fields; i++)
			out_printf(o, ",%llu",
				(unsigned long long)rdma_ip_reg_field(
					reg, &rdma_ip_fields[i], 1, row->at));
	}
	out_str(o, "\n");
}

static void json_state(struct jw *w, const struct rp_state *v)
{
	char name[64];

	if (v->value == RP_STATE_NONE)
		jw_null(w, v->name);
	else
		jw_i64(w, v->name, v->value);
	if (!v->frac)
		return;
	snprintf(name, sizeof(name), "%s_decimal", v->name);
	jw_num(w, name, decimal(v), DECIMALS);
}

static void json_registers(struct jw *w, struct rdma_ip_reg *reg, tstamp now)
{
	char name[64];

	jw_object(w, "registers", true);
	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		const struct rdma_ip_field *f = &rdma_ip_fields[i];

		snprintf(name, sizeof(name), "%s.%s", f->word, f->name);
		jw_u64(w, name, rdma_ip_reg_field(reg, f, 1, now));
	}
	jw_end(w);
}

static void json_row(
	const struct show *s, const struct model_row *row, const struct rp_state *v, unsigned n)
{
	struct rdma_ip_reg *reg = model_registers(s->model);
	struct jw w;

	jw_init(&w, s->o);
	jw_object(&w, NULL, true);
	jw_u64(&w, "t_ps", row->at);
	if (row->line)
		jw_u64(&w, "line", row->line);
	else
		jw_null(&w, "line");
	jw_str(&w, "event", row->event);
	jw_str(&w, "result", rp_event_name(row->result));
	for (unsigned i = 0; i < n; i++)
		json_state(&w, &v[i]);
	if (reg && row->has_value)
		jw_u64(&w, "value", row->value);
	else if (reg)
		jw_null(&w, "value");
	if (reg)
		json_registers(&w, reg, row->at);
	jw_end(&w);
}

bool show_row(void *arg, const struct model_row *row)
{
	const struct show *s = arg;
	struct rp_state v[RP_STATES_MOST];
	unsigned n = model_states(s->model, v, row->at);

	if (s->json)
		json_row(s, row, v, n);
	else
		csv_row(s, row, v, n);
	return !*s->stop && !s->o->error;
}
