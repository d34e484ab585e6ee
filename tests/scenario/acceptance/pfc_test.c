// SPDX-License-Identifier: BSD-3-Clause
// sonic-mgmt's snappi tests of pauses (tests/snappi_tests/pfc): what a storm stops, what it must
// not touch.
#include "acc.h"

#include <math.h>

#define PRIOS    8
#define LOSSLESS (1u << 3 | 1u << 4)
#define LINE     100e9
#define TIME_S   1400e-6 // from 100 us until the senders stop
#define WIRE     1044    // bytes of a 1024-byte frame on the wire

// A storm from the receiver beside traffic.
struct storm {
	const char *row, *file;
	unsigned paused;       // bitmap of priorities that must stand still
	unsigned counted;      // whose frames the switch must count
	double percent[PRIOS]; // traffic, of line rate
};

static unsigned frames(double percent)
{
	return (unsigned)(LINE * percent / 100 * TIME_S / 8 / WIRE);
}

// Frames that nothing stops: all arrive, each priority at the rate that was asked for.
static void flows_freely(const struct scn *s, const struct storm *t)
{
	double tx = 0, rx = 0, out = 0, worst = 1;

	for (unsigned p = 0; p < PRIOS; p++) {
		if (!t->percent[p] || t->paused >> p & 1)
			continue;

		double sent = acc(s, "source.prio%u[h1>r].tx_frames", p);
		double ratio = sent / frames(t->percent[p]);

		tx += sent;
		rx += acc(s, "source.prio%u[h1>r].rx_frames", p);
		out += acc(s, "queue.s1:r.%u.tx_frames", p);
		worst = fabs(ratio - 1) > fabs(worst - 1) ? ratio : worst;
	}
	scn_in(s, "received of what runs, of all sent", rx, tx, tx);
	scn_in(s, "left by the switch's queues", out, tx, tx);
	scn_in(s, "sent of what was asked for", worst, 0.95, 1.05);
}

// A priority that stands still: nothing leaves, what is held fits, and the sender was stopped in
// turn.
static void is_blocked(const struct scn *s, unsigned prio)
{
	double buffer =
		acc(s, "pg.s1:h1.%u.xoff_bytes", prio) + acc(s, "pg.s1:h1.%u.headroom_bytes", prio);

	acc_is(s, 0, "source.prio%u[h1>r].rx_frames", prio);
	acc_in(s, 1, buffer - 1, "pg.s1:h1.%u.max_bytes_total", prio);
	acc_in(s, 1, INFINITY, "pfc_tx.s1:h1.%u.xoff_frames", prio);
	acc_is(s, 0, "pg.s1:h1.%u.dropped_frames", prio);
}

// The storm ends at the port that it came in by; the switch answers to whom it has to.
static void storm_goes_no_further(const struct scn *s, const struct storm *t)
{
	double frames_in = acc(s, "port.s1:r.consumed_frames"), counted = 0, sent = 0, must = 0;

	for (unsigned p = 0; p < PRIOS; p++) {
		double n = acc_pfc(s, "pfc.s1:r.%u.xoff_frames", p);

		if (n != (t->counted >> p & 1 ? frames_in : 0))
			fail_msg("PFC received for %u: %g\n%s", p, n, s->command);
		counted += n;
		sent += acc_pfc(s, "pfc_tx.s1:h1.%u.xoff_frames", p);
		must += t->paused >> p & 1 ? acc_pfc(s, "pfc_tx.s1:h1.%u.xoff_frames", p) : 0;
	}
	scn_in(s, "storm frames taken in", frames_in, 10, 1000);
	frames_in *= __builtin_popcount(t->counted);
	scn_in(s, "PFC received, all priorities", counted, frames_in, frames_in);
	scn_in(s, "RX_OK at the storm's port", acc_rx_ok(s, "s1:r"), 0, 0);
	scn_in(s, "RX_DRP at the storm's port", acc_rx_drp(s, "s1:r"), 0, 0);
	scn_in(s, "TX_OK towards the sender", acc_tx_ok(s, "s1:h1"), 0, 0);
	scn_in(s, "PFC sent by the switch", sent, must, must);
	acc_is(s, 0, "port.s1:r.originated_frames");
}

static void check_ip(const struct storm *t, bool ipv6)
{
	char file[96];
	struct scn s;

	acc_row(t->row, t->file);
	snprintf(file, sizeof(file), "acceptance/%s.yaml", t->file);
	s = ipv6 ? scn_run(file, "hosts.h1.ip=fd00::1", "hosts.r.ip=fd00::2", NULL)
		 : scn_run(file, NULL);
	flows_freely(&s, t);
	for (unsigned p = 0; p < PRIOS; p++)
		if (t->paused >> p & 1)
			is_blocked(&s, p);
	storm_goes_no_further(&s, t);
	acc_is(&s, 0, "drops");
	scn_free(&s);
}

static void check(const struct storm *t)
{
	check_ip(t, false);
}

#define SINGLE                          \
	{                               \
		6, 6, 6, 45, 6, 6, 6, 6 \
	}
#define MULTI                            \
	{                                \
		7, 7, 7, 22, 22, 7, 7, 7 \
	}
#define OTHER_WAY                       \
	{                               \
		45, 6, 6, 6, 6, 6, 6, 6 \
	}

