// SPDX-License-Identifier: BSD-3-Clause
// The hosts that have registers, and the registers that there are.
#include "reg_int.h"

#include <stdio.h>
#include <string.h>

#include "cmd.h"

// Hosts with registers, a page at a time.
static int print_hosts(const struct reg *r)
{
	uint64_t from = 0;

	do {
		struct err err;
		json_t *j, *name;
		size_t i;

		if (instance_ask(
			    &r->to, &j, &err, "/quench/reg/list,%llu", (unsigned long long)from))
			return reg_tell(&err);
		json_array_foreach(json_object_get(j, "names"), i, name)
		{
			const char *text = json_string_value(name);
			const char *qps = text ? strrchr(text, ' ') : NULL;

			if (qps)
				printf("  %.*s: queue pairs up to %s\n", (int)(qps - text), text,
					qps + 1);
		}
		if (!reg_number(j, "all"))
			printf("  no host has registers: a control of profile rdma_ip brings "
			       "them\n");
		from = reg_next(j, from);
		json_decref(j);
	} while (from);
	return EXIT_DONE;
}

int reg_list(struct reg *r, bool runs)
{
	int status = EXIT_DONE;

	if (runs) {
		printf("instance %s (pid %llu), scenario %s, at %.3f of %.3f ms\n", r->to.name,
			(unsigned long long)r->to.pid, r->to.scenario, (double)r->to.now_ps / 1e9,
			(double)r->to.duration_ps / 1e9);
		status = print_hosts(r);
	} else {
		printf("no instance is running; `quench run SCENARIO --clock real` starts one\n");
	}
	printf("\n%-9s  %-18s  %s\n", "address", "register", "fields");
	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		const struct rdma_ip_field *f = &rdma_ip_fields[i];

		if (!i || f->address != f[-1].address)
			printf("%s0x%06x%s  %-18s ", i ? "\n" : "", (unsigned)f->address,
				rdma_ip_field_per_qp(f) ? "+" : " ", f->word);
		printf(" %s", f->name);
	}
	printf("\n+ of each queue pair: 0x100 further for the next\n");
	return status;
}
