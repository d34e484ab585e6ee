// SPDX-License-Identifier: BSD-3-Clause
// Option tables: sets defaults, applies maps over them, reads values of any type into their fields,
// and reports unknown keys with the nearest right one.
#include "int.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "append.h"

// Little endian, as every machine that this runs on.
static void field_put(void *at, size_t size, uint64_t v)
{
	memcpy(at, &v, size);
}

static int wrong(const struct opt *row, const struct yamldoc_node *n, struct err *err)
{
	char wants[ERR_HINT];

	opt_wants(row, wants, sizeof(wants));
	if (yamldoc_is_null(n))
		return yamldoc_err(err, n, "%s has no value; write %s", row->key, wants);
	if (n->type != YAMLDOC_SCALAR)
		return yamldoc_err(err, n, "%s cannot be a %s; write %s", row->key,
			n->type == YAMLDOC_MAP ? "map" : "list", wants);
	return yamldoc_err(err, n, "%s: '%.60s' is not right; write %s", row->key, n->text, wants);
}

static int outside(const struct opt *row, const struct yamldoc_node *n, struct err *err)
{
	char limits[80];

	opt_limits(row, limits, sizeof(limits));
	return yamldoc_err(err, n, "%s: %.60s is out of range; it can be %s", row->key, n->text,
		*limits ? limits : "less");
}

static int units_wrong(
	const struct opt *row, const struct yamldoc_node *n, enum units_error e, struct err *err)
{
	char wants[ERR_HINT];

	opt_wants(row, wants, sizeof(wants));
	if (e == UNITS_NO_UNIT)
		return yamldoc_err(
			err, n, "%s: '%.60s' has no unit; write %s", row->key, n->text, wants);
	if (e == UNITS_WRONG_UNIT)
		return yamldoc_err(err, n, "%s: '%.60s' has the wrong unit; write %s", row->key,
			n->text, wants);
	if (e == UNITS_NOT_WHOLE)
		return yamldoc_err(err, n,
			"%s: '%.60s' has more decimals than can be kept; leave the last ones out",
			row->key, n->text);
	if (e == UNITS_TOO_LARGE)
		return outside(row, n, err);
	return wrong(row, n, err);
}

// A whole number as tables of the hardware show it.
static enum units_error parse_hex(const char *digits, uint64_t *v)
{
	size_t n = strspn(digits, "0123456789abcdefABCDEF");

	if (!n || digits[n])
		return UNITS_NO_NUMBER;
	if (n > 16)
		return UNITS_TOO_LARGE;
	*v = strtoull(digits, NULL, 16);
	return UNITS_OK;
}

// Returns whether a value is negative, for a row that says which values it takes.
static bool is_negative(const struct opt *row, const struct yamldoc_node *n)
{
	uint64_t v;

	return n->text[0] == '-' && (row->min || row->max) &&
	       units_parse(opt_units(row), n->text + 1, &v) == UNITS_OK;
}

// Reads a word that a row takes instead of a number.
static bool word_number(const struct opt *row, const char *text, uint64_t *v)
{
	for (unsigned i = 0; row->names && row->names[i]; i++) {
		if (strcmp(text, row->names[i]) == 0) {
			*v = OPT_WORD(i);
			return true;
		}
	}
	if (row->flags & OPT_F_AUTO && strcmp(text, "auto") == 0)
		*v = OPT_AUTO;
	else if (row->flags & OPT_F_NONE && strcmp(text, "none") == 0)
		*v = OPT_NONE;
	else
		return false;
	return true;
}

static int parse_number(
	const struct opt *row, uint64_t *v, const struct yamldoc_node *n, struct err *err)
{
	enum units_error e;

	if (word_number(row, n->text, v))
		return 0;
	e = row->type == OPT_UINT && !strncmp(n->text, "0x", 2)
		    ? parse_hex(n->text + 2, v)
		    : units_parse(opt_units(row), n->text, v);
	if (e && !is_negative(row, n))
		return units_wrong(row, n, e, err);
	if (e)
		return outside(row, n, err);
	if ((row->min || row->max) && ((int64_t)*v < row->min || (int64_t)*v > row->max))
		return outside(row, n, err);
	return 0;
}

static int value_uint(
	const struct opt *row, void *at, const struct yamldoc_node *n, struct err *err)
{
	uint64_t v;
	int rc = parse_number(row, &v, n, err);

	if (rc)
		return rc;
	if (row->size < 8 && v >> (8 * row->size))
		return outside(row, n, err);
	field_put(at, row->size, v);
	return 0;
}

