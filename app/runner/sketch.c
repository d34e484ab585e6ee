// SPDX-License-Identifier: BSD-3-Clause
// A scenario that a command writes from its options.
#include "sketch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

// Whether a shell takes the word as it is.
static bool is_plain(const char *word)
{
	return *word && !strpbrk(word, " \t'\"\\$`&|;<>()*?[]{}!#~");
}

int sketch_begin(struct sketch *k, int argc, char **argv)
{
	*k = (struct sketch){0};
	k->f = open_memstream(&k->text, &k->size);
	if (!k->f) {
		tell("quench %s: no memory", argv[0]);
		return -ENOMEM;
	}
	fprintf(k->f, "# quench");
	for (int i = 0; i < argc; i++)
		if (strcmp(argv[i], "--show") != 0)
			fprintf(k->f, is_plain(argv[i]) ? " %s" : " '%s'", argv[i]);
	fprintf(k->f, "\n# The same again: quench run FILE --clock real\nname: %s\n", argv[0]);
	return 0;
}

void sketch_port(struct sketch *k, const char *name, const struct device *d, unsigned mtu)
{
	fprintf(k->f, "  %s: {device: \"%s\"", name, d->text);
	if (mtu)
		fprintf(k->f, ", mtu: %u", mtu);
	fprintf(k->f, "}\n");
}

int sketch_end(struct sketch *k, struct session *s, const char *where, bool show)
{
	if (fclose(k->f)) {
		tell("%s: no memory", where);
		session_free(s);
		free(k->text);
		return EXIT_INPUT;
	}
	if (show) {
		fputs(k->text, stdout);
		session_free(s);
		free(k->text);
		return EXIT_DONE;
	}
	s->clock = CLOCK_REAL_TIME;
	s->path = scenario_text(where, k->text, k->size);
	return session_run(s);
}
