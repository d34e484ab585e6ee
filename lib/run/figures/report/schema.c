// SPDX-License-Identifier: BSD-3-Clause
// The JSON Schema of summary.json, from the rows of the kinds.
#include "int.h"

static void put_type(FILE *f, const char *type, bool or_null)
{
	if (or_null)
		fprintf(f, "\"type\": [\"%s\", \"null\"]", type);
	else
		fprintf(f, "\"type\": \"%s\"", type);
}

// Text within quotation marks; meanings have no other character that JSON escapes.
static void put_quoted(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', f);
		fputc(*text, f);
	}
}

static void put_member(FILE *f, const struct figure *m)
{
	fprintf(f, "\"%s\": {\"description\": \"", m->name);
	put_quoted(f, m->meaning);
	if (*m->unit)
		fprintf(f, " [%s]", m->unit);
	fprintf(f, "\", ");
	switch ((enum figure_form)m->form) {
	case FIGURE_COUNT:
		put_type(f, m->divisor == 1 ? "integer" : "number", m->never);
		break;
	case FIGURE_VALUE:
		put_type(f, m->decimals ? "number" : "integer", true);
		break;
	case FIGURE_DIST:
		put_type(f, "number", true);
		break;
	case FIGURE_ID:
		put_type(f, "integer", false);
		break;
	case FIGURE_BOOL:
		put_type(f, "boolean", false);
		break;
	case FIGURE_TEXT:
		put_type(f, "string", true);
		break;
	case FIGURE_LIST:
		fprintf(f, "\"allOf\": [%s]", m->list->schema);
		break;
	}
	fputc('}', f);
}

// An object of a kind. Members that not every object has are not required.
static void put_object(FILE *f, const struct kind *k)
{
	const char *between = "";
	struct figure m;

	fprintf(f, "{\"type\": \"object\", \"additionalProperties\": false, \"description\": \"");
	put_quoted(f, k->about);
	fprintf(f, "\",\n  \"properties\": {");
	for (unsigned i = 0; kind_member(k, i, &m); i++) {
		fprintf(f, "%s\n   ", i ? "," : "");
		put_member(f, &m);
	}
	fprintf(f, "},\n  \"required\": [");
	for (unsigned i = 0; kind_member(k, i, &m); i++) {
		if (m.only)
			continue;
		fprintf(f, "%s\"%s\"", between, m.name);
		between = ", ";
	}
	fprintf(f, "]}");
}

static bool first_of_key(unsigned kind)
{
	const struct kind *k = summary_kind[kind];

	return k->key && (!kind || !summary_kind[kind - 1]->key ||
				 strcmp(k->key, summary_kind[kind - 1]->key) != 0);
}

static const char head[] =
	"{\"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
	"\"title\": \"summary.json of quench\", \"type\": \"object\",\n"
	"\"additionalProperties\": false,\n"
	"\"properties\": {\n"
	" \"schema\": {\"const\": %d},\n"
	" \"name\": {\"type\": \"string\"},\n"
	" \"seed\": {\"type\": \"integer\"},\n"
	" \"interrupted\": {\"type\": \"boolean\"},\n"
	" \"crash\": {\"type\": \"string\"},\n"
	" \"link_loss\": {\"type\": \"string\"},\n"
	" \"device_gone\": {\"type\": \"string\"},\n"
	" \"no_link\": {\"type\": \"string\"},\n"
	" \"recorded_until_us\": {\"type\": \"number\"},\n"
	" \"events_limited\": {\"type\": \"object\", \"additionalProperties\": "
	"{\"type\": \"integer\"}},\n"
	" \"window_from_us\": {\"type\": \"number\"},\n"
	" \"window_to_us\": {\"type\": \"number\"},\n"
	" \"bottleneck\": {\"type\": [\"string\", \"null\"]},\n"
	" \"warnings\": {\"type\": \"array\", \"items\": {\"type\": \"object\", "
	"\"additionalProperties\": false,\n"
	"  \"properties\": {\"line\": {\"type\": [\"integer\", \"null\"]}, "
	"\"text\": {\"type\": \"string\"}, "
	"\"kind\": {\"type\": \"string\"}},\n"
	"  \"required\": [\"line\", \"text\"]}},\n"
	" \"verdicts\": {\"type\": \"object\", \"additionalProperties\": false, \"properties\": {\n"
	"  \"conserved\": {\"type\": \"boolean\"}, \"conservation\": {\"type\": \"string\"},\n"
	"  \"lossless\": {\"type\": \"boolean\"}, \"pool_size\": {\"type\": \"integer\"},\n"
	"  \"instrument_lost\": {\"type\": \"integer\"}, "
	"\"lossless_lost\": {\"type\": \"integer\"},\n"
	"  \"pool_missing\": {\"type\": \"integer\"}, \"link_frames\": {\"type\": \"integer\"},\n"
	"  \"criteria\": {\"type\": \"array\", \"items\": {\"type\": \"object\",\n"
	"   \"additionalProperties\": false, \"properties\": {\"name\": {\"type\": \"string\"},\n"
	"   \"figure\": {\"type\": \"string\"}, \"min\": {\"type\": [\"number\", \"null\"]},\n"
	"   \"max\": {\"type\": [\"number\", \"null\"]},\n"
	"   \"value\": {\"type\": [\"number\", \"string\", \"null\"]},\n"
	"   \"verdict\": {\"enum\": [\"PASS\", \"FAIL\", \"INVALID\", \"NOT JUDGED\"]},\n"
	"   \"seen\": {\"type\": \"string\"}, \"why\": {\"type\": \"string\"}},\n"
	"   \"required\": [\"name\", \"figure\", \"min\", \"max\", \"value\", \"verdict\"]}},\n"
	"  \"for_all\": {\"type\": \"array\", \"items\": {\"type\": \"object\",\n"
	"   \"additionalProperties\": false, \"properties\": {\"name\": {\"type\": \"string\"},\n"
	"   \"figure\": {\"type\": \"string\"}, \"min\": {\"type\": [\"number\", \"null\"]},\n"
	"   \"max\": {\"type\": [\"number\", \"null\"]},\n"
	"   \"value\": {\"type\": [\"number\", \"string\", \"null\"]}},\n"
	"   \"required\": [\"name\", \"figure\", \"min\", \"max\", \"value\"]}},\n"
	"  \"why\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}}},\n"
	"  \"required\": [\"conserved\", \"conservation\", \"lossless\", \"pool_size\", "
	"\"pool_missing\",\n   \"link_frames\", \"criteria\", \"why\"]}";

void report_schema(FILE *f)
{
	fprintf(f, head, REPORT_SCHEMA);
	for (unsigned k = 0; k < KINDS; k++) {
		if (!first_of_key(k))
			continue;
		fprintf(f, ",\n \"%s\": ", summary_kind[k]->key);
		if (!summary_kind[k]->single)
			fprintf(f, "{\"type\": \"array\", \"items\": ");
		put_object(f, summary_kind[k]);
		if (!summary_kind[k]->single)
			fputc('}', f);
	}
	fprintf(f, "},\n\"required\": [\"schema\", \"name\", \"seed\", \"interrupted\", "
		   "\"window_from_us\",\n \"window_to_us\", \"bottleneck\", \"warnings\", "
		   "\"verdicts\"");
	for (unsigned k = 0; k < KINDS; k++)
		if (first_of_key(k) && !summary_kind[k]->if_any)
			fprintf(f, ", \"%s\"", summary_kind[k]->key);
	fprintf(f, "]}\n");
}
