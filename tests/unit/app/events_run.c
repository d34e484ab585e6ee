// SPDX-License-Identifier: BSD-3-Clause
// usage: events_run SCENARIO DIR csv|zstd|none   runs 3 ms of a scenario, with events in one form
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "scene/scene.h"
#include "vt/vt.h"

int main(int argc, char **argv)
{
	struct scene_set set[] = {{"warmup", "1ms"}};
	const tstamp duration = 3 * PS_PER_MS;
	struct scene_opts so = {.set = set, .n_set = 1, .duration = &duration};
	struct vt_opts vo = {0};
	struct report *report = NULL;
	struct scene *scene;
	struct err err;

	if (argc != 4)
		return EXIT_FAILURE;
	vo.record = (struct record_opts){.dir = argv[2],
		.command = "test",
		.format = strcmp(argv[3], "csv") ? RECORD_BINARY : RECORD_CSV,
		.compress = strcmp(argv[3], "none") ? EVF_ZSTD : EVF_NONE};
	if (scene_load(&scene, argv[1], &so, &err) || vt_run(scene, &vo, &report, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return EXIT_FAILURE;
	}
	report_free(report);
	scene_free(scene);
	return EXIT_SUCCESS;
}
