// SPDX-License-Identifier: BSD-3-Clause
// Messages about links, and the treatment of links that fail, with a device that plays hardware: a
// net_ring whose answers are taken over at the calls (ld --wrap).
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rte_ethdev.h>

#include "../eal_lab.h"
#include "iface/iface.h"
#include "rt/run.h"

// The state of the device.
static struct {
	bool pci; // it has a PCI address
	bool removed;
	bool down;      // it has no link
	bool has_iface; // the kernel has an interface of it
	int iface_ask;  // 0: as the kernel answers
	uint32_t speed;
	bool half;
} mock;

bool __wrap_eal_pci(const char *device, char *name, size_t size);
int __wrap_rte_eth_link_get_nowait(uint16_t id, struct rte_eth_link *link);
int __wrap_rte_eth_dev_is_removed(uint16_t id);
int __real_rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info);
int __wrap_rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info);
int __real_iface_ask(int socket);
int __wrap_iface_ask(int socket);

bool __wrap_eal_pci(const char *device, char *name, size_t size)
{
	(void)device;
	(void)name;
	(void)size;
	return mock.pci;
}

int __wrap_rte_eth_link_get_nowait(uint16_t id, struct rte_eth_link *link)
{
	(void)id;
	*link = (struct rte_eth_link){
		.link_speed = mock.speed, .link_status = !mock.down, .link_duplex = !mock.half};
	return 0;
}

int __wrap_rte_eth_dev_is_removed(uint16_t id)
{
	(void)id;
	return mock.removed;
}

int __wrap_rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info)
{
	int rc = __real_rte_eth_dev_info_get(id, info);

	if (mock.has_iface)
		info->if_index = if_nametoindex("lo");
	return rc;
}

int __wrap_iface_ask(int socket)
{
	return mock.iface_ask ? mock.iface_ask : __real_iface_ask(socket);
}

static int start(void **state)
{
	(void)state;
	return eallab_start("net_ring0", 10 * RATE_GBPS);
}

// A run of one device on one lcore whose links are watched, with its messages.
struct running {
	struct rt rt;
	struct rt_opts opts;
	struct dev d;
	struct rt_node node;
	struct rt_end end;
	uint16_t slot, lcore_of;
	struct rt_lcore lc, *lcore;
	char said[2000];
};

static void hear(void *arg, const char *line)
{
	struct running *r = arg;
	size_t n = strlen(r->said);

	snprintf(r->said + n, sizeof(r->said) - n, "%s\n", line);
}

static void begun(struct running *r)
{
	struct err err = {0};

	memset(r, 0, sizeof(*r));
	mock.speed = mock.speed ? mock.speed : 10000;
	if (dev_open(&r->d, &port, pool, &err) || dev_start(&r->d, &err))
		fail_msg("%s", err.text);
	r->end = (struct rt_end){.dev = &r->d, .node = &r->node};
	r->lc.end = &r->end;
	r->lc.n_ends = r->lc.n_dev = 1;
	r->lc.dev = &r->slot;
	r->lcore = &r->lc;
	r->opts = (struct rt_opts){.say = hear, .arg = r};
	r->rt = (struct rt){.opts = &r->opts,
		.scene = &scene,
		.dev = &r->d,
		.n_dev = 1,
		.world = {.n_lcores = 1, .lcore = &r->lcore, .lcore_of = &r->lcore_of}};
}

static void looked(struct running *r)
{
	struct err err = {0};

	if (rt_carrier_begin(&r->rt, &err))
		fail_msg("%s", err.text);
}

static void ended(struct running *r)
{
	rt_carrier_end(&r->rt);
	dev_stop(&r->d);
	dev_close(&r->d);
	memset(&mock, 0, sizeof(mock));
}

static void a_link_below_its_rate_and_half_duplex_is_said(void **state)
{
	struct running r;

	(void)state;
	mock.speed = 10;
	mock.half = true;
	begun(&r);
	mock.pci = true;
	looked(&r);
	assert_string_equal(r.said,
		"port s:r: its link has 0.01 Gb/s, the scenario's has 10 Gb/s: give it rate: "
		"0.01Gbps, or frames queue up in the device, where nothing marks them\n"
		"port s:r: its link is half duplex, where neither PFC nor PAUSE exists: set the "
		"other end to full duplex\n");
	ended(&r);
}

static void a_link_of_its_rate_is_no_line(void **state)
{
	struct running r;

	(void)state;
	begun(&r);
	mock.pci = true;
	looked(&r);
	assert_string_equal(r.said, "");
	ended(&r);
}

static void a_speed_that_is_no_wires_is_not_believed(void **state)
{
	struct running r;

	(void)state;
	mock.speed = 10;
	mock.half = true;
	begun(&r);
	looked(&r);
	assert_string_equal(r.said, "");
	ended(&r);
}

