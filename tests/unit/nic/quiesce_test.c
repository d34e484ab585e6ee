// SPDX-License-Identifier: BSD-3-Clause
// A quiesce: messages go on to their end and none begins. A pause: a source stands still with its
// messages and goes on.
#include "nic_lab.h"

#include "base/prng.h"
#include "load/load.h"
#include "qp/qp.h"

static struct lab l;
static struct prng dice;
static unsigned lose;   // per mille, of all frames
static uint64_t frames; // that left the sender
static bool dead;       // nothing comes back
static struct dist sizes;
static const uint32_t peers[] = {0};
static const struct dist_point points[] = {{0, 0}, {8000, DIST_ONE}};

static const struct ctl quiesce = {.type = CTL_QUIESCE}, go_on = {.type = CTL_GO_ON};

static bool pass(struct lab *lab, unsigned from, struct pkt *p, tstamp now)
{
	(void)lab;
	(void)p;
	(void)now;
	frames += !from;
	if (from && dead)
		return false;
	return !lose || prng_below(&dice, 1000) >= lose;
}

static void begin(enum rc_verb verb)
{
	struct rc_params rc = lab_rc_params();

	lose = 0;
	dead = false;
	frames = 0;
	prng_init(&dice, 1, "dice");
	lab_init(&l);
	l.hook = pass;
	rc.verb = verb;
	if (verb == RC_READ) {
		rc.window = 16384;
		rc.rd_atomic = 4;
	}
	assert_int_equal(rc_cfg_init(&l.rc, &rc), 0);
}

static bool is_quiet(void)
{
	return nic_is_quiet(l.nic[0]) && nic_is_quiet(l.nic[1]);
}

static uint64_t done(unsigned nic)
{
	return lab_evs(&l, nic, EV_MSG_DONE);
}

// Both NICs, at the same instant.
static void order(struct ctl ctl)
{
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(lab_ctl(&l, i, ctl), 0);
}

static void check_whole(unsigned i)
{
	const struct nic_qp_stats *tx = nic_qp_stats(l.nic[0], i), *rx = nic_qp_stats(l.nic[1], i);

	assert_int_equal(rx->message_complete_rx, tx->message_tx);
	assert_int_equal(rx->rx_bytes, tx->message_tx * 100000);
}

// Two messages of each of three queue pairs are under way.
static void posted_messages_end_and_no_other_begins(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		begin(RC_WRITE);
		lose = i ? 20 : 0;
		lab_start(&l);
		l.events[0].want = l.events[1].want = 1ull << EV_MSG_DONE;
		for (uint32_t qpn = 1; qpn <= 3; qpn++) {
			struct nic_qp_params p = lab_req(&l, qpn);

			p.message_bytes = 100000;
			lab_add(&l, &p);
		}
		lab_run(&l, 501 * PS_PER_US);
		assert_false(is_quiet());

		uint64_t before = done(0);

		order(quiesce);
		lab_run(&l, 200 * PS_PER_MS);
		assert_true(is_quiet());
		assert_int_equal(done(0), before + 6);
		for (unsigned qp = 0; qp < 3; qp++)
			check_whole(qp);
		order(go_on);
		assert_false(is_quiet());
		lab_run(&l, l.now + PS_PER_MS);
		assert_true(done(0) > before + 6 + 10);
		lab_end(&l);
	}
}

static void a_dead_peer_does_not_prolong_it(void **state)
{
	struct nic_qp_params p;

	(void)state;
	begin(RC_WRITE);
	lab_start(&l);
	p = lab_req(&l, 1);
	lab_add(&l, &p);
	lab_run(&l, 50 * PS_PER_US);
	dead = true;
	order(quiesce);
	lab_run(&l, 7 * PS_PER_MS);
	assert_false(is_quiet());
	lab_run(&l, 10 * PS_PER_MS); // the first try and seven more
	assert_int_equal(lab_evs(&l, 0, EV_QP_FAILED), 1);
	assert_true(is_quiet());
	lab_end(&l);
}

