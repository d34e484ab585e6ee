// SPDX-License-Identifier: BSD-3-Clause
// A capture that the NIC sends beside its queue pairs: each frame, when it is due, goes into the
// queue of one class.
#include <errno.h>

#include "int.h"

int nic_add_replay(struct nic *nic, const struct player_params *params, uint8_t cls)
{
	int rc;

	if (nic->play.p.ring)
		return -EEXIST;
	if (!params->ring || cls >= PKT_CLASSES || !nic->stack->data_off ||
		params->longest > nic->stack->room || params->longest > nic->p.mtu)
		return -EINVAL;
	rc = player_init(&nic->play, params);
	if (rc)
		return rc;
	nic->replay_cls = cls;
	nic->replay_at = player_deadline(&nic->play);
	nic_reckon(nic);
	return 0;
}

// Puts due frames of the capture into their class's queue, at most NIC_GEN_QUEUE of them if a pause
// or a slower wire holds them back. Further frames stay in the ring and leave late.
void nic_replay_due(struct nic *nic, tstamp now)
{
	struct player *play = &nic->play;
	struct pkt *p;

	player_want(play, now + 1);
	while (nic->replay_at <= now) {
		if (!nic->up || nic->replay_frames >= NIC_GEN_QUEUE) {
			nic->replay_at = TSTAMP_NEVER;
			break;
		}
		if (!player_look(play, now)) {
			nic->replay_at = player_deadline(play);
			break;
		}
		p = pkt_get(nic->stack);
		if (!p) {
			play->s.no_desc++;
			nic->replay_at = now + nic->frame_ps;
			break;
		}
		player_take(play, p, nic->stack->data_off, now);
		p->cls = nic->replay_cls;
		nic->replay_frames++;
		nic->replay_at = player_deadline(play);
		nic_queue(nic, nic->replay_cls, p, now);
	}
	player_give(play);
}

void nic_replay_unqueued(struct nic *nic)
{
	nic->replay_frames--;
	if (nic->replay_at == TSTAMP_NEVER)
		nic->replay_at = player_deadline(&nic->play);
}

const struct player *nic_replay(const struct nic *nic)
{
	return nic->play.p.ring ? &nic->play : NULL;
}

uint64_t nic_replay_unsent(const struct nic *nic)
{
	tstamp busy = eport_wire_time(&nic->ecfg, nic->play.p.longest) + nic->p.tolerance_ps;

	return player_unsent(&nic->play, nic->now, busy);
}