static int value_int(const struct opt *row, void *at, const struct yamldoc_node *n, struct err *err)
{
	bool minus = n->text[0] == '-';
	uint64_t v;
	enum units_error e = units_parse(UNITS_COUNT, n->text + minus, &v);

	if (e)
		return units_wrong(row, n, e, err);

	int64_t i = minus ? -(int64_t)v : (int64_t)v;

	if (i < row->min || i > row->max)
		return outside(row, n, err);
	field_put(at, row->size, (uint64_t)i);
	return 0;
}

static int value_real(
	const struct opt *row, void *at, const struct yamldoc_node *n, struct err *err)
{
	bool minus = row->min < 0 && n->text[0] == '-';
	double v;
	enum units_error e = units_parse_real(n->text + minus, &v);

	if (e)
		return units_wrong(row, n, e, err);
	v = minus ? -v : v;
	if (v * 1e6 < (double)row->min || v * 1e6 > (double)row->max)
		return outside(row, n, err);
	memcpy(at, &v, sizeof(v));
	return 0;
}

// Reads "4KB/Gbps": a size for each Gbit/s. The part before the slash is a size within the row's
// range.
static int value_speed(
	const struct opt *row, struct opt_amount *a, const struct yamldoc_node *n, struct err *err)
{
	size_t length = strlen(n->text) - strlen(OPT_PER_GBPS);
	char number[40];
	enum units_error e;

	snprintf(number, sizeof(number), "%.*s", (int)length, n->text);
	e = length < sizeof(number) ? units_parse(UNITS_SIZE, number, &a->value) : UNITS_NO_NUMBER;
	if (e)
		return units_wrong(row, n, e, err);
	if ((int64_t)a->value < row->min || (int64_t)a->value > row->max)
		return outside(row, n, err);
	a->per_gbps = true;
	return 0;
}

// Returns whether a row takes amounts for each Gbit/s, and the text ends as one does.
static bool is_speed(const struct opt *row, const char *text)
{
	size_t length = strlen(text), end = strlen(OPT_PER_GBPS);

	return row->type == OPT_SIZE_SPEED && length >= end &&
	       !strcmp(text + length - end, OPT_PER_GBPS);
}

static bool is_pps(const char *text)
{
	size_t length = strlen(text);

	return length > 3 && strcmp(text + length - 3, "pps") == 0;
}

static int value_amount(
	const struct opt *row, void *at, const struct yamldoc_node *n, struct err *err)
{
	struct opt_amount a = {0};
	size_t length = strlen(n->text);

	if (length && n->text[length - 1] == '%') {
		enum units_error e = units_parse_share(n->text, &a.share_ppb);

		if (e == UNITS_TOO_LARGE)
			return yamldoc_err(err, n,
				"%s: %.60s is out of range; it can be 0%%..100%%", row->key,
				n->text);
		if (e)
			return units_wrong(row, n, e, err);
		a.is_share = true;
	} else if (row->type == OPT_RATE_PPS && is_pps(n->text)) {
		enum units_error e = units_parse(UNITS_PPS, n->text, &a.value);

		if (e)
			return units_wrong(row, n, e, err);
		if (!a.value || a.value > OPT_PPS_MAX)
			return yamldoc_err(err, n,
				"%s: %.60s is out of range; it can be 1pps..10000Mpps", row->key,
				n->text);
		a.is_pps = true;
	} else {
		int rc = is_speed(row, n->text) ? value_speed(row, &a, n, err)
						: parse_number(row, &a.value, n, err);

		if (rc)
			return rc;
	}
	memcpy(at, &a, sizeof(a));
	return 0;
}

static int value_share(
	const struct opt *row, void *at, const struct yamldoc_node *n, struct err *err)
{
	uint64_t ppb;
	enum units_error e = units_parse_share(n->text, &ppb);

	if (e == UNITS_OK && ppb % 1000000)
		e = UNITS_NOT_WHOLE;
	if (e == UNITS_TOO_LARGE)
		return yamldoc_err(err, n, "%s: %.60s is out of range; it can be 0%%..100%%",
			row->key, n->text);
	if (e)
		return units_wrong(row, n, e, err);
	field_put(at, row->size, ppb / 1000000);
	return 0;
}

static int value_enum(
	const struct opt *row, void *at, const struct yamldoc_node *n, struct err *err)
{
	for (unsigned i = 0; row->names[i]; i++) {
		if (strcmp(row->names[i], n->text) == 0) {
			field_put(at, row->size, i);
			return 0;
		}
	}
	return wrong(row, n, err);
}

