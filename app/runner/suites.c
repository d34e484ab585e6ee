// SPDX-License-Identifier: BSD-3-Clause
// The rows of the suites that `quench verify` is given: their files, the ports that each row wants,
// and whether there are so many.
#include "suites.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LEAST_RATE 100000 // bit/s of a control

const char *suites_device(const struct verify_args *a)
{
	return a->s.dut ? a->s.dut : "s1";
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), e = strlen(end);

	return n > e && !strcmp(text + n - e, end);
}

static int is_row(const struct dirent *e)
{
	const char *name = e->d_name;

	return *name != '.' && (ends_with(name, ".yaml") || ends_with(name, SUITE_STEP) ||
				       ends_with(name, SUITE_SEARCH));
}

static int is_shown(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static void free_names(struct dirent **e, int n)
{
	for (int i = 0; i < n; i++)
		free(e[i]);
	if (n >= 0)
		free(e);
}

// The names of the suites that come with quench, in their order; -1: their folder is missing.
static int suite_names(struct dirent ***e)
{
	char dir[PATH_MAX];

	scenario_config(dir, sizeof(dir), "verify");
	return scandir(dir, e, is_shown, alphasort);
}

// Refuses a name that is no suite: names the nearest suite, or the folder that should have them.
static int refuse_suite(const char *name, struct err *err)
{
	struct near near = near_to(name);
	char hint[NEAR_NAME + 64], dir[PATH_MAX];
	struct dirent **e = NULL;
	int n = suite_names(&e);

	for (int i = 0; i < n; i++)
		near_see(&near, e[i]->d_name);
	free_names(e, n);
	scenario_config(dir, sizeof(dir), "verify");
	if (n < 0)
		return err_set(err, -EINVAL, "there is no suite '%s': the suites are not in %s",
			name, dir);
	return err_set(err, -EINVAL, "there is no suite '%s'%s", name,
		near_hint(&near, "; `quench verify --list` shows them", hint, sizeof(hint)));
}

// The name of a suite: of the folder that it is in. -EINVAL: it was named before.
static int name_suite(char *name, size_t size, const struct suite_sheet *sheet, const char *suite,
	struct err *err)
{
	size_t n = strlen(suite), from;

	while (n > 1 && suite[n - 1] == '/')
		n--;
	for (from = n; from && suite[from - 1] != '/'; from--)
		;
	snprintf(name, size, "%.*s", (int)(n - from), suite + from);
	for (unsigned i = 0; i < sheet->n; i++)
		if (!strcmp(sheet->row[i].suite, name))
			return err_set(err, -EINVAL, "suite %s is named twice", name);
	return 0;
}

int suites_add(struct suite_sheet *sheet, const char *suite, const char *only, struct err *err)
{
	char dir[PATH_MAX], file[PATH_MAX], name[NAME_MAX + 1];
	unsigned before = sheet->n;
	struct dirent **e = NULL;
	int n, rc;

	snprintf(file, sizeof(file), "verify/%s", suite);
	scenario_config(dir, sizeof(dir), file);
	if (!*suite || !is_folder(dir))
		snprintf(dir, sizeof(dir), "%s", suite);
	n = *suite && is_folder(dir) ? scandir(dir, &e, is_row, alphasort) : -1;
	if (n <= 0) {
		free_names(e, n);
		return refuse_suite(suite, err);
	}
	rc = name_suite(name, sizeof(name), sheet, suite, err);
	for (int i = 0; !rc && i < n; i++) {
		if (snprintf(file, sizeof(file), "%s/%s", dir, e[i]->d_name) >= (int)sizeof(file))
			rc = err_set(err, -ENAMETOOLONG, "%s: the path is too long", dir);
		else if (!only || strstr(e[i]->d_name, only))
			rc = suite_row_add(sheet, name, file, err);
	}
	free_names(e, n);
	if (!rc && sheet->n == before)
		rc = err_set(
			err, -EINVAL, "suite %s has no row with '%s' in its name", suite, only);
	return rc;
}

// Cuts the first device off a list of devices with their arguments: a word with an equals sign is
// an argument of the device before it, and commas in brackets part nothing. Returns the rest; NULL:
// this was the last.
static char *cut_device(char *list)
{
	unsigned depth = 0;

	for (char *c = list; *c; c++) {
		depth += *c == '[';
		depth -= depth && *c == ']';
		if (depth || *c != ',' || c[1 + strcspn(c + 1, "=,")] == '=')
			continue;
		*c = '\0';
		return c + 1;
	}
	return NULL;
}

// Takes one device of the list. -EINVAL and a line.
static int take_name(struct suites_ports *p, const char *list, const char *name, struct err *err)
{
	if (!*name)
		return err_set(err, -EINVAL,
			"--ports '%s': a device is missing between commas; as in --ports e0,e1",
			list);
	if (name[strcspn(name, "=,")] == '=')
		return err_set(err, -EINVAL,
			"--ports '%s': %s is an argument and stands before its device; as in "
			"--ports net_af_packet0,iface=e0,net_af_packet1,iface=e1",
			list, name);
	if (p->n == TESTER_PORTS)
		return err_set(err, -EINVAL, "--ports: at most %u of them", TESTER_PORTS);
	for (unsigned i = 0; i < p->n; i++)
		if (!strcmp(p->device[i], name))
			return err_set(err, -EINVAL,
				"--ports '%s': %s stands there twice; name it once", list, name);
	p->device[p->n++] = name;
	return 0;
}

static int take_names(struct suites_ports *p, const char *list, struct err *err)
{
	int rc = 0;

	p->names = strdup(list);
	if (!p->names)
		return err_set(err, -ENOMEM, "out of memory");
	for (char *w = p->names, *next; !rc && w; w = next) {
		next = cut_device(w);
		rc = take_name(p, list, w, err);
	}
	if (!rc && p->n < 2)
		rc = err_set(err, -EINVAL, "--ports '%s': two ports at least, as in --ports e0,e1",
			list);
	return rc;
}

static int read_bench(struct suites_ports *p, const char *path, struct err *err)
{
	struct scene_opts o = {0};
	int rc = scenario_load(&p->scene, scenario_name(path), &o, err);

	if (!rc)
		rc = bench_read(&p->bench, p->scene, err);
	for (unsigned i = 0; !rc && i < p->bench.ports; i++)
		p->device[p->n++] = p->bench.device[i];
	return rc;
}

int suites_ports(struct suites_ports *p, const struct verify_args *a, struct err *err)
{
	int rc = 0;

	if (a->bench && a->ports)
		return err_set(err, -EINVAL, "--bench or --ports, not both");
	if (a->ports)
		rc = take_names(p, a->ports, err);
	else if (a->bench)
		rc = read_bench(p, a->bench, err);
	if (!rc && a->rate && units_parse(UNITS_RATE, a->rate, &p->rate) != UNITS_OK)
		rc = err_set(err, -EINVAL, "--rate '%s': %s", a->rate, units_example(UNITS_RATE));
	p->real =
		a->s.clock == CLOCK_REAL_TIME || (a->s.clock != CLOCK_VIRTUAL_TIME && p->device[0]);
	for (unsigned i = 0; !rc && p->real && i < p->n; i++)
		if (!p->device[i])
			rc = err_set(err, -EINVAL,
				"%s: host %s has no device; on the real clock each port has one",
				a->bench, p->bench.host[i]);
	if (!rc && p->real && !p->n)
		rc = err_set(err, -EINVAL,
			"--clock real: name the ports by --ports e0,e1,e2, or by --bench FILE");
	return rc;
}

void suites_ports_free(struct suites_ports *p)
{
	scene_free(p->scene);
	free(p->names);
}

// The longest pause that a scenario sends out of its hosts, in us.
static uint64_t longest_pause(const struct scene *s)
{
	tstamp most = 0;

	for (unsigned i = 0; i < s->n_events; i++) {
		const struct scene_event *e = &s->event[i];

		if (e->at >= s->duration)
			continue;
		most = tstamp_max(most, tstamp_min(scene_storm_span(s, e), s->duration - e->at));
	}
	return (most + PS_PER_US - 1) / PS_PER_US;
}

// The rate of all links of a scenario; 0: they have several.
static rate_t links_rate(const struct scene *s)
{
	rate_t rate = 0;

	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned k = 0; k < s->node[i].n_ports; k++) {
			if (rate && s->node[i].port[k].rate != rate)
				return 0;
			rate = s->node[i].port[k].rate;
		}
	return rate;
}

