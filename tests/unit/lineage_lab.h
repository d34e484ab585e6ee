// SPDX-License-Identifier: BSD-3-Clause
// A lineage that is told by hand: ports by name, "s1:s2", queues with a class, "s1:s2.3".
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

#include "lineage/tell.h"

static struct lineage *lin;

static inline void lin_new(const char *hosts)
{
	char list[256], *rest = list, *name;

	snprintf(list, sizeof(list), "%s", hosts);
	lin = lineage_new(true);
	assert_non_null(lin);
	while ((name = strsep(&rest, " ")) != NULL)
		if (*name)
			lineage_host(lin, name);
}

static inline int lin_begin(void **state)
{
	(void)state;
	lin_new("h1 h2 h3 r");
	return 0;
}

static inline int lin_end(void **state)
{
	(void)state;
	lineage_free(lin);
	lin = NULL;
	return 0;
}

static inline uint32_t port(const char *name)
{
	uint32_t p = lineage_port(lin, name);

	assert_int_not_equal(p, LINEAGE_NONE);
	return p;
}

static inline uint32_t queue(const char *name)
{
	char text[64];
	size_t n = strlen(name) - 2;

	assert_int_equal(name[n], '.');
	snprintf(text, sizeof(text), "%.*s", (int)n, name);
	return port(text) * 8 + (uint32_t)(name[n + 1] - '0');
}

static inline void xoff(const char *from, tstamp t)
{
	uint32_t q = queue(from);

	lineage_xoff(lin, q / 8, (uint8_t)(1u << q % 8), t);
}

static inline void xon(const char *from)
{
	uint32_t q = queue(from);

	lineage_xon(lin, q / 8, (uint8_t)(1u << q % 8));
}

static inline void held(const char *from, const char *by, uint64_t bytes, uint64_t group)
{
	uint32_t q = queue(from), out = queue(by);

	lineage_held(lin, q / 8, q % 8, out / 8, out % 8, bytes, group);
}

static inline void paused(const char *name, tstamp t)
{
	lineage_paused(lin, queue(name) / 8, queue(name) % 8, t);
}

static inline void resumed(const char *name, enum lineage_end end, tstamp t)
{
	lineage_resumed(lin, queue(name) / 8, queue(name) % 8, end, t);
}

// XOFF with one holder, and the pause that it makes at the same instant.
static inline void stop(const char *from, const char *by, const char *who, tstamp t)
{
	xoff(from, t);
	if (by)
		held(from, by, 1000, 1000);
	paused(who, t);
}

static inline void go(const char *from, const char *who, tstamp t)
{
	xon(from);
	resumed(who, LINEAGE_XON, t);
}

static inline const char *root_name(uint32_t i)
{
	return lineage_root(lin, i)->name;
}

// The time that a queue owes to a root.
static inline tstamp owes(const char *name, const char *root)
{
	struct lineage_counts n = lineage_counts(lin);

	for (uint32_t i = 0; i < n.bills; i++) {
		const struct lineage_bill *b = lineage_bill(lin, i);

		if (b->queue == queue(name) && !strcmp(root_name(b->root), root))
			return b->ps;
	}
	return 0;
}

// The time that a pause owes directly to a queue's pauses, or to a root.
static inline tstamp part(uint32_t pause, const char *to)
{
	const struct lineage_part *p;
	char name[64];

	for (uint32_t i = lineage_pause(lin, pause)->part; i != LINEAGE_NONE; i = p->next) {
		p = lineage_part(lin, i);
		if (p->queue == LINEAGE_NONE)
			snprintf(name, sizeof(name), "%s", root_name(p->root));
		else
			snprintf(name, sizeof(name), "%s.%u", lineage_port_name(lin, p->queue / 8),
				p->queue % 8);
		if (!strcmp(name, to))
			return p->ps;
	}
	return 0;
}

// Everything that is billed sums to the time of the pauses, however it is looked at.
static inline void sums_hold(void)
{
	struct lineage_counts n = lineage_counts(lin);
	tstamp pauses = 0, bills = 0, edges = 0, roots = 0;
	tstamp *of = calloc(n.ports * 8 + 1ul, sizeof(*of));

	assert_non_null(of);
	for (uint32_t i = 0; i < n.pauses; i++) {
		const struct lineage_pause *p = lineage_pause(lin, i);
		tstamp parts = 0;

		assert_true(p->to >= p->from);
		for (uint32_t k = p->part; k != LINEAGE_NONE; k = lineage_part(lin, k)->next) {
			assert_true(lineage_part(lin, k)->ps > 0);
			parts += lineage_part(lin, k)->ps;
		}
		assert_int_equal(parts, p->to - p->from);
		of[p->queue] += parts;
		pauses += parts;
	}
	assert_int_equal(pauses, n.ps);
	for (uint32_t i = 0; i < n.ports * 8; i++) {
		tstamp billed = 0, owed = 0;

		assert_int_equal(of[i], lineage_paused_ps(lin, i));
		for (uint32_t k = 0; k < n.bills; k++)
			billed += lineage_bill(lin, k)->queue == i ? lineage_bill(lin, k)->ps : 0;
		for (uint32_t k = 0; k < n.edges; k++)
			owed += lineage_edge(lin, k)->queue == i ? lineage_edge(lin, k)->ps : 0;
		assert_int_equal(billed, of[i]);
		assert_int_equal(owed, of[i]);
		bills += billed;
		edges += owed;
	}
	for (uint32_t i = 0; i < n.roots; i++)
		roots += lineage_root(lin, i)->ps;
	assert_int_equal(bills, pauses);
	assert_int_equal(edges, pauses);
	assert_int_equal(roots, pauses);
	free(of);
}

static inline void finish(tstamp end)
{
	assert_int_equal(lineage_finish(lin, end), 0);
	sums_hold();
}

#define LIN_TEST(name) cmocka_unit_test_setup_teardown(name, lin_begin, lin_end)
