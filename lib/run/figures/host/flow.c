// SPDX-License-Identifier: BSD-3-Clause
// Flows: what each queue pair sent and received in the window, and how its reaction point stood
// (measuring.md M5, M7).
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/fixed.h"
#include "int.h"

struct flow {
	struct host_flow f; // the part that others read
	const char *name, *group, *port_tx, *port_rx, *control;
	const char *source, *destination, *failure;
	char address[2][64];
	unsigned src_qp, dest_qp, cls;
	bool rp, ipv4, ipv6, failed;
	bool sends, receives; // its sender of data is ours, its receiver is
	bool told;            // immediate data have come
	bool asks, answers;   // the requester is ours; the responder is
	struct rank rank;
	double frame_delta, data_tx_gbps, completion_us, receive_us;
	double avg_latency, min_latency, max_latency; // ns
	double first_us, last_us;
	struct host_split split;
	uint64_t timeouts;
	double fair_gbps, rc_gbps, rt_gbps, alpha;
	uint64_t immediate;
	uint64_t rp_events[RP_EVENTS];
};

// Returns whether a flow has a rate in the window that begins at `from`. A flow with a single
// message has one only if the message lasts through the window, and one of a load has none.
// `done`: messages that were complete, of the whole run.
static bool has_rate(const struct rec_flow *rec, uint64_t done, tstamp from)
{
	const struct nic_qp_params *req = &rec->scene->req;

	return !req->loaded && (req->count != 1 || (req->start <= from && !done));
}

static struct host_pace flow_pace(
	const struct rec_flow *rec, const struct nic_qp_stats *tx, bool has_rate)
{
	bool paced = has_rate && (rec->rp || rec->scene->req.rate_limit);

	return host_pace(
		record_rate_wire(rec, tx), paced ? tx->pace_owed_bytes : 0, tx->data_frames_tx);
}

static void reaction_point(struct flow *o, const struct rec_flow *rec, tstamp span)
{
	struct rp_look *look = &o->f.look;

	o->rc_gbps = o->rt_gbps = o->alpha = o->f.rc_mean_gbps = NAN;
	for (unsigned i = 0; i < RP_STAGES; i++)
		o->f.stage_percent[i] =
			span ? 100 * (double)rec_flow_book(rec)->stage_ps[i] / (double)span : NAN;
	memcpy(o->rp_events, rec_flow_book(rec)->events, sizeof(o->rp_events));
	if (!rec->rp || !nic_qp_look(rec->nic, rec->qp, look))
		return;
	o->rc_gbps = (double)look->rc / 1e9;
	o->rt_gbps = (double)look->rt / 1e9;
	if (look->has_alpha) // rounded down, as everywhere: 1 is 1
		o->alpha = (double)fixed_mul(look->alpha, 1000000, 60) / 1e6;
	o->f.rc_mean_gbps = span ? (double)rec_flow_book(rec)->rate_ps / (double)span / 1e9 : NAN;
}

static void received(struct flow *o, const struct nic_qp_stats *rx)
{
	o->avg_latency = o->min_latency = o->max_latency = o->first_us = o->last_us = NAN;
	if (!rx->data_frames_rx)
		return;
	o->first_us = (double)rx->first_timestamp / 1e6;
	o->last_us = (double)rx->last_timestamp / 1e6;
	// With another machine's clock, or behind a device, nobody knows when the frames left.
	if (!o->sends || rx->latency_max == TSTAMP_NEVER)
		return;
	o->avg_latency = (double)rx->latency_sum / (double)rx->data_frames_rx / 1e3;
	o->min_latency = (double)rx->latency_min / 1e3;
	o->max_latency = (double)rx->latency_max / 1e3;
}

static const char *port_name(const struct summary *s, const struct rec_flow *rec, bool last)
{
	const struct scene_flow *f = rec->scene;
	const struct route *way = &rec->route;
	const struct scene *scene = s->rec->scene;
	const struct scene_port *p;

	if (!way->n) // a part knows no way to or from a host elsewhere; a host has one port
		return scene->node[last ? f->to : f->from].port[0].name;
	p = route_port(scene, &way->hop[last ? way->n - 1 : 0]);
	// The receiver's own port is the peer of the last one that sends.
	if (last && p->peer_node >= 0)
		p = &scene->node[p->peer_node].port[p->peer_port];
	return p->name;
}

