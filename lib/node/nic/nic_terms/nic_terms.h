// SPDX-License-Identifier: BSD-3-Clause
// The terms of a NIC: the parameters that it is made with, and the counters that it offers while it
// runs.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "algo/dcqcn_np.h"
#include "eport/eport.h"
#include "base/hist.h"
#include "base/stat.h"
#include "frame/frame.h"
#include "rp/rp.h"
#include "transport/irn.h"
#include "transport/rc.h"
#include "transport/rc_guard.h"
#include "transport/seqwin.h"
#include "job.h"

// Receive buffer: a fluid of `drain_rate`; 0: infinitely fast. Per NIC, PFC by class.
struct nic_rxbuf_params {
	rate_t drain_rate;
	uint64_t size_bytes;
	uint64_t xoff_bytes; // at or above: XOFF for every lossless class that arrives; 0: no PFC
	uint64_t xon_bytes;  // at or below: XON
};

// Which field of a received frame gives its class. The sender: the class of the sender's queue
// between nodes in memory, and the PCP of bytes, else the upper three bits of their DSCP. The
// others: this field by its map, the other one where it is missing, and class 0 without both.
enum nic_trust { NIC_TRUST_SENDER, NIC_TRUST_DSCP, NIC_TRUST_PCP };

// The classes of received frames, below PKT_CLASSES.
struct nic_class_maps {
	enum nic_trust trust;
	uint8_t dscp_to_class[64], pcp_to_class[8];
};

// The router of a host's network, which has the first `prefix` bits of the host's address.
struct nic_gateway {
	uint8_t ip[16];
	uint8_t prefix; // 0: there is no gateway
};

struct nic_params {
	const char *name;
	uint64_t seed;
	uint8_t mac[6];
	uint8_t far_mac[6]; // of the link's other end; zero: not known
	rate_t rate;
	rate_t max_rate; // of all that it sends together, but for PFC and PAUSE; 0: the link's
	uint32_t mtu;    // longest frame without FCS
	bool mapped;     // queue_map holds; else each class has the queue of its own number
	uint8_t queue_map[PKT_CLASSES]; // class to egress queue
	struct nic_class_maps maps;
	uint8_t strict;               // bitmap of egress queues served strictly
	uint16_t weight[PKT_CLASSES]; // of egress queues
	uint8_t pfc_classes;          // bitmap: PFC obeyed, and sent by the receive buffer
	uint16_t pfc_response;        // quanta from a PFC frame received to its effect
	uint16_t quanta;
	unsigned refresh_permille;
	struct nic_rxbuf_params rxbuf;
	struct dcqcn_np_params np;
	bool np_off; // answers CE with no CNP
	bool cnflag; // framing hpcc_sim: CE is echoed in the ACK, no CNP, whatever np_off says
	uint8_t cnp_class;
	uint8_t cnp_tos; // 0xc2 by default: DSCP 48, ECT(0)
	unsigned max_qps;
	uint32_t qpn_base; // queue pair i, 1..max_qps, has QPN qpn_base + i
	// For a lane, which has every `lanes`-th queue pair of its host: the pairs whose number
	// modulo `lanes` is `lane`. 0: it has all
	unsigned lanes, lane;
	// Memory for rings of messages. If it suffices, each requester has a ring. Otherwise
	// requesters take turns: one without a ring posts nothing; one with a ring, while others
	// wait, posts one message and gives the ring up when that is done. 0: NIC_RING_BYTES
	uint64_t ring_bytes;
	// Requesters that may have a place at a time, besides those that always have one. If all
	// are in use, a message waits until one is free. A frame that comes late for a requester
	// without a place gets it one beyond that number. 0: there is no limit
	unsigned live_pairs;
	unsigned waiting;     // messages of loads that wait at a time, at most
	unsigned max_sources; // open-loop sources of the whole scene (receive accounting)
	struct eport_framing framing;
	tstamp tolerance_ps;
	bool pause_no_expiry;
	bool fixed_gap; // hpcc_sim: a change of rate acts only after the gap that is running
	bool new_next;  // a queue pair that begins to send goes before those that wait, else behind
	bool monitor;
	bool pfc_ignore;   // PFC received is counted, never obeyed
	bool rp_by_class;  // a CNP slows every queue pair of its class (rp_scope: priority)
	bool pause_honour; // 802.3x PAUSE received stops every class; else it is only counted
	bool check_icrc;   // a RoCEv2 frame that came as bytes is dropped where its ICRC is wrong
	// If set, RoCEv2 frames from outside are dropped that do not come from the queue pair's
	// peer.
	bool peer_check;
	bool check_payload; // data that came as bytes is compared with what its flow sends
	const struct payload *payload; // by number; NULL: all is zeros
	const uint8_t *source_payload; // [max_sources] their numbers; NULL: zeros
	// Answers ARP, neighbour solicitations and echo requests that come as bytes for its address
	// (IPv4 in the first four bytes), by the queue of cnp_class.
	bool answers;
	bool ipv6;
	uint8_t ip[16];
	// Frames to other networks go to it. Only where an address is asked for (resolve,
	// nic_add_target).
	struct nic_gateway gateway;
	unsigned
		streams; // foreign streams that it tells apart, up to NIC_STREAMS; 0: it takes none
	// Sends frames of the open loop, and other datagrams for its address, back.
	bool echoes;
	// For peers that are no NICs of the scene: the number of hosts whose addresses the NIC
	// remembers, and a salt, so that GUID and communication IDs differ from those of the last
	// run, which a peer may still remember.
	unsigned peer_hosts;
	uint64_t salt;
	// Counts changes of hardware addresses in headers with which frames have left; NULL: nobody
	// keeps a copy of such headers.
	uint32_t *readdressed;
	bool pause; // the receive buffer sends PAUSE for the whole link instead of PFC
	// The NIC calls `large` with each large piece of memory for queue pairs before it uses
	// this piece. Queue pairs then have all their memory before the run. NULL: a queue pair
	// takes the rest of its memory with its first frame.
	void (*large)(void *memory, size_t bytes);
};

