// SPDX-License-Identifier: BSD-3-Clause
// Scenarios that a command line names: by their path, by the name of one that comes with quench, or
// on standard input.
#include "scenario.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "summary/summary.h"
#include "compile/compile.h"

static bool has_kind(const char *path, mode_t kind)
{
	struct stat st;

	return stat(path, &st) == 0 && (st.st_mode & S_IFMT) == kind;
}

// Writes the folder of the files that come with quench: QUENCH_DATA, else share/quench in the
// program's own folder (a build folder), else the place relative to the program in an installation,
// so that an installation can be moved.
static void data_folder(char *path, size_t size)
{
	const char *named = getenv("QUENCH_DATA");
	char exe[PATH_MAX] = "";
	const char *dir;

	if (named && *named) {
		snprintf(path, size, "%s", named);
		return;
	}
	dir = readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0 ? dirname(exe) : ".";
	snprintf(path, size, "%s/share/quench", dir);
	if (!has_kind(path, S_IFDIR))
		snprintf(path, size, "%s/" QUENCH_DATA_DIR, dir);
}

void scenario_config(char *path, size_t size, const char *file)
{
	char dir[PATH_MAX];

	data_folder(dir, sizeof(dir));
	snprintf(path, size, "%s/config%s%s", dir, *file ? "/" : "", file);
}

const char *scenario_find(const char *path, char *room, size_t size)
{
	static const char *const ends[] = {".yaml", ""};

	if (has_kind(path, S_IFREG) || *path == '/' || *path == '.')
		return path;
	for (unsigned i = 0; i < 2; i++) {
		char file[PATH_MAX];

		snprintf(file, sizeof(file), "%s%s", path, ends[i]);
		scenario_config(room, size, file);
		if (has_kind(room, S_IFREG))
			return room;
	}
	return path;
}

#define END ".yaml"

static bool is_scenario(const char *name)
{
	size_t n = strlen(name), end = strlen(END);

	return n > end && !strcmp(name + n - end, END);
}

