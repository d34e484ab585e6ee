// SPDX-License-Identifier: BSD-3-Clause
// The messages of a scene whose instants are known before the run: of its loads, and of queue pairs
// that send one.
#include <errno.h>
#include <stdlib.h>

#include "base/wheel.h"
#include "scene.h"

// Of stream i of scene.load, by time; behind the streams, each queue pair that sends one message.
struct scene_messages {
	const struct scene *s;
	struct wheel by_time;
	struct arrivals *a;
	uint16_t **host; // of each stream: the nodes that its numbers mean
};

void scene_messages_free(struct scene_messages *m)
{
	if (!m)
		return;
	for (unsigned i = 0; m->host && i < m->s->n_loads; i++)
		free(m->host[i]);
	free(m->host);
	free(m->a);
	wheel_fini(&m->by_time);
	free(m);
}

static bool is_known(const struct scene_load *l)
{
	return l->n_pairs && !l->stopped && l->arrivals.kind != ARRIVALS_CLOSED;
}

// The nodes of a stream's numbers, from its pairs: others get no message.
static uint16_t *hosts_of(const struct scene *s, const struct scene_load *l)
{
	uint32_t most = 0;
	uint16_t *host;

	for (unsigned i = 0; i < l->n_pairs; i++) {
		most = l->pair[i].from > most ? l->pair[i].from : most;
		most = l->pair[i].to > most ? l->pair[i].to : most;
	}
	host = calloc(most + 1ul, sizeof(*host));
	for (unsigned i = 0; host && i < l->n_pairs; i++) {
		const struct scene_flow *f = s->flow[l->first + i * l->each];

		host[l->pair[i].from] = (uint16_t)scene_host_of(s, f->from);
		host[l->pair[i].to] = (uint16_t)scene_host_of(s, f->to);
	}
	return host;
}

int scene_messages(struct scene_messages **out, const struct scene *s)
{
	struct scene_messages *m = calloc(1, sizeof(*m));
	int rc = m ? wheel_init(&m->by_time, s->n_loads + s->n_flows + 1) : -ENOMEM;

	if (rc) {
		free(m);
		return rc;
	}
	m->s = s;
	m->a = calloc(s->n_loads + 1ul, sizeof(*m->a));
	m->host = calloc(s->n_loads + 1ul, sizeof(uint16_t *));
	for (unsigned i = 0; m->a && m->host && !rc && i < s->n_loads; i++) {
		if (!is_known(s->load[i]))
			continue;
		m->host[i] = hosts_of(s, s->load[i]);
		rc = m->host[i] ? arrivals_init(&m->a[i], &s->load[i]->arrivals) : -ENOMEM;
		wheel_set(&m->by_time, i, arrivals_at(&m->a[i]));
	}
	if (rc || !m->a || !m->host) {
		scene_messages_free(m);
		return rc ? rc : -ENOMEM;
	}
	for (unsigned i = 0; i < s->n_flows; i++)
		if (s->flow[i]->req.count == 1 && s->flow[i]->req.start < s->duration)
			wheel_set(&m->by_time, s->n_loads + i, s->flow[i]->req.start);
	*out = m;
	return 0;
}

bool scene_message(struct scene_messages *m, struct scene_message *to)
{
	uint32_t i = wheel_first_id(&m->by_time);
	const struct scene *s = m->s;
	struct arrival a;

	if (wheel_first(&m->by_time) == TSTAMP_NEVER)
		return false;
	if (i >= s->n_loads) {
		const struct scene_flow *f = s->flow[i - s->n_loads];

		*to = (struct scene_message){.at = f->req.start,
			.bytes = f->req.message_bytes,
			.from = (uint16_t)scene_host_of(s, f->from),
			.to = (uint16_t)scene_host_of(s, f->to),
			.cls = f->cls,
			.dport = f->told_dport ? f->told_dport : f->hdr_data.dport};
		wheel_set(&m->by_time, i, TSTAMP_NEVER);
		return true;
	}
	arrivals_next(&m->a[i], &a);
	wheel_set(&m->by_time, i, arrivals_at(&m->a[i]));
	*to = (struct scene_message){.at = a.at,
		.bytes = a.bytes,
		.from = m->host[i][a.from],
		.to = m->host[i][a.to],
		.cls = s->flow[s->load[i]->first]->cls,
		.dport = s->flow[s->load[i]->first]->hdr_data.dport};
	return true;
}

double scene_load_messages(const struct scene_load *l, tstamp until)
{
	const struct arrivals_cfg *c = &l->arrivals;
	tstamp stop = tstamp_min(c->stop, until);
	double span = stop > c->start ? (double)(stop - c->start) : 0;
	double mean = (double)dist_mean_q20(c->sizes) / (1 << 20);

	switch (c->kind) {
	case ARRIVALS_ON_OFF:
		return span / (mean * (double)c->ps_per_byte / (1 << 20)) * (double)c->on /
		       (double)(c->on + c->off);
	case ARRIVALS_CLOSED:
		return c->depth;
	default:
		return span / ((double)c->gap_q16 / 65536) *
		       (c->to == ARRIVALS_INCAST ? c->fan : 1);
	}
}
