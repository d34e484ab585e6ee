// SPDX-License-Identifier: BSD-3-Clause
// Which ports have an observer, on either clock, and by which interval it judges CNPs.
#include "scene_lab.h"

#define TWO                                                                           \
	"duration: 1ms\nswitches: {s1: }\nhosts: {h1: , h2: {np: {interval: 7us}}}\n" \
	"links: [{between: [h1..2, s1]}]\n"

static const struct scene_port *port_of(const struct scene *s, const char *node, unsigned port)
{
	return &lab_node(s, node)->port[port];
}

static void in_virtual_time_a_port_is_observed_if_the_file_says_so(void **state)
{
	struct scene *s = lab(TWO "ports: {\"s1:h2\": {observe: true}, \"h1:s1\": {observe: "
				  "true, device: net_null0}}\n");

	(void)state;
	assert_false(port_of(s, "s1", 0)->observe);
	assert_true(port_of(s, "s1", 1)->observe);
	assert_int_equal(port_of(s, "s1", 1)->np_interval, 7 * PS_PER_US);
	assert_true(port_of(s, "h1", 0)->observe);
	assert_int_equal(port_of(s, "h1", 0)->np_interval, 7 * PS_PER_US);
	assert_false(port_of(s, "h2", 0)->observe);
	scene_free(s);
}

// The switch is the peer of h2, and the hosts h1 and h3 differ in their intervals.
static void hosts_of_several_intervals_leave_it_unknown(void **state)
{
	struct scene *s = lab(
		"duration: 1ms\nswitches: {s1: }\nhosts: {h1: , h2: , h3: {np: {interval: 7us}}}\n"
		"links: [{between: [h1..3, s1]}]\nports: {\"h2:s1\": {observe: true}}\n");

	(void)state;
	assert_int_equal(port_of(s, "h2", 0)->np_interval, 0);
	scene_free(s);
}

#define REAL                                                         \
	"duration: 1ms\nswitches: {s1: {lcores: 2}}\n"               \
	"hosts: {h1: , h2: {external: true, np: {interval: 7us}}}\n" \
	"links: [{between: [h1..2, s1]}]\nports: {\"s1:h2\": {device: net_null0"

// Loads a scenario for the real clock, or one with an error, of which it returns the message.
static const char *load_real(struct scene **s, const char *text)
{
	const struct scene_opts real = {.real = true, .one_clock = true};

	*s = NULL;
	return lab_try(s, text, &real) ? lab_err.text : NULL;
}

static void a_device_whose_peer_is_foreign_is_observed_by_itself(void **state)
{
	struct scene *s;

	(void)state;
	assert_null(load_real(&s, REAL "}}\n"));
	assert_true(port_of(s, "s1", 1)->observe);
	assert_int_equal(port_of(s, "s1", 1)->np_interval, 7 * PS_PER_US);
	assert_false(port_of(s, "s1", 0)->observe);
	assert_false(port_of(s, "h1", 0)->observe);
	scene_free(s);
	assert_null(load_real(&s, REAL ", observe: false}}\n"));
	assert_false(port_of(s, "s1", 1)->observe);
	scene_free(s);
}

// By itself such a port has no observer, and a scenario that asks for one is refused.
static void one_lcore_has_to_handle_the_frames_of_a_port(void **state)
{
	struct scene *s;
	const char *told;

	(void)state;
	assert_null(load_real(&s, REAL ", rx_queues: 2}}\n"));
	assert_false(port_of(s, "s1", 1)->observe);
	scene_free(s);
	told = load_real(&s, REAL ", rx_queues: 2, observe: true}}\n");
	assert_non_null(told);
	assert_string_equal(told, "lab.yaml:5:61: port s1:h2: on the real clock one lcore has to "
				  "handle the frames of a port with observe: true; set its "
				  "rx_queues to 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_whose_peer_is_foreign_is_observed_by_itself),
		cmocka_unit_test(one_lcore_has_to_handle_the_frames_of_a_port),
		cmocka_unit_test(in_virtual_time_a_port_is_observed_if_the_file_says_so),
		cmocka_unit_test(hosts_of_several_intervals_leave_it_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
