// SPDX-License-Identifier: BSD-3-Clause
// How the machine affects the real clock, from the kernel's /sys.
#include "machine.h"

#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define DRIFT_PPM 100.0 // beyond it a run has broken its timing

// Reads the first line of a file. False: there is none.
__attribute__((format(printf, 4, 5))) static bool line_of(
	const struct eal_machine *m, char *line, size_t size, const char *fmt, ...)
{
	char path[512];
	va_list ap;
	FILE *f;
	int n = snprintf(path, sizeof(path), "%s", m->root);
	bool has;

	va_start(ap, fmt);
	vsnprintf(path + n, sizeof(path) - (size_t)n, fmt, ap);
	va_end(ap);
	f = fopen(path, "r");
	has = f && fgets(line, (int)size, f);
	if (has)
		line[strcspn(line, "\n")] = '\0';
	if (f)
		fclose(f);
	return has;
}

// Whether a list of processors as the kernel writes it ("0-3,8") has this one.
static bool in_list(const char *list, unsigned cpu)
{
	while (*list) {
		char *end;
		unsigned long from = strtoul(list, &end, 10), to = from;

		if (end == list)
			return false;
		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		if (cpu >= from && cpu <= to)
			return true;
		list = *end == ',' ? end + 1 : end;
	}
	return false;
}

static void clock_source(const struct eal_machine *m, struct record_findings *f)
{
	char now[64], found[160];

	if (!line_of(m, now, sizeof(now),
		    "/sys/devices/system/clocksource/clocksource0/current_clocksource")) {
		record_finding_add(f, "machine", "clock source", RECORD_NOTE,
			"the kernel does not say which it has",
			"look at the line \"clock drift\": the scene's clock is the TSC in any "
			"case");
		return;
	}
	snprintf(found, sizeof(found), "the kernel has %s, the scene's clock is the TSC", now);
	if (strcmp(now, "tsc") == 0 || strcmp(now, "kvm-clock") == 0 ||
		strcmp(now, "arch_sys_counter") == 0)
		record_finding_add(f, "machine", "clock source", RECORD_OK, found, NULL);
	else
		record_finding_add(f, "machine", "clock source", RECORD_WARNING, found,
			"see in dmesg why the kernel does not trust the TSC; \"tsc=reliable\" on "
			"the "
			"kernel's command line where it is wrong about that");
}

// Reads the number of free pages and of all pages of a size, in kB. False: the entry is no folder
// of pages.
static bool pages_of(const struct eal_machine *m, const char *entry, unsigned long *kb,
	unsigned long *free_pages, unsigned long *all)
{
	static const char dir[] = "/sys/kernel/mm/hugepages";
	char line[64];

	if (sscanf(entry, "hugepages-%lukB", kb) != 1)
		return false;
	*free_pages = *all = 0;
	if (line_of(m, line, sizeof(line), "%s/%s/free_hugepages", dir, entry))
		*free_pages = strtoul(line, NULL, 10);
	if (line_of(m, line, sizeof(line), "%s/%s/nr_hugepages", dir, entry))
		*all = strtoul(line, NULL, 10);
	return true;
}

static void hugepages(const struct eal_machine *m, struct record_findings *f)
{
	unsigned long kb, pages, all, mb = 0, mb_free = 0;
	char path[512], found[160];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "%s/sys/kernel/mm/hugepages", m->root);
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (pages_of(m, e->d_name, &kb, &pages, &all)) {
			mb += kb * all / 1024;
			mb_free += kb * pages / 1024;
		}
	if (d)
		closedir(d);
	snprintf(found, sizeof(found), "%lu MB free of %lu MB", mb_free, mb);
	if (mb)
		record_finding_add(f, "machine", "hugepages", RECORD_OK, found, NULL);
	else
		record_finding_add(f, "machine", "hugepages", m->pci ? RECORD_WARNING : RECORD_NOTE,
			"none are reserved",
			"echo 512 > /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages; "
			"without them packets lie in ordinary memory");
}

