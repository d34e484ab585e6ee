// SPDX-License-Identifier: BSD-3-Clause
// PFC watchdog: the rules by which polls add up to a storm, and to its end.
#include "algo/pfcwd.h"

#include <errno.h>

int pfcwd_cfg_init(struct pfcwd_cfg *cfg, const struct pfcwd_params *params)
{
	if (!params->poll || params->detection < params->poll || params->restoration < params->poll)
		return -EINVAL;
	*cfg = (struct pfcwd_cfg){
		.poll = params->poll,
		.detection = params->detection,
		.restoration = params->restoration,
		.rule = (uint8_t)params->rule,
		.action = (uint8_t)params->action,
	};
	return 0;
}

// Returns whether t is more than 99 % of `whole`.
static bool nearly(tstamp t, tstamp whole)
{
	return t > whole - whole / 100;
}

// Returns whether the queue did not move between two polls. Mellanox: it held bytes, sent nothing,
// and was paused for more than 99 % of the time. Broadcom: PFC arrived, no frame of it ended a
// pause, and both polls found the queue paused.
static bool stands_still(
	const struct pfcwd_cfg *cfg, const struct pfcwd_sample *s, const struct pfcwd_sample *last)
{
	if (cfg->rule == PFCWD_MELLANOX)
		return s->queue_bytes && s->tx_frames == last->tx_frames &&
		       nearly(s->pause_duration - last->pause_duration, cfg->poll);
	return s->pfc_rx != last->pfc_rx && s->on2off == last->on2off && s->paused && last->paused;
}

// Returns whether the queue has not moved for long enough. `time`: the sum of consecutive polls,
// this one included. Mellanox: more than 99 % of the detection time; Broadcom: the detection time.
static bool detected(const struct pfcwd_cfg *cfg, tstamp time)
{
	return cfg->rule == PFCWD_MELLANOX ? nearly(time, cfg->detection) : time >= cfg->detection;
}

static enum pfcwd_event poll_quiet(struct pfcwd *w, const struct pfcwd_cfg *cfg, bool still)
{
	w->time = still ? w->time + cfg->poll : 0;
	if (!still || !detected(cfg, w->time))
		return PFCWD_NONE;
	w->storm = true;
	w->time = 0;
	return PFCWD_STORM;
}

static enum pfcwd_event poll_storm(
	struct pfcwd *w, const struct pfcwd_cfg *cfg, bool still, const struct pfcwd_sample *s)
{
	bool calm = cfg->action == PFCWD_ALERT ? !still : s->pfc_rx == w->last.pfc_rx;

	w->time = calm ? w->time + cfg->poll : 0;
	if (!calm || (cfg->action != PFCWD_ALERT && w->time < cfg->restoration))
		return PFCWD_NONE;
	w->storm = false;
	w->time = 0;
	return PFCWD_RESTORE;
}

enum pfcwd_event pfcwd_poll(
	struct pfcwd *w, const struct pfcwd_cfg *cfg, const struct pfcwd_sample *s)
{
	enum pfcwd_event e = PFCWD_NONE;

	if (w->known) {
		bool still = stands_still(cfg, s, &w->last);

		e = w->storm ? poll_storm(w, cfg, still, s) : poll_quiet(w, cfg, still);
	}
	w->last = *s;
	w->known = true;
	return e;
}
