// SPDX-License-Identifier: BSD-3-Clause
// The debugging window of a queue pair: begin, end, print.
#include "reg_int.h"

#include <stdio.h>

#include "algo/rdma_ip_rp.h"
#include "cmd.h"
#include "term.h"

// The registers of DFX show the window of one queue pair: it is chosen first, and with it begun or
// ended.
static int choose_window(const struct reg *r, struct reg_word *w, struct err *err)
{
	char value[32];
	int rc = reg_ask(r, w, err, "RATE_MEM", NULL); // which host and queue pair are meant

	if (rc)
		return rc;
	snprintf(value, sizeof(value), "0x%llx",
		w->qpn | (r->start ? 1ull << 32 : 0) | (r->stop ? 1ull << 33 : 0));
	return reg_ask(r, w, err, "DCQCN_DFX_CTRL", value);
}

// What a window begins with (standards.md 11, 6.12.5): rates, alpha, T and BC.
static int print_begin(const struct reg *r)
{
	static const char *const words[] = {"RATE_MEM", "ALPHA_MEM", "T_BC_MEM"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (reg_show(r, words[i], NULL))
			return EXIT_INPUT;
	return EXIT_DONE;
}

static void print_entry(const struct reg *r, const struct reg_word *w, uint32_t qpn)
{
	unsigned code = w->value & 7, rate = w->value >> 16 & 0xffff;
	unsigned us = (unsigned)(w->value >> 32);
	double gbps = (double)rdma_ip_rp_bps(rate, w->clock_hz) / 1e9;

	printf(r->csv ? "%u,%s,%u,%u,%s,%u,%.6f\n" : "%10u  %-8s %4u  %u  %-30s %6u  %10.6f\n", us,
		w->node, qpn, code, rdma_ip_dfx_name(code), rate, gbps);
}

static int print_window(const struct reg *r, uint32_t qpn)
{
	struct reg_word w;
	struct err err;

	if (r->csv)
		term_plain();
	if (r->csv)
		printf("time_us,node,qp,event,event_name,rate,rate_gbps\n");
	else if (reg_show(r, "DCQCN_DFX_CTRL", NULL) || reg_show(r, "DCQCN_DFX_CNT", NULL))
		return EXIT_INPUT;
	for (unsigned i = 0; i < RDMA_IP_DFX_ENTRIES; i++) {
		if (reg_ask(r, &w, &err, "DCQCN_DFX_INFO", NULL))
			return reg_tell(&err);
		if ((w.value & 7) == RDMA_IP_DFX_RESERVED)
			break;
		if (!i && !r->csv)
			printf("%10s  %-8s %4s  %-32s %6s  %10s\n", "time us", "node", "qp",
				"event", "rate", "Gb/s");
		print_entry(r, &w, qpn);
	}
	return EXIT_DONE;
}

int reg_dfx(const struct reg *r)
{
	struct reg_word w;
	struct err err;
	uint32_t qpn;

	if (r->start && print_begin(r))
		return EXIT_INPUT;
	if (choose_window(r, &w, &err))
		return reg_tell(&err);
	qpn = (uint32_t)(w.value & 0xffffff);
	if (!r->start && !r->stop)
		return print_window(r, qpn);
	printf("%s qp %u: %s\n", w.node, qpn,
		r->start ? "its next 64 events are recorded" : "recording has ended");
	return EXIT_DONE;
}
