// SPDX-License-Identifier: BSD-3-Clause
// A model that is fed from a text, with a control as a scenario would have it.
#pragma once

#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "compile/compile.h"
#include "scene/scene.h"

// A scene whose control c, at 100 Gb/s, says `control`, "{profile: rdma_ip}".
static inline struct scene *lab_scene(const char *control)
{
	struct scene_opts o = {.control = "c", .control_rate = 100 * RATE_GBPS};
	struct scene *s;
	struct err err;
	char text[1024];

	snprintf(text, sizeof(text),
		"duration: 1ms\ncontrols: {c: %s}\nhosts: {a: {}, b: {}}\n"
		"links: [{between: [a, b]}]\n",
		control);
	o.text = text;
	o.size = strlen(text);
	if (compile_scene(&s, "lab", &o, &err))
		fail_msg("%s", err.text);
	return s;
}

// Feeds the whole text; 0, or the code of the first error, whose line goes to *err.
static inline int lab_feed(struct model *m, const char *text, bool registers, struct err *err)
{
	FILE *f = fmemopen((char *)text, strlen(text), "r");
	struct trace_event e;
	struct trace t;
	int rc;

	assert_non_null(f);
	trace_init(&t, f, "t.csv", registers);
	while ((rc = trace_next(&t, &e, err)) > 0 && !(rc = model_take(m, &e, err)))
		;
	fclose(f);
	return rc;
}
