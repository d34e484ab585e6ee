// SPDX-License-Identifier: BSD-3-Clause
// How a scene is put together from its specs, step by step; internal to the scene.
#pragma once

#include "conf/conf.h"
#include "cap/cap.h"
#include "scene.h"
#include "schema/schema.h"

#pragma GCC visibility push(hidden)

#define SCENE_NODES 4096       // most nodes
#define SCENE_LINKS 65536      // most links
#define SCENE_QPS   (1u << 20) // most queue pairs and sources
#define SCENE_PATHS (4u << 20) // most static entries of all switches

struct build_node;

struct build_link {
	struct spec_link spec;
	const struct yamldoc_node *at; // where it stands
	struct build_node *node[2];
	unsigned port[2];
};

struct build_port {
	char name[64];
	struct build_link *link;
	unsigned end; // of the link, 0 or 1
	struct spec_port spec;
	const struct yamldoc_node *key; // in `ports`; NULL: not named there
	const struct yamldoc_node *layer;
};

struct build_node {
	const char *name;
	const struct yamldoc_node *key;
	bool is_switch;
	bool has_flows;        // hosts: takes part in one
	bool external;         // real clock: behind a device, not built
	bool elsewhere;        // real clock: another process runs it, or nobody of ours
	bool outside;          // real clock: an external host, which nobody of ours runs
	unsigned number;       // among its kind, from 1
	unsigned index;        // in scene.node
	unsigned place;        // in build.node
	unsigned area;         // switches that reach each other have the same
	unsigned default_port; // PKT_NO_PORT: none
	struct spec_switch *sw;
	struct spec_host *host;
	struct build_port *port[NODE_PORTS];
	unsigned n_ports;
	uint32_t n_qps;                      // numbered so far (hosts)
	const struct scene_control *rdma_ip; // whose registers its NIC has; NULL: none
	const struct scene_control
		*rps[PKT_CLASSES];   // whose reaction points are shared; NULL: none
	unsigned n_rps[PKT_CLASSES]; // queue pairs that share them
};

struct build_pair {
	struct build_node *from, *to;
};

struct build_flow {
	const char *name;
	const struct yamldoc_node *key;
	struct spec_flow spec;
	bool is_open_loop;
	struct build_pair *pair;
	unsigned n_pairs;
	uint32_t longest;      // frame without FCS
	uint16_t sim_overhead; // framing hpcc_sim: of a frame, besides its payload; else 0
	unsigned first_qp;     // its first in scene.flow, or scene.source
	unsigned n_qps;
	uint8_t payload; // in scene.payload
};

struct build_control {
	const char *name;
	const struct yamldoc_node *key;
	const struct schema_profile *profile; // NULL: it has DCQCN's keys, in spec
	struct schema_plugin *plugin;         // whose profile it is; NULL: none
	struct spec_control spec; // with the profile's values at the rate of its first user
	void *own;                // what it says in its profile's keys
	const struct yamldoc_node *layer;
};

struct build_capture {
	struct build_capture *next;
	struct cap_scan scan;
};

struct build {
	struct scene *s;
	struct arena *a;     // of the scene
	struct arena *draft; // of what only the making of it needs: given back behind its last step
	struct err *err;
	const struct scene_opts *opts;
	struct yamldoc_node *doc;
	struct spec_scene top;
	struct build_node **node;
	struct build_link **link;
	struct build_flow **flow;
	struct build_control **control;
	struct build_capture *captures;
	struct rc_cfg *rc; // of the queue pair that was made last
	unsigned n_nodes, n_links, n_flows, n_controls;
	unsigned n_hosts, n_switches, n_qps;
	unsigned n_outside; // hosts
	uint16_t *vid;      // VLANs in use, 0 first
	unsigned n_vids;
	const char **pool; // names that flows give as their group, sorted
	unsigned n_pools;
	uint32_t longest;  // frame of a flow or source, without FCS
	uint32_t shortest; // the same; UINT32_MAX: there is none
};