static int is_shown(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

// The scenarios of a folder, by the names that they are run by: the file's without .yaml, behind
// the names of the folders that it is in.
static unsigned each_under(const char *under, scenario_see *see, void *arg)
{
	char path[PATH_MAX];
	struct dirent **e;
	unsigned seen = 0;
	int n;

	scenario_config(path, sizeof(path), under);
	n = scandir(path, &e, is_shown, alphasort);
	for (int i = 0; i < n; i++) {
		char name[PATH_MAX];

		snprintf(name, sizeof(name), "%s%s%s", under, *under ? "/" : "", e[i]->d_name);
		free(e[i]);
		if (!is_scenario(name)) {
			seen += each_under(name, see, arg);
			continue;
		}
		scenario_config(path, sizeof(path), name);
		name[strlen(name) - strlen(END)] = 0;
		see(arg, name, path);
		seen++;
	}
	if (n >= 0)
		free(e);
	return seen;
}

unsigned scenario_each(scenario_see *see, void *arg)
{
	return each_under("", see, arg);
}

static void see_near(void *arg, const char *name, const char *path)
{
	(void)path;
	near_see(arg, name);
}

// Adds the nearest name to the error about a scenario that could not be read, if there is no such
// file.
static void add_hint(int rc, const char *scenario, struct err *err)
{
	char wanted[NEAR_NAME], hint[NEAR_NAME + 32], room[PATH_MAX];
	struct near n;
	size_t len;

	if (rc != -ENOENT || !access(scenario_find(scenario, room, sizeof(room)), F_OK))
		return;
	snprintf(wanted, sizeof(wanted), "%s", scenario);
	if (is_scenario(wanted))
		wanted[strlen(wanted) - strlen(END)] = 0;
	n = near_to(wanted);
	scenario_each(see_near, &n);
	len = strlen(err->text);
	snprintf(err->text + len, sizeof(err->text) - len, "%s",
		near_hint(&n, "; `quench run --list` shows those that come with quench", hint,
			sizeof(hint)));
}

// Returns whether a text begins like a capture: pcap in us and ns, each in both byte orders,
// pcapng, or packed by gzip or Zstandard.
static bool is_capture(const char *text, size_t n)
{
	static const char magic[][5] = {"\xd4\xc3\xb2\xa1", "\xa1\xb2\xc3\xd4", "\x4d\x3c\xb2\xa1",
		"\xa1\xb2\x3c\x4d", "\x0a\x0d\x0d\x0a", "\x28\xb5\x2f\xfd"};

	if (n >= 2 && !memcmp(text, "\x1f\x8b", 2))
		return true;
	for (unsigned i = 0; n >= 4 && i < sizeof(magic) / sizeof(magic[0]); i++)
		if (!memcmp(text, magic[i], 4))
			return true;
	return false;
}

// Returns whether a text is JSON whose first key is in capitals, as SONiC's tables are and keys of
// scenarios are not.
static bool is_sonic(const char *text, size_t n)
{
	static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char key[64] = "", head[512];

	snprintf(head, sizeof(head), "%.*s", (int)(n < sizeof(head) ? n : sizeof(head) - 1), text);
	return sscanf(head, " { \"%63[A-Z0-9_]\"", key) == 1 && strpbrk(key, capitals);
}

// Replaces the line of an error about a file that is none of YAML by one that says which command
// reads it.
static void name_command(const char *where, const char *text, size_t n, struct err *err)
{
	if (is_capture(text, n))
		err_set(err, 0,
			"%s: a capture is no scenario; "
			"`quench replay` sends it, and `quench decode` shows what is in it",
			where);
	else if (is_sonic(text, n))
		err_set(err, 0,
			"%s: a SONiC switch's configuration is no scenario; "
			"`quench import` makes one of it",
			where);
}

static void name_files_command(const char *path, struct err *err)
{
	char text[512];
	FILE *f = has_kind(path, S_IFREG) ? fopen(path, "rb") : NULL;

	if (!f)
		return;
	name_command(path, text, fread(text, 1, sizeof(text), f), err);
	fclose(f);
}

static const char standard_input[] = "stdin"; // known by its address: a file may have this name

const char *scenario_name(const char *word)
{
	return !strcmp(word, "-") ? standard_input : word;
}

// The standard input of this process, or a text in its place, kept to its end. Bytes beyond the
// longest scenario are left unread.
static struct {
	const char *where;
	char *text;
	size_t size;
} input = {.where = "<stdin>"};

const char *scenario_text(const char *where, char *text, size_t size)
{
	input.where = where;
	input.text = text;
	input.size = size;
	return standard_input;
}

static int read_input(struct err *err)
{
	const size_t most = YAMLDOC_MAX_BYTES + 1;
	ssize_t n = 1;

	if (input.text)
		return 0;
	input.text = malloc(most);
	if (!input.text)
		return err_set(err, -ENOMEM, "out of memory");
	while (n && input.size < most) {
		n = read(STDIN_FILENO, input.text + input.size, most - input.size);
		if (n < 0 && errno != EINTR) {
			free(input.text);
			input.text = NULL;
			return err_set(err, -errno, "<stdin>: %s", strerror(errno));
		}
		input.size += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int load_input(struct scene **scene, const struct scene_opts *opts, struct err *err)
{
	struct scene_opts o = *opts;
	int rc = read_input(err);

	o.text = input.text;
	o.size = input.size;
	if (!rc && (rc = compile_scene(scene, input.where, &o, err)))
		name_command(input.where, input.text, input.size, err);
	return rc;
}

static int load_file(
	struct scene **scene, const char *name, const struct scene_opts *opts, struct err *err)
{
	char room[PATH_MAX];
	int rc;

	if (!*name)
		return err_set(err, -EINVAL,
			"the name of a scenario is empty; "
			"`quench run --list` shows those that come with quench");
	rc = compile_scene(scene, scenario_find(name, room, sizeof(room)), opts, err);

	add_hint(rc, name, err);
	if (rc)
		name_files_command(scenario_find(name, room, sizeof(room)), err);
	return rc;
}

int scenario_load(
	struct scene **scene, const char *name, const struct scene_opts *opts, struct err *err)
{
	int rc = name == standard_input ? load_input(scene, opts, err)
					: load_file(scene, name, opts, err);

	if (rc)
		return rc;
	rc = summary_expects_check(*scene, err);
	if (rc) {
		scene_free(*scene);
		*scene = NULL;
	}
	return rc;
}
