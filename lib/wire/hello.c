// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing the hello between parts of a scenario.
#include "wire/hello.h"

#include <string.h>

#include "wire/eth.h"

// Behind the EtherType, which open-loop frames of ours may have, too.
static const uint8_t magic[8] = {'q', 'u', 'e', 'n', 'c', 'h', 'H', 'i'};

enum place {
	ETHERTYPE = 12,
	MAGIC = 14,
	VERSION = 22,
	START = 23,
	SECTIONS = 24,
	LEVEL = 26, // a byte of zeros before it, and two behind it
	NONCE = 30,
	SEEN = 34,
	NUMBER = 38,
	DILATE = 42,
	AT = 46,
	START_IN = 54,
	PORT = 58,
	SENT = 114,
	ECHO_OF = 122,
	STARTS = 130,
	HOLD = 138,
};

size_t hello_render(const struct hello *h, uint8_t *bytes)
{
	memset(bytes, 0, HELLO_HEAD);
	memcpy(bytes, h->dst, 6);
	memcpy(bytes + 6, h->src, 6);
	put_be16(bytes + ETHERTYPE, ETH_P_EXPERIMENTAL);
	memcpy(bytes + MAGIC, magic, sizeof(magic));
	bytes[VERSION] = HELLO_VERSION;
	bytes[START] = h->start;
	bytes[SECTIONS] = h->sections;
	put_be16(bytes + LEVEL, h->level);
	put_be32(bytes + NONCE, h->nonce);
	put_be32(bytes + SEEN, h->seen);
	put_be32(bytes + NUMBER, h->number);
	put_be32(bytes + DILATE, h->dilate);
	put_be64(bytes + AT, h->at_ns);
	put_be32(bytes + START_IN, h->start_us);
	memcpy(bytes + PORT, h->port, strlen(h->port));
	put_be64(bytes + SENT, h->sent_ns);
	put_be64(bytes + ECHO_OF, h->echo_ns);
	put_be64(bytes + STARTS, h->starts_ns);
	put_be32(bytes + HOLD, h->hold_ns);
	memcpy(bytes + HELLO_HEAD, h->digest, (size_t)h->sections * HELLO_DIGEST);
	return HELLO_HEAD + (size_t)h->sections * HELLO_DIGEST;
}

int hello_is(const uint8_t *bytes, size_t len)
{
	return len >= MAGIC + sizeof(magic) && get_be16(bytes + ETHERTYPE) == ETH_P_EXPERIMENTAL &&
	       !memcmp(bytes + MAGIC, magic, sizeof(magic));
}

// Printable, not empty, and with zeros to its end.
static int is_name(const uint8_t *name)
{
	unsigned n = 0;

	while (n < HELLO_NAME && name[n] > ' ' && name[n] < 0x7f)
		n++;
	for (unsigned i = n; i < HELLO_NAME; i++)
		if (name[i])
			return 0;
	return n && n < HELLO_NAME;
}

static enum hello_verdict check(const uint8_t *bytes, size_t len)
{
	if (!hello_is(bytes, len))
		return HELLO_OTHER;
	if (len <= VERSION)
		return HELLO_SHORT;
	if (bytes[VERSION] != HELLO_VERSION)
		return HELLO_BAD_VERSION;
	if (len < HELLO_HEAD)
		return HELLO_SHORT;
	if (bytes[START] >= HELLO_STARTS)
		return HELLO_BAD_START;
	if (!bytes[SECTIONS] || bytes[SECTIONS] > HELLO_SECTIONS)
		return HELLO_BAD_SECTIONS;
	if (len < HELLO_HEAD + (size_t)bytes[SECTIONS] * HELLO_DIGEST)
		return HELLO_SHORT;
	if (!get_be32(bytes + NONCE))
		return HELLO_BAD_NONCE;
	if (!get_be32(bytes + DILATE))
		return HELLO_BAD_DILATE;
	return is_name(bytes + PORT) ? HELLO_OK : HELLO_BAD_PORT;
}

enum hello_verdict hello_parse(struct hello *h, const uint8_t *bytes, size_t len)
{
	enum hello_verdict v = check(bytes, len);

	if (v != HELLO_OK)
		return v;
	*h = (struct hello){.start = bytes[START],
		.sections = bytes[SECTIONS],
		.level = get_be16(bytes + LEVEL),
		.nonce = get_be32(bytes + NONCE),
		.seen = get_be32(bytes + SEEN),
		.number = get_be32(bytes + NUMBER),
		.dilate = get_be32(bytes + DILATE),
		.at_ns = get_be64(bytes + AT),
		.start_us = get_be32(bytes + START_IN),
		.sent_ns = get_be64(bytes + SENT),
		.echo_ns = get_be64(bytes + ECHO_OF),
		.starts_ns = get_be64(bytes + STARTS),
		.hold_ns = get_be32(bytes + HOLD)};
	memcpy(h->dst, bytes, 6);
	memcpy(h->src, bytes + 6, 6);
	memcpy(h->port, bytes + PORT, HELLO_NAME);
	memcpy(h->digest, bytes + HELLO_HEAD, (size_t)h->sections * HELLO_DIGEST);
	return HELLO_OK;
}
