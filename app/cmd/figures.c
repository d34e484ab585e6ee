// SPDX-License-Identifier: BSD-3-Clause
// quench figures: the figures of a run, and their meanings.
#include <stdio.h>
#include <unistd.h>

#include "int.h"
#include "report/report.h"
#include "summary/summary.h"

struct figures_args {
	bool markdown, schema;
};

static void unknown_kind(const char *word)
{
	struct near near = near_to(word);

	for (unsigned i = 0; i < SUMMARY_WORDS; i++)
		if (summary_path_word(i))
			near_see(&near, summary_path_word(i));
	if (*near.name)
		tell("quench figures: there is no kind '%s'; did you mean '%s'?", word, near.name);
	else
		tell("quench figures: there is no kind '%s'; `quench figures` lists them", word);
}

static int figures_main(int argc, char **argv)
{
	struct figures_args a = {0};
	int at = args_read(&cmd_figures, &a, argc, argv);

	if (at <= 0)
		return at ? EXIT_INPUT : EXIT_DONE;
	if (a.schema) {
		report_schema(stdout);
	} else if (a.markdown) {
		summary_page(stdout);
	} else if (!argv[at]) {
		printf("Kinds of things that are reported, each with an example path.\n"
		       "`quench figures KIND` lists the figures of one.\n\n");
		summary_kinds(stdout);
	} else if (!summary_page_of(stdout, argv[at], term_columns(STDOUT_FILENO))) {
		unknown_kind(argv[at]);
		return EXIT_INPUT;
	}
	return EXIT_DONE;
}

const struct args_command cmd_figures = {
	.name = "figures",
	.summary = "say what is reported of a run, and what each figure means",
	.about = "Lists the kinds of things that summary.json, criteria (`expect`), the columns of "
		 "`quench sweep` and a running instance speak of, and the figures of one kind "
		 "with unit and meaning.",
	.options = ARGS_OPTIONS(ARGS_ROW(.name = "markdown", ARGS_AT(struct figures_args, markdown),
					.help = "Prints all kinds as a page in Markdown."),
		ARGS_ROW(.name = "schema", ARGS_AT(struct figures_args, schema),
			.help = "Prints the JSON Schema of summary.json.")),
	.operands = ARGS_OPERANDS({.name = "KIND", .fill = ARGS_KIND, .optional = true}),
	.wanted = "name one kind, or none",
	.examples = ARGS_WORDS("quench figures", "quench figures queue",
		"quench figures --schema > summary.schema.json"),
	.run = figures_main,
};
