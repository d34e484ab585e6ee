// SPDX-License-Identifier: BSD-3-Clause
// The parts of a control: its connections, the scene as it was last changed, what was done.
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include <jansson.h>

#include "control.h"

#pragma GCC visibility push(hidden)

#define CONTROL_PEERS 64 // connections at a time

struct control_conn {
	int fd; // -1: free
	struct control_peer peer;
	uint32_t length; // of the request
	char *in;        // its text; NULL: the length has not come yet
	size_t n;        // bytes that have come, of the text or of the length
};

// An action whose last commands lie in the future: a storm that comes again.
struct control_later {
	struct scene *scene; // has the commands
	unsigned next;       // event of it
	bool is_kept;        // by control.kept, too
	struct control_later *following;
};

// The parts of a wish that nodes keep: values, and faults; NULL: none.
struct wish_changes {
	struct net_change *values, *faults;
	bool keeps; // the run refers to the scene of the actions until its end
};

// A change whose order an lcore has not carried out. It lasts until then, or until the run's end.
struct control_open {
	struct rt_order *order;
	struct wish_changes change;
	struct scene *next, *to; // scenes of its values and commands; NULL: none, or kept elsewhere
	struct control_open *following;
};

struct control {
	struct control_run run;
	pthread_t thread;
	bool runs;
	int listens, wakes; // descriptors
	char path[256];     // of the socket
	struct control_conn conn[CONTROL_PEERS];
	struct scene *now; // as the last set left it; NULL: nothing was set
	uint32_t n_sets;
	struct control_later *later;
	struct control_open *open;
	struct rt_order *left; // the order that give() had to leave with an lcore
	struct scene **kept;   // whose faults the run has, until its end
	unsigned n_kept;
	struct record_done *done;
	unsigned n_done;
};

// message.c
// Receives bytes of one request, and none of the next one. So requests that a client sends ahead
// wait in the kernel, which stops the client. 1: *text is the whole request, for free(); 0: more is
// to come; -EPIPE: the connection is at its end; -EMSGSIZE: it is longer than CONTROL_MOST.
int control_take(struct control_conn *c, char **text);
// Sends an answer. -EPIPE: nobody reads it.
int control_send(int fd, const json_t *answer);

// done.c
// Keeps an action for the manifest: a map in YAML; NULL: there was no memory for it. -ENOMEM.
int control_keep(struct control *c, tstamp at, const char *action, const struct control_peer *by);
// Makes a command that marks the run by a text: the action, and who does it. -ENOMEM.
int control_mark(struct control *c, struct rt_order_cmd *to, const char *verb, const char *text,
	const struct control_peer *by);

// steer.c
// Returns the scene that has the present values of the run. Events `set` and verbs "set" have
// changed them.
const struct scene *control_present(const struct control *c);
// The scene time that the lcores have published last.
tstamp control_now_of(const struct control *c);
// Values and actions for a run, which happen at one instant.
struct control_wish {
	const struct scene_set *set;
	unsigned n_set;
	const char *actions;     // in YAML, as compile_actions() takes them; NULL: none
	const char *verb, *text; // of the mark in the record
	const char *event;       // an action or a list of them in YAML, which the manifest keeps
};

// Does it; fills the answer. 0, or -errno and a line.
int control_steer(struct control *c, const struct control_peer *by, const struct control_wish *wish,
	json_t *answer, struct err *err);
// Carries out commands whose time has come soon; returns the ms until the next ones, -1: none.
int control_go_on(struct control *c);
void control_steer_end(struct control *c);

// set.c
// Refuses values where the scenario sets some later.
int control_set_later(const struct control *c, struct err *err);
// Carry out the text of a verb; fill the answer. 0, or -errno and a line.
int control_do(struct control *c, const struct control_peer *by, const char *text, json_t *answer,
	struct err *err);
int control_set(struct control *c, const struct control_peer *by, const char *text, json_t *answer,
	struct err *err);

#pragma GCC visibility pop
