// SPDX-License-Identifier: BSD-3-Clause
// Traffic that no reaction point governs: open-loop sources and replays.
#include <errno.h>
#include <math.h>

#include "int.h"

struct source {
	struct host_source s; // the part that others read
	const char *name;
	bool sends, receives, whole; // its sender is ours, its receiver, both
	uint64_t tx_frames, tx_bytes;
	uint64_t lost;
	// at the end: in queues, on links; by a way with devices: not seen since sent
	uint64_t in_flight;
	double tx_gbps, rx_gbps;
	double avg_latency, min_latency, max_latency; // ns
	double latency_bound;                         // us
	struct host_pace pace;
	const char *arrival_by;
	struct kind_dist latency_us;
	// of frames that the receiver sends back
	bool echoes;
	uint64_t echo_lost, echo_in_flight;
	double echo_gbps;
	struct kind_dist rtt_us;
};

static void received(struct source *o, const struct nic_gen_stats *rx, tstamp span)
{
	o->rx_gbps = o->receives ? host_gbps(rx->rx_bytes, span) : NAN;
	o->avg_latency = o->min_latency = o->max_latency = NAN;
	if (rx->rx_frames == rx->undated || !o->receives)
		return;
	o->avg_latency = (double)rx->latency_sum / (double)(rx->rx_frames - rx->undated) / 1e3;
	o->min_latency = (double)rx->latency_min / 1e3;
	o->max_latency = (double)rx->latency_max / 1e3;
}

// Fills the figures of frames that the receiver sent back.
static void returned(struct source *o, const struct summary *s, tstamp span)
{
	const struct rec_source *rec = o->s.rec;
	uint64_t gone;

	o->echoes = rec->trips;
	if (!rec->trips)
		return;
	o->s.trips = *rec->trips;
	stat_diff(&trip_stat_table, &o->s.trips, rec->trips, &rec->trips_warm);
	o->echo_gbps = host_gbps(o->s.trips.echo_rx_bytes, span);
	gone = record_echo_lost(s->rec, rec, &o->echo_in_flight);
	o->echo_lost = gone > rec->echo_gone_warm ? gone - rec->echo_gone_warm : 0;
	o->rtt_us = kind_dist(&s->rec->latency[rec->rtt], 1e6);
}

static void source_make(struct source *o, const struct summary *s, const struct rec_source *rec)
{
	tstamp span = s->to - s->from;
	uint64_t sent, given_up, gone;

	o->s.rec = rec;
	o->name = rec->scene->name;
	o->sends = scene_is_here(s->rec->scene, rec->scene->from);
	o->receives = scene_is_here(s->rec->scene, rec->scene->to);
	o->whole = o->sends && o->receives;
	o->s.rx = *rec->rx;
	stat_diff(&nic_gen_stat_table, &o->s.rx, rec->rx, &rec->rx_warm);
	if (rec->gen) {
		o->tx_frames = rec->gen->tx_frames - rec->tx_frames_warm;
		o->tx_bytes = rec->gen->tx_bytes - rec->tx_bytes_warm;
	}
	sent = o->tx_bytes + o->tx_frames * (PKT_WIRE - PKT_FCS);
	given_up = rec->gen ? rec->gen->lost_bytes - rec->lost_warm : 0;
	o->pace = host_pace(sent, sent + given_up, o->tx_frames);
	gone = record_source_lost(s->rec, rec, &o->in_flight);
	o->lost = gone > rec->gone_warm ? gone - rec->gone_warm : 0;
	o->tx_gbps = o->sends ? host_gbps(o->tx_bytes, span) : NAN;
	received(o, &o->s.rx, span);
	o->arrival_by = host_arrival_by(s->rec, rec->scene->to);
	o->latency_bound = isnan(o->avg_latency) || !rec->latency_bound
				   ? NAN
				   : (double)rec->latency_bound / PS_PER_US;
	if (rec->latency != REC_NO_LATENCY)
		o->latency_us = kind_dist(&s->rec->latency[rec->latency], 1e6);
	returned(o, s, span);
}

static int make_sources(struct summary *s, struct set *to)
{
	const struct record *r = s->rec;

	if (set_room(to, &kind_source, r->n_sources))
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_sources; i++)
		source_make(set_add(to), s, &r->source[i]);
	return 0;
}

