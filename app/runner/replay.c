// SPDX-License-Identifier: BSD-3-Clause
// quench replay: a capture's frames into a scenario or onto a port, with their own timing.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner.h"
#include "session/session.h"
#include "cap/cap.h"

struct replay_args {
	struct session s; // the first
	const char *scenario, *host, *device, *loops, *speed, *rate;
};

#define VALUE_MAX (2 * PATH_MAX + 3)

// The file's whole name as YAML has it, whatever stands in it: between quotes, those in it doubled.
static void quoted_path(const char *file, char quoted[VALUE_MAX])
{
	char path[PATH_MAX], *to = quoted;

	if (!realpath(file, path))
		snprintf(path, sizeof(path), "%s", file);
	*to++ = '\'';
	for (const char *c = path; *c; c++) {
		if (*c == '\'')
			*to++ = *c;
		*to++ = *c;
	}
	strcpy(to, "'");
}

// --set PATH=VALUE by the command itself.
static int set(struct session *s, const char *path, const char *value)
{
	char text[VALUE_MAX + 128];
	struct err err;
	int rc;

	snprintf(text, sizeof(text), "%s=%s", path, value);
	rc = session_set(s, text, &err);
	if (rc)
		tell("quench replay: %s", err.text);
	return rc;
}

// Of two settings of one value the later one counts: the user's, which are the first `n` so far.
static void put_last(struct session *s, unsigned n)
{
	struct scene_set user[SESSION_SETS];

	memcpy(user, s->set, n * sizeof(*user));
	memmove(s->set, s->set + n, (s->n_set - n) * sizeof(*user));
	memcpy(s->set + s->n_set - n, user, n * sizeof(*user));
}

static int settings(struct replay_args *a, const char *file)
{
	struct session *s = &a->s;
	unsigned n = s->n_set;
	char path[VALUE_MAX], key[96];
	int rc;

	quoted_path(file, path);
	snprintf(key, sizeof(key), "hosts.%s.replay.file", a->host);
	rc = set(s, key, path);
	snprintf(key, sizeof(key), "hosts.%s.replay.loops", a->host);
	if (!rc && a->loops)
		rc = set(s, key, a->loops);
	snprintf(key, sizeof(key), "hosts.%s.replay.speed", a->host);
	if (!rc && a->speed)
		rc = set(s, key, a->speed);
	if (!rc && a->rate)
		rc = set(s, "links.0.rate", a->rate);
	if (!rc && a->device)
		rc = set(s, "ports.source:wire.device", a->device);
	put_last(s, n);
	return rc;
}

#define LONGEST_S 100000           // of a run
#define SLOWEST   (10 * RATE_MBPS) // of a link: at top speed the run ends when all was sent

// What is wrong with the scene. Of the capture it is told by the name that the user gave it,
// without the setting that the command has made of it.
static void tell_wrong(const struct replay_args *a, const char *file, const char *text)
{
	char path[PATH_MAX], quoted[VALUE_MAX], start[VALUE_MAX + PATH_MAX + 128];
	size_t n;

	quoted_path(file, quoted);
	if (!realpath(file, path))
		snprintf(path, sizeof(path), "%s", file);
	n = (size_t)snprintf(
		start, sizeof(start), "--set hosts.%s.replay.file=%s: %s", a->host, quoted, path);
	if (n < sizeof(start) && strncmp(text, start, n) == 0)
		tell("%s%s", file, text + n);
	else
		tell("%s", text);
}

// The capture that the host sends; NULL: none.
static const struct scene_replay *replay_of(const struct scene *scene, const char *host)
{
	for (unsigned i = 0; i < scene->n_nodes; i++)
		if (strcmp(scene->node[i].name, host) == 0)
			return scene->node[i].replay;
	return NULL;
}

// Lets the run last as long as its capture, and a little for the last frames to arrive.
static int last_as_long(struct replay_args *a, const char *file, const struct scene_replay *r)
{
	const struct player_params *p = &r->player;
	bool is_top = r->play.pace == CAP_TOP;
	tstamp most = LONGEST_S * PS_PER_S, once = tstamp_add(p->took, p->gap);
	unsigned __int128 all;

	if (is_top)
		once = rate_time(rate_byte_ps(SLOWEST), 1) * r->scan->seen.wire_bytes;
	// A machine that stands still for a while at the end still sends all.
	if (a->device)
		once = tstamp_add(once, PS_PER_S);
	all = (unsigned __int128)once * p->loops + p->start - (is_top ? 0 : p->gap);
	a->s.until_replayed = is_top || a->device;
	if (all > most && !a->s.until_replayed) {
		tell("%s: takes longer than %d s, the longest run; --duration says how much of "
		     "it to send",
			file, LONGEST_S);
		return EXIT_INPUT;
	}
	a->s.duration = all > most ? most : (tstamp)all + 10 * PS_PER_MS;
	a->s.has_duration = true;
	return EXIT_DONE;
}

