// SPDX-License-Identifier: BSD-3-Clause
// Each message of the capture of Linux's soft-RoCE is cut by our requester, and each READ answered
// by our responder, as it stands there: opcodes, PSNs, payload, DMA length, AckReq at its end.
#include "transport/rc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "frame/frame.h"

#define PACKETS 64 // of a message
#define LIVE    16 // messages under way

struct message {
	struct frame f[PACKETS];
	unsigned n;
	uint32_t qpn, psn; // of the next packet
	bool reads;
};

struct seen {
	struct message live[LIVE];
	unsigned sends, writes, reads, packets;
};

static struct message *of(struct seen *s, uint32_t qpn, uint32_t psn)
{
	for (unsigned i = 0; i < LIVE; i++)
		if (s->live[i].n && s->live[i].qpn == qpn && s->live[i].psn == psn)
			return &s->live[i];
	return NULL;
}

static struct message *begin(struct seen *s, const struct frame *f, bool reads)
{
	for (unsigned i = 0; i < LIVE; i++)
		if (!s->live[i].n) {
			s->live[i] = (struct message){.qpn = f->bth.qpn, .reads = reads};
			return &s->live[i];
		}
	fail_msg("more messages are under way than there is room for");
	return NULL;
}

static bool is_send(uint8_t opcode)
{
	return opcode <= BTH_RC_SEND_ONLY_IMM;
}

static void compare(const struct frame *f, const struct rc_segment *s, bool reads)
{
	const struct bth_op *op = &bth_ops[f->bth.opcode];

	assert_int_equal(s->opcode, f->bth.opcode);
	assert_int_equal(s->psn, f->bth.psn);
	assert_int_equal(s->payload, f->payload_len);
	assert_int_equal(-s->payload & 3, f->bth.pad);
	if (op->len_off)
		assert_int_equal(s->dma_len, f->ext.reth.dma_len);
	if (s->last && !reads)
		assert_true(f->bth.bits & BTH_ACKREQ);
	if (reads && op->own_off)
		assert_int_equal(s->word >> 24, f->ext.aeth.syndrome);
}

// The MTU is the payload of any packet but the last.
static void cut_alike(struct seen *s, const struct message *m)
{
	const struct frame *first = &m->f[0];
	struct rc_params p = {.verb = m->reads                     ? RC_READ
				      : is_send(first->bth.opcode) ? RC_SEND
								   : RC_WRITE,
		.mtu = m->n > 1 ? first->payload_len : 4096,
		.window = 1024,
		.ack_every = 1024,
		.rto_ps = 1,
		.rd_atomic = 1,
		.recovery = RC_GO_BACK_N};
	uint32_t bytes = 0, psn = first->bth.psn;
	struct rc_past past = {0};
	struct rc_message ring[1];
	struct rc_segment seg;
	struct rc_source src;
	struct rc_cfg cfg;
	struct rc_tx tx;

	for (unsigned i = 0; i < m->n; i++)
		bytes += m->f[i].payload_len;
	assert_int_equal(rc_cfg_init(&cfg, &p), 0);
	rc_tx_init(&tx, &cfg, &past, psn);
	rc_source_init(&src, &cfg, &tx, psn);
	rc_tx_lend(&tx, ring, 1);
	if (m->reads)
		assert_int_equal(rc_source_request(&src, &tx, psn, bytes), RC_RX_ACCEPT);
	else
		assert_int_equal(rc_tx_post(&tx, bytes, 0), 0);
	for (unsigned i = 0; i < m->n; i++) {
		assert_true(rc_tx_ready(&tx));
		if (m->reads)
			rc_source_next(&src, &tx, &seg);
		else
			rc_tx_next(&tx, &seg, 0);
		compare(&m->f[i], &seg, m->reads);
	}
	assert_false(rc_tx_ready(&tx));
	*(m->reads ? &s->reads : p.verb == RC_SEND ? &s->sends : &s->writes) += 1;
	s->packets += m->n;
}

// A packet of a message, or the response to a READ.
static void take(struct seen *s, const struct frame *f)
{
	uint8_t op = f->bth.opcode;
	bool reads = op >= BTH_RC_READ_FIRST && op <= BTH_RC_READ_ONLY;
	bool first = op == BTH_RC_SEND_FIRST || op == BTH_RC_SEND_ONLY ||
		     op == BTH_RC_WRITE_FIRST || op == BTH_RC_WRITE_ONLY ||
		     op == BTH_RC_READ_FIRST || op == BTH_RC_READ_ONLY;
	bool last = op == BTH_RC_SEND_LAST || op == BTH_RC_SEND_ONLY || op == BTH_RC_WRITE_LAST ||
		    op == BTH_RC_WRITE_ONLY || op == BTH_RC_READ_LAST || op == BTH_RC_READ_ONLY;
	struct message *m;

	if (f->kind != PKT_DATA && !reads)
		return;
	m = first ? begin(s, f, reads) : of(s, f->bth.qpn, f->bth.psn);
	assert_non_null(m);
	assert_true(m->n < PACKETS);
	m->f[m->n++] = *f;
	m->psn = (f->bth.psn + 1) & BTH_PSN_MASK;
	if (!last)
		return;
	cut_alike(s, m);
	m->n = 0;
}

static uint32_t word(const uint8_t *o)
{
	return o[0] | o[1] << 8 | o[2] << 16 | (uint32_t)o[3] << 24;
}

static void messages_are_cut_as_soft_roce_cuts_them(void **state)
{
	static uint8_t bytes[1 << 20];
	static struct seen s;
	FILE *f = fopen(TEST_DATA "/linux_softroce_rocev2.pcap", "rb");
	size_t n, at;

	(void)state;
	assert_non_null(f);
	n = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	for (at = 24; at + 16 <= n; at += 16 + word(bytes + at + 8)) {
		struct frame frame;

		if (!frame_parse(bytes + at + 16, word(bytes + at + 8), &frame) &&
			pkt_is_roce(frame.kind) &&
			bth_ops[frame.bth.opcode].transport == BTH_TRANSPORT_RC)
			take(&s, &frame);
	}
	for (unsigned i = 0; i < LIVE; i++)
		assert_int_equal(s.live[i].n, 0);
	print_message("%u SENDs, %u WRITEs, %u READs, %u packets\n", s.sends, s.writes, s.reads,
		s.packets);
	assert_true(s.sends >= 20 && s.writes >= 17 && s.reads >= 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_are_cut_as_soft_roce_cuts_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
