// SPDX-License-Identifier: BSD-3-Clause
// Tests of frames whose sender is not the peer of the queue pair that they name: data, ACKs, NAKs,
// CNPs and requests of every kind, over IPv4 and IPv6.
#include "frame/frame.h"
#include "nic_lab.h"
#include "wire/bth.h"

enum fault { NONE, SOURCE, DESTINATION, PKEY, LIMITED, FAULTS };

static void address(uint8_t ip[16], bool v6, unsigned host)
{
	memset(ip, 0, 16);
	ip[0] = v6 ? 0xfd : 10;
	ip[v6 ? 15 : 3] = (uint8_t)host;
}

// NIC 0 has requester 1, NIC 1 its responder.
static void start(struct lab *l, bool v6, bool check)
{
	lab_init(l);
	for (unsigned i = 0; i < 2; i++)
		l->p[i].peer_check = check;
	l->data_hdr.flags = v6 ? HDR_IPV6 : HDR_IPV4;
	l->data_hdr.ethertype = v6 ? 0x86dd : 0x0800;
	l->data_hdr.sport = 49152;
	l->data_hdr.dport = BTH_UDP_PORT;
	l->data_hdr.ttl = 64;
	address(l->data_hdr.saddr, v6, 1);
	address(l->data_hdr.daddr, v6, 2);
	l->back_hdr = l->data_hdr;
	l->back_hdr.id = 2;
	memcpy(l->back_hdr.dst, l->p[0].mac, 6);
	memcpy(l->back_hdr.src, l->p[1].mac, 6);
	address(l->back_hdr.saddr, v6, 2);
	address(l->back_hdr.daddr, v6, 1);
	lab_start(l);

	struct nic_qp_params p = lab_req(l, 1);

	lab_add(l, &p);
}

// A frame of opcode and kind for queue pair 1 of a NIC, from its peer but for the fault, as bytes.
static void receive(
	struct lab *l, unsigned to, uint8_t kind, uint8_t opcode, struct hdr h, enum fault fault)
{
	bool v6 = h.flags & HDR_IPV6;
	struct pkt *p = pkt_get_ctl(&l->stack);
	struct pkt made = {.hdr = &h,
		.len = (uint16_t)((kind == PKT_ACK                    ? 62
					  : opcode == BTH_RC_CMP_SWAP ? 86
								      : 74) +
				  (v6 ? 20 : 0)),
		.kind = kind,
		.u.rc = {.opcode = opcode, .qpn = 1}};

	if (fault == SOURCE)
		h.saddr[v6 ? 15 : 3] ^= 0x80;
	if (fault == DESTINATION)
		h.daddr[v6 ? 15 : 3] ^= 0x80;
	*p = (struct pkt){.len = made.len, .data_off = sizeof(struct pkt) + sizeof(struct hdr)};
	frame_from_pkt(&made, pkt_bytes(p));
	if (fault == PKEY || fault == LIMITED) {
		uint8_t *ip = pkt_bytes(p) + 14;
		unsigned ip_len = v6 ? 40 : 20;
		unsigned len = v6 ? 40 + get_be16(ip + 4) : get_be16(ip + 2);
		uint8_t *bth = ip + ip_len + 8;

		put_be16(bth + 2, fault == LIMITED ? 0x7fff : 0xfffe);
		icrc_put(ip + len - 4, icrc_compute(ip, ip_len, len - 4));
	}
	assert_int_equal(frame_to_pkt(p, 4300), kind);
	nic_rx(l->nic[to], 0, &p, 1, l->now);
	lab_drain_events(l, to);
}

