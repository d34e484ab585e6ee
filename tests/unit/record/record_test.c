// SPDX-License-Identifier: BSD-3-Clause
// The run folder: which files, refused where it is not empty, the same bytes for the same run.
#include "record_lab.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>

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
	assert_int_equal(scene_load(&l.scene, l.file, &so, &l.err), 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_run_same_bytes),
		cmocka_unit_test(folder_that_is_not_empty),
		cmocka_unit_test(folder_that_cannot_be_made),
		cmocka_unit_test(no_files_touches_no_disk),
		cmocka_unit_test(full_disk_is_said_and_figures_stand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
