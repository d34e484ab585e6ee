// SPDX-License-Identifier: BSD-3-Clause
// quench decode: a capture as text, as JSON, or as a summary.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "reader.h"
#include "cap/cap.h"

struct decode_args {
	const char *file;
	bool summary, json;
	uint64_t count; // 0: all
	uint64_t rate;
};

static const struct args_option *const options[] = {
	ARGS_ROW(.name = "summary", ARGS_AT(struct decode_args, summary),
		.help = "Prints tables instead: kinds, opcodes, ECN codepoints, ICRC verdicts, "
			"priorities, queue pairs."),
	ARGS_ROW(.name = "json", ARGS_AT(struct decode_args, json),
		.help = "Prints one JSON object a line instead."),
	ARGS_ROW(.name = "count", .letter = 'c', .value = "N", .kind = ARGS_NUMBER, .min = 1,
		ARGS_AT(struct decode_args, count), .help = "Stops after N frames."),
	ARGS_ROW(.name = "rate", .value = "RATE", .kind = ARGS_RATE,
		ARGS_AT(struct decode_args, rate),
		.help = "Shows pauses as times too, on a link of this rate: 100Gbps."),
	NULL,
};

// The place of the file in argv; 0: the help was printed; -1: refused, with a line.
static int read_args(struct decode_args *a, int argc, char **argv)
{
	int at = args_read(&reader_decode, a, argc, argv);

	if (at > 0 && a->summary && a->json) {
		tell("quench decode: --summary or --json, not both");
		return ARGS_WRONG;
	}
	if (at > 0)
		a->file = argv[at];
	return at;
}

static void show_frame(
	const struct decode_args *a, struct decode *d, const struct decoded *x, struct out *o)
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

static void summarize(const struct decode_args *a, const struct decode_sum *sum, struct out *o)
{
	char name[PATH_MAX + 16];

	snprintf(name, sizeof(name), "%s%s", a->file, stop_status(0) ? " (interrupted)" : "");
	if (a->summary && sum->frames)
		decode_sum_print(sum, name, o);
}

// Decodes all frames. If a fault or a signal ends this, the frames that were read before are shown.
static int decode_all(
	const struct decode_args *a, struct cap_in *in, struct out *o, struct err *err)
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
			show_frame(a, &d, &x, o);
		else if (decode_sum_add(&sum, &x))
			return err_set(err, -1, "%s: no memory for its queue pairs", a->file);
	}
	summarize(a, &sum, o);
	decode_sum_fini(&sum);
	if (*stop)
		return err_set(err, -EINTR, "quench decode: interrupted after %llu frame%s",
			(unsigned long long)d.n, plural(d.n));
	return got < 0 ? got : 0;
}

static int decode_main(int argc, char **argv)
{
	struct decode_args a = {0};
	struct cap_in *in;
	struct out o;
	struct err err;
	int at = read_args(&a, argc, argv), status = EXIT_DONE;

	if (at <= 0)
		return at ? EXIT_INPUT : EXIT_DONE;
	if ((strcmp(a.file, "-") != 0 && infile_check_or(a.file, INFILE_OR_STDIN, &err)) ||
		cap_in_open(&in, a.file, &err)) {
		tell("%s", err.text);
		return EXIT_INPUT;
	}
	if (!a.summary && term_folds())
		term_lines();
	if (term_folds() && !a.json ? out_stream(&o, stdout, "standard output", &err)
				    : out_adopt(&o, dup(STDOUT_FILENO), "standard output", &err)) {
		tell("%s", err.text);
		status = EXIT_INPUT;
	} else {
		if (decode_all(&a, in, &o, &err))
			status = EXIT_INPUT;
		out_flush(&o);
		if (status)
			tell("%s", err.text);
		if (out_close(&o, &err)) {
			tell("%s", err.text);
			status = EXIT_INPUT;
		}
	}
	cap_in_close(in);
	return stop_status(status);
}

const struct args_command reader_decode = {
	.name = "decode",
	.summary = "read a capture: PFC, CNP, CNM, CN-TAG, RoCEv2, ICRC verdicts",
	.about = "Prints one line for each frame of a pcap or pcapng file: its instant, length, "
		 "addresses, DSCP, ECN codepoint, the verdict on its ICRC, and its kind: "
		 "a RoCE opcode with QPN, PSN and AETH, a CNP, PFC or PAUSE with its "
		 "quanta, a CNM, a CN-TAG; for a malformed frame the reason. The file `-` "
		 "is standard input.",
	.options = options,
	.operands = ARGS_OPERANDS({.name = "FILE", .fill = ARGS_FILE}),
	.wanted = "one capture is wanted",
	.examples = ARGS_WORDS("quench decode tests/data/linux_softroce_rocev2.pcap --count 20",
		"quench decode tests/data/linux_softroce_rocev2.pcap --summary",
		"quench decode tests/data/pfc_xoff_all.pcap --rate 100Gbps",
		"quench decode capture.pcapng --json"
		" | jq -r 'select(.kind == \"cnp\") | [.time, .dst, .qpn] | @tsv'",
		"tcpdump -i eth0 -w - -U 'udp port 4791' | quench decode -"),
	.statuses = ARGS_SIGNAL,
	.run = decode_main,
};
