// SPDX-License-Identifier: BSD-3-Clause
// Tests of iQCN in the switch: CNPs recorded, heavy congestion with its hysteresis, CNPs of the
// switch.
#include <errno.h>

#include "defaults.h"
#include "sw_box.h"

#define T  PS_PER_MS
#define US PS_PER_US

// Heavy from 10000 bytes of class 3 on until 6000; ports paused by their peers stay so.
static struct box *iqcn_box(void)
{
	struct box *b = box_new();

	b->params.iqcn_on = true;
	iqcn_defaults(&b->params.iqcn);
	b->params.iqcn.entries = 64;
	b->set->cls[3].heavy_bytes = 10000;
	b->set->cls[3].heavy_off_bytes = 6000;
	b->params.pause_no_expiry = true;
	b->port[0].pg[3].static_bytes = 500000;
	return b;
}

static void started(struct box *b)
{
	box_start(b);
	box_learn(b);
}

static struct pkt *cnp_of(struct box *b, unsigned from, unsigned to, uint32_t qpn)
{
	struct pkt *p = box_pkt(b, from, to, 6, 74);

	p->kind = PKT_CNP;
	p->u.rc = (struct pkt_rc){.opcode = 0x81, .bth = BTH_BECN, .qpn = qpn};
	return p;
}

// n frames of host 0 to host 1, 1500 bytes each as counted; class 3 of port 1 does not drain.
static void congest(struct box *b, unsigned n, tstamp now)
{
	box_rx(b, 1, box_pfc(b, 1 << 3, 65535), now);
	for (unsigned i = 0; i < n; i++)
		box_send(b, 0, 1, 3, 1496, now);
}

// Data of host 0 to host `to`: CNPs may come of it.
static void data_to(struct box *b, unsigned to, tstamp now)
{
	box_send(b, 0, to, 4, 100, now);
	box_drain(b, to, now + US);
}

static void calm(struct box *b, tstamp now)
{
	box_rx(b, 1, box_pfc(b, 1 << 3, 0), now);
	box_drain(b, 1, now + 100 * US);
}

// The CNP of the NP comes at T; ours at T + 270 us and each 270 us, back to host 0 by port 0, until
// the queue has come down.
static void late_cnps_are_made_up_for(void **state)
{
	struct box *b = iqcn_box();
	struct pkt *p;
	const struct ev *e;

	(void)state;
	started(b);
	congest(b, 7, T);
	assert_true(sw_deadline(b->sw, 1) == TSTAMP_NEVER);
	box_rx(b, 1, cnp_of(b, 1, 0, 77), T);
	box_put(b, box_tx(b, 0, T));
	assert_true(sw_deadline(b->sw, 1) == T + 270 * US);
	for (unsigned i = 1; i <= 3; i++) {
		tstamp at = T + i * 270 * US;

		assert_true(sw_deadline(b->sw, 1) == at);
		assert_null(box_tx(b, 1, at));
		assert_true(sw_deadline(b->sw, 1) == at + 270 * US);
		assert_true(sw_deadline(b->sw, 0) <= at);
		p = box_tx(b, 0, at);
		assert_int_equal(p->kind, PKT_CNP);
		assert_int_equal(p->len, 74);
		assert_int_equal(p->cls, 6);
		assert_int_equal(p->tos, 6 * 8 << 2 | ECN_ECT0);
		assert_int_equal(p->u.rc.opcode, 0x81);
		assert_int_equal(p->u.rc.bth, BTH_BECN);
		assert_int_equal(p->u.rc.qpn, 77);
		assert_int_equal(p->born, at);
		assert_ptr_equal(p->hdr, pkt_own_hdr(p));
		assert_memory_equal(p->hdr, &b->hdr[1 + BOX_PORTS], sizeof(*p->hdr));
		box_put(b, p);
		e = box_event(b, EV_IQCN_TX);
		assert_true(e->t == at && e->iqcn_tx.waited_ps == 270 * US);
		assert_int_equal(e->iqcn_tx.hdr, 1 + BOX_PORTS);
		assert_int_equal(e->port, 1);
	}
	box_rx(b, 1, cnp_of(b, 1, 0, 77), T + 900 * US); // the NP again
	box_put(b, box_tx(b, 0, T + 900 * US));
	assert_null(box_tx(b, 1, T + 1080 * US)); // a stale timer moves
	assert_true(sw_deadline(b->sw, 1) == T + 1170 * US);
	calm(b, T + 1100 * US);
	assert_true(sw_deadline(b->sw, 1) == TSTAMP_NEVER);
	assert_int_equal(sw_port_stats(b->sw, 1).iqcn_rx_cnp, 2);
	assert_int_equal(sw_port_stats(b->sw, 1).iqcn_tx_cnp, 3);
	assert_int_equal(sw_class_stats(b->sw, 1, 6).originated_frames, 3);
	assert_int_equal(sw_iqcn(b->sw)->stats.rx_cnps, 2);
	box_free(b);
}

