// SPDX-License-Identifier: BSD-3-Clause
// The echo: frames that come back to their sender and how long they took, the class in which they
// wait, frames that are dropped and frames that are never sent back.
#include <stdio.h>

#include "base/prng.h"
#include "bytes.h"
#include "frame/frame.h"
#include "nic_lab.h"

#define SOURCE 3
#define CLS    2
#define LEN    1000

struct echo_lab {
	struct lab l;
	struct hdr back; // of what nic 1 sends back
	unsigned lose;   // one of so many frames, in either direction; 0: none
	unsigned twice;  // each so many-th echo comes again
	struct prng rng;
	uint64_t lost, doubled, sent, returned;
	uint8_t back_cls;
	bool foreign; // frames come to nic 1 as bytes
};

// The frame as it enters another process.
static void as_bytes(struct pkt *p)
{
	p->data_off = 128;
	frame_from_pkt(p, pkt_bytes(p));
	frame_to_pkt(p, 4300);
}

static bool hook(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	struct echo_lab *t = l->arg;

	(void)now;
	if (p->kind != PKT_GEN)
		return true;
	t->sent += from == 0;
	t->returned += from == 1;
	if (from == 1)
		t->back_cls = p->cls;
	if (t->lose && !prng_below(&t->rng, t->lose)) {
		t->lost++;
		return false;
	}
	if (t->foreign && from == 0)
		as_bytes(p);
	if (t->twice && from == 1 && t->returned % t->twice == 0) {
		struct pkt again = *p;

		t->doubled++;
		lab_rx(l, 0, &again);
	}
	return true;
}

static void begin(struct echo_lab *t, rate_t rate, uint64_t count)
{
	struct gen_params g = {.source = SOURCE,
		.hdr = &t->l.data_hdr,
		.tos = 26 << 2 | ECN_ECT0,
		.cls = CLS,
		.min_len = LEN,
		.max_len = LEN,
		.rate = rate,
		.burst = 1,
		.stop = TSTAMP_NEVER,
		.count = count,
		.name = "s"};
	struct lab *l = &t->l;

	memset(t, 0, sizeof(*t));
	prng_init(&t->rng, 5, "echo");
	lab_init(l);
	l->hook = hook;
	l->arg = t;
	l->p[1].echoes = true;
	l->p[1].pfc_classes = 0xff;
	lab_start(l);
	t->back = l->back_hdr;
	t->back.id = 9;
	assert_int_equal(nic_add_trips(l->nic[0], SOURCE, 64), -EINVAL); // no such source yet
	assert_int_equal(nic_add_gen(l->nic[0], &g), 0);
	assert_int_equal(nic_add_trips(l->nic[0], SOURCE, 4096), 0);
	assert_int_equal(nic_add_trips(l->nic[0], SOURCE, 4096), -EEXIST);
	assert_int_equal(nic_add_echo(l->nic[0], SOURCE, &t->back, CLS), -EINVAL);
	assert_int_equal(nic_add_echo(l->nic[1], SOURCE, &t->back, CLS), 0);
}

static const struct trip_stats *trips(const struct echo_lab *t)
{
	return nic_trip_stats(t->l.nic[0], SOURCE);
}

// Over a wire of 100 Gb/s and 1 us each way a round trip is two times both, to the ps.
static void frames_come_back_and_are_timed(void **state)
{
	const tstamp wire = (LEN + PKT_WIRE) * 80, rtt = 2 * (wire + PS_PER_US);
	struct hist *h = calloc(1, sizeof(*h));
	struct echo_lab t;

	(void)state;
	begin(&t, 10 * RATE_GBPS, 100);
	nic_trip_lend_rtt(t.l.nic[0], SOURCE, h);
	lab_run(&t.l, PS_PER_MS);
	assert_int_equal(trips(&t)->echo_rx_frames, 100);
	assert_int_equal(trips(&t)->echo_lost, 0);
	assert_int_equal(trips(&t)->echo_out_of_order, 0);
	assert_int_equal(trips(&t)->rtt_min, rtt);
	assert_int_equal(trips(&t)->rtt_max, rtt);
	assert_int_equal(trips(&t)->rtt_sum, 100 * rtt);
	hist_bound(h, trips(&t)->rtt_sum, rtt, rtt);
	hist_settle(h);
	assert_int_equal(h->n, 100);
	assert_int_equal(hist_quantile(h, 500), rtt);
	assert_int_equal(nic_gen_stats(t.l.nic[1], SOURCE)->rx_frames, 100);
	assert_int_equal(nic_gen_stats(t.l.nic[0], SOURCE)->rx_frames, 0);
	assert_int_equal(nic_stats(t.l.nic[1])->echo_tx, 100);
	assert_int_equal(nic_stats(t.l.nic[1])->gen_tx_frames, 0);
	assert_int_equal(nic_stats(t.l.nic[0])->echo_rx, 100);
	assert_int_equal(nic_stats(t.l.nic[0])->gen_tx_frames, 100);
	assert_int_equal(t.back_cls, CLS);
	assert_null(nic_trip_stats(t.l.nic[1], SOURCE));
	assert_null(nic_trip_stats(t.l.nic[0], 4));
	lab_end(&t.l);
	free(h);
}

