// SPDX-License-Identifier: BSD-3-Clause
// Values of JSON that were read, changed and written again.
#include <errno.h>
#include <math.h>

#include "int.h"

// Writes a number as short as the parts wrote it: at most nine decimals, no trailing zeros, no
// exponent.
static void put_real(struct jw *w, const char *key, double v)
{
	char text[400];
	size_t n;

	if (!isfinite(v)) {
		jw_null(w, key);
		return;
	}
	n = (size_t)snprintf(text, sizeof(text), "%.9f", v);
	while (text[n - 1] == '0' && text[n - 2] != '.')
		n--;
	text[n] = '\0';
	jw_number(w, key, text);
}

static void put_object(struct jw *w, const char *key, const json_t *o, bool flat)
{
	const json_t *value;
	const char *name;

	jw_object(w, key, flat);
	json_object_foreach((json_t *)o, name, value) json_put(w, name, value, flat);
	jw_end(w);
}

void json_put(struct jw *w, const char *key, const json_t *v, bool flat)
{
	const json_t *one;
	size_t i;

	switch (json_typeof(v)) {
	case JSON_OBJECT:
		put_object(w, key, v, flat);
		break;
	case JSON_ARRAY:
		jw_array(w, key, flat);
		json_array_foreach(v, i, one) json_put(w, NULL, one, true);
		jw_end(w);
		break;
	case JSON_STRING:
		jw_str(w, key, json_string_value(v));
		break;
	case JSON_INTEGER:
		jw_i64(w, key, json_integer_value(v));
		break;
	case JSON_REAL:
		put_real(w, key, json_real_value(v));
		break;
	case JSON_NULL:
		jw_null(w, key);
		break;
	default:
		jw_bool(w, key, json_is_true(v));
		break;
	}
}

int json_file(const json_t *value, const char *dir, const char *name, struct err *err)
{
	char path[4096];
	struct out o;
	struct jw w;
	int code;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	code = out_open(&o, path, err);
	if (code)
		return code;
	jw_init(&w, &o);
	json_put(&w, NULL, value, false);
	return out_close(&o, err);
}

int json_take(json_t *to, const char *key, const json_t *from)
{
	const json_t *v = json_object_get(from, key);

	return json_object_set_new(to, key, v ? json_deep_copy(v) : json_null());
}

void json_set(json_t *object, const char *key, double value, unsigned decimals)
{
	double scale = pow(10, decimals);

	if (!isfinite(value))
		json_object_set_new(object, key, json_null());
	else if (!decimals)
		json_object_set_new(object, key, json_integer(llround(value)));
	else
		json_object_set_new(object, key, json_real(round(value * scale) / scale));
}
