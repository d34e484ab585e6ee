// SPDX-License-Identifier: BSD-3-Clause
// Tests of counter tables, names, views and the conservation check.
#include <errno.h>
#include <stdio.h>

#include "sw_box.h"
#include "stat_row.h"
#include "sw/int.h"

// Every uint64_t of the object is told by exactly one row of the tables, under its own name.
static void covers(
	const struct stat_table *a, const struct stat_table *b, size_t size, unsigned hidden)
{
	unsigned seen[128] = {0}, words = 0;

	assert_true(size / 8 <= 128);
	for (unsigned k = 0; k < 2; k++) {
		const struct stat_table *t = k ? b : a;

		for (unsigned i = 0; t && i < t->n; i++) {
			assert_int_equal(t->row[i].offset % 8, 0);
			assert_true(t->row[i].offset < size);
			assert_int_equal(seen[t->row[i].offset / 8]++, 0);
			assert_int_equal(stat_find(t, t->row[i].name), (int)i);
			assert_true(strlen(t->row[i].help) > 3);
		}
	}
	for (unsigned i = 0; i < size / 8; i++)
		words += seen[i];
	assert_int_equal(words, size / 8 - hidden);
}

static void tables_cover_the_counters(void **state)
{
	(void)state;
	covers(&sw_class_stat_table, NULL, sizeof(struct sw_class_stats), 0);
	covers(&sw_wd_stat_table, NULL, sizeof(struct sw_wd_stats), 0);
	// FRAME_OK is no reason, FRAME_TOO_LONG is drop_too_long. knows_far is no counter.
	covers(&sw_port_stat_table, &sw_malformed_stat_table, sizeof(struct sw_port_stats), 3);
}

static void rows_of_reasons_carry_their_names(void **state)
{
	struct sw_port_stats s = {0};

	(void)state;
	for (unsigned d = 0; d < SW_DROPS; d++) {
		char name[64];
		int row;

		snprintf(name, sizeof(name), "drop_%s", sw_drop_name((enum sw_drop)d));
		row = stat_find(&sw_port_stat_table, name);
		assert_true(row >= 0);
		s.drop[d] = 100 + d;
		assert_int_equal(stat_get(&sw_port_stat_table, &s, (unsigned)row), 100 + d);
	}
	for (unsigned e = 1; e < FRAME_TOO_LONG; e++) {
		char name[64];
		int row;

		snprintf(name, sizeof(name), "malformed_%s", frame_error_name((enum frame_error)e));
		row = stat_find(&sw_malformed_stat_table, name);
		assert_true(row >= 0);
		s.malformed[e] = 200 + e;
		assert_int_equal(stat_get(&sw_malformed_stat_table, &s, (unsigned)row), 200 + e);
	}
	assert_string_equal(sw_drop_name(SW_DROPS), "unknown");
}

static void account_brings_times_up_to_now(void **state)
{
	struct box *b = box_new();
	tstamp t = PS_PER_MS;
	const struct ev *e;

	(void)state;
	b->params.monitor = true;
	box_start(b);
	box_learn(b);
	box_rx(b, 1, box_pfc(b, 1 << 3, 65535), t);
	box_send(b, 0, 1, 3, 1000, t);
	sw_account(b->sw, t + PS_PER_US);
	assert_int_equal(sw_pause_rx(b->sw, 1)->stats[3].pause_effective_ps, PS_PER_US);
	assert_int_equal(sw_eport(b->sw, 1)->hist[3].max, 1004);
	sw_account(b->sw, 2 * t); // the pause ran out meanwhile
	assert_int_equal(sw_pause_rx(b->sw, 1)->stats[3].pause_effective_ps, 65535 * 5120);
	assert_int_equal(sw_pause_rx(b->sw, 1)->paused, 0);
	e = box_event(b, EV_RESUME_RX);
	assert_non_null(e);
	assert_true(e->t == t + 65535 * 5120);
	assert_true(sw_deadline(b->sw, 1) <= 2 * t);
	box_put(b, box_tx(b, 1, 2 * t));
	box_free(b);
}

static void conservation_sees_what_is_missing(void **state)
{
	struct box *b = box_new();
	char why[200] = "";

	(void)state;
	box_start(b);
	box_learn(b);
	box_send(b, 0, 1, 3, 1000, 0);
	for (unsigned i = 0; i < 3; i++)
		box_send(b, 0, 4, 2, 1000, 0); // flooded
	assert_int_equal(sw_conserve(b->sw, why, sizeof(why)), 0);
	assert_string_equal(why, "");

	struct sw_port *port = b->sw->port;
	uint64_t *count[] = {
		&sw_in(b->sw, &port[0], 3)[SW_IN_FRAMES],
		&sw_in(b->sw, &port[2], 2)[SW_IN_FORWARDED],
		&port[1].rare->cls[2].copied_frames,
		&port[1].rare->cls[2].originated_frames,
		&port[3].rare->cls[0].dropped_frames,
		&port[2].e.q[2].tx_frames,
		&port[3].e.q[EPORT_CTL].tx_frames,
		&port[1].rare->stats.originated_frames,
		&port[1].rare->stats.copied_frames,
		&port[1].rare->stats.drop[SW_DROP_WRED],
	};

	for (unsigned i = 0; i < sizeof(count) / sizeof(count[0]); i++) {
		++*count[i];
		assert_int_equal(sw_conserve(b->sw, why, sizeof(why)), -EPROTO);
		assert_true(strstr(why, "port"));
		--*count[i];
	}
	sw_mmu_of(b->sw, 0)->pg[3].bytes++;
	assert_int_equal(sw_conserve(b->sw, why, sizeof(why)), -EPROTO);
	assert_true(strstr(why, "buffer"));
	sw_mmu_of(b->sw, 0)->pg[3].bytes--;
	for (unsigned i = 0; i < 4; i++)
		box_drain(b, i, PS_PER_MS);
	box_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_cover_the_counters),
		cmocka_unit_test(rows_of_reasons_carry_their_names),
		cmocka_unit_test(account_brings_times_up_to_now),
		cmocka_unit_test(conservation_sees_what_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
