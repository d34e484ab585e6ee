// SPDX-License-Identifier: BSD-3-Clause
// Tests of the RDMA IP in a NIC whose limiter counts the bytes of windows of 1024 cycles.
#include "nic_rdma_ip_lab.h"

#define WINDOW (4096 * PS_PER_NS) // 1024 cycles

// Scheme 2 with windows of `rate` bytes.
static struct rdma_ip_reg_params windows(uint32_t rate)
{
	struct rdma_ip_reg_params p = ip;

	p.core.limiter = RDMA_IP_WINDOW;
	p.init.qp.rp.hw_en = 0;
	p.initial_rate = rate;
	return p;
}

static unsigned frames_until(const struct seen *s, tstamp end)
{
	unsigned n = 0;

	while (n < s->n && s->t[n] < end)
		n++;
	return n;
}

// 5120 bytes a window are 10 Gb/s: 4 or 5 frames of 1106 bytes at the line's rate, then nothing
// until it ends. Frames of SEND and WRITE count alike.
static void windows_pass_bursts(void **state)
{
	const struct rdma_ip_reg_params p = windows(5120);
	struct seen s;
	struct lab l;

	(void)state;
	for (int send = 0; send < 2; send++) {
		int64_t left = 0;

		start_as(&l, &s, &p, 1 << 20, 2, send ? RC_SEND : RC_WRITE);
		lab_run(&l, 200 * WINDOW);
		for (unsigned w = 0, n = 0; w < 199; w++) {
			unsigned first = n;

			assert_true(s.t[n] == w * WINDOW);
			for (left += 5120; left > 0; left -= n % 1024 || send ? 1106 : 1122, n++)
				assert_true(n == first || s.t[n] - s.t[n - 1] <= 1122 * 80);
			assert_int_equal(frames_until(&s, (w + 1) * WINDOW), n);
		}
		lab_end(&l);
	}
}

// Twelve queue pairs at 1.4 to 9.6 Gb/s share the wire: each has its bytes of every window.
static void windows_of_many_queue_pairs_do_not_disturb_each_other(void **state)
{
	const struct rdma_ip_reg_params p = windows(512);
	struct seen s;
	struct lab l;

	(void)state;
	start(&l, &s, &p, 1 << 20, 2);
	for (uint32_t qpn = 3; qpn <= 13; qpn++) {
		struct nic_qp_params req = lab_req(&l, qpn);

		req.rp = &s.rp;
		lab_add(&l, &req);
	}
	for (uint32_t qpn = 2; qpn <= 13; qpn++)
		assert_int_equal(reg(&l, "CC_RATE_MEM", qpn, 717 + (qpn - 2) * 381), 0);
	lab_run(&l, 5000 * WINDOW);
	for (unsigned i = 0; i < 12; i++) {
		uint64_t bytes = 5000 * (717 + i * 381ull);
		uint64_t frames = nic_qp_stats(l.nic[0], i)->data_frames_tx;

		// A RETH of 16 bytes each 1024 frames. A frame more or less.
		assert_in_range(frames * 1106 + frames / 1024 * 16, bytes - 1122, bytes + 2 * 1122);
	}
	lab_end(&l);
}

