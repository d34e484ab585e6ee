// SPDX-License-Identifier: BSD-3-Clause
// The record of a run: opens its folder, takes what the driver reports, and makes its figures
// final.
#include "int.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "frame/frame.h"
#include "out/out.h"

int record_open(struct record **out, const struct scene *scene, struct net *net,
	const struct record_opts *opts, struct err *err)
{
	struct record *r = calloc(1, sizeof(*r));
	int code;

	if (!r)
		return err_set(err, -ENOMEM, "no memory for the record");
	r->scene = scene;
	r->warm = scene->warmup;
	record_stat_init(r);
	r->net = net;
	r->dists = opts->hdr;
	r->first_pass = opts->first_pass;
	r->lock = -1;
	r->kept = -1;
	code = record_obj_build(r) ? err_set(err, -ENOMEM, "no memory for the record") : 0;
	if (!code && !opts->no_files)
		code = record_files_open(r, opts, err);
	if (code) {
		record_free(r);
		return code;
	}
	*out = r;
	return 0;
}

int record_begin(struct record *r, uint64_t ns, struct err *err)
{
	r->begin_ns = ns;
	return record_capture_begin(r, err);
}

void record_lend_refused(struct record *r, unsigned node, unsigned port, const tstamp *ps)
{
	record_obj_port(r, node, port)->refused_ps = ps;
}

void record_lend_dated(struct record *r, unsigned node, unsigned port, const uint64_t *stamped,
	const uint64_t *unstamped)
{
	record_obj_port(r, node, port)->stamped = stamped;
	record_obj_port(r, node, port)->unstamped = unstamped;
}

// A flow that is sampled wants each reaction between its samples, and a file its line.
void record_lend(struct record *r)
{
	for (unsigned i = 0; i < r->n_flows && !(r->held >> EV_RP & 1); i++) {
		struct rec_flow *f = &r->flow[i];
		struct hist **cut = &r->group[f->group].cut;

		f->lent = f->rp && !f->limiter && !f->samples && (*cut || record_hist_make(r, cut));
		if (!f->lent)
			continue;
		f->book.cut = *cut;
		nic_qp_lend_book(net_node(r->net, f->scene->from)->u.nic, f->qp, &f->book);
	}
}

// Cycles that are new or gone, a line of events.csv for each of their queues.
static void look_for_deadlock(struct record *r, tstamp now)
{
	if (deadlock_look(&r->dead, now))
		record_fail(r, -ENOMEM, "no memory for a deadlock's queues");
	for (unsigned i = 0; i < r->dead.n; i++) {
		const struct deadlock *d = &r->dead.d[i];

		if (!d->changed)
			continue;
		for (unsigned k = 0; k < d->n; k++)
			record_ev_own(r,
				&(struct ev){.t = now,
					.type = d->until == TSTAMP_NEVER ? EV_DEADLOCK
									 : EV_DEADLOCK_END,
					.port = d->queue[k].port,
					.cls = d->cls,
					.deadlock = {.place = k + 1,
						.queues = d->n,
						.since = d->since}},
				d->queue[k].node);
	}
}

void record_sample(struct record *r, tstamp now)
{
	look_for_deadlock(r, now);
	record_share_take(r, now);
	record_rate_take(r, now);
	if (r->series && r->scene->sample)
		record_ts_write(r, now);
}

void record_warm(struct record *r, tstamp now)
{
	net_account(r->net, now);
	record_obj_mark(r, now);
}

void record_finish(struct record *r, tstamp end)
{
	net_account(r->net, end);
	look_for_deadlock(r, end);
	record_ev_finish(r);
	record_stat_finish(r, end);
	record_latency_finish(r);
}

void record_free(struct record *r)
{
	if (!r)
		return;
	record_files_free(r);
	record_obj_free(r);
	free(r->ev);
	free(r->ev_room);
	free(r->frame);
	free(r->dir);
	free(r->command);
	free(r);
}

uint32_t record_mark(struct record *r, const char *text)
{
	if (r->n_marks == r->names->mark.n)
		return UINT32_MAX;
	fmt_text_set(&r->mark_texts[r->n_marks], text);
	return r->n_marks++;
}

const char *record_mark_text(const struct record *r, uint32_t number)
{
	return number < r->names->mark.n ? r->mark_texts[number].s : "";
}
