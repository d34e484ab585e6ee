// SPDX-License-Identifier: BSD-3-Clause
// quench reg: registers of the RDMA IP in a running instance, and its debugging window.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "cmd.h"
#include "algo/hw_reg.h"
#include "algo/hw_rp.h"
#include "run/instance.h"
#include "run/reg_name.h"

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
	"  quench run config/rdma-ip.yaml --clock real --duration 1s &\n"
	"  quench reg list\n"
	"  quench reg read RATE_MEM --host a1 --qp 1\n"
	"  quench reg write CC_RATE_MEM 512 --host b1 --qp 1\n"
	"  quench reg dfx --host a1 --qp 1 --start\n"
	"  quench reg dfx --host a1 --qp 1 --csv > window.csv\n";

struct reg {
	const char *host, *qp, *instance;
	bool raw, start, stop, csv;
	struct instance to;
};

// A register's answer.
struct word {
	char node[64];
	uint32_t qpn;
	struct hw_place place;
	uint64_t value, clock_hz;
};

static int tell(const struct err *err)
{
	fprintf(stderr, "quench reg: %s\n", err->text);
	return EXIT_INPUT;
}

static uint64_t number(const json_t *answer, const char *key)
{
	const json_t *v = json_object_get(answer, key);

	return json_is_string(v) ? strtoull(json_string_value(v), NULL, 0)
				 : (uint64_t)json_integer_value(v);
}

static int ask(
	const struct reg *r, struct word *w, struct err *err, const char *name, const char *value)
{
	json_t *j;
	int rc = instance_ask(&r->to, &j, err, "/quench/reg/%s,%s,%s,%s%s%s",
		value ? "write" : "read", r->host, r->qp, name, value ? "," : "",
		value ? value : "");

	if (rc)
		return rc;
	*w = (struct word){.qpn = (uint32_t)number(j, "qp"),
		.place = {.address = (uint32_t)number(j, "address"),
			.lsb = (uint8_t)number(j, "lsb"),
			.width = (uint8_t)number(j, "width")},
		.value = number(j, "value"),
		.clock_hz = number(j, "clock_hz")};
	snprintf(w->node, sizeof(w->node), "%s", json_string_value(json_object_get(j, "node")));
	json_decref(j);
	return 0;
}

static void print_field(const struct word *w, const struct hw_field *f)
{
	uint64_t v = w->value >> (f->lsb - w->place.lsb) & hw_field_mask(f->width);
	char bits[16], rate[32] = "";

	snprintf(bits, sizeof(bits), f->width == 1 ? "%u" : "%u:%u", f->lsb + f->width - 1u,
		(unsigned)f->lsb);
	if (strstr(f->help, "octets in 1024 cycles") && w->clock_hz)
		snprintf(rate, sizeof(rate),
			"%.3f Gb/s: ", (double)hw_rp_bps((uint32_t)v, w->clock_hz) / 1e9);
	printf("  %-26s %6s %12llu  %s%s\n", f->name, bits, (unsigned long long)v, rate, f->help);
}

static void print_word(const struct word *w)
{
	char name[64], qp[24] = "";

	if (w->qpn)
		snprintf(qp, sizeof(qp), " qp %u", w->qpn);
	printf("%s%s  0x%06x  %s = 0x%llx\n", w->node, qp, (unsigned)w->place.address,
		reg_name_of(&w->place, name, sizeof(name)), (unsigned long long)w->value);
	for (unsigned i = 0; i < hw_n_fields; i++)
		if (reg_name_covers(&w->place, &hw_fields[i]))
			print_field(w, &hw_fields[i]);
}

static int read_or_write(const struct reg *r, const char *name, const char *value)
{
	struct word w;
	struct err err;

	if (ask(r, &w, &err, name, value))
		return tell(&err);
	if (r->raw)
		printf("0x%llx\n", (unsigned long long)w.value);
	else
		print_word(&w);
	return EXIT_DONE;
}

// Hosts with registers, a page at a time.
static int print_hosts(const struct reg *r)
{
	unsigned from = 0;

	do {
		struct err err;
		json_t *j, *name;
		size_t i;

		if (instance_ask(&r->to, &j, &err, "/quench/reg/list,%u", from))
			return tell(&err);
		json_array_foreach(json_object_get(j, "names"), i, name)
		{
			const char *text = json_string_value(name), *qps = strrchr(text, ' ');

			printf("  %.*s: queue pairs up to %s\n", (int)(qps - text), text, qps + 1);
		}
		if (!number(j, "all"))
			printf("  no host has registers: a control of profile rdma_ip brings them\n");
		from = (unsigned)number(j, "next");
		json_decref(j);
	} while (from);
	return EXIT_DONE;
}