// How long it takes follows from all that the scenario, the options and the settings say.
static int duration(struct replay_args *a, const char *file)
{
	struct session *s = &a->s;
	tstamp most = LONGEST_S * PS_PER_S;
	struct scene_opts o = {.set = s->set,
		.n_set = s->n_set,
		.trusts = s->trust,
		.real = s->clock == CLOCK_REAL_TIME,
		.one_clock = s->clock != CLOCK_BOTH,
		.duration = &most};
	const struct scene_replay *r;
	struct scene *scene;
	struct err err;
	int status = EXIT_DONE;

	if (s->has_duration)
		return EXIT_DONE;
	if (scenario_load(&scene, s->path, &o, &err)) {
		tell_wrong(a, file, err.text);
		return EXIT_INPUT;
	}
	r = replay_of(scene, a->host);
	if (r)
		status = last_as_long(a, file, r);
	scene_free(scene);
	return status;
}

static int prepare(struct replay_args *a, const char *file)
{
	struct cap_play_params p;
	struct err err;

	if (infile_check_or(file, ", for a replay reads its capture more than once", &err)) {
		tell("%s", err.text);
		return EXIT_INPUT;
	}
	if (a->speed && cap_pace_parse(a->speed, &p)) {
		tell("quench replay: --speed %s: it is %s", a->speed, cap_pace_wanted(a->speed));
		return EXIT_INPUT;
	}
	return settings(a, file) ? EXIT_INPUT : duration(a, file);
}

static int replay_main(int argc, char **argv)
{
	struct replay_args a = {0};
	char bundled[PATH_MAX];
	int at = args_read(&runner_replay, &a, session_args(&a.s, argc, argv), argv), status;

	if (at <= 0) {
		session_free(&a.s);
		return at ? EXIT_INPUT : EXIT_DONE;
	}
	if (strcmp(argv[at], "-") == 0) {
		tell("quench replay -: standard input can be read only once, and a replay reads "
		     "its capture more often; name a file");
		session_free(&a.s);
		return EXIT_INPUT;
	}
	if (!a.scenario) {
		scenario_config(
			bundled, sizeof(bundled), a.device ? "replay-port.yaml" : "replay.yaml");
		a.scenario = bundled;
	}
	a.s.path = scenario_name(a.scenario);
	if (a.device)
		a.s.clock = CLOCK_REAL_TIME;
	status = prepare(&a, argv[at]);
	if (status == EXIT_DONE)
		return session_run(&a.s);
	session_free(&a.s);
	return status;
}

static const struct args_option *const options[] = {
	ARGS_ROW(.name = "scenario", .value = "SCENARIO", .kind = ARGS_TEXT, .fill = ARGS_SCENARIO,
		ARGS_AT(struct replay_args, scenario),
		.help = "Sends the capture into this scenario; `-` is standard input. Without it "
			"the scenario is the bundled `replay`, a capture through an idle switch."),
	ARGS_ROW(.name = "host", .value = "NAME", .kind = ARGS_TEXT, .def = "source",
		ARGS_AT(struct replay_args, host),
		.help = "Names the host of the scenario that sends."),
	ARGS_ROW(.name = "device", .value = "DEVICE", .kind = ARGS_TEXT,
		ARGS_AT(struct replay_args, device),
		.help = "Sends straight onto a DPDK port, without a switch, on the real clock."),
	ARGS_ROW(.name = "loops", .value = "N", .kind = ARGS_TEXT,
		ARGS_AT(struct replay_args, loops), .help = "Sends the capture N times."),
	ARGS_ROW(.name = "speed", .value = "SPEED", .kind = ARGS_TEXT,
		ARGS_AT(struct replay_args, speed),
		.help = "Sends 2x as fast as recorded, at 1Mpps, at 10Gbps on the wire, or at "
			"`top` speed; then the run ends when all was sent. Without it the "
			"scenario says how fast; the bundled `replay` sends as recorded."),
	ARGS_ROW(.name = "rate", .value = "RATE", .kind = ARGS_TEXT,
		ARGS_AT(struct replay_args, rate),
		.help = "Takes RATE for the rate of the scenario's first link, at which no frame "
			"leaves before the one before it is through."),
	&session_clock,
	&session_duration,
	&session_seed,
	&session_settings,
	&session_trust,
	&session_out,
	&session_force,
	&session_dilate,
	&session_workers,
	&session_no_huge,
	&session_allow_storm,
	&session_instance,
	&session_strict,
	&session_quiet,
	NULL,
};

const struct args_command runner_replay = {
	.name = "replay",
	.summary = "send a capture through a scenario or onto a port with its own timing",
	.about = "Sends the frames of a pcap or pcapng file from a host of a scenario at their "
		 "recorded instants, or at a rate; a table shows what was wanted and what was "
		 "achieved. gzip or Zstandard may have packed the file, which is read ahead as it "
		 "is sent, so that it may be larger than memory.",
	.options = options,
	.operands = ARGS_OPERANDS({.name = "FILE", .fill = ARGS_FILE}),
	.wanted = "name one capture",
	.behind = "EAL arguments",
	.examples = ARGS_WORDS(
		"quench replay tests/data/linux_softroce_rocev2.pcap --out runs/softroce",
		"quench replay tests/data/rc_write_only_ipv4.pcap --scenario replay-ce --clock "
		"both",
		"quench replay storm.pcap --device net_af_packet0,iface=veth0 --loops 10 "
		"--allow-storm 100ms"),
	.statuses = ARGS_VERDICT | ARGS_STRICT | ARGS_SIGNAL,
	.run = replay_main,
};
