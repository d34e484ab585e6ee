// SPDX-License-Identifier: BSD-3-Clause
// quench bump: a switch between two ports of this machine, a bump in the wire, without a scenario
// file. Its options become a scenario, which --show prints.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "runner.h"
#include "session/session.h"
#include "sketch.h"

#define CNP_DSCP 48 // of class 6, as CNPs of NICs have it

struct bump_args {
	struct session s; // the first
	const char *kmin, *kmax, *pmax, *xoff, *headroom, *buffer, *speed;
	unsigned cls, dscp;
	bool show;
	tstamp last;
};

// An option is wrong whose value is no size, before the scenario is written.
static int check_size(const char *option, const char *value, struct err *err)
{
	uint64_t bytes;

	if (!units_parse(UNITS_SIZE, value, &bytes))
		return 0;
	return err_set(err, -EINVAL, "--%s %s: write %s", option, value, units_example(UNITS_SIZE));
}

static int check_sizes(const struct bump_args *a, struct err *err)
{
	uint64_t low, high;
	double share;
	int rc = check_size("kmin", a->kmin, err);

	if (!rc)
		rc = check_size("kmax", a->kmax, err);
	if (!rc)
		rc = check_size("xoff", a->xoff, err);
	if (!rc)
		rc = check_size("buffer", a->buffer, err);
	if (!rc && strcmp(a->headroom, "auto") != 0)
		rc = check_size("headroom", a->headroom, err);
	if (rc)
		return rc;
	if (units_parse_real(a->pmax, &share) || share > 1)
		return err_set(err, -EINVAL, "--pmax %s: write a share, as in 10%%", a->pmax);
	units_parse(UNITS_SIZE, a->kmin, &low);
	units_parse(UNITS_SIZE, a->kmax, &high);
	if (low > high)
		return err_set(err, -EINVAL, "--kmin %s is above --kmax %s", a->kmin, a->kmax);
	return 0;
}

static int find_ports(const struct bump_args *a, char **word, struct device d[2], uint64_t rate[2],
	struct err *err)
{
	for (unsigned i = 0; i < 2; i++) {
		if (!device_find(&d[i], word[i], i))
			return err_set(err, -ENOENT,
				"%s: there is no such interface; `quench ports` lists them",
				word[i]);
		if (device_speed(&d[i], a->speed, &rate[i], err))
			return -EINVAL;
	}
	if (!strcmp(word[0], word[1]))
		return err_set(err, -EINVAL, "%s stands twice; a bump has two ports", word[0]);
	return 0;
}

// Writes a value of an option behind what stands before it.
static void put_value(struct sketch *k, const char *before, const char *option, const char *value)
{
	fputs(before, k->f);
	sketch_mark(k, option, value);
	fputs(value, k->f);
}

// The lossless class and the class of CNPs. With one DSCP for both, all frames are of the first.
static void put_classes(const struct bump_args *a, struct sketch *k)
{
	fprintf(k->f, "\n    dscp_map: {%u: %u", a->dscp, a->cls);
	fprintf(k->f, a->dscp == CNP_DSCP ? "}\n" : ", %u: 6}\n", CNP_DSCP);
	fprintf(k->f, "    classes:\n      %u:\n        lossless: true\n", a->cls);
	put_value(k, "        pfc: {xoff: ", "xoff", a->xoff);
	put_value(k, ", headroom: ", "headroom", a->headroom);
	put_value(k, "}\n        wred: {min: ", "kmin", a->kmin);
	put_value(k, ", max: ", "kmax", a->kmax);
	put_value(k, ", probability: ", "pmax", a->pmax);
	fputs("}\n", k->f);
}

static void put_bump(const struct bump_args *a, const struct device d[2], const uint64_t rate[2],
	struct sketch *k)
{
	char text[32];

	fprintf(k->f, "duration: %s\n", units_format(UNITS_TIME, a->last, text, sizeof(text)));
	put_value(k, "switches:\n  s1:\n    buffer: ", "buffer", a->buffer);
	put_classes(a, k);
	fprintf(k->f, "hosts: {a: , b: }\nlinks:\n");
	for (unsigned i = 0; i < 2; i++) {
		fprintf(k->f, "  - {between: [%c, s1], rate: ", "ab"[i]);
		sketch_mark(k, "speed", a->speed);
		fprintf(k->f, "%s}\n", units_format(UNITS_RATE, rate[i], text, sizeof(text)));
	}
	fprintf(k->f, "ports:\n");
	sketch_port(k, "s1:a", &d[0], d[0].mtu);
	sketch_port(k, "s1:b", &d[1], d[1].mtu);
}