static const char *address(const struct hdr *h, const uint8_t addr[16], char *buf)
{
	char *p = buf;

	if (h->flags & HDR_IPV6) {
		for (unsigned i = 0; i < 16; i += 2) {
			p = fmt_hex(p, (uint64_t)addr[i] << 8 | addr[i + 1], 4);
			*p++ = i < 14 ? ':' : '\0';
		}
	} else {
		for (unsigned i = 0; i < 4; i++) {
			p = fmt_u64(p, addr[i]);
			*p++ = i < 3 ? '.' : '\0';
		}
	}
	return buf;
}

// Fills in the flow's names and addresses.
static void identify(struct flow *o, const struct summary *s, const struct rec_flow *rec)
{
	const struct scene_flow *f = rec->scene;
	const struct hdr *h = &f->hdr_data;
	const struct rc_tx *rc = rec_flow_rc(rec);

	o->name = f->name;
	o->group = s->rec->group[rec->group].name;
	o->port_tx = port_name(s, rec, false);
	o->port_rx = port_name(s, rec, true);
	o->control = f->control;
	o->source = address(h, h->saddr, o->address[0]);
	o->destination = address(h, h->daddr, o->address[1]);
	o->src_qp = f->req.qpn;
	o->dest_qp = f->req.peer_qpn;
	o->cls = f->cls;
	o->ipv6 = h->flags & HDR_IPV6;
	o->ipv4 = !o->ipv6;
	o->rp = rec->rp;
	o->sends = scene_is_here(s->rec->scene, f->from);
	o->receives = scene_is_here(s->rec->scene, f->to);
	o->asks = f->rc->p.verb == RC_READ ? o->receives : o->sends;
	o->answers = f->rc->p.verb == RC_READ ? o->sends : o->receives;
	o->failed = rc && rc->failed;
	o->failure = o->failed ? rc_failure_name((enum rc_failure)rc->failed) : NULL;
}

// The completion time by the receiver's clock; NAN: the flow has no end, has not come to it, or its
// receiver is not ours.
static double receive_us(const struct rec_flow *rec, const struct nic_qp_stats *rx)
{
	uint64_t count = rec->scene->req.count;

	if (!count || !rec->to || rx->message_complete_rx < count)
		return NAN;
	return (double)tstamp_since(nic_qp_whole_at(rec->to, rec->to_qp), rx->first_timestamp) /
	       1e6;
}

static void flow_make(struct flow *o, const struct rec_flow *rec, tstamp from, tstamp to)
{
	const tstamp span = to - from;
	uint64_t count = rec->scene->req.count;
	struct host_flow *f = &o->f;
	const struct nic_qp_stats rx = *rec_flow_rx(rec);
	struct nic_qp_stats now;

	f->rec = rec;
	rec_flow_sent(rec, &now);
	f->tx = now;
	f->rx = rx;
	stat_diff(&nic_qp_stat_table, &f->tx, &now, &rec->warm->tx);
	stat_diff(&nic_qp_stat_table, &f->rx, &rx, &rec->warm->rx);
	if (rec->scene->rc->p.verb == RC_READ) { // the data's receiver asks, and is refused
		f->tx.message_fail = f->rx.message_fail;
		f->tx.nak_rx = f->rx.nak_rx;
		f->rx.nak_tx = f->tx.nak_tx;
	}
	o->told = rec->to && rx.immediate_rx;
	o->immediate = o->told ? nic_qp_immediate(rec->to, rec->to_qp) : 0;
	f->pace = flow_pace(rec, &f->tx, has_rate(rec, now.message_tx, from));
	f->goodput_gbps = o->receives ? host_gbps(f->rx.rx_bytes, span) : NAN;
	f->rate_gbps = has_rate(rec, rx.message_complete_rx, from) ? f->goodput_gbps : NAN;
	o->data_tx_gbps = o->sends ? host_gbps(f->tx.tx_bytes, span) : NAN;
	o->frame_delta = o->sends && o->receives
				 ? (double)f->tx.data_frames_tx - (double)f->rx.data_frames_rx
				 : NAN;
	o->completion_us = count && rec->messages >= count
				   ? (double)tstamp_since(rec->done_at, rec->posted_at) / 1e6
				   : NAN;
	o->receive_us = receive_us(rec, &rx);
	o->split = host_split(&rec->split, rec->split.messages);
	o->timeouts = rec->loss ? rec->loss->timeouts : 0;
	o->fair_gbps = rec->fair_gbps > 0 ? rec->fair_gbps : NAN;
	received(o, &f->rx);
	reaction_point(o, rec, span);
}

