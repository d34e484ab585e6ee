// SPDX-License-Identifier: BSD-3-Clause
// Real ports on vdevs that need neither root nor hardware: net_ring, net_null, net_pcap, and bad
// devices.
#include <errno.h>
#include <net/if.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "../eal_lab.h"
#include "../../cap_all.h"
#include "dev/count.h"
#include "dev/dev.h"
#include "watch/watch.h"

#define FRAMES 267 // of the capture

static char out[] = "/tmp/quench-rt-dev-XXXXXX";

// The driver's answers while `plays`, and the requests that it got.
static struct {
	bool plays;
	uint64_t hash;       // what it can spread by
	uint16_t tx_at_most; // its transmit queues
	uint16_t rx, tx;     // queues asked for
	struct rte_eth_conf conf;
	unsigned if_index;     // of its interface
	struct record_mac mac; // that the kernel tells of it
} driver;

int __real_rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info);
int __wrap_rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info);
int __real_rte_eth_dev_configure(
	uint16_t id, uint16_t rx, uint16_t tx, const struct rte_eth_conf *conf);
int __wrap_rte_eth_dev_configure(
	uint16_t id, uint16_t rx, uint16_t tx, const struct rte_eth_conf *conf);

void __wrap_iface_mac(const char *interface, struct record_mac *mac);

void __wrap_iface_mac(const char *interface, struct record_mac *mac)
{
	*mac = strcmp(interface, "lo") == 0 ? driver.mac : (struct record_mac){0};
}

int __wrap_rte_eth_dev_info_get(uint16_t id, struct rte_eth_dev_info *info)
{
	int rc = __real_rte_eth_dev_info_get(id, info);

	if (!driver.plays)
		return rc;
	info->flow_type_rss_offloads = driver.hash;
	info->max_tx_queues = driver.tx_at_most;
	info->if_index = driver.if_index;
	return rc;
}

// net_ring itself has no hash.
int __wrap_rte_eth_dev_configure(
	uint16_t id, uint16_t rx, uint16_t tx, const struct rte_eth_conf *conf)
{
	struct rte_eth_conf plain = *conf;

	if (!driver.plays)
		return __real_rte_eth_dev_configure(id, rx, tx, conf);
	driver.rx = rx;
	driver.tx = tx;
	driver.conf = *conf;
	plain.rxmode.mq_mode = RTE_ETH_MQ_RX_NONE;
	memset(&plain.rx_adv_conf, 0, sizeof(plain.rx_adv_conf));
	return __real_rte_eth_dev_configure(id, rx, tx, &plain);
}

static int start(void **state)
{
	(void)state;
	return eallab_start("net_null0", 100 * RATE_GBPS) || !mkdtemp(out);
}

static int finish(void **state)
{
	return eallab_finish(state) || rmdir(out);
}

static void opened(struct dev *d, const char *device)
{
	struct err err = {0};

	port.device = (char *)device;
	if (dev_open(d, &port, pool, &err) || dev_start(d, &err))
		fail_msg("%s", err.text);
}

static void closed(struct dev *d)
{
	dev_stop(d);
	dev_close(d);
}

static void sent(struct dev *d, struct pkt **burst, unsigned n)
{
	struct rte_mbuf *m[EAL_BURST];

	mbuf_render(&d->told, d->tmpl, burst, m, n, 0);
	assert_int_equal(dev_tx(d, 0, m, n), n);
}

// A packet of ours, of 60 bytes: a PFC frame.
static struct pkt *pfc_frame(const struct hdr *hdr)
{
	void *m;
	struct pkt *p;

	assert_int_equal(rte_mempool_get(pool, &m), 0);
	p = eal_pkt(m);
	*p = (struct pkt){.hdr = hdr, .kind = PKT_PFC, .len = 60, .u.pfc = {.enable = 8}};
	p->u.pfc.quanta[3] = 0xffff;
	return p;
}

