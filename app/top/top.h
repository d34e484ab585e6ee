// SPDX-License-Identifier: BSD-3-Clause
// Room top has `quench top`: a running instance on the whole screen of a terminal. It needs room
// instance.
#pragma once

#include "instance/instance.h"

extern const struct args_command top_command;
