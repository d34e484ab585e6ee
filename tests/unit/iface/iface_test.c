// SPDX-License-Identifier: BSD-3-Clause
// Messages about interfaces: whole ones, cut ones and rubbish; and the kernel's message about lo.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "base/prng.h"
#include "iface/iface.h"

#define LOWER_UP 0x10000u

struct message {
	_Alignas(8) uint8_t bytes[512];
	size_t n;
};

struct heard {
	struct iface_news news[8];
	unsigned n;
};

static void hear(void *arg, const struct iface_news *news)
{
	struct heard *h = arg;

	if (h->n < 8)
		h->news[h->n] = *news;
	h->n++;
}

static void add(struct message *m, const void *bytes, size_t n)
{
	memcpy(m->bytes + m->n, bytes, n);
	m->n += NLMSG_ALIGN(n);
}

static void attribute(struct message *m, unsigned short type, const void *value, size_t n)
{
	const struct rtattr a = {.rta_len = (unsigned short)RTA_LENGTH(n), .rta_type = type};

	memcpy(m->bytes + m->n + sizeof(a), value, n);
	memcpy(m->bytes + m->n, &a, sizeof(a));
	m->n += RTA_ALIGN(a.rta_len);
}

// A message about interface 7, "sa" with this MTU.
static void about(struct message *m, unsigned short type, unsigned flags, uint32_t mtu)
{
	const struct ifinfomsg link = {.ifi_index = 7, .ifi_flags = flags};
	struct nlmsghdr h = {.nlmsg_type = type};
	size_t start = m->n;

	m->n += sizeof(h);
	add(m, &link, sizeof(link));
	attribute(m, IFLA_IFNAME, "sa", 3);
	attribute(m, IFLA_MTU, &mtu, sizeof(mtu));
	h.nlmsg_len = (uint32_t)(m->n - start);
	memcpy(m->bytes + start, &h, sizeof(h));
}

static void a_change_is_told(void **state)
{
	struct message m = {0};
	struct heard h = {0};
	struct iface i = {.index = 7, .present = true};

	(void)state;
	about(&m, RTM_NEWLINK, IFF_UP | IFF_RUNNING | LOWER_UP, 9000);
	about(&m, RTM_NEWLINK, IFF_UP, 1500);
	about(&m, RTM_DELLINK, 0, 1500);
	assert_false(iface_parse(m.bytes, m.n, hear, &h));
	assert_int_equal(h.n, 3);
	iface_update(&i, &h.news[0]);
	assert_true(i.present && i.up && i.carrier);
	assert_string_equal(i.name, "sa");
	assert_int_equal(i.mtu, 9000);
	iface_update(&i, &h.news[1]);
	assert_true(i.present && i.up && !i.carrier);
	assert_int_equal(i.mtu, 1500);
	iface_update(&i, &h.news[2]);
	assert_false(i.present || i.up || i.carrier);
	iface_update(&i, &h.news[0]); // another one that has its number now
	assert_false(i.present || i.up || i.carrier);
}

static void running_without_a_lower_layer_is_no_carrier(void **state)
{
	struct message m = {0};
	struct heard h = {0};

	(void)state;
	about(&m, RTM_NEWLINK, IFF_UP | IFF_RUNNING, 1500);
	about(&m, RTM_NEWLINK, IFF_UP | LOWER_UP, 1500);
	iface_parse(m.bytes, m.n, hear, &h);
	assert_int_equal(h.n, 2);
	assert_false(h.news[0].carrier);
	assert_false(h.news[1].carrier);
}

static void a_bridge_port_that_leaves_is_not_gone(void **state)
{
	struct message m = {0};
	struct heard h = {0};

	(void)state;
	about(&m, RTM_DELLINK, 0, 1500);
	m.bytes[sizeof(struct nlmsghdr)] = 7; // AF_BRIDGE
	assert_false(iface_parse(m.bytes, m.n, hear, &h));
	assert_int_equal(h.n, 0);
}

static void an_interface_that_moves_away_is_told_as_that(void **state)
{
	const int32_t id = 0;
	struct message m = {0};
	struct heard h = {0};
	struct iface i = {.index = 7, .present = true};

	(void)state;
	about(&m, RTM_DELLINK, IFF_UP, 1500);
	attribute(&m, IFLA_NEW_NETNSID, &id, sizeof(id));
	memcpy(m.bytes, &(uint32_t){(uint32_t)m.n}, sizeof(uint32_t));
	iface_parse(m.bytes, m.n, hear, &h);
	assert_int_equal(h.n, 1);
	iface_update(&i, &h.news[0]);
	assert_true(!i.present && i.moved);
}

static void the_end_of_a_list_is_told(void **state)
{
	const struct nlmsghdr done = {.nlmsg_len = sizeof(done), .nlmsg_type = NLMSG_DONE};
	struct message m = {0};
	struct heard h = {0};

	(void)state;
	about(&m, RTM_NEWLINK, IFF_UP, 1500);
	add(&m, &done, sizeof(done));
	assert_true(iface_parse(m.bytes, m.n, hear, &h));
	assert_int_equal(h.n, 1);
}

// In memory of its very size, so that a sanitizer sees a byte too far.
static void parsed_alone(const uint8_t *bytes, size_t n)
{
	uint8_t *copy = malloc(n + !n);
	struct heard h = {0};

	assert_non_null(copy);
	memcpy(copy, bytes, n);
	iface_parse(copy, n, hear, &h);
	for (unsigned k = 0; k < h.n && k < 8; k++)
		assert_true(memchr(h.news[k].name, 0, sizeof(h.news[k].name)) != NULL);
	free(copy);
}

static void what_is_cut_or_rubbish_is_passed_over(void **state)
{
	struct prng r;
	struct message m = {0};

	(void)state;
	prng_init(&r, 1, "iface");
	about(&m, RTM_NEWLINK, IFF_UP, 1500);
	about(&m, RTM_DELLINK, IFF_UP, 1500);
	for (size_t n = 0; n <= m.n; n++)
		parsed_alone(m.bytes, n);
	for (unsigned k = 0; k < 100000; k++) {
		struct message bad = m;

		for (unsigned hits = 1 + k % 4; hits > 0; hits--)
			bad.bytes[prng_below(&r, bad.n)] = (uint8_t)prng_u64(&r);
		parsed_alone(bad.bytes, prng_below(&r, bad.n + 1));
	}
}

static void the_kernel_tells_of_lo(void **state)
{
	struct iface i[2] = {{.index = if_nametoindex("lo"), .present = true}};
	int s = iface_open();

	(void)state;
	assert_true(s >= 0);
	assert_int_equal(iface_ask(s), 0);
	assert_int_equal(iface_await(s, i, 2), 0);
	assert_true(i[0].present);
	assert_string_equal(i[0].name, "lo");
	assert_true(i[0].mtu > 1000);
	iface_poll(s, i, 2); // nothing has come, and it does not wait
	close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_is_told),
		cmocka_unit_test(running_without_a_lower_layer_is_no_carrier),
		cmocka_unit_test(a_bridge_port_that_leaves_is_not_gone),
		cmocka_unit_test(an_interface_that_moves_away_is_told_as_that),
		cmocka_unit_test(the_end_of_a_list_is_told),
		cmocka_unit_test(what_is_cut_or_rubbish_is_passed_over),
		cmocka_unit_test(the_kernel_tells_of_lo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
