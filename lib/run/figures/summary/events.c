// SPDX-License-Identifier: BSD-3-Clause
// Figures that only events tell: what they are is not known where events were lost. All others are
// counters of the nodes, or what the recorder sees by itself.
#include <fnmatch.h>

#include "int.h"

static const struct {
	enum kind_id kind;
	const char *figure; // a shell pattern
} told[] = {
	// messages
	{KIND_SIZE, "*"},
	{KIND_SLOWDOWN, "*"},
	{KIND_TOTAL, "fct_*"},
	{KIND_TOTAL, "slowdown_*"},
	{KIND_TOTAL, "messages"},
	{KIND_GROUP, "fct_*"},
	{KIND_GROUP, "slowdown_*"},
	{KIND_GROUP, "messages"},
	{KIND_FLOW, "fct_*"},
	{KIND_FLOW, "timeouts"},
	{KIND_FLOW, "flow_completion_time*"},
	// jobs
	{KIND_JOB, "*"},
	{KIND_JOB_STEP, "*"},
	// reaction points
	{KIND_GROUP, "rc_mean_gbps"},
	{KIND_GROUP, "rate_err_*"},
	{KIND_GROUP, "t_cut_*"},
	{KIND_GROUP, "rtt_*"},
	{KIND_GROUP, "fast_recovery_percent"},
	{KIND_GROUP, "*_increase_percent"},
	{KIND_GROUP, "line_rate_percent"},
	{KIND_FLOW, "rc_mean_gbps"},
	{KIND_FLOW, "fast_recovery_percent"},
	{KIND_FLOW, "*_increase_percent"},
	{KIND_FLOW, "line_rate_percent"},
	{KIND_FLOW, "rp_*"},
	// CNPs
	{KIND_CNP, "*"},
	{KIND_NP, "*"},
	{KIND_GROUP, "cnp_gap_*"},
	// frames that switches make, and so what is left for others
	{KIND_LINK, "cnm_percent"},
	{KIND_LINK, "control_percent"},
	{KIND_LINK, "other_percent"},
	// the marker, pauses
	{KIND_MARKING, "first_mark_us"},
	{KIND_MARKING, "last_mark_us"},
	{KIND_PFC, "episode*"},
	{KIND_PFC, "running_us"},
	{KIND_PFC, "longest_pause_us"},
	{KIND_PFC, "mean_ps"},
	{KIND_PFC, "answers"},
	{KIND_PFC, "b_after_*"},
	{KIND_PFC, "t_resp_*"},
	{KIND_PFC, "quanta_*"},
	{KIND_PFC, "headroom_needed_bytes"},
};

bool summary_of_events(enum kind_id kind, const char *figure)
{
	kind = kind == KIND_PFC_TX ? KIND_PFC : kind;
	for (unsigned i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		if (told[i].kind == kind && !fnmatch(told[i].figure, figure, 0))
			return true;
	return false;
}
