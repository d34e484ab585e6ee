// SPDX-License-Identifier: BSD-3-Clause
// sonic-mgmt's SAI QoS tests of XOFF, XON and headroom: limits to the packet, egress blocked.
#include "acc.h"

#include <math.h>

#define CELL 256

static struct scn run(const char *name, const char *flow, unsigned count, const char *set)
{
	char file[96], counts[96];

	snprintf(file, sizeof(file), "acceptance/%s.yaml", name);
	snprintf(counts, sizeof(counts), "flows.%s.open_loop.count=%u", flow, count);
	return scn_run_lossy(file, counts, set, NULL);
}

// Times that port s1:`host` went into XOFF in a priority.
static double xoff(const struct scn *s, const char *host, unsigned prio)
{
	return acc_pfc(s, "pfc_tx.s1:%s.%u.transitions_on", host, prio);
}

static void fill_to(unsigned packets, double pfc, double drops, const char *set)
{
	struct scn s = run("testQosSaiPfcXoffLimit", "fill", packets, set);
	double others = 0;

	printf("  %u packets\n", packets);
	scn_in(&s, "PFC", xoff(&s, "h1", 3), pfc, pfc);
	scn_in(&s, "ingress drops", acc_rx_drp(&s, "s1:h1"), drops, drops);
	acc_is(&s, drops, "drop.headroom");
	scn_in(&s, "egress drops", acc_tx_drp(&s, "s1:r"), 0, 0);
	for (unsigned p = 0; p < 8; p++)
		others += p != 3 ? xoff(&s, "h1", p) : 0;
	scn_in(&s, "PFC of other priorities", others, 0, 0);
	scn_free(&s);
}

// The same by bytes, in a buffer that has one side and no cells.
static void xoff_limit_without_cells(void **state)
{
	static const struct {
		unsigned packets, pfc, drops;
	} row[] = {{59604, 0, 0}, {59605, 1, 0}, {60227, 1, 0}, {60228, 1, 1}};

	(void)state;
	acc_row("3.3 PFCtest", "testQosSaiPfcXoffLimit, cell 1, packets of 256 bytes");
	for (unsigned i = 0; i < 4; i++) {
		char count[64];
		struct scn s;

		snprintf(count, sizeof(count), "flows.fill.open_loop.count=%u", row[i].packets);
		s = scn_run_lossy("acceptance/testQosSaiPfcXoffLimit.yaml", "switches.s1.cell=1",
			"flows.fill.open_loop.size=256", "duration=1500us", count, NULL);
		printf("  %u packets\n", row[i].packets);
		scn_in(&s, "PFC", xoff(&s, "h1", 3), row[i].pfc, row[i].pfc);
		acc_is(&s, row[i].drops, "drop.headroom");
		scn_free(&s);
	}
}

static void testQosSaiPfcXoffLimit(void **state)
{
	(void)state;
	acc_row("3.3 PFCtest", "testQosSaiPfcXoffLimit");
	fill_to(59604, 0, 0, NULL);
	fill_to(59605, 1, 0, NULL);
	fill_to(60227, 1, 0, NULL);
	fill_to(60228, 1, 1, NULL);
	fill_to(60300, 1, 73, NULL);
}

// limit = 2^n * what is free; a group alone reaches it with x cells where x >= 2^n (S - x).
static void dynamic_limit(int n)
{
	char set[64];
	double shared, alpha = pow(2, n), cells, room;
	struct scn s;

	snprintf(set, sizeof(set), "ports.s1:h1.classes.3.pfc.dynamic_th=%d", n);
	s = run("testQosSaiPfcXoffLimit", "fill", 1, set);
	shared = acc(&s, "pool.s1.ingress.size_bytes");
	scn_free(&s);
	cells = ceil(alpha * shared / (1 + alpha) / CELL);
	// The last cell that the limit before it lets in; the others are in headroom.
	room = floor(alpha * (shared + CELL) / (1 + alpha) / CELL);
	printf("  dynamic_th %d of %.0f bytes\n", n, shared);
	fill_to((unsigned)cells - 1, 0, 0, set);
	fill_to((unsigned)cells, 1, 0, set);
	fill_to((unsigned)room + 622, 1, 0, set);
	fill_to((unsigned)room + 623, 1, 1, set);
}

