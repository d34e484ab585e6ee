// SPDX-License-Identifier: BSD-3-Clause
// Functions and structs that the files of room qp share, and no other room sees.
#pragma once

#include "qp.h"
#include "transport/cm_table.h"
#include "transport/neigh.h"

#pragma GCC visibility push(hidden)

#define NIC_NEIGHBOURS 256 // that a NIC remembers, at least

// Connections of all peers, by RDMA-CM.
struct nic_connector {
	unsigned places, room; // of connections, and how many there is memory for
	tstamp at;             // no timer of a connection is due sooner
	struct cm_cfg cfg;
	struct cm_table table;
	struct cm *cm;
	struct nic_peer **of; // by place in the table: the connection's peer
	struct prng rng;
	uint32_t mad_psn;
};

struct nic_peers {
	struct nic_peer **peer; // of all queue pairs that have one
	unsigned n;
	bool begun;
	unsigned unresolved; // that wait for a hardware address
	struct nic_connector connector;
};

// slab.c
// One more object. It begins a cache line if `size` is a multiple of a line; NULL: memory is out.
void *nic_slab_get(struct nic_slab *s);
void nic_slab_unget(struct nic_slab *s);                 // takes the last one back
void *nic_slab_at(const struct nic_slab *s, uint32_t i); // one that was given, from 0 on

// A place of a queue pair: its lines, and the part that it needs once it is used. Both are zeroed.
struct nic_place {
	struct nic_qp *qp;
	void *use;
};

static inline struct nic_slab *nic_place_lines(struct nic *nic, bool requester)
{
	return requester ? &nic->req : &nic->rsp;
}

static inline struct nic_slab *nic_place_uses(struct nic *nic, bool requester)
{
	return requester ? &nic->req_use : &nic->rsp_use;
}

// place.c
struct nic_place nic_place_next(struct nic *nic, bool requester); // that nobody has had
void nic_place_return(struct nic *nic, bool requester);           // the last of these
// The place of a queue pair that is at rest, which has none then; or one that nobody has had.
struct nic_place nic_place_lend(struct nic *nic, bool requester);
// Whether a requester without a place may have one. If not, *at becomes the earliest instant at
// which a gap ends that keeps a place from being lent, if that is before *at.
bool nic_place_is_free(struct nic *nic, tstamp *at);

// wait.c
// A requester without a place is due to start. True: it has to wait.
bool nic_wait_start(struct nic *nic, unsigned i, tstamp now);
// Whether a requester that has a place posts nothing now, because others wait for one.
bool nic_wait_holds(const struct nic *nic, const struct nic_qp *qp);
// A message has come for a requester without a place. True: it has to wait.
bool nic_wait_message(struct nic *nic, unsigned i, tstamp now);
// All messages of a requester are done. If others wait for a place, they go first.
void nic_wait_pass(struct nic *nic, struct nic_qp *qp, tstamp now);
// A requester with a place may have come to rest. If others wait for a place, they look for one at
// `at`, or when its gap has ended.
void nic_wait_look(struct nic *nic, const struct nic_qp *qp, tstamp at);

// Keeps the words that are not 0. False, and nothing has changed: there are too many.
bool nic_kept_put(struct nic_kept *k, const struct nic_rest *r);
void nic_kept_get(const struct nic_kept *k, struct nic_rest *r);

// kind.c: what queue pairs have in common
int nic_kind_get(struct nic *nic, const struct nic_qp_params *p, uint32_t *kind);

// refuse.c
// A NAK of a queue pair, whatever it does
void nic_send_nak(struct nic *nic, const struct nic_qp *qp, uint8_t syndrome, uint32_t psn,
	uint32_t msn, tstamp now);
// A request with this PSN is refused.
void nic_refused(struct nic *nic, const struct nic_qp *qp, const struct rc_refused *what,
	uint32_t psn, tstamp now);

// drop.c
void nic_no_desc(struct nic *nic, tstamp now); // a control frame that could not be made

// If timers of a reaction point are overdue for longer than this, all of them are expired at once.
#define NIC_RP_LONG_DUE (500 * PS_PER_US)

