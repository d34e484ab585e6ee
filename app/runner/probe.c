// SPDX-License-Identifier: BSD-3-Clause
// quench probe: measures a device that is not ours from outside, by frames alone.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "runner.h"
#include "device/device.h"
#include "instance/instance.h"
#include "report/report.h"
#include "rt/rt.h"
#include "session/session.h"
#include "vt/vt.h"

enum { CLOCK_AUTO = 2 }; // of --clock: virtual, real, or as ports have devices

struct probe_args {
	struct session s; // the first
	const char *steps, *against, *port_map;
	bool json, schema;
};

// A probe from its begin to its end.
struct run {
	const struct probe_args *a;
	struct bench bench;
	struct probe_found found;
	struct device_config config;
	struct device_about about;
	struct device device;
	bool real, lines; // `lines`: progress on stderr
	int rc;           // of the experiment
	struct err err;
};

static void show_step(void *arg, enum probe_step step, unsigned cls, const char *text)
{
	const struct run *r = arg;
	bool tty = isatty(STDERR_FILENO);
	char line[256];
	size_t n;

	if (!r->lines)
		return;
	n = (size_t)snprintf(line, sizeof(line), "probe: %s", probe_step[step].name);
	if (cls < PKT_CLASSES && n < sizeof(line))
		n += (size_t)snprintf(line + n, sizeof(line) - n, ", class %u", cls);
	if (text && n < sizeof(line))
		snprintf(line + n, sizeof(line) - n, ": %s", text);
	fprintf(stderr, tty ? "\r%.100s\033[K" : "%s\n", line);
	fflush(stderr);
}