static void a_frame_comes_back_from_a_ring(void **state)
{
	const struct hdr hdr = {.dst = {1, 0x80, 0xc2, 0, 0, 1},
		.src = {2, 0, 0, 0, 0, 9},
		.ethertype = 0x8808,
		.id = HDR_ID_NODE};
	struct pkt *p = pfc_frame(&hdr), *burst[EAL_BURST];
	struct dev d;

	(void)state;
	opened(&d, "net_ring0");
	sent(&d, &p, 1);
	assert_int_equal(dev_rx(&d, burst, NULL, 5), 1);
	assert_int_equal(burst[0]->kind, PKT_PFC);
	assert_int_equal(burst[0]->len, 60);
	assert_int_equal(burst[0]->born, TSTAMP_NEVER);
	assert_int_equal(burst[0]->u.pfc.enable, 8);
	assert_int_equal(burst[0]->u.pfc.quanta[3], 0xffff);
	assert_memory_equal(burst[0]->hdr->src, hdr.src, 6);
	assert_true(burst[0]->flags & PKT_F_FOREIGN);
	rte_pktmbuf_free(eal_mbuf(burst[0]));
	closed(&d);
}

// As with a card that DPDK shares with the kernel (mlx5).
static void pauses_of_the_mac_are_told(void **state)
{
	struct dev d;

	(void)state;
	memset(&driver, 0, sizeof(driver));
	driver.plays = true;
	driver.tx_at_most = 1;
	driver.if_index = if_nametoindex("lo");
	opened(&d, "net_ring0");
	assert_string_equal(d.lost.mac_interface, ""); // its driver counts no pause frames
	closed(&d);
	driver.mac = (struct record_mac){.known = true, .own = true, .rx_pfc[3] = 100};
	opened(&d, "net_ring0");
	assert_string_equal(d.lost.mac_interface, "lo");
	driver.mac.rx_pfc[3] = 107; // before the run begins
	dev_begin(&d);
	driver.mac.rx_pfc[3] = 112;
	driver.mac.tx_pause = 2;
	dev_take(&d);
	assert_true(d.lost.mac.known && d.lost.mac.own);
	assert_int_equal(d.lost.mac.rx_pfc[3], 5);
	assert_int_equal(d.lost.mac.tx_pause, 2);
	driver.mac.known = false; // the interface is gone: what was known stays
	dev_take(&d);
	assert_int_equal(d.lost.mac.rx_pfc[3], 5);
	closed(&d);
	memset(&driver, 0, sizeof(driver));
}

static void what_is_on_its_way_is_freed(void **state)
{
	const struct hdr hdr = {.ethertype = 0x8808};
	struct pkt *p = pfc_frame(&hdr);
	struct dev d;

	(void)state;
	opened(&d, "net_ring0");
	sent(&d, &p, 1);
	closed(&d); // finish() counts the pool
}

// A frame of ours goes round the ring: a PFC frame with these quanta.
static void pfc_came(struct dev *d, uint16_t quanta)
{
	const struct hdr hdr = {.dst = {1, 0x80, 0xc2, 0, 0, 1}, .ethertype = 0x8808};
	struct pkt *p = pfc_frame(&hdr);

	p->u.pfc.quanta[3] = quanta;
	sent(d, &p, 1);
}

static void a_burst_came(struct dev *d)
{
	for (unsigned i = 0; i < EAL_BURST; i++)
		pfc_came(d, (uint16_t)(i + 1));
}

// A device whose memory is far, and whose last burst was full.
static void opened_far(struct dev *d)
{
	struct rte_mbuf *m[EAL_BURST];

	opened(d, "net_ring0");
	dev_begin(d);
	a_burst_came(d);
	assert_int_equal(dev_far_take(d, m, 0), EAL_BURST);
	rte_pktmbuf_free_bulk(m, EAL_BURST);
	d->far.is = true;
}

// Takes n frames, as of instant 7: their quanta are 1, 2, 3 and so on.
static void taken(struct dev *d, unsigned n)
{
	struct rte_mbuf *m[EAL_BURST];
	struct pkt *burst[EAL_BURST];

	assert_int_equal(dev_far_take(d, m, 7), n);
	assert_int_equal(dev_rx_parse(d, m, burst, NULL, n, 7), n);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(burst[i]->u.pfc.quanta[3], i + 1);
		assert_int_equal(burst[i]->when, 7);
		assert_int_equal(burst[i]->when, 7);
		rte_pktmbuf_free(eal_mbuf(burst[i]));
	}
}

