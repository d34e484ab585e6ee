// SPDX-License-Identifier: BSD-3-Clause
// Tests of a NIC's reaction to frames that arrive: drops, PFC, open-loop sequence numbers, ICRCs.
#include "frame/frame.h"
#include "nic_lab.h"
#include "wire/bth.h"

// Of frames for another host, and for all hosts.
static struct hdr other, everyone;

// Frames that NIC 1 drops, with responder 1 there, and why.
static const struct {
	struct pkt p;
	enum nic_drop why;
} dropped[] = {
	{{.kind = PKT_BAD, .len = 60, .u.bad = FRAME_BAD_OPCODE}, NIC_DROP_MALFORMED},
	{{.kind = PKT_BAD, .len = 60, .u.bad = FRAME_BAD_IP_CHECKSUM}, NIC_DROP_MALFORMED},
	{{.kind = PKT_BAD, .len = 60, .hdr = &other, .u.bad = FRAME_BAD_IP_CHECKSUM},
		NIC_DROP_NOT_FOR_US},
	{{.kind = PKT_BAD, .len = 60, .hdr = &everyone, .u.bad = FRAME_SHORT_IP}, NIC_DROP_UNKNOWN},
	{{.kind = PKT_BAD, .len = 13, .hdr = &other, .u.bad = FRAME_SHORT_ETH}, NIC_DROP_MALFORMED},
	{{.kind = PKT_BAD, .len = 60, .u.bad = FRAME_TOO_LONG}, NIC_DROP_TOO_LONG},
	{{.kind = PKT_GEN, .len = 4301}, NIC_DROP_TOO_LONG},
	{{.kind = PKT_DATA, .len = 1082, .hdr = &other, .u.rc.qpn = 1}, NIC_DROP_NOT_FOR_US},
	{{.kind = PKT_OTHER, .len = 60, .hdr = &everyone}, NIC_DROP_UNKNOWN},
	{{.kind = PKT_OTHER, .len = 60}, NIC_DROP_UNKNOWN},
	{{.kind = PKT_OTHER, .len = 4300}, NIC_DROP_UNKNOWN}, // not too long
	{{.kind = PKT_UDP, .len = 60}, NIC_DROP_UNKNOWN},
	{{.kind = PKT_ROCE, .len = 100}, NIC_DROP_UNKNOWN},
	{{.kind = PKT_GEN, .len = 60, .u.gen.source = 8}, NIC_DROP_UNKNOWN},
	{{.kind = PKT_DATA, .len = 1082, .u.rc.qpn = 2}, NIC_DROP_NO_QP},
	{{.kind = PKT_DATA, .len = 1082, .u.rc.qpn = 0xffffff}, NIC_DROP_NO_QP},
	{{.kind = PKT_DATA, .len = 1082, .u.rc.qpn = 0}, NIC_DROP_NO_QP},
	{{.kind = PKT_ACK, .len = 62, .u.rc.qpn = 1}, NIC_DROP_NO_QP}, // of a responder
	{{.kind = PKT_CNP, .len = 74, .u.rc.qpn = 1}, NIC_DROP_NO_QP},
};

static void drops_by_reason(void **state)
{
	(void)state;

	struct lab l;

	lab_init(&l);
	lab_start(&l);

	struct nic_qp_params p = lab_req(&l, 1);

	lab_add(&l, &p); // nic 0: requester 1, nic 1: responder 1
	other = everyone = l.data_hdr;
	other.dst[5] = 77;
	memset(everyone.dst, 0xff, 6);

	unsigned n = sizeof(dropped) / sizeof(dropped[0]);

	for (unsigned i = 0; i < n; i++) {
		uint64_t before = nic_stats(l.nic[1])->drop[dropped[i].why];

		lab_rx(&l, 1, &dropped[i].p);
		assert_int_equal(nic_stats(l.nic[1])->drop[dropped[i].why], before + 1);
		assert_int_equal(lab_evs(&l, 1, EV_DROP), i + 1);
		assert_int_equal(lab_ev(&l, 1, EV_DROP, i)->drop.reason, dropped[i].why);
		assert_int_equal(lab_ev(&l, 1, EV_DROP, i)->drop.bytes, dropped[i].p.len);
	}
	assert_int_equal(nic_stats(l.nic[1])->malformed[FRAME_BAD_OPCODE], 1);
	assert_int_equal(nic_stats(l.nic[1])->malformed[FRAME_BAD_IP_CHECKSUM], 1);
	assert_int_equal(nic_stats(l.nic[1])->malformed[FRAME_SHORT_ETH], 1);
	assert_int_equal(nic_stats(l.nic[1])->malformed[FRAME_SHORT_IP], 0);
	assert_int_equal(nic_stats(l.nic[1])->rx_frames, n);
	assert_int_equal(nic_stats(l.nic[1])->consumed_frames, 0);
	lab_rx(&l, 0,
		&(struct pkt){.kind = PKT_DATA, .len = 1082, .u.rc.qpn = 1}); // of a requester
	assert_int_equal(nic_stats(l.nic[0])->drop[NIC_DROP_NO_QP], 1);
	lab_end(&l);
}

