// SPDX-License-Identifier: BSD-3-Clause
// Ports, filter and end of a tap, read from the text that asks for it.
#include "int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_MOST 65535 // bytes that a filter may look at

static bool has_port(const struct tap_want *w, unsigned node, unsigned port)
{
	for (unsigned i = 0; i < w->n_ports; i++)
		if (w->port[i].node == node && w->port[i].port == port)
			return true;
	return false;
}

static int add_port(
	struct tap_want *w, const struct scene *s, unsigned node, unsigned port, struct err *err)
{
	struct tap_port *more;

	node = scene_host_of(s, node);
	if (has_port(w, node, port))
		return 0;
	more = realloc(w->port, (w->n_ports + 1) * sizeof(*more));
	if (!more)
		return err_set(err, -ENOMEM, "no memory for %u ports", w->n_ports + 1);
	w->port = more;
	w->port[w->n_ports++] = (struct tap_port){(uint16_t)node, (uint16_t)port};
	return 0;
}

static int no_port(const struct scene *s, const char *name, struct err *err)
{
	struct near near = near_to(name);
	char hint[NEAR_NAME + 32];

	for (unsigned i = 0; i < s->n_nodes; i++) {
		if (!strchr(name, ':'))
			near_see(&near, s->node[i].name);
		for (unsigned p = 0; strchr(name, ':') && p < s->node[i].n_ports; p++)
			near_see(&near, s->node[i].port[p].name);
	}
	return err_set(err, -ENOENT, "the scene has no port or node '%.64s'%s", name,
		near_hint(&near, "", hint, sizeof(hint)));
}

static int add_named(struct tap_want *w, const struct scene *s, const char *name, struct err *err)
{
	unsigned node, port;
	int found, rc = 0;

	if (scene_port(s, name, &node, &port))
		return add_port(w, s, node, port, err);
	found = scene_node(s, name);
	if (found < 0 || !scene_is_here(s, (unsigned)found))
		return no_port(s, name, err);
	for (unsigned p = 0; !rc && p < s->node[found].n_ports; p++)
		rc = add_port(w, s, (unsigned)found, p, err);
	return rc;
}

static int read_ports(struct tap_want *w, const struct scene *s, char *list, struct err *err)
{
	char *rest = list, *name;
	int rc = 0;

	while (!rc && (name = strsep(&rest, ",")))
		rc = add_named(w, s, name, err);
	return rc;
}

static int read_number(uint64_t *to, const char *word, const char *text, struct err *err)
{
	char *end;

	errno = 0;
	*to = strtoull(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9' || !*to)
		return err_set(err, -EINVAL, "%s '%.40s': write a number above 0", word, text);
	return 0;
}

static int read_filter(struct tap_want *w, const char *text, struct err *err)
{
	pcap_t *p = pcap_open_dead(DLT_EN10MB, FRAME_MOST);
	int rc = 0;

	if (!p)
		return err_set(err, -ENOMEM, "no memory for the filter");
	if (pcap_compile(p, &w->filter, text, 1, PCAP_NETMASK_UNKNOWN) != 0)
		rc = err_set(err, -EINVAL, "filter '%.200s': %s", text, pcap_geterr(p));
	w->filters = !rc;
	pcap_close(p);
	return rc;
}

static int read_line(struct tap_want *w, const struct scene *s, char *line, struct err *err)
{
	char *value = line + strcspn(line, " ");

	if (*value)
		*value++ = '\0';
	if (!strcmp(line, "ports"))
		return read_ports(w, s, value, err);
	if (!strcmp(line, "count"))
		return read_number(&w->count, line, value, err);
	if (!strcmp(line, "for"))
		return read_number(&w->time, line, value, err);
	if (!strcmp(line, "filter") && !w->filters)
		return read_filter(w, value, err);
	return err_set(err, -EINVAL, "'%.40s' is no word of a capture", line);
}

int tap_want_read(struct tap_want *w, const struct scene *s, const char *text, struct err *err)
{
	char *copy = strdup(text), *rest = copy, *line;
	int rc = copy ? 0 : err_set(err, -ENOMEM, "no memory");

	*w = (struct tap_want){.n_ports = 0};
	while (!rc && (line = strsep(&rest, "\n")))
		rc = *line ? read_line(w, s, line, err) : 0;
	free(copy);
	if (!rc && !w->n_ports)
		rc = err_set(err, -EINVAL, "name a port, as in s1:h3");
	if (rc)
		tap_want_free(w);
	return rc;
}

void tap_want_free(struct tap_want *w)
{
	if (w->filters)
		pcap_freecode(&w->filter);
	free(w->port);
	*w = (struct tap_want){.n_ports = 0};
}
