// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a page's data: short, exact where they are whole, null where they are none.
#include "page_lab.h"

static void numbers(struct jw *w, struct saved *s)
{
	const double list[] = {1, NAN, 0.333333333};

	(void)s;
	put_real(w, "third", 1.0 / 3);
	put_real(w, "none", NAN);
	put_real(w, "far", INFINITY);
	put_real(w, "large", 100e9);
	put_us(w, "t", 12000345);
	put_reals(w, "list", list, 3);
}

static void short_and_exact(void **state)
{
	static struct lab l;
	json_t *j;

	(void)state;
	by_hand(&l);
	put(&l, "manifest.json", MANIFEST);
	j = part_of(&l, numbers);
	assert_true(fabs(num(j, "third") - 1.0 / 3) < 1e-9);
	assert_true(json_is_null(at(j, "none")) && json_is_null(at(j, "far")));
	assert_true(num(j, "large") == 100e9);
	assert_true(num(j, "t") == 12.000345);
	assert_true(json_is_null(at(j, "list.1")) && num(j, "list.2") == 0.333333);
	json_decref(j);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_and_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
