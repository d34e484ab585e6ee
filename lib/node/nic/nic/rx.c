// SPDX-License-Identifier: BSD-3-Clause
// The reception of a frame by a NIC: PFC, RoCE for its queue pairs, open loop, drops.
#include <string.h>

#include "base/hint.h"
#include "frame/frame.h"
#include "int.h"
#include "wire/bth.h"

// How many frames ahead bytes are fetched that will be checked.
#define READ_AHEAD 16

// With at least FETCH_QPS queue pairs the memory that a burst needs of them is fetched before, for
// its first FETCH_FRAMES frames. Fewer queue pairs fit into a processor's cache.
#define FETCH_QPS    1024
#define FETCH_FRAMES 64

static void consume(struct nic *nic, struct pkt *p)
{
	nic->s.consumed_frames++;
	pkt_put(nic->stack, p);
}

// Counts a frame whose payload is not the expected one. `number`: the payload's number in the
// scenario. The frame is accepted in any case, because headers and ICRC say where it belongs.
static void look_at_payload(struct nic *nic, const struct pkt *p, unsigned number)
{
	static const struct payload zeros = {.kind = PAYLOAD_ZEROS};
	const struct payload *payload = nic->p.payload ? &nic->p.payload[number] : &zeros;

	if (p->flags & PKT_F_FOREIGN && !frame_pkt_payload_holds(p, payload))
		nic->s.rx_payload_errors++;
}

// A frame that is neither RoCE nor open loop of the scene: the NIC answers it, takes it, or drops
// it.
ASIDE void rx_other(struct nic *nic, struct pkt *p, tstamp now)
{
	if (!nic_neigh_rx(nic, p, now) && !nic_connect_rx(nic, p, now) &&
		!nic_stream_rx(nic, p, now) && !nic_echo_rx(nic, p, now))
		nic_drop(nic, NIC_DROP_UNKNOWN, p, now);
}

// The latency by the sender's clock; TSTAMP_NEVER: not known. The frame has the instant modulo 2^32
// ns.
ASIDE tstamp latency_by(const struct nic_source *from, const struct pkt *p, tstamp now)
{
	int64_t there_ns;
	int32_t ns;

	if (p->kind != PKT_GEN || !p->u.gen.stamped || *from->ahead_ps == NIC_AHEAD_UNKNOWN)
		return TSTAMP_NEVER;
	there_ns = ((int64_t)now + *from->ahead_ps) / (int64_t)PS_PER_NS;
	ns = (int32_t)((uint32_t)there_ns - p->u.gen.stamp_ns);
	return ns > 0 ? (tstamp)ns * PS_PER_NS : 0;
}

// The instant for figures of arrival. A frame that came as bytes is dated by its device or by the
// loop that read it, for others it is the loop's.
static tstamp came_at(const struct pkt *p, tstamp now)
{
	return p->flags & PKT_F_FOREIGN ? p->when : now;
}

// Returns the latency of an open-loop frame; TSTAMP_NEVER: it is not known. A frame from outside
// does not say when it left, but its sender may know it by the frame's number.
static tstamp gen_latency(const struct nic_source *from, const struct pkt *p, tstamp now)
{
	tstamp left = p->born;

	if (from->ahead_ps)
		return latency_by(from, p, now);
	if (left == TSTAMP_NEVER && from->departed && p->kind == PKT_GEN)
		left = departures_find(from->departed, p->u.gen.seq);
	else if (left == TSTAMP_NEVER && from->departed)
		left = departures_find(
			from->departed, departures_near(from->departed, p->u.rc.psn - from->psn));
	return left == TSTAMP_NEVER ? TSTAMP_NEVER : tstamp_since(now, left);
}

