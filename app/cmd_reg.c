// SPDX-License-Identifier: BSD-3-Clause
// quench reg: registers of the RDMA IP in a running instance, and its debugging window.
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "reg_int.h"

static const char usage[] =
	"usage: quench reg list\n"
	"       quench reg read NAME|ADDRESS\n"
	"       quench reg write NAME|ADDRESS VALUE\n"
	"       quench reg dfx [--start | --stop | --csv]\n"
	"\n"
	"Registers of the RDMA IP (control profile rdma_ip) in an instance that runs on the real clock.\n"
	"docs/registers.md has them all; a field is named alone or behind its register: target_rate,\n"
	"RATE_MEM.target_rate.\n"
	"  --host H         of this host; needed where more than one has registers\n"
	"  --qp N           of this queue pair; needed for what each queue pair has, where there are several\n"
	"  --instance NAME  of this instance: --instance of `quench run`, its scenario's name, or a pid\n"
	"  --raw            read: the value alone, in hex\n"
	"  --start, --stop  dfx: shows what the queue pair begins with and records its next 64 events; ends it\n"
	"  --csv            dfx: what the window holds as CSV\n"
	"\n"
	"examples:\n"
	"  quench run rdma-ip --clock real --duration 1s &\n"
	"  quench reg list\n"
	"  quench reg read RATE_MEM --host a1 --qp 1\n"
	"  quench reg write CC_RATE_MEM 512 --host b1 --qp 1\n"
	"  quench reg dfx --host a1 --qp 1 --start\n"
	"  quench reg dfx --host a1 --qp 1 --csv > window.csv\n";

static int act(struct reg *r, int argc, char **argv)
{
	const char *what = argc ? argv[0] : "";
	struct instance_dirs dirs;
	struct err err;
	int rc, status = EXIT_INPUT;
	bool lists = !strcmp(what, "list") && argc == 1;

	if (!lists && !(!strcmp(what, "read") && argc == 2) &&
		!(!strcmp(what, "write") && argc == 3) && !(!strcmp(what, "dfx") && argc == 1)) {
		fprintf(stderr,
			"quench reg: write list, read NAME, write NAME VALUE or dfx; `quench reg "
			"--help` tells more\n");
		return EXIT_INPUT;
	}
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

int cmd_reg(int argc, char **argv)
{
	static const struct option options[] = {{"host", 1, 0, 'H'}, {"qp", 1, 0, 'q'},
		{"instance", 1, 0, 'i'}, {"raw", 0, 0, 'r'}, {"start", 0, 0, 's'},
		{"stop", 0, 0, 'e'}, {"csv", 0, 0, 'c'}, {"help", 0, 0, 'h'}, {0}};
	struct reg r = {.host = "", .qp = ""};

	opterr = 0;
	for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (c == 'h')
			return fputs(usage, stdout), EXIT_DONE;
		if (c == '?') {
			fprintf(stderr, "quench reg: '%s' is not right; see quench reg --help\n",
				argv[optind - 1]);
			return EXIT_INPUT;
		}
		if (c == 'H')
			r.host = optarg;
		else if (c == 'q')
			r.qp = optarg;
		else if (c == 'i')
			r.instance = optarg;
		r.raw |= c == 'r';
		r.start |= c == 's';
		r.stop |= c == 'e';
		r.csv |= c == 'c';
	}
	return act(&r, argc - optind, argv + optind);
}
