// SPDX-License-Identifier: BSD-3-Clause
// Captures that a test makes: frames between numbered hosts, with instants in microseconds.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire/eth.h"

struct made {
	char name[64];
	FILE *f;
};

static inline void made_open(struct made *m)
{
	const uint32_t head[] = {0xa1b2c3d4, 4 << 16 | 2, 0, 0, 65535, 1};
	int fd;

	strcpy(m->name, "/tmp/quench-made-XXXXXX");
	fd = mkstemp(m->name);
	assert_true(fd >= 0);
	m->f = fdopen(fd, "w");
	assert_non_null(m->f);
	fwrite(head, sizeof(head), 1, m->f);
}

static inline void made_close(struct made *m)
{
	assert_int_equal(fclose(m->f), 0);
}

static inline void made_frame(struct made *m, unsigned us, const uint8_t *bytes, unsigned len)
{
	fwrite((const uint32_t[]){us / 1000000, us % 1000000, len, len}, 16, 1, m->f);
	fwrite(bytes, len, 1, m->f);
}

// A frame: its hosts by number (0 as receiver: everybody), then its headers.
struct made_what {
	unsigned from, to;
	unsigned router;   // instead of the sender's MAC address, this host's; 0: its own
	uint16_t vlan;     // 0: none
	bool v6, arp, raw; // raw: no IP
	uint8_t proto;     // of IP
	uint16_t sport, dport;
	uint8_t flags;  // of TCP
	uint8_t opcode; // of RoCEv2, where dport is 4791
};

static inline void made_ip(uint8_t *o, unsigned host, bool v6)
{
	if (v6) {
		memcpy(o, (const uint8_t[16]){0xfd}, 16);
		o[15] = (uint8_t)host;
	} else {
		memcpy(o, (const uint8_t[4]){10, 0, 0, (uint8_t)host}, 4);
	}
	if (!host)
		memset(o, 255, v6 ? 16 : 4);
}

// The bytes of a frame of 80 octets; returns 80.
static inline unsigned made_bytes(const struct made_what *w, uint8_t o[80])
{
	unsigned l3 = 14, l4;

	memset(o, 0, 80);
	memcpy(o, (const uint8_t[6]){2, 0, 0, 0, 0, (uint8_t)w->to}, 6);
	if (!w->to)
		memset(o, 255, 6);
	memcpy(o + 6, (const uint8_t[6]){2, 0, 0, 0, 0, (uint8_t)(w->router ? w->router : w->from)},
		6);
	if (w->vlan) {
		put_be16(o + 12, ETH_P_8021Q);
		put_be16(o + 14, w->vlan);
		l3 = 18;
	}
	put_be16(o + l3 - 2, w->arp   ? ETH_P_ARP
			     : w->raw ? ETH_P_EXPERIMENTAL
			     : w->v6  ? ETH_P_IPV6
				      : ETH_P_IPV4);
	if (w->raw)
		return 80;
	if (w->arp) {
		memcpy(o + l3, (const uint8_t[8]){0, 1, 8, 0, 6, 4, 0, 1}, 8);
		made_ip(o + l3 + 14, w->from, false);
		made_ip(o + l3 + 24, w->to, false);
		return 80;
	}
	o[l3] = w->v6 ? 0x60 : 0x45;
	if (w->v6)
		put_be16(o + l3 + 4, (uint16_t)(80 - l3 - 40));
	else
		put_be16(o + l3 + 2, (uint16_t)(80 - l3));
	o[l3 + (w->v6 ? 6 : 9)] = w->proto;
	made_ip(o + l3 + (w->v6 ? 8 : 12), w->from, w->v6);
	made_ip(o + l3 + (w->v6 ? 24 : 16), w->to, w->v6);
	l4 = l3 + (w->v6 ? 40 : 20);
	put_be16(o + l4, w->sport);
	put_be16(o + l4 + 2, w->dport);
	if (w->proto == 6)
		o[l4 + 13] = w->flags;
	else if (w->dport == 4791)
		o[l4 + 8] = w->opcode;
	return 80;
}

static inline void made_put(struct made *m, unsigned us, const struct made_what *w)
{
	uint8_t bytes[80];

	made_frame(m, us, bytes, made_bytes(w, bytes));
}
