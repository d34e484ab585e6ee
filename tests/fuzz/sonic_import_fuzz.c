// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: any text is a config_db.json or one line of error. The import makes YAML of it,
// which compiles or is refused with one line. A remark about a row that it left out is one line.
//
// The map of ports follows the first NUL.
#include <string.h>

#include "compile/compile.h"
#include "fuzz.h"
#include "in_memory.h"
#include "scene/scene.h"
#include "sonic/sonic.h"

#define COMPILED 16384 // bytes of a scenario that is compiled, too

static void is_one_line(const struct err *err)
{
	fuzz_check(*err->text && !strchr(err->text, '\n'));
}

static void compiles(const char *yaml)
{
	const struct scene_opts opts = {.text = yaml, .size = strlen(yaml)};
	struct scene *s;
	struct err err;

	if (compile_scene(&s, "import", &opts, &err))
		is_one_line(&err);
	else
		scene_free(s);
}

static void is_yaml(const char *yaml)
{
	struct arena a = {0};
	struct yamldoc_node *root;
	struct err err;

	if (yamldoc_parse_own(&a, &root, "import", yaml, strlen(yaml), &err)) {
		fprintf(stderr, "%s\n%s\n", err.text, yaml);
		abort();
	}
	arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, 0, size);
	size_t n = end ? (size_t)(end - data) : size;
	char *map = end ? strndup((const char *)end + 1, size - n - 1) : NULL;
	struct sonic_opts opts = {.n_paths = 1, .port_map = map};
	const char *path;
	struct sonic_import in;
	struct in_memory f;
	struct err err;

	in_memory_open(&f, data, n);
	path = f.path;
	opts.paths = &path;
	if (sonic_import(&in, &opts, &err)) {
		is_one_line(&err);
	} else {
		for (unsigned i = 0; i < in.n_left; i++)
			fuzz_check(*in.left[i] && !strchr(in.left[i], '\n'));
		for (unsigned i = 0; i < in.n_said; i++)
			fuzz_check(*in.said[i] && !strchr(in.said[i], '\n'));
		is_yaml(in.yaml);
		if (strlen(in.yaml) < COMPILED)
			compiles(in.yaml);
	}
	sonic_free(&in);
	in_memory_close(&f);
	free(map);
	return 0;
}
