// SPDX-License-Identifier: BSD-3-Clause
// The queue pairs of a fault, and the port where it hits their frames.
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "fault_int.h"

// Kinds of frames to the receiver of the data. The receiver of a READ sends the request, and gets
// data or a NAK.
#define TO_RECEIVER      FAULT_DATA
#define TO_READ_RECEIVER (FAULT_READ_RESPONSE | FAULT_NAK)
// The same to the sender of the data.
#define TO_SENDER      (FAULT_ACK | FAULT_NAK | FAULT_CNP)
#define TO_READ_SENDER (FAULT_READ_REQUEST | FAULT_CNP)

static int add_pair(struct fault_make *m, const struct scene_fault_pair *pair)
{
	struct scene_fault *f = m->f;

	if ((f->n_pairs & (f->n_pairs - 1)) == 0) {
		struct scene_fault_pair *more =
			draft_get(m->b, (f->n_pairs ? f->n_pairs * 2 : 1) * sizeof(*more));

		if (!more)
			return -ENOMEM;
		if (f->n_pairs)
			memcpy(more, f->pair, f->n_pairs * sizeof(*more));
		f->pair = more;
	}
	f->pair[f->n_pairs++] = *pair;
	return 0;
}

// Whether a queue pair of ours has frames of any of the kinds.
static bool has_kind(const struct scene_flow *f, uint8_t kinds)
{
	return kinds & (f->rc->p.verb == RC_READ ? TO_READ_RECEIVER | TO_READ_SENDER
						 : TO_RECEIVER | TO_SENDER);
}

static int check_kind(struct fault_make *m, uint32_t flow)
{
	const struct scene_flow *f = m->b->s->flow[flow];

	if (has_kind(f, m->f->record.kinds))
		return 0;
	return yamldoc_err(m->b->err, fault_place(m, "dir"), "dir: %s is %s, whose frames are %s",
		f->name, f->rc->p.verb == RC_READ ? "a READ" : "no READ",
		f->rc->p.verb == RC_READ ? "data, read_request, nak and cnp"
					 : "data, ack, nak and cnp");
}

// Adds the ends of a queue pair of the scene to which frames of these kinds go.
static int add_flow(struct fault_make *m, uint32_t flow)
{
	const bool reads = m->b->s->flow[flow]->rc->p.verb == RC_READ;
	const uint8_t kinds = m->f->record.kinds;
	int rc = check_kind(m, flow);

	if (!rc && kinds & (reads ? TO_READ_RECEIVER : TO_RECEIVER))
		rc = add_pair(m, &(struct scene_fault_pair){.flow = flow});
	if (!rc && kinds & (reads ? TO_READ_SENDER : TO_SENDER))
		rc = add_pair(m, &(struct scene_fault_pair){.flow = flow, .back = true});
	return rc;
}

// Queue pairs are found by their names in an index that the first such fault makes.
static int index_pairs(struct draft *b)
{
	for (uint32_t i = b->by_pair.n; i < b->s->n_flows; i++) {
		const char *name = b->s->flow[i]->name;

		if (index_add(&b->by_pair, index_hash(0, name, strlen(name)), i))
			return err_set(b->err, -ENOMEM, "out of memory");
	}
	return 0;
}

static int no_such_pair(struct fault_make *m, const struct yamldoc_node *n)
{
	struct near near = near_to(n->text);
	char hint[NEAR_NAME + 32], otherwise[160] = "; no flow has any";
	const struct scene *s = m->b->s;

	for (unsigned i = 0; i < s->n_flows; i++)
		near_see(&near, s->flow[i]->name);
	if (s->n_flows)
		snprintf(otherwise, sizeof(otherwise), "; they are called like %s%s%s",
			s->flow[0]->name, s->n_flows > 1 ? " .. " : "",
			s->n_flows > 1 ? s->flow[s->n_flows - 1]->name : "");
	return yamldoc_err(m->b->err, n, "qp: there is no queue pair '%.60s'%s", n->text,
		near_hint(&near, otherwise, hint, sizeof(hint)));
}

