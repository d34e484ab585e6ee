// SPDX-License-Identifier: BSD-3-Clause
// A command to the instance, as `quench do` and `quench set` give it.
#include "control.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#define WORDS 16

// The text of a verb, for free(): of "set" words PATH=VALUE stand there, parted by blanks. NULL and
// a line: there is none.
static char *text_of(const char *verb, const char *text, struct err *err)
{
	char *copy = strdup(text), *word[WORDS], *rest = copy, *of;
	unsigned n = 0;

	if (!copy || !strcmp(verb, "do"))
		return copy;
	while (n < WORDS && (of = strsep(&rest, " ")))
		if (*of)
			word[n++] = of;
	of = instance_values(word, n, err);
	free(copy);
	return of;
}

bool top_control(struct instance *of, const char *verb, const char *text, char *told, size_t size)
{
	struct err err = {.text = "no memory"};
	char *sent = text_of(verb, text, &err);
	const json_t *warnings;
	json_t *answer;
	int n;

	if (!sent || instance_control(of, &answer, &err, verb, sent)) {
		free(sent);
		snprintf(told, size, "%s", err.text);
		return false;
	}
	free(sent);
	n = snprintf(told, size, "Done at %.6f ms.",
		(double)json_integer_value(json_object_get(answer, "at_ps")) / 1e9);
	warnings = json_object_get(answer, "warnings");
	if (json_array_size(warnings))
		snprintf(told + n, size - (size_t)n, " Warning: %s",
			json_string_value(json_array_get(warnings, 0)));
	json_decref(answer);
	return true;
}