#define TX(field, name, unit, ...) \
	ROW_COUNT_IF(struct source, sends, field, name, unit, __VA_ARGS__)
#define RX(field, name, unit, ...) \
	ROW_COUNT_IF(struct source, receives, field, name, unit, __VA_ARGS__)
#define V(field, name, unit, decimals, ...) \
	ROW_VALUE(struct source, field, name, unit, decimals, __VA_ARGS__)

#define ECHO(field, name, ...) \
	ROW_COUNT_IF(struct source, echoes, field, name, "frames", __VA_ARGS__)

#define RTT(which, name, ...) \
	ROW_DIST_IF(struct source, echoes, rtt_us, which, name, "us", __VA_ARGS__)

static const struct figure figures[] = {
	ROW_TEXT(struct source, name, "source", "its name"),
	TX(tx_frames, "tx_frames", "frames", "sent; up to 64 that wait in the NIC count as sent"),
	TX(tx_bytes, "tx_bytes", "bytes", "bytes sent, with FCS"),
	V(tx_gbps, "tx_gbps", "Gb/s", 6, "rate sent, with FCS"),
	V(pace.percent, "pace_err_percent", "%", 4,
		"bytes sent on the wire less those of its schedule, parts of which it had to give "
		"up because the wire was busy; of the latter",
		.of_counts = true),
	V(pace.frames, "pace_err_frames", "frames", 1,
		"pacing error in frames of the mean length sent", .of_counts = true),
	RX(s.rx.rx_frames, "rx_frames", "frames", "received from this source"),
	RX(s.rx.rx_bytes, "rx_bytes", "bytes", "received, with FCS"),
	V(rx_gbps, "rx_gbps", "Gb/s", 6, "received, with FCS"),
	RX(lost, "lost", "frames",
		"sent, not received, and in no queue and on no link at the end. Where a path "
		"leads through a device: missing in the sequence"),
	ROW_COUNT_IF(struct source, whole, in_flight, "in_flight", "frames",
		"in queues and on links at the end. Where a path leads through a device: sent "
		"after the last frame that came"),
	RX(s.rx.out_of_order, "out_of_order", "frames", "came after a later one"),
	RX(s.rx.ecn_ce_rx, "ecn_ce_rx", "frames", "received with CE"),
	ROW_TEXT(struct source, arrival_by, "arrival_by",
		"what dates the frames that came by the receiver's device: `stamp` of the device, "
		"reading of the `loop`, `both`; `null`: no device"),
	V(avg_latency, "avg_latency", "ns", 1, "first bit out to last bit in: the mean"),
	V(min_latency, "min_latency", "ns", 1, "minimum of the latency in the whole run"),
	V(max_latency, "max_latency", "ns", 1, "maximum of the latency in the whole run"),
	ROW_LATENCY(struct source, latency_us, "the source's frames"),
	V(latency_bound, "latency_bound_us", "us", 3,
		"where another part runs the sender (`--nodes`): how far each of these latencies "
		"may be off, since the clocks of both parts are known only so well; `null`: both "
		"ends have one clock, or latencies are not known"),
	RX(s.rx.undated, "undated", "frames",
		"received without a latency: another part's clock was not known yet, the frame has "
		"no room for the instant at which it left, or it came by a device so late that its "
		"sender no longer knew that instant"),
	ECHO(s.trips.echo_rx_frames, "echo_rx_frames",
		"came back to it, each once. Figures of `echo` and `rtt` are those of a source "
		"whose receiver echoes (`responder: echo`), by its sender"),
	ROW_VALUE_IF(
		struct source, echoes, echo_gbps, "echo_rx_gbps", "Gb/s", 6, "came back, with FCS"),
	ECHO(echo_lost, "echo_lost",
		"sent, not come back, and in no queue and on no link of either path at the end. "
		"If a path leads through a device: missing in the sequence of returned frames"),
	ECHO(echo_in_flight, "echo_in_flight",
		"on the way there or back at the end. Where a way leads through a device: sent "
		"after the last frame that came back"),
	ECHO(s.trips.echo_out_of_order, "echo_out_of_order", "came back after a later one"),
	ECHO(s.trips.echo_duplicates, "echo_duplicates",
		"came back again, within `rtt_max`; not among the others"),
	ECHO(s.trips.echo_late, "echo_late",
		"came back later than `rtt_max`, when nobody knew any more when they had left: not "
		"timed"),
	ECHO(s.trips.echo_ce_rx, "echo_ce_rx", "came back with CE, of either way"),
	RTT(mean, "rtt_mean_us",
		"mean round trip of its frames that came back in the window, from the first bit "
		"out to the last bit in, by the clock of the sender alone"),
	RTT(min, "rtt_min_us", "minimum of the round trip of its frames"),
	RTT(p50, "rtt_p50_us", "p50 of the round trip of its frames"),
	RTT(p90, "rtt_p90_us", "p90 of the round trip of its frames"),
	RTT(p99, "rtt_p99_us", "p99 of the round trip of its frames"),
	RTT(p999, "rtt_p999_us", "p99.9 of the round trip of its frames"),
	RTT(max, "rtt_max_us", "maximum of the round trip of its frames"),
};

