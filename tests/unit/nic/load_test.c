// SPDX-License-Identifier: BSD-3-Clause
// Loads of a NIC: each message of its host comes at its instant, joins the FIFO of its queue pair,
// and is done in that order, whatever holds it up.
#include "nic_lab.h"

#include "qp/qp.h"

#define QPS  6u
#define HOST 9u // number of the NIC's host in the stream

static struct lab l;
static struct dist sizes;
static const uint32_t peers[] = {0, 1, 2};

// Messages of 1 to 8,000 bytes.
static const struct dist_point points[] = {{0, 0}, {8000, DIST_ONE}};

static struct arrivals_cfg stream(enum arrivals_kind kind)
{
	assert_int_equal(dist_init(&sizes, points, 2), 0);
	return (struct arrivals_cfg){.kind = kind,
		.to = ARRIVALS_RANDOM,
		.sizes = &sizes,
		.gap_q16 = 700000ull << 16,
		.depth = 5,
		.stop = PS_PER_MS,
		.seed = 3,
		.name = "web[a]",
		.host = HOST,
		.peers = peers,
		.n_peers = 3};
}

// Two queue pairs for each of three receivers.
static void begin(const struct arrivals_cfg *c)
{
	struct nic_load_pair pair[QPS];
	struct nic_load_params load = {
		.number = 4, .arrivals = c, .host = HOST, .pair = pair, .n_pairs = QPS, .each = 2};

	lab_start(&l);
	l.events[0].want = 1ull << EV_MSG_DONE | 1ull << EV_MSG_FAILED;
	l.events[1].want = 0;
	for (uint32_t i = 1; i <= QPS; i++) {
		struct nic_qp_params p = lab_req(&l, i);

		p.message_bytes = 8000;
		p.start = TSTAMP_NEVER;
		p.loaded = true;
		lab_add(&l, &p);
		pair[i - 1] = (struct nic_load_pair){(i - 1) / 2, i};
	}
	assert_int_equal(nic_add_load(l.nic[0], &load), 0);
}

// Every message of the stream was done by the queue pair whose turn it was, in its order; `done`
// counts those of each queue pair.
static unsigned check_all(const struct arrivals_cfg *c, unsigned n)
{
	unsigned at[QPS + 1] = {0}, total = lab_evs(&l, 0, EV_MSG_DONE);
	struct arrivals a;
	struct arrival m;

	assert_int_equal(arrivals_init(&a, c), 0);
	for (unsigned i = 0; i < n && arrivals_next(&a, &m); i++) {
		uint32_t flow = m.to * 2 + i % 2 + 1;
		bool found = false;

		for (; !found && at[flow] < total; at[flow]++) {
			const struct ev *e = lab_ev(&l, 0, EV_MSG_DONE, at[flow]);

			if (e->message.flow != flow)
				continue;
			assert_int_equal(e->message.bytes, m.bytes);
			assert_int_equal(e->message.posted, m.at);
			assert_true(e->message.begun >= m.at);
			found = true;
		}
		assert_true(found);
	}
	return total;
}

static void each_message_is_done(void **state)
{
	struct arrivals_cfg c = stream(ARRIVALS_POISSON);

	(void)state;
	lab_init(&l);
	l.p[0].waiting = 5000;
	begin(&c);
	lab_run(&l, 2 * PS_PER_MS);
	assert_true(check_all(&c, 5000) > 1300);
	assert_int_equal(nic_stats(l.nic[0])->messages_dropped, 0);
	lab_end(&l);
}

static void count_message(void *arg, const struct nic_message *m)
{
	assert_true(m->flow >= 1 && m->flow <= QPS && m->bytes && m->posted <= PS_PER_MS);
	++*(unsigned *)arg;
}

