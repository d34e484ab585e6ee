// SPDX-License-Identifier: BSD-3-Clause
// Signals that end a command: it is told of the first one and ends by itself; the second ends it.
#include "stop.h"

#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define SIGNALS 3

static const int number[SIGNALS] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t taken[SIGNALS], got;
static atomic_bool alone; // the flag where no memory can be shared
static atomic_bool *flag;
static pid_t owner;
static void (*volatile last)(void *arg); // before a second signal ends the process
static void *volatile last_arg;

// The second one. It stays blocked until the handler is left, and then takes its course.
static void on_second(int sig)
{
	if (last)
		last(last_arg);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void on_signal(int sig)
{
	struct sigaction sa = {.sa_handler = on_second};

	got = sig;
	atomic_store(flag, true);
	for (unsigned i = 0; i < SIGNALS; i++)
		sigaddset(&sa.sa_mask, number[i]);
	for (unsigned i = 0; i < SIGNALS; i++)
		if (taken[i])
			sigaction(number[i], &sa, NULL);
}

const atomic_bool *stop_catch(bool reads)
{
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = reads ? 0 : SA_RESTART};
	struct sigaction was;

	if (flag)
		return flag;
	flag = mmap(NULL, sizeof(*flag), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (flag == MAP_FAILED)
		flag = &alone;
	owner = getpid();
	for (unsigned i = 0; i < SIGNALS; i++)
		sigaddset(&sa.sa_mask, number[i]);
	for (unsigned i = 0; i < SIGNALS; i++) {
		if (number[i] == SIGHUP && !sigaction(SIGHUP, NULL, &was) &&
			was.sa_handler == SIG_IGN)
			continue;
		taken[i] = 1;
		sigaction(number[i], &sa, NULL);
	}
	return flag;
}

void stop_last(void (*fn)(void *arg), void *arg)
{
	last = NULL;
	last_arg = arg;
	last = fn;
}

void stop_follow(void)
{
	last = NULL;
	for (unsigned i = 0; i < SIGNALS; i++)
		signal(number[i], SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != owner) // it went before it could be followed
		_exit(1);
}

int stop_status(int status)
{
	return got ? 128 + got : status;
}