// "ring", or "incast(8)" where the name is "incast()".
static int value_choice(
	const struct opt *row, void *at, const struct yamldoc_node *n, struct err *err)
{
	struct opt_choice c = {0};

	for (; row->names[c.which]; c.which++) {
		const char *name = row->names[c.which];
		size_t size = strcspn(name, "("), length = strlen(n->text);
		char number[24];

		if (strncmp(name, n->text, size) != 0)
			continue;
		if (!name[size] && length == size)
			break;
		if (!name[size] || length < size + 3 || length - size >= sizeof(number) ||
			n->text[size] != '(' || n->text[length - 1] != ')')
			continue;
		snprintf(number, sizeof(number), "%.*s", (int)(length - size - 2),
			n->text + size + 1);
		if (units_parse(UNITS_COUNT, number, &c.n))
			continue;
		if ((int64_t)c.n < row->min || (int64_t)c.n > row->max)
			return outside(row, n, err);
		break;
	}
	if (!row->names[c.which])
		return wrong(row, n, err);
	memcpy(at, &c, sizeof(c));
	return 0;
}

static int value_bool(
	const struct opt *row, void *at, const struct yamldoc_node *n, struct err *err)
{
	bool yes = strcmp(n->text, "true") == 0 || strcmp(n->text, "yes") == 0 ||
		   strcmp(n->text, "on") == 0;
	bool no = strcmp(n->text, "false") == 0 || strcmp(n->text, "no") == 0 ||
		  strcmp(n->text, "off") == 0;

	if (!yes && !no)
		return wrong(row, n, err);
	*(bool *)at = yes;
	return 0;
}

static int value_range(
	const struct opt *row, void *at, const struct yamldoc_node *n, struct err *err)
{
	struct opt_range r;
	enum units_error e = units_parse_range(opt_units(row), n->text, &r.low, &r.high);

	if (e && word_number(row, n->text, &r.low)) {
		r.high = r.low;
		memcpy(at, &r, sizeof(r));
		return 0;
	}
	if (e)
		return is_negative(row, n) ? outside(row, n, err) : units_wrong(row, n, e, err);
	if (r.low > r.high)
		return yamldoc_err(err, n, "%s: %.60s runs backwards; write the smaller end first",
			row->key, n->text);
	if ((int64_t)r.low < row->min || r.high > (uint64_t)row->max)
		return outside(row, n, err);
	memcpy(at, &r, sizeof(r));
	return 0;
}

// A row with max 1 takes group addresses, too.
static int value_mac(const struct opt *row, void *at, const struct yamldoc_node *n, struct err *err)
{
	uint8_t o[6] = {0};

	if (!(row->flags & OPT_F_AUTO && strcmp(n->text, "auto") == 0) &&
		!units_parse_mac(n->text, o))
		return wrong(row, n, err);
	if ((o[0] & 1) > row->max)
		return yamldoc_err(err, n, "%s: %.60s is a group address; the first byte is even",
			row->key, n->text);
	memcpy(at, o, sizeof(o));
	return 0;
}

// Returns whether a host can have the address: it is neither multicast, broadcast or reserved (224
// and above, ff00::/8) nor "this host" (0.0.0.0/8, ::).
static bool is_a_hosts(const struct opt_ip *ip)
{
	static const uint8_t nobody[16];

	if (ip->v6)
		return ip->bytes[0] != 0xff && memcmp(ip->bytes, nobody, sizeof(nobody)) != 0;
	return ip->bytes[0] && ip->bytes[0] < 224;
}

static int value_ip(const struct opt *row, void *at, const struct yamldoc_node *n, struct err *err)
{
	struct opt_ip ip = {.v6 = strchr(n->text, ':') != NULL};

	if (inet_pton(ip.v6 ? AF_INET6 : AF_INET, n->text, ip.bytes) != 1)
		return wrong(row, n, err);
	if (!is_a_hosts(&ip))
		return yamldoc_err(err, n,
			"%s: %.60s is no host's address; write one, as in 10.0.0.1 or fd00::1",
			row->key, n->text);
	memcpy(at, &ip, sizeof(ip));
	return 0;
}

