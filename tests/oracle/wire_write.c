// SPDX-License-Identifier: BSD-3-Clause
// Writes one frame of every kind that we render to a classic pcap file, for tshark to judge.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/frame.h"
#include "frame/icmp.h"
#include "pcap.h"
#include "wire/arp.h"

static const struct hdr maccontrol = {
	.dst = {0x01, 0x80, 0xc2, 0, 0, 1},
	.src = {2, 0, 0, 0, 0, 1},
	.ethertype = ETH_P_MAC_CONTROL,
	.id = HDR_ID_NODE,
};

// PFC to another address than its own.
static const struct hdr astray = {
	.dst = {2, 0, 0, 0, 0, 2},
	.src = {2, 0, 0, 0, 0, 1},
	.ethertype = ETH_P_MAC_CONTROL,
	.id = HDR_ID_NODE,
};

static const struct hdr ip4 = {
	.dst = {2, 0, 0, 0, 0, 2},
	.src = {2, 0, 0, 0, 0, 1},
	.vlan_tci = 6 << 13 | 100,
	.ethertype = ETH_P_IPV4,
	.saddr = {10, 0, 0, 1},
	.daddr = {10, 0, 0, 2},
	.sport = 0xc123,
	.dport = BTH_UDP_PORT,
	.flags = HDR_IPV4,
	.proto = IP_PROTO_UDP,
	.ttl = 64,
	.ip_id = 0x1234,
	.id = 1,
};

static void write_bytes(FILE *f, const uint8_t *bytes, unsigned len)
{
	static unsigned n;

	pcap_frame(f, n++, bytes, len);
}

static void write_frame(FILE *f, const struct pkt *p)
{
	uint8_t bytes[2048];

	write_bytes(f, bytes, frame_from_pkt(p, bytes));
}

static void write_macctl(FILE *f)
{
	struct pkt p = {.hdr = &maccontrol, .kind = PKT_PFC, .len = 60};

	p.u.pfc = (struct pkt_pfc){.enable = 1 << 3, .quanta = {[3] = 0xffff}};
	write_frame(f, &p);
	p.u.pfc.quanta[3] = 0;
	write_frame(f, &p);
	p.u.pfc = (struct pkt_pfc){.enable = 0x21, .quanta = {[0] = 0x4321, [5] = 0x1234}};
	write_frame(f, &p);
	p.kind = PKT_PAUSE;
	p.u.pfc = (struct pkt_pfc){.quanta = {0xabcd}};
	write_frame(f, &p);
	p.hdr = &astray;
	p.kind = PKT_MACCTL;
	p.u.pfc = (struct pkt_pfc){.enable = 1 << 3, .quanta = {[3] = 0x4321}};
	write_frame(f, &p);
}

static void write_rc(FILE *f, const struct hdr *h, unsigned more)
{
	struct pkt p = {.hdr = h, .kind = PKT_DATA, .tos = 26 << 2 | ECN_ECT0};

	p.len = (uint16_t)(1098 + more);
	p.u.rc = (struct pkt_rc){.opcode = BTH_RC_WRITE_FIRST,
		.psn = 0xfffffe,
		.qpn = 0x123456,
		.arg = 2045,
		.payload = 1024};
	write_frame(f, &p);
	p.len = (uint16_t)(1082 + more);
	p.tos = 26 << 2 | ECN_CE;
	p.u.rc = (struct pkt_rc){.opcode = BTH_RC_WRITE_LAST,
		.bth = BTH_ACKREQ,
		.psn = 0xffffff,
		.qpn = 0x123456,
		.payload = 1021,
		.pad = 3};
	write_frame(f, &p);
	p.kind = PKT_ACK;
	p.len = (uint16_t)(62 + more);
	p.tos = 0;
	p.u.rc = (struct pkt_rc){.opcode = BTH_RC_ACK,
		.syndrome = AETH_ACK,
		.psn = 0xffffff,
		.qpn = 0x11,
		.arg = 0x0a0b0c};
	write_frame(f, &p);
	p.u.rc.syndrome = AETH_NAK_PSN;
	write_frame(f, &p);
	p.kind = PKT_CNP;
	p.len = (uint16_t)(74 + more);
	p.tos = 48 << 2 | ECN_ECT0;
	p.u.rc = (struct pkt_rc){.opcode = BTH_CNP, .bth = BTH_BECN, .qpn = 0x118};
	write_frame(f, &p);
}