static int add_named(struct fault_make *m, const struct yamldoc_node *n)
{
	struct draft *b = m->b;
	uint32_t hash, at, i;
	int rc;

	if (n->type != YAMLDOC_SCALAR)
		return yamldoc_err(b->err, n,
			"qp: write a name, as in \"incast[h1>h2.0]\", a list of names, "
			"{dst: 10.0.0.2, qpn: 0x11}, or any");
	rc = index_pairs(b);
	hash = at = index_hash(0, n->text, strlen(n->text));
	while (!rc && (i = index_next(&b->by_pair, hash, &at)) != INDEX_NONE)
		if (!strcmp(b->s->flow[i]->name, n->text))
			return add_flow(m, i);
	return rc ? rc : no_such_pair(m, n);
}

// A queue pair by address and QPN: whose it is does not matter.
static int add_given(struct fault_make *m, const struct yamldoc_node *n)
{
	struct scene_fault_pair pair = {.flow = SCENE_FAULT_GIVEN};
	struct spec_pair p = {0};
	int rc;

	opt_init(&scene_opts_pair, &p);
	rc = opt_apply(&scene_opts_pair, &p, n, m->b->err);
	if (!rc)
		rc = opt_require(&scene_opts_pair, &p, n, m->b->err);
	if (rc)
		return rc;
	pair.ipv6 = p.dst.v6;
	memcpy(pair.daddr, p.dst.bytes, sizeof(pair.daddr));
	pair.qpn = p.qpn;
	pair.psn = p.first_psn == OPT_AUTO ? FAULT_PSN_SEEN : (uint32_t)p.first_psn;
	return add_pair(m, &pair);
}

static int add_qp(struct fault_make *m, const struct yamldoc_node *n)
{
	int rc = 0;

	if (n->type == YAMLDOC_MAP)
		return add_given(m, n);
	if (n->type == YAMLDOC_SCALAR)
		return strcmp(n->text, "any") ? add_named(m, n) : 0;
	if (!n->n)
		return yamldoc_err(m->b->err, n, "qp: the list is empty; name at least one");
	for (unsigned i = 0; !rc && i < n->n; i++)
		rc = add_named(m, n->item[i].value);
	return rc;
}

// All queue pairs of a flow: of a load also those that its messages have for themselves.
static int add_flows(struct fault_make *m, const struct yamldoc_node *n)
{
	struct near near = near_to(n->text);
	char hint[NEAR_NAME + 32];
	struct draft *b = m->b;
	bool found = false;
	int rc = 0;

	for (unsigned i = 0; !rc && i < b->n_flows; i++) {
		const struct draft_flow *f = b->flow[i];
		const char *name = f->of ? f->of->name : f->name;

		near_see(&near, name);
		if (strcmp(name, n->text))
			continue;
		found = true;
		if (f->is_open_loop)
			return yamldoc_err(b->err, n,
				"flow '%s' is open_loop and has no queue pairs; name its class "
				"instead, as in class: %u",
				name, f->cls);
		for (unsigned k = 0; !rc && k < f->n_qps; k++)
			rc = add_flow(m, f->first_qp + k);
	}
	if (rc || found)
		return rc;
	return yamldoc_err(b->err, n, "there is no flow '%.60s'%s", n->text,
		near_hint(&near, "; name it under `flows`", hint, sizeof(hint)));
}

static int add_group(struct fault_make *m, const struct yamldoc_node *n)
{
	struct near near = near_to(n->text);
	char hint[NEAR_NAME + 32];
	const struct scene *s = m->b->s;
	bool found = false;
	int rc = 0;

	for (unsigned i = 0; !rc && i < s->n_flows; i++) {
		near_see(&near, s->flow[i]->group);
		if (strcmp(s->flow[i]->group, n->text))
			continue;
		found = true;
		rc = add_flow(m, i);
	}
	if (rc || found)
		return rc;
	return yamldoc_err(m->b->err, n, "there is no group '%.60s'%s", n->text,
		near_hint(&near, "; a flow names it by `group`", hint, sizeof(hint)));
}