static void possible_sources(struct kind_look *l)
{
	for (unsigned i = 0; i < l->s->n_sources && !l->enough; i++)
		look_tell(l, "%s", l->s->source[i]->name);
}

const struct kind kind_source = {
	.key = "sources",
	.path = "source",
	.title = "Open-loop sources",
	.about = "Each open-loop source. A part of a scenario (`--nodes`) has the counters of the "
		 "ends that are its own.",
	.example = "noise[h2>r]",
	.one_by = {"source"},
	.size = sizeof(struct source),
	KIND_FIGURES(figures),
	.make = make_sources,
	.name_at = offsetof(struct source, name),
	.could = possible_sources,
};

struct replayed {
	const char *node, *side, *other;
	double lost, extra;       // NAN: no host has the other side
	struct replay_stats w;    // in the window; instants and extremes of the whole run
	struct kind_dist late_us; // of all frames sent in the whole run
	double late_mean_us, first_us, last_us;
	uint64_t due;    // frames of the capture times its loops
	uint64_t unsent; // of the whole run
	uint64_t wanted_total, tx_total, late_total, rx_total, ce_total;
};

// Compares the frames that a host sent with the frames that the host of the other side received.
static void compare_sides(struct replayed *o, const struct replay_stats *now, struct net *net,
	const struct scene_node *scene)
{
	const struct net_node *other;
	struct replay_stats their;

	o->side = scene->side;
	o->lost = o->extra = NAN;
	if (!scene->other_side)
		return;
	other = net_node(net, scene->other_side - 1u);
	if (!net_replay_stats(other))
		return;
	record_replay(other, &their);
	o->other = other->scene->name;
	o->lost = their.rx_frames < now->tx_frames ? (double)(now->tx_frames - their.rx_frames) : 0;
	o->extra =
		now->rx_frames > their.tx_frames ? (double)(now->rx_frames - their.tx_frames) : 0;
}

static void replay_make(struct replayed *o, struct net *net, const struct net_node *n,
	const struct replay_stats *then)
{
	const struct scene_replay *r = n->scene->replay;
	const struct hist *late;
	struct replay_stats is;
	const struct replay_stats *now = &is;

	record_replay(n, &is);
	o->node = n->scene->name;
	compare_sides(o, now, net, n->scene);
	o->w = *now;
	stat_diff(&replay_stat_table, &o->w, now, then);
	late = n->kind == SCENE_NIC ? nic_replay(n->u.nic)->late : replay_lateness(n->u.replay);
	o->late_us = kind_dist_look(late, 1e6);
	o->unsent = n->kind == SCENE_NIC ? nic_replay_unsent(n->u.nic) : replay_unsent(n->u.replay);
	o->late_mean_us =
		o->w.late_frames ? (double)o->w.late_sum_ps / 1e6 / (double)o->w.late_frames : NAN;
	o->first_us = now->tx_frames ? (double)now->first_tx / 1e6 : NAN;
	o->last_us = now->tx_frames ? (double)now->last_tx / 1e6 : NAN;
	o->due = r ? r->player.frames * r->player.loops : 0;
	o->wanted_total = now->wanted_frames;
	o->tx_total = now->tx_frames;
	o->late_total = now->late_frames;
	o->rx_total = now->rx_frames;
	o->ce_total = now->rx_ce_frames;
}

