// SPDX-License-Identifier: BSD-3-Clause
// sonic-mgmt's SAI QoS tests of watermarks, own bytes of groups, and which group a packet belongs
// to.
#include "acc.h"

#include <math.h>

#define CELL 256

static struct scn run(const char *name, const char *set, unsigned value)
{
	char file[96], sets[96];

	snprintf(file, sizeof(file), "acceptance/%s.yaml", name);
	snprintf(sets, sizeof(sets), "%s=%u", set, value);
	return scn_run_lossy(file, sets, NULL);
}

static struct scn fill(const char *name, unsigned packets)
{
	return run(name, "flows.fill.open_loop.count", packets);
}

// Packets behind the one that makes XOFF, of 622 that fit.
static void testQosSaiPgHeadroomWatermark(void **state)
{
	static const unsigned behind[] = {0, 1, 2, 100, 621, 622, 623, 700};

	(void)state;
	acc_row("3.3 PGHeadroomWatermarkTest", "testQosSaiPgHeadroomWatermark");
	for (unsigned i = 0; i < sizeof(behind) / sizeof(behind[0]); i++) {
		unsigned n = behind[i], held = n < 622 ? n : 622;
		struct scn s = fill("testQosSaiPgHeadroomWatermark", 59605 + n);

		acc_is(&s, (double)held * CELL, "pg.s1:h1.3.max_headroom_bytes_total");
		acc_is(&s, n - held, "drop.headroom");
		scn_free(&s);
	}
}

static double beyond(unsigned packets, unsigned own)
{
	return packets > own ? (double)(packets - own) * CELL : 0;
}

// Own bytes first: six cells of the group, four of the queue.
static void shared_watermarks(void **state)
{
	static const unsigned packets[] = {1, 4, 5, 6, 7, 100, 1000, 3906};

	(void)state;
	for (unsigned i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
		unsigned n = packets[i];
		struct scn s = fill("testQosSaiPgSharedWatermark", n);

		acc_row("3.3 PGSharedWatermarkTest", "testQosSaiPgSharedWatermark");
		acc_is(&s, beyond(n, 6), "pg.s1:h1.3.shared_max_bytes_total");
		scn_free(&s);
		s = fill("testQosSaiQSharedWatermark", n);
		acc_row("3.3 QSharedWatermarkTest", "testQosSaiQSharedWatermark");
		acc_is(&s, beyond(n, 4), "queue.s1:r.3.shared_max_bytes_total");
		scn_free(&s);
		s = fill("testQosSaiBufferPoolWatermark", n);
		acc_row("3.3 BufferPoolWatermarkTest", "testQosSaiBufferPoolWatermark");
		acc_is(&s, beyond(n, 6), "pool.s1.ingress.max_bytes_total");
		acc_is(&s, beyond(n, 4), "pool.s1.egress_lossless.max_bytes_total");
		acc_is(&s, 0, "pool.s1.egress_lossy.max_bytes_total");
		scn_free(&s);
	}
}

// Beyond XOFF (1 MB: 3906.25 cells) the pool grows no more, the headroom does.
static void watermarks_stop_at_xoff(void **state)
{
	struct scn s = fill("testQosSaiPgSharedWatermark", 3950);

	(void)state;
	acc_row("3.3 PGSharedWatermarkTest", "testQosSaiPgSharedWatermark beyond XOFF");
	acc_is(&s, 3906.0 * CELL, "pg.s1:h1.3.shared_max_bytes_total");
	acc_is(&s, 38.0 * CELL, "pg.s1:h1.3.max_headroom_bytes_total");
	acc_is(&s, 3906.0 * CELL, "pool.s1.ingress.max_bytes_total");
	acc_is(&s, 3946.0 * CELL, "queue.s1:r.3.shared_max_bytes_total");
	acc_is(&s, 0, "drops");
	scn_free(&s);
}

static void testQosSaiQWatermarkAllPorts(void **state)
{
	struct scn s = scn_run("acceptance/testQosSaiQWatermarkAllPorts.yaml", NULL);
	unsigned wrong = 0;

	(void)state;
	acc_row("3.3 QWatermarkAllPortTest", "testQosSaiQWatermarkAllPorts");
	for (unsigned r = 1; r <= 3; r++)
		for (unsigned c = 0; c < 8; c++)
			wrong += acc(&s, "queue.s1:r%u.%u.shared_max_bytes_total", r, c) !=
				 (10.0 * r + c) * CELL;
	scn_in(&s, "of 24 queues with another watermark", wrong, 0, 0);
	acc_is(&s, 0, "drops");
	scn_free(&s);
}

