// SPDX-License-Identifier: BSD-3-Clause
// The tag at the end of a hello: keyed BLAKE2b (RFC 7693) over all bytes before it, those of the
// Ethernet header included. It shows that the sender has the key.
#pragma once

#include "wire/hello.h"

#define HELLO_KEY 32 // bytes

struct hello_key {
	uint8_t bytes[HELLO_KEY];
};

enum hello_tag {
	HELLO_TAG_RIGHT, // without a key of ours: it has none
	HELLO_TAG_NONE,  // it has none
	HELLO_TAG_WRONG, // of another key, or changed; without a key of ours: it has one
};

// The key that a secret of n bytes gives: BLAKE2b without a key, 32 bytes of it. n is at least 1.
void hello_key_make(struct hello_key *key, const void *secret, size_t n);

// Sets the tag of a hello that was rendered and stamped. NULL: nothing.
void hello_sign(uint8_t *bytes, const struct hello_key *key);

// Checks the tag of a parsed hello, in constant time. `key` NULL: we have no key.
enum hello_tag hello_tag_look(const uint8_t *bytes, const struct hello_key *key);
