// SPDX-License-Identifier: BSD-3-Clause
// Ideal completion times: by hand, against a model that sends frame by frame, and against runs.
#include "record_lab.h"

#include <inttypes.h>
#include <math.h>

#include "algo/pacer.h"
#include "base/prng.h"
#include "world/world.h"
#include "rounds.h"

// h1 - s1 - s2 - r; the middle link is slower.
static const char chain[] = "name: chain\n"
			    "duration: 1ms\n"
			    "switches:\n"
			    "  s1: {latency: 500ns, classes: {3: {lossless: true}}}\n"
			    "  s2: {classes: {3: {lossless: true}}}\n"
			    "hosts: {h1: {}, r: {}}\n"
			    "links:\n"
			    "  - {between: [h1, s1], rate: 100Gbps, delay: 1us}\n"
			    "  - {between: [s1, s2], rate: 40Gbps, delay: 2us}\n"
			    "  - {between: [s2, r], rate: 100Gbps, delay: 3us}\n"
			    "flows:\n"
			    "  one: {from: h1, to: r, class: 3, message: 10000B, mtu: 1024}\n";

static struct lab l;
static struct route there, back;
static const struct scene_flow *flow;

static void find(const struct scene *s, const struct scene_flow *f)
{
	struct routes *routes = routes_new(s);

	assert_int_equal(route_find(&there, routes, f->from, f->to, &f->hdr_data), 0);
	assert_int_equal(route_find(&back, routes, f->to, f->from, &f->hdr_ack), 0);
	routes_free(routes);
	flow = f;
}

static void load(const char *text, const struct scene_set *set, unsigned n)
{
	struct scene_opts so = {.set = set, .n_set = n};

	lab_open(&l, text);
	if (compile_scene(&l.scene, l.file, &so, &l.err))
		fail_msg("%s\n%s", l.err.text, text);
	find(l.scene, l.scene->flow[0]);
}

static tstamp ideal_of(uint64_t bytes)
{
	tstamp travel = ideal_travel(l.scene, &there) + ideal_travel(l.scene, &back);
	struct ideal d;

	ideal_init(&d, l.scene, flow, &there, &back);
	return ideal_completion(&d, travel, bytes);
}

// 10000 bytes: nine packets of 1024 and one of 784. On the wire 58 + 24 bytes each besides, the
// first 16 more.
static void by_hand(void **state)
{
	const uint64_t whole = 10000 + 10 * (58 + 24) + 16, last = 784 + 58 + 24, ack = 62 + 24;
	const uint64_t first = 1024 + 58 + 24 + 16;
	const tstamp slow = 200, fast = 80;                  // ps a byte
	tstamp want = 2 * (6 * PS_PER_US + 500 * PS_PER_NS); // both ways

	(void)state;
	load(chain, NULL, 0);
	want += first * fast + whole * slow + last * fast;
	want += ack * (slow + 2 * fast);
	assert_int_equal(ideal_of(10000), want);
	// One packet: it is the first and the last.
	want = 2 * (6 * PS_PER_US + 500 * PS_PER_NS) + (100 + 82 + 16) * (slow + 2 * fast) +
	       ack * (slow + 2 * fast);
	assert_int_equal(ideal_of(100), want);
	lab_close(&l);
}

// The last frame has one byte of payload: on each hop it waits for the full frame before it.
static void a_short_frame_behind_a_full_one(void **state)
{
	const tstamp full = (4096 + 58 + 16 + 24) * 800, last = (4 + 58 + 24) * 800,
		     ack = (62 + 24) * 800;
	char text[1024];

	(void)state;
	snprintf(text, sizeof(text),
		"duration: 1ms\nswitches: {s1..4: }\nhosts: {a: , b: }\n"
		"links:\n"
		"  - {between: [a, s1], rate: 10Gbps, delay: 100ns}\n"
		"  - {between: [s1, s2], rate: 10Gbps, delay: 100ns}\n"
		"  - {between: [s2, s3], rate: 10Gbps, delay: 100ns}\n"
		"  - {between: [s3, s4], rate: 10Gbps, delay: 100ns}\n"
		"  - {between: [s4, b], rate: 10Gbps, delay: 100ns}\n"
		"flows: {f: {from: a, to: b, message: 4097, mtu: 4096}}\n");
	load(text, NULL, 0);
	assert_int_equal(ideal_of(4097), 5 * full + last + 5 * ack + 10 * 100 * PS_PER_NS);
	lab_close(&l);
}

#define TEXT 8192

// A random scene with one flow of one message. Between the outer of four switches or more are two
// branches: data take one and ACKs the other.
struct drawn {
	struct prng r;
	char text[TEXT];
	size_t at;
	bool sim, tagged;
};

