// SPDX-License-Identifier: BSD-3-Clause
// Traces for a reaction point: every event with its values, what is passed over, and a line for
// each mistake.
#include "model/trace.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static struct trace t;
static FILE *f;

static void open_text(const char *text, bool registers)
{
	f = fmemopen((char *)text, strlen(text), "r");
	assert_non_null(f);
	trace_init(&t, f, "t.csv", registers);
}

static struct trace_event next(void)
{
	struct trace_event e;
	struct err err = {0};

	if (trace_next(&t, &e, &err) != 1)
		fail_msg("%s", *err.text ? err.text : "the trace has ended");
	return e;
}

static void ends(void)
{
	struct trace_event e;
	struct err err;

	assert_int_equal(trace_next(&t, &e, &err), 0);
	assert_int_equal(trace_next(&t, &e, &err), 0);
	fclose(f);
}

static void every_event_has_its_values(void **state)
{
	struct trace_event e;

	(void)state;
	open_text("0,start\n1,cnp\n2,cnm,63\n3,ack,1000\n3,ack,1000,12000000\n3,ack,1,2,1\n4,nak\n"
		  "5,sent,1086\n5,sent,1086,1024\n6,write,CC_RATE_MEM,0x200\n7,read,alpha\n8,read\n"
		  "2305843009213693952,tick",
		true);
	assert_int_equal(next().kind, TRACE_START);
	assert_int_equal(next().kind, TRACE_CNP);
	e = next();
	assert_int_equal(e.kind, TRACE_CNM);
	assert_int_equal(e.value[0], 63);
	assert_int_equal(e.column, 7);
	e = next();
	assert_int_equal(e.kind, TRACE_ACK);
	assert_int_equal(e.n, 1);
	assert_int_equal(next().value[1], 12000000);
	e = next();
	assert_int_equal(e.n, 3);
	assert_int_equal(e.value[2], 1);
	assert_int_equal(next().kind, TRACE_NAK);
	assert_int_equal(next().value[0], 1086);
	e = next();
	assert_int_equal(e.n, 2);
	assert_int_equal(e.value[1], 1024);
	e = next();
	assert_int_equal(e.kind, TRACE_WRITE);
	assert_true(e.has_place);
	assert_int_equal(e.place.address, 0x600028);
	assert_int_equal(e.value[0], 0x200);
	e = next();
	assert_int_equal(e.kind, TRACE_READ);
	assert_int_equal(e.place.width, 10);
	assert_int_equal(e.n, 0);
	assert_false(next().has_place);
	e = next();
	assert_int_equal(e.kind, TRACE_TICK);
	assert_true(e.at == TRACE_END);
	assert_int_equal(e.line, 13);
	ends();
}

static void heading_comments_and_blanks_are_passed_over(void **state)
{
	struct trace_event e;

	(void)state;
	open_text("# first\n\n  \t\r\nt_ps, event,values\r\n\t5 ,\tcnm , 7 # last\r\n#\n5,cnp",
		false);
	e = next();
	assert_int_equal(e.at, 5);
	assert_int_equal(e.kind, TRACE_CNM);
	assert_int_equal(e.value[0], 7);
	assert_int_equal(e.line, 5);
	assert_int_equal(e.column, 12);
	assert_int_equal(next().line, 7);
	ends();
	open_text("", false);
	ends();
	open_text("# nothing else", false);
	ends();
}

static void says(const char *text, bool registers, const char *line)
{
	struct trace_event e;
	struct err err = {0};
	int rc;

	open_text(text, registers);
	while ((rc = trace_next(&t, &e, &err)) > 0)
		;
	fclose(f);
	assert_int_equal(rc, -EINVAL);
	assert_string_equal(err.text, line);
}

static void each_mistake_has_one_line(void **state)
{
	char longest[TRACE_LINE + 2];

	(void)state;
	says("5,cnp\nt_ps,event\n", false,
		"t.csv:2:1: 't_ps' is no instant; write whole picoseconds up to "
		"2305843009213693952, as in 55000000");
	says("5,cnp\n#\n4,cnp\n", false,
		"t.csv:3:1: 4 ps is before 5 ps of line 1; time does not go back");
	says("2305843009213693953,cnp", false,
		"t.csv:1:1: '2305843009213693953' is no instant; write whole picoseconds up to "
		"2305843009213693952, as in 55000000");
	says(",cnp", false,
		"t.csv:1:1: '' is no instant; write whole picoseconds up to 2305843009213693952, "
		"as in 55000000");
	says("1,", false,
		"t.csv:1:3: there is no event ''; the events are start, cnp, cnm, ack, nak, sent, "
		"write, read, tick");
	says("1,tick,", false, "t.csv:1:8: '' is one value too many; write t_ps,tick");
	says("1,ack,1,2,0,,,,,,", false,
		"t.csv:1:13: '' is one value too many; write t_ps,ack,BYTES[,RTT_PS[,CE]]");
	says("1,ack,0", false, "t.csv:1:7: bytes '0': a whole number, 1..4294967295");
	says("1,ack,1,x", false, "t.csv:1:9: rtt_ps 'x': a whole number, 1..2305843009213693952");
	says("1,write,CC_RATE_MEM,1", false,
		"t.csv:1:9: this control has no registers; those of profile rdma_ip have");
	says("1,write,CC_RATE_MEM", true,
		"t.csv:1:3: write wants a value: t_ps,write,REGISTER,VALUE");
	says("1,write,CC_RATE_MEM,x", true,
		"t.csv:1:21: 'x' is no register's value; write a whole number, as in 512 or 0x200");
	says("1,read,alpha,1", true,
		"t.csv:1:14: '1' is one value too many; write t_ps,read[,REGISTER]");
	memset(longest, ' ', TRACE_LINE + 1);
	longest[TRACE_LINE + 1] = 0;
	says(longest, false, "t.csv:1:1: the line is too long; 1000 bytes are the most");
	longest[TRACE_LINE] = 0;
	open_text(longest, false);
	ends();
}

static void an_event_lends_its_place_to_an_error(void **state)
{
	struct trace_event e;
	struct err err;

	(void)state;
	open_text("\n7, read, alpha", true);
	e = next();
	err_set(&err, 0, "why");
	assert_int_equal(trace_err(&t, &e, &err, -EACCES), -EACCES);
	assert_string_equal(err.text, "t.csv:2:10: why");
	ends();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_has_its_values),
		cmocka_unit_test(heading_comments_and_blanks_are_passed_over),
		cmocka_unit_test(each_mistake_has_one_line),
		cmocka_unit_test(an_event_lends_its_place_to_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