static void mac_control(void **state)
{
	(void)state;

	struct lab l;

	lab_init(&l);
	lab_start(&l);
	lab_rx(&l, 0, &(struct pkt){.kind = PKT_PAUSE, .len = 60, .u.pfc.quanta = {65535}});
	lab_rx(&l, 0, &(struct pkt){.kind = PKT_MACCTL, .len = 60});
	lab_rx(&l, 0, &(struct pkt){.kind = PKT_PFC, .len = 60});
	assert_int_equal(nic_stats(l.nic[0])->pause_rx_frames, 1);
	assert_int_equal(nic_stats(l.nic[0])->pfc_invalid_frames, 2);
	assert_int_equal(nic_stats(l.nic[0])->consumed_frames, 3);
	assert_int_equal(nic_pause_rx(l.nic[0])->paused, 0);
	lab_end(&l);
}

static void pfc(struct lab *l, unsigned to, unsigned cls, uint16_t quanta)
{
	struct pkt p = {.kind = PKT_PFC, .len = 60, .u.pfc.enable = (uint8_t)(1 << cls)};

	p.u.pfc.quanta[cls] = quanta;
	lab_rx(l, to, &p);
}

// XOFF of 1000 quanta at 100 Gb/s: 5.12 us from its arrival, to the ps; an XOFF overwrites the
// timer; an XON ends it at once.
static void pause_and_resume(void **state)
{
	(void)state;

	struct lab l;

	lab_init(&l);
	lab_start(&l);

	struct nic_qp_params p = lab_req(&l, 1);

	p.start = 10 * PS_PER_US;
	lab_add(&l, &p);
	lab_run(&l, 9 * PS_PER_US);
	pfc(&l, 0, 3, 2000);
	lab_run(&l, 9500 * PS_PER_NS);
	pfc(&l, 0, 3, 1000);  // shorter: 9.5 + 5.12
	pfc(&l, 0, 2, 60000); // not obeyed
	lab_run(&l, 14620 * PS_PER_NS - 1);
	assert_int_equal(nic_stats(l.nic[0])->tx_frames, 0);
	lab_run(&l, 14620 * PS_PER_NS);
	assert_int_equal(nic_stats(l.nic[0])->tx_frames, 1);
	assert_int_equal(lab_evs(&l, 0, EV_PAUSE_RX), 1);
	assert_int_equal(lab_ev(&l, 0, EV_PAUSE_RX, 0)->pause.quanta, 2000);
	assert_int_equal(lab_ev(&l, 0, EV_PAUSE_RX, 0)->cls, 3);
	assert_int_equal(lab_ev(&l, 0, EV_RESUME_RX, 0)->t, 14620 * PS_PER_NS);
	assert_int_equal(lab_ev(&l, 0, EV_RESUME_RX, 0)->pause.by, EV_RESUME_EXPIRED);

	pfc(&l, 0, 3, 65535); // the frame that has started is finished
	lab_run(&l, 16 * PS_PER_US);
	assert_int_equal(nic_stats(l.nic[0])->tx_frames, 1);
	pfc(&l, 0, 3, 0);
	assert_int_equal(lab_ev(&l, 0, EV_RESUME_RX, 1)->pause.by, EV_RESUME_XON);
	lab_run(&l, 17 * PS_PER_US);
	assert_int_equal(nic_stats(l.nic[0])->tx_frames, 1 + 12); // 1 us at 88.48 ns, both ends
	assert_int_equal(nic_pause_rx(l.nic[0])->stats[3].xoff_frames, 3);
	assert_int_equal(nic_pause_rx(l.nic[0])->stats[2].xoff_frames, 1);
	lab_end(&l);
}

