// SPDX-License-Identifier: BSD-3-Clause
// NICs that share a wire: together they send what it carries, each its part, and one alone all.
#include "nic_lab.h"

#define RUN (200 * PS_PER_US)

static uint64_t sent[2]; // wire time, ps
static struct pkt *taken[64];

// Both are asked in turn, as two loops would, `step` apart, and their frames are freed.
static void asked(struct lab *l, tstamp until, tstamp step)
{
	for (tstamp now = l->now; now < until; now += step)
		for (unsigned i = 0; i < 2; i++) {
			unsigned n;

			if (nic_deadline(l->nic[i], 0) > now)
				continue;
			n = nic_tx(l->nic[i], 0, taken, 32, now);
			if (n < 32)
				assert_true(nic_deadline(l->nic[i], 0) > now);
			for (unsigned k = 0; k < n; k++) {
				sent[i] += (taken[k]->len + 24) * 80ull;
				pkt_put(&l->stack, taken[k]);
			}
		}
	l->now = until;
}

static struct gen_params source(const struct hdr *hdr, rate_t rate)
{
	return (struct gen_params){.source = 1,
		.hdr = hdr,
		.cls = 3,
		.min_len = 200,
		.max_len = 1496,
		.rate = rate,
		.burst = 1,
		.stop = TSTAMP_NEVER,
		.name = "g"};
}

static void begun(struct lab *l, struct eport_wire *w, tstamp tolerance, const rate_t rate[2])
{
	lab_init(l);
	sent[0] = sent[1] = 0;
	*w = (struct eport_wire){0};
	l->p[0].tolerance_ps = l->p[1].tolerance_ps = tolerance;
	lab_start(l);
	for (unsigned i = 0; i < 2; i++) {
		const struct gen_params g = source(i ? &l->back_hdr : &l->data_hdr, rate[i]);

		nic_share_wire(l->nic[i], w, i);
		assert_int_equal(nic_add_gen(l->nic[i], &g), 0);
	}
}

static void both_fill_the_wire(void **state)
{
	const tstamp tolerance[] = {0, PS_PER_US, 20 * PS_PER_US};
	const rate_t line[2] = {100 * RATE_GBPS, 100 * RATE_GBPS};
	struct eport_wire w;
	struct lab l;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		begun(&l, &w, tolerance[i], line);
		asked(&l, RUN, (tolerance[i] ? 40 : 5) * PS_PER_NS);
		assert_true(sent[0] + sent[1] <= RUN + tolerance[i] + 400 * PS_PER_NS);
		assert_true(sent[0] + sent[1] > RUN - RUN / 5);
		assert_true(sent[0] > RUN / 4 && sent[1] > RUN / 4);
		lab_end(&l);
	}
}

static void one_has_what_the_other_leaves(void **state)
{
	const rate_t rate[2] = {100 * RATE_GBPS, 10 * RATE_GBPS};
	struct eport_wire w;
	struct lab l;

	(void)state;
	begun(&l, &w, 5 * PS_PER_US, rate);
	asked(&l, RUN, 40 * PS_PER_NS);
	assert_true(sent[1] > RUN / 10 - RUN / 50 && sent[1] < RUN / 10 + RUN / 50);
	assert_true(sent[0] + sent[1] <= RUN + 6 * PS_PER_US);
	assert_true(sent[0] > RUN * 8 / 10);
	lab_end(&l);
}

// A wire that nobody uses is lost where a frame waited for it.
static void a_late_loop_gives_wire_time_up(void **state)
{
	const rate_t line[2] = {100 * RATE_GBPS, 100 * RATE_GBPS};
	struct eport_wire w;
	struct lab l;

	(void)state;
	begun(&l, &w, 0, line);
	asked(&l, RUN, 40 * PS_PER_NS);
	l.now = 2 * RUN;
	asked(&l, 3 * RUN, 40 * PS_PER_NS);
	assert_true(nic_eport(l.nic[0])->lost_ps + nic_eport(l.nic[1])->lost_ps > RUN / 2);
	lab_end(&l);
}

// All of a wire's time is a frame's or idle, also where a NIC is asked and has nothing to send.
static void wire_time_is_sent_or_idle(void **state)
{
	const rate_t rate[2] = {RATE_GBPS, 2 * RATE_GBPS};
	struct eport_wire w;
	struct lab l;

	(void)state;
	begun(&l, &w, 0, rate);
	for (unsigned k = 0; k < 10000; k++) {
		asked(&l, l.now + 20 * PS_PER_NS, 20 * PS_PER_NS);
		if (nic_deadline(l.nic[k % 2], 0) > l.now)
			assert_int_equal(nic_tx(l.nic[k % 2], 0, taken, 1, l.now), 0);
	}
	assert_true(sent[0] > RUN / 200 && sent[1] > RUN / 100);
	assert_int_equal(
		sent[0] + sent[1] + nic_eport(l.nic[0])->idle_ps + nic_eport(l.nic[1])->idle_ps,
		tstamp_max(nic_eport(l.nic[0])->tat, nic_eport(l.nic[1])->tat));
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_time_is_sent_or_idle),
		cmocka_unit_test(both_fill_the_wire),
		cmocka_unit_test(one_has_what_the_other_leaves),
		cmocka_unit_test(a_late_loop_gives_wire_time_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
