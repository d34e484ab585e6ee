// SPDX-License-Identifier: BSD-3-Clause
// The table of events: name of each type, when it happens, its fields, and the columns that show
// them.
#include "ev.h"

const struct ev_column ev_column[EV_COLS] = {
	[EV_COL_TIME] = {"time_us", "", "instant, us, whole ps behind the point"},
	[EV_COL_EVENT] = {"event", "", "its type, below"},
	[EV_COL_OBJECT] = {"object", "", "the port: `s1:r`"},
	[EV_COL_CLASS] = {"class", "", "class or priority"},
	[EV_COL_FLOW] = {"flow", "", "name of the flow or open-loop source"},
	[EV_COL_DETAIL] = {"detail", "", "below"},
	[EV_COL_BYTES] = {"bytes", "bytes", "bytes without FCS"},
	[EV_COL_QUEUE] = {"queue_bytes", "bytes", "bytes queued, frames with FCS"},
	[EV_COL_QUANTA] = {"quanta", "quanta", "pause time in 512 bit times of the link"},
	[EV_COL_PSN] = {"psn", "", "packet sequence number"},
	[EV_COL_RC] = {"rc_gbps", "", "rate of the reaction point after the event, Gb/s"},
	[EV_COL_RT] = {"rt_gbps", "", "its target rate after the event, Gb/s"},
	[EV_COL_ALPHA] = {"alpha", "", "its alpha after the event, rounded down"},
};

// A field of a member of struct ev, which is called as it is there.
#define FIELD(member, field, unit, form, column, help)                             \
	{                                                                          \
#field, unit, offsetof(struct ev, member.field),                   \
			sizeof(((struct ev *)0)->member.field), form, column, help \
	}

#define CLASS                                                                              \
	{                                                                                  \
		"class", "", offsetof(struct ev, cls), 1, EV_FORM_NUMBER, EV_COL_CLASS, "" \
	}

#define FLOW(member) FIELD(member, flow, "", EV_FORM_FLOW, EV_COL_FLOW, "")
// A number that the file does not show.
#define HIDDEN(member, field, unit) FIELD(member, field, unit, EV_FORM_NUMBER, EV_COL_NONE, "")

static const struct ev_field mark[] = {
	CLASS,
	FIELD(mark, hdr, "", EV_FORM_HDR, EV_COL_FLOW, ""),
	FIELD(mark, queue_bytes, "bytes", EV_FORM_NUMBER, EV_COL_QUEUE,
		"length that the marker saw"),
	FIELD(mark, psn, "", EV_FORM_NUMBER, EV_COL_PSN, ""),
};

static const struct ev_field drop[] = {
	CLASS,
	FIELD(drop, reason, "", EV_FORM_DROP, EV_COL_DETAIL, "reason"),
	FIELD(drop, bytes, "bytes", EV_FORM_NUMBER, EV_COL_BYTES, ""),
	FIELD(drop, held_bytes, "bytes", EV_FORM_NUMBER, EV_COL_QUEUE,
		"in the queue or buffer that refused"),
	HIDDEN(drop, out, ""),
};

static const struct ev_field pfc_tx[] = {
	FIELD(pfc_tx, enable, "", EV_FORM_CLASSES, EV_COL_DETAIL,
		"class-enable vector, `pause` for 802.3x PAUSE"),
	FIELD(pfc_tx, quanta, "quanta", EV_FORM_NUMBER, EV_COL_QUANTA, ""),
	HIDDEN(pfc_tx, whole_link, ""),
	HIDDEN(pfc_tx, rx_bytes, "bytes"),
	HIDDEN(pfc_tx, rx_frames, "frames"),
};

static const struct ev_field pause_rx[] = {
	CLASS,
	FIELD(pause, quanta, "quanta", EV_FORM_NUMBER, EV_COL_QUANTA, ""),
	HIDDEN(pause, with_class_0, ""),
};

static const struct ev_field resume_rx[] = {
	CLASS,
	FIELD(pause, by, "", EV_FORM_RESUME, EV_COL_DETAIL,
		"`xon`, `expired`, or `pfcwd` where the watchdog lifted the pause"),
	HIDDEN(pause, with_class_0, ""),
};

static const struct ev_field qp[] = {FLOW(qp)};

