// SPDX-License-Identifier: BSD-3-Clause
// sonic-mgmt's PTF tests of PFC counters, of pauses packet by packet and of asymmetric PFC.
#include "acc.h"

#include <math.h>

#define PRIOS    8
#define LOSSLESS (1u << 3 | 1u << 4)

static struct scn run(const char *name, const char *set)
{
	char file[96];

	snprintf(file, sizeof(file), "acceptance/%s.yaml", name);
	return scn_run(file, set, NULL);
}

// XOFF and XON frames that port s1:r counts for each priority: ten for 0, eleven for 1, and so on.
static void counts(const char *name, bool on)
{
	struct scn s = run(name, NULL);

	acc_row("3.2 pfc_counters", name);
	for (unsigned p = 0; p < PRIOS; p++) {
		const double sent = 10 + p, xoff = on ? 0 : sent, xon = on ? sent : 0;

		scn_in(&s, "PFC RX, time above 0", acc_pfc(&s, "pfc.s1:r.%u.xoff_frames", p), xoff,
			xoff);
		scn_in(&s, "PFC RX, time 0", acc_pfc(&s, "pfc.s1:r.%u.xon_frames", p), xon, xon);
	}
	scn_in(&s, "PFC RX elsewhere", acc_pfc(&s, "pfc.s1:h1.3.xoff_frames"), 0, 0);
	scn_free(&s);
}

static void test_pfc_pause(void **state)
{
	(void)state;
	counts("test_pfc_pause", false);
}

static void test_pfc_unpause(void **state)
{
	(void)state;
	counts("test_pfc_unpause", true);
}

// Read after each priority's turn, and in the middle of it.
static void test_continous_pfc(void **state)
{
	static const char name[] = "test_continous_pfc";

	(void)state;
	acc_row("3.2 pfc_counters", name);
	for (unsigned us = 50; us <= 850; us += 50) {
		unsigned wrong = 0;
		char set[32];
		struct scn s;

		snprintf(set, sizeof(set), "duration=%uus", us);
		s = run(name, set);
		for (unsigned p = 0; p < PRIOS; p++) {
			// A frame each 10 us from 100 us * p on, there 1.00672 us later.
			double sent = fmax(0, fmin(10, ceil((us - 100.0 * p - 1.00672) / 10)));

			wrong += acc_pfc(&s, "pfc.s1:r.%u.xoff_frames", p) != sent;
		}
		scn_in(&s, "priorities with another count", wrong, 0, 0);
		scn_free(&s);
	}
}

// At a port that obeys PAUSE, too.
static void no_pfc_is_counted(const char *name, const char *set)
{
	struct scn s = run(name, set);
	double sum = 0;

	acc_row("3.2 pfc_counters", name);
	for (unsigned p = 0; p < PRIOS; p++)
		sum += acc_pfc(&s, "pfc.s1:r.%u.xoff_frames", p) +
		       acc_pfc(&s, "pfc.s1:r.%u.xon_frames", p);
	scn_in(&s, "PFC RX, all priorities", sum, 0, 0);
	acc_is(&s, 10, "port.s1:r.pause_rx_frames");
	scn_free(&s);
}

static void test_fc_pause(void **state)
{
	(void)state;
	no_pfc_is_counted("test_fc_pause", NULL);
	no_pfc_is_counted("test_fc_pause", "switches.s1.pause_honour=true");
}

static void test_fc_unpause(void **state)
{
	(void)state;
	no_pfc_is_counted("test_fc_unpause", NULL);
	no_pfc_is_counted("test_fc_unpause", "switches.s1.pause_honour=true");
}

static void test_pfc_frames_not_counted_as_rx_ok(void **state)
{
	static const char name[] = "test_pfc_frames_not_counted_as_rx_ok";
	struct scn s = run(name, NULL);
	double sum = 0;

	(void)state;
	acc_row("3.2 pfc_counters", name);
	for (unsigned p = 0; p < PRIOS; p++)
		sum += acc(&s, "pfc.s1:r.%u.xoff_frames", p);
	scn_in(&s, "PFC RX, all priorities", sum, PRIOS * 5000, PRIOS * 5000);
	scn_in(&s, "RX_OK", acc_rx_ok(&s, "s1:r"), 0, 0);
	scn_in(&s, "RX_DRP", acc_rx_drp(&s, "s1:r"), 0, 0);
	acc_is(&s, 0, "drops");
	scn_free(&s);
}