// Counts a frame of a source. `ahead`: how many numbers it is ahead of the next one; below 0 if it
// had been taken for lost. `latency`: TSTAMP_NEVER if it is not known.
static void count_source(struct nic *nic, struct nic_source *from, const struct pkt *p,
	int32_t ahead, tstamp latency)
{
	struct nic_gen_stats *s = &from->s;

	if (ahead >= 0) {
		s->lost += (uint32_t)ahead;
		s->next_seq += (uint32_t)ahead + 1;
	} else {
		s->out_of_order++;
		s->lost -= s->lost != 0;
	}
	s->rx_bytes += p->len + PKT_FCS;
	s->ecn_ce_rx += pkt_ecn(p) == ECN_CE;
	nic->s.gen_rx_frames++;
	if (latency != TSTAMP_NEVER) {
		if (s->rx_frames == s->undated)
			s->latency_min = latency;
		s->latency_sum += latency;
		s->latency_min = tstamp_min(s->latency_min, latency);
		s->latency_max = tstamp_max(s->latency_max, latency);
		if (from->latency)
			hist_count(from->latency, latency);
	} else {
		s->undated++;
	}
	s->rx_frames++;
}

// Takes an open-loop RoCEv2 frame; false: it belongs to no source.
ASIDE bool rx_roce_source(struct nic *nic, struct pkt *p, tstamp now)
{
	uint32_t qpn = p->u.rc.qpn, hash = index_hash(0, &qpn, sizeof(qpn)), at = hash, i, seq;
	struct nic_source *from;

	do
		i = index_next(&nic->roce_of, hash, &at);
	while (i != INDEX_NONE && nic->source[i].qpn != qpn);
	if (i == INDEX_NONE)
		return false;
	from = &nic->source[i];
	if (nic->p.check_payload)
		look_at_payload(nic, p, nic->p.source_payload ? nic->p.source_payload[i] : 0);
	// PSNs have 24 bits, and the highest bit of their difference is its sign.
	seq = p->u.rc.psn - from->psn;
	count_source(nic, from, p, (int32_t)((seq - from->s.next_seq) << 8) >> 8,
		gen_latency(from, p, came_at(p, now)));
	consume(nic, p);
	return true;
}

static void rx_gen(struct nic *nic, struct pkt *p, tstamp now)
{
	if (p->u.gen.source >= nic->p.max_sources) {
		rx_other(nic, p, now);
		return;
	}

	if (nic->p.check_payload)
		look_at_payload(
			nic, p, nic->p.source_payload ? nic->p.source_payload[p->u.gen.source] : 0);

	struct nic_source *from = &nic->source[p->u.gen.source];
	const struct nic_gen_stats *s = &from->s;
	tstamp latency = gen_latency(from, p, came_at(p, now));

	if (from->trips) {
		if (!nic_echo_came(nic, from, p, came_at(p, now)))
			rx_other(nic, p, now);
		return;
	}

	count_source(nic, from, p, (int32_t)(p->u.gen.seq - s->next_seq), latency);
	nic_echo_gen(nic, from, p, now);
}

static void rx_cnm(struct nic *nic, struct pkt *p, tstamp now)
{
	nic_rp_cnm(nic, p, now);
	consume(nic, p);
}

// Checks the ICRC; on an error the frame is dropped and counted. A frame that a node of the scene
// made has no bytes yet: its ICRC is written when it leaves the process, and is right. A switch
// forwards a wrong ICRC, so the NIC is the first to check it.
static inline bool icrc_holds(struct nic *nic, struct pkt *p, tstamp now)
{
	if (!(p->flags & PKT_F_FOREIGN) || !nic->p.check_icrc || frame_pkt_icrc_ok(p))
		return true;
	nic->s.rx_icrc_errors++;
	nic_drop(nic, NIC_DROP_ICRC, p, now);
	return false;
}

// False: its queue pair has refused it.
ASIDE bool look_at_data(struct nic *nic, struct nic_qp *qp, struct pkt *p, tstamp now)
{
	if (nic->p.check_payload)
		look_at_payload(nic, p, nic_kind(nic, qp->rsp.kind)->payload);
	if (nic_rsp_allows(nic, qp, p, now))
		return true;
	consume(nic, p);
	return false;
}

