// SPDX-License-Identifier: BSD-3-Clause
// Foreign streams: which frames belong to one, its counters, which stream gets its place
// afterwards, and frames of no stream.
#include "nic_lab.h"

#include "bytes.h"
#include "qp/qp.h"

#define LEN 90 // of a frame

static const uint8_t own4[16] = {10, 0, 0, 1}, own6[16] = {0xfd, [15] = 1};

// A datagram to nic 0.
struct datagram {
	uint8_t last; // byte of the sender's address
	uint8_t proto;
	uint16_t sport, dport, id;
	uint32_t gen; // its number + 1, of another quench's open loop; 0: it is none
	bool v6;
};

static void begin(struct lab *l, unsigned streams, bool v6)
{
	lab_init(l);
	l->p[0].answers = true;
	l->p[0].streams = streams;
	l->p[0].max_sources = 0;
	l->p[0].ipv6 = v6;
	memcpy(l->p[0].ip, v6 ? own6 : own4, 16);
	lab_start(l);
}

static void put_ip4(uint8_t *ip, const struct datagram *d)
{
	uint32_t sum = 0;

	ip[0] = 0x45;
	ip[1] = 0xb8 | ECN_CE;
	put_be16(ip + 2, LEN - 14);
	put_be16(ip + 4, d->id);
	ip[8] = 64;
	ip[9] = d->proto;
	memcpy(ip + 12, (uint8_t[]){10, 0, 0, d->last}, 4);
	memcpy(ip + 16, own4, 4);
	for (unsigned i = 0; i < 20; i += 2)
		sum += get_be16(ip + i);
	put_be16(ip + 10, (uint16_t) ~(sum + (sum >> 16)));
}

static void put_ip6(uint8_t *ip, const struct datagram *d)
{
	ip[0] = 0x60;
	put_be16(ip + 4, LEN - 54);
	ip[6] = d->proto;
	ip[7] = 64;
	ip[8] = 0xfd;
	ip[23] = d->last;
	memcpy(ip + 24, own6, 16);
}

// A datagram whose arrival is dated at `at`, in a loop at `now`.
static void came_in_loop(struct lab *l, struct datagram d, tstamp at, tstamp now)
{
	struct pkt *p = pkt_get_ctl(&l->stack);
	uint8_t *o, *udp;

	*p = (struct pkt){.len = LEN, .data_off = 128};
	o = pkt_bytes(p);
	memset(o, 0, LEN);
	memcpy(o, l->p[0].mac, 6);
	o[6] = 2;
	o[11] = d.last;
	put_be16(o + 12, d.v6 ? 0x86dd : 0x0800);
	udp = o + 14 + (d.v6 ? 40 : 20);
	if (d.v6)
		put_ip6(o + 14, &d);
	else
		put_ip4(o + 14, &d);
	put_be16(udp, d.sport);
	put_be16(udp + 2, d.dport);
	put_be16(udp + 4, (uint16_t)(o + LEN - udp));
	if (d.gen) {
		struct hdr h = {.flags = HDR_IPV4, .ethertype = 0x0800, .proto = 17};
		struct pkt g = {.hdr = &h, .kind = PKT_GEN, .len = LEN, .u.gen.seq = d.gen - 1};
		uint8_t whole[LEN];

		frame_from_pkt(&g, whole); // for its magic number
		memcpy(udp + 8, whole + 42, 12);
	}
	frame_to_pkt(p, 4300);
	p->when = at;
	l->now = now;
	nic_rx(l->nic[0], 0, &p, 1, now);
	lab_drain_events(l, 0);
}

static void came(struct lab *l, struct datagram d, tstamp at)
{
	came_in_loop(l, d, at, at);
}

// The stream with a number; NULL: there is none.
static const struct nic_stream *stream(const struct lab *l, unsigned number)
{
	for (unsigned i = 0; i < nic_streams(l->nic[0]); i++)
		if (nic_stream(l->nic[0], i)->number == number)
			return nic_stream(l->nic[0], i);
	return NULL;
}

