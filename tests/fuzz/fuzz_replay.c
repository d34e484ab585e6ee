// SPDX-License-Identifier: BSD-3-Clause
// usage: TARGET FILE|DIRECTORY...   runs a fuzz target over stored inputs, with any compiler
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static unsigned run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	uint8_t *data;
	size_t n;

	if (!f || fstat(fileno(f), &st)) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	data = malloc(st.st_size ? (size_t)st.st_size : 1); // exact, so that an over-read shows
	if (!data)
		abort();
	n = fread(data, 1, (size_t)st.st_size, f);
	fclose(f);
	fprintf(stderr, "%s\n", path); // a crash is the last one named
	LLVMFuzzerTestOneInput(data, n);
	free(data);
	return 1;
}

static unsigned run_path(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	unsigned n = 0;

	if (!d)
		return run_file(path);
	while ((e = readdir(d))) {
		char name[4096];

		if (e->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
		n += run_path(name);
	}
	closedir(d);
	return n;
}

int main(int argc, char **argv)
{
	unsigned n = 0;

	for (int i = 1; i < argc; i++)
		n += run_path(argv[i]);
	printf("%u inputs\n", n);
	return n ? EXIT_SUCCESS : EXIT_FAILURE;
}
