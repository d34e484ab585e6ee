// SPDX-License-Identifier: BSD-3-Clause
// summary.json: well formed, with the sections and the names that docs/measuring.md promises; CNPs
// of switches by port and by switch.
#include "record_lab.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>

#include "report/int.h"
#include "summary/summary.h"

static struct lab l;
static char *whole;

static int run(void **state)
{
	int code;

	(void)state;
	lab_open(&l, LAB_TWO_TO_ONE
		"  noise: {from: h2, to: r, class: 0, open_loop: {size: 500, rate: 2%}}\n");
	code = lab_run(&l, NULL, 0, false);
	if (!code)
		whole = lab_file(&l, "summary.json");
	return code;
}

static int end(void **state)
{
	(void)state;
	free(whole);
	lab_close(&l);
	return 0;
}

static const char *value(const char *p);

static const char *space(const char *p)
{
	return p + strspn(p, " \n\t");
}

static const char *string(const char *p)
{
	assert_int_equal(*p, '"');
	for (p++; *p != '"'; p++) {
		assert_true((unsigned char)*p >= ' ');
		p += *p == '\\';
	}
	return p + 1;
}

// Checks the text between brackets, up to the closing one; members of an object have keys.
static const char *members(const char *p, char close)
{
	p = space(p + 1);
	if (*p == close)
		return p + 1;
	for (;;) {
		if (close == '}') {
			p = space(string(space(p)));
			assert_int_equal(*p, ':');
			p++;
		}
		p = space(value(space(p)));
		if (*p == close)
			return p + 1;
		assert_int_equal(*p, ',');
		p = space(p + 1);
	}
}

// Passes one value of JSON; fails the test where there is none.
static const char *value(const char *p)
{
	char *after;

	if (*p == '{')
		return members(p, '}');
	if (*p == '[')
		return members(p, ']');
	if (*p == '"')
		return string(p);
	if (!strncmp(p, "null", 4) || !strncmp(p, "true", 4))
		return p + 4;
	if (!strncmp(p, "false", 5))
		return p + 5;
	assert_true(isdigit((unsigned char)*p) || *p == '-');
	strtod(p, &after);
	return after;
}

static void well_formed(void **state)
{
	(void)state;
	assert_string_equal(value(whole), "\n");
}

static void sections(void **state)
{
	static const char *const keys[] = {"name", "seed", "interrupted", "window_from_us",
		"warnings", "verdicts", "why", "total", "switch_drops", "nic_drops", "groups",
		"flows", "bottleneck", "links", "queues", "pauses", "ingress_groups", "sources",
		"replays", "receive_buffers", "nic_counters", "switch_port_counters", "instrument"};

	(void)state;
	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		char key[64];

		snprintf(key, sizeof(key), "\"%s\": ", keys[i]);
		if (!strstr(whole, key))
			fail_msg("%s is missing", key);
	}
}

// The Open Traffic Generator's columns, each in every flow's row.
static void columns_of_flows(void **state)
{
	static const char *const names[] = {"flow_name", "port_tx", "port_rx", "src_qp", "dest_qp",
		"src_ipv4", "dest_ipv4", "data_frames_tx", "data_frames_rx", "frame_delta",
		"data_frames_retransmitted", "frame_sequence_error", "tx_bytes", "rx_bytes",
		"data_tx_rate", "data_rx_rate", "message_tx", "message_complete_rx", "message_fail",
		"flow_completion_time", "avg_latency", "min_latency", "max_latency", "ecn_ce_rx",
		"cnp_tx", "cnp_rx", "ack_tx", "ack_rx", "nak_tx", "nak_rx", "first_timestamp",
		"last_timestamp"};
	char *row = strstr(whole, "{\"flow_name\": \"incast[h2>r.0]\""), *stop;

	(void)state;
	assert_non_null(row);
	stop = strchr(row, '}');
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char key[64], *at;

		snprintf(key, sizeof(key), "\"%s\": ", names[i]);
		at = strstr(row, key);
		if (!at || at > stop)
			fail_msg("%s is missing", key);
	}
	assert_non_null(strstr(row, "\"port_tx\": \"h2:s1\", \"port_rx\": \"r:s1\""));
	assert_non_null(strstr(row, "\"src_ipv4\": \"10.0.0.2\", \"dest_ipv4\": \"10.0.0.3\""));
}

// The members of one object in the file, against its kind's rows: each member that it has, no
// other, and figures as summary_at() gives them, but for their decimals.
static unsigned same_object(const json_t *o, unsigned kind, unsigned i)
{
	const struct set *set = &l.rec->sum->set[kind];
	struct figure f;
	size_t n = 0;

	for (unsigned m = 0; kind_member(summary_kind[kind], m, &f); m++) {
		const json_t *v = json_object_get(o, f.name);
		double is, want;

		if (!figure_has(&f, set_at(set, i))) {
			assert_null(v);
			continue;
		}
		n++;
		if (!v)
			fail_msg("%s of %s is missing", f.name, summary_kind[kind]->title);
		if (!figure_is_number(&f))
			continue;
		want = summary_at(l.rec->sum, (enum kind_id)kind, i, f.name);
		is = json_is_null(v) ? NAN : json_number_value(v);
		if (json_is_null(v) != !isfinite(want) ||
			fabs(is - want) > 0.5000001 * pow(10, -f.decimals) + 1e-12 * fabs(want))
			fail_msg("%s of %s is %g, not %g", f.name, summary_kind[kind]->title, is,
				want);
	}
	assert_int_equal(json_object_size(o), n);
	return (unsigned)n;
}

