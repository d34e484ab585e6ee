// SPDX-License-Identifier: BSD-3-Clause
// Words of older versions: they mean those of now, are warned of, and become them in a file's text.
#include "scene_lab.h"

#define FRAMING "framing: 'hpcc' is called 'hpcc_sim' now"
#define PROFILE "profile: 'hpcc' is called 'hpcc_sim_dcqcn' now"

#define SCENE(framing, profile)                                          \
	"framing: " framing "\ncontrols: {c: {profile: " profile         \
	"}, unused: }\nduration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS \
	"flows: {incast: {from: h1..2, to: r, mtu: 1000, ack_every: 1, control: c}}\n"

static void old_words_mean_the_new_ones(void **state)
{
	struct scene *old = lab(SCENE("hpcc", "hpcc"));
	struct scene *now = lab(SCENE("hpcc_sim", "hpcc_sim_dcqcn"));

	(void)state;
	assert_true(old->hpcc_sim);
	assert_int_equal(old->n_controls, 1);
	assert_string_equal(old->control[0]->profile, "hpcc_sim_dcqcn");
	assert_true(lab_warns(old, FRAMING));
	assert_true(lab_warns(old, PROFILE));
	assert_int_equal(old->n_warnings, now->n_warnings + 2);
	assert_false(lab_warns(now, "is called"));
	assert_non_null(strstr(old->resolved, "framing: hpcc_sim "));
	assert_non_null(strstr(old->resolved, "profile: hpcc_sim_dcqcn "));
	scene_free(old);
	scene_free(now);
}

static void the_line_is_told_and_a_setting_has_none(void **state)
{
	struct scene *s = lab(SCENE("hpcc", "paper"));

	(void)state;
	assert_int_equal(s->warning[0].line, 1);
	assert_string_equal(
		s->warning[0].text, FRAMING "; `quench check --migrate FILE` rewrites it");
	assert_int_equal(s->n_old, 1);
	assert_int_equal(s->old[0].column, 10);
	scene_free(s);
	s = lab_with(LAB, "framing", "hpcc");
	assert_true(s->hpcc_sim);
	assert_string_equal(s->warning[0].text, FRAMING);
	assert_int_equal(s->n_old, 0);
	scene_free(s);
}

// The algorithm of that name is not built; where the word never stood it is none.
static void elsewhere_the_word_is_wrong(void **state)
{
	(void)state;
	lab_refuse("framing: [hpcc]\n" LAB, "lab.yaml:1:10: framing cannot be a list");
	lab_refuse("controls: {c: {profile: hpcc_dcqcn}}\n" LAB,
		"lab.yaml:1:25: profile: 'hpcc_dcqcn' is not right; write one of paper, "
		"hpcc_sim_dcqcn");
	lab_refuse("controls: [hpcc]\n" LAB, "lab.yaml:1:11: ");
}

// The text is rewritten so, and is without old words then.
static void becomes(const char *text, const char *want)
{
	struct scene *s = lab(text);
	size_t size = 0;
	char *now = NULL;

	if (scene_migrate(s, text, strlen(text), &now, &size, &lab_err))
		fail_msg("%s", lab_err.text);
	assert_int_equal(size, strlen(want));
	assert_memory_equal(now, want, size);
	free(now);
	scene_free(s);
	s = lab(want);
	assert_int_equal(s->n_old, 0);
	scene_free(s);
}

static void nothing_else_of_the_text_changes(void **state)
{
	(void)state;
	becomes(LAB, LAB);
	becomes(SCENE("hpcc", "hpcc"), SCENE("hpcc_sim", "hpcc_sim_dcqcn"));
	becomes("# framing: hpcc\n" SCENE("  'hpcc'   # hpcc\r", "\"hpcc\""),
		"# framing: hpcc\n" SCENE("  'hpcc_sim'   # hpcc\r", "\"hpcc_sim_dcqcn\""));
	becomes("\xef\xbb\xbf" SCENE("hpcc", "paper, min_rate: 1Gbps"),
		"\xef\xbb\xbf" SCENE("hpcc_sim", "paper, min_rate: 1Gbps"));
	becomes("# \xc3\xa4\ncontrols: {a: {profile: hpcc}, b: {profile: hpcc}}\n" LAB,
		"# \xc3\xa4\ncontrols: {a: {profile: hpcc_sim_dcqcn}, b: {profile: "
		"hpcc_sim_dcqcn}}\n" LAB);
}

static void they_are_listed_as_in_the_file(void **state)
{
	struct scene *s = lab("controls: {a: {profile: hpcc},\n  b: {profile: hpcc}}\n"
			      "duration: 1ms\nframing: hpcc\n" LAB_HOSTS LAB_LINKS LAB_LOSSLESS);

	(void)state;
	assert_int_equal(s->n_old, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(s->old[i].line, i == 2 ? 4 : i + 1);
	assert_string_equal(s->old[2].now, "hpcc_sim");
	scene_free(s);
}

static void another_spelling_is_told(void **state)
{
	const char *text = "framing: \"hp\\x63c\"\n" LAB;
	char *now = NULL;
	size_t size = 0;
	struct scene *s = lab(text);

	(void)state;
	assert_int_equal(s->n_old, 1);
	assert_int_equal(scene_migrate(s, text, strlen(text), &now, &size, &lab_err), -EINVAL);
	assert_null(now);
	if (!strstr(lab_err.text,
		    ":1:10: 'hpcc' does not stand here letter by letter; write 'hpcc_sim' by hand"))
		fail_msg("%s", lab_err.text);
	scene_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(old_words_mean_the_new_ones),
		cmocka_unit_test(the_line_is_told_and_a_setting_has_none),
		cmocka_unit_test(elsewhere_the_word_is_wrong),
		cmocka_unit_test(nothing_else_of_the_text_changes),
		cmocka_unit_test(they_are_listed_as_in_the_file),
		cmocka_unit_test(another_spelling_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