// A packet of the priority and one of another, a hundred times.
static void packet_by_packet(const char *name, double test)
{
	struct scn s = run(name, NULL);

	acc_row("3.2 qos/test_pfc_pause", name);
	acc_is(&s, 100, "source.test[h1>r].tx_frames");
	acc_is(&s, test, "source.test[h1>r].rx_frames");
	acc_is(&s, 100, "source.background[h1>r].rx_frames");
	acc_is(&s, 0, "drops");
	scn_free(&s);
}

static void test_pfc_pause_lossless(void **state)
{
	(void)state;
	packet_by_packet("test_pfc_pause_lossless", 0);
	packet_by_packet("test_no_pfc", 100);
}

// Which priorities the switch pauses its sender for, and which ones stand still at the paused port.
static void asymmetric(const char *name, unsigned stopped)
{
	struct scn s = run(name, NULL);
	unsigned told = 0, still = 0;

	acc_row("3.2 pfc_asym", name);
	for (unsigned p = 0; p < PRIOS; p++) {
		double tx = acc(&s, "source.prio%u[h1>r].tx_frames", p),
		       rx = acc(&s, "source.prio%u[h1>r].rx_frames", p);

		told |= (unsigned)(acc_pfc(&s, "pfc_tx.s1:h1.%u.xoff_frames", p) > 0) << p;
		still |= (unsigned)(rx == 0) << p;
		if (rx && rx != tx)
			fail_msg("priority %u: %g of %g\n%s", p, rx, tx, s.command);
	}
	scn_in(&s, "priorities that PFC was sent for", told, LOSSLESS, LOSSLESS);
	scn_in(&s, "priorities that stand still", still, stopped, stopped);
	scn_free(&s);
}

static void test_pfc_asym(void **state)
{
	(void)state;
	asymmetric("test_pfc_asym_off_tx_pfc", LOSSLESS);
	asymmetric("test_pfc_asym_off_rx_pause_frames", LOSSLESS);
	asymmetric("test_pfc_asym_on_tx_pfc", 0xff);
	asymmetric("test_pfc_asym_on_handle_pfc_all_prio", 0xff);
}

// SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US against the truth, to the picosecond.
static void test_pfc_rx_pause_duration_accuracy(void **state)
{
	static const char name[] = "test_pfc_rx_pause_duration_accuracy";
	struct scn s = run(name, NULL);

	(void)state;
	acc_row("3.2 #27667", name);
	acc_in(&s, 51.2 - 1e-6, 51.2 + 1e-6, "pfc.s1:r.3.pause_effective_us");
	acc_in(&s, 51.2 - 1e-6, 51.2 + 1e-6, "pfc.s1:r.3.pause_requested_us");
	acc_is(&s, 10, "pfc.s1:r.3.transitions_on");
	acc_is(&s, 10, "pfc.s1:r.3.expired");
	scn_free(&s);
	s = run(name, "events.0.mac_frames.every=2us");
	acc_in(&s, 23.12 - 1e-6, 23.12 + 1e-6, "pfc.s1:r.3.pause_effective_us");
	acc_in(&s, 51.2 - 1e-6, 51.2 + 1e-6, "pfc.s1:r.3.pause_requested_us");
	acc_is(&s, 1, "pfc.s1:r.3.transitions_on");
	acc_is(&s, 9, "pfc.s1:r.3.refresh_frames");
	scn_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pfc_pause),
		cmocka_unit_test(test_pfc_unpause),
		cmocka_unit_test(test_continous_pfc),
		cmocka_unit_test(test_fc_pause),
		cmocka_unit_test(test_fc_unpause),
		cmocka_unit_test(test_pfc_frames_not_counted_as_rx_ok),
		cmocka_unit_test(test_pfc_pause_lossless),
		cmocka_unit_test(test_pfc_asym),
		cmocka_unit_test(test_pfc_rx_pause_duration_accuracy),
	};

	return cmocka_run_group_tests_name("acceptance counters", tests, NULL, NULL);
}