static void testQosSaiPgMinThreshold(void **state)
{
	static const char name[] = "testQosSaiPgMinThreshold";
	struct scn s;

	(void)state;
	acc_row("3.3 PGMinThresholdTest", name);
	// Alone: nothing shared is taken up to six, then one cell.
	for (unsigned n = 6; n <= 7; n++) {
		char test[64];

		snprintf(test, sizeof(test), "flows.test.open_loop.count=%u", n);
		s = scn_run("acceptance/testQosSaiPgMinThreshold.yaml", test,
			"flows.fill.start=none", NULL);
		acc_is(&s, beyond(n, 6), "pool.s1.ingress.max_bytes_total");
		scn_free(&s);
	}
	// With nothing left to share.
	for (unsigned n = 6; n <= 7; n++) {
		s = run(name, "flows.test.open_loop.count", n);
		acc_is(&s, 4000.0 * CELL, "pool.s1.ingress.max_bytes_total");
		scn_in(&s, "drops of the other port", acc_rx_drp(&s, "s1:h2"), 1000, 1000);
		scn_in(&s, "drops of the group", acc_rx_drp(&s, "s1:h1"), n - 6, n - 6);
		scn_free(&s);
	}
}

// 180 packets of a class: what the group that it maps to makes of them.
static void maps(const char *name, const char *key, unsigned value, unsigned tc)
{
	struct scn s = run(name, key, value);
	unsigned prios = 0, lossless = tc == 3 || tc == 4;

	for (unsigned p = 0; p < 8; p++)
		prios |= (unsigned)(acc_pfc(&s, "pfc_tx.s1:h1.%u.xoff_frames", p) > 0) << p;
	if (prios != (lossless ? 1u << tc : 0))
		fail_msg("%s=%u: PFC for 0x%x\n%s", key, value, prios, s.command);
	if (acc(&s, "queue.s1:r.%u.max_bytes", tc) == 0)
		fail_msg("%s=%u: not in queue %u\n%s", key, value, tc, s.command);
	if (lossless && acc(&s, "pg.s1:h1.%u.max_bytes_total", tc) != 180 * CELL)
		fail_msg("%s=%u: not in group %u\n%s", key, value, tc, s.command);
	if (acc(&s, "total.lossless_drops"))
		fail_msg("%s=%u: a lossy group's drops are told as lossless ones\n%s", key, value,
			s.command);
	// Group 0 holds 100 cells, 7 holds 150.
	if (acc(&s, "drop.shared") != (lossless ? 0 : tc == 7 ? 30 : 80))
		fail_msg("%s=%u: %g dropped\n%s", key, value, acc(&s, "drop.shared"), s.command);
	scn_free(&s);
}

static void testQosSaiDscpToPgMapping(void **state)
{
	static const uint8_t tc[64] = {[3] = 3, [4] = 4, [5] = 2, [46] = 5, [48] = 6};

	(void)state;
	acc_row("3.3 DscpToPgMapping", "testQosSaiDscpToPgMapping");
	for (unsigned dscp = 0; dscp < 64; dscp++)
		maps("testQosSaiDscpToPgMapping", "flows.fill.dscp", dscp,
			tc[dscp] || dscp == 8 ? tc[dscp] : 1);
	printf("  64 DSCPs, each in its queue and group\n");
}

static void testQosSaiDot1pPgMapping(void **state)
{
	static const uint8_t tc[8] = {1, 0, 2, 3, 4, 5, 6, 7};

	(void)state;
	acc_row("3.3 Dot1pToPgMapping", "testQosSaiDot1pPgMapping");
	for (unsigned pcp = 0; pcp < 8; pcp++)
		maps("testQosSaiDot1pPgMapping", "flows.fill.pcp", pcp, tc[pcp]);
	printf("  8 PCPs, each in its queue and group\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(testQosSaiPgHeadroomWatermark),
		cmocka_unit_test(shared_watermarks),
		cmocka_unit_test(watermarks_stop_at_xoff),
		cmocka_unit_test(testQosSaiQWatermarkAllPorts),
		cmocka_unit_test(testQosSaiPgMinThreshold),
		cmocka_unit_test(testQosSaiDscpToPgMapping),
		cmocka_unit_test(testQosSaiDot1pPgMapping),
	};

	return cmocka_run_group_tests_name("acceptance watermarks", tests, NULL, NULL);
}
