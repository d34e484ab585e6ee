// SPDX-License-Identifier: BSD-3-Clause
// Buffers of a run: ingress groups near their XOFF and their losses, pools and watermarks of
// buffers with two sides, bytes held at the end.
#include "figure_lab.h"

#include <math.h>

static void groups_stay_within_headroom(void **state)
{
	(void)state;
	assert_true(v("pg.s1:h1.3.xoff_bytes") == 30000);
	assert_true(v("pg.s1:h1.3.xon_bytes") == 27000);
	assert_true(v("pg.s1:h1.3.max_bytes_total") > 30000);
	assert_true(v("pg.s1:h1.3.max_headroom_bytes_total") < v("pg.s1:h1.3.headroom_bytes"));
	assert_true(v("total.lossless_drops") == 0);
}

#define MAPPED                                                                                \
	"duration: 100us\n"                                                                   \
	"switches: {s1: {buffer: 4MB, pg_map: {3: 0, 4: 3}, queue_map: {4: 5}, classes: {0: " \
	"{drop: {limit: 20KB}}, 3: {lossless: true, pfc: {xoff: 20KB, headroom: 2KB}}}}}\n"   \
	"hosts: {h1..2: {pfc_honour: false}, r: {}}\n"                                        \
	"links: [{between: [[h1..2, r], s1], rate: 100Gbps, delay: 1us}]\n"                   \
	"flows: {f: {from: h1..2, to: r, class: 3, open_loop: {size: 1000, rate: 100%}}}\n"

// Class 3 is in a lossy group, class 4 in the lossless group 3 and in queue 5.
static void losses_are_the_groups(void **state)
{
	for (unsigned cls = 3; cls <= 4; cls++) {
		const struct scene_set set[] = {{"flows.f.class", cls == 3 ? "3" : "4"}};
		struct lab m;

		(void)state;
		lab_open(&m, MAPPED);
		assert_int_equal(lab_run(&m, set, 1, false), 0);
		assert_true(report_value(m.rec, "drops") > 100);
		assert_true(report_value(m.rec, "total.lossless_drops") ==
			    (cls == 3 ? 0 : report_value(m.rec, "drops")));
		assert_int_equal(report_passed(m.rec), cls == 3);
		if (cls == 4) {
			assert_true(report_value(m.rec, "pg.s1:h1.3.xoff_percent") > 90);
			assert_non_null(
				strstr(report_text(m.rec), "why         s1:r class 5: PFC: s1:h"));
		} else {
			assert_null(strstr(report_text(m.rec), "why  "));
		}
		lab_close(&m);
	}
}

// An egress queue that takes nothing: the group never holds a byte, and all that it was to hold
// is lost.
static void losses_of_a_group_that_held_nothing_are_told(void **state)
{
	const struct scene_set set[] = {
		{"flows.f.class", "4"}, {"switches.s1.classes.5.queue.limit", "1"}};
	struct lab m;

	(void)state;
	lab_open(&m, MAPPED);
	assert_int_equal(lab_run(&m, set, 2, false), 0);
	assert_true(report_value(m.rec, "drops") > 1000);
	assert_true(report_value(m.rec, "total.lossless_drops") == report_value(m.rec, "drops"));
	assert_false(report_passed(m.rec));
	lab_close(&m);
}

static const struct scene_set sides[] = {
	{"switches.s1.cell", "256"},
	{"switches.s1.pools.headroom", "60KB"},
	{"switches.s1.classes.3.queue.reserved", "4KB"},
};

