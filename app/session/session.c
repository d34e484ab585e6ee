// SPDX-License-Identifier: BSD-3-Clause
// A run from the command line: its options, its scenes on one clock or both, what it prints.
#include "session.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dut.h"
#include "key.h"
#include "outcome.h"
#include "references.h"
#include "scenario.h"
#include "warmup.h"
#include "cli/cli.h"
#include "instance/instance.h"
#include "page/page.h"
#include "live/live.h"
#include "report/report.h"
#include "verdict/verdict.h"
#include "summary/summary.h"
#include "rt/rt.h"
#include "vt/vt.h"

#define PART_NAME 128 // of a list of nodes; a longer one is cut off

int session_set(struct session *s, const char *text, struct err *err)
{
	char *copy = strdup(text), *eq = copy ? strchr(copy, '=') : NULL;

	if (!eq || eq == copy) {
		free(copy);
		return err_set(err, -EINVAL,
			"--set '%s': path=value, as in --set switches.s1.buffer=8MB", text);
	}
	if (s->n_set == SESSION_SETS) {
		free(copy);
		return err_set(err, -EINVAL, "--set '%s': at most %u of them", text, SESSION_SETS);
	}
	*eq = 0;
	s->set[s->n_set++] = (struct scene_set){.path = copy, .value = eq + 1};
	return 0;
}

void session_free(struct session *s)
{
	for (unsigned i = 0; i < s->n_set; i++)
		free((char *)s->set[i].path);
	s->n_set = 0;
	dut_free(s);
}

// The bytes up to a comma that stands in no bracket or brace.
static size_t part_length(const char *text)
{
	unsigned depth = 0;
	size_t n = 0;

	for (; text[n] && (text[n] != ',' || depth); n++) {
		if (text[n] == '[' || text[n] == '{')
			depth++;
		else if ((text[n] == ']' || text[n] == '}') && depth)
			depth--;
	}
	return n;
}

static int take_record(void *to, const char *text, struct err *err)
{
	char set[512];
	int rc = 0;

	for (const char *at = text; !rc;) {
		size_t n = part_length(at), key = strcspn(at, "=");

		if (!key || key + 1 >= n || n > sizeof(set) - 16)
			return err_set(err, -EINVAL,
				"--record '%s': "
				"key=value,key=value, as in --record events=none,flows=summary",
				text);
		snprintf(set, sizeof(set), "record.%.*s", (int)n, at);
		rc = session_set(to, set, err);
		if (!at[n])
			break;
		at += n + 1;
	}
	return rc;
}

static int take_set(void *to, const char *value, struct err *err)
{
	return session_set(to, value, err);
}

const struct args_option session_clock = {.name = "clock",
	.kind = ARGS_WORD,
	.words = ARGS_WORDS("virtual", "real", "both"),
	.def = "virtual",
	ARGS_AT(struct session, clock),
	.help = "Runs in virtual time, on poll-mode lcores in real time, or on one after the "
		"other."};
const struct args_option session_duration = {.name = "duration",
	.value = "T",
	.kind = ARGS_TIME,
	ARGS_AT(struct session, duration),
	.given = offsetof(struct session, has_duration),
	.help = "Runs for T, as in 20ms or 2s, instead of the scenario's duration."};
const struct args_option session_seed = {.name = "seed",
	.value = "N",
	.kind = ARGS_NUMBER,
	.max = INT64_MAX, // as a scenario's
	ARGS_AT(struct session, seed),
	.given = offsetof(struct session, has_seed),
	.help = "Takes another seed for all random decisions than the scenario's."};
const struct args_option session_settings = {.name = "set",
	.value = "PATH=VALUE",
	.kind = ARGS_CALL,
	.fill = ARGS_SETTING,
	.take = take_set,
	.help = "Sets one option of the scenario as if its file said so, as in `--set "
		"switches.s1.buffer=8MB`. It may be given many times; quench-scenario(5) has the "
		"options."};
