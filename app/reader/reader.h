// SPDX-License-Identifier: BSD-3-Clause
// Room reader has the commands that read files of runs and links: folders of results, events and
// captures. It needs room cli only.
#pragma once

#include "cli/cli.h"

extern const struct args_command reader_decode, reader_events, reader_trace, reader_report,
	reader_compare, reader_merge;