static void reads_end_too(void **state)
{
	struct nic_qp_params data, asks;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		begin(RC_READ);
		lose = i ? 20 : 0;
		lab_start(&l);
		l.events[0].want = l.events[1].want = 1ull << EV_MSG_DONE;
		data = lab_req(&l, 1);
		data.message_bytes = 100000;
		asks = data;
		asks.requester = false;
		asks.ack_hdr = asks.cnp_hdr = &l.back_hdr;
		asks.ack_cls = 3;
		assert_int_equal(nic_add_qp(l.nic[0], &data), 0);
		assert_int_equal(nic_add_qp(l.nic[1], &asks), 0);
		lab_run(&l, 501 * PS_PER_US);

		uint64_t before = done(1);

		assert_true(before > 5 || i);
		order(quiesce);
		assert_false(is_quiet());
		lab_run(&l, 200 * PS_PER_MS);
		assert_true(is_quiet());
		assert_int_equal(done(1), before + 2);
		lose = 0;
		order(go_on);
		lab_run(&l, l.now + PS_PER_MS);
		assert_true(done(1) > before + 4);
		lab_end(&l);
	}
}

static struct arrivals_cfg stream(enum arrivals_kind kind)
{
	assert_int_equal(dist_init(&sizes, points, 2), 0);
	return (struct arrivals_cfg){.kind = kind,
		.to = ARRIVALS_ONE,
		.sizes = &sizes,
		.gap_q16 = 1000000ull << 16,
		.depth = 5,
		.stop = TSTAMP_NEVER,
		.seed = 3,
		.name = "web[a]",
		.host = 9,
		.peers = peers,
		.n_peers = 1};
}

static void add_load(const struct arrivals_cfg *c)
{
	struct nic_load_pair pair = {0, 1};
	struct nic_load_params load = {
		.number = 4, .arrivals = c, .host = 9, .pair = &pair, .n_pairs = 1, .each = 1};
	struct nic_qp_params p;

	l.p[0].waiting = 5000;
	lab_start(&l);
	l.events[0].want = 1ull << EV_MSG_DONE;
	p = lab_req(&l, 1);
	p.message_bytes = 8000;
	p.start = TSTAMP_NEVER;
	p.loaded = true;
	lab_add(&l, &p);
	assert_int_equal(nic_add_load(l.nic[0], &load), 0);
}

// The messages of a stream that come in [from, to).
static unsigned come(const struct arrivals_cfg *c, tstamp from, tstamp to)
{
	struct arrivals a;
	struct arrival m;
	unsigned n = 0;

	assert_int_equal(arrivals_init(&a, c), 0);
	while (arrivals_next(&a, &m) && m.at < to)
		n += m.at >= from;
	return n;
}

static void a_load_brings_nothing(void **state)
{
	struct arrivals_cfg c = stream(ARRIVALS_POISSON);

	(void)state;
	begin(RC_WRITE);
	add_load(&c);
	lab_run(&l, 100 * PS_PER_US);
	order(quiesce);
	lab_run(&l, 200 * PS_PER_US);
	assert_true(is_quiet());
	assert_int_equal(done(0), come(&c, 0, 100 * PS_PER_US));
	order(go_on);
	lab_run(&l, 300 * PS_PER_US);
	order(quiesce);
	lab_run(&l, 400 * PS_PER_US);
	assert_int_equal(
		done(0), come(&c, 0, 100 * PS_PER_US) + come(&c, 200 * PS_PER_US, 300 * PS_PER_US));
	lab_end(&l);
}

// Its five messages end, and five come when it goes on.
static void a_closed_load_keeps_its_depth(void **state)
{
	struct arrivals_cfg c = stream(ARRIVALS_CLOSED);
	uint64_t before;

	(void)state;
	begin(RC_WRITE);
	add_load(&c);
	lab_run(&l, 100 * PS_PER_US);
	before = done(0);
	order(quiesce);
	lab_run(&l, 200 * PS_PER_US);
	assert_true(is_quiet());
	assert_int_equal(done(0), before + 5);
	order(go_on);
	lab_run(&l, 300 * PS_PER_US);
	before = done(0);
	order(quiesce);
	lab_run(&l, 400 * PS_PER_US);
	assert_int_equal(done(0), before + 5);
	lab_end(&l);
}

