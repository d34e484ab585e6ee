// SPDX-License-Identifier: BSD-3-Clause
// The counters of a switch: the tables that name them, and the reasons for which it drops frames.
#include "sw_terms.h"

#include "contract/contract.h"

#define CLASS_ROW(field, unit, help) STAT_ROW(struct sw_class_stats, field, unit, help)
#define SEEN_ROW(name, ecn, help) \
	STAT_NAMED(struct sw_class_stats, name, seen_frames[ecn], "frames", help)
#define PORT_ROW(field, unit, help) STAT_ROW(struct sw_port_stats, field, unit, help)
#define DROP_ROW(name, reason, help) \
	STAT_NAMED(struct sw_port_stats, "drop_" name, drop[reason], "frames", help)
#define WD_ROW(field, unit, help) STAT_ROW(struct sw_wd_stats, field, unit, help)
static const struct stat_row class_rows[] = {
	CLASS_ROW(rx_frames, "frames", "received and given this class"),
	CLASS_ROW(rx_bytes, "bytes", "received and given this class, with FCS"),
	CLASS_ROW(tx_frames, "frames", "sent from this egress queue"),
	CLASS_ROW(tx_bytes, "bytes", "sent from this egress queue, with FCS"),
	CLASS_ROW(ecn_marked_frames, "frames", "CE set at this egress queue"),
	CLASS_ROW(ecn_marked_not_ect_frames, "frames",
		"CE set at this egress queue on frames that came Not-ECT"),
	CLASS_ROW(ecn_ce_rx_frames, "frames", "received with CE"),
	CLASS_ROW(dropped_frames, "frames", "received here and dropped anywhere in the switch"),
	CLASS_ROW(dropped_bytes, "bytes",
		"received here and dropped anywhere in the switch, with FCS"),
	CLASS_ROW(copied_frames, "frames", "copies owed for flooding frames received here"),
	CLASS_ROW(pfcwd_dropped_frames, "frames",
		"received here in the group of this number and dropped by the PFC watchdog"),
	CLASS_ROW(forwarded_frames, "frames",
		"received, copied or originated here and sent by some port"),
	CLASS_ROW(originated_frames, "frames", "CNMs and CNPs of the switch, charged here"),
	CLASS_ROW(cnm_tx_frames, "frames", "CNMs about frames of this egress queue"),
	CLASS_ROW(cn_discarded_frames, "frames", "refused by this congestion-controlled queue"),
	CLASS_ROW(heavy_ps, "ps", "this egress queue was heavily congested (iQCN)"),
	SEEN_ROW("ecn_not_ect_seen_frames", ECN_NOT_ECT, "Not-ECT seen by this queue's marker"),
	SEEN_ROW("ecn_ect1_seen_frames", ECN_ECT1, "ECT(1) seen by this queue's marker"),
	SEEN_ROW("ecn_ect0_seen_frames", ECN_ECT0, "ECT(0) seen by this queue's marker"),
	SEEN_ROW("ecn_ce_seen_frames", ECN_CE, "CE seen by this queue's marker: set elsewhere"),
	CLASS_ROW(wred_dropped_frames, "frames", "dropped by WRED before this egress queue"),
	CLASS_ROW(pg_dropped_frames, "frames",
		"received here in the group of this number and lost, except by the watchdog"),
};

