// SPDX-License-Identifier: BSD-3-Clause
// quench replay: the frames of captures into a scenario or onto ports, with their own timing. Every
// option becomes a setting of a scenario, which runs the same again.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner.h"
#include "session/session.h"
#include "cap/cap.h"

struct replay_args {
	struct session s; // the first
	const char *scenario, *host, *server_host, *device, *server_device, *loops, *speed, *rate,
		*split;
	char **file;
	unsigned n_files;
};

#define VALUE_MAX (2 * PATH_MAX + 3)

// Writes the absolute name of a file as YAML: in single quotes, with its own quotes doubled.
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
	size_t size = strlen(path) + strlen(value) + 2;
	char *text = malloc(size);
	struct err err = {"no memory"};
	int rc = -ENOMEM;

	if (text) {
		snprintf(text, size, "%s=%s", path, value);
		rc = session_set(s, text, &err);
	}
	free(text);
	if (rc)
		tell("quench replay: %s", err.text);
	return rc;
}

// Puts the user's settings, the first `n` so far, last: of two settings of one value the later one
// counts.
static void put_last(struct session *s, unsigned n)
{
	struct scene_set user[SESSION_SETS];

	if (!n)
		return;
	memcpy(user, s->set, n * sizeof(*user));
	memmove(s->set, s->set + n, (s->n_set - n) * sizeof(*user));
	memcpy(s->set + s->n_set - n, user, n * sizeof(*user));
}

// --set hosts.HOST.replay.KEY=VALUE
static int set_replay(struct replay_args *a, const char *host, const char *key, const char *value)
{
	char path[256];

	snprintf(path, sizeof(path), "hosts.%.160s.replay.%s", host, key);
	return set(&a->s, path, value);
}

// The first file, and the list of the others.
static int set_files(struct replay_args *a)
{
	char path[VALUE_MAX], *list;
	int rc;

	quoted_path(a->file[0], path);
	rc = set_replay(a, a->host, "file", path);
	if (rc || a->n_files == 1)
		return rc;
	list = malloc((size_t)a->n_files * (VALUE_MAX + 2));
	if (!list) {
		tell("quench replay: no memory");
		return -1;
	}
	strcpy(list, "[");
	for (unsigned i = 1; i < a->n_files; i++) {
		quoted_path(a->file[i], path);
		strcat(list, path);
		strcat(list, i + 1 < a->n_files ? ", " : "]");
	}
	rc = set_replay(a, a->host, "merge", list);
	free(list);
	return rc;
}

// Sets the option `split` if it was given, or if a host plays the other side (a scenario of ours,
// or --server-host): then the sides are found out.
static int set_sides(struct replay_args *a, bool bundled)
{
	bool two = a->server_host || (bundled && (!a->device || a->server_device));
	const char *split = a->split ? a->split : two ? "auto" : NULL;
	int rc = split ? set_replay(a, a->host, "split", split) : 0;

	if (!rc && a->server_host)
		rc = set_replay(a, a->server_host, "file", "none");
	if (!rc && a->server_host)
		rc = set_replay(a, a->server_host, "other_side_of", a->host);
	return rc;
}

static int settings(struct replay_args *a, bool bundled)
{
	struct session *s = &a->s;
	unsigned n = s->n_set;
	int rc = set_files(a);

	if (!rc)
		rc = set_sides(a, bundled);
	if (!rc && a->loops)
		rc = set_replay(a, a->host, "loops", a->loops);
	if (!rc && a->speed)
		rc = set_replay(a, a->host, "speed", a->speed);
	if (!rc && a->rate)
		rc = set(s, "links.0.rate", a->rate);
	if (!rc && a->rate && bundled && a->server_device)
		rc = set(s, "links.1.rate", a->rate);
	if (!rc && a->device)
		rc = set(s, "ports.source:wire.device", a->device);
	if (!rc && a->server_device)
		rc = set(s, "ports.sink:wire2.device", a->server_device);
	put_last(s, n);
	return rc;
}

#define LONGEST_S 100000           // of a run
#define SLOWEST   (10 * RATE_MBPS) // of a link: at top speed the run ends when all was sent