// At each instant every message that has come is done, or is told as one that is not.
static void the_others_are_told(void **state)
{
	struct arrivals_cfg c = stream(ARRIVALS_POISSON);

	(void)state;
	c.gap_q16 = 100000ull << 16; // more than the link carries
	lab_init(&l);
	l.p[0].waiting = 20000;
	begin(&c);
	for (unsigned i = 1; i <= 5; i++) {
		tstamp now = i * 50 * PS_PER_US;
		unsigned come = 0, told = 0;
		struct arrivals a;
		struct arrival m;

		lab_run(&l, now);
		assert_int_equal(arrivals_init(&a, &c), 0);
		while (arrivals_next(&a, &m) && m.at <= now)
			come++;
		nic_messages(l.nic[0], count_message, &told);
		assert_true(told > 4 * QPS);
		assert_int_equal(told + lab_evs(&l, 0, EV_MSG_DONE), come);
	}
	lab_end(&l);
}

// One ring, or one place, for all queue pairs.
static void they_take_turns(void **state)
{
	struct arrivals_cfg c = stream(ARRIVALS_EVERY);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		lab_init(&l);
		l.p[0].waiting = 5000;
		l.p[0].ring_bytes = i ? 0 : 1;
		l.p[0].live_pairs = i;
		begin(&c);
		lab_run(&l, 20 * PS_PER_MS);
		assert_int_equal(check_all(&c, 5000), 1429);
		assert_true(!i || nic_stats(l.nic[0])->place_waits);
		lab_end(&l);
	}
}

// Beyond its room a message is dropped and counted, and the FIFOs stay whole.
static void what_finds_no_room_is_counted(void **state)
{
	struct arrivals_cfg c = stream(ARRIVALS_EVERY);
	unsigned done = 0;

	(void)state;
	c.gap_q16 = 100000ull << 16; // three times what the link carries
	lab_init(&l);
	l.p[0].waiting = 7;
	begin(&c);
	lab_run(&l, 3 * PS_PER_MS);
	for (unsigned i = 0; i < QPS; i++)
		done += (unsigned)nic_qp_stats(l.nic[0], i)->message_tx;
	assert_true(done > 1000);
	assert_int_equal(done + nic_stats(l.nic[0])->messages_dropped, 10000);
	assert_true(lab_evs(&l, 0, EV_MSG_FAILED) > 100);
	lab_end(&l);
}

static void see(void *sum, const struct nic_message *m)
{
	assert_true(m->bytes && m->flow && m->posted < PS_PER_MS);
	++*(unsigned *)sum;
}

// All messages that came and are not done are told, those that wait, too.
static void none_is_forgotten(void **state)
{
	struct arrivals_cfg c = stream(ARRIVALS_EVERY);

	(void)state;
	c.gap_q16 = 100000ull << 16; // three times what the link carries
	lab_init(&l);
	l.p[0].waiting = 10000;
	begin(&c);
	for (unsigned i = 1; i <= 10; i++) {
		unsigned open = 0;

		lab_run(&l, i * 40 * PS_PER_US + 50000);
		nic_messages(l.nic[0], see, &open);
		assert_in_range(open + lab_evs(&l, 0, EV_MSG_DONE), i * 400, i * 400 + 1);
		assert_true(open > i * 200);
	}
	lab_end(&l);
}

static void a_stopped_load_brings_nothing(void **state)
{
	struct ctl stop = {.type = CTL_FLOW_STOP, .id = 4 | CTL_LOAD};
	struct ctl start = {.type = CTL_FLOW_START, .id = 4 | CTL_LOAD};

	(void)state;
	for (unsigned closed = 0; closed < 2; closed++) {
		struct arrivals_cfg c = stream(closed ? ARRIVALS_CLOSED : ARRIVALS_POISSON);
		unsigned before;

		lab_init(&l);
		l.p[0].waiting = 5000;
		begin(&c);
		lab_run(&l, 200 * PS_PER_US);
		assert_int_equal(nic_ctl(l.nic[0], &stop, l.now), 0);
		lab_run(&l, 250 * PS_PER_US);
		before = lab_evs(&l, 0, EV_MSG_DONE);
		assert_true(before > 200);
		lab_run(&l, 400 * PS_PER_US);
		assert_int_equal(lab_evs(&l, 0, EV_MSG_DONE), before);
		assert_int_equal(nic_ctl(l.nic[0], &start, l.now), 0);
		lab_run(&l, 600 * PS_PER_US);
		assert_true(lab_evs(&l, 0, EV_MSG_DONE) > before + 200);
		// The messages of 200 us come, without those of the pause.
		assert_true(closed || lab_evs(&l, 0, EV_MSG_DONE) < before + 200 * before / 180);
		stop.id = 5 | CTL_LOAD;
		assert_int_equal(nic_ctl(l.nic[0], &stop, l.now), -ENOENT);
		stop.id = 4 | CTL_LOAD;
		lab_end(&l);
	}
}