// The other end of a queue pair, where that is no NIC of ours. The NIC writes into the headers what
// it finds out, before the first frame that has them.
struct nic_peer_params {
	// The side that asks, a requester, or a responder that READs: the header of its requests.
	// NULL: it is asked.
	struct hdr_region *data;
	struct hdr *ack; // asked side: header of its ACKs, or of the data that are READ
	struct hdr *cnp; // a responder's; NULL: none
	bool resolve;    // it asks by ARP for the address of the peer, or of the gateway to it
	// RDMA-CM port: the asking side connects to it, the asked side waits for that. 0: the
	// numbers of the peer are given.
	uint16_t port;
	bool has_region; // asking side: the peer's region is given; else its REP tells it
	// At the side that is asked for a connection: the memory region that its REP or the file
	// gives the peer. Requests for other memory are refused.
	bool guards;
	uint64_t va;
	uint32_t rkey, length;
};

#define NIC_STREAMS 1024
#define NIC_ECHOES  1024 // frames that wait to be sent back, at a time

// Frames to us that nobody of the scene has sent, of one sender, protocol and pair of ports.
struct nic_stream {
	unsigned number; // from 1, in the order in which they began; 0: there is none
	uint8_t saddr[16];
	uint8_t proto;
	bool ipv6, numbered; // numbered: by the open loop of another quench
	uint16_t sport, dport;
	uint64_t rx_bytes, ecn_ce_rx; // bytes: len + FCS
	tstamp first, last;
	// The order of the frames by their own numbers, or by IPv4's identification. Over IPv6
	// without numbers only `frames` is valid.
	struct seqwin seq;
	tstamp gap, gap_min, gap_max, gap_sum; // from a frame to the next: the last one, extremes
	tstamp jitter;                         // RFC 3550, for a sender of equal gaps
	struct hist *gaps;                     // hist_count
};

// The latest news about addresses, one note of each kind.
struct nic_neigh_note {
	uint8_t ip[16];           // IPv4 in the first four bytes
	uint8_t was[6], other[6]; // the hardware address before, and the new one
	tstamp at;
};
// A host whose requests found NIC_ANSWERS answers waiting. Of more hosts than there are places the
// hosts that asked most are kept (space-saving: `times` is an upper bound).
#define NIC_ASKERS 8
struct nic_asker {
	uint8_t ip[16]; // IPv4 in the first four bytes
	uint64_t times; // 0: no host
};

struct nic_neigh_notes {
	struct nic_asker asker[NIC_ASKERS];
	struct nic_neigh_note moved;    // neigh_moved: `other` counts now
	struct nic_neigh_note disputed; // neigh_disputed: `was` still counts
	struct nic_neigh_note conflict; // address_conflicts: `other` has our address, too
};