static void xoff_limit_by_dynamic_threshold(void **state)
{
	(void)state;
	acc_row("3.3 PFCtest", "testQosSaiPfcXoffLimit, dynamic_th");
	for (int n = -3; n <= -1; n++)
		dynamic_limit(n);
}

// The second port is let go, then the third: XON is expected or not.
static void drain(unsigned a, const char *set, double xon)
{
	struct scn s = run("testQosSaiPfcXonLimit", "a", a, set);

	printf("  %u packets in the first queue\n", a);
	scn_in(&s, "XOFF", xoff(&s, "h1", 3), 1, 1);
	scn_in(&s, "XON", acc_pfc(&s, "pfc_tx.s1:h1.3.xon_frames"), xon, xon);
	// While it is above XON the switch says so again, two times in each pause.
	acc_in(&s, xon ? 4 : 5, xon ? 4 : 6, "pfc_tx.s1:h1.3.refresh_frames");
	acc_is(&s, 18, "source.b[h1>r2].rx_frames");
	acc_is(&s, 1, "source.c[h1>r3].rx_frames");
	acc_is(&s, 0, "drops");
	scn_free(&s);
}

static void testQosSaiPfcXonLimit(void **state)
{
	struct scn s;

	(void)state;
	acc_row("3.3 PFCXonTest", "testQosSaiPfcXonLimit");
	// One cell above: after the second port's 18 cells; gone with the third's.
	s = scn_run("acceptance/testQosSaiPfcXonLimit.yaml", "duration=1150us",
		"flows.a.open_loop.count=59587", NULL);
	scn_in(&s, "XON before the third port drains", acc_pfc(&s, "pfc_tx.s1:h1.3.xon_frames"), 0,
		0);
	acc_is(&s, 18, "source.b[h1>r2].rx_frames");
	scn_free(&s);
	drain(59587, NULL, 1);
	drain(59588, NULL, 0);
}

// XON at max(xon, XOFF - xon_offset): an `xon` above the offset's limit holds.
static void xon_limit_with_hysteresis(void **state)
{
	static const char xon[] = "switches.s1.classes.3.pfc.xon=15256320"; // 59595 cells

	(void)state;
	acc_row("3.3 PFCXonTest, hysteresis", "testQosSaiPfcXonLimit, xon 59595 cells");
	drain(59595, xon, 1);
	drain(59596, xon, 0);
}

static double cells_shared(void)
{
	struct scn s = run("testQosSaiXonHysteresis", "two", 1, NULL);
	double v = acc(&s, "pool.s1.ingress.size_bytes") / CELL;

	scn_free(&s);
	return v;
}

