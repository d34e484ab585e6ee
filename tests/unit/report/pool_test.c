// SPDX-License-Identifier: BSD-3-Clause
// Buffers with two sides in the summary: watermarks of pools, queues and groups against each other.
#include "record_lab.h"

#include <math.h>

#include "report/summary.h"

static struct lab l;

static double v(const char *path)
{
	return report_value(l.rec, path);
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
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_sides_hold_the_same),
		cmocka_unit_test(a_plain_buffer_has_no_pools),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
