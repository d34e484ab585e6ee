// SPDX-License-Identifier: BSD-3-Clause
// Devices whose memory is far: their bursts are read ahead, and the loop treats them as it treats
// the bursts of near devices.
#include "stash_lab.h"

#define FRAMES 300 // that come to a device at once, in several bursts
#define STEPS  12
#define LONG   1000 // loops in which nothing is timed

static const char text[] = "duration: 1s\n"
			   "switches:\n"
			   "  s:\n"
			   "    classes:\n"
			   "      3: {lossless: true, pfc: {xoff: 1MB, headroom: 1MB}}\n"
			   "hosts: {a: {}, b: {}}\n"
			   "links: [{between: [[a, b], s], rate: 100Gbps}]\n"
			   "ports: {s:a: {device: net_ring0}, s:b: {device: net_ring1}}\n";

// The frames that have left by either device: how many of them by each step, and their PSNs in
// order.
static unsigned n_sent[2], sent_by[2][STEPS], steps;
static uint32_t psn[2][2 * FRAMES];

unsigned __wrap_dev_tx(struct dev *d, unsigned queue, struct rte_mbuf **m, unsigned n);

unsigned __wrap_dev_tx(struct dev *d, unsigned queue, struct rte_mbuf **m, unsigned n)
{
	unsigned at = (unsigned)(d - lab.dev);

	(void)queue;
	for (unsigned i = 0; i < n; i++) {
		assert_true(n_sent[at] < 2 * FRAMES);
		psn[at][n_sent[at]++] = eal_pkt(m[i])->u.rc.psn;
		rte_pktmbuf_free(m[i]);
	}
	return n;
}

static void open_lab(void)
{
	memset(n_sent, 0, sizeof(n_sent));
	memset(sent_by, 0, sizeof(sent_by));
	steps = 0;
	open_world(text, NULL);
}

static void set_far(bool far)
{
	for (unsigned i = 0; i < 2; i++)
		lab.dev[i].far.is = far;
	lab.lc->far.near_left = far ? 0 : LONG;
	lab.lc->far.left = far ? LONG : 0;
}

static void step(void)
{
	rt_lcore_step(
		lab.lc, lab.now += 10 * INSTANT); // in which the wire carries more than a burst
	assert_true(steps < STEPS);
	for (unsigned at = 0; at < 2; at++)
		sent_by[at][steps] = n_sent[at];
	steps++;
}

static void put(unsigned at, struct rte_mbuf *m)
{
	assert_int_equal(rte_eth_tx_burst(lab.dev[at].id, 0, &m, 1), 1);
}

// Frames for the host at the other device.
static void come(unsigned at, unsigned n)
{
	const uint8_t dst[6] = {2, 0, 0, 0, 9, (uint8_t)!at}, src[6] = {2, 0, 0, 0, 9, (uint8_t)at};

	while (n--)
		put(at, outside_frame(dst, src, 3 << 5));
}

// An XOFF of class 3.
static void xoff_comes(unsigned at)
{
	uint8_t bytes[PKT_MIN_LEN] = {
		1, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 9, (uint8_t)at, 0x88, 0x08, 1, 1, 0, 8};
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

	assert_non_null(m);
	memset(bytes + 18 + 2 * 3, 0xff, 2);
	memcpy(rte_pktmbuf_append(m, sizeof(bytes)), bytes, sizeof(bytes));
	put(at, m);
}

// The devices give what waits, and the first loops teach the switch where the hosts are.
static void learn(void)
{
	set_far(false);
	come(0, 1);
	come(1, 1);
	step();
	step();
	assert_int_equal(n_sent[0] + n_sent[1], 2);
	memset(n_sent, 0, sizeof(n_sent));
	steps = 0;
}

// Everything has left, in its order.
static void all_left(unsigned frames)
{
	for (unsigned at = 0; at < 2; at++) {
		assert_int_equal(lab.dev[at].far.n, 0);
		assert_int_equal(n_sent[at], frames);
		for (unsigned i = 1; i < frames; i++)
			assert_int_equal(psn[at][i], psn[at][i - 1] + 1);
	}
}

static bool is_read_ahead(void)
{
	return lab.dev[0].far.n || lab.dev[1].far.n;
}

static void bursts_come(bool far, unsigned xoff_behind)
{
	unsigned ahead = 0;

	open_lab();
	learn();
	set_far(far);
	for (unsigned at = 0; at < 2; at++) {
		come(at, xoff_behind ? xoff_behind : FRAMES);
		if (xoff_behind) {
			xoff_comes(at);
			come(at, FRAMES - xoff_behind);
		}
	}
	while (steps < STEPS) {
		step();
		ahead += is_read_ahead();
	}
	assert_int_equal(ahead > 0, far);
}

// Frames that an XOFF has stopped leave when it has run out.
static void close_lab(void)
{
	lab.lc->n_dev = 0;
	lab.now += PS_PER_MS;
	for (unsigned i = 0; i < STEPS; i++)
		rt_lcore_step(lab.lc, lab.now += 10 * INSTANT);
	close_world();
}

static void no_frame_is_lost_or_out_of_order(void **state)
{
	(void)state;
	for (unsigned far = 0; far < 2; far++) {
		bursts_come(far, 0);
		all_left(FRAMES);
		close_lab();
	}
}

// So much has left by each step as where the devices are near: no frame is later or earlier, and an
// XOFF stops as much. It stands in each of the bursts once.
static void nothing_is_later(void **state)
{
	static unsigned near[2][STEPS];

	(void)state;
	for (unsigned behind = 0; behind < FRAMES; behind += 37) {
		bursts_come(false, behind);
		memcpy(near, sent_by, sizeof(near));
		close_lab();
		bursts_come(true, behind);
		assert_memory_equal(sent_by, near, sizeof(near));
		close_lab();
	}
}

// A device is timed with a burst that nobody has fetched. When no device is far any more, the loop
// treats all as near, and has left no frame behind.
static void what_was_read_ahead_is_gone_before_the_loop_is_near(void **state)
{
	(void)state;
	open_lab();
	learn();
	set_far(true);
	lab.lc->far.left = 1;
	lab.lc->far.turn = 0;
	for (unsigned at = 0; at < 2; at++)
		come(at, FRAMES);
	step();
	assert_int_equal(lab.lc->far.left, 0);
	assert_int_equal(lab.dev[0].far.n, 0); // it is timed in the next loop
	lab.dev[0].far.times = 0xff;           // it stays far, whatever comes of that
	lab.dev[1].far.is = false;
	step();
	assert_int_equal(lab.lc->far.near_left, 0);
	assert_true(lab.lc->far.left > 0);
	assert_int_equal(lab.lc->far.turn, 1);
	assert_int_equal(lab.dev[0].far.n, EAL_BURST);
	lab.lc->far.left = 0;
	lab.lc->far.turn = 0;
	lab.dev[0].far.times = 0; // it is near now, whatever comes of that
	step();
	assert_true(lab.lc->far.near_left > 0);
	assert_int_equal(lab.lc->far.left, 0);
	assert_false(is_read_ahead());
	while (steps < STEPS)
		step();
	all_left(FRAMES);
	close_lab();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_frame_is_lost_or_out_of_order),
		cmocka_unit_test(nothing_is_later),
		cmocka_unit_test(what_was_read_ahead_is_gone_before_the_loop_is_near),
	};

	return cmocka_run_group_tests(tests, start, eallab_finish);
}
