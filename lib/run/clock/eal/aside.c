// SPDX-License-Identifier: BSD-3-Clause
// Keeps the standard error of libraries aside while a step runs.
//
// libbpf, libxdp and some drivers write there by themselves. The file descriptor is turned to a
// file in memory, so that all of them come to it. If the process dies meanwhile, it must not die
// without its last words: so handlers of fatal signals and of exit() put the descriptor back.
#include "aside.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};

#define FATAL (sizeof(fatal) / sizeof(fatal[0]))

static struct {
	int file, was; // in memory; the standard error as it was
	FILE *stream;
	struct sigaction action[FATAL]; // as they were
	volatile sig_atomic_t on;
	bool at_exit;
} aside;

// Makes only calls that a signal handler may make.
static void show_all(void)
{
	char buf[512];
	ssize_t n;

	if (!aside.on)
		return;
	aside.on = 0;
	dup2(aside.was, STDERR_FILENO);
	for (off_t at = 0; (n = pread(aside.file, buf, sizeof(buf), at)) > 0; at += n)
		if (write(STDERR_FILENO, buf, (size_t)n) != n)
			return;
}

// The signal comes again when this returns, to who had it before.
static void on_fatal(int sig)
{
	show_all();
	for (unsigned i = 0; i < FATAL; i++)
		if (fatal[i] == sig)
			sigaction(sig, &aside.action[i], NULL);
	raise(sig);
}

static void handle(bool on)
{
	const struct sigaction ours = {.sa_handler = on_fatal};

	for (unsigned i = 0; i < FATAL; i++)
		if (on)
			sigaction(fatal[i], &ours, &aside.action[i]);
		else
			sigaction(fatal[i], &aside.action[i], NULL);
}

FILE *aside_begin(void)
{
	if (aside.on)
		return NULL;
	aside.file = memfd_create("stderr", MFD_CLOEXEC);
	aside.was = dup(STDERR_FILENO);
	aside.stream = aside.file < 0 ? NULL : fdopen(dup(aside.file), "w");
	if (!aside.stream || aside.was < 0 || dup2(aside.file, STDERR_FILENO) < 0) {
		if (aside.stream)
			fclose(aside.stream);
		close(aside.file);
		close(aside.was);
		return NULL;
	}
	setvbuf(aside.stream, NULL, _IOLBF, 0);
	if (!aside.at_exit)
		aside.at_exit = atexit(show_all) == 0;
	aside.on = 1;
	handle(true);
	return aside.stream;
}

char *aside_end(void)
{
	char *text = NULL;
	off_t size;

	if (!aside.on)
		return NULL;
	fclose(aside.stream);
	handle(false);
	dup2(aside.was, STDERR_FILENO);
	aside.on = 0;
	size = lseek(aside.file, 0, SEEK_END);
	if (size > 0)
		text = malloc((size_t)size + 1);
	if (text) {
		ssize_t n = pread(aside.file, text, (size_t)size, 0);

		text[n > 0 ? n : 0] = '\0';
	}
	close(aside.was);
	close(aside.file);
	return text;
}
