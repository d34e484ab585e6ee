// SPDX-License-Identifier: BSD-3-Clause
// quench reg: registers of the RDMA IP in a running instance, and its debugging window.
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "reg_int.h"

static int act(struct reg *r, int argc, char **argv)
{
	const char *what = argv[0];
	struct instance_dirs dirs;
	struct err err;
	int rc, status = EXIT_INPUT;
	bool lists = !strcmp(what, "list");

	instance_dirs(&dirs);
	rc = instance_open(&r->to, r->instance, &dirs, &err);
	if (rc && !(lists && !r->instance && rc == -2))
		return reg_tell(&err);
	if (lists)
		status = reg_list(r, !rc);
	else if (!strcmp(what, "dfx"))
		status = reg_dfx(r);
	else
		status = reg_show(r, argv[1], argc == 3 ? argv[2] : NULL);
	if (!rc)
		instance_close(&r->to);
	return status;
}

static int run(int argc, char **argv)
{
	struct reg r = {.host = "", .qp = ""};
	int at = args_read(&cmd_reg, &r, argc, argv);

	if (at <= 0)
		return at ? EXIT_INPUT : EXIT_DONE;
	return act(&r, argc - at, argv + at);
}

const struct args_option reg_instance = {.name = "instance",
	.value = "NAME",
	.kind = ARGS_TEXT,
	ARGS_AT(struct reg, instance),
	.help = "Asks this instance: the name that `quench run --instance` gave it, its "
		"scenario's name, or a pid."};

static const struct args_option *const options[] = {
	ARGS_ROW(.name = "host", .value = "H", .kind = ARGS_TEXT, ARGS_AT(struct reg, host),
		.help = "Asks this host. It is needed where more than one has registers."),
	ARGS_ROW(.name = "qp", .value = "N", .kind = ARGS_TEXT, ARGS_AT(struct reg, qp),
		.help = "Asks this queue pair. It is needed for what each queue pair has, where "
			"there are several."),
	&reg_instance,
	ARGS_ROW(.name = "raw", ARGS_AT(struct reg, raw),
		.help = "read, write: prints the value alone, in hex."),
	ARGS_ROW(.name = "start", .verb = "dfx", ARGS_AT(struct reg, start),
		.help = "dfx: shows what the queue pair begins with and records its next 64 "
			"events."),
	ARGS_ROW(.name = "stop", .verb = "dfx", ARGS_AT(struct reg, stop),
		.help = "dfx: ends the recording."),
	ARGS_ROW(.name = "csv", .verb = "dfx", ARGS_AT(struct reg, csv),
		.help = "dfx: prints what the window holds as CSV."),
	NULL,
};

const struct args_command cmd_reg = {
	.name = "reg",
	.summary = "read and write the RDMA IP's registers in a running instance",
	.about = "Reads and writes the registers of the RDMA IP (control profile rdma_ip) in an "
		 "instance that runs on the real clock. docs/registers.md has them all. A "
		 "field is named alone or behind its register: target_rate, "
		 "RATE_MEM.target_rate.",
	.options = options,
	.verbs = ARGS_VERBS({"list", 0, "Lists the hosts that have registers, and all registers."},
		{"read", 1, "Prints a register and its fields, or one field."},
		{"write", 2, "Writes a register or a field, and prints it."},
		{"dfx", 0, "Prints, begins or ends the debugging window of a queue pair."}),
	.operands =
		ARGS_OPERANDS({.name = "NAME|ADDRESS", .fill = ARGS_REGISTER}, {.name = "VALUE"}),
	.wanted = "write list, read NAME, write NAME VALUE or dfx",
	.examples = ARGS_WORDS("quench run rdma-ip --clock real --duration 1s &", "quench reg list",
		"quench reg read RATE_MEM --host a1 --qp 1",
		"quench reg write CC_RATE_MEM 512 --host b1 --qp 1",
		"quench reg dfx --host a1 --qp 1 --start",
		"quench reg dfx --host a1 --qp 1 --csv > window.csv"),
	.run = run,
};
