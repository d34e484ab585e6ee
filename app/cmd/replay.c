// SPDX-License-Identifier: BSD-3-Clause
// quench replay: a capture's frames into a scenario or onto a port, with their own timing.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "session/session.h"
#include "cap/cap.h"

struct replay_args {
	struct session s; // the first
	const char *scenario, *host, *device, *loops, *speed, *rate;
};

// --set PATH=VALUE by the command itself; the user's own come after and win.
static int set(struct session *s, const char *path, const char *value)
{
	char text[PATH_MAX + 128];
	struct err err;
	int rc;

	snprintf(text, sizeof(text), "%s=%s", path, value);
	rc = session_set(s, text, &err);
	if (rc)
		tell("quench replay: %s", err.text);
	return rc;
}

static int settings(struct replay_args *a, const char *file)
{
	struct session *s = &a->s;
	char path[PATH_MAX], key[96];
	int rc;

	if (!realpath(file, path))
		snprintf(path, sizeof(path), "%s", file);
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
	return rc;
}

#define LONGEST_S 100000           // of a run
#define SLOWEST   (10 * RATE_MBPS) // of a link: at top speed the run ends when all was sent

// What a round takes, and how many there are.
static int round_of(struct replay_args *a, const char *file, tstamp *took, uint64_t *loops)
{
	struct cap_play_params p = {.path = file, .loops = 1, .gap = PS_PER_US};
	struct cap_scan c;
	struct err err;

	*loops = a->loops ? strtoull(a->loops, NULL, 10) : 1; // the option's table judges it
	if (cap_pace_parse(a->speed ? a->speed : "1x", &p)) {
		tell("quench replay: --speed %s: it is " CAP_PACE_WANTED, a->speed);
		return EXIT_INPUT;
	}
	if (a->s.has_duration) // the scene reads the file, and nobody asks how long it takes
		return EXIT_DONE;
	if (cap_scan(&c, &p, &err)) {
		tell("%s", err.text);
		return EXIT_INPUT;
	}
	*took = tstamp_add(c.took, c.gap);
	if (p.pace == CAP_TOP)
		*took = rate_time(rate_byte_ps(SLOWEST), 1) * c.seen.wire_bytes;
	cap_scan_free(&c);
	// A machine that stands still for a while at the end still sends all.
	if (a->device)
		*took = tstamp_add(*took, PS_PER_S);
	a->s.until_replayed = p.pace == CAP_TOP || a->device;
	return EXIT_DONE;
}

// The run lasts as long as the capture, and a little for the last frames to arrive.
static int duration(struct replay_args *a, const char *file)
{
	struct session *s = &a->s;
	uint64_t loops;
	tstamp once;
	int status = round_of(a, file, &once, &loops);

	if (status != EXIT_DONE || s->has_duration || !loops || loops > UINT32_MAX)
		return status;
	if (once > LONGEST_S * PS_PER_S / loops && !s->until_replayed) {
		tell("%s: takes longer than %d s, the longest run; --duration says how much of "
		     "it to send",
			file, LONGEST_S);
		return EXIT_INPUT;
	}
	if (once > LONGEST_S * PS_PER_S / loops)
		s->duration = LONGEST_S * PS_PER_S;
	else
		s->duration = once * loops + 10 * PS_PER_MS;
	s->has_duration = true;
	return EXIT_DONE;
}

static int replay_main(int argc, char **argv)
{
	struct replay_args a = {0};
	char bundled[PATH_MAX];
	int at = args_read(&cmd_replay, &a, session_args(&a.s, argc, argv), argv), status;

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
	status = duration(&a, argv[at]);
	if (status == EXIT_DONE && settings(&a, argv[at]))
		status = EXIT_INPUT;
	return status == EXIT_DONE ? session_run(&a.s) : status;
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
	ARGS_ROW(.name = "speed", .value = "SPEED", .kind = ARGS_TEXT, .def = "1x",
		ARGS_AT(struct replay_args, speed),
		.help = "Sends 2x as fast as recorded, at 1Mpps, at 10Gbps on the wire, or at "
			"`top` speed; then the run ends when all was sent."),
	ARGS_ROW(.name = "rate", .value = "RATE", .kind = ARGS_TEXT,
		ARGS_AT(struct replay_args, rate),
		.help = "Takes RATE for the rate of the scenario's first link, at which no frame "
			"leaves before the one before it is through."),
	&session_clock,
	&session_duration,
	&session_seed,
	&session_settings,
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

const struct args_command cmd_replay = {
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