// The same where they come as bytes: those go back, with addresses exchanged.
static void bytes_go_back_too(void **state)
{
	struct echo_lab t;

	(void)state;
	begin(&t, 10 * RATE_GBPS, 100);
	t.foreign = true;
	t.l.room = realloc(t.l.room, (size_t)LAB_PKTS * 2048);
	for (unsigned i = 0; i < LAB_PKTS; i++)
		t.l.slot[i] = (struct pkt *)(t.l.room + (size_t)2048 * i);
	t.l.data_hdr.saddr[0] = t.l.data_hdr.saddr[3] = 10;
	t.l.data_hdr.daddr[0] = 10;
	lab_run(&t.l, PS_PER_MS);
	assert_int_equal(trips(&t)->echo_rx_frames, 100);
	assert_int_equal(trips(&t)->rtt_min, 2 * ((LEN + PKT_WIRE) * 80 + PS_PER_US));
	assert_int_equal(nic_stats(t.l.nic[1])->echo_tx, 100);
	assert_int_equal(t.back_cls, CLS);
	lab_end(&t.l);
}

// A frame that is lost in either direction is lost; a frame that comes twice counts once.
static void loss_and_duplicates_are_told(void **state)
{
	struct echo_lab t;

	(void)state;
	begin(&t, 50 * RATE_GBPS, 3000);
	t.lose = 7;
	t.twice = 13;
	lab_run(&t.l, 10 * PS_PER_MS);
	assert_int_equal(t.sent, 3000);
	assert_true(t.lost > 100 && t.doubled > 100);
	// A copy may be what came in the place of a frame that was lost.
	assert_in_range(trips(&t)->echo_rx_frames, 3000 - t.lost, 3000 - t.lost + t.doubled);
	assert_in_range(trips(&t)->echo_rx_frames + trips(&t)->echo_lost, 2980, 3000);
	assert_int_equal(
		trips(&t)->echo_rx_frames + trips(&t)->echo_duplicates, 3000 - t.lost + t.doubled);
	lab_end(&t.l);
}

static void pause_class(struct lab *l, unsigned to, unsigned cls, uint16_t quanta)
{
	struct pkt p = {.kind = PKT_PFC, .len = 60, .u.pfc.enable = (uint8_t)(1 << cls)};

	p.u.pfc.quanta[cls] = quanta;
	lab_rx(l, to, &p);
}

// A pause of the class holds echoes back, within a bound; what finds no room has a reason. They go
// on when it ends, and their round trip has the wait.
static void echoes_wait_for_pauses_within_a_bound(void **state)
{
	struct echo_lab t;

	(void)state;
	begin(&t, 100 * RATE_GBPS, 1500);
	pause_class(&t.l, 1, CLS, 65535);
	lab_run(&t.l, 200 * PS_PER_US);
	assert_int_equal(t.returned, 0);
	assert_int_equal(nic_eport(t.l.nic[1])->q[CLS].frames, 1024);
	assert_int_equal(nic_stats(t.l.nic[1])->drop[NIC_DROP_ECHO_FULL], 1500 - 1024);
	pause_class(&t.l, 1, CLS, 0);
	lab_run(&t.l, 2 * PS_PER_MS);
	assert_int_equal(t.returned, 1024);
	assert_int_equal(trips(&t)->echo_rx_frames, 1024);
	assert_true(trips(&t)->rtt_max > 190 * PS_PER_US);
	lab_end(&t.l);
}

// A pause of another class holds nothing back.
static void other_classes_do_not_wait(void **state)
{
	struct echo_lab t;

	(void)state;
	begin(&t, 100 * RATE_GBPS, 100);
	pause_class(&t.l, 1, 3, 65535);
	lab_run(&t.l, 200 * PS_PER_US);
	assert_int_equal(trips(&t)->echo_rx_frames, 100);
	lab_end(&t.l);
}

// The link goes down while echoes wait: they are dropped with that reason, and the bound is whole
// afterwards.
static void a_lost_link_takes_what_waits(void **state)
{
	struct echo_lab t;

	(void)state;
	begin(&t, 100 * RATE_GBPS, 3000);
	pause_class(&t.l, 1, CLS, 65535);
	lab_run(&t.l, 50 * PS_PER_US);
	assert_int_equal(lab_ctl(&t.l, 1, (struct ctl){.type = CTL_LINK_DOWN}), 0);
	assert_int_equal(lab_ctl(&t.l, 1, (struct ctl){.type = CTL_LINK_UP}), 0);
	assert_true(nic_stats(t.l.nic[1])->drop[NIC_DROP_LINK_DOWN] > 500);
	lab_run(&t.l, 230 * PS_PER_US);
	assert_int_equal(nic_eport(t.l.nic[1])->q[CLS].frames, 1024);
	lab_end(&t.l);
}

