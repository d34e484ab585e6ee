// SPDX-License-Identifier: BSD-3-Clause
// The names of the objects that a scene can have: of each node, port, class, or number.
#include <stdarg.h>

#include "kind.h"

void look_tell(struct kind_look *l, const char *fmt, ...)
{
	char name[KIND_NAME];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	l->enough = l->enough || l->see(l->arg, name);
}

void look_nodes(struct kind_look *l, look_fits *fits)
{
	for (unsigned i = 0; i < l->s->n_nodes && !l->enough; i++)
		if (!l->s->node[i].lane && (!fits || fits(&l->s->node[i], 0, 0)))
			look_tell(l, "%s", l->s->node[i].name);
}

void look_ports(struct kind_look *l, look_fits *fits)
{
	for (unsigned i = 0; i < l->s->n_nodes; i++) {
		const struct scene_node *n = &l->s->node[i];

		for (unsigned p = 0; p < n->n_ports && !n->lane && !l->enough; p++)
			if (!fits || fits(n, p, 0))
				look_tell(l, "%s", n->port[p].name);
	}
}

void look_classes(struct kind_look *l, look_fits *fits)
{
	for (unsigned i = 0; i < l->s->n_nodes; i++) {
		const struct scene_node *n = &l->s->node[i];

		for (unsigned k = 0; k < n->n_ports * PKT_CLASSES && !n->lane && !l->enough; k++)
			if (!fits || fits(n, k / PKT_CLASSES, k % PKT_CLASSES))
				look_tell(
					l, "%s.%u", n->port[k / PKT_CLASSES].name, k % PKT_CLASSES);
	}
}

void look_numbers(struct kind_look *l, unsigned n)
{
	for (unsigned i = 0; i < n && !l->enough; i++)
		look_tell(l, "%u", i);
}