static const struct ev_field cnp_tx[] = {
	FLOW(cnp_tx),
	HIDDEN(cnp_tx, for_nak, ""),
	HIDDEN(cnp_tx, since_ps, "ps"),
};

static const struct ev_field cnp_rx[] = {FLOW(cnp_rx), HIDDEN(cnp_rx, age_ps, "ps")};

static const struct ev_field reg[] = {
	FIELD(reg, address, "", EV_FORM_REG, EV_COL_DETAIL,
		"address, for a field its low bit, the written value, and the name"),
	HIDDEN(reg, lsb, "bits"),
	HIDDEN(reg, width, "bits"),
	HIDDEN(reg, value, ""),
};

static const struct ev_field rp[] = {
	FLOW(rp),
	{"reaction", "", offsetof(struct ev, reaction), 1, EV_FORM_REACTION, EV_COL_DETAIL,
		"its action"},
	FIELD(rp, rc, "bit/s", EV_FORM_GBPS, EV_COL_RC, ""),
	FIELD(rp, rt, "bit/s", EV_FORM_GBPS, EV_COL_RT, ""),
	FIELD(rp, alpha_millionths, "millionths", EV_FORM_MILLIONTHS, EV_COL_ALPHA, ""),
};

static const struct ev_field rp_alpha[] = {
	FLOW(rp),
	FIELD(rp, rc, "bit/s", EV_FORM_GBPS, EV_COL_RC, ""),
	FIELD(rp, rt, "bit/s", EV_FORM_GBPS, EV_COL_RT, ""),
	FIELD(rp, alpha_millionths, "millionths", EV_FORM_MILLIONTHS, EV_COL_ALPHA, ""),
};

static const struct ev_field message[] = {
	FLOW(message),
	{"number", "", 0, 0, EV_FORM_COUNT, EV_COL_DETAIL,
		"number of the message, counted from 0 by these events"},
	FIELD(message, bytes, "bytes", EV_FORM_NUMBER, EV_COL_BYTES, ""),
	HIDDEN(message, begun, "ps"),
	HIDDEN(message, posted, "ps"),
};

static const struct ev_field lost[] = {
	FLOW(message),
	FIELD(message, bytes, "bytes", EV_FORM_NUMBER, EV_COL_BYTES, ""),
	HIDDEN(message, begun, "ps"),
	HIDDEN(message, posted, "ps"),
};

static const struct ev_field nak[] = {
	FLOW(retry), FIELD(retry, psn, "", EV_FORM_NUMBER, EV_COL_PSN, "")};

static const struct ev_field nak_tx[] = {
	FLOW(retry), FIELD(retry, psn, "", EV_FORM_NUMBER, EV_COL_PSN, "that is missing")};

static const struct ev_field timeout[] = {
	FLOW(retry),
	FIELD(retry, psn, "", EV_FORM_NUMBER, EV_COL_PSN, "that it goes back to"),
	HIDDEN(retry, active_at, "ps"),
};

static const struct ev_field resent[] = {
	FLOW(resent),
	FIELD(resent, bytes, "bytes", EV_FORM_NUMBER, EV_COL_BYTES, ""),
	FIELD(resent, psn, "", EV_FORM_NUMBER, EV_COL_PSN, ""),
};

static const struct ev_field fdb[] = {
	FIELD(fdb, key, "", EV_FORM_ADDRESS, EV_COL_DETAIL, "address/VLAN")};

static const struct ev_field storm[] = {
	CLASS,
	FIELD(storm, action, "", EV_FORM_ACTION, EV_COL_DETAIL, "the action"),
	FIELD(storm, queue_bytes, "bytes", EV_FORM_NUMBER, EV_COL_QUEUE, ""),
};

static const struct ev_field restore[] = {
	CLASS,
	FIELD(restore, action, "", EV_FORM_ACTION, EV_COL_DETAIL, "the action"),
	HIDDEN(restore, storm_ps, "ps"),
};

static const struct ev_field cnm_tx[] = {
	CLASS,
	FIELD(cnm_tx, hdr, "", EV_FORM_HDR, EV_COL_FLOW, "of the sampled frame"),
	FIELD(cnm_tx, qntzfb, "", EV_FORM_NUMBER, EV_COL_DETAIL, "QntzFb"),
	FIELD(cnm_tx, queue_bytes, "bytes", EV_FORM_NUMBER, EV_COL_QUEUE, ""),
};

