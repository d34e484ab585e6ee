// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target of hello_parse: any bytes have a verdict. A hello that is read is written as the same
// bytes again, except for the bytes that the writer leaves zero.
#include <string.h>

#include "fuzz.h"
#include "wire/hello_tag.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t bytes[HELLO_MAX], twice[HELLO_MAX];
	struct hello h, again;
	enum hello_verdict v = hello_parse(&h, data, size);
	size_t n;

	fuzz_check(v < HELLO_VERDICTS);
	fuzz_check(hello_is(data, size) == (v != HELLO_OTHER));
	if (v != HELLO_OK)
		return 0;
	fuzz_check(memchr(h.port, 0, sizeof(h.port)) && h.sections && h.sections <= HELLO_SECTIONS);
	n = hello_render(&h, bytes);
	fuzz_check(n <= size && hello_len(data) == n);
	fuzz_check(hello_tag_look(data, NULL) != HELLO_TAG_NONE);
	fuzz_check(hello_parse(&again, bytes, n) == HELLO_OK);
	fuzz_check(hello_render(&again, twice) == n && !memcmp(bytes, twice, n));
	return 0;
}
