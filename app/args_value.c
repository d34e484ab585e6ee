// SPDX-License-Identifier: BSD-3-Clause
// The values of options: read into their fields, and what they have to be in words.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "conf/conf.h"

char *args_wants(const struct args_option *o, char *buf, size_t size)
{
	size_t n = 0;

	*buf = 0;
	switch (o->kind) {
	case ARGS_WORD:
		for (unsigned i = 0; o->words[i] && n < size; i++)
			n += (size_t)snprintf(buf + n, size - n, "%s%s",
				!i                ? ""
				: o->words[i + 1] ? ", "
						  : " or ",
				o->words[i]);
		break;
	case ARGS_NUMBER:
		if (o->max)
			snprintf(buf, size, "%llu..%llu", (unsigned long long)o->min,
				(unsigned long long)o->max);
		else if (o->min)
			snprintf(buf, size, "a whole number from %llu", (unsigned long long)o->min);
		else
			snprintf(buf, size, "a whole number");
		break;
	case ARGS_TIME:
		snprintf(buf, size, "a time above zero, as in 20ms or 2s");
		break;
	case ARGS_RATE:
		snprintf(buf, size, "%s", units_example(UNITS_RATE));
		break;
	default:
		snprintf(buf, size, "%s", o->value);
	}
	return buf;
}

static bool read_word(const struct args_option *o, const char *value, uint64_t *v)
{
	for (*v = 0; o->words[*v]; (*v)++)
		if (!strcmp(o->words[*v], value))
			return true;
	return false;
}

static bool read_number(const struct args_option *o, const char *value, uint64_t *v)
{
	char *end;

	errno = 0;
	*v = strtoull(value, &end, 10);
	return *value >= '0' && *value <= '9' && !*end && !errno && *v >= o->min &&
	       (!o->max || *v <= o->max);
}

static bool read_units(enum units_kind kind, const char *value, uint64_t *v)
{
	return units_parse(kind, value, v) == UNITS_OK && *v;
}

int args_value(const struct args_option *o, void *to, const char *value, struct err *err)
{
	char *at = (char *)to + o->at, wants[256];
	uint64_t v = 0;
	uint32_t narrow;
	bool good = true;

	switch (o->kind) {
	case ARGS_FLAG:
		*(bool *)at = true;
		return 0;
	case ARGS_TEXT:
		*(const char **)at = value;
		return 0;
	case ARGS_CALL:
		return o->take(to, value, err);
	case ARGS_WORD:
		good = read_word(o, value, &v);
		break;
	case ARGS_NUMBER:
		good = read_number(o, value, &v);
		break;
	case ARGS_TIME:
		good = read_units(UNITS_TIME, value, &v);
		break;
	case ARGS_RATE:
		good = read_units(UNITS_RATE, value, &v);
		break;
	}
	if (!good)
		return err_set(err, -EINVAL, "--%s '%s': %s", o->name, value,
			args_wants(o, wants, sizeof(wants)));
	narrow = (uint32_t)v;
	memcpy(at, o->size == sizeof(narrow) ? (void *)&narrow : (void *)&v, o->size);
	return 0;
}
