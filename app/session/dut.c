// SPDX-License-Identifier: BSD-3-Clause
// A switch that is judged as a device (--dut), and its own counters (--counters).
#include "dut.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verdict/verdict.h"

const struct args_option session_dut = {.name = "dut",
	.value = "SWITCH",
	.kind = ARGS_TEXT,
	ARGS_AT(struct session, dut),
	.help = "Judges this switch of the scenario as a device, by the frames at the ports of its "
		"peers. On the real clock it is not built, and each peer needs a device. A "
		"criterion that only the device could judge is NOT JUDGED."};

static int take_counters(void *to, const char *value, struct err *err)
{
	struct session *s = to;
	const char *comma = strchr(value, ',');

	if (!comma || comma == value || !comma[1])
		return err_set(err, -EINVAL,
			"--counters '%s': two files, as in --counters before.json,after.json",
			value);
	free(s->counters[0]);
	free(s->counters[1]);
	s->counters[0] = strndup(value, (size_t)(comma - value));
	s->counters[1] = strdup(comma + 1);
	return s->counters[0] && s->counters[1] ? 0 : err_set(err, -ENOMEM, "no memory");
}

const struct args_option session_counters = {.name = "counters",
	.value = "BEFORE,AFTER",
	.kind = ARGS_CALL,
	.fill = ARGS_FILE,
	.take = take_counters,
	.help = "With --dut: files with the device's own counters in SONiC's names, as JSON. They "
		"judge criteria on figures that only the device counts. AFTER is read once the "
		"run has ended, and may be a pipe."};

void dut_free(struct session *s)
{
	for (unsigned i = 0; i < 2; i++) {
		free(s->counters[i]);
		s->counters[i] = NULL;
	}
}

bool dut_check(const struct session *s)
{
	struct err err;

	if (!s->counters[0])
		return true;
	if (!s->dut)
		err_set(&err, -EINVAL,
			"quench %s: --counters is of the device that --dut names; add --dut",
			s->command);
	else if (!verdict_counters_check(s->counters[0], &err))
		return true;
	tell("%s", err.text);
	return false;
}

void dut_tell(const struct scene *s)
{
	for (unsigned i = 0; i < s->n_expects; i++) {
		const struct scene_expect *x = &s->expect[i];
		const char *why = verdict_unseen(s, i);

		if (why)
			tell("warning: %s: %s will not be judged: %s", x->at, x->figure, why);
	}
}
