// SPDX-License-Identifier: BSD-3-Clause
// The clocks of all parts, also of parts behind neighbours: the reports of neighbours, joined with
// the neighbours' own clocks.
#include <string.h>

#include "transport/meet.h"

static struct meet_part *find_part(struct meet *m, uint32_t nonce)
{
	for (unsigned i = 0; i < m->n_parts; i++)
		if (m->part[i].nonce == nonce)
			return &m->part[i];
	return NULL;
}

// A range of its clock, which holds now.
static void hear_clock(struct meet_part *p, struct meet_range ahead, uint64_t now_ns)
{
	struct meet_range known =
		meet_range_aged(p->ahead, now_ns > p->at_ns ? now_ns - p->at_ns : 0);

	p->broken |= !meet_range_cut(&known, ahead);
	p->ahead = known;
	p->at_ns = now_ns;
}

static void hear_part(
	struct meet *m, const struct hello_part *h, struct meet_range ahead, uint64_t now_ns)
{
	struct meet_part *p = find_part(m, h->nonce);

	if (!p && m->n_parts == MEET_PARTS)
		return;
	if (!p) {
		p = &m->part[m->n_parts++];
		*p = (struct meet_part){.nonce = h->nonce, .ahead = ahead, .at_ns = now_ns};
		memcpy(p->nodes, h->nodes, sizeof(p->nodes));
	} else {
		hear_clock(p, ahead, now_ns);
	}
	if (p->starts_ns && (int32_t)(h->number - p->number) <= 0)
		return;
	p->starts_ns = h->starts_ns;
	p->number = h->number;
}

// The hello was on its way for no longer than the round trip, and its ranges are of told_ns.
void meet_part_heard(
	struct meet *m, unsigned i, const struct hello *h, uint64_t now_ns, uint64_t round_trip_ns)
{
	struct meet_range peer;
	uint64_t age = round_trip_ns;

	if (!meet_clock_at(&m->link[i].clock, now_ns, &peer)) {
		struct meet_part *p = find_part(m, h->nonce);

		if (p)
			p->broken = true;
		return;
	}
	if (h->told_ns < h->sent_ns)
		age += h->sent_ns - h->told_ns;
	for (unsigned k = 0; k < h->parts; k++) {
		const struct hello_part *p = &h->part[k];
		struct meet_range ahead = {p->low_ns, p->high_ns};

		if (!p->nonce || p->nonce == m->p.nonce || p->low_ns > p->high_ns)
			continue;
		if (p->nonce != h->nonce)
			ahead = meet_range_aged(ahead, age);
		hear_part(m, p, meet_range_joined(peer, ahead), now_ns);
	}
}

void meet_part_say(struct meet *m, unsigned i, struct hello *h, uint64_t now_ns)
{
	struct meet_link *l = &m->link[i];

	h->part[0] = (struct hello_part){
		.nonce = m->p.nonce, .number = h->number, .starts_ns = h->starts_ns};
	memcpy(h->part[0].nodes, m->p.nodes, sizeof(m->p.nodes));
	h->parts = 1;
	h->told_ns = now_ns;
	for (unsigned k = 0; k < m->n_parts && h->parts < HELLO_PARTS; k++) {
		const struct meet_part *p = &m->part[l->first_part++ % m->n_parts];
		struct hello_part *to = &h->part[h->parts];
		struct meet_range ahead;

		if (p->nonce == l->nonce || p->broken)
			continue;
		ahead = meet_range_aged(p->ahead, now_ns > p->at_ns ? now_ns - p->at_ns : 0);
		*to = (struct hello_part){.nonce = p->nonce,
			.number = p->number,
			.starts_ns = p->starts_ns,
			.low_ns = ahead.low_ns,
			.high_ns = ahead.high_ns};
		memcpy(to->nodes, p->nodes, sizeof(p->nodes));
		h->parts++;
	}
}

// Turns the difference of two clocks into the difference of the times since their starts. Starts
// are known to one ns.
static bool since_starts(const struct meet *m, uint64_t starts_ns, struct meet_range *ahead)
{
	int64_t later = (int64_t)(starts_ns - m->start_at / PS_PER_NS);

	if (!starts_ns || m->start_at == TSTAMP_NEVER)
		return false;
	*ahead = meet_range_joined(*ahead, (struct meet_range){-later - 1, -later + 1});
	return true;
}

bool meet_link_ahead(const struct meet *m, unsigned i, tstamp now, struct meet_range *ahead)
{
	const struct meet_link *l = &m->link[i];

	return meet_clock_at(&l->clock, now / PS_PER_NS, ahead) &&
	       since_starts(m, l->peer_starts_ns, ahead);
}

// If several entries have the node, the part was started again: the entry that was heard last
// counts.
bool meet_node_ahead(const struct meet *m, unsigned node, tstamp now, struct meet_range *ahead)
{
	const struct meet_part *p = NULL;

	for (unsigned i = 0; node < HELLO_NODES && i < m->n_parts; i++)
		if (m->part[i].nodes[node / 8] >> node % 8 & 1 &&
			(!p || m->part[i].at_ns > p->at_ns))
			p = &m->part[i];
	if (!p || p->broken)
		return false;
	*ahead = meet_range_aged(p->ahead, tstamp_since(now / PS_PER_NS, p->at_ns));
	return since_starts(m, p->starts_ns, ahead);
}
