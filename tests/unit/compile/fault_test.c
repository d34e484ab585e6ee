// SPDX-License-Identifier: BSD-3-Clause
// Faults of a scenario: ports, queue pairs and values that records come to, and wrong records.
#include "scene_lab.h"

// One flow of two queue pairs to r, and a READ of r's from h2; each sends 64 packets.
#define HEAD                                                                                       \
	"duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS                                         \
	"flows: {f: {from: h1..2, to: r, verb: send, message: 64KiB, count: 1, group: all},\n"     \
	"  get: {from: r, to: h2, verb: read, message: 64KiB, count: 1}, e: {from: h1, to: h2},\n" \
	"  o: {from: h1, to: r, open_loop: {size: 64}}}\n"
#define FAULTS(text) HEAD "faults: [" text "]\n"

static struct scene *one(const char *fault)
{
	char text[2000];
	struct scene *s;

	snprintf(text, sizeof(text), HEAD "faults:\n- {%s}\n", fault);
	s = lab(text);
	assert_int_equal(s->n_faults, 1);
	assert_int_equal(s->fault[0]->record.number, 1);
	return s;
}

static void is_at(const struct scene *s, const char *port)
{
	const struct scene_fault *f = s->fault[0];

	assert_string_equal(s->node[f->node].port[f->port].name, port);
}

static void a_record_is_resolved(void **state)
{
	struct scene *s = one("qp: \"f[h2>r.0]\", psn: 10, do: drop");
	const struct scene_fault *f = s->fault[0];

	(void)state;
	is_at(s, "s1:h2");
	assert_int_equal(f->n_pairs, 1);
	assert_string_equal(s->flow[f->pair[0].flow]->name, "f[h2>r.0]");
	assert_false(f->pair[0].back);
	assert_int_equal(f->record.kinds, FAULT_DATA | FAULT_READ_RESPONSE);
	assert_int_equal(f->record.psn, FAULT_PSN_RANGE);
	assert_int_equal(f->record.from, 10);
	assert_int_equal(f->record.to, 10);
	assert_int_equal(f->record.nth_from, 1);
	assert_int_equal(f->record.nth_to, 1);
	assert_int_equal(f->record.pass_from, 0);
	assert_int_equal(f->record.action, FAULT_DROP);
	assert_false(f->optional);
	assert_int_equal(f->line, 9);
	assert_string_equal(f->text, "{qp: \"f[h2>r.0]\", psn: 10, do: drop}");
	scene_free(s);
}

static void psns_and_transmissions_are_words(void **state)
{
	static const struct {
		const char *words;
		enum fault_psn psn;
		uint64_t from, to;
		uint32_t nth_from, nth_to, pass_from, pass_to;
	} told[] = {
		{"psn: 3..5", FAULT_PSN_RANGE, 3, 5, 1, 1, 0, 0},
		{"psn: 3.., nth: any", FAULT_PSN_RANGE, 3, UINT64_MAX, 0, 0, 0, 0},
		{"psn: every 10, nth: 2..", FAULT_PSN_EVERY, 10, 0, 2, UINT32_MAX, 0, 0},
		{"psn: last, nth: 2..3", FAULT_PSN_LAST, 0, 0, 2, 3, 0, 0},
		{"psn: any", FAULT_PSN_ANY, 0, 0, 0, 0, 0, 0},
		{"psn: 7, pass: 2", FAULT_PSN_RANGE, 7, 7, 0, 0, 2, 2},
		{"nth: 1", FAULT_PSN_ANY, 0, 0, 1, 1, 0, 0},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		const struct fault_record *r;
		char text[200];
		struct scene *s;

		snprintf(text, sizeof(text), "qp: \"f[h1>r.0]\", do: ecn, %s", told[i].words);
		s = one(text);
		r = &s->fault[0]->record;
		assert_int_equal(r->psn, told[i].psn);
		assert_true(r->from == told[i].from && r->to == told[i].to);
		assert_int_equal(r->nth_from, told[i].nth_from);
		assert_int_equal(r->nth_to, told[i].nth_to);
		assert_int_equal(r->pass_from, told[i].pass_from);
		assert_int_equal(r->pass_to, told[i].pass_to);
		scene_free(s);
	}
}