// The rate that the links of a scenario get; 0: they keep theirs.
static uint64_t new_rate(const struct suites_ports *p, const struct scene *s)
{
	uint64_t rate = p->rate ? p->rate : p->real && p->scene ? p->bench.rate : 0;

	return links_rate(s) ? rate : 0;
}

// Whether all sources stop at given instants before the end, as where a watchdog has times.
static bool is_timed(const struct scene *s)
{
	for (unsigned i = 0; i < s->n_sources; i++)
		if (s->source[i]->gen.stop >= s->duration - s->drain)
			return false;
	return s->n_sources && !s->n_flows;
}

// How many times longer a scenario lasts at a slower rate, so that as many frames pass.
static uint64_t stretch_of(const struct suites_ports *p, const struct scene *s)
{
	uint64_t rate = new_rate(p, s);

	return rate && rate < links_rate(s) && !is_timed(s) ? (links_rate(s) + rate - 1) / rate : 1;
}

// Whether a port is ours and its link leads to the device.
static bool is_at_device(
	const struct scene *s, unsigned node, const struct scene_port *port, const char *device)
{
	return port->peer_node >= 0 && strcmp(s->node[node].name, device) != 0 &&
	       strcmp(s->node[port->peer_node].name, device) == 0;
}

// Adds a setting of a search, "path=value", to the user's.
static void add_setting(
	struct scene_opts *o, struct scene_set *set, struct arena *a, const char *text)
{
	const char *eq = text ? strchr(text, '=') : NULL;

