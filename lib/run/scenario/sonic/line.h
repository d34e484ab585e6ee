// SPDX-License-Identifier: BSD-3-Clause
// Lines of a scenario with the sources of their values; internal to the import.
#pragma once

#include <stdio.h>

#include "int.h"

#pragma GCC visibility push(hidden)

struct yaml {
	FILE *f;
	bool sourced; // a comment behind each value says where it came from
};

// "key: text   # from"; nothing for a value that is not given.
void yaml_line(const struct yaml *y, int indent, const char *key, const struct sonic_value *v);
// The options of one class; nothing if none is given.
void yaml_class(const struct yaml *y, unsigned cls, const struct sonic_value *v, int indent);
bool yaml_has_class(const struct sonic_value *v);

// ports.c: the section `ports`, nothing if all ports are alike.
void sonic_yaml_ports(FILE *f, struct sonic *s);

#pragma GCC visibility pop
