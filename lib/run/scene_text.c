// SPDX-License-Identifier: BSD-3-Clause
// The scene in words: every option with its value, unit and source, as a scenario again; the reference.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/scene_build.h"

int build_text(struct build *b)
{
	b->s->resolved = arena_text(b->a, "", 0);
	return b->s->resolved ? 0 : -ENOMEM;
}