	if (eq && o->n_set < SESSION_SETS)
		set[o->n_set++] = (struct scene_set){
			.path = arena_text(a, text, (size_t)(eq - text)), .value = eq + 1};
}

// Compiles the scenario of a search with the settings of a case and a value. -errno and a line.
static int check_value(const struct suite_row *r, const struct suite_case *c, double value,
	const struct verify_args *a, struct err *err)
{
	const struct suite_search *s = r->search;
	struct scene_set set[SESSION_SETS];
	struct scene_opts o = {.trusts = a->s.trust, .set = set, .n_set = a->s.n_set};
	struct arena arena = {0};
	struct scene *scene = NULL;
	struct err why;
	int rc;

	memcpy(set, a->s.set, a->s.n_set * sizeof(*set));
	for (unsigned i = 0; i < c->n; i++)
		add_setting(&o, set, &arena, c->set[i]);
	add_setting(&o, set, &arena, arena_format(&arena, "%s=%.10g%s", s->path, value, s->unit));
	rc = scenario_load(&scene, s->scenario, &o, &why);
	if (rc)
		err_set(err, rc, "%s: %s", r->path, why.text);
	scene_free(scene);
	arena_free(&arena);
	return rc;
}

// Checks both ends of the range in each case, so that a mistake is told before anything runs.
static int check_search(const struct suite_row *r, const struct verify_args *a, struct err *err)
{
	const struct suite_search *s = r->search;
	int rc = 0;

	for (unsigned i = 0; !rc && i < s->n; i++) {
		rc = check_value(r, &s->each[i], s->from, a, err);
		if (!rc)
			rc = check_value(r, &s->each[i], s->to, a, err);
	}
	return rc;
}

