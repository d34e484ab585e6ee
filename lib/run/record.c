// SPDX-License-Identifier: BSD-3-Clause
// The record of a run: opens its folder, takes what the driver reports, and closes with the summary.
#include "run/record_own.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "run/folder.h"
#include "run/summary.h"
#include "wire/frame.h"

// Everything that a run writes, and what a report adds: a folder taken by force loses these first, so
// that no file of an earlier run stays among the new ones.
static const char *const names[] = {"summary.json", "timeseries.csv", "events.csv", "fct.txt",
	"pfc.txt", "qlen.txt", "marking.csv", "manifest.json", "capture.pcapng", "dfx.csv",
	"dfx.svg", "iqcn.csv", "junit.xml", "report.html"};

void record_fail(struct record *r, int code, const char *fmt, ...)
{
	va_list ap;

	if (r->error)
		return;
	r->error = code;
	va_start(ap, fmt);
	vsnprintf(r->err.text, sizeof(r->err.text), fmt, ap);
	va_end(ap);
}

static int open_files(struct record *r, const struct record_opts *opts, struct err *err)
{
	int code = opts->next && !opts->force ? folder_next(&r->dir, opts->dir, err)
					      : folder_take(opts->dir, opts->force, names,
							sizeof(names) / sizeof(names[0]), err);

	if (code)
		return code;
	if (!r->dir)
		r->dir = strdup(opts->dir);
	r->command = strdup(opts->command ? opts->command : "");
	if (!r->dir || !r->command)
		return err_set(err, -ENOMEM, "no memory for the record");
	if (opts->latest)
		folder_latest(r->dir);
	r->say = opts->say;
	r->say_arg = opts->say_arg;
	return record_files_open(r, err);
}

int record_open(struct record **out, const struct scene *scene, struct net *net,
	const struct record_opts *opts, struct err *err)
{
	struct record *r = calloc(1, sizeof(*r));
	int code;

	if (!r)
		return err_set(err, -ENOMEM, "no memory for the record");
	r->scene = scene;
	r->net = net;
	code = record_obj_build(r) ? err_set(err, -ENOMEM, "no memory for the record") : 0;
	if (!code && !opts->no_files)
		code = open_files(r, opts, err);
	if (code) {
		record_free(r);
		return code;
	}
	*out = r;
	return 0;
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
					.id = k + 1,
					.a = d->since,
					.c = d->n},
				d->queue[k].node);
	}
}

void record_sample(struct record *r, tstamp now)
{
	look_for_deadlock(r, now);
	record_share_take(r, now);
	record_rate_take(r, now);
	if (r->dir && r->scene->sample)
		record_ts_write(r, now);
}

void record_warm(struct record *r, tstamp now)
{
	net_account(r->net, now);
	record_obj_mark(r, now);
}

// A packet of ours is rendered; one that came as bytes is copied and patched as its exit would.
static unsigned frame_octets(struct record *r, const struct pkt *p, const uint8_t **octets)
{
	struct pkt *copy = (struct pkt *)r->frame;

	if (!(p->flags & PKT_F_FOREIGN)) {
		*octets = r->frame;
		return frame_from_pkt(p, r->frame);
	}
	pkt_clone(copy, p, REC_FRAME_DATA);
	frame_patch(copy);
	*octets = pkt_bytes(copy);
	return copy->len;
}

void record_frame(
	struct record *r, unsigned node, unsigned port, int dir, const struct pkt *p, tstamp t)
{
	int interface = record_obj_port(r, node, port)->capture;
	const uint8_t *octets;
	unsigned len;

	if (interface < 0)
		return;
	len = frame_octets(r, p, &octets);
	capw_frame(r->capw, (unsigned)interface, t, dir + 1, octets, len);
}

int record_close(struct record *r, const struct record_run *run, struct err *err)
{
	int code = 0;

	net_account(r->net, run->end);
	look_for_deadlock(r, run->end);
	record_ev_finish(r);
	record_stat_finish(r, run->end);
	if (summary_make(r, run))
		return err_set(err, -ENOMEM, "no memory for the summary");
	if (r->dir)
		code = record_files_close(r, run, err);
	if (r->error && !code) {
		code = r->error;
		*err = r->err;
	}
	r->text = summary_text(r);
	return code;
}

const char *record_text(const struct record *r)
{
	return r->text ? r->text : "";
}

const char *record_crash(const struct record *r)
{
	return r->sum && *r->sum->run.crash ? r->sum->run.crash : NULL;
}

bool record_passed(const struct record *r)
{
	return record_conserved(r) && !record_crash(r) && !r->sum->total.lossless_drops &&
	       !r->sum->total.replay_unsent && !r->sum->unexpected;
}

bool record_conserved(const struct record *r)
{
	const struct summary *s = r->sum;

	return s && !s->run.conserved && !s->run.pool_missing;
}

char *record_failure(const struct record *r, char *buf, size_t size)
{
	return summary_failure(r->sum, buf, size);
}

void record_junit(const struct record *r, const char *suite, struct out *o)
{
	summary_junit_put(o, r, suite);
}

bool record_interrupted(const struct record *r)
{
	return r->sum && r->sum->run.interrupted;
}

bool record_timing_broken(const struct record *r)
{
	return r->sum && r->sum->run.timing_broken;
}

double record_value(const struct record *r, const char *path)
{
	return r->sum ? summary_value(r, path) : NAN;
}

double record_flow_gbps(const struct record *r, unsigned flow)
{
	return r->sum && flow < r->sum->n_flows ? r->sum->flow[flow].goodput_gbps : NAN;
}

void record_free(struct record *r)
{
	if (!r)
		return;
	record_files_free(r);
	summary_free(r->sum);
	record_obj_free(r);
	free(r->ev);
	free(r->ev_room);
	free(r->frame);
	free(r->dir);
	free(r->command);
	free(r->text);
	free(r);
}
