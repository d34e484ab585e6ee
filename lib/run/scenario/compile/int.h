// SPDX-License-Identifier: BSD-3-Clause
// The last steps that build a scene, and the functions that they share.
#pragma once

#include "compile.h"
#include "draft/draft.h"
#include "hardware/hardware.h"
#include "traffic/traffic.h"

struct text;

#pragma GCC visibility push(hidden)

// Steps, in this order.
int compile_devices(struct draft *b); // once ports and parts are known
int compile_faults(struct draft *b);
int compile_events(struct draft *b);
int compile_expects(struct draft *b);
int compile_numbers(struct draft *b); // once lanes are there, before a part is cut
int compile_record(struct draft *b);  // once all flows are there
int compile_probe(struct draft *b);   // once nodes, links and ports are there
int compile_bounds(struct draft *b);
int compile_warnings(struct draft *b); // once all of it is compiled
int compile_resolve_text(struct draft *b);
int compile_digests(struct draft *b); // behind compile_resolve_text
int compile_changes(struct draft *b); // last, once the scene is whole

// A scenario with a section `probe` may leave its duration out: it is the probe's longest time.
void compile_probe_duration(struct draft *b);

// Compiles `path` as compile_scene does. `again` NULL: for the first time.
int compile_as(struct scene **out, const char *path, const struct scene_opts *opts,
	const struct draft_again *again, struct err *err);

// 0 where the path of a value that was set just now may change while the scene runs, or the
// document's reader refuses it; else -EINVAL with a line.
int compile_is_live(struct draft *b, const struct draft_set *set);
// Of actions: they replace the file's events. To be called once values are set, and before the
// document is read.
int compile_replace_events(struct draft *b);
// Adds a record of faults to the scene. Frames that arrive before `begins` are not hit. `live`: it
// comes while the run goes on.
int compile_fault(struct draft *b, const struct yamldoc_node *at, tstamp begins, bool live);
// Adds the faults that have come while the run went on.
int compile_live_faults(struct draft *b);
// Notes an event `set`, whose map of values is `set`.
int compile_change_note(struct draft *b, tstamp at, uint32_t line, const struct yamldoc_node *set);
// Orders the scene's events by time.
int compile_sort_events(struct draft *b);
// Adds the command of an event to a node of ours.
int compile_add_event(
	struct draft *b, tstamp at, unsigned node, uint32_t line, const struct ctl *ctl);

// Adds a command to a node at the instant of an event. A node behind a device gets none; a warning
// says so. -ENOMEM.
int compile_node_event(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at,
	const struct draft_node *n, const struct ctl *ctl);
// The commands CTL_FLOW_* or CTL_PAUSE and CTL_RESUME to all who send of a flow.
int compile_flow_event(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at,
	const struct draft_flow *f, enum ctl_type type);
// sender.c: events that concern all senders, or the run
int compile_quiesce_event(
	struct draft *b, const struct spec_event *e, const struct yamldoc_node *at);
int compile_pause_event(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at,
	const char *key, enum ctl_type type);
int compile_mark_event(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at,
	const char *key, enum ctl_type type);
int compile_stop_event(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at);

// mac.c: events of MAC control frames made to order
int compile_mac_event(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at);
int compile_pulse_event(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at);

// Warns of circles of switches. 0 or -ENOMEM.
int compile_warn_loops(struct draft *b);
// Warns of switches and ports that do not suit the flows that pass them, and of controls that do
// not hear of congestion there. `by_switch`: switches send CNPs. 0 or -ENOMEM.
int compile_warn_ways(struct draft *b, bool by_switch);
// Warns of options that the clock ignores.
void compile_warn_clock(struct draft *b);

// The ports by which flows come to the queues of a switch.
struct compile_fan {
	uint64_t *in; // [queue][port out][words of ports in]; NULL: none does yet
};
// -ENOMEM.
int compile_fan_note(struct draft *b, struct compile_fan *f, const struct draft_node *sw,
	unsigned queue, unsigned in, unsigned out);
// Warns of a queue whose flows are all stopped before a frame is marked.
void compile_fan_warn(struct draft *b, const struct compile_fan *f, const struct draft_node *sw);

// Whether something else than flows brings frames: a capture, a device, an event.
bool compile_has_other_frames(const struct scene *s);

// Returns the lowest port from `port` on by which a switch may send a frame whose destination has
// this FDB entry. PKT_NO_PORT: there is none.
static inline unsigned compile_way_from(const struct draft *b, const struct draft_node *sw,
	const struct sw_fdb_params *e, unsigned port)
{
	const struct sw_ecmp_group *ways;

	if (!e->ecmp)
		return e->port >= port ? e->port : PKT_NO_PORT;
	ways = &b->s->node[sw->index].u.sw.ecmp[e->ecmp - 1];
	for (; port < sw->n_ports; port = (port / 64 + 1) * 64) {
		uint64_t left = ways->port[port / 64] >> port % 64;

		if (left)
			return port + (unsigned)__builtin_ctzll(left);
	}
	return PKT_NO_PORT;
}

// Writes the options of a section. The sections from SCENE_SECTION_ADDRESSES on have no options.
void compile_section_put(struct text *t, struct draft *b, enum scene_section section);

#pragma GCC visibility pop