static int plan_scenario(struct suite_row *r, const struct suites_ports *p,
	const struct verify_args *a, struct err *err)
{
	struct scene_opts o = {
		.trusts = a->s.trust, .set = a->s.set, .n_set = a->s.n_set, .dut = a->s.dut};
	struct scene *s;
	int rc = scenario_load(&s, suite_scenario(r), &o, err);

	if (rc)
		return rc;
	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned k = 0; k < s->node[i].n_ports; k++)
			r->ports += is_at_device(s, i, &s->node[i].port[k], suites_device(a));
	r->scene_us = s->duration / PS_PER_US * stretch_of(p, s);
	if (r->search)
		r->scene_us *= suite_trials(r->search);
	r->pause_us = longest_pause(s) * stretch_of(p, s);
	scene_free(s);
	return 0;
}

// The rates at which the list says how long a suite takes.
static const unsigned list_gbps[] = {10, 100, 400};

#define LIST_RATES (sizeof(list_gbps) / sizeof(list_gbps[0]))

// Needs of all rows of a suite together, for the list.
struct suite_needs {
	unsigned ports, steps; // most ports; steps of a probe, whose time is not known before
	uint64_t us[LIST_RATES], pause_us;
};

static int add_needs(struct suite_needs *to, const struct suite_row *row, struct err *err)
{
	static const struct verify_args plain;
	struct suite_row r = *row;
	int rc = 0;

	to->steps += r.step != NULL;
	for (unsigned i = 0; !rc && !r.step && i < LIST_RATES; i++) {
		struct suites_ports p = {.rate = 1000000000ull * list_gbps[i]};

		r.ports = 0;
		rc = plan_scenario(&r, &p, &plain, err);
		to->us[i] += r.scene_us;
		to->ports = r.ports > to->ports ? r.ports : to->ports;
		to->pause_us = r.pause_us > to->pause_us ? r.pause_us : to->pause_us;
	}
	return rc;
}

static void print_needs(const struct suite_needs *n)
{
	char text[32];

	if (n->ports) {
		printf("  scenarios: %u ports at most, pauses up to %s;", n->ports,
			units_format(UNITS_TIME, n->pause_us * PS_PER_US, text, sizeof(text)));
		for (unsigned i = 0; i < LIST_RATES; i++)
			printf("%s %s at %u Gb/s", i ? "," : "",
				units_format(UNITS_TIME, n->us[i] * PS_PER_US, text, sizeof(text)),
				list_gbps[i]);
		printf("\n");
	}
	if (n->steps)
		printf("  steps of a probe: %u\n", n->steps);
}

// Prints a suite: its needs, and its rows with their stimuli. -errno and a line.
static int list_suite(const char *name, struct err *err)
{
	struct suite_needs needs = {0};
	struct suite_sheet s = {0};
	int rc = suites_add(&s, name, NULL, err);

	for (unsigned k = 0; !rc && k < s.n; k++)
		rc = add_needs(&needs, &s.row[k], err);
	if (!rc) {
		printf("%s\n", name);
		print_needs(&needs);
		for (unsigned k = 0; k < s.n; k++)
			printf("  %-34s  %s\n", s.row[k].name, s.row[k].stimulus);
	}
	suite_free(&s);
	return rc;
}

int suites_list(void)
{
	struct dirent **e;
	struct err err;
	int n = suite_names(&e), rc = 0;

	if (n < 0)
		rc = refuse_suite("", &err);
	for (int i = 0; !rc && i < n; i++)
		rc = list_suite(e[i]->d_name, &err);
	free_names(e, n);
	return rc ? tell_input("quench verify", err.text) : EXIT_DONE;
}

