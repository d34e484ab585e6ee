// SPDX-License-Identifier: BSD-3-Clause
// quench reg: registers of the RDMA IP in a running instance, and its debugging window.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "int.h"
#include "rp/rp.h"
#include "scene/scene.h"
#include "schema/schema.h"

struct reg_args {
	const char *host, *qp, *instance; // host and qp: "" where not given; instance: NULL
	bool raw, start, stop, csv;
	struct instance to;
};

// A register's answer.
struct reg_word {
	char node[64];
	uint32_t qpn;
	struct rdma_ip_place place;
	uint64_t value, clock_hz;
};

static int read_register(
	const struct reg_args *r, struct reg_word *w, struct err *err, const char *name)
{
	const char *node;
	json_t *j;
	int rc = instance_ask(&r->to, &j, err, "/quench/reg/read,%s,%s,%s", r->host, r->qp, name);

	if (rc)
		return rc;
	*w = (struct reg_word){.qpn = (uint32_t)instance_number(j, "qp"),
		.place = {.address = (uint32_t)instance_number(j, "address"),
			.lsb = (uint8_t)instance_number(j, "lsb"),
			.width = (uint8_t)instance_number(j, "width")},
		.value = instance_number(j, "value"),
		.clock_hz = instance_number(j, "clock_hz")};
	node = json_string_value(json_object_get(j, "node"));
	snprintf(w->node, sizeof(w->node), "%s", node ? node : "");
	json_decref(j);
	return 0;
}

// Writes a register that was read, by the action `reg`, so that the run's manifest has it.
static int write_register(struct reg_args *r, const struct reg_word *w, struct err *err,
	const char *name, const char *value)
{
	json_t *of = json_pack("{s:s, s:s, s:s}", "node", w->node, "name", name, "value", value);
	json_t *action = json_pack("{s:O}", "reg", of), *answer;
	char *text;
	int rc;

	if (w->qpn)
		json_object_set_new(of, "qp", json_integer(w->qpn));
	text = json_dumps(action, JSON_COMPACT);
	json_decref(of);
	json_decref(action);
	if (!text)
		return err_set(err, -EINVAL, "'%.40s' is no text in UTF-8", value);
	rc = instance_control(&r->to, &answer, err, "do", text);
	free(text);
	if (!rc)
		json_decref(answer);
	return rc;
}

// Reads a register or field; writes it first where `value` is not NULL. 0, or -errno and a line.
static int ask_register(struct reg_args *r, struct reg_word *w, struct err *err, const char *name,
	const char *value)
{
	int rc = read_register(r, w, err, name);

	if (rc || !value)
		return rc;
	rc = reg_name_value(&w->value, value, &w->place, err);
	return rc ? rc : write_register(r, w, err, name, value);
}

static void print_field(const struct reg_word *w, const struct rdma_ip_field *f)
{
	uint64_t v = w->value >> (f->lsb - w->place.lsb) & rdma_ip_field_mask(f->width);
	char bits[16], rate[32] = "";

	snprintf(bits, sizeof(bits), f->width == 1 ? "%u" : "%u:%u", f->lsb + f->width - 1u,
		(unsigned)f->lsb);
	if (strstr(f->help, "bytes in 1024 cycles") && w->clock_hz)
		snprintf(rate, sizeof(rate),
			"%.3f Gb/s: ", (double)rdma_ip_rp_bps((uint32_t)v, w->clock_hz) / 1e9);
	printf("  %-26s %6s %12llu  %s%s\n", f->name, bits, (unsigned long long)v, rate, f->help);
}

static void print_word(const struct reg_word *w)
{
	char name[64], qp[24] = "";

	if (w->qpn)
		snprintf(qp, sizeof(qp), " qp %u", w->qpn);
	printf("%s%s  0x%06x  %s = 0x%llx\n", w->node, qp, (unsigned)w->place.address,
		reg_name_of(&w->place, name, sizeof(name)), (unsigned long long)w->value);
	for (unsigned i = 0; i < rdma_ip_n_fields; i++)
		if (reg_name_covers(&w->place, &rdma_ip_fields[i]))
			print_field(w, &rdma_ip_fields[i]);
}

