// SPDX-License-Identifier: BSD-3-Clause
// The flow table of a switch as CSV, against the events and figures of the run.
#include "record_lab.h"

// Three senders, whose CNPs a switch sends, for the receiver answers each 2 ms.
#define SCENE(class)                                                                     \
	"duration: 4ms\nwarmup: 0us\ncontrols: {c: {profile: paper, rate_timer: 300us, " \
	"byte_counter: none}}\nswitches: {s1: {buffer: 16MB, classes: {3: {wred: {min: " \
	"10KB, max: 20KB, probability: 100%}" class                                      \
		"}}}}\n"                                                                 \
		"hosts: {h1..3: , r: {np: {interval: 2ms}}}\n"                           \
		"links: [{between: [[h1..3, r], s1], rate: 25Gbps, delay: 1us}]\n"       \
		"flows: {f: {from: h1..3, to: r, control: c}}\n"

static char text[1 << 20];

static size_t slurp(const struct lab *l, const char *name)
{
	char path[256];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", l->out, name);
	f = fopen(path, "r");
	if (!f)
		return 0;
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = 0;
	fclose(f);
	return n;
}

// The values in one line of the file.
struct row {
	char flow[32], last[32], np_last[32];
	unsigned host, qpn;
	unsigned long long cnps;
	double age_us;
};

static unsigned rows(const struct lab *l, struct row *row, unsigned max)
{
	static const char head[] = "switch,port,flow,sender,receiver,qpn,last_cnp_us,"
				   "last_np_cnp_us,tx_cnp,age_us\n";
	unsigned n = 0;

	assert_true(slurp(l, "iqcn.csv"));
	assert_memory_equal(text, head, strlen(head));
	for (char *at = strtok(text + strlen(head), "\n"); at; at = strtok(NULL, "\n"), n++) {
		struct row *w = &row[n];

		assert_true(n < max);
		assert_int_equal(
			sscanf(at, "s1,s1:r,%31[^,],10.0.0.%u,10.0.0.4,%u,%31[^,],%31[^,],%llu,%lf",
				w->flow, &w->host, &w->qpn, w->last, w->np_last, &w->cnps,
				&w->age_us),
			7);
	}
	return n;
}

// The last event of a type that names the flow.
static double last_event(const char *type, const char *flow)
{
	char want[64];
	double at = -1;

	snprintf(want, sizeof(want), ",%s,", type);
	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		size_t n = strcspn(line, "\n");
		const char *found = memmem(line, n, want, strlen(want));

		if (found && memmem(found, n - (size_t)(found - line), flow, strlen(flow)))
			at = strtod(line, NULL);
	}
	return at;
}

static void a_line_says_when_and_how_often(void **state)
{
	unsigned long long sent = 0;
	struct row row[8];
	unsigned n, hosts = 0;
	double total;
	struct lab l;

	(void)state;
	lab_open(&l, SCENE(", iqcn: {}"));
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	total = report_value(l.rec, "iqcn.s1.cnp_tx_total");
	lab_end(&l);
	n = rows(&l, row, 8);
	assert_int_equal(n, 3);
	assert_true(slurp(&l, "events.csv"));
	for (unsigned i = 0; i < n; i++) {
		char name[64];
		double last = last_event("iqcn_tx", row[i].flow);

		snprintf(name, sizeof(name), "f[h%u>r.0]", row[i].host);
		assert_string_equal(row[i].flow, name);
		assert_true(row[i].age_us >= 0 && row[i].age_us < 100); // data goes on
		assert_true(strtod(row[i].np_last, NULL) <= strtod(row[i].last, NULL));
		assert_true(row[i].qpn > 0);
		if (last > strtod(row[i].np_last, NULL))
			assert_true(strtod(row[i].last, NULL) == last);
		assert_true(i == 0 || strtod(row[i].last, NULL) >= strtod(row[i - 1].last, NULL));
		hosts |= 1u << row[i].host;
		sent += row[i].cnps;
	}
	assert_int_equal(hosts, 2 | 4 | 8);
	assert_true(sent > 0 && (double)sent == total);
	lab_close(&l);
}

static void without_iqcn_there_is_no_file(void **state)
{
	struct lab l;

	(void)state;
	lab_open(&l, SCENE(""));
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	lab_end(&l);
	assert_true(slurp(&l, "summary.json"));
	assert_int_equal(slurp(&l, "iqcn.csv"), 0);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_says_when_and_how_often),
		cmocka_unit_test(without_iqcn_there_is_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
