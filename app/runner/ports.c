// SPDX-License-Identifier: BSD-3-Clause
// quench ports: tests a scenario's ports, or single devices and interfaces. Without an argument it
// lists what could be a port.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ifaces.h"
#include "runner.h"
#include "rt/rt.h"
#include "session/session.h"
#include "compile/compile.h"

#define DEVICES 64
#define DEVICE  300 // bytes of the longest that ifaces_device says

struct ports_args {
	struct session s; // the first
	bool json;
	unsigned selftest;
	bool has_selftest;
};

// Returns whether a word is a device: a PCI address, or a virtual device of DPDK. No scenario has
// such a name.
static bool is_device(const char *word)
{
	static const char *const begin[] = {"net_", "virtio_user", "eth_"};
	size_t n = strspn(word, "0123456789abcdefABCDEF:.");

	for (unsigned i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
		if (!strncmp(word, begin[i], strlen(begin[i])))
			return true;
	return n >= 7 && strchr(word, ':') && (!word[n] || word[n] == ',');
}

// -EINVAL with a line where frames may come by a queue that the test does not read.
static int check_queues(const char *word, const char *device, struct err *err)
{
	unsigned pairs = compile_queue_pairs(device);

	if (pairs < 2)
		return 0;
	return err_set(err, -EINVAL,
		"'%s': the kernel spreads frames over all %u queues, and the test of a device "
		"reads one; leave qpairs=%u out, or name the scenario whose rx_queues or lcores "
		"read them",
		word, pairs, pairs);
}

// Checks the devices. -EINVAL: two of them are the same, or one cannot be tested; the message has
// the words that the user typed.
static int check_devices(char **device, char **word, unsigned n, struct err *err)
{
	for (unsigned i = 0; i < n; i++) {
		int rc = check_queues(word[i], device[i], err);

		if (rc)
			return rc;
	}
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = i + 1; k < n; k++) {
			const char *what = compile_shared_device(device[i], device[k]);

			if (what && !strcmp(word[i], word[k]))
				return err_set(err, -EINVAL, "'%s' stands here twice; name it once",
					word[i]);
			if (what)
				return err_set(err, -EINVAL,
					"'%s' and '%s' are %s; name one of them", word[i], word[k],
					what);
		}
	return 0;
}

// Writes the devices in quotes, since any character may stand in them: JSON is YAML.
static int write_ports(FILE *f, char **device, unsigned n, struct err *err)
{
	struct out o;
	struct jw w;
	int rc = out_stream(&o, f, "DEVICE", err);

	if (rc)
		return rc;
	jw_init(&w, &o);
	jw_object(&w, NULL, true);
	for (unsigned i = 0; i < n; i++) {
		char port[32];

		snprintf(port, sizeof(port), "s:h%u", i + 1);
		jw_object(&w, port, true);
		jw_str(&w, "device", device[i]);
		jw_end(&w);
	}
	jw_end(&w);
	return out_close(&o, err);
}

// Loads a switch with a port for each device; each port has the name that was typed.
static int load_devices(struct scene **s, char **device, char **word, unsigned n, struct err *err)
{
	struct scene_opts opts = {.real = true, .one_clock = true};
	char *text = NULL;
	FILE *f = open_memstream(&text, &opts.size);
	int rc;

	if (!f)
		return err_set(err, -ENOMEM, "no memory");
	fprintf(f,
		"name: ports\nduration: 1ms\nhosts: {h1..%u: {}}\nswitches: {s: {buffer: 1MB}}\n",
		n);
	fprintf(f, "links: [{between: [h1..%u, s], rate: 10Mbps}]\nports: ", n);
	rc = write_ports(f, device, n, err);
	fclose(f);
	opts.text = text;
	if (!rc)
		rc = text ? compile_scene(s, "DEVICE", &opts, err)
			  : err_set(err, -ENOMEM, "no memory");
	free(text);
	if (rc)
		return rc;
	for (unsigned i = 0, k = 0; i < (*s)->n_nodes; i++)
		for (unsigned p = 0; p < (*s)->node[i].n_ports; p++) {
			struct scene_port *port = &(*s)->node[i].port[p];

			if (port->device)
				snprintf(port->name, sizeof(port->name), "%s", word[k++]);
		}
	return 0;
}

static bool is_taken(char **word, unsigned n, unsigned number)
{
	char begin[32];
	size_t len = (size_t)snprintf(begin, sizeof(begin), "net_af_packet%u,", number);

	for (unsigned i = 0; i < n; i++)
		if (!strncmp(word[i], begin, len))
			return true;
	return false;
}

