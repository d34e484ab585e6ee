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

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{"run", cmd_run, "run a scenario in virtual time or on poll-mode lcores"},
	{"check", cmd_check, "show a scenario with every value resolved, or what is wrong with it"},
	{"decode", cmd_decode, "read a capture: PFC, CNP, CNM, CN-TAG, RoCEv2, ICRC verdicts"},
	{"replay", cmd_replay,
		"send a capture through a scenario or onto a port with its own timing"},
	{"sweep", cmd_sweep, "run many scenarios or values in virtual time: one table"},
	{"import", cmd_import, "turn a SONiC switch's config_db.json into a scenario"},
	{"reg", cmd_reg, "read and write the RDMA IP's registers in a running instance"},
	{"iqcn", cmd_iqcn, "list the flows that switches with iQCN know in a running instance"},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void help(FILE *f)
{
	fputs("quench: a laboratory for lossless Ethernet\n\nusage: quench COMMAND ...\n\n", f);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(f, "  %-8s %s\n", commands[i].name, commands[i].help);
	fputs("\nexamples:\n"
	      "  quench run --list\n"
	      "  quench run first-light\n"
	      "  quench run first-light --clock both\n"
	      "  quench run first-light --set flows.incast.control=none --out runs/no-control\n"
	      "  quench sweep first-light --vary flows.incast.control=none,dcqcn --vary seed=1,2,3\n"
	      "  quench check unfairness --dot | dot -Tsvg > topology.svg\n"
	      "  quench decode tests/data/linux_softroce_rocev2.pcap --summary\n"
	      "  quench import /etc/sonic/config_db.json --out leaf1.yaml\n"
	      "  quench reg read RATE_MEM --qp 1\n"
	      "\n`quench COMMAND --help` tells more.\n",
		f);
}

// A block of this size or more is given pages of its own, which cost nothing until they are touched. By itself
// the C library raises this size when a large block is freed, and clears what it has had before.
#define OWN_PAGES (32 << 10)

static int run(int argc, char **argv)
{
	mallopt(M_MMAP_THRESHOLD, OWN_PAGES);
	if (argc < 2) {
		help(stderr);
		return EXIT_INPUT;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		help(stdout);
		return EXIT_DONE;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("quench " QUENCH_VERSION);
		return EXIT_DONE;
	}
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	fprintf(stderr,
		"quench: '%s' is no command; run, check, decode, replay, sweep, import, reg and iqcn are\n",
		argv[1]);
	return EXIT_INPUT;
}

// Nothing that is opened later may take the place of a standard stream that is closed: what is written there fails.
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
	failed |= fflush(stdout) != 0;
	if (!failed)
		return status;
	if (!errno && putchar('\n') != EOF) // what failed before fails again, and says why
		fflush(stdout);
	if (errno)
		fprintf(stderr, "standard output: incomplete: %s\n", strerror(errno));
	else
		fputs("standard output: incomplete\n", stderr);
	return status < 128 ? EXIT_INPUT : status;
}

int main(int argc, char **argv)
{
	keep_places();
	signal(SIGPIPE, SIG_IGN); // write(2) tells instead
	signal(SIGXFSZ, SIG_IGN);
	return leave(run(argc, argv));
}
