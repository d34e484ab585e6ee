// SPDX-License-Identifier: BSD-3-Clause
// Registers of the RDMA IP as people name them: names mistyped, values out of range, a place's
// name.
#include "reg_name.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"

#define NAME_MAX_LEN 64
#define PART         100 // a name that only contains the other is further than any mistyped one

static void lower(char *to, size_t size, const char *text)
{
	size_t n = 0;

	for (; text[n] && n + 1 < size; n++)
		to[n] = (char)tolower((unsigned char)text[n]);
	to[n] = '\0';
}

// Steps between two names, both in lower case; -1: they are not near.
static int distance(const char *text, const char *name)
{
	int d = opt_distance(text, name), n = (int)strlen(text), m = (int)strlen(name);

	if (d >= 0)
		return d;
	if (n >= 4 && strstr(name, text))
		return PART + m - n;
	return strstr(text, name) ? PART + n - m : -1;
}

const char *reg_name_near(const char *text)
{
	char wanted[NAME_MAX_LEN], name[NAME_MAX_LEN];
	const char *near = NULL, *dot = strrchr(text, '.');
	int best = -1;

	lower(wanted, sizeof(wanted), dot && dot[1] ? dot + 1 : text);
	for (unsigned i = 0; i < 3 * rdma_ip_n_fields; i++) {
		const struct rdma_ip_field *f = &rdma_ip_fields[i / 3];
		const char *candidate = i % 3 ? f->name : f->word;
		const char *brief =
			strncmp(candidate, "dcqcn_", 6) == 0 ? candidate + 6 : candidate;
		int d;

		lower(name, sizeof(name), i % 3 == 2 ? brief : candidate);
		d = distance(wanted, name);
		if (d < 0 || (near && d >= best))
			continue;
		best = d;
		near = candidate;
	}
	return near;
}

int reg_name_find(struct rdma_ip_place *place, const char *text, uint32_t qpn, struct err *err)
{
	int rc = rdma_ip_reg_find(place, text, qpn);
	const char *near;

	if (!rc)
		return 0;
	if (rc == -ENXIO)
		return err_set(err, rc, "each queue pair has its own %.40s", text);
	near = reg_name_near(text);
	if (near)
		return err_set(err, rc, "the RDMA IP has no register '%.60s'; did you mean '%s'?",
			text, near);
	return err_set(
		err, rc, "the RDMA IP has no register '%.60s'; docs/registers.md has them", text);
}

int reg_name_value(
	uint64_t *value, const char *text, const struct rdma_ip_place *place, struct err *err)
{
	char name[NAME_MAX_LEN], *end;
	uint64_t v;

	errno = 0;
	v = strtoull(text, &end, 0);
	if (!isdigit((unsigned char)*text) || *end || errno)
		return err_set(err, -EINVAL,
			"'%.60s' is no register's value; write a whole number, as in 512 or 0x200",
			text);
	if (v > rdma_ip_field_mask(place->width))
		return err_set(err, -EINVAL, "'%.60s' is more than the %u bits of %s", text,
			place->width, reg_name_of(place, name, sizeof(name)));
	*value = v;
	return 0;
}

bool reg_name_covers(const struct rdma_ip_place *place, const struct rdma_ip_field *field)
{
	uint32_t qpn = rdma_ip_reg_qpn(place->address);
	uint32_t base = qpn ? place->address - (qpn - 1) * RDMA_IP_REG_QP_STRIDE : place->address;

	if (field->address != base)
		return false;
	return place->width == 64 || (place->lsb == field->lsb && place->width == field->width);
}

char *reg_name_of(const struct rdma_ip_place *place, char *buf, size_t size)
{
	const struct rdma_ip_field *f = rdma_ip_fields;

	while (f < rdma_ip_fields + rdma_ip_n_fields && !reg_name_covers(place, f))
		f++;
	if (f == rdma_ip_fields + rdma_ip_n_fields)
		snprintf(buf, size, "0x%x", (unsigned)place->address);
	else if (place->width == 64)
		snprintf(buf, size, "%s", f->word);
	else
		snprintf(buf, size, "%s.%s", f->word, f->name);
	return buf;
}

int reg_name_write(struct rdma_ip_place *place, uint64_t *value, const struct yamldoc_node *name,
	const struct yamldoc_node *number, uint32_t qpn, struct err *err)
{
	struct err why;

	if (reg_name_find(place, name->text, qpn, &why))
		return yamldoc_err(err, name, "%s", why.text);
	if (reg_name_value(value, number->text, place, &why))
		return yamldoc_err(err, number, "%s", why.text);
	return 0;
}