static void where_the_kernel_tells_nothing_dpdk_does(void **state)
{
	struct running r;

	(void)state;
	mock.iface_ask = -EPERM;
	begun(&r);
	mock.has_iface = true;
	looked(&r);
	assert_int_equal(r.rt.carrier.port[0].link, WATCH_UP);
	assert_string_equal(r.said,
		"the kernel tells nothing of its interfaces (Operation not permitted): the link of "
		"a port is what DPDK says, which of a kernel's interface is always up\n");
	ended(&r);
}

static void a_device_that_was_pulled_out_is_gone_for_good(void **state)
{
	struct running r;

	(void)state;
	begun(&r);
	mock.pci = true;
	looked(&r);
	mock.removed = true;
	usleep(20000); // DPDK is asked every 10 ms
	rt_carrier_watch(&r.rt, 5 * PS_PER_MS);
	assert_string_equal(r.said,
		"port s:r: its device is gone for good at 0.005000 s: device \"net_ring0\" was "
		"removed; what is bound for it is dropped\n");
	assert_true(r.d.gone);
	assert_string_equal(r.rt.run.device_gone,
		"port s:r has had none since 0.005000 s: device \"net_ring0\" was removed");
	assert_int_equal(r.end.told, WATCH_GONE);
	mock.removed = false; // another one in its place
	usleep(20000);
	rt_carrier_watch(&r.rt, 6 * PS_PER_MS);
	assert_int_equal(r.end.told, WATCH_GONE);
	r.d.gone = false; // so that it is closed as others are
	ended(&r);
}

// The device's link is so at this instant of the scene.
static void link_is(struct running *r, bool up, tstamp now)
{
	mock.down = !up;
	usleep(20000); // DPDK is asked every 10 ms
	rt_carrier_watch(&r->rt, now);
	r->rt.run.end = now;
}

// A link that came back is told with its time in the window, and a link that is down at the end
// with the reason.
static void time_without_a_link_is_told(void **state)
{
	struct running r;

	(void)state;
	begun(&r);
	r.rt.scene = &(struct scene){.warmup = 4 * PS_PER_MS};
	mock.pci = true;
	looked(&r);
	link_is(&r, false, 1 * PS_PER_MS);
	link_is(&r, true, 3 * PS_PER_MS); // within the warm-up
	link_is(&r, false, 6 * PS_PER_MS);
	link_is(&r, true, 8 * PS_PER_MS);
	link_is(&r, false, 10 * PS_PER_MS);
	link_is(&r, true, 11 * PS_PER_MS);
	ended(&r);
	assert_string_equal(r.rt.run.no_link,
		"port s:r had none for 0.003000 s of the window, from 0.006000 s on");

	begun(&r);
	mock.pci = true;
	looked(&r);
	link_is(&r, false, 6 * PS_PER_MS);
	link_is(&r, false, 8 * PS_PER_MS);
	ended(&r);
	assert_string_equal(r.rt.run.no_link,
		"port s:r has had none since 0.006000 s: device \"net_ring0\" says so");
}

// Time in the warm-up, and time for which the scenario's own link_down asked, is no news.
static void time_without_a_link_that_is_no_news(void **state)
{
	struct scene_event event[] = {{.at = 5 * PS_PER_MS, .ctl = {.type = CTL_LINK_DOWN}},
		{.at = 5 * PS_PER_MS, .node = 1, .ctl = {.type = CTL_LINK_UP}},
		{.at = 9 * PS_PER_MS, .ctl = {.type = CTL_LINK_UP}}};
	struct running r;

	(void)state;
	begun(&r);
	r.rt.scene = &(struct scene){.warmup = 4 * PS_PER_MS, .event = event, .n_events = 3};
	mock.pci = true;
	looked(&r);
	link_is(&r, false, 1 * PS_PER_MS);
	link_is(&r, true, 3 * PS_PER_MS);
	link_is(&r, false, 6 * PS_PER_MS);
	link_is(&r, true, 8 * PS_PER_MS);
	ended(&r);
	assert_string_equal(r.rt.run.no_link, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_link_below_its_rate_and_half_duplex_is_said),
		cmocka_unit_test(a_link_of_its_rate_is_no_line),
		cmocka_unit_test(a_speed_that_is_no_wires_is_not_believed),
		cmocka_unit_test(where_the_kernel_tells_nothing_dpdk_does),
		cmocka_unit_test(a_device_that_was_pulled_out_is_gone_for_good),
		cmocka_unit_test(time_without_a_link_is_told),
		cmocka_unit_test(time_without_a_link_that_is_no_news),
	};

	return cmocka_run_group_tests(tests, start, eallab_finish);
}
