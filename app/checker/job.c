// SPDX-License-Identifier: BSD-3-Clause
// quench job: GOAL text is checked, a schedule is generated, printed as GOAL, or timed alone.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alone.h"
#include "checker.h"
#include "collective/collective.h"

struct job_args {
	struct collective_params collective;
	struct pattern_params pattern;
	struct alone_params alone;
	unsigned kind, pattern_kind, algorithm;
	bool has_collective, has_pattern, has_algorithm, goal;
	unsigned ranks;
	uint64_t bytes;
};

static int take_bytes(void *to, const char *value, struct err *err)
{
	struct job_args *a = to;

	if (units_parse(UNITS_SIZE, value, &a->bytes) || !a->bytes)
		return err_set(err, -EINVAL, "'%s' is not %s", value, units_example(UNITS_SIZE));
	return 0;
}

static int take_skew(void *to, const char *value, struct err *err)
{
	struct job_args *a = to;

	if (units_parse_real(value, &a->pattern.skew) || a->pattern.skew < 0 ||
		a->pattern.skew > 100)
		return err_set(err, -EINVAL, "'%s' is not a number from 0 to 100", value);
	return 0;
}

static bool has(const struct job_args *a, enum collective_algorithm algorithm)
{
	return a->has_collective ? collective_has(a->kind, algorithm)
				 : pattern_has(a->pattern_kind, algorithm);
}

static int refuse_algorithm(const struct job_args *a)
{
	char why[256], all[160] = "";

	for (unsigned i = 0; i < COLLECTIVE_ALGORITHMS; i++)
		if (has(a, i))
			append_text(all, sizeof(all), "%s%s", *all ? ", " : "",
				collective_algorithm_name(i));
	snprintf(why, sizeof(why), "%s has no algorithm '%s'%s%s",
		a->has_collective ? collective_kind_name(a->kind) : pattern_name(a->pattern_kind),
		collective_algorithm_name(a->algorithm), *all ? "; it has " : "", all);
	return tell_input("quench job", why);
}

// Says what is wrong with the values of a schedule.
static int refuse_values(const struct job_args *a, int rc)
{
	char why[160];

	if (rc == -E2BIG)
		snprintf(why, sizeof(why),
			"the schedule has more than %u operations; take fewer ranks or parts",
			COLLECTIVE_OPS);
	else if (a->has_pattern && a->pattern_kind == PATTERN_CHECKPOINT &&
		 a->pattern.targets >= a->ranks)
		snprintf(why, sizeof(why), "--targets %u: %u ranks have 1..%u", a->pattern.targets,
			a->ranks, a->ranks - 1);
	else if (rc == -EINVAL && a->bytes > GRAPH_BYTES)
		snprintf(why, sizeof(why), "--bytes is %lluGiB at most", GRAPH_BYTES >> 30);
	else if (rc == -EINVAL)
		snprintf(why, sizeof(why), "%s",
			a->has_pattern && a->pattern.forward + a->pattern.backward > GRAPH_CALC_PS
				? "--forward and --backward are 53 days at most"
				: "ranks times parts need more tags than there are; take fewer");
	else
		snprintf(why, sizeof(why), "%s", strerror(-rc));
	return tell_input("quench job", why);
}

// Makes the graph of a collective or a pattern. The exit status.
static int generate(struct job_args *a, struct goal *g, const char *folder, struct err *err)
{
	enum collective_algorithm algorithm = a->has_algorithm    ? a->algorithm
					      : a->has_collective ? collective_usual(a->kind)
								  : COLLECTIVE_RING;
	struct collective_sink into = collective_into(g);
	int rc;

	if (!a->ranks || !a->bytes)
		return tell_input("quench job", "--ranks and --bytes are wanted");
	if (a->has_algorithm && !has(a, algorithm))
		return refuse_algorithm(a);
	a->collective.kind = a->kind;
	a->collective.algorithm = a->pattern.algorithm = algorithm;
	a->collective.ranks = a->pattern.ranks = a->ranks;
	a->collective.bytes = a->pattern.bytes = a->bytes;
	a->pattern.kind = a->pattern_kind;
	err->text[0] = '\0';
	rc = goal_init(g, a->ranks, folder, err);
	if (!rc)
		rc = a->has_collective ? collective_make(&a->collective, &into)
				       : pattern_make(&a->pattern, &into);
	if (rc && *err->text) {
		tell("%s", err->text);
		return EXIT_INPUT;
	}
	if (rc)
		return refuse_values(a, rc);
	goal_end(g);
	return EXIT_DONE;
}

