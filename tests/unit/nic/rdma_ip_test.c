// SPDX-License-Identifier: BSD-3-Clause
// Tests of the RDMA IP in a NIC: rate, brake, mask, registers by command, interrupt, firmware.
#include "nic_rdma_ip_lab.h"

static void the_engine_paces_the_queue_pair(void **state)
{
	struct rp_look look;
	struct seen s;
	struct lab l;

	(void)state;
	start(&l, &s, &ip, 1 << 20, 2);
	lab_run(&l, 10 * US);
	// 1106 bytes on the wire at 100 Gb/s
	assert_true(s.t[50] - s.t[49] == 1106 * 80);
	cnp(&l);
	assert_int_equal(nic_stats(l.nic[0])->rp_cnp_handled, 1);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->rate_cuts, 1);
	assert_int_equal(lab_ev(&l, 0, EV_RP, 0)->reaction, RP_DECREASE);
	assert_int_equal(lab_ev(&l, 0, EV_RP, 0)->rp.rc, 25625 * 1953125ull); // half, and 1/2048
	assert_true(nic_qp_look(l.nic[0], 0, &look));
	assert_int_equal(look.rc, 25625 * 1953125ull);
	assert_int_equal(look.rt, 100 * RATE_GBPS);
	assert_int_equal(look.alpha >> 50, 1023);
	assert_int_equal(nic_qp_rp(l.nic[0], 0)->kind, RP_RDMA_IP);
	lab_run(&l, 60 * US);
	assert_in_range(s.t[200] - s.t[199], 1106 * 159, 1106 * 160);
	lab_run(&l, 66 * US); // the timer is due at 65
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->rate_cuts, 1);
	assert_true(nic_qp_look(l.nic[0], 0, &look));
	assert_int_equal(look.rc, 38412 * 1953125ull);
	lab_end(&l);
}

// 32 may be outstanding by the flow; hardware lets 8 after a CNP, and 16 from CNP_TIMER_THRD on.
static void the_brake_holds_requests_back(void **state)
{
	struct rdma_ip_reg_params off = ip;
	struct seen s;
	struct lab l;

	(void)state;
	off.init.qp.tx_wqe_ost_limit_en = 0;
	for (int limit = 0; limit < 2; limit++) {
		start(&l, &s, limit ? &ip : &off, 1024, 32);
		s.lose_acks = true;
		cnp(&l);
		lab_run(&l, 50 * US - 1);
		assert_int_equal(s.n, limit ? 8 : 32);
		lab_run(&l, 60 * US);
		assert_int_equal(s.n, limit ? 16 : 32);
		lab_run(&l, 300 * US);
		assert_int_equal(s.n, limit ? 16 : 32);
		lab_end(&l);
	}
}

static void a_masked_queue_sends_nothing(void **state)
{
	struct seen s;
	struct lab l;
	unsigned n;

	(void)state;
	start(&l, &s, &ip, 1 << 20, 2);
	lab_run(&l, 5 * US);
	assert_int_equal(reg(&l, "sq_arb_mask", 2, 1), 0);
	assert_int_equal(lab_ev(&l, 0, EV_REG, 0)->reg.address, 0x400100);
	assert_int_equal(lab_ev(&l, 0, EV_REG, 0)->reg.lsb, 1);
	n = s.n;
	lab_run(&l, 100 * US);
	assert_int_equal(s.n, n);
	assert_int_equal(reg(&l, "sq_arb_mask", 2, 0), 0);
	lab_run(&l, 105 * US);
	assert_in_range(s.n, n + 50, n + 60);
	assert_true(s.t[n] == 100 * US);
	lab_end(&l);
}

// Scheme 2: what software writes is the pace, and a gap that runs follows it.
static void software_sets_the_pace(void **state)
{
	struct rdma_ip_reg_params two = ip;
	struct seen s;
	struct lab l;

	(void)state;
	two.init.qp.rp.hw_en = 0;
	two.initial_rate = 512;
	start(&l, &s, &two, 1 << 20, 2);
	lab_run(&l, 10 * US);
	assert_int_equal(s.n, 2);
	assert_true(s.t[1] == 1122 * 8 * PS_PER_NS);
	cnp(&l);
	assert_int_equal(lab_ev(&l, 0, EV_RP, 0)->reaction, RP_CNP);
	assert_int_equal(
		reg(&l, "CC_RATE_MEM", 2, 5120), 0); // 10 Gb/s: 1.02 of 8.85 us have passed
	assert_int_equal(lab_ev(&l, 0, EV_RP, 1)->reaction, RP_WRITTEN);
	assert_int_equal(lab_ev(&l, 0, EV_RP, 1)->rp.rc, 10 * RATE_GBPS);
	lab_run(&l, 12 * US);
	assert_int_equal(s.n, 4);
	assert_in_range(s.t[2], 10782 * PS_PER_NS, 10783 * PS_PER_NS);
	assert_int_equal(reg(&l, "speed_limiter_en", 0, 0), 0); // scheme 3
	lab_run(&l, 13 * US);
	assert_in_range(s.n, 14, 16);
	assert_int_equal(nic_qp_stats(l.nic[0], 0)->rate_cuts, 0);
	lab_end(&l);
}