static int bits_add(
	const struct opt *row, uint8_t *bits, const struct yamldoc_node *n, struct err *err)
{
	uint64_t low, high;

	if (n->type != YAMLDOC_SCALAR || units_parse_range(UNITS_COUNT, n->text, &low, &high))
		return wrong(row, n, err);
	if (low > high || high > 7)
		return yamldoc_err(
			err, n, "%s: %.60s is out of range; a class is 0..7", row->key, n->text);
	for (uint64_t i = low; i <= high; i++)
		*bits |= (uint8_t)(1u << i);
	return 0;
}

static int value_bits(
	const struct opt *row, void *at, const struct yamldoc_node *n, struct err *err)
{
	uint8_t bits = 0;
	int rc = 0;

	if (n->type == YAMLDOC_MAP)
		return wrong(row, n, err);
	if (n->type == YAMLDOC_SCALAR && !(row->flags & OPT_F_NONE && strcmp(n->text, "none") == 0))
		rc = bits_add(row, &bits, n, err);
	for (unsigned i = 0; !rc && i < n->n; i++)
		rc = bits_add(row, &bits, n->item[i].value, err);
	if (!rc)
		*(uint8_t *)at = bits;
	return rc;
}

// Reads the map key "3" or "0..7" of OPT_KEYED and OPT_SLOTS; 0 and 0 if it is wrong.
static int read_key(const struct opt *row, const struct yamldoc_node *key, unsigned *low,
	unsigned *high, struct err *err)
{
	uint64_t a, b;

	*low = *high = 0;
	if (units_parse_range(UNITS_COUNT, key->text, &a, &b) || a > b || b >= row->count)
		return yamldoc_err(err, key, "%s: the key '%.60s' is not right; it can be 0..%u",
			row->key, key->text, row->count - 1);
	*low = (unsigned)a;
	*high = (unsigned)b;
	return 0;
}

static int value_slots(
	const struct opt *row, void *at, const struct yamldoc_node *n, struct err *err)
{
	uint32_t each = row->size / row->count;
	struct opt one = *row;

	one.type = OPT_UINT;
	one.size = each;
	if (n->type != YAMLDOC_MAP)
		return wrong(row, n, err);
	for (unsigned i = 0; i < n->n; i++) {
		unsigned k, high;
		int rc = read_key(row, n->item[i].key, &k, &high, err);

		for (; !rc && k <= high; k++)
			rc = opt_value(&one, (char *)at + k * each, n->item[i].value, err);
		if (rc)
			return rc;
	}
	return 0;
}

static int value_text(
	const struct opt *row, void *at, const struct yamldoc_node *n, struct err *err)
{
	(void)row;
	(void)err;
	*(const char **)at = n->text;
	return 0;
}

// Stores a value unread, for the owner of the option, who knows the names in it. Checks only its
// form.
static int value_node(
	const struct opt *row, void *at, const struct yamldoc_node *n, struct err *err)
{
	bool words = row->type == OPT_NODE || row->type == OPT_WORDS;
	bool right = row->type == OPT_ANY    ? !yamldoc_is_null(n)
		     : words                 ? n->type != YAMLDOC_MAP && !yamldoc_is_null(n)
		     : row->type == OPT_LIST ? n->type == YAMLDOC_LIST || yamldoc_is_null(n)
					     : n->type == YAMLDOC_MAP || yamldoc_is_null(n);

	if (!right)
		return wrong(row, n, err);
	*(const struct yamldoc_node **)at = n;
	return 0;
}

int opt_value(const struct opt *row, void *at, const struct yamldoc_node *n, struct err *err)
{
	static const struct {
		int (*read)(const struct opt *, void *, const struct yamldoc_node *, struct err *);
		bool any_shape; // not only a scalar
	} types[] = {
		[OPT_BOOL] = {value_bool, false},
		[OPT_UINT] = {value_uint, false},
		[OPT_INT] = {value_int, false},
		[OPT_REAL] = {value_real, false},
		[OPT_PERCENT] = {value_real, false},
		[OPT_RATE] = {value_uint, false},
		[OPT_TIME] = {value_uint, false},
		[OPT_SIZE] = {value_uint, false},
		[OPT_CLOCK] = {value_uint, false},
		[OPT_RATE_SHARE] = {value_amount, false},
		[OPT_RATE_PPS] = {value_amount, false},
		[OPT_SIZE_SHARE] = {value_amount, false},
		[OPT_SIZE_SPEED] = {value_amount, false},
		[OPT_SHARE] = {value_share, false},
		[OPT_ENUM] = {value_enum, false},
		[OPT_CHOICE] = {value_choice, false},
		[OPT_TEXT] = {value_text, false},
		[OPT_MAC] = {value_mac, false},
		[OPT_IP] = {value_ip, false},
		[OPT_RANGE] = {value_range, false},
		[OPT_TIME_RANGE] = {value_range, false},
		[OPT_BITS] = {value_bits, true},
		[OPT_SLOTS] = {value_slots, true},
		[OPT_NODE] = {value_node, true},
		[OPT_WORDS] = {value_node, true},
		[OPT_ANY] = {value_node, true},
		[OPT_SECTION] = {value_node, true},
		[OPT_LIST] = {value_node, true},
	};

	if (!types[row->type].any_shape && (n->type != YAMLDOC_SCALAR || yamldoc_is_null(n)))
		return wrong(row, n, err);
	return types[row->type].read(row, at, n, err);
}

