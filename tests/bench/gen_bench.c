// SPDX-License-Identifier: BSD-3-Clause
// The cost of a frame that a NIC with many queue pairs generates on one lcore, by stage:
// descriptor, bytes, ICRC, device. One line of `key value` for each figure; gen_bench.py starts
// this program beside testpmd and makes a table. Usage:
//   gen_bench send QPS OCTETS FRAMES LATER SECONDS [CAPTURE]
//   gen_bench alone QPS FRAMES [drawn]
//   gen_bench responders QPS FRAMES [drawn]
//   gen_bench receive FRAMES
//   gen_bench gap QPS SECONDS
// Exit status 3: it was refused, and the line on the standard output says why.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "gen_crowd.h"
#include "gen_exit.h"
#include "gen_gap.h"
#include "gen_rx.h"

#define LINE    (100 * RATE_GBPS)
#define SLICE   4096 // frames of a step before the next one's turn
#define CUTS    3    // CNPs of each queue pair before the first frame
#define CHECK   65536
#define REFUSED 3
#define TIME_UP 4
#define SAMPLE  200 // frames of the capture
#define SETTLE  2048

static const char *const step_name[EXIT_STEPS] = {"descriptor", "bytes", "icrc", "null", "ring"};

// `rc` of crowd_init; ends the process where it was refused.
static void not_refused(int rc, unsigned qps)
{
	if (!rc)
		return;
	printf("refused %u queue pairs: %s\n", qps, strerror(-rc));
	exit(REFUSED);
}

// Sends `frames` frames that go as far as `step` says.
static void send_frames(struct crowd *c, struct exit_ports *e, enum exit_step step, unsigned frames)
{
	struct pkt *burst[CROWD_BURST];

	for (unsigned n, done = 0; done < frames; done += n) {
		n = crowd_turn(c, burst);
		if (!n) {
			printf("refused the queue pairs have stopped sending\n");
			exit(REFUSED);
		}
		crowd_acknowledge(c, burst, n);
		exit_take(e, step, burst, n);
		exit_refill(e);
	}
}

// As many frames as each queue pair needs to have sent, twice: their templates are learned, with
// the CRC that the step EXIT_BYTES leaves out, and no page is touched for the first time later.
static void warm(struct crowd *c, struct exit_ports *e, unsigned qps)
{
	send_frames(c, e, EXIT_ICRC, 2 * qps + CHECK);
}

// All steps take turns, so that they share the state of the queue pairs and of the machine.
static void price(struct crowd *c, struct exit_ports *e, const char *state, unsigned frames)
{
	double ns[EXIT_STEPS] = {0};
	uint64_t begun = c->frames, turns = c->turns;
	unsigned slices = (frames + SLICE - 1) / SLICE;

	for (unsigned i = 0; i < slices; i++) {
		for (unsigned s = 0; s < EXIT_STEPS; s++) {
			double from;

			send_frames(c, e, s, SETTLE);
			from = crowd_cpu_ns();
			send_frames(c, e, s, SLICE);
			ns[s] += crowd_cpu_ns() - from;
		}
	}
	for (unsigned s = 0; s < EXIT_STEPS; s++)
		printf("%s.%s %.2f\n", state, step_name[s], ns[s] / ((double)slices * SLICE));
	printf("%s.frames_a_turn %.1f\n", state,
		(double)(c->frames - begun) / (double)(c->turns - turns));
}

// Descriptors alone, until `frames` have been sent since the start or the time is up.
static bool advance(struct crowd *c, struct exit_ports *e, unsigned frames, double until)
{
	while (c->frames < frames && crowd_cpu_ns() < until)
		send_frames(c, e, EXIT_NONE, CHECK);
	return c->frames >= frames;
}

static void capture(struct crowd *c, struct exit_ports *e)
{
	struct pkt *burst[CROWD_BURST];

	for (unsigned n, done = 0; done < SAMPLE; done += n) {
		n = crowd_turn(c, burst);
		crowd_acknowledge(c, burst, n);
		exit_write(e, burst, n);
		exit_refill(e);
	}
}

static void end_crowd(struct crowd *c)
{
	if (crowd_repeated(c))
		printf("note %llu frames were sent again\n", (unsigned long long)crowd_repeated(c));
	crowd_fini(c);
}

