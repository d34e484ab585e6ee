// SPDX-License-Identifier: BSD-3-Clause
// Thresholds of wred that follow the rate of the egress link.
#include "scene_lab.h"
#include "scene/scene.h"

#define AT(rate, wred)                                                           \
	"duration: 1ms\nswitches: {s1: {buffer: 16MB, classes: {3: {wred: " wred \
	"}}}}\n" LAB_HOSTS "links: [{between: [[h1..2, r], s1], rate: " rate ", delay: 1us}]\n"

static void expect(const char *text, uint64_t kmin, uint64_t kmax, double pmax)
{
	struct scene *s = lab(text);
	const struct red_params *red = &lab_node(s, "s1")->u.sw.set->cls[3].red;

	assert_int_equal(red->kmin_bytes, kmin);
	assert_int_equal(red->kmax_bytes, kmax);
	assert_true(red->pmax == pmax);
	scene_free(s);
}

// The HPCC simulator's maps: Kmin 4 KB and Kmax 16 KB for each Gbit/s.
static void a_size_for_each_gbps_is_multiplied(void **state)
{
	(void)state;
	expect(AT("25Gbps", "{min: 4KB/Gbps, max: 16KB/Gbps}"), 100000, 400000, 0.01);
	expect(AT("100Gbps", "{min: 4KB/Gbps, max: 16KB/Gbps}"), 400000, 1600000, 0.01);
	expect(AT("800Gbps", "{min: 1B/Gbps, max: 2MB/Gbps}"), 800, 1600000000, 0.01);
	// Rounded down to bytes: 40 Mbit/s of 4 KB are 160 bytes, of 333 bytes 13.32.
	expect(AT("40Mbps", "{min: 333/Gbps, max: 4KB/Gbps}"), 13, 160, 0.01);
}

static void a_speed_goes_with_sizes_and_shares(void **state)
{
	(void)state;
	expect(AT("25Gbps", "{min: 4KB/Gbps, max: 10%}"), 100000, 1600000, 0.01);
	expect(AT("25Gbps", "{min: 5KB, max: 16KB/Gbps}"), 5000, 400000, 0.01);
}

static void a_drop_curve_follows_the_rate(void **state)
{
	struct scene *s = lab(AT("10Gbps",
		"{min: 4KB/Gbps, max: 8KB/Gbps, drop_min: 10KB/Gbps, drop_max: 40KB/Gbps}"));
	const struct sw_class_params *c = &lab_node(s, "s1")->u.sw.set->cls[3];

	(void)state;
	assert_int_equal(c->red.kmin_bytes, 40000);
	assert_int_equal(c->wred_drop.kmin_bytes, 100000);
	assert_int_equal(c->wred_drop.kmax_bytes, 400000);
	scene_free(s);
}

#define ROWS                                                          \
	"{probability: 5%, by_rate: {25G: {min: 100KB, max: 400KB}, " \
	"100Gbps: {min: 4KB/Gbps, max: 1600KB, probability: 20%}}}"

static void a_rate_has_its_row(void **state)
{
	(void)state;
	expect(AT("25Gbps", ROWS), 100000, 400000, 0.05);
	expect(AT("100Gbps", ROWS), 400000, 1600000, 0.2);
}

#define DEFAULTS(wred) "defaults: {switches: {classes: {3: {wred: " wred "}}}}\n"
#define ALL_RATES      "{min: 1KB, max: 2KB, probability: 7%}"
#define ONE_RATE       "{by_rate: {25G: {min: 3KB, max: 4KB}}}"

static void a_later_layer_decides(void **state)
{
	(void)state;
	expect(AT("25Gbps", ALL_RATES) DEFAULTS(ONE_RATE), 1000, 2000, 0.07);
	expect(AT("25Gbps", ONE_RATE) DEFAULTS(ALL_RATES), 3000, 4000, 0.07);
}

#define MIXED(wred, ports)                                                       \
	"duration: 1ms\nswitches: {s1: {buffer: 16MB, classes: {3: {wred: " wred \
	"}}}}\n" LAB_HOSTS "links: [{between: [[h1..2], s1], rate: 25Gbps}, "    \
	"{between: [r, s1], rate: 100Gbps}]\nports: {" ports "}\n"

static const struct red_params *red_of(const struct scene *s, unsigned port)
{
	const struct sw_params *p = &lab_node(s, "s1")->u.sw;

	return &p->set[p->port[port].set].cls[3].red;
}

static void ports_of_a_switch_have_the_thresholds_of_their_rates(void **state)
{
	struct scene *s = lab(MIXED("{min: 4KB/Gbps, max: 16KB/Gbps}", ""));

	(void)state;
	assert_int_equal(lab_node(s, "s1")->u.sw.n_sets, 2);
	assert_int_equal(red_of(s, 1)->kmax_bytes, 400000);
	assert_int_equal(red_of(s, 2)->kmax_bytes, 1600000);
	scene_free(s);
	s = lab(MIXED(ROWS, ""));
	assert_int_equal(red_of(s, 0)->kmin_bytes, 100000);
	assert_true(red_of(s, 0)->pmax == 0.05);
	assert_int_equal(red_of(s, 2)->kmin_bytes, 400000);
	assert_true(red_of(s, 2)->pmax == 0.2);
	scene_free(s);
}

