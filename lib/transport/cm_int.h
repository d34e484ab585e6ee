// SPDX-License-Identifier: BSD-3-Clause
// Shared by the files of the communication manager: steps to a state, and messages owed.
#pragma once

#include "transport/cm.h"

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// Into a state without deadline; nothing is owed any more.
void cm_go(struct cm *cm, enum cm_state state);
void cm_enter_timewait(struct cm *cm, tstamp now);

// The answer to a DREQ with this transaction ID.
void cm_owe_drep(struct cm *cm, uint64_t tid);

// Owes a REJ of the message for which this state expects the owner's answer.
void cm_owe_rej(struct cm *cm, unsigned reason);

#pragma GCC visibility pop
