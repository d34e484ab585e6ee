// SPDX-License-Identifier: BSD-3-Clause
// The names of the figures of each kind of object, all that there can be, told by the lists
// themselves.
#include "figure_path.h"
#include "figure.h"

// Objects that have everything a list may leave out; of their values nothing is read.
static const struct scene_flow flow;
static const struct scene_port port;
static const struct scene_node node;
static const struct sw_class_stats st;
static const struct red_cfg red;
static const struct rec_flow a_flow = {.scene = &flow, .rp = true};
static const struct rec_group a_group;
static const struct rec_port a_port = {.scene = &port};
static const struct rec_queue a_queue = {.port = (struct rec_port *)&a_port, .st = &st};
static const struct rec_cnp a_cnp;
static const struct summary_cnp all = {.rec = &a_cnp, .np = &node};

static void name_flow(struct figures *o)
{
	figure_flow(o, &(struct summary_flow){.rec = &a_flow});
}

static void name_group(struct figures *o)
{
	figure_group(o, &(struct summary_group){.rec = &a_group});
}

static void name_queue(struct figures *o)
{
	figure_queue(o, &(struct summary_queue){.rec = &a_queue, .red = &red, .two_sided = true});
}

static void name_marking(struct figures *o)
{
	figure_marking(o, &(struct summary_marking){.rec = &a_queue});
}

static void name_bin(struct figures *o)
{
	figure_bin(o, &(struct summary_bin){0});
}

static void name_size(struct figures *o)
{
	figure_size(o, &(struct summary_size){0});
}

static void name_pause(struct figures *o)
{
	figure_pause(o, &(struct summary_pause){.port = &a_port, .t_resp_us = {.n = 1}});
}

static void name_pg(struct figures *o)
{
	figure_pg(o, &(struct summary_pg){.port = &a_port, .two_sided = true});
}

static void name_cp(struct figures *o)
{
	figure_cp(o, &(struct summary_cp){.rec = &a_queue});
}

static void name_cnp(struct figures *o)
{
	figure_cnp(o, &all);
}

static void name_np(struct figures *o)
{
	figure_np(o, &(struct summary_np){.all = &all});
}

static void name_iqcn(struct figures *o)
{
	figure_iqcn(o, &(struct summary_iqcn){.port = &a_port});
}

static void name_iqcn_table(struct figures *o)
{
	figure_iqcn_table(o, &(struct summary_iqcn_table){.node = &node});
}

static void name_fast_cnp(struct figures *o)
{
	figure_fast_cnp(o, &(struct summary_fast_cnp){.port = &a_port});
}

static void name_fast_cnp_table(struct figures *o)
{
	figure_fast_cnp_table(o, &(struct summary_fast_cnp_table){.node = &node});
}

static void name_wd(struct figures *o)
{
	figure_wd(o, &(struct summary_wd){.rec = &a_queue});
}

static void name_deadlock(struct figures *o)
{
	figure_deadlock(o, &(struct deadlock){0});
}

static void name_pool(struct figures *o)
{
	figure_pool(o, &(struct summary_pool){.node = &node});
}

static void name_link(struct figures *o)
{
	figure_link(o, &(struct summary_link){.port = &a_port});
}

static void name_source(struct figures *o)
{
	figure_source(o, &(struct summary_source){0});
}

static void name_rxbuf(struct figures *o)
{
	figure_rxbuf(o, &(struct summary_rxbuf){.node = &node});
}

static void name_replay(struct figures *o)
{
	figure_replay(o, &(struct summary_replay){.node = &node});
}

static void name_total(struct figures *o)
{
	figure_total(o, &(struct summary_total){0});
}

static void name_sw_drops(struct figures *o)
{
	figure_sw_drops(o, &(struct summary_total){0});
}

static void name_nic_drops(struct figures *o)
{
	figure_nic_drops(o, &(struct summary_total){0});
}

static void (*const list[FIGURE_KINDS])(struct figures *o) = {
	[FIGURE_TOTAL] = name_total,
	[FIGURE_DROP] = name_sw_drops,
	[FIGURE_NIC_DROP] = name_nic_drops,
	[FIGURE_MAIN] = name_group,
	[FIGURE_BOTTLENECK] = name_queue,
	[FIGURE_GROUP] = name_group,
	[FIGURE_FLOW] = name_flow,
	[FIGURE_SIZE] = name_size,
	[FIGURE_QUEUE] = name_queue,
	[FIGURE_MARKING] = name_marking,
	[FIGURE_BIN] = name_bin,
	[FIGURE_PFC] = name_pause,
	[FIGURE_PFC_TX] = name_pause,
	[FIGURE_PG] = name_pg,
	[FIGURE_POOL] = name_pool,
	[FIGURE_DEADLOCK] = name_deadlock,
	[FIGURE_CP] = name_cp,
	[FIGURE_IQCN] = name_iqcn,
	[FIGURE_IQCN_TABLE] = name_iqcn_table,
	[FIGURE_CNP] = name_cnp,
	[FIGURE_NP] = name_np,
	[FIGURE_FAST_CNP] = name_fast_cnp,
	[FIGURE_FAST_CNP_TABLE] = name_fast_cnp_table,
	[FIGURE_WD] = name_wd,
	[FIGURE_LINK] = name_link,
	[FIGURE_SOURCE] = name_source,
	[FIGURE_REPLAY] = name_replay,
	[FIGURE_RXBUF] = name_rxbuf,
};

static const struct stat_table *const counters[FIGURE_KINDS][2] = {
	[FIGURE_PORT] = {&sw_port_stat_table, &sw_malformed_stat_table},
	[FIGURE_NIC] = {&nic_stat_table, &nic_malformed_stat_table},
};

const char *figure_path_name(enum figure_kind kind, unsigned i)
{
	struct figures o = {0};

	for (unsigned k = 0; k < 2; k++) {
		const struct stat_table *t = counters[kind][k];

		if (t && i < t->n)
			return t->row[i].name;
		i -= t ? t->n : 0;
	}
	if (list[kind])
		list[kind](&o);
	return i < o.n ? o.f[i].name : NULL;
}
