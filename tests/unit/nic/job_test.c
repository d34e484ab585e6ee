// SPDX-License-Identifier: BSD-3-Clause
// Two ranks whose NICs share no memory, like ranks of two processes: their messages are known by
// immediate data, whichever frames are lost on the way.
#include "nic_lab.h"

#include "../job/hand.h"
#include "base/prng.h"
#include "qp/qp.h"
#include "rounds.h"

#define MESSAGES   5u
#define ITERATIONS 9u
#define BYTES(i)   (3000u * ((i) + 1))

static struct lab l;
static struct hand *h;
static struct nic_mail *mail[2];
static struct rc_cfg rc;

static tstamp unknown(const void *arg, uint32_t flow, uint64_t bytes, enum nic_alone until)
{
	(void)arg;
	(void)flow;
	(void)bytes;
	(void)until;
	return 0;
}

// Rank 0 works, and then posts all messages at once, the last one of the graph first: it waits for
// work of another CPU, which is shorter.
static void graph_make(void)
{
	uint32_t work, before, get = GRAPH_NONE;

	h = hand_new(2);
	work = hand_calc(h, 0, PS_PER_US, 0);
	before = hand_calc(h, 0, PS_PER_NS, 1);
	for (uint32_t i = 0; i < MESSAGES; i++) {
		uint32_t send = hand_op(h, 0, GRAPH_SEND, BYTES(i), 1, 20 + i);

		hand_needs(h, 0, send, i == MESSAGES - 1 ? before : work);
	}
	for (uint32_t i = 0; i < MESSAGES; i++) {
		uint32_t recv = hand_op(h, 1, GRAPH_RECV, BYTES(i), 0, 20 + i);

		if (get != GRAPH_NONE)
			hand_needs(h, 1, recv, get);
		get = recv;
	}
}

static void add_rank(unsigned nic)
{
	const struct nic_job_way way = {
		.to = 1, .qp = 1, .apart = true, .slowest = 100 * RATE_GBPS, .mail = mail[nic]};
	const uint32_t rank = nic;
	const struct nic_job_params p = {.graph = &h->graph,
		.iterations = ITERATIONS,
		.rank = &rank,
		.n_ranks = 1,
		.rank_at = 40,
		.out = &way,
		.in = &way,
		.n_out = !nic,
		.n_in = nic,
		.alone = unknown};

	assert_int_equal(nic_add_job(l.nic[nic], &p), 0);
}

static void begin(enum rc_recovery recovery)
{
	struct rc_params params = lab_rc_params();
	struct nic_qp_params req;

	lab_init(&l);
	params.verb = RC_SEND_IMM;
	params.recovery = recovery;
	params.window = 64;
	params.rto_low_ps = 100 * PS_PER_US;
	params.nack_threshold = 1;
	assert_int_equal(rc_cfg_init(&rc, &params), 0);
	lab_start(&l);
	for (unsigned i = 0; i < 2; i++)
		l.events[i].want =
			1ull << EV_JOB_STEP | 1ull << EV_JOB_PART | 1ull << EV_JOB_MESSAGE;
	req = lab_req(&l, 1);
	req.rc = &rc;
	req.message_bytes = BYTES(MESSAGES);
	req.outstanding = 4;
	req.start = TSTAMP_NEVER;
	req.loaded = true;
	lab_add(&l, &req);
	graph_make();
	for (unsigned i = 0; i < 2; i++) {
		mail[i] = nic_mail_new(req.outstanding, false);
		add_rank(i);
	}
}

static void end(void)
{
	lab_end(&l);
	for (unsigned i = 0; i < 2; i++)
		free(mail[i]);
	free(h);
}

// All messages have come, in the order of their SENDs, and both ranks have ended all iterations.
static void check_all(void)
{
	unsigned n = lab_evs(&l, 1, EV_JOB_MESSAGE);

	assert_int_equal(n, MESSAGES * ITERATIONS);
	for (unsigned i = 0; i < n; i++) {
		const struct ev_job_message *m = &lab_ev(&l, 1, EV_JOB_MESSAGE, i)->job_message;
		uint32_t which = (i + MESSAGES - 1) % MESSAGES;

		assert_int_equal(m->rank, 41);
		assert_int_equal(m->from, 40);
		assert_int_equal(m->tag, 20 + which);
		assert_int_equal(m->bytes, BYTES(which));
		assert_int_equal(m->posted, TSTAMP_NEVER);
	}
	for (unsigned nic = 0; nic < 2; nic++) {
		assert_int_equal(lab_evs(&l, nic, EV_JOB_STEP), ITERATIONS);
		assert_int_equal(nic_job_state(l.nic[nic], 0).over, 1);
		assert_int_equal(nic_job_state(l.nic[nic], 0).lost, 0);
		assert_false(nic_job_state(l.nic[nic], 0).goes_on);
	}
	// The receiver does not know where the time of its messages went.
	assert_int_equal(lab_evs(&l, 0, EV_JOB_PART), JOB_PARTS * ITERATIONS);
	assert_int_equal(lab_evs(&l, 1, EV_JOB_PART), 0);
}

static void ranks_that_share_no_memory_exchange_messages(void **state)
{
	(void)state;
	begin(RC_GO_BACK_N);
	lab_run(&l, 10 * PS_PER_MS);
	check_all();
	end();
}

static bool lose(struct lab *lab, unsigned from, struct pkt *p, tstamp now)
{
	(void)from;
	(void)p;
	(void)now;
	return prng_below(lab->arg, 10) != 0;
}

static void lost(enum rc_recovery recovery, uint64_t seed)
{
	struct prng rng;

	prng_init(&rng, seed, "lost");
	begin(recovery);
	l.hook = lose;
	l.arg = &rng;
	lab_run(&l, PS_PER_S);
	check_all();
	end();
}

static void losses_change_no_message(void **state)
{
	static const enum rc_recovery all[] = {RC_GO_BACK_N, RC_IRN, RC_SKIP};

	(void)state;
	for (unsigned seed = 1; seed <= rounds_of(30); seed++) {
		print_message("seed %u\n", seed);
		lost(all[seed % 3], seed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_that_share_no_memory_exchange_messages),
		cmocka_unit_test(losses_change_no_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
