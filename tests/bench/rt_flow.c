// SPDX-License-Identifier: BSD-3-Clause
// The frames of rt_bench.
#include "rt_flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcap/pcap.h>

#include "frame/frame.h"

#define FIRST_PORT   49152
#define SPORTS       16384
#define MAC_OF_HOSTS 0x10
#define TAG_LEN      4
#define CLS          3 // of all frames, or the highest of their classes
#define VID          5

static const uint16_t imix[] = {64, 594, 64, 64, 594, 64, 1514, 64, 594, 64, 594, 64};

#define IMIX (sizeof(imix) / sizeof(imix[0]))

static const struct form {
	const char *name;
	bool ip6, vlan, second_vlan, cntag;
} forms[FLOW_FORMS] = {
	[FLOW_IP4] = {.name = "ip4"},
	[FLOW_IP6] = {.name = "ip6", .ip6 = true},
	[FLOW_VLAN_IP4] = {.name = "vlan-ip4", .vlan = true},
	[FLOW_VLAN_IP6] = {.name = "vlan-ip6", .ip6 = true, .vlan = true},
	[FLOW_CNTAG_IP4] = {.name = "cntag-ip4", .cntag = true},
	[FLOW_QINQ_IP4] = {.name = "qinq-ip4", .vlan = true, .second_vlan = true},
	[FLOW_QINQ_IP6] = {.name = "qinq-ip6", .ip6 = true, .vlan = true, .second_vlan = true},
};

bool flow_set_forms(struct flow_traffic *t, const char *name)
{
	for (unsigned i = 0; i < FLOW_FORMS; i++)
		if (!strcmp(name, forms[i].name)) {
			t->form = (enum flow_form)i;
			t->more_forms = 0;
			return true;
		}
	t->form = FLOW_IP4;
	t->more_forms = FLOW_FORMS - 1;
	return !strcmp(name, "mixed");
}

const char *flow_form_names(void)
{
	return " ip4 ip6 vlan-ip4 vlan-ip6 cntag-ip4 qinq-ip4 qinq-ip6 mixed";
}

// Of a RoCEv2 frame without payload, with its ICRC.
static unsigned octets_of(const struct form *f)
{
	unsigned tags = (unsigned)f->vlan + f->second_vlan + f->cntag;

	return 14 + TAG_LEN * tags + (f->ip6 ? IP6_LEN : IP4_LEN) + UDP_LEN + BTH_LEN + ICRC_LEN;
}

unsigned flow_least(const struct flow_traffic *t)
{
	unsigned most = 0;

	for (unsigned i = 0; i <= t->more_forms; i++) {
		unsigned n = octets_of(&forms[t->form + i]);

		most = n > most ? n : most;
	}
	return most;
}

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

// The MAC address of host number `host` at port `side`.
static void write_mac(const struct flow_traffic *t, unsigned side, unsigned host, uint8_t *mac)
{
	const uint8_t one[6] = {2, 0, 0, 0, 0, (uint8_t)(0x0a + side)};
	const uint8_t many[6] = {2, (uint8_t)(MAC_OF_HOSTS + side), 0, (uint8_t)(host >> 16),
		(uint8_t)(host >> 8), (uint8_t)host};

	memcpy(mac, t->macs ? many : one, 6);
}

static void write_ip(const struct flow_traffic *t, const struct form *f, unsigned side,
	unsigned host, uint8_t *ip)
{
	const uint8_t one[4] = {10, 0, 0, (uint8_t)(1 + side)};
	const uint8_t many[4] = {
		10, (uint8_t)(64 * (1 + side) + (host >> 16)), (uint8_t)(host >> 8), (uint8_t)host};

	if (f->ip6) { // of documentation
		memcpy(ip, (uint8_t[]){0x20, 0x01, 0x0d, 0xb8}, 4);
		ip += 12;
	}
	memcpy(ip, t->macs ? many : one, 4);
}

unsigned flow_queue(const struct flow_traffic *t, unsigned k)
{
	return k % ((1 + t->more_hosts) * (1 + t->more_classes));
}

// A RoCEv2 WRITE middle, DSCP and PCP of its class, ECT(0).
unsigned flow_write(
	const struct flow_traffic *t, unsigned way, unsigned k, uint8_t *bytes, size_t size)
{
	static const uint8_t payload[PKT_MAX_LEN];
	unsigned flow = k % t->flows;
	const struct form *f = &forms[t->form + flow % (1 + t->more_forms)];
	struct frame fr = {.kind = PKT_DATA};
	unsigned queue = flow_queue(t, k), cls = CLS - queue / (1 + t->more_hosts);
	unsigned to = way ? 0 : 1 + queue % (1 + t->more_hosts);
	int len;

	write_mac(t, to, flow, fr.eth.dst);
	write_mac(t, way, flow, fr.eth.src);
	fr.eth.has_vlan = f->vlan;
	fr.eth.vlan_tci = (uint16_t)(cls << 13 | VID);
	fr.eth.has_inner = f->second_vlan;
	fr.eth.inner_tci = fr.eth.vlan_tci;
	fr.eth.has_cntag = f->cntag;
	fr.eth.cntag = (uint16_t)flow;
	fr.eth.ethertype = f->ip6 ? ETH_P_IPV6 : ETH_P_IPV4;
	fr.ip.version = f->ip6 ? 6 : 4;
	fr.ip.tos = (uint8_t)(8 * cls << 2 | ECN_ECT0);
	fr.ip.ttl = 64;
	fr.ip.proto = 17;
	write_ip(t, f, way, flow, fr.ip.saddr);
	write_ip(t, f, to, flow, fr.ip.daddr);
	fr.udp.sport = (uint16_t)(FIRST_PORT + flow % SPORTS);
	fr.udp.dport = 4791;
	fr.bth.opcode = 0x07;
	fr.bth.pkey = 0xffff;
	fr.bth.qpn = 1 + flow;
	fr.payload_len = (uint16_t)(flow_octets(t, k) - octets_of(f));
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
