// SPDX-License-Identifier: BSD-3-Clause
// QCN, iQCN and Fast CNP of a scene: congestion points, flow tables and reaction points compiled.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "int.h"

typedef unsigned long long ull; // of messages

static const struct yamldoc_node *class_has(
	const struct draft_node *n, unsigned cls, const char *key)
{
	return opt_source(&scene_opts_class, &n->sw->cls[cls], key);
}

static int switch_qcn(struct draft *b, const struct sw_params *p, struct sw_set_params *set,
	const struct draft_node *n, unsigned cls)
{
	const struct spec_qcn *q = &n->sw->cls[cls].qcn;
	const struct yamldoc_node *at = class_has(n, cls, "qcn");
	struct sw_qcn_params *to = &set->cls[cls].qcn;

	if (!at)
		return 0;
	*to = (struct sw_qcn_params){
		.on = true,
		.cp = {.set_point = q->set_point,
			.weight = q->weight,
			.sample_base = q->sample_base,
			.quant = q->quant},
		.cnm_class = q->cnm_class,
		.alternate_class = q->alternate_class,
		.min_header_octets = q->min_header_octets,
	};
	memcpy(to->cp.sample_table, q->sample_table, sizeof(to->cp.sample_table));
	b->s->needs_hdrs = true;
	b->s->needs_bytes |= q->min_header_octets > 0;
	if (class_has(n, q->cnm_class, "qcn"))
		return yamldoc_err(b->err, draft_given(&scene_opts_qcn, q, "cnm_class", at),
			"switch '%s': class %u of CNMs has qcn itself; CNMs go in a class that "
			"has not",
			n->name, q->cnm_class);
	for (unsigned i = 0; i < n->n_ports; i++)
		if (p->port[i].cn == SW_CN_EDGE && class_has(n, q->alternate_class, "qcn"))
			return yamldoc_err(b->err,
				draft_given(&scene_opts_qcn, q, "alternate_class", at),
				"switch '%s': alternate_class %u has qcn itself; at the edge %s "
				"frames go "
				"to a class that has not",
				n->name, q->alternate_class, n->port[i]->name);
	if (q->randomise >= 1000)
		return yamldoc_err(b->err, draft_given(&scene_opts_qcn, q, "randomise", at),
			"randomise is below 100%%");
	return schema_percent(b->err, &to->cp.randomise_percent, q->randomise, "randomise",
		draft_given(&scene_opts_qcn, q, "randomise", at));
}

static bool same_iqcn(const struct spec_iqcn *x, const struct spec_iqcn *y)
{
	return x->rpg_time_reset == y->rpg_time_reset && x->margin == y->margin &&
	       x->path_delay == y->path_delay && x->entry_gap == y->entry_gap && x->age == y->age &&
	       x->np_age == y->np_age && x->entries == y->entries && x->port_rate == y->port_rate &&
	       x->port_burst == y->port_burst;
}

// Returns the usual limit of heavy congestion: the least Kmax of the switch's ports if there is a
// marker, else 80 % of their least XOFF, without their reserves.
static uint64_t usual_heavy(const struct scene_node *sw, unsigned cls)
{
	const struct sw_params *p = &sw->u.sw;
	uint64_t xoff = UINT64_MAX, kmax = UINT64_MAX;

	for (unsigned i = 0; i < p->n_sets; i++) {
		const struct sw_class_params *c = &p->set[i].cls[cls];

		if (c->mark != SW_MARK_NONE && c->red.kmax_bytes < kmax)
			kmax = c->red.kmax_bytes;
	}
	if (kmax != UINT64_MAX)
		return kmax;
	for (unsigned i = 0; i < p->n_ports; i++) {
		uint64_t one = hardware_shared(sw, i, cls);

		xoff = one < xoff ? one : xoff;
	}
	return xoff / 5 * 4;
}

