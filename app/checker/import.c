// SPDX-License-Identifier: BSD-3-Clause
// quench import: a SONiC switch's configuration, or files of the HPCC simulator, as a scenario.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "checker.h"
#include "compile/compile.h"
#include "hpcc/hpcc.h"
#include "lumina/lumina.h"
#include "scene/scene.h"
#include "sonic/sonic.h"

// A file that is cut off is none, unless it was there before.
static int write_file(const char *yaml, const char *out, bool force)
{
	FILE *f = fopen(out, force ? "w" : "wx");
	bool failed;

	if (!f)
		return tell_input(out, errno == EEXIST ? "is there already; --force writes over it"
						       : strerror(errno));
	failed = fputs(yaml, f) < 0;
	failed |= fclose(f) != 0;
	if (!failed)
		return EXIT_DONE;
	tell_input(out, strerror(errno));
	if (!force)
		unlink(out);
	return EXIT_INPUT;
}

// Writes a scenario that loads, to standard output where `out` is NULL. One that does not is not
// written, and the line says which value of it is wrong, or which of another file that it names.
static int deliver(const char *yaml, const char *out, bool force)
{
	const struct scene_opts opts = {.text = yaml, .size = strlen(yaml)};
	const char *name = out ? out : "<stdout>";
	int rc = EXIT_DONE;
	struct scene *s;
	struct err err;

	if (compile_scene(&s, name, &opts, &err)) {
		tell("%s%s",
			strncmp(err.text, name, strlen(name)) ? "" : "not written: ", err.text);
		return EXIT_INPUT;
	}
	if (!out) {
		term_plain();
		fputs(yaml, stdout);
	} else {
		rc = write_file(yaml, out, force);
	}
	if (out && !rc)
		fprintf(stderr,
			"%s: a scenario with %u node%s, %u queue pair%s and %u warning%s; next: "
			"quench check %s\n",
			out, s->n_nodes, plural(s->n_nodes), s->n_flows, plural(s->n_flows),
			s->n_warnings, plural(s->n_warnings), out);
	scene_free(s);
	return rc;
}

struct import_args {
	struct sonic_opts sonic;
	const char *out;
	const char *hpcc, *flow, *config, *lumina;
	bool force, full;
};

static void print_left(char *const *left, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		fprintf(stderr, "not taken: %s\n", left[i]);
}

static int import_hpcc(const struct import_args *a)
{
	const struct hpcc_files files = {a->hpcc, a->flow, a->config, a->out};
	struct hpcc_import in = {0};
	struct err err;
	int rc;

	if (!a->hpcc || !a->flow)
		return tell_input("import", "--hpcc TOPOLOGY and --flow FLOWS stand together");
	if (hpcc_import(&in, &files, &err)) {
		tell("%s", err.text);
		rc = EXIT_INPUT;
	} else {
		print_left(in.left, in.n_left);
		rc = deliver(in.yaml, a->out, a->force);
	}
	hpcc_free(&in);
	return rc;
}

static int import_lumina(const struct import_args *a)
{
	struct lumina_import in;
	struct err err;
	int rc;

	if (lumina_import(&in, a->lumina, &err)) {
		tell("%s", err.text);
		rc = EXIT_INPUT;
	} else {
		print_left(in.left, in.n_left);
		rc = deliver(in.yaml, a->out, a->force);
	}
	lumina_free(&in);
	return rc;
}

static int import_sonic(const struct import_args *a)
{
	struct sonic_import in;
	struct err err;
	int rc;

	if (sonic_import(&in, &a->sonic, &err)) {
		sonic_free(&in);
		tell("%s", err.text);
		return EXIT_INPUT;
	}
	for (unsigned i = 0; i < in.n_said; i++)
		fprintf(stderr, "%s\n", in.said[i]);
	if (in.n_left && !a->full)
		fprintf(stderr,
			"not taken  %u settings, which the head of the scenario names; "
			"--full prints them\n",
			in.n_left);
	if (a->full)
		print_left(in.left, in.n_left);
	rc = deliver(in.yaml, a->out, a->force);
	sonic_free(&in);
	return rc;
}

