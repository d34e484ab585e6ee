// SPDX-License-Identifier: BSD-3-Clause
// A command to the instance, as `quench do` and `quench set` give it.
#include "control.h"

#include <stdio.h>

#include <jansson.h>

bool top_control(struct instance *of, const char *verb, const char *text, char *told, size_t size)
{
	struct err err;
	json_t *answer;
	int n;

	if (instance_control(of, &answer, &err, verb, text)) {
		snprintf(told, size, "%s", err.text);
		return false;
	}
	n = snprintf(told, size, "Done at %.6f ms.",
		(double)json_integer_value(json_object_get(answer, "at_ps")) / 1e9);
	if (json_array_size(json_object_get(answer, "warnings")))
		snprintf(told + n, size - (size_t)n, " Warning: %s",
			json_string_value(json_array_get(json_object_get(answer, "warnings"), 0)));
	json_decref(answer);
	return true;
}