static void end_line(const struct run *r)
{
	if (r->lines && isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

// The experiment of a run. The run itself ends well if the probe could not be done: what was found
// until then is written.
static int do_probe(void *arg, struct lab *lab, struct err *err)
{
	struct run *r = arg;
	const struct probe_listener listener = {.told = show_step, .arg = r};

	(void)err;
	r->rc = probe_run(lab, &r->bench.cfg, &listener, &r->found, &r->err);
	r->about.scene_time = lab->scene_time;
	r->about.steps = lab->steps;
	r->about.gap = lab->gap;
	r->about.gap_longest = lab->gap_longest;
	r->about.interrupted = r->rc == -EINTR;
	found_in_device_time(&r->found, r->about.dilate);
	return r->about.interrupted ? r->rc : 0;
}

static void fill_about(struct run *r, const struct scene *s)
{
	struct device_about *a = &r->about;
	const uint64_t dilate = r->real ? r->bench.dilate : 1;

	*a = (struct device_about){.scenario = s->name,
		.device = r->bench.name,
		.clock = r->real ? "real" : "virtual",
		.seed = r->bench.cfg.seed,
		.rate = r->bench.rate * dilate,
		.cable = r->bench.cable / dilate,
		.dilate = dilate,
		.hosts = r->bench.ports,
		.accuracy = r->bench.cfg.accuracy,
		.response_limit = r->bench.cfg.response_limit,
		// the demand of 802.1Qbb is that of our rate
		.after_xoff = dilate > 1 ? 0 : r->bench.after_xoff};
	memcpy(a->dscp, r->bench.cfg.dscp, sizeof(a->dscp));
	memcpy(a->pcp, r->bench.cfg.pcp, sizeof(a->pcp));
	memcpy(a->host, r->bench.host, sizeof(a->host));
}

// Loads the scenario: as it stands for virtual time, or with its testers for one of the clocks.
static int load(struct scene **s, const struct run *r, bool testers, struct err *err)
{
	const struct session *session = &r->a->s;
	struct scene_opts o = {.set = session->set,
		.n_set = session->n_set,
		.real = testers && r->real,
		.one_clock = true,
		.seed = session->has_seed ? &session->seed : NULL,
		.trusts = session->trust};

	if (testers) {
		o.testers = r->bench.host;
		o.n_testers = r->bench.ports;
	}
	return scenario_load(s, session->path, &o, err);
}

// Events of millions of frames tell nothing that the findings do not: they are recorded only where
// the user asks for them.
static int put_defaults(struct session *s, struct err *err)
{
	static const char *const quiet[] = {
		"record.events=none", "record.series=false", "record.flows=summary"};
	struct scene_set user[SESSION_SETS];
	unsigned n = s->n_set;
	int rc = 0;

	memcpy(user, s->set, n * sizeof(*user));
	s->n_set = 0;
	for (unsigned i = 0; !rc && i < sizeof(quiet) / sizeof(quiet[0]); i++)
		rc = session_set(s, quiet[i], err);
	if (s->n_set + n > SESSION_SETS)
		return err_set(err, -EINVAL, "--set: at most %u of them", SESSION_SETS - 3);
	memcpy(s->set + s->n_set, user, n * sizeof(*user));
	s->n_set += n;
	return rc;
}

static int read_against(struct run *r, struct err *err)
{
	const struct probe_args *a = r->a;

	if (!a->against && a->port_map)
		return err_set(
			err, -EINVAL, "--port-map is for a config_db.json that --against names");
	return a->against ? bench_against(
				    &r->config, &r->bench, a->against, a->port_map, a->s.trust, err)
			  : 0;
}

// Runs the scene with its experiment; the report is NULL where it did not get so far.
static int run_scene(struct run *r, struct scene *s, struct report **report, struct err *err)
{
	const struct session *se = &r->a->s;
	char dir[PATH_MAX];
	const struct record_opts ro = {.dir = se->out ? se->out : dir,
		.force = se->force,
		.next = !se->out,
		.latest = true,
		.command = se->line};

	snprintf(dir, sizeof(dir), "runs/%s-probe-%llu", s->name,
		(unsigned long long)r->bench.cfg.seed);
	if (r->real) {
		const struct rt_opts o = {.record = ro,
			.stop = stop_catch(false),
			.at_kill = stop_last,
			.experiment = do_probe,
			.experiment_arg = r,
			.allow_storm = se->allow_storm,
			.workers = se->workers,
			.no_huge = se->no_huge,
			.eal_argc = se->eal_argc,
			.eal_argv = se->eal_argv,
			.program = "quench",
			.instance = se->instance};

		return rt_run(s, &o, report, err);
	}

	const struct vt_opts o = {.record = ro,
		.stop = stop_catch(false),
		.experiment = do_probe,
		.experiment_arg = r};

	return vt_run(s, &o, report, err);
}

// Writes one file of the probe into the folder of the run. -errno and a line.
static int write_file(const struct run *r, const char *dir, const char *name,
	void (*put)(const struct device *, struct out *), struct err *err)
{
	char path[PATH_MAX];
	struct out o;
	int rc;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	rc = out_open(&o, path, err);
	if (rc)
		return rc;
	put(&r->device, &o);
	return out_close(&o, err);
}

static int write_files(const struct run *r, const char *dir, struct err *err)
{
	static const struct {
		const char *name;
		void (*put)(const struct device *, struct out *);
		bool judged; // only with --against
	} file[] = {
		{"probe.json", device_json, false},
		{"probe.csv", device_csv, false},
		{"dut.yaml", device_scenario, false},
		{"probe.html", device_page, false},
		{"junit.xml", device_junit, true},
	};
	int rc = 0;

	for (unsigned i = 0; dir && !rc && i < sizeof(file) / sizeof(file[0]); i++)
		if (!file[i].judged || r->device.against)
			rc = write_file(r, dir, file[i].name, file[i].put, err);
	return rc;
}

static void print_json(const struct run *r)
{
	struct out o;
	struct err err;

	term_plain();
	if (out_stream(&o, stdout, "standard output", &err))
		return;
	device_json(&r->device, &o);
	out_close(&o, &err);
}

// Prints and writes what was found. Exit status.
static int deliver(struct run *r, const struct report *report)
{
	const char *dir = report ? report_folder(report) : NULL;
	struct err err;

	device_judge(&r->device, &r->found, &r->about, r->a->against ? &r->config : NULL);
	if (r->a->json)
		print_json(r);
	else if (!r->a->s.quiet)
		device_table(&r->device, stdout);
	if (dir && !r->a->json && !r->a->s.quiet)
		printf("files: %s/ (probe.json, probe.csv, dut.yaml, probe.html)\n", dir);
	if (write_files(r, dir, &err))
		return tell_input("quench probe", err.text);
	if (r->rc && r->rc != -EINTR) {
		tell("quench probe: %s", r->err.text);
		return EXIT_TIMING;
	}
	return device_status(&r->device, r->a->s.strict);
}

// Reads and checks all settings before anything is sent. -errno and a line.
static int prepare(struct run *r, const struct scene *seen, struct err *err)
{
	int rc = bench_read(&r->bench, seen, err);

	if (!rc)
		rc = bench_steps(&r->bench, r->a->steps, err);
	if (rc)
		return rc;
	if (r->a->s.has_seed)
		r->bench.cfg.seed = r->a->s.seed;
	r->real = r->a->s.clock == (enum session_clock)CLOCK_AUTO
			  ? r->bench.device[r->bench.cfg.in[0]] != NULL
			  : r->a->s.clock == CLOCK_REAL_TIME;
	if (r->real)
		bench_dilate(&r->bench);
	fill_about(r, seen);
	rc = bench_check(&r->bench, r->real, r->a->s.allow_storm, err);
	return rc ? rc : read_against(r, err);
}

static int run_probe(struct probe_args *a)
{
	struct run r = {.a = a, .lines = !a->s.quiet};
	struct scene *seen = NULL, *s = NULL;
	struct report *report = NULL;
	struct err err;
	int status = EXIT_INPUT, rc = put_defaults(&a->s, &err);

	if (!rc)
		rc = load(&seen, &r, false, &err);
	if (!rc)
		rc = prepare(&r, seen, &err);
	if (!rc)
		rc = load(&s, &r, true, &err);
	if (!rc && !a->s.quiet && !a->json)
		bench_announce(&r.bench, stdout);
	if (!rc) {
		rc = run_scene(&r, s, &report, &err);
		end_line(&r);
	}
	if (!rc || r.about.steps)
		status = deliver(&r, report);
	if (rc) {
		tell("%s", err.text);
		status = EXIT_INPUT;
	}
	report_free(report);
	found_free(&r.found);
	device_config_free(&r.config);
	scene_free(s);
	scene_free(seen);
	return stop_status(status);
}

static int probe_main(int argc, char **argv)
{
	struct probe_args a = {0};
	int at = args_read(&runner_probe, &a, session_args(&a.s, argc, argv), argv), status;

	if (at <= 0 || a.schema) {
		if (a.schema)
			device_schema(stdout);
		session_free(&a.s);
		return at < 0 ? EXIT_INPUT : EXIT_DONE;
	}
	a.s.path = scenario_name(argv[at]);
	status = run_probe(&a);
	session_free(&a.s);
	return status;
}

static const char *const clock_words[] = {"virtual", "real", "auto", NULL};

const struct args_command runner_probe = {
	.name = "probe",
	.summary = "find what a switch that is not ours does, by frames alone",
	.about = "Measures a device by ports around it: thresholds of PFC, headroom, marker, "
		 "weights, watchdog. SCENARIO has a section `probe`, which names the hosts that "
		 "are the ports. It uses no login, counter or configuration of the device.\n\n"
		 "Before it starts it prints what it will find and the longest pause that it "
		 "causes. On the real clock it wants --allow-storm with that time. When it ends, "
		 "for whatever reason, it ends every pause of its own.\n\n"
		 "Steps, in their order: self, map, pause, overfill, xoff, cell, refresh, xon, "
		 "alpha, lossy, marks, weights, pool, watchdog. docs/probe.md describes them.",
	.options = ARGS_OPTIONS(
		ARGS_ROW(.name = "steps", .value = "STEP,STEP", .kind = ARGS_TEXT,
			ARGS_AT(struct probe_args, steps),
			.help = "Does these steps, and the steps that they need. Without it all "
				"steps are done that the ports allow, except for the watchdog's; "
				"`all` means all."),
		ARGS_ROW(.name = "against", .value = "FILE", .kind = ARGS_TEXT, .fill = ARGS_FILE,
			ARGS_AT(struct probe_args, against),
			.help = "Holds the findings against a configuration: a switch's "
				"config_db.json, or a scenario. Values that the file does not give "
				"are found, and not judged."),
		ARGS_ROW(.name = "port-map", .value = "PORT=HOST,...", .kind = ARGS_TEXT,
			ARGS_AT(struct probe_args, port_map),
			.help = "Names the host at each port of a config_db.json, as in "
				"Ethernet0=p1,Ethernet4=p3. Without it the file's first port in "
				"service counts."),
		ARGS_ROW(.name = "clock", .kind = ARGS_WORD, .words = clock_words, .def = "auto",
			ARGS_AT(struct probe_args, s.clock),
			.help = "Measures a device behind real ports, or the switch of the "
				"scenario in virtual time. `auto`: real where the first port has a "
				"device."),
		&session_seed, &session_settings, &session_out, &session_force,
		ARGS_ROW(.name = "json", ARGS_AT(struct probe_args, json),
			.help = "Prints probe.json in place of the table."),
		ARGS_ROW(.name = "schema", .alone = true, ARGS_AT(struct probe_args, schema),
			.help = "Prints the JSON Schema (draft 7) of probe.json."),
		&session_workers, &session_no_huge, &session_allow_storm, &session_instance,
		&session_strict, &session_trust, &session_quiet),
	.operands = ARGS_OPERANDS({.name = "SCENARIO", .fill = ARGS_SCENARIO}),
	.wanted = "name one scenario with a section probe",
	.behind = "EAL arguments",
	.examples = ARGS_WORDS("quench probe probe/device",
		"quench probe probe/device --steps xoff,xon --against probe/device",
		"quench probe bench.yaml --allow-storm 50ms --against config_db.json "
		"--port-map Ethernet0=p1,Ethernet4=p3"),
	.statuses = ARGS_VERDICT | ARGS_STRICT | ARGS_SIGNAL,
	.run = probe_main,
};
