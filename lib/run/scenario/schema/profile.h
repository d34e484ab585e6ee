// SPDX-License-Identifier: BSD-3-Clause
// Profiles of controls that have keys of their own: one file each in this room has the table of its
// keys, and compiles what a scenario says for a line rate.
#pragma once

#include "rp/rp.h"
#include "conf/conf.h"
#include "guest/guest.h"

struct schema_profile;

// The longest way between two hosts of the scene, while all queues are empty.
struct schema_path {
	tstamp rtt;   // of a frame and its ACK; framing hpcc_sim: without the ACK's own time
	uint64_t bdp; // the most bytes that rtt times the slowest link of a way comes to
	// The longest frame of queue pairs: its payload, and all that it takes of the wire.
	uint32_t mtu, frame;
};

// The control that a profile's keys are compiled for.
struct schema_control {
	const char *name; // of the control
	const struct schema_profile *profile;
	const struct yamldoc_node *key; // where the scenario has it
	rate_t line_rate;               // of the sender's link, bit/s
	bool hpcc_sim;                  // framing of the reference simulator
	struct arena *arena;            // of the scene
	struct err *err;
	void *scene; // argument of the two below
	void (*warn)(void *scene, const struct yamldoc_node *at, const char *text);
	int (*path)(void *scene, struct schema_path *path); // -ENOMEM
};

// A key of the reference simulator's config.txt, and the key of a profile that it means.
struct schema_sim_key {
	const char *from, *to;
};

// `spec` begins with struct opt_src and is what `table` fills.
struct schema_profile {
	const char *name;  // "connectx"
	enum rp_kind kind; // of the compiled reaction point
	const struct opt_table *table;
	size_t spec_size;
	// 0, or -errno and a line in c->err.
	int (*compile)(const struct schema_control *c, struct rp_cfg *cfg, const void *spec);
	unsigned sim_mode;                     // CC_MODE of the reference simulator; 0: none
	const struct schema_sim_key *sim_keys; // that this mode has; one without names ends them
};

// The profile of a plug-in, which has its table and compiles its controls.
struct schema_plugin {
	struct schema_profile profile; // first
	struct guest *guest;           // freed by guest_free
};

// Loads it. -errno and a line that begins with the file.
int schema_plugin(
	struct schema_plugin **to, struct arena *a, const char *file, bool trusts, struct err *err);

// The values of `profile`: first SCHEMA_DCQCN_PROFILES words of DCQCN's own keys, then a word for
// each of schema_profiles; NULL at the end.
#define SCHEMA_DCQCN_PROFILES 2
extern const char *const scene_opts_profiles[];

// Returns the profile of this name if it has keys of its own. NULL: it has DCQCN's keys, or there
// is no such profile.
const struct schema_profile *schema_profile(const char *name);

// The profile of a CC_MODE; NULL: none has keys of its own. Whether one has this key of config.txt.
const struct schema_profile *schema_sim_profile(unsigned mode);
bool schema_has_sim_key(const char *from);

// Returns whether this profile is a reaction point of DCQCN.
bool schema_is_dcqcn(const char *name);

// DCQCN with these parameters, of which initial_rate may be OPT_AUTO, byte_counter and
// cut_interval_ps OPT_NONE. `t` and `spec` say where a value came from.
int schema_dcqcn(const struct schema_control *c, struct rp_cfg *cfg, struct dcqcn_rp_params p,
	const struct opt_table *t, const void *spec);

// QCN with what `s` says.
struct spec_qcn_rp;
int schema_qcn(const struct schema_control *c, struct rp_cfg *cfg, const struct spec_qcn_rp *s);

// Permille as the whole percent that the CN-MIB counts; else an error at `at`.
int schema_percent(struct err *err, unsigned *to, unsigned permille, const char *key,
	const struct yamldoc_node *at);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// How the file of a profile begins its table and its object, by which the list in profile.c finds
// them.
#define SCHEMA_TABLE(profile) \
	__attribute__((visibility("hidden"))) const struct opt_table scene_opts_##profile
#define SCHEMA_PROFILE(profile) \
	__attribute__((visibility("hidden"))) const struct schema_profile schema_##profile

// An initial_rate that is not between min_rate and the line rate: the error. `at` may be NULL.
int schema_initial_rate_wrong(
	const struct schema_control *c, const struct yamldoc_node *at, rate_t initial_rate);

// Returns the place in the scenario from which a key's value came: that of the control if the
// scenario does not give the key, or the table does not have it.
const struct yamldoc_node *schema_given(const struct schema_control *c, const struct opt_table *t,
	const void *spec, const char *key);

// A min_rate above the line rate: the error.
int schema_min_rate_wrong(
	const struct schema_control *c, const struct yamldoc_node *at, rate_t min_rate);

// Warns of a key that the scenario gives and that counts for nothing: `where` says why.
void schema_idle(const struct schema_control *c, const struct opt_table *t, const void *spec,
	const char *key, const char *where);

// The tables as parts of the reference; NULL ends them.
extern const struct opt_variant schema_variants[];

#pragma GCC visibility pop
