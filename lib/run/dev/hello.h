// SPDX-License-Identifier: BSD-3-Clause
// Hellos of other parts of the scenario, which come and leave by devices while no lcore does.
#pragma once

#include "wire/hello.h"
#include "dev.h"

// The next hello that has come; false: there is none. All else that has come is freed. Neither
// counts as what came to the node.
bool dev_hello_get(struct dev *d, struct hello *h);
// A frame of the device's pool; NULL: there is none left.
struct rte_mbuf *dev_hello_make(const struct dev *d, const struct hello *h);
// Sends it, by the thread that has the device's first queue; where the device does not take it, it
// is lost.
void dev_hello_send(struct dev *d, struct rte_mbuf *m);
// How many hellos have come since lcores have the device; from any thread.
uint32_t dev_hello_came(const struct dev *d);
