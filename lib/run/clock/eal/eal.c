// SPDX-License-Identifier: BSD-3-Clause
// EAL: its start, its log, its end.
#include "eal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>

#include "args.h"
#include "aside.h"
#include "intr.h"

#define MB 1048576u

static struct {
	bool aside;         // a step runs that may fail
	bool hushes;        // between steps librte_vhost tells no errors
	char *text;         // of the last one
	cpu_set_t affinity; // of the calling thread before EAL pins it
	bool known;         // the affinity is known
} eal;

uint64_t eal_hugepages(void)
{
	static const char dir[] = "/sys/kernel/mm/hugepages";
	DIR *d = opendir(dir);
	struct dirent *e;
	uint64_t bytes = 0;

	while (d && (e = readdir(d))) {
		char path[400];
		unsigned long kb, n = 0;
		FILE *f;

		if (sscanf(e->d_name, "hugepages-%lukB", &kb) != 1)
			continue;
		snprintf(path, sizeof(path), "%s/%s/free_hugepages", dir, e->d_name);
		f = fopen(path, "r");
		if (f && fscanf(f, "%lu", &n) == 1)
			bytes += (uint64_t)n * kb * 1024;
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
	return bytes;
}

unsigned eal_cpus(unsigned *cpu, unsigned max)
{
	cpu_set_t set;
	unsigned n = 0;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 0;
	for (unsigned i = 0; i < CPU_SETSIZE && i < RTE_MAX_LCORE - 1 && n < max; i++)
		if (CPU_ISSET(i, &set))
			cpu[n++] = i;
	return n;
}

// Silences the errors of librte_vhost. It logs one each time that somebody asks for counters while
// no peer is there. During a step its errors are kept, because they are the reason for a failure.
static void hush_vhost(bool on)
{
	if (eal.hushes)
		rte_log_set_level_pattern("lib.vhost.config", on ? RTE_LOG_CRIT : RTE_LOG_ERR);
}

void eal_log_begin(void)
{
	FILE *stream = aside_begin();

	hush_vhost(false);
	eal.aside = stream != NULL;
	if (stream)
		rte_openlog_stream(stream);
}

// Returns whether a line is chatter. libbpf and libxdp write much; a line of theirs counts as the
// reason only if nobody else gives one.
static bool is_chatter(const char *line)
{
	return strncmp(line, "libbpf: ", 8) == 0 || strncmp(line, "libxdp: ", 8) == 0;
}

// Whether a line says no more than that the step failed.
static bool is_echo(const char *line)
{
	static const char *const echo[] = {"EAL: Failed to attach device",
		"EAL: Driver cannot attach the device", "EAL: Invalid 'command line' arguments",
		"EAL: FATAL: Invalid 'command line' arguments"};

	for (unsigned i = 0; i < sizeof(echo) / sizeof(echo[0]); i++)
		if (strncmp(line, echo[i], strlen(echo[i])) == 0)
			return true;
	return false;
}

// Returns the line that says most about why a step failed. Other lines that say something are shown
// before it.
static char *reason(char *text, bool failed)
{
	char *best = NULL, *rest = text;

	for (char *s = text; *s; s += strcspn(s, "\n") + (s[strcspn(s, "\n")] == '\n'))
		if (*s != '\n' && (!best || (is_chatter(best) && !is_chatter(s))))
			best = s;
	for (char *line; (line = strsep(&rest, "\n"));)
		if (failed && *line && line != best && !is_echo(line))
			fprintf(stderr, "%s\n", line);
	return best;
}

const char *eal_log_end(bool failed)
{
	char *line, *words;

	hush_vhost(true);
	if (!eal.aside)
		return "";
	eal.aside = false;
	rte_openlog_stream(NULL);
	free(eal.text);
	eal.text = aside_end();
	line = eal.text ? reason(eal.text, failed) : NULL;
	if (!line)
		return "";
	words = strstr(line, "): "); // "function(): words"
	if (words)
		return words + strlen("): ");
	return strncmp(line, "EAL: ", 5) == 0 ? line + 5 : line;
}

// Hides the list of options, a hundred lines, that EAL prints if it does not know an option. -1:
// the list stays.
static int usage_off(const struct eal_params *p)
{
	int null, was = -1;

	if (eal_given(p, "-h --help"))
		return -1;
	fflush(stdout);
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null >= 0)
		was = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	if (was >= 0)
		dup2(null, STDOUT_FILENO);
	if (null >= 0)
		close(null);
	return was;
}

