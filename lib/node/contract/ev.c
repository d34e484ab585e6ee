// SPDX-License-Identifier: BSD-3-Clause
// Names of the events, as events.csv has them.
#include "ev.h"

static const char *const name[EV_TYPES] = {
	[EV_NONE] = "none",
	[EV_MARK] = "mark",
	[EV_DROP] = "drop",
	[EV_XOFF_TX] = "xoff_tx",
	[EV_XON_TX] = "xon_tx",
	[EV_PAUSE_RX] = "pause_rx",
	[EV_RESUME_RX] = "resume_rx",
	[EV_CNP_TX] = "cnp_tx",
	[EV_CNP_RX] = "cnp_rx",
	[EV_CNP_INT] = "cnp_int",
	[EV_REG] = "reg",
	[EV_RP] = "rp",
	[EV_MSG_DONE] = "msg_done",
	[EV_NAK] = "nak",
	[EV_TIMEOUT] = "timeout",
	[EV_QP_FAILED] = "qp_failed",
	[EV_FDB] = "fdb",
	[EV_PFCWD_STORM] = "pfcwd_storm",
	[EV_PFCWD_RESTORE] = "pfcwd_restore",
	[EV_CNM_TX] = "cnm_tx",
	[EV_CNM_RX] = "cnm_rx",
	[EV_IQCN_TX] = "iqcn_tx",
	[EV_FAST_CNP_TX] = "fast_cnp_tx",
	[EV_CE_RX] = "ce_rx",
	[EV_DEADLOCK] = "deadlock",
	[EV_DEADLOCK_END] = "deadlock_end",
	[EV_CUT] = "cut",
	[EV_RTT] = "rtt",
	[EV_SAMPLE] = "sample",
};

const char *ev_name(enum ev_type t)
{
	return (unsigned)t < EV_TYPES ? name[t] : "unknown";
}