// Directions say which end of a queue pair the frames go to, and so the port where they come in.
static void directions_have_their_ends(void **state)
{
	static const struct {
		const char *words, *port;
		unsigned n_pairs;
		bool back;
		uint8_t kinds;
	} told[] = {
		{"qp: \"f[h1>r.0]\"", "s1:h1", 1, false, FAULT_DATA | FAULT_READ_RESPONSE},
		{"qp: \"f[h1>r.0]\", dir: ack", "s1:r", 1, true, FAULT_ACK},
		{"flow: f, dir: [nak, cnp]", "s1:r", 2, true, FAULT_NAK | FAULT_CNP},
		{"flow: f, at: \"s1:h2\"", "s1:h2", 1, false, FAULT_DATA | FAULT_READ_RESPONSE},
		{"flow: f, at: \"r:s1\"", "r:s1", 2, false, FAULT_DATA | FAULT_READ_RESPONSE},
		{"flow: get", "s1:h2", 1, false, FAULT_DATA | FAULT_READ_RESPONSE},
		{"flow: get, dir: read_request", "s1:r", 1, true, FAULT_READ_REQUEST},
		{"flow: get, dir: nak", "s1:h2", 1, false, FAULT_NAK},
		{"group: all, dir: all, at: \"h1:s1\"", "h1:s1", 1, true, FAULT_ALL},
		{"at: \"s1:r\"", "s1:r", 0, false, FAULT_ALL},
		{"qp: any, at: \"s1:r\"", "s1:r", 0, false, FAULT_DATA | FAULT_READ_RESPONSE},
		{"dst: r, at: \"s1:h1\"", "s1:h1", 1, false, FAULT_DATA | FAULT_READ_RESPONSE},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		const struct scene_fault *f;
		char text[200];
		struct scene *s;

		snprintf(text, sizeof(text), "%s, do: drop", told[i].words);
		s = one(text);
		f = s->fault[0];
		is_at(s, told[i].port);
		assert_int_equal(f->n_pairs, told[i].n_pairs);
		for (unsigned k = 0; k < f->n_pairs; k++)
			assert_int_equal(f->pair[k].back, told[i].back);
		assert_int_equal(f->record.kinds, told[i].kinds);
		scene_free(s);
	}
}

static void a_queue_pair_may_be_given_by_its_number(void **state)
{
	static const uint8_t ip[4] = {10, 0, 0, 9};
	struct scene *s =
		one("qp: {dst: 10.0.0.9, qpn: 0x11, first_psn: 7}, psn: 3, class: [3, 4], "
		    "at: \"s1:h1\", do: drop");
	const struct scene_fault *f = s->fault[0];

	(void)state;
	assert_int_equal(f->pair[0].flow, SCENE_FAULT_GIVEN);
	assert_memory_equal(f->pair[0].daddr, ip, sizeof(ip));
	assert_int_equal(f->pair[0].qpn, 0x11);
	assert_int_equal(f->pair[0].psn, 7);
	assert_int_equal(f->record.classes, 0x18);
	scene_free(s);
	s = one("qp: {dst: 10.0.0.9, qpn: 0x11}, at: \"s1:h1\", do: drop");
	assert_int_equal(s->fault[0]->pair[0].psn, FAULT_PSN_SEEN);
	scene_free(s);
}

static void actions_have_values(void **state)
{
	struct scene *s = lab(FAULTS("{flow: f, at: \"s1:h1\", psn: 1, do: {delay: 10us}}, "
				     "{flow: f, at: \"s1:h1\", psn: 2, do: {reorder: 3}}, "
				     "{flow: f, at: \"s1:h1\", psn: 3, do: reorder}, "
				     "{flow: f, at: \"s1:h1\", psn: 4, do: {reorder: {behind: 2, "
				     "within: 5us}}}, "
				     "{flow: f, at: \"s1:h1\", psn: 5, do: duplicate}, "
				     "{flow: f, at: \"s1:h1\", psn: 6, do: {duplicate: 2}}, "
				     "{flow: e, psn: 0.., do: {delay: 10us}}"));

	(void)state;
	assert_int_equal(s->n_faults, 7);
	assert_int_equal(s->fault[0]->record.delay, 10 * PS_PER_US);
	assert_int_equal(s->fault[0]->held, 1);
	assert_int_equal(s->fault[1]->record.reorder.behind, 3);
	assert_int_equal(s->fault[1]->record.reorder.within, 100 * PS_PER_US);
	assert_int_equal(s->fault[2]->record.reorder.behind, 1);
	assert_int_equal(s->fault[3]->record.reorder.behind, 2);
	assert_int_equal(s->fault[3]->record.reorder.within, 5 * PS_PER_US);
	assert_int_equal(s->fault[4]->record.copies, 1);
	assert_int_equal(s->fault[5]->record.copies, 2);
	assert_int_equal(s->fault[5]->record.number, 6);
	assert_int_equal(s->fault[6]->held, 373);
	scene_free(s);
}

