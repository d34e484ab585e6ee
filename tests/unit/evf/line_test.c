// SPDX-License-Identifier: BSD-3-Clause
// Lines of events.csv: what stands in each column, and that no number breaks a line.
#include "evf_lab.h"

#include "nic/nic.h"
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

static void is(const struct ev *e, uint64_t number, const char *want)
{
	char line[EVF_LINE];

	assert_string_equal(evf_lab_line(l.names, e, number, line), want);
}

static void a_reason_is_that_of_its_node(void **state)
{
	struct ev e = {.t = 1000000, .type = EV_DROP, .cls = 3, .drop.bytes = 64};
	char want[128];

	(void)state;
	e.drop.reason = SW_DROP_TAIL;
	is(&e, 0, "1,drop,s1:h1,3,,tail,64,0,,,,,");
	e.node = 1;
	e.drop.reason = 1;
	snprintf(want, sizeof(want), "1,drop,h1:s1,3,,%s,64,0,,,,,", nic_drop_name(1));
	is(&e, 0, want);
	e.node = 2;
	is(&e, 0, "1,drop,x:s1,3,,,64,0,,,,,");
}

static void several_fields_are_one_detail(void **state)
{
	(void)state;
	is(&(struct ev){.t = 5, .type = EV_XOFF_TX, .pfc_tx = {.enable = 0x18, .quanta = 9}}, 0,
		"0.000005,xoff_tx,s1:h1,,,0x18,,,9,,,,");
	is(&(struct ev){.type = EV_XOFF_TX, .pfc_tx = {.enable = 255, .whole_link = true}}, 0,
		"0,xoff_tx,s1:h1,,,pause,,,0,,,,");
	is(&(struct ev){.type = EV_DEADLOCK,
		   .cls = 2,
		   .port = 1,
		   .deadlock = {.place = 1, .queues = 4, .since = 812345000}},
		0, "0,deadlock,s1:x,2,,1/4 since 812.345000 us,,,,,,,");
	is(&(struct ev){.type = EV_XOFF_HOLDER,
		   .cls = 3,
		   .holder = {.out = 1, .out_cls = 4, .bytes = 4500, .group_bytes = 6000}},
		0, "0,xoff_holder,s1:h1,3,,s1:x.4,6000,4500,,,,,");
}

static void a_message_has_its_number(void **state)
{
	struct ev e = {.type = EV_MSG_DONE, .node = 1, .message = {.flow = 1, .bytes = 1000}};

	(void)state;
	is(&e, 0, "0,msg_done,h1:s1,,incast[h1>x.1],0,1000,,,,,,");
	is(&e, 77, "0,msg_done,h1:s1,,incast[h1>x.1],77,1000,,,,,,");
	e.message.flow = 3;
	is(&e, EVF_NO_NUMBER, "0,msg_done,h1:s1,,,,1000,,,,,,");
}

static void a_header_tells_its_owner(void **state)
{
	struct ev e = {.type = EV_MARK, .cls = 3, .mark = {.queue_bytes = 5, .psn = 6}};

	(void)state;
	e.mark.hdr = 4;
	is(&e, 0, "0,mark,s1:h1,3,noise,,,5,,6,,,");
	e.mark.hdr = 99;
	is(&e, 0, "0,mark,s1:h1,3,,,,5,,6,,,");
}

// Any event's line has a place for each column.
static void any_event_is_one_line(void **state)
{
	uint64_t seed = 20;
	struct prng g;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	prng_init(&g, seed, "evf_line");
	for (unsigned i = 0; i < 20000; i++) {
		struct ev e = evf_lab_event(&g, prng_u64(&g));
		char line[EVF_LINE], *p;
		unsigned commas = 0;

		e.node = prng_below(&g, 5);
		evf_lab_line(l.names, &e, prng_u64(&g), line);
		for (p = line; *p; p++)
			commas += *p == ',';
		assert_int_equal(commas, EV_COLS - 2);
	}
}

// Few types, ports and instants, so that most of them are known; and more than there is room for.
static void what_is_known_is_told_alike(void **state)
{
	static struct evf_lines known;
	uint64_t seed = 21;
	struct prng g;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	prng_init(&g, seed, "evf_lines");
	evf_lines_init(&known, l.names);
	for (unsigned i = 0; i < 20000; i++) {
		struct ev e = evf_lab_event(&g, prng_below(&g, 3) * PS_PER_US + prng_below(&g, 3));
		char line[EVF_LINE], want[EVF_LINE];
		uint64_t number = prng_below(&g, 100);

		*(evf_line(line, &known, &e, number) - 1) = '\0';
		assert_string_equal(line, evf_lab_line(l.names, &e, number, want));
	}
}

// Names as long as they may be do not fit into what is kept of a line.
static void long_names_are_told_each_time(void **state)
{
	struct ev e = {.t = 5 * PS_PER_US + 1, .type = EV_PFCWD_RESTORE, .cls = 255};
	static struct evf_lines known;
	char name[128], line[EVF_LINE], want[EVF_LINE];

	(void)state;
	evf_lines_init(&known, l.names);
	for (unsigned len = 70; len < 100; len++) {
		memset(name, 'n', len);
		name[len] = '\0';
		fmt_text_set(&l.port[0], name);
		evf_lines_init(&known, l.names);
		snprintf(want, sizeof(want), "5.000001,pfcwd_restore,%.94s,255,,drop,,,,,,,\n",
			name);
		for (unsigned i = 0; i < 2; i++) {
			*evf_line(line, &known, &e, 0) = '\0';
			assert_string_equal(line, want);
		}
	}
	fmt_text_set(&l.port[0], "s1:h1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reason_is_that_of_its_node),
		cmocka_unit_test(several_fields_are_one_detail),
		cmocka_unit_test(a_message_has_its_number),
		cmocka_unit_test(a_header_tells_its_owner),
		cmocka_unit_test(any_event_is_one_line),
		cmocka_unit_test(what_is_known_is_told_alike),
		cmocka_unit_test(long_names_are_told_each_time),
	};

	return cmocka_run_group_tests(tests, open_lab, close_lab);
}
