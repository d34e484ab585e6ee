// SPDX-License-Identifier: BSD-3-Clause
// Events of MAC control frames made to order: `mac_frames` and `pulse`.
#include <errno.h>
#include <string.h>

#include "int.h"
#include "wire/eth.h"
#include "wire/pfc.h"

// Finds the host whose port sends frames made to order; `from` is that of the event's option.
static int find_sender(struct draft *b, const char *name, const struct yamldoc_node *from,
	struct draft_node **node)
{
	unsigned port;
	int rc = draft_find_port(b, node, &port, name, from);

	if (!rc && ((*node)->is_switch || !hardware_has_nic(*node)))
		return yamldoc_err(b->err, from,
			"'%s' does not send frames made to order; "
			"name the port of a host that takes part in flows, or does not replay",
			name);
	return rc;
}

static const struct scene_port *port_of(const struct draft *b, const struct draft_node *node)
{
	return &b->s->node[node->index].port[0];
}

// A shortest frame of a kind from a port to the usual address; every class has the pause time.
// NULL: no memory.
static struct ctl_mac *make_frame(struct draft *b, const struct scene_port *from,
	enum spec_mac frame, uint8_t classes, uint16_t quanta)
{
	uint16_t opcode = frame == SPEC_MAC_PAUSE ? MACCTL_PAUSE : MACCTL_PFC;
	struct ctl_mac *m = draft_get(b, sizeof(*m));

	if (!m)
		return NULL;
	*m = (struct ctl_mac){
		.hdr = {.ethertype = ETH_P_MAC_CONTROL, .sport = opcode, .id = HDR_ID_NODE},
		.f.enable = classes,
		.len = PKT_MIN_LEN,
	};
	memcpy(m->hdr.src, from->mac, sizeof(m->hdr.src));
	memcpy(m->hdr.dst, frame == SPEC_MAC_WRONG_DA ? from->mac : pfc_dst, sizeof(m->hdr.dst));
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		m->f.quanta[c] = quanta;
	m->kind = (uint8_t)pfc_kind(m->hdr.dst, opcode);
	return m;
}

// The frame of an event `mac_frames`. Classes that are not enabled have pause times, too.
static struct ctl_mac *mac_frame(struct draft *b, const struct opt_table *t,
	const struct spec_mac_frames *m, const struct scene_port *from)
{
	struct ctl_mac *f = make_frame(b, from, m->frame, m->classes, m->quanta);

	if (!f)
		return NULL;
	if (draft_given(t, m, "times", NULL))
		memcpy(f->f.quanta, m->times, sizeof(f->f.quanta));
	f->f.enable_high = m->reserved;
	if (memcmp(m->to, (const uint8_t[6]){0}, sizeof(m->to)) != 0)
		memcpy(f->hdr.dst, m->to, sizeof(f->hdr.dst));
	if (m->zero_source)
		memset(f->hdr.src, 0, sizeof(f->hdr.src));
	if (m->opcode)
		f->hdr.sport = m->opcode;
	f->len = (uint16_t)(m->length - PKT_FCS);
	f->kind = (uint8_t)pfc_kind(f->hdr.dst, f->hdr.sport);
	return f;
}

// The period of frames: as given, the wire time of one, or half of the pause time.
static tstamp period_of(
	const struct draft *b, const struct spec_mac_frames *m, const struct scene_port *from)
{
	tstamp pause = pfc_quantum_ps(from->rate) * m->quanta;

	if (m->every == OPT_WORD(0))
		return rate_time(rate_byte_ps(from->rate),
			(uint32_t)(m->length - PKT_FCS) + b->s->framing.wire_extra);
	if (m->every != OPT_AUTO)
		return m->every;
	return pause > 2 ? pause / 2 : PS_PER_US;
}

static int check_length(struct draft *b, const struct opt_table *t, const struct spec_mac_frames *m,
	const struct scene_port *from)
{
	unsigned most = from->mtu + PKT_FCS, len = m->length - PKT_FCS;

	if (m->length > most)
		return yamldoc_err(b->err, opt_source(t, m, "length"),
			"frames of %u bytes do not pass '%s', whose longest frame has %u; "
			"raise the mtu of its link",
			m->length, m->port, most);
	if (len > b->s->max_frame)
		b->s->max_frame = len;
	return 0;
}

