// SPDX-License-Identifier: BSD-3-Clause
// Frames that stand in a queue as a train: what its server has to know of each stands beside its
// address in one word. So a frame that another lcore has in its cache is neither read nor written
// while it waits.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wire/pkt.h"

#define EPORT_CARS  64        // frames of a train at most
#define EPORT_TRAIN PKT_KINDS // kind of eport_train.like: no packet has it

// A frame: its address in units of 8 bytes, length, codepoint, and whether its bytes leave as they
// came. 0 is none.
typedef uint64_t eport_car;

#define EPORT_CAR_LEN     45 // from this bit on
#define EPORT_CAR_ECN     59
#define EPORT_CAR_AS_CAME 61

_Static_assert(PKT_MAX_LEN < 1 << (EPORT_CAR_ECN - EPORT_CAR_LEN), "the length has 14 bits");

// Frames of one ingress port, priority group and class. In the queue it stands as `like`, which
// says what its next frame has: len, in_port, cls and pg.
struct eport_train {
	_Alignas(64) struct pkt like;
	uint32_t at, n; // car[at..n) have not left
	eport_car car[EPORT_CARS];
};

// Trains that are not in use, of one thread.
struct eport_yard {
	struct eport_train *mem;
	struct eport_train *spare; // linked by like.next
	unsigned fresh, n;         // mem[fresh..n) have never been in use
};

int eport_yard_init(struct eport_yard *y, unsigned trains); // -ENOMEM
void eport_yard_fini(struct eport_yard *y);

// The car of a frame, but for its address.
static inline eport_car eport_car_what(const struct pkt *p)
{
	return (uint64_t)p->len << EPORT_CAR_LEN | (uint64_t)pkt_ecn(p) << EPORT_CAR_ECN |
	       (uint64_t)pkt_is_as_came(p) << EPORT_CAR_AS_CAME;
}

// Whether an address, or several of them by OR, has 48 bits at most and stands on a word.
static inline bool eport_car_fits(uintptr_t at)
{
	return !((uint64_t)at >> (EPORT_CAR_LEN + 3)) && !(at & 7);
}

// Makes the cars of n frames, all of which are known to agree in pkt_word where they are `alike`.
// False: the address of one does not fit.
bool eport_cars(eport_car *car, struct pkt *const *p, unsigned n, bool alike);

static inline struct pkt *eport_car_pkt(eport_car c)
{
	return (struct pkt *)(uintptr_t)((c & ((1ull << EPORT_CAR_LEN) - 1)) << 3);
}

static inline uint16_t eport_car_len(eport_car c)
{
	return c >> EPORT_CAR_LEN & ((1u << (EPORT_CAR_ECN - EPORT_CAR_LEN)) - 1);
}

static inline unsigned eport_car_ecn(eport_car c)
{
	return c >> EPORT_CAR_ECN & 3;
}

static inline bool eport_car_as_came(eport_car c)
{
	return c >> EPORT_CAR_AS_CAME & 1;
}

// n frames have been taken from a train. False: it was the last, and it is in the yard again.
static inline bool eport_train_took(struct eport_yard *y, struct eport_train *t, unsigned n)
{
	t->at += n;
	if (t->at < t->n) {
		t->like.len = eport_car_len(t->car[t->at]);
		return true;
	}
	t->like.next = (struct pkt *)y->spare;
	y->spare = t;
	return false;
}
