// SPDX-License-Identifier: BSD-3-Clause
// Ideal completion times, in closed form.
//
// Without the delays of hops, which all frames have alike, frame i is through hop j at
//
//	D[i][j] = max(D[i-1][j], D[i][j-1]) + w[i][j],   w: its time on the wire.
//
// So D[i][j] is the longest walk through the table w from [0][0] to [i][j] by steps to the next
// frame or hop. The frames between the first and the last are alike, and the first takes longer by
// e[k] on hop k. A walk that leaves the first frame on hop k takes the middle's time of each hop
// once, e of the hops up to k, and i times the slowest hop from k to j. Of all k the best one is
// itself the slowest of its hops: otherwise the walk that stays with the first frame up to the
// slowest hop is no shorter. So the walk takes
//
//	m[0] + .. + m[j] + max over k of (e[0] + .. + e[k] + i m[k]),   m: the middle's time,
//
// which needs one look at each hop. The first hop is the exception: frames leave it by the limiter.
#include "ideal.h"

#include <stdlib.h>
#include <string.h>

#include "base/fixed.h"
#include "base/rate.h"

_Static_assert(offsetof(struct ideal, first_bytes) == 24 && offsetof(struct ideal, ack) == 32,
	"it has no padding");

static tstamp wire_time(const struct ideal *d, uint64_t pace, uint32_t len)
{
	uint32_t bytes = len + d->wire_extra;

	return d->whole_ns ? rate_simulator_time(pace, bytes) : rate_time(pace, bytes);
}

