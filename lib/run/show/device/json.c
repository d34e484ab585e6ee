// SPDX-License-Identifier: BSD-3-Clause
// probe.json and its JSON Schema.
#include <math.h>
#include <string.h>

#include "device.h"

#define SCHEMA 1 // number of the form

// A number with ten significant digits; null if it is none.
static void put_number(struct jw *w, const char *key, double value)
{
	char text[32];

	if (!isfinite(value)) {
		jw_null(w, key);
		return;
	}
	snprintf(text, sizeof(text), "%.10g", value);
	jw_number(w, key, text);
}

static void put_value(struct jw *w, const char *key, enum probe_figure fig, double value)
{
	const struct probe_figure_row *row = &probe_figure[fig];

	if (row->unit)
		put_number(w, key, value);
	else
		jw_str(w, key, row->word[(unsigned)value]);
}

static void put_figure(struct jw *w, const struct device_line *l)
{
	const struct found *f = l->found;
	bool has = f->state != FOUND_NOT && f->state != FOUND_INVALID;

	jw_object(w, probe_figure[l->figure].name, true);
	jw_str(w, "state", device_state_name[f->state]);
	if (f->state == FOUND_NONE)
		put_number(w, "value", f->value);
	else if (has)
		put_value(w, "value", l->figure, f->value);
	else
		jw_null(w, "value");
	if (has && probe_figure[l->figure].unit && f->state != FOUND_NONE)
		put_number(w, "half_width", f->pm);
	if (f->state == FOUND_VARIES) {
		put_number(w, "least", f->least);
		put_number(w, "most", f->most);
	}
	if (l->configured.given)
		put_value(w, "configured", l->figure, l->configured.value);
	if (*device_verdict_name[l->verdict])
		jw_str(w, "verdict", device_verdict_name[l->verdict]);
	if (f->why)
		jw_str(w, "why", f->why);
	jw_end(w);
}

static void put_column(const struct device *d, struct jw *w, unsigned cls)
{
	for (unsigned i = 0; i < d->lines; i++)
		if (d->line[i].cls == cls)
			put_figure(w, &d->line[i]);
}

static bool has_column(const struct device *d, unsigned cls)
{
	for (unsigned i = 0; i < d->lines; i++)
		if (d->line[i].cls == cls)
			return true;
	return false;
}

// The members of a set; an empty one is left out.
static void put_set(struct jw *w, const char *name, uint64_t set)
{
	if (!set)
		return;
	jw_array(w, name, true);
	for (; set; set &= set - 1)
		jw_u64(w, NULL, (uint64_t)__builtin_ctzll(set));
	jw_end(w);
}

static void put_classes(const struct device *d, struct jw *w)
{
	jw_object(w, "classes", false);
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		char name[8];

		if (!has_column(d, c))
			continue;
		snprintf(name, sizeof(name), "%u", c);
		jw_object(w, name, false);
		put_set(w, "dscp", d->found->dscps[c]);
		put_set(w, "pcp", d->found->pcps[c]);
		put_column(d, w, c);
		jw_end(w);
	}
	jw_end(w);
}

static void put_curves(const struct device *d, struct jw *w)
{
	jw_array(w, "curves", false);
	for (unsigned i = 0; i < d->found->n_curves; i++) {
		const struct probe_curve *c = &d->found->curve[i];

		jw_object(w, NULL, false);
		jw_str(w, "name", c->name);
		jw_u64(w, "class", c->cls);
		jw_str(w, "x", c->x);
		jw_str(w, "y", c->y);
		jw_array(w, "points", false);
		for (unsigned k = 0; k < c->n; k++) {
			jw_array(w, NULL, true);
			put_number(w, NULL, c->point[k].x);
			put_number(w, NULL, c->point[k].y);
			put_number(w, NULL, c->point[k].n);
			jw_end(w);
		}
		jw_end(w);
		jw_end(w);
	}
	jw_end(w);
}

static void put_verdicts(const struct device *d, struct jw *w)
{
	jw_object(w, "verdicts", true);
	for (unsigned v = DEVICE_PASS; v <= DEVICE_NOT_MEASURED; v++)
		jw_u64(w, device_verdict_name[v], d->n[v]);
	jw_end(w);
}

void device_json(const struct device *d, struct out *o)
{
	const struct device_about *a = d->about;
	struct jw w;

	jw_init(&w, o);
	jw_object(&w, NULL, false);
	jw_u64(&w, "schema", SCHEMA);
	jw_str(&w, "scenario", a->scenario);
	jw_str(&w, "device", a->device);
	jw_str(&w, "clock", a->clock);
	jw_u64(&w, "seed", a->seed);
	jw_u64(&w, "rate_bps", a->rate);
	jw_num(&w, "cable_ns", (double)a->cable / 1000, 3);
	jw_u64(&w, "device_dilate", a->dilate);
	jw_num(&w, "scene_time_us", (double)a->scene_time / PS_PER_US, 3);
	jw_u64(&w, "steps", a->steps);
	jw_num(&w, "gap_p99_us", (double)a->gap / PS_PER_US, 3);
	jw_num(&w, "gap_max_us", (double)a->gap_longest / PS_PER_US, 3);
	jw_bool(&w, "interrupted", a->interrupted);
	if (d->against)
		jw_str(&w, "against", d->against->name);
	put_verdicts(d, &w);
	jw_object(&w, "figures", false);
	put_column(d, &w, PROBE_DEVICE);
	jw_end(&w);
	put_classes(d, &w);
	put_curves(d, &w);
	jw_end(&w);
}

