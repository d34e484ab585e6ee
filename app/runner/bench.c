// SPDX-License-Identifier: BSD-3-Clause
// The bench of a probe: which hosts are its ports, which steps are asked for, what they will find.
#include "bench.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "conf/conf.h"
#include "hardware/hardware.h"
#include "session/session.h"

#define STEPS_ALL ((1u << PROBE_STEPS) - 1)

// The port of a lab that a host is; it is added where it is not there yet.
static unsigned port_of(struct bench *b, const char *host)
{
	for (unsigned i = 0; i < b->ports; i++)
		if (!strcmp(b->host[i], host))
			return i;
	b->host[b->ports] = host;
	return b->ports++;
}

static int take_ports(struct bench *b, const struct scene_probe *p, struct err *err)
{
	struct probe_cfg *cfg = &b->cfg;

	if (p->in.n + p->out.n > TESTER_PORTS)
		return err_set(err, -EINVAL, "probe: %u hosts in `in` and `out`; at most %u",
			p->in.n + p->out.n, TESTER_PORTS);
	for (unsigned i = 0; i < p->in.n; i++)
		cfg->in[cfg->n_in++] = port_of(b, p->in.name[i]);
	for (unsigned i = 0; i < p->out.n; i++)
		cfg->out[cfg->n_out++] = port_of(b, p->out.name[i]);
	return 0;
}

// Takes rate and cable of the ports from the scene, and the headroom that the device needs.
static void take_links(struct bench *b, const struct scene *s)
{
	for (unsigned i = 0; i < b->ports; i++) {
		int node = scene_node(s, b->host[i]);
		const struct scene_port *p = node < 0 ? NULL : &s->node[node].port[0];

		if (!p)
			continue;
		b->device[i] = p->device;
		if (i == b->cfg.in[0]) {
			b->rate = p->rate;
			b->cable = p->delay;
		}
		if (i == b->cfg.in[0] && p->peer_node >= 0)
			b->after_xoff = s->node[p->peer_node].port[p->peer_port].obeyed_bytes;
	}
	for (unsigned i = 0; i < b->ports; i++) {
		int node = scene_node(s, b->host[i]);

		b->rates_differ |= node >= 0 && s->node[node].port[0].rate != b->rate;
	}
}

int bench_read(struct bench *b, const struct scene *s, struct err *err)
{
	const struct scene_probe *p = s->probe;
	struct probe_cfg *cfg = &b->cfg;
	int rc;

	*b = (struct bench){0};
	if (!p)
		return err_set(err, -EINVAL,
			"%s: has no section probe, which says by which hosts the device is "
			"measured: probe: {in: [p1, p2], out: [p3]}",
			s->path);
	rc = take_ports(b, p, err);
	if (rc)
		return rc;
	b->name = p->device;
	memcpy(cfg->dscp, p->dscp, sizeof(cfg->dscp));
	cfg->dscp_auto = p->dscp_auto;
	memcpy(cfg->pcp, p->pcp, sizeof(cfg->pcp));
	cfg->map_pcp = p->has_pcp;
	cfg->by_pcp = p->has_pcp && p->dscp_auto;
	cfg->classes = p->classes;
	cfg->accuracy = p->accuracy;
	cfg->most_hold = p->hold;
	cfg->most_step = p->step;
	cfg->most_time = p->time;
	cfg->most_frames = p->frames;
	cfg->most_buffer = p->buffer;
	cfg->seed = p->seed;
	take_links(b, s);
	b->dilate = p->device_dilate;
	cfg->response_limit = headroom_response_quanta(b->rate);
	return 0;
}

// The step of a name of n bytes; -EINVAL with the nearest one.
static int find_step(const char *name, size_t n, struct err *err)
{
	char wanted[32], hint[NEAR_NAME + 64];
	struct near near;

	snprintf(wanted, sizeof(wanted), "%.*s", (int)n, name);
	near = near_to(wanted);
	for (unsigned i = 0; i < PROBE_STEPS; i++) {
		if (!strcmp(probe_step[i].name, wanted))
			return (int)i;
		near_see(&near, probe_step[i].name);
	}
	return err_set(err, -EINVAL, "--steps: there is no step '%s'%s", wanted,
		near_hint(&near, "; `quench probe --help` lists them", hint, sizeof(hint)));
}

// XOFF and XON are counted in frames; their bytes need the cell, also if another step needs XOFF.
static uint32_t with_needs(uint32_t steps)
{
	for (unsigned i = PROBE_STEPS; i-- > 0;)
		if (steps >> i & 1)
			steps |= probe_step[i].needs;
	if (steps >> PROBE_STEP_XOFF & 1)
		steps |= 1u << PROBE_STEP_CELL;
	return steps;
}

