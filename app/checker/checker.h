// SPDX-License-Identifier: BSD-3-Clause
// Room checker has the commands about scenario files: checked, drawn, brought up to date, made of a
// SONiC switch's configuration or of the HPCC simulator's files; and about schedules of jobs. It
// needs room session.
#pragma once

#include "cli/cli.h"

extern const struct args_command checker_check, checker_import, checker_job;
