// SPDX-License-Identifier: BSD-3-Clause
// Frames that are dated by the stamps of a device: net_pcap has the stamps of its capture.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "../eal_lab.h"
#include "base/prng.h"
#include "dev/dev.h"

static int start(void **state)
{
	(void)state;
	return eallab_start("net_null0", 100 * RATE_GBPS);
}

// A capture of n frames of 60 bytes, whose stamps are 10 us apart.
static void write_capture(const char *path, unsigned n)
{
	const uint32_t head[6] = {0xa1b2c3d4, 4u << 16 | 2, 0, 0, 65535, 1};
	uint8_t frame[60] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xb5};
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fwrite(head, sizeof(head), 1, f);
	for (unsigned i = 0; i < n; i++) {
		const uint32_t record[4] = {1700000000 + i / 100000, i % 100000 * 10, 60, 60};

		fwrite(record, sizeof(record), 1, f);
		fwrite(frame, sizeof(frame), 1, f);
	}
	assert_int_equal(fclose(f), 0);
}

// Reads the capture at its own rate, by loops that come at any time, and looks at the last frames.
static void read_stamps(enum scene_stamps wish, bool stamped)
{
	char path[64], device[128];
	struct pkt *burst[EAL_BURST];
	tstamp now = PS_PER_MS, last = 0;
	unsigned seen = 0, exact = 0;
	struct prng r;
	struct err err = {0};
	struct dev d;

	snprintf(path, sizeof(path), "/tmp/quench-stamps-%d.pcap", (int)getpid());
	write_capture(path, 4000);
	snprintf(device, sizeof(device), "net_pcap0,rx_pcap=%s", path);
	prng_init(&r, 1, "loop");
	port.rx_stamps = wish;
	port.rate = 67200000; // a frame and its gap in 10 us
	port.device = device;
	if (dev_open(&d, &port, pool, &err) || dev_start(&d, &err))
		fail_msg("%s", err.text);
	dev_begin(&d);
	for (; seen < 4000 && now < PS_PER_S; now += prng_below(&r, 90 * PS_PER_US)) {
		unsigned n = dev_rx(&d, burst, NULL, now);

		for (unsigned i = 0; i < n; i++) {
			assert_true(burst[i]->when <= now);
			exact += ++seen > 3000 && burst[i]->when - last > 9990 * PS_PER_NS &&
				 burst[i]->when - last < 10010 * PS_PER_NS;
			last = burst[i]->when;
			rte_pktmbuf_free(eal_mbuf(burst[i]));
		}
	}
	assert_int_equal(seen, 4000);
	dev_take(&d);
	assert_int_equal(d.lost.stamps, stamped);
	assert_int_equal(d.lost.stamps_known, stamped);
	assert_true(stamped ? exact > 900 : exact < 100);
	if (stamped) {
		assert_true(d.lost.rx_stamped > 2500 && d.lost.rx_stamped < 4000);
		assert_true(d.lost.stamp_tick_ns > 999 && d.lost.stamp_tick_ns < 1001);
		assert_int_equal(d.stamps.stamped + d.stamps.unstamped, 4000);
		assert_int_equal(d.lost.stamp_resets, 0);
	}
	dev_stop(&d);
	dev_close(&d);
	assert_int_equal(unlink(path), 0);
	port.rx_stamps = SCENE_STAMPS_AUTO;
	port.rate = 100 * RATE_GBPS;
}

static void frames_are_dated_by_the_devices_stamps(void **state)
{
	(void)state;
	read_stamps(SCENE_STAMPS_DEVICE, true);
	read_stamps(SCENE_STAMPS_NONE, false);
	read_stamps(SCENE_STAMPS_AUTO, false); // the stamps of a file are of another time
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_dated_by_the_devices_stamps),
	};

	return cmocka_run_group_tests(tests, start, eallab_finish);
}
