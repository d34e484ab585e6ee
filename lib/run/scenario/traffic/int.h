// SPDX-License-Identifier: BSD-3-Clause
// Shared by the files of this room: the steps that make flows.
#pragma once

#include <sha256.h>
#include <stdio.h>

#include "hardware/hardware.h"
#include "traffic.h"

#pragma GCC visibility push(hidden)

#define LINES_BLANKS " \t\r\n"
#define LINES_WORDS  64 // of a line, of which the places are kept

// A file that is read line by line.
struct lines {
	struct err *err;
	struct yamldoc_node at; // the file and the place in it
	FILE *file;
	SHA2_CTX *sha; // takes all bytes; NULL: no digest is wanted
	char *text;    // the line
	size_t room;
	char *word[LINES_WORDS];
	unsigned n; // words of the line
};

// Goes to the next line that is neither blank nor a comment. Returns its first word; NULL: the file
// has ended.
char *traffic_lines_next(struct lines *l);
void traffic_lines_word(struct lines *l, char *word); // adds a word
// Adds the words, which blanks set apart.
void traffic_lines_split(struct lines *l, char *rest);
void traffic_lines_at(struct lines *l, const char *word); // sets the place to the word
// Says in a line what is wrong with a word of the file, which may hold anything. Returns -EINVAL.
int traffic_lines_wrong(struct lines *l, const char *word, const char *what);

// Reads the flows of `flows_from`; `usual` has the values that their lines lack.
int traffic_list_read(struct draft *b, const struct spec_flow *usual);
// Gives the distribution of message sizes that the value of `sizes` says; it lives as long as the
// scene.
int traffic_sizes(struct draft *b, const struct yamldoc_node *value, const struct dist **to);
// Reads the file of s->file, which `at` names: its distribution and digest.
int traffic_cdf_read(struct draft *b, struct scene_sizes *s, const struct yamldoc_node *at);
// Gives a flow whose options have been read its one pair.
int traffic_flow_join(
	struct draft *b, struct draft_flow *f, struct draft_node *from, struct draft_node *to);
// Checks and finishes a flow that has its options and all its pairs.
int traffic_flow_end(struct draft *b, struct draft_flow *f);
// The nodes of a list of names, each checked.
int traffic_nodes(struct draft *b, const struct draft_flow *f, const struct yamldoc_node *list,
	struct draft_node ***nodes, unsigned *n);
// Draws or finds one receiver for each sender, by its place in `to`.
int traffic_receivers(struct draft *b, const struct draft_flow *f, struct draft_node **from,
	unsigned n_from, struct draft_node **to, unsigned n_to, unsigned **chosen);
int traffic_pair_add(
	struct draft *b, struct draft_flow *f, struct draft_node *from, struct draft_node *to);
// Settles the adaptive timeout of a queue pair that has a name, if its flow asks for one.
int traffic_adaptive(struct draft *b, const struct scene_flow *q, const struct draft_flow *f,
	struct rc_params *to);
// Draws one of n numbers for a queue pair or source by its name, and by the purpose.
uint64_t traffic_draw(const struct draft *b, const char *name, const char *what, uint64_t n);
// Settles the recovery of a queue pair whose headers are made: its scheme, window and timeouts.
int traffic_recovery(struct draft *b, const struct scene_flow *q, const struct draft_flow *f,
	const struct draft_pair *pair, struct rc_params *to);
// Whether the values of its keys go together.
int traffic_recovery_check(struct draft *b, const struct draft_flow *f);
// Warns of keys of a flow's own map that its recovery has no use for.
void traffic_recovery_warn(
	struct draft *b, const struct draft_flow *f, const struct yamldoc_node *map);
// Adds message number n of a load as a flow of its own. `spec` is that of all its messages.
int traffic_message_add(struct draft *b, struct draft_flow *load, struct spec_flow *spec,
	unsigned n, struct draft_node *from, struct draft_node *to, const struct arrival *m);
// Checks the keys of a load, or that none of them is there, and settles what they leave open. `row`
// has the keys that defaults.flows do not give.
int traffic_load_check(struct draft *b, struct draft_flow *f, const struct yamldoc_node *row);
int traffic_load_read(struct draft *b, struct draft_flow *f); // makes its streams and its pairs
int traffic_load(struct draft *b, struct draft_flow *f);      // once its queue pairs are there
// Reads `jobs`; `usual` has the values of defaults.flows.
int traffic_jobs_read(struct draft *b, const struct spec_flow *usual);
// Whether messages of its queue pairs come from a load or a job.
static inline bool traffic_is_loaded(const struct draft_flow *f)
{
	return f->sizes || f->job;
}

