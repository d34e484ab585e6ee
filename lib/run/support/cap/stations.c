// SPDX-License-Identifier: BSD-3-Clause
// Addresses by number, and a union-find with parity: of two that speak with each other one is on
// each side, so a third one that speaks with both has none.
#include "stations.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATIONS_MOST (1u << 18)

static unsigned addr_len(enum station_kind kind)
{
	return kind == STATION_MAC ? 6 : kind == STATION_IP4 ? 4 : 16;
}

static uint32_t hash_of(enum station_kind kind, const uint8_t *addr)
{
	return index_hash(kind, addr, addr_len(kind));
}

void stations_init(struct stations *s)
{
	*s = (struct stations){
		.odd_pair = {{STATION_NONE, STATION_NONE}, {STATION_NONE, STATION_NONE}}};
}

void stations_fini(struct stations *s)
{
	free(s->at);
	index_fini(&s->by_addr);
}

uint32_t stations_find(const struct stations *s, enum station_kind kind, const uint8_t *addr)
{
	uint32_t hash = hash_of(kind, addr), at = hash, i;

	if (!s->n)
		return STATION_NONE;
	do
		i = index_next(&s->by_addr, hash, &at);
	while (i != INDEX_NONE &&
		(s->at[i].kind != kind || memcmp(s->at[i].addr, addr, addr_len(kind)) != 0));
	return i == INDEX_NONE ? STATION_NONE : i;
}

int stations_get(struct stations *s, enum station_kind kind, const uint8_t *addr, uint32_t *number)
{
	struct station *x;

	*number = stations_find(s, kind, addr);
	if (*number != STATION_NONE)
		return 0;
	if (s->n == STATIONS_MOST)
		return -E2BIG;
	if (s->n == s->room) {
		uint32_t room = s->room ? 2 * s->room : 64;
		struct station *more = realloc(s->at, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		s->at = more;
		s->room = room;
	}
	if (index_add(&s->by_addr, hash_of(kind, addr), s->n))
		return -ENOMEM;
	x = &s->at[s->n];
	*x = (struct station){.kind = (uint8_t)kind,
		.side = CAP_SIDES,
		.up = s->n,
		.size = 1,
		.ip = STATION_NONE,
		.peer = STATION_NONE};
	memcpy(x->addr, addr, addr_len(kind));
	*number = s->n++;
	return 0;
}

// Returns the root of i's tree, and in *odd whether i is on the other side than the root. Halves
// the path to the root (union-find).
static uint32_t root_of(struct stations *s, uint32_t i, unsigned *odd)
{
	*odd = 0;
	while (s->at[i].up != i) {
		struct station *x = &s->at[i], *up = &s->at[x->up];

		x->odd ^= up->odd;
		x->up = up->up;
		*odd ^= x->odd;
		i = x->up;
	}
	return i;
}

void stations_speak(struct stations *s, uint32_t from, uint32_t to)
{
	unsigned odd_from, odd_to;
	uint32_t a = root_of(s, from, &odd_from), b = root_of(s, to, &odd_to);

	if (s->at[from].peer == STATION_NONE)
		s->at[from].peer = to;
	if (s->at[to].peer == STATION_NONE)
		s->at[to].peer = from;
	if (a == b) {
		uint32_t *odd = s->odd_pair[s->at[from].kind != STATION_MAC];

		if (odd_from == odd_to && from != to && odd[0] == STATION_NONE) {
			odd[0] = from;
			odd[1] = to;
		}
		return;
	}
	if (s->at[a].size < s->at[b].size) {
		uint32_t swap = a;

		a = b;
		b = swap;
	}
	s->at[b].up = a;
	s->at[b].odd = (uint8_t)(odd_from ^ odd_to ^ 1);
	s->at[a].size += s->at[b].size;
}

void stations_colour(struct stations *s, bool ip)
{
	for (uint32_t i = 0; i < s->n; i++) {
		struct station *x = &s->at[i];
		unsigned odd;
		struct station *root;

		if ((x->kind != STATION_MAC) != ip)
			continue;
		root = &s->at[root_of(s, i, &odd)];
		if (root->side == CAP_SIDES)
			root->side = odd ? CAP_SERVER : CAP_CLIENT;
		x->side = (uint8_t)(root->side ^ odd);
	}
}

char *stations_text(const struct station *x, char buf[STATION_TEXT])
{
	const uint8_t *m = x->addr;

	if (x->kind == STATION_MAC)
		units_format_mac(m, buf, STATION_TEXT);
	else
		inet_ntop(x->kind == STATION_IP4 ? AF_INET : AF_INET6, m, buf, STATION_TEXT);
	return buf;
}
