// SPDX-License-Identifier: BSD-3-Clause
// quench iqcn: the flow tables of switches in a running instance.
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "reg_int.h"

static const char usage[] =
	"usage: quench iqcn [SWITCH]\n"
	"\n"
	"The flows that switches with iQCN know in an instance that runs on the real clock, or one switch's:\n"
	"port where its data leaves, addresses of sender and receiver, the sender's queue pair, time since its\n"
	"last CNP, CNPs that the switch sent for it, and its age: time since its data or a CNP of its receiver\n"
	"passed. docs/algo/iqcn.md tells more; a run leaves the table of its end in iqcn.csv.\n"
	"  --instance NAME  of this instance: --instance of `quench run`, its scenario's name, or a pid\n"
	"\n"
	"examples:\n"
	"  quench run iqcn-capped-np --clock real --duration 1s --dilate 100 &\n"
	"  quench iqcn\n"
	"  quench iqcn s1\n";

static int tell(const struct err *err)
{
	fprintf(stderr, "quench iqcn: %s\n", err->text);
	return EXIT_INPUT;
}

static const char *text_at(const json_t *j, const char *column, size_t i)
{
	const char *text = json_string_value(json_array_get(json_object_get(j, column), i));

	return text ? text : "";
}

static uint64_t number_at(const json_t *j, const char *column, size_t i)
{
	return (uint64_t)json_integer_value(json_array_get(json_object_get(j, column), i));
}

static void print_flows(const json_t *j)
{
	uint64_t at = reg_number(j, "at_ps");

	for (size_t i = 0; i < json_array_size(json_object_get(j, "qpn")); i++) {
		uint64_t last = number_at(j, "last_cnp_ps", i);

		printf("  %-16s %-15s %-15s %8llu %14.3f %10llu %12.3f\n", text_at(j, "port", i),
			text_at(j, "sender", i), text_at(j, "receiver", i),
			(unsigned long long)number_at(j, "qpn", i),
			at > last ? (double)(at - last) / 1e6 : 0,
			(unsigned long long)number_at(j, "tx_cnp", i),
			(double)number_at(j, "age_ps", i) / 1e6);
	}
}

// One switch, a page at a time.
static int print_switch(const struct instance *to, const char *name)
{
	uint64_t from = 0;
	bool head = true;

	do {
		struct err err;
		json_t *j;

		if (instance_ask(to, &j, &err, "/quench/iqcn/flows,%s,%llu", name,
			    (unsigned long long)from))
			return tell(&err);
		if (head)
			printf("%s: %llu of %llu flows known\n  %-16s %-15s %-15s %8s %14s %10s "
			       "%12s\n",
				name, (unsigned long long)reg_number(j, "flows"),
				(unsigned long long)reg_number(j, "entries"), "port", "sender",
				"receiver", "qpn", "last CNP, us", "CNPs sent", "age, us");
		head = false;
		print_flows(j);
		from = reg_next(j, from);
		json_decref(j);
	} while (from);
	return EXIT_DONE;
}

static int print_switches(const struct instance *to)
{
	uint64_t from = 0;
	int status = EXIT_DONE;

	do {
		struct err err;
		json_t *j, *name;
		size_t i;

		if (instance_ask(to, &j, &err, "/quench/iqcn/list,%llu", (unsigned long long)from))
			return tell(&err);
		json_array_foreach(json_object_get(j, "names"), i, name)
		{
			if (status == EXIT_DONE && json_is_string(name))
				status = print_switch(to, json_string_value(name));
		}
		if (!reg_number(j, "all"))
			printf("no switch has a flow table: a class of a switch with iqcn brings it\n");
		from = reg_next(j, from);
		json_decref(j);
	} while (from && status == EXIT_DONE);
	return status;
}

static int act(const char *instance, const char *name)
{
	struct instance_dirs dirs;
	struct instance to;
	struct err err;
	int status;

	instance_dirs(&dirs);
	if (instance_open(&to, instance, &dirs, &err))
		return tell(&err);
	printf("instance %s (pid %llu), scenario %s, at %.3f of %.3f ms\n", to.name,
		(unsigned long long)to.pid, to.scenario, (double)to.now_ps / 1e9,
		(double)to.duration_ps / 1e9);
	status = name ? print_switch(&to, name) : print_switches(&to);
	instance_close(&to);
	return status;
}

int cmd_iqcn(int argc, char **argv)
{
	static const struct option options[] = {{"instance", 1, 0, 'i'}, {"help", 0, 0, 'h'}, {0}};
	const char *instance = NULL;

	opterr = 0;
	for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (c == 'h')
			return fputs(usage, stdout), EXIT_DONE;
		if (c == '?') {
			fprintf(stderr, "quench iqcn: '%s' is not right; see quench iqcn --help\n",
				argv[optind - 1]);
			return EXIT_INPUT;
		}
		instance = optarg;
	}
	if (argc - optind > 1) {
		fprintf(stderr, "quench iqcn: name one switch, or none; see quench iqcn --help\n");
		return EXIT_INPUT;
	}
	return act(instance, argv[optind]);
}