// What follows the capture's path in a line about a setting that the command made of `file`; NULL:
// the line is about something else.
static const char *about_file(const struct replay_args *a, const char *file, const char *text)
{
	char path[PATH_MAX], start[256], place[PATH_MAX + 3];
	const char *at;
	int n;

	snprintf(start, sizeof(start), "--set hosts.%.160s.replay.", a->host);
	if (strncmp(text, start, strlen(start)) != 0)
		return NULL;
	if (!realpath(file, path))
		snprintf(path, sizeof(path), "%s", file);
	n = snprintf(place, sizeof(place), ": %s", path);
	at = strstr(text, place);
	return at ? at + n : NULL;
}

// Tells why the scene cannot be made. Captures have the names that the user gave them, without the
// settings that the command made of them.
static void tell_wrong(const struct replay_args *a, const char *text)
{
	for (unsigned i = 0; i < a->n_files; i++) {
		const char *about = about_file(a, a->file[i], text);

		if (about) {
			tell("%s%s", a->file[i], about);
			return;
		}
	}
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
static int last_as_long(struct replay_args *a, const struct scene_replay *r)
{
	const struct player_params *p = &r->player;
	bool is_top = r->play.pace == CAP_TOP;
	tstamp most = LONGEST_S * PS_PER_S, once = tstamp_add(p->took, p->gap);
	unsigned __int128 all;

	if (is_top)
		once = rate_time(rate_byte_ps(SLOWEST), 1) * r->scan->seen.all_wire_bytes;
	// A machine that stands still for a while at the end still sends all.
	if (a->device)
		once = tstamp_add(once, PS_PER_S);
	all = (unsigned __int128)once * p->loops + p->start - (is_top ? 0 : p->gap);
	a->s.until_replayed = is_top || a->device;
	if (all > most && !a->s.until_replayed) {
		tell("%s: takes longer than %d s, the longest run; --duration says how much of "
		     "it to send",
			a->file[0], LONGEST_S);
		return EXIT_INPUT;
	}
	a->s.duration = all > most ? most : (tstamp)all + 10 * PS_PER_MS;
	a->s.has_duration = true;
	return EXIT_DONE;
}

// How long it takes follows from all that the scenario, the options and the settings say.
static int duration(struct replay_args *a)
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
		tell_wrong(a, err.text);
		return EXIT_INPUT;
	}
	r = replay_of(scene, a->host);
	if (r)
		status = last_as_long(a, r);
	scene_free(scene);
	return status;
}

// Whether each file can be read more than once.
static bool files_ok(const struct replay_args *a)
{
	struct err err;

	for (unsigned i = 0; i < a->n_files; i++) {
		if (strcmp(a->file[i], "-") == 0) {
			tell("quench replay -: standard input can be read only once, and a replay "
			     "reads its capture more often; name a file");
			return false;
		}
		if (infile_check_or(
			    a->file[i], ", for a replay reads its capture more than once", &err)) {
			tell("%s", err.text);
			return false;
		}
	}
	return true;
}

static int prepare(struct replay_args *a, bool bundled)
{
	struct cap_split_params split;
	struct cap_play_params p;
	struct err err;

	if (a->server_device && !a->device) {
		tell("quench replay: --server-device is the second of two devices; name the first "
		     "one by --device");
		return EXIT_INPUT;
	}
	if (a->speed && cap_pace_parse(a->speed, &p)) {
		tell("quench replay: --speed %s: it is %s", a->speed, cap_pace_wanted(a->speed));
		return EXIT_INPUT;
	}
	if (a->split && cap_split_parse(a->split, &split, &err)) {
		tell("quench replay: --split %s: %s", a->split, err.text);
		return EXIT_INPUT;
	}
	if (!files_ok(a))
		return EXIT_INPUT;
	return settings(a, bundled) ? EXIT_INPUT : duration(a);
}

// The scenario that comes with quench for so many devices.
static const char *bundled_name(const struct replay_args *a)
{
	if (a->server_device)
		return "replay-ports.yaml";
	return a->device ? "replay-port.yaml" : "replay.yaml";
}

