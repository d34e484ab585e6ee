// SPDX-License-Identifier: BSD-3-Clause
// quench import --hpcc: files of the HPCC simulator as a scenario. It is loaded before it is
// written, so that nothing stands there that does not load.
#include "hpcc.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "checker.h"
#include "compile/compile.h"
#include "scene/scene.h"

static int complain(const char *what, const char *why)
{
	tell("%s: %s", what, why);
	return EXIT_INPUT;
}

static int write_out(const char *yaml, const char *out, bool force)
{
	FILE *f = fopen(out, force ? "w" : "wx");
	bool failed;

	if (!f)
		return complain(out, errno == EEXIST ? "is there already; --force writes over it"
						     : strerror(errno));
	failed = fputs(yaml, f) < 0;
	failed |= fclose(f) != 0;
	return failed ? complain(out, strerror(errno)) : EXIT_DONE;
}

static int load(struct scene **s, const struct hpcc_import *in, const char *path)
{
	const struct scene_opts opts = {.text = in->yaml, .size = strlen(in->yaml)};
	struct err err;
	int rc = compile_scene(s, path, &opts, &err);

	// An error of the list has the list's place.
	if (rc)
		tell("%s%s",
			strncmp(err.text, path, strlen(path)) ? "" : "not written: ", err.text);
	return rc;
}

static int finish(const struct hpcc_import *in, const char *out, bool force)
{
	struct scene *s;
	int rc;

	if (load(&s, in, out ? out : "<stdout>"))
		return EXIT_INPUT;
	for (unsigned i = 0; i < in->n_left; i++)
		fprintf(stderr, "not taken: %s\n", in->left[i]);
	if (!out) {
		term_plain();
		fputs(in->yaml, stdout);
		rc = EXIT_DONE;
	} else {
		rc = write_out(in->yaml, out, force);
	}
	if (!rc && out)
		fprintf(stderr,
			"%s: a scenario with %u node%s and %u queue pair%s; next: quench "
			"check %s\n",
			out, s->n_nodes, plural(s->n_nodes), s->n_flows, plural(s->n_flows), out);
	scene_free(s);
	return rc;
}

int hpcc_main(const struct hpcc_files *files, bool force)
{
	struct hpcc_import in;
	struct err err;
	int rc;

	if (!files->topology || !files->flow)
		return complain("import", "--hpcc TOPOLOGY and --flow FLOWS stand together");
	if (hpcc_import(&in, files, &err)) {
		hpcc_free(&in);
		tell("%s", err.text);
		return EXIT_INPUT;
	}
	rc = finish(&in, files->out, force);
	hpcc_free(&in);
	return rc;
}
