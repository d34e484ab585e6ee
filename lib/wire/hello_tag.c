// SPDX-License-Identifier: BSD-3-Clause
// Making and comparing the tag of a hello.
#include "wire/hello_tag.h"

#include <stdbool.h>

#include <blake2.h>

void hello_key_make(struct hello_key *key, const void *secret, size_t n)
{
	blake2b(key->bytes, secret, NULL, HELLO_KEY, n, 0);
}

static void make_tag(uint8_t *tag, const uint8_t *bytes, const struct hello_key *key)
{
	blake2b(tag, bytes, key->bytes, HELLO_TAG, hello_len(bytes) - HELLO_TAG, HELLO_KEY);
}

void hello_sign(uint8_t *bytes, const struct hello_key *key)
{
	if (key)
		make_tag(bytes + hello_len(bytes) - HELLO_TAG, bytes, key);
}

// Compares in constant time: memcmp would return sooner if the first bytes differ.
static bool same_tag(const uint8_t *a, const uint8_t *b)
{
	unsigned differs = 0;

	for (unsigned i = 0; i < HELLO_TAG; i++)
		differs |= a[i] ^ b[i];
	return !differs;
}

enum hello_tag hello_tag_look(const uint8_t *bytes, const struct hello_key *key)
{
	static const uint8_t none[HELLO_TAG];
	const uint8_t *tag = bytes + hello_len(bytes) - HELLO_TAG;
	uint8_t want[HELLO_TAG];
	bool is_none = same_tag(tag, none);

	if (!key)
		return is_none ? HELLO_TAG_RIGHT : HELLO_TAG_WRONG;
	make_tag(want, bytes, key);
	if (same_tag(tag, want))
		return HELLO_TAG_RIGHT;
	return is_none ? HELLO_TAG_NONE : HELLO_TAG_WRONG;
}