static const uint8_t own[16] = {10, 0, 0, 2};

// A datagram of a stranger for nic 1, as bytes. `change` alters one of them before it is parsed.
static void stranger(struct lab *l, uint8_t proto, unsigned at, uint8_t change)
{
	struct pkt *p = pkt_get_ctl(&l->stack);
	uint8_t *o, *ip;
	uint32_t sum = 0;

	*p = (struct pkt){.len = 90, .data_off = 128};
	o = pkt_bytes(p);
	ip = o + 14;
	memset(o, 0, 90);
	memcpy(o, l->p[1].mac, 6);
	o[6] = 2;
	o[11] = 9;
	put_be16(o + 12, 0x0800);
	ip[0] = 0x45;
	ip[1] = 0x68;
	put_be16(ip + 2, 76);
	ip[8] = 64;
	ip[9] = proto;
	memcpy(ip + 12, (uint8_t[]){10, 0, 0, 9}, 4);
	memcpy(ip + 16, own, 4);
	put_be16(ip + 20, 5000);
	put_be16(ip + 22, 6000);
	put_be16(ip + 24, 56);
	o[at] = change;
	for (unsigned i = 0; i < 20; i += 2)
		sum += get_be16(ip + i);
	sum = (sum & 0xffff) + (sum >> 16);
	put_be16(ip + 10, (uint16_t) ~(sum + (sum >> 16)));
	frame_to_pkt(p, 4300);
	nic_rx(l->nic[1], 0, &p, 1, l->now);
	lab_drain_events(l, 1);
}

static bool see_stranger(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	struct echo_lab *t = l->arg;

	(void)now;
	if (from != 1)
		return true;
	t->returned++;
	t->back_cls = p->cls;
	assert_int_equal(p->hdr->dport, 5000);
	assert_int_equal(p->hdr->sport, 6000);
	assert_memory_equal(p->hdr->src, l->p[1].mac, 6);
	assert_int_equal(p->hdr->dst[5], 9);
	assert_memory_equal(pkt_bytes(p) + 26, own, 4);
	return false;
}

// Datagrams of whoever it is go back in the class of their DSCP; other protocols do not, nor what
// is for another address, nor what comes from nobody.
static void strangers_are_answered(void **state)
{
	struct echo_lab t = {0};
	struct lab *l = &t.l;

	(void)state;
	lab_init(l);
	l->hook = see_stranger;
	l->arg = &t;
	l->p[1].echoes = true;
	memcpy(l->p[1].ip, own, 16);
	lab_start(l);
	l->now = PS_PER_US;
	stranger(l, 17, 80, 0);
	lab_run(l, 10 * PS_PER_US);
	assert_int_equal(t.returned, 1);
	assert_int_equal(t.back_cls, 3);
	assert_int_equal(nic_stats(l->nic[1])->echo_tx, 1);
	stranger(l, 6, 80, 0);
	stranger(l, 17, 33, 7); // of the address
	assert_int_equal(nic_stats(l->nic[1])->drop[NIC_DROP_UNKNOWN], 2);
	stranger(l, 17, 26, 255);  // the sender's
	stranger(l, 17, 20, 0x20); // a fragment
	stranger(l, 17, 6, 1);
	assert_int_equal(nic_stats(l->nic[1])->drop[NIC_DROP_NO_ECHO], 3);
	lab_run(l, 20 * PS_PER_US);
	assert_int_equal(t.returned, 1);
	lab_end(l);
}

// A stream that is told apart goes back, too.
static void streams_go_back(void **state)
{
	struct echo_lab t = {0};
	struct lab *l = &t.l;

	(void)state;
	lab_init(l);
	l->hook = see_stranger;
	l->arg = &t;
	l->p[1].echoes = l->p[1].answers = true;
	l->p[1].streams = 4;
	memcpy(l->p[1].ip, own, 16);
	lab_start(l);
	for (unsigned i = 0; i < 10; i++)
		stranger(l, 17, 80, 0);
	lab_run(l, 10 * PS_PER_US);
	assert_int_equal(t.returned, 10);
	assert_int_equal(nic_stats(l->nic[1])->stream_rx, 10);
	assert_int_equal(nic_stats(l->nic[1])->echo_tx, 10);
	lab_end(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_come_back_and_are_timed),
		cmocka_unit_test(bytes_go_back_too),
		cmocka_unit_test(loss_and_duplicates_are_told),
		cmocka_unit_test(echoes_wait_for_pauses_within_a_bound),
		cmocka_unit_test(other_classes_do_not_wait),
		cmocka_unit_test(a_lost_link_takes_what_waits),
		cmocka_unit_test(strangers_are_answered),
		cmocka_unit_test(streams_go_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