// Answers to requests of other hosts that wait at a time, or that go out in a burst: ARP, neighbour
// discovery, ping, and RDMA-CM where it is from no peer. They take one NIC_ANSWERS_SHARE of the
// port's time, so that who asks at line rate stops no flow of the host.
#define NIC_ANSWERS       64
#define NIC_ANSWERS_SHARE 64

#define NIC_CONNECTS 4096 // queue pairs of a NIC that connect by RDMA-CM, at most

enum nic_peer_state {
	NIC_PEER_IDLE,
	NIC_PEER_RESOLVES, // it has asked for a hardware address
	NIC_PEER_LISTENS,
	NIC_PEER_ASKED, // a connection is under way
	NIC_PEER_UP,
	NIC_PEER_FAILED,
	NIC_PEER_PARTED,
	NIC_PEER_NONE, // its other end is a NIC of ours
};

// Sources and queue pairs that look for an external host. The rest, neither found nor failed, has
// not begun or waits for an answer.
struct nic_reach {
	unsigned sought;
	unsigned found;  // its hardware address is known, and it has connected
	unsigned failed; // it did not answer
};

#define NIC_MAPS 4096 // for queue pairs of a NIC whose packets are missing (irn.h), at most

#define NIC_RING_BYTES (256ul << 20) // of memory for rings, where nic_params.ring_bytes is 0

// One side of a queue pair. A NIC's queue pairs have numbers from 1, which its table, its registers
// and CN-TAGs use. QPNs, on the wire, are qpn_base higher, or any other ones (`number`).
struct nic_qp_params {
	uint32_t flow; // number of the flow in the scene, for events and reports
	uint32_t qpn;  // own
	// Its number in its NIC, where the QPN does not follow from it. Such a queue pair, and each
	// other one of its NIC, always has a place. 0: qpn - qpn_base
	uint32_t number;
	uint32_t peer_qpn;
	// requester: header of its requests; responder: header of the requests that it gets, or
	// NULL: the payload is zeros
	const struct hdr *data_hdr;
	const struct hdr *ack_hdr; // responder: header of its ACKs
	const struct hdr *cnp_hdr; // responder: header of its CNPs
	bool requester;            // else responder
	uint8_t cls;
	uint8_t tos; // of data: DSCP, ECT(0) or Not-ECT
	uint8_t ack_cls, ack_tos;
	// responder: codepoint of its CNPs, whose DSCP is that of nic_params.cnp_tos
	bool has_cnp_ecn;   // false: that of nic_params.cnp_tos, too
	uint8_t cnp_ecn;    // ECN_*
	uint16_t ack_len;   // 0: 62 (IPv4) or 82; framing hpcc_sim: 60
	uint16_t nack_more; // irn, skip: bytes by which a NACK is longer than an ACK
	// frame bytes besides payload without RETH; 0: 58 (IPv4), 78; +4 VLAN; hpcc_sim:
	// 48
	uint16_t overhead;
	// framing hpcc_sim: a data frame is `overhead` and its payload, without RETH, immediate
	// data and padding
	bool bare;
	const struct rc_cfg *rc;
	// Reaction point; NULL: none. Queue pairs of a flow ID may share one (rp.h): with HDR_CNTAG
	// in data_hdr the flow ID (not 0) finds it, else destination and class. All queue pairs
	// that have an RDMA IP share one configuration of it.
	const struct rp_cfg *rp;
	bool echo_ce;      // responder: its ACKs echo CE (BECN), and it sends no CNPs
	rate_t rate_limit; // ceiling of the QP, bit/s; 0: the link's rate
	// workload (requester)
	uint32_t message_bytes; // size of each message
	uint64_t count;         // messages; 0: without end
	unsigned outstanding;   // messages posted at a time, 1..RC_MESSAGES
	tstamp start, stop;     // stop: no message is posted after it
	bool loaded;            // a load brings its messages (nic_load_params), none is longer
	bool rp_shared;         // others with its flow ID share its reaction point
	tstamp catch_up_ps;     // most that its limiter makes up for (pacer.h); 0: nothing
	uint32_t psn;           // of the first request, in either direction
	const struct nic_peer_params *peer; // copied; NULL: it is a NIC of ours
	// Share of one gap (Q0.32) by which the requester starts later than it is told to; none at
	// the line's rate.
	uint32_t phase;
};

// Messages that come by themselves (arrivals.h), of which a host sends its own.
struct nic_load_pair {
	uint32_t to; // number of the receiver in the load's stream
	uint32_t qp; // number of the queue pair, which is `loaded`; 0: another lane has it
};