const struct args_option session_trust = {.name = "trust",
	ARGS_AT(struct session, trust),
	.help = "As root: loads plug-ins and firmware even if another user could have written "
		"them, or the scenario that names them. Without it root is refused that."};
const struct args_option session_record = {.name = "record",
	.group = ARGS_RECORDING,
	.value = "KEY=VALUE,...",
	.kind = ARGS_CALL,
	.take = take_record,
	.help = "Says what the run folder holds of the run's course, as the scenario's `record` "
		"does: `--record events=none,flows=summary` is `--set record.events=none --set "
		"record.flows=summary`."};
const struct args_option session_out = {.name = "out",
	.group = ARGS_RECORDING,
	.value = "DIR",
	.kind = ARGS_TEXT,
	.fill = ARGS_FOLDER,
	ARGS_AT(struct session, out),
	.help = "Writes the results into this folder. Without it they go to runs/NAME-CLOCK-SEED, "
		"or where that is used to .2, .3 and so on, and the link runs/latest points to "
		"the newest."};
const struct args_option session_dilate = {.name = "dilate",
	.group = ARGS_REAL_CLOCK,
	.value = "N",
	.kind = ARGS_NUMBER,
	.min = 1,
	.max = 1000000,
	ARGS_AT(struct session, dilate),
	.help = "Makes the time of the nodes run N times slower. Behind a device "
		"there may be parts of the scenario then that agree on it (`quench run "
		"--nodes`), and nothing else."};
const struct args_option session_workers = {.name = "workers",
	.group = ARGS_REAL_CLOCK,
	.value = "N",
	.kind = ARGS_NUMBER,
	.min = 1,
	.max = 127,
	ARGS_AT(struct session, workers),
	.help = "Uses N processors, each for one lcore. By default a run uses all processors that "
		"this process may use, except the first one: the main lcore has that to itself. "
		"If N includes the first processor, the main lcore shares it with a worker, and "
		"that worker's loop gets longer."};
const struct args_option session_references = {.name = "references",
	.group = ARGS_REAL_CLOCK,
	.value = "N",
	.kind = ARGS_NUMBER,
	.min = 2,
	.max = VERDICT_REFERENCES,
	.def = "20",
	ARGS_AT(struct session, references),
	.given = offsetof(struct session, has_references),
	.help = "With both clocks: compares the run in real time with N runs in virtual time, "
		"with this seed and those after it."};
const struct args_option session_no_huge = {.name = "no-huge",
	.group = ARGS_REAL_CLOCK,
	ARGS_AT(struct session, no_huge),
	.help = "Does without hugepages."};
const struct args_option session_allow_storm = {.name = "allow-storm",
	.group = ARGS_REAL_CLOCK,
	.value = "T",
	.kind = ARGS_TIME,
	ARGS_AT(struct session, allow_storm),
	.help = "Lets the events `pfc_storm` and `mac_frames`, and MAC control frames "
		"of a replayed capture, leave by a real port, where they stop what is behind it. "
		"None of them may last longer than T, as in 100ms. Without it such a scenario is "
		"refused."};

static int take_quiesce(void *to, const char *value, struct err *err)
{
	if (units_parse(UNITS_TIME, strcmp(value, "0") ? value : "0s",
		    &((struct session *)to)->quiesce) != UNITS_OK)
		return err_set(err, -EINVAL, "--quiesce '%s': a time as 500ms, or 0", value);
	return 0;
}

const struct args_option session_quiesce = {.name = "quiesce",
	.group = ARGS_REAL_CLOCK,
	.value = "TIME",
	.kind = ARGS_CALL,
	.def = "1s",
	.take = take_quiesce,
	.help = "At the first SIGINT senders begin no more messages. The run ends once all are "
		"done, or after TIME. The second ends it at once, as the first does with 0."};
const struct args_option session_instance = {.name = "instance",
	.group = ARGS_REAL_CLOCK,
	.value = "NAME",
	.kind = ARGS_TEXT,
	ARGS_AT(struct session, instance),
	.help = "Gives the run this name. `quench top`, `quench set` and other commands find it by "
		"its name. The default is the scenario's name."};