// Whether it is one of InfiniBand's path MTUs.
static inline bool traffic_mtu_is_standard(uint64_t mtu)
{
	return mtu >= 256 && mtu <= 4096 && !(mtu & (mtu - 1));
}

// The most bytes of a message.
uint32_t traffic_longest(const struct draft_flow *f);
// No message or frame of the flow begins at or after this instant.
tstamp traffic_stop(const struct draft *b, const struct draft_flow *f);
// Checks the other end of a queue pair at an external host.
int traffic_peer_check(struct draft *b, struct draft_flow *f);
// Whether the receiver is an external host whose hardware address must be asked for.
bool traffic_peer_asks(const struct draft_pair *p);
// Whether a source asks for a hardware address before it sends: of that receiver, or of a gateway.
bool traffic_source_asks(const struct draft *b, const struct draft_pair *p);
int traffic_peer_give(struct draft *b, struct scene_flow *q, const struct draft_flow *f,
	const struct draft_pair *p);
int traffic_roce(struct draft *b, struct draft_flow *f, const struct draft_pair *p);
// Whether the flow is an open loop of RoCEv2 requests.
bool traffic_is_open_roce(const struct draft_flow *f);
// Checks what excludes RoCEv2 of an open loop.
int traffic_source_check(struct draft *b, const struct draft_flow *f);
// Bytes of a source's RoCEv2 frames besides payload and pad, without FCS; 0: they are no RoCEv2.
uint32_t traffic_source_head(const struct draft_flow *f, bool ipv6);
// Least and longest of the flow's frames, bytes with FCS.
struct opt_range traffic_source_size(const struct draft_flow *f);
// Reads the list of an open loop, and its DSCPs in turn.
int traffic_frames_read(struct draft *b, struct draft_flow *f);
// Gives a source its sizes, the list and the DSCPs; gaps must be within what the link of the sender
// carries.
int traffic_frames_give(struct draft *b, const struct draft_flow *f, const struct draft_pair *p,
	struct gen_params *gen);
// The instant from which the start of the flow counts: the end, as planned, of the open loop that
// `after` names, or 0. Its sources, and the wire time of a shortest frame as `look`, are noted in
// `follower`.
int traffic_frames_after(
	struct draft *b, const struct draft_flow *f, struct scene_source *follower, tstamp *after);
// A whole number at *at, which moves behind it. False: there is none up to `most`.
bool traffic_take_number(const char **at, unsigned most, uint8_t *to);
// DSCP and codepoint of the flow's data.
uint8_t traffic_data_tos(
	const struct draft_flow *f, const struct draft_node *from, bool controlled);
int traffic_source(struct draft *b, struct draft_flow *f, const struct draft_pair *p);
// The instant at which the queue pair or source of this name begins; TSTAMP_NEVER: by a command.
tstamp traffic_start(const struct draft *b, const struct draft_flow *f, const char *name);
// Makes a header of the flow's frames from one host to another; UDP ports are the caller's.
void traffic_header(struct draft *b, struct hdr *h, const struct draft_flow *f,
	const struct draft_node *from, const struct draft_node *to, unsigned cls);
// The UDP source port of the flow's next queue pair or source; `usual`: where the flow says none.
uint16_t traffic_sport(struct draft *b, const struct draft_flow *f, uint16_t usual);
// Refuses header fields of frames that the flow does not have, or that an external host makes.
int traffic_header_check(struct draft *b, const struct draft_flow *f);
// The reaction point of a flow at a line rate; *to NULL where the flow has none.
int traffic_control(struct draft *b, const struct scene_control **to, const struct draft_flow *f,
	rate_t line_rate);
// Whether the flow's data has a CN-TAG.
int traffic_cn_tagged(struct draft *b, const struct draft_flow *f, bool *tagged);
// Returns what the flow's reaction point asks for, if its profile has keys of its own; else 0.
int traffic_control_asks(struct draft *b, const struct draft_flow *f, unsigned *asks);
// The flows' payloads, before their headers; and what hosts know of them, after their queue pairs.
int traffic_payloads(struct draft *b);
int traffic_give_payloads(struct draft *b);
// The name of the group that figures take the flow into.
const char *traffic_group_of(const struct draft_flow *f);

#pragma GCC visibility pop
