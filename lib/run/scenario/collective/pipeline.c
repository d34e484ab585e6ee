// SPDX-License-Identifier: BSD-3-Clause
// A pipeline of stages: the order in which a stage works on micro-batches, and its messages.
#include "int.h"

struct stage {
	struct emit *e;
	const struct pattern_params *p;
	uint32_t last; // CALC
};

// A micro-batch goes through the stage: forward from the stage before to the next one, backward the
// other way.
static void pass(struct stage *s, uint32_t micro, bool backward)
{
	struct emit *e = s->e;
	uint32_t end = e->ranks - 1, tag = backward ? s->p->micro + micro : micro;
	uint32_t from = backward ? e->rank + 1 : e->rank - 1;
	uint32_t to = backward ? e->rank - 1 : e->rank + 1;
	uint32_t in = GRAPH_NONE;

	if (backward ? e->rank < end : e->rank > 0)
		in = emit_bytes(e, GRAPH_RECV, from, tag, s->p->bytes, GRAPH_NONE);
	s->last = emit_calc(e, 0, backward ? s->p->backward : s->p->forward, s->last);
	emit_edge(e, in, s->last);
	if (backward ? e->rank > 0 : e->rank < end)
		emit_bytes(e, GRAPH_SEND, to, tag, s->p->bytes, s->last);
}

void pipeline_rank(struct emit *e, const struct pattern_params *p)
{
	struct stage s = {e, p, GRAPH_NONE};
	uint32_t ahead = e->ranks - 1 - e->rank, next = 0;

	if (p->kind == PATTERN_GPIPE || ahead > p->micro)
		ahead = p->micro;
	while (next < ahead)
		pass(&s, next++, false);
	for (uint32_t i = 0; i < p->micro; i++) {
		if (next < p->micro)
			pass(&s, next++, false);
		pass(&s, i, true);
	}
}