static void usage_on(int was)
{
	if (was < 0)
		return;
	fflush(stdout);
	dup2(was, STDOUT_FILENO);
	close(was);
}

static int without_dot(const char *words)
{
	size_t n = strlen(words);

	return (int)(n && words[n - 1] == '.' ? n - 1 : n);
}

int eal_start(const struct eal_params *params, struct err *err)
{
	static const char own[] =
		"; what stands behind `--` is for DPDK's EAL: `-- --help` shows its options";
	struct eal_args a;
	const char *words;
	int stdout_was, rc = eal_compose(&a, params);

	if (rc)
		return err_set(err, rc, "too many EAL arguments");
	eal.known = sched_getaffinity(0, sizeof(eal.affinity), &eal.affinity) == 0;
	stdout_was = usage_off(params);
	eal_log_begin();
	rc = rte_eal_init(a.argc, a.argv);
	words = eal_log_end(rc < 0);
	usage_on(stdout_was);
	eal.hushes = !eal_given(params, "--log-level");
	hush_vhost(true);
	if (rc < 0)
		return err_set(err, -EIO, "DPDK does not start: %s%s%.*s%s",
			rte_strerror(rte_errno), *words ? ": " : "", without_dot(words), words,
			rte_errno == EINVAL && params->n_user ? own : "");
	if (rc + 1 < a.argc) { // it has taken the options, and put what is none behind them
		eal_stop();
		return err_set(err, -EINVAL, "'%s' is no option%s", a.argv[rc + 1], own);
	}
	return 0;
}

const cpu_set_t *eal_cpus_before(void)
{
	return eal.known ? &eal.affinity : NULL;
}

bool eal_runtime(char *dir, size_t size)
{
	const char *xdg = getenv("XDG_RUNTIME_DIR");

	snprintf(dir, size, "%s/dpdk", getuid() == 0 ? "/var/run" : xdg ? xdg : "/tmp");
	mkdir(dir, 0700);
	return access(dir, W_OK | X_OK) == 0;
}

// DPDK leaves files in this folder. With --in-memory and --no-shconf it leaves its socket alone,
// which exit() removes. A process that is killed does not call exit(), and leaves our socket, too.
static void remove_runtime(const char *dir)
{
	static const char *const begins[] = {"dpdk_telemetry", "config", "fbarray_",
		"hugepage_info", "mp_socket", "quench_control"};
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		for (unsigned i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
			if (!strncmp(e->d_name, begins[i], strlen(begins[i])))
				unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(dir);
}

void eal_sweep(const char *parent)
{
	DIR *d = opendir(parent);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char dir[512];
		int pid, used = 0;

		if (sscanf(e->d_name, "quench-%d%n", &pid, &used) != 1 || e->d_name[used] ||
			pid <= 0 || kill(pid, 0) == 0 || errno != ESRCH)
			continue;
		snprintf(dir, sizeof(dir), "%s/%s", parent, e->d_name);
		remove_runtime(dir);
	}
	if (d)
		closedir(d);
}

static void stop(bool cleanup)
{
	char dir[256];

	snprintf(dir, sizeof(dir), "%s", rte_eal_get_runtime_dir());
	eal_log_begin();
	if (cleanup) {
		intr_park();
		rte_eal_cleanup();
	}
	eal_log_end(false);
	remove_runtime(dir);
	if (eal.known)
		pthread_setaffinity_np(pthread_self(), sizeof(eal.affinity), &eal.affinity);
	free(eal.text);
	eal.text = NULL;
}

void eal_stop(void)
{
	stop(true);
}

void eal_abandon(void)
{
	stop(false);
}