struct nic_load_params {
	uint32_t number;                     // of the load in the scene, for CTL_FLOW_*
	const struct arrivals_cfg *arrivals; // outlives the NIC
	uint32_t host;                       // number of the host in the load's stream
	// By `to`. Of each receiver `each` queue pairs stand in a row, which take turns.
	const struct nic_load_pair *pair;
	uint32_t n_pairs, each;
	bool stopped; // until CTL_FLOW_START its messages go to nobody
};

// nic_frame.form
enum {
	NIC_FRAME_AETHS = 1 << 0, // `own` is an AETH, which first has, too
	NIC_FRAME_ASIDE = 1 << 1, // its packets are not those of rc_tx_next(): READ, irn, skip
};

// Bytes that the data frames of a queue pair have besides their payload.
struct nic_frame {
	uint16_t overhead; // of each frame: headers, tags and ICRC
	uint16_t reth;     // of first and only
	uint16_t own;      // immediate data of last and only, or the AETH of a READ's responses
	uint16_t least;    // shortest frame
	uint8_t form;      // NIC_FRAME_*
	uint8_t pad_mask;  // the payload is padded to a multiple of pad_mask + 1
};

// Of a requester's parameters.
struct nic_frame nic_frame_of(const struct nic_qp_params *p);

// Bytes of immediate data or AETH in a frame.
static inline uint32_t nic_frame_own(const struct nic_frame *f, bool first, bool last)
{
	return last || (f->form & NIC_FRAME_AETHS && first) ? f->own : 0;
}

static inline uint32_t nic_frame_pad(const struct nic_frame *f, uint32_t payload)
{
	return -payload & f->pad_mask;
}

// Length of a frame without FCS. `own`: nic_frame_own of it.
static inline uint32_t nic_frame_len(
	const struct nic_frame *f, uint32_t payload, bool first, uint32_t own)
{
	uint32_t len = f->overhead + payload + nic_frame_pad(f, payload) + (first ? f->reth : 0);

	len += own;
	return len < f->least ? f->least : len;
}

// Length of the ACKs that a responder sends, or of the requests of its READs.
uint16_t nic_ack_len(const struct nic_qp_params *p);
// Length of the NAKs of a requester or a responder to a peer that is no NIC of ours.
uint16_t nic_nak_len(const struct nic_qp_params *p);
// Length of its CNPs.
uint16_t nic_cnp_len(const struct nic_qp_params *p);

// Requests that were refused for one reason: the first of them, and how many there were.
struct nic_refusal {
	struct rc_refused what;
	uint32_t flow, qpn, psn; // QPN: ours
	tstamp at;
	uint64_t times;
};

enum nic_drop {
	NIC_DROP_MALFORMED,
	NIC_DROP_TOO_LONG,
	NIC_DROP_NOT_FOR_US, // another destination address (flooded)
	NIC_DROP_NO_QP,
	NIC_DROP_RXBUF,
	NIC_DROP_LINK_DOWN,
	NIC_DROP_NO_DESC,
	NIC_DROP_UNKNOWN, // a protocol that a NIC of ours does not speak
	NIC_DROP_ICRC,
	NIC_DROP_BAD_REQUEST, // ARP, neighbour discovery or ICMP that is malformed
	NIC_DROP_NO_ANSWER,   // a request beyond what NIC_ANSWERS says, or with a small mtu
	NIC_DROP_ECHO_FULL,   // to be sent back, while NIC_ECHOES wait
	NIC_DROP_NO_ECHO,     // not to be sent back: from no host, or a fragment
	NIC_DROP_WRONG_PEER,  // RoCE for a queue pair, and not from its peer
	NIC_DROPS,
};

const char *nic_drop_name(enum nic_drop d);
enum drop_fate nic_drop_fate(enum nic_drop d);
// Whether each drop for this reason is an event. A stranger chooses how many frames it sends, so
// few of its drops are events.
static inline bool nic_drop_is_event(enum nic_drop d)
{
	return d != NIC_DROP_WRONG_PEER;
}