const struct args_option session_nodes = {.name = "nodes",
	.group = ARGS_REAL_CLOCK,
	.value = "N,N",
	.kind = ARGS_TEXT,
	ARGS_AT(struct session, nodes),
	.help = "Runs these nodes of the scenario, as in h1..4,s1; other processes, "
		"or other machines, run the rest from the same file. A link between the two needs "
		"a device at this end. Folder and instance get the list as a part of their "
		"names."};

static int take_start(void *to, const char *value, struct err *err)
{
	struct session *s = to;
	unsigned long long at = 0;
	char *end = NULL;

	if (!strncmp(value, "at=", 3) && value[3] >= '0' && value[3] <= '9')
		at = strtoull(value + 3, &end, 10);
	if (!strcmp(value, "link"))
		s->start = RT_START_LINK;
	else if (!strcmp(value, "now"))
		s->start = RT_START_NOW;
	else if (end && !*end && at && at < UINT64_MAX / 1000000000)
		s->start = RT_START_AT;
	else
		return err_set(err, -EINVAL,
			"--start '%s': link, now, or at= and seconds since 1970, as in "
			"--start at=$(($(date +%%s) + 30))",
			value);
	s->start_ns = (uint64_t)at * 1000000000;
	return 0;
}

const struct args_option session_start = {.name = "start",
	.group = ARGS_REAL_CLOCK,
	.value = "WHEN",
	.kind = ARGS_CALL,
	.take = take_start,
	.given = offsetof(struct session, has_start),
	.help = "Says when a part of a scenario (`--nodes`) starts. `link`, the default: once all "
		"parts have met over their cut links and run the same scenario, all together. "
		"`at=SECONDS`: the same, at this instant since 1970 (`date +%s`). `now`: at once, "
		"and nobody is asked."};
const struct args_option session_wait_parts = {.name = "wait-parts",
	.group = ARGS_REAL_CLOCK,
	.value = "T",
	.kind = ARGS_TIME,
	.def = "30s",
	ARGS_AT(struct session, wait_parts),
	.given = offsetof(struct session, has_wait_parts),
	.help = "How long a part of a scenario waits for the others to answer, in wall time; "
		"then it ends with a line that names the silent ones."};

static int take_parts_key(void *to, const char *value, struct err *err)
{
	return key_read(&((struct session *)to)->parts_key, value, err);
}

const struct args_option session_parts_key = {.name = "parts-key",
	.group = ARGS_REAL_CLOCK,
	.value = "FILE",
	.kind = ARGS_CALL,
	.fill = ARGS_FILE,
	.take = take_parts_key,
	.given = offsetof(struct session, has_parts_key),
	.help = "A part of a scenario signs its hellos with the key in FILE, and believes only "
		"those that are signed with the same. All parts are given the same key: 1 to 1024 "
		"bytes, as `openssl rand -base64 32` makes one; a line end behind it does not "
		"count. Nobody but the owner may have access to FILE."};
const struct args_option session_strict = {.name = "strict",
	.group = ARGS_REAL_CLOCK,
	ARGS_AT(struct session, strict),
	.help = "Ends with exit status 3 where the instrument broke its own timing, lost frames "
		"itself or events that a criterion asks for, where a device was gone for good or a "
		"port had no link for a time, or where only the device could judge a criterion."};
const struct args_option session_hdr = {.name = "hdr",
	.group = ARGS_RECORDING,
	ARGS_AT(struct session, hdr),
	.help = "Writes each distribution (completion times, gaps, delays, pauses) as a file of "
		"HdrHistogram's text form into the folder `hdr` of the results."};

const struct args_option session_report = {.name = "report",
	.group = ARGS_RECORDING,
	ARGS_AT(struct session, report),
	.help = "Writes report.html into the folder of the results: what `quench report` makes of "
		"it. Distributions are written as by --hdr, and what held the frames of each XOFF "
		"is recorded, too. With both clocks the page of the real one shows both runs."};