// The settings of a probe that does the step of a row, by the ports that there are.
static int plan_step(struct suite_row *r, const struct suites_ports *p, struct err *err)
{
	struct bench b = p->bench;
	int rc = bench_steps(&b, r->step, err);
	unsigned in = 0, out = 0;

	if (rc)
		return rc;
	for (unsigned i = 0; i < PROBE_STEPS; i++) {
		if (!(b.cfg.steps >> i & 1))
			continue;
		in = probe_step[i].in > in ? probe_step[i].in : in;
		out = probe_step[i].out > out ? probe_step[i].out : out;
	}
	r->ports = in + out;
	r->pause_us = (probe_longest_hold(&b.cfg, b.rate) + PS_PER_US - 1) / PS_PER_US;
	return 0;
}

// Reads the file of --against as a step will, so that a mistake there is told before anything runs.
static int check_against(const struct bench *b, const struct verify_args *a, struct err *err)
{
	struct device_config config;
	int rc = bench_against(&config, b, a->against, NULL, a->s.trust, err);

	device_config_free(&config);
	return rc;
}

int suites_plan(struct suite_sheet *sheet, const struct suites_ports *p,
	const struct verify_args *a, struct err *err)
{
	struct suites_ports steps = {0};
	int rc = 0;

	if (p->scene)
		steps.bench = p->bench;
	else
		rc = read_bench(&steps, SUITES_BENCH, err);
	if (!rc && a->against)
		rc = check_against(&steps.bench, a, err);
	for (unsigned i = 0; !rc && i < sheet->n; i++) {
		struct suite_row *r = &sheet->row[i];
		char why[96];

		rc = r->step ? plan_step(r, &steps, err) : plan_scenario(r, p, a, err);
		if (!rc && r->search)
			rc = check_search(r, a, err);
		if (rc || !p->n || r->ports <= p->n)
			continue;
		snprintf(why, sizeof(why), "it wants %u ports, and there are %u", r->ports, p->n);
		suite_refuse(sheet, r, SUITE_NOT_JUDGED, why);
	}
	scene_free(steps.scene);
	return rc;
}

// A list of settings that grows.
struct settings {
	struct arena *arena;
	const char **set;
	unsigned n, room;
};

__attribute__((format(printf, 2, 3))) static void add_set(struct settings *s, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (s->n < s->room)
		s->set[s->n] = arena_text(s->arena, text, strlen(text));
	s->n++;
}

static void set_time(struct settings *s, const char *key, tstamp t)
{
	if (t)
		add_set(s, "%s=%llups", key, (unsigned long long)t);
}

// Makes a time of an event longer, if the file has it.
static void stretch_time(struct settings *s, unsigned event, const char *action,
	const struct yamldoc_node *of, const char *key, uint64_t stretch)
{
	const struct yamldoc_node *time =
		of && of->type == YAMLDOC_MAP ? yamldoc_get(of, key) : NULL;
	char path[64];
	uint64_t t;

	snprintf(path, sizeof(path), "events.%u.%s%s", event, action, key);
	if (time && time->type == YAMLDOC_SCALAR &&
		units_parse(UNITS_TIME, time->text, &t) == UNITS_OK)
		set_time(s, path, t * stretch);
}

// Makes the times of events longer at a slower rate: a pause of so many quanta lasts longer, too,
// and a storm has to last until so many frames have come.
static void stretch_events(struct settings *s, const struct yamldoc_node *events, uint64_t stretch)
{
	for (unsigned i = 0; events && events->type == YAMLDOC_LIST && i < events->n; i++) {
		const struct yamldoc_node *e = events->item[i].value, *storm;

		if (e->type != YAMLDOC_MAP)
			continue;
		storm = yamldoc_get(e, "pfc_storm");
		stretch_time(s, i, "", e, "at", stretch);
		stretch_time(s, i, "mac_frames.", yamldoc_get(e, "mac_frames"), "every", stretch);
		stretch_time(s, i, "pfc_storm.", storm, "every", stretch);
		stretch_time(s, i, "pfc_storm.", storm, "for", stretch);
	}
}

