// SPDX-License-Identifier: BSD-3-Clause
// quench set: values of a scenario in a running instance.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "int.h"

struct set_args {
	const char *instance;
	bool json;
};

char *instance_values(char *const *word, unsigned n, struct err *err)
{
	json_t *values = json_object();
	char *text = NULL;
	int rc = 0;

	for (unsigned i = 0; !rc && i < n; i++) {
		const char *eq = strchr(word[i], '=');
		size_t length = eq ? (size_t)(eq - word[i]) : 0;

		if (!length)
			rc = err_set(err, -EINVAL,
				"'%s': path=value, as in switches.s1.classes.3.wred.max=200KB",
				word[i]);
		else if (json_object_getn(values, word[i], length))
			rc = err_set(err, -EINVAL, "%.*s stands there twice", (int)length, word[i]);
		else
			rc = json_object_setn_new(values, word[i], length, json_string(eq + 1));
	}
	if (!rc)
		text = json_dumps(values, JSON_COMPACT);
	json_decref(values);
	return text;
}

static int set_main(int argc, char **argv)
{
	struct set_args a = {0};
	int at = args_read(&instance_set, &a, argc, argv), status;
	struct err err = {.text = "a value is no text in UTF-8"};
	char *text;

	if (at <= 0)
		return at ? EXIT_INPUT : EXIT_DONE;
	text = instance_values(argv + at, (unsigned)(argc - at), &err);
	if (!text)
		return tell_input("quench set", err.text);
	status = instance_change("quench set", a.instance, "set", text, a.json);
	free(text);
	return status;
}

const struct args_command instance_set = {
	.name = "set",
	.summary = "change values in a running instance",
	.about =
		"Changes values of the scenario in an instance that runs on the real clock. A path "
		"is written as for `quench run --set`. Values of one command change at one "
		"instant, or none does. `quench check --reference` marks the keys that can change: "
		"thresholds, weights, rates and parameters of controls are among them. The run's "
		"manifest lists what was set, and `quench rerun` repeats it.",
	.options = ARGS_OPTIONS(INSTANCE_OPTION(struct set_args),
		ARGS_ROW(.name = "json", ARGS_AT(struct set_args, json),
			.help = "Prints the answer as JSON: the instant at each node, and "
				"warnings.")),
	.operands = ARGS_OPERANDS({.name = "PATH=VALUE", .fill = ARGS_CHANGE, .many = true}),
	.wanted = "name values, as in switches.s1.classes.3.wred.max=200KB",
	.examples = ARGS_WORDS("quench run first-light --clock real --duration 10s &",
		"quench set switches.s1.classes.3.wred.min=50KB "
		"switches.s1.classes.3.wred.max=200KB"),
	.run = set_main,
};
