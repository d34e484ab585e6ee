// SPDX-License-Identifier: BSD-3-Clause
// Where the time of a job went: cases that are solved by hand, to the ps, and random jobs in
// networks that pause and lose, whose parts always add up.
#include "../job_lab.h"

#include <inttypes.h>

#include "base/prng.h"
#include "../../rounds.h"

#define TAU   88480ull // ps of a frame of 1024 bytes of payload at 100 Gb/s
#define ACK   6880ull
#define XOFF  6720ull
#define OPS   60 // of a random job
#define DELAY 1000000ull

static char text[8192];
static char goal_path[32];

// From posting to the last bit of n whole frames.
static tstamp alone(uint64_t frames)
{
	return (frames + 1) * TAU + 2 * DELAY;
}

static FILE *goal_begin(void)
{
	int fd;

	snprintf(goal_path, sizeof(goal_path), "/tmp/quench-goal-XXXXXX");
	fd = mkstemp(goal_path);
	assert_true(fd >= 0);
	return fdopen(fd, "w");
}

static struct job_ran goal_run(unsigned hosts, const char *options, const char *more)
{
	char job[512];
	struct job_ran r;

	snprintf(job, sizeof(job), "goal: %s%s", goal_path, options);
	job_star(text, sizeof(text), hosts, job, more);
	r = job_run(text);
	unlink(goal_path);
	return r;
}

// One message of 1024 frames from rank 0 to rank 1.
static void put_one_message(void)
{
	FILE *f = goal_begin();

	fputs("num_ranks 2\nrank 0 {\nsend 1048576b to 1\n}\n"
	      "rank 1 {\nrecv 1048576b from 0\n}\n",
		f);
	fclose(f);
}

static struct job_split one_message(const char *options, const char *more, tstamp *done)
{
	struct job_ran r;

	put_one_message();
	r = goal_run(2, options, more);
	*done = job_time(&r);
	assert_int_equal(r.slowest, 1);
	return r.rank[1].split;
}

static void a_message_alone_is_all_wire(void **state)
{
	tstamp done;
	struct job_split s = one_message("", "", &done);

	(void)state;
	assert_int_equal(done, alone(1024));
	assert_int_equal(s.part[JOB_WIRE], done);
}

// Two hosts without a switch. XOFF is at the sender 1 us and its own wire time after the pulse, and
// so is XON. The frame that has begun goes on, and the next one leaves with XON.
static void a_pause_of_known_length_is_all_that_a_victim_waited(void **state)
{
	static const unsigned from_us[] = {10, 33, 77};
	const tstamp wire = 1024 * TAU + DELAY;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		tstamp off = from_us[i] * PS_PER_US + XOFF + DELAY;
		tstamp held = off + 50 * PS_PER_US - (off + TAU - 1) / TAU * TAU;
		const struct job_split *s;
		struct job_ran r;

		put_one_message();
		snprintf(text, sizeof(text),
			"duration: 10ms\n"
			"record: {events: [job_step, job_part], format: binary}\n"
			"hosts: {h1: {pfc_response: 0}, h2: {rx_buffer: {drain_rate: 100Gbps, "
			"size: 1MB, xoff: 900KB, xon: 800KB}}}\n"
			"links: [{between: [h1, h2], rate: 100Gbps, delay: 1us}]\n"
			"jobs: {j: {ranks: h1..2, goal: %s, ack_every: 1024}}\n"
			"events: [{at: %uus, pulse: {port: \"h2:h1\", classes: 3, for: 50us}}]\n",
			goal_path, from_us[i]);
		r = job_run(text);
		unlink(goal_path);
		s = &r.rank[1].split;
		assert_int_equal(job_time(&r), wire + held);
		assert_int_equal(s->part[JOB_WIRE], wire);
		assert_int_equal(s->part[JOB_PAUSE], held);
		assert_int_equal(s->part[JOB_WAIT], 0);
	}
}

// A frame is lost, and the 49 from it on are sent again.
static void a_loss_costs_the_frames_that_are_sent_again(void **state)
{
	tstamp done;
	struct job_split s = one_message("", "faults: [{flow: j, psn: 100, do: drop}]\n", &done);

	(void)state;
	assert_int_equal(done, alone(1024) + 49 * TAU);
	assert_int_equal(s.part[JOB_WIRE], alone(1024));
	assert_int_equal(s.part[JOB_RESEND], 49 * TAU);
	assert_int_equal(s.part[JOB_WAIT], 0);
}

