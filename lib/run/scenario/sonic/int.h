// SPDX-License-Identifier: BSD-3-Clause
// A SONiC switch on its way into a scenario; internal to the import.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "contract/contract.h"
#include "sonic.h"
#include "conf/conf.h"
#include "wire/pkt.h"

#define SONIC_LEFT 512 // most different reasons

// A value as a scenario writes it, and where it came from; no text: config_db does not have it.
struct sonic_value {
	const char *text, *from;
};

// The settings of a class that its priority group and its queue give; the order of sonic_keys.
enum sonic_key {
	SONIC_LOSSLESS,
	SONIC_WEIGHT,
	SONIC_STRICT,
	SONIC_PFC_ENABLE,
	SONIC_PFC_XOFF,
	SONIC_PFC_DYNAMIC_TH,
	SONIC_PFC_XON,
	SONIC_PFC_XON_OFFSET,
	SONIC_PFC_RESERVED,
	SONIC_PFC_HEADROOM,
	SONIC_DROP_LIMIT,
	SONIC_DROP_DYNAMIC_TH,
	SONIC_DROP_RESERVED,
	SONIC_QUEUE_LIMIT,
	SONIC_QUEUE_DYNAMIC_TH,
	SONIC_QUEUE_RESERVED,
	SONIC_QUEUE_MIN_RATE,
	SONIC_QUEUE_MAX_RATE,
	SONIC_WRED_MIN,
	SONIC_WRED_MAX,
	SONIC_WRED_PROBABILITY,
	SONIC_WRED_ECN,
	SONIC_WRED_NOT_ECT,
	SONIC_WRED_WEIGHT,
	SONIC_KEYS
};

struct sonic_key_name {
	const char *map, *key; // map NULL: of the class itself
	bool at_port;          // ports of a group may differ in it
};
#pragma GCC visibility push(hidden)
extern const struct sonic_key_name sonic_keys[SONIC_KEYS];
#pragma GCC visibility pop

enum sonic_pool {
	SONIC_INGRESS,
	SONIC_HEADROOM,
	SONIC_EGRESS, // the one that there is
	SONIC_EGRESS_LOSSLESS,
	SONIC_EGRESS_LOSSY,
	SONIC_POOLS
};

// Tables whose keys name ports: first tables with an index behind the port, then tables without.
enum sonic_indexed {
	SONIC_BUFFER_PG,
	SONIC_BUFFER_QUEUE,
	SONIC_QUEUE,
	SONIC_BY_PORT,
	SONIC_PORT_QOS_MAP = SONIC_BY_PORT,
	SONIC_PFC_WD,
	SONIC_INDEXED
};

// The rows of one port, and their keys.
struct sonic_rows {
	const json_t *row[SONIC_INDEXED][PKT_CLASSES];
	const char *key[SONIC_INDEXED][PKT_CLASSES];
};

// A set of numbers other than 0.
struct sonic_set {
	uint64_t *slot;
	unsigned n, size; // size: a power of two, or 0
};

struct sonic_port {
	struct sonic_rows rows;
	const char *name, *host;
	uint8_t pg[PKT_CLASSES], queue[PKT_CLASSES]; // of each TC
	const char *pg_from, *queue_from;            // NULL: each TC has its own number
	uint8_t dscp[64], pcp[8];                    // TC
	const char *dscp_from, *pcp_from;            // NULL: it has no such map
	unsigned group;                              // index in struct sonic.group
	uint64_t speed;                              // Mb/s; 0: not given
	uint32_t mtu_bytes;                          // 0: not given
	struct sonic_value rate, delay, mtu, watchdog, pfc_asym, max_rate;
	struct sonic_value cls[PKT_CLASSES][SONIC_KEYS];
};

// A profile, and what says so.
struct sonic_profile {
	const json_t *row;
	const char *who;
};

// Ports that are equal in maps, markers, weights and PFC: a set of the switch.
struct sonic_group {
	const char *key; // all that its ports have in common, as text
	unsigned n, first;
	unsigned lossless, marked; // classes
	const char *differs;       // from the group of the switch's values; NULL: it is that one
};

#define SONIC_SENDERS 8 // of the example flow

// The example flow.
struct sonic_flow {
	unsigned from[SONIC_SENDERS], n, to; // ports
	unsigned cls, dscp, mtu;
	const char *silent; // why a run has neither marks nor PFC; NULL: it has
};

// Ports of table PORT, by why they are not taken.
struct sonic_counts {
	unsigned all, down, inner, other, unnamed;
	bool template;  // no port has admin_status
	uint64_t owned; // bytes of groups that the ingress pool left out
};

// Many places, one reason.
struct sonic_left {
	const char *why, **who;
	unsigned n, max;
};

struct sonic {
	struct arena *a;
	struct err *err;
	const char *path;
	const struct sonic_opts *opts;
	json_t *root;
	json_t *by_name; // numbers of the ports that are taken
	bool no_memory;
	bool quiet; // rows are read to compare ports: nothing is marked as used or named as left
	struct sonic_set used; // rows that something was taken from
	struct sonic_set told; // places of `left`
	struct sonic_left left[SONIC_LEFT];
	unsigned n_left;
	unsigned n_ports;
	struct sonic_port port[NODE_PORTS];
	unsigned n_groups, of_switch; // the groups, largest first; the one of the switch's values
	struct sonic_group group[NODE_PORTS];
	const struct sonic_port *base; // the first port of that group
	struct sonic_counts counts;
	struct sonic_flow flow;
	struct sonic_value cls[PKT_CLASSES][SONIC_KEYS]; // of most ports of that group
	struct sonic_value buffer, pool[SONIC_POOLS], watchdog, burst;
	uint64_t pool_bytes[SONIC_POOLS];
};

