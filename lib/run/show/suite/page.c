// SPDX-License-Identifier: BSD-3-Clause
// The page of a sheet: one file of HTML that fetches nothing and can be handed to a vendor.
#include <string.h>

#include "suite.h"

static const char head[] =
	"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	"'unsafe-inline'\">\n"
	"<style>\n"
	":root { color-scheme: light; }\n"
	"body { margin: 0 auto; max-width: 66rem; padding: 2.5rem 1.5rem 4rem; color: #1d2126;\n"
	"  font: 16px/1.5 system-ui, -apple-system, \"Segoe UI\", Roboto, \"DejaVu Sans\", "
	"sans-serif; }\n"
	"h1 { font-size: 2rem; margin: 0; } h2 { font-size: 1.3rem; margin: 2.6rem 0 0.6rem; }\n"
	"h3 { font-size: 1rem; margin: 1.6rem 0 0.2rem; } .soft { color: #5c6670; }\n"
	"table { border-collapse: collapse; width: 100%; font-size: 0.9375rem; }\n"
	"th { text-align: left; font-weight: 600; color: #5c6670; }\n"
	"th, td { padding: 0.3rem 1rem 0.3rem 0; border-bottom: 1px solid #e4e7ea; "
	"vertical-align: top; }\n"
	".good { color: #00734f; font-weight: 600; } .bad { color: #b84a00; font-weight: 700; }\n"
	".doubt { color: #8a5f00; font-weight: 600; }\n"
	"</style>\n<title>";

static const char *look_of(enum suite_verdict v)
{
	return v == SUITE_PASS ? "good" : v == SUITE_FAIL ? "bad" : "doubt";
}

static void put_cell(struct out *o, const char *look, const char *text)
{
	out_printf(o, "<td class=\"%s\">", look);
	out_markup(o, text);
	out_str(o, "</td>");
}

static void put_line(const struct suite_line *l, struct out *o)
{
	char text[SUITE_TEXT];

	out_str(o, "<tr>");
	put_cell(o, "", l->figure);
	put_cell(o, "", suite_limits(l, text, sizeof(text)));
	put_cell(o, "", suite_seen(l, text, sizeof(text)));
	put_cell(o, "", suite_half(l, text, sizeof(text)));
	put_cell(o, look_of(l->verdict), suite_verdict_name[l->verdict]);
	put_cell(o, "soft", l->why ? l->why : "");
	out_str(o, "</tr>\n");
}

static void put_row(const struct suite_row *r, struct out *o)
{
	out_printf(o, "<h3 id=\"%s-%s\">", r->suite, r->name);
	out_markup(o, r->name);
	out_printf(o, " <span class=\"%s\">%s</span></h3>\n<p>", look_of(r->verdict),
		suite_verdict_name[r->verdict]);
	out_markup(o, r->stimulus);
	out_str(o, ".</p>\n");
	if (r->why) {
		out_str(o, "<p class=\"soft\">");
		out_markup(o, r->why);
		out_str(o, "</p>\n");
	}
	if (!r->n)
		return;
	out_str(o, "<table><tr><th>criterion</th><th>limits</th><th>seen</th><th>half width of "
		   "95 %</th><th>verdict</th><th></th></tr>\n");
	for (unsigned i = 0; i < r->n; i++)
		put_line(&r->line[i], o);
	out_str(o, "</table>\n");
}

static void put_about(const struct suite_sheet *s, struct out *o)
{
	const struct {
		const char *name, *text;
	} about[] = {{"device", s->device}, {"clock", s->clock}, {"held against", s->against},
		{"program", s->version}, {"command", s->command}};

	out_str(o, "<table>\n");
	for (unsigned i = 0; i < sizeof(about) / sizeof(about[0]); i++) {
		if (!about[i].text)
			continue;
		out_str(o, "<tr>");
		put_cell(o, "soft", about[i].name);
		put_cell(o, "", about[i].text);
		out_str(o, "</tr>\n");
	}
	out_str(o, "</table>\n");
}

// The rows that have another verdict than PASS, with a link each.
static void put_others(const struct suite_sheet *s, struct out *o)
{
	out_str(o, "<p>");
	for (enum suite_verdict v = SUITE_PASS; v < SUITE_VERDICTS; v++)
		if (suite_count(s, v))
			out_printf(o, "<span class=\"%s\">%u %s</span> ", look_of(v),
				suite_count(s, v), suite_verdict_name[v]);
	out_str(o, "</p>\n<ul>\n");
	for (unsigned i = 0; i < s->n; i++) {
		const struct suite_row *r = &s->row[i];

		if (r->verdict == SUITE_PASS)
			continue;
		out_printf(o, "<li><a href=\"#%s-%s\">%s: ", r->suite, r->name,
			suite_verdict_name[r->verdict]);
		out_markup(o, r->name);
		out_str(o, "</a></li>\n");
	}
	out_str(o, "</ul>\n");
}

void suite_page(const struct suite_sheet *s, struct out *o)
{
	const char *suite = "";

	out_str(o, head);
	out_str(o, "quench verify</title>\n</head>\n<body>\n<h1>Tests of a device</h1>\n");
	put_about(s, o);
	put_others(s, o);
	for (unsigned i = 0; i < s->n; i++) {
		if (strcmp(s->row[i].suite, suite) != 0) {
			out_str(o, "<h2>");
			out_markup(o, s->row[i].suite);
			out_str(o, "</h2>\n");
		}
		suite = s->row[i].suite;
		put_row(&s->row[i], o);
	}
	out_str(o, "</body>\n</html>\n");
}
