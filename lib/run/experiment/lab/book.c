// SPDX-License-Identifier: BSD-3-Clause
// Steps of testers, and the memory of their entries.
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lab.h"

#define MOST     (1u << 26) // entries of a port
#define LEAST    (1u << 16)
#define KEPT     (1u << 20) // entries whose memory stays between steps
#define CONTROLS 4096

static void *reserve(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

// Where address space is short, all ports have less of it.
static int reserve_all(struct lab_book *b)
{
	for (b->most = MOST; b->most >= LEAST; b->most /= 2) {
		unsigned p = 0;

		while (p < b->ports && (b->seen[p] = reserve(b->most * sizeof(**b->seen))))
			p++;
		if (p == b->ports)
			return 0;
		while (p--)
			munmap(b->seen[p], b->most * sizeof(**b->seen));
	}
	memset(b->seen, 0, sizeof(b->seen));
	return -ENOMEM;
}

int lab_book_init(struct lab_book *b, unsigned ports)
{
	*b = (struct lab_book){.ports = ports};
	if (reserve_all(b))
		return -ENOMEM;
	for (unsigned p = 0; p < ports; p++) {
		b->step[p].control = calloc(CONTROLS, sizeof(*b->step[p].control));
		if (!b->step[p].control) {
			lab_book_fini(b);
			return -ENOMEM;
		}
	}
	return 0;
}

void lab_book_fini(struct lab_book *b)
{
	for (unsigned p = 0; p < b->ports; p++) {
		free(b->step[p].control);
		if (b->seen[p])
			munmap(b->seen[p], b->most * sizeof(**b->seen));
	}
	*b = (struct lab_book){0};
}

void lab_book_open(struct lab_book *b, const struct lab_step *step, unsigned number)
{
	for (unsigned p = 0; p < b->ports; p++) {
		struct tester_step *s = &b->step[p];

		if (s->n_seen > KEPT)
			madvise(b->seen[p] + KEPT, (s->n_seen - KEPT) * sizeof(**b->seen),
				MADV_DONTNEED);
		*s = (struct tester_step){.item = step->port[p].item,
			.n = step->port[p].n,
			.number = (uint8_t)(number % 16),
			.seen = b->seen[p],
			.room = step->room && step->room < b->most ? step->room : b->most,
			.control = s->control,
			.control_room = CONTROLS,
			.ended = TSTAMP_NEVER};
	}
}

tstamp lab_book_ended(const struct lab_book *b)
{
	tstamp ended = 0;

	for (unsigned p = 0; p < b->ports; p++)
		ended = tstamp_max(
			ended, atomic_load_explicit(&b->step[p].ended, memory_order_acquire));
	return ended;
}

// Makes instants count from `began`. Returns whether entries are by time. Frames that left and
// frames that arrived each are.
static bool shift(struct tester_step *s, tstamp began)
{
	bool sorted = true;

	for (uint32_t i = 0; i < s->n_seen; i++) {
		s->seen[i].at = tstamp_since(s->seen[i].at, began);
		sorted &= !i || s->seen[i - 1].at <= s->seen[i].at;
	}
	return sorted;
}

// Merges frames that left with frames that arrived. Of one instant, arrivals come first.
static int merge(struct tester_step *s)
{
	struct tester_seen *in = malloc(s->n_seen * sizeof(*in)), *at = s->seen;
	uint32_t n_in = 0, n_out = 0, i = 0, k = 0;

	if (!in)
		return -ENOMEM;
	for (uint32_t e = 0; e < s->n_seen; e++)
		if (!s->seen[e].sent)
			in[n_in++] = s->seen[e];
	for (uint32_t e = 0; e < s->n_seen; e++)
		if (s->seen[e].sent)
			in[n_in + n_out++] = s->seen[e];
	while (i < n_in || k < n_out)
		*at++ = k == n_out || (i < n_in && in[i].at <= in[n_in + k].at) ? in[i++]
										: in[n_in + k++];
	free(in);
	return 0;
}

void lab_book_close(struct lab_book *b, tstamp began, struct lab_sight *sight)
{
	double kept = 1;

	for (unsigned p = 0; p < b->ports; p++) {
		struct tester_step *s = &b->step[p];
		double busy = (double)s->busy, all = busy + (double)s->idle;

		if (!shift(s, began) && merge(s))
			s->unseen += s->n_seen;
		sight->port[p] = (struct lab_seen){.entry = s->seen,
			.n = s->n_seen,
			.control = s->control,
			.n_control = s->n_control};
		sight->late = tstamp_max(sight->late, s->late);
		sight->unseen += s->unseen;
		kept = all > 0 && busy / all < kept ? busy / all : kept;
	}
	sight->kept = kept;
}
