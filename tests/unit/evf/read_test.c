// SPDX-License-Identifier: BSD-3-Clause
// Files of events read: what is picked of them, files that end too early at any byte, and files
// that lie.
#include "evf_file.h"

enum { N = 2 * EVF_BLOCK_RECORDS + 10 };

// How many events a pick finds, all of which pass `good`.
static unsigned count(const struct evf_pick *pick, bool (*good)(const struct ev *e))
{
	struct evf_in *in = file_read();
	const struct ev *e;
	uint64_t number;
	unsigned n = 0;
	struct err err;
	int got;

	while ((got = evf_next(in, pick, &e, &number, &err)) > 0) {
		assert_true(!good || good(e));
		n++;
	}
	assert_int_equal(got, 0);
	evf_close_in(in);
	return n;
}

static void time_is_picked(void **state)
{
	struct evf_pick pick = evf_pick_all();

	(void)state;
	file_write(EVF_ZSTD, false, N);
	assert_int_equal(count(&pick, NULL), N);
	pick.from = 10 * PS_PER_US;
	pick.to = 20 * PS_PER_US;
	assert_int_equal(count(&pick, NULL), 10);
	pick.from = (EVF_BLOCK_RECORDS - 1) * PS_PER_US + 1;
	pick.to = TSTAMP_NEVER;
	assert_int_equal(count(&pick, NULL), N - EVF_BLOCK_RECORDS);
	pick.from = N * PS_PER_US;
	assert_int_equal(count(&pick, NULL), 0);
}

// A block that is not wanted is not even read: what is broken in it is not noticed.
static void blocks_of_other_times_are_passed_over(void **state)
{
	struct evf_pick pick = evf_pick_all();
	struct evf_in *in;
	const struct ev *e;
	uint64_t number;
	struct err err;
	uint8_t *bytes;
	size_t n, at;

	(void)state;
	file_write(EVF_NONE, false, N);
	bytes = file_bytes(&n);
	at = EVF_HEAD_BYTES + evf_get32(bytes + 12);
	bytes[at + EVF_BLOCK_BYTES + offsetof(struct ev, type)] = 255;
	file_put(bytes, n);
	free(bytes);
	pick.from = EVF_BLOCK_RECORDS * PS_PER_US;
	assert_int_equal(count(&pick, NULL), N - EVF_BLOCK_RECORDS);
	in = file_read();
	pick.from = 0;
	assert_int_equal(evf_next(in, &pick, &e, &number, &err), -EINVAL);
	assert_non_null(strstr(err.text, "block 1, at byte"));
	assert_int_equal(file_drain(in, &err), N - EVF_BLOCK_RECORDS);
	evf_close_in(in);
}

static bool is_mark(const struct ev *e)
{
	return e->type == EV_MARK;
}

static bool is_s1_x(const struct ev *e)
{
	return e->node == 0 && e->port == 1;
}

static bool has_flow(const struct ev *e)
{
	return e->type != EV_DROP && e->type != EV_FDB;
}

static void types_ports_and_flows_are_picked(void **state)
{
	struct evf_pick pick = evf_pick_all();
	unsigned both, one;

	(void)state;
	file_write(EVF_ZSTD, false, N);
	pick.types = 1ull << EV_MARK;
	assert_in_range(count(&pick, is_mark), 1, N / 4);
	pick = evf_pick_all();
	pick.by_port = true;
	pick.port = 1;
	assert_in_range(count(&pick, is_s1_x), 1, N / 4);
	pick = evf_pick_all();
	pick.flow = "incast";
	both = count(&pick, has_flow);
	pick.flow = "incast[h1>x.1]";
	one = count(&pick, has_flow);
	assert_in_range(one, 1, both - 1);
	pick.flow = "noise";
	assert_in_range(count(&pick, has_flow), 1, N / 4);
	pick.flow = "inca";
	assert_int_equal(count(&pick, NULL), 0);
}

