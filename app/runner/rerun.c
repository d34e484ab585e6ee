// SPDX-License-Identifier: BSD-3-Clause
// quench rerun: repeats a run from its folder, with the commands that changed it.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner.h"
#include "saved/saved.h"
#include "session/session.h"

// Returns the scenario of a run, for json_decref. The commands that changed the run are events of
// it. NULL and a line: the folder has none.
static json_t *scenario_of(const struct saved *run, struct err *err)
{
	const json_t *manifest = saved_manifest(run);
	const json_t *done = json_object_get(manifest, "done"), *of;
	json_t *scenario = json_deep_copy(json_object_get(manifest, "resolved"));
	json_t *events = json_object_get(scenario, "events");
	size_t i;

	if (!json_is_object(scenario)) {
		json_decref(scenario);
		err_set(err, -EINVAL, "%s/manifest.json does not have the scenario of the run",
			saved_dir(run));
		return NULL;
	}
	if (json_object_get(manifest, "part")) {
		json_decref(scenario);
		err_set(err, -EINVAL,
			"%s is of a part of a scenario: what the others did is in theirs",
			saved_dir(run));
		return NULL;
	}
	if (json_array_size(done) && !json_is_array(events)) {
		events = json_array();
		json_object_set_new(scenario, "events", events);
	}
	json_array_foreach(done, i, of) json_array_append(events, json_object_get(of, "event"));
	return scenario;
}

// Checks that all nodes of a run are ours, so that virtual time can repeat what they did.
static int check_nodes(const struct session *s, struct err *err)
{
	const struct scene_opts o = {.trusts = s->trust, .real = true};
	struct scene *scene;
	int rc = scenario_load(&scene, s->path, &o, err);

	if (rc)
		return rc;
	for (unsigned i = 0; !rc && i < scene->n_nodes; i++)
		if (scene->node[i].external)
			rc = err_set(err, -EINVAL,
				"'%s' is not quench's, and virtual time cannot know what it did; "
				"--clock real repeats what was done to the others",
				scene->node[i].name);
	scene_free(scene);
	return rc;
}

// Makes a run's folder the scenario of the session.
static int take_run(struct session *s, const char *dir, struct err *err)
{
	static char where[PATH_MAX];
	struct saved *run;
	json_t *scenario;
	char *text;
	int rc = saved_open(&run, dir, err);

	if (rc)
		return rc;
	scenario = scenario_of(run, err);
	text = json_dumps(scenario, JSON_INDENT(1));
	json_decref(scenario);
	if (text) {
		snprintf(where, sizeof(where), "%s/manifest.json", dir);
		s->path = scenario_text(where, text, strlen(text));
		if (json_is_true(json_object_get(saved_manifest(run), "interrupted")) &&
			!s->has_duration) {
			s->has_duration = true;
			s->duration = saved_end(run);
		}
	}
	saved_close(run);
	return text ? 0 : -EINVAL;
}

static int rerun_main(int argc, char **argv)
{
	struct session s = {0};
	int at = args_read(&runner_rerun, &s, session_args(&s, argc, argv), argv);
	struct err err = {.text = "no memory"};

	if (at <= 0) {
		session_free(&s);
		return at < 0 ? EXIT_INPUT : EXIT_DONE;
	}
	if (take_run(&s, argv[at], &err) || (s.clock != CLOCK_REAL_TIME && check_nodes(&s, &err))) {
		session_free(&s);
		return tell_input("quench rerun", err.text);
	}
	return session_run(&s);
}

const struct args_command runner_rerun = {
	.name = "rerun",
	.summary = "repeat a run, with what was done to it while it went on",
	.about = "Runs the scenario of a run's folder once more. What `quench do` and `quench set` "
		 "did to the run happens at the same instants of scene time. "
		 "A run that was interrupted ends at the same instant.",
	.options = ARGS_OPTIONS(&session_clock, &session_duration, &session_seed, &session_settings,
		&session_record, &session_out, &session_force, &session_hdr, &session_report,
		&session_references, &session_dilate, &session_workers, &session_no_huge,
		&session_quiesce, &session_allow_storm, &session_instance, &session_strict,
		&session_trust, &session_quiet),
	.operands = ARGS_OPERANDS({.name = "RUN", .fill = ARGS_FOLDER}),
	.wanted = "name the folder of one run",
	.behind = "EAL arguments",
	.examples = ARGS_WORDS("quench rerun runs/latest"),
	.statuses = ARGS_VERDICT | ARGS_STRICT | ARGS_SIGNAL,
	.run = rerun_main,
};