#pragma GCC visibility push(hidden)

// set.c: a set that only grows.
bool sonic_set_has(const struct sonic_set *set, uint64_t number);
void sonic_set_add(struct sonic *s, struct sonic_set *set, uint64_t number);
// load.c: the files as one set of tables.
int sonic_load(struct sonic *s);
// lookup.c: the groups that SONiC makes by --pg-lookup, as rows of BUFFER_PG.
int sonic_lookup(struct sonic *s);
// db.c: reading.
const json_t *sonic_db_table(const struct sonic *s, const char *table);
// "name" of "name" or "[TABLE|name]".
const char *sonic_db_name(struct sonic *s, const char *reference);
// The row that "name" or "[TABLE|name]" means, from then on used; NULL.
const json_t *sonic_db_row(struct sonic *s, const char *table, const char *reference);
// Finds the rows of each port.
int sonic_db_index(struct sonic *s);
// The row of a port's group or queue, "Ethernet0,Ethernet4|3-4", and its key; NULL.
const json_t *sonic_db_indexed(struct sonic *s, const struct sonic_port *p,
	enum sonic_indexed table, unsigned index, const char **key);
// The row of a port, "Ethernet0" or "Ethernet0,Ethernet4", and its key; NULL.
const json_t *sonic_db_port(
	struct sonic *s, const struct sonic_port *p, enum sonic_indexed table, const char **key);
// Whether a key names a port that is taken.
bool sonic_db_is_taken(const struct sonic *s, const char *key);
bool sonic_db_is_used(const struct sonic *s, const json_t *row);
void sonic_db_use(struct sonic *s, const json_t *row);
// Returns a field as text, also if it is a number; NULL: it is missing.
const char *sonic_db_text(struct sonic *s, const json_t *row, const char *field);
// Reads a whole number within bounds. False, with *to unchanged: it is missing or out of bounds,
// and is listed as left out.
bool sonic_db_number(struct sonic *s, const json_t *row, const char *who, const char *field,
	int64_t min, int64_t max, int64_t *to);
// Printable text in the arena: other characters become '?'.
__attribute__((format(printf, 2, 3))) const char *sonic_text(struct sonic *s, const char *fmt, ...);

// left.c: notes a setting that was not taken over. `who` and the reason; each reason is told once.
__attribute__((format(printf, 3, 4))) void sonic_left(
	struct sonic *s, const char *who, const char *fmt, ...);
void sonic_left_rows(struct sonic *s); // rows, fields and tables that nobody asked for
bool sonic_left_is_read(const char *table);
int sonic_left_lines(struct sonic *s, struct sonic_import *to);

// service.c: the ports to import: the ports of --port-map, or the ports in service.
int sonic_ports(struct sonic *s);
// group.c: reads all ports, finds groups of equal ones, and keeps those that --group takes.
int sonic_groups(struct sonic *s);
// port.c: cables, maps and watchdog of a port.
void sonic_port_read(struct sonic *s, struct sonic_port *p);
// A rate, time or size as a scenario writes it.
const char *sonic_units(struct sonic *s, enum units_kind kind, uint64_t value);
// class.c: buffers of each group and queue of a port; PFC.
void sonic_classes(struct sonic *s, struct sonic_port *p);
bool sonic_has_number(const char *list, unsigned n); // "3,4"
void sonic_put(struct sonic *s, struct sonic_value *v, const char *text, const char *who,
	const char *field);
bool sonic_put_size(
	struct sonic *s, struct sonic_value *v, const struct sonic_profile *p, const char *field);
// egress.c: marker, scheduler and rates of a queue; of a port the rate.
void sonic_queue(struct sonic *s, struct sonic_port *p, unsigned queue);
void sonic_port_rate(struct sonic *s, struct sonic_port *p);
// Whether a field of a WRED_PROFILE is one of the colour that frames have here.
bool sonic_wred_is_taken(struct sonic *s, const json_t *row, const char *field);
// switch.c: pools and maps; what most ports have.
void sonic_switch_pools(struct sonic *s);
const char *sonic_one_egress(const struct sonic *s);
void sonic_switch_maps(struct sonic *s, struct sonic_port *p);
void sonic_switch_check_maps(struct sonic *s);
// entry.c: the values in which a port differs from the switch; no text where it does not.
void sonic_entry(const struct sonic *s, const struct sonic_port *p,
	struct sonic_value to[PKT_CLASSES][SONIC_KEYS]);
bool sonic_is_true(const struct sonic_value *v);
// Whether a frame's PCP gives its class; and the map of it, which is a scenario's own where the
// port has only a map of DSCP.
bool sonic_trusts_pcp(const struct sonic_port *p);
bool sonic_has_pcp_map(const struct sonic_port *p);
void sonic_pcp_map(const struct sonic_port *p, uint8_t to[8]);
void sonic_switch_common(struct sonic *s);
// flow.c: the example flow, once the switch is known.
void sonic_flow(struct sonic *s);
// said.c: the end of the import in a few lines.
int sonic_said(struct sonic *s, struct sonic_import *to);
// yaml.c: the scenario as text, NULL where memory is out.
char *sonic_yaml(struct sonic *s, const struct sonic_import *to);

#pragma GCC visibility pop