// At any byte: what is before the end of the description is refused; from there on whole blocks are
// read, and a line says that the rest is missing.
static void a_file_that_ends_early(void **state)
{
	size_t n, blocks[4], k = 0, at;
	uint8_t *bytes;

	(void)state;
	file_write(EVF_ZSTD, false, EVF_BLOCK_RECORDS + 20);
	bytes = file_bytes(&n);
	at = EVF_HEAD_BYTES + evf_get32(bytes + 12);
	blocks[k++] = at;
	while (evf_get32(bytes + at) == EVF_BLOCK) {
		at += EVF_BLOCK_BYTES + evf_get32(bytes + at + 4);
		blocks[k++] = at;
	}
	assert_int_equal(k, 3);
	// Within the description, and within blocks, all bytes near a seam and each hundredth else.
	for (size_t cut = n; cut--;) {
		unsigned want = cut < blocks[1]   ? 0
				: cut < blocks[2] ? EVF_BLOCK_RECORDS
						  : EVF_BLOCK_RECORDS + 20;
		struct evf_in *in;
		struct err err;
		bool near = false;

		for (unsigned i = 0; i < k; i++)
			near = near || (cut + 50 > blocks[i] && cut < blocks[i] + 50);
		if (!near && cut % 100 && cut > 50 && cut + 100 < n)
			continue;
		assert_int_equal(truncate(path, (off_t)cut), 0);
		if (evf_open(&in, path, &err)) {
			assert_true(cut < blocks[0]);
			assert_memory_equal(err.text, path, strlen(path));
			assert_null(strchr(err.text, '\n'));
			continue;
		}
		assert_true(cut >= blocks[0]);
		assert_non_null(strstr(evf_cut(in), "it has no end"));
		assert_int_equal(evf_events(in), want);
		assert_int_equal(file_drain(in, &err), want);
		assert_string_equal(err.text, "");
		evf_close_in(in);
	}
	free(bytes);
}

// The same at every byte, of a file that is small.
static void a_small_file_that_ends_early(void **state)
{
	struct err err;
	size_t n;

	(void)state;
	file_write(EVF_NONE, false, 3);
	free(file_bytes(&n));
	for (size_t cut = n; cut--;) {
		struct evf_in *in;

		assert_int_equal(truncate(path, (off_t)cut), 0);
		if (evf_open(&in, path, &err))
			continue;
		assert_non_null(evf_cut(in));
		assert_int_equal(file_drain(in, &err), evf_events(in));
		evf_close_in(in);
	}
}

// Puts `by` in the place of `what`, of the same length.
static void replace(uint8_t *bytes, size_t n, const char *what, const char *by)
{
	uint8_t *at = memmem(bytes, n, what, strlen(what));

	assert_non_null(at);
	assert_int_equal(strlen(what), strlen(by));
	memcpy(at, by, strlen(by));
}

static void a_description_that_lies(void **state)
{
	static const char *const lie[][3] = {
		{"\"record_bytes\": 40", "\"record_bytes\": 41", "'record_bytes' is a multiple"},
		{"\"record_bytes\": 40", "\"record_bytes\":  8", "'record_bytes' is a multiple"},
		{"\"record_bytes\": 40", "\"record_bytes\": 16", "outside of its record"},
		{"\"compress\": \"none\"", "\"compress\": \"gzip\"", "'compress' is zstd or none"},
		{"\"name\": \"class\", \"unit\": \"\", \"offset\": 15",
			"\"name\": \"class\", \"unit\": \"\", \"offset\": 99", "outside of its"},
		{"\"offset\": 16, \"size\": 4", "\"offset\": 16, \"size\": 3", "outside of its"},
		{"\"column\": \"queue_bytes\"", "\"column\": \"queue_bites\"", "a column that is"},
		{"\"types\": [", "\"tipes\": [", "'types' are wanted"},
		{"\"headers\": [null, 0", "\"headers\": [null, 9", "not there"},
		{"\"nodes\": [", "\"nodes\": {", "broken"},
		{"\"kind\": \"nic\"", "\"kind\": \"nik\"", "its kind"},
		{"\"reactions\"", "\"reactionz\"", "list of names"},
	};
	struct err err;
	uint8_t *bytes;
	size_t n;

	(void)state;
	for (size_t i = 0; i < sizeof(lie) / sizeof(lie[0]); i++) {
		struct evf_in *in;

		file_write(EVF_NONE, false, 30);
		bytes = file_bytes(&n);
		replace(bytes, n, lie[i][0], lie[i][1]);
		file_put(bytes, n);
		free(bytes);
		assert_int_equal(evf_open(&in, path, &err), -EINVAL);
		if (!strstr(err.text, lie[i][2]))
			fail_msg("%s: %s", lie[i][1], err.text);
		assert_null(strchr(err.text, '\n'));
	}
}