static bool is_nested(const struct opt *row)
{
	return row->type == OPT_MAP || row->type == OPT_KEYED;
}

static void row_init(const struct opt *row, void *base)
{
	void *at = (char *)base + row->offset;
	struct err err;

	if (!row->def || is_nested(row))
		return;

	// Slots and bitmaps have no default in words: their owner fills them.
	struct yamldoc_node n = {.where = row->key, .text = row->def};
	int rc = opt_value(row, at, &n, &err);

	assert(rc == 0);
	(void)rc;
}

void opt_init(const struct opt_table *t, void *base)
{
	assert(t->n <= OPT_ROWS);
	for (unsigned i = 0; i < t->n; i++) {
		const struct opt *row = &t->row[i];
		char *at = (char *)base + row->offset;

		row_init(row, base);
		if (row->type == OPT_MAP)
			opt_init(row->sub, at);
		for (unsigned k = 0; row->type == OPT_KEYED && k < row->count; k++)
			opt_init(row->sub, at + k * (row->size / row->count));
	}
}

const struct opt *opt_row(const struct opt_table *t, const char *key)
{
	for (unsigned i = 0; i < t->n; i++) {
		if (strcmp(t->row[i].key, key) == 0)
			return &t->row[i];
	}
	return NULL;
}

const struct opt *opt_at(const struct opt_table *t, const char *path)
{
	size_t n = strcspn(path, ".");
	const struct opt *row = NULL, *found;

	for (unsigned i = 0; i < t->n && !row; i++)
		if (strlen(t->row[i].key) == n && !strncmp(t->row[i].key, path, n))
			row = &t->row[i];
	if (!row || !path[n])
		return row;
	path += n + 1;
	if (opt_has_things(row)) {
		path += yamldoc_part(NULL, path);
		path += *path == '.';
	}
	if (!row->sub || !*path)
		return NULL;
	found = opt_at(row->sub, path);
	for (const struct opt_variant *v = row->variants; !found && v && v->example; v++)
		found = opt_at(v->table, path);
	return found;
}

const struct yamldoc_node *opt_source(const struct opt_table *t, const void *base, const char *key)
{
	const struct opt *row = opt_row(t, key);

	assert(row);
	return ((const struct opt_src *)base)->node[row - t->row];
}

// Looks among the keys of this map, then among the keys of the maps below, since a key is often put
// too high.
static int suggest(const struct opt_table *t, const char *key, const char *prefix, int best,
	char *buf, size_t size)
{
	for (unsigned i = 0; i < t->n; i++) {
		int d = opt_distance(key, t->row[i].key);

		if (d >= 0 && d < best) {
			best = d;
			snprintf(buf, size, "did you mean '%s%s'?", prefix, t->row[i].key);
		}
	}
	for (unsigned i = 0; i < t->n; i++) {
		const struct opt *row = &t->row[i];
		char below[64];

		if (row->type != OPT_MAP || *prefix)
			continue;
		snprintf(below, sizeof(below), "%s.", row->key);
		best = suggest(row->sub, key, below, best, buf, size);
	}
	return best;
}

// Returns the article before a thing's name: "a flow", "an event", but "pools".
static const char *article(const struct opt_table *t)
{
	if (!t->is_noun)
		return "";
	return strchr("aeiou", *t->name) ? "an " : "a ";
}

char *opt_suggest(const struct opt_table *t, const char *key, char *buf, size_t size)
{
	const int far = 1000;
	char path[96];

	if (opt_word(t, key, path, sizeof(path))) {
		snprintf(buf, size, "did you mean '%s'?", path);
		return buf;
	}
	if (suggest(t, key, "", far, buf, size) < far)
		return buf;

	snprintf(buf, size, t->n ? "the keys of %s%s are " : "%s%s has none", article(t), t->name);
	for (unsigned i = 0; i < t->n; i++)
		append_text(buf, size, "%s%s", i ? ", " : "", t->row[i].key);
	return buf;
}