// The timeout runs from the ACK of frame 1007 on. 16 frames are sent again, and before them nothing
// was since the end of the last one.
static void a_lost_end_costs_the_wait_for_the_timeout(void **state)
{
	tstamp rto = 67108864000, acked = 1008 * TAU + TAU + 4 * DELAY + 2 * ACK, done;
	struct job_split s = one_message(
		", rto: 67108864ns", "faults: [{flow: j, psn: last, do: drop}]\n", &done);

	(void)state;
	assert_int_equal(done, acked + rto + 17 * TAU + 2 * DELAY);
	assert_int_equal(s.part[JOB_WIRE], alone(1024));
	assert_int_equal(s.part[JOB_RESEND], done - alone(1024));
	assert_int_equal(s.part[JOB_WAIT], 0);
}

// Frames leave at a quarter of the rate. The last one leaves after 1023 gaps of the others.
static void a_rate_limit_costs_the_longer_gaps(void **state)
{
	tstamp done;
	struct job_split s = one_message(", rate: 25Gbps", "", &done);

	(void)state;
	assert_int_equal(done, alone(1024) + 1023 * 3 * TAU);
	assert_int_equal(s.part[JOB_RATE], 1023 * 3 * TAU);
	assert_int_equal(s.part[JOB_WIRE], alone(1024));
}

static void put_two_in_a_row(void)
{
	FILE *f = goal_begin();

	fputs("num_ranks 2\nrank 0 {\na: send 1048576b to 1\nb: send 1048576b to 1 tag 1\n"
	      "b requires a\n}\n"
	      "rank 1 {\nrecv 1048576b from 0\nrecv 1048576b from 0 tag 1\n}\n",
		f);
	fclose(f);
}

// The second message waits for the ACK of the first, or follows its last bit.
static void a_send_ends_with_its_ack_or_with_its_last_bit(void **state)
{
	struct job_ran acked, sent;

	(void)state;
	put_two_in_a_row();
	acked = goal_run(2, "", "");
	put_two_in_a_row();
	sent = goal_run(2, ", send_done: sent", "");
	assert_int_equal(job_time(&acked), 2 * alone(1024) + 2 * DELAY + 2 * ACK);
	assert_int_equal(acked.rank[1].split.part[JOB_WIRE], job_time(&acked));
	assert_int_equal(job_time(&sent), alone(2048));
	assert_int_equal(sent.rank[1].split.part[JOB_WIRE], job_time(&sent));
	// Its own end follows the last bit of the second one.
	assert_int_equal(sent.rank[0].ended, 2048 * TAU);
	assert_int_equal(acked.rank[0].ended, job_time(&acked) + 2 * DELAY + 2 * ACK);
}

// A random job, drawn by its messages and CALCs in an order in which they can happen.
struct draw {
	struct prng rng;
	unsigned ranks, hosts, ops, iterations, messages;
	uint64_t seed;
};

static uint32_t any(struct draw *d, uint32_t below)
{
	return (uint32_t)prng_below(&d->rng, below);
}

// Operations of each rank, which wait for some of those before them.
static void put_waits(struct draw *d, FILE *f, unsigned now, const bool *has)
{
	for (unsigned i = 0; i < now; i++)
		if (has[i] && !any(d, 3))
			fprintf(f, "o%u %srequires o%u\n", now, any(d, 8) ? "" : "i", i);
}

struct drawn {
	unsigned from, to; // equal: a CALC
	uint64_t amount;
	unsigned cpu;
};

static void put_op(FILE *f, const struct drawn *o, unsigned rank, unsigned i)
{
	if (o->from == o->to)
		fprintf(f, "o%u: calc %" PRIu64 " cpu %u\n", i, o->amount, o->cpu);
	else if (o->from == rank)
		fprintf(f, "o%u: send %" PRIu64 "b to %u tag %u nic %u\n", i, o->amount, o->to, i,
			i % 2);
	else
		fprintf(f, "o%u: recv %" PRIu64 "b from %u tag %u\n", i, o->amount, o->from, i);
}

static void put_rank(struct draw *d, FILE *f, const struct drawn *o, unsigned rank)
{
	bool has[OPS] = {false};

	fprintf(f, "rank %u {\n", rank);
	for (unsigned i = 0; i < d->ops; i++) {
		has[i] = o[i].from == rank || o[i].to == rank;
		if (!has[i])
			continue;
		put_op(f, &o[i], rank, i);
		put_waits(d, f, i, has);
	}
	fprintf(f, "}\n");
}

static void put_random_goal(struct draw *d)
{
	struct drawn o[OPS];
	FILE *f = goal_begin();

	for (unsigned i = 0; i < d->ops; i++) {
		o[i].from = any(d, d->ranks);
		o[i].to = any(d, d->ranks);
		o[i].amount = any(d, 4) ? 1 + any(d, 60000) : 1;
		o[i].cpu = any(d, 2);
		d->messages += o[i].from != o[i].to;
	}
	fprintf(f, "num_ranks %u\n", d->ranks);
	for (unsigned r = 0; r < d->ranks; r++)
		put_rank(d, f, o, r);
	fclose(f);
}

