// SPDX-License-Identifier: BSD-3-Clause
// Hellos of other parts of the scenario, which come and leave by devices while no lcore does.
#pragma once

#include "wire/hello_tag.h"
#include "dev.h"

// The result of looking for a hello.
enum dev_hello {
	DEV_HELLO_NONE,
	DEV_HELLO_READ,  // *h is set, and its tag is right
	DEV_HELLO_OTHER, // it is of another version, *version, and of process h->nonce
	DEV_HELLO_BAD,   // a frame that begins as a hello and is none
	DEV_HELLO_KEY,   // its tag is not by our key, or it has one and we have no key
};

// Takes the next hello that the device has received, and frees all frames before it. None of these
// frames counts as received by the node.
enum dev_hello dev_hello_get(struct dev *d, struct hello *h, unsigned *version);
// Makes a hello in a frame of the device's pool; NULL: the pool is empty.
struct rte_mbuf *dev_hello_make(const struct dev *d, const struct hello *h);
// Signs a hello with this instant as its time of sending, and sends it. Only the thread that has
// the device's first queue may call it. If the device refuses the frame, the hello is lost.
void dev_hello_send(struct dev *d, struct rte_mbuf *m, uint64_t sent_ns);
// Makes lcores keep received hellos for another thread; call it before they have the device.
void dev_hello_keep(struct dev *d);
// Takes the oldest kept hello, and the TSC at which it arrived; from one thread.
enum dev_hello dev_hello_take(struct dev *d, struct hello *h, uint64_t *tsc);
// How many hellos found no room, since they arrived faster than they were taken.
uint32_t dev_hello_lost(const struct dev *d);
// Gives back the hellos that were kept and not taken; call it when no lcore has the device.
void dev_hello_end(struct dev *d);

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

bool dev_hello_is(const struct rte_mbuf *m);
// Counts n hellos that arrived and that nobody reads any more.
void dev_hello_add(struct dev *d, unsigned n);
// How many hellos have arrived since lcores have the device; from any thread.
uint32_t dev_hello_came(const struct dev *d);

#pragma GCC visibility pop
