// SPDX-License-Identifier: BSD-3-Clause
// The self-test of real ports, the part with frames: do PFC frames arrive, does a MAC stop on them,
// do frames to other addresses come in.
#include "selftest.h"

#include <string.h>

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#define FRAME_LEN  60
#define STEP_US    50
#define STEPS      4000   // that a frame is waited for: 200 ms and more
#define AFTER      16     // frames that are to leave while the port is told to stop
#define PROBE_TYPE 0x88b5 // IEEE 802, local experiments

enum probe { PROBE_PLAIN, PROBE_FOREIGN, PROBE_PFC, PROBE_AFTER, PROBES };

// The source address of a probe; its last bytes name the sending port and the kind of probe.
static const uint8_t mark[4] = {0x02, 'Q', 'S', 'T'};

// One port that sends, and the ports that may receive.
struct probing {
	struct dev *dev;
	unsigned n, from;
	unsigned to; // the port that received the plain frame; n: none yet
	unsigned got[PROBES];
	const atomic_bool *stop;
};

static bool takes_part(const struct probing *p, unsigned i)
{
	bool own = i == p->from;

	return p->dev[p->from].port->selftest == SCENE_SELFTEST_LOOP
		       ? own
		       : !own && p->dev[i].port->selftest == SCENE_SELFTEST_PEER;
}

// Sends a frame of `kind` on behalf of port `from`, by device `by`. False: the device refuses it. A
// frame that stops the peer is noted, so that the peer is released even after a crash.
static bool send_probe(const struct probing *p, unsigned by, enum probe kind, uint16_t quanta)
{
	static const uint8_t foreign[6] = {0x02, 'Q', 0xff, 0xff, 0xff, 0xfe};
	static const uint8_t control[6] = {0x01, 0x80, 0xc2, 0, 0, 0x01};
	struct dev *d = &p->dev[by];
	struct rte_mbuf *m = rte_pktmbuf_alloc(d->parse.pools.rx);
	uint8_t *b = m ? (uint8_t *)rte_pktmbuf_append(m, FRAME_LEN) : NULL;

	if (!b) {
		rte_pktmbuf_free(m);
		return false;
	}
	memset(b, 0, FRAME_LEN);
	memset(b, 0xff, 6);
	if (kind == PROBE_FOREIGN)
		memcpy(b, foreign, 6);
	memcpy(b + 6, mark, sizeof(mark));
	b[10] = (uint8_t)p->from;
	b[11] = (uint8_t)kind;
	b[12] = PROBE_TYPE >> 8;
	b[13] = PROBE_TYPE & 0xff;
	if (kind == PROBE_PFC) {
		memcpy(b, control, 6);
		memcpy(b + 12, (uint8_t[]){0x88, 0x08, 0x01, 0x01, 0x00, 0xff}, 6);
		for (unsigned c = 0; c < PKT_CLASSES; c++) {
			b[18 + 2 * c] = (uint8_t)(quanta >> 8);
			b[19 + 2 * c] = (uint8_t)quanta;
		}
	}
	if (kind == PROBE_PFC && quanta)
		atomic_store(&d->told.classes, 0xff);
	if (dev_burst_tx(d, 0, &m, 1) == 1) {
		if (kind == PROBE_PFC && !quanta)
			atomic_store(&d->told.classes, 0);
		return true;
	}
	rte_pktmbuf_free(m);
	return false;
}

// XON for all classes, which has to leave even where the ring is full.
static void release(const struct probing *p)
{
	for (unsigned i = 0; i < STEPS && !send_probe(p, p->from, PROBE_PFC, 0); i++)
		rte_delay_us_sleep(STEP_US);
}

static void see_probe(struct probing *p, unsigned at, const struct rte_mbuf *m)
{
	const uint8_t *b = rte_pktmbuf_mtod(m, const uint8_t *);

	if (m->data_len < FRAME_LEN || memcmp(b + 6, mark, sizeof(mark)) != 0 || b[10] != p->from ||
		b[11] >= PROBES)
		return;
	if (b[11] == PROBE_PLAIN && p->to == p->n && takes_part(p, at))
		p->to = at;
	if (at == (b[11] == PROBE_AFTER ? p->from : p->to))
		p->got[b[11]]++;
}

// Takes and frees the frames that have arrived at every port of the test.
static void poll_all(struct probing *p)
{
	struct rte_mbuf *m[EAL_BURST];

	for (unsigned i = 0; i < p->n; i++) {
		bool may = takes_part(p, i) || i == p->from;
		unsigned got = may ? dev_burst_rx(&p->dev[i], 0, m, EAL_BURST) : 0;

		for (unsigned k = 0; k < got; k++) {
			see_probe(p, i, m[k]);
			rte_pktmbuf_free(m[k]);
		}
	}
}

