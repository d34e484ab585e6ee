// SPDX-License-Identifier: BSD-3-Clause
// Causes: of CNPs by the instants at which marks can have come, of cuts, of pauses, of XOFF.
#include "timeline/arrows.h"

#include "saved_lab.h"

// h and g - s1 - s2 - r, 1 us each; r answers as `np` says.
#define NETWORK(np)                                                                         \
	"{\"name\": \"by-hand\", \"end_us\": 100, \"resolved\": {\"record\": {\"events\": " \
	"[\"all\", \"xoff_holder\"]}, \"hosts\": {\"r\": {\"np\": {\"mode\": \"" np         \
	"\", \"key\": \"qp\"}}}, \"links\": [{\"between\": [[\"h\", \"g\"], \"s1\"], "      \
	"\"delay\": \"1us\"}, {\"between\": [\"s1\", \"s2\"], \"delay\": \"1us\"}, "        \
	"{\"between\": [\"s2\", \"r\"], \"delay\": \"1us\"}]}}\n"

// Each event of the record with its arrows, "mark 1 2, cnp_tx 1, ...", those without left out.
static void arrows_are(const char *manifest, const char *events, const char *want)
{
	static struct lab l;
	char text[1024] = "", record[4096];
	const struct found_entry *entry;
	const struct saved_ev *ev;
	struct found f = {0};
	struct arrows *a;
	struct saved *s;

	by_hand(&l);
	put(&l, "manifest.json", manifest);
	snprintf(record, sizeof(record), EVENT_HEAD "%s", events);
	put(&l, "events.csv", record);
	s = read_back(&l);
	a = arrows_new(s, &f);
	assert_non_null(a);
	assert_true(saved_events(s));
	for (uint64_t i = 0; (ev = saved_next(s)) != NULL; i++)
		arrows_take(a, ev, i);
	assert_int_equal(saved_missing(s, 1) == NULL, 1); // summary.json alone
	found_sort(&f);
	assert_true(saved_events(s));
	for (uint64_t i = 0; (ev = saved_next(s)) != NULL; i++) {
		size_t n = found_of(&f, i, &entry), at = strlen(text);

		if (n)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", at ? ", " : "",
				ev_row[ev->type].name);
		for (size_t k = 0; k < n; k++)
			at += (size_t)snprintf(text + at, sizeof(text) - at, " %u", entry[k].id);
	}
	assert_string_equal(text, want);
	arrows_free(a);
	found_fini(&f);
	saved_close(s);
	lab_close(&l);
}

// The first mark that had come to r when it sent its CNP, over one link: the one at 11 had not.
static void a_window_answers_the_first_mark_that_came(void **state)
{
	(void)state;
	arrows_are(NETWORK("window"),
		"10,mark,s2:r,3,f,,,5000,,1,,,\n"
		"10.5,mark,s2:r,3,f,,,5000,,2,,,\n"
		"11.1,cnp_tx,r:s2,,f,,,,,,,,\n"
		"11.2,mark,s2:r,3,f,,,5000,,3,,,\n"
		"14.2,cnp_rx,h:s1,,f,,,,,,,,\n"
		"14.2,rp,h:s1,,f,decrease,,,,,5,10,1\n"
		"14.3,rp,h:s1,,f,decrease,,,,,2,5,1\n"
		"61.1,cnp_tx,r:s2,,f,,,,,,,,\n"
		"64.2,cnp_rx,h:s1,,f,,,,,,,,\n",
		"mark 1, mark 2, cnp_tx 1, cnp_rx 1, rp 1, cnp_tx 2, cnp_rx 2");
}

