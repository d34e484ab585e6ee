// SPDX-License-Identifier: BSD-3-Clause
// A folder as a trace: each type of event, counters, spans that reach beyond the shown time, and
// missing things.
#include "timeline/timeline.h"

#include "pftrace_lab.h"
#include "saved_lab.h"

static struct timeline_told told;

// The lines of the trace of the folder.
static char *show(struct lab *l, tstamp from, tstamp to)
{
	struct saved *s = read_back(l);
	char path[160];

	snprintf(path, sizeof(path), "%s/t.pftrace", l->out);
	if (timeline_write(s, path, from, to, &told, &l->err))
		fail_msg("%s", l->err.text);
	saved_close(s);
	return pflab_lines(path);
}

static char *show_record(const char *events, const char *series, tstamp from, tstamp to)
{
	static struct lab l;
	char text[8192], *lines;

	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	put(&l, "summary.json", SUMMARY);
	snprintf(text, sizeof(text), EVENT_HEAD "%s", events);
	put(&l, "events.csv", text);
	snprintf(text, sizeof(text), SERIES_HEAD "%s", series);
	put(&l, "timeseries.csv", text);
	lines = show(&l, from, to);
	lab_close(&l);
	return lines;
}

static void each_type_has_its_place(void **state)
{
	char *lines = show_record("1.0019,mark,s1:r,3,f[a>b.0],,,5000,,77,,,\n"
				  "2,drop,s1:a,3,,tail,1000,2000,,,,,\n"
				  "3,xoff_tx,s1:a,,,0x08,,,65535,,,,\n"
				  "3,xoff_holder,s1:a,3,,s1:r.3,,700,,,,,\n"
				  "4,xon_tx,s1:a,,,0x08,,,0,,,,\n"
				  "5,cnp_tx,b:s1,,f[a>b.0],,,,,,,,\n"
				  "6,cnp_rx,a:s1,,f[a>b.0],,,,,,,,\n"
				  "6,rp,a:s1,,f[a>b.0],decrease,,,,,12.5,25,0.5\n"
				  "7,rp,a:s1,,f[a>b.0],t_fast_recovery,,,,,20,25,0.5\n"
				  "8,rp_alpha,a:s1,,f[a>b.0],,,,,,20,25,0.25\n"
				  "9,nak,a:s1,,f[a>b.0],,,,,9,,,\n"
				  "10,reg,a:s1,,,0x10 1,,,,,,,\n"
				  "11,rtt,a:s1,,f[a>b.0],12.5,,,,,,,\n"
				  "12,cnm_tx,s1:r,3,f[a>b.0],20,,6000,,,,,\n"
				  "13,fdb,s1:a,,,02:00:00:00:00:01/0,,,,,,,\n",
		"", 0, TSTAMP_NEVER);

	(void)state;
	pflab_wants(lines, "1001 instant by-hand/s1/s1:r/class 3/marks 'mark' [mark] of f[a>b.0] "
			   "by-hand/s1/s1:r/class 3/queue that the marker saw:5000 psn=77 arrow 1");
	pflab_wants(lines, "2000 instant by-hand/s1/s1:a/class 3/drops 'drop: tail' [drop] "
			   "bytes=1000 queue_bytes=2000");
	pflab_wants(
		lines, "3000 instant by-hand/s1/s1:a 'XOFF' [xoff_tx] detail=0x08 quanta=65535");
	pflab_wants(lines, "3000 instant by-hand/s1/s1:a 'held in s1:r.3' [xoff_holder] "
			   "queue_bytes=700");
	pflab_wants(lines, "4000 instant by-hand/s1/s1:a 'XON' [xon_tx] detail=0x08 quanta=0");
	pflab_wants(lines, "5000 instant by-hand/b/b:s1/CNPs sent 'CNP' [cnp_tx] of f[a>b.0] "
			   "arrow 1");
	pflab_wants(lines, "6000 instant by-hand/flows/f[a>b.0] 'CNP' [cnp_rx] arrow 1");
	pflab_wants(lines, "6000 instant by-hand/flows/f[a>b.0] 'decrease' [rp] "
			   "by-hand/flows/f[a>b.0]/Rc:12500000 by-hand/flows/f[a>b.0]/Rt:25000000 "
			   "by-hand/flows/f[a>b.0]/alpha:0.5 arrow 1");
	// A value that has not changed is not written again.
	pflab_wants(lines, "7000 instant by-hand/flows/f[a>b.0] 't_fast_recovery' [rp] "
			   "by-hand/flows/f[a>b.0]/Rc:20000000");
	pflab_wants(lines, "8000 counter by-hand/flows/f[a>b.0]/alpha = 0.25");
	pflab_wants(lines, "9000 instant by-hand/flows/f[a>b.0] 'nak' [nak] psn=9");
	pflab_wants(lines, "10000 instant by-hand/a/a:s1 'reg' [reg] detail=0x10 1");
	pflab_wants(lines, "11000 counter by-hand/flows/f[a>b.0]/RTT = 12.5");
	pflab_wants(lines, "12000 instant by-hand/s1/s1:r/class 3/marks 'CNM' [cnm_tx] of "
			   "f[a>b.0] by-hand/s1/s1:r/class 3/queue that the marker saw:6000 "
			   "detail=20");
	pflab_wants(lines, "13000 instant by-hand/s1/s1:a 'fdb' [fdb] detail=02:00:00:00:00:01/0");
	assert_int_equal(told.events, 15);
	assert_int_equal(told.arrows, 1);
	assert_null(told.missing);
	free(lines);
}