static const struct ev_field cnm_rx[] = {
	FLOW(cnm_rx), FIELD(cnm_rx, qntzfb, "", EV_FORM_NUMBER, EV_COL_DETAIL, "QntzFb")};

static const struct ev_field iqcn_tx[] = {
	FIELD(iqcn_tx, hdr, "", EV_FORM_HDR, EV_COL_FLOW, ""),
	FIELD(iqcn_tx, waited_ps, "ps", EV_FORM_US, EV_COL_DETAIL, "us since the flow's last CNP"),
};

static const struct ev_field ce_rx[] = {FLOW(ce_rx), HIDDEN(ce_rx, is_nak, "")};

static const struct ev_field deadlock[] = {
	CLASS,
	FIELD(deadlock, place, "", EV_FORM_PLACE, EV_COL_DETAIL,
		"its place in the cycle and since when"),
	HIDDEN(deadlock, queues, ""),
	HIDDEN(deadlock, since, "ps"),
};

static const struct ev_field cut[] = {FLOW(cut), HIDDEN(cut, next, "ps")};

static const struct ev_field rtt[] = {
	FLOW(rtt),
	FIELD(rtt, rtt_ps, "ps", EV_FORM_US, EV_COL_DETAIL,
		"us from the first bit of a frame to the arrival of its ACK"),
};

static const struct ev_field holder[] = {
	CLASS,
	FIELD(holder, out, "", EV_FORM_QUEUE, EV_COL_DETAIL, "egress port and class of the queue"),
	FIELD(holder, group_bytes, "bytes", EV_FORM_NUMBER, EV_COL_BYTES,
		"that the ingress group has in all, frames with FCS"),
	FIELD(holder, bytes, "bytes", EV_FORM_NUMBER, EV_COL_QUEUE,
		"that it holds of the ingress group"),
	HIDDEN(holder, out_cls, ""),
};

static const struct ev_field link_fields[] = {
	FIELD(link, queue_bytes, "bytes", EV_FORM_NUMBER, EV_COL_QUEUE,
		"in all queues of the port"),
};

static const struct ev_field refused[] = {
	FLOW(refused),
	{"refusal", "", offsetof(struct ev, refusal), 1, EV_FORM_REFUSAL, EV_COL_DETAIL,
		"reason, value of the request and right value, in hexadecimal"},
	FIELD(refused, psn, "", EV_FORM_NUMBER, EV_COL_PSN, ""),
	HIDDEN(refused, its, ""),
	HIDDEN(refused, ours, ""),
};

static const struct ev_field immediate[] = {
	FLOW(immediate),
	FIELD(immediate, value, "", EV_FORM_NUMBER, EV_COL_DETAIL, "its value"),
};

static const struct ev_field fault[] = {
	CLASS,
	FIELD(fault, hdr, "", EV_FORM_HDR, EV_COL_FLOW, ""),
	FIELD(fault, action, "", EV_FORM_FAULT, EV_COL_DETAIL,
		"the record's number, the action, and the kind of frame: `3 drop data`"),
	FIELD(fault, bytes, "bytes", EV_FORM_NUMBER, EV_COL_BYTES, ""),
	FIELD(fault, psn, "", EV_FORM_NUMBER, EV_COL_PSN, ""),
	HIDDEN(fault, record, ""),
	HIDDEN(fault, qpn, ""),
	HIDDEN(fault, nth, ""),
	HIDDEN(fault, kind, ""),
};

static const struct ev_field user_mark[] = {
	FIELD(user_mark, text, "", EV_FORM_TEXT, EV_COL_DETAIL,
		"its text; of a command with who gave it"),
};

static const struct ev_field job_step[] = {
	FIELD(job_step, rank, "", EV_FORM_RANK, EV_COL_DETAIL,
		"its job and its number, the iteration, its start and the last end of a receive "
		"or calc: `ring.3 iteration 0 from 10 to 92.500000 us`"),
	HIDDEN(job_step, iteration, ""),
	HIDDEN(job_step, start, "ps"),
	HIDDEN(job_step, done, "ps"),
};

static const struct ev_field job_part[] = {
	FIELD(job_part, rank, "", EV_FORM_RANK, EV_COL_DETAIL,
		"its job and its number, the iteration, the part and its time: `ring.3 iteration "
		"0 wire 80.250000 us`"),
	{"part", "", offsetof(struct ev, cls), 1, EV_FORM_NUMBER, EV_COL_NONE, ""},
	HIDDEN(job_part, iteration, ""),
	HIDDEN(job_part, ps, "ps"),
};

