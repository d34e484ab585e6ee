// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: any bytes, as a MAD or as a frame that may carry one, are read without fault, and a
// message that was read comes back but for its reserved bits.
#include <stdlib.h>
#include <string.h>

#include "frame/cm_msg.h"
#include "frame/frame.h"
#include "fuzz.h"

#define ROOM (sizeof(struct pkt) + sizeof(struct hdr))

static bool is_zero(const struct cm_msg *m)
{
	static const struct cm_msg zero;

	return !memcmp(m, &zero, sizeof(zero));
}

static void addresses(const struct cm_msg *m)
{
	uint8_t bytes[CM_IP_LEN];
	struct cm_ip ip, again;

	memset(&ip, 0, sizeof(ip)); // padding, too
	memset(&again, 0, sizeof(again));
	if (m->kind != CM_REQ || !cm_ip_parse(m->data, &ip))
		return;
	cm_ip_render(&ip, bytes);
	fuzz_check(cm_ip_parse(bytes, &again));
	fuzz_check(!memcmp(&ip, &again, sizeof(ip)));
}

static void one_mad(const uint8_t *mad)
{
	uint8_t back[MAD_LEN];
	struct cm_msg m, again;
	enum mad_error e = cm_msg_parse(mad, &m);

	fuzz_check(e < MAD_ERRORS && mad_error_name(e));
	if (e != MAD_OK) {
		fuzz_check(is_zero(&m));
		return;
	}
	fuzz_check(strcmp(cm_kind_name(m.kind), "?") != 0 && cm_data_len(m.kind));
	cm_msg_render(&m, back);
	for (unsigned i = 0; i < MAD_LEN; i++)
		fuzz_check(!(back[i] & ~mad[i])); // nothing but reserved bits is lost
	fuzz_check(cm_msg_parse(back, &again) == MAD_OK);
	fuzz_check(!memcmp(&m, &again, sizeof(m)));
	addresses(&m);
}

// A frame of ours around the same bytes says the same.
static void framed(const uint8_t *mad, const struct hdr *h)
{
	struct pkt *p = calloc(1, ROOM + MAD_FRAME_MAX);
	const uint8_t *found;

	if (!p)
		abort();
	mad_to_pkt(p, ROOM, h, 0, 0xffffff, mad);
	fuzz_check(frame_pkt_icrc_ok(p));
	fuzz_check(mad_of_pkt(p, &found) == MAD_OK);
	fuzz_check(!memcmp(found, mad, MAD_LEN));
	free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *mad;
	struct pkt *p;

	if (size == MAD_LEN)
		one_mad(data);
	if (size > PKT_MAX_LEN)
		return 0;
	p = calloc(1, ROOM + size); // exact, so that an over-read shows
	if (!p)
		abort();
	memcpy((uint8_t *)p + ROOM, data, size);
	p->data_off = ROOM;
	p->len = (uint16_t)size;
	frame_to_pkt(p, PKT_MAX_LEN);
	if (mad_of_pkt(p, &mad) == MAD_OK) {
		fuzz_check(mad + MAD_LEN <= (const uint8_t *)p + ROOM + size);
		one_mad(mad);
		framed(mad, p->hdr);
	} else {
		fuzz_check(!mad);
	}
	free(p);
	return 0;
}
