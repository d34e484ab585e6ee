// SPDX-License-Identifier: BSD-3-Clause
// Events written: each comes back as it was and nothing besides, with a thread and without one the
// bytes are the same, and a full disk is said once.
#include "evf_file.h"

enum { N = 3 * EVF_BLOCK_RECORDS + 77 };

static bool fills(const struct ev_row *row, size_t byte)
{
	bool in = byte < offsetof(struct ev, cls);

	for (unsigned i = 0; i < row->n_fields; i++)
		in = in || (byte >= row->field[i].offset &&
				   byte < (size_t)row->field[i].offset + row->field[i].size);
	return in;
}

// The fields of the event's type have the values that were put, and all other bytes are zero.
static void same_event(const struct ev *put, const struct ev *got)
{
	for (size_t i = 0; i < sizeof(*put); i++) {
		uint8_t was = ((const uint8_t *)put)[i], is = ((const uint8_t *)got)[i];

		if (is != (fills(&ev_row[put->type], i) ? was : 0))
			fail_msg("%s: byte %zu is %u, and %u was put", ev_row[put->type].name, i,
				is, was);
	}
}

static void events_come_back(enum evf_compress compress, bool thread)
{
	const struct evf_pick all = evf_pick_all();
	uint64_t seen = 0;
	struct evf_in *in;
	struct prng g;
	struct err err;

	file_write(compress, thread, N);
	in = file_read();
	assert_null(evf_cut(in));
	assert_int_equal(evf_events(in), N);
	prng_init(&g, SEED, "evf_file");
	for (unsigned i = 0; i < N; i++) {
		struct ev e = evf_lab_event(&g, i * PS_PER_US);
		char was[EVF_LINE], is[EVF_LINE];
		const struct ev *got;
		uint64_t number;

		assert_int_equal(evf_next(in, &all, &got, &number, &err), 1);
		same_event(&e, got);
		assert_int_equal(number, e.type == EV_MSG_DONE ? i : EVF_NO_NUMBER);
		evf_lab_line(lab.names, &e, i, was);
		assert_string_equal(evf_lab_line(evf_names(in), got, number, is), was);
		seen |= 1ull << e.type;
	}
	assert_int_equal(evf_next(in, &all, &(const struct ev *){0}, &(uint64_t){0}, &err), 0);
	assert_int_equal(seen, (1ull << EV_TYPES) - 2); // each type but EV_NONE
	evf_close_in(in);
}

static void every_type_comes_back(void **state)
{
	(void)state;
	print_message("seed %d\n", SEED);
	events_come_back(EVF_NONE, false);
	events_come_back(EVF_NONE, true);
	events_come_back(EVF_ZSTD, false);
	events_come_back(EVF_ZSTD, true);
}

static void a_thread_writes_the_same_bytes(void **state)
{
	(void)state;
	for (int compress = EVF_ZSTD; compress <= EVF_NONE; compress++) {
		size_t n, more;
		uint8_t *alone, *beside;

		file_write((enum evf_compress)compress, false, N);
		alone = file_bytes(&n);
		file_write((enum evf_compress)compress, true, N);
		beside = file_bytes(&more);
		assert_int_equal(n, more);
		assert_memory_equal(alone, beside, n);
		free(alone);
		free(beside);
	}
}

static void bytes_that_no_field_has_do_not_matter(void **state)
{
	uint8_t *bytes[2];
	size_t n[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct evf_writer *w = file_create(EVF_NONE, false);
		struct ev e;
		struct err err;

		memset(&e, i ? 0xff : 0, sizeof(e));
		e.t = 5;
		e.node = 0;
		e.port = 1;
		e.type = EV_CNM_RX;
		e.cnm_rx.flow = 2;
		e.cnm_rx.qntzfb = 63;
		evf_put(w, &e, i);
		assert_int_equal(evf_close(w, &err), 0);
		bytes[i] = file_bytes(&n[i]);
	}
	assert_int_equal(n[0], n[1]);
	assert_memory_equal(bytes[0], bytes[1], n[0]);
	free(bytes[0]);
	free(bytes[1]);
}

static void no_events_are_a_whole_file(void **state)
{
	struct evf_in *in;
	struct err err;

	(void)state;
	file_write(EVF_ZSTD, true, 0);
	in = file_read();
	assert_null(evf_cut(in));
	assert_int_equal(file_drain(in, &err), 0);
	assert_string_equal(err.text, "");
	evf_close_in(in);
}

static void a_full_disk_is_said(void **state)
{
	(void)state;
	if (access("/dev/full", W_OK) < 0)
		skip();
	for (unsigned thread = 0; thread < 2; thread++) {
		const struct evf_opts opts = {.compress = EVF_NONE, .thread = thread};
		struct evf_writer *w;
		struct err err;

		assert_int_equal(evf_create(&w, "/dev/full", lab.names, &opts, &err), 0);
		assert_int_equal(evf_error(w), ENOSPC);
		assert_string_equal(evf_path(w), "/dev/full");
		for (unsigned i = 0; i < N; i++)
			evf_put(w, &(struct ev){.t = i, .type = EV_MARK}, 0);
		assert_int_equal(evf_close(w, &err), -ENOSPC);
		assert_string_equal(err.text, "/dev/full: incomplete: No space left on device");
	}
}

static void a_missing_folder_is_said(void **state)
{
	const struct evf_opts opts = {.compress = EVF_ZSTD, .thread = true};
	struct evf_writer *w;
	struct err err;

	(void)state;
	assert_int_equal(evf_create(&w, "/nowhere/x", lab.names, &opts, &err), -ENOENT);
	assert_string_equal(err.text, "/nowhere/x: cannot be written: No such file or directory");
	assert_int_equal(evf_close(NULL, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_comes_back),
		cmocka_unit_test(a_thread_writes_the_same_bytes),
		cmocka_unit_test(bytes_that_no_field_has_do_not_matter),
		cmocka_unit_test(no_events_are_a_whole_file),
		cmocka_unit_test(a_full_disk_is_said),
		cmocka_unit_test(a_missing_folder_is_said),
	};

	return cmocka_run_group_tests(tests, file_open, file_close);
}