// A time in the unit that people read, "556.186 us".
static const char *time_text(tstamp t, char *buf, size_t size)
{
	static const struct {
		const char *unit;
		tstamp ps;
	} units[] = {{"s", PS_PER_S}, {"ms", PS_PER_MS}, {"us", PS_PER_US}, {"ns", PS_PER_NS}};
	unsigned i = 0;

	while (i < 3 && t < units[i].ps)
		i++;
	snprintf(buf, size, "%.3f %s", (double)t / (double)units[i].ps, units[i].unit);
	return buf;
}

static void put_parts(const struct alone_result *r)
{
	static const char *const names[JOB_PARTS] = {[JOB_WIRE] = "wire",
		[JOB_COMPUTE] = "compute",
		[JOB_PAUSE] = "pause",
		[JOB_RATE] = "rate",
		[JOB_RESEND] = "resend",
		[JOB_WAIT] = "waiting"};
	char text[64];
	const char *comma = "";

	printf("of it         ");
	for (unsigned i = 0; i < JOB_PARTS; i++) {
		if (!r->split.part[i])
			continue;
		printf("%s%s %s", comma, names[i], time_text(r->split.part[i], text, sizeof(text)));
		comma = ", ";
	}
	putchar('\n');
}

static int show(const struct job_args *a, const struct goal *g)
{
	struct alone_result r;
	char text[64], rate[64], latency[64];
	int rc;

	printf("ranks         %u\noperations    %llu\n", g->graph.n_ranks,
		(unsigned long long)g->graph.n_ops);
	fflush(stdout);
	rc = alone_run(g, &a->alone, &r, stderr);
	if (rc) {
		tell_input("quench job", rc == -ENOSPC
						 ? "a rank gets more messages than it has recvs for"
						 : "no memory");
		return EXIT_INPUT;
	}
	printf("messages      %llu, %s\n", (unsigned long long)r.messages,
		units_format(UNITS_SIZE, r.bytes, text, sizeof(text)));
	if (!r.over) {
		tell("the job does not end: its operations wait for ever");
		return EXIT_VERDICT;
	}
	printf("alone         %s at %s, and %s of latency a message; rank %u is last\n",
		time_text(r.done, text, sizeof(text)),
		units_format(UNITS_RATE, a->alone.rate, rate, sizeof(rate)),
		units_format(UNITS_TIME, a->alone.latency, latency, sizeof(latency)), r.slowest);
	put_parts(&r);
	if (a->has_collective && r.done)
		printf("bus           %.3f GB/s\n",
			collective_bus_factor(a->kind, a->ranks) * (double)a->bytes *
				(a->kind == COLLECTIVE_ALL_TO_ALL ? a->ranks : 1) / (double)r.done *
				1000);
	return EXIT_DONE;
}

static int job_main(int argc, char **argv)
{
	struct job_args a = {0};
	int at = args_read(&checker_job, &a, argc, argv), rc;
	const char *folder = getenv("TMPDIR") ?: "/tmp";
	struct goal g = {.ops.fd = -1, .edges.fd = -1, .names.fd = -1};
	struct err err;

	if (at <= 0)
		return at ? EXIT_INPUT : EXIT_DONE;
	if ((at < argc) + a.has_collective + a.has_pattern != 1)
		return tell_input(
			"quench job", "name one of FILE.GOAL, --collective and --pattern");
	if (at < argc) {
		rc = goal_read(&g, argv[at], folder, &err) ? EXIT_INPUT : EXIT_DONE;
		if (rc)
			tell("%s", err.text);
	} else {
		rc = generate(&a, &g, folder, &err);
	}
	if (!rc && a.goal) {
		term_plain();
		rc = goal_print(&g.graph, stdout) ? EXIT_DONE : EXIT_INPUT;
	} else if (!rc) {
		rc = show(&a, &g);
	}
	goal_fini(&g);
	return rc;
}

#define COUNT(name_, member, def_, help_)                                                  \
	ARGS_ROW(.name = name_, .value = "N", .kind = ARGS_NUMBER, .min = 1, .max = 65536, \
		.def = def_, ARGS_AT(struct job_args, member), .help = help_)