static void put_random_scene(struct draw *d)
{
	static const char *const recovery[] = {"", ", recovery: irn", ", recovery: skip"};
	static const char *const control[] = {"", ", control: dcqcn", ", rate: 20Gbps"};
	int n = snprintf(text, sizeof(text),
		"duration: 100ms\nseed: %" PRIu64 "\n"
		"record: {events: [job_step, job_part, job_message], format: binary}\n"
		"sample: none\n"
		"controls: {dcqcn: {profile: paper}}\n"
		"switches: {s1: {buffer: 2MB, classes: {3: {lossless: true, "
		"wred: {min: 20KB, max: 60KB, probability: 100%%}}}}}\n"
		"hosts: {h1..%u: {}, x: {}}\n"
		"links: [{between: [[h1..%u, x], s1], rate: 100Gbps, delay: 1us}]\n"
		"flows: {x: {from: x, to: h1, message: 100KB, count: 20, group: y}}\n"
		"jobs: {j: {ranks: h1..%u, map: %s, goal: %s, iterations: %u, gap: %uns%s%s%s, "
		"mtu: 1024, rto: 200us}}\n",
		d->seed, d->hosts, d->hosts, d->hosts, any(d, 2) ? "packed" : "spread", goal_path,
		d->iterations, any(d, 3000), any(d, 3) ? "" : ", send_done: sent",
		recovery[any(d, 3)], control[any(d, 3)]);

	assert_true(n > 0 && (size_t)n < sizeof(text));
	n += snprintf(text + n, sizeof(text) - (size_t)n,
		"faults: [{at: \"s1:h1\", share: 0.%u1%%, do: drop}]\n"
		"events: [{at: %uus, pulse: {port: \"h1:s1\", classes: 3, for: 20us}}]\n",
		any(d, 9), 1 + any(d, 60));
	assert_true((size_t)n < sizeof(text));
}

// The parts of each iteration of each rank add up to the time since some rank has begun it.
static void judge_random(const struct draw *d, const struct job_ran *r)
{
	assert_int_equal(r->messages, d->messages * d->iterations);
	for (unsigned k = 0; k < d->ranks; k++) {
		assert_int_equal(r->steps[k], d->iterations);
		for (unsigned i = 0; i < d->iterations; i++) {
			const struct job_of_rank *s = &r->of[i][k];
			tstamp began = s->done - job_split_sum(&s->split);
			bool found = false;

			for (unsigned q = 0; q < d->ranks; q++)
				found |= r->of[i][q].start == began;
			assert_true(found);
		}
	}
}

static void try_random(uint64_t seed)
{
	struct draw d = {.seed = seed};
	struct job_ran *a = malloc(sizeof(*a)), *b = malloc(sizeof(*b));

	assert_true(a && b);
	prng_init(&d.rng, seed, "job");
	d.hosts = 2 + any(&d, 5);
	d.ranks = d.hosts + any(&d, 2) * any(&d, 7);
	d.ops = 1 + any(&d, OPS);
	d.iterations = 1 + any(&d, JOB_STEPS);
	put_random_goal(&d);
	put_random_scene(&d);
	print_message("QUENCH_SEED=%" PRIu64 "\n", seed);
	*a = job_run_as(text, false);
	*b = job_run_as(text, true);
	judge_random(&d, a);
	assert_memory_equal(a, b, sizeof(*a));
	unlink(goal_path);
	free(a);
	free(b);
}

static void parts_of_random_jobs_add_up(void **state)
{
	const char *seed = getenv("QUENCH_SEED"), *rounds = getenv("QUENCH_ROUNDS");
	unsigned n = rounds ? (unsigned)atoi(rounds) : rounds_of(60);

	(void)state;
	for (unsigned i = 0; i < n; i++)
		try_random((seed ? strtoull(seed, NULL, 10) : 1) + i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_alone_is_all_wire),
		cmocka_unit_test(a_loss_costs_the_frames_that_are_sent_again),
		cmocka_unit_test(a_lost_end_costs_the_wait_for_the_timeout),
		cmocka_unit_test(a_rate_limit_costs_the_longer_gaps),
		cmocka_unit_test(a_send_ends_with_its_ack_or_with_its_last_bit),
		cmocka_unit_test(parts_of_random_jobs_add_up),
		cmocka_unit_test(a_pause_of_known_length_is_all_that_a_victim_waited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