static void a_field_is_rewritten(void **state)
{
	static const struct {
		const char *words;
		uint8_t field;
		uint64_t value;
		bool adds, keeps;
	} told[] = {
		{"{migreq: 0}", FAULT_MIGREQ, 0, false, false},
		{"{psn: +0x800000, icrc: keep}", FAULT_PSN, 0x800000, true, true},
		{"{dst_mac: 02:00:00:00:00:09}", FAULT_DST_MAC, 0x020000000009, false, false},
		{"{ip_id: 65535}", FAULT_IP_ID, 65535, false, false},
	};
	struct scene *s;

	(void)state;
	for (unsigned i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		const struct fault_record *r;
		char text[200];

		snprintf(text, sizeof(text), "flow: e, do: {rewrite: %s}", told[i].words);
		s = one(text);
		r = &s->fault[0]->record;
		assert_int_equal(r->action, FAULT_REWRITE);
		assert_int_equal(r->rewrite.field, told[i].field);
		assert_true(r->rewrite.value == told[i].value);
		assert_int_equal(r->rewrite.adds, told[i].adds);
		assert_int_equal(r->rewrite.keeps_icrc, told[i].keeps);
		assert_true(s->needs_bytes);
		scene_free(s);
	}
	s = one("flow: e, do: {rewrite: {src_ip: 10.9.8.7}}");
	assert_memory_equal(s->fault[0]->record.rewrite.ip, "\x0a\x09\x08\x07", 4);
	scene_free(s);
	s = one("flow: e, dir: ack, do: {rewrite: {msn: +1}}");
	scene_free(s);
	s = one("flow: e, do: corrupt");
	assert_true(s->fault[0]->record.bit == FAULT_NO_BIT && s->needs_bytes);
	scene_free(s);
	s = one("flow: e, do: {corrupt: {bit: 7}}");
	assert_int_equal(s->fault[0]->record.bit, 7);
	scene_free(s);
	s = one("flow: e, do: drop");
	assert_false(s->needs_bytes);
	scene_free(s);
}

// A frame has the numbers that its queue pair has, also once others are drawn.
static void frames_are_forged(void **state)
{
	struct scene *s = one("qp: \"f[h1>r.0]\", do: {forge: {frame: nak, psn: 5, start: 10us}}");
	const struct scene_fault *f = s->fault[0];
	const uint8_t *bth = f->record.forge.bytes + 14 + 20 + 8;

	(void)state;
	is_at(s, "s1:r");
	assert_int_equal(f->n_pairs, 0);
	assert_int_equal(f->record.forge.len, 62);
	assert_int_equal(f->record.forge.start, 10 * PS_PER_US);
	assert_int_equal(f->record.forge.count, 1);
	assert_int_equal(bth[0], 0x11);
	assert_int_equal(bth[12], 0x60);
	for (unsigned i = 0; i < 2; i++) {
		uint32_t qpn = (uint32_t)bth[5] << 16 | (uint32_t)bth[6] << 8 | bth[7];
		uint32_t psn = (uint32_t)bth[9] << 16 | (uint32_t)bth[10] << 8 | bth[11];

		assert_int_equal(qpn, s->flow[0]->req.qpn);
		assert_int_equal(psn, (s->flow[0]->req.psn + 5) & 0xffffff);
		scene_number(s, 1234);
	}
	assert_true(s->needs_bytes);
	scene_free(s);
	s = one("qp: \"f[h1>r.0]\", at: \"s1:h2\", do: {forge: {every: 1us}}");
	f = s->fault[0];
	is_at(s, "s1:h2");
	assert_int_equal(f->record.forge.len, 74);
	assert_int_equal(f->record.forge.every, PS_PER_US);
	assert_int_equal(f->record.forge.count, 0);
	scene_free(s);
	s = one("at: \"s1:h2\", do: {forge: pfc}");
	assert_int_equal(s->fault[0]->record.forge.len, 60);
	assert_memory_equal(s->fault[0]->record.forge.bytes, "\x01\x80\xc2\0\0\x01", 6);
	assert_memory_equal(s->fault[0]->record.forge.bytes + 6, lab_port(s, "h2:s1")->mac, 6);
	assert_memory_equal(s->fault[0]->record.forge.bytes + 12,
		"\x88\x08\x01\x01\0\x08\0\0\0\0\0\0\xff\xff", 14);
	scene_free(s);
	s = one("qp: \"f[h1>r.0]\", at: \"h1:s1\", do: {forge: {frame: cnm, qntzfb: 5}}");
	assert_memory_equal(s->fault[0]->record.forge.bytes, lab_node(s, "h1")->mac, 6);
	scene_free(s);
}