// Sort keys for the flows that summary.json lists first if it does not list all.
static double fastest(const void *o)
{
	const double gbps = ((const struct flow *)o)->f.goodput_gbps;

	return isnan(gbps) ? 0 : -gbps;
}

static double slowest(const void *o)
{
	const double gbps = ((const struct flow *)o)->f.goodput_gbps;

	return isnan(gbps) ? INFINITY : gbps;
}

static double most_cut(const void *o)
{
	return -(double)((const struct flow *)o)->f.tx.rate_cuts;
}

static const struct rank_order orders[] = {
	{"fastest", fastest, false}, {"slowest", slowest, false}, {"most_cut", most_cut, true}};

static int list_flows(const struct summary *s, struct set *to)
{
	const struct scene_record *want = &s->rec->scene->record;

	for (unsigned i = 0; i < to->n; i++) {
		struct flow *o = set_at(to, i);

		o->rank.listed = record_flow_kept(s->rec, i) && (o->sends || o->receives);
	}
	if (record_flow_step(s->rec) || s->live)
		return 0;
	return rank_list(to, offsetof(struct flow, rank),
		want->flows == SCENE_FLOWS_TOP ? want->flows_n : RANK_FIRST, orders,
		sizeof(orders) / sizeof(orders[0]));
}

static int make_flows(struct summary *s, struct set *to)
{
	if (set_room(to, &kind_flow, s->rec->n_flows))
		return -ENOMEM;
	for (unsigned i = 0; i < s->rec->n_flows; i++) {
		struct flow *o = set_add(to);

		identify(o, s, &s->rec->flow[i]);
		flow_make(o, &s->rec->flow[i], s->from, s->to);
	}
	return list_flows(s, to);
}

#define TX(field, name, unit, ...) \
	ROW_COUNT_IF(struct flow, sends, f.tx.field, name, unit, __VA_ARGS__)
#define RX(field, name, unit, ...) \
	ROW_COUNT_IF(struct flow, receives, f.rx.field, name, unit, __VA_ARGS__)
#define OWN(field, name, unit, decimals, ...) \
	ROW_VALUE(struct flow, field, name, unit, decimals, __VA_ARGS__)
#define RP(event, name, ...) \
	ROW_COUNT_IF(struct flow, rp, rp_events[event], name, "events", __VA_ARGS__)
#define STAGE(stage, name, ...) \
	ROW_VALUE_IF(struct flow, rp, f.stage_percent[stage], name, "%", 4, __VA_ARGS__)

