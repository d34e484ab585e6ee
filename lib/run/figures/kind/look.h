// SPDX-License-Identifier: BSD-3-Clause
// The names of the objects that a scene can have, before it runs: by node, port and class.
#pragma once

#include <stdbool.h>

struct scene;
struct scene_node;

// Is told the name of an object, "s1:r.3", until it returns true.
typedef bool figure_see(void *arg, const char *object);

// A scene whose possible objects are listed, and the callback that gets their names. A kind's
// `could` gets this.
struct kind_look {
	const struct scene *s;
	figure_see *see;
	void *arg;
	bool enough;
};

__attribute__((format(printf, 2, 3))) void look_tell(struct kind_look *l, const char *fmt, ...);
// Name each node, each port, or each port and class for which `fits` returns true; NULL: all of
// them.
typedef bool look_fits(const struct scene_node *n, unsigned port, unsigned cls);
void look_nodes(struct kind_look *l, look_fits *fits);
void look_ports(struct kind_look *l, look_fits *fits);
void look_classes(struct kind_look *l, look_fits *fits);
void look_numbers(struct kind_look *l, unsigned n);
