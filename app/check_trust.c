// SPDX-License-Identifier: BSD-3-Clause
// quench check: what a scenario has this machine run or open. It is as much to be trusted as a
// program.
#include <stdio.h>

#include "check.h"

void check_trust(const struct scene *s)
{
	for (unsigned i = 0; i < s->n_nodes; i++)
		if (s->node[i].kind == SCENE_NIC && s->node[i].fw_file)
			printf("loads code: %s: %s\n", s->node[i].name, s->node[i].fw_file);
	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned p = 0; p < s->node[i].n_ports; p++)
			if (s->node[i].port[p].device)
				printf("opens device: %s: %s\n", s->node[i].port[p].name,
					s->node[i].port[p].device);
}