// One port holds 5000 cells; the other reaches x where x >= S - 5000 - x, and comes back where
// x + 10 <= S - 5000 - x.
static void testQosSaiXonHysteresis(void **state)
{
	double left = cells_shared() - 5000, up = ceil(left / 2), down = floor((left - 10) / 2);
	unsigned n = (unsigned)up;
	struct scn s;

	(void)state;
	acc_row("3.3 XonHysteresisTest", "testQosSaiXonHysteresis");
	printf("  %.0f cells are left, XOFF at %.0f, XON at %.0f\n", left, up, down);
	s = run("testQosSaiXonHysteresis", "two", n - 1, NULL);
	scn_in(&s, "XOFF, one packet less", xoff(&s, "h2", 3), 0, 0);
	scn_free(&s);
	s = run("testQosSaiXonHysteresis", "two", n, "events.1.pfc_storm.for=10ms");
	scn_in(&s, "XOFF", xoff(&s, "h2", 3), 1, 1);
	acc_in(&s, 4, 6, "pfc_tx.s1:h2.3.refresh_frames");
	scn_in(&s, "XON, queue not drained", acc_pfc(&s, "pfc_tx.s1:h2.3.xon_frames"), 0, 0);
	scn_in(&s, "XOFF of the first port", xoff(&s, "h1", 3), 0, 0);
	scn_free(&s);
	// XON comes to the switch 1.50672 us after 500 us and takes effect 394 quanta, 2.01728 us,
	// later; from then on a frame leaves each 6.72 ns. The one that leaves `down` behind makes
	// XON.
	for (unsigned after = 0; after < 2; after++) {
		double at_ns = 503524.00 + 6.72 * (up - down - 1);
		char set[32];

		snprintf(set, sizeof(set), "duration=%.0fns", at_ns + (after ? 1 : -1));
		s = run("testQosSaiXonHysteresis", "two", n, set);
		scn_in(&s, after ? "XON, drained" : "XON, a cell before",
			acc_pfc(&s, "pfc_tx.s1:h2.3.xon_frames"), after, after);
		scn_free(&s);
	}
}

static void testQosSaiSharedReservationSize(void **state)
{
	struct scn s = run("testQosSaiSharedReservationSize", "three", 1000, NULL);

	(void)state;
	acc_row("3.3 SharedResSizeTest", "testQosSaiSharedReservationSize");
	acc_is(&s, 4000.0 * CELL, "pool.s1.ingress.size_bytes");
	scn_in(&s, "XOFF of the first two", xoff(&s, "h1", 3) + xoff(&s, "h2", 3), 0, 0);
	scn_in(&s, "XOFF at 4000 cells in all", xoff(&s, "h3", 3), 0, 0);
	acc_is(&s, 4000.0 * CELL, "pool.s1.ingress.max_bytes_total");
	scn_free(&s);
	s = run("testQosSaiSharedReservationSize", "three", 1001, NULL);
	scn_in(&s, "XOFF, one packet more", xoff(&s, "h3", 3), 1, 1);
	acc_is(&s, 1.0 * CELL, "pg.s1:h3.3.max_headroom_bytes_total");
	acc_is(&s, 0, "drops");
	scn_free(&s);
	// It stays so until its headroom is empty.
	s = run("testQosSaiSharedReservationSize", "three", 1100, NULL);
	acc_is(&s, 0, "drops");
	scn_in(&s, "XON", acc_pfc(&s, "pfc_tx.s1:h3.3.xon_frames"), 0, 0);
	scn_free(&s);
	s = run("testQosSaiSharedReservationSize", "three", 1101, NULL);
	acc_is(&s, 1, "drop.headroom");
	scn_free(&s);
}

static void headroom_pool(unsigned last, double drops, const char *set)
{
	struct scn s = run("testQosSaiHeadroomPoolSize", "last", last, set);
	double pfc = 0;

	printf("  %u packets more\n", last);
	for (unsigned h = 1; h <= 9; h++) {
		char host[8];

		snprintf(host, sizeof(host), "h%u", h);
		pfc += xoff(&s, host, 3) + xoff(&s, host, 4);
	}
	scn_in(&s, "groups in XOFF", pfc, 18, 18);
	acc_is(&s, drops, "drop.headroom");
	acc_is(&s, drops, "drops");
	acc_is(&s, (drops ? 1000.0 : 990 + last) * CELL, "pool.s1.headroom.max_bytes_total");
	scn_free(&s);
}

static void testQosSaiHeadroomPoolSize(void **state)
{
	(void)state;
	acc_row("3.3 HdrmPoolSizeTest", "testQosSaiHeadroomPoolSize");
	headroom_pool(9, 0, NULL);
	headroom_pool(10, 0, NULL);
	headroom_pool(11, 1, NULL);
}

