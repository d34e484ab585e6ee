// SPDX-License-Identifier: BSD-3-Clause
// quench iqcn: the flow tables of switches in a running instance.
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "int.h"

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
	uint64_t at = instance_number(j, "at_ps");

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

// Prints one switch, a page at a time.
static int print_switch(const struct instance *to, const char *name)
{
	uint64_t from = 0;
	bool head = true;

	do {
		struct err err;
		json_t *j;

		if (instance_ask(to, &j, &err, "/quench/iqcn/flows,%s,%llu", name,
			    (unsigned long long)from))
			return tell_input("quench iqcn", err.text);
		if (head)
			printf("%s: %llu of %llu flows known\n"
			       "  %-16s %-15s %-15s %8s %14s %10s %12s\n",
				name, (unsigned long long)instance_number(j, "flows"),
				(unsigned long long)instance_number(j, "entries"), "port", "sender",
				"receiver", "qpn", "last CNP, us", "CNPs sent", "age, us");
		head = false;
		print_flows(j);
		from = instance_next(j, from);
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
			return tell_input("quench iqcn", err.text);
		json_array_foreach(json_object_get(j, "names"), i, name)
		{
			if (status == EXIT_DONE && json_is_string(name))
				status = print_switch(to, json_string_value(name));
		}
		if (!instance_number(j, "all"))
			printf("no switch has a flow table: none has a class with iqcn\n");
		from = instance_next(j, from);
		json_decref(j);
	} while (from && status == EXIT_DONE);
	return status;
}

static int print_instance(const char *instance, const char *name)
{
	struct instance_dirs dirs;
	struct instance to;
	struct err err;
	int status;

	instance_dirs(&dirs);
	if (instance_open(&to, instance, &dirs, &err))
		return tell_input("quench iqcn", err.text);
	printf("instance %s (pid %llu), scenario %s, at %.3f of %.3f ms\n", to.name,
		(unsigned long long)to.pid, to.scenario, (double)to.now_ps / 1e9,
		(double)to.duration_ps / 1e9);
	status = name ? print_switch(&to, name) : print_switches(&to);
	instance_close(&to);
	return status;
}

struct iqcn_args {
	const char *instance;
};

static int iqcn_main(int argc, char **argv)
{
	struct iqcn_args a = {0};
	int at = args_read(&instance_iqcn, &a, argc, argv);

	if (at <= 0)
		return at ? EXIT_INPUT : EXIT_DONE;
	return print_instance(a.instance, argv[at]);
}

const struct args_command instance_iqcn = {
	.name = "iqcn",
	.summary = "list the flows that switches with iQCN know in a running instance",
	.about = "Lists the flows that switches with iQCN know in an instance that runs on the "
		 "real clock, or one switch's: the port where its data leaves, the "
		 "addresses of sender and receiver, the sender's queue pair, the time "
		 "since its last CNP, the CNPs that the switch sent for it, and its age, "
		 "which is the time since its data or a CNP of its receiver passed. "
		 "docs/algo/iqcn.md tells more; a run leaves the table of its end in "
		 "iqcn.csv.",
	.options = ARGS_OPTIONS(INSTANCE_OPTION(struct iqcn_args)),
	.operands = ARGS_OPERANDS({.name = "SWITCH", .optional = true}),
	.wanted = "name one switch, or none",
	.examples =
		ARGS_WORDS("quench run iqcn-capped-np --clock real --duration 1s --dilate 100 &",
			"quench iqcn", "quench iqcn s1"),
	.run = iqcn_main,
};
