// SPDX-License-Identifier: BSD-3-Clause
// Room draft has the workbench on which a scene is put together: the document with the values of
// `--set`, its network of nodes, links and ports, their names, and memory for more. It needs rooms
// schema and scene; hardware, traffic and compile fill the rest in.
#pragma once

#include "base/index.h"
#include "conf/conf.h"
#include "scene/scene.h"
#include "schema/schema.h"

#define SCENE_NODES UINT16_MAX // most nodes: their numbers have 16 bits in events and packets
#define SCENE_QPS   (1u << 20) // most queue pairs and sources

struct draft_node;

struct draft_link {
	struct spec_link spec;
	const struct yamldoc_node *at; // where it stands
	struct draft_node *node[2];
	unsigned port[2];
};

// The settings of one entry of `ports`; those that ports of a range have may be the same.
struct draft_layer {
	const struct yamldoc_node *key, *value;
	const struct draft_layer *before; // of the same ports; NULL: none
};

struct draft_port {
	char name[64];
	struct draft_link *link;
	unsigned end; // of the link, 0 or 1
	// The port's own settings if `ports` has it; else those of its switch, or of all hosts. The
	// struct is large.
	struct spec_port *spec;
	const struct draft_layer *layer; // the last that `ports` has of it; NULL: not named there
};

struct draft_node {
	const char *name;
	const struct yamldoc_node *key;
	bool is_switch;
	bool has_flows;        // hosts: takes part in one
	bool tests;            // hosts: a tester
	bool external;         // real clock: behind a device, not built
	bool elsewhere;        // real clock: another process runs it, or nobody of ours
	bool outside;          // real clock: an external host, which nobody of ours runs
	unsigned number;       // among its kind, from 1
	unsigned index;        // in scene.node
	unsigned place;        // in build.node
	unsigned area;         // switches that reach each other have the same
	unsigned default_port; // PKT_NO_PORT: none
	// Nodes that one line of the file names share these.
	struct spec_switch *sw;
	struct spec_host *host;
	struct spec_port *spec; // what ports of the switch have
	unsigned n_ports;
	// Hosts: the host that replays the other side of the same capture, and which frames this
	// one sends of it. NULL: there is none.
	struct draft_node *other_side;
	const struct cap_scan *scan;
	const struct cap_split *split;
	const struct cap_station *owned; // addresses of the capture that are behind this host
	unsigned n_owned;
	uint32_t n_qps; // numbered so far (hosts)
	// The options of the last flow with src_qpn that it sends, and how many QPNs these gave.
	const struct spec_flow *qpn_of;
	uint32_t n_qpns;
	uint32_t load_number;                // in the load that is being read, from 1; 0: none
	uint64_t messages;                   // of loads, that are likely to come in a run
	const struct scene_control *rdma_ip; // the control whose registers its NIC has; NULL: none
	const struct scene_control
		*rps[PKT_CLASSES];   // whose reaction points are shared; NULL: none
	unsigned n_rps[PKT_CLASSES]; // queue pairs that share them
	// Last, because most nodes have few: the pages of the rest are not touched.
	struct draft_port *port[NODE_PORTS];
};

struct draft_pair {
	struct draft_node *from, *to;
};

struct draft_flow {
	const char *name;
	const struct yamldoc_node *key;
	struct spec_flow *spec; // lines of a list share it, as messages of a load do
	// A line of a list and a message of a load have their own start, size and class.
	struct opt_range start; // as spec_flow has it
	uint64_t message;
	uint8_t cls;
	bool is_open_loop;
	struct gen_item *item; // of an open loop: its list; NULL: none
	unsigned n_items;
	uint64_t frames;   // of the list, as often as it is sent; 0: without end
	uint8_t *tos_turn; // that its frames have in turn; NULL: none
	unsigned n_tos;
	struct draft_pair *pair;
	unsigned n_pairs;
	uint32_t longest;      // frame without FCS
	uint16_t sim_overhead; // framing hpcc_sim: of a frame, besides its payload; else 0
	unsigned first_qp;     // its first in scene.flow, or scene.source
	unsigned n_qps;
	uint8_t payload; // in scene.payload
	bool listed;     // a line of flows_from; these stand together
	uint16_t dport;  // that a list says; 0: none
	// A load: the sizes of its messages, and its streams.
	const struct dist *sizes;
	struct scene_load **stream;
	unsigned n_streams;
	const struct draft_flow *of; // a message of this load, with a queue pair of its own
	const struct draft_job *job; // its pairs are those of a job; NULL: of no job
};