static int replay_main(int argc, char **argv)
{
	struct replay_args a = {0};
	char path[PATH_MAX];
	int n, at, status;
	bool bundled;

	n = session_args(&a.s, argc, argv);
	at = args_read(&runner_replay, &a, n, argv);
	if (at <= 0) {
		session_free(&a.s);
		return at ? EXIT_INPUT : EXIT_DONE;
	}
	a.file = argv + at;
	a.n_files = (unsigned)(n - at);
	bundled = !a.scenario;
	if (bundled) {
		scenario_config(path, sizeof(path), bundled_name(&a));
		a.scenario = path;
	}
	a.s.path = scenario_name(a.scenario);
	if (a.device)
		a.s.clock = CLOCK_REAL_TIME;
	status = prepare(&a, bundled);
	if (status == EXIT_DONE)
		return session_run(&a.s);
	session_free(&a.s);
	return status;
}

static const struct args_option *const options[] = {
	ARGS_ROW(.name = "scenario", .value = "SCENARIO", .kind = ARGS_TEXT, .fill = ARGS_SCENARIO,
		ARGS_AT(struct replay_args, scenario),
		.help = "Sends the capture into this scenario; `-` is standard input. The default "
			"is the bundled `replay`, a capture through an idle switch."),
	ARGS_ROW(.name = "host", .value = "NAME", .kind = ARGS_TEXT, .def = "source",
		ARGS_AT(struct replay_args, host),
		.help = "Names the host of the scenario that sends; of two sides the clients'."),
	ARGS_ROW(.name = "server-host", .value = "NAME", .kind = ARGS_TEXT,
		ARGS_AT(struct replay_args, server_host),
		.help = "Names the host of the scenario that sends the other side."),
	ARGS_ROW(.name = "split", .value = "SPLIT", .kind = ARGS_TEXT,
		ARGS_AT(struct replay_args, split),
		.help = "Says whose frames the other side are: `auto`, `mac`, `mac ADDRESS,...`, "
			"`subnet NET,...`, `port`, `client-server`, or `none`, all from one host. "
			"Without it the sides are `auto` where the other side has a host or a "
			"device."),
	ARGS_ROW(.name = "device", .value = "DEVICE", .kind = ARGS_TEXT,
		ARGS_AT(struct replay_args, device),
		.help = "Sends straight onto a DPDK port, without a switch, on the real clock."),
	ARGS_ROW(.name = "server-device", .value = "DEVICE", .kind = ARGS_TEXT,
		ARGS_AT(struct replay_args, server_device),
		.help = "Sends the other side of the conversation onto this DPDK port, in the "
			"order and with the spacing of the capture."),
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
			"leaves before the one before it is through; with two devices for both."),
	&session_clock,
	&session_duration,
	&session_seed,
	&session_settings,
	&session_trust,
	&session_out,
	&session_force,
	&session_dilate,
	&session_references,
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
	.summary = "send captures through a scenario or onto ports with their own timing",
	.about = "Sends the frames of pcap or pcapng files from hosts of a scenario at their "
		 "recorded instants, or at a rate; a table compares wanted and achieved "
		 "timing. Clients and servers of a conversation send from a host or a port of "
		 "their own. Several files are merged by time. gzip or Zstandard may have packed a "
		 "file, which is read ahead as it is sent, so that it may be larger than memory.",
	.options = options,
	.operands = ARGS_OPERANDS({.name = "FILE", .fill = ARGS_FILE, .many = true}),
	.wanted = "name one capture",
	.behind = "EAL arguments",
	.examples = ARGS_WORDS(
		"quench replay tests/data/linux_softroce_rocev2.pcap --out runs/softroce",
		"quench replay tests/data/rc_write_only_ipv4.pcap --scenario replay-ce --clock "
		"both",
		"quench replay talk.pcap --device net_af_packet0,iface=veth0 --server-device "
		"net_af_packet1,iface=veth1",
		"quench replay tests/data/linux_softroce_rocev2.pcap --split 'subnet "
		"10.7.0.1,fd07::1'",
		"quench replay storm.pcap --device net_af_packet0,iface=veth0 --loops 10 "
		"--allow-storm 100ms"),
	.statuses = ARGS_VERDICT | ARGS_STRICT | ARGS_SIGNAL,
	.run = replay_main,
};
