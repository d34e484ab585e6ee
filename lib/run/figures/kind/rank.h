// SPDX-License-Identifier: BSD-3-Clause
// Which of many objects of a kind summary.json lists: the first of several orders.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct set;

// The rank of an object among the objects of its kind.
struct rank {
	bool listed, ranked;    // in summary.json; among the first of an order
	const char *listed_for; // NULL: it is not
	char orders[48];        // "fastest, most_cut"
};

struct rank_order {
	const char *name;
	double (*key)(const void *object); // least first; never NAN
	bool some;                         // objects whose key is 0 are left out
};

#define RANK_FIRST 10 // of each order, where the scenario names no number

// Lists the first n objects of each order; `at` is the offset of their struct rank. Equal objects
// are ordered by their number. -ENOMEM.
int rank_list(const struct set *set, size_t at, unsigned n, const struct rank_order *order,
	unsigned orders);