const struct args_option session_force = {.name = "force",
	.group = ARGS_RECORDING,
	ARGS_AT(struct session, force),
	.help = "Takes a folder that is used already."};
const struct args_option session_quiet = {.name = "quiet",
	ARGS_AT(struct session, quiet),
	.help = "Prints no table and no progress."};

// Says which options of the command line the chosen clock takes no notice of.
static void warn_ignored(const struct session *s)
{
	const struct {
		bool given;
		const char *option;
	} real[] = {
		{s->dilate, "--dilate"},
		{s->workers, "--workers"},
		{s->no_huge, "--no-huge"},
		{s->allow_storm, "--allow-storm"},
		{s->instance, "--instance"},
		{s->eal_argc, "what stands behind --"},
	};

	if (s->has_references && s->clock != CLOCK_BOTH)
		tell("warning: --references counts for nothing on one clock; it is for --clock "
		     "both");
	for (unsigned i = 0; s->clock == CLOCK_VIRTUAL_TIME && i < sizeof(real) / sizeof(real[0]);
		i++)
		if (real[i].given)
			tell("warning: %s counts for nothing on the virtual clock; "
			     "it is for --clock real",
				real[i].option);
}

// Checks the options about the start with other parts: they need --nodes, and --start now refuses
// some of them. False: they do not fit, and a line says why.
static bool check_start(const struct session *s)
{
	if (!s->nodes && (s->has_start || s->has_wait_parts || s->has_parts_key))
		tell("quench %s: %s is for a part of a scenario, and without --nodes all of it "
		     "runs here",
			s->command,
			s->has_start        ? "--start"
			: s->has_wait_parts ? "--wait-parts"
					    : "--parts-key");
	else if (s->start == RT_START_NOW && s->has_wait_parts)
		tell("quench %s: --wait-parts: with --start now nobody is waited for", s->command);
	else if (s->start == RT_START_NOW && s->has_parts_key)
		tell("quench %s: --parts-key: with --start now no part says hello", s->command);
	else
		return true;
	return false;
}

// The command line of this process, kept to its end.
static char *command_line;

int session_args(struct session *s, int argc, char **argv)
{
	size_t size;
	FILE *f = open_memstream(&command_line, &size);
	int own = argc;

	s->command = argv[0];
	for (int i = 0; i < argc; i++) {
		if (f)
			fprintf(f, "%s%s", i ? " " : "quench ", argv[i]);
		if (i && own == argc && !strcmp(argv[i], "--"))
			own = i;
	}
	if (f)
		fclose(f);
	s->line = command_line;
	s->eal_argc = own < argc ? argc - own - 1 : 0;
	s->eal_argv = own < argc ? argv + own + 1 : NULL;
	return own;
}

