// SPDX-License-Identifier: BSD-3-Clause
// The counters of a NIC: the tables that name them, and the reasons for which it drops frames.
#include "contract/contract.h"
#include "nic_terms.h"

static const struct drop_reason drops[NIC_DROPS] = {
	[NIC_DROP_MALFORMED] = {"malformed", DROP_LOSS},
	[NIC_DROP_TOO_LONG] = {"too_long", DROP_LOSS},
	[NIC_DROP_NOT_FOR_US] = {"not_for_us", DROP_FILTERED},
	[NIC_DROP_NO_QP] = {"no_qp", DROP_LOSS},
	[NIC_DROP_RXBUF] = {"rxbuf", DROP_LOSS},
	[NIC_DROP_LINK_DOWN] = {"link_down", DROP_LOSS},
	[NIC_DROP_NO_DESC] = {"no_desc", DROP_LOSS},
	[NIC_DROP_UNKNOWN] = {"unknown", DROP_LOSS},
	[NIC_DROP_ICRC] = {"icrc", DROP_LOSS},
	[NIC_DROP_BAD_REQUEST] = {"bad_request", DROP_LOSS},
	[NIC_DROP_NO_ANSWER] = {"no_answer", DROP_LOSS},
	[NIC_DROP_ECHO_FULL] = {"echo_full", DROP_LOSS},
	[NIC_DROP_NO_ECHO] = {"no_echo", DROP_LOSS},
	[NIC_DROP_WRONG_PEER] = {"wrong_peer", DROP_LOSS},
};

const char *nic_drop_name(enum nic_drop d)
{
	return (unsigned)d < NIC_DROPS ? drops[d].name : "?";
}

enum drop_fate nic_drop_fate(enum nic_drop d)
{
	return drops[d].fate;
}

#define DROP_ROW(name, reason, help) \
	STAT_NAMED(struct nic_stats, "drop_" name, drop[reason], "frames", help)