struct draft_job {
	const char *name;
	const struct yamldoc_node *key;
	struct spec_job *spec;
	struct scene_job *to;
	struct draft_node **host; // of each rank
	struct draft_flow *flow;  // its queue pairs; NULL: no message goes from host to host
	uint32_t *pair;           // by flow->pair: the number in to->pair
	uint32_t least, most;     // bytes of its shortest and longest message
};

struct draft_control {
	const char *name;
	const struct yamldoc_node *key;
	const struct schema_profile *profile; // NULL: it has DCQCN's keys, in spec
	struct schema_plugin *plugin;         // whose profile it is; NULL: none
	struct spec_control spec; // with the profile's values at the rate of its first user
	void *own;                // what it says in its profile's keys
	const struct yamldoc_node *layer;
};

// One value that is set at a path, and who sets it, as messages begin: "--set".
struct draft_set {
	const char *by, *path, *value;
};

// The differences of a scene that is compiled once more (compile_change, compile_actions).
struct draft_again {
	const char *distrust; // as in the draft of the first scene
	const char *actions;  // YAML that replaces the file's events; NULL: they stay
	tstamp at;            // of the actions
	unsigned number;      // of the change, from 1
	unsigned n_now;       // the last of the sets, which begin to hold now
	bool eventless;       // the file's events are checked, and the scene has none
	// The scene whose faults that came while the run went on stay; NULL: none have come.
	const struct scene *from;
};

struct draft {
	struct scene *s;
	struct arena *a;     // of the scene
	struct arena *scrap; // memory for making the scene only: freed after the last step
	struct err *err;
	const struct scene_opts *opts;
	const struct draft_again *again; // NULL: it is compiled for the first time
	const char *text;                // that the document was read from, of `size` bytes
	size_t size;
	struct yamldoc_node *doc;
	const struct yamldoc_node *replaced; // the file's events, in whose place actions stand
	bool live;                           // actions are being compiled
	struct spec_scene top;
	struct spec_port port;       // what ports of hosts have
	struct draft_node **node;    // switches first
	struct index by_name;        // the nodes
	struct draft_port **port_at; // all ports
	struct index by_port;        // the same, by their names
	struct index by_pair;        // scene.flow, by their names, once a fault names one
	struct draft_link **link;
	struct draft_flow **flow;
	struct draft_job **job;
	struct draft_control **control;
	struct scene_capture *captures;
	struct rc_cfg *rc;         // of the queue pair that was made last
	struct draft_reach *reach; // of the host `reach_from`, by draft_node.place; NULL: none yet
	const struct draft_node *reach_from;
	// The options of the queue pair or source that was made last, and how many in a row had
	// them.
	const struct spec_flow *made_of;
	unsigned n_made;
	unsigned n_nodes, n_ports, n_links, n_flows, n_jobs, n_controls;
	unsigned n_hosts, n_switches, n_qps;
	const struct spec_flow *listed; // options of all flows of flows_from; NULL: there are none
	unsigned n_outside;             // hosts
	uint16_t *vid;                  // VLANs in use, 0 first
	unsigned n_vids;
	const char **pool; // names that flows give as their group, sorted
	unsigned n_pools;
	uint32_t longest;       // frame of a flow or source, without FCS
	uint32_t shortest;      // the same; UINT32_MAX: there is none
	bool bytes_change;      // a fault works on the bytes of frames, or makes some
	bool is_cut;            // frames come from outside by a device
	const char *distrust;   // why the scenario's file may name no code; NULL: it may
	struct draft_node *dut; // scene_opts.dut; NULL: none
};

// The shortest way from a host to a node.
struct draft_reach {
	const struct draft_node *node; // in the order in which they were found
	unsigned hops;                 // 0: not reached
	tstamp trip;                   // there and back, by a data frame and an ACK
	tstamp frame;                  // time of a data frame on the slowest link
	rate_t slowest;
	uint64_t buffer; // largest of a switch, bytes
};