static int heavy(struct draft *b, struct sw_set_params *set, const struct draft_node *n,
	unsigned cls, const struct yamldoc_node *at)
{
	const struct spec_iqcn *q = &n->sw->cls[cls].iqcn;
	struct sw_class_params *to = &set->cls[cls];
	bool usual = !q->heavy.is_share && q->heavy.value == OPT_AUTO;
	char low[DRAFT_SAID], high[DRAFT_SAID];
	bool usual_off = !q->heavy_off.is_share && q->heavy_off.value == OPT_AUTO;

	to->heavy_bytes = usual ? usual_heavy(&b->s->node[n->index], cls)
				: draft_amount(&q->heavy, n->sw->buffer);
	to->heavy_off_bytes =
		usual_off ? to->heavy_bytes / 5 * 4 : draft_amount(&q->heavy_off, n->sw->buffer);
	if (to->heavy_off_bytes > to->heavy_bytes)
		return yamldoc_err(b->err, draft_given(&scene_opts_iqcn, q, "heavy_off", at),
			"heavy_off %s is above heavy %s",
			draft_said(&scene_opts_iqcn, q, "heavy_off", to->heavy_off_bytes, high,
				sizeof(high)),
			draft_said(
				&scene_opts_iqcn, q, "heavy", to->heavy_bytes, low, sizeof(low)));
	if (to->heavy_bytes && to->heavy_bytes <= UINT32_MAX)
		return 0;
	return yamldoc_err(b->err, draft_given(&scene_opts_iqcn, q, "heavy", at),
		"heavy comes to %llu bytes; give it, as in 400KB", (ull)to->heavy_bytes);
}

// The limit of each port; NULL: no memory.
static const uint64_t *port_limits(
	struct draft *b, const struct sw_params *p, const struct spec_iqcn *q)
{
	uint64_t *limit = draft_get(b, p->n_ports * sizeof(*limit));

	for (unsigned i = 0; limit && i < p->n_ports; i++)
		limit[i] = q->port_rate == OPT_AUTO   ? iqcn_port_share(p->port[i].rate)
			   : q->port_rate == OPT_NONE ? 0
						      : q->port_rate;
	return limit;
}

// One flow table for the switch: its classes differ in their thresholds only.
static int switch_iqcn(struct draft *b, struct sw_params *p, struct sw_set_params *set,
	const struct draft_node *n, unsigned cls)
{
	const struct spec_iqcn *q = &n->sw->cls[cls].iqcn;
	const struct yamldoc_node *at = class_has(n, cls, "iqcn");
	struct iqcn_cfg cfg;

	if (!at)
		return 0;
	for (unsigned c = 0; c < cls; c++)
		if (class_has(n, c, "iqcn") && !same_iqcn(&n->sw->cls[c].iqcn, q))
			return yamldoc_err(b->err, at,
				"switch '%s': classes %u and %u want different flow tables; they "
				"may "
				"differ in heavy and heavy_off only",
				n->name, c, cls);
	b->s->needs_hdrs = true;
	p->iqcn_on = true;
	p->iqcn = (struct iqcn_params){
		.n_ports = p->n_ports,
		.entries = q->entries,
		.rpg_time_reset_ps = q->rpg_time_reset,
		.margin = q->margin,
		.path_delay_ps = q->path_delay,
		.entry_gap_ps = q->entry_gap,
		.age_ps = q->age == OPT_AUTO ? 0 : q->age,
		.np_age_ps = q->np_age,
		.port_cnps_per_s = port_limits(b, p, q),
		.port_burst = q->port_burst,
	};
	p->iqcn_limit_auto = q->port_rate == OPT_AUTO;
	if (!p->iqcn.port_cnps_per_s)
		return -ENOMEM;
	if (iqcn_cfg_init(&cfg, &p->iqcn))
		return yamldoc_err(b->err, at,
			"switch '%s': a flow would be forgotten before its CNP is due; raise age "
			"and "
			"np_age above margin times rpg_time_reset",
			n->name);
	return heavy(b, set, n, cls, at);
}

// Returns whether two classes have equal settings of Fast CNP. The switch has one flow table for
// all of them, so they may differ only in whether CE is set.
static bool same_fast_cnp(const struct spec_fast_cnp *x, const struct spec_fast_cnp *y)
{
	return x->interval == y->interval && x->age == y->age && x->cnp_class == y->cnp_class &&
	       x->cnp_dscp == y->cnp_dscp && x->entries == y->entries;
}

