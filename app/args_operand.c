// SPDX-License-Identifier: BSD-3-Clause
// The words of a command line that are no options: as many as the command takes, and a verb that it
// has.
#include <string.h>

#include "args.h"
#include "tell.h"

int args_complain(const struct args_command *c, const char *text)
{
	char title[64];

	tell("%s: %s", args_title(c, title, sizeof(title)), text);
	return ARGS_WRONG;
}

// How many operands may stand behind the options, the verb among them.
static void bounds(const struct args_command *c, const char *verb, unsigned *min, unsigned *max)
{
	const struct args_verb *v = c->verbs;

	*min = *max = 0;
	while (v && v->name && (!verb || strcmp(v->name, verb) != 0))
		v++;
	if (v) {
		*min = *max = v->name ? v->n + 1 : 1;
		return;
	}
	for (const struct args_operand *o = c->operands; o && o->name; o++) {
		*min += !o->optional;
		*max = o->many ? UINT32_MAX : *max + 1;
	}
}

static bool is_verb(const struct args_command *c, const char *word)
{
	for (const struct args_verb *v = c->verbs; v && v->name; v++)
		if (!strcmp(v->name, word))
			return true;
	return !c->verbs;
}

bool args_operands(const struct args_command *c, int argc, char **argv)
{
	unsigned n = (unsigned)argc, min, max;
	struct near near = near_to(n ? argv[0] : "");
	char hint[NEAR_NAME + 32], title[64];
	struct err err;

	bounds(c, n ? argv[0] : NULL, &min, &max);
	if (n && !is_verb(c, argv[0])) {
		for (const struct args_verb *v = c->verbs; v->name; v++)
			near_see(&near, v->name);
		err_set(&err, 0, "%s: '%.200s' is none of them%s", c->wanted, argv[0],
			near_hint(&near, "", hint, sizeof(hint)));
	} else if (n < min) {
		err_set(&err, 0, "%s; `%s --help` tells more", c->wanted,
			args_title(c, title, sizeof(title)));
	} else if (n > max) {
		err_set(&err, 0, "%s: '%.200s' is one word too many", c->wanted, argv[max]);
	} else {
		return true;
	}
	args_complain(c, err.text);
	return false;
}

const struct args_command *args_command(const struct args_command *quench, const char *name)
{
	char hint[NEAR_NAME + 32], all[256] = "";
	struct near near = near_to(name);
	struct err err;
	size_t n = 0;

	for (const struct args_command *const *c = quench->commands; *c; c++) {
		if (!strcmp((*c)->name, name))
			return *c;
		near_see(&near, (*c)->name);
		n += (size_t)snprintf(all + n, sizeof(all) - n, "%s%s",
			n ? ", " : "; the commands are ", (*c)->name);
	}
	err_set(&err, 0, "there is no command '%.200s'%s", name,
		near_hint(&near, all, hint, sizeof(hint)));
	args_complain(quench, err.text);
	return NULL;
}
