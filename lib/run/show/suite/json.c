// SPDX-License-Identifier: BSD-3-Clause
// verify.json: all rows with their criteria, and its schema.
#include <math.h>

#include "suite.h"

// NULL as null.
static void put_text(struct jw *w, const char *key, const char *text)
{
	if (text)
		jw_str(w, key, text);
	else
		jw_null(w, key);
}

static void put_line(struct jw *w, const struct suite_line *l)
{
	jw_object(w, NULL, true);
	jw_str(w, "figure", l->figure);
	jw_num(w, "min", l->min, 6);
	jw_num(w, "max", l->max, 6);
	if (l->seen)
		jw_str(w, "seen", l->seen);
	else
		jw_num(w, "seen", l->value, 6);
	jw_num(w, "half_width", l->half, 6);
	jw_str(w, "verdict", suite_verdict_name[l->verdict]);
	put_text(w, "why", l->why);
	jw_end(w);
}

static void put_row(struct jw *w, const struct suite_row *r)
{
	jw_object(w, NULL, false);
	jw_str(w, "suite", r->suite);
	jw_str(w, "row", r->name);
	jw_str(w, "stimulus", r->stimulus);
	put_text(w, "step", r->step);
	jw_u64(w, "ports", r->ports);
	jw_str(w, "verdict", suite_verdict_name[r->verdict]);
	put_text(w, "why", r->why);
	jw_num(w, "scene_s", r->scene_s, 6);
	jw_num(w, "wall_s", r->wall_s, 3);
	jw_array(w, "criteria", false);
	for (unsigned i = 0; i < r->n; i++)
		put_line(w, &r->line[i]);
	jw_end(w);
	jw_end(w);
}

void suite_json(const struct suite_sheet *s, struct out *o)
{
	struct jw w;

	jw_init(&w, o);
	jw_object(&w, NULL, false);
	jw_u64(&w, "schema", 1);
	put_text(&w, "version", s->version);
	put_text(&w, "command", s->command);
	put_text(&w, "clock", s->clock);
	put_text(&w, "device", s->device);
	put_text(&w, "against", s->against);
	jw_object(&w, "verdicts", true);
	for (enum suite_verdict v = SUITE_PASS; v < SUITE_VERDICTS; v++)
		jw_u64(&w, suite_verdict_name[v], suite_count(s, v));
	jw_end(&w);
	jw_array(&w, "rows", false);
	for (unsigned i = 0; i < s->n; i++)
		put_row(&w, &s->row[i]);
	jw_end(&w);
	jw_end(&w);
	out_str(o, "\n");
}

static const char schema[] =
	"{\"$schema\": \"http://json-schema.org/draft-07/schema#\", \"title\": \"verify.json\",\n"
	"\"type\": \"object\", \"additionalProperties\": false,\n"
	"\"required\": [\"schema\", \"verdicts\", \"rows\"],\n"
	"\"definitions\": {\n"
	" \"text\": {\"type\": [\"string\", \"null\"]}, \"number\": {\"type\": [\"number\", "
	"\"null\"]},\n"
	" \"verdict\": {\"enum\": [\"PASS\", \"NOT JUDGED\", \"INVALID\", \"FAIL\", \"NOT "
	"RUN\"]},\n"
	" \"criterion\": {\"type\": \"object\", \"additionalProperties\": false,\n"
	"  \"required\": [\"figure\", \"min\", \"max\", \"seen\", \"half_width\", \"verdict\", "
	"\"why\"],\n"
	"  \"properties\": {\"figure\": {\"type\": \"string\"},\n"
	"   \"min\": {\"$ref\": \"#/definitions/number\", \"description\": \"null: no limit\"},\n"
	"   \"max\": {\"$ref\": \"#/definitions/number\"},\n"
	"   \"seen\": {\"type\": [\"number\", \"string\", \"null\"]},\n"
	"   \"half_width\": {\"$ref\": \"#/definitions/number\", \"description\": \"of 95 %\"},\n"
	"   \"verdict\": {\"$ref\": \"#/definitions/verdict\"},\n"
	"   \"why\": {\"$ref\": \"#/definitions/text\"}}},\n"
	" \"row\": {\"type\": \"object\", \"additionalProperties\": false,\n"
	"  \"required\": [\"suite\", \"row\", \"stimulus\", \"verdict\", \"criteria\"],\n"
	"  \"properties\": {\"suite\": {\"type\": \"string\"}, \"row\": {\"type\": \"string\"},\n"
	"   \"stimulus\": {\"type\": \"string\"},\n"
	"   \"step\": {\"$ref\": \"#/definitions/text\", \"description\": \"of quench probe\"},\n"
	"   \"ports\": {\"type\": \"integer\", \"description\": \"of ours that it wants\"},\n"
	"   \"verdict\": {\"$ref\": \"#/definitions/verdict\"},\n"
	"   \"why\": {\"$ref\": \"#/definitions/text\"},\n"
	"   \"scene_s\": {\"$ref\": \"#/definitions/number\"},\n"
	"   \"wall_s\": {\"$ref\": \"#/definitions/number\"},\n"
	"   \"criteria\": {\"type\": \"array\", \"items\": {\"$ref\": "
	"\"#/definitions/criterion\"}}}}},\n"
	"\"properties\": {\"schema\": {\"const\": 1}, \"version\": {\"$ref\": "
	"\"#/definitions/text\"},\n"
	" \"command\": {\"$ref\": \"#/definitions/text\"}, \"clock\": {\"$ref\": "
	"\"#/definitions/text\"},\n"
	" \"device\": {\"$ref\": \"#/definitions/text\"}, \"against\": {\"$ref\": "
	"\"#/definitions/text\"},\n"
	" \"verdicts\": {\"type\": \"object\", \"additionalProperties\": {\"type\": "
	"\"integer\"}},\n"
	" \"rows\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/row\"}}}}\n";

void suite_schema(FILE *f)
{
	fputs(schema, f);
}