static void every_member_is_that_of_its_row(void **state)
{
	json_t *all = json_loads(whole, 0, NULL);
	unsigned n = 0, before = 0;

	(void)state;
	assert_non_null(all);
	for (unsigned k = 0; k < KINDS; k++) {
		const struct set *set = &l.rec->sum->set[k];
		const json_t *list;

		if (!summary_kind[k]->key)
			continue;
		list = json_object_get(all, summary_kind[k]->key);
		if (summary_kind[k]->if_any && !set->n) {
			assert_null(list);
			continue;
		}
		if (summary_kind[k]->single) {
			n += same_object(list, k, 0);
			continue;
		}
		// Kinds with one key follow each other in its list.
		before = k && summary_kind[k - 1]->key &&
					 !strcmp(summary_kind[k - 1]->key, summary_kind[k]->key)
				 ? before
				 : 0;
		for (unsigned i = 0; i < set->n; i++)
			n += same_object(json_array_get(list, before + i), k, i);
		before += set->n;
		if (k + 1 == KINDS || !summary_kind[k + 1]->key ||
			strcmp(summary_kind[k]->key, summary_kind[k + 1]->key) != 0)
			assert_int_equal(json_array_size(list), before);
	}
	assert_true(n > 500);
	json_decref(all);
}

// Every reason of a drop is listed, zero included.
static void every_drop_reason(void **state)
{
	(void)state;
	for (int i = 0; i < SW_DROPS; i++) {
		char key[64];

		snprintf(key, sizeof(key), "\"%s\": 0", sw_drop_name((enum sw_drop)i));
		assert_non_null(strstr(whole, key));
	}
	assert_non_null(strstr(whole, "\"drop_rxbuf\": 0"));
}

// Three senders, whose CNPs a switch sends.
#define SCENE(control, iqcn, np)                                                       \
	"duration: 4ms\nwarmup: 100us\ncontrols: {c: {profile: paper, " control "}}\n" \
	"switches: {s1: {buffer: 16MB, classes: {3: {wred: {min: 10KB, max: 20KB, "    \
	"probability: 100%}, " iqcn "}}}}\n"                                           \
	"hosts: {h1..3: , r: {np: {interval: " np "}}}\n"                              \
	"links: [{between: [[h1..3, r], s1], rate: 25Gbps, delay: 1us}]\n"             \
	"flows: {f: {from: h1..3, to: r, control: c}}\n"
#define IQCN     SCENE("rate_timer: 300us, byte_counter: none", "iqcn: {}", "2ms")
#define FAST_CNP SCENE("ai_rate: 2Gbps", "fast_cnp: {}", "50us")

// The list `key` of the file has so many rows, and one of them the figure as `path` has it.
static void assert_list(const char *text, const char *key, unsigned rows, const char *row,
	const char *figure, const char *path)
{
	char want[160];
	char *list = strstr(text, key), *end;

	assert_non_null(list);
	end = strchr(list, ']');
	assert_non_null(end);
	list = strndup(list, (size_t)(end - list));
	assert_int_equal(times_in(list, "\"cnp_tx\": "), rows);
	assert_int_equal(times_in(list, row), 1);
	snprintf(want, sizeof(want), "\"%s\": %.0f", figure, report_value(l.rec, path));
	assert_non_null(strstr(strstr(list, row), want));
	free(list);
}

static void iqcn_has_a_row_a_port_and_a_switch(void **state)
{
	char *text;

	(void)state;
	lab_open(&l, IQCN);
	assert_int_equal(lab_run(&l, NULL, 0, true), 0);
	text = lab_file(&l, "summary.json");
	assert_list(text, "\"iqcn\": [", 4, "\"port\": \"s1:r\"", "cnp_rx", "iqcn.s1:r.cnp_rx");
	assert_list(
		text, "\"iqcn_tables\": [", 1, "\"switch\": \"s1\"", "cnp_tx", "iqcn.s1.cnp_tx");
	assert_null(strstr(text, "\"fast_cnp\": ["));
	free(text);
	lab_close(&l);
}

static void fast_cnp_has_a_row_a_port_and_a_switch(void **state)
{
	char *text;

	(void)state;
	lab_open(&l, FAST_CNP);
	assert_int_equal(lab_run(&l, NULL, 0, true), 0);
	text = lab_file(&l, "summary.json");
	assert_list(text, "\"fast_cnp\": [", 4, "\"port\": \"s1:r\"", "suppressed",
		"fast_cnp.s1:r.suppressed");
	assert_list(text, "\"fast_cnp_tables\": [", 1, "\"switch\": \"s1\"", "learned_total",
		"fast_cnp.s1.learned_total");
	assert_null(strstr(text, "\"iqcn\": ["));
	free(text);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests_run[] = {
		cmocka_unit_test(well_formed),
		cmocka_unit_test(sections),
		cmocka_unit_test(columns_of_flows),
		cmocka_unit_test(every_drop_reason),
		cmocka_unit_test(every_member_is_that_of_its_row),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(iqcn_has_a_row_a_port_and_a_switch),
		cmocka_unit_test(fast_cnp_has_a_row_a_port_and_a_switch),
	};

	return cmocka_run_group_tests(tests_run, run, end) +
	       cmocka_run_group_tests(tests, NULL, NULL);
}