static bool has_marker(const struct sw_params *p, unsigned cls)
{
	bool has = false;

	for (unsigned i = 0; i < p->n_sets; i++)
		has |= p->set[i].cls[cls].mark != SW_MARK_NONE || p->set[i].cls[cls].force_ce;
	return has;
}

static int fast_cnp_check(struct draft *b, const struct sw_params *p, const struct draft_node *n,
	unsigned cls, const struct yamldoc_node *at)
{
	if (!has_marker(p, cls))
		return yamldoc_err(b->err, at,
			"switch '%s': class %u has fast_cnp and no marker; give it wred", n->name,
			cls);
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		if (c < cls && class_has(n, c, "fast_cnp") &&
			!same_fast_cnp(&n->sw->cls[c].fast_cnp, &n->sw->cls[cls].fast_cnp))
			return yamldoc_err(b->err, at,
				"switch '%s': classes %u and %u want different fast_cnp; they may "
				"differ in ce only",
				n->name, c, cls);
	}
	return 0;
}

static int switch_fast_cnp(struct draft *b, struct sw_params *p, struct sw_set_params *set,
	const struct draft_node *n, unsigned cls)
{
	const struct spec_fast_cnp *q = &n->sw->cls[cls].fast_cnp;
	const struct yamldoc_node *at = class_has(n, cls, "fast_cnp");
	unsigned dscp = q->cnp_dscp == OPT_AUTO ? 8u * q->cnp_class : (unsigned)q->cnp_dscp;

	if (!at)
		return 0;
	b->s->needs_hdrs = true;
	p->fast_cnp_on = true;
	p->fast_cnp = (struct sw_fast_cnp_params){
		.table = {.entries = q->entries, .interval_ps = q->interval, .age_ps = q->age},
		.cnp_class = q->cnp_class,
		.cnp_tos = (uint8_t)(dscp << 2 | ECN_ECT0),
	};
	set->cls[cls].fast_cnp = q->ce ? SW_FAST_CNP_BESIDE : SW_FAST_CNP_INSTEAD;
	return fast_cnp_check(b, p, n, cls, at);
}

// Gives a set what another one has that is the whole switch's.
static void copy_cn(struct sw_set_params *to, const struct sw_set_params *from)
{
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		to->cls[c].qcn = from->cls[c].qcn;
		to->cls[c].heavy_bytes = from->cls[c].heavy_bytes;
		to->cls[c].heavy_off_bytes = from->cls[c].heavy_off_bytes;
		to->cls[c].fast_cnp = from->cls[c].fast_cnp;
	}
}

int hardware_switch_cn(
	struct draft *b, struct sw_params *p, struct sw_set_params *set, const struct draft_node *n)
{
	int rc = 0;

	for (unsigned c = 0; !rc && c < PKT_CLASSES; c++) {
		rc = switch_qcn(b, p, set, n, c);
		if (!rc)
			rc = switch_iqcn(b, p, set, n, c);
		if (!rc)
			rc = switch_fast_cnp(b, p, set, n, c);
	}
	for (unsigned i = 1; i < p->n_sets; i++)
		copy_cn(&set[i], set);
	return rc;
}

bool hardware_control_is_qcn(const struct draft_control *c)
{
	return opt_source(&scene_opts_control, &c->spec, "qcn") != NULL;
}

// Nothing of DCQCN stands beside it.
int hardware_control_qcn_check(struct draft *b, const struct draft_control *c)
{
	for (unsigned i = 0; c->layer && i < c->layer->n; i++)
		if (strcmp(c->layer->item[i].key->text, "qcn") != 0)
			return yamldoc_err(b->err, c->layer->item[i].key,
				"control '%s': '%s' is DCQCN's, qcn is another reaction point; "
				"drop one "
				"of them",
				c->name, c->layer->item[i].key->text);
	return 0;
}
