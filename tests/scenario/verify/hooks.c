// SPDX-License-Identifier: BSD-3-Clause
// The hooks by which a fault gets into the switch: functions that the linker puts in place of the
// switch's own ones (--wrap).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bad.h"
#include "pause/pause.h"
#include "sw/sw.h"

static const struct bad *const tables[] = {bad_values, bad_pauses, bad_frames};
static const struct bad none, *bad = &none;
static bool in_switch; // the switch makes or takes a PFC frame: hosts call the same functions

static void list(void)
{
	for (unsigned i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct bad *b = tables[i]; b->name; b++)
			puts(b->name);
}

__attribute__((constructor)) static void choose(void)
{
	const char *name = getenv("QUENCH_BAD");

	if (!name || !*name)
		return;
	if (!strcmp(name, "list")) {
		list();
		exit(0);
	}
	for (unsigned i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct bad *b = tables[i]; b->name; b++)
			if (!strcmp(b->name, name))
				bad = b;
	if (bad == &none) {
		fprintf(stderr, "QUENCH_BAD=%s: there is no such fault\n", name);
		exit(2);
	}
}

int __real_sw_init(struct sw **sw, const struct sw_params *params, struct pkt_stack *stack,
	struct ev_ring *events);
int __wrap_sw_init(struct sw **sw, const struct sw_params *params, struct pkt_stack *stack,
	struct ev_ring *events);
void __real_sw_rx(struct sw *sw, unsigned port, struct pkt **burst, unsigned n, tstamp now);
void __wrap_sw_rx(struct sw *sw, unsigned port, struct pkt **burst, unsigned n, tstamp now);
unsigned __real_sw_tx(struct sw *sw, unsigned port, struct pkt **burst, unsigned max, tstamp now);
unsigned __wrap_sw_tx(struct sw *sw, unsigned port, struct pkt **burst, unsigned max, tstamp now);
void __real_sw_pause(struct sw *sw, struct sw_port *o, uint8_t enable, const uint16_t *quanta,
	tstamp came, tstamp now);
void __wrap_sw_pause(struct sw *sw, struct sw_port *o, uint8_t enable, const uint16_t *quanta,
	tstamp came, tstamp now);
void __real_sw_put_pfc(struct sw *sw, struct sw_port *o, tstamp now);
void __wrap_sw_put_pfc(struct sw *sw, struct sw_port *o, tstamp now);
bool __real_pause_tx_get(
	struct pause_tx *t, uint8_t *enable, uint16_t quanta[PAUSE_PRIOS], tstamp now);
bool __wrap_pause_tx_get(
	struct pause_tx *t, uint8_t *enable, uint16_t quanta[PAUSE_PRIOS], tstamp now);
void __real_pause_rx_count(
	struct pause_rx *r, uint8_t enable, const uint16_t quanta[PAUSE_PRIOS], tstamp now);
void __wrap_pause_rx_count(
	struct pause_rx *r, uint8_t enable, const uint16_t quanta[PAUSE_PRIOS], tstamp now);
void __real_sw_xoff(struct sw *sw, struct sw_port *in, unsigned pg, tstamp now);
void __wrap_sw_xoff(struct sw *sw, struct sw_port *in, unsigned pg, tstamp now);
void __real_sw_xon(struct sw *sw, struct sw_port *in, unsigned pg, tstamp now);
void __wrap_sw_xon(struct sw *sw, struct sw_port *in, unsigned pg, tstamp now);
struct sw_port_stats __real_sw_port_stats(const struct sw *sw, unsigned port);
struct sw_port_stats __wrap_sw_port_stats(const struct sw *sw, unsigned port);
enum pfcwd_event __real_pfcwd_poll(
	struct pfcwd *w, const struct pfcwd_cfg *cfg, const struct pfcwd_sample *s);
enum pfcwd_event __wrap_pfcwd_poll(
	struct pfcwd *w, const struct pfcwd_cfg *cfg, const struct pfcwd_sample *s);

