// SPDX-License-Identifier: BSD-3-Clause
// quench do: actions in a running instance, as an event of its scenario has them.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "int.h"

#define MOST (1u << 20) // bytes of a file

struct do_args {
	const char *instance, *file;
	bool json;
};

// The actions of the command line as a list in YAML, for free(). NULL: no memory.
static char *list_of(char *const *word, unsigned n)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (unsigned i = 0; i < n; i++)
		fprintf(f, n > 1 ? "- %s\n" : "%s", word[i]);
	if (!fclose(f))
		return text;
	free(text);
	return NULL;
}

// Reads the text of a file, for free(); "-": standard input. NULL, and a line.
static char *text_of(const char *path, struct err *err)
{
	bool in = !strcmp(path, "-");
	int rc = in ? 0 : infile_check_or(path, INFILE_OR_STDIN, err);
	FILE *f = rc ? NULL : in ? stdin : fopen(path, "r");
	char *text = f ? malloc(MOST + 1) : NULL;
	size_t n = text ? fread(text, 1, MOST + 1, f) : 0;

	if (!rc && (!text || ferror(f)))
		rc = err_set(err, -errno, "%s: %s", path, strerror(errno));
	else if (!rc && n > MOST)
		rc = err_set(err, -EFBIG, "%s has over 1 MB", path);
	else if (text)
		text[n] = '\0';
	if (f && !in)
		fclose(f);
	if (rc) {
		free(text);
		text = NULL;
	}
	return text;
}

// Prints "done at 12.345678 ms by h1, h2, h3".
static void print_answer(const json_t *answer)
{
	const json_t *nodes = json_object_get(answer, "nodes"), *of;
	size_t i, n = json_array_size(nodes);

	json_array_foreach(json_object_get(answer, "warnings"), i, of)
		printf("warning: %s\n", json_string_value(of));
	printf("done at %.6f ms", (double)instance_number(answer, "at_ps") / 1e9);
	json_array_foreach(nodes, i, of)
	{
		if (i == 8 && n > 9) {
			printf(" and %zu more", n - i);
			break;
		}
		printf("%s%s", i ? ", " : " by ", json_string_value(json_object_get(of, "node")));
	}
	printf("\n");
}

int instance_change(
	const char *title, const char *instance, const char *verb, const char *text, bool json)
{
	struct instance_dirs dirs;
	struct instance to;
	json_t *answer;
	struct err err;
	int rc;

	instance_dirs(&dirs);
	if (instance_open(&to, instance, &dirs, &err))
		return tell_input(title, err.text);
	rc = instance_control(&to, &answer, &err, verb, text);
	instance_close(&to);
	if (rc)
		return tell_input(title, err.text);
	if (json) {
		json_dumpf(answer, stdout, JSON_COMPACT);
		printf("\n");
	} else {
		print_answer(answer);
	}
	json_decref(answer);
	return EXIT_DONE;
}

static int do_main(int argc, char **argv)
{
	struct do_args a = {0};
	int at = args_read(&instance_do, &a, argc, argv), status;
	struct err err = {.text = "no memory"};
	char *text;

	if (at <= 0)
		return at ? EXIT_INPUT : EXIT_DONE;
	if (!a.file == (at == argc))
		return tell_input("quench do", "name actions, or a file of them with -f");
	text = a.file ? text_of(a.file, &err) : list_of(argv + at, (unsigned)(argc - at));
	if (!text)
		return tell_input("quench do", err.text);
	status = instance_change("quench do", a.instance, "do", text, a.json);
	free(text);
	return status;
}

const struct args_command instance_do = {
	.name = "do",
	.summary = "carry out actions in a running instance",
	.about =
		"Carries out actions in an instance that runs on the real clock: whatever an event "
		"of a scenario may say (docs/scenario.md), without its instant. Several actions "
		"happen at one instant, or none does. The run's manifest lists what was done, and "
		"`quench rerun` repeats it.",
	.options = ARGS_OPTIONS(INSTANCE_OPTION(struct do_args),
		ARGS_ROW(.name = "file", .letter = 'f', .value = "FILE", .kind = ARGS_TEXT,
			.fill = ARGS_FILE, ARGS_AT(struct do_args, file),
			.help = "Takes a list of actions in YAML from this file; -: standard "
				"input."),
		ARGS_ROW(.name = "json", ARGS_AT(struct do_args, json),
			.help = "Prints the answer as JSON: the instant at each node, and "
				"warnings.")),
	.operands = ARGS_OPERANDS({.name = "ACTION", .optional = true, .many = true}),
	.wanted = "name actions, or a file of them with -f",
	.examples = ARGS_WORDS("quench run first-light --clock real --duration 10s &",
		"quench do 'flow_stop: incast'",
		"quench do 'link_down: s1:h1' 'flow_start: incast'"),
	.run = do_main,
};
