// SPDX-License-Identifier: BSD-3-Clause
// sonic-mgmt's tests of PFC frames in a capture: every byte of the frames that the switch sends
// under congestion.
#include "sniff.h"

#include <math.h>

#include "../../cap_all.h"
#include "wire/pfc.h"

#define SAMPLE 15000

// Frames of the capture by their request, and malformed ones by their fault.
struct seen {
	double pfc, sense[PFC_MIXED + 1];
	double bad_da, bad_sa, bad_opcode, bad_high, bad_class, bad_quanta, bad_pad, bad_len;
};

static const uint8_t *port_mac(const struct scn *s, const char *name)
{
	for (unsigned i = 0; i < s->scene->n_nodes; i++)
		for (unsigned p = 0; p < s->scene->node[i].n_ports; p++)
			if (!strcmp(s->scene->node[i].port[p].name, name))
				return s->scene->node[i].port[p].mac;
	fail_msg("no port %s", name);
	return NULL;
}

static unsigned be16(const uint8_t *o)
{
	return (unsigned)o[0] << 8 | o[1];
}

// Byte by byte, without the code that made it: DA, SA, 8808, 0101, enable vector, eight times,
// pad.
static void look(struct seen *n, const struct replay_frame *f, const uint8_t *mac)
{
	static const uint8_t da[6] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};
	static const unsigned quanta[8] = {[3] = 20, [4] = 40};
	const uint8_t *o = f->bytes;
	struct pfc p;

	if (be16(o + 12) != 0x8808)
		return;
	n->pfc++;
	n->bad_len += f->len != 60;
	n->bad_da += memcmp(o, da, 6) != 0;
	n->bad_sa += memcmp(o + 6, mac, 6) != 0;
	n->bad_opcode += be16(o + 14) != 0x0101;
	n->bad_high += o[16] != 0;
	// Only lossless priorities are named, with their own quanta or 0 (XON); no other has a
	// time.
	n->bad_class += (o[17] & ~0x18) != 0 || !o[17];
	for (unsigned c = 0; c < 8; c++) {
		unsigned q = be16(o + 18 + 2 * c);

		n->bad_quanta += q && (!(o[17] >> c & 1) || q != quanta[c]);
	}
	for (unsigned i = 34; i < 60; i++)
		n->bad_pad += o[i] != 0;
	pfc_parse(o + 14, &p);
	n->sense[pfc_sense(&p.time)]++;
}

static void test_valid_pfc_frame(void **state)
{
	char path[64];
	struct sniff f;
	struct seen n = {0};
	struct err err;
	struct cap c;
	struct scn s;

	(void)state;
	acc_row("3.1 row 8", "test_valid_pfc_frame");
	sniff_open(&f);
	s = scn_run("acceptance/test_valid_pfc_frame.yaml", f.out, NULL);
	snprintf(path, sizeof(path), "%s/capture.pcapng", f.dir);
	if (cap_read(&c, path, &err))
		fail_msg("%s", err.text);
	for (unsigned i = 0; i < c.n; i++)
		look(&n, &c.frame[i], port_mac(&s, "s1:h1"));
	cap_free(&c);
	sniff_close(&f);
	scn_in(&s, "PFC frames captured", n.pfc, 0.8 * SAMPLE, INFINITY);
	scn_in(&s, "of those the switch sent", n.pfc, acc(&s, "port.s1:h1.originated_frames"),
		acc(&s, "port.s1:h1.originated_frames"));
	scn_in(&s, "not of 60 bytes", n.bad_len, 0, 0);
	scn_in(&s, "not to 01:80:c2:00:00:01", n.bad_da, 0, 0);
	scn_in(&s, "opcode not 0x0101", n.bad_opcode, 0, 0);
	scn_in(&s, "enable vector's high byte", n.bad_high, 0, 0);
	scn_in(&s, "naming a lossy priority, or none", n.bad_class, 0, 0);
	scn_in(&s, "times beside the enable vector", n.bad_quanta, 0, 0);
	scn_in(&s, "pad bytes not 0", n.bad_pad, 0, 0);
	// All three occur, an XON (enabled, time 0) is no fault, and each is told apart.
	scn_in(&s, "XOFF", n.sense[PFC_XOFF], 1, INFINITY);
	scn_in(&s, "XON", n.sense[PFC_XON], 1, INFINITY);
	scn_in(&s, "mixed", n.sense[PFC_MIXED], 1, INFINITY);
	acc_row("3.1 row 9", "test_valid_src_mac_pfc_frame");
	scn_in(&s, "source not the port's own", n.bad_sa, 0, 0);
	scn_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_valid_pfc_frame),
	};

	return cmocka_run_group_tests_name("acceptance frames", tests, NULL, NULL);
}
