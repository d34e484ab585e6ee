// SPDX-License-Identifier: BSD-3-Clause
// The file of a page: its head, style, data and scripts.
#include "page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

// JSON within a script element: nothing in it may look like the element's end.
static void put_json(struct out *o, const char *json, size_t n)
{
	for (size_t i = 0, from = 0; i <= n; i++)
		if (i == n || json[i] == '<') {
			out_put(o, json + from, i - from);
			if (i < n)
				out_str(o, "\\u003c");
			from = i + 1;
		}
}

// If `kept` is not NULL, the caller gets the lineage of the run in *kept.
static void put_run(struct jw *w, struct saved *s, const char *label, struct lineage **kept)
{
	struct err err;
	struct lineage *l = lineage_of(s, &err);

	jw_object(w, NULL, false);
	data_head(w, s, label);
	data_net(w, s);
	data_series(w, s);
	data_lanes(w, s);
	data_lineage(w, l);
	data_marking(w, s);
	data_sizes(w, s);
	data_cdfs(w, s);
	data_tables(w, s);
	data_config(w, s);
	data_again(w, s);
	data_missing(w, s); // all has been read by now
	jw_end(w);
	if (kept)
		*kept = l;
	else
		lineage_free(l);
}

static void put_data(
	struct out *o, struct saved *const *run, unsigned n, char **label, struct lineage **kept)
{
	struct jw w;

	jw_init(&w, o);
	jw_object(&w, NULL, false);
	jw_str(&w, "program", "quench " QUENCH_VERSION);
	jw_u64(&w, "points", PAGE_POINTS);
	jw_array(&w, "runs", false);
	for (unsigned i = 0; i < n; i++)
		put_run(&w, run[i], label[i], kept);
	jw_end(&w);
	if (n > 1)
		data_compare(&w, run, n);
	else
		jw_null(&w, "compare");
	jw_end(&w);
}

static void put_assets(struct out *o, const struct page_asset *a, const char *element)
{
	for (; a->name; a++) {
		out_printf(o, "<%s>\n", element);
		out_put(o, a->text, a->len);
		out_printf(o, "</%s>\n", element);
	}
}

static void put_page(struct out *o, const char *title, const char *json, size_t n)
{
	out_str(o, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		   "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
		   "<meta name=\"generator\" content=\"quench " QUENCH_VERSION "\">\n<title>");
	out_markup(o, title);
	out_str(o, "</title>\n");
	put_assets(o, page_style, "style");
	out_str(o, "</head>\n<body>\n<noscript>The page draws itself by scripts that it brings "
		   "along; they are switched off in this browser.</noscript>\n"
		   "<script type=\"application/json\" id=\"data\">\n");
	put_json(o, json, n);
	out_str(o, "</script>\n");
	put_assets(o, page_script, "script");
	for (const struct page_asset *a = page_licence; a->name; a++) {
		out_printf(o, "<details class=\"licence\"><summary>Licence of %s</summary><pre>\n",
			a->name);
		out_markup(o, a->text);
		out_str(o, "</pre></details>\n");
	}
	out_str(o, "</body>\n</html>\n");
}

// All data as text; freed by the caller. NULL: no memory. `kept` is as for put_run, of one run.
static char *data(
	struct saved *const *run, unsigned n, char **label, struct lineage **kept, size_t *size)
{
	char *json = NULL;
	FILE *f = open_memstream(&json, size);
	struct out o;
	struct err err;
	bool bad;

	if (!f)
		return NULL;
	bad = out_stream(&o, f, "memory", &err);
	if (!bad) {
		put_data(&o, run, n, label, kept);
		bad = out_close(&o, &err);
	}
	bad |= fclose(f) != 0;
	if (bad) {
		free(json);
		return NULL;
	}
	return json;
}

static void title_of(char *title, size_t size, struct saved *const *run, unsigned n)
{
	if (n == 1)
		snprintf(title, size, "%s · quench", saved_name(run[0]));
	else
		snprintf(title, size, "%s and %u more · quench", saved_name(run[0]), n - 1);
}

int page_write(struct saved *const *run, unsigned n, const char *path, struct err *err)
{
	char **label, *json = NULL, title[256];
	struct lineage *l = NULL;
	struct out o;
	size_t size;
	int ret;

	if (!page_script[0].name)
		return err_set(err, -ENOSYS,
			"%s: this program was built without dygraphs (package libjs-dygraphs), "
			"which draws the plots of a report",
			path);
	label = data_labels(run, n);
	if (label)
		json = data(run, n, label, n == 1 ? &l : NULL, &size);
	free(label);
	ret = json ? out_open(&o, path, err) : err_set(err, -ENOMEM, "%s: no memory", path);
	if (!ret) {
		title_of(title, sizeof(title), run, n);
		put_page(&o, title, json, size);
		ret = out_close(&o, err);
	}
	if (!ret && l)
		ret = page_lineage(l, path, err);
	lineage_free(l);
	free(json);
	return ret;
}

json_t *page_data(struct saved *run)
{
	char **label = data_labels(&run, 1), *json = NULL;
	json_t *all, *one;
	size_t size;

	if (label)
		json = data(&run, 1, label, NULL, &size);
	free(label);
	if (!json)
		return NULL;
	all = json_loadb(json, size, 0, NULL);
	one = json_incref(json_array_get(json_object_get(all, "runs"), 0));
	json_decref(all);
	free(json);
	return one;
}
