// SPDX-License-Identifier: BSD-3-Clause
// Queue pairs that failed, in the table for the terminal: which, why, and what would help.
#include "transport/rc.h"
#include "frame/cm_msg.h"
#include "int.h"

#define SHOWN 8 // of them; how many more there are is said

static const char *const helps[RC_FAILURES] = {
	[RC_RETRIES_EXCEEDED] = "no ACK came: "
				"see whether the receiver is reached and where frames are lost; "
				"a longer `rto` bridges pauses",
	[RC_RNR_RETRIES_EXCEEDED] = "the receiver had no buffer ready: "
				    "it should post more of them, or raise `rnr_retries`",
	[RC_REMOTE_INVALID_REQUEST] = "the receiver does not take such a request: "
				      "compare verb, message length and MTU with its own",
	[RC_REMOTE_ACCESS_ERROR] = "the receiver denies access to its memory: "
				   "compare key, address, length and access rights with its own",
	[RC_REMOTE_OPERATIONAL_ERROR] = "the receiver has an error of its own: see its log",
	[RC_PEER_UNKNOWN] = "nobody answers ARP or neighbour discovery: "
			    "see whether host or `gateway` are up, in the same network",
	[RC_PEER_SILENT] = "it answers no message of RDMA-CM: "
			   "see whether UDP port 4791 is open there and its RDMA device is active",
	[RC_PEER_REJECTED] = "see whether a program listens at the port of `peer`, and whether "
			     "it takes this path MTU",
	[RC_PEER_PARTED] = "its program has ended, or has given up: see its log",
	[RC_PEER_FULL] = "connections of before are not over yet: begin later, or with fewer",
	[RC_PEER_NO_READS] = "its responder resources are 0: its program should accept with some",
};

static enum nic_peer_state peer_of(const struct rec_flow *flow, unsigned *reason)
{
	*reason = 0;
	return flow->asks && flow->scene->peer ? nic_qp_peer(flow->asks, flow->asks_qp, reason)
					       : NIC_PEER_NONE;
}

static void put_failed(FILE *f, const struct rec_flow *flow, enum rc_failure why)
{
	unsigned reason;

	peer_of(flow, &reason);
	fprintf(f, "  QP failed   %s: %s", flow->scene->name, rc_failure_name(why));
	if (reason)
		fprintf(f, ": %s (reason %u)", cm_rej_name(reason), reason);
	fprintf(f, "\n                %s\n", helps[why]);
}

// Returns whether a flow stands still: it waits for ACKs of data, and nothing has arrived in the
// window.
static bool stands(const struct summary *s, unsigned i)
{
	const struct rc_tx *rc = rec_flow_rc(&s->rec->flow[i]);

	return rc && rc_tx_waits(rc) && !rc->failed && !rc->past->rnr_wait &&
	       rc_tx_rto_at(rc) != TSTAMP_NEVER && summary_at(s, KIND_FLOW, i, "goodput_gbps") == 0;
}

// Writes the flows of which nothing arrived: the first, the number of others, and the timeout for
// which they wait.
static void put_standing(FILE *f, const struct summary *s)
{
	const struct record *r = s->rec;
	const struct rc_tx *rc;
	unsigned n = 0, first = 0;

	for (unsigned i = 0; i < r->n_flows && s->set[KIND_FLOW].n == r->n_flows; i++)
		if (stands(s, i) && !n++)
			first = i;
	if (!n)
		return;
	rc = rec_flow_rc(&r->flow[first]);
	fprintf(f, "  QP stands   %s", r->flow[first].scene->name);
	if (n > 1)
		fprintf(f, " and %u more", n - 1);
	fprintf(f,
		": nothing arrived in the window; "
		"it has waited for an ACK since %s, and sends again after `rto`, %s\n",
		DURATION(us(tstamp_since(rc_tx_rto_at(rc), rc_tx_rto(rc, rc->cfg)))),
		DURATION(us(rc_tx_rto(rc, rc->cfg))));
	if (total_count(s, "drops_total"))
		fprintf(f, "                frames were dropped: a shorter `rto` repairs that "
			   "sooner, and a lossless class with PFC loses none\n");
}

// Queue pairs that had no peer when the run ended.
static void put_waiting(FILE *f, const struct record *r)
{
	unsigned n = 0, reason;

	for (unsigned i = 0; i < r->n_flows; i++) {
		enum nic_peer_state state = peer_of(&r->flow[i], &reason);

		if ((state != NIC_PEER_RESOLVES && state != NIC_PEER_ASKED) || n++ >= SHOWN)
			continue;
		fprintf(f, "  QP waits    %s: the run ended before its peer %s\n",
			r->flow[i].scene->name,
			state == NIC_PEER_RESOLVES ? "was found" : "had answered to connect");
	}
	if (n > SHOWN)
		fprintf(f, "                %u more wait\n", n - SHOWN);
}

// Asks our end of a flow, to which peers connect, for a count about these peers.
static unsigned of_peers(
	const struct record *r, unsigned i, unsigned (*say)(const struct nic *nic, unsigned qp))
{
	const struct scene_flow *s = r->flow[i].scene;
	unsigned n = 0;

	for (unsigned sends = 0; s->peer && !r->flow[i].asks && sends < 2; sends++) {
		const struct nic *nic = net_nic(r->net, sends ? s->from : s->to);
		int q = nic ? nic_find_qp(nic, i, sends) : -1;

		n += q >= 0 ? say(nic, (unsigned)q) : 0;
	}
	return n;
}

// Queue pairs to which peers wanted to connect. They still wait for other peers.
static void put_unanswered(FILE *f, const struct record *r)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->n_flows; i++) {
		unsigned times = of_peers(r, i, nic_qp_peer_unanswered);

		if (!times || n++ >= SHOWN)
			continue;
		fprintf(f,
			"  QP waits    %s: its peer asked to connect, and did not answer the REP",
			r->flow[i].scene->name);
		if (times > 1)
			fprintf(f, ", %u times", times);
		fprintf(f, "\n                see whether our UDP frames to port 4791 reach it\n");
	}
	if (n > SHOWN)
		fprintf(f, "                %u more got no answer\n", n - SHOWN);
}

// Peers that were killed, or whose host has started again.
static void put_lost(FILE *f, const struct record *r)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->n_flows; i++) {
		unsigned times = of_peers(r, i, nic_qp_peer_lost);

		if (!times || n++ >= SHOWN)
			continue;
		fprintf(f,
			"  QP lost     %s: "
			"its peer connected anew, and had forgotten the connection",
			r->flow[i].scene->name);
		if (times > 1)
			fprintf(f, ", %u times", times);
		fputs("\n", f);
	}
	if (n > SHOWN)
		fprintf(f, "                %u more were lost\n", n - SHOWN);
}

void text_failures(FILE *f, const struct summary *s)
{
	const struct record *r = s->rec;
	unsigned n = 0;

	for (unsigned i = 0; i < r->n_flows; i++) {
		const struct rc_tx *rc = rec_flow_rc(&r->flow[i]);
		enum rc_failure why = rc ? (enum rc_failure)rc->failed : RC_NO_FAILURE;

		if (why && n++ < SHOWN)
			put_failed(f, &r->flow[i], why);
	}
	if (n > SHOWN)
		fprintf(f, "                %u more; `failure` of flows in summary.json has each\n",
			n - SHOWN);
	put_standing(f, s);
	put_waiting(f, r);
	put_unanswered(f, r);
	put_lost(f, r);
}
