// SPDX-License-Identifier: BSD-3-Clause
// pg_profile_lookup.ini: the lossless profiles that SONiC's static buffer model makes by the speed
// of a port and the length of its cable, as rows of BUFFER_PROFILE and BUFFER_PG.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "int.h"

// speed cable size xon xoff threshold xon_offset; the last one may be missing.
enum column { SPEED, CABLE, SIZE, XON, XOFF, THRESHOLD, XON_OFFSET, COLUMNS };

#define WORD_BYTES 24

struct lookup {
	json_t *rows;          // "speed cable" -> the profile's name
	json_t *profiles;      // name -> fields
	const char *threshold; // "dynamic_th" or "static_th"
};

static bool is_number(const char *text)
{
	char *end;

	strtol(text, &end, 10);
	return end != text && !*end;
}

static int read_line(struct sonic *s, struct lookup *l, const char *line, unsigned number)
{
	static const char *const field[COLUMNS] = {
		[SIZE] = "size", [XON] = "xon", [XOFF] = "xoff", [XON_OFFSET] = "xon_offset"};
	const char *path = s->opts->pg_lookup, *slash = strrchr(path, '/'), *name;
	char word[COLUMNS][WORD_BYTES] = {0};
	int n = sscanf(line, "%23s %23s %23s %23s %23s %23s %23s", word[SPEED], word[CABLE],
		word[SIZE], word[XON], word[XOFF], word[THRESHOLD], word[XON_OFFSET]);
	json_t *profile;

	if (n <= 0 || word[SPEED][0] == '#')
		return 0;
	for (int i = 0; i < COLUMNS && (i < n || i <= THRESHOLD); i++) {
		if (i != CABLE && !is_number(word[i]))
			return err_set(s->err, -EINVAL,
				"%s:%u: '%s' is no number; a line is speed, cable, size, xon, "
				"xoff, threshold and, where there is one, xon_offset",
				path, number, sonic_text(s, "%s", word[i]));
	}
	name = sonic_text(s, "pg_lossless_%s_%s_profile (%s:%u)", word[SPEED], word[CABLE],
		slash ? slash + 1 : path, number);
	profile = json_pack(
		"{s:s, s:s}", "pool", "ingress_lossless_pool", l->threshold, word[THRESHOLD]);
	for (int i = SIZE; profile && i < n; i++) {
		if (field[i])
			json_object_set_new(profile, field[i], json_string(word[i]));
	}
	if (!profile || json_object_set_new(l->profiles, name, profile) ||
		json_object_set_new(l->rows, sonic_text(s, "%s %s", word[SPEED], word[CABLE]),
			json_string(name)))
		return -ENOMEM;
	return 0;
}

static int read_file(struct sonic *s, struct lookup *l)
{
	const char *path = s->opts->pg_lookup;
	int rc = infile_check(path, s->err);
	FILE *f = rc ? NULL : fopen(path, "r");
	char *line = NULL;
	size_t size = 0;

	if (rc)
		return rc;
	if (!f)
		return err_set(s->err, -errno, "%s: %s", path, strerror(errno));
	for (unsigned number = 1; !rc && getline(&line, &size, f) >= 0; number++)
		rc = read_line(s, l, line, number);
	free(line);
	fclose(f);
	if (!rc && !json_object_size(l->rows))
		return err_set(s->err, -EINVAL,
			"%s: holds no profile; a line is speed, cable, size, xon, xoff, threshold",
			path);
	return rc;
}

// The group that SONiC makes for a class of pfc_enable.
static void add_group(struct sonic *s, struct lookup *l, const struct sonic_port *p, unsigned pg)
{
	const json_t *row = json_object_get(sonic_db_table(s, "PORT"), p->name);
	const char *speed = sonic_db_text(s, row, "speed"), *map, *profile = NULL, *cable = NULL;
	json_t *lengths, *groups = json_object_get(s->root, "BUFFER_PG");

	json_object_foreach(json_object_get(s->root, "CABLE_LENGTH"), map, lengths)
	{
		cable = cable ? cable : sonic_db_text(s, lengths, p->name);
	}
	if (speed && cable)
		profile = json_string_value(
			json_object_get(l->rows, sonic_text(s, "%s %s", speed, cable)));
	if (!profile) {
		sonic_left(s, sonic_text(s, "PORT|%s", p->name),
			"%s has no profile for speed %s and cable %s", s->opts->pg_lookup,
			speed ? speed : "none", cable ? cable : "none");
		return;
	}
	json_object_set(json_object_get(s->root, "BUFFER_PROFILE"), profile,
		json_object_get(l->profiles, profile));
	json_object_set_new(groups, sonic_text(s, "%s|%u", p->name, pg),
		json_pack("{s:s}", "profile", profile));
}

static void ensure_table(struct sonic *s, const char *table)
{
	if (!json_object_get(s->root, table))
		json_object_set_new(s->root, table, json_object());
}

static void add_groups(struct sonic *s, struct lookup *l)
{
	ensure_table(s, "BUFFER_PG");
	ensure_table(s, "BUFFER_PROFILE");
	for (unsigned i = 0; i < s->n_ports; i++) {
		struct sonic_port *p = &s->port[i];
		const char *key;
		const json_t *row = sonic_db_port(s, p, SONIC_PORT_QOS_MAP, &key);
		const char *list = row ? sonic_db_text(s, row, "pfc_enable") : NULL;

		for (unsigned pg = 0; pg < PKT_CLASSES; pg++) {
			if (sonic_has_number(list, pg) &&
				!sonic_db_indexed(s, p, SONIC_BUFFER_PG, pg, &key))
				add_group(s, l, p, pg);
		}
	}
}

int sonic_lookup(struct sonic *s)
{
	const json_t *pool = sonic_db_row(s, "BUFFER_POOL", "ingress_lossless_pool");
	const char *mode = pool ? sonic_db_text(s, pool, "mode") : NULL;
	struct lookup l = {json_object(), json_object(),
		mode && !strcmp(mode, "static") ? "static_th" : "dynamic_th"};
	int rc = l.rows && l.profiles ? 0 : -ENOMEM;

	if (!rc && s->opts->pg_lookup) {
		rc = read_file(s, &l);
		if (!rc)
			add_groups(s, &l);
		if (!rc)
			rc = sonic_db_index(s);
	}
	json_decref(l.rows);
	json_decref(l.profiles);
	return rc;
}
