// SPDX-License-Identifier: BSD-3-Clause
// A stranger floods a host at line rate, in each way there is: the host's own flow and one that
// goes by other ports keep their rates to 2 %, and everything is accounted for.
#include "scn.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../floods.h"
#include "cap/cap.h"

#define FRAMES 4096
#define LOOPS  "1000"

static void write_flood(const char *path, enum flood kind, const struct flood_target *t)
{
	uint8_t bytes[FLOOD_MAX];
	struct capw *w;
	struct prng g;
	struct err err;

	prng_init(&g, 1, flood_name[kind]);
	assert_int_equal(capw_open(&w, path, &err), 0);
	assert_int_equal(capw_interface(w, "flood", 10 * RATE_GBPS, false), 0);
	for (unsigned i = 0; i < FRAMES; i++) {
		unsigned n = flood_frame(kind, t, &g, bytes);

		assert_in_range(n, PKT_MIN_LEN, FLOOD_MAX);
		assert_int_equal(capw_frame(w, 0, i * PS_PER_US, 1, bytes, n), 0);
	}
	assert_int_equal(capw_close(w, &err), 0);
}

static struct flood_target target_of(const struct scn *s)
{
	const struct scene_flow *f = s->scene->flow[0];
	struct flood_target t = {.ipv6 = f->hdr_data.flags & HDR_IPV6, .qpn = f->req.qpn};

	memcpy(t.mac, f->hdr_data.src, 6);
	memcpy(t.ip, f->hdr_data.saddr, 16);
	memcpy(t.peer_ip, f->hdr_data.daddr, 16);
	return t;
}

// `own`: the option by which a switch sends CNPs itself, iqcn or fast_cnp.
static void flood(enum flood kind, const char *own)
{
	bool v6 = kind == FLOOD_ND;
	const char *h = v6 ? "hosts.h.ip=fd00::1" : "hosts.h.ip=10.0.0.1";
	const char *r = v6 ? "hosts.r.ip=fd00::2" : "hosts.r.ip=10.0.0.2";
	char path[] = "/tmp/quench-flood-XXXXXX", file[64];
	struct scn quiet = scn_run("flood.yaml", h, r, own, NULL), s;
	struct flood_target t = target_of(&quiet);
	int fd = mkstemp(path);

	assert_true(fd >= 0 && close(fd) == 0);
	write_flood(path, kind, &t);
	snprintf(file, sizeof(file), "hosts.f.replay.file=%s", path);
	s = scn_run("flood.yaml", h, r, own, file, "hosts.f.replay.speed=top",
		"hosts.f.replay.loops=" LOOPS, NULL);
	assert_true(scn_value(&s, "replay.f.tx_frames") > 10000);
	for (unsigned i = 0; i < 2; i++) {
		double alone = scn_flow_gbps(&quiet, i);

		scn_in(&s, flood_name[kind], scn_flow_gbps(&s, i), 0.98 * alone, 1.02 * alone);
	}
	scn_in(&s, "CNPs taken", scn_value(&s, "cnp_rx"), 0, 0);
	scn_free(&s);
	scn_free(&quiet);
	unlink(path);
}

static void no_flood_slows_others(void **state)
{
	(void)state;
	for (unsigned k = 0; k < FLOODS; k++) {
		flood(k, "switches.s1.classes.3.iqcn.heavy=40KB");
		flood(k, "switches.s1.classes.3.fast_cnp.interval=50us");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_flood_slows_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
