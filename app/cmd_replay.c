// SPDX-License-Identifier: BSD-3-Clause
// quench replay: a capture's frames into a scenario or onto a port, with their own timing.
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "cap/cap.h"
#include "session.h"

static const char usage[] =
	"usage: quench replay FILE [--scenario SCENARIO] [--host NAME] [options] [-- EAL arguments]\n"
	"       quench replay FILE --device DEVICE [options] [-- EAL arguments]\n"
	"\n"
	"The frames of a pcap or pcapng leave a host of a scenario at their recorded instants; the table shows\n"
	"wanted against achieved. Without --scenario: the bundled replay, a capture through an idle switch.\n"
	"\n"
	"  --scenario SCENARIO  where the capture is sent into\n"
	"  --host NAME          the host of it that sends (source)\n"
	"  --device DEVICE      no switch: straight onto a DPDK port, on the real clock\n"
	"  --loops N            send it N times\n"
	"  --clock, --out, --set, --force, --duration ...  as in `quench run --help`\n"
	"\n"
	"examples:\n"
	"  quench replay tests/data/linux_softroce_rocev2.pcap --out runs/softroce\n"
	"  quench replay tests/data/rc_write_only_ipv4.pcap --scenario replay-ce --clock both\n"
	"  quench replay storm.pcap --device net_af_packet0,iface=veth0 --loops 10\n";

struct replay_args {
	char scenario[PATH_MAX];
	const char *host, *device, *loops;
};

// --set PATH=VALUE by the command itself; the user's own come after and win.
static int set(struct session *s, const char *path, const char *value)
{
	char text[PATH_MAX + 128];

	snprintf(text, sizeof(text), "%s=%s", path, value);
	return session_option(s, 'S', text);
}

static int settings(struct session *s, const struct replay_args *a, const char *file)
{
	char path[PATH_MAX], key[96];
	int rc;

	if (!realpath(file, path))
		snprintf(path, sizeof(path), "%s", file);
	snprintf(key, sizeof(key), "hosts.%s.replay.file", a->host);
	rc = set(s, key, path);
	snprintf(key, sizeof(key), "hosts.%s.replay.loops", a->host);
	if (!rc && a->loops)
		rc = set(s, key, a->loops);
	if (!rc && a->device)
		rc = set(s, "ports.source:wire.device", a->device);
	return rc;
}

#define LONGEST_S 100000 // of a run

// The run lasts as long as the capture, and a little for the last frames to arrive.
static int duration(struct session *s, const struct replay_args *a, const char *file)
{
	struct cap c;
	struct err err;
	uint64_t loops =
		a->loops ? strtoull(a->loops, NULL, 10) : 1; // the option's table judges it
	tstamp once;
	int status = EXIT_DONE;

	if (cap_read(&c, file, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return EXIT_INPUT;
	}
	once = tstamp_add(c.frame[c.n - 1].at, PS_PER_US);
	if (s->has_duration || !loops || loops > UINT32_MAX) {
		status = EXIT_DONE;
	} else if (once > LONGEST_S * PS_PER_S / loops) {
		fprintf(stderr,
			"%s: takes longer than %d s, the longest run; --duration says how much of it to send\n",
			file, LONGEST_S);
		status = EXIT_INPUT;
	} else {
		s->duration = once * loops + 10 * PS_PER_MS;
		s->has_duration = true;
	}
	cap_free(&c);
	return status;
}

int cmd_replay(int argc, char **argv)
{
	static const struct option options[] = {SESSION_OPTIONS, {"scenario", 1, 0, 'n'},
		{"host", 1, 0, 'a'}, {"device", 1, 0, 'p'}, {"loops", 1, 0, 'l'}, {0}};
	struct session s = {0};
	struct replay_args a = {.host = "source"};
	const char *scenario = NULL;
	int opt, own = session_args(&s, argc, argv), status;

	opterr = 0;
	while ((opt = getopt_long(own, argv, "", options, NULL)) != -1) {
		int rc = 0;

		if (opt == 'h') {
			fputs(usage, stdout);
			return EXIT_DONE;
		}
		if (opt == 'n')
			scenario = optarg;
		else if (opt == 'a')
			a.host = optarg;
		else if (opt == 'p')
			a.device = optarg;
		else if (opt == 'l')
			a.loops = optarg;
		else
			rc = session_option(&s, opt, opt == '?' ? argv[optind - 1] : optarg);
		if (rc)
			return EXIT_INPUT;
	}
	if (optind != own - 1) {
		fputs("quench replay: which capture? `quench replay --help` shows how\n", stderr);
		return EXIT_INPUT;
	}
	if (!scenario) {
		session_config(a.scenario, sizeof(a.scenario),
			a.device ? "replay-port.yaml" : "replay.yaml");
		scenario = a.scenario;
	}
	s.path = scenario;
	if (a.device)
		s.clock = CLOCK_REAL_TIME;
	status = duration(&s, &a, argv[optind]);
	if (status == EXIT_DONE && settings(&s, &a, argv[optind]))
		status = EXIT_INPUT;
	return status == EXIT_DONE ? session_run(&s) : status;
}
