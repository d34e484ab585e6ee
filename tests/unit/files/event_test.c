// SPDX-License-Identifier: BSD-3-Clause
// events.csv, pfc.txt and fct.txt: what stands in each column, and one order for the events of all
// nodes.
#include "job_figures_lab.h"

#include "base/prng.h"

static const char header[] = "time_us,event,object,class,flow,detail,bytes,queue_bytes,quanta,psn,"
			     "rc_gbps,rt_gbps,alpha\n";

// The file is exactly so.
static void is(const char *name, const char *want)
{
	char *text = lab_file(&n.lab, name);

	assert_string_equal(text, want);
	free(text);
}

static void frames_and_pauses(void)
{
	const struct scene_flow *f = n.lab.scene->flow[1];
	struct ev *e;

	e = net_event(&n, n.s1, 1, EV_MARK);
	*e = (struct ev){.t = e->t,
		.type = e->type,
		.port = 2,
		.cls = 3,
		.mark = {.hdr = f->hdr_data.id, .psn = 77, .queue_bytes = 41000}};
	e = net_event(&n, n.s1, 2, EV_DROP);
	*e = (struct ev){.t = e->t + 5,
		.type = e->type,
		.port = 1,
		.cls = 3,
		.drop = {.reason = SW_DROP_TAIL, .held_bytes = 99000, .bytes = 1078}};
	e = net_event(&n, n.s1, 3, EV_XOFF_TX);
	e->pfc_tx.enable = 8;
	e->pfc_tx.quanta = 65535;
	net_event(&n, n.s1, 4, EV_XON_TX)->pfc_tx.enable = 8;
	e = net_event(&n, n.h1, 5, EV_PAUSE_RX);
	e->cls = 3;
	e->pause.quanta = 65535;
	e = net_event(&n, n.h1, 6, EV_RESUME_RX);
	e->cls = 3;
	e->pause.by = EV_RESUME_EXPIRED;
}

static void reactions_and_messages(void)
{
	struct ev *e;

	net_event(&n, n.r, 7, EV_CNP_TX)->cnp_tx.flow = 0;
	net_event(&n, n.h1, 8, EV_CNP_RX)->cnp_rx.flow = 0;
	e = net_event(&n, n.h1, 9, EV_RP);
	*e = (struct ev){.t = e->t,
		.type = e->type,
		.reaction = RP_DECREASE,
		.rp = {.alpha_millionths = 1000000, .rc = 12500000000, .rt = 25000000000}};
	e = net_event(&n, n.h1, 100, EV_MSG_DONE);
	e->message.begun = 3 * PS_PER_US;
	e->message.posted = 1 * PS_PER_US;
	e->message.bytes = 100000;
	net_event(&n, n.h1, 101, EV_NAK)->retry.psn = 9;
	net_event(&n, n.h1, 102, EV_TIMEOUT)->retry.psn = 10;
	net_event(&n, n.h1, 103, EV_QP_FAILED);
}

static void addresses_and_registers(void)
{
	struct ev *e;

	e = net_event(&n, n.s1, 104, EV_FDB);
	e->port = 1;
	e->fdb.key = 0x0005020000000001;
	net_event(&n, n.h1, 105, EV_CNP_INT)->qp.flow = 0;
	e = net_event(&n, n.h1, 106, EV_REG);
	e->reg.address = 0x600028;
	e->reg.value = 512;
	e->reg.width = 64;
	e = net_event(&n, n.h1, 107, EV_REG);
	e->reg.address = 0x200220;
	e->reg.value = 1;
	e->reg.lsb = 24;
	e->reg.width = 1;
	e = net_event(&n, n.s1, 108, EV_LINK_DOWN);
	e->link.queue_bytes = 3004;
	e->port = 1;
	net_event(&n, n.s1, 109, EV_LINK_UP)->port = 1;
	e = net_event(&n, n.r, 110, EV_REFUSED);
	e->refusal = RC_REFUSED_RKEY;
	e->refused = (struct ev_refused){.psn = 12, .its = 0x1f, .ours = 0x12345678};
	net_event(&n, n.r, 111, EV_IMMEDIATE)->immediate.value = 4000000000;
	net_event(&n, n.r, 112, EV_NAK_TX)->retry.psn = 11;
	net_event(&n, n.h1, 113, EV_RESENT)->resent = (struct ev_resent){.psn = 12, .bytes = 1082};
}