// On at 10500 bytes, still on at 7500, off at 6000; the time in between is counted.
static void heavy_congestion_has_a_hysteresis(void **state)
{
	struct box *b = iqcn_box();
	tstamp end = 0;

	(void)state;
	started(b);
	congest(b, 6, T);
	assert_false(sw_iqcn(b->sw)->port[1].heavy);
	congest(b, 1, T + US);
	assert_true(sw_iqcn(b->sw)->port[1].heavy);
	box_rx(b, 1, box_pfc(b, 1 << 3, 0), T + 2 * US);
	for (unsigned left = 7; left--;) {
		tstamp at = tstamp_max(sw_deadline(b->sw, 1), T + 2 * US);

		box_put(b, box_tx(b, 1, at));
		assert_int_equal(sw_iqcn(b->sw)->port[1].heavy, left > 4);
		end = left == 4 ? at : end;
	}
	assert_true(sw_class_stats(b->sw, 1, 3).heavy_ps == end - T - US);
	congest(b, 7, 2 * T);
	sw_account(b->sw, 2 * T + 5 * US); // and while it lasts
	assert_true(sw_class_stats(b->sw, 1, 3).heavy_ps == end - T - US + 5 * US);
	calm(b, 2 * T + 7 * US);
	box_free(b);
}

// Only the congested port's flows are served, and nothing is sent while nothing is heavy.
static void other_ports_are_left_alone(void **state)
{
	struct box *b = iqcn_box();

	(void)state;
	started(b);
	data_to(b, 1, T - US);
	data_to(b, 2, T - US);
	box_rx(b, 1, cnp_of(b, 1, 0, 1), T);
	box_rx(b, 2, cnp_of(b, 2, 0, 2), T);
	box_drain(b, 0, T + US);
	assert_true(sw_deadline(b->sw, 1) == TSTAMP_NEVER);
	assert_true(sw_deadline(b->sw, 2) == TSTAMP_NEVER);
	congest(b, 7, T + 400 * US);
	assert_true(sw_deadline(b->sw, 1) <= T + 400 * US); // overdue
	assert_null(box_tx(b, 1, T + 400 * US));
	assert_int_equal(box_drain(b, 0, T + 500 * US), 1);
	assert_true(sw_deadline(b->sw, 1) == T + 670 * US);
	assert_true(sw_deadline(b->sw, 2) == TSTAMP_NEVER);
	assert_int_equal(sw_port_stats(b->sw, 2).iqcn_rx_cnp, 1);
	assert_int_equal(sw_port_stats(b->sw, 2).iqcn_tx_cnp, 0);
	calm(b, T + 600 * US);
	box_free(b);
}

// A flow from outside has a header of its own, which may be gone when its CNP is repeated.
static void foreign_flows_are_served(void **state)
{
	struct box *b = iqcn_box();
	struct pkt *p, *q;

	(void)state;
	started(b);
	congest(b, 7, T);
	p = cnp_of(b, 1, 0, 5);
	*pkt_own_hdr(p) = *p->hdr;
	pkt_own_hdr(p)->id = 0;
	p->hdr = pkt_own_hdr(p);
	box_rx(b, 1, p, T);
	p = box_tx(b, 0, T);
	memset(pkt_own_hdr(p), 0xee, sizeof(struct hdr));
	box_put(b, p);
	assert_null(box_tx(b, 1, T + 270 * US));
	q = box_tx(b, 0, T + 270 * US);
	assert_int_equal(q->kind, PKT_CNP);
	assert_memory_equal(q->hdr->dst, b->hdr[1 + BOX_PORTS].dst, 6);
	assert_int_equal(q->cls, 6);
	box_put(b, q);
	calm(b, T + 300 * US);
	box_free(b);
}

