// SPDX-License-Identifier: BSD-3-Clause
// Files that fail while the run goes on: said at once, named in text and manifest; manifest.json
// has its room, and all that differs between machines in one object.
#include "record_lab.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

struct heard {
	struct lab l;
	char line[512];
	unsigned n;
	blkcnt_t blocks; // that the manifest had by then
	bool ended;      // the summary was there by then
};

static char *in_folder(const struct lab *l, const char *name)
{
	static char path[160];

	snprintf(path, sizeof(path), "%s/%s", l->out, name);
	return path;
}

static void hear(void *arg, const char *line)
{
	struct heard *h = arg;
	struct stat st;

	if (!h->n++)
		snprintf(h->line, sizeof(h->line), "%s", line);
	h->ended |= access(in_folder(&h->l, "summary.json"), F_OK) == 0;
	if (stat(in_folder(&h->l, "manifest.json"), &st) == 0)
		h->blocks = st.st_blocks;
}

// Files may not grow over 64 KB: the first that wants to is timeseries.csv, 20 ms before the end,
// or without series the events.
static int run(struct heard *h, const char *format, const char *series)
{
	const tstamp duration = 20 * PS_PER_MS;
	struct scene_set set[] = {
		{"record.format", format}, {"record.compress", "none"}, {"record.series", series}};
	struct scene_opts so = {.duration = &duration, .set = set, .n_set = 3};
	struct vt_opts vo = {.record = {.dir = h->l.out, .say = hear, .say_arg = h}};
	struct rlimit before, little;
	int code;

	if (compile_scene(&h->l.scene, h->l.file, &so, &h->l.err))
		fail_msg("%s", h->l.err.text);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	little = before;
	little.rlim_cur = 65536;
	setrlimit(RLIMIT_FSIZE, &little);
	code = vt_run(h->l.scene, &vo, &h->l.rec, &h->l.err);
	setrlimit(RLIMIT_FSIZE, &before);
	return code;
}

static void said_at_once_and_named(void **state)
{
	static struct heard h;
	char want[200], *manifest;

	(void)state;
	lab_open(&h.l, LAB_TWO_TO_ONE);
	assert_int_equal(run(&h, "csv", "true"), -EFBIG);
	assert_int_equal(h.n, 1);
	assert_false(h.ended);
	snprintf(want, sizeof(want),
		"%s/timeseries.csv: incomplete: File too large: recording stopped at ", h.l.out);
	assert_memory_equal(h.line, want, strlen(want));
	assert_non_null(strstr(
		report_text(h.l.rec), "FILES       timeseries.csv: incomplete: File too large\n"));
	manifest = lab_file(&h.l, "manifest.json");
	assert_non_null(strstr(
		manifest, "\"missing\": [\n    \"timeseries.csv: incomplete: File too large\""));
	assert_non_null(strstr(manifest, "\"here\": {"));
	free(manifest);
	lab_close(&h.l);
}

// The binary form is missed as any other file, and what there is of it says that it has no end.
static void so_is_the_binary_form(void **state)
{
	static struct heard h;
	struct evf_in *in;
	struct err err;
	char *manifest;

	(void)state;
	lab_open(&h.l, LAB_TWO_TO_ONE);
	assert_int_equal(run(&h, "binary", "false"), -EFBIG);
	manifest = lab_file(&h.l, "manifest.json");
	assert_non_null(strstr(manifest, "\"events.bin: incomplete: File too large\""));
	free(manifest);
	assert_int_equal(evf_open(&in, in_folder(&h.l, "events.bin"), &err), 0);
	assert_non_null(evf_cut(in));
	evf_close_in(in);
	lab_close(&h.l);
}

static void the_manifest_has_its_room(void **state)
{
	static struct heard h;
	struct stat st;
	int fd;

	(void)state;
	lab_open(&h.l, LAB_TWO_TO_ONE);
	fd = open(h.l.file, O_WRONLY);
	if (fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 65536) <
		0) { // a file system that promises nothing
		close(fd);
		lab_close(&h.l);
		skip();
	}
	close(fd);
	assert_int_equal(run(&h, "csv", "true"), -EFBIG);
	assert_int_equal(stat(in_folder(&h.l, "manifest.json"), &st), 0);
	assert_true(h.blocks * 512 >= st.st_size);
	lab_close(&h.l);
}

static void content(void **state)
{
	struct scene_set set[] = {{"seed", "7"}};
	const char *here;
	struct lab l;
	char *text;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	assert_int_equal(lab_run(&l, set, 1, false), 0);
	text = lab_file(&l, "manifest.json");
	here = strstr(text, "  \"here\": {");
	assert_non_null(here);
	for (unsigned i = 0; i < 6; i++) {
		static const char *const front[] = {"\"version\": \"" QUENCH_VERSION "\"",
			"\"name\": \"two-to-one\"", "\"clock\": \"virtual\"", "\"seed\": 7",
			"\"duration_us\": 2000.000000",
			"\"resolved\": {\n    \"name\": \"two-to-one\""};
		const char *at = strstr(text, front[i]);

		if (!at || at > here)
			fail_msg("%s is missing", front[i]);
	}
	for (unsigned i = 0; i < 5; i++) {
		static const char *const behind[] = {"\"command\": \"quench run\"",
			"\"host\": ", "\"cpu\": ", "\"wall_s\": ", "\"cpu_s\": "};

		if (!strstr(here, behind[i]))
			fail_msg("%s is missing", behind[i]);
	}
	free(text);
	lab_close(&l);
}

// A file of message sizes is an input as the scenario is.
static void files_of_sizes_are_listed_with_their_digest(void **state)
{
	static struct scene_sizes named, own = {.file = "lab/own.cdf", .sha256 = "a32b97"};
	struct scene_sizes *sizes[] = {&named, &own, &named};
	struct vt_opts opts = {.record = {.force = true, .command = "quench run"}};
	struct lab l;
	char *text;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	for (unsigned n = 1; n <= 3; n += 2) {
		assert_int_equal(compile_scene(&l.scene, l.file, NULL, &l.err), 0);
		l.scene->sizes = sizes;
		l.scene->n_sizes = n;
		opts.record.dir = l.out;
		assert_int_equal(vt_run(l.scene, &opts, &l.rec, &l.err), 0);
		text = lab_file(&l, "manifest.json");
		assert_int_equal(times_in(text, "\"sizes\": [\n    {\"file\": \"lab/own.cdf\", "
						"\"sha256\": \"a32b97\"}\n  ]"),
			n > 1);
		assert_int_equal(times_in(text, "\"sha256\""), n > 1);
		free(text);
		lab_end(&l);
	}
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(said_at_once_and_named),
		cmocka_unit_test(so_is_the_binary_form),
		cmocka_unit_test(the_manifest_has_its_room),
		cmocka_unit_test(content),
		cmocka_unit_test(files_of_sizes_are_listed_with_their_digest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
