// SPDX-License-Identifier: BSD-3-Clause
// Writes one frame of every message of the communication manager to a classic pcap file, for
// tshark to judge.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/cm_msg.h"
#include "frame/frame.h"
#include "pcap.h"

static struct hdr to_peer = {
	.dst = {2, 0, 0, 0, 0, 2},
	.src = {2, 0, 0, 0, 0, 1},
	.vlan_tci = 6 << 13 | 100,
	.ethertype = ETH_P_IPV4,
	.saddr = {10, 0, 0, 1},
	.daddr = {10, 0, 0, 2},
	.sport = 0xc123,
	.flags = HDR_IPV4,
	.ttl = 64,
	.ip_id = 0x1234,
};

static void write_msg(FILE *f, struct cm_msg *m)
{
	static unsigned n;
	uint8_t mad[MAD_LEN], bytes[MAD_FRAME_MAX];

	m->tid = 0x0102030405060708;
	m->local_id = 0xa1a2a3a4;
	m->remote_id = 0xb1b2b3b4;
	cm_msg_render(m, mad);
	pcap_frame(f, n, bytes, mad_frame(&to_peer, 26 << 2 | ECN_ECT0, 0xfffff0 + n, mad, bytes));
	n++;
}

static void path(struct cm_path *p, unsigned ip_version, const struct hdr *h)
{
	*p = (struct cm_path){.local_lid = 0xffff,
		.remote_lid = 0xfffe,
		.traffic_class = 0x68,
		.hop_limit = 64,
		.sl = 7,
		.subnet_local = 1,
		.local_ack_timeout = 19};
	cm_gid(ip_version, h->saddr, p->local_gid);
	cm_gid(ip_version, h->daddr, p->remote_gid);
}

static void write_req(FILE *f, unsigned ip_version)
{
	struct cm_msg m = {.kind = CM_REQ,
		.u.req = {.service_id = CM_SERVICE_TCP | 4791,
			.ca_guid = 0x0200000000000001,
			.qkey = 0xc1c2c3c4,
			.qpn = 0xd1d2d3,
			.responder_resources = 16,
			.eecn = 0xe1e2e3,
			.initiator_depth = 4,
			.remote_eecn = 0xf1f2f3,
			.remote_response_timeout = 20,
			.flow_control = 1,
			.psn = 0x010203,
			.local_response_timeout = 19,
			.retry_count = 5,
			.pkey = 0xffff,
			.mtu = 3,
			.rdc_exists = 1,
			.rnr_retry_count = 6,
			.max_cm_retries = 14,
			.srq = 1,
			.extended_transport = 5}};
	struct cm_ip ip = {.version = (uint8_t)ip_version, .port = 40000};

	path(&m.u.req.primary, ip_version, &to_peer);
	m.u.req.alternate.hop_limit = 9;
	memcpy(ip.saddr, to_peer.saddr, 16);
	memcpy(ip.daddr, to_peer.daddr, 16);
	cm_ip_render(&ip, m.data);
	memset(m.data + CM_IP_LEN, 0x5a, 4);
	write_msg(f, &m);
}

static void write_others(FILE *f)
{
	struct cm_msg m = {.kind = CM_REP,
		.u.rep = {.ca_guid = 0x0200000000000002,
			.qkey = 0xc1c2c3c4,
			.qpn = 0xd1d2d3,
			.eecn = 0xe1e2e3,
			.psn = 0x0a0b0c,
			.responder_resources = 3,
			.initiator_depth = 2,
			.target_ack_delay = 15,
			.failover_accepted = 2,
			.flow_control = 1,
			.rnr_retry_count = 6,
			.srq = 1}};

	write_msg(f, &m);
	m = (struct cm_msg){.kind = CM_RTU};
	write_msg(f, &m);
	m = (struct cm_msg){.kind = CM_REJ,
		.u.rej = {.reason = CM_REJ_STALE,
			.answered = CM_ANSWERS_REP,
			.ari_len = 8,
			.ari = {2, 0, 0, 0, 0, 0, 0, 1}}};
	write_msg(f, &m);
	m = (struct cm_msg){.kind = CM_DREQ, .u.dreq_qpn = 0xd1d2d3};
	write_msg(f, &m);
	m = (struct cm_msg){.kind = CM_DREP, .data = {0x77}};
	write_msg(f, &m);
	m = (struct cm_msg){
		.kind = CM_MRA, .u.mra = {.answered = CM_ANSWERS_REP, .service_timeout = 21}};
	write_msg(f, &m);
}

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "wb") : NULL;

	if (!f)
		return EXIT_FAILURE;
	pcap_start(f);
	write_req(f, 4);
	write_others(f);
	to_peer.flags = HDR_IPV6 | HDR_VLAN;
	to_peer.ethertype = ETH_P_IPV6;
	memset(to_peer.saddr, 0x20, 16);
	memset(to_peer.daddr, 0x21, 16);
	write_req(f, 6);
	return fclose(f) ? EXIT_FAILURE : EXIT_SUCCESS;
}