// 2:1 at equal rates into one queue: what the groups hold, headroom and all, is what the queue
// holds.
static void both_sides_hold_the_same(void **state)
{
	char *json;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, sides, 3, false), 0);
	assert_true(v("pauses") > 0);
	assert_true(v("pool.s1.ingress.size_bytes") == 4000000 - 60000);
	assert_true(v("pool.s1.headroom.size_bytes") == 60000);
	assert_true(v("pool.s1.egress_lossless.size_bytes") == 4000000 - 3 * 4000);
	// The two groups' headroom together; each at most its own.
	assert_true(
		v("pool.s1.headroom.max_bytes_total") >= v("pg.s1:h1.3.max_headroom_bytes_total"));
	assert_true(v("pool.s1.headroom.max_bytes_total") <=
		    v("pg.s1:h1.3.max_headroom_bytes_total") +
			    v("pg.s1:h2.3.max_headroom_bytes_total"));
	assert_true(v("pg.s1:h1.3.shared_max_bytes_total") <= 30000);
	assert_true(v("pg.s1:h1.3.shared_max_bytes_total") > 30000 - 2 * 1280);
	// Whole cells: each frame of 1086 bytes takes 1280.
	assert_true(fmod(v("queue.s1:r.3.buffer_max_bytes_total"), 256) == 0);
	assert_true(v("queue.s1:r.3.buffer_max_bytes_total") >= v("queue.s1:r.3.max_bytes"));
	assert_true(v("queue.s1:r.3.shared_max_bytes_total") ==
		    v("queue.s1:r.3.buffer_max_bytes_total") - 4000);
	assert_true(v("pool.s1.egress_lossless.max_bytes_total") ==
		    v("queue.s1:r.3.shared_max_bytes_total"));
	json = lab_file(&l, "summary.json");
	assert_non_null(strstr(json, "\"pool\": \"egress_lossy\""));
	free(json);
	lab_close(&l);
}

// The bytes held at the end agree: by groups, by the pool, by the whole buffer.
static void what_is_held_adds_up(void **state)
{
	double held;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, sides, 3, false), 0);
	assert_true(v("buffer.s1.size_bytes") == 4000000);
	assert_true(v("buffer.s1.max_bytes_total") >= v("queue.s1:r.3.buffer_max_bytes_total"));
	assert_true(v("buffer.s1.max_bytes_total") <= v("buffer.s1.size_bytes"));
	held = v("pg.s1:h1.3.held_bytes") + v("pg.s1:h2.3.held_bytes");
	assert_true(held > 0);
	assert_true(v("buffer.s1.used_bytes") >= held);
	assert_true(v("buffer.s1.used_bytes") <= v("buffer.s1.max_bytes_total"));
	assert_true(v("pg.s1:h1.3.held_bytes") <= v("pg.s1:h1.3.max_bytes_total"));
	assert_true(fmod(v("pg.s1:h1.3.held_bytes"), 256) == 0);
	// The bytes beyond the reserve, of the groups and of the queue.
	assert_true(v("pool.s1.ingress.used_bytes") + v("pool.s1.headroom.used_bytes") <= held);
	assert_true(v("pool.s1.egress_lossless.used_bytes") == fmax(0, held - 4000));
	assert_true(v("pool.s1.ingress.used_bytes") <= v("pool.s1.ingress.max_bytes_total"));
	assert_true(v("pool.s1.egress_lossy.used_bytes") == 0);
	lab_close(&l);
}

// A message that has gone leaves nothing behind.
static void an_idle_buffer_holds_nothing(void **state)
{
	const struct scene_set set[] = {{"flows.incast.count", "1"}};

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, set, 1, false), 0);
	assert_true(v("buffer.s1.max_bytes_total") > 1000);
	assert_true(v("buffer.s1.used_bytes") == 0);
	assert_true(v("pg.s1:h1.3.held_bytes") == 0);
	assert_true(v("queue.s1:r.3.length_bytes") == 0);
	assert_true(isnan(v("buffer.h1.size_bytes"))); // no switch
	lab_close(&l);
}

static void a_plain_buffer_has_no_pools(void **state)
{
	char *json;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	assert_true(isnan(v("pool.s1.ingress.size_bytes")));
	assert_true(isnan(v("queue.s1:r.3.shared_limit_bytes")));
	json = lab_file(&l, "summary.json");
	assert_null(strstr(json, "buffer_pools"));
	free(json);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests_run[] = {
		cmocka_unit_test(groups_stay_within_headroom),
		cmocka_unit_test(losses_are_the_groups),
		cmocka_unit_test(losses_of_a_group_that_held_nothing_are_told),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_sides_hold_the_same),
		cmocka_unit_test(what_is_held_adds_up),
		cmocka_unit_test(an_idle_buffer_holds_nothing),
		cmocka_unit_test(a_plain_buffer_has_no_pools),
	};

	return cmocka_run_group_tests(tests_run, figures_of_two, figures_end) +
	       cmocka_run_group_tests(tests, NULL, NULL);
}
