// SPDX-License-Identifier: BSD-3-Clause
// The words of a command line that run, replay and sweep share.
#include "session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"

static int bad(const struct session *s, const char *what, const char *value, const char *right)
{
	fprintf(stderr, "quench %s: %s '%s': %s\n", s->command, what, value, right);
	return -EINVAL;
}

static int option_clock(struct session *s, const char *v)
{
	static const char *const name[] = {"virtual", "real", "both"};

	for (unsigned i = 0; i < 3; i++)
		if (!strcmp(v, name[i])) {
			s->clock = (enum session_clock)i;
			return 0;
		}
	return bad(s, "--clock", v, "virtual, real or both");
}

static int option_set(struct session *s, const char *v)
{
	char *copy = strdup(v), *eq = copy ? strchr(copy, '=') : NULL;

	if (!eq || eq == copy) {
		free(copy);
		return bad(s, "--set", v, "path=value, as in --set switches.s1.buffer=8MB");
	}
	if (s->n_set == SESSION_SETS)
		return bad(s, "--set", v, "at most 64 of them");
	*eq = 0;
	s->set[s->n_set++] = (struct scene_set){.path = copy, .value = eq + 1};
	return 0;
}

static int option_number(struct session *s, int opt, const char *v)
{
	char *end;
	unsigned long long n;

	errno = 0;
	n = strtoull(v, &end, 10);
	if (*v < '0' || *v > '9' || *end || errno)
		return bad(s, opt == 's' ? "--seed" : "--dilate", v, "a whole number");
	if (opt == 's') {
		s->seed = n;
		s->has_seed = true;
	} else if (n < 1 || n > 1000000) {
		return bad(s, "--dilate", v, "1..1000000");
	} else {
		s->dilate = (unsigned)n;
	}
	return 0;
}

static int option_duration(struct session *s, const char *v)
{
	if (units_parse(UNITS_TIME, v, &s->duration) || !s->duration)
		return bad(s, "--duration", v, "a time above zero, as in 20ms or 2s");
	s->has_duration = true;
	return 0;
}

int session_option(struct session *s, int opt, const char *value)
{
	switch (opt) {
	case 'c':
		return option_clock(s, value);
	case 'd':
		return option_duration(s, value);
	case 's':
	case 'D':
		return option_number(s, opt, value);
	case 'S':
		return option_set(s, value);
	case 'o':
		s->out = value;
		return 0;
	case 'q':
		return s->quiet = true, 0;
	case 'f':
		return s->force = true, 0;
	case 'x':
		return s->strict = true, 0;
	case 'H':
		return s->no_huge = true, 0;
	case 'i':
		s->instance = value;
		return 0;
	}
	fprintf(stderr,
		"quench %s: unknown option, or a value is missing: '%s'; `quench %s --help` lists them\n",
		s->command, value, s->command);
	return -EINVAL;
}

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
			fprintf(stderr,
				"warning: %s counts for nothing on the virtual clock; it is for --clock real\n",
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