// A write acts at once; a queue pair that has waited for a window does not wait longer than it
// must.
static void windows_follow_what_is_written(void **state)
{
	const struct rdma_ip_reg_params p = windows(512);
	struct seen s;
	struct lab l;

	(void)state;
	start(&l, &s, &p, 1 << 20, 2);
	lab_run(&l, US);
	assert_int_equal(s.n, 1);
	assert_int_equal(rd(&l, "CC_BYTE_CNT_MEM", 2), 1122); // the first has a RETH
	assert_int_equal(reg(&l, "CC_RATE_MEM", 2, 3000), 0);
	lab_run(&l, US + PS_PER_US / 2);
	assert_int_equal(s.n, 3); // 1122, 2228, 3334
	assert_true(s.t[1] == US);
	assert_int_equal(reg(&l, "CC_BYTE_CNT_MEM", 2, 0), 0);
	lab_run(&l, 2 * US);
	assert_int_equal(s.n, 6);
	assert_true(s.t[3] == US + PS_PER_US / 2);
	assert_int_equal(reg(&l, "CC_BYTE_CNT_MEM", 2, 30000), 0);
	lab_run(&l, 10 * WINDOW - 1);
	assert_int_equal(s.n, 6);
	assert_int_equal(rd(&l, "CC_BYTE_CNT_MEM", 2), 3000);
	assert_int_equal(reg(&l, "speed_limiter_en", 0, 0), 0);
	lab_run(&l, 10 * WINDOW + US);
	assert_in_range(s.n, 6 + 11, 6 + 13); // at the line's rate
	lab_end(&l);
}

// The engine's rate is the credit: a CNP in a window leaves a debt, and nothing leaves until it is
// paid.
static void windows_follow_the_engine(void **state)
{
	struct rdma_ip_reg_params p = ip;
	struct seen s;
	struct lab l;
	unsigned n;

	(void)state;
	p.core.limiter = RDMA_IP_WINDOW;
	start(&l, &s, &p, 1 << 20, 2);
	lab_run(&l, 10 * WINDOW - PS_PER_NS);
	n = s.n;
	cnp(&l); // with nearly all of 51200 passed, half is left
	lab_run(&l, 11 * WINDOW - 1);
	assert_in_range(s.n, n, n + 2);
	lab_run(&l, 12 * WINDOW - 1);
	assert_in_range(s.n, n + 22, n + 26); // 25625 / 1106
	assert_true(s.t[s.n - 1] < 11 * WINDOW + 25 * 1122 * 80);
	lab_end(&l);
}

static void windows_keep_to_the_limit_of_a_queue_pair(void **state)
{
	const struct rdma_ip_reg_params p = windows(51200);
	const struct rp_cfg rp = rp_of_rdma_ip(&p);
	struct nic_qp_params req;
	struct rp_look look;
	struct seen s;
	struct lab l;

	(void)state;
	lab_init(&l);
	memset(&s, 0, sizeof(s));
	l.hook = note;
	l.arg = &s;
	lab_start(&l);
	req = lab_req(&l, 1);
	req.rp = &rp;
	req.rate_limit = 20 * RATE_GBPS; // 10240 bytes a window
	lab_add(&l, &req);
	lab_run(&l, 100 * WINDOW);
	assert_in_range(s.n, 925, 927); // 1024000 / 1106
	assert_true(nic_qp_look(l.nic[0], 0, &look));
	assert_int_equal(look.rc, 20 * RATE_GBPS);
	lab_end(&l);
}

// Between windows nothing is due, and a queue pair that waits needs no event at each end.
static void waiting_for_windows_costs_nothing(void **state)
{
	const struct rdma_ip_reg_params p = windows(1);
	struct seen s;
	struct lab l;
	uint64_t calls;

	(void)state;
	start(&l, &s, &p, 1 << 20, 2);
	lab_run(&l, US);
	calls = l.calls;
	lab_run(&l, 1122 * WINDOW - 1);
	assert_int_equal(s.n, 1);
	assert_in_range(l.calls - calls, 0, 20); // an ACK, a timeout, not 1121 windows
	lab_run(&l, 1122 * WINDOW);
	assert_int_equal(s.n, 2);
	assert_true(s.t[1] == 1122 * WINDOW);
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_pass_bursts),
		cmocka_unit_test(windows_of_many_queue_pairs_do_not_disturb_each_other),
		cmocka_unit_test(windows_follow_what_is_written),
		cmocka_unit_test(windows_follow_the_engine),
		cmocka_unit_test(windows_keep_to_the_limit_of_a_queue_pair),
		cmocka_unit_test(waiting_for_windows_costs_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
