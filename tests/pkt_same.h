// SPDX-License-Identifier: BSD-3-Clause
// Whether two descriptors of one foreign frame say the same: all that frame_to_pkt promises.
#pragma once

#include <stdbool.h>
#include <string.h>

#include "wire/pkt.h"

static inline bool pkt_same_kind(const struct pkt *a, const struct pkt *b)
{
	if (pkt_is_roce(a->kind))
		return !memcmp(&a->u.rc, &b->u.rc, sizeof(a->u.rc));
	switch (a->kind) {
	case PKT_PFC:
	case PKT_PAUSE:
		return !memcmp(&a->u.pfc, &b->u.pfc, sizeof(a->u.pfc));
	case PKT_CNM:
		return !memcmp(&a->u.cnm, &b->u.cnm, sizeof(a->u.cnm));
	case PKT_GEN:
		return !memcmp(&a->u.gen, &b->u.gen, sizeof(a->u.gen));
	case PKT_BAD:
		return a->u.bad == b->u.bad;
	default:
		return true;
	}
}

// Compares two packets, but not where their headers stand. `flags`: flags that only `a` has.
static inline bool pkt_same(const struct pkt *a, const struct pkt *b, uint8_t flags)
{
	return a->kind == b->kind && a->flags == (b->flags | flags) && a->tos == b->tos &&
	       a->len == b->len && a->l3_off == b->l3_off && a->data_off == b->data_off &&
	       !a->u.rc.kept && !memcmp(a->hdr, b->hdr, sizeof(*a->hdr)) && pkt_same_kind(a, b);
}