// Marks and changes have a track of their own, above all nodes.
static void marks_and_changes_stand_on_top(void **state)
{
	char *lines = show_record("2,user_mark,a:s1,,,Kmin is 400KB,,,,,,,\n"
				  "3,set,s1:a,,,1 wred pfc,,,,,,,\n",
		"", 0, TSTAMP_NEVER);

	(void)state;
	pflab_wants(lines, "track by-hand/marks and changes rank -1");
	pflab_wants(lines, "2000 instant by-hand/marks and changes 'Kmin is 400KB' [user_mark]");
	pflab_wants(lines, "3000 instant by-hand/marks and changes 'set 1 wred pfc' [set] node=s1");
	free(lines);
}

// The queues that a node held may be why it sent XOFF, if some of them were paused.
static void holders_are_missed_where_they_may_matter(void **state)
{
	(void)state;
	free(show_record("1,pause_rx,s1:r,3,,,,,1,,,,\n"
			 "2,resume_rx,s1:r,3,,xon,,,,,,,\n"
			 "3,pause_rx,s2:r,3,,,,,1,,,,\n"
			 "4,xoff_tx,s1:a,,,0x08,,,65535,,,,\n",
		"", 0, TSTAMP_NEVER));
	assert_null(told.missing);
	free(show_record("1,pause_rx,s1:r,3,,,,,1,,,,\n"
			 "1,pause_rx,s1:q,3,,,,,1,,,,\n"
			 "2,resume_rx,s1:r,3,,xon,,,,,,,\n"
			 "4,xoff_tx,s1:a,,,0x08,,,65535,,,,\n",
		"", 0, TSTAMP_NEVER));
	assert_non_null(strstr(told.missing, "xoff_holder is not recorded"));
}

#define SPANS                                             \
	"1,resume_rx,s1:r,3,,xon,,,,,,,\n"                \
	"2,pause_rx,s1:r,3,,,,,65535,,,,\n"               \
	"10,resume_rx,s1:r,3,,expired,,,,,,,\n"           \
	"20,pause_rx,s1:r,3,,,,,65535,,,,\n"              \
	"21,pfcwd_storm,s1:r,3,,drop,,7000,,,,,\n"        \
	"30,resume_rx,s1:r,3,,pfcwd,,,,,,,\n"             \
	"40,pfcwd_restore,s1:r,3,,drop,,,,,,,\n"          \
	"50,deadlock,s1:r,3,,1 of 3 since 40 us,,,,,,,\n" \
	"60,pause_rx,s1:r,3,,,,,1,,,,\n"                  \
	"70,pause_rx,s1:r,3,,,,,1,,,,\n"

