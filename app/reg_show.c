// SPDX-License-Identifier: BSD-3-Clause
// A register and its fields in words.
#include "reg_int.h"

#include <stdio.h>
#include <string.h>

#include "algo/rdma_ip_rp.h"
#include "cmd.h"
#include "scene/scene.h"

static void print_field(const struct reg_word *w, const struct rdma_ip_field *f)
{
	uint64_t v = w->value >> (f->lsb - w->place.lsb) & rdma_ip_field_mask(f->width);
	char bits[16], rate[32] = "";

	snprintf(bits, sizeof(bits), f->width == 1 ? "%u" : "%u:%u", f->lsb + f->width - 1u,
		(unsigned)f->lsb);
	if (strstr(f->help, "bytes in 1024 cycles") && w->clock_hz)
		snprintf(rate, sizeof(rate),
			"%.3f Gb/s: ", (double)rdma_ip_rp_bps((uint32_t)v, w->clock_hz) / 1e9);
	printf("  %-26s %6s %12llu  %s%s\n", f->name, bits, (unsigned long long)v, rate, f->help);
}

static void print_word(const struct reg_word *w)
{
	char name[64], qp[24] = "";

	if (w->qpn)
		snprintf(qp, sizeof(qp), " qp %u", w->qpn);
	printf("%s%s  0x%06x  %s = 0x%llx\n", w->node, qp, (unsigned)w->place.address,
		reg_name_of(&w->place, name, sizeof(name)), (unsigned long long)w->value);
	for (unsigned i = 0; i < rdma_ip_n_fields; i++)
		if (reg_name_covers(&w->place, &rdma_ip_fields[i]))
			print_field(w, &rdma_ip_fields[i]);
}

int reg_show(const struct reg *r, const char *name, const char *value)
{
	struct reg_word w;
	struct err err;

	if (reg_ask(r, &w, &err, name, value))
		return reg_tell(&err);
	if (r->raw)
		printf("0x%llx\n", (unsigned long long)w.value);
	else
		print_word(&w);
	return EXIT_DONE;
}