// The properties of the figures of a class, or of the device.
static void schema_figures(FILE *f, bool device)
{
	const char *between = "";

	for (unsigned i = 0; i < PROBE_FIGURES; i++) {
		const struct probe_figure_row *row = &probe_figure[i];

		if (row->device != device)
			continue;
		fprintf(f,
			"%s\n    \"%s\": {\"description\": \"%s%s%s%s\", \"allOf\": "
			"[{\"$ref\": \"#/definitions/figure\"}]}",
			between, row->name, row->text, row->unit && *row->unit ? " [" : "",
			row->unit ? row->unit : "", row->unit && *row->unit ? "]" : "");
		between = ",";
	}
}

static const char head[] =
	"{\"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
	" \"title\": \"probe.json of quench\", \"type\": \"object\", "
	"\"additionalProperties\": false,\n"
	" \"required\": [\"schema\", \"scenario\", \"device\", \"clock\", \"seed\", "
	"\"rate_bps\", \"figures\", \"classes\", \"curves\", \"verdicts\"],\n"
	" \"definitions\": {\"figure\": {\"type\": \"object\", \"additionalProperties\": false, "
	"\"required\": [\"state\", \"value\"], \"properties\": {\n"
	"  \"state\": {\"enum\": [\"not_measured\", \"is\", \"at_least\", \"at_most\", \"none\", "
	"\"varies\", \"others\", \"invalid\"]},\n"
	"  \"value\": {\"type\": [\"number\", \"string\", \"null\"]},\n"
	"  \"half_width\": {\"type\": [\"number\", \"null\"], \"description\": \"of 95 %, in the "
	"figure's unit; 0: exact\"},\n"
	"  \"least\": {\"type\": [\"number\", \"null\"]}, \"most\": {\"type\": [\"number\", "
	"\"null\"]},\n"
	"  \"configured\": {\"type\": [\"number\", \"string\", \"null\"]},\n"
	"  \"verdict\": {\"type\": \"string\"}, \"why\": {\"type\": \"string\"}}}},\n"
	" \"properties\": {\n"
	"  \"schema\": {\"const\": 1},\n"
	"  \"scenario\": {\"type\": \"string\"}, \"device\": {\"type\": \"string\"},\n"
	"  \"clock\": {\"enum\": [\"virtual\", \"real\"]}, \"seed\": {\"type\": \"integer\"},\n"
	"  \"rate_bps\": {\"type\": \"integer\", \"description\": \"of the measured ports\"},\n"
	"  \"cable_ns\": {\"type\": \"number\", \"description\": \"one way\"},\n"
	"  \"device_dilate\": {\"type\": \"integer\", \"description\": \"the device's clock is so "
	"many times slower than ours; rate, cable and figures are by it\"},\n"
	"  \"scene_time_us\": {\"type\": \"number\", \"description\": \"of all steps\"},\n"
	"  \"steps\": {\"type\": \"integer\", \"description\": \"lists of frames that were "
	"sent\"},\n"
	"  \"gap_p99_us\": {\"type\": \"number\", \"description\": \"loops of our ports; 0: they "
	"act at any instant\"},\n"
	"  \"gap_max_us\": {\"type\": \"number\"},\n"
	"  \"interrupted\": {\"type\": \"boolean\"}, \"against\": {\"type\": \"string\"},\n"
	"  \"verdicts\": {\"type\": \"object\", \"additionalProperties\": {\"type\": "
	"\"integer\"}},\n";

void device_schema(FILE *f)
{
	fputs(head, f);
	fputs("  \"figures\": {\"type\": \"object\", \"additionalProperties\": false, "
	      "\"properties\": {",
		f);
	schema_figures(f, true);
	fputs("}},\n  \"classes\": {\"type\": \"object\", \"additionalProperties\": false, "
	      "\"patternProperties\": {\"^[0-7]$\": {\"type\": \"object\", "
	      "\"additionalProperties\": false, \"properties\": {\n    \"dscp\": {\"type\": "
	      "\"array\", \"items\": {\"type\": \"integer\"}},\n    \"pcp\": {\"type\": "
	      "\"array\", \"items\": {\"type\": \"integer\"}},",
		f);
	schema_figures(f, false);
	fputs("}}}},\n  \"curves\": {\"type\": \"array\", \"items\": {\"type\": \"object\", "
	      "\"required\": [\"name\", \"class\", \"x\", \"y\", \"points\"], \"properties\": {\n"
	      "    \"name\": {\"type\": \"string\"}, \"class\": {\"type\": \"integer\"}, \"x\": "
	      "{\"type\": \"string\"}, \"y\": {\"type\": \"string\"},\n"
	      "    \"points\": {\"type\": \"array\", \"items\": {\"type\": \"array\", "
	      "\"items\": {\"type\": [\"number\", \"null\"]}}}}}}}}\n",
		f);
}