// A pause that runs out at the instant at which the next XOFF arrives: both are events.
static void resumed_and_paused_again(void **state)
{
	(void)state;

	struct lab l;

	lab_init(&l);
	lab_start(&l);
	pfc(&l, 0, 3, 1000);
	lab_run(&l, 5120 * PS_PER_NS - 1);
	l.now++;
	pfc(&l, 0, 3, 500);
	assert_int_equal(lab_evs(&l, 0, EV_PAUSE_RX), 2);
	assert_int_equal(lab_evs(&l, 0, EV_RESUME_RX), 1);
	assert_int_equal(lab_ev(&l, 0, EV_RESUME_RX, 0)->pause.by, EV_RESUME_EXPIRED);
	assert_int_equal(lab_ev(&l, 0, EV_RESUME_RX, 0)->t, 5120 * PS_PER_NS);
	lab_run(&l, 10 * PS_PER_US);
	assert_int_equal(lab_ev(&l, 0, EV_RESUME_RX, 1)->t, 7680 * PS_PER_NS);
	lab_end(&l);
}

static void gen(struct lab *l, uint32_t seq, tstamp born)
{
	lab_rx(l, 1,
		&(struct pkt){.kind = PKT_GEN,
			.len = 100,
			.tos = seq % 2 ? ECN_CE : 0,
			.born = born,
			.u.gen = {.seq = seq, .source = 3}});
}

static void stamped(struct lab *l, uint32_t seq, uint32_t stamp_ns, uint32_t has_stamp)
{
	lab_rx(l, 1,
		&(struct pkt){.kind = PKT_GEN,
			.len = 100,
			.born = l->now,
			.u.gen = {.seq = seq,
				.source = 3,
				.stamped = has_stamp,
				.stamp_ns = has_stamp ? stamp_ns : 0}});
}

static void roce(struct lab *l, uint32_t qpn, uint32_t psn, tstamp born)
{
	lab_rx(l, 1,
		&(struct pkt){.kind = PKT_DATA,
			.len = 90,
			.tos = psn == 1 ? ECN_CE : ECN_ECT0,
			.born = born,
			.u.rc = {.opcode = BTH_RC_SEND_ONLY,
				.qpn = qpn,
				.psn = psn,
				.payload = 32}});
}

// The PSN, 24 bits from the first one on, says the loss and order of an open loop of RoCEv2. Frames
// for other QPNs have no queue pair.
static void roce_of_an_open_loop_is_counted_by_psn(void **state)
{
	struct departures d;
	struct lab l;
	const struct nic_gen_stats *s;

	(void)state;
	lab_init(&l);
	lab_start(&l);
	assert_int_equal(nic_take_roce(l.nic[1], 3, 0x800000, 0xfffffe), 0);
	assert_int_equal(nic_take_roce(l.nic[1], 4, 0x800001, 0), 0);
	assert_int_equal(nic_take_roce(l.nic[1], 8, 0x800002, 0), -EINVAL);
	s = nic_gen_stats(l.nic[1], 3);
	lab_run(&l, PS_PER_US);
	roce(&l, 0x800000, 0xfffffe, 0);
	roce(&l, 0x800000, 0xffffff, 0);
	roce(&l, 0x800000, 2, 0);
	assert_int_equal(s->lost, 2);
	roce(&l, 0x800000, 1, 0);
	roce(&l, 0x800001, 0, 0);
	assert_int_equal(s->rx_frames, 4);
	assert_int_equal(s->rx_bytes, 4 * 94);
	assert_int_equal(s->lost, 1);
	assert_int_equal(s->out_of_order, 1);
	assert_int_equal(s->ecn_ce_rx, 1);
	assert_int_equal(s->latency_max, PS_PER_US);
	assert_int_equal(nic_gen_stats(l.nic[1], 4)->rx_frames, 1);
	assert_int_equal(nic_stats(l.nic[1])->gen_rx_frames, 5);
	roce(&l, 0x800002, 0, 0);
	assert_int_equal(nic_stats(l.nic[1])->drop[NIC_DROP_NO_QP], 1);

	// Its sender, which knows when frames left, counts them from 0.
	assert_int_equal(departures_init(&d, 8), 0);
	nic_gen_lend_departures(l.nic[1], 4, &d);
	departures_add(&d, 0, 0);
	departures_add(&d, 1, PS_PER_US / 2);
	roce(&l, 0x800001, 1, TSTAMP_NEVER);
	assert_int_equal(nic_gen_stats(l.nic[1], 4)->latency_min, PS_PER_US / 2);
	departures_fini(&d);
	lab_end(&l);
}

