// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: any files are the folder of a run or one line of error. Events, samples and tables
// of the folder are read and merged with the folder of another part. The merged folder can be read,
// too. An input that begins with "p" has page and timeline of each folder made, which takes longer.
//
// A line "@a/FILE" or "@b/FILE" begins a file of one of the two folders. Bytes before the first
// such line are not used.
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "merge/merge.h"
#include "page/page.h"
#include "saved/saved.h"
#include "timeline/timeline.h"

#define LINES 2000 // that are read of a file

enum { FOLDER_A, FOLDER_B, FOLDER_OUT, FOLDERS };

static char root[64], folder[FOLDERS][80];
static bool wants_page;

static void empty(const char *dir)
{
	char path[400];

	for (unsigned i = 0; merge_files[i]; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, merge_files[i]);
		unlink(path);
	}
}

static void remove_all(void)
{
	for (unsigned i = 0; i < FOLDERS; i++) {
		empty(folder[i]);
		rmdir(folder[i]);
	}
	rmdir(root);
}

// In memory, where there is such a folder.
static void make_all(void)
{
	static const char *const name[] = {"a", "b", "out"};

	snprintf(root, sizeof(root), "%s/quench-fuzz-XXXXXX",
		access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	fuzz_check(mkdtemp(root));
	for (unsigned i = 0; i < FOLDERS; i++) {
		snprintf(folder[i], sizeof(folder[i]), "%s/%s", root, name[i]);
		fuzz_check(!mkdir(folder[i], 0700));
	}
	atexit(remove_all);
}

// One of the files that a folder can have; NULL: another name.
static const char *known(const char *name, size_t n)
{
	for (unsigned i = 0; merge_files[i]; i++)
		if (strlen(merge_files[i]) == n && !memcmp(merge_files[i], name, n))
			return merge_files[i];
	return NULL;
}

static void put_file(const char *head, size_t head_len, const void *data, size_t size)
{
	const char *name = head_len > 2 ? known(head + 2, head_len - 2) : NULL;
	char path[400];
	int fd;

	if (!name || (head[0] != 'a' && head[0] != 'b') || head[1] != '/')
		return;
	snprintf(path, sizeof(path), "%s/%s", folder[head[0] == 'b'], name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	fuzz_check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

static void put_files(const char *data, size_t size)
{
	const char *end = data + size;
	const char *at = size && *data == '@' ? data : memmem(data, size, "\n@", 2);

	while (at) {
		const char *head = at + (*at == '@' ? 1 : 2);
		const char *body = memchr(head, '\n', (size_t)(end - head)), *next;

		if (!body)
			return;
		next = memmem(body, (size_t)(end - body), "\n@", 2);
		put_file(head, (size_t)(body - head), body + 1,
			(size_t)((next && next > body ? next + 1 : end) - body - 1) *
				(next != body));
		at = next;
	}
}

static void is_one_line(const char *text)
{
	fuzz_check(*text && !strchr(text, '\n'));
}

static void read_events(struct saved *s)
{
	const struct saved_ev *e;
	tstamp last = 0;

	if (!saved_events(s))
		return;
	for (unsigned n = 0; n < LINES && (e = saved_next(s)); n++) {
		fuzz_check(e->t >= last || e->t < TSTAMP_NEVER);
		fuzz_check(e->object < saved_objects(s) && *saved_object(s, e->object));
		fuzz_check(e->flow < 0 || (unsigned)e->flow < saved_flows(s));
		fuzz_check(e->type < EV_TYPES && e->detail);
		fuzz_check(saved_peer(s, e->object) < (int)saved_objects(s));
		last = e->t;
	}
}

static void read_series(struct saved *s)
{
	const struct saved_sample *v;

	if (!saved_series(s))
		return;
	for (unsigned n = 0; n < LINES && (v = saved_sample(s)); n++)
		fuzz_check(v->kind < SAVED_KINDS && saved_line(s, v->object));
}

static void read_table(struct saved *s, const char *file)
{
	const struct saved_table *t = saved_table(s, file);
	size_t n = 0;

	for (unsigned i = 0; t && i < t->rows * t->columns; i++)
		n += strlen(t->cell[i]) + strlen(t->name[i % t->columns]);
	fuzz_check(n < 1u << 30);
}

static void show(struct saved *s)
{
	struct timeline_told told;
	struct err err;
	char path[400];
	json_t *page = page_data(s);

	fuzz_check(page);
	json_decref(page);
	snprintf(path, sizeof(path), "%s/report.html", folder[FOLDER_OUT]);
	if (timeline_write(s, path, 0, TSTAMP_NEVER, &told, &err))
		is_one_line(err.text);
}

static bool read_run(const char *dir)
{
	struct saved *s;
	struct err err;
	const char *text;
	int rc = saved_open(&s, dir, &err);

	if (rc) {
		is_one_line(err.text);
		return false;
	}
	read_events(s);
	read_series(s);
	read_table(s, "marking.csv");
	read_table(s, "fct.txt");
	if (wants_page)
		show(s);
	for (unsigned i = 0; (text = saved_missing(s, i)); i++)
		is_one_line(text);
	saved_close(s);
	return true;
}

static void merge_both(void)
{
	const char *const dir[] = {folder[FOLDER_A], folder[FOLDER_B]};
	static FILE *null;
	struct merge *m;
	struct err err;

	if (!null)
		null = fopen("/dev/null", "w");
	if (merge_open(&m, dir, 2, &err)) {
		is_one_line(err.text);
		return;
	}
	merge_text(m, null);
	merge_passed(m);
	if (merge_write(m, folder[FOLDER_OUT], "fuzz", &err))
		is_one_line(err.text);
	else
		fuzz_check(read_run(folder[FOLDER_OUT]));
	merge_close(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!*root)
		make_all();
	for (unsigned i = 0; i < FOLDERS; i++)
		empty(folder[i]);
	wants_page = size && *data == 'p';
	put_files((const char *)data, size);
	if (read_run(folder[FOLDER_A]) && read_run(folder[FOLDER_B]))
		merge_both();
	return 0;
}
