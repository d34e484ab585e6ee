// SPDX-License-Identifier: BSD-3-Clause
// quench top: a running instance on the whole screen of a terminal.
#include "top.h"

#include "base/tstamp.h"
#include "main.h"

#define EVERY_LEAST (100 * PS_PER_MS)
#define EVERY_MOST  (60 * PS_PER_S)

struct top_args {
	const char *instance;
	tstamp every;
};

static int top_main(int argc, char **argv)
{
	struct top_args a = {0};
	int at = args_read(&top_command, &a, argc, argv);

	if (at <= 0)
		return at ? EXIT_INPUT : EXIT_DONE;
	if (a.every < EVERY_LEAST || a.every > EVERY_MOST)
		return tell_input("quench top", "--every is between 100ms and 60s");
	return top_watch(a.instance, (unsigned)(a.every / PS_PER_MS));
}

const struct args_command top_command = {
	.name = "top",
	.summary = "watch a running instance on the whole screen",
	.about = "Shows an instance that runs on the real clock, as htop shows processes: "
		 "whether it has lost frames and held its timing; the ports with their rates and "
		 "pauses; the class queues against Kmin, Kmax, XON and XOFF; the busiest queue "
		 "pairs with Rc and alpha. Every rate is of a second of the scene. The key h "
		 "shows the keys: filter, sort, freeze, a row over the last two minutes, and "
		 "actions, which run only after their command was shown and a y was typed.\n\n"
		 "NO_COLOR and terminals without colours are fine, and so is a locale without "
		 "UTF-8. The last screen stays when the instance ends; q leaves.",
	.options = ARGS_OPTIONS(INSTANCE_OPTION(struct top_args),
		ARGS_ROW(.name = "every", .value = "T", .kind = ARGS_TIME, .def = "500ms",
			ARGS_AT(struct top_args, every),
			.help = "Looks again each T of wall time, 100ms to 60s.")),
	.examples = ARGS_WORDS("quench run first-light --clock real --duration 60s --dilate 100 &",
		"quench top", "quench top --instance leaf1 --every 1s"),
	.statuses = ARGS_SIGNAL,
	.run = top_main,
};
