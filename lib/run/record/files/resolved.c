// SPDX-License-Identifier: BSD-3-Clause
// The text of a resolved scene, read back as a document. Members of a section that repeat the
// options of the member before them are read once.
#include <errno.h>
#include <string.h>

#include "int.h"

// Finds the lines of a text: line[1] to line[n]; line[n + 1] is the end of the text. Returns n.
static uint32_t find_lines(const char **line, const char *text, size_t size)
{
	uint32_t n = 0;

	for (const char *at = text, *end = text + size; at < end; n++) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));

		line[n + 1] = at;
		at = feed ? feed + 1 : end;
	}
	line[n + 1] = text + size;
	return n;
}

static size_t count_lines(const char *text)
{
	size_t n = 1;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

// Returns whether a line is the key of a member whose options follow, each on its line.
static bool opens_member(const char *at, const char *end)
{
	return end - at > 4 && !memcmp(at, "  ", 2) && !strchr(" -#", at[2]) && end[-2] == ':';
}

// Copies the text, but the lines of options that repeat those of the member before become empty.
// again[n]: the key of such a member is line n.
static void thin(char *to, bool *again, const char *const *line, uint32_t lines)
{
	uint32_t first = 0, end = 0; // of the options of the member before

	for (uint32_t n = 1, next; n <= lines; n = next) {
		const bool opens = opens_member(line[n], line[n + 1]);
		size_t bytes;

		for (next = n + 1; opens && next <= lines && !strncmp(line[next], "    ", 4);)
			next++;
		bytes = (size_t)(line[next] - line[n + 1]);
		again[n] = bytes && end == n && bytes == (size_t)(line[end] - line[first]) &&
			   !memcmp(line[n + 1], line[first], bytes);
		to = mempcpy(to, line[n], (size_t)(line[again[n] ? n + 1 : next] - line[n]));
		for (uint32_t i = n + 1; again[n] && i < next; i++)
			*to++ = '\n';
		first = n + 1;
		end = opens ? next : 0;
	}
	*to = '\0';
}

static void share(const struct yamldoc_node *section, const bool *again)
{
	for (unsigned i = 1; section->type == YAMLDOC_MAP && i < section->n; i++)
		if (again[section->item[i].key->line])
			section->item[i].value = section->item[i - 1].value;
}

int record_resolved_read(
	struct arena *a, struct record_resolved *to, const char *text, struct err *err)
{
	const size_t size = strlen(text), most = count_lines(text);
	char *rest = arena_get(a, size + 1);
	bool *again = arena_get(a, most + 2);
	int code;

	to->line = arena_get(a, (most + 2) * sizeof(*to->line));
	if (!rest || !again || !to->line)
		return err_set(err, -ENOMEM, "out of memory");
	thin(rest, again, to->line, find_lines(to->line, text, size));
	code = yamldoc_parse_own(a, &to->doc, "resolved", rest, strlen(rest), err);
	for (unsigned i = 0; !code && i < to->doc->n; i++)
		share(to->doc->item[i].value, again);
	return code;
}
