// SPDX-License-Identifier: BSD-3-Clause
// Splits of captures: their form in a scenario, what is learned from a capture for one, and the
// side of a frame.
#include "split.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "head.h"
#include "join.h"
#include "stations.h"

struct cap_split {
	struct cap_split_params p; // `by` is what was found
	struct stations who;
	uint64_t told[CAP_SIDES]; // frames that say their side themselves, by port or subnet
};

// One network or MAC address of a list.
static int parse_item(const char *text, struct cap_split_params *p, struct err *err)
{
	struct cap_net *net = &p->net[p->n];
	char addr[64], *slash, *end;
	unsigned long bits = 32;

	if (p->n == CAP_SPLIT_LIST)
		return err_set(err, -EINVAL, "it has more than %d", CAP_SPLIT_LIST);
	if (p->by == CAP_SPLIT_MAC) {
		if (!units_parse_mac(text, p->mac[p->n]))
			return err_set(err, -EINVAL,
				"'%s' is no MAC address, as in 02:00:00:00:00:01", text);
		p->n++;
		return 0;
	}
	snprintf(addr, sizeof(addr), "%s", text);
	slash = strchr(addr, '/');
	if (slash)
		*slash++ = '\0';
	net->v6 = strchr(addr, ':') != NULL;
	bits = net->v6 ? 128 : 32;
	if (slash && *slash >= '0' && *slash <= '9') {
		unsigned long most = bits;

		bits = strtoul(slash, &end, 10);
		slash = *end || bits > most ? slash : NULL;
	}
	if (slash || inet_pton(net->v6 ? AF_INET6 : AF_INET, addr, net->addr) != 1)
		return err_set(
			err, -EINVAL, "'%s' is no network, as in 10.0.0.0/8 or fd00::/8", text);
	net->bits = (uint8_t)bits;
	p->n++;
	return 0;
}

static int parse_list(const char *text, struct cap_split_params *p, struct err *err)
{
	char copy[1024], *rest, *item;
	int rc = 0;

	if (strlen(text) >= sizeof(copy))
		return err_set(err, -EINVAL, "it is too long");
	strcpy(copy, text);
	item = strtok_r(copy, ", ", &rest);
	for (; item && !rc; item = strtok_r(NULL, ", ", &rest))
		rc = parse_item(item, p, err);
	return rc;
}

int cap_split_parse(const char *text, struct cap_split_params *p, struct err *err)
{
	static const struct {
		const char *word;
		enum cap_split_by by;
	} words[] = {
		{"none", CAP_SPLIT_NONE},
		{"auto", CAP_SPLIT_AUTO},
		{"mac", CAP_SPLIT_MAC},
		{"subnet", CAP_SPLIT_SUBNET},
		{"port", CAP_SPLIT_PORT},
		{"client-server", CAP_SPLIT_ROLE},
	};
	size_t n = strcspn(text, " ");

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct cap_split_params new = {.by = words[i].by};
		bool listed = new.by == CAP_SPLIT_MAC || new.by == CAP_SPLIT_SUBNET;
		int rc;

		if (strlen(words[i].word) != n || strncmp(text, words[i].word, n) != 0)
			continue;
		if (!listed && text[n])
			break;
		rc = parse_list(text + n, &new, err);
		if (!rc && new.by == CAP_SPLIT_SUBNET && !new.n)
			rc = err_set(err, -EINVAL,
				"name the network in the same word, as 'subnet 10.0.0.0/8'");
		if (!rc)
			*p = new;
		return rc;
	}
	return err_set(err, -EINVAL, "it is %s", CAP_SPLIT_WANTED);
}

static enum station_kind ip_kind(const struct head *h)
{
	return h->v6 ? STATION_IP6 : STATION_IP4;
}

static bool is_in(const struct cap_net *net, const struct head *h)
{
	unsigned whole = net->bits / 8, rest = net->bits % 8;

	if (net->v6 != h->v6 || memcmp(net->addr, h->saddr, whole) != 0)
		return false;
	return !rest || !((net->addr[whole] ^ h->saddr[whole]) >> (8 - rest));
}

// The side that the frame itself tells; CAP_SIDES: it does not.
static enum cap_side told_side(const struct cap_split_params *p, const struct head *h)
{
	switch (p->by) {
	case CAP_SPLIT_NONE:
		return CAP_CLIENT;
	case CAP_SPLIT_SUBNET:
		for (unsigned i = 0; h->saddr && i < p->n; i++)
			if (is_in(&p->net[i], h))
				return CAP_SERVER;
		return h->saddr ? CAP_CLIENT : CAP_SIDES;
	case CAP_SPLIT_PORT:
		if (!h->has_ports || h->sport == h->dport)
			return CAP_SIDES;
		return h->sport < h->dport ? CAP_SERVER : CAP_CLIENT;
	case CAP_SPLIT_MAC:
		for (unsigned i = 0; i < p->n; i++)
			if (memcmp(p->mac[i], h->src, 6) == 0)
				return CAP_SERVER;
		return p->n ? CAP_CLIENT : CAP_SIDES;
	default:
		return CAP_SIDES;
	}
}

