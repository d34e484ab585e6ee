// SPDX-License-Identifier: BSD-3-Clause
// quench merge: the folders of the parts of a run as one.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "reader.h"
#include "merge/merge.h"
#include "out/out.h"

struct merge_args {
	const char *out;
	bool force;
};

static const struct args_option *const options[] = {
	ARGS_ROW(.name = "out", .value = "DIR", .kind = ARGS_TEXT, .fill = ARGS_FOLDER,
		ARGS_AT(struct merge_args, out),
		.help = "Writes the whole into this folder. Without it that is "
			"runs/NAME-real-SEED, or the next .2, .3 and so on that is free, and the "
			"link runs/latest points to it."),
	ARGS_ROW(.name = "force", ARGS_AT(struct merge_args, force),
		.help = "Takes a folder that is used already."),
	NULL,
};

// -EINVAL with a line where the folder that is written is one that is read.
static int check_out(const char *out, char **dir, unsigned n, struct err *err)
{
	char *to = realpath(out, NULL);
	int rc = 0;

	for (unsigned i = 0; to && i < n && !rc; i++) {
		char *from = realpath(dir[i], NULL);

		if (from && !strcmp(from, to))
			rc = err_set(err, -EINVAL,
				"--out %s: this is the folder of a part; give another", out);
		free(from);
	}
	free(to);
	return rc;
}

// Makes the folder. Its name is freed by the caller.
static int take_folder(
	const struct merge_args *a, const struct merge *m, char **taken, int *lock, struct err *err)
{
	unsigned n = 0;
	char *dir;
	int rc;

	if ((a->out ? asprintf(&dir, "%s", a->out)
		    : asprintf(&dir, "runs/%s-real-%llu", merge_name(m), merge_seed(m))) < 0)
		return err_set(err, -ENOMEM, "no memory");
	while (merge_files[n])
		n++;
	if (!a->out && !a->force) {
		rc = folder_next(taken, dir, lock, err);
		free(dir);
	} else {
		rc = folder_take(dir, a->force, merge_files, n, lock, err);
		*taken = dir;
	}
	if (!rc)
		folder_latest(*taken);
	return rc;
}

// The words that were typed, as manifest.json has them.
static char *command_of(int argc, char **argv)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	fprintf(f, "quench");
	for (int i = 0; i < argc; i++)
		fprintf(f, " %s", argv[i]);
	return fclose(f) ? (free(text), NULL) : text;
}

static int write_whole(const struct merge_args *a, struct merge *m, const char *command)
{
	char *dir = NULL;
	struct err err;
	int lock = -1, rc = take_folder(a, m, &dir, &lock, &err);

	rc = rc ? rc : merge_write(m, dir, command ? command : "quench merge", &err);
	folder_leave(lock);
	if (rc) {
		tell("quench merge: %s", err.text);
		free(dir);
		return EXIT_INPUT;
	}
	merge_text(m, stdout);
	printf("results  %s\n", dir);
	free(dir);
	return merge_passed(m) ? EXIT_DONE : EXIT_VERDICT;
}

static int merge_main(int argc, char **argv)
{
	struct merge_args a = {0};
	char *command = command_of(argc, argv);
	int at = args_read(&reader_merge, &a, argc, argv), status;
	struct merge *m;
	struct err err;
	unsigned n;

	if (at <= 0) {
		free(command);
		return at ? EXIT_INPUT : EXIT_DONE;
	}
	n = (unsigned)(argc - at);
	if ((a.out && check_out(a.out, argv + at, n, &err)) ||
		merge_open(&m, (const char *const *)argv + at, n, &err)) {
		tell("quench merge: %s", err.text);
		free(command);
		return EXIT_INPUT;
	}
	status = write_whole(&a, m, command);
	merge_close(m);
	free(command);
	return status;
}

const struct args_command reader_merge = {
	.name = "merge",
	.summary = "make one run of the folders of its parts",
	.about =
		"Makes one run folder of the folders of a scenario's parts (`quench run --nodes`). "
		"`quench report` and `quench trace` open it as any other. "
		"Each queue, port and host is taken from the part that ran it. A flow's sent data "
		"and completion times come from the sender's part, its received data, loss and "
		"order from the receiver's.\n\n"
		"All parts must be of one run of the same scenario with the same seed, and each "
		"node must be in one of them. A line for each link between two parts says how many "
		"frames one end sent and the other received.",
	.options = options,
	.operands = ARGS_OPERANDS({.name = "DIR", .fill = ARGS_FOLDER, .many = true}),
	.wanted = "name the folders of all parts of a run",
	.examples = ARGS_WORDS(
		"quench merge runs/lab-real-1-h1..4 runs/lab-real-1-s1 runs/lab-real-1-r",
		"quench merge h s1 r --out whole --force"),
	.statuses = ARGS_VERDICT,
	.run = merge_main,
};