// One CNP of host 1, then its data for 10 ms: the switch goes on. Without data it ends after 3 ms.
static void data_that_passes_keeps_a_flow(void **state)
{
	(void)state;
	for (unsigned sends = 0; sends < 2; sends++) {
		struct box *b = iqcn_box();
		unsigned cnps = 0;

		started(b);
		for (unsigned i = 0; i < BOX_PORTS * BOX_PORTS; i++) {
			b->hdr[1 + i].saddr[3] = (uint8_t)(i / BOX_PORTS + 1);
			b->hdr[1 + i].daddr[3] = (uint8_t)(i % BOX_PORTS + 1);
		}
		congest(b, 7, T);
		box_rx(b, 1, cnp_of(b, 1, 0, 77), T);
		box_put(b, box_tx(b, 0, T));
		for (unsigned ms = 1; ms <= 10; ms++) {
			// the class does not matter, the direction does
			if (sends)
				box_send(b, 0, 1, 4, 100, ms * T);
			else
				box_send(b, 1, 0, 4, 100, ms * T);
			box_drain(b, 1, ms * T + T);
			cnps += box_drain(b, 0, ms * T + T) - !sends;
		}
		assert_int_equal(cnps, sends ? 10000 / 270 : 11);
		assert_int_equal(sw_iqcn(b->sw)->flows, sends);
		sw_iqcn_tidy(b->sw, 14 * T);
		assert_int_equal(sw_iqcn(b->sw)->flows, 0);
		assert_true(sw_deadline(b->sw, 1) == TSTAMP_NEVER);
		calm(b, 15 * T);
		box_free(b);
	}
}

// The reaction of port `port` to a CNP from host 1 to host 0: recorded, or from elsewhere.
static void assert_believed(struct box *b, unsigned port, bool believed, tstamp now)
{
	const struct sw_port_stats *s = sw_port_rare_stats(b->sw, port);
	uint64_t known = s->iqcn_rx_cnp, foreign = s->iqcn_foreign_cnp;

	data_to(b, 1, now - US);
	box_rx(b, port, cnp_of(b, 1, 0, 77), now);
	assert_int_equal(s->iqcn_rx_cnp - known, believed);
	assert_int_equal(s->iqcn_foreign_cnp - foreign, !believed);
	assert_int_equal(box_drain(b, 0, now + US), 1); // it is forwarded all the same
}

// Host 1 lives at port 1 by a static entry: what another port sends in its name teaches nothing,
// and the congestion of that port brings no CNP.
static void a_forged_cnp_is_not_believed(void **state)
{
	struct box *b = iqcn_box();
	struct sw_fdb_params fdb = {.port = 1};

	(void)state;
	box_mac(fdb.mac, 1);
	b->params.fdb = &fdb;
	b->params.n_fdb = 1;
	started(b);
	assert_believed(b, 2, false, T);
	assert_int_equal(sw_iqcn(b->sw)->flows, 0);
	box_rx(b, 2, box_pfc(b, 1 << 3, 65535), T + 2 * US);
	for (unsigned i = 0; i < 7; i++)
		box_send(b, 0, 2, 3, 1496, T + 2 * US);
	assert_true(sw_iqcn(b->sw)->port[2].heavy);
	assert_true(sw_deadline(b->sw, 2) == TSTAMP_NEVER);
	assert_believed(b, 1, true, T + 10 * US);
	assert_believed(b, 2, false, T + 20 * US); // nor does it move a flow that is known
	assert_int_equal(sw_iqcn(b->sw)->port[1].flows, 1);
	box_rx(b, 2, box_pfc(b, 1 << 3, 0), T + 30 * US);
	box_drain(b, 2, T + 100 * US);
	box_free(b);
}

