// SPDX-License-Identifier: BSD-3-Clause
// Tests of the order in which a NIC sends: shares in and among classes, PFC, sources that cannot
// follow.
#include "nic_lab.h"

struct shares {
	uint64_t qp[9], cls[PKT_CLASSES], gen[8]; // bytes with FCS
	uint64_t frames, first_psn[9];
	unsigned run,
		longest_run; // generated frames of the class in a row, and the longest such row
};

static bool note(struct lab *l, unsigned from, struct pkt *p, tstamp now)
{
	struct shares *s = l->arg;

	(void)now;
	if (from)
		return true;
	s->frames++;
	s->cls[p->cls] += p->len + 4;
	if (p->kind == PKT_DATA)
		s->qp[p->u.rc.qpn] += p->len + 4;
	if (p->kind == PKT_GEN)
		s->gen[p->u.gen.source] += p->len + 4;
	s->run = p->kind == PKT_GEN ? s->run + 1 : 0;
	s->longest_run = s->run > s->longest_run ? s->run : s->longest_run;
	return true;
}

static void init(struct lab *l, struct shares *s)
{
	memset(s, 0, sizeof(*s));
	lab_init(l);
	l->hook = note;
	l->arg = s;
}

static void add(struct lab *l, uint32_t qpn, uint8_t cls)
{
	struct nic_qp_params p = lab_req(l, qpn);

	p.cls = cls;
	p.outstanding = 4;
	lab_add(l, &p);
}

static struct gen_params source(const struct lab *l, uint32_t n, uint8_t cls, rate_t rate)
{
	return (struct gen_params){.source = n,
		.hdr = &l->data_hdr,
		.cls = cls,
		.min_len = 1496,
		.max_len = 1496,
		.rate = rate,
		.burst = 1,
		.stop = TSTAMP_NEVER,
		.name = "g"};
}

static void near(uint64_t a, uint64_t b, uint64_t within)
{
	assert_in_range(a, b - within, b + within);
}

// Eight queue pairs at line rate in one class take turns: equal within two frames.
static void round_robin(void **state)
{
	(void)state;

	struct lab l;
	struct shares s;

	init(&l, &s);
	lab_start(&l);
	for (uint32_t q = 1; q <= 8; q++)
		add(&l, q, 3);
	lab_run(&l, PS_PER_MS);
	for (uint32_t q = 2; q <= 8; q++)
		near(s.qp[q], s.qp[1], 2 * 1102);
	assert_true(s.qp[1] * 8 > 12000000); // 12.5 MB less framing
	lab_end(&l);
}

// DWRR 3:1 between classes 3 and 1, both of queue pairs, a strict class 5 above them paced at a
// tenth.
static void weights_and_strict(void **state)
{
	(void)state;

	struct lab l;
	struct shares s;

	init(&l, &s);
	l.p[0].strict = 1 << 5 | 1 << 6;
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		l.p[0].weight[c] = c == 3 ? 75 : 25; // a round is 4 * 4304 bytes
	lab_start(&l);
	add(&l, 1, 3);
	add(&l, 2, 1);
	add(&l, 3, 1);

	struct nic_qp_params p = lab_req(&l, 4);

	p.cls = 5;
	p.rate_limit = 10 * RATE_GBPS;
	lab_add(&l, &p);
	lab_run(&l, PS_PER_MS);
	near(s.qp[4], 1250000 * 1086 / 1106, 5000);
	near(s.qp[1], 3 * (s.qp[2] + s.qp[3]), 6 * 4304);
	near(s.qp[2], s.qp[3], 3 * 1102);
	lab_end(&l);
}

// A queue pair and an open-loop source in one class, both able to fill the link: half the bytes
// each.
static void bytes_alternate_in_class(void **state)
{
	(void)state;

	struct lab l;
	struct shares s;

	init(&l, &s);
	lab_start(&l);
	add(&l, 1, 3);

	struct gen_params g = source(&l, 0, 3, 100 * RATE_GBPS);

	assert_int_equal(nic_add_gen(l.nic[0], &g), 0);
	lab_run(&l, PS_PER_MS);
	near(s.qp[1], s.gen[0], 2 * 1500);
	assert_int_equal(s.longest_run, 1);
	lab_end(&l);
}

// The same across classes: made and queued frames are one DWRR.
static void queued_and_made_share(void **state)
{
	(void)state;

	struct lab l;
	struct shares s;

	init(&l, &s);
	l.p[0].weight[3] = 2; // the others 1
	lab_start(&l);
	add(&l, 1, 3);

	struct gen_params g = source(&l, 0, 1, 100 * RATE_GBPS);

	assert_int_equal(nic_add_gen(l.nic[0], &g), 0);
	lab_run(&l, PS_PER_MS);
	near(s.qp[1], 2 * s.gen[0], 3 * 4304);
	lab_end(&l);
}

