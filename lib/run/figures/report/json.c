// SPDX-License-Identifier: BSD-3-Clause
// summary.json: verdicts, then every object of every kind that was in use.
#include <errno.h>

#include "int.h"

static void put_lost(struct jw *w, const struct summary *s)
{
	struct verdict_lost lost;
	char line[VERDICT_LINE];

	verdict_lost_find(&lost, s);
	for (unsigned i = 0; i < lost.n; i++) {
		verdict_lost_text(&lost, s, i, line, sizeof(line));
		jw_str(w, NULL, line);
	}
}

static void put_verdicts(
	struct jw *w, const struct summary *s, const struct verdict *v, const struct why *why)
{
	const struct record_run *run = &s->run;
	char line[VERDICT_LINE];

	jw_object(w, "verdicts", false);
	jw_bool(w, "conserved", run->conserved == 0);
	jw_str(w, "conservation", run->conserve_text);
	jw_bool(w, "lossless", summary_value(s, "lossless_drops_total") == 0 && !s->lost_lossless);
	if (s->set[KIND_DEVICE].n) {
		jw_u64(w, "instrument_lost", s->lost_own);
		jw_u64(w, "lossless_lost", s->lost_lossless);
	}
	jw_u64(w, "pool_size", run->pool_size);
	jw_u64(w, "pool_missing", run->pool_missing);
	jw_u64(w, "link_frames", run->link_frames);
	verdict_put(w, v);
	jw_array(w, "why", false);
	for (unsigned i = 0; i < s->set[KIND_QUEUE].n; i++)
		if (verdict_why(why, set_at(&s->set[KIND_QUEUE], i), line, sizeof(line)))
			jw_str(w, NULL, line);
	for (unsigned i = 0; i < s->set[KIND_PFC_TX].n; i++)
		if (verdict_went_on(s, i, line, sizeof(line)))
			jw_str(w, NULL, line);
	for (unsigned i = 0; i < s->set[KIND_JOB].n; i++)
		if (verdict_job(s, i, line, sizeof(line)))
			jw_str(w, NULL, line);
	put_lost(w, s);
	jw_end(w);
	jw_end(w);
}

// The settings that are probably mistakes.
static void put_warnings(struct jw *w, const struct scene *s)
{
	jw_array(w, "warnings", false);
	for (unsigned i = 0; i < s->n_warnings; i++) {
		jw_object(w, NULL, true);
		if (s->warning[i].line)
			jw_u64(w, "line", s->warning[i].line);
		else
			jw_null(w, "line");
		jw_str(w, "text", s->warning[i].text);
		jw_str(w, "kind", s->warning[i].kind);
		jw_end(w);
	}
	jw_end(w);
}

static void put_single(struct jw *w, const struct summary *s, unsigned kind)
{
	struct kind_members m;

	kind_members(&m, summary_kind[kind]);
	jw_object(w, summary_kind[kind]->key, false);
	figure_put(w, s, &m, set_at(&s->set[kind], 0));
	jw_end(w);
}

static bool same_key(unsigned a, unsigned b)
{
	return a < KINDS && b < KINDS && summary_kind[a]->key && summary_kind[b]->key &&
	       !strcmp(summary_kind[a]->key, summary_kind[b]->key);
}

// Writes the objects of a kind. Consecutive kinds with the same key share one list.
static void put_objects(struct jw *w, const struct summary *s, unsigned kind)
{
	const struct kind *k = summary_kind[kind];
	const struct set *set = &s->set[kind];
	struct kind_members m;

	if (!k->key || (k->if_any && !set->n))
		return;
	if (k->single) {
		put_single(w, s, kind);
		return;
	}
	if (!kind || !same_key(kind - 1, kind))
		jw_array(w, k->key, false);
	kind_members(&m, k);
	for (unsigned i = 0; i < set->n; i++) {
		const char *object = set_at(set, i);

		if (k->listed_at && !*(const bool *)(object + k->listed_at))
			continue;
		jw_object(w, NULL, true);
		figure_put(w, s, &m, object);
		jw_end(w);
	}
	if (!same_key(kind, kind + 1))
		jw_end(w);
}

static void put_run(struct jw *w, const struct summary *s)
{
	const struct rec_port *bottleneck = fabric_bottleneck(s);

	jw_u64(w, "schema", REPORT_SCHEMA);
	jw_str(w, "name", s->rec->scene->name);
	jw_u64(w, "seed", s->rec->scene->seed);
	jw_bool(w, "interrupted", s->run.interrupted);
	if (*s->run.crash)
		jw_str(w, "crash", s->run.crash);
	if (*s->run.link_loss)
		jw_str(w, "link_loss", s->run.link_loss);
	if (*s->run.device_gone)
		jw_str(w, "device_gone", s->run.device_gone);
	if (*s->run.no_link)
		jw_str(w, "no_link", s->run.no_link);
	if (s->rec->full)
		jw_num(w, "recorded_until_us", (double)s->rec->full_at / PS_PER_US, 6);
	record_limited_put(w, s->rec);
	jw_num(w, "window_from_us", (double)s->from / PS_PER_US, 6);
	jw_num(w, "window_to_us", (double)s->to / PS_PER_US, 6);
	if (bottleneck)
		jw_str(w, "bottleneck", bottleneck->scene->name);
	else
		jw_null(w, "bottleneck");
}

int report_json(const struct summary *s, const struct verdict *v, struct err *err)
{
	struct why *why = verdict_why_make(s);
	struct out o;
	struct jw w;
	int code;

	if (!why)
		return err_set(err, -ENOMEM, "no memory for the summary");
	code = record_file(s->rec, &o, "summary.json", err);
	if (code) {
		verdict_why_free(why);
		return code;
	}
	jw_init(&w, &o);
	jw_object(&w, NULL, false);
	put_run(&w, s);
	put_warnings(&w, s->rec->scene);
	put_verdicts(&w, s, v, why);
	verdict_why_free(why);
	for (unsigned k = 0; k < KINDS; k++)
		put_objects(&w, s, k);
	jw_end(&w);
	return out_close(&o, err);
}