// Asks for a register and prints the answer. Returns the exit status.
static int show_register(struct reg_args *r, const char *name, const char *value)
{
	struct reg_word w;
	struct err err;

	if (ask_register(r, &w, &err, name, value))
		return tell_input("quench reg", err.text);
	if (r->raw)
		printf("0x%llx\n", (unsigned long long)w.value);
	else
		print_word(&w);
	return EXIT_DONE;
}

// Hosts with registers, a page at a time.
static int print_hosts(const struct reg_args *r)
{
	uint64_t from = 0;

	do {
		struct err err;
		json_t *j, *name;
		size_t i;

		if (instance_ask(
			    &r->to, &j, &err, "/quench/reg/list,%llu", (unsigned long long)from))
			return tell_input("quench reg", err.text);
		json_array_foreach(json_object_get(j, "names"), i, name)
		{
			const char *text = json_string_value(name);
			const char *qps = text ? strrchr(text, ' ') : NULL;

			if (qps)
				printf("  %.*s: queue pairs up to %s\n", (int)(qps - text), text,
					qps + 1);
		}
		if (!instance_number(j, "all"))
			printf("  no host has registers: none has a control of profile rdma_ip\n");
		from = instance_next(j, from);
		json_decref(j);
	} while (from);
	return EXIT_DONE;
}

// Prints hosts with registers where an instance `runs`, and all registers. Exit status.
static int list_registers(struct reg_args *r, bool runs)
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
	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		const struct rdma_ip_field *f = &rdma_ip_fields[i];

		if (!i || f->address != f[-1].address)
			printf("%s0x%06x%s  %-18s ", i ? "\n" : "", (unsigned)f->address,
				rdma_ip_field_per_qp(f) ? "+" : " ", f->word);
		printf(" %s", f->name);
	}
	printf("\n+ of each queue pair: 0x100 further for the next\n");
	return status;
}

// The registers of DFX show the window of one queue pair: it is chosen first, and with it begun or
// ended.
static int choose_window(struct reg_args *r, struct reg_word *w, struct err *err)
{
	char value[32];
	int rc = ask_register(r, w, err, "RATE_MEM", NULL); // which host and queue pair are meant

	if (rc)
		return rc;
	snprintf(value, sizeof(value), "0x%llx",
		w->qpn | (r->start ? 1ull << 32 : 0) | (r->stop ? 1ull << 33 : 0));
	return ask_register(r, w, err, "DCQCN_DFX_CTRL", value);
}

