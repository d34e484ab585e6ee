// SPDX-License-Identifier: BSD-3-Clause
// sonic-mgmt's snappi tests of slow senders, ports that go down and storms in the middle of a run.
#include "acc.h"

#include <math.h>

#define RATE     100e9
#define WIRE     (ACC_FRAME + 20)
#define HEADROOM 53375
#define XOFF     256000

// Frames that still arrive after the one that made XOFF, from a sender at `share` of line rate:
// those that begin before PFC has gone out, come over the cable and waited `quanta`. The XOFF frame
// itself began a wire time and a cable earlier.
static double after_xoff(double share, double quanta)
{
	double bit = 1 / RATE, gap = WIRE * 8 * bit / share, cable = 1e-6;

	return ceil((2 * cable + (WIRE + 84) * 8 * bit + quanta * 512 * bit) / gap) - 1;
}

// A sender that reacts after `quanta`, and HEADROOM for it, until the storm ends: as many drops as
// its frames have no room, none where they have.
static void headroom(const char *file, unsigned quanta, bool fits)
{
	char path[96], set[64];
	double drops = fmax(0, after_xoff(1, quanta) - floor(HEADROOM / ACC_FRAME));
	double flight;
	struct scn s;

	snprintf(path, sizeof(path), "acceptance/%s.yaml", file);
	snprintf(set, sizeof(set), "hosts.h1.pfc_response=%u", quanta);
	s = scn_run_lossy(path, set, "switches.s1.classes.3.pfc.headroom=53375", "expect=[]",
		"duration=400us", "drain=0us", NULL);
	printf("  pfc_delay %u quanta, fits %d\n", quanta, fits);
	// The bytes that the sender put on the wire before it stopped; it sends no PFC itself.
	flight = acc_rx_ok(&s, "s1:h1") * ACC_FRAME;
	scn_in(&s, "in flight", flight, fits ? XOFF : XOFF + HEADROOM,
		fits ? XOFF + HEADROOM : INFINITY);
	acc_is(&s, drops, "pg.s1:h1.3.dropped_frames");
	assert_true(fits == !drops);
	scn_in(&s, "RX_DRP", acc_rx_drp(&s, "s1:h1"), drops, drops);
	scn_in(&s, "TX_DRP", acc_tx_drp(&s, "s1:r"), 0, 0);
	acc_is(&s, 0, "source.prio3[h1>r].rx_frames");
	scn_free(&s);
}

static void test_pfc_single_lossless_headroom(void **state)
{
	static const char file[] = "test_pfc_single_lossless_headroom";

	(void)state;
	acc_row("3.1 row 5", file);
	headroom(file, 0, true);
	headroom(file, 394, true);
	// The last that fits and the first that does not.
	headroom(file, 456, true);
	headroom(file, 457, false);
	headroom(file, 1000, false);
}

static void test_pfc_pause_multi_lossless_headroom(void **state)
{
	static const char file[] = "acceptance/test_pfc_pause_multi_lossless_headroom.yaml";
	static const unsigned quanta[] = {394, 2000};

	(void)state;
	acc_row("3.1 row 5", "test_pfc_pause_multi_lossless_headroom");
	for (unsigned i = 0; i < 2; i++) {
		double room = floor(HEADROOM / ACC_FRAME), after = after_xoff(0.5, quanta[i]);
		char set[64];
		struct scn s;

		snprintf(set, sizeof(set), "hosts.h1.pfc_response=%u", quanta[i]);
		s = scn_run_lossy(file, set, NULL);
		printf("  pfc_delay %u quanta, fits %d\n", quanta[i], after <= room);
		// The two take turns on the wire: one frame more or less.
		for (unsigned p = 3; p <= 4; p++)
			acc_in(&s, fmax(0, after - room - 1), after > room ? after - room + 1 : 0,
				"pg.s1:h1.%u.dropped_frames", p);
		scn_free(&s);
	}
}

// `headroom: auto` follows a host that says how slow it is.
static void computed_headroom_fits(void **state)
{
	(void)state;
	acc_row("3.1 row 5", "test_pfc_single_lossless_headroom with headroom: auto");
	for (unsigned quanta = 394; quanta <= 4000; quanta += 901) {
		char set[64];
		struct scn s;

		snprintf(set, sizeof(set), "hosts.h1.pfc_response=%u", quanta);
		s = scn_run("acceptance/test_pfc_single_lossless_headroom.yaml", set, NULL);
		acc_in(&s, (after_xoff(1, quanta)) * ACC_FRAME,
			acc(&s, "pg.s1:h1.3.headroom_bytes"),
			"pg.s1:h1.3.max_headroom_bytes_total");
		scn_free(&s);
	}
}

