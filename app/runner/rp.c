// SPDX-License-Identifier: BSD-3-Clause
// quench rp: one reaction point fed from a trace, as the golden model for a test bench.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner.h"
#include "session/session.h"
#include "model/model.h"
#include "schema/schema.h"
#include "compile/compile.h"

struct rp_args {
	struct session s; // the first
	const char *profile;
	uint64_t rate; // 0: not given
	bool json;
	const char *control; // SCENARIO:CONTROL; NULL: --profile
	const char *trace;
};

#define QCN "qcn" // which is no word of `profile`, but a map

// Checks that there is a control of this name.
static bool check_profile(const char *name)
{
	struct near near = near_to(name);
	char hint[NEAR_NAME + 32];

	for (const char *const *w = scene_opts_profiles; *w; w++) {
		if (!strcmp(*w, name))
			return true;
		near_see(&near, *w);
	}
	if (!strcmp(name, QCN))
		return true;
	tell("quench rp: there is no profile '%.60s'%s", name,
		near_hint(&near, "; `quench rp --help` shows them", hint, sizeof(hint)));
	return false;
}

// A scenario with one control, which is called as its profile.
static int load_profile(
	struct scene **s, const struct rp_args *a, struct scene_opts *o, struct err *err)
{
	bool qcn = !strcmp(a->profile, QCN);
	char text[512], path[64];

	snprintf(text, sizeof(text),
		"duration: 1ms\ncontrols: {%s: {%s: %s}}\nhosts: {a: {}, b: {}}\n"
		"links: [{between: [a, b], rate: %llubps}]\n",
		a->profile, qcn ? QCN : "profile", qcn ? "{}" : a->profile,
		(unsigned long long)a->rate);
	snprintf(path, sizeof(path), "--profile %s", a->profile);
	o->text = text;
	o->size = strlen(text);
	o->control = a->profile;
	return compile_scene(s, path, o, err);
}

// The control of a scene, at the line rate asked for, or at the only one that flows use.
static const struct scene_control *find_control(
	const struct scene *s, const struct rp_args *a, const char *name, struct err *err)
{
	const struct scene_control *found = NULL;
	char one[32], two[32];

	for (unsigned i = 0; i < s->n_controls; i++) {
		const struct scene_control *c = s->control[i];

		if (strcmp(c->name, name) != 0 || (a->rate && c->line_rate != a->rate))
			continue;
		if (found) {
			err_set(err, -EINVAL,
				"%s: flows use control '%s' at %s and %s; choose by --rate",
				s->path, name,
				units_format(UNITS_RATE, found->line_rate, one, sizeof(one)),
				units_format(UNITS_RATE, c->line_rate, two, sizeof(two)));
			return NULL;
		}
		found = c;
	}
	if (!found)
		err_set(err, -EINVAL,
			"%s: no flow uses control '%s', so say the line rate, as in --rate 100Gbps",
			s->path, name);
	return found;
}

// The scene that has the control; its name goes to *name.
static int load_control(struct scene **s, struct rp_args *a, const char **name, struct err *err)
{
	struct scene_opts o = {.set = a->s.set,
		.n_set = a->s.n_set,
		.trusts = a->s.trust,
		.seed = a->s.has_seed ? &a->s.seed : NULL,
		.control_rate = a->rate};
	char scenario[PATH_MAX];
	const char *colon;

	*name = a->profile;
	if (a->profile)
		return load_profile(s, a, &o, err);
	colon = strrchr(a->control, ':');
	if (!colon || colon == a->control || !colon[1])
		return err_set(err, -EINVAL,
			"'%.200s' names no control; write SCENARIO:CONTROL, as in rdma-ip:hard",
			a->control);
	snprintf(scenario, sizeof(scenario), "%.*s", (int)(colon - a->control), a->control);
	*name = o.control = colon + 1;
	return scenario_load(s, scenario, &o, err);
}

// All events of the trace; what was shown before a fault or a signal stays.
static int feed(
	const struct show *show, struct model *m, struct trace *t, bool live, struct err *err)
{
	struct trace_event e;
	int rc = 0;

	while (!*show->stop && !rc && (rc = trace_next(t, &e, err)) > 0) {
		rc = model_take(m, &e, err);
		if (rc && rc != -ECANCELED)
			rc = trace_err(t, &e, err, rc);
		if (live)
			out_flush(show->o);
	}
	if (*show->stop)
		return err_set(err, -EINTR, "quench rp: interrupted at line %llu of %s",
			(unsigned long long)t->line, t->name);
	return rc == -ECANCELED ? 0 : rc; // nothing can be written: out_close tells why
}

static int show_trace(
	const struct rp_args *a, const struct rp_cfg *cfg, uint64_t seed, FILE *f, struct err *err)
{
	bool live = f == stdin || isatty(STDOUT_FILENO);
	struct show show = {.json = a->json, .stop = stop_catch(true)};
	struct model *m = NULL;
	struct trace t;
	struct out o;
	int rc = out_adopt(&o, dup(STDOUT_FILENO), "standard output", err), closed;
	struct err more;

	if (rc)
		return rc;
	rc = model_new(&m, cfg, seed, show_row, &show, err);
	if (!rc) {
		show.o = &o;
		show.model = m;
		trace_init(&t, f, f == stdin ? "<stdin>" : a->trace, rp_registers(cfg));
		show_head(&show);
		rc = feed(&show, m, &t, live, err);
	}
	closed = out_close(&o, &more);
	if (closed && !rc)
		*err = more;
	model_free(m);
	return rc ? rc : closed;
}