// A pause stops its class and no other.
static void pause_stops_one_class(void **state)
{
	(void)state;

	struct lab l;
	struct shares s;

	init(&l, &s);
	lab_start(&l);
	add(&l, 1, 3);
	add(&l, 2, 1);
	lab_run(&l, 100 * PS_PER_US);

	uint64_t paused = s.cls[3], other = s.cls[1];

	near(paused, other, 2 * 4304);
	lab_rx(&l, 0,
		&(struct pkt){.kind = PKT_PFC,
			.len = 60,
			.u.pfc = {.enable = 1 << 3, .quanta = {0, 0, 0, 65535}}});
	lab_run(&l, 200 * PS_PER_US);
	assert_int_equal(s.cls[3], paused);
	near(s.cls[1] - other, 1250000 * 1086 / 1106, 5000);
	lab_end(&l);
}

// A source of 40 Gb/s on a link of 10: the class holds 64 of its frames, the rest of its schedule
// is given up; the sequence has no hole.
static void source_slips(void **state)
{
	(void)state;

	struct lab l;
	struct shares s;

	init(&l, &s);
	l.p[0].rate = 10 * RATE_GBPS;
	lab_start(&l);

	struct gen_params g = source(&l, 2, 1, 40 * RATE_GBPS);

	assert_int_equal(nic_add_gen(l.nic[0], &g), 0);
	lab_run(&l, PS_PER_MS);
	assert_in_range(nic_eport(l.nic[0])->q[1].frames, 63, 64);
	near(s.gen[2], 1250000 * 1500 / 1520, 1500);
	// scheduled for sent + 64 queued: a quarter of the time; slipped is the rest
	near(nic_gen(l.nic[0], 0)->slipped_ps, PS_PER_MS * 3 / 4 - 64 * 1520 * 200, 4 * 1520 * 800);
	assert_int_equal(nic_gen_stats(l.nic[1], 2)->lost, 0);
	assert_int_equal(nic_stats(l.nic[0])->gen_tx_frames, s.frames);
	lab_end(&l);
}

// Two sources that overload one class are served in turn.
static void parked_sources_take_turns(void **state)
{
	(void)state;

	struct lab l;
	struct shares s;

	init(&l, &s);
	l.p[0].rate = 10 * RATE_GBPS;
	lab_start(&l);
	for (uint32_t i = 0; i < 3; i++) {
		struct gen_params g = source(&l, i, 1, (10 + 20 * i) * RATE_GBPS);

		assert_int_equal(nic_add_gen(l.nic[0], &g), 0);
	}
	lab_run(&l, 10 * PS_PER_MS);
	near(s.gen[1], s.gen[2], 64 * 1500);
	near(s.gen[0], s.gen[2], 64 * 1500);
	lab_end(&l);
}

// A burst is longer than the class holds: it is sent whole, back to back, and nothing slips.
static void burst_goes_whole(void **state)
{
	(void)state;

	struct lab l;
	struct shares s;

	init(&l, &s);
	lab_start(&l);

	struct gen_params g = source(&l, 0, 1, 10 * RATE_GBPS);

	g.burst = 200;
	assert_int_equal(nic_add_gen(l.nic[0], &g), 0);
	lab_run(&l, 200 * 1520 * 80 - 1); // at the line's rate
	assert_int_equal(s.frames, 200);
	lab_run(&l, 200 * 1520 * 800 - 1); // the next one at the mean rate
	assert_int_equal(s.frames, 200);
	lab_run(&l, 200 * 1520 * 800);
	assert_int_equal(s.frames, 201);
	assert_int_equal(nic_gen(l.nic[0], 0)->slipped_ps, 0);
	lab_end(&l);
}

static void source_start_and_stop(void **state)
{
	(void)state;

	struct lab l;
	struct shares s;

	init(&l, &s);
	lab_start(&l);

	struct gen_params g = source(&l, 4, 1, 10 * RATE_GBPS);

	g.start = TSTAMP_NEVER;
	assert_int_equal(nic_add_gen(l.nic[0], &g), 0);
	lab_run(&l, PS_PER_MS);
	assert_int_equal(s.frames, 0);
	assert_int_equal(
		lab_ctl(&l, 0, (struct ctl){.type = CTL_FLOW_START, .id = CTL_SOURCE | 4}), 0);
	lab_run(&l, 2 * PS_PER_MS);
	assert_int_equal(
		lab_ctl(&l, 0, (struct ctl){.type = CTL_FLOW_STOP, .id = CTL_SOURCE | 4}), 0);
	assert_int_equal(s.frames, PS_PER_MS / (1520 * 800) + 1);
	lab_run(&l, 3 * PS_PER_MS);
	assert_int_equal(s.frames, PS_PER_MS / (1520 * 800) + 1);
	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_FLOW_START, .id = CTL_SOURCE | 5}),
		-ENOENT);
	lab_end(&l);
}

