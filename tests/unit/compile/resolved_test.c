// SPDX-License-Identifier: BSD-3-Clause
// Values with unit and source; the text loads to the same scene.
#include "scene_lab.h"

#include <dirent.h>

static void has(const struct scene *s, const char *line)
{
	if (!strstr(s->resolved, line))
		fail_msg("no '%s' in:\n%s", line, s->resolved);
}

static void every_value_has_its_source(void **state)
{
	const uint64_t seed = 5;
	const struct scene_set set = {"switches.s1.classes.3.pfc.quanta", "100"};
	const struct scene_opts opts = {.set = &set, .n_set = 1, .seed = &seed};
	struct scene *s;

	(void)state;
	assert_int_equal(lab_try(&s, LAB, &opts), 0);
	has(s, "    buffer: 4MB                             # quench-lab-");
	has(s, ":2\n    cell: 1B                                # default\n");
	has(s, "          quanta: 100                       # --set\n");
	has(s, "seed: 5                                     # command line\n");
	has(s, "          headroom: auto                    # default\n");
	has(s, "  # mac from 02:00:00:00:00:01, ip from 10.0.0.1\n  h1..2:\n    np:\n");
	has(s, "  r:\n    mac: 02:00:00:00:00:03                  # default\n");
	has(s, "    message: 1MB                            # default\n");
	assert_null(strstr(s->resolved, "open_loop"));
	assert_null(strstr(s->resolved, "xoff"));
	assert_null(strstr(s->resolved, "ports:"));
	scene_free(s);
}

// The text without its comments, which name files and lines.
static char *plain(const char *text)
{
	char *copy = strdup(text), *to = copy;

	for (const char *c = copy; *c; c++) {
		if (*c == '#' && c > copy && c[-1] == ' ') {
			while (to > copy && to[-1] == ' ')
				to--;
			while (c[1] && c[1] != '\n')
				c++;
		} else {
			*to++ = *c;
		}
	}
	*to = 0;
	return copy;
}

static void check_loop(const char *name, const struct scene *s)
{
	struct scene *again;
	char *one, *two;

	if (lab_try(&again, s->resolved, NULL))
		fail_msg("%s resolved does not load: %s", name, lab_err.text);
	one = plain(s->resolved);
	two = plain(again->resolved);
	assert_string_equal(one, two);
	assert_int_equal(s->n_flows, again->n_flows);
	assert_int_equal(s->n_events, again->n_events);
	assert_int_equal(s->max_packets, again->max_packets);
	free(one);
	free(two);
	scene_free(again);
}

// Files named in a scenario are looked for beside it, so its text is at home in its folder only.
static bool names_file(const struct scene *s)
{
	for (unsigned i = 0; i < s->n_nodes; i++) {
		if (s->node[i].replay)
			return true;
	}
	return false;
}

// A resolved scenario resolves to itself, for all scenarios that come with quench.
static void what_was_resolved_resolves_to_itself(void **state)
{
	DIR *d = opendir(CONFIG);

	(void)state;
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));) {
		char path[512];
		struct scene *s;

		if (!strstr(e->d_name, ".yaml"))
			continue;
		snprintf(path, sizeof(path), CONFIG "/%s", e->d_name);
		assert_int_equal(compile_scene(&s, path, NULL, &lab_err), 0);
		if (!names_file(s))
			check_loop(e->d_name, s);
		scene_free(s);
	}
	closedir(d);
}

// The way there and back takes 4,773.12 ns, a data frame 359.04 ns of it; the switch's 4 MB take
// 1.28 ms of a link. A flow whose ways differ keeps `auto`.
static void selective_repeat_shows_what_auto_came_to(void **state)
{
	const struct scene_set irn = {"flows.incast.recovery", "irn"};
	const struct scene_opts opts = {.set = &irn, .n_set = 1};
	struct scene *s;

	(void)state;
	assert_int_equal(lab_try(&s, LAB, &opts), 0);
	has(s, "    cap: 14                                 # auto\n");
	has(s, "    rto_low: 428257.706ns                   # auto\n");
	has(s, "    rto_high: 1284773.12ns                  # auto\n");
	check_loop("selective repeat", s);
	scene_free(s);
	s = lab_with("duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS
		     "links: [{between: [[h1, r], s1], rate: 25Gbps},"
		     "{between: [h2, s1], rate: 10Gbps}]\n" LAB_FLOWS,
		"flows.incast.recovery", "skip");
	has(s, "    cap: auto                               # default\n");
	check_loop("ways that differ", s);
	scene_free(s);
}

