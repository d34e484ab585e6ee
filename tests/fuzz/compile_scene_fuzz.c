// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: any text is a scenario or one line of error; what was resolved resolves to itself.
#include <string.h>

#include "compile/compile.h"
#include "fuzz.h"
#include "scene/scene.h"

static int load(struct scene **s, const void *data, size_t size)
{
	const struct scene_opts opts = {.text = data, .size = size};
	struct err err = {0};
	int rc = compile_scene(s, "scenario", &opts, &err);

	if (rc) {
		fuzz_check(rc < 0);
		fuzz_check(*err.text);
		fuzz_check(!strchr(err.text, '\n'));
	}
	return rc;
}

static bool names_file(const struct scene *s)
{
	for (unsigned i = 0; i < s->n_nodes; i++)
		if (s->node[i].replay)
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scene *s, *again;

	// A capture that a text names may be anything on this machine, a device too.
	if (memmem(data, size, "replay", 6) || load(&s, data, size))
		return 0;
	fuzz_check(!names_file(s));
	fuzz_check(!load(&again, s->resolved, strlen(s->resolved)));
	fuzz_check(s->n_nodes == again->n_nodes);
	fuzz_check(s->n_flows == again->n_flows);
	fuzz_check(s->n_sources == again->n_sources);
	fuzz_check(s->n_events == again->n_events);
	fuzz_check(s->max_packets == again->max_packets);
	scene_free(again);
	scene_free(s);
	return 0;
}