static void an_entry_of_ports_goes_before_rows_of_the_switch(void **state)
{
	struct scene *s =
		lab(MIXED(ROWS, "\"s1:h2\": {classes: {3: {wred: {min: 1KB, max: 2KB}}}}, "
				"\"s1:r\": {classes: {3: {wred: {probability: 50%}}}}"));

	(void)state;
	assert_int_equal(red_of(s, 0)->kmin_bytes, 100000);
	assert_int_equal(red_of(s, 1)->kmin_bytes, 1000);
	assert_true(red_of(s, 1)->pmax == 0.05);
	assert_int_equal(red_of(s, 2)->kmin_bytes, 400000);
	assert_true(red_of(s, 2)->pmax == 0.5);
	scene_free(s);
	s = lab(MIXED(ROWS, "\"s1:r\": {classes: {3: {wred: {min: none, max: none}}}}"));
	assert_int_equal(lab_node(s, "s1")->u.sw.set[0].cls[3].mark, SW_MARK_DEQUEUE);
	assert_int_equal(lab_node(s, "s1")->u.sw.set[1].cls[3].mark, SW_MARK_NONE);
	scene_free(s);
	lab_refuse(MIXED("{by_rate: {25G: {min: 1KB, max: 2KB}}}", ""),
		"lab.yaml:2:61: by_rate has no row for 100Gbps, the rate of the link at port s1:r; "
		"its rows are for 25G");
}

static void rows_are_checked(void **state)
{
	(void)state;
	lab_refuse(AT("40Gbps", ROWS),
		"lab.yaml:2:78: by_rate has no row for 40Gbps, the rate of the link at port s1:h1; "
		"its rows are for 25G, 100Gbps");
	lab_refuse(AT("25Gbps", "{by_rate: {25G: {min: 1KB}}}"),
		"lab.yaml:2:62: 'max' is missing in this row of by_rate; write a size");
	lab_refuse(AT("25Gbps", "{by_rate: {25X: {min: 1KB, max: 2KB}}}"),
		"lab.yaml:2:62: by_rate: '25X' is no rate; write one, as in 25G");
	lab_refuse(AT("25Gbps", "{by_rate: {25G: {min: 1KB, max: 2KB}, 25Gbps: {min: 1KB}}}"),
		"lab.yaml:2:89: by_rate: 25G and 25Gbps are one rate; write it once");
	lab_refuse(AT("25Gbps", "{by_rate: {25G: {min: 1KB, max: 2KB, ecn: true}}}"),
		"lab.yaml:2:88: unknown key 'ecn' in a row of by_rate");
	lab_refuse(AT("25Gbps", "{by_rate: {25G: {min: 3KB, max: 2KB}}}"),
		"lab.yaml:2:73: wred min 3KB is above max 2KB; it must be at or below it");
	lab_refuse(AT("25Gbps", "{min: 1KB, by_rate: {25G: {min: 1KB, max: 2KB}}}"),
		"lab.yaml:2:52: 'min' and 'by_rate' exclude each other; keep one");
	lab_refuse(AT("25Gbps", "{by_rate: {}}"), "lab.yaml:2:61: by_rate has no row for 25Gbps");
}

static void sizes_for_each_gbps_are_checked(void **state)
{
	(void)state;
	lab_refuse(AT("100Gbps", "{min: 4KB/Gbps, max: 300KB}"),
		"lab.yaml:2:57: wred min 4KB/Gbps (400KB) is above max 300KB");
	lab_refuse(AT("800Gbps", "{min: 4KB/Gbps, max: 3MB/Gbps}"),
		"lab.yaml:2:72: wred max 3MB/Gbps (2.4GB) is above 2GiB, the most");
	lab_refuse(AT("25Gbps", "{min: 4KB/Mbps, max: 1MB}"),
		"lab.yaml:2:57: min: '4KB/Mbps' has the wrong unit; write a size, as in 400KB, for "
		"each Gbps of the link, as in 4KB/Gbps, or a share");
	lab_refuse(AT("25Gbps", "{min: 50%/Gbps, max: 1MB}"),
		"lab.yaml:2:57: min: '50%/Gbps' has the wrong unit");
	lab_refuse(AT("25Gbps", "{min: none/Gbps, max: 1MB}"),
		"lab.yaml:2:57: min: 'none/Gbps' is not right");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_size_for_each_gbps_is_multiplied),
		cmocka_unit_test(a_speed_goes_with_sizes_and_shares),
		cmocka_unit_test(a_drop_curve_follows_the_rate),
		cmocka_unit_test(a_rate_has_its_row),
		cmocka_unit_test(a_later_layer_decides),
		cmocka_unit_test(ports_of_a_switch_have_the_thresholds_of_their_rates),
		cmocka_unit_test(an_entry_of_ports_goes_before_rows_of_the_switch),
		cmocka_unit_test(rows_are_checked),
		cmocka_unit_test(sizes_for_each_gbps_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