// A PFC frame that comes behind what was read ahead waits for no other burst.
static void what_was_read_ahead_comes_first_and_with_what_came_since(void **state)
{
	struct rte_mbuf *m[EAL_BURST];
	struct dev d;

	(void)state;
	opened_far(&d);
	pfc_came(&d, 1);
	pfc_came(&d, 2);
	dev_far_read(&d);
	assert_int_equal(d.far.n, 2);
	pfc_came(&d, 3);
	dev_far_read(&d); // reads nothing more: there is a burst
	assert_int_equal(d.far.n, 2);
	for (unsigned part = 0; part < DEV_FAR_PARTS; part++)
		dev_far_fetch(&d, part, true);
	taken(&d, 3);
	assert_int_equal(dev_far_take(&d, m, 8), 0);
	closed(&d);
}

// More than a burst never comes at once.
static void a_full_burst_that_was_read_ahead_comes_alone(void **state)
{
	struct dev d;

	(void)state;
	opened_far(&d);
	a_burst_came(&d);
	dev_far_read(&d);
	assert_int_equal(d.far.n, EAL_BURST);
	pfc_came(&d, 1);
	taken(&d, EAL_BURST);
	taken(&d, 1);
	closed(&d);
}

static void only_a_backlog_that_is_far_is_read_ahead(void **state)
{
	struct dev d;

	(void)state;
	opened_far(&d);
	pfc_came(&d, 1);
	d.far.is = false;
	dev_far_read(&d);
	assert_int_equal(d.far.n, 0);
	d.far.is = true;
	taken(&d, 1); // the burst is not full
	pfc_came(&d, 1);
	dev_far_read(&d);
	assert_int_equal(d.far.n, 0);
	taken(&d, 1);
	closed(&d);
}

// As what still stands in the device.
static void what_was_read_ahead_at_the_end_is_freed_and_unread(void **state)
{
	struct dev d;

	(void)state;
	opened_far(&d);
	pfc_came(&d, 1);
	pfc_came(&d, 2);
	dev_far_read(&d);
	assert_int_equal(d.far.n, 2);
	pfc_came(&d, 3);
	dev_drain(&d);
	assert_int_equal(d.far.n, 0);
	assert_int_equal(d.count->unread, 3);
	closed(&d); // finish() counts the pool
}

static void what_was_read_ahead_of_a_device_that_is_gone_is_freed(void **state)
{
	struct dev d;

	(void)state;
	opened_far(&d);
	pfc_came(&d, 1);
	dev_far_read(&d);
	assert_int_equal(d.far.n, 1);
	d.gone = true;
	closed(&d); // finish() counts the pool
}

static void half_of_the_times_say_that_memory_is_far(void **state)
{
	struct dev_far f = {0};

	(void)state;
	for (unsigned i = 1; i <= 8; i++) {
		dev_far_note(&f, true);
		assert_int_equal(f.is, i >= 4);
	}
	for (unsigned i = 1; i <= 8; i++) {
		dev_far_note(&f, false);
		assert_int_equal(f.is, i <= 4);
	}
}

// Other bursts say nothing of the memory, and nothing is read ahead behind them.
static void full_bursts_of_a_wire_are_timed(void **state)
{
	struct rte_mbuf *m[EAL_BURST];
	struct dev d;

	(void)state;
	opened(&d, "net_null0,size=64");
	assert_int_equal(dev_far_take(&d, m, 0), EAL_BURST);
	for (unsigned i = 0; i < 3; i++) {
		d.paced = i == 1;
		d.far.is = true;
		d.far.times = 0xff;
		dev_far_time(&d, m, i ? EAL_BURST : EAL_BURST - 1);
		assert_int_equal(d.far.is, i == 2);
		assert_int_equal(d.far.times | 1, 0xff);
	}
	d.paced = false;
	rte_pktmbuf_free_bulk(m, EAL_BURST);
	closed(&d);
}

static void looked(struct watch *w)
{
	usleep(20000); // DPDK is asked every 10 ms
	watch_look(w);
}

static void a_link_that_goes_down_is_seen(void **state)
{
	struct watch *w;
	struct dev d;
	char why[64];
	bool half;

	(void)state;
	opened(&d, "net_ring0");
	assert_int_equal(watch_new(&w, &d, 1), 0);
	assert_int_equal(watch_link(w, 0), WATCH_UP);
	assert_int_equal(watch_speed(w, 0, &half), 0); // it has no wire
	assert_int_equal(rte_eth_dev_set_link_down(d.id), 0);
	looked(w);
	assert_int_equal(watch_link(w, 0), WATCH_DOWN);
	assert_string_equal(watch_why(w, 0, why, sizeof(why)), "device \"net_ring0\" says so");
	assert_int_equal(rte_eth_dev_set_link_up(d.id), 0);
	looked(w);
	assert_int_equal(watch_link(w, 0), WATCH_UP);
	watch_free(w);
	closed(&d);
}