static int bench_send(char **arg, int n)
{
	struct crowd_params p = {.rate = LINE, .cuts = CUTS};
	unsigned frames = (unsigned)atoi(arg[2]), later = (unsigned)atoi(arg[3]);
	double until = 1e9 * strtod(arg[4], NULL);
	static struct exit_ports e;
	struct crowd c;
	bool reached = true;
	rate_t rate;

	p.qps = (unsigned)atoi(arg[0]);
	p.octets = (unsigned)atoi(arg[1]);
	exit_open(&e, p.octets, p.qps, n > 5 ? arg[5] : NULL);
	not_refused(crowd_init(&c, &p, &e.stack), p.qps);
	rate = crowd_rate(&c);
	printf("setup_s %.2f\n", 1e-9 * crowd_cpu_ns());
	warm(&c, &e, p.qps);
	price(&c, &e, "start", frames);
	if (n > 5)
		capture(&c, &e);
	if (later)
		reached = advance(&c, &e, later, until);
	if (reached && later)
		price(&c, &e, "later", frames);
	else if (later)
		printf("note time is up after %llu frames\n", (unsigned long long)c.frames);
	end_crowd(&c);
	p.cuts = 0;
	p.limit = rate;
	not_refused(crowd_init(&c, &p, &e.stack), p.qps);
	warm(&c, &e, p.qps);
	price(&c, &e, "limit", frames);
	end_crowd(&c);
	exit_close(&e);
	return reached ? 0 : TIME_UP;
}

// Queue pairs whose limits add up to 95 % of a link, fast enough that 1 Mi are above the least
// limit that there is. The clock runs once all have sent, and no page is touched for the first
// time. `drawn`: they take turns in no order, as in a scene.
static int bench_alone(char **arg, int n)
{
	struct crowd_params p = {.rate = 2 * LINE, .octets = 1082, .drawn = n > 2};
	unsigned frames = (unsigned)atoi(arg[1]);
	struct pkt *burst[CROWD_BURST];
	struct pkt_stack stack;
	struct crowd c;
	uint64_t before;
	double from;

	p.qps = (unsigned)atoi(arg[0]);
	before = frames > 2 * p.qps ? frames : 2 * p.qps;
	p.limit = p.rate / 100 * 95 / p.qps;
	if (!crowd_stack(&stack, 512, 0))
		return 1;
	not_refused(crowd_init(&c, &p, &stack), p.qps);
	from = crowd_cpu_ns();
	while (c.frames < before + frames) {
		unsigned sent = crowd_turn(&c, burst);

		if (c.frames < before)
			from = crowd_cpu_ns();
		crowd_acknowledge(&c, burst, sent);
		while (sent)
			pkt_put(&stack, burst[--sent]);
	}
	printf("alone %.2f\nframes_a_turn %.1f\n", (crowd_cpu_ns() - from) / frames,
		(double)c.frames / (double)c.turns);
	end_crowd(&c);
	return 0;
}

static const struct mode {
	const char *name;
	int least, most; // arguments
	int (*run)(char **arg, int n);
} modes[] = {
	{"send", 5, 6, bench_send},
	{"alone", 2, 3, bench_alone},
	{"responders", 2, 3, gen_rx_responders},
	{"receive", 1, 1, gen_rx_checked},
	{"gap", 2, 2, gen_gap},
};

int main(int argc, char **argv)
{
	struct rusage used;

	for (unsigned i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++) {
		const struct mode *m = &modes[i];
		int n = argc - 2, status;

		if (strcmp(argv[1], m->name) != 0 || n < m->least || n > m->most ||
			atoi(argv[2]) < 1)
			continue;
		status = m->run(argv + 2, n);
		getrusage(RUSAGE_SELF, &used);
		printf("peak_mb %.0f\n", (double)used.ru_maxrss / 1024);
		return status;
	}
	fprintf(stderr, "usage: gen_bench send QPS OCTETS FRAMES LATER SECONDS [CAPTURE]\n"
			"       gen_bench alone|responders QPS FRAMES [drawn]\n"
			"       gen_bench receive FRAMES\n"
			"       gen_bench gap QPS SECONDS\n");
	return 2;
}