static const struct stat_row nic_rows[] = {
	STAT_ROW(struct nic_stats, rx_frames, "frames", "received, all kinds"),
	STAT_ROW(struct nic_stats, rx_bytes, "bytes", "received, with FCS"),
	STAT_ROW(struct nic_stats, tx_frames, "frames", "sent, all kinds"),
	STAT_ROW(struct nic_stats, tx_bytes, "bytes", "sent, with FCS"),
	STAT_ROW(struct nic_stats, originated_frames, "frames", "made here"),
	STAT_ROW(struct nic_stats, consumed_frames, "frames", "received and dealt with"),
	STAT_ROW(struct nic_stats, np_ecn_marked_roce_packets, "frames",
		"RoCE data received with CE (notification point)"),
	STAT_ROW(struct nic_stats, np_cnp_sent, "frames", "CNPs made (notification point)"),
	STAT_ROW(struct nic_stats, np_cnp_capped, "events",
		"CNPs due and not made: the NIC's cap (cnps_per_s)"),
	STAT_ROW(struct nic_stats, rp_cnp_handled, "events", "CNPs taken by a reaction point"),
	STAT_ROW(struct nic_stats, rp_cnp_ignored, "events", "CNPs for a flow without one"),
	STAT_ROW(
		struct nic_stats, rp_cnm_handled, "events", "CNMs taken by a reaction point (QCN)"),
	STAT_ROW(struct nic_stats, rp_cnm_ignored, "events", "CNMs for a flow without one"),
	STAT_ROW(struct nic_stats, out_of_sequence, "frames", "data received out of order"),
	STAT_ROW(struct nic_stats, duplicate_request, "frames", "data received again"),
	STAT_ROW(struct nic_stats, packet_seq_err, "events", "NAKs received for a sequence error"),
	STAT_ROW(struct nic_stats, implied_nak_seq_err, "events",
		"READ responses ahead of a missing one: it is requested again"),
	STAT_ROW(struct nic_stats, local_ack_timeout_err, "events", "retransmission timeouts"),
	STAT_ROW(struct nic_stats, resp_remote_access_errors, "frames",
		"requests refused: memory outside of the region that the peer was told"),
	STAT_ROW(struct nic_stats, resp_invalid_requests, "frames",
		"requests refused for their opcode, order or length"),
	STAT_ROW(struct nic_stats, rx_icrc_errors, "frames",
		"RoCEv2 that came as bytes with a wrong ICRC (check_icrc)"),
	STAT_ROW(struct nic_stats, rx_wrong_peer, "frames",
		"RoCEv2 that came as bytes and not from its queue pair's peer (peer_check)"),
	STAT_ROW(struct nic_stats, rx_payload_errors, "frames",
		"data that came as bytes with another payload than its flow's (check_payload)"),
	STAT_ROW(struct nic_stats, pfc_invalid_frames, "frames",
		"MAC control that is not obeyed: enable vector 0, another address or opcode"),
	STAT_ROW(struct nic_stats, pause_rx_frames, "frames", "802.3x PAUSE received"),
	STAT_ROW(struct nic_stats, pause_tx_frames, "frames", "802.3x PAUSE sent, time 0 too"),
	STAT_ROW_IF(struct nic_stats, knows_far, pause_stranger_frames, "frames",
		"PFC and 802.3x PAUSE received from another address than the link's other end has"),
	STAT_ROW(struct nic_stats, gen_tx_frames, "frames", "open-loop frames sent"),
	STAT_ROW(struct nic_stats, gen_rx_frames, "frames", "open-loop frames received"),
	STAT_ROW(struct nic_stats, arp_rx, "frames", "ARP received and read"),
	STAT_ROW(struct nic_stats, arp_reply, "frames", "ARP requests for our address, answered"),
	STAT_ROW(struct nic_stats, nd_rx, "frames",
		"neighbour solicitations and advertisements received and read"),
	STAT_ROW(struct nic_stats, nd_reply, "frames",
		"neighbour solicitations of our address, answered"),
	STAT_ROW(struct nic_stats, ping_rx, "frames", "echo requests to our address"),
	STAT_ROW(struct nic_stats, ping_reply, "frames", "echo requests to our address, answered"),
	STAT_ROW(struct nic_stats, arp_request, "frames", "ARP requests of ours for a peer"),
	STAT_ROW(struct nic_stats, nd_solicit, "frames",
		"neighbour solicitations of ours for a peer"),
	STAT_ROW(struct nic_stats, cm_rx, "frames", "messages of RDMA-CM received"),
	STAT_ROW(struct nic_stats, cm_tx, "frames", "messages of RDMA-CM sent"),
	STAT_ROW(struct nic_stats, stream_rx, "frames", "frames of foreign streams received"),
	STAT_ROW(struct nic_stats, streams_forgotten, "events",
		"foreign streams replaced by another one"),
	STAT_ROW(struct nic_stats, echo_rx, "frames",
		"its own open-loop frames that came back, repeated ones too"),
	STAT_ROW(struct nic_stats, echo_tx, "frames", "frames sent back (responder: echo)"),
	STAT_ROW(struct nic_stats, neigh_moved, "events",
		"a neighbour told a new hardware address, which counts from then on"),
	STAT_ROW(struct nic_stats, neigh_disputed, "events",
		"a message told another hardware address of a neighbour; the known one stays"),
	STAT_ROW(struct nic_stats, address_conflicts, "events",
		"another hardware address told that it has our IP address"),
	STAT_ROW_IF(struct nic_stats, has_loads, messages_dropped, "messages",
		"of loads that came while as many waited as the host has room for"),
	STAT_ROW_IF(struct nic_stats, has_live_pairs, place_waits, "messages",
		"that waited for a queue pair's place (live_pairs)"),
	STAT_ROW_IF(struct nic_stats, has_live_pairs, place_wait_ps, "ps",
		"that messages waited for a queue pair's place, all together"),
	STAT_ROW_IF(struct nic_stats, has_maps, map_misses, "events",
		"early packets and NACKs, and timeouts, that found no map free (recovery irn, "
		"skip)"),
	DROP_ROW("malformed", NIC_DROP_MALFORMED, "malformed; malformed_* tells why"),
	DROP_ROW("too_long", NIC_DROP_TOO_LONG, "longer than the MTU"),
	DROP_ROW("not_for_us", NIC_DROP_NOT_FOR_US, "another destination address: flooded"),
	DROP_ROW("no_qp", NIC_DROP_NO_QP, "no such queue pair"),
	DROP_ROW("rxbuf", NIC_DROP_RXBUF, "receive buffer full"),
	DROP_ROW("link_down", NIC_DROP_LINK_DOWN, "came or was queued while the link was down"),
	DROP_ROW("no_desc", NIC_DROP_NO_DESC, "owed, but no descriptor was left"),
	DROP_ROW("unknown", NIC_DROP_UNKNOWN, "an unknown protocol, or broadcast"),
	DROP_ROW("icrc", NIC_DROP_ICRC, "RoCEv2 with a wrong ICRC"),
	DROP_ROW("bad_request", NIC_DROP_BAD_REQUEST,
		"ARP, neighbour discovery or ICMP that is malformed"),
	DROP_ROW("no_answer", NIC_DROP_NO_ANSWER, "requests beyond the limit of answers"),
	DROP_ROW("echo_full", NIC_DROP_ECHO_FULL, "to be sent back, but 1024 earlier ones waited"),
	DROP_ROW("no_echo", NIC_DROP_NO_ECHO,
		"not to be sent back: its sender's address is a group's, zero or ours, or it is "
		"a fragment"),
	DROP_ROW("wrong_peer", NIC_DROP_WRONG_PEER,
		"RoCEv2 for a queue pair, with other addresses or another P_Key than its peer's"),
};

static const struct stat_row malformed_rows[] = {MALFORMED_ROWS(struct nic_stats)};

