// SPDX-License-Identifier: BSD-3-Clause
// manifest.json: the run's description, and separately on which machine and how long it ran.
#include "int.h"

#include <errno.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "out/out.h"

#define DEVICE_BYTES 8192 // that a port's self-test takes at most

// Reads the name of the processor; empty if the kernel does not say it.
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

// "2026-11-27T12:00:00.123456789Z" (RFC 3339).
static void put_started(struct jw *w, uint64_t ns)
{
	time_t s = (time_t)(ns / 1000000000);
	char date[32], text[64];
	struct tm tm;

	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", gmtime_r(&s, &tm));
	snprintf(text, sizeof(text), "%s.%09uZ", date, (unsigned)(ns % 1000000000));
	jw_str(w, "started", text);
}

// Writes the numbers of this process and of the processes at its cut links. They tell which folders
// belong to one run.
static void put_processes(struct jw *w, const struct scene *s, const struct record_run *run)
{
	if (!run->process)
		return;
	jw_u64(w, "process", run->process);
	jw_bool(w, "hellos_signed", run->hellos_signed);
	jw_object(w, "peers", true);
	for (unsigned i = 0; i < run->n_devices; i++) {
		const struct record_device *d = &run->device[i];

		if (d->peer_process)
			jw_u64(w, s->node[d->node].port[d->port].name, d->peer_process);
	}
	jw_end(w);
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
	if (r->begin_ns)
		put_started(w, r->begin_ns);
	put_processes(w, r->scene, run);
	jw_u64(w, "cores", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	jw_num(w, "wall_s", run->wall_s, 6);
	jw_num(w, "cpu_s", run->cpu_s, 6);
	if (run->self_test)
		record_finding_put(w, "self_test", run->self_test);
	jw_end(w);
}

// Bytes that the file takes at most: all but the texts, which are given by now, is short.
static off_t most_bytes(const struct record *r)
{
	const struct scene *s = r->scene;
	size_t n = 16384 + 6 * (strlen(s->name) + strlen(r->command));

	n += s->path ? 6 * strlen(s->path) : 0;
	n += s->part ? strlen(s->part) : 0;
	for (unsigned i = 0; s->part && i < s->n_nodes + s->n_elsewhere; i++)
		n += 2 * (strlen(s->node[i].name) + 16); // indented, in two lists
	for (unsigned i = 0; s->draws_qp_numbers && i < s->n_nodes + s->n_elsewhere; i++)
		n += strlen(s->node[i].name) + 64;
	n += 16 * strlen(s->resolved); // JSON has quotes, braces and more, and paths of sources
	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned p = 0; p < s->node[i].n_ports; p++)
			n += s->node[i].port[p].device ? DEVICE_BYTES : 0;
	for (unsigned i = 0; i < s->n_plugins; i++)
		n += 512 + 6 * strlen(s->plugin[i]->guest->file);
	for (unsigned i = 0; i < s->n_sizes; i++)
		n += s->sizes[i]->file ? 128 + 6 * strlen(s->sizes[i]->file) : 0;
	return (off_t)n;
}

int manifest_open(struct record *r, struct err *err)
{
	char path[4096];
	int code;

	snprintf(path, sizeof(path), "%s/manifest.json", r->dir);
	code = out_open(&r->manifest, path, err);
	if (code)
		return code;
	code = record_room_take(r->manifest.fd, most_bytes(r));
	return code ? err_set(err, code, "%s: no room for results: %s", path, strerror(-code)) : 0;
}

static void put_missing(struct jw *w, const struct record *r)
{
	if (!r->n_missing)
		return;
	jw_array(w, "missing", false);
	for (unsigned i = 0; i < r->n_missing; i++)
		jw_str(w, NULL, r->missing[i]);
	jw_end(w);
}

// The nodes by their numbers, for free(); NULL at the number of a lane. NULL: no memory.
static const struct scene_node **nodes_by_number(const struct scene *s)
{
	unsigned n = s->n_nodes + s->n_elsewhere;
	const struct scene_node **by = calloc(n + 1ul, sizeof(const struct scene_node *));

	for (unsigned i = 0; by && i < n; i++)
		if (!s->node[i].lane)
			by[s->node[i].number] = &s->node[i];
	return by;
}

// An external host is run by nobody of ours, so it is a node of no part.
static void put_nodes(struct jw *w, const char *key, const struct scene *s,
	const struct scene_node *const *by, bool all)
{
	jw_array(w, key, true);
	for (unsigned i = 0; i < s->n_nodes + s->n_elsewhere; i++)
		if (by[i] && !by[i]->external && (all || by[i] - s->node < s->n_nodes))
			jw_str(w, NULL, by[i]->name);
	jw_end(w);
}

// The nodes that this part ran, and the digests that all parts have in common.
static void put_part(struct jw *w, const struct scene *s, const struct scene_node *const *by)
{
	char hex[2 * SCENE_DIGEST + 1];

	if (!s->part)
		return;
	jw_str(w, "part", s->part);
	put_nodes(w, "part_nodes", s, by, false);
	put_nodes(w, "nodes", s, by, true);
	jw_object(w, "digests", false);
	for (unsigned i = 0; i < SCENE_SECTIONS; i++) {
		for (unsigned k = 0; k < SCENE_DIGEST; k++)
			snprintf(hex + 2 * k, 3, "%02x", s->digest[i][k]);
		jw_str(w, scene_section_name[i], hex);
	}
	jw_end(w);
}