// Returns a rate of a control at links that are slower: an increment (ai_rate, hai_rate) has no
// floor, and a rate at which frames are sent has.
static uint64_t slower(const char *key, uint64_t rate, uint64_t stretch)
{
	uint64_t least = strstr(key, "ai_rate") ? 1 : LEAST_RATE;

	return rate / stretch > least ? rate / stretch : least;
}

// Sets a value of a path that the user has not set.
static void set_other(struct settings *s, const char *path, uint64_t value, const char *unit)
{
	size_t n = strlen(path);

	for (unsigned i = 0; i < s->n && i < s->room; i++)
		if (!strncmp(s->set[i], path, n) && s->set[i][n] == '=')
			return;
	add_set(s, "%s=%llu%s", path, (unsigned long long)value, unit);
}

// Makes the timers of a control longer and its rates lower, so that it does the same to as many
// frames.
static void stretch_control(
	struct settings *s, const char *name, const struct yamldoc_node *control, uint64_t stretch)
{
	for (unsigned i = 0; control->type == YAMLDOC_MAP && i < control->n; i++) {
		const char *key = control->item[i].key->text;
		const struct yamldoc_node *value = control->item[i].value;
		char path[256];
		uint64_t n;

		snprintf(path, sizeof(path), "controls.%s.%s", name, key);
		if (value->type != YAMLDOC_SCALAR)
			continue;
		if (ends_with(key, "_timer") &&
			units_parse(UNITS_TIME, value->text, &n) == UNITS_OK)
			set_other(s, path, n * stretch, "ps");
		if (ends_with(key, "_rate") && units_parse(UNITS_RATE, value->text, &n) == UNITS_OK)
			set_other(s, path, slower(key, n, stretch), "bps");
	}
}

// The same for the CNPs that a host sends.
static void stretch_cnps(
	struct settings *s, const char *host, const struct yamldoc_node *of, uint64_t stretch)
{
	const struct yamldoc_node *np = of->type == YAMLDOC_MAP ? yamldoc_get(of, "np") : NULL;
	const struct yamldoc_node *interval =
		np && np->type == YAMLDOC_MAP ? yamldoc_get(np, "interval") : NULL;
	char path[256];
	uint64_t t;

	snprintf(path, sizeof(path), "hosts.%s.np.interval", host);
	if (interval && interval->type == YAMLDOC_SCALAR &&
		units_parse(UNITS_TIME, interval->text, &t) == UNITS_OK)
		set_other(s, path, t * stretch, "ps");
}

static void stretch_controls(struct settings *s, const struct yamldoc_node *root, uint64_t stretch)
{
	const struct yamldoc_node *controls = yamldoc_get(root, "controls");
	const struct yamldoc_node *hosts = yamldoc_get(root, "hosts");

	for (unsigned i = 0; controls && controls->type == YAMLDOC_MAP && i < controls->n; i++)
		stretch_control(s, controls->item[i].key->text, controls->item[i].value, stretch);
	for (unsigned i = 0; hosts && hosts->type == YAMLDOC_MAP && i < hosts->n; i++)
		stretch_cnps(s, hosts->item[i].key->text, hosts->item[i].value, stretch);
}

// Gives all links of a scenario one rate, and at a slower rate more time.
static void set_rate(struct settings *s, const struct suite_row *r, const struct scene *scene,
	const struct suites_ports *p)
{
	uint64_t rate = new_rate(p, scene), stretch = stretch_of(p, scene);
	const struct yamldoc_node *links;
	struct yamldoc_node *root;
	struct arena a = {0};
	struct err err;

	if (!rate)
		return;
	if (stretch > 1) {
		set_time(s, "duration", scene->duration * stretch);
		set_time(s, "drain", scene->drain * stretch);
		set_time(s, "warmup", scene->warmup * stretch);
		if (scene->n_flows)
			set_other(s, "defaults.flows.rto", scene->flow[0]->rc->p.rto_ps * stretch,
				"ps");
	}
	if (yamldoc_read(&a, &root, suite_scenario(r), &err) == 0) {
		if (stretch > 1) {
			stretch_events(s, yamldoc_get(root, "events"), stretch);
			stretch_controls(s, root, stretch);
		}
		links = yamldoc_get(root, "links");
		for (unsigned i = 0; links && links->type == YAMLDOC_LIST && i < links->n; i++)
			add_set(s, "links.%u.rate=%llubps", i, (unsigned long long)rate);
	}
	arena_free(&a);
}

