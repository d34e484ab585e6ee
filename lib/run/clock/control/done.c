// SPDX-License-Identifier: BSD-3-Clause
// The actions that changed a run, in order: events that a later run may repeat, and marks in its
// record.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define MARK_MOST 80 // characters, as a scenario's mark has at most

// Makes one line of a text that fits into events.csv: items of a list follow each other, and there
// are no quotes and commas. `to` has twice the room.
static void plain(char *to, const char *from)
{
	for (bool begins = true; *from; from++) {
		if (begins && !strncmp(from, "- ", 2) && from[2])
			from += 2;
		begins = *from == '\n';
		if (*from == ',' || (begins && from[1]))
			*to++ = ';';
		if (begins && from[1])
			*to++ = ' ';
		if (*from >= ' ' && *from != ',' && *from <= '~' && *from != '"')
			*to++ = *from;
	}
	*to = '\0';
}

int control_mark(struct control *c, struct rt_order_cmd *to, const char *verb, const char *text,
	const struct control_peer *by)
{
	char line[MARK_MOST + 1], who[40], *said = malloc(2 * strlen(text) + 1);
	int room;

	if (!said)
		return -ENOMEM;
	plain(said, text);
	snprintf(who, sizeof(who), "(pid %d of user %u)", (int)by->pid, (unsigned)by->uid);
	room = MARK_MOST - (int)(strlen(verb) + strlen(who)) - 2;
	if ((int)strlen(said) > room)
		strcpy(said + room - 3, "...");
	snprintf(line, sizeof(line), "%s %s %s", verb, said, who);
	free(said);
	*to = (struct rt_order_cmd){
		.ctl = {.type = CTL_USER_MARK, .id = record_mark(c->run.record, line)}};
	return 0;
}

int control_keep(struct control *c, tstamp at, const char *action, const struct control_peer *by)
{
	struct record_done *more = c->done;
	char *text = action ? strdup(action) : NULL;

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
	for (unsigned i = 0; i < c->n_kept; i++)
		scene_free(c->kept[i]);
	free(c->kept);
	free(c);
}
