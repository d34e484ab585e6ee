// SPDX-License-Identifier: BSD-3-Clause
// Paths of figures as they are typed for quench stats: their meanings, and the errors in paths that
// fit nothing.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "summary/summary.h"
#include "stats.h"

#define WILD "*?[\\"

const char stats_selection[] =
	"total.goodput_gbps,total.drops,total.marks,total.cnp_rx,total.pauses,"
	"flow.*.goodput_gbps,flow.*.rc_gbps,flow.*.rt_gbps,flow.*.alpha,"
	"source.*.tx_gbps,source.*.rx_gbps,source.*.tx_frames,source.*.rx_frames,"
	"stream.*.rx_gbps,stream.*.lost,replay.*.tx_frames,replay.*.late_frames,"
	"link.*.tx_gbps,link.*.utilization_percent,"
	"queue.*.length_bytes,queue.*.max_bytes,queue.*.ecn_marked_frames,queue.*.dropped_frames,"
	"pg.*.held_bytes,pg.*.xoff_bytes,pg.*.max_bytes_total,"
	"buffer.*.used_bytes,buffer.*.max_bytes_total,buffer.*.size_bytes,"
	"pfc.*.xoff_frames,pfc.*.xon_frames,pfc.*.pause_effective_us,"
	"pfc_tx.*.xoff_frames,pfc_tx.*.xon_frames,pfc_tx.*.pause_effective_us,"
	"instrument.loop_gap_p50_us,instrument.loop_gap_p99_us,instrument.loop_gap_max_us,"
	"instrument.events_lost";

// The number of a kind by its word, n long; -1: there is none.
static int kind_by(const char *word, size_t n)
{
	for (unsigned k = 0; k < KINDS; k++) {
		const char *one = summary_path_word(k);

		if (one && strlen(one) == n && !strncmp(one, word, n))
			return (int)k;
	}
	return -1;
}

// Returns the path pattern for a word of the command line. It keeps names of figures as they were
// typed: the caller replaces old names. For free(); NULL: memory is out.
static char *typed_pattern(const char *word)
{
	char *pattern;
	int n;

	if (strchr(word, '.') || strpbrk(word, WILD))
		return strdup(word);
	if (kind_by(word, strlen(word)) >= 0)
		n = asprintf(&pattern, "%s.*", word);
	else
		n = asprintf(&pattern, "total.%s", word);
	return n < 0 ? NULL : pattern;
}

char *stats_pattern(const char *word)
{
	char *pattern = typed_pattern(word), buf[SUMMARY_PATH];

	if (!pattern || !summary_path_now(pattern, buf, sizeof(buf)))
		return pattern;
	free(pattern);
	return strdup(buf);
}

// A path's parts: its kind's word, its figure.
struct words {
	char kind[64];
	const char *figure;
	bool kind_wild, figure_wild;
};

static struct words words_of(const char *path)
{
	size_t n = strcspn(path, ".");
	const char *dot = strrchr(path, '.');
	struct words w = {.figure = dot ? dot + 1 : path};

	snprintf(w.kind, sizeof(w.kind), "%.*s", (int)n, path);
	w.kind_wild = strpbrk(w.kind, WILD);
	w.figure_wild = strpbrk(w.figure, WILD);
	return w;
}

static void see_kinds(struct near *near)
{
	for (unsigned k = 0; k < KINDS; k++)
		if (summary_path_word(k))
			near_see(near, summary_path_word(k));
}

// Figures of all kinds of a word. Whether `name` is one.
static bool see_figures(struct near *near, const char *kind, const char *name)
{
	bool found = false;

	for (unsigned k = 0; k < KINDS; k++) {
		const char *one, *word = summary_path_word(k);

		for (unsigned i = 0; word && !strcmp(word, kind) && (one = summary_path_name(k, i));
			i++) {
			near_see(near, one);
			found |= !strcmp(one, name);
		}
	}
	return found;
}

bool stats_is_wrong(const char *word, struct err *err)
{
	char *pattern = stats_pattern(word), hint[NEAR_NAME + 64];
	struct words w = words_of(pattern ? pattern : word);
	struct near near = near_to(w.kind);
	bool wrong = false;

	if (!w.kind_wild && kind_by(w.kind, strlen(w.kind)) < 0) {
		see_kinds(&near);
		err_set(err, -EINVAL, "there is no figure '%.120s': no kind is '%s'%s", word,
			w.kind,
			near_hint(&near, "; `quench figures` lists them", hint, sizeof(hint)));
		wrong = true;
	} else if (!w.kind_wild && !w.figure_wild) {
		near = near_to(w.figure);
		wrong = !see_figures(&near, w.kind, w.figure);
	}
	if (wrong && near.wanted == w.figure) {
		if (!strchr(word, '.'))
			see_kinds(&near);
		err_set(err, -EINVAL, "there is no figure '%.120s': %s has no '%.60s'%s", word,
			w.kind, w.figure,
			near_hint(&near, "; `quench figures KIND` lists a kind's", hint,
				sizeof(hint)));
	}
	free(pattern);
	return wrong;
}

// The object of a path that summary_row() knows; "": it has none, or none is known of it.
static void path_object(const char *path, char *buf, size_t size)
{
	struct summary_row row;

	*buf = '\0';
	if (summary_row(path, &row) && row.object)
		snprintf(buf, size, "%.*s", (int)row.object_len, row.object);
}

void stats_why_none(const struct instance *from, const char *word, struct err *err)
{
	char *pattern = stats_pattern(word), wanted[128], object[128], all[80];
	char hint[NEAR_NAME + 64];
	struct words w = words_of(pattern ? pattern : word);
	struct near near = near_to(wanted);
	struct metrics m;
	bool there = false;

	snprintf(all, sizeof(all), "%s.*", w.kind);
	path_object(pattern ? pattern : word, wanted, sizeof(wanted));
	if (w.kind_wild || !*wanted || strpbrk(wanted, "*?") || metrics_ask(&m, from, all, err)) {
		err_set(err, -EINVAL, "no figure of instance %s fits '%.120s' now", from->name,
			word);
		free(pattern);
		return;
	}
	for (unsigned i = 0; i < m.n; i++) {
		path_object(m.list[i].path, object, sizeof(object));
		there |= !strcmp(object, wanted);
		near_see(&near, object);
	}
	if (there)
		err_set(err, -EINVAL, "%s of %s '%s' is not known now", w.figure, w.kind, wanted);
	else
		err_set(err, -EINVAL, "no %s of instance %s is '%s'%s", w.kind, from->name, wanted,
			near_hint(&near, m.n ? "" : "; none has been in use yet", hint,
				sizeof(hint)));
	metrics_free(&m);
	free(pattern);
}