// A forger that writes the receiver's IP address beside a MAC address of its own lives where it
// says. But the data goes elsewhere.
static void a_receiver_is_who_gets_the_data(void **state)
{
	struct box *b = iqcn_box();
	const struct sw_port_stats *s;
	struct pkt *p;

	(void)state;
	started(b);
	s = sw_port_rare_stats(b->sw, 2);
	for (unsigned i = 0; i < BOX_PORTS * BOX_PORTS; i++) {
		b->hdr[1 + i].saddr[3] = (uint8_t)(i / BOX_PORTS + 1);
		b->hdr[1 + i].daddr[3] = (uint8_t)(i % BOX_PORTS + 1);
	}
	for (unsigned goes = 0; goes < 2; goes++) {
		tstamp now = (goes + 1) * T;

		data_to(b, 1, now);
		p = cnp_of(b, 2, 0, 77);
		*pkt_own_hdr(p) = *p->hdr;
		pkt_own_hdr(p)->id = 0;
		pkt_own_hdr(p)->saddr[3] = goes ? 3 : 2; // the receiver's, then its own
		p->hdr = pkt_own_hdr(p);
		if (goes)
			data_to(b, 2, now + 5 * US);
		box_rx(b, 2, p, now + 10 * US);
		box_drain(b, 0, now + 20 * US);
		assert_int_equal(s->iqcn_rx_cnp, goes);
		assert_int_equal(s->iqcn_foreign_cnp, 1);
	}
	// Data that has not passed for `age`, 3 ms, is none.
	box_rx(b, 2, cnp_of(b, 2, 0, 77), 6 * T);
	box_drain(b, 0, 6 * T + US);
	assert_int_equal(s->iqcn_rx_cnp, 1);
	box_free(b);
}

// A learned address is where the FDB says. A first frame teaches it; a move is believed after
// `age`, 3 ms, and every further move begins anew.
static void a_source_that_moves_is_believed_when_it_has_stayed(void **state)
{
	struct box *b = iqcn_box();

	(void)state;
	box_start(b);
	box_send(b, 0, 1, 0, 60, 0); // host 1 has not spoken yet
	for (unsigned i = 1; i < b->params.n_ports; i++)
		box_drain(b, i, US);
	assert_believed(b, 1, true, T);
	for (unsigned i = 1; i <= 4; i++)
		assert_believed(b, 2, false, T + i * 100 * US);
	box_send(b, 1, 0, 0, 60, T + 500 * US); // its own frame moves it back
	box_drain(b, 0, T + 501 * US);
	assert_believed(b, 1, false, T + 600 * US);
	assert_believed(b, 1, false, T + 3499 * US);
	assert_believed(b, 1, true, T + 3500 * US);
	assert_believed(b, 2, false, T + 3600 * US);
	assert_believed(b, 2, true, T + 6600 * US);
	box_free(b);
}

static const struct sw_ecmp_group two_ways = {.port = {1 << 1 | 1 << 2}};

// A box in which host 1 is reached by ports 1 and 2.
static struct box *two_ways_box(void)
{
	static struct sw_fdb_params fdb = {.ecmp = 1};
	struct box *b = iqcn_box();

	box_mac(fdb.mac, 1);
	b->params.fdb = &fdb;
	b->params.n_fdb = 1;
	b->params.ecmp = &two_ways;
	b->params.n_ecmp = 1;
	return b;
}

// A CNP may come by either of two equal ways, and by no other.
static void every_equal_way_is_right(void **state)
{
	struct box *b = two_ways_box();

	(void)state;
	box_start(b);
	box_send(b, 0, 1, 0, 60, 0);
	for (unsigned i = 1; i < b->params.n_ports; i++)
		box_drain(b, i, US);
	assert_believed(b, 1, true, T);
	assert_believed(b, 2, true, T + 10 * US);
	assert_believed(b, 3, false, T + 20 * US);
	box_free(b);
}