// Faults that have come while the run goes on stay, with their numbers, whatever comes next.
static void live_faults_stay(void **state)
{
	static const char text[] = HEAD "faults: [{flow: e, psn: 1, do: drop}]\nevents:\n"
					"- {at: 1us, fault: {flow: e, psn: 2, do: drop}}\n";
	const struct scene_opts opts = {.again = true};
	const struct scene_set set = {"flows.e.window", "8"};
	struct scene *s, *one_more, *changed, *two_more;

	(void)state;
	assert_int_equal(lab_try(&s, text, &opts), 0);
	assert_int_equal(compile_actions(&one_more, s, "fault: {flow: e, psn: 3, do: ecn}",
				 5 * PS_PER_US, &lab_err),
		0);
	assert_int_equal(one_more->n_faults, 3);
	assert_int_equal(one_more->fault[1]->record.from, 2);
	assert_int_equal(one_more->fault[2]->record.from, 3);
	assert_int_equal(one_more->fault[2]->record.begins, 5 * PS_PER_US);
	assert_int_equal(one_more->fault[2]->line, 0);
	assert_int_equal(compile_change(&changed, one_more, "value", &set, 1, &lab_err), 0);
	assert_int_equal(changed->n_faults, 3);
	assert_int_equal(compile_actions(&two_more, changed,
				 "[{fault: {flow: e, psn: 4, do: ecn}}, {flow_stop: e}]",
				 9 * PS_PER_US, &lab_err),
		0);
	assert_int_equal(two_more->n_faults, 4);
	assert_int_equal(two_more->fault[2]->record.begins, 5 * PS_PER_US);
	assert_int_equal(two_more->fault[3]->record.number, 4);
	assert_int_equal(two_more->n_events, 1);
	scene_free(changed);
	assert_int_equal(
		compile_actions(&changed, s, "fault: {flow: e, psn: 1, do: ecn}", 1, &lab_err),
		-EINVAL);
	assert_non_null(strstr(lab_err.text, "do:1:"));
	scene_free(two_more);
	scene_free(one_more);
	scene_free(s);
}

static void chance_is_a_share(void **state)
{
	struct scene *s = one("at: \"s1:h1\", share: 0.1%, do: drop");
	const struct fault_record *r = &s->fault[0]->record;

	(void)state;
	assert_true(r->by_chance);
	assert_true(r->chance.share == 1000000000);
	assert_true(s->fault[0]->optional);
	scene_free(s);
	s = one("at: \"s1:h1\", gilbert: {to_bad: 1%, to_good: 50%}, optional: no, do: drop");
	r = &s->fault[0]->record;
	assert_true(r->chance.to_bad == 10000000000 && r->chance.to_good == 500000000000);
	assert_true(r->chance.bad_share == 1000000000000 && !r->chance.share);
	assert_false(s->fault[0]->optional);
	scene_free(s);
	s = one("at: \"s1:h1\", bit_error_rate: 1e-12, do: drop");
	assert_true(s->fault[0]->record.chance.bit_error_rate == 1e-12);
	scene_free(s);
}

#define DROP "flow: f, at: \"s1:h1\", psn: 1, do: drop"

static void an_event_adds_a_fault(void **state)
{
	static const char text[] =
		FAULTS("{" DROP "}") "events:\n"
				     "- {at: 100us, fault: {nth: 2, " DROP "}}\n";
	struct scene *s = lab(text);

	(void)state;
	assert_int_equal(s->n_events, 0);
	assert_int_equal(s->n_faults, 2);
	assert_int_equal(s->fault[0]->record.begins, 0);
	assert_int_equal(s->fault[1]->record.begins, 100 * PS_PER_US);
	assert_int_equal(s->fault[1]->record.number, 2);
	scene_free(s);
}