// Devices as they are, and interfaces as the devices that open them, in `room`.
static int name_devices(
	char **device, char (*room)[DEVICE], char **word, unsigned n, struct err *err)
{
	unsigned number = 0;

	for (unsigned i = 0; i < n; i++) {
		device[i] = word[i];
		if (is_device(word[i]))
			continue;
		while (is_taken(word, n, number))
			number++;
		if (!ifaces_device("/sys", word[i], number++, room[i], sizeof(room[i])))
			return err_set(err, -EINVAL,
				"'%s' is no device (a PCI address, or net_...) and no interface "
				"here (`quench ports` lists them): name one scenario, or devices "
				"only",
				word[i]);
		device[i] = room[i];
	}
	return 0;
}

// Returns whether a word is a scenario: one that exists, or a word that can be nothing else.
static bool is_scenario(const char *word)
{
	char room[PATH_MAX], device[DEVICE];
	struct stat st;

	if (is_device(word))
		return false;
	if (!stat(scenario_find(word, room, sizeof(room)), &st) && S_ISREG(st.st_mode))
		return true;
	return !ifaces_device("/sys", word, 0, device, sizeof(device));
}

static int load_scenario(
	struct scene **s, const char *word, const struct scene_opts *opts, struct err *err)
{
	const char *end = strrchr(word, '.');
	struct err told;
	int rc = scenario_load(s, scenario_name(word), opts, &told);

	if (rc == -ENOENT && *word && !strchr(word, '/') && (!end || strcmp(end, ".yaml")))
		return err_set(err, rc,
			"'%s' is no interface here (`quench ports` lists them) and no scenario: %s",
			word, told.text);
	if (rc)
		*err = told;
	return rc;
}

static int load_scene(
	struct scene **s, const struct ports_args *a, char **word, unsigned n, struct err *err)
{
	struct scene_opts opts = {.set = a->s.set,
		.n_set = a->s.n_set,
		.nodes = a->s.nodes,
		.trusts = a->s.trust,
		.real = true,
		.one_clock = true};
	char room[DEVICES][DEVICE], *device[DEVICES];
	int rc;

	if (n == 1 && is_scenario(word[0]))
		return load_scenario(s, word[0], &opts, err);
	if (n > DEVICES)
		return err_set(err, -EINVAL, "%u devices: %u at most", n, DEVICES);
	rc = name_devices(device, room, word, n, err);
	if (rc)
		return rc;
	if (a->s.n_set || a->s.nodes)
		return err_set(err, -EINVAL, "--%s is for a scenario, not for devices",
			a->s.n_set ? "set" : "nodes");
	rc = check_devices(device, word, n, err);
	return rc ? rc : load_devices(s, device, word, n, err);
}

static unsigned set_selftest(struct scene *s, const struct ports_args *a)
{
	unsigned devices = 0;

	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned p = 0; p < s->node[i].n_ports; p++) {
			struct scene_port *port = &s->node[i].port[p];

			devices += port->device != NULL;
			if (port->device && a->has_selftest)
				port->selftest = (enum scene_selftest)a->selftest;
		}
	return devices;
}

static void print_json(const struct record_findings *found)
{
	struct out o;
	struct err err;
	struct jw w;

	term_plain();
	if (out_stream(&o, stdout, "standard output", &err))
		return;
	jw_init(&w, &o);
	jw_object(&w, NULL, false);
	if (found)
		record_finding_put(&w, "self_test", found);
	else
		ifaces_put("/sys", &w, "interfaces");
	jw_end(&w);
	out_close(&o, &err);
}

static void print_line(const struct record_finding *l)
{
	printf("  %-21s  %-7s  %s\n", l->what, record_verdict_names[l->verdict], l->found);
	if (*l->advice)
		printf("  %-21s  %-7s  %s\n", "", "", l->advice);
}

static bool had(const struct record_findings *found, unsigned end, const char *subject)
{
	for (unsigned i = 0; i < end; i++)
		if (!strcmp(found->line[i].subject, subject))
			return true;
	return false;
}

// Prints the findings by port, in whatever order they were found.
static void print_table(const struct record_findings *found)
{
	for (unsigned i = 0; i < found->n; i++) {
		const char *subject = found->line[i].subject;

		if (had(found, i, subject))
			continue;
		printf("%s%s\n", i ? "\n" : "", subject);
		for (unsigned k = i; k < found->n; k++)
			if (!strcmp(found->line[k].subject, subject))
				print_line(&found->line[k]);
	}
}

