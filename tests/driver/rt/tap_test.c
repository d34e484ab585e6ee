// SPDX-License-Identifier: BSD-3-Clause
// Captures that begin and end while the lcores run: what comes out of the socket, how they end, and
// that their counts add up when the recorder or the reader is too slow.
#include <sys/socket.h>
#include <unistd.h>

#include "../lcores/stash_lab.h"
#include "cap/cap.h"
#include "rt/tap.h"

#define MANY (2 * RT_SEEN)

static const char text[] = "duration: 1s\n"
			   "switches: {s: {}}\n"
			   "hosts: {a: {}, b: {}}\n"
			   "links: [{between: [[a, b], s], rate: 100Gbps}]\n"
			   "ports: {s:a: {device: net_ring0}, s:b: {device: net_ring1}}\n";

unsigned __wrap_dev_tx(struct dev *d, unsigned queue, struct rte_mbuf **m, unsigned n);

// Either device takes all.
unsigned __wrap_dev_tx(struct dev *d, unsigned queue, struct rte_mbuf **m, unsigned n)
{
	(void)d;
	(void)queue;
	for (unsigned i = 0; i < n; i++)
		rte_pktmbuf_free(m[i]);
	return n;
}

static struct rt_taps taps;
static struct err why;

static int open_lab(void **state)
{
	(void)state;
	open_world(text, NULL);
	rt_world_levels(lab.lc, 8192);
	rt_lcore_level(lab.lc);
	taps = (struct rt_taps){.begin_ns = 1000};
	rt_taps_init(&taps, &lab.world);
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	rt_taps_fini(&taps);
	lab.lc->n_dev = 0;
	rt_lcore_step(lab.lc, lab.now += INSTANT);
	close_world();
	return 0;
}

// A frame comes to s:a.
static void frame_comes(void)
{
	struct rte_mbuf *m =
		outside_frame((uint8_t[]){2, 0, 0, 0, 9, 1}, (uint8_t[]){2, 0, 0, 0, 9, 0}, 0);

	assert_int_equal(rte_eth_tx_burst(lab.dev[0].id, 0, &m, 1), 1);
	rt_lcore_step(lab.lc, lab.now += INSTANT);
}

// The recorder's turn.
static void turn(void)
{
	struct rt_seen_ring *r;

	rt_lcore_publish(lab.lc, lab.now);
	r = atomic_load(&lab.lc->seen);
	if (!rt_taps_turn_begin(&taps))
		return;
	for (; r->tail != r->given; r->tail++)
		rt_taps_frame(&taps, rt_seen_at(r, r->tail));
	rt_taps_turn_end(&taps, lab.now);
}

// Opens a capture; returns the reader's end of the socket.
static int begin(const char *words)
{
	int end[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, end), 0);
	if (rt_taps_ask(&taps, words, &why))
		fail_msg("%s", why.text);
	rt_taps_begin(&taps, end[1]);
	return end[0];
}

struct got {
	unsigned frames, stats;
	bool over; // the socket is at its end
	struct pcapng_counts counts;
	uint8_t hold[4 << 20];
	size_t n;
};

static void read_some(struct got *g, int fd)
{
	ssize_t n;

	while ((n = recv(fd, g->hold + g->n, sizeof(g->hold) - g->n, MSG_DONTWAIT)) > 0) {
		size_t at = 0;
		int size;

		g->n += (size_t)n;
		for (; at < g->n; at += (size_t)size) {
			struct pcapng_block b;

			size = pcapng_read(&b, g->hold + at, g->n - at);
			assert_true(size >= 0);
			if (!size)
				break;
			g->frames += b.kind == PCAPNG_FRAME;
			g->stats += b.kind == PCAPNG_STATS;
			g->counts.seen += b.counts.seen;
			g->counts.lost += b.counts.lost;
			g->counts.accepted += b.counts.accepted;
			g->counts.unsent += b.counts.unsent;
		}
		g->n -= at;
		memmove(g->hold, g->hold + at, g->n);
	}
	g->over |= n == 0;
}

static struct got *fresh(void)
{
	static struct got g;

	g = (struct got){.frames = 0};
	return &g;
}

// Without the port's observer.
static uint16_t captures(void)
{
	return atomic_load(&rt_world_end(&lab.world, 0, 0)->captures) & (uint16_t)~RT_OBSERVER;
}

static void it_ends_when_its_reader_says_so(void **state)
{
	struct got *g = fresh();
	int fd = begin("ports s:a");

	(void)state;
	assert_int_equal(captures(), 1);
	for (unsigned i = 0; i < 10; i++)
		frame_comes();
	turn();
	read_some(g, fd);
	assert_int_equal(g->frames, 10);
	assert_false(g->over);
	shutdown(fd, SHUT_WR);
	turn();
	read_some(g, fd);
	assert_true(g->over);
	assert_int_equal(g->stats, 1);
	assert_int_equal(g->counts.seen, 10);
	assert_int_equal(captures(), 0);
	assert_false(rt_taps_any(&taps));
	close(fd);
}

