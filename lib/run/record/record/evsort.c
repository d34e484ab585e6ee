// SPDX-License-Identifier: BSD-3-Clause
// Insertion sort in small blocks, then merges of neighbours.
#include "evsort.h"

#include <string.h>

#define BLOCK 16

static void insertion(struct ev *e, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct ev x;
		size_t j = i;

		if (!evsort_before(&e[i], &e[i - 1]))
			continue;
		x = e[i];
		for (; j && evsort_before(&x, &e[j - 1]); j--)
			e[j] = e[j - 1];
		e[j] = x;
	}
}

// Returns the first index in e[0..n) at which x must be inserted.
static size_t sorted_place(const struct ev *e, size_t n, const struct ev *x)
{
	size_t lo = 0;

	while (lo < n) {
		size_t mid = lo + (n - lo) / 2;

		if (evsort_before(x, &e[mid]))
			n = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

// Merges e[0..mid) and e[mid..n). The events before the first one of the right half stay; the rest
// of the left half goes to `room` and comes back between the events of the right half.
static void merge_halves(struct ev *e, size_t mid, size_t n, struct ev *room)
{
	size_t at, left, i = 0, j = mid;

	if (!evsort_before(&e[mid], &e[mid - 1]))
		return;
	at = sorted_place(e, mid, &e[mid]);
	left = mid - at;
	memcpy(room, e + at, left * sizeof(*e));
	while (i < left && j < n)
		e[at++] = evsort_before(&e[j], &room[i]) ? e[j++] : room[i++];
	memcpy(e + at, room + i, (left - i) * sizeof(*e));
}

void evsort(struct ev *e, size_t n, struct ev *room)
{
	for (size_t i = 0; i < n; i += BLOCK)
		insertion(e + i, n - i < BLOCK ? n - i : BLOCK);
	for (size_t width = BLOCK; width < n; width *= 2)
		for (size_t i = 0; i + width < n; i += 2 * width) {
			size_t span = n - i < 2 * width ? n - i : 2 * width;

			merge_halves(e + i, width, span, room);
		}
}
