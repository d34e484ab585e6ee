// SPDX-License-Identifier: BSD-3-Clause
// Room runner has the commands that run something: a scenario, many, a capture, the self-test of
// ports, one reaction point. It needs room session.
#pragma once

#include "cli/cli.h"

extern const struct args_command runner_run, runner_replay, runner_sweep, runner_ports, runner_rp,
	runner_rerun, runner_gen, runner_bump, runner_probe, runner_verify;
