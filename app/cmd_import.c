// SPDX-License-Identifier: BSD-3-Clause
// quench import: a SONiC switch's configuration as a scenario.
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "scene/scene.h"
#include "sonic/sonic.h"

static const char usage[] =
	"usage: quench import CONFIG_DB.JSON [--port-map PORT=HOST,...] [--out FILE] [--force]\n"
	"Turns the buffers, WRED profiles, schedulers, QoS maps, PFC and watchdog of a SONiC switch into a\n"
	"scenario with one switch, s1, and a host at each port; every value says where it came from. What a\n"
	"scenario cannot hold is named on stderr and in the scenario, with the reason.\n"
	"  --port-map P=H,... the ports to take and the host at each; else all that are not down, h1, h2 ...\n"
	"  --out FILE         write there, and check that it loads; else to standard output\n"
	"  --force            write over a file that is there\n"
	"examples:\n"
	"  quench import /etc/sonic/config_db.json --out leaf1.yaml\n"
	"  quench import config_db.json --port-map Ethernet0=h1,Ethernet4=h2,Ethernet8=r --out three.yaml\n"
	"  quench check three.yaml\n"
	"  quench run three.yaml --set switches.s1.cell=208 --set switches.s1.classes.3.pfc.dynamic_th=-2\n"
	"Exit status 2 where the file is not what it should be, with its line and column.\n";

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	return EXIT_INPUT;
}

static int write_to(FILE *f, const char *name, const char *yaml)
{
	bool failed = fputs(yaml, f) < 0;

	failed |= fclose(f) != 0;
	return failed ? complain(name, strerror(errno)) : EXIT_DONE;
}

// What was written is a scenario; if not, the one line says which value it is.
static int check(const char *path)
{
	struct scene_opts opts = {0};
	struct scene *s;
	struct err err;

	if (scene_load(&s, path, &opts, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return EXIT_INPUT;
	}
	fprintf(stderr, "%s: a scenario with %u ports; next: quench check %s\n", path,
		s->n_nodes - 1, path);
	scene_free(s);
	return EXIT_DONE;
}

static int write_out(const struct sonic_import *in, const char *out, bool force)
{
	if (!out) {
		fputs(in->yaml, stdout);
		return EXIT_DONE;
	}

	FILE *f = fopen(out, force ? "w" : "wx");

	if (!f)
		return complain(out, errno == EEXIST ? "is there already; --force writes over it"
						     : strerror(errno));

	int rc = write_to(f, out, in->yaml);

	return rc ? rc : check(out);
}

int cmd_import(int argc, char **argv)
{
	enum { PORT_MAP = 1, OUT, FORCE, HELP };
	static const struct option options[] = {
		{"port-map", required_argument, NULL, PORT_MAP},
		{"out", required_argument, NULL, OUT},
		{"force", no_argument, NULL, FORCE},
		{"help", no_argument, NULL, HELP},
		{0},
	};
	const char *port_map = NULL, *out = NULL;
	struct sonic_import in;
	struct err err;
	bool force = false;

	optind = 1;
	opterr = 0;
	for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (c == HELP)
			return fputs(usage, stdout), EXIT_DONE;
		if (c == '?')
			return complain("quench import",
				"an option is not right; quench import --help shows them");
		port_map = c == PORT_MAP ? optarg : port_map;
		out = c == OUT ? optarg : out;
		force |= c == FORCE;
	}
	if (argc - optind != 1)
		return complain(
			"quench import", "name one config_db.json; see quench import --help");
	if (sonic_import(&in, argv[optind], port_map, &err)) {
		sonic_free(&in);
		fprintf(stderr, "%s\n", err.text);
		return EXIT_INPUT;
	}
	for (unsigned i = 0; i < in.n_left; i++)
		fprintf(stderr, "not taken: %s\n", in.left[i]);

	int rc = write_out(&in, out, force);

	sonic_free(&in);
	return rc;
}
