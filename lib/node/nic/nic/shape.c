// SPDX-License-Identifier: BSD-3-Clause
// The shaper of a host's port: one token bucket for all classes together.
#include "int.h"

#define BURST_BYTES 8192 // depth of the bucket, or what passes within the tolerance if that is more

int nic_shaper_cfg(const struct nic *nic, rate_t rate, struct shaper_cfg *cfg)
{
	const struct shaper_params p = {
		.port = rate,
		.burst_bytes = BURST_BYTES,
		.least_ps = nic->ecfg.tolerance_ps,
		.wire_extra = nic->ecfg.framing.wire_extra,
	};

	return shaper_cfg_init(cfg, &p);
}

// As of the last look of the shaper.
static void shaper_looked(struct nic *nic)
{
	nic->shaped = nic->shaper_cfg.on;
	nic->apart = nic->shaped || nic->wire;
	nic->blocked = nic->stopped | nic->shaper.held;
}

int nic_shaper_init(struct nic *nic)
{
	int rc = nic_shaper_cfg(nic, nic->p.max_rate, &nic->shaper_cfg);

	if (rc)
		return rc;
	shaper_init(&nic->shaper, &nic->shaper_cfg);
	shaper_looked(nic);
	return 0;
}

void nic_shaper_adopt(struct nic *nic, const struct shaper_cfg *to, tstamp now)
{
	shaper_adopt(&nic->shaper, &nic->shaper_cfg, to, now);
	shaper_looked(nic);
}

// Bitmap of the queues that no pause stops.
static uint8_t may_send(const struct nic *nic)
{
	return (uint8_t)~nic->stopped;
}

void nic_shaper_asked(struct nic *nic, tstamp now)
{
	shaper_asked(&nic->shaper, may_send(nic), now);
	shaper_look(&nic->shaper, now);
	shaper_looked(nic);
}

void nic_shaper_left(struct nic *nic)
{
	shaper_left(&nic->shaper, (uint8_t)((nic->e.nonempty | nic->e.pull) & may_send(nic)));
}

// Control frames (PFC, PAUSE) are no traffic of a class. They are neither held nor counted.
void nic_shaper_sent(struct nic *nic, int cls, uint32_t len, tstamp now)
{
	if (cls == EPORT_CTL)
		return;
	shaper_sent(&nic->shaper, (unsigned)cls, len, now);
	shaper_looked(nic);
	if (nic->shaper.held)
		eport_starve(&nic->e);
}

tstamp nic_shaper_lost(const struct nic *nic)
{
	return nic->shaper.lost_ps;
}