static int make_replays(struct summary *s, struct set *to)
{
	const struct record *r = s->rec;

	if (set_room(to, &kind_replay, r->net->n_nodes))
		return -ENOMEM;
	for (unsigned i = 0; i < r->net->n_nodes; i++)
		if (net_replay_stats(net_node(r->net, i)))
			replay_make(
				set_add(to), r->net, net_node(r->net, i), &r->node_warm[i].replay);
	return 0;
}

#define RN(field, name, unit, ...) ROW_COUNT(struct replayed, field, name, unit, __VA_ARGS__)
#define RV(field, name, unit, decimals, ...) \
	ROW_VALUE(struct replayed, field, name, unit, decimals, __VA_ARGS__)

static const struct figure replay_figures[] = {
	ROW_TEXT(struct replayed, node, "node", "the host"),
	ROW_TEXT(struct replayed, side, "side",
		"the side of a split capture that it sends, client or server; `null`: there are no "
		"two sides"),
	ROW_TEXT(struct replayed, other, "other_side",
		"the host that has the other side; `null`: none"),
	RN(w.wanted_frames, "wanted_frames", "frames", "frames that were due"),
	RN(w.tx_frames, "tx_frames", "frames", "sent by the replay"),
	RN(w.tx_bytes, "tx_bytes", "bytes", "bytes sent, with FCS"),
	RN(w.rx_frames, "rx_frames", "frames", "came back"),
	RN(w.rx_bytes, "rx_bytes", "bytes", "came back, with FCS"),
	RN(w.rx_ce_frames, "rx_ce_frames", "frames", "frames that came back with CE"),
	RN(w.late_frames, "late_frames", "frames", "left later than wanted"),
	RV(late_mean_us, "late_mean_us", "us", 3, "mean lateness of the frames that left late"),
	ROW_SPREAD(struct replayed, late_us, "late", "_us_total", "us",
		"the lateness of all frames sent", ", 0 for those in time"),
	RN(unsent, "unsent_frames_total", "frames",
		"due, but not sent when the run ended; 0 where the first of them had waited no "
		"longer than another frame of the capture takes the wire"),
	RV(first_us, "first_tx_us_total", "us", 6, "when the first frame left"),
	RV(last_us, "last_tx_us_total", "us", 6, "when the last frame left"),
	RN(w.no_desc, "no_desc", "frames", "waited for a descriptor"),
	RN(w.malformed_frames, "malformed_frames", "frames",
		"malformed ones of the capture, which were sent all the same"),
	RN(w.starved, "starved", "events",
		"the next frame had not been read from the file when it was wanted"),
	RN(due, "capture_frames_total", "frames", "frames of the capture, times its loops"),
	RN(wanted_total, "wanted_frames_total", "frames", "frames that were due in the whole run"),
	RN(tx_total, "tx_frames_total", "frames", "sent in the whole run"),
	RN(late_total, "late_frames_total", "frames", "late in the whole run"),
	RN(rx_total, "rx_frames_total", "frames", "came back in the whole run"),
	RN(ce_total, "rx_ce_frames_total", "frames", "frames that came back with CE"),
	RV(lost, "lost_frames_total", "frames", 0,
		"frames that it sent and `other_side` did not receive, by the two counts; `null`: "
		"no host has the other side"),
	RV(extra, "extra_frames_total", "frames", 0,
		"frames that it received beyond those that `other_side` sent: copies of a flood, "
		"or frames of the network's own; `null`: no host has the other side"),
};

static bool is_replay(const struct scene_node *n, unsigned port, unsigned cls)
{
	(void)port;
	(void)cls;
	return n->kind == SCENE_REPLAY || n->replay;
}

static void could_replays(struct kind_look *l)
{
	look_nodes(l, is_replay);
}

const struct kind kind_replay = {
	.key = "replays",
	.path = "replay",
	.title = "Replays",
	.about = "Each host that replays a capture or only receives.",
	.example = "h1",
	.size = sizeof(struct replayed),
	KIND_FIGURES(replay_figures),
	.make = make_replays,
	.name_at = offsetof(struct replayed, node),
	.could = could_replays,
};
