// SPDX-License-Identifier: BSD-3-Clause
// Steps of a session that stand in files of their own.
#pragma once

#include "session.h"

// For rt_run and vt_run: one line on stderr that is written over each time.
void session_progress(void *arg, tstamp now, tstamp end);

// Takes that line away.
void session_progress_end(void);
