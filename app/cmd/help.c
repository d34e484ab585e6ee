// SPDX-License-Identifier: BSD-3-Clause
// quench help: what a command does, as text, as a manual page, and to a shell that completes its
// words.
#include <string.h>

#include "int.h"
#include "complete.h"
#include "scenario_man.h"

struct help_args {
	const char *man;
	unsigned shell; // of completion
	bool completion, complete;
};

static int print_man(const char *page)
{
	const struct args_command *c = &cmd_quench;

	term_plain();
	if (!strcmp(page, "scenario")) {
		scenario_man(stdout);
		return EXIT_DONE;
	}
	if (strcmp(page, "quench") != 0)
		c = args_command(&cmd_quench, page);
	if (!c)
		return EXIT_INPUT;
	args_man(c, &cmd_quench, stdout);
	return EXIT_DONE;
}

static int print_help(const char *name)
{
	const struct args_command *c = name ? args_command(&cmd_quench, name) : &cmd_quench;

	if (!c)
		return EXIT_INPUT;
	args_help(c, stdout);
	return EXIT_DONE;
}

static int help_main(int argc, char **argv)
{
	struct help_args a = {0};
	int at = args_read(&cmd_help, &a, argc, argv);

	if (at <= 0)
		return at ? EXIT_INPUT : EXIT_DONE;
	if (a.man)
		return print_man(a.man);
	if (a.completion || a.complete)
		term_plain();
	if (a.completion)
		fputs(complete_bash, stdout);
	else if (a.complete)
		complete(&cmd_quench, argc - at, argv + at, stdout);
	else
		return print_help(argv[at]);
	return EXIT_DONE;
}

static const struct args_option *const options[] = {
	ARGS_ROW(.name = "man", .value = "PAGE", .kind = ARGS_TEXT, .fill = ARGS_COMMAND,
		.alone = true, ARGS_AT(struct help_args, man),
		.help = "Writes a manual page in the language of troff: of a command, of `quench` "
			"itself, or of `scenario`, which has every option of a scenario."),
	ARGS_ROW(.name = "completion", .kind = ARGS_WORD, .words = ARGS_WORDS("bash"),
		.alone = true, ARGS_AT(struct help_args, shell),
		.given = offsetof(struct help_args, completion),
		.help = "Writes what this shell completes the words of quench by. An installation "
			"has it."),
	ARGS_ROW(.name = "complete", .alone = true, ARGS_AT(struct help_args, complete),
		.help = "Lists what the last of the words behind it can become, one on a line. "
			"The first line says what else: files, folders or none. Completion asks "
			"this."),
	NULL,
};

const struct args_command cmd_help = {
	.name = "help",
	.summary = "show what a command does, its options and examples",
	.about = "Shows what a command does, its options and examples, as `quench COMMAND --help` "
		 "does.",
	.options = options,
	.operands = ARGS_OPERANDS({.name = "COMMAND", .fill = ARGS_COMMAND, .optional = true}),
	.wanted = "name one command, or none",
	.examples = ARGS_WORDS("quench help", "quench help run",
		"quench help --man scenario | man -l -", "source <(quench help --completion bash)"),
	.run = help_main,
};