struct build_names {
	const char **name;
	const struct yamldoc_node **at;
	unsigned n;
};

struct text;

// resolved.c: what the options of a section say; those from SCENE_SECTION_ADDRESSES on have none.
void scene_section_put(struct text *t, struct build *b, enum scene_section section);

// scene.c: what all of a scene lies in.
struct arena *scene_arena(struct scene *s);
// build.c: memory of the scene; NULL sets the error.
void *scene_get(struct build *b, size_t size);
// The same for what nothing in the scene refers to.
void *scene_draft(struct build *b, size_t size);
// Room for one more pointer in an array of them; NULL sets the error.
void **scene_push(struct build *b, void *array, unsigned *n);
void scene_warn(struct build *b, const struct yamldoc_node *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

// What an amount comes to where it may be a share of a whole.
uint64_t scene_amount(const struct opt_amount *a, uint64_t whole);
// The same of a link's rate: below 100 Kb/s is an error at `at`.
int scene_rate(struct build *b, rate_t *rate, const struct opt_amount *a, rate_t line,
	const struct yamldoc_node *at);
// Where a key's value came from, or `otherwise`.
const struct yamldoc_node *scene_given(const struct opt_table *t, const void *base, const char *key,
	const struct yamldoc_node *otherwise);

// Names: "h1..8", lists. Every name is checked.
int scene_names(struct build *b, struct build_names *names, const struct yamldoc_node *n);
struct build_node *scene_find(const struct build *b, const char *name);
// The node of a name, or the error with the nearest one.
int scene_find_node(
	struct build *b, struct build_node **node, const char *name, const struct yamldoc_node *at);
// The port "node:peer", or the error.
int scene_find_port(struct build *b, struct build_node **node, unsigned *port, const char *name,
	const struct yamldoc_node *at);

// The steps, in this order.
int scene_topology(struct build *b);
int scene_old_words(struct build *b); // once all is set, before it is read
int scene_nodes(struct build *b);
int scene_links(struct build *b);
int scene_ports(struct build *b);
int scene_part_read(struct build *b);
// peer.c: the other end of a queue pair at an external host
int scene_peer_check(struct build *b, struct build_flow *f);
// Whether the receiver is an external host whose hardware address must be asked for.
bool scene_peer_asks(const struct build_pair *p);
int scene_peer_give(struct build *b, struct scene_flow *q, const struct build_flow *f,
	const struct build_pair *p);
int scene_peers(struct build *b); // once headers are whole
int scene_addresses(struct build *b);
int scene_controls(struct build *b);
int scene_flows_read(struct build *b);
int scene_nodes_fill(struct build *b);
int scene_switches(struct build *b);
int scene_hosts(struct build *b);
int scene_flows(struct build *b);
int scene_pools(struct build *b);  // groups that flows name: before any queue pair
int scene_phases(struct build *b); // once all flows are there
int scene_finish_hosts(struct build *b);
int scene_routes(struct build *b);
int scene_events(struct build *b);
int scene_expects(struct build *b);
int scene_record(struct build *b); // once all flows are there
int scene_lanes(struct build *b);
int scene_shards(struct build *b);
int scene_part_cut(struct build *b); // once all of it is compiled
int scene_bounds(struct build *b);
int scene_digests(struct build *b); // behind scene_resolve_text
// Puts a value of the command line into the document, if what its path leads into is there.
int scene_set_value(struct build *b, const struct scene_set *set);
int scene_warnings(struct build *b);
// Parts of it: circles of switches (-ENOMEM); options that the clock ignores; memory.
int scene_warn_loops(struct build *b);
void scene_warn_clock(struct build *b);
void scene_warn_memory(struct build *b);
int scene_resolve_text(struct build *b);

// Parts of steps that stand in files of their own.
int scene_roce(struct build *b, struct build_flow *f, const struct build_pair *p);
int scene_source(struct build *b, struct build_flow *f, const struct build_pair *p);
void scene_header(struct build *b, struct hdr *h, const struct build_flow *f,
	const struct build_node *from, const struct build_node *to, unsigned cls);
// The reaction point of a flow at a line rate; *to NULL where the flow has none.
int scene_control(struct build *b, const struct scene_control **to, const struct build_flow *f,
	rate_t line_rate);
// The control that scene_opts asks for.
int scene_control_asked(struct build *b);
// QCN and iQCN: of a switch, once its ports are compiled; of a control.
int scene_switch_cn(struct build *b, struct sw_params *p, const struct build_node *n);
bool scene_control_is_qcn(const struct build_control *c);
int scene_control_qcn_check(struct build *b, const struct build_control *c);
// Whether the flow's data has a CN-TAG.
int scene_cn_tagged(struct build *b, const struct build_flow *f, bool *tagged);
// The path of a shared object that a scenario names, from the scenario's folder on; NULL: memory
// is out.
char *scene_object_file(struct build *b, const char *file);
// The flows' payloads, before their headers; and what hosts know of them, after their queue pairs.
int scene_payloads(struct build *b);
int scene_give_payloads(struct build *b);
// What the flow's reaction point asks for, if its profile has keys of its own; else 0.
int scene_control_asks(struct build *b, const struct build_flow *f, unsigned *asks);
// The keys of a control and what they say.
const struct opt_table *scene_control_table(const struct build_control *c);
const void *scene_control_spec(const struct build_control *c);
// The longest way between two hosts. -ENOMEM.
int scene_path(struct build *b, struct schema_path *path);
struct build_node *scene_peer(const struct build_node *n, unsigned port);
const struct build_link *scene_host_link(const struct build_node *host);
uint8_t scene_dscp(const struct build_node *host, unsigned cls);
uint8_t scene_pcp(const struct build_node *host, unsigned cls);
void scene_address(const struct build_node *host, uint8_t mac[6], struct opt_ip *ip);
bool scene_replays(const struct build_node *host);
// Whether it has no NIC: it replays or is a sink, and takes no part in flows.
bool scene_only_replays(const struct build_node *host);
int scene_replay(struct build *b, const struct build_node *n);
// Bitmap of the classes that are lossless at its link.
uint8_t scene_pfc_classes(const struct build_node *host);
// A path of the scenario, which starts from the scenario's folder; NULL: memory is out.
char *scene_beside(struct build *b, const char *file);
bool scene_reaches(const struct build_node *from, const struct build_node *to);
bool scene_lossless(const struct build_node *host, unsigned cls);
const struct opt_table *scene_class_table(const char *key);
// What one alone may take of a shared pool with a dynamic threshold: limit = 2^n (shared - limit).
uint64_t scene_alone(int dynamic_th, uint64_t shared);
// Whether a group of a switch sends and obeys PFC.
bool scene_pg_is_lossless(const struct spec_switch *sw, unsigned pg);
bool scene_pg_has_pfc(const struct spec_switch *sw, unsigned pg);
// Whether what is at the other end of a port sends PAUSE, and whether the node obeys what comes by
// its port.
bool scene_peer_pauses(const struct build_node *n, unsigned port);
bool scene_obeys_pause(const struct build_node *n, unsigned port);
uint64_t scene_port_headroom(const struct build *b, const struct build_port *p);
// Quanta that a node goes on for once PFC has come at a port of this rate: as given, or as 802.3
// allows.
uint16_t scene_pfc_response(const struct build *b, const struct build_node *n, rate_t rate);
// Longest frame without FCS, and what of it is for VLAN tags because a device is there.
uint32_t scene_port_mtu(const struct build *b, const struct build_port *p);
uint32_t scene_port_tags(const struct build *b, const struct build_port *p);
// Whether one of the link's ends is a device, so that its frames leave the process.
bool scene_is_cut(const struct build *b, const struct build_link *l);

#pragma GCC visibility pop