// req.c
// Sets up a zeroed requester whose parameters have been checked.
int nic_req_init(struct nic *nic, struct nic_qp *qp, const struct nic_qp_params *p, uint32_t kind);
bool nic_req_needs_more(const struct nic_qp_params *p); // the part that only few have
// The requester fails because of its peer.
void nic_req_abandon(struct nic *nic, struct nic_qp *qp, enum rc_failure why, tstamp now);
// Reports each message of a queue pair that has just failed, while its messages still have
// their ring.
void nic_req_lose(struct nic *nic, uint32_t flow, const struct rc_tx *tx, tstamp now);
// Reports that a responder sends a NAK for a missing PSN, or requests a READ again from there on.
void nic_tell_nak(struct nic *nic, const struct nic_qp *qp, uint32_t psn, tstamp now);
// Returns the latest instant up to `at` at which a frame that is due since earlier could have left.
tstamp nic_req_owing_at(struct nic *nic, struct nic_qp *qp, tstamp at);
// Whether it may post one more message, if it has room for it.
// Whether a sender of this kind has posted its last message of the run.
static inline bool nic_ends(
	const struct nic *nic, const struct nic_qp_params *p, uint64_t posted, tstamp now)
{
	return now >= p->stop || (now >= nic->quiet_at && !nic->goes_on) ||
	       (p->count && posted >= p->count);
}
bool nic_req_may_post(const struct nic *nic, const struct nic_qp *qp, tstamp now);
// Call it when the queue pair may send again.
void nic_req_wake(struct nic *nic, struct nic_qp *qp, tstamp now);
// Starts a requester: its start instant has come, or its peer's first request.
void nic_req_start(struct nic *nic, struct nic_qp *qp, tstamp now);

// load.c
// A message has come for the requester: it posts what it may.
void nic_load_go(struct nic *nic, struct nic_qp *qp, tstamp now);
void nic_load_take(struct nic *nic, const struct nic_qp *qp, uint32_t *bytes, tstamp *at);
// A message of the load or job is done.
void nic_load_done(struct nic *nic, const struct nic_qp *qp, tstamp now);
// A job learns of its queue pairs (qp->works) by these calls. A frame leaves that is the last one
// of a message, or is sent again:
void nic_job_left(struct nic *nic, const struct nic_qp *qp, struct pkt *p, tstamp now);
// A timeout has come; it has another rate from `at` on; it has failed.
void nic_job_timeout(struct nic *nic, const struct nic_qp *qp, tstamp now);
void nic_job_rate(struct nic *nic, const struct nic_qp *qp, tstamp at);
void nic_job_failed(struct nic *nic, const struct nic_qp *qp);
// At the receiver: a message has come whole with a frame that left at `born`. `word`: its immediate
// data.
void nic_job_came(struct nic *nic, const struct nic_qp *qp, uint32_t word, tstamp born, tstamp now);

// serve.c
// Sends the NAK of a refused READ, once the responses before it have been sent.
void nic_read_refuse(struct nic *nic, struct nic_qp *qp, tstamp now);

// ring.c: rings of messages, which requesters have while they use them
int nic_ring_add(struct nic *nic, unsigned size); // makes room for one more requester
// Returns whether the requester may post a message now. False: it has no ring and waits for one; or
// others wait for a ring, and it may post again only when its own messages are done.
bool nic_ring_take(struct nic *nic, struct nic_qp *qp);
static inline bool nic_ring_get(struct nic *nic, struct nic_qp *qp)
{
	return (qp->req.tx.room && !nic->n_wanting) || nic_ring_take(nic, qp);
}
// Gives the ring back if the requester no longer needs it, so that others that wait can post.
void nic_ring_put(struct nic *nic, struct nic_qp *qp, tstamp now);
// Messages are done. If none is left, the requester gives its ring to one that waits, and waits
// itself for the next.
void nic_ring_pass(struct nic *nic, struct nic_qp *qp, tstamp now); // while another waits

// rp.c
rate_t nic_rp_paced(const struct nic_req *r); // bit/s, at most its ceiling
// Takes over reaction point and limit of the kind that it has since now.
void nic_rp_adopt(struct nic *nic, struct nic_qp *qp, tstamp now);
// Sets the rate (bit/s) that the limiter allows, from `at` on.
void nic_rp_rate(struct nic *nic, struct nic_qp *qp, rate_t rate, tstamp at);
void nic_rp_changed(struct nic *nic, struct nic_qp *qp); // its next timer may be another
void nic_rp_take_cnps(struct nic *nic, struct nic_qp *qp);
// When the gap that is running ends, or has to be looked at again. Rate timers that fall into it
// move its end.
tstamp nic_rp_gap_end(const struct nic *nic, const struct nic_qp *qp);
// When a timer can open the window that keeps it from sending; TSTAMP_NEVER: no window does.
tstamp nic_rp_opens(const struct nic_qp *qp);
bool nic_rp_opened(const struct nic_qp *qp); // the window is open, and the queue pair still idle
void nic_rp_counted(struct nic *nic, struct nic_qp *qp, enum rp_event e, tstamp now);
void nic_rp_ack(struct nic *nic, struct nic_qp *qp, const struct rp_ack *ack, tstamp now);
void nic_rp_nak(struct nic *nic, struct nic_qp *qp, tstamp now);