// Nobody has typed ports where devices were typed: a line about the port of one is about the
// device, and names it once.
static const char *without_port(const char *line, char **word, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		char port[DEVICE + 16], device[DEVICE + 16];
		size_t len = (size_t)snprintf(port, sizeof(port), "port %s: ", word[i]);

		if (len >= sizeof(port) || strncmp(line, port, len) != 0)
			continue;
		snprintf(device, sizeof(device), "\"%s\"", word[i]);
		return line + (strstr(line + len, device) ? len : strlen("port "));
	}
	return line;
}

static int test(const struct ports_args *a, char **word, unsigned n)
{
	struct rt_opts opts = {.stop = stop_catch(false),
		.workers = a->s.workers,
		.no_huge = a->s.no_huge,
		.eal_argc = a->s.eal_argc,
		.eal_argv = a->s.eal_argv,
		.program = "quench"};
	struct record_findings found = {0};
	struct scene *s;
	struct err err;
	int status = EXIT_DONE, rc = load_scene(&s, a, word, n, &err);

	if (rc)
		return tell_input("quench ports", err.text);
	if (!set_selftest(s, a))
		rc = err_set(&err, -EINVAL,
			"%s has no device%s; a port has one as in ports: {\"s1:h1\": {device: "
			"net_ring0}}",
			word[0], a->s.nodes ? " at these nodes" : "");
	else
		rc = rt_ports(s, &opts, &found, &err);
	scene_free(s);
	if (rc) {
		tell("quench ports: %s", without_port(err.text, word, n));
		return EXIT_INPUT;
	}
	if (a->json)
		print_json(&found);
	else
		print_table(&found);
	if (record_finding_count(&found, RECORD_BAD))
		status = EXIT_VERDICT;
	record_finding_free(&found);
	return status;
}

static int list_ifaces(const struct ports_args *a)
{
	if (a->json)
		print_json(NULL);
	else
		ifaces_print("/sys", stdout);
	return EXIT_DONE;
}

static int ports_main(int argc, char **argv)
{
	struct ports_args a = {0};
	int status, own = session_args(&a.s, argc, argv);
	int at = args_read(&runner_ports, &a, own, argv);

	if (at <= 0)
		status = at ? EXIT_INPUT : EXIT_DONE;
	else if (at == own)
		status = list_ifaces(&a);
	else
		status = test(&a, argv + at, (unsigned)(own - at));
	session_free(&a.s);
	return stop_status(status);
}

static const char *const selftest_words[] = {"none", "loop", "peer", NULL};

const struct args_command runner_ports = {
	.name = "ports",
	.summary = "test the devices of a scenario and the machine, and run nothing",
	.about =
		"Opens the devices of a scenario, or devices by their DPDK names or the names of "
		"the kernel's interfaces, and prints what stands in the way of a good run: "
		"drivers, links, offloads, flow control, NUMA, clock, hugepages, governor. Each "
		"line that is not ok says what to do. Then everything is closed again. A run does "
		"the same at its start and keeps it in manifest.json.\n\n"
		"Without an operand it lists the interfaces and PCI functions of the machine, and "
		"what to write as `device` for each; it opens none of them. An interface without a "
		"wire (veth, TAP, bridge) has no speed there, whatever the kernel says of it. "
		"docs/real-time.md describes each line.",
	.options = ARGS_OPTIONS(&session_settings, &session_trust,
		ARGS_ROW(.name = "nodes", .value = "N,N", .kind = ARGS_TEXT,
			ARGS_AT(struct ports_args, s.nodes),
			.help = "Tests what a part of the scenario has: the devices of these "
				"nodes, as in h1..4,s1. No other device is opened."),
		ARGS_ROW(.name = "selftest", .value = "WORD", .kind = ARGS_WORD,
			.words = selftest_words, ARGS_AT(struct ports_args, selftest),
			.given = offsetof(struct ports_args, has_selftest),
			.help = "Takes this for `selftest` of every device: whether PFC frames "
				"are sent, to itself (loop) or to another of the devices (peer)."),
		ARGS_ROW(.name = "json", ARGS_AT(struct ports_args, json),
			.help = "Prints JSON: an array `self_test`, or `interfaces`."),
		&session_workers, &session_no_huge),
	.operands = ARGS_OPERANDS(
		{.name = "SCENARIO|DEVICE", .fill = ARGS_SCENARIO, .optional = true, .many = true}),
	.wanted = "name one scenario, or devices or interfaces, or nothing",
	.behind = "EAL arguments",
	.examples = ARGS_WORDS("quench ports", "quench ports lab.yaml",
		"quench ports lab.yaml --nodes h1..4", "quench ports eth1 eth2 --selftest peer",
		"quench ports net_ring0 --selftest loop",
		"quench ports 0000:3b:00.0 0000:3b:00.1 --selftest peer --json"),
	.statuses = ARGS_VERDICT | ARGS_SIGNAL,
	.run = ports_main,
};