static void put(struct drawn *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct drawn *d, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	d->at += (size_t)vsnprintf(d->text + d->at, TEXT - d->at, format, ap);
	va_end(ap);
	assert_true(d->at < TEXT);
}

static unsigned below(struct drawn *d, unsigned n)
{
	return (unsigned)prng_below(&d->r, n);
}

static unsigned mbps(struct drawn *d)
{
	static const unsigned usual[] = {1000, 10000, 25000, 40000, 50000, 100000, 200000, 400000};

	return below(d, 2) ? usual[below(d, 8)] : 1000 + below(d, 399001);
}

static void put_link(struct drawn *d, const char *from, const char *to)
{
	put(d, "  - {between: [%s, %s], rate: %uMbps, delay: %ups}\n", from, to, mbps(d),
		below(d, 3000000));
}

static void put_switch(struct drawn *d, const char *name, const char *more)
{
	put(d, "  %s: {buffer: 64MB, latency: %ups, shards: %u, ", name,
		below(d, 2) ? below(d, 1000000) : 0, below(d, 4) ? 1 : 2);
	put(d, "classes: {3: {lossless: true}}%s}\n", more);
}

// Frames for host number `host` leave the switch by the branch that begins with `next`.
static void put_edge(struct drawn *d, const char *name, unsigned host, const char *next)
{
	char fdb[96] = "";

	if (next)
		snprintf(fdb, sizeof(fdb), ", fdb: [{mac: \"02:00:00:00:00:%02x\", port: %s:%s%s}]",
			host, name, next, d->tagged ? ", vlan: 7" : "");
	put_switch(d, name, fdb);
}

static void put_branch(struct drawn *d, char branch, unsigned n)
{
	char from[16] = "s1", to[16];

	for (unsigned i = 1; i <= n; i++) {
		snprintf(to, sizeof(to), "%c%u", branch, i);
		put_link(d, from, to);
		memcpy(from, to, sizeof(from));
	}
	put_link(d, from, "s2");
}

static void put_flow(struct drawn *d)
{
	static const char *const verb[] = {"write", "send", "write_imm", "send_imm", "read"};
	unsigned mtu = d->sim ? 1 + below(d, 4096) : 256u << below(d, 5);
	unsigned bytes = below(d, 2) ? below(d, 4 * mtu) : below(d, 60 * mtu);

	if (!below(d, 4))
		bytes = mtu * below(d, 8) + below(d, 3);
	put(d,
		"flows: {f: {from: h, to: r, class: 3, verb: %s, mtu: %u, message: %u, "
		"ack_every: %u, count: 1, rto: none%s}}\n",
		verb[below(d, d->sim ? 4 : 5)], mtu, bytes, below(d, 2) ? 1 : 1 + below(d, 16),
		d->tagged ? ", vlan: 7" : "");
}

static void draw(struct drawn *d, uint64_t seed)
{
	unsigned n, branch;
	char name[16];

	memset(d, 0, sizeof(*d));
	prng_init(&d->r, seed, "ideal");
	n = below(d, 7);
	branch = n < 3 ? 0 : n - 2;
	d->sim = !below(d, 4);
	d->tagged = !d->sim && below(d, 2);
	put(d, "duration: 20ms\nframing: %s\nswitches:%s\n", d->sim ? "hpcc_sim" : "ethernet",
		n ? "" : " {}");
	if (n)
		put_edge(d, "s1", 2, branch ? "a1" : NULL);
	snprintf(name, sizeof(name), "b%u", branch);
	if (n > 1)
		put_edge(d, "s2", 1, branch ? name : NULL);
	for (unsigned i = 0; i < 2 * branch; i++) {
		snprintf(name, sizeof(name), "%c%u", i % 2 ? 'b' : 'a', i / 2 + 1);
		put_switch(d, name, "");
	}
	if (!d->sim && below(d, 3) == 0)
		put(d, "hosts: {h: {ip: \"fd00::1\"}, r: {ip: \"fd00::2\"}}\nlinks:\n");
	else
		put(d, "hosts: {h: , r: }\nlinks:\n");
	put_link(d, "h", n ? "s1" : "r");
	if (n == 2 || branch)
		put_branch(d, 'a', branch);
	if (branch)
		put_branch(d, 'b', branch);
	if (n)
		put_link(d, "r", n > 1 ? "s2" : "s1");
	put_flow(d);
}

