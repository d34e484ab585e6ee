// SPDX-License-Identifier: BSD-3-Clause
// Queue pairs that gave up, in the table for the terminal: which, why, and what would help.
#include "algo/rc.h"
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
};

void summary_failures_put(FILE *f, const struct summary *s)
{
	const struct record *r = s->rec;
	unsigned n = 0;

	for (unsigned i = 0; i < r->n_flows; i++) {
		unsigned why = r->flow[i].rc ? r->flow[i].rc->failed : RC_NO_FAILURE;

		if (!why || n++ >= SHOWN)
			continue;
		fprintf(f, "  QP failed   %s: %s\n                %s\n", r->flow[i].scene->name,
			rc_failure_name(why), helps[why]);
	}
	if (n > SHOWN)
		fprintf(f, "                %u more; `failure` of flows in summary.json has each\n",
			n - SHOWN);
}
