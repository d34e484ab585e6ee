// SPDX-License-Identifier: BSD-3-Clause
// quench decode: a capture as text, as JSON, or as a summary.
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd.h"
#include "cap/cap.h"
#include "conf/conf.h"
#include "stop.h"

static const char usage[] =
	"usage: quench decode FILE [--summary | --json] [--count N] [--rate RATE]\n"
	"\n"
	"One line for each frame of a pcap or pcapng file (`-` is standard input): instant, length, addresses,\n"
	"DSCP, ECN codepoint, the verdict on its ICRC, and what it is: RoCE opcode with QPN, PSN and AETH,\n"
	"CNP, PFC and PAUSE with quanta, CNM, CN-TAG; of a malformed frame the reason.\n"
	"\n"
	"  --summary    tables instead: kinds, opcodes, ECN codepoints, ICRC verdicts, priorities, queue pairs\n"
	"  --json       one JSON object a line instead\n"
	"  --count N    stop after N frames\n"
	"  --rate RATE  link rate, to tell quanta as time\n"
	"\n"
	"examples:\n"
	"  quench decode tests/data/linux_softroce_rocev2.pcap --count 20\n"
	"  quench decode tests/data/linux_softroce_rocev2.pcap --summary\n"
	"  quench decode tests/data/pfc_xoff_all.pcap --rate 100Gbps\n"
	"  quench decode capture.pcapng --json | jq -r 'select(.kind == \"cnp\") | [.time, .dst, .qpn] | @tsv'\n"
	"  tcpdump -i eth0 -w - -U 'udp port 4791' | quench decode -\n"
	"\n"
	"SIGINT, SIGTERM and SIGHUP end it: what was read is shown, the summary too.\n"
	"Exit status: 0; 2 where the file cannot be read to its end; 128 + signal where one ended it.\n";

struct args {
	const char *file;
	bool summary, json;
	uint64_t count; // 0: all
	uint64_t rate;
};

// EXIT_DONE: go on; EXIT_INPUT: refused, with a line; -1: help was printed.
static int read_args(struct args *a, int argc, char **argv)
{
	static const struct option options[] = {{"summary", 0, 0, 's'}, {"json", 0, 0, 'j'},
		{"count", 1, 0, 'c'}, {"rate", 1, 0, 'r'}, {"help", 0, 0, 'h'}, {0}};
	int opt;

	optind = 1;
	while ((opt = getopt_long(argc, argv, "hc:", options, NULL)) != -1) {
		if (opt == 'h') {
			fputs(usage, stdout);
			return -1;
		}
		if (opt == 's') {
			a->summary = true;
		} else if (opt == 'j') {
			a->json = true;
		} else if (opt == 'c') {
			if (units_parse(UNITS_COUNT, optarg, &a->count) || !a->count) {
				fprintf(stderr, "quench decode: --count %s: a number from 1\n",
					optarg);
				return EXIT_INPUT;
			}
		} else if (opt == 'r') {
			if (units_parse(UNITS_RATE, optarg, &a->rate) || !a->rate) {
				fprintf(stderr, "quench decode: --rate %s: wanted is %s\n", optarg,
					units_example(UNITS_RATE));
				return EXIT_INPUT;
			}
		} else {
			fputs("`quench decode --help` shows the options\n", stderr);
			return EXIT_INPUT;
		}
	}
	if (optind != argc - 1) {
		fputs("quench decode: one capture is wanted; `quench decode --help` shows how\n",
			stderr);
		return EXIT_INPUT;
	}
	if (a->summary && a->json) {
		fputs("quench decode: --summary or --json, not both\n", stderr);
		return EXIT_INPUT;
	}
	a->file = argv[optind];
	return EXIT_DONE;
}

static void show(const struct args *a, struct decode *d, const struct decoded *x, struct out *o)
{
	if (a->json) {
		decode_json(x, o);
	} else {
		if (x->number == 1)
			decode_text_head(d, x, o);
		decode_text(d, x, o);
	}
	if (isatty(STDOUT_FILENO))
		out_flush(o);
}

static void summarize(const struct args *a, const struct decode_sum *sum, struct out *o)
{
	char name[PATH_MAX + 16];

	snprintf(name, sizeof(name), "%s%s", a->file, stop_status(0) ? " (interrupted)" : "");
	if (a->summary && sum->frames)
		decode_sum_print(sum, name, o);
}

// All frames; what was read before a fault or a signal is shown all the same.
static int decode_all(const struct args *a, struct cap_in *in, struct out *o, struct err *err)
{
	const atomic_bool *stop = stop_catch(true);
	static struct decode d;
	struct decode_sum sum;
	struct cap_frame c;
	struct decoded x;
	int got = 1;

	decode_init(&d, a->rate);
	decode_sum_init(&sum);
	while ((!a->count || d.n < a->count) && !*stop && !o->error &&
		(got = cap_in_next(in, &c, err)) == 1) {
		decode_next(&d, &c, &x);
		if (!a->summary)
			show(a, &d, &x, o);
		else if (decode_sum_add(&sum, &x))
			return err_set(err, -1, "%s: no memory for its queue pairs", a->file);
	}
	summarize(a, &sum, o);
	decode_sum_fini(&sum);
	if (*stop)
		return err_set(err, -EINTR, "quench decode: interrupted after %llu frames",
			(unsigned long long)d.n);
	return got < 0 ? got : 0;
}

int cmd_decode(int argc, char **argv)
{
	struct args a = {0};
	struct cap_in *in;
	struct out o;
	struct err err;
	int status = read_args(&a, argc, argv);

	if (status)
		return status < 0 ? EXIT_DONE : status;
	if (cap_in_open(&in, a.file, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return EXIT_INPUT;
	}
	if (out_adopt(&o, dup(STDOUT_FILENO), "standard output", &err)) {
		fprintf(stderr, "%s\n", err.text);
		status = EXIT_INPUT;
	} else {
		if (decode_all(&a, in, &o, &err))
			status = EXIT_INPUT;
		out_flush(&o);
		if (status)
			fprintf(stderr, "%s\n", err.text);
		if (out_close(&o, &err)) {
			fprintf(stderr, "%s\n", err.text);
			status = EXIT_INPUT;
		}
	}
	cap_in_close(in);
	return stop_status(status);
}