// Length of frame `i` of `n`, from the formats: Ethernet 14, IP 20 or 40, UDP 8, BTH 12, ICRC 4.
static uint32_t frame_len(
	const struct scene *s, const struct scene_flow *f, uint64_t i, uint64_t n, uint32_t payload)
{
	enum rc_verb verb = f->rc->p.verb;
	bool imm = verb == RC_WRITE_IMM || verb == RC_SEND_IMM;
	uint32_t len = (f->hdr_data.flags & HDR_IPV6 ? 78 : 58) +
		       (f->hdr_data.flags & HDR_VLAN ? 4 : 0) + (payload + 3) / 4 * 4;

	if (s->hpcc_sim)
		return 48 + payload;
	if (!i && (verb == RC_WRITE || verb == RC_WRITE_IMM))
		len += 16;
	if (verb == RC_READ ? !i || i == n - 1 : imm && i == n - 1)
		len += 4;
	return len < 60 ? 60 : len;
}

static uint32_t ack_len(const struct scene *s, const struct scene_flow *f)
{
	uint32_t len =
		(f->hdr_ack.flags & HDR_IPV6 ? 78 : 58) + (f->hdr_ack.flags & HDR_VLAN ? 4 : 0);

	return s->hpcc_sim ? 60 : len + (f->rc->p.verb == RC_READ ? 16 : 4);
}

// A frame that stands at the beginning of a way at `at`: when it is at its end. `free` is when each
// link is free of the frames before it.
static tstamp pass(
	const struct scene *s, const struct route *r, tstamp *free, uint32_t len, tstamp at)
{
	for (unsigned i = 0; i < r->n; i++) {
		const struct scene_port *p = route_port(s, &r->hop[i]);
		tstamp wire = s->hpcc_sim ? rate_simulator_time(p->rate, len)
					  : rate_time(rate_byte_ps(p->rate), len + 24);

		free[i] = tstamp_max(free[i], at) + wire;
		at = free[i] + p->delay + s->node[r->hop[i].node].latency;
		if (i + 1 < r->n && s->node[p->peer_node].u.sw.shards == 2 &&
			(p->peer_port ^ r->hop[i + 1].port) & 1)
			at += 200 * PS_PER_NS;
	}
	return at;
}

// Every frame over every hop, as the nodes send them.
static tstamp model(const struct scene *s, const struct scene_flow *f, uint32_t bytes)
{
	tstamp data[ROUTE_HOPS] = {0}, acks[ROUTE_HOPS] = {0}, end = 0;
	uint32_t mtu = f->rc->p.mtu, n = bytes ? (bytes + mtu - 1) / mtu : 1;
	rate_t rate = route_port(s, &there.hop[0])->rate;
	struct pacer gap;

	pacer_init(&gap, rate);
	if (f->rc->p.verb == RC_READ)
		gap.next = pass(s, &back, acks, ack_len(s, f), 0);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t len = frame_len(s, f, i, n, i < n - 1 ? mtu : bytes - i * mtu);

		end = pass(s, &there, data, len, gap.next);
		if (s->hpcc_sim)
			gap.next += rate_simulator_time(rate, len);
		else
			pacer_sent(&gap, len + 24);
		if (f->rc->p.verb != RC_READ && (i == n - 1 || !((i + 1) % f->rc->ack_every)))
			end = pass(s, &back, acks, ack_len(s, f), end);
	}
	return end;
}

// Ways whose links have any rate and delay, in each direction.
static void change_ways(struct drawn *d, struct scene *s)
{
	const struct route *way[] = {&there, &back};

	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < way[i]->n; k++) {
			const struct route_hop *h = &way[i]->hop[k];
			struct scene_port *p = &s->node[h->node].port[h->port];

			p->rate = (rate_t)mbps(d) * RATE_MBPS;
			if (!below(d, 4))
				p->rate = RATE_MBPS + prng_below(&d->r, 800 * RATE_GBPS);
			p->delay = below(d, 5000000);
		}
}

static uint64_t first_seed(uint64_t usual)
{
	const char *env = getenv("QUENCH_SEED");

	return env ? strtoull(env, NULL, 10) : usual;
}

static void as_frame_by_frame(void **state)
{
	uint64_t seed = first_seed(1), end = seed + (getenv("QUENCH_SEED") ? 1 : rounds_of(100));
	struct drawn d;

	(void)state;
	for (; seed < end; seed++) {
		draw(&d, seed);
		load(d.text, NULL, 0);
		for (unsigned i = 0; i < 30; i++) {
			uint32_t mtu = flow->rc->p.mtu,
				 bytes = i ? below(&d, (1 + below(&d, 200)) * mtu)
					   : flow->req.message_bytes;
			tstamp want = model(l.scene, flow, bytes), is = ideal_of(bytes);

			if (is != want) {
				fputs(d.text, stderr);
				fail_msg("QUENCH_SEED=%" PRIu64 ", change %u, %u bytes: %" PRIu64
					 " ps, not %" PRIu64,
					seed, i, bytes, is, want);
			}
			change_ways(&d, l.scene);
		}
		lab_close(&l);
	}
}

