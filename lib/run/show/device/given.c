// SPDX-License-Identifier: BSD-3-Clause
// Which options of a switch a scenario's file gives, and which have their defaults.
#include <stdlib.h>
#include <string.h>

#include "device.h"

// The node at the end of a path of keys below a map; NULL: there is none.
static const struct yamldoc_node *below(const struct yamldoc_node *map, const char *path)
{
	while (map && *path) {
		char key[64];
		size_t n = strcspn(path, ".");

		snprintf(key, sizeof(key), "%.*s", (int)n, path);
		map = map->type == YAMLDOC_MAP ? yamldoc_get(map, key) : NULL;
		path += n + (path[n] != 0);
	}
	return map;
}

// Whether a key "3" or "0..7" of `classes` names a class.
static bool names_class(const char *key, unsigned cls)
{
	char *end;
	unsigned long low = strtoul(key, &end, 10), high = low;

	if (!strncmp(end, "..", 2))
		high = strtoul(end + 2, &end, 10);
	return !*end && low <= cls && cls <= high;
}

// Whether the options of a switch, or of one of its ports, give a key.
static bool gives(const struct yamldoc_node *options, unsigned cls, const char *path)
{
	const struct yamldoc_node *classes;

	if (!options || options->type != YAMLDOC_MAP)
		return false;
	if (cls == PROBE_DEVICE)
		return below(options, path) != NULL;
	classes = yamldoc_get(options, "classes");
	if (!classes || classes->type != YAMLDOC_MAP)
		return false;
	for (unsigned i = 0; i < classes->n; i++)
		if (names_class(classes->item[i].key->text, cls) &&
			below(classes->item[i].value, path))
			return true;
	return false;
}

// Whether a key of `switches` or `ports` names the device, or one of its ports. A range or a list
// of names may have it.
static bool is_about(const char *key, const char *device, bool port)
{
	size_t n = strlen(device);

	if (port)
		return !strncmp(key, device, n) && key[n] == ':';
	return !strcmp(key, device) || strstr(key, "..") || strchr(key, ',');
}

static bool section_gives(const struct device_given *g, const char *section, bool port,
	unsigned cls, const char *path)
{
	const struct yamldoc_node *map = below(g->doc, section);

	for (unsigned i = 0; map && map->type == YAMLDOC_MAP && i < map->n; i++)
		if (is_about(map->item[i].key->text, g->device, port) &&
			gives(map->item[i].value, cls, path))
			return true;
	return false;
}

bool device_given(const struct device_given *g, unsigned cls, const char *path)
{
	return gives(below(g->doc, "defaults.switches"), cls, path) ||
	       section_gives(g, "switches", false, cls, path) ||
	       section_gives(g, "ports", true, cls, path);
}
