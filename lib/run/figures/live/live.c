// SPDX-License-Identifier: BSD-3-Clause
// Figures of a run that goes on: the same kinds and rows as at its end, so far.
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>

#include "live.h"

int live_make(struct live **out, const struct record *rec, const struct record_run *run)
{
	struct summary *s = NULL;
	int code = summary_so_far(&s, rec, run);

	if (code) {
		summary_free(s);
		s = NULL;
	}
	*out = (struct live *)s;
	return code;
}

void live_free(struct live *l)
{
	summary_free((struct summary *)l);
}

tstamp live_at(const struct live *l)
{
	return ((const struct summary *)l)->to;
}

const char *live_timing(const struct live *l)
{
	return ((const struct summary *)l)->run.timing_text;
}

// Whether a path fits a pattern of a list, `n` characters long. Names of flows have brackets,
// "flow.f[h1>r].alpha", which fnmatch would take for a set. Most patterns differ before their first
// wildcard.
static bool fits_one(const char *pattern, size_t n, const char *path)
{
	size_t plain = strcspn(pattern, "*?[\\,");
	char one[KIND_NAME + 96];

	if (strncmp(pattern, path, plain < n ? plain : n) != 0 || n >= sizeof(one))
		return false;
	memcpy(one, pattern, n);
	one[n] = '\0';
	return !strcmp(one, path) || !fnmatch(one, path, 0);
}

bool live_path_fits(const char *patterns, const char *path)
{
	if (!*patterns)
		return true;
	for (;; patterns++) {
		size_t n = strcspn(patterns, ",");

		if (fits_one(patterns, n, path))
			return true;
		patterns += n;
		if (!*patterns)
			return false;
	}
}

// The state of a walk over all figures.
struct walk {
	const char *patterns;
	unsigned from, at;
	live_take *take;
	void *arg;
};

// Gives all figures of one object to `take`. False: `take` has refused one, and `at` has its
// number.
static bool walk_object(struct walk *w, const struct kind *k, const void *object)
{
	char room[KIND_NAME], path[KIND_NAME + 96];
	struct figure f;
	size_t n;

	if (k->single)
		n = (size_t)snprintf(path, sizeof(path), "%s.", k->path);
	else
		n = (size_t)snprintf(
			path, sizeof(path), "%s.%s.", k->path, kind_name(k, object, room));
	for (unsigned i = 0; kind_member(k, i, &f); i++, w->at++) {
		double v = w->at < w->from ? NAN : figure_value(&f, object);

		if (isnan(v) || !figure_is_number(&f))
			continue;
		snprintf(path + n, sizeof(path) - n, "%s", f.name);
		if (!live_path_fits(w->patterns, path))
			continue;
		if (!w->take(w->arg, path, v, f.decimals))
			return false;
	}
	return true;
}

// Whether a pattern of a list, n characters long, may fit paths that begin with a word.
static bool may_fit(const char *pattern, size_t n, const char *word)
{
	size_t plain = strcspn(pattern, ".*?[\\,"), length = strlen(word);

	if (plain < n && pattern[plain] != '.')
		return !strncmp(pattern, word, plain < length ? plain : length);
	return plain == length && !strncmp(pattern, word, length);
}

// Copies the patterns that may fit paths of a word to `buf`, which has room for all of them.
// Returns whether there is one.
static bool patterns_of(char *buf, const char *patterns, const char *word)
{
	char *to = buf;

	for (const char *at = patterns;; at++) {
		size_t n = strcspn(at, ",");

		if (may_fit(at, n, word)) {
			if (to > buf)
				*to++ = ',';
			memcpy(to, at, n);
			to += n;
		}
		at += n;
		if (!*at)
			break;
	}
	*to = '\0';
	return to > buf;
}

unsigned live_each(
	const struct live *l, const char *patterns, unsigned from, live_take *take, void *arg)
{
	const struct summary *s = (const struct summary *)l;
	char *mine = malloc(strlen(patterns) + 1); // of a kind; where there is no room, all
	struct walk w = {mine && *patterns ? mine : patterns, from, 0, take, arg};
	bool goes_on = true;

	for (unsigned k = 0; k < KINDS && goes_on; k++) {
		const struct kind *kind = summary_kind[k];
		const struct set *set = kind_objects(s, (enum kind_id)k);

		if (!kind->path || (mine && *patterns && !patterns_of(mine, patterns, kind->path)))
			continue;
		for (unsigned i = 0; i < set->n && goes_on; i++)
			goes_on = walk_object(&w, kind, set_at(set, i));
	}
	free(mine);
	return goes_on ? 0 : w.at;
}