static const struct stat_row port_rows[] = {
	PORT_ROW(rx_frames, "frames", "received, control frames too"),
	PORT_ROW(rx_bytes, "bytes", "received with FCS, control frames too"),
	PORT_ROW(tx_frames, "frames", "sent, control frames too"),
	PORT_ROW(tx_bytes, "bytes", "sent with FCS, control frames too"),
	PORT_ROW(flooded_frames, "frames", "received here and flooded"),
	PORT_ROW(copied_frames, "frames", "copies owed for flooding frames received here"),
	PORT_ROW(consumed_frames, "frames", "PFC, PAUSE and other MAC control received"),
	PORT_ROW(originated_frames, "frames", "PFC and PAUSE frames made for this port"),
	PORT_ROW(pfc_invalid_frames, "frames",
		"MAC control that is not obeyed: enable vector 0, another address or opcode"),
	PORT_ROW(pfc_disabled_frames, "frames",
		"PFC received that enables a class which this port does not obey"),
	PORT_ROW(pause_rx_frames, "frames", "802.3x PAUSE received"),
	PORT_ROW(pause_tx_frames, "frames", "802.3x PAUSE sent, time 0 too"),
	STAT_ROW_IF(struct sw_port_stats, knows_far, pause_stranger_frames, "frames",
		"PFC and 802.3x PAUSE received from another address than the link's other end "
		"has"),
	PORT_ROW(fdb_learned, "events", "addresses learned at this port"),
	PORT_ROW(fdb_moved, "events", "addresses that moved to this port"),
	PORT_ROW(fdb_full, "events",
		"addresses seen here whose set of the FDB was full: one of the set, or "
		"the new one, is forgotten"),
	DROP_ROW("malformed", SW_DROP_MALFORMED,
		"addresses, tags or MAC control are malformed; malformed_* tells why"),
	DROP_ROW("too_long", SW_DROP_TOO_LONG, "longer than the MTU of ingress or egress"),
	DROP_ROW("reserved", SW_DROP_RESERVED, "to 01-80-C2-00-00-0x, which is not forwarded"),
	DROP_ROW("same_port", SW_DROP_SAME_PORT, "the destination is where the frame came from"),
	DROP_ROW("no_route", SW_DROP_NO_ROUTE, "flooding had no port left"),
	DROP_ROW("shared", SW_DROP_SHARED, "over the limit of shared buffer"),
	DROP_ROW("headroom", SW_DROP_HEADROOM, "headroom full"),
	DROP_ROW("buffer", SW_DROP_BUFFER, "no byte of buffer left"),
	DROP_ROW("tail", SW_DROP_TAIL, "over the limit of the egress queue"),
	DROP_ROW("wred", SW_DROP_WRED, "chosen by WRED"),
	DROP_ROW("link_down", SW_DROP_LINK_DOWN, "the link was down"),
	DROP_ROW("no_desc", SW_DROP_NO_DESC, "no descriptor for a copy"),
	DROP_ROW("pfcwd", SW_DROP_PFCWD, "a queue that the PFC watchdog has shut"),
	PORT_ROW(malformed_forwarded_frames, "frames",
		"malformed above layer 2 and forwarded; malformed_* tells why"),
	PORT_ROW(pfc_no_desc, "events", "a PFC frame had to wait for a descriptor"),
	PORT_ROW(cn_no_desc, "events", "a CNM or CNP was owed, but no descriptor was left"),
	PORT_ROW(cn_untagged_frames, "frames", "CN-TAG stripped from frames that leave here"),
	PORT_ROW(iqcn_rx_cnp, "frames", "CNPs received here and recorded (iQCN)"),
	PORT_ROW(iqcn_foreign_cnp, "frames",
		"CNPs received here and not recorded: no data passed to their source, "
		"or the FDB has it elsewhere (iQCN)"),
	PORT_ROW(iqcn_untold_cnp, "frames",
		"CNPs received here and not recorded: no room for a message to the "
		"shard of their data (iQCN, lcores)"),
	PORT_ROW(iqcn_tx_cnp, "frames", "CNPs of the switch for flows that leave here (iQCN)"),
	PORT_ROW(tx_dropped_frames, "frames",
		"bound for this port and dropped, except by the buffer"),
	PORT_ROW(fast_cnp_tx, "frames", "CNPs of the switch for frames marked here (Fast CNP)"),
	PORT_ROW(fast_cnp_suppressed, "frames",
		"marked here, the flow had a Fast CNP within the interval"),
	PORT_ROW(fast_cnp_unknown, "frames", "marked here, the sender's QPN is not known"),
	PORT_ROW(fast_cnp_foreign_ack, "frames",
		"ACKs received here and ignored: the FDB has their source elsewhere (Fast CNP)"),
};

static const struct stat_row malformed_rows[] = {MALFORMED_ROWS(struct sw_port_stats)};

static const struct stat_row wd_rows[] = {
	WD_ROW(storms, "events", "storms detected on this queue"),
	WD_ROW(restored, "events", "storms that are over"),
	WD_ROW(tx_dropped_frames, "frames",
		"dropped: bound for the shut queue, waiting in it, or behind it for a device"),
	WD_ROW(rx_dropped_frames, "frames",
		"dropped: received by the port meanwhile, for a queue of this number"),
	WD_ROW(storm_ps, "ps", "in storms that are over"),
};

#define TABLE(name, rows)                                  \
	{                                                  \
		name, rows, sizeof(rows) / sizeof(rows[0]) \
	}

const struct stat_table sw_class_stat_table = TABLE("sw_class", class_rows);
const struct stat_table sw_port_stat_table = TABLE("sw_port", port_rows);
const struct stat_table sw_malformed_stat_table = TABLE("sw_port", malformed_rows);
const struct stat_table sw_wd_stat_table = TABLE("sw_wd", wd_rows);

static const struct drop_reason drops[SW_DROPS] = {
	[SW_DROP_MALFORMED] = {"malformed", DROP_LOSS},
	[SW_DROP_TOO_LONG] = {"too_long", DROP_LOSS},
	[SW_DROP_RESERVED] = {"reserved", DROP_FILTERED},
	[SW_DROP_SAME_PORT] = {"same_port", DROP_FILTERED},
	[SW_DROP_NO_ROUTE] = {"no_route", DROP_LOSS},
	[SW_DROP_SHARED] = {"shared", DROP_LOSS},
	[SW_DROP_HEADROOM] = {"headroom", DROP_LOSS},
	[SW_DROP_BUFFER] = {"buffer", DROP_LOSS},
	[SW_DROP_TAIL] = {"tail", DROP_LOSS},
	[SW_DROP_WRED] = {"wred", DROP_LOSS},
	[SW_DROP_LINK_DOWN] = {"link_down", DROP_LOSS},
	[SW_DROP_NO_DESC] = {"no_desc", DROP_LOSS},
	[SW_DROP_PFCWD] = {"pfcwd", DROP_EXEMPT},
};

const char *sw_drop_name(enum sw_drop d)
{
	return (unsigned)d < SW_DROPS ? drops[d].name : "unknown";
}

enum drop_fate sw_drop_fate(enum sw_drop d)
{
	return drops[d].fate;
}