static void isolated(const struct eal_machine *m, unsigned cpu, struct record_findings *f)
{
	char list[1024] = "", subject[32], advice[160];

	snprintf(subject, sizeof(subject), "lcore %u", cpu);
	line_of(m, list, sizeof(list), "/sys/devices/system/cpu/isolated");
	if (in_list(list, cpu)) {
		record_finding_add(f, subject, "isolation", RECORD_OK,
			"the kernel keeps other processes away", NULL);
		return;
	}
	snprintf(advice, sizeof(advice),
		"boot with isolcpus=%u nohz_full=%u rcu_nocbs=%u, and keep interrupts off it", cpu,
		cpu, cpu);
	record_finding_add(f, subject, "isolation", RECORD_NOTE,
		"other processes may run here: loops can be late", advice);
}

static void governor(const struct eal_machine *m, unsigned cpu, struct record_findings *f)
{
	char line[64], subject[32], found[128], advice[160];

	snprintf(subject, sizeof(subject), "lcore %u", cpu);
	if (!line_of(m, line, sizeof(line),
		    "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", cpu)) {
		record_finding_add(f, subject, "governor", RECORD_OK,
			"the kernel sets no frequency here", NULL);
		return;
	}
	snprintf(found, sizeof(found), "%s", line);
	snprintf(advice, sizeof(advice), "cpupower -c %u frequency-set -g performance", cpu);
	record_finding_add(f, subject, "governor",
		strcmp(line, "performance") == 0 ? RECORD_OK : RECORD_WARNING, found, advice);
}

// Looks at the processors that share the core of `cpu`. *ours: whether a worker is among them.
// *other: one that is no worker; -1: there is none.
static void siblings_of(
	const struct eal_machine *m, const char *list, unsigned cpu, bool *ours, int *other)
{
	*ours = false;
	*other = -1;
	for (unsigned c = 0; c < 4096; c++) {
		bool worker = false;

		if (c == cpu || !in_list(list, c))
			continue;
		for (unsigned i = 0; i < m->n_cpus; i++)
			worker |= m->cpu[i] == c;
		*ours |= worker;
		*other = worker ? *other : (int)c;
	}
}

static void siblings(const struct eal_machine *m, unsigned cpu, struct record_findings *f)
{
	char list[256] = "", subject[32], found[300], advice[200];
	bool ours;
	int other;

	snprintf(subject, sizeof(subject), "lcore %u", cpu);
	line_of(m, list, sizeof(list),
		"/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", cpu);
	siblings_of(m, list, cpu, &ours, &other);
	snprintf(found, sizeof(found), "processors %s share a core", list);
	if (ours) {
		record_finding_add(f, subject, "SMT siblings", RECORD_WARNING, found,
			"two workers slow each other down: "
			"give the nodes an lcore each of another core (lcore:)");
	} else if (other >= 0) {
		snprintf(advice, sizeof(advice),
			"keep processor %d idle: echo 0 > /sys/devices/system/cpu/cpu%d/online",
			other, other);
		record_finding_add(f, subject, "SMT siblings", RECORD_NOTE, found, advice);
	} else {
		record_finding_add(
			f, subject, "SMT siblings", RECORD_OK, "it has its core for itself", NULL);
	}
}

void eal_machine_look(const struct eal_machine *m, struct record_findings *f)
{
	clock_source(m, f);
	hugepages(m, f);
	for (unsigned i = 0; i < m->n_cpus; i++) {
		isolated(m, m->cpu[i], f);
		governor(m, m->cpu[i], f);
		siblings(m, m->cpu[i], f);
	}
}

void eal_machine_drift(struct record_findings *f, double ppm, double ms)
{
	char found[128];

	snprintf(found, sizeof(found), "%+.2f ppm against CLOCK_MONOTONIC_RAW in %.0f ms", ppm, ms);
	record_finding_add(f, "machine", "clock drift",
		fabs(ppm) > DRIFT_PPM ? RECORD_WARNING : RECORD_OK, found,
		"the TSC is not steady (power saving, a virtual machine that moved): switch off "
		"deep idle states, or take another machine; --strict refuses such a run");
}