static int open_trace(FILE **f, const char *path, struct err *err)
{
	*f = stdin;
	if (!strcmp(path, "-"))
		return 0;

	int rc = infile_check_or(path, INFILE_OR_STDIN, err);

	if (rc)
		return rc;
	*f = fopen(path, "r");
	return *f ? 0 : err_set(err, -errno, "%s: %s", path, strerror(errno));
}

static int run_model(struct rp_args *a)
{
	const struct scene_control *c;
	struct scene *s = NULL;
	const char *name;
	struct err err;
	FILE *f = NULL;
	int rc = load_control(&s, a, &name, &err);

	if (!rc) {
		c = find_control(s, a, name, &err);
		rc = c ? open_trace(&f, a->trace, &err) : -EINVAL;
	}
	if (!rc)
		rc = show_trace(a, &c->cfg, s->seed, f, &err);
	if (f && f != stdin)
		fclose(f);
	scene_free(s);
	if (rc)
		tell("%s", err.text);
	return rc ? EXIT_INPUT : EXIT_DONE;
}

// Finds out which control is meant; false, with a line, if that is not clear.
static bool take_operands(struct rp_args *a, int argc, char **argv)
{
	a->trace = argv[argc - 1];
	a->control = argc == 2 ? argv[0] : NULL;
	if (!a->control && !a->profile)
		tell("quench rp: name SCENARIO:CONTROL and a trace, or --profile, --rate and a "
		     "trace");
	else if (a->control && a->profile)
		tell("quench rp: SCENARIO:CONTROL or --profile, not both");
	else if (a->profile && !a->rate)
		tell("quench rp: --profile wants the line rate too, as in --rate 100Gbps");
	else
		return !a->profile || check_profile(a->profile);
	return false;
}

static int rp_main(int argc, char **argv)
{
	struct rp_args a = {0};
	int at = args_read(&runner_rp, &a, argc, argv), status = EXIT_INPUT;

	if (at <= 0)
		status = at ? EXIT_INPUT : EXIT_DONE;
	else if (take_operands(&a, argc - at, argv + at))
		status = run_model(&a);
	session_free(&a.s);
	return stop_status(status);
}

static const struct args_option *const options[] = {
	ARGS_ROW(.name = "profile", .value = "NAME", .kind = ARGS_TEXT,
		.words = scene_opts_profiles, ARGS_AT(struct rp_args, profile),
		.help = "Takes a control of this profile instead of a scenario's; `qcn` is one "
			"of 802.1Qau. It is called as its profile, so that `--set "
			"controls.NAME.KEY=VALUE` reaches its keys."),
	ARGS_ROW(.name = "rate", .value = "RATE", .kind = ARGS_RATE, ARGS_AT(struct rp_args, rate),
		.help = "Sets the line rate of the sender, as in 100Gbps. The default is the rate "
			"of the links of the flows that use the control; without such flows, or "
			"with different rates, it must be given."),
	ARGS_ROW(.name = "json", ARGS_AT(struct rp_args, json),
		.help = "Prints one JSON object a line instead."),
	&session_settings,
	&session_trust,
	&session_seed,
	NULL,
};

const struct args_command runner_rp = {
	.name = "rp",
	.summary = "feed one reaction point with a trace and print its state after each event",
	.about =
		"Feeds the reaction point of a control with a trace of CNPs, ACKs and sent frames, "
		"and prints every variable of its state and every register after each event, "
		"and after each timer's event in between at its nominal time: the golden model "
		"for a test bench. It is the code that `quench run` runs.\n\n"
		"A line of the trace is t_ps,EVENT[,VALUE...]. The events are start; cnp; "
		"cnm,QNTZFB; ack,BYTES[,RTT_PS[,CE]]; nak; sent,BYTES[,PAYLOAD]; of the RDMA IP "
		"write,REGISTER,VALUE and read,REGISTER; tick shows the state alone. What follows "
		"# is a comment. TRACE `-` is standard input, of which each line is answered at "
		"once. docs/howto/rtl.md explains trace and columns.",
	.options = options,
	.operands =
		ARGS_OPERANDS({.name = "SCENARIO:CONTROL", .fill = ARGS_CONTROL, .optional = true},
			{.name = "TRACE", .fill = ARGS_FILE}),
	.wanted = "name SCENARIO:CONTROL and a trace, or --profile, --rate and a trace",
	.examples = ARGS_WORDS("quench rp rdma-ip:hard examples/rdma-ip-trace.csv",
		"printf '0,cnp\\n60000000,tick\\n' | quench rp --profile paper --rate 25Gbps -",
		"quench rp --profile rdma_ip --rate 100Gbps --set "
		"controls.rdma_ip.alpha_bits=18 examples/rdma-ip-trace.csv"),
	.statuses = ARGS_SIGNAL,
	.run = rp_main,
};
