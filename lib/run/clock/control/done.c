// SPDX-License-Identifier: BSD-3-Clause
// What was done to a run, in order: events that a later run may repeat.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "int.h"

int control_keep(struct control *c, tstamp at, const json_t *action, const struct control_peer *by)
{
	struct record_done *more = c->done;
	char *text = json_dumps(action, 0);

	if (!(c->n_done & (c->n_done - 1)))
		more = realloc(c->done, (c->n_done ? 2 * c->n_done : 1) * sizeof(*more));
	if (more)
		c->done = more;
	if (!text || !more) {
		free(text);
		return -ENOMEM;
	}
	c->done[c->n_done] = (struct record_done){.at = at, .action = text};
	snprintf(c->done[c->n_done].by, sizeof(c->done->by), "pid %d of user %u", (int)by->pid,
		(unsigned)by->uid);
	c->n_done++;
	return 0;
}

const struct record_done *control_done(const struct control *c, unsigned *n)
{
	*n = c ? c->n_done : 0;
	return c ? c->done : NULL;
}

void control_free(struct control *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < c->n_done; i++)
		free(c->done[i].action);
	free(c->done);
	free(c);
}
