// SPDX-License-Identifier: BSD-3-Clause
// The report of a run: made from its record when the run has ended, with the files that show it.
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "int.h"

static int write_junit(const struct report *r, struct err *err)
{
	struct out o;
	int code = record_file(r->rec, &o, "junit.xml", err);

	if (code)
		return code;
	out_str(&o, JUNIT_HEAD);
	verdict_junit_put(&o, &r->verdict, r->sum, r->rec->scene->name);
	return out_close(&o, err);
}

static int write_files(const struct report *r, const struct record_run *run, struct err *err)
{
	struct err why;
	int code = 0;

	record_keep_error(r->rec, &code, err, record_files_close(r->rec, &why), &why);
	record_keep_error(r->rec, &code, err, report_json(r->sum, &r->verdict, &why), &why);
	record_keep_error(r->rec, &code, err, write_junit(r, &why), &why);
	record_keep_error(r->rec, &code, err, fabric_marking_write(r->sum, &why), &why);
	record_keep_error(r->rec, &code, err, record_files_end(r->rec, run, &why), &why);
	record_keep_error(r->rec, &code, err, report_hdr(r->sum, &why), &why);
	record_keep_error(r->rec, &code, err, record_manifest(r->rec, run, &why), &why);
	return code;
}

int report_close(
	struct report **out, struct record *rec, const struct record_run *run, struct err *err)
{
	struct report *r = calloc(1, sizeof(*r));
	int code = 0;

	*out = NULL;
	if (r)
		r->rec = rec;
	record_finish(rec, run->end);
	if (!r || summary_make(&r->sum, rec, run) || verdict_make(&r->verdict, r->sum)) {
		if (r)
			report_free(r);
		else
			record_free(rec);
		return err_set(err, -ENOMEM, "no memory for the summary");
	}
	if (rec->dir)
		code = write_files(r, run, err);
	if (rec->error && !code) {
		code = rec->error;
		*err = rec->err;
	}
	r->text = text_make(r->sum, &r->verdict);
	*out = r;
	return code;
}

const char *report_text(const struct report *r)
{
	return r->text ? r->text : "";
}

const char *report_crash(const struct report *r)
{
	return *r->sum->run.crash ? r->sum->run.crash : NULL;
}

const char *report_link_loss(const struct report *r)
{
	return *r->sum->run.link_loss ? r->sum->run.link_loss : NULL;
}

bool report_failed(const struct report *r)
{
	return verdict_failed(&r->verdict, r->sum);
}

bool report_passed(const struct report *r)
{
	return !report_failed(r) && !r->verdict.unexpected;
}

char *report_failure(const struct report *r, char *buf, size_t size)
{
	return verdict_failure(&r->verdict, buf, size);
}

void report_junit(const struct report *r, const char *suite, struct out *o)
{
	verdict_junit_put(o, &r->verdict, r->sum, suite);
}

const char *report_folder(const struct report *r)
{
	return r->rec->dir;
}

const char *report_missing(const struct report *r, unsigned i)
{
	return i < r->rec->n_missing ? r->rec->missing[i] : NULL;
}

bool report_alone(const struct report *r)
{
	return r->sum->run.alone;
}

bool report_interrupted(const struct report *r)
{
	return r->sum->run.interrupted;
}

bool report_spoilt(const struct report *r)
{
	const struct record_run *run = &r->sum->run;
	bool lacks = false;

	for (unsigned i = 0; i < r->verdict.n; i++)
		lacks |= verdict_lacks_events(
			(double)run->events_lost, r->verdict.criterion[i].figure);
	return run->timing_broken || r->sum->lost_own || *run->device_gone || *run->no_link ||
	       lacks;
}

unsigned report_unseen(const struct report *r)
{
	return r->verdict.unseen;
}

const char *report_device_error(const struct report *r)
{
	return *r->verdict.device_error ? r->verdict.device_error : NULL;
}

double report_value(const struct report *r, const char *path)
{
	return summary_value(r->sum, path);
}

const struct summary *report_summary(const struct report *r)
{
	return r->sum;
}

void report_free(struct report *r)
{
	if (!r)
		return;
	verdict_free(&r->verdict);
	summary_free(r->sum);
	record_free(r->rec);
	free(r->text);
	free(r);
}