static void columns_of_each_type(void **state)
{
	static const char rows[] =
		"1,mark,s1:r,3,incast[h2>r.0],,,41000,,77,,,\n"
		"2.000005,drop,s1:h2,3,,tail,1078,99000,,,,,\n"
		"3,xoff_tx,s1:h1,,,0x08,,,65535,,,,\n"
		"4,xon_tx,s1:h1,,,0x08,,,0,,,,\n"
		"5,pause_rx,h1:s1,3,,,,,65535,,,,\n"
		"6,resume_rx,h1:s1,3,,expired,,,,,,,\n"
		"7,cnp_tx,r:s1,,incast[h1>r.0],,,,,,,,\n"
		"8,cnp_rx,h1:s1,,incast[h1>r.0],,,,,,,,\n"
		"9,rp,h1:s1,,incast[h1>r.0],decrease,,,,,12.500000,25.000000,1.000000\n"
		"100,msg_done,h1:s1,,incast[h1>r.0],0,100000,,,,,,\n"
		"101,nak,h1:s1,,incast[h1>r.0],,,,,9,,,\n"
		"102,timeout,h1:s1,,incast[h1>r.0],,,,,10,,,\n"
		"103,qp_failed,h1:s1,,incast[h1>r.0],,,,,,,,\n"
		"104,fdb,s1:h2,,,02:00:00:00:00:01/5,,,,,,,\n"
		"105,cnp_int,h1:s1,,incast[h1>r.0],,,,,,,,\n"
		"106,reg,h1:s1,,,0x600028=512 CC_RATE_MEM qp 1,,,,,,,\n"
		"107,reg,h1:s1,,,0x200220[24]=1 DCQCN_CTRL.dcqcn_hw_en,,,,,,,\n"
		"108,link_down,s1:h2,,,,,3004,,,,,\n"
		"109,link_up,s1:h2,,,,,,,,,,\n"
		"110,refused,r:s1,,incast[h1>r.0],rkey 0x1f not 0x12345678,,,,12,,,\n"
		"111,immediate,r:s1,,incast[h1>r.0],4000000000,,,,,,,\n"
		"112,nak_tx,r:s1,,incast[h1>r.0],,,,,11,,,\n"
		"113,resent,h1:s1,,incast[h1>r.0],,1082,,,12,,,\n";
	char want[2048];

	(void)state;
	frames_and_pauses();
	reactions_and_messages();
	addresses_and_registers();
	net_finish(&n, 1000);
	snprintf(want, sizeof(want), "%s%s", header, rows);
	is("events.csv", want);
	snprintf(want, sizeof(want), "5000 %u 0 1 1\n6000 %u 0 1 0\n", n.h1, n.h1);
	is("pfc.txt", want);
	snprintf(want, sizeof(want), "0a000001 0a000003 %u 4791 100000 3000 97000 %llu\n",
		n.lab.scene->flow[0]->hdr_data.sport,
		(unsigned long long)n.rec->flow[0].standalone_ps / PS_PER_NS);
	is("fct.txt", want);
}

// 802.3x: one frame each way, eight classes that stop, one line for HPCC's scripts.
static void stops_of_the_whole_link(void **state)
{
	char want[64], *text;

	(void)state;
	net_event(&n, n.s1, 1, EV_XOFF_TX)->pfc_tx.whole_link = true;
	net_event(&n, n.s1, 2, EV_XON_TX)->pfc_tx.whole_link = true;
	for (unsigned i = 0; i < 16; i++) {
		struct ev *e = net_event(&n, n.h1, 3 + i / 8, i < 8 ? EV_PAUSE_RX : EV_RESUME_RX);

		e->cls = i % 8;
		e->pause.with_class_0 = e->cls != 0;
	}
	net_finish(&n, 1000);
	snprintf(want, sizeof(want), "3000 %u 0 1 1\n4000 %u 0 1 0\n", n.h1, n.h1);
	is("pfc.txt", want);
	text = lab_file(&n.lab, "events.csv");
	assert_non_null(strstr(text, "\n1,xoff_tx,s1:h1,,,pause,,,0,,,,\n2,xon_tx,s1:h1,,,pause,"));
	assert_non_null(strstr(text, "\n3,pause_rx,h1:s1,7,"));
	free(text);
}

