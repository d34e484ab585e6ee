// SPDX-License-Identifier: BSD-3-Clause
// The ledger of discarded frames: in random scenes the table, the totals and the verdict say what
// the events of drops add up to, each by whether its reason is a loss.
#include "figure_lab.h"

#include "base/prng.h"
#include "report/int.h"
#include "summary/summary.h"

#define SCENES   40
#define LOSSLESS 0x18 // classes 3 and 4 of the random scenes

// A frame of host `from` to host `to`, or to an address of a kind that no host has, in a class.
struct crafted {
	uint8_t to[6], from[6];
	unsigned len, cls;
};

static void put_frame(FILE *f, const struct crafted *c, unsigned i)
{
	uint8_t bytes[4096] = {0};
	uint32_t head[4] = {i / 1000000, i % 1000000, c->len, c->len};

	memcpy(bytes, c->to, 6);
	memcpy(bytes + 6, c->from, 6);
	memcpy(bytes + 12, (uint8_t[]){0x81, 0, (uint8_t)(c->cls << 5), 0, 0x88, 0xb5}, 6);
	fwrite(head, sizeof(head), 1, f);
	fwrite(bytes, 1, c->len, f);
}

static FILE *new_capture(void)
{
	static const uint32_t head[6] = {0xa1b2c3d4, 0x00040002, 0, 0, 65535, 1};
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "%s/made.pcap", l.dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fwrite(head, sizeof(head), 1, f);
	return f;
}

// A capture of frames that a switch filters, floods, forwards or drops: one each 5 us.
static void put_capture(struct prng *g)
{
	static const uint8_t to[][6] = {
		{2, 0, 0, 0, 1, 1},         // the sender's own
		{1, 0x80, 0xc2, 0, 0, 0},   // reserved
		{1, 0x80, 0xc2, 0, 0, 0xe}, // the same
		{2, 0, 0, 0, 9, 9},         // nobody's: flooded
		{1, 0, 0x5e, 0, 0, 1},      // a group's
	};
	FILE *f = new_capture();

	for (unsigned i = 0; i < 400; i++) {
		struct crafted c = {.from = {2, 0, 0, 0, 1, 1}};

		c.len = 64 + (unsigned)prng_below(g, 900);
		c.cls = (unsigned)prng_below(g, 8);
		memcpy(c.to, to[prng_below(g, 5)], 6);
		if (prng_below(g, 20) == 0)
			c.len = 16; // ends in its tag: malformed
		if (prng_below(g, 20) == 0)
			c.len = 3000; // longer than the MTU
		put_frame(f, &c, 5 * i);
	}
	fclose(f);
}

// Two senders at one receiver, a capture, and at random what makes a switch drop: limits, a small
// buffer, WRED, no headroom, links that go down, a storm with a watchdog.
static void put_scene(struct prng *g, unsigned shards)
{
	static const char *const trouble[] = {"", ", tail_limit: 20KB",
		", wred: {min: 5KB, max: 10KB, probability: 50%, not_ect: drop}"};
	static const char *const leaf[] = {"h1", "h2", "r"};
	FILE *f = fopen(l.file, "w");
	// Each draw is a statement of its own: compilers differ in the order of arguments.
	unsigned buffer_kb = 100 + (unsigned)prng_below(g, 900);
	unsigned warmup_us = (unsigned)prng_below(g, 1000);

	assert_non_null(f);
	fprintf(f, "duration: 2ms\nwarmup: %uus\nswitches:\n  s1:\n    buffer: %uKB\n", warmup_us,
		buffer_kb);
	fprintf(f,
		"    pfc_watchdog: {poll: 50us, detection: 100us, restoration: 100us, action: "
		"%s}\n    shards: %u\n    classes:\n",
		prng_below(g, 4) ? "drop" : "forward", shards);
	for (unsigned c = 0; c < 8; c++) {
		const char *what = trouble[prng_below(g, 3)];

		if (LOSSLESS >> c & 1)
			fprintf(f,
				"      %u: {lossless: true, pfc: {xoff: 20KB, headroom: %s}%s}\n",
				c, prng_below(g, 2) ? "0" : "10KB", what);
		else
			fprintf(f, "      %u: {lossless: false%s%s}\n", c,
				prng_below(g, 2) ? ", drop: {limit: 100%}" : "", what);
	}
	fputs("hosts: {h1..2: , r: , source: {replay: {file: made.pcap}}}\n"
	      "links: [{between: [[h1..2, r, source], s1], rate: 10Gbps, delay: 1us}]\nflows:\n",
		f);
	for (unsigned i = 1; i <= 2; i++) {
		unsigned rate = 40 + (unsigned)prng_below(g, 60);
		const char *ecn = prng_below(g, 2) ? "ect0" : "not_ect";
		unsigned cls = (unsigned)prng_below(g, 7);

		fprintf(f,
			"  f%u: {from: h%u, to: r, class: %u, ecn: %s, open_loop: {size: 1000, "
			"rate: %u%%}}\n",
			i, i, cls, ecn, rate);
	}
	fprintf(f, "events:\n  - {at: 500us, pfc_storm: {port: \"r:s1\", class: %u, for: 1ms}}\n",
		3 + (unsigned)prng_below(g, 2));
	for (unsigned i = (unsigned)prng_below(g, 4); i < 3; i++)
		fprintf(f,
			"  - {at: 1600us, link_down: \"s1:%s\"}\n"
			"  - {at: 1800us, link_up: \"s1:%s\"}\n",
			leaf[i], leaf[i]);
	fclose(f);
}