// Code that is not ours: another file, another run.
static void put_plugins(struct jw *w, const struct scene *s)
{
	if (!s->n_plugins)
		return;
	jw_array(w, "plugins", false);
	for (unsigned i = 0; i < s->n_plugins; i++) {
		jw_object(w, NULL, true);
		jw_str(w, "control", s->plugin[i]->control);
		jw_str(w, "file", s->plugin[i]->guest->file);
		jw_str(w, "name", s->plugin[i]->guest->name);
		jw_str(w, "sha256", s->plugin[i]->guest->sha256);
		jw_end(w);
	}
	jw_end(w);
}

// Writes the files of distributions, each once.
static void put_sizes(struct jw *w, const struct scene *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_sizes; i++) {
		if (!s->sizes[i]->file)
			continue;
		if (!n++)
			jw_array(w, "sizes", false);
		jw_object(w, NULL, true);
		jw_str(w, "file", s->sizes[i]->file);
		jw_str(w, "sha256", s->sizes[i]->sha256);
		jw_end(w);
	}
	if (n)
		jw_end(w);
}

// Writes the drawn QPNs and PSNs, host by host, as frames on the wire have them.
static void put_numbers(struct jw *w, const struct scene *s, const struct scene_node *const *by)
{
	if (!s->qp_numbers)
		return;
	jw_object(w, "qp_numbers", false);
	for (unsigned i = 0; i < s->n_nodes + s->n_elsewhere; i++) {
		const struct scene_node *n = by[i];

		if (!n || n->kind != SCENE_NIC || !n->n_qps)
			continue;
		jw_object(w, n->name, true);
		jw_u64(w, "qpn_base", n->u.nic.qpn_base);
		jw_u64(w, "first_psn", n->first_psn);
		jw_end(w);
	}
	jw_end(w);
}

// The number that the run has drawn, so that another run from this file has the same.
static void set_drawn(struct arena *a, const struct yamldoc_node *doc, const struct scene *s)
{
	for (unsigned i = 0; s->draws_qp_numbers && s->qp_numbers && i < doc->n; i++)
		if (!strcmp(doc->item[i].key->text, "qp_numbers"))
			doc->item[i].value->text =
				arena_format(a, "%llu", (unsigned long long)s->qp_numbers);
}

// Writes the YAML of `quench check` as an object, and the places from which its values come, which
// that text has in comments.
static int put_resolved(struct jw *w, const struct scene *s, struct err *err)
{
	struct record_resolved r;
	struct arena a = {0};
	int code = record_resolved_read(&a, &r, s->resolved, err);

	if (code) {
		jw_null(w, "resolved");
	} else {
		set_drawn(&a, r.doc, s);
		jwdoc_put(w, "resolved", r.doc);
		record_origins(w, &r);
	}
	arena_free(&a);
	return code;
}

// Writes what was done to the run: `by` whom, and the event that does it again.
static void put_done(struct jw *w, const struct record_done *d)
{
	struct yamldoc_node *action;
	struct arena a = {0};
	struct err err;
	char at[32];

	jw_object(w, NULL, false);
	jw_str(w, "by", d->by);
	jw_object(w, "event", true);
	snprintf(at, sizeof(at), "%llups", (unsigned long long)d->at);
	jw_str(w, "at", at);
	if (!yamldoc_parse_own(&a, &action, "action", d->action, strlen(d->action), &err))
		for (unsigned i = 0; i < action->n; i++)
			jwdoc_put(w, action->item[i].key->text, action->item[i].value);
	arena_free(&a);
	jw_end(w);
	jw_end(w);
}

int record_manifest(struct record *r, const struct record_run *run, struct err *err)
{
	const struct scene *s = r->scene;
	const struct scene_node **by = nodes_by_number(s);
	struct err late; // of closing, where another came before
	struct jw w;
	off_t end;
	int code;

	if (!by)
		return err_set(err, -ENOMEM, "no memory for %s/manifest.json", r->dir);
	jw_init(&w, &r->manifest);
	jw_object(&w, NULL, false);
	jw_str(&w, "program", "quench");
	jw_str(&w, "version", QUENCH_VERSION);
	jw_str(&w, "name", s->name);
	jw_str(&w, "scenario", s->path ? s->path : "");
	jw_str(&w, "clock", run->clock);
	put_part(&w, s, by);
	jw_u64(&w, "dilate", run->dilate ? run->dilate : 1);
	jw_u64(&w, "seed", s->seed);
	jw_num(&w, "duration_us", (double)s->duration / PS_PER_US, 6);
	jw_num(&w, "warmup_us", (double)s->warmup / PS_PER_US, 6);
	jw_num(&w, "end_us", (double)run->end / PS_PER_US, 6);
	jw_bool(&w, "interrupted", run->interrupted);
	if (*run->crash)
		jw_str(&w, "crash", run->crash);
	if (*run->link_loss)
		jw_str(&w, "link_loss", run->link_loss);
	if (*run->device_gone)
		jw_str(&w, "device_gone", run->device_gone);
	if (*run->no_link)
		jw_str(&w, "no_link", run->no_link);
	put_missing(&w, r);
	record_want_put(&w, r);
	put_plugins(&w, s);
	put_sizes(&w, s);
	put_numbers(&w, s, by);
	free(by);
	code = put_resolved(&w, s, err);
	if (run->n_done) {
		jw_array(&w, "done", false);
		for (unsigned i = 0; i < run->n_done; i++)
			put_done(&w, &run->done[i]);
		jw_end(&w);
	}
	put_here(&w, r, run);
	jw_end(&w);
	out_flush(&r->manifest);
	end = lseek(r->manifest.fd, 0, SEEK_CUR);
	if (end < 0 || ftruncate(r->manifest.fd, end) < 0) // the room beyond it is freed
		r->manifest.error = r->manifest.error ? r->manifest.error : errno;
	return code ? (out_close(&r->manifest, &late), code) : out_close(&r->manifest, err);
}
