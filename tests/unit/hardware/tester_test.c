// SPDX-License-Identifier: BSD-3-Clause
// Hosts that are testers: their parameters and headers, and hosts that cannot be any.
#include "scene_lab.h"

#define BENCH                                                                              \
	"duration: 1ms\n"                                                                  \
	"switches: {s1: {}}\n"                                                             \
	"hosts: {h1: , h2: {ip: \"2001:db8::2\", mac: \"02:00:00:00:aa:01\"}, a: , b: }\n" \
	"links: [{between: [[h1..2, a, b], s1], rate: 25Gbps, delay: 1us}]\n"              \
	"flows: {f: {from: a, to: b}}\n"

static struct scene *bench(const char *const *testers, unsigned n)
{
	const struct scene_opts opts = {.testers = testers, .n_testers = n};
	struct scene *s = NULL;

	if (lab_try(&s, BENCH, &opts))
		fail_msg("%s", lab_err.text);
	return s;
}

static void refused(const char *const *testers, unsigned n, const char *want)
{
	const struct scene_opts opts = {.testers = testers, .n_testers = n};
	struct scene *s = NULL;

	assert_int_not_equal(lab_try(&s, BENCH, &opts), 0);
	if (!strstr(lab_err.text, want))
		fail_msg("told '%s'\nnot  '%s'", lab_err.text, want);
}

static void a_tester_has_headers_to_each_of_them(void **state)
{
	static const char *const names[] = {"h2", "h1"};
	struct scene *s = bench(names, 2);
	const struct scene_node *h2 = lab_node(s, "h2");
	const struct tester_params *p = &h2->u.tester;
	const struct hdr *to = &p->hdr[1 * (TESTER_UNTAGGED + 1)];
	const uint8_t mac[6] = {2, 0, 0, 0, 0, 1};

	(void)state;
	assert_int_equal(s->n_testers, 2);
	assert_int_equal(s->tester[0], scene_node(s, "h2"));
	assert_int_equal(h2->kind, SCENE_TESTER);
	assert_int_equal(lab_node(s, "a")->kind, SCENE_NIC);
	assert_int_equal(p->ports, 2);
	assert_int_equal(p->rate, 25 * RATE_GBPS);
	assert_int_not_equal(p->salt, 0);
	assert_int_equal(p->salt, lab_node(s, "h1")->u.tester.salt);
	assert_memory_equal(p->mac, h2->mac, 6);
	assert_memory_equal(to->dst, mac, 6);
	assert_memory_equal(to->src, h2->mac, 6);
	assert_int_equal(to[3].flags, HDR_IPV4 | HDR_VLAN);
	assert_int_equal(to[3].vlan_tci, 3 << 13);
	// Shortest frames have room for IPv4 only.
	assert_int_equal(to[TESTER_UNTAGGED].flags, HDR_IPV4);
	assert_memory_equal(to[TESTER_UNTAGGED].saddr, "\x0a\x00\xaa\x01", 4);
	for (unsigned i = 0; i < 2 * (TESTER_UNTAGGED + 1); i++)
		assert_in_range(p->hdr[i].id, 1, s->n_hdrs);
	scene_free(s);
}

static void who_cannot_be_a_tester_is_named(void **state)
{
	static const char *const none[] = {"h1", "x"}, *const twice[] = {"h1", "h1"},
				 *const sw[] = {"s1"}, *const flow[] = {"h1", "a"};

	(void)state;
	refused(none, 2, "x");
	refused(twice, 2, "'h1' is named twice, so it is no port of an experiment");
	refused(sw, 1, "'s1' is a switch");
	refused(flow, 2, "'a' takes part in a flow");
}

static void without_an_experiment_they_are_hosts(void **state)
{
	struct scene *s = bench(NULL, 0);

	(void)state;
	assert_int_equal(s->n_testers, 0);
	assert_int_equal(lab_node(s, "h1")->kind, SCENE_NIC);
	scene_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tester_has_headers_to_each_of_them),
		cmocka_unit_test(who_cannot_be_a_tester_is_named),
		cmocka_unit_test(without_an_experiment_they_are_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