// A form or a field that this program does not know is told as a number; another version may have
// written the file.
static void what_is_not_known_is_a_number(void **state)
{
	struct evf_writer *w = file_create(EVF_NONE, false);
	const struct evf_pick all = evf_pick_all();
	char line[EVF_LINE];
	const struct ev *e;
	struct evf_in *in;
	uint64_t number;
	struct err err;
	uint8_t *bytes;
	size_t n;

	(void)state;
	evf_put(w, &(struct ev){.type = EV_XOFF_TX, .pfc_tx = {.enable = 8, .whole_link = true}},
		0);
	evf_put(w, &(struct ev){.type = EV_DROP, .drop = {.reason = 1}}, 0);
	assert_int_equal(evf_close(w, &err), 0);
	bytes = file_bytes(&n);
	replace(bytes, n, "whole_link", "whole_wire");
	replace(bytes, n, "\"form\": \"drop\"", "\"form\": \"spin\"");
	file_put(bytes, n);
	free(bytes);
	in = file_read();
	assert_int_equal(evf_next(in, &all, &e, &number, &err), 1);
	assert_string_equal(
		evf_lab_line(evf_names(in), e, number, line), "0,xoff_tx,s1:h1,,,8,,,0,,,,");
	assert_int_equal(evf_next(in, &all, &e, &number, &err), 1);
	assert_string_equal(
		evf_lab_line(evf_names(in), e, number, line), "0,drop,s1:h1,0,,1,0,0,,,,,");
	evf_close_in(in);
}

// The text of a mark that comes after the description was written stands before the index. A file
// that ends before it still has the event.
static void marks_that_come_later_have_their_texts(void **state)
{
	struct fmt_text mark[4] = {0};
	struct ev e = {.type = EV_USER_MARK};
	char line[EVF_LINE];
	struct evf_writer *w;
	struct evf_in *in;
	struct err err;
	uint8_t *bytes;
	size_t n;

	(void)state;
	lab.names->mark = (struct evf_texts){mark, sizeof(mark[0]), 4};
	fmt_text_set(&mark[0], "of the scenario");
	w = file_create(EVF_ZSTD, true);
	evf_put(w, &e, 0);
	fmt_text_set(&mark[1], "Kmin is 400KB");
	fmt_text_set(&mark[2], "and, now, 800KB");
	e.user_mark.text = 2;
	evf_put(w, &e, 0);
	assert_int_equal(evf_close(w, &err), 0);

	in = file_read();
	assert_null(evf_cut(in));
	assert_int_equal(evf_names(in)->mark.n, 3);
	assert_string_equal(evf_text(&evf_names(in)->mark, 1)->s, "Kmin is 400KB");
	assert_string_equal(evf_lab_line(evf_names(in), &e, 0, line),
		"0,user_mark,s1:h1,,,and_ now_ 800KB,,,,,,,");
	assert_int_equal(file_drain(in, &err), 2);
	evf_close_in(in);

	bytes = file_bytes(&n);
	for (unsigned lie = 0; lie < 3; lie++) { // in magic, bytes and number of texts
		uint8_t *at = memmem(bytes, n, "EVTX", 4);

		assert_non_null(at);
		at[4 * lie] ^= 0x40;
		file_put(bytes, n);
		at[4 * lie] ^= 0x40;
		in = file_read();
		assert_non_null(evf_cut(in));
		assert_int_equal(evf_names(in)->mark.n, 1);
		assert_int_equal(file_drain(in, &err), 2);
		evf_close_in(in);
	}
	free(bytes);
	lab.names->mark = (struct evf_texts){0};
}