// The sender's clock is ahead by so much, so that what left at 7 us of it left at 4 us of ours.
static void frames_of_another_clock_are_dated_by_it(void **state)
{
	static int64_t ahead = NIC_AHEAD_UNKNOWN;
	const struct nic_gen_stats *s;
	struct lab l;

	(void)state;
	lab_init(&l);
	lab_start(&l);
	s = nic_gen_stats(l.nic[1], 3);
	nic_gen_lend_ahead(l.nic[1], 3, &ahead);
	lab_run(&l, 10 * PS_PER_US);
	stamped(&l, 0, 7000, 1); // nothing is known of that clock
	assert_int_equal(s->rx_frames, 1);
	assert_int_equal(s->undated, 1);
	ahead = 3 * (int64_t)PS_PER_US;
	stamped(&l, 1, 0, 0); // the frame had no room
	assert_int_equal(s->undated, 2);
	assert_int_equal(s->latency_sum, 0);
	stamped(&l, 2, 7000, 1);
	assert_int_equal(s->latency_min, 6 * PS_PER_US);
	stamped(&l, 3, 12000, 1);
	assert_int_equal(s->latency_min, 1 * PS_PER_US);
	assert_int_equal(s->latency_max, 6 * PS_PER_US);
	// The bound of the clock is larger than the latency: it would be negative.
	stamped(&l, 4, 13500, 1);
	assert_int_equal(s->latency_min, 0);
	assert_int_equal(s->latency_sum, 7 * PS_PER_US);
	assert_int_equal(s->undated, 2);
	assert_int_equal(s->rx_frames, 5);
	// The stamp is modulo 2^32 ns, and clocks may be far apart.
	ahead = -(9ll << 32) * (int64_t)PS_PER_NS;
	stamped(&l, 5, 9000, 1);
	assert_int_equal(s->latency_sum, 8 * PS_PER_US);
	ahead = 0;
	stamped(&l, 6, UINT32_MAX, 1);
	assert_int_equal(s->latency_max, 10001 * PS_PER_NS);
	lab_end(&l);
}

// A frame that came as bytes does not say when it left. Its sender does, by the number, if it is
// asked; else the frame has no latency.
static void frames_parsed_from_bytes_are_dated_by_their_sender(void **state)
{
	const struct nic_gen_stats *s;
	struct departures d;
	struct lab l;

	(void)state;
	lab_init(&l);
	lab_start(&l);
	s = nic_gen_stats(l.nic[1], 3);
	assert_int_equal(departures_init(&d, 4), 0);
	for (uint32_t i = 0; i < 6; i++)
		departures_add(&d, i, (1 + i) * PS_PER_US);
	lab_run(&l, 10 * PS_PER_US);
	gen(&l, 0, TSTAMP_NEVER);
	assert_int_equal(s->undated, 1);
	nic_gen_lend_departures(l.nic[1], 3, &d);
	gen(&l, 1, TSTAMP_NEVER); // four have left since
	assert_int_equal(s->undated, 2);
	assert_int_equal(s->latency_sum + s->latency_max, 0);
	gen(&l, 3, TSTAMP_NEVER);
	assert_int_equal(s->latency_min, 6 * PS_PER_US);
	gen(&l, 2, TSTAMP_NEVER);
	gen(&l, 2, TSTAMP_NEVER); // a device may double frames
	assert_int_equal(s->latency_max, 7 * PS_PER_US);
	assert_int_equal(s->latency_sum, 20 * PS_PER_US);
	gen(&l, 6, TSTAMP_NEVER); // never sent
	assert_int_equal(s->undated, 3);
	gen(&l, 7, 9 * PS_PER_US); // no bytes: it knows itself when it left
	assert_int_equal(s->latency_min, PS_PER_US);
	assert_int_equal(s->rx_frames, 7);
	departures_fini(&d);
	lab_end(&l);
}