static void a_global_write_reaches_every_queue_pair(void **state)
{
	struct nic_qp_params req;
	struct rp_look look;
	struct seen s;
	struct lab l;

	(void)state;
	start(&l, &s, &ip, 1 << 20, 2);
	req = lab_req(&l, 1);
	req.rp = &s.rp;
	lab_add(&l, &req);
	lab_run(&l, 10 * US);
	assert_int_equal(reg(&l, "dcqcn_max_rate", 0, 5120), 0);
	for (unsigned i = 0; i < 2; i++) {
		nic_qp_look(l.nic[0], i, &look);
		assert_int_equal(look.rc, 10 * RATE_GBPS);
	}
	assert_int_equal(rd(&l, "RATE_MEM", 1), 5120 << 16 | 5120);
	lab_end(&l);
}

// Firmware reads and clears CNP_INT at each interrupt: queue pairs whose timers are due stay
// untouched, however many there are.
static void a_register_of_the_core_leaves_queue_pairs_alone(void **state)
{
	struct nic_qp_params req;
	struct seen s;
	struct lab l;
	tstamp due[2];

	(void)state;
	start(&l, &s, &ip, 1024, 1);
	req = lab_req(&l, 1);
	req.rp = &s.rp;
	req.message_bytes = 1024;
	req.count = 1;
	lab_add(&l, &req);
	lab_run(&l, US);
	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_FLOW_STOP, .id = 2}), 0);
	lab_run(&l, 10 * US);
	assert_int_equal(reg(&l, "dcqcn_dfx_qp", 0, 1), 0);
	for (unsigned i = 0; i < 2; i++) {
		lab_rx(&l, 0,
			&(struct pkt){.kind = PKT_CNP,
				.len = 74,
				.u.rc = {.opcode = 0x81, .qpn = 2 - i}});
		due[i] = rp_deadline(nic_qp_rp(l.nic[0], i));
		assert_true(due[i] < 100 * US);
	}
	lab_run(&l, 500 * US);
	rd(&l, "CNP_INT", 0);
	assert_int_equal(reg(&l, "CNP_INT", 0, 3), 0);
	assert_int_equal(rd(&l, "dcqcn_max_rate", 0), 51200);
	assert_int_equal(reg(&l, "dcqcn_max_rate", 0, 51200), 0);
	for (unsigned i = 0; i < 2; i++)
		assert_true(rp_deadline(nic_qp_rp(l.nic[0], i)) == due[i]);
	// The window is one queue pair's, a queue pair's block its own, a parameter that changes
	// everybody's.
	rd(&l, "DCQCN_DFX_CNT", 0);
	assert_true(rp_deadline(nic_qp_rp(l.nic[0], 0)) == due[0]);
	assert_true(rp_deadline(nic_qp_rp(l.nic[0], 1)) > due[1]);
	assert_int_equal(reg(&l, "dcqcn_max_rate", 0, 5120), 0);
	assert_true(rp_deadline(nic_qp_rp(l.nic[0], 0)) > due[0]);
	lab_end(&l);
}

static void what_cannot_be_is_refused(void **state)
{
	struct rp_cfg other = rp_of_rdma_ip(&ip), bad = other;
	struct nic_qp_params req;
	struct seen s;
	struct lab l;

	(void)state;
	start(&l, &s, &ip, 1 << 20, 2);
	req = lab_req(&l, 3);
	req.rp = &other; // one core, one set of registers
	assert_int_equal(nic_add_qp(l.nic[0], &req), -EINVAL);
	assert_int_equal(reg(&l, "RATE_MEM", 7, 1), -ENXIO);
	assert_int_equal(reg(&l, "dcqcn_nocnp_timer_busy", 0, 1), -EACCES);
	assert_int_equal(lab_evs(&l, 0, EV_REG), 0);
	assert_int_equal(nic_reg_read(l.nic[1], &(struct rdma_ip_place){0x200200, 0, 64},
				 &(uint64_t){0}, l.now),
		-ENXIO);
	lab_end(&l);
	bad.u.rdma_ip.core.rp.clock_hz = 1;
	lab_init(&l);
	lab_start(&l);
	req = lab_req(&l, 3);
	req.rp = &bad;
	assert_int_equal(nic_add_qp(l.nic[0], &req), -EINVAL);
	lab_end(&l);
}

