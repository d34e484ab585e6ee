// SPDX-License-Identifier: BSD-3-Clause
// Events as rows of a table and as JSON: each number with its name and unit.
#include "evf_lab.h"

#include <jansson.h>

#include "sw/sw.h"

static struct evf_lab l;

static int open_lab(void **state)
{
	(void)state;
	evf_lab_open(&l);
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	evf_lab_close(&l);
	return 0;
}

// The text of one event; freed by the caller.
static char *text_of(const struct ev *e, uint64_t number, bool json)
{
	struct evf_table t;
	struct err err;
	struct out o;
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(out_stream(&o, f, "text", &err), 0);
	evf_table_init(&t, l.names);
	if (json)
		evf_json(l.names, e, number, &o);
	else
		evf_table_row(&t, l.names, e, number, &o);
	assert_int_equal(out_close(&o, &err), 0);
	fclose(f);
	return text;
}

static void is(const struct ev *e, bool json, const char *want)
{
	char *text = text_of(e, 7, json);

	assert_string_equal(text, want);
	free(text);
}

static const struct ev dropped = {.t = 1000005,
	.type = EV_DROP,
	.cls = 3,
	.drop = {.reason = SW_DROP_TAIL, .out = 9, .held_bytes = 99000, .bytes = 1078}};
static const struct ev done = {.t = 2000000,
	.type = EV_MSG_DONE,
	.node = 1,
	.message = {.flow = 2, .bytes = 1000, .begun = 5, .posted = 4}};
static const struct ev reacted = {.type = EV_RP,
	.node = 1,
	.reaction = 0,
	.rp = {.flow = 2, .alpha_millionths = 500000, .rc = 1000000, .rt = 2000000}};

static void a_row_has_names_and_units(void **state)
{
	char *text, want[256];

	(void)state;
	is(&dropped, false,
		"        1.000005  drop           s1:h1       3  -               tail  1078 bytes"
		"  held 99000 bytes\n");
	is(&done, false,
		"        2.000000  msg_done       h1:s1       -  late            number 7  1000 "
		"bytes\n");
	text = text_of(&reacted, 0, false);
	snprintf(want, sizeof(want),
		"  late            %s  rc 0.001000 Gb/s  rt 0.002000 Gb/s  "
		"alpha 0.500000\n",
		evf_text(&l.names->reaction, 0)->s);
	assert_non_null(strstr(text, want));
	free(text);
}

static void an_object_has_all_fields(void **state)
{
	(void)state;
	is(&dropped, true,
		"{\"time_us\": 1.000005, \"event\": \"drop\", \"object\": \"s1:h1\", \"class\": 3, "
		"\"detail\": \"tail\", \"bytes\": 1078, \"queue_bytes\": 99000, \"out\": 9}\n");
	is(&done, true,
		"{\"time_us\": 2, \"event\": \"msg_done\", \"object\": \"h1:s1\", \"flow\": "
		"\"late\", \"detail\": 7, \"bytes\": 1000, \"begun\": 5, \"posted\": 4}\n");
}

static void any_event_is_one_line(void **state)
{
	uint64_t seed = 21;
	struct prng g;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	prng_init(&g, seed, "evf_show");
	for (unsigned i = 0; i < 4000; i++) {
		struct ev e = evf_lab_event(&g, prng_u64(&g));
		char *text = text_of(&e, prng_u64(&g) >> 1, i % 2);

		assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
		if (i % 2) {
			json_t *j = json_loads(text, JSON_DECODE_INT_AS_REAL, NULL);

			assert_non_null(j);
			json_decref(j);
		}
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_has_names_and_units),
		cmocka_unit_test(an_object_has_all_fields),
		cmocka_unit_test(any_event_is_one_line),
	};

	return cmocka_run_group_tests(tests, open_lab, close_lab);
}