// Shows how far a run has come, on one line of stderr that is written over each time. Callback of
// rt_run() and vt_run().
static void show_progress(void *arg, const struct live_progress *p)
{
	static double last_wall;
	static tstamp last;
	struct timespec ts;
	char line[256];
	double wall, speed;

	(void)arg;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	wall = (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
	if (p->now < last)
		last_wall = 0;
	speed = last_wall ? (double)(p->now - last) / (wall - last_wall) : 0;
	live_progress_text(p, speed > 0 ? (double)(p->end - p->now) / speed : -1,
		term_columns(STDERR_FILENO), line, sizeof(line));
	fprintf(stderr, "\r%s\033[K", line);
	fflush(stderr);
	last_wall = wall;
	last = p->now;
}

// Takes that line away.
static void end_progress(void)
{
	fputs("\r\033[K", stderr);
}

static bool has_warning(const struct scene *s, const char *text)
{
	for (unsigned i = 0; s && i < s->n_warnings; i++)
		if (!strcmp(s->warning[i].text, text))
			return true;
	return false;
}

// Returns the place of a warning in the scenario's file, with a colon; "": it has none.
static char *warning_place(
	const struct scene *s, const struct scene_warning *w, char *buf, size_t size)
{
	*buf = 0;
	if (w->line)
		snprintf(buf, size, "%s:%u: ", s->path, w->line);
	return buf;
}

void session_list_warnings(const struct scene *s, FILE *f)
{
	char where[PATH_MAX + 16];

	for (unsigned i = 0; i < s->n_warnings; i++)
		fprintf(f, "warning: %s%s\n",
			warning_place(s, &s->warning[i], where, sizeof(where)), s->warning[i].text);
}

// Tells the first warning of each kind. Warnings that `said` has, too, were told before; it may be
// NULL.
static void tell_warnings(const struct scene *s, const struct scene *said)
{
	struct alike kinds = {0};
	char where[PATH_MAX + 16], text[ERR_TEXT];

	for (unsigned i = 0; i < s->n_warnings; i++)
		if (!has_warning(said, s->warning[i].text) &&
			alike_add(&kinds, s->warning[i].kind, i))
			break;
	for (unsigned i = 0; i < kinds.n; i++) {
		const struct scene_warning *first = &s->warning[kinds.kind[i].first];

		tell("warning: %s%s", warning_place(s, first, where, sizeof(where)),
			alike_text(&kinds.kind[i], first->text, text, sizeof(text)));
	}
	alike_free(&kinds);
}

// The list of nodes as a part of a name, behind a dash; "" where all run here. Its names have
// letters, digits, '_' and '-' only.
static void part_name(const struct scene *scene, char *part, size_t size)
{
	snprintf(part, size, "%s%s", scene->part ? "-" : "", scene->part ? scene->part : "");
	for (char *c = part; *c; c++)
		*c = *c == ',' ? '+' : *c;
}

// The name of the run folder: what was asked for, with a part for each clock of both, or one made
// of the run's own names. Freed by the caller; NULL: no memory.
static char *run_folder(const struct session *s, const struct scene *scene, bool real)
{
	const char *clock = real ? "real" : "virtual";
	char part[PART_NAME], *dir;
	int n;

	part_name(scene, part, sizeof(part));
	if (!s->out)
		n = asprintf(&dir, "runs/%s-%s-%llu%s", scene->name, clock,
			(unsigned long long)scene->seed, part);
	else if (s->clock == CLOCK_BOTH)
		n = asprintf(&dir, "%s/%s", s->out, clock);
	else
		n = asprintf(&dir, "%s", s->out);
	return n < 0 ? NULL : dir;
}

// Prints a message. `progress`: not NULL if a line of progress is on the terminal.
static void say_line(void *progress, const char *line)
{
	if (progress)
		end_progress();
	tell("%s; the run goes on", line);
}

// Tells a message of a run on the real clock.
static void say_of_run(void *progress, const char *line)
{
	if (progress)
		end_progress();
	tell_calmly("%s", line);
}

// The name that a part of a scenario has as an instance; NULL: the scenario's will do.
static const char *instance_of_part(const struct scene *scene, char *name, size_t size)
{
	char part[PART_NAME];

	if (!scene->part)
		return NULL;
	part_name(scene, part, sizeof(part));
	snprintf(name, size, "%s%s", scene->name, part);
	return name;
}

// Refuses a name that another instance has: names tell instances apart.
static int check_name(const char *name, struct err *err)
{
	struct instance_dirs dirs;
	struct instance other;
	struct err why;
	int rc;

	if (!name)
		return 0;
	if (!*name || strlen(name) >= sizeof(other.name))
		return err_set(err, -EINVAL,
			"--instance '%.80s': a name has 1 to %zu characters, this one %zu", name,
			sizeof(other.name) - 1, strlen(name));
	instance_dirs(&dirs);
	rc = instance_open(&other, name, &dirs, &why);
	if (rc == -EEXIST)
		return err_set(err, rc, "--instance %s: %s", name, why.text);
	if (rc)
		return 0;
	instance_close(&other);
	return err_set(err, -EEXIST,
		"--instance %s: an instance of this name runs already, scenario %s, pid %llu; "
		"give another name",
		name, other.scenario, (unsigned long long)other.pid);
}

static int run_real(struct session *s, struct scene *scene, const struct record_opts *ro, bool show,
	struct report **rec, struct err *err)
{
	char name[PART_NAME];
	struct rt_opts o = {.record = *ro,
		.stop = stop_catch(false),
		.at_kill = stop_last,
		.quiesce = s->quiesce,
		.soften = stop_soften,
		.progress = show ? show_progress : NULL,
		.say = say_of_run,
		.arg = show ? s : NULL,
		.dilate = s->dilate,
		.allow_storm = s->allow_storm,
		.start = s->start,
		.start_ns = s->start_ns,
		.wait_parts = s->wait_parts,
		.parts_key = s->has_parts_key ? &s->parts_key : NULL,
		.workers = s->workers,
		.no_huge = s->no_huge,
		.eal_argc = s->eal_argc,
		.eal_argv = s->eal_argv,
		.program = "quench",
		.instance =
			s->instance ? s->instance : instance_of_part(scene, name, sizeof(name))};
	int rc = check_name(s->instance, err);

	return rc ? rc : rt_run(scene, &o, rec, err);
}

static int run_virtual(const struct scene *scene, const struct record_opts *ro, bool show,
	struct report **rec, struct err *err)
{
	struct vt_opts o = {
		.record = *ro, .stop = stop_catch(false), .progress = show ? show_progress : NULL};

	return vt_run(scene, &o, rec, err);
}

// Runs the scene on one clock; *rec: the report, if it ran. Returns the exit status.
static int run_one(struct session *s, struct scene *scene, bool real, struct report **rec)
{
	bool show = !s->quiet && isatty(STDERR_FILENO);
	char *dir = run_folder(s, scene, real);
	struct record_opts ro = {.dir = dir,
		.force = s->force,
		.hdr = s->hdr || s->report,
		.next = !s->out,
		.latest = true,
		.command = s->line,
		.say = say_line,
		.say_arg = show ? s : NULL};
	struct err err;
	int rc;

	if (!dir)
		rc = err_set(&err, -ENOMEM, "no memory");
	else if (real)
		rc = run_real(s, scene, &ro, show, rec, &err);
	else
		rc = run_virtual(scene, &ro, show, rec, &err);
	free(dir);
	if (show)
		end_progress();
	return outcome_tell(s, *rec, rc ? err.text : NULL);
}

// Whether events are recorded as they are by default, and so not what held the frames of an XOFF.
static bool wants_all_events(const struct scene *s)
{
	uint64_t all = 0;

	for (unsigned t = 1; t < EV_TYPES; t++)
		if (ev_row[t].use & EV_USE_FILE)
			all |= 1ull << t;
	return (s->record.events & all) == all && !(s->record.events >> EV_XOFF_HOLDER & 1);
}

// Replaces a scene whose warm-up is `auto` by one with the warm-up that a first pass proposes. The
// session keeps that as a setting, so that both clocks have the same one.
static int settle_warmup(
	struct session *s, struct scene **scene, struct scene_opts *o, struct err *err)
{
	struct warmup w;
	char set[64];
	int rc = warmup_find(&w, *scene, s->path, o, err);

	scene_free(*scene);
	*scene = NULL;
	if (rc)
		return rc;
	if (w.doubt)
		tell("%s", w.said);
	else if (!s->quiet)
		tell_calmly("%s", w.said);
	snprintf(set, sizeof(set), "warmup=%s", w.value);
	rc = session_set(s, set, err);
	o->n_set = s->n_set;
	return rc ? rc : scenario_load(scene, s->path, o, err);
}

int session_load(struct session *s, struct scene **scene, bool real)
{
	struct scene_opts o = {.set = s->set,
		.n_set = s->n_set,
		.nodes = s->nodes,
		.dut = s->dut,
		.counters = {s->counters[0], s->counters[1]},
		.real = real,
		.one_clock = s->clock != CLOCK_BOTH,
		.seed = s->has_seed ? &s->seed : NULL,
		.duration = s->has_duration ? &s->duration : NULL,
		.until_replayed = s->until_replayed,
		.until_alone = s->alone != NULL,
		.trusts = s->trust};
	struct err err;
	int rc = scenario_load(scene, s->path, &o, &err);

	if (!rc && s->report && wants_all_events(*scene)) {
		scene_free(*scene);
		*scene = NULL;
		rc = session_set(s, "record.events=[all,xoff_holder]", &err);
		o.n_set = s->n_set;
		if (!rc)
			rc = scenario_load(scene, s->path, &o, &err);
	}
	if (!rc && (*scene)->finds_warmup)
		rc = settle_warmup(s, scene, &o, &err);
	if (!rc)
		rc = scene_fits(*scene, scene_available(""), &err);
	if (!rc)
		return EXIT_DONE;
	tell("%s", err.text);
	return EXIT_INPUT;
}

// The page of what ran, in the folder of the last run. Exit status.
static int write_report(struct report *const rec[2])
{
	struct saved *run[2] = {0};
	const char *dir = NULL;
	unsigned n = 0;
	char path[PATH_MAX];
	struct err err;
	int rc = 0;

	for (unsigned i = 0; i < 2 && !rc; i++)
		if (rec[i]) {
			dir = report_folder(rec[i]);
			rc = saved_open(&run[n], dir, &err);
			n += !rc;
		}
	if (!rc && n) {
		snprintf(path, sizeof(path), "%s/report.html", dir);
		rc = page_write(run, n, path, &err);
		if (!rc)
			printf("report: %s\n", path);
	}
	while (n)
		saved_close(run[--n]);
	if (!rc)
		return EXIT_DONE;
	tell("--report: %s", err.text);
	return EXIT_INPUT;
}

// The figures of a run in virtual time and of the runs with the seeds after its own, freed by the
// caller; NULL: they could not be made, and a line says why. If the first run cannot be compared
// with any, it is the only one.
static struct verdict_figures *make_references(
	struct session *s, const struct report *rec, uint64_t seed)
{
	struct verdict_figures *ref = calloc(s->references, sizeof(*ref));

	if (!ref) {
		tell("no memory");
		return NULL;
	}
	verdict_figures(report_summary(rec), &ref[0]);
	if (ref[0].frames < VERDICT_FRAMES)
		s->references = 1;
	if (references_run(s, seed, ref, s->references))
		return ref;
	free(ref);
	return NULL;
}

int session_run(struct session *s)
{
	struct report *rec[2] = {0};
	struct scene *scene[2] = {0};
	struct verdict_figures *ref = NULL;
	int status = EXIT_DONE;

	if (!check_start(s) || !dut_check(s)) {
		session_free(s);
		return EXIT_INPUT;
	}
	warn_ignored(s);
	for (unsigned real = 0; real < 2 && status != EXIT_INPUT && !stop_status(0); real++) {
		int one;

		if (s->clock != CLOCK_BOTH && s->clock != (enum session_clock)real)
			continue;
		one = session_load(s, &scene[real], real);
		if (one == EXIT_DONE)
			tell_warnings(scene[real], scene[!real]);
		if (one == EXIT_DONE)
			dut_tell(scene[real]);
		if (one == EXIT_DONE)
			one = run_one(s, scene[real], real, &rec[real]);
		if (one != EXIT_DONE)
			status = one;
		if (real || s->clock != CLOCK_BOTH || !rec[0] || status == EXIT_INPUT)
			continue;
		ref = make_references(s, rec[0], scene[0]->seed);
		if (!ref)
			status = EXIT_INPUT;
	}
	if (ref && rec[1] && !verdict_agree(ref, s->references, report_summary(rec[1]), stdout) &&
		status == EXIT_DONE)
		status = EXIT_VERDICT;
	free(ref);
	if (s->report && write_report(rec) != EXIT_DONE)
		status = EXIT_INPUT;
	for (unsigned i = 0; i < 2; i++) {
		report_free(rec[i]);
		scene_free(scene[i]);
	}
	session_free(s);
	return stop_status(status);
}