static void each_sender_and_port_is_a_stream(void **state)
{
	struct datagram d = {.last = 9, .proto = 17, .sport = 5, .dport = 6};
	struct lab l;

	(void)state;
	begin(&l, 16, false);
	for (unsigned i = 0; i < 20; i++) {
		d.id = (uint16_t)(100 + i + (i > 10)); // one is missing
		d.last = 9;
		d.sport = 5;
		came(&l, d, (100 + 10 * i) * PS_PER_US);
		d.sport = 7;
		came(&l, d, (100 + 10 * i) * PS_PER_US);
		d.last = 8;
		d.id = 0;
		came(&l, d, (100 + 10 * i) * PS_PER_US);
	}
	for (unsigned i = 1; i <= 3; i++) {
		const struct nic_stream *s = stream(&l, i);

		assert_int_equal(s->seq.frames, 20);
		assert_int_equal(s->rx_bytes, 20 * (LEN + 4));
		assert_int_equal(s->ecn_ce_rx, 20);
		assert_int_equal(s->first, 100 * PS_PER_US);
		assert_int_equal(s->last, 290 * PS_PER_US);
		assert_int_equal(s->gap_min, 10 * PS_PER_US);
		assert_int_equal(s->gap_max, 10 * PS_PER_US);
		assert_int_equal(s->jitter, 0);
		assert_int_equal(s->sport, i == 1 ? 5 : 7);
		assert_int_equal(s->saddr[3], i == 3 ? 8 : 9);
		assert_int_equal(seqwin_counts(&s->seq), i < 3);
	}
	assert_int_equal(stream(&l, 1)->seq.lost, 1);
	assert_null(stream(&l, 4));
	assert_int_equal(nic_stats(l.nic[0])->stream_rx, 60);
	assert_int_equal(nic_stats(l.nic[0])->consumed_frames, 60);
	assert_int_equal(nic_conserve(l.nic[0], NULL, 0), 0);
	lab_end(&l);
}

static void gaps_make_jitter(void **state)
{
	struct datagram d = {.last = 9, .proto = 17, .sport = 5, .dport = 6};
	struct lab l;

	(void)state;
	begin(&l, 4, false);
	came(&l, d, 0);
	came(&l, d, 10 * PS_PER_US);
	assert_int_equal(stream(&l, 1)->jitter, 0);
	came(&l, d, 36 * PS_PER_US); // 16 more than the gap before
	assert_int_equal(stream(&l, 1)->jitter, PS_PER_US);
	came(&l, d, 62 * PS_PER_US);
	assert_int_equal(stream(&l, 1)->jitter, PS_PER_US * 15 / 16);
	assert_int_equal(stream(&l, 1)->gap_max, 26 * PS_PER_US);
	assert_int_equal(stream(&l, 1)->gap_sum, 62 * PS_PER_US);
	came_in_loop(&l, d, 70 * PS_PER_US, 99 * PS_PER_US); // as a device stamped it
	assert_int_equal(stream(&l, 1)->gap_min, 8 * PS_PER_US);
	assert_int_equal(stream(&l, 1)->last, 70 * PS_PER_US);
	lab_end(&l);
}

// Numbers of another quench's open loop are known over IPv6, too.
static void numbers_of_a_quench_count(void **state)
{
	struct datagram d = {.last = 9, .proto = 17, .sport = 5, .dport = 9};
	struct lab l;

	(void)state;
	for (unsigned v6 = 0; v6 < 2; v6++) {
		begin(&l, 4, v6);
		d.v6 = v6;
		for (unsigned i = 0; i < 10; i++) {
			d.gen = i + 1 + (i > 5) * 70000u;
			came(&l, d, i * PS_PER_US);
		}
		assert_true(stream(&l, 1)->numbered);
		assert_int_equal(stream(&l, 1)->seq.lost, 70000);
		d.gen = 0;
		came(&l, d, 11 * PS_PER_US);
		assert_false(stream(&l, 2)->numbered);
		lab_end(&l);
	}
}

// A table that is full: who has been silent longest yields.
static void places_are_few(void **state)
{
	struct datagram d = {.last = 9, .proto = 17, .dport = 6};
	struct lab l;
	unsigned there = 0;

	(void)state;
	begin(&l, 4, false);
	for (unsigned i = 1; i <= 9; i++) {
		d.sport = (uint16_t)i;
		came(&l, d, i * PS_PER_US);
	}
	assert_int_equal(nic_streams(l.nic[0]), 4);
	for (unsigned i = 1; i <= 9; i++)
		there += stream(&l, i) != NULL;
	assert_int_equal(there, 4);
	assert_non_null(stream(&l, 9));
	assert_null(stream(&l, 1));
	assert_int_equal(nic_stats(l.nic[0])->streams_forgotten, 5);
	// One that goes on after a long silence is the same.
	came(&l, d, 100 * PS_PER_S);
	assert_int_equal(stream(&l, 9)->seq.frames, 2);
	lab_end(&l);
}

static void others_are_none(void **state)
{
	struct datagram d = {.last = 9, .proto = 17, .sport = 5, .dport = 6};
	struct lab l;

	(void)state;
	begin(&l, 0, false);
	came(&l, d, 0);
	assert_int_equal(nic_stats(l.nic[0])->drop[NIC_DROP_UNKNOWN], 1);
	assert_int_equal(nic_streams(l.nic[0]), 0);
	lab_end(&l);
	begin(&l, 4, false);
	d.v6 = true; // not the host's version
	came(&l, d, 0);
	assert_int_equal(nic_stats(l.nic[0])->drop[NIC_DROP_UNKNOWN], 1);
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_sender_and_port_is_a_stream),
		cmocka_unit_test(gaps_make_jitter),
		cmocka_unit_test(numbers_of_a_quench_count),
		cmocka_unit_test(places_are_few),
		cmocka_unit_test(others_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
