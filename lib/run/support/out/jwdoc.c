// SPDX-License-Identifier: BSD-3-Clause
// Writes a YAML document as JSON: decides which scalars are numbers, and which collections are on
// one line.
#include "jwdoc.h"

#include <string.h>

#include "jw.h"

// Readers of JSON take numbers for doubles, which keep this many digits.
#define DIGITS_MAX 15

static size_t digits(const char *s)
{
	return strspn(s, "0123456789");
}

// Returns whether a text is a number in JSON (RFC 8259 cl. 6) without an exponent.
static bool is_number(const char *s)
{
	size_t whole, part = 0;

	s += *s == '-';
	whole = digits(s);
	if (!whole || (whole > 1 && *s == '0'))
		return false;
	s += whole;
	if (*s == '.') {
		part = digits(++s);
		if (!part)
			return false;
		s += part;
	}
	return !*s && whole + part <= DIGITS_MAX;
}

static void put_scalar(struct jw *w, const char *key, const struct yamldoc_node *n)
{
	if (yamldoc_is_null(n))
		jw_null(w, key);
	else if (!n->quoted && (!strcmp(n->text, "true") || !strcmp(n->text, "false")))
		jw_bool(w, key, *n->text == 't');
	else if (!n->quoted && is_number(n->text))
		jw_number(w, key, n->text);
	else
		jw_str(w, key, n->text);
}

void jwdoc_put(struct jw *w, const char *key, const struct yamldoc_node *n)
{
	if (n->type == YAMLDOC_SCALAR) {
		put_scalar(w, key, n);
		return;
	}
	if (n->type == YAMLDOC_MAP)
		jw_object(w, key, n->flow);
	else
		jw_array(w, key, n->flow);
	for (unsigned i = 0; i < n->n; i++)
		jwdoc_put(w, n->item[i].key ? n->item[i].key->text : NULL, n->item[i].value);
	jw_end(w);
}
