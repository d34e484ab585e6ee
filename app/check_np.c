// SPDX-License-Identifier: BSD-3-Clause
// A scene's notification points in words: what each host does with CE, and who listens.
#include "check.h"

#include <stdlib.h>

#include "conf/conf.h"

static void print_answer(const struct nic_params *p, FILE *f)
{
	static const char *const mode[] = {
		[NP_WINDOW] = "window",
		[NP_NEXT_MARKED] = "next_marked",
		[NP_PER_PACKET] = "per_packet",
	};
	static const char *const key[] = {
		[NP_KEY_QP] = "qp",
		[NP_KEY_IP_PAIR] = "ip_pair",
		[NP_KEY_DST_IP] = "dst_ip",
		[NP_KEY_PORT] = "port",
	};
	char interval[32];

	if (p->cnflag)
		fprintf(f, "no CNP: in the framing of the simulator the ACK echoes CE\n");
	else if (p->np_off)
		fprintf(f, "no CNP: np: {mode: off}\n");
	else if (p->np.mode == NP_PER_PACKET || !p->np.interval_ps)
		fprintf(f, "CNP for every CE frame\n");
	else
		fprintf(f, "CNP: mode %s, interval %s, key %s\n", mode[p->np.mode],
			units_format(UNITS_TIME, p->np.interval_ps, interval, sizeof(interval)),
			key[p->np.key]);
}

// Queue pairs that send to a host.
struct senders {
	unsigned come, react;
};

void check_np(const struct scene *s, FILE *f)
{
	struct senders *to = calloc(s->n_nodes, sizeof(*to));
	bool head = false;

	for (unsigned k = 0; to && k < s->n_flows; k++) {
		const struct scene_flow *flow = s->flow[k];

		to[flow->to].come++;
		to[flow->to].react += flow->rp || flow->rdma_ip;
	}
	for (unsigned i = 0; to && i < s->n_nodes; i++) {
		if (!to[i].come || s->node[i].kind != SCENE_NIC)
			continue;
		if (!head)
			fprintf(f,
				"\nNotification points (queue pairs that send to the host; those "
				"that "
				"react to a CNP, the others ignore it)\n%-20s %11s  %5s  %s\n",
				"host", "queue pairs", "react", "answer to CE");
		head = true;
		fprintf(f, "%-20s %11u  %5u  ", s->node[i].name, to[i].come, to[i].react);
		print_answer(&s->node[i].u.nic, f);
	}
	free(to);
}