static void null_gives_full_bursts(void **state)
{
	struct pkt *burst[EAL_BURST];
	struct dev d;

	(void)state;
	opened(&d, "net_null0,size=64");
	assert_int_equal(dev_rx(&d, burst, NULL, 0), EAL_BURST);
	for (unsigned i = 0; i < EAL_BURST; i++)
		assert_int_equal(burst[i]->len, 64);
	sent(&d, burst, EAL_BURST);
	closed(&d);
}

static void same_capture(const char *a, const char *b)
{
	struct cap x, y;
	struct err err;

	assert_int_equal(cap_read(&x, a, &err), 0);
	assert_int_equal(cap_read(&y, b, &err), 0);
	assert_int_equal(x.n, y.n);
	for (unsigned i = 0; i < x.n; i++) {
		assert_int_equal(x.frame[i].len, y.frame[i].len);
		assert_memory_equal(x.frame[i].bytes, y.frame[i].bytes, x.frame[i].len);
	}
	cap_free(&x);
	cap_free(&y);
}

static void a_capture_passes_unchanged_and_at_its_rate(void **state)
{
	const char *capture = TEST_DATA "/linux_softroce_rocev2.pcap";
	char path[64], device[512];
	struct pkt *burst[EAL_BURST];
	unsigned seen = 0;
	tstamp now = 0;
	struct dev d;

	(void)state;
	snprintf(path, sizeof(path), "%s/out.pcap", out);
	snprintf(device, sizeof(device), "net_pcap0,rx_pcap=%s,tx_pcap=%s", capture, path);
	port.mtu = 4200;
	port.rate = 10 * RATE_GBPS;
	opened(&d, device);
	for (; seen < FRAMES && now < PS_PER_S; now += 100 * PS_PER_NS) {
		unsigned n = dev_rx(&d, burst, NULL, now);

		sent(&d, burst, n);
		seen += n;
	}
	assert_int_equal(seen, FRAMES);
	assert_true(now > 50 * PS_PER_US); // not as fast as it was polled
	closed(&d);
	same_capture(capture, path);
	assert_int_equal(unlink(path), 0);
	port.mtu = 1518;
	port.rate = 100 * RATE_GBPS;
}

// A loop that comes every 500 ns, in which several frames pass the wire, gets all of them.
static void a_capture_has_its_rate_in_a_slow_loop(void **state)
{
	const tstamp step = 500 * PS_PER_NS;
	char device[512];
	struct pkt *burst[EAL_BURST];
	tstamp now = 0, wire = 0;
	struct dev d;

	(void)state;
	snprintf(device, sizeof(device), "net_pcap0,rx_pcap=%s,infinite_rx=1",
		TEST_DATA "/linux_softroce_rocev2.pcap");
	port.mtu = 4200;
	opened(&d, device);
	for (; now < PS_PER_MS; now += step) {
		unsigned n = dev_rx(&d, burst, NULL, now);

		for (unsigned i = 0; i < n; i++)
			wire += rate_time(d.ps, burst[i]->len + PKT_WIRE);
		sent(&d, burst, n);
	}
	closed(&d);
	assert_in_range(wire, PS_PER_MS - PS_PER_MS / 100, PS_PER_MS + PS_PER_MS / 100);
	port.mtu = 1518;
}

static void frames_too_long_for_an_mbuf_are_counted(void **state)
{
	struct pkt *burst[EAL_BURST];
	struct dev d;

	(void)state;
	opened(&d, "net_null0,size=64");
	for (unsigned i = 0; i < 3; i++) {
		struct rte_mbuf *m = rte_pktmbuf_alloc(pool), *tail = rte_pktmbuf_alloc(pool);

		rte_pktmbuf_append(m, 2000);
		rte_pktmbuf_append(tail, i ? 2000 : 10);
		rte_pktmbuf_chain(m, tail);
		assert_int_equal(mbuf_parse(&d.parse, &m, burst, NULL, 1, d.max_len, 0), i ? 0 : 1);
		if (!i) { // it fits one mbuf: a copy
			assert_int_equal(m->nb_segs, 1);
			assert_int_equal(m->data_len, 2010);
			assert_ptr_equal(burst[0], eal_pkt(m));
			rte_pktmbuf_free(m);
		}
	}
	assert_int_equal(d.parse.unfit, 2);
	assert_int_equal(dev_rx(&d, burst, NULL, 0), EAL_BURST);
	sent(&d, burst, EAL_BURST);
	closed(&d);
}