// Handles a RoCE frame whose queue pair does not exist, or is of the other kind: a NAK of a READ
// goes to a responder, a host that serves READs takes no other requests, and a requester refuses
// its peer's requests. Returns whether the frame was used.
ASIDE bool rx_misfit(struct nic *nic, struct nic_qp *qp, struct pkt *p, tstamp now)
{
	bool taken = false;

	if (p->kind == PKT_DATA && nic->roce_of.n && rx_roce_source(nic, p, now))
		return false;
	if (qp && qp->requester && nic_source(qp)) {
		nic_read_strange(nic, qp, p, now);
		taken = true;
	} else if (qp && qp->requester) {
		taken = nic_refuse_request(nic, qp, p, now);
	} else if (qp && p->kind == PKT_ACK && qp->rsp.read) {
		nic_read_nak(nic, qp, p, now);
		taken = true;
	}
	if (taken)
		consume(nic, p);
	else
		nic_drop(nic, NIC_DROP_NO_QP, p, now);
	return taken;
}

// When a CNP was due at who made it; TSTAMP_NEVER: its bytes do not say it.
static tstamp cnp_made(const struct pkt *p)
{
	return p->born == TSTAMP_NEVER ? TSTAMP_NEVER
				       : tstamp_since(p->born, p->u.rc.arg * PS_PER_NS);
}

// Receives a RoCE frame. True where the NIC may have something else to send next, so that its
// deadline must be worked out again.
static bool rx_roce(struct nic *nic, struct pkt *p, tstamp now)
{
	struct nic_qp *qp = nic_qp_with_qpn(nic, p->u.rc.qpn);

	if (!icrc_holds(nic, p, now))
		return false;
	if (qp && p->flags & PKT_F_FOREIGN && nic_is_stranger(nic, qp, p, now))
		return false;
	if (!qp || qp->requester == (p->kind == PKT_DATA))
		return rx_misfit(nic, qp, p, now);
	if (p->kind == PKT_DATA) {
		if (nic->looks && !look_at_data(nic, qp, p, now))
			return true;
		nic->s.consumed_frames++;
		return nic_rsp_data(nic, qp, p, now);
	}
	if (p->kind == PKT_ACK)
		nic_req_ack(nic, qp, p, now);
	else
		nic_rp_cnp(nic, qp, cnp_made(p), now);
	consume(nic, p);
	return true;
}

// Returns whether an opcode is a request of a verb that our NICs do not have: atomics, FLUSH, and
// ATOMIC WRITE.
static bool is_strange(uint8_t opcode)
{
	return opcode == BTH_RC_CMP_SWAP || opcode == BTH_RC_FETCH_ADD || opcode == BTH_RC_FLUSH ||
	       opcode == BTH_RC_ATOMIC_WRITE;
}

// Takes a request or a response of a READ, or a request of a verb that our NICs do not have. False:
// it is for no queue pair of ours.
static bool rx_read(struct nic *nic, struct pkt *p, tstamp now)
{
	struct nic_qp *qp = nic_qp_with_qpn(nic, p->u.rc.qpn);
	uint8_t opcode = p->u.rc.opcode;

	if (!qp || opcode < BTH_RC_READ_REQUEST ||
		(opcode > BTH_RC_READ_ONLY && !is_strange(opcode)))
		return false;
	if (p->flags & PKT_F_FOREIGN && nic_is_stranger(nic, qp, p, now))
		return true;
	if (opcode > BTH_RC_READ_REQUEST && opcode <= BTH_RC_READ_ONLY) {
		if (qp->requester || !qp->rsp.read)
			return false;
		if (nic->p.check_payload)
			look_at_payload(nic, p, nic_kind(nic, qp->rsp.kind)->payload);
		nic_read_response(nic, qp, p, now);
	} else if (qp->requester && nic_source(qp)) {
		if (opcode == BTH_RC_READ_REQUEST)
			nic_read_request(nic, qp, p, now);
		else
			nic_read_strange(nic, qp, p, now);
	} else if (!qp->requester && !qp->rsp.read) {
		nic_rsp_strange(nic, qp, p, now);
	} else if (!nic_refuse_request(nic, qp, p, now)) {
		return false;
	}
	consume(nic, p);
	return true;
}