// Calls `add` for a word or each word of a list.
static int each_word(struct fault_make *m, const char *key, const struct yamldoc_node *n,
	int (*add)(struct fault_make *, const struct yamldoc_node *))
{
	int rc = 0;

	if (n->type == YAMLDOC_SCALAR)
		return add(m, n);
	if (!n->n)
		return yamldoc_err(m->b->err, n, "%s: the list is empty; name at least one", key);
	for (unsigned i = 0; !rc && i < n->n; i++) {
		if (n->item[i].value->type != YAMLDOC_SCALAR)
			return yamldoc_err(
				m->b->err, n->item[i].value, "%s: a list of names has words", key);
		rc = add(m, n->item[i].value);
	}
	return rc;
}

// Every queue pair of an address, by the host's name or by its digits.
static int add_address(struct fault_make *m)
{
	struct scene_fault_pair pair = {.flow = SCENE_FAULT_GIVEN, .psn = FAULT_PSN_SEEN};
	const struct yamldoc_node *at = fault_place(m, "dst");
	const char *text = m->spec.dst;
	struct draft_node *node;
	uint8_t mac[6];
	struct opt_ip ip = {.v6 = strchr(text, ':') != NULL};

	if (inet_pton(ip.v6 ? AF_INET6 : AF_INET, text, ip.bytes) != 1) {
		int rc = draft_find_node(m->b, &node, text, at);

		if (rc)
			return rc;
		if (node->is_switch)
			return yamldoc_err(m->b->err, at,
				"dst: '%s' is a switch; queue pairs are of hosts", text);
		hardware_address(node, mac, &ip);
	}
	pair.ipv6 = ip.v6;
	memcpy(pair.daddr, ip.bytes, sizeof(pair.daddr));
	return add_pair(m, &pair);
}

static int add_all(struct fault_make *m)
{
	const struct spec_fault *s = &m->spec;
	const char *two = s->group && s->qp               ? "group"
			  : s->dst && (s->qp || s->group) ? "dst"
							  : NULL;

	if (two)
		return yamldoc_err(m->b->err, fault_place(m, two),
			"qp, flow, group and dst exclude each other; keep one");
	if (s->qp)
		return add_qp(m, s->qp);
	if (s->flow)
		return each_word(m, "flow", s->flow, add_flows);
	if (s->group)
		return each_word(m, "group", s->group, add_group);
	return s->dst ? add_address(m) : 0;
}

// The host that sends the frames to an end of a queue pair of the scene, and the host of this end.
static const struct draft_node *host_of(
	const struct fault_make *m, const struct scene_fault_pair *p, bool sender)
{
	const struct scene_flow *f = m->b->s->flow[p->flow];
	const unsigned index = p->back == sender ? f->to : f->from;

	if (index < m->b->n_nodes && m->b->node[index]->index == index)
		return m->b->node[index];
	for (unsigned i = 0; i < m->b->n_nodes; i++)
		if (m->b->node[i]->index == index)
			return m->b->node[i];
	return NULL;
}

static int missing_port(struct fault_make *m, const char *why)
{
	return yamldoc_err(m->b->err, m->at,
		"'at' is missing in this fault, and %s; write the port where they come in, as in "
		"at: \"s1:h1\"",
		why);
}

// The far end of the link of the host that sends the frames.
static int usual_port(struct fault_make *m)
{
	const struct draft_port *port = NULL;

	for (unsigned i = 0; i < m->f->n_pairs; i++) {
		const struct draft_node *host;

		if (m->f->pair[i].flow == SCENE_FAULT_GIVEN)
			return missing_port(m, "frames to an address may come from anywhere");
		host = host_of(m, &m->f->pair[i], true);
		if (port && port != draft_far_port(host->port[0]))
			return missing_port(m, "several hosts send the frames");
		port = draft_far_port(host->port[0]);
	}
	if (!port)
		return missing_port(m, "no queue pair says who sends the frames");
	m->node = draft_port_node(port);
	m->port = port->link->port[port->end];
	return 0;
}