static const struct args_option *const options[] = {
	ARGS_ROW(.name = "collective", .kind = ARGS_WORD,
		.words = ARGS_WORDS(
			"all_reduce", "reduce_scatter", "all_gather", "all_to_all", "broadcast"),
		ARGS_AT(struct job_args, kind), .given = offsetof(struct job_args, has_collective),
		.help = "Generates a collective. Its ranks and bytes are wanted."),
	ARGS_ROW(.name = "pattern", .kind = ARGS_WORD,
		.words = ARGS_WORDS("gpipe", "1f1b", "data_parallel", "experts", "checkpoint",
			"tensor_parallel", "fsdp"),
		ARGS_AT(struct job_args, pattern_kind),
		.given = offsetof(struct job_args, has_pattern),
		.help = "Generates a step of training. Its ranks and bytes are wanted."),
	ARGS_ROW(.name = "algorithm", .kind = ARGS_WORD,
		.words = ARGS_WORDS("ring", "doubling", "halving", "halving_doubling", "pairwise",
			"at_once", "binomial", "tree", "double_tree"),
		ARGS_AT(struct job_args, algorithm),
		.given = offsetof(struct job_args, has_algorithm),
		.help = "How the collective goes, or those of data_parallel, tensor_parallel and "
			"fsdp. Without it the first one that the collective has."),
	ARGS_ROW(.name = "ranks", .value = "N", .kind = ARGS_NUMBER, .min = 2, .max = 65536,
		ARGS_AT(struct job_args, ranks), .help = "How many ranks take part."),
	ARGS_ROW(.name = "bytes", .value = "SIZE", .kind = ARGS_CALL, .take = take_bytes,
		.help = "The bytes of the vector; of all_to_all, from each rank to each other "
			"one. docs/jobs.md says which bytes of a pattern."),
	ARGS_ROW(.name = "channels", .value = "N", .kind = ARGS_NUMBER, .min = 1, .max = 64,
		.def = "1", ARGS_AT(struct job_args, collective.channels),
		.help = "Cuts the vector into parts that have queue pairs of their own."),
	COUNT("chunks", collective.chunks, "1", "Cuts each channel into parts that overlap."),
	ARGS_ROW(.name = "forward", .value = "TIME", .kind = ARGS_TIME, .def = "1ms",
		ARGS_AT(struct job_args, pattern.forward),
		.help = "Work of a forward pass: of a stage for a micro-batch, of the step, or of "
			"a layer."),
	ARGS_ROW(.name = "backward", .value = "TIME", .kind = ARGS_TIME, .def = "2ms",
		ARGS_AT(struct job_args, pattern.backward), .help = "Work of a backward pass."),
	COUNT("micro", pattern.micro, "8", "Micro-batches of a pipeline or of tensor_parallel."),
	COUNT("buckets", pattern.buckets, "8", "Buckets of gradients of data_parallel."),
	COUNT("layers", pattern.layers, "1", "Layers of experts, tensor_parallel or fsdp."),
	COUNT("targets", pattern.targets, "1", "Ranks to which a checkpoint goes, the last ones."),
	ARGS_ROW(.name = "skew", .value = "S", .kind = ARGS_CALL, .take = take_skew,
		.help = "Expert e gets a share in proportion to 1 / e^S. Without it all get the "
			"same."),
	ARGS_ROW(.name = "goal", ARGS_AT(struct job_args, goal),
		.help = "Prints the schedule as GOAL text and does nothing else."),
	ARGS_ROW(.name = "rate", .value = "RATE", .kind = ARGS_RATE, .def = "100Gbps",
		ARGS_AT(struct job_args, alone.rate), .help = "The rate of a message's bytes."),
	ARGS_ROW(.name = "latency", .value = "TIME", .kind = ARGS_TIME, .def = "2us",
		ARGS_AT(struct job_args, alone.latency),
		.help = "The time of a message besides its bytes."),
	NULL,
};

const struct args_command checker_job = {
	.name = "job",
	.summary = "check a schedule in GOAL text, or make one of a collective",
	.about = "Reads a schedule of sends, receives and work in GOAL text, or generates one of a "
		 "collective or of a step of training. Prints how many operations and messages "
		 "it has, and its time if no message is in the way of another: no network of "
		 "this rate and latency is faster. If the schedule cannot end, it prints which "
		 "operations wait for each other.",
	.options = options,
	.operands = ARGS_OPERANDS({.name = "FILE.GOAL", .fill = ARGS_FILE, .optional = true}),
	.wanted = "name one of FILE.GOAL, --collective and --pattern",
	.examples = ARGS_WORDS("quench job trace.goal",
		"quench job --collective all_reduce --algorithm ring --ranks 8 --bytes 64MB",
		"quench job --pattern 1f1b --ranks 4 --bytes 16MiB --micro 16",
		"quench job --collective all_to_all --ranks 4 --bytes 1MB --goal"),
	.statuses = ARGS_VERDICT,
	.run = job_main,
};
