// SPDX-License-Identifier: BSD-3-Clause
// The number of packets that a scene can have at once, for which a driver needs memory.
#include "int.h"

#define SHORTEST 60    // of anything: PFC, CNP, ACK, without FCS
#define SLACK    4096  // control frames, bursts, frames in a driver's hands
#define PORT_CTL 64    // control frames waiting at a port
#define FOREIGN  65536 // real ports: their rings
#define MADE     16384 // CNMs and CNPs of a switch, or frames of a fault; counted without room

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

// Frames of `len` that fit on the wire of a link, both directions; one more at each end.
static uint64_t on_link(const struct scene_port *p, const struct eport_framing *f, uint32_t len)
{
	tstamp wire = rate_time(rate_byte_ps(p->rate), len + f->wire_extra);

	return 2 * (p->delay / (wire ? wire : 1) + 2);
}

// Returns how many frames can arrive at a port after its own loop and its peer's were late. All
// classes together bring at most the bytes of the wire, or the bytes that a device's ring keeps,
// and the bytes that arrive while two devices send the frames that they have taken.
static uint64_t of_late_loops(const struct scene_port *p, uint32_t len)
{
	uint64_t frames = p->late_bytes / (len + PKT_FCS);
	uint64_t sent = scene_tx_held(p->rate, p->mtu) / (len + PKT_WIRE);

	return p->device ? min_u64(frames, 2 * (SCENE_RING + sent)) : frames;
}

// Room for frames of `len` and up: switch buffers and receive buffers full of the shortest, wires
// full.
static uint64_t room_for(const struct scene *s, uint32_t len)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < s->n_nodes; i++) {
		const struct scene_node *n = &s->node[i];
		uint64_t buffer = n->kind == SCENE_SW    ? n->u.sw.buffer_bytes
				  : n->kind == SCENE_NIC ? n->u.nic.rxbuf.size_bytes
							 : 0;

		sum += (buffer - n->late_bytes) / (len + PKT_FCS);
		// Each link is seen from both of its ends: half of both is all.
		for (unsigned p = 0; p < n->n_ports; p++)
			sum += on_link(&n->port[p], &s->framing, len) / 2 +
			       n->latency /
				       rate_time(rate_byte_ps(n->port[p].rate), len + PKT_WIRE) +
			       (n->late_bytes ? of_late_loops(&n->port[p], len) : 0);
	}
	return sum;
}

// Returns whether a switch makes frames besides PFC (CNPs or CNMs).
static bool makes_frames(const struct scene_node *n)
{
	bool makes = n->kind == SCENE_SW && (n->u.sw.iqcn_on || n->u.sw.fast_cnp_on);

	for (unsigned c = 0; n->kind == SCENE_SW && c < PKT_CLASSES; c++)
		makes |= n->u.sw.set->cls[c].qcn.on;
	return makes;
}

// Returns whether each data frame may cause a CNP in addition to an ACK.
static bool cnp_each(const struct scene *s, const struct scene_flow *f)
{
	const struct nic_params *p = &s->node[f->to].u.nic;

	return s->node[f->to].kind == SCENE_NIC && !p->np_off && !p->cnflag &&
	       (p->np.mode == NP_PER_PACKET || !p->np.interval_ps);
}

// Data packets are bounded by the windows of their queue pairs and by the room that the network has
// for the shortest of them; ACKs by the data that they answer; the rest by slack.
int compile_bounds(struct draft *b)
{
	struct scene *s = b->s;
	uint64_t windows = 0, acks = 0, ports = 0, made = 0, held = 0;
	uint32_t shortest = b->shortest == UINT32_MAX ? SHORTEST : b->shortest;
	bool foreign = s->needs_bytes;

	for (unsigned i = 0; i < s->n_flows; i++) {
		const struct rc_cfg *rc = s->flow[i]->rc;
		uint64_t window = rc->p.window;

		if (rc->p.verb == RC_READ) { // a message may be longer, and requests are sent again
			uint32_t packets = rc_packets(rc, s->flow[i]->req.message_bytes);

			window = window > packets ? window : packets;
			acks += 4 * RC_READS;
		}
		windows += 2 * window; // repeated frames may still be on their way
		acks += s->hpcc_sim || rc->repairs ? window : window / rc->p.ack_every + 2;
		if (cnp_each(s, s->flow[i]))
			acks += window;
	}
	for (unsigned i = 0; i < s->n_nodes; i++) {
		ports += s->node[i].n_ports;
		made += makes_frames(&s->node[i]) ? MADE : 0;
		made += s->node[i].kind == SCENE_NIC && s->node[i].u.nic.echoes ? NIC_ECHOES : 0;
		foreign |= s->node[i].kind == SCENE_REPLAY || s->node[i].kind == SCENE_TESTER;
	}

	for (unsigned i = 0; i < s->n_faults; i++) {
		const struct fault_record *r = &s->fault[i]->record;

		held += s->fault[i]->held;
		made += r->action == FAULT_FORGE || r->action == FAULT_DUPLICATE ? MADE : 0;
	}

	uint64_t data = room_for(s, foreign ? SHORTEST : shortest);

	if (!s->n_sources && !foreign)
		data = min_u64(data, windows);
	s->max_packets = data + min_u64(acks, room_for(s, SHORTEST)) + 4ull * s->n_flows +
			 PORT_CTL * ports + made + held + SLACK + (foreign ? FOREIGN : 0);
	s->max_long = room_for(s, SCENE_SHORT + 1) + SLACK;
	s->needs_bytes |= b->bytes_change;
	return 0;
}
