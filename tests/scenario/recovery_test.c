// SPDX-License-Identifier: BSD-3-Clause
// Recovery from lost packets in whole runs: every message is complete by each scheme, and selective
// repeat sends fewer packets again than going back.
#include "scn.h"

#include <string.h>

#define SENDERS  8
#define MESSAGES 4

static double of(const struct scn *s, unsigned i, const char *figure)
{
	char path[64];

	snprintf(path, sizeof(path), "flow.f[h%u>h9.0].%s", i + 1, figure);
	return scn_value(s, path);
}

// Packets that are sent again in all; every byte is delivered once, in whole messages.
static double resent(const char *set)
{
	struct scn s = scn_run("../tests/scenario/recovery.yaml", set, "flows.f.rto=500us", NULL);
	double sum = 0;

	for (unsigned i = 0; i < SENDERS; i++) {
		scn_in(&s, "messages", of(&s, i, "message_complete_rx"), MESSAGES, MESSAGES);
		scn_in(&s, "bytes", of(&s, i, "rx_bytes"), MESSAGES * 1e6, MESSAGES * 1e6);
		sum += of(&s, i, "data_frames_retransmitted");
	}
	scn_free(&s);
	return sum;
}

static void selective_repeat_sends_less_again(void **state)
{
	double back = resent("flows.f.recovery=go_back_n");
	double irn = resent("flows.f.recovery=irn"), skip = resent("flows.f.recovery=skip");

	(void)state;
	print_message("resent: go_back_n %.0f, irn %.0f, skip %.0f\n", back, irn, skip);
	assert_true(irn > 0 && irn < skip && skip < back);
}

// A message's other forms go the same way.
static void verbs_are_alike(void **state)
{
	(void)state;
	assert_true(resent("flows.f.verb=send") > 0);
	assert_true(resent("flows.f.verb=write_imm") > 0);
	assert_true(resent("flows.f.verb=send_imm") > 0);
}

// Of the way there and back: 4 us, and on each link a data frame of 1122 bytes and an ACK of 86.
// The longer timeout also lets the slowest link empty the switch's buffer.
static void auto_follows_from_the_way(void **state)
{
	struct scn s = scn_run("../tests/scenario/recovery.yaml", NULL);
	const struct rc_params *p = &s.scene->flow[0]->rc->p;

	(void)state;
	assert_int_equal(p->window, 47);
	assert_true(p->rto_ps == 4193280 + s.scene->node[0].u.sw.buffer_bytes * 80);
	assert_true(p->rto_low_ps == p->rto_ps / 3);
	scn_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(selective_repeat_sends_less_again),
		cmocka_unit_test(verbs_are_alike),
		cmocka_unit_test(auto_follows_from_the_way),
	};

	return cmocka_run_group_tests_name("recovery", tests, NULL, NULL);
}