static void test_global_pause(void **state)
{
	struct scn s;

	(void)state;
	check(&(struct storm){"3.1 row 1", "test_global_pause", 0, 0, MULTI});
	s = scn_run("acceptance/test_global_pause.yaml", NULL);
	scn_in(&s, "PAUSE frames counted as such", acc(&s, "port.s1:r.pause_rx_frames"), 10, 1000);
	scn_free(&s);
}

static void test_pfc_pause_single_lossless_prio(void **state)
{
	(void)state;
	check(&(struct storm){
		"3.1 row 2", "test_pfc_pause_single_lossless_prio", 1 << 3, 1 << 3, SINGLE});
}

static void test_pfc_pause_multi_lossless_prio(void **state)
{
	(void)state;
	check(&(struct storm){
		"3.1 row 2", "test_pfc_pause_multi_lossless_prio", LOSSLESS, LOSSLESS, MULTI});
}

// Between two polls in the middle of the storm the paused queue may have sent ten frames; here it
// is none.
static void the_egress_queue_does_not_grow(void **state)
{
	struct scn s;

	(void)state;
	acc_row("3.1 row 2", "test_pfc_pause_single_lossless_prio, two polls of the queue counter");
	s = scn_run("acceptance/test_pfc_pause_single_lossless_prio.yaml", "warmup=1ms", NULL);
	acc_is(&s, 0, "queue.s1:r.3.tx_frames");
	scn_free(&s);
}

// The counters of generator and switch agree: frames sent by one are frames received by the other.
static void test_pfc_pause_counter_check(void **state)
{
	struct scn s;
	double tx;

	(void)state;
	acc_row("3.1 row 3", "test_pfc_pause_counter_check");
	s = scn_run("acceptance/test_pfc_pause_counter_check.yaml", NULL);
	tx = acc(&s, "source.prio3[h1>r].tx_frames");
	scn_in(&s, "frames sent", tx, 1000, INFINITY);
	acc_is(&s, tx, "source.prio3[h1>r].rx_frames");
	scn_in(&s, "RX_OK", acc_rx_ok(&s, "s1:h1"), tx, tx);
	scn_in(&s, "TX_OK", acc_tx_ok(&s, "s1:r"), tx, tx);
	scn_in(&s, "RX_OK at the storm's port", acc_rx_ok(&s, "s1:r"), 0, 0);
	acc_is(&s, 6, "pfc.s1:r.3.xoff_frames");
	acc_in(&s, 1, INFINITY, "pfc_tx.s1:h1.3.xoff_frames");
	scn_in(&s, "RX_DRP", acc_rx_drp(&s, "s1:h1"), 0, 0);
	scn_in(&s, "TX_DRP", acc_tx_drp(&s, "s1:r"), 0, 0);
	scn_free(&s);
}

static void test_pfc_pause_single_lossy_prio(void **state)
{
	(void)state;
	check(&(struct storm){"3.1 row 4", "test_pfc_pause_single_lossy_prio", 0, 1, OTHER_WAY});
}

static void test_pfc_pause_multi_lossy_prio(void **state)
{
	(void)state;
	check(&(struct storm){
		"3.1 row 4", "test_pfc_pause_multi_lossy_prio", 0, 0xff & ~LOSSLESS, MULTI});
}

static void test_pfc_unset_cev(void **state)
{
	static const char *const file[] = {
		"test_pfc_unset_cev_single_prio", "test_pfc_unset_cev_multi_prio"};
	struct scn s;

	(void)state;
	check(&(struct storm){"3.1 row 6", file[0], 0, 0, SINGLE});
	check(&(struct storm){"3.1 row 6", file[1], 0, 0, MULTI});
	s = scn_run("acceptance/test_pfc_unset_cev_single_prio.yaml", NULL);
	// Counted apart from PFC, so that they can be found.
	acc_is(&s, acc(&s, "port.s1:r.consumed_frames"), "port.s1:r.pfc_invalid_frames");
	scn_free(&s);
}

static void test_pfc_zero_src_mac(void **state)
{
	(void)state;
	check(&(struct storm){
		"3.1 row 7", "test_pfc_single_lossless_prio_zero_mac", 1 << 3, 1 << 3, SINGLE});
	check(&(struct storm){
		"3.1 row 7", "test_pfc_multi_lossless_prio_zero_mac", LOSSLESS, LOSSLESS, MULTI});
}

static void the_same_over_ipv6(void **state)
{
	static const struct storm storms[] = {
		{"3.4 #16192", "test_global_pause", 0, 0, MULTI},
		{"3.4 #16192", "test_pfc_pause_multi_lossless_prio", LOSSLESS, LOSSLESS, MULTI},
		{"3.4 #16192", "test_pfc_pause_multi_lossy_prio", 0, 0xff & ~LOSSLESS, MULTI},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(storms) / sizeof(storms[0]); i++)
		check_ip(&storms[i], true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_global_pause),
		cmocka_unit_test(test_pfc_pause_single_lossless_prio),
		cmocka_unit_test(test_pfc_pause_multi_lossless_prio),
		cmocka_unit_test(the_egress_queue_does_not_grow),
		cmocka_unit_test(test_pfc_pause_counter_check),
		cmocka_unit_test(test_pfc_pause_single_lossy_prio),
		cmocka_unit_test(test_pfc_pause_multi_lossy_prio),
		cmocka_unit_test(test_pfc_unset_cev),
		cmocka_unit_test(test_pfc_zero_src_mac),
		cmocka_unit_test(the_same_over_ipv6),
	};

	return cmocka_run_group_tests_name("acceptance pfc", tests, NULL, NULL);
}