static void other_modes_answer_the_last_one(void **state)
{
	(void)state;
	arrows_are(NETWORK("next_marked"),
		"10,mark,s2:r,3,f,,,5000,,1,,,\n"
		"11.1,cnp_tx,r:s2,,f,,,,,,,,\n"
		"20,mark,s2:r,3,f,,,5000,,2,,,\n"
		"60,mark,s2:r,3,f,,,5000,,3,,,\n"
		"60.5,mark,s2:r,3,f,,,5000,,4,,,\n"
		"61.1,cnp_tx,r:s2,,f,,,,,,,,\n",
		"mark 1, cnp_tx 1, mark 2, cnp_tx 2");
}

// A frame that was marked early and waited in a queue since is the cause where no other one is.
static void a_frame_can_have_waited(void **state)
{
	(void)state;
	arrows_are(NETWORK("window"),
		"10,mark,s1:s2,3,f,,,5000,,1,,,\n"
		"10.1,mark,s1:s2,3,f,,,5000,,2,,,\n"
		"13,cnp_tx,r:s2,,f,,,,,,,,\n"
		"63,cnp_tx,r:s2,,f,,,,,,,,\n"
		"113,cnp_tx,r:s2,,f,,,,,,,,\n",
		"mark 1, mark 2, cnp_tx 1, cnp_tx 2");
}

// Marks of one flow are no cause for another one's CNP, and a mark two hops away takes longer.
static void flows_and_hops_count(void **state)
{
	(void)state;
	arrows_are(NETWORK("window"),
		"10,mark,s1:s2,3,f,,,5000,,1,,,\n"
		"10.2,mark,s2:r,3,g,,,5000,,1,,,\n"
		"11.3,cnp_tx,r:s2,,f,,,,,,,,\n"
		"11.3,cnp_tx,r:s2,,g,,,,,,,,\n"
		"12.1,cnp_tx,r:s2,,f,,,,,,,,\n",
		"mark 2, mark 1, cnp_tx 1, cnp_tx 2");
}

// A switch that sends CNPs is their beginning; one that was lost does not shift the others.
static void cnps_come_in_order(void **state)
{
	(void)state;
	arrows_are(NETWORK("window"),
		"10,fast_cnp_tx,s2:r,3,f,,,5000,,1,,,\n"
		"10.1,fast_cnp_tx,s2:r,3,f,,,5000,,2,,,\n"
		"12.2,cnp_rx,h:s1,,f,,,,,,,,\n"
		"12.2,rp,h:s1,,f,decrease,,,,,5,10,1\n"
		"12.3,cnp_rx,h:s1,,f,,,,,,,,\n"
		"12.3,rp,h:s1,,f,cnp,,,,,5,10,1\n"
		"20,iqcn_tx,s1:h,,f,50,,,,,,,\n"
		"70,iqcn_tx,s1:h,,f,50,,,,,,,\n"
		"71.1,cnp_rx,h:s1,,f,,,,,,,,\n",
		"fast_cnp_tx 1, fast_cnp_tx 2, cnp_rx 1, rp 1, cnp_rx 2, iqcn_tx 3, cnp_rx 3");
}

// XOFF of r stops s2:r; what stands there makes s2 stop s1, and s1 h. A refresh stops nobody.
static void xoff_goes_upstream(void **state)
{
	(void)state;
	arrows_are(NETWORK("window"),
		"10,xoff_tx,r:s2,,,0x08,,,65535,,,,\n"
		"11.5,pause_rx,s2:r,3,,,,,65535,,,,\n"
		"12,xoff_tx,s2:s1,,,0x08,,,65535,,,,\n"
		"12,xoff_holder,s2:s1,3,,s2:r.3,,100000,,,,,\n"
		"12,xoff_holder,s2:s1,3,,s2:r.4,,100,,,,,\n"
		"13.5,pause_rx,s1:s2,3,,,,,65535,,,,\n"
		"14,xoff_tx,r:s2,,,0x08,,,65535,,,,\n"
		"15,xoff_tx,s1:h,,,0x08,,,65535,,,,\n"
		"15,xoff_holder,s1:h,3,,s1:s2.3,,100000,,,,,\n"
		"16.5,pause_rx,h:s1,3,,,,,65535,,,,\n"
		"17,resume_rx,s1:s2,3,,xon,,,,,,,\n"
		"18,xoff_tx,s1:g,,,0x08,,,65535,,,,\n"
		"18,xoff_holder,s1:g,3,,s1:s2.3,,100000,,,,,\n",
		"xoff_tx 1 2, pause_rx 1, xoff_tx 2 3 4, pause_rx 3, xoff_tx 4 5, pause_rx 5");
}