static void *copy(const void *from, size_t bytes)
{
	void *to = malloc(bytes);

	if (!to)
		abort();
	return memcpy(to, from, bytes);
}

int __wrap_sw_init(struct sw **sw, const struct sw_params *params, struct pkt_stack *stack,
	struct ev_ring *events)
{
	struct bad_params p = {.sw = *params};
	int rc;

	if (!bad->make)
		return __real_sw_init(sw, params, stack, events);
	p.sw.port = p.port = copy(params->port, params->n_ports * sizeof(*p.port));
	p.sw.set = p.set = copy(params->set, params->n_sets * sizeof(*p.set));
	bad->make(&p);
	rc = __real_sw_init(sw, &p.sw, stack, events);
	free(p.port);
	free(p.set);
	return rc;
}

void __wrap_sw_rx(struct sw *sw, unsigned port, struct pkt **burst, unsigned n, tstamp now)
{
	for (unsigned i = 0; bad->came && i < n; i++)
		bad->came(sw, port, burst[i], now);
	in_switch = true;
	__real_sw_rx(sw, port, burst, n, now);
	in_switch = false;
}

unsigned __wrap_sw_tx(struct sw *sw, unsigned port, struct pkt **burst, unsigned max, tstamp now)
{
	unsigned n = __real_sw_tx(sw, port, burst, max, now);

	for (unsigned i = 0; bad->left && i < n; i++)
		bad->left(sw, port, burst[i]);
	return n;
}

void __wrap_sw_pause(struct sw *sw, struct sw_port *o, uint8_t enable, const uint16_t *quanta,
	tstamp came, tstamp now)
{
	uint16_t changed[PAUSE_PRIOS];

	memcpy(changed, quanta, sizeof(changed));
	if (bad->obeys)
		bad->obeys(&enable, changed);
	__real_sw_pause(sw, o, enable, changed, came, now);
}

void __wrap_sw_put_pfc(struct sw *sw, struct sw_port *o, tstamp now)
{
	in_switch = true;
	__real_sw_put_pfc(sw, o, now);
	in_switch = false;
}

bool __wrap_pause_tx_get(
	struct pause_tx *t, uint8_t *enable, uint16_t quanta[PAUSE_PRIOS], tstamp now)
{
	bool due = __real_pause_tx_get(t, enable, quanta, now);

	if (due && in_switch && bad->tells)
		bad->tells(enable, quanta);
	return due;
}

void __wrap_pause_rx_count(
	struct pause_rx *r, uint8_t enable, const uint16_t quanta[PAUSE_PRIOS], tstamp now)
{
	uint16_t changed[PAUSE_PRIOS];

	memcpy(changed, quanta, sizeof(changed));
	if (in_switch && bad->counts)
		bad->counts(&enable, changed);
	__real_pause_rx_count(r, enable, changed, now);
}

void __wrap_sw_xoff(struct sw *sw, struct sw_port *in, unsigned pg, tstamp now)
{
	in = bad->stops ? bad->stops(sw, in) : in;
	if (in)
		__real_sw_xoff(sw, in, pg, now);
}

void __wrap_sw_xon(struct sw *sw, struct sw_port *in, unsigned pg, tstamp now)
{
	in = bad->frees ? bad->frees(sw, in) : in;
	if (in)
		__real_sw_xon(sw, in, pg, now);
}

struct sw_port_stats __wrap_sw_port_stats(const struct sw *sw, unsigned port)
{
	struct sw_port_stats s = __real_sw_port_stats(sw, port);

	if (bad->tells_counters)
		bad->tells_counters(&s);
	return s;
}

enum pfcwd_event __wrap_pfcwd_poll(
	struct pfcwd *w, const struct pfcwd_cfg *cfg, const struct pfcwd_sample *s)
{
	struct pfcwd_sample changed = *s;

	if (bad->watches)
		bad->watches(&changed);
	return __real_pfcwd_poll(w, cfg, &changed);
}