static int import_main(int argc, char **argv)
{
	struct import_args a = {0};
	int at = args_read(&checker_import, &a, argc, argv);
	bool is_hpcc = a.hpcc || a.flow || a.config;

	if (at <= 0)
		return at ? EXIT_INPUT : EXIT_DONE;
	if (a.lumina && (at < argc || is_hpcc))
		return tell_input("import", "--lumina stands without other files");
	if (a.lumina)
		return import_lumina(&a);
	if (is_hpcc && (at < argc || a.sonic.port_map || a.sonic.pg_lookup || a.sonic.group))
		return tell_input("import", "--hpcc stands without config_db.json and its options");
	if (is_hpcc)
		return import_hpcc(&a);
	if (at >= argc)
		return tell_input("import",
			"name the config_db.json of a switch, --hpcc and --flow, or --lumina");
	a.sonic.paths = (const char *const *)argv + at;
	a.sonic.n_paths = (unsigned)(argc - at);
	return import_sonic(&a);
}

static const struct args_option *const options[] = {
	ARGS_ROW(.name = "port-map", .value = "PORT=HOST,...", .kind = ARGS_TEXT,
		ARGS_AT(struct import_args, sonic.port_map),
		.help = "Names the ports to take and the host at each. Without it all ports in "
			"service are taken, with the hosts h1, h2 and so on."),
	ARGS_ROW(.name = "group", .value = "N", .kind = ARGS_NUMBER, .min = 1, .max = 512,
		ARGS_AT(struct import_args, sonic.group),
		.help = "Takes only the ports of this group, which are equal in maps, markers, "
			"weights and PFC; 1 is the largest."),
	ARGS_ROW(.name = "pg-lookup", .value = "FILE", .kind = ARGS_TEXT, .fill = ARGS_FILE,
		ARGS_AT(struct import_args, sonic.pg_lookup),
		.help = "pg_profile_lookup.ini of the switch: SONiC's static buffer model makes "
			"lossless groups from it."),
	ARGS_ROW(.name = "hpcc", .value = "TOPOLOGY", .kind = ARGS_TEXT, .fill = ARGS_FILE,
		ARGS_AT(struct import_args, hpcc),
		.help = "Imports a topology.txt of the HPCC simulator or of ConWeave instead."),
	ARGS_ROW(.name = "flow", .value = "FLOWS", .kind = ARGS_TEXT, .fill = ARGS_FILE,
		ARGS_AT(struct import_args, flow),
		.help = "Names its flow list, flow.txt, which the scenario names, too."),
	ARGS_ROW(.name = "config", .value = "CONFIG", .kind = ARGS_TEXT, .fill = ARGS_FILE,
		ARGS_AT(struct import_args, config),
		.help = "Names its config.txt; else flows have no control and switches no marker."),
	ARGS_ROW(.name = "lumina", .value = "CONFIG", .kind = ARGS_TEXT, .fill = ARGS_FILE,
		ARGS_AT(struct import_args, lumina),
		.help = "Imports a test configuration of Lumina instead; its events become "
			"faults."),
	ARGS_ROW(.name = "out", .value = "FILE", .kind = ARGS_TEXT, .fill = ARGS_FILE,
		ARGS_AT(struct import_args, out),
		.help = "Writes the scenario there. Without it the scenario goes to standard "
			"output."),
	ARGS_ROW(.name = "full", ARGS_AT(struct import_args, full),
		.help = "Prints every setting that is left out, with the reason."),
	ARGS_ROW(.name = "force", ARGS_AT(struct import_args, force),
		.help = "Writes over a file that is there."),
	NULL,
};

const struct args_command checker_import = {
	.name = "import",
	.summary = "turn files of SONiC, the HPCC simulator or Lumina into a scenario",
	.about = "Turns the buffers, WRED profiles, schedulers, QoS maps, PFC and watchdog of a "
		 "SONiC switch into a scenario with one switch, s1, and a host at each "
		 "port; every port has its own values, and every value says where it came from. "
		 "Settings that a scenario "
		 "cannot hold are named on stderr and in the scenario, with the reason.\n\n"
		 "With --hpcc it turns topology, flow list and configuration of the HPCC simulator "
		 "into a scenario that names the flow list. With --lumina it turns the traffic and "
		 "the events of a Lumina test into a flow and its faults.",
	.options = options,
	.operands = ARGS_OPERANDS(
		{.name = "CONFIG_DB.JSON", .fill = ARGS_FILE, .many = true, .optional = true}),
	.wanted = "name the config_db.json of a switch",
	.examples = ARGS_WORDS("quench import /etc/sonic/config_db.json --out leaf1.yaml",
		"quench import config_db.json --port-map Ethernet0=h1,Ethernet4=h2,Ethernet8=r "
		"--out three.yaml",
		"quench import --hpcc topology.txt --flow flow.txt --out ls.yaml",
		"quench check three.yaml",
		"quench run three.yaml --set switches.s1.cell=208 --set "
		"switches.s1.classes.3.pfc.dynamic_th=-2"),
	.run = import_main,
};
