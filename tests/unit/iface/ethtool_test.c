// SPDX-License-Identifier: BSD-3-Clause
// ethtool's questions, answered by a mock of the kernel: drivers of network cards that this machine
// does not have. And the counters that the kernel keeps of lo.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>

#include <cmocka.h>

#include "iface/iface.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>

#define MOST 64

// A driver: its name, its speed in Mb/s, its counters.
static struct {
	const char *driver;
	uint32_t mbps;
	uint8_t duplex;
	unsigned n, gains; // counters, and how many it gains after they were counted
	const char *name[MOST];
	uint64_t value[MOST];
} card;

int __wrap_ioctl(int fd, unsigned long request, ...);

static void answer_count(struct ethtool_sset_info *q)
{
	if (!card.n)
		q->sset_mask = 0;
	else
		q->data[0] = card.n;
	card.n += card.gains;
	card.gains = 0;
}

static void answer_names(struct ethtool_gstrings *q)
{
	q->len = card.n;
	for (unsigned i = 0; i < card.n; i++) // of 32 bytes the name may fill all
		memcpy(q->data + (size_t)i * ETH_GSTRING_LEN, card.name[i],
			strnlen(card.name[i], ETH_GSTRING_LEN));
}

static void answer_values(struct ethtool_stats *q)
{
	q->n_stats = card.n;
	memcpy(q->data, card.value, card.n * sizeof(card.value[0]));
}

// Each of the kernel's answers is written over its question.
int __wrap_ioctl(int fd, unsigned long request, ...)
{
	struct ifreq *r;
	va_list args;
	void *q;

	va_start(args, request);
	r = va_arg(args, struct ifreq *);
	va_end(args);
	(void)fd;
	if (request != SIOCETHTOOL || strcmp(r->ifr_name, "eth7") != 0) {
		errno = ENODEV;
		return -1;
	}
	q = r->ifr_data;
	switch (*(uint32_t *)q) {
	case ETHTOOL_GDRVINFO:
		memcpy(((struct ethtool_drvinfo *)q)->driver, card.driver, strlen(card.driver));
		return 0;
	case ETHTOOL_GSET:
		ethtool_cmd_speed_set(q, card.mbps);
		((struct ethtool_cmd *)q)->duplex = card.duplex;
		return 0;
	case ETHTOOL_GSSET_INFO:
		answer_count(q);
		return 0;
	case ETHTOOL_GSTRINGS:
		answer_names(q);
		return 0;
	case ETHTOOL_GSTATS:
		answer_values(q);
		return 0;
	default:
		errno = EOPNOTSUPP;
		return -1;
	}
}

static void add(const char *name, uint64_t value)
{
	card.name[card.n] = name;
	card.value[card.n++] = value;
}

static void a_card_tells_its_driver_and_speed(void **state)
{
	char driver[IFACE_DRIVER];
	bool half;

	(void)state;
	memset(&card, 0, sizeof(card));
	card.driver = "mlx5_core";
	card.mbps = 100000;
	card.duplex = DUPLEX_FULL;
	assert_true(iface_driver("eth7", driver));
	assert_string_equal(driver, "mlx5_core");
	assert_int_equal(iface_speed("eth7", &half), 100000000000);
	assert_false(half);
	card.mbps = 100;
	card.duplex = DUPLEX_HALF;
	assert_int_equal(iface_speed("eth7", &half), 100000000);
	assert_true(half);
	card.mbps = (uint32_t)SPEED_UNKNOWN;
	assert_int_equal(iface_speed("eth7", &half), 0);
	assert_false(half);
	card.driver = "veth";
	card.mbps = 10000;
	assert_int_equal(iface_speed("eth7", &half), 0);
	assert_false(iface_driver("eth8", driver));
	assert_string_equal(driver, "");
}

static void counters_come_with_their_names(void **state)
{
	struct iface_stats s;

	(void)state;
	memset(&card, 0, sizeof(card));
	add("rx_prio3_pause", 5);
	add("a_name_that_fills_all_32_bytes__", 7);
	assert_int_equal(iface_stats_read("eth7", &s), 0);
	assert_int_equal(s.n, 2);
	assert_string_equal(s.name[0], "rx_prio3_pause");
	assert_int_equal(s.value[0], 5);
	assert_string_equal(s.name[1], "a_name_that_fills_all_32_bytes__");
	assert_int_equal(s.value[1], 7);
	iface_stats_free(&s);
	assert_int_equal(iface_stats_read("eth8", &s), -EOPNOTSUPP);
	memset(&card, 0, sizeof(card));
	assert_int_equal(iface_stats_read("eth7", &s), -EOPNOTSUPP);
	assert_null(s.name);
}

static void a_driver_that_gains_counters_is_not_misread(void **state)
{
	struct iface_stats s;

	(void)state;
	memset(&card, 0, sizeof(card));
	for (unsigned i = 0; i < 40; i++)
		add("rx_bytes", i);
	card.n = 20;
	card.gains = 20;
	assert_int_equal(iface_stats_read("eth7", &s), -EAGAIN);
	assert_null(s.name);
	assert_int_equal(iface_stats_read("eth7", &s), 0);
	assert_int_equal(s.n, 40);
	iface_stats_free(&s);
}

static void the_mac_is_read_from_them(void **state)
{
	struct record_mac mac;

	(void)state;
	memset(&card, 0, sizeof(card));
	add("rx_packets", 1000);
	assert_int_equal((iface_mac("eth7", &mac), mac.known), false);
	add("rx_prio3_pause", 5);
	iface_mac("eth7", &mac);
	assert_true(mac.known);
	assert_int_equal(mac.rx_pfc[3], 5);
	iface_mac("eth8", &mac);
	assert_false(mac.known);
}

static void the_kernel_counts_frames_of_lo(void **state)
{
	struct rtnl_link_stats64 is;

	(void)state;
	assert_true(iface_counters(if_nametoindex("lo"), &is));
	assert_int_equal(is.rx_packets, is.tx_packets);
	assert_false(iface_counters(0x7ffffff0, &is));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_card_tells_its_driver_and_speed),
		cmocka_unit_test(counters_come_with_their_names),
		cmocka_unit_test(a_driver_that_gains_counters_is_not_misread),
		cmocka_unit_test(the_mac_is_read_from_them),
		cmocka_unit_test(the_kernel_counts_frames_of_lo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
