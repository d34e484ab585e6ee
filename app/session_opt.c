// SPDX-License-Identifier: BSD-3-Clause
// The words of a command line that run, replay and sweep share.
#include "session.h"
#include "tell.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int session_set(struct session *s, const char *text, struct err *err)
{
	char *copy = strdup(text), *eq = copy ? strchr(copy, '=') : NULL;

	if (!eq || eq == copy) {
		free(copy);
		return err_set(err, -EINVAL,
			"--set '%s': path=value, as in --set switches.s1.buffer=8MB", text);
	}
	if (s->n_set == SESSION_SETS) {
		free(copy);
		return err_set(err, -EINVAL, "--set '%s': at most %u of them", text, SESSION_SETS);
	}
	*eq = 0;
	s->set[s->n_set++] = (struct scene_set){.path = copy, .value = eq + 1};
	return 0;
}

void session_free(struct session *s)
{
	for (unsigned i = 0; i < s->n_set; i++)
		free((char *)s->set[i].path);
	s->n_set = 0;
}

static int take_set(void *to, const char *value, struct err *err)
{
	return session_set(to, value, err);
}

const struct args_option session_clock = {.name = "clock",
	.kind = ARGS_WORD,
	.words = ARGS_WORDS("virtual", "real", "both"),
	.def = "virtual",
	ARGS_AT(struct session, clock),
	.help = "Runs in virtual time, on poll-mode lcores in real time, or on one after the "
		"other."};
const struct args_option session_duration = {.name = "duration",
	.value = "T",
	.kind = ARGS_TIME,
	ARGS_AT(struct session, duration),
	.given = offsetof(struct session, has_duration),
	.help = "Runs for T, as in 20ms or 2s, instead of the scenario's duration."};
const struct args_option session_seed = {.name = "seed",
	.value = "N",
	.kind = ARGS_NUMBER,
	ARGS_AT(struct session, seed),
	.given = offsetof(struct session, has_seed),
	.help = "Takes another seed for all random decisions than the scenario's."};
const struct args_option session_settings = {.name = "set",
	.value = "PATH=VALUE",
	.kind = ARGS_CALL,
	.fill = ARGS_SETTING,
	.take = take_set,
	.help = "Sets one option of the scenario as if its file said so, as in `--set "
		"switches.s1.buffer=8MB`. It may be given many times; quench-scenario(5) has the "
		"options."};
const struct args_option session_out = {.name = "out",
	.value = "DIR",
	.kind = ARGS_TEXT,
	.fill = ARGS_FOLDER,
	ARGS_AT(struct session, out),
	.help = "Writes the results into this folder. Without it they go to runs/NAME-CLOCK-SEED, "
		"or where that is used to .2, .3 and so on, and the link runs/latest points to "
		"the newest."};
const struct args_option session_dilate = {.name = "dilate",
	.value = "N",
	.kind = ARGS_NUMBER,
	.min = 1,
	.max = 1000000,
	ARGS_AT(struct session, dilate),
	.help = "Real clock: makes the time of the nodes run N times slower. The links are in "
		"memory then."};
const struct args_option session_no_huge = {.name = "no-huge",
	ARGS_AT(struct session, no_huge),
	.help = "Real clock: does without hugepages."};
const struct args_option session_instance = {.name = "instance",
	.value = "NAME",
	.kind = ARGS_TEXT,
	ARGS_AT(struct session, instance),
	.help = "Real clock: gives the run this name, by which `quench reg` and `quench iqcn` "
		"find it. Without it the name is the scenario's."};
const struct args_option session_strict = {.name = "strict",
	ARGS_AT(struct session, strict),
	.help = "Ends with exit status 3 where the instrument broke its own timing."};
const struct args_option session_force = {.name = "force",
	ARGS_AT(struct session, force),
	.help = "Takes a folder that is used already."};
const struct args_option session_quiet = {.name = "quiet",
	ARGS_AT(struct session, quiet),
	.help = "Prints no table and no progress."};

void session_ignored(const struct session *s)
{
	const struct {
		bool given;
		const char *option;
	} real[] = {
		{s->dilate, "--dilate"},
		{s->no_huge, "--no-huge"},
		{s->instance, "--instance"},
		{s->eal_argc, "what stands behind --"},
	};

	for (unsigned i = 0; s->clock == CLOCK_VIRTUAL_TIME && i < sizeof(real) / sizeof(real[0]);
		i++)
		if (real[i].given)
			tell("warning: %s counts for nothing on the virtual clock; it is for "
			     "--clock real",
				real[i].option);
}

// Of this process, and kept to its end.
static char *line;

int session_args(struct session *s, int argc, char **argv)
{
	size_t size;
	FILE *f = open_memstream(&line, &size);
	int own = argc;

	s->command = argv[0];
	for (int i = 0; i < argc; i++) {
		if (f)
			fprintf(f, "%s%s", i ? " " : "quench ", argv[i]);
		if (i && own == argc && !strcmp(argv[i], "--"))
			own = i;
	}
	if (f)
		fclose(f);
	s->line = line;
	s->eal_argc = own < argc ? argc - own - 1 : 0;
	s->eal_argv = own < argc ? argv + own + 1 : NULL;
	return own;
}
