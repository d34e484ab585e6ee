// SPDX-License-Identifier: BSD-3-Clause
// Lines of fct.txt beside the events that they are of, and lanes for messages that overlap.
#include "messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lane {
	tstamp end; // of its last message, ns
	uint32_t sequence;
	struct lane *next;
};

struct messages {
	const struct saved_table *fct; // NULL: there is none
	int size, start, took, alone;  // its columns
	unsigned at;                   // row of the next message
	struct lane **lane;            // by flow
	unsigned flows;
	struct arena arena;
};

struct messages *messages_new(struct saved *s)
{
	struct messages *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->fct = saved_table(s, "fct.txt");
	if (!m->fct)
		return m;
	m->size = saved_column(m->fct, "size");
	m->start = saved_column(m->fct, "start");
	m->took = saved_column(m->fct, "fct");
	m->alone = saved_column(m->fct, "standalone_fct");
	if (m->size < 0 || m->start < 0 || m->took < 0 || m->alone < 0)
		m->fct = NULL;
	return m;
}

void messages_free(struct messages *m)
{
	if (!m)
		return;
	arena_free(&m->arena);
	free(m->lane);
	free(m);
}

static uint64_t number_cell(const struct messages *m, unsigned row, int column)
{
	return strtoull(m->fct->cell[row * m->fct->columns + (unsigned)column], NULL, 10);
}

// Rows stand in the order of the events. The event has the end and the size of its message to the
// ns. A row that does not fit belongs to another event, which has no line.
bool messages_next(struct messages *m, const struct saved_ev *ev, struct message *got)
{
	uint64_t end = ev->t / PS_PER_NS;

	for (unsigned row = m->at; m->fct && row < m->fct->rows; row++) {
		uint64_t start = number_cell(m, row, m->start), took = number_cell(m, row, m->took);
		uint64_t alone = number_cell(m, row, m->alone), done = start + took;

		if (done > end + 1)
			return false;
		if (done + 1 < end || number_cell(m, row, m->size) != ev->bytes)
			continue;
		m->at = row + 1;
		got->begin = start < end ? start * PS_PER_NS : ev->t;
		got->slowdown = alone ? (double)took / (double)alone : NAN;
		return true;
	}
	return false;
}

static struct lane **lanes(struct messages *m, int flow)
{
	if ((unsigned)flow >= m->flows) {
		unsigned n = 2 * ((unsigned)flow + 1);
		struct lane **more = realloc(m->lane, n * sizeof(struct lane *));

		if (!more)
			return NULL;
		memset(more + m->flows, 0, (n - m->flows) * sizeof(struct lane *));
		m->lane = more;
		m->flows = n;
	}
	return &m->lane[flow];
}

uint32_t messages_sequence(
	struct messages *m, struct tracks *t, int flow, const struct message *got, tstamp end)
{
	struct lane **at = lanes(m, flow);
	bool first = true;

	if (!at)
		return 0;
	for (; *at && (*at)->end > got->begin / PS_PER_NS; at = &(*at)->next)
		first = false;
	if (!*at) {
		*at = arena_get(&m->arena, sizeof(struct lane));
		if (!*at)
			return 0;
		(*at)->sequence = first ? tracks_alone(t, flow, FLOW_MESSAGES)
					: tracks_more_messages(t, flow);
	}
	(*at)->end = end / PS_PER_NS;
	return (*at)->sequence;
}