// One of a burst is lost; the others keep their order.
static void a_burst_closes_over_a_frame_that_is_lost(void **state)
{
	struct rte_mbuf *m[5], *tail = rte_pktmbuf_alloc(pool);
	struct pkt *burst[5];
	struct dev d;

	(void)state;
	opened(&d, "net_null0,size=64");
	for (unsigned i = 0; i < 5; i++) {
		m[i] = rte_pktmbuf_alloc(pool);
		memset(rte_pktmbuf_append(m[i], 60), (int)i, 60);
	}
	rte_pktmbuf_append(m[2], 1900);
	rte_pktmbuf_append(tail, 2000);
	rte_pktmbuf_chain(m[2], tail);
	assert_int_equal(mbuf_parse(&d.parse, m, burst, NULL, 5, d.max_len, 0), 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(pkt_bytes(burst[i])[0], i < 2 ? i : i + 1);
		assert_int_equal(burst[i]->len, 60);
		rte_pktmbuf_free(eal_mbuf(burst[i]));
	}
	assert_int_equal(d.parse.unfit, 1);
	closed(&d);
}

// A UDP frame over IPv4 whose checksum is right, or only that of its pseudo-header, as a kernel
// leaves it to a NIC.
static struct rte_mbuf *udp_frame(unsigned len, bool right)
{
	static const uint8_t head[] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 0, 0, 0,
		0, 0, 0, 64, 17, 0, 0, 10, 1, 1, 1, 10, 1, 1, 2, 0x0f, 0xa0, 0x0f, 0xa1, 0, 0, 0,
		0};
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
	uint8_t *o = (uint8_t *)rte_pktmbuf_append(m, (uint16_t)(sizeof(head) + len));
	uint32_t udp = 8 + len, ip = 20 + udp, sum = 0x0a01 + 0x0101 + 0x0a01 + 0x0102 + 17 + udp;

	memcpy(o, head, sizeof(head));
	memset(o + sizeof(head), 0x5a, len);
	o[16] = (uint8_t)(ip >> 8), o[17] = (uint8_t)ip;
	o[38] = (uint8_t)(udp >> 8), o[39] = (uint8_t)udp;
	if (right)
		for (unsigned i = 34; i < sizeof(head) + len; i++)
			sum += (uint32_t)o[i] << (i & 1 ? 0 : 8);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = right ? ~sum : sum;
	o[40] = (uint8_t)(sum >> 8), o[41] = (uint8_t)sum;
	sum = 0x4500 + ip + 0x4011 + 0x0a01 + 0x0101 + 0x0a01 + 0x0102;
	sum = ~((sum & 0xffff) + (sum >> 16));
	o[24] = (uint8_t)(sum >> 8), o[25] = (uint8_t)sum;
	return m;
}

static void came(struct dev *d, unsigned frames, bool right)
{
	struct pkt *burst[1];

	for (unsigned i = 0; i < frames; i++) {
		struct rte_mbuf *m = udp_frame(20 + i % 3, right);

		assert_int_equal(mbuf_parse(&d->parse, &m, burst, NULL, 1, d->max_len, 0), 1);
		assert_int_equal(burst[0]->kind, PKT_UDP);
		rte_pktmbuf_free(m);
	}
}

static void wrong_checksums_are_said_once(void **state)
{
	const struct mbuf_sums *s;
	char line[300];
	struct dev d;

	(void)state;
	opened(&d, "net_ring0");
	s = &d.parse.sums;
	came(&d, 7, false);
	assert_false(dev_notice(&d, line, sizeof(line))); // too few yet
	came(&d, 1, false);
	assert_int_equal(s->seen, 8);
	assert_int_equal(s->wrong, 8);
	assert_true(dev_notice(&d, line, sizeof(line)));
	assert_string_equal(line,
		"port s:r: 8 of a sample of 8 TCP and UDP frames from net_ring0 have a wrong "
		"checksum: their sender leaves it to a NIC; ethtool -K INTERFACE tx off there "
		"makes it right");
	assert_false(dev_notice(&d, line, sizeof(line)));
	closed(&d);
}