struct sums {
	double lost, exempt, filtered, lossless, lossless_exempt; // in the whole run
};

// Reasons that events have had, as bitmaps over all scenes.
static unsigned seen_sw, seen_nic;

// A drop's fate by its word in events.csv.
static enum drop_fate fate_of(const char *reason, bool is_switch)
{
	for (unsigned d = 0; is_switch && d < SW_DROPS; d++)
		if (!strcmp(reason, sw_drop_name((enum sw_drop)d))) {
			seen_sw |= 1u << d;
			return sw_drop_fate((enum sw_drop)d);
		}
	for (unsigned d = 0; !is_switch && d < NIC_DROPS; d++)
		if (!strcmp(reason, nic_drop_name((enum nic_drop)d))) {
			seen_nic |= 1u << d;
			return nic_drop_fate((enum nic_drop)d);
		}
	fail_msg("'%s' is no reason", reason);
	return DROP_LOSS;
}

static struct sums sums_of_events(void)
{
	struct sums n = {0};
	char *text = lab_file(&l, "events.csv"), *next = text;

	for (char *line; (line = strsep(&next, "\n"));) {
		char object[32], reason[32];
		unsigned cls;
		bool is_switch, lossless;

		if (sscanf(line, "%*[^,],drop,%31[^,],%u,%*[^a-z]%31[^,]", object, &cls, reason) !=
			3)
			continue;
		is_switch = !strncmp(object, "s1:", 3);
		lossless = is_switch && LOSSLESS >> cls & 1;
		switch (fate_of(reason, is_switch)) {
		case DROP_EXEMPT:
			n.exempt++;
			n.lossless_exempt += lossless;
			break;
		case DROP_FILTERED:
			n.filtered++;
			break;
		default:
			n.lost++;
			n.lossless += lossless;
		}
	}
	free(text);
	return n;
}

static double of_fate(enum drop_fate fate)
{
	struct ledger_row row;
	double n = 0;

	for (unsigned i = 0; summary_ledger(l.rec->sum, i, &row); i++) {
		assert_true(row.window <= row.whole);
		n += row.fate == fate ? (double)row.whole : 0;
	}
	return n;
}

static void the_verdict_is_the_sum_of_losses(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= SCENES; seed++) {
		struct prng g;
		struct sums n;

		prng_init(&g, seed, "ledger");
		lab_open(&l, "");
		put_capture(&g);
		put_scene(&g, 1);
		assert_int_equal(lab_run(&l, NULL, 0, false), 0);
		n = sums_of_events();
		if (v("lossless_drops_total") != n.lossless ||
			v("total.lossless_exempt_total") != n.lossless_exempt ||
			v("drops_total") != n.lost + n.exempt || of_fate(DROP_LOSS) != n.lost ||
			of_fate(DROP_EXEMPT) != n.exempt || of_fate(DROP_FILTERED) != n.filtered ||
			report_failed(l.rec) != (n.lossless > 0) ||
			!strstr(report_text(l.rec), "NOT LOSSLESS") != !n.lossless ||
			strstr(report_text(l.rec), "NOT RECONCILED"))
			fail_msg("seed %u: %g of %g lossless\n%s", seed, n.lossless, n.lost,
				report_text(l.rec));
		lab_close(&l);
	}
	// Descriptors do not run out here.
	assert_int_equal(seen_sw | 1u << SW_DROP_NO_DESC, (1u << SW_DROPS) - 1);
	assert_int_equal(seen_nic >> NIC_DROP_NOT_FOR_US & 1, 1);
}

// Shards of a switch tell of a drop before the shard where the frame came in has counted it.
static void events_and_ledger_agree_in_a_cut_switch(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= SCENES; seed++) {
		struct prng g;

		prng_init(&g, seed, "cut");
		lab_open(&l, "");
		put_capture(&g);
		put_scene(&g, 2 + seed % 2);
		assert_int_equal(lab_run(&l, NULL, 0, false), 0);
		if (strstr(report_text(l.rec), "NOT RECONCILED"))
			fail_msg("seed %u\n%s", seed, report_text(l.rec));
		lab_close(&l);
	}
}

// The capture's first frame makes its sender known; the other 20 of class 3 are for itself.
static void filtered_frames_break_no_verdict(void **state)
{
	struct crafted c = {{2, 0, 0, 0, 9, 9}, {2, 0, 0, 0, 1, 1}, 100, 3};
	FILE *f;

	(void)state;
	lab_open(&l, "duration: 1ms\nswitches: {s1: {classes: {3: {lossless: true}}}}\n"
		     "hosts: {h1: , source: {replay: {file: made.pcap}}}\n"
		     "links: [{between: [[h1, source], s1], rate: 10Gbps}]\n"
		     "flows: {a: {from: h1, to: source, class: 3, open_loop: {size: 400, rate: "
		     "1%}}}\n");
	f = new_capture();
	for (unsigned i = 0; i <= 20; i++) {
		put_frame(f, &c, i);
		memcpy(c.to, c.from, 6);
	}
	fclose(f);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	assert_true(v("drop.same_port") == 20 && v("total.filtered") == 21);
	assert_true(v("drops") == 0 && v("lossless_drops_total") == 0);
	assert_null(strstr(report_text(l.rec), "NOT LOSSLESS"));
	assert_false(report_failed(l.rec));
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filtered_frames_break_no_verdict),
		cmocka_unit_test(the_verdict_is_the_sum_of_losses),
		cmocka_unit_test(events_and_ledger_agree_in_a_cut_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
