// SPDX-License-Identifier: BSD-3-Clause
// Selections by names of the file, and the line for a name that it does not have.
#include "evf_lab.h"

#include <errno.h>

static struct evf_lab l;

static int open_lab(void **state)
{
	(void)state;
	evf_lab_open(&l);
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	evf_lab_close(&l);
	return 0;
}

static void types_by_their_names(void **state)
{
	struct evf_pick p = evf_pick_all();
	struct err err;

	(void)state;
	assert_int_equal(evf_pick_types(&p, l.names, "mark", &err), 0);
	assert_int_equal(p.types, 1ull << EV_MARK);
	assert_int_equal(evf_pick_types(&p, l.names, "rp,xoff_holder,rp", &err), 0);
	assert_int_equal(p.types, 1ull << EV_RP | 1ull << EV_XOFF_HOLDER);
	assert_int_equal(evf_pick_types(&p, l.names, "rp,marc", &err), -ENOENT);
	assert_string_equal(
		err.text, "there is no type of event 'marc' in the file; did you mean 'mark'?");
	assert_int_equal(evf_pick_types(&p, l.names, "mark,", &err), -ENOENT);
	assert_int_equal(evf_pick_types(&p, l.names, "", &err), -ENOENT);
}

static void ports_and_flows_by_their_names(void **state)
{
	struct evf_pick p = evf_pick_all();
	struct err err;

	(void)state;
	assert_int_equal(evf_pick_port(&p, l.names, "h1:s1", &err), 0);
	assert_true(p.by_port);
	assert_int_equal(p.node, 1);
	assert_int_equal(p.port, 0);
	assert_int_equal(evf_pick_port(&p, l.names, "h1:s2", &err), -ENOENT);
	assert_string_equal(
		err.text, "there is no port 'h1:s2' in the file; did you mean 'h1:s1'?");
	assert_int_equal(evf_pick_flow(&p, l.names, "incast", &err), 0);
	assert_int_equal(evf_pick_flow(&p, l.names, "noise", &err), 0);
	assert_string_equal(p.flow, "noise");
	assert_int_equal(evf_pick_flow(&p, l.names, "nose", &err), -ENOENT);
	assert_string_equal(err.text, "there is no flow 'nose' in the file; did you mean 'noise'?");
}

static void an_event_has_what_is_wanted(void **state)
{
	struct ev e = {.t = 10, .type = EV_MARK, .port = 1, .mark.hdr = 2};
	struct evf_pick p = evf_pick_all();
	struct err err;

	(void)state;
	assert_true(evf_pick_has(&p, l.names, &e));
	p.from = 10;
	assert_true(evf_pick_has(&p, l.names, &e));
	p.to = 10;
	assert_false(evf_pick_has(&p, l.names, &e));
	p = evf_pick_all();
	evf_pick_flow(&p, l.names, "incast[h1>x.1]", &err);
	assert_true(evf_pick_has(&p, l.names, &e));
	e.mark.hdr = 4;
	assert_false(evf_pick_has(&p, l.names, &e));
	p = evf_pick_all();
	evf_pick_port(&p, l.names, "s1:x", &err);
	assert_true(evf_pick_has(&p, l.names, &e));
	e.port = 0;
	assert_false(evf_pick_has(&p, l.names, &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_by_their_names),
		cmocka_unit_test(ports_and_flows_by_their_names),
		cmocka_unit_test(an_event_has_what_is_wanted),
	};

	return cmocka_run_group_tests(tests, open_lab, close_lab);
}
