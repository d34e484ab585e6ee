// SPDX-License-Identifier: BSD-3-Clause
// EAL: which arguments a run gives to DPDK, its start, its words kept aside, its end.
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
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

#include "eal.h"

#define MB 1048576u

static struct {
	FILE *stream; // what DPDK logs while a step runs that may fail
	char *text;
	size_t size;
	cpu_set_t affinity; // of the calling thread before EAL pins it
} eal;

uint64_t rt_eal_hugepages(void)
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

unsigned rt_eal_cpus(unsigned *cpu, unsigned max)
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

bool rt_eal_pci(const char *device, char *name, size_t size)
{
	unsigned domain = 0, bus, dev, fn;
	int used = 0;

	if (sscanf(device, "%4x:%2x:%2x.%1x%n", &domain, &bus, &dev, &fn, &used) != 4 || !used) {
		domain = 0;
		used = 0;
		if (sscanf(device, "%2x:%2x.%1x%n", &bus, &dev, &fn, &used) != 3 || !used)
			return false;
	}
	if (device[used] != '\0' && device[used] != ',')
		return false;
	snprintf(name, size, "%04x:%02x:%02x.%x", domain, bus, dev, fn);
	return true;
}

static void add_arg(struct rt_eal_args *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add_arg(struct rt_eal_args *a, const char *fmt, ...)
{
	size_t left = sizeof(a->text) - a->used;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(a->text + a->used, left, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= left || a->argc >= RT_EAL_ARGS - 1) {
		a->used = sizeof(a->text); // what follows does not fit either
		a->argc = RT_EAL_ARGS;
		return;
	}
	a->argv[a->argc++] = a->text + a->used;
	a->used += (size_t)n + 1;
}

// Whether the user gave one of the options in `names` (separated by blanks; "-l" also as "-l0,1").
static bool given(const struct rt_eal_params *p, const char *names)
{
	for (int i = 0; i < p->n_user; i++)
		for (const char *s = names; *s;) {
			size_t n = strcspn(s, " ");
			const char *u = p->user[i];
			bool is_long = n > 2;

			if (strncmp(u, s, n) == 0 && (!is_long || u[n] == '\0' || u[n] == '='))
				return true;
			s += n + (s[n] == ' ');
		}
	return false;
}

// Every allowed processor is the worker lcore of its own number; the main lcore, which mostly
// sleeps, shares the first processor with none where there are two or more.
static void add_lcores(struct rt_eal_args *a, const struct rt_eal_params *p)
{
	char list[2048];
	int n = 0;

	if (given(p, "-l -c --lcores") || !p->n_cpus)
		return;
	if (p->n_cpus == 1) {
		add_arg(a, "--lcores=%u@%u,%u@%u", p->cpu[0], p->cpu[0], RTE_MAX_LCORE - 1,
			p->cpu[0]);
		add_arg(a, "--main-lcore=%u", RTE_MAX_LCORE - 1);
		return;
	}
	for (unsigned i = 0; i < p->n_cpus && n < (int)sizeof(list) - 8; i++)
		n += snprintf(list + n, sizeof(list) - (size_t)n, "%s%u", i ? "," : "", p->cpu[i]);
	add_arg(a, "--lcores=%s", list);
	add_arg(a, "--main-lcore=%u", p->cpu[0]);
}

static bool add_pci(struct rt_eal_args *a, const struct scene *s)
{
	char name[16];
	bool any = false;

	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned k = 0; k < s->node[i].n_ports; k++) {
			const char *device = s->node[i].port[k].device;

			if (!device || !rt_eal_pci(device, name, sizeof(name)))
				continue;
			add_arg(a, "--allow=%s%s", name, device + strcspn(device, ","));
			any = true;
		}
	return any;
}

int rt_eal_compose(struct rt_eal_args *a, const struct rt_eal_params *p)
{
	*a = (struct rt_eal_args){0};
	add_arg(a, "%s", p->program ? p->program : "quench");
	add_lcores(a, p);
	if (!given(p, "--file-prefix"))
		add_arg(a, "--file-prefix=quench-%u", p->pid);
	if (!add_pci(a, p->scene) && !given(p, "--no-pci -a --allow -b --block"))
		add_arg(a, "--no-pci");
	// --in-memory and --no-huge exclude each other; --no-shconf leaves no files either
	if (p->no_huge) {
		if (!given(p, "--no-huge"))
			add_arg(a, "--no-huge");
		if (!given(p, "--no-shconf"))
			add_arg(a, "--no-shconf");
		if (!given(p, "-m"))
			add_arg(a, "-m"),
				add_arg(a, "%lu", (unsigned long)(p->need_bytes / MB + 1));
	} else if (!given(p, "--in-memory --huge-dir --legacy-mem --huge-unlink")) {
		add_arg(a, "--in-memory");
	}
	if (p->no_telemetry && !given(p, "--telemetry --no-telemetry"))
		add_arg(a, "--no-telemetry");
	if (!given(p, "--log-level"))
		add_arg(a, "--log-level=error");
	for (int i = 0; i < p->n_user; i++)
		add_arg(a, "%s", p->user[i]);
	return a->argc < RT_EAL_ARGS ? 0 : -E2BIG;
}

void rt_eal_log_begin(void)
{
	free(eal.text);
	eal.text = NULL;
	eal.stream = open_memstream(&eal.text, &eal.size);
	if (eal.stream)
		rte_openlog_stream(eal.stream);
}

const char *rt_eal_log_end(void)
{
	char *line, *words;

	if (!eal.stream)
		return "";
	rte_openlog_stream(NULL);
	fclose(eal.stream);
	eal.stream = NULL;
	if (!eal.text)
		return "";
	line = eal.text;
	line[strcspn(line, "\n")] = '\0';
	words = strstr(line, "): "); // "function(): words"
	if (words)
		return words + strlen("): ");
	return strncmp(line, "EAL: ", 5) == 0 ? line + 5 : line;
}

int rt_eal_start(const struct rt_eal_params *params, struct err *err)
{
	struct rt_eal_args a;
	const char *words;
	int rc = rt_eal_compose(&a, params);

	if (rc)
		return err_set(err, rc, "too many EAL arguments");
	sched_getaffinity(0, sizeof(eal.affinity), &eal.affinity);
	rt_eal_log_begin();
	rc = rte_eal_init(a.argc, a.argv);
	words = rt_eal_log_end();
	if (rc < 0)
		return err_set(err, -EIO, "DPDK does not start: %s%s%s", rte_strerror(rte_errno),
			*words ? ": " : "", words);
	return 0;
}

bool rt_eal_runtime(char *dir, size_t size)
{
	const char *xdg = getenv("XDG_RUNTIME_DIR");

	snprintf(dir, size, "%s/dpdk", getuid() == 0 ? "/var/run" : xdg ? xdg : "/tmp");
	mkdir(dir, 0700);
	return access(dir, W_OK | X_OK) == 0;
}

// --in-memory and --no-shconf leave nothing there but the socket, which DPDK removes at exit only.
static void remove_runtime(const char *dir)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/dpdk_telemetry.v2", dir);
	unlink(path);
	rmdir(dir);
}

void rt_eal_sweep(const char *parent)
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

void rt_eal_stop(void)
{
	char dir[256];

	snprintf(dir, sizeof(dir), "%s", rte_eal_get_runtime_dir());
	rte_eal_cleanup();
	remove_runtime(dir);
	pthread_setaffinity_np(pthread_self(), sizeof(eal.affinity), &eal.affinity);
	free(eal.text);
	eal.text = NULL;
}
