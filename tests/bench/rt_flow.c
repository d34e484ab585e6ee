// SPDX-License-Identifier: BSD-3-Clause
// The frames of rt_bench.
#include "rt_flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcap/pcap.h>

#include "frame/frame.h"

#define ROCE_BYTES   58 // of a frame without payload, with its ICRC
#define FIRST_PORT   49152
#define SPORTS       16384
#define MAC_OF_HOSTS 0x10

static const uint16_t imix[] = {64, 594, 64, 64, 594, 64, 1514, 64, 594, 64, 594, 64};

#define IMIX (sizeof(imix) / sizeof(imix[0]))

unsigned flow_octets(const struct flow_traffic *t, unsigned k)
{
	return t->octets == FLOW_IMIX ? imix[k % IMIX] : t->octets;
}

double flow_mean(const struct flow_traffic *t)
{
	double sum = 0;

	for (unsigned k = 0; k < IMIX; k++)
		sum += flow_octets(t, k);
	return sum / IMIX;
}

// Host `host` of those at port `side`.
static void write_mac(const struct flow_traffic *t, unsigned side, unsigned host, uint8_t *mac)
{
	const uint8_t one[6] = {2, 0, 0, 0, 0, (uint8_t)(side ? 0x0b : 0x0a)};
	const uint8_t many[6] = {2, (uint8_t)(MAC_OF_HOSTS + side), 0, (uint8_t)(host >> 16),
		(uint8_t)(host >> 8), (uint8_t)host};

	memcpy(mac, t->macs ? many : one, 6);
}

static void write_ip(const struct flow_traffic *t, unsigned side, unsigned host, uint8_t *ip)
{
	const uint8_t one[4] = {10, 0, 0, (uint8_t)(1 + side)};
	const uint8_t many[4] = {
		10, (uint8_t)(64 * (1 + side) + (host >> 16)), (uint8_t)(host >> 8), (uint8_t)host};

	memcpy(ip, t->macs ? many : one, 4);
}

// A RoCEv2 WRITE middle, DSCP of class 3, ECT(0).
unsigned flow_write(
	const struct flow_traffic *t, unsigned way, unsigned k, uint8_t *bytes, size_t size)
{
	static const uint8_t payload[PKT_MAX_LEN];
	unsigned flow = k % t->flows;
	struct frame fr = {.kind = PKT_DATA};
	int len;

	write_mac(t, !way, flow, fr.eth.dst);
	write_mac(t, way, flow, fr.eth.src);
	fr.eth.ethertype = ETH_P_IPV4;
	fr.ip.version = 4;
	fr.ip.tos = 24 << 2 | ECN_ECT0;
	fr.ip.ttl = 64;
	fr.ip.proto = 17;
	write_ip(t, way, flow, fr.ip.saddr);
	write_ip(t, !way, flow, fr.ip.daddr);
	fr.udp.sport = (uint16_t)(FIRST_PORT + flow % SPORTS);
	fr.udp.dport = 4791;
	fr.bth.opcode = 0x07;
	fr.bth.pkey = 0xffff;
	fr.bth.qpn = 1 + flow;
	fr.payload_len = (uint16_t)(flow_octets(t, k) - ROCE_BYTES);
	len = frame_render(&fr, payload, bytes, size, PKT_MIN_LEN);
	if (len < 0) {
		fprintf(stderr, "rt_bench: the frame: %s\n", strerror(-len));
		exit(1);
	}
	return (unsigned)len;
}

void flow_save(const struct flow_traffic *t, unsigned way, unsigned n, const char *path)
{
	pcap_t *p = pcap_open_dead(DLT_EN10MB, PKT_MAX_LEN);
	pcap_dumper_t *to = p ? pcap_dump_open(p, path) : NULL;
	uint8_t bytes[PKT_MAX_LEN];

	for (unsigned k = 0; to && k < n; k++) {
		unsigned len = flow_write(t, way, k, bytes, sizeof(bytes));
		struct pcap_pkthdr head = {.caplen = len, .len = len};

		pcap_dump((u_char *)to, &head, bytes);
	}
	if (!to || pcap_dump_flush(to) != 0) {
		fprintf(stderr, "rt_bench: %s: %s\n", path, p ? pcap_geterr(p) : "no memory");
		exit(1);
	}
	pcap_dump_close(to);
	pcap_close(p);
}
