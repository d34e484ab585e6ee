// SPDX-License-Identifier: BSD-3-Clause
// Ideal completion times, in closed form.
//
// Without the delays of hops, which all frames have alike, frame i is through hop j at
//
//	D[i][j] = max(D[i-1][j], D[i][j-1]) + w[i][j],   w: its time on the wire.
//
// So D[i][j] is the longest walk through the table w from [0][0] to [i][j] by steps to the next
// frame or hop. The frames between the first and the last are alike: a walk that meets them on hops
// k to j takes the wire time of each of these hops once, and the longest of these for each further
// frame. This leaves the hop on which the walk leaves the first frame to be tried.
#include "ideal.h"

#include "base/fixed.h"
#include "base/rate.h"

// A message on its way. Wire times are in ps, by hop.
struct pipe {
	unsigned hops;
	uint64_t frames;
	tstamp first[ROUTE_HOPS], middle[ROUTE_HOPS], last[ROUTE_HOPS];
	// The gap of the sender's limiter, which runs at the rate of its link and keeps fractions
	// of a ps. The serializer drops them, so the limiter decides when frames leave. 0: it keeps
	// none.
	byte_ps gap_ps;
	uint32_t gap_first, gap_middle; // bytes, where gap_ps
};

static tstamp wire_time(const struct scene *s, const struct route_hop *h, uint32_t len)
{
	rate_t rate = route_port(s, h)->rate;
	uint32_t bytes = len + s->framing.wire_extra;

	if (s->framing.whole_ns)
		return rate_simulator_time(rate, bytes);
	return rate_time(rate_byte_ps(rate), bytes);
}

// A switch that is cut needs time for a frame that leaves by the port of another shard.
static tstamp crossing(
	const struct scene *s, const struct route_hop *before, const struct route_hop *hop)
{
	const struct sw_params *sw = &s->node[hop->node].u.sw;

	if (s->node[hop->node].kind != SCENE_SW || sw->shards < 2)
		return 0;
	return route_port(s, before)->peer_port % sw->shards == hop->port % sw->shards ? 0
										       : sw->hop_ps;
}

// Delays of links and latencies of nodes.
static tstamp travel(const struct scene *s, const struct route *r)
{
	tstamp t = 0;

	for (unsigned i = 0; i < r->n; i++) {
		t += route_port(s, &r->hop[i])->delay + s->node[r->hop[i].node].latency;
		t += i ? crossing(s, &r->hop[i - 1], &r->hop[i]) : 0;
	}
	return t;
}

// A frame that had its CN-TAG stripped keeps Ethernet's shortest length.
static uint32_t stripped(uint32_t len, unsigned tag)
{
	if (!tag)
		return len;
	return len < PKT_MIN_LEN + tag ? PKT_MIN_LEN : len - tag;
}

static void pipe_init(struct pipe *p, const struct scene *s, const struct scene_flow *f,
	const struct route *r, uint64_t bytes)
{
	struct nic_frame frame = nic_frame_of(&f->req);
	uint32_t mtu = f->rc->p.mtu, payload[2], len[3];

	*p = (struct pipe){.hops = r->n, .frames = rc_packets(f->rc, (uint32_t)bytes)};
	payload[0] = p->frames > 1 ? mtu : (uint32_t)bytes;
	payload[1] = (uint32_t)(bytes - (p->frames - 1) * mtu);
	len[0] = nic_frame_len(
		&frame, payload[0], true, nic_frame_own(&frame, true, p->frames == 1));
	len[1] = nic_frame_len(&frame, mtu, false, 0);
	len[2] = nic_frame_len(&frame, payload[1], false, nic_frame_own(&frame, false, true));
	p->gap_ps = s->framing.whole_ns ? 0 : rate_byte_ps(route_port(s, &r->hop[0])->rate);
	p->gap_first = len[0] + s->framing.wire_extra;
	p->gap_middle = len[1] + s->framing.wire_extra;
	for (unsigned j = 0; j < r->n; j++) {
		unsigned tag = route_stripped(s, f, r, j);

		p->first[j] = wire_time(s, &r->hop[j], stripped(len[0], tag));
		p->middle[j] = wire_time(s, &r->hop[j], stripped(len[1], tag));
		p->last[j] = wire_time(s, &r->hop[j], stripped(len[2], tag));
	}
}

// When frame i begins to leave.
static tstamp leaves(const struct pipe *p, uint64_t i)
{
	if (!i)
		return 0;
	if (!p->gap_ps)
		return p->first[0] + (i - 1) * p->middle[0];
	return fixed_mul(p->gap_first + (i - 1) * p->gap_middle, p->gap_ps, 20);
}

// When frame i, which is not the last of several, is through hop j.
static tstamp through(const struct pipe *p, uint64_t i, unsigned j)
{
	tstamp head = 0, sum = 0, most = 0, t;

	for (unsigned k = 0; k <= j; k++)
		head += p->first[k];
	if (!i)
		return head;
	t = 0;
	for (unsigned k = j; k; k--) {
		sum += p->middle[k];
		most = tstamp_max(most, p->middle[k]);
		t = tstamp_max(t, head + sum + (i - 1) * most);
		head -= p->first[k];
	}
	// A walk that leaves the first hop with a frame between is shorter than this one if that
	// hop is the slowest, and else shorter than the walk that stays with the first frame up to
	// the slowest hop: no frame is longer than the first.
	return tstamp_max(t, leaves(p, i) + p->middle[0] + sum);
}

static tstamp last_through(const struct pipe *p)
{
	tstamp t;

	if (p->frames == 1)
		return through(p, 0, p->hops - 1);
	t = leaves(p, p->frames - 1) + p->last[0];
	for (unsigned j = 1; j < p->hops; j++)
		t = tstamp_max(t, through(p, p->frames - 2, j)) + p->last[j];
	return t;
}

// When the last ACK is through if it waits for the ACK of frame `number`, counted from 1, and for
// all ACKs between, which leave the slowest hop back to back. The time between two frames never
// shrinks with their number, so that the first ACK or one of the last two decides.
static tstamp acked(const struct pipe *p, uint32_t every, uint64_t number, tstamp slowest)
{
	uint64_t acks = (p->frames - 1) / every;

	if (!number || number >= p->frames)
		return 0;
	return through(p, number - 1, p->hops - 1) + (acks + 1 - number / every) * slowest;
}

tstamp ideal_completion(const struct scene *s, const struct scene_flow *f,
	const struct route *there, const struct route *back, uint64_t bytes)
{
	uint32_t every = f->rc->ack_every;
	tstamp ack = 0, slowest = 0, end;
	struct pipe p;

	if (!there->n || !back->n)
		return 0;
	pipe_init(&p, s, f, there, bytes);
	for (unsigned i = 0; i < back->n; i++) {
		tstamp wire = wire_time(s, &back->hop[i], route_ack_len(f));

		ack += wire;
		slowest = tstamp_max(slowest, wire);
	}
	end = last_through(&p);
	if (f->rc->p.verb != RC_READ) {
		end = tstamp_max(end, acked(&p, every, every, slowest));
		end = tstamp_max(end, acked(&p, every, (p.frames - 1) / every * every, slowest));
	}
	return end + ack + travel(s, there) + travel(s, back);
}
