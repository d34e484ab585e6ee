// SPDX-License-Identifier: BSD-3-Clause
// The field that a fault rewrites: its value, and whether the named frames have it.
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault_int.h"

// Bits of the fields that are numbers; 0: an address.
static const uint8_t field_bits[FAULT_FIELDS] = {
	[FAULT_ETHERTYPE] = 16,
	[FAULT_VLAN] = 12,
	[FAULT_PCP] = 3,
	[FAULT_DSCP] = 6,
	[FAULT_IP_ECN] = 2,
	[FAULT_TTL] = 8,
	[FAULT_IP_ID] = 16,
	[FAULT_UDP_SPORT] = 16,
	[FAULT_UDP_DPORT] = 16,
	[FAULT_OPCODE] = 8,
	[FAULT_SE] = 1,
	[FAULT_MIGREQ] = 1,
	[FAULT_PKEY] = 16,
	[FAULT_QPN] = 24,
	[FAULT_ACKREQ] = 1,
	[FAULT_PSN] = 24,
	[FAULT_SYNDROME] = 8,
	[FAULT_MSN] = 24,
};

// A field that is being read.
struct field {
	enum fault_field is;
	const char *name, *text;
	const struct yamldoc_node *at;
};

static int read_number(struct fault_make *m, const struct field *f)
{
	const char *digits = f->text + (*f->text == '+');
	const unsigned bits = field_bits[f->is];
	struct fault_record *r = &m->f->record;
	char *end;
	unsigned long long v = strtoull(digits, &end, strncmp(digits, "0x", 2) ? 10 : 16);

	if (*digits < '0' || *digits > '9' || *end)
		return yamldoc_err(m->b->err, f->at,
			"%s: '%.60s' is not right; write a number, as in 7 or 0x7, or +7 to add "
			"it to the present value",
			f->name, f->text);
	if (v >> bits)
		return yamldoc_err(m->b->err, f->at,
			"%s: %.60s is out of range; the field has %u bits, so it can be 0..%llu",
			f->name, f->text, bits, (1ull << bits) - 1);
	r->rewrite.value = v;
	r->rewrite.adds = *f->text == '+';
	return 0;
}

static int read_mac(struct fault_make *m, const struct field *f)
{
	uint8_t mac[6];

	if (!units_parse_mac(f->text, mac))
		return yamldoc_err(m->b->err, f->at,
			"%s: '%.60s' is not right; write an address, as in 02:00:00:00:00:01",
			f->name, f->text);
	for (unsigned i = 0; i < sizeof(mac); i++)
		m->f->record.rewrite.value = m->f->record.rewrite.value << 8 | mac[i];
	return 0;
}

// The header of the frames to an end of a queue pair; NULL: it is none of the scene's.
static const struct hdr *header_of(const struct fault_make *m, const struct scene_fault_pair *p)
{
	const struct scene_flow *f = p->flow == SCENE_FAULT_GIVEN ? NULL : m->b->s->flow[p->flow];

	return !f ? NULL : p->back ? &f->hdr_ack : &f->hdr_data;
}

static int read_ip(struct fault_make *m, const struct field *f)
{
	const bool v6 = strchr(f->text, ':');

	if (inet_pton(v6 ? AF_INET6 : AF_INET, f->text, m->f->record.rewrite.ip) != 1)
		return yamldoc_err(m->b->err, f->at,
			"%s: '%.60s' is not right; write an address, as in 10.0.0.9", f->name,
			f->text);
	for (unsigned i = 0; i < m->f->n_pairs; i++) {
		const struct hdr *h = header_of(m, &m->f->pair[i]);

		if (h && v6 != !!(h->flags & HDR_IPV6))
			return yamldoc_err(m->b->err, f->at,
				"%s: the frames of %s have IPv%c addresses, and %.60s is none",
				f->name, m->b->s->flow[m->f->pair[i].flow]->name, v6 ? '4' : '6',
				f->text);
	}
	return 0;
}

static int lacks(struct fault_make *m, const struct field *f, const char *what, const char *why)
{
	return yamldoc_err(
		m->b->err, f->at, "%s: %s have no such field, because %s", f->name, what, why);
}

// Frames of the scene whose headers are known do not have every field.
static int check_headers(struct fault_make *m, const struct field *f)
{
	for (unsigned i = 0; i < m->f->n_pairs; i++) {
		const struct hdr *h = header_of(m, &m->f->pair[i]);
		char what[80];

		if (!h)
			continue;
		snprintf(what, sizeof(what), "frames of %s",
			m->b->s->flow[m->f->pair[i].flow]->name);
		if ((f->is == FAULT_VLAN || f->is == FAULT_PCP) && !(h->flags & HDR_VLAN))
			return lacks(m, f, what, "they have no tag; give the flow `vlan`");
		if (f->is == FAULT_IP_ID && h->flags & HDR_IPV6)
			return lacks(m, f, what, "they are IPv6");
	}
	return 0;
}

static bool any_reads(const struct fault_make *m)
{
	bool any = !m->f->n_pairs;

	for (unsigned i = 0; i < m->f->n_pairs; i++)
		any |= m->f->pair[i].flow == SCENE_FAULT_GIVEN ||
		       m->b->s->flow[m->f->pair[i].flow]->rc->p.verb == RC_READ;
	return any;
}

// Only ACKs, NAKs and READ responses have an AETH.
static int check_field(struct fault_make *m, const struct field *f)
{
	uint8_t kinds = FAULT_ACK | FAULT_NAK | (any_reads(m) ? FAULT_READ_RESPONSE : 0);

	if ((f->is == FAULT_SYNDROME || f->is == FAULT_MSN) && !(m->f->record.kinds & kinds))
		return lacks(m, f, "frames of this kind",
			"only ACK, NAK and READ response have an AETH; write dir: ack");
	return check_headers(m, f);
}

static int read_field(struct fault_make *m, const struct field *f)
{
	m->f->record.rewrite.field = f->is;
	switch (f->is) {
	case FAULT_DST_MAC:
	case FAULT_SRC_MAC:
		return read_mac(m, f);
	case FAULT_SRC_IP:
	case FAULT_DST_IP:
		return read_ip(m, f);
	default:
		return read_number(m, f);
	}
}

int fault_rewrite(struct fault_make *m, const struct spec_field *w)
{
	const struct opt_table *t = opt_row(&scene_opts_action, "rewrite")->sub;
	struct field f = {.is = FAULT_FIELDS};
	int rc;

	m->f->record.rewrite.keeps_icrc = w->icrc == SPEC_ICRC_KEEP;
	for (enum fault_field i = 0; i < FAULT_FIELDS; i++) {
		const char *name = fault_field_name(i);

		if (!w->value[i])
			continue;
		if (f.is < FAULT_FIELDS)
			return yamldoc_err(m->b->err, opt_source(t, w, name),
				"rewrite: a record writes one field, and here are %s and %s; "
				"write a second record for %s",
				f.name, name, name);
		f = (struct field){i, name, w->value[i], opt_source(t, w, name)};
	}
	if (f.is == FAULT_FIELDS)
		return yamldoc_err(m->b->err, m->spec.action,
			"rewrite: there is no field; write one, as in {rewrite: {migreq: 0}}");
	rc = read_field(m, &f);
	return rc ? rc : check_field(m, &f);
}
