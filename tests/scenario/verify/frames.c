// SPDX-License-Identifier: BSD-3-Clause
// Faults of a switch in data frames: lost, out of order, marked without leave.
#include "bad.h"

#define RARELY 501 // one of so many frames has the fault

static bool is_rare(void)
{
	static unsigned n;

	return ++n % RARELY == 0;
}

static bool is_data(const struct pkt *p)
{
	return p->kind == PKT_GEN || p->kind == PKT_DATA;
}

static void lost(struct sw *sw, unsigned port, struct pkt *p, tstamp now)
{
	(void)sw;
	(void)port;
	(void)now;
	if (!is_data(p) || !is_rare())
		return;
	p->kind = PKT_BAD;
	p->u.bad = FRAME_SHORT_ETH;
}

// A frame gets the number of the next one of its source, which gets this one's number.
static void out_of_order(struct sw *sw, unsigned port, struct pkt *p, tstamp now)
{
	static const struct hdr *first; // of the source whose next frame is due

	(void)sw;
	(void)port;
	(void)now;
	if (p->kind != PKT_GEN)
		return;
	if (first == p->hdr) {
		p->u.gen.seq--;
		first = NULL;
	} else if (!first && is_rare()) {
		p->u.gen.seq++;
		first = p->hdr;
	}
}

// Inside the switch a frame that is Not-ECT is ECT(1); hosts send ECT(0).
static void taken_for_ect(struct sw *sw, unsigned port, struct pkt *p, tstamp now)
{
	(void)sw;
	(void)port;
	(void)now;
	if (is_data(p) && pkt_ecn(p) == ECN_NOT_ECT)
		p->tos |= ECN_ECT1;
}

static void is_not_ect_again(struct sw *sw, unsigned port, struct pkt *p)
{
	(void)sw;
	(void)port;
	if (is_data(p) && pkt_ecn(p) == ECN_ECT1)
		p->tos &= (uint8_t)~ECN_CE;
}

static void ce_cleared(struct sw *sw, unsigned port, struct pkt *p)
{
	(void)sw;
	(void)port;
	if (is_data(p) && pkt_ecn(p) == ECN_CE)
		p->tos = (uint8_t)((p->tos & ~ECN_CE) | ECN_ECT0);
}

static void all_ce(struct sw *sw, unsigned port, struct pkt *p)
{
	(void)sw;
	(void)port;
	if (is_data(p) && pkt_ecn(p) != ECN_NOT_ECT)
		p->tos |= ECN_CE;
}

const struct bad bad_frames[] = {
	{.name = "loses-frames", .came = lost},
	{.name = "out-of-order", .came = out_of_order},
	{.name = "not-ect-marked", .came = taken_for_ect, .left = is_not_ect_again},
	{.name = "clears-ce", .left = ce_cleared},
	{.name = "marks-all", .left = all_ce},
	{.name = NULL},
};
