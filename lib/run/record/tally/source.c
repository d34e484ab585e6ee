// SPDX-License-Identifier: BSD-3-Clause
// Which of the frames sent are on their way, and which are lost: of flows and open-loop sources.
#include "int.h"

static void count_held(void *record, const struct pkt *p)
{
	record_in_flight(record, p);
}

void record_in_flight_begin(struct record *r)
{
	for (unsigned i = 0; i < r->n_flows; i++)
		r->flow[i].in_flight = 0;
	for (unsigned i = 0; i < r->n_sources; i++)
		r->source[i].in_flight = r->source[i].echo_in_flight = 0;
	r->in_flight_known = true;
	net_each_held(r->net, count_held, r);
}

static void flow_in_flight(struct rec_flow *f, const struct pkt *p)
{
	f->in_flight += pkt_hdr_id(p) == f->scene->hdr_data.id;
}

void record_in_flight(struct record *r, const struct pkt *p)
{
	uint32_t id = pkt_hdr_id(p);
	bool ours = pkt_has_payload(p) && id && id <= r->scene->n_hdrs;
	bool roce = ours && p->kind == PKT_DATA && r->hdr[id].kind == EVF_SOURCE;
	uint32_t source = roce ? r->hdr[id].i : p->u.gen.source;
	struct rec_source *s;

	if (ours && r->hdr[id].kind == EVF_FLOW)
		flow_in_flight(&r->flow[r->hdr[id].i], p);
	if ((p->kind != PKT_GEN && !roce) || source >= r->n_sources)
		return;
	s = &r->source[source];
	if (s->scene->echoes && pkt_hdr_id(p) == s->scene->back.id)
		s->echo_in_flight++;
	else
		s->in_flight++;
}

// Whether a path leads through the switch that is judged by our ports alone.
static bool way_has_dut(const struct record *r, const struct route *way)
{
	for (unsigned i = 0; r->scene->dut && i < way->n; i++)
		if (!strcmp(r->scene->node[way->hop[i].node].name, r->scene->dut))
			return true;
	return false;
}

// Returns whether the whole path to a node is in this process, so that the frames on it are known.
static bool way_is_ours(const struct record *r, const struct route *way, unsigned to)
{
	return !way_has_dut(r, way) && way->n &&
	       route_port(r->scene, &way->hop[way->n - 1])->peer_node == (int32_t)to;
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

int64_t record_flow_lost(
	const struct record *r, const struct rec_flow *f, uint64_t sent, uint64_t came)
{
	uint64_t begun = sent + f->in_flight_warm, ended = came + f->in_flight;

	if (!r->in_flight_known || !f->nic || !f->to || !way_is_ours(r, &f->route, f->scene->to))
		return -1;
	return begun > ended ? (int64_t)(begun - ended) : 0;
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