static const struct ev_field job_calc[] = {
	FIELD(job_calc, rank, "", EV_FORM_RANK, EV_COL_DETAIL,
		"its job and its number, the operation in the rank's schedule, from 0, and its "
		"start: `ring.3 op 7 from 20.500000 us`"),
	HIDDEN(job_calc, op, ""),
	HIDDEN(job_calc, start, "ps"),
};

static const struct ev_field job_message[] = {
	FIELD(job_message, rank, "", EV_FORM_RANK, EV_COL_DETAIL,
		"its job and its number, the rank that sent it, its tag, and the start of its "
		"send: `ring.3 from 2 tag 5 since 20.500000 us`"),
	FIELD(job_message, bytes, "bytes", EV_FORM_NUMBER, EV_COL_BYTES, "payload"),
	HIDDEN(job_message, from, ""),
	HIDDEN(job_message, tag, ""),
	HIDDEN(job_message, posted, "ps"),
};

#define ROW(type_name, who, fields, use, when)                                          \
	{                                                                               \
		type_name, when, who, fields, sizeof(fields) / sizeof((fields)[0]), use \
	}

enum { BOTH = EV_USE_FIGURES | EV_USE_FILE };

static const struct ev_field set[] = {
	FIELD(set, number, "", EV_FORM_SET, EV_COL_DETAIL,
		"number of the change, and its kinds of values: `wred`, `pfc`, `weights`, "
		"`shapers`, `watchdog`, `flows`, `np`"),
	HIDDEN(set, what, ""),
};