struct nic_stats {
	uint64_t rx_frames, rx_bytes, tx_frames, tx_bytes; // all, bytes with FCS
	uint64_t originated_frames, consumed_frames;
	uint64_t np_ecn_marked_roce_packets, np_cnp_sent, np_cnp_capped;
	uint64_t rp_cnp_handled, rp_cnp_ignored;
	uint64_t rp_cnm_handled, rp_cnm_ignored; // QCN
	uint64_t out_of_sequence, duplicate_request, packet_seq_err, local_ack_timeout_err;
	uint64_t implied_nak_seq_err;
	uint64_t resp_remote_access_errors, resp_invalid_requests;
	uint64_t rx_icrc_errors;
	uint64_t rx_wrong_peer;
	uint64_t rx_payload_errors;
	uint64_t pfc_invalid_frames, pause_rx_frames, pause_tx_frames, pause_stranger_frames;
	uint64_t gen_tx_frames, gen_rx_frames;
	uint64_t arp_rx, arp_reply, nd_rx, nd_reply, ping_rx, ping_reply;
	uint64_t neigh_moved, neigh_disputed, address_conflicts;
	uint64_t arp_request, nd_solicit, cm_rx, cm_tx;
	uint64_t stream_rx, streams_forgotten;
	uint64_t echo_rx, echo_tx;
	uint64_t place_waits, place_wait_ps; // messages with live_pairs; as of nic_account
	uint64_t messages_dropped;           // of loads, while nic_params.waiting waited
	uint64_t map_misses;                 // selective repeat; as of nic_account
	uint64_t drop[NIC_DROPS];
	uint64_t malformed[FRAME_ERRORS]; // drop[NIC_DROP_MALFORMED] by enum frame_error
	bool knows_far; // the address of the link's other end: pause_stranger_frames are counted
	bool has_live_pairs; // live_pairs limits the places
	bool has_loads;
	bool has_maps; // selective repeat
};

// Per queue pair, in the Open Traffic Generator's words (measuring.md). The order is that of lines
// of the cache (struct nic_req_use, struct nic_rsp_use).
struct nic_qp_stats {
	// Counters of a data frame sent, or of an ACK received.
	uint64_t data_frames_tx;
	uint64_t tx_bytes;      // payload
	uint64_t wire_bytes_tx; // len + FCS
	uint64_t message_tx;
	uint64_t ack_rx;
	uint64_t first_timestamp, last_timestamp; // ps, of data received (responder) or sent
	// Counters of a data frame received.
	uint64_t data_frames_rx;
	uint64_t rx_bytes;      // payload accepted in order (goodput)
	uint64_t wire_bytes_rx; // len + FCS
	// ps, responder. latency_max is TSTAMP_NEVER once a frame came of which it is not known
	// when it left.
	uint64_t latency_min, latency_max, latency_sum;
	uint64_t message_complete_rx;
	// Counters of rarer things.
	uint64_t receives;     // messages received that took a posted receive
	uint64_t immediate_rx; // messages received that brought immediate data
	uint64_t frame_sequence_error;
	uint64_t ecn_ce_rx, cnp_tx, ack_tx, nak_tx;
	uint64_t data_frames_retransmitted, nak_rx, cnp_rx;
	// Decreases that lowered the rate or the window. With rp_by_class, a queue pair takes a CNP
	// to its class later, in the next nic_account() at the latest, and its cut counts then.
	uint64_t rate_cuts;
	uint64_t cnm_rx; // QCN: for its reaction point
	uint64_t message_fail;
	// Bytes on the wire that its limiter allowed while it could send: it had data and window,
	// was not paused or masked, and its link was up. As of nic_account.
	uint64_t pace_owed_bytes;
	// of its reaction point, without a change of rate. As of nic_account
	uint64_t alpha_updates;
	// Time in which it had data to send and its class was paused, or its link was down; 0 where
	// the RDMA IP limits by windows. As of nic_account
	uint64_t paused_ps;
};

#define NIC_AHEAD_UNKNOWN INT64_MIN // another clock of which nothing is known

// Receive accounting of one open-loop source.
struct nic_gen_stats {
	uint64_t rx_frames, rx_bytes, lost, out_of_order, ecn_ce_rx;
	// ps, of frames whose instant of sending is known; `undated`: number of all other frames
	uint64_t latency_min, latency_max, latency_sum, undated;
	uint32_t next_seq;
};

// Firmware on the NIC's own processor: told of CNP interrupts and of the instants that it asked
// for. It acts by nic_reg_read and nic_reg_write.
struct nic_fw_ops {
	void (*cnp)(void *fw, uint32_t qp, tstamp now); // by its number
	tstamp (*deadline)(void *fw);
	void (*expire)(void *fw, tstamp now);
};

// The rows of nic_malformed_stat_table are fields of struct nic_stats too.
extern const struct stat_table nic_stat_table, nic_malformed_stat_table, nic_qp_stat_table;
extern const struct stat_table nic_gen_stat_table;
