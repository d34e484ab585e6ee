// SPDX-License-Identifier: BSD-3-Clause
// Hellos of other parts of the scenario, which come and leave by devices while no lcore does.
#pragma once

#include "wire/hello.h"
#include "dev.h"

// The next hello that has come; false: there is none. All else that has come is freed. Neither
// counts as what came to the node.
bool dev_hello_get(struct dev *d, struct hello *h);
// Sends one. False: the device does not take it, or there is no packet.
bool dev_hello_put(struct dev *d, const struct hello *h);
