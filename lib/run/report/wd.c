// SPDX-License-Identifier: BSD-3-Clause
// What the PFC watchdog did to each queue that it watches, over the window.
#include <errno.h>
#include <stdlib.h>

#include "summary.h"

int summary_wds(struct summary *s, const struct record *r)
{
	s->wd = calloc(r->n_queues + 1, sizeof(*s->wd));
	if (!s->wd)
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_queues; i++) {
		const struct rec_queue *q = &r->queue[i];
		const struct sw_wd_stats *now = q->wd, *then = &q->wd_warm;

		if (!now)
			continue;
		s->wd[s->n_wds++] = (struct summary_wd){
			.rec = q,
			.w = {.storms = now->storms - then->storms,
				.restored = now->restored - then->restored,
				.tx_dropped_frames =
					now->tx_dropped_frames - then->tx_dropped_frames,
				.rx_dropped_frames =
					now->rx_dropped_frames - then->rx_dropped_frames,
				.storm_ps = now->storm_ps - then->storm_ps},
			.storm = now->storms > now->restored,
		};
	}
	return 0;
}
