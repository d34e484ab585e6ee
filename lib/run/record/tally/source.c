// SPDX-License-Identifier: BSD-3-Clause
// Open-loop sources: which of the frames sent are on their way, and which are lost.
#include "int.h"

static void count_held(void *record, const struct pkt *p)
{
	record_in_flight(record, p);
}

void record_in_flight_begin(struct record *r)
{
	for (unsigned i = 0; i < r->n_sources; i++)
		r->source[i].in_flight = r->source[i].echo_in_flight = 0;
	r->in_flight_known = true;
	net_each_held(r->net, count_held, r);
}

void record_in_flight(struct record *r, const struct pkt *p)
{
	uint32_t id = pkt_hdr_id(p);
	bool roce = p->kind == PKT_DATA && id && id <= r->scene->n_hdrs &&
		    r->hdr[id].kind == EVF_SOURCE;
	uint32_t source = roce ? r->hdr[id].i : p->u.gen.source;
	struct rec_source *s;

	if ((p->kind != PKT_GEN && !roce) || source >= r->n_sources)
		return;
	s = &r->source[source];
	if (s->scene->echoes && pkt_hdr_id(p) == s->scene->back.id)
		s->echo_in_flight++;
	else
		s->in_flight++;
}

// Returns whether the whole path to a node is in this process, so that the frames on it are known.
static bool way_is_ours(const struct record *r, const struct route *way, unsigned to)
{
	return way->n && route_port(r->scene, &way->hop[way->n - 1])->peer_node == (int32_t)to;
}

// Returns the number of lost frames: they were sent, have not arrived, and are in no queue and on
// no link. Gaps in the sequence alone do not show a loss of the last frames. If the frames on their
// way are not known, all frames after the last one that arrived count as on their way.
static uint64_t gone(uint64_t sent, uint64_t came, uint64_t gaps, bool known, uint64_t *in_flight)
{
	uint64_t missing = sent > came ? sent - came : 0;

	if (!known)
		*in_flight = missing > gaps ? missing - gaps : 0;
	if (*in_flight > missing)
		*in_flight = missing;
	return missing - *in_flight;
}

void record_source_bound(struct record *r, unsigned i, tstamp bound)
{
	r->source[i].latency_bound = bound;
}

uint64_t record_source_lost(const struct record *r, const struct rec_source *s, uint64_t *in_flight)
{
	const struct scene_source *src = s->scene;
	bool known = r->in_flight_known && way_is_ours(r, &s->route, src->to);

	*in_flight = 0;
	if (!s->gen || !s->counted)
		return s->rx->lost;
	*in_flight = s->in_flight;
	return gone(s->gen->tx_frames, s->rx->rx_frames, s->rx->lost, known, in_flight);
}

uint64_t record_echo_lost(const struct record *r, const struct rec_source *s, uint64_t *in_flight)
{
	const struct scene_source *src = s->scene;
	bool known = r->in_flight_known && way_is_ours(r, &s->route, src->to) &&
		     way_is_ours(r, &s->back, src->from);

	*in_flight = s->in_flight + s->echo_in_flight;
	return gone(
		s->gen->tx_frames, s->trips->echo_rx_frames, s->trips->echo_lost, known, in_flight);
}
