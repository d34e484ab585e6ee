// SPDX-License-Identifier: BSD-3-Clause
// Signals that end a command: it is told of the first one and ends by itself; the second ends it.
//
// All signals are meant that end a process which does not catch them, and that come from outside.
// A crash sends SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP and SIGSYS, which are not among
// them. SIGPIPE and SIGXFSZ are ignored: write(2) fails instead.
#include "stop.h"

#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum way {
	LEFT,  // to its default action, or to who has it
	STOPS, // the command ends by itself
	QUITS, // at once, as a second signal does: the user wants a core file
};

static volatile sig_atomic_t taken[_NSIG], got, softens;
static atomic_bool soft;  // a first SIGINT, while it softens
static atomic_bool alone; // the flag where no memory can be shared
static atomic_bool *flag;
static pid_t owner;
static void (*volatile last)(void *arg); // before a second signal ends the process
static void *volatile last_arg;

static enum way way_of(int sig)
{
	switch (sig) {
	case SIGHUP:
	case SIGINT:
	case SIGTERM:
	case SIGUSR1:
	case SIGUSR2:
	case SIGALRM:
	case SIGVTALRM:
	case SIGPROF:
	case SIGXCPU:
	case SIGIO:
	case SIGPWR:
#ifdef SIGSTKFLT // some processors' kernels lack it
	case SIGSTKFLT:
#endif
		return STOPS;
	case SIGQUIT:
		return QUITS;
	default:
		return sig >= SIGRTMIN && sig <= SIGRTMAX ? STOPS : LEFT;
	}
}

// The second one. It stays blocked until the handler is left, and then takes its course.
static void on_second(int sig)
{
	if (last)
		last(last_arg);
	signal(sig, SIG_DFL);
	raise(sig);
}

// Handles all that is taken. The mask keeps one handler from interrupting another.
static void handle(void (*handler)(int sig), int flags)
{
	struct sigaction sa = {.sa_handler = handler, .sa_flags = flags};

	for (int sig = 1; sig < _NSIG; sig++)
		if (taken[sig])
			sigaddset(&sa.sa_mask, sig);
	for (int sig = 1; sig < _NSIG; sig++)
		if (taken[sig]) {
			sa.sa_handler = way_of(sig) == QUITS ? on_second : handler;
			sigaction(sig, &sa, NULL);
		}
}

static void on_signal(int sig);

// A driver may have taken a signal since: net_tap has one for each queue. It stays the driver's.
static void leave_drivers(void)
{
	struct sigaction is;

	for (int sig = 1; sig < _NSIG; sig++)
		if (taken[sig] && sigaction(sig, NULL, &is) == 0)
			taken[sig] = is.sa_handler == on_signal || is.sa_handler == on_second;
}

static void on_signal(int sig)
{
	got = sig;
	if (sig == SIGINT && softens) {
		softens = 0;
		atomic_store(&soft, true);
		return;
	}
	atomic_store(flag, true);
	leave_drivers();
	handle(on_second, 0);
	if (taken[SIGXCPU]) // the kernel repeats it each second while the command ends
		signal(SIGXCPU, SIG_IGN);
}

// Whether a signal is ours to take. One that was ignored or handled before stays so: nohup ignores
// SIGHUP, a profiler handles SIGPROF. A shell starts background jobs with SIGINT ignored, and yet a
// user who sends it to one means it.
static bool is_free(int sig)
{
	struct sigaction was;

	if (sig == SIGINT || sig == SIGTERM)
		return true;
	return sigaction(sig, NULL, &was) == 0 && was.sa_handler == SIG_DFL;
}

const atomic_bool *stop_catch(bool reads)
{
	if (flag)
		return flag;
	flag = mmap(NULL, sizeof(*flag), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (flag == MAP_FAILED)
		flag = &alone;
	owner = getpid();
	for (int sig = 1; sig < _NSIG; sig++)
		taken[sig] = way_of(sig) != LEFT && is_free(sig);
	handle(on_signal, reads ? 0 : SA_RESTART);
	return flag;
}

const atomic_bool *stop_soften(bool on)
{
	softens = on;
	return &soft;
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
	for (int sig = 1; sig < _NSIG; sig++)
		if (way_of(sig) != LEFT)
			signal(sig, way_of(sig) == STOPS ? SIG_IGN : SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != owner) // it went before it could be followed
		_exit(1);
}

int stop_status(int status)
{
	return got ? 128 + got : status;
}
