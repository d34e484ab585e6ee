// SPDX-License-Identifier: BSD-3-Clause
// A scene's network in words: ports with their links and paths, or a graph for graphviz.
#pragma once

#include <stdio.h>

#include "scene/scene.h"

#pragma GCC visibility push(hidden)

// A line for each port: address, rate, delay, MTU, device, and the hosts that a switch reaches by
// it.
void topo_print(const struct scene *s, FILE *f);

// Nodes, links and flows as a graph in the DOT language.
void topo_dot(const struct scene *s, FILE *f);

#pragma GCC visibility pop
