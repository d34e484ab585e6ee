// SPDX-License-Identifier: BSD-3-Clause
// Sources that start once others have ended.
#pragma once

#include "net.h"

#pragma GCC visibility push(hidden)

// Makes the sources of a scene that name others wait for their ends. -ENOMEM.
int follows_add(struct net *net);

#pragma GCC visibility pop