static enum nic_drop why_bad(const struct nic *nic, const struct pkt *p)
{
	const uint8_t *dst = p->hdr->dst;

	if (p->u.bad == FRAME_TOO_LONG)
		return NIC_DROP_TOO_LONG;
	if (!frame_error_is_above_l2((enum frame_error)p->u.bad))
		return NIC_DROP_MALFORMED; // the address may be what is missing
	if (dst[0] & 1)
		return NIC_DROP_UNKNOWN;
	return memcmp(dst, nic->p.mac, sizeof(nic->p.mac)) ? NIC_DROP_NOT_FOR_US
							   : NIC_DROP_MALFORMED;
}

static void rx_bad(struct nic *nic, struct pkt *p, tstamp now)
{
	enum nic_drop why = why_bad(nic, p);

	if (why == NIC_DROP_MALFORMED)
		nic->s.malformed[p->u.bad < FRAME_ERRORS ? p->u.bad : FRAME_OK]++;
	nic_drop(nic, why, p, now);
}

// Takes a frame of MAC control, or a malformed frame. Both end at the port (802.1Q cl. 8.6.3). The
// frame's `when` still is the instant of its arrival.
static bool rx_mac(struct nic *nic, struct pkt *p, tstamp now)
{
	if (p->flags & PKT_F_COPY) {
		nic_rx_pause_copy(nic, p, now);
		pkt_put(nic->stack, p);
		return true;
	}
	switch (p->kind) {
	case PKT_PFC:
		nic_rx_pfc(nic, p, now);
		consume(nic, p);
		return true;
	case PKT_PAUSE:
		nic_rx_pause(nic, p, now);
		consume(nic, p);
		return true;
	case PKT_MACCTL:
		nic->s.pfc_invalid_frames++;
		consume(nic, p);
		return true;
	case PKT_BAD:
		rx_bad(nic, p, now);
		return true;
	default:
		return false;
	}
}

// Receives one frame. True where the NIC may have something else to send next. A data frame that
// asks for no answer changes nothing there, unless it fills the receive buffer.
static bool rx_one(struct nic *nic, struct pkt *p, tstamp now)
{
	nic->s.rx_bytes += p->len + PKT_FCS;
	p->in_port = 0;
	if (nic->up && p->kind >= PKT_PFC && rx_mac(nic, p, now))
		return true;
	if (!nic->up)
		nic_drop(nic, NIC_DROP_LINK_DOWN, p, now);
	else if (p->len > nic->p.mtu)
		nic_drop(nic, NIC_DROP_TOO_LONG, p, now);
	else if (p->hdr->dst[0] & 1)
		rx_other(nic, p, now);
	else if (memcmp(p->hdr->dst, nic->p.mac, sizeof(nic->p.mac)))
		nic_drop(nic, NIC_DROP_NOT_FOR_US, p, now);
	else if (nic->rxbuf.ps && !nic_rxbuf_put(nic, p, now))
		nic_drop(nic, NIC_DROP_RXBUF, p, now);
	else if (p->kind >= PKT_DATA && p->kind <= PKT_CNP)
		return rx_roce(nic, p, now) || nic->rxbuf.ps;
	else if (p->kind == PKT_GEN)
		rx_gen(nic, p, now);
	else if (p->kind == PKT_CNM)
		rx_cnm(nic, p, now);
	else if (p->kind != PKT_ROCE)
		rx_other(nic, p, now);
	else if (icrc_holds(nic, p, now) && !rx_read(nic, p, now))
		rx_other(nic, p, now);
	return true;
}

