// SPDX-License-Identifier: BSD-3-Clause
// docs/registers.md is what the table says now.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "algo/rdma_ip_reg.h"

static char want[1 << 15], have[1 << 15];

static void page_is_current(void **state)
{
	FILE *f = fopen(CONFIG "/../docs/registers.md", "r");
	size_t n;

	(void)state;
	assert_true(rdma_ip_reg_doc(want, sizeof(want)) < sizeof(want));
	assert_non_null(f);
	n = fread(have, 1, sizeof(have) - 1, f);
	fclose(f);
	have[n] = 0;
	if (strcmp(have, want) != 0)
		fail_msg("docs/registers.md is old; write it with: quench check --registers "
			 ">docs/registers.md");
}

static void every_field_has_a_line(void **state)
{
	char line[200];

	(void)state;
	rdma_ip_reg_doc(want, sizeof(want));
	for (unsigned i = 0; i < rdma_ip_n_fields; i++) {
		snprintf(line, sizeof(line), "| `%s` | ", rdma_ip_fields[i].name);
		assert_non_null(strstr(want, line));
	}
	assert_int_equal(
		rdma_ip_reg_doc(have, 10), strlen(want)); // cut, and the length of the whole
	assert_int_equal(strlen(have), 9);
	assert_int_equal(rdma_ip_reg_doc(NULL, 0), strlen(want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(page_is_current),
		cmocka_unit_test(every_field_has_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