// Five messages at a time: the sixth comes when one of them is done.
static void a_closed_load_has_its_depth(void **state)
{
	struct arrivals_cfg c = stream(ARRIVALS_CLOSED);
	unsigned total;

	(void)state;
	lab_init(&l);
	l.p[0].waiting = 5;
	begin(&c);
	lab_run(&l, 2 * PS_PER_MS);
	total = l.n_ev;
	assert_true(total > 500);
	for (unsigned i = 0; i + 5 < total; i++) {
		tstamp at = l.ev[i].message.posted;
		unsigned open = 0;

		for (unsigned k = 0; k < total; k++)
			open += l.ev[k].message.posted <= at && at < l.ev[k].t;
		assert_int_equal(open, 5);
		assert_true(at < PS_PER_MS);
	}
	assert_int_equal(nic_stats(l.nic[0])->messages_dropped, 0);
	lab_end(&l);
}

// Of an incast's requests the NIC sends the messages of its own host.
static void others_send_their_own(void **state)
{
	static const uint32_t senders[] = {3, 8, HOST, 12};
	struct arrivals_cfg c = stream(ARRIVALS_POISSON);
	unsigned ours = 0;
	struct arrivals a;
	struct arrival m;

	(void)state;
	c.to = ARRIVALS_INCAST;
	c.host = 1;
	c.peers = senders;
	c.n_peers = 4;
	c.fan = 2;
	c.gap_q16 = 2000000ull << 16;
	lab_init(&l);
	l.p[0].waiting = 5000;
	begin(&c);
	lab_run(&l, 2 * PS_PER_MS);
	assert_int_equal(arrivals_init(&a, &c), 0);
	while (arrivals_next(&a, &m))
		ours += m.from == HOST;
	assert_true(ours > 200);
	assert_int_equal(lab_evs(&l, 0, EV_MSG_DONE), ours);
	for (unsigned i = 0; i < ours; i++)
		assert_in_range(lab_ev(&l, 0, EV_MSG_DONE, i)->message.flow, 3, 4);
	lab_end(&l);
}

static void bad_loads_are_refused(void **state)
{
	struct arrivals_cfg c = stream(ARRIVALS_POISSON);
	struct nic_load_pair pair[] = {{0, 1}, {1, 77}};
	struct nic_load_params load = {
		.arrivals = &c, .host = HOST, .pair = pair, .n_pairs = 2, .each = 1};

	(void)state;
	lab_init(&l);
	begin(&c);
	assert_int_equal(nic_add_load(l.nic[0], &load), -EINVAL);
	pair[1].qp = 2;
	load.each = 0;
	assert_int_equal(nic_add_load(l.nic[0], &load), -EINVAL);
	load.each = 1;
	c.gap_q16 = 0;
	assert_int_equal(nic_add_load(l.nic[0], &load), -EINVAL);
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_message_is_done),
		cmocka_unit_test(the_others_are_told),
		cmocka_unit_test(they_take_turns),
		cmocka_unit_test(what_finds_no_room_is_counted),
		cmocka_unit_test(none_is_forgotten),
		cmocka_unit_test(a_stopped_load_brings_nothing),
		cmocka_unit_test(a_closed_load_has_its_depth),
		cmocka_unit_test(others_send_their_own),
		cmocka_unit_test(bad_loads_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
