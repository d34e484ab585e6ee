// SPDX-License-Identifier: BSD-3-Clause
// Controls of a plug-in in a scenario: its keys are read like every other option, and errors in
// them are told as exactly.
#include "scene_lab.h"

#include "guest/guest.h"

#define PLUGIN "plugin: '" MODULES "/plugin0.so'"

#define CONTROL(text)                                                                 \
	"controls: {c: {" text "}}\nduration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS \
	"flows: {f: {from: h1..2, to: r, control: c}}\n"

// The rate and window with which a reaction point of the scene's first control starts.
static void starts_with(const struct scene *s, rate_t rate, uint64_t window)
{
	const struct rp_cfg *cfg = &s->control[0]->cfg;
	void *state = calloc(1, rp_state_size(cfg));
	struct rp rp;

	assert_non_null(state);
	rp_init(&rp, cfg, state, NULL);
	assert_int_equal(rp_rate(&rp), rate);
	assert_int_equal(rp_window(&rp), window);
	free(state);
}

static void its_keys_have_units(void **state)
{
	struct scene *s = lab(CONTROL(PLUGIN ", rate: 3Gbps, window: 9KB, shift: -1.5, gain: 50%"));

	(void)state;
	assert_string_equal(s->control[0]->profile, "plugin");
	assert_ptr_equal(s->flow[0]->rp, &s->control[0]->cfg);
	assert_int_equal(s->n_plugins, 1);
	assert_int_equal(s->flow[0]->req.tos & 3, ECN_ECT0);
	starts_with(s, 3 * RATE_GBPS, 9000);
	scene_free(s);
}

static void what_is_not_given_is_its_default(void **state)
{
	struct scene *s = lab(CONTROL(PLUGIN));

	(void)state;
	starts_with(s, 10 * RATE_GBPS, 64000);
	scene_free(s);
}

static void every_parameter_is_listed_with_its_source(void **state)
{
	struct scene *s = lab(CONTROL(PLUGIN ", rate: 3Gbps"));
	const char *at = strstr(s->resolved, "plugin0.so");

	(void)state;
	assert_non_null(at);
	assert_non_null(strstr(at, "rate: 3Gbps"));
	assert_non_null(strstr(at, "window: 64KB"));
	assert_non_null(strstr(at, "gain: 6.25%"));
	assert_non_null(strstr(strstr(at, "rate: 3Gbps"), ":1"));
	assert_non_null(strstr(strstr(at, "window: 64KB"), "default"));
	scene_free(s);
}

static void a_flow_without_cnps_has_ce_in_its_acks(void **state)
{
	struct scene *s = lab(CONTROL("plugin: '" MODULES "/plugin9.so'"));

	(void)state;
	assert_true(s->flow[0]->rsp.echo_ce);
	assert_int_equal(s->flow[0]->req.tos & 3, ECN_ECT0);
	scene_free(s);
	s = lab(CONTROL(PLUGIN));
	assert_false(s->flow[0]->rsp.echo_ce);
	scene_free(s);
}

static void refused(const char *text, const char *what)
{
	struct scene *s = NULL;

	assert_int_equal(lab_try(&s, text, NULL), -EINVAL);
	if (strncmp(lab_err.text, "lab.yaml:1:", 11) != 0 || !strstr(lab_err.text, what))
		fail_msg("told '%s'\nnot  '%s'", lab_err.text, what);
	assert_null(strchr(lab_err.text, '\n'));
}

static void what_is_wrong_is_told(void **state)
{
	(void)state;
	refused(CONTROL(PLUGIN ", gian: 20%"),
		"unknown key 'gian' in a control of plug-in test; did you mean 'gain'?");
	refused(CONTROL(PLUGIN ", profile: paper"), "'plugin' and 'profile' exclude each other");
	refused(CONTROL(PLUGIN ", gain: 0.1%"), "gain: 0.1% is out of range; it can be 1%..100%");
	refused(CONTROL(PLUGIN ", shift: -3"), "shift: -3 is out of range; it can be -2..2");
	refused(CONTROL(PLUGIN ", rate: 3ms"), "rate: '3ms' has the wrong unit; write a rate");
	refused(CONTROL(PLUGIN ", rate: 3"), "rate: '3' has no unit; write a rate");
	refused(CONTROL(PLUGIN ", from: 10Gbps"),
		"from: '10Gbps' has the wrong unit; write a time");
	refused(CONTROL("plugin: nowhere.so"), "control 'c': ");
	refused(CONTROL("plugin: nowhere.so"), "nowhere.so: No such file");
	refused(CONTROL("plugin: [a, b]"), "plugin cannot be a list; write a text");
	refused(CONTROL("plugn: a.so"), "unknown key 'plugn' in a control; did you mean 'plugin'?");
	refused(CONTROL(PLUGIN ", how: 20"),
		"control 'c' refused to run in init() at 0.000 us, at a line rate of 25Gbps");
	refused(CONTROL(PLUGIN ", how: 1, verb: 0"),
		"control 'c' crashed in init() at 0.000 us (SIGSEGV)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_keys_have_units),
		cmocka_unit_test(what_is_not_given_is_its_default),
		cmocka_unit_test(every_parameter_is_listed_with_its_source),
		cmocka_unit_test(a_flow_without_cnps_has_ce_in_its_acks),
		cmocka_unit_test(what_is_wrong_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