// XON given alone is the level itself: its usual distance from XOFF, shown as if it were given,
// would make another one of it.
static void thresholds_come_again(void **state)
{
	static const char *const pfc[] = {"{xoff: 256KB, xon: 192KB}", "{xoff: 256KB}",
		"{xoff: 256KB, xon: 192KB, xon_offset: 10KB}", "{dynamic_th: 0, xon: 5KB}"};

	(void)state;
	for (unsigned i = 0; i < sizeof(pfc) / sizeof(pfc[0]); i++) {
		char path[] = "switches.s1.classes.3.pfc";
		const struct scene_set set = {path, pfc[i]};
		const struct scene_opts opts = {.set = &set, .n_set = 1};
		const struct mmu_pg_params *a, *b;
		struct scene *s, *again;

		assert_int_equal(lab_try(&s, LAB, &opts), 0);
		assert_int_equal(lab_try(&again, s->resolved, NULL), 0);
		a = &s->node[scene_node(s, "s1")].u.sw.port[0].pg[3];
		b = &again->node[scene_node(again, "s1")].u.sw.port[0].pg[3];
		assert_int_equal(a->xon_bytes, b->xon_bytes);
		assert_int_equal(a->xon_offset_bytes, b->xon_offset_bytes);
		scene_free(s);
		scene_free(again);
	}
}

// Of thresholds for all rates and rows of by_rate, the nearer layer alone is shown.
static void rows_by_rate_come_again(void **state)
{
	static const char *const scene[] = {
		"defaults: {switches: {classes: {3: {wred: {min: 10KB, max: 20KB}}}}}\n"
		"switches: {s1: {classes: {3: {wred: {by_rate: {25G: {min: 1KB, max: 2KB}}}}}}}\n",
		"switches: {s1: {classes: {3: {wred: {min: 10KB, max: 20KB}}}}}\n"
		"ports: {s1:h1: {classes: {3: {wred: {by_rate: {25G: {min: 1KB, max: 2KB}}}}}}}\n",
		"switches: {s1: {classes: {3: {wred: {by_rate: {25G: {min: 1KB, max: 2KB}}}}}}}\n"
		"ports: {s1:h1: {classes: {3: {wred: {min: 10KB, max: 20KB}}}}}\n",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(scene) / sizeof(scene[0]); i++) {
		char text[1024];
		struct scene *s;

		snprintf(text, sizeof(text), "duration: 1ms\n%s" LAB_HOSTS LAB_LINKS LAB_FLOWS,
			scene[i]);
		s = lab(text);
		check_loop("by_rate", s);
		scene_free(s);
	}
}

// Slots of a port's map that the file does not give are the switch's.
static void settings_of_ports_come_again(void **state)
{
	struct scene *s = lab(
		"duration: 1ms\nswitches: {s1: {dscp_map: {9: 7}, pg_map: {5: 3}, classes: {3: "
		"{lossless: true, wred: {min: 1KB, max: 4KB/Gbps}}}}}\n" LAB_HOSTS LAB_LINKS
		"ports: {s1:h1..2: {dscp_map: {10: 5}, pcp_map: {1: 2}, queue_map: {3: 4}, "
		"pg_map: {6: 2}, trust: pcp, default_class: 1, classes: {3: {weight: 4, wred: "
		"{by_rate: {25G: {min: 2KB, max: 3KB}}}}}}, s1:r: {classes: {3: {wred: {min: none, "
		"max: none}}}}}\n"
		"flows: {f: {from: h1, to: h2}}\n");
	struct scene *again;
	const struct sw_params *a = &lab_node(s, "s1")->u.sw, *b;

	(void)state;
	has(s, "dscp_map: {0..7: 0, 8: 1, 9: 7, 10: 5, 11..15: 1");
	check_loop("ports", s);
	assert_int_equal(lab_try(&again, s->resolved, NULL), 0);
	b = &lab_node(again, "s1")->u.sw;
	assert_int_equal(a->n_sets, 2);
	assert_int_equal(b->n_sets, 2);
	assert_memory_equal(a->set, b->set, 2 * sizeof(*a->set));
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(a->port[i].set, b->port[i].set);
		assert_int_equal(a->port[i].trust, b->port[i].trust);
		assert_int_equal(a->port[i].default_class, b->port[i].default_class);
	}
	scene_free(again);
	scene_free(s);
}