// Nodes hand in their events in turns and some late; more of them than are held back. The file is
// in order all the same, and nothing is missing.
static void one_order(void **state)
{
	enum { ROUNDS = 4000, EACH = 9 };
	unsigned nodes[] = {n.s1, n.r, n.h1}, lines = 0;
	struct prng g;
	char *text, *at, *line;
	double before = 0;

	(void)state;
	prng_init(&g, 3, "record_ev");
	for (unsigned i = 0; i < ROUNDS; i++) {
		for (unsigned k = 0; k < 3; k++) {
			for (unsigned e = 0; e < EACH; e++)
				net_event(
					&n, nodes[k], 1000 + 10 * i + prng_below(&g, 10), EV_MARK);
			record_drain(n.rec, nodes[k]);
		}
		if (i % 50 == 0 && i) // evaluated late by 500 us
			net_event(&n, n.h1, 500 + 10 * i, EV_RP)->rp.rc = RATE_GBPS;
		record_sort(n.rec, (1000 + 10ull * i) * PS_PER_US);
	}
	net_finish(&n, 1000000);

	text = lab_file(&n.lab, "events.csv");
	at = text;
	line = strsep(&at, "\n");
	while ((line = strsep(&at, "\n")) && *line) {
		assert_true(atof(line) >= before);
		before = atof(line);
		lines++;
	}
	assert_int_equal(lines, ROUNDS * EACH * 3 + ROUNDS / 50 - 1);
	free(text);
}

// Figures learn of it at once; for the files it is held where it may have a line.
static void only_what_has_lines_is_held(void **state)
{
	(void)state;
	net_event(&n, n.r, 10, EV_CE_RX);
	net_event(&n, n.h1, 20, EV_CUT);
	net_event(&n, n.h1, 30, EV_RP);
	net_event(&n, n.h1, 40, EV_MSG_DONE);
	record_drain(n.rec, n.r);
	record_drain(n.rec, n.h1);
	assert_int_equal(n.rec->n_ev, 2);
	assert_int_equal(n.rec->flow[0].book.since, 30 * PS_PER_US);
	assert_int_equal(n.rec->flow[0].messages, 1);
	n.rec->held = 0;
	net_event(&n, n.h1, 50, EV_RP);
	record_drain(n.rec, n.h1);
	assert_int_equal(n.rec->n_ev, 2);
	assert_int_equal(n.rec->flow[0].book.since, 50 * PS_PER_US);
}

// Not asked for by default; where it is, it has its line.
static void holders_of_xoff(void **state)
{
	struct ev *e;
	char *text;

	(void)state;
	assert_null(ev_put(&net_node(n.net, n.s1)->events, EV_XOFF_HOLDER, 1));
	net_node(n.net, n.s1)->events.want |= 1ull << EV_XOFF_HOLDER;
	n.rec->types |= 1ull << EV_XOFF_HOLDER;
	n.rec->held |= 1ull << EV_XOFF_HOLDER;
	e = net_event(&n, n.s1, 1, EV_XOFF_HOLDER);
	e->cls = 3;
	e->holder = (struct ev_holder){.out = 2, .out_cls = 4, .bytes = 4500, .group_bytes = 6000};
	net_finish(&n, 1000);
	text = lab_file(&n.lab, "events.csv");
	assert_non_null(strstr(text, "\n1,xoff_holder,s1:h1,3,,s1:r.4,6000,4500,,,,,\n"));
	free(text);
}

// Runs the scenario with its events in one form.
static void run_form(struct lab *l, const char *format, const char *compress)
{
	struct scene_set set[] = {{"record.format", format}, {"record.compress", compress}};
	struct scene_opts so = {.set = set, .n_set = 2};
	struct vt_opts vo = {.record = {.dir = l->out, .force = true, .command = "test"}};

	lab_end(l);
	if (compile_scene(&l->scene, l->file, &so, &l->err) ||
		vt_run(l->scene, &vo, &l->rec, &l->err))
		fail_msg("%s", l->err.text);
}