static void it_ends_with_the_run(void **state)
{
	struct got *g = fresh();
	int fd = begin("ports s:a,s:b"), late[2];

	(void)state;
	frame_comes();
	turn();
	rt_taps_end(&taps, lab.now);
	read_some(g, fd);
	assert_true(g->over);
	assert_int_equal(g->stats, 2);
	assert_int_equal(g->counts.seen, 2); // flooded: it came to s:a and left by s:b
	close(fd);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, late), 0);
	assert_int_equal(rt_taps_ask(&taps, "ports s:a", &why), 0);
	rt_taps_begin(&taps, late[1]);
	assert_int_equal(recv(late[0], g->hold, 1, 0), 0);
	close(late[0]);
}

static void a_reader_that_goes_is_forgotten(void **state)
{
	int fd = begin("ports s:a");

	(void)state;
	close(fd);
	frame_comes();
	turn();
	assert_false(rt_taps_any(&taps));
	assert_int_equal(captures(), 0);
}

static void several_have_their_own_filters(void **state)
{
	static const char *const words[] = {"ports s:a", "ports s:a\ncount 3",
		"ports s:b\nfilter ether src 02:00:00:00:09:00", "ports s\nfilter udp port 1"};
	static const unsigned frames[] = {7, 3, 7, 0};
	int fd[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		fd[i] = begin(words[i]);
	for (unsigned i = 0; i < 7; i++)
		frame_comes();
	turn();
	rt_taps_end(&taps, lab.now);
	for (unsigned i = 0; i < 4; i++) {
		struct got *g = fresh();

		read_some(g, fd[i]);
		assert_true(g->over);
		assert_int_equal(g->frames, frames[i]);
		close(fd[i]);
	}
}

// The recorder sleeps while more frames come than its ring holds, and then the reader does.
static void counts_add_up(void **state)
{
	struct got *g = fresh();
	int fd = begin("ports s:a\nfilter ether[12:2] != 0");

	(void)state;
	for (unsigned round = 0; round < 6; round++) {
		for (unsigned i = 0; i < MANY; i++) {
			frame_comes();
			if (i % 8 == 0)
				rt_lcore_level(lab.lc);
		}
		turn();
	}
	shutdown(fd, SHUT_WR);
	do {
		turn();
		read_some(g, fd);
	} while (!g->over);
	assert_int_equal(g->counts.seen, 6 * MANY);
	assert_int_equal(g->counts.lost, 6 * (MANY - RT_SEEN));
	assert_int_equal(g->frames + g->counts.unsent, g->counts.accepted);
	assert_true(g->counts.unsent > 0);
	assert_int_equal(rt_taps_lost(&taps), g->counts.lost + g->counts.unsent);
	close(fd);
}

static void a_hundred_leave_nothing(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		struct got *g = fresh();
		int fd = begin(i % 2 ? "ports s" : "ports s:a\ncount 1");

		frame_comes();
		turn();
		shutdown(fd, SHUT_WR);
		turn();
		read_some(g, fd);
		assert_true(g->over);
		assert_int_equal(g->frames, i % 2 ? 2 : 1);
		close(fd);
	}
	assert_int_equal(captures(), 0);
	assert_int_equal(rt_taps_lost(&taps), 0);
}

static void there_is_a_most(void **state)
{
	int fd[RT_TAPS];

	(void)state;
	for (unsigned i = 0; i < RT_TAPS; i++)
		fd[i] = begin("ports s:a");
	assert_int_equal(rt_taps_ask(&taps, "ports s:a", &why), -EBUSY);
	assert_string_equal(why.text, "32 captures are open already");
	for (unsigned i = 0; i < RT_TAPS; i++)
		close(fd[i]);
	turn();
	assert_false(rt_taps_any(&taps));
}

static void bad_words_open_nothing(void **state)
{
	(void)state;
	assert_int_equal(rt_taps_ask(&taps, "ports s:c", &why), -ENOENT);
	assert_int_equal(rt_taps_ask(&taps, "ports s:a\nfilter nonsense", &why), -EINVAL);
	assert_int_equal(captures(), 0);
}

#define CASE(fn) cmocka_unit_test_setup_teardown(fn, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(it_ends_when_its_reader_says_so),
		CASE(it_ends_with_the_run),
		CASE(a_reader_that_goes_is_forgotten),
		CASE(several_have_their_own_filters),
		CASE(counts_add_up),
		CASE(a_hundred_leave_nothing),
		CASE(there_is_a_most),
		CASE(bad_words_open_nothing),
	};

	return cmocka_run_group_tests(tests, start, eallab_finish);
}
