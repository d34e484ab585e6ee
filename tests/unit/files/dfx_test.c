// SPDX-License-Identifier: BSD-3-Clause
// The windows that registers started, as CSV and drawn.
#include "record_lab.h"

#define YAML(events)                                                                              \
	"name: dfx\nduration: 1ms\ncontrols: {ip: {profile: rdma_ip, clock: 250MHz}}\n"           \
	"switches: {s1: {buffer: 4MB, classes: {3: {lossless: true, wred: {min: 5KB, max: 50KB, " \
	"probability: 10%}}}}}\n"                                                                 \
	"hosts: {h1..2: {}, r: {}}\n"                                                             \
	"links: [{between: [[h1..2, r], s1], rate: 25Gbps, delay: 1us}]\n"                        \
	"flows: {incast: {from: h1..2, to: r, control: ip}}\n" events

static size_t slurp(const struct lab *l, const char *name, char *buf, size_t size)
{
	char path[256];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", l->out, name);
	f = fopen(path, "r");
	if (!f)
		return 0;
	n = fread(buf, 1, size - 1, f);
	buf[n] = 0;
	fclose(f);
	return n;
}

static char text[1 << 17];

static void windows_become_csv_and_svg(void **state)
{
	const char *const head = "time_us,flow,node,qp,event,event_name,rate,rate_gbps\n";
	unsigned lines = 0, cuts = 0, last = 0;
	struct lab l;

	(void)state;
	lab_open(&l,
		YAML("events:\n"
		     "- {at: 0us, reg: {node: h2, name: DCQCN_DFX_CTRL, value: 0x100000001}}\n"));
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	assert_true(slurp(&l, "dfx.csv", text, sizeof(text)));
	assert_memory_equal(text, head, strlen(head));
	for (char *at = strtok(text + strlen(head), "\n"); at; at = strtok(NULL, "\n"), lines++) {
		unsigned us, event, rate;
		char name[32];
		double gbps;

		assert_int_equal(sscanf(at, "%u,incast[h2>r.0],h2,1,%u,%31[^,],%u,%lf", &us, &event,
					 name, &rate, &gbps),
			5);
		assert_true(us >= last && us < 1000);
		assert_int_equal((unsigned)(gbps * 1000 + 0.5),
			(unsigned)(rate * 1.953125 + 0.5)); // 250 MHz
		cuts += !strcmp(name, "decrease");
		last = us;
	}
	assert_in_range(lines, 10, 64);
	assert_true(cuts > 0);
	assert_true(slurp(&l, "dfx.svg", text, sizeof(text)));
	assert_memory_equal(text, "<svg ", 5);
	assert_non_null(strstr(text, "incast[h2&gt;r.0]"));
	assert_null(strstr(text, "h1"));
	assert_null(strstr(text, "nan"));
	assert_string_equal(text + strlen(text) - 7, "</svg>\n");
	lab_end(&l);
	lab_close(&l);
}

static void without_a_window_there_is_no_file(void **state)
{
	struct lab l;

	(void)state;
	lab_open(&l, YAML(""));
	assert_int_equal(lab_run(&l, NULL, 0, false), 0);
	assert_int_equal(slurp(&l, "dfx.csv", text, sizeof(text)), 0);
	assert_int_equal(slurp(&l, "dfx.svg", text, sizeof(text)), 0);
	assert_true(slurp(&l, "summary.json", text, sizeof(text)));
	lab_end(&l);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_become_csv_and_svg),
		cmocka_unit_test(without_a_window_there_is_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