// group.c
int nic_group_join(struct nic *nic, struct nic_qp *qp, const struct nic_qp_params *p);
// Finds the group of a flow ID, or with flow ID 0 of a destination and class; NULL: there is none.
struct nic_group *nic_group_find(
	const struct nic *nic, uint16_t flow_id, const uint8_t dst[6], unsigned cls);
void nic_group_rate(struct nic_group *g, tstamp from); // while no queue pair has the turn
bool nic_group_turn(struct nic *nic, struct nic_qp *qp, bool sent, tstamp now);
void nic_group_pass(struct nic *nic, struct nic_qp *qp, tstamp now);

// rdma_ip.c
int nic_rdma_ip_init(struct nic *nic, struct nic_qp *qp, const struct nic_qp_params *p);
// Like nic_rdma_ip_next(), after a frame of `wire_bytes` that leaves now.
bool nic_rdma_ip_passed(const struct nic *nic, struct nic_qp *qp, uint32_t wire_bytes, tstamp now);
void nic_rdma_ip_notified(struct nic *nic, struct nic_qp *qp, tstamp now); // by a CNP
tstamp nic_rdma_ip_timer(struct nic *nic, struct nic_qp *qp, tstamp now);  // the brake's end

// rsp.c
// Sets up a zeroed responder whose parameters have been checked.
int nic_rsp_init(struct nic *nic, struct nic_qp *qp, const struct nic_qp_params *p, uint32_t kind);
// Counts a frame with data.
static inline void nic_rsp_count(struct nic_qp *qp, const struct pkt *p, tstamp now)
{
	struct nic_rsp_use *u = nic_rsp_use(&qp->rsp);
	struct nic_qp_stats *s = &u->s;
	tstamp latency;

	if (!s->data_frames_rx++) {
		s->first_timestamp = now;
		s->latency_min = TSTAMP_NEVER;
	}
	s->last_timestamp = now;
	s->wire_bytes_rx += p->len + PKT_FCS;
	if (p->born == TSTAMP_NEVER) {
		s->latency_max = TSTAMP_NEVER;
		return;
	}
	latency = tstamp_since(now, p->born);
	s->latency_sum += latency;
	s->latency_min = tstamp_min(s->latency_min, latency);
	s->latency_max = tstamp_max(s->latency_max, latency);
	if (u->latency)
		hist_count(u->latency, latency);
}

void nic_rsp_congestion(struct nic *nic, struct nic_qp *qp, tstamp now); // it had CE

// Sends a packet of `len` bytes without payload in the class of ACKs. False: there is no descriptor
// for it.
static inline bool nic_rsp_send_long(struct nic *nic, const struct nic_qp *qp, enum pkt_kind kind,
	uint16_t len, uint8_t flags, struct pkt_rc rc, tstamp now)
{
	const struct nic_kind *k = nic_kind(nic, qp->rsp.kind);
	struct pkt *p = pkt_get_ctl(nic->stack);

	if (!p) {
		nic_no_desc(nic, now);
		return false;
	}
	*p = (struct pkt){
		.hdr = qp->rsp.ack_hdr,
		.when = now,
		.born = now,
		.len = len,
		.kind = (uint8_t)kind,
		.flags = flags,
		.tos = k->p.ack_tos,
		.cls = k->p.ack_cls,
		.in_port = PKT_NO_PORT,
		.u.rc = rc,
	};
	nic_queue(nic, k->p.ack_cls, p, now);
	return true;
}

static inline bool nic_rsp_send(struct nic *nic, const struct nic_qp *qp, enum pkt_kind kind,
	uint8_t flags, struct pkt_rc rc, tstamp now)
{
	uint16_t len = nic_kind(nic, qp->rsp.kind)->p.ack_len;

	return nic_rsp_send_long(nic, qp, kind, len, flags, rc, now);
}

// ask.c
// It fails, because of its peer.
void nic_read_abandon(struct nic *nic, struct nic_qp *qp, enum rc_failure why, tstamp now);
int nic_read_init(struct nic_qp *qp, const struct nic_qp_params *p);
// Takes over the transport of the kind that it has since now.
void nic_read_adopt(struct nic *nic, struct nic_qp *qp, tstamp now);
tstamp nic_read_timer(struct nic *nic, struct nic_qp *qp, tstamp now);

// np.c: the notification point of a responder
int nic_np_init(struct nic *nic, struct nic_qp *qp);
tstamp nic_np_timer(struct nic *nic, struct nic_qp *qp, tstamp now);
// CE came, or a NAK that counts as CE.
void nic_np_notify(struct nic *nic, struct nic_qp *qp, bool nak, tstamp now);

// peer.c
// Whether it asks: requests are ours, and so it connects. Else it is asked, and waits for who
// connects.
static inline bool nic_peer_asks(const struct nic_peer *r)
{
	return r->p.data;
}