// PAUSE stops all classes; a pause that nobody recorded sends its arrow from where it struck.
static void pauses_of_any_kind(void **state)
{
	(void)state;
	arrows_are(NETWORK("window"),
		"10,xoff_tx,r:s2,,,pause,,,65535,,,,\n"
		"11.5,pause_rx,s2:r,0,,,,,65535,,,,\n"
		"11.5,pause_rx,s2:r,1,,,,,65535,,,,\n"
		"20,pause_rx,s1:s2,3,,,,,65535,,,,\n"
		"21,xoff_tx,s1:h,,,0x08,,,65535,,,,\n"
		"21,xoff_holder,s1:h,3,,s1:s2.3,,100000,,,,,\n"
		"21,xoff_holder,s1:h,3,,nobody.3,,100000,,,,,\n"
		"21,xoff_holder,s1:h,3,,nothing,,100000,,,,,\n",
		"xoff_tx 1 2, pause_rx 1, pause_rx 2, pause_rx 3, xoff_tx 3");
}

// Without a network it is as if nothing took time.
static void without_a_manifest(void **state)
{
	(void)state;
	arrows_are("{}",
		"10,mark,s2:r,3,f,,,5000,,1,,,\n"
		"11.1,cnp_tx,r:s2,,f,,,,,,,,\n"
		"11.1,cnp_rx,h:s1,,f,,,,,,,,\n"
		"20,xoff_tx,r:s2,,,0x08,,,65535,,,,\n"
		"20,pause_rx,s2:r,3,,,,,65535,,,,\n",
		"mark 1, cnp_tx 1, cnp_rx 1, xoff_tx 2, pause_rx 2");
}

// A flow whose marks nobody answers keeps a bounded number of them.
static void marks_without_an_answer(void **state)
{
	static char events[32768];
	size_t at = 0;

	(void)state;
	for (unsigned i = 0; i < 500; i++)
		at += (size_t)snprintf(events + at, sizeof(events) - at,
			"%u,mark,s2:r,3,f,,,5000,,1,,,\n", 10 + i);
	assert_true(at < sizeof(events) - 1);

	static struct lab l;
	const struct saved_ev *ev;
	struct found f = {0};
	struct arrows *a;
	struct saved *s;
	FILE *file;
	char path[160];

	by_hand(&l);
	put(&l, "manifest.json", NETWORK("window"));
	snprintf(path, sizeof(path), "%s/events.csv", l.out);
	file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, EVENT_HEAD "%s520,cnp_tx,r:s2,,f,,,,,,,,\n", events);
	fclose(file);
	s = read_back(&l);
	a = arrows_new(s, &f);
	assert_true(saved_events(s));
	for (uint64_t i = 0; (ev = saved_next(s)) != NULL; i++)
		arrows_take(a, ev, i);
	assert_int_equal(arrows_found(a), 1);
	assert_int_equal(f.n, 2);
	arrows_free(a);
	found_fini(&f);
	saved_close(s);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_answers_the_first_mark_that_came),
		cmocka_unit_test(other_modes_answer_the_last_one),
		cmocka_unit_test(a_frame_can_have_waited),
		cmocka_unit_test(flows_and_hops_count),
		cmocka_unit_test(cnps_come_in_order),
		cmocka_unit_test(xoff_goes_upstream),
		cmocka_unit_test(pauses_of_any_kind),
		cmocka_unit_test(without_a_manifest),
		cmocka_unit_test(marks_without_an_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
