// SPDX-License-Identifier: BSD-3-Clause
// quench: prepares the process before a command runs, and cleans up at the end.
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cmd/cmd.h"

// A block of this size or larger gets pages of its own, which cost nothing until they are touched.
// Without this the C library raises this size when a large block is freed, and clears memory that
// was used before. It also keeps 128 KiB behind the heap, and clears them for a block that fits.
#define OWN_PAGES (32 << 10)

// Opens /dev/null in place of standard streams that are closed, so that no later file takes their
// number. Writing to them fails.
static void keep_places(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return;
}

// Flushes the output and reports if some of it could not be written: a full disk, or a reader that
// has gone. Returns the exit status; the status of a signal stays.
static int leave_program(int status)
{
	bool failed = ferror(stdout);

	errno = 0;
	failed |= !term_flush();
	if (!failed)
		return status;
	if (!errno && putchar('\n') != EOF) // an earlier error comes again, and says why
		term_flush();
	if (errno)
		tell("standard output: incomplete: %s", strerror(errno));
	else
		tell("standard output: incomplete");
	return status < 128 ? EXIT_INPUT : status;
}

int main(int argc, char **argv)
{
	mallopt(M_MMAP_THRESHOLD, OWN_PAGES);
	mallopt(M_TOP_PAD, OWN_PAGES);
	keep_places();
	signal(SIGPIPE, SIG_IGN); // write(2) tells instead
	signal(SIGXFSZ, SIG_IGN);
	term_begin();
	return leave_program(cmd_quench.run(argc, argv));
}