// The classes of the device by DSCP, as the bench tells them, for the frames of our hosts.
static void set_classes(struct settings *s, const struct scene *scene, const struct bench *b)
{
	char map[256] = "";

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (b->cfg.dscp[c] != PROBE_NO_DSCP)
			append_text(
				map, sizeof(map), "%s%u: %u", *map ? ", " : "", b->cfg.dscp[c], c);
	for (unsigned i = 0; *map && i < scene->n_nodes; i++)
		if (scene->node[i].kind == SCENE_SW)
			add_set(s, "switches.%s.dscp_map={%s}", scene->node[i].name, map);
}

// Our ports at the device get the devices in their order.
static void set_devices(struct settings *s, const struct scene *scene, const struct suites_ports *p,
	const char *device)
{
	unsigned n = 0;

	for (unsigned i = 0; i < scene->n_nodes; i++)
		for (unsigned k = 0; k < scene->node[i].n_ports && n < p->n; k++)
			if (is_at_device(scene, i, &scene->node[i].port[k], device))
				add_set(s, "ports.%s.device=%s", scene->node[i].port[k].name,
					p->device[n++]);
}

static int scenario_settings(struct settings *s, const struct suite_row *r,
	const struct suites_ports *p, const struct verify_args *a)
{
	struct scene_opts o = {.trusts = a->s.trust, .set = a->s.set, .n_set = a->s.n_set};
	struct scene *scene;
	struct err err;

	if (scenario_load(&scene, suite_scenario(r), &o, &err))
		return -EINVAL;
	set_rate(s, r, scene, p);
	if (p->real)
		set_devices(s, scene, p, suites_device(a));
	if (p->real && p->scene)
		set_classes(s, scene, &p->bench);
	scene_free(scene);
	return 0;
}

// The ports of a bench that was not written: the hosts of SUITES_BENCH, p1 to p4.
static void step_settings(struct settings *s, const struct suites_ports *p)
{
	static const char *const in[] = {"p1", "p1,p2", "p1,p2,p4"};
	static const unsigned host[][4] = {{1, 3}, {1, 2, 3}, {1, 2, 3, 4}};
	unsigned n = p->n > 4 ? 4 : p->n;

	if (p->rate)
		add_set(s, "defaults.links.rate=%llubps", (unsigned long long)p->rate);
	if (p->scene || !n)
		return;
	add_set(s, "probe.in=[%s]", in[n - 2]);
	add_set(s, "probe.out=[p3%s]", n == 4 ? ",p4" : "");
	for (unsigned i = 0; p->real && i < n; i++)
		add_set(s, "ports.p%u:dut.device=%s", host[n - 2][i], p->device[i]);
	if (p->real)
		add_set(s, "probe.dscp=auto");
}

int suites_settings(struct suite_sheet *sheet, const struct suite_row *r,
	const struct suites_ports *p, const struct verify_args *a, const char **set, unsigned room)
{
	struct settings s = {.arena = &sheet->arena, .set = set, .room = room};

	if (r->step) {
		step_settings(&s, p);
	} else {
		for (unsigned i = 0; i < a->s.n_set; i++)
			add_set(&s, "%s=%s", a->s.set[i].path, a->s.set[i].value);
		if (scenario_settings(&s, r, p, a))
			return -EINVAL;
	}
	return s.n > room ? -E2BIG : (int)s.n;
}
