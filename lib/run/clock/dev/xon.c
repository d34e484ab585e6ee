// SPDX-License-Identifier: BSD-3-Clause
// XON at the end of a run: the frames are made, sent by the device or by a socket, and given back.
#include "xon.h"

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "dev.h"
#include "frame/frame.h"

#define TRY_MS 100 // until the device takes it

// Writes the bytes of an XON for `classes`. `kind` PKT_PAUSE: for the whole link.
static void render(const struct dev *d, enum pkt_kind kind, uint8_t classes, uint8_t *bytes)
{
	struct hdr hdr = {.dst = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01},
		.ethertype = ETH_P_MAC_CONTROL,
		.id = HDR_ID_NODE};
	const struct pkt p = {
		.hdr = &hdr, .kind = (uint8_t)kind, .len = PKT_MIN_LEN, .u.pfc.enable = classes};

	memcpy(hdr.src, d->port->mac, sizeof(hdr.src));
	frame_from_pkt(&p, bytes);
}

static int open_socket(unsigned kernel)
{
	struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_ifindex = (int)kernel};
	int fd = kernel ? socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;

	if (fd >= 0 && bind(fd, (struct sockaddr *)&to, sizeof(to)) != 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

// Into the mbuf, as when it came from the pool.
static void fill_mbuf(struct rte_mbuf *m, const uint8_t *bytes)
{
	rte_pktmbuf_reset(m);
	memcpy(rte_pktmbuf_append(m, PKT_MIN_LEN), bytes, PKT_MIN_LEN);
}

void dev_xon_make(struct dev *d, unsigned kernel)
{
	struct dev_xon *x = &d->xon;

	x->fd = open_socket(kernel);
	render(d, PKT_PFC, 0xff, x->bytes[DEV_XON_PFC]);
	render(d, PKT_PAUSE, 0, x->bytes[DEV_XON_PAUSE]);
	for (unsigned i = 0; i < DEV_XON_FRAMES; i++) {
		x->m[i] = rte_pktmbuf_alloc(d->parse.pools.rx);
		if (x->m[i])
			fill_mbuf(x->m[i], x->bytes[i]);
	}
}

// Sends one of the prepared frames. False: the device does not take it.
static bool send_frame(struct dev *d, unsigned which)
{
	struct rte_mbuf **m = &d->xon.m[which];

	for (unsigned ms = 0; *m && ms < TRY_MS; ms++) {
		if (dev_tx(d, 0, m, 1) == 1) {
			*m = NULL;
			return true;
		}
		dev_drain(d);
		rte_delay_us_sleep(1000);
	}
	return false;
}

unsigned dev_xon_send(struct dev *d)
{
	struct dev_xon *x = &d->xon;
	uint8_t classes = atomic_load(&d->told.classes), bytes[PKT_MIN_LEN];
	unsigned n = 0;

	if (d->gone) { // nobody is there, and the device is touched no more
		atomic_store(&d->told.classes, 0);
		atomic_store(&d->told.whole, false);
		return 0;
	}
	if (classes && x->m[DEV_XON_PFC]) {
		render(d, PKT_PFC, classes, bytes);
		fill_mbuf(x->m[DEV_XON_PFC], bytes);
	}
	if (classes && send_frame(d, DEV_XON_PFC)) {
		atomic_store(&d->told.classes, 0);
		n++;
	}
	if (atomic_load(&d->told.whole) && send_frame(d, DEV_XON_PAUSE)) {
		atomic_store(&d->told.whole, false);
		n++;
	}
	return n;
}

static bool send_now(struct dev *d, unsigned which)
{
	struct rte_mbuf *m = d->xon.m[which];

	if (d->xon.fd >= 0)
		return send(d->xon.fd, d->xon.bytes[which], PKT_MIN_LEN, 0) == PKT_MIN_LEN;
	d->xon.m[which] = NULL;
	return m && d->started && !d->gone && dev_burst_tx(d, 0, &m, 1) == 1;
}

void dev_xon_send_now(struct dev *d)
{
	if (atomic_load(&d->told.classes) && send_now(d, DEV_XON_PFC))
		atomic_store(&d->told.classes, 0);
	if (atomic_load(&d->told.whole) && send_now(d, DEV_XON_PAUSE))
		atomic_store(&d->told.whole, false);
}

void dev_xon_drop(struct dev *d)
{
	for (unsigned i = 0; i < DEV_XON_FRAMES; i++) {
		rte_pktmbuf_free(d->xon.m[i]); // NULL: nothing
		d->xon.m[i] = NULL;
	}
	if (d->xon.fd >= 0)
		close(d->xon.fd);
	d->xon.fd = -1;
}
