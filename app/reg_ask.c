// SPDX-License-Identifier: BSD-3-Clause
// Asks a running instance for a register, and takes its answer apart.
#include "reg_int.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "tell.h"

int reg_tell(const struct err *err)
{
	tell("quench reg: %s", err->text);
	return EXIT_INPUT;
}

uint64_t reg_number(const json_t *answer, const char *key)
{
	const json_t *v = json_object_get(answer, key);

	return json_is_string(v) ? strtoull(json_string_value(v), NULL, 0)
				 : (uint64_t)json_integer_value(v);
}

uint64_t reg_next(const json_t *answer, uint64_t from)
{
	uint64_t next = reg_number(answer, "next");

	return next > from ? next : 0; // or a false answer would keep us for ever
}

int reg_ask(const struct reg *r, struct reg_word *w, struct err *err, const char *name,
	const char *value)
{
	const char *node;
	json_t *j;
	int rc = instance_ask(&r->to, &j, err, "/quench/reg/%s,%s,%s,%s%s%s",
		value ? "write" : "read", r->host, r->qp, name, value ? "," : "",
		value ? value : "");

	if (rc)
		return rc;
	*w = (struct reg_word){.qpn = (uint32_t)reg_number(j, "qp"),
		.place = {.address = (uint32_t)reg_number(j, "address"),
			.lsb = (uint8_t)reg_number(j, "lsb"),
			.width = (uint8_t)reg_number(j, "width")},
		.value = reg_number(j, "value"),
		.clock_hz = reg_number(j, "clock_hz")};
	node = json_string_value(json_object_get(j, "node"));
	snprintf(w->node, sizeof(w->node), "%s", node ? node : "");
	json_decref(j);
	return 0;
}
