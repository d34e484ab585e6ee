// SPDX-License-Identifier: BSD-3-Clause
// quench itself: its version, its commands, and which of them is meant.
#include <stdio.h>

#include "checker/checker.h"
#include "instance/instance.h"
#include "int.h"
#include "reader/reader.h"
#include "runner/runner.h"
#include "top/top.h"

struct quench_args {
	bool version;
};

static const struct args_option version_option = {.name = "version",
	.letter = 'V',
	.alone = true,
	ARGS_AT(struct quench_args, version),
	.help = "Shows the version."};

static const struct args_command *const commands[] = {&runner_run, &runner_rerun, &checker_check,
	&runner_gen, &runner_bump, &runner_ports, &runner_probe, &runner_verify, &reader_report,
	&reader_compare, &reader_merge, &reader_events, &reader_trace, &reader_decode,
	&runner_replay, &runner_sweep, &checker_import, &checker_job, &instance_do, &instance_set,
	&instance_reg, &instance_iqcn, &instance_stats, &instance_capture, &top_command, &runner_rp,
	&cmd_figures, &cmd_help, NULL};

static int quench_main(int argc, char **argv)
{
	struct quench_args a = {0};
	const struct args_command *c;
	int at;

	if (argc < 2) {
		args_help(&cmd_quench, stderr);
		return EXIT_INPUT;
	}
	at = args_read(&cmd_quench, &a, argc, argv);
	if (at <= 0)
		return at ? EXIT_INPUT : EXIT_DONE;
	if (a.version) {
		puts("quench " QUENCH_VERSION);
		return EXIT_DONE;
	}
	c = args_command(&cmd_quench, argv[at]);
	return c ? c->run(argc - at, argv + at) : EXIT_INPUT;
}

const struct args_command cmd_quench = {
	.summary = "a laboratory for lossless Ethernet",
	.about = "A switch and RoCEv2 NICs in software that create, carry, signal and measure "
		 "congestion. One scenario file runs in virtual time and on real ports.\n\n"
		 "The scenarios that come with quench are run by their names. "
		 "They are looked for in the folder `config` of the folder that the "
		 "environment variable QUENCH_DATA names; without it, of share/quench in "
		 "the folder of the program or of its installation.",
	.options = ARGS_OPTIONS(&version_option),
	.operands = ARGS_OPERANDS({.name = "COMMAND", .fill = ARGS_COMMAND},
		{.name = "ARGUMENT", .optional = true, .many = true}),
	.wanted = "name a command",
	.examples = ARGS_WORDS("quench run --list", "quench run first-light",
		"quench run first-light --clock both",
		"quench run first-light --set flows.incast.control=none --out runs/no-control",
		"quench sweep first-light --vary flows.incast.control=none,dcqcn --vary seed=1,2,3",
		"quench check unfairness --dot | dot -Tsvg > topology.svg",
		"quench decode tests/data/linux_softroce_rocev2.pcap --summary",
		"quench import /etc/sonic/config_db.json --out leaf1.yaml",
		"quench reg read RATE_MEM --qp 1"),
	.statuses = ARGS_VERDICT | ARGS_STRICT | ARGS_SIGNAL,
	.commands = commands,
	.run = quench_main,
};