// Sizes in the heads of blocks and in the index that cannot be.
static void heads_that_lie(void **state)
{
	static const uint8_t field[] = {0, 4, 8, 12, 16, 24, 32};
	struct err err;

	(void)state;
	for (int compress = EVF_ZSTD; compress <= EVF_NONE; compress++)
		for (size_t i = 0; i < 2 * sizeof(field); i++) {
			struct evf_in *in;
			uint8_t *bytes;
			size_t n, at;

			file_write((enum evf_compress)compress, false, 30);
			bytes = file_bytes(&n);
			at = i % 2 ? EVF_HEAD_BYTES + evf_get32(bytes + 12)
				   : n - EVF_END_BYTES - EVF_ENTRY_BYTES + 8;
			evf_put32(bytes + at + field[i / 2], 0x7fffffff);
			file_put(bytes, n);
			free(bytes);
			in = file_read();
			if (file_drain(in, &err) == 30)
				assert_non_null(evf_cut(in));
			else
				assert_true(evf_cut(in) || strstr(err.text, "is broken"));
			evf_close_in(in);
		}
}

// Bytes changed at random: no crash, and at most one line for each block.
static void any_bytes(void **state)
{
	uint8_t *good[2], *bytes;
	size_t n[2];
	struct prng g;

	(void)state;
	print_message("seed %d\n", SEED);
	prng_init(&g, SEED, "evf_any");
	for (int compress = EVF_ZSTD; compress <= EVF_NONE; compress++) {
		file_write((enum evf_compress)compress, false, 100);
		good[compress] = file_bytes(&n[compress]);
	}
	bytes = malloc(n[EVF_NONE] + n[EVF_ZSTD]);
	for (unsigned i = 0; i < 2000; i++) {
		unsigned k = i % 2;
		struct evf_in *in;
		struct err err;

		memcpy(bytes, good[k], n[k]);
		for (uint64_t changes = 1 + prng_below(&g, 4); changes--;)
			bytes[prng_below(&g, n[k])] = (uint8_t)prng_u32(&g);
		file_put(bytes, n[k]);
		if (evf_open(&in, path, &err))
			continue;
		file_drain(in, &err);
		evf_close_in(in);
	}
	free(bytes);
	free(good[0]);
	free(good[1]);
}

static void what_is_no_such_file(void **state)
{
	struct evf_in *in;
	struct err err;

	(void)state;
	assert_int_equal(evf_open(&in, "/nowhere/x", &err), -ENOENT);
	assert_int_equal(evf_open(&in, dir, &err), -EISDIR);
	file_put((const uint8_t *)"time_us,event,object\n", 21);
	assert_int_equal(evf_open(&in, path, &err), -EINVAL);
	assert_non_null(strstr(err.text, "not a record of events in the binary form"));
	file_put((const uint8_t *)EVF_MAGIC "\2\0\0\0\0\0\0\0", 16);
	assert_int_equal(evf_open(&in, path, &err), -EINVAL);
	assert_non_null(strstr(err.text, "has version 2; this program reads version 1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_is_picked),
		cmocka_unit_test(blocks_of_other_times_are_passed_over),
		cmocka_unit_test(types_ports_and_flows_are_picked),
		cmocka_unit_test(a_file_that_ends_early),
		cmocka_unit_test(a_small_file_that_ends_early),
		cmocka_unit_test(a_description_that_lies),
		cmocka_unit_test(what_is_not_known_is_a_number),
		cmocka_unit_test(marks_that_come_later_have_their_texts),
		cmocka_unit_test(heads_that_lie),
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(what_is_no_such_file),
	};

	return cmocka_run_group_tests(tests, file_open, file_close);
}
