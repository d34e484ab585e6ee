// SPDX-License-Identifier: BSD-3-Clause
// Requests that queue pairs of ours have refused, in the table for the terminal. The first one of
// each host and reason is shown, with its faulty value, the right value, and an advice.
#include <string.h>

#include "int.h"
#include "wire/bth.h"

#define WORDS 128 // bytes of a fault

static const char *const helps[RC_REFUSALS] = {
	[RC_REFUSED_VERB] = "`verb` of its flow says what it takes: "
			    "give it that verb, or let the peer send another",
	[RC_REFUSED_ORDER] = "they are frames of another connection, or the peer has a defect",
	[RC_REFUSED_LENGTH] = "compare the path MTU of both ends: `mtu` of `peer`",
	[RC_REFUSED_TOTAL] = "the peer's RETH and its packets do not agree: a defect of its stack",
	[RC_REFUSED_LONG] = "a message has 2 GiB at most: let the peer send shorter ones",
	[RC_REFUSED_READS] = "raise `rd_atomic`, or lower the peer's initiator depth",
	[RC_REFUSED_RKEY] = "give the peer our key, or let it connect by RDMA-CM, which tells it",
	[RC_REFUSED_MEMORY] = "compare address and length with `va` and `length` of `peer`",
};

static const char *opcode_text(uint8_t opcode, char buf[24])
{
	const char *name = bth_ops[opcode].name;

	if (!name)
		snprintf(buf, 24, "opcode 0x%02x", opcode);
	return !name ? buf : !strncmp(name, "RC_", 3) ? name + 3 : name;
}

static const char *takes_text(uint64_t takes)
{
	static const char *const words[] = {[RC_TAKES_SEND_WRITE] = "SEND and WRITE",
		[RC_TAKES_READS] = "READ",
		[RC_TAKES_NOTHING] = "no requests"};

	return words[takes];
}

static const char *under_way_text(uint64_t under_way)
{
	static const char *const words[] = {[RC_NONE_UNDER_WAY] = "no message",
		[RC_SEND_UNDER_WAY] = "a SEND",
		[RC_WRITE_UNDER_WAY] = "a WRITE"};

	return words[under_way];
}

// Writes the request's value, and the right one.
static void put_values(char to[WORDS], const struct rc_refused *r)
{
	ull its = r->its, ours = r->ours;

	switch ((enum rc_refusal)r->why) {
	case RC_REFUSED_VERB:
		snprintf(to, WORDS, "it takes %s", takes_text(ours));
		break;
	case RC_REFUSED_ORDER:
		snprintf(to, WORDS, "%s was under way", under_way_text(ours));
		break;
	case RC_REFUSED_LENGTH:
		snprintf(to, WORDS, "%llu bytes of payload, and %s %llu", its,
			ours == 1 ? "a last packet has at least" : "the path MTU is", ours);
		break;
	case RC_REFUSED_TOTAL:
		snprintf(to, WORDS, "%llu bytes of payload, where its RETH leaves %llu", its, ours);
		break;
	case RC_REFUSED_LONG:
		snprintf(to, WORDS, "%llu bytes, and a message has %llu at most", its, ours);
		break;
	case RC_REFUSED_READS:
		snprintf(to, WORDS, "one more at a time than the %llu that are served", ours);
		break;
	case RC_REFUSED_RKEY:
		snprintf(to, WORDS, "its R_Key is 0x%08llx, ours 0x%08llx", its, ours);
		break;
	case RC_REFUSED_MEMORY:
		snprintf(to, WORDS, "%u bytes at 0x%llx, and it has %u at 0x%llx", r->its_bytes,
			its, r->ours_bytes, ours);
		break;
	default:
		to[0] = '\0';
		break;
	}
}

static void put_refusal(FILE *f, const struct record *r, const struct nic_refusal *first)
{
	char words[WORDS], opcode[24];

	put_values(words, &first->what);
	fprintf(f, "  refused     %s, QP 0x%06x: %s: %s", r->flow[first->flow].scene->name,
		first->qpn, opcode_text(first->what.opcode, opcode), words);
	if (first->times > 1)
		fprintf(f, "; %llu more", (ull)first->times - 1);
	fprintf(f, "\n                PSN %u at %.6f s; %s\n", first->psn,
		(double)first->at / (double)PS_PER_S, helps[first->what.why]);
}

void text_refused(FILE *f, const struct summary *s)
{
	const struct record *r = s->rec;

	for (unsigned i = 0; i < r->net->n_nodes; i++) {
		const struct net_node *n = net_node(r->net, i);

		for (unsigned why = 1; n->kind == SCENE_NIC && why < RC_REFUSALS; why++) {
			const struct nic_refusal *first =
				nic_refusal(n->u.nic, (enum rc_refusal)why);

			if (first)
				put_refusal(f, r, first);
		}
	}
}