// Wrong records, each with the message that it gets.
static const char *const told[][2] = {
	{"{flow: f, at: \"s1:h1\"}", "'do' is missing in this fault; write a value, as "
				     "in drop"},
	{"{qp: \"f[h1>r.1]\", do: drop}",
		"qp: there is no queue pair 'f[h1>r.1]'; did you mean 'f[h1>r.0]'?"},
	{"{qp: nobody, do: drop}",
		"qp: there is no queue pair 'nobody'; they are called like f[h1>r.0] "
		".. e[h1>h2.0]"},
	{"{flow: g, do: drop}", "there is no flow 'g'; "},
	{"{flow: o, do: drop}",
		"flow 'o' is open_loop and has no queue pairs; name its class instead, "
		"as in class: 3"},
	{"{group: al, do: drop}", "there is no group 'al'; did you mean 'all'?"},
	{"{dst: h3, do: drop}", "there is no node 'h3'; did you mean 'h"},
	{"{dst: s1, do: drop}", "dst: 's1' is a switch; queue pairs are of hosts"},
	{"{flow: f, do: drop}", "'at' is missing in this fault, and several hosts send "
				"the frames; write the port where they come in, as in at: "
				"\"s1:h1\""},
	{"{do: drop}", "'at' is missing in this fault, and no queue pair says who "
		       "sends the frames"},
	{"{flow: f, at: \"s1:h9\", do: drop}", "there is no port 's1:h9'; did you mean 's1:h2'?"},
	{"{flow: get, at: \"s1:r\", do: drop}",
		"no frame of this kind of get[h2>r.0] comes in at s1:r, which the "
		"frames from r enter; write at: \"s1:h2\""},
	{"{flow: get, psn: 64, do: drop}",
		"psn: get[h2>r.0] has no PSN 64; its 64 packets have 0..63"},
	{"{flow: get, psn: 60..70, do: drop}", "psn: get[h2>r.0] has no PSN 64..70; "},
	{"{flow: get, psn: 5..2, do: drop}",
		"psn: 5..2 runs backwards; write the smaller end first"},
	{"{flow: get, psn: first, do: drop}",
		"psn: 'first' is not right; write 100, 100..104, 100.., every 100, "
		"last or any"},
	{"{flow: get, psn: every 0, do: drop}", "psn: 'every 0' is not right; write a "
						"number from 1 on behind every"},
	{"{flow: get, psn: 5, nth: 0, do: drop}",
		"nth: '0' is not right; write 1 (the first), 2.. (all but the first), "
		"2..3, or any"},
	{"{flow: get, dir: ack, do: drop}",
		"dir: get[h2>r.0] is a READ, whose frames are data, read_request, nak "
		"and cnp"},
	{"{flow: e, do: {corrupt: 20000}}",
		"do: bit 20000 lies behind the longest frame that it can hit, of 1"},
	{"{flow: e, dir: nack, do: drop}", "dir: 'nack' is no kind of frames; did you mean 'nak'?"},
	{"{flow: e, dir: acks, do: drop}", "dir: 'acks' is no kind of frames; did you mean 'ack'?"},
	{"{flow: e, do: lose}", "do: 'lose' is no action; write drop, ecn"},
	{"{flow: e, do: {drop: 1}}", "do: drop has no value; write do: drop"},
	{"{flow: e, do: {watch: 1}}", "do: watch has no value; write do: watch"},
	{"{flow: e, do: delay}", "do: delay has no time; write {delay: 10us}"},
	{"{flow: e, do: {delay: 10}}", "delay: '10' has no unit; write a time"},
	{"{flow: e, do: {drop: , ecn: }}", "do: write one action, as in drop or"},
	{"{flow: e, do: rewrite}", "do: rewrite has no field; "},
	{"{flow: e, do: {rewrite: {migrec: 1}}}", "unknown key 'migrec' in rewrite; did you mean"},
	{"{flow: e, do: {rewrite: {icrc: keep}}}", "rewrite: there is no field; "},
	{"{flow: e, do: {rewrite: {migreq: 2}}}",
		"migreq: 2 is out of range; the field has 1 bits, so it can be 0..1"},
	{"{flow: e, do: {rewrite: {psn: x}}}", "psn: 'x' is not right; write a number"},
	{"{flow: e, do: {rewrite: {psn: 1, qpn: 2}}}",
		"rewrite: a record writes one field, and here are qpn and psn; "},
	{"{flow: e, do: {rewrite: {vlan: 5}}}",
		"vlan: frames of e[h1>h2.0] have no such field, because they have no tag"},
	{"{flow: e, do: {rewrite: {msn: 5}}}",
		"msn: frames of this kind have no such field, because only ACK, NAK and "},
	{"{flow: e, do: {rewrite: {dst_ip: fd00::1}}}",
		"dst_ip: the frames of e[h1>h2.0] have IPv4 addresses, and fd00::1 is "},
	{"{at: \"s1:r\", do: forge}", "forge: a CNP goes to a queue pair of the "},
	{"{flow: f, at: \"s1:r\", do: forge}", "forge: a CNP goes to one queue pair, and "},
	{"{flow: e, do: {forge: {count: 2}}}",
		"forge: several frames need the time between them; give `every`"},
	{"{flow: e, psn: 1, do: forge}", "forge: 'psn' chooses among frames that come, "
					 "and this one makes some; leave it out"},
	{"{flow: e, do: {forge: {frame: cnp, quanta: 5}}}",
		"forge: a CNP has no quanta; leave it out, or write frame: pfc"},
	{"{flow: e, do: {forge: {frame: nak, qntzfb: 5}}}",
		"forge: a NAK has no qntzfb; leave it out, or write frame: cnm"},
	{"{at: \"s1:r\", do: {forge: {frame: pfc, psn: 5}}}",
		"forge: a PFC frame has no psn; leave it out, or write frame: nak"},
	{"{flow: e, do: {forge: {every: 1ps}}}",
		"forge: 'every' is below 31.36 ns, the time that the frame takes on the "
		"link; write a longer one"},
	{"{flow: e, share: 0%, do: drop}", "share: no frame is ever hit; "},
	{"{flow: e, share: 1%, bit_error_rate: 1e-9, do: drop}",
		"'bit_error_rate' and 'share' exclude each other; keep one"},
	{"{flow: e, bit_error_rate: 2, do: drop}", "bit_error_rate: '2' is not right; "},
	{"{flow: e, bit_error_rate: 0.51, do: drop}",
		"bit_error_rate: '0.51' is not right; write a number above 0 and up to "
		"0.5, as in 1e-12"},
	{"{flow: e, group: all, do: drop}", "'group' and 'flow' exclude each other; "},
	{"{qp: any, dst: r, do: drop}", "qp, flow, group and dst exclude each other; "},
	{"{flow: e, psn: 5, do: drop}, {flow: e, psn: 5, do: ecn}",
		"fault 1 (line 8) drops all frames that this one is for; name others, "
		"or put this one first"},
	{"{flow: e, psn: 5..9, do: ecn}, {flow: e, psn: 8..12, do: drop}",
		"its PSNs 8..12 and 5..9 of fault 1 (line 8) overlap, and one of the "
		"two drops them; part the ranges"},
};