// Of the ways to host 1 by ports 1 and 2 its data takes one, and its CNPs come by the other. The
// flow is served where its data waits, unless a link of these ways has come or gone since.
static void a_flow_is_served_where_its_data_leaves(void **state)
{
	struct box *b = two_ways_box();

	(void)state;
	started(b);
	while (sw_ecmp_port(&two_ways, NULL,
		       sw_ecmp_hash(sw_ecmp_salt(1, b->params.name), &b->hdr[2])) != 1)
		b->hdr[2].sport++;
	b->hdr[1 + BOX_PORTS].sport = b->hdr[2].sport;
	sw_ctl(b->sw, &(struct ctl){.type = CTL_FDB_FLUSH, .port = 3}, 0); // ways are found anew
	congest(b, 7, T);
	box_rx(b, 2, cnp_of(b, 1, 0, 77), T);
	box_put(b, box_tx(b, 0, T));
	assert_int_equal(sw_port_stats(b->sw, 2).iqcn_rx_cnp, 1);
	assert_int_equal(sw_iqcn(b->sw)->port[1].flows, 1);
	assert_null(box_tx(b, 1, T + 270 * US));
	assert_int_equal(box_drain(b, 0, T + 271 * US), 1);
	assert_int_equal(sw_port_stats(b->sw, 1).iqcn_tx_cnp, 1);
	assert_int_equal(
		sw_ctl(b->sw, &(struct ctl){.type = CTL_LINK_DOWN, .port = 2}, T + 300 * US), 0);
	assert_null(box_tx(b, 1, T + 540 * US));
	assert_int_equal(box_drain(b, 0, T + 541 * US), 0);
	assert_int_equal(sw_iqcn(b->sw)->flows, 0);
	calm(b, T + 600 * US);
	box_free(b);
}

static void what_cannot_be_sent_is_counted(void **state)
{
	struct box *b = iqcn_box();
	struct pkt *kept[BOX_PKTS];
	unsigned n = 0;

	(void)state;
	started(b);
	congest(b, 7, T);
	box_rx(b, 1, cnp_of(b, 1, 0, 5), T);
	box_drain(b, 0, T + US);
	while ((kept[n] = pkt_get_ctl(&b->stack)))
		n++;
	assert_null(box_tx(b, 1, T + 270 * US));
	assert_int_equal(sw_port_stats(b->sw, 1).cn_no_desc, 1);
	while (n)
		pkt_put(&b->stack, kept[--n]);
	// the sender is not known any more: nowhere to send it
	assert_int_equal(
		sw_ctl(b->sw, &(struct ctl){.type = CTL_FDB_FLUSH, .port = 0}, T + 300 * US), 0);
	assert_null(box_tx(b, 1, T + 540 * US));
	assert_int_equal(box_dropped(b, 1, SW_DROP_NO_ROUTE), 1);
	// the link goes, and congestion with it
	assert_int_equal(
		sw_ctl(b->sw, &(struct ctl){.type = CTL_LINK_DOWN, .port = 1}, T + 600 * US), 0);
	assert_false(sw_iqcn(b->sw)->port[1].heavy);
	box_free(b);
}

static void what_does_not_go_together_is_refused(void **state)
{
	(void)state;
#define REFUSED(change)                                \
	do {                                           \
		struct box *b = iqcn_box();            \
                                                       \
		change;                                \
		assert_int_equal(box_try(b), -EINVAL); \
		free(b);                               \
	} while (0)
	REFUSED(b->set->cls[3].heavy_off_bytes = 10001);
	REFUSED(b->set->cls[3].heavy_bytes = 1ull << 32);
	REFUSED(b->params.iqcn.margin = 2);
	REFUSED(b->params.iqcn.entries = 0);
#undef REFUSED
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_cnps_are_made_up_for),
		cmocka_unit_test(heavy_congestion_has_a_hysteresis),
		cmocka_unit_test(other_ports_are_left_alone),
		cmocka_unit_test(foreign_flows_are_served),
		cmocka_unit_test(data_that_passes_keeps_a_flow),
		cmocka_unit_test(a_forged_cnp_is_not_believed),
		cmocka_unit_test(a_receiver_is_who_gets_the_data),
		cmocka_unit_test(a_source_that_moves_is_believed_when_it_has_stayed),
		cmocka_unit_test(every_equal_way_is_right),
		cmocka_unit_test(a_flow_is_served_where_its_data_leaves),
		cmocka_unit_test(what_cannot_be_sent_is_counted),
		cmocka_unit_test(what_does_not_go_together_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
