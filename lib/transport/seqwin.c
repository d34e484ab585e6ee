// SPDX-License-Identifier: BSD-3-Clause
// The order of numbered frames: a bitmap of the frames behind the highest.
#include "transport/seqwin.h"

#include <string.h>

#define LEAST 8 // frames from which on it can be said whether numbers count them

static uint64_t *word_of(struct seqwin *w, uint32_t number)
{
	return &w->came[number / 64 % (SEQWIN / 64)];
}

static void set(struct seqwin *w, uint32_t number)
{
	*word_of(w, number) |= UINT64_C(1) << number % 64;
}

static bool is_set(struct seqwin *w, uint32_t number)
{
	return *word_of(w, number) >> number % 64 & 1;
}

// Moves the window on by n numbers from `from`: none of these has arrived yet.
static void advance(struct seqwin *w, uint32_t from, uint32_t n)
{
	if (n >= SEQWIN) {
		memset(w->came, 0, sizeof(w->came));
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		*word_of(w, from + i) &= ~(UINT64_C(1) << (from + i) % 64);
}

static void behind(struct seqwin *w, uint32_t number, uint32_t by)
{
	w->back++;
	if (by <= SEQWIN && is_set(w, number)) {
		w->duplicates++;
		return;
	}
	w->out_of_order++;
	w->lost -= w->lost != 0;
	if (by <= SEQWIN)
		set(w, number);
}

void seqwin_rx(struct seqwin *w, uint32_t number, unsigned bits)
{
	uint32_t mask = (uint32_t)((UINT64_C(1) << bits) - 1), ahead;

	w->frames++;
	if (!w->bits) {
		w->bits = (uint8_t)bits;
		w->next = (number + 1) & mask;
		set(w, number);
		return;
	}
	ahead = (number - w->next) & mask;
	if (ahead > mask / 2) {
		behind(w, number, (w->next - number) & mask);
		return;
	}
	advance(w, w->next, ahead + 1);
	set(w, number);
	w->lost += ahead;
	w->next = (number + 1) & mask;
}

bool seqwin_counts(const struct seqwin *w)
{
	return w->frames >= LEAST && w->back <= (w->frames - 1) / 4;
}
