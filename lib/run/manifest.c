// SPDX-License-Identifier: BSD-3-Clause
// manifest.json: what was run, and apart from it where and how long.
#include "run/record_own.h"

#include <sys/utsname.h>
#include <unistd.h>

#include "run/jw.h"

// The processor's name as the kernel tells it; empty where it does not.
static void cpu_name(char *name, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	char line[256];

	name[0] = '\0';
	while (f && fgets(line, sizeof(line), f)) {
		char *value = strchr(line, ':');

		if (strncmp(line, "model name", 10) || !value)
			continue;
		value += strspn(value, ": \t");
		value[strcspn(value, "\n")] = '\0';
		snprintf(name, size, "%s", value);
		break;
	}
	if (f)
		fclose(f);
}

static void put_here(struct jw *w, const struct record *r, const struct record_run *run)
{
	struct utsname u = {0};
	char cpu[128];

	uname(&u);
	cpu_name(cpu, sizeof(cpu));
	jw_object(w, "here", false);
	jw_str(w, "command", r->command ? r->command : "");
	jw_str(w, "host", u.nodename);
	jw_str(w, "kernel", u.release);
	jw_str(w, "architecture", u.machine);
	jw_str(w, "cpu", cpu);
	jw_u64(w, "cores", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	jw_num(w, "wall_s", run->wall_s, 6);
	jw_num(w, "cpu_s", run->cpu_s, 6);
	jw_end(w);
}

int manifest_write(const struct record *r, const struct record_run *run, struct err *err)
{
	const struct scene *s = r->scene;
	char path[4096];
	struct out o;
	struct jw w;
	int code;

	snprintf(path, sizeof(path), "%s/manifest.json", r->dir);
	code = out_open(&o, path, err);
	if (code)
		return code;
	jw_init(&w, &o);
	jw_object(&w, NULL, false);
	jw_str(&w, "program", "quench");
	jw_str(&w, "version", QUENCH_VERSION);
	jw_str(&w, "name", s->name);
	jw_str(&w, "scenario", s->path ? s->path : "");
	jw_str(&w, "clock", run->clock);
	jw_u64(&w, "dilate", run->dilate ? run->dilate : 1);
	jw_u64(&w, "seed", s->seed);
	jw_num(&w, "duration_us", (double)s->duration / PS_PER_US, 6);
	jw_num(&w, "warmup_us", (double)s->warmup / PS_PER_US, 6);
	jw_num(&w, "end_us", (double)run->end / PS_PER_US, 6);
	jw_bool(&w, "interrupted", run->interrupted);
	if (*run->crash)
		jw_str(&w, "crash", run->crash);
	jw_str(&w, "resolved", s->resolved ? s->resolved : "");
	put_here(&w, r, run);
	jw_end(&w);
	return out_close(&o, err);
}