// No descriptor but the reserve: queued frames still leave, made ones wait, the deadline moves on.
static void no_descriptor(void **state)
{
	(void)state;

	struct lab l;
	struct shares s;
	struct pkt *burst[4];

	init(&l, &s);
	lab_start(&l);

	struct gen_params g = source(&l, 0, 1, 100 * RATE_GBPS);

	assert_int_equal(nic_add_gen(l.nic[0], &g), 0);
	lab_run(&l, 5 * PS_PER_US);
	add(&l, 1, 1);

	uint32_t n = l.stack.n;

	for (unsigned i = 0; i < 10; i++) {
		l.stack.n = l.stack.reserve;
		l.now = tstamp_max(l.now, nic_deadline(l.nic[0], 0));
		assert_int_equal(nic_tx(l.nic[0], 0, burst, 4, l.now), 0);
		assert_true(nic_deadline(l.nic[0], 0) > l.now);
		assert_true(nic_deadline(l.nic[0], 0) <= l.now + (4300 + 24) * 80);
	}
	l.stack.n = n;
	lab_run(&l, l.now + 5 * PS_PER_US);
	assert_true(s.qp[1] > 10000);
	assert_true(s.gen[0] > 10000);
	lab_end(&l);
}

// Real time: within the tolerance a poll that comes late sends what the wire could have carried,
// for each queue pair what its rate allows.
static void tolerance_makes_up(void **state)
{
	(void)state;

	struct lab l;
	struct shares s;
	struct pkt *burst[32];
	uint64_t n = 0;

	init(&l, &s);
	l.p[0].tolerance_ps = 5 * PS_PER_US;
	lab_start(&l);

	struct nic_qp_params p = lab_req(&l, 1);

	p.rate_limit = 40 * RATE_GBPS;
	p.outstanding = 64;
	p.catch_up_ps = 5 * PS_PER_US;
	lab_add(&l, &p);
	for (tstamp t = 0; t < 100 * PS_PER_US; t += PS_PER_US) {
		unsigned k = nic_tx(l.nic[0], 0, burst, 32, t);

		for (unsigned i = 0; i < k; i++)
			pkt_put(&l.stack, burst[i]);
		n += k;
	}
	near(n * 1106 * 200, 100 * PS_PER_US, 6 * PS_PER_US);
	lab_end(&l);
}

static void pfc_class3(struct lab *l, uint16_t quanta)
{
	lab_rx(l, 0,
		&(struct pkt){.kind = PKT_PFC,
			.len = 60,
			.u.pfc = {.enable = 1 << 3, .quanta = {0, 0, 0, quanta}}});
}

// Idle wire is lost only where frames could have gone: not in a pause, whichever way it ends,
// though another class sends meanwhile.
static void lost_wire_time(void **state)
{
	(void)state;

	struct lab l;
	struct shares s;

	init(&l, &s);
	lab_start(&l);
	add(&l, 1, 3);

	struct gen_params g = source(&l, 0, 1, RATE_GBPS);

	assert_int_equal(nic_add_gen(l.nic[0], &g), 0);
	lab_run(&l, 100 * PS_PER_US);
	pfc_class3(&l, 10000);
	lab_run(&l, 200 * PS_PER_US);
	pfc_class3(&l, 65535);
	lab_run(&l, 260 * PS_PER_US);
	pfc_class3(&l, 0);
	lab_run(&l, 300 * PS_PER_US);
	assert_int_equal(nic_eport(l.nic[0])->lost_ps, 0);

	// A poll that comes 10 us late.
	struct pkt *p;
	tstamp late = nic_deadline(l.nic[0], 0) + 10 * PS_PER_US;

	assert_int_equal(nic_tx(l.nic[0], 0, &p, 1, late), 1);
	pkt_put(&l.stack, p);
	assert_int_equal(nic_eport(l.nic[0])->lost_ps, 10 * PS_PER_US);
	lab_end(&l);
}

// Frames that a source could not send without a link are given up.
static void source_without_link(void **state)
{
	(void)state;

	struct lab l;
	struct shares s;

	init(&l, &s);
	lab_start(&l);

	struct gen_params g = source(&l, 0, 1, 10 * RATE_GBPS);

	assert_int_equal(nic_add_gen(l.nic[0], &g), 0);
	lab_run(&l, 1216 * PS_PER_NS);
	assert_int_equal(s.frames, 2);
	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_LINK_DOWN}), 0);
	lab_run(&l, 50 * PS_PER_US);
	assert_int_equal(lab_ctl(&l, 0, (struct ctl){.type = CTL_LINK_UP}), 0);
	lab_run(&l, 50 * PS_PER_US + 1215 * PS_PER_NS);
	assert_int_equal(s.frames, 3);
	assert_int_equal(nic_gen(l.nic[0], 0)->slipped_ps, 50 * PS_PER_US - 2 * 1216 * PS_PER_NS);
	lab_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_robin),
		cmocka_unit_test(weights_and_strict),
		cmocka_unit_test(bytes_alternate_in_class),
		cmocka_unit_test(queued_and_made_share),
		cmocka_unit_test(pause_stops_one_class),
		cmocka_unit_test(source_slips),
		cmocka_unit_test(parked_sources_take_turns),
		cmocka_unit_test(burst_goes_whole),
		cmocka_unit_test(source_start_and_stop),
		cmocka_unit_test(no_descriptor),
		cmocka_unit_test(tolerance_makes_up),
		cmocka_unit_test(lost_wire_time),
		cmocka_unit_test(source_without_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
