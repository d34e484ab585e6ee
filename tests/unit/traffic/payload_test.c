// SPDX-License-Identifier: BSD-3-Clause
// Each word of `payload`, what hosts and headers know of it, and wrong ones.
#include "scene_lab.h"

#define FLOWS(text) "duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS "flows: {" text "}\n"

// A wrong scenario is told this, at its place, among other words.
static void lab_told(const char *text, const char *want)
{
	const struct scene_opts opts = {0};
	struct scene *s = NULL;

	assert_int_not_equal(lab_try(&s, text, &opts), 0);
	if (!strstr(lab_err.text, want) || strncmp(lab_err.text, "lab.yaml:", 9) != 0)
		fail_msg("%s", lab_err.text);
}

static const struct payload *payload_of(const struct scene *s, unsigned flow)
{
	return &s->payload[s->flow[flow]->hdr_data.payload];
}

static void each_word_is_a_payload(void **state)
{
	struct scene *s = lab(FLOWS("a: {from: h1, to: r}, b: {from: h1, to: r, payload: '0xa5'}, "
				    "c: {from: h1, to: r, payload: counter}, "
				    "d: {from: h1, to: r, payload: prbs}, "
				    "e: {from: h1, to: r, payload: '0x1234'}, "
				    "f: {from: h1, to: r, payload: '0xdeadbeef'}, "
				    "g: {from: h1, to: r, payload: '0xa5a5'}"));

	(void)state;
	assert_int_equal(s->flow[0]->hdr_data.payload, 0);
	assert_int_equal(payload_of(s, 0)->kind, PAYLOAD_ZEROS);
	assert_int_equal(payload_of(s, 1)->kind, PAYLOAD_FIXED);
	assert_memory_equal(payload_of(s, 1)->word, "\xa5\xa5\xa5\xa5", 4);
	assert_int_equal(payload_of(s, 2)->kind, PAYLOAD_COUNTER);
	assert_int_equal(payload_of(s, 3)->kind, PAYLOAD_PRBS);
	assert_memory_equal(payload_of(s, 4)->word, "\x12\x34\x12\x34", 4);
	assert_memory_equal(payload_of(s, 5)->word, "\xde\xad\xbe\xef", 4);
	assert_ptr_equal(payload_of(s, 6), payload_of(s, 1)); // the same bytes
	assert_int_equal(s->flow[1]->hdr_ack.payload, 0);
	assert_int_equal(s->flow[1]->hdr_cnp.payload, 0);
	scene_free(s);
}

static void hosts_know_what_sources_send(void **state)
{
	struct scene *s = lab("duration: 1ms\n" LAB_LOSSLESS
			      "hosts: {h1..2: , r: {check_payload: true}}\n" LAB_LINKS
			      "flows: {a: {from: h1, to: r, open_loop: {size: 100, rate: 1%}}, "
			      "b: {from: h2, to: r, payload: prbs, "
			      "open_loop: {size: 100, rate: 1%}}}\n");
	const struct nic_params *p = &lab_node(s, "r")->u.nic;

	(void)state;
	assert_true(p->check_payload);
	assert_false(lab_node(s, "h1")->u.nic.check_payload);
	assert_int_equal(p->payload[p->source_payload[0]].kind, PAYLOAD_ZEROS);
	assert_int_equal(p->payload[p->source_payload[1]].kind, PAYLOAD_PRBS);
	assert_int_equal(s->source[1]->hdr.payload, p->source_payload[1]);
	scene_free(s);
}

static void a_file_is_read(void **state)
{
	char path[] = "/tmp/quench-payload-XXXXXX", text[400];
	int fd = mkstemp(path);
	struct scene *s;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "abcdefg", 7), 7);
	close(fd);
	snprintf(text, sizeof(text), FLOWS("a: {from: h1, to: r, mtu: 256, payload: 'file %s'}"),
		path);
	s = lab(text);
	assert_int_equal(payload_of(s, 0)->kind, PAYLOAD_FILE);
	assert_int_equal(payload_of(s, 0)->n, 7);
	assert_int_equal(payload_of(s, 0)->step, 256);
	assert_memory_equal(payload_of(s, 0)->file, "abcdefg", 7);
	scene_free(s);
	assert_int_equal(truncate(path, 0), 0);
	lab_told(text, "the file has 0 bytes");
	unlink(path);
	lab_told(text, "No such file");
}

static void wrong_words(void **state)
{
	static const char *const words[] = {
		"ones", "0x", "0xg5", "0xa5a", "0xdeadbeef00", "0x-5", "prbs7", "file"};

	(void)state;
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char text[400];

		snprintf(
			text, sizeof(text), FLOWS("a: {from: h1, to: r, payload: '%s'}"), words[i]);
		lab_told(text, "it is zeros, counter, prbs");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_word_is_a_payload),
		cmocka_unit_test(hosts_know_what_sources_send),
		cmocka_unit_test(a_file_is_read),
		cmocka_unit_test(wrong_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