static const struct figure figures[] = {
	ROW_TEXT(struct flow, name, "flow_name", "its name"),
	ROW_TEXT(struct flow, group, "group", "the group that it belongs to"),
	ROW_TEXT(struct flow, port_tx, "port_tx", "the sender's port"),
	ROW_TEXT(struct flow, port_rx, "port_rx", "the receiver's port"),
	ROW_ID(struct flow, src_qp, "src_qp", "QPN of the requester, as on the wire"),
	ROW_ID(struct flow, dest_qp, "dest_qp", "QPN of the responder, as on the wire"),
	ROW_TEXT_IF(struct flow, ipv4, source, "src_ipv4", "address of the sender"),
	ROW_TEXT_IF(struct flow, ipv4, destination, "dest_ipv4", "address of the receiver"),
	ROW_TEXT_IF(struct flow, ipv6, source, "src_ipv6", "address of the sender"),
	ROW_TEXT_IF(struct flow, ipv6, destination, "dest_ipv6", "address of the receiver"),
	ROW_ID(struct flow, cls, "class", "class of its data"),
	ROW_TEXT(struct flow, control, "control", "its control, as the scenario names it"),
	ROW_TEXT_IF(struct flow, rank.ranked, rank.listed_for, "listed_for",
		"where `record.flows` lists the first of each order only: of which this is, "
		"`fastest`, `slowest`, `most_cut`"),
	TX(data_frames_tx, "data_frames_tx", "frames", "data sent, repetitions too"),
	RX(data_frames_rx, "data_frames_rx", "frames", "data received, all"),
	OWN(frame_delta, "frame_delta", "frames", 0,
		"data frames sent less those received: lost, or on the way at an edge of the "
		"window"),
	TX(data_frames_retransmitted, "data_frames_retransmitted", "frames", "data sent again"),
	RX(frame_sequence_error, "frame_sequence_error", "frames", "data received out of order"),
	TX(tx_bytes, "tx_bytes", "bytes", "payload sent"),
	RX(rx_bytes, "rx_bytes", "bytes", "payload accepted in order"),
	OWN(data_tx_gbps, "data_tx_rate", "Gb/s", 6, "`tx_bytes` over the window"),
	OWN(f.goodput_gbps, "data_rx_rate", "Gb/s", 6, "`rx_bytes` over the window"),
	TX(message_tx, "message_tx", "messages", "messages sent whole"),
	RX(message_complete_rx, "message_complete_rx", "messages", "messages received whole"),
	RX(receives, "receives", "messages",
		"messages received whole that took a posted receive: "
		"SENDs, and WRITEs with immediate data"),
	RX(immediate_rx, "immediate_rx", "messages",
		"messages received whole that brought immediate data"),
	ROW_COUNT_IF(struct flow, told, immediate, "immediate_last", "",
		"the immediate data that came last in the whole run"),
	ROW_COUNT_IF(struct flow, asks, f.tx.message_fail, "message_fail", "messages",
		"messages lost by the queue pair's failure"),
	ROW_TEXT_IF(struct flow, failed, failure, "failure",
		"why its queue pair gave up: `retries exceeded`, `RNR retries exceeded`, `remote "
		"invalid request`, `remote access error`, `remote operational error`; with an "
		"external host: `peer not found`, `no answer to connect`, `connection rejected`, "
		"`connection ended by peer`, `too many connections`"),
	OWN(completion_us, "flow_completion_time", "us", 3,
		"by the end that posts its messages (the sender; of a READ the receiver): from the "
		"posting of the first to the acknowledgement of the last (of a READ to its last "
		"byte), where it has a `count` and all are"),
	OWN(receive_us, "flow_receive_time", "us", 3,
		"by the receiver: from its first data frame to the last byte of its last message, "
		"where it has a `count` and all have come whole"),
	HOST_SPLIT(struct flow, split),
	OWN(avg_latency, "avg_latency", "ns", 1,
		"of data frames, first bit out to last bit in: the mean"),
	OWN(min_latency, "min_latency", "ns", 1, "minimum of the latency in the whole run"),
	OWN(max_latency, "max_latency", "ns", 1, "maximum of the latency in the whole run"),
	RX(ecn_ce_rx, "ecn_ce_rx", "frames", "data received with CE"),
	RX(cnp_tx, "cnp_tx", "frames", "CNPs that the receiver sent"),
	TX(cnp_rx, "cnp_rx", "frames", "CNPs that the sender received"),
	TX(cnm_rx, "cnm_rx", "frames",
		"QCN: CNMs for its reaction point (one that is shared counts them for each queue "
		"pair)"),
	RX(ack_tx, "ack_tx", "frames", "ACKs made"),
	TX(ack_rx, "ack_rx", "frames", "ACKs received"),
	ROW_COUNT_IF(struct flow, answers, f.rx.nak_tx, "nak_tx", "frames", "NAKs made"),
	ROW_COUNT_IF(struct flow, asks, f.tx.nak_rx, "nak_rx", "frames", "NAKs received"),
	ROW_COUNT_IF(struct flow, asks, timeouts, "timeouts", "events", "retransmission timeouts"),
	ROW_TIME_US_IF(struct flow, sends, f.tx.paused_ps, "paused_us", 6,
		"time in which it had data to send and its class was paused at its host's port, or "
		"the port's link was down; 0 where the RDMA IP limits by windows"),
	OWN(first_us, "first_timestamp", "us", 6, "first data frame received, whole run"),
	OWN(last_us, "last_timestamp", "us", 6, "last data frame received, whole run"),
	OWN(f.goodput_gbps, "goodput_gbps", "Gb/s", 6, "`data_rx_rate`"),
	OWN(f.rate_gbps, "rate_gbps", "Gb/s", 6,
		"`data_rx_rate` where the flow has a rate: it has more than one message to send, "
		"or its only one lasts through the window"),
	OWN(fair_gbps, "fair_gbps", "Gb/s", 6, "its fair share, payload"),
	TX(rate_cuts, "rate_cuts", "events",
		"decreases of its reaction point that lowered its rate or window"),
	OWN(rc_gbps, "rc_gbps", "Gb/s", 6, "the reaction point's current rate at the end"),
	OWN(rt_gbps, "rt_gbps", "Gb/s", 6, "its target rate at the end"),
	OWN(f.rc_mean_gbps, "rc_mean_gbps", "Gb/s", 6, "its current rate, mean over time"),
	OWN(alpha, "alpha", "", 6, "its alpha at the end, rounded down"),
	OWN(f.pace.percent, "pace_err_percent", "%", 4,
		"the limiter's error: bytes sent on the wire less those that it allowed, in the "
		"window; of the latter. Allowed is the integral of its rate while the queue pair "
		"could send: it had data, its window was open, its class not paused, the link up, "
		"the queue pair not masked; a gap that ends meanwhile counts whole. Far below 0: "
		"it waited for the wire longer than `catch_up`, or a cut clipped what it was "
		"behind by. `null`: nothing limits it, the RDMA IP does by windows, or the flow "
		"has no rate (`rate_gbps`)"),
	OWN(f.pace.frames, "pace_err_frames", "frames", 1,
		"the limiter's error in frames of the mean length sent"),
	RP(RP_DECREASE, "rp_decrease",
		"decreases of its reaction point, those too that lowered nothing, as at its least "
		"rate"),
	RP(RP_BC_FAST_RECOVERY, "rp_bc_fast_recovery", "fast recovery by the byte counter"),
	RP(RP_BC_ADDITIVE_INCREASE, "rp_bc_additive_increase",
		"additive increase by the byte counter"),
	RP(RP_BC_HYPER_INCREASE, "rp_bc_hyper_increase", "hyper increase by the byte counter"),
	RP(RP_T_FAST_RECOVERY, "rp_t_fast_recovery", "fast recovery by the timer"),
	RP(RP_T_ADDITIVE_INCREASE, "rp_t_additive_increase", "additive increase by the timer"),
	RP(RP_T_HYPER_INCREASE, "rp_t_hyper_increase", "hyper increase by the timer"),
	RP(RP_ALPHA, "rp_alpha", "expiries of alpha's timer"),
	RP(RP_WRITTEN, "rp_written", "writes to its registers"),
	RP(RP_ACK_ADDITIVE_INCREASE, "rp_ack_additive_increase", "additive increase by an ACK"),
	RP(RP_ACK_HYPER_INCREASE, "rp_ack_hyper_increase", "hyper increase by an ACK"),
	STAGE(RP_STAGE_LINE_RATE, "line_rate_percent",
		"share of the time in which the reaction point was at line rate; "
		"a stage is what its last event was (a cut begins fast recovery)"),
	STAGE(RP_STAGE_FAST_RECOVERY, "fast_recovery_percent",
		"share of the time in which the reaction point was in fast recovery"),
	STAGE(RP_STAGE_ADDITIVE_INCREASE, "additive_increase_percent",
		"share of the time in which it was in additive increase"),
	STAGE(RP_STAGE_HYPER_INCREASE, "hyper_increase_percent",
		"share of the time in which it was in hyper increase"),
};

static void possible_flows(struct kind_look *l)
{
	for (unsigned i = 0; i < l->s->n_flows && !l->enough; i++)
		look_tell(l, "%s", l->s->flow[i]->name);
}

const struct kind kind_flow = {
	.key = "flows",
	.path = "flow",
	.title = "Flows",
	.about = "Each queue pair; summary.json has those that `record.flows` lists, and paths "
		 "lead to all. Names are the Open Traffic Generator's. A part of a scenario "
		 "(`--nodes`) has the counters of the ends that are its own.",
	.example = "incast[h1>r.0]",
	.one_by = {"flow_name"},
	.size = sizeof(struct flow),
	KIND_FIGURES(figures),
	.make = make_flows,
	.name_at = offsetof(struct flow, name),
	.listed_at = offsetof(struct flow, rank.listed),
	.could = possible_flows,
};
