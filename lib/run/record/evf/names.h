// SPDX-License-Identifier: BSD-3-Clause
// The tables that make words of the numbers in an event: types, columns, reasons, and the names of
// a run's nodes, ports, flows and sources.
#pragma once

#include "base/fmt.h"
#include "contract/contract.h"

#define EVF_TYPES_MOST   64
#define EVF_COLUMNS_MOST 16
#define EVF_WITH         3 // fields that are told together with another one

// Texts in an array; each text stands within an element of `stride` bytes.
struct evf_texts {
	const void *at; // the first text
	uint32_t stride, n;
};

// The owner of a shared header.
struct evf_owner {
	enum evf_owner_kind { EVF_NOBODY, EVF_FLOW, EVF_SOURCE } kind;
	uint32_t i;
};

// A job whose ranks have numbers from `first` on among those of all jobs.
struct evf_job {
	struct fmt_text name;
	uint32_t first, n;
};

enum evf_kind { EVF_SWITCH, EVF_NIC, EVF_REPLAY, EVF_KINDS };

struct evf_node {
	const char *name;
	uint32_t first_port; // among the ports of all nodes
	uint16_t n_ports;
	uint8_t kind; // enum evf_kind
};

struct evf_type {
	const struct ev_row *row;
	const struct ev_field *with[EVF_WITH]; // of the one field that is not told alone
	struct fmt_text name;
	uint8_t n_shown; // fields that have a column: they stand first
	bool has_class;  // the first of them is the class
};

struct evf_names {
	// of the program that wrote the events
	struct evf_type type[EVF_TYPES_MOST];
	unsigned n_types, n_columns;
	const struct ev_column *column; // as enum ev_col has them; that of EV_COL_NONE is empty
	struct evf_texts reaction, resume, action, refusal, drop[EVF_KINDS];
	// of the run
	unsigned n_nodes;
	uint32_t n_hdrs;
	const struct evf_node *node;
	struct evf_texts port, flow, source, mark; // mark: texts of `mark`
	const struct evf_job *job;                 // rising
	unsigned n_jobs;
	const struct evf_owner *hdr; // owner of each shared header, by the header's id, from 1
};

// The events that this program knows, and an empty run; freed by free(). NULL: no memory.
struct evf_names *evf_names_new(void);

// "" beyond the end.
extern const struct fmt_text evf_no_text;

static inline const struct fmt_text *evf_text(const struct evf_texts *t, uint64_t i)
{
	return i < t->n ? (const void *)((const char *)t->at + i * t->stride) : &evf_no_text;
}

static inline struct evf_owner evf_owner(const struct evf_names *n, uint32_t hdr)
{
	return hdr && hdr <= n->n_hdrs ? n->hdr[hdr] : (struct evf_owner){EVF_NOBODY, 0};
}

// The name of the flow or source that a shared header is of; "" of any other.
static inline const struct fmt_text *evf_owner_name(const struct evf_names *n, uint32_t hdr)
{
	struct evf_owner o = evf_owner(n, hdr);

	if (o.kind == EVF_SOURCE)
		return evf_text(&n->source, o.i);
	return o.kind == EVF_FLOW ? evf_text(&n->flow, o.i) : &evf_no_text;
}

static inline const struct fmt_text *evf_port_name(
	const struct evf_names *n, uint32_t node, uint64_t port)
{
	if (node >= n->n_nodes || port >= n->node[node].n_ports)
		return &evf_no_text;
	return evf_text(&n->port, n->node[node].first_port + port);
}

// The name of an enum job_part: "wire", "compute".
const char *evf_part_name(unsigned part);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// The job of a rank of events; NULL: there is none.
const struct evf_job *evf_job_of(const struct evf_names *n, uint64_t rank);

// Whether the type has a field that no event holds: the event's number among those of its flow.
bool evf_counts(const struct ev_row *row);

// The field of this name; NULL: the type has none.
const struct ev_field *evf_field(const struct ev_row *row, const char *name);

// Initialises the row of a type. False: a field with which another is shown is missing, as in a
// file of another version. Then the other field cannot be shown in its form.
bool evf_type_init(struct evf_type *t, const struct ev_row *row);

// "flow"; how a file calls a form. The form of that name; EV_FORM_NUMBER for any that is unknown.
const char *evf_form_name(enum ev_form form);
enum ev_form evf_form_of(const char *name);
// Bytes that a field of that form must have; 0: 1, 2, 4 or 8.
unsigned evf_form_size(enum ev_form form);
// Returns whether a field of this form is shown together with other fields.
bool evf_form_with(enum ev_form form);

#pragma GCC visibility pop