static int list(struct reg *r, bool runs)
{
	int status = EXIT_DONE;

	if (runs) {
		printf("instance %s (pid %llu), scenario %s, at %.3f of %.3f ms\n", r->to.name,
			(unsigned long long)r->to.pid, r->to.scenario, (double)r->to.now_ps / 1e9,
			(double)r->to.duration_ps / 1e9);
		status = print_hosts(r);
	} else {
		printf("no instance is running; `quench run SCENARIO --clock real` starts one\n");
	}
	printf("\n%-9s  %-18s  %s\n", "address", "register", "fields");
	for (unsigned i = 0; i < hw_n_fields; i++) {
		const struct hw_field *f = &hw_fields[i];

		if (!i || f->address != f[-1].address)
			printf("%s0x%06x%s  %-18s ", i ? "\n" : "", (unsigned)f->address,
				hw_field_per_qp(f) ? "+" : " ", f->word);
		printf(" %s", f->name);
	}
	printf("\n+ of each queue pair: 0x100 further for the next\n");
	return status;
}

// The registers of DFX show the window of one queue pair: it is chosen first, and with it begun or ended.
static int choose_window(const struct reg *r, struct word *w, struct err *err)
{
	char value[32];
	int rc = ask(r, w, err, "RATE_MEM", NULL); // which host and queue pair are meant

	if (rc)
		return rc;
	snprintf(value, sizeof(value), "0x%llx",
		w->qpn | (r->start ? 1ull << 32 : 0) | (r->stop ? 1ull << 33 : 0));
	return ask(r, w, err, "DCQCN_DFX_CTRL", value);
}

// What a window begins with (guide 6.12.5): rates, alpha, T and BC.
static int print_begin(const struct reg *r)
{
	static const char *const words[] = {"RATE_MEM", "ALPHA_MEM", "T_BC_MEM"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (read_or_write(r, words[i], NULL))
			return EXIT_INPUT;
	return EXIT_DONE;
}

static void print_entry(const struct reg *r, const struct word *w, uint32_t qpn)
{
	unsigned code = w->value & 7, rate = w->value >> 16 & 0xffff;
	unsigned us = (unsigned)(w->value >> 32);
	double gbps = (double)hw_rp_bps(rate, w->clock_hz) / 1e9;

	printf(r->csv ? "%u,%s,%u,%u,%s,%u,%.6f\n" : "%10u  %-8s %4u  %u  %-30s %6u  %10.6f\n", us,
		w->node, qpn, code, hw_dfx_name(code), rate, gbps);
}

static int print_window(const struct reg *r, uint32_t qpn)
{
	struct word w;
	struct err err;

	if (r->csv)
		printf("time_us,node,qp,event,event_name,rate,rate_gbps\n");
	else if (read_or_write(r, "DCQCN_DFX_CTRL", NULL) ||
		 read_or_write(r, "DCQCN_DFX_CNT", NULL))
		return EXIT_INPUT;
	for (unsigned i = 0; i < HW_DFX_ENTRIES; i++) {
		if (ask(r, &w, &err, "DCQCN_DFX_INFO", NULL))
			return tell(&err);
		if ((w.value & 7) == HW_DFX_RESERVED)
			break;
		if (!i && !r->csv)
			printf("%10s  %-8s %4s  %-32s %6s  %10s\n", "time us", "node", "qp",
				"event", "rate", "Gb/s");
		print_entry(r, &w, qpn);
	}
	return EXIT_DONE;
}

static int dfx(const struct reg *r)
{
	struct word w;
	struct err err;
	uint32_t qpn;

	if (r->start && print_begin(r))
		return EXIT_INPUT;
	if (choose_window(r, &w, &err))
		return tell(&err);
	qpn = (uint32_t)(w.value & 0xffffff);
	if (!r->start && !r->stop)
		return print_window(r, qpn);
	printf("%s qp %u: %s\n", w.node, qpn,
		r->start ? "its next 64 events are recorded" : "recording has ended");
	return EXIT_DONE;
}

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
		return tell(&err);
	if (lists)
		status = list(r, !rc);
	else if (!strcmp(what, "dfx"))
		status = dfx(r);
	else
		status = read_or_write(r, argv[1], argc == 3 ? argv[2] : NULL);
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