static void right_checksums_are_a_sample_and_nothing_said(void **state)
{
	const struct mbuf_sums *s;
	char line[300];
	struct dev d;

	(void)state;
	opened(&d, "net_ring0");
	s = &d.parse.sums;
	came(&d, MBUF_SUMS_FIRST + MBUF_SUMS_EVERY, true);
	assert_int_equal(s->seen, MBUF_SUMS_FIRST);
	came(&d, 1, true);
	assert_int_equal(s->seen, MBUF_SUMS_FIRST + 1);
	assert_int_equal(s->wrong, 0);
	assert_false(dev_notice(&d, line, sizeof(line)));
	closed(&d);
}

// As many as a switch of many ports over the kernel's interfaces has. They need CAP_NET_RAW.
static void every_socket_is_found(void **state)
{
	static struct count_sockets none, all;
	int fd[100];

	(void)state;
	count_sockets(&none);
	for (unsigned i = 0; i < 100; i++) {
		fd[i] = socket(AF_PACKET, SOCK_RAW, 0);
		if (fd[i] < 0)
			skip();
	}
	count_sockets(&all);
	for (unsigned i = 0; i < 100; i++)
		close(fd[i]);
	assert_int_equal(all.n, none.n + 100);
}

// A port of so many receive queues, whose device has this hash.
static void asked(unsigned rx_queues, uint64_t hash, uint16_t tx_at_most)
{
	struct dev d;

	memset(&driver, 0, sizeof(driver));
	driver.plays = true;
	driver.hash = hash;
	driver.tx_at_most = tx_at_most;
	port.rx_queues = (uint8_t)rx_queues;
	opened(&d, "net_ring0");
	closed(&d);
	port.rx_queues = 0;
	driver.plays = false;
}

#define MANY 16 // transmit queues of a device

static void spreads_by(uint64_t hash)
{
	assert_int_equal(driver.conf.rxmode.mq_mode, hash ? RTE_ETH_MQ_RX_RSS : RTE_ETH_MQ_RX_NONE);
	assert_true(driver.conf.rx_adv_conf.rss_conf.rss_hf == hash);
	assert_null(driver.conf.rx_adv_conf.rss_conf.rss_key); // the driver's own
}

// Of what the device has, IP addresses and UDP ports, which all frames of RoCE have.
static void receive_queues_are_spread_by_the_hash_of_the_device(void **state)
{
	uint64_t udp = RTE_ETH_RSS_NONFRAG_IPV4_UDP | RTE_ETH_RSS_NONFRAG_IPV6_UDP;

	(void)state;
	asked(2, UINT64_MAX, MANY);
	spreads_by(RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP);
	assert_true((driver.conf.rx_adv_conf.rss_conf.rss_hf & udp) == udp);
	asked(2, RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_UDP | RTE_ETH_RSS_NONFRAG_IPV4_TCP,
		MANY);
	spreads_by(RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_NONFRAG_IPV4_UDP);
	asked(2, RTE_ETH_RSS_IPV6, MANY);
	spreads_by(RTE_ETH_RSS_IPV6);
}

static void a_device_without_such_a_hash_is_asked_for_none(void **state)
{
	(void)state;
	asked(2, 0, MANY);
	spreads_by(0);
	asked(2, RTE_ETH_RSS_NONFRAG_IPV4_TCP | RTE_ETH_RSS_L2_PAYLOAD, MANY);
	spreads_by(0);
	assert_int_equal(driver.rx, 2);
}

static void one_receive_queue_is_not_spread(void **state)
{
	(void)state;
	for (unsigned queues = 0; queues < 2; queues++) {
		asked(queues, UINT64_MAX, MANY);
		spreads_by(0);
		assert_int_equal(driver.rx, 1);
		assert_int_equal(driver.tx, 1);
	}
}

// Many drivers join queues in pairs, so there are as many to send by if the device has them.
static void as_many_transmit_queues_are_asked_for(void **state)
{
	(void)state;
	asked(2, UINT64_MAX, MANY);
	assert_int_equal(driver.rx, 2);
	assert_int_equal(driver.tx, 2);
	asked(3, UINT64_MAX, MANY);
	assert_int_equal(driver.rx, 3);
	assert_int_equal(driver.tx, 3);
	asked(3, UINT64_MAX, 1);
	assert_int_equal(driver.rx, 3);
	assert_int_equal(driver.tx, 1);
}