// Fetches the bytes of the frames of a burst, from number `from` to before `to`, that came by a
// real port, since a check reads all of them. They go into the second cache, which waits for more
// lines at a time than the first does. Returns `to`. Without the empty asm gcc takes the function
// for one without effect.
ASIDE unsigned fetch_bytes(struct pkt *const *burst, unsigned from, unsigned to)
{
	for (; from < to; from++) {
		const struct pkt *p = burst[from];
		const uint8_t *o = (const uint8_t *)p + p->data_off;

		if (!(p->flags & PKT_F_FOREIGN))
			continue;
		for (unsigned i = 0; i < p->len; i += NIC_LINE)
			__builtin_prefetch(o + i, 0, 2);
		__builtin_prefetch(o + p->len - 1, 0, 2);
	}
	__asm__ volatile("");
	return from;
}

// Fetches the memory of a queue pair that a RoCE frame needs besides its first cache line.
INLINE void fetch_use(const struct nic_qp *qp)
{
	if (qp->requester) {
		const struct nic_req_use *u = nic_use(&qp->req);

		__builtin_prefetch(u, 1, 2);
		__builtin_prefetch(&u->past, 1, 2);
	} else {
		const struct nic_rsp_use *u = nic_rsp_use(&qp->rsp);

		__builtin_prefetch(u, 1, 2);
		__builtin_prefetch(&u->s.last_timestamp, 1, 2);
	}
}

// Fetches the headers of n frames of a burst, and the memory of their queue pairs, in separate
// passes: so memory answers for all frames at once, and each pass finds the data that it reads.
// Without the empty asm gcc takes the function for one without effect.
ASIDE void fetch_qps(const struct nic *nic, struct pkt *const *burst, unsigned n)
{
	const struct nic_qp *qp[FETCH_FRAMES];
	struct nic_qp *const *place[FETCH_FRAMES];
	unsigned found = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct pkt *p = burst[i];
		uint32_t number = p->u.rc.qpn - nic->p.qpn_base;

		__builtin_prefetch(p->hdr, 0, 2);
		if (p->kind < PKT_DATA || p->kind > PKT_CNP || number - 1 >= nic->n_qps)
			continue;
		place[found] = nic->by_number ? &nic->by_number[number] : &nic->qp[number - 1];
		__builtin_prefetch(place[found++], 0, 2);
	}
	for (unsigned i = 0; i < found; i++) {
		qp[i] = *place[i];
		__builtin_prefetch(qp[i], 1, 2);
		__builtin_prefetch((const char *)qp[i] + NIC_LINE, 1, 2);
	}
	for (unsigned i = 0; i < found; i++)
		if (qp[i])
			fetch_use(qp[i]);
	__asm__ volatile("");
}

void nic_rx(struct nic *nic, unsigned port, struct pkt **burst, unsigned n, tstamp now)
{
	tstamp before = nic->deadline;
	bool reckon = false;
	// While a frame is checked the bytes of later ones come.
	unsigned fetched = n > 1 && (nic->p.check_icrc || nic->p.check_payload) ? 0 : n;

	(void)port;
	now = nic_now(nic, now);
	nic->s.rx_frames += n;
	if (n > 1 && nic->n_qps >= FETCH_QPS)
		fetch_qps(nic, burst, n < FETCH_FRAMES ? n : FETCH_FRAMES);
	for (unsigned i = 0; i < n; i++) {
		if (fetched < n)
			fetched = fetch_bytes(
				burst, fetched, n - i < READ_AHEAD ? n : i + READ_AHEAD);
		reckon |= rx_one(nic, burst[i], now);
	}
	if (!reckon)
		return;
	nic_reckon(nic);
	if (nic->deadline != before)
		node_touch(&nic->touched, 0);
}
