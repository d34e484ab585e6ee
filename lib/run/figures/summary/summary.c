// SPDX-License-Identifier: BSD-3-Clause
// The summary: the list of all kinds, and all objects of them.
#include <errno.h>
#include <stdlib.h>

#include "int.h"

const struct kind *const summary_kind[KINDS] = {
	[KIND_TOTAL] = &kind_total,
	[KIND_DROP] = &kind_drop,
	[KIND_NIC_DROP] = &kind_nic_drop,
	[KIND_GROUP] = &kind_group,
	[KIND_SIZE] = &kind_size,
	[KIND_SLOWDOWN] = &kind_slowdown,
	[KIND_FLOW] = &kind_flow,
	[KIND_LINK] = &kind_link,
	[KIND_QUEUE] = &kind_queue,
	[KIND_MARKING] = &kind_marking,
	[KIND_BIN] = &kind_bin,
	[KIND_PFC] = &kind_pfc,
	[KIND_PFC_TX] = &kind_pfc_tx,
	[KIND_PG] = &kind_pg,
	[KIND_POOL] = &kind_pool,
	[KIND_BUFFER] = &kind_buffer,
	[KIND_WD] = &kind_wd,
	[KIND_DEADLOCK] = &kind_deadlock,
	[KIND_NP] = &kind_np,
	[KIND_CNP] = &kind_cnp,
	[KIND_CP] = &kind_cp,
	[KIND_IQCN] = &kind_iqcn,
	[KIND_IQCN_TABLE] = &kind_iqcn_table,
	[KIND_FAST_CNP] = &kind_fast_cnp,
	[KIND_FAST_CNP_TABLE] = &kind_fast_cnp_table,
	[KIND_SOURCE] = &kind_source,
	[KIND_STREAM] = &kind_stream,
	[KIND_JOB] = &kind_job,
	[KIND_JOB_STEP] = &kind_job_step,
	[KIND_REPLAY] = &kind_replay,
	[KIND_RXBUF] = &kind_rxbuf,
	[KIND_NIC] = &kind_nic,
	[KIND_PORT] = &kind_port,
	[KIND_PLUGIN] = &kind_plugin,
	[KIND_DEVICE] = &kind_device,
	[KIND_OUTSIDE] = &kind_outside,
	[KIND_OUTSIDE_PAUSE] = &kind_outside_pause,
	[KIND_OUTSIDE_CNP] = &kind_outside_cnp,
	[KIND_OUTSIDE_STREAM] = &kind_outside_stream,
	[KIND_FAULT] = &kind_fault,
	[KIND_RECON] = &kind_recon,
	[KIND_STEADY] = &kind_steady,
	[KIND_INSTRUMENT] = &kind_instrument,
};

static int make_summary(
	struct summary **out, const struct record *r, const struct record_run *run, bool live)
{
	struct summary *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	*out = s;
	s->kind = summary_kind;
	s->rec = r;
	s->run = *run;
	s->from = r->warmed ? r->warm : 0;
	s->to = tstamp_max(run->end, s->from);
	s->bottleneck = -1;
	s->live = live;
	for (unsigned k = 0; k < KINDS; k++)
		if (!summary_kind[k]->late)
			kind_set(s, (enum kind_id)k);
	return s->no_memory ? -ENOMEM : 0;
}

int summary_make(struct summary **out, const struct record *r, const struct record_run *run)
{
	return make_summary(out, r, run, false);
}

int summary_so_far(struct summary **out, const struct record *r, const struct record_run *run)
{
	return make_summary(out, r, run, true);
}

void summary_free(struct summary *s)
{
	if (!s)
		return;
	for (unsigned k = 0; k < KINDS; k++)
		free(s->set[k].object);
	free(s);
}