struct draft_names {
	const char **name;
	const struct yamldoc_node **at;
	unsigned n;
};

// -EPERM and a line if a path of code (plug-in, firmware) stands in the scenario's file and another
// user could have written that file (guest/trust.h). 0: the path may be used.
int draft_trust(const struct draft *b, const struct yamldoc_node *at);

// Memory of the scene; NULL sets the error.
void *draft_get(struct draft *b, size_t size);
// Memory that nothing in the scene refers to; NULL sets the error.
void *draft_scrap(struct draft *b, size_t size);
// Room for one more pointer in an array of them; NULL sets the error.
void **draft_push(struct draft *b, void *array, unsigned *n);
// Adds a warning to the scene. All warnings of one `fmt` are of one kind, and a run tells only the
// first of a kind.
void draft_warn(struct draft *b, const struct yamldoc_node *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
// Like draft_warn(), but `kind` says which warnings are of one kind, for example the option that
// they are about.
void draft_warn_of(struct draft *b, const struct yamldoc_node *at, const char *kind,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));

// Returns the number of an amount, which may be given as a share of `whole`.
uint64_t draft_amount(const struct opt_amount *a, uint64_t whole);
// The rate that an amount stands for; it may be a share of `line`. Below 100 Kb/s is an error at
// `at`.
int draft_rate(struct draft *b, rate_t *rate, const struct opt_amount *a, rate_t line,
	const struct yamldoc_node *at);
// A size as the file has it, "50% (2MB)" if it is a share or a size for each Gbit/s; if the file
// does not have it, `bytes` as `quench check` shows them. Returns buf, for which DRAFT_SAID bytes
// are enough.
#define DRAFT_SAID 80
char *draft_said(const struct opt_table *t, const void *base, const char *key, uint64_t bytes,
	char *buf, size_t size);
// The place from which a key's value came; without the key, `otherwise`.
const struct yamldoc_node *draft_given(const struct opt_table *t, const void *base, const char *key,
	const struct yamldoc_node *otherwise);

// Names: "h1..8", lists. Every name is checked.
int draft_names(struct draft *b, struct draft_names *names, const struct yamldoc_node *n);
// The node of a name, or the error with the nearest one.
int draft_find_node(
	struct draft *b, struct draft_node **node, const char *name, const struct yamldoc_node *at);
// The port "node:peer", or the error.
int draft_find_port(struct draft *b, struct draft_node **node, unsigned *port, const char *name,
	const struct yamldoc_node *at);

static inline struct draft_node *draft_peer(const struct draft_node *n, unsigned port)
{
	const struct draft_port *p = n->port[port];

	return p->link->node[!p->end];
}

static inline struct draft_node *draft_port_node(const struct draft_port *p)
{
	return p->link->node[p->end];
}

// The port at the other end of a port's link.
static inline struct draft_port *draft_far_port(const struct draft_port *p)
{
	return p->link->node[!p->end]->port[p->link->port[!p->end]];
}

const struct draft_link *draft_host_link(const struct draft_node *host);
bool draft_reaches(const struct draft_node *from, const struct draft_node *to);
// The longest way between two hosts. -ENOMEM.
int draft_path(struct draft *b, struct schema_path *path);

// Steps: puts a value of the command line into the document, if what its path leads into is there;
// makes the generated topology; finds older words, once all is set and before it is read; makes
// nodes, links and ports; reads which of them are here, and, once all of it is compiled, leaves out
// what is elsewhere.
int draft_set_value(struct draft *b, const struct draft_set *set);
int draft_topology(struct draft *b);
int draft_old_words(struct draft *b);
int draft_nodes(struct draft *b);
int draft_links(struct draft *b);
int draft_ports(struct draft *b);
int draft_part_read(struct draft *b);
int draft_part_cut(struct draft *b);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

#define DRAFT_NAME 23 // longest name of a node

struct draft_node *draft_find(const struct draft *b, const char *name);
// Makes a port known by its name.
int draft_port_add(struct draft *b, struct draft_port *p);
// Reads `ports`.
int draft_port_settings(struct draft *b);

#pragma GCC visibility pop