// The peer of a queue pair; NULL: it is a NIC of ours.
static inline struct nic_peer *nic_peer_of(const struct nic_qp *qp)
{
	if (qp->requester)
		return qp->special ? qp->req.more->peer : NULL;
	return qp->rsp.read ? qp->rsp.read->peer : NULL;
}

// A queue pair is to start and connects to its peer first. True: it cannot start yet, and this is
// called again when its peer is ready.
bool nic_peer_hold(struct nic *nic, struct nic_peer *r, tstamp now);
// A queue pair that connects to its peer is done with its last message, or has failed.
void nic_connect_end(struct nic *nic, struct nic_peer *r, tstamp now);
// A request has arrived from a peer that connects to us: it stands for an RTU that was lost.
void nic_connect_traffic(struct nic *nic, struct nic_peer *r, tstamp now);

// Returns whether a requester that was told to start has to wait: it starts when its peer is ready.
static inline bool nic_peer_holds(struct nic *nic, const struct nic_qp *qp, tstamp now)
{
	struct nic_peer *r = nic_peer_of(qp);

	return r && nic_peer_asks(r) && r->state != NIC_PEER_UP && nic_peer_hold(nic, r, now);
}

// The queue pair is to stop, and its peer is not ready yet.
static inline void nic_peer_unwant(const struct nic_qp *qp)
{
	struct nic_peer *r = nic_peer_of(qp);

	if (r)
		r->wanted = false;
}

// A queue pair that connects to its peer is done with its last message, or has failed.
static inline void nic_peer_end(struct nic *nic, const struct nic_qp *qp, tstamp now)
{
	struct nic_peer *r = nic_peer_of(qp);

	if (r)
		nic_connect_end(nic, r, now);
}

const struct rc_params *nic_peer_transport(const struct nic *nic, const struct nic_qp *qp);
// The header of frames to a peer.
const struct hdr *nic_peer_hdr(const struct nic_peer *r);
void nic_peer_set_mac(struct nic_peer *r, const uint8_t mac[6]);
void nic_peer_up(struct nic *nic, struct nic_peer *r, tstamp now);
// Gives a peer up. If our queue pair asks (nic_peer_asks), it fails because of `why`. Else our
// queue pair is asked, and waits for another peer to ask.
void nic_peer_give_up(struct nic *nic, struct nic_peer *r, enum rc_failure why, tstamp now);
void nic_peer_heard(struct nic *nic, const struct neigh_ip *ip, const uint8_t mac[6], tstamp now);
void nic_peer_silent(struct nic *nic, const struct neigh_ip *ip, tstamp now);
// Sends frames to peers with this IP address to the hardware address `mac` from now on. Returns
// whether there are such peers.
bool nic_peer_moved(struct nic *nic, const struct neigh_ip *ip, const uint8_t mac[6]);
void nic_peer_reckon(struct nic *nic); // finds the next timer of all peers

// neigh.c
// Whether one more answer to a stranger may wait. False: the request of the host with this IP
// address is dropped, and the packet is gone.
bool nic_neigh_may_answer(struct nic *nic, struct pkt *p, const uint8_t *ip, tstamp now);
// A frame of our own that has bytes, into the queue of cnp_class.
void nic_neigh_send(struct nic *nic, struct pkt *p, tstamp now);
// Returns whether the hardware address of `ip` is known, in `mac`. If not, it is asked for, and
// nic_peer_heard() or nic_peer_silent() is called with the result.
bool nic_neigh_find(struct nic *nic, const struct neigh_ip *ip, uint8_t mac[6], tstamp now);
void nic_neigh_timer(struct nic *nic, tstamp now);
tstamp nic_neigh_due(const struct nic *nic);
// The next hop of frames with this header: their destination, or the gateway to its network.
void nic_next_hop(const struct nic *nic, const struct hdr *h, struct neigh_ip *ip);
// Writes a hardware address into a header that others may be reading.
void nic_readdress(struct hdr *h, const uint8_t mac[6]);

// target.c
// The hardware address of `ip` is known, or has changed. Returns whether a source sends there.
bool nic_target_heard(struct nic *nic, const struct neigh_ip *ip, const uint8_t mac[6], tstamp now);
void nic_target_silent(struct nic *nic, const struct neigh_ip *ip);

// connect.c
void nic_connect_init(struct nic *nic);
void nic_connect_fini(struct nic *nic);
// Makes room for the connection of one more peer. This is before the first connection.
int nic_connect_room(struct nic *nic);
void nic_connect_to(struct nic *nic, struct nic_peer *r, tstamp now);
void nic_connect_timer(struct nic *nic, tstamp now);

// req.c
// Books the time in which the class was shut since the queue pair came into its FIFO.
void nic_req_waited(const struct nic *nic, struct nic_qp *qp);

#pragma GCC visibility pop