static enum cap_side side_at(const struct stations *s, enum station_kind kind, const uint8_t *addr)
{
	uint32_t i = stations_find(s, kind, addr);

	return i == STATION_NONE ? CAP_SIDES : (enum cap_side)s->at[i].side;
}

enum cap_side cap_split_side(const struct cap_split *s, const uint8_t *bytes, unsigned len)
{
	enum cap_side side;
	struct head h;

	head_read(&h, bytes, len);
	if (!h.src || s->p.by == CAP_SPLIT_NONE)
		return CAP_CLIENT;
	side = told_side(&s->p, &h);
	if (side == CAP_SIDES && h.saddr && s->p.by != CAP_SPLIT_MAC)
		side = side_at(&s->who, ip_kind(&h), h.saddr);
	if (side == CAP_SIDES)
		side = side_at(&s->who, STATION_MAC, h.src);
	return side == CAP_SIDES ? CAP_CLIENT : side;
}

// Learns from a frame about its two IP addresses.
static int learn_ip(struct cap_split *s, const struct head *h, uint32_t mac)
{
	struct stations *who = &s->who;
	enum cap_side told = told_side(&s->p, h);
	uint32_t from, to;
	int rc;

	if (!h->saddr || !head_is_host(h->saddr, h->v6))
		return 0;
	rc = stations_get(who, ip_kind(h), h->saddr, &from);
	if (rc)
		return rc;
	if (who->at[mac].ip == STATION_NONE)
		who->at[mac].ip = from;
	who->at[from].sent = true;
	if (told != CAP_SIDES)
		who->at[from].as[told]++;
	else if (h->role != HEAD_UNKNOWN)
		who->at[from].as[h->role == HEAD_ASKS ? CAP_CLIENT : CAP_SERVER]++;
	if (!head_is_host(h->daddr, h->v6))
		return 0;
	rc = stations_get(who, ip_kind(h), h->daddr, &to);
	if (rc)
		return rc;
	if (told == CAP_SIDES && h->role != HEAD_UNKNOWN)
		who->at[to].as[h->role == HEAD_ASKS ? CAP_SERVER : CAP_CLIENT]++;
	stations_speak(who, from, to);
	return 0;
}

static int learn_frame(struct cap_split *s, const struct cap_frame *f)
{
	enum cap_side told;
	struct head h;
	uint32_t from, to;
	int rc;

	head_read(&h, f->bytes, f->len);
	if (!h.src)
		return 0;
	told = told_side(&s->p, &h);
	if (told != CAP_SIDES)
		s->told[told]++;
	rc = stations_get(&s->who, STATION_MAC, h.src, &from);
	if (rc)
		return rc;
	s->who.at[from].sent = true;
	if (head_is_station(h.dst)) {
		rc = stations_get(&s->who, STATION_MAC, h.dst, &to);
		if (rc)
			return rc;
		stations_speak(&s->who, from, to);
	}
	return learn_ip(s, &h, from);
}

static int learn_all(
	struct cap_split *s, const char *const *path, unsigned n_paths, struct err *err)
{
	struct cap_join *in;
	struct cap_frame f;
	int rc = cap_join_open(&in, path, n_paths, err), learned = 0;

	if (rc)
		return rc;
	while (!learned && (rc = cap_join_next(in, &f, err)) == 1)
		learned = learn_frame(s, &f);
	cap_join_close(in);
	if (learned == -E2BIG)
		return err_set(err, learned,
			"%s: it has too many addresses to learn its sides; `split: none` sends "
			"all of it from one host",
			path[0]);
	return learned ? err_set(err, learned, "%s: no memory", path[0]) : rc;
}

static void opposite_of_peer(struct stations *s, struct station *x)
{
	if (x->side == CAP_SIDES && x->peer != STATION_NONE && s->at[x->peer].side != CAP_SIDES)
		x->side = s->at[x->peer].side == CAP_CLIENT ? CAP_SERVER : CAP_CLIENT;
}

