// SPDX-License-Identifier: BSD-3-Clause
// iQCN and CNPs that somebody else sends in the receiver's name: the switch does not make more of
// them.
#include "scn.h"

#include <stdlib.h>
#include <string.h>

#include "../cap_all.h"
#include "frame/frame.h"

#define FLOWS 4

static const uint8_t forger_mac[] = {2, 0, 0, 0, 0, 9};

static struct frame with_cnp(const struct frame *ack, bool own_mac)
{
	struct frame f = *ack;

	if (own_mac)
		memcpy(f.eth.src, forger_mac, sizeof(f.eth.src));

	f.kind = PKT_CNP;
	f.bth.opcode = BTH_CNP;
	f.bth.bits = BTH_BECN;
	f.bth.psn = 0;
	memset(&f.ext, 0, sizeof(f.ext));
	f.payload_len = 0;
	return f;
}

// A CNP with the addresses, UDP ports and QPN of an ACK, as whoever saw the ACK may write it; its
// ICRC is wrong. `own_mac`: only the MAC address is the forger's own.
static void put_cnp(struct capw *w, unsigned port, const struct frame *ack, bool own_mac, tstamp at)
{
	struct frame f = with_cnp(ack, own_mac);
	uint8_t bytes[128];
	int n = frame_render(&f, NULL, bytes, sizeof(bytes), PKT_MIN_LEN);

	assert_true(n > 0);
	bytes[n - 1] ^= 0xff;
	assert_int_equal(frame_parse(bytes, (size_t)n, &f), FRAME_OK);
	assert_int_equal(f.kind, PKT_CNP);
	assert_false(frame_icrc_ok(&f, bytes));
	assert_int_equal(capw_frame(w, port, at, 1, bytes, (uint32_t)n), 0);
}

// Writes a CNP for each sender that r acknowledges in a capture.
static void forge(const struct cap *seen, bool own_mac, const char *to)
{
	uint8_t told[FLOWS][16];
	unsigned n = 0, port;
	struct capw *w;
	struct err err;

	if (capw_open(&w, to, &err))
		fail_msg("%s", err.text);
	port = (unsigned)capw_interface(w, "forger", 25 * RATE_GBPS, false);
	for (unsigned i = 0; i < seen->n && n < FLOWS; i++) {
		unsigned known = 0;
		struct frame f;

		if (frame_parse(seen->frame[i].bytes, seen->frame[i].len, &f) || f.kind != PKT_ACK)
			continue;
		while (known < n && memcmp(told[known], f.ip.daddr, sizeof(told[0])) != 0)
			known++;
		if (known < n)
			continue;
		memcpy(told[n], f.ip.daddr, sizeof(told[0]));
		put_cnp(w, port, &f, own_mac, n++ * PS_PER_US);
	}
	assert_int_equal(n, FLOWS);
	if (capw_close(w, &err))
		fail_msg("%s", err.text);
}

// The forger's capture, from what r says in a short run.
static void make_capture(const char *dir, bool own_mac, char *name, size_t size)
{
	char out[64];
	struct cap seen;
	struct err err;
	struct scn s;

	snprintf(out, sizeof(out), "out=%s", dir);
	s = scn_run("iqcn-forged.yaml", out, "warmup=0us", "duration=300us", NULL);
	scn_free(&s);
	snprintf(name, size, "%s/capture.pcapng", dir);
	if (cap_read(&seen, name, &err))
		fail_msg("%s", err.text);
	snprintf(name, size, "%s/forged.pcapng", dir);
	forge(&seen, own_mac, name);
	cap_free(&seen);
}

// The switches record none of the four CNPs and send none, and the flows keep their rate. The port
// by which the CNPs came is heavily congested all the while.
static void run_with(const char *capture, const char *start, double undisturbed)
{
	char set[128], at[64];
	struct scn s;

	snprintf(set, sizeof(set), "hosts.forger.replay.file=%s", capture);
	snprintf(at, sizeof(at), "hosts.forger.replay.start=%s", start);
	s = scn_run("iqcn-forged.yaml", set, at, NULL);
	scn_in(&s, "heavy, % of the time", scn_value(&s, "iqcn.s1:s2.heavy_percent"), 90, 100);
	scn_in(&s, "CNPs of the switches", scn_value(&s, "iqcn_cnp_tx"), 0, 0);
	scn_in(&s, "CNPs from elsewhere", scn_value(&s, "iqcn.s1:s2.cnp_foreign"), FLOWS, FLOWS);
	scn_in(&s, "goodput over undisturbed", scn_gbps(&s, "data") / undisturbed, 0.8, 1);
	scn_free(&s);
}

static void forged_cnps_are_not_made_more(void **state)
{
	char dir[] = "/tmp/quench-forged-XXXXXX", name[64], command[64];
	double before;
	struct scn s;

	(void)state;
	assert_non_null(mkdtemp(dir));
	s = scn_run("iqcn-forged.yaml", NULL);
	before = scn_gbps(&s, "data");
	scn_in(&s, "undisturbed", before, 35, 40);
	scn_in(&s, "CNPs from elsewhere", scn_value(&s, "iqcn.s1.cnp_foreign"), 0, 0);
	scn_free(&s);
	for (unsigned own_mac = 0; own_mac < 2; own_mac++) {
		make_capture(dir, own_mac, name, sizeof(name));
		run_with(name, "2ms", before);
		run_with(name, "10ms", before);
	}
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forged_cnps_are_not_made_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