static uint64_t pace_of(const struct ideal *d, const struct scene_port *p)
{
	return d->whole_ns ? p->rate : rate_byte_ps(p->rate);
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

tstamp ideal_travel(const struct scene *s, const struct route *r)
{
	tstamp t = 0;

	for (unsigned i = 0; i < r->n; i++) {
		t += route_port(s, &r->hop[i])->delay + s->node[r->hop[i].node].latency;
		t += i ? crossing(s, &r->hop[i - 1], &r->hop[i]) : 0;
	}
	return t;
}

// The wire time on a hop of a frame that the sender makes with `len` bytes. One that had its CN-TAG
// stripped keeps Ethernet's shortest length.
static tstamp hop_time(const struct ideal *d, const struct ideal_hop *h, uint32_t len)
{
	uint32_t tag = (uint32_t)h->stripped;

	if (tag)
		len = len < PKT_MIN_LEN + tag ? PKT_MIN_LEN : len - tag;
	return wire_time(d, h->pace, len);
}

// Returns the time on the first hop until frame i begins to leave.
static tstamp leaves(const struct ideal *d, uint64_t i)
{
	const struct ideal_hop *h = &d->hop[0];

	if (!i)
		return 0;
	if (d->whole_ns)
		return h->longer + i * h->middle;
	return fixed_mul(d->first_bytes + (i - 1) * d->middle_bytes, h->pace, 20);
}

// The walk of frame i, which is not the last of several, along the hops.
struct walk {
	uint64_t i;
	tstamp more; // e[0] + .. + e[j]
	tstamp wait; // the longest wait so far
	tstamp sum;  // m[0] + .. + m[j]
};

static struct walk walk_begin(const struct ideal *d, uint64_t i)
{
	const struct ideal_hop *h = &d->hop[0];

	return (struct walk){i, h->longer, i ? leaves(d, i) : h->longer, h->middle};
}

// Returns when the frame is through the next hop.
static tstamp walk_on(struct walk *w, const struct ideal_hop *h)
{
	w->more += h->longer;
	w->wait = tstamp_max(w->wait, w->more + w->i * h->middle);
	w->sum += h->middle;
	return w->wait + w->sum;
}

// When frame i, which is not the last of several, is through the last hop.
static tstamp through(const struct ideal *d, uint64_t i)
{
	struct walk w = walk_begin(d, i);
	tstamp t = w.wait + w.sum;

	for (unsigned j = 1; j < d->hops; j++)
		t = walk_on(&w, &d->hop[j]);
	return t;
}

void ideal_init(struct ideal *d, const struct scene *s, const struct scene_flow *f,
	const struct route *there, const struct route *back)
{
	bool read = f->rc->p.verb == RC_READ;
	uint32_t first, middle;

	memset(d, 0, sizeof(*d));
	d->hops = there->n;
	d->mtu = f->rc->p.mtu;
	d->ack_every = read ? 0 : f->rc->ack_every;
	d->frame = nic_frame_of(&f->req);
	d->wire_extra = s->framing.wire_extra;
	d->whole_ns = s->framing.whole_ns;
	first = nic_frame_len(&d->frame, d->mtu, true, nic_frame_own(&d->frame, true, false));
	middle = nic_frame_len(&d->frame, d->mtu, false, 0);
	d->first_bytes = first + d->wire_extra;
	d->middle_bytes = middle + d->wire_extra;
	for (unsigned j = 0; j < there->n; j++) {
		struct ideal_hop *h = &d->hop[j];

		h->pace = pace_of(d, route_port(s, &there->hop[j]));
		h->stripped = route_stripped(s, f, there, j);
		h->middle = hop_time(d, h, middle);
		h->longer = hop_time(d, h, first) - h->middle;
	}
	for (unsigned j = 0; j < back->n; j++) {
		tstamp wire =
			wire_time(d, pace_of(d, route_port(s, &back->hop[j])), route_ack_len(f));

		d->ack += wire;
		d->slowest_ack = tstamp_max(d->slowest_ack, wire);
	}
	d->first_asked = d->ack_every ? through(d, d->ack_every - 1) : 0;
}

// The bytes of `d` that count.
static size_t bytes_of(const struct ideal *d)
{
	return offsetof(struct ideal, hop) + d->hops * sizeof(d->hop[0]);
}

// When the only frame of a message is through the last hop.
static tstamp only_through(const struct ideal *d, uint32_t bytes)
{
	uint32_t own = nic_frame_own(&d->frame, true, true);
	uint32_t len = nic_frame_len(&d->frame, bytes, true, own);
	tstamp t = 0;

	for (unsigned j = 0; j < d->hops; j++)
		t += hop_time(d, &d->hop[j], len);
	return t;
}

// When the last of several frames is through the last hop.
static tstamp last_through(const struct ideal *d, uint64_t frames, uint32_t payload)
{
	uint32_t own = nic_frame_own(&d->frame, false, true);
	uint32_t len = nic_frame_len(&d->frame, payload, false, own);
	struct walk before = walk_begin(d, frames - 2);
	tstamp t = leaves(d, frames - 1) + hop_time(d, &d->hop[0], len);

	for (unsigned j = 1; j < d->hops; j++)
		t = tstamp_max(t, walk_on(&before, &d->hop[j])) + hop_time(d, &d->hop[j], len);
	return t;
}

// When the last ACK is through if it waits for the ACK of an earlier frame that was `through`, and
// for `acks` from that one on, which leave the slowest hop back to back. The time between two
// frames never shrinks with their number, so that the first ACK or one of the last two decides.
static tstamp last_ack(const struct ideal *d, uint64_t frames, tstamp end)
{
	uint64_t acks = d->ack_every ? (frames - 1) / d->ack_every : 0;

	if (!acks)
		return end;
	end = tstamp_max(end, d->first_asked + acks * d->slowest_ack);
	return tstamp_max(end, through(d, acks * d->ack_every - 1) + d->slowest_ack);
}

// Its frames, and the payload of the last one.
static uint64_t frames_of(const struct ideal *d, uint64_t bytes, uint32_t *last)
{
	uint64_t frames = bytes ? (bytes + d->mtu - 1) / d->mtu : 1;

	*last = (uint32_t)(bytes - (frames - 1) * d->mtu);
	return frames;
}

tstamp ideal_leaving(const struct ideal *d, uint64_t bytes)
{
	uint32_t last;
	uint64_t frames = frames_of(d, bytes, &last);
	uint32_t own = nic_frame_own(&d->frame, frames == 1, true);
	uint32_t len = nic_frame_len(&d->frame, last, frames == 1, own);

	return leaves(d, frames - 1) + hop_time(d, &d->hop[0], len);
}

tstamp ideal_arrival(const struct ideal *d, tstamp travel, uint64_t bytes)
{
	uint32_t last;
	uint64_t frames = frames_of(d, bytes, &last);

	return travel + (frames == 1 ? only_through(d, last) : last_through(d, frames, last));
}

tstamp ideal_completion(const struct ideal *d, tstamp travel, uint64_t bytes)
{
	uint32_t last;
	uint64_t frames = frames_of(d, bytes, &last);
	tstamp end;

	if (frames == 1)
		end = only_through(d, last);
	else
		end = last_ack(d, frames, last_through(d, frames, last));
	return end + d->ack + travel;
}

const struct ideal *ideal_share(struct ideals *all, const struct ideal *d)
{
	size_t bytes = bytes_of(d);
	uint32_t hash = index_hash(0, d, bytes), at = hash, i;
	struct ideal **room;

	while ((i = index_next(&all->by_bytes, hash, &at)) != INDEX_NONE)
		if (!memcmp(all->all[i], d, bytes))
			return all->all[i];
	room = realloc(all->all, (all->n + 1ul) * sizeof(*room));
	if (!room)
		return NULL;
	all->all = room;
	room[all->n] = malloc(bytes);
	if (!room[all->n] || index_add(&all->by_bytes, hash, all->n)) {
		free(room[all->n]);
		return NULL;
	}
	memcpy(room[all->n], d, bytes);
	return room[all->n++];
}

void ideals_fini(struct ideals *all)
{
	for (unsigned i = 0; i < all->n; i++)
		free(all->all[i]);
	free(all->all);
	index_fini(&all->by_bytes);
}