// An IP address is on the side whose role it had more often. Without a role it is on the other side
// than its peer, and of two without a role the first sender is a client. A MAC address is on the
// side of the first IP address from which it sent.
static void decide_roles(struct stations *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		struct station *x = &s->at[i];

		if (x->as[CAP_CLIENT] != x->as[CAP_SERVER])
			x->side = x->as[CAP_CLIENT] > x->as[CAP_SERVER] ? CAP_CLIENT : CAP_SERVER;
	}
	for (uint32_t i = 0; i < s->n; i++) {
		struct station *x = &s->at[i];

		if (x->kind == STATION_MAC)
			continue;
		opposite_of_peer(s, x);
		if (x->side == CAP_SIDES)
			x->side = CAP_CLIENT;
	}
	for (uint32_t i = 0; i < s->n; i++)
		if (s->at[i].kind == STATION_MAC && s->at[i].ip != STATION_NONE)
			s->at[i].side = s->at[s->at[i].ip].side;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->at[i].kind == STATION_MAC)
			opposite_of_peer(s, &s->at[i]);
}

static bool side_sends(const struct cap_split *s, enum cap_side side)
{
	bool sends = s->told[side] > 0;

	for (uint32_t i = 0; i < s->who.n && !sends; i++) {
		const struct station *x = &s->who.at[i];
		bool counts =
			x->kind != STATION_MAC || s->p.by == CAP_SPLIT_MAC || x->ip == STATION_NONE;

		sends = counts && x->sent && x->side == side;
	}
	return sends;
}

static bool has_two_sides(const struct cap_split *s)
{
	return side_sends(s, CAP_CLIENT) && side_sends(s, CAP_SERVER);
}

static void forget_sides(struct stations *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		s->at[i].side = CAP_SIDES;
}

static void decide_auto(struct cap_split *s)
{
	s->p.by = CAP_SPLIT_MAC;
	stations_colour(&s->who, false);
	if (s->who.odd_pair[0][0] == STATION_NONE) {
		if (!has_two_sides(s))
			s->p.by = CAP_SPLIT_NONE;
		return;
	}
	forget_sides(&s->who);
	s->p.by = CAP_SPLIT_ROLE;
	decide_roles(&s->who);
	if (!has_two_sides(s))
		s->p.by = CAP_SPLIT_NONE;
}

static int three_sides(const struct cap_split *s, const char *path, struct err *err)
{
	const uint32_t *odd = s->who.odd_pair[0];
	char one[STATION_TEXT], two[STATION_TEXT];

	return err_set(err, -EINVAL,
		"%s: it has three sides or more: %s and %s speak with each other, and both with "
		"the same others; name the MAC addresses of the servers (mac ADDRESS,...), or "
		"write subnet NET or client-server",
		path, stations_text(&s->who.at[odd[0]], one),
		stations_text(&s->who.at[odd[1]], two));
}

static int empty_side(const struct cap_split *s, const char *path, struct err *err)
{
	static const char *const why[] = {
		[CAP_SPLIT_MAC] = "source MAC address",
		[CAP_SPLIT_SUBNET] = "source address within the networks",
		[CAP_SPLIT_PORT] = "lower port of the two (RoCEv2 has its port as destination "
				   "both ways)",
		[CAP_SPLIT_ROLE] = "answer, or address that answers",
	};
	bool no_servers = !side_sends(s, CAP_SERVER);

	return err_set(err, -EINVAL,
		"%s: this split leaves the %s side empty: %s frame has a server's %s; "
		"`split: none` sends all of it from one host",
		path, no_servers ? "server" : "client", no_servers ? "no" : "every", why[s->p.by]);
}

static int decide(struct cap_split *s, const char *path, struct err *err)
{
	switch (s->p.by) {
	case CAP_SPLIT_NONE:
		return 0;
	case CAP_SPLIT_AUTO:
		decide_auto(s);
		return 0;
	case CAP_SPLIT_MAC:
		if (s->p.n)
			break;
		if (s->who.odd_pair[0][0] != STATION_NONE)
			return three_sides(s, path, err);
		stations_colour(&s->who, false);
		break;
	default:
		decide_roles(&s->who);
	}
	return has_two_sides(s) ? 0 : empty_side(s, path, err);
}

int cap_split_learn(struct cap_split **out, const struct cap_split_params *p,
	const char *const *path, unsigned n_paths, struct err *err)
{
	struct cap_split *s = calloc(1, sizeof(*s));
	int rc = 0;

	if (!s)
		return err_set(err, -ENOMEM, "%s: no memory", path[0]);
	s->p = *p;
	stations_init(&s->who);
	if (p->by != CAP_SPLIT_NONE)
		rc = learn_all(s, path, n_paths, err);
	if (!rc)
		rc = decide(s, path[0], err);
	if (rc) {
		cap_split_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

void cap_split_free(struct cap_split *s)
{
	if (!s)
		return;
	stations_fini(&s->who);
	free(s);
}

enum cap_split_by cap_split_found(const struct cap_split *s)
{
	return s->p.by;
}
