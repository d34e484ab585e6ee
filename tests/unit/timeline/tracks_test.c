// SPDX-License-Identifier: BSD-3-Clause
// Tracks of nodes, ports, classes and flows: below each other, in the order of their names.
#include "timeline/tracks.h"

#include <unistd.h>

#include "pftrace_lab.h"

// Sequences: once each.
static void ask_sequences(struct tracks *t, int port, int cnp_port, int flow)
{
	assert_int_equal(tracks_of_marks(t, port, 3), 1);
	assert_int_equal(tracks_of_marks(t, port, 3), 1);
	assert_int_equal(tracks_of_marks(t, port, -1), 0);
	assert_int_equal(tracks_of_reaction(t, flow), 2);
	assert_int_equal(tracks_of_reaction(t, flow), 2);
	assert_int_equal(tracks_alone(t, flow, FLOW_RTT), 3);
	assert_int_equal(tracks_alone(t, flow, FLOW_RTT), 3);
	assert_int_equal(tracks_of_cnps(t, cnp_port), 4);
	assert_int_equal(tracks_more_messages(t, flow), 5);
	assert_int_equal(tracks_more_messages(t, flow), 6);
}

// A node of several ports comes first, and h2 before h10.
static const char tree[] =
	"track run rank 0\n"
	"track run/s1 rank 0\n"
	"track run/s1/s1:h10 rank 3\n"
	"track run/s1/s1:h10/class 3 rank 5\n"
	"track run/s1/s1:h10/class 3/marks rank 5\n"
	"track run/h10 rank 2\n"
	"track run/h10/h10:s1 rank 1\n"
	"track run/h10/h10:s1/CNPs sent rank 0\n"
	"track run/h2 rank 1\n"
	"track run/h2/h2:s1 rank 0\n"
	"track run/h2/h2:s1/receive buffer rank 1 counter bytes  x0\n"
	"track run/s1/s1:h2 rank 2\n"
	"track run/flows rank 3\n"
	"track run/flows/incast[h10>r.0] rank 1\n"
	"track run/flows/incast[h10>r.0]/alpha rank 4 counter  x0\n"
	"track run/flows/incast[h10>r.0]/Rc rank 1 counter b/s x1000\n"
	"track run/flows/incast[h10>r.0]/messages rank 6\n"
	"track run/s1/s1:h10/class 3/queue that the marker saw rank 3 counter bytes  x0\n"
	"track run/flows/incast[h10>r.0]/Rt rank 2 counter b/s x1000\n"
	"track run/flows/incast[h10>r.0]/RTT rank 5 counter us x0\n"
	"track run/flows/incast[h10>r.0]/messages rank 6\n"
	"track run/flows/incast[h10>r.0]/messages rank 6\n";

static void the_tree_is_in_order(void **state)
{
	static const char *const port[] = {"h10:s1", "h2:s1", "s1:h10", "s1:h2"};
	char path[] = "/tmp/quench-tracks-XXXXXX", *lines;
	int fd = mkstemp(path), n[4], flow;
	struct tracks *t = tracks_new();
	struct pftrace *p;
	struct err err;
	uint32_t mark;

	(void)state;
	assert_true(fd >= 0 && close(fd) == 0);
	assert_int_equal(pftrace_open(&p, path, &err), 0);
	for (unsigned i = 0; i < 4; i++)
		n[i] = tracks_port(t, port[i], strlen(port[i]));
	assert_int_equal(tracks_port(t, "h2:s1.3", 5), n[1]);
	flow = tracks_flow(t, "incast[h10>r.0]");
	tracks_flow(t, "incast[h2>r.0]");
	assert_int_equal(tracks_begin(t, p, "run", "about it"), 1);
	mark = tracks_of_class(t, n[2], 3, CLASS_MARKS);
	assert_int_equal(tracks_of_class(t, n[2], 3, CLASS_MARKS), mark);
	assert_int_equal(
		tracks_of_class(t, n[2], -1, CLASS_DROPS), tracks_of_port(t, n[2], PORT_SELF));
	tracks_of_port(t, n[0], PORT_CNPS);
	tracks_of_port(t, n[1], PORT_RXBUF);
	tracks_of_port(t, n[3], PORT_SELF);
	tracks_of_flow(t, flow, FLOW_ALPHA);
	tracks_of_flow(t, flow, FLOW_RC);
	tracks_of_flow(t, flow, FLOW_MESSAGES);
	ask_sequences(t, n[2], n[0], flow);
	assert_int_equal(pftrace_close(p, &err), 0);
	lines = pflab_lines(path);
	assert_string_equal(lines, tree);
	free(lines);
	unlink(path);
	tracks_free(t);
	tracks_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_tree_is_in_order)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
