// SPDX-License-Identifier: BSD-3-Clause
// The run folder: which files, refused where it is not empty, the same bytes for the same run;
// frames in capture.pcapng are as many as were counted.
#include "../../cap_all.h"
#include "frame/frame.h"

#include "record_lab.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const char *const files[] = {"summary.json", "timeseries.csv", "events.csv", "fct.txt",
	"pfc.txt", "qlen.txt", "manifest.json"};

#define FILES (sizeof(files) / sizeof(files[0]))

// The manifest without the object that says where and how long.
static void cut_here(char *text)
{
	char *here = strstr(text, "\"here\"");

	assert_non_null(here);
	*here = '\0';
}

static void same_run_same_bytes(void **state)
{
	char *first[FILES];
	struct lab l;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	for (unsigned i = 0; i < FILES; i++)
		first[i] = lab_file(&l, files[i]);
	lab_end(&l);
	assert_int_equal(lab_run(&l, NULL, 0, true), 0);
	for (unsigned i = 0; i < FILES; i++) {
		char *second = lab_file(&l, files[i]);

		if (!strcmp(files[i], "manifest.json")) {
			cut_here(first[i]);
			cut_here(second);
		}
		assert_true(strlen(second) > 0);
		assert_string_equal(first[i], second);
		free(first[i]);
		free(second);
	}
	lab_close(&l);
}

static void folder_that_is_not_empty(void **state)
{
	char stale[160];
	struct lab l;
	FILE *f;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	mkdir(l.out, 0755);
	snprintf(stale, sizeof(stale), "%s/capture.pcapng", l.out);
	f = fopen(stale, "w");
	assert_non_null(f);
	fclose(f);
	assert_int_equal(lab_run(&l, NULL, 0, false), -EEXIST);
	assert_non_null(strstr(l.err.text, l.out));
	assert_non_null(strstr(l.err.text, "--force"));
	lab_end(&l);
	assert_int_equal(lab_run(&l, NULL, 0, true), 0);
	assert_int_equal(access(stale, F_OK), -1); // of an earlier run: gone
	lab_close(&l);
}

static void folder_that_cannot_be_made(void **state)
{
	struct lab l;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	snprintf(l.out, sizeof(l.out), "%s/x", l.file);
	assert_int_equal(lab_run(&l, NULL, 0, false), -ENOTDIR);
	assert_non_null(strstr(l.err.text, "cannot be made"));
	lab_close(&l);
}

static void no_files_touches_no_disk(void **state)
{
	struct vt_opts o = {.record = {.dir = "/nowhere", .no_files = true}};
	struct scene_opts so = {0};
	struct lab l;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(compile_scene(&l.scene, l.file, &so, &l.err), 0);
	assert_int_equal(vt_run(l.scene, &o, &l.rec, &l.err), 0);
	assert_true(report_value(l.rec, "total.goodput_gbps") > 20);
	assert_null(strstr(report_text(l.rec), "results"));
	lab_close(&l);
}

// A disk that is full: files may not grow over 16 KB.
static void full_disk_is_said_and_figures_stand(void **state)
{
	struct rlimit before, little;
	struct lab l;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	little = before;
	little.rlim_cur = 16384;
	setrlimit(RLIMIT_FSIZE, &little);
	int code = lab_run(&l, NULL, 0, false);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(code, -EFBIG);
	assert_non_null(strstr(l.err.text, "timeseries.csv: incomplete"));
	assert_non_null(l.rec);
	assert_true(report_value(l.rec, "total.goodput_gbps") > 20);
	lab_close(&l);
}

static void load(const struct lab *l, struct cap *c)
{
	char path[160];
	struct err err;

	snprintf(path, sizeof(path), "%s/capture.pcapng", l->out);
	if (cap_read(c, path, &err))
		fail_msg("%s", err.text);
}