static const struct {
	unsigned to;
	uint8_t kind, opcode;
} rows[] = {
	{1, PKT_DATA, BTH_RC_WRITE_ONLY},
	{1, PKT_DATA, BTH_RC_SEND_ONLY},
	{0, PKT_ACK, BTH_RC_ACK},
	{1, PKT_ACK, BTH_RC_ACK}, // which a responder does not want
	{0, PKT_CNP, BTH_CNP},
	{0, PKT_DATA, BTH_RC_WRITE_ONLY}, // which a requester does not want
	{1, PKT_ROCE, BTH_RC_READ_REQUEST},
	{0, PKT_ROCE, BTH_RC_READ_ONLY},
	{1, PKT_ROCE, BTH_RC_CMP_SWAP},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

// One frame of each kind with each fault. The default partition's P_Key may have limited
// membership.
static void a_stranger_is_dropped(void **state)
{
	(void)state;
	for (unsigned run = 0; run < 2 * ROWS * FAULTS; run++) {
		unsigned i = run / 2 % ROWS;
		enum fault fault = (enum fault)(run / 2 / ROWS);
		bool strange = fault != NONE && fault != LIMITED;
		struct lab l;

		start(&l, run & 1, true);

		const struct nic_stats *s = nic_stats(l.nic[rows[i].to]);

		receive(&l, rows[i].to, rows[i].kind, rows[i].opcode,
			rows[i].to ? l.data_hdr : l.back_hdr, fault);
		assert_int_equal(s->rx_icrc_errors, 0);
		assert_int_equal(s->rx_wrong_peer, strange);
		assert_int_equal(s->drop[NIC_DROP_WRONG_PEER], strange);
		assert_int_equal(lab_evs(&l, rows[i].to, EV_DROP) && strange,
			strange); // a frame of the peer may be dropped for its queue pair
		if (strange) {
			assert_int_equal(s->consumed_frames, 0);
			assert_int_equal(lab_ev(&l, rows[i].to, EV_DROP, 0)->drop.reason,
				NIC_DROP_WRONG_PEER);
		}
		lab_end(&l);
	}
}

// Without the check it is counted and taken.
static void without_the_check_it_is_counted(void **state)
{
	struct lab l;

	(void)state;
	start(&l, false, false);
	receive(&l, 0, PKT_CNP, BTH_CNP, l.back_hdr, SOURCE);
	assert_int_equal(nic_stats(l.nic[0])->rx_wrong_peer, 1);
	assert_int_equal(nic_stats(l.nic[0])->drop[NIC_DROP_WRONG_PEER], 0);
	assert_int_equal(nic_stats(l.nic[0])->consumed_frames, 1);
	assert_int_equal(lab_evs(&l, 0, EV_DROP), 0);
	lab_end(&l);
}

// ::ffff:10.0.0.1 is 10.0.0.1.
static void a_mapped_address_is_the_same(void **state)
{
	(void)state;
	for (unsigned mapped = 0; mapped < 2; mapped++) {
		struct lab l;
		struct hdr h;

		start(&l, false, true);
		h = l.back_hdr;
		h.flags = HDR_IPV6;
		h.ethertype = 0x86dd;
		memset(h.saddr, 0, 16);
		memset(h.daddr, 0, 16);
		if (mapped)
			memset(h.saddr + 10, 0xff, 2), memset(h.daddr + 10, 0xff, 2);
		memcpy(h.saddr + 12, l.back_hdr.saddr, 4);
		memcpy(h.daddr + 12, l.back_hdr.daddr, 4);
		receive(&l, 0, PKT_CNP, BTH_CNP, h, NONE);
		assert_int_equal(nic_stats(l.nic[0])->rx_wrong_peer, !mapped);
		lab_end(&l);
	}
}

// A sender's first drop in a second is an event; a flood from ever new addresses makes no more than
// there are places.
static void a_flood_makes_few_events(void **state)
{
	struct lab l;

	(void)state;
	start(&l, false, true);
	for (unsigned i = 0; i < 1000; i++)
		receive(&l, 0, PKT_CNP, BTH_CNP, l.back_hdr, SOURCE);
	assert_int_equal(lab_evs(&l, 0, EV_DROP), 1);
	l.now += PS_PER_S - 1;
	receive(&l, 0, PKT_CNP, BTH_CNP, l.back_hdr, SOURCE);
	assert_int_equal(lab_evs(&l, 0, EV_DROP), 1);
	l.now += 1;
	receive(&l, 0, PKT_CNP, BTH_CNP, l.back_hdr, SOURCE);
	assert_int_equal(lab_evs(&l, 0, EV_DROP), 2);
	for (unsigned i = 0; i < 1000; i++) {
		struct hdr h = l.back_hdr;

		h.saddr[1] = (uint8_t)(i >> 8);
		h.saddr[2] = (uint8_t)i;
		receive(&l, 0, PKT_CNP, BTH_CNP, h, SOURCE);
	}
	assert_in_range(lab_evs(&l, 0, EV_DROP), 3, 2 + 16);
	assert_int_equal(nic_stats(l.nic[0])->drop[NIC_DROP_WRONG_PEER], 2002);
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stranger_is_dropped),
		cmocka_unit_test(without_the_check_it_is_counted),
		cmocka_unit_test(a_mapped_address_is_the_same),
		cmocka_unit_test(a_flood_makes_few_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