static void add_source(uint64_t count)
{
	struct gen_params g = {.source = 2,
		.hdr = &l.data_hdr,
		.cls = 0,
		.min_len = 1000,
		.max_len = 1000,
		.rate = 10 * RATE_GBPS,
		.burst = 1,
		.stop = TSTAMP_NEVER,
		.count = count,
		.name = "g"};

	l.data_hdr.dport = 9;
	assert_int_equal(nic_add_gen(l.nic[0], &g), 0);
}

#define FRAME_PS (1024 * 800) // of a source at 10 Gb/s: 1000 bytes, FCS and gap

// The time of the quiesce is missing, and nothing is made up for.
static void an_open_loop_source_stands_still(void **state)
{
	static const struct ctl pause = {.type = CTL_PAUSE, .id = 2 | CTL_SOURCE},
				resume = {.type = CTL_RESUME, .id = 2 | CTL_SOURCE};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		begin(RC_WRITE);
		lab_start(&l);
		add_source(0);
		lab_run(&l, 100 * FRAME_PS - 1);
		assert_int_equal(frames, 100);
		assert_int_equal(lab_ctl(&l, 0, i ? pause : quiesce), 0);
		lab_run(&l, 200 * FRAME_PS);
		assert_int_equal(frames, 100);
		assert_true(is_quiet());
		assert_int_equal(lab_ctl(&l, 0, i ? resume : go_on), 0);
		lab_run(&l, 250 * FRAME_PS - 1);
		assert_int_equal(frames, 150);
		assert_int_equal(nic_gen(l.nic[0], 0)->slipped_ps, 0);
		lab_end(&l);
	}
}

static void a_source_that_waits_for_its_start_waits_on(void **state)
{
	static const struct ctl start = {.type = CTL_FLOW_START, .id = 2 | CTL_SOURCE};

	(void)state;
	begin(RC_WRITE);
	lab_start(&l);
	add_source(0);
	lab_run(&l, 10 * FRAME_PS - 1);
	assert_int_equal(
		lab_ctl(&l, 0, (struct ctl){.type = CTL_FLOW_STOP, .id = 2 | CTL_SOURCE}), 0);
	assert_int_equal(lab_ctl(&l, 0, quiesce), 0);
	lab_run(&l, 20 * FRAME_PS);
	assert_int_equal(lab_ctl(&l, 0, go_on), 0);
	lab_run(&l, 30 * FRAME_PS); // it was stopped, and stays so
	assert_int_equal(frames, 10);
	assert_int_equal(lab_ctl(&l, 0, quiesce), 0);
	assert_int_equal(lab_ctl(&l, 0, start), 0);
	lab_run(&l, 40 * FRAME_PS);
	assert_int_equal(frames, 10);
	assert_int_equal(lab_ctl(&l, 0, go_on), 0); // the start that came meanwhile counts
	lab_run(&l, 50 * FRAME_PS - 1);
	assert_int_equal(frames, 20);
	lab_end(&l);
}

// A message of 1 MB stands still in the middle, longer than all timeouts together, and goes on.
static void a_paused_message_goes_on(void **state)
{
	static const struct ctl pause[] = {{.type = CTL_PAUSE, .id = 1},
		{.type = CTL_PAUSE, .id = CTL_HOST}},
				resume[] = {{.type = CTL_RESUME, .id = 1},
					{.type = CTL_RESUME, .id = CTL_HOST}};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct nic_qp_params p;
		uint64_t at;

		begin(RC_WRITE);
		lab_start(&l);
		p = lab_req(&l, 1);
		p.count = 3;
		lab_add(&l, &p);
		lab_run(&l, 50 * PS_PER_US);
		assert_int_equal(lab_ctl(&l, 0, pause[i & 1]), 0);
		lose = i & 2 ? 1000 : 0; // the frames that are on the wire are lost, too
		at = frames;
		lab_run(&l, 100 * PS_PER_MS);
		lose = 0;
		assert_int_equal(frames, at);
		assert_int_equal(done(0), 0);
		assert_int_equal(lab_evs(&l, 0, EV_TIMEOUT), 0);
		assert_true(is_quiet());
		assert_int_equal(lab_ctl(&l, 0, resume[i & 1]), 0);
		assert_false(is_quiet());
		lab_run(&l, 110 * PS_PER_MS);
		assert_int_equal(done(0), 3);
		assert_int_equal(lab_evs(&l, 0, EV_QP_FAILED), 0);
		lab_end(&l);
	}
}

