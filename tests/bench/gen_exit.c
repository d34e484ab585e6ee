// SPDX-License-Identifier: BSD-3-Clause
// Where frames of a benchmark leave the process.
#include "gen_exit.h"
#include "gen_crowd.h"

#include <isa-l/crc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_mempool.h>
#include <rte_ring.h>

#define PACKETS    8191
#define STACK      2048 // packets in the stack at most
#define STACK_FULL 512  // packets in it before a burst
#define ROOM       4608 // of a frame that does not fit into ROOM_SMALL
#define ROOM_SMALL 2048

uint32_t __real_crc32_gzip_refl(uint32_t seed, const unsigned char *bytes, uint64_t len);
uint32_t __wrap_crc32_gzip_refl(uint32_t seed, const unsigned char *bytes, uint64_t len);

static bool no_crc;

// The linker sends ISA-L's CRC here (meson.build), so that a frame can be priced without it.
uint32_t __wrap_crc32_gzip_refl(uint32_t seed, const unsigned char *bytes, uint64_t len)
{
	return no_crc ? seed : __real_crc32_gzip_refl(seed, bytes, len);
}

static void must(int rc, const char *what)
{
	if (rc >= 0)
		return;
	fprintf(stderr, "gen_bench: %s: %s\n", what, strerror(rc == -1 ? rte_errno : -rc));
	exit(1);
}

static void start_eal(void)
{
	unsigned cpu[RTE_MAX_LCORE], n = eal_cpus(cpu, RTE_MAX_LCORE);
	char core[16], prefix[64];
	char *args[] = {"gen_bench", "-l", core, "--no-huge", "-m", "64", "--no-shconf", "--no-pci",
		"--no-telemetry", "--log-level=error", "--file-prefix", prefix, NULL};

	snprintf(prefix, sizeof(prefix), "quench-gen-%d", getpid());
	snprintf(core, sizeof(core), "%u", n ? cpu[n - 1] : 0);
	must(rte_eal_init(sizeof(args) / sizeof(args[0]) - 1, args), "EAL");
}

static void start_port(struct dev *d, int id)
{
	struct rte_eth_conf conf = {0};

	must(id, "a device");
	d->id = (uint16_t)id;
	d->n_rx = d->n_turn = 1;
	must(rte_eth_dev_configure(d->id, 1, 1, &conf), "a device");
	must(rte_eth_tx_queue_setup(d->id, 0, 1024, SOCKET_ID_ANY, NULL), "a TX queue");
	must(rte_eth_rx_queue_setup(d->id, 0, 1024, SOCKET_ID_ANY, NULL, d->parse.pools.rx),
		"an RX queue");
	must(rte_eth_dev_start(d->id), "a device");
}

static int new_device(const char *name, const char *args)
{
	uint16_t id;
	int rc = rte_eal_hotplug_add("vdev", name, args);

	return rc ? rc : rte_eth_dev_get_port_by_name(name, &id) ? -ENODEV : id;
}

static int new_ring(struct exit_ports *e)
{
	e->near = rte_ring_create("near", 1024, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
	e->far = rte_ring_create("far", 1024, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
	if (!e->near || !e->far)
		return -ENOMEM;
	return rte_eth_from_rings("gen", &e->near, 1, &e->far, 1, SOCKET_ID_ANY);
}

void exit_open(struct exit_ports *e, unsigned octets, unsigned qps, const char *file)
{
	struct eal_pool_size size = {
		.packets = PACKETS, .room = octets > ROOM_SMALL - 64 ? ROOM : ROOM_SMALL};
	struct err err = {0};
	char args[512];

	*e = (struct exit_ports){.has_file = file};
	start_eal();
	e->pool = eal_pool_new("frames", &size, EAL_ORDINARY, -1, &err);
	if (!e->pool) {
		fprintf(stderr, "gen_bench: %s\n", err.text);
		exit(1);
	}
	e->null.parse.pools.rx = e->ring.parse.pools.rx = e->file.parse.pools.rx = e->pool;
	start_port(&e->null, new_device("net_null0", "size=64"));
	start_port(&e->ring, new_ring(e));
	if (file) {
		snprintf(args, sizeof(args), "tx_pcap=%s", file);
		start_port(&e->file, new_device("net_pcap0", args));
	}
	e->stack = (struct pkt_stack){.slot = malloc(STACK * sizeof(struct pkt *)),
		.cap = STACK,
		.data_off = EAL_PRIV + RTE_PKTMBUF_HEADROOM,
		.room = size.room};
	e->tmpl = mbuf_tmpl_new(2 * qps, crowd_is_v6(octets), e->pool, NULL); // of both crowds
	must(e->stack.slot && e->tmpl ? 0 : -ENOMEM, "the stack");
	exit_refill(e);
}

void exit_close(struct exit_ports *e)
{
	if (e->has_file)
		rte_eth_dev_stop(e->file.id); // so that the file is whole
	free(e->stack.slot);
	mbuf_tmpl_free(e->tmpl);
	rte_eal_cleanup();
	rmdir(rte_eal_get_runtime_dir());
}

void exit_refill(struct exit_ports *e)
{
	struct pkt_stack *s = &e->stack;
	unsigned want = s->n < STACK_FULL - EAL_BURST ? STACK_FULL - s->n : 0;
	void **obj = (void **)&s->slot[s->n];

	if (!want)
		return;
	must(rte_mempool_get_bulk(e->pool, obj, want), "packets");
	for (unsigned i = 0; i < want; i++)
		obj[i] = eal_pkt(obj[i]);
	s->n += want;
}

static void send_all(struct dev *d, struct rte_mbuf **m, unsigned n)
{
	unsigned sent = dev_tx(d, 0, m, n);

	if (sent < n)
		rte_pktmbuf_free_bulk(m + sent, n - sent);
}

void exit_take(struct exit_ports *e, enum exit_step step, struct pkt **burst, unsigned n)
{
	struct rte_mbuf *m[EAL_BURST];

	if (step >= EXIT_BYTES) {
		no_crc = step == EXIT_BYTES;
		mbuf_render(&e->told, e->tmpl, burst, m, n, 0);
		no_crc = false;
	}
	if (step <= EXIT_ICRC) {
		for (unsigned i = n; i-- > 0;)
			pkt_put(&e->stack, burst[i]);
	} else if (step == EXIT_NULL) {
		send_all(&e->null, m, n);
	} else {
		send_all(&e->ring, m, n);
		n = rte_ring_dequeue_burst(e->far, (void **)m, EAL_BURST, NULL);
		rte_pktmbuf_free_bulk(m, n);
	}
}

void exit_write(struct exit_ports *e, struct pkt **burst, unsigned n)
{
	struct rte_mbuf *m[EAL_BURST];

	mbuf_render(&e->told, e->tmpl, burst, m, n, 0);
	send_all(&e->file, m, n);
}
