// SPDX-License-Identifier: BSD-3-Clause
// Which arguments a run gives to DPDK.
#include "args.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MB 1048576u

bool eal_pci(const char *device, char *name, size_t size)
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

static void add_arg(struct eal_args *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add_arg(struct eal_args *a, const char *fmt, ...)
{
	size_t left = sizeof(a->text) - a->used;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(a->text + a->used, left, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= left || a->argc >= EAL_ARGS - 1) {
		a->used = sizeof(a->text); // the rest does not fit either
		a->argc = EAL_ARGS;
		return;
	}
	a->argv[a->argc++] = a->text + a->used;
	a->used += (size_t)n + 1;
}

bool eal_given(const struct eal_params *p, const char *names)
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

// A worker lcore has the number of its processor. The main lcore, which mostly sleeps, has the
// first allowed processor to itself; where every processor is to work, it shares the first.
static void add_lcores(struct eal_args *a, const struct eal_params *p)
{
	char list[2048];
	unsigned workers = p->n_workers;
	bool shares;
	int n = 0;

	if (eal_given(p, EAL_LCORES) || !p->n_cpus)
		return;
	if (!workers)
		workers = p->n_cpus > 1 ? p->n_cpus - 1 : 1;
	shares = workers >= p->n_cpus;
	for (unsigned i = 0; i < workers + !shares && n < (int)sizeof(list) - 16; i++)
		n += snprintf(list + n, sizeof(list) - (size_t)n, "%s%u@%u", i ? "," : "",
			p->cpu[i], p->cpu[i]);
	if (shares)
		snprintf(
			list + n, sizeof(list) - (size_t)n, ",%u@%u", RTE_MAX_LCORE - 1, p->cpu[0]);
	add_arg(a, "--lcores=%s", list);
	add_arg(a, "--main-lcore=%u", shares ? RTE_MAX_LCORE - 1 : p->cpu[0]);
}

static bool add_pci(struct eal_args *a, const struct scene *s)
{
	char name[16];
	bool any = false;

	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned k = 0; k < s->node[i].n_ports; k++) {
			const char *device = s->node[i].port[k].device;

			if (!device || !eal_pci(device, name, sizeof(name)))
				continue;
			add_arg(a, "--allow=%s%s", name, device + strcspn(device, ","));
			any = true;
		}
	return any;
}

int eal_compose(struct eal_args *a, const struct eal_params *p)
{
	*a = (struct eal_args){0};
	add_arg(a, "%s", p->program ? p->program : "quench");
	add_lcores(a, p);
	if (!eal_given(p, "--file-prefix"))
		add_arg(a, "--file-prefix=quench-%u", p->pid);
	if (!add_pci(a, p->scene) && !eal_given(p, "--no-pci -a --allow -b --block"))
		add_arg(a, "--no-pci");
	// --in-memory and --no-huge exclude each other; --no-shconf leaves no files either
	if (p->no_huge) {
		if (!eal_given(p, "--no-huge"))
			add_arg(a, "--no-huge");
		if (!eal_given(p, "--no-shconf"))
			add_arg(a, "--no-shconf");
		if (!eal_given(p, "-m"))
			add_arg(a, "-m"),
				add_arg(a, "%lu", (unsigned long)(p->need_bytes / MB + 1));
	} else if (!eal_given(p, "--in-memory --huge-dir --legacy-mem --huge-unlink")) {
		add_arg(a, "--in-memory");
	} else if (!eal_given(p, "--in-memory --huge-unlink")) {
		add_arg(a, "--huge-unlink"); // else its files keep hugepages, after SIGKILL all
	}
	if (p->no_telemetry && !eal_given(p, "--telemetry --no-telemetry"))
		add_arg(a, "--no-telemetry");
	if (!eal_given(p, "--log-level"))
		add_arg(a, "--log-level=error");
	for (int i = 0; i < p->n_user; i++)
		add_arg(a, "%s", p->user[i]);
	return a->argc < EAL_ARGS ? 0 : -E2BIG;
}
