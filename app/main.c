// SPDX-License-Identifier: BSD-3-Clause
// quench: finds the subcommand.
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "tell.h"
#include "term.h"

struct quench_args {
	bool version;
};

static const struct args_option version_option = {.name = "version",
	.letter = 'V',
	.alone = true,
	ARGS_AT(struct quench_args, version),
	.help = "Shows the version."};

static const struct args_command *const commands[] = {&cmd_run, &cmd_check, &cmd_decode,
	&cmd_replay, &cmd_sweep, &cmd_import, &cmd_reg, &cmd_iqcn, &cmd_help, NULL};

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
};

// A block of this size or more is given pages of its own, which cost nothing until they are
// touched. By itself the C library raises this size when a large block is freed, and clears what it
// has had before.
#define OWN_PAGES (32 << 10)

static int quench_main(int argc, char **argv)
{
	struct quench_args a = {0};
	const struct args_command *c;
	int at;

	mallopt(M_MMAP_THRESHOLD, OWN_PAGES);
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

// Nothing that is opened later may take the place of a standard stream that is closed: what is
// written there fails.
static void keep_places(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return;
}

// A full disk or a reader that has gone: what was to be seen was not. A signal's status stays.
static int leave(int status)
{
	bool failed = ferror(stdout);

	errno = 0;
	failed |= !term_flush();
	if (!failed)
		return status;
	if (!errno && putchar('\n') != EOF) // what failed before fails again, and says why
		term_flush();
	if (errno)
		tell("standard output: incomplete: %s", strerror(errno));
	else
		tell("standard output: incomplete");
	return status < 128 ? EXIT_INPUT : status;
}

int main(int argc, char **argv)
{
	keep_places();
	signal(SIGPIPE, SIG_IGN); // write(2) tells instead
	signal(SIGXFSZ, SIG_IGN);
	term_begin();
	return leave(quench_main(argc, argv));
}
