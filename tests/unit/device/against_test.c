// SPDX-License-Identifier: BSD-3-Clause
// Configurations: values that a file gives are taken, defaults are not; SONiC; wrong files.
#include <math.h>
#include <unistd.h>

#include "device_lab.h"

static struct err lab_err;

// Reads a file with this text.
static int against(const char *text, struct device_against_opts o)
{
	char path[] = "/tmp/quench-against-XXXXXX";
	int fd = mkstemp(path), rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	o.path = path;
	rc = device_against(&config, &o, &lab_err);
	unlink(path);
	return rc;
}

#define BENCH "duration: 1ms\nhosts: {p1..3: }\nlinks: [{between: [[p1..3], dut], rate: 100Gbps}]\n"

static const struct device_against_opts ports = {.device = "dut", .in = "p1", .out = "p3"};

static void is_given(unsigned cls, enum probe_figure fig, double value)
{
	if (!config.f[cls][fig].given)
		fail_msg("%s is not given", probe_figure[fig].name);
	if (fabs(config.f[cls][fig].value - value) > 1e-6 * fabs(value))
		fail_msg("%s is %f, not %f", probe_figure[fig].name, config.f[cls][fig].value,
			value);
}

static void is_not_given(unsigned cls, enum probe_figure fig)
{
	if (config.f[cls][fig].given)
		fail_msg("%s is given", probe_figure[fig].name);
}

static void a_static_threshold(void **state)
{
	(void)state;
	assert_int_equal(against(BENCH "switches: {dut: {cell: 208, classes: {3: {lossless: true, "
				       "pfc: {xoff: 100KB, xon: 90KB, reserved: 5KB, headroom: "
				       "50KB, quanta: 1000}, wred: {min: 10KB, max: 20KB, "
				       "probability: 5%, mark: enqueue}, weight: 4}}}}\n",
				 ports),
		0);
	is_given(3, PROBE_OBEYS, 1);
	is_given(3, PROBE_THRESHOLD, 0);
	is_given(3, PROBE_XOFF, 105000);
	is_given(3, PROBE_XON, 95000);
	is_given(3, PROBE_HYSTERESIS, 10000);
	is_given(3, PROBE_RESERVE, 5000);
	is_given(3, PROBE_HEADROOM, 50000);
	is_given(3, PROBE_QUANTA, 1000);
	is_given(3, PROBE_KMIN, 10000);
	is_given(3, PROBE_KMAX, 20000);
	is_given(3, PROBE_PMAX, 5);
	is_given(3, PROBE_MARK, 1);
	is_given(3, PROBE_WEIGHT, 4);
	is_given(PROBE_DEVICE, PROBE_CELL, 208);
	is_not_given(3, PROBE_REFRESH_SHARE);
	is_not_given(3, PROBE_MARK_AVERAGED);
	is_not_given(3, PROBE_STRICT);
	is_not_given(3, PROBE_DSCPS);
	is_not_given(0, PROBE_WEIGHT);
	device_config_free(&config);
}

// alpha = 1/4 of S = 1 MB less 3 groups of 10 KB and of 20 KB headroom; XOFF at r + S / 5.
static void a_dynamic_threshold(void **state)
{
	(void)state;
	assert_int_equal(against(BENCH "switches: {dut: {buffer: 1MB, dscp_map: {8: 3}, classes: "
				       "{3: {lossless: true, pfc: {dynamic_th: -2, xon_offset: "
				       "4KB, reserved: 10KB, headroom: 20KB}}}}}\n",
				 ports),
		0);
	is_given(3, PROBE_THRESHOLD, 1);
	is_given(3, PROBE_ALPHA, 0.25);
	is_given(3, PROBE_SHARED, 910000);
	is_given(3, PROBE_XOFF, 10000 + 182000);
	is_given(3, PROBE_XON, 10000 + 182000 - 3200);
	is_given(3, PROBE_DSCPS, 9);
	assert_true(config.dscps[3] >> 8 & 1);
	device_config_free(&config);
}

