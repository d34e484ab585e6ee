// SPDX-License-Identifier: BSD-3-Clause
// Losses and their repair: Lumina's latencies at the place of the loss, the frames that a loss
// cost, and losses that no fault told.
#include "page_lab.h"

static void lanes(struct jw *w, struct saved *s)
{
	data_lanes(w, s);
}

static json_t *of_events(struct lab *l, const char *lines)
{
	char path[160];
	FILE *f;

	by_hand(l);
	put(l, "summary.json",
		"{\"schema\": 1, \"flows\": [{\"flow_name\": \"f\", \"data_frames_tx\": 1073}]}");
	put(l, "manifest.json",
		"{\"name\": \"n\", \"end_us\": 100, \"resolved\": {\"record\": "
		"{\"events\": \"all\"}}}");
	snprintf(path, sizeof(path), "%s/events.csv", l->out);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(EVENT_HEAD, f);
	fputs(lines, f);
	fclose(f);
	return part_of(l, lanes);
}

static void latencies_are_those_at_the_place_of_the_loss(void **state)
{
	static struct lab l;
	json_t *j = of_events(&l, "10,fault,s1:h1,0,f,3 drop data,1082,,,100,,,\n"
				  "10.5,fault,s1:h1,0,f,4 watch data,1082,,,101,,,\n"
				  "11,fault,s1:h1,0,f,4 watch data,1082,,,102,,,\n"
				  "12,nak_tx,r:s1,,f,,,,,100,,,\n"
				  "13,fault,s1:r,0,f,5 watch nak,62,,,100,,,\n"
				  "14,nak,h1:s1,,f,,,,,100,,,\n"
				  "14.25,resent,h1:s1,,f,,1082,,,100,,,\n"
				  "14.5,resent,h1:s1,,f,,1082,,,101,,,\n"
				  "14.75,fault,s1:r,0,f,6 drop ack,62,,,99,,,\n"
				  "15,fault,s1:h1,0,f,4 watch data,1082,,,100,,,\n");

	(void)state;
	assert_int_equal(count(j, "recovery"), 1);
	assert_string_equal(text(j, "recovery.0.name"), "f");
	assert_true(num(j, "recovery.0.sent") == 1073);
	assert_true(num(j, "recovery.0.lost.count") == 1 && num(j, "recovery.0.lost.t.0") == 10);
	assert_true(num(j, "recovery.0.nak.count") == 1);
	assert_true(num(j, "recovery.0.resent.count") == 2);
	assert_true(num(j, "recovery.0.timeout.count") == 0);
	assert_int_equal(count(j, "losses"), 1);
	assert_string_equal(text(j, "losses.0.port"), "s1:h1");
	assert_string_equal(text(j, "losses.0.fault"), "3");
	assert_true(num(j, "losses.0.generation_us") == 2.5);
	assert_true(num(j, "losses.0.reaction_us") == 2);
	assert_true(num(j, "losses.0.retransmission_us") == 5);
	assert_true(num(j, "losses.0.resent_us") == 14.25);
	assert_true(num(j, "losses.0.frames") == 2);
	json_decref(j);
	lab_close(&l);
}

static void a_loss_that_no_fault_tells_has_no_place(void **state)
{
	static struct lab l;
	json_t *j =
		of_events(&l, "12,nak_tx,r:s1,,f,,,,,7,,,\n14,nak,h1:s1,,f,,,,,7,,,\n"
			      "14.25,resent,h1:s1,,f,,1082,,,7,,,\n"
			      "50,timeout,h1:s1,,f,,,,,9,,,\n50,resent,h1:s1,,f,,1082,,,9,,,\n");

	(void)state;
	assert_int_equal(count(j, "losses"), 2);
	assert_string_equal(text(j, "losses.0.port"), "");
	assert_true(json_is_null(at(j, "losses.0.at_us")));
	assert_true(json_is_null(at(j, "losses.0.retransmission_us")));
	assert_true(num(j, "losses.0.nak_us") == 14 && num(j, "losses.0.frames") == 1);
	assert_true(json_is_null(at(j, "losses.1.nak_us")));
	assert_true(num(j, "losses.1.timeout_us") == 50 && num(j, "losses.1.resent_us") == 50);
	assert_true(num(j, "recovery.0.lost.count") == 0);
	json_decref(j);
	lab_close(&l);
}

// Go-back-N repairs two losses by one pass: each takes the frames behind it.
static void frames_are_those_behind_a_loss(void **state)
{
	static struct lab l;
	json_t *j = of_events(&l,
		"1,fault,s1:h1,0,f,1 drop data,1082,,,100,,,\n"
		"2,fault,s1:h1,0,f,2 corrupt read_response,1082,,,102,,,\n"
		"3,nak,h1:s1,,f,,,,,100,,,\n4,resent,h1:s1,,f,,1082,,,100,,,\n"
		"5,resent,h1:s1,,f,,1082,,,101,,,\n6,resent,h1:s1,,f,,1082,,,102,,,\n"
		"7,resent,h1:s1,,f,,1082,,,103,,,\n8,resent,h1:s1,,f,,1082,,,104,,,\n");

	(void)state;
	assert_int_equal(count(j, "losses"), 2);
	assert_true(num(j, "losses.0.frames") == 2 && num(j, "losses.1.frames") == 3);
	assert_true(json_is_null(at(j, "losses.1.nak_us")));
	json_decref(j);
	lab_close(&l);
}

static void many_marks_become_counts_and_losses_are_bounded(void **state)
{
	enum { MANY = 5000 };
	static struct lab l;
	char *lines = malloc(64 * MANY), *to = lines;
	json_t *j;

	(void)state;
	assert_non_null(lines);
	for (unsigned i = 0; i < MANY; i++)
		to += sprintf(to, "%u.5,fault,s1:h1,0,f,1 drop data,1082,,,%u,,,\n", i / 100, i);
	j = of_events(&l, lines);
	free(lines);
	assert_true(num(j, "recovery.0.lost.count") == MANY);
	assert_true(num(j, "recovery.0.lost.bin_us") > 0);
	assert_true((double)count(j, "losses") + num(j, "more_losses") == MANY);
	json_decref(j);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(latencies_are_those_at_the_place_of_the_loss),
		cmocka_unit_test(a_loss_that_no_fault_tells_has_no_place),
		cmocka_unit_test(frames_are_those_behind_a_loss),
		cmocka_unit_test(many_marks_become_counts_and_losses_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
