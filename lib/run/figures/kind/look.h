// SPDX-License-Identifier: BSD-3-Clause
// The names of the objects that a scene can have, before it runs: by node, port and class.
#pragma once

#include <stdbool.h>

struct scene;
struct scene_node;

// Is told the name of an object, "s1:r.3", until it returns true.
typedef bool figure_see(void *arg, const char *object);

// A scene, and who is told; a kind's `could` has it.
struct kind_look {
	const struct scene *s;
	figure_see *see;
	void *arg;
	bool enough;
};

__attribute__((format(printf, 2, 3))) void look_tell(struct kind_look *l, const char *fmt, ...);
// Each node, each port, each port and class that `fits`, which may be NULL: all do.
typedef bool look_fits(const struct scene_node *n, unsigned port, unsigned cls);
void look_nodes(struct kind_look *l, look_fits *fits);
void look_ports(struct kind_look *l, look_fits *fits);
void look_classes(struct kind_look *l, look_fits *fits);
void look_numbers(struct kind_look *l, unsigned n);