static void a_paused_read_goes_on(void **state)
{
	static const struct ctl pause = {.type = CTL_PAUSE, .id = 1},
				resume = {.type = CTL_RESUME, .id = 1};
	struct nic_qp_params data, asks;
	uint64_t at;

	(void)state;
	begin(RC_READ);
	lab_start(&l);
	data = lab_req(&l, 1);
	data.count = 3;
	asks = data;
	asks.requester = false;
	asks.ack_hdr = asks.cnp_hdr = &l.back_hdr;
	asks.ack_cls = 3;
	assert_int_equal(nic_add_qp(l.nic[0], &data), 0);
	assert_int_equal(nic_add_qp(l.nic[1], &asks), 0);
	lab_run(&l, 50 * PS_PER_US);
	order(pause);
	at = frames;
	lab_run(&l, 100 * PS_PER_MS);
	assert_int_equal(frames, at);
	order(resume);
	lab_run(&l, 110 * PS_PER_MS);
	assert_int_equal(done(1), 3);
	assert_int_equal(lab_evs(&l, 1, EV_TIMEOUT), 0);
	assert_int_equal(nic_qp_stats(l.nic[1], 0)->rx_bytes, 3u << 20);
	lab_end(&l);
}

// Its messages come and wait.
static void a_paused_load_sends_all_that_came(void **state)
{
	struct arrivals_cfg c = stream(ARRIVALS_POISSON);

	(void)state;
	begin(RC_WRITE);
	add_load(&c);
	lab_run(&l, 100 * PS_PER_US);
	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_PAUSE, .id = 4 | CTL_LOAD}), 0);
	lab_run(&l, 500 * PS_PER_US);
	assert_true(done(0) <= come(&c, 0, 100 * PS_PER_US));
	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_RESUME, .id = 4 | CTL_LOAD}), 0);
	lab_run(&l, 600 * PS_PER_US);
	order(quiesce);
	lab_run(&l, 2 * PS_PER_MS);
	assert_int_equal(done(0), come(&c, 0, 600 * PS_PER_US));
	assert_int_equal(
		lab_ctl(&l, 0, (struct ctl){.type = CTL_PAUSE, .id = 5 | CTL_LOAD}), -ENOENT);
	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_PAUSE, .id = 99}), -ENOENT);
	lab_end(&l);
}

// Queue pairs without a place remember that they are held.
static void a_queue_pair_without_a_place_is_held(void **state)
{
	(void)state;
	begin(RC_WRITE);
	lab_start(&l);
	for (uint32_t qpn = 1; qpn <= 8; qpn++) {
		struct nic_qp_params p = lab_req(&l, qpn);

		p.message_bytes = 1000;
		p.count = 2;
		p.start = qpn * 300 * PS_PER_US;
		lab_add(&l, &p);
	}
	lab_run(&l, PS_PER_MS);
	assert_int_equal(done(0), 6);
	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_PAUSE, .id = CTL_HOST}), 0);
	lab_run(&l, 5 * PS_PER_MS);
	assert_int_equal(done(0), 6);
	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_RESUME, .id = CTL_HOST}), 0);
	lab_run(&l, 6 * PS_PER_MS);
	assert_int_equal(done(0), 16);
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(posted_messages_end_and_no_other_begins),
		cmocka_unit_test(a_dead_peer_does_not_prolong_it),
		cmocka_unit_test(reads_end_too),
		cmocka_unit_test(a_load_brings_nothing),
		cmocka_unit_test(a_closed_load_keeps_its_depth),
		cmocka_unit_test(an_open_loop_source_stands_still),
		cmocka_unit_test(a_source_that_waits_for_its_start_waits_on),
		cmocka_unit_test(a_paused_message_goes_on),
		cmocka_unit_test(a_paused_read_goes_on),
		cmocka_unit_test(a_paused_load_sends_all_that_came),
		cmocka_unit_test(a_queue_pair_without_a_place_is_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