static void preloads_are_written_once_or_for_each(void **state)
{
	static const struct rdma_ip_reg_preload preload[] = {
		{{0x200208, 0, 16}, 77},
		{{0x600010, 0, 64}, 500},
	};
	struct rdma_ip_reg_params p = ip;
	struct nic_qp_params req;
	struct seen s;
	struct lab l;

	(void)state;
	p.preload = preload;
	p.n_preload = 2;
	start(&l, &s, &p, 1 << 20, 2);
	assert_int_equal(rd(&l, "dcqcn_rate_ai", 0), 77);
	assert_int_equal(rd(&l, "alpha", 2), 500);
	assert_int_equal(reg(&l, "dcqcn_rate_ai", 0, 78), 0);
	req = lab_req(&l, 1);
	req.rp = &s.rp;
	lab_add(&l, &req);
	assert_int_equal(rd(&l, "dcqcn_rate_ai", 0), 78);
	assert_int_equal(rd(&l, "alpha", 1), 500);
	lab_end(&l);
}

// Software at boot waits for busy parts, and for records of queue pairs until they are there.
static void preloads_start_timers_and_windows(void **state)
{
	static const struct rdma_ip_reg_preload preload[] = {
		{{0x600008, 0, 64}, 1000},           // RATE_MEM, below max_rate
		{{0x400000, 5, 1}, 1},               // dcqcn_nocnp_timer_start
		{{0x200228, 0, 64}, 1ull << 32 | 1}, // DCQCN_DFX_CTRL
	};
	struct rdma_ip_reg_params p = ip;
	struct nic_qp_params req;
	struct seen s;
	struct lab l;

	(void)state;
	p.preload = preload;
	p.n_preload = 3;
	start(&l, &s, &p, 1 << 20, 2); // queue pair 2
	assert_false(nic_qp_rp(l.nic[0], 0)->u.rdma_ip->dfx.busy);
	req = lab_req(&l, 1);
	req.rp = &s.rp;
	lab_add(&l, &req);
	assert_true(nic_qp_rp(l.nic[0], 1)->u.rdma_ip->dfx.busy);
	for (unsigned i = 0; i < 2; i++)
		assert_true(rdma_ip_qp_deadline(nic_qp_rp(l.nic[0], i)->u.rdma_ip) == 55 * US);
	lab_end(&l);
}

// A firmware that counts, halves the rate at a CNP, and wakes every 20 us; once it asks for the
// past.
struct fw {
	struct lab *l;
	unsigned cnps, wakes;
	tstamp next, last;
	bool past;
};

static void fw_cnp(void *arg, uint32_t qpn, tstamp now)
{
	struct fw *fw = arg;
	struct rdma_ip_place p;
	uint64_t rate;

	fw->cnps++;
	assert_int_equal(qpn, 2);
	assert_int_equal(rdma_ip_reg_find(&p, "CC_RATE_MEM", qpn), 0);
	assert_int_equal(nic_reg_read(fw->l->nic[0], &p, &rate, now), 0);
	assert_int_equal(nic_reg_write(fw->l->nic[0], &p, rate / 2, now), 0);
}

static tstamp fw_deadline(void *arg)
{
	struct fw *fw = arg;

	return fw->past ? 0 : fw->next;
}

static void fw_expire(void *arg, tstamp now)
{
	struct fw *fw = arg;

	fw->wakes++;
	fw->last = now;
	fw->next = now + 20 * US;
}

static void firmware_is_called_and_acts(void **state)
{
	static const struct nic_fw_ops ops = {fw_cnp, fw_deadline, fw_expire};
	struct rdma_ip_reg_params two = ip;
	struct fw fw = {.next = 20 * US};
	struct rp_look look;
	struct seen s;
	struct lab l;

	(void)state;
	two.init.qp.rp.hw_en = 0;
	start(&l, &s, &two, 1 << 20, 2);
	fw.l = &l;
	nic_set_firmware(l.nic[0], &ops, &fw, 0);
	lab_run(&l, 10 * US);
	cnp(&l);
	assert_int_equal(fw.cnps, 0); // the interrupt is off
	assert_int_equal(lab_evs(&l, 0, EV_CNP_INT), 0);
	assert_int_equal(reg(&l, "cnp_int_en", 0, 1), 0);
	cnp(&l);
	assert_int_equal(fw.cnps, 1);
	assert_int_equal(lab_evs(&l, 0, EV_CNP_INT), 1);
	nic_qp_look(l.nic[0], 0, &look);
	assert_int_equal(look.rc, 50 * RATE_GBPS);
	lab_run(&l, 100 * US);
	assert_int_equal(fw.wakes, 5);
	assert_true(fw.last == 100 * US);
	fw.past = true;
	lab_run(&l, 130 * US); // from 120 on every microsecond
	assert_int_equal(fw.wakes, 5 + 11);
	lab_end(&l);
}

