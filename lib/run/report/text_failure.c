// SPDX-License-Identifier: BSD-3-Clause
// Queue pairs that gave up, in the table for the terminal: which, why, and what would help.
#include "algo/rc.h"
#include "wire/cm_msg.h"
#include "text.h"

#define SHOWN 8 // of them; how many more there are is said

static const char *const helps[RC_FAILURES] = {
	[RC_RETRIES_EXCEEDED] = "no ACK came: see whether the receiver is reached and where frames "
				"are lost; a longer `rto` bridges pauses",
	[RC_RNR_RETRIES_EXCEEDED] = "the receiver had no buffer ready: it should post more of "
				    "them, or raise `rnr_retries`",
	[RC_REMOTE_INVALID_REQUEST] = "the receiver does not take such a request: compare verb, "
				      "message length and MTU with what it expects",
	[RC_REMOTE_ACCESS_ERROR] = "the receiver denies access to its memory: compare key, "
				   "address, length and access rights with its own",
	[RC_REMOTE_OPERATIONAL_ERROR] = "the receiver has an error of its own: what it logs says "
					"more",
	[RC_PEER_UNKNOWN] = "nobody answers ARP or neighbour discovery for its address: see "
			    "whether the host is up, and in the same network",
	[RC_PEER_SILENT] = "it answers no message of RDMA-CM: see whether UDP port 4791 is open "
			   "there and its RDMA device is active",
	[RC_PEER_REJECTED] = "see whether a program listens at the port of `peer`, and whether "
			     "it takes this path MTU",
	[RC_PEER_PARTED] = "its program has ended, or has given up: what it logs says more",
	[RC_PEER_FULL] = "connections of before are not over yet: begin later, or with fewer",
};

// Why the peer has rejected it, in the words of the specification.
static const char *reason(const struct rec_flow *flow)
{
	static char text[80];
	unsigned why = 0;

	*text = 0;
	if (flow->nic && flow->scene->peer)
		nic_qp_peer(flow->nic, flow->qp, &why);
	if (why)
		snprintf(text, sizeof(text), ": %s (reason %u)", cm_rej_name(why), why);
	return text;
}

// One that had no peer when the run ended.
static void put_waiting(FILE *f, const struct rec_flow *flow)
{
	unsigned why;
	enum nic_peer_state state = flow->nic && flow->scene->peer
					    ? nic_qp_peer(flow->nic, flow->qp, &why)
					    : NIC_PEER_NONE;

	if (state == NIC_PEER_RESOLVES)
		fprintf(f, "  QP waits    %s: the run ended before its peer's address was found\n",
			flow->scene->name);
	if (state == NIC_PEER_ASKED)
		fprintf(f,
			"  QP waits    %s: the run ended before its peer had answered the "
			"connection manager\n",
			flow->scene->name);
}

void summary_failures_put(FILE *f, const struct summary *s)
{
	const struct record *r = s->rec;
	unsigned n = 0;

	for (unsigned i = 0; i < r->n_flows; i++) {
		const struct rec_flow *flow = &r->flow[i];
		unsigned why = flow->rc ? flow->rc->failed : RC_NO_FAILURE;

		if (!why)
			put_waiting(f, flow);
		if (!why || n++ >= SHOWN)
			continue;
		fprintf(f, "  QP failed   %s: %s%s\n                %s\n", flow->scene->name,
			rc_failure_name(why), reason(flow), helps[why]);
	}
	if (n > SHOWN)
		fprintf(f, "                %u more; `failure` of flows in summary.json has each\n",
			n - SHOWN);
}