// When the last frame of an event is due.
static tstamp last_frame(const struct scene_event *e)
{
	uint64_t more = e->ctl.b - 1;

	return more && e->ctl.a > (TSTAMP_NEVER - e->at) / more ? TSTAMP_NEVER
								: e->at + more * e->ctl.a;
}

// Adds the event. A port sends frames of one event at a time: one that begins ends the one before.
static int add_frames(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at,
	const struct draft_node *node, const struct ctl *ctl)
{
	const struct scene_event own = {
		.at = e->at, .node = (uint16_t)node->index, .ctl = *ctl, .line = at->line};

	for (unsigned i = 0; i < b->s->n_events; i++) {
		const struct scene_event *o = &b->s->event[i], *first = o->at <= own.at ? o : &own;
		const struct scene_event *next = first == o ? &own : o;

		if (o->ctl.type != CTL_MAC_FRAMES || o->node != own.node ||
			first->at >= b->s->duration || last_frame(first) < next->at)
			continue;
		draft_warn(b, at,
			"frames made to order at '%s': the event of line %u begins before that of "
			"line %u has sent all of its frames, and ends it",
			node->name, (unsigned)next->line, (unsigned)first->line);
	}
	return compile_node_event(b, e, at, node, ctl);
}

int compile_mac_event(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at)
{
	const struct opt_table *t = opt_row(&scene_opts_event, "mac_frames")->sub;
	const struct spec_mac_frames *m = &e->mac_frames;
	struct ctl ctl = {.type = CTL_MAC_FRAMES, .b = m->count};
	struct draft_node *node;
	int rc = opt_require(t, m, opt_source(&scene_opts_event, e, "mac_frames"), b->err);

	if (!rc)
		rc = find_sender(b, m->port, opt_source(t, m, "port"), &node);
	if (!rc)
		rc = check_length(b, t, m, port_of(b, node));
	if (rc)
		return rc;
	ctl.a = period_of(b, m, port_of(b, node));
	ctl.with = mac_frame(b, t, m, port_of(b, node));
	return ctl.with ? add_frames(b, e, at, node, &ctl) : -ENOMEM;
}

// Adds the XOFF or the XON of a pulse.
static int pulse_frame(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at,
	const struct draft_node *node, uint16_t quanta)
{
	const struct spec_pulse *m = &e->pulse;
	struct ctl ctl = {.type = CTL_MAC_FRAMES, .a = m->span, .b = 1, .id = 1};

	ctl.with = make_frame(b, port_of(b, node), m->frame, m->classes, quanta);
	return ctl.with ? add_frames(b, e, at, node, &ctl) : -ENOMEM;
}

// One XOFF, which may not run out before its XON.
int compile_pulse_event(struct draft *b, const struct spec_event *e, const struct yamldoc_node *at)
{
	const struct opt_table *t = opt_row(&scene_opts_event, "pulse")->sub;
	const struct spec_pulse *m = &e->pulse;
	struct spec_event xon = *e;
	struct draft_node *node;
	tstamp pause;
	int rc = opt_require(t, m, opt_source(&scene_opts_event, e, "pulse"), b->err);

	if (!rc)
		rc = find_sender(b, m->port, opt_source(t, m, "port"), &node);
	if (rc)
		return rc;
	pause = pfc_quantum_ps(port_of(b, node)->rate) * m->quanta;
	if (m->span > pause)
		return yamldoc_err(b->err, opt_source(t, m, "for"),
			"a pulse sends XOFF once, and %u quanta last for %.3f us here; write a "
			"shorter `for`, or pfc_storm, which repeats XOFF",
			m->quanta, (double)pause / PS_PER_US);
	rc = pulse_frame(b, e, at, node, m->quanta);
	xon.at += m->span;
	return rc ? rc : pulse_frame(b, &xon, at, node, 0);
}