// All messages name line 8.
static void wrong_records_are_refused(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		struct scene *s = NULL;
		char text[2000];

		snprintf(text, sizeof(text), HEAD "faults: [%s]\n", told[i][0]);
		assert_int_equal(lab_try(&s, text, NULL), -EINVAL);
		assert_int_equal(strncmp(lab_err.text, "lab.yaml:8:", 11), 0);
		if (strncmp(strstr(lab_err.text + 11, ": ") + 2, told[i][1], strlen(told[i][1])))
			fail_msg("%s: told '%s'\nnot  '%s'", told[i][0], lab_err.text, told[i][1]);
	}
}

// Records may meet on a frame where the first of them does not end it.
static void records_may_meet(void **state)
{
	struct scene *s = lab(FAULTS("{flow: e, psn: 5, do: drop}, {flow: e, psn: 0..9, do: ecn}, "
				     "{flow: e, psn: 5, nth: 2, do: ecn}, "
				     "{flow: e, psn: 20..30, do: ecn}, "
				     "{flow: e, psn: every 10, do: drop}, "
				     "{flow: e, psn: 25..40, do: watch}, "
				     "{flow: e, share: 1%, do: drop}, {flow: e, do: ecn}"));

	(void)state;
	assert_int_equal(s->n_faults, 8);
	assert_int_equal(s->fault[5]->record.action, FAULT_WATCH);
	scene_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_is_resolved),
		cmocka_unit_test(psns_and_transmissions_are_words),
		cmocka_unit_test(directions_have_their_ends),
		cmocka_unit_test(a_queue_pair_may_be_given_by_its_number),
		cmocka_unit_test(actions_have_values),
		cmocka_unit_test(a_field_is_rewritten),
		cmocka_unit_test(frames_are_forged),
		cmocka_unit_test(live_faults_stay),
		cmocka_unit_test(chance_is_a_share),
		cmocka_unit_test(an_event_adds_a_fault),
		cmocka_unit_test(wrong_records_are_refused),
		cmocka_unit_test(records_may_meet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