// Polls until n frames of a kind have arrived. `hold`: the port pauses its peer the whole time.
static bool await(struct probing *p, enum probe kind, unsigned n, bool hold)
{
	for (unsigned i = 0; i < STEPS && !(p->stop && *p->stop); i++) {
		poll_all(p);
		if (p->got[kind] >= n)
			return true;
		if (hold)
			send_probe(p, p->from, PROBE_PFC, UINT16_MAX);
		rte_delay_us_sleep(STEP_US);
	}
	return p->got[kind] >= n;
}

// Tests whether the receiver's MAC goes on sending while it is paused.
static void try_stop(struct probing *p, struct record_findings *f)
{
	const char *name = p->dev[p->to].port->name;
	unsigned left = 0, held, all;
	char found[160];

	send_probe(p, p->from, PROBE_PFC, UINT16_MAX);
	rte_delay_us_sleep(STEP_US);
	for (unsigned i = 0; i < AFTER; i++)
		left += send_probe(p, p->to, PROBE_AFTER, 0);
	await(p, PROBE_AFTER, left, true);
	held = p->got[PROBE_AFTER];
	release(p);
	await(p, PROBE_AFTER, left, false);
	all = p->got[PROBE_AFTER];
	snprintf(found, sizeof(found),
		"%u frames given to the device under XOFF: %u left it, %u more after XON", left,
		held, all - held);
	if (left && held >= left)
		record_finding_add(f, name, "MAC under XOFF", RECORD_OK, found, NULL);
	else if (all > held)
		record_finding_add(f, name, "MAC under XOFF", RECORD_BAD, found,
			"the MAC stops by itself, and the switch's queues see another wire: "
			"mlnx_qos -i INTERFACE --pfc 0,0,0,0,0,0,0,0; "
			"ethtool -A INTERFACE rx off tx off");
	else
		record_finding_add(f, name, "MAC under XOFF", RECORD_WARNING, found,
			"frames were lost on the way back: "
			"look at the cable and the other end, and try again");
}

static void tell_arrivals(const struct probing *p, struct record_findings *f)
{
	const char *name = p->dev[p->to].port->name;
	char found[160];

	snprintf(found, sizeof(found), "a PFC frame of %s %s, a frame of another type arrives",
		p->dev[p->from].port->name, p->got[PROBE_PFC] ? "arrives" : "does not arrive");
	record_finding_add(f, name, "PFC frames", p->got[PROBE_PFC] ? RECORD_OK : RECORD_BAD, found,
		"a MAC or a driver on the way eats MAC control frames, and the switch never "
		"hears an XOFF: ethtool -A INTERFACE rx off tx off at both ends, or another "
		"driver");
	snprintf(found, sizeof(found), "a frame of %s to another address %s",
		p->dev[p->from].port->name, p->got[PROBE_FOREIGN] ? "arrives" : "does not arrive");
	record_finding_add(f, name, "foreign frames",
		p->got[PROBE_FOREIGN] ? RECORD_OK : RECORD_BAD, found,
		"the port filters addresses, whatever the driver says: "
		"ip link set INTERFACE promisc on; "
		"for a virtual function ip link set PF vf N trust on");
}

static void probe(struct probing *p, struct record_findings *f)
{
	const struct scene_port *port = p->dev[p->from].port;

	send_probe(p, p->from, PROBE_PLAIN, 0);
	send_probe(p, p->from, PROBE_FOREIGN, 0);
	if (!await(p, PROBE_PLAIN, 1, false)) {
		record_finding_add(f, port->name, "PFC frames", RECORD_WARNING,
			port->selftest == SCENE_SELFTEST_LOOP
				? "no frame comes back, PFC or not"
				: "no frame comes to another port with selftest: peer",
			"look at the cable: loop wants a port that hears itself, peer two ports "
			"of the scenario that are joined; selftest: none leaves the test out");
		return;
	}
	send_probe(p, p->from, PROBE_PFC, UINT16_MAX);
	await(p, PROBE_PFC, 1, false);
	release(p);
	await(p, PROBE_FOREIGN, 1, false);
	tell_arrivals(p, f);
	try_stop(p, f);
}

void selftest_probe(struct dev *dev, unsigned n, const atomic_bool *stop, struct record_findings *f)
{
	for (unsigned i = 0; i < n && !(stop && *stop); i++) {
		struct probing p = {.dev = dev, .n = n, .from = i, .to = n, .stop = stop};

		if (dev[i].port->selftest == SCENE_SELFTEST_NONE)
			continue;
		probe(&p, f);
		dev_drain(&dev[i]);
	}
}