static void values_of_defaults_and_ports_are_given_too(void **state)
{
	(void)state;
	assert_int_equal(
		against(BENCH "defaults: {switches: {classes: {0..3: {weight: 2}}}}\nswitches: "
			      "{dut: {classes: {3: {lossless: true}}}}\nports: {\"dut:p3\": "
			      "{classes: {3: {wred: {min: 1KB, max: 2KB}}}}}\n",
			ports),
		0);
	is_given(0, PROBE_WEIGHT, 2);
	is_given(3, PROBE_WEIGHT, 2);
	is_given(3, PROBE_KMAX, 2000);
	is_not_given(4, PROBE_WEIGHT);
	device_config_free(&config);
}

// Class 3 has the ingress group of class 5, and the queue of class 2. The group's own class has
// another one.
static void a_class_has_the_values_of_its_group_and_queue(void **state)
{
	(void)state;
	assert_int_equal(
		against(BENCH "switches: {dut: {pg_map: {3: 5, 5: 0}, queue_map: {3: 2, 2: 3}, "
			      "dscp_map: {8: 3}, classes: {2: {weight: 7}, 3: {weight: 4}, "
			      "5: {lossless: true, pfc: {xoff: 100KB, reserved: 5KB}}}}}\n",
			ports),
		0);
	is_given(3, PROBE_OBEYS, 1);
	is_given(3, PROBE_XOFF, 105000);
	is_given(3, PROBE_RESERVE, 5000);
	is_given(3, PROBE_DSCPS, 9);
	is_given(3, PROBE_WEIGHT, 7);
	is_given(2, PROBE_WEIGHT, 4);
	is_not_given(5, PROBE_XOFF);
	is_not_given(5, PROBE_OBEYS);
	device_config_free(&config);
}

static void a_config_db(void **state)
{
	const struct device_against_opts o = {.path = TEST_DATA "/sonic/leaf_32x100g.json",
		.device = "dut",
		.in = "p1",
		.out = "p3"};

	(void)state;
	assert_int_equal(device_against(&config, &o, &lab_err), 0);
	is_given(3, PROBE_OBEYS, 1);
	assert_true(config.f[3][PROBE_KMAX].given);
	assert_true(config.f[3][PROBE_DSCPS].given);
	is_not_given(3, PROBE_MARK); // the file does not say where it marks
	is_not_given(PROBE_DEVICE, PROBE_CELL);
	device_config_free(&config);
}

static void refused(const char *text, struct device_against_opts o, const char *why)
{
	assert_true(against(text, o) < 0);
	device_config_free(&config);
	has_text(lab_err.text, why);
}

static void wrong_files(void **state)
{
	struct device_against_opts o = ports;

	(void)state;
	refused("duration: 1ms\nhosts: {p1..2: }\nlinks: [{between: [p1, p2]}]\n", o,
		"it has 0 switches; it must have the device, as dut");
	refused("duration: 1ms\nhosts: {p1..2: }\nswitches: {a: , b: }\nlinks: [{between: [p1, "
		"a]}, {between: [a, b]}, {between: [p2, b]}]\n",
		o, "it has 2 switches, and none is called dut");
	o.classes = 1 << 5;
	refused(BENCH "switches: {dut: {classes: {3: {lossless: true}}}}\n", o,
		"class 5 has no PFC there, and is to be measured");
	o.path = "/nowhere.yaml";
	assert_true(device_against(&config, &o, &lab_err) < 0);
	device_config_free(&config);
	has_text(lab_err.text, "/nowhere.yaml: No such file");
	o.path = "/tmp";
	assert_true(device_against(&config, &o, &lab_err) < 0);
	device_config_free(&config);
	has_text(lab_err.text, "/tmp: Is a directory; a file is wanted");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_static_threshold),
		cmocka_unit_test(a_dynamic_threshold),
		cmocka_unit_test(values_of_defaults_and_ports_are_given_too),
		cmocka_unit_test(a_class_has_the_values_of_its_group_and_queue),
		cmocka_unit_test(a_config_db),
		cmocka_unit_test(wrong_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