static void hosts_of_a_range_keep_their_firmware(void **state)
{
	struct scene *s = lab("duration: 1ms\ncontrols: {c: {profile: rdma_ip}}\n"
			      "switches: {s1: }\nhosts: {h1..2: {firmware: {file: " MODULES
			      "/nothing.so, args: x=1}}, r: }\n"
			      "links: [{between: [[h1..2, r], s1]}]\n"
			      "flows: {f: {from: h1..2, to: r, control: c}}\n");

	(void)state;
	has(s, "  h1..2:\n");
	has(s, "nothing.so");
	has(s, "args: x=1");
	check_loop("firmware", s);
	scene_free(s);
}

static void so_does_every_section(void **state)
{
	struct scene *s = lab(
		"duration: 1ms\ncontrols: {c: {profile: hpcc_sim_dcqcn, rate_timer: none}}\n"
		"switches: {s1..2: {fdb: [], dscp_map: {9: 7}, classes: {0..1: {drop: {limit: "
		"3%}, tail_limit: "
		"1MB}, 3: {lossless: true, pfc: {xoff: 5%, refresh: 12.5%}, wred: {min: 1KB, max: "
		"2%, "
		"probability: 1/3}}}}}\n"
		"hosts: {h1..2: {strict: none, rx_buffer: {xoff: 10KB}}, r: {ip: 10.2.0.1}}\n"
		"links: [{between: [[h1..2, r], s1]}, {between: [s1, s2], mtu: 9000}, {between: "
		"[s1, s2]}]\n"
		"ports: {\"s1:s2.2\": {capture: true, classes: {3: {pfc: {dynamic_th: 1}}}}, "
		"\"h1:s1\": "
		"{device: \"net_tap0,iface=x\"}}\n"
		"flows: {f: {from: [h1, h2], to: r, control: c, start: none}, g: {from: h1, to: "
		"h2, open_loop: "
		"{size: 64..128, rate: 5%}}}\n"
		"events: [{at: 5us, pfc_storm: {port: \"r:s1\", for: 2us}}, {at: 1us, flow_start: "
		"f}]\n");

	(void)state;
	has(s, "\"s1:s2.2\":");
	has(s, "device: \"net_tap0,iface=x\"");
	check_loop("lab", s);
	scene_free(s);
}

// So many rows of flows behind the lab's one.
static struct scene *rows(unsigned n, const char *qps)
{
	struct scene *s;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	fputs("duration: 1ms\n" LAB_LOSSLESS LAB_HOSTS LAB_LINKS
	      "flows:\n  incast: {from: h1..2, to: r}\n",
		f);
	for (unsigned i = 0; i < n; i++)
		fprintf(f, "  f%u: {from: h1, to: r, qps: %s, ack_every: %u}\n", i, qps, i + 1);
	fclose(f);
	s = lab(text);
	free(text);
	return s;
}

// In more than 4096 flows the rows behind the 64th have only the given values, and mean the same.
static void of_many_flows_the_last_have_what_is_given(void **state)
{
	struct scene *few = rows(64, "63"), *many = rows(64, "65"), *short_list = rows(63, "66");

	(void)state;
	assert_null(strstr(few->resolved, "below only what is given"));
	assert_null(strstr(short_list->resolved, "below only what is given"));
	has(many, "  # Of the 1 flow below only what is given stands here; all else has the "
		  "defaults.\n  f63:\n    from: h1 ");
	assert_null(strstr(strstr(many->resolved, "\n  f63:"), "default\n"));
	assert_non_null(strstr(strstr(many->resolved, "\n  f62:"), "rto: "));
	assert_int_equal(many->flow[many->n_flows - 1]->rc->p.ack_every, 64);
	check_loop("many flows", many);
	scene_free(few);
	scene_free(many);
	scene_free(short_list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_value_has_its_source),
		cmocka_unit_test(what_was_resolved_resolves_to_itself),
		cmocka_unit_test(so_does_every_section),
		cmocka_unit_test(selective_repeat_shows_what_auto_came_to),
		cmocka_unit_test(thresholds_come_again),
		cmocka_unit_test(rows_by_rate_come_again),
		cmocka_unit_test(settings_of_ports_come_again),
		cmocka_unit_test(hosts_of_a_range_keep_their_firmware),
		cmocka_unit_test(of_many_flows_the_last_have_what_is_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
