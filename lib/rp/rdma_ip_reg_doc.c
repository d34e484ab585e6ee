// SPDX-License-Identifier: BSD-3-Clause
// The register table as a page of documentation.
#include <stdarg.h>
#include <stdio.h>

#include "rdma_ip_reg.h"

static const char *const access_name[] = {
	[RDMA_IP_RW] = "rw",
	[RDMA_IP_RO] = "ro",
	[RDMA_IP_START] = "w1",
	[RDMA_IP_W1C] = "w1c",
	[RDMA_IP_POP] = "pop",
};

static const char head[] =
	"<!-- SPDX-License-Identifier: BSD-3-Clause -->\n"
	"# Registers of the RDMA IP's congestion control\n"
	"\n"
	"`quench check --registers` writes this page from the table in\n"
	"`lib/rp/rdma_ip_reg_table.c`; [algo/rdma_ip.md](algo/rdma_ip.md) tells what the\n"
	"registers do. Words have 64 bits. An address with + n 0x100 is that of the queue pair\n"
	"with number n + 1.\n"
	"\n"
	"Access: rw is read and written; ro is read only; w1 starts something by a 1 and\n"
	"reads 0; w1c is cleared by a 1; pop takes an entry when it is read. Source: `guide`\n"
	"where the RDMA Reference Guide gives the address, `here` where it is assigned in a\n"
	"word that the guide leaves free.\n"
	"\n"
	"| address | word | bits | field | access | reset | source | meaning |\n"
	"|---|---|---|---|---|---|---|---|\n";

// snprintf at `at`; the length that the whole has.
static size_t append_text(char *buf, size_t size, size_t at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static size_t append_text(char *buf, size_t size, size_t at, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(at < size ? buf + at : NULL, at < size ? size - at : 0, fmt, args);
	va_end(args);
	return at + (size_t)n;
}

size_t rdma_ip_reg_doc(char *buf, size_t size)
{
	size_t at = append_text(buf, size, 0, "%s", head);

	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		const struct rdma_ip_field *f = &rdma_ip_fields[i];

		at = append_text(buf, size, at, "| 0x%06x%s | `%s` | ", (unsigned)f->address,
			rdma_ip_field_per_qp(f) ? " + n 0x100" : "", f->word);
		if (f->width == 1)
			at = append_text(buf, size, at, "%u", f->lsb);
		else
			at = append_text(buf, size, at, "%u:%u", f->lsb + f->width - 1u, f->lsb);
		at = append_text(buf, size, at, " | `%s` | %s | %u | %s | %s |\n", f->name,
			access_name[f->access], (unsigned)f->reset, f->given ? "guide" : "here",
			f->help);
	}
	return at;
}
