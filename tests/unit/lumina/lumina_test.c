// SPDX-License-Identifier: BSD-3-Clause
// A Lumina configuration becomes a scenario that loads; wrong ones are told by their place.
#include "lumina/lumina.h"
#include "scene_lab.h"

#define SIDE(np)                                                                \
	"  nic: {type: CX5, if-name: p0, ip-list: [10.1.0.1/24]}\n"             \
	"  roce-parameters: {dcqcn-rp-enable: True, dcqcn-np-enable: " np ",\n" \
	"    min-time-between-cnps: 4, adaptive-retrans: False, slow-restart: True}\n"
#define SIDES "requester:\n" SIDE("False") "responder:\n" SIDE("True")
#define TRAFFIC(verb, more)                                                                  \
	"traffic:\n  num-qps: 2\n  rdma-verb: " verb "\n  num-msgs-per-qp: 3\n  mtu: 1024\n" \
	"  message-size: 10240\n  multi-gid: false\n  barrier-sync: true\n  tx-depth: 1\n"   \
	"  min-retransmit-timeout: 10\n  max-retransmit-retry: 5\n" more
#define EVENTS(events) "  data-pkt-events:\n" events
#define FILE_OF(verb, events) \
	"num-repeats: 2\nswitch: {port-speed: 40G}\n" SIDES TRAFFIC(verb, EVENTS(events))
#define THREE                                           \
	"    - {qpn: 0, psn: 4, type: drop, iter: 1}\n" \
	"    - {qpn: 1, psn: 29, type: ecn, iter: 2}\n" \
	"    - {qpn: 1, psn: 7, type: bit-error, iter: 1}\n"

static int try_import(struct lumina_import *in, const char *text)
{
	char path[] = "/tmp/quench-lumina-XXXXXX";
	int fd = mkstemp(path), rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	rc = lumina_import(in, path, &lab_err);
	unlink(path);
	return rc;
}

static void has(const struct lumina_import *in, const char *part)
{
	if (!strstr(in->yaml, part))
		fail_msg("lacks '%s' in\n%s", part, in->yaml);
}

static void events_become_faults(void **state)
{
	struct lumina_import in;
	struct scene *s;

	(void)state;
	if (try_import(&in, FILE_OF("write", THREE)))
		fail_msg("%s", lab_err.text);
	has(&in, "rto: 4194304ns # 4.096 us * 2^10\n");
	has(&in, "rate: 40Gbps");
	has(&in, "# - barrier-sync: ");
	s = lab(in.yaml);
	assert_int_equal(s->n_flows, 2);
	assert_int_equal(s->n_faults, 3);
	assert_int_equal(s->fault[0]->pair[0].flow, 0);
	assert_int_equal(s->fault[0]->record.pass_from, 1);
	assert_int_equal(s->fault[0]->record.nth_from, 0);
	assert_int_equal(s->fault[1]->pair[0].flow, 1);
	assert_int_equal(s->fault[1]->record.from, 29);
	assert_int_equal(s->fault[1]->record.pass_to, 2);
	assert_int_equal(s->fault[1]->record.action, FAULT_ECN);
	assert_int_equal(s->fault[2]->record.action, FAULT_CORRUPT);
	assert_string_equal(s->node[s->fault[0]->node].name, "s1");
	assert_true(lab_node(s, "requester")->u.nic.np_off);
	assert_false(lab_node(s, "responder")->u.nic.np_off);
	scene_free(s);
	lumina_free(&in);
}

static void a_read_has_its_data_from_the_responder(void **state)
{
	struct lumina_import in;
	struct scene *s;

	(void)state;
	assert_int_equal(try_import(&in, FILE_OF("read", THREE)), 0);
	s = lab(in.yaml);
	assert_string_equal(s->flow[1]->name, "lumina[responder>requester.1]");
	assert_int_equal(s->n_faults, 3);
	scene_free(s);
	lumina_free(&in);
	assert_int_equal(try_import(&in, SIDES TRAFFIC("send", "")), 0);
	has(&in, "# - port-speed: it is missing or begins with no number, so links have 100G");
	has(&in, "rate: 100Gbps");
	s = lab(in.yaml);
	assert_int_equal(s->n_faults, 0);
	scene_free(s);
	lumina_free(&in);
}

static void a_name_of_several_lines_is_cut(void **state)
{
	struct lumina_import in;

	(void)state;
	assert_int_equal(try_import(&in, "requester: {nic: {type: \"CX5\\nhosts: x\"}}\n"
					 "responder: {}\n" TRAFFIC("write", "")),
		0);
	has(&in, "np: {mode: off} # CX5\n  responder:");
	scene_free(lab(in.yaml));
	lumina_free(&in);
}

static void wrong_files_are_told_by_their_place(void **state)
{
	static const char *const told[][2] = {
		{"a: 1\n", ":1:1: 'requester' is missing here; this is no configuration"},
		{"[]\n", ":1:1: this is no configuration of Lumina"},
		{FILE_OF("send_read", THREE), "rdma-verb: 'send_read' is not one of write, send"},
		{FILE_OF("write", "    - {qpn: 2, psn: 4, type: drop, iter: 1}\n"),
			"qpn: write a whole number from 0 to 1"},
		{FILE_OF("write", "    - {qpn: 1, psn: 30, type: drop, iter: 1}\n"),
			"psn: write a whole number from 0 to 29"},
		{FILE_OF("write", "    - {qpn: 1, psn: 3, type: loss, iter: 1}\n"),
			"type: 'loss' is not one of drop, ecn and bit-error"},
		{FILE_OF("write", "    - {qpn: 1, psn: 3, type: drop}\n"), "'iter' is missing"},
		{"requester: 5\n", ":1:12: requester: write a map with nic and roce-parameters"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		struct lumina_import in;

		assert_int_equal(try_import(&in, told[i][0]), -EINVAL);
		if (!strstr(lab_err.text, told[i][1]))
			fail_msg("told '%s'\nnot  '%s'", lab_err.text, told[i][1]);
		lumina_free(&in);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_become_faults),
		cmocka_unit_test(a_read_has_its_data_from_the_responder),
		cmocka_unit_test(a_name_of_several_lines_is_cut),
		cmocka_unit_test(wrong_files_are_told_by_their_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