static void refused(const char *device, const char *word)
{
	struct err err = {0};
	struct dev d;

	bool late = !strncmp(device, "net_memif", strlen("net_memif"));
	int rc;

	// Before there is any packet memory, but for a net_memif.
	port.device = (char *)device;
	rc = dev_find(&d, &port, false, &err);
	if (late && !rc)
		rc = dev_feed(&d, &(struct mbuf_pools){.rx = pool}, &err);
	assert_int_not_equal(rc, 0);
	dev_close(&d);
	if (!strstr(err.text, word) || !strstr(err.text, "s:r") || strchr(err.text, '\n'))
		fail_msg("unclear: %s", err.text);
}

static void bad_devices_are_one_clear_line(void **state)
{
	(void)state;
	refused("net_nosuch0", "no device \"net_nosuch0\"");
	refused("net_af_packet8,iface=nosuch0", "there is no interface nosuch0 here");
	refused("nosuch0", "write a PCI address, or a vdev");
	refused("net_af_packet0", "write a PCI address, or a vdev");
	refused("no-such", "as in net_af_packet0,iface=eth0");
	refused("lo", "as in net_af_packet0,iface=lo"); // an interface is no device of DPDK's
	refused("net_pcap0,rx_pcap=/nonexistent.pcap", "nonexistent.pcap");
	refused("net_null0,sizes=64", "sizes");
	refused("0000:3b:00.0", "no PCI device 0000:3b:00.0");
	port.mtu = 9018;
	refused("net_memif0", "frames of 1518 bytes, the port's mtu is 9018");
	port.mtu = 1518;
}

// The bytes that `mtu: auto` adds for tags are no reason to refuse a device that has less.
static void room_for_tags_is_not_demanded(void **state)
{
	struct dev d;
	struct err err = {0};

	(void)state;
	port.device = (char *)"net_memif0";
	port.mtu = 1522;
	refused("net_memif0", "frames of 1518 bytes, the port's mtu is 1522");
	port.tags = 8;
	if (dev_open(&d, &port, pool, &err))
		fail_msg("%s", err.text);
	assert_int_equal(d.max_len, 1522);
	dev_close(&d);
	port.mtu = 1518;
	port.tags = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_comes_back_from_a_ring),
		cmocka_unit_test(pauses_of_the_mac_are_told),
		cmocka_unit_test(what_is_on_its_way_is_freed),
		cmocka_unit_test(what_was_read_ahead_comes_first_and_with_what_came_since),
		cmocka_unit_test(a_full_burst_that_was_read_ahead_comes_alone),
		cmocka_unit_test(only_a_backlog_that_is_far_is_read_ahead),
		cmocka_unit_test(what_was_read_ahead_at_the_end_is_freed_and_unread),
		cmocka_unit_test(what_was_read_ahead_of_a_device_that_is_gone_is_freed),
		cmocka_unit_test(half_of_the_times_say_that_memory_is_far),
		cmocka_unit_test(full_bursts_of_a_wire_are_timed),
		cmocka_unit_test(a_link_that_goes_down_is_seen),
		cmocka_unit_test(null_gives_full_bursts),
		cmocka_unit_test(a_capture_passes_unchanged_and_at_its_rate),
		cmocka_unit_test(a_capture_has_its_rate_in_a_slow_loop),
		cmocka_unit_test(frames_too_long_for_an_mbuf_are_counted),
		cmocka_unit_test(a_burst_closes_over_a_frame_that_is_lost),
		cmocka_unit_test(wrong_checksums_are_said_once),
		cmocka_unit_test(right_checksums_are_a_sample_and_nothing_said),
		cmocka_unit_test(every_socket_is_found),
		cmocka_unit_test(receive_queues_are_spread_by_the_hash_of_the_device),
		cmocka_unit_test(a_device_without_such_a_hash_is_asked_for_none),
		cmocka_unit_test(one_receive_queue_is_not_spread),
		cmocka_unit_test(as_many_transmit_queues_are_asked_for),
		cmocka_unit_test(bad_devices_are_one_clear_line),
		cmocka_unit_test(room_for_tags_is_not_demanded),
	};

	return cmocka_run_group_tests(tests, start, finish);
}