// The lines of events.csv, made of events.bin.
static char *lines_of(const struct lab *l)
{
	const struct evf_pick all = evf_pick_all();
	const struct ev *e;
	struct evf_lines lines;
	struct evf_in *in;
	char path[160], *text;
	uint64_t number;
	struct err err;
	struct out o;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	snprintf(path, sizeof(path), "%s/events.bin", l->out);
	assert_int_equal(evf_open(&in, path, &err), 0);
	assert_null(evf_cut(in));
	assert_int_equal(out_stream(&o, f, "text", &err), 0);
	evf_line_head(evf_names(in), &o);
	evf_lines_init(&lines, evf_names(in));
	while (evf_next(in, &all, &e, &number, &err) > 0)
		out_upto(&o, evf_line(out_room(&o, EVF_LINE), &lines, e, number));
	assert_int_equal(out_close(&o, &err), 0);
	fclose(f);
	evf_close_in(in);
	return text;
}

// The file that stands in the place of the other tells the same, and no file of an earlier run
// stays beside it.
static void a_binary_form_of_the_same(void **state)
{
	char *csv, *lines, path[160];
	struct lab l;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE);
	run_form(&l, "csv", "zstd");
	csv = lab_file(&l, "events.csv");
	for (int i = 0; i < 2; i++) {
		run_form(&l, "binary", i ? "none" : "zstd");
		lines = lines_of(&l);
		assert_true(!strcmp(lines, csv));
		free(lines);
		snprintf(path, sizeof(path), "%s/events.csv", l.out);
		assert_int_equal(access(path, F_OK), -1);
	}
	run_form(&l, "csv", "zstd");
	snprintf(path, sizeof(path), "%s/events.bin", l.out);
	assert_int_equal(access(path, F_OK), -1);
	free(csv);
	lab_close(&l);
}

static void events_of_jobs(void **state)
{
	struct job_split s = {.part = {[JOB_WIRE] = 80 * PS_PER_US, [JOB_COMPUTE] = 2500000}};
	char want[2048];
	struct ev *e;

	(void)state;
	job_open_with(1);
	e = net_event(&n, n.r, 30, EV_JOB_CALC);
	e->job_calc = (struct ev_job_calc){JOB_RANK_AT + 2, 7, 20500000};
	e = net_event(&n, n.r, 40, EV_JOB_MESSAGE);
	e->job_message =
		(struct ev_job_message){JOB_RANK_AT + 2, JOB_RANK_AT + 1, 5, 65536, 20500000};
	job_step_ps(2, 0, 10 * PS_PER_US, 92500000, 93 * PS_PER_US, &s);
	// of no job
	e = net_event(&n, n.r, 100, EV_JOB_CALC);
	e->job_calc = (struct ev_job_calc){JOB_RANK_AT + 3, 7, 20500000};
	net_finish(&n, 1000);
	snprintf(want, sizeof(want), "%s%s", header,
		"30,job_calc,r:s1,,,ring.2 op 7 from 20.500000 us,,,,,,,\n"
		"40,job_message,r:s1,,,ring.2 from 1 tag 5 since 20.500000 us,65536,,,,,,\n"
		"93,job_step,r:s1,,,ring.2 iteration 0 from 10 to 92.500000 us,,,,,,,\n"
		"93,job_part,r:s1,,,ring.2 iteration 0 wire 80 us,,,,,,,\n"
		"93,job_part,r:s1,,,ring.2 iteration 0 compute 2.500000 us,,,,,,,\n"
		"93,job_part,r:s1,,,ring.2 iteration 0 pause 0 us,,,,,,,\n"
		"93,job_part,r:s1,,,ring.2 iteration 0 rate 0 us,,,,,,,\n"
		"93,job_part,r:s1,,,ring.2 iteration 0 resend 0 us,,,,,,,\n"
		"93,job_part,r:s1,,,ring.2 iteration 0 wait 0 us,,,,,,,\n"
		"100,job_calc,r:s1,,,8 op 7 from 20.500000 us,,,,,,,\n");
	is("events.csv", want);
	job_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(columns_of_each_type, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(stops_of_the_whole_link, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(one_order, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(only_what_has_lines_is_held, open_lab, close_lab),
		cmocka_unit_test_setup_teardown(holders_of_xoff, open_lab, close_lab),
		cmocka_unit_test(a_binary_form_of_the_same),
		cmocka_unit_test(events_of_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