static const struct stat_row qp_rows[] = {
	STAT_ROW(struct nic_qp_stats, data_frames_tx, "frames", "sent, again ones too"),
	STAT_ROW(struct nic_qp_stats, data_frames_rx, "frames", "received, all"),
	STAT_ROW(struct nic_qp_stats, data_frames_retransmitted, "frames", "sent again"),
	STAT_ROW(struct nic_qp_stats, frame_sequence_error, "frames", "received out of order"),
	STAT_ROW(struct nic_qp_stats, tx_bytes, "bytes", "payload sent"),
	STAT_ROW(struct nic_qp_stats, rx_bytes, "bytes", "payload accepted in order"),
	STAT_ROW(struct nic_qp_stats, wire_bytes_tx, "bytes", "data frames sent, with FCS"),
	STAT_ROW(struct nic_qp_stats, wire_bytes_rx, "bytes", "data frames received, with FCS"),
	STAT_ROW(struct nic_qp_stats, message_tx, "messages", "sent whole"),
	STAT_ROW(struct nic_qp_stats, message_complete_rx, "messages", "received whole"),
	STAT_ROW(struct nic_qp_stats, receives, "messages",
		"received whole, took a posted receive: SEND, WRITE with immediate"),
	STAT_ROW(struct nic_qp_stats, immediate_rx, "messages",
		"received whole, with immediate data"),
	STAT_ROW(struct nic_qp_stats, message_fail, "messages", "lost by the queue pair's failure"),
	STAT_ROW(struct nic_qp_stats, ecn_ce_rx, "frames", "data received with CE"),
	STAT_ROW(struct nic_qp_stats, cnp_tx, "frames", "CNPs made"),
	STAT_ROW(struct nic_qp_stats, cnp_rx, "frames", "CNPs received, or CE echoed by an ACK"),
	STAT_ROW(struct nic_qp_stats, ack_tx, "frames", "ACKs made"),
	STAT_ROW(struct nic_qp_stats, ack_rx, "frames", "ACKs received"),
	STAT_ROW(struct nic_qp_stats, nak_tx, "frames", "NAKs made"),
	STAT_ROW(struct nic_qp_stats, nak_rx, "frames", "NAKs received"),
	STAT_ROW(struct nic_qp_stats, rate_cuts, "events",
		"decreases that lowered the rate or the window"),
	STAT_ROW(struct nic_qp_stats, alpha_updates, "events",
		"changes of the reaction point's alpha, without a change of rate"),
	STAT_ROW(struct nic_qp_stats, cnm_rx, "frames", "CNMs received for its reaction point"),
	STAT_WHOLE(struct nic_qp_stats, first_timestamp, "ps", "first data frame sent or received"),
	STAT_WHOLE(struct nic_qp_stats, last_timestamp, "ps", "last data frame sent or received"),
	STAT_WHOLE(struct nic_qp_stats, latency_min, "ps", "first bit out to last bit in, data"),
	STAT_WHOLE(struct nic_qp_stats, latency_max, "ps", "first bit out to last bit in, data"),
	STAT_ROW(struct nic_qp_stats, latency_sum, "ps", "over data_frames_rx"),
	STAT_ROW(struct nic_qp_stats, paused_ps, "ps",
		"it had data to send, and its class was paused or the link was down"),
	STAT_ROW(struct nic_qp_stats, pace_owed_bytes, "bytes",
		"on the wire, allowed by the limiter while the queue pair could send"),
};

static const struct stat_row gen_rows[] = {
	STAT_ROW(struct nic_gen_stats, rx_frames, "frames", "received from this source"),
	STAT_ROW(struct nic_gen_stats, rx_bytes, "bytes", "received, with FCS"),
	STAT_ROW(struct nic_gen_stats, lost, "frames", "missing in the sequence so far"),
	STAT_ROW(struct nic_gen_stats, out_of_order, "frames", "came after a later one"),
	STAT_ROW(struct nic_gen_stats, ecn_ce_rx, "frames", "received with CE"),
	STAT_WHOLE(struct nic_gen_stats, latency_min, "ps", "first bit out to last bit in"),
	STAT_WHOLE(struct nic_gen_stats, latency_max, "ps", "first bit out to last bit in"),
	STAT_ROW(struct nic_gen_stats, latency_sum, "ps", "over rx_frames less undated"),
	STAT_ROW(struct nic_gen_stats, undated, "frames",
		"received, and nobody knows when they left: their sender's clock was not known, or "
		"they did not say it, or their sender knew no more"),
};

#define TABLE(object, rows)                                    \
	{                                                      \
		object, rows, sizeof(rows) / sizeof((rows)[0]) \
	}

const struct stat_table nic_stat_table = TABLE("nic", nic_rows);
const struct stat_table nic_malformed_stat_table = TABLE("nic", malformed_rows);
const struct stat_table nic_qp_stat_table = TABLE("qp", qp_rows);
const struct stat_table nic_gen_stat_table = TABLE("source", gen_rows);
