// SPDX-License-Identifier: BSD-3-Clause
// The cost of an injector of faults, for callgrind: 65,536 queue pairs send through one port in
// turn. Usage: fault_bench CASE FRAMES. CASE says which frames the records of the injector name:
// `one` and `own` a PSN of one queue pair, `each` a PSN of each queue pair, `any` a share of all
// frames. In `own` only the named queue pair sends, in `one` only the others. No record hits a
// frame. Prints how many frames there were.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault/fault.h"
#include "wire/bth.h"

#define PAIRS 65536

enum { ONE, OWN, EACH, ANY, CASES };
static const char *const names[CASES] = {"one", "own", "each", "any"};

struct bench {
	unsigned what;
	struct pkt *slot[1];
	struct pkt_stack stack;
	struct ev ev[1];
	struct ev_ring events;
	struct hdr hdr;
	struct fault_record *record;
	struct fault_target *target;
	uint32_t *number;
	struct fault *f;
};

static struct fault_target target(uint32_t qpn, const uint32_t *record, uint32_t n)
{
	return (struct fault_target){
		.daddr = {10, 0, 0, 2}, .qpn = qpn, .window = 64, .record = record, .n_records = n};
}

static int start(struct bench *b)
{
	uint32_t n = b->what == EACH ? PAIRS : 1;
	struct fault_params p = {.record = b->record,
		.n_records = n,
		.target = b->target,
		.n_targets = b->what == ANY ? 0 : n,
		.all = b->number,
		.n_all = b->what == ANY,
		.seen_pairs = 4096,
		.seen_window = 64,
		.held = 64,
		.seed = 1,
		.name = "bench",
		.stack = &b->stack,
		.events = &b->events};

	for (uint32_t i = 0; i < n; i++) {
		b->number[i] = i;
		b->record[i] = (struct fault_record){.number = i + 1,
			.kinds = FAULT_DATA,
			.action = FAULT_WATCH,
			.nth_from = 1,
			.nth_to = 1,
			.psn = FAULT_PSN_RANGE,
			.from = 1u << 30,
			.to = 1u << 30};
		b->target[i] = target(i + 1, &b->number[i], 1);
	}
	if (b->what == ANY)
		b->record[0] = (struct fault_record){.number = 1,
			.kinds = FAULT_DATA,
			.action = FAULT_WATCH,
			.by_chance = true,
			.chance = {.share = 1}}; // of 10^12
	return fault_new(&b->f, &p);
}

static void run(struct bench *b, unsigned frames)
{
	struct pkt p;

	for (unsigned i = 0; i < frames; i++) {
		uint32_t pair = b->what == OWN ? 0 : 1 + i % (PAIRS - 1);

		p = (struct pkt){.hdr = &b->hdr,
			.len = 1082,
			.kind = PKT_DATA,
			.tos = 26 << 2,
			.u.rc = {.opcode = BTH_RC_SEND_MIDDLE,
				.psn = i / (PAIRS - 1),
				.payload = 1024,
				.qpn = pair + 1}};
		if (b->what == OWN)
			p.u.rc.psn = i & 0xffffff;
		fault_put(b->f, &p, i);
		while (fault_get(b->f, i))
			;
	}
}

int main(int argc, char **argv)
{
	unsigned frames = argc == 3 ? (unsigned)atoi(argv[2]) : 0;
	struct bench b = {.hdr = {.ethertype = 0x0800,
				  .flags = HDR_IPV4,
				  .proto = 17,
				  .ttl = 64,
				  .saddr = {10, 0, 0, 1},
				  .daddr = {10, 0, 0, 2},
				  .dport = BTH_UDP_PORT,
				  .id = 1}};

	while (frames && b.what < CASES && strcmp(argv[1], names[b.what]) != 0)
		b.what++;
	if (!frames || b.what == CASES) {
		fprintf(stderr, "usage: fault_bench one|own|each|any FRAMES\n");
		return 2;
	}
	b.stack = (struct pkt_stack){.slot = b.slot, .cap = 1};
	b.events = (struct ev_ring){.slot = b.ev};
	b.record = calloc(PAIRS, sizeof(*b.record));
	b.target = calloc(PAIRS, sizeof(*b.target));
	b.number = calloc(PAIRS, sizeof(*b.number));
	if (!b.record || !b.target || !b.number || start(&b)) {
		fprintf(stderr, "fault_bench: no memory\n");
		return 1;
	}
	run(&b, frames);
	printf("%u frames\n", frames);
	fault_free(b.f);
	free(b.record);
	free(b.target);
	free(b.number);
	return 0;
}