static void states_are_slices(void **state)
{
	char *lines = show_record(SPANS, "", 0, TSTAMP_NEVER);

	(void)state;
	// One that ended before the record began is an instant.
	pflab_wants(lines, "1000 instant by-hand/s1/s1:r 'resume_rx' [resume_rx] detail=xon");
	pflab_wants(lines, "2000 begin by-hand/s1/s1:r/class 3 'paused' [pause_rx] quanta=65535");
	pflab_wants(lines, "10000 end by-hand/s1/s1:r/class 3 ended_by=expired");
	pflab_wants(lines, "21000 begin by-hand/s1/s1:r/class 3/storms 'storm' [pfcwd_storm] "
			   "queue_bytes=7000 detail=drop");
	pflab_wants(lines, "30000 end by-hand/s1/s1:r/class 3 ended_by=pfcwd");
	pflab_wants(lines, "40000 end by-hand/s1/s1:r/class 3/storms ended_by=drop");
	pflab_wants(lines,
		"50000 begin by-hand/s1/s1:r/class 3/deadlocks 'deadlock, and still at the end of "
		"the run' [deadlock] detail=1 of 3 since 40 us");
	pflab_wants(lines, "100000 end by-hand/s1/s1:r/class 3/deadlocks ended_by=end of the run");
	// Its resume was not recorded, and the next one has none.
	pflab_wants(lines, "60000 begin by-hand/s1/s1:r/class 3 'paused' [pause_rx] quanta=1");
	pflab_wants(lines, "70000 end by-hand/s1/s1:r/class 3 ended_by=no event of it");
	pflab_wants(lines, "70000 begin by-hand/s1/s1:r/class 3 'paused, and still at the end of "
			   "the run' [pause_rx] quanta=1");
	pflab_wants(lines, "100000 end by-hand/s1/s1:r/class 3 ended_by=end of the run");
	assert_int_equal(told.events, 10);
	assert_null(told.missing);
	free(lines);
}

// Spans that end before, or begin later, are left out; spans that reach into the time are whole.
static void a_part_of_the_run(void **state)
{
	char *lines = show_record(SPANS, "", 25 * PS_PER_US, 50 * PS_PER_US);

	(void)state;
	pflab_wants(lines, "20000 begin by-hand/s1/s1:r/class 3 'paused' [pause_rx] quanta=65535");
	pflab_wants(lines, "30000 end by-hand/s1/s1:r/class 3 ended_by=pfcwd");
	pflab_wants(lines, "40000 end by-hand/s1/s1:r/class 3/storms ended_by=drop");
	pflab_wants(lines, "25000 begin by-hand 'by-hand' [run]");
	pflab_wants(lines, "50000 end by-hand");
	assert_null(strstr(lines, "deadlock"));
	assert_null(strstr(lines, "2000 begin"));
	assert_null(strstr(lines, "70000"));
	assert_int_equal(told.events, 4);
	free(lines);
}

static void samples_are_counters(void **state)
{
	char *lines = show_record("15,rp,a:s1,,f[a>b.0],decrease,,,,,12.5,25,0.5\n",
		"10,queue,s1:r.3,500,400,1000,1.5,0,0,0,,,,,\n"
		"10,rxbuf,r:s1.rxbuf,70,,,,,,,,,,,\n"
		"10,flow,f[a>b.0],,,,,,,,2.5,10,10,1.000000,0\n"
		"10,flow,g[a>b.0],,,,,,,,1,3,,,\n"
		"20,queue,s1:r.3,500,400,2000,1.5,0,0,0,,,,,\n"
		"20,rxbuf,r:s1.rxbuf,70,,,,,,,,,,,\n"
		"20,flow,f[a>b.0],,,,,,,,2.5,12.5,25,0.400000,0\n"
		"20,flow,g[a>b.0],,,,,,,,0,3,,,\n",
		0, TSTAMP_NEVER);

	(void)state;
	// Of an instant at the end of the period, of a period from its beginning on.
	pflab_wants(lines, "10000 counter by-hand/s1/s1:r/class 3/queue = 500");
	pflab_wants(lines, "0 counter by-hand/s1/s1:r/class 3/queue, most in the period = 1000");
	pflab_wants(
		lines, "10000 counter by-hand/s1/s1:r/class 3/queue, most in the period = 2000");
	pflab_wants(lines, "0 counter by-hand/s1/s1:r/class 3/sent = 1500000");
	pflab_wants(lines, "10000 counter by-hand/r/r:s1/receive buffer = 70");
	pflab_wants(lines, "0 counter by-hand/flows/f[a>b.0]/goodput = 2500000");
	pflab_wants(lines, "10000 counter by-hand/flows/g[a>b.0]/goodput = 0");
	pflab_wants(lines, "10000 counter by-hand/flows/f[a>b.0]/Rc = 10000000");
	pflab_wants(lines, "10000 counter by-hand/flows/f[a>b.0]/Rt = 10000000");
	pflab_wants(lines, "10000 counter by-hand/flows/f[a>b.0]/alpha = 1");
	pflab_wants(lines, "20000 counter by-hand/flows/f[a>b.0]/alpha = 0.4");
	pflab_wants(lines, "10000 counter by-hand/flows/g[a>b.0]/Rc = 3000000");
	pflab_wants(lines, "20000 counter by-hand/flows/g[a>b.0]/Rc = 3000000");
	// A value that has not changed, or that events have already, is not written again.
	assert_null(strstr(lines, "20000 counter by-hand/s1/s1:r/class 3/queue ="));
	assert_null(strstr(lines, "20000 counter by-hand/r/r:s1/receive buffer"));
	assert_null(strstr(lines, "10000 counter by-hand/flows/f[a>b.0]/goodput"));
	assert_null(strstr(lines, "20000 counter by-hand/flows/f[a>b.0]/Rc"));
	free(lines);
}