static int unknown(const struct opt_table *t, const struct yamldoc_node *key, struct err *err)
{
	char hint[ERR_HINT];

	return yamldoc_err(err, key, "unknown key '%.60s' in %s%s; %s", key->text, article(t),
		t->name, opt_suggest(t, key->text, hint, sizeof(hint)));
}

void opt_leave(const struct opt_table *t, void *base, const char *key)
{
	const struct opt *row = opt_row(t, key);

	if (row->def || is_nested(row))
		row_init(row, base);
	else
		memset((char *)base + row->offset, 0, row->size);
	((struct opt_src *)base)->node[row - t->row] = NULL;
}

// Handles keys that exclude each other. Both in one layer are an error; a key of this layer removes
// the other key of an earlier layer, and all keys that exclude this one.
static int exclude(const struct opt_table *t, const struct opt *row, void *base,
	const struct yamldoc_node *map, const struct yamldoc_node *key, struct err *err)
{
	const struct opt *other = row->excludes ? opt_row(t, row->excludes) : NULL;

	for (unsigned i = 0; i < t->n; i++)
		if (t->row[i].excludes && !strcmp(t->row[i].excludes, row->key) &&
			!yamldoc_get(map, t->row[i].key))
			opt_leave(t, base, t->row[i].key);
	if (!other)
		return 0;
	if (yamldoc_get(map, other->key))
		return yamldoc_err(err, key, "'%s' and '%s' exclude each other; keep one", row->key,
			other->key);
	opt_leave(t, base, other->key);
	return 0;
}

static int apply_keyed(
	const struct opt *row, char *at, const struct yamldoc_node *map, struct err *err)
{
	uint32_t each = row->size / row->count;
	uint64_t seen = 0;

	for (unsigned i = 0; i < map->n; i++) {
		unsigned k, high;
		int rc = read_key(row, map->item[i].key, &k, &high, err);

		for (; !rc && k <= high; k++) {
			if (seen >> k & 1)
				return yamldoc_err(err, map->item[i].key,
					"%s: %u stands here twice; write it once", row->key, k);
			seen |= 1ull << k;
			rc = opt_apply(row->sub, at + k * each, map->item[i].value, err);
		}
		if (rc)
			return rc;
	}
	return 0;
}

static int apply_row(
	const struct opt *row, void *base, const struct yamldoc_node *value, struct err *err)
{
	char *at = (char *)base + row->offset;
	char wants[ERR_HINT];

	if (!is_nested(row))
		return opt_value(row, at, value, err);
	if (yamldoc_is_null(value))
		return 0;
	if (value->type != YAMLDOC_MAP)
		return yamldoc_err(
			err, value, "%s: write %s", row->key, opt_wants(row, wants, sizeof(wants)));
	return row->type == OPT_MAP ? opt_apply(row->sub, at, value, err)
				    : apply_keyed(row, at, value, err);
}

int opt_apply(
	const struct opt_table *t, void *base, const struct yamldoc_node *map, struct err *err)
{
	if (!map || yamldoc_is_null(map))
		return 0;
	if (map->type != YAMLDOC_MAP)
		return yamldoc_err(err, map, "%s%s is a map of options, as in {key: value}",
			article(t), t->name);
	for (unsigned i = 0; i < map->n; i++) {
		const struct yamldoc_item *item = &map->item[i];
		const struct opt *row = opt_row(t, item->key->text);

		if (!row)
			return unknown(t, item->key, err);

		int rc = exclude(t, row, base, map, item->key, err);

		if (!rc)
			rc = apply_row(row, base, item->value, err);
		if (rc)
			return rc;
		((struct opt_src *)base)->node[row - t->row] = item->value;
	}
	return 0;
}

int opt_require(
	const struct opt_table *t, const void *base, const struct yamldoc_node *at, struct err *err)
{
	const struct opt_src *src = base;
	char wants[ERR_HINT];

	for (unsigned i = 0; i < t->n; i++) {
		const struct opt *row = &t->row[i];

		if (row->flags & OPT_F_REQUIRED && !src->node[i])
			return yamldoc_err(err, at, "'%s' is missing in this %s; write %s",
				row->key, t->name, opt_wants(row, wants, sizeof(wants)));
	}
	return 0;
}
