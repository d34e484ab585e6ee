// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing the hello between parts of a scenario.
#include "wire/hello.h"

#include <string.h>

#include "wire/eth.h"

// The bytes behind the EtherType, which open-loop frames of ours may have, too.
static const uint8_t magic[8] = {'q', 'u', 'e', 'n', 'c', 'h', 'H', 'i'};

enum place {
	ETHERTYPE = 12,
	MAGIC = 14,
	VERSION = 22,
	START = 23,
	SECTIONS = 24,
	PARTS = 25,
	LEVEL = 26,
	TURN = 28,
	WHY_LINKS = 29,
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
	HEARD = 138,
	TOLD = 146,
	WHY = 154,
	WHY_PORT = 158,
	NUMBERS = 214,
};

// Places of the fields of a part.
enum part_place {
	PART_NONCE = 0,
	PART_NUMBER = 4,
	PART_STARTS = 8,
	PART_LOW = 16,
	PART_HIGH = 24,
	PART_NODES = 32,
};

static void put_hello_part(const struct hello_part *p, uint8_t *o)
{
	put_be32(o + PART_NONCE, p->nonce);
	put_be32(o + PART_NUMBER, p->number);
	put_be64(o + PART_STARTS, p->starts_ns);
	put_be64(o + PART_LOW, (uint64_t)p->low_ns);
	put_be64(o + PART_HIGH, (uint64_t)p->high_ns);
	memcpy(o + PART_NODES, p->nodes, sizeof(p->nodes));
}

static void get_part(struct hello_part *p, const uint8_t *o)
{
	*p = (struct hello_part){.nonce = get_be32(o + PART_NONCE),
		.number = get_be32(o + PART_NUMBER),
		.starts_ns = get_be64(o + PART_STARTS),
		.low_ns = (int64_t)get_be64(o + PART_LOW),
		.high_ns = (int64_t)get_be64(o + PART_HIGH)};
	memcpy(p->nodes, o + PART_NODES, sizeof(p->nodes));
}

static size_t length(unsigned sections, unsigned parts)
{
	return HELLO_HEAD + (size_t)sections * HELLO_DIGEST + (size_t)parts * HELLO_PART;
}

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
	bytes[PARTS] = h->parts;
	put_be16(bytes + LEVEL, h->level);
	bytes[TURN] = h->turn;
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
	put_be64(bytes + HEARD, h->heard_ns);
	put_be64(bytes + TOLD, h->told_ns);
	bytes[WHY_LINKS] = h->why.links;
	put_be32(bytes + WHY, h->why.what);
	memcpy(bytes + WHY_PORT, h->why.port, strlen(h->why.port));
	put_be64(bytes + NUMBERS, h->numbers);
	memcpy(bytes + HELLO_HEAD, h->digest, (size_t)h->sections * HELLO_DIGEST);
	for (unsigned i = 0; i < h->parts; i++)
		put_hello_part(&h->part[i], bytes + length(h->sections, i));
	memset(bytes + length(h->sections, h->parts), 0, HELLO_TAG);
	return length(h->sections, h->parts) + HELLO_TAG;
}

size_t hello_len(const uint8_t *bytes)
{
	return length(bytes[SECTIONS], bytes[PARTS]) + HELLO_TAG;
}

void hello_stamp(uint8_t *bytes, uint64_t sent_ns)
{
	put_be64(bytes + SENT, sent_ns);
}

unsigned hello_version(const uint8_t *bytes)
{
	return bytes[VERSION];
}

uint32_t hello_nonce(const uint8_t *bytes, size_t len)
{
	return len < SEEN ? 0 : get_be32(bytes + NONCE);
}

int hello_is(const uint8_t *bytes, size_t len)
{
	return len >= MAGIC + sizeof(magic) && get_be16(bytes + ETHERTYPE) == ETH_P_EXPERIMENTAL &&
	       !memcmp(bytes + MAGIC, magic, sizeof(magic));
}

// The length of a printable name with zeros to its end; HELLO_NAME: it is none.
static unsigned name_len(const uint8_t *name)
{
	unsigned n = 0;

	while (n < HELLO_NAME && name[n] > ' ' && name[n] < 0x7f)
		n++;
	for (unsigned i = n; i < HELLO_NAME; i++)
		if (name[i])
			return HELLO_NAME;
	return n;
}

static int is_name(const uint8_t *name)
{
	unsigned n = name_len(name);

	return n && n < HELLO_NAME;
}

static int is_why(const uint8_t *bytes)
{
	return get_be32(bytes + WHY) ? is_name(bytes + WHY_PORT)
				     : !name_len(bytes + WHY_PORT) && !bytes[WHY_LINKS];
}

static enum hello_verdict check_hello(const uint8_t *bytes, size_t len)
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
	if (bytes[PARTS] > HELLO_PARTS)
		return HELLO_BAD_PARTS;
	if (bytes[TURN] >= HELLO_TURNS)
		return HELLO_BAD_TURN;
	if (len < hello_len(bytes))
		return HELLO_SHORT;
	if (!get_be32(bytes + NONCE))
		return HELLO_BAD_NONCE;
	if (!get_be32(bytes + DILATE))
		return HELLO_BAD_DILATE;
	if (!is_name(bytes + PORT))
		return HELLO_BAD_PORT;
	return is_why(bytes) ? HELLO_OK : HELLO_BAD_WHY;
}

enum hello_verdict hello_parse(struct hello *h, const uint8_t *bytes, size_t len)
{
	enum hello_verdict v = check_hello(bytes, len);

	if (v != HELLO_OK)
		return v;
	*h = (struct hello){.start = bytes[START],
		.sections = bytes[SECTIONS],
		.parts = bytes[PARTS],
		.turn = bytes[TURN],
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
		.heard_ns = get_be64(bytes + HEARD),
		.told_ns = get_be64(bytes + TOLD),
		.why = {.what = get_be32(bytes + WHY), .links = bytes[WHY_LINKS]},
		.numbers = get_be64(bytes + NUMBERS)};
	memcpy(h->dst, bytes, 6);
	memcpy(h->src, bytes + 6, 6);
	memcpy(h->port, bytes + PORT, HELLO_NAME);
	memcpy(h->why.port, bytes + WHY_PORT, HELLO_NAME);
	memcpy(h->digest, bytes + HELLO_HEAD, (size_t)h->sections * HELLO_DIGEST);
	for (unsigned i = 0; i < h->parts; i++)
		get_part(&h->part[i], bytes + length(h->sections, i));
	return HELLO_OK;
}