static void test_tx_drop_counter(void **state)
{
	static const char file[] = "acceptance/test_tx_drop_counter.yaml";
	struct scn s = scn_run(file, "duration=1ms", "drain=0us", NULL);

	(void)state;
	acc_row("3.1 row 10", "test_tx_drop_counter");
	scn_in(&s, "TX_OK, link up", acc_tx_ok(&s, "s1:r"), 1000, INFINITY);
	acc_in(&s, 1, INFINITY, "port.s1:r.originated_frames");
	scn_in(&s, "TX_DRP, link up", acc_tx_drp(&s, "s1:r"), 0, 0);
	scn_free(&s);
	s = scn_run(file, "warmup=1001us", NULL);
	acc_is(&s, 0, "port.s1:r.tx_frames");
	acc_is(&s, 0, "port.s1:r.originated_frames");
	scn_in(&s, "TX_DRP, link down", acc_tx_drp(&s, "s1:r"), 0, 0);
	// The frames that it held go on, so the group comes back to XON, but nobody is told.
	scn_in(&s, "TX_OK at h2", acc_tx_ok(&s, "s1:h2"), 100, INFINITY);
	scn_in(&s, "XON sent to r", acc_pfc(&s, "pfc_tx.s1:r.3.xon_frames"), 0, 0);
	scn_free(&s);
}

static void arrives_whole(const struct scn *s, const char *flow)
{
	double tx = acc(s, "source.%s.tx_frames", flow);

	acc_is(s, tx, "source.%s.rx_frames", flow);
}

static void all_arrives(const struct scn *s)
{
	arrives_whole(s, "test[h1>r]");
	arrives_whole(s, "test[h2>r]");
	arrives_whole(s, "background[h1>r]");
	arrives_whole(s, "background[h2>r]");
	scn_in(s, "ingress drops", acc_rx_drp(s, "s1:h1") + acc_rx_drp(s, "s1:h2"), 0, 0);
	acc_is(s, 0, "drops");
}

static void test_lossless_response_to_external_pause_storms(void **state)
{
	static const char file[] =
		"acceptance/test_lossless_response_to_external_pause_storms.yaml";
	struct scn s = scn_run(file, NULL);

	(void)state;
	acc_row("3.1 row 15", "test_lossless_response_to_external_pause_storms");
	all_arrives(&s);
	// "100 % loss" of the PFC flow: taken in, forwarded nowhere.
	acc_is(&s, 22321, "pfc.s1:r.3.xoff_frames");
	scn_in(&s, "TX_OK towards senders", acc_tx_ok(&s, "s1:h1") + acc_tx_ok(&s, "s1:h2"), 0, 0);
	acc_in(&s, 1, INFINITY, "pfc_tx.s1:h1.3.xoff_frames");
	acc_in(&s, 1, INFINITY, "pfc_tx.s1:h2.3.xoff_frames");
	scn_free(&s);
	s = scn_run(file, "expect=[]", "warmup=1100us", "duration=1900us", "drain=0us", NULL);
	acc_is(&s, 0, "queue.s1:r.3.tx_frames");
	acc_in(&s, 49.9, 50.1, "link.s1:r.utilization_percent");
	scn_free(&s);
}

static void test_lossless_response_to_throttling_pause_storms(void **state)
{
	static const char file[] =
		"acceptance/test_lossless_response_to_throttling_pause_storms.yaml";
	struct scn s = scn_run(file, NULL);

	(void)state;
	acc_row("3.1 row 16", "test_lossless_response_to_throttling_pause_storms");
	all_arrives(&s);
	acc_is(&s, 0, "wd.s1:r.3.storms");
	acc_in(&s, 1, INFINITY, "pfc_tx.s1:h1.3.xoff_frames");
	scn_free(&s);
	// While it lasts: (1 - 0.512) of the time it has the 70 Gb/s that others leave, 33.5
	// without framing.
	s = scn_run(file, "expect=[]", "warmup=1ms", "duration=3ms", "drain=0us", NULL);
	acc_in(&s, 0.511, 0.513, "pfc.s1:r.3.pause_ratio");
	scn_in(&s, "throughput of 60 Gb/s asked for",
		acc(&s, "source.test[h1>r].rx_gbps") + acc(&s, "source.test[h2>r].rx_gbps"), 33,
		35);
	scn_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pfc_single_lossless_headroom),
		cmocka_unit_test(test_pfc_pause_multi_lossless_headroom),
		cmocka_unit_test(computed_headroom_fits),
		cmocka_unit_test(test_tx_drop_counter),
		cmocka_unit_test(test_lossless_response_to_external_pause_storms),
		cmocka_unit_test(test_lossless_response_to_throttling_pause_storms),
	};

	return cmocka_run_group_tests_name("acceptance storms", tests, NULL, NULL);
}