// 0 1 2, 5 (3 and 4 missing), 4 late, 6; a jump over the wrap of the 32-bit number counts like any
// other.
static void sequence_numbers(void **state)
{
	(void)state;

	static const uint32_t seq[] = {0, 1, 2, 5, 4, 6};
	struct lab l;

	lab_init(&l);
	lab_start(&l);
	lab_run(&l, PS_PER_US);
	for (unsigned i = 0; i < 6; i++)
		gen(&l, seq[i], PS_PER_US - 1000 * (i + 1));

	const struct nic_gen_stats *s = nic_gen_stats(l.nic[1], 3);

	assert_int_equal(s->rx_frames, 6);
	assert_int_equal(s->rx_bytes, 6 * 104);
	assert_int_equal(s->lost, 1);
	assert_int_equal(s->out_of_order, 1);
	assert_int_equal(s->ecn_ce_rx, 2);
	assert_int_equal(s->latency_min, 1000);
	assert_int_equal(s->latency_max, 6000);
	assert_int_equal(s->latency_sum, 21000);
	assert_int_equal(s->next_seq, 7);
	assert_int_equal(nic_stats(l.nic[1])->gen_rx_frames, 6);
	gen(&l, 0x7fffffff, 0);
	gen(&l, 0xfffffff0, 0);
	gen(&l, 3, 0);
	assert_int_equal(s->lost, 1 + (1ull << 32) - 7 + 4 - 3);
	assert_int_equal(s->out_of_order, 1);
	assert_null(nic_gen_stats(l.nic[1], 8));
	lab_end(&l);
}