// A CNP, and later other parameters: by writes to registers, or by a list.
static void run_changed(struct seen *s, bool by_list)
{
	struct rdma_ip_reg_params to = ip;
	struct nic_qp_params p;
	struct nic_adopt *a;
	struct rp_cfg rp;
	struct lab l;

	to.init.qp.rp.rate_ai = 4000;
	to.init.qp.rp.nocnp_timer_th = 20;
	start(&l, s, &ip, 1 << 20, 2);
	lab_run(&l, 10 * US);
	cnp(&l);
	lab_run(&l, 20 * US);
	assert_int_equal(reg(&l, "dcqcn_min_rate", 0, 77), 0); // a list leaves it alone
	lab_run(&l, 25 * US);
	if (by_list) {
		p = lab_req(&l, 2);
		rp = rp_of_rdma_ip(&to);
		p.rp = &rp;
		assert_int_equal(nic_adopt_new(&a, l.nic[0]), 0);
		assert_int_equal(nic_adopt_qp(a, &p), 0);
		assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_ADOPT, .with = a}), 0);
		nic_adopt_free(a);
	} else {
		assert_int_equal(reg(&l, "dcqcn_rate_ai", 0, 4000), 0);
		assert_int_equal(reg(&l, "dcqcn_nocnp_timer_th", 0, 20), 0);
	}
	assert_int_equal(lab_evs(&l, 0, EV_REG), 3);
	assert_int_equal(rd(&l, "dcqcn_min_rate", 0), 77);
	assert_int_equal(rd(&l, "dcqcn_rate_ai", 0), 4000);
	lab_run(&l, 150 * US);
	cnp(&l);
	lab_run(&l, 500 * US);
	lab_end(&l);
}

static void a_list_is_as_good_as_writes(void **state)
{
	static struct seen written, listed;

	(void)state;
	run_changed(&written, false);
	run_changed(&listed, true);
	assert_true(written.n > 2000);
	assert_int_equal(written.n, listed.n);
	assert_memory_equal(written.t, listed.t, sizeof(written.t));
}

// Windows let pass as much as the flow's rate says, from the running window on.
static void a_list_brings_another_rate(void **state)
{
	struct rdma_ip_reg_params windows = ip;
	struct nic_qp_params p;
	struct nic_adopt *a;
	struct seen s;
	struct lab l;
	uint64_t before;

	(void)state;
	windows.core.limiter = RDMA_IP_WINDOW;
	for (unsigned w = 0; w < 2; w++) {
		start(&l, &s, w ? &windows : &ip, 1 << 20, 2);
		lab_run(&l, 10 * US);
		p = lab_req(&l, 2);
		p.rp = &s.rp;
		p.rate_limit = 20 * RATE_GBPS;
		assert_int_equal(nic_adopt_new(&a, l.nic[0]), 0);
		assert_int_equal(nic_adopt_qp(a, &p), 0);
		assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_ADOPT, .with = a}), 0);
		nic_adopt_free(a);
		lab_run(&l, 50 * US);
		before = nic_qp_stats(l.nic[0], 0)->wire_bytes_tx;
		lab_run(&l, 1050 * US);
		assert_in_range((nic_qp_stats(l.nic[0], 0)->wire_bytes_tx - before) * 1106 / 1086,
			2500000 - 5000, 2500000 + 5000);
		lab_end(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_engine_paces_the_queue_pair),
		cmocka_unit_test(the_brake_holds_requests_back),
		cmocka_unit_test(a_masked_queue_sends_nothing),
		cmocka_unit_test(software_sets_the_pace),
		cmocka_unit_test(a_global_write_reaches_every_queue_pair),
		cmocka_unit_test(a_register_of_the_core_leaves_queue_pairs_alone),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(preloads_are_written_once_or_for_each),
		cmocka_unit_test(preloads_start_timers_and_windows),
		cmocka_unit_test(firmware_is_called_and_acts),
		cmocka_unit_test(a_list_is_as_good_as_writes),
		cmocka_unit_test(a_list_brings_another_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