static void what_is_missing_is_in_the_trace(void **state)
{
	static struct lab l;
	char *lines;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	lines = show(&l, 0, TSTAMP_NEVER);
	pflab_wants(lines, "0 begin by-hand 'by-hand' [run]");
	pflab_wants(lines, "0 begin by-hand 'Instants are rounded down to ns; the run's own files "
			   "have ps.' [run]");
	pflab_wants(lines, "0 begin by-hand 'summary.json is missing.' [missing]");
	pflab_wants(lines, "0 begin by-hand 'The record of events (events.csv or events.bin) is "
			   "missing.' [missing]");
	pflab_wants(lines, "10000 begin by-hand 'window of the figures' [run]");
	assert_int_equal(told.events, 0);
	free(lines);
	// A record that is cut short is shown as far as it goes.
	put(&l, "events.csv", EVENT_HEAD "1,mark,s1:r,3,,,,,,,,,\n2,mark,s1:r");
	lines = show(&l, 0, TSTAMP_NEVER);
	pflab_wants(lines, "1000 instant by-hand/s1/s1:r/class 3/marks 'mark' [mark]");
	pflab_wants(lines, "0 begin by-hand 'events.csv ends within line 3.' [missing]");
	free(lines);
	lab_close(&l);
}

// Instants out of order, an end that no file tells, and queues without a class.
static void a_broken_folder_gives_a_whole_trace(void **state)
{
	static struct lab l;
	char *lines;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", "{}");
	put(&l, "events.csv",
		EVENT_HEAD "20,pause_rx,s1:r,3,,,,,1,,,,\n"
			   "10,resume_rx,s1:r,3,,xon,,,,,,,\n"
			   "30,pause_rx,s1:r,4,,,,,1,,,,\n"
			   "40,mark,s1:r,3,,,,5000,,1,,,\n");
	put(&l, "timeseries.csv",
		SERIES_HEAD "10,queue,s1:r.x,500,400,1000,1.5,0,0,0,,,,,\n"
			    "10,queue,s1:r.9,500,400,1000,1.5,0,0,0,,,,,\n"
			    "10,queue,s1,500,400,1000,1.5,0,0,0,,,,,\n"
			    "10,rxbuf,s1,500,400,1000,1.5,0,0,0,,,,,\n");
	lines = show(&l, 0, TSTAMP_NEVER);
	pflab_wants(lines, "20000 end run/s1/s1:r/class 3 ended_by=xon");
	pflab_wants(lines, "40000 end run/s1/s1:r/class 4 ended_by=end of the run");
	pflab_wants(lines, "40000 end run");
	assert_null(strstr(lines, " counter run"));
	free(lines);
	lab_close(&l);
}

static void a_run_is_shown(void **state)
{
	struct scene_set set[] = {{"record.events", "[all, xoff_holder, rp_alpha]"}};
	static struct lab l;
	char *lines, *again;
	unsigned begins = 0, ends = 0;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, set, 1, false), 0);
	lines = show(&l, 0, TSTAMP_NEVER);
	again = show(&l, 0, TSTAMP_NEVER);
	assert_string_equal(lines, again);
	for (const char *at = lines; (at = strstr(at, " begin ")) != NULL; at++)
		begins++;
	for (const char *at = lines; (at = strstr(at, " end ")) != NULL; at++)
		ends++;
	assert_true(begins > 3);
	assert_int_equal(begins, ends);
	assert_true(told.events > 10);
	assert_null(strstr(lines, "[missing]"));
	free(lines);
	free(again);
	lab_close(&l);
}