static void our_frames(void **state)
{
	struct scene_set set[] = {{"warmup", "0us"}, {"duration", "300us"}};
	unsigned kinds[PKT_KINDS] = {0};
	struct lab l;
	struct cap c;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE "ports: {'h1:s1': {capture: true}}\n");
	assert_int_equal(lab_run(&l, set, 2, false), 0);
	load(&l, &c);
	for (unsigned i = 0; i < c.n; i++) {
		struct frame f;

		assert_int_equal(frame_parse(c.frame[i].bytes, c.frame[i].len, &f), FRAME_OK);
		kinds[f.kind]++;
	}
	assert_true(kinds[PKT_DATA] == report_value(l.rec, "flow.incast[h1>r.0].data_frames_tx"));
	assert_true(kinds[PKT_CNP] == report_value(l.rec, "flow.incast[h1>r.0].cnp_rx"));
	assert_true(kinds[PKT_ACK] == report_value(l.rec, "flow.incast[h1>r.0].ack_rx"));
	assert_true(kinds[PKT_PFC] == report_value(l.rec, "pfc.h1:s1.3.xoff_frames") +
					      report_value(l.rec, "pfc.h1:s1.3.xon_frames"));
	assert_true(kinds[PKT_PFC] > 0 && kinds[PKT_CNP] > 0 && kinds[PKT_ACK] > 0);
	cap_free(&c);
	lab_close(&l);
}

// One frame through a switch that marks: it comes in as it was and leaves as its marked twin.
static void foreign_frames(void **state)
{
	struct cap c, plain, marked;
	struct err err;
	struct lab l;

	(void)state;
	lab_open(&l, "name: replay\n"
		     "duration: 1ms\n"
		     "switches: {s1: {classes: {3: {force_ce: true}}}}\n"
		     "hosts:\n"
		     "  a: {replay: {file: " TEST_DATA "/rc_write_only_ipv4.pcap}}\n"
		     "  b: {}\n"
		     "links: [{between: [[a, b], s1], rate: 25Gbps, delay: 1us}]\n"
		     "ports: {'s1:a': {capture: true}, 's1:b': {capture: true}}\n");
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	load(&l, &c);
	assert_int_equal(cap_read(&plain, TEST_DATA "/rc_write_only_ipv4.pcap", &err), 0);
	assert_int_equal(cap_read(&marked, TEST_DATA "/rc_write_only_ipv4_ce.pcap", &err), 0);
	assert_int_equal(c.n, 2);
	assert_int_equal(c.frame[0].len, plain.frame[0].len);
	assert_memory_equal(c.frame[0].bytes, plain.frame[0].bytes, plain.frame[0].len);
	assert_int_equal(c.frame[1].len, marked.frame[0].len);
	assert_memory_equal(c.frame[1].bytes, marked.frame[0].bytes, marked.frame[0].len);
	cap_free(&c);
	cap_free(&plain);
	cap_free(&marked);
	lab_close(&l);
}

// The first frame of each captured port behind a mark has its text as a comment.
static void a_mark_is_a_comment(void **state)
{
	static const char text[] = "mark: Kmin is next";
	struct scene_set set[] = {{"warmup", "0us"}, {"duration", "300us"}};
	unsigned n = 0, met = 0;
	char path[160];
	struct lab l;
	FILE *f;
	int c;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE "ports: {'h1:s1': {capture: true}, 's1:r': {capture: true}}\n"
				    "events: [{at: 100us, mark: Kmin is next}]\n");
	assert_int_equal(lab_run(&l, set, 2, false), 0);
	snprintf(path, sizeof(path), "%s/capture.pcapng", l.out);
	f = fopen(path, "rb");
	assert_non_null(f);
	while ((c = getc(f)) != EOF) {
		met = c == text[met] ? met + 1 : c == text[0];
		n += !text[met];
		met = text[met] ? met : 0;
	}
	fclose(f);
	assert_int_equal(n, 2);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_run_same_bytes),
		cmocka_unit_test(folder_that_is_not_empty),
		cmocka_unit_test(folder_that_cannot_be_made),
		cmocka_unit_test(no_files_touches_no_disk),
		cmocka_unit_test(full_disk_is_said_and_figures_stand),
		cmocka_unit_test(our_frames),
		cmocka_unit_test(foreign_frames),
		cmocka_unit_test(a_mark_is_a_comment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