// A lent histogram has the latency of the frames of its source only.
static void lent_histogram(void **state)
{
	(void)state;

	static struct hist latency, foreign;
	struct lab l;

	lab_init(&l);
	lab_start(&l);
	hist_init(&latency);
	hist_init(&foreign);
	nic_gen_lend_latency(l.nic[1], 3, &latency);
	nic_gen_lend_latency(l.nic[1], 4, &foreign);
	lab_run(&l, PS_PER_US);
	for (unsigned i = 0; i < 3; i++)
		gen(&l, i, PS_PER_US - 1000 * (i + 1));
	hist_settle(&latency);
	hist_settle(&foreign);
	assert_int_equal(latency.n, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(latency.bucket[hist_index(1000 * (i + 1))], 1);
	assert_int_equal(foreign.n, 0);
	lab_end(&l);
}

// A clock that seems to go back is held.
static void time_never_goes_back(void **state)
{
	(void)state;

	struct lab l;

	lab_init(&l);
	lab_start(&l);
	lab_run(&l, 50 * PS_PER_US);
	gen(&l, 0, 49 * PS_PER_US);
	l.now = 20 * PS_PER_US;
	gen(&l, 1, 49 * PS_PER_US);
	assert_int_equal(nic_gen_stats(l.nic[1], 3)->latency_max, PS_PER_US);
	assert_int_equal(nic_gen_stats(l.nic[1], 3)->latency_min, PS_PER_US);
	l.now = 60 * PS_PER_US;
	gen(&l, 2, 70 * PS_PER_US); // another lcore's clock is ahead: 0
	assert_int_equal(nic_gen_stats(l.nic[1], 3)->latency_min, 0);
	lab_end(&l);
}

// A frame for NIC 1 as it came from outside, with its bytes; `spoil` is what its ICRC is wrong by.
static void lab_rx_bytes(struct lab *l, const struct pkt *made, uint8_t spoil)
{
	struct pkt *p = pkt_get_ctl(&l->stack);

	*p = (struct pkt){.len = made->len, .data_off = sizeof(struct pkt) + sizeof(struct hdr)};
	frame_from_pkt(made, pkt_bytes(p));
	pkt_bytes(p)[p->len - 1] ^= spoil;
	frame_to_pkt(p, 4300);
	nic_rx(l->nic[1], 0, &p, 1, l->now);
	lab_drain_events(l, 1);
}

// Frames that came as bytes are judged by their ICRC, whatever queue pair and opcode they name; a
// NIC that does not check takes all. Frames that a node of ours made have no bytes.
static void a_wrong_icrc_is_dropped(void **state)
{
	static const struct {
		uint8_t opcode, kind;
		uint16_t len;
	} rows[] = {{BTH_RC_WRITE_ONLY, PKT_DATA, 74}, {BTH_RC_ACK, PKT_ACK, 62},
		{BTH_CNP, PKT_CNP, 74}, {BTH_RC_READ_REQUEST, PKT_ROCE, 74}};

	(void)state;
	for (unsigned check = 0; check < 2; check++) {
		struct lab l;

		lab_init(&l);
		l.p[1].check_icrc = check;
		l.data_hdr.sport = 49152;
		l.data_hdr.dport = BTH_UDP_PORT;
		lab_start(&l);

		struct nic_qp_params p = lab_req(&l, 1);

		lab_add(&l, &p);
		for (unsigned i = 0; i < 4; i++) {
			const struct nic_stats *s = nic_stats(l.nic[1]);
			uint64_t consumed = s->consumed_frames;
			struct pkt made = {.hdr = &l.data_hdr,
				.len = rows[i].len,
				.kind = rows[i].kind,
				.u.rc = {.opcode = rows[i].opcode, .qpn = 1}};

			lab_rx_bytes(&l, &made, 0x10);
			assert_int_equal(s->rx_icrc_errors, check * (i + 1));
			assert_int_equal(s->drop[NIC_DROP_ICRC], check * (i + 1));
			if (check) {
				assert_int_equal(s->consumed_frames, consumed);
				assert_int_equal(lab_ev(&l, 1, EV_DROP, lab_evs(&l, 1, EV_DROP) - 1)
							 ->drop.reason,
					NIC_DROP_ICRC);
			}
			lab_rx_bytes(&l, &made, 0);
			assert_int_equal(s->rx_icrc_errors, check * (i + 1));
		}
		assert_int_equal(nic_stats(l.nic[1])->drop[NIC_DROP_UNKNOWN], 0);
		assert_int_equal(nic_stats(l.nic[1])->drop[NIC_DROP_NO_QP], 2 * (2 - check));
		assert_int_equal(nic_stats(l.nic[1])->consumed_frames, 2 * (2 - check));
		lab_end(&l);
	}
}

// Data whose payload is not its flow's is counted and taken all the same, where the NIC looks.
static void another_payload_is_counted(void **state)
{
	static const struct payload kinds[] = {{.kind = PAYLOAD_ZEROS}, {.kind = PAYLOAD_PRBS}};

	(void)state;
	for (unsigned check = 0; check < 2; check++)
		for (unsigned number = 0; number < 2; number++) {
			struct lab l;

			lab_init(&l);
			l.p[1].check_payload = check;
			l.p[1].payload = kinds;
			l.data_hdr.sport = 49152;
			l.data_hdr.dport = BTH_UDP_PORT;
			l.data_hdr.payload = (uint8_t)number; // bytes of the test have zeros
			lab_start(&l);

			struct nic_qp_params p = lab_req(&l, 1);

			lab_add(&l, &p);

			const struct nic_stats *s = nic_stats(l.nic[1]);
			uint64_t consumed = s->consumed_frames;
			struct pkt made = {.hdr = &l.data_hdr,
				.len = 74,
				.kind = PKT_DATA,
				.u.rc = {.opcode = BTH_RC_SEND_ONLY, .qpn = 1, .payload = 16}};

			lab_rx_bytes(&l, &made, 0);
			assert_int_equal(s->rx_payload_errors, check && number);
			assert_int_equal(s->consumed_frames, consumed + 1);
			lab_end(&l);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wrong_icrc_is_dropped),
		cmocka_unit_test(another_payload_is_counted),
		cmocka_unit_test(drops_by_reason),
		cmocka_unit_test(mac_control),
		cmocka_unit_test(pause_and_resume),
		cmocka_unit_test(resumed_and_paused_again),
		cmocka_unit_test(sequence_numbers),
		cmocka_unit_test(roce_of_an_open_loop_is_counted_by_psn),
		cmocka_unit_test(frames_of_another_clock_are_dated_by_it),
		cmocka_unit_test(frames_parsed_from_bytes_are_dated_by_their_sender),
		cmocka_unit_test(lent_histogram),
		cmocka_unit_test(time_never_goes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