// Dynamic thresholds: XOFF of each group depends on those before it; the pool is as large as it
// was.
static void headroom_pool_by_dynamic_threshold(void **state)
{
	double drops[2];

	(void)state;
	acc_row("3.3 HdrmPoolSizeTest, dynamic", "testQosSaiHeadroomPoolSizeDynamic");
	for (unsigned i = 0; i < 2; i++) {
		struct scn s = run("testQosSaiHeadroomPoolSizeDynamic", "last", 10 + i, NULL);

		acc_is(&s, 1000.0 * CELL, "pool.s1.headroom.max_bytes_total");
		drops[i] = acc(&s, "drop.headroom");
		scn_in(&s, "drops", drops[i], 1, INFINITY);
		if (i)
			scn_in(&s, "one packet more", drops[1] - drops[0], 1, 1);
		scn_free(&s);
	}
}

// Four frames, each half a pause after the one before: the last pause ends 839 us after the first
// began.
static void testQosSaiPfcStormWithSharedHeadroomOccupancy(void **state)
{
	static const char file[] = "acceptance/testQosSaiPfcStormWithSharedHeadroomOccupancy.yaml";
	struct scn s = scn_run(file, "duration=830us", NULL);

	(void)state;
	acc_row("3.3 PfcStormTestWithSharedHeadroom",
		"testQosSaiPfcStormWithSharedHeadroomOccupancy");
	acc_is(&s, 0, "source.fill[h1>r].rx_frames");
	acc_is(&s, 150.0 * CELL, "pool.s1.headroom.max_bytes_total");
	scn_in(&s, "XOFF in the storm", acc_pfc(&s, "pfc_tx.s1:h1.3.xoff_frames"), 4, 6);
	scn_free(&s);
	s = scn_run(file, NULL);
	acc_is(&s, 1150, "source.fill[h1>r].rx_frames");
	acc_is(&s, 1, "pfc_tx.s1:h1.3.xon_frames");
	acc_is(&s, 0, "drops");
	scn_free(&s);
	s = scn_run(file, "warmup=850us", NULL);
	scn_in(&s, "PFC after the storm",
		acc_pfc(&s, "pfc_tx.s1:h1.3.xoff_frames") +
			acc_pfc(&s, "pfc_tx.s1:h1.3.xon_frames"),
		0, 0);
	scn_free(&s);
}

static void testQosSaiPGDrop(void **state)
{
	static const unsigned rounds[] = {1, 2, 7, 20};

	(void)state;
	acc_row("3.3 PGDropTest", "testQosSaiPGDrop");
	for (unsigned i = 0; i < sizeof(rounds) / sizeof(rounds[0]); i++) {
		char set[32];
		struct scn s;

		snprintf(set, sizeof(set), "duration=%uus", 20 * rounds[i]);
		s = scn_run_lossy("acceptance/testQosSaiPGDrop.yaml", set, NULL);
		acc_is(&s, 10.0 * rounds[i], "pg.s1:h1.3.dropped_frames");
		acc_is(&s, 150.0 * rounds[i], "source.fill[h1>r].rx_frames");
		scn_in(&s, "XOFF", xoff(&s, "h1", 3), rounds[i], rounds[i]);
		acc_is(&s, rounds[i], "pfc_tx.s1:h1.3.xon_frames");
		scn_free(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(testQosSaiPfcXoffLimit),
		cmocka_unit_test(xoff_limit_without_cells),
		cmocka_unit_test(xoff_limit_by_dynamic_threshold),
		cmocka_unit_test(testQosSaiPfcXonLimit),
		cmocka_unit_test(xon_limit_with_hysteresis),
		cmocka_unit_test(testQosSaiXonHysteresis),
		cmocka_unit_test(testQosSaiSharedReservationSize),
		cmocka_unit_test(testQosSaiHeadroomPoolSize),
		cmocka_unit_test(headroom_pool_by_dynamic_threshold),
		cmocka_unit_test(testQosSaiPfcStormWithSharedHeadroomOccupancy),
		cmocka_unit_test(testQosSaiPGDrop),
	};

	return cmocka_run_group_tests_name("acceptance buffer", tests, NULL, NULL);
}