// Runs the scene and fails unless its only message took the ideal time.
static void runs_ideally(const char *text, uint64_t seed)
{
	struct vt_opts o = {.record = {.no_files = true}};
	tstamp is = ideal_of(flow->req.message_bytes);
	double slowdown, us;
	char path[128];

	assert_int_equal(vt_run(l.scene, &o, &l.rec, &l.err), 0);
	snprintf(path, sizeof(path), "flow.%s.flow_completion_time", flow->name);
	us = report_value(l.rec, path);
	slowdown = report_value(l.rec, "total.slowdown_max");
	if (is != (tstamp)llround(us * 1e6) || slowdown != 1) {
		fputs(text, stderr);
		fail_msg("QUENCH_SEED=%" PRIu64 ": ideal %" PRIu64
			 " ps, the run took %f us, slowdown %f",
			seed, is, us, slowdown);
	}
}

static void as_a_run_of_the_message_alone(void **state)
{
	uint64_t seed = first_seed(1000), end = seed + (getenv("QUENCH_SEED") ? 1 : rounds_of(80));
	struct drawn d;

	(void)state;
	for (; seed < end; seed++) {
		draw(&d, seed);
		load(d.text, NULL, 0);
		runs_ideally(d.text, seed);
		lab_close(&l);
	}
}

// A CN-TAG is on the wire until a port strips it.
static void as_a_run_with_a_tag_that_is_stripped(void **state)
{
	const struct scene_set set[] = {{"controls.q", "{qcn: {cn_tag: true}}"},
		{"flows.one.control", "q"}, {"switches.s2.classes.3.qcn.set_point", "26KB"},
		{"ports.s2:r.cn_mode", "interior"}, {"flows.one.count", "1"}};

	(void)state;
	load(chain, set, 5);
	assert_int_equal(route_stripped(l.scene, flow, &there, 1), 0);
	assert_int_equal(route_stripped(l.scene, flow, &there, 2), 4);
	runs_ideally(chain, 0);
	lab_close(&l);
}

// The simulation agrees: a message alone takes the ideal time, whatever its flow has posted
// besides. Returns how many messages there were.
static double alone(const char *file, const struct scene_set *set, double within)
{
	struct vt_opts o = {.record = {.no_files = true}};
	struct scene_opts so = {.set = set, .n_set = 1};
	struct scene *s;
	struct report *rec;
	struct err err;
	double messages;

	if (compile_scene(&s, file, &so, &err))
		fail_msg("%s", err.text);
	assert_int_equal(vt_run(s, &o, &rec, &err), 0);
	messages = report_value(rec, "total.messages");
	assert_float_equal(report_value(rec, "total.slowdown_p50"), 1.0, within);
	assert_float_equal(report_value(rec, "total.slowdown_p99"), 1.0, within);
	report_free(rec);
	scene_free(s);
	return messages;
}

static void simulated_alone(void **state)
{
	(void)state;
	lab_open(&l, chain);
	assert_true(alone(l.file, &(struct scene_set){"flows.one.count", "1"}, 0.001) == 1);
	assert_true(alone(l.file, &(struct scene_set){"flows.one.count", "20"}, 0.001) == 20);
	lab_close(&l);
}

static void simulated_with_own_messages_waiting(void **state)
{
	static const char star[] =
		"duration: 2ms\nswitches: {s1: {classes: {3: {lossless: true}}}}\n"
		"hosts: {h1: , r: }\n"
		"links: [{between: [[h1, r], s1], rate: 100Gbps, delay: 1us}]\n"
		"flows: {one: {from: h1, to: r, class: 3}}\n";
	static const struct scene_set set[] = {{"flows.one.outstanding", "1"},
		{"flows.one.outstanding", "4"}, {"flows.one.outstanding", "64"},
		{"flows.one.message", "100"}, {"flows.one.message", "10000"},
		{"flows.one.rto", "1ms"}};
	struct lab lab;

	(void)state;
	lab_open(&lab, star);
	for (unsigned i = 0; i < sizeof(set) / sizeof(set[0]); i++)
		assert_true(alone(lab.file, &set[i], 0.01) >= 1);
	lab_close(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(a_short_frame_behind_a_full_one),
		cmocka_unit_test(as_frame_by_frame),
		cmocka_unit_test(as_a_run_of_the_message_alone),
		cmocka_unit_test(as_a_run_with_a_tag_that_is_stripped),
		cmocka_unit_test(simulated_alone),
		cmocka_unit_test(simulated_with_own_messages_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