static void a_file_that_cannot_be_written_is_named(void **state)
{
	static struct lab l;
	struct saved *s;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	s = read_back(&l);
	assert_true(timeline_write(s, "/nowhere/x", 0, TSTAMP_NEVER, &told, &l.err) < 0);
	assert_non_null(strstr(l.err.text, "/nowhere/x: cannot be written"));
	assert_true(timeline_write(s, "/dev/full", 0, TSTAMP_NEVER, &told, &l.err) < 0);
	assert_non_null(strstr(l.err.text, "/dev/full: incomplete"));
	saved_close(s);
	lab_close(&l);
}

// A rank without parts still has its iteration.
static void ranks_of_jobs_have_tracks(void **state)
{
	char *lines =
		show_record("12,job_calc,a:s1,,,ring.0 op 0 from 2 us,,,,,,,\n"
			    "13,job_calc,a:s1,,,ring.0 op 1 from 3 us,,,,,,,\n"
			    "20,job_message,b:s1,,,ring.1 from 0 tag 7 since 12 us,4096,,,,,,\n"
			    "20,job_step,b:s1,,,ring.1 iteration 0 from 1 to 20 us,,,,,,,\n"
			    "20,job_part,b:s1,,,ring.1 iteration 0 wire 9 us,,,,,,,\n"
			    "20,job_part,b:s1,,,ring.1 iteration 0 compute 10 us,,,,,,,\n"
			    "20,job_part,b:s1,,,ring.1 iteration 0 pause 0 us,,,,,,,\n"
			    "20,job_part,b:s1,,,ring.1 iteration 0 rate 0 us,,,,,,,\n"
			    "20,job_part,b:s1,,,ring.1 iteration 0 resend 0 us,,,,,,,\n"
			    "20,job_part,b:s1,,,ring.1 iteration 0 wait 0 us,,,,,,,\n"
			    "22,job_step,a:s1,,,ring.0 iteration 0 from 0 to 13 us,,,,,,,\n",
			"", 0, TSTAMP_NEVER);

	(void)state;
	pflab_wants(lines, "2000 begin by-hand/job ring/ring.0/calcs 'calc' [job_calc] op=0");
	pflab_wants(lines, "3000 begin by-hand/job ring/ring.0/calcs 'calc' [job_calc] op=1");
	pflab_wants(lines, "12000 instant by-hand/job ring/ring.0/messages 'send to 1' "
			   "[job_message] tag=7 arrow 1");
	pflab_wants(lines, "20000 instant by-hand/job ring/ring.1/messages 'message from 0' "
			   "[job_message] tag=7 took_us=8 bytes=4096 arrow 1");
	pflab_wants(lines, "1000 begin by-hand/job ring/ring.1 'iteration 0' [job_step] done_us=20 "
			   "wire_us=9 compute_us=10 pause_us=0 rate_us=0 resend_us=0 wait_us=0");
	pflab_wants(lines, "0 begin by-hand/job ring/ring.0 'iteration 0' [job_step] done_us=13");
	assert_int_equal(told.arrows, 1);
	free(lines);
}

// Only what reaches into the time that is wanted.
static void events_of_jobs_are_cut_to_the_time(void **state)
{
	char *lines = show_record("12,job_calc,a:s1,,,ring.0 op 0 from 2 us,,,,,,,\n"
				  "30,job_calc,a:s1,,,ring.0 op 1 from 13 us,,,,,,,\n"
				  "60,job_calc,a:s1,,,ring.0 op 2 from 50 us,,,,,,,\n",
		"", 20 * PS_PER_US, 40 * PS_PER_US);

	(void)state;
	assert_null(strstr(lines, "op=0"));
	assert_non_null(strstr(lines, "op=1"));
	assert_null(strstr(lines, "op=2"));
	free(lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_type_has_its_place),
		cmocka_unit_test(ranks_of_jobs_have_tracks),
		cmocka_unit_test(events_of_jobs_are_cut_to_the_time),
		cmocka_unit_test(marks_and_changes_stand_on_top),
		cmocka_unit_test(holders_are_missed_where_they_may_matter),
		cmocka_unit_test(states_are_slices),
		cmocka_unit_test(a_part_of_the_run),
		cmocka_unit_test(samples_are_counters),
		cmocka_unit_test(what_is_missing_is_in_the_trace),
		cmocka_unit_test(a_broken_folder_gives_a_whole_trace),
		cmocka_unit_test(a_run_is_shown),
		cmocka_unit_test(a_file_that_cannot_be_written_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