// Whether the frames to an end of a queue pair may come in at the port.
static bool may_come(const struct fault_make *m, const struct scene_fault_pair *p)
{
	const struct draft_node *peer = draft_peer(m->node, m->port);

	if (p->flow == SCENE_FAULT_GIVEN || m->forges)
		return true;
	if (!m->node->is_switch)
		return host_of(m, p, false) == m->node;
	return peer->is_switch || host_of(m, p, true) == peer;
}

// Leaves out the ends of queue pairs whose frames do not come in here.
static int keep_those_that_come(struct fault_make *m)
{
	struct scene_fault *f = m->f;
	const struct draft_port *far = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < f->n_pairs; i++) {
		if (may_come(m, &f->pair[i]))
			f->pair[n++] = f->pair[i];
		else if (!far)
			far = draft_far_port(host_of(m, &f->pair[i], true)->port[0]);
	}
	if (!n && f->n_pairs)
		return yamldoc_err(m->b->err, fault_place(m, "at"),
			"no frame of this kind of %s%s comes in at %s, which the frames from %s "
			"enter; write at: \"%s\"",
			f->pair[0].flow == SCENE_FAULT_GIVEN ? "it"
							     : m->b->s->flow[f->pair[0].flow]->name,
			f->n_pairs > 1 ? " .." : "", m->node->port[m->port]->name,
			draft_peer(m->node, m->port)->name, far->name);
	f->n_pairs = n;
	return 0;
}

// Refuses ports where the driver cannot hit frames.
static int check_port(struct fault_make *m)
{
	const struct yamldoc_node *at = fault_place(m, "at");
	const char *name = m->node->port[m->port]->name;
	bool real = m->b->opts && m->b->opts->real;

	if (m->node->outside)
		return yamldoc_err(m->b->err, at,
			"at: '%s' is external, so its frames come in outside quench; name the "
			"switch's port, '%s'",
			m->node->name, draft_far_port(m->node->port[m->port])->name);
	if (real && m->node->external)
		return yamldoc_err(m->b->err, at,
			"at: on the real clock '%s' is behind a device, so frames do not come in "
			"at %s inside quench",
			m->node->name, name);
	if (m->live && m->node->elsewhere)
		return yamldoc_err(m->b->err, at,
			"at: another part of the scenario runs '%s'; ask that part", m->node->name);
	return 0;
}

// PSNs that a queue pair of ours never has.
static int check_psn(struct fault_make *m)
{
	const struct fault_record *r = &m->f->record;

	for (unsigned i = 0; r->psn == FAULT_PSN_RANGE && i < m->f->n_pairs; i++) {
		const struct scene_flow *f = m->f->pair[i].flow == SCENE_FAULT_GIVEN
						     ? NULL
						     : m->b->s->flow[m->f->pair[i].flow];
		uint64_t n = f ? f->req.count * rc_packets(f->rc, f->req.message_bytes) : 0;
		char range[48];

		if (!n || f->req.loaded || (r->kinds & FAULT_CNP))
			continue;
		if (r->from >= n || (r->to != UINT64_MAX && r->to >= n))
			return yamldoc_err(m->b->err, fault_place(m, "psn"),
				"psn: %s has no PSN %s; its %llu packets have 0..%llu", f->name,
				fault_range(
					r->from >= n ? r->from : n, r->to, range, sizeof(range)),
				(unsigned long long)n, (unsigned long long)n - 1);
	}
	return 0;
}

int fault_pairs(struct fault_make *m)
{
	const struct yamldoc_node *at = opt_source(&scene_opts_fault, &m->spec, "at");
	struct draft_node *node;
	int rc = add_all(m);

	if (!rc)
		rc = check_psn(m);
	if (!rc && at) {
		rc = draft_find_port(m->b, &node, &m->port, m->spec.at, at);
		m->node = node;
	} else if (!rc) {
		rc = usual_port(m);
	}
	if (!rc)
		rc = check_port(m);
	if (!rc)
		rc = keep_those_that_come(m);
	if (rc)
		return rc;
	m->f->node = (uint16_t)m->node->index;
	m->f->port = (uint16_t)m->port;
	return 0;
}