int bench_steps(struct bench *b, const char *steps, struct err *err)
{
	b->cfg.steps = STEPS_ALL & ~(1u << PROBE_STEP_WATCHDOG);
	if (!steps)
		return 0;
	b->cfg.steps = 0;
	for (const char *at = steps; *at;) {
		size_t n = strcspn(at, ",");

		if (!n) {
			at++;
			continue;
		}
		if (n == 3 && !strncmp(at, "all", 3)) {
			b->cfg.steps = STEPS_ALL;
		} else {
			int step = find_step(at, n, err);

			if (step < 0)
				return step;
			b->cfg.steps |= 1u << step;
		}
		at += n + (at[n] != 0);
	}
	if (!b->cfg.steps)
		return err_set(err, -EINVAL,
			"--steps: the list is empty; write steps, as in --steps xoff,xon");
	b->cfg.steps = with_needs(b->cfg.steps);
	return 0;
}

void bench_dilate(struct bench *b)
{
	b->cfg.response_limit = headroom_response_quanta(b->rate * b->dilate);
}

// Whether the ports allow a step.
static bool is_possible(const struct bench *b, unsigned step)
{
	return b->cfg.n_in >= probe_step[step].in && b->cfg.n_out >= probe_step[step].out;
}

// A time above zero, rounded up to three digits, so that --allow-storm with it is enough.
static char *time_up(tstamp t, char *buf, size_t size)
{
	tstamp step = 1;

	while (t / step >= 1000)
		step *= 10;
	return units_format(UNITS_TIME, (t + step - 1) / step * step, buf, size);
}

static int check_hold(const struct bench *b, struct err *err)
{
	char hold[32], most[32];

	for (unsigned i = 0; i < PROBE_STEPS; i++) {
		struct probe_cfg one = b->cfg;
		tstamp longest;

		if (!(b->cfg.steps >> i & 1) || !is_possible(b, i))
			continue;
		one.steps = 1u << i;
		longest = probe_longest_hold(&one, b->rate);
		if (longest > b->cfg.most_hold)
			return err_set(err, -EINVAL,
				"probe: most.hold is %s, and step %s may stop an egress for %s; "
				"raise it, or leave the step out",
				units_format(UNITS_TIME, b->cfg.most_hold, most, sizeof(most)),
				probe_step[i].name, time_up(longest, hold, sizeof(hold)));
	}
	return 0;
}

int bench_check(const struct bench *b, bool real, tstamp allow_storm, struct err *err)
{
	tstamp longest = probe_longest_hold(&b->cfg, b->rate);
	int rc = check_hold(b, err);
	char text[32];

	for (unsigned i = 0; real && !rc && i < b->ports; i++)
		if (!b->device[i])
			rc = err_set(err, -EINVAL,
				"probe: %s:%s has no device, and on the real clock the device is "
				"behind one; write ports: {\"%s:%s\": {device: ...}}, or take "
				"--clock virtual",
				b->host[i], b->name, b->host[i], b->name);
	if (rc || !real || allow_storm >= longest)
		return rc;
	time_up(longest, text, sizeof(text));
	return err_set(err, -EINVAL,
		"the probe stops an egress of %s for up to %s; allow it by --allow-storm %s",
		b->name, text, text);
}

int bench_against(struct device_config *to, const struct bench *b, const char *path,
	const char *port_map, bool trusts, struct err *err)
{
	char found[PATH_MAX];
	const struct device_against_opts o = {.path = scenario_find(path, found, sizeof(found)),
		.port_map = port_map,
		.device = b->name,
		.in = b->host[b->cfg.in[0]],
		.out = b->host[b->cfg.out[0]],
		.classes = b->cfg.classes,
		.trusts = trusts};

	return device_against(to, &o, err);
}

void bench_announce(const struct bench *b, FILE *f)
{
	char text[32];

	fprintf(f, "finds\n");
	for (unsigned i = 0; i < PROBE_STEPS; i++)
		if (b->cfg.steps >> i & 1 && is_possible(b, i))
			fprintf(f, "  %-8s  %s\n", probe_step[i].name, probe_step[i].text);
	for (unsigned i = 0; i < PROBE_STEPS; i++)
		if (b->cfg.steps >> i & 1 && !is_possible(b, i))
			fprintf(f, "cannot find %s, which wants %u ports in `in` and %u in `out`\n",
				probe_step[i].text, probe_step[i].in, probe_step[i].out);
	if (b->rates_differ)
		fprintf(f, "note: the rates of the ports differ; steps that need the line rate go "
			   "by the slowest\n");
	fprintf(f, "longest pause that it causes: %s\n\n",
		time_up(probe_longest_hold(&b->cfg, b->rate), text, sizeof(text)));
}