// The values at the beginning of a window (standards.md 11, 6.12.5): rates, alpha, T and BC.
static int print_begin(struct reg_args *r)
{
	static const char *const words[] = {"RATE_MEM", "ALPHA_MEM", "T_BC_MEM"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (show_register(r, words[i], NULL))
			return EXIT_INPUT;
	return EXIT_DONE;
}

static void print_entry(const struct reg_args *r, const struct reg_word *w, uint32_t qpn)
{
	unsigned code = w->value & 7, rate = w->value >> 16 & 0xffff;
	unsigned us = (unsigned)(w->value >> 32);
	double gbps = (double)rdma_ip_rp_bps(rate, w->clock_hz) / 1e9;

	printf(r->csv ? "%u,%s,%u,%u,%s,%u,%.6f\n" : "%10u  %-8s %4u  %u  %-30s %6u  %10.6f\n", us,
		w->node, qpn, code, rdma_ip_dfx_name(code), rate, gbps);
}

static int print_window(struct reg_args *r, uint32_t qpn)
{
	struct reg_word w;
	struct err err;

	if (r->csv)
		term_plain();
	if (r->csv)
		printf("time_us,node,qp,event,event_name,rate,rate_gbps\n");
	else if (show_register(r, "DCQCN_DFX_CTRL", NULL) ||
		 show_register(r, "DCQCN_DFX_CNT", NULL))
		return EXIT_INPUT;
	for (unsigned i = 0; i < RDMA_IP_DFX_ENTRIES; i++) {
		if (ask_register(r, &w, &err, "DCQCN_DFX_INFO", NULL))
			return tell_input("quench reg", err.text);
		if ((w.value & 7) == RDMA_IP_DFX_RESERVED)
			break;
		if (!i && !r->csv)
			printf("%10s  %-8s %4s  %-32s %6s  %10s\n", "time us", "node", "qp",
				"event", "rate", "Gb/s");
		print_entry(r, &w, qpn);
	}
	return EXIT_DONE;
}

// Begins, ends or prints the debugging window. Exit status.
static int show_window(struct reg_args *r)
{
	struct reg_word w;
	struct err err;
	uint32_t qpn;

	if (r->start && print_begin(r))
		return EXIT_INPUT;
	if (choose_window(r, &w, &err))
		return tell_input("quench reg", err.text);
	qpn = (uint32_t)(w.value & 0xffffff);
	if (!r->start && !r->stop)
		return print_window(r, qpn);
	printf("%s qp %u: %s\n", w.node, qpn,
		r->start ? "its next 64 events are recorded" : "recording has ended");
	return EXIT_DONE;
}

static int do_verb(struct reg_args *r, int argc, char **argv)
{
	const char *what = argv[0];
	struct instance_dirs dirs;
	struct err err;
	int rc, status = EXIT_INPUT;
	bool lists = !strcmp(what, "list");

	instance_dirs(&dirs);
	rc = instance_open(&r->to, r->instance, &dirs, &err);
	if (rc && !(lists && !r->instance && rc == -2))
		return tell_input("quench reg", err.text);
	if (lists)
		status = list_registers(r, !rc);
	else if (!strcmp(what, "dfx"))
		status = show_window(r);
	else
		status = show_register(r, argv[1], argc == 3 ? argv[2] : NULL);
	if (!rc)
		instance_close(&r->to);
	return status;
}

static int reg_main(int argc, char **argv)
{
	struct reg_args r = {.host = "", .qp = ""};
	int at = args_read(&instance_reg, &r, argc, argv);

	if (at <= 0)
		return at ? EXIT_INPUT : EXIT_DONE;
	return do_verb(&r, argc - at, argv + at);
}

static const struct args_option *const options[] = {
	ARGS_ROW(.name = "host", .value = "H", .kind = ARGS_TEXT, ARGS_AT(struct reg_args, host),
		.help = "Asks this host. It is needed where more than one has registers."),
	ARGS_ROW(.name = "qp", .value = "N", .kind = ARGS_TEXT, ARGS_AT(struct reg_args, qp),
		.help = "Asks this queue pair. It is needed for what each queue pair has, where "
			"there are several."),
	INSTANCE_OPTION(struct reg_args),
	ARGS_ROW(.name = "raw", ARGS_AT(struct reg_args, raw),
		.help = "read, write: prints the value alone, in hex."),
	ARGS_ROW(.name = "start", .verb = "dfx", ARGS_AT(struct reg_args, start),
		.help = "dfx: shows what the queue pair begins with and records its next 64 "
			"events."),
	ARGS_ROW(.name = "stop", .verb = "dfx", ARGS_AT(struct reg_args, stop),
		.help = "dfx: ends the recording."),
	ARGS_ROW(.name = "csv", .verb = "dfx", ARGS_AT(struct reg_args, csv),
		.help = "dfx: prints what the window holds as CSV."),
	NULL,
};

const struct args_command instance_reg = {
	.name = "reg",
	.summary = "read and write the RDMA IP's registers in a running instance",
	.about = "Reads and writes the registers of the RDMA IP (control profile rdma_ip) in an "
		 "instance that runs on the real clock. docs/registers.md has them all. A "
		 "field is named alone or behind its register: target_rate, "
		 "RATE_MEM.target_rate.\n\n"
		 "The run's manifest lists each write, and `quench rerun` repeats it.",
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
	.run = reg_main,
};