static void write_gen(FILE *f, const struct hdr *h, uint16_t len)
{
	struct hdr udp = *h;
	struct pkt p = {.hdr = &udp, .kind = PKT_GEN, .len = len, .tos = ECN_ECT1};

	udp.dport = 9;
	p.u.gen = (struct pkt_gen){.source = 7, .seq = 9};
	write_frame(f, &p);
}

static const uint8_t mac_a[6] = {2, 0, 0, 0, 0, 1}, mac_b[6] = {2, 0, 0, 0, 0, 2};

static void write_arp(FILE *f)
{
	const uint8_t ip_a[4] = {10, 0, 0, 1}, ip_b[4] = {10, 0, 0, 2};
	uint8_t bytes[ARP_FRAME_MAX];
	struct arp a;

	arp_ask(&a, mac_a, ip_a, ip_b, NULL, -1);
	write_bytes(f, bytes, arp_to_frame(&a, bytes));
	arp_reply(&a, mac_b, &a);
	write_bytes(f, bytes, arp_to_frame(&a, bytes));
	arp_ask(&a, mac_a, ip_a, ip_b, mac_b, 6 << 13 | 100);
	write_bytes(f, bytes, arp_to_frame(&a, bytes));
	arp_reply(&a, mac_b, &a);
	write_bytes(f, bytes, arp_to_frame(&a, bytes));
	arp_announce(&a, mac_a, ip_a, -1);
	write_bytes(f, bytes, arp_to_frame(&a, bytes));
}

static void write_icmp(FILE *f, const struct icmp *m, const uint8_t *data)
{
	uint8_t bytes[2048];

	write_bytes(f, bytes, icmp_to_frame(m, data, bytes));
}

// A request, and its answer.
static void write_echo(FILE *f, const struct ip_hdr *ip, uint16_t data_len)
{
	uint8_t data[1500];
	struct icmp m = {.kind = ICMP_ECHO_REQUEST,
		.ip = *ip,
		.eth = {.dst = {2, 0, 0, 0, 0, 2}, .src = {2, 0, 0, 0, 0, 1}},
		.id = 0x1234,
		.seq = 5,
		.data_len = data_len};

	for (unsigned i = 0; i < data_len; i++)
		data[i] = (uint8_t)(i * 11);
	write_icmp(f, &m, data);
	icmp_echo_reply(&m, mac_b, &m);
	write_icmp(f, &m, data);
}

static void write_icmps(FILE *f)
{
	const uint8_t ip_a[16] = {0xfd, [15] = 1}, ip_b[16] = {0xfd, [15] = 2};
	struct ip_hdr v4 = {.version = 4, .ttl = 9, .saddr = {10, 0, 0, 1}, .daddr = {10, 0, 0, 2}};
	struct ip_hdr v6 = {.version = 6, .ttl = 9};
	struct icmp m;

	memcpy(v6.saddr, ip_a, 16);
	memcpy(v6.daddr, ip_b, 16);
	write_echo(f, &v4, 1001);
	write_echo(f, &v6, 3);
	icmp_solicit(&m, mac_a, ip_a, ip_b, NULL, -1);
	write_icmp(f, &m, NULL);
	icmp_advertise(&m, mac_b, &m);
	write_icmp(f, &m, NULL);
	icmp_solicit(&m, mac_a, ip_a, ip_b, mac_b, 6 << 13 | 100);
	write_icmp(f, &m, NULL);
	icmp_advertise(&m, mac_b, &m);
	write_icmp(f, &m, NULL);
	icmp_announce(&m, mac_a, ip_a, -1);
	write_icmp(f, &m, NULL);
}

int main(int argc, char **argv)
{
	struct hdr vlan = ip4, ip6 = ip4, two;
	FILE *f = argc == 2 ? fopen(argv[1], "wb") : NULL;

	if (!f)
		return EXIT_FAILURE;
	vlan.flags |= HDR_VLAN;
	two = vlan;
	two.flags |= HDR_STAG | HDR_INNER;
	two.inner_tci = 3 << 13 | 10;
	ip6.flags = HDR_IPV6;
	ip6.ethertype = ETH_P_IPV6;
	memset(ip6.saddr, 0x20, 16);
	memset(ip6.daddr, 0x21, 16);
	pcap_start(f);
	write_macctl(f);
	write_rc(f, &ip4, 0);
	write_rc(f, &vlan, 4);
	write_rc(f, &two, 8);
	write_rc(f, &ip6, 20);
	write_gen(f, &ip4, 60);
	write_gen(f, &ip6, 75);
	write_arp(f);
	write_icmps(f);
	return fclose(f) ? EXIT_FAILURE : EXIT_SUCCESS;
}