const struct ev_row ev_row[EV_TYPES] = {
	[EV_NONE] = {.name = "none", .when = "never", .object = ""},
	[EV_MARK] = ROW("mark", "egress port of a switch", mark, BOTH, "a marker marks a frame"),
	[EV_DROP] = ROW("drop", "ingress port of a switch, port of a NIC", drop, EV_USE_FILE,
		"a frame is dropped"),
	[EV_XOFF_TX] = ROW("xoff_tx", "port that sends it", pfc_tx, BOTH,
		"XOFF leaves by PFC or PAUSE, the first or a refresh"),
	[EV_XON_TX] = ROW("xon_tx", "port that sends it", pfc_tx, BOTH, "XON leaves"),
	[EV_PAUSE_RX] = ROW("pause_rx", "port that is stopped", pause_rx, BOTH,
		"the peer stops a class that was not stopped"),
	[EV_RESUME_RX] = ROW("resume_rx", "port that goes on", resume_rx, BOTH, "a class goes on"),
	[EV_CNP_TX] = ROW("cnp_tx", "receiver", cnp_tx, BOTH, "a notification point sends a CNP"),
	[EV_CNP_RX] = ROW("cnp_rx", "sender", cnp_rx, BOTH, "a CNP comes to its queue pair"),
	[EV_CNP_INT] = ROW(
		"cnp_int", "sender", qp, EV_USE_FILE, "the RDMA IP raises its interrupt for a CNP"),
	[EV_REG] = ROW("reg", "host", reg, EV_USE_FILE, "a register of the RDMA IP is written"),
	[EV_RP] = ROW("rp", "sender", rp, BOTH, "a reaction point does something"),
	[EV_MSG_DONE] = ROW("msg_done", "sender", message, BOTH, "a message is acknowledged"),
	[EV_NAK] = ROW("nak", "sender", nak, EV_USE_FILE, "a NAK comes"),
	[EV_TIMEOUT] = ROW("timeout", "sender", timeout, BOTH, "the retransmission timer runs out"),
	[EV_QP_FAILED] = ROW("qp_failed", "sender", qp, EV_USE_FILE, "a queue pair gives up"),
	[EV_FDB] = ROW("fdb", "port of a switch", fdb, EV_USE_FILE,
		"an address is learned at a port or moves to it"),
	[EV_PFCWD_STORM] = ROW("pfcwd_storm", "egress port of a switch", storm, EV_USE_FILE,
		"the watchdog finds a storm"),
	[EV_PFCWD_RESTORE] = ROW("pfcwd_restore", "egress port of a switch", restore, EV_USE_FILE,
		"a storm is over"),
	[EV_CNM_TX] = ROW("cnm_tx", "egress port of the congestion point", cnm_tx, BOTH,
		"a congestion point sends a CNM"),
	[EV_CNM_RX] = ROW("cnm_rx", "sender", cnm_rx, BOTH, "a CNM comes to a queue pair"),
	[EV_IQCN_TX] = ROW("iqcn_tx", "port of a switch where the flow leaves", iqcn_tx, BOTH,
		"iQCN sends a CNP itself"),
	[EV_FAST_CNP_TX] = ROW("fast_cnp_tx", "egress port of the marker", mark, BOTH,
		"a switch sends a CNP itself for a frame that its marker chose"),
	[EV_CE_RX] = ROW("ce_rx", "receiver", ce_rx, EV_USE_FIGURES,
		"CE, or a NAK that counts as CE, comes to a notification point"),
	[EV_DEADLOCK] = ROW("deadlock", "egress port of a queue of the cycle", deadlock,
		EV_USE_FILE | EV_USE_OWN, "a sample finds a deadlock, once for each of its queues"),
	[EV_DEADLOCK_END] = ROW("deadlock_end", "egress port of a queue of the cycle", deadlock,
		EV_USE_FILE | EV_USE_OWN, "a sample finds a deadlock gone"),
	[EV_CUT] = ROW("cut", "sender", cut, EV_USE_FIGURES, "a reaction point has decreased"),
	[EV_RTT] = ROW("rtt", "sender", rtt, BOTH,
		"an ACK comes for a frame that was timed, where the reaction point asks for it"),
	[EV_XOFF_HOLDER] = ROW("xoff_holder", "port that sends XOFF", holder, EV_USE_NAMED,
		"XOFF leaves, once for each of the four queues with most bytes of its group"),
	[EV_RP_ALPHA] = ROW("rp_alpha", "sender", rp_alpha, EV_USE_NAMED,
		"a reaction point's alpha changes by its timer or an ACK, and its rate does not"),
	[EV_LINK_DOWN] = ROW("link_down", "port of a switch or NIC", link_fields, BOTH,
		"the link of a port goes down"),
	[EV_LINK_UP] = {.name = "link_up",
		.when = "the link of a port is up again",
		.object = "port of a switch or NIC",
		.use = BOTH},
	[EV_REFUSED] = ROW("refused", "receiver of the request", refused, EV_USE_FILE,
		"a queue pair refuses a request by a NAK other than for its PSN"),
	[EV_IMMEDIATE] = ROW("immediate", "receiver", immediate, EV_USE_FILE,
		"a message that brings immediate data has come whole"),
	[EV_PEER_LOST] = ROW("peer_lost", "host that was asked to connect", qp, EV_USE_FILE,
		"a peer connects anew and has forgotten the old connection"),
	[EV_MSG_FAILED] = ROW("msg_failed", "sender", lost, EV_USE_FIGURES,
		"a message is lost: its queue pair has failed, or it found no room to wait"),
	[EV_SET] = ROW("set", "first port of the node", set, EV_USE_FILE,
		"a node adopts other values (an event `set`)"),
	[EV_USER_MARK] = ROW("user_mark", "first port of the first node", user_mark, EV_USE_FILE,
		"an event `mark`, or a command while the run goes on"),
	[EV_FAULT] = ROW("fault", "port where the frame came in", fault, EV_USE_FILE,
		"an injector of faults hits a frame"),
	[EV_NAK_TX] = ROW("nak_tx", "receiver", nak_tx, EV_USE_FILE,
		"a NAK leaves for a PSN that is missing, or the repeated request of a READ"),
	[EV_RESENT] = ROW("resent", "sender", resent, BOTH, "a data frame is sent again"),
	[EV_JOB_STEP] = ROW("job_step", "host of the rank", job_step, BOTH,
		"a rank of a job ends an iteration"),
	[EV_JOB_PART] = ROW("job_part", "host of the rank", job_part, BOTH,
		"it follows `job_step` for each part of the time of the iteration"),
	[EV_JOB_CALC] =
		ROW("job_calc", "host of the rank", job_calc, EV_USE_FILE, "a calc of a rank ends"),
	[EV_JOB_MESSAGE] = ROW("job_message", "host of the receiving rank", job_message,
		EV_USE_FILE, "a message of a job has come whole"),
};
