// SPDX-License-Identifier: BSD-3-Clause
// A classic pcap file of Ethernet frames, a second apart, for tshark to read.
#pragma once

#include <stdint.h>
#include <stdio.h>

static inline void pcap_le32(FILE *f, uint32_t v)
{
	fputc((int)(v & 255), f);
	fputc((int)(v >> 8 & 255), f);
	fputc((int)(v >> 16 & 255), f);
	fputc((int)(v >> 24), f);
}

static inline void pcap_start(FILE *f)
{
	pcap_le32(f, 0xa1b2c3d4);
	pcap_le32(f, 2 | 4 << 16);
	pcap_le32(f, 0);
	pcap_le32(f, 0);
	pcap_le32(f, 65535);
	pcap_le32(f, 1); // Ethernet
}

static inline void pcap_frame(FILE *f, unsigned second, const uint8_t *bytes, unsigned len)
{
	pcap_le32(f, second);
	pcap_le32(f, 0);
	pcap_le32(f, len);
	pcap_le32(f, len);
	fwrite(bytes, 1, len, f);
}
