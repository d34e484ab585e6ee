// SPDX-License-Identifier: BSD-3-Clause
// The meanings and units of the members of summary.json, from its JSON Schema.
#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "report/report.h"

json_t *meaning_schema(void)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	json_t *j;

	if (!f)
		return NULL;
	report_schema(f);
	fclose(f);
	j = json_loads(text, 0, NULL);
	free(text);
	return j;
}

const json_t *meaning_members(const json_t *schema, const char *key)
{
	const json_t *of = json_object_get(json_object_get(schema, "properties"), key);
	const json_t *items = json_object_get(of, "items");

	return json_object_get(items ? items : of, "properties");
}

void meaning_put(struct jw *w, const json_t *member, bool keyed)
{
	const char *text = saved_text(member, "description");
	size_t n = strlen(text), meaning = n;
	const char *unit = strrchr(text, '[');
	char part[ERR_TEXT] = "";

	if (unit && unit > text && unit[-1] == ' ' && text[n - 1] == ']') {
		meaning = (size_t)(unit - 1 - text);
		snprintf(part, sizeof(part), "%.*s", (int)(text + n - 1 - unit - 1), unit + 1);
	}
	jw_str(w, keyed ? "unit" : NULL, part);
	snprintf(part, sizeof(part), "%.*s", (int)meaning, text);
	jw_str(w, keyed ? "meaning" : NULL, part);
}