static int bump_main(int argc, char **argv)
{
	struct bump_args a = {0};
	struct device d[2];
	uint64_t rate[2];
	struct sketch k;
	struct err err = {""};
	int n = session_args(&a.s, argc, argv);
	int at = args_read(&runner_bump, &a, n, argv);

	if (at > 0 && (find_ports(&a, argv + at, d, rate, &err) || check_sizes(&a, &err)))
		at = -tell_input("quench bump", err.text);
	if (at <= 0 || sketch_begin(&k, n, argv)) {
		session_free(&a.s);
		return at ? EXIT_INPUT : EXIT_DONE;
	}
	put_bump(&a, d, rate, &k);
	return sketch_end(&k, &a.s, "<quench bump --show>", a.show);
}

static const struct args_option *const options[] = {
	ARGS_ROW(.name = "kmin", .value = "SIZE", .kind = ARGS_TEXT, .def = "50KB",
		ARGS_AT(struct bump_args, kmin), .help = "Marks no frame of a shorter queue."),
	ARGS_ROW(.name = "kmax", .value = "SIZE", .kind = ARGS_TEXT, .def = "150KB",
		ARGS_AT(struct bump_args, kmax), .help = "Marks each frame of a longer queue."),
	ARGS_ROW(.name = "pmax", .value = "SHARE", .kind = ARGS_TEXT, .def = "10%",
		ARGS_AT(struct bump_args, pmax),
		.help = "Marks this share of the frames at --kmax."),
	ARGS_ROW(.name = "xoff", .value = "SIZE", .kind = ARGS_TEXT, .def = "200KB",
		ARGS_AT(struct bump_args, xoff),
		.help = "Sends XOFF where a port has this much in the buffer."),
	ARGS_ROW(.name = "headroom", .value = "SIZE", .kind = ARGS_TEXT, .def = "1MB",
		ARGS_AT(struct bump_args, headroom),
		.help = "Has this room for frames that come after XOFF; `auto` computes it from "
			"the links."),
	ARGS_ROW(.name = "buffer", .value = "SIZE", .kind = ARGS_TEXT, .def = "4MB",
		ARGS_AT(struct bump_args, buffer), .help = "Has a packet memory of this size."),
	ARGS_ROW(.name = "class", .value = "N", .kind = ARGS_NUMBER, .max = 7, .def = "3",
		ARGS_AT(struct bump_args, cls),
		.help = "Makes this class lossless, and marks in it."),
	ARGS_ROW(.name = "dscp", .value = "N", .kind = ARGS_NUMBER, .max = 63, .def = "26",
		ARGS_AT(struct bump_args, dscp), .help = "Takes frames of this DSCP into it."),
	ARGS_ROW(.name = "for", .value = "TIME", .kind = ARGS_TIME, .def = "60s",
		ARGS_AT(struct bump_args, last), .help = "Ends after this time."),
	ARGS_ROW(.name = "speed", .value = "RATE", .kind = ARGS_TEXT,
		ARGS_AT(struct bump_args, speed),
		.help = "Takes this for the speed of both links. The default is what the kernel "
			"says of each interface."),
	ARGS_ROW(.name = "show", ARGS_AT(struct bump_args, show),
		.help = "Prints the scenario, which `quench run` takes as it is, and forwards "
			"nothing."),
	SKETCH_SESSION,
	NULL,
};

const struct args_command runner_bump = {
	.name = "bump",
	.summary = "be a switch between two ports, without a scenario file",
	.about = "Forwards between two ports of this machine on the real clock, as a switch with "
		 "ECN and PFC that stands in the cable of two servers. Each option is a value of "
		 "a scenario, which --show prints, so that the next step is a file.",
	.options = options,
	.operands = ARGS_OPERANDS({.name = "DEVICE"}, {.name = "DEVICE"}),
	.wanted = "name two ports, as in `quench bump eth1 eth2`; `quench ports` lists them",
	.behind = "EAL arguments",
	.examples = ARGS_WORDS("quench bump eth1 eth2",
		"quench bump eth1 eth2 --kmin 100KB --kmax 400KB --pmax 1% --xoff 500KB",
		"quench bump 0000:3b:00.0 0000:3b:00.1 --speed 25G --show > bump.yaml"),
	.statuses = ARGS_VERDICT | ARGS_STRICT | ARGS_SIGNAL,
	.run = bump_main,
};
